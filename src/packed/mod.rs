//! Packed moves: a game's Brenner stream in under three bits a ply, each game on its own (FORMAT.md, "Packed moves").
//!
//! The legal moves of a position stand in a defined order, each with a score that is a sum of integer weights; scores
//! become integer frequencies, and a range coder writes the move played. Everything is integers, so that a stream
//! decodes to the same moves on any machine.
//!
//! In flow a starting position and Brenner bytes, out flow fewer bytes, and the other way round. `moves` knows the
//! position, `model` what is likely to be played there, `coder` writes it as bits, and `stream` packs a whole stream.
//! `train` is the door of the trainer.

// Untrusted bytes are read here: nothing may panic on them.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod coder;
mod fault;
mod model;
mod moves;
mod stream;
#[doc(hidden)]
pub mod train;

pub use fault::PackedFault;
#[cfg(not(target_family = "wasm"))]
pub use model::MODEL;
#[cfg(target_family = "wasm")]
pub use model::load_model_by;
pub use model::{MODEL_ID, MODEL_SHA256};
pub use stream::{decode, encode};

/// Returns the file of the model that new streams are packed with; `None` in a browser, where it is not in the program.
pub fn model_file() -> Option<&'static [u8]> {
    #[cfg(not(target_family = "wasm"))]
    return Some(MODEL);
    #[cfg(target_family = "wasm")]
    None
}

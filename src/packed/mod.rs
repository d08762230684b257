//! Packed moves: a game's Brenner stream in under three bits per ply, each game independently (FORMAT.md, "Packed
//! moves").
//!
//! The legal moves in a position are in a fixed order. The score of each is a sum of integer weights. Scores become
//! integer frequencies, and a range coder writes the played move. All numbers are integers, so a stream decodes to the
//! same moves on any machine.
//!
//! Input: a starting position and Brenner bytes; output: fewer bytes; and the reverse. `moves` knows the position,
//! `model` predicts its moves, `coder` writes them as bits, and `stream` packs a complete stream. `train` is the
//! interface of the trainer.

// This room reads untrusted bytes, so no code here may panic.
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

/// Returns the file of the model for packing new streams. Returns `None` in a browser, where the program does not
/// contain it.
pub fn model_file() -> Option<&'static [u8]> {
    #[cfg(not(target_family = "wasm"))]
    return Some(MODEL);
    #[cfg(target_family = "wasm")]
    None
}

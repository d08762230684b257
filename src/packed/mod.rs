//! Packs a game's Brenner stream into less than three bits per ply, independently of other games (FORMAT.md, "Packed
//! moves").
//!
//! The legal moves in a position have a fixed order. The score of each move is a sum of integer weights. Scores are
//! converted to integer frequencies, and a range coder writes the played move. All numbers are integers, so a stream
//! decodes to the same moves on every machine.
//!
//! The input is a starting position and Brenner bytes, and the output is fewer bytes. Unpacking does the reverse.
//! `moves` represents the position, `model` predicts its moves, `coder` writes moves as bits, and `stream` packs a
//! complete stream. `train` is the interface for the trainer.

// This module reads untrusted bytes, so its code must not panic.
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

/// Returns the model file for packing new streams. Returns `None` in a browser, where the program does not include the
/// file.
pub fn model_file() -> Option<&'static [u8]> {
    #[cfg(not(target_family = "wasm"))]
    return Some(MODEL);
    #[cfg(target_family = "wasm")]
    None
}

//! Computes move probabilities from the weights of the model, the features of a move, and the opening book.
//!
//! The input is a board with its scene. The output is a score and a frequency for each move. This module does not
//! depend on bits or streams.

pub mod book;
pub mod features;
mod standard;
mod weights;

#[cfg(not(target_family = "wasm"))]
pub use standard::MODEL;
pub(crate) use standard::STANDARD;
#[cfg(target_family = "wasm")]
pub use standard::load_model_by;
pub use standard::{MODEL_ID, MODEL_SHA256};
pub use weights::*;

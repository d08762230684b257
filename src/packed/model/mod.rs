//! Move probabilities: the weights of the model, the features of a move, and the opening book.
//!
//! The input is a board with its scene; the output is scores and frequencies of moves. This folder does not know bits
//! or streams.

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

//! What is likely to be played: the weights of the model, what they look at in a move, and the book of openings.
//!
//! In flow a board with its scene, out flow scores and frequencies of moves. Knows nothing of bits or streams.

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

//! What is likely to be played: the weights of the model, what they look at in a move, and the book of openings.
//!
//! In flow a board with its scene, out flow scores and frequencies of moves. Knows nothing of bits or streams.

pub mod book;
pub mod features;
mod standard;
mod weights;

pub(crate) use standard::STANDARD;
pub use standard::{MODEL, MODEL_ID, MODEL_SHA256};
pub use weights::*;

//! What the blocks of a chunk of games hold: game records, tags, texts and layout.
//!
//! Builders take values game by game and return a payload; readers give the values of one game. Numbers go through `coder`.

#[allow(clippy::indexing_slicing)]
pub(crate) mod annotation;
#[allow(clippy::indexing_slicing)]
mod codec;
#[allow(clippy::indexing_slicing)]
pub mod layout;
pub mod moves;
pub mod record;
#[allow(clippy::indexing_slicing)]
pub mod tags;
#[allow(clippy::indexing_slicing)]
pub mod texts;

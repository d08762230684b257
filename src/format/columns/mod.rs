//! Encodes and decodes the blocks of a chunk of games: game records, tags, texts and layout.
//!
//! Builders receive values game by game, and return a payload. Readers return the values of one game. Numbers go
//! through `coder`.

pub(crate) mod annotation;
mod codec;
mod digits;
pub mod layout;
pub mod moves;
pub(in crate::format) mod planes;
pub mod record;
pub mod tags;
pub mod texts;

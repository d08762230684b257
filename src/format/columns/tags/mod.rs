//! The tag pairs of a chunk of games as typed columns (FORMAT.md, "Tags blocks").
//!
//! Each tag name is a column. Its values are numbers under a lossless codec, or references to the archive's dictionary.
//! Values that the codec cannot represent stay as text. The schema of a game lists its tags in order.

mod build;
mod names;
mod read;

pub use build::{TagsBuilder, TagsDraft};
pub use names::NAMES;
pub use read::{StoredValue, Tags};

//! The tag pairs of a chunk of games as typed columns (FORMAT.md, "Tags blocks").
//!
//! Each tag name is a column. A column's values are numbers by a codec that gives back the very text, or references to
//! the archive's dictionary; a value that the codec cannot hold is kept as it is. Which tags a game has, and in what
//! order, is its schema.

mod build;
mod names;
mod read;

pub use build::{TagsBuilder, TagsDraft};
pub use names::NAMES;
pub use read::{StoredValue, Tags};

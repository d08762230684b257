//! Stores the tag pairs of a chunk of games as typed columns (FORMAT.md, "Tags blocks").
//!
//! Each tag name has its own column. The values of a column are numbers under a lossless codec, or references to the
//! archive's dictionary. Values that the codec cannot represent are stored as text. The schema of a game lists its tags
//! in order.

mod build;
mod names;
mod read;

pub use build::{TagsBuilder, TagsDraft};
pub use names::NAMES;
pub use read::{StoredValue, Tags};

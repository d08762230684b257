//! Side files as segments. Each segment covers a number of games, as of the present commit of the archive or an earlier
//! one (FORMAT.md, "Side files").
//!
//! `file` opens a side file and maps games to segments. `rows` are the games of a segment. `pages` are its bytes, whose
//! checksums are verified before use. `write` makes and extends files. The contents of segments are defined above, in
//! `position` and `tag_columns`.

// Untrusted bytes are read here: nothing may panic on them.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod file;
mod pages;
mod rows;
mod write;

pub(in crate::query) use file::{Held, SideFile, chunks_of};
pub(in crate::query) use pages::Pages;
pub(in crate::query) use rows::{Rows, union, without};
pub(in crate::query) use write::SideWriter;

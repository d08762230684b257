//! Side files as segments. Each segment covers some games, in the state of the archive at its present commit or at an
//! earlier one (FORMAT.md, "Side files").
//!
//! The module `file` opens a side file and assigns a segment to each game. The module `rows` contains the games of a
//! segment. The module `pages` contains the bytes of a segment, whose checksums are verified before use. The module
//! `write` creates and extends side files. The contents of segments are defined in the modules `position` and
//! `tag_columns`.

// This module reads untrusted bytes, so its code must not panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod file;
mod pages;
mod rows;
mod write;

pub(crate) use file::{Held, SideFile, chunks_of};
pub(crate) use pages::Pages;
pub(crate) use rows::{Rows, union, without};
pub(crate) use write::SideWriter;

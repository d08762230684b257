//! Every byte on disk. Only this module defines offsets and magic numbers. Each file in it covers one structure, as
//! FORMAT.md does.
//!
//! The module converts the values of blocks and side files to bytes, and bytes to values. It performs no I/O and
//! depends only on `chess` and `game`. Decoders accept any bytes without panicking. They never allocate memory for a
//! declared count that exceeds what the available bytes can contain.
//!
//! - `file` covers the parts of an archive and its index: header pages, block headers, commits, dictionaries, sources.
//! - `columns` covers the blocks of a chunk of games: move records, and tags, texts and layout as columns.
//! - `coder` compresses numbers: a range coder, adaptive models, predicted columns.
//! - `lines` stores moves in texts, such as principal variations.
//! - `inspect` describes every part of a file.
//! - `side` covers the side files that searches use: signatures, position index, tag columns.
//!
//! All of these use `identity` (archive, version, checksums), `wire` (numbers, strings, compressed parts), and `limits`
//! and `budget` (protection against untrusted bytes).

// This module reads untrusted bytes, so its code must not panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub(crate) mod budget;
mod coder;
mod columns;
mod file;
mod identity;
pub mod inspect;
pub mod limits;
pub(crate) mod lines;
pub(crate) mod refused;
pub mod side;
pub mod wire;

#[cfg(test)]
mod vectors;

pub use columns::{layout, moves, record, tags, texts};
pub use file::{block, commit, deletions, dictionary, header, index, loose, metadata, parity, source, state};
#[doc(hidden)]
pub use identity::crc_from;
pub use identity::{ArchiveId, VERSION};
pub use limits::{Limits, MOST};
pub use side::{facts, places, tag_columns};
pub use state::{Chain, State};

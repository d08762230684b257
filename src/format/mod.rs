//! Every byte on disk. Only this room knows offsets and magic numbers. Each file covers one structure, and FORMAT.md
//! describes the same structures.
//!
//! Input: the values of blocks and side files; output: their bytes; and the reverse. The room does no I/O and depends
//! only on `chess` and `game`. Decoders accept any bytes without panicking. They never allocate from a declared count
//! that the available bytes do not support.
//!
//! - `file`: the parts of an archive and its index: header pages, block headers, commits, dictionaries, sources.
//! - `columns`: the blocks of a chunk of games: move records, and tags, texts and layout as columns.
//! - `coder`: compression of numbers: a range coder, adaptive models, predicted columns.
//! - `lines`: moves in texts, such as principal variations.
//! - `inspect`: descriptions of every part.
//! - `side`: the files beside an archive that searches use: signatures, position index, tag columns.
//!
//! Shared: `identity` (archive, version, checksums), `wire` (numbers, strings, compressed parts), `limits` and `budget`
//! (protection against untrusted bytes).

// This room reads untrusted bytes, so no code here may panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub(crate) mod budget;
mod coder;
mod columns;
mod file;
mod identity;
pub mod inspect;
pub mod limits;
pub(crate) mod lines;
pub mod side;
pub(crate) mod wire;

#[cfg(test)]
mod vectors;

pub use columns::{layout, moves, record, tags, texts};
pub use file::{block, commit, deletions, dictionary, header, index, loose, metadata, source, state};
pub(crate) use identity::crc_from;
pub use identity::{ArchiveId, VERSION};
pub use limits::{Limits, MOST};
pub use side::{facts, places, tag_columns};
pub use state::{Chain, State};

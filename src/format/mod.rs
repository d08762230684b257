//! Every byte on disk: the only room that knows an offset or a magic number. One structure a file; FORMAT.md describes
//! the same.
//!
//! In flow the values of blocks and side files, out flow their bytes, and the other way round. Nothing here does I/O,
//! and nothing but `chess` and `game` is known. Decoders take any bytes without panicking and never allocate from a
//! declared count that the bytes at hand do not support.
//!
//! - `file`: what an archive and its index are made of: header pages, block headers, commits, dictionaries, sources.
//! - `columns`: what the blocks of a chunk of games hold: records of moves, and tags, texts and layout as columns.
//! - `coder`: numbers as few bits: a range coder, adaptive models, columns that others predict.
//! - `lines`: moves in texts, such as principal variations.
//! - `inspect`: all of it told part by part.
//! - `side`: the files beside an archive that searches need: signatures, position index, tag columns.
//!
//! Below all of them: `identity` (archive, version, checksums), `wire` (numbers, strings, compressed parts), `limits`
//! and `budget` (what may be made of untrusted bytes).

// Untrusted bytes are read here: nothing may panic on them.
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

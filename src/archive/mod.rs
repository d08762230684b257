//! Archives in files: written, mapped, read, verified.

// This room reads foreign bytes: nothing in it may panic on them.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod copy;
mod delete;
mod dictionary;
mod digest;
mod file_kind;
mod find_blocks;
mod game;
mod interner;
mod many;
pub mod map;
mod new_file;
mod opening;
mod options;
mod original;
pub mod read_at;
mod reader;
mod rebuild;
mod reopen;
pub mod repair;
mod scan;
mod set;
mod side;
pub mod storage;
pub mod temporary;
mod transcode;
mod verify;
mod walk;
pub mod writer;

pub use crate::format::Limits;
pub use delete::{Deleted, delete, undelete};
pub use digest::Digest;
pub use file_kind::FileKind;
pub use game::{Chunk, Game, TagValue};
pub use many::ArchiveSet;
pub use opening::{Cut, Incomplete};
pub use options::OpenOptions;
pub use read_at::Access;
pub use reader::Archive;
pub use scan::{BlockRef, Scan};
pub use set::GameSet;
pub use side::SideState;
pub(crate) use transcode::push_record;
pub use transcode::{MODEL, TranscodeOptions, Transcoded, transcode};
pub use verify::{Level, Report, Spot};

use std::path::{Path, PathBuf};

/// Returns where the index of an archive is kept: beside it, with the extension `bgi`.
pub fn index_path(archive: &Path) -> PathBuf {
    FileKind::Index.beside(archive)
}

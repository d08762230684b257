//! Writes, maps, reads and maintains archive files.
//!
//! `read` opens archives and finds games in them. `write` creates and extends archives atomically. `copy` creates
//! archives from other archives, block by block or game by game. `maintain` verifies and repairs archives, and deletes
//! games. The other files define sets of games, kinds of files, and folders. The input is untrusted bytes on disk or in
//! memory. The output is games ([`GameRef`]), or damage with its location.

// This module reads untrusted bytes, so its code must not panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod existing;
mod file_kind;
mod folder;
mod game_set;

mod read;
mod write;

pub mod copy;
mod maintain;

pub use crate::format::commit::{Commit, Unfinished};
pub use crate::format::moves::{Coding, ModelName};
pub use crate::format::source::SourceRecord;
pub use crate::format::{ArchiveId, Chain, Limits, State};
pub use copy::transcode::{TranscodeOptions, Transcoded};
pub use existing::Existing;
#[doc(hidden)]
pub use file_kind::ignore_side_files_beside;
pub use file_kind::{FileKind, set_index_folder};
pub use folder::{archives_of, files_in};
pub use game_set::GameSet;
pub use maintain::delete::Deleted;
pub(crate) use maintain::describe::checked_metadata;
pub use maintain::repair;
pub use maintain::verify::{Level, Report, Spot};
pub use read::archive::Archive;
#[doc(hidden)]
pub use read::blocks::{BlockRef, Scan};
pub use read::cached::Cached;
pub use read::chunk::{Chunk, TagValue};
pub use read::digest::Digest;
pub use read::game_ref::GameRef;
pub use read::head::MODEL;
pub use read::moves::Moves;
pub use read::opening::{Cut, Incomplete};
pub use read::options::{ArchiveFile, OpenOptions};
pub use read::read_at::{Access, ReadExactAt};
pub use read::side::SideState;
#[doc(hidden)]
pub use read::{map, read_at, side_bytes};
#[doc(hidden)]
pub use write::new_file::sync_folder;
pub(crate) use write::record::push_record;
pub use write::temporary::Permissions;
// The parts that write archives, for this project's programs and tests. They are not covered by semantic versioning.
#[doc(hidden)]
pub use write::{storage, temporary, writer};

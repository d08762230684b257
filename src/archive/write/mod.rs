//! Writes archives: appends blocks, makes commits durable, and renames files when they are complete.

pub mod storage;
pub mod temporary;

pub(super) mod interner;
pub(super) mod new_file;
pub(super) mod record;
pub(super) mod reopen;
pub mod writer;

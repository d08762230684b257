//! Archives in the making: blocks appended, commits made durable, files that appear under their name when they are
//! complete.

pub mod storage;
pub mod temporary;

pub(super) mod interner;
pub(super) mod new_file;
pub(super) mod reopen;
pub mod writer;

//! Archives through the library: written, opened, changed, copied, and the source's bytes back.

/// Shared by all test programs.
#[path = "../common/mod.rs"]
mod common;

/// Mapped, in memory, read piece by piece.
mod access;
/// Games changed under their numbers; the source stays.
mod edited;
/// What no program of today knows: blocks to be passed over, blocks and features that must be known.
mod extensions;
/// Archives of released versions, and the bytes that this version writes.
mod golden;
/// Each limit of a reader, met and missed by one.
mod limits;
/// Games deleted, and copied into new archives.
mod manage;
/// A plain list of games beside an archive, after any sequence of changes.
mod model;
/// Long work watched and stopped.
mod monitor;
/// Which commit counts: every combination of header pages and length.
mod opening;
/// Sources byte for byte, exports with the same content.
mod roundtrip;
/// Side files kept up to date.
mod upkeep;
/// Determinism, appending, indexes, threads.
mod written;

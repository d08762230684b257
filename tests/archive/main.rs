//! Archives through the library: writing, opening, changing, copying, and restoring the bytes of sources.

/// Shared by all test programs.
#[path = "../common/mod.rs"]
mod common;

/// Mapped, in memory, positioned reads.
mod access;
/// Games changed under their numbers; the source stays.
mod edited;
/// Extensions unknown to this version: skippable blocks, required blocks and features.
mod extensions;
/// Games that come from a program, as events.
mod game_source;
/// Archives of released versions, and the bytes that this version writes.
mod golden;
/// Files of real games and the test files of other projects.
mod hard;
/// Imports of inputs with sizes beyond any honest file.
mod hostile;
/// Each limit of a reader, at the need and one below.
mod limits;
/// Games deleted, and copied to new archives.
mod manage;
/// A list of games in memory compared with an archive, after any sequence of changes.
mod model;
/// Long work monitored and stopped.
mod monitor;
/// The valid commit, for every combination of header pages and length.
mod opening;
/// Sources byte for byte, exports with the same content.
mod roundtrip;
/// Side files kept up to date.
mod upkeep;
/// Games of variants.
mod variants;
/// Determinism, appending, indexes, threads.
mod written;

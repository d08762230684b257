//! Which games: archives that are searched as one, what is asked of their games, and what is found.
//!
//! `archive_set` holds open archives with their side files (`side_files`) and numbers their games; `upkeep` brings side
//! files up to date; `ranges` are numbers as people write them. `query` is a question, which can be built, or read from JSON (`json`); `hits` answers it, archive after archive
//! and batch after batch. `summary` is what lists say of a game.

mod archive_set;
mod hits;
mod json;
mod query;
mod ranges;
mod side_files;
mod summary;
mod upkeep;

pub use archive_set::{ArchiveSet, IndexedArchive, Member};
pub use hits::{FoundGame, Hits};
pub use json::line;
pub use query::{Board, InArchive, Plan, Query};
pub use ranges::GameRanges;
pub use side_files::{SideFiles, check_side_files};
pub use summary::GameSummary;
pub use upkeep::{Before, KINDS, SORT_MEMORY, Updated, build, update, update_beside};

//! Selects games: sets of archives, queries, and the results of queries.
//!
//! `archive_set` contains open archives with their side files (`side_files`), and numbers their games. `upkeep` updates
//! side files, and `versions` notices their changes. `ranges` parses game numbers, and `rules` names variants. `query`
//! defines a query, which is built in a program or parsed from JSON (`json`). `hits` runs a query, archive by archive and
//! batch by batch. `summary` contains the data that a list shows for a game.

mod archive_set;
mod hits;
mod json;
mod query;
mod ranges;
mod rules;
mod side_files;
mod summary;
mod upkeep;
mod versions;

pub use archive_set::{ArchiveSet, IndexedArchive, Member};
pub use hits::{FoundGame, Hits};
pub use json::{line, line_of};
pub use query::{Board, InArchive, Plan, Query};
pub use ranges::GameRanges;
pub use rules::Rules;
pub use side_files::{SideFiles, check_side_files};
pub use summary::GameSummary;
pub use upkeep::{Before, KINDS, SORT_MEMORY, Updated, build, update, update_beside, write_measures};
#[doc(hidden)]
pub use versions::FileVersions;

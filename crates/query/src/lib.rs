//! Runs queries on archives: finds games by tags, positions and patterns, and reports on them.
//!
//! `tag_columns` stores tags as columns of numbers, and `filter` is the language for conditions on tags. `position`
//! finds games that reach a position: signatures exclude most games without reading them, and an index answers
//! immediately. `pattern` finds games by material, pieces and moves. `measure` computes values from clocks and
//! evaluations. `report` computes opening trees and books, statistics, duplicates and opening names. `nearest` corrects
//! misspelled names, and `value` parses numbers, dates and results. `segments` defines the segments of which side files
//! consist. This package reads archives and side files, and writes only side files.
//!
//! Programs and doors (command, server, Python, SQL) may depend on this package; the engine does not. Its interface is the
//! public items below; hidden items serve this project's programs and tests, and may change in any version.

mod aliases;
mod fault;
mod fold;
mod nearest;

#[doc(hidden)]
pub mod value;

pub mod openings;

mod segments;
mod unread;

pub mod tag_columns;

pub mod filter;

pub mod measure;

pub mod position;

pub mod pattern;

pub mod report;

pub mod games;

pub use aliases::Aliases;
pub use fault::{QueryFault, Reason};
#[doc(hidden)]
pub use filter::eval::marked_outcome;
pub use filter::game_field::{FieldValue, GameField};
pub use filter::sort::SortKeys;
pub use filter::{Filter, Passed};
pub use fold::fold;
pub use games::{
    ArchiveSet, Board, FoundGame, GameRanges, GameSummary, Hits, IndexedArchive, Member, Query, Rules, SideFiles,
    check_side_files, line, line_of,
};
pub use nearest::nearest;
pub use pattern::Pattern;
pub use position::index::PositionIndex;
pub use position::main_line::MainLine;
pub use position::position_query::{Compare, PositionQuery};
pub use position::search::{Cost, Hit, Search, SearchOptions, SearchResult, Step};
pub use position::signature::Signatures;
pub use report::tree::{Branch, Score, Tally, Tree, Visit};
#[doc(no_inline)]
pub use scoresheet::archive::SideState;
pub use tag_columns::TagColumns;

/// The pages for Rust that use searches.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/rust/search.md")]
    struct Search;
    #[doc = include_str!("../../../docs/rust/positions.md")]
    struct Positions;
}

/// The examples in README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

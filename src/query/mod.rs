//! Questions to an archive: which games have these players, dates and results, which reach a position, and what was
//! played there.
//!
//! `tag_columns` are tags as columns of numbers, and `filter` the language that asks them. `position` finds the games
//! that reach a position: signatures reject most of them unread, and an index answers at once. `pattern` finds games by
//! material, pieces and moves. `measure` works out what clocks and evaluations say. `report` counts and lists:
//! opening trees and books, statistics, duplicates, opening names. `nearest` is for misspelled names, `value` reads
//! numbers, dates and results. `segments` are what side files are made of. All of it reads archives and side files and writes nothing but side files.

mod fault;
mod fold;
mod nearest;

#[doc(hidden)]
pub mod value;

pub mod openings;

mod segments;

pub mod tag_columns;

pub mod filter;

pub mod measure;

pub mod position;

pub mod pattern;

pub mod report;

pub mod games;

pub use crate::archive::SideState;
pub use fault::QueryFault;
pub use filter::game_field::{FieldValue, GameField};
pub use filter::sort::SortKeys;
pub use filter::{Filter, Passed};
pub use fold::fold;
pub use games::{
    ArchiveSet, Board, FoundGame, GameRanges, GameSummary, Hits, IndexedArchive, Member, Query, SideFiles,
    check_side_files, line,
};
pub use nearest::nearest;
pub use pattern::Pattern;
pub use position::index::PositionIndex;
pub use position::main_line::MainLine;
pub use position::position_query::{Compare, PositionQuery};
pub use position::search::{Cost, Hit, Search, SearchOptions, SearchResult, Step};
pub use position::signature::Signatures;
pub use report::tree::{Branch, Score, Tally, Tree, Visit};
pub use tag_columns::TagColumns;

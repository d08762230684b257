//! Questions to an archive: which games have these players, dates and results, which reach a position, and what was played there.
//!
//! `filter` is the language of header filters, `headers` the columns that answer it. `sought` is a position to be found, and `search` finds
//! the games that reach it; `signature` rejects most of them unread, and `positions` is an index to look in. `tree` counts what was played
//! in a position. `duplicates` are games that are there twice, `stats` counts, `openings` names.

pub mod book;
pub mod duplicates;
mod facts;
mod fault;
pub mod filter;
pub mod headers;
mod index_search;
pub mod json;
mod main_line;
pub mod openings;
pub mod pattern;
mod place;
pub mod position_query;
pub mod positions;
pub mod search;
mod side_files;
pub mod signature;
pub mod sort;
pub mod stats;
pub mod tree;

pub use crate::archive::SideState;
pub use fault::QueryFault;
pub use filter::Filter;
pub use headers::Headers;
pub use pattern::Pattern;
pub use position_query::{Compare, PositionQuery};
pub use positions::PositionIndex;
pub use search::{Hit, Search, SearchOptions, SearchResult, Step};
pub use side_files::check_side_files;
pub use signature::Signatures;
pub use sort::SortKeys;
pub use tree::{Branch, Tally, Tree};

//! Searches for positions by replay, with signatures that reject most games unread, or with an index.
//!
//! `position_query` is a position prepared for comparison. `signature` and `index` are side files; `build` makes the
//! index. `main_line` walks one game. `search` combines them, and `index_search` searches with an index.

pub mod position_query;

pub mod signature;

pub(crate) mod main_line;

pub(in crate::query) mod build;
pub(in crate::query) mod facts;
pub mod index;
pub(in crate::query) mod places;

pub mod search;

mod index_search;

pub mod novelty;

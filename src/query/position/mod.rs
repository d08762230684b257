//! Which games reach a position: by replay, with signatures that reject most games unread, or out of an index.
//!
//! `position_query` is a position made ready to be compared; `signature` and `index` are side files, `build` makes the
//! second; `main_line` walks one game; `search` puts them together, `index_search` is its way through an index.

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

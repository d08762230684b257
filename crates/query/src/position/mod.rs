//! Searches for positions by replaying games. Signatures that reject most games unread, or an index, speed up the
//! search.
//!
//! The module `position_query` prepares a position for comparison. The modules `signature` and `index` read side files,
//! and `build` writes the index. The module `main_line` searches a single game. The module `search` combines them, and
//! `index_search` searches with an index. The module `repertoire` finds where games leave a set of moves.

pub mod position_query;

pub mod signature;

pub(crate) mod main_line;

pub(crate) mod build;
pub(crate) mod facts;
pub mod index;
pub(crate) mod places;

pub(crate) mod repertoire;

pub mod search;

mod index_search;

pub(crate) mod novelties;
pub mod novelty;

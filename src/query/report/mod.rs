//! Reports on many games: what was played in a position, opening books, statistics, duplicates, the names of openings.

pub mod book;
pub mod duplicates;
pub mod openings;
pub mod spellings;
pub mod stats;
pub mod tree;

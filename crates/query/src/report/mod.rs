//! Reports on many games: opening trees, opening books, statistics, groups, players, tournaments, random samples,
//! duplicates, repertoires and the preparation for a player.

pub mod book;
pub mod duplicates;
pub mod editions;
pub mod frequent;
pub mod groups;
pub mod overview;
pub mod player;
pub mod points;
pub mod positions;
pub mod preparation;
pub mod repertoire;
pub mod sample;
pub mod spellings;
pub mod squares;
pub mod standings;
pub mod stats;
mod tally;
pub mod tree;

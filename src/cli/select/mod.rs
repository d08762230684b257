//! What commands work on: archives, games, positions, patterns and files, as the command line names them.

pub mod archives;
pub mod filter;
pub mod inputs;
pub mod parallel;
pub mod pattern;
pub mod position;
pub mod ranges;
pub mod side_files;
pub mod units;

//! What commands work on: archives, games, positions, patterns and files, as the command line names them.

pub mod games;
pub mod inputs;
pub mod pattern;
pub mod position;
pub mod side_files;

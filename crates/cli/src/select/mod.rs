//! What commands work on: archives, games, positions, patterns and files, as the command line names them.
//!
//! `inputs` expands paths and `archives` opens them; `filter` (--where, --games) chooses games, which
//! `units` cuts into work by chunk and `parallel` does in parallel; `listing` prints them; `position` and `pattern` are
//! what to search for, `shape` is what of a game is written, and `side_files` runs a search with the files beside an
//! archive. Knows nothing of subcommands and writes nothing but messages.

pub mod archives;
pub mod fields;
pub mod filter;
pub mod grouped;
pub mod inputs;
pub mod listing;
pub mod parallel;
pub mod pattern;
pub mod players;
pub mod position;
pub mod shape;
pub mod side_files;
pub mod units;

//! Interprets arguments of commands: archives, games, positions, patterns and files.
//!
//! `inputs` expands paths, and `archives` opens them. `filter` (--where, --games) selects games, `units` divides the
//! work on them by chunk, and `parallel` runs this work. `listing` prints games. `position` and `pattern` are search
//! conditions, `repertoire` reads a repertoire, `shape` selects the parts of a game to write, and `side_files` reports side files. This room does not
//! depend on subcommands, and writes only messages.

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
pub mod repertoire;
pub mod shape;
pub mod side_files;
pub mod units;

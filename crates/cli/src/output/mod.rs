//! What commands write: files, and the forms that games, positions and sizes take in them and on standard output.
//!
//! A file goes from a path of the command line through the library's `Outputs`, which decide whether it may be written,
//! to `new_file` or `new_archive`, which write it, or `changed`, which changes its games; `upkeep` has the files beside an
//! archive follow. Games are shown by
//! `game_table` and `formats`, positions by `board` and `flavour`, sizes by `archive_sizes` and `move_sizes`; `json`,
//! `html`, `table`, `done` and `lines` hold what several commands need of each. Knows nothing of subcommands and
//! of how games are selected.

pub mod about;
pub mod archive_sizes;
pub mod board;
pub mod changed;
pub mod done;
pub mod flavour;
pub mod formats;
pub mod game_table;
pub mod group_table;
pub mod html;
pub mod json;
pub mod lines;
pub mod measures;
pub mod move_sizes;
pub mod new_archive;
pub mod new_file;
pub mod progress;
pub mod table;
pub mod upkeep;

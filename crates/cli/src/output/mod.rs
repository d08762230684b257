//! The output of commands: files, and the formats of games, positions and sizes.
//!
//! The library's `Outputs` decides whether a file may be written. `new_file` or `new_archive` then writes it, or
//! `changed` changes the games in it; `upkeep` updates the side files of an archive. `game_table` and `formats` show
//! games, `board` and `flavor` show positions, `archive_sizes` and `move_sizes` show sizes. `json`, `html`, `table`,
//! `diagram` and `sheet` make pages without scripts. `rows`, `done`, `quiet`, `file_names` and `lines` contain code for several commands. This room depends neither on
//! subcommands nor on the selection of games.

pub mod about;
pub mod archive_sizes;
pub mod board;
pub mod changed;
pub mod damage;
pub mod diagram;
pub mod done;
pub mod file_names;
pub mod flavor;
pub mod group_table;
pub mod html;
pub mod lines;
pub mod measures;
pub mod move_sizes;
pub mod new_archive;
pub mod new_file;
pub mod progress;
pub mod quiet;
pub mod rows;
pub mod sheet;
pub mod table;
pub mod upkeep;

pub use scoresheet_output::{formats, game_table, json};

//! What commands write: standard output, files, and the forms that games and positions take there.

pub mod archive_sizes;
pub mod board;
pub mod content;
pub mod flavour;
pub mod formats;
pub mod game_line;
pub mod heading;
pub mod html;
pub mod json;
pub mod lines;
pub mod move_sizes;
pub mod new_archive;
pub mod new_file;
pub mod progress;
pub mod target;

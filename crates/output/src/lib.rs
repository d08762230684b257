//! Creates the output files of programs that use archives: restricts their targets, and writes them atomically.
//!
//! [`Outputs`] records the files that a program reads, by device and inode, and returns a [`Target`] for each permitted
//! output. It rejects an input, a side file of an input, an existing file of another kind, and a name that stands for
//! other content. [`NewFile`] writes the target under a temporary name, syncs it, and renames it. A file that replaces
//! another file keeps its permissions. A new file is readable only by users who may read the inputs.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let archive = folder.path().join("games.bga");
//! # scoresheet::Import::new(&archive).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
//! use scoresheet::Existing;
//! use scoresheet_output::{Content, NewFile, Outputs};
//! use std::io::Write;
//!
//! let mut outputs = Outputs::from_inputs([&archive]);
//! assert!(outputs.file(&archive, Content::Parquet, Existing::Replace).is_err());
//! let target = outputs.file(&folder.path().join("games.csv"), Content::Text, Existing::Refuse)?;
//! let mut file = NewFile::create(&target)?;
//! file.write_all(b"white,black\n")?;
//! assert_eq!(file.finish()?, 12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`formats`] writes games in formats other than PGN, [`game_table`] rows of columns, [`json`] objects, and [`games`]
//! reads the games to write.
//!
//! An output passes through these modules: `target`, which decides by `content` and `compression` -> `compressed` ->
//! `new_file`. This package depends on archives and PGN sources, but not on commands.

mod compressed;
pub mod compression;
mod content;
pub mod formats;
pub mod game_table;
pub mod games;
pub mod json;
mod new_file;
mod refused;
mod target;
mod text;

pub use compressed::Compressed;
pub use content::Content;
pub use new_file::NewFile;
pub use refused::Refused;
pub use target::{Outputs, Target, take_repeats};
pub use text::{is_control, plain, printable, shown};

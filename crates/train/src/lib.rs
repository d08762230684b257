//! Reads and writes the training data of chess engines: viriformat, binpack, plain, bin (40-byte records), marlinformat,
//! bulletformat, and bullet's text.
//!
//! A [`TrainingFile`] is a source of an import. Its games begin at set-up positions, and the score of each position is
//! a comment `[%eval 0.12]` at this position, in hundredths of the engine's own unit, from White's point of view. The
//! tag `TrainingData` contains what the moves and scores of a game do not express, such as padding bytes, so
//! [`write_original`] restores the imported bytes. [`Exporter`] writes games of any archive in these formats.
//!
//! ```no_run
//! use scoresheet::import::ImportSource;
//! use scoresheet::{Archive, Import};
//! use scoresheet_train::{Exporter, Filter, TrainingFile, TrainingFormat};
//! use std::path::Path;
//!
//! let file = TrainingFile::open(Path::new("games.viriformat"), TrainingFormat::Viriformat)?;
//! Import::new("games.bga").run([ImportSource::games("games.viriformat", file)])?;
//! let mut exporter = Exporter::new(TrainingFormat::Binpack, Filter::default(), None, std::io::stdout());
//! for game in Archive::open("games.bga")?.games() {
//!     exporter.push(&game?)?;
//! }
//! println!("{:?}", exporter.finish()?);
//! # Ok::<(), scoresheet::Error>(())
//! ```
//!
//! Sources of the layouts: the README of viriformat, the documentation of bullet (`docs/3-data.md`), and Stockfish's
//! `docs/binpack.md`. docs/training.md describes how the formats are mapped to games.
//!
//! `source` reads a file that `recognize` has opened, and cuts it into games with `read`, which calls the reader of each
//! format: `viri`, `records`, `text` and `binpack`. `write` encodes games, and `export` filters, shuffles and writes
//! them. All of these files use `game` and `board`.

mod binpack;
mod bits;
mod board;
mod export;
mod extra;
mod format;
mod game;
mod read;
mod recognize;
mod records;
mod source;
mod text;
mod viri;
mod write;

pub use export::{Exported, Exporter, Filter, Original, Units, original, write_original};
pub use format::TrainingFormat;
pub use game::{Entry, ScoredGame};
pub use source::{Losses, TrainingFile};

//! Scoresheet: a compact chess game archive.
//!
//! ```text
//! PGN text -> Game -> Brenner bytes -> block -> archive file -> mapped Archive -> Brenner bytes -> Position -> FEN / PGN
//! ```
//!
//! A PGN database is imported into an archive (`.bga`): every game a header followed by its moves, one byte a half-move, with the tags
//! and comments in compressed columns beside them. An index (`.bgi`) finds game N; ply K of it is replayed on demand. FORMAT.md
//! describes every byte. Games are numbered from 1; ply 0 is the starting position.
//!
//! Import a file, open the archive, look at a game:
//!
//! ```
//! use scoresheet::{Archive, ImportOptions, import};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (source, target) = (folder.path().join("games.pgn"), folder.path().join("games.bga"));
//! std::fs::write(&source, "[White \"Anderssen\"]\n[Black \"Kieseritzky\"]\n\n1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 1-0\n")?;
//!
//! let summary = import(&[source], &target, &ImportOptions::default(), &Default::default(), &Default::default(), |fault| {
//!     eprintln!("line {}: {}", fault.line, fault.fault);
//! })?;
//! assert_eq!((summary.stored, summary.rejected), (1, 0));
//!
//! let archive = Archive::open(&target)?;
//! let game = archive.game(1)?;
//! assert_eq!(game.tag("White")?.as_deref(), Some("Anderssen"));
//! assert_eq!(game.plies(), 8);
//! # Ok(())
//! # }
//! ```
//!
//! The position after ply K of game N:
//!
//! ```
//! # use scoresheet::{Archive, ImportOptions, import};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (source, target) = (folder.path().join("games.pgn"), folder.path().join("games.bga"));
//! # std::fs::write(&source, "1. e4 c5 2. Nf3 *\n")?;
//! # import(&[source], &target, &ImportOptions::default(), &Default::default(), &Default::default(), |_| {})?;
//! let archive = Archive::open(&target)?;
//! let position = archive.position(1, 2)?;
//! assert_eq!(position.fen(), "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2");
//! assert_eq!(position.san(position.parse_san(b"g1f3")?), "Nf3");
//! # Ok(())
//! # }
//! ```
//!
//! All games in parallel, on rayon's threads:
//!
//! ```
//! use rayon::prelude::*;
//! # use scoresheet::{Archive, ImportOptions, import};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (source, target) = (folder.path().join("games.pgn"), folder.path().join("games.bga"));
//! # std::fs::write(&source, "1. e4 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n")?;
//! # import(&[source], &target, &ImportOptions::default(), &Default::default(), &Default::default(), |_| {})?;
//! let archive = Archive::open(&target)?;
//! let mates = archive
//!     .par_games()
//!     .map(|game| {
//!         let game = game?;
//!         Ok(game.position(game.plies())?.is_checkmate())
//!     })
//!     .collect::<Result<Vec<bool>, scoresheet::Error>>()?;
//! assert_eq!(mates, [false, true]);
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]
#![deny(unsafe_code, clippy::undocumented_unsafe_blocks)]

pub mod archive;
pub mod brenner;
pub mod chess;
pub mod error;
pub mod format;
pub mod game;
pub mod import;
mod monitor;
pub mod packed;
pub mod pcn;
pub mod pgn;
pub mod query;

pub use archive::{Archive, OpenOptions};
pub use chess::Position;
pub use error::{Damage, Error, Result};
pub use game::{Game, Visitor};
pub use import::{ImportOptions, import};
pub use monitor::Monitor;

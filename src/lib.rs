//! Scoresheet: a compact chess game archive.
//!
//! ```text
//! PGN text -> Game -> Brenner bytes -> block -> archive file -> mapped Archive -> Brenner bytes -> Position -> FEN / PGN
//! ```
//!
//! A PGN database is imported into an archive (`.bga`). A game is a header followed by its moves, one byte per
//! half-move. Compressed columns contain the tags and comments. An index (`.bgi`) locates each game, and any ply of a
//! game can be replayed on demand. FORMAT.md describes every byte. Games are numbered from 1, and ply 0 is the starting
//! position.
//!
//! The two main types are [`Import`], which creates an archive from PGN, and [`Archive`], which reads its games.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let (source, target) = (folder.path().join("games.pgn"), folder.path().join("games.bga"));
//! # std::fs::write(&source, "[White \"Anderssen\"]\n\n1. e4 {[%clk 0:03:00]} e5 2. f4 exf4 3. Bc4 Qh4+ 1-0\n")?;
//! use scoresheet::{Archive, Import};
//!
//! let summary = Import::new(&target).on_fault(|fault| eprintln!("line {}: {}", fault.line, fault.fault)).run([source])?;
//! assert_eq!((summary.stored, summary.rejected), (1, 0));
//!
//! let archive = Archive::open(&target)?;
//! assert_eq!(archive.position(1, 2)?.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2");
//!
//! let game = archive.game(1)?;
//! assert_eq!(game.tag("White")?.as_deref(), Some("Anderssen"));
//! let sans: Vec<String> = game.moves().map(|played| Ok(played?.san())).collect::<scoresheet::Result<_>>()?;
//! assert_eq!(sans, ["e4", "e5", "f4", "exf4", "Bc4", "Qh4+"]);
//! assert_eq!(game.clocks()?[0].map(|clock| clock.as_secs()), Some(180));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The following example processes all games in parallel, on rayon's threads:
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let target = folder.path().join("games.bga");
//! # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n"[..])?;
//! use rayon::prelude::*;
//! use scoresheet::Archive;
//!
//! let archive = Archive::open(&target)?;
//! let mates = archive
//!     .par_games()
//!     .map(|game| {
//!         let game = game?;
//!         Ok(game.position(game.plies())?.is_checkmate())
//!     })
//!     .collect::<scoresheet::Result<Vec<bool>>>()?;
//! assert_eq!(mates, [false, true]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - Search: the package `scoresheet-query` finds games by tags, position or pattern, and makes opening trees, books and
//!   statistics of one or more archives.
//! - Write: [`Import`] imports PGN files on all cores, and [`ArchiveWriter`] adds games from a program ([`Game`]).
//! - Chess: [`chess`] contains positions, moves, FEN, SAN and UCI; [`pgn`] and [`pcn`] read and write PGN and PCN without
//!   an archive. These modules are packages. [`brenner`] contains the code of the moves.
//! - Maintain: [`Archive::verify`], [`Archive::repair`], [`Archive::delete`], [`Archive::edit`],
//!   [`Archive::transcode`], [`archive::copy`].
//!
//! Operations that use rayon run on its current pool. If an import, search or verification starts within a parallel
//! iterator, it waits for the threads of its own pool. While these threads wait, they take up other tasks, nested on
//! the same stack. With thousands of such tasks, the stack can overflow. Therefore start such operations outside the
//! iterator, or on a separate pool.
//!
//! Features: `mmap` (default) maps archives into memory, and `zip` (default) reads PGN in zip files. With
//! `default-features = false`, the library builds for wasm32-unknown-unknown.
#![warn(missing_docs)]
#![deny(unsafe_code, clippy::undocumented_unsafe_blocks)]

pub mod error;
mod monitor;
#[doc(hidden)]
pub mod parallel;
#[doc(hidden)]
pub mod sort;
#[doc(hidden)]
pub mod turned;

pub mod brenner;
#[doc(hidden)]
pub mod format;

#[doc(hidden)]
pub mod packed;

pub mod archive;

pub mod import;

#[doc(no_inline)]
pub use scoresheet_chess as chess;
#[doc(no_inline)]
pub use scoresheet_pcn as pcn;
#[doc(no_inline)]
pub use scoresheet_pgn as pgn;
#[doc(no_inline)]
pub use scoresheet_pgn::game;

pub use archive::{Archive, ArchiveFile, Existing, GameRef, GameSet, OpenOptions};
#[doc(no_inline)]
pub use chess::{Move, Position};
pub use error::{Damage, Error, Result};
#[doc(no_inline)]
pub use game::{Game, Visitor};
#[doc(hidden)]
pub use import::ImportOptions;
pub use import::{ArchiveWriter, Import};
pub use monitor::Monitor;

/// The examples in README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The pages for Rust.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../docs/rust/quick-start.md")]
    struct QuickStart;
    #[doc = include_str!("../docs/rust/write.md")]
    struct Write;
    #[doc = include_str!("../docs/rust/care.md")]
    struct Care;
}

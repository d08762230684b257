//! Reads the databases of ChessBase (`.cbh`, and `.cbv` and `.cbz` archives of them) as a source of an import.
//!
//! A [`Base`] passes on the games in the order of the base's index, with tags, moves, variations, comments and glyphs.
//! Deleted games are stored as deleted. The crate [cbvault](https://docs.rs/cbvault) reads the files; the import plays
//! each move again, so an error in its tables is a fault of a game, never a wrong game.
//!
//! ```no_run
//! use scoresheet::Import;
//! use scoresheet::import::ImportSource;
//! use scoresheet_chessbase::Base;
//!
//! let base = Base::open("games.cbh")?;
//! println!("{} games, {} texts that are not read", base.len(), base.texts());
//! let summary = Import::new("games.bga").run([ImportSource::games("games.cbh", base)])?;
//! println!("{} stored", summary.stored);
//! # Ok::<(), scoresheet::Error>(())
//! ```
//!
//! Only the command uses this package. `base` reads a database, and `container` unpacks an archive of one.

mod base;
mod container;

pub use base::Base;

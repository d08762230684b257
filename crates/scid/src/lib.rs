//! Reads the databases of Scid 3 to 5 (`.si3`, `.si4`, `.si5`) as a source of an import.
//!
//! A [`Base`] passes on the games in the order of the base's index, with tags, moves, variations, comments, glyphs and
//! flags (the tag `ScidFlags`). Deleted games are stored as deleted, so games keep their numbers. Nothing in a base is
//! protected by checksums, so the reader trusts no value: each move is played by the rules, and what cannot be read is a
//! fault of its game.
//!
//! ```no_run
//! use scoresheet::Import;
//! use scoresheet::import::ImportSource;
//! use scoresheet_scid::Base;
//!
//! let base = Base::open("games.si4")?;
//! println!("{} games", base.len());
//! let summary = Import::new("games.bga").run([ImportSource::games("games.si4", base)])?;
//! println!("{} stored", summary.stored);
//! # Ok::<(), scoresheet::Error>(())
//! ```
//!
//! Sources of the layouts: the documentation of si4 by asdfjkl (si4spec), the Scid wiki ("Database codec SCID5"), and
//! observation of bases that Scid 4.7.4 and 5.0.2 have written. An import calls `base`, which reads entries of the index
//! with `entry`, strings with `names`, and games with `record`, where `pieces` follows the numbers of the pieces.

mod base;
mod entry;
mod names;
mod pieces;
mod record;

pub use base::Base;

//! The rules of chess, without I/O: squares, pieces, positions, legal moves and Zobrist keys. `text` reads and writes
//! FEN, EPD, SAN and UCI.
//!
//! A [`Position`] consists mainly of data. Its operations are in `safety` (attacks, checks, pins), `movegen` and
//! `play`.
//!
//! The package depends on nothing, and every other package of the project may depend on it. Its interface is its
//! documented items; hidden items serve those packages, and may change in any version.

#[doc(hidden)]
pub mod attacks;
#[doc(hidden)]
pub mod attention;
mod coordinate;
mod moves;
#[doc(hidden)]
pub mod piece;
#[doc(hidden)]
pub mod position;
mod square;

#[doc(hidden)]
pub mod safety;

mod movegen;
mod play;
#[doc(hidden)]
pub mod variant;
pub mod zobrist;

mod text;

pub use coordinate::{File, ParseError, Rank};
pub use moves::{CastlingSide, IllegalMove, Move, MoveKind, Threat};
pub use piece::{Color, Piece, PieceId, Role};
pub use position::Position;
pub use square::Square;
pub use text::uci::UciError;
pub use text::{epd, fen, record, san};
pub use variant::Variant;

/// The examples in README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! The rules of chess, without I/O: squares, pieces, positions, legal moves and Zobrist keys. `text` reads and writes
//! FEN, EPD, SAN and UCI.
//!
//! A [`Position`] consists mainly of data. Its operations are in `safety` (attacks, checks, pins), `movegen` and
//! `play`.

pub(crate) mod attacks;
pub(crate) mod attention;
mod coordinate;
mod moves;
pub(crate) mod piece;
pub(crate) mod position;
mod square;

pub(crate) mod safety;

mod movegen;
mod play;
pub mod zobrist;

mod text;
#[doc(hidden)]
pub mod turned;

pub use coordinate::{File, ParseError, Rank};
pub use moves::{CastlingSide, IllegalMove, Move, MoveKind, Threat};
pub use piece::{Color, Piece, PieceId, Role};
pub use position::Position;
pub use square::Square;
pub use text::uci::UciError;
pub use text::{epd, fen, record, san};

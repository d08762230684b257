//! The rules of chess, no I/O: squares, pieces, positions, legal moves, FEN, SAN and the Zobrist key.

pub(crate) mod attacks;
pub mod epd;
pub mod fen;
mod movegen;
pub(crate) mod piece;
pub(crate) mod position;
pub mod record;
pub(crate) mod safety;
pub mod san;
mod square;
pub mod zobrist;

pub use piece::{Color, Piece, PieceId, Role};
pub use position::{CastlingSide, IllegalMove, Move, MoveKind, Position};
pub use square::Square;

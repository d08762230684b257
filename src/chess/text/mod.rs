//! Positions and moves as text: FEN, EPD, SAN, UCI, and lists of moves.

pub mod epd;
pub mod fen;
pub mod record;
pub mod san;
pub mod uci;

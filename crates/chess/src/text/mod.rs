//! Positions and moves as text: FEN, EPD, SAN and UCI.

pub mod epd;
pub mod fen;
pub mod record;
pub mod san;
pub mod uci;

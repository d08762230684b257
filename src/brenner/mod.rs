//! The Brenner code: one byte a half-move (FORMAT.md, "Brenner moves").
//!
//! After Norman Brenner, "Minimal encoding of moves in a chess game", 2002-2013. `encode` writes the one canonical stream of a game,
//! `decode` reads any valid stream and checks every move, `replay` runs along a stream that is known to be intact at about the speed
//! of memory, `alternate` transcodes to the document's second notation, `standalone` holds a whole game in one string,
//! `explain` tells what each byte of it says, `move_id` numbers moves in 11 bits, and `fixed` makes bytes of these numbers.

pub mod alternate;
pub mod decode;
pub mod encode;
pub mod explain;
pub mod fixed;
pub mod move_id;
pub mod replay;
pub mod standalone;

/// Text follows, up to the next zero byte; in an archive, the mark of a text that lies elsewhere.
pub const TEXT: u8 = 0x00;
/// Castling with the h-side rook.
pub const CASTLE_H: u8 = 0x04;
/// Castling with the a-side rook.
pub const CASTLE_A: u8 = 0x05;
/// `?` after a move.
pub const BAD: u8 = 0x06;
/// `!` after a move.
pub const GOOD: u8 = 0x07;
/// An explicit move: two bytes follow.
pub const EXPLICIT: u8 = 0xC0;
/// The null move.
pub const NULL: u8 = 0xC1;
/// A numeric annotation glyph: one byte follows.
pub const NAG: u8 = 0xC2;
/// A variation opens.
pub const OPEN: u8 = 0xC3;
/// A variation closes. (C5 begins the header of an archive's game record; C6 and C7 are unassigned.)
pub const CLOSE: u8 = 0xC4;

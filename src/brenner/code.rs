//! Defines the bytes of the code that are not plain moves (FORMAT.md, "Brenner moves").

/// The start of a text, which extends to the next zero byte. In an archive, this byte marks a text that is stored
/// outside the stream.
pub const TEXT: u8 = 0x00;
/// Castling with the h-side rook.
pub const CASTLE_H: u8 = 0x04;
/// Castling with the a-side rook.
pub const CASTLE_A: u8 = 0x05;
/// `?` after a move.
pub const BAD: u8 = 0x06;
/// `!` after a move.
pub const GOOD: u8 = 0x07;
/// The prefix of an explicit move, which two bytes follow.
pub const EXPLICIT: u8 = 0xC0;
/// The null move.
pub const NULL: u8 = 0xC1;
/// The prefix of a numeric annotation glyph, which one byte follows.
pub const NAG: u8 = 0xC2;
/// A variation opens.
pub const OPEN: u8 = 0xC3;
/// A variation closes. (C5 begins the header of an archive's game record.)
pub const CLOSE: u8 = 0xC4;
/// Returns the number of bytes in the element that begins with this byte. A prefix counts without its piece byte, and an
/// opened variation without its moves.
pub const fn element_length(byte: u8) -> usize {
    match byte {
        EXPLICIT => 3,
        NAG | DROP_PAWN | DROP_PIECE => 2,
        _ => 1,
    }
}

/// A drop of a pawn in Crazyhouse. The byte after it is the square.
pub const DROP_PAWN: u8 = 0xC6;
/// A drop of a piece in Crazyhouse. The byte after it is the piece (two bits: knight, bishop, rook, queen) and the square
/// (six bits).
pub const DROP_PIECE: u8 = 0xC7;

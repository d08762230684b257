//! Writes FEN text from a mailbox, without a branch for each square.
//!
//! Arithmetic converts a piece's code to its letter, and compilers vectorize this step. Each rank is then one word of
//! eight letters or zeros. Tables, indexed by the rank's set of occupied squares, add the digits and remove the gaps.
//! If the processor supports byte shuffles (SSSE3, detected at run time), they do the same work with a third of the
//! instructions.

#[cfg(target_arch = "x86_64")]
mod shuffle;

mod ranks;

use ranks::{RANKS, Rank, put_known, put_rank};
pub(super) use ranks::{TEXT, Text};

use super::types::{self, CastlingRight, CastlingRook, CastlingStyle, EnPassantStyle};
use crate::moves::CastlingSide;
use crate::piece::Color;
use crate::position::Position;
use crate::square::Square;
use crate::variant::Variant;

/// Returns the letter for a piece's code, or 0 for an empty square.
#[inline(always)]
fn letter(code: u8) -> u8 {
    let role = code >> 2 & 7;
    let is = |number: u8, letter: u8| if role == number { letter } else { 0 };
    let pawn = if role < 2 { b'P' } else { 0 };
    // Bit 5 of a code is the color, and bit 5 of a letter is the case.
    pawn | is(2, b'N') | is(3, b'B') | is(4, b'R') | is(5, b'Q') | is(6, b'K') | code & 0x20
}

/// Writes the piece placement at the beginning of a buffer. Returns its length.
#[inline]
fn placement(board: &[u8; 64], out: &mut Text) -> usize {
    #[cfg(target_arch = "x86_64")]
    if let Some(length) = shuffle::placement(board, out) {
        return length;
    }
    placement_everywhere(board, out)
}

/// Writes the placement by a method that works on every processor.
fn placement_everywhere(board: &[u8; 64], out: &mut Text) -> usize {
    let mut letters = [0; 64];
    for (letter_of, &code) in letters.iter_mut().zip(board) {
        *letter_of = letter(code);
    }
    let mut at = 0;
    for rank in letters.as_chunks::<8>().0.iter().rev() {
        let pieces = u64::from_le_bytes(*rank);
        // Bit 6 of every letter is set. The multiplication collects these bits in the top byte.
        let occupied = (pieces >> 6 & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        let Rank { digits, moves } = RANKS[occupied as usize];
        let mut text = pieces | digits;
        for (step, moving) in moves.into_iter().enumerate() {
            let moving = text & moving;
            text = text ^ moving | moving >> (8 << step);
        }
        at = put_rank(text, occupied as usize, out, at);
    }
    at - 1
}

/// The data from which a FEN is written.
#[doc(hidden)]
pub struct Fields<'a> {
    pub board: &'a [u8; 64],
    pub turn: Color,
    /// The castling rights (bit `side * 2 + castling side`), and the squares of their rooks.
    pub rights: u8,
    pub rooks: [u8; 4],
    pub target: Option<Square>,
    pub halfmove_clock: u32,
    pub fullmove_number: u32,
}

impl Fields<'_> {
    /// Writes the first four fields at the beginning of a buffer. Returns their length.
    #[inline(always)]
    pub fn write_four(&self, castling: CastlingStyle, out: &mut Text) -> usize {
        let at = placement(self.board, out);
        let turn = &STATES[self.turn as usize & 1];
        // If all these rooks are in the corners, no other rook can be farther outside.
        let at = if self.rights == 0 || self.rooks == [7, 0, 63, 56] && castling != CastlingStyle::Shredder {
            put_known(turn[usize::from(self.rights & 15)], out, at)
        } else {
            let mut at = put_known(turn[0], out, at) - 1;
            for right in self.castling(castling) {
                out[at & 127] = right.letter();
                at += 1;
            }
            at
        };
        put_known(TARGETS[self.target.map_or(64, |square| usize::from(square.index())).min(64)], out, at)
    }

    /// Writes the FEN at the beginning of a buffer. Returns its length. This function is not inlined, because it needs
    /// all registers and would slow down the loops that call it.
    #[inline(never)]
    pub fn write(&self, castling: CastlingStyle, out: &mut Text) -> usize {
        let at = self.write_four(castling, out);
        let at = write_number(self.halfmove_clock, out, at);
        write_number(self.fullmove_number, out, at)
    }

    /// Returns the castling rights in the order of a FEN.
    pub fn castling(&self, style: CastlingStyle) -> impl Iterator<Item = CastlingRight> + '_ {
        (0..4).filter(|right| self.rights >> right & 1 != 0).map(move |right| {
            let (color, side) = (Color::BOTH[right / 2], CastlingSide::BOTH[right % 2]);
            let rook = self.rooks[right];
            let outermost = match style {
                CastlingStyle::XFen => is_outermost(self.board, color, side, rook),
                CastlingStyle::Shredder => false,
                CastlingStyle::Standard => true,
            };
            let rook = if outermost { CastlingRook::Outermost(side) } else { CastlingRook::File(rook & 7) };
            CastlingRight { color, rook }
        })
    }
}

/// Returns whether no other rook of the side stands between this rook and the edge, on the back rank.
pub fn is_outermost(board: &[u8; 64], color: Color, side: CastlingSide, rook: u8) -> bool {
    let outside = match side {
        CastlingSide::King => rook + 1..(rook | 7) + 1,
        CastlingSide::Queen => rook & !7..rook,
    };
    !outside.into_iter().any(|square| letter(board[usize::from(square & 63)]) == b'R' | (color as u8) << 5)
}

/// The side to move and the letters of the castling rights with rooks in the corners, each part after a space.
///
/// | bits | value |
/// |---|---|
/// | 0..=55 | the text, from the lowest byte |
/// | 56..=63 | its length |
static STATES: [[u64; 16]; 2] = {
    let mut table = [[0; 16]; 2];
    let mut number = 0;
    while number < 32 {
        let (turn, rights) = (number / 16, number % 16);
        let mut text = [b' ', b"wb"[turn], b' ', b'-', 0, 0, 0, 0];
        let (mut length, mut right) = (3, 0);
        while right < 4 {
            if rights >> right & 1 != 0 {
                text[length] = b"KQkq"[right];
                length += 1;
            }
            right += 1;
        }
        text[7] = if rights == 0 { 4 } else { length as u8 };
        table[turn][rights] = u64::from_le_bytes(text);
        number += 1;
    }
    table
};

/// The text of the en passant field: a space and the name of the target. The last entry is for positions without a
/// target. The highest byte is the length of the text.
static TARGETS: [u64; 65] = {
    let mut table = [u64::from_le_bytes([b' ', b'-', 0, 0, 0, 0, 0, 2]); 65];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (b'a' + square as u8 % 8, b'1' + square as u8 / 8);
        table[square] = u64::from_le_bytes([b' ', file, rank, 0, 0, 0, 0, 3]);
        square += 1;
    }
    table
};

/// The text of a space and a number below 100. The highest byte is the length of the text.
static NUMBERS: [u64; 100] = {
    let mut table = [0; 100];
    let mut number = 0;
    while number < 100 {
        let (tens, ones) = (b'0' + number as u8 / 10, b'0' + number as u8 % 10);
        let (text, length) = if number < 10 { ([b' ', ones, 0], 2) } else { ([b' ', tens, ones], 3) };
        table[number] = u64::from_le_bytes([text[0], text[1], text[2], 0, 0, 0, 0, length]);
        number += 1;
    }
    table
};

/// Writes a space and then a number. Returns the offset after the number.
#[inline(always)]
fn write_number(number: u32, out: &mut Text, at: usize) -> usize {
    match NUMBERS.get(number as usize) {
        Some(text) => put_known(*text, out, at),
        None => write_great_number(number, out, at),
    }
}

#[cold]
#[inline(never)]
fn write_great_number(number: u32, out: &mut Text, at: usize) -> usize {
    let mut digits = vec![b' '];
    types::write_number(&mut digits, number);
    out[at & 127..][..digits.len()].copy_from_slice(&digits);
    at + digits.len()
}

/// A FEN text in a reusable buffer.
///
/// ```
/// use scoresheet_chess::Position;
/// use scoresheet_chess::fen::FenText;
///
/// let mut text = FenText::default();
/// let fen = text.format(&Position::standard());
/// assert_eq!(fen, b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// ```
#[derive(Clone)]
pub struct FenText {
    bytes: Text,
    /// The text of a position of a variant.
    long: Vec<u8>,
}

impl Default for FenText {
    fn default() -> FenText {
        FenText { bytes: [0; TEXT], long: Vec::new() }
    }
}

impl FenText {
    /// Returns the FEN, with the en passant target after every double step and castling rights as X-FEN. The result is
    /// ASCII. Takes about 20 ns.
    #[inline]
    pub fn format(&mut self, position: &Position) -> &[u8] {
        if position.variant != Variant::Chess {
            return self.format_variant(position);
        }
        self.write(&position.fen_fields(position.en_passant()))
    }

    #[cold]
    fn format_variant(&mut self, position: &Position) -> &[u8] {
        self.long.clear();
        position.write_fen(&mut self.long, EnPassantStyle::Always, CastlingStyle::XFen);
        &self.long
    }

    #[inline]
    #[doc(hidden)]
    pub fn write(&mut self, fields: &Fields<'_>) -> &[u8] {
        let length = fields.write(CastlingStyle::XFen, &mut self.bytes);
        &self.bytes[..length & 127]
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::{TEXT, placement_everywhere, shuffle};
    use crate::piece::EMPTY;

    #[test]
    fn shuffles_write_what_words_write() {
        let pieces = [0u8, 8, 12, 16, 20, 24, 32, 40, 44, 48, 52, 56, 64, 72, 96, 116];
        let mut state = 1u64;
        let mut compared = 0;
        for round in 0..20_000u64 {
            let board = [0; 64].map(|_: u8| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let number = state >> 40;
                if number % 16 < round % 17 { EMPTY } else { pieces[(number / 16 % 16) as usize] }
            });
            let (mut words, mut shuffled) = ([0; TEXT], [0; TEXT]);
            let length = placement_everywhere(&board, &mut words);
            if let Some(shuffled_length) = shuffle::placement(&board, &mut shuffled) {
                assert_eq!(words[..length], shuffled[..shuffled_length]);
                compared += 1;
            }
        }
        assert!(compared == 20_000 || !std::arch::is_x86_feature_detected!("ssse3"));
    }
}

//! The board of a replay, including castling.

use crate::brenner::code::CASTLE_H;
use crate::chess::piece::{EMPTY, OFF};
use crate::chess::{Position, zobrist};

/// The pieces, by square and by slot.
///
/// A captured piece keeps its last square, which another piece now occupies. All writes of a ply therefore have
/// addresses that depend only on the moving piece, and the processor can start the next ply early.
#[derive(Clone)]
pub struct Pieces {
    /// The code of the piece on each square, or `EMPTY`. Entries from `OFF` are never occupied. Any byte is a valid
    /// index, so damaged moves need no bounds check: they write to entries outside the board.
    pub board: [u8; 256],
    /// The square of each slot, or `OFF`. Any byte is a valid index. Entries from 64 are written but never used.
    pub square: [u8; 256],
}

impl Pieces {
    /// Returns the pieces of a position.
    pub fn from_position(position: &Position) -> Pieces {
        let mut pieces = Pieces { board: [EMPTY; 256], square: [OFF; 256] };
        pieces.board[..64].copy_from_slice(&position.board);
        pieces.square[..64].copy_from_slice(&position.square[..64]);
        pieces
    }

    /// Returns the squares.
    #[inline(always)]
    pub fn squares(&self) -> &[u8; 64] {
        self.board.first_chunk().unwrap_or(&[EMPTY; 64])
    }

    /// Returns the square of a labeled piece, or `None` if it is not on the board.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "any byte is an index of the board and of the slots")]
    pub fn on_board(&self, slot: u8) -> Option<u8> {
        let square = self.square[usize::from(slot)];
        (slot < OFF && self.board[usize::from(square)] == slot).then_some(square)
    }

    /// Castles. Returns the moved slots and the change of the key. Returns `None` and changes nothing if the king or
    /// rook is missing.
    #[inline(never)]
    #[expect(
        clippy::indexing_slicing,
        reason = "any byte is an index of the board and of the slots, and there are four rights"
    )]
    pub fn castle(&mut self, black: bool, byte: u8, rook_home: &[u8; 4]) -> Option<(u64, u64)> {
        let (king, right) = (u8::from(black) * 32 + 24, usize::from(black) * 2 + usize::from(byte & 1));
        let (from, rook_from) = (self.on_board(king)?, rook_home[right]);
        if rook_from >= OFF {
            return None;
        }
        let rook = self.board[usize::from(rook_from & 63)];
        let home = from & 0x38;
        let (king_to, rook_to) = if byte == CASTLE_H { (home | 6, home | 5) } else { (home | 2, home | 3) };
        self.board[usize::from(from & 63)] = EMPTY;
        self.board[usize::from(rook_from & 63)] = EMPTY;
        let (mut moved, mut key) = (0, 0);
        for (id, from, to) in [(king, from, king_to), (rook, rook_from, rook_to)] {
            self.board[usize::from(to)] = id;
            self.square[usize::from(id)] = to;
            moved |= if id < 64 { 1 << id } else { 0 };
            key ^= zobrist::id(id, from) ^ zobrist::id(id, to);
        }
        Some((moved, key))
    }
}

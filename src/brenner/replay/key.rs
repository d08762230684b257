//! Updates the Zobrist key from ply to ply. The key equals [`Position::zobrist`], which computes it from the complete
//! board.
//!
//! The key's part for the pieces changes with each move. The castling part of the key is recomputed only if a piece
//! that affects the rights moves or is captured. The en passant part is recomputed only after a double step next to an
//! enemy pawn.

use super::pieces::Pieces;
use super::state::{ReplayState, Start, Tally};
use super::table::is_double_step;
use crate::chess::piece::OFF;
use crate::chess::position::STANDARD;
use crate::chess::{Color, zobrist};
use std::sync::LazyLock;

/// The parts of a key during a replay.
#[derive(Clone, Copy, Default)]
pub(super) struct Key {
    /// The XOR of the Zobrist numbers of the pieces on their squares.
    pub pieces: u64,
    /// The XOR of the Zobrist numbers of the castling rights.
    rights: u64,
    /// The slots of the pieces that change castling rights when they first move or are captured.
    watched: u64,
}

/// The slots of a side's rooks.
const ROOKS: u64 = 0xF << 16;

/// The key parts for the standard starting position.
static STANDARD_KEY: LazyLock<Key> = LazyLock::new(|| {
    let (pieces, start) = (Pieces::from_position(&STANDARD), Start::from_position(&STANDARD));
    let state = ReplayState::at_start(&pieces, &start, Tally::from_position(&STANDARD), OFF);
    Key { pieces: zobrist::pieces(&STANDARD.board), ..Key::default() }.see_rights(state)
});

impl Key {
    /// Returns the key parts for a state.
    pub fn new(state: &ReplayState<'_>) -> Key {
        let standard = &*STANDARD;
        let Start { rights, rook_home, .. } = state.start;
        let at_start = state.ply() == 0 && *state.pieces.squares() == standard.board;
        if at_start && (*rights, *rook_home) == (standard.rights, standard.rook_home) {
            return *STANDARD_KEY;
        }
        Key { pieces: zobrist::pieces(state.pieces.squares()), ..Key::default() }.see_rights(*state)
    }

    /// Returns the key parts with the castling part recomputed. Parameters are passed by value: the loop over plies
    /// rarely calls this function, and references would force the state into memory at every ply.
    #[cold]
    #[inline(never)]
    #[expect(clippy::indexing_slicing, reason = "there are four rights")]
    pub fn see_rights(mut self, state: ReplayState<'_>) -> Key {
        let rights = state.rights();
        let Start { rook, rook_home, .. } = state.start;
        (self.rights, self.watched) = (zobrist::rights(rights), 0);
        for right in (0..4).filter(|right| rights >> right & 1 != 0) {
            let side = right / 2 * 32;
            self.watched |= 1 << (side + 24) | 1u64.wrapping_shl(u32::from(rook[right]));
            if !matches!((right & 1, rook_home[right] & 7), (0, 7) | (1, 0)) {
                // Whether a castling rook is the outermost one depends on the side's other rooks.
                self.watched |= ROOKS << side;
                self.rights ^= zobrist::inner_rook(state.pieces.squares(), right, rook_home[right]);
            }
        }
        self
    }

    /// Returns whether a move or capture of the pieces in these slots can change the castling part.
    #[inline(always)]
    pub fn touches(&self, slots: u64) -> bool {
        self.watched & slots != 0
    }

    /// Returns the key of the state with these parts.
    #[inline(always)]
    pub fn at(&self, state: &ReplayState<'_>) -> u64 {
        if state.last != 0 {
            return self.after_plain(state);
        }
        let key = self.without_en_passant(state);
        if state.en_passant != OFF { key ^ en_passant(*state) } else { key }
    }

    /// Returns the key like `at`, for a state after a one-byte move.
    #[inline(always)]
    pub fn after_plain(&self, state: &ReplayState<'_>) -> u64 {
        let key = self.without_en_passant(state);
        let passed = is_double_step(state.last) && beside(state.pieces, state.turn, state.last);
        if passed { key ^ en_passant(*state) } else { key }
    }

    #[inline(always)]
    fn without_en_passant(&self, state: &ReplayState<'_>) -> u64 {
        let turn = if state.turn == Color::Black { zobrist::black() } else { 0 };
        self.pieces ^ self.rights ^ turn
    }
}

/// Returns whether an enemy pawn may stand next to the pawn that made the double step. May also return true for a pawn
/// across the edge of the board.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "slots and squares are bytes, and any byte is an index")]
fn beside(pieces: &Pieces, turn: Color, last: u8) -> bool {
    let (mover, pawn) = if turn == Color::Black { (0, 32) } else { (32, 0) };
    let square = pieces.square[usize::from(mover | last & 7)];
    let is = |square: u8| pieces.board[usize::from(square & 63)] & 0x38 == pawn;
    is(square.wrapping_add(1)) | is(square.wrapping_sub(1))
}

#[cold]
#[inline(never)]
fn en_passant(state: ReplayState<'_>) -> u64 {
    let king = state.pieces.on_board(state.turn.index() as u8 * 32 + 24);
    zobrist::en_passant(state.pieces.squares(), king, state.turn, state.passed())
}

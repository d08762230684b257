//! Replays games of variants, whose captures, drops and promotions the fast replay does not know.
//!
//! The position of the game plays each move, and the replay's board is copied from it. This takes about 100 ns per ply.

use super::pieces::Pieces;
use super::run::{Replay, ReplayError};
use super::skip::skip_variation;
use super::table::{Class, NOBODY, TABLE, class, slot};
use crate::brenner::code::{CASTLE_A, CASTLE_H, DROP_PAWN, DROP_PIECE, EXPLICIT, NAG, NULL, OPEN};
use crate::chess::{CastlingSide, Move, MoveKind, PieceId, Position, Role, Square};

impl Replay {
    /// Plays the next move of a game of a variant from the offset `at` of the stream on, which is set to the byte after
    /// the move. Returns its Zobrist key if `keys` is true and otherwise 0, or `None` at the end of the main line.
    #[cold]
    #[inline(never)]
    pub(super) fn next_in_variant(
        &mut self,
        stream: &[u8],
        at: &mut usize,
        keys: bool,
    ) -> Result<Option<u64>, ReplayError> {
        loop {
            let rest = stream.get(*at..).unwrap_or_default();
            let damaged = ReplayError { offset: *at };
            *at += match rest.first() {
                None | Some(1..=3) => return Ok(None),
                Some(0 | 6 | 7) => 1,
                Some(&NAG) => 2,
                Some(&OPEN) => skip_variation(rest).ok_or(damaged)?,
                Some(_) => {
                    let Some(position) = &mut self.start.variant else { return Err(damaged) };
                    let (m, promoted, length) = read_move(position, rest).ok_or(damaged)?;
                    position.play_as(m, promoted);
                    let key = if keys { position.zobrist() } else { 0 };
                    self.ply += 1;
                    self.copy_position();
                    *at += length;
                    return Ok(Some(key));
                }
            };
        }
    }

    /// Copies the state of the game of a variant to the fields of the replay.
    fn copy_position(&mut self) {
        let Some(position) = &self.start.variant else { return };
        self.pieces = Pieces::from_position(position);
        self.tally.moved = 0;
        self.tally.zero = i64::from(self.ply) - i64::from(position.halfmove_clock);
        self.tally.lost = !position.rights;
        self.turn = position.turn;
        self.en_passant = position.en_passant;
    }
}

/// Reads the move at the beginning of `rest`, without testing whether it is legal. Returns the move, the identity of a
/// promoted or dropped piece, and the length of the move in bytes.
#[expect(clippy::indexing_slicing, reason = "any byte is an index of the table")]
fn read_move(position: &Position, rest: &[u8]) -> Option<(Move, Option<PieceId>, usize)> {
    let (&byte, after) = rest.split_first()?;
    let us = position.turn();
    let entry = |byte: u8| TABLE[us.index()][usize::from(byte)];
    let square_of = |slot: u8| if slot == NOBODY { None } else { position.square_of(PieceId(slot)) };
    let step = |slot: u8, step: u8| {
        let from = square_of(slot)?;
        Some((from, Square::masked(from.index().wrapping_add(step) & 63)))
    };
    let is_pawn = |from: Square| position.piece_at(from).is_some_and(|piece| piece.role == Role::Pawn);
    let plain = |(from, to): (Square, Square)| {
        let passes = is_pawn(from) && from.file_index() != to.file_index() && position.en_passant() == Some(to);
        Move { from, to, kind: if passes { MoveKind::EnPassant } else { MoveKind::Plain } }
    };
    let castle = |side| {
        let (from, to) = (position.king(us)?, position.castling_rook(us, side)?);
        Some((Move { from, to, kind: MoveKind::Castle(side) }, None, 1))
    };
    match byte {
        CASTLE_H => castle(CastlingSide::King),
        CASTLE_A => castle(CastlingSide::Queen),
        NULL => Some((Move::NULL, None, 1)),
        EXPLICIT => {
            let [high, low] = *after.first_chunk::<2>()?;
            let bits = u16::from_be_bytes([high, low]);
            let [from, to] = [bits >> 10, bits >> 4].map(|bits| Square::masked((bits & 63) as u8));
            position.piece_at(from)?;
            match bits >> 1 & 7 {
                0 => Some((plain((from, to)), None, 3)),
                role @ 1..=5 => {
                    let role = *Role::ALL.get(usize::from(role))?;
                    let promoted = PieceId::unlabelled(us, role);
                    Some((Move { from, to, kind: MoveKind::Promotion(role) }, Some(promoted), 3))
                }
                _ => None,
            }
        }
        DROP_PAWN | DROP_PIECE => {
            let (role, to) = read_drop(byte, *after.first()?)?;
            Some((Move { from: to, to, kind: MoveKind::Drop(role) }, Some(position.dropped_piece(role)), 2))
        }
        _ => match class(byte) {
            Class::Piece | Class::Pawn => Some((plain(step(entry(byte).slot, entry(byte).step)?), None, 1)),
            Class::Prefix(role, label) => {
                let next = *after.first()?;
                let id = slot(us, role, label);
                match class(next) {
                    Class::Piece if PieceId(entry(next).slot).role() == role => {
                        Some((plain(step(id, entry(next).step)?), None, 2))
                    }
                    Class::Pawn => {
                        let (from, to) = step(entry(next).slot, entry(next).step)?;
                        Some((Move { from, to, kind: MoveKind::Promotion(role) }, Some(PieceId(id)), 2))
                    }
                    _ => None,
                }
            }
            Class::Other => None,
        },
    }
}

/// Returns the role and the square of a drop from its two bytes. Returns `None` if the bits have no meaning.
pub(in crate::brenner) fn read_drop(byte: u8, bits: u8) -> Option<(Role, Square)> {
    match byte {
        DROP_PAWN => Some((Role::Pawn, Square::new(bits)?)),
        DROP_PIECE => Some((*Role::ALL.get(usize::from(bits >> 6) + 1)?, Square::masked(bits & 63))),
        _ => None,
    }
}

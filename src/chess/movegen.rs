//! Legal moves, checkmate and stalemate, perft.

use super::attacks::{self, KING, KNIGHT, PAWN};
use super::attention::Attention;
use super::moves::{CastlingSide, Move, MoveKind};
use super::piece::{Color, EMPTY, PieceId, Role};
use super::position::Position;
use super::square::{Square, squares};

const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

impl Position {
    /// Returns all legal moves. A set-up position may have more than 256.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(64);
        self.legal_moves_into(&mut moves);
        moves
    }

    /// Replaces the contents of `moves` with all legal moves.
    pub fn legal_moves_into(&self, moves: &mut Vec<Move>) {
        moves.clear();
        self.generate(&mut |m| {
            if self.is_safe(m) {
                moves.push(m);
            }
            false
        });
    }

    /// Returns whether the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        // In check the king's own moves are the likeliest answer.
        let flees = self.attention == Attention::Check && self.king_can_move();
        flees || self.generate(&mut |m| self.is_safe(m))
    }

    fn king_can_move(&self) -> bool {
        let Some(king) = self.king(self.turn) else { return false };
        let royal = self.king(self.turn.other()).map_or(0, Square::bit);
        let free = KING[king.at_most_63()] & !self.occupied[self.turn.index()] & !royal;
        squares(free).any(|to| self.is_safe(Move::plain(king, to)))
    }

    /// Returns whether the side to move is checkmated.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Returns whether the side to move has no legal move and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.in_check() && !self.has_legal_move()
    }

    /// Returns whether an en passant capture is legal.
    pub fn en_passant_is_legal(&self) -> bool {
        let Some(to) = self.en_passant() else { return false };
        squares(self.candidates(Role::Pawn, to))
            .any(|from| self.legality(Move { from, to, kind: MoveKind::EnPassant }).is_ok())
    }

    /// Returns the number of lines of legal moves of that many plies.
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.legal_moves();
        if depth == 1 {
            return moves.len() as u64;
        }
        moves
            .into_iter()
            .map(|m| {
                let mut next = self.clone();
                next.play_unchecked(m);
                next.perft(depth - 1)
            })
            .sum()
    }

    /// Calls `found` with each pseudo-legal move (castling: legal) until it returns true; returns whether it did.
    fn generate(&self, found: &mut impl FnMut(Move) -> bool) -> bool {
        let us = self.turn;
        let (ours, theirs) = (self.occupied[us.index()], self.occupied[us.other().index()]);
        let all = ours | theirs;
        let royal = self.king(us.other()).map_or(0, Square::bit);
        for from in squares(ours) {
            let at = from.at_most_63();
            let reach = match PieceId(self.board[at]).role() {
                Role::Pawn => {
                    if self.generate_pawn(from, found) {
                        return true;
                    }
                    continue;
                }
                Role::Knight => KNIGHT[at],
                Role::King => KING[at],
                Role::Rook => attacks::slide(at, 0, all),
                Role::Bishop => attacks::slide(at, 1, all),
                Role::Queen => attacks::slide(at, 0, all) | attacks::slide(at, 1, all),
            };
            for to in squares(reach & !ours & !royal) {
                if found(Move::plain(from, to)) {
                    return true;
                }
            }
        }
        for side in CastlingSide::BOTH {
            if let (Some(king), Some(rook)) = (self.king(us), self.castling_rook(us, side))
                && self.castling_is_possible(us, side)
                && found(Move { from: king, to: rook, kind: MoveKind::Castle(side) })
            {
                return true;
            }
        }
        false
    }

    fn generate_pawn(&self, from: Square, found: &mut impl FnMut(Move) -> bool) -> bool {
        let us = self.turn;
        let (forward, second, last) = if us == Color::White { (8i8, 1, 7) } else { (-8, 6, 0) };
        let royal = self.king(us.other()).map_or(0, Square::bit);
        let mut step_to = |to: Square| {
            if to.rank_index() == last {
                PROMOTIONS.iter().any(|role| found(Move { from, to, kind: MoveKind::Promotion(*role) }))
            } else {
                found(Move::plain(from, to))
            }
        };
        let one = from.index().wrapping_add_signed(forward);
        if one < 64 && self.board[one as usize] == EMPTY {
            if step_to(Square::masked(one)) {
                return true;
            }
            let two = one.wrapping_add_signed(forward);
            if from.rank_index() == second && self.board[two as usize & 63] == EMPTY && step_to(Square::masked(two)) {
                return true;
            }
        }
        let attacked = PAWN[us.index()][from.at_most_63()];
        for to in squares(attacked & self.occupied[us.other().index()] & !royal) {
            if step_to(to) {
                return true;
            }
        }
        match self.en_passant() {
            Some(to) if attacked & to.bit() != 0 && self.en_passant_victim().is_some() => {
                found(Move { from, to, kind: MoveKind::EnPassant })
            }
            _ => false,
        }
    }
}

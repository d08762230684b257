//! Legal moves, checkmate, stalemate, and perft.

use super::attacks::{self, KING, KNIGHT, PAWN, between};
use super::attention::Attention;
use super::moves::{CastlingSide, Move, MoveKind};
use super::piece::{Color, EMPTY, PieceId, Role};
use super::position::Position;
use super::square::{Square, squares};
use super::variant::Variant;

const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

impl Position {
    /// Returns all legal moves. A position set up by hand may have more than 256 moves.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(64);
        self.legal_moves_into(&mut moves);
        moves
    }

    /// Replaces the contents of `moves` with all legal moves.
    pub fn legal_moves_into(&self, moves: &mut Vec<Move>) {
        if self.variant != Variant::Chess {
            return self.variant_moves_into(moves);
        }
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
        if self.variant != Variant::Chess {
            return !self.legal_moves().is_empty();
        }
        match self.king(self.turn) {
            // In check, the most frequent reply is a king move.
            Some(king) if self.attention == Attention::Check => self.king_can_move() || self.others_can_answer(king),
            _ => self.generate(&mut |m| self.is_safe(m)),
        }
    }

    fn king_can_move(&self) -> bool {
        let Some(king) = self.king(self.turn) else { return false };
        let royal = self.king(self.turn.other()).map_or(0, Square::bit);
        let free = KING[king.at_most_63()] & !self.occupied[self.turn.index()] & !royal;
        squares(free).any(|to| self.is_safe(Move::plain(king, to)))
    }

    /// Returns whether the side to move is checkmated.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move() && !self.is_over_by_variant()
    }

    /// Returns whether the side to move has no legal move and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.in_check() && !self.has_legal_move() && !self.is_over_by_variant()
    }

    /// Returns whether an en passant capture is legal in this position.
    pub fn en_passant_is_legal(&self) -> bool {
        let Some(to) = self.en_passant() else { return false };
        squares(self.candidates(Role::Pawn, to))
            .any(|from| self.legality(Move { from, to, kind: MoveKind::EnPassant }).is_ok())
    }

    /// Returns the number of sequences of legal moves of length `depth`, in plies.
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

    /// Returns whether a piece other than the king can capture the checking piece or block the check.
    fn others_can_answer(&self, king: Square) -> bool {
        let us = self.turn;
        let royal = self.king(us.other()).map_or(0, Square::bit);
        let way = |checker: Square| checker.bit() | between(checker.at_most_63(), king.at_most_63());
        let checkers = self.attackers_of(us.other(), king);
        let answers = squares(checkers).map(way).fold(!royal, |all, way| all & way);
        squares(answers).any(|to| {
            let takers = self.attackers_of(us, to);
            let pawns = self.role(Role::Pawn);
            let movers = if checkers & to.bit() != 0 { takers } else { takers & !pawns | self.stepper_to(to) };
            squares(movers & !king.bit()).any(|from| self.is_safe(Move::plain(from, to)))
        }) || self.en_passant_is_legal()
    }

    /// Returns the pawn of the side to move that can step to `to`, an empty square, as a bitboard, or 0 if there is
    /// none.
    #[inline]
    pub(super) fn stepper_to(&self, to: Square) -> u64 {
        let pawns = self.role(Role::Pawn) & self.occupied[self.turn.index()];
        let (single, double, fourth) = match self.turn {
            Color::White => (to.bit() >> 8, to.bit() >> 16, 3),
            Color::Black => (to.bit() << 8, to.bit() << 16, 4),
        };
        let far = to.rank_index() == fourth && self.all() & single == 0;
        pawns & (single | if far { double } else { 0 })
    }

    /// Calls `found` with each pseudo-legal move (castling moves are fully legal) until it returns true. Returns
    /// whether it did.
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
        let single = from.index().wrapping_add_signed(forward);
        if single < 64 && self.board[single as usize] == EMPTY {
            if step_to(Square::masked(single)) {
                return true;
            }
            let double = single.wrapping_add_signed(forward);
            if from.rank_index() == second
                && self.board[double as usize & 63] == EMPTY
                && step_to(Square::masked(double))
            {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whether_there_is_a_move_is_known_without_all_of_them() {
        // Positions with many checking pieces and kings with little room: mates, checks that another piece answers, and
        // a check that only en passant answers.
        let starts = [
            "3qk3/pp2pppp/1q1q4/8/8/4Q1Q1/PPPP2PP/3QK3 w - - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/8/R7/4k3/4p3/2P1N1P1/3P4/7K w - - 0 1",
            "5K2/5B2/8/8/2Rpk3/3pp2R/2P5/8 w - - 0 1",
        ];
        let mut seed = 11u64;
        let (mut answered, mut mates, mut passant) = (0, 0, 0);
        for round in 0..3000 {
            let mut position = Position::from_fen(starts[round % starts.len()].as_bytes()).unwrap();
            for _ in 0..60 {
                let moves = position.legal_moves();
                assert_eq!(position.has_legal_move(), !moves.is_empty(), "{position:?}");
                if position.attention == Attention::Check {
                    let king = position.king(position.turn);
                    let flights = moves.iter().filter(|m| king == Some(m.from)).count();
                    answered += usize::from(flights == 0 && !moves.is_empty());
                    mates += usize::from(moves.is_empty());
                    passant += usize::from(!moves.is_empty() && moves.iter().all(|m| m.kind == MoveKind::EnPassant));
                }
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // A move that gives check, more often than not.
                let checks: Vec<Move> = moves.iter().copied().filter(|m| position.gives_check(*m)).collect();
                let from = if seed >> 62 > 0 && !checks.is_empty() { &checks } else { &moves };
                let Some(m) = from.get((seed >> 33) as usize % from.len().max(1)) else { break };
                position.play_unchecked(*m);
            }
        }
        assert!(answered > 500 && mates > 200 && passant > 50, "{answered} {mates} {passant}");
    }
}

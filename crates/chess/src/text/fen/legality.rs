//! Tests whether a game can reach a position, and lists the reasons why it cannot.

use super::types::{CastlingRight, Fen};
use crate::attacks::{RELATION, between};
use crate::piece::{Color, Role};
use crate::position::Position;
use crate::square::{Square, squares};
use std::fmt;

/// A reason why no game of chess, including Chess960, reaches a position.
///
/// ```
/// use scoresheet_chess::{Color, Position, fen::Illegality};
///
/// let position: Position = "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1".parse()?;
/// assert_eq!(position.illegalities(), [Illegality::OpponentInCheck(Color::Black)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Illegality {
    /// This side has no king.
    NoKing(Color),
    /// This side has more than one king.
    ManyKings(Color),
    /// This side has more than sixteen pieces.
    TooManyPieces(Color),
    /// This side has more than eight pawns.
    TooManyPawns(Color),
    /// This side has more promoted pieces than missing pawns.
    TooManyPromoted(Color),
    /// A pawn is on the first or last rank.
    PawnOnBackRank(Square),
    /// The side that is not to move is in check.
    OpponentInCheck(Color),
    /// No single move can have given check with these pieces. There are more than two checks, or neither of two checks
    /// can be a discovered check. Alternatively, the last move was a double step that did not uncover the only check.
    ImpossibleCheck(Color),
    /// A castling right exists, but the king or the rook is not on its home square.
    NoSuchRight(CastlingRight),
    /// Two castling rights name the same castling side.
    RightTwice(CastlingRight),
    /// The last move cannot have been a double step over the en passant target.
    NoDoubleStep(Square),
    /// An en passant target exists, but the halfmove clock is not 0.
    ClockAfterDoubleStep,
    /// The halfmove clock exceeds the number of plies that the fullmove number allows.
    ClockBeyondGame,
}

const fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

impl fmt::Display for Illegality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Illegality::NoKing(color) => write!(f, "{} has no king", side(color)),
            Illegality::ManyKings(color) => write!(f, "{} has more than one king", side(color)),
            Illegality::TooManyPieces(color) => write!(f, "{} has more than sixteen pieces", side(color)),
            Illegality::TooManyPawns(color) => write!(f, "{} has more than eight pawns", side(color)),
            Illegality::TooManyPromoted(color) => {
                write!(f, "{} has more promoted pieces than missing pawns", side(color))
            }
            Illegality::PawnOnBackRank(square) => write!(f, "a pawn stands on {square}"),
            Illegality::OpponentInCheck(color) => write!(f, "{} is in check and not to move", side(color)),
            Illegality::ImpossibleCheck(color) => {
                write!(f, "{} is in check in a way that no last move can produce", side(color))
            }
            Illegality::NoSuchRight(right) => {
                write!(f, "castling right {}: king and rook are not at home", right.letter() as char)
            }
            Illegality::RightTwice(right) => {
                write!(f, "castling right {}: there is one for that side already", right.letter() as char)
            }
            Illegality::NoDoubleStep(square) => write!(f, "no pawn can just have passed over {square}"),
            Illegality::ClockAfterDoubleStep => write!(f, "the halfmove clock must be 0 after a pawn's step"),
            Illegality::ClockBeyondGame => write!(f, "the halfmove clock counts more plies than the game has"),
        }
    }
}

impl Fen {
    /// Returns the reasons why no game reaches this position. The list is empty if no reason is known.
    ///
    /// The test considers pieces and their numbers, checks, castling rights, the en passant target and the clocks. An
    /// empty result proves nothing: the position may still be unreachable, because pawn structures are not examined. An
    /// illegal position can still be stored, played from, and searched for.
    pub fn illegalities(&self) -> Vec<Illegality> {
        self.illegalities_of(&self.position())
    }

    /// Returns the same as [`Fen::illegalities`], for a position that [`Fen::position`] has already returned.
    pub fn illegalities_of(&self, position: &Position) -> Vec<Illegality> {
        let mut found = Vec::new();
        for color in Color::BOTH {
            count_pieces(position, color, &mut found);
        }
        let back_ranks = 0xFF00_0000_0000_00FF;
        found.extend(squares(position.role(Role::Pawn) & back_ranks).map(Illegality::PawnOnBackRank));
        let them = self.turn.other();
        if position.king(them).is_some_and(|king| position.attacked_by(self.turn, king)) {
            found.push(Illegality::OpponentInCheck(them));
        }
        if !check_is_possible(position) {
            found.push(Illegality::ImpossibleCheck(self.turn));
        }
        self.check_rights(position, &mut found);
        if let Some(target) = self.en_passant {
            if position.en_passant() != Some(target) {
                found.push(Illegality::NoDoubleStep(target));
            } else if self.halfmove_clock != 0 {
                found.push(Illegality::ClockAfterDoubleStep);
            }
        }
        let plies = u64::from(self.fullmove_number.saturating_sub(1)) * 2 + u64::from(self.turn == Color::Black);
        if u64::from(self.halfmove_clock) > plies {
            found.push(Illegality::ClockBeyondGame);
        }
        found
    }

    fn check_rights(&self, position: &Position, found: &mut Vec<Illegality>) {
        // Indexed by the number of the side and of the castling side.
        let mut seen = [false; 4];
        for right in &self.castling {
            match position.rook_of(*right) {
                Some((castling_side, rook)) if position.may_grant_castling(right.color, castling_side, rook) => {
                    let castling_side = &mut seen[right.color.index() * 2 + castling_side as usize];
                    if std::mem::replace(castling_side, true) {
                        found.push(Illegality::RightTwice(*right));
                    }
                }
                _ => found.push(Illegality::NoSuchRight(*right)),
            }
        }
    }
}

impl Position {
    /// Returns the reasons why no game reaches this position, like [`Fen::illegalities`].
    pub fn illegalities(&self) -> Vec<Illegality> {
        Fen::from(self).illegalities()
    }
}

fn count_pieces(position: &Position, color: Color, found: &mut Vec<Illegality>) {
    let side_pieces = position.occupied(color);
    let counts = Role::ALL.map(|role| (position.role(role) & side_pieces).count_ones() as u8);
    let [pawns, knights, bishops, rooks, queens, kings] = counts;
    match kings {
        0 => found.push(Illegality::NoKing(color)),
        1 => {}
        _ => found.push(Illegality::ManyKings(color)),
    }
    if side_pieces.count_ones() > 16 {
        found.push(Illegality::TooManyPieces(color));
    }
    let beyond = |count: u8, usual: u8| count.saturating_sub(usual);
    let promoted = beyond(knights, 2) + beyond(bishops, 2) + beyond(rooks, 2) + beyond(queens, 1);
    if pawns > 8 {
        found.push(Illegality::TooManyPawns(color));
    } else if promoted > 8 - pawns {
        found.push(Illegality::TooManyPromoted(color));
    }
}

/// Returns whether a single move can have given all checks to the side to move.
fn check_is_possible(position: &Position) -> bool {
    let us = position.turn();
    let Some(king) = position.king(us) else { return true };
    if !position.attacked_by(us.other(), king) {
        return true;
    }
    let at = king.at_most_63();
    let all = position.occupied(Color::White) | position.occupied(Color::Black);
    let checkers: Vec<(Square, Role)> = squares(position.occupied(us.other()))
        .filter_map(|square| {
            let role = position.piece_at(square)?.role;
            let relation = RELATION[at][square.at_most_63()];
            let line = (8..64).contains(&relation) && between(at, square.at_most_63()) & all == 0;
            let near = relation >> 3 == 1;
            let forward = if us == Color::White {
                square.rank_index() > king.rank_index()
            } else {
                square.rank_index() < king.rank_index()
            };
            let checks = match role {
                Role::Pawn => near && relation & 1 == 1 && forward,
                Role::Knight => relation >= 64,
                Role::King => near,
                Role::Rook => line && relation & 1 == 0,
                Role::Bishop => line && relation & 1 == 1,
                Role::Queen => line,
            };
            checks.then_some((square, role))
        })
        .collect();
    if let Some(target) = position.en_passant() {
        // The last move was a double step of this pawn. Either the pawn gives check itself, or it has left the line of
        // the checking piece.
        let (north, south) = (target.index() + 8, target.index() - 8);
        let (start, end) = if us == Color::White { (north, south) } else { (south, north) };
        let given =
            |(square, _): &(Square, Role)| square.index() == end || between(at, square.at_most_63()) >> start & 1 != 0;
        if !checkers.iter().all(given) {
            return false;
        }
    }
    match checkers.as_slice() {
        [] | [_] => true,
        [(a, first), (b, second)] => {
            let slides = |role: &Role| matches!(role, Role::Bishop | Role::Rook | Role::Queen);
            // Of two checks, at least one is a discovered check: a slider gives it, on a line that differs from the
            // line of the other piece.
            let lines = |square: &Square| RELATION[at][square.at_most_63()] & 3;
            let both_slide = slides(first) && slides(second);
            (slides(first) || slides(second)) && !(both_slide && lines(a) == lines(b))
        }
        _ => false,
    }
}

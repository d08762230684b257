//! Moves, and why one cannot be played.

use super::piece::Role;
use super::square::Square;
use std::fmt;

/// The two sides to castle to, by where the rook comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum CastlingSide {
    /// With the rook nearer the h-file (O-O): king to the g-file, rook to the f-file.
    King = 0,
    /// With the rook nearer the a-file (O-O-O): king to the c-file, rook to the d-file.
    Queen = 1,
}

impl CastlingSide {
    /// Both castling sides, h-side first.
    pub const BOTH: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];

    /// Returns the files on which king and rook arrive.
    pub(super) const fn files(self) -> (u8, u8) {
        match self {
            CastlingSide::King => (6, 5),
            CastlingSide::Queen => (2, 3),
        }
    }
}

/// What a move means for the other king, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threat {
    /// It is not attacked.
    None,
    /// Check, and not mate: another move follows.
    Check,
    /// Check, which may be mate.
    CheckOrMate,
}

/// What is special about a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// A piece goes to a square and takes what stands there.
    Plain,
    /// A pawn takes the pawn that has just passed the target square.
    EnPassant,
    /// King and rook change; `to` is the rook's square.
    Castle(CastlingSide),
    /// A pawn reaches the last rank and becomes this.
    Promotion(Role),
    /// The side to move passes; `from` and `to` mean nothing.
    Null,
}

/// A move: from where, to where and what is special about it. For castling `from` is the king's square and `to` the
/// rook's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The square the piece leaves.
    pub from: Square,
    /// The square it goes to; the castling rook's square.
    pub to: Square,
    /// What is special.
    pub kind: MoveKind,
}

impl Move {
    /// The null move.
    pub const NULL: Move = Move { from: Square::masked(0), to: Square::masked(0), kind: MoveKind::Null };

    /// Returns what the pawn becomes, if the move is a promotion.
    pub const fn promotion(self) -> Option<Role> {
        match self.kind {
            MoveKind::Promotion(role) => Some(role),
            _ => None,
        }
    }

    /// Returns a plain move.
    pub(crate) const fn plain(from: Square, to: Square) -> Move {
        Move { from, to, kind: MoveKind::Plain }
    }
}

/// Why a move cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalMove {
    /// No piece of the mover's can make such a move.
    NotPseudoLegal,
    /// The mover's king would be attacked.
    LeavesKingInCheck,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IllegalMove::NotPseudoLegal => "no piece of the side to move can make this move",
            IllegalMove::LeavesKingInCheck => "the move leaves the king in check",
        })
    }
}

impl std::error::Error for IllegalMove {}

impl fmt::Display for CastlingSide {
    /// Writes `O-O` or `O-O-O`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CastlingSide::King => "O-O",
            CastlingSide::Queen => "O-O-O",
        })
    }
}

impl fmt::Display for Move {
    /// Writes the move in UCI's notation of standard chess: `e2e4`, `e7e8q`, castling as the king's step (`e1g1`),
    /// `0000` for the null move. [`Position::uci`](super::Position::uci) knows Chess960, too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = match self.kind {
            MoveKind::Null => return f.write_str("0000"),
            MoveKind::Castle(side) => Square::at(side.files().0, self.from.rank_index()),
            _ => self.to,
        };
        write!(f, "{}{to}", self.from)?;
        match self.promotion() {
            Some(role) => fmt::Write::write_char(f, role.letter().to_ascii_lowercase() as char),
            None => Ok(()),
        }
    }
}

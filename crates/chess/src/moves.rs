//! Moves, and the reasons why a move is illegal.

use super::piece::Role;
use super::square::Square;
use std::fmt;

/// A castling side, named by the origin of the rook.
///
/// ```
/// use scoresheet_chess::{CastlingSide, Color, Position};
///
/// let position: Position = "r3k2r/8/8/8/8/8/8/R3K2R w Qk - 0 1".parse()?;
/// let rook = |color, side| position.castling_rook(color, side).map(|square| square.to_string());
/// assert_eq!(rook(Color::White, CastlingSide::Queen).as_deref(), Some("a1"));
/// assert_eq!(rook(Color::Black, CastlingSide::Queen), None);
/// assert_eq!(CastlingSide::BOTH.map(|side| side.to_string()), ["O-O", "O-O-O"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum CastlingSide {
    /// Castling with the rook nearer the h-file (O-O): the king moves to the g-file, the rook to the f-file.
    King = 0,
    /// Castling with the rook nearer the a-file (O-O-O): the king moves to the c-file, the rook to the d-file.
    Queen = 1,
}

impl CastlingSide {
    /// Both castling sides, the h-side first.
    pub const BOTH: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];

    /// Returns the destination files of the king and the rook.
    pub(super) const fn files(self) -> (u8, u8) {
        match self {
            CastlingSide::King => (6, 5),
            CastlingSide::Queen => (2, 3),
        }
    }
}

/// The known effect of a move on the opponent's king.
///
/// [`Decoder::advance_plain`](https://docs.rs/scoresheet/latest/scoresheet/brenner/decode/struct.Decoder.html) has an
/// example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threat {
    /// The king is not attacked.
    None,
    /// Check, but not checkmate, because another move follows.
    Check,
    /// Check, which may be checkmate.
    CheckOrMate,
}

/// The kind of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// A piece moves to a square and captures any piece there.
    Plain,
    /// A pawn captures the pawn that has just passed the target square.
    EnPassant,
    /// Castling, where `to` is the rook's square.
    Castle(CastlingSide),
    /// A pawn reaches the last rank and is promoted to this role.
    Promotion(Role),
    /// A piece of this role from the pocket is put on the target square (Crazyhouse), where `from` equals `to`.
    Drop(Role),
    /// The side to move passes. In this case, `from` and `to` are meaningless.
    Null,
}

/// A move, with its start square, target square and kind. For castling, `from` is the king's square and `to` the rook's
/// square.
///
/// ```
/// use scoresheet_chess::{CastlingSide, Move, MoveKind, Position, Role, Square};
///
/// let position: Position = "4k3/P7/8/8/8/8/8/4K2R w K - 0 1".parse()?;
/// let castles = position.parse_san("O-O")?;
/// assert_eq!(castles.kind, MoveKind::Castle(CastlingSide::King));
/// assert_eq!(castles.to, "h1".parse::<Square>()?); // the rook's square
/// assert_eq!(castles.to_string(), "e1g1");
/// let promotes: Move = position.parse_uci("a7a8n")?;
/// assert_eq!(promotes.promotion(), Some(Role::Knight));
/// assert_eq!(position.san(promotes), "a8=N");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The square that the piece leaves.
    pub from: Square,
    /// The destination square, or the castling rook's square.
    pub to: Square,
    /// The kind of the move.
    pub kind: MoveKind,
}

impl Move {
    /// The null move.
    pub const NULL: Move = Move { from: Square::masked(0), to: Square::masked(0), kind: MoveKind::Null };

    /// Returns the new role if the move is a promotion, otherwise `None`.
    pub const fn promotion(self) -> Option<Role> {
        match self.kind {
            MoveKind::Promotion(role) => Some(role),
            _ => None,
        }
    }

    /// Returns a plain move.
    #[doc(hidden)]
    #[inline]
    pub const fn plain(from: Square, to: Square) -> Move {
        Move { from, to, kind: MoveKind::Plain }
    }
}

/// The reason why a move is illegal.
///
/// ```
/// use scoresheet_chess::{IllegalMove, Move, MoveKind, Position, Square};
///
/// let square = |name: &str| name.parse::<Square>();
/// let (from, kind) = (square("e2")?, MoveKind::Plain);
/// let pinned: Position = "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1".parse()?;
/// assert_eq!(pinned.legality(Move { from, to: square("c3")?, kind }), Err(IllegalMove::LeavesKingInCheck));
/// assert_eq!(pinned.legality(Move { from, to: square("e4")?, kind }), Err(IllegalMove::NotPseudoLegal));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalMove {
    /// No piece of the side to move can make the move.
    NotPseudoLegal,
    /// The king of the moving side would be attacked.
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
    /// Writes the move in the UCI notation of standard chess: `e2e4`, `e7e8q`, castling as the king's move (`e1g1`),
    /// a drop as `N@f3`, `0000` for the null move. [`Position::uci`](super::Position::uci) also supports Chess960.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = match self.kind {
            MoveKind::Null => return f.write_str("0000"),
            MoveKind::Drop(role) => return write!(f, "{role}@{}", self.to),
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

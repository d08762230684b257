//! Represents moves as 11-bit numbers (FORMAT.md, "Move ids").
//!
//! The idea is from Brenner's "Suggestion For Hardware Implementation", which states that about 7,000 plies are
//! possible at most, so 11 bits would suffice. With the piece and its color, there would be more than 2,048 moves. The
//! position already determines both. Without them, there are 1,968 triples of from square, to square and promotion.

use crate::chess::attacks::RELATION;
use crate::chess::{CastlingSide, Move, MoveKind, Position, Role, Square};

/// The number of moves with an id: 1,792 pairs of from and to squares on a line or a knight's move apart, and 176
/// promotions.
pub const MOVES: u16 = 1968;
/// The id of the null move. Ids 1,973 to 2,047 are reserved.
pub const NULL: MoveId = MoveId(MOVES);
/// The ids that end a sequence: no result, 0-1, 1-0, draw.
pub(super) const END: [MoveId; 4] = [MoveId(MOVES + 1), MoveId(MOVES + 2), MoveId(MOVES + 3), MoveId(MOVES + 4)];

/// The id of a move: its number among all moves of all pieces on an empty board, below 2,048.
///
/// ```
/// use scoresheet::brenner::move_id::{self, MoveId};
/// use scoresheet::chess::Position;
///
/// let start = Position::standard();
/// let e4 = start.parse_san("e4")?;
/// let id = MoveId::from_move(e4, false).expect("every legal move has an id");
/// assert!(id.number() < move_id::MOVES && id.is_known());
/// assert_eq!((id.to_move(&start), move_id::NULL.squares()), (Some(e4), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MoveId(u16);

/// The triples, ascending, in the order of their ids, with these fields:
///
/// | bits | value |
/// |---|---|
/// | 0..=2 | promotion: 0 none, 1 knight, 2 bishop, 3 rook, 4 queen |
/// | 3..=8 | to square |
/// | 9..=14 | from square |
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static TRIPLES: [u16; MOVES as usize] = {
    let mut table = [0; MOVES as usize];
    let (mut count, mut from) = (0, 0);
    while from < 64 {
        let mut to = 0;
        while to < 64 {
            if RELATION[from][to] != 0 {
                let (rank, last) = (from >> 3, to >> 3);
                let near = (from & 7).abs_diff(to & 7) <= 1;
                let promotes = near && (rank == 6 && last == 7 || rank == 1 && last == 0);
                let kinds = if promotes { 5 } else { 1 };
                let mut promotion = 0;
                while promotion < kinds {
                    table[count] = (from << 9 | to << 3 | promotion) as u16;
                    count += 1;
                    promotion += 1;
                }
            }
            to += 1;
        }
        from += 1;
    }
    assert!(count == MOVES as usize);
    table
};

impl MoveId {
    /// Returns the id with this number, or `None` if the number is 2,048 or more.
    pub const fn new(number: u16) -> Option<MoveId> {
        if number < 2048 { Some(MoveId(number)) } else { None }
    }

    /// Returns the id as a number below 2,048.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// Returns whether the id is assigned: to a move, the null move or an end of a game.
    pub const fn is_known(self) -> bool {
        self.0 <= MOVES + 4
    }

    /// Returns the id for a from square, a to square and a promotion. Returns `None` if no piece moves in this way.
    pub fn from_squares(from: Square, to: Square, promotion: Option<Role>) -> Option<MoveId> {
        let promotion = match promotion {
            None => 0,
            Some(role @ (Role::Knight | Role::Bishop | Role::Rook | Role::Queen)) => role as u16,
            Some(_) => return None,
        };
        let triple = u16::from(from.index()) << 9 | u16::from(to.index()) << 3 | promotion;
        TRIPLES.binary_search(&triple).ok().map(|index| MoveId(index as u16))
    }

    /// Returns the from square, the to square and the promotion. Returns `None` for the null move and other special
    /// ids.
    pub fn squares(self) -> Option<(Square, Square, Option<Role>)> {
        let triple = *TRIPLES.get(usize::from(self.0))?;
        let promotion = match triple & 7 {
            1 => Some(Role::Knight),
            2 => Some(Role::Bishop),
            3 => Some(Role::Rook),
            4 => Some(Role::Queen),
            _ => None,
        };
        Some((Square::masked((triple >> 9) as u8), Square::masked((triple >> 3) as u8), promotion))
    }

    /// Returns the id of a legal move or the null move. Returns `None` if no piece moves between the squares.
    ///
    /// Castling is encoded as the king's move by two squares (`e1g1`) if the king is on the e-file, the rook is in the
    /// corner, and `chess960` is false. Otherwise, it is encoded as the king capturing its own rook.
    pub fn from_move(m: Move, chess960: bool) -> Option<MoveId> {
        let to = match m.kind {
            MoveKind::Null => return Some(NULL),
            MoveKind::Castle(side) if !chess960 && m.from.file_index() == 4 => match (side, m.to.file_index()) {
                (CastlingSide::King, 7) => Square::at(6, m.from.rank_index()),
                (CastlingSide::Queen, 0) => Square::at(2, m.from.rank_index()),
                _ => m.to,
            },
            _ => m.to,
        };
        MoveId::from_squares(m.from, to, m.promotion())
    }

    /// Returns the legal move with this id in a position, or the null move. Accepts both encodings of castling. Returns
    /// `None` if the move is illegal in this position.
    pub fn to_move(self, position: &Position) -> Option<Move> {
        if self == NULL {
            return Some(Move::NULL);
        }
        let (from, to, promotion) = self.squares()?;
        let us = position.turn();
        let piece = position.piece_at(from).filter(|piece| piece.color == us)?;
        let legal = |to, kind| Some(Move { from, to, kind }).filter(|m| position.legality(*m).is_ok());
        if let Some(role) = promotion {
            return legal(to, MoveKind::Promotion(role));
        }
        if piece.role == Role::King {
            for side in CastlingSide::BOTH {
                let Some(rook) = position.castling_rook(us, side) else { continue };
                let corner = if side == CastlingSide::King { 7 } else { 0 };
                let arrives = if side == CastlingSide::King { 6 } else { 2 };
                let steps = from.file_index() == 4
                    && rook.file_index() == corner
                    && to == Square::at(arrives, from.rank_index());
                if to == rook || steps {
                    return legal(rook, MoveKind::Castle(side));
                }
            }
        }
        let passes =
            piece.role == Role::Pawn && from.file_index() != to.file_index() && position.en_passant() == Some(to);
        legal(to, if passes && position.piece_id_at(to).is_none() { MoveKind::EnPassant } else { MoveKind::Plain })
    }
}

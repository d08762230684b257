//! Moves in the notation of UCI, the protocol of chess engines: `e2e4`, `e7e8q`.

use crate::attacks::between;
use crate::moves::{CastlingSide, IllegalMove, Move, MoveKind};
use crate::piece::{Color, Role};
use crate::position::Position;
use crate::square::Square;
use crate::variant::Variant;
use std::fmt;

/// The reason why a text is not a legal move in UCI notation.
///
/// ```
/// use scoresheet_chess::{IllegalMove, Position, UciError};
///
/// let start = Position::standard();
/// assert_eq!(start.parse_uci("e2-e4"), Err(UciError::Unreadable));
/// assert_eq!(start.parse_uci("e2e5"), Err(UciError::Illegal(IllegalMove::NotPseudoLegal)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UciError {
    /// The text does not have the form of a move: two squares, and for a promotion a letter of `nbrq`.
    Unreadable,
    /// The move is not legal.
    Illegal(IllegalMove),
}

impl fmt::Display for UciError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UciError::Unreadable => f.write_str("not a move in UCI's notation"),
            UciError::Illegal(illegal) => illegal.fmt(f),
        }
    }
}

impl std::error::Error for UciError {}

impl Position {
    /// Returns the legal move that a text in UCI notation denotes. Castling may be written as the king's move by two
    /// squares (`e1g1`) or, as in Chess960, as the king capturing its own rook (`e1h1`). `0000` is the null move.
    ///
    /// ```
    /// use scoresheet_chess::Position;
    ///
    /// let position: Position = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse()?;
    /// assert_eq!(position.san(position.parse_uci("e1g1")?), "O-O");
    /// assert_eq!(position.san(position.parse_uci("e1a1")?), "O-O-O");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_uci(&self, text: &str) -> Result<Move, UciError> {
        if text == "0000" {
            return Ok(Move::NULL);
        }
        if let [letter, b'@', square @ ..] = text.as_bytes() {
            let role = Role::from_letter(*letter).ok_or(UciError::Unreadable)?;
            let to = Square::parse(square).ok_or(UciError::Unreadable)?;
            let m = Move { from: to, to, kind: MoveKind::Drop(role) };
            return self.legality(m).map(|()| m).map_err(UciError::Illegal);
        }
        let bytes = text.as_bytes();
        let (from, to, promotion) = match bytes {
            [.., _] if bytes.len() == 4 || bytes.len() == 5 => (bytes.get(..2), bytes.get(2..4), bytes.get(4)),
            _ => return Err(UciError::Unreadable),
        };
        let square = |text: Option<&[u8]>| text.and_then(Square::parse).ok_or(UciError::Unreadable);
        let (from, to) = (square(from)?, square(to)?);
        let promotion = match promotion {
            None => None,
            Some(b'k') if self.variant == Variant::Antichess => Some(Role::King),
            Some(letter @ (b'n' | b'b' | b'r' | b'q')) => Role::from_letter(letter.to_ascii_uppercase()),
            Some(_) => return Err(UciError::Unreadable),
        };
        let means = |m: &Move| {
            let is_drop = matches!(m.kind, MoveKind::Drop(_));
            !is_drop && m.from == from && m.promotion() == promotion && (m.to == to || self.king_step(*m) == Some(to))
        };
        let mut found: Vec<Move> = self.legal_moves().into_iter().filter(means).collect();
        // If an ordinary king move and castling in Chess960 notation have the same text, the text denotes the ordinary
        // move.
        found.sort_by_key(|m| (m.to != to, matches!(m.kind, MoveKind::Castle(_))));
        found.first().copied().ok_or_else(|| {
            let kind = promotion.map_or(MoveKind::Plain, MoveKind::Promotion);
            let illegal = self.legality(Move { from, to, kind }).err();
            UciError::Illegal(illegal.unwrap_or(IllegalMove::NotPseudoLegal))
        })
    }

    /// Returns whether games from this position write castling as the king capturing its own rook, as in Chess960. They
    /// do if a side may castle with a king that is not on the e-file or a rook that is not in the corner. They also do
    /// if all pieces are on the back rank in an order other than the standard one.
    ///
    /// Only the starting position of a game determines this, independent of its tags. Therefore all readers of the
    /// moves agree.
    ///
    /// ```
    /// use scoresheet_chess::Position;
    ///
    /// assert!(!Position::standard().is_chess960());
    /// let shuffled: Position = "bbqnrnkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNRNKR w KQkq - 0 1".parse()?;
    /// assert!(shuffled.is_chess960());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_chess960(&self) -> bool {
        let mut may_castle = false;
        for color in Color::BOTH {
            for (side, corner) in [(CastlingSide::King, 7), (CastlingSide::Queen, 0)] {
                let Some(rook) = self.castling_rook(color, side) else { continue };
                may_castle = true;
                if rook.file_index() != corner || self.king(color).is_some_and(|king| king.file_index() != 4) {
                    return true;
                }
            }
        }
        may_castle && self.is_shuffled()
    }

    /// Returns whether all pieces are on the back ranks, with the pawns in front, in an order other than the standard
    /// one.
    fn is_shuffled(&self) -> bool {
        let standard = Position::standard();
        let mut differs = false;
        for square in (0..64).filter_map(Square::new) {
            let (piece, usual) = (self.piece_at(square), standard.piece_at(square));
            let is_home = match (piece, usual) {
                (None, None) => true,
                (Some(piece), Some(usual)) => {
                    piece.color == usual.color && (piece.role == Role::Pawn) == (usual.role == Role::Pawn)
                }
                _ => false,
            };
            if !is_home {
                return false;
            }
            differs |= piece != usual;
        }
        differs
    }

    /// Returns a move in UCI notation, with castling written as in a game that starts from this position.
    /// `PlayedMove::uci` of scoresheet-pgn considers the starting position of the actual game.
    pub fn uci(&self, m: Move) -> String {
        let mut text = Vec::with_capacity(5);
        self.write_uci(m, self.is_chess960(), &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Returns the king's destination in castling if it is two squares away, as in standard chess.
    fn king_step(&self, m: Move) -> Option<Square> {
        let MoveKind::Castle(side) = m.kind else { return None };
        let standard =
            m.from.file_index() == 4 && between(m.from.at_most_63(), m.to.at_most_63()).count_ones() == 2 + side as u32;
        standard.then(|| Square::at(if side == CastlingSide::King { 6 } else { 2 }, m.from.rank_index()))
    }

    /// Appends the move in UCI notation: `e2e4`, `e7e8q`, or `N@f3` for a drop, or `0000` for the null move. Castling is written as the
    /// king's move by two squares if the king and the rook are on their standard squares and `chess960` is false.
    /// Otherwise, it is written as the king capturing its own rook.
    pub fn write_uci(&self, m: Move, chess960: bool, out: &mut Vec<u8>) {
        match m.kind {
            MoveKind::Null => return out.extend_from_slice(b"0000"),
            MoveKind::Drop(role) => {
                out.extend_from_slice(&[role.letter(), b'@']);
                return out.extend_from_slice(&m.to.name());
            }
            _ => {}
        }
        let to = self.king_step(m).filter(|_| !chess960).unwrap_or(m.to);
        out.extend_from_slice(&m.from.name());
        out.extend_from_slice(&to.name());
        if let Some(role) = m.promotion() {
            out.push(role.letter().to_ascii_lowercase());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/1P6/8/2pP4/8/8/8/R3K2R w KQkq c6 0 1",
            // Chess960: the king's step to g1 is castling as well as a step.
            "4k3/8/8/8/8/8/8/5KR1 w G - 0 1",
        ] {
            let position = Position::from_fen(fen.as_bytes()).unwrap();
            for m in position.legal_moves() {
                for chess960 in [false, true] {
                    let mut text = Vec::new();
                    position.write_uci(m, chess960, &mut text);
                    let text = String::from_utf8(text).unwrap();
                    assert_eq!(position.parse_uci(&text), Ok(m), "{text} in {fen}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_move_is_refused() {
        let position = Position::standard();
        for text in ["", "e2", "e2e", "e2e9", "e2e4x", "e7e8k", "e2e4qq", "O-O", "é2e4"] {
            assert_eq!(position.parse_uci(text), Err(UciError::Unreadable), "{text}");
        }
        for text in ["e2e5", "e2e4q", "e1g1", "e7e5", "a4a5"] {
            assert_eq!(position.parse_uci(text), Err(UciError::Illegal(IllegalMove::NotPseudoLegal)), "{text}");
        }
        assert_eq!(position.parse_uci("0000"), Ok(Move::NULL));
    }
}

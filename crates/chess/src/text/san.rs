//! Standard algebraic notation (SAN): written as in the PGN standard, and read in the forms that people use.

use crate::attention::Attention;
use crate::moves::{CastlingSide, IllegalMove, Move, MoveKind};
use crate::piece::{Color, Role};
use crate::position::Position;
use crate::rules::Variant;
use crate::square::{Square, squares};
use std::fmt;

mod plain;
mod quick;
mod variant;
#[doc(hidden)]
pub use plain::Plain;
pub use plain::ShortText;
#[doc(hidden)]
pub use quick::Short;

/// The reason why a text cannot be read as a legal move of a position.
///
/// ```
/// use scoresheet_chess::{Position, san::SanError};
///
/// let position: Position = "4k3/8/8/8/8/8/8/N3KN2 w - - 0 1".parse()?;
/// assert_eq!(position.parse_san("Nd9"), Err(SanError::Unreadable));
/// assert_eq!(position.parse_san("Nh8"), Err(SanError::NoSuchMove));
/// let knights: Position = "4k3/8/8/8/8/1N6/8/4KN2 w - - 0 1".parse()?;
/// assert_eq!(knights.parse_san("Nd2"), Err(SanError::Ambiguous));
/// assert_eq!(knights.san(knights.parse_san("N1d2")?), "Nfd2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SanError {
    /// The text does not have the form of a move.
    Unreadable,
    /// No piece of the side to move can make this move.
    NoSuchMove,
    /// More than one piece can make this move.
    Ambiguous,
    /// The move would leave its own king in check.
    LeavesKingInCheck,
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SanError::Unreadable => "not a move",
            SanError::NoSuchMove => "no piece can make this move",
            SanError::Ambiguous => "more than one piece can make this move",
            SanError::LeavesKingInCheck => "leaves the king in check",
        })
    }
}

impl std::error::Error for SanError {}

impl From<IllegalMove> for SanError {
    fn from(illegal: IllegalMove) -> SanError {
        match illegal {
            IllegalMove::NotPseudoLegal => SanError::NoSuchMove,
            IllegalMove::LeavesKingInCheck => SanError::LeavesKingInCheck,
        }
    }
}

/// A move text that has been parsed without a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Castle(CastlingSide),
    Null,
    Piece { role: Role, file: Option<u8>, rank: Option<u8>, to: Square, promotion: Option<Role> },
}

/// Parses a move text. In addition to the standard, accepts `0-0`, superfluous files, ranks and squares, `-`, `x` or
/// `:` between the squares, and `P` for the pawn. Also accepts `e8Q`, `e8(Q)`, `e8/Q`, lower-case promotion letters,
/// UCI's `e2e4`, and the names of the null move.
fn read(text: &[u8]) -> Option<Form> {
    let mut text = text;
    while let [rest @ .., b'+' | b'#' | b'!' | b'?'] = text {
        text = rest;
    }
    if let Some(rest) = text.strip_suffix(b"e.p.").or(text.strip_suffix(b"ep")) {
        text = rest;
    }
    match text {
        b"O-O" | b"0-0" | b"o-o" | b"OO" => return Some(Form::Castle(CastlingSide::King)),
        b"O-O-O" | b"0-0-0" | b"o-o-o" | b"OOO" => return Some(Form::Castle(CastlingSide::Queen)),
        text if is_null_move(text) => return Some(Form::Null),
        _ => {}
    }
    let (role, mut rest) = match text {
        [letter, rest @ ..] => match Role::from_letter(*letter) {
            Some(role) => (role, rest),
            None => (Role::Pawn, text),
        },
        [] => return None,
    };
    let mut promotion = None;
    if role == Role::Pawn {
        let bracketed = match rest {
            [head @ .., b'(', letter, b')'] => Some((head, letter)),
            _ => None,
        };
        let bare = || match rest {
            [head @ .., b'=' | b'/', letter] | [head @ .., letter] => Some((head, letter)),
            [] => None,
        };
        if let Some((head, letter)) = bracketed.or_else(bare)
            && let Some(role) = Role::from_letter(letter.to_ascii_uppercase())
            && matches!(role, Role::Knight | Role::Bishop | Role::Rook | Role::Queen)
            && head.len() >= 2
        {
            promotion = Some(role);
            rest = head;
        }
    }
    let (head, target) = rest.split_last_chunk::<2>()?;
    let to = Square::parse(target)?;
    let head = match head {
        [b'x' | b'-' | b':'] if role == Role::Pawn => return None,
        [head @ .., b'x' | b'-' | b':'] => head,
        head => head,
    };
    let is_file = |b: &u8| (b'a'..=b'h').contains(b);
    let is_rank = |b: &u8| (b'1'..=b'8').contains(b);
    let (file, rank) = match head {
        [] => (None, None),
        [file] if is_file(file) => (Some(file - b'a'), None),
        [rank] if is_rank(rank) => (None, Some(rank - b'1')),
        [file, rank] if is_file(file) && is_rank(rank) => (Some(file - b'a'), Some(rank - b'1')),
        _ => return None,
    };
    Some(Form::Piece { role, file, rank, to, promotion })
}

/// Returns whether a word is a name of the null move.
pub fn is_null_move(word: &[u8]) -> bool {
    matches!(word, b"--" | b"Z0" | b"@@@@" | b"null" | b"<>" | b"pass" | b"0000")
}

/// Iterates over the moves of a text and omits the move numbers: `e4`, `e5` and `Nf3` for `1. e4 e5 2.Nf3`. Numbers may
/// be separate words or joined to the next move.
pub fn move_words(text: &str) -> impl Iterator<Item = &str> {
    let word = |word| {
        let rest: &str = str::trim_start_matches(word, |letter: char| letter.is_ascii_digit());
        let is_numbered = rest.len() < word.len() && (rest.is_empty() || rest.starts_with('.'));
        if is_numbered { rest.trim_start_matches('.') } else { word }
    };
    text.split_whitespace().map(word).filter(|word| !word.is_empty())
}

/// The first word of a line of moves that is not a legal move.
///
/// ```
/// use scoresheet_chess::san::line;
///
/// let error = line("1. e4 e5 2. Ke3").unwrap_err();
/// assert_eq!(error.place, 12..15);
/// assert!(error.to_string().starts_with("\"Ke3\" is not a legal move in rnbqkbnr/"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineError {
    /// The range of the word in the text, in bytes.
    pub place: std::ops::Range<usize>,
    message: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LineError {}

/// Returns the position that moves from the standard starting position lead to: `e4 c5 Nf3` or `1. e4 c5 2.Nf3`, in SAN
/// or UCI.
///
/// Errors contain the location of the first unreadable or illegal move.
pub fn line(text: &str) -> Result<Position, LineError> {
    line_of(Variant::Chess, text)
}

/// Returns the position that moves from the starting position of a variant lead to, like [`line()`].
pub fn line_of(variant: Variant, text: &str) -> Result<Position, LineError> {
    let mut position = variant.start();
    for word in move_words(text) {
        let read = position.parse_san(word).or_else(|error| position.parse_uci(word).map_err(|_| error));
        position.play_unchecked(read.map_err(|_| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            let message = format!("{word:?} is not a legal move in {}", position.fen());
            LineError { place: start..start + word.len(), message }
        })?);
    }
    Ok(position)
}

impl Position {
    /// Reads a move text as a legal move of this position, or as the null move (`--`), which is not checked.
    ///
    /// Check marks, `!` and `?` are read but ignored. All extensions of `read` are accepted.
    pub fn parse_san(&self, text: impl AsRef<[u8]>) -> Result<Move, SanError> {
        self.san_of_bytes(text.as_ref())
    }

    fn san_of_bytes(&self, text: &[u8]) -> Result<Move, SanError> {
        if self.variant != Variant::Chess {
            return self.parse_san_in_variant(text);
        }
        match read(text).ok_or(SanError::Unreadable)? {
            Form::Null => Ok(Move::NULL),
            Form::Castle(side) => self.castling(side),
            Form::Piece { role: Role::Pawn, file, rank, to, promotion } => {
                self.pawn_move(text, file, rank, to, promotion)
            }
            Form::Piece { role, file, rank, to, .. } => {
                let mut from = self.candidates(role, to);
                if let Some(file) = file {
                    from &= 0x0101_0101_0101_0101 << file;
                }
                if let Some(rank) = rank {
                    from &= 0xFF << (rank * 8);
                }
                self.only_legal(squares(from).map(|from| Move::plain(from, to)))
            }
        }
    }

    fn castling(&self, side: CastlingSide) -> Result<Move, SanError> {
        let us = self.turn();
        match (self.king(us), self.castling_rook(us, side)) {
            (Some(king), Some(rook)) if self.castling_is_possible(us, side) => {
                Ok(Move { from: king, to: rook, kind: MoveKind::Castle(side) })
            }
            _ => Err(SanError::NoSuchMove),
        }
    }

    /// Reads a text without a piece letter: a pawn's move, or, with a complete from square, a UCI move of any piece.
    fn pawn_move(
        &self,
        text: &[u8],
        file: Option<u8>,
        rank: Option<u8>,
        to: Square,
        promotion: Option<Role>,
    ) -> Result<Move, SanError> {
        let us = self.turn();
        if let (Some(file), Some(rank)) = (file, rank) {
            let from = Square::at(file, rank);
            let role = self.piece_at(from).map(|piece| piece.role);
            if role != Some(Role::Pawn) && text.first() != Some(&b'P') {
                let king = role == Some(Role::King) && promotion.is_none();
                if king && let Some(castling) = self.uci_castling(from, to) {
                    return castling;
                }
                if promotion.is_some() {
                    return Err(SanError::NoSuchMove);
                }
                let m = Move::plain(from, to);
                return self.legality(m).map(|()| m).map_err(SanError::from);
            }
        }
        let kind = match promotion {
            Some(role) => MoveKind::Promotion(role),
            None if self.en_passant() == Some(to) && file.is_some_and(|file| file != to.file_index()) => {
                MoveKind::EnPassant
            }
            None => MoveKind::Plain,
        };
        let mut from = if file.is_none_or(|file| file == to.file_index()) {
            let back = if us == Color::White { -8i8 } else { 8 };
            let single = to.index().wrapping_add_signed(back) & 63;
            let occupied = (self.occupied[0] | self.occupied[1]) >> single & 1;
            if occupied != 0 { 1 << single } else { 1 << (single.wrapping_add_signed(back) & 63) }
        } else {
            self.candidates(Role::Pawn, to)
        };
        if let Some(file) = file {
            from &= 0x0101_0101_0101_0101 << file;
        }
        if let Some(rank) = rank {
            from &= 0xFF << (rank * 8);
        }
        self.only_legal(squares(from).map(|from| Move { from, to, kind }))
    }

    /// Reads castling in UCI notation: the king's move of two or more squares to its castling square, or the king
    /// capturing its own rook.
    fn uci_castling(&self, from: Square, to: Square) -> Option<Result<Move, SanError>> {
        let us = self.turn();
        if self.king(us) != Some(from) {
            return None;
        }
        if let Some(side) = CastlingSide::BOTH.into_iter().find(|side| self.castling_rook(us, *side) == Some(to)) {
            return Some(self.castling(side));
        }
        let side = if to.file_index() > from.file_index() { CastlingSide::King } else { CastlingSide::Queen };
        let far = from.file_index().abs_diff(to.file_index()) >= 2 && from.rank_index() == to.rank_index();
        (far && to.file_index() == side.files().0).then(|| self.castling(side))
    }

    /// Returns the legal move if exactly one of several moves is legal, or the first fault if none is.
    fn only_legal(&self, moves: impl Iterator<Item = Move>) -> Result<Move, SanError> {
        let mut found = Err(SanError::NoSuchMove);
        for m in moves {
            match (self.legality(m), found) {
                (Ok(()), Ok(_)) => return Err(SanError::Ambiguous),
                (Ok(()), Err(_)) => found = Ok(m),
                (Err(fault), Err(SanError::NoSuchMove)) => found = Err(fault.into()),
                _ => {}
            }
        }
        found
    }

    /// Appends the standard SAN of a legal move, with `+` or `#`. The null move is written as `--`.
    pub fn write_san(&self, m: Move, out: &mut Vec<u8>) {
        self.write_san_as(m, false, out);
    }

    /// Appends the SAN of a legal move in a variant that some writers use (Lichess in its early years). If the file
    /// does not distinguish two pieces, this variant writes the complete square even if the rank would suffice.
    pub fn write_san_full_squares(&self, m: Move, out: &mut Vec<u8>) {
        self.write_san_as(m, true, out);
    }

    fn write_san_as(&self, m: Move, full_squares: bool, out: &mut Vec<u8>) {
        if self.variant != Variant::Chess {
            return self.write_san_in_variant(m, full_squares, out);
        }
        self.write_san_unmarked(m, full_squares, out);
        if self.gives_check(m) {
            out.push(if self.mates(m) { b'#' } else { b'+' });
        }
    }

    /// Returns whether a move that gives check is checkmate.
    #[inline(never)] // Asked seldom, in places that are to stay small.
    fn mates(&self, m: Move) -> bool {
        let mut after = self.clone();
        match m.kind {
            MoveKind::Plain if self.attention != Attention::Unknown => after.play_plain(m, true),
            _ => after.play_unchecked(m),
        }
        !after.has_legal_move()
    }

    /// Returns the standard SAN of a legal move.
    pub fn san(&self, m: Move) -> String {
        let mut text = Vec::with_capacity(8);
        self.write_san(m, &mut text);
        // The writer emits ASCII only.
        String::from_utf8(text).unwrap_or_default()
    }

    fn write_san_unmarked(&self, m: Move, full_squares: bool, out: &mut Vec<u8>) {
        let to = m.to.name();
        match m.kind {
            MoveKind::Null => return out.extend_from_slice(b"--"),
            MoveKind::Castle(CastlingSide::King) => return out.extend_from_slice(b"O-O"),
            MoveKind::Castle(CastlingSide::Queen) => return out.extend_from_slice(b"O-O-O"),
            // Chess has no drops. This is their coordinate notation.
            MoveKind::Drop(_) => return out.extend_from_slice(m.to_string().as_bytes()),
            _ => {}
        }
        let role = self.piece_at(m.from).map_or(Role::Pawn, |piece| piece.role);
        let takes = self.piece_id_at(m.to).is_some() || m.kind == MoveKind::EnPassant;
        if role == Role::Pawn {
            if takes {
                out.extend_from_slice(&[m.from.name()[0], b'x']);
            }
            out.extend_from_slice(&to);
            if let Some(role) = m.promotion() {
                out.extend_from_slice(&[b'=', role.letter()]);
            }
            return;
        }
        out.push(role.letter());
        let others = self.near(role as u8, m.to) & !m.from.bit();
        let (distinction_bytes, distinction_length) = self.distinction(m, others, full_squares);
        out.extend(distinction_bytes.to_le_bytes().iter().take(distinction_length as usize));
        if takes {
            out.push(b'x');
        }
        out.extend_from_slice(&to);
    }
}

//! Converts FEN text to its fields.

use super::types::{CastlingRight, CastlingRook, Fen, FenError, FenFault, FenField};
use crate::moves::CastlingSide;
use crate::piece::{Color, Piece};
use crate::square::Square;

/// The strictness of the FEN reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReadMode {
    /// Accept exactly six fields, separated by single spaces, each in the form of the FEN documents. Runs of empty
    /// squares are written as one digit, and castling rights are in order (KQkq, or file letters in X-FEN and
    /// Shredder-FEN). The en passant target is on rank 3 or 6, depending on the side to move.
    Strict,
    /// Accept the common variations. Fields after the placement may be missing, `nil` means `-`, clocks may be `-`, and
    /// separators may be tabs or several blanks. Digits may be split, the side may be in upper case, and rights may be
    /// in any order.
    #[default]
    Forgiving,
}

/// A reader that returns the fields of a text one after the other.
pub(super) struct Fields<'a> {
    text: &'a [u8],
    at: usize,
    mode: ReadMode,
}

/// The text of a field and its offset.
type Field<'a> = (usize, &'a [u8]);

pub(super) fn error(field: FenField, offset: usize, fault: FenFault) -> FenError {
    FenError { field, column: offset + 1, fault }
}

impl<'a> Fields<'a> {
    pub(super) fn new(text: &'a [u8], mode: ReadMode) -> Fields<'a> {
        Fields { text, at: 0, mode }
    }

    /// Returns the offset of the end of the text.
    pub(super) fn end(&self) -> usize {
        self.text.len()
    }

    /// Returns the next field, or `None` at the end of the text.
    pub(super) fn next(&mut self, field: FenField) -> Result<Option<Field<'a>>, FenError> {
        let first = self.at == 0;
        let rest = self.text.get(self.at..).unwrap_or_default();
        let gap = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let start = self.at + gap;
        let length = rest.iter().skip(gap).take_while(|b| !b.is_ascii_whitespace()).count();
        if self.mode == ReadMode::Strict && !rest.is_empty() {
            let separator: &[u8] = if first { b"" } else { b" " };
            let between = rest.get(..gap).unwrap_or_default();
            if between != separator || length == 0 {
                // The first byte that is not a single space: another character, or an additional blank.
                let odd = between.iter().zip(separator).take_while(|(b, separator)| b == separator).count();
                return Err(error(field, self.at + odd, FenFault::Separator));
            }
        }
        self.at = start + length;
        let text = self.text.get(start..self.at).unwrap_or_default();
        Ok((length > 0).then_some((start, text)))
    }

    /// Returns the next field like `next`, but the strict reader returns an error if it is missing.
    pub(super) fn expect(&mut self, field: FenField) -> Result<Option<Field<'a>>, FenError> {
        match (self.next(field)?, self.mode) {
            (None, ReadMode::Strict) => Err(error(field, self.text.len(), FenFault::Missing)),
            (found, _) => Ok(found),
        }
    }

    fn placement(&mut self) -> Result<[Option<Piece>; 64], FenError> {
        let field = FenField::Placement;
        let (start, text) = self.next(field)?.ok_or(error(field, self.text.len(), FenFault::Missing))?;
        placement(text, self.mode).map_err(|(at, fault)| {
            let board_fault = match other_board(text) {
                Some((files, ranks)) => FenFault::BoardSize { files, ranks },
                None => fault,
            };
            error(field, start + at, board_fault)
        })
    }

    pub(super) fn turn(&mut self) -> Result<Color, FenError> {
        match (self.expect(FenField::Turn)?, self.mode) {
            (None, _) | (Some((_, b"w")), _) | (Some((_, b"W")), ReadMode::Forgiving) => Ok(Color::White),
            (Some((_, b"b")), _) | (Some((_, b"B")), ReadMode::Forgiving) => Ok(Color::Black),
            (Some((start, _)), _) => Err(error(FenField::Turn, start, FenFault::NoSuchSide)),
        }
    }

    /// Returns whether the text of a field means "none". The strict reader rejects the old symbol `nil`.
    pub(super) fn is_none(&self, field: FenField, (start, text): Field<'_>) -> Result<bool, FenError> {
        match (text, self.mode) {
            (b"-", _) | (b"nil", ReadMode::Forgiving) => Ok(true),
            (b"nil", ReadMode::Strict) => Err(error(field, start, FenFault::OldSymbol)),
            _ => Ok(false),
        }
    }

    fn castling(&mut self) -> Result<Vec<CastlingRight>, FenError> {
        let mut rights: Vec<CastlingRight> = Vec::new();
        let Some((start, text)) = self.expect(FenField::Castling)? else { return Ok(rights) };
        if self.is_none(FenField::Castling, (start, text))? {
            return Ok(rights);
        }
        for (at, letter) in text.iter().enumerate() {
            let fault = |fault| error(FenField::Castling, start + at, fault);
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let rook = match letter.to_ascii_uppercase() {
                b'K' => CastlingRook::Outermost(CastlingSide::King),
                b'Q' => CastlingRook::Outermost(CastlingSide::Queen),
                file @ b'A'..=b'H' => CastlingRook::File(file - b'A'),
                _ => return Err(fault(FenFault::NoSuchRight)),
            };
            let right = CastlingRight { color, rook };
            if self.mode == ReadMode::Strict && !rights.last().is_none_or(|last| may_follow(*last, right, rights.len()))
            {
                return Err(fault(FenFault::RightOutOfOrder));
            }
            if !rights.contains(&right) {
                rights.push(right);
            }
        }
        Ok(rights)
    }

    fn en_passant(&mut self, turn: Color) -> Result<Option<Square>, FenError> {
        let Some((start, text)) = self.expect(FenField::EnPassant)? else { return Ok(None) };
        if self.is_none(FenField::EnPassant, (start, text))? {
            return Ok(None);
        }
        let square = Square::parse(text).ok_or(error(FenField::EnPassant, start, FenFault::NoSuchSquare))?;
        let rank = if turn == Color::White { 5 } else { 2 };
        if self.mode == ReadMode::Strict && square.rank_index() != rank {
            return Err(error(FenField::EnPassant, start, FenFault::WrongRank));
        }
        Ok(Some(square))
    }

    pub(super) fn number(&mut self, field: FenField, missing: u32) -> Result<u32, FenError> {
        match (self.expect(field)?, self.mode) {
            (None, _) | (Some((_, b"-")), ReadMode::Forgiving) => Ok(missing),
            (Some((start, digits)), mode) => {
                if !digits.iter().all(u8::is_ascii_digit) {
                    return Err(error(field, start, FenFault::NotANumber));
                }
                if mode == ReadMode::Strict && field == FenField::FullmoveNumber && digits.starts_with(b"0") {
                    return Err(error(field, start, FenFault::LeadingZero));
                }
                let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
                number.ok_or(error(field, start, FenFault::NumberTooLarge))
            }
        }
    }

    /// Reads the first four fields. Sets the clocks to 0 and 1.
    fn four(&mut self) -> Result<Fen, FenError> {
        let pieces = self.placement()?;
        let turn = self.turn()?;
        let castling = self.castling()?;
        let en_passant = self.en_passant(turn)?;
        Ok(Fen { pieces, turn, castling, en_passant, halfmove_clock: 0, fullmove_number: 1 })
    }
}

pub(super) fn fen(text: &[u8], mode: ReadMode) -> Result<Fen, FenError> {
    let mut fields = Fields::new(text, mode);
    let mut fen = fields.four()?;
    fen.halfmove_clock = fields.number(FenField::HalfmoveClock, 0)?;
    fen.fullmove_number = fields.number(FenField::FullmoveNumber, 1)?;
    let field = FenField::FullmoveNumber;
    match fields.next(field)? {
        None => Ok(fen),
        Some((start, _)) => Err(error(field, start, FenFault::TooManyFields)),
    }
}

/// Reads the first four fields, all of which are required. Returns the fields and their length in bytes.
pub(crate) fn four_fields(text: &[u8], mode: ReadMode) -> Result<(Fen, usize), FenError> {
    let mut fields = Fields::new(text, mode);
    let fen = fields.four()?;
    // The forgiving reader treats missing fields as empty, but an EPD requires all four fields.
    let end = fields.at;
    let count =
        text.get(..end).unwrap_or_default().split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).count();
    let missing = [FenField::Placement, FenField::Turn, FenField::Castling, FenField::EnPassant];
    match missing.get(count) {
        Some(field) => Err(error(*field, text.len(), FenFault::Missing)),
        None => Ok((fen, end)),
    }
}

/// Returns whether a castling right may follow another: White's before Black's, the h-side's before the a-side's, at
/// most two per side.
fn may_follow(last: CastlingRight, right: CastlingRight, before: usize) -> bool {
    if last.color != right.color {
        return right.color == Color::Black;
    }
    let h_side_first = match (last.rook, right.rook) {
        (CastlingRook::Outermost(a), CastlingRook::Outermost(b)) => (a, b) == (CastlingSide::King, CastlingSide::Queen),
        (CastlingRook::File(a), CastlingRook::File(b)) => a > b,
        (CastlingRook::Outermost(side), CastlingRook::File(_)) => side == CastlingSide::King,
        (CastlingRook::File(_), CastlingRook::Outermost(side)) => side == CastlingSide::Queen,
    };
    h_side_first && before < 4
}

fn placement(text: &[u8], mode: ReadMode) -> Result<[Option<Piece>; 64], (usize, FenFault)> {
    let mut pieces = [None; 64];
    let (mut file, mut rank) = (0u8, 7u8);
    let mut after_digit = false;
    for (at, &letter) in text.iter().enumerate() {
        let fault = |fault| Err((at, fault));
        match letter {
            b'/' if file < 8 => return fault(FenFault::RankTooShort),
            b'/' if rank == 0 => return fault(FenFault::RankCount),
            b'/' => {
                file = 0;
                rank -= 1;
            }
            b'1'..=b'8' if mode == ReadMode::Strict && after_digit => return fault(FenFault::AdjacentDigits),
            b'1'..=b'8' if file + (letter - b'0') <= 8 => file += letter - b'0',
            b'1'..=b'9' => return fault(FenFault::RankTooLong),
            _ => {
                let Some(piece) = Piece::from_letter(letter) else { return fault(FenFault::NoSuchPiece) };
                if file >= 8 {
                    return fault(FenFault::RankTooLong);
                }
                pieces[Square::at(file, rank).at_most_63()] = Some(piece);
                file += 1;
            }
        }
        after_digit = letter.is_ascii_digit();
    }
    match (file, rank) {
        (8, 0) => Ok(pieces),
        (8, _) => Err((text.len(), FenFault::RankCount)),
        _ => Err((text.len(), FenFault::RankTooShort)),
    }
}

/// Returns the numbers of files and ranks if a text is a placement on a board of another size than 8x8: ranks of equal
/// length, with letters and decimal numbers.
fn other_board(text: &[u8]) -> Option<(u16, u16)> {
    let mut files = None;
    let mut ranks = 0u16;
    for rank in text.split(|b| *b == b'/') {
        let (mut length, mut number) = (0u16, 0u16);
        for letter in rank {
            match letter {
                b'0'..=b'9' => number = number.checked_mul(10)?.checked_add(u16::from(letter - b'0'))?,
                b'a'..=b'z' | b'A'..=b'Z' => {
                    length = length.checked_add(number)?.checked_add(1)?;
                    number = 0;
                }
                _ => return None,
            }
        }
        length = length.checked_add(number)?;
        if length == 0 || *files.get_or_insert(length) != length {
            return None;
        }
        ranks = ranks.checked_add(1)?;
    }
    let files = files?;
    (ranks > 1 && (files, ranks) != (8, 8)).then_some((files, ranks))
}

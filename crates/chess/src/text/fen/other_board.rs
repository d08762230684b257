//! X-FEN for boards of other sizes than 8x8 (such as Scharnagl's 10x8), read and written only as text. This library
//! does not implement the rules of such games.

use super::read::{Fields, ReadMode, error};
use super::types::{FenError, FenFault, FenField, write_number};
use crate::piece::Color;
use std::fmt;

/// The maximum number of files and ranks. Letters can name at most 26 files, and no known board has more ranks.
const MAX_SIDE: u16 = 26;

/// The six fields of an X-FEN for a board of another size than 8x8, as written. Pieces are letters without rules of
/// movement.
///
/// ```
/// use scoresheet_chess::fen::{OtherBoard, ReadMode};
///
/// let text = b"rnabqkbcnr/pppppppppp/55/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1";
/// let board = OtherBoard::read(text, ReadMode::Forgiving)?;
/// assert_eq!((board.files, board.ranks), (10, 8));
/// assert_eq!(board.to_string(), "rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1");
/// # Ok::<(), scoresheet_chess::fen::FenError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherBoard {
    /// The number of files: 9 to 26.
    pub files: u8,
    /// The number of ranks: 2 to 26.
    pub ranks: u8,
    /// The letter on each square, upper case for White, from the highest rank, or `None` for an empty square.
    pub pieces: Vec<Option<u8>>,
    /// The side to move.
    pub turn: Color,
    /// The letters of the castling rights (`KQkq`, or files), without duplicates: White's first, and for each color the
    /// king's side first.
    pub castling: Vec<u8>,
    /// The file and rank, from 0, of the square that a pawn passed in the last move, a double step.
    pub en_passant: Option<(u8, u8)>,
    /// The number of plies since the last capture or pawn move.
    pub halfmove_clock: u32,
    /// The move number.
    pub fullmove_number: u32,
}

impl OtherBoard {
    /// Reads an X-FEN for a board of 9 to 26 files and 2 to 26 ranks. Errors name the field and the column. For a board
    /// of another size or of 8x8, the error names the placement field.
    pub fn read(text: &[u8], mode: ReadMode) -> Result<OtherBoard, FenError> {
        let mut fields = Fields::new(text, mode);
        let field = FenField::Placement;
        let (start, placed) = fields.next(field)?.ok_or(error(field, fields.end(), FenFault::Missing))?;
        let (files, pieces) = placement(placed, mode).map_err(|(at, fault)| error(field, start + at, fault))?;
        let ranks = (pieces.len() / usize::from(files)) as u8;
        let turn = fields.turn()?;
        let castling = castling(&mut fields, files)?;
        let en_passant = en_passant(&mut fields, files, ranks)?;
        let halfmove_clock = fields.number(FenField::HalfmoveClock, 0)?;
        let fullmove_number = fields.number(FenField::FullmoveNumber, 1)?;
        if let Some((start, _)) = fields.next(FenField::FullmoveNumber)? {
            return Err(error(FenField::FullmoveNumber, start, FenFault::TooManyFields));
        }
        Ok(OtherBoard { files, ranks, pieces, turn, castling, en_passant, halfmove_clock, fullmove_number })
    }
}

type Placed = (u8, Vec<Option<u8>>);

fn placement(text: &[u8], mode: ReadMode) -> Result<Placed, (usize, FenFault)> {
    let (mut pieces, mut files, mut ranks, mut at) = (Vec::new(), None, 0u16, 0);
    for rank in text.split(|b| *b == b'/') {
        let before = pieces.len();
        let mut rest = rank;
        while let Some(&first) = rest.first() {
            let index = at + rank.len() - rest.len();
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let (text, after) = rest.split_at(digits.max(1));
            if digits == 0 {
                if !first.is_ascii_alphabetic() {
                    return Err((index, FenFault::NoSuchPiece));
                }
                pieces.push(Some(first));
            } else {
                pieces.resize(pieces.len() + usize::from(gap(text, mode).ok_or((index, FenFault::RankTooLong))?), None);
            }
            if pieces.len() - before > usize::from(MAX_SIDE) {
                return Err((index, FenFault::RankTooLong));
            }
            rest = after;
        }
        let length = pieces.len() - before;
        let width = *files.get_or_insert(length);
        if length != width {
            let fault = if length < width { FenFault::RankTooShort } else { FenFault::RankTooLong };
            return Err((at + rank.len(), fault));
        }
        ranks += 1;
        if ranks > MAX_SIDE {
            return Err((at, FenFault::RankCount));
        }
        at += rank.len() + 1;
    }
    let files = u16::try_from(files.unwrap_or_default()).unwrap_or_default();
    if files <= 8 || ranks < 2 {
        return Err((0, FenFault::BoardSize { files, ranks }));
    }
    Ok((files as u8, pieces))
}

/// Returns the number of empty squares that digits represent: one number (`10`), or in forgiving reading the sum of
/// several (`55`).
fn gap(digits: &[u8], mode: ReadMode) -> Option<u16> {
    let number =
        digits.iter().try_fold(0u16, |number, digit| number.checked_mul(10)?.checked_add(u16::from(digit - b'0')));
    match number {
        Some(number @ 1..=MAX_SIDE) if digits.first() != Some(&b'0') => Some(number),
        _ if mode == ReadMode::Forgiving => Some(digits.iter().map(|digit| u16::from(digit - b'0')).sum()),
        _ => None,
    }
}

fn castling(fields: &mut Fields<'_>, files: u8) -> Result<Vec<u8>, FenError> {
    let mut rights = Vec::new();
    let Some((start, text)) = fields.expect(FenField::Castling)? else { return Ok(rights) };
    if fields.is_none(FenField::Castling, (start, text))? {
        return Ok(rights);
    }
    for (at, letter) in text.iter().enumerate() {
        let upper = letter.to_ascii_uppercase();
        if !matches!(upper, b'K' | b'Q') && !(b'A'..b'A' + files).contains(&upper) {
            return Err(error(FenField::Castling, start + at, FenFault::NoSuchRight));
        }
        if !rights.contains(letter) {
            rights.push(*letter);
        }
    }
    // White's rights come first. Within a color, the order is K, Q, and then the files from the right.
    rights.sort_by_key(|letter| {
        let upper = letter.to_ascii_uppercase();
        let index = match upper {
            b'K' => 0,
            b'Q' => 1,
            file => 2 + (b'Z' - file),
        };
        (letter.is_ascii_lowercase(), index)
    });
    Ok(rights)
}

fn en_passant(fields: &mut Fields<'_>, files: u8, ranks: u8) -> Result<Option<(u8, u8)>, FenError> {
    let Some((start, text)) = fields.expect(FenField::EnPassant)? else { return Ok(None) };
    if fields.is_none(FenField::EnPassant, (start, text))? {
        return Ok(None);
    }
    let square = match text {
        [file @ b'a'..=b'z', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => {
            let rank = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u8>().ok());
            rank.and_then(|rank| rank.checked_sub(1)).map(|rank| (file - b'a', rank))
        }
        _ => None,
    };
    let square = square.filter(|(file, rank)| *file < files && *rank < ranks);
    square.map(Some).ok_or(error(FenField::EnPassant, start, FenFault::NoSuchSquare))
}

impl fmt::Display for OtherBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::with_capacity(120);
        for (number, rank) in self.pieces.chunks(usize::from(self.files).max(1)).enumerate() {
            if number > 0 {
                out.push(b'/');
            }
            let mut empty = 0;
            for square in rank.iter().copied().chain([Some(0)]) {
                match square {
                    None => empty += 1,
                    Some(letter) => {
                        if empty > 0 {
                            write_number(&mut out, std::mem::take(&mut empty));
                        }
                        out.extend((letter != 0).then_some(letter));
                    }
                }
            }
        }
        out.extend_from_slice(if self.turn == Color::White { b" w " } else { b" b " });
        out.extend_from_slice(if self.castling.is_empty() { b"-" } else { &self.castling });
        out.push(b' ');
        match self.en_passant {
            Some((file, rank)) => {
                out.push(b'a' + file);
                write_number(&mut out, u32::from(rank) + 1);
            }
            None => out.push(b'-'),
        }
        write!(f, "{} {} {}", String::from_utf8_lossy(&out), self.halfmove_clock, self.fullmove_number)
    }
}

//! The parts of a FEN, and the faults in them.

use crate::moves::CastlingSide;
use crate::piece::{Color, Piece};
use crate::square::Square;
use std::fmt;

/// One of the six fields of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenField {
    /// Piece placement
    Placement,
    /// Side to move
    Turn,
    /// Castling availability
    Castling,
    /// En passant target
    EnPassant,
    /// Halfmove clock
    HalfmoveClock,
    /// Fullmove number
    FullmoveNumber,
}

impl FenField {
    /// Returns the name of the field for use in a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            FenField::Placement => "piece placement",
            FenField::Turn => "side to move",
            FenField::Castling => "castling availability",
            FenField::EnPassant => "en passant target",
            FenField::HalfmoveClock => "halfmove clock",
            FenField::FullmoveNumber => "fullmove number",
        }
    }
}

/// The kind of a fault in a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenFault {
    /// The text ends before this field.
    Missing,
    /// A character does not stand for a piece.
    NoSuchPiece,
    /// A rank has more than eight squares.
    RankTooLong,
    /// A rank has fewer than eight squares.
    RankTooShort,
    /// The placement has more or fewer than eight ranks.
    RankCount,
    /// The placement is valid for a board of another size, which X-FEN supports but chess does not.
    BoardSize {
        /// The number of files of the board.
        files: u16,
        /// The number of ranks of the board.
        ranks: u16,
    },
    /// Two consecutive digits stand for one run of empty squares (strict reading).
    AdjacentDigits,
    /// Neither `w` nor `b`.
    NoSuchSide,
    /// A character does not stand for a castling right.
    NoSuchRight,
    /// A castling right is repeated or out of order: White's rights come first, and for each color the h-side right
    /// (strict reading).
    RightOutOfOrder,
    /// The text is not a square in lower case.
    NoSuchSquare,
    /// The target is not on the rank that a double step of the other side passes over (strict reading).
    WrongRank,
    /// Not a decimal number.
    NotANumber,
    /// The number exceeds 4,294,967,295, or a pocket of Crazyhouse has more than 255 pieces of a kind.
    NumberTooLarge,
    /// The fullmove number begins with a zero (strict reading).
    LeadingZero,
    /// The field is `nil`, the symbol of an earlier version of FEN (strict reading).
    OldSymbol,
    /// A separator is not a single space (strict reading).
    Separator,
    /// The text continues after the sixth field.
    TooManyFields,
}

impl fmt::Display for FenFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FenFault::Missing => "missing",
            FenFault::NoSuchPiece => "no piece has this letter",
            FenFault::RankTooLong => "more than eight squares in a rank",
            FenFault::RankTooShort => "fewer than eight squares in a rank",
            FenFault::RankCount => "not eight ranks",
            FenFault::BoardSize { files: 8, ranks } => return write!(f, "{ranks} ranks; a board has eight"),
            FenFault::BoardSize { files, ranks } => {
                return write!(f, "X-FEN for a board of {files}x{ranks} squares; only 8x8 can be read");
            }
            FenFault::AdjacentDigits => "two digits in a row",
            FenFault::NoSuchSide => "neither w nor b",
            FenFault::NoSuchRight => "no castling right has this letter",
            FenFault::RightOutOfOrder => "castling rights are repeated or out of order",
            FenFault::NoSuchSquare => "not a square",
            FenFault::WrongRank => "not on rank 6 (White to move) or 3 (Black to move)",
            FenFault::NotANumber => "not a number",
            FenFault::NumberTooLarge => "number too large",
            FenFault::LeadingZero => "the number must begin with 1 to 9",
            FenFault::OldSymbol => "nil is the old symbol for -",
            FenFault::Separator => "fields are separated by one space",
            FenFault::TooManyFields => "more than six fields",
        })
    }
}

/// The reason why a text is not a FEN: the faulty field, the column, counted in bytes from 1, and the fault.
///
/// ```
/// use scoresheet_chess::fen::{Fen, FenFault, FenField, ReadMode};
///
/// let text = "4k3/8/8/8/8/8/4P4/4K3 w - - 0 1";
/// let error = Fen::read(text.as_bytes(), ReadMode::Forgiving).unwrap_err();
/// assert_eq!((error.field, error.column, error.fault), (FenField::Placement, 17, FenFault::RankTooLong));
/// assert!(error.in_text(text.as_bytes()).contains("column 17"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FenError {
    /// The faulty field.
    pub field: FenField,
    /// The column of the fault, in bytes from 1.
    pub column: usize,
    /// The kind of the fault.
    pub fault: FenFault,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad FEN: {} at column {}: {}", self.field.name(), self.column, self.fault)
    }
}

impl std::error::Error for FenError {}

impl FenError {
    /// Returns the message. It includes the character of `text` at the fault if the fault lies in a single character.
    pub fn in_text(&self, text: &[u8]) -> String {
        match self.character_in(text) {
            None => self.to_string(),
            Some('\t') => format!("{self}: a tab"),
            Some(' ') => format!("{self}: one space too many"),
            Some(letter) => format!("{self}: {}", letter.escape_debug()),
        }
    }

    /// Returns the character of `text` at the fault if the fault lies in a single character.
    pub fn character_in(&self, text: &[u8]) -> Option<char> {
        let about = matches!(
            self.fault,
            FenFault::NoSuchPiece
                | FenFault::NoSuchSide
                | FenFault::NoSuchRight
                | FenFault::NotANumber
                | FenFault::Separator
        );
        let rest = text.get(self.column.saturating_sub(1)..).filter(|_| about).unwrap_or_default();
        String::from_utf8_lossy(rest.get(..4).unwrap_or(rest)).chars().next()
    }
}

/// When to write the en passant target.
///
/// ```
/// use scoresheet_chess::fen::{CastlingStyle, EnPassantStyle};
/// use scoresheet_chess::san::line;
///
/// let written = |en_passant, castling| {
///     let mut text = Vec::new();
///     line("e4").map(|position| position.write_four(&mut text, en_passant, castling))?;
///     Ok::<_, Box<dyn std::error::Error>>(String::from_utf8(text)?)
/// };
/// let always = written(EnPassantStyle::Always, CastlingStyle::Standard)?;
/// assert!(always.ends_with(" b KQkq e3"));
/// let legal = written(EnPassantStyle::Legal, CastlingStyle::Shredder)?; // no pawn can capture on e3
/// assert!(legal.ends_with(" b HAha -"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EnPassantStyle {
    /// Write it after every double step, as in the FEN documents.
    #[default]
    Always,
    /// Write it only if an en passant capture is legal.
    Legal,
    /// Write it only if a pawn can capture, even if its king would be left in check.
    PseudoLegal,
}

/// The notation of castling rights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CastlingStyle {
    /// Write `KQkq`, or the rook's file if another rook is farther outside (X-FEN).
    #[default]
    XFen,
    /// Write the files of the rooks, `HAha` (Shredder-FEN).
    Shredder,
    /// Write only `KQkq`. The right of an inner rook is read back as the right of the outermost rook.
    Standard,
}

/// A castling right, as a FEN writes it.
///
/// ```
/// use scoresheet_chess::Color;
/// use scoresheet_chess::fen::{CastlingRight, CastlingRook, Fen, ReadMode};
///
/// let fen = Fen::read(b"4k3/8/8/8/8/8/8/4K1RR w Gk - 0 1", ReadMode::Forgiving)?;
/// assert_eq!(fen.castling[0], CastlingRight { color: Color::White, rook: CastlingRook::File(6) });
/// assert_eq!(fen.castling[1].letter(), b'k'); // kept although the rook is missing
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CastlingRight {
    /// The color of the right.
    pub color: Color,
    /// The notation of the rook.
    pub rook: CastlingRook,
}

/// The notation of the rook in a castling right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastlingRook {
    /// `K` or `Q`: the outermost rook of the back rank on that side.
    Outermost(CastlingSide),
    /// A file letter: the rook on this file (0 = a) of the back rank.
    File(u8),
}

impl CastlingRight {
    /// Returns the letter of the right: `K`, `Q`, or the letter of a file, in upper case for White and lower case for
    /// Black.
    pub const fn letter(self) -> u8 {
        let letter = match self.rook {
            CastlingRook::Outermost(CastlingSide::King) => b'K',
            CastlingRook::Outermost(CastlingSide::Queen) => b'Q',
            CastlingRook::File(file) => b'A' + (file & 7),
        };
        match self.color {
            Color::White => letter,
            Color::Black => letter.to_ascii_lowercase(),
        }
    }
}

/// The six fields of a FEN, as written. Any arrangement of pieces is possible, and the castling rights and the target
/// may contradict it.
///
/// [`Fen::position`] converts the fields to a position. [`Fen::illegalities`] returns the reasons why no game reaches
/// this position.
///
/// ```
/// use scoresheet_chess::fen::{Fen, ReadMode};
///
/// let fen = Fen::read(b"4k3/8/8/8/8/8/4P3/4K3 w nil nil 5 39", ReadMode::Forgiving)?;
/// assert_eq!((fen.halfmove_clock, fen.fullmove_number), (5, 39));
/// assert_eq!(fen.to_string(), "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39");
/// assert!(Fen::read(b"4k3/8/8/8/8/8/4P3/4K3 w nil nil 5 39", ReadMode::Strict).is_err());
/// # Ok::<(), scoresheet_chess::fen::FenError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fen {
    /// The piece on each square, from a1.
    pub pieces: [Option<Piece>; 64],
    /// The side to move.
    pub turn: Color,
    /// The castling rights as ordered in the text, without duplicates.
    pub castling: Vec<CastlingRight>,
    /// The square that a pawn passed in the last move, a double step.
    pub en_passant: Option<Square>,
    /// The number of plies since the last capture or pawn move. A player can claim a draw at 100 (not at 50, as the
    /// 6-tuple document claims).
    pub halfmove_clock: u32,
    /// The fullmove number, from 1.
    pub fullmove_number: u32,
}

/// Appends a decimal number.
pub fn write_number(out: &mut Vec<u8>, number: u32) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

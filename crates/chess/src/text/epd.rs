//! EPD: the first four fields of a FEN, followed by operations (PGN standard, section 16.2), as used in test suites.

use super::fen::{CastlingStyle, EnPassantStyle, Fen, FenError, ReadMode, four_fields};
use super::san::SanError;
use crate::moves::Move;
use crate::position::Position;
use std::fmt;

/// The maximum length of an opcode in bytes, as the standard sets it.
const OPCODE_MAX: usize = 15;

/// An operand of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A quoted text.
    Text(String),
    /// A move, a number, or another word without blanks, quotes or semicolons.
    Word(String),
}

impl Operand {
    /// Returns the text of the operand, without quotes.
    pub fn as_str(&self) -> &str {
        match self {
            Operand::Text(text) | Operand::Word(text) => text,
        }
    }
}

/// An opcode and its operands, as in `bm Qd1+;` or `id "BK.01";`.
///
/// ```
/// use scoresheet_chess::epd::{Operand, Operation};
///
/// let operands = vec![Operand::Text("Reti, 1921".to_owned())];
/// assert_eq!(Operation { opcode: "id".to_owned(), operands }.to_string(), r#"id "Reti, 1921";"#);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The opcode.
    pub opcode: String,
    /// The operands, of which there may be none.
    pub operands: Vec<Operand>,
}

/// The kind of a fault in an EPD line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EpdFault {
    /// A fault in one of the first four fields.
    Fen(FenError),
    /// An invalid opcode. A valid opcode begins with a letter and consists of at most 15 letters, digits and `_`. The
    /// forgiving reader only requires that the first character is a letter.
    NotAnOpcode,
    /// A quote that is not closed, or a quoted text without a separator after it.
    BadText,
    /// An operation without a semicolon at its end (strict reading).
    MissingSemicolon,
    /// A separator other than a single space (strict reading).
    Separator,
    /// The text is not UTF-8.
    NotUtf8,
}

/// The reason why a line is not an EPD: the column, counted in bytes from 1, and the fault.
///
/// ```
/// use scoresheet_chess::epd::{Epd, EpdFault};
/// use scoresheet_chess::fen::ReadMode;
///
/// let error = Epd::read(b"4k3/8/8/8/8/8/8/4K3 w - - bm Kd2", ReadMode::Strict).unwrap_err();
/// assert_eq!((error.column, error.fault), (33, EpdFault::MissingSemicolon));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EpdError {
    /// The column of the fault, in bytes from 1.
    pub column: usize,
    /// The kind of the fault.
    pub fault: EpdFault,
}

impl fmt::Display for EpdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.fault {
            EpdFault::Fen(error) => {
                return write!(f, "bad EPD: {} at column {}: {}", error.field.name(), error.column, error.fault);
            }
            EpdFault::NotAnOpcode => "not an opcode",
            EpdFault::BadText => "a quoted text without a valid end",
            EpdFault::MissingSemicolon => "an operation ends with a semicolon",
            EpdFault::Separator => "expected one space here",
            EpdFault::NotUtf8 => "not UTF-8",
        };
        write!(f, "bad EPD: column {}: {what}", self.column)
    }
}

impl std::error::Error for EpdError {}

impl EpdError {
    /// Returns the message. It includes the character of `text` at the fault if the fault lies in a single character.
    pub fn in_text(&self, text: &[u8]) -> String {
        match self.fault {
            EpdFault::Fen(error) => error.in_text(text).replacen("bad FEN", "bad EPD", 1),
            _ => self.to_string(),
        }
    }

    /// Returns the FEN fault if the fault is in a field of the FEN.
    pub fn fen(&self) -> Option<FenError> {
        match self.fault {
            EpdFault::Fen(error) => Some(error),
            _ => None,
        }
    }
}

/// A line in EPD: the four fields of a position and its operations.
///
/// ```
/// use scoresheet_chess::epd::Epd;
/// use scoresheet_chess::fen::ReadMode;
///
/// let line = r#"1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id "BK.01";"#;
/// let epd = Epd::read(line.as_bytes(), ReadMode::Strict)?;
/// assert_eq!(epd.text("id"), Some("BK.01"));
/// assert_eq!(epd.position().san(epd.moves("bm").unwrap()[0]), "Qd1+");
/// assert_eq!(epd.to_string(), line);
/// # Ok::<(), scoresheet_chess::epd::EpdError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    /// The four fields. The halfmove clock here is 0 and the move number is 1, because the operations `hmvc` and `fmvn`
    /// contain the actual values.
    pub fen: Fen,
    /// The operations, in order.
    pub operations: Vec<Operation>,
}

impl Epd {
    /// Returns the EPD of a position without operations, in this style. Clocks are omitted.
    pub fn from_position(position: &Position, en_passant: EnPassantStyle, castling: CastlingStyle) -> Epd {
        let fen = Fen { halfmove_clock: 0, fullmove_number: 1, ..Fen::from_position(position, en_passant, castling) };
        Epd { fen, operations: Vec::new() }
    }

    /// Adds an operation with one operand.
    pub fn push(&mut self, opcode: &str, operand: Operand) {
        self.operations.push(Operation { opcode: opcode.into(), operands: vec![operand] });
    }

    /// Reads one line.
    ///
    /// In addition to the extensions of [`Fen::read`], the forgiving reader accepts a missing last semicolon, extra
    /// blanks, and as an opcode any word that begins with a letter. It accepts semicolons before an opcode, as in lists
    /// of perft counts (`;D1 20 ;D2 400`). It also accepts the two clocks of a FEN, and converts them to the operations
    /// `hmvc` and `fmvn`.
    pub fn read(line: &[u8], mode: ReadMode) -> Result<Epd, EpdError> {
        let (fen, end) =
            four_fields(line, mode).map_err(|error| EpdError { column: error.column, fault: EpdFault::Fen(error) })?;
        let rest = std::str::from_utf8(line.get(end..).unwrap_or_default())
            .map_err(|error| EpdError { column: end + error.valid_up_to() + 1, fault: EpdFault::NotUtf8 })?;
        let mut reader = Operations { rest, offset: end, mode };
        let mut operations = Vec::new();
        if mode == ReadMode::Forgiving {
            reader.clocks(&mut operations);
        }
        while let Some(operation) = reader.next()? {
            operations.push(operation);
        }
        Ok(Epd { fen, operations })
    }

    /// Returns the operation with this opcode, or the last one if there are several.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().rev().find(|operation| operation.opcode == opcode)
    }

    /// Returns the first operand of the operation with this opcode, without quotes.
    pub fn text(&self, opcode: &str) -> Option<&str> {
        Some(self.operation(opcode)?.operands.first()?.as_str())
    }

    /// Returns the position, with the clocks from `hmvc` and `fmvn`.
    pub fn position(&self) -> Position {
        let mut position = self.fen.position();
        let (halfmove_clock, fullmove_number) = self.clocks();
        position.set_clocks(halfmove_clock, fullmove_number);
        position
    }

    /// Returns the halfmove clock and the fullmove number from `hmvc` and `fmvn`. Defaults: 0 and 1.
    pub fn clocks(&self) -> (u32, u32) {
        let number = |opcode| self.text(opcode).and_then(|text| text.parse().ok());
        (number("hmvc").unwrap_or(0), number("fmvn").unwrap_or(1))
    }

    /// Returns the moves that an operation names. The moves of `pv` form a line: each is played after the previous one.
    /// The moves of other operations (`bm`, `am`, `pm`, `sm`) are all moves of this position. Returns no moves if the
    /// operation is missing. The error contains the index of the illegal operand, from 0.
    pub fn moves(&self, opcode: &str) -> Result<Vec<Move>, (usize, SanError)> {
        let mut position = self.position();
        let mut moves = Vec::new();
        for (at, operand) in self.operation(opcode).map_or(&[][..], |found| &found.operands).iter().enumerate() {
            let m = position.parse_san(operand.as_str().as_bytes()).map_err(|error| (at, error))?;
            moves.push(m);
            if opcode == "pv" {
                position.play_unchecked(m);
            }
        }
        Ok(moves)
    }
}

impl fmt::Display for Epd {
    /// Writes the line without a line ending. EPD cannot represent a double quote within a text, so a double quote is
    /// written as `'`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut four = Vec::with_capacity(90);
        self.fen.write_four(&mut four);
        f.write_str(&String::from_utf8_lossy(&four))?;
        self.operations.iter().try_for_each(|operation| write!(f, " {operation}"))
    }
}

impl fmt::Display for Operation {
    /// Writes an opcode, its operands and a semicolon. EPD cannot represent a double quote within a text, so a double
    /// quote is written as `'`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.opcode)?;
        for operand in &self.operands {
            match operand {
                Operand::Text(text) => write!(f, " \"{}\"", text.replace('"', "'"))?,
                Operand::Word(word) => write!(f, " {word}")?,
            }
        }
        f.write_str(";")
    }
}

struct Operations<'a> {
    rest: &'a str,
    offset: usize,
    mode: ReadMode,
}

impl<'a> Operations<'a> {
    fn error(&self, fault: EpdFault) -> EpdError {
        EpdError { column: self.offset + 1, fault }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
        self.offset += bytes;
    }

    fn blanks(&mut self) -> usize {
        let gap = self.rest.len() - self.rest.trim_ascii_start().len();
        self.skip(gap);
        gap
    }

    /// Skips the blanks before the next field, opcode or operand. The strict reader requires exactly one space.
    fn gap(&mut self) -> Result<(), EpdError> {
        let space = self.rest.starts_with(' ');
        let start = self.offset;
        let gap = self.blanks();
        if self.mode == ReadMode::Strict && (gap != 1 || !space) {
            return Err(EpdError { column: start + 1 + gap.min(1), fault: EpdFault::Separator });
        }
        Ok(())
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| c.is_ascii_whitespace() || c == ';' || c == '"').unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default();
        self.skip(end);
        word
    }

    /// Reads the clocks after the fourth field, as in a FEN.
    fn clocks(&mut self, operations: &mut Vec<Operation>) {
        for opcode in ["hmvc", "fmvn"] {
            let trimmed = self.rest.trim_ascii_start();
            let word = trimmed.split(|c: char| c.is_ascii_whitespace() || c == ';').next().unwrap_or_default();
            if word.is_empty() || !word.bytes().all(|b| b.is_ascii_digit()) || word.parse::<u32>().is_err() {
                return;
            }
            operations.push(Operation { opcode: opcode.into(), operands: vec![Operand::Word(word.into())] });
            self.skip(self.rest.len() - trimmed.len() + word.len());
        }
    }

    fn next(&mut self) -> Result<Option<Operation>, EpdError> {
        if self.rest.is_empty() || self.mode == ReadMode::Forgiving && self.rest.trim_ascii().is_empty() {
            return Ok(None);
        }
        if self.mode == ReadMode::Forgiving {
            let after = self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ';');
            if after.is_empty() {
                return Ok(None);
            }
            // Blanks are skipped here only up to a semicolon. Otherwise, they separate the opcode from the preceding
            // text.
            if self.rest.get(..self.rest.len() - after.len()).is_some_and(|gap| gap.contains(';')) {
                self.skip(self.rest.len() - after.len());
            }
        }
        self.gap()?;
        let start = self.offset;
        let opcode = self.word();
        let letters = opcode.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && opcode.len() <= OPCODE_MAX;
        if !opcode.starts_with(|c: char| c.is_ascii_alphabetic()) || self.mode == ReadMode::Strict && !letters {
            return Err(EpdError { column: start + 1, fault: EpdFault::NotAnOpcode });
        }
        let mut operands = Vec::new();
        loop {
            if self.rest.starts_with(';') {
                self.skip(1);
                break;
            }
            if self.rest.trim_ascii().is_empty() {
                if self.mode == ReadMode::Strict {
                    return Err(self.error(EpdFault::MissingSemicolon));
                }
                self.blanks();
                break;
            }
            if self.rest.starts_with('"') {
                // A quote directly after a word is an error.
                return Err(self.error(EpdFault::BadText));
            }
            self.gap()?;
            if let Some(inner) = self.rest.strip_prefix('"') {
                let length = inner.find('"').ok_or(self.error(EpdFault::BadText))?;
                operands.push(Operand::Text(inner.get(..length).unwrap_or_default().into()));
                self.skip(length + 2);
                if !self.rest.is_empty() && !self.rest.starts_with(|c: char| c == ';' || c.is_ascii_whitespace()) {
                    return Err(self.error(EpdFault::BadText));
                }
            } else if !self.rest.starts_with(';') {
                operands.push(Operand::Word(self.word().into()));
            } else if self.mode == ReadMode::Strict {
                return Err(self.error(EpdFault::Separator));
            }
        }
        Ok(Some(Operation { opcode: opcode.into(), operands }))
    }
}

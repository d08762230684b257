//! A line of a list of positions: a FEN or an EPD, distinguished by what follows its fourth field.

use super::epd::{Epd, EpdError, Operand, Operation};
use super::fen::{Fen, FenError, ReadMode};
use super::san::SanError;
use crate::chess::moves::Move;
use crate::chess::position::Position;
use std::fmt;

/// The opcodes whose operands are moves from the position: best, avoid, predicted, supplied; and those of `pv`, one
/// after the other.
const MOVES: [&str; 5] = ["bm", "am", "pm", "sm", "pv"];

/// A position as a line says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionRecord {
    /// Six fields; forgivingly, fewer.
    Fen(Fen),
    /// Four fields and operations, perhaps none.
    Epd(Epd),
}

/// Why a line is no position: with the form that it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordError {
    /// It has the form of a FEN.
    Fen(FenError),
    /// It has the form of an EPD.
    Epd(EpdError),
}

impl RecordError {
    /// Returns the message with the character of `text` that it is about, where the fault is one of a character.
    pub fn in_text(&self, text: &[u8]) -> String {
        match self {
            RecordError::Fen(error) => error.in_text(text),
            RecordError::Epd(error) => error.in_text(text),
        }
    }

    /// Returns the fault of one of the FEN's fields, if it is one.
    pub fn fen(&self) -> Option<FenError> {
        match self {
            RecordError::Fen(error) => Some(*error),
            RecordError::Epd(error) => error.fen(),
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Fen(error) => error.fmt(f),
            RecordError::Epd(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RecordError {}

/// A move of an operation that is none here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadMove {
    /// The operation's opcode.
    pub opcode: String,
    /// The text that should be a move.
    pub text: String,
    /// What is wrong with it.
    pub error: SanError,
}

impl fmt::Display for BadMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.opcode, self.text, self.error)
    }
}

impl PositionRecord {
    /// Reads a line. It is an EPD where just four fields are there or an operation (or a word, which should be one)
    /// follows them, perhaps after the clocks, and a FEN otherwise.
    pub fn read(line: &[u8], mode: ReadMode) -> Result<PositionRecord, RecordError> {
        if is_epd(line) {
            Epd::read(line, mode).map(PositionRecord::Epd).map_err(RecordError::Epd)
        } else {
            Fen::read(line, mode).map(PositionRecord::Fen).map_err(RecordError::Fen)
        }
    }

    /// Returns the fields. Those of an EPD have the clocks 0 and 1: its position has what the operations `hmvc` and
    /// `fmvn` say.
    pub fn fen(&self) -> &Fen {
        match self {
            PositionRecord::Fen(fen) => fen,
            PositionRecord::Epd(epd) => &epd.fen,
        }
    }

    /// Returns the fields, with the clocks of the operations `hmvc` and `fmvn` if it is an EPD.
    pub fn into_fen(self) -> Fen {
        match self {
            PositionRecord::Fen(fen) => fen,
            PositionRecord::Epd(epd) => {
                let (halfmove_clock, fullmove_number) = epd.clocks();
                Fen { halfmove_clock, fullmove_number, ..epd.fen }
            }
        }
    }

    /// Returns the operations; none of a FEN.
    pub fn operations(&self) -> &[Operation] {
        match self {
            PositionRecord::Fen(_) => &[],
            PositionRecord::Epd(epd) => &epd.operations,
        }
    }

    /// Returns the position, with its clocks.
    pub fn position(&self) -> Position {
        match self {
            PositionRecord::Fen(fen) => fen.position(),
            PositionRecord::Epd(epd) => epd.position(),
        }
    }
}

/// Returns the operations with every move of `bm`, `am`, `pm`, `sm` and `pv` as `write` has it, and those that are no
/// legal moves, which stay as they are (as does what follows one in `pv`). All other operations stay.
pub fn rewrite_moves(
    operations: &[Operation],
    position: &Position,
    write: impl Fn(&Position, Move) -> String,
) -> (Vec<Operation>, Vec<BadMove>) {
    let mut bad = Vec::new();
    let mut rewritten = operations.to_vec();
    for operation in rewritten.iter_mut().filter(|operation| is_of_moves(&operation.opcode)) {
        let mut at = position.clone();
        for operand in &mut operation.operands {
            let text = operand.as_str().to_owned();
            match at.parse_san(text.as_bytes()) {
                Ok(m) => {
                    *operand = Operand::Word(write(&at, m));
                    if operation.opcode == "pv" {
                        at.play_unchecked(m);
                    }
                }
                Err(error) => {
                    bad.push(BadMove { opcode: operation.opcode.clone(), text, error });
                    if operation.opcode == "pv" {
                        break;
                    }
                }
            }
        }
    }
    (rewritten, bad)
}

/// Returns whether the operands of an operation are moves from its position.
pub fn is_of_moves(opcode: &str) -> bool {
    MOVES.contains(&opcode)
}

/// Whether a line has just four fields, or the fifth, sixth or seventh begins with a letter or has a semicolon, as the
/// lists of perft counts do: `4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5 ;D2 25`.
fn is_epd(line: &[u8]) -> bool {
    // The placement is most of the line.
    let line = line.trim_ascii_start();
    let placement = memchr::memchr2(b' ', b'\t', line).unwrap_or(line.len());
    let rest = line.get(placement..).unwrap_or_default();
    let mut fields = rest.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).skip(2);
    let Some(_fourth) = fields.next() else { return false };
    let Some(fifth) = fields.next() else { return true };
    let begins =
        |field: &[u8]| field.first().is_some_and(u8::is_ascii_alphabetic) && field != b"nil" || field.contains(&b';');
    begins(fifth) || fields.take(2).any(begins)
}

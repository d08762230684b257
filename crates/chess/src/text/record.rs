//! A line in a list of positions: a FEN or an EPD, depending on the text after the fourth field.

use super::epd::{Epd, EpdError, Operand, Operation};
use super::fen::{Fen, FenError, ReadMode};
use super::san::SanError;
use crate::moves::Move;
use crate::position::Position;
use std::fmt;

/// The opcodes whose operands are moves: alternatives in the position (best, avoid, predicted, supplied), or a line of
/// consecutive moves (`pv`).
const MOVES: [&str; 5] = ["bm", "am", "pm", "sm", "pv"];

/// A position, read from a line of text.
///
/// ```
/// use scoresheet_chess::fen::ReadMode;
/// use scoresheet_chess::record::{PositionRecord, RecordError, rewrite_moves};
///
/// let read = |line: &str| PositionRecord::read(line.as_bytes(), ReadMode::Forgiving);
/// let line = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 Ra8;";
/// let epd = read(line)?;
/// assert!(matches!(epd, PositionRecord::Epd(_)));
/// let (operations, bad) = rewrite_moves(epd.operations(), &epd.position(), |position, m| position.uci(m));
/// assert_eq!(operations[0].to_string(), "bm e2e4 Ra8;");
/// assert_eq!((bad[0].opcode.as_str(), bad[0].text.as_str()), ("bm", "Ra8"));
/// assert!(matches!(read("4k3/8/8/8/8/8/4P3 w - - 0 1"), Err(RecordError::Fen(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionRecord {
    /// A FEN: six fields, or fewer in forgiving reading.
    Fen(Fen),
    /// An EPD: four fields, followed by any number of operations.
    Epd(Epd),
}

/// The reason why a line is not a position, by the form that the line seems to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordError {
    /// The line looks like a FEN.
    Fen(FenError),
    /// The line looks like an EPD.
    Epd(EpdError),
}

impl RecordError {
    /// Returns the message. It includes the character of `text` at the fault if the fault lies in a single character.
    pub fn in_text(&self, text: &[u8]) -> String {
        match self {
            RecordError::Fen(error) => error.in_text(text),
            RecordError::Epd(error) => error.in_text(text),
        }
    }

    /// Returns the FEN fault if the fault is in a field of the FEN.
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

/// An operand that should be a move but is not a legal one.
///
/// [`PositionRecord`] has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadMove {
    /// The operation's opcode.
    pub opcode: String,
    /// The text of the operand.
    pub text: String,
    /// The reason.
    pub error: SanError,
}

impl fmt::Display for BadMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.opcode, self.text, self.error)
    }
}

impl PositionRecord {
    /// Reads a line. The line is an EPD if it has exactly four fields, or if an operation (or a word in its place)
    /// follows them, possibly after the clocks. Any other line is a FEN.
    pub fn read(line: &[u8], mode: ReadMode) -> Result<PositionRecord, RecordError> {
        if is_epd(line) {
            Epd::read(line, mode).map(PositionRecord::Epd).map_err(RecordError::Epd)
        } else {
            Fen::read(line, mode).map(PositionRecord::Fen).map_err(RecordError::Fen)
        }
    }

    /// Returns the fields. In the fields of an EPD, the clocks are 0 and 1. The clocks of the EPD's position come from
    /// `hmvc` and `fmvn`.
    pub fn fen(&self) -> &Fen {
        match self {
            PositionRecord::Fen(fen) => fen,
            PositionRecord::Epd(epd) => &epd.fen,
        }
    }

    /// Returns the fields. For an EPD, the clocks are those of the operations `hmvc` and `fmvn`.
    pub fn into_fen(self) -> Fen {
        match self {
            PositionRecord::Fen(fen) => fen,
            PositionRecord::Epd(epd) => {
                let (halfmove_clock, fullmove_number) = epd.clocks();
                Fen { halfmove_clock, fullmove_number, ..epd.fen }
            }
        }
    }

    /// Returns the operations. A FEN contains none.
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

/// Returns the position of a tag FEN, and whether its counters could be read. The first four fields decide the position,
/// which may be followed by counters, by the operations of an EPD, or by other text. Counters that cannot be read are 0
/// and 1.
///
/// ```
/// use scoresheet_chess::record::read_start;
///
/// let (position, counted) = read_start(b"4k3/8/8/8/8/8/4P3/4K3 b - - hmvc 3; fmvn 7;")?;
/// assert_eq!((position.fullmove_number(), counted), (7, true));
/// assert_eq!(read_start(b"4k3/8/8/8/8/8/4P3/4K3 b - - ? ?")?.1, false);
/// # Ok::<(), scoresheet_chess::fen::FenError>(())
/// ```
pub fn read_start(tag: &[u8]) -> Result<(Position, bool), FenError> {
    let error = match Fen::read(tag, ReadMode::Forgiving) {
        Ok(fen) => return Ok((fen.position(), true)),
        Err(error) => error,
    };
    if let Ok(record) = PositionRecord::read(tag, ReadMode::Forgiving) {
        return Ok((record.position(), true));
    }
    let fields: Vec<&[u8]> = tag.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).take(4).collect();
    let four = Fen::read(&fields.join(&b" "[..]), ReadMode::Forgiving);
    four.map(|fen| (fen.position(), false)).map_err(|_| error)
}

/// Returns the operations with every move of `bm`, `am`, `pm`, `sm` and `pv` rewritten by `write`, and the operands
/// that are not legal moves. Illegal operands remain unchanged, as do the moves after an illegal operand of `pv`. All
/// other operations remain unchanged.
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

/// Returns whether the operands of the operation with this opcode are moves.
pub fn is_of_moves(opcode: &str) -> bool {
    MOVES.contains(&opcode)
}

/// Returns whether a line has exactly four fields, or whether its fifth, sixth or seventh field begins with a letter or
/// contains a semicolon. Lists of perft counts contain such lines: `4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5 ;D2 25`.
fn is_epd(line: &[u8]) -> bool {
    // The placement is most of the line, so it is skipped quickly.
    let line = line.trim_ascii_start();
    let placement = line.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
    let rest = line.get(placement..).unwrap_or_default();
    let mut fields = rest.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).skip(2);
    let Some(_fourth) = fields.next() else { return false };
    let Some(fifth) = fields.next() else { return true };
    let begins =
        |field: &[u8]| field.first().is_some_and(u8::is_ascii_alphabetic) && field != b"nil" || field.contains(&b';');
    begins(fifth) || fields.take(2).any(begins)
}

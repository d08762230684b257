//! A line of FEN or EPD: parsed, normalized, optionally advanced by moves, checked and written.

use scoresheet::chess::epd::{Operand, Operation};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, Fen, OtherBoard, ReadMode};
use scoresheet::chess::record::{BadMove, PositionRecord, is_of_moves, rewrite_moves};
use scoresheet::chess::{Move, Position};

/// The output form of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Form {
    /// Six fields; of an EPD's operations only the move counters are kept
    Fen,
    /// Four fields and operations; the move counters of a FEN become hmvc and fmvn
    Epd,
}

/// The options for reading and writing lines.
#[derive(Clone)]
pub struct Style {
    pub mode: ReadMode,
    /// Whether, in strict mode, a line of four fields is an EPD without operations instead of an incomplete FEN.
    pub takes_four: bool,
    pub target: EnPassantStyle,
    pub castling: CastlingStyle,
    /// Whether moves are written in UCI instead of SAN.
    pub uci: bool,
    /// The output form; `None` keeps the form of the input line.
    pub form: Option<Form>,
    /// The moves to play from each position.
    pub moves: Vec<String>,
}

impl Style {
    fn show(&self, position: &Position, m: Move) -> String {
        if self.uci { position.uci(m) } else { position.san(m) }
    }
}

/// The position of a line, after the moves in `--moves`.
pub struct Line {
    /// The original fields, or the fields after the moves.
    pub fen: Fen,
    pub position: Position,
    pub is_epd: bool,
    /// The operations, with moves in the chosen notation.
    pub operations: Vec<Operation>,
    /// The illegal moves in operations.
    pub bad: Vec<BadMove>,
}

/// The content of a line.
pub enum Parsed {
    Position(Box<Line>),
    Other(OtherBoard),
}

/// Parses a line; an error is a message.
pub fn read(text: &[u8], style: &Style) -> Result<Parsed, String> {
    match PositionRecord::read(text, style.mode) {
        Ok(PositionRecord::Epd(epd))
            if style.mode == ReadMode::Strict && !style.takes_four && epd.operations.is_empty() =>
        {
            Err("a FEN has six fields: the move counters are missing (--as epd takes it as an EPD)".to_owned())
        }
        Ok(record) => Line::new(record, style).map(|line| Parsed::Position(Box::new(line))),
        Err(error) => match error.fen().and_then(|_| OtherBoard::read(text, style.mode).ok()) {
            Some(board) if style.moves.is_empty() => Ok(Parsed::Other(board)),
            Some(board) => Err(format!("no moves can be played: {}", note(&board))),
            None if text.split(|byte| *byte == b' ').next().is_some_and(|board| board.contains(&b'[')) => {
                Err(format!("{}: pockets belong to Crazyhouse, and `position` reads only chess", error.in_text(text)))
            }
            None => Err(error.in_text(text)),
        },
    }
}

/// Returns a note about a board that is not 8x8.
pub fn note(board: &OtherBoard) -> String {
    format!(
        "a board of {}x{} squares: read and written as text, moves on it are not supported",
        board.files, board.ranks
    )
}

impl Line {
    fn new(record: PositionRecord, style: &Style) -> Result<Line, String> {
        let mut position = record.position();
        let is_epd = matches!(record, PositionRecord::Epd(_));
        let (mut operations, bad) = rewrite_moves(record.operations(), &position, |at, m| style.show(at, m));
        let mut fen = record.into_fen();
        if !style.moves.is_empty() {
            for (index, text) in style.moves.iter().enumerate() {
                let m = position.parse_san(text.as_bytes());
                let m = m.map_err(|error| format!("move {} ({text}): {error}", index + 1))?;
                position.play_unchecked(m);
            }
            fen = Fen::from(&position);
            // Operations with moves apply only to the position before these moves.
            operations.retain(|operation| !is_of_moves(&operation.opcode));
            for operation in &mut operations {
                let clock = match operation.opcode.as_str() {
                    "hmvc" => position.halfmove_clock(),
                    "fmvn" => position.fullmove_number(),
                    _ => continue,
                };
                operation.operands = vec![Operand::Word(clock.to_string())];
            }
        }
        Ok(Line { fen, position, is_epd, operations, bad })
    }

    /// Appends the line in the output form.
    pub fn write(&self, style: &Style, out: &mut Vec<u8>) {
        let as_epd = style.form.map_or(self.is_epd, |form| form == Form::Epd);
        if !as_epd {
            return self.position.write_fen(out, style.target, style.castling);
        }
        self.position.write_four(out, style.target, style.castling);
        let clocks = [("hmvc", self.position.halfmove_clock()), ("fmvn", self.position.fullmove_number())];
        for (opcode, clock) in clocks.iter().filter(|_| !self.is_epd) {
            out.extend_from_slice(format!(" {opcode} {clock};").as_bytes());
        }
        for operation in &self.operations {
            out.extend_from_slice(format!(" {operation}").as_bytes());
        }
    }

    /// Returns the reasons why the position is illegal.
    pub fn reasons(&self) -> Vec<String> {
        self.fen.illegalities_of(&self.position).iter().map(ToString::to_string).collect()
    }

    /// Appends the verdict: legal, or the faults of the position and of its operations.
    pub fn judge(&self, out: &mut Vec<u8>) {
        let found = self.fen.illegalities_of(&self.position);
        out.extend_from_slice(if found.is_empty() { b"legal" } else { b"illegal: " });
        for (index, reason) in found.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            out.extend_from_slice(format!("{comma}{reason}").as_bytes());
        }
        for bad in &self.bad {
            out.extend_from_slice(format!("; {bad}").as_bytes());
        }
    }
}

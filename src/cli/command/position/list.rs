//! Positions in bulk: lines of FEN and EPD, each normalised, judged and perhaps played on.

use crate::failure::{Code, Failure};
use crate::out::formats::uci_of;
use crate::out::json::Object;
use crate::out::lines::{self, Task};
use crate::select::inputs;
use crate::session::Session;
use crate::text::count;
use scoresheet::chess::epd::{Operand, Operation};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, Fen, OtherBoard, ReadMode};
use scoresheet::chess::record::{BadMove, Record, is_of_moves, rewrite_moves};
use scoresheet::chess::{Move, Position};
use scoresheet::pgn;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The form that lines are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Form {
    /// Six fields; of an EPD's operations only the clocks are kept
    Fen,
    /// Four fields and operations; a FEN's clocks become hmvc and fmvn
    Epd,
}

/// How lines are read and written.
pub struct Style {
    pub mode: ReadMode,
    pub target: EnPassantStyle,
    pub castling: CastlingStyle,
    /// Moves as UCI instead of SAN.
    pub uci: bool,
    /// `None` for the form in which the line came.
    pub form: Option<Form>,
    /// The moves to play from each position.
    pub moves: Vec<String>,
}

impl Style {
    fn show(&self, position: &Position, m: Move) -> String {
        if self.uci { uci_of(position, m) } else { position.san(m) }
    }
}

/// Returns the moves of a text such as `1. e4 c5 2.Nf3`, without their numbers.
pub fn moves(text: &str) -> Vec<String> {
    let bare = |word: &str| {
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = rest.len() < word.len() && rest.starts_with('.');
        if is_number { rest.trim_start_matches('.').to_owned() } else { word.to_owned() }
    };
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

/// A position as a line has it, after the moves asked for.
pub struct Line {
    /// The fields, as written, or those after the moves.
    pub fen: Fen,
    pub position: Position,
    pub is_epd: bool,
    /// The operations, their moves in the style asked for.
    pub operations: Vec<Operation>,
    /// The moves of operations that are none.
    pub bad: Vec<BadMove>,
}

/// What a line says.
pub enum Seen {
    Position(Box<Line>),
    Other(OtherBoard),
}

/// Reads a line; errors are messages.
pub fn read(text: &[u8], style: &Style) -> Result<Seen, String> {
    match Record::read(text, style.mode) {
        Ok(record) => Line::of(record, style).map(|line| Seen::Position(Box::new(line))),
        Err(error) => match error.fen().and_then(|_| OtherBoard::read(text, style.mode).ok()) {
            Some(board) if style.moves.is_empty() => Ok(Seen::Other(board)),
            Some(board) => Err(format!("no moves can be played: {}", note(&board))),
            None => Err(error.in_text(text)),
        },
    }
}

/// What is to be known of a board that is not 8x8.
pub fn note(board: &OtherBoard) -> String {
    format!("a board of {}x{} squares: read and written as text, its rules are not played", board.files, board.ranks)
}

impl Line {
    fn of(record: Record, style: &Style) -> Result<Line, String> {
        let mut position = record.position();
        let is_epd = matches!(record, Record::Epd(_));
        let (mut operations, bad) = rewrite_moves(record.operations(), &position, |at, m| style.show(at, m));
        let mut fen = record.into_fen();
        if !style.moves.is_empty() {
            for (place, text) in style.moves.iter().enumerate() {
                let m = position.parse_san(text.as_bytes());
                let m = m.map_err(|error| format!("move {} ({text}): {error}", place + 1))?;
                position.play(m);
            }
            fen = Fen::from(&position);
            // What was said of moves was of the position before.
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

    /// Appends the line in the style asked.
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

    /// Returns why the position is not legal.
    pub fn reasons(&self) -> Vec<String> {
        self.fen.illegalities_of(&self.position).iter().map(ToString::to_string).collect()
    }

    /// Appends whether the position is legal, and what is wrong with it and its operations.
    fn judge(&self, out: &mut Vec<u8>) {
        let found = self.fen.illegalities_of(&self.position);
        out.extend_from_slice(if found.is_empty() { b"legal" } else { b"illegal: " });
        for (place, reason) in found.iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            out.extend_from_slice(format!("{comma}{reason}").as_bytes());
        }
        for bad in &self.bad {
            out.extend_from_slice(format!("; {bad}").as_bytes());
        }
    }
}

/// Makes a JSON object of a line.
pub type AsJson = dyn Fn(&Seen, &Style) -> Object + Sync;

/// What a list is to become.
pub struct Output<'a> {
    pub style: Style,
    /// The position alone, without a verdict.
    pub bare: bool,
    /// How a line becomes a JSON object, where it does.
    pub json: Option<&'a AsJson>,
}

/// Returns whether arguments name lists of positions: `-`, or files or folders that are there.
pub fn are_lists(arguments: &[String]) -> bool {
    arguments.iter().all(|argument| argument == "-" || Path::new(argument).exists())
}

/// Writes a line for every line of the lists.
pub fn run(session: &Session, arguments: &[String], output: &Output<'_>) -> Result<Code, Failure> {
    let arguments: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
    let files = inputs::expand(&arguments, &inputs::POSITIONS)?;
    let mut out = session.stdout();
    let mut total = Tally::default();
    for file in &files {
        let name = if file.as_os_str() == "-" { "standard input".into() } else { file.display().to_string() };
        let source = pgn::open(file).map_err(|error| match error {
            pgn::SourceError::Io(error) => Failure::cannot_open(file, error),
            error => Failure::Message(format!("{name}: {error}")),
        })?;
        let many = files.len() > 1;
        let done = lines::batches(source, &name, |batch, first| {
            let task = |lines: &[&[u8]], first: u64| answer(lines, first, many.then_some(&name), output);
            let count = lines::answer(batch, first, &mut out, task, |tally| {
                total.add(tally);
                Ok(())
            })?;
            out.flush()?;
            Ok(count)
        });
        // What was written before an error is the user's.
        out.flush()?;
        done?;
    }
    match total.first {
        None => Ok(Code::Fine),
        Some(first) => {
            session.message(&format!("{} no position; the first: {first}", count(total.bad, "line is", "lines are")));
            Ok(Code::Failed)
        }
    }
}

/// How many lines are no positions, and what is wrong with the first.
#[derive(Default)]
struct Tally {
    bad: u64,
    first: Option<String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.bad += other.bad;
        self.first = self.first.take().or(other.first);
    }
}

fn answer(lines: &[&[u8]], first: u64, file: Option<&String>, output: &Output<'_>) -> Task<Tally> {
    let mut text = Vec::with_capacity(lines.len() * 96);
    let mut tally = Tally::default();
    for (line, number) in lines.iter().zip(first..) {
        let line = if number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        // A strict reader sees the blanks.
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() || line.starts_with(b"#") {
            if output.json.is_none() {
                text.extend_from_slice(line);
                text.push(b'\n');
            }
            continue;
        }
        let seen = read(line, &output.style);
        if let Err(message) = &seen {
            let place = file.map_or(String::new(), |file| format!("{file}, "));
            tally.add(Tally { bad: 1, first: Some(format!("{place}line {number}: {message}")) });
        }
        match (output.json, seen) {
            (Some(object), seen) => {
                let at = Object::new();
                let at = if let Some(file) = file { at.with("file", file.as_str()) } else { at };
                let at = at.with("line", number);
                let object = match &seen {
                    Ok(seen) => at.joined(&object(seen, &output.style)),
                    Err(message) => at.with("error", message.as_str()),
                };
                text.extend_from_slice(object.to_string().as_bytes());
            }
            (None, Ok(Seen::Position(line))) => {
                line.write(&output.style, &mut text);
                if !output.bare {
                    text.push(b'\t');
                    line.judge(&mut text);
                }
            }
            (None, Ok(Seen::Other(board))) => {
                text.extend_from_slice(board.to_string().as_bytes());
                if !output.bare {
                    text.extend_from_slice(format!("\t{}", note(&board)).as_bytes());
                }
            }
            // A comment, so that no program takes it for a position, and the lines stay side by side.
            (None, Err(message)) => text.extend_from_slice(format!("# line {number}: {message}").as_bytes()),
        }
        text.push(b'\n');
    }
    Task { text, result: tally }
}

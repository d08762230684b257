//! Writes the report of `scoresheet position` on one position: a drawing with a table, or a JSON object.

use super::line::{self, Line, Parsed, Style};
use crate::output::board;
use crate::output::json::Object;
use crate::text::{beside, count, printable, side};
use scoresheet::Position;
use scoresheet::chess::epd::{Epd, Operand};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, Fen, OtherBoard, ReadMode};
use scoresheet::chess::{CastlingSide, Color};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// Returns the line in the chosen style.
pub fn normalised(parsed: &Parsed, style: &Style) -> String {
    match parsed {
        Parsed::Position(line) => {
            let mut text = Vec::with_capacity(96);
            line.write(style, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        }
        Parsed::Other(board) => board.to_string(),
    }
}

/// Returns the line as JSON. `text` is the input, if the report includes its strict validity.
pub fn json(parsed: &Parsed, text: Option<&str>, style: &Style) -> Object {
    match parsed {
        Parsed::Position(line) => Report::new(line, text, style).json(),
        Parsed::Other(board) => other_json(board),
    }
}

fn other_json(board: &OtherBoard) -> Object {
    Object::new()
        .with("fen", board.to_string())
        .with("board", format!("{}x{}", board.files, board.ranks))
        .with("ranks", other_ranks(board))
        .with("turn", side(board.turn).to_ascii_lowercase())
        .with("halfmove_clock", board.halfmove_clock)
        .with("fullmove_number", board.fullmove_number)
        .with("legal", Value::Null)
        .with("note", line::note(board))
}

/// Returns the drawing of the board and the table. `text` is the input. `unicode` draws chess symbols, and `flip` draws
/// the board from Black's side.
pub fn text(parsed: &Parsed, text: &str, style: &Style, unicode: bool, flip: bool) -> String {
    match parsed {
        Parsed::Position(line) => Report::new(line, Some(text), style).text(unicode, flip),
        Parsed::Other(board) => other_text(board, flip),
    }
}

/// Returns the ranks from the last to the first, a letter or `.` for each square.
fn other_ranks(board: &OtherBoard) -> Vec<String> {
    let rank = |rank: &[Option<u8>]| rank.iter().map(|square| char::from(square.unwrap_or(b'.'))).collect();
    board.pieces.chunks(usize::from(board.files)).map(rank).collect()
}

/// Returns the board in letters, with the names of files and ranks.
fn other_text(board: &OtherBoard, flip: bool) -> String {
    let files = usize::from(board.files);
    let mut ranks: Vec<String> = Vec::new();
    for (index, rank) in board.pieces.chunks(files).enumerate() {
        let mut letters: Vec<char> = rank.iter().map(|square| char::from(square.unwrap_or(b'.'))).collect();
        if flip {
            letters.reverse();
        }
        let number = usize::from(board.ranks) - index;
        ranks.push(letters.into_iter().fold(format!("{number:>2}"), |line, letter| format!("{line} {letter}")));
    }
    let mut names: Vec<char> = (b'a'..).map(char::from).take(files).collect();
    if flip {
        ranks.reverse();
        names.reverse();
    }
    ranks.push(names.into_iter().fold("  ".to_owned(), |line, letter| format!("{line} {letter}")));
    format!(
        "{}\n\n{}{}{}",
        ranks.join("\n"),
        row("X-FEN", &board.to_string()),
        row(
            "Fields",
            &format!("{} to move, clock {}, move {}", side(board.turn), board.halfmove_clock, board.fullmove_number)
        ),
        row("Legal", &line::note(board))
    )
}

struct Report<'a> {
    line: &'a Line,
    fen: &'a Fen,
    position: &'a Position,
    /// The reason why strict parsing rejects the position; `None` if strict parsing accepts the position, or if the
    /// report omits this check.
    strict: Option<Option<String>>,
    moves: Vec<String>,
    normalised: String,
}

impl<'a> Report<'a> {
    fn new(line: &'a Line, text: Option<&str>, style: &Style) -> Report<'a> {
        let strict = text.map(|text| {
            // An EPD contains no clocks, so check it as an EPD.
            if line.is_epd {
                Epd::read(text.as_bytes(), ReadMode::Strict).err().map(|error| error.in_text(text.as_bytes()))
            } else {
                Fen::read(text.as_bytes(), ReadMode::Strict).err().map(|error| error.in_text(text.as_bytes()))
            }
        });
        let position = &line.position;
        let moves = position.legal_moves().into_iter().map(|m| position.san(m)).collect();
        let mut text = Vec::with_capacity(96);
        line.write(style, &mut text);
        let normalised = String::from_utf8_lossy(&text).into_owned();
        Report { line, fen: &line.fen, position, strict, moves, normalised }
    }

    fn flavors(&self) -> Vec<(&'static str, String)> {
        let styled = |target, castling| {
            let mut text = Vec::new();
            self.position.write_fen(&mut text, target, castling);
            String::from_utf8_lossy(&text).into_owned()
        };
        vec![
            ("Standard", styled(EnPassantStyle::Always, CastlingStyle::XFen)),
            ("X-FEN", styled(EnPassantStyle::Legal, CastlingStyle::XFen)),
            ("Shredder", styled(EnPassantStyle::Always, CastlingStyle::Shredder)),
            ("EPD", Epd::from_position(self.position, EnPassantStyle::Always, CastlingStyle::XFen).to_string()),
        ]
    }

    fn state(&self) -> &'static str {
        match (self.position.in_check(), self.moves.is_empty()) {
            (true, true) => "checkmate",
            (false, true) => "stalemate",
            (true, false) => "check",
            (false, false) => "",
        }
    }

    /// Returns the ranks from the eighth to the first, a letter or `.` for each square.
    fn ranks(&self) -> Vec<String> {
        let fen = self.fen.to_string();
        let letters = |rank: &str| {
            rank.chars().fold(String::new(), |all, letter| match letter.to_digit(10) {
                Some(blanks) => all + &".".repeat(blanks as usize),
                None => all + letter.encode_utf8(&mut [0; 4]),
            })
        };
        fen.split(' ').next().unwrap_or_default().split('/').map(letters).collect()
    }

    fn castling(&self) -> Vec<String> {
        let mut rights = Vec::new();
        for color in Color::BOTH {
            for castling_side in CastlingSide::BOTH {
                if let Some(rook) = self.position.castling_rook(color, castling_side) {
                    let name = if castling_side == CastlingSide::King { "O-O" } else { "O-O-O" };
                    rights.push(format!("{} {name} ({rook})", side(color)));
                }
            }
        }
        rights
    }

    fn text(&self, unicode: bool, flip: bool) -> String {
        let mut text = board::draw(self.position, unicode, flip);
        let field = |words: Vec<String>, none: &str| if words.is_empty() { none.to_owned() } else { words.join(", ") };
        let target = self.fen.en_passant.map(|square| square.to_string());
        let check = if self.state().is_empty() { String::new() } else { format!(", {}", self.state()) };
        let strict = self.strict.clone().flatten();
        let rows = [
            ("To move", format!("{}{check}", side(self.fen.turn))),
            ("Castling", field(self.castling(), "none")),
            ("Target", target.unwrap_or("none".to_owned())),
            ("Clock", format!("{} (a draw can be claimed at 100)", self.fen.halfmove_clock)),
            ("Move", self.fen.fullmove_number.to_string()),
            ("Legal", field(self.line.reasons(), "yes")),
            ("Strict", strict.map_or("yes".to_owned(), |error| format!("no: {error}"))),
        ];
        text.push('\n');
        for (title, value) in rows {
            let value = if title == "Legal" && value != "yes" { format!("no: {value}") } else { value };
            text += &row(title, &value);
        }
        for (title, fen) in self.flavors() {
            text += &row(title, &fen);
        }
        for operation in &self.line.operations {
            text += &row("Operation", &printable(&operation.to_string()));
        }
        for bad in &self.line.bad {
            text += &row("Not legal", &printable(&bad.to_string()));
        }
        text += &row("Zobrist key", &format!("{:016x}", self.position.zobrist()));
        let moves = if self.moves.is_empty() { "none".to_owned() } else { self.moves.join(" ") };
        text + &row(&count(self.moves.len() as u64, "move", "moves"), &moves)
    }

    fn json(&self) -> Object {
        let reasons = self.line.reasons();
        let flavors = self
            .flavors()
            .into_iter()
            .fold(Object::new(), |all, (name, fen)| all.with(&name.to_ascii_lowercase(), fen));
        let operands = |operation: &scoresheet::chess::epd::Operation| -> Value {
            operation.operands.iter().map(Operand::as_str).collect()
        };
        let pairs = self
            .line
            .operations
            .iter()
            .map(|operation| Value::from(vec![operation.opcode.as_str().into(), operands(operation)]));
        let bad: Vec<String> = self.line.bad.iter().map(ToString::to_string).collect();
        let object = Object::new()
            .with("fen", self.fen.to_string())
            .with("normalised", self.normalised.as_str())
            .with("ranks", self.ranks())
            .with("turn", side(self.fen.turn).to_ascii_lowercase())
            .with("castling", self.castling())
            .with("en_passant", self.fen.en_passant.map(|square| square.to_string()))
            .with("halfmove_clock", self.fen.halfmove_clock)
            .with("fullmove_number", self.fen.fullmove_number)
            .with("state", self.state())
            .with("legal", reasons.is_empty())
            .with("reasons", reasons)
            .object("flavors", &flavors)
            .with("zobrist", format!("{:016x}", self.position.zobrist()))
            .with("moves", self.moves.clone())
            .with("operations", pairs.collect::<Value>())
            .with("bad_moves", bad);
        match &self.strict {
            Some(fault) => object.with("strict", fault.is_none()),
            None => object,
        }
    }
}

/// The width of the titles, and the width of a line.
const TITLES: usize = 12;
const LINE: usize = 80;

/// Returns a title and its text, on as many lines as needed. A FEN that does not fit next to its title gets its own
/// line and is not broken.
fn row(title: &str, value: &str) -> String {
    if TITLES + value.width() > LINE && is_fen(value) {
        return format!("{title}\n{value}\n");
    }
    format!("{title:<TITLES$}{}\n", beside(value, TITLES, LINE))
}

/// Whether a text is a position, which must not be broken across lines.
fn is_fen(text: &str) -> bool {
    text.split(' ').next().is_some_and(|placement| placement.matches('/').count() >= 7)
}

//! The formats of games other than PGN: `scoresheet export --format`.

use crate::Content;
use crate::json::{self, Object};
use scoresheet::Game;
use scoresheet::brenner::move_id::MoveId;
use scoresheet::chess::epd::{Epd, Operand};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::chess::{Color, Move, Position, Variant};
use scoresheet::game::{Event, Outcome, stored_san};
use scoresheet::pcn::{self, JsonLayout};
use serde_json::Value;

/// An output format of games.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Format {
    /// Complete PGN
    #[default]
    Pgn,
    /// One game per line, as UCI's position command
    Uci,
    /// One game per line: the moves in SAN without tags, comments and variations
    San,
    /// One position per line, with game and ply as id and the move played as sm
    Epd,
    /// One position per line: every position of every main line, from ply 0
    Fen,
    /// Comma-separated values with a header line: the columns of `list`, and the moves in SAN
    Csv,
    /// One JSON object per line: tags, moves and the comments of the main line
    Json,
    /// One game per line: the moves as 11-bit numbers (FORMAT.md, "Move ids")
    Moveid,
    /// One PCN document per line (docs/PCN.md lists the parts of a game that PCN cannot represent)
    Pcn,
}

impl Format {
    /// Returns the extension of files in this format.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Pgn => "pgn",
            Format::Json => "json",
            Format::Pcn => "pcn",
            Format::Epd => "epd",
            Format::Csv => "csv",
            Format::Uci | Format::San | Format::Fen | Format::Moveid => "txt",
        }
    }

    /// Returns whether the format has words only for chess: no pockets, no explosions.
    pub fn is_of_chess(self) -> bool {
        matches!(self, Format::Epd | Format::Moveid | Format::Pcn)
    }

    /// Returns the kind of content of a file in this format.
    pub fn content(self) -> Content {
        match self {
            Format::Pgn => Content::Pgn,
            Format::Json | Format::Pcn => Content::Json,
            Format::Uci | Format::San | Format::Csv | Format::Epd | Format::Fen | Format::Moveid => Content::Text,
        }
    }
}

/// Returns a value as a field of comma-separated values, in quotes if necessary (RFC 4180).
pub fn csv(value: &str) -> String {
    // Spreadsheets run a text that begins like a formula. A number with a sign is none.
    let is_formula = value.starts_with(['=', '+', '-', '@', '\t', '\r'])
        && value.parse::<f64>().is_err()
        && value.contains(|c: char| !matches!(c, '+' | '-' | '='));
    let quote = if is_formula { "'" } else { "" };
    let bytes = value.as_bytes();
    if memchr::memchr3(b',', b'"', b'\n', bytes).or_else(|| memchr::memchr(b'\r', bytes)).is_none() {
        return [quote, value].concat();
    }
    format!("\"{quote}{}\"", value.replace('"', "\"\""))
}

/// Returns a line of comma-separated values, including its line end.
pub fn csv_line(cells: &[&str]) -> String {
    let cells = cells.iter().map(|cell| csv(cell));
    cells.collect::<Vec<_>>().join(",") + "\n"
}

/// Appends a game in a format that is not PGN. `flavor` applies to FEN and EPD.
pub fn push(format: Format, number: u64, game: &Game, flavor: (EnPassantStyle, CastlingStyle), out: &mut Vec<u8>) {
    let line = match format {
        Format::Fen | Format::Epd => return push_positions(format, number, game, flavor, out),
        Format::Uci => format!("position {}", listed(game, uci)),
        Format::Moveid => listed(game, |_, m, chess960| {
            // Every legal move has an id.
            MoveId::from_move(m, chess960).map_or_else(String::new, |id| id.number().to_string())
        }),
        Format::Json => json(number, game).to_string(),
        Format::Pcn => pcn::write(game, JsonLayout::Line),
        Format::San | Format::Pgn => san(game),
        // The caller adds the columns before the moves.
        Format::Csv => csv(&san(game)),
    };
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}

/// Calls `seen` with each position in the main line and the move played in this position; in the last position, no move
/// is played.
fn walk(game: &Game, mut seen: impl FnMut(&Position, Option<Move>)) {
    let mut position = game.start_by_rules();
    for m in game.main_line() {
        seen(&position, Some(m));
        position.play_unchecked(m);
    }
    seen(&position, None);
}

fn uci(position: &Position, m: Move, chess960: bool) -> String {
    let mut text = Vec::with_capacity(5);
    position.write_uci(m, chess960, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Formats a game as a UCI line: `startpos moves ..` or `fen .. moves ..`.
fn listed(game: &Game, show: impl Fn(&Position, Move, bool) -> String) -> String {
    let chess960 = game.start.is_chess960();
    let mut line = match game.start.is_usual_start() && game.start.variant() == Variant::Chess {
        true => "startpos".to_owned(),
        false => format!("fen {}", game.start.fen()),
    };
    let mut first = true;
    walk(game, |position, m| {
        if let Some(m) = m {
            line += if std::mem::take(&mut first) { " moves " } else { " " };
            line += &show(position, m, chess960);
        }
    });
    line
}

fn san(game: &Game) -> String {
    let mut line = String::new();
    if game.start != Position::standard() {
        line += &format!("[FEN \"{}\"] ", game.start.fen());
    }
    let mut first = true;
    walk(game, |position, m| {
        let Some(m) = m else { return };
        match position.turn() {
            Color::White => line += &format!("{}. ", position.fullmove_number()),
            Color::Black if first => line += &format!("{}... ", position.fullmove_number()),
            Color::Black => {}
        }
        first = false;
        line += &stored_san(position, m);
        line.push(' ');
    });
    line + game.outcome.map_or("*", |outcome| outcome.token())
}

fn push_positions(
    format: Format,
    number: u64,
    game: &Game,
    flavor: (EnPassantStyle, CastlingStyle),
    out: &mut Vec<u8>,
) {
    let (target, castling) = flavor;
    let mut ply = 0u32;
    walk(game, |position, m| {
        if format == Format::Fen {
            position.write_fen(out, target, castling);
        } else {
            let mut epd = Epd::from_position(position, target, castling);
            epd.push("hmvc", Operand::Word(position.halfmove_clock().to_string()));
            epd.push("fmvn", Operand::Word(position.fullmove_number().to_string()));
            epd.push("id", Operand::Text(format!("{number}:{ply}")));
            if let Some(m) = m {
                epd.push("sm", Operand::Word(stored_san(position, m)));
            }
            out.extend_from_slice(epd.to_string().as_bytes());
        }
        out.push(b'\n');
        ply += 1;
    });
}

/// Returns a game as a JSON object with its moves (docs/JSON.md).
pub fn json(number: u64, game: &Game) -> Object {
    let chess960 = game.start.is_chess960();
    let (mut sans, mut ucis) = (Vec::new(), Vec::new());
    walk(game, |position, m| {
        if let Some(m) = m {
            sans.push(stored_san(position, m));
            ucis.push(uci(position, m, chess960));
        }
    });
    let (mut depth, mut ply, mut notes) = (0u32, 0u32, Vec::new());
    for event in &game.events {
        match event {
            Event::Open => depth += 1,
            Event::Close => depth -= 1,
            _ if depth > 0 => {}
            Event::Move(_) => ply += 1,
            Event::Suffix(good) => {
                notes.push(Object::new().with("ply", ply).with("mark", if *good { "!" } else { "?" }))
            }
            Event::Nag(nag) => notes.push(Object::new().with("ply", ply).with("nag", *nag)),
            Event::Text(_, text) => notes.push(Object::new().with("ply", ply).with("text", text.as_str())),
        }
    }
    let set_up = (!game.start.is_usual_start()).then(|| game.start.fen());
    Object::new()
        .with("game", number)
        .with("tags", json::tags(&game.tags))
        .with("fen", set_up.map_or(Value::Null, Value::from))
        .with("san", sans)
        .with("uci", ucis)
        .array("notes", &notes)
        .array("analysis", &game.analysis().iter().map(Object::from_value).collect::<Vec<_>>())
        .with("result", Outcome::of_game(game.tag("Result").map(str::as_bytes), game.outcome).token())
}

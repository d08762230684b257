//! The position to search for: by FEN, by EPD or by the moves that lead to it.

use crate::failure::Failure;
use crate::text::shown;
use scoresheet::Position;
use scoresheet::chess::epd::{Epd, EpdFault};
use scoresheet::chess::fen::{FenError, ReadMode};
use scoresheet::chess::record::{PositionRecord, RecordError};
use scoresheet::query::position::position_query::Compare;
use scoresheet::query::{self, Board, PositionQuery, QueryFault};
use std::path::{Path, PathBuf};

/// A position, in one of several ways.
#[derive(Debug, clap::Args)]
#[group(id = "place", multiple = false)]
pub struct PositionArgs {
    /// The position as FEN; fields after the piece placement may be omitted: White to move, no castling, no en passant;
    /// startpos is the starting position
    #[arg(long, value_name = "FEN", allow_hyphen_values = true)]
    fen: Option<String>,
    /// The position as EPD; its operations are ignored
    #[arg(long, value_name = "EPD", allow_hyphen_values = true)]
    epd: Option<String>,
    /// The position after these moves from the standard starting position, e.g. "e4 c5 Nf3" or "1. e4 c5 2. Nf3"
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

impl PositionArgs {
    /// Returns whether any is given.
    pub fn is_given(&self) -> bool {
        self.fen.is_some() || self.epd.is_some() || self.moves.is_some()
    }

    /// Returns the position, the standard starting position where none is given. Errors point at their place.
    pub fn position(&self) -> Result<Position, Failure> {
        match (&self.fen, &self.epd, &self.moves) {
            (Some(fen), ..) => of_fen(fen),
            (_, Some(epd), _) => of_epd(epd),
            (.., Some(moves)) => of_moves(moves),
            _ => Ok(Position::standard()),
        }
    }
}

/// Returns the position of a FEN, or of the word startpos.
fn of_fen(fen: &str) -> Result<Position, Failure> {
    let read = PositionQuery::from_fen(fen).map_err(|fault| Failure::Query("--fen", fault))?;
    Ok(read.position().clone())
}

fn of_epd(epd: &str) -> Result<Position, Failure> {
    let read = Epd::read(epd.as_bytes(), ReadMode::Forgiving);
    read.map(|epd| epd.position()).map_err(|error| match error.fault {
        EpdFault::Fen(error) => bad_fen("--epd", epd, &error),
        // The column is shown with the text.
        _ => {
            let what = error.to_string();
            let what = what.rsplit(": ").next().unwrap_or_default().to_owned();
            Failure::Query("--epd", QueryFault::in_bytes(epd, (error.column, what)))
        }
    })
}

fn of_moves(moves: &str) -> Result<Position, Failure> {
    query::line(moves).map_err(|fault| Failure::Query("--moves", fault))
}

/// Returns the positions of a list: a FEN or EPD on each line, `-` for standard input; empty lines and lines that begin
/// with `#` are skipped.
fn of_list(path: &Path) -> Result<Vec<Position>, Failure> {
    let is_stdin = path.as_os_str() == "-";
    let text = if is_stdin { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(path) };
    let text = text.map_err(|error| Failure::cannot_open(path, error))?;
    let mut positions = Vec::new();
    for (line, number) in text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let read = PositionRecord::read(line.as_bytes(), ReadMode::Forgiving);
        let bad = |error: RecordError| {
            let what = error.in_text(line.as_bytes());
            Failure::Message(format!("{}, line {number}: {what}", shown(path)))
        };
        positions.push(read.map_err(bad)?.position());
    }
    match positions.is_empty() {
        true => Err(Failure::Message(format!("{}: no positions in this list", shown(path)))),
        false => Ok(positions),
    }
}

/// Returns the moves of a text such as `1. e4 c5 2.Nf3` without their numbers, each with its place in bytes.
pub fn move_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().filter_map(move |word| {
        // Numbers may stand alone, or be joined to the move after them.
        let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_numbered = rest.len() < word.len() && (rest.is_empty() || rest.starts_with('.'));
        let san = if is_numbered { rest.trim_start_matches('.') } else { word };
        (!san.is_empty()).then(|| (place(san), san))
    })
}

fn bad_fen(option: &'static str, text: &str, error: &FenError) -> Failure {
    let what = format!("{}: {}", error.field.name(), error.fault);
    Failure::Query(option, QueryFault::in_bytes(text, (error.column, what)))
}

/// Positions to be found and what of them counts.
#[derive(Debug, clap::Args)]
pub struct PositionQueryArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// With several positions, only games that reach all of them, in any order
    #[arg(long, requires = "place")]
    every: bool,
    /// With either side to move
    #[arg(long)]
    any_side: bool,
    /// With any castling rights
    #[arg(long)]
    any_castling: bool,
    /// With or without a legal en passant capture
    #[arg(long)]
    any_en_passant: bool,
}

/// Positions, in one of several ways.
#[derive(Debug, clap::Args)]
#[group(id = "place", multiple = false)]
struct PlaceArgs {
    /// The position as FEN; fields after the piece placement may be omitted, and are then not compared; startpos is the
    /// starting position. Given several times: games that reach any of these positions
    #[arg(long, value_name = "FEN", allow_hyphen_values = true)]
    fen: Vec<String>,
    /// The position as EPD; its operations are ignored. It too may be given several times
    #[arg(long, value_name = "EPD", allow_hyphen_values = true)]
    epd: Vec<String>,
    /// The positions of a list, a FEN or EPD on each line; - for standard input
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
    /// The position after these moves from the standard starting position, e.g. "e4 c5 Nf3" or "1. e4 c5 2. Nf3"
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

impl PositionQueryArgs {
    /// Returns the positions to be found, `None` where none is given.
    pub fn board(&self) -> Result<Option<Board>, Failure> {
        let place = &self.place;
        let whole = |position: Position| PositionQuery::from(&position);
        let positions: Vec<PositionQuery> = if let Some(path) = &place.fens {
            of_list(path)?.into_iter().map(whole).collect()
        } else if let Some(moves) = &place.moves {
            vec![whole(of_moves(moves)?)]
        } else if place.epd.is_empty() {
            let read = |fen: &String| PositionQuery::from_fen(fen).map_err(|fault| Failure::Query("--fen", fault));
            place.fen.iter().map(read).collect::<Result<_, _>>()?
        } else {
            place.epd.iter().map(|epd| of_epd(epd).map(whole)).collect::<Result<_, _>>()?
        };
        let compare = Compare { side: !self.any_side, castling: !self.any_castling, en_passant: !self.any_en_passant };
        let positions: Vec<_> = positions.into_iter().map(|query| query.with_compare(compare)).collect();
        Ok(match (positions.is_empty(), self.every) {
            (true, _) => None,
            (false, true) => Some(Board::EveryPosition(positions)),
            (false, false) => Some(Board::AnyPosition(positions)),
        })
    }
}

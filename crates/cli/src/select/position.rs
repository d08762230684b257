//! Reads the position to search for: as FEN or EPD, or by the moves that lead to it.

use crate::failure::Failure;
use crate::session::Session;
use crate::text::{self, shown};
use scoresheet::chess::epd::{Epd, EpdFault};
use scoresheet::chess::fen::ReadMode;
use scoresheet::chess::record::{PositionRecord, RecordError};
use scoresheet::chess::{Position, Variant};
use scoresheet_query::position::position_query::Compare;
use scoresheet_query::{Board, PositionQuery, QueryFault};
use std::path::{Path, PathBuf};

/// The heading of these options in help texts.
const POSITION: &str = "Position";

/// The options for a position, in one of several forms.
#[derive(Debug, clap::Args)]
#[group(id = "place", multiple = false)]
pub struct PositionArgs {
    /// Use this position, as FEN or EPD, or startpos
    ///
    /// Fields after the piece placement may be omitted. Their defaults: White to move, no castling rights, no en
    /// passant target. Operations of an EPD are ignored. startpos is the standard starting position,
    /// or that of --variant.
    #[arg(long, value_name = "FEN", alias = "epd", allow_hyphen_values = true, help_heading = POSITION)]
    fen: Option<String>,
    /// Use the position after these moves, e.g. "e4 c5 Nf3"
    ///
    /// The moves start from the standard starting position, or from that of --variant. Move numbers are allowed: "1. e4
    /// c5 2. Nf3".
    #[arg(long, value_name = "MOVES", help_heading = POSITION)]
    moves: Option<String>,
}

impl PositionArgs {
    /// Returns whether the options contain a position.
    pub fn is_given(&self) -> bool {
        self.fen.is_some() || self.moves.is_some()
    }

    /// Reports that a FEN without all of its fields may mean another position than its writer, if no game has it.
    pub fn report_omitted(&self, session: &Session) {
        let fields = self.fen.as_ref().map_or(4, |fen| fen.split_whitespace().count());
        if fields < 4 && self.fen.as_deref() != Some("startpos") {
            let side = if fields == 1 { "White to move, " } else { "" };
            session.hint(&format!(
                "the FEN omits fields, so it means {side}no castling rights; `find` compares only what a FEN states"
            ));
        }
    }

    /// Returns the position in games of a variant; the default is the starting position. Error messages show the location
    /// of the fault in the text.
    pub fn position(&self, variant: Variant) -> Result<Position, Failure> {
        match (&self.fen, &self.moves) {
            (Some(fen), _) => {
                let position = parse_fen(fen, variant)?.position().clone();
                let is_of_chess = position.variant() == Variant::Chess;
                Ok(if is_of_chess { position.with_variant(variant.of_moves()) } else { position })
            }
            (_, moves) => parse_moves(moves.as_deref().unwrap_or_default(), variant),
        }
    }
}

/// Returns the position of a FEN, of an EPD or of the word startpos. Only an EPD with operations contains a semicolon.
fn parse_fen(text: &str, variant: Variant) -> Result<PositionQuery, Failure> {
    match text.contains(';') {
        true => parse_epd(text).map(|position| PositionQuery::from(&position)),
        false => PositionQuery::from_fen_of(variant, text).map_err(|fault| Failure::Query("--fen", fault)),
    }
}

fn parse_epd(epd: &str) -> Result<Position, Failure> {
    let read = Epd::read(epd.as_bytes(), ReadMode::Forgiving);
    read.map(|epd| epd.position()).map_err(|error| match error.fault {
        EpdFault::Fen(error) => Failure::Query("--fen", QueryFault::from_fen(epd, &error)),
        // The error message shows the column together with the text.
        _ => {
            let what = error.to_string();
            let what = what.rsplit(": ").next().unwrap_or_default().to_owned();
            Failure::Query("--fen", QueryFault::from_column(epd, error.column, what))
        }
    })
}

fn parse_moves(moves: &str, variant: Variant) -> Result<Position, Failure> {
    scoresheet_query::line_of(variant, moves).map_err(|fault| Failure::Query("--moves", fault))
}

/// Reads a list of positions with a FEN or EPD on each line; `-` stands for standard input. Empty lines and lines that
/// begin with `#` are skipped.
fn read_list(path: &Path) -> Result<Vec<Position>, Failure> {
    let text = text::read(path).map_err(|error| Failure::cannot_open(path, error))?;
    let mut positions = Vec::new();
    for (line, number) in text.lines().map(str::trim).zip(1..) {
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

/// Returns the moves of a text such as `1. e4 c5 2.Nf3` without their numbers, each with its byte offset.
pub fn move_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let offset = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().filter_map(move |word| {
        // Numbers may be separate words, or joined to the following move.
        let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_numbered = rest.len() < word.len() && (rest.is_empty() || rest.starts_with('.'));
        let san = if is_numbered { rest.trim_start_matches('.') } else { word };
        (!san.is_empty()).then(|| (offset(san), san))
    })
}

/// The positions to find, and the fields to ignore.
#[derive(Debug, clap::Args)]
pub struct PositionQueryArgs {
    #[command(flatten)]
    positions: ListedArgs,
    /// Find only games that reach all given positions, in any order
    #[arg(long, alias = "every", requires = "place", hide_short_help = true, help_heading = POSITION)]
    all: bool,
    /// Ignore these fields: side, castling, en-passant
    ///
    /// side ignores the side to move, castling the castling rights, and en-passant a legal en passant capture.
    #[arg(long, value_name = "WHAT,..", value_enum, value_delimiter = ',', hide_possible_values = true)]
    #[arg(requires = "place", help_heading = POSITION)]
    any: Vec<Any>,
    /// Old name of --any side
    #[arg(long, hide = true)]
    any_side: bool,
    /// Old name of --any castling
    #[arg(long, hide = true)]
    any_castling: bool,
    /// Old name of --any en-passant
    #[arg(long, hide = true)]
    any_en_passant: bool,
}

/// A field of a position that a search ignores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Any {
    Side,
    Castling,
    EnPassant,
}

/// The options for positions, in one of several forms.
#[derive(Debug, clap::Args)]
#[group(id = "place", multiple = false)]
struct ListedArgs {
    /// Find this position, as FEN or EPD, or startpos
    ///
    /// Fields after the piece placement may be omitted; `find` does not compare omitted fields. Operations of an EPD
    /// are ignored. startpos is the standard starting position. Repeat the option to find games that reach any of
    /// several positions.
    #[arg(long, value_name = "FEN", alias = "epd", allow_hyphen_values = true, help_heading = POSITION)]
    fen: Vec<String>,
    /// Find any position in a file: a FEN or EPD per line
    ///
    /// - reads standard input. Empty lines and lines that begin with # are skipped.
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = POSITION)]
    fens: Option<PathBuf>,
    /// Find the position after these moves, e.g. "e4 c5 Nf3"
    ///
    /// The moves start from the standard starting position, or from that of --variant. Move numbers are allowed: "1. e4
    /// c5 2. Nf3".
    #[arg(long, value_name = "MOVES", help_heading = POSITION)]
    moves: Option<String>,
}

impl PositionQueryArgs {
    /// Returns the positions to find in games of a variant, or `None` if the options contain no position.
    pub fn board(&self, variant: Variant) -> Result<Option<Board>, Failure> {
        let ListedArgs { fen, fens, moves } = &self.positions;
        let exact = |position: Position| PositionQuery::from(&position);
        let positions: Vec<PositionQuery> = if let Some(path) = fens {
            read_list(path)?.into_iter().map(exact).collect()
        } else if let Some(moves) = moves {
            vec![exact(parse_moves(moves, variant)?)]
        } else {
            fen.iter().map(|fen| parse_fen(fen, variant)).collect::<Result<_, _>>()?
        };
        let compare = Compare {
            side: !(self.any_side || self.any.contains(&Any::Side)),
            castling: !(self.any_castling || self.any.contains(&Any::Castling)),
            en_passant: !(self.any_en_passant || self.any.contains(&Any::EnPassant)),
        };
        let positions: Vec<_> = positions.into_iter().map(|query| query.with_compare(compare)).collect();
        Ok(match (positions.is_empty(), self.all) {
            (true, _) => None,
            (false, true) => Some(Board::EveryPosition(positions)),
            (false, false) => Some(Board::AnyPosition(positions)),
        })
    }
}

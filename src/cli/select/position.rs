//! The position to search for: by FEN, by EPD or by the moves that lead to it.

use crate::failure::Failure;
use scoresheet::Position;
use scoresheet::chess::epd::{Epd, EpdFault};
use scoresheet::chess::fen::{FenError, ReadMode};
use scoresheet::query::{Compare, PositionQuery, QueryFault};

/// A position, in one of several ways.
#[derive(Debug, clap::Args)]
#[group(id = "place", multiple = false)]
pub struct PositionArgs {
    /// The position as FEN; fields after the piece placement may be omitted
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
        if let Some(fen) = &self.fen {
            return Position::from_fen(fen.as_bytes()).map_err(|error| bad_fen("--fen", fen, &error));
        }
        if let Some(epd) = &self.epd {
            let read = Epd::read(epd.as_bytes(), ReadMode::Forgiving);
            return read.map(|epd| epd.position()).map_err(|error| match error.fault {
                EpdFault::Fen(error) => bad_fen("--epd", epd, &error),
                // The column is shown with the text.
                _ => {
                    let what = error.to_string();
                    let what = what.rsplit(": ").next().unwrap_or_default().to_owned();
                    Failure::Query("--epd", QueryFault::in_bytes(epd, (error.column, what)))
                }
            });
        }
        let mut position = Position::standard();
        let moves = self.moves.as_deref().unwrap_or_default();
        for (column, san) in move_words(moves) {
            let played = position.parse_san(san.as_bytes());
            position.play_unchecked(played.map_err(|_| {
                let what = format!("{san:?} is not a legal move in {}", position.fen());
                Failure::Query("--moves", QueryFault::new(moves, column..column + san.len(), what))
            })?);
        }
        Ok(position)
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

/// A position to be found and what of it counts.
#[derive(Debug, clap::Args)]
pub struct PositionQueryArgs {
    #[command(flatten)]
    pub position: PositionArgs,
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

impl PositionQueryArgs {
    /// Returns the query.
    pub fn query(&self) -> Result<PositionQuery, Failure> {
        let compare = Compare { side: !self.any_side, castling: !self.any_castling, en_passant: !self.any_en_passant };
        Ok(PositionQuery::new(&self.position.position()?, compare))
    }
}

//! The conditions of the functions `reaches`, `matches_subfen` and `scoutfish_query`, with the same meaning for the
//! moves of a row and for a search in an archive.

use crate::line::with_stream;
use scoresheet::Position;
use scoresheet_query::pattern::{BoardPattern, Condition, Streak};
use scoresheet_query::{Board, MainLine, Pattern, PositionQuery};

/// The functions that test games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// `reaches(brenner, fen)`.
    Reaches,
    /// `matches_subfen(brenner, fen)`.
    MatchesSubfen,
    /// `scoutfish_query(brenner, json)`.
    ScoutfishQuery,
}

impl Question {
    /// All functions.
    pub const ALL: [Question; 3] = [Question::Reaches, Question::MatchesSubfen, Question::ScoutfishQuery];

    /// Returns the name of the function.
    pub fn name(self) -> &'static str {
        match self {
            Question::Reaches => "reaches",
            Question::MatchesSubfen => "matches_subfen",
            Question::ScoutfishQuery => "scoutfish_query",
        }
    }
}

impl Question {
    /// Parses the function's second argument.
    ///
    /// Errors: the argument is invalid.
    pub fn board(self, text: &str) -> Result<Board, String> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", self.name());
        Ok(match self {
            Question::Reaches => {
                let position = Position::from_fen(text.as_bytes()).map_err(|error| named(&error))?;
                PositionQuery::from(&position).into()
            }
            Question::MatchesSubfen => {
                let board = BoardPattern::parse_sub_fen(text).map_err(|fault| named(&fault))?;
                let condition = Condition { boards: vec![board], ..Condition::default() };
                Pattern(vec![Streak(vec![condition])]).into()
            }
            Question::ScoutfishQuery => text.parse::<Pattern>().map_err(|fault| named(&fault))?.into(),
        })
    }
}

/// A compiled position or pattern, to be tested on many games.
#[derive(Debug)]
pub enum Look<'a> {
    /// A search that replays a game and stops at a position.
    Position(Box<MainLine<'a>>),
    /// A pattern.
    Pattern(&'a Pattern),
}

impl<'a> Look<'a> {
    /// Returns the search for one position, or for a pattern; `None` for several positions, and for a
    /// repertoire.
    pub fn new(board: &'a Board) -> Option<Look<'a>> {
        match board {
            Board::AnyPosition(positions) => positions.first().map(|query| Look::Position(Box::new(query.main_line()))),
            Board::EveryPosition(_) | Board::Repertoire(_) => None,
            Board::Pattern(pattern) => Some(Look::Pattern(pattern)),
        }
    }

    /// Returns the first ply at which a game in Brenner bytes reaches the position; `None` for patterns.
    ///
    /// Errors: the bytes are not a game.
    pub fn first_ply(&self, bytes: &[u8]) -> Result<Option<u32>, String> {
        match self {
            Look::Position(line) => {
                with_stream(bytes, |stream| line.first_ply(stream).map_err(|error| error.to_string()))
            }
            Look::Pattern(_) => Ok(None),
        }
    }

    /// Returns whether a game in Brenner bytes matches.
    ///
    /// Errors: the bytes are not a game.
    pub fn is_in(&self, bytes: &[u8]) -> Result<bool, String> {
        with_stream(bytes, |stream| match self {
            Look::Position(line) => {
                let first = line.first_ply(stream).map_err(|error| error.to_string())?;
                Ok(first.is_some())
            }
            Look::Pattern(pattern) => {
                let mut found = false;
                let scanned = pattern.scan(stream, |_| {
                    found = true;
                    false
                });
                scanned.map_err(|error| error.to_string())?;
                Ok(found)
            }
        })
    }
}

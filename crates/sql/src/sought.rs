//! What a game has to reach, as the functions `reaches`, `matches_subfen` and `scoutfish_query` say it: one meaning for
//! a row's moves and for a search in an archive.

use crate::line::with_stream;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::query::pattern::{BoardPattern, Condition, Streak};
use scoresheet::query::{Compare, MainLine, SearchOptions, SideFiles};
use scoresheet::{Pattern, Position, PositionQuery};

/// The functions that ask for games.
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
    /// All of them.
    pub const ALL: [Question; 3] = [Question::Reaches, Question::MatchesSubfen, Question::ScoutfishQuery];

    /// Returns the name of its function.
    pub fn name(self) -> &'static str {
        match self {
            Question::Reaches => "reaches",
            Question::MatchesSubfen => "matches_subfen",
            Question::ScoutfishQuery => "scoutfish_query",
        }
    }
}

/// What a game has to reach.
#[derive(Clone, Debug)]
pub enum Sought {
    /// A position, to the side to move, castling rights and legal en passant captures.
    Position(Box<PositionQuery>),
    /// What a pattern asks.
    Pattern(Pattern),
}

impl Sought {
    /// Reads what a function's second argument says.
    ///
    /// Errors: what is wrong with it.
    pub fn parse(question: Question, text: &str) -> Result<Sought, String> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", question.name());
        Ok(match question {
            Question::Reaches => {
                let position = Position::from_fen(text.as_bytes()).map_err(|error| named(&error))?;
                Sought::Position(Box::new(PositionQuery::new(&position, Compare::default())))
            }
            Question::MatchesSubfen => {
                let board = BoardPattern::parse_sub_fen(text).map_err(|fault| named(&fault))?;
                let condition = Condition { boards: vec![board], ..Condition::default() };
                Sought::Pattern(Pattern(vec![Streak(vec![condition])]))
            }
            Question::ScoutfishQuery => Sought::Pattern(text.parse().map_err(|fault| named(&fault))?),
        })
    }

    /// Returns what looks for it in many games.
    pub fn look(&self) -> Look<'_> {
        match self {
            Sought::Position(query) => Look::Position(Box::new(query.main_line())),
            Sought::Pattern(pattern) => Look::Pattern(pattern),
        }
    }

    /// Returns the games of an archive that have it, among these, by signatures and index where they are beside it.
    ///
    /// Errors: a game cannot be read.
    pub fn games(&self, archive: &Archive, files: &SideFiles, among: Option<&GameSet>) -> scoresheet::Result<GameSet> {
        let mut search = files.search(archive);
        if let Some(among) = among {
            search = search.among(among);
        }
        let found = match self {
            Sought::Position(query) => search.position(query, SearchOptions::default()),
            Sought::Pattern(pattern) => search.pattern(pattern, false, false),
        };
        match found.unread.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(GameSet::of(archive.len(), found.hits.iter().map(|hit| hit.game))),
        }
    }
}

/// A position or pattern, made ready for many games.
#[derive(Debug)]
pub enum Look<'a> {
    /// A walk in search of a position.
    Position(Box<MainLine<'a>>),
    /// A pattern.
    Pattern(&'a Pattern),
}

impl Look<'_> {
    /// Returns the first ply at which a game in Brenner bytes has the position; `None` for patterns.
    ///
    /// Errors: the bytes are no game.
    pub fn first_ply(&self, bytes: &[u8]) -> Result<Option<u32>, String> {
        match self {
            Look::Position(line) => {
                with_stream(bytes, |stream| line.first_ply(stream).map_err(|error| error.to_string()))
            }
            Look::Pattern(_) => Ok(None),
        }
    }

    /// Returns whether a game in Brenner bytes has it.
    ///
    /// Errors: the bytes are no game.
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

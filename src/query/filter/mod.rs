//! Header filters: which games have these tags, players, ratings, dates, results, lengths (docs/QUERY.md).
//!
//! `lexer` and `parse` read the text into `expr`, `eval` answers it from tag columns: each condition is decided once for each distinct
//! string (`verdicts`), and a game costs a look-up.

pub(in crate::query) mod eval;
pub(in crate::query) mod expr;
pub(in crate::query) mod field;
mod lexer;
pub(in crate::query) mod parse;
pub mod sort;
pub(in crate::query) mod value;
mod verdicts;

use crate::archive::{Archive, GameSet};
use crate::error::Result;
use crate::query::fault::QueryFault;
use crate::query::tag_columns::{Key, TagColumns, Unread};
use expr::Expr;
use std::str::FromStr;

/// A header filter, read.
#[derive(Clone, Debug)]
pub struct Filter {
    text: String,
    expr: Expr,
}

impl Filter {
    /// Reads a filter, as in `white ~ "Carlsen" and elo >= 2700 and year in 2010..2020`.
    ///
    /// Errors: the place in the text, and what was expected there.
    pub fn parse(text: &str) -> Result<Filter, QueryFault> {
        Ok(Filter { text: text.to_owned(), expr: parse::parse(text)? })
    }

    /// Returns the text it was read from.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the games that the filter lets pass, in parallel on rayon's current pool. Deleted games never do, nor do those of which
    /// something cannot be read that the filter asks for: they are listed in `unread`.
    ///
    /// A million games take some milliseconds where `headers` has its columns; those that it must make first take as long as reading
    /// all tags, and moves where the filter asks for them.
    pub fn games(&self, headers: &TagColumns) -> Passed {
        // In one go, so that the tags are read once.
        let mut keys = self.keys();
        headers.readable(&keys);
        let mut games = eval::games(&self.expr, headers);
        // The movetext's results may have been asked for, too.
        keys.extend(keys.contains(&Key::Tag("Result".to_owned())).then_some(Key::Facts));
        let unread = headers.unread(&keys);
        if headers.archive().deleted_count() > 0 {
            games.intersect(&headers.archive().live());
        }
        for game in unread.iter().flat_map(|unread| unread.games.clone()) {
            games.remove(game);
        }
        Passed { games, unread }
    }

    /// Returns the games of an archive that the filter lets pass, ascending.
    ///
    /// Errors: damaged tags, or damaged games where the filter asks for their moves.
    pub fn numbers(&self, archive: &Archive) -> Result<Vec<u64>> {
        let Passed { games, unread } = self.games(&TagColumns::of(archive));
        match unread.into_iter().next() {
            None => Ok(games.iter().collect()),
            Some(unread) => Err(unread.error),
        }
    }

    /// Returns what the filter asks of games: the tag columns that it reads.
    pub fn keys(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        self.expr.keys(&mut keys);
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// What a filter lets pass.
#[derive(Clone, Debug)]
pub struct Passed {
    /// The games.
    pub games: GameSet,
    /// Games that could not be decided.
    pub unread: Vec<Unread>,
}

impl FromStr for Filter {
    type Err = QueryFault;

    fn from_str(text: &str) -> Result<Filter, QueryFault> {
        Filter::parse(text)
    }
}

//! Header filters: which games have these tags, players, ratings, dates, results, lengths (docs/QUERY.md).
//!
//! `lexer` and `parse` read the text into `expr`, `eval` answers it from header columns: each condition is decided once for each distinct
//! string, and a game costs a look-up.

mod eval;
pub(super) mod expr;
mod field;
mod lexer;
mod parse;
pub(super) mod value;

use super::fault::QueryFault;
use super::headers::{Headers, Key};
use crate::archive::{Archive, GameSet};
use crate::error::Result;
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

    /// Returns the games that the filter lets pass, in parallel on rayon's current pool. Deleted games never do.
    ///
    /// A million games take some milliseconds where `headers` has its columns; those that it must make first take as long as reading
    /// all tags. Errors: damaged tags, or damaged games where the filter asks for their moves.
    pub fn games(&self, headers: &Headers) -> Result<GameSet> {
        let mut keys = Vec::new();
        self.expr.keys(&mut keys);
        // In one go, so that the tags are read once.
        headers.columns(&keys)?;
        let mut games = eval::games(&self.expr, headers)?;
        if headers.archive().deleted_count() > 0 {
            games.intersect(&headers.archive().live());
        }
        Ok(games)
    }

    /// Returns the games of an archive that the filter lets pass, ascending.
    pub fn numbers(&self, archive: &Archive) -> Result<Vec<u64>> {
        Ok(self.games(&Headers::of(archive))?.iter().collect())
    }

    /// Returns what the filter asks of games: the header columns that it reads.
    pub fn keys(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        self.expr.keys(&mut keys);
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

impl FromStr for Filter {
    type Err = QueryFault;

    fn from_str(text: &str) -> Result<Filter, QueryFault> {
        Filter::parse(text)
    }
}

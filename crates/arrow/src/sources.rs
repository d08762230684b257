//! Open archives that behave as one, each with its tag columns.
//!
//! Knows archives and filters, nothing of Arrow. Games have the numbers of the set: those of the first archive, then
//! those of the second, and so on, from 1.

use rayon::prelude::*;
use scoresheet::archive::{Access, OpenOptions};
use scoresheet::query::TagColumns;
use scoresheet::{Archive, Error, Filter, Result};
use std::path::Path;
use std::sync::Arc;

/// An open archive with its tag columns.
#[derive(Debug)]
pub struct Source {
    /// The archive.
    pub archive: Arc<Archive>,
    /// Its tag columns, which keep what they had to make.
    pub columns: TagColumns<'static>,
    /// How many games the archives before it have.
    pub before: u64,
}

/// Open archives, one after the other.
#[derive(Debug, Default)]
pub struct Sources {
    sources: Vec<Source>,
}

impl Sources {
    /// Opens archives in this order, mapped into memory.
    ///
    /// Errors: those of [`Archive::open`], of the first that has one.
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Sources> {
        Sources::open_with(paths, Access::default())
    }

    /// Opens archives like `open`, with these options.
    pub fn open_with<P: AsRef<Path>>(
        paths: impl IntoIterator<Item = P>,
        options: impl Into<OpenOptions>,
    ) -> Result<Sources> {
        let options = options.into();
        let open = |path: P| Archive::open_with(path, options).map(Arc::new);
        Ok(Sources::of(paths.into_iter().map(open).collect::<Result<Vec<_>>>()?))
    }

    /// Returns the set of these archives.
    pub fn of(archives: impl IntoIterator<Item = Arc<Archive>>) -> Sources {
        let mut games = 0;
        let sources = archives.into_iter().map(|archive| {
            let before = games;
            games += archive.len();
            Source { columns: TagColumns::shared(Arc::clone(&archive)), archive, before }
        });
        Sources { sources: sources.collect() }
    }

    /// Returns one archive of a larger set: its games have the numbers after those of `before` others.
    pub fn after(before: u64, archive: Arc<Archive>) -> Sources {
        let columns = TagColumns::shared(Arc::clone(&archive));
        Sources { sources: vec![Source { archive, columns, before }] }
    }

    /// Returns the archives, in their order.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Returns the number of games, deleted ones included: the number of the last.
    pub fn len(&self) -> u64 {
        self.sources.last().map_or(0, |source| source.before + source.archive.len())
    }

    /// Returns whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns which archive has game `number` of the set.
    ///
    /// Errors: there is no such game.
    pub fn locate(&self, number: u64) -> Result<&Source> {
        let place = self.sources.partition_point(|source| source.before < number);
        let source = place.checked_sub(1).and_then(|place| self.sources.get(place));
        let found = source.filter(|source| number - source.before <= source.archive.len());
        found.ok_or(Error::NoSuchGame { game: number, games: self.len() })
    }

    /// Returns the numbers of the games that a filter lets pass, ascending, on rayon's current pool.
    ///
    /// Errors: a game that cannot be decided because it is damaged.
    pub fn select(&self, filter: &Filter) -> Result<Vec<u64>> {
        let of = |source: &Source| {
            let passed = filter.games(&source.columns);
            match passed.unread.into_iter().next() {
                Some(unread) => Err(unread.error),
                None => Ok(passed.games.iter().map(|game| source.before + game).collect::<Vec<u64>>()),
            }
        };
        let selected: Vec<Result<Vec<u64>>> = self.sources.par_iter().map(of).collect();
        let mut numbers = Vec::new();
        for own in selected {
            numbers.extend(own?);
        }
        Ok(numbers)
    }
}

//! Several archives that behave as one.

use crate::archive::read::archive::Archive;
use crate::archive::read::game_ref::GameRef;
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::path::Path;

/// Open archives, one after the other. A game is known by its archive and its number there; in the set it has a number,
/// too, that goes on from one archive to the next.
#[derive(Debug, Default)]
pub struct ArchiveSet {
    archives: Vec<Archive>,
    /// How many games come before each archive's.
    before: Vec<u64>,
}

impl ArchiveSet {
    /// Opens archives in this order. Errors are those of [`Archive::open`], of the first that has one.
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<ArchiveSet> {
        paths.into_iter().map(Archive::open).collect::<Result<Vec<_>>>().map(ArchiveSet::of)
    }

    /// Returns the set of these archives.
    pub fn of(archives: Vec<Archive>) -> ArchiveSet {
        let mut games = 0;
        let before = archives.iter().map(|archive| {
            games += archive.len();
            games - archive.len()
        });
        ArchiveSet { before: before.collect(), archives }
    }

    /// Returns the archives.
    pub fn archives(&self) -> &[Archive] {
        &self.archives
    }

    /// Returns the archives, each with how many games come before its own.
    pub fn numbered(&self) -> impl Iterator<Item = (u64, &Archive)> {
        self.before.iter().copied().zip(&self.archives)
    }

    /// Returns the number of games of all archives, deleted ones included.
    pub fn len(&self) -> u64 {
        self.archives.iter().map(Archive::len).sum()
    }

    /// Returns whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the archive of game `number` of the set, and the game's number there.
    pub fn locate(&self, number: u64) -> Result<(&Archive, u64)> {
        let missing = || Error::NoSuchGame { game: number, games: self.len() };
        let place = self.before.partition_point(|before| *before < number).checked_sub(1).ok_or_else(missing)?;
        let (Some(archive), Some(before)) = (self.archives.get(place), self.before.get(place)) else {
            return Err(missing());
        };
        let own = number - before;
        if own > archive.len() { Err(missing()) } else { Ok((archive, own)) }
    }

    /// Returns game `number` of the set, from 1.
    pub fn game(&self, number: u64) -> Result<GameRef<'_>> {
        let (archive, number) = self.locate(number)?;
        archive.game(number)
    }

    /// Iterates over all games in order, each with its archive; without those deleted.
    pub fn games(&self) -> impl Iterator<Item = (&Archive, Result<GameRef<'_>>)> {
        self.archives.iter().flat_map(|archive| archive.games().map(move |game| (archive, game)))
    }

    /// Iterates over all games in parallel, on rayon's current pool, each with its archive; without those deleted.
    pub fn par_games(&self) -> impl ParallelIterator<Item = (&Archive, Result<GameRef<'_>>)> {
        self.archives.par_iter().flat_map(|archive| archive.par_games().map(move |game| (archive, game)))
    }
}

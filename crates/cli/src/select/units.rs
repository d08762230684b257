//! Divides work on games into units of one chunk each, so each chunk is read once.

use crate::failure::Failure;
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::error::Error;
use scoresheet_query::GameRanges;

/// A unit of work: games of one chunk.
#[derive(Clone, Debug)]
pub struct Unit {
    chunk: usize,
    /// The ranges of the unit's games: the first and the last game of each range.
    ranges: Vec<(u64, u64)>,
}

impl Unit {
    /// Returns the numbers of the unit's games.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        self.ranges.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// Calls `work` with the number of each game, and with the game or the reason why it is unreadable.
    pub fn each(&self, archive: &Archive, mut work: impl FnMut(u64, Result<GameRef<'_>, Error>)) {
        let chunk = archive.chunk(self.chunk);
        for number in self.numbers() {
            // An error cannot be cloned, but a second attempt returns the same error.
            work(number, chunk.as_ref().map_or_else(|_| archive.game(number), |chunk| chunk.game(number)));
        }
    }
}

/// Returns the units for the chosen games, or for all games, and the number of games. If there are ranges, the units
/// have the order of the ranges. Skips deleted games.
pub fn units(
    archive: &Archive,
    ranges: Option<&GameRanges>,
    chosen: Option<&GameSet>,
) -> Result<(Vec<Unit>, u64), Failure> {
    let live = (chosen.is_none() && archive.deleted_count() > 0).then(|| archive.live());
    let chosen = chosen.or(live.as_ref());
    let games = archive.len();
    let (mut units, mut count) = (Vec::<Unit>::new(), 0);
    let ranges = match ranges {
        Some(ranges) => ranges.within(games)?,
        None => vec![(1, games)],
    };
    for (first, last) in ranges {
        let mut next = first;
        while next <= last {
            let (chunk, end) = archive.chunk_of(next)?;
            let range = (next, end.min(last));
            next = range.1 + 1;
            let ranges = match chosen {
                Some(chosen) => runs(chosen, range),
                None => vec![range],
            };
            if ranges.is_empty() {
                continue;
            }
            count += ranges.iter().map(|(first, last)| last - first + 1).sum::<u64>();
            match units.last_mut() {
                Some(unit) if unit.chunk == chunk => unit.ranges.extend(ranges),
                _ => units.push(Unit { chunk, ranges }),
            }
        }
    }
    Ok((units, count))
}

/// Returns the runs of consecutive chosen games in a range.
fn runs(chosen: &GameSet, (first, last): (u64, u64)) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for game in (first..=last).filter(|game| chosen.contains(*game)) {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == game => *end = game,
            _ => runs.push((game, game)),
        }
    }
    runs
}

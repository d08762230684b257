//! Which games are meant, and work on them in parallel with the results in order.

use crate::failure::Failure;
use rayon::prelude::*;
use scoresheet::archive::{Archive, ArchiveSet, Game, GameSet};
use scoresheet::error::Error;
use scoresheet::query::{Filter, Headers};
use std::str::FromStr;

/// Ranges of games as in `5,10-20,1000-`, in the order given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranges(Vec<(u64, Option<u64>)>);

impl Ranges {
    /// The games from `first` to `last`.
    pub fn of(first: u64, last: u64) -> Ranges {
        Ranges(vec![(first, Some(last))])
    }
}

impl FromStr for Ranges {
    type Err = String;

    fn from_str(text: &str) -> Result<Ranges, String> {
        text.split(',').map(|range| parse(range.trim())).collect::<Result<_, _>>().map(Ranges)
    }
}

fn parse(range: &str) -> Result<(u64, Option<u64>), String> {
    let number = |text: &str| match text.trim().parse::<u64>() {
        Ok(0) => Err("games are numbered from 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("{range:?} is no range of games: write 5, 10-20 or 1000-")),
    };
    match range.split_once('-') {
        None => number(range).map(|game| (game, Some(game))),
        Some((first, "")) => Ok((number(first)?, None)),
        Some((first, last)) => match (number(first)?, number(last)?) {
            (first, last) if first <= last => Ok((first, Some(last))),
            _ => Err(format!("{range:?} ends before it begins")),
        },
    }
}

/// A part of the work: games of one chunk.
#[derive(Clone, Debug)]
pub struct Unit {
    chunk: usize,
    /// First and last games.
    ranges: Vec<(u64, u64)>,
}

impl Unit {
    /// Calls `work` with each game, or why it cannot be read, and its number.
    pub fn each(&self, archive: &Archive, mut work: impl FnMut(u64, Result<Game<'_>, Error>)) {
        let chunk = archive.chunk(self.chunk);
        for number in self.ranges.iter().flat_map(|(first, last)| *first..=*last) {
            // An error cannot be cloned; asking again gives it again.
            work(number, chunk.as_ref().map_or_else(|_| archive.game(number), |chunk| chunk.game(number)));
        }
    }
}

/// Returns the work for these ranges, all games where there are none; and how many games they are.
///
/// A range that begins beyond the last game is an error; one that ends there is cut.
///
/// Of these, only those in `chosen`, where that is given.
pub fn units(
    archive: &Archive,
    ranges: Option<&Ranges>,
    chosen: Option<&GameSet>,
) -> Result<(Vec<Unit>, u64), Failure> {
    let live = (chosen.is_none() && archive.deleted_count() > 0).then(|| archive.live());
    let chosen = chosen.or(live.as_ref());
    let games = archive.len();
    let all = Ranges(if games > 0 { vec![(1, None)] } else { Vec::new() });
    let (mut units, mut count) = (Vec::<Unit>::new(), 0);
    for (first, last) in &ranges.unwrap_or(&all).0 {
        if *first > games {
            return Err(Error::NoSuchGame { game: *first, games }.into());
        }
        if *last == Some(*first) && archive.is_deleted(*first) {
            return Err(Error::Deleted { game: *first }.into());
        }
        let last = last.unwrap_or(games).min(games);
        let mut next = *first;
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

/// The runs of chosen games in a range.
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

/// Sees to it that numbers of games are asked of one archive alone: in each they begin with 1.
pub fn of_one(archives: &ArchiveSet, ranges: Option<&Ranges>) -> Result<(), Failure> {
    match (archives.archives().len(), ranges) {
        (0 | 1, _) | (_, None) => Ok(()),
        _ => Err(Failure::Message("--games goes with one archive: in each, games are numbered from 1".to_owned())),
    }
}

/// A header filter on the command line.
#[derive(Clone, Debug, clap::Args)]
pub struct Where {
    /// Only games whose headers fit, as in 'white ~ "Carlsen" and year in 2010..2020' (docs/QUERY.md)
    #[arg(long = "where", value_name = "EXPR")]
    filter: Option<Filter>,
}

impl Where {
    /// Returns whether a filter is given.
    pub fn is_given(&self) -> bool {
        self.filter.is_some()
    }

    /// Returns the games that fit and are in the ranges; all games where neither is given. Is to be called where threads have been
    /// installed.
    pub fn chosen(&self, archive: &Archive, ranges: Option<&Ranges>) -> Result<GameSet, Failure> {
        let mut chosen = self.games(archive)?.unwrap_or_else(|| archive.live());
        if ranges.is_some() {
            let mut own = GameSet::new(archive.len());
            let (units, _) = units(archive, ranges, Some(&chosen))?;
            let numbers = units.iter().flat_map(|unit| &unit.ranges).flat_map(|(first, last)| *first..=*last);
            for game in numbers {
                own.insert(game);
            }
            chosen = own;
        }
        Ok(chosen)
    }

    /// Returns the games that fit; `None` where no filter is given. Is to be called where threads have been installed.
    pub fn games(&self, archive: &Archive) -> Result<Option<GameSet>, Failure> {
        let Some(filter) = &self.filter else { return Ok(None) };
        let games = filter.games(&Headers::of(archive)).map_err(Failure::of_archive(archive.path()))?;
        Ok(Some(games))
    }
}

/// Returns the work for these games, ascending.
pub fn units_of(archive: &Archive, games: &[u64]) -> Result<Vec<Unit>, Failure> {
    let (mut units, mut end) = (Vec::<Unit>::new(), 0);
    for game in games {
        match units.last_mut() {
            Some(unit) if *game <= end => unit.ranges.push((*game, *game)),
            _ => {
                let (chunk, last) = archive.chunk_of(*game)?;
                end = last;
                units.push(Unit { chunk, ranges: vec![(*game, *game)] });
            }
        }
    }
    Ok(units)
}

/// Does the work of all units in parallel and hands the results to `take` in order. Memory holds the results of a few units a thread.
pub fn in_order<T: Send>(
    units: &[Unit],
    work: impl Fn(&Unit) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut ready = Vec::new();
    for batch in units.chunks(rayon::current_num_threads() * 4).chain([&[][..]]) {
        let mut next = Vec::new();
        // While the pool works on this batch, this thread writes the one before.
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| next = batch.par_iter().map(&work).collect());
            ready.drain(..).try_for_each(&mut take)
        })?;
        ready = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let read = |text: &str| Ranges::from_str(text).map(|ranges| ranges.0);
        assert_eq!(read("5,10-20, 1000-"), Ok(vec![(5, Some(5)), (10, Some(20)), (1000, None)]));
        assert_eq!(read("7"), Ok(vec![(7, Some(7))]));
        for bad in ["", "0", "-5", "5-4", "a", "1,,2", "1--2", "+-3", "99999999999999999999"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}

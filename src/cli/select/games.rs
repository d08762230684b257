//! Which games are meant, and work on them in parallel with the results in order.

use crate::failure::{Code, Failure};
use crate::out::output::{count, message};
use crate::select::side_files;
use rayon::prelude::*;
use scoresheet::archive::{Archive, ArchiveSet, GameRef, GameSet};
use scoresheet::error::Error;
use scoresheet::query::filter::Passed;
use scoresheet::query::tag_columns::Unread;
use scoresheet::query::{Filter, TagColumns};
use std::io::Write;
use std::str::FromStr;

/// Ranges of games as in `5,10-20,1000-`, in the order given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranges(Vec<(u64, Option<u64>)>);

impl Ranges {
    /// The games from `first` to `last`.
    pub fn of(first: u64, last: u64) -> Ranges {
        Ranges(vec![(first, Some(last))])
    }

    /// Returns the games of an archive with so many games, deleted ones too. A range that begins beyond the last game is an error.
    pub fn games(&self, games: u64) -> Result<GameSet, Failure> {
        let mut set = GameSet::new(games);
        for (first, last) in &self.0 {
            if *first > games {
                return Err(Error::NoSuchGame { game: *first, games }.into());
            }
            for game in *first..=last.unwrap_or(games).min(games) {
                set.insert(game);
            }
        }
        Ok(set)
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
    pub fn each(&self, archive: &Archive, mut work: impl FnMut(u64, Result<GameRef<'_>, Error>)) {
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

    /// Returns the games that fit and are in the ranges, and how many could not be decided; all games where neither is given. Is to be
    /// called where threads have been installed.
    pub fn chosen(&self, archive: &Archive, ranges: Option<&Ranges>) -> Result<(GameSet, u64), Failure> {
        let (chosen, undecided) = self.games(archive);
        let mut chosen = chosen.unwrap_or_else(|| archive.live());
        if ranges.is_some() {
            let mut own = GameSet::new(archive.len());
            let (units, _) = units(archive, ranges, Some(&chosen))?;
            let numbers = units.iter().flat_map(|unit| &unit.ranges).flat_map(|(first, last)| *first..=*last);
            for game in numbers {
                own.insert(game);
            }
            chosen = own;
        }
        Ok((chosen, undecided))
    }

    /// Returns the games that fit, `None` where no filter is given; and how many could not be decided, which have been told. Is to be called
    /// where threads have been installed.
    pub fn games(&self, archive: &Archive) -> (Option<GameSet>, u64) {
        let Some(filter) = &self.filter else { return (None, 0) };
        let headers = TagColumns::of(archive);
        let Passed { games, unread } = filter.games(&headers);
        side_files::report_columns(&headers);
        (Some(games), tell(archive, &unread))
    }
}

/// Tells what of an archive's headers cannot be read; returns how many games that are.
pub fn tell(archive: &Archive, unread: &[Unread]) -> u64 {
    unread.iter().for_each(|unread| message(&format!("{}: {unread}", archive.path().display())));
    unread.iter().map(|unread| unread.games.end.saturating_sub(unread.games.start)).sum()
}

/// Writes the lines of the games that are meant, of one archive after the other; returns how many could not be read, which have been told.
///
/// `lines` gives the text of a unit and a message for each game that it cannot read; it is given the archive's name where there are several.
pub fn write_lines(
    archives: &ArchiveSet,
    ranges: Option<&Ranges>,
    filter: &Where,
    out: &mut impl Write,
    lines: impl Fn(&Archive, Option<&str>, &Unit) -> (String, Vec<String>) + Sync,
) -> Result<u64, Failure> {
    let mut damaged = 0;
    for archive in archives.archives() {
        let name = name_in(archives, archive);
        let (chosen, undecided) = filter.games(archive);
        damaged += undecided;
        let (units, _) = units(archive, ranges, chosen.as_ref())?;
        in_order(
            &units,
            |unit| lines(archive, name.as_deref(), unit),
            |(text, faults)| {
                faults.iter().for_each(|fault| message(fault));
                damaged += faults.len() as u64;
                Ok(out.write_all(text.as_bytes())?)
            },
        )?;
    }
    Ok(damaged)
}

/// Returns that all is well, or that so many games could not be read.
pub fn all_read(unread: u64) -> Result<Code, Failure> {
    match unread {
        0 => Ok(Code::Fine),
        unread => Err(Failure::Message(format!("{} could not be read", count(unread, "game", "games")))),
    }
}

/// Returns the archive's name where there are several, and it has to be told which one is meant.
pub fn name_in(archives: &ArchiveSet, archive: &Archive) -> Option<String> {
    (archives.archives().len() > 1).then(|| archive.path().to_string_lossy().into_owned())
}

/// Returns the message for an error, with the archive's name where one is given.
pub fn fault(name: Option<&str>, error: &Error) -> String {
    name.map_or_else(|| error.to_string(), |name| format!("{name}: {error}"))
}

/// Results in memory, in bytes, that wait for those before them.
const WAITING: usize = 32 << 20;
/// Games that are read in one go, at first and at most.
const BATCHES: (usize, usize) = (1024, 1 << 16);

/// Does work with games of several archives in any order, in parallel, and hands the results to `take` in that order. A game is known by the
/// place of its archive and its number there; `work` is given its place in `games`.
///
/// Games of a chunk are read together as far as memory allows.
pub fn in_any_order(
    archives: &ArchiveSet,
    games: &[(usize, u64)],
    work: impl Fn(usize, Result<GameRef<'_>, Error>) -> Result<Vec<u8>, String> + Sync,
    mut take: impl FnMut(Result<Vec<u8>, String>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut begin, mut size) = (0, BATCHES.0);
    while begin < games.len() {
        let batch = games.get(begin..games.len().min(begin + size)).unwrap_or_default();
        let mut places = Vec::with_capacity(batch.len());
        for (place, (archive, number)) in batch.iter().enumerate() {
            let Some(own) = archives.archives().get(*archive) else { continue };
            places.push(((*archive, own.chunk_of(*number)?.0), *number, place));
        }
        places.sort_unstable();
        let groups: Vec<_> = places.chunk_by(|one, other| one.0 == other.0).collect();
        let done: Vec<Vec<_>> = groups
            .into_par_iter()
            .map(|group| {
                let Some(((archive, chunk), ..)) = group.first() else { return Vec::new() };
                let Some(archive) = archives.archives().get(*archive) else { return Vec::new() };
                let chunk = archive.chunk(*chunk);
                let of = |(_, number, place): &(_, u64, usize)| {
                    // An error cannot be cloned; asking again gives it again.
                    let game = chunk.as_ref().map_or_else(|_| archive.game(*number), |chunk| chunk.game(*number));
                    (*place, work(begin + place, game))
                };
                group.iter().map(of).collect()
            })
            .collect();
        let mut done: Vec<_> = done.into_iter().flatten().collect();
        done.sort_unstable_by_key(|(place, _)| *place);
        begin += batch.len();
        let bytes: usize = done.iter().map(|(_, text)| text.as_ref().map_or(0, Vec::len)).sum();
        // As many again as fit, by what these took.
        size = (WAITING / (bytes / batch.len().max(1)).max(1)).clamp(BATCHES.0 / 8, BATCHES.1.min(size * 4));
        done.into_iter().try_for_each(|(_, text)| take(text))?;
    }
    Ok(())
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

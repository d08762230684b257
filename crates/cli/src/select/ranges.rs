//! Ranges of game numbers, as `--games` takes them.

use crate::failure::Failure;
use crate::text;
use scoresheet::archive::{ArchiveSet, GameSet};
use scoresheet::error::Error;
use std::str::FromStr;

/// Ranges of games as in `5,10-20,1000-`, in the order given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranges(Vec<(u64, Option<u64>)>);

impl Ranges {
    /// Returns the range of all games.
    pub fn all() -> Ranges {
        Ranges(vec![(1, None)])
    }

    /// Returns no range.
    pub fn none() -> Ranges {
        Ranges(Vec::new())
    }

    /// Returns the first and last game of each range, `None` for the last game there is.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Option<u64>)> {
        self.0.iter().copied()
    }

    /// Returns the games from `first` to `last`.
    pub fn of(first: u64, last: u64) -> Ranges {
        Ranges(vec![(first, Some(last))])
    }

    /// Returns the games of an archive that has `games` games, deleted ones too. A range that begins after the last
    /// game is an error.
    pub fn games(&self, games: u64) -> Result<GameSet, Failure> {
        let mut set = GameSet::new(games);
        for (first, last) in self.iter() {
            if first > games {
                return Err(Error::NoSuchGame { game: first, games }.into());
            }
            for game in first..=last.unwrap_or(games).min(games) {
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
    let number = |text: &str| match text::number(text.trim().as_bytes()) {
        Some(0) => Err("games are numbered from 1".to_owned()),
        Some(number) => Ok(number),
        None => Err(format!("{range:?} is not a range of games: write 5, 10-20 or 1000-")),
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

/// Returns the games of a set as `--games` takes them, at most so many ranges and then `..`.
pub fn listed(games: &GameSet, most: usize) -> String {
    let range = |(first, last): (u64, u64)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    let mut ranges: Vec<String> = games.runs().take(most.saturating_add(1)).map(range).collect();
    if ranges.len() > most {
        ranges[most] = "..".to_owned();
    }
    ranges.join(",")
}

/// Refuses game numbers for several archives: in each they begin with 1.
pub fn of_one(archives: &ArchiveSet, ranges: Option<&Ranges>) -> Result<(), Failure> {
    match (archives.archives().len(), ranges) {
        (0 | 1, _) | (_, None) => Ok(()),
        _ => Err(Failure::Message("--games goes with one archive: each archive numbers its games from 1".to_owned())),
    }
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

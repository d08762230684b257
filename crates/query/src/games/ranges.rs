//! Ranges of game numbers, such as `5,10-20,400-`.

use scoresheet::archive::{Archive, GameSet};
use scoresheet::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Ranges of games such as `5,10-20,400-`, in the given order. Game numbers start at 1, and a range without an end
/// extends to the last game.
///
/// ```
/// use scoresheet_query::GameRanges;
///
/// let ranges: GameRanges = "5, 10-20, 400-".parse()?;
/// assert_eq!(ranges.to_string(), "5,10-20,400-");
/// assert_eq!("20-10".parse::<GameRanges>().unwrap_err(), "\"20-10\" ends before it begins");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRanges(Vec<(u64, Option<u64>)>);

impl GameRanges {
    /// Returns a single range from game `first` to game `last`.
    pub fn new(first: u64, last: u64) -> GameRanges {
        GameRanges(vec![(first, Some(last))])
    }

    /// Returns the games of a set as ranges. Includes at most `most` ranges and omits the others.
    pub fn from_set(games: &GameSet, most: usize) -> GameRanges {
        GameRanges(games.runs().take(most).map(|(first, last)| (first, Some(last))).collect())
    }

    /// Returns the first and last game of each range, for an archive of `games` games. A game that several ranges contain
    /// belongs to the first such range, and later ranges may be split.
    ///
    /// Errors: a range begins after the last game of the archive. If a range ends after the last game, it is shortened.
    pub fn within(&self, games: u64) -> Result<Vec<(u64, u64)>> {
        let of = |(first, last): &(u64, Option<u64>)| match *first > games {
            true => Err(Error::NoSuchGame { game: *first, games }),
            false => Ok((*first, last.unwrap_or(games).min(games))),
        };
        let mut all: Vec<(u64, u64)> = Vec::new();
        for range in self.0.iter().map(of) {
            let range = range?;
            // Ranges in ascending order do not overlap.
            if all.last().is_none_or(|last| last.1 < range.0) && all.is_sorted() {
                all.push(range);
                continue;
            }
            let mut parts = vec![range];
            for (first, last) in &all {
                let outside = |part: (u64, u64)| [(part.0, part.1.min(first - 1)), (part.0.max(last + 1), part.1)];
                parts = parts.into_iter().flat_map(outside).filter(|(first, last)| first <= last).collect();
            }
            all.append(&mut parts);
        }
        Ok(all)
    }

    /// Returns the games that the ranges select from an archive of `games` games, including deleted games.
    ///
    /// Errors: a range begins after the last game of the archive.
    pub fn games(&self, games: u64) -> Result<GameSet> {
        Ok(GameSet::from_numbers(games, self.within(games)?.into_iter().flat_map(|(first, last)| first..=last)))
    }

    /// Returns the games of an archive that are within the ranges and are not deleted.
    ///
    /// Errors: a range begins after the last game of the archive, or the ranges name only deleted games.
    pub fn live(&self, archive: &Archive) -> Result<GameSet> {
        let mut games = self.games(archive.len())?;
        if archive.deleted_count() > 0 {
            let mut named = self.0.iter().map(|(first, last)| (*first, *last == Some(*first)));
            if let Some((game, true)) = named.next()
                && archive.is_deleted(game)
                && named.all(|(game, is_one)| is_one && archive.is_deleted(game))
            {
                return Err(Error::Deleted { game });
            }
            games.intersect(&archive.live());
        }
        Ok(games)
    }
}

impl fmt::Display for GameRanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, last)) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match last {
                None => write!(f, "{comma}{first}-")?,
                Some(last) if last == first => write!(f, "{comma}{first}")?,
                Some(last) => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

impl FromStr for GameRanges {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<GameRanges, String> {
        text.split(',').map(|range| parse(range.trim())).collect::<std::result::Result<_, _>>().map(GameRanges)
    }
}

fn parse(range: &str) -> std::result::Result<(u64, Option<u64>), String> {
    let wrong = || format!("{range:?} is not a range of games: write 5, 10-20 or 1000-");
    let number = |text: &str| {
        let digits =
            Some(text.trim()).filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
        match digits.and_then(|digits| digits.parse::<u64>().ok()) {
            Some(0) => Err("games are numbered from 1".to_owned()),
            Some(number) => Ok(number),
            None => Err(wrong()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let read = |text: &str| GameRanges::from_str(text).map(|ranges| ranges.0);
        assert_eq!(read("5,10-20, 1000-"), Ok(vec![(5, Some(5)), (10, Some(20)), (1000, None)]));
        assert_eq!(read("7"), Ok(vec![(7, Some(7))]));
        for bad in ["", "0", "-5", "5-4", "a", "1,,2", "1--2", "+-3", "99999999999999999999"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges_end_where_the_games_end() {
        let ranges = GameRanges::from_str("7,2-3,5-").unwrap();
        assert_eq!(ranges.within(8).unwrap(), [(7, 7), (2, 3), (5, 6), (8, 8)]);
        let within = |text: &str| GameRanges::from_str(text).unwrap().within(9).unwrap();
        assert_eq!(within("7,3,7"), [(7, 7), (3, 3)]);
        assert_eq!(within("3-5,4-8,1-,6"), [(3, 5), (6, 8), (1, 2), (9, 9)]);
        assert_eq!(ranges.games(8).unwrap().iter().collect::<Vec<u64>>(), [2, 3, 5, 6, 7, 8]);
        assert!(matches!(ranges.within(6), Err(Error::NoSuchGame { game: 7, games: 6 })));
    }
}

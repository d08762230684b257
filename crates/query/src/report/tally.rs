//! Counts of games: results, ratings, years, and the best and latest games.

use crate::report::points::performance;
use crate::value;
use scoresheet::chess::Color;
use scoresheet::format::facts::Facts;
use scoresheet::format::wire::{Bytes, push_varint};
use scoresheet::game::Outcome;

/// The number of sample games that are kept, which are the highest-rated ones.
const SAMPLES: usize = 15;
/// The number of latest games that are kept.
const LATEST: usize = 8;
/// A bit that is set in the rank of a game if both players have ratings. It is greater than the sum of any two ratings.
const BOTH_RATED: u32 = 1 << 17;
/// The number of bits that store a game's number. The other bits are sufficient for the days of all years in `Facts`.
const NUMBER: u32 = 41;

/// Counts of games.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[WhiteElo \"2600\"]\n[BlackElo \"2500\"]\n[Date \"2024.01.01\"]\n\n1. e4 1-0\n\n1. e4 e5 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::{Position, chess::Color};
/// use scoresheet_query::{ArchiveSet, Visit};
///
/// let tally = ArchiveSet::open([&target])?.tree(&Position::standard(), Visit::First, None, None).complete()?.tally;
/// assert_eq!((tally.games(), tally.white, tally.unknown), (2, 1, 1));
/// assert_eq!((tally.average_rating(), tally.last_year()), (Some(2550), Some(2024)));
/// let score = tally.score(Color::Black); // only the game with a result and a rated opponent
/// assert_eq!((score.games, score.opponents, score.half_points), (1, 2600, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// The number of games that White won.
    pub white: u64,
    /// The number of drawn games.
    pub draws: u64,
    /// The number of games that Black won.
    pub black: u64,
    /// The number of games without a result.
    pub unknown: u64,
    /// The number of games with a rating, and twice the sum of their ratings. The rating of a game is the mean of the
    /// players' ratings, or the only rating if one is unknown.
    rated: (u64, u64),
    /// For each color, the number of games with a result in which the player has a rating, the sum of those ratings,
    /// and twice the points that the opponent scored.
    sides: [(u64, u64, u64); 2],
    /// The last year in which a game was played, or 0 if unknown.
    year: u16,
    /// The ranks and the numbers of the highest-ranked games, the highest first. A rank is twice the rating of the
    /// game, plus `BOTH_RATED` if both players have ratings.
    samples: Vec<(u32, u64)>,
    /// The latest games, the latest first. The bits above the game's number store the day, or the year as its day 0,
    /// encoded as by [`value::day`]. 0 stands for no game.
    latest: [u64; LATEST],
}

/// The results of one side in some games and the opponents' ratings.
///
/// [`Tally`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    /// The number of games with a result in which the opponent has a rating.
    pub games: u64,
    /// The sum of the opponents' ratings.
    pub opponents: u64,
    /// Twice the points that the side scored in these games.
    pub half_points: u64,
}

impl Tally {
    /// Adds a game. `day` returns its day, encoded as by [`value::day`], and is called only for games of the latest
    /// years. The sums are computed without branches, because results are unpredictable.
    #[inline]
    #[doc(hidden)]
    pub fn add(&mut self, game: u64, facts: &Facts, day: impl FnOnce() -> Option<u32>) {
        let is = |outcome: Outcome| u64::from(facts.outcome == outcome);
        let (white_won, drawn, black_won) = (is(Outcome::WhiteWins), is(Outcome::Draw), is(Outcome::BlackWins));
        let known = white_won + drawn + black_won;
        self.white += white_won;
        self.draws += drawn;
        self.black += black_won;
        self.unknown += 1 - known;
        let [white, black] = facts.ratings.map(u32::from);
        let one_only = (white == 0) | (black == 0);
        let double = (white + black) << u32::from(one_only);
        self.rated.0 += u64::from(double > 0);
        self.rated.1 += u64::from(double);
        for ((side, rating), lost) in self.sides.iter_mut().zip([white, black]).zip([black_won, white_won]) {
            let counts = known & u64::from(rating > 0);
            side.0 += counts;
            side.1 += u64::from(rating) * counts;
            side.2 += (2 * lost + drawn) * counts;
        }
        self.year = self.year.max(facts.year);
        self.sample((double | (u32::from(!one_only) * BOTH_RATED), game));
        let year = u32::from(facts.year) * 13 * 32;
        // No day of an earlier year is among the latest.
        if u64::from(year + 13 * 32) << NUMBER > self.latest[LATEST - 1] {
            self.late(u64::from(day().filter(|_| year > 0).unwrap_or(year)) << NUMBER | game);
        }
    }

    /// Inserts a game into the latest games. In a chronological archive, each game is the latest so far, so the
    /// function only shifts the others.
    #[inline]
    fn late(&mut self, new: u64) {
        if new <= self.latest[LATEST - 1] {
            return;
        }
        let mut index = LATEST - 1;
        while index > 0 && self.latest[index - 1] < new {
            self.latest[index] = self.latest[index - 1];
            index -= 1;
        }
        self.latest[index] = new;
    }

    #[inline]
    fn sample(&mut self, new: (u32, u64)) {
        let better = |old: &(u32, u64)| old.0 > new.0 || old.0 == new.0 && old.1 < new.1;
        if self.samples.len() == SAMPLES && self.samples.last().is_some_and(better) {
            return;
        }
        let index = self.samples.partition_point(better);
        self.samples.insert(index, new);
        self.samples.truncate(SAMPLES);
    }

    pub(super) fn join(&mut self, other: &Tally) {
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
        self.unknown += other.unknown;
        self.rated = (self.rated.0 + other.rated.0, self.rated.1 + other.rated.1);
        for (sums, other) in self.sides.iter_mut().zip(other.sides) {
            *sums = (sums.0 + other.0, sums.1 + other.1, sums.2 + other.2);
        }
        self.year = self.year.max(other.year);
        other.samples.iter().for_each(|sample| self.sample(*sample));
        other.latest.iter().for_each(|game| self.late(*game));
    }

    /// Returns the counts with new numbers for the listed games.
    pub(super) fn behind(&self, before: u64) -> Tally {
        let samples = self.samples.iter().map(|(rating, game)| (*rating, game + before)).collect();
        let latest = self.latest.map(|game| if game == 0 { 0 } else { game + before });
        Tally { samples, latest, ..self.clone() }
    }

    /// Returns the number of games in the counts.
    pub fn games(&self) -> u64 {
        self.white + self.draws + self.black + self.unknown
    }

    /// Returns the mean of the games' ratings, or `None` if no game has a rating.
    pub fn average_rating(&self) -> Option<u32> {
        let (games, double) = self.rated;
        (games > 0).then(|| ((double as f64) / (games as f64) / 2.0).round() as u32)
    }

    /// Returns the mean rating of the players of a color in games with a result, or `None` if none of these players has
    /// a rating.
    pub fn average_rating_of(&self, color: Color) -> Option<u32> {
        let (games, ratings, _) = self.sides[color.index()];
        (games > 0).then(|| ((ratings as f64) / (games as f64)).round() as u32)
    }

    /// Returns the score of a side against opponents with ratings.
    pub fn score(&self, color: Color) -> Score {
        let (games, opponents, half_points) = self.sides[color.other().index()];
        Score { games, opponents, half_points }
    }

    /// Returns the performance rating, which is the rating at which the expected score equals the actual score. It is
    /// the mean rating of the opponents plus 400 log10(p / (1 - p)), where *p* is the share of the points. The second
    /// term is limited to 800 in either direction. Returns `None` if no opponent has a rating.
    pub fn performance(&self, color: Color) -> Option<i32> {
        let Score { games, opponents, half_points } = self.score(color);
        performance(games, opponents, half_points)
    }

    /// Returns the last year in which a game was played, or `None` if it is unknown.
    pub fn last_year(&self) -> Option<u16> {
        (self.year > 0).then_some(self.year)
    }

    /// Returns up to fifteen games with the highest ratings, the highest first. Games in which both players have
    /// ratings come before all others.
    pub fn samples(&self) -> impl Iterator<Item = u64> + '_ {
        self.rated_samples().map(|(_, game)| game)
    }

    /// Returns the games with the highest ratings like `samples`, each preceded by its rank. If both players have
    /// ratings, the rank is twice the mean rating, plus an offset above all other ranks. Otherwise, it is twice the
    /// only rating, or 0.
    pub fn rated_samples(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.samples.iter().copied()
    }

    /// Returns up to eight of the latest games, the latest first. Each is preceded by its year, or by 0 if the year is
    /// unknown. Within a year, the day decides if the search knows the days; then the game with the highest number is
    /// the latest.
    pub fn latest(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        self.latest_days().map(|(day, game)| (value::year_of_day(day.into()) as u16, game))
    }

    /// Returns the latest games like `latest`, each preceded by its day, encoded as by [`value::day`], or by a number
    /// before all days of its year if only the year is known.
    #[doc(hidden)]
    pub fn latest_days(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let games = self.latest.iter().take_while(|game| **game > 0);
        games.map(|game| ((game >> NUMBER) as u32, game & ((1 << NUMBER) - 1)))
    }

    /// Serializes the counts. Of the listed games, only those that `keeps` accepts are included.
    #[doc(hidden)]
    pub fn to_bytes(&self, keeps: impl Fn(u64) -> bool, out: &mut Vec<u8>) {
        let [white, black] = self.sides;
        let sums = [self.rated.0, self.rated.1, white.0, white.1, white.2, black.0, black.1, black.2];
        let counts = [self.white, self.draws, self.black, self.unknown];
        for number in counts.into_iter().chain(sums).chain([u64::from(self.year)]) {
            push_varint(number, out);
        }
        let samples: Vec<&(u32, u64)> = self.samples.iter().filter(|(_, game)| keeps(*game)).collect();
        push_varint(samples.len() as u64, out);
        for (rating, game) in samples {
            push_varint(u64::from(*rating), out);
            push_varint(*game, out);
        }
        let latest: Vec<(u32, u64)> = self.latest_days().filter(|(_, game)| keeps(*game)).collect();
        push_varint(latest.len() as u64, out);
        for (day, game) in latest {
            push_varint(u64::from(day), out);
            push_varint(game, out);
        }
    }

    /// Parses the output of `to_bytes` and moves `bytes` past it. Returns `None` if the bytes are invalid.
    #[doc(hidden)]
    pub fn from_bytes(bytes: &mut &[u8]) -> Option<Tally> {
        let mut read = Bytes(bytes);
        let mut numbers = [0; 13];
        for number in &mut numbers {
            *number = read.varint()?;
        }
        let [white, draws, black, unknown, rated, ratings, a, b, c, d, e, f, year] = numbers;
        let mut tally = Tally {
            white,
            draws,
            black,
            unknown,
            rated: (rated, ratings),
            sides: [(a, b, c), (d, e, f)],
            year: u16::try_from(year).ok()?,
            ..Tally::default()
        };
        for _ in 0..read.count().filter(|count| *count <= SAMPLES)? {
            tally.samples.push((u32::try_from(read.varint()?).ok()?, read.varint()?));
        }
        for index in 0..read.count().filter(|count| *count <= LATEST)? {
            let (day, game) = (read.varint()?, read.varint()?);
            *tally.latest.get_mut(index)? = day.min((1 << (64 - NUMBER)) - 1) << NUMBER | game & ((1 << NUMBER) - 1);
        }
        *bytes = read.0;
        Some(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_back() {
        let mut tally = Tally::default();
        for game in 1..=40u64 {
            let facts = Facts {
                plies: 20,
                set_up: false,
                outcome: [Outcome::WhiteWins, Outcome::Draw, Outcome::BlackWins, Outcome::Unknown][game as usize % 4],
                ratings: [2000 + game as u16, if game % 3 == 0 { 0 } else { 1900 }],
                year: 1990 + game as u16 / 2,
            };
            let day = game.is_multiple_of(2).then(|| (u32::from(facts.year) * 13 + 5) * 32 + game as u32 % 28);
            tally.add(game, &facts, || day);
        }
        let mut bytes = Vec::new();
        tally.to_bytes(|_| true, &mut bytes);
        bytes.push(7);
        let mut rest = bytes.as_slice();
        assert_eq!(Tally::from_bytes(&mut rest).as_ref(), Some(&tally));
        assert_eq!(rest, [7]);
        for end in 0..bytes.len() - 1 {
            assert_eq!(Tally::from_bytes(&mut &bytes[..end]), None, "cut at {end}");
        }
        let mut few = Vec::new();
        tally.to_bytes(|game| game == 40, &mut few);
        let few = Tally::from_bytes(&mut few.as_slice()).unwrap();
        assert_eq!((few.games(), few.samples().collect::<Vec<_>>()), (40, vec![40]));
        assert_eq!(few.latest().collect::<Vec<_>>(), [(2010, 40)]);
    }
}

//! Counts games from the point of view of one side: wins, draws and losses, ratings, and performance.

use crate::report::stats::Members;
use serde_core::ser::{Serialize, Serializer};
use serde_json::Value;

/// The results of one side, which is White or a player on either side.
///
/// ```
/// let mut points = scoresheet_query::report::points::Points::default();
/// points.add(Some(2), 2500, 2400); // a win
/// points.add(Some(1), 2500, 2600); // a draw
/// points.add(None, 2500, 2700); // a game without a result
/// assert_eq!((points.games, points.won, points.score()), (3, 1, Some(0.75)));
/// assert_eq!((points.opponents(), points.performance()), (Some(2500), Some(2691)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Points {
    /// The number of all games, including those without a result.
    pub games: u64,
    /// The number of games that the side won.
    pub won: u64,
    /// The number of games that the side drew.
    pub drawn: u64,
    /// The number of games that the side lost.
    pub lost: u64,
    /// The number of games in which the side has a rating, and the sum of these ratings.
    pub ratings: (u64, u64),
    /// The number of games with a result in which the opponent has a rating, the sum of these ratings, and twice the
    /// points that the side scored.
    pub against: (u64, u64, u64),
}

impl Points {
    /// Adds a game. `halves` is twice the points scored, or `None` without a result, and each rating is 0 if unknown.
    pub fn add(&mut self, halves: Option<u64>, rating: u64, opponent: u64) {
        self.games += 1;
        match halves {
            Some(0) => self.lost += 1,
            Some(1) => self.drawn += 1,
            Some(_) => self.won += 1,
            None => {}
        }
        if rating > 0 {
            self.ratings = (self.ratings.0 + 1, self.ratings.1 + rating);
        }
        if let Some(halves) = halves.filter(|_| opponent > 0) {
            self.against = (self.against.0 + 1, self.against.1 + opponent, self.against.2 + halves);
        }
    }

    /// Adds the games of another count to this one.
    pub fn join(&mut self, other: &Points) {
        self.games += other.games;
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
        self.ratings = (self.ratings.0 + other.ratings.0, self.ratings.1 + other.ratings.1);
        let ((a, b, c), (d, e, f)) = (self.against, other.against);
        self.against = (a + d, b + e, c + f);
    }

    /// Returns the share of the points that the side scored, from 0 to 1, or `None` if no game has a result.
    pub fn score(&self) -> Option<f64> {
        let decided = self.won + self.drawn + self.lost;
        (decided > 0).then(|| (self.won as f64 + self.drawn as f64 / 2.0) / decided as f64)
    }

    /// Returns the mean of the side's ratings.
    pub fn rating(&self) -> Option<u32> {
        (self.ratings.0 > 0).then(|| (self.ratings.1 as f64 / self.ratings.0 as f64).round() as u32)
    }

    /// Returns the mean of the opponents' ratings.
    pub fn opponents(&self) -> Option<u32> {
        (self.against.0 > 0).then(|| (self.against.1 as f64 / self.against.0 as f64).round() as u32)
    }

    /// Returns the performance rating, which is the rating at which the expected score equals the actual score. It is
    /// the mean rating of the opponents plus 400 log10(p / (1 - p)), where *p* is the share of the points. The second
    /// term is limited to 800 in either direction.
    pub fn performance(&self) -> Option<i32> {
        let (games, ratings, halves) = self.against;
        performance(games, ratings, halves)
    }
}

/// The members are described in docs/JSON.md, "Groups", and are the same in every interface.
impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let score = self.score().map_or(Value::Null, |score| ((score * 1e4).round() / 1e4).into());
        Members([
            ("games", self.games.into()),
            ("won", self.won.into()),
            ("drawn", self.drawn.into()),
            ("lost", self.lost.into()),
            ("score", score),
            ("rating", self.rating().into()),
            ("opponents", self.opponents().into()),
            ("performance", self.performance().into()),
        ])
        .serialize(serializer)
    }
}

/// Returns the performance rating from the number of games, the sum of the opponents' ratings, and the half points
/// scored.
pub(super) fn performance(games: u64, ratings: u64, halves: u64) -> Option<i32> {
    if games == 0 {
        return None;
    }
    let share = halves as f64 / (2 * games) as f64;
    let off = 400.0 * (share / (1.0 - share)).log10();
    Some((ratings as f64 / games as f64 + off.clamp(-800.0, 800.0)).round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_counted() {
        let mut points = Points::default();
        for (halves, rating, opponent) in
            [(Some(2), 1500, 1600), (Some(1), 1510, 1500), (None, 0, 1700), (Some(0), 0, 0)]
        {
            points.add(halves, rating, opponent);
        }
        assert_eq!((points.games, points.won, points.drawn, points.lost), (4, 1, 1, 1));
        assert_eq!((points.score(), points.rating(), points.opponents()), (Some(0.5), Some(1505), Some(1550)));
        // Three quarters: 191 above the mean.
        assert_eq!(points.performance(), Some(1741));
        assert_eq!(performance(2, 3000, 4), Some(2300));
        let mut twice = points;
        twice.join(&points);
        assert_eq!((twice.games, twice.performance()), (8, Some(1741)));
    }
}

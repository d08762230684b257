//! Distributions over the positions of games: scores, results, material, kings, and repetitions.

use crate::games::GameSummary;
use crate::measure::ending;
use crate::report::stats::Members;
use crate::unread::Unread;
use foldhash::{HashMap, HashMapExt as _, HashSet};
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::brenner::replay::ReplayState;
use scoresheet::chess::Color;
use scoresheet::error::Result;
use scoresheet::game::{Evaluation, Outcome};
use scoresheet::{Monitor, parallel};
use serde_core::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// The width of a bar of scores, in hundredths of a pawn.
pub const SCORE_STEP: i32 = 50;
/// The score beyond which all scores are in the first or the last bar, in hundredths of a pawn.
pub const MOST_SCORE: i32 = 500;
/// The difference of material beyond which all positions are in the first or the last bar, in pawns.
pub const MOST_BALANCE: i32 = 9;
/// The number of keys of positions that are kept to count distinct positions, with about 16 bytes each.
const MOST_KEYS: usize = 1 << 20;
/// The number of chunks of games that are read before their counts are added.
const ROUND: usize = 16;

/// The numbers of positions by the result for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ResultCounts {
    /// All positions.
    pub positions: u64,
    /// The positions whose side to move won the game.
    pub won: u64,
    /// The positions of drawn games.
    pub drawn: u64,
    /// The positions whose side to move lost the game.
    pub lost: u64,
}

impl ResultCounts {
    fn add(&mut self, half_points: Option<u64>) {
        self.positions += 1;
        match half_points {
            Some(2) => self.won += 1,
            Some(1) => self.drawn += 1,
            Some(_) => self.lost += 1,
            None => {}
        }
    }

    fn join(&mut self, other: ResultCounts) {
        self.positions += other.positions;
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
    }

    /// Returns the mean result of the side to move, from 0 to 1, or `None` if no result is known.
    ///
    /// ```
    /// use scoresheet_query::report::positions::ResultCounts;
    ///
    /// let counts = ResultCounts { positions: 5, won: 1, drawn: 2, lost: 1 };
    /// assert_eq!(counts.score(), Some(0.5));
    /// assert_eq!(ResultCounts::default().score(), None);
    /// ```
    pub fn score(&self) -> Option<f64> {
        let known = self.won + self.drawn + self.lost;
        (known > 0).then(|| (self.won as f64 + self.drawn as f64 / 2.0) / known as f64)
    }
}

/// A bar of scores of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScoreBar {
    /// The side to move will be mated.
    Mated,
    /// The score is in a bar of `SCORE_STEP` hundredths that begins at this number. The first and the last bar also
    /// contain all scores beyond them.
    From(i32),
    /// The side to move mates.
    Mates,
}

impl ScoreBar {
    /// Returns the bar of an evaluation from the point of view of the side to move.
    fn new(evaluation: Evaluation, turn: Color) -> ScoreBar {
        let sign = if turn == Color::White { 1 } else { -1 };
        match evaluation {
            Evaluation::Mate(moves) if moves.signum() * sign < 0 => ScoreBar::Mated,
            Evaluation::Mate(_) => ScoreBar::Mates,
            Evaluation::Centipawns(score) => {
                let score = score.saturating_mul(sign).clamp(-MOST_SCORE - 1, MOST_SCORE);
                ScoreBar::From(score.div_euclid(SCORE_STEP) * SCORE_STEP)
            }
        }
    }
}

/// The counts. A position is counted before each move of a main line, and at the end of a game if it has a score there.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 {[%eval 0.30]} e5 {[%eval 0.25]} 1-0\n\n1. e4 e5 1/2-1/2\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::Monitor;
/// use scoresheet_query::report::positions::{PositionStats, ScoreBar};
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let mut stats = PositionStats::default();
/// // 1. e4 {[%eval 0.30]} e5 {[%eval 0.25]} 1-0; 1. e4 e5 1/2-1/2
/// assert!(stats.add(&archive, &archive.live(), &Monitor::new())?.is_empty());
/// assert_eq!((stats.games, stats.all.positions, stats.scored), (2, 5, 2));
/// assert_eq!(stats.distinct(), (3, true));
/// // Black, who lost, to move with -0.30.
/// assert_eq!(stats.scores[&ScoreBar::From(-50)].lost, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionStats {
    /// The number of games.
    pub games: u64,
    /// All positions.
    pub all: ResultCounts,
    /// The number of positions with a score.
    pub scored: u64,
    /// The positions by the score of the side to move.
    pub scores: BTreeMap<ScoreBar, ResultCounts>,
    /// The positions by the number of pieces on the board, with pawns and kings.
    pub pieces: BTreeMap<u32, ResultCounts>,
    /// The positions by the difference of material in pawns, from the point of view of the side to move: a knight or
    /// bishop is 3, a rook 5, a queen 9. Differences above 9 count as 9.
    pub balance: BTreeMap<i32, ResultCounts>,
    /// The positions by the square of the king of the side to move, from a1. If Black is to move, the board is flipped.
    pub kings: [u64; 64],
    /// The positions by the class of their ending.
    endings: HashMap<i64, ResultCounts>,
    keys: DistinctKeys,
}

impl Default for PositionStats {
    fn default() -> PositionStats {
        PositionStats {
            games: 0,
            all: ResultCounts::default(),
            scored: 0,
            scores: BTreeMap::new(),
            pieces: BTreeMap::new(),
            balance: BTreeMap::new(),
            kings: [0; 64],
            endings: HashMap::new(),
            keys: DistinctKeys::default(),
        }
    }
}

/// Counts distinct keys in bounded memory: it keeps the keys that end in a number of zero bits, which grows with the
/// number of keys. The result depends neither on the order of the keys nor on the number of threads.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct DistinctKeys {
    zeros: u32,
    kept: HashSet<u64>,
}

impl DistinctKeys {
    fn add(&mut self, key: u64) {
        if key.trailing_zeros() < self.zeros || !self.kept.insert(key) {
            return;
        }
        while self.kept.len() > MOST_KEYS {
            self.at_least(self.zeros + 1);
        }
    }

    /// Keeps only the keys that end in at least this number of zero bits.
    fn at_least(&mut self, zeros: u32) {
        if zeros > self.zeros {
            self.zeros = zeros;
            self.kept.retain(|key| key.trailing_zeros() >= zeros);
        }
    }

    /// Returns the number of distinct keys, which is an estimate if not all keys were kept.
    fn distinct(&self) -> u64 {
        (self.kept.len() as u64) << self.zeros
    }
}

impl PositionStats {
    /// Counts the positions of these games of an archive, in parallel. Returns the games that cannot be read. Reports
    /// progress in games. Takes about 300 ns a position, and at most about 100 MB of memory for any number of games.
    ///
    /// Errors: the operation was stopped.
    pub fn add(&mut self, archive: &Archive, games: &GameSet, monitor: &Monitor<'_>) -> Result<Vec<Unread>> {
        let mut lost = Vec::new();
        let mut first = 0;
        while first < archive.chunk_count() {
            let count = ROUND.min(archive.chunk_count() - first);
            let zeros = self.keys.zeros;
            let parts = parallel::map(count, |index| {
                let mut part = PositionStats::default();
                part.keys.zeros = zeros;
                let unread = part.add_chunk(archive, first + index, games, monitor);
                (part, unread)
            });
            monitor.check()?;
            for (part, unread) in parts {
                self.join(part);
                lost.extend(unread);
            }
            first += count;
        }
        Ok(lost)
    }

    fn add_chunk(&mut self, archive: &Archive, number: usize, games: &GameSet, monitor: &Monitor<'_>) -> Vec<Unread> {
        let numbers = archive.games_of(number);
        let selected: Vec<u64> = numbers.clone().filter(|game| games.contains(*game)).collect();
        if selected.is_empty() {
            return Vec::new();
        }
        let chunk = match archive.chunk(number) {
            Ok(chunk) => chunk,
            Err(error) => return vec![Unread { games: numbers, error }],
        };
        let mut unread = Vec::new();
        for number in selected {
            if monitor.is_stopped() {
                break;
            }
            let read = chunk.game(number).and_then(|game| self.add_game(&game));
            unread.extend(read.err().map(|error| Unread { games: number..number + 1, error }));
            monitor.advance(1);
        }
        unread
    }

    fn add_game(&mut self, game: &GameRef<'_>) -> Result<()> {
        let outcome = GameSummary::from_game(game)?.result();
        let scores = game.scores()?;
        let plies = scores.len() as u32 - 1;
        self.games += 1;
        let mut material = ([0; 12], ending::of_counts(&[0; 12]));
        game.walk_keys(|state, key| {
            let score = scores.get(state.ply() as usize).copied().flatten();
            // No move is played in the last position.
            if state.ply() < plies || score.is_some() {
                self.add_position(state, key, score, outcome, &mut material);
            }
        })
    }

    /// Adds a position. `material` is the numbers of pieces and the class of the position before, which are mostly the
    /// same.
    fn add_position(
        &mut self,
        state: &ReplayState<'_>,
        key: u64,
        score: Option<Evaluation>,
        outcome: Outcome,
        material: &mut ([u32; 12], i64),
    ) {
        let (bitboards, turn) = (state.bitboards(), state.turn());
        let half_points = outcome.half_points(turn);
        self.all.add(half_points);
        self.scored += u64::from(score.is_some());
        if let Some(score) = score {
            self.scores.entry(ScoreBar::new(score, turn)).or_default().add(half_points);
        }
        let counts = bitboards.map(u64::count_ones);
        self.pieces.entry(counts.iter().sum()).or_default().add(half_points);
        let difference = ending::material(&counts, turn) - ending::material(&counts, turn.other());
        let difference = difference.clamp(-MOST_BALANCE, MOST_BALANCE);
        self.balance.entry(difference).or_default().add(half_points);
        if material.0 != counts {
            *material = (counts, ending::of_counts(&counts));
        }
        self.endings.entry(material.1).or_default().add(half_points);
        if let Some(king) = bitboards.get(turn.index() * 6 + 5).filter(|king| **king != 0) {
            let flip = if turn == Color::White { 0 } else { 56 };
            if let Some(count) = self.kings.get_mut((king.trailing_zeros() ^ flip) as usize) {
                *count += 1;
            }
        }
        self.keys.add(key);
    }

    /// Adds the counts of other games.
    pub fn join(&mut self, other: PositionStats) {
        fn add<K: Ord>(all: &mut BTreeMap<K, ResultCounts>, more: BTreeMap<K, ResultCounts>) {
            more.into_iter().for_each(|(key, counts)| all.entry(key).or_default().join(counts));
        }
        self.games += other.games;
        self.all.join(other.all);
        self.scored += other.scored;
        add(&mut self.scores, other.scores);
        add(&mut self.pieces, other.pieces);
        add(&mut self.balance, other.balance);
        self.kings.iter_mut().zip(other.kings).for_each(|(all, count)| *all += count);
        for (class, counts) in other.endings {
            self.endings.entry(class).or_default().join(counts);
        }
        self.keys.at_least(other.keys.zeros);
        other.keys.kept.into_iter().for_each(|key| self.keys.add(key));
    }

    /// Returns the number of distinct positions, and whether it is exact. Positions are compared by pieces, side to
    /// move, castling rights and legal en passant capture. Up to a million distinct positions the number is exact;
    /// beyond, its standard error is 0.2 %.
    pub fn distinct(&self) -> (u64, bool) {
        (self.keys.distinct(), self.keys.zeros == 0)
    }

    /// Returns the phases of the game with their positions: the kinds of endings, by the pieces other than kings and
    /// pawns, and last the positions in which a side has more than two such pieces. The names are those of the filter
    /// field `ending`.
    pub fn phases(&self) -> Vec<(&'static str, ResultCounts)> {
        let mut phases: Vec<_> = ending::KINDS.map(|kind| (kind, ResultCounts::default())).to_vec();
        for (class, counts) in &self.endings {
            if let Some((_, phase)) = phases.get_mut(ending::kind(*class)) {
                phase.join(*counts);
            }
        }
        phases
    }

    /// Returns the `most` most frequent classes of endings, such as `KRP v KR`, except those with more pieces.
    pub fn endings(&self, most: usize) -> Vec<(String, ResultCounts)> {
        let few = self.endings.iter().filter(|(class, _)| ending::kind(**class) + 1 < ending::KINDS.len());
        let mut classes: Vec<(i64, ResultCounts)> = few.map(|(class, counts)| (*class, *counts)).collect();
        classes.sort_unstable_by_key(|(class, counts)| (std::cmp::Reverse(counts.positions), *class));
        classes.truncate(most);
        classes.into_iter().map(|(class, counts)| (ending::name(class), counts)).collect()
    }

    /// Returns the members of the statistics, with at most this number of endings (docs/JSON.md, "Positions").
    pub fn json(&self, most: usize) -> impl Serialize + '_ {
        Json { stats: self, most }
    }
}

struct Json<'a> {
    stats: &'a PositionStats,
    most: usize,
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let stats = self.stats;
        let bar = |name: &'static str, value: Value, counts: &ResultCounts| {
            Members([
                (name, value),
                ("positions", counts.positions.into()),
                ("won", counts.won.into()),
                ("drawn", counts.drawn.into()),
                ("lost", counts.lost.into()),
            ])
        };
        let score = |(key, counts): (&ScoreBar, &ResultCounts)| {
            let from = match key {
                ScoreBar::Mated => "mated".into(),
                ScoreBar::From(from) => (*from).into(),
                ScoreBar::Mates => "mates".into(),
            };
            bar("from", from, counts)
        };
        let (distinct, is_exact) = stats.distinct();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("games", &stats.games)?;
        map.serialize_entry("positions", &stats.all.positions)?;
        map.serialize_entry("won", &stats.all.won)?;
        map.serialize_entry("drawn", &stats.all.drawn)?;
        map.serialize_entry("lost", &stats.all.lost)?;
        map.serialize_entry("scored", &stats.scored)?;
        map.serialize_entry("distinct", &distinct)?;
        map.serialize_entry("distinct_is_exact", &is_exact)?;
        map.serialize_entry("scores", &stats.scores.iter().map(score).collect::<Vec<_>>())?;
        let phases = stats.phases();
        map.serialize_entry(
            "phases",
            &phases.iter().map(|(name, counts)| bar("phase", (*name).into(), counts)).collect::<Vec<_>>(),
        )?;
        let pieces = stats.pieces.iter().map(|(pieces, counts)| bar("pieces", (*pieces).into(), counts));
        map.serialize_entry("pieces", &pieces.collect::<Vec<_>>())?;
        let balance = stats.balance.iter().map(|(pawns, counts)| bar("pawns", (*pawns).into(), counts));
        map.serialize_entry("balance", &balance.collect::<Vec<_>>())?;
        let endings = stats.endings(self.most);
        let endings = endings.iter().map(|(name, counts)| bar("ending", name.as_str().into(), counts));
        map.serialize_entry("endings", &endings.collect::<Vec<_>>())?;
        map.serialize_entry("kings", &stats.kings.to_vec())?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_of_the_side_to_move() {
        let bar = |score, turn| ScoreBar::new(Evaluation::Centipawns(score), turn);
        assert_eq!(bar(0, Color::White), ScoreBar::From(0));
        assert_eq!(bar(-1, Color::White), ScoreBar::From(-50));
        assert_eq!(bar(49, Color::White), ScoreBar::From(0));
        assert_eq!(bar(49, Color::Black), ScoreBar::From(-50));
        assert_eq!(bar(9999, Color::White), ScoreBar::From(500));
        assert_eq!(bar(9999, Color::Black), ScoreBar::From(-550));
        assert_eq!(ScoreBar::new(Evaluation::Mate(3), Color::Black), ScoreBar::Mated);
        assert_eq!(ScoreBar::new(Evaluation::Mate(-3), Color::Black), ScoreBar::Mates);
        assert!(ScoreBar::Mated < ScoreBar::From(-550) && ScoreBar::From(500) < ScoreBar::Mates);
    }

    #[test]
    fn distinct_keys_are_counted_in_bounded_memory() {
        let mut random = 1u64;
        let mut key = || {
            random = random.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = (random ^ random >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ z >> 31
        };
        let keys: Vec<u64> = (0..3_000_000).map(|_| key()).collect();
        let mut all = DistinctKeys::default();
        keys.iter().chain(&keys).for_each(|key| all.add(*key));
        assert!(all.kept.len() <= MOST_KEYS && all.zeros == 2);
        let distinct = all.distinct() as f64;
        assert!((distinct / 3e6 - 1.0).abs() < 0.01, "{distinct}");
        let mut backwards = DistinctKeys::default();
        keys.iter().rev().for_each(|key| backwards.add(*key));
        assert_eq!(all, backwards);
    }
}

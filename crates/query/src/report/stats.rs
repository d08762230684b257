//! Distributions over the games of an archive: results, lengths, years, ratings, openings, players and events.

use crate::aliases::Aliases;
use crate::filter::Filter;
use crate::openings::Openings;
use crate::tag_columns::{Column, Key, TagColumns};
use crate::value::reading;
use crate::value::reading::Reading;
use scoresheet::archive::GameSet;
use scoresheet::error::Result;
use scoresheet::format::tag_columns::{COMMENTS, FAULT, GLYPHS, SET_UP, VARIATIONS};
use scoresheet::game::Outcome;
use scoresheet::sort;
use serde_core::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The width of a bar of game lengths, in moves (not plies).
pub const LENGTH_STEP: u32 = 10;
/// The width of a bar of ratings.
pub const RATING_STEP: u32 = 100;

/// The counts.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Tal, M\"]\n[ECO \"C20\"]\n\n1. e4 e5 2. Ke2 1-0\n\n[White \"Tal, M\"]\n\n1. d4 1/2-1/2\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::TagColumns;
/// use scoresheet_query::report::stats::{Longest, Player, stats};
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let mut stats = stats(&TagColumns::open(&archive), &archive.live())?;
/// stats.cut(1);
/// assert_eq!((stats.games, stats.results, stats.plies), (2, [0, 0, 1, 1], 4));
/// assert_eq!((stats.ecos["C20"], stats.median_plies()), (1, 3));
/// assert_eq!(stats.longest, Longest { plies: 3, game: Some(1), archive: None });
/// assert_eq!(stats.players, [Player { name: "Tal, M".to_owned(), games: 2, won: 1, drawn: 1, lost: 0 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats {
    /// The number of games.
    pub games: u64,
    /// The number of games for each result, in the order of [`Outcome`]: `*`, 0-1, 1-0, draws. The result is taken from
    /// the tag Result, or from the movetext if the tag states no result.
    pub results: [u64; 4],
    /// The number of plies in all main lines.
    pub plies: u64,
    /// The number of games for each number of plies.
    pub by_plies: BTreeMap<u32, u64>,
    /// The longest main line.
    pub longest: Longest,
    /// The number of games that start from a set-up position.
    pub set_up: u64,
    /// The number of games with faults.
    pub faulty: u64,
    /// The number of games with comments.
    pub comments: u64,
    /// The number of games with variations.
    pub variations: u64,
    /// The number of games with NAGs or marks.
    pub glyphs: u64,
    /// The number of games for each bar of `LENGTH_STEP` moves. The key is the first number of the bar.
    pub lengths: BTreeMap<u32, u64>,
    /// The number of ratings for each bar of `RATING_STEP`, with at most two ratings per game. The key is the first
    /// number of the bar.
    pub ratings: BTreeMap<u32, u64>,
    /// The number of games for each year. Games whose year is unknown are omitted.
    pub years: BTreeMap<u16, u64>,
    /// The number of games for each ECO code.
    pub ecos: BTreeMap<String, u64>,
    /// The players with their numbers of games, in descending order of these numbers. After `cut`, at most the given
    /// number of players remains.
    pub players: Vec<Player>,
    /// The events with their numbers of games, in descending order of these numbers.
    pub events: Vec<(String, u64)>,
}

/// The longest main line in some games.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Longest {
    /// The number of plies in the longest main line.
    pub plies: u32,
    /// The first game of this length, or `None` if no game contains a move.
    pub game: Option<u64>,
    /// The archive that contains this game, if the caller has set it.
    pub archive: Option<String>,
}

/// A JSON object of plain values. Its members keep this order regardless of the features of `serde_json`.
pub(super) struct Members<const N: usize>(pub [(&'static str, Value); N]);

impl<const N: usize> Serialize for Members<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The members are described in docs/JSON.md, "Statistics", and are the same in every interface.
impl Serialize for Stats {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.members(&mut map)?;
        map.end()
    }
}

impl Stats {
    /// Writes the members of the statistics without the braces of the object.
    pub(super) fn members<M: SerializeMap>(&self, map: &mut M) -> std::result::Result<(), M::Error> {
        let [unknown, black, white, draws] = self.results.map(Value::from);
        let mean = if self.games == 0 { 0.0 } else { self.plies as f64 / self.games as f64 };
        let bar = |from: u32, step: u32, games: u64| {
            Members([("from", from.into()), ("to", (from + step - 1).into()), ("games", games.into())])
        };
        let bars = |counts: &BTreeMap<u32, u64>, step| -> Vec<Members<3>> {
            counts.iter().map(|(from, games)| bar(*from, step, *games)).collect()
        };
        let years: Vec<_> = self.years.iter().map(|(year, games)| bar((*year).into(), 1, *games)).collect();
        let name = |code: &str| Openings::table().name_of_code(code).into();
        let eco = |(code, games): (&String, &u64)| {
            Members([("eco", code.as_str().into()), ("opening", name(code)), ("games", (*games).into())])
        };
        let event =
            |(name, games): &(String, u64)| Members([("name", name.as_str().into()), ("games", (*games).into())]);
        map.serialize_entry("games", &self.games)?;
        map.serialize_entry(
            "results",
            &Members([("white", white), ("draws", draws), ("black", black), ("unknown", unknown)]),
        )?;
        map.serialize_entry("plies", &self.plies)?;
        map.serialize_entry("mean_plies", &((mean * 1000.0).round() / 1000.0))?;
        map.serialize_entry("median_plies", &self.median_plies())?;
        map.serialize_entry("longest", &self.longest)?;
        map.serialize_entry("set_up", &self.set_up)?;
        map.serialize_entry("faulty", &self.faulty)?;
        map.serialize_entry("comments", &self.comments)?;
        map.serialize_entry("variations", &self.variations)?;
        map.serialize_entry("glyphs", &self.glyphs)?;
        map.serialize_entry("lengths", &bars(&self.lengths, LENGTH_STEP))?;
        map.serialize_entry("ratings", &bars(&self.ratings, RATING_STEP))?;
        map.serialize_entry("years", &years)?;
        map.serialize_entry("ecos", &self.ecos.iter().map(eco).collect::<Vec<_>>())?;
        map.serialize_entry("players", &self.players)?;
        map.serialize_entry("events", &self.events.iter().map(event).collect::<Vec<_>>())
    }
}

impl Serialize for Longest {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("plies", &self.plies)?;
        map.serialize_entry("game", &self.game)?;
        if let Some(archive) = &self.archive {
            map.serialize_entry("archive", archive)?;
        }
        map.end()
    }
}

impl Serialize for Player {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let counts = [("games", self.games), ("won", self.won), ("drawn", self.drawn), ("lost", self.lost)];
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        counts.iter().try_for_each(|(name, count)| map.serialize_entry(name, count))?;
        map.end()
    }
}

/// A player's games.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Player {
    /// The name as written in the tags.
    pub name: String,
    /// The number of games.
    pub games: u64,
    /// The number of games that the player won.
    pub won: u64,
    /// The number of games that the player drew.
    pub drawn: u64,
    /// The number of games that the player lost.
    pub lost: u64,
}

/// Returns the keys of the columns that `stats` reads.
pub fn keys() -> Vec<Key> {
    let names = ["White", "Black", "Event", "ECO", "WhiteElo", "BlackElo", "Date", "UTCDate", "Result"];
    names.into_iter().map(|name| Key::Tag(name.to_owned())).chain([Key::Plies, Key::Facts]).collect()
}

/// Computes the statistics of the games in a set. Reads only tag columns.
///
/// Errors: the tags of a game in the set, or the game itself, are damaged.
pub fn stats(headers: &TagColumns, games: &GameSet) -> Result<Stats> {
    let columns = headers.columns_of(&keys(), games)?;
    let [white, black, event, eco, white_elo, black_elo, _, _, _, plies, facts] = columns.as_slice() else {
        return Ok(Stats::default());
    };
    let mut stats = Stats { games: games.len(), ..Stats::default() };

    let mut outcomes = Vec::new();
    for outcome in [Outcome::Unknown, Outcome::BlackWins, Outcome::WhiteWins, Outcome::Draw] {
        // The filter decides which result is used.
        let mut found = Filter::result(outcome).games(headers).games;
        found.intersect(games);
        stats.results[outcome as usize] = found.len();
        outcomes.push((outcome, found));
    }

    let years = headers.years_of(games)?;
    for game in games.iter() {
        let game_plies = plies.get(game);
        *stats.by_plies.entry(game_plies).or_default() += 1;
        if game_plies > stats.longest.plies {
            stats.longest = Longest { plies: game_plies, game: Some(game), archive: None };
        }
        if let Some(year) = years.get(game) {
            *stats.years.entry(year).or_default() += 1;
        }
        let facts = facts.get(game) as u8;
        let count = |bit: u8| u64::from(facts & bit != 0);
        stats.set_up += count(SET_UP);
        stats.faulty += count(FAULT);
        stats.comments += count(COMMENTS);
        stats.variations += count(VARIATIONS);
        stats.glyphs += count(GLYPHS);
    }
    for (length, count) in &stats.by_plies {
        stats.plies += u64::from(*length) * count;
        *stats.lengths.entry(length.div_ceil(2) / LENGTH_STEP * LENGTH_STEP).or_default() += count;
    }

    for column in [white_elo, black_elo] {
        for (text, count) in counts(column, games) {
            if let Some((rating, _)) = reading::read(Reading::Rating, text) {
                let rating = rating as u32 / RATING_STEP * RATING_STEP;
                *stats.ratings.entry(rating).or_default() += count;
            }
        }
    }
    for (text, count) in counts(eco, games) {
        if reading::read(Reading::Eco, text).is_some() {
            let code = String::from_utf8_lossy(text.get(..3).unwrap_or_default()).to_uppercase();
            *stats.ecos.entry(code).or_default() += count;
        }
    }
    let events =
        counts(event, games).filter(|(text, _)| reading::is_known(text)).map(|(text, count)| (lossy(text), count));
    stats.events = events.collect();

    let mut players: HashMap<&[u8], Player> = HashMap::new();
    for (column, wins) in [(white, Outcome::WhiteWins), (black, Outcome::BlackWins)] {
        for (outcome, found) in &outcomes {
            for (name, count) in counts(column, found).filter(|(name, _)| reading::is_known(name)) {
                let player = players.entry(name).or_default();
                player.games += count;
                match outcome {
                    Outcome::Draw => player.drawn += count,
                    Outcome::Unknown => {}
                    outcome if *outcome == wins => player.won += count,
                    _ => player.lost += count,
                }
            }
        }
    }
    stats.players = players.into_iter().map(|(name, player)| Player { name: lossy(name), ..player }).collect();
    stats.sort();
    Ok(stats)
}

impl Stats {
    /// Returns the median number of plies per game.
    pub fn median_plies(&self) -> u32 {
        let mut seen = 0;
        let middle = self.by_plies.iter().find(|(_, count)| {
            seen += **count;
            seen > self.games / 2
        });
        middle.map_or(0, |(plies, _)| *plies)
    }

    /// Removes the players and the events after the first `most` of each.
    pub fn cut(&mut self, most: usize) {
        self.players.truncate(most);
        self.events.truncate(most);
    }

    /// Counts all names of a player as the most frequent of them. Call this function before `cut`.
    pub fn join_aliases(&mut self, aliases: &Aliases) {
        let shown = aliases.shown(self.players.iter().map(|player| (player.name.as_str(), player.games)));
        let rename = |mut player: Player| {
            if let Some(first) = shown.get(&player.name) {
                player.name.clone_from(first);
            }
            player
        };
        let all = std::mem::take(&mut self.players).into_iter().map(rename).collect();
        self.players = sums(all);
        self.sort();
    }

    /// Adds the counts of another archive. Call this function before `cut`. The number of the longest game is not
    /// changed. Therefore, before this call, set the archive of that game, or number the games across archives.
    pub fn add(&mut self, other: Stats) {
        fn join<K: Ord>(sum: &mut BTreeMap<K, u64>, added: BTreeMap<K, u64>) {
            added.into_iter().for_each(|(key, count)| *sum.entry(key).or_default() += count);
        }
        self.games += other.games;
        self.results.iter_mut().zip(other.results).for_each(|(sum, count)| *sum += count);
        self.plies += other.plies;
        if other.longest.plies > self.longest.plies {
            self.longest = other.longest;
        }
        join(&mut self.by_plies, other.by_plies);
        join(&mut self.lengths, other.lengths);
        join(&mut self.years, other.years);
        join(&mut self.ratings, other.ratings);
        join(&mut self.ecos, other.ecos);
        self.players.extend(other.players);
        self.players = sums(std::mem::take(&mut self.players));
        let mut events: BTreeMap<String, u64> = BTreeMap::new();
        join(&mut events, std::mem::take(&mut self.events).into_iter().collect());
        join(&mut events, other.events.into_iter().collect());
        self.events = events.into_iter().collect();
        self.set_up += other.set_up;
        self.faulty += other.faulty;
        self.comments += other.comments;
        self.variations += other.variations;
        self.glyphs += other.glyphs;
        self.sort();
    }

    fn sort(&mut self) {
        sort::by(&mut self.events, |a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        sort::by(&mut self.players, |a, b| b.games.cmp(&a.games).then_with(|| a.name.cmp(&b.name)));
    }
}

/// Returns the players, each name once.
fn sums(all: Vec<Player>) -> Vec<Player> {
    let mut players: HashMap<String, Player> = HashMap::new();
    for player in all {
        let known = players.entry(player.name.clone()).or_default();
        known.games += player.games;
        known.won += player.won;
        known.drawn += player.drawn;
        known.lost += player.lost;
        known.name = player.name;
    }
    players.into_values().collect()
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Returns the strings of a column that occur in `games`, each with its number of games.
fn counts<'a>(column: &'a Column, games: &GameSet) -> impl Iterator<Item = (&'a [u8], u64)> {
    let strings = column.strings();
    let mut counts = vec![0u64; strings.map_or(0, |strings| strings.len()) + 1];
    for game in games.iter() {
        if let Some(count) = counts.get_mut(column.get(game) as usize) {
            *count += 1;
        }
    }
    let text = move |number: u32| strings.and_then(|strings| strings.get(number));
    (0..).zip(counts).filter(|(_, count)| *count > 0).filter_map(move |(number, count)| Some((text(number)?, count)))
}

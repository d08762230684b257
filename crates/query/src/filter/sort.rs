//! Sorts games by tags and measures (docs/QUERY.md, "Sorting").

use crate::fault::QueryFault;
use crate::filter::field::Field;
use crate::filter::{Missing, eval, parse};
use crate::fold::fold;
use crate::measure::field::{Measure, MeasureKind, NOVELTY};
use crate::measure::values;
use crate::openings::Openings;
use crate::position::novelty::missing_index;
use crate::tag_columns::{Column, Key, TagColumns, Unread};
use crate::value::reading;
use crate::value::reading::Reading;
use scoresheet::archive::GameSet;
use scoresheet::chess::Color;
use scoresheet::error::Error;
use scoresheet::game::Outcome;
use std::cmp::Ordering;
use std::str::FromStr;
use std::sync::Arc;

/// A sort order for games, which consists of fields of the filter language. The first field in which two games differ
/// determines their order.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[WhiteElo \"2500\"]\n\n1. e4 *\n\n1. d4 *\n\n[WhiteElo \"2700\"]\n\n1. c4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::Archive;
/// use scoresheet_query::{SortKeys, TagColumns};
///
/// let archive = Archive::open(&target)?;
/// let keys: SortKeys = "-whiteelo".parse()?;
/// let (order, _) = keys.order(&[&TagColumns::open(&archive)], &[(0, 1), (0, 2), (0, 3)], 3);
/// assert_eq!(order, [2, 0, 1]); // the game without a rating is the last
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct SortKeys(Vec<SortKey>);

#[derive(Clone, PartialEq, Debug)]
struct SortKey {
    /// The name of the field as written.
    name: String,
    field: Field,
    descending: bool,
}

/// Games in a sort order.
pub(crate) struct Sorted {
    /// The indexes of the first games.
    pub order: Vec<usize>,
    /// The data that could not be read, with the index of its archive.
    pub unread: Vec<(usize, Unread)>,
    /// The keys for which games have no value, and the numbers of these games.
    pub missing: Vec<Missing>,
}

/// The value of a sort key for a game, as a number that increases in sort order, or `None` if the game has no value.
type Value = Option<i64>;

impl SortKeys {
    /// Parses sort keys that are separated by commas. Each key is a field of the filter language, and `-` before a
    /// field requests descending order: `-elo,date,"My tag"`.
    ///
    /// Errors contain the position in the text, and the expected text.
    pub fn parse(text: &str) -> Result<SortKeys, QueryFault> {
        let keys = parse::sort_keys(text)?;
        Ok(SortKeys(keys.into_iter().map(|(name, field, descending)| SortKey { name, field, descending }).collect()))
    }

    /// Returns the indexes in `games` of the first `most` games in this order, and the data that could not be read,
    /// with the index of its archive.
    ///
    /// Each game is given as an index in `headers` and the number of the game in that archive. Games without a value
    /// for a key come last in both directions, and games with equal keys keep the order of `games`.
    pub fn order(
        &self,
        headers: &[&TagColumns<'_>],
        games: &[(usize, u64)],
        most: usize,
    ) -> (Vec<usize>, Vec<(usize, Unread)>) {
        let Sorted { order, unread, .. } = self.sorted(headers, games, most);
        (order, unread)
    }

    /// Returns the same as `order`, and the keys for which some of the games have no value.
    pub(crate) fn sorted(&self, headers: &[&TagColumns<'_>], games: &[(usize, u64)], most: usize) -> Sorted {
        let mut unread = Vec::new();
        let columns = self.columns();
        for (archive, headers) in headers.iter().enumerate() {
            // Request all columns together, so the tags are read only once.
            unread.extend(headers.readable(&columns).1.into_iter().map(|lost| (archive, lost)));
            if !headers.archive().is_empty()
                && let Some(error) = self.missing_index(headers)
            {
                unread.push((archive, Unread { games: 1..headers.archive().len() + 1, error }));
            }
        }
        let values: Vec<(Vec<Value>, bool)> =
            self.0.iter().map(|key| (key.values(headers, games), key.descending)).collect();
        let of_key = |(key, (values, _)): (&SortKey, &(Vec<Value>, bool))| {
            let games = values.iter().filter(|value| value.is_none()).count() as u64;
            (games > 0).then(|| Missing { field: key.name.clone(), games })
        };
        let missing = self.0.iter().zip(&values).filter_map(of_key).collect();
        let compare = |left: &usize, right: &usize| {
            let by_key = |(values, descending): &(Vec<Value>, bool)| match (values.get(*left), values.get(*right)) {
                (Some(Some(left)), Some(Some(right))) if *descending => right.cmp(left),
                (Some(Some(left)), Some(Some(right))) => left.cmp(right),
                (Some(Some(_)), _) => Ordering::Less,
                (_, Some(Some(_))) => Ordering::Greater,
                _ => Ordering::Equal,
            };
            values.iter().map(by_key).find(|order| order.is_ne()).unwrap_or_else(|| left.cmp(right))
        };
        let mut order: Vec<usize> = (0..games.len()).collect();
        if most < order.len() {
            order.select_nth_unstable_by(most, compare);
            order.truncate(most);
        }
        order.sort_unstable_by(compare);
        Sorted { order, unread, missing }
    }

    /// Returns why the games of an archive cannot be sorted: the key `novelty` needs a position index.
    pub fn missing_index(&self, headers: &TagColumns<'_>) -> Option<Error> {
        let archive = headers.archive();
        let is_lacking = || !headers.lacking(&[NOVELTY], &archive.live()).is_empty();
        (self.0.iter().any(SortKey::is_novelty) && is_lacking()).then(|| missing_index(archive)).flatten()
    }

    /// Returns the tag columns that the sort keys use.
    pub fn columns(&self) -> Vec<Key> {
        let tag = |name: &str| Key::Tag(name.to_owned());
        let of = |key: &SortKey| match &key.field {
            Field::Text(name) => vec![tag(name)],
            Field::Opening => vec![tag("Opening")],
            Field::Value(name, _) => vec![tag(name)],
            Field::Player => vec![tag("White"), tag("Black")],
            Field::Rating | Field::Ratings(_) => vec![tag("WhiteElo"), tag("BlackElo")],
            Field::Date(_) | Field::Year => vec![tag("Date"), tag("UTCDate")],
            Field::Result => vec![tag("Result"), Key::Facts],
            Field::MovetextResult => vec![Key::Facts],
            Field::Plies | Field::Moves => vec![Key::Plies],
            Field::Fact(_) => vec![Key::Facts],
            Field::Number | Field::Measure(_) | Field::EitherMeasure(_) => Vec::new(),
            // These fields are never used as keys.
            Field::Decided { .. }
            | Field::Comment
            | Field::Glyph { .. }
            | Field::Relative { .. }
            | Field::Score(_)
            | Field::Color(_) => Vec::new(),
        };
        self.0.iter().flat_map(of).collect()
    }
}

impl FromStr for SortKeys {
    type Err = QueryFault;

    fn from_str(text: &str) -> Result<SortKeys, QueryFault> {
        SortKeys::parse(text)
    }
}

impl SortKey {
    fn is_novelty(&self) -> bool {
        matches!(self.field, Field::Measure(Measure { kind: MeasureKind::Novelty, .. }))
    }

    /// Returns the value of this key for each game.
    fn values(&self, headers: &[&TagColumns<'_>], games: &[(usize, u64)]) -> Vec<Value> {
        match &self.field {
            Field::Text(name) => texts(headers, games, name),
            Field::Opening => openings(headers, games),
            Field::Player => {
                // Both sides use the same ranks, so their values can be compared.
                let [white, black] = ["White", "Black"].map(|name| Source::of(headers, name));
                let mut ranks = ranked(&[white.texts(games), black.texts(games)]);
                let black = ranks.pop().unwrap_or_default();
                let white = ranks.pop().unwrap_or_default();
                white.into_iter().zip(black).map(|(white, black)| self.foremost(white, black)).collect()
            }
            Field::Rating => {
                let [white, black] =
                    ["WhiteElo", "BlackElo"].map(|name| numbers(headers, games, name, Reading::Rating));
                white.into_iter().zip(black).map(|(white, black)| self.foremost(white, black)).collect()
            }
            Field::Ratings(ratings) => {
                let [white, black] =
                    ["WhiteElo", "BlackElo"].map(|name| numbers(headers, games, name, Reading::Rating));
                let of =
                    |(white, black): (Value, Value)| white.zip(black).map(|(white, black)| ratings.of(white, black));
                white.into_iter().zip(black).map(of).collect()
            }
            Field::Value(name, reading) => numbers(headers, games, name, *reading),
            Field::Date(reading) => dates(headers, games, *reading),
            Field::Year => {
                let days = dates(headers, games, Reading::Date);
                days.into_iter().map(|day| day.map(reading::year)).collect()
            }
            Field::Result => results(headers, games, &Source::of(headers, "Result")),
            Field::MovetextResult => results(headers, games, &Source(Vec::new())),
            Field::Plies => of_column(headers, games, &Key::Plies, i64::from),
            Field::Moves => of_column(headers, games, &Key::Plies, |plies| i64::from(plies.div_ceil(2))),
            Field::Fact(bit) => of_column(headers, games, &Key::Facts, |facts| i64::from(facts & u32::from(*bit) != 0)),
            // The numbering continues from one archive to the next.
            Field::Number => {
                let before: Vec<u64> = headers
                    .iter()
                    .scan(0, |before, headers| Some(std::mem::replace(before, *before + headers.archive().len())))
                    .collect();
                let number = |(archive, game): &(usize, u64)| before.get(*archive).map(|before| (before + game) as i64);
                games.iter().map(number).collect()
            }
            Field::Measure(measure) => measured(headers, games, &[*measure]).pop().unwrap_or_default(),
            Field::EitherMeasure(kind) => {
                let measures = Color::BOTH.map(|side| Measure { kind: *kind, side: Some(side) });
                let mut values = measured(headers, games, &measures);
                let black = values.pop().unwrap_or_default();
                let white = values.pop().unwrap_or_default();
                white.into_iter().zip(black).map(|(white, black)| self.foremost(white, black)).collect()
            }
            Field::Decided { .. }
            | Field::Comment
            | Field::Glyph { .. }
            | Field::Relative { .. }
            | Field::Score(_)
            | Field::Color(_) => {
                vec![None; games.len()]
            }
        }
    }

    /// Returns the value that comes first in this order, of two values for the two sides.
    fn foremost(&self, left: Value, right: Value) -> Value {
        match (left, right) {
            (Some(left), Some(right)) => Some(if self.descending { left.max(right) } else { left.min(right) }),
            (left, right) => left.or(right),
        }
    }
}

/// Returns the values of each measure for all games, with `None` for games that cannot be read. Reads each game at most
/// once.
fn measured(headers: &[&TagColumns<'_>], games: &[(usize, u64)], measures: &[Measure]) -> Vec<Vec<Value>> {
    let mut sets: Vec<GameSet> = headers.iter().map(|headers| GameSet::new(headers.archive().len())).collect();
    for (archive, game) in games {
        if let Some(set) = sets.get_mut(*archive) {
            set.insert(*game);
        }
    }
    let of = |(headers, set): (&&TagColumns<'_>, &GameSet)| headers.measures(measures, set).0;
    let values: Vec<Vec<Arc<[i64]>>> = headers.iter().zip(&sets).map(of).collect();
    let value = |measure: usize, (archive, game): &(usize, u64)| {
        let value = values.get(*archive)?.get(measure)?.get(*game as usize - 1).copied();
        value.filter(|value| *value != values::NONE)
    };
    (0..measures.len()).map(|measure| games.iter().map(|game| value(measure, game)).collect()).collect()
}

fn column(headers: &TagColumns<'_>, key: &Key) -> Option<Arc<Column>> {
    headers.readable(std::slice::from_ref(key)).0.pop()
}

/// The column of a tag in each archive.
struct Source(Vec<Option<Arc<Column>>>);

impl Source {
    fn of(headers: &[&TagColumns<'_>], name: &str) -> Source {
        let key = Key::Tag(name.to_owned());
        Source(headers.iter().map(|headers| column(headers, &key)).collect())
    }

    fn text(&self, (archive, game): (usize, u64)) -> Option<&[u8]> {
        self.0.get(archive)?.as_ref()?.text(game)
    }

    /// Returns the text of each game, or `None` if it is a placeholder.
    fn texts(&self, games: &[(usize, u64)]) -> Vec<Option<&[u8]>> {
        games.iter().map(|game| self.text(*game).filter(|text| reading::is_known(text))).collect()
    }
}

fn of_column(headers: &[&TagColumns<'_>], games: &[(usize, u64)], key: &Key, of: impl Fn(u32) -> i64) -> Vec<Value> {
    let columns: Vec<Option<Arc<Column>>> = headers.iter().map(|headers| column(headers, key)).collect();
    let value = |(archive, game): &(usize, u64)| Some(of(columns.get(*archive)?.as_ref()?.get(*game)));
    games.iter().map(value).collect()
}

fn numbers(headers: &[&TagColumns<'_>], games: &[(usize, u64)], name: &str, reading: Reading) -> Vec<Value> {
    let source = Source::of(headers, name);
    games.iter().map(|game| reading::read(reading, source.text(*game)?).map(|(least, _)| least)).collect()
}

/// Returns the date of each game, or its month or day, as a number. For a partial date, this is the first possible
/// date.
fn dates(headers: &[&TagColumns<'_>], games: &[(usize, u64)], reading: Reading) -> Vec<Value> {
    let tags = ["Date", "UTCDate"].map(|name| Source::of(headers, name));
    let [date, utc] = &tags;
    games.iter().map(|game| reading::of_date(reading, [date.text(*game), utc.text(*game)])).collect()
}

/// Returns the rank of each game's result, from the tag or the movetext. Black's wins come first, then draws, then
/// White's wins.
fn results(headers: &[&TagColumns<'_>], games: &[(usize, u64)], result_tag: &Source) -> Vec<Value> {
    let facts = of_column(headers, games, &Key::Facts, i64::from);
    let rank = |outcome: u8| Outcome::from_number(outcome.into())?.half_points(Color::White).map(|rank| rank as i64);
    let of = |(game, facts): (&(usize, u64), Value)| {
        let marked = || facts.map(|facts| eval::marked_outcome(facts as u8));
        result_tag.text(*game).and_then(eval::outcome).or_else(marked).and_then(rank)
    };
    games.iter().zip(facts).map(of).collect()
}

fn texts(headers: &[&TagColumns<'_>], games: &[(usize, u64)], name: &str) -> Vec<Value> {
    ranked(&[Source::of(headers, name).texts(games)]).pop().unwrap_or_default()
}

/// Returns the rank of each game's opening, named by the tag, or by the table of openings if the tag is missing.
fn openings(headers: &[&TagColumns<'_>], games: &[(usize, u64)]) -> Vec<Value> {
    let source = Source::of(headers, "Opening");
    let mut texts = source.texts(games);
    let unnamed: Vec<usize> = (0..games.len()).filter(|at| texts.get(*at).is_some_and(Option::is_none)).collect();
    let replayed: Vec<(usize, u64)> = unnamed.iter().filter_map(|at| games.get(*at).copied()).collect();
    let opening = Measure { kind: MeasureKind::Opening, side: None };
    let by_table = measured(headers, &replayed, &[opening]).pop().unwrap_or_default();
    for (at, name) in unnamed.into_iter().zip(by_table) {
        let name = name.and_then(|index| Openings::table().names().get(index as usize));
        if let (Some(text), Some(name)) = (texts.get_mut(at), name) {
            *text = Some(name.as_bytes());
        }
    }
    ranked(&[texts]).pop().unwrap_or_default()
}

/// Returns, for each source, the rank of each game's text among the texts of all games and sources.
fn ranked(sources: &[Vec<Option<&[u8]>>]) -> Vec<Vec<Value>> {
    let mut distinct: Vec<&[u8]> = sources.iter().flatten().copied().flatten().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut order: Vec<(String, usize)> =
        distinct.iter().enumerate().map(|(index, text)| (fold(&String::from_utf8_lossy(text)), index)).collect();
    order.sort_by(|left, right| natural(left.0.as_bytes(), right.0.as_bytes()));
    let mut ranks = vec![0; distinct.len()];
    let (mut rank, mut before): (i64, Option<&str>) = (0, None);
    for (text, index) in &order {
        if before.is_some_and(|before| natural(before.as_bytes(), text.as_bytes()).is_ne()) {
            rank += 1;
        }
        before = Some(text);
        if let Some(slot) = ranks.get_mut(*index) {
            *slot = rank;
        }
    }
    let rank = |text: &Option<&[u8]>| ranks.get(distinct.binary_search(&(*text)?).ok()?).copied();
    sources.iter().map(|texts| texts.iter().map(rank).collect()).collect()
}

/// Compares lower-case texts. Consecutive digits are compared as a number, so round 10 follows round 9.
fn natural(mut left: &[u8], mut right: &[u8]) -> Ordering {
    loop {
        match (left, right) {
            ([a, ..], [b, ..]) if a.is_ascii_digit() && b.is_ascii_digit() => {
                let ((a, rest), (b, others)) = (digits(left), digits(right));
                let order = a.len().cmp(&b.len()).then_with(|| a.cmp(b));
                if order.is_ne() {
                    return order;
                }
                (left, right) = (rest, others);
            }
            ([a, rest @ ..], [b, others @ ..]) if a == b => (left, right) = (rest, others),
            _ => return left.cmp(right),
        }
    }
}

/// Returns the digits at the beginning of a text, without leading zeros, and the text after them.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    (digits.get(zeros..).unwrap_or_default(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_texts_are_numbers() {
        let sorted = ["", "9", "10", "10.2", "10.10", "a", "a 2", "a 010", "a 11", "b"];
        for (index, left) in sorted.iter().enumerate() {
            for (right_index, right) in sorted.iter().enumerate() {
                let order = natural(left.as_bytes(), right.as_bytes());
                assert_eq!(order, index.cmp(&right_index), "{left} {right}");
            }
        }
        assert_eq!(natural(b"round 01", b"round 1"), Ordering::Equal);
    }

    #[test]
    fn keys_are_read() {
        for (text, column, what) in [
            ("", 1, "expected a field"),
            ("-elo,", 6, "expected a field"),
            ("elo date", 5, "expected \",\" or the end"),
            ("-datte", 2, "did you mean date?"),
            ("elo,,date", 5, "expected a field"),
            ("elo = 3", 5, "expected \",\" or the end"),
            ("tag(", 5, "expected the name of a tag"),
        ] {
            let fault = SortKeys::parse(text).expect_err(text);
            assert_eq!(fault.column(), column, "{text}: {fault}");
            assert!(fault.what().contains(what), "{text}: {}", fault.what());
        }
        let keys = SortKeys::parse("-elo, date,-\"My tag\",tag(Round)").unwrap();
        assert_eq!(keys.0.iter().map(|key| key.descending).collect::<Vec<_>>(), [true, false, true, false]);
        assert_eq!(keys.0[2].field, Field::Text("My tag".to_owned()));
        assert_eq!(keys.0[3].field, Field::Text("Round".to_owned()));
    }
}

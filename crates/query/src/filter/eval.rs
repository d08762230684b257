//! Evaluates a tree of conditions on columns: each condition is decided once for each string of a table, and then
//! looked up for each game.
//!
//! Conditions joined by `and` are ordered by cost and selectivity, estimated on a sample of the games. Each condition
//! is evaluated on the games that passed the earlier ones.

use crate::filter::expr::{ContentTest, Expr, Ranges, Ratings, Test, TextTest};
use crate::filter::verdicts::{self, ASK};
use crate::measure::field::Measure;
use crate::measure::values::NONE;
use crate::tag_columns::{Column, Key, Strings, TagColumns};
use crate::value::reading;
use crate::value::reading::Reading;
use scoresheet::archive::GameSet;
use scoresheet::format::tag_columns::{NO_MARKER, OUTCOME_SHIFT};
use scoresheet::game::Outcome;
use scoresheet::parallel;
use scoresheet::sort;
use std::ops::Range;
use std::sync::Arc;

/// The number of games to decide together, a multiple of 64.
const BLOCK: usize = 1 << 14;
/// If fewer than one in this number of games remain, each remaining game is tested separately.
const FEW: u32 = 8;
/// The number of words in the sample, each of which stands for 64 games.
const SAMPLE: usize = 16;

/// The values of a filter's measures, and the games that satisfy its conditions on contents (1, or 0). Each list is
/// indexed by the number of the game minus 1.
#[derive(Default)]
pub struct Measured {
    pub measures: Vec<(Measure, Arc<[i64]>)>,
    pub contents: Vec<(ContentTest, Arc<[i64]>)>,
}

/// Returns the games that satisfy the filter. `measured` must contain all measures and conditions on contents in the
/// filter.
pub fn games(expr: &Expr, headers: &TagColumns, measured: &Measured) -> GameSet {
    let archive = headers.archive();
    let games = archive.len() as usize;
    let node = Maker { headers, games, measured, judged: Vec::new() }.node(expr);
    let blocks = parallel::map(games.div_ceil(BLOCK), |block| {
        let rows = block * BLOCK..((block + 1) * BLOCK).min(games);
        let mut words = vec![0u64; rows.len().div_ceil(64)];
        node.decide(rows, &mut words);
        words
    });
    GameSet::from_words(blocks.concat(), archive.len())
}

/// A condition, with the data that is needed to evaluate it.
enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    /// The same result for all games.
    Same(bool),
    /// A lookup: the verdict for each number in a column.
    Look(Arc<Column>, Arc<[u8]>),
    /// A lookup as above. If the verdict is `ASK`, the verdict for the number in a second column is used.
    LookTwice(Arc<Column>, Arc<[u8]>, Arc<Column>, Arc<[u8]>),
    /// Whether the number in a column is in one of these ranges, each given by its minimum and its length minus one.
    Numbers(Arc<Column>, Vec<(u32, u32)>),
    /// Whether the number of the game in the archive is in one of these ranges.
    GameNumber(Ranges),
    /// Whether a value derived from both ratings (0 if unknown) is in one of these ranges.
    Ratings(Arc<Column>, Vec<i64>, Arc<Column>, Vec<i64>, Ratings, Ranges),
    /// Whether a measure, which is `NONE` if it has no value, is in one of these ranges.
    Measured(Arc<[i64]>, Ranges),
}

/// A test that is applied to each string of a table.
#[derive(Clone, PartialEq)]
enum Question {
    Text(TextTest),
    /// Whether a value is in ranges. The last element is the verdict for a text without a value, which may defer the
    /// decision to another column.
    Value(Reading, Ranges, u8),
}

/// Converts the conditions of a tree to nodes.
struct Maker<'h, 'a> {
    headers: &'h TagColumns<'a>,
    games: usize,
    measured: &'h Measured,
    /// The verdicts that have been computed for tables. The names of both players share a table.
    judged: Vec<(Arc<Strings>, Question, Arc<[u8]>)>,
}

impl Maker<'_, '_> {
    fn node(&mut self, expr: &Expr) -> Node {
        match expr {
            Expr::And(exprs) => {
                let nodes = exprs.iter().map(|expr| self.node(expr)).collect();
                Node::And(self.in_order(nodes))
            }
            Expr::Or(exprs) => Node::Or(exprs.iter().map(|expr| self.node(expr)).collect()),
            Expr::Not(expr) => Node::Not(Box::new(self.node(expr))),
            Expr::Test(test) => self.test(test),
        }
    }

    fn test(&mut self, test: &Test) -> Node {
        match test {
            Test::Text(name, test) => self.look(name, Question::Text(test.clone())),
            Test::Value(name, reading, ranges) => self.look(name, Question::Value(*reading, ranges.clone(), 0)),
            Test::Date(ranges) => {
                let (date, utc) = (self.tag("Date"), self.tag("UTCDate"));
                let first = self.judge(&date, Question::Value(Reading::Date, ranges.clone(), ASK));
                let second = self.judge(&utc, Question::Value(Reading::Date, ranges.clone(), 0));
                look_twice(date, first, utc, second)
            }
            Test::Result(results) => {
                let result = self.tag("Result");
                let of = |number: u8| u8::from(results >> number & 1 == 1);
                // If the tag states a result other than `*`, it decides. Otherwise, the movetext decides.
                let first = verdicts::of(&result, ASK, |text| outcome(text).map_or(ASK, of));
                if !has_no_values(&result) && !uses(&result, &first, ASK) {
                    return Node::Look(result, first.into());
                }
                let facts = self.column(Key::Facts);
                let second = (0..=255).map(|facts| of(marked_outcome(facts))).collect();
                look_twice(result, first.into(), facts, second)
            }
            Test::MovetextResult(results) => {
                let verdicts = (0..=255).map(|facts| results >> marked_outcome(facts) & 1);
                Node::Look(self.column(Key::Facts), verdicts.collect())
            }
            Test::Facts(bits) => {
                let facts = self.column(Key::Facts);
                Node::Look(facts, (0..=255).map(|facts: u8| u8::from(facts & bits != 0)).collect())
            }
            Test::Plies(ranges) => {
                let most = i64::from(u32::MAX);
                let within = ranges.0.iter().filter(|(low, high)| low <= high && *high >= 0 && *low <= most);
                let spans = within.map(|(low, high)| {
                    let (low, high) = (low.clamp(&0, &most), high.clamp(&0, &most));
                    (*low as u32, (high - low) as u32)
                });
                Node::Numbers(self.column(Key::Plies), spans.collect())
            }
            Test::Number(ranges) => Node::GameNumber(ranges.clone()),
            Test::Measure(measure, ranges) => {
                let known = self.measured.measures.iter().find(|(known, _)| known == measure);
                known.map_or(Node::Same(false), |(_, values)| Node::Measured(Arc::clone(values), ranges.clone()))
            }
            Test::Content(test) => {
                let known = self.measured.contents.iter().find(|(known, _)| known == test);
                let holds = Ranges(vec![(1, 1)]);
                known.map_or(Node::Same(false), |(_, values)| Node::Measured(Arc::clone(values), holds))
            }
            Test::Ratings(ratings, ranges) => {
                let (white, black) = (self.tag("WhiteElo"), self.tag("BlackElo"));
                if has_no_values(&white) || has_no_values(&black) {
                    return Node::Same(false);
                }
                let (white_elos, black_elos) = (elos(&white), elos(&black));
                Node::Ratings(white, white_elos, black, black_elos, *ratings, ranges.clone())
            }
        }
    }

    fn look(&mut self, name: &str, question: Question) -> Node {
        let column = self.tag(name);
        let verdicts = self.judge(&column, question);
        if has_no_values(&column) {
            return Node::Same(verdicts.first() == Some(&1));
        }
        Node::Look(column, verdicts)
    }

    /// Returns the verdict for each string number in a column.
    fn judge(&mut self, column: &Column, question: Question) -> Arc<[u8]> {
        let known = column.strings().and_then(|strings| {
            self.judged
                .iter()
                .find(|(known_strings, known, _)| Arc::ptr_eq(known_strings, strings) && *known == question)
        });
        if let Some((.., verdicts)) = known {
            return Arc::clone(verdicts);
        }
        let verdicts: Arc<[u8]> = match &question {
            Question::Text(test) => verdicts::of_text(column, test),
            Question::Value(reading, ranges, missing) => verdicts::of(column, *missing, |text| {
                reading::read(*reading, text).map_or(*missing, |value| u8::from(ranges.hold(value)))
            }),
        }
        .into();
        if let Some(strings) = column.strings() {
            self.judged.push((Arc::clone(strings), question, Arc::clone(&verdicts)));
        }
        verdicts
    }

    fn tag(&self, name: &str) -> Arc<Column> {
        self.column(Key::Tag(name.to_owned()))
    }

    fn column(&self, key: Key) -> Arc<Column> {
        let (mut columns, _) = self.headers.readable(&[key]);
        // One was requested.
        columns.swap_remove(0)
    }

    /// Sorts conditions that are joined by `and` by their cost per rejected game.
    fn in_order(&self, nodes: Vec<Node>) -> Vec<Node> {
        let words = self.games / 64;
        let price = |node: &Node| {
            let (mut passed, mut question) = (0, 0);
            for sample in 0..SAMPLE.min(words) {
                let row = sample * words / SAMPLE.min(words) * 64;
                let mut word = [0];
                node.decide(row..row + 64, &mut word);
                (passed, question) = (passed + word[0].count_ones(), question + 64);
            }
            // One additional rejected game is counted, so the quotient is finite.
            node.cost() * f64::from(question + 1) / f64::from(question + 1 - passed)
        };
        let mut priced: Vec<(f64, Node)> = nodes.into_iter().map(|node| (price(&node), node)).collect();
        sort::by(&mut priced, |a, b| a.0.total_cmp(&b.0));
        priced.into_iter().map(|(_, node)| node).collect()
    }
}

/// Returns a lookup of the first verdicts, with `ASK` replaced by the second verdict. If one column decides all games,
/// returns a simple lookup.
fn look_twice(column: Arc<Column>, first: Arc<[u8]>, second_column: Arc<Column>, second: Arc<[u8]>) -> Node {
    if has_no_values(&column) {
        return if has_no_values(&second_column) {
            Node::Same(second.first() == Some(&1))
        } else {
            Node::Look(second_column, second)
        };
    }
    if has_no_values(&second_column) {
        let missing = second.first().copied().unwrap_or(0);
        return Node::Look(
            column,
            first.iter().map(|verdict| if *verdict == ASK { missing } else { *verdict }).collect(),
        );
    }
    Node::LookTwice(column, first, second_column, second)
}

/// Returns whether no game has a value in the column of a tag.
fn has_no_values(column: &Column) -> bool {
    column.strings().is_some_and(|strings| strings.is_empty())
}

impl Node {
    /// Returns the cost of deciding one game, relative to a single lookup.
    fn cost(&self) -> f64 {
        match self {
            Node::And(nodes) | Node::Or(nodes) => nodes.iter().map(Node::cost).sum(),
            Node::Not(node) => node.cost(),
            Node::Same(_) => 0.1,
            // Many verdicts do not fit in the fastest cache.
            Node::Look(_, verdicts) => {
                if verdicts.len() < 1 << 15 {
                    1.0
                } else {
                    2.0
                }
            }
            Node::LookTwice(..) => 2.0,
            Node::Numbers(_, spans) => 0.5 + 0.5 * spans.len() as f64,
            Node::GameNumber(ranges) => 1.0 + ranges.0.len() as f64,
            Node::Ratings(..) => 4.0,
            Node::Measured(..) => 2.0,
        }
    }

    /// Sets the bits of the games that satisfy the condition, where bit 0 is the first of `rows`, and clears the other
    /// bits. `rows` must begin at a multiple of 64.
    fn decide(&self, rows: Range<usize>, words: &mut [u64]) {
        match self {
            Node::And(nodes) => {
                words.fill(!0);
                let mut verdicts = vec![0; words.len()];
                for (index, node) in nodes.iter().enumerate() {
                    if index == 0 {
                        node.decide(rows.clone(), words);
                        continue;
                    }
                    let left: u32 = words.iter().map(|word| word.count_ones()).sum();
                    match left {
                        0 => return,
                        left if left < rows.len() as u32 / FEW => node.narrow(rows.start, words),
                        _ => {
                            node.decide(rows.clone(), &mut verdicts);
                            words.iter_mut().zip(&verdicts).for_each(|(word, verdict)| *word &= verdict);
                        }
                    }
                }
            }
            Node::Or(nodes) => {
                words.fill(0);
                let mut verdicts = vec![0; words.len()];
                for node in nodes {
                    node.decide(rows.clone(), &mut verdicts);
                    words.iter_mut().zip(&verdicts).for_each(|(word, verdict)| *word |= verdict);
                }
            }
            Node::Not(node) => {
                node.decide(rows, words);
                words.iter_mut().for_each(|word| *word = !*word);
            }
            Node::Same(verdict) => words.fill(if *verdict { !0 } else { 0 }),
            Node::Look(column, verdicts) => {
                column.select(rows, words, |_, number| verdicts.get(number as usize) == Some(&1));
            }
            Node::Numbers(column, spans) => match spans.as_slice() {
                [(low, span)] => column.select(rows, words, |_, number| number.wrapping_sub(*low) <= *span),
                _ => column.select(rows, words, |_, number| is_within(number, spans)),
            },
            Node::LookTwice(column, verdicts, ..) => {
                column.select(rows, words, |row, number| match verdicts.get(number as usize).copied().unwrap_or(ASK) {
                    ASK => self.passes(row),
                    verdict => verdict == 1,
                })
            }
            Node::Ratings(white, white_elos, black, black_elos, ratings, ranges) => {
                let mut of_black = vec![0; rows.len()];
                black.copy(rows.clone(), &mut of_black);
                let start = rows.start;
                // Each case has its own loop, so the compiler can specialize it.
                macro_rules! mark {
                    ($ratings:path) => {
                        white.select(rows, words, |row, number| {
                            let black = of_black.get(row - start).copied().unwrap_or(0);
                            are_within(
                                white_elos,
                                number,
                                black_elos,
                                black,
                                |first, second| $ratings.of(first, second),
                                ranges,
                            )
                        })
                    };
                }
                match ratings {
                    Ratings::Least => mark!(Ratings::Least),
                    Ratings::Greatest => mark!(Ratings::Greatest),
                    Ratings::Mean => mark!(Ratings::Mean),
                    Ratings::Gap => mark!(Ratings::Gap),
                }
            }
            Node::Measured(..) => {
                words.fill(0);
                for row in rows.clone().filter(|row| self.passes(*row)) {
                    if let Some(word) = words.get_mut((row - rows.start) / 64) {
                        *word |= 1 << ((row - rows.start) % 64);
                    }
                }
            }
            Node::GameNumber(ranges) => {
                for (index, word) in words.iter_mut().enumerate() {
                    let first = (rows.start + index * 64) as i64 + 1;
                    *word = ranges.0.iter().fold(0, |bits, (low, high)| {
                        let (from, past) = ((low - first).clamp(0, 64), (high - first + 1).clamp(0, 64));
                        // For each range, set the bits below its end that are not below its start.
                        let below = |end: i64| (1u128 << end) as u64;
                        bits | if from < past { below(past).wrapping_sub(below(from)) } else { 0 }
                    });
                }
            }
        }
    }

    /// Clears the bits of the games that do not satisfy the condition. The first bit stands for the game at index
    /// `start`.
    fn narrow(&self, start: usize, words: &mut [u64]) {
        for (index, word) in words.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if !self.passes(start + index * 64 + bit) {
                    *word &= !(1 << bit);
                }
            }
        }
    }

    /// Returns whether the game at an index, from 0, satisfies the condition.
    fn passes(&self, row: usize) -> bool {
        let game = row as u64 + 1;
        match self {
            Node::And(nodes) => nodes.iter().all(|node| node.passes(row)),
            Node::Or(nodes) => nodes.iter().any(|node| node.passes(row)),
            Node::Not(node) => !node.passes(row),
            Node::Same(verdict) => *verdict,
            Node::Look(column, verdicts) => verdicts.get(column.get(game) as usize) == Some(&1),
            Node::LookTwice(column, verdicts, fallback, fallback_verdicts) => {
                match verdicts.get(column.get(game) as usize).copied().unwrap_or(ASK) {
                    ASK => fallback_verdicts.get(fallback.get(game) as usize) == Some(&1),
                    verdict => verdict == 1,
                }
            }
            Node::Numbers(column, spans) => is_within(column.get(game), spans),
            Node::GameNumber(ranges) => ranges.hold((game as i64, game as i64)),
            Node::Measured(values, ranges) => {
                values.get(row).is_some_and(|value| *value != NONE && ranges.hold((*value, *value)))
            }
            Node::Ratings(white, white_elos, black, black_elos, ratings, ranges) => are_within(
                white_elos,
                white.get(game),
                black_elos,
                black.get(game),
                |first, second| ratings.of(first, second),
                ranges,
            ),
        }
    }
}

/// Returns whether both ratings exist and the value derived from them is in one of the ranges. The operators are
/// bitwise, because branches on ratings are often mispredicted.
#[inline(always)]
fn are_within(
    white_elos: &[i64],
    white: u32,
    black_elos: &[i64],
    black: u32,
    of: impl Fn(i64, i64) -> i64,
    ranges: &Ranges,
) -> bool {
    let white_elo = white_elos.get(white as usize).copied().unwrap_or(0);
    let black_elo = black_elos.get(black as usize).copied().unwrap_or(0);
    let value = of(white_elo, black_elo);
    let within = ranges.0.iter().fold(false, |within, (low, high)| within | (*low <= value) & (value <= *high));
    (white_elo > 0) & (black_elo > 0) & within
}

fn is_within(number: u32, spans: &[(u32, u32)]) -> bool {
    spans.iter().any(|(low, span)| number.wrapping_sub(*low) <= *span)
}

/// Returns whether any game has a number with this verdict in the column.
fn uses(column: &Column, verdicts: &[u8], verdict: u8) -> bool {
    let rows = column.bytes().len() / usize::from(column.width());
    let unused = parallel::try_map(rows.div_ceil(BLOCK), |block| {
        let mut words = [0; BLOCK / 64];
        let rows = block * BLOCK..((block + 1) * BLOCK).min(rows);
        column.select(rows, &mut words, |_, number| verdicts.get(number as usize) == Some(&verdict));
        // An error ends the search.
        if words.iter().all(|word| *word == 0) { Ok(()) } else { Err(()) }
    });
    unused.is_err()
}

fn elos(column: &Column) -> Vec<i64> {
    let count = column.strings().map_or(0, |strings| strings.len() as u32);
    let text = |number: u32| column.strings().and_then(|strings| strings.get(number));
    let elo =
        |number: u32| text(number).and_then(|text| reading::read(Reading::Rating, text)).map_or(0, |(elo, _)| elo);
    (0..=count).map(elo).collect()
}

/// Returns the number of the outcome that the movetext states, from the facts of a game, or 0 if there is no marker.
pub fn marked_outcome(facts: u8) -> u8 {
    if facts & NO_MARKER != 0 { 0 } else { facts >> OUTCOME_SHIFT & 3 }
}

/// Returns the number of the outcome that a Result tag states, or `None` if the movetext decides.
pub fn outcome(text: &[u8]) -> Option<u8> {
    Some(Outcome::of_game(Some(text), None) as u8).filter(|outcome| *outcome != Outcome::Unknown as u8)
}

//! A tree answered from columns: each condition is decided once for each string of a table, then looked up for each game.

use super::expr::{Expr, Ranges, Ratings, Reading, Test, TextTest};
use super::value;
use crate::archive::GameSet;
use crate::format::headers::{NO_MARKER, OUTCOME_SHIFT};
use crate::query::headers::{Column, Headers, Key};
use memchr::memmem::Finder;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Games that are decided at once; a multiple of 64.
const BLOCK: usize = 1 << 14;
/// Tables from this size on are decided in parallel.
const MANY: usize = 1 << 12;
/// Neither true nor false: another column decides.
const ASK: u8 = 2;

/// Returns the games that pass.
pub fn games(expr: &Expr, headers: &Headers) -> GameSet {
    let archive = headers.archive();
    let node = Node::of(expr, headers);
    let games = archive.len() as usize;
    let mut words = vec![0u64; games.div_ceil(64)];
    words.par_chunks_mut(BLOCK / 64).enumerate().for_each(|(block, words)| {
        let start = block * BLOCK;
        node.decide(start..(start + BLOCK).min(games), words);
    });
    GameSet::from_words(words, archive.len())
}

/// A condition with what it needs to be decided.
enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    /// The verdict on each number of a column.
    Look(Arc<Column>, Vec<u8>),
    /// The same, and where that is `ASK`, the verdict on a number of another column.
    LookTwice(Arc<Column>, Vec<u8>, Arc<Column>, Vec<u8>),
    /// A number in ranges.
    Numbers(Arc<Column>, Ranges),
    /// The place in the archive in ranges.
    Place(Ranges),
    /// Both ratings, 0 where there is none, and what is made of them.
    Ratings(Arc<Column>, Vec<i64>, Arc<Column>, Vec<i64>, Ratings, Ranges),
}

impl Node {
    fn of(expr: &Expr, headers: &Headers) -> Node {
        let all = |all: &[Expr]| all.iter().map(|expr| Node::of(expr, headers)).collect();
        match expr {
            Expr::And(exprs) => Node::And(all(exprs)),
            Expr::Or(exprs) => Node::Or(all(exprs)),
            Expr::Not(expr) => Node::Not(Box::new(Node::of(expr, headers))),
            Expr::Test(test) => Node::test(test, headers),
        }
    }

    fn test(test: &Test, headers: &Headers) -> Node {
        let tag = |name: &str| column(headers, Key::Tag(name.to_owned()));
        match test {
            Test::Text(name, test) => {
                let column = tag(name);
                let verdicts = texts(&column, test);
                Node::Look(column, verdicts)
            }
            Test::Value(name, reading, ranges) => {
                let column = tag(name);
                let verdicts = values(&column, *reading, ranges, 0);
                Node::Look(column, verdicts)
            }
            Test::Date(reading, ranges) => {
                let (date, utc) = (tag("Date"), tag("UTCDate"));
                let (first, second) = (values(&date, *reading, ranges, ASK), values(&utc, *reading, ranges, 0));
                Node::LookTwice(date, first, utc, second)
            }
            Test::Result(results) => {
                let result = tag("Result");
                let of = |number: u8| u8::from(results >> number & 1 == 1);
                // The tag decides if it says a result, otherwise the movetext.
                let first = verdicts(&result, ASK, |text| outcome(text).map_or(ASK, of));
                if !uses(&result, &first, ASK) {
                    return Node::Look(result, first);
                }
                let facts = column(headers, Key::Facts);
                let second = (0..=255).map(|facts| of(marked_outcome(facts))).collect();
                Node::LookTwice(result, first, facts, second)
            }
            Test::Facts(bits) => {
                let facts = column(headers, Key::Facts);
                Node::Look(facts, (0..=255).map(|facts: u8| u8::from(facts & bits != 0)).collect())
            }
            Test::Plies(ranges) => Node::Numbers(column(headers, Key::Plies), ranges.clone()),
            Test::Number(ranges) => Node::Place(ranges.clone()),
            Test::Ratings(ratings, ranges) => {
                let (white, black) = (tag("WhiteElo"), tag("BlackElo"));
                let (own, other) = (elos(&white), elos(&black));
                Node::Ratings(white, own, black, other, *ratings, ranges.clone())
            }
        }
    }

    /// Sets the bits of the games, by place from 0, that pass. `rows` begin at a multiple of 64; `words` are all zero.
    fn decide(&self, rows: Range<usize>, words: &mut [u64]) {
        match self {
            Node::And(nodes) => {
                words.fill(!0);
                let mut own = vec![0; words.len()];
                for node in nodes {
                    own.fill(0);
                    node.decide(rows.clone(), &mut own);
                    words.iter_mut().zip(&own).for_each(|(word, own)| *word &= own);
                    if words.iter().all(|word| *word == 0) {
                        return;
                    }
                }
            }
            Node::Or(nodes) => {
                let mut own = vec![0; words.len()];
                for node in nodes {
                    own.fill(0);
                    node.decide(rows.clone(), &mut own);
                    words.iter_mut().zip(&own).for_each(|(word, own)| *word |= own);
                }
            }
            Node::Not(node) => {
                node.decide(rows, words);
                words.iter_mut().for_each(|word| *word = !*word);
            }
            Node::Look(column, verdicts) => {
                let mut bits = Bits::new(words);
                column.each(rows, |number| bits.push(verdicts.get(number as usize) == Some(&1)));
            }
            Node::LookTwice(column, verdicts, other, others) => {
                let mut bits = Bits::new(words);
                let mut game = rows.start as u64;
                column.each(rows, |number| {
                    game += 1;
                    let mut verdict = verdicts.get(number as usize).copied().unwrap_or(ASK);
                    if verdict == ASK {
                        verdict = others.get(other.get(game) as usize).copied().unwrap_or(0);
                    }
                    bits.push(verdict == 1);
                });
            }
            Node::Numbers(column, ranges) => {
                let mut bits = Bits::new(words);
                column.each(rows, |number| bits.push(ranges.hold((i64::from(number), i64::from(number)))));
            }
            Node::Place(ranges) => {
                let mut bits = Bits::new(words);
                for game in rows {
                    let game = game as i64 + 1;
                    bits.push(ranges.hold((game, game)));
                }
            }
            Node::Ratings(white, own, black, others, ratings, ranges) => {
                let mut bits = Bits::new(words);
                let mut game = rows.start as u64;
                white.each(rows, |number| {
                    game += 1;
                    let elo = own.get(number as usize).copied().unwrap_or(0);
                    let other = others.get(black.get(game) as usize).copied().unwrap_or(0);
                    let value = ratings.of(elo, other);
                    bits.push(elo > 0 && other > 0 && ranges.hold((value, value)));
                });
            }
        }
    }
}

/// Writes bits one after the other.
struct Bits<'a> {
    words: &'a mut [u64],
    word: u64,
    count: usize,
}

impl<'a> Bits<'a> {
    fn new(words: &'a mut [u64]) -> Bits<'a> {
        Bits { words, word: 0, count: 0 }
    }

    #[inline(always)]
    fn push(&mut self, bit: bool) {
        self.word |= u64::from(bit) << (self.count % 64);
        self.count += 1;
        if self.count.is_multiple_of(64) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some(place) = self.count.checked_sub(1)
            && let Some(word) = self.words.get_mut(place / 64)
        {
            *word = self.word;
        }
        self.word = 0;
    }
}

impl Drop for Bits<'_> {
    fn drop(&mut self) {
        if !self.count.is_multiple_of(64) {
            self.flush();
        }
    }
}

fn column(headers: &Headers, key: Key) -> Arc<Column> {
    let (mut columns, _) = headers.readable(&[key]);
    // One was asked for.
    columns.swap_remove(0)
}

/// The verdict on each number of a column: on 0, that there is no value, and on each string.
fn verdicts(column: &Column, missing: u8, decide: impl Fn(&[u8]) -> u8 + Sync) -> Vec<u8> {
    let Some(strings) = column.strings() else { return vec![missing] };
    let count = strings.len() as u32;
    let decide = |number: u32| strings.get(number).map_or(missing, &decide);
    let mut all = vec![missing];
    if strings.len() < MANY {
        all.extend((1..=count).map(decide));
    } else {
        let own: Vec<u8> = (1..count + 1).into_par_iter().with_min_len(1024).map(decide).collect();
        all.extend(own);
    }
    all
}

/// Whether a game has a number with this verdict.
fn uses(column: &Column, verdicts: &[u8], verdict: u8) -> bool {
    let rows = column.bytes().len() / usize::from(column.width());
    let mut found = false;
    column.each(0..rows, |number| found |= verdicts.get(number as usize) == Some(&verdict));
    found
}

fn values(column: &Column, reading: Reading, ranges: &Ranges, missing: u8) -> Vec<u8> {
    verdicts(column, missing, |text| value::read(reading, text).map_or(missing, |value| u8::from(ranges.hold(value))))
}

fn texts(column: &Column, test: &TextTest) -> Vec<u8> {
    match test {
        TextTest::Is(texts) => verdicts(column, 0, |text| u8::from(texts.iter().any(|own| own.as_bytes() == text))),
        TextTest::IsNot(texts) => verdicts(column, 0, |text| u8::from(texts.iter().all(|own| own.as_bytes() != text))),
        TextTest::Known => verdicts(column, 0, |text| u8::from(value::is_known(text))),
        TextTest::Has(part) => {
            let part = part.to_lowercase();
            let finder = Finder::new(part.as_bytes());
            verdicts(column, 0, |text| u8::from(folded(text, |text| finder.find(text).is_some())))
        }
        TextTest::Begins(part) => {
            let part = part.to_lowercase();
            verdicts(column, 0, |text| u8::from(folded(text, |text| text.starts_with(part.as_bytes()))))
        }
    }
}

/// Calls `look` with a text in small letters.
fn folded(text: &[u8], look: impl FnOnce(&[u8]) -> bool) -> bool {
    let mut small = [0; 128];
    match small.get_mut(..text.len()) {
        Some(small) if text.is_ascii() => {
            small.copy_from_slice(text);
            small.make_ascii_lowercase();
            look(small)
        }
        _ => look(String::from_utf8_lossy(text).to_lowercase().as_bytes()),
    }
}

fn elos(column: &Column) -> Vec<i64> {
    let count = column.strings().map_or(0, |strings| strings.len() as u32);
    let text = |number: u32| column.strings().and_then(|strings| strings.get(number));
    let elo = |number: u32| text(number).and_then(|text| value::read(Reading::Rating, text)).map_or(0, |(elo, _)| elo);
    (0..=count).map(elo).collect()
}

/// The number of the outcome that a game's facts have of its movetext; 0 without a marker.
pub fn marked_outcome(facts: u8) -> u8 {
    if facts & NO_MARKER != 0 { 0 } else { facts >> OUTCOME_SHIFT & 3 }
}

/// The number of the outcome that a Result tag says.
pub fn outcome(text: &[u8]) -> Option<u8> {
    use crate::game::Outcome;
    Some(match text.trim_ascii() {
        b"1-0" => Outcome::WhiteWins,
        b"0-1" => Outcome::BlackWins,
        b"1/2-1/2" | b"1/2" => Outcome::Draw,
        b"*" => Outcome::Unknown,
        _ => return None,
    } as u8)
}

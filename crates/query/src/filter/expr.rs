//! Represents a filter as a tree of conditions.

use crate::aliases::Aliases;
use crate::fold::fold;
use crate::measure::field::Measure;
use crate::tag_columns::Key;
use crate::value::is_known;
use crate::value::reading::{self, Reading};
use scoresheet::format::tag_columns::{COMMENTS, GLYPHS};

/// A condition on a game, as a tree.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Test(Test),
}

/// A single condition, which does not combine other conditions.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// A tag's text.
    Text(String, TextTest),
    /// The value of a tag is in one of these ranges. The value is a number, or a range of numbers for a partial date or
    /// code.
    Value(String, Reading, Ranges),
    /// The date of the game, from the tag Date, or from UTCDate if Date contains no year.
    Date(Ranges),
    /// A value derived from both ratings is in one of these ranges.
    Ratings(Ratings, Ranges),
    /// The result is in a set, which contains a bit for each `Outcome`.
    Result(u8),
    /// The result after the moves is in a set. A game without a result there counts as unknown.
    MovetextResult(u8),
    /// The number of plies in the main line is in one of these ranges.
    Plies(Ranges),
    /// The number of the game is in one of these ranges.
    Number(Ranges),
    /// The byte of facts contains any of these bits.
    Facts(u8),
    /// A part of the game's text satisfies the condition.
    Content(ContentTest),
    /// A measure that is computed from the game is in one of these ranges.
    Measure(Measure, Ranges),
}

/// A condition on what a game contains beside tags and moves, also in variations.
#[derive(Clone, PartialEq, Debug)]
pub enum ContentTest {
    /// A comment satisfies the condition.
    Comment(TextTest),
    /// A move or position has one of these glyphs, as numbers of NAGs, anywhere or in the main line.
    Glyph { numbers: Vec<u8>, in_main_line: bool },
}

impl ContentTest {
    /// Returns the bit of the facts of all games that can satisfy the condition.
    pub fn fact(&self) -> u8 {
        match self {
            ContentTest::Comment(_) => COMMENTS,
            ContentTest::Glyph { .. } => GLYPHS,
        }
    }
}

/// A condition on the text of a tag.
#[derive(Clone, PartialEq, Debug)]
pub enum TextTest {
    /// The value is in this list.
    Is(Vec<String>),
    /// The value is not in this list.
    IsNot(Vec<String>),
    /// The value contains this text.
    Has(String),
    /// The value begins with this text.
    Begins(String),
    /// The field has a value, that is, it is not empty, `?` or `-`.
    Known,
    /// The field has a value that cannot be read as this kind.
    Unreadable(Reading),
}

impl TextTest {
    /// Returns whether a text that is not empty satisfies the condition. Case and accents are ignored ([`fold`]),
    /// except in texts with a slash, such as URLs and FENs.
    pub fn fits(&self, text: &str) -> bool {
        match self {
            TextTest::Is(texts) => texts.iter().any(|expected| is(text, expected)),
            TextTest::IsNot(texts) => !texts.iter().any(|expected| is(text, expected)),
            TextTest::Has(part) => fold(text).contains(&fold(part)),
            TextTest::Begins(part) => fold(text).starts_with(&fold(part)),
            TextTest::Known => is_known(text.as_bytes()),
            TextTest::Unreadable(reading) => reading::is_unreadable(*reading, text.as_bytes()),
        }
    }
}

fn is(text: &str, query: &str) -> bool {
    text == query || !is_exact(query) && fold(text) == fold(query)
}

/// Returns whether a text is compared without ignoring case and accents.
pub fn is_exact(query: &str) -> bool {
    query.contains('/')
}

/// A value computed from both ratings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ratings {
    Least,
    Greatest,
    /// The mean, rounded down.
    Mean,
    /// The absolute value of White's rating minus Black's.
    Gap,
}

impl Ratings {
    /// Returns the value derived from two ratings.
    #[inline(always)]
    pub fn of(self, first: i64, second: i64) -> i64 {
        match self {
            Ratings::Least => first.min(second),
            Ratings::Greatest => first.max(second),
            Ratings::Mean => (first + second) / 2,
            Ratings::Gap => (first - second).abs(),
        }
    }
}

/// Ranges of numbers, which include both ends. A value that is only partly known is itself a range. It matches if it
/// lies completely within one of these ranges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranges(pub Vec<(i64, i64)>);

impl Ranges {
    pub fn hold(&self, (low, high): (i64, i64)) -> bool {
        self.0.iter().any(|range| range.0 <= low && high <= range.1)
    }

    pub fn map(self, change: impl Fn(i64, i64) -> (i64, i64)) -> Ranges {
        Ranges(self.0.into_iter().map(|(low, high)| change(low, high)).collect())
    }
}

impl Expr {
    /// Adds the other names of players to the conditions on names.
    pub fn add_aliases(&mut self, aliases: &Aliases) {
        match self {
            Expr::And(all) | Expr::Or(all) => all.iter_mut().for_each(|expr| expr.add_aliases(aliases)),
            Expr::Not(expr) => expr.add_aliases(aliases),
            Expr::Test(Test::Text(tag, TextTest::Is(names) | TextTest::IsNot(names)))
                if matches!(tag.as_str(), "White" | "Black") =>
            {
                let others: Vec<String> = names.iter().flat_map(|name| aliases.of(name)).cloned().collect();
                names.extend(others);
            }
            Expr::Test(_) => {}
        }
    }

    /// Returns a condition that is always true, or always false.
    pub fn always(holds: bool) -> Expr {
        if holds { Expr::And(Vec::new()) } else { Expr::Or(Vec::new()) }
    }

    /// Appends the measures that the condition uses, except those already in `measures`.
    pub fn measures(&self, measures: &mut Vec<Measure>) {
        match self {
            Expr::And(all) | Expr::Or(all) => all.iter().for_each(|expr| expr.measures(measures)),
            Expr::Not(expr) => expr.measures(measures),
            Expr::Test(Test::Measure(measure, _)) if !measures.contains(measure) => measures.push(*measure),
            Expr::Test(_) => {}
        }
    }

    /// Appends the conditions on contents, except those already in `contents`.
    pub fn contents(&self, contents: &mut Vec<ContentTest>) {
        match self {
            Expr::And(all) | Expr::Or(all) => all.iter().for_each(|expr| expr.contents(contents)),
            Expr::Not(expr) => expr.contents(contents),
            Expr::Test(Test::Content(test)) if !contents.contains(test) => contents.push(test.clone()),
            Expr::Test(_) => {}
        }
    }

    /// Returns a weaker condition without measures: it assumes for each measure the most favorable value, so every game
    /// that satisfies the original condition also satisfies the returned one.
    pub fn without_measures(&self) -> Expr {
        self.assumed(true)
    }

    /// Returns a stricter condition without measures: a game that satisfies the returned condition also satisfies the
    /// original one, whatever its measures are.
    pub fn whatever_measures(&self) -> Expr {
        self.assumed(false)
    }

    /// Appends the texts that the condition compares with tags, each with the name of the tag. Names of openings are
    /// omitted, because they may come from the table of openings.
    pub fn texts<'a>(&'a self, texts: &mut Vec<(&'a str, &'a str)>) {
        match self {
            Expr::And(all) | Expr::Or(all) => all.iter().for_each(|expr| expr.texts(texts)),
            Expr::Not(expr) => expr.texts(texts),
            Expr::Test(Test::Text(tag, TextTest::Is(values))) if tag != "Opening" => {
                texts.extend(values.iter().map(|text| (text.as_str(), tag.as_str())));
            }
            Expr::Test(_) => {}
        }
    }

    fn assumed(&self, holds: bool) -> Expr {
        match self {
            Expr::And(all) => Expr::And(all.iter().map(|expr| expr.assumed(holds)).collect()),
            Expr::Or(all) => Expr::Or(all.iter().map(|expr| expr.assumed(holds)).collect()),
            Expr::Not(expr) => Expr::Not(Box::new(expr.assumed(!holds))),
            Expr::Test(Test::Measure(..) | Test::Content(_)) => Expr::always(holds),
            Expr::Test(test) => Expr::Test(test.clone()),
        }
    }

    /// Appends the columns that the condition uses.
    pub fn keys(&self, keys: &mut Vec<Key>) {
        let tag = |name: &str| Key::Tag(name.to_owned());
        match self {
            Expr::And(all) | Expr::Or(all) => all.iter().for_each(|expr| expr.keys(keys)),
            Expr::Not(expr) => expr.keys(keys),
            Expr::Test(test) => match test {
                Test::Text(name, _) | Test::Value(name, ..) => keys.push(tag(name)),
                Test::Date(..) => keys.extend([tag("Date"), tag("UTCDate")]),
                Test::Ratings(..) => keys.extend([tag("WhiteElo"), tag("BlackElo")]),
                // The movetext is needed only if the tag contains no result.
                Test::Result(_) => keys.push(tag("Result")),
                Test::Plies(_) => keys.push(Key::Plies),
                Test::Facts(_) | Test::MovetextResult(_) => keys.push(Key::Facts),
                Test::Number(_) | Test::Measure(..) | Test::Content(_) => {}
            },
        }
    }
}

//! A filter as a tree.

use crate::query::fold::fold;
use crate::query::measure::field::Measure;
use crate::query::tag_columns::Key;
use crate::query::value::is_known;
use crate::query::value::reading::Reading;

/// A condition on a game.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Test(Test),
}

/// A condition that does not combine others.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// A tag's text.
    Text(String, TextTest),
    /// The value of a tag as a number, or a range of numbers for a partial date or code.
    Value(String, Reading, Ranges),
    /// The date of the game: the tag Date, or UTCDate if Date gives no year.
    Date(Reading, Ranges),
    /// A value derived from both ratings.
    Ratings(Ratings, Ranges),
    /// The result is one of a set, with a bit for each `Outcome`.
    Result(u8),
    /// The plies of the main line.
    Plies(Ranges),
    /// The number of the game.
    Number(Ranges),
    /// Any of these bits in the byte of facts.
    Facts(u8),
    /// A measure that is computed from the game.
    Measure(Measure, Ranges),
}

/// A condition on a text.
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
    /// The field has a value: not empty, `?` or `-`.
    Known,
}

impl TextTest {
    /// Returns whether a non-empty text passes. Case and accents are ignored ([`fold`]), except in texts with a slash,
    /// such as URLs and FENs.
    pub fn fits(&self, text: &str) -> bool {
        match self {
            TextTest::Is(texts) => texts.iter().any(|expected| is(text, expected)),
            TextTest::IsNot(texts) => !texts.iter().any(|expected| is(text, expected)),
            TextTest::Has(part) => fold(text).contains(&fold(part)),
            TextTest::Begins(part) => fold(text).starts_with(&fold(part)),
            TextTest::Known => is_known(text.as_bytes()),
        }
    }
}

fn is(text: &str, query: &str) -> bool {
    text == query || !is_exact(query) && fold(text) == fold(query)
}

/// Returns whether a text is compared exactly.
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
    /// White's rating minus Black's, as an absolute value.
    Gap,
}

impl Ratings {
    /// Returns a value computed from both ratings.
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

/// Ranges of numbers, both ends included. A value that is itself a range (because it is partly known) matches if it
/// lies completely in one of these ranges.
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
    /// Returns the condition that is always true or always false.
    pub fn always(holds: bool) -> Expr {
        if holds { Expr::And(Vec::new()) } else { Expr::Or(Vec::new()) }
    }

    /// Appends the measures that are needed.
    pub fn measures(&self, measures: &mut Vec<Measure>) {
        match self {
            Expr::And(all) | Expr::Or(all) => all.iter().for_each(|expr| expr.measures(measures)),
            Expr::Not(expr) => expr.measures(measures),
            Expr::Test(Test::Measure(measure, _)) if !measures.contains(measure) => measures.push(*measure),
            Expr::Test(_) => {}
        }
    }

    /// Returns a weaker condition without measures: every game that satisfies this condition also satisfies the
    /// returned one, as if each measure had its best possible value.
    pub fn without_measures(&self) -> Expr {
        self.assumed(true)
    }

    /// Returns a stricter condition without measures: a game that satisfies the returned condition also satisfies this
    /// one, whatever its measures are.
    pub fn whatever_measures(&self) -> Expr {
        self.assumed(false)
    }

    /// Appends the texts that are compared with tags, each with its tag. The name of an opening may come from the
    /// table.
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
            Expr::Test(Test::Measure(..)) => Expr::always(holds),
            Expr::Test(test) => Expr::Test(test.clone()),
        }
    }

    /// Appends the columns that the condition needs.
    pub fn keys(&self, keys: &mut Vec<Key>) {
        let tag = |name: &str| Key::Tag(name.to_owned());
        match self {
            Expr::And(all) | Expr::Or(all) => all.iter().for_each(|expr| expr.keys(keys)),
            Expr::Not(expr) => expr.keys(keys),
            Expr::Test(test) => match test {
                Test::Text(name, _) | Test::Value(name, ..) => keys.push(tag(name)),
                Test::Date(..) => keys.extend([tag("Date"), tag("UTCDate")]),
                Test::Ratings(..) => keys.extend([tag("WhiteElo"), tag("BlackElo")]),
                // The movetext is needed only if the tag gives no result.
                Test::Result(_) => keys.push(tag("Result")),
                Test::Plies(_) => keys.push(Key::Plies),
                Test::Facts(_) => keys.push(Key::Facts),
                Test::Number(_) | Test::Measure(..) => {}
            },
        }
    }
}

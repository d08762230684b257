//! Builds filters in a program: single conditions, and combinations of filters.

use super::Filter;
use crate::fault::QueryFault;
use crate::filter::conditions::{joined, known, not};
use crate::filter::expr::{Expr, Test};
use crate::filter::field::Field;
use crate::filter::parse::{Parsed, Question};
use scoresheet::game::Outcome;
use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

/// The comparison of a field with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `=`
    Is,
    /// `!=`
    IsNot,
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `~`: the text contains the value.
    Has,
    /// `^=`: the text begins with the value.
    Begins,
}

impl Relation {
    const fn sign(self) -> &'static str {
        match self {
            Relation::Is => "=",
            Relation::IsNot => "!=",
            Relation::Below => "<",
            Relation::AtMost => "<=",
            Relation::Above => ">",
            Relation::AtLeast => ">=",
            Relation::Has => "~",
            Relation::Begins => "^=",
        }
    }
}

impl Filter {
    /// Returns the condition that compares a field of the filter language, such as `whiteelo`, with a value.
    ///
    /// ```
    /// use scoresheet_query::Filter;
    /// use scoresheet_query::filter::Relation;
    ///
    /// let strong = Filter::condition("whiteelo", Relation::AtLeast, 2700)?;
    /// let site = Filter::tag("Site", Relation::Has, "\"Linares\"")?;
    /// let both = strong & site;
    /// assert_eq!(both.to_string(), r#"whiteelo >= 2700 and tag("Site") ~ "\"Linares\"""#);
    /// assert_eq!(both.to_string().parse::<Filter>()?.to_string(), both.to_string());
    /// # Ok::<(), scoresheet_query::QueryFault>(())
    /// ```
    ///
    /// Errors: the field is unknown, or the value has the wrong type.
    pub fn condition(field: &str, relation: Relation, value: impl fmt::Display) -> Result<Filter, QueryFault> {
        Filter::parse(&format!("{field} {} {}", relation.sign(), written(&value.to_string())))
    }

    /// Returns the condition that compares a tag, which may have any name, with a value.
    ///
    /// Errors: texts cannot be compared with this relation, or the value exceeds the length limit of a filter.
    pub fn tag(name: &str, relation: Relation, value: &str) -> Result<Filter, QueryFault> {
        Filter::condition(&format!("tag({})", quoted(name)), relation, value)
    }

    /// Returns the condition that a game has this result.
    pub fn result(outcome: Outcome) -> Filter {
        let neutral = Expr::Test(Test::Result(1 << outcome as u8));
        let sides = [neutral.clone(), neutral.clone()];
        let questions = known(&Field::Result).map(|known| ("result".to_owned(), known)).into_iter().collect();
        let parsed = Parsed { neutral, sides, is_of_player: false, questions };
        Filter::new(format!("result = {}", outcome.token()), parsed)
    }

    /// Joins filters with `and`. Returns `None` if there are no filters.
    pub fn all_of(filters: impl IntoIterator<Item = Filter>) -> Option<Filter> {
        Filter::joined(filters.into_iter().collect(), " and ", Expr::And)
    }

    /// Joins filters with `or`. Returns `None` if there are no filters.
    pub fn any_of(filters: impl IntoIterator<Item = Filter>) -> Option<Filter> {
        Filter::joined(filters.into_iter().collect(), " or ", Expr::Or)
    }

    /// Joins filters as the parser would join their texts.
    fn joined(mut filters: Vec<Filter>, word: &str, join: fn(Vec<Expr>) -> Expr) -> Option<Filter> {
        if filters.len() < 2 {
            return filters.pop();
        }
        let text = |filter: &Filter| match filter.parsed.neutral {
            Expr::Test(_) => filter.text.clone(),
            _ => format!("({})", filter.text),
        };
        let text = filters.iter().map(text).collect::<Vec<_>>().join(word);
        let mut questions: Question = Vec::new();
        for (name, known) in filters.iter().flat_map(|filter| &filter.parsed.questions) {
            if questions.iter().all(|(present, _)| present != name) {
                questions.push((name.clone(), known.clone()));
            }
        }
        let is_of_player = filters.iter().any(|filter| filter.parsed.is_of_player);
        let (mut neutral, mut white, mut black) = (Vec::new(), Vec::new(), Vec::new());
        for Filter { parsed, .. } in filters {
            let [with_white, with_black] = parsed.sides;
            neutral.push(parsed.neutral);
            white.push(with_white);
            black.push(with_black);
        }
        let sides = [joined(white, join), joined(black, join)];
        Some(Filter::new(text, Parsed { neutral: joined(neutral, join), sides, is_of_player, questions }))
    }
}

impl BitAnd for Filter {
    type Output = Filter;

    fn bitand(self, other: Filter) -> Filter {
        Filter::joined(vec![self, other], " and ", Expr::And).expect("two filters")
    }
}

impl BitOr for Filter {
    type Output = Filter;

    fn bitor(self, other: Filter) -> Filter {
        Filter::joined(vec![self, other], " or ", Expr::Or).expect("two filters")
    }
}

impl Not for Filter {
    type Output = Filter;

    fn not(self) -> Filter {
        let Parsed { neutral, sides, is_of_player, questions } = self.parsed;
        let parsed = Parsed { neutral: not(neutral), sides: sides.map(not), is_of_player, questions };
        Filter::new(format!("not ({})", self.text), parsed)
    }
}

/// Returns a value in filter syntax. Numbers, dates and results need no quotation marks.
fn written(value: &str) -> String {
    let is_plain = value.starts_with(|letter: char| letter.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_digit() || b"./-".contains(&byte));
    if is_plain { value.to_owned() } else { quoted(value) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

//! Conditions on columns as filters of archives, for engines that push their conditions down.

use crate::columns::Value;
use scoresheet::game::calendar::civil;
use scoresheet_query::Filter;
use scoresheet_query::filter::Relation;

/// The constant of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Literal<'a> {
    /// An integer of any width.
    Integer(i64),
    /// A text.
    Text(&'a str),
    /// A day, counted from 1970-01-01.
    Day(i32),
}

/// Returns the filter for a condition on a column, and whether it is exact; `None` if the filter language cannot
/// express the condition.
///
/// Every game whose column satisfies the condition passes the filter. If the filter is not exact, other games may pass,
/// too, so the engine must check the condition again: filters ignore letter case and accents, for example.
///
/// ```
/// use scoresheet_arrow::{Literal, Value, condition};
/// use scoresheet_query::filter::Relation;
///
/// let (filter, is_exact) = condition(Value::Plies, Relation::Above, Literal::Integer(80)).expect("can be expressed");
/// assert_eq!((filter.to_string().as_str(), is_exact), ("plies > 80", true));
/// let (filter, is_exact) = condition(Value::Text("ECO"), Relation::Begins, Literal::Text("B9")).expect("can, too");
/// assert_eq!((filter.to_string().as_str(), is_exact), ("tag(\"ECO\") ^= \"B9\"", false));
/// assert_eq!(condition(Value::Movetext, Relation::Has, Literal::Text("Kxe7")), None);
/// ```
pub fn condition(value: Value, relation: Relation, literal: Literal<'_>) -> Option<(Filter, bool)> {
    let is_equal = relation == Relation::Is;
    let (filter, is_exact) = match (value, literal) {
        (Value::Rating(tag @ ("WhiteElo" | "BlackElo")), Literal::Integer(rating)) => {
            if !(1..=i64::from(i16::MAX)).contains(&rating) {
                return None;
            }
            (Filter::condition(&tag.to_ascii_lowercase(), relation, rating), true)
        }
        (Value::Plies, Literal::Integer(plies)) if (0..=i64::from(i32::MAX)).contains(&plies) => {
            (Filter::condition("plies", relation, plies), true)
        }
        (Value::BaseSeconds | Value::IncrementSeconds, Literal::Integer(seconds))
            if relation != Relation::IsNot && seconds >= 0 =>
        {
            let field = if value == Value::BaseSeconds { "base" } else { "increment" };
            (Filter::condition(field, relation, seconds), false)
        }
        (Value::Date, Literal::Day(day)) if relation != Relation::IsNot => {
            (Filter::condition("date", relation, day_text(day)?), false)
        }
        (Value::Text(tag), Literal::Text(text))
            if matches!(relation, Relation::Is | Relation::Begins | Relation::Has) && says_something(text) =>
        {
            (Filter::tag(tag, relation, text), false)
        }
        (Value::Result, Literal::Text(text @ ("1-0" | "0-1" | "1/2-1/2"))) if is_equal => {
            (Filter::condition("result", relation, text), false)
        }
        _ => return None,
    };
    Some((filter.ok()?, is_exact))
}

/// These texts are missing values for filters, but ordinary texts for other languages.
fn says_something(text: &str) -> bool {
    !matches!(text, "" | "?" | "-")
}

/// Formats a day (days since 1970-01-01) as a PGN date; `None` for years that PGN cannot express.
fn day_text(day: i32) -> Option<String> {
    let (year, month, day) = civil(i64::from(day));
    (1..=9999).contains(&year).then(|| format!("{year:04}.{month:02}.{day:02}"))
}

//! Translates SQL conditions to filters of archives, ranges of games, positions and patterns.
//!
//! An inexact filter passes all games that satisfy the condition, and possibly more; DataFusion then checks the
//! condition again. An exact filter passes only games that satisfy the condition. DataFusion evaluates all other
//! conditions, including NOT: SQL drops games with a missing value, but the negation of a filter keeps them.

use crate::question::Question;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::{InList, Like, ScalarFunction};
use datafusion::logical_expr::{Between, BinaryExpr, Expr, Operator};
use scoresheet::game::calendar::civil;
use scoresheet_arrow::{Columns, Literal, Value};
use scoresheet_query::Filter;
use scoresheet_query::filter::Relation;
use std::ops::{Range, RangeInclusive};

/// A condition on archives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// A filter, and whether it is exact.
    Where(Box<Filter>, bool),
    /// A range of game numbers in the set, which is always exact.
    Games(Range<u64>),
    /// A function and its second argument, which games must satisfy. Exact.
    Question(Question, String),
}

impl Part {
    /// Returns whether the filter passes exactly the games that satisfy the condition.
    pub fn is_exact(&self) -> bool {
        !matches!(self, Part::Where(_, false))
    }
}

/// Returns the part of a condition that archives can evaluate; `None` if they cannot.
pub fn translate(expr: &Expr) -> Option<Part> {
    if let Expr::ScalarFunction(ScalarFunction { func, args }) = expr {
        let question = Question::ALL.into_iter().find(|question| question.name() == func.name())?;
        let [moves, text] = args.as_slice() else { return None };
        let text = text_of(literal(text)?)?;
        // The function reports an invalid argument only when it runs.
        question.board(&text).ok()?;
        return (value(moves)? == Value::Brenner).then_some(Part::Question(question, text));
    }
    if let Some(games) = games(expr) {
        return Some(Part::Games(games));
    }
    condition(expr).map(|(filter, exact)| Part::Where(Box::new(filter), exact))
}

/// Returns the range of games of a comparison of `game_id`.
fn games(expr: &Expr) -> Option<Range<u64>> {
    let (value, operator, literal) = comparison(expr)?;
    if value != Value::GameId {
        return None;
    }
    let number = integer(literal)?;
    let at = |number: i64| u64::try_from(number).unwrap_or(0);
    let all = u64::MAX;
    Some(match operator {
        Operator::Eq => at(number)..at(number.saturating_add(1)),
        Operator::Lt => 0..at(number),
        Operator::LtEq => 0..at(number.saturating_add(1)),
        Operator::Gt => at(number.saturating_add(1))..all,
        Operator::GtEq => at(number)..all,
        _ => return None,
    })
}

/// Returns the years of all games that satisfy a condition on the column `date`; `None` for other conditions.
pub fn years(expr: &Expr) -> Option<RangeInclusive<i32>> {
    let year = |literal: &ScalarValue| match literal {
        ScalarValue::Date32(Some(day)) => i32::try_from(civil(i64::from(*day)).0).ok(),
        _ => None,
    };
    match expr {
        Expr::Between(Between { expr, negated: false, low, high }) if value(expr)? == Value::Date => {
            Some(year(literal(low)?)?..=year(literal(high)?)?)
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => match (years(left), years(right)) {
            (Some(a), Some(b)) => Some(*a.start().max(b.start())..=*a.end().min(b.end())),
            (a, b) => a.or(b),
        },
        Expr::BinaryExpr(_) => {
            let (value, operator, literal) = comparison(expr)?;
            let year = (value == Value::Date).then(|| year(literal)).flatten()?;
            match operator {
                Operator::Eq => Some(year..=year),
                Operator::Lt | Operator::LtEq => Some(i32::MIN..=year),
                Operator::Gt | Operator::GtEq => Some(year..=i32::MAX),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns a condition as a filter, and whether it is exact; `None` if the filter language cannot express it.
fn condition(expr: &Expr) -> Option<(Filter, bool)> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
            match (condition(left), condition(right)) {
                (Some((left, a)), Some((right, b))) => {
                    Some((if *op == Operator::And { left & right } else { left | right }, a && b))
                }
                // Either side of an AND passes every game that both sides pass.
                (Some((filter, _)), None) | (None, Some((filter, _))) if *op == Operator::And => Some((filter, false)),
                _ => None,
            }
        }
        Expr::BinaryExpr(_) => {
            let (value, operator, literal) = comparison(expr)?;
            compared(value, operator, literal)
        }
        Expr::Between(Between { expr, negated: false, low, high }) => {
            let value = value(expr)?;
            let (low, a) = compared(value, Operator::GtEq, literal(low)?)?;
            let (high, b) = compared(value, Operator::LtEq, literal(high)?)?;
            Some((low & high, a && b))
        }
        Expr::InList(InList { expr, list, negated: false }) if list.len() <= 1000 => {
            let value = value(expr)?;
            let equals = |item: &Expr| compared(value, Operator::Eq, literal(item)?);
            let all = list.iter().map(equals).collect::<Option<Vec<(Filter, bool)>>>()?;
            let exact = all.iter().all(|(_, exact)| *exact);
            Some((Filter::any_of(all.into_iter().map(|(filter, _)| filter))?, exact))
        }
        Expr::Like(Like { negated: false, expr, pattern, escape_char: None, .. }) => {
            let value = value(expr)?;
            let pattern = text_of(literal(pattern)?)?;
            let inner = pattern.trim_end_matches('%');
            let (relation, text) = match (inner.strip_prefix('%'), inner.len() < pattern.len()) {
                (Some(rest), true) => (Relation::Has, rest.trim_start_matches('%')),
                (None, true) => (Relation::Begins, inner),
                _ => return None,
            };
            let is_plain = !text.contains(['%', '_', '\\']);
            is_plain.then(|| scoresheet_arrow::condition(value, relation, Literal::Text(text)))?
        }
        _ => None,
    }
}

/// Returns a comparison of a column with a literal, with the column first.
fn comparison(expr: &Expr) -> Option<(Value, Operator, &ScalarValue)> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = expr else { return None };
    if let (Some(value), Some(literal)) = (value(left), literal(right)) {
        return Some((value, *op, literal));
    }
    Some((value(right)?, op.swap()?, literal(left)?))
}

fn compared(value: Value, operator: Operator, literal: &ScalarValue) -> Option<(Filter, bool)> {
    let relation = match operator {
        Operator::Eq => Relation::Is,
        Operator::NotEq => Relation::IsNot,
        Operator::Lt => Relation::Below,
        Operator::LtEq => Relation::AtMost,
        Operator::Gt => Relation::Above,
        Operator::GtEq => Relation::AtLeast,
        _ => return None,
    };
    let text = text_of(literal);
    let literal = match (literal, &text) {
        (ScalarValue::Date32(Some(day)), _) => Literal::Day(*day),
        (_, Some(text)) => Literal::Text(text),
        _ => Literal::Integer(integer(literal)?),
    };
    scoresheet_arrow::condition(value, relation, literal)
}

/// Returns the contents of a column, ignoring casts of its dictionary.
fn value(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Column(column) => {
            Columns::list([column.name.as_str()]).ok()?.columns().first().map(|column| column.value)
        }
        Expr::Cast(cast) => value(&cast.expr).filter(|value| matches!(value, Value::Text(_) | Value::Result)),
        _ => None,
    }
}

fn literal(expr: &Expr) -> Option<&ScalarValue> {
    match expr {
        Expr::Literal(literal, _) if !literal.is_null() => Some(literal),
        _ => None,
    }
}

fn text_of(literal: &ScalarValue) -> Option<String> {
    match literal {
        ScalarValue::Dictionary(_, inner) => text_of(inner),
        ScalarValue::Utf8(text) | ScalarValue::LargeUtf8(text) | ScalarValue::Utf8View(text) => text.clone(),
        _ => None,
    }
}

fn integer(literal: &ScalarValue) -> Option<i64> {
    match literal {
        ScalarValue::Int8(value) => value.map(i64::from),
        ScalarValue::Int16(value) => value.map(i64::from),
        ScalarValue::Int32(value) => value.map(i64::from),
        ScalarValue::Int64(value) => *value,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::prelude::{col, lit};

    fn said(expr: Expr) -> Option<(String, bool)> {
        match translate(&expr)? {
            Part::Where(filter, exact) => Some((filter.to_string(), exact)),
            Part::Games(games) => Some((format!("{games:?}"), true)),
            Part::Question(question, text) => Some((format!("{} {text}", question.name()), true)),
        }
    }

    #[test]
    fn conditions_as_filters() {
        let exact = |text: &str| Some((text.to_owned(), true));
        let inexact = |text: &str| Some((text.to_owned(), false));
        let elo = || col("white_elo");
        assert_eq!(said(elo().gt_eq(lit(2700i16))), exact("whiteelo >= 2700"));
        assert_eq!(said(lit(2700i16).gt(elo())), exact("whiteelo < 2700"));
        assert_eq!(said(elo().gt_eq(lit(0i16))), None);
        assert_eq!(said(col("white").eq(lit("A \"B\""))), inexact("tag(\"White\") = \"A \\\"B\\\"\""));
        assert_eq!(said(col("white").eq(lit("?"))), None);
        assert_eq!(said(col("white").not_eq(lit("x"))), None);
        assert_eq!(said(col("white").like(lit("%Carl%"))), inexact("tag(\"White\") ~ \"Carl\""));
        assert_eq!(said(col("eco").like(lit("B9%"))), inexact("tag(\"ECO\") ^= \"B9\""));
        assert_eq!(said(col("eco").like(lit("B_9%"))), None);
        assert_eq!(said(col("date").gt(lit(ScalarValue::Date32(Some(15_736))))), inexact("date > 2013.01.31"));
        assert_eq!(said(col("game_id").lt_eq(lit(9i64))), exact("0..10"));
        assert_eq!(said(col("plies").gt(lit(9i32)).or(elo().lt(lit(9i16)))), exact("plies > 9 or whiteelo < 9"));
        assert_eq!(said(col("plies").gt(lit(9i32)).or(col("white").is_null())), None);
        assert_eq!(said(Expr::Not(Box::new(col("plies").gt(lit(9i32))))), None);
        let day = |day| lit(ScalarValue::Date32(Some(day)));
        assert_eq!(years(&col("date").gt(day(15_736)).and(col("date").lt(day(16_100)))), Some(2013..=2014));
        assert_eq!(years(&col("date").eq(day(15_736)).or(col("date").eq(day(1)))), None);
        assert_eq!(years(&col("plies").eq(lit(9i32))), None);
        assert_eq!(said(col("result").eq(lit("1-0"))), inexact("result = 1-0"));
    }
}

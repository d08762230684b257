//! Builds filters in a program: single conditions, and combinations of filters.

use super::Filter;
use crate::fault::QueryFault;
use crate::filter::expr::Expr;
use std::fmt;

/// The comparison of a field with a value.
///
/// [`Filter::condition`] has an example.
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
    /// let both = Filter::all_of([strong, site])?;
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

    /// Joins filters with `and`. Returns an error if there are no filters.
    ///
    /// Errors: the joined filter would exceed the length limit.
    pub fn all_of(filters: impl IntoIterator<Item = Filter>) -> Result<Filter, QueryFault> {
        joined(filters, " and ")
    }

    /// Joins filters with `or`. Returns an error if there are no filters.
    ///
    /// Errors: the joined filter would exceed the length limit.
    pub fn any_of(filters: impl IntoIterator<Item = Filter>) -> Result<Filter, QueryFault> {
        joined(filters, " or ")
    }

    /// Returns the negation of this filter.
    ///
    /// Errors: the negated filter would exceed the length limit.
    pub fn negated(&self) -> Result<Filter, QueryFault> {
        Filter::parse(&format!("not ({})", self.text))
    }
}

fn joined(filters: impl IntoIterator<Item = Filter>, word: &str) -> Result<Filter, QueryFault> {
    let text = |filter: Filter| match filter.expr {
        Expr::Test(_) => filter.text,
        _ => format!("({})", filter.text),
    };
    Filter::parse(&filters.into_iter().map(text).collect::<Vec<_>>().join(word))
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

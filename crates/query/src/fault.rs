//! Faults in a query, with their positions in its text.

use std::fmt;
use std::ops::Range;

/// A fault within a text: its column in bytes, from 1, and a description.
pub(crate) type Fault = (usize, String);

/// The fault in a query that cannot be parsed, with its position and a description of the expected text. It is
/// displayed on three lines, with a marker below the position.
///
/// ```
/// let fault = scoresheet_query::Filter::parse("year > 2000 and elo >").unwrap_err();
/// assert_eq!((fault.column(), fault.at()), (22, 21..21));
/// let lines = fault.to_string();
/// assert!(lines.starts_with("column 22: ") && lines.ends_with("  year > 2000 and elo >\n                       ^"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryFault {
    query: String,
    at: Range<usize>,
    what: String,
}

impl QueryFault {
    /// Returns the fault that the bytes `at` of a query contain.
    pub fn new(query: &str, at: Range<usize>, what: impl Into<String>) -> QueryFault {
        QueryFault { query: query.to_owned(), at, what: what.into() }
    }

    /// Returns the fault of a single letter, given its column in bytes, from 1. The column after the last letter stands
    /// for the end.
    pub fn in_bytes(query: &str, (column, what): (usize, String)) -> QueryFault {
        let start = column.saturating_sub(1).min(query.len());
        let letter = query.get(start..).and_then(|rest| rest.chars().next());
        QueryFault::new(query, start..start + letter.map_or(0, char::len_utf8), what)
    }

    /// Returns the range of the fault in the query, which is empty at the end of the query if something is missing.
    pub fn at(&self) -> Range<usize> {
        self.at.clone()
    }

    /// Returns the column of the first faulty letter, from 1, in letters of its line.
    pub fn column(&self) -> usize {
        let before = self.query.get(..self.at.start).unwrap_or(&self.query);
        before.rsplit('\n').next().unwrap_or_default().chars().count() + 1
    }

    /// Returns a short description of the fault or of the expected text.
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for QueryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.column();
        writeln!(f, "column {column}: {}", self.what)?;
        // Only the faulty line. Control characters, which would shift the marker or control a terminal, are replaced by
        // blanks.
        let start = self.query.get(..self.at.start).unwrap_or_default().rfind('\n').map_or(0, |at| at + 1);
        let line = self.query.get(start..).unwrap_or_default().split('\n').next().unwrap_or_default();
        let plain: String = line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let end = self.at.end.min(start + line.len());
        let letters = self.query.get(self.at.start..end).map_or(1, |text| text.chars().count().max(1));
        write!(f, "  {plain}\n  {}{}", " ".repeat(column - 1), "^".repeat(letters))
    }
}

impl std::error::Error for QueryFault {}

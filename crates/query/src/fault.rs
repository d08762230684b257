//! Faults in a query, with their positions in its text.

use scoresheet::chess::fen::{FenError, FenFault, FenField};
use std::fmt;
use std::ops::Range;

/// A fault within a text: its range in bytes, which is empty if something is missing there, and its reason.
pub(crate) type Fault = (Range<usize>, Reason);

/// The reason of a fault: a message in English, and for programs its stable code and the values in it.
///
/// Codes keep their meaning in all versions. Messages that other packages or systems write have no code.
///
/// ```
/// let fault = scoresheet_query::Filter::parse("whitelo > 2500").unwrap_err();
/// let reason = fault.reason();
/// assert_eq!(reason.to_string(), "no field is called whitelo: did you mean whiteelo?");
/// let values: Vec<_> = reason.values().collect();
/// assert_eq!((reason.code(), &values[..]), (Some("field_near"), &[("name", "whitelo"), ("near", "whiteelo")][..]));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    code: Option<&'static str>,
    values: Vec<(&'static str, String)>,
    text: String,
}

impl Reason {
    /// Returns a reason with a code, values and a message.
    pub fn new<const N: usize>(
        code: &'static str,
        values: [(&'static str, String); N],
        text: impl Into<String>,
    ) -> Reason {
        Reason { code: Some(code), values: values.into(), text: text.into() }
    }

    /// Returns the reason why `fen` cannot be read. The values are the faulty field `part`, and the character `found`,
    /// which is empty if the fault is not in a single character.
    fn from_fen(fen: &str, error: &FenError) -> Reason {
        let code = match error.fault {
            FenFault::Missing => "fen_missing",
            FenFault::NoSuchPiece => "fen_piece",
            FenFault::RankTooLong => "fen_long_rank",
            FenFault::RankTooShort => "fen_short_rank",
            FenFault::RankCount => "fen_ranks",
            FenFault::BoardSize { .. } => "fen_board_size",
            FenFault::AdjacentDigits => "fen_digits",
            FenFault::NoSuchSide => "fen_side",
            FenFault::NoSuchRight => "fen_right",
            FenFault::RightOutOfOrder => "fen_right_order",
            FenFault::NoSuchSquare => "fen_square",
            FenFault::WrongRank => "fen_target_rank",
            FenFault::NotANumber => "fen_number",
            FenFault::NumberTooLarge => "fen_large_number",
            FenFault::LeadingZero => "fen_zero",
            FenFault::OldSymbol => "fen_nil",
            FenFault::Separator => "fen_separator",
            FenFault::TooManyFields => "fen_fields",
        };
        let part = match error.field {
            FenField::Placement => "placement",
            FenField::Turn => "turn",
            FenField::Castling => "castling",
            FenField::EnPassant => "en_passant",
            FenField::HalfmoveClock => "halfmove_clock",
            FenField::FullmoveNumber => "fullmove_number",
        };
        let found = error.character_in(fen.as_bytes()).map_or_else(String::new, |letter| letter.to_string());
        let text = format!("{}: {}", error.field.name(), error.fault);
        let text = if found.trim().is_empty() { text } else { format!("{text}: {}", found.escape_debug()) };
        Reason::new(code, [("part", part.to_owned()), ("found", found)], text)
    }

    /// Returns the code, or `None` for a message of another origin.
    pub fn code(&self) -> Option<&'static str> {
        self.code
    }

    /// Returns the names and the values that the message contains.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(name, value)| (*name, value.as_str()))
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Reason {
        text.to_owned().into()
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Reason {
        Reason { code: None, values: Vec::new(), text }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns a [`Reason`](crate::Reason) with a code, and with values in the `{}` of its message.
#[doc(hidden)]
#[macro_export]
macro_rules! reason {
    ($code:literal, $text:literal) => {
        $crate::Reason::new($code, [], $text)
    };
    ($code:literal, $text:literal, $($name:ident = $value:expr),+ $(,)?) => {{
        // A value may already have the name of the placeholder.
        $(#[allow(clippy::redundant_locals)] let $name = $value;)+
        $crate::Reason::new($code, [$((stringify!($name), $name.to_string())),+], format!($text, $($name = $name),+))
    }};
}
pub(crate) use reason;

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
    /// A separate allocation, so results with this error are small.
    details: Box<Details>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Details {
    /// The path of the faulty member of a JSON object, and the range of the fault in the letters of its text.
    member: Option<(String, Option<Range<usize>>)>,
    reason: Reason,
    /// The message, with the path.
    what: String,
}

impl QueryFault {
    /// Returns the fault that the bytes `at` of a query contain.
    pub fn new(query: &str, at: Range<usize>, reason: impl Into<Reason>) -> QueryFault {
        let reason = reason.into();
        let details = Details { member: None, what: reason.to_string(), reason };
        QueryFault { query: query.to_owned(), at, details: details.into() }
    }

    /// Returns a function for the faults of the parser of a query.
    pub(crate) fn within(query: &str) -> impl Fn(Fault) -> QueryFault {
        move |(at, reason)| QueryFault::new(query, at, reason)
    }

    /// Returns the fault with the path of the JSON member that contains it. If the member is a text, `within` is the range
    /// of the fault in its letters.
    pub(crate) fn in_member(self, path: String, within: Option<Range<usize>>) -> QueryFault {
        let reason = self.details.reason;
        let details = Details { what: format!("{path}: {reason}"), member: Some((path, within)), reason };
        QueryFault { details: details.into(), ..self }
    }

    /// Returns the fault of the word or of the sign at a column in bytes, from 1. The column after the last letter stands
    /// for the end.
    pub fn from_column(query: &str, column: usize, reason: impl Into<Reason>) -> QueryFault {
        QueryFault::new(query, word(query, column.saturating_sub(1)), reason)
    }

    /// Returns the fault of a FEN, or of a text that begins with one.
    pub fn from_fen(fen: &str, error: &FenError) -> QueryFault {
        let start = error.column.saturating_sub(1);
        let at = match error.field {
            // Each letter of the placement stands for itself.
            FenField::Placement => letter(fen, start),
            _ => word(fen, start),
        };
        QueryFault::new(fen, at, Reason::from_fen(fen, error))
    }

    /// Returns the range of the fault in the query, which is empty at the end of the query if something is missing.
    pub fn at(&self) -> Range<usize> {
        self.at.clone()
    }

    /// Returns the range of the fault in letters from 0. If the query is a JSON object, this is the range in the text of
    /// the faulty [`member`](QueryFault::member), or `None` if a name or another value is faulty.
    ///
    /// ```
    /// let fault = scoresheet_query::Filter::parse("é = 1 and whitelo > 2500").unwrap_err();
    /// assert_eq!(fault.letters(), Some(0..1));
    /// let fault = "{\"where\": \"elo > 2000 and whitelo > 2500\"}".parse::<scoresheet_query::Query>().unwrap_err();
    /// assert_eq!((fault.member(), fault.letters()), (Some("where"), Some(15..22)));
    /// ```
    pub fn letters(&self) -> Option<Range<usize>> {
        match &self.details.member {
            Some((_, within)) => within.clone(),
            None => Some(letters(&self.query, self.at())),
        }
    }

    /// Returns the column of the first faulty letter, from 1, in letters of its line.
    pub fn column(&self) -> usize {
        let before = self.query.get(..self.at.start).unwrap_or(&self.query);
        before.rsplit('\n').next().unwrap_or_default().chars().count() + 1
    }

    /// Returns a short description of the fault or of the expected text.
    pub fn what(&self) -> &str {
        &self.details.what
    }

    /// Returns the reason, which does not contain the path of a JSON member.
    pub fn reason(&self) -> &Reason {
        &self.details.reason
    }

    /// Returns the path of the faulty member if the query is a JSON object, as in `fen[1]`.
    pub fn member(&self) -> Option<&str> {
        self.details.member.as_ref().map(|(path, _)| path.as_str())
    }

    pub(crate) fn into_reason(self) -> Reason {
        self.details.reason
    }
}

/// Returns the range of the letter that begins at a byte of a text.
pub(crate) fn letter(text: &str, start: usize) -> Range<usize> {
    let start = start.min(text.len());
    let letter = text.get(start..).and_then(|rest| rest.chars().next());
    start..start + letter.map_or(0, char::len_utf8)
}

/// Returns the range of the letters and digits that begin at a byte of a text, or of the sign there.
pub(crate) fn word(text: &str, start: usize) -> Range<usize> {
    let first = letter(text, start);
    let rest = text.get(first.start..).unwrap_or_default();
    let length = rest.len() - rest.trim_start_matches(char::is_alphanumeric).len();
    first.start..first.end.max(first.start + length)
}

/// Returns the range of a byte of a text, and of the following letters that `is_wrong` holds for.
pub(crate) fn run(text: &str, start: usize, is_wrong: impl Fn(char) -> bool) -> Range<usize> {
    let first = letter(text, start);
    let rest = text.get(first.end..).unwrap_or_default();
    first.start..first.end + rest.len() - rest.trim_start_matches(is_wrong).len()
}

/// Returns a range of bytes in a text as a range of letters.
pub(crate) fn letters(text: &str, at: Range<usize>) -> Range<usize> {
    let count = |part: Option<&str>| part.unwrap_or_default().chars().count();
    let start = count(text.get(..at.start));
    start..start + count(text.get(at))
}

impl fmt::Display for QueryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.column();
        writeln!(f, "column {column}: {}", self.what())?;
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

//! Locates a value in a JSON text, for error messages.

use crate::fault::{QueryFault, Reason, letters};
use std::fmt;
use std::ops::Range;

/// The location of a value in a JSON text, given by the path to the value.
#[derive(Clone, Debug)]
pub struct JsonPath<'a> {
    text: &'a str,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    Field(String),
    Item(usize),
}

impl<'a> JsonPath<'a> {
    /// Returns the path to the entire text, which must be valid JSON.
    pub fn root(text: &'a str) -> JsonPath<'a> {
        JsonPath { text, steps: Vec::new() }
    }

    /// Returns whether the path refers to the entire text.
    pub fn is_root(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the path to a member of this object.
    pub fn field(&self, name: &str) -> JsonPath<'a> {
        self.step(Step::Field(name.to_owned()))
    }

    /// Returns the path to an element of this array, given its index from 0.
    pub fn item(&self, number: usize) -> JsonPath<'a> {
        self.step(Step::Item(number))
    }

    fn step(&self, step: Step) -> JsonPath<'a> {
        let mut steps = self.steps.clone();
        steps.push(step);
        JsonPath { text: self.text, steps }
    }

    /// Returns a fault in the value.
    pub fn fault(&self, what: impl Into<Reason>) -> QueryFault {
        self.fault_at(self.find().1, None, what)
    }

    /// Returns a fault in the name of the member.
    pub fn fault_of_name(&self, what: impl Into<Reason>) -> QueryFault {
        self.fault_at(self.find().0, None, what)
    }

    /// Returns a fault in a range of this string value, in bytes.
    pub fn fault_in(&self, at: Range<usize>, what: impl Into<Reason>) -> QueryFault {
        let Range { start, end } = self.find().1;
        let literal = self.text.get(start..end).unwrap_or_default();
        let within = letters(&self.decoded(), at.clone());
        self.fault_at(start + raw(literal, at.start)..start + raw(literal, at.end), Some(within), what)
    }

    /// Returns this string value.
    fn decoded(&self) -> String {
        let literal = self.text.get(self.find().1).unwrap_or_default();
        serde_json::from_str(literal).unwrap_or_default()
    }

    fn fault_at(&self, at: Range<usize>, within: Option<Range<usize>>, what: impl Into<Reason>) -> QueryFault {
        let end = self.text.len();
        let fault = QueryFault::new(self.text, at.start.min(end)..at.end.min(end), what);
        if self.is_root() { fault } else { fault.in_member(self.to_string(), within) }
    }

    /// Returns the range of the name, if the value is a member, and the range of the value.
    fn find(&self) -> (Range<usize>, Range<usize>) {
        let bytes = self.text.as_bytes();
        let start = blanks(bytes, 0);
        let mut found = (start..start, start..value(bytes, start));
        for step in &self.steps {
            // serde_json has parsed the text, so the value exists. If it did not, the location of the enclosing value
            // would be used.
            match child(self.text, found.1.start, step) {
                Some(next) => found = next,
                None => break,
            }
        }
        found
    }
}

impl fmt::Display for JsonPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.steps.iter().enumerate() {
            match step {
                Step::Field(name) if number == 0 => write!(f, "{name}")?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Item(number) => write!(f, "[{number}]")?,
            }
        }
        Ok(())
    }
}

/// Returns the ranges of a member or an element of the value at `at`. If several members have the same name, the last
/// one is used.
fn child(text: &str, at: usize, step: &Step) -> Option<(Range<usize>, Range<usize>)> {
    let bytes = text.as_bytes();
    let (mut next, mut number, mut found) = (blanks(bytes, at + 1), 0, None);
    while !matches!(bytes.get(next), None | Some(b'}' | b']')) {
        let mut name = next..next;
        if bytes.get(at) == Some(&b'{') {
            name.end = value(bytes, next);
            next = blanks(bytes, blanks(bytes, name.end) + 1);
        }
        let range = next..value(bytes, next);
        let is = match step {
            Step::Field(target) => {
                let name = text.get(name.clone()).and_then(|name| serde_json::from_str::<String>(name).ok());
                name.as_ref() == Some(target)
            }
            Step::Item(target) => number == *target,
        };
        if is {
            found = Some((name, range.clone()));
        }
        number += 1;
        next = blanks(bytes, range.end);
        if bytes.get(next) == Some(&b',') {
            next = blanks(bytes, next + 1);
        }
    }
    found
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Returns the end of the value that begins at `at`. The end is greater than `at`, except at the end of the text.
fn value(bytes: &[u8], at: usize) -> usize {
    let (mut next, mut depth) = (at, 0usize);
    loop {
        match bytes.get(next) {
            None => return next.max(bytes.len()),
            Some(b'"') => {
                next += 1;
                while !matches!(bytes.get(next), None | Some(b'"')) {
                    next += if bytes.get(next) == Some(&b'\\') { 2 } else { 1 };
                }
                next += 1;
            }
            Some(b'{' | b'[') => {
                depth += 1;
                next += 1;
            }
            Some(b'}' | b']') => {
                depth = depth.saturating_sub(1);
                next += 1;
            }
            Some(b',' | b':') => next += 1,
            Some(byte) if byte.is_ascii_whitespace() => next += 1,
            Some(_) => {
                let rest = bytes.get(next..).unwrap_or_default();
                next += rest.iter().take_while(|byte| !byte.is_ascii_whitespace() && !b",]}".contains(byte)).count();
            }
        }
        if depth == 0 {
            return next.min(bytes.len());
        }
    }
}

/// Returns the offset within a JSON string literal that corresponds to byte `at` of the decoded string.
fn raw(literal: &str, at: usize) -> usize {
    let bytes = literal.as_bytes();
    let (mut offset, mut read) = (1, 0);
    while read < at && offset < bytes.len() {
        let length = match (bytes.get(offset), bytes.get(offset + 1)) {
            (Some(b'"'), _) => break,
            (Some(b'\\'), Some(b'u')) => 6,
            (Some(b'\\'), _) => 2,
            _ => literal.get(offset..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8),
        };
        let letters = literal.get(offset..offset + length).unwrap_or_default();
        // Half of a surrogate pair cannot be decoded. It is counted as two of the four bytes of the pair.
        let decoded = serde_json::from_str::<String>(&format!("\"{letters}\""));
        read += decoded.map_or(2, |text| text.len());
        offset += length;
    }
    offset.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found() {
        let text = " { \"a\" : [1, {\"b\\u0063\": \"x\\n\\u00e9\u{e9}z\"}, [[]] ], \"a,\": {}, \"d\":true }";
        let path = JsonPath::root(text);
        let at = |path: &JsonPath| &text[path.find().1];
        assert_eq!(at(&path), text.trim());
        assert_eq!(at(&path.field("a").item(0)), "1");
        assert_eq!(at(&path.field("a").item(2).item(0)), "[]");
        assert_eq!(at(&path.field("a,")), "{}");
        assert_eq!(at(&path.field("d")), "true");
        let text_of = path.field("a").item(1).field("bc");
        assert_eq!(text_of.to_string(), "a[1].bc");
        // x, a line feed, and two letters of two bytes each: z is the seventh byte.
        let fault = text_of.fault_in(6..7, "no");
        assert_eq!((&text[fault.at()], fault.what()), ("z", "a[1].bc: no"));
        assert_eq!(fault.letters(), Some(4..5));
        let fault = text_of.fault_in(1..6, "no");
        assert_eq!((&text[fault.at()], fault.letters()), ("\\n\\u00e9\u{e9}", Some(1..4)));
        assert_eq!(text_of.fault("no").letters(), None);
        assert_eq!(&text[path.field("d").find().0], "\"d\"");
    }

    #[test]
    fn whatever_the_text_is_there_is_an_end() {
        for text in ["", "\"", "\"\\", "{", "{\"a\"", "[1,", "}", "]]", ",", ":", "{:,}", "{\"a\":}"] {
            let path = JsonPath::root(text).field("a").item(0);
            let fault = path.fault_in(8..9, "no");
            assert!(fault.at().end <= text.len(), "{text}");
        }
    }
}

//! Texts as templates and fields: `[%clk 0:03:00]` is the template `[%clk c]` and a number (FORMAT.md, "Texts blocks").
//!
//! In a template a zero byte and a letter stand for a field. A field belongs to the stream of its letter and of the
//! literal before it, so that like values stand together when they are compressed. A text without any structure is a
//! template of one text field.

use super::digits;
use crate::format::coder::numbers::NumberKind;
use std::io::Write;

/// The most bytes of a number's text: a sign, twenty digits, colons and tenths.
pub(crate) const LONGEST: usize = 32;

/// How a field is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TemplateField {
    /// Any text without a zero byte.
    Text = b't',
    /// `h:mm:ss`, a clock.
    Clock = b'c',
    /// `hh:mm:ss`, a clock.
    Clock2 = b'C',
    /// `h:mm:ss` or `h:mm:ss.t` where the tenths are not zero, a clock.
    ClockTenths = b'd',
    /// `h:mm:ss`, a time used.
    Time = b'm',
    /// `hh:mm:ss`, a time used.
    Time2 = b'M',
    /// `h:mm:ss` or `h:mm:ss.t`, a time used.
    TimeTenths = b'n',
    /// Hundredths with one decimal at least and no superfluous zero.
    Eval = b'e',
    /// Hundredths with two decimals.
    EvalFixed = b'E',
    /// A whole number, perhaps negative.
    Integer = b'i',
}

impl TemplateField {
    /// Returns the field with that letter.
    pub fn from_letter(letter: u8) -> Option<TemplateField> {
        use TemplateField::*;
        [Text, Clock, Clock2, ClockTenths, Time, Time2, TimeTenths, Eval, EvalFixed, Integer]
            .into_iter()
            .find(|field| *field as u8 == letter)
    }

    /// Returns the number of a text; `None` unless `render` gives the text back.
    fn parse(self, text: &[u8]) -> Option<i64> {
        match self {
            TemplateField::Text => None,
            TemplateField::Clock | TemplateField::Time => seconds(text, 1),
            TemplateField::Clock2 | TemplateField::Time2 => seconds(text, 2),
            TemplateField::ClockTenths | TemplateField::TimeTenths => match text {
                [whole @ .., b'.', tenth @ b'1'..=b'9'] => Some(seconds(whole, 1)? * 10 + i64::from(tenth - b'0')),
                whole => Some(seconds(whole, 1)? * 10),
            },
            TemplateField::Eval => signed(text, |digits| match digits {
                [whole @ .., b'.', tenth] => Some(number(whole, 1)? * 100 + number(&[*tenth], 1)? * 10),
                [.., b'0'] => None,
                _ => hundredths(digits),
            }),
            TemplateField::EvalFixed => signed(text, hundredths),
            TemplateField::Integer => signed(text, |digits| number(digits, 1)),
        }
    }

    /// Writes the text of a number.
    fn render(self, value: i64, out: &mut impl Write) {
        let size = value.unsigned_abs();
        // Neither a `Vec` nor room for the longest fails.
        let put = |bytes: &[u8], out: &mut _| drop(Write::write_all(out, bytes));
        if value < 0 {
            put(b"-", out);
        }
        match self {
            TemplateField::Text => {}
            TemplateField::Integer => digits::push(size, 1, out),
            TemplateField::Eval | TemplateField::EvalFixed => {
                digits::push(size / 100, 1, out);
                put(b".", out);
                match size % 100 {
                    hundredths if self == TemplateField::Eval && hundredths % 10 == 0 => {
                        digits::push(hundredths / 10, 1, out)
                    }
                    hundredths => digits::push(hundredths, 2, out),
                }
            }
            _ => {
                let tenths = matches!(self, TemplateField::ClockTenths | TemplateField::TimeTenths);
                let seconds = if tenths { size / 10 } else { size };
                let hours = if matches!(self, TemplateField::Clock2 | TemplateField::Time2) { 2 } else { 1 };
                digits::push(seconds / 3600, hours, out);
                put(b":", out);
                digits::push(seconds / 60 % 60, 2, out);
                put(b":", out);
                digits::push(seconds % 60, 2, out);
                if tenths && !size.is_multiple_of(10) {
                    put(&[b'.', b'0' + (size % 10) as u8], out);
                }
            }
        }
    }

    /// What its numbers are.
    pub(crate) fn kind(self) -> NumberKind {
        match self {
            TemplateField::Clock | TemplateField::Clock2 | TemplateField::ClockTenths => NumberKind::Clock,
            TemplateField::Time | TemplateField::Time2 | TemplateField::TimeTenths => NumberKind::Time,
            TemplateField::Eval | TemplateField::EvalFixed => NumberKind::Evaluation,
            TemplateField::Text | TemplateField::Integer => NumberKind::Plain,
        }
    }
}

/// Returns the seconds of `h:mm:ss`, with so many digits of hours at least.
fn seconds(text: &[u8], width: usize) -> Option<i64> {
    let [hours @ .., b':', m0, m1, b':', s0, s1] = text else { return None };
    let part = |tens: &u8, ones: &u8| {
        matches!((tens, ones), (b'0'..b'6', b'0'..=b'9')).then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
    };
    Some(number(hours, width).filter(|hours| *hours < 1 << 20)? * 3600 + part(m0, m1)? * 60 + part(s0, s1)?)
}

/// Returns the hundredths of a number with two decimals.
fn hundredths(digits: &[u8]) -> Option<i64> {
    let [whole @ .., b'.', tenth, hundredth] = digits else { return None };
    Some(number(whole, 1)? * 100 + number(&[*tenth, *hundredth], 2)?)
}

/// Returns the number that digits, perhaps after a sign, are; nothing has no sign.
fn signed(text: &[u8], of_digits: impl Fn(&[u8]) -> Option<i64>) -> Option<i64> {
    match text {
        [b'-', digits @ ..] => of_digits(digits).filter(|number| *number != 0).map(|number| -number),
        digits => of_digits(digits),
    }
}

/// Returns the number that these digits are: so many at least, and no zero before more than that.
fn number(digits: &[u8], width: usize) -> Option<i64> {
    let fits = digits.len() == width || digits.len() > width && digits.first() != Some(&b'0');
    digits::parse(digits).filter(|_| fits).map(u64::cast_signed)
}

/// Appends a value as text.
pub fn render(field: TemplateField, value: i64, out: &mut Vec<u8>) {
    field.render(value, out);
}

/// A field's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldValue<'a> {
    /// Of a text field.
    Text(&'a [u8]),
    /// Of any other.
    Number(i64),
}

/// What a text is taken apart into.
pub trait Parts<'a> {
    /// Takes bytes of the template.
    fn literal(&mut self, text: &[u8]);
    /// Takes a text field.
    fn text(&mut self, text: &'a [u8]);
    /// Takes a field of the first of these kinds that has such a value, or else a text field.
    fn field(&mut self, fields: &[TemplateField], text: &'a [u8]);

    /// Takes what stands between commands: blanks are part of the template, anything else is a text field.
    fn between(&mut self, text: &'a [u8]) {
        let blanks = text.iter().take_while(|byte| **byte == b' ').count();
        let (blanks, rest) = text.split_at(blanks);
        self.literal(blanks);
        if !rest.is_empty() {
            self.text(rest);
        }
    }
}

/// Takes note whether a text has any structure: whether it is more than one text field.
#[derive(Default, Debug)]
pub struct Structure {
    /// Whether it has.
    pub any: bool,
}

impl<'a> Parts<'a> for Structure {
    fn literal(&mut self, text: &[u8]) {
        self.any |= !text.is_empty();
    }

    // All that is more than one text field has a literal.
    fn text(&mut self, _: &'a [u8]) {}

    fn field(&mut self, _: &[TemplateField], _: &'a [u8]) {}
}

/// A text taken apart.
#[derive(Default, Debug)]
pub struct ParsedText<'a> {
    /// The template.
    pub template: Vec<u8>,
    /// The values of its fields, in order.
    pub values: Vec<FieldValue<'a>>,
}

impl<'a> ParsedText<'a> {
    /// Makes it a text without structure.
    pub fn be_whole(&mut self, text: &'a [u8]) {
        self.template.clear();
        self.values.clear();
        self.text(text);
    }

    /// Takes a text apart.
    pub fn parse(&mut self, text: &'a [u8], tenths: &mut bool) {
        self.template.clear();
        self.values.clear();
        parse(text, tenths, self);
        if self.template.is_empty() {
            self.text(text);
        }
    }
}

impl<'a> Parts<'a> for ParsedText<'a> {
    fn literal(&mut self, text: &[u8]) {
        self.template.extend_from_slice(text);
    }

    fn text(&mut self, text: &'a [u8]) {
        self.template.extend_from_slice(&[0, TemplateField::Text as u8]);
        self.values.push(FieldValue::Text(text));
    }

    fn field(&mut self, fields: &[TemplateField], text: &'a [u8]) {
        match fields.iter().find_map(|field| Some((*field, field.parse(text)?))) {
            Some((field, value)) => {
                self.template.extend_from_slice(&[0, field as u8]);
                self.values.push(FieldValue::Number(value));
            }
            None => self.text(text),
        }
    }
}

/// Takes a text apart: commands such as `[%clk 0:03:00]`, lists of `key=value`, and evaluations such as `+0.31/20
/// 5.6s`.
///
/// `tenths` says whether clocks without tenths are of a kind that has them elsewhere; it is set when one is seen.
pub fn parse<'a>(text: &'a [u8], tenths: &mut bool, parsed: &mut impl Parts<'a>) {
    if command(text).is_some() {
        commands(text, tenths, parsed);
    } else if let [b'+' | b'-' | b'0'..=b'9', ..] = text
        && let Some((evaluation, rest)) = split(text, b'/').filter(|(evaluation, _)| evaluation.len() < 12)
    {
        parsed.text(evaluation);
        parsed.literal(b"/");
        let (depth, after) = rest.split_at(memchr::memchr(b' ', rest).unwrap_or(rest.len()));
        parsed.text(depth);
        parsed.between(after);
    } else if memchr::memchr_iter(b'=', text).take(2).count() == 2 {
        pairs(text, parsed);
    }
}

/// Returns where the first command begins.
#[inline]
fn command(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += find(text.get(at..)?, b'[')? + 1;
        if text.get(at) == Some(&b'%') {
            return Some(at - 1);
        }
    }
}

/// Returns where a byte first is: nearly always among the first few, which take less than a call.
#[inline]
fn find(text: &[u8], byte: u8) -> Option<usize> {
    let (near, far) = text.split_at(text.len().min(16));
    let near_by = near.iter().position(|other| *other == byte);
    near_by.or_else(|| memchr::memchr(byte, far).map(|at| near.len() + at))
}

/// Splits a text at the first such byte, which neither part has; `None` where there is none.
fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let (before, after) = text.split_at(find(text, at)?);
    Some((before, after.get(1..)?))
}

fn commands<'a>(text: &'a [u8], tenths: &mut bool, parsed: &mut impl Parts<'a>) {
    let mut rest = text;
    while let Some(start) = command(rest) {
        let (before, command) = rest.split_at(start);
        let Some((command, after)) = split(command, b']') else { break };
        let Some((head, value)) = split(command, b' ').filter(|(head, _)| head.len() < 16) else { break };
        parsed.between(before);
        let name = head.strip_prefix(b"[%").unwrap_or(head);
        let timed = matches!(name, b"clk" | b"clkc" | b"emt");
        *tenths |= timed && matches!(value, [.., b'.', _]) && TemplateField::TimeTenths.parse(value).is_some();
        let mate = value.strip_prefix(b"#").filter(|_| name == b"eval");
        parsed.literal(head);
        parsed.literal(if mate.is_some() { b" #" } else { b" " });
        match name {
            b"clk" | b"clkc" if *tenths => parsed.field(&[TemplateField::ClockTenths], value),
            b"clk" | b"clkc" => parsed.field(&[TemplateField::Clock, TemplateField::Clock2], value),
            b"emt" if *tenths => parsed.field(&[TemplateField::TimeTenths], value),
            b"emt" => parsed.field(&[TemplateField::Time, TemplateField::Time2], value),
            b"eval" => match mate {
                Some(moves) => parsed.field(&[TemplateField::Integer], moves),
                None => parsed.field(&[TemplateField::Eval, TemplateField::EvalFixed], value),
            },
            _ => parsed.text(value),
        }
        parsed.literal(b"]");
        rest = after;
    }
    if rest.len() < text.len() {
        parsed.between(rest);
    }
}

/// `d=27, sd=40, pv=Nf3 d5, wv=0.12,`: the keys are the template's, the values fields.
fn pairs<'a>(text: &'a [u8], parsed: &mut impl Parts<'a>) {
    for (number, part) in text.split(|byte| *byte == b',').enumerate() {
        if number > 0 {
            parsed.literal(b",");
        }
        match split(part, b'=').filter(|(key, _)| key.len() < 24) {
            Some((key, value)) => {
                parsed.literal(key);
                parsed.literal(b"=");
                parsed.text(value);
            }
            None => parsed.between(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TemplateField::*;
    use proptest::prelude::*;

    fn rendered(field: TemplateField, value: i64) -> Vec<u8> {
        let mut text = Vec::new();
        field.render(value, &mut text);
        text
    }

    proptest! {
        #[test]
        fn a_text_is_read_if_it_is_what_is_written(text in "-?[0-9]{1,3}(:[0-9]{2}:[0-9]{2})?([.][0-9]{0,3})?") {
            for field in [Clock, Clock2, ClockTenths, Time, Time2, TimeTenths, Eval, EvalFixed, Integer] {
                if let Some(value) = field.parse(text.as_bytes()) {
                    prop_assert_eq!(rendered(field, value), text.as_bytes(), "{:?}", field);
                }
            }
        }

        #[test]
        fn what_is_written_is_read(value in 0..1i64 << 36, shift in 0..36) {
            let value: i64 = value >> shift;
            for field in [Clock, Clock2, Time, Time2] {
                prop_assert_eq!(field.parse(&rendered(field, value % (3600 << 20))), Some(value % (3600 << 20)));
            }
            for field in [ClockTenths, TimeTenths, Eval, EvalFixed, Integer] {
                prop_assert_eq!(field.parse(&rendered(field, value % (36_000 << 20))), Some(value % (36_000 << 20)));
            }
            for field in [Eval, EvalFixed, Integer] {
                prop_assert_eq!(field.parse(&rendered(field, -value)), Some(-value));
            }
        }
    }

    #[test]
    fn texts_that_would_not_come_back() {
        for (field, texts) in [
            (Clock, ["00:00:01", "01:00:00", "1:60:00", "1:00:60", "1:0:00", ":00:00", "1048576:00:00"].as_slice()),
            (Clock2, &["1:00:00", "001:00:00"]),
            (ClockTenths, &["0:00:01.0", "0:00:01.", "0:00:01.23", "00:00:01.2"]),
            (Eval, &["-0.0", "0", "0.", ".5", "00.5", "0.50", "1.234", "+0.5", "--1.0"]),
            (EvalFixed, &["0.5", "-0.00", "01.00"]),
            (Integer, &["", "-", "-0", "01", "+1", "1234567890123456"]),
        ] {
            for text in texts {
                assert_eq!(field.parse(text.as_bytes()), None, "{field:?} {text}");
            }
        }
    }
}

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
        let value = match self {
            TemplateField::Text => return None,
            TemplateField::Clock | TemplateField::Clock2 | TemplateField::Time | TemplateField::Time2 => seconds(text)?,
            TemplateField::ClockTenths | TemplateField::TimeTenths => match text {
                [whole @ .., b'.', tenth @ b'0'..=b'9'] => seconds(whole)? * 10 + i64::from(tenth - b'0'),
                whole => seconds(whole)? * 10,
            },
            TemplateField::Eval | TemplateField::EvalFixed => {
                let (sign, digits) = match text {
                    [b'-', digits @ ..] => (-1, digits),
                    digits => (1, digits),
                };
                let (whole, decimals) = digits.split_at(memchr::memchr(b'.', digits)?);
                let hundredths = match decimals {
                    [b'.', tenth] => number(&[*tenth])? * 10,
                    [b'.', tenth, hundredth] => number(&[*tenth, *hundredth])?,
                    _ => return None,
                };
                sign * (number(whole)? * 100 + hundredths)
            }
            TemplateField::Integer => match text {
                [b'-', digits @ ..] => -number(digits)?,
                digits => number(digits)?,
            },
        };
        let mut back = [0; LONGEST];
        let mut room = back.as_mut_slice();
        self.render(value, &mut room);
        let length = LONGEST - room.len();
        (back.get(..length) == Some(text)).then_some(value)
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

fn seconds(text: &[u8]) -> Option<i64> {
    let [hours @ .., b':', m0, m1, b':', s0, s1] = text else { return None };
    let part = |a, b| number(&[a, b]).filter(|part| *part < 60);
    Some(number(hours).filter(|hours| *hours < 1 << 20)? * 3600 + part(*m0, *m1)? * 60 + part(*s0, *s1)?)
}

fn number(digits: &[u8]) -> Option<i64> {
    digits::parse(digits).and_then(|number| i64::try_from(number).ok())
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
fn command(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'[', text).find(|at| text.get(at + 1) == Some(&b'%'))
}

/// Splits a text at the first such byte, which neither part has; `None` where there is none.
fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let (before, after) = text.split_at(memchr::memchr(at, text)?);
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
        *tenths |= timed && memchr::memchr(b'.', value).is_some() && TemplateField::TimeTenths.parse(value).is_some();
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

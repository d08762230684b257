//! Represents texts as templates and fields: `[%clk 0:03:00]` is the template `[%clk c]` and a number (FORMAT.md,
//! "Texts blocks").
//!
//! In a template, a zero byte and a letter represent a field. The letter and the literal before the field determine the
//! field's stream, so similar values are adjacent when they are compressed. A text without structure is a template with
//! a single text field.

use super::digits;
use crate::format::coder::numbers::NumberKind;
use crate::format::lines::{Line, LineField, Scene, read_line};
use std::io::Write;

/// The maximum length of a number as text: a sign, 20 digits, colons and tenths.
pub(crate) const LONGEST: usize = 32;

/// When to write a plus sign before a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlusSign {
    /// No plus sign.
    Never,
    /// Write a plus sign for values above 0.
    Positive,
    /// Write a plus sign for values of 0 and above.
    Always,
}

/// The type and notation of a field in a template.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TemplateField {
    /// Any text that contains no zero byte.
    Text,
    /// `h:mm:ss`, a clock.
    Clock,
    /// `hh:mm:ss`, a clock.
    Clock2,
    /// A clock, `h:mm:ss`, or `h:mm:ss.t` with nonzero tenths.
    ClockTenths,
    /// `h:mm:ss`, a time used.
    Time,
    /// `hh:mm:ss`, a time used.
    Time2,
    /// A time used, `h:mm:ss` or `h:mm:ss.t`.
    TimeTenths,
    /// Hundredths, written with at least one decimal and without superfluous zeros.
    Eval,
    /// A number with a fixed number of decimals.
    Decimal(u8, PlusSign),
    /// A line of moves.
    Line(LineField),
}

/// The template letters of numbers, by plus sign and number of decimals.
const DECIMALS: [(PlusSign, &[u8]); 3] =
    [(PlusSign::Never, b"i1E3456"), (PlusSign::Positive, b"PQRS"), (PlusSign::Always, b"pqrs")];

impl TemplateField {
    /// Hundredths with two decimals.
    pub const HUNDREDTHS: TemplateField = TemplateField::Decimal(2, PlusSign::Never);

    /// Returns the field for a letter of a template.
    pub fn from_letter(letter: u8) -> Option<TemplateField> {
        use TemplateField::*;
        if let Some(field) = [Text, Clock, Clock2, ClockTenths, Time, Time2, TimeTenths, Eval]
            .into_iter()
            .find(|field| field.letter() == letter)
        {
            return Some(field);
        }
        let decimal = DECIMALS.into_iter().find_map(|(plus, letters)| {
            let decimals = letters.iter().position(|known| *known == letter)?;
            Some(Decimal(decimals as u8, plus))
        });
        decimal.or_else(|| LineField::from_letter(letter).map(Line))
    }

    /// Returns the template letter of the field.
    pub fn letter(self) -> u8 {
        match self {
            TemplateField::Text => b't',
            TemplateField::Clock => b'c',
            TemplateField::Clock2 => b'C',
            TemplateField::ClockTenths => b'd',
            TemplateField::Time => b'm',
            TemplateField::Time2 => b'M',
            TemplateField::TimeTenths => b'n',
            TemplateField::Eval => b'e',
            TemplateField::Decimal(decimals, plus) => {
                let letters = DECIMALS.into_iter().find(|(known, _)| *known == plus).map_or(&b""[..], |found| found.1);
                letters.get(usize::from(decimals)).copied().unwrap_or(b'i')
            }
            TemplateField::Line(line) => line.letter(),
        }
    }

    /// Returns the number that a text represents, or `None` if `render` does not reproduce the text.
    fn parse(self, text: &[u8]) -> Option<i64> {
        match self {
            TemplateField::Text | TemplateField::Line(_) => None,
            TemplateField::Clock | TemplateField::Time => seconds(text, 1),
            TemplateField::Clock2 | TemplateField::Time2 => seconds(text, 2),
            TemplateField::ClockTenths | TemplateField::TimeTenths => match text {
                [integer @ .., b'.', tenth @ b'1'..=b'9'] => Some(seconds(integer, 1)? * 10 + i64::from(tenth - b'0')),
                integer => Some(seconds(integer, 1)? * 10),
            },
            TemplateField::Eval => signed(text, |digits| match digits {
                [integer @ .., b'.', tenth] => Some(number(integer, 1)? * 100 + number(&[*tenth], 1)? * 10),
                [.., b'0'] => None,
                _ => decimal(digits, 2),
            }),
            TemplateField::Decimal(decimals, plus) => match text {
                [b'+', digits @ ..] => decimal(digits, decimals).filter(|number| match plus {
                    PlusSign::Never => false,
                    PlusSign::Positive => *number > 0,
                    PlusSign::Always => true,
                }),
                text => signed(text, |digits| decimal(digits, decimals)).filter(|number| match plus {
                    PlusSign::Never => true,
                    PlusSign::Positive => *number <= 0,
                    PlusSign::Always => *number < 0,
                }),
            },
        }
    }

    /// Writes a number as text.
    fn render(self, value: i64, out: &mut impl Write) {
        let size = value.unsigned_abs();
        // Writing to a `Vec` cannot fail, nor can writing to a buffer of `LONGEST` bytes.
        let put = |bytes: &[u8], out: &mut _| drop(Write::write_all(out, bytes));
        if value < 0 {
            put(b"-", out);
        }
        match self {
            TemplateField::Text | TemplateField::Line(_) => {}
            TemplateField::Decimal(decimals, plus) => {
                if plus == PlusSign::Always && value >= 0 || plus == PlusSign::Positive && value > 0 {
                    put(b"+", out);
                }
                let unit = 10u64.pow(u32::from(decimals.min(9)));
                digits::push(size / unit, 1, out);
                if decimals > 0 {
                    put(b".", out);
                    digits::push(size % unit, usize::from(decimals), out);
                }
            }
            TemplateField::Eval => {
                digits::push(size / 100, 1, out);
                put(b".", out);
                match size % 100 {
                    hundredths if hundredths % 10 == 0 => digits::push(hundredths / 10, 1, out),
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

    /// Returns the kind of the field's numbers, for streams without a prediction.
    pub(crate) fn kind(self) -> NumberKind {
        match self {
            TemplateField::Clock | TemplateField::Clock2 | TemplateField::ClockTenths => NumberKind::Clock,
            TemplateField::Time | TemplateField::Time2 | TemplateField::TimeTenths => NumberKind::Time,
            TemplateField::Eval | TemplateField::Decimal(2, _) => NumberKind::Evaluation,
            TemplateField::Text | TemplateField::Decimal(..) | TemplateField::Line(_) => NumberKind::Plain,
        }
    }
}

/// Returns the number of seconds in a text `h:mm:ss` whose hours have at least `width` digits.
fn seconds(text: &[u8], width: usize) -> Option<i64> {
    let [hours @ .., b':', m0, m1, b':', s0, s1] = text else { return None };
    let part = |tens: &u8, ones: &u8| {
        matches!((tens, ones), (b'0'..b'6', b'0'..=b'9')).then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
    };
    Some(number(hours, width).filter(|hours| *hours < 1 << 20)? * 3600 + part(m0, m1)? * 60 + part(s0, s1)?)
}

/// Returns a number with this many decimals, as a multiple of the last decimal's unit.
fn decimal(digits: &[u8], decimals: u8) -> Option<i64> {
    if decimals == 0 {
        return number(digits, 1);
    }
    let (integer, fraction) = digits.split_at_checked(digits.len().checked_sub(usize::from(decimals) + 1)?)?;
    let [b'.', fraction @ ..] = fraction else { return None };
    let unit = 10i64.pow(u32::from(decimals.min(9)));
    let fraction = digits::parse(fraction)?.cast_signed();
    number(integer, 1)?.checked_mul(unit)?.checked_add(fraction)
}

/// Reads a number with an optional minus sign. Zero must be written without a sign.
fn signed(text: &[u8], of_digits: impl Fn(&[u8]) -> Option<i64>) -> Option<i64> {
    match text {
        [b'-', digits @ ..] => of_digits(digits).filter(|number| *number != 0).map(|number| -number),
        digits => of_digits(digits),
    }
}

/// Returns the number that a text of digits represents. The text must have at least `width` digits, and no leading
/// zeros beyond this width.
fn number(digits: &[u8], width: usize) -> Option<i64> {
    let fits = digits.len() == width || digits.len() > width && digits.first() != Some(&b'0');
    digits::parse(digits).filter(|_| fits).map(u64::cast_signed)
}

/// Appends a value as text.
pub fn render(field: TemplateField, value: i64, out: &mut Vec<u8>) {
    field.render(value, out);
}

/// The value of a field in a parsed text.
#[derive(Debug)]
pub enum FieldValue<'a> {
    /// The value of a text field.
    Text(&'a [u8]),
    /// The value of a line.
    Line(LineField, Line),
    /// The value of a field of any other type.
    Number(i64),
}

/// The notation of recent fields, learned from previous texts.
#[derive(Clone, Debug, Default)]
pub struct Habits {
    /// Whether a clock without tenths belongs to a kind of clock that has tenths in other texts.
    tenths: bool,
    /// Whether an evaluation with two decimals belongs to a kind of evaluation that always has two, as `0.50`.
    hundredths: bool,
    /// For each literal, the latest notation of the field after it.
    fields: Vec<(Literal, TemplateField)>,
    /// The index after the most recent match. The next field of a text usually matches the entry at this index.
    at: usize,
}

impl Habits {
    /// Returns the index of an entry for this literal whose field is suitable.
    #[expect(clippy::indexing_slicing, reason = "indices are below the length")]
    fn find(&mut self, literal: &[u8], fits: impl Fn(TemplateField) -> bool) -> Option<usize> {
        let (count, first) = (self.fields.len(), Literal::first(literal));
        let mut indices = (self.at..count).chain(0..self.at.min(count));
        let found = indices.find(|at| self.fields[*at].0.is(first, literal) && fits(self.fields[*at].1))?;
        self.at = found + 1;
        Some(found)
    }

    /// Records the notation of a field. `at` is the index of the field's entry, if there is one.
    fn learn(&mut self, at: Option<usize>, literal: &[u8], field: TemplateField) {
        if let Some(at) = at {
            if let Some((_, known)) = self.fields.get_mut(at) {
                *known = field;
            }
        } else if self.fields.len() < 256 {
            self.fields.push((Literal { first: Literal::first(literal), bytes: literal.to_vec() }, field));
            self.at = self.fields.len();
        }
    }
}

/// A literal of a template. Nearly all literals differ in their first bytes, whose comparison takes less time than a
/// call of `memcmp`.
#[derive(Clone, Debug)]
struct Literal {
    first: u64,
    bytes: Vec<u8>,
}

impl Literal {
    /// Returns the first eight bytes of a literal, padded with zeros.
    #[inline]
    fn first(literal: &[u8]) -> u64 {
        match literal.first_chunk() {
            Some(first) => u64::from_le_bytes(*first),
            None => literal.iter().rev().fold(0, |first, byte| first << 8 | u64::from(*byte)),
        }
    }

    /// Returns whether this is a literal that begins with `first`.
    #[inline]
    fn is(&self, first: u64, literal: &[u8]) -> bool {
        self.first == first
            && self.bytes.len() == literal.len()
            && (literal.len() <= size_of_val(&first) || self.bytes == literal)
    }
}

/// A receiver of the parts of a text.
pub trait Parts<'a> {
    /// Receives literal bytes of the template.
    fn literal(&mut self, text: &[u8]);
    /// Receives a text field.
    fn text(&mut self, text: &'a [u8]);
    /// Receives the text of a field, which is stored in the first of `fields` that can represent it, or as a value if
    /// none can.
    fn field(&mut self, fields: &[TemplateField], text: &'a [u8], habits: &mut Habits);
    /// Receives a text that consists of numbers, which `numbers` has found.
    fn numbers(&mut self, text: &'a [u8], found: &Numbers, habits: &mut Habits);
    /// Receives a text that may be a line of moves. If it is not one, it becomes a text field.
    fn line(&mut self, text: &'a [u8], habits: &mut Habits);
    /// Returns whether no further part can change the receiver.
    fn is_complete(&self) -> bool {
        false
    }

    /// Receives a value, which may be numbers, a line or any other text.
    fn value(&mut self, text: &'a [u8], habits: &mut Habits) {
        if let Some(found) = numbers(text, TAIL) {
            self.numbers(text, &found, habits);
        } else if may_be_line(text) {
            self.line(text, habits);
        } else {
            self.text(text);
        }
    }

    /// Receives a text between two commands. Blanks become part of the template, and any other text is a value.
    fn between(&mut self, text: &'a [u8], habits: &mut Habits) {
        let blanks = text.iter().take_while(|byte| **byte == b' ').count();
        let (blanks, rest) = text.split_at(blanks);
        self.literal(blanks);
        if rest.is_empty() {
            return;
        }
        if let Some(found) = numbers(rest, SUFFIX) {
            self.numbers(rest, &found, habits);
        } else if let [b'(', inner @ ..] = rest
            && let Some((line, after)) = split(inner, b')').filter(|(line, _)| may_be_line(line))
        {
            self.literal(b"(");
            self.line(line, habits);
            self.literal(b")");
            self.between(after, habits);
        } else if let Some((first, after)) = find(rest, b'(').and_then(|at| rest.split_at_checked(at))
            && let Some(found) = numbers(first, SUFFIX)
        {
            self.numbers(first, &found, habits);
            self.between(after, habits);
        } else if let Some((first, after)) = split(rest, b',')
            && let Some(found) = numbers(first, SUFFIX)
        {
            self.numbers(first, &found, habits);
            self.literal(b",");
            self.between(after, habits);
        } else {
            self.text(rest);
        }
    }
}

/// Detects whether a text is structured, that is, whether it is more than a single text field.
#[derive(Default, Debug)]
pub struct Structure {
    /// Whether the text is structured.
    pub any: bool,
    /// Whether the text, or an earlier one with this value, may contain a line of moves.
    pub lines: bool,
}

impl<'a> Parts<'a> for Structure {
    fn literal(&mut self, text: &[u8]) {
        self.any |= !text.is_empty();
    }

    // A text without any literal is a single text field or a single number.
    fn text(&mut self, _: &'a [u8]) {}

    fn field(&mut self, _: &[TemplateField], _: &'a [u8], _: &mut Habits) {}

    fn numbers(&mut self, _: &'a [u8], _: &Numbers, _: &mut Habits) {
        self.any = true;
    }

    fn line(&mut self, _: &'a [u8], _: &mut Habits) {
        self.lines = true;
    }

    fn is_complete(&self) -> bool {
        self.any && self.lines
    }
}

/// A parsed text.
#[derive(Default, Debug)]
pub struct ParsedText<'a> {
    /// The template.
    pub template: Vec<u8>,
    /// The values of the fields in the text, in order.
    pub values: Vec<FieldValue<'a>>,
    /// The end of the last field, as an offset in the template.
    field_end: usize,
    /// The place of the comment.
    scene: Option<Scene>,
}

impl<'a> ParsedText<'a> {
    /// Sets the text to an unstructured text, which is a single text field.
    pub fn set_text(&mut self, text: &'a [u8]) {
        self.clear();
        self.text(text);
    }

    /// Parses a text. Lines of moves are recognized only if `scene` is given.
    pub fn parse(&mut self, text: &'a [u8], habits: &mut Habits, scene: Option<Scene>) {
        self.clear();
        self.scene = scene;
        habits.at = 0;
        parse(text, habits, self);
        if self.template.is_empty() {
            self.text(text);
        }
    }

    fn clear(&mut self) {
        self.template.clear();
        self.values.clear();
        self.field_end = 0;
    }

    fn push(&mut self, field: TemplateField, value: FieldValue<'a>) {
        self.template.extend_from_slice(&[0, field.letter()]);
        self.field_end = self.template.len();
        self.values.push(value);
    }

    /// Returns the lines of moves, each with its field.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (LineField, &Line)> {
        self.values.iter().filter_map(|value| match value {
            FieldValue::Line(field, line) => Some((*field, line)),
            _ => None,
        })
    }

    /// Returns the place of the comment.
    pub(crate) fn scene(&self) -> Option<&Scene> {
        self.scene.as_ref()
    }

    /// Returns the literal after the last field of the template.
    fn before(&self) -> &[u8] {
        self.template.get(self.field_end..).unwrap_or_default()
    }
}

impl<'a> Parts<'a> for ParsedText<'a> {
    fn literal(&mut self, text: &[u8]) {
        self.template.extend_from_slice(text);
    }

    fn text(&mut self, text: &'a [u8]) {
        self.push(TemplateField::Text, FieldValue::Text(text));
    }

    fn field(&mut self, fields: &[TemplateField], text: &'a [u8], habits: &mut Habits) {
        match fields.iter().find_map(|field| Some((*field, field.parse(text)?))) {
            Some((field, value)) => self.push(field, FieldValue::Number(value)),
            None => self.value(text, habits),
        }
    }

    fn numbers(&mut self, text: &'a [u8], found: &Numbers, habits: &mut Habits) {
        let mut end = 0;
        for span in found.spans.iter().take(found.count) {
            let start = span.start as usize;
            self.literal(text.get(end..start).unwrap_or_default());
            end = start + usize::from(span.length);
            let digits = text.get(start..end).unwrap_or_default();
            if span.is_time {
                let times = [TemplateField::Time, TemplateField::Time2, TemplateField::TimeTenths];
                match times.into_iter().find_map(|field| Some((field, field.parse(digits)?))) {
                    Some((field, value)) => self.push(field, FieldValue::Number(value)),
                    None => self.text(digits),
                }
                continue;
            }
            let decimals = span.decimals;
            let known = habits.find(self.before(), |field| !matches!(field, TemplateField::Line(_)));
            let last = known.and_then(|at| habits.fields.get(at)).map(|(_, field)| *field);
            // A source that omits trailing zeros writes numbers with one or two decimals.
            let stripped = (1..=2).contains(&decimals)
                && matches!(last, Some(TemplateField::Decimal(1 | 2, PlusSign::Never)))
                && last != Some(TemplateField::Decimal(decimals, PlusSign::Never));
            let signs = [PlusSign::Never, PlusSign::Positive, PlusSign::Always];
            let any = signs.map(|plus| TemplateField::Decimal(decimals, plus));
            let fields = last
                .into_iter()
                .chain(stripped.then_some(TemplateField::Eval))
                .chain(any)
                .filter(|field| field.letter() != b'i' || *field == TemplateField::Decimal(0, PlusSign::Never));
            match fields.into_iter().find_map(|field| Some((field, field.parse(digits)?))) {
                Some((field, value)) => {
                    if last != Some(field) {
                        let before = self.template.get(self.field_end..).unwrap_or_default();
                        habits.learn(known, before, field);
                    }
                    self.push(field, FieldValue::Number(value));
                }
                None => self.text(digits),
            }
        }
        self.literal(text.get(end..).unwrap_or_default());
    }

    fn line(&mut self, text: &'a [u8], habits: &mut Habits) {
        let Some(scene) = &self.scene else { return self.text(text) };
        let known = habits.find(self.before(), |field| matches!(field, TemplateField::Line(_)));
        let last = match known.and_then(|at| habits.fields.get(at)) {
            Some((_, TemplateField::Line(line))) => Some(*line),
            _ => None,
        };
        for field in last.into_iter().chain(LineField::ALL) {
            if let Some(line) = read_line(field, scene, text) {
                if last != Some(field) {
                    habits.learn(known, self.before(), TemplateField::Line(field));
                }
                return self.push(TemplateField::Line(field), FieldValue::Line(field, line));
            }
        }
        self.text(text);
    }
}

/// The location of a number in a text.
#[derive(Clone, Copy, Default, Debug)]
struct NumberSpan {
    start: u32,
    length: u8,
    decimals: u8,
    is_time: bool,
}

/// The maximum count of numbers in a value.
const MOST_NUMBERS: usize = 8;

/// The locations of the numbers in a text that consists only of numbers, dividers and units.
#[derive(Default, Debug)]
pub struct Numbers {
    spans: [NumberSpan; MOST_NUMBERS],
    count: usize,
}

/// The maximum lengths of a unit: directly after its number, and at the end of a value.
const SUFFIX: usize = 3;
const TAIL: usize = 8;

/// Returns the numbers in a text that consists of numbers, dividers, and units of at most `unit` bytes. Returns `None`
/// for any other text.
fn numbers(text: &[u8], unit: usize) -> Option<Numbers> {
    let mut found = Numbers::default();
    let (mut at, mut last_signed) = (0, true);
    loop {
        let dividers = text.get(at..)?.iter().take_while(|byte| b" ,/:;%".contains(byte)).count();
        at += dividers;
        let rest = text.get(at..)?;
        if rest.is_empty() && found.count > 0 {
            return Some(found);
        }
        // The length of a prefix that means a mate in a number of moves.
        let mate = match rest {
            [b'M' | b'#', b'0'..=b'9', ..] | [b'#', b'-', b'0'..=b'9', ..] => 1,
            [b'+' | b'-', b'M' | b'#', b'0'..=b'9', ..] => 2,
            _ => 0,
        };
        let start = at + mate;
        let rest = text.get(start..)?;
        let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
        let digits = |from: usize| {
            rest.get(from..).map_or(0, |rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count())
        };
        let integer = digits(sign);
        if integer == 0 {
            // A unit may end the text.
            let is_unit = |byte: &u8| byte.is_ascii_alphabetic() || b"/% ".contains(byte);
            let fits = unit == TAIL && dividers > 0 && mate == 0 && sign == 0 && rest.len() < TAIL;
            return (fits && found.count > 0 && rest.iter().all(is_unit)).then_some(found);
        }
        let mut end = sign + integer;
        let mut span = NumberSpan::default();
        if let [b':', m0, _, b':', s0, _, ..] = rest.get(end..)?
            && m0.is_ascii_digit()
            && s0.is_ascii_digit()
            && sign == 0
            && mate == 0
        {
            end += 6;
            if rest.get(end) == Some(&b'.') {
                end += 1 + digits(end + 1);
            }
            span.is_time = true;
        } else if rest.get(end) == Some(&b'.') {
            let decimals = digits(end + 1);
            if decimals == 0 || decimals > 6 || mate > 0 {
                return None;
            }
            span.decimals = decimals as u8;
            end += 1 + decimals;
        }
        // Two adjacent numbers without a divider must both have signs, as in `+0-1`.
        let is_joined = dividers == 0 && mate == 0 && found.count > 0;
        if end > 18 || found.count == MOST_NUMBERS || is_joined && !(last_signed && sign == 1) {
            return None;
        }
        last_signed = sign == 1;
        (span.start, span.length) = (u32::try_from(start).ok()?, end as u8);
        *found.spans.get_mut(found.count)? = span;
        found.count += 1;
        at = start + end;
        let suffix = text.get(at..)?.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if suffix > SUFFIX {
            return None;
        }
        at += suffix;
    }
}

/// Returns whether the first word of a text may be a move.
fn may_be_line(text: &[u8]) -> bool {
    let word = text.get(..find(text, b' ').unwrap_or(text.len())).unwrap_or_default();
    let is_move = |word: &[u8]| match word {
        [b'O', b'-', b'O', ..] => true,
        [b'a'..=b'h' | b'N' | b'B' | b'R' | b'Q' | b'K', rest @ ..] => {
            (1..8).contains(&rest.len())
                && rest.iter().any(|byte| (b'1'..=b'8').contains(byte))
                && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+#=".contains(byte))
        }
        _ => false,
    };
    let numbers = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match word.get(numbers..) {
        Some([b'.', rest @ ..]) if numbers > 0 && numbers < 5 => {
            let rest = rest.strip_prefix(b"..").unwrap_or(rest);
            rest.is_empty() || is_move(rest)
        }
        _ => is_move(word),
    }
}

/// Parses a text that consists of commands such as `[%clk 0:03:00]`, lists of `key=value`, evaluations such as
/// `+0.31/20 5.6s`, and numbers.
pub fn parse<'a>(text: &'a [u8], habits: &mut Habits, parsed: &mut impl Parts<'a>) {
    if command(text).is_some() {
        return commands(text, habits, parsed);
    }
    let blanks = text.iter().take_while(|byte| **byte == b' ').count();
    let Some((first, rest)) = text.get(blanks..).and_then(<[u8]>::split_first) else { return };
    let inner = text.get(blanks..).unwrap_or_default();
    let is_number = matches!(first, b'+' | b'-' | b'#' | b'M' | b'0'..=b'9');
    if is_number && let Some(found) = numbers(inner, SUFFIX) {
        parsed.literal(text.get(..blanks).unwrap_or_default());
        parsed.numbers(inner, &found, habits);
    } else if is_number
        && *first != b'#'
        && let Some((evaluation, rest)) = split(inner, b'/').filter(|(evaluation, rest)| are_scores(evaluation, rest))
    {
        parsed.literal(text.get(..blanks).unwrap_or_default());
        parsed.value(evaluation, habits);
        parsed.literal(b"/");
        let (depth, after) = rest.split_at(memchr::memchr(b' ', rest).unwrap_or(rest.len()));
        parsed.value(depth, habits);
        parsed.between(after, habits);
    } else if *first == b'('
        && split(rest, b')').is_some_and(|(line, after)| may_be_line(line) && numbers(after, SUFFIX).is_some())
    {
        parsed.between(text, habits);
    } else if memchr::memchr_iter(b'=', text).take(2).count() == 2 {
        pairs(text, habits, parsed);
    }
}

/// Returns whether a slash separates a score from a depth.
fn are_scores(evaluation: &[u8], rest: &[u8]) -> bool {
    let depth = rest.split(|byte| *byte == b' ').next().unwrap_or_default();
    evaluation.len() < 12 && numbers(evaluation, SUFFIX).is_some() && numbers(depth, SUFFIX).is_some()
}

/// Returns the offset of the first command.
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

/// Returns the offset of the first occurrence of a byte. The byte is nearly always among the first 16 bytes, and a loop
/// over these bytes is faster than a call of `memchr`.
#[inline]
fn find(text: &[u8], byte: u8) -> Option<usize> {
    let (near, far) = text.split_at(text.len().min(16));
    let near_by = near.iter().position(|known| *known == byte);
    near_by.or_else(|| memchr::memchr(byte, far).map(|at| near.len() + at))
}

/// Splits a text at the first occurrence of a byte, which is in neither part. Returns `None` if the byte does not
/// occur.
fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let (before, after) = text.split_at(find(text, at)?);
    Some((before, after.get(1..)?))
}

fn commands<'a>(text: &'a [u8], habits: &mut Habits, parsed: &mut impl Parts<'a>) {
    let mut rest = text;
    while let Some(start) = command(rest) {
        let (before, command) = rest.split_at(start);
        let Some((command, after)) = split(command, b']') else { break };
        let Some((head, value)) = split(command, b' ').filter(|(head, _)| head.len() < 16) else { break };
        parsed.between(before, habits);
        let name = head.strip_prefix(b"[%").unwrap_or(head);
        let timed = matches!(name, b"clk" | b"clkc" | b"emt");
        habits.tenths |= timed && matches!(value, [.., b'.', _]) && TemplateField::TimeTenths.parse(value).is_some();
        let mate = value.strip_prefix(b"#").filter(|_| name == b"eval");
        parsed.literal(head);
        parsed.literal(if mate.is_some() { b" #" } else { b" " });
        if name == b"eval" {
            habits.hundredths = match value {
                [.., b'.', _] => false,
                [.., b'.', _, b'0'] => true,
                _ => habits.hundredths,
            };
        }
        let (tenths, hundredths) = (habits.tenths, habits.hundredths);
        match name {
            b"clk" | b"clkc" if tenths => parsed.field(&[TemplateField::ClockTenths], value, habits),
            b"clk" | b"clkc" => parsed.field(&[TemplateField::Clock, TemplateField::Clock2], value, habits),
            b"emt" if tenths => parsed.field(&[TemplateField::TimeTenths], value, habits),
            b"emt" => parsed.field(&[TemplateField::Time, TemplateField::Time2], value, habits),
            b"eval" => match mate {
                Some(moves) => parsed.field(&[TemplateField::Decimal(0, PlusSign::Never)], moves, habits),
                None if hundredths => parsed.field(&[TemplateField::HUNDREDTHS, TemplateField::Eval], value, habits),
                None => parsed.field(&[TemplateField::Eval, TemplateField::HUNDREDTHS], value, habits),
            },
            _ => match numbers(value, SUFFIX) {
                Some(found) => parsed.numbers(value, &found, habits),
                None => parsed.text(value),
            },
        }
        parsed.literal(b"]");
        rest = after;
    }
    if rest.len() < text.len() {
        parsed.between(rest, habits);
    }
}

/// Parses a list such as `d=27, sd=40, pv=Nf3 d5, wv=0.12,`: the keys belong to the template, and the values are
/// fields.
fn pairs<'a>(text: &'a [u8], habits: &mut Habits, parsed: &mut impl Parts<'a>) {
    for (number, part) in text.split(|byte| *byte == b',').enumerate() {
        if number > 0 {
            parsed.literal(b",");
        }
        match split(part, b'=').filter(|(key, _)| key.len() < 24) {
            Some((key, value)) => {
                parsed.literal(key);
                parsed.literal(b"=");
                parsed.value(value, habits);
            }
            None => parsed.between(part, habits),
        }
        if parsed.is_complete() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Position;
    use TemplateField::*;
    use proptest::prelude::*;

    const HUNDREDTHS: TemplateField = TemplateField::HUNDREDTHS;
    const INTEGER: TemplateField = Decimal(0, PlusSign::Never);

    /// Returns the fields for all decimal formats, with and without plus signs.
    fn decimals() -> impl Iterator<Item = TemplateField> {
        DECIMALS
            .into_iter()
            .flat_map(|(plus, letters)| (0..letters.len() as u8).map(move |decimals| Decimal(decimals, plus)))
    }

    fn rendered(field: TemplateField, value: i64) -> Vec<u8> {
        let mut text = Vec::new();
        field.render(value, &mut text);
        text
    }

    proptest! {
        #[test]
        fn a_text_is_read_if_it_is_what_is_written(text in "[-+]?[0-9]{1,3}(:[0-9]{2}:[0-9]{2})?([.][0-9]{0,3})?") {
            for field in [Clock, Clock2, ClockTenths, Time, Time2, TimeTenths, Eval].into_iter().chain(decimals()) {
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
            for field in [ClockTenths, TimeTenths, Eval, HUNDREDTHS, INTEGER] {
                prop_assert_eq!(field.parse(&rendered(field, value % (36_000 << 20))), Some(value % (36_000 << 20)));
            }
            for field in decimals().chain([Eval]) {
                prop_assert_eq!(field.parse(&rendered(field, value)), Some(value), "{:?}", field);
                prop_assert_eq!(field.parse(&rendered(field, -value)), Some(-value), "{:?}", field);
                prop_assert_eq!(TemplateField::from_letter(field.letter()), Some(field));
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
            (HUNDREDTHS, &["0.5", "-0.00", "01.00"]),
            (INTEGER, &["", "-", "-0", "01", "+1", "1234567890123456"]),
        ] {
            for text in texts {
                assert_eq!(field.parse(text.as_bytes()), None, "{field:?} {text}");
            }
        }
    }

    fn template(text: &str, habits: &mut Habits) -> String {
        let mut parsed = ParsedText::default();
        let scene = Scene::new(Position::standard(), Position::standard().parse_san(b"e4").unwrap());
        parsed.parse(text.as_bytes(), habits, Some(scene));
        String::from_utf8(parsed.template).unwrap().replace('\0', "~")
    }

    #[test]
    fn texts_of_engines_are_templates() {
        let mut habits = Habits::default();
        for (text, expected) in [
            (
                "d=26, pd=e5, mt=00:00:51, s=81264 kN/s, pv=e4 e5 Nf3, wv=0.33, mb=+0+0-1,",
                "d=~i, pd=~V, mt=~M, s=~i kN/s, pv=~v, wv=~E, mb=~p~p~p,",
            ),
            ("+1.08/25 7.883s", "~R/~i ~3s"),
            ("0.00/28 5.136s, Draw by 3-fold repetition", "~R/~i ~3s, ~t"),
            ("-0.51/-45 186 (e5)", "~R/~i ~i (~V)"),
            ("-M12/20 0.50s", "-M~i/~i ~Es"),
            (" 0.33 ", " ~E "),
            (" 0.3 ", " ~e "),
            (" 0.25 ", " ~e "),
            (" #-3", " #~i"),
            ("(e5) [%eval 12,19] [%emt 00:00:51]", "(~V) [%eval ~i,~i] [%emt ~M]"),
            ("[%eval 0.3] [%clk 0:03:00]", "[%eval ~e] [%clk ~c]"),
            ("[%eval 0.35]", "[%eval ~e]"),
            ("[%eval -0.50]", "[%eval ~E]"),
            ("[%eval 0.35]", "[%eval ~E]"),
            ("[%eval 1.2]", "[%eval ~e]"),
            ("White is better", "~t"),
            ("1-0", "~t"),
            ("pv=1. e4 e5 2. Nf3, x=1... e5", "pv=~x, x=~X"),
            ("pv=e2e4 e7e5, y=e7e5", "pv=~u, y=~U"),
            ("pv=e4 e6 d4 d5 exd5 exd5 Qe2, y=e5 Qh5 g5", "pv=~w, y=~V"),
        ] {
            assert_eq!(template(text, &mut habits), expected, "{text}");
        }
    }
}

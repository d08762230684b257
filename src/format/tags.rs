//! The tag pairs of a chunk of games as typed columns (FORMAT.md, "Tags blocks").
//!
//! Each tag name is a column. A column's values are numbers by a codec that gives back the very text, or references to the archive's
//! dictionary; a value that the codec cannot hold is kept as it is. Which tags a game has, and in what order, is its schema.

use super::wire::{Bytes, push_compressed, push_string, push_varint, read_compressed};
use std::collections::HashMap;
use std::ops::Range;

/// Tag names that have a number, from 1, in the order of this list.
pub const NAMES: [&str; 48] = [
    "Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "BlackElo", "ECO", "Opening", "Variation",
    "SubVariation", "TimeControl", "Termination", "UTCDate", "UTCTime", "WhiteRatingDiff", "BlackRatingDiff", "WhiteTitle",
    "BlackTitle", "FEN", "SetUp", "Variant", "EventDate", "Annotator", "PlyCount", "Time", "Mode", "WhiteFideId",
    "BlackFideId", "WhiteTeam", "BlackTeam", "WhiteUSCF", "BlackUSCF", "WhiteNA", "BlackNA", "WhiteType", "BlackType",
    "EventSponsor", "Section", "Stage", "Board", "NIC", "Source", "SourceDate", "WhiteClock", "BlackClock",
];

/// Columns whose values recur from chunk to chunk, so that they go to the dictionary even where they seldom recur within one.
const RECURRING: [&str; 15] = [
    "Event", "Site", "White", "Black", "Result", "ECO", "Opening", "Variation", "SubVariation", "TimeControl", "Termination",
    "Annotator", "WhiteTeam", "BlackTeam", "Source",
];

/// How a column writes its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Codec {
    /// Every value as text.
    Text,
    /// Numbers of dictionary strings.
    Dictionary,
    /// Decimal numbers below 2^32 without a superfluous zero.
    Integer,
    /// `+n` as 2 n, `-n` as 2 n + 1, n below 2^31 without a superfluous zero.
    Signed,
    /// `yyyy.mm.dd`, parts may be `?`; the difference to the value before.
    Date,
    /// `hh:mm:ss`; the seconds since the value before, modulo a day.
    Time,
    /// This text, then eight of `0-9A-Za-z`.
    Base62(Vec<u8>),
}

const DAY: u64 = 86_400;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl Codec {
    fn number(&self) -> u8 {
        match self {
            Codec::Text => 0,
            Codec::Dictionary => 1,
            Codec::Integer => 2,
            Codec::Signed => 3,
            Codec::Date => 4,
            Codec::Time => 5,
            Codec::Base62(_) => 6,
        }
    }

    fn push(&self, out: &mut Vec<u8>) {
        out.push(self.number());
        if let Codec::Base62(prefix) = self {
            push_string(prefix, out);
        }
    }

    fn read(bytes: &mut Bytes) -> Option<Codec> {
        Some(match bytes.u8()? {
            0 => Codec::Text,
            1 => Codec::Dictionary,
            2 => Codec::Integer,
            3 => Codec::Signed,
            4 => Codec::Date,
            5 => Codec::Time,
            6 => Codec::Base62(bytes.string()?.to_vec()),
            _ => return None,
        })
    }

    /// Returns the number that stands for a text, before differences are taken; `None` unless `render` gives the text back.
    fn parse(&self, text: &[u8]) -> Option<u64> {
        match self {
            Codec::Text | Codec::Dictionary => None,
            Codec::Integer => decimal(text),
            Codec::Signed => match text {
                [b'+', digits @ ..] => Some(decimal(digits).filter(|n| n >> 31 == 0)? * 2),
                [b'-', digits @ ..] => Some(decimal(digits).filter(|n| n >> 31 == 0)? * 2 + 1),
                _ => None,
            },
            Codec::Date => {
                let &[y0, y1, y2, y3, b'.', m0, m1, b'.', d0, d1] = text else { return None };
                let year = if [y0, y1, y2, y3] == *b"????" {
                    0
                } else {
                    Some(fixed(&[y0, y1, y2, y3])?).filter(|year| *year > 0)?
                };
                let part = |a, b, most| match [a, b] {
                    [b'?', b'?'] => Some(0),
                    digits => fixed(&digits).filter(|n| (1..=most).contains(n)),
                };
                Some((year * 13 + part(m0, m1, 12)?) * 32 + part(d0, d1, 31)?)
            }
            Codec::Time => {
                let &[h0, h1, b':', m0, m1, b':', s0, s1] = text else { return None };
                let part = |a, b, below| fixed(&[a, b]).filter(|n| *n < below);
                Some((part(h0, h1, 24)? * 60 + part(m0, m1, 60)?) * 60 + part(s0, s1, 60)?)
            }
            Codec::Base62(prefix) => {
                let digits = text.strip_prefix(prefix.as_slice()).filter(|digits| digits.len() == 8)?;
                digits.iter().try_fold(0, |value, digit| Some(value * 62 + base62(*digit)?))
            }
        }
    }

    /// Appends the text of a number.
    fn render(&self, value: u64, out: &mut Vec<u8>) {
        let two = |n: u64, out: &mut Vec<u8>| out.extend_from_slice(&[b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8]);
        match self {
            Codec::Text | Codec::Dictionary => {}
            Codec::Integer => push_decimal(value, out),
            Codec::Signed => {
                out.push(if value & 1 == 0 { b'+' } else { b'-' });
                push_decimal(value / 2, out);
            }
            Codec::Date => {
                let (year, month, day) = (value / 32 / 13, value / 32 % 13, value % 32);
                let part = |n: u64, out: &mut Vec<u8>| {
                    out.push(b'.');
                    if n == 0 { out.extend_from_slice(b"??") } else { two(n, out) }
                };
                if year == 0 {
                    out.extend_from_slice(b"????");
                } else {
                    two(year / 100, out);
                    two(year, out);
                }
                part(month, out);
                part(day, out);
            }
            Codec::Time => {
                two(value / 3600, out);
                out.push(b':');
                two(value / 60 % 60, out);
                out.push(b':');
                two(value % 60, out);
            }
            Codec::Base62(prefix) => {
                out.extend_from_slice(prefix);
                let mut digits = [0; 8];
                let mut rest = value;
                for digit in digits.iter_mut().rev() {
                    *digit = DIGITS[(rest % 62) as usize];
                    rest /= 62;
                }
                out.extend_from_slice(&digits);
            }
        }
    }

    /// Turns a value into what is written, given the value before it.
    fn difference(&self, value: u64, before: u64) -> u64 {
        match self {
            Codec::Date => {
                let step = value.wrapping_sub(before) as i64;
                ((step << 1) ^ (step >> 63)) as u64
            }
            Codec::Time => (value + DAY - before % DAY) % DAY,
            _ => value,
        }
    }

    fn undo_difference(&self, written: u64, before: u64) -> u64 {
        match self {
            Codec::Date => before.wrapping_add((written >> 1) ^ (written & 1).wrapping_neg()),
            Codec::Time => (before % DAY + written % DAY) % DAY,
            _ => written,
        }
    }

    /// Returns the codec for these values: the first that holds nine in ten of a sample and of all.
    fn choose(name: &[u8], values: &[&[u8]]) -> Codec {
        let base62 = values.first().and_then(|value| value.len().checked_sub(8).map(|cut| value[..cut].to_vec()));
        let typed = [Codec::Integer, Codec::Signed, Codec::Date, Codec::Time];
        let linked = base62.filter(|prefix| prefix.ends_with(b"/")).map(Codec::Base62);
        let holds = |codec: &Codec, values: &[&[u8]]| {
            let held = values.iter().filter(|value| codec.parse(value).is_some()).count();
            held * 10 >= values.len() * 9
        };
        let sample = &values[..values.len().min(20)];
        if let Some(codec) =
            typed.into_iter().chain(linked).find(|codec| holds(codec, sample) && holds(codec, values))
        {
            return codec;
        }
        if RECURRING.iter().any(|recurring| recurring.as_bytes() == name) { Codec::Dictionary } else { Codec::Text }
    }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 10 || (digits.len() > 1 && digits[0] == b'0') {
        return None;
    }
    fixed(digits).filter(|value| value >> 32 == 0)
}

fn fixed(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |value, digit| match digit {
        b'0'..=b'9' => Some(value * 10 + u64::from(digit - b'0')),
        _ => None,
    })
}

fn base62(digit: u8) -> Option<u64> {
    Some(u64::from(match digit {
        b'0'..=b'9' => digit - b'0',
        b'A'..=b'Z' => digit - b'A' + 10,
        b'a'..=b'z' => digit - b'a' + 36,
        _ => return None,
    }))
}

fn push_decimal(value: u64, out: &mut Vec<u8>) {
    crate::chess::fen::write_number(out, u32::try_from(value).unwrap_or(u32::MAX));
}

/// Collects the tag pairs of a chunk of games.
#[derive(Default, Debug)]
pub struct TagsBuilder {
    names: Vec<Box<[u8]>>,
    /// The values of each column, as ranges of `text`.
    columns: Vec<Vec<Range<u32>>>,
    text: Vec<u8>,
    schemas: Vec<Box<[u32]>>,
    schema_numbers: HashMap<Box<[u32]>, u32>,
    games: Vec<u32>,
    /// The columns of the current game's tags.
    current: Vec<u32>,
}

impl TagsBuilder {
    /// Adds a tag pair to the current game.
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        let column = self.column(name);
        let start = self.text.len() as u32;
        self.text.extend_from_slice(value);
        self.columns[column as usize].push(start..self.text.len() as u32);
        self.current.push(column);
    }

    fn column(&mut self, name: &[u8]) -> u32 {
        // Games of one source have the same tags in the same order, nearly always.
        let guess = self.games.last().and_then(|schema| self.schemas[*schema as usize].get(self.current.len()));
        if let Some(&guess) = guess
            && *self.names[guess as usize] == *name
        {
            return guess;
        }
        if let Some(column) = self.names.iter().position(|known| **known == *name) {
            return column as u32;
        }
        self.names.push(name.into());
        self.columns.push(Vec::new());
        self.names.len() as u32 - 1
    }

    /// Ends the current game.
    pub fn end_game(&mut self) {
        let same = self.games.last().copied().filter(|last| *self.schemas[*last as usize] == *self.current);
        let schema = same.or_else(|| self.schema_numbers.get(self.current.as_slice()).copied());
        let schema = schema.unwrap_or_else(|| {
            let schema = self.schemas.len() as u32;
            self.schemas.push(self.current.as_slice().into());
            self.schema_numbers.insert(self.current.as_slice().into(), schema);
            schema
        });
        self.games.push(schema);
        self.current.clear();
    }

    /// Forgets the current game's tags.
    pub fn rewind(&mut self) {
        while let Some(column) = self.current.pop() {
            if let Some(value) = self.columns[column as usize].pop() {
                self.text.truncate(value.start as usize);
            }
        }
    }

    /// Returns the bytes of text held.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Chooses the columns' codecs and finds the distinct strings of those that go to the dictionary.
    pub fn analyse(self) -> TagsDraft {
        let mut columns = Vec::with_capacity(self.columns.len());
        for (name, ranges) in self.names.iter().zip(&self.columns) {
            let value = |range: &Range<u32>| &self.text[range.start as usize..range.end as usize];
            let values: Vec<&[u8]> = ranges.iter().map(value).collect();
            let mut draft = ColumnDraft { name: name.clone(), codec: Codec::choose(name, &values), ..Default::default() };
            match &draft.codec {
                Codec::Text => {
                    if !draft.refer(&values, values.len() * 3 / 4) {
                        draft.distinct.clear();
                        draft.local = values.iter().map(|value| (*value).into()).collect();
                    } else {
                        draft.codec = Codec::Dictionary;
                    }
                }
                Codec::Dictionary => {
                    draft.refer(&values, usize::MAX);
                }
                codec => {
                    let mut before = 0;
                    for text in values {
                        match codec.parse(text) {
                            Some(value) => {
                                draft.codes.push(codec.difference(value, before) + 1);
                                before = value;
                            }
                            None => {
                                draft.codes.push(0);
                                draft.local.push(text.into());
                            }
                        }
                    }
                }
            }
            columns.push(draft);
        }
        TagsDraft { columns, schemas: self.schemas, games: self.games }
    }
}

/// A column on its way to the block.
#[derive(Debug)]
struct ColumnDraft {
    name: Box<[u8]>,
    codec: Codec,
    /// What is written for each value: 0 for one kept as text, otherwise 1 more than its number. For dictionary columns: 1 more than
    /// the place in `distinct`, until `intern`.
    codes: Vec<u64>,
    distinct: Vec<Box<[u8]>>,
    local: Vec<Box<[u8]>>,
}

impl Default for ColumnDraft {
    fn default() -> ColumnDraft {
        ColumnDraft { name: Box::default(), codec: Codec::Text, codes: Vec::new(), distinct: Vec::new(), local: Vec::new() }
    }
}

impl ColumnDraft {
    /// Makes the values references to distinct strings, unless there are more than `most` of those.
    fn refer(&mut self, values: &[&[u8]], most: usize) -> bool {
        let mut places: HashMap<&[u8], u64> = HashMap::new();
        for value in values {
            let next = places.len() as u64 + 1;
            let place = *places.entry(value).or_insert_with(|| {
                self.distinct.push((*value).into());
                next
            });
            self.codes.push(place);
            if places.len() > most {
                self.codes.clear();
                return false;
            }
        }
        true
    }
}

/// The tags of a chunk, ready but for the numbers of its strings in the archive's dictionary.
#[derive(Debug)]
pub struct TagsDraft {
    columns: Vec<ColumnDraft>,
    schemas: Vec<Box<[u32]>>,
    games: Vec<u32>,
}

impl TagsDraft {
    /// Asks `intern` for the number of each distinct string, given how often it stands here; those without a number stay in the chunk
    /// as text.
    pub fn intern(&mut self, mut intern: impl FnMut(&[u8], usize) -> Option<u64>) {
        for column in self.columns.iter_mut().filter(|column| column.codec == Codec::Dictionary) {
            let mut uses = vec![0; column.distinct.len()];
            column.codes.iter().for_each(|code| uses[(*code - 1) as usize] += 1);
            let numbers: Vec<_> =
                column.distinct.iter().zip(uses).map(|(string, uses)| intern(string, uses)).collect();
            for code in &mut column.codes {
                let place = (*code - 1) as usize;
                *code = match numbers[place] {
                    Some(number) => number + 1,
                    None => {
                        column.local.push(column.distinct[place].clone());
                        0
                    }
                };
            }
        }
    }

    /// Returns the payload of the block.
    pub fn encode(&self, level: i32) -> Vec<u8> {
        let mut raw = Vec::new();
        push_varint(self.schemas.len() as u64, &mut raw);
        for schema in &self.schemas {
            push_varint(schema.len() as u64, &mut raw);
            schema.iter().for_each(|column| push_varint(u64::from(*column), &mut raw));
        }
        push_varint(self.columns.len() as u64, &mut raw);
        for column in &self.columns {
            match NAMES.iter().position(|name| name.as_bytes() == &*column.name) {
                Some(number) => raw.push(number as u8 + 1),
                None => {
                    raw.push(0);
                    push_string(&column.name, &mut raw);
                }
            }
            column.codec.push(&mut raw);
            raw.push(width(&column.codes));
        }
        let games: Vec<u64> = self.games.iter().map(|schema| u64::from(*schema)).collect();
        raw.push(width(&games));
        push_planes(&games, &mut raw);
        for column in &self.columns {
            push_planes(&column.codes, &mut raw);
        }
        let local = || self.columns.iter().flat_map(|column| &column.local);
        local().for_each(|text| push_varint(text.len() as u64, &mut raw));
        local().for_each(|text| raw.extend_from_slice(text));
        let mut payload = Vec::new();
        push_compressed(&raw, level, &mut payload);
        payload
    }
}

/// The bytes that the greatest of these numbers takes; 0 where all are zero.
pub(super) fn width(numbers: &[u64]) -> u8 {
    let all = numbers.iter().fold(0, |all, number| all | number);
    (64 - all.leading_zeros()).div_ceil(8) as u8
}

/// Appends the lowest bytes of all numbers, then the next bytes, and so on: likes stand together.
pub(super) fn push_planes(numbers: &[u64], out: &mut Vec<u8>) {
    for plane in 0..width(numbers) {
        out.extend(numbers.iter().map(|number| (number >> (8 * plane)) as u8));
    }
}

pub(super) fn read_planes(bytes: &mut Bytes, width: u8, count: usize) -> Option<Vec<u64>> {
    if width > 8 {
        return None;
    }
    let planes = bytes.take(count.checked_mul(usize::from(width))?)?;
    let mut numbers = vec![0; count];
    for (plane, bytes) in planes.chunks_exact(count.max(1)).enumerate() {
        for (number, byte) in numbers.iter_mut().zip(bytes) {
            *number |= u64::from(*byte) << (8 * plane);
        }
    }
    Some(numbers)
}

/// A value of a column, read.
#[derive(Clone, Copy, Debug)]
enum Cell {
    Number(u64),
    Local(u32),
}

#[derive(Debug)]
struct Column {
    name: Box<[u8]>,
    codec: Codec,
    cells: Vec<Cell>,
}

/// The tags of a chunk, read.
#[derive(Debug)]
pub struct Tags {
    columns: Vec<Column>,
    schemas: Vec<Vec<u32>>,
    games: Vec<u32>,
    /// For each game the place of its first tag in `values`.
    first: Vec<u32>,
    /// For each tag of each game the place in its column.
    values: Vec<u32>,
    raw: Vec<u8>,
    local: Vec<Range<usize>>,
}

/// A tag's value as the chunk has it.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// The text itself.
    Text(&'a [u8]),
    /// The string with this number in the archive's dictionary.
    Dictionary(u64),
}

impl Tags {
    /// Reads a payload whose CRC holds; `games` is the chunk's number of games.
    pub fn decode(payload: &[u8], games: usize) -> Option<Tags> {
        let raw = read_compressed(payload)?;
        let mut bytes = Bytes(&raw);
        let mut schemas = Vec::new();
        for _ in 0..bytes.count()? {
            let tags = bytes.count()?;
            // Each tag takes a byte at least.
            if tags > bytes.0.len() {
                return None;
            }
            let schema: Option<Vec<u32>> = (0..tags).map(|_| u32::try_from(bytes.varint()?).ok()).collect();
            schemas.push(schema?);
        }
        let mut columns = Vec::new();
        let mut widths = Vec::new();
        for _ in 0..bytes.count()? {
            let name = match bytes.u8()? {
                0 => bytes.string()?.into(),
                number => NAMES.get(usize::from(number) - 1)?.as_bytes().into(),
            };
            columns.push(Column { name, codec: Codec::read(&mut bytes)?, cells: Vec::new() });
            widths.push(bytes.u8()?);
        }
        let game_width = bytes.u8()?;
        // A chunk whose games all have the first schema has no plane to bear out the count: each game has a record, though.
        let numbers = read_planes(&mut bytes, game_width, games)?;
        let mut counts = vec![0u32; columns.len()];
        let (mut first, mut values) = (Vec::with_capacity(games), Vec::new());
        let mut game_schemas = Vec::with_capacity(games);
        for number in numbers {
            first.push(u32::try_from(values.len()).ok()?);
            for column in schemas.get(usize::try_from(number).ok()?)? {
                let count = counts.get_mut(*column as usize)?;
                values.push(*count);
                *count += 1;
            }
            // Every tag takes a byte at least: a number in a plane, or a text's length.
            if values.len() > raw.len() {
                return None;
            }
            game_schemas.push(number as u32);
        }
        let mut locals = 0u32;
        for ((column, width), count) in columns.iter_mut().zip(widths).zip(counts) {
            let count = count as usize;
            if column.codec == Codec::Text {
                column.cells = (locals..).take(count).map(Cell::Local).collect();
                locals = locals.checked_add(count as u32)?;
                continue;
            }
            let mut before = 0;
            for written in read_planes(&mut bytes, width, count)? {
                column.cells.push(match written.checked_sub(1) {
                    None => {
                        locals += 1;
                        Cell::Local(locals - 1)
                    }
                    Some(written) => {
                        before = column.codec.undo_difference(written, before);
                        Cell::Number(before)
                    }
                });
            }
        }
        let lengths: Option<Vec<usize>> = (0..locals).map(|_| bytes.count()).collect();
        let mut start = raw.len() - bytes.0.len();
        let mut local = Vec::with_capacity(locals as usize);
        for length in lengths? {
            let end = start.checked_add(length)?;
            local.push(start..end);
            start = end;
        }
        (start == raw.len()).then_some(Tags { columns, schemas, games: game_schemas, first, values, raw, local })
    }

    /// Calls `tag` with each tag pair of game `index` of the chunk (from 0), in order. Returns `None` where there is no such game.
    pub fn visit<'a>(&'a self, index: usize, mut tag: impl FnMut(&'a [u8], Value)) -> Option<()> {
        let schema = self.schemas.get(*self.games.get(index)? as usize)?;
        let mut text = Vec::new();
        let first = *self.first.get(index)? as usize;
        for (column, place) in schema.iter().zip(self.values.get(first..)?) {
            let column = self.columns.get(*column as usize)?;
            let value = match *column.cells.get(*place as usize)? {
                Cell::Local(local) => Value::Text(self.raw.get(self.local.get(local as usize)?.clone())?),
                Cell::Number(number) if column.codec == Codec::Dictionary => Value::Dictionary(number),
                Cell::Number(number) => {
                    text.clear();
                    column.codec.render(number, &mut text);
                    Value::Text(&text)
                }
            };
            tag(&column.name, value);
        }
        Some(())
    }
}

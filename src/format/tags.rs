//! The tag pairs of a chunk of games as typed columns (FORMAT.md, "Tags blocks").
//!
//! Each tag name is a column. A column's values are numbers by a codec that gives back the very text, or references to the archive's
//! dictionary; a value that the codec cannot hold is kept as it is. Which tags a game has, and in what order, is its schema.

use super::Limits;
use super::codec::Codec;
use super::links::{self, Link};
use super::range::{Decoder, Encoder};
use super::wire::{Bytes, push_compressed, push_string, push_varint, read_compressed_within};
use foldhash::HashMap;
use std::ops::Range;

/// Tag names that have a number, from 1, in the order of this list.
pub const NAMES: [&str; 48] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "WhiteElo",
    "BlackElo",
    "ECO",
    "Opening",
    "Variation",
    "SubVariation",
    "TimeControl",
    "Termination",
    "UTCDate",
    "UTCTime",
    "WhiteRatingDiff",
    "BlackRatingDiff",
    "WhiteTitle",
    "BlackTitle",
    "FEN",
    "SetUp",
    "Variant",
    "EventDate",
    "Annotator",
    "PlyCount",
    "Time",
    "Mode",
    "WhiteFideId",
    "BlackFideId",
    "WhiteTeam",
    "BlackTeam",
    "WhiteUSCF",
    "BlackUSCF",
    "WhiteNA",
    "BlackNA",
    "WhiteType",
    "BlackType",
    "EventSponsor",
    "Section",
    "Stage",
    "Board",
    "NIC",
    "Source",
    "SourceDate",
    "WhiteClock",
    "BlackClock",
];

/// The width of a column that is linked.
const LINKED: u8 = 255;
/// The most values that the linked columns of a chunk may have.
const MAX_LINKED: usize = 1 << 22;

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
            let (codec, numbers) = Codec::choose(name, &values);
            let mut draft = ColumnDraft { name: name.clone(), codec, ..Default::default() };
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
                _ => {
                    for (text, number) in values.iter().zip(numbers) {
                        match number {
                            Some(value) => draft.codes.push(value + 1),
                            None => {
                                draft.codes.push(0);
                                draft.local.push((*text).into());
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
    /// For each value: 0 for one kept as text, otherwise 1 more than its number. For dictionary columns: 1 more than the place in
    /// `distinct`, until `intern`.
    codes: Vec<u64>,
    distinct: Vec<Box<[u8]>>,
    local: Vec<Box<[u8]>>,
}

impl Default for ColumnDraft {
    fn default() -> ColumnDraft {
        ColumnDraft {
            name: Box::default(),
            codec: Codec::Text,
            codes: Vec::new(),
            distinct: Vec::new(),
            local: Vec::new(),
        }
    }
}

impl ColumnDraft {
    /// Makes the values references to distinct strings, unless there are more than `most` of those.
    fn refer(&mut self, values: &[&[u8]], most: usize) -> bool {
        let mut places: HashMap<&[u8], u64> = HashMap::default();
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

impl ColumnDraft {
    /// What is written for each value in planes.
    fn written(&self) -> Vec<u64> {
        let mut before = 0;
        let write = |code: &u64| match code.checked_sub(1) {
            Some(value) => self.codec.difference(value, std::mem::replace(&mut before, value)) + 1,
            None => 0,
        };
        self.codes.iter().map(write).collect()
    }

    /// The code of each value, and the text of those without.
    fn cells(&self) -> Vec<links::Key<'_>> {
        let mut local = self.local.iter();
        match self.codec {
            Codec::Text => local.map(|text| (0, &**text)).collect(),
            _ => {
                let text = |code| if code == 0 { local.next().map_or(b"".as_slice(), |text| text) } else { b"" };
                let mut text = text;
                self.codes.iter().map(|code| (*code, text(*code))).collect()
            }
        }
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
            let numbers: Vec<_> = column.distinct.iter().zip(uses).map(|(string, uses)| intern(string, uses)).collect();
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
        let links = self.links();
        let is_linked: Vec<bool> =
            (0..self.columns.len()).map(|column| links.iter().any(|link| link.column == column)).collect();
        let plain = || self.columns.iter().zip(&is_linked).filter(|(_, linked)| !**linked).map(|(column, _)| column);
        let written: Vec<Vec<u64>> = plain().map(ColumnDraft::written).collect();
        let mut widths = written.iter().map(|numbers| width(numbers));
        push_varint(self.columns.len() as u64, &mut raw);
        for (column, linked) in self.columns.iter().zip(&is_linked) {
            match NAMES.iter().position(|name| name.as_bytes() == &*column.name) {
                Some(number) => raw.push(number as u8 + 1),
                None => {
                    raw.push(0);
                    push_string(&column.name, &mut raw);
                }
            }
            column.codec.push(&mut raw);
            raw.push(if *linked { LINKED } else { widths.next().unwrap_or(0) });
        }
        push_varint(links.len() as u64, &mut raw);
        links.iter().for_each(|link| link.push(&mut raw));
        let games: Vec<u64> = self.games.iter().map(|schema| u64::from(*schema)).collect();
        raw.push(width(&games));
        push_planes(&games, &mut raw);
        written.iter().for_each(|numbers| push_planes(numbers, &mut raw));
        push_texts(plain().flat_map(|column| &column.local), &mut raw);
        if !links.is_empty() {
            push_string(&self.encode_linked(&links), &mut raw);
            let columns = links.iter().filter_map(|link| self.columns.get(link.column));
            push_texts(columns.flat_map(|column| &column.local), &mut raw);
        }
        let mut payload = Vec::new();
        push_compressed(&raw, level, &mut payload);
        payload
    }
}

impl TagsDraft {
    /// Which columns are linked to others.
    fn links(&self) -> Vec<Link> {
        let names: Vec<&[u8]> = self.columns.iter().map(|column| &*column.name).collect();
        let codec = |column: usize| self.columns.get(column).map(|column| &column.codec);
        let links = links::choose(
            &names,
            |column| codec(column).is_some_and(|codec| *codec != Codec::Text),
            |column| codec(column) == Some(&Codec::Signed),
        );
        let values = links.iter().filter_map(|link| self.columns.get(link.column)).map(|column| column.codes.len());
        if values.sum::<usize>() <= MAX_LINKED { links } else { Vec::new() }
    }

    fn encode_linked(&self, links: &[Link]) -> Vec<u8> {
        let needed = links::needed(links, self.columns.len());
        let cells = self.columns.iter().zip(needed);
        let cells: Vec<_> = cells.map(|(column, needed)| if needed { column.cells() } else { Vec::new() }).collect();
        let mut coder = Encoder::new();
        // The draft's columns fit together.
        let _ = links::code(
            links,
            cells.len(),
            self.games.iter().map(|schema| &*self.schemas[*schema as usize]),
            &mut coder,
            |column, place| cells.get(column)?.get(place).copied(),
            |link, place| {
                links.get(link).and_then(|link| Some(cells.get(link.column)?.get(place)?.0)).unwrap_or_default()
            },
        );
        coder.finish()
    }
}

/// Appends the lengths of texts, then the texts.
fn push_texts<'a>(texts: impl Iterator<Item = &'a Box<[u8]>> + Clone, out: &mut Vec<u8>) {
    texts.clone().for_each(|text| push_varint(text.len() as u64, out));
    texts.for_each(|text| out.extend_from_slice(text));
}

/// Reads the places of so many texts.
fn read_texts(raw: &[u8], bytes: &mut Bytes, count: usize, out: &mut Vec<Range<usize>>) -> Option<()> {
    let lengths: Option<Vec<usize>> = (0..count).map(|_| bytes.count()).collect();
    for length in lengths? {
        let start = raw.len() - bytes.0.len();
        bytes.take(length)?;
        out.push(start..start + length);
    }
    Some(())
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
        Tags::decode_within(payload, games, &Limits::DEFAULT)
    }

    /// Reads a payload that stays within the limits.
    pub fn decode_within(payload: &[u8], games: usize, limits: &Limits) -> Option<Tags> {
        let raw = read_compressed_within(payload, limits)?;
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
        let links = bytes.count().filter(|links| *links <= links::MOST)?;
        let links: Option<Vec<Link>> = (0..links).map(|_| Link::read(&mut bytes)).collect();
        let links = links?;
        let is_linked: Vec<bool> = widths.iter().map(|width| *width == LINKED).collect();
        let mut linked: Vec<usize> = links.iter().map(|link| link.column).collect();
        linked.sort_unstable();
        let expected = (0..columns.len()).filter(|column| is_linked[*column]);
        if !linked.into_iter().eq(expected) || links.iter().any(|link| columns[link.column].codec == Codec::Text) {
            return None;
        }
        let game_width = bytes.u8()?;
        // A chunk whose games all have the first schema has no plane to bear out the count: each game has a record, though.
        let numbers = read_planes(&mut bytes, game_width, games)?;
        let mut counts = vec![0u32; columns.len()];
        let (mut first, mut values, mut linked) = (Vec::with_capacity(games), Vec::new(), 0);
        let mut game_schemas = Vec::with_capacity(games);
        for number in numbers {
            first.push(u32::try_from(values.len()).ok()?);
            for column in schemas.get(usize::try_from(number).ok()?)? {
                let count = counts.get_mut(*column as usize)?;
                values.push(*count);
                *count += 1;
                linked += usize::from(is_linked[*column as usize]);
            }
            // Every other tag takes a byte at least: a number in a plane, or a text's length.
            if values.len() - linked > raw.len() || linked > MAX_LINKED {
                return None;
            }
            game_schemas.push(number as u32);
        }
        let mut locals = 0u32;
        for ((column, width), count) in columns.iter_mut().zip(widths).zip(counts) {
            let count = count as usize;
            if width == LINKED {
                continue;
            }
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
        let mut local = Vec::new();
        read_texts(&raw, &mut bytes, locals as usize, &mut local)?;
        if !links.is_empty() {
            let cell = |column: usize, place: usize| {
                Some(match *columns.get(column)?.cells.get(place)? {
                    Cell::Number(number) => (number.wrapping_add(1), b"".as_slice()),
                    Cell::Local(text) => (0, raw.get(local.get(text as usize)?.clone())?),
                })
            };
            let mut coder = Decoder::new(bytes.string()?);
            let games = game_schemas.iter().map(|schema: &u32| schemas[*schema as usize].as_slice());
            let codes = links::code(&links, columns.len(), games, &mut coder, cell, |_, _| 0)?;
            for (link, codes) in links.iter().zip(codes) {
                let mut cell = |code: u64| match code.checked_sub(1) {
                    Some(number) => Cell::Number(number),
                    None => {
                        locals += 1;
                        Cell::Local(locals - 1)
                    }
                };
                columns[link.column].cells = codes.into_iter().map(&mut cell).collect();
            }
            let more = locals as usize - local.len();
            read_texts(&raw, &mut bytes, more, &mut local)?;
        }
        bytes.0.is_empty().then_some(Tags { columns, schemas, games: game_schemas, first, values, raw, local })
    }

    /// Calls `tag` with each tag pair of game `index` of the chunk (from 0), in order. Returns `None` where there is no such game.
    pub fn visit<'a>(&'a self, index: usize, mut tag: impl FnMut(&'a [u8], Value)) -> Option<()> {
        let schema = self.schemas.get(*self.games.get(index)? as usize)?;
        let mut text = Vec::with_capacity(64);
        let first = *self.first.get(index)? as usize;
        for (column, place) in schema.iter().zip(self.values.get(first..)?) {
            let column = self.columns.get(*column as usize)?;
            let value = self.value(column, *place, &mut text)?;
            tag(&column.name, value);
        }
        Some(())
    }

    /// Calls `seen` with the value of the first tag of that name of each game in order, `None` where it has none. Returns `None` where
    /// the block contradicts itself.
    pub fn visit_column(&self, name: &[u8], mut seen: impl FnMut(Option<Value<'_>>)) -> Option<()> {
        // A schema may have the tag twice, or (in a foreign file) two columns of one name: the first in the game's order counts.
        let of_name = |column: &u32| self.columns.get(*column as usize).is_some_and(|column| *column.name == *name);
        let places: Vec<Option<usize>> = self.schemas.iter().map(|schema| schema.iter().position(of_name)).collect();
        let mut text = Vec::new();
        for (schema, first) in self.games.iter().zip(&self.first) {
            let Some(place) = *places.get(*schema as usize)? else {
                seen(None);
                continue;
            };
            let column = self.columns.get(*self.schemas.get(*schema as usize)?.get(place)? as usize)?;
            let cell = *self.values.get(*first as usize + place)?;
            seen(Some(self.value(column, cell, &mut text)?));
        }
        Some(())
    }

    /// Iterates over the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.columns.iter().map(|column| &*column.name)
    }

    fn value<'a>(&'a self, column: &'a Column, cell: u32, text: &'a mut Vec<u8>) -> Option<Value<'a>> {
        Some(match *column.cells.get(cell as usize)? {
            Cell::Local(local) => Value::Text(self.raw.get(self.local.get(local as usize)?.clone())?),
            Cell::Number(number) if column.codec == Codec::Dictionary => Value::Dictionary(number),
            Cell::Number(number) => {
                text.clear();
                column.codec.render(number, text);
                Value::Text(text)
            }
        })
    }
}

//! The tag pairs of a chunk of games as typed columns (FORMAT.md, "Tags blocks").
//!
//! Each tag name is a column. A column's values are numbers by a codec that gives back the very text, or references to the archive's
//! dictionary; a value that the codec cannot hold is kept as it is. Which tags a game has, and in what order, is its schema.

use super::codec::Codec;
use crate::format::Limits;
use crate::format::budget::{self, Budget};
use crate::format::coder::predicted::{self, Link};
use crate::format::coder::range::{Decoder, Encoder};
use crate::format::wire::{Bytes, push_compressed, push_string, push_varint, read_compressed_within};
use foldhash::HashMap;
use std::collections::hash_map::Entry;
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
/// So many names are looked through, further ones looked up.
const FEW: usize = 64;

/// Collects the tag pairs of a chunk of games.
#[derive(Default, Debug)]
pub struct TagsBuilder {
    names: Vec<Box<[u8]>>,
    /// The columns by their names, but for the first few.
    by_name: HashMap<Box<[u8]>, u32>,
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
        // One source has few names; a hostile one has any number.
        if let Some(column) = self.names.iter().take(FEW).position(|known| **known == *name) {
            return column as u32;
        }
        let next = self.names.len() as u32;
        if next as usize >= FEW {
            match self.by_name.entry(name.into()) {
                Entry::Occupied(known) => return *known.get(),
                Entry::Vacant(place) => place.insert(next),
            };
        }
        self.names.push(name.into());
        self.columns.push(Vec::new());
        next
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

    /// How many values there are.
    fn cells_len(&self) -> usize {
        if self.codec == Codec::Text { self.local.len() } else { self.codes.len() }
    }

    /// The code of each value, and the text of those without.
    fn cells(&self) -> Vec<predicted::Cell<'_>> {
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
    /// as text, and so do strings longer than a dictionary's may be.
    pub fn intern(&mut self, mut intern: impl FnMut(&[u8], usize) -> Option<u64>) {
        for column in self.columns.iter_mut().filter(|column| column.codec == Codec::Dictionary) {
            let mut uses = vec![0; column.distinct.len()];
            column.codes.iter().for_each(|code| uses[(*code - 1) as usize] += 1);
            let mut number =
                |string: &[u8], uses| (string.len() <= Limits::DEFAULT.string).then(|| intern(string, uses))?;
            let numbers: Vec<_> = column.distinct.iter().zip(uses).map(|(string, uses)| number(string, uses)).collect();
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
        let mut rest = Vec::new();
        let links = self.links();
        let is_linked: Vec<bool> =
            (0..self.columns.len()).map(|column| links.iter().any(|link| link.column == column)).collect();
        let plain = || self.columns.iter().zip(&is_linked).filter(|(_, linked)| !**linked).map(|(column, _)| column);
        let written: Vec<Vec<u64>> = plain().map(ColumnDraft::written).collect();
        let mut widths = written.iter().map(|numbers| width(numbers));
        push_varint(self.columns.len() as u64, &mut rest);
        for (column, linked) in self.columns.iter().zip(&is_linked) {
            match NAMES.iter().position(|name| name.as_bytes() == &*column.name) {
                Some(number) => rest.push(number as u8 + 1),
                None => {
                    rest.push(0);
                    push_string(&column.name, &mut rest);
                }
            }
            column.codec.push(&mut rest);
            rest.push(if *linked { LINKED } else { widths.next().unwrap_or(0) });
        }
        push_varint(links.len() as u64, &mut rest);
        links.iter().for_each(|link| link.push(&mut rest));
        let games: Vec<u64> = self.games.iter().map(|schema| u64::from(*schema)).collect();
        rest.push(width(&games));
        push_planes(&games, &mut rest);
        written.iter().for_each(|numbers| push_planes(numbers, &mut rest));
        push_texts(plain().flat_map(|column| &column.local), &mut rest);
        if !links.is_empty() {
            push_string(&self.encode_linked(&links), &mut rest);
            let columns = links.iter().filter_map(|link| self.columns.get(link.column));
            push_texts(columns.flat_map(|column| &column.local), &mut rest);
        }
        // Schemas that no game has make up for values that take no bytes.
        let padding = budget::padding(self.charge(&is_linked), rest.len(), self.games.len());
        let mut raw = Vec::new();
        push_varint((self.schemas.len() + padding) as u64, &mut raw);
        for schema in &self.schemas {
            push_varint(schema.len() as u64, &mut raw);
            schema.iter().for_each(|column| push_varint(u64::from(*column), &mut raw));
        }
        raw.resize(raw.len() + padding, 0);
        raw.append(&mut rest);
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
        predicted::choose(
            &names,
            |column| codec(column).is_some_and(|codec| *codec != Codec::Text),
            |column| codec(column) == Some(&Codec::Signed),
        )
    }

    /// What the values of all columns are charged.
    fn charge(&self, is_linked: &[bool]) -> u64 {
        let one = |(column, linked): (&ColumnDraft, &bool)| {
            column.cells_len() as u64 * charge_of(&column.name, &column.codec, *linked)
        };
        self.columns.iter().zip(is_linked).map(one).sum()
    }

    fn encode_linked(&self, links: &[Link]) -> Vec<u8> {
        let needed = predicted::needed(links, self.columns.len());
        let cells = self.columns.iter().zip(needed);
        let cells: Vec<_> = cells.map(|(column, needed)| if needed { column.cells() } else { Vec::new() }).collect();
        let mut coder = Encoder::new();
        // The draft's columns fit together.
        let _ = predicted::code(
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

/// What each value of a column is charged: the column's name, which comes with it, what all values begin with, and its
/// number where it takes no byte of its own.
fn charge_of(name: &[u8], codec: &Codec, is_linked: bool) -> u64 {
    let prefix = if let Codec::Base62(prefix) = codec { prefix.len() } else { 0 };
    (name.len() + prefix) as u64 + if is_linked { budget::LINKED } else { 0 }
}

/// Appends the lengths of texts, then the texts.
fn push_texts<'a>(texts: impl Iterator<Item = &'a Box<[u8]>> + Clone, out: &mut Vec<u8>) {
    texts.clone().for_each(|text| push_varint(text.len() as u64, out));
    texts.for_each(|text| out.extend_from_slice(text));
}

/// Reads the places of so many texts.
fn read_texts(raw: &[u8], bytes: &mut Bytes, count: usize, out: &mut Vec<Range<usize>>) -> Option<()> {
    // A length takes a byte at least.
    out.try_reserve_exact(Some(count).filter(|count| *count <= bytes.0.len())?).ok()?;
    let first = out.len();
    for _ in 0..count {
        out.push(0..bytes.count()?);
    }
    for place in out.iter_mut().skip(first) {
        let start = raw.len() - bytes.0.len();
        bytes.take(place.end)?;
        *place = start..start + place.end;
    }
    Some(())
}

/// The bytes that the greatest of these numbers takes; 0 where all are zero.
pub(crate) fn width(numbers: &[u64]) -> u8 {
    let all = numbers.iter().fold(0, |all, number| all | number);
    (64 - all.leading_zeros()).div_ceil(8) as u8
}

/// Appends the lowest bytes of all numbers, then the next bytes, and so on: likes stand together.
pub(crate) fn push_planes(numbers: &[u64], out: &mut Vec<u8>) {
    for plane in 0..width(numbers) {
        out.extend(numbers.iter().map(|number| (number >> (8 * plane)) as u8));
    }
}

pub(crate) fn read_planes(bytes: &mut Bytes, width: u8, count: usize) -> Option<Vec<u64>> {
    if width > 8 {
        return None;
    }
    let planes = bytes.take(count.checked_mul(usize::from(width))?)?;
    let mut numbers = budget::alike(0, count)?;
    for (plane, bytes) in planes.chunks_exact(count.max(1)).enumerate() {
        for (number, byte) in numbers.iter_mut().zip(bytes) {
            *number |= u64::from(*byte) << (8 * plane);
        }
    }
    Some(numbers)
}

/// Which columns the tags of games are in, read.
#[derive(Debug)]
struct Schemas {
    /// The columns of all, one schema after the other, and where each ends.
    columns: Vec<u32>,
    ends: Vec<u32>,
}

impl Schemas {
    fn read(bytes: &mut Bytes) -> Option<Schemas> {
        // A schema takes a byte at least, and so does each of its columns.
        let count = bytes.count().filter(|count| *count <= bytes.0.len())?;
        let (mut columns, mut ends) = (Vec::new(), budget::with_room(count)?);
        for _ in 0..count {
            let tags = bytes.count().filter(|tags| *tags <= bytes.0.len())?;
            columns.try_reserve(tags).ok()?;
            for _ in 0..tags {
                columns.push(u32::try_from(bytes.varint()?).ok()?);
            }
            ends.push(u32::try_from(columns.len()).ok()?);
        }
        Some(Schemas { columns, ends })
    }

    fn get(&self, number: u32) -> Option<&[u32]> {
        let start = number.checked_sub(1).map_or(Some(0), |before| self.ends.get(before as usize).copied())?;
        self.columns.get(start as usize..*self.ends.get(number as usize)? as usize)
    }
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
    schemas: Schemas,
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
        let mut budget = Budget::new(raw.len(), games, limits);
        let schemas = Schemas::read(&mut bytes)?;
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
        let links = bytes.count().filter(|links| *links <= predicted::MOST)?;
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
        let (mut first, mut values, mut linked) = (budget::with_room(games)?, Vec::new(), 0);
        let mut game_schemas = budget::with_room(games)?;
        for number in numbers {
            let number = u32::try_from(number).ok()?;
            let schema = schemas.get(number)?;
            first.push(u32::try_from(values.len()).ok()?);
            values.try_reserve(schema.len()).ok()?;
            let before = linked;
            for column in schema {
                let count = counts.get_mut(*column as usize)?;
                values.push(*count);
                *count = count.checked_add(1)?;
                linked += usize::from(is_linked[*column as usize]);
            }
            budget.draw(linked - before, budget::LINKED)?;
            // Every other tag takes a byte at least: a number in a plane, or a text's length.
            if values.len() - linked > raw.len() {
                return None;
            }
            game_schemas.push(number);
        }
        let mut locals = 0u32;
        for ((column, width), count) in columns.iter_mut().zip(widths).zip(counts) {
            budget.draw(count as usize, charge_of(&column.name, &column.codec, false))?;
            if width == LINKED {
                continue;
            }
            if column.codec == Codec::Text {
                let end = locals.checked_add(count)?;
                column.cells = budget::with_room(count as usize)?;
                column.cells.extend((locals..end).map(Cell::Local));
                locals = end;
                continue;
            }
            let mut before = 0;
            let written = read_planes(&mut bytes, width, count as usize)?;
            column.cells = budget::with_room(written.len())?;
            for written in written {
                column.cells.push(match written.checked_sub(1) {
                    None => {
                        locals = locals.checked_add(1)?;
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
            let games = game_schemas.iter().map(|schema: &u32| schemas.get(*schema).unwrap_or_default());
            let codes = predicted::code(&links, columns.len(), games, &mut coder, cell, |_, _| 0)?;
            for (link, codes) in links.iter().zip(codes) {
                let mut cells = budget::with_room(codes.len())?;
                for code in codes {
                    cells.push(match code.checked_sub(1) {
                        Some(number) => Cell::Number(number),
                        None => {
                            locals = locals.checked_add(1)?;
                            Cell::Local(locals - 1)
                        }
                    });
                }
                columns[link.column].cells = cells;
            }
            let more = locals as usize - local.len();
            read_texts(&raw, &mut bytes, more, &mut local)?;
        }
        bytes.0.is_empty().then_some(Tags { columns, schemas, games: game_schemas, first, values, raw, local })
    }

    /// Calls `tag` with each tag pair of game `index` of the chunk (from 0), in order. Returns `None` where there is no such game.
    pub fn visit<'a>(&'a self, index: usize, mut tag: impl FnMut(&'a [u8], Value)) -> Option<()> {
        let schema = self.schemas.get(*self.games.get(index)?)?;
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
        let schemas = (0..self.schemas.ends.len() as u32).map_while(|number| self.schemas.get(number));
        let places: Vec<Option<usize>> = schemas.map(|schema| schema.iter().position(of_name)).collect();
        let mut text = Vec::new();
        for (schema, first) in self.games.iter().zip(&self.first) {
            let Some(place) = *places.get(*schema as usize)? else {
                seen(None);
                continue;
            };
            let column = self.columns.get(*self.schemas.get(*schema)?.get(place)? as usize)?;
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

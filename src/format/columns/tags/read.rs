//! Reads the payload of a tags block.

use super::names::{NAMES, PREDICTED, charge_of};
use crate::format::budget::{self, Allowance, Budget};
use crate::format::coder::predicted::{self, Prediction};
use crate::format::coder::range::RangeDecoder;
use crate::format::columns::codec::Codec;
use crate::format::columns::planes::{read_column, read_planes};
use crate::format::limits::Limits;
use crate::format::refused::{reserved, unassigned};
use crate::format::wire::{Bytes, read_beginning, read_compressed_within};
use std::ops::Range;

/// Reads the lengths of `count` texts, and returns their ranges.
fn read_texts(raw: &[u8], bytes: &mut Bytes, count: usize, out: &mut Vec<Range<usize>>) -> Option<()> {
    // Each length takes at least one byte.
    let fitting = Some(count).filter(|count| *count <= bytes.0.len())?;
    reserved(out.try_reserve_exact(fitting), fitting.saturating_mul(size_of::<Range<usize>>()))?;
    let first = out.len();
    for _ in 0..count {
        out.push(0..bytes.count()?);
    }
    for range in out.iter_mut().skip(first) {
        let start = raw.len() - bytes.0.len();
        bytes.take(range.end)?;
        *range = start..start + range.end;
    }
    Some(())
}

/// The columns of each schema.
#[derive(Debug)]
struct Schemas {
    /// The columns of all schemas, concatenated, and the end of each schema.
    columns: Vec<u32>,
    ends: Vec<u32>,
}

impl Schemas {
    fn read(bytes: &mut Bytes, budget: &mut Budget) -> Option<Schemas> {
        // Each schema takes at least one byte, and so does each of its columns.
        let count = bytes.count().filter(|count| *count <= bytes.0.len())?;
        budget.draw(count, budget::SCHEMA)?;
        let (mut columns, mut ends) = (Vec::new(), budget::with_room(count)?);
        for _ in 0..count {
            let tags = bytes.count().filter(|tags| *tags <= bytes.0.len())?;
            budget.draw(tags, budget::SCHEMA_TAG)?;
            reserved(columns.try_reserve(tags), 4 * tags)?;
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

/// A decoded value in a column.
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

/// The number of bytes at the beginning of the tags of a chunk that usually contain the names of its columns.
const BEGINNING: usize = 4096;

/// The decoded tags of a chunk.
#[derive(Debug)]
pub struct Tags {
    columns: Vec<Column>,
    schemas: Schemas,
    games: Vec<u32>,
    /// The index in `values` of each game's first tag.
    first: Vec<u32>,
    /// The index of each tag's value in its column, for all tags of all games.
    values: Vec<u32>,
    raw: Vec<u8>,
    local: Vec<Range<usize>>,
}

/// A tag's value as stored in the chunk.
#[derive(Clone, Copy, Debug)]
pub enum StoredValue<'a> {
    /// The text.
    Text(&'a [u8]),
    /// The value's number in the archive's dictionary.
    Dictionary(u64),
}

impl Tags {
    /// Returns whether a payload has a column of this name, from its beginning alone. Returns `None` if the beginning
    /// does not suffice. The payload may be damaged.
    pub fn has_name(payload: &[u8], games: usize, name: &[u8]) -> Option<bool> {
        let raw = read_beginning(payload, BEGINNING)?;
        let (mut bytes, limits) = (Bytes(&raw), Limits::DEFAULT);
        let mut budget = Budget::new(payload.len(), Allowance::Chunk(games), &limits);
        Schemas::read(&mut bytes, &mut budget)?;
        for _ in 0..bytes.count()? {
            let found = match bytes.u8()? {
                0 => bytes.string()? == name,
                number => NAMES.get(usize::from(number) - 1)?.as_bytes() == name,
            };
            if found {
                return Some(true);
            }
            if !matches!(Codec::read(&mut bytes)?, Codec::Skipped(_)) {
                bytes.u8()?;
            }
        }
        Some(false)
    }

    /// Reads a payload whose CRC has been verified. `games` is the number of games in the chunk.
    pub fn decode(payload: &[u8], games: usize) -> Option<Tags> {
        Tags::decode_within(payload, games, &Limits::DEFAULT)
    }

    /// Reads a payload within these limits.
    pub fn decode_within(payload: &[u8], games: usize, limits: &Limits) -> Option<Tags> {
        let mut budget = Budget::new(payload.len(), Allowance::Chunk(games), limits);
        let raw = read_compressed_within(payload, &mut budget)?;
        budget.draw(games, budget::GAME)?;
        let mut bytes = Bytes(&raw);
        let schemas = Schemas::read(&mut bytes, &mut budget)?;
        let count = bytes.count()?;
        budget.draw(count, budget::COLUMN)?;
        let (mut columns, mut widths) = (budget::with_room(count)?, budget::with_room(count)?);
        for _ in 0..count {
            let name = match bytes.u8()? {
                0 => budget::copy(bytes.string()?)?,
                number => match NAMES.get(usize::from(number) - 1) {
                    Some(name) => name.as_bytes().into(),
                    None => return unassigned("names of tags", number),
                },
            };
            let codec = Codec::read(&mut bytes)?;
            // A skippable column has no width, because no game has a value in it.
            widths.push(if matches!(codec, Codec::Skipped(_)) { 0 } else { bytes.u8()? });
            columns.push(Column { name, codec, cells: Vec::new() });
        }
        let predictions = bytes.count().filter(|predictions| *predictions <= predicted::MOST)?;
        budget.draw(predictions, budget::PREDICTION)?;
        let predictions: Option<Vec<Prediction>> = (0..predictions).map(|_| Prediction::read(&mut bytes)).collect();
        let predictions = predictions?;
        let is_predicted: Vec<bool> = budget::collect(widths.iter().map(|width| *width == PREDICTED))?;
        let mut predicted: Vec<usize> = predictions.iter().map(|prediction| prediction.column).collect();
        predicted.sort_unstable();
        let expected = is_predicted.iter().enumerate().filter(|(_, predicted)| **predicted).map(|(column, _)| column);
        let has_codes =
            |prediction: &Prediction| columns.get(prediction.column).is_some_and(|column| column.codec != Codec::Text);
        if !predicted.into_iter().eq(expected) || !predictions.iter().all(has_codes) {
            return None;
        }
        // If all games use the first schema, no plane bounds the number of games. The number that the caller passes is
        // safe, because each game has a record.
        let numbers = read_column(&mut bytes, games)?;
        let charges = columns.iter().enumerate();
        let charges =
            charges.map(|(number, Column { name, codec, .. })| charge_of(name, codec, number, &predictions, limits));
        let charges: Vec<u64> = budget::collect(charges)?;
        let mut counts = budget::alike(0u32, columns.len())?;
        let (mut first, mut values) = (budget::with_room(games)?, Vec::new());
        let mut game_schemas = budget::with_room(games)?;
        for number in numbers {
            let number = u32::try_from(number).ok()?;
            let schema = schemas.get(number)?;
            first.push(u32::try_from(values.len()).ok()?);
            for column in schema {
                budget.draw(1, *charges.get(*column as usize)?)?;
            }
            reserved(values.try_reserve(schema.len()), 4 * schema.len())?;
            for column in schema {
                let count = counts.get_mut(*column as usize)?;
                values.push(*count);
                *count = count.checked_add(1)?;
            }
            game_schemas.push(number);
        }
        let mut locals = 0u32;
        for ((column, width), count) in columns.iter_mut().zip(widths).zip(counts) {
            if width == PREDICTED {
                continue;
            }
            if count > 0 && matches!(column.codec, Codec::Skipped(_)) {
                return None;
            }
            if column.codec == Codec::Text {
                let end = locals.checked_add(count)?;
                budget.draw(count as usize, budget::LOCAL)?;
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
                        budget.draw(1, budget::LOCAL)?;
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
        if !predictions.is_empty() {
            let cell = |column: usize, row: usize| {
                Some(match *columns.get(column)?.cells.get(row)? {
                    Cell::Number(number) => (number.wrapping_add(1), b"".as_slice()),
                    Cell::Local(text) => (0, raw.get(local.get(text as usize)?.clone())?),
                })
            };
            let mut coder = RangeDecoder::new(bytes.string()?);
            let games = game_schemas.iter().map(|schema: &u32| schemas.get(*schema).unwrap_or_default());
            let codes = predicted::code(&predictions, columns.len(), games, &mut coder, cell, |_, _| 0)?;
            for (prediction, codes) in predictions.iter().zip(codes) {
                let mut cells = budget::with_room(codes.len())?;
                for code in codes {
                    cells.push(match code.checked_sub(1) {
                        Some(number) => Cell::Number(number),
                        None => {
                            budget.draw(1, budget::LOCAL)?;
                            locals = locals.checked_add(1)?;
                            Cell::Local(locals - 1)
                        }
                    });
                }
                columns.get_mut(prediction.column)?.cells = cells;
            }
            let more = locals as usize - local.len();
            read_texts(&raw, &mut bytes, more, &mut local)?;
        }
        bytes.0.is_empty().then_some(Tags { columns, schemas, games: game_schemas, first, values, raw, local })
    }

    /// Calls `tag` with each tag pair of a game in order, given the index of the game in the chunk, from 0. Returns
    /// `None` if the game does not exist.
    pub fn visit<'a>(&'a self, index: usize, mut tag: impl FnMut(&'a [u8], StoredValue)) -> Option<()> {
        let schema = self.schemas.get(*self.games.get(index)?)?;
        let mut text = Vec::with_capacity(64);
        let first = *self.first.get(index)? as usize;
        for (column, cell) in schema.iter().zip(self.values.get(first..)?) {
            let column = self.columns.get(*column as usize)?;
            let value = self.value(column, *cell, &mut text)?;
            tag(&column.name, value);
        }
        Some(())
    }

    /// Calls `seen` for each game in order, with the value of its first tag of this name, or `None` if it has no such
    /// tag. Returns `None` if the block is inconsistent.
    pub fn visit_column(&self, name: &[u8], mut seen: impl FnMut(Option<StoredValue<'_>>)) -> Option<()> {
        // A schema may contain the tag twice, and a malicious file may contain two columns with the same name. The
        // first tag in the order of the game is used.
        let of_name = |column: &u32| self.columns.get(*column as usize).is_some_and(|column| *column.name == *name);
        let schemas = (0..self.schemas.ends.len() as u32).map_while(|number| self.schemas.get(number));
        let indices: Vec<Option<usize>> = schemas.map(|schema| schema.iter().position(of_name)).collect();
        let mut text = Vec::new();
        for (schema, first) in self.games.iter().zip(&self.first) {
            let Some(index) = *indices.get(*schema as usize)? else {
                seen(None);
                continue;
            };
            let column = self.columns.get(*self.schemas.get(*schema)?.get(index)? as usize)?;
            let cell = *self.values.get(*first as usize + index)?;
            seen(Some(self.value(column, cell, &mut text)?));
        }
        Some(())
    }

    /// Iterates over the names of the columns of tags.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.columns.iter().filter(|column| !matches!(column.codec, Codec::Skipped(_))).map(|column| &*column.name)
    }

    fn value<'a>(&'a self, column: &'a Column, cell: u32, text: &'a mut Vec<u8>) -> Option<StoredValue<'a>> {
        Some(match *column.cells.get(cell as usize)? {
            Cell::Local(local) => StoredValue::Text(self.raw.get(self.local.get(local as usize)?.clone())?),
            Cell::Number(number) if column.codec == Codec::Dictionary => StoredValue::Dictionary(number),
            // In damaged blocks, predicted numbers may have any value. No writer produces numbers beyond 32 bits.
            Cell::Number(number) if column.codec == Codec::Integer && number > u64::from(u32::MAX) => return None,
            Cell::Number(number) => {
                text.clear();
                column.codec.render(number, text);
                StoredValue::Text(text)
            }
        })
    }
}

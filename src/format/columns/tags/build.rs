//! Collects tag pairs and writes them as the payload of a block.

use super::names::{NAMES, PREDICTED, charge_of};
use crate::format::budget::{self, Allowance, Cost};
use crate::format::coder::predicted::{self, Prediction};
use crate::format::coder::range::RangeEncoder;
use crate::format::columns::codec::Codec;
use crate::format::columns::planes::{push_column, push_planes, width};
use crate::format::limits::Limits;
use crate::format::wire::{Mixed, push_string, push_varint};
use foldhash::HashMap;
use hashbrown::HashTable;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

/// The number of names that are found by linear search. Further names are found by hashing.
const FEW: usize = 64;

/// Returns whether two texts are equal, without calling `memcmp`. Nearly all texts are short, and for each tag of each
/// game, the call of libc's `memcmp` would take longer than the comparison.
#[inline]
fn is_same(a: &[u8], b: &[u8]) -> bool {
    fn ends<const N: usize>(text: &[u8]) -> Option<([u8; N], [u8; N])> {
        Some((*text.first_chunk()?, *text.last_chunk()?))
    }
    a.len() == b.len()
        && match a.len() {
            4..=8 => ends::<4>(a) == ends::<4>(b),
            9..=16 => ends::<8>(a) == ends::<8>(b),
            17..=32 => ends::<16>(a) == ends::<16>(b),
            _ => a == b,
        }
}

/// The numbers of distinct texts, with the hash of each text.
#[derive(Default)]
struct DistinctTexts {
    table: HashTable<(u64, u32)>,
    hasher: foldhash::fast::RandomState,
}

impl DistinctTexts {
    /// Returns the number of a text among the distinct texts, or `next` if it equals none of `known`.
    #[inline]
    fn of(&mut self, text: &[u8], next: u32, known: impl Fn(u32) -> bool) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(text);
        let hash = hasher.finish();
        let is_it = |(known_hash, index): &(u64, u32)| *known_hash == hash && known(*index);
        self.table.entry(hash, is_it, |(hash, _)| *hash).or_insert((hash, next)).get().1
    }
}

/// Collects the tag pairs of the games in a chunk.
#[derive(Default, Debug)]
pub struct TagsBuilder {
    names: Vec<Box<[u8]>>,
    /// The number of each column by its name, except for the first few columns.
    by_name: HashMap<Box<[u8]>, u32>,
    /// The values of each column, each as a range of `text`.
    columns: Vec<Vec<Range<u32>>>,
    text: Vec<u8>,
    schemas: Vec<Box<[u32]>>,
    schema_numbers: HashMap<Box<[u32]>, u32>,
    games: Vec<u32>,
    /// The columns of the previous game, and the index of the next expected tag among them.
    before: Vec<u32>,
    next: usize,
    /// Whether the tag names of the current game, or their order, differ from the previous game. If it does, `current`
    /// contains the columns of the current game.
    differs: bool,
    current: Vec<u32>,
    /// The offset at which the text of the current game starts.
    begin: usize,
}

impl TagsBuilder {
    /// Adds a tag pair to the current game.
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        let column = self.column(name);
        let start = self.text.len() as u32;
        self.text.extend_from_slice(value);
        self.push_range(column, start..self.text.len() as u32);
    }

    /// Returns the number of columns. Each name has one column, numbered in the order of first occurrence.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Returns the column in which the next tag is expected. Games from one source nearly always contain the same tags
    /// in the same order.
    #[inline]
    pub fn expected(&self) -> Option<u32> {
        self.before.get(self.next).copied()
    }

    /// Adds a tag pair to the expected column. `value` is a range of the text that the next call of `push_text` adds.
    #[inline]
    pub fn push_expected(&mut self, value: Range<usize>) {
        if let Some(column) = self.expected() {
            self.next += 1;
            let begin = self.text.len();
            self.push_range(column, (begin + value.start) as u32..(begin + value.end) as u32);
        }
    }

    /// Adds the text that contains the values of preceding calls of `push_expected`.
    pub fn push_text(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
    fn push_range(&mut self, column: u32, value: Range<u32>) {
        self.columns[column as usize].push(value);
        if self.differs {
            self.current.push(column);
        }
    }

    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
    fn column(&mut self, name: &[u8]) -> u32 {
        let is_named = |column: &u32| is_same(&self.names[*column as usize], name);
        let ahead = self.before.get(self.next..).and_then(|rest| rest.iter().position(is_named));
        if ahead != Some(0) {
            self.differ();
        }
        if let Some(ahead) = ahead {
            self.next += ahead + 1;
            return self.before[self.next - 1];
        }
        // A normal source contains few names, but a malicious source may contain any number.
        if let Some(column) = self.names.iter().take(FEW).position(|known| is_same(known, name)) {
            return column as u32;
        }
        let next = self.names.len() as u32;
        if next as usize >= FEW {
            match self.by_name.entry(name.into()) {
                Entry::Occupied(known) => return *known.get(),
                Entry::Vacant(slot) => slot.insert(next),
            };
        }
        self.names.push(name.into());
        self.columns.push(Vec::new());
        next
    }

    /// Records that the current game has other tag names or another order of tags than the previous game.
    fn differ(&mut self) {
        if !self.differs {
            self.differs = true;
            self.current.extend_from_slice(self.before.get(..self.next).unwrap_or_default());
        }
    }

    /// Ends the current game.
    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
    pub fn end_game(&mut self) {
        if self.next < self.before.len() || self.games.is_empty() {
            self.differ();
        }
        let schema = if self.differs {
            let known = self.schema_numbers.get(self.current.as_slice()).copied();
            let schema = known.unwrap_or_else(|| {
                let schema = self.schemas.len() as u32;
                self.schemas.push(self.current.as_slice().into());
                self.schema_numbers.insert(self.current.as_slice().into(), schema);
                schema
            });
            std::mem::swap(&mut self.before, &mut self.current);
            schema
        } else {
            self.games[self.games.len() - 1]
        };
        self.games.push(schema);
        self.begin_game();
    }

    fn begin_game(&mut self) {
        self.current.clear();
        (self.next, self.differs, self.begin) = (0, false, self.text.len());
    }

    /// Returns the names and values of the current game's tags.
    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
    pub fn current(&mut self) -> Vec<[Box<[u8]>; 2]> {
        self.differ();
        // A game may contain a name more than once: the last values of the column are those of the game.
        let mut taken = vec![0; self.columns.len()];
        let mut tags = Vec::with_capacity(self.current.len());
        for column in self.current.iter().rev().map(|column| *column as usize) {
            taken[column] += 1;
            let values = &self.columns[column];
            let Range { start, end } = values[values.len() - taken[column]].clone();
            tags.push([self.names[column].clone(), self.text[start as usize..end as usize].into()]);
        }
        tags.reverse();
        tags
    }

    /// Drops the tags of the current game.
    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
    pub fn rewind(&mut self) {
        self.differ();
        for column in self.current.iter().rev() {
            self.columns[*column as usize].pop();
        }
        self.text.truncate(self.begin);
        self.begin_game();
    }

    /// Returns the number of bytes of text in memory.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Selects the codecs of the columns, and finds the distinct strings of dictionary columns.
    pub fn analyse(self) -> TagsDraft {
        let mut columns = Vec::with_capacity(self.columns.len());
        let (mut values, mut distinct_texts) = (Vec::new(), DistinctTexts::default());
        for (name, ranges) in self.names.into_iter().zip(self.columns) {
            values.clear();
            values.extend(ranges.iter().map(|range| of_range(&self.text, range)));
            let (codec, codes) = Codec::choose(&name, &values);
            let mut draft = ColumnDraft { name, codec, codes, distinct: Vec::new(), local: Vec::new() };
            match &draft.codec {
                Codec::Text => {
                    if draft.refer(&values, &ranges, values.len() * 3 / 4, &mut distinct_texts) {
                        draft.codec = Codec::Dictionary;
                    } else {
                        draft.distinct.clear();
                        draft.local = ranges;
                    }
                }
                Codec::Dictionary => {
                    draft.refer(&values, &ranges, usize::MAX, &mut distinct_texts);
                }
                _ => {
                    let without = ranges.into_iter().zip(&draft.codes).filter(|(_, code)| **code == 0);
                    draft.local.extend(without.map(|(range, _)| range));
                }
            }
            columns.push(draft);
        }
        TagsDraft { columns, schemas: self.schemas, games: self.games, text: self.text }
    }
}

/// Returns the bytes of a range in a builder's text.
#[inline]
#[expect(clippy::indexing_slicing, reason = "texts are numbered by the builder")]
fn of_range<'a>(text: &'a [u8], range: &Range<u32>) -> &'a [u8] {
    &text[range.start as usize..range.end as usize]
}

/// A column to be written to the block. The strings of the column are ranges of the draft's text.
#[derive(Debug)]
struct ColumnDraft {
    name: Box<[u8]>,
    codec: Codec,
    /// The code of each value: 0 for a value stored as text, otherwise the value's number plus 1. In dictionary
    /// columns, until `intern` is called, the code is the index in `distinct` plus 1.
    codes: Vec<u64>,
    distinct: Vec<Range<u32>>,
    local: Vec<Range<u32>>,
}

impl ColumnDraft {
    /// Replaces the values with references to distinct strings, unless there are more than `most` distinct strings.
    /// `distinct_texts` is a reusable buffer.
    fn refer(
        &mut self,
        values: &[&[u8]],
        ranges: &[Range<u32>],
        most: usize,
        distinct_texts: &mut DistinctTexts,
    ) -> bool {
        distinct_texts.table.clear();
        self.codes.reserve_exact(values.len());
        let mut distinct: Vec<&[u8]> = Vec::new();
        for (&value, range) in values.iter().zip(ranges) {
            let next = distinct.len();
            let is_same = |index: u32| distinct.get(index as usize).is_some_and(|known| is_same(known, value));
            let index = distinct_texts.of(value, next as u32, is_same) as usize;
            self.codes.push(index as u64 + 1);
            if index == next {
                distinct.push(value);
                self.distinct.push(range.clone());
                if index >= most {
                    self.codes.clear();
                    return false;
                }
            }
        }
        true
    }
}

impl ColumnDraft {
    /// Returns the number to write for each value.
    fn written(&self) -> Vec<u64> {
        let mut before = 0;
        let write = |code: &u64| match code.checked_sub(1) {
            Some(value) => self.codec.difference(value, std::mem::replace(&mut before, value)) + 1,
            None => 0,
        };
        self.codes.iter().map(write).collect()
    }

    /// Returns the number of values in the column.
    fn cells_len(&self) -> usize {
        if self.codec == Codec::Text { self.local.len() } else { self.codes.len() }
    }

    /// Returns the code of each value, and the text of each value without a code.
    fn cells<'a>(&self, text: &'a [u8]) -> Vec<predicted::Cell<'a>> {
        let mut local = self.local.iter().map(|range| of_range(text, range));
        match self.codec {
            Codec::Text => local.map(|text| (0, text)).collect(),
            _ => {
                let text = |code| if code == 0 { local.next().unwrap_or_default() } else { b"" };
                let mut text = text;
                self.codes.iter().map(|code| (*code, text(*code))).collect()
            }
        }
    }
}

/// The tags of a chunk, complete except for the dictionary numbers of the chunk's strings.
#[derive(Debug)]
pub struct TagsDraft {
    columns: Vec<ColumnDraft>,
    schemas: Vec<Box<[u32]>>,
    games: Vec<u32>,
    text: Vec<u8>,
}

impl TagsDraft {
    /// Calls `intern` for each distinct string, with the frequency of the string in this chunk, to obtain its number.
    /// Strings without a number are stored as text in the chunk, and so are strings that are too long for a dictionary.
    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
    pub fn intern(&mut self, mut intern: impl FnMut(&[u8], usize) -> Option<u64>) {
        for column in self.columns.iter_mut().filter(|column| column.codec == Codec::Dictionary) {
            let mut uses = vec![0; column.distinct.len()];
            column.codes.iter().for_each(|code| uses[(*code - 1) as usize] += 1);
            let mut number =
                |string: &[u8], uses| (string.len() <= Limits::DEFAULT.string).then(|| intern(string, uses))?;
            let distinct = column.distinct.iter().map(|range| of_range(&self.text, range));
            let numbers: Vec<_> = distinct.zip(uses).map(|(string, uses)| number(string, uses)).collect();
            for code in &mut column.codes {
                let index = (*code - 1) as usize;
                *code = match numbers[index] {
                    Some(number) => number + 1,
                    None => {
                        column.local.push(column.distinct[index].clone());
                        0
                    }
                };
            }
        }
    }

    /// Returns the payload of the block.
    pub fn encode(&self, level: i32) -> Vec<u8> {
        let mut rest = Mixed::default();
        let predictions = self.predictions();
        let is_predicted: Vec<bool> = (0..self.columns.len())
            .map(|column| predictions.iter().any(|prediction| prediction.column == column))
            .collect();
        let plain =
            || self.columns.iter().zip(&is_predicted).filter(|(_, predicted)| !**predicted).map(|(column, _)| column);
        let written: Vec<Vec<u64>> = plain().map(ColumnDraft::written).collect();
        let mut widths = written.iter().map(|numbers| width(numbers));
        push_varint(self.columns.len() as u64, &mut rest.bytes);
        for (column, predicted) in self.columns.iter().zip(&is_predicted) {
            match NAMES.iter().position(|name| name.as_bytes() == &*column.name) {
                Some(number) => rest.bytes.push(number as u8 + 1),
                None => {
                    rest.bytes.push(0);
                    push_string(&column.name, &mut rest.bytes);
                }
            }
            column.codec.push(&mut rest.bytes);
            rest.bytes.push(if *predicted { PREDICTED } else { widths.next().unwrap_or(0) });
        }
        push_varint(predictions.len() as u64, &mut rest.bytes);
        predictions.iter().for_each(|prediction| prediction.push(&mut rest.bytes));
        let games: Vec<u64> = self.games.iter().map(|schema| u64::from(*schema)).collect();
        push_column(&games, &mut rest);
        written.iter().for_each(|numbers| push_planes(numbers, &mut rest));
        self.push_texts(plain(), &mut rest);
        if !predictions.is_empty() {
            push_string(&self.encode_predicted(&predictions), &mut rest.bytes);
            let columns = predictions.iter().filter_map(|prediction| self.columns.get(prediction.column));
            self.push_texts(columns, &mut rest);
        }
        // Unused schemas pad the block if values that take no bytes need a larger budget.
        let cost = Cost { charge: self.charge(&predictions), allowance: Allowance::Chunk(self.games.len()) };
        let head: usize = self.schemas.iter().map(|schema| schema.len() + 1).sum();
        let padding = cost.padding(rest.bytes.len() + head, budget::RAW + budget::SCHEMA);
        let cost = Cost { charge: cost.charge + padding as u64 * budget::SCHEMA, ..cost };
        let mut head = Vec::new();
        push_varint((self.schemas.len() + padding) as u64, &mut head);
        for schema in &self.schemas {
            push_varint(schema.len() as u64, &mut head);
            schema.iter().for_each(|column| push_varint(u64::from(*column), &mut head));
        }
        head.resize(head.len() + padding, 0);
        rest.prepend(head);
        let mut payload = Vec::new();
        rest.push_columns(level, cost, &mut payload);
        payload
    }
}

impl TagsDraft {
    /// Returns the predictions for the columns of this chunk.
    fn predictions(&self) -> Vec<Prediction> {
        let names: Vec<&[u8]> = self.columns.iter().map(|column| &*column.name).collect();
        let codec = |column: usize| self.columns.get(column).map(|column| &column.codec);
        predicted::choose(
            &names,
            |column| codec(column).is_some_and(|codec| *codec != Codec::Text),
            |column| codec(column) == Some(&Codec::Signed),
        )
    }

    /// Returns the charge of all data in the block, without its raw bytes.
    fn charge(&self, predictions: &[Prediction]) -> u64 {
        let columns = self.columns.iter().enumerate().map(|(number, column)| {
            let each = charge_of(&column.name, &column.codec, number, predictions, &Limits::DEFAULT);
            budget::COLUMN + column.cells_len() as u64 * each + column.local.len() as u64 * budget::LOCAL
        });
        let schemas = self.schemas.iter().map(|schema| budget::SCHEMA + schema.len() as u64 * budget::SCHEMA_TAG);
        let fixed = predictions.len() as u64 * budget::PREDICTION + self.games.len() as u64 * budget::GAME;
        columns.chain(schemas).sum::<u64>() + fixed
    }

    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
    fn encode_predicted(&self, predictions: &[Prediction]) -> Vec<u8> {
        // If all values have codes, the codes are also the cells.
        let needed = predicted::needed(predictions, self.columns.len());
        let of_column = |(column, needed): (&ColumnDraft, bool)| match needed && !column.local.is_empty() {
            true => column.cells(&self.text),
            false => Vec::new(),
        };
        let cells: Vec<_> = self.columns.iter().zip(needed).map(of_column).collect();
        let code = |column: usize, index: usize| self.columns.get(column)?.codes.get(index).copied();
        let mut coder = RangeEncoder::new();
        // The columns of a draft are always consistent.
        let _ = predicted::code(
            predictions,
            cells.len(),
            self.games.iter().map(|schema| &*self.schemas[*schema as usize]),
            &mut coder,
            |column, index| match cells.get(column)?.get(index) {
                Some(cell) => Some(*cell),
                None => Some((code(column, index)?, b"")),
            },
            |prediction, index| {
                predictions.get(prediction).and_then(|prediction| code(prediction.column, index)).unwrap_or_default()
            },
        );
        coder.finish()
    }
    /// Appends the lengths of the columns' texts, and then the texts.
    fn push_texts<'a>(&self, columns: impl Iterator<Item = &'a ColumnDraft> + Clone, out: &mut Mixed) {
        let texts = columns.flat_map(|column| &column.local).map(|range| of_range(&self.text, range));
        texts.clone().for_each(|text| push_varint(text.len() as u64, &mut out.bytes));
        out.end_kind();
        texts.for_each(|text| out.bytes.extend_from_slice(text));
        out.end_kind();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_or_not() {
        for length in 0..100 {
            let text: Vec<u8> = (0..length).collect();
            assert!(is_same(&text, &text.clone()));
            assert!(!is_same(&text, &[text.as_slice(), b"x"].concat()));
            for at in 0..text.len() {
                let mut changed = text.clone();
                changed[at] ^= 0x80;
                assert!(!is_same(&text, &changed), "{length} {at}");
            }
        }
    }
}

//! Tag pairs collected, and written as the payload of a block.

use super::names::{NAMES, PREDICTED, charge_of};
use crate::format::budget;
use crate::format::coder::predicted::{self, Prediction};
use crate::format::coder::range::BitEncoder;
use crate::format::columns::codec::Codec;
use crate::format::columns::planes::{push_column, push_planes, width};
use crate::format::limits::Limits;
use crate::format::wire::{push_compressed, push_string, push_varint};
use foldhash::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// So many names are looked through, further ones looked up.
const FEW: usize = 64;

/// Whether two names are the same. Nearly all are short: libc, asked for each tag of each game, takes longer to be
/// called than to compare.
#[inline]
fn is_same(a: &[u8], b: &[u8]) -> bool {
    let ends = |name: &[u8]| Some((*name.first_chunk::<4>()?, *name.last_chunk::<4>()?));
    a.len() == b.len()
        && match (a, b) {
            ([.., _, _, _, _], [.., _, _, _, _]) if a.len() <= 8 => ends(a) == ends(b),
            _ => a == b,
        }
}

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
    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
    pub fn push(&mut self, name: &[u8], value: &[u8]) {
        let column = self.column(name);
        let start = self.text.len() as u32;
        self.text.extend_from_slice(value);
        self.columns[column as usize].push(start..self.text.len() as u32);
        self.current.push(column);
    }

    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
    fn column(&mut self, name: &[u8]) -> u32 {
        // Games of one source have the same tags in the same order, nearly always.
        let guess = self.games.last().and_then(|schema| self.schemas[*schema as usize].get(self.current.len()));
        if let Some(&guess) = guess
            && is_same(&self.names[guess as usize], name)
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
    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
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
    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
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
    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
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

/// A column to be written to the block.
#[derive(Debug)]
struct ColumnDraft {
    name: Box<[u8]>,
    codec: Codec,
    /// For each value: 0 for one kept as text, otherwise 1 more than its number. For dictionary columns: 1 more than
    /// the place in `distinct`, until `intern`.
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
    /// Asks `intern` for the number of each distinct string, given how often it stands here; those without a number
    /// stay in the chunk as text, and so do strings longer than a dictionary's may be.
    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
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
        let predictions = self.predictions();
        let is_predicted: Vec<bool> = (0..self.columns.len())
            .map(|column| predictions.iter().any(|prediction| prediction.column == column))
            .collect();
        let plain =
            || self.columns.iter().zip(&is_predicted).filter(|(_, predicted)| !**predicted).map(|(column, _)| column);
        let written: Vec<Vec<u64>> = plain().map(ColumnDraft::written).collect();
        let mut widths = written.iter().map(|numbers| width(numbers));
        push_varint(self.columns.len() as u64, &mut rest);
        for (column, predicted) in self.columns.iter().zip(&is_predicted) {
            match NAMES.iter().position(|name| name.as_bytes() == &*column.name) {
                Some(number) => rest.push(number as u8 + 1),
                None => {
                    rest.push(0);
                    push_string(&column.name, &mut rest);
                }
            }
            column.codec.push(&mut rest);
            rest.push(if *predicted { PREDICTED } else { widths.next().unwrap_or(0) });
        }
        push_varint(predictions.len() as u64, &mut rest);
        predictions.iter().for_each(|prediction| prediction.push(&mut rest));
        let games: Vec<u64> = self.games.iter().map(|schema| u64::from(*schema)).collect();
        push_column(&games, &mut rest);
        written.iter().for_each(|numbers| push_planes(numbers, &mut rest));
        push_texts(plain().flat_map(|column| &column.local), &mut rest);
        if !predictions.is_empty() {
            push_string(&self.encode_predicted(&predictions), &mut rest);
            let columns = predictions.iter().filter_map(|prediction| self.columns.get(prediction.column));
            push_texts(columns.flat_map(|column| &column.local), &mut rest);
        }
        // Schemas that no game has make up for values that take no bytes.
        let padding = budget::padding(self.charge(&is_predicted), rest.len(), self.games.len());
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
    /// Which columns others predict.
    fn predictions(&self) -> Vec<Prediction> {
        let names: Vec<&[u8]> = self.columns.iter().map(|column| &*column.name).collect();
        let codec = |column: usize| self.columns.get(column).map(|column| &column.codec);
        predicted::choose(
            &names,
            |column| codec(column).is_some_and(|codec| *codec != Codec::Text),
            |column| codec(column) == Some(&Codec::Signed),
        )
    }

    /// What the values of all columns are charged.
    fn charge(&self, is_predicted: &[bool]) -> u64 {
        let one = |(column, predicted): (&ColumnDraft, &bool)| {
            column.cells_len() as u64 * charge_of(&column.name, &column.codec, *predicted)
        };
        self.columns.iter().zip(is_predicted).map(one).sum()
    }

    #[expect(clippy::indexing_slicing, reason = "columns, schemas and texts are numbered by the builder")]
    fn encode_predicted(&self, predictions: &[Prediction]) -> Vec<u8> {
        let needed = predicted::needed(predictions, self.columns.len());
        let cells = self.columns.iter().zip(needed);
        let cells: Vec<_> = cells.map(|(column, needed)| if needed { column.cells() } else { Vec::new() }).collect();
        let mut coder = BitEncoder::new();
        // The draft's columns fit together.
        let _ = predicted::code(
            predictions,
            cells.len(),
            self.games.iter().map(|schema| &*self.schemas[*schema as usize]),
            &mut coder,
            |column, place| cells.get(column)?.get(place).copied(),
            |prediction, place| {
                predictions
                    .get(prediction)
                    .and_then(|prediction| Some(cells.get(prediction.column)?.get(place)?.0))
                    .unwrap_or_default()
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

//! The texts of a chunk of games, in the order of their places (FORMAT.md, "Texts blocks").

use super::wire::{Bytes, push_compressed, push_varint, read_compressed};
use crate::game::TextKind;

/// Collects the texts of a chunk of games.
#[derive(Default, Debug)]
pub struct TextsBuilder {
    counts: Vec<u32>,
    open: u32,
    kinds: Vec<u8>,
    lengths: Vec<u32>,
    bytes: Vec<u8>,
}

/// A place to go back to in a builder.
#[derive(Clone, Copy, Debug)]
pub struct TextsMark {
    texts: usize,
    bytes: usize,
}

impl TextsBuilder {
    /// Adds a text to the current game.
    pub fn push(&mut self, kind: TextKind, text: &[u8]) {
        self.kinds.push(kind as u8);
        self.lengths.push(text.len() as u32);
        self.bytes.extend_from_slice(text);
        self.open += 1;
    }

    /// Ends the current game.
    pub fn end_game(&mut self) {
        self.counts.push(std::mem::take(&mut self.open));
    }

    /// Returns the place reached, between games.
    pub fn mark(&self) -> TextsMark {
        TextsMark { texts: self.kinds.len(), bytes: self.bytes.len() }
    }

    /// Forgets the current game's texts.
    pub fn rewind(&mut self, mark: TextsMark) {
        self.kinds.truncate(mark.texts);
        self.lengths.truncate(mark.texts);
        self.bytes.truncate(mark.bytes);
        self.open = 0;
    }

    /// Returns whether no game has a text: then there is no texts block.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns the payload of the block.
    pub fn encode(&self, level: i32) -> Vec<u8> {
        let mut raw = Vec::with_capacity(self.bytes.len() + self.counts.len() + 2 * self.kinds.len());
        for count in &self.counts {
            push_varint(u64::from(*count), &mut raw);
        }
        raw.extend_from_slice(&self.kinds);
        for length in &self.lengths {
            push_varint(u64::from(*length), &mut raw);
        }
        raw.extend_from_slice(&self.bytes);
        let mut payload = Vec::new();
        push_compressed(&raw, level, &mut payload);
        payload
    }
}

/// The texts of a chunk, read.
#[derive(Debug)]
pub struct Texts {
    raw: Vec<u8>,
    /// The first text of each game, and one more.
    first: Vec<u32>,
    kinds: Vec<TextKind>,
    /// The start of each text in `raw`, and the end of the last.
    starts: Vec<usize>,
}

impl Texts {
    /// Reads a payload whose CRC holds; `games` is the chunk's number of games.
    pub fn decode(payload: &[u8], games: usize) -> Option<Texts> {
        let raw = read_compressed(payload)?;
        let mut bytes = Bytes(&raw);
        let mut first = Vec::with_capacity(games.min(raw.len()) + 1);
        let mut total = 0u32;
        for _ in 0..games {
            first.push(total);
            total = total.checked_add(u32::try_from(bytes.varint()?).ok()?)?;
        }
        first.push(total);
        let kinds = bytes.take(total as usize)?;
        let kinds: Option<Vec<_>> = kinds.iter().map(|kind| TextKind::from_number(*kind)).collect();
        let lengths: Option<Vec<usize>> = (0..total).map(|_| bytes.count()).collect();
        let mut start = raw.len() - bytes.0.len();
        let mut starts = Vec::with_capacity(total as usize + 1);
        for length in lengths? {
            starts.push(start);
            start = start.checked_add(length)?;
        }
        starts.push(start);
        (start == raw.len()).then_some(Texts { first, kinds: kinds?, starts, raw })
    }

    /// Returns the texts of game `index` of the chunk (from 0), in order.
    pub fn of_game(&self, index: usize) -> impl Iterator<Item = (TextKind, &[u8])> {
        let range = match (self.first.get(index), self.first.get(index + 1)) {
            (Some(first), Some(end)) => *first as usize..*end as usize,
            _ => 0..0,
        };
        range.filter_map(|text| {
            Some((*self.kinds.get(text)?, self.raw.get(*self.starts.get(text)?..*self.starts.get(text + 1)?)?))
        })
    }
}

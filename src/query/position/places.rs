//! What a position index holds, seen in order: the places of a position, and games in ranges.

use crate::format::positions::{CHECK, Facts, GROUP};
use std::ops::Range;

/// Places in an index, ascending.
#[derive(Clone, Debug)]
pub struct Places<'a> {
    entries: &'a [u8],
    size: usize,
}

impl<'a> Places<'a> {
    pub(in crate::query) fn new(entries: &'a [u8], size: usize) -> Places<'a> {
        Places { entries, size }
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.entries.len() / self.size
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns those in a range, found by halves.
    pub fn within(&self, places: Range<u64>) -> Places<'a> {
        let from = self.bound(places.start);
        let to = self.bound(places.end).max(from);
        let entries = self.entries.get(from * self.size..to * self.size).unwrap_or_default();
        Places { entries, size: self.size }
    }

    /// How many are below a place.
    fn bound(&self, place: u64) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let entry = self.entries.get(middle * self.size..(middle + 1) * self.size).unwrap_or_default();
            if place_of(entry) < place { low = middle + 1 } else { high = middle }
        }
        low
    }
}

impl Iterator for Places<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let (entry, rest) = self.entries.split_at_checked(self.size)?;
        self.entries = rest;
        Some(place_of(entry))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len(), Some(self.len()))
    }
}

/// The place in an entry.
#[inline]
fn place_of(entry: &[u8]) -> u64 {
    match entry {
        [_, _, _, a, b, c, d] => u64::from(u32::from_le_bytes([*a, *b, *c, *d])),
        _ => little(entry.get(CHECK..).unwrap_or_default()),
    }
}

/// Games in a range: some groups.
pub(in crate::query) const GAMES_PER_RANGE: usize = 8 * GROUP;

/// Games one after the other.
#[derive(Debug)]
pub(crate) struct GameRange<'a> {
    /// The first game, from 1.
    pub game: u64,
    /// Their places.
    pub places: Range<u64>,
    facts: &'a [[u8; 8]],
}

impl<'a> GameRange<'a> {
    pub(in crate::query) fn new(game: u64, places: Range<u64>, facts: &'a [[u8; 8]]) -> GameRange<'a> {
        GameRange { game, places, facts }
    }

    /// Iterates over the games: the number of each, what is known of it, and its places.
    #[inline]
    pub fn games(&self) -> impl Iterator<Item = (u64, Facts, Range<u64>)> {
        let mut place = self.places.start;
        self.facts.iter().zip(self.game..).map(move |(facts, game)| {
            let facts = Facts::decode(u64::from_le_bytes(*facts));
            let first = place;
            place = place.saturating_add(facts.places());
            (game, facts, first..place)
        })
    }

    /// Returns what is known of a game of the range.
    pub fn facts(&self, game: u64) -> Option<Facts> {
        let facts = self.facts.get(usize::try_from(game.checked_sub(self.game)?).ok()?)?;
        Some(Facts::decode(u64::from_le_bytes(*facts)))
    }
}

/// The number that little-endian bytes are.
pub(in crate::query) fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

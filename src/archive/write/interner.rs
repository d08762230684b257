//! Assigns numbers to strings for an archive's dictionary.

use foldhash::{HashMap, HashSet};
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;

/// The limits of a writer's dictionary, in strings and in bytes of text respectively. They bound its memory.
const MAX_STRINGS: usize = 1 << 20;
const MAX_STRING_BYTES: usize = 32 << 20;
/// The number of occurrences in one chunk from which a string always receives a number.
const RECURRING: usize = 4;
/// The length in bytes above which a string stays in its chunk.
const MAX_STRING: usize = 1024;

/// Assigns numbers to strings for the archive's dictionary, in the order in which the strings arrive.
///
/// A string receives a number when it recurs within a chunk, or in a second chunk of the same batch. Names that occur
/// once stay in their chunk. All state that outlives a batch is in the archive, so an interrupted import can continue
/// and produce the same result. Uses about 85 MB of memory at the limit of strings, and 20 MB for strings that occurred
/// once.
#[derive(Debug, Default)]
pub struct Interner {
    /// The number of the first string with each hash. Another string with the same hash (improbable) stays in its
    /// chunks.
    numbers: HashMap<u64, u32>,
    /// All strings, concatenated, and the end offset of each string.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// The number of strings that are in the archive or have a reserved number.
    taken: usize,
    /// Hashes of strings that have occurred in one chunk of the batch so far. A hash collision costs only a few bytes.
    once: HashSet<u64>,
    hasher: foldhash::quality::FixedState,
}

impl Interner {
    /// Returns the number of a string that occurs `uses` times in a chunk, and assigns one if necessary. Returns `None`
    /// if the string stays in the chunk.
    pub fn intern(&mut self, string: &[u8], uses: usize) -> Option<u64> {
        let hash = self.hasher.hash_one(string);
        if let Some(number) = self.numbers.get(&hash) {
            return (self.get(*number as usize) == Some(string)).then_some(u64::from(*number));
        }
        let long = string.len() > MAX_STRING || self.text.len() + string.len() > MAX_STRING_BYTES;
        if long || self.ends.len() >= MAX_STRINGS {
            return None;
        }
        if uses < RECURRING && self.once.len() < MAX_STRINGS && self.once.insert(hash) {
            return None;
        }
        self.push(string);
        Some(self.known() - 1)
    }

    /// Begins a batch.
    pub fn begin_batch(&mut self) {
        self.once.clear();
    }

    /// Records a string that is already in the archive. Call this function in the order of the strings' numbers.
    pub(in crate::archive) fn learn(&mut self, string: &[u8]) {
        self.push(string);
        self.taken = self.ends.len();
    }

    fn push(&mut self, string: &[u8]) {
        if let (Entry::Vacant(slot), Ok(number)) =
            (self.numbers.entry(self.hasher.hash_one(string)), u32::try_from(self.ends.len()))
        {
            slot.insert(number);
        }
        self.text.extend_from_slice(string);
        self.ends.push(self.text.len());
    }

    /// Returns the number of numbered strings.
    pub(in crate::archive) fn known(&self) -> u64 {
        self.ends.len() as u64
    }

    fn get(&self, number: usize) -> Option<&[u8]> {
        let start = number.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..*self.ends.get(number)?)
    }

    /// Returns the strings that have received numbers since the last call, in order.
    pub fn take_new(&mut self) -> Vec<Box<[u8]>> {
        let new = std::mem::replace(&mut self.taken, self.ends.len())..self.ends.len();
        new.filter_map(|number| Some(self.get(number)?.into())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_get_numbers_when_they_recur() {
        let mut interner = Interner::default();
        interner.learn(b"known");
        assert_eq!(interner.intern(b"known", 1), Some(0));
        assert_eq!(interner.intern(b"often", RECURRING), Some(1));
        assert_eq!(interner.intern(b"twice", 1), None);
        assert_eq!(interner.intern(b"twice", 1), Some(2));
        assert_eq!(interner.intern(b"later", 1), None);
        interner.begin_batch();
        assert_eq!(interner.intern(b"later", 1), None);
        assert_eq!(interner.intern(b"", RECURRING), Some(3));
        assert_eq!(interner.take_new(), [b"often".as_slice(), b"twice", b""].map(Box::from));
        assert_eq!(interner.intern(b"often", 1), Some(1));
        assert_eq!(interner.intern(&[b'x'; MAX_STRING + 1], RECURRING), None);
        assert!(interner.take_new().is_empty());
        assert_eq!(interner.known(), 4);
    }

    #[test]
    fn there_is_a_last_string() {
        let mut interner = Interner::default();
        for number in 0..MAX_STRINGS {
            assert_eq!(interner.intern(&number.to_le_bytes(), RECURRING), Some(number as u64));
        }
        assert_eq!(interner.intern(b"one more", RECURRING), None);
        assert_eq!(interner.intern(&7usize.to_le_bytes(), 1), Some(7));
        let long = |n: usize| [&n.to_le_bytes()[..], &[b'x'; MAX_STRING - 8]].concat();
        let mut interner = Interner::default();
        let most = MAX_STRING_BYTES / MAX_STRING;
        assert!((0..most).all(|n| interner.intern(&long(n), RECURRING).is_some()));
        assert_eq!(interner.intern(b"x", RECURRING), None);
    }
}

//! Dictionary blocks, which contain the strings that tags refer to by number (FORMAT.md, "Dictionary blocks").
//!
//! Each dictionary block is written twice, far apart if the batch is large, because many games depend on it.

use crate::format::budget::{Allowance, Budget, Cost, STRING, with_room};
use crate::format::limits::Limits;
use crate::format::wire::{Bytes, Mixed, push_varint, read_compressed_within};

/// Returns the payload of a block with these strings.
pub fn encode(strings: &[Box<[u8]>], level: i32) -> Vec<u8> {
    let mut raw = Mixed::default();
    for string in strings {
        push_varint(string.len() as u64, &mut raw.bytes);
    }
    raw.end_kind();
    for string in strings {
        raw.bytes.extend_from_slice(string);
    }
    let mut payload = Vec::new();
    raw.push(level, cost(strings.len()), &mut payload);
    payload
}

/// Returns the charge of a block with this many strings.
pub(crate) fn cost(strings: usize) -> Cost {
    Cost { charge: strings as u64 * STRING, allowance: Allowance::Dictionary }
}

/// A decoded dictionary block.
#[derive(Debug)]
pub struct BlockStrings {
    raw: Vec<u8>,
    starts: Vec<usize>,
}

impl BlockStrings {
    /// Reads a payload whose CRC has been verified.
    pub fn decode(payload: &[u8], count: usize) -> Option<BlockStrings> {
        BlockStrings::decode_within(payload, count, &Limits::DEFAULT)
    }

    /// Reads a payload within these limits.
    pub fn decode_within(payload: &[u8], count: usize, limits: &Limits) -> Option<BlockStrings> {
        let mut budget = Budget::new(payload.len(), Allowance::Dictionary, limits);
        let raw = read_compressed_within(payload, &mut budget)?;
        let mut bytes = Bytes(&raw);
        budget.draw(count, STRING)?;
        let mut starts = with_room(count + 1)?;
        let mut end = 0usize;
        starts.push(end);
        for _ in 0..count {
            end = end.checked_add(bytes.count().filter(|length| *length <= limits.string)?)?;
            starts.push(end);
        }
        // The strings follow the lengths.
        let first = raw.len() - bytes.0.len();
        starts.iter_mut().for_each(|start| *start += first);
        (end == bytes.0.len()).then_some(BlockStrings { raw, starts })
    }

    /// Returns a string of the block, given its index from 0.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        self.raw.get(*self.starts.get(index)?..*self.starts.get(index + 1)?)
    }
}

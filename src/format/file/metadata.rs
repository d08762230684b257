//! Metadata blocks, which describe an archive by keys and values, and model blocks, which contain the model of packed
//! moves (FORMAT.md, "Metadata blocks", "Model blocks").

use crate::format::budget::{Allowance, Budget, Cost, STRING};
use crate::format::limits::Limits;
use crate::format::wire::{Bytes, push_compressed, push_string, read_compressed_within};

/// The keys that FORMAT.md defines, in display order.
pub const KEYS: [&str; 8] = ["title", "description", "creator", "license", "origin", "date", "language", "writer"];
/// The maximum length of a key in bytes.
const LONGEST_KEY: usize = 64;
/// The maximum length of a value in bytes.
pub const LONGEST_VALUE: usize = 1 << 16;
/// The zstd level for metadata and model blocks. An archive contains only one or two such blocks, so the speed of the
/// level hardly matters.
const LEVEL: i32 = 19;

/// Returns whether a text is a valid key: a lower-case letter, then lower-case letters, digits and hyphens, at most 64
/// characters in total.
pub fn is_key(key: &str) -> bool {
    let letter = key.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let rest = key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    letter && rest && key.len() <= LONGEST_KEY
}

fn cost(pairs: usize) -> Cost {
    Cost { charge: pairs as u64 * 2 * STRING, allowance: Allowance::Block }
}

/// Returns the payload of a block with these keys and values.
pub fn encode<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<u8> {
    let (mut raw, mut payload, mut count) = (Vec::new(), Vec::new(), 0);
    for (key, value) in pairs {
        push_string(key.as_bytes(), &mut raw);
        push_string(value.as_bytes(), &mut raw);
        count += 1;
    }
    push_compressed(&raw, LEVEL, cost(count), &mut payload);
    payload
}

/// Reads a payload of `count` pairs within these limits.
pub fn decode_within(payload: &[u8], count: usize, limits: &Limits) -> Option<Vec<(String, String)>> {
    let mut budget = Budget::new(payload.len(), Allowance::Block, limits);
    let raw = read_compressed_within(payload, &mut budget)?;
    budget.draw(count, 2 * STRING)?;
    let (mut bytes, mut pairs) = (Bytes(&raw), Vec::new());
    for _ in 0..count {
        let [key, value] = [bytes.string()?, bytes.string()?].map(std::str::from_utf8);
        let (key, value) = (key.ok()?, value.ok()?);
        if !is_key(key) || value.len() > LONGEST_VALUE {
            return None;
        }
        pairs.push((key.to_owned(), value.to_owned()));
    }
    bytes.0.is_empty().then_some(pairs)
}

/// Returns the payload of a model block for these bytes.
pub fn encode_model(model: &[u8]) -> Vec<u8> {
    let mut payload = Vec::new();
    push_compressed(model, LEVEL, Cost { charge: 0, allowance: Allowance::Block }, &mut payload);
    payload
}

/// Returns the bytes of a model, decompressed within these limits.
pub fn decode_model_within(payload: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    read_compressed_within(payload, &mut Budget::new(payload.len(), Allowance::Block, limits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_plain() {
        for key in KEYS.into_iter().chain(["x-7", "a", &"k".repeat(64)]) {
            assert!(is_key(key), "{key}");
        }
        for key in ["", "7", "-a", "Title", "two words", "a_b", "ä", &"k".repeat(65)] {
            assert!(!is_key(key), "{key}");
        }
    }

    #[test]
    fn pairs_come_back() {
        let pairs = [("title", "Corpus \u{2658}"), ("license", "CC0-1.0"), ("title", "")];
        let payload = encode(pairs);
        let found = decode_within(&payload, 3, &Limits::DEFAULT).unwrap();
        assert!(found.iter().map(|(key, value)| (key.as_str(), value.as_str())).eq(pairs));
        // Another count, another key, a value that is too long: nothing.
        assert_eq!(decode_within(&payload, 2, &Limits::DEFAULT), None);
        assert_eq!(decode_within(&payload, 4, &Limits::DEFAULT), None);
        assert_eq!(decode_within(&encode([("Title", "t")]), 1, &Limits::DEFAULT), None);
        let long = "v".repeat(LONGEST_VALUE + 1);
        assert_eq!(decode_within(&encode([("title", &*long)]), 1, &Limits::DEFAULT), None);
        assert!(decode_within(&encode([("title", &long[1..])]), 1, &Limits::DEFAULT).is_some());
    }
}

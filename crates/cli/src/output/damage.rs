//! Damage of archives as text and JSON.

use crate::output::json::Object;
use scoresheet::Damage;
use std::ops::Range;

/// Returns damage as JSON.
pub fn json(damage: &[Damage]) -> Vec<Object> {
    let object = |Damage { offset, kind, game }: &Damage| {
        Object::new().with("offset", *offset).with("what", kind.to_string()).with("game", *game)
    };
    damage.iter().map(object).collect()
}

/// Returns a range of bytes as text.
pub fn bytes_of(range: &Range<u64>) -> String {
    format!("bytes {} to {}", range.start, range.end - 1)
}

/// Returns ranges of bytes as JSON.
pub fn json_of_bytes(ranges: &[Range<u64>]) -> Vec<Object> {
    let object = |range: &Range<u64>| Object::new().with("offset", range.start).with("bytes", range.end - range.start);
    ranges.iter().map(object).collect()
}

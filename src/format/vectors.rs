//! Test vectors for numbers: varints, compressed parts, planes and adaptive numbers (FORMAT.md, "Test vectors").
//! `tests/format/vectors.rs` reads the other vectors.

use super::budget::Allowance;
use super::coder::numbers::{self, NumberKind};
use super::columns::planes::read_column;
use super::wire::{Bytes, read_compressed};
use serde_json::Value;

const PARTS: [&str; 7] = ["varint", "compressed", "planes", "plain", "clock", "time", "evaluation"];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn from_hex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

/// Returns the meaning that the library derives from the bytes, or `None` if it rejects them.
fn meaning(part: &str, bytes: &[u8], counts: &[u64]) -> Option<Value> {
    let mut rest = Bytes(bytes);
    let kind = match part {
        "varint" => return rest.varint().filter(|_| rest.0.is_empty()).map(Value::from),
        "compressed" => return read_compressed(bytes, Allowance::Block).map(|raw| hex(&raw).to_lowercase().into()),
        "planes" => return read_column(&mut rest, counts[0] as usize).filter(|_| rest.0.is_empty()).map(Value::from),
        "plain" => NumberKind::Plain,
        "clock" => NumberKind::Clock,
        "time" => NumberKind::Time,
        "evaluation" => NumberKind::Evaluation,
        _ => unreachable!(),
    };
    let games: Vec<u64> = (0..).zip(counts).flat_map(|(game, count)| vec![game; *count as usize]).collect();
    let mut values = numbers::decode(kind, bytes, games.into_iter())?.into_iter();
    Some(counts.iter().map(|count| values.by_ref().take(*count as usize).collect::<Vec<_>>()).collect())
}

#[test]
fn numbers_mean_what_the_vectors_say() {
    let mut read = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/vectors")).unwrap() {
        let file: Vec<Value> = serde_json::from_slice(&std::fs::read(entry.unwrap().path()).unwrap()).unwrap();
        for vector in &file {
            let Some(part) = vector["part"].as_str().filter(|part| PARTS.contains(part)) else { continue };
            let counts: Vec<u64> = serde_json::from_value(vector["counts"].clone()).unwrap();
            let found = meaning(part, &from_hex(vector["bytes"].as_str().unwrap()), &counts);
            assert_eq!(found.as_ref(), vector.get("means"), "{}", vector["name"]);
            read += 1;
        }
    }
    assert!(read > 40, "{read}");
}

//! Test vectors for numbers: varints, compressed parts, planes and adaptive numbers (FORMAT.md, "Test vectors").
//! `SCORESHEET_BLESS=1 cargo test --lib format::vectors` rewrites them. `tests/format/vectors.rs` tests the other
//! vectors.

use super::budget::{Allowance, Cost};
use super::coder::numbers::{self, NumberKind};
use super::columns::planes::{push_column, read_column};
use super::wire::{Bytes, Mixed, push_compressed, push_varint, read_compressed};
use serde_json::{Value, json};

/// A test vector: its subject, its part, its bytes and its counts.
type Vector = (&'static str, &'static str, Vec<u8>, Vec<u64>);

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
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
        _ => panic!("{part}"),
    };
    let games: Vec<u64> = (0..).zip(counts).flat_map(|(game, count)| vec![game; *count as usize]).collect();
    let mut values = numbers::decode(kind, bytes, games.into_iter())?.into_iter();
    Some(counts.iter().map(|count| values.by_ref().take(*count as usize).collect::<Vec<_>>()).collect())
}

fn all() -> Vec<Vector> {
    let varint = |number| {
        let mut bytes = Vec::new();
        push_varint(number, &mut bytes);
        bytes
    };
    let compressed = |raw: &[u8]| {
        let mut bytes = Vec::new();
        push_compressed(raw, 19, Cost { charge: 0, allowance: Allowance::Block }, &mut bytes);
        bytes
    };
    let frame = zstd::bulk::compress(b"ab", 19).unwrap();
    let planes = |numbers: &[u64]| {
        let mut column = Mixed::default();
        push_column(numbers, &mut column);
        column.bytes
    };
    let adaptive = |kind, games: &[&[i64]]| -> (Vec<u8>, Vec<u64>) {
        let owners: Vec<u64> = (0..).zip(games).flat_map(|(game, values)| vec![game; values.len()]).collect();
        (numbers::encode(kind, &games.concat(), &owners), games.iter().map(|values| values.len() as u64).collect())
    };
    let mut vectors: Vec<Vector> = vec![
        ("zero", "varint", varint(0), vec![]),
        ("one byte", "varint", varint(127), vec![]),
        ("two bytes", "varint", varint(300), vec![]),
        ("the greatest number of a file", "varint", varint(1 << 60), vec![]),
        ("the greatest", "varint", varint(u64::MAX), vec![]),
        ("longer than needed", "varint", vec![0x80, 0x00], vec![]),
        ("beyond 64 bits", "varint", [vec![0xFF; 9], vec![0x02]].concat(), vec![]),
        ("without an end", "varint", vec![0x80], vec![]),
        ("nothing", "compressed", compressed(b""), vec![]),
        ("stored", "compressed", compressed(b"stored"), vec![]),
        ("a frame", "compressed", compressed(&b"games and games and games ".repeat(4)), vec![]),
        ("of another length than said", "compressed", vec![7, 0, 1, 2], vec![]),
        ("an unknown way", "compressed", vec![1, 2, 0], vec![]),
        ("no frame", "compressed", vec![200, 1, 1, 0x28, 0xB5, 0x2F], vec![]),
        ("no frame of no bytes", "compressed", vec![0, 1], vec![]),
        ("two frames", "compressed", [&[4, 1][..], &frame, &frame].concat(), vec![]),
        (
            "a frame and a skippable one",
            "compressed",
            [&[2, 1][..], &frame, &[0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0]].concat(),
            vec![],
        ),
        ("the document's", "planes", planes(&[1, 2, 259]), vec![3]),
        ("all zero", "planes", planes(&[0, 0, 0, 0]), vec![4]),
        ("eight bytes", "planes", planes(&[u64::MAX, 5]), vec![2]),
        ("nine bytes", "planes", [vec![9], vec![0; 9]].concat(), vec![1]),
        ("cut off", "planes", vec![2, 1, 2, 3], vec![2]),
    ];
    for (name, part, kind, games) in [
        ("small numbers", "plain", NumberKind::Plain, &[&[0, 1, 2, 3, 5, 8, 13, 21, 34][..]][..]),
        ("extremes", "plain", NumberKind::Plain, &[&[i64::MIN, i64::MAX, -1, 0, 1], &[i64::MAX, 7]]),
        ("games without numbers", "plain", NumberKind::Plain, &[&[], &[5, 5, 5], &[], &[5]]),
        (
            "clocks without increment",
            "clock",
            NumberKind::Clock,
            &[&[180, 180, 179, 178, 175, 170, 171, 160], &[180, 180, 178, 177]],
        ),
        (
            "clocks with increment",
            "clock",
            NumberKind::Clock,
            &[&[180, 180, 182, 181, 179, 183, 181, 178, 183, 180, 180], &[], &[600, 600, 590]],
        ),
        (
            "clocks from 0 and from long times",
            "clock",
            NumberKind::Clock,
            &[&[0, 5, 3, 4, 1], &[7200, 7200, 7190, 7195, 7100], &[7200, 7205, 7199, 7204], &[600, 602, 601, 603]],
        ),
        (
            "times beyond 2^20",
            "time",
            NumberKind::Time,
            &[&[3_000_000, 5, 2_000_000, 1_048_577, 4_000_000, 9, 1_500_000, 2], &[1 << 40, 3, 1 << 21, 8, 1, 0]],
        ),
        ("times", "time", NumberKind::Time, &[&[0, 1, 3, 2, 15, 7, 120, 4, 3, 0], &[9, 8, 7]]),
        (
            "evaluations",
            "evaluation",
            NumberKind::Evaluation,
            &[&[20, 25, -10, 0, 55, 320, 310, -900, -905, -12_700], &[17, 18]],
        ),
    ] {
        let (bytes, counts) = adaptive(kind, games);
        assert_eq!(meaning(part, &bytes, &counts), Some(json!(games)), "{name}");
        vectors.push((name, part, bytes, counts));
    }
    // Any bytes decode to numbers, and missing bytes are treated as zeros.
    vectors.push(("bytes of no writer", "evaluation", vec![0xFF, 0x00, 0xAA, 0x55, 0x12], vec![3, 3]));
    vectors.push(("a code beyond the range", "plain", vec![0xFF; 40], vec![9]));
    vectors.push(("a top symbol of no writer", "plain", vec![0x54, 0x6C, 0xE0, 0xDA], vec![2]));
    vectors.push(("no bytes", "clock", Vec::new(), vec![4]));
    vectors
}

#[test]
fn numbers_mean_what_the_vectors_say() {
    let lines = all().into_iter().map(|(name, part, bytes, counts)| {
        let mut vector = json!({"name": name, "part": part, "bytes": hex(&bytes), "counts": counts});
        if let Some(means) = meaning(part, &bytes, &counts) {
            vector["means"] = means;
        }
        vector.to_string()
    });
    let text = format!("[\n{}\n]\n", lines.collect::<Vec<_>>().join(",\n"));
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors/numbers.json");
    if std::env::var_os("SCORESHEET_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    for (line, kept) in text.lines().zip(kept.lines()) {
        assert_eq!(line, kept);
    }
    assert_eq!(text.len(), kept.len());
}

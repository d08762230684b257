//! Test vectors: parts of a file as bytes and their meaning, and complete files, including damaged ones (FORMAT.md,
//! "Test vectors"). The library reads the bytes in `testdata/vectors` as they say.
//!
//! To add vectors, write a new file with their names, parts, bytes and counts; `SCORESHEET_BLESS=1 cargo test --test
//! format vectors` adds the meanings. Files of a released version never change. `src/format/vectors.rs` reads the
//! vectors of numbers, and `tests/oracle/second_reader.rs` reads all vectors in Python.

use crate::common::frozen::bless;
use crate::common::sample::testdata;
use crate::meaning::{bytes, meaning};
use scoresheet::{Archive, ArchiveFile};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// Parts whose decoders are not public.
const NUMBERS: [&str; 7] = ["varint", "compressed", "planes", "plain", "clock", "time", "evaluation"];

/// Returns the library's results for a complete file, without an index.
fn reads(file: &[u8]) -> Option<Value> {
    let archive = Archive::open(ArchiveFile::from_bytes(file.to_vec())).ok()?;
    let digest = archive.digest().map_or("refused".to_owned(), |digest| digest.to_string());
    Some(json!({"games": archive.live().len(), "incomplete": archive.incomplete().is_some(), "digest": digest}))
}

/// Returns the bytes of a golden file with the changes of a vector.
fn changed(vector: &Value) -> Vec<u8> {
    let mut file = fs::read(testdata("golden").join(vector["file"].as_str().unwrap())).unwrap();
    if let Some(length) = vector["length"].as_u64() {
        file.resize(length as usize, 0);
    }
    for change in vector["changes"].as_array().unwrap() {
        let (at, bytes) = (change[0].as_u64().unwrap() as usize, bytes(change[1].as_str().unwrap()));
        file[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    file
}

#[test]
fn parts_and_files_mean_what_the_vectors_say() {
    let mut parts = BTreeMap::<String, [usize; 2]>::new();
    for entry in fs::read_dir(testdata("vectors")).unwrap() {
        let path = entry.unwrap().path();
        let mut vectors: Vec<Value> = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for vector in &mut vectors {
            let (part, member, found) = match vector["part"].as_str() {
                Some(part) if NUMBERS.contains(&part) => continue,
                Some(part) => {
                    let counts: Vec<u64> = serde_json::from_value(vector["counts"].clone()).unwrap();
                    (part.to_owned(), "means", meaning(part, &bytes(vector["bytes"].as_str().unwrap()), &counts))
                }
                None => ("file".to_owned(), "reads", reads(&changed(vector))),
            };
            parts.entry(part).or_default()[usize::from(found.is_none())] += 1;
            let vector = vector.as_object_mut().unwrap();
            match found {
                Some(found) => drop(vector.insert(member.to_owned(), found)),
                None => drop(vector.remove(member)),
            }
        }
        let lines: Vec<String> = vectors.iter().map(Value::to_string).collect();
        let text = format!("[\n{}\n]\n", lines.join(",\n"));
        bless(&path, text.as_bytes());
        let kept = fs::read_to_string(&path).unwrap();
        for (line, kept) in text.lines().zip(kept.lines()) {
            assert_eq!(line, kept, "{}", path.display());
        }
    }
    // Parts that a reader accepts, and parts that it refuses.
    assert_eq!(parts["file"], [21, 8]);
    let total = parts.values().fold([0, 0], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]]);
    assert!(total[0] >= 100 && total[1] >= 55, "{parts:?}");
}

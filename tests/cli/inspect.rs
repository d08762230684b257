//! `inspect`: every byte of every file has a name, damaged parts are marked, and the dump in the documentation is the
//! golden archive's.

use crate::common::cli::{Room, json};
use crate::common::conformance::agrees;
use crate::common::sample::testdata;
use std::fs;
use std::path::Path;

/// Checks that the leaves of a file are adjacent and cover the file.
fn is_covered(room: &Room, name: &str) {
    let (file, mut read) = (fs::read(room.path(name)).unwrap(), Vec::new());
    for part in json(&room.fine(&["inspect", name, "--bytes", "--json"])) {
        assert_ne!(part["intact"], false, "{name}: {part}");
        if let Some(bytes) = part["bytes"].as_str().filter(|bytes| !bytes.is_empty() && part["unpacked"] == false) {
            assert_eq!(part["offset"].as_u64(), Some(read.len() as u64), "{name}: {part}");
            read.extend((0..bytes.len() / 2).map(|at| u8::from_str_radix(&bytes[2 * at..2 * at + 2], 16).unwrap()));
        }
    }
    assert!(read == file, "{name}: {} of {} bytes", read.len(), file.len());
}

/// Returns the offset of the first moves block.
fn moves_of(file: &[u8]) -> usize {
    file.windows(5).position(|window| window == b"BGAb\x01").expect("a moves block")
}

#[test]
fn every_byte_has_a_name() {
    let room = Room::with_archive();
    room.fine(&["index", "g.bga", "--signatures", "--positions", "--tag-columns", "--quiet"]);
    room.fine(&["pack", "g.bga", "-o", "packed.bga", "--quiet"]);
    for name in ["g.bga", "g.bgi", "g.bgs", "g.bgp", "g.bgh", "packed.bga"] {
        is_covered(&room, name);
    }
    let golden = fs::read_dir(testdata("golden")).unwrap().map(|file| file.unwrap().path());
    let mut files = 0;
    for path in golden.filter(|path| path.to_string_lossy().contains("v1.0")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        room.write(name, fs::read(&path).unwrap());
        is_covered(&room, name);
        files += 1;
    }
    assert!(files > 5);
    // Compressed blocks, several chunks, a dictionary.
    room.write("many.pgn", crate::common::cli::many(2500));
    room.fine(&["import", "many.pgn", "-o", "many.bga", "--quiet"]);
    is_covered(&room, "many.bga");
    let text = room.fine(&["inspect", "many.bga"]);
    assert!(text.contains(": moves: games 1 to "), "{text}");
    assert!(text.contains(": dictionary: strings 0 to ") && text.contains("zstd frame"), "{text}");
}

#[test]
fn what_is_damaged_is_marked() {
    let room = Room::with_archive();
    assert!(!room.fine(&["inspect", "g.bga"]).contains("damaged"));
    let moves = moves_of(&room.read("g.bga"));
    for (at, what) in [(4200, "CRC of the page"), (8204, "no block"), (moves + 58, "page CRC")] {
        let mut file = room.read("g.bga");
        file[at] ^= 1;
        room.write("damaged.bga", &file);
        let done = room.run(&["inspect", "damaged.bga"]);
        assert_eq!(done.code, Some(4), "{at}: {}", done.err);
        let marked: Vec<&str> = done.out.lines().filter(|line| line.ends_with("<- damaged")).collect();
        assert!(marked.iter().any(|line| line.contains(what)), "{at}: {marked:?}");
        let parts = json(&room.run(&["inspect", "damaged.bga", "--json"]).out);
        assert_eq!(parts.iter().filter(|part| part["intact"] == false).count(), marked.len());
    }
    // Truncated anywhere: the remaining parts are shown.
    let file = room.read("g.bga");
    for length in (0..file.len()).step_by(97) {
        room.write("cut.bga", &file[..length]);
        let done = room.run(&["inspect", "cut.bga", "--bytes"]);
        assert!(matches!(done.code, Some(0 | 1 | 4)), "{length}: {}", done.err);
        assert_eq!(done.code == Some(1), length < 8, "{length}: {}", done.err);
    }
}

#[test]
fn a_byte_is_looked_up() {
    let room = Room::with_archive();
    let at = (moves_of(&room.read("g.bga")) + 8).to_string();
    let out = room.fine(&["inspect", "g.bga", "--at", &at]);
    let names: Vec<&str> = out.lines().map(|line| line[26..].trim()).collect();
    assert_eq!(names, ["block 2: moves: games 1 to 3", "header", "first: 1"]);
    room.fails(&["inspect", "g.pgn"], 1, &["g.pgn", "not an archive, index or side file"]);
    room.fails(&["inspect", "none.bga"], 1, &["none.bga"]);
}

/// The command passes the conformance suite for readers. Skipped, with a message, without python3.
#[test]
fn conformance() {
    agrees(&["--scoresheet"], Path::new(env!("CARGO_BIN_EXE_scoresheet")));
}

/// The dump in docs/format/vectors.md is the output of `inspect --bytes` for the smallest golden archive.
#[test]
fn the_dump_in_the_document() {
    let room = Room::new();
    room.write("v1.0-filled.bga", fs::read(testdata("golden").join("v1.0-filled.bga")).unwrap());
    let out = room.fine(&["inspect", "v1.0-filled.bga", "--bytes"]);
    let expected: String = out.lines().map(|line| format!("    {}\n", line.trim_end())).collect();
    let path = testdata("..").join("docs/format/vectors.md");
    let document = fs::read_to_string(&path).unwrap();
    let start = document.find("\n## 32 A whole archive\n").expect("the section");
    let dump = start + document[start..].find("\n    ").expect("the dump") + 1;
    let end = dump + document[dump..].find("\n\n").expect("its end") + 1;
    if std::env::var_os("SCORESHEET_BLESS").is_some() {
        fs::write(path, format!("{}{expected}{}", &document[..dump], &document[end..])).unwrap();
        return;
    }
    for (line, expected) in document[dump..end].lines().zip(expected.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(document[dump..end].lines().count(), expected.lines().count());
}

//! The conformance suite in `testdata/conformance`: complete archives, good, uncommon and faulty, and the expected
//! results of a reader of each level (`expected*.json`). `tools/conformance.py` tests any reader; this module tests the
//! library.
//!
//! To add archives, write a new list `expected-VERSION.json` with their names, what they are about, and their level;
//! `SCORESHEET_BLESS=1 cargo test --test format conformance` adds the results. Files of a released version never change.

use crate::common::frozen::{bless, is_blessing, sha256};
use crate::common::sample::testdata;
use scoresheet::archive::Scan;
use scoresheet::format::ArchiveId;
use scoresheet::format::block::{BlockHeader, BlockKind};
use scoresheet::{Archive, ArchiveFile};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

pub fn suite() -> PathBuf {
    testdata("conformance")
}

/// Writes a file of the suite if it is missing and `SCORESHEET_BLESS` is set. The file has to exist then.
pub fn write_missing(path: &Path, bytes: &[u8]) {
    if is_blessing() && !path.exists() {
        bless(path, bytes);
    }
    assert!(path.exists(), "{} is missing", path.display());
}

/// Compares the expected results, a line each, with the array in a file of the suite; writes the file if
/// `SCORESHEET_BLESS` is set.
pub fn compare(name: &str, expected: &[String]) {
    let text = format!("[\n{}\n]\n", expected.join(",\n"));
    let path = suite().join(name);
    bless(&path, text.as_bytes());
    let stored = fs::read_to_string(&path).unwrap();
    for (line, stored) in text.lines().zip(stored.lines()) {
        assert_eq!(line, stored);
    }
    assert_eq!(text, stored);
}

/// Returns whether an archive has moves that only readers of level P read.
fn is_packed(file: &[u8]) -> bool {
    let id = ArchiveId(file[16..32].try_into().unwrap());
    let headers = Scan::new(file, id).map_while(Result::ok).map(|block| block.header);
    headers.into_iter().any(|header: BlockHeader| header.kind == BlockKind::Moves && header.coding & 15 == 1)
}

/// Returns the FENs of a game's main line from ply 0 on, one per line; `None` if a reader refuses the game.
fn fens(archive: &Archive, game: u64) -> Option<Vec<String>> {
    let mut fens = Vec::new();
    let game = archive.game(game).ok()?;
    game.check_moves().ok()?;
    game.positions(|position| fens.push(position.fen())).ok()?;
    Some(fens)
}

/// Returns the ply from which a reader refuses a game; `None` if it may return all positions.
fn refused_from(archive: &Archive, game: u64, is_packed: bool) -> Option<usize> {
    let mut given = 0;
    match archive.game(game) {
        // A packed record is decoded before any output, so a reader may return all positions.
        Err(_) if is_packed => None,
        Err(_) => Some(0),
        Ok(game) => {
            assert!(game.positions(|_| given += 1).is_err());
            Some(given)
        }
    }
}

/// Returns the results of a reader for an archive; `index` is the index file.
fn reads(path: &Path, is_packed: bool) -> Value {
    let index = fs::read(path.with_extension("bgi")).ok();
    let Ok(archive) = Archive::open(ArchiveFile::at(path).index(index)) else { return json!({"opens": false}) };
    let (mut games, mut all, mut no_moves) = (Vec::new(), String::new(), Vec::new());
    let (mut tagged, mut tags, mut no_tags) = (Vec::new(), String::new(), Vec::new());
    for game in archive.live().iter() {
        match fens(&archive, game) {
            Some(fens) => {
                games.push(json!([game, fens.len() - 1]));
                fens.iter().for_each(|fen| all += &format!("{fen}\n"));
            }
            None => no_moves.push(json!([game, refused_from(&archive, game, is_packed)])),
        }
        match archive.game(game).and_then(|game| game.tags()) {
            Ok(pairs) => {
                tagged.push(game);
                pairs.iter().for_each(|(name, value)| tags += &format!("{game} {name} {value}\n"));
            }
            // If the moves are refused, tags may be readable or not.
            Err(_) if no_moves.last().is_some_and(|refused: &Value| refused[0] == game) => {}
            Err(_) => no_tags.push(game),
        }
    }
    let sources: Vec<Value> = archive
        .sources()
        .unwrap_or_default()
        .iter()
        .filter(|source| source.exact)
        .map(|source| {
            let mut bytes = Vec::new();
            let is_exact = matches!(archive.write_original(source, &mut bytes), Ok(true));
            json!({"number": source.number, "sha256": is_exact.then(|| sha256(&bytes))})
        })
        .collect();
    json!({
        "opens": true,
        "incomplete": archive.incomplete().is_some(),
        "games": games,
        "fens": sha256(all.as_bytes()),
        "refuses_moves": no_moves,
        "tagged": tagged,
        "tags": sha256(tags.as_bytes()),
        "refuses_tags": no_tags,
        "digest": archive.digest().ok().map(|digest| digest.to_string()),
        "sources": sources,
        "metadata": archive.metadata().ok(),
    })
}

#[test]
fn the_library_reads_the_suite() {
    let mut archives = 0;
    for entry in fs::read_dir(suite()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.starts_with("expected") {
            continue;
        }
        let cases: Vec<Value> = serde_json::from_slice(&fs::read(suite().join(&name)).unwrap()).unwrap();
        let expected = cases.iter().map(|case| {
            let path = suite().join(case["file"].as_str().unwrap());
            let needs_model = is_packed(&fs::read(&path).unwrap());
            let level = if needs_model { "P" } else { "A" };
            let mut value = json!({"file": case["file"], "about": case["about"], "level": level});
            value.as_object_mut().unwrap().extend(reads(&path, needs_model).as_object().unwrap().clone());
            value.to_string()
        });
        let expected: Vec<String> = expected.collect();
        archives += expected.len();
        compare(&name, &expected);
    }
    let files = ["good", "uncommon", "faulty"].iter().flat_map(|folder| fs::read_dir(suite().join(folder)).unwrap());
    let is_archive = |path: &PathBuf| path.extension().is_some_and(|end| end == "bga");
    // The archives of level S are listed in `side.json` and `side-1.1.json`.
    assert_eq!(files.map(|file| file.unwrap().path()).filter(is_archive).count(), archives + 3);
}

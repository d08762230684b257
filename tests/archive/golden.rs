//! Archives of released versions stay readable, and the bytes that this version writes change only on purpose.
//!
//! The files `v1.0*` never change. `SCORESHEET_BLESS=1 cargo test --test archive` sets the hashes of what this version
//! writes, in `testdata/golden/current.sha256`; add a line to CHANGELOG.md in the same commit.

use crate::common::frozen::is_current;
use crate::common::import::try_import;
use crate::common::sample::testdata;
use scoresheet::archive::copy::{self, Part};
use scoresheet::archive::{Coding, FileKind, Level, MODEL, SideState, TranscodeOptions};
use scoresheet::{Archive, Error, Existing, Import, ImportOptions, Monitor};
use scoresheet_query::{Filter, TagColumns, tag_columns};
use std::fs;
use std::path::{Path, PathBuf};

const DIGEST: &str = include_str!("../../testdata/golden/sample.digest");

fn golden(name: &str) -> PathBuf {
    testdata("golden").join(name)
}

/// Compares a file that this version wrote with its hash.
fn is_written(name: &str, path: &Path) {
    is_current(name, &fs::read(path).unwrap());
}

#[test]
fn this_version_writes_these_bytes() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("sample.bga");
    let mut faults = Vec::new();
    let summary = Import::new(&target)
        .options(ImportOptions::default())
        .on_fault(|fault| faults.push((fault.line, fault.fault.to_string())))
        .run(&[golden("sample.pgn")])
        .unwrap();
    assert_eq!((summary.stored, summary.rejected, summary.faulty), (6, 0, 1));
    assert_eq!(faults, [(41, "illegal move: Ke3 (after 2 plies)".to_owned())]);
    is_written("sample.bga", &target);
    is_written("sample.bgi", &FileKind::Index.beside(&target));
}

/// A game with filled lines, in a common layout of over-the-board games, needs no edits. Engine games have lines of all
/// kinds.
#[test]
fn other_sources_are_written_as_they_were() {
    for (name, games) in [("filled", 1), ("engine", 3)] {
        let folder = crate::common::tempdir().unwrap();
        let target = folder.path().join(format!("{name}.bga"));
        let (source, kept) = (golden(&format!("{name}.pgn")), golden(&format!("v1.0-{name}.bga")));
        try_import(std::slice::from_ref(&source), &target, &ImportOptions::default()).unwrap();
        is_written(&format!("{name}.bga"), &target);
        let (archive, mut bytes) = (Archive::open(&kept).unwrap(), Vec::new());
        assert_eq!(archive.len(), games);
        (1..=games).for_each(|game| archive.game(game).unwrap().original(&mut bytes).unwrap());
        assert_eq!(bytes, fs::read(source).unwrap());
    }
}

#[test]
fn deletions_and_header_columns_are_written_as_they_were() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("deleted.bga");
    let sources = [golden("sample.pgn")];
    try_import(&sources, &target, &ImportOptions::default()).unwrap();
    assert_eq!(Archive::delete(&target, [2, 3, 5]).unwrap().games, 3);
    tag_columns::write(&Archive::open(&target).unwrap()).unwrap();
    for end in ["bga", "bgi", "bgh"] {
        is_written(&format!("deleted.{end}"), &target.with_extension(end));
    }
    let archive = Archive::open(golden("v1.0-deleted.bga")).unwrap();
    assert!(archive.live().iter().eq([1, 4, 6]));
    let columns = TagColumns::open(&archive);
    assert_eq!(columns.state(), SideState::File);
    let games = Filter::parse("plies >= 7").unwrap().games(&columns).games;
    assert!(games.contains(1) && !games.contains(2));
}

#[test]
fn the_golden_archive_is_read() {
    let archive = Archive::open(golden("v1.0.bga")).unwrap();
    assert_eq!(archive.len(), 6);
    assert_eq!(archive.digest().unwrap().to_string(), DIGEST.trim());
    assert!(Archive::verify(golden("v1.0.bga"), Level::Full, |_| {}).unwrap().is_intact());
    let sources = archive.sources().unwrap();
    let mut original = Vec::new();
    assert!(archive.write_original(&sources[0], &mut original).unwrap());
    assert!(original == fs::read(golden("sample.pgn")).unwrap());
    assert_eq!(archive.position(2, 5).unwrap().fen(), "8/8/8/3Q4/7k/5Q2/8/QQQ1K3 b - - 4 3");
    assert_eq!(archive.position(3, 1).unwrap().fen(), "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1R3RK1 b kq - 1 1");
    let game = archive.game(1).unwrap();
    assert_eq!(game.tag("Black").unwrap().as_deref(), Some("O'Neill \"Nell\" \\ Co"));
    assert_eq!(game.plies(), 7);
    assert!(archive.position(1, 7).unwrap().is_checkmate());
}

/// Metadata and a model in a packed archive, kept by every kind of copy.
#[test]
fn metadata_and_model() {
    let folder = crate::common::tempdir().unwrap();
    let [plain, target, back, part, repaired] =
        ["plain", "packed", "back", "part", "repaired"].map(|name| folder.path().join(name).with_extension("bga"));
    let pairs = [("license", "CC0-1.0"), ("title", "Sample \u{2658}"), ("writer", "a test"), ("x-room", "7")];
    let import = pairs.iter().fold(Import::new(&plain), |import, (key, value)| import.describe(*key, *value));
    import.run([golden("sample.pgn")]).unwrap();
    let options = TranscodeOptions { coding: Coding::Packed(MODEL), ..TranscodeOptions::default() };
    Archive::open(&plain).unwrap().transcode(&target, &options, Monitor::new()).unwrap();
    is_written("packed.bga", &target);
    assert!(Archive::verify(golden("v1.0-packed.bga"), Level::Full, |_| {}).unwrap().is_intact());
    let options = TranscodeOptions { with_model: true, existing: Existing::Replace, ..options };
    Archive::open(&plain).unwrap().transcode(&target, &options, Monitor::new()).unwrap();
    let of = |path: &Path| Archive::open(path).unwrap().metadata().unwrap();
    assert!(of(&target).iter().map(|(key, value)| (&**key, &**value)).eq(pairs));
    let models = |path: &Path| Archive::open(path).unwrap().models().unwrap();
    assert!(models(&target) == [(MODEL, scoresheet::packed::MODEL.to_vec())]);
    assert!(Archive::verify(&target, Level::Full, |_| {}).unwrap().is_intact());

    // A plain copy needs no model, and is otherwise unchanged.
    let archive = Archive::open(&target).unwrap();
    archive.transcode(&back, &TranscodeOptions::default(), Monitor::new()).unwrap();
    assert!(fs::read(&back).unwrap() == fs::read(&plain).unwrap());
    Archive::repair(&target, &repaired, Existing::Refuse, |_| {}).unwrap();
    assert_eq!((of(&repaired), models(&repaired)), (of(&target), models(&target)));

    // Metadata is set and removed; merged archives keep only equal pairs.
    Archive::describe(&plain, [("title", "Other"), ("x-room", "")]).unwrap();
    let archive = [Archive::open(&plain).unwrap(), Archive::open(&target).unwrap()];
    assert_eq!(of(&plain).keys().collect::<Vec<_>>(), ["license", "title", "writer"]);
    assert!(of(&plain)["writer"].starts_with("scoresheet "));
    let parts = [0, 1].map(|index| Part { games: archive[index].live(), archive: &archive[index] });
    copy::write(&part, Existing::Refuse, &parts, Monitor::new()).unwrap();
    assert_eq!(of(&part), [("license".to_owned(), "CC0-1.0".to_owned())].into());
    assert_eq!(models(&part).len(), 1);
    for (key, value) in [("Title", "capital"), ("", "none"), ("long", &*"x".repeat(65_537))] {
        assert!(matches!(Archive::describe(&plain, [(key, value)]), Err(Error::Input { .. })), "{key}");
        let import = Import::new(folder.path().join("never.bga")).describe(key, value);
        assert!(matches!(import.run([golden("sample.pgn")]), Err(Error::Input { .. })), "{key}");
    }
    assert!(!folder.path().join("never.bga").exists());

    // A damaged metadata block affects no game; its content is refused.
    let mut bytes = fs::read(&target).unwrap();
    let offset = bytes.windows(5).position(|window| window == b"BGAb\x80").unwrap();
    bytes[offset + 45] ^= 1;
    fs::write(&target, &bytes).unwrap();
    let archive = Archive::open(&target).unwrap();
    assert!(matches!(archive.metadata(), Err(Error::Damaged(_))));
    assert_eq!(archive.digest().unwrap(), Archive::open(&back).unwrap().digest().unwrap());
    assert!(!Archive::verify(&target, Level::Quick, |_| {}).unwrap().is_intact());
    Archive::repair(&target, &repaired, Existing::Replace, |_| {}).unwrap();
    assert!(of(&repaired).is_empty());
}

/// With a level, a packed copy joins chunks like a packed import; games keep their numbers.
#[test]
fn a_packed_copy_has_longer_chunks() {
    let folder = crate::common::tempdir().unwrap();
    let [plain, packed, again] =
        ["plain", "packed", "again"].map(|name| folder.path().join(name).with_extension("bga"));
    let options = ImportOptions { chunk_bytes: 20_000, ..ImportOptions::default() };
    Import::new(&plain).options(options).run([testdata("lichess-sample.pgn.zst")]).unwrap();
    Archive::delete(&plain, [3]).unwrap();
    let archive = Archive::open(&plain).unwrap();
    let coding = Coding::Packed(MODEL);
    archive.transcode(&packed, &TranscodeOptions { coding, ..TranscodeOptions::default() }, Monitor::new()).unwrap();
    let options = TranscodeOptions { coding, level: Some(19), ..TranscodeOptions::default() };
    archive.transcode(&again, &options, Monitor::new()).unwrap();
    let [packed, joined] = [&packed, &again].map(|path| Archive::open(path).unwrap());
    assert_eq!(packed.chunk_count(), archive.chunk_count());
    assert!(joined.chunk_count() < archive.chunk_count() / 2, "{} chunks", joined.chunk_count());
    assert!(joined.file_length() < packed.file_length() * 97 / 100);
    assert_eq!((joined.len(), joined.deleted_count(), joined.is_deleted(3)), (archive.len(), 1, true));
    assert_eq!(joined.digest().unwrap(), archive.digest().unwrap());
    assert_eq!(Archive::verify(&again, Level::Full, |_| {}).unwrap().damage, []);
    for game in [1, 2, archive.len() / 2, archive.len()] {
        let [original, joined_game] = [&archive, &joined].map(|archive| archive.game(game).unwrap().to_game().unwrap());
        assert_eq!(original, joined_game);
    }
}

/// Version 1 refuses archives of 0.x, and names their version.
#[test]
fn an_archive_of_an_older_version_is_refused_by_its_version() {
    let refused = Archive::open(golden("v0.1.bga"));
    assert!(matches!(refused, Err(Error::Older { version: (0, 1), .. })), "{refused:?}");
    assert!(matches!(Archive::verify(golden("v0.1.bga"), Level::Full, |_| {}), Err(Error::Older { .. })));
}

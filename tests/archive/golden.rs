//! Archives of released versions stay readable, and the bytes that this version writes do not change unnoticed.
//!
//! `SCORESHEET_BLESS=1 cargo test --test archive golden::` writes the golden archive anew: to be done together with
//! FORMAT.md and CHANGELOG.md.

use crate::common::import::try_import;
use crate::common::sample::testdata;
use scoresheet::archive::{FileKind, Level, SideState};
use scoresheet::query::{Filter, TagColumns, tag_columns};
use scoresheet::{Archive, Error, Import, ImportOptions};
use std::fs;
use std::path::PathBuf;

const DIGEST: &str = include_str!("../../testdata/golden/sample.digest");

fn golden(name: &str) -> PathBuf {
    testdata("golden").join(name)
}

#[test]
fn this_version_writes_the_golden_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("sample.bga");
    let mut faults = Vec::new();
    let summary = Import::new(&target)
        .options(ImportOptions::default())
        .on_fault(|fault| faults.push((fault.line, fault.fault.to_string())))
        .run(&[golden("sample.pgn")])
        .unwrap();
    assert_eq!((summary.stored, summary.rejected, summary.faulty), (6, 0, 1));
    assert_eq!(faults, [(41, "illegal move: Ke3 (after 2 plies)".to_owned())]);
    if std::env::var_os("SCORESHEET_BLESS").is_some() {
        fs::copy(&target, golden("v0.6.bga")).unwrap();
        fs::copy(FileKind::Index.beside(&target), golden("v0.6.bgi")).unwrap();
        let digest = Archive::open(&target).unwrap().digest().unwrap();
        fs::write(golden("sample.digest"), format!("{digest}\n")).unwrap();
    }
    assert!(fs::read(&target).unwrap() == fs::read(golden("v0.6.bga")).unwrap(), "the archive's bytes have changed");
    let index = fs::read(FileKind::Index.beside(&target)).unwrap();
    assert!(index == fs::read(golden("v0.6.bgi")).unwrap(), "the index's bytes have changed");
}

/// A game whose lines are filled, in the layout of many files of games over the board: it needs no edits. And games of
/// engines, with lines of all kinds.
#[test]
fn other_sources_are_written_as_they_were() {
    for (name, games) in [("filled", 1), ("engine", 3)] {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join(format!("{name}.bga"));
        let (source, kept) = (golden(&format!("{name}.pgn")), golden(&format!("v0.6-{name}.bga")));
        try_import(std::slice::from_ref(&source), &target, &ImportOptions::default()).unwrap();
        if std::env::var_os("SCORESHEET_BLESS").is_some() {
            fs::copy(&target, &kept).unwrap();
        }
        assert!(fs::read(&target).unwrap() == fs::read(&kept).unwrap(), "the bytes of {name} have changed");
        let (archive, mut bytes) = (Archive::open(&kept).unwrap(), Vec::new());
        assert_eq!(archive.len(), games);
        (1..=games).for_each(|game| archive.game(game).unwrap().original(&mut bytes).unwrap());
        assert_eq!(bytes, fs::read(source).unwrap());
    }
}

#[test]
fn deletions_and_header_columns_are_written_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("deleted.bga");
    let sources = [golden("sample.pgn")];
    try_import(&sources, &target, &ImportOptions::default()).unwrap();
    assert_eq!(Archive::delete(&target, [2, 3, 5]).unwrap().games, 3);
    tag_columns::write(&Archive::open(&target).unwrap()).unwrap();
    let files = ["bga", "bgi", "bgh"].map(|end| (target.with_extension(end), golden(&format!("v0.6-deleted.{end}"))));
    for (written, kept) in &files {
        if std::env::var_os("SCORESHEET_BLESS").is_some() {
            fs::copy(written, kept).unwrap();
        }
        assert!(fs::read(written).unwrap() == fs::read(kept).unwrap(), "the bytes of {} have changed", kept.display());
    }
    let archive = Archive::open(golden("v0.6-deleted.bga")).unwrap();
    assert!(archive.live().iter().eq([1, 4, 6]));
    let columns = TagColumns::of(&archive);
    assert_eq!(columns.state(), SideState::File);
    let games = Filter::parse("plies >= 7").unwrap().games(&columns).games;
    assert!(games.contains(1) && !games.contains(2));
}

#[test]
fn the_golden_archive_is_read() {
    let archive = Archive::open(golden("v0.6.bga")).unwrap();
    assert_eq!(archive.len(), 6);
    assert_eq!(archive.digest().unwrap().to_string(), DIGEST.trim());
    assert!(Archive::verify(golden("v0.6.bga"), Level::Full, |_| {}).unwrap().is_intact());
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

/// Before version 1.0 a program reads its own version alone, and says so of another.
#[test]
fn an_archive_of_an_older_version_is_refused_by_its_version() {
    let refused = Archive::open(golden("v0.1.bga"));
    assert!(matches!(refused, Err(Error::Older { version: (0, 1), .. })), "{refused:?}");
    assert!(matches!(Archive::verify(golden("v0.1.bga"), Level::Full, |_| {}), Err(Error::Older { .. })));
}

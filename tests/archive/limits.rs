//! The reader sets limits for the cost of an archive. Each limit is tested at the archive's need and one below.

use crate::common::import::try_import;
use scoresheet::archive::{Access, Level, Limits, OpenOptions};
use scoresheet::{Archive, ArchiveFile, Error, Existing, ImportOptions};
use std::fs;
use std::path::{Path, PathBuf};

/// An archive with comments, clocks and odd layout, of one chunk.
fn made(folder: &Path) -> PathBuf {
    let (source, target) = (folder.join("s.pgn"), folder.join("s.bga"));
    let mut text = String::new();
    for game in 0..200 {
        text += &format!(
            "[Event \"Open\"]\n[White \"Player {}\"]\n[Black \"Guest {}\"]\n\n1. e4 {{[%clk 0:03:0{}]}} e5 {{a remark}}  2. Nf3  *\n\n",
            game % 7,
            game % 5,
            game % 10
        );
    }
    text += &format!("[Event \"{}\"]\n\n{{{}}} 1. d4 *\n", "x".repeat(9000), "a comment that recurs ".repeat(3000));
    fs::write(&source, text).unwrap();
    try_import(&[source], &target, &ImportOptions::default()).unwrap();
    target
}

/// Returns the number of bytes in each block that are checked at once.
fn checked(file: &[u8]) -> Vec<u32> {
    let (mut at, mut checked) = (8192, Vec::new());
    while at < file.len() {
        let number = |from: usize| u32::from_le_bytes(*file[at + from..].first_chunk().unwrap());
        checked.push(number(20));
        at += 40 + number(24) as usize;
    }
    checked
}

/// Returns whether every game can be read completely.
fn is_read(path: &Path, limits: Limits) -> bool {
    let mut read = Vec::new();
    for options in [OpenOptions::from(limits), OpenOptions { access: Access::Read, limits }] {
        let archive = Archive::open(ArchiveFile::at(path).options(options)).unwrap();
        assert_eq!(archive.limits(), &limits);
        let games: Vec<_> = archive.games().map(|game| game.and_then(|game| game.digest())).collect();
        let sources = archive.sources().and_then(|sources| {
            let given = sources.iter().map(|source| archive.write_original(source, &mut Vec::new()));
            given.collect::<Result<Vec<bool>, Error>>()
        });
        let fine = games.iter().all(Result::is_ok) && sources.as_ref().is_ok_and(|sources| sources == &[true]);
        for error in games.into_iter().filter_map(Result::err).chain(sources.err()) {
            assert!(matches!(error, Error::Damaged(_) | Error::Limit { .. }), "{error}");
        }
        // A verification agrees, and moves need no column.
        assert_eq!(
            Archive::verify(ArchiveFile::at(path).options(options), Level::Full, |_| {}).unwrap().is_intact(),
            fine
        );
        read.push(fine);
    }
    let archive = Archive::open(ArchiveFile::from_bytes(fs::read(path).unwrap()).options(limits)).unwrap();
    let all = archive.games().all(|game| game.and_then(|game| game.digest()).is_ok());
    assert!(read[0] == read[1] && all >= read[0], "every access has the same limits");
    read[0]
}

/// Returns the smallest sufficient limit, by search.
fn least(path: &Path, most: usize, limits: impl Fn(usize) -> Limits) -> usize {
    assert!(is_read(path, limits(most)), "{:?}", limits(most));
    assert!(!is_read(path, limits(0)), "{:?}", limits(0));
    let (mut below, mut enough) = (0, most);
    while enough - below > 1 {
        let middle = usize::midpoint(below, enough);
        if is_read(path, limits(middle)) { enough = middle } else { below = middle }
    }
    enough
}

#[test]
fn each_limit_holds_to_the_last_byte() {
    let folder = crate::common::tempdir().unwrap();
    let path = made(folder.path());
    assert_eq!(Archive::open(&path).unwrap().limits(), &Limits::default());
    let checked = checked(&fs::read(&path).unwrap());
    assert!(checked.len() >= 5);
    let standard = Limits::default();
    let most = checked.into_iter().max().unwrap();
    assert_eq!(least(&path, 1 << 20, |block| Limits { block: block as u32, ..standard }), most as usize);
    // The bytes of a block pay for it, or the allowances do.
    let none = Limits { allowance_per_byte: 0, allowance: 0, allowance_per_game: 0, ..standard };
    assert!(is_read(&path, Limits { allowance_per_byte: 1 << 20, ..none }));
    let allowance = least(&path, 1 << 23, |allowance| Limits { allowance, ..none });
    assert!(allowance > 200 * 96, "the edits of the layout alone: {allowance}");
    let limits = |allowance_most| Limits { allowance: 1 << 23, allowance_most, ..none };
    assert_eq!(least(&path, 1 << 23, limits), allowance);
    let games = |allowance_per_game| Limits { allowance: 1 << 12, allowance_per_game, ..none };
    assert_eq!(least(&path, 1 << 20, games), (allowance - (1 << 12)).div_ceil(201));
    assert_eq!(least(&path, 1 << 10, |string| Limits { string, ..standard }), "Player 0".len());
}

#[test]
fn a_refreshed_archive_keeps_its_options() {
    let folder = crate::common::tempdir().unwrap();
    let path = made(folder.path());
    let options = OpenOptions {
        access: Access::Read,
        limits: Limits { allowance: 10, allowance_per_byte: 0, allowance_per_game: 0, ..Limits::default() },
    };
    let mut archive = Archive::open(ArchiveFile::at(&path).options(options)).unwrap();
    let games = archive.len();
    let source = folder.path().join("more.pgn");
    fs::write(&source, "1. e4 {a long remark} *\n").unwrap();
    let append = ImportOptions { existing: scoresheet::Existing::Append, ..ImportOptions::default() };
    try_import(&[source], &path, &append).unwrap();
    assert!(archive.refresh().unwrap());
    assert_eq!((archive.len(), archive.limits()), (games + 1, &options.limits));
    assert!(archive.game(games + 1).unwrap().digest().is_err());
    // `repair` reports the parts that exceed the limits as lost.
    let target = folder.path().join("repaired.bga");
    let repair = Archive::repair(ArchiveFile::at(&path).options(options), &target, Existing::Refuse, |_| {}).unwrap();
    assert_eq!((repair.lost_games(), repair.kept_games()), (0, games + 1));
    assert!(!repair.losses.is_empty());
    assert!(
        Archive::repair(ArchiveFile::at(&path).options(Access::Read), &target, Existing::Replace, |_| {})
            .unwrap()
            .losses
            .is_empty()
    );
}

//! Archives with valid checksums whose content is wrong or of a later version: verification, repair and copies agree.

use crate::common::import::try_import;
use crate::common::sample::testdata;
use crate::common::share;
use crate::fuzz::targets::fix_checksums;
use crate::intact::blocks;
use rayon::prelude::*;
use scoresheet::archive::copy::{self, Part};
use scoresheet::archive::{ArchiveFile, Coding, Level, MODEL, TranscodeOptions};
use scoresheet::error::UnknownPart;
use scoresheet::{Archive, Error, Existing, GameRef, GameSet, ImportOptions, Monitor};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn is_unknown(error: &Error) -> bool {
    matches!(error, Error::Unknown { .. })
}

/// Reads all data of an archive, and returns the first error.
fn read(archive: &Archive) -> Result<(), Error> {
    for game in archive.games() {
        let game = game?;
        game.to_game()?;
        game.original(&mut Vec::new())?;
    }
    archive.metadata().map(drop)
}

/// Copies an archive in every way. Each copy fails or is intact.
fn copies_are_intact(file: &[u8], folder: &Path, what: &str) {
    let Ok(archive) = Archive::open(ArchiveFile::from_bytes(file.to_vec())) else { return };
    let target = folder.join("copy.bga");
    let check = |how: &str, result: Result<(), Error>| {
        if result.is_ok() {
            let report = Archive::verify(&target, Level::Full, Monitor::new());
            assert!(report.as_ref().is_ok_and(|report| report.is_intact()), "{what}, {how}: {report:?}");
        }
        let _ = fs::remove_file(&target);
    };
    for (how, coding, level) in [
        ("plain", Coding::Plain, None),
        ("packed", Coding::Packed(MODEL), None),
        ("recompressed", Coding::Plain, Some(3)),
        ("joined", Coding::Packed(MODEL), Some(3)),
    ] {
        let options = TranscodeOptions { coding, level, existing: Existing::Replace, ..TranscodeOptions::default() };
        check(how, archive.transcode(&target, &options, Monitor::new()).map(drop));
    }
    let part = Part { archive: &archive, games: archive.live() };
    check("copied", copy::write(&target, Existing::Replace, &[part], Monitor::new()).map(drop));
    fs::write(&target, file).unwrap();
    let change = |game: &GameRef<'_>| {
        let mut game = game.to_game()?;
        game.tags.push(("Annotator".to_owned(), "Tal".to_owned()));
        Ok(Some(game))
    };
    let edited = Archive::edit(&target, &GameSet::from_numbers(archive.len(), [1]), &change, Monitor::new());
    // Without a change, the file is the original.
    check("edited", edited.and_then(|edited| if edited.games > 0 { Ok(()) } else { Err(Error::Interrupted) }));
    check(
        "repaired",
        Archive::repair(ArchiveFile::from_bytes(file.to_vec()), &target, Existing::Replace, |_| {}).map(drop),
    );
}

/// A small archive with a dictionary, texts, and two commits; its columns are not compressed.
fn small(folder: &Path) -> Vec<u8> {
    let (source, target) = (folder.join("small.pgn"), folder.join("small.bga"));
    let sample = fs::read_to_string(testdata("golden/sample.pgn")).unwrap();
    let clocks =
        "[White \"A\"]\n[WhiteElo \"2100\"]\n\n1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:58]} 2. Nf3 {x} *\n\n".repeat(5);
    fs::write(&source, sample + &clocks).unwrap();
    try_import(std::slice::from_ref(&source), &target, &ImportOptions::default()).unwrap();
    Archive::delete(&target, [2]).unwrap();
    fs::read(&target).unwrap()
}

/// Every number of the table of assigned numbers that can stand in an archive: a free number needs a newer program. It is
/// not damage, a repair does not drop its games, and no copy is made.
#[test]
fn free_numbers_need_a_newer_program() {
    let folder = crate::common::tempdir().unwrap();
    let file = small(folder.path());
    let bytes: Vec<usize> =
        blocks(&file).into_iter().flat_map(|(_, at)| [at + 5].into_iter().chain(at + 40..at + 340)).collect();
    let values = &[3, 0x7A, 16, 5, 7, 11, 2, 32, 49][..share(24).min(9) as usize];
    let forged: Vec<(String, Vec<u8>)> = bytes
        .into_par_iter()
        .filter(|at| *at < file.len())
        .flat_map_iter(|at| values.iter().map(move |value| (at, *value)))
        .filter_map(|(at, value)| {
            let mut forged = file.clone();
            forged[at] = value;
            fix_checksums(&mut forged);
            let archive = Archive::open(ArchiveFile::from_bytes(forged.clone()));
            let error = archive.and_then(|archive| read(&archive)).err()?;
            let Error::Unknown { part, .. } = error else { return None };
            let row = match part {
                UnknownPart::Number { of, .. } => of.to_owned(),
                UnknownPart::Coding { kind: 1, coding } if coding >> 4 > 2 => "widths of lengths".to_owned(),
                UnknownPart::Coding { kind: 1, .. } => "codings of records".to_owned(),
                UnknownPart::Coding { .. } => "codings of blocks".to_owned(),
                other => other.to_string(),
            };
            Some((row, forged))
        })
        .collect();
    let rows: BTreeSet<&str> = forged.iter().map(|(row, _)| &**row).collect();
    // Kinds of prediction and rules of streams need long chunks; unit tests of their decoders cover them. Other rows are
    // block kinds, features, models, side files and stand-alone strings, with tests of their own.
    for row in [
        "codecs of columns",
        "codings of blocks",
        "codings of compressed parts",
        "codings of records",
        "kinds of text",
        "letters of fields",
        "line ends of styles",
        "names of tags",
        "record flags",
        "style flags",
        "widths of lengths",
    ] {
        assert!(rows.contains(row), "{row}: {rows:?}");
    }
    let mut seen = BTreeSet::new();
    for (row, forged) in &forged {
        if !seen.insert(row) {
            continue;
        }
        let of = || ArchiveFile::from_bytes(forged.clone());
        let target = folder.path().join("repaired.bga");
        let verified = Archive::verify(of(), Level::Full, Monitor::new());
        assert!(verified.as_ref().is_err_and(is_unknown), "{row}: {verified:?}");
        let repaired = Archive::repair(of(), &target, Existing::Refuse, |_| {});
        assert!(repaired.as_ref().is_err_and(is_unknown), "{row}: {repaired:?}");
        assert!(!target.exists(), "{row}");
        copies_are_intact(forged, folder.path(), row);
        // Only an unknown critical block makes the other parts unreadable.
        let is_critical = row.starts_with("a block") || row == "codings of blocks";
        assert_eq!(Archive::open(of()).is_err(), is_critical, "{row}");
    }
}

/// Wrong bytes under valid checksums: no copy is an archive that verification calls damaged.
#[test]
fn no_copy_of_wrong_bytes_is_damaged() {
    let folder = crate::common::tempdir().unwrap();
    let file = small(folder.path());
    let states = crate::common::number("SCORESHEET_STATES", 400) as usize;
    // More states than bits: each round flips another second bit.
    let bits = (file.len() - 8192) * 8;
    let step = (bits / states).max(1);
    eprintln!("{states} states, {bits} bits");
    (0..states).into_par_iter().for_each(|state| {
        let (round, bit) = (state * step / bits, state * step % bits);
        let mut wrong = file.clone();
        for bit in [Some(bit), (round > 0).then(|| (bit * 7919 + round * 104_729) % bits)].into_iter().flatten() {
            wrong[8192 + bit / 8] ^= 1 << (bit % 8);
        }
        fix_checksums(&mut wrong);
        let folder = crate::common::tempdir().unwrap();
        copies_are_intact(&wrong, folder.path(), &format!("round {round}, bit {bit}"));
    });
}

/// Verification finds what other commands need: totals, and the data of deleted games.
#[test]
fn verification_finds_wrong_totals_and_deleted_games() {
    let folder = crate::common::tempdir().unwrap();
    let file = small(folder.path());
    let damaged = |change: &dyn Fn(&mut [u8])| {
        let mut wrong = file.clone();
        change(&mut wrong);
        fix_checksums(&mut wrong);
        let report = Archive::verify(ArchiveFile::from_bytes(wrong), Level::Full, Monitor::new());
        !report.is_ok_and(|report| report.is_intact())
    };
    assert!(!damaged(&|_| {}));
    for (kind, commit) in blocks(&file).into_iter().filter(|(kind, _)| *kind == 6) {
        // Bytes of PGN and rejected games cannot be derived from the blocks.
        for number in (0..13).filter(|number| ![5, 7].contains(number)) {
            assert!(damaged(&|file| file[commit + 40 + number * 8] ^= 1), "number {number} of a commit of kind {kind}");
        }
    }
    // Game 2 is deleted.
    let archive = Archive::open(ArchiveFile::from_bytes(file.clone())).unwrap();
    assert!(archive.is_deleted(2));
    let (_, moves) = blocks(&file).into_iter().find(|(kind, _)| *kind == 1).unwrap();
    let table = u32::from_le_bytes(file[moves + 20..moves + 24].try_into().unwrap()) as usize;
    let games = u32::from_le_bytes(file[moves + 16..moves + 20].try_into().unwrap()) as usize;
    let lengths = moves + 40 + games.div_ceil(16) * 4;
    let record = moves + 40 + table + usize::from(file[lengths]);
    assert!(damaged(&|file| file[record + usize::from(file[lengths + 1]) - 1] = 0xC5));
    // The committed length is the end of a commit block.
    let mut longer = file.clone();
    let layout = blocks(&file).into_iter().find(|(kind, _)| *kind == 7).unwrap().1;
    longer.extend_from_slice(&file[layout..layout + 40 + file[layout + 24] as usize]);
    for page in [0, 4096] {
        if u64::from_le_bytes(longer[page + 40..page + 48].try_into().unwrap()) == file.len() as u64 {
            let length = longer.len() as u64;
            longer[page + 40..page + 48].copy_from_slice(&length.to_le_bytes());
        }
    }
    fix_checksums(&mut longer);
    assert!(Archive::open(ArchiveFile::from_bytes(longer)).is_err());
}

/// The limit on variations inside each other is the same for every reader and writer.
#[test]
fn variations_have_one_limit() {
    let folder = crate::common::tempdir().unwrap();
    let of = |levels: usize| format!("1. e4 {}{} *\n", "( 1. d4 ".repeat(levels), ")".repeat(levels));
    let target = folder.path().join("deep.bga");
    let mut faults = 0;
    let import = scoresheet::Import::new(&target).on_fault(|_| faults += 1);
    import.run_reader("deep.pgn", [of(1024), of(1025)].concat().as_bytes()).unwrap();
    assert_eq!(faults, 1);
    assert!(Archive::verify(&target, Level::Full, Monitor::new()).unwrap().is_intact());
    let archive = Archive::open(&target).unwrap();
    let depth = |number| {
        let (mut depth, mut deepest) = (0, 0);
        let mut text = Vec::new();
        archive.game(number).unwrap().original(&mut text).unwrap();
        for byte in archive.game(number).unwrap().brenner() {
            match byte {
                0xC3 => depth += 1,
                0xC4 => depth -= 1,
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        deepest
    };
    assert_eq!((depth(1), depth(2)), (1024, 1024));
    // A stream of 1,025 levels is refused, although all its bytes are known.
    let mut stream = archive.game(1).unwrap().brenner().to_vec();
    let middle = stream.iter().rposition(|byte| *byte == 0xC3).unwrap();
    let level = stream[middle..middle + 2].to_vec();
    stream.splice(middle..middle, level);
    let closed = stream.iter().rposition(|byte| *byte == 0xC4).unwrap();
    stream.insert(closed, 0xC4);
    use scoresheet::brenner::decode::{DecodeFault, Decoder, TextPlaces};
    let mut decoder = Decoder::new(&stream, archive.game(1).unwrap().start().clone(), TextPlaces::Apart);
    let fault = loop {
        match decoder.advance(|_, _| {}) {
            Ok(Some(_)) => {}
            Ok(None) => panic!("1,025 levels"),
            Err(error) => break error.fault,
        }
    };
    assert_eq!(fault, DecodeFault::TooDeep);
}

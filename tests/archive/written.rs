//! Archives through the library: determinism, appending, damage, indexes, threads.

use crate::common::import::{append, try_import};
use crate::common::sample::{lichess, lichess_text, testdata};
use rayon::prelude::*;
use scoresheet::Existing;
use scoresheet::archive::{Access, FileKind, Level, MODEL, SideState, TranscodeOptions};
use scoresheet::chess::fen::{Fen, FenText};
use scoresheet::format::moves::Coding;
use scoresheet::import::Progress;
use scoresheet::{Archive, ArchiveFile, Error, Import, ImportOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The 3,000 games of the sample in an archive.
fn sample(folder: &Path) -> PathBuf {
    let target = folder.join("sample.bga");
    let summary = try_import(&[lichess()], &target, &ImportOptions::default()).unwrap();
    assert_eq!((summary.stored, summary.rejected, summary.faulty), (3000, 0, 0));
    assert_eq!(summary.pgn_bytes, 2_281_449);
    target
}

/// Imports a few small games.
fn small(folder: &Path) -> PathBuf {
    let target = folder.join("small.bga");
    fs::copy(testdata("golden/v1.0.bga"), &target).unwrap();
    fs::copy(testdata("golden/v1.0.bgi"), FileKind::Index.beside(&target)).unwrap();
    target
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let folder = crate::common::tempdir().unwrap();
    let files: Vec<(Vec<u8>, Vec<u8>)> = [1, 2, 3, 7]
        .map(|threads| {
            let target = folder.path().join(format!("{threads}.bga"));
            let options = ImportOptions { threads, ..ImportOptions::default() };
            try_import(&[lichess()], &target, &options).unwrap();
            (fs::read(&target).unwrap(), fs::read(FileKind::Index.beside(&target)).unwrap())
        })
        .into();
    assert!(files.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn every_way_to_a_position_agrees() {
    let folder = crate::common::tempdir().unwrap();
    let archive = Archive::open(sample(folder.path())).unwrap();
    assert!(archive.chunk_count() > 2);
    let plies: u64 = archive
        .par_games()
        .map(|game| {
            let game = game.unwrap();
            let mut ply = 0;
            game.positions(|position| {
                // The fast replay, always from the start, against the checked decoder.
                assert_eq!(&archive.position(game.number(), ply).unwrap(), position, "{}:{ply}", game.number());
                ply += 1;
            })
            .unwrap();
            assert_eq!(ply - 1, game.plies());
            // The walk over all plies, with keys and FENs.
            let (mut walked, mut text) = (Vec::new(), FenText::default());
            game.walk_keys(|state, key| walked.push((state.fen(&mut text).to_vec(), key))).unwrap();
            let mut seen = walked.iter();
            game.positions(|position| {
                let fen = Fen::from(position).to_string();
                assert_eq!(seen.next().unwrap(), &(fen.into_bytes(), position.zobrist()));
            })
            .unwrap();
            assert!(seen.next().is_none());
            assert!(matches!(game.position(ply), Err(Error::NoSuchPly { plies, .. }) if plies == ply - 1));
            u64::from(game.plies())
        })
        .sum();
    assert_eq!(plies, archive.totals().unwrap().plies);
}

/// Games by their numbers, each with its last FEN.
type LastFens = Vec<(u64, Vec<u8>)>;

/// Returns the games found by a walk over the chunks, and the games found by their numbers.
fn last_fens(archive: &Archive) -> Result<[LastFens; 2], Error> {
    let (mut walked, mut found, mut text) = (Vec::new(), Vec::new(), FenText::default());
    for chunk in 0..archive.chunk_count() {
        archive.chunk(chunk)?.ends(|number, state| walked.push((number, state.fen(&mut text).to_vec())))?;
    }
    for number in archive.live().iter() {
        let plies = archive.game(number)?.plies();
        found.push((number, archive.replay(number, plies)?.state().fen(&mut text).to_vec()));
    }
    Ok([walked, found])
}

#[test]
fn walks_over_chunks_come_to_each_game() {
    let folder = crate::common::tempdir().unwrap();
    // Includes a game whose length takes two bytes.
    let (long, target) = (folder.path().join("long.pgn"), sample(folder.path()));
    let knights = "Nf3 Nf6 Ng1 Ng8 ".repeat(100);
    fs::write(&long, format!("{knights}*\n\n1. e4 *\n\n[Event \"none\"]\n\n*\n\n1. d4 d5 *\n")).unwrap();
    append(&long, &target, ImportOptions::default());
    Archive::delete(&target, [1, 2, 17, 500, 1033, 3000]).unwrap();
    let packed = folder.path().join("packed.bga");
    let archive = Archive::open(&target).unwrap();
    let options = TranscodeOptions { coding: Coding::Packed(MODEL), ..TranscodeOptions::default() };
    archive.transcode(&packed, &options, |_| {}).unwrap();
    let [walked, found] = last_fens(&archive).unwrap();
    assert_eq!(walked.len(), 3004 - 6);
    assert_eq!(walked, found);
    for archive in [Archive::open(&packed), Archive::open(ArchiveFile::at(&target).options(Access::Read))] {
        assert_eq!(last_fens(&archive.unwrap()).unwrap(), [walked.clone(), found.clone()]);
    }
    // Every page is checked.
    let bytes = fs::read(&target).unwrap();
    let mut faults = 0;
    for at in (8192..bytes.len()).step_by(1499) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        fs::write(&target, &damaged).unwrap();
        let (Ok(by_walk), Ok(by_number)) = (Archive::open(&target), Archive::open(&target)) else { continue };
        let ends = |chunk| by_walk.chunk(chunk).and_then(|chunk| chunk.ends(|_, _| ()));
        let walk_fails = (0..by_walk.chunk_count()).any(|chunk| ends(chunk).is_err());
        let found = by_number.live().iter().any(|game| by_number.replay(game, 0).is_err());
        assert_eq!(walk_fails, found, "byte {at}");
        faults += u32::from(walk_fails);
    }
    assert!(faults > 50, "{faults}");
}

#[test]
fn appending_goes_on_where_the_archive_ends() {
    let folder = crate::common::tempdir().unwrap();
    let target = small(folder.path());
    let before = Archive::open(&target).unwrap();
    let first: Vec<_> = before.games().map(|game| game.unwrap().digest().unwrap()).collect();
    let options = ImportOptions { existing: Existing::Append, ..ImportOptions::default() };
    let summary = try_import(&[lichess()], &target, &options).unwrap();
    assert_eq!((summary.stored, summary.totals.games), (3000, 3006));
    // An open reader still sees the old state.
    assert_eq!(before.len(), 6);
    assert_eq!(before.game(6).unwrap().digest().unwrap(), first[5]);
    let after = Archive::open(&target).unwrap();
    assert_eq!((after.len(), after.index_state()), (3006, SideState::File));
    let again: Vec<_> = after.games().take(6).map(|game| game.unwrap().digest().unwrap()).collect();
    assert_eq!(first, again);
    let alone = Archive::open(sample(folder.path())).unwrap();
    for number in [1, 1500, 3000] {
        let (appended, original) = (after.game(6 + number).unwrap(), alone.game(number).unwrap());
        assert_eq!(appended.digest().unwrap(), original.digest().unwrap());
    }
    assert!(Archive::verify(&target, Level::Full, |_| {}).unwrap().is_intact());
    assert_eq!(after.sources().unwrap().len(), 2);
    for source in after.sources().unwrap() {
        assert!(after.write_original(&source, &mut Vec::new()).unwrap());
    }
}

#[test]
fn a_reader_does_not_follow_its_file_back() {
    let folder = crate::common::tempdir().unwrap();
    let target = small(folder.path());
    let earlier = folder.path().join("earlier.bga");
    fs::copy(&target, &earlier).unwrap();
    let options = ImportOptions { existing: Existing::Append, ..ImportOptions::default() };
    try_import(&[testdata("golden/sample.pgn")], &target, &options).unwrap();
    let mut archive = Archive::open(&target).unwrap();
    let games = archive.len();
    assert!(games > 6 && !archive.refresh().unwrap());
    fs::rename(&earlier, &target).unwrap();
    assert!(archive.refresh().unwrap_err().to_string().contains("earlier commit"));
    assert_eq!(archive.len(), games);
    assert!(archive.game(games).unwrap().digest().is_ok());
}

#[test]
fn every_flipped_bit_is_found_and_no_game_is_falsified() {
    let folder = crate::common::tempdir().unwrap();
    let target = small(folder.path());
    let bytes = fs::read(&target).unwrap();
    let archive = Archive::open(&target).unwrap();
    let digests: Vec<_> = archive.games().map(|game| game.unwrap().digest().unwrap()).collect();
    (0..bytes.len()).into_par_iter().for_each(|at| {
        let path = folder.path().join(format!("flip-{at}.bga"));
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(&path, damaged).unwrap();
        let intact = match Archive::verify(&path, Level::Quick, |_| {}) {
            Ok(report) => report.is_intact(),
            Err(_) => false,
        };
        assert!(!intact, "byte {at}");
        // Readable games are correct.
        if let Ok(archive) = Archive::open(&path) {
            for (game, digest) in archive.games().zip(&digests) {
                if let Ok(found) = game.and_then(|game| game.digest()) {
                    assert_eq!(found, *digest, "byte {at}");
                }
            }
        }
        fs::remove_file(path).unwrap();
    });
}

#[test]
fn every_cut_is_found() {
    let folder = crate::common::tempdir().unwrap();
    let bytes = fs::read(small(folder.path())).unwrap();
    (0..bytes.len()).into_par_iter().for_each(|length| {
        let path = folder.path().join(format!("cut-{length}.bga"));
        fs::write(&path, &bytes[..length]).unwrap();
        if let Ok(archive) = Archive::open(&path) {
            // The archive before its only commit; the header page that proves it may also be truncated.
            assert!(archive.is_empty() && (archive.incomplete().is_some() || length < 8192), "{length}");
        }
        assert!(!Archive::verify(&path, Level::Quick, |_| {}).is_ok_and(|report| report.is_intact()), "{length}");
        fs::remove_file(path).unwrap();
    });
}

#[test]
fn bytes_behind_the_last_commit_do_not_count() {
    let folder = crate::common::tempdir().unwrap();
    let target = small(folder.path());
    let mut bytes = fs::read(&target).unwrap();
    let length = bytes.len();
    bytes.extend_from_slice(b"BGAb, a block that never got its commit");
    fs::write(&target, &bytes).unwrap();
    assert_eq!(Archive::open(&target).unwrap().len(), 6);
    let report = Archive::verify(&target, Level::Full, |_| {}).unwrap();
    assert!(report.is_intact());
    assert_eq!(report.uncommitted as usize, bytes.len() - length);
    // The next writer truncates these bytes.
    let options = ImportOptions { existing: Existing::Append, ..ImportOptions::default() };
    try_import(&[testdata("golden/sample.pgn")], &target, &options).unwrap();
    assert!(Archive::verify(&target, Level::Full, |_| {}).unwrap().is_intact());
    assert_eq!(Archive::open(&target).unwrap().len(), 12);
}

#[test]
fn an_index_is_a_cache() {
    let folder = crate::common::tempdir().unwrap();
    let target = sample(folder.path());
    let index = FileKind::Index.beside(&target);
    let bytes = fs::read(&index).unwrap();
    let position = |state| {
        let archive = Archive::open(&target).unwrap();
        assert_eq!(archive.index_state(), state);
        assert_eq!(archive.index_file(), bytes);
        archive.position(2345, 30).unwrap().fen()
    };
    let fen = position(SideState::File);
    fs::remove_file(&index).unwrap();
    assert_eq!(position(SideState::Missing), fen);
    // Any damage, and the index of another archive, is detected.
    for at in (0..bytes.len()).step_by(5) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        fs::write(&index, damaged).unwrap();
        let state = if (8..12).contains(&at) { SideState::Stale } else { SideState::Damaged };
        assert_eq!(position(state), fen, "byte {at}");
        assert_eq!(Archive::verify(&target, Level::Quick, |_| {}).unwrap().index, Some(false));
    }
    fs::copy(testdata("golden/v1.0.bgi"), &index).unwrap();
    assert_eq!(position(SideState::Stale), fen);
}

#[test]
fn an_interrupted_import_leaves_a_whole_archive() {
    let folder = crate::common::tempdir().unwrap();
    let (source, target) = (folder.path().join("games.pgn"), folder.path().join("games.bga"));
    let sample = lichess_text();
    fs::write(&source, sample.repeat(8)).unwrap();
    let (progress, stop) = (Progress::default(), AtomicBool::new(false));
    let summary = std::thread::scope(|scope| {
        scope.spawn(|| {
            while progress.games() == 0 {
                std::thread::yield_now();
            }
            stop.store(true, Ordering::Relaxed);
        });
        Import::new(&target).options(ImportOptions::default()).progress(&progress).stop(&stop).run(&[source]).unwrap()
    });
    assert!(matches!(summary.stopped, Some(Error::Interrupted)));
    assert!(summary.stored > 0 && summary.stored < 24_000, "{}", summary.stored);
    let archive = Archive::open(&target).unwrap();
    assert_eq!((archive.len(), archive.index_state()), (summary.stored, SideState::File));
    assert!(Archive::verify(&target, Level::Full, |_| {}).unwrap().is_intact());
}

#[test]
fn sources_that_cannot_be_read_are_collected() {
    let folder = crate::common::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let game = "[White \"Weiß\"]\n\n1. e4 e5 2. Ke5 1-0\n\n";
    fs::write(path("foreign.pgn"), b"\x89PNG\r\n\x1a\n").unwrap();
    fs::write(path("whole.pgn"), game.repeat(5)).unwrap();
    let packed = zstd::encode_all(game.repeat(9000).as_bytes(), 1).unwrap();
    // Without its last block.
    fs::write(path("cut.pgn.zst"), &packed[..packed.len() - 9]).unwrap();
    let sources = ["foreign.pgn", "cut.pgn.zst", "whole.pgn"].map(path);
    let mut faults = Vec::new();
    let import = Import::new(path("a.bga")).threads(1).on_fault(|fault| faults.push((fault.source, fault.stored)));
    let summary = import.run(&sources).unwrap();
    assert!(summary.stopped.is_none());
    let refused: Vec<(usize, String)> =
        summary.refused.iter().map(|refusal| (refusal.source, refusal.error.to_string())).collect();
    assert_eq!(refused.iter().map(|refusal| refusal.0).collect::<Vec<_>>(), [0, 1]);
    assert!(refused[0].1.contains("a PNG image") && refused[1].1.contains("truncated"), "{refused:?}");
    // Sources have the given names and order, and faults use these names.
    let before = summary.sources[1].record.seen;
    assert!(before > 0 && before < 9000, "{before}");
    let seen: Vec<(u64, bool)> =
        summary.sources.iter().map(|source| (source.record.seen, source.is_complete)).collect();
    assert_eq!(seen, [(0, false), (before, false), (5, true)]);
    assert_eq!(faults.len() as u64, before + 5);
    assert_eq!(faults.last(), Some(&(2, Some(before + 5))));
    let archive = Archive::open(path("a.bga")).unwrap();
    let records: Vec<(String, bool)> =
        archive.sources().unwrap().into_iter().map(|source| (source.name, source.exact)).collect();
    assert_eq!(records, [("cut.pgn.zst".to_owned(), false), ("whole.pgn".to_owned(), true)]);
    assert!(Archive::verify(path("a.bga"), Level::Full, |_| {}).unwrap().is_intact());
    // With `stop_at_refused`, the first refused source ends the import.
    assert!(Import::new(path("b.bga")).stop_at_refused().run(&sources).is_err());
    let summary = Import::new(path("b.bga")).stop_at_refused().run(&sources[1..]).unwrap();
    assert!(summary.stopped.is_some() && summary.refused.is_empty() && summary.stored == before);
    // The last source is truncated: the import resumes with a better copy.
    let sources = ["whole.pgn", "cut.pgn.zst"].map(path);
    let summary = Import::new(path("c.bga")).run(&sources).unwrap();
    assert_eq!((summary.refused.len(), summary.stored), (1, before + 5));
    fs::write(path("cut.pgn.zst"), &packed).unwrap();
    let summary = Import::new(path("c.bga")).resume().run(&sources).unwrap();
    assert_eq!((summary.refused.len(), summary.totals.games), (0, 9005));
    assert!(Archive::verify(path("c.bga"), Level::Full, |_| {}).unwrap().is_intact());
}

#[test]
fn an_empty_archive_is_an_archive() {
    let folder = crate::common::tempdir().unwrap();
    let (source, target) = (folder.path().join("empty.pgn"), folder.path().join("empty.bga"));
    fs::write(&source, "").unwrap();
    let summary = try_import(&[source], &target, &ImportOptions::default()).unwrap();
    assert_eq!((summary.seen, summary.stored), (0, 0));
    let archive = Archive::open(&target).unwrap();
    assert!(archive.is_empty());
    assert_eq!(archive.games().count(), 0);
    assert!(matches!(archive.game(1), Err(Error::NoSuchGame { game: 1, games: 0 })));
    assert!(matches!(archive.game(0), Err(Error::NoSuchGame { .. })));
    assert!(Archive::verify(&target, Level::Full, |_| {}).unwrap().is_intact());
}

#[test]
fn one_writer_at_a_time() {
    let folder = crate::common::tempdir().unwrap();
    let target = small(folder.path());
    let writer = scoresheet::archive::writer::Writer::open(&target).unwrap();
    let options = ImportOptions { existing: Existing::Append, ..ImportOptions::default() };
    let second = try_import(&[testdata("golden/sample.pgn")], &target, &options);
    let message = second.unwrap_err().to_string();
    assert!(message.contains("another program is writing to it"), "{message}");
    drop(writer);
    try_import(&[testdata("golden/sample.pgn")], &target, &options).unwrap();
}

//! Games deleted, and copied to new archives: all other games are unchanged, to the byte.

use crate::common::corpora;
use crate::common::import::try_import;
use crate::common::sample::first_games;
use scoresheet::archive::copy::{self, Part};
use scoresheet::archive::{Archive, ArchiveFile, GameSet, Level, MODEL, TranscodeOptions};
use scoresheet::format::moves::Coding;
use scoresheet::{Error, Existing, GameRef, ImportOptions, Monitor};
use scoresheet_query::ArchiveSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Games with many elements: comments with and without structure, variations, a fault, a set-up position, unusual tags.
const PGN: &str = r#"[Event "One"]
[White "A"]
[White "B"]

1. e4 {[%clk 0:03:00]} e5 {x} $4 2. Nf3 (2. f4 {[%eval 0.3]} exf4) 2... Nc6 ; line
3. Bb5 {a}{b} 1-0

[Event "Two"]

1. d4 d5 2. Nf5 Nf6 0-1

junk between

[Event "Three"]
[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 40"]
[SetUp "1"]

40. a8=Q+ Kd7 *

[Event "Four"]

1. e4 {[%clk 0:02:59.9]} c5 {[%clk 0:02:58]} 2. Nf3 {[%clk 1:02:59]}

"#;

fn imported(folder: &TempDir, name: &str, sources: &[PathBuf]) -> PathBuf {
    let target = folder.path().join(name);
    try_import(sources, &target, &ImportOptions::default()).unwrap();
    target
}

fn small(folder: &TempDir) -> PathBuf {
    let source = folder.path().join("small.pgn");
    std::fs::write(&source, PGN).unwrap();
    imported(folder, "small.bga", &[source])
}

fn sample(folder: &TempDir) -> PathBuf {
    imported(folder, "sample.bga", &[first_games(folder.path(), 800)])
}

/// Returns everything in a game: its content digest and the bytes of its source.
fn contents(archive: &Archive, game: u64) -> ([u8; 32], Vec<u8>) {
    let game = archive.game(game).unwrap();
    let mut original = Vec::new();
    game.original(&mut original).unwrap();
    (game.digest().unwrap().0, original)
}

fn copied(path: &Path, parts: &[(&Archive, GameSet)]) -> Archive {
    let parts: Vec<Part> = parts.iter().map(|(archive, games)| Part { archive, games: games.clone() }).collect();
    let done = copy::write(path, Existing::Refuse, &parts, |_| {}).unwrap();
    let report = Archive::verify(path, Level::Full, |_| {}).unwrap();
    assert!(report.is_intact() && report.index == Some(true), "{report:?}");
    let archive = Archive::open(path).unwrap();
    assert_eq!(archive.len(), done.games);
    let mut number = 0;
    for part in &parts {
        for game in part.games.iter().filter(|game| !part.archive.is_deleted(*game)) {
            number += 1;
            assert_eq!(contents(&archive, number), contents(part.archive, game), "game {game} as {number}");
        }
    }
    assert_eq!(number, archive.len());
    archive
}

fn set(archive: &Archive, games: impl IntoIterator<Item = u64>) -> GameSet {
    let mut set = GameSet::new(archive.len());
    for game in games {
        assert!(set.insert(game));
    }
    set
}

#[test]
fn a_whole_copy_is_the_same_and_gives_its_sources_back() {
    let folder = crate::common::tempdir().unwrap();
    for path in [small(&folder), sample(&folder)] {
        let archive = Archive::open(&path).unwrap();
        let copy = copied(&path.with_extension("copy.bga"), &[(&archive, archive.live())]);
        assert_eq!(copy.digest().unwrap(), archive.digest().unwrap());
        assert_ne!(copy.id(), archive.id());
        assert_eq!(copy.sources().unwrap(), archive.sources().unwrap());
        let (totals, before) = (copy.totals().unwrap(), archive.totals().unwrap());
        let figures = |totals: &scoresheet::format::commit::Commit| {
            [totals.games, totals.plies, totals.faulty, totals.rejected, totals.pgn_bytes, totals.sources]
        };
        assert_eq!(figures(&totals), figures(&before));
        for source in copy.sources().unwrap() {
            assert!(source.exact && copy.write_original(&source, &mut std::io::sink()).unwrap());
        }
    }
}

#[test]
fn subsets_are_exact_copies_and_name_their_sources() {
    let folder = crate::common::tempdir().unwrap();
    let archive = Archive::open(sample(&folder)).unwrap();
    let third = copied(&folder.path().join("third.bga"), &[(&archive, set(&archive, (1..=archive.len()).step_by(3)))]);
    let source = &third.sources().unwrap()[0];
    assert_eq!((source.seen, source.rejected, source.first_game, source.exact), (third.len(), 0, 1, false));
    assert_eq!(third.totals().unwrap().pgn_bytes, 0);
    let none = copied(&folder.path().join("none.bga"), &[(&archive, GameSet::new(archive.len()))]);
    assert!(none.is_empty() && none.sources().unwrap().is_empty());
    // The same subset gives the same file.
    let again = folder.path().join("again.bga");
    copied(&again, &[(&archive, set(&archive, (1..=archive.len()).step_by(3)))]);
    assert_eq!(std::fs::read(again).unwrap(), std::fs::read(third.path()).unwrap());
}

#[test]
fn copies_of_packed_archives_stay_packed() {
    let folder = crate::common::tempdir().unwrap();
    for path in [small(&folder), sample(&folder)] {
        let plain = Archive::open(&path).unwrap();
        let path = path.with_extension("packed.bga");
        let options = TranscodeOptions { coding: Coding::Packed(MODEL), ..TranscodeOptions::default() };
        plain.transcode(&path, &options, |_| {}).unwrap();
        let packed = Archive::open(&path).unwrap();
        let moves = |archive: &Archive| archive.totals().unwrap().moves_bytes;
        let copy = copied(&path.with_extension("copy.bga"), &[(&packed, packed.live())]);
        assert_eq!((copy.digest().unwrap(), moves(&copy)), (plain.digest().unwrap(), moves(&packed)));
        // An archive may mix plain and packed games.
        let both = copied(&path.with_extension("both.bga"), &[(&packed, packed.live()), (&plain, plain.live())]);
        assert_eq!(moves(&both), moves(&packed) + moves(&plain));
        let again = copied(&path.with_extension("again.bga"), &[(&both, both.live())]);
        assert_eq!(moves(&again), moves(&both));
        let repaired = path.with_extension("repaired.bga");
        let report = Archive::repair(&path, &repaired, Existing::Refuse, |_| {}).unwrap();
        assert_eq!((report.lost_games(), report.damage.len()), (0, 0));
        let repaired = Archive::open(&repaired).unwrap();
        assert_eq!((repaired.digest().unwrap(), moves(&repaired)), (plain.digest().unwrap(), moves(&packed)));
    }
}

#[test]
fn merged_archives_keep_games_and_sources() {
    let folder = crate::common::tempdir().unwrap();
    let (small_archive, sample_archive) =
        (Archive::open(small(&folder)).unwrap(), Archive::open(sample(&folder)).unwrap());
    let merged = copied(
        &folder.path().join("merged.bga"),
        &[
            (&small_archive, small_archive.live()),
            (&sample_archive, sample_archive.live()),
            (&small_archive, small_archive.live()),
        ],
    );
    assert_eq!(merged.len(), 2 * small_archive.len() + sample_archive.len());
    let sources = merged.sources().unwrap();
    let first: Vec<u64> = sources.iter().map(|source| source.first_game).collect();
    assert_eq!(first, [1, small_archive.len() + 1, small_archive.len() + sample_archive.len() + 1]);
    for source in &sources {
        assert!(source.exact && merged.write_original(source, &mut std::io::sink()).unwrap(), "{source:?}");
    }
}

#[test]
fn deleted_games_are_holes_until_the_archive_is_compacted() {
    let folder = crate::common::tempdir().unwrap();
    let path = sample(&folder);
    let before = Archive::open(&path).unwrap();
    let gone: Vec<u64> = (1..=before.len()).filter(|game| game % 7 == 3 || (100..=140).contains(game)).collect();
    assert_eq!(Archive::delete(&path, gone.iter().copied()).unwrap().games, gone.len() as u64);
    // Repeated deletions and missing numbers change nothing.
    let length = std::fs::metadata(&path).unwrap().len();
    assert_eq!(Archive::delete(&path, [gone[0], gone[1], 0, before.len() + 1]).unwrap().games, 0);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
    assert_eq!(Archive::delete(&path, [1]).unwrap().games, 1);

    let gone: Vec<u64> = [1].into_iter().chain(gone).collect();
    let kept: Vec<u64> = (1..=before.len()).filter(|game| !gone.contains(game)).collect();
    for file in [ArchiveFile::at(&path), ArchiveFile::at(&path).index(None)] {
        let after = Archive::open(file).unwrap();
        assert_eq!((after.len(), after.deleted_count()), (before.len(), gone.len() as u64));
        assert!(after.live().iter().eq(kept.iter().copied()));
        for game in &gone {
            assert!(matches!(after.game(*game), Err(Error::Deleted { game: reported }) if reported == *game));
            assert!(after.position(*game, 0).is_err());
        }
        let seen: Vec<u64> = after.games().map(|game| game.unwrap().number()).collect();
        assert_eq!(seen, kept);
        assert_eq!(contents(&after, kept[5]), contents(&before, kept[5]));
        assert!(after.sources().unwrap().iter().all(|source| !source.exact));
    }
    let report = Archive::verify(&path, Level::Full, |_| {}).unwrap();
    assert!(report.is_intact() && report.index == Some(true), "{report:?}");

    let after = Archive::open(&path).unwrap();
    let compact = copied(&folder.path().join("compact.bga"), &[(&after, after.live())]);
    assert_eq!((compact.len(), compact.deleted_count()), (kept.len() as u64, 0));
    assert_eq!(compact.digest().unwrap(), after.digest().unwrap());
    assert!(compact.file_length() < after.file_length());
    // A reader opened earlier still sees the old state.
    assert_eq!(before.deleted_count(), 0);
    assert_eq!(before.game(1).unwrap().number(), 1);
    // Games appended later are not deleted.
    let options = ImportOptions { existing: scoresheet::Existing::Append, ..ImportOptions::default() };
    let source = folder.path().join("more.pgn");
    std::fs::write(&source, PGN).unwrap();
    try_import(&[source], &path, &options).unwrap();
    let more = Archive::open(&path).unwrap();
    assert_eq!((more.len(), more.deleted_count()), (before.len() + 4, gone.len() as u64));
    assert!(more.sources().unwrap().last().unwrap().exact);
}

/// Returns whether a file contains some bytes, plain or in a zstd frame.
fn holds(file: &[u8], word: &[u8]) -> bool {
    let has = |bytes: &[u8]| bytes.windows(word.len()).any(|part| part == word);
    let frames = file.windows(4).enumerate().filter(|(_, magic)| *magic == [0x28, 0xB5, 0x2F, 0xFD]);
    let unpacked = |at: usize| {
        let mut text = Vec::new();
        let frame = zstd::stream::read::Decoder::new(&file[at..]).unwrap().single_frame();
        std::io::Read::read_to_end(&mut { frame }, &mut text).map(|_| text).unwrap_or_default()
    };
    has(file) || frames.into_iter().any(|(at, _)| has(&unpacked(at)))
}

/// Only compaction erases (FORMAT.md, "Deletions blocks"): it removes deleted games completely. Changed games keep the
/// source's text in the layout.
#[test]
fn what_is_deleted_is_erased_by_compaction() {
    let folder = crate::common::tempdir().unwrap();
    let source = folder.path().join("games.pgn");
    // Two games to delete, with recurring words, which are therefore in the dictionary, and a neighbor on each side.
    let secret = "[Event \"Quixotry\"]\n[White \"Zyxomma\"]\n[Black \"Zyxomma\"]\n[Note \"Jabberwock\"]\n\n\
        1. e4   {Ytterbium [%clk 0:01:00] } e5 ; Wolframite\n 2. Vanadium 1-0\n\n";
    let plain = "[Event \"Open\"]\n[White \"Adams\"]\n[Black \"Bell\"]\n\n1. d4 {book} d5 *\n\n";
    std::fs::write(&source, [plain, secret, plain, secret, secret, plain].concat()).unwrap();
    let path = folder.path().join("games.bga");
    try_import(&[source], &path, &ImportOptions::default()).unwrap();
    let words = ["Quixotry", "Zyxomma", "Jabberwock", "Ytterbium", "Wolframite", "Vanadium"];
    let rename = |game: &GameRef| {
        let mut game = game.to_game()?;
        game.tags.iter_mut().for_each(|(_, value)| *value = value.replace("Adams", "Renamed"));
        Ok(Some(game))
    };
    Archive::edit(&path, &GameSet::from_numbers(6, [1, 3, 6]), &rename, Monitor::new()).unwrap();
    Archive::delete(&path, [2, 4, 5]).unwrap();
    let deleted = std::fs::read(&path).unwrap();
    let archive = Archive::open(&path).unwrap();
    let target = folder.path().join("compact.bga");
    copied(&target, &[(&archive, archive.live())]);
    let compact = std::fs::read(&target).unwrap();
    assert!(holds(&compact, b"Renamed") && holds(&compact, b"book"));
    assert!(holds(&compact, b"Adams"), "the layout still has the former name");
    for word in words {
        assert!(holds(&deleted, word.as_bytes()), "{word}: deleting alone erases nothing");
        assert!(!holds(&compact, word.as_bytes()), "{word}");
    }
}

#[test]
fn a_set_of_archives_counts_on_from_one_to_the_next() {
    let folder = crate::common::tempdir().unwrap();
    let (small_path, sample_path) = (small(&folder), sample(&folder));
    let set = ArchiveSet::open([&small_path, &sample_path, &small_path]).unwrap();
    let (few, many) = (set.archive(0).unwrap().len(), set.archive(1).unwrap().len());
    assert_eq!(set.len(), 2 * few + many);
    for (number, archive, local) in
        [(1, 0, 1), (few, 0, few), (few + 1, 1, 1), (few + many, 1, many), (few + many + 2, 2, 2)]
    {
        let (found, found_number) = set.locate(number).unwrap();
        assert_eq!((found.path(), found_number), (set.archive(archive).unwrap().path(), local));
        assert_eq!(
            set.game(number).unwrap().digest().unwrap(),
            set.archive(archive).unwrap().game(local).unwrap().digest().unwrap()
        );
    }
    for missing in [0, set.len() + 1, u64::MAX] {
        assert!(matches!(set.game(missing), Err(Error::NoSuchGame { .. })));
    }
    assert_eq!(set.games().count() as u64, set.len());
    assert!(ArchiveSet::default().is_empty() && ArchiveSet::default().game(1).is_err());
}

#[test]
fn an_index_that_claims_more_games_than_there_are_bytes_is_not_used() {
    use scoresheet::format::index::{DeletionEntry, Index};
    let folder = crate::common::tempdir().unwrap();
    let archive = Archive::open(small(&folder)).unwrap();
    let index = Index::decode(&archive.index_file()).unwrap();
    assert_eq!(Index::decode(&index.encode()), Some(index.clone()));
    let mut greedy = index.clone();
    greedy.state.games = index.state.length + 1;
    assert_eq!(Index::decode(&greedy.encode()), None);
    let entry = DeletionEntry { first: 1, offset: 8192, count: index.state.games + 1 };
    assert_eq!(Index::decode(&Index { deletions: vec![entry], ..index }.encode()), None);
}

#[test]
fn an_existing_file_is_not_written_over_unasked() {
    let folder = crate::common::tempdir().unwrap();
    let archive = Archive::open(small(&folder)).unwrap();
    let path = folder.path().join("there.bga");
    std::fs::write(&path, "precious").unwrap();
    let part = || [Part { archive: &archive, games: archive.live() }];
    assert!(matches!(copy::write(&path, Existing::Refuse, &part(), |_| {}), Err(Error::Exists { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    copy::write(&path, Existing::Replace, &part(), |_| {}).unwrap();
    assert_eq!(Archive::open(&path).unwrap().len(), archive.len());
}

#[test]
fn large_corpora_are_copied_too() {
    let folder = crate::common::tempdir().unwrap();
    for name in ["online", "annotated", "engine960"] {
        let Some(sources) = corpora::sources(name) else { return };
        let archive = Archive::open(imported(&folder, &format!("{name}.bga"), &sources)).unwrap();
        let copy = copied(&folder.path().join(format!("{name}-copy.bga")), &[(&archive, archive.live())]);
        assert_eq!(copy.sources().unwrap(), archive.sources().unwrap());
        let odd = set(&archive, (1..=archive.len()).step_by(2));
        copied(&folder.path().join(format!("{name}-odd.bga")), &[(&archive, odd)]);
    }
}

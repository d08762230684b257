//! Games of variants: stored in blocks of their own, restored, and left out of searches.
//!
//! `golden/variants-1.1.pgn` has random games of all variants, and the golden archive was made from it. An independent
//! program has computed the positions in `testdata/variant-games.tsv.zst` (`crates/chess/tests/variants.rs`).

use crate::common::frozen::{bless, is_current};
use crate::common::import::{archive_of, try_import};
use crate::common::sample::testdata;
use scoresheet::archive::{Coding, Level, MODEL, TranscodeOptions, copy};
use scoresheet::chess::{Position, Variant};
use scoresheet::format::block::{BlockHeader, BlockKind, HEADER};
use scoresheet::format::header::BLOCKS;
use scoresheet::format::{ArchiveId, moves};
use scoresheet::pgn::{FaultKind, PgnWriter};
use scoresheet::{Archive, ArchiveFile, Existing, GameSet, Import, ImportOptions, Monitor};
use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    testdata("golden/variants-1.1.pgn")
}

fn original(archive: &Archive) -> Vec<u8> {
    let mut text = Vec::new();
    let source = archive.sources().unwrap().remove(0);
    archive.write_original(&source, &mut text).unwrap();
    text
}

/// Returns the coding, the first game and the number of games of each moves block.
fn blocks(file: &[u8]) -> Vec<(u8, u64, u32)> {
    let id = ArchiveId(file[16..32].try_into().unwrap());
    let (mut at, mut blocks) = (BLOCKS as usize, Vec::new());
    while at < file.len() {
        let header = BlockHeader::decode(&file[at..], id, at as u64).unwrap();
        if header.kind == BlockKind::Moves {
            blocks.push((header.coding & 15, header.first, header.count));
        }
        at += HEADER + header.length as usize;
    }
    blocks
}

fn is_coded(variant: Variant) -> bool {
    variant != Variant::Chess && !variant.is_chess_that_ends_early()
}

fn verified(archive: &Path) {
    let report = Archive::verify(archive, Level::Full, Monitor::new()).unwrap();
    assert!(report.damage.is_empty(), "{:?}", report.damage);
}

/// Imports the golden source with one thread. Returns the path of the archive.
fn imported(folder: &Path) -> PathBuf {
    let path = folder.join("variants.bga");
    archive_of(&[source()], &path, ImportOptions { threads: 1, ..ImportOptions::default() });
    path
}

#[test]
fn the_golden_archive_is_read_and_written() {
    let folder = crate::common::tempdir().unwrap();
    let path = imported(folder.path());
    let written = fs::read(&path).unwrap();
    bless(&testdata("golden/v1.1-variants.bga"), &written);
    is_current("v1.1-variants.bga", &written);
    for file in [path, testdata("golden/v1.1-variants.bga")] {
        let archive = Archive::open(ArchiveFile::at(&file).index(None)).unwrap();
        assert_eq!(archive.version(), (1, 0));
        assert!(original(&archive) == fs::read(source()).unwrap());
        verified(&file);
        let digest = archive.digest().unwrap().to_string();
        assert_eq!(digest, "9d68d2feb934b33803e701eb36dd7f3f3445bf3ff8fbd3382c36ff81fb05dad6");
        let variants: Vec<Variant> = archive.games().map(|game| game.unwrap().variant()).collect();
        for variant in Variant::ALL {
            assert!(variants.iter().filter(|known| **known == variant).count() >= 3, "{variant}");
        }
    }
}

/// Blocks of variants have no game of chess, and the others no game that 1.0 could not read.
#[test]
fn chunks_are_split_by_coding() {
    let folder = crate::common::tempdir().unwrap();
    let archive = Archive::open(imported(folder.path())).unwrap();
    let blocks = blocks(&fs::read(archive.path()).unwrap());
    assert!(blocks.len() > 6 && blocks.iter().map(|(.., count)| u64::from(*count)).sum::<u64>() == archive.len());
    for (coding, first, count) in blocks {
        for number in first..first + u64::from(count) {
            let game = archive.game(number).unwrap();
            assert_eq!(is_coded(game.variant()), coding == moves::VARIANTS, "game {number}");
            assert_eq!(is_coded(game.start().variant()), is_coded(game.variant()));
        }
    }
    // Threads and the size of batches do not matter.
    let bytes = fs::read(archive.path()).unwrap();
    for (threads, batch) in [(4, 1), (2, 3)] {
        let path = folder.path().join("again.bga");
        let again = archive_of(&[source()], &path, ImportOptions { threads, batch, ..ImportOptions::default() });
        assert_eq!(again.digest().unwrap(), archive.digest().unwrap());
        assert!(batch > 1 || fs::read(&path).unwrap().len() >= bytes.len());
        assert!(original(&again) == fs::read(source()).unwrap());
    }
}

#[test]
fn games_come_through_pgn_and_every_copy() {
    let folder = crate::common::tempdir().unwrap();
    let path = imported(folder.path());
    let archive = Archive::open(&path).unwrap();
    let digest = archive.digest().unwrap();
    // PGN.
    let mut writer = PgnWriter::new();
    for game in archive.games() {
        game.unwrap().write_pgn(&mut writer).unwrap();
    }
    let text = folder.path().join("export.pgn");
    fs::write(&text, writer.as_bytes()).unwrap();
    let again = folder.path().join("again.bga");
    let summary = try_import(&[text], &again, &ImportOptions::default()).unwrap();
    assert_eq!((summary.stored, summary.rejected, summary.faulty), (archive.len(), 0, 0));
    assert_eq!(Archive::open(&again).unwrap().digest().unwrap(), digest);
    // Packed and unpacked.
    let (packed, plain) = (folder.path().join("packed.bga"), folder.path().join("plain.bga"));
    for level in [None, Some(19)] {
        let options = TranscodeOptions {
            coding: Coding::Packed(MODEL),
            level,
            existing: Existing::Replace,
            ..TranscodeOptions::default()
        };
        archive.transcode(&packed, &options, Monitor::new()).unwrap();
        verified(&packed);
        let packed = Archive::open(&packed).unwrap();
        assert_eq!(packed.digest().unwrap(), digest);
        let codings: Vec<u8> = blocks(&fs::read(packed.path()).unwrap()).iter().map(|(coding, ..)| *coding).collect();
        assert!([moves::PACKED, moves::VARIANTS].iter().all(|coding| codings.contains(coding)));
        assert!(!codings.contains(&moves::PLAIN));
        let back = TranscodeOptions { existing: Existing::Replace, ..TranscodeOptions::default() };
        packed.transcode(&plain, &back, Monitor::new()).unwrap();
        assert!(level.is_some() || fs::read(&plain).unwrap() == fs::read(&path).unwrap());
    }
    let direct = archive_of(&[source()], &packed, ImportOptions { threads: 1, ..ImportOptions::packed() });
    assert_eq!(direct.digest().unwrap(), digest);
    // A copy of every second game, twice.
    let games = GameSet::from_numbers(archive.len(), (1..=archive.len()).step_by(2));
    let part = copy::Part { archive: &archive, games: games.clone() };
    let copied = folder.path().join("copy.bga");
    copy::write(&copied, Existing::Refuse, &[part.clone(), part], Monitor::new()).unwrap();
    verified(&copied);
    let copied = Archive::open(&copied).unwrap();
    for (number, of) in (1..).zip(games.iter().chain(games.iter())) {
        let (found, expected) = (copied.game(number).unwrap(), archive.game(of).unwrap());
        assert_eq!(found.digest().unwrap(), expected.digest().unwrap());
        assert_eq!(found.start_by_rules().unwrap(), expected.start_by_rules().unwrap());
    }
}

#[test]
fn every_game_is_replayed_like_its_checked_moves() {
    let archive = Archive::open(ArchiveFile::at(testdata("golden/v1.1-variants.bga")).index(None)).unwrap();
    let mut drops = 0;
    for game in archive.games() {
        let game = game.unwrap();
        let mut position = game.start().clone();
        let mut states = Vec::new();
        game.walk_keys(|state, key| states.push((state.position(), key))).unwrap();
        assert_eq!(states.len() as u32, game.plies() + 1);
        let mut moves = game.moves();
        for (ply, (state, key)) in (0..).zip(states) {
            assert_eq!((&state, key), (&position, position.zobrist()), "game {} ply {ply}", game.number());
            let by_rules = archive.position(game.number(), ply).unwrap();
            assert_eq!(by_rules.fen().len() - position.fen().len(), {
                if game.variant() == Variant::ThreeCheck { 4 } else { 0 }
            });
            if let Some(played) = moves.next() {
                let played = played.unwrap();
                drops += usize::from(played.uci().contains('@'));
                assert_eq!(position.parse_san(played.san()), Ok(played.played()));
                position.play(played.played()).unwrap();
            }
        }
    }
    assert!(drops > 10, "{drops}");
}

#[test]
fn damage_is_found_and_costs_the_games_of_its_page() {
    let folder = crate::common::tempdir().unwrap();
    let path = imported(folder.path());
    let intact = fs::read(&path).unwrap();
    let id = ArchiveId(intact[16..32].try_into().unwrap());
    let mut at = BLOCKS as usize;
    let mut tried = 0;
    while at < intact.len() {
        let header = BlockHeader::decode(&intact[at..], id, at as u64).unwrap();
        let end = at + HEADER + header.length as usize;
        if header.kind == BlockKind::Moves && header.coding & 15 == moves::VARIANTS {
            for place in (at + HEADER..end).step_by(61) {
                let mut file = intact.clone();
                file[place] ^= 0x40;
                let archive = Archive::open(ArchiveFile::from_bytes(file)).unwrap();
                let games = header.first..header.first + u64::from(header.count);
                assert!(games.clone().any(|number| archive.game(number).is_err()), "byte {place}");
                let others = (1..=archive.len()).filter(|number| !games.contains(number));
                others.for_each(|number| assert!(archive.game(number).unwrap().check_moves().is_ok()));
                tried += 1;
            }
        }
        at = end;
    }
    assert!(tried > 20, "{tried}");
    // A repair keeps the other games.
    let mut file = intact;
    let (_, first, count) = *blocks(&file).iter().find(|(coding, ..)| *coding == moves::VARIANTS).unwrap();
    let archive = Archive::open(&path).unwrap();
    let at = archive.game(first).unwrap().brenner().as_ptr() as usize;
    assert!(at != 0);
    let place = file.windows(8).position(|bytes| bytes == &archive.game(first).unwrap().brenner()[..8]).unwrap();
    file[place] ^= 1;
    drop(archive);
    fs::write(&path, file).unwrap();
    let mended = folder.path().join("mended.bga");
    Archive::repair(&path, &mended, Existing::Refuse, Monitor::new()).unwrap();
    assert_eq!(Archive::open(&mended).unwrap().len(), 31 - u64::from(count));
    verified(&mended);
}

#[test]
fn other_rules_are_refused_by_name() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("a.bga");
    let refused = ["Suicide", "Giveaway", "Losers", "Bughouse", "wild/0", "Duck chess", "960 Atomic"];
    let text: String = refused.iter().map(|name| format!("[Variant \"{name}\"]\n\n1. e3 *\n\n")).collect();
    let text = text + "1. e4 *\n";
    let mut faults = Vec::new();
    let import = Import::new(&target).on_fault(|fault| faults.push(fault.fault.kind));
    let summary = import.run_reader("games.pgn", text.as_bytes()).unwrap();
    assert_eq!((summary.stored, summary.rejected), (1, refused.len() as u64));
    assert!(faults.iter().all(|kind| *kind == FaultKind::Variant) && faults.len() == refused.len());
    assert!(original(&Archive::open(&target).unwrap()) == text.as_bytes());
}

#[test]
fn spellings_of_positions_are_read() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("a.bga");
    let board = "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR";
    let games = [
        ("ZH", format!("{board}/Pp w KQkq - 0 3"), format!("{board}[Pp] w KQkq - 0 3")),
        ("Crazy House", format!("{board}[pP] w KQkq - 0 3"), format!("{board}[Pp] w KQkq - 0 3")),
        ("crazyhouse", format!("{board}/ w KQkq - 0 3"), format!("{board}[] w KQkq - 0 3")),
        ("3check", format!("{board} w KQkq - 0 3 +1+0"), format!("{board} w KQkq - 2+3 0 3")),
        ("Three Check", format!("{board} w KQkq - 2+3 0 3"), format!("{board} w KQkq - 2+3 0 3")),
        ("KOTH", format!("{board} w KQkq - 0 3"), format!("{board} w KQkq - 0 3")),
        ("Antichess", format!("{board} w KQkq - 0 3"), format!("{board} w - - 0 3")),
    ];
    let tags = |(variant, fen, _): &(&str, String, String)| format!("[FEN \"{fen}\"]\n[Variant \"{variant}\"]\n\n*\n\n");
    let text: String = games.iter().map(tags).collect();
    let summary = Import::new(&target).run_reader("games.pgn", text.as_bytes()).unwrap();
    assert_eq!((summary.stored, summary.faulty), (games.len() as u64, 0));
    let archive = Archive::open(&target).unwrap();
    assert!(original(&archive) == text.as_bytes());
    for (number, (variant, _, fen)) in (1..).zip(games) {
        assert_eq!(archive.position(number, 0).unwrap().fen(), fen, "{variant}");
        let read = Position::from_fen_of(Variant::from_tag(variant).unwrap(), &fen).unwrap();
        assert_eq!(archive.game(number).unwrap().start_by_rules().unwrap().fen(), read.fen());
    }
}

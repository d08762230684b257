//! Crafted archives with valid checksums: reading, verifying and repairing take time and memory in proportion to the
//! file.

use crate::forge::{Forge, ID};
use scoresheet::archive::{Access, Level, MODEL};
use scoresheet::error::DamageKind;
use scoresheet::format::block::{self, BlockHeader, BlockKind};
use scoresheet::format::header::{BLOCKS, Header, Page};
use scoresheet::format::parity::Parity;
use scoresheet::format::source::SourceRecord;
use scoresheet::format::state::State;
use scoresheet::format::{deletions, dictionary, loose, moves};
use scoresheet::{Archive, ArchiveFile, Error, Existing};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::time::{Duration, Instant};

/// Runs every operation on an archive; returns the elapsed time.
fn use_it(file: &[u8]) -> Duration {
    let folder = crate::common::tempdir().unwrap();
    let (path, target) = (folder.path().join("a.bga"), folder.path().join("b.bga"));
    fs::write(&path, file).unwrap();
    let start = Instant::now();
    for access in [Access::Map, Access::Read] {
        Archive::verify(ArchiveFile::at(&path).options(access), Level::Full, |_| {}).unwrap();
        if let Ok(archive) = Archive::open(ArchiveFile::at(&path).options(access)) {
            for game in archive.games() {
                match game.and_then(|game| game.digest()) {
                    Ok(_) | Err(Error::Damaged(_)) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
    Archive::repair(ArchiveFile::at(&path).options(Access::Map), &target, Existing::Replace, |_| {}).unwrap();
    let elapsed = start.elapsed();
    // The output of a repair is intact, and matches its report.
    assert!(Archive::verify(&target, Level::Full, |_| {}).unwrap().is_intact());
    elapsed
}

/// An expensive structure, repeated this many times.
type Kinds = [(&'static str, fn(&mut Forge, u32)); 9];

const KINDS: Kinds = [
    ("chunks of one game", |forge, times| (0..times).for_each(|_| forge.chunk(1))),
    ("one chunk of many games", |forge, times| forge.chunk(times * 20)),
    ("sources that claim the same games", |forge, times| {
        forge.chunk(1000);
        for number in 0..times {
            let source = SourceRecord { first_game: 1, seen: 1000, exact: true, ..SourceRecord::default() };
            forge.block(BlockKind::Source, u64::from(number), 1, &source.encode());
        }
    }),
    ("loose blocks before one game", |forge, times| {
        let part = loose::compress(b"loose", 1);
        (0..times).for_each(|_| forge.block(BlockKind::Loose, 1, 0, &loose::encode(0, &part)));
        forge.chunk(1000);
        let source = SourceRecord { first_game: 1, seen: 1000, exact: true, ..SourceRecord::default() };
        forge.block(BlockKind::Source, 0, 1, &source.encode());
    }),
    ("sync words that begin nothing", |forge, times| {
        forge.chunk(10);
        // A damaged block in which any four bytes could begin another block.
        let words = block::SYNC.repeat(times as usize * 20);
        let at = forge.file.len();
        forge.block(BlockKind::Loose, 1, 0, &words);
        forge.file[at + 8] ^= 1;
    }),
    ("blocks of strings", |forge, times| {
        let payload = scoresheet::format::dictionary::encode(&[Box::from(b"x".as_slice())], 1);
        (0..times).for_each(|number| forge.block(BlockKind::Dictionary, u64::from(number), 1, &payload));
        forge.chunk(10);
    }),
    ("packed games of any bytes", |forge, times| {
        // Many first bytes, each followed by three kinds of endless bytes.
        let record = |game: u32| [vec![(game % 64 * 4) as u8], vec![[0, 0x80, 0xFF][(game % 3) as usize]; 12]].concat();
        let games: Vec<Vec<u8>> = (0..times.div_ceil(10)).map(record).collect();
        games.chunks(500).for_each(|games| forge.chunk_of(games, moves::Coding::Packed(MODEL)));
    }),
    ("games packed by a model that nobody has", |forge, times| {
        let model = moves::ModelName { number: MODEL.number, hash: !MODEL.hash };
        for _ in 0..times.div_ceil(100) {
            forge.chunk_of(&vec![vec![0x55; 9]; 100], moves::Coding::Packed(model));
        }
    }),
    ("tags after tags", |forge, times| {
        let first = forge.games + 1;
        forge.chunk(10);
        (0..times).for_each(|_| forge.block(BlockKind::Tags, first, 10, &[0, 0]));
    }),
];

#[test]
fn moves_in_another_form_are_reported() {
    let mut forge = Forge::new();
    // The same move; once with an unnecessary prefix.
    forge.chunk_of(&[vec![0x12], vec![0x41, 0x12], vec![0x12]], moves::Coding::Plain);
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("a.bga");
    fs::write(&path, forge.finish()).unwrap();
    let archive = Archive::open(&path).unwrap();
    assert_eq!(archive.position(1, 1).unwrap(), archive.position(2, 1).unwrap());
    let report = Archive::verify(&path, Level::Full, |_| {}).unwrap();
    let damage: Vec<_> = report.damage.iter().map(|damage| (damage.game, damage.kind.clone())).collect();
    assert_eq!(damage, [(Some(2), DamageKind::NotCanonical)]);
}

/// Returns the damage that a full verification reports.
fn damage(file: Vec<u8>) -> Vec<DamageKind> {
    let report = Archive::verify(ArchiveFile::from_bytes(file), Level::Full, |_| {}).unwrap();
    report.damage.iter().map(|damage| damage.kind.clone()).collect()
}

#[test]
fn a_repair_is_not_sized_by_numbers_of_games() {
    let folder = crate::common::tempdir().unwrap();
    let (path, target) = (folder.path().join("a.bga"), folder.path().join("b.bga"));
    for gap in [1, 1 << 33, 1 << 40, 1 << 50] {
        let mut forge = Forge::new();
        forge.chunk(3);
        forge.games += gap;
        forge.chunk(5);
        let first = forge.games - 4;
        // Game 2 of the first chunk, and the second and fourth of the second; the last one is restored.
        let deleted = [(2, 2), (first + 1, first + 1), (first + 3, first + 3)];
        forge.block(BlockKind::Deleted, 2, 3, &deletions::encode(&deleted));
        forge.block(BlockKind::Restored, first + 3, 1, &deletions::encode(&[(first + 3, first + 3)]));
        // A source that claims all games.
        let source = SourceRecord { first_game: 1, seen: forge.games, exact: true, ..SourceRecord::default() };
        forge.block(BlockKind::Source, 0, 1, &source.encode());
        fs::write(&path, forge.finish()).unwrap();
        let (repair, held) = crate::memory::peak(|| {
            Archive::repair(ArchiveFile::at(&path).options(Access::Map), &target, Existing::Replace, |_| {}).unwrap()
        });
        assert!(held < 16 << 20, "{held}");
        assert_eq!((repair.kept_games(), repair.lost_games(), repair.deleted), (6, gap, 2));
        let kept: Vec<u64> = repair.kept.iter().flat_map(|kept| kept.first..=kept.last).collect();
        assert_eq!(kept, [1, 3, first, first + 2, first + 3, first + 4]);
        assert!(Archive::verify(&target, Level::Full, |_| {}).unwrap().is_intact());
    }
}

#[test]
fn a_repair_leaves_out_what_no_commit_covers() {
    let folder = crate::common::tempdir().unwrap();
    let (path, target) = (folder.path().join("a.bga"), folder.path().join("b.bga"));
    let mut forge = Forge::new();
    forge.chunk(3);
    // The blocks of a writer that stopped before its next commit.
    let mut forge = Forge { file: forge.finish(), games: 3, layout: 0 };
    let committed = forge.file.len();
    forge.chunk(2);
    fs::write(&path, &forge.file).unwrap();
    let report = Archive::verify(&path, Level::Full, |_| {}).unwrap();
    assert!(report.is_intact() && report.uncommitted == (forge.file.len() - committed) as u64, "{report:?}");
    let repair = Archive::repair(&path, &target, Existing::Refuse, |_| {}).unwrap();
    assert_eq!((repair.kept_games(), repair.lost_games()), (3, 0));
    assert_eq!(Archive::open(&target).unwrap().len(), 3);
}

#[test]
fn a_verification_reads_what_no_game_is_read_through() {
    let intact = |change: &dyn Fn(&mut Forge)| {
        let mut forge = Forge::new();
        forge.chunk(3);
        change(&mut forge);
        forge.finish()
    };
    let strings = |text: &[u8]| dictionary::encode(&[Box::from(text), Box::from(text)], 1);
    let both = |forge: &mut Forge, first: &[u8], copy: &[u8]| {
        forge.block(BlockKind::Dictionary, 0, 2, first);
        forge.block(BlockKind::Dictionary, 0, 2, copy);
    };
    assert_eq!(damage(intact(&|forge| both(forge, &strings(b"x"), &strings(b"x")))), []);
    assert_eq!(damage(intact(&|forge| both(forge, &strings(b"x"), b"\x02\0xx"))), [DamageKind::DictionaryBlock]);
    assert_eq!(damage(intact(&|forge| both(forge, b"\x02\0xx", &strings(b"x")))), [DamageKind::DictionaryBlock]);
    assert_eq!(damage(intact(&|forge| both(forge, &strings(b"x"), &strings(b"y")))), [DamageKind::DictionaryCopy]);
    let alone = |forge: &mut Forge| forge.block(BlockKind::Dictionary, 0, 2, &strings(b"x"));
    assert_eq!(damage(intact(&alone)), [DamageKind::DictionaryCopy]);

    // Games that do not exist, do not exist yet, or are missing in the header.
    let named = |kind, first: u64, count, runs: &[(u64, u64)]| {
        let payload = deletions::encode(runs);
        damage(intact(&|forge| {
            forge.block(kind, first, count, &payload);
            forge.chunk(3);
        }))
    };
    for kind in [BlockKind::Deleted, BlockKind::Restored] {
        assert_eq!(named(kind, 2, 2, &[(2, 3)]), []);
        for (first, count, runs) in [(2, 3, [(2, 4)]), (2, 1, [(2, 3)]), (1, 2, [(2, 3)])] {
            assert_eq!(named(kind, first, count, &runs), [DamageKind::DeletionsBlock]);
        }
    }

    // A columns block in the wrong order, or twice.
    let texts = [&[13, 0, 1, 2, 0, b't', 0, 1, 0, 0, 1, 0, 0][..], &[b'x', 0]].concat();
    for kind in [BlockKind::Tags, BlockKind::Texts, BlockKind::Layout] {
        assert_eq!(damage(intact(&|forge| forge.beside(kind, 3, &texts))), [DamageKind::ColumnsOutOfOrder]);
    }
    let without_layout = |forge: &mut Forge| {
        forge.file.truncate(forge.file.len() - forge.layout);
        forge.chunk(3);
    };
    assert_eq!(damage(intact(&without_layout)), [DamageKind::ColumnsOutOfOrder]);

    // An unused layout: no source is exact.
    let mut forge = Forge::new();
    forge.chunk_with(&vec![Vec::new(); 3], moves::Coding::Plain, None, Some(&[1, 0, 7]));
    assert_eq!(damage(forge.finish()), [DamageKind::LayoutBlock]);

    // A parity of other bytes.
    let with_parity = |changed: u8| {
        intact(&|forge| {
            let mut parity = Parity::for_batch();
            parity.add(BLOCKS, &forge.file[BLOCKS as usize..]);
            let mut payload = parity.sums().to_vec();
            payload[77] ^= changed;
            forge.block(BlockKind::Parity, BLOCKS, 0, &payload);
        })
    };
    assert_eq!(damage(with_parity(0)), []);
    assert_eq!(damage(with_parity(1)), [DamageKind::BlockContent]);

    // A page with the wrong commit offset.
    let mut file = intact(&|_| {});
    let pages = Page::read_both(&file).map(|page| page.header().unwrap());
    let page = pages.into_iter().max_by_key(|page| page.state.sequence).unwrap();
    let at = page.offset() as usize;
    file[at..at + 4096].copy_from_slice(&Header { commit: 8192, ..page }.encode());
    assert_eq!(damage(file.clone()), [DamageKind::BlocksOfOtherCommit]);
    // A page with other numbers of games, or a later commit.
    let state = page.state;
    for state in [State { games: 4, ..state }, State { games: 1, ..state }, State { sequence: 3, ..state }] {
        file[at..at + 4096].copy_from_slice(&Header { state, ..page }.encode());
        assert_eq!(damage(file.clone()), [DamageKind::BlocksOfOtherCommit]);
    }
}

#[test]
fn a_cut_archive_ends_with_a_commit_of_its_own_blocks() {
    let mut forge = Forge::new();
    forge.chunk(3);
    let layout = forge.file.len() - forge.layout;
    let mut file = forge.finish();
    let pages = Page::read_both(&file).map(|page| page.header().unwrap());
    let page = pages.into_iter().max_by_key(|page| page.state.sequence).unwrap();
    let state = State { length: page.state.length + 1000, ..page.state };
    let at = page.offset() as usize;
    let later = Header { state, commit: file.len() as u64, ..page };
    file[at..at + 4096].copy_from_slice(&later.encode());
    let games = |file: &[u8]| Archive::open(ArchiveFile::from_bytes(file.to_vec())).map(|archive| archive.len());
    assert_eq!(games(&file).unwrap(), 3);
    // An intact block that is not the one before the commit.
    let header = BlockHeader::decode(&file[layout..], ID, layout as u64).unwrap();
    let other = BlockHeader { count: header.count + 1, ..header }.encode(ID, layout as u64);
    file[layout..layout + other.len()].copy_from_slice(&other);
    assert_eq!(games(&file).unwrap(), 0);
}

#[test]
fn a_verification_names_the_games_of_lost_blocks() {
    let mut forge = Forge::new();
    let ends = [3, 1, 1].map(|games| {
        forge.chunk(games);
        forge.file.len()
    });
    let file = forge.finish();
    let lost = |run: std::ops::Range<usize>| {
        let mut damaged = file.clone();
        damaged[run].fill(0);
        Archive::verify(ArchiveFile::from_bytes(damaged), Level::Quick, |_| {}).unwrap().lost
    };
    assert_eq!(lost(0..0), []);
    assert_eq!(lost(BLOCKS as usize..ends[0]), [(1, 3)]);
    assert_eq!(lost(ends[0]..ends[1]), [(4, 4)]);
    assert_eq!(lost(ends[1]..ends[2]), [(5, 5)]);
    assert_eq!(lost(ends[0]..ends[2]), [(4, 5)]);
}

fn made(make: fn(&mut Forge, u32), times: u32) -> Vec<u8> {
    let mut forge = Forge::new();
    make(&mut forge, times);
    forge.finish()
}

#[test]
fn a_repair_promises_no_source_that_does_not_come_back() {
    let folder = crate::common::tempdir().unwrap();
    let (path, target) = (folder.path().join("a.bga"), folder.path().join("b.bga"));
    let repaired = |source: &dyn Fn(&mut Forge)| {
        let mut forge = Forge::new();
        source(&mut forge);
        fs::write(&path, forge.finish()).unwrap();
        let repair =
            Archive::repair(ArchiveFile::at(&path).options(Access::Map), &target, Existing::Replace, |_| {}).unwrap();
        assert!(Archive::verify(&target, Level::Full, |_| {}).unwrap().is_intact());
        (repair.kept_games(), repair.inexact.len())
    };
    let source = |sha256| SourceRecord { first_game: 1, seen: 3, exact: true, sha256, ..SourceRecord::default() };
    // Returns the text of three empty games, with bytes between them.
    let sha256 = |text: &[u8]| Sha256::digest(text).into();
    let right = sha256(b"*\n*\nloose*\n");
    let loose = |forge: &mut Forge, before| {
        forge.block(BlockKind::Loose, before, 0, &loose::encode(0, &loose::compress(b"loose", 1)));
    };
    let kept = repaired(&|forge| {
        forge.chunk(2);
        loose(forge, 3);
        forge.chunk(1);
        forge.block(BlockKind::Source, 0, 1, &source(right).encode());
    });
    assert_eq!(kept, (3, 0));
    let another = repaired(&|forge| {
        forge.chunk(3);
        forge.block(BlockKind::Source, 0, 1, &source(sha256(b"something else")).encode());
    });
    assert_eq!(another, (3, 1));
    // The bytes belong before the third game, but are stored before the first; a copy keeps their storage order.
    let elsewhere = repaired(&|forge| {
        loose(forge, 3);
        forge.chunk(3);
        forge.block(BlockKind::Source, 0, 1, &source(right).encode());
    });
    assert_eq!(elsewhere, (3, 1));
}

#[test]
#[ignore = "with the other, by .ci/run"]
fn every_strange_archive_is_read_verified_and_repaired() {
    for (name, make) in KINDS {
        println!("{name}: {:?}", use_it(&made(make, 100)));
    }
}

/// Returns the peak memory of the process in bytes, if the system reports it.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[test]
#[ignore = "archives of some MB"]
fn every_strange_archive_takes_time_and_memory_in_proportion() {
    for (name, make) in KINDS {
        let (small, large) = (made(make, 10_000), made(make, 20_000));
        // Other processes may have used the processor.
        let is_in_proportion = (0..3).any(|_| {
            let (first, second) = (use_it(&small), use_it(&large));
            println!("{name}: {} and {} bytes, {first:?} and {second:?}, peak {:?}", small.len(), large.len(), peak());
            second < first * 22 / 10 + Duration::from_millis(500)
        });
        assert!(is_in_proportion, "{name}: twice as long an archive takes more than twice as long");
    }
    assert!(peak().is_none_or(|peak| peak < 1 << 30), "{:?}", peak());
}

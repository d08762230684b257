//! Damaged archives: every flip, truncation and lost sector is detected or harmless, no game is ever falsified, and a
//! repair recovers the rest.
//!
//! The complete matrix takes minutes and needs `--ignored`; a sample always runs. The long runs continue from a given
//! state:
//!
//!     SCORESHEET_SEED=1 SCORESHEET_STATES=16700000 SCORESHEET_FROM=0 cargo test --release --test reliability
//!     damage::long -- --ignored --nocapture

use crate::common::import::append;
use crate::common::number;
use crate::common::random::Random;
use crate::common::sample::{lichess_text, testdata};
use crate::intact::{IntactArchive, blocks};
use rayon::prelude::*;
use scoresheet::archive::repair::LostPart;
use scoresheet::archive::{Level, SideState};
use scoresheet::format::ArchiveId;
use scoresheet::{Archive, ArchiveFile, Error, Existing, ImportOptions};
use std::fs;
use std::path::Path;

const SECTOR: usize = 512;

/// Returns whether a quick verification of these bytes reports nothing; `verify` needs a file.
fn is_intact(folder: &Path, name: u64, file: &[u8]) -> bool {
    let path = folder.join(format!("{name}.bga"));
    fs::write(&path, file).unwrap();
    let intact = Archive::verify(&path, Level::Quick, |_| {}).is_ok_and(|report| report.is_intact());
    fs::remove_file(path).unwrap();
    intact
}

/// The remaining games of an archive are correct or refused.
fn open_and_ask(intact: &IntactArchive, file: Vec<u8>, content: impl Fn(u64) -> bool, what: &str) {
    match Archive::open(ArchiveFile::from_bytes(file)) {
        Ok(archive) => drop(intact.falsifies_nothing(&archive, content, what)),
        Err(Error::Damaged(_) | Error::NotAnArchive { .. } | Error::Newer { .. } | Error::Older { .. }) => {}
        Err(error) => panic!("{what}: {error}"),
    }
}

/// Selects the games to compare in state `state`, because comparing all is too slow: four games of the chunk at
/// `offset`, different ones in each state, and all games in one of 64 states.
fn some(intact: &IntactArchive, offset: usize, state: usize) -> impl Fn(u64) -> bool + use<> {
    let chunk = intact.chunks.iter().rfind(|chunk| chunk.2 <= offset).or(intact.chunks.first()).copied();
    let (first, last, _) = chunk.unwrap_or((1, 1, 0));
    let some =
        [0, 1, 2, 3].map(|step| first + Random((state * 4 + step) as u64).below((last - first + 1) as usize) as u64);
    move |game| state.is_multiple_of(64) || some.contains(&game)
}

/// Flips bits: verification detects each. For one in `every`, also compares the games that a reader returns.
fn flip(intact: &IntactArchive, folder: &Path, bits: impl ParallelIterator<Item = usize>, every: usize) {
    bits.for_each(|bit| {
        let mut damaged = intact.file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(!is_intact(folder, bit as u64, &damaged), "bit {bit} is not missed");
        if bit.is_multiple_of(every) {
            open_and_ask(intact, damaged, some(intact, bit / 8, bit), &format!("bit {bit}"));
        }
    });
}

#[test]
fn flipped_bits_here_and_there() {
    let (intact, folder) = (IntactArchive::of(&testdata("golden/v1.0.bga")), crate::common::tempdir().unwrap());
    let bits = intact.file.len() * 8;
    flip(&intact, folder.path(), (0..bits / 37).into_par_iter().map(|step| step * 37), 1);
}

#[test]
#[ignore = "half a million archives"]
fn every_single_bit_flip_is_found() {
    let (intact, folder) = (IntactArchive::small(), crate::common::tempdir().unwrap());
    println!("{} bytes, {} games", intact.file.len(), intact.digests.len());
    assert!(intact.file.len() >= 60 << 10 && intact.file.len() < 80 << 10, "{}", intact.file.len());
    // Reading the games takes twenty times as long as verifying, which would be half an hour of CI for all. 37 has no
    // common factor with 8, so every bit of a byte is used.
    flip(&intact, folder.path(), (0..intact.file.len() * 8).into_par_iter(), 37);
}

/// Tests an index file with an archive: it is used only if it is the exact one.
fn with_index(intact: &IntactArchive, index: &[u8], what: &str) {
    let archive = Archive::open(ArchiveFile::from_bytes(intact.file.clone()).index(index.to_vec())).unwrap();
    assert_eq!(archive.index_state() == SideState::File, index == intact.index, "{what}");
    assert_eq!(archive.index_file(), intact.index, "{what}");
}

#[test]
#[ignore = "every bit and every prefix of an index, every prefix of an archive"]
fn every_flip_and_cut_of_an_index_and_every_cut_of_an_archive() {
    // An index of 8 KiB: many chunks of few games each.
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("many.bga");
    fs::copy(testdata("golden/v1.0.bga"), &target).unwrap();
    for _ in 0..345 {
        append(&testdata("golden/sample.pgn"), &target, ImportOptions { threads: 1, ..ImportOptions::default() });
    }
    let many = IntactArchive::of(&target);
    println!("an index of {} bytes, {} games", many.index.len(), many.digests.len());
    assert!(many.index.len() >= 8 << 10, "{}", many.index.len());
    (0..many.index.len() * 8).into_par_iter().for_each(|bit| {
        let mut damaged = many.index.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        with_index(&many, &damaged, &format!("bit {bit}"));
    });
    (0..many.index.len()).into_par_iter().for_each(|length| {
        with_index(&many, &many.index[..length], &format!("cut to {length}"));
    });
    with_index(&many, &many.index, "whole");
    with_index(&many, &[many.index.as_slice(), &[0]].concat(), "longer");

    let (intact, folder) = (IntactArchive::small(), crate::common::tempdir().unwrap());
    (0..intact.file.len()).into_par_iter().for_each(|length| {
        let cut = &intact.file[..length];
        assert!(!is_intact(folder.path(), length as u64, cut), "cut to {length}");
        open_and_ask(&intact, cut.to_vec(), some(&intact, length, length), &format!("cut to {length}"));
    });
}

#[test]
fn an_index_that_is_not_the_very_one_is_not_used() {
    let intact = IntactArchive::small();
    let archive = Archive::open(ArchiveFile::from_bytes(intact.file.clone()).index(intact.index.to_vec())).unwrap();
    assert_eq!(archive.index_state(), SideState::File);
    let foreign = fs::read(testdata("golden/v1.0.bgi")).unwrap();
    // The index of an earlier commit: the archive before the last source was appended.
    let mut stale = intact.index.clone();
    stale[32] -= 1;
    let mut wrong: Vec<(String, Vec<u8>)> = vec![
        ("foreign".into(), foreign),
        ("empty".into(), Vec::new()),
        ("zeros".into(), vec![0; intact.index.len()]),
        ("stale".into(), stale),
    ];
    // Every field, with a new checksum: the fields must be consistent and belong to the archive.
    for at in (0..intact.index.len()).step_by(7) {
        let mut index = intact.index.clone();
        index[at] ^= 0x10;
        with_index(&intact, &index, &format!("byte {at}"));
    }
    for at in (8..intact.index.len() - 4).step_by(8) {
        for change in [1u64, u64::MAX, 1 << 40] {
            let mut index = intact.index.clone();
            let field = u64::from_le_bytes(index[at..at + 8].try_into().unwrap());
            index[at..at + 8].copy_from_slice(&field.wrapping_add(change).to_le_bytes());
            let body = index.len() - 4;
            let id = ArchiveId(index[16..32].try_into().unwrap());
            let crc = id.crc(0, &index[..body]);
            index[body..].copy_from_slice(&crc.to_le_bytes());
            if at < 72 {
                // The index of another archive, or of this one at another commit.
                with_index(&intact, &index, &format!("field at {at} and {change}"));
            }
            wrong.push((format!("field at {at} and {change}"), index));
        }
    }
    for (what, index) in &wrong {
        let archive = Archive::open(ArchiveFile::from_bytes(intact.file.clone()).index(index.to_vec())).unwrap();
        // A consistent false index can only cause errors.
        intact.falsifies_nothing(&archive, |game| game % 16 == 1, what);
        if archive.index_state() != SideState::File {
            assert_eq!(archive.index_file(), intact.index, "{what}");
        }
    }
    let refused = wrong.iter().filter(|(_, index)| {
        let archive = Archive::open(ArchiveFile::from_bytes(intact.file.clone()).index(index.to_vec())).unwrap();
        archive.index_state() != SideState::File
    });
    assert!(refused.count() * 4 > wrong.len());
}

/// Overwrites a sector, and repairs.
fn lose_sector(intact: &IntactArchive, sector: usize, how: usize, seed: u64) -> u64 {
    let mut damaged = intact.file.clone();
    let end = ((sector + 1) * SECTOR).min(damaged.len());
    let mut random = Random(seed + sector as u64);
    for byte in &mut damaged[sector * SECTOR..end] {
        *byte = [0, 0xFF, random.next() as u8][how];
    }
    let what = format!("sector {sector} written over in way {how}");
    open_and_ask(intact, damaged.clone(), |_| true, &what);
    let repair = intact.repaired(&damaged, None, &what).unwrap();
    // At most two blocks share a sector, and a moves block loses a page or two; if headers are lost, their blocks are
    // lost.
    let hit = |first: u64, last: u64| intact.chunks.iter().filter(|chunk| chunk.0 <= last && first <= chunk.1).count();
    let touched = |part: Option<LostPart>| {
        let losses = repair.losses.iter().filter(|loss| loss.part == part);
        losses.map(|loss| hit(loss.first, loss.last)).max().unwrap_or(0)
    };
    for part in [None, Some(LostPart::Texts), Some(LostPart::Layout)] {
        assert!(touched(part) <= 1, "{what}: {repair:?}");
    }
    repair.lost_games()
}

#[test]
fn lost_sectors_of_a_small_archive() {
    let intact = IntactArchive::of(&testdata("golden/v1.0.bga"));
    (0..intact.file.len().div_ceil(SECTOR)).into_par_iter().for_each(|sector| {
        lose_sector(&intact, sector, sector % 3, 1);
    });
}

#[test]
#[ignore = "400 repairs"]
fn every_lost_sector_costs_a_block_at_most() {
    let intact = IntactArchive::small();
    let sectors = intact.file.len().div_ceil(SECTOR);
    let lost: Vec<u64> = (0..sectors * 3)
        .into_par_iter()
        .map(|state| lose_sector(&intact, state / 3, state % 3, number("SCORESHEET_SEED", 1)))
        .collect();
    let (worst, harmless) = (lost.iter().max().unwrap(), lost.iter().filter(|lost| **lost == 0).count());
    println!("{} states, games lost: at most {worst} of {}, none in {harmless}", lost.len(), intact.digests.len());
    assert!(*worst < intact.digests.len() as u64 / 2);
}

#[test]
fn a_repair_of_a_sound_archive_loses_nothing() {
    let intact = IntactArchive::small();
    let repair = intact.repaired(&intact.file, Some(&intact.index), "sound").unwrap();
    assert_eq!((repair.losses, repair.inexact, repair.damage), (vec![], Vec::<String>::new(), vec![]));
    assert_eq!(repair.kept.len(), 1);
}

#[test]
fn an_archive_without_its_header_pages_is_repaired() {
    let intact = IntactArchive::small();
    let mut damaged = intact.file.clone();
    damaged[..8192].fill(0);
    // With the index, the owners of the blocks are known; without it, the checksums identify them.
    for index in [Some(intact.index.as_slice()), None] {
        let repair = intact.repaired(&damaged, index, "no header").unwrap();
        assert_eq!((repair.games, repair.lost_games()), (intact.digests.len() as u64, 0));
        assert!(repair.losses.is_empty() && !repair.damage.is_empty());
    }
    // And the identity in one page that is otherwise invalid.
    damaged[..64].copy_from_slice(&intact.file[..64]);
    assert!(intact.repaired(&damaged, None, "an identity").unwrap().losses.is_empty());
    assert!(intact.repaired(b"no archive at all", None, "text").is_none());
}

#[test]
fn a_cut_archive_is_repaired() {
    let intact = IntactArchive::small();
    for part in 1..8 {
        let length = intact.file.len() * part / 8;
        let repair = intact.repaired(&intact.file[..length], None, &format!("cut to {length}"));
        let repair = repair.unwrap();
        assert!(!repair.losses.is_empty());
        assert_eq!(repair.games, intact.digests.len() as u64);
    }
}

/// A repair keeps rather a game too many than one too few, and reports lost metadata.
#[test]
fn damaged_deletions_and_metadata() {
    let folder = crate::common::tempdir().unwrap();
    let [path, source, target] = ["g.bga", "g.pgn", "r.bga"].map(|name| folder.path().join(name));
    fs::write(&source, "1. e4 *\n\n1. d4 *\n\n1. c4 *\n\n1. f4 *\n").unwrap();
    append(&source, &path, ImportOptions::default());
    Archive::delete(&path, [1, 2]).unwrap();
    Archive::undelete(&path, [1]).unwrap();
    Archive::describe(&path, [("title", "T")]).unwrap();
    Archive::delete(&path, [3]).unwrap();
    let file = fs::read(&path).unwrap();
    let blocks = blocks(&file);
    let of = |kind: u8| blocks.iter().filter(|(found, _)| *found == kind).map(|(_, at)| *at).collect::<Vec<usize>>();
    let ([first, last], [restored], [metadata]) =
        (of(8).try_into().unwrap(), of(10).try_into().unwrap(), of(128).try_into().unwrap());
    let repair = |bytes: Vec<u8>| {
        let repair = Archive::repair(ArchiveFile::from_bytes(bytes), &target, Existing::Replace, |_| {}).unwrap();
        assert!(repair.losses.is_empty(), "{repair:?}");
        let kept: Vec<u64> = repair.kept.iter().flat_map(|kept| kept.first..=kept.last).collect();
        (kept, repair.returned, repair.lost_metadata.is_some())
    };
    assert_eq!(repair(file.clone()), (vec![1, 4], false, false));
    // The header of a block, and its payload.
    for (block, in_header, in_payload) in [
        // The restoration of game 1 has no effect without the deletion.
        (first, (vec![1, 2, 4], false, false), (vec![1, 2, 4], true, false)),
        (restored, (vec![1, 2, 4], true, false), (vec![1, 2, 4], true, false)),
        (metadata, (vec![1, 2, 4], true, false), (vec![1, 4], false, true)),
        (last, (vec![1, 2, 3, 4], true, false), (vec![1, 3, 4], true, false)),
    ] {
        for (at, expected) in [(9, in_header), (41, in_payload)] {
            let mut damaged = file.clone();
            damaged[block + at] ^= 4;
            if at == 9 {
                // A single byte of a header comes back.
                assert_eq!(repair(damaged.clone()), (vec![1, 4], false, false), "block at {block}");
            }
            damaged[block + at + 1] ^= 4;
            assert_eq!(repair(damaged), expected, "block at {block}, byte {at}");
        }
    }
    // Cut off within the last deletion and the restoration.
    assert_eq!(repair(file[..last + 20].to_vec()), (vec![1, 2, 3, 4], true, false));
    assert_eq!(repair(file[..restored + 20].to_vec()), (vec![1, 2, 3, 4], true, false));
}

#[test]
fn damaged_columns_leave_the_moves() {
    let intact = IntactArchive::small();
    let blocks = blocks(&intact.file);
    for (kind, part) in [(2, LostPart::Tags), (3, LostPart::Texts), (7, LostPart::Layout)] {
        for (number, offset) in blocks.iter().filter(|(found, _)| *found == kind).map(|(_, at)| at).enumerate() {
            // In the payload, and in the header.
            for at in [offset + 45, offset + 9] {
                let mut damaged = intact.file.clone();
                damaged[at..at + 2].iter_mut().for_each(|byte| *byte ^= 0x40);
                let what = format!("column {kind} {number} byte {at}");
                let repair = intact.repaired(&damaged, None, &what).unwrap();
                assert_eq!(repair.lost_games(), 0, "{what}: {repair:?}");
                assert!(repair.losses.iter().any(|loss| loss.part == Some(part)), "{what}: {repair:?}");
                assert!(!repair.inexact.is_empty(), "{what}");
            }
        }
    }
    // One copy of a dictionary block may be lost; if both are, the tags are lost.
    let dictionaries: Vec<usize> = blocks.iter().filter(|(kind, _)| *kind == 4).map(|(_, at)| *at).collect();
    for pair in dictionaries.chunks(2) {
        for (copies, harmless) in [(&pair[..1], true), (&pair[1..], true), (pair, false)] {
            let mut damaged = intact.file.clone();
            copies.iter().for_each(|at| damaged[at + 45] ^= 1);
            let repair = intact.repaired(&damaged, None, "dictionary").unwrap();
            assert_eq!(repair.losses.is_empty(), harmless, "{repair:?}");
            assert!(repair.losses.iter().all(|loss| loss.part == Some(LostPart::Tags)));
            assert_eq!(repair.damage.len(), copies.len());
        }
    }
}

#[test]
fn lost_strings_leave_the_others_their_numbers() {
    // Two sources without common strings, each committed with its dictionary.
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("two.bga");
    for name in ["One", "Two"] {
        let source = folder.path().join(format!("{name}.pgn"));
        let game =
            |game: usize| format!("[Event \"{name} {}\"]\n[White \"{name} W{}\"]\n\n1. e4 *\n\n", game % 3, game % 5);
        fs::write(&source, (0..60).map(game).collect::<String>()).unwrap();
        append(&source, &target, ImportOptions { threads: 1, ..ImportOptions::default() });
    }
    let intact = IntactArchive::of(&target);
    let dictionaries: Vec<usize> =
        blocks(&intact.file).iter().filter(|(kind, _)| *kind == 4).map(|(_, at)| *at).collect();
    let [first, second, _, _] = dictionaries[..] else { panic!("{dictionaries:?}") };
    // In the payload, and in the header: then the number of strings is unknown.
    for at in [45, 9] {
        let mut damaged = intact.file.clone();
        for block in [first, second] {
            damaged[block + at..block + at + 2].iter_mut().for_each(|byte| *byte ^= 1);
        }
        let repair = intact.repaired(&damaged, None, "strings").unwrap();
        assert_eq!(repair.lost_games(), 0);
        let lost: Vec<_> = repair.losses.iter().map(|loss| (loss.first, loss.last, loss.part)).collect();
        assert_eq!(lost, [(1, 60, Some(LostPart::Tags))], "byte {at}");
    }
}

/// An archive of 21,000 games in a single commit.
fn large(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let (source, target) = (folder.join("large.pgn"), folder.join("large.bga"));
    fs::write(&source, lichess_text().repeat(7)).unwrap();
    append(&source, &target, ImportOptions::default());
    let archive = Archive::open(&target).unwrap();
    assert!(archive.len() >= 20_000 && archive.sequence() == 1);
    (fs::read(&target).unwrap(), archive.index_file())
}

/// Zeroes pages: the tags of at most one chunk are lost, or of two if the page contains the end of the first. Both copies
/// of the strings, which all chunks need, are never in one page or within 64 KiB.
fn zero_pages(file: &[u8], index: &[u8], is_chosen: impl Fn(usize, bool) -> bool + Sync) {
    let strings: Vec<(usize, usize)> = blocks(file)
        .into_iter()
        .filter(|(kind, _)| *kind == 4)
        .map(|(_, at)| (at, u64::from_le_bytes(file[at + 8..at + 16].try_into().unwrap()) as usize))
        .collect();
    assert!(strings.len() >= 2);
    for (at, first) in &strings {
        let other = strings.iter().find(|(other, strings)| other != at && strings == first).expect("two copies").0;
        assert!(at.abs_diff(other) >= file.len() / 2, "{at} and {other} of {}", file.len());
    }
    const PAGE: usize = 4096;
    let holds_strings =
        |page: usize| strings.iter().any(|(at, _)| (page * PAGE..(page + 1) * PAGE + 40).contains(&(at + 40)));
    (2..file.len() / PAGE).into_par_iter().filter(|page| is_chosen(*page, holds_strings(*page))).for_each(|page| {
        let mut damaged = file.to_vec();
        damaged[page * PAGE..][..PAGE].fill(0);
        let archive = Archive::open(ArchiveFile::from_bytes(damaged).index(index.to_vec())).unwrap();
        let lost = (0..archive.chunk_count()).filter(|chunk| {
            let is_lost = |tag: &&str| archive.chunk(*chunk).and_then(|chunk| chunk.visit_tag(tag, |_| {})).is_err();
            ["Event", "White", "Date"].iter().any(is_lost)
        });
        let lost = lost.count();
        assert!(lost <= if holds_strings(page) { 1 } else { 2 }, "page {page}: the tags of {lost} chunks");
    });
}

/// Zeroes pages: the repair restores all of them, because the parity of the batch covers the page.
fn mend_pages(file: &[u8], folder: &Path, pages: impl Iterator<Item = usize>) {
    let digest = Archive::open(ArchiveFile::from_bytes(file.to_vec())).unwrap().digest().unwrap();
    for page in pages {
        let run = page * 4096..(page + 1) * 4096;
        let mut damaged = file.to_vec();
        damaged[run.clone()].fill(0);
        if damaged == file {
            continue;
        }
        let report = Archive::verify(ArchiveFile::from_bytes(damaged.clone()), Level::Quick, |_| {}).unwrap();
        let target = folder.join("mended.bga");
        let repair = Archive::repair(ArchiveFile::from_bytes(damaged), &target, Existing::Replace, |_| {}).unwrap();
        assert!(repair.losses.is_empty() && repair.inexact.is_empty(), "page {page}: {:?}", repair.losses);
        assert_eq!(repair.damage.is_empty(), report.is_intact(), "page {page}");
        assert_eq!(repair.mended, report.mendable, "page {page}");
        assert_eq!(Archive::open(&target).unwrap().digest().unwrap(), digest, "page {page}");
        // The parity block and the commit block themselves hold no games.
        let parity = blocks(file).into_iter().find(|(kind, _)| *kind == 130).expect("a parity block").1;
        if run.end <= parity {
            assert_eq!(repair.mended.len(), 1, "page {page}");
            let mended = &repair.mended[0];
            assert!(run.start as u64 <= mended.start && mended.end <= run.end as u64, "page {page}");
        }
    }
}

#[test]
fn any_run_as_long_as_the_parity_is_mended() {
    let folder = crate::common::tempdir().unwrap();
    let (file, _) = large(folder.path());
    let (at, length) = parity(&file);
    let mut random = Random(number("SCORESHEET_SEED", 1));
    let verify =
        |damaged: Vec<u8>| Archive::verify(ArchiveFile::from_bytes(damaged), Level::Quick, |_| {}).unwrap().mendable;
    for run in 0..24 {
        // Runs of whole sectors, and shorter runs anywhere; blanked, overwritten, and changed in each byte.
        let start = 8192 + random.below(at - 8192 - length);
        let range = match run % 4 {
            0 => start / SECTOR * SECTOR..start / SECTOR * SECTOR + length,
            1 => start..start + length - 1 - random.below(6),
            _ => start..start + 1 + random.below(length - SECTOR),
        };
        let mut damaged = file.clone();
        match run % 3 {
            0 => damaged[range.clone()].fill(0xFF),
            // Some bytes stay as they are.
            1 => damaged[range.clone()].iter_mut().for_each(|byte| *byte = random.below(256) as u8),
            _ => damaged[range.clone()].iter_mut().for_each(|byte| *byte ^= 1 + random.below(255) as u8),
        }
        let mended = verify(damaged);
        assert_eq!(mended.len(), 1, "{range:?}");
        assert!(range.start as u64 <= mended[0].start && mended[0].end <= range.end as u64, "{range:?}: {mended:?}");
    }
    // Two runs at other offsets of the parity are more than it can restore, and nothing is falsified.
    let mut damaged = file.clone();
    damaged[20_000] ^= 1;
    damaged[at / 2 + length / 2] ^= 1;
    assert_eq!(verify(damaged), []);
    // A run that reaches beyond the parity.
    let mut damaged = file.clone();
    damaged[40_960..40_960 + length + 1].fill(0xFF);
    assert_eq!(verify(damaged), []);
}

#[test]
fn a_parity_of_other_bytes_is_a_fault_and_mends_nothing() {
    let folder = crate::common::tempdir().unwrap();
    let (mut file, _) = large(folder.path());
    let (at, length) = parity(&file);
    let id = ArchiveId(*file[16..].first_chunk().unwrap());
    // A wrong parity with good checksums: only its own bytes tell.
    file[at + 40 + 77] ^= 1;
    let crc = id.crc(at as u64 + 40, &file[at + 40..at + 40 + length]);
    file[at + 32..at + 36].copy_from_slice(&crc.to_le_bytes());
    let crc = id.crc(at as u64, &file[at..at + 36]);
    file[at + 36..at + 40].copy_from_slice(&crc.to_le_bytes());
    let report = Archive::verify(ArchiveFile::from_bytes(file.clone()), Level::Quick, |_| {}).unwrap();
    assert!(!report.is_intact(), "the content chain covers the header");
    file[20_480..24_576].fill(0);
    let report = Archive::verify(ArchiveFile::from_bytes(file), Level::Quick, |_| {}).unwrap();
    assert_eq!(report.mendable, []);
}

/// Returns the offset of the parity block and the length of its parity.
fn parity(file: &[u8]) -> (usize, usize) {
    let at = blocks(file).into_iter().find(|(kind, _)| *kind == 130).expect("a parity block").1;
    (at, u64::from_le_bytes(file[at + 24..at + 32].try_into().unwrap()) as usize)
}

/// Cuts an archive: the games before the cut keep their tags, except in the chunk of the cut.
fn cut_everywhere(file: &[u8], folder: &Path, cuts: impl Iterator<Item = usize>) {
    let chunks = blocks(file).into_iter().filter(|(kind, _)| *kind == 1).map(|(_, at)| at).collect::<Vec<_>>();
    for cut in cuts {
        let target = folder.join("repaired.bga");
        let bytes = ArchiveFile::from_bytes(file[..cut].to_vec());
        let repair = match Archive::repair(bytes, &target, Existing::Replace, |_| {}) {
            Ok(repair) => repair,
            Err(error) => panic!("cut to {cut}: {error}"),
        };
        let without_tags: u64 =
            repair.losses.iter().filter(|loss| loss.part.is_some()).map(|loss| loss.last - loss.first + 1).sum();
        assert!(without_tags <= 2 * 2_000, "cut to {cut}: {without_tags} games without tags");
        let whole = chunks.partition_point(|at| *at < cut).saturating_sub(1);
        assert!(repair.kept_games() + 1 >= whole as u64 * 900, "cut to {cut}: {} games", repair.kept_games());
    }
}

#[test]
fn pages_and_cuts_of_a_large_archive() {
    let folder = crate::common::tempdir().unwrap();
    let (file, index) = large(folder.path());
    zero_pages(&file, &index, |page, holds_strings| holds_strings || page.is_multiple_of(32));
    let pages = file.len() / 4096;
    mend_pages(&file, folder.path(), (2..=pages - 1).step_by(pages / 5).chain([2, pages - 1]));
    let steps = file.len() >> 16;
    cut_everywhere(&file, folder.path(), [steps / 3, steps * 9 / 10, steps].into_iter().map(|step| step << 16));
}

#[test]
#[ignore = "every page and every 64 KiB of 21,000 games"]
fn every_page_and_cut_of_a_large_archive() {
    let folder = crate::common::tempdir().unwrap();
    let (file, index) = large(folder.path());
    zero_pages(&file, &index, |_, _| true);
    // SCORESHEET_EVERY=1 mends each page.
    mend_pages(&file, folder.path(), (2..file.len() / 4096).step_by(number("SCORESHEET_EVERY", 5) as usize));
    cut_everywhere(&file, folder.path(), (1..=file.len() >> 16).map(|step| step << 16));
}

#[test]
fn one_page_of_moves_costs_its_own_games() {
    let intact = IntactArchive::small();
    let blocks = blocks(&intact.file);
    let moves: Vec<usize> = blocks.iter().filter(|(kind, _)| *kind == 1).map(|(_, at)| *at).collect();
    for at in moves {
        let table = u32::from_le_bytes(intact.file[at + 20..at + 24].try_into().unwrap()) as usize;
        let length = u64::from_le_bytes(intact.file[at + 24..at + 32].try_into().unwrap()) as usize;
        for page in 0..(length - table).div_ceil(4096) {
            let mut damaged = intact.file.clone();
            damaged[at + 40 + table + page * 4096] ^= 4;
            let repair = intact.repaired(&damaged, None, "a page").unwrap();
            assert!(repair.losses.iter().all(|loss| loss.part.is_none()));
            // Exactly the games with a byte of their record in the page.
            let lost = repair.lost_games();
            let chunk = intact.chunks.iter().find(|chunk| chunk.2 == at).unwrap();
            let mut end = 0;
            let hit = (chunk.0..=chunk.1).filter(|game| {
                let start = end;
                end += intact.records[*game as usize - 1];
                start < (page + 1) * 4096 && end > page * 4096
            });
            assert_eq!(hit.count() as u64, lost, "page {page}");
            assert_eq!(repair.damage.len() as u64, lost);
        }
    }
}

#[test]
#[ignore = "a long run: SCORESHEET_SEED, SCORESHEET_FROM, SCORESHEET_STATES"]
fn long_byte_substitutions() {
    let (seed, from) = (number("SCORESHEET_SEED", 1), number("SCORESHEET_FROM", 0));
    let states = number("SCORESHEET_STATES", 20_000);
    let (intact, folder) = (IntactArchive::small(), crate::common::tempdir().unwrap());
    // Each byte takes each other value, in an order by seed: 64 KiB times 255 are 16.7 million.
    let all = intact.file.len() as u64 * 255;
    let step = (Random(seed).next() | 1) % all;
    let (mut next, end) = (from, (from + states).min(all));
    let check = |state: u64| {
        let change = (u128::from(state) * u128::from(step) % u128::from(all)) as u64;
        let mut damaged = intact.file.clone();
        damaged[(change / 255) as usize] ^= (change % 255) as u8 + 1;
        let what = format!("seed {seed}, state {state}");
        assert!(!is_intact(folder.path(), state, &damaged), "{what}");
        open_and_ask(&intact, damaged, some(&intact, (change / 255) as usize, state as usize), &what);
    };
    while next < end {
        let step = next..(next + 5_000).min(end);
        next = step.end;
        step.into_par_iter().for_each(check);
        println!("seed {seed}: all states from {from} to {next} hold; SCORESHEET_FROM={next} goes on");
    }
}

#[test]
#[ignore = "a long run: SCORESHEET_FROM, SCORESHEET_STATES, with SCORESHEET_CORPORA"]
fn long_all_prefixes_of_16_mib() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("big.bga");
    let Some(corpora) = crate::common::corpora::folder() else {
        println!("skipped: SCORESHEET_CORPORA does not say where games are");
        return;
    };
    let source = Path::new(&corpora).join("lichess-2013-01-first70.pgn");
    while fs::metadata(&target).map_or(0, |file| file.len()) < 16 << 20 {
        append(&source, &target, ImportOptions { threads: 1, ..ImportOptions::default() });
    }
    let file = fs::read(&target).unwrap();
    let (from, states) = (number("SCORESHEET_FROM", 0), number("SCORESHEET_STATES", 20_000));
    let broken = folder.path().join("cut.bga");
    fs::write(&broken, &file).unwrap();
    let cut = fs::OpenOptions::new().write(true).open(&broken).unwrap();
    let end = (file.len() as u64).min(16 << 20);
    // From the longest to the shortest: the file is truncated, never rewritten.
    for length in (from..(from + states).min(end)).rev() {
        cut.set_len(length).unwrap();
        let opened = Archive::open(&broken);
        // Opens at an earlier commit, or not at all.
        assert!(opened.map_or(true, |archive| archive.file_length() <= length), "cut to {length}");
        if (length - from).is_multiple_of(100_000) {
            println!("all prefixes from {length} on hold; SCORESHEET_STATES={} goes on", length - from);
        }
    }
}

//! Finds the valid commit for every combination of two header pages and a file length, as in the table of FORMAT.md
//! ("Which commit counts"), and for every flipped bit of both pages.

use crate::common::import::try_import;
use rayon::prelude::*;
use scoresheet::Existing;
use scoresheet::archive::writer::{EncodedChunk, Writer};
use scoresheet::archive::{Incomplete, Level};
use scoresheet::format::header::{BLOCKS, PAGE, Page};
use scoresheet::format::source::SourceRecord;
use scoresheet::{Archive, ArchiveFile, Error, ImportOptions};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Returns an archive with this many commits, each with more games, and its bytes after each commit.
fn archive(folder: &TempDir, commits: u64) -> (PathBuf, Vec<Vec<u8>>) {
    let target = folder.path().join(format!("{commits}.bga"));
    let mut states = Vec::new();
    if commits == 0 {
        drop(Writer::create(fs::File::create(&target).unwrap(), Default::default()).unwrap());
    }
    for commit in 0..commits {
        let source = folder.path().join(format!("{commit}.pgn"));
        fs::write(&source, format!("[White \"Number {commit}\"]\n\n1. e4 e5 *\n\n1. d4 *\n\n").repeat(3)).unwrap();
        let existing = if commit > 0 { Existing::Append } else { Existing::Refuse };
        let options = ImportOptions { existing, ..ImportOptions::default() };
        try_import(&[source], &target, &options).unwrap();
        states.push(fs::read(&target).unwrap());
    }
    if commits == 0 {
        states.push(fs::read(&target).unwrap());
    }
    (target, states)
}

const STATES: [&str; 7] = ["intact", "torn", "damaged", "zero", "newer", "older", "foreign"];
const LENGTHS: [&str; 4] = ["as long", "longer", "longer by a commit", "shorter"];

/// Puts a page of a file into a state.
fn put(file: &mut [u8], page: usize, state: &str, next: &[u8]) {
    let range = page * PAGE..(page + 1) * PAGE;
    let sealed = |page: &mut [u8]| {
        let crc = crc32fast::hash(&page[..PAGE - 4]).to_le_bytes();
        page[PAGE - 4..].copy_from_slice(&crc);
    };
    match state {
        "intact" => {}
        // Only the first sector of the next commit's page is written.
        "torn" => {
            file[range.clone()][..512].copy_from_slice(&next[range][..512]);
        }
        "damaged" => file[range][40] ^= 0x10,
        "zero" => file[range].fill(0),
        "newer" => {
            file[range.clone()][8] = 2;
            sealed(&mut file[range]);
        }
        "older" => {
            file[range.clone()][8] = 0;
            sealed(&mut file[range]);
        }
        "foreign" => file[range][3] ^= 0x20,
        _ => unreachable!(),
    }
}

/// The table's result for a case.
#[derive(Debug, PartialEq, Eq)]
enum Disposition {
    /// Reader and writer refuse the file.
    Refused,
    /// The number of games that a reader sees; whether it reports damage; the number that a writer continues from, or
    /// `None` if it refuses.
    Read(u64, bool, Option<u64>),
}

/// The rows of the table in FORMAT.md: page, other page, length, commit, reader, writer.
fn rows() -> Vec<[String; 6]> {
    let document = include_str!("../../FORMAT.md");
    let table = document.split("| page | other page |").nth(1).expect("the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| -> [String; 6] {
        let cells: Vec<String> = line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
        cells.try_into().expect("six cells")
    };
    rows.map(cells).collect()
}

/// Returns the table's result for pages that read as `pages`, in a file with `length` bytes for the newest intact page.
/// `found` is the number of games in the commit that a walk from there finds, and `last_complete` that of the last
/// complete commit below the length.
fn expected(
    rows: &[[String; 6]],
    pages: [Page; 2],
    length: u64,
    found: Option<u64>,
    last_complete: u64,
) -> (usize, Disposition) {
    let name = |page: &Page| match page {
        Page::Intact(_) => "intact",
        Page::Newer(_) => "newer",
        Page::Older(_) => "older",
        Page::Zero => "zero",
        Page::Damaged | Page::NotAnArchive => "damaged",
    };
    let newest = pages.iter().filter_map(Page::header).max_by_key(|header| header.state.sequence);
    let fits = |row: &[String; 6], [page, other_page]: [&Page; 2]| {
        let alternatives =
            |cell: &str, page: &Page| cell == "any" || cell.split([',', ' ']).any(|word| word == name(page));
        let sequence = match row[0].as_str() {
            "intact, sequence 0" => newest.is_some_and(|newest| newest.state.sequence == 0),
            "intact, sequence 1 or more" => newest.is_some_and(|newest| newest.state.sequence > 0),
            _ => true,
        };
        let kept = match (newest.map(|newest| length.cmp(&newest.state.length)), row[2].as_str()) {
            (_, "any") | (None, _) => true,
            (Some(std::cmp::Ordering::Less), kept) => kept == "shorter",
            (Some(std::cmp::Ordering::Equal), kept) => kept == "equal",
            (Some(std::cmp::Ordering::Greater), kept) => kept == "longer",
        };
        let same = match (pages[0].header(), pages[1].header()) {
            (Some(first), Some(second)) => {
                (first.state.id == second.state.id) != row[1].starts_with("intact, of another archive")
            }
            _ => !row[1].contains("intact, of"),
        };
        let of_the_intact = row[0] != "damaged, zero" || newest.is_none();
        alternatives(&row[0], page) && alternatives(&row[1], other_page) && sequence && kept && same && of_the_intact
    };
    let [first, second] = &pages;
    let row = rows.iter().position(|row| fits(row, [first, second]) || fits(row, [second, first]));
    let row_index = row.unwrap_or_else(|| panic!("no row for {pages:?} and {length} bytes"));
    let [.., what, reader, writer] = &rows[row_index];
    if what == "nothing" {
        assert!(reader.starts_with("refuses") && writer.starts_with("refuses"));
        return (row_index, Disposition::Refused);
    }
    let page_games = newest.map_or(0, |newest| newest.state.games);
    let counts = match what.as_str() {
        "the page" | "the page with the greater sequence number, whatever the difference" | "the same" => page_games,
        "the last found commit, otherwise the page" => found.unwrap_or(page_games),
        _ => last_complete,
    };
    let damage = match reader.as_str() {
        "reads" | "reads an empty archive" | "reads, and ignores later bytes" => false,
        "reads, and reports damage" => true,
        "reads, and reports damage if no commit is found" => found.is_none(),
        text => panic!("{text}"),
    };
    let writes = match writer.as_str() {
        "appends" => Some(page_games),
        "refuses" => None,
        "walks on, writes the pages of the found commits, and truncates the file after the last" | "as above" => {
            Some(found.unwrap_or(page_games))
        }
        "if a commit is found, writes the pages of the found commits and truncates the file after the last; otherwise refuses" => {
            found
        }
        text => panic!("{text}"),
    };
    (row_index, Disposition::Read(counts, damage, writes))
}

/// Returns the library's result, for an open archive and for a writer.
fn done(path: &Path) -> Disposition {
    let read = match Archive::open(path) {
        Ok(archive) => {
            let read: Vec<_> = archive.games().map(|game| game.map(|game| game.plies())).collect();
            assert!(read.len() as u64 == archive.len() && read.iter().all(Result::is_ok), "{read:?}");
            Some((archive.len(), archive.incomplete().is_some()))
        }
        Err(Error::Damaged(_) | Error::NotAnArchive { .. } | Error::Newer { .. } | Error::Older { .. }) => None,
        Err(error) => panic!("{error}"),
    };
    let before = fs::read(path).unwrap();
    let written = match Writer::open(path) {
        Ok(opened) => {
            let mut writer = opened.writer;
            let games = writer.committed_games();
            // A write keeps the archive intact, with the games that the writer found.
            writer.add_chunk(EncodedChunk { pgn_bytes: 1, ..EncodedChunk::default() }).unwrap();
            writer
                .add_source(&SourceRecord { name: "nothing".to_owned(), exact: false, ..SourceRecord::default() })
                .unwrap();
            writer.commit().unwrap();
            drop(writer);
            let after = Archive::open(path).unwrap();
            assert_eq!((after.len(), after.incomplete()), (games, None));
            assert!(Archive::verify(path, Level::Full, |_| {}).unwrap().is_intact());
            Some(games)
        }
        Err(_) => {
            assert!(fs::read(path).unwrap() == before, "refused, and changed");
            None
        }
    };
    match (read, written) {
        (None, None) => Disposition::Refused,
        (Some((games, damage)), written) => Disposition::Read(games, damage, written),
        (None, Some(_)) => panic!("written to, but not read"),
    }
}

#[test]
fn every_cell_of_the_table() {
    let folder = crate::common::tempdir().unwrap();
    let rows = rows();
    let mut met = vec![0; rows.len()];
    let (_, six) = archive(&folder, 6);
    let empty = archive(&folder, 0).1.remove(0);
    let path = folder.path().join("case.bga");
    for commits in 0..5usize {
        let now = if commits == 0 { &empty } else { &six[commits - 1] };
        let next = &six[commits];
        for first_page in STATES {
            for second_page in STATES {
                for length in LENGTHS {
                    let mut file = now.clone();
                    match length {
                        "longer" => file.extend_from_slice(&next[file.len()..next.len() - 20]),
                        "longer by a commit" => file.extend_from_slice(&next[file.len()..]),
                        "shorter" if commits > 0 => file.truncate(now.len() - 10),
                        _ => {}
                    }
                    // The archive without commits has another identity than the archive that grew, so a walk does not
                    // find its blocks.
                    put(&mut file, 0, first_page, next);
                    put(&mut file, 1, second_page, next);
                    let case = format!("{commits} commits, pages {first_page} and {second_page}, {length}");
                    let pages = Page::read_both(&file);
                    let newest = pages.iter().filter_map(Page::header).max_by_key(|header| header.state.sequence);
                    let games = |commits: usize| 6 * commits as u64;
                    // The content of the file after the newest intact page, by its construction.
                    let last = if length == "longer by a commit" { commits + 1 } else { commits };
                    let found = newest.and_then(|newest| {
                        let from = newest.state.sequence as usize;
                        (from < last && commits > 0 && length != "shorter").then_some(games(last))
                    });
                    // The last commit is truncated; an earlier one may still follow the newest intact page.
                    let found = found.or_else(|| {
                        let from = newest?.state.sequence as usize;
                        (length == "shorter" && from + 1 < commits).then(|| games(commits - 1))
                    });
                    let last_complete = games(commits.saturating_sub(1));
                    let (row, expected) = expected(&rows, pages, file.len() as u64, found, last_complete);
                    met[row] += 1;
                    fs::write(&path, &file).unwrap();
                    assert_eq!(done(&path), expected, "{case}: row {:?}", rows[row]);
                }
            }
        }
    }
    // Pages of two archives.
    let mut file = six[2].clone();
    let row = rows.iter().position(|row| row[1] == "intact, of another archive").unwrap();
    let mut alien = Page::read_both(&file)[0].header().unwrap();
    alien.state.id.0[0] ^= 1;
    file[..PAGE].copy_from_slice(&alien.encode());
    fs::write(&path, &file).unwrap();
    assert_eq!(done(&path), Disposition::Refused);
    met[row] += 1;
    let missed: Vec<_> = rows.iter().zip(&met).filter(|(_, met)| **met == 0).map(|(row, _)| row).collect();
    assert!(missed.is_empty(), "never met: {missed:?}");
}

/// With any flipped bit in the pages, all games are shown or damage is reported, and no writer loses a game.
#[test]
fn every_flipped_bit_of_the_header_pages() {
    let folder = crate::common::tempdir().unwrap();
    for commits in [1, 2, 5] {
        let (_, states) = archive(&folder, commits);
        let file = states.last().unwrap();
        let games = 6 * commits;
        (0..BLOCKS as usize * 8).into_par_iter().for_each(|bit| {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            match Archive::open(ArchiveFile::from_bytes(flipped.clone())) {
                Ok(archive) => {
                    let lost = archive.len() < games;
                    let reported = matches!(archive.incomplete(), Some(Incomplete::HeaderPage { .. }));
                    assert!(!lost || reported, "{commits} commits, bit {bit}: {} games", archive.len());
                    assert_eq!(archive.len(), games, "{commits} commits, bit {bit}");
                }
                Err(Error::Damaged(_)) => {}
                Err(error) => panic!("{commits} commits, bit {bit}: {error}"),
            }
            // Writes and repairs at a sample of the bits: every bit in the fields, few in the zeros between.
            let within = bit / 8 % PAGE;
            if bit % 8 != bit / 8 % 8 || (80..PAGE - 4).contains(&within) && !within.is_multiple_of(501) {
                return;
            }
            let path = folder.path().join(format!("flipped-{bit}.bga"));
            fs::write(&path, &flipped).unwrap();
            assert!(!Archive::verify(&path, Level::Quick, |_| {}).unwrap().is_intact(), "bit {bit} is not seen");
            let target = folder.path().join(format!("repaired-{bit}.bga"));
            let repaired = Archive::repair(&path, &target, Existing::Replace, |_| {}).unwrap();
            assert_eq!((repaired.kept_games(), repaired.lost_games()), (games, 0), "bit {bit}");
            match Archive::delete(&path, [1]) {
                Ok(count) => {
                    assert_eq!(count.games, 1);
                    let archive = Archive::open(&path).unwrap();
                    assert_eq!((archive.len(), archive.live().len()), (games, games - 1), "bit {bit}");
                    assert!(Archive::verify(&path, Level::Quick, |_| {}).unwrap().is_intact(), "bit {bit} stays");
                }
                Err(Error::Damaged(_)) => assert!(fs::read(&path).unwrap() == flipped, "bit {bit}"),
                Err(error) => panic!("bit {bit}: {error}"),
            }
        });
    }
}

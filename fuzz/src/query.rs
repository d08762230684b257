//! An archive of any bytes, a side file and a query: the query returns a result or an error, and a repaired archive is
//! intact.

use super::fix_checksums;
use super::side::{fix, searched};
use scoresheet::Existing;
use scoresheet::archive::{Access, FileKind, Level};
use scoresheet::{Archive, ArchiveFile, Import, ImportOptions};
use scoresheet_query::{Filter, PositionIndex, Search, Signatures, SortKeys, TagColumns, report};
use std::fs;
use std::path::Path;

/// The kinds of side files; the first byte of an input selects one.
const NONE: u8 = 0;
const SIGNATURES: u8 = 1;
const POSITIONS: u8 = 2;
const HEADERS: u8 = 3;
const INDEX: u8 = 4;

/// The parts of an input: the kind of the side file (a byte), the lengths of the archive (three bytes, lowest first)
/// and of the query (one), the archive, the query, and the side file. Lengths beyond the input are cut.
fn parts(bytes: &[u8]) -> Option<(u8, [&[u8]; 3])> {
    let ([which, a, b, c, question], rest) = bytes.split_first_chunk()?;
    let length = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
    let (archive, rest) = rest.split_at(length.min(rest.len()));
    let (question, side) = rest.split_at(usize::from(*question).min(rest.len()));
    Some((which % 5, [archive, question, side]))
}

/// Returns the input that has these parts.
pub fn joined(which: &str, archive: &[u8], question: &str, side: &[u8]) -> Vec<u8> {
    let which = match which {
        "bgs" => SIGNATURES,
        "bgp" => POSITIONS,
        "bgh" => HEADERS,
        "bgi" => INDEX,
        _ => NONE,
    };
    let mut bytes = vec![which];
    bytes.extend_from_slice(&(archive.len() as u32).to_le_bytes()[..3]);
    bytes.push(question.len().min(255) as u8);
    bytes.extend_from_slice(archive);
    bytes.extend_from_slice(question.as_bytes());
    bytes.extend_from_slice(side);
    bytes
}

/// Opens archives of any bytes with a side file, and runs a query.
pub fn archive_and_query(bytes: &[u8]) {
    let Some((which, [archive, question, side])) = parts(bytes) else { return };
    let (mut file, mut side) = (archive.to_vec(), side.to_vec());
    fix_checksums(&mut file);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.bga");
    fs::write(&path, &file).expect("room for an archive");
    let beside = match which {
        SIGNATURES => Some((FileKind::Signatures.beside(&path), fix as fn(&mut [u8]))),
        POSITIONS => Some((FileKind::Positions.beside(&path), fix as fn(&mut [u8]))),
        HEADERS => Some((FileKind::TagColumns.beside(&path), fix as fn(&mut [u8]))),
        INDEX => Some((path.with_extension("bgi"), (|_| ()) as fn(&mut [u8]))),
        _ => None,
    };
    if let Some((beside, fix)) = beside {
        fix(&mut side);
        fs::write(beside, &side).expect("room for a side file");
    }
    if let Ok(archive) = Archive::open(&path) {
        ask(&archive, &String::from_utf8_lossy(question));
    }
    verify_and_repair(&path);
}

/// Verifies an archive, repairs it, and adds a game to it.
pub fn use_files(file: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, source) = (folder.path().join("a.bga"), folder.path().join("s.pgn"));
    fs::write(&path, file).expect("room for an archive");
    verify_and_repair(&path);
    fs::write(&source, "1. e4 *\n").expect("room for a game");
    let options = ImportOptions { existing: Existing::Append, ..ImportOptions::default() };
    let _ = Import::new(&path).options(options).run(&[source]);
}

fn verify_and_repair(path: &Path) {
    let _ = Archive::verify(path, Level::Full, |_| {});
    let target = path.with_file_name("b.bga");
    if Archive::repair(ArchiveFile::at(path).options(Access::Read), &target, Existing::Refuse, |_| {}).is_ok() {
        let report = Archive::verify(&target, Level::Full, |_| {}).expect("a file that can be read");
        assert!(report.is_intact(), "{:?}", report.damage);
    }
}

fn ask(archive: &Archive, question: &str) {
    let signatures = Signatures::open(archive).0;
    let index = PositionIndex::open(archive).0;
    let mut search = Search::new(archive);
    if let Some(signatures) = &signatures {
        search = search.with_signatures(signatures);
    }
    if let Some(index) = &index {
        let _ = index.facts(1..archive.len() + 1);
        search = search.with_index(index);
    }
    searched(archive, &search, false);
    let headers = TagColumns::open(archive);
    let _ = SortKeys::parse(question);
    if let Ok(filter) = Filter::parse(question) {
        let games = filter.games(&headers).games;
        assert!(games.iter().all(|game| (1..=archive.len()).contains(&game)));
        let _ = report::stats::stats(&headers, &games);
    }
    let _ = report::duplicates::find(std::slice::from_ref(&headers), report::duplicates::Options::default());
}

//! Real games, and PGN test files of other projects with frozen results for all read sizes. All files are imported and
//! exported in a build that checks every sum for overflow.
//!
//! Runs if SCORESHEET_CORPORA names a folder with the folder `hard`, and others. SCORESHEET_BLESS rewrites the list.

use crate::common::import::try_import;
use rayon::prelude::*;
use scoresheet::Existing;
use scoresheet::archive::Level;
use scoresheet::game::Game;
use scoresheet::import::Summary;
use scoresheet::pgn::{self, Disposition, FaultKind, ReadOptions, Splitter, read_game};
use scoresheet::{Archive, ImportOptions};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/archive/hard.txt");

/// Returns at most `size` bytes per read.
struct Slow<R> {
    reader: R,
    size: usize,
}

impl<R: Read> Read for Slow<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.size.min(buf.len());
        self.reader.read(&mut buf[..count])
    }
}

/// Games seen, stored, rejected, and read as Windows-1252; the faults by kind.
fn outcome(file: &[u8], size: usize) -> String {
    let options = ReadOptions::default();
    let source = match pgn::from_reader(Slow { reader: Cursor::new(file.to_vec()), size }, None) {
        Ok(source) => source,
        Err(error) => return format!("refused: {error}"),
    };
    let mut splitter = Splitter::new(Slow { reader: source, size }, 0, options.limits);
    let (mut stored, mut rejected, mut odd, mut plies) = (0, 0, 0, 0);
    let mut faults = BTreeMap::new();
    while let Some(piece) = splitter.next_batch(1 << 20).unwrap() {
        assert!(piece.oversized.is_none());
        for span in &piece.spans {
            let (bytes, mut at) = (piece.span(span), 0);
            while at < bytes.len() {
                let reading = read_game(bytes, at, &options, &mut Game::default());
                at = reading.next.max(at + 1);
                match reading.disposition {
                    Some(Disposition::Stored) => {
                        stored += 1;
                        plies += reading.plies;
                    }
                    Some(Disposition::Rejected) => rejected += 1,
                    None => {}
                }
                odd += u32::from(reading.windows_1252);
                if reading.more_faults > 0 {
                    *faults.entry("more".to_owned()).or_insert(0) += reading.more_faults;
                }
                for fault in reading.faults {
                    let kind = match fault.kind {
                        FaultKind::BadFen(_) => "bad FEN".to_owned(),
                        kind => kind.to_string(),
                    };
                    *faults.entry(kind).or_insert(0) += 1;
                }
            }
        }
    }
    let mut text = format!("{} seen, {stored} stored, {rejected} rejected, {plies} plies", stored + rejected);
    if odd > 0 {
        let _ = write!(text, ", {odd} Windows-1252");
    }
    for (kind, count) in faults {
        let _ = write!(text, "; {count} {kind}");
    }
    text
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn every_file_of_the_corpora_has_its_outcome() {
    let folder = crate::common::corpora::folder().map(|folder| folder.join("hard"));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        println!("skipped: SCORESHEET_CORPORA names no folder with the folder hard");
        return;
    };
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    paths.sort();
    let line = |path: &PathBuf| {
        let text = std::fs::read(path).unwrap();
        let expected = outcome(&text, 1 << 20);
        for size in [1, 7, 4096] {
            assert_eq!(outcome(&text, size), expected, "{}: reads of {size}", path.display());
        }
        format!("{}: {expected}\n", path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/"))
    };
    let list: String = paths.par_iter().map(line).collect();
    if std::env::var_os("SCORESHEET_BLESS").is_some() {
        std::fs::write(LIST, &list).unwrap();
    }
    let golden = std::fs::read_to_string(LIST).unwrap_or_default();
    let mut wrong = String::new();
    for line in list.lines().filter(|line| !golden.lines().any(|known| known == *line)) {
        let name = line.split(": ").next().unwrap_or_default();
        let known = golden.lines().find(|known| known.starts_with(&format!("{name}: "))).unwrap_or("not in the list");
        let _ = writeln!(wrong, "{line}\n    expected: {known}");
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(list.lines().count(), golden.lines().count(), "files of the list are not there");
}

#[test]
fn every_file_of_the_corpora_comes_back() {
    let Some(folder) = crate::common::corpora::folder() else {
        println!("skipped: SCORESHEET_CORPORA names no folder");
        return;
    };
    assert!(std::panic::catch_unwind(|| std::hint::black_box(u8::MAX) + 1).is_err(), "a build without overflow checks");
    let mut paths = Vec::new();
    files(Path::new(&folder), &mut paths);
    paths.sort();
    let (next, stored, refused) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicU64::new(0));
    // Separate threads: a verification on rayon's threads must not wait there for another file.
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (games, none) = comes_back(path);
                    stored.fetch_add(games, Ordering::Relaxed);
                    refused.fetch_add(none, Ordering::Relaxed);
                }
            });
        }
    });
    println!("{} files, {stored:?} games; {refused:?} files hold none", paths.len());
    assert!(stored.into_inner() > 0);
}

/// Imports a file, verifies the archive and restores the source. Returns the number of stored games, and 1 if there are
/// none.
fn comes_back(path: &Path) -> (u64, u64) {
    let folder = crate::common::tempdir().unwrap();
    let bytes = std::fs::read(path).unwrap();
    let (source, target) = (folder.path().join("s.pgn"), folder.path().join("s.bga"));
    std::fs::write(&source, &bytes).unwrap();
    let options = ImportOptions { threads: 1, existing: Existing::Refuse, ..ImportOptions::default() };
    let imported = try_import(&[source], &target, &options);
    let Ok(Summary { seen, stored: stored @ 1.., rejected, stopped: None, .. }) = imported else { return (0, 1) };
    assert_eq!(seen, stored + rejected);
    let report = Archive::verify(&target, Level::Full, |_| {}).unwrap();
    assert!(report.is_intact(), "{}: {:?}", path.display(), report.damage);
    let (archive, mut original) = (Archive::open(&target).unwrap(), Vec::new());
    assert!(archive.write_original(&archive.sources().unwrap()[0], &mut original).unwrap(), "{}", path.display());
    // A compressed file is restored uncompressed.
    let mut plain = Vec::new();
    pgn::from_reader(Cursor::new(bytes), None).unwrap().read_to_end(&mut plain).unwrap();
    assert!(original == plain, "{}", path.display());
    (stored, 0)
}

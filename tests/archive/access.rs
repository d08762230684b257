//! Access to an archive's bytes: mapped, in memory, positioned reads. All give the same games, and the last also
//! survives a file that is truncated while open.

use crate::common::import::try_import;
use crate::common::sample::lichess;
use rayon::prelude::*;
use scoresheet::Existing;
use scoresheet::archive::{Access, Cached, FileKind, Level, ReadExactAt, SideState};
use scoresheet::{Archive, ArchiveFile, Error, GameRef, Import, ImportOptions};
use std::fmt::Write;
use std::fs::{self, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Imports the 3,000 games of the sample.
fn sample(folder: &Path) -> PathBuf {
    let target = folder.join("sample.bga");
    let options = ImportOptions { existing: Existing::Replace, ..ImportOptions::default() };
    let source = [lichess()];
    try_import(&source, &target, &options).unwrap();
    target
}

#[test]
fn every_access_gives_the_same_games() {
    let folder = crate::common::tempdir().unwrap();
    let target = sample(folder.path());
    let mapped = Archive::open(&target).unwrap();
    let digest = mapped.digest().unwrap();
    let read = Archive::open(ArchiveFile::at(&target).options(Access::Read)).unwrap();
    assert_eq!(read.index_state(), SideState::File);
    let file = fs::read(&target).unwrap();
    let index = fs::read(FileKind::Index.beside(&target)).unwrap();
    let held = Archive::open(ArchiveFile::from_bytes(file.clone()).index(index.to_vec())).unwrap();
    assert_eq!(held.index_state(), SideState::File);
    // Bytes after the last commit do not count in memory either.
    let longer = Archive::open(ArchiveFile::from_bytes([file.as_slice(), b"BGAb"].concat())).unwrap();
    assert_eq!((longer.index_state(), longer.file_length()), (SideState::Missing, file.len() as u64));
    for archive in [&read, &held, &longer] {
        assert_eq!(archive.digest().unwrap(), digest);
        assert_eq!(archive.index_file(), index);
        assert_eq!(archive.totals().unwrap(), mapped.totals().unwrap());
        assert_eq!(archive.sources().unwrap(), mapped.sources().unwrap());
        // Point reads in an order that defeats caches.
        (0..3000_u64).into_par_iter().for_each(|step| {
            let number = step * 1237 % 3000 + 1;
            let (from_file, from_map) = (archive.game(number).unwrap(), mapped.game(number).unwrap());
            assert_eq!(from_file.brenner(), from_map.brenner());
            let ply = (step % 30).min(u64::from(from_map.plies())) as u32;
            assert_eq!(from_file.position(ply).unwrap(), from_map.position(ply).unwrap());
        });
    }
    let mut original = Vec::new();
    assert!(read.write_original(&read.sources().unwrap()[0], &mut original).unwrap());
    assert_eq!(original.len() as u64, read.totals().unwrap().pgn_bytes);
    for level in [Level::Quick, Level::Full] {
        let report = Archive::verify(&target, level, |_| {}).unwrap();
        assert_eq!(report, Archive::verify(ArchiveFile::at(&target).options(Access::Read), level, |_| {}).unwrap());
        assert!(report.is_intact());
    }
}

/// Remote bytes: every request is recorded.
struct Far {
    file: Vec<u8>,
    requests: Arc<Mutex<Vec<Range<u64>>>>,
}

impl ReadExactAt for Far {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let end = offset + bytes.len() as u64;
        self.requests.lock().unwrap().push(offset..end);
        let found = self.file.get(offset as usize..end as usize).ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes.copy_from_slice(found);
        Ok(())
    }
}

#[test]
fn a_game_out_of_a_far_archive_takes_few_requests_and_bytes() {
    let folder = crate::common::tempdir().unwrap();
    let target = sample(folder.path());
    let near = Archive::open(&target).unwrap();
    let (file, index) = (fs::read(&target).unwrap(), fs::read(FileKind::Index.beside(&target)).unwrap());
    let (mut moves, mut columns, mut others) = (0, 0, 0);
    let (mut bytes, mut most) = (0, 0);
    for number in (1..=3000).step_by(37) {
        let requests = Arc::default();
        let far = Far { file: file.clone(), requests: Arc::clone(&requests) };
        let far = Archive::open(ArchiveFile::from_reader(far, file.len() as u64).index(index.to_vec())).unwrap();
        let count = || std::mem::take(&mut *requests.lock().unwrap());
        count();
        let game = far.game(number).unwrap();
        assert_eq!(game.brenner(), near.game(number).unwrap().brenner());
        let ranges = count();
        moves += ranges.len();
        let read = ranges.iter().map(|range| range.end - range.start).sum::<u64>();
        (bytes, most) = (bytes + read, most.max(read));
        assert_eq!(game.tags().unwrap(), near.game(number).unwrap().tags().unwrap());
        columns += count().len();
        assert_eq!(game.digest().unwrap(), near.game(number).unwrap().digest().unwrap());
        others += count().len();
        // Blocks that were read are cached.
        assert_eq!(far.game(number).unwrap().brenner(), near.game(number).unwrap().brenner());
        assert_eq!(count(), []);
    }
    let games = 3000_usize.div_ceil(37);
    // The table and the record. The index predicts where the record is, and is wrong for a few games.
    assert!(moves <= 2 * games + games / 20, "{moves} requests for {games} games");
    assert!(bytes / games as u64 <= 16 << 10, "{bytes} bytes for {games} games");
    assert!(most <= 32 << 10, "{most} bytes");
    // The columns and, because each archive is new, strings of the dictionary.
    assert!(columns <= 2 * games, "{columns} requests for the tags of {games} games");
    // The layout arrived with the tags.
    assert_eq!(others, 0);
}

/// Remote bytes. The first read waits a moment for another read to start.
struct Together(Far, Arc<(Mutex<(usize, usize)>, Condvar)>);

impl ReadExactAt for Together {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let (counts, changed) = &*self.1;
        let mut counts = counts.lock().unwrap();
        counts.0 += 1;
        counts.1 = counts.1.max(counts.0);
        changed.notify_all();
        let waits = |counts: &mut (usize, usize)| counts.1 < 2;
        counts = changed.wait_timeout_while(counts, Duration::from_millis(50), waits).unwrap().0;
        counts.0 -= 1;
        drop(counts);
        self.0.read_exact_at(offset, bytes)
    }

    fn is_concurrent(&self) -> bool {
        true
    }
}

#[test]
fn the_parts_of_a_game_are_requested_at_once() {
    let folder = crate::common::tempdir().unwrap();
    let target = sample(folder.path());
    let near = Archive::open(&target).unwrap();
    let (file, index) = (fs::read(&target).unwrap(), fs::read(FileKind::Index.beside(&target)).unwrap());
    let length = file.len() as u64;
    let counts = Arc::new((Mutex::new((0, 0)), Condvar::new()));
    let far = Together(Far { file, requests: Arc::default() }, Arc::clone(&counts));
    let far = Archive::open(ArchiveFile::from_reader(Cached::new(far, length, 1 << 20), length).index(index)).unwrap();
    *counts.0.lock().unwrap() = (0, 0);
    // The last record of a chunk is far from the table.
    let number = 900;
    assert_eq!(far.game(number).unwrap().brenner(), near.game(number).unwrap().brenner());
    assert_eq!(counts.0.lock().unwrap().1, 2);
}

#[test]
fn a_reader_states_why_it_ended() {
    let folder = crate::common::tempdir().unwrap();
    let file = fs::read(sample(folder.path())).unwrap();
    let message = |end: fn() -> io::Error| {
        struct Ends(Vec<u8>, fn() -> io::Error);
        impl ReadExactAt for Ends {
            fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
                let (from, to) = (offset as usize, offset as usize + bytes.len());
                bytes.copy_from_slice(self.0.get(from..to).ok_or_else(self.1)?);
                Ok(())
            }
        }
        let length = file.len() as u64;
        let reader = Cached::new(Ends(file[..file.len() / 2].to_vec(), end), length, 1 << 20);
        let opened = Archive::open(ArchiveFile::from_reader(reader, length));
        let read = opened.and_then(|archive| archive.games().try_for_each(|game| game?.digest().map(drop)));
        read.unwrap_err().to_string()
    };
    let shorter = message(|| io::ErrorKind::UnexpectedEof.into());
    assert!(shorter.contains("the file has become shorter at byte"), "{shorter}");
    let dropped = message(|| io::Error::new(io::ErrorKind::UnexpectedEof, "example.org hung up"));
    assert!(dropped.starts_with("cannot read the archive at byte"), "{dropped}");
    assert!(dropped.ends_with(": example.org hung up"), "{dropped}");
}

#[test]
fn a_file_cut_or_changed_under_a_reader_gives_errors() {
    let folder = crate::common::tempdir().unwrap();
    let target = sample(folder.path());
    let intact = Archive::open(&target).unwrap();
    let digests: Vec<_> = intact.games().map(|game| game.unwrap().digest().unwrap()).collect();
    let moves: Vec<_> = intact.games().map(|game| game.unwrap().brenner().to_vec()).collect();
    drop(intact);
    let original = fs::read(&target).unwrap();
    let archive = Archive::open(ArchiveFile::at(&target).options(Access::Read)).unwrap();
    assert!(archive.game(1).unwrap().digest().is_ok());
    let check = |archive: &Archive| {
        let (mut right, mut refused) = (0, 0);
        for ((game, digest), moves) in archive.games().zip(&digests).zip(&moves) {
            if let Ok(game) = &game {
                assert!(game.brenner() == moves, "moves of game {}", game.number());
            }
            match game.and_then(|game| game.digest()) {
                Ok(found) => {
                    assert_eq!(found, *digest);
                    right += 1;
                }
                Err(Error::Damaged(_)) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(right + refused, 3000);
        (right, refused)
    };
    let file = OpenOptions::new().write(true).open(&target).unwrap();
    file.set_len(original.len() as u64 / 2).unwrap();
    let (right, refused) = check(&archive);
    assert!(right > 0 && refused > 1000, "{right} {refused}");
    file.set_len(0).unwrap();
    let (_, refused) = check(&archive);
    assert!(refused > 2900, "{refused}");
    // Another archive's bytes at the same path are not accepted.
    let mut rotated = original.clone();
    rotated[8192..].rotate_left(1);
    fs::write(&target, rotated).unwrap();
    let (right, _) = check(&archive);
    assert!(right < 100, "{right}");
    fs::write(&target, original).unwrap();
    assert_eq!(check(&Archive::open(ArchiveFile::at(&target).options(Access::Read)).unwrap()), (3000, 0));
}

#[test]
fn scores_read_as_numbers_equal_the_scores_of_texts() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("games.bga");
    let special = [
        "[%eval 123456.78]",
        "[%eval 12345678.9]",
        "[%eval #3]",
        "[%eval -0.0]",
        "[%eval 0.12] [%clk 0:01:00]",
        "+0.33/20 1.5s",
        "[%eval 0.31,18]",
        "no score",
    ];
    let mut pgn = String::new();
    for game in 0..300 {
        let eval = |ply: i32| match (game * 7 + ply) % 5 {
            0 => special[(game + ply) as usize % special.len()].to_owned(),
            rest => format!("[%eval {}{}.{}]", if (game ^ ply) & 1 == 0 { "" } else { "-" }, rest, 10 + game % 90),
        };
        // A score after a note, before the moves, in a variation, and twice at a ply.
        let (first, second) = (eval(1), eval(2));
        writeln!(
            pgn,
            "{{[%eval 0.2]}} 1. e4 {{{first}}} e5 {{{second}}} {{[%eval 7.07]}} 2. Nf3 $1 {{{}}} \
             (2. d4 {{[%eval 9.99]}} exd4) Nc6 {{{}}} *\n",
            eval(3),
            eval(4)
        )
        .unwrap();
    }
    Import::new(&path).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    let scores = |game: GameRef<'_>| game.scores().unwrap();
    let as_numbers: Vec<_> = Archive::open(&path).unwrap().games().map(|game| scores(game.unwrap())).collect();
    let archive = Archive::open(&path).unwrap();
    let mut known = 0;
    for (game, as_number) in archive.games().zip(&as_numbers) {
        let game = game.unwrap();
        // Reading a comment reads all texts of the chunk as texts.
        assert!(game.to_game().unwrap().events.len() > 5);
        assert_eq!(&scores(game.clone()), as_number, "game {}", game.number());
        known += as_number.iter().flatten().count();
    }
    assert!(known > 1_200, "{known}");
}

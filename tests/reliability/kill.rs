//! Real processes and threads: killed and resumed imports, concurrent writers, readers during an import.
//!
//! A plain `cargo test` runs a few of each; these variables request more. Kills are numbered, so a long run can be
//! continued:
//!
//!     SCORESHEET_KILLS=500 SCORESHEET_ROUNDS=50 SCORESHEET_READS=1_000_000 cargo test --test reliability kill:: --
//!     --nocapture
#![cfg(unix)]

use crate::common::import::append;
use crate::common::random::Random;
use crate::common::sample::lichess_text;
use crate::common::{number, seed};
use scoresheet::archive::{FileKind, SideState};
use scoresheet::{Archive, ImportOptions};
use scoresheet_query::check_side_files;
use scoresheet_query::{ArchiveSet, Query};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn spawn(folder: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_scoresheet"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs the command to its end; it must succeed.
fn run(folder: &Path, args: &[&str]) {
    let output = spawn(folder, args).wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// An import with a commit after each chunk; `before` is the archive at the beginning, if there is one.
struct Case {
    args: Vec<&'static str>,
    before: Option<Vec<u8>>,
    complete: Vec<u8>,
    index: Vec<u8>,
    time: Duration,
}

impl Case {
    fn new(folder: &Path, before: Option<Vec<u8>>, files: &[&'static str]) -> Case {
        let mut args = vec!["import"];
        args.extend(files);
        args.extend(["-o", "g.bga", "--resume", "--batch", "1", "--json", "--threads", "2"]);
        if before.is_some() {
            args.push("--append");
        }
        let mut case = Case { args, before, complete: Vec::new(), index: Vec::new(), time: Duration::ZERO };
        case.begin(folder);
        let start = Instant::now();
        run(folder, &case.args);
        case.time = start.elapsed();
        case.complete = fs::read(folder.join("g.bga")).unwrap();
        case.index = fs::read(folder.join("g.bgi")).unwrap();
        case
    }

    /// Restores the archive before the import.
    fn begin(&self, folder: &Path) {
        let archive = folder.join("g.bga");
        let _ = fs::remove_file(FileKind::Index.beside(&archive));
        let _ = fs::remove_file(&archive);
        if let Some(before) = &self.before {
            fs::write(archive, before).unwrap();
        }
    }
}

/// The commits that the process acknowledged: the length of the archive at its last commit, and its games.
fn acknowledged(out: &str) -> Option<(u64, u64)> {
    // The kill may have truncated the last line.
    let complete_lines = out.rfind('\n').map_or("", |end| &out[..end]);
    let lines = complete_lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| Some((line.get("bytes")?.as_u64()?, line.get("committed")?.as_u64()?))).next_back()
}

#[test]
fn a_killed_import_loses_nothing_and_goes_on() {
    let folder = crate::common::tempdir().unwrap();
    let room = folder.path();
    let games = lichess_text();
    fs::write(room.join("one.pgn"), &games).unwrap();
    fs::write(room.join("two.pgn"), &games[..games.len() / 2]).unwrap();
    fs::write(room.join("new.pgn"), games.repeat(2)).unwrap();
    let first = Case::new(room, None, &["one.pgn", "two.pgn"]);
    let cases = [Case::new(room, Some(first.complete.clone()), &["new.pgn"]), first];

    let from = number("SCORESHEET_FROM", 0);
    let kills = from..from + number("SCORESHEET_KILLS", 12);
    let (mut at_case, mut case, mut done) = (0, &cases[0], true);
    let (mut finished, mut in_time, mut commits) = (0u64, 0u64, 0u64);
    // The length acknowledged by any process.
    let mut known = 0;
    for kill in kills.clone() {
        let mut random = Random::new(seed(kill));
        if done {
            at_case += 1;
            case = &cases[at_case % 2];
            case.begin(room);
            known = case.before.as_ref().map_or(0, |before| before.len() as u64);
        }
        let mut child = spawn(room, &case.args);
        drop(child.stdin.take());
        let wait = case.time.mul_f64(random.below(1100) as f64 / 1000.0);
        std::thread::sleep(wait);
        // SIGKILL: the process cannot react.
        let _ = child.kill();
        let mut out = String::new();
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        let status = child.wait().unwrap();
        done = status.success();
        if let Some((length, _)) = acknowledged(&out) {
            assert!(length >= known, "kill {kill}");
            commits += 1;
            known = length;
        }
        let archive = room.join("g.bga");
        let what = format!("kill {kill} after {wait:?}, {known} bytes acknowledged");
        if done {
            finished += 1;
            assert!(
                fs::read(&archive).unwrap() == case.complete,
                "{what}: the archive is that of an import without kills"
            );
            assert!(fs::read(FileKind::Index.beside(&archive)).unwrap() == case.index, "{what}: so is the index");
        } else if archive.exists() {
            in_time += 1;
            let opened = Archive::open(&archive).expect(&what);
            assert_eq!(opened.incomplete(), None, "{what}");
            let length = opened.file_length();
            assert!(length >= known, "{what}, {length} found");
            let bytes = fs::read(&archive).unwrap();
            let (there, expected) = (&bytes[8192..length as usize], &case.complete[8192..length as usize]);
            assert!(there == expected, "{what}: what is committed is what was imported");
            known = length;
        } else {
            assert_eq!(known, 0, "{what}");
        }
        for entry in fs::read_dir(room).unwrap().map(|entry| entry.unwrap()) {
            if entry.file_name().to_string_lossy().starts_with(".scoresheet-") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        if (kill + 1).is_multiple_of(100) {
            eprintln!("kills: all below {} hold; SCORESHEET_FROM={} goes on", kill + 1, kill + 1);
        }
    }
    let total = kills.end - kills.start;
    eprintln!("{total} kills: {in_time} hit an archive, {commits} had commits, {finished} came too late");
    assert!(in_time > 0 && finished < total);
    // The last run is not killed.
    if !done {
        run(room, &case.args);
        assert!(fs::read(room.join("g.bga")).unwrap() == case.complete);
    }
}

/// After a kill, the archive has the old or the new content, to the byte, and the next change succeeds.
#[test]
fn a_killed_change_has_happened_or_not() {
    let folder = crate::common::tempdir().unwrap();
    let room = folder.path();
    fs::write(room.join("one.pgn"), lichess_text()).unwrap();
    run(room, &["import", "one.pgn", "-o", "g.bga", "-q"]);
    let change = ["set", "g.bga", "--games", "1-", "White=Nobody", "-q"];
    let (archive, index) = (room.join("g.bga"), room.join("g.bgi"));
    let before = fs::read(&archive).unwrap();
    let start = Instant::now();
    run(room, &change);
    let (after, time) = (fs::read(&archive).unwrap(), start.elapsed());
    let (mut as_before, mut as_after) = (0, 0);
    for kill in 0..number("SCORESHEET_KILLS", 12) {
        fs::write(&archive, &before).unwrap();
        let _ = fs::remove_file(&index);
        let mut child = spawn(room, &change);
        let wait = time.mul_f64(Random::new(seed(kill)).below(1200) as f64 / 1000.0);
        std::thread::sleep(wait);
        let _ = child.kill();
        child.wait().unwrap();
        let now = fs::read(&archive).unwrap();
        assert!(now == before || now == after, "kill {kill} after {wait:?}");
        if now == before {
            as_before += 1
        } else {
            as_after += 1
        }
        assert_eq!(Archive::open(&archive).unwrap().incomplete(), None);
    }
    eprintln!("kills: {as_before} before the change, {as_after} after it");
    run(room, &change);
    assert!(fs::read(&archive).unwrap() == after);
}

/// The games that some queries find, with or without the side files of an archive.
fn found(archive: &Path) -> Vec<Vec<(u64, Vec<u32>)>> {
    let set = ArchiveSet::open([archive]).unwrap();
    let queries = [
        r#"{"moves": "1. e4 c5"}"#,
        r#"{"moves": "1. d4 d5 2. c4", "where": "result = 1-0"}"#,
        r#"{"material": "KRk", "either_color": true}"#,
        r#"{"where": "white ^= \"Nobody\" or elo >= 2000", "sort": "-elo,game"}"#,
    ];
    let find = |query: &str| {
        let query: Query = query.parse().unwrap();
        let games = query.run(&set).map(|game| game.unwrap());
        games.map(|game| (game.number, game.hits.iter().map(|hit| hit.ply).collect())).collect()
    };
    queries.iter().map(|query| find(query)).collect()
}

/// Changes of an archive with all its side files, killed at any moment, or without disk space for a side file: queries
/// find the same as without side files, and also after the next change.
#[test]
fn no_kill_and_no_full_disk_makes_side_files_lie() {
    let folder = crate::common::tempdir().unwrap();
    let (room, bare) = (folder.path(), crate::common::tempdir().unwrap());
    let games = lichess_text();
    fs::write(room.join("one.pgn"), &games[..games.len() / 3]).unwrap();
    fs::write(room.join("new.pgn"), &games[games.len() / 2..games.len() * 11 / 20]).unwrap();
    let (archive, alone) = (room.join("g.bga"), bare.path().join("g.bga"));
    run(room, &["import", "one.pgn", "-o", "g.bga", "-q", "--index"]);
    let changes: [&[&str]; 5] = [
        &["import", "new.pgn", "-o", "g.bga", "--append", "-q", "--batch", "1"],
        &["set", "g.bga", "--games", "5-40", "White=Nobody at all", "-q"],
        &["delete", "g.bga", "--games", "7,11", "-q"],
        &["set", "g.bga", "--games", "1-", "WhiteElo=2001", "-q"],
        &["index", "g.bga", "--all", "-q"],
    ];
    let (mut killed, mut full, mut used, mut random) = (0u64, 0u64, 0u64, Random::new(9));
    let times = number("SCORESHEET_KILLS", 12).max(changes.len() as u64);
    for time in 0..times {
        let change = changes[time as usize % changes.len()];
        let what = format!("change {time}: {change:?}");
        if time % 3 == 2 {
            // Space for the archive and its small side files, but not for the position index.
            let blocks = fs::metadata(&archive).unwrap().len() * 5 / 4 / 512;
            let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
            let mut command = Command::new("sh");
            command.args(["-c", &script, env!("CARGO_BIN_EXE_scoresheet")]).args(change).current_dir(room);
            full += u64::from(!command.output().unwrap().stderr.is_empty());
        } else {
            let begin = Instant::now();
            let mut child = spawn(room, change);
            // A change takes up to some hundred milliseconds; half the kills come early.
            let most = if random.one_in(2) { 30 } else { 300 };
            std::thread::sleep(Duration::from_millis(random.below(most) as u64));
            let _ = child.kill();
            killed += u64::from(!child.wait().unwrap().success());
            eprintln!("{what}, {:?}", begin.elapsed());
        }
        fs::copy(&archive, &alone).unwrap();
        assert_eq!(found(&archive), found(&alone), "{what}");
        let opened = Archive::open(&archive).unwrap();
        used += check_side_files(&opened).iter().filter(|(_, state)| *state == SideState::File).count() as u64;
        if time % 4 == 3 {
            run(room, &["index", "g.bga", "--all", "-q"]);
        }
    }
    eprintln!("{killed} changes were killed, {full} had no room; {used} of {} side files were in use", 3 * times);
    assert!(killed > 0 && full > 0 && used > times && found(&archive).iter().any(|games| !games.is_empty()));
}

#[test]
fn the_second_writer_fails_at_once() {
    const WRITERS: usize = 8;
    let folder = crate::common::tempdir().unwrap();
    let room = folder.path();
    fs::write(room.join("a.pgn"), "1. e4 e5 *\n").unwrap();
    let first = spawn(room, &["import", "a.pgn", "-o", "g.bga"]).wait_with_output().unwrap();
    assert!(first.status.success());
    for round in 0..number("SCORESHEET_ROUNDS", 2) {
        // All processes want to append their standard input; the one with the lock waits for it.
        let args = |writer| match writer {
            0 => ["import", "-", "-o", "g.bga", "--force"],
            _ => ["import", "-", "-o", "g.bga", "--append"],
        };
        let mut writers: Vec<Child> = (0..WRITERS).map(|writer| spawn(room, &args(1 + writer))).collect();
        let start = Instant::now();
        let mut refused = 0;
        while writers.len() > 1 {
            assert!(start.elapsed() < Duration::from_secs(60), "round {round}: {} wait", writers.len());
            std::thread::sleep(Duration::from_millis(2));
            let mut left = Vec::new();
            for mut writer in writers {
                match writer.try_wait().unwrap() {
                    None => left.push(writer),
                    Some(status) => {
                        let mut message = String::new();
                        writer.stderr.take().unwrap().read_to_string(&mut message).unwrap();
                        assert_eq!(status.code(), Some(1), "round {round}: {message}");
                        assert!(message.contains("another program is writing to it"), "round {round}: {message}");
                        refused += 1;
                    }
                }
            }
            writers = left;
        }
        assert_eq!((writers.len(), refused), (1, WRITERS - 1), "round {round}");
        // No process can replace the archive meanwhile.
        let mut replacing = spawn(room, &args(0));
        replacing.stdin.take().unwrap().write_all(b"1. h4 *\n").unwrap();
        let replacing = replacing.wait_with_output().unwrap();
        assert_eq!(replacing.status.code(), Some(1), "round {round}");
        assert!(String::from_utf8_lossy(&replacing.stderr).contains("another program is writing to it"));
        let mut writer = writers.pop().unwrap();
        let game = format!("[Round \"{round}\"]\n\n1. d4 d5 *\n");
        writer.stdin.take().unwrap().write_all(game.as_bytes()).unwrap();
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "round {round}: {}", String::from_utf8_lossy(&output.stderr));
        let archive = Archive::open(room.join("g.bga")).unwrap();
        assert_eq!(archive.len(), round + 2);
        assert_eq!(archive.game(round + 2).unwrap().tag("Round").unwrap(), Some(round.to_string()));
    }
}

#[test]
fn readers_during_an_import() {
    const READERS: u64 = 4;
    let folder = crate::common::tempdir().unwrap();
    let (source, target) = (folder.path().join("s.pgn"), folder.path().join("g.bga"));
    let games = lichess_text();
    let end = games.len() / 20;
    fs::write(&source, &games[..end]).unwrap();
    let options = ImportOptions { threads: 1, batch: 1, chunk_bytes: 8 << 10, ..ImportOptions::default() };
    let append = |target: &Path| append(&source, target, options.clone());
    let added = append(&target).stored;
    let archive = Archive::open(&target).unwrap();
    let expected: Vec<(u32, String)> = archive
        .games()
        .map(|game| game.unwrap())
        .map(|game| (game.plies(), game.position(game.plies()).unwrap().fen()))
        .collect();
    let digests: Vec<_> = archive.games().map(|game| game.unwrap().digest().unwrap()).collect();
    let total = number("SCORESHEET_READS", 40_000);
    let (done, commits, moves) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|reader| {
                let (target, expected, digests, moves) = (&target, &expected, &digests, &moves);
                scope.spawn(move || {
                    let mut random = Random::new(reader);
                    let mut archive = Archive::open(target).unwrap();
                    for read in 0..total / READERS {
                        if read.is_multiple_of(256) {
                            let (games, commit) = (archive.len(), archive.totals().unwrap().sequence);
                            let moved = archive.refresh().unwrap();
                            moves.fetch_add(u64::from(moved), Ordering::Relaxed);
                            let now = archive.totals().unwrap();
                            assert_eq!((now.games, archive.incomplete()), (archive.len(), None));
                            assert!(archive.len() >= games && now.sequence >= commit);
                            assert_eq!(moved, now.sequence > commit);
                        }
                        let number = 1 + random.below(archive.len() as usize) as u64;
                        let index = ((number - 1) % added) as usize;
                        let game = archive.game(number).unwrap();
                        assert_eq!(game.plies(), expected[index].0, "game {number}");
                        assert_eq!(game.position(game.plies()).unwrap().fen(), expected[index].1, "game {number}");
                        if read.is_multiple_of(64) {
                            assert_eq!(game.digest().unwrap(), digests[index], "game {number}");
                        }
                    }
                })
            })
            .collect();
        let writer = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let summary = append(&target);
                commits.store(summary.totals.sequence, Ordering::Relaxed);
            }
        });
        let ended: Vec<_> = readers.into_iter().map(|reader| reader.join()).collect();
        done.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        ended.into_iter().for_each(|reader| reader.unwrap());
    });
    let (commits, moves) = (commits.into_inner(), moves.into_inner());
    eprintln!("{total} reads by {READERS} readers, which moved on {moves} times, during {commits} commits");
    assert!(moves > 0 && commits > 10);
    let report = Archive::verify(&target, scoresheet::archive::Level::Full, |_| {}).unwrap();
    assert!(report.is_intact(), "{:?}", report.damage);
    // A reader does not follow the file to an earlier state, or to another archive.
    let mut archive = Archive::open(&target).unwrap();
    let games = archive.len();
    let replacement = folder.path().join("other.bga");
    fs::write(&source, "1. e4 *\n").unwrap();
    append(&replacement);
    fs::rename(&replacement, &target).unwrap();
    assert!(archive.refresh().unwrap_err().to_string().contains("another archive"));
    assert_eq!(archive.len(), games);
    assert!(archive.game(games).unwrap().digest().is_ok());
}

//! Interrupted commands leave nothing unfinished, report the interruption, and exit with the code of the signal.
#![cfg(unix)]

use crate::common::cli::{Room, many};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SIGNALS: [(&str, i32); 2] = [("-INT", 130), ("-TERM", 143)];

fn spawn(room: &Room, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
    command.args(args).current_dir(room.0.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    // The process may have ended.
    let _ = Command::new("kill").args([name, &child.id().to_string()]).stderr(Stdio::null()).status();
}

/// Returns every file of a folder and its subfolders, with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() {
            all.extend(files(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else if let Ok(bytes) = fs::read(&path) {
            all.insert(name, bytes);
        }
    }
    all
}

fn is_temporary(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|name| name.starts_with(".scoresheet-"))
}

fn temporary_is_there(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| is_temporary(&entry.file_name().to_string_lossy()))
}

/// The result of an interrupted command.
struct Done {
    code: Option<i32>,
    err: String,
}

/// Runs a command, and interrupts it some time after `begun` returns true.
fn interrupt(room: &Room, args: &[&str], name: &str, begun: impl Fn() -> bool, after: Duration) -> Done {
    let mut child = spawn(room, args);
    let start = Instant::now();
    while !begun() && child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(60), "{args:?}");
        std::thread::sleep(Duration::from_micros(300));
    }
    std::thread::sleep(after);
    signal(&child, name);
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    Done { code: child.wait().unwrap().code(), err }
}

/// Returns a folder with a PGN file and two archives of many games, one of them damaged.
fn room() -> Room {
    let room = Room::new();
    room.write("n.pgn", many(40_000));
    room.fine(&["import", "n.pgn", "-o", "a.bga", "-q"]);
    for copy in ["c.bga", "d.bga"] {
        fs::copy(room.path("a.bga"), room.path(copy)).unwrap();
    }
    room.fine(&["merge", "a.bga", "c.bga", "d.bga", "-o", "b.bga", "-q"]);
    for copy in ["c.bga", "d.bga"] {
        fs::remove_file(room.path(copy)).unwrap();
    }
    room
}

/// Removes the output of a command, except an archive that it replaced.
fn clear(room: &Room, out: &str) {
    let _ = fs::remove_dir_all(room.path("parts"));
    if out != "a.bga" {
        let _ = fs::remove_file(room.path(out));
        let _ = fs::remove_file(room.path("out.bgi"));
    }
}

#[test]
fn an_interrupted_command_leaves_nothing_unfinished() {
    let room = room();
    // The file of a finished run, and the command.
    let commands: [(&str, &[&str]); 11] = [
        ("out.bga", &["merge", "a.bga", "b.bga", "-o", "out.bga", "-q"]),
        ("out.bga", &["eco", "a.bga", "--write", "-o", "out.bga", "-q"]),
        ("out.bga", &["compact", "b.bga", "-o", "out.bga", "-q"]),
        ("out.bga", &["pack", "a.bga", "-o", "out.bga", "-q"]),
        ("out.bga", &["repair", "b.bga", "-o", "out.bga", "-q"]),
        ("out.bga", &["find", "b.bga", "--moves", "e4", "-o", "out.bga"]),
        ("out.bga", &["dedupe", "a.bga", "b.bga", "-o", "out.bga", "-q"]),
        ("out.pgn.zst", &["export", "b.bga", "-o", "out.pgn.zst", "-q"]),
        ("parts/b-1.bga", &["split", "b.bga", "--count", "30000", "-o", "parts", "-q"]),
        ("b.bgp", &["index", "b.bga", "--positions", "--memory", "1", "-q"]),
        ("a.bga", &["import", "n.pgn", "n.pgn", "-o", "a.bga", "--force", "-q"]),
    ];
    let mut hit = BTreeMap::new();
    for (out, args) in commands {
        let folder = room.path(out).parent().unwrap().to_path_buf();
        let begun = || temporary_is_there(&folder);
        // The output without an interruption.
        room.fine(args);
        let complete = room.read(out);
        clear(&room, out);
        let mut before = files(room.0.path());
        // Repeat until each signal has come in time, because the machine may be busy or fast.
        for (round, milliseconds) in [0, 4, 25, 0, 90].into_iter().chain([0; 35]).enumerate() {
            let (name, code) = SIGNALS[round % 2];
            if round > 4 && SIGNALS.iter().all(|(_, code)| hit.contains_key(&(args[0], *code))) {
                break;
            }
            let done = interrupt(&room, args, name, begun, Duration::from_millis(milliseconds));
            let mut after = files(room.0.path());
            let left: Vec<&String> = after.keys().filter(|name| is_temporary(name)).collect();
            assert!(left.is_empty(), "{args:?} after {milliseconds} ms: {left:?}");
            if done.code == Some(0) {
                // The command ended before the signal.
                if out == "a.bga" {
                    before = after;
                    continue;
                }
            } else {
                *hit.entry((args[0], code)).or_insert(0) += 1;
                assert_eq!(done.code, Some(code), "{args:?}: {}", done.err);
                let last = done.err.lines().last().unwrap_or_default();
                assert!(last.starts_with("scoresheet: interrupted: "), "{args:?}: {}", done.err);
                // Completed parts stay, with the right content.
                for part in after.keys().filter(|name| name.starts_with("parts/") && name.ends_with(".bga")) {
                    assert!(room.fine(&["verify", part]).contains("intact"), "{part}");
                }
                after.retain(|name, _| !name.starts_with("parts/"));
                // A file is complete once it has its name; its index may come too late, or just in time.
                if !before.contains_key(out)
                    && let Some(bytes) = after.remove(out)
                {
                    assert!(bytes == complete, "{args:?}: half a file");
                    if out.ends_with(".bga") && after.remove(&out.replace(".bga", ".bgi")).is_some() {
                        assert!(room.fine(&["verify", out]).contains("intact"), "{args:?}: the index");
                    }
                }
                assert!(after == before, "{args:?}: {:?}", after.keys());
            }
            clear(&room, out);
        }
    }
    for (_, args) in commands {
        for (_, code) in SIGNALS {
            assert!(hit.contains_key(&(args[0], code)), "{} was never interrupted in time: {hit:?}", args[0]);
        }
    }
}

/// Commands that only read or compute also end, and report it.
#[test]
fn commands_that_write_no_archive_end_too() {
    let room = room();
    let before = files(room.0.path());
    let system = room.path("system");
    fs::create_dir(&system).unwrap();
    for (name, code) in SIGNALS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        let command = command.args(["bench", "n.pgn", "--no-zstd", "--report", "r.html"]).env("TMPDIR", &system);
        let command = command.current_dir(room.0.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        while !temporary_is_there(&system) {
            std::thread::sleep(Duration::from_millis(1));
        }
        signal(&child, name);
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{err}");
        assert!(err.ends_with("scoresheet: interrupted: unfinished files have been removed\n"), "{err}");
        assert!(files(room.0.path()) == before);
        assert_eq!(fs::read_dir(&system).unwrap().count(), 0);
    }
}

/// A new archive stays at its last commit, or is missing if it had none.
#[test]
fn an_interrupted_import_leaves_its_last_commit() {
    let room = Room::new();
    room.write("n.pgn", many(60_000));
    let is_there = || room.path("g.bga").exists();
    let mut hit = 0;
    for (round, milliseconds) in [0, 30, 120, 300, 60, 0].into_iter().enumerate() {
        for file in ["g.bga", "g.bgi"] {
            let _ = fs::remove_file(room.path(file));
        }
        let (name, code) = SIGNALS[round % 2];
        let args = ["import", "n.pgn", "-o", "g.bga", "--batch", "1", "-q", "--threads", "1"];
        let done = interrupt(&room, &args, name, is_there, Duration::from_millis(milliseconds));
        if done.code == Some(0) {
            continue;
        }
        hit += 1;
        assert_eq!(done.code, Some(code), "{}", done.err);
        assert!(done.err.lines().last().unwrap().starts_with("scoresheet: interrupted: "), "{}", done.err);
        assert!(!temporary_is_there(room.0.path()));
        if is_there() {
            assert!(room.fine(&["verify", "g.bga"]).contains("intact"));
            assert_eq!(room.names(), ["g.bga", "g.bgi", "n.pgn"]);
        } else {
            assert_eq!(room.names(), ["n.pgn"]);
        }
    }
    assert!(hit > 0);
}

/// The second signal does not wait, and also leaves the archive at its last commit.
#[test]
fn the_second_signal_ends_an_import_at_once() {
    let room = Room::new();
    room.write("n.pgn", many(12_000));
    let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
    let command = command.args(["import", "n.pgn", "-", "-o", "g.bga", "--batch", "1"]).current_dir(room.0.path());
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The import first examines all its sources, and in the end waits for more of the last one.
    let mut input = child.stdin.take().unwrap();
    input.write_all(&many(3_000).as_bytes()[..60_000]).unwrap();
    while !room.path("g.bga").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut err = child.stderr.take().unwrap();
    let mut output = Vec::new();
    let read_line = |output: &mut Vec<u8>, err: &mut dyn Read| {
        let mut byte = [0];
        while err.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
            output.push(byte[0]);
        }
    };
    signal(&child, "-INT");
    read_line(&mut output, &mut err);
    assert!(String::from_utf8_lossy(&output).contains("stopping"), "{output:?}");
    signal(&child, "-TERM");
    let mut rest = String::new();
    err.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143), "{rest}");
    drop(input);
    assert_eq!(rest, "scoresheet: interrupted: the archive stays at its last commit\n");
    assert!(!temporary_is_there(room.0.path()));
    assert!(room.fine(&["verify", "g.bga"]).contains("intact"));
}

/// Supervisors send a single SIGTERM, also to a program whose input never comes.
#[test]
fn an_import_that_waits_for_input_ends_after_sigterm() {
    let room = Room::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
    child.args(["import", "-", "-o", "x.bga"]).current_dir(room.0.path());
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(many(3).as_bytes()).unwrap();
    input.flush().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "-TERM");
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(40), "the import waits for ever");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(!temporary_is_there(room.0.path()));
    drop(input);
}

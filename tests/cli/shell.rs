//! `scoresheet shell`: archives and formats are filled in, errors do not end the prompt, and Ctrl-C stops a command.

use crate::common::cli::{Done, Room};
use std::process::{Command, Stdio};

/// Runs the lines without a terminal.
fn shell(room: &Room, args: &[&str], lines: &str) -> Done {
    room.run_with(&[&["shell"], args].concat(), lines)
}

#[test]
fn a_line_gives_the_answer_of_its_command() {
    let room = Room::with_archive();
    room.write("mine.pgn", "1. e4 e5 *\n");
    for (line, direct) in [
        ("list", "list g.bga"),
        ("list --where 'white ~ Adler' --json", "list g.bga --where white~Adler --json"),
        ("show 2", "show g.bga 2"),
        ("fen 1:3", "fen g.bga 1:3"),
        ("find --moves e4 --count", "find g.bga --moves e4 --count"),
        ("tree", "tree g.bga"),
        ("stats --by result", "stats g.bga --by result"),
        ("player Adler", "player g.bga Adler"),
        ("opening --moves e4", "opening g.bga --moves e4"),
        ("repertoire mine.pgn --side white", "repertoire mine.pgn g.bga --side white"),
        ("event Endgame", "event g.bga Endgame"),
        ("eco", "eco g.bga"),
        ("dedupe", "dedupe g.bga"),
        ("export --games 2", "export g.bga --games 2"),
        ("info", "info g.bga"),
        ("inspect", "inspect g.bga"),
        ("verify", "verify g.bga"),
        ("position startpos", "position startpos"),
        ("scoresheet list g.bga", "list g.bga"),
        ("list --help", "list --help"),
        ("help list", "help list"),
        ("list -- g.bga", "list -- g.bga"),
    ] {
        let (prompt, direct) = (shell(&room, &["g.bga"], line), room.run(&direct.split(' ').collect::<Vec<_>>()));
        assert_eq!((prompt.code, &prompt.out), (direct.code, &direct.out), "{line}: {}", prompt.err);
        assert_eq!(prompt.err, direct.err, "{line}");
    }
}

#[test]
fn errors_do_not_end_the_prompt_but_set_the_exit_code() {
    let room = Room::with_archive();
    std::fs::copy(room.path("g.bga"), room.path("copy.bga")).unwrap();
    room.fine(&["merge", "g.bga", "copy.bga", "-o", "h.bga", "-q"]);
    let lines = "lst\nshow 99\n\n# remark\nopen none.bga\nuse none.bga\nformat xml\nshell\narchives x\nlist --count\n";
    let done = shell(&room, &["g.bga"], lines);
    assert_eq!((done.code, &*done.out), (Some(1), "3\n"), "{}", done.err);
    for said in ["'lst'", "99", "none.bga", "xml", "this is the prompt", "archives: list the open archives"] {
        assert!(done.err.contains(said), "{said}: {}", done.err);
    }
    // Two archives: commands for one need a choice; a named archive is read alone.
    let lines =
        "open h.bga\narchives\nlist --count\nlist h.bga --count\nshow 4\nuse h.bga\nfen 4:0\nclose g.bga\narchives\n";
    let done = shell(&room, &["g.bga"], lines);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(done.out, format!("g.bga\nh.bga\n9\n6\n{start}\nh.bga\n"), "{}", done.err);
    assert!(done.err.contains("show takes one archive, and 2 are open"), "{}", done.err);
    // If one of several archives is not open, none is closed, and the choice stays.
    let lines = "open h.bga copy.bga\nuse h.bga\nclose g.bga none.bga\narchives\nfen 4:0\nclose g.bga\nfen 4:0\n";
    let done = shell(&room, &["g.bga"], lines);
    assert_eq!(done.out, format!("g.bga\nh.bga\ncopy.bga\n{start}\n{start}\n"), "{}", done.err);
    // A line that is not closed continues; `quit` ends.
    let done = shell(&room, &["g.bga"], "list --where 'white ~ \"Adler\"\n' --count\nquit\nlist --count\n");
    assert_eq!((done.code, &*done.out), (Some(0), "1\n"), "{}", done.err);
    room.fails(&["shell", "none.bga"], 1, &["none.bga"]);
    assert_eq!(shell(&room, &[], "list\n").code, Some(1));
}

#[test]
fn answers_have_the_format_that_was_set() {
    let room = Room::with_archive();
    let lines = "list\nformat csv\nformat\nlist --limit 1\nstats --by result\nformat json\nstats\nlist --count\nlist --limit 1\n";
    let done = shell(&room, &["g.bga"], lines);
    let of = |args: &str| room.fine(&args.split(' ').collect::<Vec<_>>());
    let expected = [
        of("list g.bga"),
        "csv\n".to_owned(),
        of("list g.bga --limit 1 --format csv"),
        of("stats g.bga --by result --format csv"),
        of("stats g.bga --json"),
        of("list g.bga --count"),
        of("list g.bga --limit 1 --json"),
    ];
    assert_eq!(done.out, expected.concat(), "{}", done.err);
    let done = shell(&room, &["g.bga", "--format", "json"], "list --limit 1\n");
    assert_eq!(done.out, of("list g.bga --limit 1 --json"));
}

#[test]
fn commands_that_change_the_archive_are_seen_at_once() {
    let room = Room::with_archive();
    room.write("new.pgn", "[White \"New\"]\n\n1. c4 *\n");
    let lines = "list --count\nimport new.pgn --append -q\nlist --count\ndelete --games 1 -q\nlist --count\n";
    let done = shell(&room, &["g.bga"], lines);
    assert_eq!((done.code, &*done.out), (Some(0), "3\n4\n3\n"), "{}", done.err);
}

/// Types keys at a terminal, one after the other.
#[cfg(unix)]
const KEYS: &str = r#"
until(b"g.bga> ")
# A command, its argument, and a player, each completed; then the answer.
press(b"play\t")
until(b"player ")
press(b"Adl\t")
until(b"'Adler, A' ")
press(b"--json\r")
until(b'"names":')
until(b"g.bga> ")
# Within a filter, and on a second line.
press(b"list --count --where 'black ~ \"Adl\t")
until(b'"Adler, A"')
press(b"\r")
until(b"\n")
press(b"'\r")
until(b"\n1\r\n")
until(b"g.bga> ")
# A command that waits for input ends with Ctrl-C, and the prompt stays.
press(b"position -\r")
until(b"interrupted", b"\x03")
until(b"g.bga> ")
# Ctrl-C discards a line; an earlier line comes back.
press(b"nonsense\x03")
until(b"g.bga> ")
press(b"\x1b[A\x1b[A\r")
until(b"\n1\r\n")
until(b"g.bga> ")
press(b"\x04")
"#;

#[cfg(unix)]
#[test]
fn a_terminal_completes_words_and_stops_commands() {
    let room = Room::with_archive();
    let variables = [("SCORESHEET_CONFIG", ""), ("SCORESHEET_HISTORY", "lines"), ("TERM", "xterm"), ("PAGER", "")];
    if !room.at_terminal(&["shell", "g.bga"], &variables, KEYS) {
        return;
    }
    // The history has one entry for each line.
    let history = String::from_utf8(room.read("lines")).unwrap();
    assert!(history.contains("position -\n") && !history.contains("nonsense"), "{history}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_script() {
    use std::io::{Read, Write};
    use std::os::unix::process::CommandExt;
    let room = Room::with_archive();
    let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
    command.args(["shell", "g.bga"]).current_dir(room.0.path()).env("SCORESHEET_CONFIG", "").process_group(0);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"list --count\n").unwrap();
    let mut first = [0; 2];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    let signalled = Command::new("kill").args(["-INT", "--", &format!("-{}", child.id())]).status().unwrap();
    assert!(signalled.success() && &first == b"3\n");
    // A signal between lines is seen at the next line; the prompt may have ended before.
    std::thread::sleep(std::time::Duration::from_millis(200));
    let _ = input.write_all(b"list --count\n");
    drop(input);
    let mut rest = String::new();
    child.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
    assert_eq!((child.wait().unwrap().code(), &*rest), (Some(130), ""));
}

//! If the system refuses memory, every command ends with a message and an exit code.

use crate::common::cli::{Room, many};
use crate::outputs::commands_in;
use std::collections::BTreeSet;
use std::process::{Command, Output};

/// One line per command. `n*` are new files.
const COMMANDS: &[&str] = &[
    "import s.pgn -o n1.bga --force",
    "merge g.bga p.bga -o n2.bga --force",
    "split g.bga --count 900 -o n3/ --force",
    "pack g.bga -o n4.bga --force",
    "unpack p.bga -o n5.bga --force",
    "list g.bga",
    "show g.bga 5",
    "view g.bga",
    #[cfg(feature = "shell")]
    "shell g.bga",
    "info g.bga --digest",
    "fen g.bga 5:3",
    "find g.bga --moves e4",
    "tree g.bga",
    "stats g.bga",
    "stats g.bga --positions",
    "player g.bga Adler",
    "opening g.bga --moves e4",
    "eco g.bga",
    "sample g.bga 50",
    "set c1.bga Event=X --all -y",
    "rename c2.bga Adler Bdler --dry-run",
    "edit c3.bga 3 --from one.pgn",
    "delete c4.bga 7",
    "undelete c5.bga 7",
    "describe c5.bga --title t",
    "replace c6.bga 7 one.pgn",
    "dedupe g.bga",
    "export p.bga",
    "export p.bga --format plain --skip duplicate --shuffle 1",
    "book g.bga -o n6.bin --force",
    "event g.bga Casual",
    "repertoire one.pgn g.bga --side white",
    "prepare g.bga Adler -o n9.html --force",
    "verify g.bga",
    "repair d.bga -o n7.bga --force",
    "index g.bga --signatures --positions --tag-columns",
    "compact c7.bga -o n8.bga --force",
    "inspect g.bga",
    "bench one.pgn",
    "position startpos",
    "pcn show x.pcn",
    "pcn check x.pcn",
    "pcn convert x.pcn",
    "brenner encode one.pgn",
    "brenner decode 1",
    "brenner explain e4",
    "brenner sizes s.pgn",
    "completions bash",
    "man",
];

/// Returns whether a program ended at a request below 4 KiB. Rust's collections cannot handle a refusal of so little,
/// and its time depends on the system's memory layout.
fn is_small(text: &str) -> bool {
    let bytes = |rest: &str| rest.split(' ').next().and_then(|bytes| bytes.parse::<u64>().ok());
    text.split("memory allocation of ").skip(1).filter_map(bytes).any(|bytes| bytes < 4096)
}

/// Runs a command in an address space of this many KiB.
fn within(room: &Room, kilobytes: u64, args: &str) -> Output {
    let script = format!("ulimit -c 0; ulimit -v {kilobytes}; exec \"$0\" {args} < /dev/null");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_scoresheet")]).current_dir(room.0.path());
    shell.env_remove("RUST_BACKTRACE").output().unwrap()
}

#[test]
fn no_command_dies_for_want_of_memory() {
    let room = Room::new();
    let pgn = many(2500);
    room.write("s.pgn", &pgn);
    room.write("one.pgn", "[White \"Adler\"]\n\n1. e4 e5 *\n");
    room.fine(&["import", "s.pgn", "-o", "g.bga", "-q"]);
    room.fine(&["pack", "g.bga", "-o", "p.bga", "-q"]);
    room.fine(&["export", "g.bga", "--games", "2", "--format", "pcn", "-o", "x.pcn", "-q"]);
    let archive_bytes = room.read("g.bga");
    (1..8).for_each(|number| room.write(&format!("c{number}.bga"), &archive_bytes));
    let mut damaged = archive_bytes;
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    room.write("d.bga", damaged);
    // The list has every command.
    let mut expected: BTreeSet<String> = BTreeSet::new();
    for command in commands_in(&room.fine(&["--help"])) {
        let inner = commands_in(&room.fine(&[&command, "--help"]));
        expected.extend(inner.iter().map(|inner| format!("{command} {inner}")));
        expected.extend(inner.is_empty().then_some(command));
    }
    let listed = COMMANDS.iter().map(|args| {
        let words = if args.starts_with("pcn") || args.starts_with("brenner") { 2 } else { 1 };
        args.split(' ').take(words).collect::<Vec<_>>().join(" ")
    });
    assert_eq!(expected, listed.collect::<BTreeSet<String>>());
    // From the smallest size in which the program starts.
    let begins = |kilobytes: &u64| within(&room, *kilobytes, "--version").status.success();
    let Some(least) = (4..400).map(|step| step * 1024).find(begins) else { return };
    let refused = std::sync::atomic::AtomicU64::new(0);
    let run = |(args, more): (&str, u64)| {
        let done = within(&room, least + more, args);
        let (text, code) = (String::from_utf8_lossy(&done.stderr).into_owned(), done.status.code());
        if is_small(&text) {
            return;
        }
        assert!(matches!(code, Some(0..=5)), "{args}, {more} KiB more: {:?} {text}", done.status);
        // The standard library aborts if a thread has started and the stack for its signals is refused.
        let is_ours = text.contains("panicked") && !text.contains("alternative stack");
        assert!(!is_ours, "{args}, {more} KiB more: {text}");
        assert!(code == Some(0) || !text.trim().is_empty(), "{args}, {more} KiB more: nothing is said");
        // Too little memory is no damage. `verify` prints damage on standard output.
        let output = if args.starts_with("verify") { String::from_utf8_lossy(&done.stdout) } else { "".into() };
        let calls_damaged = [&*text, &*output].iter().any(|said| said.to_lowercase().contains("damage"));
        assert!(!calls_damaged || args.contains("d.bga"), "{args}, {more} KiB more: {text}{output}");
        let is_memory = ["memory", "resource", "thread"].iter().any(|word| text.contains(word));
        refused.fetch_add(u64::from(code != Some(0) && is_memory), std::sync::atomic::Ordering::Relaxed);
    };
    // Commands that share no file run side by side.
    std::thread::scope(|scope| {
        for part in COMMANDS.chunks(COMMANDS.len().div_ceil(2)) {
            let run = &run;
            scope.spawn(move || {
                for args in part {
                    [0, 128, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 9216, 14_336, 20_480]
                        .into_iter()
                        .for_each(|more| run((args, more)));
                }
            });
        }
    });
    // Most commands need more than the minimum.
    assert!(refused.into_inner() > COMMANDS.len() as u64 / 2);
}

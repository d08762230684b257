//! Output files: never an input, never another kind of file, private if their input is, and in the format of their
//! names.

use crate::common::cli::{PGN, Room};
use crate::common::number;
use std::collections::BTreeSet;
use std::fs;

/// A command that writes a file: its arguments, with `OUT` for the path, and its output option.
struct Writer {
    args: &'static str,
    option: &'static str,
}

/// Every option of every command that names an output file.
const WRITERS: &[Writer] = &[
    Writer { args: "import n.pgn -o OUT", option: "--output" },
    Writer { args: "import n.pgn -o new.bga --rejects OUT", option: "--rejects" },
    Writer { args: "list g.bga h.bga -o OUT", option: "--output" },
    Writer { args: "find g.bga h.bga --moves e4 -o OUT", option: "--output" },
    Writer { args: "book g.bga h.bga -o OUT", option: "--output" },
    Writer { args: "export g.bga h.bga -o OUT", option: "--output" },
    Writer { args: "export g.bga h.bga --format json -o OUT", option: "--output" },
    Writer { args: "export g.bga --original -o OUT", option: "--output" },
    Writer { args: "eco g.bga h.bga --write -o OUT", option: "--output" },
    Writer { args: "dedupe g.bga h.bga -o OUT", option: "--output" },
    Writer { args: "compact g.bga -o OUT", option: "--output" },
    Writer { args: "merge g.bga h.bga -o OUT", option: "--output" },
    Writer { args: "stats g.bga h.bga --report OUT", option: "--report" },
    Writer { args: "player g.bga h.bga a --report OUT", option: "--report" },
    Writer { args: "opening g.bga h.bga --moves e4 --report OUT", option: "--report" },
    Writer { args: "prepare g.bga h.bga Adler -o OUT", option: "--output" },
    Writer { args: "event g.bga Endgame --report OUT", option: "--report" },
    Writer { args: "sample g.bga h.bga 3 -o OUT", option: "--output" },
    Writer { args: "sample g.bga 3 --format json -o OUT", option: "--output" },
    Writer { args: "repair g.bga -o OUT", option: "--output" },
    Writer { args: "pcn convert d.pcn -o OUT", option: "--output" },
    Writer { args: "pack g.bga -o OUT", option: "--output" },
    Writer { args: "unpack g.bga -o OUT", option: "--output" },
    Writer { args: "bench n.pgn --report OUT", option: "--report" },
];
/// Options that name an output folder; a test below covers its files.
const FOLDERS: [(&str, &str); 2] = [("split", "--output"), ("man", "--dir")];
/// Commands that change an archive in place, or write beside it.
const IN_PLACE: [&str; 10] =
    ["import", "dedupe", "delete", "undelete", "replace", "index", "set", "rename", "edit", "describe"];
/// Options that name an input file.
const READ: [(&str, &str); 8] = [
    ("verify", "--against"),
    ("find", "--fens"),
    ("find", "--repertoire"),
    ("rename", "--list"),
    ("edit", "--from"),
    ("repair", "--from"),
    ("prepare", "--white"),
    ("prepare", "--black"),
];
/// Commands that write only to standard output.
const READERS: &[&str] = &[
    "show",
    "view",
    #[cfg(feature = "shell")]
    "shell",
    "fen",
    "tree",
    "position",
    "brenner encode",
    "brenner decode",
    "brenner explain",
    "brenner sizes",
    "pcn show",
    "pcn check",
    "info",
    "repertoire",
    "inspect",
    "verify",
    "completions",
];

const INPUTS: [&str; 12] =
    ["d.pcn", "n.pgn", "g.bga", "g.bgi", "g.bgs", "g.bgp", "g.bgh", "h.bga", "h.bgi", "h.bgs", "h.bgp", "h.bgh"];

/// A PGN file, and two archives of it with every kind of side file.
fn room() -> Room {
    let room = Room::new();
    room.write("n.pgn", PGN);
    for archive in ["g.bga", "h.bga"] {
        room.fine(&["import", "n.pgn", "-o", archive, "-q"]);
        room.fine(&["index", archive, "--signatures", "--positions", "--tag-columns", "-q"]);
    }
    room.fine(&["export", "g.bga", "--games", "2", "--format", "pcn", "-o", "d.pcn", "-q"]);
    room
}

fn contents(room: &Room) -> Vec<Vec<u8>> {
    INPUTS.iter().map(|name| room.read(name)).collect()
}

/// Returns the commands that a help text lists.
pub fn commands_in(help: &str) -> Vec<String> {
    // The program's commands are grouped by job; the groups end with the options.
    let begins = |line: &str| matches!(line, "Commands:" | "Make and export archives:");
    let lines = help.lines().skip_while(|line| !begins(line)).skip(1).take_while(|line| *line != "Options:");
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

/// Fails if a command or an option is missing in the lists above.
#[test]
fn every_command_that_writes_is_in_the_table() {
    let room = Room::new();
    let mut commands: BTreeSet<String> = BTreeSet::new();
    for command in commands_in(&room.fine(&["--help"])) {
        // A command may have subcommands.
        let inner = commands_in(&room.fine(&[&command, "--help"]));
        commands.extend(inner.iter().map(|inner| format!("{command} {inner}")));
        commands.extend(inner.is_empty().then_some(command));
    }
    assert!(commands.len() > 20, "{commands:?}");
    let of = |args: &'static str| match args.strip_prefix("pcn ") {
        Some(rest) => &args[..4 + rest.find(' ').unwrap()],
        None => args.split(' ').next().unwrap(),
    };
    let writers = WRITERS.iter().map(|writer| of(writer.args)).chain(FOLDERS.map(|(command, _)| command));
    let listed: BTreeSet<String> = writers.chain(IN_PLACE).chain(READERS.iter().copied()).map(str::to_owned).collect();
    assert_eq!(commands, listed);
    let mut options = BTreeSet::new();
    for command in &commands {
        let args: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        for word in room.fine(&args).lines().map(str::trim_start).filter(|line| line.starts_with('-')) {
            let mut parts = word.split_whitespace().skip_while(|part| !part.starts_with("--"));
            let (Some(option), Some(value)) = (parts.next(), parts.next()) else { continue };
            // One folder of caches, and one list of names, for all commands.
            if !["--index-dir", "--aliases"].contains(&option)
                && ["FILE", "FOLDER", "DIR", "ARCHIVE", "PATH"].iter().any(|name| value.contains(name))
            {
                options.insert((command.to_string(), option.to_owned()));
            }
        }
    }
    let known = WRITERS.iter().map(|writer| (of(writer.args), writer.option)).chain(FOLDERS).chain(READ);
    let known: BTreeSet<(String, String)> =
        known.map(|(command, option)| (command.to_owned(), option.to_owned())).collect();
    assert_eq!(options, known);
}

/// The names that can denote an input.
fn names(room: &Room, input: &str) -> Vec<String> {
    let mut names = vec![input.to_owned(), format!("./{input}"), format!("../{}/{input}", folder(room))];
    let links = ["hard", "soft"].map(|kind| format!("{kind}-{}", input.replace('.', "-")));
    if !room.path(&links[0]).exists() {
        fs::hard_link(room.path(input), room.path(&links[0])).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(input, room.path(&links[1])).unwrap();
    }
    // On other systems a file is known only by its path.
    if cfg!(unix) {
        names.extend(links);
    }
    names
}

fn folder(room: &Room) -> String {
    room.0.path().file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn no_output_is_an_input() {
    let room = room();
    let before = contents(&room);
    let (mut cases, every) = (0, number("SCORESHEET_SHARE", 4));
    for Writer { args, .. } in WRITERS {
        let words: Vec<&str> = args.split(' ').collect();
        let reads = |name: &&&str| words.contains(name) || words.contains(&format!("{}.bga", &name[..1]).as_str());
        for input in INPUTS.iter().filter(reads) {
            for name in names(&room, input) {
                for force in [false, true] {
                    cases += 1;
                    if cases % every != 0 {
                        continue;
                    }
                    let mut args: Vec<&str> =
                        words.iter().map(|word| if *word == "OUT" { &name } else { *word }).collect();
                    args.extend(force.then_some("--force"));
                    let done = room.run(&args);
                    assert_eq!(done.code, Some(1), "{args:?}: {}{}", done.out, done.err);
                    let is_refused =
                        ["is both input and output", "that is being read"].iter().any(|what| done.err.contains(what));
                    assert!(is_refused, "{args:?}: {}", done.err);
                    assert!(contents(&room) == before, "{args:?}");
                }
            }
        }
    }
    assert!(!room.names().iter().any(|name| name.starts_with('.') || name.starts_with("new")), "{:?}", room.names());
}

#[test]
fn no_archive_is_its_own_input() {
    let room = room();
    let before = contents(&room);
    for name in names(&room, "n.pgn") {
        for how in ["--append", "--force", "--resume"] {
            room.fails(&["import", "n.pgn", "-o", &name, how], 1, &["is both input and output"]);
        }
        // The index of that archive would overwrite the source.
        fs::rename(room.path("g.bgi"), room.path("kept")).unwrap();
        fs::hard_link(room.path("n.pgn"), room.path("g.bgi")).unwrap();
        room.fails(&["import", &name, "-o", "g.bga", "--append"], 1, &["is both input and output"]);
        room.fails(&["replace", "g.bga", "1", &name], 1, &["is both input and output"]);
        fs::rename(room.path("kept"), room.path("g.bgi")).unwrap();
    }
    for name in names(&room, "g.bga").iter().chain(&names(&room, "g.bgi")) {
        room.fails(&["import", "n.pgn", "-o", "g.bga", "--force", "--rejects", name], 1, &["would be written twice"]);
        room.fails(&["import", "n.pgn", "-o", "g.bga", "--append", "--rejects", name], 1, &["would be written twice"]);
    }
    for name in names(&room, "g.bga") {
        room.fails(&["replace", "g.bga", "1", &name], 1, &["is both input and output"]);
    }
    let again = fs::File::open(room.path("n.pgn")).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_scoresheet"));
    let command = command.args(["import", "-", "-o", "n.pgn", "--force"]).current_dir(room.0.path()).stdin(again);
    let done = command.output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    if cfg!(unix) {
        let message = String::from_utf8(done.stderr).unwrap();
        assert!(message.contains("is both input and output"), "{message}");
    }
    assert!(contents(&room) == before);
}

#[test]
fn parts_and_pages_replace_nothing_else() {
    let room = room();
    let before = contents(&room);
    // A part with the name of the archive, or of a link to it.
    fs::create_dir(room.path("parts")).unwrap();
    fs::hard_link(room.path("g.bga"), room.path("parts/g-2.bga")).unwrap();
    for force in [&[][..], &["--force"]] {
        for by in [["--count", "1"], ["--bytes", "1M"]] {
            let name = if by[0] == "--count" { "g-2" } else { "g-1" };
            let _ = fs::rename(room.path("parts/g-2.bga"), room.path(&format!("parts/{name}.bga")));
            let args = [&["split", "g.bga", "-o", "parts", by[0], by[1]], force].concat();
            if cfg!(unix) {
                room.fails(&args, 1, &["is both input and output"]);
            }
            assert_eq!(fs::read_dir(room.path("parts")).unwrap().count(), 1, "{args:?}");
            let _ = fs::rename(room.path(&format!("parts/{name}.bga")), room.path("parts/g-2.bga"));
        }
    }
    fs::create_dir(room.path("pages")).unwrap();
    room.write("pages/scoresheet-list.1", PGN);
    room.fails(&["man", "--dir", "pages"], 1, &["scoresheet-list.1 is PGN, and a manual page would replace it"]);
    assert_eq!(fs::read_dir(room.path("pages")).unwrap().count(), 1);
    fs::remove_file(room.path("pages/scoresheet-list.1")).unwrap();
    for _ in 0..2 {
        room.fine(&["man", "--dir", "pages"]);
    }
    assert!(fs::read_dir(room.path("pages")).unwrap().count() > 20);
    assert!(contents(&room) == before);
}

/// Side files are written without a request, so a file under their name must be of the right kind.
#[test]
fn what_is_no_side_file_is_not_replaced_by_one() {
    let room = room();
    room.write("x.pgn", PGN);
    let archive = room.read("g.bga");
    for (option, side) in
        [("", "g.bgi"), ("--signatures", "g.bgs"), ("--positions", "g.bgp"), ("--tag-columns", "g.bgh")]
    {
        let kept = room.read(side);
        let index = ["index", "g.bga", option];
        let args = &index[..if option.is_empty() { 2 } else { 3 }];
        for bytes in
            [PGN.as_bytes(), &archive, b"{\"a\": 1}", &room.read(if side == "g.bgs" { "g.bgp" } else { "g.bgs" })]
        {
            room.write(side, bytes);
            room.fails(args, 1, &[side, "would replace it"]);
            if side == "g.bgi" {
                room.fails(&["delete", "g.bga", "--games", "1"], 1, &["g.bgi is "]);
                room.fails(&["undelete", "g.bga", "--all"], 1, &["g.bgi is "]);
                room.fails(&["describe", "g.bga", "--title", "t"], 1, &["g.bgi is "]);
                room.fails(&["replace", "g.bga", "1", "x.pgn"], 1, &["g.bgi is "]);
                room.fails(&["dedupe", "g.bga", "--delete"], 1, &["g.bgi is "]);
                room.fails(&["import", "x.pgn", "-o", "g.bga", "--append"], 1, &["g.bgi is "]);
                room.fails(&["merge", "h.bga", "-o", "g.bga", "--force"], 1, &["g.bgi is "]);
            }
            assert_eq!(room.read(side), bytes);
        }
        // A damaged side file is a cache, and is rebuilt; so is an empty one.
        for damaged in [&b"\0\x01\x02\x03 no magic"[..], b""] {
            room.write(side, damaged);
            room.fine(args);
            assert!(room.read(side) == kept, "{side}");
        }
    }
    assert!(room.read("g.bga") == archive);
    // Another archive replaces it: the old side files are removed, and foreign files stay.
    room.write("g.bgs", "mine");
    room.fine(&["merge", "h.bga", "g.bga", "-o", "t.bga", "-q"]);
    room.fine(&["merge", "t.bga", "-o", "g.bga", "--force", "-q"]);
    assert_eq!(room.names().iter().filter(|name| name.starts_with("g.")).count(), 5, "{:?}", room.names());
    assert_eq!(room.read("g.bgs"), b"mine");
}

#[test]
fn what_a_name_says_is_written() {
    let room = room();
    let pgn = room.fine(&["export", "g.bga"]);
    for ending in [".pgn", ".pgn.zst", ".PGN.GZ", ".pgn.bz2", ".pgn.zip", ".zip"] {
        let name = format!("x{ending}");
        room.fine(&["export", "g.bga", "-o", &name, "-q"]);
        assert_eq!(room.read(&name).starts_with(b"["), ending == ".pgn", "{name}");
        room.fine(&["import", &name, "-o", "back.bga", "-q", "--force"]);
        assert_eq!(room.fine(&["export", "back.bga"]), pgn, "{name}");
        room.fine(&["export", "g.bga", "-o", &name, "-q", "--force"]);
    }
    for (args, words) in [
        (&["export", "g.bga", "-o", "x.bga"][..], &["`scoresheet list ARCHIVE -o x.bga`"][..]),
        (&["export", "g.bga", "-o", "x.BGA", "--force"], &["name is that of an archive"]),
        (&["export", "g.bga", "-o", "x.bgi"], &["name is that of the index of an archive"]),
        (&["export", "g.bga", "-o", "x.html"], &["name is that of an HTML page"]),
        (&["export", "g.bga", "-o", "x.pgn.xz"], &[".gz, .bz2, .zst or .zip"]),
        (&["export", "g.bga", "-o", "x.tar"], &[".gz, .bz2, .zst or .zip"]),
        (&["export", "g.bga", "-o", "y.pgn", "--format", "json"], &["would be JSON", "name is that of PGN"]),
        (&["export", "g.bga", "-o", "x.csv"], &["would be PGN"]),
        (&["export", "g.bga", "--original", "-o", "x.bga"], &["name is that of an archive"]),
        (&["book", "g.bga", "-o", "x.pgn"], &["would be an opening book"]),
        (&["stats", "g.bga", "--report", "y.pgn"], &["would be an HTML page"]),
        (&["list", "g.bga", "-o", "y.pgn"], &["`scoresheet export` writes PGN"]),
        (&["merge", "g.bga", "-o", "x.bga.gz"], &["already compressed"]),
        (&["import", "n.pgn", "-o", "y.pgn.gz"], &["already compressed"]),
        (&["import", "n.pgn", "-o", "y.pgn"], &["would be an archive"]),
        (&["import", "n.pgn", "-o", "y.bgi"], &["would be an archive"]),
        (&["import", "n.pgn", "-o", "y.bga", "--rejects", "z.bga"], &["name is that of an archive"]),
    ] {
        room.fails(args, 1, words);
    }
    assert!(!room.names().iter().any(|name| name.starts_with('y') || name.starts_with("x.b")), "{:?}", room.names());
}

#[test]
fn force_replaces_files_of_the_same_kind_alone() {
    let room = room();
    room.fine(&["book", "g.bga", "-o", "book.bin", "--min-games", "1"]);
    room.fine(&["stats", "g.bga", "--report", "page.html"]);
    room.fine(&["export", "g.bga", "--format", "json", "-o", "games.json"]);
    room.fine(&["export", "g.bga", "--format", "fen", "-o", "games.fen"]);
    room.fine(&["export", "g.bga", "-o", "games.pgn"]);
    room.fine(&["export", "g.bga", "-o", "packed.pgn.gz"]);
    room.fine(&["merge", "g.bga", "-o", "games.bga"]);
    room.write("photo", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    room.write("notes", "Remember the milk.\n");
    let held = [
        "book.bin",
        "page.html",
        "games.json",
        "games.fen",
        "games.pgn",
        "packed.pgn.gz",
        "games.bga",
        "photo",
        "notes",
    ];
    let writers = [
        (&["book", "g.bga", "--min-games", "1", "-o"][..], &["book.bin"][..]),
        (&["stats", "g.bga", "--report"], &["page.html"]),
        (&["export", "g.bga", "--format", "json", "-o"], &["games.json"]),
        (&["export", "g.bga", "--format", "uci", "-o"], &["games.fen", "notes"]),
        (&["export", "g.bga", "-o"], &["games.pgn", "packed.pgn.gz"]),
        (&["compact", "g.bga", "-o"], &["games.bga"]),
        (&["import", "n.pgn", "-q", "-o"], &["games.bga"]),
    ];
    for (args, replaceable) in writers {
        for (index, name) in held.iter().enumerate() {
            if name.ends_with(".gz") && ["compact", "import"].contains(&args[0]) {
                continue;
            }
            // A name without a format, so the existing file decides; a compressed file stays compressed.
            let (bytes, neutral) =
                (room.read(name), format!("n{index}{}", if name.ends_with(".gz") { ".gz" } else { "" }));
            room.write(&neutral, &bytes);
            let without = [args, &[&neutral]].concat();
            let with = [&without[..], &["--force"]].concat();
            room.fails(&without, 1, &["exists"]);
            assert!(room.read(&neutral) == bytes);
            if replaceable.contains(name) {
                room.fine(&with);
            } else {
                room.fails(&with, 1, &["would replace it: give another name, or remove it first"]);
                assert!(room.read(&neutral) == bytes, "{with:?}");
            }
            fs::remove_file(room.path(&neutral)).unwrap();
            let _ = fs::remove_file(room.path(&format!("{neutral}.bgi")));
        }
    }
    // An unrecognizable file is replaced if it has the right name, and an empty file under any name.
    room.write("broken.pgn", b"\0\x01");
    room.write("broken.bga", b"\0\x01");
    room.write("empty", b"");
    room.fine(&["export", "g.bga", "-o", "broken.pgn", "--force"]);
    room.fine(&["compact", "g.bga", "-o", "broken.bga", "--force"]);
    room.fine(&["stats", "g.bga", "--report", "empty", "--force"]);
    // An archive with a damaged first page is still recognized.
    let mut damaged = room.read("games.bga");
    damaged[..100].fill(0);
    room.write("damaged", &damaged);
    room.fails(&["export", "g.bga", "-o", "damaged", "--force"], 1, &["damaged is an archive"]);
    assert!(room.read("damaged") == damaged);
    room.fails(&["bench", "n.pgn", "--report", "page.html"], 1, &["already exists"]);
}

#[cfg(unix)]
#[test]
fn private_files_stay_private() {
    use std::os::unix::fs::PermissionsExt;
    let room = room();
    let set = |name: &str, mode| fs::set_permissions(room.path(name), fs::Permissions::from_mode(mode)).unwrap();
    let mode = |name: &str| fs::metadata(room.path(name)).unwrap().permissions().mode() & 0o777;
    let sides = ["g.bgi", "g.bgs", "g.bgp", "g.bgh"];
    set("g.bga", 0o600);
    let clear = || sides.iter().for_each(|side| fs::remove_file(room.path(side)).unwrap());
    clear();
    room.fine(&["index", "g.bga", "-q"]);
    room.fine(&["index", "g.bga", "--signatures", "--positions", "--tag-columns", "-q"]);
    assert_eq!(sides.map(mode), [0o600; 4]);
    for args in [
        &["delete", "g.bga", "--games", "1", "-q"][..],
        &["undelete", "g.bga", "--games", "1", "-q"],
        &["replace", "g.bga", "2", "n.pgn", "-q"],
        &["dedupe", "g.bga", "--delete", "-q"],
        &["import", "n.pgn", "-o", "g.bga", "--append", "-q"],
        &["import", "n.pgn", "-o", "g.bga", "--force", "-q"],
        &["merge", "h.bga", "-o", "g.bga", "--force", "-q"],
        &["compact", "h.bga", "-o", "g.bga", "--force", "-q"],
        &["pack", "h.bga", "-o", "g.bga", "--force", "-q"],
        &["repair", "h.bga", "-o", "g.bga", "--force", "-q"],
        &["eco", "h.bga", "--write", "-o", "g.bga", "--force", "-q"],
    ] {
        let _ = fs::remove_file(room.path("g.bgi"));
        room.fine(args);
        assert_eq!((mode("g.bga"), mode("g.bgi")), (0o600, 0o600), "{args:?}");
    }
    for (args, name) in [
        (&["export", "h.bga", "-o", "x.pgn", "-q"][..], "x.pgn"),
        (&["book", "h.bga", "-o", "x.bin", "-q", "--min-games", "1"], "x.bin"),
        (&["stats", "h.bga", "--report", "x.html"], "x.html"),
        (&["export", "h.bga", "--original", "-o", "y.pgn", "-q"], "y.pgn"),
    ] {
        room.fine(args);
        for private in [0o600, 0o640, 0o444] {
            set(name, private);
            room.fine(&[args, &["--force"]].concat());
            assert_eq!(mode(name), private, "{args:?}");
        }
    }
}

/// Every file that a command makes from private files is private: outputs, indexes, side files, and files in folders.
#[cfg(unix)]
#[test]
fn every_new_file_from_a_private_input_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folders = ["split g.bga --count 1 -o OUT", "export g.bga --split white -o OUT/"];
    let others = ["import - -o OUT <n.pgn", "import n.pgn -o OUT --index", "import d.pcn -o OUT", "merge h.bga -o OUT"];
    let room = room();
    let inputs = room.names();
    for name in &inputs {
        fs::set_permissions(room.path(name), fs::Permissions::from_mode(0o600)).unwrap();
    }
    for args in WRITERS.iter().map(|writer| writer.args).chain(folders).chain(others) {
        let script = format!("umask 022; exec \"$0\" {}", args.replace("OUT", "out"));
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_scoresheet")]).env("SCORESHEET_CONFIG", "");
        let done = command.current_dir(room.0.path()).output().unwrap();
        assert!(done.status.success(), "{args}: {}", String::from_utf8_lossy(&done.stderr));
        let mut made: Vec<_> =
            room.names().iter().filter(|name| !inputs.contains(name)).map(|n| room.path(n)).collect();
        if let Some(folder) = made.iter().position(|path| path.is_dir()).map(|folder| made.swap_remove(folder)) {
            made.extend(fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
        }
        assert!(!made.is_empty(), "{args}");
        for path in &made {
            let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{args}: {}", path.display());
            fs::remove_file(path).unwrap();
        }
        let _ = fs::remove_dir(room.path("out"));
    }
}

/// If the index cannot be written, for example on a full disk, the commit still counts, because the index is a cache.
#[test]
fn an_index_that_cannot_be_written_is_a_warning() {
    let room = room();
    let blocked = |archive: &str| {
        let index = room.path(&archive.replace(".bga", ".bgi"));
        let _ = fs::remove_file(&index);
        let _ = fs::create_dir(&index);
        fs::write(index.join("full"), "").unwrap();
    };
    blocked("g.bga");
    for (args, archive, said) in [
        (&["delete", "g.bga", "--games", "1"][..], "g.bga", "1 game deleted"),
        (&["replace", "g.bga", "2", "n.pgn"], "g.bga", "game 2 is now"),
        (&["import", "n.pgn", "-o", "g.bga", "--append"], "g.bga", "3 games seen"),
        (&["dedupe", "g.bga", "--delete"], "g.bga", "deleted"),
        (&["merge", "h.bga", "-o", "merged.bga"], "merged.bga", "3 games"),
        (&["pack", "h.bga", "-o", "packed.bga"], "packed.bga", "3 games"),
        (&["repair", "h.bga", "-o", "repaired.bga"], "repaired.bga", "3 games of 3 kept"),
        (&["import", "n.pgn", "-o", "new.bga"], "new.bga", "3 games seen"),
        (&["split", "h.bga", "--bytes", "1M", "-o", "."], "h-1.bga", "3 games"),
    ] {
        blocked(archive);
        let done = room.run(args);
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.err);
        assert!(done.err.contains(said), "{args:?}: {}", done.err);
        let warning = format!("scoresheet: warning: {archive} is complete, but without its index");
        assert!(
            done.err.lines().any(|line| line.contains(&warning.replace("h-1", "./h-1")) || line.contains(&warning)),
            "{args:?}: {}",
            done.err
        );
        // The old side files no longer belong to the archive, and `verify` reports this.
        for side in ["bgs", "bgp", "bgh"] {
            let _ = fs::remove_file(room.path(&archive.replace("bga", side)));
        }
        assert!(room.fine(&["verify", archive]).contains("intact"));
    }
    assert!(!room.names().iter().any(|name| name.starts_with('.')), "{:?}", room.names());
}

/// If a file is too large for the disk, there is one error, and no file.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_error_and_leaves_nothing() {
    let room = Room::new();
    // Larger than the buffers, with any compression.
    let games = crate::common::sample::lichess().display().to_string();
    room.fine(&["import", &games, "-o", "g.bga", "-q"]);
    let before = room.names();
    for ending in ["pgn", "pgn.zst", "pgn.gz", "pgn.bz2", "pgn.zip"] {
        // Ignore the signal, so the write fails instead.
        let script = "ulimit -f 8; exec \"$0\" export g.bga -o \"$1\" -q";
        let args = ["-c", script, env!("CARGO_BIN_EXE_scoresheet"), &format!("x.{ending}")];
        let done = std::process::Command::new("sh").args(args).current_dir(room.0.path()).output().unwrap();
        let message = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1), "{message}");
        assert!(message.starts_with(&format!("scoresheet: cannot write x.{ending}: ")), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert_eq!(room.names(), before);
    }
}

/// File names must not control the terminal.
#[cfg(unix)]
#[test]
fn escape_sequences_in_names_stay_out_of_the_terminal() {
    let room = room();
    let odd = "o\u{1b}[31md\u{9b}d\r";
    let [archive, pgn, folder] = ["bga", "pgn", "d"].map(|end| format!("{odd}.{end}"));
    room.write(&pgn, [PGN, crate::common::cli::FAULTY].concat());
    fs::create_dir(room.path(&folder)).unwrap();
    let (archive, pgn, folder) = (archive.as_str(), pgn.as_str(), folder.as_str());
    room.write("odd\u{1b}.pcn", room.read("d.pcn"));
    let bytes = room.read("g.bga");
    room.write("broken\u{1b}.bga", [&bytes[..bytes.len() - 300], &[0; 300]].concat());
    let commands: &[&[&str]] = &[
        &["verify", "broken\u{1b}.bga"],
        &["info", "broken\u{1b}.bga"],
        &["inspect", "broken\u{1b}.bga", "--bytes"],
        &["inspect", pgn],
        &["repair", "broken\u{1b}.bga", "-o", "whole.bga"],
        &["import", pgn, "-o", archive],
        &["import", pgn, "-o", archive],
        &["import", "missing\u{1b}", "-o", "x.bga"],
        &["import", folder, "-o", "x.bga"],
        &["import", pgn, "-o", "x\u{1b}.pgn"],
        &["import", "n.pgn", "-o", archive, "--rejects", pgn],
        &["brenner", "encode", pgn],
        &["brenner", "decode", pgn],
        &["list", archive, "g.bga"],
        &["list", "*\u{1b}*"],
        &["info", archive],
        &["inspect", archive],
        &["show", archive, "99"],
        &["find", archive, "g.bga", "--moves", "e4"],
        &["index", archive],
        &["index", archive, "--signatures", "--positions", "--tag-columns"],
        &["dedupe", archive, "g.bga"],
        &["delete", archive, "--games", "1"],
        &["undelete", archive, "--all"],
        &["replace", archive, "2", pgn],
        &["pcn", "check", "odd\u{1b}.pcn", "d.pcn", pgn],
        &["pcn", "show", "odd\u{1b}.pcn", "--moves"],
        &["export", archive, "-o", "z\u{1b}.pgn"],
        &["export", archive, "-o", "z\u{1b}.pgn"],
        &["export", archive, "-o", "z\u{1b}/x.pgn"],
        &["export", archive, "--original", "--source", "\u{1b}"],
        &["export", "g.bga", "--original", "-o", folder],
        &["book", archive, "-o", "z\u{1b}.bin"],
        &["stats", archive, "--report", "z\u{1b}.html"],
        &["merge", archive, "g.bga", "-o", "m\u{1b}.bga"],
        &["split", archive, "--count", "1", "-o", folder],
        &["pack", archive, "-o", "p\u{1b}.bga"],
        &["repair", archive, "-o", "r\u{1b}.bga"],
        &["verify", archive],
        &["verify", archive, "--against", pgn],
        &["bench", pgn, "--no-zstd", "-q"],
        &["man", "--dir", folder],
        &["li\u{1b}[31mst"],
        &["list", "g.bga", "--nothing\u{1b}[31m"],
        &["list", archive, "--where", "\u{1b}[31m"],
        &["fen", archive, "1:\u{1b}"],
    ];
    let mut escapes = Vec::new();
    for args in commands {
        let done = room.run(args);
        let control = |text: &str| text.chars().any(|letter| letter.is_control() && letter != '\n' && letter != '\t');
        if control(&done.out) || control(&done.err) {
            escapes.push((args, done.out, done.err));
        }
    }
    assert!(escapes.is_empty(), "{escapes:#?}");
}

/// The SAN of these games is that of chess, in every format.
#[test]
fn variants_that_only_end_early_have_the_san_of_chess() {
    let room = Room::new();
    let games = [
        ("King of the Hill", "7k/8/8/8/8/3K4/8/8 w - - 0 1", "1. Kd4 1-0", "Kd4"),
        ("Racing Kings", "8/8/8/8/8/2N3N1/k1B5/7K w - - 0 1", "1. Ne4 *", "Nce4"),
        ("Three-check", "6k1/8/8/8/8/8/8/R6K w - - 1+3 0 1", "1. Ra8+ 1-0", "Ra8+"),
    ];
    let pgn = games.map(|(variant, fen, moves, _)| {
        format!("[Variant \"{variant}\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{moves}\n\n")
    });
    room.write("v.pgn", pgn.concat());
    room.fine(&["import", "v.pgn", "-o", "v.bga", "-q"]);
    for (number, (.., san)) in (1..).zip(games) {
        for format in ["pgn", "san", "csv", "json"] {
            let text = room.fine(&["export", "v.bga", "--format", format, "--games", &number.to_string()]);
            let wanted = if format == "json" { format!("[\"{san}\"]") } else { format!("1. {san} ") };
            assert!(text.contains(&wanted), "{format}: {text}");
        }
    }
}

//! Conventions of command lines: default options from a file, colors, a pager, an exit code for no game, completion.

use crate::common::cli::Room;
#[cfg(target_os = "linux")]
use std::process::Command;

#[test]
fn a_file_has_default_options() {
    let room = Room::with_archive();
    room.write("config", "# Mine\nlist --columns white --limit 1\n");
    let list = |args: &[&str]| room.run_env(&[&["list", "g.bga"], args].concat(), &[("SCORESHEET_CONFIG", "config")]);
    assert_eq!(list(&[]).out, "Adler, A\n");
    // The command line takes precedence.
    assert_eq!(list(&["--limit", "2"]).out, "Adler, A\nBuche, Björn\n");
    assert_eq!(list(&["--no-config"]).out, room.fine(&["list", "g.bga"]));
    // Other commands ignore these options.
    assert_eq!(room.run_env(&["info", "g.bga"], &[("SCORESHEET_CONFIG", "config")]).code, Some(0));
    // Options for all commands count for the commands that have them.
    room.write("config", "* --limit 1 --columns white\n");
    assert_eq!(list(&[]).out, "Adler, A\n");
    let info = room.run_env(&["info", "g.bga"], &[("SCORESHEET_CONFIG", "config")]);
    assert_eq!((info.code, info.out), (Some(0), room.fine(&["info", "g.bga"])));
    // A value may begin with a hyphen, an option that contradicts the command line is left out, and the help needs none.
    room.write("config", "\u{feff}list --columns white --sort -white\n* --threads 1\n");
    assert_eq!(list(&["--limit", "1"]).out, "Ce\n");
    assert_eq!(list(&["-o", "sorted.bga"]).code, Some(0));
    let help = room.run_env(&["help", "list"], &[("SCORESHEET_CONFIG", "config")]);
    assert_eq!((help.code, help.out), (Some(0), room.fine(&["help", "list"])));
    // The standard folder for settings.
    std::fs::create_dir(room.path("scoresheet")).unwrap();
    room.write("scoresheet/config", "* --limit 1\nlist --columns black\n");
    let settings = room.path("").to_str().unwrap().to_owned();
    let folder = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_scoresheet"));
    command.args(["list", "g.bga"]).current_dir(room.path("")).env(folder, settings).env_remove("SCORESHEET_CONFIG");
    command.assert().success().stdout("Buche, Björn\n");
}

#[test]
fn a_faulty_file_of_options_is_reported() {
    let room = Room::with_archive();
    for (text, said) in [
        ("list --limit 'one", "config, line 1: missing closing '"),
        ("\nlits --limit 1", "config, line 2: there is no command lits"),
        ("list g.bga", "config, line 1: g.bga is not an option"),
        ("* --limmit 3", "config, line 1: no command has the option --limmit"),
        ("list --colour", "some of these options come from config (--no-config ignores it)"),
    ] {
        room.write("config", text);
        let done = room.run_env(&["list", "g.bga"], &[("SCORESHEET_CONFIG", "config")]);
        assert_eq!(done.code, Some(2), "{text}: {}", done.err);
        assert!(done.err.contains(said), "{text}: {}", done.err);
        let without = room.run_env(&["list", "g.bga", "--no-config"], &[("SCORESHEET_CONFIG", "config")]);
        assert_eq!(without.code, Some(0), "{text}: {}", without.err);
    }
    let missing = room.run_env(&["list", "g.bga"], &[("SCORESHEET_CONFIG", "missing")]);
    assert!(missing.code == Some(2) && missing.err.contains("missing"), "{}", missing.err);
}

#[test]
fn colours_are_for_terminals_or_on_request() {
    let room = Room::with_archive();
    let list = |color: &[&str]| room.fine(&[&["list", "g.bga", "--format", "table"], color].concat());
    let plain = list(&[]);
    assert!(!plain.contains('\x1b'), "{plain}");
    assert_eq!(list(&["--color", "never"]), plain);
    let colored = list(&["--color", "always"]);
    assert!(colored.starts_with("\x1b[1m"), "{colored}");
    assert_eq!(colored.replace("\x1b[1m", "").replace("\x1b[0m", ""), plain);
    // Pipes get plain values.
    assert!(!room.fine(&["list", "g.bga", "--color", "always", "--format", "csv"]).contains('\x1b'));
    // Faults of the command line follow the option too.
    let fault = |color| room.run(&["list", "--nothing", "--color", color]).err;
    assert!(fault("always").contains('\x1b') && !fault("never").contains('\x1b'));
}

#[test]
fn no_game_is_a_failure_on_request() {
    let room = Room::with_archive();
    for (args, code) in [
        (&["find", "g.bga", "--moves", "a4"][..], 0),
        (&["find", "g.bga", "--moves", "a4", "--exit-status"], 1),
        (&["find", "g.bga", "--moves", "e4", "--exit-status"], 0),
        (&["find", "g.bga", "--moves", "a4", "--count", "--exit-status"], 1),
        (&["list", "g.bga", "--where", "elo > 3000", "--exit-status", "--json"], 1),
        (&["list", "g.bga", "--where", "elo > 2000", "--exit-status"], 0),
        (&["list", "g.bga", "--where", "elo > 3000", "--exit-status", "-o", "none.bga"], 1),
    ] {
        let done = room.run(args);
        assert_eq!(done.code, Some(code), "{args:?}: {}{}", done.out, done.err);
    }
}

/// On a pseudo-terminal, made by `script` of util-linux.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_a_pager() {
    if Command::new("script").arg("--version").output().is_err() {
        println!("skipped: there is no script (util-linux)");
        return;
    }
    let room = Room::with_archive();
    let seen = |line: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new("script");
        let line = format!("{} {line}", env!("CARGO_BIN_EXE_scoresheet"));
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]).current_dir(room.path(""));
        command.env("TERM", "xterm").env("COLUMNS", "80").env("SCORESHEET_CONFIG", "").env_remove("PAGER");
        command.envs(variables.iter().copied()).stdin(std::process::Stdio::null());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let pager = ("SCORESHEET_PAGER", "sed s/^/paged:/");
    let is_paged = |text: &str| text.lines().all(|line| line.starts_with("paged:")) && text.lines().count() > 3;
    let paged = seen("list g.bga --color never", &[pager]);
    assert!(is_paged(&paged), "{paged}");
    // The text is wrapped and aligned like without a pager.
    assert_eq!(paged.replace("paged:", ""), seen("list g.bga --color never --no-pager", &[pager]));
    assert!(is_paged(&seen("show g.bga 1", &[("PAGER", "sed s/^/paged:/")])));
    // The first variable counts; an empty one turns the pager off.
    assert!(is_paged(&seen("show g.bga 1", &[pager, ("PAGER", "cat >/dev/null")])));
    assert!(!seen("show g.bga 1", &[("SCORESHEET_PAGER", ""), ("PAGER", "sed s/^/paged:/")]).contains("paged:"));
    assert!(!seen("show g.bga 1", &[pager, ("TERM", "dumb")]).contains("paged:"));
    // Short output, and output that no terminal shows.
    assert!(!seen("fen g.bga 1:0", &[pager]).contains("paged:"));
    assert!(!seen("list g.bga | cat", &[pager]).contains("paged:"));
    // A pager that ends early is no failure.
    seen("export g.bga", &[("SCORESHEET_PAGER", "head -1")]);
}

/// The values that a shell gets for the last of these words.
fn completed(room: &Room, shell: &str, words: &[&str]) -> Vec<String> {
    let index = words.len().to_string();
    let asks = [("SCORESHEET_COMPLETE", shell), ("_CLAP_COMPLETE_INDEX", &index), ("_CLAP_IFS", "\n")];
    let done = room.run_env(&[&["--", "scoresheet"], words].concat(), &asks);
    assert_eq!(done.code, Some(0), "{shell} {words:?}: {}", done.err);
    // zsh and fish get an explanation after the value.
    done.out.lines().map(|line| line.split(['\t', ':']).next().unwrap().to_owned()).collect()
}

#[test]
fn shells_complete_fields_and_players() {
    let room = Room::with_archive();
    for shell in ["bash", "zsh", "fish"] {
        let fields = completed(&room, shell, &["list", "g.bga", "--sort", "w"]);
        assert!(fields.iter().any(|field| field == "whiteelo"), "{shell}: {fields:?}");
        assert!(fields.iter().all(|field| field.starts_with('w')), "{shell}: {fields:?}");
        assert_eq!(completed(&room, shell, &["player", "g.bga", "bU"]), ["Buche, Björn"], "{shell}");
        assert!(completed(&room, shell, &["player", "none.bga", "bU"]).is_empty(), "{shell}");
        room.fine(&["index", "--all", "g.bga", "-q"]);
    }
    // Help names the command that lists the columns.
    assert!(!room.fine(&["list", "--help"]).contains("possible values: player"));
}

#[test]
fn bash_gets_names_as_it_reads_them() {
    let room = Room::new();
    room.write("s.pgn", "[White \"Carlsen, Magnus\"]\n[Black \"O'Kelly\"]\n\n1. e4 *\n");
    room.fine(&["import", "s.pgn", "-o", "g.bga", "-q"]);
    let script = room.fine(&["completions", "bash"]);
    let ask = r#"ask() {
        COMP_WORDS=(scoresheet player g.bga "$1") COMP_CWORD=3 COMP_TYPE=9 COMPREPLY=()
        _scoresheet_quoted scoresheet "${1#\"}" g.bga
        printf '%s\n' "${COMPREPLY[@]}"
    }
    ask Ca; ask '"Ca'; ask o"#;
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_scoresheet")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", &format!("{script}\n{ask}")]).env("PATH", path).current_dir(room.path(""));
    let Ok(output) = bash.output() else {
        eprintln!("skipped: no bash");
        return;
    };
    // Some versions put a backslash before commas, too.
    let lines = String::from_utf8(output.stdout).unwrap().replace("\\,", ",");
    assert_eq!(lines, "Carlsen,\\ Magnus\nCarlsen, Magnus\nO\\'Kelly\n", "{}", String::from_utf8_lossy(&output.stderr));
}

/// Options from the file are defaults: those that contradict the command line are dropped.
#[test]
fn defaults_yield_to_options_that_contradict_them() {
    let room = Room::with_archive();
    room.write("config", "* --threads 1\nlist --limit 1 --columns white --explain\nfind --count\n");
    let run = |args: &[&str]| room.run_env(args, &[("SCORESHEET_CONFIG", "config")]);
    assert_eq!(run(&["list", "g.bga", "-q"]).out, "Adler, A\n");
    assert_eq!(run(&["list", "g.bga", "--count"]).out, "3\n");
    let copy = run(&["list", "g.bga", "-o", "copy.bga", "-q"]);
    assert!(copy.code == Some(0) && copy.err.contains("time"), "{}", copy.err);
    assert_eq!(room.fine(&["list", "copy.bga", "--count"]), "1\n", "the limit does not contradict -o");
    assert_eq!(run(&["find", "g.bga", "--moves", "e4", "--format", "numbers"]).out, "1\n");
    // Options that contradict each other on the command line, and other errors, are still errors.
    for args in [&["list", "g.bga", "--count", "--json"][..], &["list", "g.bga", "--cuont"], &["list"]] {
        assert_eq!(run(args).code, Some(2), "{args:?}");
    }
}

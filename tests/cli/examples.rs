//! Runs every example of the help texts, of README and of docs/, unchanged, with files of these names.

use crate::common::cli::{FAULTY, Room};
use crate::common::sample::{lichess_text, testdata};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A game with the players and opening that examples name.
const NAMED: &str = "[Event \"Example\"]\n[White \"Anand, Viswanathan\"]\n[Black \"Carlsen, Magnus\"]\n\
[Date \"2013.11.09\"]\n[Result \"1/2-1/2\"]\n[WhiteElo \"2775\"]\n[BlackElo \"2870\"]\n[ECO \"B90\"]\n\n\
1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be2 e5 7. Nb3 Be7 8. O-O O-O 1/2-1/2\n\n";

/// Programs in examples that a machine may lack, or that do more than read.
const STUBS: [&str; 1] = ["man"];

/// Returns the command lines of a text: lines that begin with the command, without the remark after two blanks.
fn examples(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("scoresheet ").filter(|rest| rest.starts_with(|first: char| first.is_ascii_lowercase()))?;
        // A grammar, not an example.
        let command = without_remark(line);
        (!command.contains("..") || command.contains("2010..2020"))
            .then_some(command)
            .filter(|line| !line.contains('|') || line.contains(" | "))
    })
}

/// Returns the command lines in the first column of a document's tables.
fn of_tables(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().filter_map(|line| {
        let (command, _) = line.strip_prefix("| `")?.split_once('`')?;
        // Fields of filters, members of JSON and fragments are not commands.
        let is_command = command.contains(' ') && command.starts_with(|first: char| first.is_ascii_lowercase());
        let is_part = command.contains(" ..") || command.contains("FEN") || command.contains('|');
        (is_command && !is_part).then(|| format!("scoresheet {command}"))
    })
}

/// Cuts a line at two blanks outside quotation marks.
fn without_remark(line: &str) -> String {
    let (mut quote, mut blanks) = (None, 0);
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            _ => {}
        }
        blanks = if letter == ' ' && quote.is_none() { blanks + 1 } else { 0 };
        if blanks == 2 {
            return line[..at - 1].trim_end().to_owned();
        }
    }
    line.to_owned()
}

/// Returns the subcommands in a help text.
fn commands(help: &str) -> Vec<String> {
    // Under several headings, or under one.
    let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    let is_name = |name: &&str| name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_lowercase());
    names.filter(is_name).filter(|name| !matches!(*name, "help" | "scoresheet")).map(str::to_owned).collect()
}

/// Returns a folder with the files that examples name.
fn prepared() -> Room {
    let room = Room::new();
    let text = String::from_utf8(lichess_text()).unwrap();
    // Some hundred games, the long ones first, because examples name plies; and a game of this year.
    let starts: Vec<usize> = text.match_indices("[Event ").map(|(at, _)| at).take(501).collect();
    let all = starts.windows(2).map(|pair| &text[pair[0]..pair[1]]);
    let (long, short): (Vec<&str>, Vec<&str>) = all.partition(|game| game.contains(" 41. "));
    let days = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() / 86_400;
    let recent = NAMED.replace("2013.11.09", &format!("{}.01.01", 1970 + days * 400 / 146_097));
    let games = format!("{NAMED}{recent}{}{}", long.concat(), short.concat());
    room.write("games.pgn", &games);
    room.write("new.pgn", FAULTY);
    let game_text = |number: usize| {
        games[games.match_indices("[Event ").nth(number).unwrap().0..].split("\n\n[").next().unwrap().to_owned() + "\n"
    };
    room.write("game.pgn", game_text(3));
    room.write("better.pgn", game_text(7));
    room.write("week.pgn", game_text(8));
    room.write("names.txt", "Carlsen, Magnus\tCarlsen, M\n");
    let compressed = zstd::encode_all(games.as_bytes(), 1).unwrap();
    for name in ["games.pgn.zst", "2024-01.pgn.zst", "2024-02.pgn.zst"] {
        room.write(name, &compressed);
    }
    for name in ["games", "a", "b", "2023", "2024", "broken"] {
        room.fine(&["import", "games.pgn", "-o", &format!("{name}.bga"), "-q"]);
    }
    room.fine(&["export", "games.bga", "--format", "viriformat", "-o", "games.viriformat", "-q"]);
    fs::create_dir(room.path("games")).unwrap();
    for name in ["one", "two"] {
        fs::copy(room.path("games.bga"), room.path(&format!("games/{name}.bga"))).unwrap();
    }
    room.fine(&["pack", "games.bga", "-o", "games-packed.bga", "-q"]);
    room.write("pairs.txt", "7:20\n7 2\n");
    let four = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
    for name in ["in.fen", "openings.epd", "bratko-kopec.epd", "wac.epd", "suite.epd"] {
        room.write(name, format!("{four}\n"));
    }
    room.write("mine.pgn", "1. e4 e5 2. Nf3 *\n");
    room.write("rooks.epd", "8/5k2/5p2/8/5P2/r7/4K3/R7 w - - bm Rxa3; id \"WAC.000\";\n");
    room.fine(&["import", "rooks.epd", "-o", "wac.bga", "-q"]);
    fs::copy(testdata("pcn/document-sample.json"), room.path("game.pcn")).unwrap();
    for folder in
        [".local/share/bash-completion/completions", ".config/fish/completions", ".zfunc", ".local/share/man/man1"]
    {
        fs::create_dir_all(room.path(folder)).unwrap();
    }
    fs::write(
        room.path("game.bre"),
        Command::new(env!("CARGO_BIN_EXE_scoresheet"))
            .args(["brenner", "encode", "game.pgn", "--raw"])
            .current_dir(room.0.path())
            .output()
            .unwrap()
            .stdout,
    )
    .unwrap();
    room
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copied(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
#[cfg(unix)]
fn every_example_runs() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let room = prepared();
    let mut lines: BTreeSet<String> = BTreeSet::new();
    let mut heads = vec![Vec::new()];
    while let Some(head) = heads.pop() {
        let args: Vec<&str> = head.iter().map(String::as_str).chain(["--help"]).collect();
        let help = room.fine(&args);
        lines.extend(examples(&help));
        if head.len() < 2 && (head.is_empty() || help.contains("\nCommands:\n")) {
            let inner =
                help.lines().skip_while(|line| !head.is_empty() && *line != "Commands:").collect::<Vec<_>>().join("\n");
            for name in commands(&inner) {
                let next = [head.clone(), vec![name]].concat();
                let is_command =
                    room.run(&next.iter().map(String::as_str).chain(["--help"]).collect::<Vec<_>>()).code == Some(0);
                heads.extend(is_command.then_some(next));
            }
        }
    }
    let of_help = lines.len();
    assert!(of_help > 100, "{of_help} examples in help texts");
    let root = crate::common::root();
    let documents = fs::read_dir(root.join("docs")).unwrap().map(|file| file.unwrap().path());
    for path in
        documents.filter(|path| path.extension().is_some_and(|ending| ending == "md")).chain([root.join("README.md")])
    {
        let text = fs::read_to_string(&path).unwrap();
        lines.extend(examples(&text));
        if path.ends_with("COMMANDS.md") {
            let listed: Vec<String> = of_tables(&text).collect();
            assert!(listed.len() > 20, "{listed:?}");
            lines.extend(listed);
        }
    }
    assert!(lines.len() > of_help + 5, "{} examples", lines.len());
    // A separate program, which runs until stopped.
    lines.retain(|line| !line.starts_with("scoresheet serve "));
    // A prompt, which not every build has.
    lines.retain(|line| cfg!(feature = "shell") || !line.contains("scoresheet shell"));
    let programs = crate::common::tempdir().unwrap();
    symlink(env!("CARGO_BIN_EXE_scoresheet"), programs.path().join("scoresheet")).unwrap();
    for stub in STUBS {
        let path = programs.path().join(stub);
        fs::write(&path, "#!/bin/sh\ncat > /dev/null\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let system = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{system}", programs.path().display());
    let run = |line: &str| -> Result<(), String> {
        let folder = crate::common::tempdir().unwrap();
        copied(room.0.path(), folder.path());
        let at = |name: &str| folder.path().join(name);
        // The output of an example must not exist yet.
        let words: Vec<&str> = line.split_whitespace().collect();
        let adds = ["--append", "--resume"].iter().any(|option| words.contains(option));
        if let Some(index) = words.iter().position(|word| *word == "-o").filter(|_| !adds) {
            let name = words[index + 1];
            if !words[..index].contains(&name) {
                let _ = fs::remove_file(at(name));
                let _ = fs::remove_file(at(name).with_extension("bgi"));
            }
        }
        let mut before = String::new();
        if words[1] == "undelete" {
            before = "scoresheet delete games.bga --games 5,10-20 -q && ".to_owned();
        }
        if words.contains(&"--resume") {
            // After a crash there is no archive.
            before = "rm games.bga games.bgi && ".to_owned();
        }
        let script = format!("{before}{line}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder.path()).env("PATH", &path).env("HOME", folder.path());
        // An editor that changes nothing.
        shell.env("EDITOR", "true").env_remove("VISUAL");
        let done = shell.stdin(std::process::Stdio::null()).output().unwrap();
        // The view needs a terminal, and reports this after parsing its arguments.
        let said = String::from_utf8_lossy(&done.stderr);
        let is_looked_at = words[1] == "view" && said.contains("needs a terminal");
        // A separate program, which these tests do not build: the command knows it, and names its location.
        let is_elsewhere = said.contains("needs the program scoresheet-") && said.contains("cargo install ");
        match done.status.success() || is_looked_at || is_elsewhere {
            true => Ok(()),
            false => Err(format!("{script}\n    {:?}: {}", done.status.code(), said)),
        }
    };
    let failed: Vec<String> = lines.iter().filter_map(|line| run(line).err()).collect();
    assert!(failed.is_empty(), "{} of {} examples fail:\n{}", failed.len(), lines.len(), failed.join("\n"));
}

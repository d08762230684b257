//! Output on a screen of 80 columns: help, tables, messages. Output for programs is not cut.

use crate::common::cli::Room;
use crate::common::sample::lichess;
use std::fs;
#[cfg(target_os = "linux")]
use std::process::Command;
use unicode_width::UnicodeWidthStr;

/// Returns both outputs for 80 columns.
fn seen(room: &Room, args: &[&str]) -> String {
    let done = room.on_screen(args);
    done.out + &done.err
}

/// A room with real games, and a game with long names and comments.
fn room() -> Room {
    let long = "A very long name of an event, of a player, or of an opening, which no line of a screen has room for";
    let tags = ["Event", "White", "Black", "Opening", "Annotator"].map(|tag| format!("[{tag} \"{long}\"]\n")).concat();
    let moves =
        format!("1. e4 {{ [%clk 1:00:00] [%eval 0.2] {long}, and more. }} e5 {{ [%clk 1:00:00] [%eval 0.1] }} *");
    let room = Room::new();
    room.write("long.pgn", format!("{tags}[Result \"*\"]\n[ECO \"C20\"]\n\n{moves}\n\n").repeat(3));
    room.fine(&["import", "long.pgn", "-o", "long.bga", "--quiet"]);
    fs::copy(lichess(), room.path("g.pgn.zst")).unwrap();
    room.fine(&["import", "g.pgn.zst", "-o", "g.bga", "--quiet"]);
    room
}

fn assert_fits(args: &[&str], text: &str) {
    for line in text.lines() {
        assert!(line.width() <= 80, "{args:?} has a line of {} columns: {line}", line.width());
    }
}

#[test]
fn every_help_fits() {
    let room = Room::new();
    let all = seen(&room, &["help"]);
    assert_fits(&["help"], &all);
    let names =
        all.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with(char::is_lowercase));
    let names: Vec<&str> =
        names.filter_map(|line| line.split("  ").next()).filter(|name| !name.contains(' ')).collect();
    assert!(names.len() > 35, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        for args in [["help", name], [name, "--help"], [name, "-h"]] {
            let text = seen(&room, &args);
            assert_fits(&args, &text);
            // Lines broken by hand, and again by the width, leave a word or two alone.
            assert!(text.contains("Usage: scoresheet"), "{args:?}: {text}");
        }
    }
    for name in ["query", "fields"] {
        let text = seen(&room, &["help", name]);
        assert!(text.contains("lowclock"), "{text}");
        assert_fits(&["help", name], &text);
    }
}

#[test]
fn every_screen_fits() {
    let room = room();
    // The longest positions leave no room for a title beside them.
    let fen = "r1b1k1nr/p1p1p1p1/1p1p1p1p/n1q1b1P1/1P1P1P1P/N1B1Q1N1/P1P1P1b1/R1B1K1NR w KQkq - 10 100";
    let commands = [
        "opening g.bga --moves e4 --top 20",
        "opening long.bga --moves e4",
        "player g.bga e",
        "player long.bga very",
        "show long.bga 1",
        "show g.bga 1",
        "position startpos",
        "list g.bga --format table",
        "list long.bga --format table",
        "list long.bga --format table --columns event,white,black,opening,annotator",
        "list g.bga --where plyer=kyle",
        "list g.bga --where nosuchfieldatall=kyle",
        "find g.bga --moves e4 --format table --explain",
        "find long.bga --where opening~long --format table --explain",
        "stats g.bga",
        "stats long.bga",
        "stats g.bga --by openning",
        "stats g.bga --by nothing",
        "stats g.bga --by rating,opening,result",
        "stats long.bga --by opening,player",
        "tree g.bga",
        "tree g.bga --depth 3",
        "tree long.bga --depth 2",
        "info g.bga",
        "info g.bga --verbose",
        "verify g.bga",
        "set long.bga --games 1",
        "set long.bga --games 1 Result=3",
        "set long.bga --games 1 Date=yesterday",
        "rename g.bga nobody X",
        "split g.bga",
        "nosuchcommand",
        "list nosuchfile.bga",
        "show g.bga 99999999",
    ];
    for line in commands {
        let args: Vec<&str> = line.split(' ').collect();
        assert_fits(&args, &seen(&room, &args));
    }
    // Users copy a position as a whole, so it stands on a separate line and is not broken.
    let shown = seen(&room, &["position", fen]);
    assert!(shown.lines().any(|line| line == fen), "{shown}");
    let others: Vec<&str> = shown.lines().filter(|line| line.matches('/').count() < 7).collect();
    assert_fits(&["position"], &others.join("\n"));
    // In `inspect`, only hashes are longer, because part of a hash is useless.
    let parts = seen(&room, &["inspect", "g.bga"]);
    let is_hash = |word: &str| word.len() >= 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = parts.lines().filter(|line| !line.split(' ').any(is_hash)).collect();
    assert_fits(&["inspect"], &parts.join("\n"));
}

#[test]
fn what_another_program_reads_is_not_cut() {
    let room = room();
    let long = "an opening, which no line of a screen has room for";
    for args in [
        &["stats", "long.bga", "--by", "opening"][..],
        &["list", "long.bga", "--format", "table", "--columns", "game,opening"],
        &["list", "long.bga", "--columns", "game,opening"],
        &["opening", "long.bga", "--moves", "e4"],
    ] {
        let out = room.fine(args);
        assert!(out.contains(long), "{args:?}: {out}");
    }
    let done = room.run(&["list", "g.bga", "--where", "plyer = kyle"]);
    assert!(done.err.starts_with("error: invalid value 'plyer = kyle' for '--where <EXPR>': column 1: no field"));
}

/// On a terminal of 80 columns, made by `script`.
#[test]
#[cfg(target_os = "linux")]
fn lists_are_tables_on_a_terminal() {
    let room = room();
    room.write("two.pgn", "[White \"Kasparov, Garry\"]\n\n*\n\n[White \"KASPAROV, GARRY\"]\n\n*\n");
    room.fine(&["import", "two.pgn", "-o", "two.bga", "--quiet"]);
    let on_terminal = |command: &str| {
        let line = format!("stty rows 24 cols 80; '{}' {command}", env!("CARGO_BIN_EXE_scoresheet"));
        let output = Command::new("script").args(["-qec", &line, "/dev/null"]).current_dir(room.0.path()).output();
        output.ok().map(|output| String::from_utf8_lossy(&output.stdout).replace('\r', ""))
    };
    let Some(openings) = on_terminal("eco g.bga") else { return eprintln!("skipped: no program `script`") };
    assert!(openings.starts_with("game  eco"), "{openings}");
    assert_fits(&["eco"], &openings);
    let names = on_terminal("rename two.bga --suggest").unwrap();
    assert!(names.starts_with("name ") && names.contains("KASPAROV, GARRY  Kasparov, Garry"), "{names}");
    assert_fits(&["rename"], &names);
}

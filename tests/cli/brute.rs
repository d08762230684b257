//! Compares search results with python-chess, move by move, on 2,000 games (tools/brute/compare.py); skipped without
//! python-chess.

use crate::common::cli::Room;
use crate::common::sample::lichess_text;
use std::process::Command;

#[test]
fn python_chess_finds_the_same() {
    let python = std::env::var("SCORESHEET_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_it =
        Command::new(&python).args(["-c", "import chess.pgn"]).output().is_ok_and(|done| done.status.success());
    if !has_it {
        eprintln!("skipped: {python} has no python-chess (SCORESHEET_PYTHON names another python)");
        return;
    }
    let room = Room::new();
    room.write("games.pgn", lichess_text());
    let script = crate::common::root().join("tools/brute/compare.py");
    let mut command = Command::new(&python);
    command.arg(script).arg(env!("CARGO_BIN_EXE_scoresheet")).arg(room.path("games.pgn")).arg("2000");
    let done = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}{err}");
    // Every query has a result, and few have an empty one.
    let rows: Vec<&str> = out.lines().filter(|line| line.starts_with("same")).collect();
    let empty = rows.iter().filter(|row| row.split_whitespace().nth(1) == Some("0")).count();
    assert!(rows.len() >= 30 && empty <= 4, "{out}");
}

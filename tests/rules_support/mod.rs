//! What the tests of the rules share.

#![allow(dead_code, unused_imports, reason = "each test binary uses a part of it")]

#[path = "../support/random.rs"]
mod random;

pub use random::Random as Rng;
use scoresheet::chess::Position;
use std::path::PathBuf;

/// Returns a corpus as text, or `None`, with a message, where no folder of corpora is named.
///
/// A named folder without the file is a fault: the test would prove nothing unnoticed.
pub fn corpus(path: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("SCORESHEET_CORPORA") else {
        println!("skipped: SCORESHEET_CORPORA is not set");
        return None;
    };
    let path = PathBuf::from(folder).join(path);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// Reads a FEN that is known to be good.
pub fn position(fen: &str) -> Position {
    Position::from_fen(fen.as_bytes()).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Plays a line written in SAN.
pub fn play(position: &mut Position, line: &str) {
    for san in line.split_whitespace() {
        let m =
            position.parse_san(san.as_bytes()).unwrap_or_else(|error| panic!("{san} in {}: {error}", position.fen()));
        position.play(m);
    }
}

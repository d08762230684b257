//! What the tests of the rules share.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use scoresheet::chess::Position;
use std::path::PathBuf;

/// SplitMix64: the same numbers from the same seed everywhere.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

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

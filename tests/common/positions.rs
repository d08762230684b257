//! Positions by their FEN, and lines played from them.

use scoresheet::chess::Position;

/// Reads a FEN that is known to be good.
pub fn position(fen: &str) -> Position {
    Position::from_fen(fen.as_bytes()).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Plays a line written in SAN.
pub fn play(position: &mut Position, line: &str) {
    for san in line.split_whitespace() {
        let m =
            position.parse_san(san.as_bytes()).unwrap_or_else(|error| panic!("{san} in {}: {error}", position.fen()));
        position.play_unchecked(m);
    }
}

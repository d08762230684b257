//! PGN text through the library: accepted text, refused text, cost. The engine is not needed, so a change is tested soon.

/// Shared with the other test programs.
#[allow(dead_code, unused_imports, reason = "a part of it is used")]
#[path = "../common"]
mod common {
    /// Positions by FEN, and lines played from them.
    pub mod positions;
    /// The seeded random number generator.
    pub mod random;
    /// The files of `testdata/`.
    pub mod sample;
    /// The folder of the repository, and numbers from the environment.
    pub mod settings;

    use scoresheet_chess as chess;
    use scoresheet_pgn::game;
    pub use settings::{root, share};
}

/// Piece letters of other languages.
mod letters;
/// The layout of games on lines.
mod lines;
/// Every trap with its frozen result; mutants; random games.
mod torture;
/// Values as people write them.
mod values;

//! PGN text through the library: accepted text, refused text, cost.

/// Shared by all test programs.
#[path = "../common/mod.rs"]
mod common;

/// Files of real games and the test files of other projects.
mod hard;
/// Inputs with sizes beyond any honest file.
mod hostile;
/// Piece letters of other languages.
mod letters;
/// The layout of games on lines.
mod lines;
/// Every trap with its frozen result; mutants; random games.
mod torture;
/// Values as people write them.
mod values;

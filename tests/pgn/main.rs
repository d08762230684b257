//! PGN text through the library: what is read, what is refused, what it costs.

/// Shared by all test programs.
#[path = "../common/mod.rs"]
mod common;

/// Files of real games and the test files of other projects.
mod hard;
/// Sizes that no honest file has.
mod hostile;
/// How games are laid out on lines.
mod lines;
/// Every trap with its frozen outcome; mutants; random games.
mod torture;

//! What the test programs share. Each takes it in with `#[path = "../common/mod.rs"] mod common;`, or with
//! `with_command.rs` if it runs the command, and uses a part of it.
#![allow(dead_code, reason = "each test program uses a part of it")]

/// The conformance suite.
pub mod conformance;
/// The files of the large corpora, where there are any.
pub mod corpora;
/// FORMAT.md with its parts.
pub mod format_document;
/// Archives made of PGN files.
pub mod import;
/// Positions by their FEN, and lines played from them.
pub mod positions;
/// Questions with their answers, which are asked at every door.
pub mod questions;
/// The one seeded generator of random numbers.
pub mod random;
/// The files of `testdata/`.
pub mod sample;

use std::path::Path;

/// Returns the folder of the repository: the package of the command is in one below.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("FORMAT.md").exists()).expect("a folder with FORMAT.md")
}

/// Returns a number from the environment: how long a test is to run, or where it begins. `1_000` and `1000` are the
/// same.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.replace('_', "").parse().expect(name))
}

/// Returns the seed of a state or kill: its number, and what the environment asks for.
pub fn seed(state: u64) -> u64 {
    state ^ (number("SCORESHEET_SEED", 0) << 40)
}

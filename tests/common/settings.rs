//! The folder of the repository, and numbers from the environment.

use std::path::Path;

/// Returns the folder of the repository; the package of the command is in a subfolder.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("FORMAT.md").exists()).expect("a folder with FORMAT.md")
}

/// Returns a number from the environment, such as the length or start of a test. `1_000` and `1000` are the same.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.replace('_', "").parse().expect(name))
}

/// Returns how many games, rounds or files a test that repeats itself takes: of `all`, an eighth, so that `cargo test` is
/// quick. `.ci/run` sets SCORESHEET_SHARE=1 for the rest of them, and the counts below are of all.
pub fn share(all: u64) -> u64 {
    all / number("SCORESHEET_SHARE", 8)
}

/// Returns whether a count of rare cases is what a share of all games, rounds or files must have, when all have `least`.
pub fn has_share(count: usize, least: u64) -> bool {
    count as u64 > share(least)
}

/// Returns the seed of a state or kill, from its number and the environment.
pub fn seed(state: u64) -> u64 {
    state ^ (number("SCORESHEET_SEED", 0) << 40)
}

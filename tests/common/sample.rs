//! The files of `testdata/`; `testdata/SOURCES.md` names their origins.

use std::path::{Path, PathBuf};

/// Returns the path of a file of `testdata/`.
pub fn testdata(name: &str) -> PathBuf {
    super::root().join("testdata").join(name)
}

/// The compressed file of the first 3,000 games of a month on Lichess.
pub fn lichess() -> PathBuf {
    testdata("lichess-sample.pgn.zst")
}

/// Writes the text of the first games of that file to a folder, for tests that would take long with all of them.
pub fn first_games(folder: &Path, count: usize) -> PathBuf {
    let path = folder.join("first.pgn");
    std::fs::write(&path, first_games_text(count)).unwrap();
    path
}

/// Returns the text of the first games of that file.
pub fn first_games_text(count: usize) -> Vec<u8> {
    let text = lichess_text();
    let starts = text.windows(8).enumerate().filter(|(_, word)| word == b"\n[Event ");
    let end = starts.map(|(at, _)| at + 1).nth(count - 1).unwrap_or(text.len());
    text[..end].to_vec()
}

/// Returns the text of that file.
pub fn lichess_text() -> Vec<u8> {
    zstd::decode_all(std::fs::File::open(lichess()).unwrap()).unwrap()
}

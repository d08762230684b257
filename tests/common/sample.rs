//! The files of `testdata/`; where they are from is in `testdata/SOURCES.md`.

use std::path::PathBuf;

/// The path of a file of `testdata/`.
pub fn testdata(name: &str) -> PathBuf {
    super::root().join("testdata").join(name)
}

/// The compressed file of the first 3,000 games of a month on Lichess.
pub fn lichess() -> PathBuf {
    testdata("lichess-sample.pgn.zst")
}

/// The text of that file.
pub fn lichess_text() -> Vec<u8> {
    zstd::decode_all(std::fs::File::open(lichess()).unwrap()).unwrap()
}

//! The files of `testdata/`; `testdata/SOURCES.md` names their origins.

use std::path::PathBuf;

/// Returns the path of a file of `testdata/`.
pub fn testdata(name: &str) -> PathBuf {
    super::root().join("testdata").join(name)
}

/// The compressed file of the first 3,000 games of a month on Lichess.
pub fn lichess() -> PathBuf {
    testdata("lichess-sample.pgn.zst")
}

/// Returns the text of that file.
pub fn lichess_text() -> Vec<u8> {
    zstd::decode_all(std::fs::File::open(lichess()).unwrap()).unwrap()
}

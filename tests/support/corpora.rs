//! The files of the corpora, where there are any.

use std::path::{Path, PathBuf};

/// Returns the PGN files of a corpus in order, or `None`, with a message, where no folder of corpora is named.
///
/// A named folder without such files is a fault: the test would prove nothing unnoticed.
pub fn sources(corpus: &str) -> Option<Vec<PathBuf>> {
    let Some(corpora) = std::env::var_os("SCORESHEET_CORPORA") else {
        eprintln!("skipped: SCORESHEET_CORPORA is not set");
        return None;
    };
    let entries =
        std::fs::read_dir(Path::new(&corpora).join(corpus)).unwrap_or_else(|error| panic!("{corpus}: {error}"));
    let files = entries.map(|entry| entry.unwrap().path());
    let mut sources: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "pgn")).collect();
    assert!(!sources.is_empty(), "{corpus}: no PGN files");
    sources.sort();
    Some(sources)
}

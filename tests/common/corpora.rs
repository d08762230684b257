//! The files of the large corpora, if SCORESHEET_CORPORA names their folder.

use std::path::{Path, PathBuf};

/// Returns the folder in SCORESHEET_CORPORA; `None` if the variable is empty or missing.
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("SCORESHEET_CORPORA").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// Returns the PGN files of a corpus in order, or `None`, with a message, without a folder of corpora.
///
/// A folder without these files is a failure; otherwise the test would silently prove nothing.
pub fn sources(corpus: &str) -> Option<Vec<PathBuf>> {
    let Some(corpora) = folder() else {
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

/// Returns a corpus as text, or `None`, with a message, without a folder of corpora.
///
/// A folder without the file is a failure; otherwise the test would silently prove nothing.
pub fn text(path: &str) -> Option<String> {
    let Some(folder) = folder() else {
        println!("skipped: SCORESHEET_CORPORA is not set");
        return None;
    };
    let path = Path::new(&folder).join(path);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

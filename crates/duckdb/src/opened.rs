//! Archives that stay open between queries, because opening one and its tag columns takes longer than most counts.

use scoresheet::Error;
use scoresheet_query::IndexedArchive;
use scoresheet_query::games::FileVersions;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of archives that stay open.
const MOST: usize = 8;

/// An open archive with its absolute path and the versions of its files.
type Opened = (PathBuf, FileVersions, Arc<IndexedArchive>);

/// The open archives, the last used first.
static OPENED: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// Opens an archive, or returns it from an earlier query if none of its files has changed.
///
/// Errors: an error of [`IndexedArchive::open`].
pub fn open(path: &Path) -> Result<Arc<IndexedArchive>, Error> {
    // Windows does not number files, and does not replace a file while a program maps it.
    let Some(absolute) = std::path::absolute(path).ok().filter(|_| cfg!(unix)) else {
        return IndexedArchive::open(path).map(Arc::new);
    };
    // The versions come first, so the next query notices a change that happens while the archive is opened.
    let versions = FileVersions::of(&absolute);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let found = opened.iter().position(|(known, ..)| *known == absolute).map(|index| opened.remove(index));
    if let Some(found) = found.filter(|(_, known, _)| *known == versions) {
        let archive = Arc::clone(&found.2);
        opened.insert(0, found);
        return Ok(archive);
    }
    drop(opened);
    let archive = Arc::new(IndexedArchive::open(path)?);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.insert(0, (absolute, versions, Arc::clone(&archive)));
    opened.truncate(MOST);
    Ok(archive)
}

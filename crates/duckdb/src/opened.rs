//! Archives that stay open between queries with the sources of their columns, because opening one and its tag columns
//! takes longer than most counts.

use crate::source::Source;
use scoresheet::Error;
use scoresheet_query::IndexedArchive;
use scoresheet_query::games::FileVersions;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The maximum number of archives that stay open.
const MOST: usize = 8;

/// An open archive.
struct Opened {
    /// The absolute path.
    path: PathBuf,
    versions: FileVersions,
    archive: Arc<IndexedArchive>,
    /// The sources of columns, by the name of the column.
    sources: HashMap<&'static str, Option<Arc<Source>>>,
}

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
    let mut opened = lock();
    let found = opened.iter().position(|known| known.path == absolute).map(|index| opened.remove(index));
    if let Some(found) = found.filter(|known| known.versions == versions) {
        let archive = Arc::clone(&found.archive);
        opened.insert(0, found);
        return Ok(archive);
    }
    drop(opened);
    let archive = Arc::new(IndexedArchive::open(path)?);
    let mut opened = lock();
    let shared = Arc::clone(&archive);
    opened.insert(0, Opened { path: absolute, versions, archive: shared, sources: HashMap::new() });
    opened.truncate(MOST);
    Ok(archive)
}

/// Returns the source of a column, whose tags are `tags`, or `None` if a part of it is in no tag column. Open archives
/// keep it.
pub fn source(archive: &IndexedArchive, name: &'static str, tags: &[&str]) -> Option<Arc<Source>> {
    let is_this = |known: &&mut Opened| std::ptr::eq(&*known.archive, archive);
    if let Some(kept) = lock().iter_mut().find(is_this).and_then(|known| known.sources.get(name)) {
        return kept.clone();
    }
    let source = Source::new(archive, name, tags).map(Arc::new);
    if let Some(known) = lock().iter_mut().find(is_this) {
        known.sources.insert(name, source.clone());
    }
    source
}

fn lock() -> MutexGuard<'static, Vec<Opened>> {
    OPENED.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Archives that stay open between queries, because opening one and its tag columns takes longer than most counts.

use scoresheet::Error;
use scoresheet::archive::FileKind;
use scoresheet_query::IndexedArchive;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The maximum number of archives that stay open.
const MOST: usize = 8;

/// The open archives with their states, the last used first.
static OPENED: Mutex<Vec<(Files, Arc<IndexedArchive>)>> = Mutex::new(Vec::new());

/// The path of an archive, and the states of its files.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Files(PathBuf, Vec<Option<Version>>);

/// The properties that identify a version of a file. An archive grows with every change, or another file takes its place.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Version {
    length: u64,
    modified: Option<SystemTime>,
    /// The device and the number of the file.
    file: (u64, u64),
}

impl Version {
    fn of(file: &Metadata) -> Version {
        #[cfg(unix)]
        let number = (std::os::unix::fs::MetadataExt::dev(file), std::os::unix::fs::MetadataExt::ino(file));
        #[cfg(not(unix))]
        let number = (0, 0);
        Version { length: file.len(), modified: file.modified().ok(), file: number }
    }
}

impl Files {
    /// Returns the states of an archive and of the files beside it, or `None` if there is no such archive.
    fn of(path: &Path) -> Option<Files> {
        let path = std::path::absolute(path).ok()?;
        let version = |path: &Path| fs::metadata(path).ok().map(|file| Version::of(&file));
        let kinds = [FileKind::Index, FileKind::Signatures, FileKind::Positions, FileKind::TagColumns];
        let mut versions = vec![Some(version(&path)?)];
        versions.extend(kinds.map(|kind| version(&kind.of_archive(&path))));
        Some(Files(path, versions))
    }
}

/// Opens an archive, or returns it from an earlier query if none of its files has changed.
///
/// Errors: an error of [`IndexedArchive::open`].
pub fn open(path: &Path) -> Result<Arc<IndexedArchive>, Error> {
    // The states come first, so the next query notices a change that happens while the archive is opened. Windows does
    // not number files here, and does not replace a file while a program maps it.
    let Some(files) = Files::of(path).filter(|_| cfg!(unix)) else { return IndexedArchive::open(path).map(Arc::new) };
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(index) = opened.iter().position(|(known, _)| *known == files) {
        let found = opened.remove(index);
        let archive = Arc::clone(&found.1);
        opened.insert(0, found);
        return Ok(archive);
    }
    opened.retain(|(known, _)| known.0 != files.0);
    drop(opened);
    let archive = Arc::new(IndexedArchive::open(path)?);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.insert(0, (files, Arc::clone(&archive)));
    opened.truncate(MOST);
    Ok(archive)
}

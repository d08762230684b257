//! Opens and watches the served archives, and keeps a snapshot of their current commits. Caches slow answers until the
//! archives change.

use axum::http::HeaderValue;
use bytes::Bytes;
use scoresheet::Error;
use scoresheet::archive::OpenOptions;
use scoresheet_answers::{Book, Snapshot};
use scoresheet_query::games::FileVersions;
use std::collections::VecDeque;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// A snapshot of the archives, with the cached answers about it.
#[derive(Debug)]
pub struct Shown {
    /// The archives.
    pub snapshot: Arc<Snapshot>,
    answers: Mutex<VecDeque<(String, Answer)>>,
}

/// A cached slow answer: its type and its bytes.
pub type Answer = (HeaderValue, Bytes);

/// The maximum number of cached answers, and their maximum size in bytes.
const ANSWERS: (usize, usize) = (1024, 16 << 20);

impl Deref for Shown {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

impl Shown {
    fn new(books: Vec<Arc<Book>>, seen: &[FileVersions], outdated: Vec<Option<String>>) -> Shown {
        let snapshot = Snapshot::new(books, (seen, &outdated)).with_outdated(outdated);
        Shown { snapshot: Arc::new(snapshot), answers: Mutex::default() }
    }

    /// Returns the cached answer to a request.
    pub fn answer(&self, request: &str) -> Option<Answer> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.iter().find(|(known, _)| known == request).map(|(_, answer)| answer.clone())
    }

    /// Caches the answer to a request and drops the oldest answers. A change of the archives clears the cache.
    pub fn keep(&self, request: String, answer: Answer) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|(known, _)| *known != request);
        answers.push_front((request, answer));
        let mut bytes = 0;
        answers.retain(|(request, (_, body))| {
            bytes += request.len() + body.len();
            bytes <= ANSWERS.1
        });
        answers.truncate(ANSWERS.0);
    }
}

/// The served archives.
#[derive(Debug)]
pub struct Shelf {
    paths: Vec<PathBuf>,
    options: OpenOptions,
    now: RwLock<Arc<Shown>>,
    watched: Mutex<Watched>,
}

/// Returns the text of an error without the path, which clients must not see.
fn without_path(error: &Error) -> String {
    match error {
        Error::Io { doing, source, .. } => format!("{doing}: {source}"),
        Error::NotAnArchive { .. } => "the file is not an archive".to_owned(),
        Error::Newer { .. } => "the archive has a newer format version".to_owned(),
        Error::Older { .. } => "the archive has an older format version".to_owned(),
        Error::Damaged(_) | Error::Limit { .. } | Error::Unknown { .. } | Error::Read { .. } => error.to_string(),
        _ => "the archive cannot be opened".to_owned(),
    }
}

/// The files of the snapshot's archives.
#[derive(Debug)]
struct Watched {
    files: Vec<FileVersions>,
    /// For each archive, the reason why an older state is shown; empty if the state is current.
    outdated: Vec<Option<String>>,
}

impl Shelf {
    /// Opens archives. Errors: the errors of [`Archive::open`](scoresheet::Archive::open).
    pub fn open(paths: &[PathBuf], options: OpenOptions) -> Result<Shelf, Error> {
        let files: Vec<FileVersions> = paths.iter().map(|path| FileVersions::of(path)).collect();
        let books = paths.iter().map(|path| Book::open(path, options).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
        let outdated = vec![None; paths.len()];
        let now = Arc::new(Shown::new(books, &files, outdated.clone()));
        let watched = Mutex::new(Watched { files, outdated });
        Ok(Shelf { paths: paths.to_vec(), options, now: RwLock::new(now), watched })
    }

    /// Returns the current snapshot of the archives.
    pub fn now(&self) -> Arc<Shown> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reloads changed files: later commits, archives that `set`, `rename`, `edit` or `compact` replaced, and new or
    /// deleted side files. Returns whether any archive has changed. If nothing has changed, the only cost is a check of
    /// the files' lengths and times. An archive that cannot be opened is marked as outdated and keeps its last good
    /// state; the next call tries to open it again.
    ///
    /// Errors: the error that kept the first outdated archive from opening.
    pub fn refresh(&self) -> Result<bool, Error> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let files: Vec<FileVersions> = self.paths.iter().map(|path| FileVersions::of(path)).collect();
        if files == watched.files && watched.outdated.iter().all(Option::is_none) {
            return Ok(false);
        }
        let mut books = self.now().all().to_vec();
        let mut outdated = vec![None; books.len()];
        let mut first = None;
        for (index, path) in self.paths.iter().enumerate() {
            if files[index] == watched.files[index] && watched.outdated[index].is_none() {
                continue;
            }
            match Book::open(path, self.options) {
                Ok(book) => books[index] = Arc::new(book),
                Err(error) => {
                    outdated[index] = Some(without_path(&error));
                    first = first.or(Some(error));
                }
            }
        }
        let has_changed = files != watched.files || outdated != watched.outdated;
        if has_changed {
            let new = Arc::new(Shown::new(books, &files, outdated.clone()));
            *self.now.write().unwrap_or_else(PoisonError::into_inner) = new;
            *watched = Watched { files, outdated };
        }
        first.map_or(Ok(has_changed), Err)
    }
}

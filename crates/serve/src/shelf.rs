//! The archives that are served: opened, watched, and shown at the commit that they are at; with the answers that took a
//! while, which are kept until the archives change.

use axum::http::HeaderValue;
use bytes::Bytes;
use scoresheet::archive::{FileKind, OpenOptions};
use scoresheet::{Archive, Error};
use scoresheet_answers::{Book, Snapshot};
use std::collections::VecDeque;
use std::fs::Metadata;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

/// The archives at one moment, and the answers that were given about them.
#[derive(Debug)]
pub struct Shown {
    /// The archives.
    pub snapshot: Arc<Snapshot>,
    answers: Mutex<VecDeque<(String, Answer)>>,
}

/// An answer that took a while: its type and its bytes.
pub type Answer = (HeaderValue, Bytes);

/// So many answers are kept, and so many bytes of them.
const ANSWERS: (usize, usize) = (1024, 16 << 20);

impl Deref for Shown {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

impl Shown {
    fn of(books: Vec<Arc<Book>>, seen: &[Seen]) -> Shown {
        Shown { snapshot: Arc::new(Snapshot::of(books, seen)), answers: Mutex::default() }
    }

    /// Returns the answer that was given to a request before.
    pub fn answer(&self, request: &str) -> Option<Answer> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.iter().find(|(own, _)| own == request).map(|(_, answer)| answer.clone())
    }

    /// Keeps the answer to a request; those kept longest give way. All are forgotten when the archives change.
    pub fn keep(&self, request: String, answer: Answer) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|(own, _)| *own != request);
        answers.push_front((request, answer));
        let mut bytes = 0;
        answers.retain(|(request, (_, body))| {
            bytes += request.len() + body.len();
            bytes <= ANSWERS.1
        });
        answers.truncate(ANSWERS.0);
    }
}

/// What a file was when it was last looked at.
type Seen = Vec<Option<(u64, Option<SystemTime>)>>;

fn seen(path: &Path) -> Seen {
    let of = |meta: Metadata| (meta.len(), meta.modified().ok());
    let kinds = [FileKind::Index, FileKind::Positions, FileKind::Signatures, FileKind::TagColumns];
    let paths = std::iter::once(path.to_path_buf()).chain(kinds.map(|kind| kind.beside(path)));
    paths.map(|path| std::fs::metadata(path).ok().map(of)).collect()
}

/// The archives that are served.
#[derive(Debug)]
pub struct Shelf {
    paths: Vec<PathBuf>,
    options: OpenOptions,
    now: RwLock<Arc<Shown>>,
    /// What the files were when the snapshot was made, and each archive as it was then, which knows what a commit after
    /// it may be.
    watched: Mutex<(Vec<Seen>, Vec<Archive>)>,
}

impl Shelf {
    /// Opens archives. Errors: those of [`Archive::open`].
    pub fn open(paths: &[PathBuf], options: OpenOptions) -> Result<Shelf, Error> {
        let files: Vec<Seen> = paths.iter().map(|path| seen(path)).collect();
        let books = paths.iter().map(|path| Book::open(path, options).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
        let archives = paths.iter().map(|path| Archive::open_with(path, options)).collect::<Result<Vec<_>, _>>()?;
        let now = Arc::new(Shown::of(books, &files));
        Ok(Shelf { paths: paths.to_vec(), options, now: RwLock::new(now), watched: Mutex::new((files, archives)) })
    }

    /// Returns the archives as they are shown now.
    pub fn now(&self) -> Arc<Shown> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Moves on to the archives' last commits, and to side files that have been made or have gone. Returns whether
    /// anything has changed; costs a look at the files' lengths and times where nothing has. A file that has become
    /// something else is shown as it was, and said to be: the error is that of the first.
    pub fn refresh(&self) -> Result<bool, Error> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let files: Vec<Seen> = self.paths.iter().map(|path| seen(path)).collect();
        if files == watched.0 {
            return Ok(false);
        }
        let old = self.now();
        let mut books = old.all().to_vec();
        let mut first = None;
        let (last, archives) = &mut *watched;
        for (place, archive) in archives.iter_mut().enumerate() {
            if files.get(place) == last.get(place) {
                continue;
            }
            let reopened = archive.refresh().and_then(|_| Book::open(&self.paths[place], self.options));
            match reopened {
                Ok(book) => books[place] = Arc::new(book),
                Err(error) => first = first.or(Some(error)),
            }
        }
        let new = Arc::new(Shown::of(books, &files));
        *last = files;
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = new;
        first.map_or(Ok(true), Err)
    }
}

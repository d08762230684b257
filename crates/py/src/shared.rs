//! Manages open archives, which Python objects share until the archives are closed.

use crate::failure::OrRaise;
use crate::work;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use pyo3::{Borrowed, FromPyObject};
use scoresheet::archive::{Access, ArchiveId, archives_of};
use scoresheet::{ArchiveFile, Error, GameRef};
use scoresheet_query::ArchiveSet;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

/// Shared archives, the options with which they were opened, and whether they are still open.
pub struct Shared {
    pub paths: Vec<PathBuf>,
    pub map: bool,
    /// For each archive: the identity, the commit and the length when it was opened.
    state: Vec<(ArchiveId, u64, u64)>,
    opened: RwLock<Option<Arc<Opened>>>,
}

/// Open archives.
pub struct Opened {
    pub sources: Arc<ArchiveSet>,
}

impl Opened {
    /// Calls `read` with game `number` of the set.
    pub fn with_game<T>(&self, number: u64, read: impl FnOnce(&GameRef<'_>) -> Result<T, Error>) -> Result<T, Error> {
        read(&self.sources.game(number)?)
    }

    /// Returns the index of the archive that contains a game of the set, and the game's number there.
    pub fn index_of(&self, number: u64) -> Result<(usize, u64), Error> {
        let (member, local) = self.sources.member_of(number)?;
        let index = self.sources.members().partition_point(|source| source.before() < number).saturating_sub(1);
        debug_assert!(std::ptr::eq(member, &self.sources.members()[index]));
        Ok((index, local))
    }
}

impl Shared {
    /// Opens archives; a folder stands for all archives inside the folder.
    pub fn open(py: Python<'_>, paths: Vec<PathBuf>, map: bool) -> PyResult<Shared> {
        let paths = archives_of(paths).or_raise(py)?;
        let access = if map { Access::default() } else { Access::Read };
        let files: Vec<_> = paths.iter().map(|path| ArchiveFile::at(path).options(access)).collect();
        let sources = work::long(py, move || ArchiveSet::open(files))?.or_raise(py)?;
        let state = sources.members().iter().map(|source| {
            let archive = source.archive();
            (archive.id(), archive.sequence(), archive.file_length())
        });
        let state = state.collect();
        let opened = Opened { sources: Arc::new(sources) };
        Ok(Shared { paths, map, state, opened: RwLock::new(Some(Arc::new(opened))) })
    }

    /// Returns whether both values contain the same archives at the same commits, even if the archives were opened
    /// twice.
    pub fn is_same(&self, other: &Shared) -> bool {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        std::ptr::eq(self, other)
            || self.state == other.state && self.paths.iter().map(absolute).eq(other.paths.iter().map(absolute))
    }

    /// Returns the open archives.
    ///
    /// Errors: the archives have been closed.
    pub fn get(&self) -> PyResult<Arc<Opened>> {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        opened.clone().ok_or_else(|| PyValueError::new_err("the archive has been closed"))
    }

    /// Returns absolute paths for pickles: they are valid in a process with another working directory.
    pub fn absolute<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        PyTuple::new(py, self.paths.iter().map(absolute))
    }

    /// Reopens the archives to use newly built side files. Does not reopen archives that have changed since.
    pub fn reopen(&self, py: Python<'_>) -> PyResult<()> {
        let again = Shared::open(py, self.paths.clone(), self.map)?;
        if again.state == self.state && !self.is_closed() {
            let opened = again.get()?;
            *self.opened.write().unwrap_or_else(PoisonError::into_inner) = Some(opened);
        }
        Ok(())
    }

    /// Closes the archives: their files are closed when no other thread reads them.
    pub fn close(&self) {
        *self.opened.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub fn is_closed(&self) -> bool {
        self.opened.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

/// A path as users type it, in which a leading `~` stands for the home folder.
pub struct UserPath(pub PathBuf);

impl<'a, 'py> FromPyObject<'a, 'py> for UserPath {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<UserPath> {
        let path: PathBuf = given.extract()?;
        if !path.as_os_str().as_encoded_bytes().starts_with(b"~") {
            return Ok(UserPath(path));
        }
        let expanded = given.py().import("os.path")?.call_method1("expanduser", (path,))?;
        Ok(UserPath(expanded.extract()?))
    }
}

/// Returns the path or paths that an argument names.
pub fn paths_of(given: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if let Ok(path) = given.extract::<UserPath>() {
        return Ok(vec![path.0]);
    }
    let paths: Vec<UserPath> = items(given, "paths", MOST_PATHS)?;
    Ok(paths.into_iter().map(|path| path.0).collect())
}

/// This limit exceeds the number of paths that anybody opens at once, so an endless iterator causes an error.
pub const MOST_PATHS: usize = 1 << 20;

/// Returns the items of any iterable. Ignores the iterable's `__len__`: memory grows with the items that arrive.
///
/// Errors: an item of another type, or more than `most` items.
pub fn items<'py, T>(given: &Bound<'py, PyAny>, name: &str, most: usize) -> PyResult<Vec<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    let mut items = Vec::new();
    for item in given.try_iter()? {
        if items.len() == most {
            return Err(PyValueError::new_err(format!("{name}: more than {most}")));
        }
        items.push(item?.extract().map_err(Into::into)?);
    }
    Ok(items)
}

/// A reader of a Python file object that returns bytes, or text, which is encoded as UTF-8.
pub struct FileObject {
    file: Py<PyAny>,
    /// The bytes that were read but not yet returned, because a letter takes up to 4 bytes.
    rest: std::collections::VecDeque<u8>,
}

impl FileObject {
    /// Creates a reader of an object with the method `read`.
    pub fn new(file: &Bound<'_, PyAny>) -> FileObject {
        FileObject { file: file.clone().unbind(), rest: std::collections::VecDeque::new() }
    }
}

impl std::io::Read for FileObject {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() {
            let read = Python::attach(|py| {
                let read = self.file.bind(py).call_method1("read", (buffer.len(),))?;
                if read.is_none() { Ok(Vec::new()) } else { bytes_of(&read) }
            });
            self.rest = read.map_err(std::io::Error::other)?.into();
        }
        std::io::Read::read(&mut self.rest, buffer)
    }
}

/// Returns the bytes of a str, or of any object with a buffer of bytes.
pub fn bytes_of(given: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(text.to_str()?.as_bytes().to_vec());
    }
    PyBuffer::<u8>::get(given)?.to_vec(given.py())
}

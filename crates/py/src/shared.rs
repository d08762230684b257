//! Open archives that Python objects share, until they are closed.

use crate::failure::OrRaise;
use crate::work;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use scoresheet::archive::{Access, ArchiveId};
use scoresheet::query::SideFiles;
use scoresheet::{Error, GameRef};
use scoresheet_arrow::Sources;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Archives, how they were opened, and whether they still are.
pub struct Shared {
    pub paths: Vec<PathBuf>,
    pub map: bool,
    /// The identity, the commit and the length of each archive when it was opened.
    state: Vec<(ArchiveId, u64, u64)>,
    opened: RwLock<Option<Arc<Opened>>>,
}

/// Archives that are open.
pub struct Opened {
    pub sources: Arc<Sources>,
    /// The side files for searches of each, opened when first asked for.
    side_files: Vec<OnceLock<SideFiles>>,
}

impl Opened {
    /// Returns the side files of the archive at a place.
    pub fn side_files(&self, place: usize) -> Option<&SideFiles> {
        let archive = &self.sources.sources().get(place)?.archive;
        Some(self.side_files.get(place)?.get_or_init(|| SideFiles::open(archive)))
    }

    /// Calls `read` with game `number` of the set.
    pub fn with_game<T>(&self, number: u64, read: impl FnOnce(&GameRef<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let source = self.sources.locate(number)?;
        read(&source.archive.game(number - source.before)?)
    }
}

impl Shared {
    /// Opens archives; a folder stands for those in it.
    pub fn open(py: Python<'_>, paths: Vec<PathBuf>, map: bool) -> PyResult<Shared> {
        let paths = files(paths)?;
        let given = paths.clone();
        let access = if map { Access::default() } else { Access::Read };
        let sources = work::long(py, move || Sources::open_with(given, access))?.or_raise(py)?;
        let state = sources.sources().iter().map(|source| {
            let archive = &source.archive;
            (archive.id(), archive.sequence(), archive.file_length())
        });
        let state = state.collect();
        let side_files = sources.sources().iter().map(|_| OnceLock::new()).collect();
        let opened = Opened { sources: Arc::new(sources), side_files };
        Ok(Shared { paths, map, state, opened: RwLock::new(Some(Arc::new(opened))) })
    }

    /// Returns whether both are the same archives at the same commits, however often they were opened.
    pub fn is_same(&self, other: &Shared) -> bool {
        let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        std::ptr::eq(self, other)
            || self.state == other.state && self.paths.iter().map(whole).eq(other.paths.iter().map(whole))
    }

    /// Returns the open archives.
    ///
    /// Errors: they have been closed.
    pub fn get(&self) -> PyResult<Arc<Opened>> {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        opened.clone().ok_or_else(|| PyValueError::new_err("the archive has been closed"))
    }

    /// Closes the archives: their files are let go once no other thread is reading them.
    pub fn close(&self) {
        *self.opened.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub fn is_closed(&self) -> bool {
        self.opened.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

/// Returns the archives that paths name, those of a folder by name.
fn files(paths: Vec<PathBuf>) -> PyResult<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path);
            continue;
        }
        let is_archive = |path: &PathBuf| path.extension().is_some_and(|own| own == "bga");
        let entries = std::fs::read_dir(&path).map_err(|error| of_folder(&path, &error))?;
        let mut own: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_archive).collect();
        if own.is_empty() {
            return Err(PyValueError::new_err(format!("no archives (*.bga) in {}", path.display())));
        }
        own.sort_unstable();
        files.append(&mut own);
    }
    Ok(files)
}

fn of_folder(path: &Path, error: &std::io::Error) -> PyErr {
    crate::failure::of_io(&format!("cannot read {}: {error}", path.display()), Some(path), error)
}

/// Returns the paths that an argument names: one, or several.
pub fn paths_of(given: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if let Ok(path) = given.extract::<PathBuf>() {
        return Ok(vec![path]);
    }
    items(given, "paths", MOST_PATHS)
}

/// More paths than anybody opens at once, so that an endless iterator is an error.
const MOST_PATHS: usize = 1 << 20;

/// Returns the items of any iterable. Its `__len__` is not believed: memory grows with the items that come.
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

/// Returns the bytes of a str, or of any object with a buffer of bytes.
pub fn bytes_of(given: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(text.to_str()?.as_bytes().to_vec());
    }
    PyBuffer::<u8>::get(given)?.to_vec(given.py())
}

//! Manages open archives, which Python objects share until the archives are closed.

use crate::failure::{ArchiveError, OrRaise};
use crate::remote::{Remote, is_address};
use crate::work;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString, PyTuple};
use pyo3::{Borrowed, FromPyObject};
use scoresheet::archive::{Access, ArchiveId, archives_of};
use scoresheet::format::{Chain, State, side::Made};
use scoresheet::pgn::Encoding;
use scoresheet::{ArchiveFile, Error, GameRef};
use scoresheet_query::ArchiveSet;
use scoresheet_query::games::FileVersions;
use std::ffi::CString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Shared archives, the options with which they were opened, and whether they are still open.
pub struct Shared {
    /// The path of each archive; for others, their name.
    pub paths: Vec<PathBuf>,
    /// The archives that are not files at a path, each with its index in `paths`.
    remotes: Vec<(usize, Remote)>,
    pub map: bool,
    /// The commit of each archive when it was opened.
    commits: Vec<Made>,
    /// The files of each archive when it was opened.
    versions: Vec<FileVersions>,
    opened: RwLock<Option<Arc<Opened>>>,
}

/// Open archives.
pub struct Opened {
    pub sources: Arc<ArchiveSet>,
    /// Whether reading an archive needs the interpreter's lock.
    pub is_remote: bool,
}

impl Opened {
    /// Calls `read` with game `number` of the set.
    pub fn with_game<T>(&self, number: u64, read: impl FnOnce(&GameRef<'_>) -> Result<T, Error>) -> Result<T, Error> {
        if self.is_remote {
            // Read the parts of the game without the lock. They are then in memory for `read`, which may hold the lock.
            self.without_lock(|| self.sources.game(number)?.to_game().map(drop))?;
        }
        read(&self.sources.game(number)?)
    }

    /// Opens the tag columns of archives that are read by ranges, before a search. If they say that there are no games of
    /// variants, the search need not read the tags of every chunk to know it.
    pub fn know_variants(&self) {
        if self.is_remote {
            self.sources.columns();
        }
    }

    /// Calls `work`, which reads archives, with the interpreter's lock released if archives need it. Otherwise a thread
    /// that holds the lock could wait for the work of another thread that needs it.
    pub fn without_lock<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        if self.is_remote { Python::attach(|py| py.detach(work)) } else { work() }
    }
}

impl Shared {
    /// Opens archives; a folder stands for all archives inside the folder.
    pub fn open(py: Python<'_>, places: Vec<Place<'_>>, map: bool) -> PyResult<Shared> {
        let (mut paths, mut remotes) = (Vec::new(), Vec::new());
        for place in places {
            match place {
                Place::Path(path) => paths.extend(archives_of([path]).or_raise(py)?),
                Place::Remote(given) => {
                    let remote = Remote::open(&given)?;
                    remotes.push((paths.len(), remote));
                    paths.push(PathBuf::new());
                }
            }
        }
        for (index, remote) in &remotes {
            if let Some(path) = paths.get_mut(*index) {
                *path = remote.name(py)?;
            }
        }
        let versions = paths.iter().map(|path| FileVersions::of(path)).collect();
        let files = files(py, &paths, &remotes, map)?;
        let sources = work::long(py, move || ArchiveSet::open(files))?.or_raise(py)?;
        for archive in sources.archives() {
            if let Some(why) = archive.incomplete() {
                let text = CString::new(format!("{} is {why}", archive.path().display())).unwrap_or_default();
                PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
            }
        }
        let commits = sources.archives().map(|archive| archive.made()).collect();
        let opened = Opened { sources: Arc::new(sources), is_remote: !remotes.is_empty() };
        Ok(Shared { paths, remotes, map, commits, versions, opened: RwLock::new(Some(Arc::new(opened))) })
    }

    /// Returns whether both values contain the same archives at the same commits, even if the archives were opened
    /// twice.
    pub fn is_same(&self, other: &Shared) -> bool {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        std::ptr::eq(self, other)
            || self.commits == other.commits && self.paths.iter().map(absolute).eq(other.paths.iter().map(absolute))
    }

    /// Returns the open archives.
    ///
    /// Errors: the archives have been closed.
    pub fn get(&self) -> PyResult<Arc<Opened>> {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        opened.clone().ok_or_else(|| PyValueError::new_err("the archive has been closed"))
    }

    /// Returns the archives for pickles: their absolute paths, which are valid in a process with another working
    /// directory, how they are opened, and their commits.
    ///
    /// Errors: an archive is a file object.
    pub fn saved<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let objects = self.remotes.iter().filter_map(|(index, _)| self.paths.get(*index));
        if let Some(object) = objects.map(|name| name.to_string_lossy()).find(|name| !is_address(name)) {
            return Err(PyTypeError::new_err(format!("an archive from a file object cannot be pickled: {object}")));
        }
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let paths = PyTuple::new(py, self.names(py, absolute)?)?;
        let commits: Vec<SavedCommit> = self.commits.iter().map(saved_commit).collect();
        (paths, self.map, commits).into_pyobject(py)
    }

    /// Returns whether these archives are open, and objects from a pickle can use them: they are at the commits of the
    /// pickle, or they follow these commits and their files have not changed since they were opened.
    pub fn serves(&self, commits: &[SavedCommit]) -> bool {
        let is_current = || {
            let now = self.paths.iter().map(|path| FileVersions::of(path));
            self.remotes.is_empty() && now.eq(self.versions.iter().cloned())
        };
        !self.is_closed()
            && (self.commits.iter().map(saved_commit).eq(commits.iter().copied())
                || is_current() && self.check_follows(commits).is_ok())
    }

    /// Raises ArchiveError if an archive is not at the commit of a pickle or at a later one, because its numbers may
    /// then belong to other games.
    pub fn check_follows(&self, commits: &[SavedCommit]) -> PyResult<()> {
        let opened = self.get()?;
        let replaced = |path: &PathBuf| {
            ArchiveError::new_err(format!("{} was replaced since this pickle: open it again", path.display()))
        };
        let follows = || {
            let mut archives = self.paths.iter().zip(opened.sources.archives()).zip(commits);
            archives.find(|((_, archive), saved)| !archive.comes_after(&commit_of(saved))).map(|((path, _), _)| path)
        };
        match opened.without_lock(follows) {
            Some(path) => Err(replaced(path)),
            None => Ok(()),
        }
    }

    /// Returns the paths, and the names of archives that are not files at a path.
    pub fn names<'py>(
        &self,
        py: Python<'py>,
        path_of: impl Fn(&PathBuf) -> PathBuf,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let name = |(index, path): (usize, &PathBuf)| match self.remotes.iter().any(|(at, _)| *at == index) {
            true => Ok(PyString::new(py, &path.to_string_lossy()).into_any()),
            false => Ok(path_of(path).into_pyobject(py)?.into_any()),
        };
        self.paths.iter().enumerate().map(name).collect()
    }

    /// Returns the files of the archives, to read them again.
    pub fn files(&self, py: Python<'_>) -> PyResult<Vec<ArchiveFile>> {
        files(py, &self.paths, &self.remotes, self.map)
    }

    /// Raises an error if an archive is not a file at a path.
    pub fn check_local(&self) -> PyResult<()> {
        match self.remotes.first().and_then(|(index, _)| self.paths.get(*index)) {
            Some(name) => Err(PyValueError::new_err(format!("{}: not a file at a path", name.display()))),
            None => Ok(()),
        }
    }

    /// Reopens the archives to use newly built side files. Does not reopen archives that have changed since.
    pub fn reopen(&self, py: Python<'_>) -> PyResult<()> {
        let again = Shared::open(py, self.paths.iter().cloned().map(Place::Path).collect(), self.map)?;
        if again.commits == self.commits && !self.is_closed() {
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

/// A commit in a pickle: the archive's identity, the sequence number, the length, the number of games, the chain and
/// the offset of the commit block.
pub type SavedCommit = ([u8; 16], u64, u64, u64, [u8; 16], u64);

fn saved_commit(made: &Made) -> SavedCommit {
    let State { id, sequence, length, games, chain } = made.state;
    (id.0, sequence, length, games, chain.0, made.commit)
}

fn commit_of(&(id, sequence, length, games, chain, commit): &SavedCommit) -> Made {
    Made { state: State { id: ArchiveId(id), sequence, length, games, chain: Chain(chain) }, commit }
}

/// Returns the files of archives.
fn files(py: Python<'_>, paths: &[PathBuf], remotes: &[(usize, Remote)], map: bool) -> PyResult<Vec<ArchiveFile>> {
    let access = if map { Access::default() } else { Access::Read };
    let file = |(index, path): (usize, &PathBuf)| match remotes.iter().find(|(at, _)| *at == index) {
        Some((_, remote)) => remote.archive(py),
        None => Ok(ArchiveFile::at(path).options(access)),
    };
    paths.iter().enumerate().map(file).collect()
}

/// The place of an archive.
pub enum Place<'py> {
    /// A path of a file or a folder.
    Path(PathBuf),
    /// An address, or a file object.
    Remote(Bound<'py, PyAny>),
}

impl<'py> Place<'py> {
    /// Returns the place or places that an argument names.
    pub fn of(given: &Bound<'py, PyAny>) -> PyResult<Vec<Place<'py>>> {
        match Place::single(given)? {
            Some(place) => Ok(vec![place]),
            None => {
                let place = |given: &Bound<'py, PyAny>| Place::single(given)?.ok_or_else(|| not_a_path(given));
                paths_of(given)?.iter().map(place).collect()
            }
        }
    }

    fn single(given: &Bound<'py, PyAny>) -> PyResult<Option<Place<'py>>> {
        if given.cast::<PyString>().is_ok_and(|text| text.to_str().is_ok_and(is_address)) {
            return Ok(Some(Place::Remote(given.clone())));
        }
        if let Ok(UserPath(path)) = given.extract() {
            return Ok(Some(Place::Path(path)));
        }
        let is_file = given.hasattr("read")? && given.hasattr("seek")?;
        Ok(is_file.then(|| Place::Remote(given.clone())))
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

/// This limit exceeds the number of paths that anybody opens at once, so an endless iterator causes an error.
const MOST_PATHS: usize = 1 << 20;

/// Returns the items of a list of paths and file objects.
///
/// Errors: the argument is bytes, whose items are numbers.
pub fn paths_of<'py>(given: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let is_bytes = given.is_instance_of::<PyBytes>()
        || given.is_instance_of::<PyByteArray>()
        || given.is_instance_of::<PyMemoryView>();
    if is_bytes { Err(not_a_path(given)) } else { items(given, "paths", MOST_PATHS) }
}

/// Returns the exception for an argument of a wrong type.
pub fn not_a_path(given: &Bound<'_, PyAny>) -> PyErr {
    let kind = given.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!("{kind} is not a path or a file object"))
}

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
    encoding: Encoding,
    /// The bytes that were read but not yet returned, because a letter takes up to 4 bytes.
    rest: std::collections::VecDeque<u8>,
    raised: Raised,
}

/// The exception of a file object. Errors of the library may contain only its text.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

impl FileObject {
    /// Creates a reader of an object with the method `read`. An encoding other than `Auto` applies only to bytes, so
    /// reading text is then an error.
    pub fn new(file: &Bound<'_, PyAny>, encoding: Encoding) -> FileObject {
        let rest = std::collections::VecDeque::new();
        FileObject { file: file.clone().unbind(), encoding, rest, raised: Raised::default() }
    }

    /// Returns the place of the exception that the object raises.
    pub fn raised(&self) -> Raised {
        Arc::clone(&self.raised)
    }

    /// Returns the next bytes, at most this number of bytes or letters.
    fn next(&self, py: Python<'_>, most: usize) -> PyResult<Vec<u8>> {
        let read = self.file.bind(py).call_method1("read", (most,))?;
        if self.encoding != Encoding::Auto && read.is_instance_of::<PyString>() {
            let what = "encoding: the file object returns text, which is already decoded; pass a binary file";
            return Err(PyValueError::new_err(what));
        }
        if read.is_none() { Ok(Vec::new()) } else { bytes_of(&read) }
    }
}

impl std::io::Read for FileObject {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() {
            let read = Python::attach(|py| {
                self.next(py, buffer.len()).inspect_err(|error| {
                    *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone_ref(py));
                })
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

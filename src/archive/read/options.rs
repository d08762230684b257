//! The location of an archive's bytes, and how to read them.

use crate::archive::file_kind::FileKind;
use crate::archive::read::opening::{Opening, Tail, open_file};
use crate::archive::read::read_at::{Access, ReadExactAt, Store};
use crate::archive::read::side_bytes::SideBytes;
use crate::error::{Error, Result};
use crate::format::Limits;
use std::io;
use std::path::{Path, PathBuf};

/// Options for opening an archive: the access to its bytes, and the limits for its blocks.
///
/// ```
/// use scoresheet::archive::{Access, Limits, OpenOptions};
/// // A file that others may write to, of unknown make, on a machine with little memory.
/// let limits = Limits { block: 16 << 20, allowance_most: 1 << 20, ..Limits::default() };
/// let options = OpenOptions { access: Access::Read, limits };
/// # let _ = options;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenOptions {
    /// How to read the bytes of the file: mapped by default. Applies only to files at a path.
    pub access: Access,
    /// Limits of blocks. A block that exceeds a limit causes [`Error::Limit`](crate::Error::Limit).
    pub limits: Limits,
}

impl From<Access> for OpenOptions {
    fn from(access: Access) -> OpenOptions {
        OpenOptions { access, ..OpenOptions::default() }
    }
}

impl From<Limits> for OpenOptions {
    fn from(limits: Limits) -> OpenOptions {
        OpenOptions { limits, ..OpenOptions::default() }
    }
}

/// The file of an archive: a path, bytes in memory, or a reader that reads at any offset. `From` converts a path to
/// this type.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
/// use scoresheet::Archive;
/// use scoresheet::archive::{Access, ArchiveFile};
///
/// let mapped = Archive::open(&target)?;
/// let read = Archive::open(ArchiveFile::at(&target).options(Access::Read))?;
/// let held = Archive::open(ArchiveFile::from_bytes(std::fs::read(&target)?))?;
/// assert_eq!([mapped.len(), read.len(), held.len()], [1, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct ArchiveFile {
    path: PathBuf,
    /// The bytes, or `None` for the file at the path.
    store: Option<Store>,
    index: IndexBytes,
    side_files: Option<SideReaders>,
    options: OpenOptions,
}

/// The location of the index.
#[derive(Debug)]
enum IndexBytes {
    /// The index is in the file next to the archive.
    Beside,
    /// The index in memory, or `None` if there is no index.
    Here(Option<Vec<u8>>),
}

impl ArchiveFile {
    /// Returns the file at a path, together with its index if one exists.
    pub fn at(path: impl AsRef<Path>) -> ArchiveFile {
        let path = path.as_ref().to_path_buf();
        let options = OpenOptions::default();
        ArchiveFile { path, store: None, index: IndexBytes::Beside, side_files: None, options }
    }

    /// Returns a file in memory.
    pub fn from_bytes(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> ArchiveFile {
        ArchiveFile::from_store("archive in memory", Store::from_bytes(bytes))
    }

    /// Returns a file of `length` bytes from a positioned reader, for example a range request client, an object store,
    /// or a part of another file.
    ///
    /// Opening reads the header. The first game of a chunk takes the table of the chunk's moves and the record of the
    /// game: one request if at most 4 KiB lie between them, otherwise two, which are made at once if the reader
    /// [is concurrent](ReadExactAt::is_concurrent). The moves of other games take one or two requests of 4 KiB. Tags,
    /// texts and layout take one request of 32 KiB if that suffices, and each dictionary block that a game's tags name
    /// takes one request of at most 64 KiB. Checksums cover these blocks as a whole, so the reader reads no less. An
    /// [`Arc`](std::sync::Arc) of a reader is also a reader.
    pub fn from_reader(reader: impl ReadExactAt + 'static, length: u64) -> ArchiveFile {
        ArchiveFile::from_store("archive from a reader", Store::from_reader(reader, length))
    }

    fn from_store(name: &str, store: Store) -> ArchiveFile {
        ArchiveFile { store: Some(store), index: IndexBytes::Here(None), ..ArchiveFile::at(name) }
    }

    /// Sets the bytes of the index file. With `None`, no index is used, and opening reads the archive's block headers.
    pub fn index(mut self, index: impl Into<Option<Vec<u8>>>) -> ArchiveFile {
        self.index = IndexBytes::Here(index.into());
        self
    }

    /// Sets the path whose side files are used, for an archive that is not a file at a path. The files there must
    /// belong to this archive.
    pub fn beside(mut self, path: impl AsRef<Path>) -> ArchiveFile {
        self.path = path.as_ref().to_path_buf();
        self
    }

    /// Sets a function that opens the index and the side files, for an archive that is not a file at a path. The
    /// function returns a reader and the length of the file in bytes, or `None` if there is no such file. The index is
    /// read when the archive is opened. Of the other files, parts are read at their first use, and copied to a
    /// temporary file; [`Cached`](crate::archive::Cached) is of no use for them.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
    /// use scoresheet::Archive;
    /// use scoresheet::archive::{ArchiveFile, ReadExactAt, SideState};
    /// use std::fs::File;
    ///
    /// let file = File::open(&target)?;
    /// let length = file.metadata()?.len();
    /// let archive = Archive::open(ArchiveFile::from_reader(file, length).side_files(move |kind| {
    ///     match File::open(kind.beside(&target)) {
    ///         Ok(file) => Ok(Some((Box::new(file.try_clone()?) as Box<dyn ReadExactAt>, file.metadata()?.len()))),
    ///         Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
    ///         Err(error) => Err(error),
    ///     }
    /// }))?;
    /// assert_eq!(archive.index_state(), SideState::File);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn side_files(
        mut self,
        open: impl Fn(FileKind) -> io::Result<Option<(Box<dyn ReadExactAt>, u64)>> + Send + Sync + 'static,
    ) -> ArchiveFile {
        self.side_files = Some(SideReaders(Box::new(open)));
        self
    }

    /// Sets the options for opening the file. An [`Access`] or [`Limits`] value converts into options.
    pub fn options(mut self, options: impl Into<OpenOptions>) -> ArchiveFile {
        self.options = options.into();
        self
    }

    /// Reads the index and finds the valid commit.
    ///
    /// The outer error means that the file cannot be opened. The inner error means that the file contains no valid
    /// commit.
    pub(in crate::archive) fn open(self) -> Result<(FileParts, Result<(Store, Opening)>)> {
        let ArchiveFile { path, store, index, side_files, options } = self;
        let opened = match store {
            Some(store) => Opening::read(&store, &path, Tail::Leave).map(|opening| (store, opening)),
            None => {
                let file = open_file(&path)?;
                Opening::from_file(&file, &path, options.access, Tail::Leave)
            }
        };
        let index = match index {
            IndexBytes::Here(index) => index,
            IndexBytes::Beside => match std::fs::read(FileKind::Index.of_archive(&path)) {
                // Nothing can be read of it, as of a damaged file.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some(Vec::new()),
                read => read.ok(),
            },
        };
        let index = match (index, &side_files) {
            // Without a valid header, the index is of no use.
            (None, Some(files)) if opened.is_ok() => {
                files.index().map_err(Error::io("cannot read", &FileKind::Index.beside(&path)))?
            }
            (index, _) => index,
        };
        Ok((FileParts { path, index, side_files, options }, opened))
    }

    /// Returns all bytes of the file, without interpreting them.
    pub(in crate::archive) fn store(self) -> Result<(Store, PathBuf, OpenOptions)> {
        let ArchiveFile { path, store, options, .. } = self;
        if let Some(store) = store {
            return Ok((store, path, options));
        }
        let file = open_file(&path)?;
        let length = file.metadata().map_err(Error::io("cannot read", &path))?.len();
        let store = Store::from_file(file, length, options.access).map_err(Error::io("cannot map", &path))?;
        Ok((store, path, options))
    }
}

/// The data of an [`ArchiveFile`] after opening, apart from its bytes.
pub(in crate::archive) struct FileParts {
    pub path: PathBuf,
    pub index: Option<Vec<u8>>,
    pub side_files: Option<SideReaders>,
    pub options: OpenOptions,
}

type OpenSideFile = dyn Fn(FileKind) -> io::Result<Option<(Box<dyn ReadExactAt>, u64)>> + Send + Sync;

/// A function that opens the index and the side files of an archive.
pub(in crate::archive) struct SideReaders(Box<OpenSideFile>);

/// A longer index cannot belong to an archive: it has fewer bytes for a block than the block.
const MOST_INDEX: u64 = 1 << 30;

impl SideReaders {
    /// Returns the bytes of a side file, or `None` if there is no such file.
    pub fn open(&self, kind: FileKind) -> io::Result<Option<SideBytes>> {
        (self.0)(kind)?.map(|(reader, length)| SideBytes::from_reader(reader, length)).transpose()
    }

    fn index(&self) -> io::Result<Option<Vec<u8>>> {
        let Some((reader, length)) = (self.0)(FileKind::Index)?.filter(|(_, length)| *length <= MOST_INDEX) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length as usize).map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.resize(length as usize, 0);
        reader.read_exact_at(0, &mut bytes)?;
        Ok(Some(bytes))
    }
}

impl std::fmt::Debug for SideReaders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SideReaders").finish_non_exhaustive()
    }
}

impl<P: AsRef<Path>> From<P> for ArchiveFile {
    fn from(path: P) -> ArchiveFile {
        ArchiveFile::at(path)
    }
}

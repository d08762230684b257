//! The location of an archive's bytes, and the way in which they are read.

use crate::archive::file_kind::FileKind;
use crate::archive::read::opening::{Opening, Tail};
use crate::archive::read::read_at::{Access, ReadExactAt, Store};
use crate::error::{Error, Result};
use crate::format::Limits;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Options for opening an archive: access to its bytes, and limits for its blocks.
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
    /// The way in which the file's bytes are read: mapped by default. Applies to files at a path.
    pub access: Access,
    /// Limits of blocks. A block beyond a limit gives [`Error::Limit`](crate::Error::Limit).
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

/// The file of an archive: a path, bytes in memory, or a positioned reader. `From` converts a path to this type.
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
    options: OpenOptions,
}

/// The place from which the index is read.
#[derive(Debug)]
enum IndexBytes {
    /// In the file beside the archive.
    Beside,
    /// In memory; `None` if there is no index.
    Here(Option<Vec<u8>>),
}

impl ArchiveFile {
    /// Returns the file at a path, with its index, if any.
    pub fn at(path: impl AsRef<Path>) -> ArchiveFile {
        let path = path.as_ref().to_path_buf();
        ArchiveFile { path, store: None, index: IndexBytes::Beside, options: OpenOptions::default() }
    }

    /// Returns a file in memory.
    pub fn from_bytes(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> ArchiveFile {
        ArchiveFile::from_store("archive in memory", Store::from_bytes(bytes))
    }

    /// Returns a file of `length` bytes from a positioned reader: range requests, an object store, a file in a file.
    ///
    /// Opening reads the header. Later reads are: the moves of the first game of a chunk in one request of about 50 KiB
    /// (two if more than 128 KiB are needed), the moves of other games in one or two requests of 4 KiB, and tags, texts
    /// and layout in one request of 32 KiB if that suffices. An [`Arc`](std::sync::Arc) of a reader is also a reader.
    pub fn from_reader(reader: impl ReadExactAt + 'static, length: u64) -> ArchiveFile {
        ArchiveFile::from_store("archive from a reader", Store::from_reader(reader, length))
    }

    fn from_store(name: &str, store: Store) -> ArchiveFile {
        ArchiveFile { store: Some(store), index: IndexBytes::Here(None), ..ArchiveFile::at(name) }
    }

    /// Sets the bytes of the index file. With `None` no index is read: the archive's block headers are walked.
    pub fn index(mut self, index: impl Into<Option<Vec<u8>>>) -> ArchiveFile {
        self.index = IndexBytes::Here(index.into());
        self
    }

    /// Sets the path whose side files are used, for an archive that is not a file at a path; they must be copies of its
    /// side files.
    pub fn beside(mut self, path: impl AsRef<Path>) -> ArchiveFile {
        self.path = path.as_ref().to_path_buf();
        self
    }

    /// Sets the options for opening the file. An [`Access`] or [`Limits`] converts into options.
    pub fn options(mut self, options: impl Into<OpenOptions>) -> ArchiveFile {
        self.options = options.into();
        self
    }

    /// Reads the index and finds the valid commit.
    ///
    /// The outer error means that the file cannot be opened; the inner error, that no commit can be found in it.
    pub(in crate::archive) fn open(self) -> Result<(FileParts, Result<(Store, Opening)>)> {
        let ArchiveFile { path, store, index, options } = self;
        let opened = match store {
            Some(store) => Opening::read(&store, &path, Tail::Leave).map(|opening| (store, opening)),
            None => {
                let file = File::open(&path).map_err(Error::io("cannot open", &path))?;
                Opening::from_file(&file, &path, options.access, Tail::Leave)
            }
        };
        let index = match index {
            IndexBytes::Here(index) => index,
            IndexBytes::Beside => std::fs::read(FileKind::Index.of_archive(&path)).ok(),
        };
        Ok((FileParts { path, index, options }, opened))
    }

    /// Returns all bytes of the file, without interpreting them.
    pub(in crate::archive) fn store(self) -> Result<(Store, PathBuf, OpenOptions)> {
        let ArchiveFile { path, store, options, .. } = self;
        if let Some(store) = store {
            return Ok((store, path, options));
        }
        let file = File::open(&path).map_err(Error::io("cannot open", &path))?;
        let length = file.metadata().map_err(Error::io("cannot read", &path))?.len();
        let store = Store::from_file(file, length, options.access).map_err(Error::io("cannot map", &path))?;
        Ok((store, path, options))
    }
}

/// The data of an [`ArchiveFile`] after opening, besides its bytes.
pub(in crate::archive) struct FileParts {
    pub path: PathBuf,
    pub index: Option<Vec<u8>>,
    pub options: OpenOptions,
}

impl<P: AsRef<Path>> From<P> for ArchiveFile {
    fn from(path: P) -> ArchiveFile {
        ArchiveFile::at(path)
    }
}

//! Files that take their name when they are whole, and the lock that keeps a second writer out.

use super::index_path;
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::format::ArchiveId;
use crate::format::index::Index;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A new archive file, which takes its name only when it is whole or has its header.
pub enum NewFile {
    /// The file has its name.
    Named(PathBuf),
    /// The file takes its name, and the place of what is there, at the end. Until then what is there is locked.
    Replacing(tempfile::TempPath, PathBuf, Option<File>),
}

impl NewFile {
    /// Makes a file with the header of an empty archive. With `replace` an existing file stays until `finish`; without, it is an error.
    pub fn create(path: &Path, id: ArchiveId, replace: bool) -> Result<(NewFile, Writer<File>)> {
        if !replace && path.exists() {
            return Err(Error::Exists { path: path.to_path_buf() });
        }
        let doing = "cannot create";
        // An archive that somebody is writing to is not replaced under his hands.
        let replaced = match File::open(path) {
            Ok(file) if replace => match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(busy(path)),
                _ => Some(file),
            },
            _ => None,
        };
        let file = temporary(path).map_err(Error::io(doing, path))?;
        lock(file.as_file(), path)?;
        let (file, temporary) = file.into_parts();
        let writer = Writer::create(file, id).map_err(Error::io("cannot write", path))?;
        if replace {
            return Ok((NewFile::Replacing(temporary, path.to_path_buf(), replaced), writer));
        }
        temporary.persist_noclobber(path).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => Error::Exists { path: path.to_path_buf() },
            _ => Error::io(doing, path)(error.error),
        })?;
        sync_folder(path);
        Ok((NewFile::Named(path.to_path_buf()), writer))
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<()> {
        if let NewFile::Replacing(temporary, path, mut lock) = self {
            if cfg!(windows) {
                // A file that is open is not replaced there.
                drop(lock.take());
            }
            temporary.persist(&path).map_err(|error| Error::io("cannot replace", &path)(error.error))?;
            sync_folder(&path);
        }
        Ok(())
    }

    /// Takes the file away again.
    pub fn remove(self) {
        match self {
            NewFile::Named(path) => drop(std::fs::remove_file(path)),
            NewFile::Replacing(temporary, ..) => drop(temporary),
        }
    }
}

pub(super) fn lock(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(busy(path)),
        // Some file systems have no locks: a writer there is on its own.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(Error::io("cannot lock", path)(error)),
    }
}

fn busy(path: &Path) -> Error {
    let busy = io::Error::new(io::ErrorKind::ResourceBusy, "another program is writing to it");
    Error::io("cannot open", path)(busy)
}

/// Writes a whole file: to a temporary one in the same folder, synced, and renamed.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || {
        let mut file = temporary(path)?;
        file.write_all(bytes)?;
        file.as_file().sync_data()?;
        file.persist(path).map_err(|error| error.error)
    };
    write().map_err(Error::io("cannot write", path))?;
    sync_folder(path);
    Ok(())
}

/// Writes the index of an archive beside it.
pub fn write_index(archive: &Path, index: &Index) -> Result<()> {
    write_whole(&index_path(archive), &index.encode())
}

pub(crate) fn temporary(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".scoresheet-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: what the umask leaves of it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(path))
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Makes a rename durable where the system lets a folder be synced; elsewhere it is durable when the system sees fit.
pub(crate) fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(folder(path)) {
        let _ = folder.sync_all();
    }
}

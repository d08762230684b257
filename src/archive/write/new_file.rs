//! Creates archive files atomically (under a temporary name until complete), and locks them against a second writer.

use crate::archive::existing::Existing;
use crate::archive::file_kind::{FileKind, remove_beside};
use crate::archive::write::temporary::{self, Permissions, Temporary, folder_of};
use crate::archive::write::writer::Writer;
use crate::error::{Error, Result};
use crate::format::ArchiveId;
use crate::format::index::Index;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A new archive file. It receives its final name when it is complete, or as soon as its header is written.
pub struct NewFile {
    path: PathBuf,
    /// The temporary name of the file, or `None` once the file has its final name.
    temporary: Option<Temporary>,
    replace: bool,
    /// The existing file, locked until the new file replaces it.
    replaced: Option<File>,
    keeps_beside: bool,
}

impl NewFile {
    /// Creates a file with the header of an empty archive. A file to be replaced remains until `finish`. Without
    /// replacement, an existing file is an error. A file that replaces no other receives at most the permissions
    /// `most` of the inputs.
    pub fn create(
        path: &Path,
        id: ArchiveId,
        existing: Existing,
        most: Permissions,
    ) -> Result<(NewFile, Writer<File>)> {
        let (mut new, writer) = NewFile::create_unnamed(path, id, existing, most)?;
        if !new.replace {
            new.give_name()?;
        }
        Ok((new, writer))
    }

    /// Creates a file like `create`, but always renames it only at the end: an incomplete copy would be an archive that
    /// silently lacks games.
    pub fn create_unnamed(
        path: &Path,
        id: ArchiveId,
        existing: Existing,
        most: Permissions,
    ) -> Result<(NewFile, Writer<File>)> {
        let replace = existing == Existing::Replace;
        if !replace && path.exists() {
            return Err(Error::Exists { path: path.to_path_buf() });
        }
        // An archive with an active writer must not be replaced.
        let replaced = match File::open(path) {
            Ok(file) if replace => match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(busy(path)),
                _ => Some(file),
            },
            _ => None,
        };
        temporary::sweep(folder_of(path));
        let (file, temporary) = Temporary::create(path, path, most).map_err(Error::io("cannot create", path))?;
        lock(&file, path)?;
        let writer = Writer::create(file, id).map_err(Error::io("cannot write", path))?;
        Ok((
            NewFile { path: path.to_path_buf(), temporary: Some(temporary), replace, replaced, keeps_beside: false },
            writer,
        ))
    }

    /// Returns whether the file still has its temporary name.
    pub fn is_unnamed(&self) -> bool {
        self.temporary.is_some()
    }

    /// Renames the file to its final name and keeps the side files of the replaced file. The caller updates these side
    /// files.
    pub(in crate::archive) fn finish_beside(mut self) -> Result<()> {
        self.keeps_beside = true;
        self.give_name()
    }

    fn give_name(&mut self) -> Result<()> {
        let Some(temporary) = self.temporary.take() else { return Ok(()) };
        let replaced = self.replaced.take();
        let is_replaced = replaced.is_some();
        // Windows cannot replace an open file. On other systems, the old file stays locked until it is replaced.
        let _lock = replaced.filter(|_| !cfg!(windows));
        let path = &self.path;
        temporary.persist(path, self.replace).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists if !self.replace => Error::Exists { path: path.clone() },
            _ => Error::io(if self.replace { "cannot replace" } else { "cannot create" }, path)(error),
        })?;
        if is_replaced && !self.keeps_beside {
            remove_beside(path);
        }
        sync_folder(path);
        Ok(())
    }

    /// Renames the file to its final name.
    pub fn finish(mut self) -> Result<()> {
        self.give_name()
    }

    /// Returns the path of the unnamed file.
    pub(in crate::archive) fn unnamed_path(&self) -> Option<&Path> {
        self.temporary.as_ref().and_then(Temporary::path)
    }

    /// Removes the file.
    pub fn remove(self) {
        if self.temporary.is_none() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// How often to try to lock a file, and the time between two attempts.
const LOCK_ATTEMPTS: (u32, Duration) = (10, Duration::from_millis(10));

/// Locks a file. If another thread is starting a program at this time, that program holds a copy of each lock of this
/// process for a moment, so an attempt that fails is repeated.
pub(in crate::archive) fn lock(file: &File, path: &Path) -> Result<()> {
    let (attempts, pause) = LOCK_ATTEMPTS;
    let mut locked = file.try_lock();
    for _ in 1..attempts {
        if !matches!(locked, Err(TryLockError::WouldBlock)) {
            break;
        }
        std::thread::sleep(pause);
        locked = file.try_lock();
    }
    match locked {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(busy(path)),
        // Some file systems do not support locks. On these systems, a second writer is not excluded.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(Error::io("cannot lock", path)(error)),
    }
}

fn busy(path: &Path) -> Error {
    let busy = io::Error::new(io::ErrorKind::ResourceBusy, "another program is writing to it");
    Error::io("cannot open", path)(busy)
}

/// Writes a complete side file of an archive, with the archive's permissions. The data is written to a temporary file
/// in the same folder, which is synced and renamed.
pub fn write_side(archive: &Path, path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || {
        let (mut file, temporary) = Temporary::create(path, archive, Permissions::from_inputs([archive]))?;
        file.write_all(bytes)?;
        file.sync_data()?;
        drop(file);
        temporary.persist(path, true)
    };
    write().map_err(Error::io("cannot write", path))?;
    sync_folder(path);
    Ok(())
}

/// Writes the index of an archive.
pub fn write_index(archive: &Path, index: &Index) -> Result<()> {
    write_side(archive, &FileKind::Index.of_archive(archive), &index.encode())
}

/// Makes a rename durable if the system can sync a folder. Otherwise, the system decides when to write it.
pub fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
}

//! Files that take their name when they are whole, and the lock that keeps a second writer out.

use super::index_path;
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::format::ArchiveId;
use crate::format::index::Index;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

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
        sweep(folder(path), LEFT_BEHIND);
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

    /// Does as `create`, but the file takes its name at the end in any case: half a copy is an archive that lacks games and does not say so.
    pub fn create_whole(path: &Path, id: ArchiveId, replace: bool) -> Result<(NewFile, Writer<File>)> {
        if !replace && path.exists() {
            return Err(Error::Exists { path: path.to_path_buf() });
        }
        NewFile::create(path, id, true)
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

/// What the names of temporary files begin with.
const PREFIX: &str = ".scoresheet-";
/// How long nobody has touched a temporary file whose process is gone. An archive in the making is locked, too, but other files are not.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes the temporary files of a folder that processes have left behind that were killed: untouched for so long, and locked by nobody.
fn sweep(folder: &Path, untouched: Duration) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let ours = entries.flatten().filter(|entry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    for entry in ours {
        let is_old = entry.metadata().is_ok_and(|file| {
            file.is_file() && file.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age >= untouched))
        });
        if is_old && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            // What cannot be removed stays; it is in nobody's way.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

pub(crate) fn temporary(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn what_a_killed_process_left_goes_and_what_is_in_use_stays() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - LEFT_BEHIND - Duration::from_secs(60);
        let made = |name: &str, time| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(time).unwrap();
            file
        };
        for (name, time) in [
            (".scoresheet-left", old),
            (".scoresheet-fresh", SystemTime::now()),
            ("games.bga", old),
            ("scoresheet-mine", old),
        ] {
            drop(made(name, time));
        }
        let locked = made(".scoresheet-locked", old);
        locked.lock().unwrap();
        std::fs::create_dir(folder.path().join(".scoresheet-folder")).unwrap();
        let (new, writer) = NewFile::create(&folder.path().join("new.bga"), ArchiveId::default(), false).unwrap();
        drop(writer);
        new.finish().unwrap();
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let left = [".scoresheet-folder", ".scoresheet-fresh", ".scoresheet-locked"];
        assert_eq!(names, [left.as_slice(), &["games.bga", "new.bga", "scoresheet-mine"]].concat());
    }
}

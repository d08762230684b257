//! The folder of an executor's temporary files, which is removed after the process ends, even if the process was
//! killed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PREFIX: &str = "scoresheet-executor-";
/// The name of the file that the process of a folder keeps locked.
const LOCK: &str = "lock";

/// A temporary folder. The folder is removed when this value is dropped. If the process was killed, the next executor
/// removes it.
#[derive(Debug)]
pub struct Temporary {
    folder: TempDir,
    _lock: File,
}

impl Temporary {
    /// Creates a folder in `parent` (default: the system's temporary folder), and removes the folders of killed
    /// executors.
    ///
    /// Errors: the folder cannot be created.
    pub fn new(parent: Option<&Path>) -> io::Result<Temporary> {
        let parent = parent.map_or_else(std::env::temp_dir, Path::to_path_buf);
        sweep(&parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&parent)?;
        // The lock file gets its final name only after it is locked.
        let early = folder.path().join("lock-new");
        let lock = File::create(&early)?;
        lock.lock()?;
        fs::rename(early, folder.path().join(LOCK))?;
        Ok(Temporary { folder, _lock: lock })
    }

    /// Creates a folder inside this folder, and returns its path.
    ///
    /// Errors: the folder cannot be created.
    pub fn folder(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.folder.path().join(name);
        fs::create_dir_all(&path)?;
        Ok(path)
    }
}

/// Removes the folders of executors that have ended, if possible.
fn sweep(parent: &Path) {
    let Ok(entries) = parent.read_dir() else { return };
    for entry in entries.filter_map(Result::ok) {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let lock = is_ours.then(|| File::open(entry.path().join(LOCK)).ok()).flatten();
        if lock.is_some_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_keeps_its_folder_and_what_was_killed_loses_it() {
        let parent = tempfile::tempdir().unwrap();
        let running = Temporary::new(Some(parent.path())).unwrap();
        let killed = Temporary::new(Some(parent.path())).unwrap();
        let others = parent.path().join("scoresheet-executor-without-lock");
        fs::create_dir(&others).unwrap();
        let (kept, left) = (running.folder("shuffles").unwrap(), killed.folder("shuffles").unwrap());
        // As after a kill: the lock is gone, but the folder remains.
        let Temporary { folder, _lock } = killed;
        let _ = folder.keep();
        drop(_lock);
        let next = Temporary::new(Some(parent.path())).unwrap();
        assert!(kept.exists() && !left.exists() && others.exists());
        drop((running, next));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }
}

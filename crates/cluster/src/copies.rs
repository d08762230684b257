//! Manages copies of side files from an object store, in one folder per archive. If the total size exceeds a limit, the
//! least recently used copies are removed.
//!
//! This module manages folders and their sizes; `store` determines which files are copied, and when.

use scoresheet::archive::FileKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// All folders of copies.
#[derive(Debug)]
pub struct Copies {
    folder: PathBuf,
    most: u64,
    /// The copies, in the order of their last use.
    kept: Mutex<Vec<Arc<Copy>>>,
}

/// The copies of one archive's side files.
#[derive(Debug)]
pub struct Copy {
    folder: PathBuf,
    files: Mutex<Files>,
    is_gone: AtomicBool,
}

/// The requested side files, each with its size.
#[derive(Debug, Default)]
pub struct Files(Vec<(FileKind, u64)>);

impl Files {
    /// Returns whether a file was requested before.
    pub fn has(&self, kind: FileKind) -> bool {
        self.0.iter().any(|(known, _)| *known == kind)
    }

    /// Adds a file with its size in bytes, 0 for a missing file.
    pub fn add(&mut self, kind: FileKind, bytes: u64) {
        self.0.push((kind, bytes));
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|(_, bytes)| bytes).sum()
    }
}

impl Copy {
    /// Returns the folder that contains this archive's name among the copies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Locks the files against removal; `None` if the files were removed.
    pub fn hold(&self) -> Option<MutexGuard<'_, Files>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        (!self.is_gone()).then_some(files)
    }

    /// Returns whether the files were removed to make room for other files.
    pub fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Acquire)
    }

    /// Removes the files, unless they are locked. Returns whether the files were removed.
    fn remove(&self) -> bool {
        let _files = match self.files.try_lock() {
            Ok(files) => files,
            Err(TryLockError::Poisoned(files)) => files.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        self.is_gone.store(true, Ordering::Release);
        // A folder that cannot be removed now is removed with its parent.
        let _ = std::fs::remove_dir_all(&self.folder);
        true
    }

    /// Returns the total size of the files in bytes, without a file that is being copied.
    fn bytes(&self) -> u64 {
        self.files.try_lock().map_or(0, |files| files.bytes())
    }
}

impl Copies {
    /// Creates a set of copies in a folder, with at most `most` bytes in total. The most recent copy remains even if it
    /// exceeds this limit.
    pub fn new(folder: PathBuf, most: u64) -> Copies {
        Copies { folder, most, kept: Mutex::default() }
    }

    /// Returns the folder for the copies of an archive.
    pub fn folder_of(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the copies of an archive.
    ///
    /// Errors: the folder cannot be created.
    pub fn of(&self, name: &str) -> std::io::Result<Arc<Copy>> {
        let folder = self.folder_of(name);
        let mut kept = self.lock();
        if let Some(known) = kept.iter().find(|copy| copy.folder == folder) {
            return Ok(Arc::clone(known));
        }
        std::fs::create_dir_all(&folder)?;
        let new = Arc::new(Copy { folder, files: Mutex::default(), is_gone: AtomicBool::new(false) });
        kept.push(Arc::clone(&new));
        Ok(new)
    }

    /// Marks copies as used. If the total size is above the limit, removes the least recently used copies.
    pub fn touch(&self, copy: &Arc<Copy>) {
        let mut kept = self.lock();
        kept.retain(|known| !Arc::ptr_eq(known, copy));
        let mut bytes = kept.iter().map(|copy| copy.bytes()).sum::<u64>() + copy.bytes();
        kept.retain(|old| {
            let size = old.bytes();
            let goes = bytes > self.most && size > 0 && old.remove();
            bytes -= if goes { size } else { 0 };
            !goes
        });
        if !copy.is_gone() {
            kept.push(Arc::clone(copy));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Copy>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_within_their_bound() {
        let folder = tempfile::tempdir().unwrap();
        let copies = Copies::new(folder.path().to_path_buf(), 250);
        let names = ["a", "b", "c", "d"];
        let touch = |index: usize, bytes: usize| {
            let copy = copies.of(names[index]).unwrap();
            let mut files = copy.hold().unwrap();
            if !files.has(FileKind::TagColumns) {
                std::fs::write(copy.folder().join("games.bgh"), vec![0; bytes]).unwrap();
                files.add(FileKind::TagColumns, bytes as u64);
            }
            drop(files);
            copies.touch(&copy);
            names.map(|name| copies.folder_of(name).exists())
        };
        assert_eq!(touch(0, 100), [true, false, false, false]);
        let first = copies.of("a").unwrap();
        assert_eq!(touch(1, 100), [true, true, false, false]);
        assert_eq!(touch(0, 100), [true, true, false, false]);
        assert_eq!(touch(2, 100), [true, false, true, false]);
        assert!(!first.is_gone());
        assert_eq!(touch(3, 1000), [false, false, false, true]);
        assert!(first.is_gone() && first.hold().is_none(), "who has them open learns that they have gone");
        // A removed copy returns under the same name; a locked one stays.
        let again = copies.of("a").unwrap();
        assert!(!Arc::ptr_eq(&first, &again));
        let mut held = again.hold().unwrap();
        std::fs::write(again.folder().join("games.bgh"), "100").unwrap();
        held.add(FileKind::TagColumns, 100);
        assert_eq!(touch(1, 1000), [true, true, false, false]);
        drop(held);
        assert_eq!(touch(2, 1000), [false, false, true, false]);
    }
}

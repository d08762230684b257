//! Copies of side files of archives in an object store: a folder an archive, within a bound, those used last kept.
//!
//! Knows folders and their sizes; what is copied there and when, `store` says.

use scoresheet::archive::FileKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// Folders of copies.
#[derive(Debug)]
pub struct Copies {
    folder: PathBuf,
    most: u64,
    /// Those used last are last.
    kept: Mutex<Vec<Arc<Copy>>>,
}

/// The copies of one archive's side files.
#[derive(Debug)]
pub struct Copy {
    folder: PathBuf,
    files: Mutex<Files>,
    is_gone: AtomicBool,
}

/// What has been looked for, and how many bytes of it there were.
#[derive(Debug, Default)]
pub struct Files(Vec<(FileKind, u64)>);

impl Files {
    /// Returns whether a file has been looked for.
    pub fn has(&self, kind: FileKind) -> bool {
        self.0.iter().any(|(own, _)| *own == kind)
    }

    /// Notes that a file of so many bytes is there, or none, which has 0.
    pub fn add(&mut self, kind: FileKind, bytes: u64) {
        self.0.push((kind, bytes));
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|(_, bytes)| bytes).sum()
    }
}

impl Copy {
    /// Returns the folder of an archive that has this name among copies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Holds the files, so that they stay meanwhile; `None` where they have gone.
    pub fn hold(&self) -> Option<MutexGuard<'_, Files>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        (!self.is_gone()).then_some(files)
    }

    /// Returns whether they have been removed for others.
    pub fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Acquire)
    }

    /// Removes the files, unless somebody holds them. Returns whether they have gone.
    fn remove(&self) -> bool {
        let _files = match self.files.try_lock() {
            Ok(files) => files,
            Err(TryLockError::Poisoned(files)) => files.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        self.is_gone.store(true, Ordering::Release);
        // What cannot be removed now goes with the folder of all.
        let _ = std::fs::remove_dir_all(&self.folder);
        true
    }

    /// Returns how many bytes there are, as far as nobody is adding some.
    fn bytes(&self) -> u64 {
        self.files.try_lock().map_or(0, |files| files.bytes())
    }
}

impl Copies {
    /// Returns copies in a folder, of at most `most` bytes together; those used last stay in any case.
    pub fn new(folder: PathBuf, most: u64) -> Copies {
        Copies { folder, most, kept: Mutex::default() }
    }

    /// Returns where the copies of an archive are, or will be.
    pub fn folder_of(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the copies of an archive.
    ///
    /// Errors: their folder cannot be made.
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

    /// Notes that copies are in use. Those that have not been for longest go, if there are too many bytes.
    pub fn touch(&self, copy: &Arc<Copy>) {
        let mut kept = self.lock();
        kept.retain(|own| !Arc::ptr_eq(own, copy));
        let mut bytes = kept.iter().map(|copy| copy.bytes()).sum::<u64>() + copy.bytes();
        kept.retain(|old| {
            let own = old.bytes();
            let goes = bytes > self.most && own > 0 && old.remove();
            bytes -= if goes { own } else { 0 };
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
        let touch = |place: usize, bytes: usize| {
            let copy = copies.of(names[place]).unwrap();
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
        // What goes comes again under its name; what somebody holds stays.
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

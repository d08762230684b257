//! Notices changes of archives that are open.

use scoresheet::archive::FileKind;
use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

/// The versions of an archive's file and of its side files. If they are equal before two openings, the archive is the
/// same.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FileVersions([Option<Version>; FileKind::ALL.len()]);

/// The properties that identify a version of a file. The number is necessary because, within a tick of the clock, a new
/// file of the same length can replace the file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Version {
    length: u64,
    modified: Option<SystemTime>,
    /// The device and the inode, on systems that number files.
    number: Option<(u64, u64)>,
}

impl FileVersions {
    /// Returns the versions of the files of the archive at a path. Missing files have none.
    pub fn of(archive: &Path) -> FileVersions {
        FileVersions(FileKind::ALL.map(|kind| {
            let path = if kind == FileKind::Archive { archive.to_path_buf() } else { kind.of_archive(archive) };
            fs::metadata(path).ok().map(|file| Version::of(&file))
        }))
    }
}

impl Version {
    fn of(file: &Metadata) -> Version {
        #[cfg(unix)]
        let number = Some((std::os::unix::fs::MetadataExt::dev(file), std::os::unix::fs::MetadataExt::ino(file)));
        #[cfg(not(unix))]
        let number = None;
        Version { length: file.len(), modified: file.modified().ok(), number }
    }
}

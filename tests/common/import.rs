//! Makes archives from PGN files for most tests: no reports of faults, no stop flag.

use scoresheet::Existing;
use scoresheet::import::Summary;
use scoresheet::{Archive, Error, Import, ImportOptions, Result};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Imports files with these options.
pub fn try_import(sources: &[PathBuf], target: &Path, options: &ImportOptions) -> Result<Summary> {
    Import::new(target).options(options.clone()).run(sources)
}

/// Returns an archive of these files alone; replaces an existing one.
pub fn archive_of(sources: &[PathBuf], target: &Path, options: ImportOptions) -> Archive {
    try_import(sources, target, &ImportOptions { existing: Existing::Replace, ..options }).unwrap();
    Archive::open(target).unwrap()
}

/// Appends a file to an archive, or creates the archive.
pub fn append(source: &Path, target: &Path, options: ImportOptions) -> Summary {
    let options = ImportOptions { existing: Existing::Append, ..options };
    // A process that another test is about to start keeps this process's files and locks until it runs.
    for _ in 0..1000 {
        match try_import(&[source.to_path_buf()], target, &options) {
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::ResourceBusy => {
                std::thread::sleep(Duration::from_millis(2));
            }
            done => return done.unwrap(),
        }
    }
    panic!("the lock is not given back");
}

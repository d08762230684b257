//! Lists the files in folders.

use crate::error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files in a folder and its subfolders with one of these extensions (lower case), sorted by path. Symbolic
/// links to folders are not followed. Broken links are included, so opening them reports the error.
///
/// Errors: a folder cannot be read.
pub fn files_in(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        let unreadable = |source| Error::Io { doing: "cannot read", path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().to_ascii_lowercase());
            if entry.file_type().map_err(unreadable)?.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|end| name.ends_with(end))
                // macOS stores metadata in files with this prefix.
                && !name.starts_with("._")
                && (path.is_file() || path.is_symlink() && !path.exists())
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the archives at these paths. A folder represents the archives in it.
///
/// Errors: a folder cannot be read, or contains no archives.
pub fn archives_of(paths: impl IntoIterator<Item = PathBuf>) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path);
            continue;
        }
        let archives = files_in(&path, &[".bga"])?;
        if archives.is_empty() {
            let what = "no archives (*.bga) in this folder".to_owned();
            return Err(Error::Input { name: path.display().to_string(), what, source: None });
        }
        files.extend(archives);
    }
    Ok(files)
}

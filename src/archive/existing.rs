//! How to treat an existing file.

/// How to treat a file that already exists at the path of a new file.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
/// use scoresheet::{ArchiveWriter, Error, Existing, Import, import::ImportOptions};
///
/// assert!(matches!(Import::new(&target).run_reader("more.pgn", &b"1. d4 *\n"[..]), Err(Error::Exists { .. })));
/// let options = ImportOptions { existing: Existing::Append, ..ImportOptions::default() };
/// let summary = Import::new(&target).options(options).run_reader("more.pgn", &b"1. d4 *\n"[..])?;
/// assert_eq!(summary.totals.games, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Existing {
    /// Keep the existing file and return an error.
    #[default]
    Refuse,
    /// Replace the existing file when the new one is complete.
    Replace,
    /// Append to the existing file. If the format does not support appending, the file is unchanged and an error is
    /// returned.
    Append,
}

impl Existing {
    /// Returns the variant for the value of `--force`.
    #[doc(hidden)]
    pub fn from_force(force: bool) -> Existing {
        if force { Existing::Replace } else { Existing::Refuse }
    }
}

//! Determines whether an index or side file belongs to an archive.

/// How an index or side file was obtained, or the reason why it is ignored.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
/// use scoresheet::{Archive, archive::SideState};
///
/// assert_eq!(Archive::open(&target)?.index_state(), SideState::File);
/// let index = target.with_extension("bgi");
/// std::fs::write(&index, b"not an index")?;
/// assert_eq!(Archive::open(&target)?.index_state(), SideState::Damaged);
/// std::fs::remove_file(&index)?;
/// assert_eq!(Archive::open(&target)?.index_state(), SideState::Missing);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideState {
    /// The data was read from the file.
    File,
    /// The file is missing.
    Missing,
    /// The file belongs to another archive, to another state of this archive, or to another version of the format.
    Stale,
    /// The file is damaged, or its permissions forbid reading it.
    Damaged,
}

impl SideState {
    /// Returns the reason why a file that cannot be decoded is ignored: the file is damaged, or its version may have
    /// another layout. The version and the magic number are at the same offsets in all files.
    #[doc(hidden)]
    pub fn of_unreadable(file: &[u8], versions: &[(u16, u16)]) -> SideState {
        let is_other = |found: &[u8]| {
            versions.iter().all(|(major, minor)| [*major, *minor].map(u16::to_le_bytes).as_flattened() != found)
        };
        if file.starts_with(b"\x89BG") && file.get(8..12).is_some_and(is_other) {
            return SideState::Stale;
        }
        SideState::Damaged
    }
}

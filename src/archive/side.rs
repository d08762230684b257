//! The files beside an archive: its index and the caches that make searches fast. Where they are, and whether they belong to it.

use crate::format::side;
use std::path::{Path, PathBuf};

/// A kind of file beside an archive. All are caches: each can be made again from the archive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SideFile {
    /// The index, `.bgi`.
    Index,
    /// The signatures, `.bgs`.
    Signatures,
    /// The position index, `.bgp`.
    Positions,
    /// The tag columns, `.bgh`.
    TagColumns,
}

impl SideFile {
    /// All kinds.
    pub const ALL: [SideFile; 4] = [SideFile::Index, SideFile::Signatures, SideFile::Positions, SideFile::TagColumns];

    /// Returns what its name ends in.
    pub const fn extension(self) -> &'static str {
        match self {
            SideFile::Index => "bgi",
            SideFile::Signatures => "bgs",
            SideFile::Positions => "bgp",
            SideFile::TagColumns => "bgh",
        }
    }

    /// Returns where the file of an archive is kept: beside it, with the extension in place of `bga`; after any other name it is added.
    pub fn path(self, archive: &Path) -> PathBuf {
        if archive.extension().is_some_and(|extension| extension == "bga") {
            return archive.with_extension(self.extension());
        }
        let mut name = archive.as_os_str().to_owned();
        name.push(".");
        name.push(self.extension());
        name.into()
    }
}

/// Where an index or another side file came from, or why it is not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideState {
    /// From the file.
    File,
    /// There is no file.
    Missing,
    /// The file belongs to another archive, to another state of this one, or is of another version.
    Stale,
    /// The file is damaged.
    Damaged,
}

impl SideState {
    /// Returns why a file that does not decode is not used: it is damaged, or of another version, which may be laid out otherwise.
    pub(crate) fn of_unreadable(file: &[u8]) -> SideState {
        if side::is_of_another_version(file) { SideState::Stale } else { SideState::Damaged }
    }
}

/// Takes away the files that stand beside an archive that has just got this name: they are of what had it before.
///
/// They would not be used, for their state is another. What cannot be removed stays: it is in nobody's way.
pub(super) fn remove_all(archive: &Path) {
    for file in SideFile::ALL {
        let _ = std::fs::remove_file(file.path(archive));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_side_files() {
        assert_eq!(SideFile::Index.path(Path::new("a/games.bga")), Path::new("a/games.bgi"));
        assert_eq!(SideFile::TagColumns.path(Path::new("games.old")), Path::new("games.old.bgh"));
        assert_eq!(SideFile::Signatures.path(Path::new("games")), Path::new("games.bgs"));
    }
}

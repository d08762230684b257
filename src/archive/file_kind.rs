//! What a file of ours is, by its first bytes, and where the files beside an archive are.

use crate::format::{header, index, positions, signatures, tag_columns};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The kinds of files that this library writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// An archive, `.bga`.
    Archive,
    /// The index of one, `.bgi`.
    Index,
    /// Signatures of its games, `.bgs`.
    Signatures,
    /// Its position index, `.bgp`.
    Positions,
    /// Its tag columns, `.bgh`.
    TagColumns,
}

impl FileKind {
    /// All of them.
    pub const ALL: [FileKind; 5] =
        [FileKind::Archive, FileKind::Index, FileKind::Signatures, FileKind::Positions, FileKind::TagColumns];
    /// Those that stand beside an archive and can be made again.
    pub const BESIDE: [FileKind; 4] =
        [FileKind::Index, FileKind::Signatures, FileKind::Positions, FileKind::TagColumns];

    /// Returns the extension of such files, as in `bga`.
    pub fn extension(self) -> &'static str {
        match self {
            FileKind::Archive => "bga",
            FileKind::Index => "bgi",
            FileKind::Signatures => "bgs",
            FileKind::Positions => "bgp",
            FileKind::TagColumns => "bgh",
        }
    }

    fn magic(self) -> [u8; 8] {
        match self {
            FileKind::Archive => header::MAGIC,
            FileKind::Index => index::MAGIC,
            FileKind::Signatures => signatures::MAGIC,
            FileKind::Positions => positions::MAGIC,
            FileKind::TagColumns => tag_columns::MAGIC,
        }
    }

    /// Returns what a file is that begins with these bytes, `None` where it is none of ours. An archive has two header
    /// pages, so that of a damaged one both are looked at, as far as they are given.
    pub fn of_bytes(bytes: &[u8]) -> Option<FileKind> {
        let second = bytes.get(header::PAGE..).unwrap_or_default();
        let begins = |kind: &FileKind| bytes.starts_with(&kind.magic());
        FileKind::ALL.into_iter().find(begins).or(second.starts_with(&header::MAGIC).then_some(FileKind::Archive))
    }

    /// Returns where a file of this kind stands beside an archive: with its extension in place of `bga`, or after any
    /// other name.
    pub fn beside(self, archive: &Path) -> PathBuf {
        if archive.extension().is_some_and(|extension| extension == "bga") {
            return archive.with_extension(self.extension());
        }
        let mut name = archive.as_os_str().to_owned();
        name.push(".");
        name.push(self.extension());
        name.into()
    }
}

/// Removes the files beside an archive that another has taken the place of; the index is written anew, and files of
/// other make stay.
pub(in crate::archive) fn remove_beside(archive: &Path) {
    for kind in FileKind::BESIDE.into_iter().filter(|kind| *kind != FileKind::Index) {
        let path = kind.beside(archive);
        let mut begin = [0; 8];
        let is_ours = File::open(&path).and_then(|mut file| file.read_exact(&mut begin)).is_ok();
        if is_ours && begin == kind.magic() {
            // What cannot be removed does not belong to the new archive, and is passed over.
            let _ = std::fs::remove_file(path);
        }
    }
}

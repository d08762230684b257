//! What a file of ours is, by its first bytes, and where the files beside an archive are.

use crate::format::{header, index, side};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// Where this process keeps files that would stand beside archives.
static INDEX_FOLDER: RwLock<Option<PathBuf>> = RwLock::new(None);

/// Has this process keep indexes and side files in a folder instead of beside their archives: for archives in places
/// where nothing can be written, or where nothing else is wanted. Files that are beside an archive are used as they are.
/// Names in the folder are made of the archive's name and a hash of its path. `None`: beside the archives again.
pub fn set_index_folder(folder: Option<PathBuf>) {
    *INDEX_FOLDER.write().unwrap_or_else(PoisonError::into_inner) = folder;
}

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

    pub(crate) fn magic(self) -> [u8; 8] {
        match self {
            FileKind::Archive => header::MAGIC,
            FileKind::Index => index::MAGIC,
            FileKind::Signatures => side::SIGNATURES,
            FileKind::Positions => side::POSITIONS,
            FileKind::TagColumns => side::TAG_COLUMNS,
        }
    }

    /// Returns what a file is that begins with these bytes, `None` where it is none of ours. An archive has two header
    /// pages, so that of a damaged one both are looked at, as far as they are given.
    pub fn of_bytes(bytes: &[u8]) -> Option<FileKind> {
        let second = bytes.get(header::PAGE..).unwrap_or_default();
        let begins = |kind: &FileKind| bytes.starts_with(&kind.magic());
        FileKind::ALL.into_iter().find(begins).or(second.starts_with(&header::MAGIC).then_some(FileKind::Archive))
    }

    /// Returns where the file of this kind of an archive is, or is to be made: beside the archive, unless this process
    /// has a folder for such files ([`set_index_folder`]) and none is beside it.
    pub fn of_archive(self, archive: &Path) -> PathBuf {
        let beside = self.beside(archive);
        let folder = INDEX_FOLDER.read().unwrap_or_else(PoisonError::into_inner);
        match &*folder {
            Some(folder) if self != FileKind::Archive && !beside.exists() => {
                let whole = std::path::absolute(archive).unwrap_or_else(|_| archive.to_path_buf());
                let hash = Sha256::digest(whole.as_os_str().as_encoded_bytes());
                let mut name = archive.file_stem().unwrap_or_default().to_owned();
                name.push("-");
                hash.iter().take(8).for_each(|byte| name.push(format!("{byte:02x}")));
                name.push(".");
                name.push(self.extension());
                folder.join(name)
            }
            _ => beside,
        }
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
        let path = kind.of_archive(archive);
        let mut begin = [0; 8];
        let is_ours = File::open(&path).and_then(|mut file| file.read_exact(&mut begin)).is_ok();
        if is_ours && begin == kind.magic() {
            // What cannot be removed does not belong to the new archive, and is passed over.
            let _ = std::fs::remove_file(path);
        }
    }
}

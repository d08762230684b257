//! The kind of a file, from its first bytes, and the paths of the files that belong to an archive.

use crate::format::{header, index, side};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// The folder in which this process keeps side files, and whether it ignores side files next to archives.
static INDEX_FOLDER: RwLock<Option<(PathBuf, bool)>> = RwLock::new(None);

/// Makes this process store new indexes and side files in a folder instead of next to their archives. Use this function
/// if the folder of an archive is read-only or should contain only archives. Existing side files next to an archive are
/// still used if the folder has no such file. Each file name in the folder consists of the name of the archive and a hash
/// of its path. `None` restores the default.
pub fn set_index_folder(folder: Option<PathBuf>) {
    *INDEX_FOLDER.write().unwrap_or_else(PoisonError::into_inner) = folder.map(|folder| (folder, false));
}

/// Makes this process ignore side files next to archives if a folder is set, to build these files in the folder.
#[doc(hidden)]
pub fn ignore_side_files_beside() {
    if let Some((_, is_only)) = &mut *INDEX_FOLDER.write().unwrap_or_else(PoisonError::into_inner) {
        *is_only = true;
    }
}

/// The kinds of files that this library writes.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
/// use scoresheet::archive::FileKind;
///
/// let kind = FileKind::from_bytes(&std::fs::read(&target)?);
/// assert_eq!(kind, Some(FileKind::Archive));
/// assert!(FileKind::Index.of_archive(&target).ends_with("games.bgi"));
/// assert_eq!(FileKind::BESIDE.map(FileKind::extension), ["bgi", "bgs", "bgp", "bgh"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// An archive, `.bga`.
    Archive,
    /// The index of an archive, `.bgi`.
    Index,
    /// The signatures of an archive's games, `.bgs`, for position searches.
    Signatures,
    /// The position index of an archive, `.bgp`.
    Positions,
    /// The tag columns of an archive, `.bgh`.
    TagColumns,
}

impl FileKind {
    /// All kinds.
    pub const ALL: [FileKind; 5] =
        [FileKind::Archive, FileKind::Index, FileKind::Signatures, FileKind::Positions, FileKind::TagColumns];
    /// The kinds of files that are stored next to an archive and can be rebuilt.
    pub const BESIDE: [FileKind; 4] =
        [FileKind::Index, FileKind::Signatures, FileKind::Positions, FileKind::TagColumns];

    /// Returns the file name extension of this kind, such as `bga`.
    pub fn extension(self) -> &'static str {
        match self {
            FileKind::Archive => "bga",
            FileKind::Index => "bgi",
            FileKind::Signatures => "bgs",
            FileKind::Positions => "bgp",
            FileKind::TagColumns => "bgh",
        }
    }

    #[doc(hidden)]
    pub fn magic(self) -> [u8; 8] {
        match self {
            FileKind::Archive => header::MAGIC,
            FileKind::Index => index::MAGIC,
            FileKind::Signatures => side::SIGNATURES,
            FileKind::Positions => side::POSITIONS,
            FileKind::TagColumns => side::TAG_COLUMNS,
        }
    }

    /// Returns the kind of a file that begins with these bytes, or `None` if this library does not write such files. An
    /// archive contains two header pages. Both are checked, so one may be damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<FileKind> {
        let second = bytes.get(header::PAGE..).unwrap_or_default();
        let begins = |kind: &FileKind| bytes.starts_with(&kind.magic());
        FileKind::ALL.into_iter().find(begins).or(second.starts_with(&header::MAGIC).then_some(FileKind::Archive))
    }

    /// Returns the path of this kind of file for an archive, existing or new. The path is next to the archive, unless
    /// [`set_index_folder`] set a folder, and such a file exists there or none exists next to the archive.
    pub fn of_archive(self, archive: &Path) -> PathBuf {
        let beside = self.beside(archive);
        let folder = INDEX_FOLDER.read().unwrap_or_else(PoisonError::into_inner);
        let Some((folder, is_only)) = folder.as_ref().filter(|_| self != FileKind::Archive) else { return beside };
        let absolute = std::path::absolute(archive).unwrap_or_else(|_| archive.to_path_buf());
        let hash = Sha256::digest(absolute.as_os_str().as_encoded_bytes());
        let mut name = archive.file_stem().unwrap_or_default().to_owned();
        name.push("-");
        hash.iter().take(8).for_each(|byte| name.push(format!("{byte:02x}")));
        name.push(".");
        name.push(self.extension());
        let path = folder.join(name);
        if *is_only || path.exists() || !beside.exists() { path } else { beside }
    }

    /// Returns the path of a file of this kind next to an archive: its extension replaces `bga`, or is added to any
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

/// Removes the side files of an archive that was replaced, except the index. The index is rewritten, and files of other
/// programs are kept.
pub(in crate::archive) fn remove_beside(archive: &Path) {
    for kind in FileKind::BESIDE.into_iter().filter(|kind| *kind != FileKind::Index) {
        let path = kind.of_archive(archive);
        let mut begin = [0; 8];
        let is_ours = File::open(&path).and_then(|mut file| file.read_exact(&mut begin)).is_ok();
        if is_ours && begin == kind.magic() {
            // A file that cannot be removed does not belong to the new archive, so readers ignore it.
            let _ = std::fs::remove_file(path);
        }
    }
}

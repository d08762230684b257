//! Creates files atomically: writes a temporary file, and syncs and renames it when it is complete.

use crate::target::Target;
use scoresheet::archive::temporary::Temporary;
use scoresheet::archive::{Existing, sync_folder};
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// The size in bytes of the write buffer.
const BUFFER: usize = 1 << 18;

/// A file that is written under a temporary name. Dropping the value before `finish` removes the file.
///
/// ```
/// use scoresheet::Existing;
/// use scoresheet_output::{Content, NewFile, Outputs};
/// use std::io::Write;
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.csv");
/// let target = Outputs::default().file(&path, Content::Text, Existing::Refuse)?;
/// NewFile::create(&target)?.write_all(b"incomplete")?;
/// assert!(!path.exists());
/// let mut file = NewFile::create(&target)?;
/// file.write_all(b"complete")?;
/// assert_eq!((path.exists(), file.finish()?, path.exists()), (false, 8, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NewFile {
    file: BufWriter<File>,
    /// The temporary file, or `None` for a device or pipe, which is written in place.
    temporary: Option<Temporary>,
    target: Target,
}

impl NewFile {
    /// Starts a file. An existing file does not change until `finish` is called.
    ///
    /// Errors: the system cannot create the file.
    pub fn create(target: &Target) -> io::Result<NewFile> {
        let path = target.path();
        let (file, temporary) = match std::fs::metadata(path) {
            // Renaming a temporary file to the path of a device would remove the device.
            Ok(file) if !file.is_file() => (File::options().write(true).open(path)?, None),
            _ => {
                let (file, temporary) = Temporary::create(path, path, target.most_permissions())?;
                (file, Some(temporary))
            }
        };
        Ok(NewFile { file: BufWriter::with_capacity(BUFFER, file), temporary, target: target.clone() })
    }

    /// Syncs the file and renames it. Returns the size of the file in bytes, or 0 for a device or pipe.
    ///
    /// Errors: the data cannot be written, or `AlreadyExists` if a file that must not be replaced has appeared at the
    /// target.
    pub fn finish(mut self) -> io::Result<u64> {
        self.file.flush()?;
        let Some(temporary) = self.temporary else { return Ok(0) };
        let file = self.file.get_ref();
        file.sync_data()?;
        let length = file.metadata()?.len();
        drop(self.file);
        temporary.persist(self.target.path(), self.target.existing() == Existing::Replace)?;
        sync_folder(self.target.path());
        Ok(length)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Content, Outputs};

    #[test]
    fn a_file_has_its_name_once_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let target = Outputs::default().file(&path, Content::Text, Existing::Refuse).unwrap();
        let mut file = NewFile::create(&target).unwrap();
        file.write_all(b"abc").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut file = NewFile::create(&target).unwrap();
        file.write_all(b"abc").unwrap();
        assert_eq!(file.finish().unwrap(), 3);
        assert_eq!(std::fs::read(&path).unwrap(), b"abc");
        // A file that appears meanwhile is not replaced.
        let error = NewFile::create(&target).unwrap().finish().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"abc");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_made_of_private_files_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (input, path) = (folder.path().join("g.bga"), folder.path().join("a.csv"));
        std::fs::write(&input, b"").unwrap();
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        // If only its owner can access the file, the umask does not matter.
        std::fs::set_permissions(&input, std::fs::Permissions::from_mode(0o600)).unwrap();
        let target = Outputs::from_inputs([&input]).file(&path, Content::Text, Existing::Refuse).unwrap();
        NewFile::create(&target).unwrap().finish().unwrap();
        assert_eq!(mode(), 0o600);
        // A replaced file's permissions are kept.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let target = Outputs::from_inputs([&input]).file(&path, Content::Text, Existing::Replace).unwrap();
        NewFile::create(&target).unwrap().finish().unwrap();
        assert_eq!(mode(), 0o640);
    }
}

//! What commands that write tables share: new files, and an output that nobody reads any more.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that has its name once it is complete; dropped before that, it leaves nothing.
#[derive(Debug)]
pub struct NewFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl NewFile {
    /// Returns a new file.
    ///
    /// Errors: it is there and is not to be replaced, or cannot be made.
    pub fn create(path: &Path, force: bool) -> Result<NewFile, String> {
        if path.exists() && !force {
            return Err(format!("{} is already there; --force replaces it", path.display()));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file =
            NamedTempFile::new_in(folder).map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        #[cfg(unix)]
        {
            // As any file of the user's, not as a secret one.
            use std::os::unix::fs::PermissionsExt;
            let _ = file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644));
        }
        Ok(NewFile { file: BufWriter::with_capacity(1 << 20, file), path: path.to_path_buf() })
    }

    /// Gives the file its name, once its bytes are on the disk.
    ///
    /// Errors: what could not be written.
    pub fn finish(self) -> Result<File, String> {
        let cannot = |error: std::io::Error| format!("cannot write {}: {error}", self.path.display());
        let file = self.file.into_inner().map_err(|error| cannot(error.into_error()))?;
        file.as_file().sync_all().map_err(cannot)?;
        file.persist(&self.path).map_err(|error| cannot(error.error))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Returns whether the reader of standard output has gone away, which is its right.
pub fn is_broken_pipe(mut error: &(dyn std::error::Error + 'static)) -> bool {
    loop {
        if let Some(io) = error.downcast_ref::<std::io::Error>()
            && io.kind() == std::io::ErrorKind::BrokenPipe
        {
            return true;
        }
        match error.source() {
            Some(source) => error = source,
            None => return false,
        }
    }
}

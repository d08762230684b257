//! Creates new files through the library, compressed according to their names.

use crate::failure::Failure;
use crate::text::shown;
use scoresheet_output::{Compressed, Target};
use std::io::{self, Write};
use std::path::PathBuf;

/// Writes a complete file with `work`; write errors name the file.
pub fn write<T>(target: &Target, work: impl FnOnce(&mut NewFile) -> Result<T, Failure>) -> Result<T, Failure> {
    let mut file = NewFile::create(target)?;
    work(&mut file).and_then(|done| file.finish().map(|()| done)).map_err(|failure| failure.of_output(target.path()))
}

/// A file that is being written under a temporary name. The file is removed if this value is dropped before `finish`.
pub struct NewFile {
    sink: Compressed<scoresheet_output::NewFile>,
    path: PathBuf,
}

impl NewFile {
    /// Starts a file. An existing file is unchanged until `finish`.
    pub fn create(target: &Target) -> Result<NewFile, Failure> {
        let path = target.path();
        let refused = |error: io::Error| Failure::Message(format!("cannot create {}: {error}", shown(path)));
        let file = scoresheet_output::NewFile::create(target).map_err(refused)?;
        Ok(NewFile { sink: Compressed::new(file, target).map_err(refused)?, path: path.to_path_buf() })
    }

    /// Renames the file to its final name.
    pub fn finish(self) -> Result<(), Failure> {
        self.sink.finish()?.finish().map(drop).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                Failure::Message(format!("{} already exists: use --force to replace it", shown(&self.path)))
            }
            _ => Failure::Output(error),
        })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

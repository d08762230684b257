//! Functions for all commands that write tables: they create new files, and handle a closed output pipe.

use scoresheet::Existing;
use scoresheet_output::{Content, Outputs};
use std::io::Write;
use std::path::Path;

/// A file that gets its name when it is complete. If it is dropped earlier, no file remains. The library's [`Outputs`]
/// decides which files a command may write.
#[derive(Debug)]
pub struct NewFile(scoresheet_output::NewFile);

impl NewFile {
    /// Creates a file for this content. With `force`, the new file may replace a file of the same kind.
    ///
    /// Errors: the file is an input, it exists and must not be replaced, or it cannot be created.
    pub fn create(outputs: &mut Outputs, path: &Path, content: Content, force: bool) -> Result<NewFile, String> {
        let target = outputs.file(path, content, Existing::from_force(force)).map_err(|refused| {
            let advice = if refused.is_existing() { "; --force replaces it" } else { "" };
            format!("{refused}{advice}")
        })?;
        let file = scoresheet_output::NewFile::create(&target);
        Ok(NewFile(file.map_err(|error| format!("cannot create {}: {error}", scoresheet_output::shown(path)))?))
    }

    /// Errors: a write error.
    pub fn finish(self) -> Result<u64, String> {
        self.0.finish().map_err(|error| format!("cannot write the output: {error}"))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// Returns whether an error means that the reader of standard output has closed the pipe, which is not a failure.
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

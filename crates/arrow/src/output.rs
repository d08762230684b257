//! Shared by commands that write tables: new files, and the handling of a closed output pipe.

use scoresheet::Existing;
use scoresheet::output::{self, Content, Outputs};
use std::io::Write;
use std::path::Path;

/// A file that has its name once it is complete; dropped before that, it leaves nothing. What a command may write, the
/// library's [`Outputs`] say.
#[derive(Debug)]
pub struct NewFile(output::NewFile);

impl NewFile {
    /// Returns a new file with this content, which `force` allows to replace another of its kind.
    ///
    /// Errors: it is an input, or is there and is not to be replaced, or cannot be made.
    pub fn create(outputs: &mut Outputs, path: &Path, content: Content, force: bool) -> Result<NewFile, String> {
        let target = outputs.file(path, content, Existing::from_force(force)).map_err(|refused| {
            let advice = if refused.is_existing() { "; --force replaces it" } else { "" };
            format!("{refused}{advice}")
        })?;
        let file = output::NewFile::create(&target);
        Ok(NewFile(file.map_err(|error| format!("cannot create {}: {error}", output::shown(path)))?))
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

//! The file of rejected games that `scoresheet import --rejects` writes.

use crate::failure::Failure;
use crate::output::new_file::NewFile;
use scoresheet_output::Target;
use std::io::{self, Write};

/// A writer of the file of rejected games.
pub struct Rejects {
    file: NewFile,
    target: Target,
    /// Whether the last game ended with a line end.
    ends_line: bool,
    /// The number of games.
    pub games: u64,
    /// The reason why the file cannot be written.
    broken: Option<io::Error>,
}

impl Rejects {
    /// Starts the file.
    pub fn create(target: Target) -> Result<Rejects, Failure> {
        Ok(Rejects { file: NewFile::create(&target)?, target, ends_line: true, games: 0, broken: None })
    }

    /// Appends a game, after an empty line unless it is the first game.
    pub fn write(&mut self, text: &[u8]) {
        self.games += 1;
        let separator: &[u8] = if self.ends_line { b"" } else { b"\n\n" };
        self.ends_line = text.ends_with(b"\n") || text.ends_with(b"\r");
        if self.broken.is_none() {
            self.broken = self.file.write_all(separator).and_then(|()| self.file.write_all(text)).err();
        }
    }

    /// Renames the file to its final name. Errors: an error that occurred while the file was written.
    pub fn finish(self) -> Result<(), Failure> {
        let Rejects { file, target, broken, .. } = self;
        let written = broken.map_or(Ok(()), |error| Err(Failure::Output(error)));
        written.and_then(|()| file.finish()).map_err(|failure| failure.of_output(target.path()))
    }
}

//! Defines the file operations of a writer as a trait, so tests can simulate a failing disk.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// A file that can be written at any offset and made durable.
pub trait Storage: Send {
    /// Writes all bytes at an offset, and extends the file as needed.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Truncates the file, or extends it with zeros.
    fn set_length(&mut self, length: u64) -> io::Result<()>;
    /// Syncs the file: returns when all written bytes are durable. After an error, the state of the file is unknown,
    /// and the call must not be repeated.
    fn sync(&mut self) -> io::Result<()>;
}

impl Storage for File {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.write_all(bytes)
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

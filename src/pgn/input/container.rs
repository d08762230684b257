//! What a zip and a tar file have in common: they hold files, of which some are read.

use std::io;

/// A file that holds others.
pub(in crate::pgn) trait Container {
    /// What it is called.
    const NAME: &'static str;

    /// Goes to the next file that [`is_wanted`] and returns its name; `None` where there is none.
    fn next(&mut self) -> io::Result<Option<String>>;

    /// Reads of the current file; 0 bytes at its end, if it is intact.
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize>;
}

/// Returns whether a file is read: those called `.pgn` or `.pcn`, but not the notes that macOS puts beside them.
pub(in crate::pgn) fn is_wanted(name: &str) -> bool {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    (file.ends_with(".pgn") || file.ends_with(".pcn")) && !file.starts_with("._")
}

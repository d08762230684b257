//! The interface that zip, tar and 7-Zip files share, and a limit of compressed files.

use std::io;

/// The maximum size in bytes of the dictionary of an xz or 7-Zip file, which is the maximum window of a zstd file, too.
#[cfg(feature = "lzma")]
pub(crate) const DICTIONARY: u32 = 128 << 20;

/// A file that contains other files.
pub(crate) trait Container {
    /// The name of the file format.
    const NAME: &'static str;

    /// Advances to the next file for which [`is_wanted`] is true, and returns the file's name. Returns `None` after the
    /// last file.
    fn next(&mut self) -> io::Result<Option<String>>;

    /// Reads from the current file. Returns 0 at the end of the file if the file is intact.
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize>;
}

/// The name extensions of compressed files.
const COMPRESSED: [&str; 5] = [".zst", ".gz", ".bz2", ".xz", ""];

/// Returns whether a file in a container should be read: `.pgn` and `.pcn` files, also if they are compressed again,
/// except the metadata files that macOS adds.
pub(crate) fn is_source_name(name: &str) -> bool {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    let is_source = |name: &str| name.ends_with(".pgn") || name.ends_with(".pcn");
    COMPRESSED.iter().any(|end| file.strip_suffix(end).is_some_and(is_source)) && !file.starts_with("._")
}

//! The errors that opening a source can cause.

use std::fmt;
use std::io;

/// The reason why a source cannot be opened.
///
/// ```
/// use scoresheet_pgn::{SourceError, from_reader};
///
/// let utf16 = from_reader(&b"\xFF\xFE1\0.\0"[..], None);
/// assert!(matches!(utf16, Err(SourceError::Utf16)));
/// ```
#[derive(Debug)]
pub enum SourceError {
    /// An I/O error.
    Io(io::Error),
    /// The text is UTF-16, which PGN does not allow.
    Utf16,
    /// The file is an archive of this program, or one of its side files.
    Archive,
    /// The file is compressed in an unsupported format, which the value names.
    Unsupported(&'static str),
    /// The file is JSON, possibly PCN, which `scoresheet::import::open` can read.
    Json,
    /// The file is of another kind, which the value describes.
    NotPgn(String),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Io(error) => fmt::Display::fmt(error, f),
            SourceError::Utf16 => f.write_str("the text is UTF-16; convert it to UTF-8 first"),
            SourceError::Archive => f.write_str(
                "this is not PGN but an archive of Scoresheet (or a side file); `scoresheet export` writes its PGN",
            ),
            SourceError::Unsupported(name) => {
                // The article depends on the pronunciation: "an ex zet file", "an el zet four file".
                let article = if name.starts_with(['x', 'L']) { "an" } else { "a" };
                write!(
                    f,
                    "this is {article} {name} file; unpack it first (only zstd, gzip and bzip2 are read directly)"
                )
            }
            SourceError::Json => f.write_str("this is not PGN but JSON"),
            SourceError::NotPgn(what) => write!(f, "this is not PGN but {what}"),
        }
    }
}

impl std::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SourceError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for SourceError {
    fn from(error: io::Error) -> SourceError {
        SourceError::Io(error)
    }
}

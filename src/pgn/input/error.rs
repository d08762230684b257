//! Why a source cannot be opened.

use std::fmt;
use std::io;

/// Why a source cannot be opened.
#[derive(Debug)]
pub enum SourceError {
    /// The system says so.
    Io(io::Error),
    /// The text is UTF-16, which PGN never is.
    Utf16,
    /// It is an archive of this program, or a file beside one.
    Archive,
    /// A compressed file of a kind that is not read here; its name.
    Unsupported(&'static str),
    /// It is JSON, perhaps PCN, which [`import::open`](crate::import::open) reads.
    Json,
    /// It is something else: what.
    NotPgn(String),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Io(error) => fmt::Display::fmt(error, f),
            SourceError::Utf16 => f.write_str("the text is UTF-16; convert it to UTF-8 first"),
            SourceError::Archive => f.write_str(
                "this is no PGN but an archive of Scoresheet (or a file beside one); `scoresheet export` gives the PGN of it",
            ),
            SourceError::Unsupported(name) => {
                // As they are spoken: "an ex zet file", "an el zet four file".
                let article = if name.starts_with(['x', 'L']) { "an" } else { "a" };
                write!(f, "this is {article} {name} file; unpack it first (zstd, gzip and bzip2 are read as they are)")
            }
            SourceError::Json => f.write_str("this is no PGN but JSON"),
            SourceError::NotPgn(what) => write!(f, "this is no PGN but {what}"),
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

//! Sets the metadata of an archive.

use crate::archive::read::archive::Archive;
use crate::archive::write::writer::{Writer, write_index};
use crate::error::{Error, Result};
use crate::format::metadata;
use std::path::Path;

/// The key that names the program.
const WRITER: &str = "writer";

impl Archive {
    /// Sets keys of the metadata of the archive at `path` ([`metadata`](Archive::metadata)), in one commit. An empty
    /// value removes a key. The key `writer` names this program unless it is given. Returns the error if the index
    /// could not be written; the commit is durable, and the index can be rebuilt.
    ///
    /// Errors: a key other than a lower-case letter with up to 63 lower-case letters, digits and hyphens; a value of
    /// more than 65,536 bytes; an error of opening the archive for writing, or of writing.
    pub fn describe<'a>(
        path: impl AsRef<Path>,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Option<Error>> {
        let path = path.as_ref();
        let pairs = checked_metadata(pairs)?;
        let mut writer = Writer::open(path)?.writer;
        let before = writer.sequence();
        writer.describe(pairs).and_then(|()| writer.commit()).map_err(Error::io("cannot write", path))?;
        Ok(if writer.sequence() == before { None } else { write_index(path, &writer.index()).err() })
    }
}

/// Returns pairs that may be written, with the name of this program as their writer.
///
/// Errors: a key or a value that an archive must not contain.
pub(crate) fn checked_metadata<'a>(
    pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<(&'a str, &'a str)>> {
    let mut checked: Vec<(&str, &str)> = Vec::new();
    for (key, value) in pairs {
        if !metadata::is_key(key) {
            return Err(Error::input(format!("key {key:?}"), "a key is lower-case letters, digits and hyphens"));
        }
        if value.len() > metadata::LONGEST_VALUE {
            return Err(Error::input(format!("{key:?}"), "the value has more than 65,536 bytes"));
        }
        checked.push((key, value));
    }
    if !checked.is_empty() && checked.iter().all(|(key, _)| *key != WRITER) {
        checked.push((WRITER, concat!("scoresheet ", env!("CARGO_PKG_VERSION"))));
    }
    Ok(checked)
}

//! Sets the metadata of an archive.

use crate::archive::read::archive::Archive;
use crate::archive::write::writer::{Writer, write_index};
use crate::error::{Error, Result};
use crate::format::metadata;
use std::path::Path;

/// The metadata key that names the program that wrote the archive.
const WRITER: &str = "writer";

impl Archive {
    /// Sets keys in the metadata of the archive at `path` ([`metadata`](Archive::metadata)), in one commit. An empty
    /// value removes a key. The key `writer` is set to the name of this program unless the caller sets it. Returns the
    /// error if the index could not be written. The commit is durable, and the index can be rebuilt.
    ///
    /// Errors: the archive cannot be opened or written, or a value is longer than 65,536 bytes. A key that is not a
    /// lower-case letter with up to 63 lower-case letters, digits and hyphens is also an error.
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

/// Returns the given pairs after checking them, and adds this program's name as `writer` if it is missing.
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

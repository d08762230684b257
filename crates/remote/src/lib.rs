#![doc = include_str!("../README.md")]

mod reader;

use crate::reader::Reader;
use scoresheet::archive::{ArchiveFile, Cached, FileKind, ReadExactAt};
use scoresheet::error::{Error, Result};
use std::io;
use std::path::Path;
use ureq::Agent;

/// The maximum number of cached bytes of an archive.
const CACHE: u64 = 32 << 20;

/// Returns the archive at an address, with the index and the side files next to it. The index of
/// `https://host/games.bga?key` is at `https://host/games.bgi?key`.
///
/// Makes one request. Later requests read ranges of bytes, and up to 32 MiB of the archive are cached. Redirects are
/// followed. A request that fails for a reason that may pass is made three times.
///
/// Errors: there is no such file, or the server cannot be reached, denies access, or does not support ranges. If the
/// file changes while it is open, later reads return errors.
pub fn file(address: &str) -> Result<ArchiveFile> {
    let agent = reader::agent();
    let opened = Reader::open(agent.clone(), address).map_err(|source| {
        let path = Path::new(address).to_path_buf();
        Error::Io { doing: "cannot open", path, source }
    })?;
    let length = opened.length();
    let archive = address.to_owned();
    let side_files = move |kind: FileKind| open_side_file(&agent, &beside(&archive, kind.extension()));
    let cached = Cached::new(opened, length, CACHE);
    Ok(ArchiveFile::from_reader(cached, length).beside(address).side_files(side_files))
}

/// A side file and its length in bytes.
type SideFile = (Box<dyn ReadExactAt>, u64);

/// Opens a side file, or returns `None` if there is none. Servers that do not list a folder may forbid missing files.
fn open_side_file(agent: &Agent, address: &str) -> io::Result<Option<SideFile>> {
    match Reader::open(agent.clone(), address) {
        Ok(reader) => {
            let length = reader.length();
            Ok(Some((Box::new(reader), length)))
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the address of the side file with this extension.
fn beside(archive: &str, extension: &str) -> String {
    let archive = archive.split_once('#').map_or(archive, |(address, _)| address);
    let (path, query) = archive.split_at(archive.find('?').unwrap_or(archive.len()));
    format!("{}.{extension}{query}", path.strip_suffix(".bga").unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn addresses_of_side_files() {
        for (archive, index) in [
            ("https://h/a.bga", "https://h/a.bgi"),
            ("https://h/a.bga?key=b.bga", "https://h/a.bgi?key=b.bga"),
            ("https://h/a.bga#game", "https://h/a.bgi"),
            ("https://h/archive", "https://h/archive.bgi"),
        ] {
            assert_eq!(beside(archive, "bgi"), index);
        }
    }
}

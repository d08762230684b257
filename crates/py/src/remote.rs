//! Archives that are not files at a path: addresses (`https://..`), and file objects of Python, read by ranges.
//!
//! `scoresheet._remote` opens addresses and reads file objects. This module caches what they return. Reading needs the
//! interpreter's lock, so the library must run without the lock: otherwise a thread that holds the lock could wait for
//! a thread that needs it (`Opened::without_lock`).

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use scoresheet::ArchiveFile;
use scoresheet::archive::{Cached, FileKind, ReadExactAt};
use std::error::Error;
use std::io;
use std::path::PathBuf;

/// The maximum number of cached bytes of an archive.
const CACHE: u64 = 32 << 20;

/// An object of `scoresheet._remote` that reads at any offset.
pub struct Remote {
    file: Py<PyAny>,
}

impl Remote {
    /// Opens an address, or wraps a file object with `read` and `seek`.
    pub fn open(given: &Bound<'_, PyAny>) -> PyResult<Remote> {
        let file = given.py().import("scoresheet._remote")?.call_method1("open_file", (given,))?;
        Ok(Remote { file: file.unbind() })
    }

    /// Returns the name of the file: the address, or the name of the file object.
    pub fn name(&self, py: Python<'_>) -> PyResult<PathBuf> {
        self.file.bind(py).getattr("name")?.extract()
    }

    /// Returns the archive. Its side files are those next to an address.
    pub fn archive(&self, py: Python<'_>) -> PyResult<ArchiveFile> {
        let length: u64 = self.file.bind(py).getattr("size")?.extract()?;
        let reader = Cached::new(Reader { file: self.file.clone_ref(py) }, length, CACHE);
        let beside = self.file.clone_ref(py);
        let open = move |kind: FileKind| {
            let opened = Python::attach(|py| -> PyResult<_> {
                let file = beside.bind(py).call_method1("beside", (kind.extension(),))?;
                if file.is_none() {
                    return Ok(None);
                }
                let length: u64 = file.getattr("size")?.extract()?;
                Ok(Some((Box::new(Reader { file: file.unbind() }) as Box<dyn ReadExactAt>, length)))
            });
            opened.map_err(io::Error::other)
        };
        Ok(ArchiveFile::from_reader(reader, length).beside(self.name(py)?).side_files(open))
    }
}

/// Reads a file without a cache.
struct Reader {
    file: Py<PyAny>,
}

impl ReadExactAt for Reader {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let read = Python::attach(|py| -> PyResult<bool> {
            let read = self.file.bind(py).call_method1("read_at", (offset, bytes.len()))?;
            let read = read.cast::<PyBytes>()?.as_bytes();
            let is_complete = read.len() == bytes.len();
            if is_complete {
                bytes.copy_from_slice(read);
            }
            Ok(is_complete)
        });
        match read {
            Ok(true) => Ok(()),
            Ok(false) => Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

/// Returns the exception of a reader that caused an error of the library, if any.
pub fn exception_of(py: Python<'_>, error: &io::Error) -> Option<PyErr> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(exception) = inner.and_then(|inner| inner.downcast_ref::<PyErr>()) {
            return Some(exception.clone_ref(py));
        }
        // An error of the system has no source but that of the error in it.
        cause = error.source();
    }
    None
}

/// Returns whether a path is an address, such as `https://example.org/games.bga` or `simplecache::s3://games/a.bga`.
pub fn is_address(path: &str) -> bool {
    let Some((scheme, _)) = path.split_once("://") else { return false };
    // A drive of Windows has one letter.
    scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.:".contains(&byte))
}

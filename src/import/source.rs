//! Opens sources of games as PGN, from any supported format.

use crate::error::{Error, Result};
use crate::pcn::{self, ReadError};
use crate::pgn::{self, PgnWriter, Source, SourceError};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Opens a PGN or PCN file, plain or compressed, or standard input for `-`. The first bytes determine the format. PCN
/// is converted to PGN in a temporary file, as described for [`Source::is_made`].
///
/// Errors: the file cannot be read, the file is neither PGN nor PCN, or a PCN document contains a fault.
pub fn open(path: &Path) -> Result<Source> {
    open_until(path, &AtomicBool::new(false))
}

/// Opens a file like [`open`]. Returns [`Error::Interrupted`] if `stop` is set before the conversion to PGN ends.
pub(super) fn open_until(path: &Path, stop: &AtomicBool) -> Result<Source> {
    as_pgn(open_as_is(path)?, path, stop)
}

/// Opens a PGN or PCN file, or standard input for `-`. Decompresses the file, but does not convert it.
///
/// Errors: the errors of [`open`], except faults in a document.
pub fn open_as_is(path: &Path) -> Result<Source> {
    pgn::open_text(path).map_err(|error| refused(path, error))
}

/// Opens a PCN file, and decompresses it to JSON. Returns `None` for PGN, and for standard input, pipes and devices,
/// which can be read only once.
///
/// Errors: the errors of [`open`], except faults in a document.
pub fn open_document(path: &Path) -> Result<Option<Source>> {
    if path.as_os_str() == "-" || !std::fs::metadata(path).is_ok_and(|file| file.is_file()) {
        return Ok(None);
    }
    open_as_is(path).map(|source| Some(source).filter(Source::is_json))
}

/// Returns an error if a file cannot be opened, or if its first bytes show that it is not supported. Does not
/// decompress the file.
pub(super) fn look_at(path: &Path) -> Result<()> {
    pgn::look_at(path).map_err(|error| match error {
        SourceError::Io(error) => Error::io("cannot open", path)(error),
        error => refused(path, error),
    })
}

/// Opens any reader of PGN or PCN, as [`open`] opens a file. Errors contain `name`.
pub fn from_reader(reader: impl Read + Send + 'static, name: &Path) -> Result<Source> {
    let source = pgn::text_of(reader, None).map_err(|error| refused(name, error))?;
    as_pgn(source, name, &AtomicBool::new(false))
}

fn refused(path: &Path, error: SourceError) -> Error {
    match error {
        SourceError::Io(error) => unreadable(path, error),
        other => Error::input(called(path), other.to_string()),
    }
}

/// Returns the name of a source for use in messages.
pub(super) fn called(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// Returns the error for a source that cannot be read further.
pub(super) fn unreadable(path: &Path, error: io::Error) -> Error {
    let what = match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            format!("damaged or truncated: {error}")
        }
        io::ErrorKind::Unsupported => error.to_string(),
        _ => return Error::io("cannot read", path)(error),
    };
    Error::Input { name: called(path), what, source: Some(error) }
}

fn as_pgn(mut source: Source, path: &Path, stop: &AtomicBool) -> Result<Source> {
    if !source.is_json() {
        return Ok(source);
    }
    let no_room = |error: io::Error| Error::Input {
        name: called(path),
        what: format!("cannot create a temporary file for its PGN: {error}"),
        source: Some(error),
    };
    let mut made = BufWriter::with_capacity(256 << 10, tempfile::tempfile().map_err(no_room)?);
    let mut writer = PgnWriter::new();
    let mut failed = None;
    let read = pcn::read(&mut source, |game| {
        if stop.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Other.into());
        }
        writer.clear();
        writer.write(&game);
        made.write_all(writer.as_bytes()).inspect_err(|error| {
            failed = Some(io::Error::new(error.kind(), error.to_string()));
        })
    });
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Interrupted);
    }
    if let Some(error) = failed {
        return Err(no_room(error));
    }
    read.map_err(|error| match error {
        ReadError::Io(error) => unreadable(path, error),
        ReadError::Pcn(error) => Error::input(called(path), error.to_string()),
    })?;
    let mut file = made.into_inner().map_err(|error| no_room(error.into_error()))?;
    file.rewind().map_err(no_room)?;
    Ok(source.with_pgn(file))
}

//! Opens sources of games, from any supported format.

use super::game_source::{GameBatch, GameSource, ImportSource, Input};
use crate::error::{Error, Result};
use crate::pcn::{Games, ReadError};
use crate::pgn::{self, PgnWriter, Source, SourceError, SourceProgress};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The number of PCN games in a batch.
const BATCH: usize = 256;

/// Opens a PGN or PCN file, plain or compressed, or standard input for `-`. The first bytes determine the format. PCN
/// is converted to PGN while it is read, as described for [`Source::is_made`]. A fault in the document is then an error
/// of the reader.
///
/// Errors: the file cannot be read, or is neither PGN nor PCN.
pub fn open(path: &Path) -> Result<Source> {
    open_as_is(path).map(as_pgn)
}

/// Opens a PGN or PCN file, or standard input for `-`. Decompresses the file, but does not convert it.
///
/// Errors: the errors of [`open`].
pub fn open_as_is(path: &Path) -> Result<Source> {
    pgn::open_text(path).map_err(|error| refused(path, error))
}

/// Opens a PCN file, and decompresses it to JSON. Returns `None` for PGN, and for standard input, pipes and devices,
/// which can be read only once.
///
/// Errors: the errors of [`open`].
pub fn open_document(path: &Path) -> Result<Option<Source>> {
    if path.as_os_str() == "-" || !std::fs::metadata(path).is_ok_and(|file| file.is_file()) {
        return Ok(None);
    }
    open_as_is(path).map(|source| Some(source).filter(Source::is_json))
}

/// Returns an error if a file cannot be opened, or if its first bytes show that it is not supported. Does not
/// decompress the file.
pub(super) fn look_at(source: &ImportSource) -> Result<()> {
    let Input::File(path) = &source.0 else { return Ok(()) };
    if path.as_os_str() == "-" {
        return Ok(());
    }
    pgn::look_at(path).map_err(|error| match error {
        SourceError::Io(error) => Error::io("cannot open", path)(error),
        error => refused(path, error),
    })
}

/// Opens any reader of PGN or PCN, as [`open`] opens a file. Errors contain `name`.
pub fn from_reader(reader: impl Read + Send + 'static, name: &Path) -> Result<Source> {
    pgn::text_of(reader, None).map(as_pgn).map_err(|error| refused(name, error))
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

fn as_pgn(source: Source) -> Source {
    let converted = |reader| Converted { games: Games::new(reader), writer: PgnWriter::new(), at: 0 };
    if source.is_json() { source.with_pgn(converted) } else { source }
}

/// PGN that is written game by game from PCN.
struct Converted<R> {
    games: Games<R>,
    writer: PgnWriter,
    /// The number of bytes in the writer that have been read.
    at: usize,
}

impl<R: Read> Read for Converted<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.writer.as_bytes().len() {
            let Some(game) = self.games.next() else { return Ok(0) };
            self.writer.clear();
            self.writer.write(&game.map_err(|error| match error {
                ReadError::Io(error) => error,
                ReadError::Pcn(error) => io::Error::other(error),
            })?);
            self.at = 0;
        }
        let count = (&self.writer.as_bytes()[self.at..]).read(buf)?;
        self.at += count;
        Ok(count)
    }
}

/// The games of a PCN document.
pub(super) struct PcnGames {
    games: Games<Source>,
    progress: SourceProgress,
    path: PathBuf,
    /// The error that follows the games before it.
    failed: Option<Error>,
}

impl PcnGames {
    pub(super) fn new(source: Source, path: &Path) -> PcnGames {
        let progress = source.progress();
        PcnGames { games: Games::new(source), progress, path: path.to_path_buf(), failed: None }
    }
}

impl GameSource for PcnGames {
    fn next_batch(&mut self) -> Result<Option<Box<dyn GameBatch>>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut batch = Vec::new();
        let read = self.games.by_ref().take(BATCH).try_for_each(|game| {
            batch.push(game?);
            Ok(())
        });
        let failed = read.err().map(|error| match error {
            ReadError::Io(error) => unreadable(&self.path, error),
            ReadError::Pcn(error) => Error::input(called(&self.path), error.to_string()),
        });
        match failed {
            Some(error) if batch.is_empty() => return Err(error),
            failed => self.failed = failed,
        }
        Ok((!batch.is_empty()).then(|| Box::new(batch) as Box<dyn GameBatch>))
    }

    fn consumed(&self) -> u64 {
        self.progress.consumed()
    }
}

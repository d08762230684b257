//! The reading side: opens sources, splits them, and makes jobs.

use super::{ImportOptions, Progress};
use crate::error::{Error, Result};
use crate::format::ArchiveId;
use crate::pgn::{self, Piece, Splitter};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of PGN in a job, and so in a chunk: about a thousand games.
const JOB_BYTES: usize = 768 << 10;

/// A stretch of the sources, in order.
pub enum Part {
    Piece(Piece),
    End { source: usize, bytes: u64, sha256: [u8; 32] },
}

/// The sources on their way to jobs.
pub struct Feed<'a> {
    pub names: Vec<String>,
    /// The next source to open.
    next: usize,
    paths: &'a [PathBuf],
    splitter: Option<Splitter<Hashed>>,
    current: Option<pgn::Progress>,
    hash: Hash,
    /// Bytes of the sources before the current one, as stored.
    consumed: u64,
    pub first: Vec<Part>,
    options: &'a ImportOptions,
    progress: &'a Progress,
    stop: &'a AtomicBool,
    pub stopped: Option<Error>,
}

/// The SHA-256 of a source so far, and its length in bytes.
type Hash = Arc<Mutex<(Sha256, u64)>>;

/// A source whose bytes are hashed as they pass.
struct Hashed {
    source: pgn::Source,
    hash: Hash,
}

impl Read for Hashed {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buf)?;
        let mut state = self.hash.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.update(&buf[..count]);
        state.1 += count as u64;
        Ok(count)
    }
}

impl<'a> Feed<'a> {
    pub fn open(
        paths: &'a [PathBuf],
        options: &'a ImportOptions,
        progress: &'a Progress,
        stop: &'a AtomicBool,
    ) -> Result<Feed<'a>> {
        for path in paths.iter().filter(|path| path.as_os_str() != "-") {
            File::open(path).map_err(Error::io("cannot open", path))?;
        }
        let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let mut feed = Feed {
            names: paths.iter().map(name).collect(),
            next: 0,
            paths,
            splitter: None,
            current: None,
            hash: Hash::default(),
            consumed: 0,
            first: Vec::new(),
            options,
            progress,
            stop,
            stopped: None,
        };
        feed.first = feed.read_job();
        // A source that cannot be read at all is told before an archive is made.
        match feed.stopped.take() {
            Some(error) if feed.first.is_empty() => Err(error),
            stopped => {
                feed.stopped = stopped;
                Ok(feed)
            }
        }
    }

    /// The new archive's identity: a hash of the first games and of this format, so that the same import makes the same archive.
    pub fn identity(&self) -> ArchiveId {
        let mut hash = Sha256::new();
        hash.update(b"Scoresheet archive identity");
        hash.update(u64::from(self.options.level as u32).to_le_bytes());
        for part in &self.first {
            if let Part::Piece(piece) = part {
                hash.update(&piece.text);
            }
        }
        let hash: [u8; 32] = hash.finalize().into();
        let mut id = [0; 16];
        id.copy_from_slice(&hash[..16]);
        ArchiveId(id)
    }

    /// Returns the next job; empty at the end of all sources, or where reading had to stop.
    pub fn read_job(&mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut bytes = 0;
        while bytes < JOB_BYTES && self.stopped.is_none() {
            if self.stop.load(Ordering::Relaxed) {
                self.stopped = Some(Error::Interrupted);
                break;
            }
            match self.read_part(JOB_BYTES - bytes) {
                Ok(Some(part)) => {
                    if let Part::Piece(piece) = &part {
                        bytes += piece.text.len() + piece.oversized.iter().map(|game| game.head.len()).sum::<usize>();
                    }
                    parts.push(part);
                }
                Ok(None) => break,
                Err(error) => self.stopped = Some(error),
            }
        }
        parts
    }

    fn read_part(&mut self, bytes: usize) -> Result<Option<Part>> {
        let Some(splitter) = &mut self.splitter else {
            let Some(path) = self.paths.get(self.next) else { return Ok(None) };
            let input = |error: pgn::SourceError| match error {
                pgn::SourceError::Io(error) => Error::io("cannot read", path)(error),
                other => Error::Input { name: path.display().to_string(), what: other.to_string() },
            };
            let source = pgn::open(path).map_err(input)?;
            self.current = Some(source.progress());
            let number = self.next;
            self.next += 1;
            self.hash = Hash::default();
            let hashed = Hashed { source, hash: Arc::clone(&self.hash) };
            self.splitter = Some(Splitter::new(hashed, number as u32, self.options.read.limits));
            return self.read_part(bytes);
        };
        let path = &self.paths[self.next - 1];
        let piece = splitter.next_piece(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                Error::Input { name: path.display().to_string(), what: format!("damaged or cut short: {error}") }
            }
            _ => Error::io("cannot read", path)(error),
        })?;
        let consumed = self.current.as_ref().map_or(0, pgn::Progress::consumed);
        self.progress.consumed.store(self.consumed + consumed, Ordering::Relaxed);
        match piece {
            Some(piece) => Ok(Some(Part::Piece(piece))),
            None => {
                self.consumed += consumed;
                self.splitter = None;
                let hash = self.hash.lock().unwrap_or_else(PoisonError::into_inner);
                let (sha256, bytes) = (hash.0.clone().finalize().into(), hash.1);
                Ok(Some(Part::End { source: self.next - 1, bytes, sha256 }))
            }
        }
    }
}

//! The reading side of an import: opens sources, splits them into segments, and combines segments into jobs.

use super::kept::Reading;
use super::options::ImportOptions;
use super::source::{called, look_at, open_as_is, open_until, unreadable};
use super::summary::{Progress, Refused};
use crate::error::{Error, Result};
use crate::format::ArchiveId;
use crate::format::source::SourceRecord;
use crate::pgn::{self, Batch, Checkpoint};
use sha2::{Digest, Sha256};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of bytes to read at once while a resumed import skips the imported part of its sources.
const PASSED: usize = 256 << 10;

/// A part of the sources. Segments are in the order of the sources.
pub enum Segment {
    /// Games, with the checkpoint after them. Within an oversized game, the checkpoint is `None`.
    Batch(Batch, Option<Checkpoint>),
    /// The end of a source. `made` states that the source was not PGN. In this case, the length and the hash are those
    /// of the PGN made from it. `is_complete` is false if the source could not be read to its end.
    End { source: usize, bytes: u64, sha256: [u8; 32], made: bool, is_complete: bool },
}

impl Segment {
    /// Returns the approximate memory that the segment uses, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Segment::Batch(batch, _) => batch.text.len() + batch.oversized.as_ref().map_or(0, |game| game.head.len()),
            Segment::End { .. } => 0,
        }
    }

    /// Returns the number of games in the segment, including incomplete games.
    fn games(&self) -> usize {
        match self {
            Segment::Batch(batch, _) => batch.spans.len(),
            Segment::End { .. } => 0,
        }
    }

    fn is_open(&self) -> bool {
        matches!(self, Segment::Batch(batch, _) if batch.open)
    }
}

/// The segments that form a chunk.
#[derive(Default)]
pub struct Job {
    pub segments: Vec<Segment>,
    /// Whether the job begins with an oversized game. An import cannot resume within such a game, so a commit is made
    /// before the job.
    pub opens: bool,
    /// Whether the job ends within an oversized game.
    pub open: bool,
}

/// Reads sources, and combines their segments into jobs.
pub struct Feed<'a> {
    pub names: Vec<String>,
    /// The next source to open.
    next: usize,
    /// The position at which reading begins in the next source, if it is not the start.
    begin: Option<Begin>,
    paths: &'a [PathBuf],
    reading: Option<Reading>,
    current: Option<pgn::SourceProgress>,
    /// Whether the current source is PGN that was made from another format.
    made: bool,
    /// The number of bytes in the preceding sources, before decompression.
    consumed: u64,
    pub first: Job,
    /// The first segment of the next job, if it has already been read.
    held: Option<Segment>,
    /// Whether the last segment ended within an oversized game.
    open: bool,
    options: &'a ImportOptions,
    progress: &'a Progress,
    stop: &'a AtomicBool,
    pub stopped: Option<Error>,
    /// The sources that could not be read to their end.
    pub refused: Vec<Refused>,
    /// Whether an interrupted import cannot continue, because a source may have changed.
    is_changed: bool,
}

/// The position at which an interrupted import continues in its current source.
#[derive(Clone, Debug)]
pub struct Begin {
    /// The record of the current source up to this position.
    pub source: SourceRecord,
    /// The line of the source at which the import continues, from 1.
    pub line: u64,
}

/// Returns the name of a source as an archive stores it.
pub fn name_of(path: Option<&PathBuf>) -> String {
    path.map_or_else(String::new, |path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned())
}

/// Returns the names of sources as an archive stores them: their file names without folders.
pub fn names(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| name_of(Some(path))).collect()
}

impl<'a> Feed<'a> {
    /// Opens the sources. The sources in `done` have been imported already, as has the part of the next source before
    /// `begin`. The imported bytes are read again to verify that they have not changed.
    pub fn open(
        paths: &'a [PathBuf],
        done: &[SourceRecord],
        begin: Option<Begin>,
        options: &'a ImportOptions,
        progress: &'a Progress,
        stop: &'a AtomicBool,
    ) -> Result<Feed<'a>> {
        for path in paths.iter().filter(|path| path.as_os_str() != "-") {
            look_at(path)?;
        }
        let mut feed = Feed {
            names: names(paths),
            next: done.len(),
            begin,
            paths,
            reading: None,
            current: None,
            made: false,
            consumed: 0,
            first: Job::default(),
            held: None,
            open: false,
            options,
            progress,
            stop,
            stopped: None,
            refused: Vec::new(),
            is_changed: false,
        };
        for (index, (record, path)) in done.iter().zip(paths).enumerate() {
            let mut source = match feed.open_source(index, path) {
                Ok(source) if record.exact || source.is_made() => source,
                Err(error) if record.exact => return Err(error),
                // The interrupted import could not read this source to its end.
                opened => {
                    let error = opened.err().unwrap_or_else(|| {
                        Error::input(called(path), "could not be read to its end by the interrupted import")
                    });
                    feed.refused.push(Refused { source: index, error });
                    continue;
                }
            };
            let consumed = source.progress();
            pass_over(&mut source, path, record, stop)?;
            let more = source.read(&mut [0]).map_err(|error| unreadable(path, error))?;
            if more > 0 {
                return Err(changed(path));
            }
            feed.consumed += consumed.consumed();
        }
        feed.first = feed.read_job();
        // If no source can be read, or if one has changed, the error is returned before anything is written.
        let is_nothing = !feed.first.segments.iter().any(|segment| matches!(segment, Segment::Batch(..)));
        let is_end = feed.next >= paths.len() && feed.reading.is_none() && feed.held.is_none();
        if is_nothing && is_end && done.is_empty() && feed.refused.len() == paths.len() && feed.stopped.is_none() {
            feed.stopped = joined(std::mem::take(&mut feed.refused));
            feed.first.segments.clear();
        }
        match feed.stopped.take() {
            Some(error) if feed.first.segments.is_empty() => Err(error),
            stopped => {
                feed.stopped = stopped;
                Ok(feed)
            }
        }
    }

    /// Returns the identity of the new archive, which is a hash of the first games and the level. Importing the same
    /// games in the same way therefore creates the same archive.
    pub fn identity(&self) -> ArchiveId {
        let mut hash = Sha256::new();
        hash.update(b"Scoresheet archive identity");
        hash.update(u64::from(self.options.level as u32).to_le_bytes());
        for segment in &self.first.segments {
            if let Segment::Batch(batch, _) = segment {
                hash.update(&batch.text);
            }
        }
        let hash: [u8; 32] = hash.finalize().into();
        let mut id = [0; 16];
        id.copy_from_slice(&hash[..16]);
        ArchiveId(id)
    }

    /// Returns the next job. The job contains no segments if all sources have ended or if reading had to stop.
    pub fn read_job(&mut self) -> Job {
        let mut job = Job::default();
        let (mut bytes, mut games) = (0, 0);
        while self.stopped.is_none() {
            let missing = self.options.missing(bytes, games);
            if missing == 0 {
                break;
            }
            if self.stop.load(Ordering::Relaxed) {
                self.stopped = Some(Error::Interrupted);
                break;
            }
            let segment = match self.held.take() {
                Some(segment) => Ok(Some(segment)),
                None => self.read_part(missing),
            };
            match segment {
                Ok(Some(segment)) => {
                    let opens = segment.is_open() && !self.open;
                    if (opens || segment.bytes() / 2 > self.options.chunk_bytes) && !job.segments.is_empty() {
                        self.held = Some(segment);
                        break;
                    }
                    job.opens |= opens;
                    self.open = segment.is_open();
                    bytes += segment.bytes();
                    games += segment.games();
                    job.segments.push(segment);
                }
                Ok(None) => break,
                Err(error) if self.is_end_of_all(&error) => self.stopped = Some(error),
                Err(error) => {
                    if let Some(segment) = self.give_up(error) {
                        self.open = false;
                        job.segments.push(segment);
                    }
                }
            }
        }
        job.open = self.open;
        job
    }

    /// Returns whether an error in a source ends the import.
    fn is_end_of_all(&self, error: &Error) -> bool {
        self.options.stop_at_refused || self.is_changed || matches!(error, Error::Interrupted)
    }

    /// Stops reading the current source, or the next source if it could not be opened. The games before the fault are
    /// kept. The last source is written without an end segment. The archive records its progress, so an import can
    /// continue with a better copy of the source.
    fn give_up(&mut self, error: Error) -> Option<Segment> {
        let checkpoint = match self.reading.take() {
            Some(reading) => reading.checkpoint(),
            None => {
                (self.next, self.made, self.current) = (self.next + 1, false, None);
                Checkpoint::default()
            }
        };
        self.consumed += self.current.as_ref().map_or(0, pgn::SourceProgress::consumed);
        let source = self.next - 1;
        self.refused.push(Refused { source, error });
        let Checkpoint { offset: bytes, hash, .. } = checkpoint;
        let is_last = self.next >= self.paths.len();
        (!is_last).then(|| {
            let sha256 = hash.finalize().into();
            Segment::End { source, bytes, sha256, made: self.made, is_complete: false }
        })
    }

    /// Opens a source: without conversion if its bytes are to be kept, otherwise as PGN.
    fn open_source(&self, index: usize, path: &Path) -> Result<pgn::Source> {
        if self.options.kept.contains(&index) { open_as_is(path) } else { open_until(path, self.stop) }
    }

    fn read_part(&mut self, bytes: usize) -> Result<Option<Segment>> {
        let Some(reading) = &mut self.reading else {
            let Some(path) = self.paths.get(self.next) else { return Ok(None) };
            // The source at which an import continues must exist and must not have changed.
            self.is_changed = self.begin.is_some();
            let mut source = self.open_source(self.next, path)?;
            self.current = Some(source.progress());
            self.made = source.is_made();
            let (number, limits) = (self.next as u32, self.options.read.limits);
            let keep = self.options.kept.contains(&self.next);
            self.next += 1;
            let checkpoint = match self.begin.take() {
                None => None,
                Some(Begin { source: record, line }) => {
                    let hash = pass_over(&mut source, path, &record, self.stop)?;
                    Some(Checkpoint { offset: record.bytes, line, hash })
                }
            };
            self.is_changed = false;
            self.reading = Some(Reading::new(source, number, checkpoint, limits, keep));
            return self.read_part(bytes);
        };
        let path = &self.paths[self.next - 1];
        let batch = reading.next_batch(bytes).map_err(|error| unreadable(path, error))?;
        let checkpoint = reading.checkpoint();
        let consumed = self.current.as_ref().map_or(0, pgn::SourceProgress::consumed);
        self.progress.consumed.store(self.consumed + consumed, Ordering::Relaxed);
        match batch {
            Some(batch) => {
                let checkpoint = (!batch.open).then_some(checkpoint);
                Ok(Some(Segment::Batch(batch, checkpoint)))
            }
            None => {
                self.consumed += consumed;
                self.reading = None;
                let Checkpoint { offset: bytes, hash, .. } = checkpoint;
                Ok(Some(Segment::End {
                    source: self.next - 1,
                    bytes,
                    sha256: hash.finalize().into(),
                    made: self.made,
                    is_complete: true,
                }))
            }
        }
    }
}

/// Returns a single error for all unreadable sources.
pub fn joined(refused: Vec<Refused>) -> Option<Error> {
    let mut errors = refused.into_iter().map(|refused| refused.error);
    let first = errors.next()?;
    let others: Vec<String> = errors.map(|error| error.to_string()).collect();
    match first {
        Error::Input { name, what, .. } if !others.is_empty() => {
            Some(Error::input(name, format!("{what}; {}", others.join("; "))))
        }
        first => Some(first),
    }
}

fn changed(path: &Path) -> Error {
    let what = "has changed since the interrupted import: its beginning differs from the part in the archive";
    Error::input(path.display().to_string(), what)
}

/// Skips the bytes of a source that its record covers. Returns the hash of these bytes if it equals the hash in the
/// record.
fn pass_over(source: &mut pgn::Source, path: &Path, record: &SourceRecord, stop: &AtomicBool) -> Result<Sha256> {
    let (mut hash, mut left, mut buffer) = (Sha256::new(), record.bytes, vec![0; PASSED]);
    while left > 0 {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let length = buffer.len().min(usize::try_from(left).unwrap_or(PASSED));
        let count = match source.read(&mut buffer[..length]) {
            Ok(0) => return Err(changed(path)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(path, error)),
        };
        hash.update(&buffer[..count]);
        left -= count as u64;
    }
    match hash.clone().finalize()[..] == record.sha256 {
        true => Ok(hash),
        false => Err(changed(path)),
    }
}

//! The reading side of an import: opens sources, splits them into segments, and combines segments into jobs.

use super::game_source::{GameBatch, GameReceiver, GameSource, ImportSource, Input};
use super::kept::Reading;
use super::options::ImportOptions;
use super::parsed::{End, GameRun, Parsed, Run};
use super::source::{PcnGames, called, look_at, open_as_is, unreadable};
use super::summary::{Progress, Refused};
use crate::error::{Error, Result};
use crate::format::ArchiveId;
use crate::format::source::SourceRecord;
use crate::parallel;
use crate::pgn::{self, Batch, Checkpoint};
use sha2::{Digest, Sha256};
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of bytes to read at once while a resumed import skips the imported part of its sources.
const PASSED: usize = 256 << 10;
/// The number of batches to decode at once for the same purpose.
const PASSED_BATCHES: usize = 32;

/// A part of the sources. Segments are in the order of the sources.
pub enum Segment {
    /// Games, with the checkpoint after them. Within an oversized game, the checkpoint is `None`.
    Batch(Batch, Option<Checkpoint>),
    /// Games of a source that is not PGN.
    Games(usize, Box<dyn GameBatch>),
    /// The end of a source. `text` is the end of its text, or `None` for a source that is not PGN, whose text is the PGN
    /// made from it. `is_complete` is false if the source could not be read to its end.
    End { source: usize, text: Option<Checkpoint>, is_complete: bool },
}

impl Segment {
    /// Returns the approximate memory that the segment uses, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Segment::Batch(batch, _) => batch.text.len() + batch.oversized.as_ref().map_or(0, |game| game.head.len()),
            Segment::Games(_, batch) => batch.bytes(),
            Segment::End { .. } => 0,
        }
    }

    /// Returns the number of games in the segment, including incomplete games.
    fn games(&self) -> usize {
        match self {
            Segment::Batch(batch, _) => batch.spans.len(),
            Segment::Games(_, batch) => batch.games(),
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
    sources: Vec<Input>,
    reading: Option<Reading>,
    /// The number of bytes in the preceding sources, before decompression.
    consumed: u64,
    /// The source at which the import continues, if it is not PGN, with the end of the PGN of its imported games.
    pub passed: Option<(usize, Checkpoint)>,
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

/// Returns the names of sources as an archive stores them: for files, their names without folders.
pub fn names(sources: &[ImportSource]) -> Vec<String> {
    let name = |source: &ImportSource| match &source.0 {
        Input::File(path) => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        Input::Games(name, _) => name.clone(),
    };
    sources.iter().map(name).collect()
}

/// A source that has been opened.
enum Opened {
    Text(pgn::Source),
    Games(Box<dyn GameSource>),
}

impl<'a> Feed<'a> {
    /// Opens the sources. The sources in `done` have been imported already, as has the part of the next source before
    /// `begin`. The imported bytes are read again to verify that they have not changed.
    pub fn open(
        sources: Vec<ImportSource>,
        done: &[SourceRecord],
        begin: Option<Begin>,
        options: &'a ImportOptions,
        progress: &'a Progress,
        stop: &'a AtomicBool,
    ) -> Result<Feed<'a>> {
        sources.iter().try_for_each(look_at)?;
        let mut feed = Feed {
            names: names(&sources),
            next: done.len(),
            begin,
            sources: sources.into_iter().map(|source| source.0).collect(),
            reading: None,
            consumed: 0,
            passed: None,
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
        for (index, record) in done.iter().enumerate() {
            let name = feed.called(index);
            let error = match feed.open_source(index) {
                Ok(Opened::Text(mut source)) if record.exact => {
                    let path = Path::new(&name);
                    pass_over(&mut source, path, record, stop)?;
                    if source.read(&mut [0]).map_err(|error| unreadable(path, error))? > 0 {
                        return Err(changed(&name));
                    }
                    feed.consumed += source.progress().consumed();
                    continue;
                }
                Ok(Opened::Games(mut source)) => match pass_over_games(&mut *source, &name, record, options, stop)? {
                    // The interrupted import may have been unable to read the source further.
                    _ if source.next_batch().is_ok_and(|batch| batch.is_some()) => return Err(changed(&name)),
                    _ => {
                        feed.consumed += source.consumed();
                        continue;
                    }
                },
                Err(error) if record.exact => return Err(error),
                Err(error) => error,
                Ok(Opened::Text(_)) => Error::input(name, "could not be read to its end by the interrupted import"),
            };
            feed.refused.push(Refused { source: index, error });
        }
        feed.first = feed.read_job();
        // If no source can be read, or if one has changed, the error is returned before anything is written.
        let holds_games = |segment: &Segment| matches!(segment, Segment::Batch(..) | Segment::Games(..));
        let is_nothing = !feed.first.segments.iter().any(holds_games);
        let is_end = feed.next >= feed.sources.len() && feed.reading.is_none() && feed.held.is_none();
        if is_nothing && is_end && done.is_empty() && feed.refused.len() == feed.sources.len() && feed.stopped.is_none()
        {
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
            match segment {
                Segment::Batch(batch, _) => hash.update(&batch.text),
                Segment::Games(_, batch) => hash.update(text_of(&**batch, self.options).1),
                Segment::End { .. } => {}
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
        let text = match self.reading.take() {
            Some(reading) => {
                self.consumed += reading.consumed();
                reading.checkpoint()
            }
            None => {
                self.next += 1;
                Some(Checkpoint::default())
            }
        };
        let source = self.next - 1;
        self.refused.push(Refused { source, error });
        let is_last = self.next >= self.sources.len();
        (!is_last).then_some(Segment::End { source, text, is_complete: false })
    }

    /// Returns the name of a source for use in messages.
    fn called(&self, index: usize) -> String {
        match self.sources.get(index) {
            Some(Input::File(path)) => called(path),
            Some(Input::Games(name, _)) => name.clone(),
            None => String::new(),
        }
    }

    /// Opens a source: as text if it is PGN, or if its bytes are to be kept.
    fn open_source(&mut self, index: usize) -> Result<Opened> {
        let is_kept = self.options.kept.contains(&index);
        match self.sources.get_mut(index) {
            Some(Input::File(path)) => Ok(match open_as_is(path)? {
                source if source.is_json() && !is_kept => Opened::Games(Box::new(PcnGames::new(source, path))),
                source => Opened::Text(source),
            }),
            // Each source is opened once.
            Some(Input::Games(_, source)) => Ok(Opened::Games(std::mem::replace(source, Box::new(std::iter::empty())))),
            None => Ok(Opened::Games(Box::new(std::iter::empty()))),
        }
    }

    fn read_part(&mut self, bytes: usize) -> Result<Option<Segment>> {
        if self.reading.is_none() {
            if self.next >= self.sources.len() {
                return Ok(None);
            }
            // The source at which an import continues must exist and must not have changed.
            self.is_changed = self.begin.is_some();
            let name = self.called(self.next);
            let opened = self.open_source(self.next)?;
            let (number, limits) = (self.next, self.options.read.limits);
            let keep = self.options.kept.contains(&number);
            self.next += 1;
            let begin = self.begin.take();
            self.reading = Some(match opened {
                Opened::Text(mut source) => {
                    let pass = |Begin { source: record, line }| {
                        let hash = pass_over(&mut source, Path::new(&name), &record, self.stop)?;
                        Ok::<_, Error>(Checkpoint { offset: record.bytes, line, hash })
                    };
                    let checkpoint = begin.map(pass).transpose()?;
                    Reading::new(source, number as u32, checkpoint, limits, keep)
                }
                Opened::Games(mut source) => {
                    if let Some(Begin { source: record, line }) = begin {
                        let hash = pass_over_games(&mut *source, &name, &record, self.options, self.stop)?;
                        self.passed = Some((number, Checkpoint { offset: record.bytes, line, hash }));
                    }
                    Reading::Games(source)
                }
            });
            self.is_changed = false;
        }
        let Some(reading) = &mut self.reading else { return Ok(None) };
        let source = self.next - 1;
        let segment = match (reading, self.sources.get(source)) {
            (Reading::Games(games), _) => games.next_batch()?.map(|batch| Segment::Games(source, batch)),
            (text, Some(Input::File(path))) => {
                let batch = text.next_batch(bytes).map_err(|error| unreadable(path, error))?;
                batch.map(|batch| {
                    let checkpoint = text.checkpoint().filter(|_| !batch.open);
                    Segment::Batch(batch, checkpoint)
                })
            }
            _ => None,
        };
        let Some(reading) = &self.reading else { return Ok(segment) };
        let (consumed, text) = (self.consumed + reading.consumed(), reading.checkpoint());
        self.progress.consumed.store(consumed, Ordering::Relaxed);
        if segment.is_none() {
            (self.consumed, self.reading) = (consumed, None);
        }
        Ok(segment.or(Some(Segment::End { source, text, is_complete: true })))
    }
}

/// Returns the number of games in a batch, and the PGN of its stored games.
fn text_of(batch: &dyn GameBatch, options: &ImportOptions) -> (u64, Vec<u8>) {
    let (mut parsed, mut done) = (Parsed::default(), Vec::new());
    GameReceiver::take(&mut parsed, 0, batch, options, &mut done);
    done.push(parsed);
    let (mut all_seen, mut all_text) = (0, Vec::new());
    for run in done.into_iter().flat_map(|parsed| parsed.runs) {
        if let Run::Games(GameRun { seen, end: End::Text(text), .. }) = run {
            all_seen += seen;
            all_text.extend(text);
        }
    }
    (all_seen, all_text)
}

/// Skips the games of a source that its record covers. Returns the hash of their PGN if it equals the hash in the
/// record.
fn pass_over_games(
    source: &mut dyn GameSource,
    name: &str,
    record: &SourceRecord,
    options: &ImportOptions,
    stop: &AtomicBool,
) -> Result<Sha256> {
    let (mut hash, mut passed) = (Sha256::new(), 0);
    while passed < record.seen {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let (mut batches, mut games) = (Vec::new(), passed);
        while games < record.seen && batches.len() < PASSED_BATCHES {
            let batch = source.next_batch()?.ok_or_else(|| changed(name))?;
            games += batch.games() as u64;
            batches.push(batch);
        }
        let texts = parallel::map_items(&batches, |batch| text_of(&**batch, options));
        for (seen, text) in texts {
            hash.update(text);
            passed += seen;
        }
    }
    match hash.clone().finalize()[..] == record.sha256 && passed == record.seen {
        true => Ok(hash),
        false => Err(changed(name)),
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

fn changed(name: &str) -> Error {
    Error::input(name, "has changed since the interrupted import: its beginning differs from the part in the archive")
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
            Ok(0) => return Err(changed(&path.display().to_string())),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(path, error)),
        };
        hash.update(&buffer[..count]);
        left -= count as u64;
    }
    match hash.clone().finalize()[..] == record.sha256 {
        true => Ok(hash),
        false => Err(changed(&path.display().to_string())),
    }
}

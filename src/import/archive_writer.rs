//! Writes an archive from a program: adds single games, or PGN from a reader.

use super::feed::Segment;
use super::options::ImportOptions;
use super::output::{Output, Turn};
use super::parsed::{End, GameRun, Parsed, Run};
use super::pipeline::Draft;
use super::resume::Start;
use super::summary::{FaultReport, Report};
use crate::archive::Existing;
use crate::archive::writer::{Interner, NewFile, Opened, Writer, write_index};
use crate::error::{Error, Result};
use crate::format::ArchiveId;
use crate::game::Game;
use crate::pgn::{Checkpoint, Source, SourceError, Splitter};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The name of the source for games that are added one by one.
const ADDED: &str = "games added by a program";

/// A writer that creates or extends an archive game by game. Threads can share it.
///
/// The thread that adds games also encodes them, one chunk at a time. To import files with millions of games on all
/// cores, use [`Import`](super::Import). All added games are durable when [`finish`](ArchiveWriter::finish) returns. In
/// the meantime, a commit after every 64 chunks makes the games so far durable. Dropping a writer without `finish`
/// discards a new archive, and leaves an existing archive at its last commit.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// use scoresheet::{Archive, ArchiveWriter, Game, Monitor, archive::Level, game::Event};
///
/// let writer = ArchiveWriter::create(&target)?;
/// let mut game = Game::default();
/// game.tags.push(("White".to_owned(), "Anderssen".to_owned()));
/// game.events.push(Event::Move(game.start.parse_san("e4")?));
/// writer.add(&game)?;
/// writer.add_pgn("more.pgn", &b"[White \"Morphy\"]\n\n1. e4 e5 1-0\n"[..])?;
/// assert_eq!(writer.finish()?.games, 2);
/// assert!(Archive::verify(&target, Level::Full, Monitor::new())?.is_intact());
///
/// let archive = Archive::open(&target)?;
/// assert_eq!(archive.game(2)?.tag("White")?.as_deref(), Some("Morphy"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ArchiveWriter {
    inner: Mutex<Inner>,
}

/// The result of an [`ArchiveWriter`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Written {
    /// The number of games in the archive, including the games that existed before.
    pub games: u64,
    /// The length of the archive in bytes.
    pub bytes: u64,
    /// The error if the index could not be written. The archive is complete without the index, and the index can be
    /// rebuilt.
    pub unindexed: Option<Error>,
}

/// The result of adding a PGN text.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct AddedPgn {
    /// The number of games in the text, including rejected games.
    pub seen: u64,
    /// The number of rejected games.
    pub rejected: u64,
    /// The faults, in order.
    pub faults: Vec<FaultReport>,
}

struct Inner {
    target: PathBuf,
    /// The archive file, if it is new.
    new: Option<NewFile>,
    output: Output<'static, File>,
    interner: Interner,
    options: ImportOptions,
    parsed: Parsed,
    /// The finished chunks before `parsed`, which a variant ended.
    done: Vec<Parsed>,
    /// The number of PGN bytes in `parsed`.
    bytes: usize,
    /// The number of chunks since the last commit.
    in_batch: u32,
    number: u64,
    /// The source of the games that are added one by one, if it is open.
    added: Option<Added>,
    faults: Arc<Mutex<Vec<FaultReport>>>,
}

/// The source of the games that are added one by one. The text of this source is the PGN of its games.
struct Added {
    source: usize,
    /// The end of the source's text.
    at: Checkpoint,
    /// The number of games in the current chunk.
    stored: u64,
}

impl ArchiveWriter {
    /// Returns a writer for a new archive. Returns an error if the file exists.
    pub fn create(path: impl AsRef<Path>) -> Result<ArchiveWriter> {
        ArchiveWriter::create_with(path, ImportOptions::default())
    }

    /// Returns a writer for a new archive like `create`, with the level, packing, batches and limits of `options`.
    pub fn create_with(path: impl AsRef<Path>, options: ImportOptions) -> Result<ArchiveWriter> {
        let path = path.as_ref();
        if path.exists() {
            return Err(Error::Exists { path: path.to_path_buf() });
        }
        // Archives that are written one after the other must have different identities. Otherwise, the side files of
        // one archive could be mistaken for the side files of another.
        let mut hash = Sha256::new();
        hash.update(b"Scoresheet archive of a program");
        hash.update(path.as_os_str().as_encoded_bytes());
        hash.update(std::process::id().to_le_bytes());
        if let Ok(now) = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
            hash.update(now.as_nanos().to_le_bytes());
        }
        let hash: [u8; 32] = hash.finalize().into();
        let id = ArchiveId(*hash.first_chunk().unwrap_or(&[0; 16]));
        let (new, writer) = NewFile::create(path, id, Existing::Refuse, options.permissions)?;
        Ok(ArchiveWriter::new(path, Some(new), Opened::new(writer), options))
    }

    /// Returns a writer that adds games to an existing archive.
    pub fn append(path: impl AsRef<Path>) -> Result<ArchiveWriter> {
        let path = path.as_ref();
        Ok(ArchiveWriter::new(path, None, Writer::open(path)?, ImportOptions::default()))
    }

    fn new(path: &Path, new: Option<NewFile>, opened: Opened<File>, options: ImportOptions) -> ArchiveWriter {
        let Opened { writer, interner, sources, .. } = opened;
        let start = Start { first_source: sources.len() as u64, ..Start::default() };
        let faults = Arc::new(Mutex::new(Vec::new()));
        let reported = Arc::clone(&faults);
        let report: Report<'static> =
            Box::new(move |fault| reported.lock().unwrap_or_else(PoisonError::into_inner).push(fault));
        let output = Output::new(writer, &[], &start, None, &options, None, report);
        let inner = Inner {
            target: path.to_path_buf(),
            new,
            output,
            interner,
            options,
            parsed: Parsed::default(),
            done: Vec::new(),
            bytes: 0,
            in_batch: 0,
            number: 0,
            added: None,
            faults,
        };
        ArchiveWriter { inner: Mutex::new(inner) }
    }

    /// Adds a game. Returns the number of the game in the archive, from 1.
    ///
    /// A game whose starting position has the rules of a variant gets the tag Variant if it has none.
    ///
    /// Errors: [`Error::Input`] if the game is invalid ([`Game::check`] returns the reason) or its tag Variant names other
    /// rules than its position has, in which case nothing is added. [`Error::Io`] if the archive cannot be written.
    pub fn add(&self, game: &Game) -> Result<u64> {
        let game = game.as_stored().map_err(|reason| Error::input("the game", reason))?;
        self.lock().add(&game)
    }

    /// Adds the games of a PGN text, plain or compressed. `name` is the name of the source in the archive. Faults in
    /// games are part of the result and are not errors.
    ///
    /// Errors: the archive cannot be written, or the text cannot be read to its end (in this case, the games before the
    /// fault are added).
    ///
    /// ```
    /// use scoresheet::ArchiveWriter;
    /// use scoresheet::import::{AddedPgn, Written};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// let writer = ArchiveWriter::create(&target)?;
    /// let pgn = b"1. e4 e5 2. Ke5 *\n\n[Variant \"Suicide\"]\n\n1. e3 *\n";
    /// let added: AddedPgn = writer.add_pgn("download", &pgn[..])?;
    /// assert_eq!((added.seen, added.rejected, added.faults.len()), (2, 1, 2));
    /// assert_eq!((added.faults[0].line, added.faults[1].line), (1, 3));
    /// let written: Written = writer.finish()?;
    /// assert_eq!(written.games, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_pgn(&self, name: &str, pgn: impl Read + Send + 'static) -> Result<AddedPgn> {
        let refused = |error: SourceError| match error {
            SourceError::Io(source) => Error::Io { doing: "cannot read", path: PathBuf::from(name), source },
            error => Error::input(name, error.to_string()),
        };
        let source = crate::pgn::from_reader(pgn, None).map_err(refused)?;
        self.lock().add_pgn(name, source)
    }

    /// Commits all added games, and writes the index next to the archive.
    pub fn finish(self) -> Result<Written> {
        self.inner.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn add(&mut self, game: &Game) -> Result<u64> {
        if self.parsed.chunk.is_ended_by(game.start.variant()) {
            self.flush()?;
        }
        if self.added.is_none() {
            let at = Checkpoint { line: 1, ..Checkpoint::default() };
            self.added = Some(Added { source: self.output.begin_source(ADDED), at, stored: 0 });
        }
        self.parsed.layout.begin();
        game.visit(&mut self.parsed.chunk);
        self.parsed.chunk.end_game(false);
        game.visit(self.parsed.layout.writer());
        let mut text = Vec::new();
        self.parsed.layout.end_written_game(&mut text);
        self.parsed.plies += game.main_line().count() as u64;
        self.parsed.pgn_bytes += text.len() as u64;
        self.bytes += text.len();
        if let Some(Added { at, stored, .. }) = &mut self.added {
            at.offset += text.len() as u64;
            at.line += memchr::memchr_iter(b'\n', &text).count() as u64;
            at.hash.update(&text);
            *stored += 1;
        }
        let number = self.output.writer.totals().games + self.parsed.chunk.ends.len() as u64;
        if self.missing() == 0 {
            self.flush()?;
        }
        Ok(number)
    }

    /// Returns the number of PGN bytes that are still needed to complete the chunk.
    fn missing(&self) -> usize {
        self.options.missing(self.bytes, self.parsed.chunk.ends.len())
    }

    fn add_pgn(&mut self, name: &str, source: Source) -> Result<AddedPgn> {
        self.end_added()?;
        self.flush()?;
        let source_index = self.output.begin_source(name);
        let mut splitter = Splitter::new(source, source_index as u32, self.options.read.limits);
        let cannot = |source| Error::Io { doing: "cannot read", path: PathBuf::from(name), source };
        let mut failed = None;
        loop {
            // A chunk must not end within an oversized game.
            match splitter.next_batch(self.missing().max(1)) {
                Ok(Some(batch)) => {
                    let (length, open) = (batch.text.len(), batch.open);
                    let checkpoint = (!open).then(|| splitter.checkpoint());
                    self.parsed.take(Segment::Batch(batch, checkpoint), &self.options, &mut self.done);
                    self.bytes += length;
                    if self.missing() == 0 && !open {
                        self.flush()?;
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    failed = Some(cannot(error));
                    break;
                }
            }
        }
        if failed.is_none() {
            let (source, text) = (source_index, Some(splitter.checkpoint()));
            let end = Segment::End { source, text, is_complete: true };
            self.parsed.take(end, &self.options, &mut self.done);
        }
        self.flush()?;
        let faults = std::mem::take(&mut *self.faults.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(error) = failed {
            return Err(error);
        }
        let record = self.output.sources.get(source_index).map(|source| &source.record);
        let (seen, rejected) = record.map_or((0, 0), |record| (record.seen, record.rejected));
        Ok(AddedPgn { seen, rejected, faults })
    }

    /// Records the games of the source that have been added one by one.
    fn note_added(&mut self) {
        if let Some(Added { source, at, stored }) = &mut self.added
            && *stored > 0
        {
            let end = End::At(at.clone());
            let games = std::mem::take(stored);
            let run = GameRun { source: *source, seen: games, stored: games, end, ..GameRun::default() };
            self.parsed.end_run(run);
        }
    }

    /// Ends the source of the games that were added one by one.
    fn end_added(&mut self) -> Result<()> {
        self.note_added();
        if let Some(Added { source, at, .. }) = self.added.take() {
            self.parsed.runs.push(Run::End { source, text: Some(at), is_complete: true });
        }
        Ok(())
    }

    /// Writes the added games as a chunk.
    fn flush(&mut self) -> Result<()> {
        self.note_added();
        let parsed = std::mem::take(&mut self.parsed);
        self.bytes = 0;
        let mut done = std::mem::take(&mut self.done);
        if !parsed.chunk.ends.is_empty() || !parsed.runs.is_empty() {
            done.push(parsed);
        }
        if done.is_empty() {
            return Ok(());
        }
        let begins_batch = self.in_batch == 0;
        self.in_batch += 1;
        let commit_after = self.in_batch >= self.options.batch;
        if commit_after {
            self.in_batch = 0;
        }
        let turn = Turn { number: self.number, begins_batch, commit_before: false, commit_after };
        self.number += 1;
        if begins_batch {
            self.interner.begin_batch();
        }
        let (options, interner) = (&self.options, &mut self.interner);
        let chunk = |parsed| {
            let mut draft = Draft::new(parsed, options);
            let new_strings = draft.number_strings(interner);
            draft.encode(options, new_strings)
        };
        let chunks = done.into_iter().map(chunk).collect();
        self.output.add_all(chunks, turn).map_err(Error::io("cannot write", &self.target))
    }

    fn finish(mut self) -> Result<Written> {
        self.end_added()?;
        self.flush()?;
        self.output.commit().map_err(Error::io("cannot write", &self.target))?;
        let writer = &self.output.writer;
        let (games, bytes, index) = (writer.committed_games(), writer.committed_length(), writer.index());
        let target = self.target.clone();
        if let Some(new) = self.new.take() {
            new.finish()?;
        }
        let unindexed = write_index(&target, &index).err();
        Ok(Written { games, bytes, unindexed })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A new archive remains incomplete without a call of `finish`.
        if let Some(new) = self.new.take() {
            new.remove();
        }
    }
}

impl std::fmt::Debug for ArchiveWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArchiveWriter").field("target", &self.lock().target).finish_non_exhaustive()
    }
}

//! Import: PGN in, archive out, on all cores.
//!
//! One thread decompresses and splits. Workers on a rayon pool take jobs of whole games, parse them and encode their records; then, in
//! the order of the source, strings get their numbers; then columns are compressed; then, in order again, the chunk is written.
//! Jobs are cut by bytes of the source alone and everything that depends on order happens in order, so the archive is the same for any
//! number of threads. Memory holds one job a worker and as many waiting, whatever the size of the input.

use crate::archive::writer::{EncodedChunk, Interner, NewFile, Writer, write_index};
use crate::brenner::encode;
use crate::chess::{Move, Position, position::STANDARD};
use crate::error::{Error, Result};
use crate::format::ArchiveId;
use crate::format::commit::Commit;
use crate::format::record::{self, push_start};
use crate::format::source::Source as SourceRecord;
use crate::format::tags::TagsBuilder;
use crate::format::texts::TextsBuilder;
use crate::game::{Outcome, TextKind, Visitor};
use crate::pgn::{self, Fault, FaultKind, Piece, ReadOptions, Splitter, Verdict, read_game};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of PGN in a job, and so in a chunk: about a thousand games.
const JOB_BYTES: usize = 768 << 10;

/// What to do with a file that is there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Existing {
    /// Refuse.
    #[default]
    Refuse,
    /// Add to it.
    Append,
    /// Replace it, once the import is whole.
    Replace,
}

/// How to import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Worker threads; 0 for one a core.
    pub threads: usize,
    /// How games are read.
    pub read: ReadOptions,
    /// The zstd level of tags and texts, 1 to 22.
    pub level: i32,
    /// What to do with an archive that is there already.
    pub existing: Existing,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions { threads: 0, read: ReadOptions::default(), level: 9, existing: Existing::Refuse }
    }
}

/// A fault, and where it is.
#[derive(Clone, Debug)]
pub struct FaultReport {
    /// The source, from 0 in the order given.
    pub source: usize,
    /// The offset of the fault in the decompressed source, in bytes.
    pub offset: u64,
    /// The line of the source, from 1.
    pub line: u64,
    /// The game's number in its source, from 1.
    pub game: u64,
    /// The game's number in the archive; `None` where it was rejected.
    pub stored: Option<u64>,
    /// The fault.
    pub fault: Fault,
    /// How many more faults the game has that are not reported.
    pub more: usize,
}

/// What an import did.
#[derive(Debug, Default)]
pub struct Summary {
    /// Games seen: stored and rejected.
    pub seen: u64,
    /// Games stored.
    pub stored: u64,
    /// Games stored with a fault, their unreadable rest kept as raw text.
    pub faulty: u64,
    /// Games rejected.
    pub rejected: u64,
    /// Plies of the main lines stored.
    pub plies: u64,
    /// Bytes of PGN read, decompressed.
    pub pgn_bytes: u64,
    /// The archive's totals.
    pub totals: Commit,
    /// The archive's length in bytes.
    pub archive_bytes: u64,
    /// The index's length in bytes.
    pub index_bytes: u64,
    /// Why the import ended before its sources did; what came before is committed.
    pub stopped: Option<Error>,
}

/// How far an import is; to be asked by another thread.
#[derive(Debug, Default)]
pub struct Progress {
    consumed: AtomicU64,
    pgn_bytes: AtomicU64,
    games: AtomicU64,
}

impl Progress {
    /// Returns the bytes taken from the sources so far, as stored (compressed).
    pub fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }

    /// Returns the bytes of PGN in chunks written so far.
    pub fn pgn_bytes(&self) -> u64 {
        self.pgn_bytes.load(Ordering::Relaxed)
    }

    /// Returns the games stored so far.
    pub fn games(&self) -> u64 {
        self.games.load(Ordering::Relaxed)
    }
}

/// Imports PGN sources, in the order given, into the archive at `target`; `-` is standard input.
///
/// Faults are given to `report` in the order of the sources. Set `stop` to end the import at the next commit. A commit follows every
/// [`BATCH`](crate::archive::writer::BATCH) chunks; when this returns, everything that the summary counts is durable.
///
/// Errors: the target cannot be created, opened or written. In that case a new archive holds its last commit, or is not there if
/// there was none. A source that cannot be read on is not an error of this function: see [`Summary::stopped`].
pub fn import(
    sources: &[PathBuf],
    target: &Path,
    options: &ImportOptions,
    progress: &Progress,
    stop: &AtomicBool,
    report: impl FnMut(FaultReport) + Send,
) -> Result<Summary> {
    if let (Existing::Refuse, true) = (options.existing, target.exists()) {
        return Err(Error::Exists { path: target.to_path_buf() });
    }
    // The sources are tried first, so that a misspelt name leaves nothing behind.
    let feed = Feed::open(sources, options, progress, stop)?;
    let (new, writer, interner) = if options.existing == Existing::Append && target.exists() {
        let (writer, interner) = Writer::open(target)?;
        (None, writer, interner)
    } else {
        let id = feed.identity();
        let (new, writer) = NewFile::create(target, id, options.existing == Existing::Replace)?;
        (Some(new), writer, Interner::default())
    };
    let before = *writer.totals();
    let state = Ordered::new(Output { writer, report, games: Vec::new(), before, progress });
    let result = run(feed, Ordered::new(interner), &state, options);
    let Output { mut writer, .. } = state.into_inner();
    let stopped = result.and_then(|stopped| writer.commit().map(|()| stopped));
    let stopped = match stopped {
        Ok(stopped) => stopped,
        Err(error) => {
            let (committed, index) = (writer.committed_games(), writer.index());
            drop(writer.abandon());
            if let Some(new) = new {
                if committed == 0 || matches!(new, NewFile::Replacing(..)) {
                    new.remove();
                } else {
                    // The disk that refused the archive may well refuse this; the index can be made again.
                    let _ = write_index(target, &index);
                }
            }
            return Err(Error::io("cannot write", target)(error));
        }
    };
    let totals = *writer.totals();
    let nothing = totals.games == before.games;
    let (archive_bytes, index) = (writer.committed_length(), writer.index());
    drop(writer);
    if let Some(new) = new {
        let failed = nothing && (totals.rejected > 0 || stopped.is_some());
        if failed || (matches!(new, NewFile::Replacing(..)) && matches!(stopped, Some(Error::Interrupted))) {
            // Not an archive that anyone asked for.
            new.remove();
        } else {
            new.finish()?;
            write_index(target, &index)?;
        }
    } else {
        write_index(target, &index)?;
    }
    let (stored, rejected) = (totals.games - before.games, totals.rejected - before.rejected);
    Ok(Summary {
        seen: stored + rejected,
        stored,
        faulty: totals.faulty - before.faulty,
        rejected,
        plies: totals.plies - before.plies,
        pgn_bytes: totals.pgn_bytes - before.pgn_bytes,
        totals,
        archive_bytes,
        index_bytes: index.encode().len() as u64,
        stopped,
    })
}

/// A stretch of the sources, in order.
enum Part {
    Piece(Piece),
    End { source: usize, bytes: u64, sha256: [u8; 32] },
}

/// The reading side: opens sources, splits them, and makes jobs.
struct Feed<'a> {
    names: Vec<String>,
    /// The next source to open.
    next: usize,
    paths: &'a [PathBuf],
    splitter: Option<Splitter<Hashed>>,
    current: Option<pgn::Progress>,
    hash: Hash,
    /// Bytes of the sources before the current one, as stored.
    consumed: u64,
    first: Vec<Part>,
    options: &'a ImportOptions,
    progress: &'a Progress,
    stop: &'a AtomicBool,
    stopped: Option<Error>,
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
    fn open(
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
    fn identity(&self) -> ArchiveId {
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
    fn read_job(&mut self) -> Vec<Part> {
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
                        bytes += piece.text.len();
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

/// A state that jobs come to in their order.
struct Ordered<T> {
    state: Mutex<Turn<T>>,
    turn: Condvar,
}

struct Turn<T> {
    next: u64,
    ended: bool,
    value: T,
}

impl<T> Ordered<T> {
    fn new(value: T) -> Ordered<T> {
        Ordered { state: Mutex::new(Turn { next: 0, ended: false, value }), turn: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Turn<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for job `number`'s turn and runs `work`; `None` where the import has ended before.
    fn at<R>(&self, number: u64, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut state = self.lock();
        while state.next != number && !state.ended {
            state = self.turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.ended {
            return None;
        }
        let result = work(&mut state.value);
        state.next += 1;
        self.turn.notify_all();
        Some(result)
    }

    /// Lets nobody wait any more.
    fn end(&self) {
        self.lock().ended = true;
        self.turn.notify_all();
    }

    fn into_inner(self) -> T {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).value
    }
}

/// The writing side, reached in the order of jobs.
struct Output<'a, F> {
    writer: Writer<File>,
    report: F,
    /// Games seen and rejected, and the first stored, of each source.
    games: Vec<(u64, u64, u64)>,
    before: Commit,
    progress: &'a Progress,
}

fn run<F: FnMut(FaultReport) + Send>(
    feed: Feed,
    interner: Ordered<Interner>,
    output: &Ordered<Output<'_, F>>,
    options: &ImportOptions,
) -> io::Result<Option<Error>> {
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(io::Error::other)?;
    let (jobs, queue) = sync_channel::<(u64, Vec<Part>)>(threads);
    let queue = Mutex::new(queue);
    let failure = Mutex::new(None);
    let names = feed.names.clone();
    let stopped = std::thread::scope(|scope| {
        let reading = scope.spawn(move || read_jobs(feed, &jobs));
        pool.scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|_| {
                    // Also runs where the work panics, lest the other workers wait for ever.
                    let _end = OnDrop(|| {
                        if std::thread::panicking() {
                            interner.end();
                            output.end();
                        }
                    });
                    while let Some((number, parts)) = receive(&queue) {
                        let done = work(number, parts, &names, &interner, output, options);
                        if let Some(Err(error)) = done {
                            interner.end();
                            output.end();
                            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                        }
                    }
                });
            }
        });
        // With the queue gone, a reader that still has jobs to give sees that nobody wants them.
        drop(queue);
        reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(stopped),
    }
}

struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn receive(queue: &Mutex<Receiver<(u64, Vec<Part>)>>) -> Option<(u64, Vec<Part>)> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn read_jobs(mut feed: Feed, jobs: &SyncSender<(u64, Vec<Part>)>) -> Option<Error> {
    for number in 0.. {
        let parts = match number {
            0 => std::mem::take(&mut feed.first),
            _ => feed.read_job(),
        };
        if parts.is_empty() || jobs.send((number, parts)).is_err() {
            break;
        }
    }
    feed.stopped
}

/// Takes one job all the way.
fn work<F: FnMut(FaultReport)>(
    number: u64,
    parts: Vec<Part>,
    names: &[String],
    interner: &Ordered<Interner>,
    output: &Ordered<Output<'_, F>>,
    options: &ImportOptions,
) -> Option<io::Result<()>> {
    let mut parsed = Parsed::default();
    for part in parts {
        parsed.take(part, &options.read);
    }
    let ChunkBuilder { records, ends, tags, texts, .. } = parsed.chunk;
    let mut tags = tags.analyse();
    let new_strings = interner.at(number, |interner| {
        tags.intern(|string| interner.intern(string));
        interner.take_new()
    })?;
    let chunk = EncodedChunk {
        tags: tags.encode(options.level),
        texts: (!texts.is_empty()).then(|| texts.encode(options.level)),
        records,
        ends,
        new_strings,
        plies: parsed.plies,
        faulty: parsed.faulty,
        rejected: parsed.rejected,
        pgn_bytes: parsed.pgn_bytes,
    };
    let runs = parsed.runs;
    output.at(number, |output| output.add(chunk, runs, names))
}

impl<F: FnMut(FaultReport)> Output<'_, F> {
    fn add(&mut self, chunk: EncodedChunk, runs: Vec<Run>, names: &[String]) -> io::Result<()> {
        let mut first = self.writer.totals().games + 1;
        let mut ended = Vec::new();
        self.games.resize(names.len(), (0, 0, 0));
        for run in runs {
            match run {
                Run::Games { source, stored, rejected, faults } => {
                    let Some((seen, lost, first_stored)) = self.games.get_mut(source) else { continue };
                    for (game, mut fault) in faults {
                        fault.game = *seen + game;
                        fault.stored = fault.stored.map(|place| first + place);
                        (self.report)(fault);
                    }
                    if *first_stored == 0 && stored > 0 {
                        *first_stored = first;
                    }
                    *seen += stored + rejected;
                    *lost += rejected;
                    first += stored;
                }
                Run::End { source, bytes, sha256 } => {
                    let (seen, rejected, first_game) = self.games.get(source).copied().unwrap_or_default();
                    let name = names.get(source).cloned().unwrap_or_default();
                    ended.push(SourceRecord { name, bytes, sha256, seen, rejected, first_game });
                }
            }
        }
        self.writer.add_chunk(chunk)?;
        let totals = self.writer.totals();
        self.progress.games.store(totals.games - self.before.games, Ordering::Relaxed);
        self.progress.pgn_bytes.store(totals.pgn_bytes - self.before.pgn_bytes, Ordering::Relaxed);
        ended.iter().try_for_each(|source| self.writer.add_source(source))
    }
}

/// What a stretch of one source gave.
enum Run {
    Games {
        source: usize,
        stored: u64,
        rejected: u64,
        /// Each with its game's number in this run, from 1, and where stored the place among the run's stored games, from 0.
        faults: Vec<(u64, FaultReport)>,
    },
    End {
        source: usize,
        bytes: u64,
        sha256: [u8; 32],
    },
}

/// A job, parsed.
#[derive(Default)]
struct Parsed {
    chunk: ChunkBuilder,
    runs: Vec<Run>,
    plies: u64,
    faulty: u64,
    rejected: u64,
    pgn_bytes: u64,
}

impl Parsed {
    fn take(&mut self, part: Part, options: &ReadOptions) {
        let piece = match part {
            Part::Piece(piece) => piece,
            Part::End { source, bytes, sha256 } => return self.runs.push(Run::End { source, bytes, sha256 }),
        };
        let source = piece.source as usize;
        let (mut stored, mut rejected, mut faults) = (0, 0, Vec::new());
        let mut oversized = piece.oversized.iter().peekable();
        for (number, region) in piece.regions.iter().map(Some).chain([None]).enumerate() {
            while let Some(game) = oversized.next_if(|game| game.before <= number) {
                rejected += 1;
                let fault = Fault { kind: FaultKind::Oversized, offset: 0, ply: 0, token: Box::default() };
                let (offset, line) = (game.offset, game.line);
                let report = FaultReport { source, offset, line, game: 0, stored: None, fault, more: 0 };
                faults.push((stored + rejected, report));
            }
            let Some(region) = region else { break };
            let text = piece.region(region);
            let mut at = 0;
            while at < text.len() {
                let reading = read_game(text, at, options, &mut self.chunk);
                // A reader that does not move on would be read for ever.
                at = reading.next.max(at + 1);
                let place = match reading.verdict {
                    None => continue,
                    Some(Verdict::Stored) => {
                        self.chunk.end_game(!reading.faults.is_empty());
                        self.plies += u64::from(reading.plies);
                        self.faulty += u64::from(!reading.faults.is_empty());
                        stored += 1;
                        Some(stored - 1)
                    }
                    Some(Verdict::Rejected) => {
                        self.chunk.rewind();
                        rejected += 1;
                        None
                    }
                };
                let count = reading.faults.len();
                for (index, fault) in reading.faults.into_iter().enumerate() {
                    let report = FaultReport {
                        source,
                        offset: region.offset + fault.offset as u64,
                        line: piece.line_of(region, fault.offset),
                        game: 0,
                        stored: place,
                        fault,
                        more: if index + 1 == count { reading.more_faults } else { 0 },
                    };
                    faults.push((stored + rejected, report));
                }
            }
        }
        self.pgn_bytes += piece.text.len() as u64;
        self.rejected += rejected;
        self.runs.push(Run::Games { source, stored, rejected, faults });
    }
}

/// Makes records, tags and texts of the games that a reader gives it.
#[derive(Default)]
struct ChunkBuilder {
    records: Vec<u8>,
    ends: Vec<u32>,
    tags: TagsBuilder,
    texts: TextsBuilder,
    /// Moves in the current game's stream.
    moves: u32,
    /// Whether a text now would stand right behind the last move, but for marks and NAGs.
    behind_move: bool,
    outcome: Option<Outcome>,
}

impl ChunkBuilder {
    fn begin(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    fn end_game(&mut self, fault: bool) {
        let begin = self.begin();
        let flags = match self.outcome.take() {
            Some(outcome) => {
                encode::push_outcome(outcome, &mut self.records);
                0
            }
            None => record::NO_MARKER,
        };
        if let Some(header) = self.records.get_mut(begin) {
            *header |= flags | if fault { record::FAULT } else { 0 };
        }
        self.ends.push(self.records.len() as u32);
        self.tags.end_game();
        self.texts.end_game();
    }

    fn rewind(&mut self) {
        self.records.truncate(self.begin());
        self.tags.rewind();
        self.texts.rewind();
        self.outcome = None;
    }
}

impl Visitor for ChunkBuilder {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        self.tags.push(name, value);
    }

    fn start(&mut self, position: &Position) {
        (self.moves, self.behind_move) = (0, false);
        if *position == *STANDARD {
            self.records.push(0);
        } else {
            self.records.push(record::SET_UP);
            push_start(position, &mut self.records);
        }
    }

    #[inline]
    fn play(&mut self, before: &Position, m: Move) {
        encode::push_move(before, m, &mut self.records);
        self.moves += 1;
        self.behind_move = true;
    }

    fn mark(&mut self, good: bool) {
        encode::push_mark(good, &mut self.records);
    }

    fn nag(&mut self, nag: u8) {
        encode::push_nag(nag, &mut self.records);
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        let behind = std::mem::take(&mut self.behind_move).then_some(self.moves);
        if self.texts.push(kind, text, behind) {
            encode::push_text_mark(&mut self.records);
        }
    }

    fn open(&mut self) {
        self.behind_move = false;
        encode::push_open(&mut self.records);
    }

    fn close(&mut self) {
        self.behind_move = false;
        encode::push_close(&mut self.records);
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

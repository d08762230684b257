//! Import: PGN in, archive out, on all cores.
//!
//! One thread decompresses and splits. Workers on a rayon pool take jobs of whole games, parse them and encode their records; then, in
//! the order of the source, strings get their numbers; then columns are compressed; then, in order again, the chunk is written.
//! Jobs are cut by bytes of the source alone and everything that depends on order happens in order, so the archive is the same for any
//! number of threads. Memory holds one job a worker and as many waiting, whatever the size of the input; a job that is much longer than a
//! chunk, because of one game, is worked on alone.
//!
//! Every so many chunks a commit makes what was written durable and says how far the sources have been read. An import that was cut off
//! goes on from there, and the archive is the same in the end.

mod chunk;
mod feed;
mod kept;
mod layout;
mod ordered;
mod output;
mod parsed;
mod resume;
mod source;

use crate::archive::storage::Storage;
use crate::archive::writer::{BATCH, EncodedChunk, Interner, NewFile, Opened, Writer, write_index, write_side};
use crate::archive::{Archive, FileKind, GameSet, MODEL, push_record};
use crate::error::{Error, Result};
use crate::format::commit::{Commit, Unfinished};
use crate::format::moves::Coding;
use crate::format::record::Record;
use crate::format::source::Source as SourceRecord;
use crate::pgn::{Fault, ReadOptions};
use chunk::ChunkBuilder;
use feed::{Feed, Job};
use ordered::Ordered;
use output::{Output, Turn};
use parsed::Parsed;
use resume::Start;
pub use source::{from_reader, open, open_as_is, open_document};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Bytes of PGN in a chunk, unless told: about a thousand games.
const CHUNK_BYTES: usize = 768 << 10;

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
    /// Whether moves are packed: under three bits a ply instead of a byte, at some microseconds a ply.
    pub pack: bool,
    /// What to do with an archive that is there already.
    pub existing: Existing,
    /// Whether to go on with an import of these sources that was cut off: after its last commit, with the same result as if it had not been.
    /// Where nothing of it is there, it begins: in a new archive, or, with [`Existing::Append`], after what the archive has. The sources
    /// are read from their beginning, to see that they have not changed.
    pub resume: bool,
    /// Chunks in a batch: a commit follows every so many. There is also one before a game that is too long, and none within it.
    pub batch: u32,
    /// Bytes of PGN in a chunk, about: what is decompressed together.
    pub chunk_bytes: usize,
    /// Whether the reports of rejected games hold their text; see [`FaultReport::rejected`].
    pub keep_rejected: bool,
    /// The sources, by their place in the list from 0, that no games are read from: their bytes are kept and come back as they are.
    pub kept: Vec<usize>,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions {
            threads: 0,
            read: ReadOptions::default(),
            level: 9,
            pack: false,
            existing: Existing::Refuse,
            resume: false,
            batch: BATCH,
            chunk_bytes: CHUNK_BYTES,
            keep_rejected: false,
            kept: Vec::new(),
        }
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
    /// The game as it stands in the source, on the last report of a rejected game if [`ImportOptions::keep_rejected`] asks for it. Of a
    /// game beyond [`Limits::max_game_bytes`](crate::pgn::Limits::max_game_bytes) the first MiB.
    pub rejected: Option<Box<[u8]>>,
}

/// What an import did with one of its sources.
#[derive(Clone, Debug, Default)]
pub struct SourceSummary {
    /// The name, length, hash and counts that the archive keeps; length and hash are zero where the import ended before the source did.
    pub record: SourceRecord,
    /// Games that were not UTF-8, or said not to be, and have been read as Windows-1252 or ISO 8859-1.
    pub windows_1252: u64,
    /// Whether it was read to its end.
    pub whole: bool,
    /// Whether it was PCN: what the archive has of it is the PGN made of it, never its own bytes. Length and hash are those of that PGN.
    pub made: bool,
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
    /// The sources, in the order given.
    pub sources: Vec<SourceSummary>,
    /// The archive's totals.
    pub totals: Commit,
    /// The archive's length in bytes.
    pub archive_bytes: u64,
    /// The index's length in bytes.
    pub index_bytes: u64,
    /// Bytes of the sources that an earlier import had brought in already: games in them are not counted above.
    pub passed_over: u64,
    /// An import that was cut off before and has not been gone on with: some of its source's games are in the archive, but no record of it.
    pub left: Option<Unfinished>,
    /// Why the index could not be written, where it could not: what is committed stands, and the index can be made again.
    pub unindexed: Option<Error>,
    /// Why the import ended before its sources did; what came before is committed.
    pub stopped: Option<Error>,
}

/// What is durable after a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acknowledged {
    /// The commit's sequence number.
    pub sequence: u64,
    /// Games in the archive.
    pub games: u64,
    /// The committed length of the archive in bytes.
    pub length: u64,
    /// The source that is being read, and how many of its bytes (decompressed) are in the archive; `None` where all sources are.
    pub source: Option<(String, u64)>,
}

/// What is called after a commit.
type Acknowledge = Box<dyn Fn(&Acknowledged) + Send + Sync>;

/// How far an import is; to be asked by another thread.
#[derive(Default)]
pub struct Progress {
    consumed: AtomicU64,
    pgn_bytes: AtomicU64,
    games: AtomicU64,
    acknowledge: Option<Acknowledge>,
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (consumed, pgn_bytes, games) = (self.consumed(), self.pgn_bytes(), self.games());
        f.debug_struct("Progress")
            .field("consumed", &consumed)
            .field("pgn_bytes", &pgn_bytes)
            .field("games", &games)
            .finish_non_exhaustive()
    }
}

impl Progress {
    /// Returns a progress that calls `acknowledge` after every commit, on the thread that made it; the next one waits for that.
    pub fn with_acknowledge(acknowledge: impl Fn(&Acknowledged) + Send + Sync + 'static) -> Progress {
        Progress { acknowledge: Some(Box::new(acknowledge)), ..Progress::default() }
    }

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
/// [`ImportOptions::batch`] chunks; when this returns, everything that the summary counts is durable.
///
/// Errors: the target cannot be created, opened or written; the sources are not those of the import that is to go on. Where writing
/// failed, a new archive holds its last commit, or is not there if there was none. A source that cannot be read on is not an error of this
/// function: see [`Summary::stopped`].
pub fn import(
    sources: &[PathBuf],
    target: &Path,
    options: &ImportOptions,
    progress: &Progress,
    stop: &AtomicBool,
    report: impl FnMut(FaultReport) + Send,
) -> Result<Summary> {
    import_with(sources, target, options, None, progress, stop, report)
}

/// Imports PGN sources after the games of the archive at `target`, and deletes the games that they take the place of, all in one commit: after
/// a crash both is done or neither. `existing`, `resume` and `batch` of the options do not count.
///
/// Errors: those of [`import`]; a game that there is not; a source that cannot be read to its end, or sources without any game. The
/// archive is then as it was.
pub fn replace(
    games: &GameSet,
    sources: &[PathBuf],
    target: &Path,
    options: &ImportOptions,
    progress: &Progress,
    stop: &AtomicBool,
    report: impl FnMut(FaultReport) + Send,
) -> Result<Summary> {
    let options = ImportOptions { existing: Existing::Append, resume: false, batch: u32::MAX, ..options.clone() };
    import_with(sources, target, &options, Some(games), progress, stop, report)
}

fn import_with(
    sources: &[PathBuf],
    target: &Path,
    options: &ImportOptions,
    replaced: Option<&GameSet>,
    progress: &Progress,
    stop: &AtomicBool,
    report: impl FnMut(FaultReport) + Send,
) -> Result<Summary> {
    let exists = target.exists();
    if exists && options.existing == Existing::Refuse && !options.resume {
        return Err(Error::Exists { path: target.to_path_buf() });
    }
    let replace = exists && options.existing == Existing::Replace;
    let opened = if exists && !replace { Some(Writer::open(target)?) } else { None };
    let start = match &opened {
        Some(opened) => Start::of(opened, sources, options, target)?,
        None => Start::default(),
    };
    // The sources are tried first, so that a misspelt name leaves nothing behind.
    let feed = Feed::open(sources, &start.done, start.begin.clone(), options, progress, stop)?;
    let (new, opened) = match opened {
        Some(opened) => {
            start.check(&feed, &opened.writer, target)?;
            (None, opened)
        }
        None => {
            let (new, writer) = NewFile::create(target, feed.identity(), replace)?;
            (Some(new), Opened::new(writer))
        }
    };
    let before = *opened.writer.totals();
    if let Some(game) = replaced.and_then(|games| games.iter().find(|game| *game > before.games)) {
        return Err(Error::NoSuchGame { game, games: before.games });
    }
    let (writer, stored) = store(opened, feed, start, options, replaced, progress, report);
    if let (Some(_), Ok(summary)) = (replaced, &stored)
        && (summary.stored == 0 || summary.stopped.is_some())
    {
        // Nothing has been committed.
        drop(writer.abandon());
        let nothing = || {
            let names: Vec<String> = sources.iter().map(|source| source.display().to_string()).collect();
            Error::Input { name: names.join(", "), what: "there is no game in it".to_owned() }
        };
        return Err(stored.ok().and_then(|summary| summary.stopped).unwrap_or_else(nothing));
    }
    let mut summary = match stored {
        Ok(summary) => summary,
        Err(error) => {
            let committed = writer.committed_games();
            drop(writer.abandon());
            match new {
                Some(new) if committed == 0 || new.is_unnamed() => new.remove(),
                _ => {
                    // The disk that refused the archive may well refuse this; the index can be made again.
                    if let Ok(archive) = Archive::open_without_index(target) {
                        let _ = write_side(target, &FileKind::Index.beside(target), &archive.index_file());
                    }
                }
            }
            return Err(Error::io("cannot write", target)(error));
        }
    };
    let index = writer.index();
    drop(writer);
    if let Some(new) = new {
        let nothing = summary.totals.games == before.games;
        let failed = nothing && (summary.totals.rejected > 0 || summary.stopped.is_some());
        if failed || (new.is_unnamed() && matches!(summary.stopped, Some(Error::Interrupted))) {
            // Not an archive that anyone asked for.
            new.remove();
        } else {
            new.finish()?;
            summary.unindexed = write_index(target, &index).err();
        }
    } else {
        summary.unindexed = write_index(target, &index).err();
    }
    Ok(summary)
}

/// Imports PGN sources into an archive on any storage, as [`import`] does into a file; `target` is what errors call it. Makes no index.
///
/// Errors: those of [`import`]. After a failed write the storage is cut to its last commit, where that is certain.
pub fn import_on<S: Storage>(
    opened: Opened<S>,
    sources: &[PathBuf],
    target: &Path,
    options: &ImportOptions,
    progress: &Progress,
    stop: &AtomicBool,
    report: impl FnMut(FaultReport) + Send,
) -> Result<Summary> {
    let start = Start::of(&opened, sources, options, target)?;
    let feed = Feed::open(sources, &start.done, start.begin.clone(), options, progress, stop)?;
    start.check(&feed, &opened.writer, target)?;
    let (writer, stored) = store(opened, feed, start, options, None, progress, report);
    stored.map_err(|error| {
        drop(writer.abandon());
        Error::io("cannot write", target)(error)
    })
}

/// Stores what a feed gives, and commits it; with the deletion of the games that it replaces, and then only if it is whole and not nothing.
fn store<S: Storage>(
    opened: Opened<S>,
    feed: Feed,
    start: Start,
    options: &ImportOptions,
    replaced: Option<&GameSet>,
    progress: &Progress,
    report: impl FnMut(FaultReport) + Send,
) -> (Writer<S>, io::Result<Summary>) {
    let Opened { writer, interner, .. } = opened;
    let before = *writer.totals();
    let output = Output::new(writer, &feed.names, &start, options, progress, report);
    let seen_before: u64 = output.sources.iter().map(|source| source.record.seen).sum();
    let output = Ordered::new(output);
    let result = run(feed, Ordered::new(interner), &output, options, replaced.is_none());
    let mut output = output.into_inner();
    let result = output.failure.take().map_or(result, Err);
    let result = result.and_then(|stopped| {
        if let Some(games) = replaced {
            if stopped.is_some() || output.writer.totals().games == before.games {
                return Ok(stopped);
            }
            output.writer.delete(games)?;
        }
        if output.open {
            // The segments of a game whose end has not been seen: everything before it is committed.
            output.writer.forget();
            return Ok(stopped);
        }
        output.commit().map(|()| stopped)
    });
    let Output { writer, sources, .. } = output;
    let stopped = match result {
        Ok(stopped) => stopped,
        Err(error) => return (writer, Err(error)),
    };
    let totals = *writer.totals();
    let (stored, rejected) = (totals.games - before.games, totals.rejected - before.rejected);
    let seen = sources.iter().map(|source| source.record.seen).sum::<u64>() - seen_before;
    assert_eq!(seen, stored + rejected, "every game seen is stored or rejected");
    let summary = Summary {
        seen,
        stored,
        faulty: totals.faulty - before.faulty,
        rejected,
        plies: totals.plies - before.plies,
        pgn_bytes: totals.pgn_bytes - before.pgn_bytes,
        sources,
        totals,
        archive_bytes: writer.committed_length(),
        index_bytes: writer.index().encode().len() as u64,
        passed_over: start.passed_over(),
        left: start.left,
        unindexed: None,
        stopped,
    };
    (writer, Ok(summary))
}

fn run<F: FnMut(FaultReport) + Send, S: Storage>(
    feed: Feed,
    interner: Ordered<Interner>,
    output: &Ordered<Output<'_, F, S>>,
    options: &ImportOptions,
    commits: bool,
) -> io::Result<Option<Error>> {
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(io::Error::other)?;
    let (jobs, queue) = sync_channel(threads);
    let (queue, gate) = (Mutex::new(queue), RwLock::new(()));
    let batch = commits.then_some(options.batch);
    Ok(std::thread::scope(|scope| {
        let reading = scope.spawn(move || read_jobs(feed, &jobs, batch));
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
                    while let Some((turn, job, _permit)) = receive(&queue, &gate, options) {
                        if !work(turn, job, &interner, output, options) {
                            interner.end();
                            output.end();
                            break;
                        }
                    }
                });
            }
        });
        // With the queue gone, a reader that still has jobs to give sees that nobody wants them.
        drop(queue);
        reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }))
}

struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// The right to work on a job, beside others or alone.
enum Permit<'a> {
    Shared { _guard: RwLockReadGuard<'a, ()> },
    Alone { _guard: RwLockWriteGuard<'a, ()> },
}

fn receive<'a>(
    queue: &Mutex<Receiver<(Turn, Job)>>,
    gate: &'a RwLock<()>,
    options: &ImportOptions,
) -> Option<(Turn, Job, Permit<'a>)> {
    let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    let (turn, job) = queue.recv().ok()?;
    let bytes: usize = job.segments.iter().map(feed::Segment::bytes).sum();
    // Permits are given in the order of the jobs, as the queue is held: so the one that is waited for never waits for this one.
    let permit = match bytes > 2 * options.chunk_bytes.max(CHUNK_BYTES) {
        true => Permit::Alone { _guard: gate.write().unwrap_or_else(PoisonError::into_inner) },
        false => Permit::Shared { _guard: gate.read().unwrap_or_else(PoisonError::into_inner) },
    };
    Some((turn, job, permit))
}

/// `batch`: jobs between two commits; `None` for one commit at the end.
fn read_jobs(mut feed: Feed, jobs: &SyncSender<(Turn, Job)>, batch: Option<u32>) -> Option<Error> {
    let mut in_batch = 0u32;
    for number in 0.. {
        let job = match number {
            0 => std::mem::take(&mut feed.first),
            _ => feed.read_job(),
        };
        if job.segments.is_empty() {
            break;
        }
        let commit_before = job.opens && batch.is_some();
        in_batch = if commit_before { 1 } else { in_batch.saturating_add(1) };
        let commit_after = batch.is_some_and(|batch| in_batch >= batch) && !job.open;
        let turn = Turn { number, begins_batch: in_batch == 1, commit_before, commit_after };
        if commit_after {
            in_batch = 0;
        }
        if jobs.send((turn, job)).is_err() {
            break;
        }
    }
    feed.stopped
}

/// Takes one job all the way. Returns false where the import has failed.
fn work<F: FnMut(FaultReport), S: Storage>(
    turn: Turn,
    job: Job,
    interner: &Ordered<Interner>,
    output: &Ordered<Output<'_, F, S>>,
    options: &ImportOptions,
) -> bool {
    let mut parsed = Parsed::default();
    for segment in job.segments {
        parsed.take(segment, options);
    }
    let ChunkBuilder { mut records, mut ends, tags, texts, .. } = parsed.chunk;
    let mut coding = Coding::Plain;
    if options.pack {
        coding = Coding::Packed(MODEL);
        (records, ends) = transcode(&records, &ends, coding);
    }
    let layout = parsed.layout.finish().encode(options.level);
    let mut tags = tags.analyse();
    let interned = interner.at(turn.number, |interner| {
        if turn.begins_batch {
            interner.begin_batch();
        }
        tags.intern(|string, uses| interner.intern(string, uses));
        interner.take_new()
    });
    let Some(new_strings) = interned else { return false };
    let chunk = EncodedChunk {
        tags: tags.encode(options.level),
        texts: (!texts.is_empty()).then(|| texts.encode(options.level)),
        layout,
        records,
        ends,
        coding,
        new_strings,
        plies: parsed.plies,
        faulty: parsed.faulty,
        rejected: parsed.rejected,
        pgn_bytes: parsed.pgn_bytes,
    };
    let runs = parsed.runs;
    // What comes after a failure does not count, and its own failure would hide the first.
    let done = output.at(turn.number, |output| {
        if output.failure.is_none() {
            output.failure = output.add(chunk, runs, turn).err();
        }
        output.failure.is_none()
    });
    done == Some(true)
}

/// Returns plain records and their ends with the moves coded otherwise.
fn transcode(records: &[u8], ends: &[u32], coding: Coding) -> (Vec<u8>, Vec<u32>) {
    let (mut all, mut all_ends, mut packed) = (Vec::new(), Vec::with_capacity(ends.len()), Vec::new());
    let mut begin = 0;
    for end in ends {
        let bytes = begin..*end as usize;
        begin = bytes.end;
        let record = records.get(bytes).and_then(|bytes| Record::decode(bytes, false));
        push_record(&record.expect("a record just made"), coding, &mut packed, &mut all);
        all_ends.push(all.len() as u32);
    }
    (all, all_ends)
}

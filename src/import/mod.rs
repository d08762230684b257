//! Import: PGN in, archive out, on all cores.
//!
//! One thread decompresses and splits. Workers on a rayon pool take jobs of whole games, parse them and encode their records; then, in
//! the order of the source, strings get their numbers; then columns are compressed; then, in order again, the chunk is written.
//! Jobs are cut by bytes of the source alone and everything that depends on order happens in order, so the archive is the same for any
//! number of threads. Memory holds one job a worker and as many waiting, whatever the size of the input.

mod chunk;
mod feed;
mod layout;
mod ordered;
mod parsed;

use crate::archive::writer::{EncodedChunk, Interner, NewFile, Writer, write_index, write_whole};
use crate::archive::{Archive, index_path};
use crate::error::{Error, Result};
use crate::format::commit::Commit;
use crate::format::loose;
use crate::format::source::Source as SourceRecord;
use crate::pgn::{Fault, ReadOptions};
use chunk::ChunkBuilder;
use feed::{Feed, Part};
use ordered::Ordered;
use parsed::{Parsed, Run};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

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
    /// Whether the reports of rejected games hold their text; see [`FaultReport::rejected`].
    pub keep_rejected: bool,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions {
            threads: 0,
            read: ReadOptions::default(),
            level: 9,
            existing: Existing::Refuse,
            keep_rejected: false,
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
        let (new, writer) = NewFile::create(target, id, options.existing == Existing::Replace && target.exists())?;
        (Some(new), writer, Interner::default())
    };
    let before = *writer.totals();
    let state = Ordered::new(Output { writer, report, sources: Vec::new(), before, progress, failed: false });
    let result = run(feed, Ordered::new(interner), &state, options);
    let Output { mut writer, sources, .. } = state.into_inner();
    let stopped = result.and_then(|stopped| writer.commit().map(|()| stopped));
    let stopped = match stopped {
        Ok(stopped) => stopped,
        Err(error) => {
            let committed = writer.committed_games();
            drop(writer.abandon());
            match new {
                Some(new) if committed == 0 || matches!(new, NewFile::Replacing(..)) => new.remove(),
                _ => {
                    // The disk that refused the archive may well refuse this; the index can be made again.
                    if let Ok(archive) = Archive::open_without_index(target) {
                        let _ = write_whole(&index_path(target), &archive.index_file());
                    }
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
    let seen = sources.iter().map(|source| source.record.seen).sum();
    assert_eq!(seen, stored + rejected, "every game seen is stored or rejected");
    Ok(Summary {
        seen,
        stored,
        faulty: totals.faulty - before.faulty,
        rejected,
        plies: totals.plies - before.plies,
        pgn_bytes: totals.pgn_bytes - before.pgn_bytes,
        sources,
        totals,
        archive_bytes,
        index_bytes: index.encode().len() as u64,
        stopped,
    })
}

/// The writing side, reached in the order of jobs.
struct Output<'a, F> {
    writer: Writer<File>,
    report: F,
    /// What is known of each source so far.
    sources: Vec<SourceSummary>,
    before: Commit,
    progress: &'a Progress,
    failed: bool,
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
                        match work(number, parts, &names, &interner, output, options) {
                            Some(Ok(())) => {}
                            Some(Err(error)) => {
                                interner.end();
                                output.end();
                                *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                                break;
                            }
                            None => break,
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
        parsed.take(part, options);
    }
    let ChunkBuilder { records, ends, tags, texts, .. } = parsed.chunk;
    let layout = parsed.layout.finish().encode(options.level);
    let mut tags = tags.analyse();
    let new_strings = interner.at(number, |interner| {
        tags.intern(|string, uses| interner.intern(string, uses));
        interner.take_new()
    })?;
    let chunk = EncodedChunk {
        tags: tags.encode(options.level),
        texts: (!texts.is_empty()).then(|| texts.encode(options.level)),
        layout,
        records,
        ends,
        new_strings,
        plies: parsed.plies,
        faulty: parsed.faulty,
        rejected: parsed.rejected,
        pgn_bytes: parsed.pgn_bytes,
    };
    let runs = parsed.runs;
    // What comes after a failure does not count, and its own failure would hide the first.
    let done = output.at(number, |output| {
        let done = (!output.failed).then(|| output.add(chunk, runs, names));
        output.failed |= matches!(done, Some(Err(_)));
        done
    });
    done.flatten()
}

impl<F: FnMut(FaultReport)> Output<'_, F> {
    fn add(&mut self, chunk: EncodedChunk, runs: Vec<Run>, names: &[String]) -> io::Result<()> {
        let mut first = self.writer.totals().games + 1;
        let mut ended = Vec::new();
        if self.sources.is_empty() {
            let record = |name: &String| SourceRecord { name: name.clone(), exact: true, ..SourceRecord::default() };
            self.sources =
                names.iter().map(|name| SourceSummary { record: record(name), ..SourceSummary::default() }).collect();
        }
        for run in runs {
            match run {
                Run::Games { source: number, seen, stored, rejected, windows_1252, exact, loose, faults } => {
                    let Some(summary) = self.sources.get_mut(number) else { continue };
                    let source = &mut summary.record;
                    for (game, mut fault) in faults {
                        fault.game = source.seen + game;
                        fault.stored = fault.stored.map(|place| first + place);
                        (self.report)(fault);
                    }
                    if source.first_game == 0 && stored > 0 {
                        source.first_game = first;
                    }
                    source.seen += seen;
                    source.rejected += rejected;
                    source.exact &= exact;
                    summary.windows_1252 += windows_1252;
                    first += stored;
                    if let Some(bytes) = loose {
                        let number = self.before.sources + number as u64;
                        self.writer.add_loose(first, &loose::encode(number, &bytes))?;
                    }
                }
                Run::End { source, bytes, sha256 } => {
                    let Some(summary) = self.sources.get_mut(source) else { continue };
                    summary.whole = true;
                    let source = &mut summary.record;
                    (source.bytes, source.sha256) = (bytes, sha256);
                    ended.push(source.clone());
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

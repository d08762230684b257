//! The pipeline of an import: one thread reads and splits, workers parse and encode, and what depends on order happens
//! in order.

use super::chunk::ChunkBuilder;
use super::feed::{Feed, Job, Segment};
use super::options::{CHUNK_BYTES, ImportOptions};
use super::ordered::Ordered;
use super::output::{Output, Turn};
use super::parsed::{Parsed, Run};
use crate::archive::storage::Storage;
use crate::archive::writer::{EncodedChunk, Interner};
use crate::archive::{MODEL, push_record};
use crate::error::Error;
use crate::format::moves::Coding;
use crate::format::record::Record;
use crate::format::tags::TagsDraft;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

pub fn run<S: Storage>(
    feed: Feed,
    interner: Ordered<Interner>,
    output: &Ordered<Output<'_, S>>,
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
    let bytes: usize = job.segments.iter().map(Segment::bytes).sum();
    // Permits are given in the order of the jobs, as the queue is held: so the one that is waited for never waits for
    // this one.
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
fn work<S: Storage>(
    turn: Turn,
    job: Job,
    interner: &Ordered<Interner>,
    output: &Ordered<Output<'_, S>>,
    options: &ImportOptions,
) -> bool {
    let mut parsed = Parsed::default();
    for segment in job.segments {
        parsed.take(segment, options);
    }
    let encoded = encode(parsed, options, |tags| {
        interner.at(turn.number, |interner| {
            if turn.begins_batch {
                interner.begin_batch();
            }
            tags.intern(|string, uses| interner.intern(string, uses));
            interner.take_new()
        })
    });
    let Some((chunk, runs)) = encoded else { return false };
    // What comes after a failure does not count, and its own failure would hide the first.
    let done = output.at(turn.number, |output| {
        if output.failure.is_none() {
            output.failure = output.add(chunk, runs, turn).err();
        }
        output.failure.is_none()
    });
    done == Some(true)
}

/// Encodes the games of a job. `intern` gives the strings of their tags numbers and returns those that are new; without
/// it there is nothing.
pub fn encode(
    parsed: Parsed,
    options: &ImportOptions,
    intern: impl FnOnce(&mut TagsDraft) -> Option<Vec<Box<[u8]>>>,
) -> Option<(EncodedChunk, Vec<Run>)> {
    let ChunkBuilder { mut records, mut ends, tags, texts, .. } = parsed.chunk;
    let mut coding = Coding::Plain;
    if options.pack {
        coding = Coding::Packed(MODEL);
        (records, ends) = transcode(&records, &ends, coding);
    }
    let layout = parsed.layout.finish().encode(options.level);
    let mut tags = tags.analyse();
    let new_strings = intern(&mut tags)?;
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
    Some((chunk, parsed.runs))
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

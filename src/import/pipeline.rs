//! The pipeline of an import: each thread reads, parses, encodes or writes jobs, depending on which work is available.
//! Order-dependent steps run in order.

use super::chunk::ChunkBuilder;
use super::feed::{Feed, Job, Segment};
use super::options::{CHUNK_BYTES, GREAT, ImportOptions};
use super::output::{Output, Turn};
use super::parsed::{Parsed, Run};
use super::schedule::{Given, Next, Schedule, Stage};
use super::summary::Refused;
use crate::archive::storage::Storage;
use crate::archive::writer::{EncodedChunk, Interner};
use crate::archive::{MODEL, push_record};
use crate::brenner::decode::each_move;
use crate::error::Error;
use crate::format::moves::Coding;
use crate::format::record::Record;
use crate::format::tags::TagsDraft;
use crate::format::texts::TextsBuilder;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maximum number of threads. More than any computer has processors would only use memory.
const MOST_THREADS: usize = 1024;

/// Imports all jobs of a feed into an archive. Returns the reason why reading stopped early, if it did, and the sources
/// that could not be read to their end. The returned output contains the write error, if there was one.
pub fn run<'a, S: Storage>(
    feed: Feed<'a>,
    interner: Interner,
    output: Output<'a, S>,
    options: &'a ImportOptions,
    commits: bool,
) -> (Output<'a, S>, Option<Error>, Vec<Refused>) {
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads.min(MOST_THREADS),
    };
    let batch = commits.then_some(options.batch);
    let pipeline = Pipeline {
        schedule: Schedule::new(threads),
        jobs: Mutex::new(Jobs { feed, number: 0, batch, in_batch: 0 }),
        interner: Mutex::new(interner),
        output: Mutex::new(output),
        options,
    };
    std::thread::scope(|scope| {
        // The current thread is one of the workers, so an import works even if the system cannot start another thread.
        for number in 1..threads {
            let worker = std::thread::Builder::new().name(format!("import-{number}"));
            if worker.spawn_scoped(scope, || pipeline.work()).is_err() {
                break;
            }
        }
        pipeline.work();
    });
    let jobs = pipeline.jobs.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Feed { stopped, refused, .. } = jobs.feed;
    (pipeline.output.into_inner().unwrap_or_else(PoisonError::into_inner), stopped, refused)
}

struct Pipeline<'a, S> {
    schedule: Schedule<Step>,
    jobs: Mutex<Jobs<'a>>,
    interner: Mutex<Interner>,
    output: Mutex<Output<'a, S>>,
    options: &'a ImportOptions,
}

/// A job, as the next step that it needs.
enum Step {
    Parse(Turn, Job),
    /// Number the strings of the tags.
    Strings(Turn, Vec<Draft>),
    Write(Turn, Vec<(EncodedChunk, Vec<Run>)>),
}

impl<S: Storage> Pipeline<'_, S> {
    fn work(&self) {
        // If a thread panics, the other threads must not wait for its job.
        let _end = OnDrop(|| {
            if std::thread::panicking() {
                self.schedule.end();
            }
        });
        while let Some(next) = self.schedule.next() {
            let mut step = match next {
                Next::GoOn(step) => Some(step),
                Next::Read => self.schedule.read(lock(&self.jobs).next(self.options)),
            };
            while let Some(current) = step {
                step = self.take(current);
            }
        }
    }

    /// Runs the next step of a job. Returns the following step if it can run immediately.
    fn take(&self, step: Step) -> Option<Step> {
        match step {
            Step::Parse(turn, job) => {
                // Most jobs become one chunk.
                let (mut parsed, mut done) = (Parsed::default(), Vec::new());
                for segment in job.segments {
                    parsed.take(segment, self.options, &mut done);
                }
                done.push(parsed);
                let drafts = done.into_iter().map(|parsed| Draft::new(parsed, self.options)).collect();
                self.schedule.enter(Stage::Strings, turn.number, Step::Strings(turn, drafts))
            }
            Step::Strings(turn, mut drafts) => {
                let mut interner = lock(&self.interner);
                if turn.begins_batch {
                    interner.begin_batch();
                }
                let strings: Vec<_> = drafts.iter_mut().map(|draft| draft.number_strings(&mut interner)).collect();
                drop(interner);
                self.schedule.leave(Stage::Strings);
                let drafts = drafts.into_iter().zip(strings);
                let encoded = drafts.map(|(draft, new_strings)| draft.encode(self.options, new_strings)).collect();
                self.schedule.enter(Stage::Output, turn.number, Step::Write(turn, encoded))
            }
            Step::Write(turn, encoded) => {
                let mut output = lock(&self.output);
                if let Err(error) = output.add_all(encoded, turn) {
                    // Later jobs do not enter this stage, so there is only one write error.
                    output.failure = Some(error);
                    self.schedule.end();
                    return None;
                }
                drop(output);
                self.schedule.leave(Stage::Output);
                self.schedule.done();
                None
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// The reading side, and the number of the next job.
struct Jobs<'a> {
    feed: Feed<'a>,
    number: u64,
    /// The number of jobs between two commits, or `None` for a single commit at the end.
    batch: Option<u32>,
    in_batch: u32,
}

impl Jobs<'_> {
    fn next(&mut self, options: &ImportOptions) -> Given<Step> {
        let job = match self.number {
            0 => std::mem::take(&mut self.feed.first),
            _ => self.feed.read_job(),
        };
        if job.segments.is_empty() {
            return Given::End;
        }
        let commit_before = job.opens && self.batch.is_some();
        self.in_batch = if commit_before { 1 } else { self.in_batch.saturating_add(1) };
        let commit_after = self.batch.is_some_and(|batch| self.in_batch >= batch) && !job.open;
        let turn = Turn { number: self.number, begins_batch: self.in_batch == 1, commit_before, commit_after };
        if commit_after {
            self.in_batch = 0;
        }
        self.number += 1;
        let bytes: usize = job.segments.iter().map(Segment::bytes).sum();
        match bytes / GREAT > options.chunk_bytes.max(CHUNK_BYTES) {
            true => Given::Great(Step::Parse(turn, job)),
            false => Given::Job(Step::Parse(turn, job)),
        }
    }
}

/// The encoded games of a job, without the parts that depend on string numbers.
pub struct Draft {
    records: Vec<u8>,
    ends: Vec<u32>,
    coding: Coding,
    tags: TagsDraft,
    texts: TextsBuilder,
    layout: Vec<u8>,
    runs: Vec<Run>,
    plies: u64,
    faulty: u64,
    rejected: u64,
    pgn_bytes: u64,
}

impl Draft {
    /// Encodes the parts that do not depend on string numbers.
    pub fn new(parsed: Parsed, options: &ImportOptions) -> Draft {
        let ChunkBuilder { mut records, mut ends, tags, texts, variants, .. } = parsed.chunk;
        let mut coding = if variants { Coding::Variants } else { Coding::Plain };
        // The model of packed moves knows only the moves of chess.
        if options.pack && coding == Coding::Plain {
            coding = Coding::Packed(MODEL);
            (records, ends) = transcode(&records, &ends, coding);
        }
        Draft {
            records,
            ends,
            coding,
            tags: tags.analyse(),
            texts,
            layout: parsed.layout.finish().encode(options.level),
            runs: parsed.runs,
            plies: parsed.plies,
            faulty: parsed.faulty,
            rejected: parsed.rejected,
            pgn_bytes: parsed.pgn_bytes,
        }
    }

    /// Assigns numbers to the strings of the tags. Returns the new strings, in the order of their numbers.
    pub fn number_strings(&mut self, interner: &mut Interner) -> Vec<Box<[u8]>> {
        self.tags.intern(|string, uses| interner.intern(string, uses));
        interner.take_new()
    }

    /// Encodes the remaining parts.
    pub fn encode(self, options: &ImportOptions, new_strings: Vec<Box<[u8]>>) -> (EncodedChunk, Vec<Run>) {
        let chunk = EncodedChunk {
            tags: self.tags.encode(options.level),
            texts: (!self.texts.is_empty()).then(|| self.texts.encode(options.level, each_move)),
            layout: self.layout,
            records: self.records,
            ends: self.ends,
            coding: self.coding,
            new_strings,
            plies: self.plies,
            faulty: self.faulty,
            rejected: self.rejected,
            pgn_bytes: self.pgn_bytes,
        };
        (chunk, self.runs)
    }
}

/// Converts plain records to another coding of moves. Returns the records and their end offsets.
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

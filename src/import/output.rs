//! The writing side of an import. Jobs arrive in order.

use super::options::ImportOptions;
use super::parsed::{End, GameRun, Run};
use super::resume::Start;
use super::summary::{Acknowledged, Progress, Report, SourceSummary};
use crate::archive::GameSet;
use crate::archive::storage::Storage;
use crate::archive::writer::{EncodedChunk, Writer};
use crate::format::commit::{Commit, Unfinished};
use crate::format::loose;
use crate::format::source::SourceRecord;
use crate::pgn::Checkpoint;
use sha2::Digest;
use std::io;
use std::sync::atomic::Ordering;

/// The writing side of an import, which adds jobs to the archive in order.
pub struct Output<'a, S> {
    pub writer: Writer<S>,
    report: Report<'a>,
    /// The results for each source so far.
    pub sources: Vec<SourceSummary>,
    /// The source and the checkpoint at which the next job begins, or `None` after the last job.
    next: Option<(usize, Checkpoint)>,
    /// The games since the last commit that their source has deleted.
    deleted: Vec<u64>,
    /// Whether the last job ends within an oversized game. If it does, it cannot be committed.
    pub open: bool,
    before: Commit,
    first_source: u64,
    /// The options as text, which a resumed import compares with its own.
    options: String,
    progress: Option<&'a Progress>,
    /// The first error. After this error, no more data is written.
    pub failure: Option<io::Error>,
}

impl<'a, S: Storage> Output<'a, S> {
    pub fn new(
        writer: Writer<S>,
        names: &[String],
        start: &Start,
        passed: Option<(usize, Checkpoint)>,
        options: &ImportOptions,
        progress: Option<&'a Progress>,
        report: Report<'a>,
    ) -> Output<'a, S> {
        let known = start.done.iter().chain(start.begin.as_ref().map(|begin| &begin.source));
        let mut known = known.cloned();
        let sources = names.iter().enumerate().map(|(index, name)| SourceSummary {
            is_complete: index < start.done.len(),
            ..known.next().map_or_else(
                || SourceSummary::unread(name),
                |record| SourceSummary { record, ..SourceSummary::default() },
            )
        });
        let sources = sources.collect();
        let before = *writer.totals();
        let first_source = start.first_source;
        Output {
            writer,
            report,
            sources,
            next: passed,
            deleted: Vec::new(),
            open: false,
            before,
            first_source,
            options: options.words(),
            progress,
            failure: None,
        }
    }

    /// Adds a source after all other sources. Returns its index.
    pub fn begin_source(&mut self, name: &str) -> usize {
        self.sources.push(SourceSummary::unread(name));
        self.sources.len() - 1
    }

    /// Adds the chunks of a job, with a commit before or after them as `turn` requires.
    pub fn add_all(&mut self, chunks: Vec<(EncodedChunk, Vec<Run>)>, turn: Turn) -> io::Result<()> {
        let last = chunks.len().saturating_sub(1);
        chunks.into_iter().enumerate().try_for_each(|(number, (chunk, runs))| {
            let commit_before = turn.commit_before && number == 0;
            let commit_after = turn.commit_after && number == last;
            self.add(chunk, runs, Turn { commit_before, commit_after, ..turn })
        })
    }

    /// Adds a chunk, with a commit before or after it as `turn` requires.
    fn add(&mut self, chunk: EncodedChunk, runs: Vec<Run>, turn: Turn) -> io::Result<()> {
        if turn.commit_before {
            self.commit()?;
        }
        let mut first = self.writer.totals().games + 1;
        let mut ended = Vec::new();
        for run in runs {
            match run {
                Run::Games(run) => {
                    let GameRun { source: number, stored, .. } = run;
                    let Some(summary) = self.sources.get_mut(number) else { continue };
                    let source = &mut summary.record;
                    for (game, mut fault) in run.faults {
                        fault.game = source.seen + game;
                        fault.stored = fault.stored.map(|index| first + index);
                        (self.report)(fault);
                    }
                    if source.first_game == 0 && stored > 0 {
                        source.first_game = first;
                    }
                    self.deleted.extend(run.deleted.into_iter().map(|index| first + index));
                    source.seen += run.seen;
                    source.rejected += run.rejected;
                    summary.windows_1252 += run.windows_1252;
                    summary.foreign_letters += run.foreign_letters;
                    first += stored;
                    if let Some(bytes) = run.loose {
                        let number = self.first_source + number as u64;
                        self.writer.add_loose(first, &loose::encode(number, &bytes))?;
                    }
                    self.open = matches!(run.end, End::Open);
                    match run.end {
                        End::Open => {}
                        End::At(checkpoint) => self.next = Some((number, checkpoint)),
                        End::Text(text) => {
                            let mut end = self.text_end(number);
                            end.offset += text.len() as u64;
                            end.line += memchr::memchr_iter(b'\n', &text).count() as u64;
                            end.hash.update(&text);
                            self.next = Some((number, end));
                        }
                    }
                }
                Run::End { source: number, text, is_complete } => {
                    let made = text.is_none();
                    let Checkpoint { offset: bytes, hash, .. } = text.unwrap_or_else(|| self.text_end(number));
                    let Some(summary) = self.sources.get_mut(number) else { continue };
                    (summary.is_complete, summary.made) = (is_complete, made);
                    // If a source cannot be read further within an oversized game, this game ends here.
                    self.open = false;
                    let source = &mut summary.record;
                    // If one of these conditions fails, the archive does not contain the bytes of the source.
                    source.exact &= is_complete && !made;
                    (source.bytes, source.sha256) = (bytes, hash.finalize().into());
                    ended.push(source.clone());
                    self.next = Some((number + 1, Checkpoint { line: 1, ..Checkpoint::default() }));
                }
            }
        }
        self.writer.add_chunk(chunk)?;
        // The records of sources are added before the commit, so they cover the same games as the commit.
        ended.iter().try_for_each(|source| self.writer.add_source(source))?;
        let totals = self.writer.totals();
        if let Some(progress) = self.progress {
            progress.games.store(totals.games - self.before.games, Ordering::Relaxed);
            progress.pgn_bytes.store(totals.pgn_bytes - self.before.pgn_bytes, Ordering::Relaxed);
        }
        if turn.commit_after { self.commit() } else { Ok(()) }
    }

    /// Returns the end of the PGN of a source that is not PGN, so far.
    fn text_end(&mut self, number: usize) -> Checkpoint {
        let next = self.next.take().filter(|(source, _)| *source == number);
        next.map_or(Checkpoint { line: 1, ..Checkpoint::default() }, |(_, end)| end)
    }

    /// Makes a commit, and reports the durable data to the caller.
    pub fn commit(&mut self) -> io::Result<()> {
        let before = self.writer.sequence();
        if !self.deleted.is_empty() {
            let deleted = self.deleted.drain(..);
            self.writer.delete(&GameSet::from_numbers(self.writer.totals().games, deleted))?;
        }
        let unfinished = self.unfinished();
        let source = unfinished.as_ref().map(|unfinished| (unfinished.source.name.clone(), unfinished.source.bytes));
        self.writer.set_unfinished(unfinished);
        self.writer.commit()?;
        let acknowledge = self.progress.and_then(|progress| progress.acknowledge.as_ref());
        if let (Some(acknowledge), true) = (acknowledge, self.writer.sequence() > before) {
            acknowledge(&Acknowledged {
                sequence: self.writer.sequence(),
                games: self.writer.committed_games(),
                length: self.writer.committed_length(),
                source,
            });
        }
        Ok(())
    }

    /// Returns the progress that a commit before the end of the import records.
    fn unfinished(&self) -> Option<Unfinished> {
        let (number, checkpoint) = self.next.as_ref()?;
        let source = SourceRecord {
            bytes: checkpoint.offset,
            sha256: checkpoint.hash.clone().finalize().into(),
            ..self.sources.get(*number)?.record.clone()
        };
        let (first_source, options) = (self.first_source, self.options.clone());
        Some(Unfinished { first_source, line: checkpoint.line, options, source })
    }
}

/// The position of a job in the order of jobs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn {
    /// The number of the job, from 0.
    pub number: u64,
    /// Whether the job is the first of a batch.
    pub begins_batch: bool,
    /// Whether a commit precedes the job.
    pub commit_before: bool,
    /// Whether the job is the last of a batch, so a commit follows it.
    pub commit_after: bool,
}

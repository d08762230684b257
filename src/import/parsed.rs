//! Parses the games of a job, and encodes all data that does not depend on the order of jobs.

use super::chunk::ChunkBuilder;
use super::feed::Segment;
use super::layout::LayoutBuilder;
use super::options::ImportOptions;
use super::summary::FaultReport;
use crate::chess::san::ShortText;
use crate::chess::{Move, Position};
use crate::format::loose;
use crate::game::{Outcome, TextKind, Visitor};
use crate::pgn::{
    Checkpoint, Disposition, EndOfRun, Fault, FaultKind, MoveRun, Oversized, TagHead, TagRun, TextVisitor,
    read_game_text,
};
use std::ops::Range;

/// The parsed result for one segment of a source.
pub enum Run {
    Games {
        source: usize,
        seen: u64,
        stored: u64,
        rejected: u64,
        /// The number of games that were decoded as Windows-1252.
        windows_1252: u64,
        /// The bytes at the end of the segment that no stored game contains, compressed.
        loose: Option<Vec<u8>>,
        /// The checkpoint after the segment, or `None` within an oversized game.
        checkpoint: Option<Checkpoint>,
        /// Each fault, with the number of its game within this run, from 1. A fault of a stored game also contains the
        /// index of the game among the stored games of the run, from 0.
        faults: Vec<(u64, FaultReport)>,
    },
    End {
        source: usize,
        bytes: u64,
        sha256: [u8; 32],
        made: bool,
        is_complete: bool,
    },
}

/// A parsed job.
#[derive(Default)]
pub struct Parsed {
    pub chunk: ChunkBuilder,
    pub layout: LayoutBuilder,
    pub runs: Vec<Run>,
    pub plies: u64,
    pub faulty: u64,
    pub rejected: u64,
    pub pgn_bytes: u64,
}

impl Parsed {
    pub fn take(&mut self, segment: Segment, options: &ImportOptions) {
        let read = &options.read;
        let (mut batch, checkpoint) = match segment {
            Segment::Batch(batch, checkpoint) => (batch, checkpoint),
            Segment::End { source, bytes, sha256, made, is_complete } => {
                return self.runs.push(Run::End { source, bytes, sha256, made, is_complete });
            }
        };
        let source = batch.source as usize;
        let (mut stored, mut rejected, mut faults) = (0, 0, Vec::new());
        // The offset in the batch of the first byte that does not belong to a game yet.
        let mut free = 0;
        let (mut seen, mut windows_1252) = (0, 0);
        if let Some(Oversized { offset, line, head, .. }) = batch.oversized.take() {
            (seen, rejected) = (1, 1);
            let fault = Fault { kind: FaultKind::Oversized, offset: 0, ply: 0, token: Box::default() };
            let rejected = options.keep_rejected.then(|| head.into());
            faults.push((1, FaultReport { source, offset, line, game: 0, stored: None, fault, more: 0, rejected }));
        }
        for span in &batch.spans {
            // The offset up to which lines have been counted, and the number of the line at this offset.
            let mut counted = (0, span.line);
            let text = batch.span(span);
            let mut at = 0;
            while at < text.len() {
                self.layout.begin();
                let begin = at;
                let mut both = Tee(&mut self.chunk, self.layout.writer());
                let reading = read_game_text(text, begin, read, &mut both);
                // The offset must increase in every iteration. Otherwise, the loop might not end.
                at = reading.next.max(at + 1);
                seen += u64::from(reading.disposition.is_some());
                windows_1252 += u64::from(reading.windows_1252);
                let stored_index = match reading.disposition {
                    None => continue,
                    Some(Disposition::Stored) => {
                        self.chunk.end_game(!reading.faults.is_empty());
                        let end = (span.start + at).min(batch.text.len());
                        let (all, game_text) =
                            (&batch.text[free..end], &text[reading.start.min(at)..at.min(text.len())]);
                        self.layout.end_game(all, game_text, reading.windows_1252, |writer| {
                            read_game_text(text, begin, read, writer);
                        });
                        free = end;
                        self.plies += u64::from(reading.plies);
                        self.faulty += u64::from(!reading.faults.is_empty());
                        stored += 1;
                        Some(stored - 1)
                    }
                    Some(Disposition::Rejected) => {
                        self.chunk.rewind();
                        rejected += 1;
                        None
                    }
                };
                let count = reading.faults.len();
                if count > 0 {
                    counted = (begin, counted.1 + batch.lines(span, counted.0, begin));
                }
                let mut rejected_text = (options.keep_rejected && stored_index.is_none())
                    .then(|| text.get(reading.start..at).unwrap_or(&text[reading.start..]).into());
                for (index, fault) in reading.faults.into_iter().enumerate() {
                    let report = FaultReport {
                        source,
                        offset: span.offset + fault.offset as u64,
                        line: counted.1 + batch.lines(span, begin, fault.offset),
                        game: 0,
                        stored: stored_index,
                        fault,
                        more: if index + 1 == count { reading.more_faults } else { 0 },
                        rejected: if index + 1 == count { rejected_text.take() } else { None },
                    };
                    faults.push((stored + rejected, report));
                }
            }
        }
        self.pgn_bytes += batch.text.len() as u64;
        self.rejected += rejected;
        let rest = &batch.text[free..];
        let held = rest.is_empty() || stored > 0 && self.layout.append(rest);
        let loose = (!held).then(|| loose::compress(rest, options.level));
        self.runs.push(Run::Games { source, seen, stored, rejected, windows_1252, loose, checkpoint, faults });
        batch.recycle();
    }
}

/// Passes all events to two visitors.
struct Tee<'a, A, B>(&'a mut A, &'a mut B);

impl<A: Visitor, B: Visitor> Visitor for Tee<'_, A, B> {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        self.0.tag(name, value);
        self.1.tag(name, value);
    }

    fn start(&mut self, position: &Position) {
        self.0.start(position);
        self.1.start(position);
    }

    #[inline]
    fn play(&mut self, before: &Position, m: Move) {
        self.0.play(before, m);
        self.1.play(before, m);
    }

    fn suffix(&mut self, good: bool) {
        self.0.suffix(good);
        self.1.suffix(good);
    }

    fn nag(&mut self, nag: u8) {
        self.0.nag(nag);
        self.1.nag(nag);
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        self.0.text(kind, text);
        self.1.text(kind, text);
    }

    fn open(&mut self) {
        self.0.open();
        self.1.open();
    }

    fn close(&mut self) {
        self.0.close();
        self.1.close();
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.0.outcome(outcome);
        self.1.outcome(outcome);
    }
}

impl<A: TextVisitor, B: TextVisitor> TextVisitor for Tee<'_, A, B> {
    fn tag_run(&self) -> TagRun {
        match (self.0.tag_run(), self.1.tag_run()) {
            (TagRun::Any, run) | (run, TagRun::Any) => run,
            _ => TagRun::None,
        }
    }

    /// Returns the tag that the first visitor expects.
    #[inline]
    fn expected_tag(&self) -> Option<&TagHead> {
        self.0.expected_tag()
    }

    #[inline]
    fn tag_in_run(&mut self, value: Range<usize>) {
        self.0.tag_in_run(value.clone());
        self.1.tag_in_run(value);
    }

    fn end_tag_run(&mut self, text: &[u8]) {
        self.0.end_tag_run(text);
        self.1.end_tag_run(text);
    }

    #[inline]
    fn play_known(&mut self, before: &Position, m: Move, san: ShortText) {
        self.0.play_known(before, m, san);
        self.1.play_known(before, m, san);
    }

    #[inline]
    fn move_run(&self) -> MoveRun {
        match (self.0.move_run(), self.1.move_run()) {
            (MoveRun::Any, run) | (run, MoveRun::Any) => run,
            _ => MoveRun::None,
        }
    }

    #[inline]
    fn play_in_run(&mut self, before: &Position, m: Move) {
        self.0.play_in_run(before, m);
        self.1.play_in_run(before, m);
    }

    fn end_run(&mut self, text: &[u8], end: EndOfRun) {
        self.0.end_run(text, end);
        self.1.end_run(text, end);
    }
}

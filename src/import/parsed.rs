//! The encoded games of a job, with all data that does not depend on the order of jobs.

use super::chunk::ChunkBuilder;
use super::layout::LayoutBuilder;
use super::summary::FaultReport;
use crate::chess::san::ShortText;
use crate::chess::{Move, Position};
use crate::game::{Outcome, TextKind, Visitor};
use crate::pgn::{Checkpoint, EndOfRun, MoveRun, TagHead, TagRun, TextVisitor};
use std::ops::Range;

/// The parsed result for one segment of a source.
pub enum Run {
    Games(GameRun),
    /// The end of a source, and of its text. For a source that is not PGN, the text is the PGN of its games, which the
    /// earlier runs contain.
    End {
        source: usize,
        text: Option<Checkpoint>,
        is_complete: bool,
    },
}

/// A run of games of a source.
#[derive(Default)]
pub struct GameRun {
    pub source: usize,
    pub seen: u64,
    pub stored: u64,
    pub rejected: u64,
    /// The number of games that were decoded as Windows-1252.
    pub windows_1252: u64,
    /// The number of games whose moves have piece letters of another language than English.
    pub foreign_letters: u64,
    /// The bytes at the end of the segment that no stored game contains, compressed.
    pub loose: Option<Vec<u8>>,
    pub end: End,
    /// Each fault, with the number of its game within this run, from 1. A fault of a stored game also contains the
    /// index of the game among the stored games of the run, from 0.
    pub faults: Vec<(u64, FaultReport)>,
    /// The indexes of deleted games among the stored games of the run, from 0.
    pub deleted: Vec<u64>,
}

/// The end of a run of games in its source.
#[derive(Default)]
pub enum End {
    /// A position in the source.
    At(Checkpoint),
    /// A position within an oversized game, or between chunks of a segment.
    #[default]
    Open,
    /// The source is not PGN. The value is the PGN of the stored games, which follows the PGN of the earlier runs.
    Text(Vec<u8>),
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

/// Passes all events to two visitors.
pub(super) struct Tee<'a, A, B>(pub &'a mut A, pub &'a mut B);

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

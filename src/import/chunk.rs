//! Builds the records, tags and texts of a chunk.

use crate::brenner::encode;
use crate::chess::{Move, Position, Variant, position::STANDARD};
use crate::format::record::{self, Record};
use crate::format::tags::TagsBuilder;
use crate::format::texts::TextsBuilder;
use crate::game::{Outcome, TextKind, Visitor};
use crate::pgn::{MoveRun, TagHead, TagRun, TextVisitor};
use std::ops::Range;

/// A visitor that builds records, tags and texts from the games that a reader passes to it.
#[derive(Default)]
pub struct ChunkBuilder {
    pub records: Vec<u8>,
    pub ends: Vec<u32>,
    pub tags: TagsBuilder,
    /// For each column, the beginning of its tag pairs in PGN.
    heads: Vec<Option<TagHead>>,
    pub texts: TextsBuilder,
    /// The number of moves so far in the current game's stream.
    moves: u32,
    /// Whether a text at this point would directly follow the last move, except for suffixes and NAGs.
    behind_move: bool,
    /// Whether the last event was a text that is stored with its position.
    placed: bool,
    outcome: Option<Outcome>,
    /// Whether the current game is of a variant with records of its own coding.
    of_variant: bool,
    /// Whether the finished games of the chunk are of such variants.
    pub variants: bool,
}

impl ChunkBuilder {
    /// Returns whether a game with these rules needs another coding than the finished games, and so ends the chunk.
    pub fn is_ended_by(&self, rules: Variant) -> bool {
        self.differs(record::is_coded(rules))
    }

    /// Returns whether the current game needs another coding than the finished games.
    pub fn needs_new_chunk(&self) -> bool {
        self.differs(self.of_variant)
    }

    /// Returns whether the finished games, if any, have another coding than a game, whose coding is that of variants.
    fn differs(&self, of_variant: bool) -> bool {
        !self.ends.is_empty() && of_variant != self.variants
    }

    fn begin(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    pub fn end_game(&mut self, fault: bool) {
        let begin = self.begin();
        let mut flags = if fault { record::FAULT } else { 0 };
        match self.outcome.take() {
            Some(outcome) => encode::push_outcome(outcome, &mut self.records),
            None => flags |= record::NO_MARKER,
        }
        record::add_flags(&mut self.records, begin, flags);
        self.ends.push(self.records.len() as u32);
        self.variants = self.of_variant;
        self.tags.end_game();
        let record = self.records.get(begin..);
        self.texts.end_game(|| {
            let record = Record::decode(record?, false)?;
            Some((record.set_up.map_or_else(|| STANDARD.clone(), |start| *start), record.stream.into_owned()))
        });
    }

    /// If the last event was a text that is stored with its position, gives this text a marker in the moves instead.
    /// This function is called before a suffix or NAG. Without the marker, a reader would place the text after the
    /// suffix or NAG.
    fn mark_text(&mut self) {
        if std::mem::take(&mut self.placed) {
            self.texts.mark_last();
            encode::push_text_marker(&mut self.records);
        }
    }

    pub fn rewind(&mut self) {
        self.records.truncate(self.begin());
        self.tags.rewind();
        self.texts.rewind();
        self.outcome = None;
    }
}

impl Visitor for ChunkBuilder {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        self.tags.push(name, value);
        let columns = self.tags.columns();
        if columns > self.heads.len() {
            // The last column is the column of this tag. Any other new columns come from games that were added in
            // another way.
            self.heads.resize(columns - 1, None);
            self.heads.push(TagHead::new(name));
        }
    }

    fn start(&mut self, position: &Position) {
        (self.moves, self.behind_move, self.placed) = (0, false, false);
        self.of_variant = record::is_coded(position.variant());
        if *position != *STANDARD {
            record::push_set_up(position, &mut self.records);
        }
    }

    #[inline]
    fn play(&mut self, before: &Position, m: Move) {
        encode::push_move(before, m, &mut self.records);
        self.moves += 1;
        self.behind_move = true;
        self.placed = false;
    }

    fn suffix(&mut self, good: bool) {
        self.mark_text();
        encode::push_suffix(good, &mut self.records);
    }

    fn nag(&mut self, nag: u8) {
        self.mark_text();
        encode::push_nag(nag, &mut self.records);
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        let after = std::mem::take(&mut self.behind_move).then_some(self.moves);
        self.placed = !self.texts.push(kind, text, after);
        if !self.placed {
            encode::push_text_marker(&mut self.records);
        }
    }

    fn open(&mut self) {
        (self.behind_move, self.placed) = (false, false);
        encode::push_open(&mut self.records);
    }

    fn close(&mut self) {
        (self.behind_move, self.placed) = (false, false);
        encode::push_close(&mut self.records);
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

impl TextVisitor for ChunkBuilder {
    fn tag_run(&self) -> TagRun {
        TagRun::Any
    }

    #[inline]
    fn expected_tag(&self) -> Option<&TagHead> {
        self.heads.get(self.tags.expected()? as usize)?.as_ref()
    }

    #[inline]
    fn tag_in_run(&mut self, value: Range<usize>) {
        self.tags.push_expected(value);
    }

    fn end_tag_run(&mut self, text: &[u8]) {
        self.tags.push_text(text);
    }

    fn move_run(&self) -> MoveRun {
        MoveRun::Any
    }
}

//! What passes between reader and writer beside the events of a game: text that is known already, and how runs of tag
//! pairs and moves stand on lines.
//!
//! An import writes every game that it reads, to see that it comes back; where a whole run of tag pairs or moves stands as
//! the writer would write it, the text passes at once.

use crate::chess::san::ShortText;
use crate::chess::{Move, Position};
use crate::game::{Outcome, TextKind, Visitor};
use crate::pgn::tags::TagHead;
use std::ops::Range;

/// Which tag pairs a [`TextVisitor`] takes as a run of tag pairs: those that it expects, each on a line of its own, as
/// the standard writes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TagRun {
    /// None.
    None,
    /// All, whatever ends their lines.
    Any,
    /// Those whose lines end with these bytes.
    Laid(&'static [u8]),
}

/// Which moves a [`TextVisitor`] takes as a run of moves: one after the other, with nothing between them but numbers
/// and blanks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveRun {
    /// None.
    None,
    /// All, however they stand in their source.
    Any,
    /// Those that stand as the visitor would write them.
    Laid(Lines),
}

/// How moves are laid out on lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lines {
    /// Bytes that are on the line already, at least one.
    pub column: usize,
    /// The most bytes on a line.
    pub width: usize,
    /// The bytes that end a line.
    pub line_end: &'static [u8],
    /// `1.e4` for `1. e4`.
    pub joined_numbers: bool,
    /// Numbers stand on the line of their move.
    pub unbroken_numbers: bool,
    /// Black's move stays on the line, however long.
    pub pairs: bool,
    /// A line ends before White's number if it has `width` bytes or more, and nowhere else.
    pub filled: bool,
    /// Black's move has a number, if it comes next.
    pub number: bool,
}

/// Where a run of moves ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndOfRun {
    /// Bytes from the beginning of the last line.
    pub column: usize,
    /// Bytes from the blank before the last token where the line can be broken; `None` where it cannot.
    pub gap: Option<usize>,
    /// Whether the last move is mate although its text ends with `+`. All other texts are the standard's.
    pub mate: bool,
}

/// A visitor that makes use of text: each of its methods stands for one of [`Visitor`], or for several, and by default
/// does what they do.
pub trait TextVisitor: Visitor {
    /// Which tag pairs the visitor takes as a run of tag pairs, if they come now: each by
    /// [`tag_in_run`](TextVisitor::tag_in_run), then all their text at once.
    fn tag_run(&self) -> TagRun {
        TagRun::None
    }
    /// How the tag pair begins that the visitor expects next: that of the game before, in most files.
    fn expected_tag(&self) -> Option<&TagHead> {
        None
    }
    /// The tag pair that the visitor expects next; its value stands in these bytes of the run's text.
    fn tag_in_run(&mut self, value: Range<usize>) {
        let _ = value;
    }
    /// The end of a run of tag pairs, and its text, line ends included.
    fn end_tag_run(&mut self, text: &[u8]) {
        let _ = text;
    }
    /// `play`, where the move's SAN is known already: the standard's, which names a file at most to distinguish the
    /// piece from others.
    #[inline]
    fn play_known(&mut self, before: &Position, m: Move, san: ShortText) {
        let _ = san;
        self.play(before, m);
    }
    /// Which moves the visitor takes as a run of moves, if they come now: each by
    /// [`play_in_run`](TextVisitor::play_in_run), then all their text at once.
    fn move_run(&self) -> MoveRun {
        MoveRun::None
    }
    /// A move of a run of moves; its SAN is the standard's.
    #[inline]
    fn play_in_run(&mut self, before: &Position, m: Move) {
        self.play(before, m);
    }
    /// The end of a run of moves, and its text: numbers, moves and blanks, from after what came before.
    fn end_run(&mut self, text: &[u8], end: EndOfRun) {
        let _ = (text, end);
    }
}

/// Any visitor, as one that makes no use of text.
pub(crate) struct Events<'a, V>(pub &'a mut V);

impl<V: Visitor> Visitor for Events<'_, V> {
    #[inline]
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        self.0.tag(name, value);
    }

    #[inline]
    fn start(&mut self, position: &Position) {
        self.0.start(position);
    }

    #[inline]
    fn play(&mut self, before: &Position, m: Move) {
        self.0.play(before, m);
    }

    #[inline]
    fn suffix(&mut self, good: bool) {
        self.0.suffix(good);
    }

    #[inline]
    fn nag(&mut self, nag: u8) {
        self.0.nag(nag);
    }

    #[inline]
    fn text(&mut self, kind: TextKind, text: &[u8]) {
        self.0.text(kind, text);
    }

    #[inline]
    fn open(&mut self) {
        self.0.open();
    }

    #[inline]
    fn close(&mut self) {
        self.0.close();
    }

    #[inline]
    fn outcome(&mut self, outcome: Outcome) {
        self.0.outcome(outcome);
    }
}

impl<V: Visitor> TextVisitor for Events<'_, V> {
    #[inline]
    fn move_run(&self) -> MoveRun {
        MoveRun::Any
    }
}

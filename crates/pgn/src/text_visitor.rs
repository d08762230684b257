//! The interface through which the reader passes text to the writer unchanged: SAN that is already known, and runs of
//! tag pairs and moves in the writer's layout.
//!
//! To verify the result, an import writes every game that it reads. A run of tag pairs or moves in the writer's layout
//! is copied as a whole.

use crate::game::{Outcome, TextKind, Visitor};
use crate::tags::TagHead;
use scoresheet_chess::san::ShortText;
use scoresheet_chess::{Move, Position};
use std::ops::Range;

/// The tag pairs that a [`TextVisitor`] accepts as a run, which are expected tag pairs in standard form, each on a
/// separate line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TagRun {
    /// No tag pairs.
    None,
    /// Tag pairs with any line endings.
    Any,
    /// Tag pairs whose lines end with these bytes.
    Laid(&'static [u8]),
}

/// The moves that a [`TextVisitor`] accepts as a run, which are consecutive moves with only numbers and blanks between
/// them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveRun {
    /// No moves.
    None,
    /// Moves in any layout.
    Any,
    /// Moves in the layout of the visitor.
    Laid(Lines),
}

/// The layout in which moves are arranged on lines.
///
/// ```
/// use scoresheet_pgn::{LineEnd, Lines, MoveRun, PgnWriter, Style, TagRun, TextVisitor};
/// use scoresheet_pgn::game::Visitor;
///
/// let mut writer = PgnWriter::with_style(Style { line_end: LineEnd::CrLf, width: 60, ..Style::default() });
/// assert_eq!(writer.tag_run(), TagRun::Laid(b"\r\n"));
/// let start = scoresheet_chess::Position::standard();
/// writer.start(&start);
/// writer.play(&start, start.parse_san("e4")?);
/// let MoveRun::Laid(Lines { column, width, number, .. }) = writer.move_run() else { panic!("a usual style") };
/// assert_eq!((column, width, number), (5, 60, false)); // the line is `1. e4`
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lines {
    /// The number of bytes that are already on the current line, at least 1.
    pub column: usize,
    /// The maximum number of bytes in a line.
    pub width: usize,
    /// The bytes that end a line.
    pub line_end: &'static [u8],
    /// Whether to write `1.e4` instead of `1. e4`.
    pub joined_numbers: bool,
    /// Whether a number is always on the same line as its move.
    pub unbroken_numbers: bool,
    /// Whether Black's move stays on the line of White's move, even beyond the width.
    pub pairs: bool,
    /// Whether a line ends before White's number if the line has at least `width` bytes, and nowhere else.
    pub filled: bool,
    /// Whether Black's move is written with a number if it comes next.
    pub number: bool,
}

/// The position at which the writer is after a run of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndOfRun {
    /// The number of bytes since the beginning of the current line.
    pub column: usize,
    /// The number of bytes since the blank before the last token, if a line break is possible there.
    pub gap: Option<usize>,
    /// Whether the last move is checkmate although its text ends with `+`. All other texts in the run are standard SAN.
    pub mate: bool,
}

/// A visitor that accepts the text of a game. Each method corresponds to one or more methods of [`Visitor`], and calls
/// them by default.
///
/// ```
/// use scoresheet_chess::{Move, Position, san::ShortText};
/// use scoresheet_pgn::game::Visitor;
/// use scoresheet_pgn::{EndOfRun, MoveRun, ReadOptions, TextVisitor, read_game_text};
///
/// /// Keeps the text of moves that need no change.
/// #[derive(Default)]
/// struct Copied(Vec<u8>);
///
/// # impl Visitor for Copied {
/// # }
/// impl TextVisitor for Copied {
///     fn move_run(&self) -> MoveRun {
///         MoveRun::Any
///     }
///     fn end_run(&mut self, text: &[u8], _: EndOfRun) {
///         self.0.extend_from_slice(text);
///     }
/// }
///
/// let mut copied = Copied::default();
/// read_game_text(b"1. e4 e5 {clean} 2.Nf3 Nc6 1-0", 0, &ReadOptions::default(), &mut copied);
/// assert_eq!(String::from_utf8(copied.0)?, " e5 2.Nf3 Nc6"); // the first move is a single event
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait TextVisitor: Visitor {
    /// Returns the tag pairs that the visitor currently accepts as a run. The reader passes each pair to
    /// [`tag_in_run`](TextVisitor::tag_in_run), and then passes the complete text.
    fn tag_run(&self) -> TagRun {
        TagRun::None
    }
    /// Returns the head of the tag pair that the visitor expects next. In most files, this is the head of the
    /// corresponding tag pair in the previous game.
    fn expected_tag(&self) -> Option<&TagHead> {
        None
    }
    /// Receives a tag pair that the visitor expected. `value` is the range of the value within the text of the run.
    fn tag_in_run(&mut self, value: Range<usize>) {
        let _ = value;
    }
    /// Receives the end of a run of tag pairs, with its text, including line endings.
    fn end_tag_run(&mut self, text: &[u8]) {
        let _ = text;
    }
    /// Receives a move like `play`, together with its standard SAN. To identify the piece, the SAN contains at most a
    /// file.
    #[inline]
    fn play_known(&mut self, before: &Position, m: Move, san: ShortText) {
        let _ = san;
        self.play(before, m);
    }
    /// Returns the moves that the visitor currently accepts as a run. The reader passes each move to
    /// [`play_in_run`](TextVisitor::play_in_run), and then passes the complete text.
    fn move_run(&self) -> MoveRun {
        MoveRun::None
    }
    /// Receives a move in a run. The text of the move is standard SAN.
    #[inline]
    fn play_in_run(&mut self, before: &Position, m: Move) {
        self.play(before, m);
    }
    /// Receives the end of a run of moves, with its text: numbers, moves and blanks, starting after the preceding text.
    fn end_run(&mut self, text: &[u8], end: EndOfRun) {
        let _ = (text, end);
    }
}

/// Wraps a visitor that does not accept text.
pub(crate) struct Events<'a>(pub &'a mut dyn Visitor);

impl Visitor for Events<'_> {
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

impl TextVisitor for Events<'_> {
    #[inline]
    fn move_run(&self) -> MoveRun {
        MoveRun::Any
    }
}

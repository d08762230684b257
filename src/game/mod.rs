//! The hub that every way of writing a game converts to and from: a stream of events, and `Game` as one owner of such a stream.
//!
//! A reader drives a [`Visitor`]; so an import can encode records without building a tree for each game. [`Game`] is the visitor that
//! keeps everything, and can drive another one. All text is UTF-8.

mod notes;
mod played;

pub(crate) use notes::Notes;
pub use notes::{Comment, Evaluation, Variation};
pub use played::PlayedMove;

use crate::chess::{IllegalMove, Move, MoveKind, Position};
use std::fmt;
use std::time::Duration;

/// What kind of text stands in a movetext.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TextKind {
    /// A comment in braces, without the braces.
    Brace = 0,
    /// A comment from `;` to the end of the line, without either.
    Line = 1,
    /// A token that the data model has no place for, kept as written: `*` inside a variation, `N`, `+-`.
    Token = 2,
    /// What follows a fault, as written: the illegal or unreadable move and the rest of its variation or game.
    Tail = 3,
    /// A line that begins with `%`, without it and without the line end.
    Escape = 4,
}

impl TextKind {
    /// Returns the kind with that number.
    pub const fn from_number(number: u8) -> Option<TextKind> {
        Some(match number {
            0 => TextKind::Brace,
            1 => TextKind::Line,
            2 => TextKind::Token,
            3 => TextKind::Tail,
            4 => TextKind::Escape,
            _ => return None,
        })
    }
}

/// How a game ended according to its movetext.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Outcome {
    /// `*`
    Unknown = 0,
    /// `0-1`
    BlackWins = 1,
    /// `1-0`
    WhiteWins = 2,
    /// `1/2-1/2`
    Draw = 3,
}

impl Outcome {
    /// Returns the PGN token.
    pub const fn token(self) -> &'static str {
        match self {
            Outcome::Unknown => "*",
            Outcome::BlackWins => "0-1",
            Outcome::WhiteWins => "1-0",
            Outcome::Draw => "1/2-1/2",
        }
    }

    /// Reads the PGN token.
    pub const fn from_token(token: &[u8]) -> Option<Outcome> {
        Some(match token {
            b"*" => Outcome::Unknown,
            b"0-1" => Outcome::BlackWins,
            b"1-0" => Outcome::WhiteWins,
            b"1/2-1/2" => Outcome::Draw,
            _ => return None,
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.token())
    }
}

/// Receives a game as events, in this order: the tag pairs; the start; the movetext; the result, if there is one.
///
/// Every variation that opens also closes. Moves are legal, or null.
pub trait Visitor {
    /// A tag pair, in its order, with escapes resolved.
    fn tag(&mut self, name: &[u8], value: &[u8]);
    /// The position before the first move; called once in every game, after the tags.
    fn start(&mut self, position: &Position);
    /// A move of the position `before`.
    fn play(&mut self, before: &Position, m: Move);
    /// `play`, where the move is known to be [plain](crate::chess::MoveKind::Plain), and whether it gives check.
    #[inline]
    fn play_plain(&mut self, before: &Position, m: Move, check: bool) {
        let _ = check;
        self.play(before, m);
    }
    /// A `!` (good) or `?` as written after a move.
    fn suffix(&mut self, good: bool);
    /// A numeric annotation glyph, `$0` to `$255`.
    fn nag(&mut self, nag: u8);
    /// A text at its place.
    fn text(&mut self, kind: TextKind, text: &[u8]);
    /// A variation opens: it replaces the last move.
    fn open(&mut self);
    /// The innermost variation closes.
    fn close(&mut self);
    /// The termination marker of the main line; not called where the movetext has none.
    fn outcome(&mut self, outcome: Outcome);
}

/// One event of a movetext.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A move, legal or null.
    Move(Move),
    /// `!` (true) or `?`.
    Suffix(bool),
    /// A numeric annotation glyph.
    Nag(u8),
    /// A text.
    Text(TextKind, String),
    /// A variation opens.
    Open,
    /// A variation closes.
    Close,
}

/// A game as a value: tags, start, movetext and result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    /// The tag pairs in their order, duplicates included.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Position,
    /// The movetext, the main line with everything in it.
    pub events: Vec<Event>,
    /// The termination marker, or `None` where the movetext has none.
    pub outcome: Option<Outcome>,
}

/// Why a [`Game`] is none, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameFault {
    /// The place in [`Game::events`], from 0.
    pub event: usize,
    /// What is wrong there.
    pub kind: GameFaultKind,
}

/// What can be wrong with the events of a [`Game`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameFaultKind {
    /// A move is not legal.
    Illegal(IllegalMove),
    /// A variation opens where there is no move that it could replace.
    NothingToReplace,
    /// A variation closes that is not open.
    NotOpen,
    /// A variation is still open at the end.
    NotClosed,
    /// A text holds a NUL byte, which no text can hold (FORMAT.md, "Brenner moves").
    NulByte,
}

impl fmt::Display for GameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {}: ", self.event)?;
        match self.kind {
            GameFaultKind::Illegal(illegal) => illegal.fmt(f),
            GameFaultKind::NothingToReplace => f.write_str("a variation without a move that it could replace"),
            GameFaultKind::NotOpen => f.write_str("a variation closes that is not open"),
            GameFaultKind::NotClosed => f.write_str("a variation that does not close"),
            GameFaultKind::NulByte => f.write_str("a text with a NUL byte"),
        }
    }
}

impl std::error::Error for GameFault {}

impl Game {
    /// Returns the value of the first tag of that name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Returns the moves of the main line.
    pub fn main_line(&self) -> impl Iterator<Item = Move> + '_ {
        let mut depth = 0usize;
        self.events.iter().filter_map(move |event| {
            match event {
                Event::Open => depth += 1,
                Event::Close => depth = depth.saturating_sub(1),
                Event::Move(m) if depth == 0 => return Some(*m),
                _ => {}
            }
            None
        })
    }

    /// Iterates over the moves of the main line, with the position before each.
    pub fn moves(&self) -> impl Iterator<Item = PlayedMove> + '_ {
        let mut now = self.start.clone();
        (1..).zip(self.main_line()).map(move |(ply, played)| {
            let before = now.clone();
            now.play_unchecked(played);
            PlayedMove { ply, played, before }
        })
    }

    /// Returns the comments, those in variations too, in their order.
    pub fn comments(&self) -> Vec<Comment> {
        self.notes().comments
    }

    /// Returns the clock after each ply of the main line, where a comment says it.
    pub fn clocks(&self) -> Vec<Option<Duration>> {
        self.notes().of_plies(Comment::clock)
    }

    /// Returns the evaluation after each ply of the main line, where a comment says it.
    pub fn evaluations(&self) -> Vec<Option<Evaluation>> {
        self.notes().of_plies(Comment::evaluation)
    }

    /// Returns the variations, those within others after them.
    pub fn variations(&self) -> Vec<Variation> {
        self.notes().variations
    }

    fn notes(&self) -> Notes {
        let mut notes = Notes::default();
        self.visit(&mut notes);
        notes
    }

    /// Returns why the game cannot be written, if so: a move that is not legal (null moves are), variations that are not well nested, or
    /// a NUL byte in a text. Tags are not checked.
    ///
    /// ```
    /// use scoresheet::Game;
    /// use scoresheet::chess::Move;
    /// use scoresheet::game::Event;
    ///
    /// let mut game = Game::default();
    /// game.events.push(Event::Move(game.start.parse_san(b"e4")?));
    /// assert!(game.check().is_ok());
    /// game.events.push(Event::Close);
    /// assert!(game.check().is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self) -> Result<(), GameFault> {
        let mut line = Line::new(self.start.clone(), true);
        let mut moved = vec![false];
        for (place, event) in self.events.iter().enumerate() {
            let fault = |kind| Err(GameFault { event: place, kind });
            match event {
                Event::Move(m) => {
                    if m.kind != MoveKind::Null
                        && let Err(illegal) = line.position().legality(*m)
                    {
                        return fault(GameFaultKind::Illegal(illegal));
                    }
                    line.play(*m);
                    moved.last_mut().into_iter().for_each(|moved| *moved = true);
                }
                Event::Open if moved.last() != Some(&true) => return fault(GameFaultKind::NothingToReplace),
                Event::Open => {
                    line.open();
                    moved.push(false);
                }
                Event::Close if moved.len() == 1 => return fault(GameFaultKind::NotOpen),
                Event::Close => {
                    line.close();
                    moved.pop();
                }
                Event::Text(_, text) if text.contains('\0') => return fault(GameFaultKind::NulByte),
                Event::Suffix(_) | Event::Nag(_) | Event::Text(..) => {}
            }
        }
        if moved.len() > 1 {
            return Err(GameFault { event: self.events.len(), kind: GameFaultKind::NotClosed });
        }
        Ok(())
    }

    /// Drives a visitor with this game. The moves must be legal, or null, and the variations well nested.
    pub fn visit(&self, visitor: &mut impl Visitor) {
        for (name, value) in &self.tags {
            visitor.tag(name.as_bytes(), value.as_bytes());
        }
        visitor.start(&self.start);
        let mut line = Line::new(self.start.clone(), self.events.contains(&Event::Open));
        for event in &self.events {
            match event {
                Event::Move(m) => {
                    visitor.play(line.position(), *m);
                    line.play(*m);
                }
                Event::Suffix(good) => visitor.suffix(*good),
                Event::Nag(nag) => visitor.nag(*nag),
                Event::Text(kind, text) => visitor.text(*kind, text.as_bytes()),
                Event::Open => {
                    line.open();
                    visitor.open();
                }
                Event::Close => {
                    line.close();
                    visitor.close();
                }
            }
        }
        if let Some(outcome) = self.outcome {
            visitor.outcome(outcome);
        }
    }
}

impl Visitor for Game {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        self.tags.push((text(name), text(value)));
    }

    fn start(&mut self, position: &Position) {
        self.start = position.clone();
    }

    fn play(&mut self, _: &Position, m: Move) {
        self.events.push(Event::Move(m));
    }

    fn suffix(&mut self, good: bool) {
        self.events.push(Event::Suffix(good));
    }

    fn nag(&mut self, nag: u8) {
        self.events.push(Event::Nag(nag));
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        self.events.push(Event::Text(kind, String::from_utf8_lossy(text).into_owned()));
    }

    fn open(&mut self) {
        self.events.push(Event::Open);
    }

    fn close(&mut self) {
        self.events.push(Event::Close);
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

/// The position while a movetext is walked, variations included: a variation goes back to before the last move.
///
/// Opening a variation costs one copy of a position and a place on a heap-held stack, so depth is bounded by memory alone.
pub(crate) struct Line {
    now: Position,
    before: Position,
    stack: Vec<(Position, Position)>,
    /// Whether the position before each move is kept.
    branches: bool,
}

impl Line {
    /// `branches`: whether a variation may open.
    pub(crate) fn new(start: Position, branches: bool) -> Line {
        Line { before: start.clone(), now: start, stack: Vec::new(), branches }
    }

    #[inline]
    pub(crate) fn position(&self) -> &Position {
        &self.now
    }

    pub(crate) fn play(&mut self, m: Move) {
        self.keep();
        self.now.play_unchecked(m);
    }

    fn keep(&mut self) {
        if self.branches {
            self.before.clone_from(&self.now);
        }
    }

    /// Plays a plain move as `Position::play_reaching` does; returns whether it is legal. `seen` is called before it is played.
    #[inline(always)]
    pub(crate) fn play_reaching<const BLACK: bool>(
        &mut self,
        m: Move,
        castling: u64,
        seen: impl FnOnce(&Position, Move, bool),
    ) -> bool {
        let Line { now, before, branches, .. } = self;
        let played = now.play_reaching::<BLACK>(m, castling, |position, check| {
            seen(position, m, check);
            if *branches {
                before.clone_from(position);
            }
        });
        played.is_some()
    }

    /// `play` for a promotion to a piece of given identity.
    pub(crate) fn play_as(&mut self, m: Move, promoted: Option<crate::chess::PieceId>) {
        self.keep();
        self.now.play_as(m, promoted);
    }

    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(crate) fn open(&mut self) {
        let before = self.before.clone();
        let now = std::mem::replace(&mut self.now, before.clone());
        self.stack.push((now, std::mem::replace(&mut self.before, before)));
    }

    /// Closes the innermost variation; does nothing where none is open.
    pub(crate) fn close(&mut self) {
        if let Some((now, before)) = self.stack.pop() {
            self.now = now;
            self.before = before;
        }
    }
}

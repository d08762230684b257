//! A game as an owned value, with all its events.

use super::analysis::{Analysis, AnalysisReader};
use super::events::{Event, Outcome, TextKind, Visitor};
use super::line::Line;
use super::notes::{Comment, Notes, Variation};
use super::played::PlayedMove;
use super::values::Evaluation;
use scoresheet_chess::fen::FenError;
use scoresheet_chess::{IllegalMove, Move, MoveKind, Position, Variant};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// An owned game: its tags, starting position, movetext and result. The default game starts from the standard position
/// and contains nothing else.
///
/// ```
/// use scoresheet_pgn::game::{Game, Outcome};
/// use scoresheet_pgn::{PgnWriter, ReadOptions, read_game};
///
/// let mut game = Game::default();
/// read_game(b"[White \"Tal\"]\n\n1. e4 e5 2. Nf3 (2. f4) 1-0", 0, &ReadOptions::default(), &mut game);
/// assert_eq!((game.tag("White"), game.outcome), (Some("Tal"), Some(Outcome::WhiteWins)));
/// let moves: Vec<String> = game.moves().map(|played| format!("{} {}", played.ply(), played.san())).collect();
/// assert_eq!(moves, ["1 e4", "2 e5", "3 Nf3"]);
/// let mut writer = PgnWriter::new();
/// writer.write(&game);
/// assert!(writer.as_bytes().ends_with(b"1. e4 e5 2. Nf3 (2. f4) 1-0\n\n"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    /// The tag pairs in order, including duplicates.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Position,
    /// The movetext: the main line with variations, texts and glyphs.
    pub events: Vec<Event>,
    /// The termination marker, or `None` if the movetext ends without one.
    pub outcome: Option<Outcome>,
}

/// The reason why a [`Game`] is invalid, with the location of the fault.
///
/// ```
/// use scoresheet_pgn::game::Game;
/// use scoresheet_pgn::game::{Event, GameFault, GameFaultKind};
///
/// let events = vec![Event::Nag(1), Event::Open]; // no move to replace
/// let game = Game { events, ..Game::default() };
/// assert_eq!(game.check(), Err(GameFault { event: 1, kind: GameFaultKind::NothingToReplace }));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameFault {
    /// The index of the faulty event in [`Game::events`], from 0.
    pub event: usize,
    /// The kind of the fault.
    pub kind: GameFaultKind,
}

/// The kind of a fault in the events of a [`Game`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameFaultKind {
    /// A move is not legal in its position.
    Illegal(IllegalMove),
    /// A variation opens without a preceding move that it could replace.
    NothingToReplace,
    /// A variation closes although none is open.
    NotOpen,
    /// A variation is still open at the end of the game.
    NotClosed,
    /// A text contains a NUL byte, which texts must not contain (FORMAT.md, "Brenner moves").
    NulByte,
}

impl fmt::Display for GameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {}: ", self.event)?;
        match self.kind {
            GameFaultKind::Illegal(illegal) => illegal.fmt(f),
            GameFaultKind::NothingToReplace => f.write_str("a variation without a move to replace"),
            GameFaultKind::NotOpen => f.write_str("a variation closes that is not open"),
            GameFaultKind::NotClosed => f.write_str("a variation that does not close"),
            GameFaultKind::NulByte => f.write_str("a text with a NUL byte"),
        }
    }
}

impl std::error::Error for GameFault {}

/// Returns the starting position that the tags Variant and FEN name, and whether the FEN states readable counters. The
/// games of Three-check, King of the Hill and Racing Kings start as games of chess.
#[doc(hidden)]
pub fn start_of_tags(variant: Option<Variant>, fen: Option<&[u8]>) -> Result<(Position, bool), FenError> {
    let variant = variant.unwrap_or_default();
    let (position, is_counted) = match fen {
        Some(fen) => Position::read_start_of(variant, fen)?,
        None => (variant.start(), true),
    };
    let is_chess = variant.is_chess_that_ends_early();
    Ok((if is_chess { position.with_variant(variant.of_moves()) } else { position }, is_counted))
}

/// Returns a starting position as archives store it: with the rules that the first tag Variant names, if the position has
/// those of chess, and with the rules of chess for variants that only end early. Also returns the variant that a tag
/// must be added for, because only the position has its rules.
///
/// Errors: the tag names other rules than those of the position, and is returned.
#[doc(hidden)]
pub fn stored_start(start: &Position, named: Option<Variant>) -> Result<(Cow<'_, Position>, Option<Variant>), Variant> {
    let of_position = Some(start.variant()).filter(|rules| *rules != Variant::Chess);
    if let (Some(rules), Some(named)) = (of_position, named)
        && rules != named
    {
        return Err(named);
    }
    let rules = of_position.or(named).unwrap_or_default();
    let stored = match rules != start.variant() && start.is_usual_start() {
        true => Cow::Owned(rules.start().with_variant(rules.of_moves())),
        false if rules.of_moves() == start.variant() => Cow::Borrowed(start),
        false => Cow::Owned(start.clone().with_variant(rules.of_moves())),
    };
    Ok((stored, of_position.filter(|_| named.is_none())))
}

/// Returns a starting position with the rules of a variant. `fen` is the tag FEN.
#[doc(hidden)]
pub fn start_by_rules(start: &Position, variant: Variant, fen: Option<&str>) -> Position {
    if variant == start.variant() {
        return start.clone();
    }
    let mut by_rules = start.clone().with_variant(variant);
    let read = fen.and_then(|fen| Position::read_start_of(variant, fen.as_bytes()).ok());
    if let Some((position, _)) = read {
        by_rules.set_extra(position.extra());
    }
    by_rules
}

/// Returns the SAN of a move as in PGN and archives: in Three-check, King of the Hill and Racing Kings, it is that of
/// chess.
#[doc(hidden)]
pub fn stored_san(position: &Position, m: Move) -> String {
    let rules = position.variant().of_moves();
    if rules == position.variant() { position.san(m) } else { position.clone().with_variant(rules).san(m) }
}

impl Game {
    /// Returns the value of the first tag with this name, if any.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// Returns the rules of the game: those of its moves, or Three-check, King of the Hill or Racing Kings if the tag
    /// Variant names them. The moves of these three are moves of chess.
    pub fn variant(&self) -> Variant {
        let of_moves = self.start.variant();
        let named = || self.tag("Variant").and_then(Variant::early_end_from_tag);
        if of_moves == Variant::Chess { named().unwrap_or_default() } else { of_moves }
    }

    /// Returns the game with the starting position and the tag Variant that archives store.
    ///
    /// Errors: the reason why it cannot be stored: the tag Variant names other rules than those of the position, or a
    /// variant that is not supported; a value has a line end; or the fault that [`Game::check`] finds.
    #[doc(hidden)]
    pub fn as_stored(&self) -> Result<Cow<'_, Game>, String> {
        let unknown = |name: &str| format!("a variant of chess that is not supported: [Variant {name:?}]");
        let named = self.tag("Variant").map(|name| Variant::from_tag(name).ok_or_else(|| unknown(name))).transpose()?;
        if let Some((name, _)) = self.tags.iter().find(|(_, value)| value.contains(['\r', '\n'])) {
            return Err(format!("the value of the tag {name} has a line end"));
        }
        let (start, added) = stored_start(&self.start, named).map_err(|named| {
            format!("the tag Variant names {named}, but the moves are those of {}", self.start.variant())
        })?;
        let stored = if matches!(start, Cow::Borrowed(_)) && added.is_none() {
            Cow::Borrowed(self)
        } else {
            let mut stored = Game { start: start.into_owned(), ..self.clone() };
            stored.tags.extend(added.map(|variant| ("Variant".to_owned(), variant.to_string())));
            Cow::Owned(stored)
        };
        stored.check().map_err(|fault| fault.to_string())?;
        Ok(stored)
    }

    /// Returns the starting position with the rules of [`Game::variant`]. In Three-check, it states the checks that the
    /// tag FEN counts.
    pub fn start_by_rules(&self) -> Position {
        start_by_rules(&self.start, self.variant(), self.tag("FEN"))
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

    /// Iterates over the moves of the main line, each with the position before it.
    pub fn moves(&self) -> impl Iterator<Item = PlayedMove> + '_ {
        let (mut now, chess960) = (self.start.clone(), self.start.is_chess960());
        (1..).zip(self.main_line()).map(move |(ply, played)| {
            let before = now.clone();
            now.play_unchecked(played);
            PlayedMove { ply, played, before, chess960 }
        })
    }

    /// Returns the comments in order, including comments in variations.
    pub fn comments(&self) -> Vec<Comment> {
        self.notes().comments
    }

    /// Returns the clock time after each ply of the main line, or `None` for a ply without one. If all clocks have two
    /// fields, the tag TimeControl decides whether they are hours and minutes, or minutes and seconds.
    pub fn clocks(&self) -> Vec<Option<Duration>> {
        self.notes().clocks(self.tag("TimeControl").map(str::as_bytes))
    }

    /// Returns the evaluation after each ply of the main line, or `None` for a ply without one.
    pub fn evaluations(&self) -> Vec<Option<Evaluation>> {
        self.notes().of_plies(Comment::evaluation)
    }

    /// Returns the engine analysis of the main line, written by any program, by ply. Moves without analysis are
    /// omitted.
    pub fn analysis(&self) -> Vec<Analysis> {
        let mut all = Vec::new();
        self.visit(&mut AnalysisReader::new(false, |analysis: Analysis, _| analysis.add_to(&mut all)));
        all
    }

    /// Returns the variations. Nested variations follow the variation that contains them.
    pub fn variations(&self) -> Vec<Variation> {
        self.notes().variations
    }

    pub(super) fn notes(&self) -> Notes {
        let mut notes = Notes::default();
        self.visit(&mut notes);
        notes
    }

    /// Returns the reason why the game cannot be written, if any: an illegal move (null moves are allowed), or
    /// variations that are not properly nested.
    ///
    /// ```
    /// use scoresheet_pgn::game::Game;
    /// use scoresheet_chess::Move;
    /// use scoresheet_pgn::game::Event;
    ///
    /// let mut game = Game::default();
    /// game.events.push(Event::Move(game.start.parse_san("e4")?));
    /// assert!(game.check().is_ok());
    /// game.events.push(Event::Close);
    /// assert!(game.check().is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self) -> Result<(), GameFault> {
        let mut line = Line::new(self.start.clone(), true);
        let mut moved = vec![false];
        for (index, event) in self.events.iter().enumerate() {
            let fault = |kind| Err(GameFault { event: index, kind });
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

    /// Passes this game to a visitor. Each move must be legal or the null move, and the variations must be properly
    /// nested.
    pub fn visit(&self, visitor: &mut impl Visitor) {
        for (name, value) in &self.tags {
            visitor.tag(name.as_bytes(), value.as_bytes());
        }
        self.visit_moves(visitor);
    }

    /// Passes the game to a visitor like `visit`, but without the tags.
    pub fn visit_moves(&self, visitor: &mut impl Visitor) {
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

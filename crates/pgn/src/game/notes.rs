//! The comments of a game, with clocks and evaluations, and its variations.

use super::control::time_control;
use super::engine::{EngineNote, commands};
use super::events::{TextKind, Visitor};
use super::values::{Evaluation, duration};
use scoresheet_chess::{Color, Move, Position};
use std::time::Duration;

/// A comment in a game.
///
/// ```
/// use scoresheet_pgn::game::{Comment, Evaluation};
///
/// # let mut game = scoresheet_pgn::game::Game::default();
/// # let pgn = b"1. e4 {[%clk 0:03:00] [%eval 0.35] main} e5 (1... c5 {+0.4/12 3s}) *";
/// # scoresheet_pgn::read_game(pgn, 0, &Default::default(), &mut game);
/// // 1. e4 {[%clk 0:03:00] [%eval 0.35] main} e5 (1... c5 {+0.4/12 3s}) *
/// let comments: Vec<Comment> = game.comments();
/// assert_eq!((comments[0].ply, comments[0].depth, comments[0].command("clk")), (1, 0, Some("0:03:00")));
/// assert_eq!(comments[0].clock().map(|clock| clock.as_secs()), Some(180));
/// assert_eq!(comments[0].evaluation(), Some(Evaluation::Centipawns(35)));
/// assert_eq!((comments[1].ply, comments[1].depth), (2, 1));
/// let variations = game.variations();
/// assert_eq!((variations[0].ply, variations[0].sans()), (2, vec!["c5".to_owned()]));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// The number of plies in the line before the comment: 3 for a comment after ply 3, 0 for a comment before the
    /// first move.
    pub ply: u32,
    /// The nesting depth in variations: 0 for the main line.
    pub depth: u32,
    /// The text of the comment, without braces or `;`.
    pub text: String,
    /// The player of the move before the comment, or `None` before the first move.
    pub mover: Option<Color>,
}

impl Comment {
    /// Returns the value of a command in the comment, such as `0:03:00` for `clk` in `[%clk 0:03:00]`. If the command
    /// occurs several times, returns the first value.
    pub fn command(&self, name: &str) -> Option<&str> {
        commands(&self.text).find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns the engine values for the move, written by any program.
    ///
    /// ```
    /// use scoresheet_chess::Color;
    /// use scoresheet_pgn::game::{Comment, EngineNote, Evaluation};
    ///
    /// let text = "-0.28/21 2s".to_owned(); // from the mover's point of view
    /// let comment = Comment { ply: 2, depth: 0, text, mover: Some(Color::Black) };
    /// let note: EngineNote<'_> = comment.engine();
    /// assert_eq!((note.evaluation, note.depth), (Some(Evaluation::Centipawns(28)), Some(21)));
    /// assert_eq!(note.time.map(|time| time.as_secs()), Some(2));
    /// ```
    pub fn engine(&self) -> EngineNote<'_> {
        EngineNote::read(&self.text, self.mover)
    }

    /// Returns the player's remaining time after the move, from the command `clk` or from engine values. Reads two
    /// fields as minutes and seconds; [`Game::clocks`](super::Game::clocks) decides this for all clocks of a game.
    pub fn clock(&self) -> Option<Duration> {
        self.command("clk").and_then(duration).or_else(|| self.engine().time_left)
    }

    /// Returns the time used for the move, from the command `emt` or from engine values.
    pub fn elapsed(&self) -> Option<Duration> {
        self.command("emt").and_then(duration).or_else(|| self.engine().time)
    }

    /// Returns the evaluation of the position after the move, from the command `eval` or from engine values.
    pub fn evaluation(&self) -> Option<Evaluation> {
        self.engine().evaluation
    }
}

/// A variation, whose moves replace moves of another line.
///
/// [`Comment`] has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variation {
    /// The ply of the move that the variation's first move replaces, from 1.
    pub ply: u32,
    /// The nesting depth: 1 for a variation of the main line, 2 for a variation within such a variation, and so on.
    pub depth: u32,
    /// The position before the variation's first move, or `None` if the variation contains no moves.
    pub start: Option<Position>,
    /// The moves of the variation, without nested variations.
    pub moves: Vec<Move>,
}

impl Variation {
    /// Returns the moves of the variation in standard algebraic notation.
    pub fn sans(&self) -> Vec<String> {
        let Some(mut position) = self.start.clone() else { return Vec::new() };
        let mut sans = Vec::with_capacity(self.moves.len());
        for m in &self.moves {
            sans.push(position.san(*m));
            position.play_unchecked(*m);
        }
        sans
    }
}

/// A visitor that collects comments and variations.
#[derive(Default)]
#[doc(hidden)]
pub struct Notes {
    pub comments: Vec<Comment>,
    pub variations: Vec<Variation>,
    /// The number of plies in the main line.
    pub plies: u32,
    /// The indexes of the open variations, each with the ply at which it left the enclosing line.
    open: Vec<(usize, u32)>,
    /// The current ply within the current line.
    ply: u32,
    /// The player who made the last move.
    mover: Option<Color>,
}

impl Notes {
    /// Returns, for each ply of the main line, the value that `read` finds in the comments on this ply.
    pub fn of_plies<T: Clone>(&self, read: impl Fn(&Comment) -> Option<T>) -> Vec<Option<T>> {
        let mut values = vec![None; self.plies as usize];
        for comment in self.comments.iter().filter(|comment| comment.depth == 0) {
            let index = comment.ply.checked_sub(1).map(|index| index as usize);
            if let Some(value) = index.and_then(|index| values.get_mut(index)).filter(|value| value.is_none()) {
                *value = read(comment);
            }
        }
        values
    }
}

impl Notes {
    /// Returns the clock after each ply of the main line, for the time control in the tag TimeControl.
    ///
    /// Some programs write hours and minutes. If all clocks have two fields, they are hours and minutes if the first one
    /// would otherwise be below a tenth of the base time. Without a base time, they are unknown.
    pub fn clocks(&self, control: Option<&[u8]>) -> Vec<Option<Duration>> {
        let mut clocks = self.of_plies(Comment::clock);
        let mut texts =
            self.comments.iter().filter(|comment| comment.depth == 0).filter_map(|comment| comment.command("clk"));
        let has_two_fields = |text: &str| text.bytes().filter(|byte| *byte == b':').count() == 1;
        let Some(first) = clocks.iter().flatten().next().copied() else { return clocks };
        if texts.clone().next().is_none() || !texts.all(has_two_fields) {
            return clocks;
        }
        let base = control.and_then(time_control).map(|(base, _)| base).filter(|base| !base.is_zero());
        for clock in &mut clocks {
            *clock = match base {
                Some(base) if first < base / 10 => clock.map(|clock| clock * 60),
                Some(_) => *clock,
                None => None,
            };
        }
        clocks
    }
}

impl Visitor for Notes {
    fn play(&mut self, before: &Position, m: Move) {
        self.ply += 1;
        self.mover = Some(before.turn());
        match self.open.last().and_then(|(index, _)| self.variations.get_mut(*index)) {
            Some(variation) => {
                variation.start.get_or_insert_with(|| before.clone());
                variation.moves.push(m);
            }
            None => self.plies = self.ply,
        }
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        if matches!(kind, TextKind::Brace | TextKind::Line) {
            let text = String::from_utf8_lossy(text).into_owned();
            self.comments.push(Comment { ply: self.ply, depth: self.open.len() as u32, text, mover: self.mover });
        }
    }

    fn open(&mut self) {
        self.open.push((self.variations.len(), self.ply));
        let depth = self.open.len() as u32;
        self.variations.push(Variation { ply: self.ply, depth, start: None, moves: Vec::new() });
        self.ply = self.ply.saturating_sub(1);
    }

    fn close(&mut self) {
        if let Some((_, ply)) = self.open.pop() {
            self.ply = ply;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(text: &str) -> Comment {
        Comment { ply: 1, depth: 0, text: text.to_owned(), mover: Some(Color::White) }
    }

    #[test]
    fn commands_are_read() {
        let both = comment("good [%eval 0.35] [%clk 0:03:00] move");
        assert_eq!(both.command("clk"), Some("0:03:00"));
        assert_eq!(both.clock(), Some(Duration::from_secs(180)));
        assert_eq!(both.evaluation(), Some(Evaluation::Centipawns(35)));
        assert_eq!(both.elapsed(), None);
        assert_eq!(comment("[%clkc 0:01:00]").clock(), None);
        assert_eq!(comment("wrapped [%clk\n1:57:03]").clock(), Some(Duration::from_secs(7023)));
        assert_eq!(comment("[%clk 1:02:03.4]").clock(), Some(Duration::from_millis(3_723_400)));
        assert_eq!(comment("[%emt 0:00:07]").elapsed(), Some(Duration::from_secs(7)));
        assert_eq!(comment("[%eval #-3]").evaluation(), Some(Evaluation::Mate(-3)));
        assert_eq!(comment("[%eval -1.25,22]").evaluation(), Some(Evaluation::Centipawns(-125)));
        for text in ["[%clk", "[%clk ]", "[%clk x]", "[%clk 1:2:3:4]", "[%eval ]", "[%eval inf]", "[% clk 1]", "clk 1"]
        {
            assert_eq!((comment(text).clock(), comment(text).evaluation()), (None, None), "{text}");
        }
    }
}

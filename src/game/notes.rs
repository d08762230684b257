//! What stands beside the moves of a game: comments with their clocks and evaluations, and variations.

use super::engine::{EngineNote, commands};
use super::events::{Outcome, TextKind, Visitor};
use super::values::{Evaluation, duration};
use crate::chess::{Color, Move, Position};
use std::time::Duration;

/// A comment of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// The plies of its line before it: a comment after ply 3 has 3, one before the first move 0.
    pub ply: u32,
    /// How deep in variations it stands: 0 for the main line.
    pub depth: u32,
    /// Its text, without braces or `;`.
    pub text: String,
    /// Who has made the move before it; `None` before the first.
    pub mover: Option<Color>,
}

impl Comment {
    /// Returns the value of a command in the comment: `0:03:00` of `clk` in `[%clk 0:03:00]`; the first, if there are
    /// several.
    pub fn command(&self, name: &str) -> Option<&str> {
        commands(&self.text).find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Returns what an engine says of the move, whatever program wrote it.
    pub fn engine(&self) -> EngineNote<'_> {
        EngineNote::read(&self.text, self.mover)
    }

    /// Returns what was left on the player's clock after the move, by the command `clk` or as engines write it.
    pub fn clock(&self) -> Option<Duration> {
        self.command("clk").and_then(duration).or_else(|| self.engine().time_left)
    }

    /// Returns the time that the move took, by the command `emt` or as engines write it.
    pub fn elapsed(&self) -> Option<Duration> {
        self.command("emt").and_then(duration).or_else(|| self.engine().time)
    }

    /// Returns an engine's evaluation of the position after the move, by the command `eval` or as engines write it.
    pub fn evaluation(&self) -> Option<Evaluation> {
        self.engine().evaluation
    }
}

/// A variation: other moves than those of the line that it leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variation {
    /// The ply that its first move takes the place of, from 1.
    pub ply: u32,
    /// How deep it is: 1 for a variation of the main line, 2 for one within such a variation, and so on.
    pub depth: u32,
    /// The position before its first move; `None` where it has no moves.
    pub start: Option<Position>,
    /// Its moves, without those of variations within it.
    pub moves: Vec<Move>,
}

impl Variation {
    /// Returns its moves in standard algebraic notation.
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

/// A visitor that keeps what stands beside the moves.
#[derive(Default)]
pub(crate) struct Notes {
    pub comments: Vec<Comment>,
    pub variations: Vec<Variation>,
    /// The plies of the main line.
    pub plies: u32,
    /// The variations that are open, by their places, and the ply of the line that each has left.
    open: Vec<(usize, u32)>,
    /// The ply of the current line.
    ply: u32,
    /// Who has made the last move.
    mover: Option<Color>,
}

impl Notes {
    /// Returns for each ply of the main line what `read` finds in the comments after it.
    pub fn of_plies<T: Clone>(&self, read: impl Fn(&Comment) -> Option<T>) -> Vec<Option<T>> {
        let mut values = vec![None; self.plies as usize];
        for comment in self.comments.iter().filter(|comment| comment.depth == 0) {
            let place = comment.ply.checked_sub(1).map(|place| place as usize);
            if let Some(value) = place.and_then(|place| values.get_mut(place)).filter(|value| value.is_none()) {
                *value = read(comment);
            }
        }
        values
    }
}

impl Visitor for Notes {
    fn tag(&mut self, _: &[u8], _: &[u8]) {}

    fn start(&mut self, _: &Position) {}

    fn play(&mut self, before: &Position, m: Move) {
        self.ply += 1;
        self.mover = Some(before.turn());
        match self.open.last().and_then(|(place, _)| self.variations.get_mut(*place)) {
            Some(variation) => {
                variation.start.get_or_insert_with(|| before.clone());
                variation.moves.push(m);
            }
            None => self.plies = self.ply,
        }
    }

    fn suffix(&mut self, _: bool) {}

    fn nag(&mut self, _: u8) {}

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

    fn outcome(&mut self, _: Outcome) {}
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

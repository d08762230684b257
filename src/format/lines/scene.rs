//! The place of a comment in a game, where its lines begin.

use super::board::LineBoard;
use crate::chess::{Color, Move, Position};
use crate::turned::board::TurnedMove;
use std::cell::OnceCell;

/// The move to which a comment belongs, and the position before this move. A comment may contain several lines, so
/// their boards are made once.
#[derive(Debug)]
pub(crate) struct Scene {
    before: Position,
    played: Move,
    /// The board before the move, and the board after it.
    boards: [OnceCell<Option<LineBoard>>; 2],
}

impl Scene {
    pub(crate) fn new(before: Position, played: Move) -> Scene {
        Scene { before, played, boards: Default::default() }
    }

    /// Returns the board at the beginning of a line, before or after the commented move. Returns `None` for a null move, which has no lines, and for
    /// positions that the board cannot represent.
    pub(super) fn board(&self, is_after: bool) -> Option<&LineBoard> {
        let [before, after] = &self.boards;
        let of_comment = || if self.played == Move::NULL { None } else { LineBoard::new(&self.before) };
        let first = before.get_or_init(of_comment).as_ref()?;
        if !is_after {
            return Some(first);
        }
        let played = || {
            let (mut at, step) = (*first, first.step(self.played));
            at.is_legal(step).then(|| {
                at.play(step);
                at
            })
        };
        after.get_or_init(played).as_ref()
    }

    /// Returns the move that was played at the beginning of a line, which is likely to be its first move.
    pub(super) fn first(&self, is_after: bool, at: &LineBoard) -> Option<TurnedMove> {
        (!is_after).then(|| at.step(self.played))
    }

    /// Returns the move number at the beginning of a line.
    pub(super) fn number(&self, is_after: bool) -> u32 {
        self.before.fullmove_number() + u32::from(is_after && self.before.turn() == Color::Black)
    }
}

//! Codes the lines in all texts of a game as one range-coded string.

use super::board::LineBoard;
use super::model::Model;
use super::notation::{LineField, LineWriter};
use crate::chess::{Move, Position};
use crate::format::coder::range::{Coder, RangeDecoder, RangeEncoder};
use crate::turned::board::TurnedMove;

/// An element of a line, as passed to `seen`.
enum Seen<'a> {
    /// A move, together with the board before it.
    Move(&'a LineBoard, TurnedMove),
    /// The check or mate mark of the previous move.
    Mark(u8),
}

/// Codes a line of moves. `next` returns the next move of an encoder, and whether the move is marked as checkmate.
///
/// `seen` receives each move in order. If the line has check marks, it also receives `+` or `#` after each move that
/// gives check. Returns `None` at the first illegal move.
#[inline(always)]
fn code(
    model: &mut Model,
    coder: &mut impl Coder,
    field: LineField,
    (before, played): (&Position, Move),
    moves: usize,
    mut next: impl FnMut(usize) -> (TurnedMove, bool),
    mut seen: impl FnMut(Seen),
) -> Option<()> {
    if moves == 0 {
        return Some(());
    }
    let mut at = LineBoard::of_comment(before, played)?;
    let mut first = Some(at.step(played));
    if field.is_after() {
        if !at.is_legal(first?) {
            return None;
        }
        at.play(first?);
        first = None;
    }
    model.enter(moves);
    let mut streak = 0;
    for number in 0..moves {
        let (step, mates) = next(number);
        let step = model.code(coder, &at, first.take(), &mut streak, step)?;
        // A predicted move may be impossible in this position, so it is checked completely.
        if if streak > 0 { !at.is_legal(step) } else { !at.is_allowed(step) } {
            return None;
        }
        seen(Seen::Move(&at, step));
        at.play(step);
        if field.has_marks() && at.checkers != 0 {
            seen(Seen::Mark(if model.mate(coder, mates) { b'#' } else { b'+' }));
        }
    }
    Some(())
}

/// Writes the lines in the texts of a game.
pub(crate) struct LineEncoder {
    model: Model,
    coder: RangeEncoder,
}

impl LineEncoder {
    pub(crate) fn new() -> LineEncoder {
        LineEncoder { model: Model::new(), coder: RangeEncoder::new() }
    }

    /// Writes a line that [`read_line`](super::read_line) has parsed in the same position.
    #[expect(clippy::indexing_slicing, reason = "indices are below the number of moves")]
    pub(crate) fn write(
        &mut self,
        field: LineField,
        scene: (&Position, Move),
        moves: &[(TurnedMove, bool)],
    ) -> Option<()> {
        code(&mut self.model, &mut self.coder, field, scene, moves.len(), |number| moves[number], |_| {})
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.coder.finish()
    }
}

/// Reads the lines in the texts of a game.
pub(crate) struct LineDecoder<'a> {
    model: Model,
    coder: RangeDecoder<'a>,
}

impl<'a> LineDecoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> LineDecoder<'a> {
        LineDecoder { model: Model::new(), coder: RangeDecoder::new(bytes) }
    }

    /// Reads a line of `moves` moves and appends its text. `scene` contains the commented move and the position before
    /// it. Returns `None` if the line contains an illegal move.
    pub(crate) fn read(
        &mut self,
        field: LineField,
        scene: (&Position, Move),
        moves: usize,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let number =
            scene.0.fullmove_number() + u32::from(field.is_after() && scene.0.turn() == crate::chess::Color::Black);
        let mut writer = LineWriter::new(field, number);
        let none = |_| (TurnedMove::default(), false);
        code(&mut self.model, &mut self.coder, field, scene, moves, none, |seen| match seen {
            Seen::Move(at, step) => writer.push(at, step, out),
            Seen::Mark(mark) => out.push(mark),
        })
    }
}

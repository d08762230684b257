//! Codes the lines in all texts of a game as one range-coded string.

use super::model::Model;
use super::notation::{LineField, LineMove, LineWriter};
use super::scene::Scene;
use crate::format::coder::range::{RangeDecoder, RangeEncoder};
use crate::turned::board::TurnedMove;

/// Writes the lines in the texts of a game.
pub(crate) struct LineEncoder {
    model: Model,
    coder: RangeEncoder,
}

impl LineEncoder {
    pub(crate) fn new() -> LineEncoder {
        LineEncoder { model: Model::new(), coder: RangeEncoder::new() }
    }

    /// Writes a line that [`read_line`](super::read_line) has parsed in the same scene.
    pub(crate) fn write(&mut self, field: LineField, scene: &Scene, line: &[LineMove]) -> Option<()> {
        let LineEncoder { model, coder } = self;
        let Some(mut at) = scene.board(field.is_after()).filter(|_| !line.is_empty()) else {
            return line.is_empty().then_some(());
        };
        let mut first = scene.first(field.is_after(), at);
        model.enter(line.len());
        let mut streak = 0;
        for played in line {
            model.code(coder, at, first.take(), &mut streak, played.step)?;
            at = &played.after;
            if field.has_marks() && at.checkers != 0 {
                model.mate(coder, played.mates);
            }
        }
        Some(())
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

    /// Reads a line of `moves` moves and appends its text. Returns `None` if the line contains an illegal move.
    pub(crate) fn read(&mut self, field: LineField, scene: &Scene, moves: usize, out: &mut Vec<u8>) -> Option<()> {
        if moves == 0 {
            return Some(());
        }
        let LineDecoder { model, coder } = self;
        let mut at = *scene.board(field.is_after())?;
        let mut first = scene.first(field.is_after(), &at);
        let mut writer = LineWriter::new(field, scene.number(field.is_after()));
        model.enter(moves);
        let mut streak = 0;
        for _ in 0..moves {
            let step = model.code(coder, &at, first.take(), &mut streak, TurnedMove::default())?;
            // A predicted move may be impossible in this position, so it is checked completely.
            if if streak > 0 { !at.is_legal(step) } else { !at.is_allowed(step) } {
                return None;
            }
            writer.push(&at, step, out);
            at.play(step);
            if field.has_marks() && at.checkers != 0 {
                out.push(if model.mate(coder, false) { b'#' } else { b'+' });
            }
        }
        Some(())
    }
}

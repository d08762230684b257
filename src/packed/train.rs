//! The interface through which the trainer and tests use the coder. It is not part of the library's public interface.

use crate::chess::{Move, Position};
use crate::game::Outcome;

pub use super::model::features::{FIRST_SURPRISE, MOST_SURPRISE};
pub use super::model::{book, features};
pub use super::moves::{board, scene};
pub use super::stream::{decode_with, encode_with};

use super::coder::line::GameLine;
use super::coder::{kind, plain};
use super::model::{ENDS, Model, Prices, SLACKS};
use super::moves::board::{TurnedBoard, TurnedMove};
use super::moves::scene::{History, Past};

/// The weights.
pub mod model {
    pub use crate::packed::model::*;
}

/// Calls `see` at each ply with the player's class of surprise, the scores of the moves, and the index of the played
/// move.
pub fn trace(model: &Model, start: &Position, moves: &[Move], mut see: impl FnMut(usize, &[i32], usize)) -> Option<()> {
    let mut line = GameLine::new(model, start)?;
    let mut prices = Prices::new();
    for &m in moves {
        if !line.price(&mut prices) {
            return None;
        }
        let step = TurnedBoard::step(m, line.position.turn());
        let (at, _) = prices.find(step)?;
        see(line.surprise_class(), prices.scores(), at);
        line.play(m, step, &prices, at);
    }
    Some(())
}

/// Calls `see` for each end flag in a packed game, with the flag's context, the index of its slack bits, and its value.
pub fn ends(
    model: &Model,
    start: &Position,
    moves: &[Move],
    outcome: Outcome,
    mut see: impl FnMut(usize, usize, bool),
) {
    plain::encode(model, start, moves, outcome, &mut see, &mut Vec::new());
}

/// Returns the legal moves after a line, in coding order, each with its score and frequency.
pub fn priced(model: &Model, start: &Position, moves: &[Move]) -> Option<Vec<(TurnedMove, i32, u32)>> {
    let mut line = GameLine::new(model, start)?;
    let mut prices = Prices::new();
    for &m in moves {
        let step = TurnedBoard::step(m, line.position.turn());
        let at = line.price(&mut prices).then(|| prices.find(step))??.0;
        line.play(m, step, &prices, at);
    }
    if !line.price(&mut prices) {
        return None;
    }
    let rows = prices.steps.iter().zip(prices.scores()).zip(&prices.frequencies);
    Some(rows.map(|((step, score), frequency)| (*step, *score, *frequency)).collect())
}

/// Returns the start and the frequency of the interval for a kind of game.
pub fn kind_interval(model: &Model, kind: usize) -> (u32, u32) {
    kind::kind_interval(model, kind)
}

/// Returns the probability that a game ends, in 65536ths, by context and index of the slack bits.
#[expect(clippy::indexing_slicing, reason = "contexts and slacks are limited to the tables")]
pub fn end_frequency(model: &Model, context: usize, slack: usize) -> u32 {
    u32::from(model.ends[context % ENDS][slack % SLACKS])
}

/// Plays a move on a board, and updates the history.
pub fn play(board: &mut TurnedBoard, history: &mut History, m: Move, turn: crate::chess::Color, gap: u16) {
    let step = TurnedBoard::step(m, turn);
    let past = Past { role: board.role(step.from), from: step.from, to: board.arrival(step), took: board.takes(step) };
    board.play(step, |_, _, _, _| {});
    let before = i32::from(history.surprise[0]);
    history.surprise[0] = (before + ((i32::from(gap.min(MOST_SURPRISE)) - before) >> 4)) as u16;
    history.passed(Some(past));
}

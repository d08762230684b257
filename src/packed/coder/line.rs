//! The state of a game while it is coded: the position, the board, the accumulators of the policy head, and the
//! history.

use super::intervals::Intervals;
use super::range::RangeDecoder;
use crate::brenner::encode::push_move;
use crate::chess::{Color, Move, Position};
use crate::game::Outcome;
use crate::packed::model::book::NO_NODE;
use crate::packed::model::features::FIRST_SURPRISE;
use crate::packed::model::{Model, Prices, Units};
use crate::packed::moves::board::{TurnedBoard, TurnedMove};
use crate::packed::moves::scene::{History, Past};
use std::sync::LazyLock;

static STANDARD_BOARD: LazyLock<Option<TurnedBoard>> = LazyLock::new(|| TurnedBoard::new(&Position::standard()));

/// A line of moves, at one of its plies.
#[derive(Clone)]
pub(crate) struct GameLine<'m> {
    model: &'m Model,
    pub(crate) position: Position,
    pub(crate) board: TurnedBoard,
    /// The accumulators of the policy head, first from the point of view of the player to move, then of the opponent.
    units: [Units; 2],
    history: History,
    /// The node of the opening book that the line has reached.
    node: u32,
}

impl<'m> GameLine<'m> {
    /// Returns a line at its starting position. Returns `None` unless each side has exactly one king.
    pub(crate) fn new(model: &'m Model, start: &Position) -> Option<GameLine<'m>> {
        let board = TurnedBoard::new(start)?;
        let mut units = [model.bias(); 2];
        for square in 0..64 {
            for (is_own, pieces) in [(true, &board.us), (false, &board.them)] {
                if let Some(role) = pieces.iter().position(|set| set >> square & 1 != 0) {
                    model.update_piece(&mut units[0], true, is_own, role as u8, square);
                    model.update_piece(&mut units[1], true, !is_own, role as u8, square ^ 56);
                }
            }
        }
        let history = History { surprise: [FIRST_SURPRISE; 2], ..History::default() };
        let node = if STANDARD_BOARD.as_ref() == Some(&board) { model.book.root() } else { NO_NODE };
        Some(GameLine { model, position: start.clone(), board, units, history, node })
    }

    /// Prices the legal moves. Returns false if there are too many legal moves.
    #[inline]
    pub(crate) fn price(&self, prices: &mut Prices) -> bool {
        self.model.price((&self.board, &self.history), &self.units[0], self.node, prices)
    }

    /// Prices the moves like `price`, but without special processor instructions.
    #[cfg(test)]
    pub(crate) fn price_portable(&self, prices: &mut Prices) -> bool {
        self.model.price_portable((&self.board, &self.history), &self.units[0], self.node, prices)
    }

    /// Plays a move, given its index `at` in `prices`.
    #[inline]
    pub(crate) fn play(&mut self, m: Move, step: TurnedMove, prices: &Prices, at: usize) {
        let past = Past {
            role: self.board.role(step.from),
            from: step.from,
            to: self.board.arrival(step),
            took: self.board.takes(step),
        };
        self.node = self.model.book.follow(self.node, step);
        self.position.play_unchecked(m);
        let [us, them] = &mut self.units;
        self.board.play(step, |enters, is_own, role, square| {
            self.model.update_piece(us, enters, is_own, role, square);
            self.model.update_piece(them, enters, !is_own, role, square ^ 56);
        });
        self.history.surprise[0] = prices.surprise(at, self.history.surprise[0]);
        self.turn(Some(past));
    }

    /// Writes a move with the frequencies of `prices`, and plays it. Returns `None` if the move is not in `prices`.
    #[expect(clippy::indexing_slicing, reason = "`at` is the index of a legal move")]
    pub(crate) fn write_move(&mut self, m: Move, prices: &Prices, intervals: &mut Intervals) -> Option<()> {
        let step = TurnedBoard::step(m, self.position.turn());
        let (at, from) = prices.find(step)?;
        intervals.push(from, prices.frequencies[at], prices.total);
        self.play(m, step, prices, at);
        Some(())
    }

    /// Reads a move with the frequencies of `prices`, appends its Brenner bytes, and plays it.
    #[expect(clippy::indexing_slicing, reason = "`at` is the index of a legal move")]
    pub(crate) fn read_move(&mut self, prices: &Prices, decoder: &mut RangeDecoder, out: &mut Vec<u8>) {
        let (at, from) = prices.at(decoder.peek(prices.total));
        decoder.take(from, prices.frequencies[at]);
        let step = prices.steps[at];
        let m = self.board.to_move(step, self.position.turn());
        push_move(&self.position, m, out);
        self.play(m, step, prices, at);
    }

    /// Plays the null move.
    pub(crate) fn pass(&mut self) {
        self.node = NO_NODE;
        self.position.play_unchecked(Move::NULL);
        self.board.pass();
        self.turn(None);
    }

    pub(crate) fn surprise_class(&self) -> usize {
        crate::packed::model::features::surprise_class(self.history.surprise[0])
    }

    fn turn(&mut self, past: Option<Past>) {
        self.units.swap(0, 1);
        self.history.passed(past);
    }

    /// Returns the context for the end of the game in this position, given the result.
    pub(crate) fn end_context(&self, outcome: Outcome) -> usize {
        self.board.end_context(&self.history, outcome, self.position.turn())
    }
}

impl History {
    /// Adds a move of the player (`None` for the null move), and changes the point of view.
    pub fn passed(&mut self, past: Option<Past>) {
        let turned = |past: Option<Past>| past.map(Past::turned);
        (self.us, self.them_before, self.them) = (turned(self.them), turned(self.us), turned(past));
        self.ply += 1;
        self.surprise.swap(0, 1);
    }
}

impl TurnedBoard {
    /// Returns the context for the end of the game, 0 to 31. It depends on the result, whether the winner is to move,
    /// and how much material the winner is ahead. In drawn and unfinished games, it depends on whether the last move
    /// undid the move before it, and on whether the board is nearly empty.
    pub fn end_context(&self, history: &History, outcome: Outcome, turn: Color) -> usize {
        let winner = match outcome {
            Outcome::WhiteWins => Some(Color::White),
            Outcome::BlackWins => Some(Color::Black),
            _ => None,
        };
        let count = |pieces: &[u64; 6]| {
            pieces.iter().zip([1, 3, 3, 5, 9, 0]).map(|(set, worth)| set.count_ones() as i32 * worth).sum::<i32>()
        };
        let (us, them) = (count(&self.us), count(&self.them));
        let detail = match winner {
            Some(winner) => {
                let ahead = if winner == turn { us - them } else { them - us };
                let class = match ahead {
                    ..=0 => 0,
                    1..=2 => 1,
                    3..=5 => 2,
                    _ => 3,
                };
                4 * usize::from(winner == turn) + class
            }
            None => {
                let back = match (history.them, history.them_before) {
                    (Some(last), Some(before)) => last.from == before.to && last.to == before.from,
                    _ => false,
                };
                usize::from(back) + 2 * usize::from(us + them < 24)
            }
        };
        8 * outcome as usize + detail
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Position;

    #[test]
    fn every_way_to_compute_prices_gives_the_same() {
        let model = crate::packed::model::STANDARD.as_ref().expect("the model is intact");
        let (mut fast, mut portable) = (Prices::new(), Prices::new());
        let mut seed = 7u64;
        for _ in 0..40 {
            let mut line = GameLine::new(model, &Position::standard()).expect("a standard start");
            for _ in 0..120 {
                let same = line.price(&mut fast) == line.price_portable(&mut portable);
                assert!(same && fast.count == portable.count && fast.total == portable.total);
                assert!(fast.steps[..fast.count] == portable.steps[..fast.count]);
                assert_eq!(fast.frequencies[..fast.count], portable.frequencies[..fast.count]);
                let moves = line.position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let m = moves[(seed >> 33) as usize % moves.len()];
                let step = TurnedBoard::step(m, line.position.turn());
                let (at, _) = fast.find(step).expect("a legal move");
                line.play(m, step, &fast, at);
            }
        }
    }
}

//! A game of any family.

use super::action::Action;
use crate::pcn::board::Board;
use serde_json::Value;

/// A game as in a document.
#[derive(Clone, PartialEq, Debug)]
pub struct GeneralGame {
    /// The start time, as written.
    pub started_at: Option<String>,
    /// The player of the top side.
    pub topside_player: Option<String>,
    /// The player of the bottom side, which starts a game from its beginning.
    pub bottomside_player: Option<String>,
    /// Whether the game is over, if stated.
    pub over: Option<bool>,
    /// For a finished game, whether the bottom side has won; `None` for a draw. For a game in progress: whether the
    /// bottom side proposes a draw, or the top side does (`Some(false)`); `None` for no proposal.
    pub result: Option<bool>,
    /// The board at the start.
    pub start: Board,
    /// The moves, each a list of actions. An empty list is a pass.
    pub moves: Vec<Vec<Action>>,
    /// Redundant data that saves work, as written.
    pub cache: Option<Value>,
}

impl GeneralGame {
    /// Returns the number of plies, including passes.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Returns the styles of the pieces at the start, in lower case, without duplicates, in the order of the board.
    pub fn styles(&self) -> Vec<String> {
        let mut styles = Vec::new();
        for piece in (0..self.start.size()).filter_map(|at| self.start.piece(at)) {
            let style = piece.style();
            if !styles.contains(&style) {
                styles.push(style);
            }
        }
        styles
    }

    /// Returns the description of the result from the document's table.
    pub fn result_text(&self) -> &'static str {
        match (self.over, self.result) {
            (Some(true), Some(true)) => "bottom is the winner",
            (Some(true), Some(false)) => "top is the winner",
            (Some(true), None) => "it's a draw",
            (_, Some(false)) => "draw proposal from top",
            (_, Some(true)) => "draw proposal from bottom",
            (_, None) => "game in progress",
        }
    }
}

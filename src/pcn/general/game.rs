//! A game of any family.

use super::action::Action;
use crate::pcn::board::Board;
use serde_json::Value;

/// A game as a document says it.
#[derive(Clone, PartialEq, Debug)]
pub struct GeneralGame {
    /// When it began, as written.
    pub started_at: Option<String>,
    /// The player of the top side.
    pub topside_player: Option<String>,
    /// The player of the bottom side, who starts a game from its beginning.
    pub bottomside_player: Option<String>,
    /// Whether it is over, if that is said.
    pub over: Option<bool>,
    /// Of a game that is over, whether the bottom side has won, `None` for a draw; of one in progress, whether that
    /// side proposes a draw, `None` for neither.
    pub result: Option<bool>,
    /// The board at the start.
    pub start: Board,
    /// The moves, each a list of actions. No action at all is a pass.
    pub moves: Vec<Vec<Action>>,
    /// What follows from all else and is there to save work, as written.
    pub cache: Option<Value>,
}

impl GeneralGame {
    /// Returns how many plies there are, passes included.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Returns the styles of the pieces at the start in lower case, each once, in the order of the board.
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

    /// Returns what the document's table says of the two members of the result.
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

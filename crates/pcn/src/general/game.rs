//! A game from any family of chess games.

use super::action::Action;
use crate::board::Board;
use serde_json::Value;

/// A game in the representation of a document.
///
/// ```
/// use scoresheet_pcn::Side;
/// use scoresheet_pcn::general::{GeneralGame, draw, parse};
///
/// let text = br#"{"starting_position": ["W:K", "x:s", "w:k"], "previous_moves": [[[0, "capture", 1]]]}"#;
/// let game: &GeneralGame = &parse(text)?[0];
/// assert_eq!((game.plies(), game.result_text()), (1, "game in progress"));
/// assert_eq!(game.styles(), ["w", "x"]);
/// let state = game.state_after(1)?;
/// assert_eq!((state.to_move, state.board.piece(0)), (Side::Top, None));
/// assert_eq!(state.hand(Side::Bottom).iter().map(|piece| piece.as_str()).collect::<Vec<_>>(), ["x:S"]);
/// assert!(draw(&state.board).contains("W:K"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct GeneralGame {
    /// The time at which the game started, as written.
    pub started_at: Option<String>,
    /// The player of the top side.
    pub topside_player: Option<String>,
    /// The player of the bottom side, which starts a game from its beginning.
    pub bottomside_player: Option<String>,
    /// Whether the game is over, or `None` if the document does not state this.
    pub over: Option<bool>,
    /// For a finished game: whether the bottom side has won, or `None` for a draw. For a game in progress: the side
    /// that proposes a draw (`Some(true)` for the bottom side, `Some(false)` for the top side), or `None` for no
    /// proposal.
    pub result: Option<bool>,
    /// The board at the start of the game.
    pub start: Board,
    /// The moves, each as a list of actions. An empty list represents a pass.
    pub moves: Vec<Vec<Action>>,
    /// Redundant data that programs need not recompute, as written.
    pub cache: Option<Value>,
}

impl GeneralGame {
    /// Returns the number of plies, including passes.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Returns the distinct styles of the pieces at the start, in lower case, in the order of the board.
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

    /// Returns the description of the result, as in the table of the PCN document.
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

//! PCN in general: games of any chess family, on boards of any number of dimensions.
//!
//! What [`parse`](super::parse) reads are the games of western chess, whose rules are known here. Of all others the notation is known: what a
//! document says is read, its structure is checked, and its moves are replayed action by action, with captured pieces in hand and pieces
//! above squares. Whether a move is allowed by the rules of its game is not looked at.
//!
//! ```
//! use scoresheet::pcn::general::{self, Layout, Squares};
//!
//! let text = br#"{
//!     "starting_position": ["w:k", "w:p", null, "X:S", null, "X:G"],
//!     "previous_moves": [[["X:S", "shift", 2]], [["w:p", "capture", [2]]], [["X:G", "shift", [4]]], [["x:s", "drop", 5]]]
//! }"#;
//! let game = &general::parse(text)?[0];
//! let checked = game.check()?;
//! assert_eq!(checked.last.board.piece(5).unwrap().as_str(), "x:s");
//! assert_eq!(checked.remarks, []);
//! let flat = game.with_squares(Squares::Flat)?;
//! assert!(general::write(&flat, Layout::Line).contains(r#"[[1, "capture", 2]]"#));
//! # Ok::<(), scoresheet::pcn::PcnError>(())
//! ```

mod draw;
mod hand;
mod read;
mod replay;
mod write;

pub use super::write::Layout;
pub use draw::draw;
pub use hand::Hand;
pub use read::{Document, parse, parse_value, read_documents};
pub use replay::{Checked, Remark, State};
pub use write::write;

use super::board::{Board, PieceName};
use serde_json::Value;
use std::fmt;

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
    /// Of a game that is over, whether the bottom side has won, `None` for a draw; of one in progress, whether that side proposes a draw, `None`
    /// for neither.
    pub result: Option<bool>,
    /// The board at the start.
    pub start: Board,
    /// The moves, each a list of actions. No action at all is a pass.
    pub moves: Vec<Vec<Action>>,
    /// What follows from all else and is there to save work, as written.
    pub cache: Option<Value>,
}

/// Where a piece goes, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// The piece, or the square it stands on.
    pub subject: Naming,
    /// What it does.
    pub verb: Verb,
    /// The square where that ends, or the piece there.
    pub object: Naming,
    /// What the piece is from then on.
    pub promotion: Option<PieceName>,
}

/// One of the three ways to name a square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Naming {
    /// By its place in each dimension, the outermost first: `[0, 4]`.
    Coordinates(Vec<usize>),
    /// By its number among all: `4`.
    Flat(usize),
    /// By the piece there, whose name is unique on the board, or in hand: `"w:k"`.
    Piece(PieceName),
}

/// What an action does with its subject.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verb {
    /// From the hand to a free square.
    Drop,
    /// From a square to a free one.
    Shift,
    /// From a square to one with a piece of the other side, which goes to the hand.
    Capture,
    /// From a square to one with a piece of the other side, which is out of play.
    Remove,
    /// From a square to above another.
    Jump,
    /// From above a square to a free one.
    Land,
    /// From above a square to one with a piece of the other side, which goes to the hand.
    Stun,
}

impl Verb {
    /// All verbs, in the document's order.
    pub const ALL: [Verb; 7] =
        [Verb::Drop, Verb::Capture, Verb::Remove, Verb::Shift, Verb::Jump, Verb::Land, Verb::Stun];

    /// Returns the verb as documents write it.
    pub const fn name(self) -> &'static str {
        match self {
            Verb::Drop => "drop",
            Verb::Shift => "shift",
            Verb::Capture => "capture",
            Verb::Remove => "remove",
            Verb::Jump => "jump",
            Verb::Land => "land",
            Verb::Stun => "stun",
        }
    }

    /// Reads a verb.
    pub fn parse(text: &str) -> Option<Verb> {
        Verb::ALL.into_iter().find(|verb| verb.name() == text)
    }
}

/// How squares are named on writing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Squares {
    /// By coordinates.
    Coordinates,
    /// By flat numbers.
    Flat,
    /// By the piece there where its name is unique, by coordinates elsewhere.
    Pieces,
}

impl fmt::Display for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Naming::Coordinates(places) => {
                let places: Vec<String> = places.iter().map(usize::to_string).collect();
                write!(f, "[{}]", places.join(", "))
            }
            Naming::Flat(square) => write!(f, "{square}"),
            Naming::Piece(name) => write!(f, "\"{name}\""),
        }
    }
}

impl fmt::Display for Action {
    /// As documents write it: `[[8, 3], "shift", [7, 3]]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, \"{}\", {}", self.subject, self.verb.name(), self.object)?;
        if let Some(name) = &self.promotion {
            write!(f, ", {{\"promotion\": \"{name}\"}}")?;
        }
        f.write_str("]")
    }
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

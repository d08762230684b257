//! Actions, which are the parts of moves, and the ways in which they name squares.

use crate::board::PieceName;
use std::fmt;

/// An action: a movement of one piece.
///
/// ```
/// use scoresheet_pcn::general::{Action, Naming, Verb, parse};
///
/// let game = &parse(br#"{"starting_position": ["W:K", null, "w:k"], "previous_moves": [[[0, "shift", [1]]]]}"#)?[0];
/// let Action { subject, verb, object, promotion } = &game.moves[0][0];
/// assert_eq!((subject, verb), (&Naming::Flat(0), &Verb::Shift));
/// assert_eq!((object, promotion), (&Naming::Coordinates(vec![1]), &None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// The piece that moves, named directly or by its square.
    pub subject: Naming,
    /// The kind of the action.
    pub verb: Verb,
    /// The target square, named directly or by the piece on it.
    pub object: Naming,
    /// The new name of the piece if it is promoted.
    pub promotion: Option<PieceName>,
}

/// A name of a square, in one of three forms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Naming {
    /// The coordinates of the square, from the outermost dimension: `[0, 4]`.
    Coordinates(Vec<usize>),
    /// By flat number: `4`.
    Flat(usize),
    /// The name of the piece on the square, which is unique on the board or in hand: `"w:k"`.
    Piece(PieceName),
}

/// The kind of movement in an action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verb {
    /// A movement from the hand to a free square.
    Drop,
    /// A movement from a square to a free square.
    Shift,
    /// A movement from a square to a square with an opposing piece, which is moved to the hand.
    Capture,
    /// A movement from a square to a square with an opposing piece, which leaves the game.
    Remove,
    /// A movement from a square to the space above another square.
    Jump,
    /// A movement from the space above a square to a free square.
    Land,
    /// A movement from the space above a square to a square with an opposing piece, which is moved to the hand.
    Stun,
}

impl Verb {
    /// All verbs, in the order of the PCN document.
    pub const ALL: [Verb; 7] =
        [Verb::Drop, Verb::Capture, Verb::Remove, Verb::Shift, Verb::Jump, Verb::Land, Verb::Stun];

    /// Returns the spelling of the verb in documents.
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

/// How to name squares in a document that is written.
///
/// ```
/// use scoresheet_pcn::general::{JsonLayout, Squares, parse, write};
///
/// let text = br#"{"starting_position": [["W:K", null], [null, "w:k"]], "previous_moves": [[[0, "shift", 1]]]}"#;
/// let game = &parse(text)?[0];
/// let moves = |squares| Ok::<_, scoresheet_pcn::PcnError>(write(&game.with_squares(squares)?, JsonLayout::Line));
/// assert!(moves(Squares::Coordinates)?.contains(r#"[[0, 0], "shift", [0, 1]]"#));
/// assert!(moves(Squares::Pieces)?.contains(r#"["W:K", "shift", [0, 1]]"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Squares {
    /// By coordinates.
    Coordinates,
    /// By flat numbers.
    Flat,
    /// By the piece on the square if its name is unique, otherwise by coordinates.
    Pieces,
}

impl fmt::Display for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Naming::Coordinates(coordinates) => {
                let coordinates: Vec<String> = coordinates.iter().map(usize::to_string).collect();
                write!(f, "[{}]", coordinates.join(", "))
            }
            Naming::Flat(square) => write!(f, "{square}"),
            Naming::Piece(name) => write!(f, "\"{name}\""),
        }
    }
}

impl fmt::Display for Action {
    /// Writes the action as in a document: `[[8, 3], "shift", [7, 3]]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, \"{}\", {}", self.subject, self.verb.name(), self.object)?;
        if let Some(name) = &self.promotion {
            write!(f, ", {{\"promotion\": \"{name}\"}}")?;
        }
        f.write_str("]")
    }
}

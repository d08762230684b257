//! Actions, the parts of moves, and their names of squares.

use crate::pcn::board::PieceName;
use std::fmt;

/// The movement of a piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// The piece, or its square.
    pub subject: Naming,
    /// The kind of the action.
    pub verb: Verb,
    /// The target square, or the piece there.
    pub object: Naming,
    /// The new name of the piece.
    pub promotion: Option<PieceName>,
}

/// One of the three ways to name a square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Naming {
    /// By coordinates, outermost first: `[0, 4]`.
    Coordinates(Vec<usize>),
    /// By flat number: `4`.
    Flat(usize),
    /// By the piece there, whose name is unique on the board or in hand: `"w:k"`.
    Piece(PieceName),
}

/// The kind of an action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verb {
    /// From the hand to a free square.
    Drop,
    /// From a square to a free square.
    Shift,
    /// From a square to a square with an opposing piece, which goes to the hand.
    Capture,
    /// From a square to a square with an opposing piece, which leaves the game.
    Remove,
    /// From a square to above another square.
    Jump,
    /// From above a square to a free square.
    Land,
    /// From above a square to a square with an opposing piece, which goes to the hand.
    Stun,
}

impl Verb {
    /// All verbs, in the document's order.
    pub const ALL: [Verb; 7] =
        [Verb::Drop, Verb::Capture, Verb::Remove, Verb::Shift, Verb::Jump, Verb::Land, Verb::Stun];

    /// Returns the verb in the form of documents.
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

/// The names of squares in written documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Squares {
    /// By coordinates.
    Coordinates,
    /// By flat numbers.
    Flat,
    /// By the piece there if its name is unique, otherwise by coordinates.
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
    /// Writes the form of documents: `[[8, 3], "shift", [7, 3]]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, \"{}\", {}", self.subject, self.verb.name(), self.object)?;
        if let Some(name) = &self.promotion {
            write!(f, ", {{\"promotion\": \"{name}\"}}")?;
        }
        f.write_str("]")
    }
}

//! Actions, which moves are made of, and how they name squares.

use crate::pcn::board::PieceName;
use std::fmt;

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

//! The faults that packed bytes can have.

use std::fmt;

/// The reason why packed bytes cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PackedFault {
    /// The kind of game does not exist.
    Kind,
    /// The model cannot code games from this starting position.
    Start,
    /// The stream codes a move in a position that has no legal moves.
    NoMove,
    /// A variation closes although none is open, or is still open at the end.
    Nesting,
    /// The bytes end before the moves do, or the moves exceed the maximum length.
    Overlong,
    /// Bytes follow the end of the game.
    Rest,
}

impl fmt::Display for PackedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = match self {
            PackedFault::Kind => "no such kind of game",
            PackedFault::Start => "a starting position that has no packed games",
            PackedFault::NoMove => "a move where none is legal",
            PackedFault::Nesting => "variations that do not nest",
            PackedFault::Overlong => "moves beyond the end",
            PackedFault::Rest => "bytes after the end of the game",
        };
        write!(f, "bad packed moves: {fault}")
    }
}

impl std::error::Error for PackedFault {}

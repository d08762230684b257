//! The faults of packed bytes.

use std::fmt;

/// The reason that packed bytes cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PackedFault {
    /// The kind of game does not exist.
    Kind,
    /// The model cannot code games from this starting position.
    Start,
    /// A move follows in a position without legal moves.
    NoMove,
    /// A variation closes without opening, or is open at the end.
    Nesting,
    /// The bytes end before the moves do, or the moves exceed the maximum length.
    Overlong,
    /// Bytes follow after the end of the game.
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

//! Why packed bytes cannot be read.

use std::fmt;

/// Why packed bytes cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PackedFault {
    /// There is no such kind of game.
    Kind,
    /// The starting position is none that the model can code.
    Start,
    /// A move is said to follow where there is none.
    NoMove,
    /// A variation closes that never opened, or is open at the end.
    Nesting,
    /// The moves go on after the end of the bytes, or for too long.
    Overlong,
    /// The bytes go on after the end of the game.
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

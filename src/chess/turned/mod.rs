//! The board of the coders of moves: bit boards from the point of view of the player to move, and attacked squares.
//!
//! [`Position`](super::Position) covers the rules. This board plays and lists moves in the few nanoseconds that a coder
//! has for a move. It does not know weights or bits.

pub(crate) mod attacks;
pub mod board;

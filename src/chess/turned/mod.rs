//! The board as coders of moves see it: bit boards from the side of the player to move, and the squares attacked.
//!
//! [`Position`](super::Position) answers questions about rules; this board makes and lists moves in the few
//! nanoseconds that a coder has for one. Knows nothing of weights or bits.

pub(crate) mod attacks;
pub mod board;

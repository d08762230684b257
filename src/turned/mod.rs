//! The board that move encoders use: bit boards from the point of view of the player to move, and attacked squares.
//!
//! [`Position`](crate::Position) covers the rules. This board plays and lists moves in a few nanoseconds, which is the
//! time available to an encoder per move. It contains no model weights or coded bits.

pub(crate) mod attacks;
pub mod board;

//! The Brenner code: one byte a half-move (FORMAT.md, "Brenner moves").
//!
//! After Norman Brenner, "Minimal encoding of moves in a chess game", 2002-2013. `encode` writes the one canonical
//! stream of a game, `decode` reads any valid stream and checks every move, `replay` runs along a stream that is known
//! to be intact at about the speed of memory, `alternate` transcodes to the document's second notation, `standalone`
//! holds a whole game in one string, `explain` describes each byte of it, `move_id` numbers moves in 11 bits, and
//! `fixed` makes bytes of these numbers.

// Untrusted bytes are read here: nothing may panic on them.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod alternate;
mod code;
pub mod decode;
pub mod encode;
pub mod explain;
pub mod fixed;
pub mod move_id;
pub mod replay;
pub mod standalone;

pub use code::*;

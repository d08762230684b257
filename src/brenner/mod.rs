//! The Brenner code: one byte per ply (FORMAT.md, "Brenner moves").
//!
//! It follows Norman Brenner, "Minimal encoding of moves in a chess game", 2002-2013.
//!
//! - `encode` writes the canonical stream of a game.
//! - `decode` reads any valid stream and checks every move.
//! - `replay` plays an intact stream, at two to three nanoseconds per ply.
//! - `alternate` transcodes to the second notation of Brenner's document.
//! - `standalone` stores a complete game in one string, and `explain` describes each byte of the string.
//! - `move_id` numbers moves in 11 bits, and `fixed` converts these numbers to bytes.

// This module reads untrusted bytes, so its code must not panic.
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

//! Converts PCN, the JSON-based Portable Chess Notation, to and from games of western chess.
//!
//! "Portable Chess Notation" (in the public domain) covers many chess families. The page docs/PCN.md lists the
//! supported verbs, options and members, and the parts of a game that PCN cannot represent. [`parse`] reads a document
//! of one game, an array of games or consecutive games. [`write`](fn@write) writes a game. Every move is checked.
//! [`general`] reads games of other families.
//!
//! Input: JSON; output: games of `game`; and the reverse. The room otherwise depends only on `chess`. `stream` reads
//! documents game by game, `read` a game, and `action` its moves. `board` holds the pieces, and `fault` describes
//! faults and their positions.

// This room reads untrusted bytes, so no code here may panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod action;
mod board;
mod fault;
pub mod general;
mod read;
mod stream;
mod tags;
mod time;
mod write;

pub use board::{Board, PieceName, Side};
pub use fault::{PcnError, PcnFault};
pub use read::parse_value;
pub use stream::{ReadError, parse, read};
pub use tags::{DRAW_PROPOSAL, STARTED_AT};
pub use write::{JsonLayout, write};

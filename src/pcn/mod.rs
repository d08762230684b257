//! PCN, the JSON-based Portable Chess Notation, to and from games of western chess.
//!
//! After "Portable Chess Notation" (in the public domain), which records games of many chess families; docs/PCN.md says
//! which of its verbs, options and members are read and written, and what of a game it cannot carry. [`parse`] reads a
//! document of one game, of an array of games or of one game after the other; [`write`](fn@write) writes a game. Every
//! move is checked. [`general`] reads games of other families.
//!
//! In flows JSON, out flow games of `game`, and the other way round; nothing else of the crate but `chess` is known.
//! `stream` reads documents game by game, `read` a game, `action` its moves and `board` what stands where; `fault` says
//! what is wrong and where.

// Untrusted bytes are read here: nothing may panic on them.
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

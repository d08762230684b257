//! Converts PCN, the JSON-based Portable Chess Notation, to and from games of western chess.
//!
//! The page "Portable Chess Notation" (in the public domain) covers many families of chess games. The page docs/PCN.md
//! lists the supported verbs, options and members, and the parts of a game that PCN cannot represent. [`parse`] reads a
//! document that contains one game, an array of games, or consecutive games. [`write`](fn@write) writes a game. Every
//! move is checked. [`general`] reads games of other families.
//!
//! The module converts JSON to games of `game`, and games to JSON. Apart from `game`, it depends only on `chess`.
//! `stream` reads documents game by game, `read` reads a game, and `action` reads its moves. `board` represents the
//! pieces, and `fault` describes faults and their locations.

// This module reads untrusted bytes, so its code must not panic.
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
pub use stream::{Games, ReadError, parse};
pub use tags::DRAW_PROPOSAL;
pub use write::{JsonLayout, write};

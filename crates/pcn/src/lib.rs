//! Converts PCN, the JSON-based Portable Chess Notation, to and from games of western chess.
//!
//! The page "Portable Chess Notation" (in the public domain) covers many families of chess games. The page docs/PCN.md
//! lists the supported verbs, options and members, and the parts of a game that PCN cannot represent. [`parse`] reads a
//! document that contains one game, an array of games, or consecutive games. [`write`](fn@write) writes a game. Every
//! move is checked. [`general`] reads games of other families.
//!
//! `stream` reads documents game by game, `read` reads a game, and `action` reads its moves. `board` represents the
//! pieces, and `fault` describes faults and their locations.
//!
//! The package depends on `scoresheet-chess` and `scoresheet-pgn`; the archive and all programs may depend on it. Its
//! interface is its documented items.

#![warn(missing_docs)]
// This package reads untrusted bytes, so its code must not panic.
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

/// The example in README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

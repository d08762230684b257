//! The rules and their notations through the library: positions, FEN, SAN, Brenner moves, PCN.

/// Shared by all test programs.
#[path = "../common/with_command.rs"]
mod common;

/// The Brenner code: golden vectors, and random games back from their bytes.
mod brenner;
/// Every example of the five source documents; `cli` asks the command the same.
mod documents;
/// FEN: what is read, written and refused, and where.
mod fen;
/// PCN beyond the 8 x 8 board.
mod pcn_general;
/// Move texts: written by the standard, read as people write them.
mod san;
/// Stand-alone strings, the alternate notation and move ids, over the corpora.
mod transcode;
/// The position key.
mod zobrist;

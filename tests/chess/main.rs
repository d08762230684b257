//! The rules and their notations through the library: positions, FEN, SAN, Brenner moves, PCN.

/// Shared by all test programs.
#[path = "../common/with_command.rs"]
mod common;

/// The Brenner code: golden vectors, and random games restored from their bytes.
mod brenner;
/// Every example of the five source documents; `cli` tests the same with the command.
mod documents;
/// FEN: accepted and written texts, and the location of faults.
mod fen;
/// PCN beyond the 8 x 8 board.
mod pcn_general;
/// Texts of moves: written by the standard, read in common notations.
mod san;
/// Stand-alone strings, the alternate notation and move ids, over the corpora.
mod transcode;
/// The position key.
mod zobrist;

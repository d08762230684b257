//! The rules and the position search compared with other programs: shakmaty, published perft counts, Scid.

/// Shared by all test programs.
#[path = "../common/mod.rs"]
mod common;

/// PolyGlot books.
mod book;
/// Position search against a brute-force replay.
mod find;
/// The library's interpretation of a part's bytes.
#[path = "../common/meaning.rs"]
mod meaning;
/// FEN and EPD in every flavor.
mod notations;
/// Numbers of lines of legal moves.
mod perft;
/// Random games, ply by ply.
mod rules;
/// Numbers of games that reach a position, compared with Scid if installed.
mod scid;
/// The reader of the format in C99.
mod second_program;
/// The second reader of the format, in Python.
mod second_reader;
/// Starting positions of the random games.
mod setups;

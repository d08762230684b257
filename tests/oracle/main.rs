//! The rules and the position search against other programs: shakmaty, published perft counts, Scid.

/// Shared by all test programs.
#[path = "../common/mod.rs"]
mod common;

/// PolyGlot books.
mod book;
/// Position search against a brute-force replay.
mod find;
/// What the library takes the bytes of a part for.
#[path = "../common/meaning.rs"]
mod meaning;
/// FEN and EPD in every flavour.
mod notations;
/// Numbers of lines of legal moves.
mod perft;
/// Random games, ply by ply.
mod rules;
/// How many games reach a position, against Scid where it is installed.
mod scid;
/// The reader of the format in C99.
mod second_program;
/// The second reader of the format, in Python.
mod second_reader;
/// Where the random games start.
mod setups;

//! Reads the tag pairs and the movetext of a game. The reader reports every fault and keeps all text.
//!
//! `lexer` splits the text into tokens, and `tags` reads tag pairs. `run_words` finds the words of consecutive plain
//! moves, and `reader` plays these moves.

mod glyphs;
mod text;
mod words;

mod lexer;
mod run_words;

pub(super) mod reader;

pub(super) mod positions;

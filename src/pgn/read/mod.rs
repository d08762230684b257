//! PGN read: words, tag pairs and movetext of one game, every fault reported and nothing lost.
//!
//! `lexer` finds tokens, `tags` reads tag pairs; `run_words` finds the words of moves that follow one another plainly;
//! `reader` plays them.

mod glyphs;
mod text;
mod variant;
mod words;

mod lexer;
mod run_words;

pub(super) mod reader;

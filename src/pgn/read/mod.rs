//! Reads the tag pairs and the movetext of one game. Every fault is reported, and no text is lost.
//!
//! `lexer` finds tokens, and `tags` reads tag pairs. `run_words` finds the words of plain consecutive moves, and
//! `reader` plays them.

mod glyphs;
mod text;
mod variant;
mod words;

mod lexer;
mod run_words;

pub(super) mod reader;

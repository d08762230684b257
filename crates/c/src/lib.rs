//! `libscoresheet`: archives from C, and from every language that calls C. `include/scoresheet.h` documents the
//! functions, and this crate implements them over the library.
//!
//! ```text
//! pointers -> args (checked) -> archive, game, search, import -> library -> code, out-pointers, fault
//! ```
//!
//! Imports point in one direction: `archive`, `game`, `search`, `import`, `library` -> `args` -> `fault`. Every function
//! checks its pointers for NULL, and runs inside `fault::guard`, which turns errors and panics into codes.

mod archive;
mod args;
mod fault;
mod game;
mod import;
mod library;
mod search;

//! x
pub mod archive;
pub mod brenner;
pub mod chess;
pub mod error;
pub mod format;
pub mod game;
pub mod import;
pub mod pgn;

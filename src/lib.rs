//! x
pub mod chess;
pub mod game;

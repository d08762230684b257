//! What the test programs share that run the command.
#![allow(dead_code, reason = "each test program uses a part of it")]

#[path = "mod.rs"]
mod all;
/// The command, run in a folder of its own, and games for it.
pub mod cli;

pub use all::*;

//! Code shared by the test programs that run the command.
#![allow(dead_code, reason = "each test program uses a part of it")]

#[path = "mod.rs"]
mod all;
/// Runs the command in a separate folder, with games for it.
pub mod cli;

pub use all::*;

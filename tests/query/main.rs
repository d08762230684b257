//! Queries through the library against naive evaluations that read every game.

/// Shared by all test programs.
#[path = "../common/with_command.rs"]
mod common;

/// The same answers whatever an archive is made of.
mod alike;
/// Header filters.
mod filter;
/// Patterns and the opening tree, position by position.
mod naive;
/// The parts for training and test.
mod parts;
/// Questions as JSON, with the answers that every door gives.
mod questions;

//! Queries through the library, compared with naive evaluations that read every game.

/// Shared by all test programs.
#[path = "../common/with_command.rs"]
mod common;

/// The same answers for every form of an archive.
mod alike;
/// Columns of measures.
mod columns;
/// Tag filters.
mod filter;
/// Random questions about real games, with naive answers.
mod fresh;
/// Patterns and the opening tree, position by position.
mod naive;
/// Pages of the games of a position.
mod pages;
/// The parts for training and test.
mod parts;
/// Questions as JSON, with the same answers in every interface.
mod questions;
/// Positions of variants.
mod variants;

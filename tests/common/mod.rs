//! Code shared by the test programs. Each includes it with `#[path = "../common/mod.rs"] mod common;`, or with
//! `with_command.rs` if it runs the command, and uses a part of it.
#![allow(dead_code, unused_imports, reason = "each test program uses a part of it")]

/// The conformance suite.
pub mod conformance;
/// The files of the large corpora, if present.
pub mod corpora;
/// Temporary folders.
pub mod folder;
/// FORMAT.md with its parts.
pub mod format_document;
/// Files of released versions, which never change.
pub mod frozen;
/// Makes archives from PGN files.
pub mod import;
/// Positions by FEN, and lines played from them.
pub mod positions;
/// Questions with their answers, for every interface.
pub mod questions;
/// The seeded random number generator.
pub mod random;
/// A server of files by ranges.
pub mod range_server;
/// The files of `testdata/`.
pub mod sample;
/// The folder of the repository, and numbers from the environment.
pub mod settings;

pub use folder::tempdir;
/// The positions are made with these types, which tests of a single package name otherwise.
use scoresheet::{chess, game};
pub use settings::{has_share, number, root, seed, share};

//! Reads and writes PGN with a byte source, a splitter into games, a reader that reports every fault, and a writer.
//!
//! To read, [`open`] returns a [`Source`], which may be plain or compressed. The [`Splitter`], which runs sequentially,
//! cuts the source into spans of one game each. [`read_game`] reads a span on any thread and passes its events to a
//! [`Visitor`](crate::game::Visitor). To write, [`PgnWriter`] is such a visitor.
//!
//! `input` opens and splits sources, `read` reads games, and `write` writes them. The reader recognizes the layout of
//! the writer, so it can pass runs of moves to the writer unchanged ([`TextVisitor`]). `game` is the common form of a
//! game in all packages.
//!
//! The package depends on `scoresheet-chess`; the archive and all programs may depend on it. Its interface is its
//! documented items; hidden items serve those packages, and may change in any version.
#![warn(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

// These lints are for the code that reads untrusted bytes.
#[allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
pub mod game;

mod bytes;
mod fault;
mod letters;
mod limits;
mod masks;
mod tag_values;
mod tags;
mod text_visitor;
mod windows_1252;

mod input;

mod write;

mod read;

pub use fault::{Fault, FaultKind};
pub use input::compression::Compression;
pub use input::error::SourceError;
pub use input::source::{Source, SourceProgress, from_reader, open, open_text};
#[doc(hidden)]
pub use input::source::{look_at, text_of};
pub use input::split::{Batch, Checkpoint, GameSpan, Oversized, Splitter};
pub use letters::PieceLetters;
pub use limits::{Encoding, ReadLimits, ReadOptions};
#[doc(hidden)]
pub use read::positions::is_position_list;
pub use read::positions::read_position;
pub use read::reader::{Disposition, ReadOutcome, read_game, read_game_text};
pub use tags::TagHead;
pub use text_visitor::{EndOfRun, Lines, MoveRun, TagRun, TextVisitor};
pub use windows_1252::decode as decode_windows_1252;
pub use write::shape::{Shape, TagChoice};
pub use write::style::{LineEnd, Style};
pub use write::writer::PgnWriter;

/// The examples in README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

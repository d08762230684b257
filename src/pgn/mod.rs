//! PGN, read and written: a byte source, a splitter into games, a reader that reports every fault, and a writer.
//!
//! The way of the bytes: [`open`] a [`Source`] (plain or compressed) -> [`Splitter`] (sequential and fast, cuts it into spans of
//! one game each) -> [`read_game`] (one span at a time, on any thread, drives a [`Visitor`](crate::game::Visitor)). The way back is
//! [`PgnWriter`], itself a visitor.
#![warn(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

mod bytes;
mod content;
mod fault;
mod frames;
mod glyphs;
mod joined;
mod lexer;
mod limits;
mod move_run;
mod reader;
mod source;
mod split;
mod style;
mod tags;
mod tar;
mod text;
mod variant;
mod words;
mod writer;
mod zip;

pub use fault::{Fault, FaultKind};
pub use limits::{Encoding, Limits, ReadOptions};
pub use reader::{Disposition, ReadOutcome, read_game};
pub use source::{Compression, Progress, Source, SourceError, from_reader, open, open_text};
pub(crate) use source::{look_at, text_of};
pub use split::{Batch, Checkpoint, GameSpan, Oversized, Splitter};
pub use style::{LineEnd, Style};
pub use writer::PgnWriter;

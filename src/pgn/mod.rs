//! Reads and writes PGN: a byte source, a splitter into games, a reader that reports every fault, and a writer.
//!
//! Reading: [`open`] returns a [`Source`] (plain or compressed). The sequential [`Splitter`] cuts it into spans of one
//! game each. [`read_game`] reads a span on any thread and drives a [`Visitor`](crate::game::Visitor). Writing:
//! [`PgnWriter`] is such a visitor.
//!
//! `input` opens and splits sources, `read` reads, and `write` writes. The reader knows the layout rules of the writer,
//! so it can pass unchanged runs of moves to the writer ([`TextVisitor`]).
#![warn(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

mod bytes;
mod fault;
mod limits;
mod masks;
mod tags;
mod text_visitor;
mod windows_1252;

mod input;

mod write;

mod read;

pub use fault::{Fault, FaultKind};
pub use input::error::SourceError;
pub use input::source::{Compression, Source, SourceProgress, from_reader, open, open_text};
pub(crate) use input::source::{look_at, text_of};
pub use input::split::{Batch, Checkpoint, GameSpan, Oversized, Splitter};
pub use limits::{Encoding, ReadLimits, ReadOptions};
pub use read::reader::{Disposition, ReadOutcome, read_game, read_game_text};
pub use tags::TagHead;
pub use text_visitor::{EndOfRun, Lines, MoveRun, TagRun, TextVisitor};
pub use write::letters::PieceLetters;
pub use write::shape::{Shape, TagChoice};
pub use write::style::{LineEnd, Style};
pub use write::writer::PgnWriter;

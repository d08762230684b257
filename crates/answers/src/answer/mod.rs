//! The answers, each file those of one noun: they read parameters and make JSON; the work itself is the library's.

pub mod archives;
pub mod complete;
pub mod download;
pub mod event;
pub mod find;
pub mod game;
pub mod games;
pub mod player;
pub mod position;
pub mod read;
pub mod stats;
pub mod tree;

use crate::snapshot::Snapshot;
use crate::stop::{Cost, Stop};
use serde_json::Value;

/// What a request is answered with.
pub enum Answer {
    /// JSON.
    Json(Value),
    /// Bytes of another kind.
    Bytes {
        /// Their type.
        kind: &'static str,
        /// The name of a file with them.
        name: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Pieces that come one by one.
    Pieces {
        /// Their type.
        kind: &'static str,
        /// The name of a file with them, where they are one.
        name: Option<&'static str>,
        /// How many times as long as other requests it may take.
        deadlines: u32,
        /// What makes them.
        pieces: Pieces,
    },
}

/// What makes an answer piece by piece.
pub type Pieces = Box<dyn FnOnce(&mut Flow<'_>) + Send>;

/// Where pieces go.
pub struct Flow<'a> {
    /// What stops the work.
    pub stop: &'a Stop,
    /// Takes a piece. Returns whether more are wanted.
    pub push: &'a mut dyn FnMut(Vec<u8>) -> bool,
    /// Runs work on the threads for it.
    pub run: &'a (dyn Fn(&mut (dyn FnMut() + Send)) + 'a),
}

impl Flow<'_> {
    /// Does work on the threads for it and returns its result.
    fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Option<T> {
        let (mut work, mut result) = (Some(work), None);
        (self.run)(&mut || result = work.take().map(|work| work()));
        result
    }
}

/// What it costs to filter.
pub fn by_tags(snapshot: &Snapshot) -> Cost {
    if snapshot.has_columns() { Cost::Quick } else { Cost::Scan }
}

/// What it costs to look a position up, and to filter.
pub fn by_position(snapshot: &Snapshot) -> Cost {
    if snapshot.is_indexed() && snapshot.has_columns() { Cost::Quick } else { Cost::Scan }
}

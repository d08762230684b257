//! The answers, one file per resource. These files read parameters and create JSON; the library computes the results.

pub mod archives;
pub mod complete;
pub mod download;
pub mod event;
pub mod events;
pub mod find;
pub mod game;
pub mod games;
pub mod player;
pub mod position;
pub mod read;
pub mod read_games;
pub mod stats;
pub mod tree;

use crate::snapshot::Snapshot;
use crate::stop::{Cost, Stop};
use serde_json::Value;

/// An answer to a request.
pub enum Answer {
    /// JSON.
    Json(Value),
    /// Bytes of another type.
    Bytes {
        /// The media type.
        kind: &'static str,
        /// The file name for a download.
        name: String,
        /// The body of the answer.
        bytes: Vec<u8>,
    },
    /// Pieces that are streamed.
    Pieces {
        /// The media type.
        kind: &'static str,
        /// The file name for a download, if the pieces form a file.
        name: Option<&'static str>,
        /// The time limit of the stream, in multiples of a request's deadline.
        deadlines: u32,
        /// The function that creates the pieces.
        pieces: Pieces,
    },
}

/// A function that creates an answer piece by piece.
pub type Pieces = Box<dyn FnOnce(&mut Flow<'_>) + Send>;

/// The receiver of pieces.
pub struct Flow<'a> {
    /// The flag that stops the work when the client disconnects.
    pub stop: &'a Stop,
    /// Accepts a piece. Returns whether to create more pieces.
    pub push: &'a mut dyn FnMut(Vec<u8>) -> bool,
    /// The function that runs work on the receiver's thread pool.
    pub run: &'a (dyn Fn(&mut (dyn FnMut() + Send)) + 'a),
}

impl Flow<'_> {
    /// Runs work on the receiver's thread pool and returns the result.
    fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Option<T> {
        let (mut work, mut result) = (Some(work), None);
        (self.run)(&mut || result = work.take().map(|work| work()));
        result
    }
}

/// Returns the cost of evaluating the filter.
pub fn by_tags(snapshot: &Snapshot) -> Cost {
    if snapshot.has_columns() { Cost::Quick } else { Cost::Scan }
}

/// Returns the cost of looking up a position and evaluating the filter.
pub fn by_position(snapshot: &Snapshot) -> Cost {
    if snapshot.is_indexed() && snapshot.has_columns() { Cost::Quick } else { Cost::Scan }
}

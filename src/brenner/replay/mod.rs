//! Replays intact streams from a starting position to any ply of the main line, at two to three nanoseconds per ply.
//!
//! A byte names a slot and a step, and the mailbox needs nothing else. The legality of moves is not checked: records
//! are checked when they are written and protected by checksums, and `decode` checks all other streams. For any bytes,
//! `replay` ends, stays within its arrays and allocates nothing.
//!
//! A ply writes only the board and the squares of pieces. Each side has separate code. One comparison detects a byte
//! that is not a plain move, or whose piece is not on the board. Rights, en passant and clocks are computed on demand.
//!
//! `table` contains the effect of each plain byte, `pieces` is the board, `state` shows a ply, `key` updates the
//! Zobrist key, and `run` replays a stream. `skip` skips variations.

mod key;
mod pieces;
mod run;
mod skip;
mod state;
pub(super) mod table;

pub use run::{Replay, ReplayError};
pub use skip::count_plies;
pub(crate) use skip::skip_variation;
pub use state::ReplayState;

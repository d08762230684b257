//! Replay of intact streams: from a starting position to any ply of the main line, at about two nanoseconds a ply.
//!
//! A byte names a slot and a step; the mailbox does the rest. Nothing is checked for legality: records are checked when
//! they are written and guarded by checksums, and `decode` checks anything else. Whatever the bytes, `replay` ends,
//! stays within its arrays and allocates nothing.
//!
//! How it is fast: a board and the pieces' squares are all that is written at a ply, the sides have code of their own,
//! and one test finds that a byte is no plain move or its piece is off the board. Rights, en passant and clocks are
//! worked out when they are asked for.
//!
//! `table` says what each plain byte does, `pieces` does it on the board, `state` shows a ply, `key` keeps the Zobrist
//! key, and `run` goes through a stream. `skip` passes over what is not replayed.

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

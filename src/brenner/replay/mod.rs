//! Replays intact streams from a starting position to any ply of the main line, at two to three nanoseconds per ply.
//!
//! A byte names a slot and a step. Together with the mailbox, these determine the move. The legality of moves is not
//! checked: records are checked when they are written and protected by checksums, and `decode` checks all other
//! streams. For any input bytes, `replay` ends, stays within its arrays and allocates no memory.
//!
//! Each ply writes only the board and the squares of the pieces. Each side has its own compiled code. One comparison
//! detects a byte that is not a plain move, and a byte whose piece is not on the board. Castling rights, en passant and
//! clocks are computed on demand.
//!
//! `table` contains the effect of each plain byte, `pieces` represents the board, `state` describes a ply, `key`
//! updates the Zobrist key, and `run` replays a stream. `skip` skips variations, and `variant` plays games of variants.

mod key;
mod pieces;
mod run;
mod skip;
mod state;
pub(super) mod table;
pub(super) mod variant;

pub use run::{Replay, ReplayError};
pub use skip::count_plies;
#[doc(hidden)]
pub use skip::skip_variation;
pub use state::ReplayState;

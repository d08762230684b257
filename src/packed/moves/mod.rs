//! A position as the coder sees it: what is attacked, pinned or hanging on the board of the player to move
//! (`chess::turned`). Knows nothing of weights or bits.

pub mod scene;

pub(crate) use crate::chess::turned::attacks;
pub use crate::chess::turned::board;

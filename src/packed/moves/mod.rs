//! A position as the coder sees it: attacks, the board from the side of the player to move with its moves, and what is
//! attacked, pinned or hanging. Knows nothing of weights or bits.

pub(crate) mod attacks;
pub mod board;
pub mod scene;

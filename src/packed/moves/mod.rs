//! Computes the data about a position that the coder needs: attacks, pins and hanging pieces, on the board of the
//! player to move (`turned`). This module does not depend on weights or bits.

pub mod scene;

pub(crate) use crate::turned::attacks;
pub use crate::turned::board;

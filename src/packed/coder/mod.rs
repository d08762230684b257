//! Codes a game as bits: the range coder, its intervals, the state of a game, and the two forms of a stream.

pub(crate) mod intervals;
pub(crate) mod kind;
pub(crate) mod line;
pub(crate) mod plain;
pub(crate) mod range;
pub(crate) mod rich;

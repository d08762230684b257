//! Codes a game as bits, with the range coder, the intervals, the state of a game, and the two forms of a stream.

pub(crate) mod intervals;
pub(crate) mod kind;
pub(crate) mod line;
pub(crate) mod plain;
pub(crate) mod range;
pub(crate) mod rich;

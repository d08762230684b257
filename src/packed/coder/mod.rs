//! A game as bits: the range coder, the intervals that it takes, a game on its way, and the two forms of a stream.

pub(crate) mod intervals;
pub(crate) mod kind;
pub(crate) mod line;
pub(crate) mod plain;
pub(crate) mod range;
pub(crate) mod rich;

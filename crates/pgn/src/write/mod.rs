//! Writes PGN in the standard's export format, or in the style of a source.

pub(super) mod shape;
pub(super) mod style;
pub(super) mod writer;

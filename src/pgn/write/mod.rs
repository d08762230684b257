//! PGN written: in the standard's export format, or in the style in which a source was written.

pub(super) mod letters;
pub(super) mod shape;
pub(super) mod style;
pub(super) mod writer;

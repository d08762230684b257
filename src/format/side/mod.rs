//! The files beside an archive that searches use. Each is a cache that can be rebuilt from the archive.
//!
//! `head` is the beginning of each file: its segments with their games, and the commit at which each segment was made.
//! The other files cover the contents of segments.

pub mod facts;
mod head;
pub mod places;
pub mod tag_columns;

pub use head::{
    BEGIN, Head, MAX_SEGMENTS, Made, PAGE, POSITIONS, Part, RUN, SIGNATURES, Segment, TAG_COLUMNS, VERSION,
};

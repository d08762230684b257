//! The side files of an archive, which searches use. Each side file is a cache that can be rebuilt from the archive.
//!
//! `head` covers the beginning of each file: its segments with their games, and the commit for which each segment was
//! built. The other modules cover the contents of segments.

pub mod facts;
mod head;
pub mod places;
pub mod tag_columns;

pub use head::{
    BEGIN, Head, MAX_SEGMENTS, Made, PAGE, POSITIONS, Part, RUN, SIGNATURES, Segment, TAG_COLUMNS, VERSIONS,
};

//! The files beside an archive that searches need, each a cache that can be made again from the archive.
//!
//! `head` is what they begin with: which segments they have, for which games, and which commit of which archive each of
//! these was made from. The others are what segments hold.

pub mod facts;
mod head;
pub mod places;
pub mod tag_columns;

pub use head::{
    BEGIN, Head, MAX_SEGMENTS, Made, PAGE, POSITIONS, Part, RUN, SIGNATURES, Segment, TAG_COLUMNS, VERSION,
};

//! The files beside an archive that searches need, each a cache that can be made again from the archive.
//!
//! `header` is what they begin with: which state of which archive they belong to.

mod header;
pub mod positions;
pub mod signatures;
pub mod tag_columns;

pub use header::{HEADER, SideHeader, is_of_another_version};

//! The parts of an archive file and its index: header pages, block headers, and the blocks outside chunks.
//!
//! Each module covers one structure: it encodes the structure to bytes and reads it from a slice. `state` is part of
//! several structures: it contains the identity of the archive and its last commit.

pub mod block;
pub mod commit;
pub mod deletions;
pub mod dictionary;
pub mod header;
pub mod index;
pub mod loose;
pub mod metadata;
pub mod parity;
pub mod source;
pub mod state;

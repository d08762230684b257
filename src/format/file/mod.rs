//! The parts of an archive file and its index: header pages, block headers, and the blocks that do not belong to one
//! chunk.
//!
//! Each file covers one structure, encodes it to bytes and reads it from a slice. `state` is common to these
//! structures: the identity of the archive and its last commit.

pub mod block;
pub mod commit;
pub mod deletions;
pub mod dictionary;
pub mod header;
pub mod index;
pub mod loose;
pub mod metadata;
pub mod source;
pub mod state;

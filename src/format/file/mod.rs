//! What an archive file and its index are made of: header pages, block headers, and the blocks that are not about the
//! games of one chunk.
//!
//! Each file has one structure, encodes it to bytes and reads it from a slice. `state` is what all of them say alike:
//! which archive, and how far it is committed.

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

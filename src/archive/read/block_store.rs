//! The bytes of an open archive as blocks, with the archive's identity, committed length and limits.

use crate::archive::read::blocks::BlockRef;
use crate::archive::read::read_at::Store;
use crate::error::Damage;
use crate::format::{ArchiveId, Limits};
use std::borrow::Cow;

/// An archive's bytes up to the end of its last commit.
#[derive(Debug)]
pub struct BlockStore {
    pub store: Store,
    pub id: ArchiveId,
    /// The committed length in bytes.
    pub end: u64,
    pub limits: Limits,
}

impl BlockStore {
    /// Returns the part of a block's payload that its CRC covers, if the CRC is valid and the part is within the
    /// limits.
    pub fn payload(&self, block: &BlockRef) -> Result<Cow<'_, [u8]>, Damage> {
        block.checked_within(&self.store, self.id, &self.limits)
    }
}

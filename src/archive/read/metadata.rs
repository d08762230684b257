//! The metadata of an archive: keys and values, and the model of its packed moves.

use crate::archive::read::archive::Archive;
use crate::archive::read::blocks::BlockRef;
use crate::archive::read::read_at::ReadAt;
use crate::error::{Damage, DamageKind, Result};
use crate::format::block::BlockKind;
use crate::format::moves::ModelName;
use crate::format::{ArchiveId, Limits, metadata};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

impl Archive {
    /// Returns the metadata of the archive, such as its `title` and `license`. FORMAT.md lists the defined keys. Walks
    /// the archive's block headers.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
    /// use scoresheet::Archive;
    ///
    /// Archive::describe(&target, [("title", "Club games"), ("license", "CC0-1.0")])?;
    /// assert_eq!(Archive::open(&target)?.metadata()?["title"], "Club games");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn metadata(&self) -> Result<BTreeMap<String, String>> {
        let mut metadata = BTreeMap::new();
        for block in self.blocks_of(BlockKind::Metadata) {
            // Later blocks take precedence, and an empty value removes a key.
            for (key, value) in pairs_of(self.store(), self.id(), self.limits(), &block?)? {
                match value.is_empty() {
                    true => metadata.remove(&key),
                    false => metadata.insert(key, value),
                };
            }
        }
        Ok(metadata)
    }

    /// Returns the models that the archive contains, each with its name and its file. Walks the archive's block
    /// headers.
    pub fn models(&self) -> Result<Vec<(ModelName, Vec<u8>)>> {
        let mut models = Vec::new();
        for block in self.blocks_of(BlockKind::Model) {
            models.extend(model_of(self.store(), self.id(), self.limits(), &block?)?);
        }
        Ok(models)
    }
}

/// Returns the keys and values of a metadata block, or no pairs if the block's coding is unknown.
pub(in crate::archive) fn pairs_of(
    store: &impl ReadAt,
    id: ArchiveId,
    limits: &Limits,
    block: &BlockRef,
) -> Result<Vec<(String, String)>, Damage> {
    if block.header.coding != 0 {
        return Ok(Vec::new());
    }
    let payload = block.checked_within(store, id, limits)?;
    let pairs = metadata::decode_within(&payload, block.header.count as usize, limits);
    pairs.ok_or(Damage::new(block.offset, DamageKind::MetadataBlock))
}

/// Returns the model of a model block, or `None` if its coding is unknown.
pub(in crate::archive) fn model_of(
    store: &impl ReadAt,
    id: ArchiveId,
    limits: &Limits,
    block: &BlockRef,
) -> Result<Option<(ModelName, Vec<u8>)>, Damage> {
    if block.header.coding != 0 {
        return Ok(None);
    }
    let damage = || Damage::new(block.offset, DamageKind::ModelBlock);
    let payload = block.checked_within(store, id, limits)?;
    let model = metadata::decode_model_within(&payload, limits).ok_or_else(damage)?;
    let number = u32::try_from(block.header.first).map_err(|_| damage())?;
    let [a, b, c, d, ..] = <[u8; 32]>::from(Sha256::digest(&model));
    Ok(Some((ModelName { number, hash: u32::from_le_bytes([a, b, c, d]) }, model)))
}

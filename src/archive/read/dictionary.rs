//! The strings of the archive, read block by block at the first access.

use crate::archive::read::blocks::BlockRef;
use crate::archive::read::read_at::Store;
use crate::error::{Damage, DamageKind};
use crate::format::block::BlockKind;
use crate::format::dictionary::BlockStrings;
use crate::format::index::{DictionaryEntry, Index};
use crate::format::refused::decoded;
use crate::format::{ArchiveId, Limits};
use std::ops::Range;
use std::sync::OnceLock;

/// The usual maximum size in bytes of a dictionary block. Most blocks are much smaller.
const USUAL: u64 = 64 << 10;

/// The dictionary of an open archive.
#[derive(Debug)]
pub struct Dictionary {
    blocks: Vec<OnceLock<Result<BlockStrings, Damage>>>,
}

impl Dictionary {
    pub fn new(index: &Index) -> Dictionary {
        Dictionary { blocks: index.dictionaries.iter().map(|_| OnceLock::new()).collect() }
    }

    /// Returns the string with this number in the dictionary of an archive with this index. If the string's block is
    /// damaged, reads the second copy of the block.
    pub fn get(
        &self,
        archive: &Store,
        index: &Index,
        id: ArchiveId,
        limits: &Limits,
        number: u64,
    ) -> Result<&[u8], Damage> {
        let after = index.dictionaries.partition_point(|entry| entry.first <= number);
        let missing = || Damage::new(0, DamageKind::NoSuchString);
        let at = after.checked_sub(1).ok_or_else(missing)?;
        let entry = index.dictionaries.get(at).ok_or_else(missing)?;
        let block = self.blocks.get(at).ok_or_else(missing)?;
        let read = |offset: u64| read(archive, id, limits, offset..next_start(index, at, offset), entry);
        let strings = archive.once(block, || read(entry.offset).or_else(|_| read(entry.copy)))?;
        usize::try_from(number - entry.first).ok().and_then(|index| strings.get(index)).ok_or_else(missing)
    }
}

/// Returns the start of the next known block after the block `number` of the dictionary, or after its copy, at `offset`.
fn next_start(index: &Index, number: usize, offset: u64) -> u64 {
    let chunk = index.chunks.partition_point(|chunk| chunk.offset <= offset);
    let chunk = index.chunks.get(chunk).map(|chunk| chunk.offset);
    let near = index.dictionaries.get(number..).unwrap_or_default().iter().take(2);
    let known = near.flat_map(|entry| [entry.offset, entry.copy]).chain(chunk).chain([index.state.length]);
    known.filter(|start| *start > offset).min().unwrap_or(u64::MAX)
}

fn read(
    archive: &Store,
    id: ArchiveId,
    limits: &Limits,
    Range { start: offset, end }: Range<u64>,
    entry: &DictionaryEntry,
) -> Result<BlockStrings, Damage> {
    // The header and the strings are read together if they have the usual size. The next known block limits the size.
    let size = end.saturating_sub(offset).min(USUAL);
    let near = archive.ahead(offset..offset.saturating_add(size), None);
    let file = near.of(archive);
    let block = BlockRef::at(&file, id, offset)?;
    let payload = block.checked_within(&file, id, limits)?;
    let header = Some(block.header);
    let header = header.filter(|header| header.kind == BlockKind::Dictionary && header.first == entry.first);
    decoded(offset, DamageKind::DictionaryBlock, || {
        BlockStrings::decode_within(&payload, header?.count as usize, limits)
    })
}

//! Checks the order of an archive's blocks, and the contents of blocks that no game needs (FORMAT.md, sections 5, 14,
//! 15).

use crate::archive::maintain::mend;
use crate::archive::read::blocks::BlockRef;
use crate::archive::read::metadata::{model_of, pairs_of};
use crate::archive::read::read_at::ReadAt;
use crate::error::{Damage, DamageKind};
use crate::format::block::{BlockHeader, BlockKind};
use crate::format::dictionary::BlockStrings;
use crate::format::{ArchiveId, Limits, State, deletions, loose};

/// Checks the order of an archive's blocks, one block after the other.
#[derive(Default)]
pub(super) struct BlockOrder {
    /// The moves block of the current chunk, and the last column block of this chunk.
    chunk: Option<(BlockHeader, BlockKind)>,
    /// The first string and the number of strings of each dictionary block of the batch whose copy has not been reached.
    dictionaries: Vec<(u64, u32)>,
    /// The offset of the last commit.
    pub commit: u64,
}

impl BlockOrder {
    /// Processes the next block and returns any fault in the order of the blocks.
    pub fn add(&mut self, block: &BlockRef) -> Option<Damage> {
        let header = block.header;
        let is_out_of_order = match header.kind {
            BlockKind::Metadata | BlockKind::Model | BlockKind::Parity | BlockKind::Other(_) => return None,
            BlockKind::Tags | BlockKind::Texts | BlockKind::Layout => match &mut self.chunk {
                Some((moves, last)) if (moves.first, moves.count) == (header.first, header.count) => {
                    let before = std::mem::replace(last, header.kind);
                    !follows(before, header.kind)
                }
                _ => true,
            },
            _ => {
                let chunk = self.chunk.take();
                if header.kind == BlockKind::Moves {
                    self.chunk = Some((header, BlockKind::Moves));
                }
                chunk.is_some_and(|(_, last)| last != BlockKind::Layout)
            }
        };
        if header.kind == BlockKind::Dictionary {
            let strings = (header.first, header.count);
            match self.dictionaries.iter().position(|dictionary| *dictionary == strings) {
                Some(copied) => drop(self.dictionaries.remove(copied)),
                None => self.dictionaries.push(strings),
            }
        }
        if header.kind == BlockKind::Commit {
            self.commit = block.offset;
            if !std::mem::take(&mut self.dictionaries).is_empty() {
                return Some(Damage::new(block.offset, DamageKind::DictionaryCopy));
            }
        }
        is_out_of_order.then_some(Damage::new(block.offset, DamageKind::ColumnsOutOfOrder))
    }
}

/// Returns whether a column block of one kind may follow a block of another kind in the same chunk.
fn follows(before: BlockKind, kind: BlockKind) -> bool {
    matches!(
        (before, kind),
        (BlockKind::Moves, BlockKind::Tags)
            | (BlockKind::Tags, BlockKind::Texts | BlockKind::Layout)
            | (BlockKind::Texts, BlockKind::Layout)
    )
}

/// Returns any fault in the payloads of a dictionary block and its copy.
pub(super) fn dictionary_fault(
    store: &impl ReadAt,
    id: ArchiveId,
    limits: &Limits,
    block: &BlockRef,
    copy: &BlockRef,
) -> Option<Damage> {
    let strings = |block: &BlockRef| -> Result<BlockStrings, Damage> {
        let payload = block.checked_within(store, id, limits)?;
        BlockStrings::decode_within(&payload, block.header.count as usize, limits)
            .ok_or(Damage::new(block.offset, DamageKind::DictionaryBlock))
    };
    let (first, second) = match (strings(block), strings(copy)) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(damage), _) | (_, Err(damage)) => return Some(damage),
    };
    let differs = (0..block.header.count as usize).any(|string| first.get(string) != second.get(string));
    differs.then_some(Damage::new(copy.offset, DamageKind::DictionaryCopy))
}

/// Returns any fault in a deletions or restorations block that follows the blocks of `before`.
pub(super) fn deletions_fault(store: &impl ReadAt, before: &State, block: &BlockRef) -> Option<Damage> {
    let header = block.header;
    let payload = match block.checked(store, before.id) {
        Ok(payload) => payload,
        Err(damage) => return Some(damage),
    };
    let agrees = |runs: Vec<(u64, u64)>| {
        let games = runs.iter().map(|(first, last)| last - first + 1).sum::<u64>();
        games == u64::from(header.count) && runs.first().is_some_and(|(first, _)| *first == header.first)
    };
    let is_right = deletions::decode(&payload, before.games).is_some_and(agrees);
    (!is_right).then_some(Damage::new(block.offset, DamageKind::DeletionsBlock))
}

/// Returns any fault in a loose block of an archive with these numbers of games and of source blocks. The bytes of the
/// block belong to one of the sources or to an unfinished one, and precede one of the games or the next. Within a batch,
/// a loose block may precede the chunk of its game.
pub(super) fn loose_fault(
    store: &impl ReadAt,
    id: ArchiveId,
    (games, sources): (u64, u64),
    block: &BlockRef,
) -> Option<Damage> {
    let payload = match block.checked(store, id) {
        Ok(payload) => payload,
        Err(damage) => return Some(damage),
    };
    let follows = loose::split(&payload).is_some_and(|(source, _)| source <= sources)
        && (1..=games + 1).contains(&block.header.first);
    (!follows).then_some(Damage::new(block.offset, DamageKind::LooseBlock))
}

/// Returns any fault in a metadata, model or parity block.
pub(super) fn metadata_fault(store: &impl ReadAt, id: ArchiveId, limits: &Limits, block: &BlockRef) -> Option<Damage> {
    match block.header.kind {
        BlockKind::Metadata => pairs_of(store, id, limits, block).err(),
        BlockKind::Model => model_of(store, id, limits, block).err(),
        BlockKind::Parity if block.header.coding == 0 && !mend::agrees(store, id, block) => {
            Some(Damage::new(block.offset, DamageKind::BlockContent))
        }
        _ => None,
    }
}

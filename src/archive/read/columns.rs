//! The compressed columns of a chunk (tags, texts and layout), each read at the first access.

use crate::archive::read::block_store::BlockStore;
use crate::archive::read::blocks::BlockRef;
use crate::archive::read::read_at::{Near, ReadAt};
use crate::error::{Damage, DamageKind};
use crate::format::Limits;
use crate::format::block::BlockKind;
use crate::format::layout::Layout;
use crate::format::refused::decoded;
use crate::format::tags::Tags;
use crate::format::texts::Texts;
use std::sync::OnceLock;

/// The usual total size in bytes of a chunk's tags and texts with their headers. One read requests this many bytes, or
/// fewer if the next chunk starts before.
const USUAL_COLUMNS: u64 = 32 << 10;

/// The offsets of the column blocks of a chunk, if known in advance.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColumnBlocks {
    tags: Option<BlockRef>,
    texts: Option<BlockRef>,
    layout: Option<BlockRef>,
}

impl ColumnBlocks {
    /// Adds a column block. Only the first block of each kind is used.
    pub fn add(&mut self, block: BlockRef) {
        let slot = match block.header.kind {
            BlockKind::Tags => &mut self.tags,
            BlockKind::Texts => &mut self.texts,
            BlockKind::Layout => &mut self.layout,
            _ => return,
        };
        slot.get_or_insert(block);
    }

    fn get(&self, kind: BlockKind) -> Option<BlockRef> {
        match kind {
            BlockKind::Tags => self.tags,
            BlockKind::Texts => self.texts,
            BlockKind::Layout => self.layout,
            _ => None,
        }
    }
}

/// The compressed columns of a chunk, each read at the first access.
#[derive(Debug, Default)]
pub struct Columns {
    /// The column blocks, if known in advance. Otherwise, they are found after the chunk's moves.
    known: Option<ColumnBlocks>,
    /// The offset of the next chunk, if known.
    next_chunk: Option<u64>,
    /// The first bytes after the chunk's moves, read once for all columns.
    near: OnceLock<Near>,
    tags: OnceLock<Result<Tags, Damage>>,
    texts: OnceLock<Result<Option<Texts>, Damage>>,
    scores: OnceLock<Result<Option<Texts>, Damage>>,
    layout: OnceLock<Result<Layout, Damage>>,
}

impl Columns {
    /// Returns the columns of a chunk whose blocks are known.
    pub(in crate::archive) fn at(blocks: ColumnBlocks) -> Columns {
        Columns { known: Some(blocks), ..Columns::default() }
    }

    /// Returns the columns of a chunk before another chunk.
    pub(in crate::archive) fn before(next_chunk: Option<u64>) -> Columns {
        Columns { next_chunk, ..Columns::default() }
    }

    /// Returns a chunk's block of `kind`, from bytes that have been read already.
    pub(in crate::archive) fn block(
        &self,
        file: &impl ReadAt,
        blocks: &BlockStore,
        moves: &BlockRef,
        kind: BlockKind,
    ) -> Result<Option<BlockRef>, Damage> {
        match &self.known {
            Some(known) => Ok(known.get(kind)),
            None => block_after(file, blocks, moves, kind, self.next_chunk.unwrap_or(u64::MAX)),
        }
    }

    /// Reads a chunk's block of `kind`, or returns `None` if the chunk has no such block. `damage` creates the error
    /// for a block that `decode` cannot read.
    fn read<T>(
        &self,
        blocks: &BlockStore,
        moves: &BlockRef,
        (kind, damage): (BlockKind, DamageKind),
        decode: impl FnOnce(&[u8], usize, &Limits) -> Option<T>,
    ) -> Result<Option<T>, Damage> {
        let near = self.near.get_or_init(|| match self.known {
            None => {
                let usual = moves.end().saturating_add(USUAL_COLUMNS);
                blocks.store.ahead(moves.end()..self.next_chunk.map_or(usual, |next| next.min(usual)), None)
            }
            Some(_) => Near::default(),
        });
        let file = near.of(&blocks.store);
        let Some(block) = self.block(&file, blocks, moves, kind)? else { return Ok(None) };
        let payload = block.checked_within(&file, blocks.id, &blocks.limits)?;
        decoded(block.offset, damage, || decode(&payload, moves.header.count as usize, &blocks.limits)).map(Some)
    }

    pub(in crate::archive) fn tags(&self, blocks: &BlockStore, moves: &BlockRef) -> Result<&Tags, Damage> {
        let read = || {
            let tags = self.read(blocks, moves, (BlockKind::Tags, DamageKind::TagsBlock), Tags::decode_within)?;
            tags.ok_or(Damage::new(moves.offset, DamageKind::TagsMissing))
        };
        blocks.store.once(&self.tags, read)
    }

    pub(in crate::archive) fn texts(&self, blocks: &BlockStore, moves: &BlockRef) -> Result<Option<&Texts>, Damage> {
        let read = || self.read(blocks, moves, (BlockKind::Texts, DamageKind::TextsBlock), Texts::decode_within);
        blocks.store.once(&self.texts, read).map(Option::as_ref)
    }

    /// Returns the texts with scores as numbers, or the texts if these have been read.
    pub(in crate::archive) fn scores(&self, blocks: &BlockStore, moves: &BlockRef) -> Result<Option<&Texts>, Damage> {
        if let Some(Ok(texts)) = self.texts.get() {
            return Ok(texts.as_ref());
        }
        let read = || self.read(blocks, moves, (BlockKind::Texts, DamageKind::TextsBlock), Texts::decode_scores);
        blocks.store.once(&self.scores, read).map(Option::as_ref)
    }

    pub(in crate::archive) fn layout(&self, blocks: &BlockStore, moves: &BlockRef) -> Result<&Layout, Damage> {
        let read = || {
            let kind = (BlockKind::Layout, DamageKind::LayoutBlock);
            let layout = self.read(blocks, moves, kind, Layout::decode_within)?;
            layout.ok_or(Damage::new(moves.offset, DamageKind::LayoutMissing))
        };
        blocks.store.once(&self.layout, read)
    }
}

/// Finds a chunk's block of `kind` between its moves and `next_chunk`.
fn block_after(
    file: &impl ReadAt,
    blocks: &BlockStore,
    moves: &BlockRef,
    kind: BlockKind,
    next_chunk: u64,
) -> Result<Option<BlockRef>, Damage> {
    let mut end = moves.end();
    while end < blocks.end.min(next_chunk) {
        let block = BlockRef::at(file, blocks.id, end)?;
        let header = block.header;
        if header.kind.is_skippable() {
            end = block.end();
            continue;
        }
        let ours = matches!(header.kind, BlockKind::Tags | BlockKind::Texts | BlockKind::Layout);
        if !ours || header.first != moves.header.first {
            break;
        }
        if header.kind == kind {
            return Ok(Some(block));
        }
        end = block.end();
    }
    Ok(None)
}

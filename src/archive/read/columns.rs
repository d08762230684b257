//! The compressed columns of a chunk: tags, texts and layout, each read when first asked for.

use crate::archive::read::block_store::BlockStore;
use crate::archive::read::blocks::BlockRef;
use crate::error::{Damage, DamageKind};
use crate::format::block::BlockKind;
use crate::format::layout::Layout;
use crate::format::tags::Tags;
use crate::format::texts::Texts;
use std::sync::OnceLock;

/// Where the blocks of a chunk's columns are, where that is known beforehand.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColumnBlocks {
    tags: Option<BlockRef>,
    texts: Option<BlockRef>,
    layout: Option<BlockRef>,
}

impl ColumnBlocks {
    /// Adds a block of columns; the first of a kind counts.
    pub fn add(&mut self, block: BlockRef) {
        let place = match block.header.kind {
            BlockKind::Tags => &mut self.tags,
            BlockKind::Texts => &mut self.texts,
            BlockKind::Layout => &mut self.layout,
            _ => return,
        };
        place.get_or_insert(block);
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

/// The compressed columns of a chunk, each read when first asked for.
#[derive(Debug, Default)]
pub struct Columns {
    /// The blocks, where they are known; otherwise they follow the chunk's moves.
    known: Option<ColumnBlocks>,
    tags: OnceLock<Result<Tags, Damage>>,
    texts: OnceLock<Result<Option<Texts>, Damage>>,
    layout: OnceLock<Result<Layout, Damage>>,
}

impl Columns {
    /// Returns columns whose blocks are known already.
    pub(in crate::archive) fn at(blocks: ColumnBlocks) -> Columns {
        Columns { known: Some(blocks), ..Columns::default() }
    }

    /// Returns the block of `kind` of a chunk, and how many games it has.
    pub(in crate::archive) fn block(
        &self,
        blocks: &BlockStore,
        moves: &BlockRef,
        kind: BlockKind,
    ) -> Result<Option<(BlockRef, usize)>, Damage> {
        let block = match &self.known {
            Some(known) => known.get(kind),
            None => block_after(blocks, moves, kind)?,
        };
        Ok(block.map(|block| (block, moves.header.count as usize)))
    }

    pub(in crate::archive) fn tags(&self, blocks: &BlockStore, moves: &BlockRef) -> Result<&Tags, Damage> {
        let read = || {
            let (block, games) = self
                .block(blocks, moves, BlockKind::Tags)?
                .ok_or(Damage::new(moves.offset, DamageKind::TagsMissing))?;
            let payload = blocks.payload(&block)?;
            Tags::decode_within(&payload, games, &blocks.limits).ok_or(Damage::new(block.offset, DamageKind::TagsBlock))
        };
        self.tags.get_or_init(read).as_ref().map_err(|damage| *damage)
    }

    pub(in crate::archive) fn texts(&self, blocks: &BlockStore, moves: &BlockRef) -> Result<Option<&Texts>, Damage> {
        let read = || {
            let Some((block, games)) = self.block(blocks, moves, BlockKind::Texts)? else { return Ok(None) };
            let payload = blocks.payload(&block)?;
            let damage = Damage::new(block.offset, DamageKind::TextsBlock);
            Texts::decode_within(&payload, games, &blocks.limits).ok_or(damage).map(Some)
        };
        self.texts.get_or_init(read).as_ref().map(Option::as_ref).map_err(|damage| *damage)
    }

    pub(in crate::archive) fn layout(&self, blocks: &BlockStore, moves: &BlockRef) -> Result<&Layout, Damage> {
        let read = || {
            let (block, games) = self
                .block(blocks, moves, BlockKind::Layout)?
                .ok_or(Damage::new(moves.offset, DamageKind::LayoutMissing))?;
            let payload = blocks.payload(&block)?;
            Layout::decode_within(&payload, games, &blocks.limits)
                .ok_or(Damage::new(block.offset, DamageKind::LayoutBlock))
        };
        self.layout.get_or_init(read).as_ref().map_err(|damage| *damage)
    }
}

/// Finds the block of `kind` among those that follow a chunk's moves.
fn block_after(blocks: &BlockStore, moves: &BlockRef, kind: BlockKind) -> Result<Option<BlockRef>, Damage> {
    let mut end = moves.end();
    while end < blocks.end {
        let block = blocks.block(end)?;
        let header = block.header;
        if matches!(header.kind, BlockKind::Other(_)) {
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

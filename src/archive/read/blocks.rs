//! Reads, checks and walks over the blocks of a file, finds blocks between damage, and builds an index.

use crate::archive::read::read_at::ReadAt;
use crate::error::{Damage, DamageKind, Limit};
use crate::format::block::{BlockHeader, BlockKind, HEADER, SYNC};
use crate::format::header::BLOCKS;
use crate::format::index::{ChunkEntry, DeletionEntry, DictionaryEntry, Index};
use crate::format::moves::{MovesTable, PAGE, unknown_coding};
use crate::format::{ArchiveId, Limits, State};
use std::borrow::Cow;

/// A block in an archive, identified by its offset and header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockRef {
    /// The start offset.
    pub offset: u64,
    /// The header of the block.
    pub header: BlockHeader,
}

impl BlockRef {
    /// Reads the block header at `offset`.
    pub fn at<R: ReadAt + ?Sized>(archive: &R, id: ArchiveId, offset: u64) -> Result<BlockRef, Damage> {
        let damaged = || Damage::new(offset, DamageKind::BlockHeader);
        let rest = archive.length().checked_sub(offset).and_then(|rest| rest.checked_sub(HEADER as u64));
        let rest = rest.ok_or_else(damaged)?;
        let header = archive.read_at(offset, HEADER as u64)?;
        let header = BlockHeader::decode(&header, id, offset).ok_or_else(damaged)?;
        if header.length > rest {
            return Err(Damage::new(offset, DamageKind::BlockPastEnd));
        }
        if let Some(part) = header.unknown() {
            return Err(Damage::new(offset, DamageKind::Unknown(part)));
        }
        Ok(BlockRef { offset, header })
    }

    /// Returns the offset of the payload.
    pub fn payload_offset(&self) -> u64 {
        self.offset + HEADER as u64
    }

    /// Returns the offset of the next block.
    pub fn end(&self) -> u64 {
        self.payload_offset() + self.header.length
    }

    /// Returns the payload of an archive in memory, without checking it.
    #[inline]
    pub fn payload<'a>(&self, archive: &'a [u8]) -> &'a [u8] {
        archive.get(self.payload_offset() as usize..self.end() as usize).unwrap_or_default()
    }

    /// Returns the part of the payload that the payload CRC covers, if the CRC is valid: the table of a moves block,
    /// and the entire payload of other blocks.
    pub fn checked<'a, R: ReadAt + ?Sized>(&self, archive: &'a R, id: ArchiveId) -> Result<Cow<'a, [u8]>, Damage> {
        let checked = archive.read_at(self.payload_offset(), u64::from(self.header.checked))?;
        let found = id.crc(self.payload_offset(), &checked);
        if found != self.header.payload_crc {
            let kind = DamageKind::Checksum { expected: self.header.payload_crc, found };
            return Err(Damage::new(self.offset, kind));
        }
        Ok(checked)
    }

    /// Returns the payload that `checked` returns, if the block is within the limits.
    pub fn checked_within<'a, R: ReadAt + ?Sized>(
        &self,
        archive: &'a R,
        id: ArchiveId,
        limits: &Limits,
    ) -> Result<Cow<'a, [u8]>, Damage> {
        if self.header.checked > limits.block {
            let (limit, needed) = (u64::from(limits.block), u64::from(self.header.checked));
            let limit = Limit { what: "a block", limit, needed };
            return Err(Damage::new(self.offset, DamageKind::OverLimit(limit)));
        }
        self.checked(archive, id)
    }
}

/// An iterator over the blocks of an archive up to its committed end. It stops at the first damaged header.
pub struct Scan<'a, R: ?Sized> {
    archive: &'a R,
    id: ArchiveId,
    next: u64,
}

impl<'a, R: ReadAt + ?Sized> Scan<'a, R> {
    /// Returns an iterator over the blocks of the archive up to its committed end.
    pub fn new(archive: &'a R, id: ArchiveId) -> Scan<'a, R> {
        Scan { archive, id, next: BLOCKS }
    }
}

impl<R: ReadAt + ?Sized> Iterator for Scan<'_, R> {
    type Item = Result<BlockRef, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.archive.length() {
            return None;
        }
        let block = BlockRef::at(self.archive, self.id, self.next);
        self.next = block.as_ref().map_or(u64::MAX, |block| block.end());
        Some(block)
    }
}

/// Adds blocks to an index in file order, while the blocks are written or found.
#[derive(Debug)]
pub struct IndexBuilder {
    /// The index of the added blocks. The index's state is the state of an archive that ends after these blocks.
    pub index: Index,
    /// The numbers of pages and strings at the last commit.
    committed: (u64, u64),
}

impl IndexBuilder {
    /// Returns the builder for the index of an archive without blocks.
    pub fn new(id: ArchiveId) -> IndexBuilder {
        IndexBuilder { index: Index { state: State::new(id), ..Index::default() }, committed: (0, 0) }
    }

    /// Adds the next block.
    pub fn add(&mut self, block: &BlockRef) -> Result<(), Damage> {
        let BlockRef { offset, header } = *block;
        let damage = |what| Damage::new(offset, what);
        match header.kind {
            BlockKind::Moves => {
                let pages = MovesTable::pages_of(&header).ok_or(damage(DamageKind::MovesBlock))?;
                if header.count == 0 || header.first != self.index.state.games + 1 {
                    return Err(damage(DamageKind::GamesOutOfOrder));
                }
                self.index.chunks.push(ChunkEntry { first: header.first, offset, pages: self.index.pages });
                self.index.pages += pages;
            }
            BlockKind::Dictionary => {
                let (known, entries) = (self.index.strings, &mut self.index.dictionaries);
                if header.first == known && header.count > 0 {
                    entries.push(DictionaryEntry { first: known, offset, copy: 0 });
                    self.index.strings += u64::from(header.count);
                } else {
                    // The copy follows its block anywhere in the batch.
                    let entry = entries.binary_search_by_key(&header.first, |entry| entry.first).ok();
                    let entry = entry.and_then(|index| entries.get_mut(index));
                    let entry = entry.filter(|entry| entry.copy == 0 && entry.first >= self.committed.1);
                    entry.ok_or(damage(DamageKind::DictionaryOutOfOrder))?.copy = offset;
                }
            }
            BlockKind::Deleted | BlockKind::Restored => {
                let entry = DeletionEntry { first: header.first, offset, count: u64::from(header.count) };
                self.index.deletions.push(entry);
            }
            BlockKind::Commit => self.committed = (self.index.pages, self.index.strings),
            BlockKind::Tags | BlockKind::Texts | BlockKind::Layout | BlockKind::Source | BlockKind::Loose => {}
            BlockKind::Metadata | BlockKind::Model | BlockKind::Parity | BlockKind::Other(_) => {}
        }
        self.index.state.extend(&header);
        Ok(())
    }
    /// Returns to an earlier commit and removes later blocks.
    pub fn go_back(&mut self, state: State) {
        let index = &mut self.index;
        index.chunks.retain(|entry| entry.offset < state.length);
        index.dictionaries.retain(|entry| entry.offset < state.length);
        index.deletions.retain(|entry| entry.offset < state.length);
        (index.pages, index.strings, index.state) = (self.committed.0, self.committed.1, state);
    }
}

/// Finds all blocks. After a damaged header, the search continues at the next intact block header.
pub fn walk(archive: &(impl ReadAt + ?Sized), id: ArchiveId) -> (Vec<BlockRef>, Vec<Damage>) {
    let (mut blocks, mut damage) = (Vec::new(), Vec::new());
    let mut next = BLOCKS;
    while next < archive.length() {
        match BlockRef::at(archive, id, next) {
            Ok(block) => {
                next = block.end();
                blocks.push(block);
            }
            Err(fault) => {
                damage.push(fault);
                next = next_block(archive, id, next + 1).unwrap_or(u64::MAX);
            }
        }
    }
    (blocks, damage)
}

/// Returns an error if the walk has reached an unknown block that must not be skipped. This is not damage.
pub fn refuse_unknown(damage: &[Damage]) -> Result<(), Damage> {
    damage.iter().find(|fault| matches!(fault.kind, DamageKind::Unknown(_))).map_or(Ok(()), |fault| Err(fault.clone()))
}

/// The maximum number of bytes to search at once for a sync word.
const WINDOW: u64 = 1 << 20;

/// Returns the offset of the first intact block header at or after `start`.
pub fn next_block(archive: &(impl ReadAt + ?Sized), id: ArchiveId, start: u64) -> Option<u64> {
    let mut next = next_sync(archive, start)?;
    while BlockRef::at(archive, id, next).is_err() {
        next = next_sync(archive, next + 1)?;
    }
    Some(next)
}

/// Returns the offset of the first sync word at or after `start`.
pub fn next_sync(archive: &(impl ReadAt + ?Sized), mut start: u64) -> Option<u64> {
    // The search starts with a small window, because the next block is usually near.
    let mut window = 1 << 12;
    while start < archive.length() {
        // A sync word may span two windows, so windows overlap.
        let length = (window + SYNC.len() as u64 - 1).min(archive.length() - start);
        // An unreadable block is skipped like a damaged block.
        let bytes = archive.read_at(start, length).unwrap_or_default();
        if let Some(at) = memchr::memmem::find(&bytes, &SYNC) {
            return Some(start + at as u64);
        }
        start += window;
        window = WINDOW;
    }
    None
}

/// Checks the payload of a block. The pages of moves are checked individually.
pub fn check_block(archive: &(impl ReadAt + ?Sized), id: ArchiveId, block: &BlockRef) -> Vec<Damage> {
    let table = match block.checked(archive, id) {
        Ok(table) => table,
        Err(damage) => return vec![damage],
    };
    if block.header.kind != BlockKind::Moves {
        return Vec::new();
    }
    let damage = Damage::new(block.offset, DamageKind::MovesBlock);
    if let Some(part) = unknown_coding(&block.header) {
        return vec![Damage::new(block.offset, DamageKind::Unknown(part))];
    }
    let Some(layout) = MovesTable::from_header(&block.header) else { return vec![damage] };
    let intact = |page: usize| {
        let range = layout.page(page);
        let bytes = archive.read_at(block.payload_offset() + range.start as u64, range.len() as u64);
        bytes.is_ok_and(|bytes| layout.page_is_intact(&table, page, &bytes, id, block.payload_offset()))
    };
    let bad: Vec<usize> = (0..layout.pages()).filter(|page| !intact(*page)).collect();
    let overlaps = |index: usize| {
        let (start, length) = layout.locate(&table, index)?;
        let after = bad.partition_point(|page| *page < start / PAGE);
        bad.get(after).is_some_and(|page| *page < (start + length).div_ceil(PAGE)).then_some(())
    };
    let lost = |game| Damage::new(block.offset, DamageKind::GameRecords).of_game(game);
    if bad.is_empty() {
        return Vec::new();
    }
    (0..layout.count)
        .filter(|index| overlaps(*index).is_some())
        .map(|index| lost(block.header.first + index as u64))
        .collect()
}

//! Reads the game records of an open archive: locates them in the index, checks their pages and unpacks their moves.

use crate::archive::read::archive::{Archive, GAMES_PER_ENTRY};
use crate::archive::read::blocks::BlockRef;
use crate::archive::read::head::{Head, MODEL, Trail};
use crate::archive::read::read_at::ReadAt;
use crate::chess::position::STANDARD;
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::index::ChunkEntry;
use crate::format::moves::{self, Coding, MovesTable};
use crate::format::record::Record;
use crate::format::refused::decoded;
use crate::packed;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::Ordering;

impl Archive {
    /// Returns a chunk's head, which is read at the first access.
    #[inline]
    pub(in crate::archive) fn head(&self, chunk: usize) -> Result<&Head, Damage> {
        self.head_before(chunk, None)
    }

    /// Returns the head of a chunk. If the record at `index` is read next, requests both together.
    #[inline]
    fn head_before(&self, chunk: usize, index: Option<usize>) -> Result<&Head, Damage> {
        let found = self.heads.get(chunk).zip(self.index.chunks.get(chunk));
        let (lock, entry) = found.ok_or(Damage::new(0, DamageKind::NoSuchChunk))?;
        self.blocks.store.once(lock, || {
            let (head, record) = self.likely(chunk, entry, index);
            let near = self.blocks.store.ahead(head, record);
            let file = near.of(&self.blocks.store);
            let block = BlockRef::at(&file, self.blocks.id, entry.offset)?;
            if let Some(part) = moves::unknown_coding(&block.header) {
                return Err(Damage::new(entry.offset, DamageKind::Unknown(part)));
            }
            let layout = MovesTable::from_header(&block.header)
                .filter(|_| block.header.first == entry.first)
                .ok_or(Damage::new(entry.offset, DamageKind::MovesBlock))?;
            let checked = block.checked_within(&file, self.blocks.id, self.limits())?;
            let coding = layout.coding(&checked).ok_or(Damage::new(entry.offset, DamageKind::MovesBlock))?;
            let table = self.blocks.store.bytes().is_err().then(|| checked.into());
            let head = Head { block, layout, coding, table };
            if let (Some(_), Some(index)) = (&head.table, index) {
                // The pages are cached for the next read, which also returns any error.
                let _ = self.record_from_file(&file, &head, index);
            }
            Ok(head)
        })
    }

    /// Returns the range of a chunk's head (block header and table), and the likely range of its record at `index`,
    /// both from the index. With these ranges, a caller can request both parts at once and wait only once.
    #[cold]
    fn likely(&self, chunk: usize, entry: &ChunkEntry, index: Option<usize>) -> (Range<u64>, Option<Range<u64>>) {
        let games = self.games_of(chunk);
        let games = games.end.saturating_sub(games.start);
        // The table occupies about two bytes per game.
        let head = entry.offset..entry.offset.saturating_add(1024).saturating_add(games.saturating_mul(2));
        let pages = self.index.chunks.get(chunk + 1).map_or(self.index.pages, |next| next.pages);
        let record = index.map(|index| {
            let record = moves::likely_record(games, pages.saturating_sub(entry.pages), index as u64);
            entry.offset.saturating_add(record.start)..entry.offset.saturating_add(record.end)
        });
        (head, record)
    }

    /// Returns the chunk of a game, and the game's index in this chunk.
    #[inline]
    pub(in crate::archive) fn locate(&self, game: u64) -> Result<(usize, usize)> {
        if game == 0 || game > self.len() {
            return Err(Error::NoSuchGame { game, games: self.len() });
        }
        // Only a few chunks lie between the entry for these games and the next entry.
        let entry = (game / GAMES_PER_ENTRY) as usize;
        let from = self.entries.get(entry).map_or(0, |chunk| *chunk as usize);
        let to = self.entries.get(entry + 1).map_or(usize::MAX, |chunk| *chunk as usize + 1);
        let to = to.min(self.index.chunks.len());
        let near = self.index.chunks.get(from..to).unwrap_or_default();
        let before = from + near.partition_point(|entry| entry.first <= game);
        let found = before.checked_sub(1).and_then(|chunk| Some((chunk, game - self.index.chunks.get(chunk)?.first)));
        let (chunk, index) = found.ok_or(Damage::new(0, DamageKind::GameNotFound).of_game(game))?;
        Ok((chunk, index as usize))
    }

    /// Returns the record at `index` of a chunk with plain moves. Packed moves are unpacked up to main-line ply
    /// `limit`, or completely if it is `None`.
    #[inline]
    pub(in crate::archive) fn record(
        &self,
        chunk: usize,
        index: usize,
        limit: Option<u32>,
    ) -> Result<Record<'_>, Damage> {
        self.record_on(chunk, index, limit, &mut Trail::default())
    }

    /// Returns a record like `record`, for a walk through the chunk. Uses and updates the trail of the walk.
    #[inline]
    pub(in crate::archive) fn record_on(
        &self,
        chunk: usize,
        index: usize,
        limit: Option<u32>,
        trail: &mut Trail,
    ) -> Result<Record<'_>, Damage> {
        let head = self.head_before(chunk, Some(index))?;
        let record = self.record_at(chunk, head, index, trail)?;
        if head.layout.packed { unpacked(record, head, index, limit) } else { Ok(record) }
    }

    /// Returns whether a game has its own starting position instead of the standard one. Reads only the head of the
    /// game's record. Deleted games are included.
    #[doc(hidden)]
    pub fn starts_elsewhere(&self, game: u64) -> Result<bool> {
        let (chunk, index) = self.locate(game)?;
        Ok(self.stored_record(chunk, index)?.set_up.is_some())
    }

    /// Returns the stored record at `index` of a chunk, with its pages checked.
    #[inline]
    pub(in crate::archive) fn stored_record(&self, chunk: usize, index: usize) -> Result<Record<'_>, Damage> {
        self.record_at(chunk, self.head_before(chunk, Some(index))?, index, &mut Trail::default())
    }

    #[inline]
    fn record_at(&self, chunk: usize, head: &Head, index: usize, trail: &mut Trail) -> Result<Record<'_>, Damage> {
        let Head { block, layout, .. } = head;
        let Ok(bytes) = self.blocks.store.bytes() else {
            return self.record_from_file(&self.blocks.store, head, index);
        };
        let payload = block.payload(bytes);
        let damage = |what| Damage::new(block.offset, what).of_game(block.header.first + index as u64);
        let before = trail.next.filter(|(next, _)| *next == index).map(|(_, before)| before);
        if before.is_none() {
            // The record is probably in the page of this byte. Reading the byte now lets the processor translate the
            // address while the table is still loading, which saves 10 % (benches/runs/2026-11-25-patterns.md).
            let likely = layout.size as u64 * index as u64 / layout.count.max(1) as u64;
            std::hint::black_box(payload.get(layout.records + likely as usize).copied());
        }
        let (start, length) = layout.locate_behind(payload, index, before).ok_or(damage(DamageKind::MovesTable))?;
        trail.next = Some((index + 1, (start, length)));
        // A game without moves may have an empty record, which is on no page.
        let known = trail.page == Some(start / moves::PAGE);
        let pages = start / moves::PAGE + usize::from(known)..(start + length).div_ceil(moves::PAGE);
        let first_page = self.index.chunks.get(chunk).map_or(u64::MAX, |entry| entry.pages);
        for page in pages.filter(|_| !layout.variants) {
            let bit = first_page.saturating_add(page as u64);
            let word = self.intact.get((bit / 64) as usize).ok_or(damage(DamageKind::IndexDisagrees))?;
            let mask = 1 << (bit % 64);
            if word.load(Ordering::Relaxed) & mask == 0 {
                let range = layout.page(page);
                self.blocks.store.will_need(block.payload_offset() + range.start as u64, range.len() as u64);
                let bytes = payload.get(layout.page(page)).unwrap_or_default();
                if !layout.page_is_intact(payload, page, bytes, self.blocks.id, block.payload_offset()) {
                    return Err(damage(DamageKind::GameRecords));
                }
                word.fetch_or(mask, Ordering::Relaxed);
            }
            trail.page = Some(page);
        }
        if layout.variants {
            // The index counts no pages of variants, so these are checked at each access.
            for page in start / moves::PAGE..(start + length).div_ceil(moves::PAGE) {
                let bytes = payload.get(layout.page(page)).unwrap_or_default();
                if !layout.page_is_intact(payload, page, bytes, self.blocks.id, block.payload_offset()) {
                    return Err(damage(DamageKind::GameRecords));
                }
            }
        }
        let start = layout.records + start;
        let record = payload.get(start..start + length);
        let decode = || decode_record(record?, layout);
        decode().ok_or_else(|| damage(fault_of(decode)))
    }

    /// Returns the record at `index` of a chunk from a file that is not in memory. `file` may contain data that has
    /// been read ahead. Checks each page when it is read.
    #[cold]
    fn record_from_file(&self, from: &impl ReadAt, head: &Head, index: usize) -> Result<Record<'static>, Damage> {
        let Head { block, layout, table, .. } = head;
        let damage = |what| Damage::new(block.offset, what).of_game(block.header.first + index as u64);
        let (Some(table), Err(file)) = (table, self.blocks.store.bytes()) else {
            return Err(damage(DamageKind::MovesTable));
        };
        let (start, length) = layout.locate(table, index).ok_or(damage(DamageKind::MovesTable))?;
        let mut record = Vec::new();
        for page in start / moves::PAGE..(start + length).div_ceil(moves::PAGE) {
            let range = layout.page(page);
            let offset = block.payload_offset() + range.start as u64;
            let intact =
                |bytes: &[u8]| layout.page_is_intact(table, page, bytes, self.blocks.id, block.payload_offset());
            let bytes = file.page(from, offset, range.len() as u64, intact)?.ok_or(damage(DamageKind::GameRecords))?;
            record.extend_from_slice(&bytes);
        }
        let skip = start % moves::PAGE;
        let record = if length == 0 { Some([].as_slice()) } else { record.get(skip..skip + length) };
        let decode = || decode_record(record?, layout);
        decode().map(Record::into_owned).ok_or_else(|| damage(fault_of(decode)))
    }
}

/// Reads a record of a block with this layout.
fn decode_record<'a>(bytes: &'a [u8], layout: &MovesTable) -> Option<Record<'a>> {
    Record::decode(bytes, layout.packed).filter(|record| record.is_of_variant() == layout.variants)
}

/// Returns why a record cannot be decoded: it is damaged or needs a newer program.
#[cold]
fn fault_of<'a>(decode: impl FnOnce() -> Option<Record<'a>>) -> DamageKind {
    decoded(0, DamageKind::GameRecord, decode).err().map_or(DamageKind::GameRecord, |damage| damage.kind)
}

/// Unpacks the moves of the record at `index` of a chunk.
#[cold]
fn unpacked<'a>(record: Record<'a>, head: &Head, index: usize, limit: Option<u32>) -> Result<Record<'a>, Damage> {
    let Head { block, coding, .. } = head;
    let damage = |what| Damage::new(block.offset, what).of_game(block.header.first + index as u64);
    if *coding != Coding::Packed(MODEL) {
        return Err(damage(DamageKind::UnknownModel));
    }
    let mut stream = Vec::new();
    let start = record.set_up.as_deref().unwrap_or(&STANDARD);
    packed::decode(start, &record.stream, limit, &mut stream).map_err(|_| damage(DamageKind::PackedMoves))?;
    Ok(Record { stream: Cow::Owned(stream), ..record })
}

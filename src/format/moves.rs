//! Blocks of game records: a table that finds each, then the records (FORMAT.md, "Moves blocks").
//!
//! The payload is `starts | lengths | page CRCs | records`. A start is the offset of every 16th record among the records, four bytes;
//! a length takes 1, 2 or 4 bytes, the same in the whole block; each 4,096 bytes of the records have a CRC of their own, so that
//! one game can be read, and trusted, without reading the block.

use super::ArchiveId;
use super::block::{BlockHeader, HEADER, Kind};
use std::ops::Range;

/// How many games share a start.
pub const GROUP: usize = 16;
/// The bytes of records under one CRC.
pub const PAGE: usize = 4096;
/// The coding number of records whose moves are plain Brenner bytes.
pub const PLAIN: u8 = 0;

/// Where things are in the payload of a moves block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Games in the block.
    pub count: usize,
    /// Bytes of a length: 1, 2 or 4.
    pub width: usize,
    /// The offset of the page CRCs in the payload.
    pub crcs: usize,
    /// The offset of the records in the payload.
    pub records: usize,
    /// The bytes of all records.
    pub size: usize,
}

impl Layout {
    fn new(count: usize, width: usize, size: usize) -> Layout {
        let crcs = count.div_ceil(GROUP) * 4 + count * width;
        Layout { count, width, crcs, records: crcs + size.div_ceil(PAGE) * 4, size }
    }

    /// Works the layout out of a header; `None` where the header contradicts itself.
    pub fn of(header: &BlockHeader) -> Option<Layout> {
        let width = match header.coding >> 4 {
            0 => 1,
            1 => 2,
            2 => 4,
            _ => return None,
        };
        let size = usize::try_from(header.length).ok()?.checked_sub(header.checked as usize)?;
        // 16 games take at least 20 bytes of table, so a false count shows here.
        let count = header.count as usize;
        let layout = Layout::new(count, width, size);
        (header.kind == Kind::Moves && header.coding & 15 == PLAIN && layout.records == header.checked as usize)
            .then_some(layout)
    }

    /// Returns where record `index` (from 0) is among the records: its offset and length. `payload` has at least the table.
    pub fn locate(&self, payload: &[u8], index: usize) -> Option<(usize, usize)> {
        if index >= self.count {
            return None;
        }
        let group = index / GROUP;
        let start = payload.get(group * 4..group * 4 + 4)?;
        let mut offset = u32::from_le_bytes(start.try_into().ok()?) as usize;
        let lengths = payload.get(self.count.div_ceil(GROUP) * 4..self.crcs)?;
        let before = lengths.get(group * GROUP * self.width..index * self.width)?;
        offset += match self.width {
            1 => before.iter().map(|length| usize::from(*length)).sum::<usize>(),
            width => before.chunks_exact(width).map(length).sum(),
        };
        let size = length(lengths.get(index * self.width..(index + 1) * self.width)?);
        (offset.checked_add(size)? <= self.size).then_some((offset, size))
    }

    /// Returns how many pages the records take.
    pub fn pages(&self) -> usize {
        self.size.div_ceil(PAGE)
    }

    /// Returns where a page of the records, from 0, is in the payload; nothing where there is none.
    pub fn page(&self, page: usize) -> Range<usize> {
        let end = self.records + self.size;
        let start = page.checked_mul(PAGE).and_then(|start| start.checked_add(self.records)).unwrap_or(end).min(end);
        start..start.saturating_add(PAGE).min(end)
    }

    /// Checks one page of the records. `payload` has at least the table, and begins at `offset` in the archive.
    pub fn page_is_sound(&self, payload: &[u8], page: usize, bytes: &[u8], id: ArchiveId, offset: u64) -> bool {
        let crc =
            page.checked_mul(4).and_then(|at| payload.get(self.crcs..self.records)?.get(at..)?.first_chunk::<4>());
        let start = self.page(page).start as u64;
        crc.is_some_and(|crc| id.crc(offset + start, bytes).to_le_bytes() == *crc)
    }
}

fn length(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte))
}

/// Returns the moves block of these records at `offset`. `ends` has the end of each record in `records`, ascending.
pub fn encode(first: u64, records: &[u8], ends: &[u32], id: ArchiveId, offset: u64) -> Vec<u8> {
    let starts = || std::iter::once(0).chain(ends.iter().copied());
    let lengths = || starts().zip(ends).map(|(start, end)| end - start);
    let (coding, width) = match lengths().max().unwrap_or(0) {
        0..=0xFF => (0, 1),
        0x100..=0xFFFF => (1, 2),
        _ => (2, 4),
    };
    let layout = Layout::new(ends.len(), width, records.len());
    let mut block = vec![0; HEADER];
    block.reserve(layout.records + records.len());
    for start in starts().take(ends.len()).step_by(GROUP) {
        block.extend_from_slice(&start.to_le_bytes());
    }
    for length in lengths() {
        block.extend(length.to_le_bytes().iter().take(width));
    }
    let payload = offset + HEADER as u64;
    for (page, bytes) in records.chunks(PAGE).enumerate() {
        let at = payload + (layout.records + page * PAGE) as u64;
        block.extend_from_slice(&id.crc(at, bytes).to_le_bytes());
    }
    let header = BlockHeader {
        kind: Kind::Moves,
        coding: coding << 4 | PLAIN,
        first,
        count: ends.len() as u32,
        checked: layout.records as u32,
        length: (layout.records + records.len()) as u64,
        payload_crc: id.crc(payload, block.get(HEADER..).unwrap_or_default()),
    };
    block.splice(..HEADER, header.encode(id, offset));
    block.extend_from_slice(records);
    block
}

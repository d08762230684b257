//! Blocks of game records: a table that locates each record, followed by the records (FORMAT.md, "Moves blocks").
//!
//! The payload is `model | starts | lengths | page CRCs | records`.
//!
//! - Model: the name of the tables that code the moves, only in blocks of packed moves.
//! - Starts: the offset of every 16th record among the records, in four bytes each. In packed blocks, the offset of
//!   every 64th record.
//! - Lengths: the length of each record, in 1, 2 or 4 bytes. The width is the same in the entire block.
//! - Page CRCs: the checksum of each page of 4,096 bytes of the records. A reader can therefore read and verify a
//!   single game.

use crate::error::UnknownPart;
use crate::format::file::block::{BlockHeader, BlockKind, HEADER};
use crate::format::identity::ArchiveId;
use crate::format::wire::Bytes;
use std::ops::Range;

/// The number of games per start offset in blocks of plain moves.
pub const GROUP: usize = 16;
/// The number of games per start offset in blocks of packed moves. Packed records are short, and unpacking takes much
/// longer than adding up their lengths.
pub const PACKED_GROUP: usize = 64;
/// The number of record bytes that a CRC covers.
pub const PAGE: usize = 4096;
/// The coding number of records whose moves are plain Brenner bytes.
pub const PLAIN: u8 = 0;
/// The coding number of records whose moves are packed.
pub const PACKED: u8 = 1;

/// The coding number of records of variants.
pub const VARIANTS: u8 = 2;

/// The name of the tables of packed moves, which consists of a number and the first four bytes of the tables' SHA-256.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 e5 *\n"[..])?;
/// use scoresheet::archive::{Coding, MODEL, TranscodeOptions};
/// use scoresheet::{Archive, Monitor};
///
/// let options = TranscodeOptions { coding: Coding::Packed(MODEL), with_model: true, ..TranscodeOptions::default() };
/// let path = target.with_file_name("packed.bga");
/// Archive::open(&target)?.transcode(&path, &options, Monitor::new())?;
/// let models = Archive::open(&path)?.models()?;
/// assert_eq!((models.len(), models[0].0), (1, MODEL));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct ModelName {
    /// The model's number.
    pub number: u32,
    /// The first four bytes of the tables' SHA-256, in little-endian order.
    pub hash: u32,
}

/// The size of a model's name in bytes.
const MODEL_NAME: usize = 8;

/// The coding of moves in the records of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Coding {
    /// Plain Brenner bytes.
    #[default]
    Plain,
    /// The moves are packed with the named model.
    Packed(ModelName),
    /// Brenner bytes of games of variants: Crazyhouse, Atomic, Antichess and Horde.
    Variants,
}

impl Coding {
    fn number(self) -> u8 {
        match self {
            Coding::Plain => PLAIN,
            Coding::Packed(_) => PACKED,
            Coding::Variants => VARIANTS,
        }
    }
}

/// Returns the coding of a moves block if this version does not assign it. A reader then refuses the games of the block.
pub fn unknown_coding(header: &BlockHeader) -> Option<UnknownPart> {
    let is_known = header.coding & 15 <= VARIANTS && header.coding >> 4 <= 2;
    (!is_known).then_some(UnknownPart::Coding { kind: header.kind.number(), coding: header.coding })
}

/// The layout of the payload of a moves block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MovesTable {
    /// The number of games in the block.
    pub count: usize,
    /// Whether the moves are packed, in which case the payload begins with the name of a model.
    pub packed: bool,
    /// Whether the records are of variants.
    pub variants: bool,
    /// The width of a length in bytes: 1, 2 or 4.
    pub width: usize,
    /// The offset of the page CRCs in the payload.
    pub crcs: usize,
    /// The offset of the records in the payload.
    pub records: usize,
    /// The total number of bytes in the records.
    pub size: usize,
}

impl MovesTable {
    fn new(count: usize, width: usize, size: usize, coding: u8) -> MovesTable {
        let (packed, variants) = (coding == PACKED, coding == VARIANTS);
        let mut layout = MovesTable { count, packed, variants, width, crcs: 0, records: 0, size };
        layout.crcs = layout.lengths() + count * width;
        layout.records = layout.crcs + size.div_ceil(PAGE) * 4;
        layout
    }

    /// Returns the number of games per start offset.
    fn group(&self) -> usize {
        if self.packed { PACKED_GROUP } else { GROUP }
    }

    /// Returns the offset of the start offsets in the payload.
    fn starts(&self) -> usize {
        if self.packed { MODEL_NAME } else { 0 }
    }

    /// Returns the offset of the lengths in the payload.
    fn lengths(&self) -> usize {
        self.starts() + self.count.div_ceil(self.group()) * 4
    }

    /// Returns the number of pages of records that an index counts. It counts no pages of variants and of unknown codings,
    /// so programs of every version write the same index. Returns `None` if the header is inconsistent.
    pub fn pages_of(header: &BlockHeader) -> Option<u64> {
        match unknown_coding(header) {
            Some(_) => Some(0),
            None => {
                let pages = |layout: MovesTable| if layout.variants { 0 } else { layout.pages() as u64 };
                MovesTable::from_header(header).map(pages)
            }
        }
    }

    /// Computes the layout from a header. Returns `None` if the header is inconsistent or has an unknown coding.
    pub fn from_header(header: &BlockHeader) -> Option<MovesTable> {
        let width = match header.coding >> 4 {
            0 => 1,
            1 => 2,
            2 => 4,
            _ => return None,
        };
        let size = usize::try_from(header.length).ok()?.checked_sub(header.checked as usize)?;
        let coding = header.coding & 15;
        if coding > VARIANTS {
            return None;
        }
        // Each game takes at least one byte of the table, so this comparison detects a false number of games.
        let layout = MovesTable::new(header.count as usize, width, size, coding);
        (header.kind == BlockKind::Moves && layout.records == header.checked as usize).then_some(layout)
    }

    /// Returns the coding of the moves, or `None` if the table is inconsistent. `payload` must contain the table.
    ///
    /// The time is proportional to the number of games.
    pub fn coding(&self, payload: &[u8]) -> Option<Coding> {
        if !self.is_consistent(payload)? {
            return None;
        }
        if !self.packed {
            return Some(if self.variants { Coding::Variants } else { Coding::Plain });
        }
        let mut name = Bytes(payload);
        Some(Coding::Packed(ModelName { number: name.u32()?, hash: name.u32()? }))
    }

    /// Returns whether each group begins at the end of the previous group, so no byte belongs to two games.
    fn is_consistent(&self, payload: &[u8]) -> Option<bool> {
        let (starts, _) = payload.get(self.starts()..self.lengths())?.as_chunks::<4>();
        let groups = payload.get(self.lengths()..self.crcs)?.chunks(self.group() * self.width);
        let mut end = 0usize;
        for (start, group) in starts.iter().zip(groups) {
            if u32::from_le_bytes(*start) as usize != end {
                return Some(false);
            }
            end = end.checked_add(self.sum(group))?;
        }
        Some(end <= self.size)
    }

    fn sum(&self, lengths: &[u8]) -> usize {
        match self.width {
            1 => lengths.iter().map(|length| usize::from(*length)).sum(),
            width => lengths.chunks_exact(width).map(length).sum(),
        }
    }

    /// Returns the offset and the length of record `index` (from 0), where the offset is relative to the first record.
    /// `payload` must contain the table.
    pub fn locate(&self, payload: &[u8], index: usize) -> Option<(usize, usize)> {
        self.locate_behind(payload, index, None)
    }

    /// Like `locate`. `before` is the offset and the length of the previous record, if known.
    #[inline]
    pub fn locate_behind(
        &self,
        payload: &[u8],
        index: usize,
        before: Option<(usize, usize)>,
    ) -> Option<(usize, usize)> {
        if index >= self.count {
            return None;
        }
        let lengths = payload.get(self.lengths()..self.crcs)?;
        let offset = match before {
            // The start of each group is always read from the table, so both ways give the same offset for any table.
            Some((offset, size)) if !index.is_multiple_of(self.group()) => offset + size,
            _ => self.add_up(payload, lengths, index)?,
        };
        let size = match self.width {
            1 => usize::from(*lengths.get(index)?),
            width => length(lengths.get(index * width..(index + 1) * width)?),
        };
        (offset.checked_add(size)? <= self.size).then_some((offset, size))
    }

    /// Returns the offset of record `index`: the start of its group, plus the lengths of the preceding records in the
    /// group.
    fn add_up(&self, payload: &[u8], lengths: &[u8], index: usize) -> Option<usize> {
        let group = index / self.group();
        let start = payload.get(self.starts() + group * 4..self.starts() + group * 4 + 4)?;
        let start = u32::from_le_bytes(start.try_into().ok()?) as usize;
        let before = lengths.get(group * self.group() * self.width..index * self.width)?;
        Some(start + self.sum(before))
    }

    /// Returns the number of pages that the records occupy.
    pub fn pages(&self) -> usize {
        self.size.div_ceil(PAGE)
    }

    /// Returns the range that a page of records (numbered from 0) occupies in the payload, or an empty range if no such
    /// page exists.
    pub fn page(&self, page: usize) -> Range<usize> {
        let end = self.records + self.size;
        let start = page.checked_mul(PAGE).and_then(|start| start.checked_add(self.records)).unwrap_or(end).min(end);
        start..start.saturating_add(PAGE).min(end)
    }

    /// Checks a single page of the records. `payload` must contain the table and begins at `offset` in the archive.
    pub fn page_is_intact(&self, payload: &[u8], page: usize, bytes: &[u8], id: ArchiveId, offset: u64) -> bool {
        let crc =
            page.checked_mul(4).and_then(|at| payload.get(self.crcs..self.records)?.get(at..)?.first_chunk::<4>());
        let start = self.page(page).start as u64;
        crc.is_some_and(|crc| id.crc(offset + start, bytes).to_le_bytes() == *crc)
    }
}

fn length(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte))
}

/// Estimates the range of the pages that contain record `index`, relative to the start of the block's header. The
/// estimate uses only the numbers of games and pages, and assumes typical games, whose lengths fit in one byte.
pub fn likely_record(games: u64, pages: u64, index: u64) -> Range<u64> {
    // The margin on both sides, because the sizes of the table, the last page and the games are unknown.
    const DOUBT: u64 = PAGE as u64;
    let size = pages.saturating_mul(PAGE as u64).saturating_sub(PAGE as u64 / 2);
    let table = games.saturating_add(games / 4).saturating_add(pages.saturating_mul(4));
    let before = (size as f64 * index as f64 / games.max(1) as f64) as u64;
    let at = (HEADER as u64).saturating_add(table).saturating_add(before);
    at.saturating_sub(DOUBT)..at.saturating_add(DOUBT)
}

/// Returns the moves block for these records, to be written at `offset`. `ends` contains the end offset of each record
/// in `records`, ascending.
pub fn encode(first: u64, records: &[u8], ends: &[u32], coding: Coding, id: ArchiveId, offset: u64) -> Vec<u8> {
    let starts = || std::iter::once(0).chain(ends.iter().copied());
    let lengths = || starts().zip(ends).map(|(start, end)| end - start);
    let (width_code, width) = match lengths().max().unwrap_or(0) {
        0..=0xFF => (0, 1),
        0x100..=0xFFFF => (1, 2),
        _ => (2, 4),
    };
    let layout = MovesTable::new(ends.len(), width, records.len(), coding.number());
    let mut block = vec![0; HEADER];
    block.reserve(layout.records + records.len());
    if let Coding::Packed(model) = coding {
        block.extend_from_slice(&model.number.to_le_bytes());
        block.extend_from_slice(&model.hash.to_le_bytes());
    }
    for start in starts().take(ends.len()).step_by(layout.group()) {
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
        kind: BlockKind::Moves,
        coding: width_code << 4 | coding.number(),
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

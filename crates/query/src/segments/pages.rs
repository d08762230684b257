//! The bytes of a segment. Each page is checked before its first use.

use scoresheet::archive::side_bytes::SideBytes;
use scoresheet::error::{Damage, DamageKind};
use scoresheet::format::ArchiveId;
use scoresheet::format::side::{PAGE, RUN, Segment};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes of a segment, of which only checked pages are returned.
#[derive(Debug)]
pub(crate) struct Pages {
    map: Arc<SideBytes>,
    id: ArchiveId,
    segment: Segment,
    /// A bit for each page, which is set if the page's CRC has been checked.
    intact: Vec<AtomicU64>,
}

impl Pages {
    pub fn new(map: &Arc<SideBytes>, id: ArchiveId, segment: Segment) -> Pages {
        let intact = (0..segment.pages().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Pages { map: Arc::clone(map), id, segment, intact }
    }

    /// Returns the entry of the segment in the directory.
    pub fn segment(&self) -> &Segment {
        &self.segment
    }

    /// Returns the number of bytes after the runs of games.
    pub fn len(&self) -> u64 {
        self.segment.length - u64::from(self.segment.runs) * RUN
    }

    /// Returns damage that is located at the start of the segment.
    pub fn damage(&self) -> Damage {
        Damage::new(self.segment.offset, DamageKind::PositionIndex)
    }

    /// Returns a range of the bytes after the runs of games. The pages of the range are checked first.
    pub fn bytes(&self, range: Range<u64>) -> Result<&[u8], Damage> {
        let runs = u64::from(self.segment.runs) * RUN;
        let [start, end] = [range.start, range.end].map(|at| at.checked_add(runs));
        self.all(start.ok_or(self.damage())?..end.ok_or(self.damage())?)
    }

    /// Returns `count` numbers of eight bytes each. The first one begins `first` bytes after the runs of games.
    pub fn numbers(&self, first: u64, count: u64) -> Result<&[[u8; 8]], Damage> {
        let length = count.checked_mul(8).ok_or(self.damage())?;
        Ok(self.bytes(first..first.checked_add(length).ok_or(self.damage())?)?.as_chunks().0)
    }

    /// Returns the runs of games in the segment.
    pub fn runs(&self) -> Result<&[[u8; RUN as usize]], Damage> {
        Ok(self.all(0..u64::from(self.segment.runs) * RUN)?.as_chunks().0)
    }

    /// Checks every page.
    pub fn verify(&self) -> Result<(), Damage> {
        self.all(0..self.segment.length).map(drop)
    }

    /// Returns the map, and the offsets in the map of a range of the bytes after the runs of games.
    pub fn mapped(&self, range: &Range<u64>) -> (Arc<SideBytes>, Range<usize>) {
        let base = self.segment.offset + u64::from(self.segment.runs) * RUN;
        (Arc::clone(&self.map), (base + range.start) as usize..(base + range.end) as usize)
    }

    fn all(&self, range: Range<u64>) -> Result<&[u8], Damage> {
        let damage = || self.damage();
        let Segment { offset, length, .. } = self.segment;
        if range.end > length || range.start > range.end {
            return Err(damage());
        }
        if range.start < range.end {
            let page = PAGE as u64;
            let (first, last) = (range.start / page, (range.end - 1) / page);
            let crcs = offset + length;
            for needed in
                [offset + first * page..(offset + (last + 1) * page).min(crcs), crcs + first * 4..crcs + (last + 1) * 4]
            {
                self.map.fill(needed).map_err(|error| Damage::unreadable(offset, error))?;
            }
            for number in first..=last {
                let (word, mask) = (self.intact.get((number / 64) as usize).ok_or_else(damage)?, 1 << (number % 64));
                if word.load(Ordering::Relaxed) & mask != 0 {
                    continue;
                }
                let at = offset + number * page;
                let body = self.map.get(at as usize..(at + page).min(offset + length) as usize).ok_or_else(damage)?;
                let at_crc = (crcs + number * 4) as usize;
                if self.map.get(at_crc..at_crc + 4).ok_or_else(damage)? != self.id.crc(at, body).to_le_bytes() {
                    return Err(damage());
                }
                word.fetch_or(mask, Ordering::Relaxed);
            }
        }
        self.map.get((offset + range.start) as usize..(offset + range.end) as usize).ok_or_else(damage)
    }
}

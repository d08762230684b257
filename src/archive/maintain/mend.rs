//! Restores damaged bytes from the parity of their batch (FORMAT.md, "Parity blocks"), and single bytes of block headers
//! from their checksums.

use crate::archive::read::archive::Archive;
use crate::archive::read::blocks::{BlockRef, check_block};
use crate::archive::read::read_at::{ReadAt, ReadExactAt, Store};
use crate::error::{Damage, DamageKind};
use crate::format::ArchiveId;
use crate::format::block::{BlockHeader, BlockKind, HEADER};
use crate::format::header::BLOCKS;
use crate::format::parity::Parity;
use crate::sort;
use std::borrow::Cow;
use std::io;
use std::ops::Range;

/// Media lose whole sectors, so a damaged run as long as its parity is looked for at these offsets.
const SECTOR: u64 = 512;
/// The maximum number of headers to mend, so a forged archive costs seconds.
const MAX_HEADERS: usize = 1000;
/// The length of a run of zeros that is hardly a chance.
const CERTAIN: usize = 12;
/// The maximum number of shorter runs of zeros to try.
const MAX_GAPS: usize = 64;
/// The bytes of an archive that are added up at once.
const STEP: u64 = 1 << 20;
/// The maximum number of bytes between the first and the last damage of a batch.
const MAX_SPAN: u64 = 1 << 30;
/// The maximum number of bytes to check for one archive, so a forged archive costs seconds.
pub(super) const MAX_CHECKED: u64 = 16 << 30;

/// Bytes that a parity block has restored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Patch {
    pub offset: u64,
    pub bytes: Vec<u8>,
}

impl Patch {
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset + self.bytes.len() as u64
    }
}

/// Returns the damaged bytes that the parity blocks of an archive and the checksums of block headers restore. `blocks` are
/// the blocks that were found, and `damage` contains their damage. Every restored byte has passed the checksums of its
/// block.
pub(super) fn patches(store: &impl ReadAt, id: ArchiveId, blocks: &[BlockRef], damage: &[Damage]) -> Vec<Patch> {
    let mut found = by_parity(store, id, blocks, damage);
    let headers = damage.iter().filter(|fault| fault.kind == DamageKind::BlockHeader).map(|fault| fault.offset);
    let is_mended = |offset: u64| {
        let header = offset..offset + HEADER as u64;
        found.iter().map(Patch::range).any(|range| range.start < header.end && header.start < range.end)
    };
    let headers: Vec<u64> = headers.filter(|offset| !is_mended(*offset)).take(MAX_HEADERS).collect();
    found.extend(headers.into_iter().filter_map(|offset| by_checksums(store, id, offset)));
    found
}

/// Returns the byte of a block header that makes it valid, if the header and the payload are intact with it.
fn by_checksums(store: &impl ReadAt, id: ArchiveId, offset: u64) -> Option<Patch> {
    let damaged = store.read_at(offset, HEADER as u64).ok()?;
    for (index, old) in damaged.iter().enumerate() {
        let mut header = damaged.to_vec();
        for byte in (0..=u8::MAX).filter(|byte| byte != old) {
            *header.get_mut(index)? = byte;
            if let Some(header) = BlockHeader::decode(&header, id, offset)
                && header.unknown().is_none()
                && offset + HEADER as u64 + header.length <= store.length()
                && check_block(store, id, &BlockRef { offset, header }).is_empty()
            {
                return Some(Patch { offset: offset + index as u64, bytes: vec![byte] });
            }
        }
    }
    None
}

/// Returns the damaged bytes that the parity blocks of an archive restore.
fn by_parity(store: &impl ReadAt, id: ArchiveId, blocks: &[BlockRef], damage: &[Damage]) -> Vec<Patch> {
    let damage = damage.iter().filter(|fault| !matches!(fault.kind, DamageKind::Unknown(_)));
    let mut damaged: Vec<u64> = damage.map(|fault| fault.offset).collect();
    damaged.sort_unstable();
    let (mut found, mut left) = (Vec::new(), MAX_CHECKED);
    for block in blocks.iter().filter(|block| block.header.kind == BlockKind::Parity) {
        let covered = block.header.first..block.offset;
        if block.header.coding != 0 || covered.start < BLOCKS || covered.is_empty() {
            continue;
        }
        let suspects = suspects(&covered, blocks, &damaged);
        if let (Some(first), Some(last)) = (suspects.first(), suspects.last())
            && last.end - first.start <= MAX_SPAN
            && let Ok(payload) = block.checked(store, id)
            && let Some(mut parity) = Parity::decode(&payload)
            && add(&mut parity, store, &covered).is_ok()
        {
            found.extend(search(store, id, parity.sums(), &suspects, &mut left));
        }
    }
    found
}

/// Adds a range of an archive to a parity.
fn add(parity: &mut Parity, store: &impl ReadAt, range: &Range<u64>) -> Result<(), Damage> {
    let mut next = range.start;
    while next < range.end {
        let bytes = store.read_at(next, STEP.min(range.end - next))?;
        parity.add(next, &bytes);
        next += bytes.len() as u64;
    }
    Ok(())
}

/// Returns whether a parity block agrees with the bytes that it covers.
pub(super) fn agrees(store: &impl ReadAt, id: ArchiveId, block: &BlockRef) -> bool {
    let is_valid = (BLOCKS..=block.offset).contains(&block.header.first);
    let covered = block.header.first..block.offset;
    is_valid && block.checked(store, id).is_ok_and(|payload| adds_up(store, &covered, &payload))
}

/// Returns whether a payload is the parity of a range of an archive.
pub(super) fn adds_up(store: &impl ReadAt, covered: &Range<u64>, payload: &[u8]) -> bool {
    Parity::decode(payload)
        .is_some_and(|mut parity| add(&mut parity, store, covered).is_ok() && parity.sums().iter().all(|sum| *sum == 0))
}

/// Returns the ranges that contain all damage of a batch: damaged blocks, and gaps between the blocks that were found.
/// Each range begins and ends with a block.
fn suspects(covered: &Range<u64>, blocks: &[BlockRef], damaged: &[u64]) -> Vec<Range<u64>> {
    let (mut suspects, mut next) = (Vec::<Range<u64>>::new(), covered.start);
    let mut push = |range: Range<u64>| match suspects.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => suspects.push(range),
    };
    let from = blocks.partition_point(|block| block.offset < covered.start);
    for block in blocks.iter().skip(from).take_while(|block| block.offset < covered.end) {
        if next < block.offset {
            push(next..block.offset);
        }
        if damaged.binary_search(&block.offset).is_ok() {
            push(block.offset..block.end());
        }
        next = block.end();
    }
    if next < covered.end {
        push(next..covered.end);
    }
    suspects
}

/// Finds the place of the damaged run, given the sums of all bytes and their parity. Only the run's bytes differ from the
/// archive as it was written, by the sums at their offsets. At the right place, all blocks are intact again. `left` is the
/// number of bytes that may still be checked.
fn search(store: &impl ReadAt, id: ArchiveId, sums: &[u8], suspects: &[Range<u64>], left: &mut u64) -> Option<Patch> {
    let (first, last) = (suspects.first()?, suspects.last()?);
    let length = sums.len() as u64;
    let mut region = Region::read(store, first.start..last.end)?;
    // The run contains a byte of each suspect.
    let starts = (last.start + 1).saturating_sub(length)..first.end;
    // Usually, the run is shorter than the parity, so the sums of the other bytes are 0.
    let by_gap = gap_ends(sums).into_iter().flat_map(|run| {
        starts.clone().skip(((run as u64 + length - starts.start % length) % length) as usize).step_by(length as usize)
    });
    let by_sector = starts.clone().skip(((SECTOR - starts.start % SECTOR) % SECTOR) as usize);
    for start in by_gap.chain(by_sector.step_by(SECTOR as usize)) {
        let Some(changed) = changed(sums, start, suspects) else { continue };
        region.change(sums, &changed);
        for suspect in suspects {
            *left = left.checked_sub(suspect.end - suspect.start)?;
        }
        if suspects.iter().all(|suspect| region.is_intact(id, suspect)) {
            let bytes = region.read_at(changed.start, changed.end - changed.start).ok()?.into_owned();
            return Some(Patch { offset: changed.start, bytes });
        }
        // The same change returns to the damaged bytes.
        region.change(sums, &changed);
    }
    None
}

/// Returns the indexes after the runs of zeros, the longest run first. The last sum precedes the first. A long run is
/// certain; short ones occur also within a damaged run, whose bytes are sometimes right.
fn gap_ends(sums: &[u8]) -> Vec<usize> {
    let (mut ends, mut zeros) = (Vec::new(), 0usize);
    for (index, sum) in sums.iter().chain(sums).enumerate() {
        match *sum {
            0 => zeros += 1,
            _ => {
                if zeros > 0 && index >= sums.len() {
                    ends.push((zeros.min(sums.len()), index % sums.len()));
                }
                zeros = 0;
            }
        }
    }
    sort::by_key(&mut ends, |(zeros, _)| std::cmp::Reverse(*zeros));
    let is_certain = ends.first().is_some_and(|(zeros, _)| *zeros >= CERTAIN);
    ends.into_iter().take(if is_certain { 1 } else { MAX_GAPS }).map(|(_, end)| end).collect()
}

/// Returns the sum at an offset.
fn sum_at(sums: &[u8], offset: u64) -> u8 {
    sums.get((offset % sums.len() as u64) as usize).copied().unwrap_or(0)
}

/// Returns the bytes from `start` on that the sums change, or `None` if there are none, or if one is outside the
/// suspects.
fn changed(sums: &[u8], start: u64, suspects: &[Range<u64>]) -> Option<Range<u64>> {
    let mut offsets = (start..start + sums.len() as u64).filter(|offset| sum_at(sums, *offset) != 0);
    let (first, mut last, mut next) = (offsets.next()?, start, suspects.iter());
    let mut suspect = next.next()?;
    for offset in std::iter::once(first).chain(offsets) {
        while offset >= suspect.end {
            suspect = next.next()?;
        }
        if offset < suspect.start {
            return None;
        }
        last = offset;
    }
    Some(first..last + 1)
}

/// A copy of a part of an archive. Its offsets are those of the archive.
struct Region {
    start: u64,
    bytes: Vec<u8>,
}

impl Region {
    fn read(store: &impl ReadAt, range: Range<u64>) -> Option<Region> {
        let bytes = store.read_at(range.start, range.end - range.start).ok()?.into_owned();
        Some(Region { start: range.start, bytes })
    }

    /// Adds the sums to a range of bytes.
    fn change(&mut self, sums: &[u8], range: &Range<u64>) {
        let bytes = range.start.checked_sub(self.start).and_then(|start| self.bytes.get_mut(start as usize..));
        for (offset, byte) in range.clone().zip(bytes.unwrap_or_default()) {
            *byte ^= sum_at(sums, offset);
        }
    }

    /// Returns whether a range consists of intact blocks.
    fn is_intact(&self, id: ArchiveId, range: &Range<u64>) -> bool {
        let mut next = range.start;
        while next < range.end {
            let Ok(block) = BlockRef::at(self, id, next) else { return false };
            if !check_block(self, id, &block).is_empty() {
                return false;
            }
            next = block.end();
        }
        next == range.end
    }
}

impl ReadAt for Region {
    fn length(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, length: u64) -> Result<Cow<'_, [u8]>, Damage> {
        let within = offset.checked_sub(self.start).ok_or(Damage::new(offset, DamageKind::BeyondEnd))?;
        self.bytes.read_at(within, length).map_err(|_| Damage::new(offset, DamageKind::BeyondEnd))
    }
}

/// An archive whose damaged bytes are replaced.
pub(super) struct Patched {
    pub archive: Archive,
    pub patches: Vec<Patch>,
}

impl Patched {
    /// Returns the bytes of the archive as it was written.
    pub fn into_store(self) -> Store {
        let length = self.archive.store().length();
        Store::from_reader(self, length)
    }
}

impl ReadExactAt for Patched {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let read = self.archive.store().read_at(offset, bytes.len() as u64);
        bytes.copy_from_slice(&read.map_err(|damage| io::Error::other(damage.to_string()))?);
        for Patch { offset: start, bytes: right } in &self.patches {
            let (skipped, at) = (offset.saturating_sub(*start) as usize, start.saturating_sub(offset) as usize);
            let right = right.get(skipped..).unwrap_or_default();
            bytes.get_mut(at..).unwrap_or_default().iter_mut().zip(right).for_each(|(byte, right)| *byte = *right);
        }
        Ok(())
    }
}

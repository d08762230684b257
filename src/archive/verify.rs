//! Verification: is every byte of an archive what was written, and every game sound?

use super::index_path;
use super::map::Map;
use super::reader::{Archive, read_header};
use super::scan::{BlockRef, IndexBuilder};
use crate::error::{Damage, Error, Result};
use crate::format::ArchiveId;
use crate::format::block::{Kind, SYNC};
use crate::format::header::BLOCKS;
use crate::format::index::Index;
use crate::format::moves::{Layout, PAGE};
use rayon::prelude::*;
use std::fs::File;
use std::path::Path;

/// How much is verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Structure and checksums of every byte, at the disk's speed.
    Quick,
    /// The same, and every game is read, every move checked for legality and canonical form, and every source given back and compared
    /// with its hash.
    Full,
}

/// What a verification found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Blocks seen.
    pub blocks: u64,
    /// Games in the archive by its last commit.
    pub games: u64,
    /// Plies of the main lines of games read (full verification only).
    pub plies: u64,
    /// Bytes beyond the last commit: the rest of an unfinished write, not damage.
    pub uncommitted: u64,
    /// What is damaged, in the order of the file.
    pub damage: Vec<Damage>,
    /// Ranges of games (first and last) in damaged blocks, by those blocks' own account or the gap that they leave.
    pub lost: Vec<(u64, u64)>,
    /// Whether there is an index file that belongs to the archive as it is; `None` where there is no index file.
    pub index: Option<bool>,
}

impl Report {
    /// Returns whether nothing is damaged.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty()
    }
}

impl Archive {
    /// Verifies the archive at `path`; `progress` is told of bytes done.
    ///
    /// Damage is in the report. Errors: the file cannot be read, or is no archive of a version this program knows.
    pub fn verify(path: impl AsRef<Path>, level: Level, progress: impl Fn(u64) + Sync) -> Result<Report> {
        let path = path.as_ref();
        let mut file = File::open(path).map_err(Error::io("cannot open", path))?;
        let mut report = Report::default();
        let header = match read_header(&mut file, path) {
            Ok(read) => read,
            Err(Error::Damaged(damage)) => {
                report.damage.push(damage);
                return Ok(report);
            }
            Err(error) => return Err(error),
        };
        let mark = header.mark;
        let length = file.metadata().map_err(Error::io("cannot read", path))?.len();
        report.games = mark.games;
        report.uncommitted = length.saturating_sub(mark.length);
        if length < mark.length {
            report.damage.push(Damage::new(length, "the file is shorter than its last commit"));
        }
        let map = Map::of(&file, mark.length.min(length)).map_err(Error::io("cannot map", path))?;
        let (blocks, mut damage) = walk(&map, header.id);
        if let Some(page) = header.damaged_page(&map) {
            damage.push(Damage::new(page, "one of the two header pages is damaged; the other holds"));
        }
        report.blocks = blocks.len() as u64;
        let found: Vec<_> = blocks
            .par_iter()
            .flat_map_iter(|block| {
                progress(block.header.length);
                check_block(&map, header.id, block)
            })
            .collect();
        damage.extend(found);
        let mut builder = IndexBuilder { index: Index { id: header.id, ..Index::default() } };
        let mut next = 1;
        for block in &blocks {
            if let (Err(fault), true) = (builder.add(block), damage.is_empty()) {
                damage.push(fault);
            }
            if block.header.kind == Kind::Moves {
                if block.header.first > next {
                    report.lost.push((next, block.header.first - 1));
                }
                next = block.header.first.saturating_add(u64::from(block.header.count)).max(next);
            }
        }
        if next <= mark.games {
            report.lost.push((next, mark.games));
        }
        if next != mark.games + 1 && damage.is_empty() {
            damage.push(Damage::new(mark.commit, "the number of games does not agree with the commit"));
        }
        if let Ok(index) = std::fs::read(index_path(path)) {
            let expected = Index { sequence: mark.sequence, length: mark.length, ..builder.index };
            report.index = Some(Index::decode(&index) == Some(expected));
        }
        for fault in &damage {
            let block = blocks.iter().find(|block| block.offset == fault.offset);
            if let Some(header) = block.map(|block| block.header)
                && matches!(header.kind, Kind::Moves | Kind::Tags | Kind::Texts | Kind::Layout)
                && header.count > 0
                && fault.game == 0
            {
                report.lost.push((header.first, header.first + u64::from(header.count) - 1));
            } else if fault.game > 0 {
                report.lost.push((fault.game, fault.game));
            }
        }
        report.damage.extend(damage);
        drop(map);
        if level == Level::Full && report.is_sound() {
            let archive = Archive::open(path)?;
            verify_games(&archive, &mut report, progress);
            verify_sources(&archive, &mut report)?;
        }
        report.damage.sort_by_key(|damage| (damage.offset, damage.game));
        report.lost.sort_unstable();
        report.lost.dedup();
        Ok(report)
    }
}

fn verify_games(archive: &Archive, report: &mut Report, progress: impl Fn(u64) + Sync) {
    let checked: Vec<(u64, Vec<Damage>)> = (0..archive.chunk_count())
        .into_par_iter()
        .map(|number| {
            let (mut plies, mut faults) = (0, Vec::new());
            let mut note = |result: Result<u32>| match result {
                Ok(count) => plies += u64::from(count),
                Err(Error::Damaged(damage)) => faults.push(damage),
                Err(_) => faults.push(Damage::new(0, "a game that cannot be found")),
            };
            match archive.chunk(number) {
                Ok(chunk) => chunk.games().for_each(|game| {
                    // The digest reads tags and texts too.
                    note(game.and_then(|game| game.digest().and_then(|_| game.check_moves())));
                }),
                Err(error) => note(Err(error)),
            }
            if let Ok(head) = archive.head(number) {
                progress(head.block.header.length);
            }
            (plies, faults)
        })
        .collect();
    for (plies, faults) in checked {
        report.plies += plies;
        report.lost.extend(faults.iter().filter(|fault| fault.game > 0).map(|fault| (fault.game, fault.game)));
        report.damage.extend(faults);
    }
}

/// Gives every source back and compares its hash.
fn verify_sources(archive: &Archive, report: &mut Report) -> Result<()> {
    for source in archive.sources()?.iter().filter(|source| source.exact) {
        match archive.write_original(source, &mut std::io::sink()) {
            Ok(true) => {}
            Err(Ok(Error::Damaged(damage))) => report.damage.push(damage),
            _ => report.damage.push(Damage::new(0, "a source does not come back as it was")),
        }
    }
    Ok(())
}

/// Finds all blocks; where a header is damaged, goes on at the next one that is sound.
fn walk(bytes: &[u8], id: ArchiveId) -> (Vec<BlockRef>, Vec<Damage>) {
    let (mut blocks, mut damage) = (Vec::new(), Vec::new());
    let mut next = BLOCKS;
    while next < bytes.len() as u64 {
        match BlockRef::at(bytes, id, next) {
            Ok(block) => {
                next = block.end();
                blocks.push(block);
            }
            Err(fault) => {
                damage.push(fault);
                let after = next as usize + 1;
                let rest = bytes.get(after..).unwrap_or_default();
                let sound = memchr::memmem::find_iter(rest, &SYNC)
                    .map(|at| (after + at) as u64)
                    .find(|at| BlockRef::at(bytes, id, *at).is_ok());
                next = sound.unwrap_or(u64::MAX);
            }
        }
    }
    (blocks, damage)
}

fn check_block(bytes: &[u8], id: ArchiveId, block: &BlockRef) -> Vec<Damage> {
    let payload = match block.checked_payload(bytes, id) {
        Ok(payload) => payload,
        Err(damage) => return vec![damage],
    };
    if block.header.kind != Kind::Moves {
        return Vec::new();
    }
    let damage = Damage::new(block.offset, "damaged moves block");
    let Some(layout) = Layout::of(&block.header) else { return vec![damage] };
    let bad: Vec<usize> =
        (0..layout.pages()).filter(|page| !layout.page_is_sound(payload, *page, id, block.payload_offset())).collect();
    let overlaps = |place: usize| {
        let (start, length) = layout.locate(payload, place)?;
        let pages = start / PAGE..(start + length).div_ceil(PAGE);
        bad.iter().any(|page| pages.contains(page)).then_some(())
    };
    let lost = Damage::new(block.offset, "damaged game records");
    if bad.is_empty() {
        return Vec::new();
    }
    (0..layout.count)
        .filter(|place| overlaps(*place).is_some())
        .map(|place| lost.of_game(block.header.first + place as u64))
        .collect()
}

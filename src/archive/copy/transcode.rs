//! Copies of archives with their moves in another coding: packed, or plain again (FORMAT.md, "Moves blocks").
//!
//! Everything but the moves is copied as it is, block for block and commit for commit, under the same id, so that a
//! packed copy unpacked is the archive it was made of, byte for byte.

use crate::archive::existing::Existing;
use crate::archive::read::archive::Archive;
use crate::archive::read::blocks::{BlockRef, Scan};
use crate::archive::write::writer::{NewFile, Writer, write_index};
use crate::chess::position::STANDARD;
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::block::{self, BlockKind};
use crate::format::budget::Cost;
use crate::format::commit::{Commit, Unfinished};
use crate::format::dictionary::BlockStrings;
use crate::format::layout::Layout;
use crate::format::loose;
use crate::format::moves::Coding;
use crate::format::record::{Record, push_recoded};
use crate::format::tags::Tags;
use crate::format::texts::Texts;
use crate::format::wire::Mixed;
use crate::monitor::Monitor;
use crate::packed;
use rayon::prelude::*;
use std::fs::File;
use std::path::Path;

/// How a copy is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct TranscodeOptions {
    /// How the copy holds its moves.
    pub coding: Coding,
    /// The zstd level at which tags, texts, layout and dictionary are compressed again, 1 to 22; `None` leaves them as
    /// they are.
    pub level: Option<i32>,
    /// What happens to a file at the target.
    pub existing: Existing,
}

/// What a copy came to.
#[derive(Debug, Default)]
pub struct Transcoded {
    /// Totals of the archive copied.
    pub before: Commit,
    /// Totals of the copy.
    pub after: Commit,
    /// The length of the copy in bytes.
    pub archive_bytes: u64,
    /// The length of its index in bytes.
    pub index_bytes: u64,
    /// Why the index could not be written, where it could not: the archive is complete without, and its index can be
    /// made again.
    pub unindexed: Option<Error>,
}

impl Archive {
    /// Writes a copy of the archive to `target` with its moves coded as asked, and its index beside it; works on rayon's
    /// threads.
    ///
    /// The unit of progress is a byte of the archive. Errors: the archive is damaged, or the target exists and is not
    /// to be replaced, or cannot be written, or the copy was stopped: then nothing is left at the target. A copy of an
    /// intact archive holds the same games; `verify` proves it.
    pub fn transcode<'a>(
        &self,
        target: impl AsRef<Path>,
        options: &TranscodeOptions,
        monitor: impl Into<Monitor<'a>>,
    ) -> Result<Transcoded> {
        let (target, monitor) = (target.as_ref(), monitor.into());
        let (new, mut writer) = NewFile::create_whole(target, self.id(), options.existing)?;
        if let Err(error) = copy(self, target, &mut writer, options, &monitor) {
            drop(writer);
            new.remove();
            return Err(error);
        }
        let (index, archive_bytes) = (writer.index(), writer.committed_length());
        let after = *writer.totals();
        drop(writer);
        new.finish()?;
        let unindexed = write_index(target, &index).err();
        let index_bytes = index.encode().len() as u64;
        Ok(Transcoded { before: self.totals()?, after, archive_bytes, index_bytes, unindexed })
    }
}

fn copy(
    source: &Archive,
    target: &Path,
    writer: &mut Writer<File>,
    options: &TranscodeOptions,
    monitor: &Monitor,
) -> Result<()> {
    let mut chunk = 0;
    let mut batch = Vec::new();
    for block in Scan::new(source.store(), source.id()) {
        let block = block?;
        // What a block that is not known says may depend on what changes here.
        if matches!(block.header.kind, BlockKind::Other(_)) {
            continue;
        }
        batch.push((block, chunk));
        chunk += usize::from(block.header.kind == BlockKind::Moves);
        if block.header.kind != BlockKind::Commit {
            continue;
        }
        let blocks: Vec<Block> = batch
            .par_drain(..)
            .map(|(block, chunk)| {
                monitor.check()?;
                let done = Block::read(source, &block, chunk, options)?;
                monitor.advance(block.end() - block.offset);
                Ok(done)
            })
            .collect::<Result<_>>()?;
        for block in blocks {
            let written = match block {
                Block::Moves { first, records, ends } => writer.append_moves(first, &records, &ends, options.coding),
                Block::Commit(commit, unfinished) => writer.commit_copy(&commit, unfinished),
                Block::Other(block, payload) => writer.append_block(&block, &payload),
            };
            written.map_err(Error::io("cannot write", target))?;
        }
    }
    Ok(())
}

/// A block on its way.
enum Block {
    Moves { first: u64, records: Vec<u8>, ends: Vec<u32> },
    Commit(Commit, Option<Unfinished>),
    Other(BlockRef, Vec<u8>),
}

impl Block {
    fn read(source: &Archive, block: &BlockRef, chunk: usize, options: &TranscodeOptions) -> Result<Block> {
        let kind = block.header.kind;
        if kind == BlockKind::Moves {
            let (records, ends) = moves(source, chunk, options.coding)?;
            return Ok(Block::Moves { first: block.header.first, records, ends });
        }
        let payload = block.checked(source.store(), source.id())?;
        let damage = || Damage::new(block.offset, DamageKind::BlockContent);
        match (kind, options.level) {
            (BlockKind::Commit, _) => {
                let commit = Commit::decode(&payload).ok_or_else(damage)?;
                Ok(Block::Commit(commit, Unfinished::of(&payload)))
            }
            (BlockKind::Tags | BlockKind::Texts | BlockKind::Layout | BlockKind::Dictionary, Some(level)) => {
                let again = compress_again(kind, &payload, block.header.count as usize, level).ok_or_else(damage)?;
                Ok(Block::Other(*block, if is_readable(kind, &again, block) { again } else { payload.into_owned() }))
            }
            (BlockKind::Loose, Some(level)) => {
                let (number, bytes) = loose::decode(&payload).ok_or_else(damage)?;
                Ok(Block::Other(*block, loose::encode(number, &loose::compress(&bytes, level))))
            }
            _ => Ok(Block::Other(*block, payload.into_owned())),
        }
    }
}

/// Returns the payload of a block of columns or strings, compressed at another level.
fn compress_again(kind: BlockKind, payload: &[u8], count: usize, level: i32) -> Option<Vec<u8>> {
    let allowance = block::allowance(kind, count);
    let raw = Mixed::read(payload, allowance)?;
    let (mut again, cost) = (Vec::new(), Cost { charge: 0, allowance });
    match kind {
        BlockKind::Tags => raw.push_columns(level, cost, &mut again),
        _ => raw.push(level, cost, &mut again),
    }
    Some(again)
}

/// Returns whether a payload takes enough bytes for what a reader makes of it: fewer may be too few.
fn is_readable(kind: BlockKind, payload: &[u8], block: &BlockRef) -> bool {
    let count = block.header.count as usize;
    payload.len() as u64 >= block.header.length
        || match kind {
            BlockKind::Tags => Tags::decode(payload, count).is_some(),
            BlockKind::Texts => Texts::decode(payload, count).is_some(),
            BlockKind::Layout => Layout::decode(payload, count).is_some(),
            _ => BlockStrings::decode(payload, count).is_some(),
        }
}

/// Returns the records of a chunk and their ends, their moves coded as asked.
fn moves(source: &Archive, chunk: usize, coding: Coding) -> Result<(Vec<u8>, Vec<u32>)> {
    let games = source.head(chunk)?.block.header.count as usize;
    let (mut records, mut ends, mut packed) = (Vec::new(), Vec::with_capacity(games), Vec::new());
    for place in 0..games {
        let record = source.record(chunk, place, None)?;
        push_record(&record, coding, &mut packed, &mut records);
        ends.push(records.len() as u32);
    }
    Ok((records, ends))
}

/// Appends a record of plain moves, its moves coded as asked. `packed` is room to work in.
pub(crate) fn push_record(record: &Record, coding: Coding, packed: &mut Vec<u8>, out: &mut Vec<u8>) {
    match coding {
        Coding::Plain => record.push(out),
        Coding::Packed(_) => {
            packed.clear();
            packed::encode(record.set_up.as_deref().unwrap_or(&STANDARD), &record.stream, packed);
            push_recoded(record, packed, true, out);
        }
    }
}

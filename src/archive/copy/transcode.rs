//! Copies archives with another coding of moves: packed, or plain (FORMAT.md, "Moves blocks").
//!
//! Everything except the moves is copied unchanged, block for block and commit for commit, under the same id. A packed
//! copy that is unpacked is therefore equal to the original archive, byte for byte.

use crate::archive::copy::strings::Strings;
use crate::archive::copy::{CHUNK_GAMES, Draft, Group, finish};
use crate::archive::existing::Existing;
use crate::archive::read::archive::Archive;
use crate::archive::read::blocks::{BlockRef, Scan};
use crate::archive::read::head::MODEL;
use crate::archive::write::record::push_record;
use crate::archive::write::temporary::Permissions;
use crate::archive::write::writer::{EncodedChunk, NewFile, Writer, write_index};
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::block::{self, BlockKind};
use crate::format::budget::Cost;
use crate::format::commit::{Commit, Unfinished};
use crate::format::dictionary::BlockStrings;
use crate::format::layout::Layout;
use crate::format::loose;
use crate::format::moves::{Coding, VARIANTS};
use crate::format::tags::Tags;
use crate::format::texts::Texts;
use crate::format::wire::Mixed;
use crate::monitor::Monitor;
use crate::packed;
use crate::parallel;
use std::fs::File;
use std::path::Path;

/// The approximate number of games in a joined chunk of packed moves: an import makes packed chunks twice as long as
/// plain chunks.
const JOINED_GAMES: u64 = 2 * CHUNK_GAMES as u64;

/// Options of a copy.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 e5 2. Nf3 Nc6 *\n"[..])?;
/// use scoresheet::archive::{Coding, MODEL, TranscodeOptions};
/// use scoresheet::{Archive, Monitor};
///
/// let archive = Archive::open(&target)?;
/// let options = TranscodeOptions { coding: Coding::Packed(MODEL), ..TranscodeOptions::default() };
/// let path = target.with_file_name("packed.bga");
/// let transcoded = archive.transcode(&path, &options, Monitor::new())?;
/// assert_eq!((transcoded.before.games, transcoded.after.games), (1, 1));
/// assert_eq!(Archive::open(&path)?.position(1, 4)?, archive.position(1, 4)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TranscodeOptions {
    /// The coding of moves in the copy.
    pub coding: Coding,
    /// The zstd level for recompressing tags, texts, layout and dictionary, 1 to 22. With a level, a packed copy also
    /// uses chunks of twice the usual length. `None` copies them unchanged.
    pub level: Option<i32>,
    /// Whether a packed copy contains the model, as one block. The archive can then be read without a separate model
    /// file.
    pub with_model: bool,
    /// How to treat an existing file at the target.
    pub existing: Existing,
}

/// A summary of the copy.
///
/// [`TranscodeOptions`] has an example.
#[derive(Debug, Default)]
pub struct Transcoded {
    /// The totals of the original archive.
    pub before: Commit,
    /// Totals of the copy.
    pub after: Commit,
    /// The length of the copied archive in bytes.
    pub archive_bytes: u64,
    /// The length of the copy's index in bytes.
    pub index_bytes: u64,
    /// The error if the index could not be written. The archive is complete without it, and the index can be rebuilt.
    pub unindexed: Option<Error>,
}

impl Archive {
    /// Writes a copy of the archive to `target` with the requested coding of moves, and its index. Works on rayon's
    /// threads.
    ///
    /// The unit of progress is a byte of the archive. Errors: the archive is damaged, the target cannot be written or
    /// must not be replaced, or the copy was stopped. After an error, nothing remains at the target. A copy of an
    /// intact archive contains the same games, which `verify` can confirm.
    pub fn transcode<'a>(
        &self,
        target: impl AsRef<Path>,
        options: &TranscodeOptions,
        monitor: impl Into<Monitor<'a>>,
    ) -> Result<Transcoded> {
        let (target, monitor) = (target.as_ref(), monitor.into());
        let (new, mut writer) =
            NewFile::create_unnamed(target, self.id(), options.existing, Permissions::from_inputs([self.path()]))?;
        if let Err(error) = copy(self, target, &mut writer, options, &monitor) {
            drop(writer);
            new.remove();
            return Err(error);
        }
        let (index, archive_bytes) = (writer.index(), writer.committed_length());
        let after = *writer.totals();
        drop(writer);
        finish(new, target, &monitor)?;
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
    let (mut chunk, mut batch, mut with_parity, strings) = (0, Vec::new(), false, Strings::default());
    let is_packed = options.coding != Coding::Plain;
    if is_packed
        && options.with_model
        && let Some(model) = packed::model_file()
    {
        writer.add_model(MODEL.number, model).map_err(Error::io("cannot write", target))?;
    }
    for block in Scan::new(source.store(), source.id()) {
        let block = block?;
        with_parity |= block.header.kind == BlockKind::Parity;
        let is_needed = match block.header.kind {
            // An unknown block may depend on data that changes here. A parity of other bytes replaces the parity.
            BlockKind::Other(_) | BlockKind::Parity => false,
            BlockKind::Model => is_packed && !options.with_model,
            _ => true,
        };
        if !is_needed {
            continue;
        }
        batch.push((block, chunk));
        chunk += usize::from(block.header.kind == BlockKind::Moves);
        if block.header.kind != BlockKind::Commit {
            continue;
        }
        let payload = block.checked(source.store(), source.id())?;
        let commit = Commit::decode(&payload).ok_or(Damage::new(block.offset, DamageKind::BlockContent))?;
        let batch = std::mem::take(&mut batch);
        let items = match options.level {
            Some(level) if is_packed => join_chunks(batch, level),
            _ => batch.into_iter().map(|(block, chunk)| Item::Block(block, chunk)).collect(),
        };
        let blocks: Vec<Block> = parallel::try_map_items(&items, |item| {
            monitor.check()?;
            let (done, bytes) = match item {
                Item::Block(block, chunk) => (Block::read(source, block, *chunk, options)?, block.end() - block.offset),
                Item::Chunks { chunks, level, bytes } => {
                    let known = |string: &[u8]| strings.number(source, commit.strings, string);
                    (Block::join(source, chunks, options.coding, *level, known)?, *bytes)
                }
            };
            monitor.advance(bytes);
            Ok::<_, Error>(done)
        })?;
        for block in blocks {
            let written = match block {
                Block::Chunk(first, chunk) => writer.append_chunk(first, &chunk),
                Block::Moves { first, records, ends, coding } => writer.append_moves(first, &records, &ends, coding),
                Block::Commit(commit, unfinished) => {
                    writer.commit_copy(&commit, unfinished, std::mem::take(&mut with_parity))
                }
                Block::Other(block, payload) => writer.append_block(&block, &payload),
            };
            written.map_err(Error::io("cannot write", target))?;
        }
    }
    Ok(())
}

/// The result of transcoding one or more blocks in a batch.
enum Item {
    /// An unchanged block, and the number of the chunk that begins at this block, if any.
    Block(BlockRef, usize),
    /// The chunks to be joined, and their size in bytes.
    Chunks { chunks: Vec<usize>, level: i32, bytes: u64 },
}

/// Returns the groups for the blocks of a batch. Consecutive chunks without a block between them are joined up to the
/// size of an import's packed chunks.
fn join_chunks(batch: Vec<(BlockRef, usize)>, level: i32) -> Vec<Item> {
    // The pending blocks of the chunks to be joined next, and these chunks.
    let (mut items, mut run, mut chunks, mut games) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let mut variants = false;
    let mut end_run = |run: Vec<(BlockRef, usize)>, chunks: Vec<usize>| match chunks.len() {
        0 | 1 => items.extend(run.into_iter().map(|(block, chunk)| Item::Block(block, chunk))),
        _ => {
            let bytes = run.iter().map(|(block, _)| block.end() - block.offset).sum();
            items.push(Item::Chunks { chunks, level, bytes });
        }
    };
    for (block, chunk) in batch {
        let kind = block.header.kind;
        let is_column = matches!(kind, BlockKind::Tags | BlockKind::Texts | BlockKind::Layout);
        let block_games = if kind == BlockKind::Moves { u64::from(block.header.count) } else { 0 };
        if !is_column && block_games == 0 {
            // Skippable blocks may stand between the blocks of a chunk.
            if !kind.is_skippable() {
                end_run(std::mem::take(&mut run), std::mem::take(&mut chunks));
                games = 0;
            }
            end_run(vec![(block, chunk)], Vec::new());
            continue;
        }
        // Two chunks of the usual size may contain a few more games.
        let is_full =
            games + block_games > JOINED_GAMES && (chunks.len() != 1 || games + block_games > 2 * JOINED_GAMES);
        let of_variant = block.header.coding & 15 == VARIANTS;
        let changes = !is_column && std::mem::replace(&mut variants, of_variant) != of_variant;
        if !is_column && is_full || changes {
            end_run(std::mem::take(&mut run), std::mem::take(&mut chunks));
            games = 0;
        }
        games += block_games;
        chunks.extend((block_games > 0).then_some(chunk));
        run.push((block, chunk));
    }
    end_run(run, chunks);
    items
}

/// A block that is being copied.
enum Block {
    Chunk(u64, Box<EncodedChunk>),
    Moves { first: u64, records: Vec<u8>, ends: Vec<u32>, coding: Coding },
    Commit(Commit, Option<Unfinished>),
    Other(BlockRef, Vec<u8>),
}

impl Block {
    /// Joins chunks into one with the requested coding of moves. `known` returns the number of a dictionary string.
    fn join(
        source: &Archive,
        chunks: &[usize],
        coding: Coding,
        level: i32,
        known: impl Fn(&[u8]) -> Option<u64>,
    ) -> Result<Block> {
        let group: Group = chunks.iter().map(|chunk| (*chunk, source.games_of(*chunk).collect())).collect();
        let first = group.first().and_then(|(_, games)| games.first()).copied().unwrap_or_default();
        let mut draft = Draft::new(source, &group, &|_| Ok(None))?;
        draft.tags.intern(|string, _| known(string));
        (draft.records, draft.ends) = (Vec::new(), Vec::new());
        for chunk in chunks {
            draft.coding = moves(source, *chunk, coding, &mut draft.records, &mut draft.ends)?;
        }
        Ok(Block::Chunk(first, Box::new(draft.encode(level))))
    }

    fn read(source: &Archive, block: &BlockRef, chunk: usize, options: &TranscodeOptions) -> Result<Block> {
        let kind = block.header.kind;
        if kind == BlockKind::Moves {
            let (mut records, mut ends) = (Vec::new(), Vec::new());
            let coding = moves(source, chunk, options.coding, &mut records, &mut ends)?;
            return Ok(Block::Moves { first: block.header.first, records, ends, coding });
        }
        let payload = block.checked(source.store(), source.id())?;
        let damage = || Damage::new(block.offset, DamageKind::BlockContent);
        match (kind, options.level) {
            (BlockKind::Commit, _) => {
                let commit = Commit::decode(&payload).ok_or_else(damage)?;
                Ok(Block::Commit(commit, Unfinished::from_commit(&payload)))
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

/// Returns whether the payload is large enough for the budget that a reader needs to decode it.
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

/// Appends the records of a chunk and their end offsets, with the requested coding of moves. Returns the coding: records
/// of variants keep their own.
fn moves(
    source: &Archive,
    chunk: usize,
    requested: Coding,
    records: &mut Vec<u8>,
    ends: &mut Vec<u32>,
) -> Result<Coding> {
    let head = source.head(chunk)?;
    let coding = if head.coding == Coding::Variants { Coding::Variants } else { requested };
    let (games, mut packed) = (head.block.header.count as usize, Vec::new());
    for index in 0..games {
        let record = source.record(chunk, index, None)?;
        push_record(&record, coding, &mut packed, records);
        ends.push(records.len() as u32);
    }
    Ok(coding)
}

//! Rewrites an archive with some of its chunks replaced.
//!
//! All other blocks are copied unchanged, block for block and commit for commit, under the same id, so games, strings
//! and sources keep their numbers. The input is an open archive and a function that remakes chunks. The output is a
//! complete file that replaces the archive. After an error, the archive is unchanged.

use crate::archive::copy::verified;
use crate::archive::existing::Existing;
use crate::archive::game_set::GameSet;
use crate::archive::read::archive::Archive;
use crate::archive::read::blocks::{BlockRef, Scan};
use crate::archive::read::chunk::Chunk;
use crate::archive::write::temporary::Permissions;
use crate::archive::write::writer::{EncodedChunk, NewFile, Writer, write_index};
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::block::BlockKind;
use crate::format::commit::{Commit, Unfinished};
use crate::format::side::Made;
use crate::monitor::Monitor;
use crate::parallel;
use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;

/// A rewritten chunk.
pub(crate) struct Remade {
    /// The blocks of the chunk. It contains as many games as the replaced chunk, with the same numbers.
    pub chunk: EncodedChunk,
    /// The number of plies and of faulty games in the replaced chunk.
    pub before: (u64, u64),
    /// Whether a game may have changed moves.
    pub has_other_moves: bool,
}

/// A function that remakes a chunk, given the number of dictionary strings at its commit. The new chunk must not use
/// other strings. Returns `None` if the chunk is unchanged.
pub(crate) type Remake<'a> = &'a (dyn Fn(&Chunk, u64) -> Result<Option<Remade>> + Sync);

/// The commits and chunks that differ after an archive is rewritten.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n"[..])?;
/// use scoresheet::{Archive, GameSet, Monitor};
///
/// let change = |game: &scoresheet::GameRef<'_>| {
///     let mut game = game.to_game()?;
///     game.tags.push(("Annotator".to_owned(), "Tal".to_owned()));
///     Ok(Some(game))
/// };
/// let edited = Archive::edit(&target, &GameSet::from_numbers(2, [2]), &change, Monitor::new())?;
/// let changed = edited.change.expect("a game has changed");
/// assert_eq!(changed.chunks[0].0, 1..3); // the chunk has both games
/// assert_eq!(Archive::open(&target)?.changed()?.iter().collect::<Vec<_>>(), [2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    /// The last commit of the archive before the change.
    pub from: Made,
    /// The last commit of the archive after the change.
    pub made: Made,
    /// The games of each remade chunk, ascending, and whether any of its games may have changed moves.
    pub chunks: Vec<(Range<u64>, bool)>,
}

/// The file that replaces an archive.
#[derive(Debug)]
pub(crate) struct Rewritten {
    /// The length of the file in bytes.
    pub bytes: u64,
    /// The changes.
    pub change: Changed,
    /// The error if the index of the new file could not be written.
    pub unindexed: Option<Error>,
}

/// Rewrites the archive at `path`: `remake` returns the new chunks for these games, and the complete new file replaces
/// the archive. Returns `None` if no chunk has changed. In this case, the archive remains unchanged. Keeps the archive
/// locked throughout. The unit of progress is a byte of the archive.
pub(crate) fn rewrite(path: &Path, games: &GameSet, remake: Remake, monitor: &Monitor) -> Result<Option<Rewritten>> {
    // The new file replaces the archive, not a link to it.
    let linked =
        fs::symlink_metadata(path).ok().filter(|file| file.is_symlink()).and_then(|_| fs::canonicalize(path).ok());
    let path = linked.as_deref().unwrap_or(path);
    // The locked file must be the file at the path, so the archive is opened again under the lock.
    let id = Archive::open(path)?.id();
    let (new, mut writer) = NewFile::create_unnamed(path, id, Existing::Replace, Permissions::from_inputs([path]))?;
    let mut from = None;
    let done = Archive::open(path).and_then(|archive| {
        from = Some(archive.made());
        if archive.id() != id {
            return Err(Error::input(path.display().to_string(), "was replaced by another archive"));
        }
        if archive.incomplete().is_some() {
            return Err(Error::input(path.display().to_string(), "games may be missing: repair it first"));
        }
        archive.may_be_written()?;
        copy(&archive, games, &mut writer, remake, monitor)
    });
    let (from, chunks) = match (done, from) {
        (Ok(chunks), Some(from)) if !chunks.is_empty() => (from, chunks),
        (unchanged, _) => {
            drop(writer);
            new.remove();
            return unchanged.map(|_| None);
        }
    };
    let change = Changed { from, made: writer.made(), chunks };
    let (index, bytes) = (writer.index(), writer.committed_length());
    drop(writer);
    verified(new, path, monitor)?.finish_beside()?;
    Ok(Some(Rewritten { bytes, change, unindexed: write_index(path, &index).err() }))
}

/// A block that is being copied.
enum Block {
    Chunk(u64, Box<Remade>),
    Moves { first: u64, records: Vec<u8>, ends: Vec<u32>, chunk: usize },
    Commit(Box<Commit>, Option<Unfinished>),
    Other(BlockRef, Vec<u8>),
}

/// Returns the games of the remade chunks, and whether any game may have changed moves.
fn copy(
    archive: &Archive,
    games: &GameSet,
    writer: &mut Writer<File>,
    remake: Remake,
    monitor: &Monitor,
) -> Result<Vec<(Range<u64>, bool)>> {
    let failed = || Error::io("cannot write", archive.path());
    let (mut batch, mut chunk, mut with_parity, mut changed) = (Vec::new(), 0, false, Vec::new());
    // The differences between the totals of the rewritten archive and of the original.
    let (mut plies, mut faulty) = (0u64, 0u64);
    for block in Scan::new(archive.store(), archive.id()) {
        let block = block?;
        // An unknown block may depend on data that changes here, and the parity of other bytes takes the parity's place.
        with_parity |= block.header.kind == BlockKind::Parity;
        if matches!(block.header.kind, BlockKind::Other(_) | BlockKind::Parity) {
            continue;
        }
        batch.push((block, chunk));
        chunk += usize::from(block.header.kind == BlockKind::Moves);
        if block.header.kind != BlockKind::Commit {
            continue;
        }
        let damage = || Damage::new(block.offset, DamageKind::BlockContent);
        let payload = block.checked(archive.store(), archive.id())?;
        let commit = Commit::decode(&payload).ok_or_else(damage)?;
        let blocks: Vec<Block> = parallel::try_map_items(&std::mem::take(&mut batch), |(block, chunk)| {
            monitor.check()?;
            let read = Block::read(archive, block, *chunk, games, remake, commit.strings);
            monitor.advance(block.end() - block.offset);
            read
        })?;
        // The rewritten chunk contains the old chunk's columns.
        let mut held = None;
        for block in blocks {
            let written = match block {
                Block::Chunk(first, remade) => {
                    held = Some(first);
                    changed.push((first..first + remade.chunk.ends.len() as u64, remade.has_other_moves));
                    plies = plies.wrapping_add(remade.chunk.plies).wrapping_sub(remade.before.0);
                    faulty = faulty.wrapping_add(remade.chunk.faulty).wrapping_sub(remade.before.1);
                    writer.append_chunk(first, &remade.chunk)
                }
                Block::Moves { first, records, ends, chunk } => {
                    writer.append_moves(first, &records, &ends, archive.head(chunk)?.coding)
                }
                Block::Commit(commit, unfinished) => {
                    let (plies, faulty) = (commit.plies.wrapping_add(plies), commit.faulty.wrapping_add(faulty));
                    let commit = Commit { plies, faulty, ..*commit };
                    writer.commit_copy(&commit, unfinished, std::mem::take(&mut with_parity))
                }
                Block::Other(block, _) if is_column(block.header.kind) && held == Some(block.header.first) => Ok(()),
                Block::Other(block, payload) => writer.append_block(&block, &payload),
            };
            written.map_err(failed())?;
        }
    }
    Ok(changed)
}

fn is_column(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Tags | BlockKind::Texts | BlockKind::Layout)
}

impl Block {
    fn read(
        archive: &Archive,
        block: &BlockRef,
        number: usize,
        games: &GameSet,
        remake: Remake,
        strings: u64,
    ) -> Result<Block> {
        if block.header.kind == BlockKind::Moves {
            let first = block.header.first;
            if archive.games_of(number).any(|game| games.contains(game))
                && let Some(remade) = remake(&archive.chunk(number)?, strings)?
            {
                return Ok(Block::Chunk(first, Box::new(remade)));
            }
            let (mut records, mut ends) = (Vec::new(), Vec::new());
            let chunk = archive.chunk(number)?;
            for game in archive.games_of(number) {
                chunk.any_game(game)?.push_stored(&mut records)?;
                ends.push(u32::try_from(records.len()).map_err(|_| Damage::new(block.offset, DamageKind::Chunk))?);
            }
            return Ok(Block::Moves { first, records, ends, chunk: number });
        }
        let payload = block.checked(archive.store(), archive.id())?;
        if block.header.kind == BlockKind::Commit {
            let commit = Commit::decode(&payload).ok_or(Damage::new(block.offset, DamageKind::BlockContent))?;
            return Ok(Block::Commit(Box::new(commit), Unfinished::from_commit(&payload)));
        }
        Ok(Block::Other(*block, payload.into_owned()))
    }
}

impl Archive {
    /// Returns the games that have been changed since their import ([`Archive::edit`]), without deleted games. Reads
    /// only the head of each record, on rayon's current pool.
    pub fn changed(&self) -> Result<GameSet> {
        let chunks: Vec<Vec<u64>> = parallel::try_map(self.chunk_count(), |number| {
            let chunk = self.chunk(number)?;
            let mut changed = Vec::new();
            for game in self.games_of(number).filter(|game| !self.is_deleted(*game)) {
                if self.stored_record(number, (game - chunk.first()) as usize)?.is_changed() {
                    changed.push(game);
                }
            }
            Ok::<_, Error>(changed)
        })?;
        Ok(GameSet::from_numbers(self.len(), chunks.into_iter().flatten()))
    }
}

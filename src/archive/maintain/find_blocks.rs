//! Finds the blocks of a damaged archive, and determines their archive, their offsets, and the blocks that belong
//! together.

use crate::archive::file_kind::FileKind;
use crate::archive::maintain::mend::{self, Patch, Patched};
use crate::archive::read::archive::{Archive, Loose};
use crate::archive::read::blocks::{BlockRef, IndexBuilder, check_block, next_block, next_sync, refuse_unknown, walk};
use crate::archive::read::chunk::Chunk;
use crate::archive::read::columns::{ColumnBlocks, Columns};
use crate::archive::read::opening::{Incomplete, Opening, Tail};
use crate::archive::read::options::OpenOptions;
use crate::archive::read::original::source_of;
use crate::archive::read::read_at::{ReadAt, Store};
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::block::{self, BlockHeader, BlockKind, HEADER};
use crate::format::commit::Commit;
use crate::format::dictionary::BlockStrings;
use crate::format::header::{BLOCKS, Header, IDENTITIES};
use crate::format::index::{ChunkEntry, DeletionEntry, DictionaryEntry, Index};
use crate::format::moves::MovesTable;
use crate::format::source::SourceRecord;
use crate::format::{ArchiveId, State};
use crate::monitor::Monitor;
use crate::parallel;
use crate::sort;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// The maximum number of times that damage is mended.
const MOST_ROUNDS: usize = 3;
/// The maximum length of a block that a new archive does not need.
const MAX_HARMLESS: u64 = 1 << 20;
/// The maximum number of lost strings between others. If more are lost, no string keeps its number.
const MAX_LOST_STRINGS: u64 = 1 << 20;

/// The readable parts of a damaged archive.
pub struct BlockFinder {
    /// The archive, with only the chunks that were found. Any other game causes an error.
    pub archive: Archive,
    /// The offsets of the columns that were found, by the first game of their chunk.
    columns: HashMap<u64, ColumnBlocks>,
    /// The blocks that were found, in file order. The blocks of a commit precede it.
    pub blocks: Vec<BlockRef>,
    /// The damage between the found blocks, in file order.
    pub damage: Vec<Damage>,
    /// The damaged blocks whose kind is unknown.
    pub holes: Vec<Damage>,
    /// The damaged blocks that held nothing of a game, a source or the metadata.
    harmless: Vec<Damage>,
    /// The totals in the last readable commit.
    pub totals: Commit,
    /// The number of games that the archive declares.
    pub games: u64,
    /// All damage of the file, in file order, including damage that is mended.
    pub all_damage: Vec<Damage>,
    /// The bytes that a parity or checksums have restored.
    pub mended: Vec<Range<u64>>,
    /// Whether games that were deleted are kept, because damage makes their deletion doubtful.
    pub returned: bool,
}

impl BlockFinder {
    /// Finds the blocks in the file at `path`, whose bytes are `store`, checks them, and mends them where the parity of a
    /// batch allows.
    pub fn new(path: &Path, options: OpenOptions, store: Store, monitor: &Monitor) -> Result<BlockFinder> {
        let mut found = BlockFinder::find(path, options, store)?;
        let (mut all_damage, mut mended) = (Vec::new(), Vec::new());
        // The blocks that have been checked and are intact. Mending does not change them.
        let mut intact = Vec::new();
        // A mended byte can allow a parity to restore others.
        for round in 0..MOST_ROUNDS {
            let id = found.archive.id();
            let check = |block: &BlockRef| {
                monitor.advance(block.header.length);
                if monitor.is_stopped() { Vec::new() } else { check_block(found.archive.store(), id, block) }
            };
            let is_new = |block: &&BlockRef| intact.binary_search(&block.offset).is_err();
            let blocks: Vec<BlockRef> = found.blocks.iter().filter(is_new).copied().collect();
            let of_blocks = parallel::map_items(&blocks, check);
            let sound = blocks.iter().zip(&of_blocks).filter(|(_, damage)| damage.is_empty());
            intact.extend(sound.map(|(block, _)| block.offset));
            intact.sort_unstable();
            let of_blocks: Vec<Damage> = of_blocks.into_iter().flatten().collect();
            let damage = [found.damage.as_slice(), &found.harmless, &of_blocks].concat();
            let patches = mend::patches(found.archive.store(), id, &found.blocks, &damage);
            if round == 0 {
                all_damage = damage;
                sort::by_key(&mut all_damage, |damage| (damage.offset, damage.game));
            }
            if patches.is_empty() {
                break;
            }
            mended.extend(patches.iter().map(Patch::range));
            found = BlockFinder::find(path, options, Patched { archive: found.archive, patches }.into_store())?;
        }
        mended.sort_by_key(|range| range.start);
        (found.all_damage, found.mended) = (all_damage, mended);
        Ok(found)
    }

    fn find(path: &Path, options: OpenOptions, store: Store) -> Result<BlockFinder> {
        let (opening, mut damage) = match Opening::read(&store, path, Tail::Adopt) {
            Ok(opening) => {
                let damage = opening.damage().into_iter().collect();
                (Some(opening), damage)
            }
            Err(Error::Damaged(_) | Error::NotAnArchive { .. }) => (None, vec![Damage::new(0, DamageKind::FileHeader)]),
            Err(error) => return Err(error),
        };
        let id = match &opening {
            Some(opening) => opening.header.state.id,
            None => identity(&store, path).ok_or(Error::NotAnArchive { path: path.to_path_buf() })?,
        };
        let (mut blocks, found) = walk(&store, id);
        // An unknown block cannot be copied.
        refuse_unknown(&found)?;
        let commits: Vec<(BlockRef, Commit)> = blocks
            .iter()
            .filter(|block| block.header.kind == BlockKind::Commit)
            .filter_map(|block| Some((*block, Commit::decode(&block.checked(&store, id).ok()?)?)))
            .collect();
        // If the end of the last commit is unknown, or nothing is committed, the blocks after the last complete commit may
        // be uncommitted. They were written, and may be valid.
        let is_known = |opening: &&Opening| opening.incomplete.is_none() && opening.header.state.sequence > 0;
        let end = opening.as_ref().filter(is_known).map_or(store.length(), |opening| opening.header.state.length);
        blocks.retain(|block| block.end() <= end);
        let mut left = mend::MAX_CHECKED;
        let (harmless, mut holes): (Vec<Damage>, Vec<Damage>) = found
            .into_iter()
            .filter(|damage| damage.offset < end || damage.offset == store.length())
            .partition(|damage| is_harmless(damage.offset, end, &blocks, &commits, &store, &mut left));
        let cut = damage.first().filter(|damage| damage.kind == DamageKind::CutOff).cloned();
        damage.extend(holes.iter().cloned());
        if let Some(cut) = cut {
            // A block that is cut off is the same damage.
            holes.pop_if(|hole| blocks.last().is_none_or(|block| block.offset < hole.offset));
            holes.push(cut);
        }
        let claimed = opening.as_ref().map_or(0, |opening| match opening.incomplete {
            Some(Incomplete::Cut(cut)) => cut.games,
            _ => opening.header.state.games,
        });
        let totals = commits.iter().rfind(|(block, _)| block.end() <= end).map(|(_, commit)| *commit);
        let totals = totals.unwrap_or_default();
        let Found { mut index, columns, games: found } = index(&blocks, &mut damage, id);
        let returned = keep_certain(&mut index.deletions, &blocks, &damage, &store, id);
        let seen = blocks.iter().filter(|block| is_of_games(block.header.kind));
        let seen = seen.map(|block| block.header.first.saturating_sub(1).saturating_add(block.header.count.into()));
        let games = claimed.max(totals.games).max(index.state.games);
        // Uses the counts in columns only if a commit is missing.
        let games = if games == 0 { seen.max().unwrap_or(0) } else { games };
        let header = opening.map_or(Header::new(id), |opening| opening.header);
        let header = Header { state: State { length: end, games, ..header.state }, ..header };
        index.state = header.state;
        sort::by_key(&mut damage, |damage| damage.offset);
        let loose = loose(&blocks, &store, id);
        let archive = Archive::from_parts(path, options, header, store, index, found.into_iter(), loose);
        let (all_damage, mended) = (Vec::new(), Vec::new());
        Ok(BlockFinder {
            archive,
            columns,
            blocks,
            damage,
            holes,
            harmless,
            totals,
            games,
            all_damage,
            mended,
            returned,
        })
    }

    /// Returns a chunk that was found, with the columns that were found.
    pub fn chunk(&self, number: usize) -> Result<Chunk<'_>> {
        let head = self.archive.head(number)?;
        let columns = self.columns.get(&head.block.header.first).copied().unwrap_or_default();
        Ok(Chunk::new(&self.archive, number, head, Columns::at(columns)))
    }

    /// Returns the damage between two offsets, if any, as the reason for a missing block.
    pub fn damage_between(&self, start: u64, end: u64) -> Option<Damage> {
        let from = self.damage.partition_point(|damage| damage.offset < start);
        self.damage.get(from).filter(|damage| damage.offset < end).cloned()
    }

    /// Returns whether damaged blocks between two offsets contained loose bytes.
    pub fn loses_loose(&self, start: u64, end: u64) -> bool {
        let from = self.blocks.partition_point(|block| block.offset < start);
        let (store, id) = (self.archive.store(), self.archive.id());
        let blocks = self.blocks.iter().skip(from).take_while(|block| block.offset < end);
        blocks.filter(|block| block.header.kind == BlockKind::Loose).any(|block| block.checked(store, id).is_err())
    }

    /// Returns the damage between the moves block at `offset` and its texts, if any: this damage may have destroyed the
    /// texts without a trace.
    pub fn hole(&self, offset: u64) -> Option<Damage> {
        let from = self.blocks.partition_point(|block| block.offset < offset);
        let mut end = self.blocks.get(from)?.end();
        for block in self.blocks.iter().skip(from + 1) {
            if block.offset != end {
                return self.damage_between(end, block.offset);
            }
            let kind = block.header.kind;
            if !kind.is_skippable() && !matches!(kind, BlockKind::Tags | BlockKind::Texts) {
                return None;
            }
            end = block.end();
        }
        // The header of a block that is cut off states its kind.
        let (store, id) = (self.archive.store(), self.archive.id());
        let header = store.read_at(end, HEADER as u64).ok().and_then(|header| BlockHeader::decode(&header, id, end));
        let is_other = |header: BlockHeader| !matches!(header.kind, BlockKind::Tags | BlockKind::Texts);
        self.damage_between(end, u64::MAX).filter(|_| !header.is_some_and(is_other))
    }

    /// Returns the source of a source block.
    pub fn source(&self, block: &BlockRef) -> Option<SourceRecord> {
        if block.header.kind != BlockKind::Source {
            return None;
        }
        let payload = block.checked(self.archive.store(), self.archive.id()).ok()?;
        SourceRecord::decode(block.header.first, &payload)
    }

    /// Returns the dictionary blocks and their copies, in the order of their strings. Returns `None` if the strings
    /// cannot keep their numbers, because blocks contradict each other or too many are lost.
    pub fn dictionaries(&self) -> Option<Vec<BlockRef>> {
        let dictionaries = self.blocks.iter().filter(|block| block.header.kind == BlockKind::Dictionary);
        let mut dictionaries: Vec<BlockRef> = dictionaries.copied().collect();
        sort::by_key(&mut dictionaries, |block| block.header.first);
        let (mut last, mut lost) = (0..0, 0u64);
        for header in dictionaries.iter().map(|block| block.header) {
            let strings = header.first..header.first.saturating_add(u64::from(header.count));
            if strings.start < last.end && strings != last {
                return None;
            }
            lost = lost.saturating_add(strings.start.saturating_sub(last.end));
            last = strings;
        }
        (lost <= MAX_LOST_STRINGS).then_some(dictionaries)
    }

    /// Returns the strings of a dictionary block.
    pub fn strings(&self, block: &BlockRef) -> Option<BlockStrings> {
        let payload = block.checked(self.archive.store(), self.archive.id()).ok()?;
        BlockStrings::decode(&payload, block.header.count as usize)
    }
}

/// Returns whether the damaged bytes at `offset` are a commit block or a parity block with a damaged header: their
/// contents show it, and a new archive has its own.
fn is_harmless(
    offset: u64,
    end: u64,
    blocks: &[BlockRef],
    commits: &[(BlockRef, Commit)],
    store: &Store,
    left: &mut u64,
) -> bool {
    let next = blocks.get(blocks.partition_point(|block| block.offset < offset)).map_or(end, |block| block.offset);
    let payload = offset + HEADER as u64;
    let Some(length) = next.checked_sub(payload).filter(|length| *length <= MAX_HARMLESS) else { return false };
    let Ok(bytes) = store.read_at(payload, length) else { return false };
    let (before, after) = commits.split_at(commits.partition_point(|(block, _)| block.offset < offset));
    let start = before.last().map_or(BLOCKS, |(block, _)| block.end());
    let is_commit = Commit::decode(&bytes).is_some_and(|commit| {
        let sequence = before.last().map_or(0, |(_, commit)| commit.sequence) + 1;
        commit.sequence == sequence && after.first().is_none_or(|(_, after)| after.sequence == sequence + 1)
    });
    if is_commit || offset - start > *left {
        return is_commit;
    }
    *left -= offset - start;
    mend::adds_up(store, &(start..offset), &bytes)
}

/// Returns the readable loose blocks, by source. A source with damaged loose blocks cannot be restored, but other
/// sources can.
fn loose(blocks: &[BlockRef], store: &Store, id: ArchiveId) -> Loose {
    let mut found = Loose::new();
    for block in blocks.iter().filter(|block| block.header.kind == BlockKind::Loose) {
        let source = block.checked(store, id).and_then(|payload| source_of(block, &payload));
        if let Ok(source) = source {
            found.entry(source).or_default().push(*block);
        }
    }
    found.values_mut().for_each(|blocks| sort::by_key(blocks, |block| block.header.first));
    found
}

/// Removes the deletions that cannot be read, and those that a later unreadable block may have restored: a repair keeps
/// rather a game too many than one too few. Returns whether any were removed.
fn keep_certain(
    deletions: &mut Vec<DeletionEntry>,
    blocks: &[BlockRef],
    damage: &[Damage],
    store: &Store,
    id: ArchiveId,
) -> bool {
    let is_restored = |block: &&BlockRef| block.header.kind == BlockKind::Restored;
    let changes = blocks.iter().filter(|block| matches!(block.header.kind, BlockKind::Deleted | BlockKind::Restored));
    let (readable, lost): (Vec<&BlockRef>, Vec<&BlockRef>) =
        changes.partition(|block| block.checked(store, id).is_ok());
    let is_hole = |damage: &&Damage| matches!(damage.kind, DamageKind::BlockHeader | DamageKind::CutOff);
    let holes = damage.iter().filter(is_hole).map(|damage| damage.offset);
    let restored = lost.into_iter().filter(is_restored).map(|block| block.offset);
    let doubtful = holes.chain(restored).max().unwrap_or(0);
    // In the order of the file.
    let certain = readable.into_iter().filter(|block| is_restored(block) || block.offset > doubtful);
    let certain: Vec<u64> = certain.map(|block| block.offset).collect();
    let before = deletions.len();
    deletions.retain(|entry| certain.binary_search(&entry.offset).is_ok());
    deletions.len() < before
}

fn is_of_games(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Moves | BlockKind::Tags | BlockKind::Texts | BlockKind::Layout)
}

/// The contents of the found blocks.
struct Found {
    index: Index,
    /// The column blocks, by the first game of their chunk.
    columns: HashMap<u64, ColumnBlocks>,
    /// The games of each chunk.
    games: Vec<Range<u64>>,
}

/// Builds an index of the blocks that were found. Moves blocks may have gaps between them. Blocks that contradict
/// others are treated as damaged.
fn index(blocks: &[BlockRef], damage: &mut Vec<Damage>, id: ArchiveId) -> Found {
    let (mut index, mut columns) = (IndexBuilder::new(id).index, HashMap::<u64, ColumnBlocks>::new());
    let mut games = Vec::new();
    for BlockRef { offset, header } in blocks.iter().copied() {
        match header.kind {
            BlockKind::Moves => match MovesTable::pages_of(&header) {
                Some(pages) if header.first > index.state.games && header.count > 0 => {
                    index.chunks.push(ChunkEntry { first: header.first, offset, pages: index.pages });
                    index.state.games = (header.first - 1).saturating_add(u64::from(header.count));
                    games.push(header.first..index.state.games.saturating_add(1));
                    index.pages += pages;
                }
                _ => damage.push(Damage::new(offset, DamageKind::MovesContradict)),
            },
            BlockKind::Dictionary => {
                let entries = &mut index.dictionaries;
                // If only the copy of a block is found, it may follow later blocks.
                match entries.binary_search_by_key(&header.first, |entry| entry.first) {
                    Ok(entry) => entries.get_mut(entry).into_iter().for_each(|entry| entry.copy = offset),
                    Err(after) => entries.insert(after, DictionaryEntry { first: header.first, offset, copy: 0 }),
                }
                index.strings = index.strings.max(header.first.saturating_add(u64::from(header.count)));
            }
            BlockKind::Deleted | BlockKind::Restored => {
                let entry = DeletionEntry { first: header.first, offset, count: u64::from(header.count) };
                index.deletions.push(entry);
            }
            BlockKind::Tags | BlockKind::Texts | BlockKind::Layout => {
                columns.entry(header.first).or_default().add(BlockRef { offset, header });
            }
            _ => {}
        }
    }
    Found { index, columns, games }
}

/// Finds the identity of an archive with two damaged header pages: in the remains of the pages, in the index, or in the
/// checksums of blocks.
fn identity(store: &Store, path: &Path) -> Option<ArchiveId> {
    let in_page = IDENTITIES.into_iter().filter_map(|offset| id_at(store, offset));
    let index = std::fs::read(FileKind::Index.of_archive(path))
        .ok()
        .and_then(|file| Index::decode(&file))
        .map(|index| index.state.id);
    let fits = |id: &ArchiveId| next_block(store, *id, BLOCKS).is_some();
    in_page.chain(index).find(fits).or_else(|| solve(store))
}

fn id_at(store: &Store, offset: u64) -> Option<ArchiveId> {
    let bytes = store.read_at(offset, 16).ok()?;
    Some(ArchiveId(*bytes.first_chunk()?))
}

/// The maximum number of sync words to try.
const ATTEMPTS: usize = 1 << 16;

/// Computes an identity from a block header. A checksum uses only 32 bits of the identity, and a CRC can be computed
/// backward. The payload's checksum, which is independent of these bits, verifies the result.
fn solve(store: &Store) -> Option<ArchiveId> {
    let mut start = BLOCKS;
    for _ in 0..ATTEMPTS {
        let offset = next_sync(store, start)?;
        start = offset + 1;
        let Ok(header) = store.read_at(offset, HEADER as u64) else { continue };
        let id = block::identity_of(&header, offset)?;
        let block = BlockRef::at(store, id, offset);
        if block.is_ok_and(|block| block.checked(store, id).is_ok()) {
            return Some(id);
        }
    }
    None
}

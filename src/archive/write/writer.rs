//! Writes an archive: appends chunks, and commits each batch with a commit block, a sync, the next high-water mark, and
//! another sync (FORMAT.md, "Commits").

use crate::archive::game_set::GameSet;
use crate::archive::read::blocks::{BlockRef, IndexBuilder};
use crate::archive::write::storage::Storage;
use crate::format::ArchiveId;
use crate::format::block::{self, BlockHeader, BlockKind};
use crate::format::commit::{Commit, Unfinished};
use crate::format::deletions;
use crate::format::dictionary;
use crate::format::header::{Header, PAGE};
use crate::format::index::Index;
use crate::format::metadata;
use crate::format::moves::{self, Coding};
use crate::format::parity::{self, Parity};
use crate::format::side::Made;
use crate::format::source::SourceRecord;
use std::collections::VecDeque;
use std::io;

pub use crate::archive::write::interner::Interner;
pub use crate::archive::write::new_file::{NewFile, write_index, write_side};
pub use crate::archive::write::reopen::Opened;

/// The default number of chunks per batch. A commit follows each batch.
pub const BATCH: u32 = 64;
/// The maximum number of chunks, and of bytes in blocks, that remain after a dictionary block has been written with their
/// strings. Half of a batch therefore separates its last dictionary block from the copies at the end of the batch. No
/// damage of this length takes both.
const HELD: (usize, usize) = (BATCH as usize / 2, 4 << 20);
/// The number of chunks, and of bytes, between dictionary blocks.
const SEGMENT: (usize, usize) = (8, 4 << 20);
/// The maximum number of strings of a dictionary block. A game over a network costs a block for each of its strings, and
/// smaller blocks compress less.
const STRINGS: usize = 4096;
/// The compression level of dictionary blocks, which are small and read often.
const DICTIONARY_LEVEL: i32 = 6;

/// A chunk of encoded games, without the data that depends on its position in the file.
#[derive(Debug, Default)]
pub struct EncodedChunk {
    /// Concatenated game records.
    pub records: Vec<u8>,
    /// The end offset of each record.
    pub ends: Vec<u32>,
    /// The coding of the records' moves.
    pub coding: Coding,
    /// The payload of the tags block.
    pub tags: Vec<u8>,
    /// The payload of the texts block, or `None` if no game has texts.
    pub texts: Option<Vec<u8>>,
    /// The payload of the layout block.
    pub layout: Vec<u8>,
    /// The strings that occur first in this chunk.
    pub new_strings: Vec<Box<[u8]>>,
    /// The number of plies in the main lines of the games.
    pub plies: u64,
    /// The number of games stored with a fault.
    pub faulty: u64,
    /// The number of rejected games in the same segment of the source.
    pub rejected: u64,
    /// The number of PGN bytes in the chunk.
    pub pgn_bytes: u64,
}

/// Blocks that the writer holds until the strings that they need are written before them.
enum Held {
    Chunk(u64, Box<EncodedChunk>),
    /// A block with its kind, its first and its count.
    Block(BlockKind, u64, u32, Vec<u8>),
}

impl Held {
    /// Returns the number of chunks and the approximate number of bytes.
    fn size(&self) -> (usize, usize) {
        match self {
            Held::Chunk(_, chunk) => {
                let EncodedChunk { records, tags, texts, layout, .. } = &**chunk;
                (1, records.len() + tags.len() + texts.as_ref().map_or(0, Vec::len) + layout.len())
            }
            Held::Block(.., payload) => (0, payload.len()),
        }
    }
}

/// Appends to an archive. Uncommitted data does not belong to the archive.
pub struct Writer<S> {
    storage: S,
    id: ArchiveId,
    /// The last commit.
    header: Header,
    totals: Commit,
    /// The totals at the last commit.
    committed: Commit,
    index: IndexBuilder,
    /// Strings that have not been written.
    strings: Vec<Box<[u8]>>,
    /// Blocks that have not been written, and their number of chunks and bytes.
    held: VecDeque<Held>,
    held_size: (usize, usize),
    /// The dictionary blocks of this batch, as their first string, number of strings and payload.
    dictionaries: Vec<(u64, u32, Vec<u8>)>,
    chunks: u32,
    /// The parity of the bytes after the last commit.
    parity: Parity,
    unfinished: Option<Unfinished>,
    poisoned: bool,
    /// Whether a header page that the system has not confirmed may have reached the disk.
    marking: bool,
}

impl<S: Storage> Writer<S> {
    /// Writes the header pages of an empty archive.
    pub fn create(mut storage: S, id: ArchiveId) -> io::Result<Writer<S>> {
        let header = Header::new(id);
        let mut pages = header.encode();
        // The second page is empty until the first commit.
        pages.resize(pages.len() + PAGE, 0);
        storage.write_at(0, &pages)?;
        storage.sync()?;
        Ok(Writer::at(storage, header, Commit::default(), IndexBuilder::new(id)))
    }

    /// Returns a writer that continues after a commit.
    pub(in crate::archive) fn at(storage: S, header: Header, totals: Commit, index: IndexBuilder) -> Writer<S> {
        Writer {
            storage,
            id: header.state.id,
            header,
            totals,
            committed: totals,
            index,
            strings: Vec::new(),
            held: VecDeque::new(),
            held_size: (0, 0),
            dictionaries: Vec::new(),
            chunks: 0,
            parity: Parity::for_batch(),
            unfinished: None,
            poisoned: false,
            marking: false,
        }
    }

    /// Returns the archive's identity.
    pub fn id(&self) -> ArchiveId {
        self.id
    }

    /// Returns the totals, including uncommitted data.
    pub fn totals(&self) -> &Commit {
        &self.totals
    }

    /// Returns the number of committed games.
    pub fn committed_games(&self) -> u64 {
        self.header.state.games
    }

    /// Returns the committed length of the file.
    pub fn committed_length(&self) -> u64 {
        self.header.state.length
    }

    /// Returns the sequence number of the last commit, or 0 before the first commit.
    pub fn sequence(&self) -> u64 {
        self.header.state.sequence
    }

    /// Returns the last commit.
    pub(in crate::archive) fn made(&self) -> Made {
        Made { state: self.header.state, commit: self.header.commit }
    }

    /// Returns the number of chunks added since the last commit.
    pub fn chunks(&self) -> u32 {
        self.chunks
    }

    /// Sets the progress of the import, which the next commits store. `None` means that the import is complete.
    pub fn set_unfinished(&mut self, unfinished: Option<Unfinished>) {
        self.unfinished = unfinished;
    }

    /// Returns an error if an earlier write or sync failed, so no more data is written.
    fn check(&self) -> io::Result<()> {
        if self.poisoned { Err(io::Error::other("an earlier write failed")) } else { Ok(()) }
    }

    /// Returns the offset of the next block, which is the end of the last indexed block.
    fn end(&self) -> u64 {
        self.index.index.state.length
    }

    fn append(&mut self, encode: impl FnOnce(ArchiveId, u64) -> Vec<u8>) -> io::Result<u64> {
        self.check()?;
        let offset = self.end();
        let block = encode(self.id, offset);
        let header = BlockHeader::decode(&block, self.id, offset);
        let header = header.ok_or_else(|| io::Error::other("a block too large for the format"))?;
        if let Err(error) = self.storage.write_at(offset, &block) {
            self.poisoned = true;
            return Err(error);
        }
        self.parity.add(offset, &block);
        self.index.add(&BlockRef { offset, header }).map_err(|damage| io::Error::other(damage.kind.to_string()))?;
        Ok(block.len() as u64)
    }

    /// Appends a chunk. An empty chunk only changes the totals.
    pub fn add_chunk(&mut self, mut chunk: EncodedChunk) -> io::Result<()> {
        self.totals.pgn_bytes += chunk.pgn_bytes;
        self.totals.rejected += chunk.rejected;
        self.strings.append(&mut chunk.new_strings);
        self.chunks += 1;
        if chunk.ends.is_empty() {
            return self.check();
        }
        let first = self.totals.games + 1;
        self.totals.games += chunk.ends.len() as u64;
        self.totals.plies += chunk.plies;
        self.totals.faulty += chunk.faulty;
        self.hold(Held::Chunk(first, Box::new(chunk)))
    }

    /// Appends blocks to the blocks that the writer holds. If these are too many, writes the strings that are known so
    /// far, and then the oldest blocks.
    fn hold(&mut self, held: Held) -> io::Result<()> {
        self.check()?;
        if let Held::Block(kind, first, count, payload) = &held
            && self.held.is_empty()
            && self.strings.is_empty()
        {
            return self.append_counted(*kind, *first, *count, payload);
        }
        let (chunks, bytes) = held.size();
        self.held_size = (self.held_size.0 + chunks, self.held_size.1 + bytes);
        self.held.push_back(held);
        let is_full = self.held_size.0 >= HELD.0 + SEGMENT.0 || self.held_size.1 >= HELD.1 + SEGMENT.1;
        if is_full { self.write_held(HELD) } else { Ok(()) }
    }

    /// Writes the new strings, and then the oldest blocks until at most this number of chunks and bytes remains.
    fn write_held(&mut self, (chunks, bytes): (usize, usize)) -> io::Result<()> {
        for strings in std::mem::take(&mut self.strings).chunks(STRINGS) {
            let (first, count) = (self.totals.strings, strings.len() as u32);
            let payload = dictionary::encode(strings, DICTIONARY_LEVEL);
            self.append_counted(BlockKind::Dictionary, first, count, &payload)?;
            self.totals.strings += u64::from(count);
            self.dictionaries.push((first, count, payload));
        }
        while (self.held_size.0 > chunks || self.held_size.1 > bytes || chunks == 0)
            && let Some(held) = self.held.pop_front()
        {
            let size = held.size();
            self.held_size = (self.held_size.0 - size.0, self.held_size.1 - size.1);
            match held {
                Held::Chunk(first, chunk) => self.append_chunk(first, &chunk)?,
                Held::Block(kind, first, count, payload) => self.append_counted(kind, first, count, &payload)?,
            }
        }
        Ok(())
    }

    /// Appends the blocks of a chunk whose first game has number `first`, without counting its games.
    pub(in crate::archive) fn append_chunk(&mut self, first: u64, chunk: &EncodedChunk) -> io::Result<()> {
        let EncodedChunk { records, ends, coding, tags, texts, layout, .. } = chunk;
        let count = ends.len() as u32;
        self.totals.moves_bytes += self.append(|id, at| moves::encode(first, records, ends, *coding, id, at))?;
        self.totals.tags_bytes += self.append(|id, at| block::encode(BlockKind::Tags, first, count, tags, id, at))?;
        if let Some(texts) = texts {
            self.totals.texts_bytes +=
                self.append(|id, at| block::encode(BlockKind::Texts, first, count, texts, id, at))?;
        }
        self.totals.layout_bytes +=
            self.append(|id, at| block::encode(BlockKind::Layout, first, count, layout, id, at))?;
        Ok(())
    }

    /// Appends a deletion of these games. The games must already be committed, or be committed together with the
    /// deletion.
    pub fn delete(&mut self, games: &GameSet) -> io::Result<()> {
        self.name_games(BlockKind::Deleted, games)
    }

    /// Appends a restoration of these games, which must be deleted.
    pub fn restore(&mut self, games: &GameSet) -> io::Result<()> {
        self.name_games(BlockKind::Restored, games)
    }

    fn name_games(&mut self, kind: BlockKind, games: &GameSet) -> io::Result<()> {
        let runs: Vec<(u64, u64)> = games.runs().collect();
        let Some((first, _)) = runs.first() else { return Ok(()) };
        let count = u32::try_from(games.len()).map_err(|_| io::Error::other("too many games for one block"))?;
        self.hold(Held::Block(kind, *first, count, deletions::encode(&runs)))
    }

    /// Appends metadata as keys and values. An empty list has no effect. An empty value removes a key.
    pub fn describe<'a>(&mut self, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> io::Result<()> {
        let pairs: Vec<(&str, &str)> = pairs.into_iter().collect();
        let count = u32::try_from(pairs.len()).map_err(|_| io::Error::other("too many keys for one block"))?;
        match count {
            0 => Ok(()),
            _ => self.hold(Held::Block(BlockKind::Metadata, 0, count, metadata::encode(pairs))),
        }
    }

    /// Appends a model that readers need for packed moves.
    pub fn add_model(&mut self, number: u32, model: &[u8]) -> io::Result<()> {
        self.hold(Held::Block(BlockKind::Model, u64::from(number), 0, metadata::encode_model(model)))
    }

    /// Adds strings to the dictionary at the next commit, which assigns them the next numbers.
    pub(in crate::archive) fn add_strings(&mut self, strings: impl IntoIterator<Item = Box<[u8]>>) {
        self.strings.extend(strings);
    }

    /// Appends source bytes that no adjacent stored game contains, as the payload of a loose block before game `next`.
    pub fn add_loose(&mut self, next: u64, payload: &[u8]) -> io::Result<()> {
        self.hold(Held::Block(BlockKind::Loose, next, 0, payload.to_vec()))
    }

    /// Appends a moves block unchanged. Its games are counted only when a commit is copied.
    pub(in crate::archive) fn append_moves(
        &mut self,
        first: u64,
        records: &[u8],
        ends: &[u32],
        coding: Coding,
    ) -> io::Result<()> {
        self.totals.moves_bytes += self.append(|id, at| moves::encode(first, records, ends, coding, id, at))?;
        Ok(())
    }

    /// Appends a block from another archive, with a single CRC for its payload.
    pub(in crate::archive) fn append_block(&mut self, block: &BlockRef, payload: &[u8]) -> io::Result<()> {
        let BlockHeader { kind, first, count, .. } = block.header;
        self.append_counted(kind, first, count, payload)
    }

    /// Appends a block, and adds its size to the totals.
    fn append_counted(&mut self, kind: BlockKind, first: u64, count: u32, payload: &[u8]) -> io::Result<()> {
        let bytes = self.append(|id, at| block::encode(kind, first, count, payload, id, at))?;
        match kind {
            BlockKind::Tags => self.totals.tags_bytes += bytes,
            BlockKind::Texts => self.totals.texts_bytes += bytes,
            BlockKind::Dictionary => self.totals.dictionary_bytes += bytes,
            BlockKind::Layout | BlockKind::Loose => self.totals.layout_bytes += bytes,
            BlockKind::Moves | BlockKind::Source | BlockKind::Commit | BlockKind::Deleted | BlockKind::Restored => {}
            BlockKind::Metadata | BlockKind::Model | BlockKind::Parity | BlockKind::Other(_) => {}
        }
        Ok(())
    }

    /// Appends a commit with the counts of another archive's commit, and with the sizes of the data in this archive.
    /// `with_parity` says whether a parity block precedes it.
    pub(in crate::archive) fn commit_copy(
        &mut self,
        commit: &Commit,
        unfinished: Option<Unfinished>,
        with_parity: bool,
    ) -> io::Result<()> {
        if with_parity {
            self.append_parity()?;
        }
        let Commit { moves_bytes, tags_bytes, texts_bytes, dictionary_bytes, layout_bytes, .. } = self.totals;
        self.totals = Commit { moves_bytes, tags_bytes, texts_bytes, dictionary_bytes, layout_bytes, ..*commit };
        self.unfinished = unfinished;
        self.seal()
    }

    /// Appends the record of a completely imported source.
    pub fn add_source(&mut self, source: &SourceRecord) -> io::Result<()> {
        self.totals.sources += 1;
        self.hold(Held::Block(BlockKind::Source, self.totals.sources - 1, 1, source.encode()))
    }

    /// Commits if the batch has this many chunks.
    pub fn commit_batch(&mut self, chunks: u32) -> io::Result<()> {
        if self.chunks >= chunks { self.commit() } else { Ok(()) }
    }

    /// Commits all appended data and returns when it is durable.
    pub fn commit(&mut self) -> io::Result<()> {
        self.check()?;
        self.chunks = 0;
        self.write_held((0, 0))?;
        for (first, count, payload) in std::mem::take(&mut self.dictionaries) {
            self.append_counted(BlockKind::Dictionary, first, count, &payload)?;
        }
        if self.end() == self.header.state.length {
            return Ok(());
        }
        if self.end() - self.header.state.length >= parity::SMALLEST_BATCH {
            self.append_parity()?;
        }
        self.seal()
    }

    /// Appends the parity of the batch.
    fn append_parity(&mut self) -> io::Result<()> {
        let start = self.header.state.length;
        let payload = self.parity.of_batch(self.end() - start);
        self.append_counted(BlockKind::Parity, start, 0, &payload)
    }

    /// Appends the commit block, and makes all data up to its end durable.
    fn seal(&mut self) -> io::Result<()> {
        self.totals.sequence = self.header.state.sequence + 1;
        self.totals.chain = self.index.index.state.chain;
        let (totals, commit) = (self.totals, self.end());
        let mut payload = totals.encode();
        if let Some(unfinished) = &self.unfinished {
            unfinished.encode(&mut payload);
        }
        self.append(|id, at| block::encode(BlockKind::Commit, totals.sequence, 0, &payload, id, at))?;
        // After a failed sync, the state of the disk is unknown, so the writer stops.
        self.poisoned = true;
        self.storage.sync()?;
        let header = Header { state: self.index.index.state, commit, ..self.header };
        self.marking = true;
        self.storage.write_at(header.offset(), &header.encode())?;
        self.storage.sync()?;
        (self.poisoned, self.marking) = (false, false);
        (self.header, self.committed, self.parity) = (header, totals, Parity::for_batch());
        Ok(())
    }

    /// Removes data that was appended after the last commit. If the file cannot be truncated, the data remains as a
    /// tail that readers ignore.
    pub fn forget(&mut self) {
        let state = self.header.state;
        (self.totals, self.chunks) = (self.committed, 0);
        self.strings.clear();
        self.held.clear();
        self.held_size = (0, 0);
        self.dictionaries.clear();
        self.parity = Parity::for_batch();
        self.index.go_back(state);
        if !self.marking {
            let _ = self.storage.set_length(state.length);
        }
    }

    /// Returns the index. Call this function after all data is committed.
    pub fn index(&self) -> Index {
        self.index.index.clone()
    }

    /// Returns the storage, truncated to the last commit if possible.
    pub fn abandon(mut self) -> S {
        // The tail beyond the high-water mark is harmless. The tail must remain if the next header page, which covers
        // it, may have reached the disk.
        if !self.marking {
            let _ = self.storage.set_length(self.header.state.length);
        }
        self.storage
    }
}

//! The index file, which contains the offset of each chunk's moves block and of each dictionary block (FORMAT.md, "The
//! index file"). The index is a cache: it can be rebuilt from the archive.

use crate::format::file::state::State;
use crate::format::identity::VERSION;
use crate::format::limits::MOST;
use crate::format::wire::Bytes;

/// The first bytes of every index.
pub const MAGIC: [u8; 8] = *b"\x89BGI\r\n\x1a\n";
/// The size of the header in bytes.
pub const HEADER: usize = 112;
/// The size of an entry in bytes.
pub const ENTRY: usize = 24;

/// A chunk of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChunkEntry {
    /// The number of the chunk's first game, from 1.
    pub first: u64,
    /// The offset of the chunk's moves block.
    pub offset: u64,
    /// The number of pages of records in the preceding chunks.
    pub pages: u64,
}

/// A dictionary block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DictionaryEntry {
    /// The number of the block's first string, from 0.
    pub first: u64,
    /// The offset of the block.
    pub offset: u64,
    /// The offset of the second copy of the block.
    pub copy: u64,
}

/// A block of deletions or restorations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeletionEntry {
    /// The number of the first game in the block.
    pub first: u64,
    /// The offset of the block.
    pub offset: u64,
    /// The number of games in the block.
    pub count: u64,
}

/// An index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Index {
    /// The state of the archive for which the index was written.
    pub state: State,
    /// The total number of pages of records.
    pub pages: u64,
    /// The number of strings in the dictionary.
    pub strings: u64,
    /// The chunks in order.
    pub chunks: Vec<ChunkEntry>,
    /// The dictionary blocks in order.
    pub dictionaries: Vec<DictionaryEntry>,
    /// The deletions and restorations blocks in order.
    pub deletions: Vec<DeletionEntry>,
}

impl Index {
    /// Returns the bytes of the index file.
    pub fn encode(&self) -> Vec<u8> {
        let entries = self.chunks.len() + self.dictionaries.len() + self.deletions.len();
        let mut file = Vec::with_capacity(HEADER + entries * ENTRY + 4);
        file.extend_from_slice(&MAGIC);
        file.extend_from_slice(&VERSION.0.to_le_bytes());
        file.extend_from_slice(&VERSION.1.to_le_bytes());
        file.extend_from_slice(&(HEADER as u32).to_le_bytes());
        file.extend_from_slice(&self.state.encode());
        for number in [
            self.pages,
            self.strings,
            self.chunks.len() as u64,
            self.dictionaries.len() as u64,
            self.deletions.len() as u64,
        ] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        let chunks = self.chunks.iter().map(|entry| [entry.first, entry.offset, entry.pages]);
        let dictionaries = self.dictionaries.iter().map(|entry| [entry.first, entry.offset, entry.copy]);
        let deletions = self.deletions.iter().map(|entry| [entry.first, entry.offset, entry.count]);
        for number in chunks.chain(dictionaries).chain(deletions).flatten() {
            file.extend_from_slice(&number.to_le_bytes());
        }
        file.extend_from_slice(&self.state.id.crc(0, &file).to_le_bytes());
        file
    }

    /// Reads a file. Returns `None` if the file is damaged or has another version.
    pub fn decode(file: &[u8]) -> Option<Index> {
        let (body, crc) = file.split_at_checked(file.len().checked_sub(4)?)?;
        let mut bytes = Bytes(body.strip_prefix(&MAGIC)?);
        let (major, minor, header) = (bytes.u16()?, bytes.u16()?, bytes.u32()?);
        let state = State::decode(&mut bytes)?;
        if (major, minor) != VERSION || header as usize != HEADER || state.id.crc(0, body).to_le_bytes() != crc {
            return None;
        }
        let [pages, strings, chunks, dictionaries, deletions] = [(); 5].map(|()| bytes.u64());
        let [chunks, dictionaries, deletions] =
            [chunks, dictionaries, deletions].map(|count| usize::try_from(count?).ok());
        let (chunks, dictionaries, deletions) = (chunks?, dictionaries?, deletions?);
        let entries = chunks.checked_add(dictionaries)?.checked_add(deletions)?;
        if entries.checked_mul(ENTRY)? != bytes.0.len() {
            return None;
        }
        let mut entry = || Some((bytes.u64()?, bytes.u64()?, bytes.u64()?));
        let chunks: Option<Vec<_>> =
            (0..chunks).map(|_| entry().map(|(first, offset, pages)| ChunkEntry { first, offset, pages })).collect();
        let dictionaries: Option<Vec<_>> = (0..dictionaries)
            .map(|_| entry().map(|(first, offset, copy)| DictionaryEntry { first, offset, copy }))
            .collect();
        let deletions: Option<Vec<_>> = (0..deletions)
            .map(|_| entry().map(|(first, offset, count)| DeletionEntry { first, offset, count }))
            .collect();
        let index = Index {
            state,
            pages: pages?,
            strings: strings?,
            chunks: chunks?,
            dictionaries: dictionaries?,
            deletions: deletions?,
        };
        index.holds_together().then_some(index)
    }

    /// Returns whether the entries are in order and agree with the totals. Readers depend on these properties, and a
    /// checksum does not prove them.
    fn holds_together(&self) -> bool {
        let (chunks, dictionaries) = (&self.chunks, &self.dictionaries);
        let ascend = |pair: &[ChunkEntry]| match pair {
            [entry, next] => entry.first < next.first && entry.offset < next.offset && entry.pages <= next.pages,
            _ => false,
        };
        let follow = |pair: &[DictionaryEntry]| match pair {
            [entry, next] => entry.first < next.first && entry.offset < next.offset,
            _ => false,
        };
        let totals = match (chunks.first(), chunks.last()) {
            (Some(first), Some(last)) => {
                // A page takes at least five bytes of the archive: one byte of records and four bytes of a checksum.
                let pages = last.pages <= self.pages && self.pages <= self.state.length / 5;
                first.first == 1 && first.pages == 0 && last.first <= self.state.games && pages
            }
            _ => self.state.games == 0 && self.pages == 0,
        };
        let strings = match (dictionaries.first(), dictionaries.last()) {
            (Some(first), Some(last)) => first.first == 0 && last.first < self.strings,
            _ => self.strings == 0,
        };
        // A game takes at least one byte of its block's table, so the size of the archive justifies an allocation for
        // all games.
        let games = self.state.games <= self.state.length;
        let deletions = self.deletions.iter().all(|entry| entry.first >= 1 && entry.count <= self.state.games);
        totals
            && self.strings <= MOST
            && games
            && deletions
            && strings
            && chunks.windows(2).all(ascend)
            && dictionaries.windows(2).all(follow)
    }
}

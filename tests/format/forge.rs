//! Builds archives block by block, with valid checksums.

use scoresheet::format::block::{self, BlockHeader, BlockKind, HEADER};
use scoresheet::format::commit::Commit;
use scoresheet::format::header::{BLOCKS, Header};
use scoresheet::format::tags::TagsBuilder;
use scoresheet::format::{ArchiveId, State, layout, moves};
use scoresheet::{Archive, ArchiveFile};

pub const ID: ArchiveId = ArchiveId(*b"an id of my own!");

/// Builds archives that no writer would produce.
pub struct Forge {
    pub file: Vec<u8>,
    pub games: u64,
    /// Returns the bytes of the last layout block.
    pub layout: usize,
}

impl Forge {
    pub fn new() -> Forge {
        Forge { file: vec![0; BLOCKS as usize], games: 0, layout: 0 }
    }

    pub fn block(&mut self, kind: BlockKind, first: u64, count: u32, payload: &[u8]) {
        let offset = self.file.len() as u64;
        self.file.extend_from_slice(&block::encode(kind, first, count, payload, ID, offset));
    }

    /// Adds a chunk of games without moves, tags and texts.
    pub fn chunk(&mut self, games: u32) {
        self.chunk_of(&vec![Vec::new(); games as usize], moves::Coding::Plain);
    }

    /// Adds a chunk of games with these records.
    pub fn chunk_of(&mut self, records: &[Vec<u8>], coding: moves::Coding) {
        self.chunk_with(records, coding, None, None);
    }

    /// Adds a chunk of games with these records, and these payloads of tags and layout.
    pub fn chunk_with(
        &mut self,
        records: &[Vec<u8>],
        coding: moves::Coding,
        tags: Option<&[u8]>,
        layout: Option<&[u8]>,
    ) {
        let (first, games) = (self.games + 1, records.len() as u32);
        let ends: Vec<u32> = records
            .iter()
            .scan(0, |end, record| {
                *end += record.len() as u32;
                Some(*end)
            })
            .collect();
        let offset = self.file.len() as u64;
        self.file.extend_from_slice(&moves::encode(first, &records.concat(), &ends, coding, ID, offset));
        let no_tags = || {
            let mut tags = TagsBuilder::default();
            (0..games).for_each(|_| tags.end_game());
            tags.analyse().encode(1)
        };
        self.block(BlockKind::Tags, first, games, &tags.map_or_else(no_tags, <[u8]>::to_vec));
        let plain = || {
            let (games, edits) = (vec![0; records.len()], vec![Vec::new(); records.len()]);
            layout::Layout { styles: vec![[0; layout::STYLE]], games, edits }.encode(1)
        };
        let start = self.file.len();
        self.block(BlockKind::Layout, first, games, &layout.map_or_else(plain, <[u8]>::to_vec));
        self.layout = self.file.len() - start;
        self.games += u64::from(games);
    }

    /// Adds a block beside the last chunk's.
    pub fn beside(&mut self, kind: BlockKind, games: u32, payload: &[u8]) {
        self.block(kind, self.games + 1 - u64::from(games), games, payload);
    }

    /// Changes the starts and the lengths in the table of the moves block at an offset.
    pub fn change_table(&mut self, at: usize, change: impl FnOnce(&mut [u8], &mut [u8])) {
        let mut header = BlockHeader::decode(&self.file[at..], ID, at as u64).unwrap();
        let table = &mut self.file[at + HEADER..][..header.checked as usize];
        let games = header.count as usize;
        let (starts, rest) = table.split_at_mut(games.div_ceil(16) * 4);
        change(starts, &mut rest[..games << (header.coding >> 4)]);
        header.payload_crc = ID.crc((at + HEADER) as u64, table);
        self.file[at..at + HEADER].copy_from_slice(&header.encode(ID, at as u64));
    }

    pub fn finish(self) -> Vec<u8> {
        let length = self.file.len();
        let file = self.commit(0, 0).file;
        // The totals of a commit include the plies and the faulty games, if the games are readable.
        let (mut plies, mut faulty) = (0, 0);
        if let Ok(archive) = Archive::open(ArchiveFile::from_bytes(file.clone())) {
            for game in archive.games().take(100).flatten() {
                plies += u64::from(game.plies());
                faulty += u64::from(game.has_fault());
            }
            let games = archive.len();
            return Forge { file: file[..length].to_vec(), games, layout: 0 }.commit(plies, faulty).file;
        }
        file
    }

    fn commit(mut self, plies: u64, faulty: u64) -> Forge {
        let commit = self.file.len() as u64;
        let chain = self.state().chain;
        let mut totals = Commit { sequence: 1, games: self.games, plies, faulty, chain, ..Commit::default() };
        let mut at = BLOCKS;
        while let Some(header) = self.file.get(at as usize..).and_then(|block| BlockHeader::decode(block, ID, at)) {
            let bytes = HEADER as u64 + header.length;
            match header.kind {
                BlockKind::Moves => totals.moves_bytes += bytes,
                BlockKind::Tags => totals.tags_bytes += bytes,
                BlockKind::Texts => totals.texts_bytes += bytes,
                BlockKind::Layout | BlockKind::Loose => totals.layout_bytes += bytes,
                BlockKind::Dictionary => {
                    totals.dictionary_bytes += bytes;
                    totals.strings = totals.strings.max(header.first + u64::from(header.count));
                }
                BlockKind::Source => totals.sources += 1,
                _ => {}
            }
            at += bytes;
        }
        self.block(BlockKind::Commit, 1, 0, &totals.encode());
        let state = State { games: self.games, ..self.state() };
        // Like a writer: the page of the empty archive, and the page of its first commit.
        for header in [Header::new(ID), Header { state, commit, ..Header::new(ID) }] {
            let (page, at) = (header.encode(), header.offset() as usize);
            self.file[at..at + page.len()].copy_from_slice(&page);
        }
        self
    }

    /// Returns the state of an archive that ends here.
    fn state(&self) -> State {
        let mut state = State::new(ID);
        while let Some(header) = self.file.get(state.length as usize..) {
            let Some(header) = BlockHeader::decode(header, ID, state.length) else { break };
            state.extend(&header);
        }
        state
    }
}

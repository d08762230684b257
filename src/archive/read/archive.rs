//! Open archives: any thread can read any position of any game.

use crate::archive::file_kind::FileKind;
use crate::archive::game_set::GameSet;
use crate::archive::read::block_store::BlockStore;
use crate::archive::read::blocks::{BlockRef, IndexBuilder, Scan};
use crate::archive::read::columns::Columns;
use crate::archive::read::deleted::Deleted;
use crate::archive::read::dictionary::Dictionary;
use crate::archive::read::head::Head;
use crate::archive::read::opening::{Incomplete, Opening};
use crate::archive::read::options::{ArchiveFile, FileParts, OpenOptions, SideReaders};
use crate::archive::read::read_at::Store;
use crate::archive::read::side::SideState;
use crate::archive::read::side_bytes::SideBytes;
use crate::chess::Variant;
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::block::BlockKind;
use crate::format::commit::{Commit, Unfinished};
use crate::format::header::{FEATURES, Header};
use crate::format::index::Index;
use crate::format::side::Made;
use crate::format::source::SourceRecord;
use crate::format::{ArchiveId, Limits, State, VERSION};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The loose blocks, by the number of their source.
pub(in crate::archive) type Loose = HashMap<u64, Vec<BlockRef>>;

/// The number of games per entry of the lookup table.
pub(super) const GAMES_PER_ENTRY: u64 = 1024;

/// The number of chunks whose columns are cached if the caller is not in a thread pool.
const KEPT: usize = 4;

/// The rules of each game of a chunk, or `None` if all games are games of chess.
pub(super) type ChunkVariants = Option<Box<[Variant]>>;

/// An open archive. Threads can share it. An open archive shows the state of its last commit at the time of opening.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    options: OpenOptions,
    /// The function that opens the side files, or `None` for the files next to `path`.
    side_files: Option<SideReaders>,
    pub(super) blocks: BlockStore,
    header: Header,
    incomplete: Option<Incomplete>,
    pub(super) index: Index,
    index_state: SideState,
    dictionary: Dictionary,
    /// The deleted games, or `None` if there are none.
    deleted: Option<Deleted>,
    pub(super) heads: Vec<OnceLock<Result<Head, Damage>>>,
    /// The chunk of every [`GAMES_PER_ENTRY`]th game. Entry 0 is the chunk of the first game.
    pub(super) entries: Vec<u32>,
    /// One bit for each page of records, set when the page's CRC has been checked.
    pub(super) intact: Vec<AtomicU64>,
    /// The columns of the most recently read chunks, latest first, for callers that visit games in order.
    recent: Mutex<Vec<(usize, Arc<Columns>)>>,
    /// The loose blocks by source, found at the first access.
    loose: OnceLock<Result<Loose, Damage>>,
    /// The rules of each chunk's games.
    pub(super) variants: Vec<OnceLock<ChunkVariants>>,
    /// The games of variants by their tags, as a side file says: numbers in ascending order, with the rules.
    pub(super) variant_tags: OnceLock<Box<[(u64, Variant)]>>,
}

impl Archive {
    /// Opens an archive at a path, mapped into memory, or an archive from another [`ArchiveFile`]. Reads the header and
    /// the index. If no index is valid, reads the block headers. A truncated file opens at its last complete commit,
    /// and a file with a damaged header page opens at the last commit that can be found. [`Archive::incomplete`]
    /// reports whether games may be missing.
    ///
    /// Errors: the file is missing, is not an archive, or is newer than this program, or its header or block headers
    /// are damaged. Success does not guarantee intact games: each game is checked only when it is read, and `verify`
    /// checks all games.
    pub fn open(file: impl Into<ArchiveFile>) -> Result<Archive> {
        let (FileParts { path, index, side_files, options }, opened) = file.into().open()?;
        let (store, opening) = opened?;
        let archive = Archive::from_opening(&path, options, store, opening, index.as_deref())?;
        Ok(Archive { side_files, ..archive })
    }

    pub(in crate::archive) fn from_opening(
        path: &Path,
        options: OpenOptions,
        mut store: Store,
        opening: Opening,
        index: Option<&[u8]>,
    ) -> Result<Archive> {
        let Opening { header, incomplete, .. } = opening;
        store.shorten(header.state.length);
        let (index, index_state) = Archive::index(&store, &header, index)?;
        let all = std::iter::once(1..header.state.games + 1);
        let deleted = Deleted::read(&store, header.state.id, &index, all)?;
        Ok(Archive { index_state, deleted, incomplete, ..Archive::with_index(path, options, header, store, index) })
    }

    /// Opens an archive with an index that was built for it.
    fn with_index(path: &Path, options: OpenOptions, header: Header, store: Store, index: Index) -> Archive {
        Archive {
            path: path.to_path_buf(),
            options,
            side_files: None,
            deleted: None,
            blocks: BlockStore { store, id: header.state.id, end: header.state.length, limits: options.limits },
            header,
            index_state: SideState::Missing,
            incomplete: None,
            dictionary: Dictionary::new(&index),
            heads: index.chunks.iter().map(|_| OnceLock::new()).collect(),
            variants: index.chunks.iter().map(|_| OnceLock::new()).collect(),
            variant_tags: OnceLock::new(),
            entries: entries(&index),
            intact: (0..index.pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            index,
            recent: Mutex::default(),
            loose: OnceLock::new(),
        }
    }

    /// Opens an archive with only these chunks and strings, and ignores the rest of the file. `found` lists the games
    /// of the chunks, ascending, and `loose` lists the readable loose blocks.
    pub(in crate::archive) fn from_parts(
        path: &Path,
        options: OpenOptions,
        header: Header,
        store: Store,
        index: Index,
        found: impl Iterator<Item = Range<u64>>,
        loose: Loose,
    ) -> Archive {
        // Damaged deletions cannot be read, so the deleted games, which are intact, reappear.
        let deleted = Deleted::read(&store, header.state.id, &index, found).ok().flatten();
        Archive {
            deleted,
            loose: OnceLock::from(Ok(loose)),
            ..Archive::with_index(path, options, header, store, index)
        }
    }

    fn index(store: &Store, header: &Header, file: Option<&[u8]>) -> Result<(Index, SideState)> {
        let mut state = SideState::Missing;
        if let Some(file) = file {
            state = match Index::decode(file) {
                Some(index) if index.state == header.state => return Ok((index, SideState::File)),
                Some(_) => SideState::Stale,
                None => SideState::of_unreadable(file, &[VERSION]),
            };
        }
        let mut builder = IndexBuilder::new(header.state.id);
        for block in Scan::new(store, header.state.id) {
            builder.add(&block?)?;
        }
        if builder.index.state != header.state {
            return Err(Damage::new(header.commit, DamageKind::BlocksOfOtherCommit).into());
        }
        Ok((builder.index, state))
    }

    /// Returns the number of games, including deleted games, which equals the number of the last game.
    pub fn len(&self) -> u64 {
        self.index.state.games
    }

    /// Returns whether a game is deleted. The number of a deleted game is unused until the archive is compacted.
    #[inline]
    pub fn is_deleted(&self, game: u64) -> bool {
        self.deleted.as_ref().is_some_and(|deleted| deleted.contains(game))
    }

    /// Returns which of these games were deleted, the first as 1, even if no chunk contains them.
    pub(in crate::archive) fn deleted_among(&self, games: Range<u64>) -> GameSet {
        let none = GameSet::new(games.end.saturating_sub(games.start));
        let deleted = Deleted::read(self.store(), self.id(), &self.index, std::iter::once(games));
        deleted.ok().flatten().map_or(none, |deleted| deleted.set().clone())
    }

    /// Returns whether any game in this range has been deleted.
    pub(in crate::archive) fn has_deleted(&self, games: Range<u64>) -> bool {
        self.deleted.as_ref().is_some_and(|deleted| deleted.has_any(games))
    }

    /// Returns the number of deleted games.
    pub fn deleted_count(&self) -> u64 {
        self.deleted.as_ref().map_or(0, Deleted::len)
    }

    /// Returns all games except deleted games.
    pub fn live(&self) -> GameSet {
        let mut live = GameSet::all(self.len());
        if let Some(deleted) = &self.deleted {
            live.subtract(deleted.set());
        }
        live
    }

    /// Returns whether the archive contains no games.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the bytes of a side file, or `None` if there is no such file. Does not check whether the file belongs to
    /// the archive.
    #[doc(hidden)]
    pub fn side_bytes(&self, kind: FileKind) -> io::Result<Option<SideBytes>> {
        if let Some(files) = &self.side_files {
            return files.open(kind);
        }
        match File::open(kind.of_archive(&self.path)) {
            Ok(file) => SideBytes::from_file(&file).map(Some),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Returns the archive's identity.
    pub fn id(&self) -> ArchiveId {
        self.blocks.id
    }

    /// Returns the format version, major and minor.
    pub fn version(&self) -> (u16, u16) {
        self.header.version
    }

    /// Returns the committed length of the file in bytes.
    pub fn file_length(&self) -> u64 {
        self.header.state.length
    }

    /// Returns the sequence number of the visible commit, or 0 before the first commit. This number, the id and the
    /// length together identify the state.
    pub fn sequence(&self) -> u64 {
        self.header.state.sequence
    }

    /// Returns the state of the archive, which ties index and side files to it.
    pub fn state(&self) -> State {
        self.header.state
    }

    /// Returns the reason why committed games may be missing, if any. If there is a reason, the archive is damaged.
    pub fn incomplete(&self) -> Option<Incomplete> {
        self.incomplete
    }

    /// Returns an error if the archive uses unknown features, because no writer may then change it.
    pub(in crate::archive) fn may_be_written(&self) -> Result<()> {
        match self.header.features.unknown_to_writer() {
            Some(part) => Err(Error::Unknown { offset: self.header.offset() + FEATURES, part }),
            None => Ok(()),
        }
    }

    /// Advances to the latest commit of the file. Returns whether this commit is later than the visible one.
    ///
    /// Games that were read before do not change. Errors: the errors of `open`. Also, the file is no longer this
    /// archive or is at an earlier commit, or this archive was not opened from a file. After an error the archive is
    /// unchanged.
    pub fn refresh(&mut self) -> Result<bool> {
        let now = Archive::open(ArchiveFile::at(&self.path).options(self.options))?;
        let what = match () {
            () if now.header == self.header => return Ok(false),
            () if now.blocks.id != self.blocks.id => "was replaced by another archive",
            () if now.sequence() < self.sequence() => "has gone back to an earlier commit",
            // The file is another copy of an earlier state, extended differently.
            () if !now.comes_after(&self.made()) => "was replaced by another archive",
            () => {
                *self = now;
                return Ok(true);
            }
        };
        Err(Error::input(self.path.display().to_string(), what))
    }

    /// Returns the commit of this archive. Data computed from the archive is valid for this commit and all later ones.
    pub fn made(&self) -> Made {
        Made { state: self.header.state, commit: self.header.commit }
    }

    /// Returns whether this archive is, or was, at this commit, as the chain in its commit block shows. Reads only that
    /// block.
    pub fn comes_after(&self, earlier: &Made) -> bool {
        let (id, state) = (self.blocks.id, earlier.state);
        if *earlier == self.made() {
            return true;
        }
        if state.id != id || state.sequence > self.sequence() || state.length > self.file_length() {
            return false;
        }
        if earlier.commit == 0 {
            return state == State::new(id);
        }
        let Ok(block) = BlockRef::at(&self.blocks.store, id, earlier.commit) else { return false };
        if block.header.kind != BlockKind::Commit || block.end() != state.length {
            return false;
        }
        let commit = self.payload(&block).ok().and_then(|payload| Commit::decode(&payload));
        let chain = commit.map(|commit| commit.chain.then(&block.header.encode(id, block.offset)));
        chain == Some(state.chain)
    }

    /// Returns how the index was obtained.
    pub fn index_state(&self) -> SideState {
        self.index_state
    }

    /// Returns the bytes of the index file, to be written next to the archive.
    pub fn index_file(&self) -> Vec<u8> {
        self.index.encode()
    }

    /// Returns the totals at the last commit, or all zeros for an archive without commits.
    pub fn totals(&self) -> Result<Commit> {
        let Some(payload) = self.commit()? else { return Ok(Commit::default()) };
        Ok(Commit::decode(&payload).ok_or(Damage::new(self.header.commit, DamageKind::Commit))?)
    }

    /// Returns the progress of the last import if it did not finish.
    pub fn unfinished(&self) -> Result<Option<Unfinished>> {
        Ok(self.commit()?.and_then(|payload| Unfinished::from_commit(&payload)))
    }

    /// Returns the payload of the last commit, if there is one.
    fn commit(&self) -> Result<Option<Cow<'_, [u8]>>> {
        if self.header.commit == 0 {
            return Ok(None);
        }
        let block = BlockRef::at(&self.blocks.store, self.blocks.id, self.header.commit)?;
        if block.header.kind != BlockKind::Commit {
            return Err(Damage::new(self.header.commit, DamageKind::Commit).into());
        }
        Ok(Some(self.payload(&block)?))
    }

    /// Returns the sources whose import is complete, in order. Walks the archive's block headers.
    pub fn sources(&self) -> Result<Vec<SourceRecord>> {
        let mut sources = Vec::new();
        for block in self.blocks_of(BlockKind::Source) {
            let block = block?;
            let payload = self.payload(&block)?;
            let source = SourceRecord::decode(block.header.first, &payload);
            let mut source = source.ok_or(Damage::new(block.offset, DamageKind::Source))?;
            let stored = source.seen.saturating_sub(source.rejected);
            let end = source.first_game.saturating_add(stored).min(self.len() + 1);
            // A source with deleted games cannot be restored byte for byte.
            source.exact &= !self.has_deleted(source.first_game..end);
            sources.push(source);
        }
        Ok(sources)
    }

    /// Returns the blocks of a kind, in order. Walks the archive's block headers.
    pub(in crate::archive) fn blocks_of(&self, kind: BlockKind) -> impl Iterator<Item = Result<BlockRef, Damage>> + '_ {
        let concerns = move |block: &BlockRef| block.header.kind == kind;
        Scan::new(self.store(), self.id()).filter(move |block| block.as_ref().map_or(true, concerns))
    }

    /// Returns the kinds of skippable blocks that this program does not know, each with the number and the bytes of its
    /// blocks. Copies omit these blocks.
    pub fn unknown_blocks(&self) -> Result<BTreeMap<u8, (u64, u64)>> {
        let mut unknown = BTreeMap::new();
        for block in Scan::new(self.store(), self.id()) {
            let BlockRef { header, .. } = block?;
            let is_known_coding = header.coding == 0 || !header.kind.is_skippable();
            if matches!(header.kind, BlockKind::Other(_)) || !is_known_coding {
                let (blocks, bytes): &mut (u64, u64) = unknown.entry(header.kind.number()).or_default();
                (*blocks, *bytes) = (*blocks + 1, *bytes + header.length);
            }
        }
        Ok(unknown)
    }

    pub(in crate::archive) fn store(&self) -> &Store {
        &self.blocks.store
    }

    /// Returns the archive's bytes as a store of blocks.
    pub(in crate::archive) fn blocks(&self) -> &BlockStore {
        &self.blocks
    }

    /// Returns the limits for the cost of decoding blocks.
    pub fn limits(&self) -> &Limits {
        &self.blocks.limits
    }

    /// Returns the part of a block's payload that its CRC covers, if the CRC is valid and the part is within the
    /// limits.
    pub(in crate::archive) fn payload(&self, block: &BlockRef) -> Result<Cow<'_, [u8]>, Damage> {
        self.blocks.payload(block)
    }

    pub(crate) fn dictionary(&self, number: u64) -> Result<&[u8], Damage> {
        self.dictionary.get(&self.blocks.store, &self.index, self.blocks.id, self.limits(), number)
    }

    /// Returns the chunk that contains a game, and the number of the chunk's last game. Reads only the index.
    pub fn chunk_of(&self, game: u64) -> Result<(usize, u64)> {
        let (chunk, _) = self.locate(game)?;
        Ok((chunk, self.index.chunks.get(chunk + 1).map_or(self.len(), |next| next.first - 1)))
    }

    /// Returns the number of chunks: the groups of games that share compressed tags and texts.
    pub fn chunk_count(&self) -> usize {
        self.index.chunks.len()
    }

    /// Returns the numbers of the games in chunk `number`, from 0 to `chunk_count() - 1`. Reads only the index.
    pub fn games_of(&self, chunk: usize) -> std::ops::Range<u64> {
        let first = |chunk: usize| self.index.chunks.get(chunk).map_or(self.len() + 1, |entry| entry.first);
        first(chunk)..first(chunk.saturating_add(1))
    }

    /// Returns the loose blocks, which `find` finds at the first access.
    pub(in crate::archive) fn loose_blocks(
        &self,
        find: impl FnOnce() -> Result<Loose, Damage>,
    ) -> Result<&Loose, Damage> {
        self.blocks.store.once(&self.loose, find)
    }

    /// Returns the offset of a chunk's moves block.
    pub(in crate::archive) fn chunk_offset(&self, chunk: usize) -> Option<u64> {
        self.index.chunks.get(chunk).map(|entry| entry.offset)
    }

    /// Returns the moves block of a chunk, after checking its header.
    pub(in crate::archive) fn chunk_block(&self, chunk: usize) -> Option<BlockRef> {
        BlockRef::at(&self.blocks.store, self.blocks.id, self.chunk_offset(chunk)?).ok()
    }

    /// Iterates over the numbers of the chunks that contain games in a range.
    pub(in crate::archive) fn chunks_of(&self, games: &std::ops::Range<u64>) -> std::ops::Range<usize> {
        let chunks = &self.index.chunks;
        let first = chunks.partition_point(|entry| entry.first <= games.start).saturating_sub(1);
        first..chunks.partition_point(|entry| entry.first < games.end)
    }

    /// Returns the columns of a chunk, before any of them has been read.
    pub(in crate::archive) fn new_columns(&self, chunk: usize) -> Columns {
        Columns::before(self.index.chunks.get(chunk + 1).map(|next| next.offset))
    }

    /// Returns the columns of a chunk, and caches them for later calls on the same chunk.
    pub(in crate::archive) fn columns(&self, chunk: usize) -> Arc<Columns> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = recent.iter().position(|(number, _)| *number == chunk) {
            let (_, columns) = recent.remove(index);
            recent.insert(0, (chunk, Arc::clone(&columns)));
            return columns;
        }
        let columns = Arc::new(self.new_columns(chunk));
        recent.insert(0, (chunk, Arc::clone(&columns)));
        // The cache contains one entry more than there are threads. Otherwise, threads on different chunks would decode
        // columns again for each game. Outside a thread pool, querying the number of threads would start a pool.
        recent.truncate(rayon::current_thread_index().map_or(KEPT, |_| rayon::current_num_threads() + 1));
        columns
    }
}

/// Returns the chunk of every [`GAMES_PER_ENTRY`]th game. The list ends early if the index contains impossible game
/// counts.
fn entries(index: &Index) -> Vec<u32> {
    let most = index.chunks.len().saturating_mul(64);
    let mut entries = Vec::new();
    let ends = index.chunks.iter().skip(1).map(|next| next.first).chain([index.state.games.saturating_add(1)]);
    for (chunk, end) in ends.enumerate() {
        while (entries.len() as u64) * GAMES_PER_ENTRY < end && entries.len() < most {
            entries.push(chunk as u32);
        }
    }
    entries
}

//! Copies games from open archives into a new one in their stored form: records, tags, texts and layout, without PGN in
//! between.
//!
//! Packed moves stay packed. Games keep their order and receive new numbers. Strings receive new numbers in the
//! dictionary of the new archive. If all games of a source are copied, so are its source record and the bytes between
//! its games. If only some of its games are copied, the new archive records the source's name without its hash, because
//! the source can no longer be restored.

pub(crate) mod rewrite;
pub(crate) mod strings;
pub(super) mod transcode;

use crate::archive::existing::Existing;
use crate::archive::game_set::GameSet;
use crate::archive::maintain::verify::Level;
use crate::archive::read::archive::Archive;
use crate::archive::read::game_ref::GameRef;
use crate::archive::read::options::ArchiveFile;
use crate::archive::write::storage::Storage;
use crate::archive::write::temporary::Permissions;
use crate::archive::write::writer::{BATCH, EncodedChunk, Interner, NewFile, Writer, write_index};
use crate::brenner::decode::each_move;
use crate::error::{Damage, DamageKind, Error, Limit, Result};
use crate::format::ArchiveId;
use crate::format::block::BlockKind;
use crate::format::layout::Layout;
use crate::format::loose;
use crate::format::moves::Coding;
use crate::format::record;
use crate::format::source::SourceRecord;
use crate::format::tags::{TagsBuilder, TagsDraft};
use crate::format::texts::TextsBuilder;
use crate::monitor::Monitor;
use crate::parallel;
pub use rewrite::Changed;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The maximum number of games in a chunk of a copy, unless a chunk of the original contains more.
pub(in crate::archive) const CHUNK_GAMES: usize = 1024;
/// The size in bytes below which chunks are joined.
const SMALL: f64 = 128.0 * 1024.0;
/// The zstd level for tags, texts and layout, the same as in an import.
const LEVEL: i32 = 4;

/// The games to copy from one archive.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// The archive.
    pub archive: &'a Archive,
    /// The games to copy, without deleted games.
    pub games: GameSet,
}

/// A summary of the copy.
#[derive(Debug, Default)]
pub struct Copied {
    /// The number of games in the new archive.
    pub games: u64,
    /// The length of the new file in bytes.
    pub bytes: u64,
    /// The error if the index could not be written. The archive is complete without it, and the index can be rebuilt.
    pub unindexed: Option<Error>,
}

/// Returns the changed tags of a game in the copy, or `None` if the game keeps its tags.
pub type Edit<'a> = &'a (dyn Fn(&GameRef) -> Result<Option<Vec<(Vec<u8>, Vec<u8>)>>> + Sync);

/// Writes an archive that contains the games of these parts, in this order, and its index, on rayon's current pool. The
/// unit of progress is a game.
///
/// With [`Existing::Append`], appends the games to the archive at `path` if it exists. A commit follows every batch of
/// chunks and the last chunk. After an error, an existing archive is in the state of its last commit.
///
/// Errors: the archive cannot be read or written, or the file exists. After an error, a new archive is removed.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n\n1. c4 *\n"[..])?;
/// use scoresheet::archive::copy::{self, Copied, Part};
/// use scoresheet::{Archive, Existing, GameSet, Monitor};
///
/// let archive = Archive::open(&target)?;
/// let games = GameSet::from_numbers(archive.len(), [1, 3]);
/// let path = target.with_file_name("selection.bga");
/// let copied: Copied = copy::write(&path, Existing::Refuse, &[Part { archive: &archive, games }], Monitor::new())?;
/// assert_eq!((copied.games, copied.bytes), (2, std::fs::metadata(&path)?.len()));
/// assert_eq!(Archive::open(&path)?.game(2)?.moves().next().expect("a move")?.san(), "c4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write<'a>(
    path: impl AsRef<Path>,
    existing: Existing,
    parts: &[Part],
    monitor: impl Into<Monitor<'a>>,
) -> Result<Copied> {
    let (path, monitor) = (path.as_ref(), monitor.into());
    match existing == Existing::Append && path.exists() {
        true => append(path, parts, &monitor),
        false => write_new(path, id_of(parts, false), existing, parts, &|_| Ok(None), &monitor),
    }
}

fn append(path: &Path, parts: &[Part], monitor: &Monitor) -> Result<Copied> {
    let opened = Writer::open(path)?;
    let mut copier = Copier::new(opened.writer, opened.interner, path);
    for part in parts {
        copier.copy(part, &|_| Ok(None), monitor)?;
    }
    let writer = copier.finish()?;
    let unindexed = write_index(path, &writer.index()).err();
    Ok(Copied { games: writer.committed_games(), bytes: writer.committed_length(), unindexed })
}

/// Writes an archive like `write`, but with the tags that `edit` returns. Games with other tags are marked as changed,
/// and their source can still be restored.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"[White \"Carlsen M\"]\n\n1. e4 *\n"[..])?;
/// use scoresheet::archive::copy::{self, Part};
/// use scoresheet::{Archive, Existing, Monitor};
///
/// let archive = Archive::open(&target)?;
/// let path = target.with_file_name("edited.bga");
/// let edit = |_: &scoresheet::GameRef<'_>| Ok(Some(vec![(b"White".to_vec(), b"Carlsen, Magnus".to_vec())]));
/// let part = Part { archive: &archive, games: archive.live() };
/// copy::write_edited(&path, Existing::Refuse, &[part], &edit, Monitor::new())?;
/// let game = &Archive::open(&path)?;
/// assert_eq!(game.game(1)?.tag("White")?.as_deref(), Some("Carlsen, Magnus"));
/// assert!(game.game(1)?.is_changed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_edited<'a>(
    path: impl AsRef<Path>,
    existing: Existing,
    parts: &[Part],
    edit: Edit,
    monitor: impl Into<Monitor<'a>>,
) -> Result<Copied> {
    write_new(path.as_ref(), id_of(parts, true), existing, parts, edit, &monitor.into())
}

fn write_new(
    path: &Path,
    id: ArchiveId,
    existing: Existing,
    parts: &[Part],
    edit: Edit,
    monitor: &Monitor,
) -> Result<Copied> {
    let most = Permissions::from_inputs(parts.iter().map(|part| part.archive.path()));
    let (file, writer) = NewFile::create_unnamed(path, id, existing, most)?;
    let mut copier = Copier::new(writer, Interner::default(), path);
    let copy = || {
        copier.describe(parts)?;
        for part in parts {
            copier.copy(part, edit, monitor)?;
        }
        copier.finish()
    };
    match copy() {
        Ok(writer) => {
            let (index, games, bytes) = (writer.index(), writer.committed_games(), writer.committed_length());
            drop(writer);
            finish(file, path, monitor)?;
            Ok(Copied { games, bytes, unindexed: write_index(path, &index).err() })
        }
        Err(error) => {
            file.remove();
            Err(error)
        }
    }
}

/// Verifies a copy whose writer has been dropped, and gives it its name. The data of an original may be wrong although
/// all its checksums are valid, and a copy must not hide this.
///
/// Errors: the copy is damaged; it is removed.
pub(in crate::archive) fn finish(copy: NewFile, path: &Path, monitor: &Monitor) -> Result<()> {
    verified(copy, path, monitor)?.finish()
}

/// Verifies a copy whose writer has been dropped.
///
/// Errors: the copy is damaged; it is removed.
pub(super) fn verified(copy: NewFile, path: &Path, monitor: &Monitor) -> Result<NewFile> {
    if let Some(unnamed) = copy.unnamed_path() {
        let report = Archive::verify(ArchiveFile::at(unnamed).index(None), Level::Full, monitor.without_progress())?;
        if let Some(Damage { kind, game, .. }) = report.damage.first() {
            let game = game.map_or_else(String::new, |game| format!(" in game {game}"));
            let what =
                format!("the copy would be damaged ({kind}{game}), because its original is: repair the original");
            return Err(Error::input(path.display().to_string(), what));
        }
    }
    Ok(copy)
}

/// Returns the id of a copy. The same parts produce the same file, and its id differs from the ids of the parts.
fn id_of(parts: &[Part], edited: bool) -> ArchiveId {
    let mut hash = Sha256::new();
    hash.update([u8::from(edited)]);
    for part in parts {
        hash.update(part.archive.state().encode());
        for (first, last) in part.games.runs() {
            hash.update(first.to_le_bytes());
            hash.update(last.to_le_bytes());
        }
    }
    let mut id = ArchiveId::default();
    id.0.iter_mut().zip(hash.finalize()).for_each(|(byte, hashed)| *byte = hashed);
    id
}

/// Appends games of open archives to an archive under construction.
pub(crate) struct Copier<S> {
    writer: Writer<S>,
    interner: Interner,
    path: PathBuf,
}

impl<S: Storage> Copier<S> {
    /// Returns a copier that appends to `writer` at `path`. `interner` contains the writer's strings.
    pub fn new(writer: Writer<S>, interner: Interner, path: &Path) -> Copier<S> {
        Copier { writer, interner, path: path.to_path_buf() }
    }

    /// Copies the metadata pairs that all parts share, and the models of their packed moves.
    fn describe(&mut self, parts: &[Part]) -> Result<()> {
        let failed = || Error::io("cannot write", &self.path);
        let (mut metadata, mut models) = (None::<BTreeMap<String, String>>, Vec::new());
        for part in parts {
            let archive_metadata = part.archive.metadata()?;
            for model in part.archive.models()? {
                if !models.contains(&model) {
                    models.push(model);
                }
            }
            metadata = Some(match metadata {
                None => archive_metadata,
                Some(common) => {
                    common.into_iter().filter(|(key, value)| archive_metadata.get(key) == Some(value)).collect()
                }
            });
        }
        let metadata = metadata.unwrap_or_default();
        self.writer.describe(metadata.iter().map(|(key, value)| (&**key, &**value))).map_err(failed())?;
        models.iter().try_for_each(|(name, model)| self.writer.add_model(name.number, model)).map_err(failed())
    }

    /// Commits the copied games, and returns the writer.
    pub fn finish(mut self) -> Result<Writer<S>> {
        self.writer.commit().map_err(Error::io("cannot write", &self.path))?;
        Ok(self.writer)
    }

    /// Appends games from an archive in their order, and the sources that contain them.
    pub fn copy(&mut self, part: &Part, edit: Edit, monitor: &Monitor) -> Result<()> {
        let archive = part.archive;
        let mut games = part.games.clone();
        games.intersect(&archive.live());
        let before = self.writer.totals().games;
        // Drafts are made in parallel; steps that depend on the order of chunks run in order.
        for groups in groups(archive, &games)?.chunks(rayon::current_num_threads() * 2) {
            monitor.check()?;
            let drafts = parallel::try_map_items(groups, |group| Draft::new(archive, group, edit));
            let mut drafts = drafts?;
            for draft in &mut drafts {
                let interner = &mut self.interner;
                draft.tags.intern(|string, uses| interner.intern(string, uses));
                draft.strings = interner.take_new();
            }
            let chunks = parallel::map_owned(drafts, |draft| draft.encode(LEVEL));
            for chunk in chunks {
                let games = chunk.ends.len() as u64;
                let added = self.writer.add_chunk(chunk).and_then(|()| self.writer.commit_batch(BATCH));
                added.map_err(Error::io("cannot write", &self.path))?;
                monitor.advance(games);
            }
        }
        self.sources(archive, &games, before)
    }

    fn sources(&mut self, archive: &Archive, games: &GameSet, before: u64) -> Result<()> {
        let loose = loose_blocks(archive)?;
        let path = self.path.clone();
        let failed = || Error::io("cannot write", &path);
        for source in archive.sources()? {
            let stored = source.seen.saturating_sub(source.rejected);
            let end = source.first_game.saturating_add(stored);
            let kept = games.rank(end) - games.rank(source.first_game);
            let first_game = if kept == 0 { 0 } else { before + games.rank(source.first_game) + 1 };
            let number = self.writer.totals().sources;
            if kept < stored || (stored == 0 && games.len() < archive.len()) {
                if kept > 0 {
                    let name = source.name;
                    let part = SourceRecord { number, name, seen: kept, first_game, ..SourceRecord::default() };
                    self.writer.add_source(&part).map_err(failed())?;
                }
                continue;
            }
            for (next, block_source, bytes) in &loose {
                if *block_source == source.number {
                    let payload = loose::encode(number, &loose::compress(bytes, LEVEL));
                    let next = before + games.rank(*next) + 1;
                    self.writer.add_loose(next, &payload).map_err(failed())?;
                }
            }
            let totals = EncodedChunk { pgn_bytes: source.bytes, rejected: source.rejected, ..EncodedChunk::default() };
            self.writer.add_chunk(totals).map_err(failed())?;
            self.writer.add_source(&SourceRecord { number, first_game, ..source }).map_err(failed())?;
        }
        Ok(())
    }
}

/// Returns the loose blocks of an archive, each as the game that follows it, its source, and its bytes.
fn loose_blocks(archive: &Archive) -> Result<Vec<(u64, u64, Vec<u8>)>> {
    let mut blocks = Vec::new();
    for block in archive.blocks_of(BlockKind::Loose) {
        let block = block?;
        let payload = block.checked(archive.store(), archive.id())?;
        let decoded = loose::decode(&payload).ok_or(Damage::new(block.offset, DamageKind::LooseBlock))?;
        blocks.push((block.header.first, decoded.0, decoded.1));
    }
    Ok(blocks)
}

/// Games from one or more chunks, to be joined into one chunk.
pub(in crate::archive) type Group = Vec<(usize, Vec<u64>)>;

/// Returns the games in groups of about the size of a chunk. Each group uses one coding of moves. A complete chunk
/// forms a group. Small chunks, such as chunks of single appended games, are joined with the following chunks.
fn groups(archive: &Archive, games: &GameSet) -> Result<Vec<Group>> {
    let (mut groups, mut group): (Vec<Group>, Group) = (Vec::new(), Vec::new());
    let (mut count, mut share, mut bytes, mut coding) = (0, 0.0, 0.0, Coding::Plain);
    for chunk in 0..archive.chunk_count() {
        let all = archive.games_of(chunk);
        let size = (all.end - all.start) as f64;
        let kept: Vec<u64> = all.filter(|game| games.contains(*game)).collect();
        if kept.is_empty() {
            continue;
        }
        // The texts of a game may be long, so the parts of chunks in a group add up to at most one chunk, unless they
        // are small.
        let chunk_share = kept.len() as f64 / size;
        let start = archive.chunk_offset(chunk).unwrap_or(0);
        let end = archive.chunk_offset(chunk + 1).unwrap_or(archive.file_length());
        let chunk_bytes = chunk_share * end.saturating_sub(start) as f64;
        let previous = std::mem::replace(&mut coding, archive.chunk(chunk)?.coding()?);
        let is_full = share + chunk_share > 1.0 && bytes + chunk_bytes > SMALL;
        if !group.is_empty() && (is_full || count + kept.len() > CHUNK_GAMES || previous != coding) {
            groups.push(std::mem::take(&mut group));
            (count, share, bytes) = (0, 0.0, 0.0);
        }
        count += kept.len();
        share += chunk_share;
        bytes += chunk_bytes;
        group.push((chunk, kept));
    }
    if !group.is_empty() {
        groups.push(group);
    }
    Ok(groups)
}

/// A chunk of the copy, before the data that depends on earlier chunks is added.
pub(in crate::archive) struct Draft {
    pub records: Vec<u8>,
    pub ends: Vec<u32>,
    pub coding: Coding,
    pub tags: TagsDraft,
    strings: Vec<Box<[u8]>>,
    texts: TextsBuilder,
    layout: Layout,
    plies: u64,
    faulty: u64,
}

impl Draft {
    /// Returns the games of a group as one chunk, with the tags that `edit` returns.
    pub fn new(archive: &Archive, group: &Group, edit: Edit) -> Result<Draft> {
        let (mut records, mut ends) = (Vec::new(), Vec::new());
        let (mut tags, mut texts, mut layout) = (TagsBuilder::default(), TextsBuilder::default(), Layout::default());
        let (mut plies, mut faulty, mut coding) = (0, 0, Coding::Plain);
        for (number, games) in group {
            let chunk = archive.chunk(*number)?;
            coding = chunk.coding()?;
            for game in games {
                let game = chunk.any_game(*game)?;
                let (begin, new_tags) = (records.len(), edit(&game)?);
                game.push_stored(&mut records)?;
                if new_tags.is_some() {
                    record::add_flags(&mut records, begin, record::CHANGED);
                }
                let end = u32::try_from(records.len()).map_err(|_| too_large(records.len()))?;
                ends.push(end);
                plies += u64::from(game.check_moves()?);
                faulty += u64::from(game.has_fault());
                match &new_tags {
                    Some(new_tags) => new_tags.iter().for_each(|(name, value)| tags.push(name, value)),
                    None => game.visit_tags(|name, value| tags.push(name, value))?,
                }
                tags.end_game();
                game.visit_texts(|kind, after, text| {
                    texts.keep(kind, after.and_then(|moves| u32::try_from(moves).ok()), text);
                })?;
                texts.end_game(|| Some((game.start().clone(), game.brenner().to_vec())));
                let (style, edits) = match new_tags {
                    None => game.with_layout(|style, edits| (style, edits.to_vec()))?,
                    Some(new_tags) => {
                        let mut changed = game.to_game()?;
                        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                        changed.tags = new_tags.into_iter().map(|(name, value)| (text(name), text(value))).collect();
                        game.layout_of(&changed)?
                    }
                };
                let known = layout.styles.iter().rposition(|known| *known == style);
                let index = known.unwrap_or_else(|| {
                    layout.styles.push(style);
                    layout.styles.len() - 1
                });
                layout.games.push(index as u64);
                layout.edits.push(edits);
            }
        }
        Ok(Draft { records, ends, coding, tags: tags.analyse(), strings: Vec::new(), texts, layout, plies, faulty })
    }

    /// Returns the chunk with its columns compressed at that level.
    pub fn encode(self, level: i32) -> EncodedChunk {
        EncodedChunk {
            records: self.records,
            ends: self.ends,
            coding: self.coding,
            tags: self.tags.encode(level),
            texts: (!self.texts.is_empty()).then(|| self.texts.encode(level, each_move)),
            layout: self.layout.encode(level),
            new_strings: self.strings,
            plies: self.plies,
            faulty: self.faulty,
            ..EncodedChunk::default()
        }
    }
}

/// Returns the error for a chunk that exceeds the size limit of a moves block.
fn too_large(bytes: usize) -> Damage {
    let limit = Limit { what: "a copied chunk", limit: u64::from(u32::MAX), needed: bytes as u64 };
    Damage::new(0, DamageKind::OverLimit(limit))
}

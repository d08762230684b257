//! Repairs a damaged archive: makes a new archive from all its intact parts, and reports the losses.

use crate::archive::existing::Existing;
use crate::archive::maintain::find_blocks::BlockFinder;
pub use crate::archive::maintain::loss::LostPart;
use crate::archive::maintain::rebuild::{Rebuilt, rebuild};
use crate::archive::read::archive::Archive;
use crate::archive::read::blocks::BlockRef;
use crate::archive::read::metadata::{model_of, pairs_of};
use crate::archive::read::options::ArchiveFile;
use crate::archive::read::read_at::ReadAt;
use crate::archive::write::temporary::Permissions;
use crate::archive::write::writer::{EncodedChunk, NewFile, Writer, write_index};
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::ArchiveId;
use crate::format::block::BlockKind;
use crate::format::header::BLOCKS;
use crate::format::loose;
use crate::monitor::Monitor;
use crate::parallel;
use crate::sort;
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// The number of chunks to rebuild ahead of the writer.
const AHEAD: usize = 64;

/// The maximum number of lost games among which deleted games are looked for, because a number of games can be forged.
const MAX_SEARCHED: u64 = 1 << 24;

/// Consecutive games that are lost or incomplete.
///
/// ```
/// use scoresheet::archive::repair::{Loss, LostPart};
/// use scoresheet::{Damage, error::DamageKind};
///
/// let damage = Damage { offset: 8192, kind: DamageKind::Tags, game: Some(7) };
/// let tags_lost = Loss { first: 7, last: 7, part: Some(LostPart::Tags), damage }; // the game is kept
/// assert_eq!(tags_lost.part.map(LostPart::name), Some("tags"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// The first game, by its number in the damaged archive.
    pub first: u64,
    /// The last game.
    pub last: u64,
    /// The lost part, or `None` if the game is lost.
    pub part: Option<LostPart>,
    /// The damage that caused the loss.
    pub damage: Damage,
}

/// Consecutive games that are kept with consecutive new numbers.
///
/// [`Repair`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The first game, by its number in the damaged archive.
    pub first: u64,
    /// The last game.
    pub last: u64,
    /// The number of the first game in the new archive.
    pub now: u64,
}

/// The kept games and the losses of a repair.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"[White \"Tal\"]\n\n1. e4 e5 *\n"[..])?;
/// use scoresheet::archive::{ArchiveFile, repair::Repair};
/// use scoresheet::{Archive, Existing, Monitor};
///
/// let mut bytes = std::fs::read(&target)?;
/// *bytes.last_mut().expect("an archive") ^= 1;
/// let path = target.with_file_name("repaired.bga");
/// let repair: Repair = Archive::repair(ArchiveFile::from_bytes(bytes), &path, Existing::Refuse, Monitor::new())?;
/// assert_eq!((repair.kept_games(), repair.lost_games(), repair.damage.is_empty()), (1, 0, false));
/// assert_eq!((repair.kept[0].first, repair.kept[0].now), (1, 1));
/// assert_eq!(Archive::open(&path)?.game(1)?.tag("White")?.as_deref(), Some("Tal"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Repair {
    /// The number of games that the damaged archive declares, including deleted games.
    pub games: u64,
    /// The number of deleted games, which are neither kept nor lost.
    pub deleted: u64,
    /// The damage, in the order of the file.
    pub damage: Vec<Damage>,
    /// The ranges of damaged bytes, by offset, that the parity of their batch or the checksums of a block have restored.
    pub mended: Vec<Range<u64>>,
    /// The losses, in the order of the games.
    pub losses: Vec<Loss>,
    /// The kept games, in the order of their numbers.
    pub kept: Vec<Kept>,
    /// The names of sources that the new archive can no longer restore byte for byte.
    pub inexact: Vec<String>,
    /// The names of sources that the damaged archive could not restore either, because games had been changed or deleted.
    pub changed: Vec<String>,
    /// Whether deleted games are kept, because their deletion cannot be read, or because unreadable bytes after it may have
    /// restored them.
    pub returned: bool,
    /// The damage of a metadata block, whose title, license and other values are lost.
    pub lost_metadata: Option<Damage>,
    /// The number of sources whose names and positions are lost. The new archive cannot restore them.
    pub lost_sources: u64,
    /// The damage of whole blocks: what was there is unknown. Besides `losses`, it may have been deletions or metadata.
    pub holes: Vec<Damage>,
    /// The error if the index could not be written: the archive is complete without it, and the index can be rebuilt.
    pub unindexed: Option<Error>,
}

impl Repair {
    /// Returns the number of games kept.
    pub fn kept_games(&self) -> u64 {
        self.kept.iter().map(|kept| kept.last - kept.first + 1).sum()
    }

    /// Returns the number of games lost.
    pub fn lost_games(&self) -> u64 {
        self.losses.iter().filter(|loss| loss.part.is_none()).map(|loss| loss.last - loss.first + 1).sum()
    }

    fn keep(&mut self, game: u64, now: u64) {
        match self.kept.last_mut() {
            Some(kept) if kept.last + 1 == game => kept.last = game,
            _ => self.kept.push(Kept { first: game, last: game, now }),
        }
    }

    fn lose(&mut self, game: u64, part: Option<LostPart>, damage: Damage) {
        match self.losses.last_mut() {
            Some(loss) if (loss.last + 1, loss.part, &loss.damage) == (game, part, &damage) => loss.last = game,
            _ => self.losses.push(Loss { first: game, last: game, part, damage }),
        }
    }

    /// Returns the kept games from `game` on.
    fn kept_from(&self, game: u64) -> impl Iterator<Item = &Kept> {
        self.kept.iter().skip(self.kept.partition_point(|kept| kept.last < game))
    }

    /// Returns the number in the new archive of the first kept game from `game` on.
    fn now(&self, game: u64) -> Option<u64> {
        self.kept_from(game).next().map(|kept| kept.now + game.saturating_sub(kept.first))
    }
}

impl Archive {
    /// Writes a new archive at `target`, with its index, from all intact parts of an archive file. Does not change the
    /// damaged file.
    ///
    /// Games keep their order and receive new numbers. A game with unreadable moves is lost. A game with unreadable
    /// tags, texts or layout is kept without them. Data that exceeds the limits of the file is treated as unreadable.
    /// The unit of progress is a byte.
    ///
    /// Errors: the file cannot be read or contains no block of an archive, or the target is the damaged file, must not
    /// be replaced, or cannot be written.
    pub fn repair<'a>(
        file: impl Into<ArchiveFile>,
        target: impl AsRef<Path>,
        existing: Existing,
        monitor: impl Into<Monitor<'a>>,
    ) -> Result<Repair> {
        let (monitor, target) = (monitor.into(), target.as_ref());
        let (store, path, options) = file.into().store()?;
        if is_same(&path, target) {
            return Err(Error::Exists { path: target.to_path_buf() });
        }
        let length = store.length();
        let found = BlockFinder::new(&path, options, store, &monitor)?;
        let old = found.archive.id();
        let mut id = Sha256::new();
        id.update(b"repaired");
        id.update(old.0);
        id.update(length.to_le_bytes());
        let id = ArchiveId(*id.finalize().first_chunk().unwrap_or(&[0; 16]));
        let (new, writer) = NewFile::create_unnamed(target, id, existing, Permissions::from_inputs([&path]))?;
        let mut work = Work::new(found, writer);
        match work.run(&monitor) {
            Ok(()) => {
                new.finish()?;
                work.report.unindexed = write_index(target, &work.writer.index()).err();
                Ok(work.report)
            }
            Err(error) => {
                let unknown = work.unknown.take();
                drop(work);
                new.remove();
                // A repair would lose the data of a newer program.
                unknown.map_or(Ok(()), |unknown| Err(Error::from(unknown)))?;
                monitor.check()?;
                Err(Error::io("cannot write", target)(error))
            }
        }
    }
}

fn is_same(left: &Path, right: &Path) -> bool {
    matches!((left.canonicalize(), right.canonicalize()), (Ok(left), Ok(right)) if left == right)
}

struct Work {
    found: BlockFinder,
    writer: Writer<File>,
    report: Repair,
    /// The new numbers of the kept sources, by their old numbers.
    sources: HashMap<u64, u64>,
    /// Whether the strings keep their numbers. If not, all tag values are stored as texts.
    numbered: bool,
    /// The dictionary blocks whose strings are not yet stored, in the order of their strings.
    dictionaries: VecDeque<BlockRef>,
    /// The number of strings that are stored.
    known: u64,
    /// A part that needs a newer program.
    unknown: Option<Damage>,
    /// The first and last game of each chunk that is kept unchanged.
    intact: Vec<(u64, u64)>,
    /// The end offset of the last source block.
    prior: u64,
    /// The largest number among the games that follow the loose blocks read so far.
    loose: u64,
    /// Whether a loose block was found after a game that it should precede. No writer places loose blocks there, so the
    /// new archive cannot keep their position.
    is_disordered: bool,
}

impl Work {
    fn new(found: BlockFinder, writer: Writer<File>) -> Work {
        let (mut sources, mut next) = (HashMap::new(), 1);
        for source in found.blocks.iter().filter_map(|block| found.source(block)) {
            let stored = source.seen - source.rejected;
            // A source that shares a game with another source is invalid.
            if (stored == 0 || source.first_game >= next) && !sources.contains_key(&source.number) {
                next = if stored == 0 { next } else { source.first_game + stored };
                sources.insert(source.number, sources.len() as u64);
            }
        }
        let report = Repair {
            games: found.games,
            deleted: found.archive.deleted_count(),
            damage: found.all_damage.clone(),
            mended: found.mended.clone(),
            returned: found.returned,
            ..Repair::default()
        };
        let dictionaries = found.dictionaries();
        let (numbered, dictionaries) = (dictionaries.is_some(), dictionaries.unwrap_or_default().into());
        let (intact, prior, loose, is_disordered, known, unknown) = (Vec::new(), BLOCKS, 0, false, 0, None);
        Work {
            found,
            writer,
            report,
            sources,
            numbered,
            dictionaries,
            known,
            unknown,
            intact,
            prior,
            loose,
            is_disordered,
        }
    }

    fn run(&mut self, monitor: &Monitor) -> io::Result<()> {
        let (pgn_bytes, rejected) = (self.found.totals.pgn_bytes, self.found.totals.rejected);
        self.writer.add_chunk(EncodedChunk { pgn_bytes, rejected, ..EncodedChunk::default() })?;
        let (mut next, mut ready, mut pending) = (0, Vec::new().into_iter(), 0);
        for block in self.found.blocks.clone() {
            if monitor.is_stopped() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            match block.header.kind {
                BlockKind::Moves => {
                    // A moves block outside the found chunks contradicts other blocks.
                    let chunks = self.found.archive.chunk_count();
                    if self.found.archive.chunk_offset(next) != Some(block.offset) {
                        continue;
                    }
                    if ready.len() == 0 {
                        let rebuild_chunk = |chunk| rebuild(&self.found, next + chunk, self.numbered);
                        ready = parallel::map(AHEAD.min(chunks - next), rebuild_chunk).into_iter();
                    }
                    if let Some(rebuilt) = ready.next() {
                        self.write(rebuilt)?;
                    }
                    next += 1;
                    pending += 1;
                }
                BlockKind::Dictionary if self.numbered => self.strings(block.header.first),
                BlockKind::Source => self.source(&block)?,
                BlockKind::Loose => self.loose(&block)?,
                BlockKind::Metadata => self.metadata(&block)?,
                BlockKind::Model => self.model(&block)?,
                BlockKind::Commit => pending = AHEAD,
                _ => {}
            }
            if pending == AHEAD {
                self.writer.commit()?;
                pending = 0;
            }
        }
        self.gaps();
        self.report.lost_sources = self.found.totals.sources.saturating_sub(self.writer.totals().sources);
        self.report.holes = self.found.holes.clone();
        self.writer.commit()
    }

    fn write(&mut self, rebuilt: Rebuilt) -> io::Result<()> {
        let mut damage = rebuilt.losses.iter().map(|(_, _, damage)| damage);
        self.unknown = damage.find(|damage| matches!(damage.kind, DamageKind::Unknown(_))).cloned();
        if self.unknown.is_some() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.is_disordered |= rebuilt.kept.first().is_some_and(|game| *game < self.loose);
        for (game, now) in rebuilt.kept.iter().zip(self.writer.totals().games + 1..) {
            self.report.keep(*game, now);
        }
        for (game, part, damage) in &rebuilt.losses {
            self.report.lose(*game, *part, damage.clone());
        }
        if rebuilt.losses.is_empty() {
            let runs = rebuilt.kept.chunk_by(|previous, next| previous + 1 == *next);
            self.intact.extend(runs.filter_map(|run| Some((*run.first()?, *run.last()?))));
        }
        self.writer.add_chunk(rebuilt.chunk)
    }

    /// Keeps the strings of all dictionary blocks up to the block of string `last`, each from the block or its copy.
    fn strings(&mut self, last: u64) {
        while let Some(header) = self.dictionaries.front().map(|block| block.header).filter(|head| head.first <= last)
            && let Some(block) = self.dictionaries.pop_front()
        {
            let Some(strings) = self.found.strings(&block).filter(|_| header.first >= self.known) else { continue };
            // The preceding strings are lost and no game refers to them, but the new archive reserves their numbers.
            self.writer.add_strings((self.known..header.first).map(|_| Box::default()));
            self.writer.add_strings((0..header.count as usize).filter_map(|string| strings.get(string)).map(Box::from));
            self.known = header.first + u64::from(header.count);
        }
    }

    /// Adds the games between and after the found chunks to the losses.
    fn gaps(&mut self) {
        let archive = &self.found.archive;
        let (mut next, mut prior) = (1, BLOCKS);
        let found = (0..archive.chunk_count()).filter_map(|chunk| archive.chunk_block(chunk));
        let found = found.map(|block| (block.header.first, u64::from(block.header.count), block.offset));
        let end = (self.report.games.saturating_add(1), 0, u64::MAX);
        for (first, count, offset) in found.chain([end]) {
            if next < first {
                let damage = self.found.damage_between(prior, offset);
                let damage = damage.unwrap_or(Damage::new(prior, DamageKind::NoBlock));
                let deleted = archive.deleted_among(next..first.min(next.saturating_add(MAX_SEARCHED)));
                self.report.deleted += deleted.len();
                let mut start = next;
                for game in deleted.iter().map(|number| next + number - 1).chain([first]) {
                    if start < game {
                        let damage = damage.clone();
                        self.report.losses.push(Loss { first: start, last: game - 1, part: None, damage });
                    }
                    start = game + 1;
                }
            }
            (next, prior) = (first.saturating_add(count).max(next), offset);
        }
        sort::by_key(&mut self.report.losses, |loss| (loss.first, loss.part));
    }

    /// Keeps a source, with the new numbers of its games.
    fn source(&mut self, block: &BlockRef) -> io::Result<()> {
        let start = std::mem::replace(&mut self.prior, block.end());
        let Some(mut source) = self.found.source(block) else { return Ok(()) };
        if self.sources.get(&source.number) != Some(&self.writer.totals().sources) {
            self.report.damage.push(Damage::new(block.offset, DamageKind::SourcesOutOfOrder));
            return Ok(());
        }
        let (first, stored) = (source.first_game, source.seen - source.rejected);
        let end = first + stored;
        let games = |runs: &[(u64, u64)]| -> u64 {
            let from = runs.partition_point(|(_, last)| *last < first);
            let runs = runs.iter().skip(from).take_while(|(first_kept, _)| *first_kept < end);
            runs.map(|(first_kept, last)| (last + 1).min(end) - *first_kept.max(&first)).sum()
        };
        let runs: Vec<(u64, u64)> = self
            .report
            .kept_from(first)
            .take_while(|kept| kept.first < end)
            .map(|kept| (kept.first, kept.last))
            .collect();
        let (kept, intact) = (games(&runs), games(&self.intact));
        // Lost loose bytes are detected only through the damage that they leave between blocks.
        let of_first = self.found.archive.chunk_of(first).ok();
        let of_first = of_first.and_then(|(chunk, _)| self.found.archive.chunk_offset(chunk));
        let start = of_first.map_or(start, |offset| offset.min(start));
        let damaged =
            self.found.damage_between(start, block.end()).is_some() || self.found.loses_loose(start, block.end());
        let deleted = self.found.archive.has_deleted(first..end);
        // A valid checksum proves only that a block is unchanged. Only the hash of a source proves that the source can
        // be restored.
        if !source.exact || deleted {
            self.report.changed.push(source.name.clone());
        }
        let comes_back = || matches!(self.found.archive.write_original(&source, &mut io::sink()), Ok(true));
        if source.exact && (damaged || intact < stored || self.is_disordered || !comes_back()) {
            source.exact = false;
            if !deleted {
                self.report.inexact.push(source.name.clone());
            }
        }
        source.first_game = if kept == 0 { 0 } else { self.report.now(first).unwrap_or(0) };
        // Lost games are no rejected games.
        source.seen = source.rejected + kept;
        self.writer.add_source(&source)
    }

    /// Keeps the metadata if it is readable.
    fn metadata(&mut self, block: &BlockRef) -> io::Result<()> {
        let archive = &self.found.archive;
        match pairs_of(archive.store(), archive.id(), archive.limits(), block) {
            Ok(pairs) => self.writer.describe(pairs.iter().map(|(key, value)| (&**key, &**value))),
            Err(damage) => {
                self.report.lost_metadata = Some(damage);
                Ok(())
            }
        }
    }

    fn model(&mut self, block: &BlockRef) -> io::Result<()> {
        let archive = &self.found.archive;
        match model_of(archive.store(), archive.id(), archive.limits(), block) {
            Ok(Some((name, model))) => self.writer.add_model(name.number, &model),
            _ => Ok(()),
        }
    }

    /// Keeps the contents of a loose block of a source.
    fn loose(&mut self, block: &BlockRef) -> io::Result<()> {
        let archive = &self.found.archive;
        let Ok(payload) = block.checked(archive.store(), archive.id()) else { return Ok(()) };
        let Some((source, part)) = loose::split(&payload) else { return Ok(()) };
        let Some(number) = self.sources.get(&source) else { return Ok(()) };
        let first = block.header.first;
        self.is_disordered |= self.report.kept.last().is_some_and(|kept| kept.last >= first);
        self.loose = self.loose.max(first);
        // The loose bytes precede the next game, which is not written yet.
        let next = self.writer.totals().games + 1;
        self.writer.add_loose(next, &loose::encode(*number, part))
    }
}

//! Verifies that every byte of an archive is unchanged and that every game is intact.

use crate::archive::maintain::mend::{self, Patch};
use crate::archive::maintain::structure::{BlockOrder, deletions_fault, dictionary_fault, loose_fault, metadata_fault};
use crate::archive::read::archive::Archive;
use crate::archive::read::blocks::{BlockRef, IndexBuilder, check_block, refuse_unknown, walk};
use crate::archive::read::chunk::Chunk;
use crate::archive::read::game_ref::GameRef;
use crate::archive::read::opening::{Incomplete, Opening};
use crate::archive::read::options::{ArchiveFile, FileParts};
use crate::archive::read::read_at::{ReadAt, Store};
use crate::error::{Damage, DamageKind, Result};
use crate::format::State;
use crate::format::block::BlockKind;
use crate::format::commit::Commit;
use crate::format::index::Index;
use crate::monitor::Monitor;
use crate::parallel;
use crate::pgn::Style;
use crate::sort;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The extent of a verification: `Quick` or `Full`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Checks the structure and the checksums of every byte, at the speed of the disk.
    Quick,
    /// Also reads every game, checks every move for legality and canonical form, and compares every restored source
    /// with its hash.
    Full,
}

/// The result of a verification.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"[White \"Tal\"]\n\n1. e4 e5 *\n"[..])?;
/// use scoresheet::archive::{ArchiveFile, Level, Report};
/// use scoresheet::{Archive, Monitor};
///
/// let report: Report = Archive::verify(&target, Level::Full, Monitor::new())?;
/// assert!(report.is_intact() && report.index == Some(true));
/// assert_eq!((report.games, report.plies), (1, 2));
///
/// let mut bytes = std::fs::read(&target)?;
/// *bytes.last_mut().expect("an archive") ^= 1;
/// let report = Archive::verify(ArchiveFile::from_bytes(bytes), Level::Quick, Monitor::new())?;
/// assert!(!report.is_intact() && report.spots[0].offset > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Blocks seen.
    pub blocks: u64,
    /// The number of games in the archive at its last commit.
    pub games: u64,
    /// The number of plies in the main lines of all games that were read, also of deleted games (full verification only).
    pub plies: u64,
    /// The number of bytes beyond the last commit, which an unfinished write has left. They are not damage.
    pub uncommitted: u64,
    /// The damage, in file order.
    pub damage: Vec<Damage>,
    /// Ranges of games (first and last) in damaged blocks, as declared by these blocks or inferred from the gaps that
    /// they leave.
    pub lost: Vec<(u64, u64)>,
    /// The damage grouped by location, each group with the games that it affects.
    pub spots: Vec<Spot>,
    /// The ranges of damaged bytes, by offset, that a repair restores from the parity of their batch.
    pub mendable: Vec<Range<u64>>,
    /// Whether the index file matches the present state of the archive, or `None` if there is no index file.
    pub index: Option<bool>,
}

/// A damaged part of an archive.
///
/// [`Report`] has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The offset in the archive, in bytes, of the first faulty structure.
    pub offset: u64,
    /// The fault.
    pub kind: DamageKind,
    /// The number of entries of `damage` that this part combines: damage of one structure, or equal damage of
    /// consecutive games.
    pub damages: u64,
    /// Ranges of games (first and last) that are damaged or lost because of this part, sorted.
    pub games: Vec<(u64, u64)>,
}

/// Combines damages that are sorted by offset. Lost games are assigned to the damage at their offset.
fn spots(damage: &[Damage], lost: &[(u64, (u64, u64))]) -> Vec<Spot> {
    let mut spots: Vec<Spot> = Vec::new();
    for Damage { offset, kind, game } in damage {
        let last = spots.last().filter(|last| last.kind == *kind);
        let follows = |last: &Spot| last.games.last().is_some_and(|(_, end)| *game == Some(end + 1));
        if !last.is_some_and(|last| last.offset == *offset || follows(last)) {
            spots.push(Spot { offset: *offset, kind: kind.clone(), damages: 0, games: Vec::new() });
        }
        if let Some(spot) = spots.last_mut() {
            spot.damages += 1;
            spot.games.extend(game.map(|game| (game, game)));
        }
    }
    for (offset, games) in lost {
        let index = spots.partition_point(|spot| spot.offset < *offset).min(spots.len().saturating_sub(1));
        if let Some(spot) = spots.get_mut(index) {
            spot.games.push(*games);
        }
    }
    for spot in &mut spots {
        spot.games.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (first, last) in spot.games.drain(..) {
            match joined.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => joined.push((first, last)),
            }
        }
        spot.games = joined;
    }
    spots
}

impl Report {
    /// Returns whether the archive is undamaged.
    pub fn is_intact(&self) -> bool {
        self.damage.is_empty()
    }
}

impl Archive {
    /// Verifies the archive in a file, and its index if one exists. The unit of progress is a byte of a block. A full
    /// verification counts blocks of moves twice. Data beyond the limits of the file is treated as damage.
    ///
    /// The argument is a file instead of an open archive, because a damaged archive may not open. The report lists any
    /// damage, so damage is not an error. Errors: the file cannot be read, is not an archive, or has an unsupported
    /// version, or the work was stopped.
    pub fn verify<'a>(file: impl Into<ArchiveFile>, level: Level, monitor: impl Into<Monitor<'a>>) -> Result<Report> {
        let (parts, opened) = file.into().open()?;
        verify(&parts, opened, level, &monitor.into())
    }
}

/// Verifies an opened archive, or reports why it could not be opened.
fn verify(parts: &FileParts, opened: Result<(Store, Opening)>, level: Level, monitor: &Monitor) -> Result<Report> {
    let FileParts { path, index: index_file, options, .. } = parts;
    let index_file = index_file.as_deref();
    let mut report = Report::default();
    let (mut store, opening) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            let damage = error.damage().filter(|damage| !matches!(damage.kind, DamageKind::Unknown(_)));
            let Some(damage) = damage else { return Err(error) };
            report.damage.push(damage);
            report.spots = spots(&report.damage, &[]);
            return Ok(report);
        }
    };
    let Opening { header, incomplete, .. } = opening;
    let (id, mut end, mut games) = (header.state.id, header.state.length, header.state.games);
    if let Some(Incomplete::Cut(cut)) = incomplete {
        (end, games) = (cut.committed, cut.games);
    }
    report.games = games;
    report.uncommitted = store.length().saturating_sub(end);
    let hidden = opening.hidden_commit(&store);
    store.shorten(end);
    let (blocks, mut damage) = walk(&store, id);
    refuse_unknown(&damage)?;
    damage.extend(opening.damage().or(hidden));
    report.blocks = blocks.len() as u64;
    // Games in skipped parts of the file are in no block.
    let gaps: Vec<u64> = report.damage.iter().chain(&damage).map(|damage| damage.offset).collect();
    let gap_before = |offset: u64| gaps.iter().copied().filter(|gap| *gap < offset).max().unwrap_or(offset);
    let mut lost_at = Vec::new();
    let found = parallel::map_items(&blocks, |block| {
        monitor.advance(block.header.length);
        if monitor.is_stopped() { Vec::new() } else { check_block(&store, id, block) }
    });
    monitor.check()?;
    let found: Vec<Damage> = found.into_iter().flatten().collect();
    report.mendable = mend::patches(&store, id, &blocks, &found).iter().map(Patch::range).collect();
    damage.extend(found);
    let (mut builder, mut order) = (IndexBuilder::new(id), BlockOrder::default());
    let sources = blocks.iter().filter(|block| block.header.kind == BlockKind::Source).count() as u64;
    let (mut next, mut totals, mut commits) = (1, Commit::default(), Vec::new());
    for block in &blocks {
        let before = builder.index.state;
        let (misplaced, contradiction) = (order.add(block), builder.add(block).err());
        let fault = misplaced.or(contradiction);
        totals.strings = builder.index.strings;
        if damage.is_empty() {
            damage.extend(match block.header.kind {
                BlockKind::Commit => match commit_after(&store, &before, &totals, block) {
                    Ok(commit) => {
                        commits.push((block.offset, commit));
                        fault
                    }
                    Err(damage) => Some(damage),
                },
                BlockKind::Deleted | BlockKind::Restored => deletions_fault(&store, &before, block).or(fault),
                BlockKind::Loose => loose_fault(&store, id, (games, sources), block).or(fault),
                _ => fault,
            });
        }
        add_block(&mut totals, block);
        if block.header.kind == BlockKind::Moves {
            if block.header.first > next {
                lost_at.push((gap_before(block.offset), (next, block.header.first - 1)));
            }
            next = block.header.first.saturating_add(u64::from(block.header.count)).max(next);
        }
    }
    if next <= games {
        lost_at.push((gap_before(u64::MAX), (next, games)));
    }
    if (builder.index.state != header.state || order.commit != header.commit) && damage.is_empty() {
        damage.push(Damage::new(header.commit, DamageKind::BlocksOfOtherCommit));
    }
    if let Some(index) = index_file {
        let is_complete = builder.index.state == header.state;
        // If blocks are lost, the correct index is unknown.
        let fits = |index: Index| if is_complete { index == builder.index } else { index.state == header.state };
        report.index = Some(Index::decode(index).is_some_and(fits));
    }
    for fault in &damage {
        let block = blocks.binary_search_by_key(&fault.offset, |block| block.offset);
        if let Some(header) = block.ok().and_then(|index| blocks.get(index)).map(|block| block.header)
            && matches!(header.kind, BlockKind::Moves | BlockKind::Tags | BlockKind::Texts | BlockKind::Layout)
            && header.count > 0
            && fault.game.is_none()
        {
            lost_at.push((fault.offset, (header.first, header.first + u64::from(header.count) - 1)));
        } else {
            report.lost.extend(fault.game.map(|game| (game, game)));
        }
    }
    report.damage.extend(damage);
    if level == Level::Full && report.is_intact() {
        let (store, limits) = (&store, &options.limits);
        let at = |offset: u64| blocks.binary_search_by_key(&offset, |block| block.offset).ok();
        let copies = parallel::map_items(&builder.index.dictionaries, |entry| {
            let (block, copy) = (blocks.get(at(entry.offset)?)?, blocks.get(at(entry.copy)?)?);
            dictionary_fault(store, id, limits, block, copy)
        });
        report.damage.extend(copies.into_iter().flatten());
        let said = parallel::map_items(&blocks, |block| metadata_fault(store, id, limits, block));
        report.damage.extend(said.into_iter().flatten());
    }
    if level == Level::Full && report.is_intact() {
        let archive = Archive::from_opening(path, *options, store, opening, index_file)?;
        verify_games(&archive, &commits, &mut report, monitor)?;
    }
    // A part for a newer program is not damage. Next to damage, it is not reported.
    let unknown = report.damage.iter().find(|damage| matches!(damage.kind, DamageKind::Unknown(_))).cloned();
    report.damage.retain(|damage| !matches!(damage.kind, DamageKind::Unknown(_)));
    if let Some(unknown) = unknown.filter(|_| report.is_intact()) {
        return Err(unknown.into());
    }
    sort::by_key(&mut report.damage, |damage| (damage.offset, damage.game));
    report.spots = spots(&report.damage, &lost_at);
    report.lost.extend(lost_at.iter().map(|(_, games)| *games));
    report.lost.sort_unstable();
    report.lost.dedup();
    Ok(report)
}

/// Adds a block to the numbers that the totals of a commit contain.
fn add_block(totals: &mut Commit, block: &BlockRef) {
    let bytes = block.end() - block.offset;
    match block.header.kind {
        BlockKind::Moves => totals.moves_bytes += bytes,
        BlockKind::Tags => totals.tags_bytes += bytes,
        BlockKind::Texts => totals.texts_bytes += bytes,
        BlockKind::Dictionary => totals.dictionary_bytes += bytes,
        BlockKind::Layout | BlockKind::Loose => totals.layout_bytes += bytes,
        BlockKind::Source => totals.sources += 1,
        _ => {}
    }
}

/// Returns the totals of a commit block, or its fault if it does not match the state and the totals before it. The
/// blocks do not show how much PGN was read, and how many games were rejected.
fn commit_after(archive: &impl ReadAt, before: &State, totals: &Commit, block: &BlockRef) -> Result<Commit, Damage> {
    let commit = block.checked(archive, before.id).ok().and_then(|payload| Commit::decode(&payload));
    let follows = |commit: &Commit| {
        let Commit { plies, pgn_bytes, faulty, rejected, .. } = *commit;
        let (sequence, games, chain) = (before.sequence + 1, before.games, before.chain);
        block.header.first == sequence
            && *commit == Commit { sequence, games, chain, plies, pgn_bytes, faulty, rejected, ..*totals }
    };
    commit.filter(follows).ok_or(Damage::new(block.offset, DamageKind::CommitOutOfPlace))
}

/// The plies and the faulty games of each chunk, including deleted games.
struct Counts(Vec<[AtomicU64; 2]>);

impl Counts {
    /// Checks a game, counts it, and returns the number of its plies.
    fn check(&self, game: &GameRef) -> Result<u32> {
        // Computing the digest also reads tags and texts.
        game.digest()?;
        let plies = game.check_moves()?;
        if let Some([all_plies, faulty]) = self.0.get(game.chunk()) {
            all_plies.fetch_add(u64::from(plies), Ordering::Relaxed);
            faulty.fetch_add(u64::from(game.has_fault()), Ordering::Relaxed);
        }
        Ok(plies)
    }

    /// Returns the first commit with other numbers.
    fn fault(&self, archive: &Archive, commits: &[(u64, Commit)]) -> Option<Damage> {
        let (mut chunk, mut sums) = (0, [0; 2]);
        let differs = |(offset, commit): &&(u64, Commit)| {
            while archive.chunk_offset(chunk).is_some_and(|start| start < *offset)
                && let Some(counts) = self.0.get(chunk)
            {
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count.load(Ordering::Relaxed));
                chunk += 1;
            }
            sums != [commit.plies, commit.faulty]
        };
        let (offset, _) = commits.iter().find(differs)?;
        Some(Damage::new(*offset, DamageKind::CommitOutOfPlace))
    }
}

/// Reads every game, checks every move, and restores every source to compare its hash. Reads each game only once for
/// these checks, unless there is damage.
fn verify_games(archive: &Archive, commits: &[(u64, Commit)], report: &mut Report, monitor: &Monitor) -> Result<()> {
    let counts = Counts((0..archive.chunk_count()).map(|_| Default::default()).collect());
    let (restored, damage) = match verify_sources(archive, &counts, report, monitor) {
        Ok(found) => found,
        Err(error) => (Vec::new(), vec![error.damage().ok_or(error)?]),
    };
    let is_read = |game: u64| restored.iter().any(|games| games.contains(&game));
    let checked: Vec<(u64, Vec<Damage>)> = parallel::map(archive.chunk_count(), |number| {
        let (mut plies, mut faults) = (0, Vec::new());
        let mut note = |result: Result<u32>| match result {
            Ok(count) => plies += u64::from(count),
            Err(error) => faults.push(error.damage().unwrap_or(Damage::new(0, DamageKind::GameNotFound))),
        };
        let games = archive.games_of(number);
        if monitor.is_stopped()
            || restored.iter().any(|restored| restored.start <= games.start && games.end <= restored.end)
        {
            return (plies, faults);
        }
        match archive.chunk(number) {
            Ok(chunk) => {
                for game in games.filter(|game| !is_read(*game)) {
                    // A deleted game can be restored, so it must be intact.
                    note(chunk.any_game(game).and_then(|game| counts.check(&game)));
                }
                // Reads the layout, which has not been read yet.
                note(check_columns(&chunk).map(|()| 0));
            }
            Err(error) => note(Err(error)),
        }
        if let Ok(head) = archive.head(number) {
            monitor.advance(head.block.header.length);
        }
        (plies, faults)
    });
    monitor.check()?;
    for (plies, faults) in checked {
        report.plies += plies;
        report.lost.extend(faults.iter().filter_map(|fault| fault.game).map(|game| (game, game)));
        report.damage.extend(faults);
    }
    // The damage of a game may already be in the report.
    let others = damage.into_iter().filter(|damage| !report.damage.contains(damage)).collect::<Vec<_>>();
    report.damage.extend(others);
    if report.is_intact() {
        report.damage.extend(counts.fault(archive, commits));
    }
    Ok(())
}

/// Reads the columns of a chunk and the style of each of its games.
fn check_columns(chunk: &Chunk) -> Result<()> {
    let offset = chunk.archive().chunk_offset(chunk.number()).unwrap_or(0);
    chunk.tag_names()?;
    chunk.texts()?;
    let layout = chunk.layout()?;
    let has_style = |index: usize| layout.of_game(index).is_some_and(|(style, _)| Style::decode(style).is_some());
    if !(0..chunk.len()).all(has_style) {
        return Err(Damage::new(offset, DamageKind::Layout).into());
    }
    Ok(())
}

/// Restores every source and compares its hash with the stored hash. Returns the games that were checked in the
/// process, and the damage found. The caller then checks the games of damaged sources individually.
fn verify_sources(
    archive: &Archive,
    counts: &Counts,
    report: &mut Report,
    monitor: &Monitor,
) -> Result<(Vec<Range<u64>>, Vec<Damage>)> {
    let (mut next, mut restored, mut damage) = (1, Vec::new(), Vec::new());
    for (number, source) in (0..).zip(archive.sources()?) {
        let stored = source.seen - source.rejected;
        // A game belongs to at most one source, so no source is restored twice.
        if source.number != number || (stored > 0 && source.first_game < next) {
            damage.push(Damage::new(0, DamageKind::SourcesOutOfOrder));
            break;
        }
        if stored > 0 {
            next = source.first_game + stored;
        }
        if !source.exact {
            continue;
        }
        let plies = AtomicU64::new(0);
        let look = |game: &GameRef| {
            monitor.check()?;
            plies.fetch_add(u64::from(counts.check(game)?), Ordering::Relaxed);
            let first = archive.games_of(game.chunk()).start == game.number();
            if first && let Ok(head) = archive.head(game.chunk()) {
                monitor.advance(head.block.header.length);
            }
            Ok(())
        };
        match archive.rebuild(&source, &mut std::io::sink(), look) {
            Ok(true) => {
                report.plies += plies.into_inner();
                restored.push(source.first_game..source.first_game + stored);
            }
            Err(error) if error.damage().is_some() => damage.extend(error.damage()),
            _ => damage.push(Damage::new(0, DamageKind::SourceDiffers)),
        }
        monitor.check()?;
    }
    Ok((restored, damage))
}

//! Updates side files: after a commit, adds appended and changed games to the existing side files.
//!
//! The cost of an additional segment is proportional to the number of its games. To limit the number of segments, the
//! last segments are merged with the new one if they are small compared with it, as in a log-structured merge tree. A
//! game is rewritten about ten times while an archive grows to a million games in steps of a thousand games.

use crate::filter::game_field::GameField;
use crate::measure::field::Measure;
use crate::position::build::{add_facts, add_places, build_positions, known_of};
use crate::position::signature::add_signatures;
use crate::segments::{Held, SideFile, SideWriter, union, without};
use crate::tag_columns::{add_tag_columns, check_index, kept_measures, write_with};
use scoresheet::Monitor;
use scoresheet::archive::copy::Changed;
use scoresheet::archive::{Archive, FileKind};
use scoresheet::error::{Error, Result};
use scoresheet::format::side::{MAX_SEGMENTS, Made, Part, Segment};
use std::ops::Range;
use std::path::Path;

/// The factor for merging: a segment is merged with the following ones if it has fewer games than this factor times
/// their games.
const GROWTH: u64 = 4;
/// The maximum number of runs of games in a segment. If there are more runs, the file is rebuilt.
const MOST_RUNS: usize = 4096;
/// The kinds of side files that searches use.
pub const KINDS: [FileKind; 3] = [FileKind::Signatures, FileKind::Positions, FileKind::TagColumns];
/// The amount of memory for sorting positions, in bytes.
pub const SORT_MEMORY: u64 = 256 << 20;

/// The state of the side files before an archive is rewritten, from which the side files of the new archive can be
/// made.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"[White \"Tal\"]\n\n1. e4 *\n\n1. d4 *\n"[..])?;
/// # let change = |game: &scoresheet::GameRef<'_>| {
/// #     let mut game = game.to_game()?;
/// #     game.tags.push(("Annotator".to_owned(), "Tal".to_owned()));
/// #     Ok(Some(game))
/// # };
/// use scoresheet_query::{SideState, TagColumns, games::Before, tag_columns};
/// use scoresheet::{Archive, GameSet, Monitor};
///
/// tag_columns::write(&Archive::open(&target)?)?;
/// let before = Before::new(&Archive::open(&target)?);
/// let edited = Archive::edit(&target, &GameSet::all(1), &change, Monitor::new())?; // adds a tag
/// let archive = Archive::open(&target)?;
/// before.carry(&archive, &edited.change.expect("a game has changed"))?;
/// let columns = TagColumns::open(&archive);
/// assert_eq!((columns.state(), columns.uncovered().len()), (SideState::File, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Before {
    made: Made,
    files: Vec<(FileKind, SideFile)>,
}

impl Before {
    /// Reads the state of the side files of an archive.
    pub fn new(archive: &Archive) -> Before {
        let there = KINDS.into_iter().filter(|kind| kind.of_archive(archive.path()).is_file());
        Before { made: archive.made(), files: there.map(|kind| (kind, SideFile::open(archive, kind))).collect() }
    }

    /// Carries the side files over to the rewritten archive, and rebuilds the parts that have changed. If another
    /// program has changed the archive in the meantime, the files remain out of date.
    ///
    /// Errors: the errors of [`update`].
    pub fn carry(&self, archive: &Archive, change: &Changed) -> Result<()> {
        if change.from != self.made || !archive.comes_after(&change.made) {
            return Ok(());
        }
        let all = union(change.chunks.iter().map(|(games, _)| games.clone()));
        let moves = union(change.chunks.iter().filter(|(_, moves)| *moves).map(|(games, _)| games.clone()));
        for (kind, file) in &self.files {
            let Some(mut writer) = SideWriter::open(archive, *kind) else { continue };
            let held: Vec<&Held> = file.held().collect();
            writer.segments().retain(|segment| held.iter().any(|held| held.pages.segment() == segment));
            for part in parts_of(*kind) {
                let changed = match part {
                    Part::Signatures | Part::Places => &moves,
                    Part::Facts | Part::PlainTagColumns | Part::TagColumns => &all,
                };
                extend(&mut writer, archive, *part, &held, changed.clone(), SORT_MEMORY, &Monitor::new())?;
            }
            writer.segments().iter_mut().for_each(|segment| segment.made = change.made);
            writer.commit()?;
        }
        Ok(())
    }
}

/// The result of updating a side file.
///
/// [`update`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Updated {
    /// The file.
    pub kind: FileKind,
    /// The number of games that were added or rebuilt, or 0 if the file was up to date.
    pub games: u64,
    /// The length of the side file in bytes.
    pub bytes: u64,
}

/// Updates the side files of an archive, in time proportional to the number of games that are missing from the files.
/// Does not change files of another archive or version, or files that another program is extending. The unit of
/// progress is a game, which counts once for each file, and twice for the position index.
///
/// Errors: a game cannot be read, a file cannot be written, or the work was stopped. After an error, each file is
/// either unchanged or up to date.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let import = || scoresheet::Import::new(&target).append();
/// # import().run_reader("games.pgn", &b"1. e4 1-0\n\n1. d4 *\n"[..])?;
/// use scoresheet_query::{games, position::index};
/// use scoresheet::{Archive, Monitor};
///
/// index::build(&Archive::open(&target)?, 1 << 20, Monitor::new())?;
/// import().run_reader("more.pgn", &b"1. e4 0-1\n"[..])?;
/// let updated = games::update(&Archive::open(&target)?, games::SORT_MEMORY, Monitor::new())?;
/// assert_eq!(updated.iter().map(|file| file.games).sum::<u64>(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn update<'a>(archive: &Archive, memory: u64, monitor: impl Into<Monitor<'a>>) -> Result<Vec<Updated>> {
    let monitor = monitor.into();
    let mut updated = Vec::new();
    for kind in KINDS.into_iter().filter(|kind| kind.of_archive(archive.path()).is_file()) {
        updated.extend(update_file(archive, kind, memory, &monitor)?);
    }
    Ok(updated)
}

/// Updates the side files of the archive at `path` like [`update`], if any exist.
pub fn update_beside<'a>(path: &Path, memory: u64, monitor: impl Into<Monitor<'a>>) -> Result<Vec<Updated>> {
    if KINDS.iter().all(|kind| !kind.of_archive(path).is_file()) {
        return Ok(Vec::new());
    }
    update(&Archive::open(path)?, memory, monitor)
}

fn update_file(archive: &Archive, kind: FileKind, memory: u64, monitor: &Monitor) -> Result<Option<Updated>> {
    let Some(mut writer) = SideWriter::open(archive, kind) else { return Ok(None) };
    let file = SideFile::open(archive, kind);
    let held: Vec<&Held> = file.held().collect();
    let before = writer.segments().len();
    writer.segments().retain(|segment| held.iter().any(|held| held.pages.segment() == segment));
    let is_same = before == writer.segments().len();
    let mut games = 0;
    for part in parts_of(kind) {
        let covered = union(held.iter().filter(|held| held.is_of(*part)).flat_map(|held| held.owned.games()));
        let open = without(std::iter::once(1..archive.len() + 1), covered);
        games = games.max(extend(&mut writer, archive, *part, &held, open, memory, monitor)?);
    }
    let (dead, live) = writer.dead_and_live();
    // Whether the unused part of the file is larger than the used part.
    let is_sparse = dead > live + (1 << 16);
    if games == 0 && is_same && !is_sparse {
        let bytes = std::fs::metadata(kind.of_archive(archive.path())).map_or(0, |file| file.len());
        return Ok(Some(Updated { kind, games, bytes }));
    }
    if writer.segments().len() + 4 > MAX_SEGMENTS {
        drop(writer);
        let bytes = build_on(archive, kind, memory, monitor)?;
        return Ok(Some(Updated { kind, games, bytes }));
    }
    let mut bytes = writer.commit()?;
    if is_sparse {
        bytes = copy(archive, kind)?;
    }
    Ok(Some(Updated { kind, games, bytes }))
}

/// Writes a new side file that contains only the valid segments of the old file. Returns the length of the new file in
/// bytes.
fn copy(archive: &Archive, kind: FileKind) -> Result<u64> {
    let file = SideFile::open(archive, kind);
    let mut writer = SideWriter::create(archive, kind)?;
    for held in file.held() {
        let (segment, games) = (*held.pages.segment(), held.rows.games().collect::<Vec<_>>());
        writer.add(segment.part, &games, segment.made, |out| out.put(held.pages.bytes(0..held.pages.len())?))?;
    }
    writer.commit()
}

/// Adds a segment with these games to a part of a side file, merged with the games of the last segments that are small
/// in comparison. Returns the number of games in the new segment.
fn extend(
    writer: &mut SideWriter,
    archive: &Archive,
    part: Part,
    held: &[&Held],
    mut games: Vec<Range<u64>>,
    memory: u64,
    monitor: &Monitor,
) -> Result<u64> {
    if games.is_empty() {
        return Ok(0);
    }
    for last in held.iter().rev().filter(|held| held.is_of(part)) {
        let is_small = last.owned.len() < GROWTH * count(&games);
        if !is_small && games.len() + last.owned.runs().len() <= MOST_RUNS {
            break;
        }
        games = union(games.into_iter().chain(last.owned.games()));
        writer.segments().retain(|segment| segment != last.pages.segment());
    }
    // The replaced segments must not be valid for longer than the new segment. Otherwise, they would become valid again
    // if a backup of the archive is restored.
    for held in held.iter().filter(|held| held.is_of(part)) {
        let shares = count(&without(held.rows.games(), games.iter().cloned())) < held.rows.len();
        let same = |segment: &&mut Segment| shares && *segment == held.pages.segment();
        writer.segments().iter_mut().filter(same).for_each(|segment| segment.made = archive.made());
    }
    add(writer, archive, part, &games, memory, archive.made(), monitor)?;
    Ok(count(&games))
}

/// Rebuilds a side file for all games in an archive, with one segment for each part. Returns the length of the file in
/// bytes. Uses `memory` bytes to sort positions. The unit of progress is the same as in [`update`].
///
/// Errors: the errors of [`update`].
pub fn build<'a>(archive: &Archive, kind: FileKind, memory: u64, monitor: impl Into<Monitor<'a>>) -> Result<u64> {
    build_on(archive, kind, memory, &monitor.into())
}

fn build_on(archive: &Archive, kind: FileKind, memory: u64, monitor: &Monitor) -> Result<u64> {
    if kind == FileKind::Positions {
        // The data for both parts is read in a single pass over the games.
        return build_positions(archive, memory, monitor).map(|(bytes, _)| bytes);
    }
    let mut writer = SideWriter::create(archive, kind)?;
    if !archive.is_empty() {
        for part in parts_of(kind) {
            let all = 1..archive.len() + 1;
            add(&mut writer, archive, *part, std::slice::from_ref(&all), memory, archive.made(), monitor)?;
        }
    }
    writer.commit()
}

/// Writes the tag columns file like [`tag_columns::write_monitored`](crate::tag_columns::write_monitored), with columns of the measures in these fields. Filters, sort
/// orders and groups then read the measures from the file instead of from the games. All other fields need no column of
/// their own: the columns of tags contain them.
///
/// Commands that change the archive update the columns of changed and new games. The novelty of a game depends on all
/// other games, so any change of the archive outdates its column, and queries compute novelties until the file is
/// written again.
///
/// Errors: the errors of [`update`]; a field, such as `comment`, that can have no column; or the novelty without a position
/// index of all games.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } *\n\n1. d4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::{Archive, Monitor};
/// use scoresheet_query::{Filter, GameField, TagColumns, games};
///
/// let archive = Archive::open(&target)?;
/// games::write_measures(&archive, &GameField::parse_list("evalswing,ending")?, Monitor::new())?;
/// let swings: Filter = "evalswing >= 0.1".parse()?;
/// let passed = swings.games(&TagColumns::open(&archive));
/// assert_eq!((passed.games.len(), passed.walked), (1, 0));
/// assert_eq!(TagColumns::open(&archive).stored_measures(), ["evalswing", "ending"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_measures<'a>(
    archive: &Archive,
    fields: &[GameField],
    monitor: impl Into<Monitor<'a>>,
) -> Result<(u64, Vec<String>)> {
    let mut measures: Vec<Measure> = Vec::new();
    for field in fields {
        let of_field = field.measures().ok_or_else(|| {
            let what = format!("{} can have no column; only tags and measures can", field.name());
            Error::input("columns", what)
        })?;
        measures.extend(of_field.into_iter().filter(|measure| !measures.contains(measure)).collect::<Vec<_>>());
    }
    check_index(archive, &measures)?;
    write_with(archive, &measures, &monitor.into())
}

fn count(games: &[Range<u64>]) -> u64 {
    games.iter().map(|run| run.end - run.start).sum()
}

/// Returns the parts of which a side file of this kind consists.
fn parts_of(kind: FileKind) -> &'static [Part] {
    match kind {
        FileKind::Signatures => &[Part::Signatures],
        FileKind::Positions => &[Part::Places, Part::Facts],
        FileKind::TagColumns => &[Part::TagColumns],
        FileKind::Archive | FileKind::Index => &[],
    }
}

/// Adds a segment to a part of a side file.
fn add(
    writer: &mut SideWriter,
    archive: &Archive,
    part: Part,
    games: &[Range<u64>],
    memory: u64,
    made: Made,
    monitor: &Monitor,
) -> Result<()> {
    match part {
        Part::Signatures => add_signatures(writer, archive, games, made, monitor),
        Part::Places => {
            let known = known_of(archive, games, monitor)?;
            add_places(writer, archive, games, &known, memory, made, monitor).map(drop)
        }
        Part::Facts => add_facts(writer, games, &known_of(archive, games, monitor)?, made),
        Part::PlainTagColumns | Part::TagColumns => {
            add_tag_columns(writer, archive, games, made, &kept_measures(archive), monitor).map(drop)
        }
    }
}

//! Restores games and parts of games that a repair has lost, from the PGN of their sources.

use super::builder::Import;
use super::options::ImportOptions;
use crate::archive::copy::{self, Part};
use crate::archive::repair::{Loss, LostPart, Repair};
use crate::archive::temporary::TemporaryFolder;
use crate::archive::{Archive, Existing, GameRef, GameSet};
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::path::Path;

/// The result of [`restore`].
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let [source, target] = ["games.pgn", "games.bga"].map(|name| folder.path().join(name));
/// # std::fs::write(&source, "[White \"Tal\"]\n\n1. e4 e5 2. Nf3 *\n")?;
/// # scoresheet::Import::new(&target).run([&source])?;
/// use scoresheet::archive::ArchiveFile;
/// use scoresheet::import::restore;
/// use scoresheet::{Archive, Existing, Monitor};
///
/// let mut bytes = std::fs::read(&target)?;
/// let tags = bytes.windows(5).position(|window| window == b"BGAb\x02").expect("a tags block");
/// bytes[tags + 44] ^= 1;
/// let [repaired, whole] = ["repaired.bga", "whole.bga"].map(|name| folder.path().join(name));
/// let repair = Archive::repair(ArchiveFile::from_bytes(bytes), &repaired, Existing::Refuse, Monitor::new())?;
/// assert_eq!(repair.losses.len(), 1);
/// let archive = Archive::open(&repaired)?;
/// let restored = restore(&archive, &repair, &[&source], &whole, Existing::Refuse, Monitor::new())?;
/// assert_eq!((restored.restored, restored.losses.len()), (1, 0));
/// assert_eq!(Archive::open(&whole)?.game(1)?.tag("White")?.as_deref(), Some("Tal"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Restored {
    /// The number of games in the new archive.
    pub games: u64,
    /// The number of games that were lost or incomplete, and come from the sources. If a lost game had been changed after
    /// its import, the change is lost.
    pub restored: u64,
    /// The losses that remain, by the numbers of the damaged archive.
    pub losses: Vec<Loss>,
    /// The names of the sources that cannot be restored byte for byte.
    pub inexact: Vec<String>,
    /// The error if the index could not be written: the archive is complete without it, and the index can be rebuilt.
    pub unindexed: Option<Error>,
}

/// Writes a new archive from a repaired archive and the PGN files of its sources. The sources
/// replace a game that the repair has lost, or kept without a part. The other games of its source show its place, and
/// its known parts must be the same. Games that were changed after their import, and deleted games, stay so. The unit of
/// progress is a game.
///
/// Errors: a source cannot be imported, or the target must not be replaced or cannot be written.
pub fn restore<'a>(
    repaired: &Archive,
    repair: &Repair,
    sources: &[impl AsRef<Path>],
    target: &Path,
    existing: Existing,
    monitor: impl Into<Monitor<'a>>,
) -> Result<Restored> {
    let folder = TemporaryFolder::create().map_err(Error::io("cannot create a folder in", &std::env::temp_dir()))?;
    let path = folder.path().join("sources.bga");
    // A copy keeps the metadata that all of its parts share.
    let options = ImportOptions { metadata: repaired.metadata()?, ..ImportOptions::default() };
    Import::new(&path).options(options).stop_at_refused().run(sources)?;
    let source = Archive::open(&path)?;

    let runs = repair.kept.iter().flat_map(|kept| (kept.first..=kept.last).zip(kept.now..));
    // The games of the new archive by their old numbers: whether each comes from the sources, and its number there.
    let mut chosen: BTreeMap<u64, (bool, u64)> = runs.map(|(old, now)| (old, (false, now))).collect();
    let losses = |game: u64| repair.losses.iter().filter(move |loss| (loss.first..=loss.last).contains(&game));
    let mut restored = BTreeSet::new();
    for (games, shift) in shifts(repaired, &chosen, &source)? {
        let (mut is_whole, mut found) = (true, Vec::new());
        for number in games {
            let Some(old) = number.checked_add_signed(shift).filter(|old| *old > 0) else { continue };
            match chosen.get(&old) {
                Some((false, now)) => {
                    let (kept, other) = (repaired.game(*now)?, source.game(number)?);
                    let lost: Vec<LostPart> = losses(old).filter_map(|loss| loss.part).collect();
                    // A changed game keeps what is left of it.
                    let is_same = kept.start() == other.start()
                        && main_line(&kept) == main_line(&other)
                        && (lost.is_empty() || (!kept.is_changed() && has_the_rest(&other, &kept, &lost)?));
                    is_whole &= is_same && !kept.is_changed();
                    if is_same {
                        found.push((old, number, !lost.is_empty()));
                    }
                }
                None if losses(old).any(|loss| loss.part.is_none()) => found.push((old, number, true)),
                // The game is deleted.
                _ => is_whole = false,
            }
        }
        for (old, number, is_restored) in found {
            if is_restored || is_whole {
                chosen.insert(old, (true, number));
            }
            if is_restored {
                restored.insert(old);
            }
        }
    }
    let mut parts: Vec<(bool, GameSet)> = Vec::new();
    for (is_source, number) in chosen.into_values() {
        match parts.last_mut().filter(|(last, _)| *last == is_source) {
            Some((_, games)) => drop(games.insert(number)),
            None => {
                let archive = if is_source { &source } else { repaired };
                parts.push((is_source, GameSet::from_numbers(archive.len(), [number])));
            }
        }
    }
    let part = |(is_source, games)| Part { archive: if is_source { &source } else { repaired }, games };
    let parts: Vec<Part> = parts.into_iter().map(part).collect();
    let copied = copy::write(target, existing, &parts, monitor)?;
    let inexact = Archive::open(target)?.sources()?.into_iter().filter(|source| !source.exact);
    let inexact: BTreeSet<String> = inexact.map(|source| source.name).collect();
    Ok(Restored {
        games: copied.games,
        restored: restored.len() as u64,
        losses: repair.losses.iter().flat_map(|loss| without(loss, &restored)).collect(),
        inexact: inexact.into_iter().filter(|name| !repair.changed.contains(name)).collect(),
        unindexed: copied.unindexed,
    })
}

/// Returns the moves of the main line. A repair may remove the text markers from a stream.
fn main_line(game: &GameRef) -> Vec<u8> {
    let mut stream = Vec::new();
    game.push_main_line(&mut stream);
    stream
}

/// Returns whether a game has all that is left of a damaged copy of it: its tags, and its texts and variations, except the
/// lost parts.
fn has_the_rest(game: &GameRef, copy: &GameRef, lost: &[LostPart]) -> Result<bool> {
    let (tags, known) = (game.tags()?, copy.tags()?);
    let has_tags =
        if lost.contains(&LostPart::Tags) { known.iter().all(|tag| tags.contains(tag)) } else { tags == known };
    let texts = |game: &GameRef| -> Result<Vec<Vec<u8>>> {
        let mut texts = vec![game.brenner().to_vec()];
        game.visit_texts(|_, _, text| texts.push(text.to_vec()))?;
        Ok(texts)
    };
    Ok(has_tags && (lost.contains(&LostPart::Texts) || texts(game)? == texts(copy)?))
}

/// Returns the games of each source with the difference between their old numbers and their numbers here. Most games
/// with a line that occurs once show the difference.
fn shifts(
    repaired: &Archive,
    kept: &BTreeMap<u64, (bool, u64)>,
    source: &Archive,
) -> Result<Vec<(RangeInclusive<u64>, i64)>> {
    let mut lines: HashMap<Vec<u8>, Option<u64>> = HashMap::new();
    for game in source.games() {
        let game = game?;
        lines.entry(main_line(&game)).and_modify(|number| *number = None).or_insert(Some(game.number()));
    }
    let mut matches = Vec::new();
    for (old, (_, now)) in kept {
        if let Some(Some(number)) = lines.get(&main_line(&repaired.game(*now)?)) {
            matches.push((*number, *old as i64 - *number as i64));
        }
    }
    let mut shifts = Vec::new();
    for record in source.sources()? {
        let stored = record.seen.saturating_sub(record.rejected);
        if stored == 0 {
            continue;
        }
        let games = record.first_game..=record.first_game + stored - 1;
        let mut votes: HashMap<i64, usize> = HashMap::new();
        for (_, shift) in matches.iter().filter(|(number, _)| games.contains(number)) {
            *votes.entry(*shift).or_default() += 1;
        }
        let all: usize = votes.values().sum();
        match votes.into_iter().max_by_key(|(_, votes)| *votes) {
            Some((shift, votes)) if votes * 2 > all => shifts.push((games, shift)),
            Some(_) => {}
            // Without such games, the numbers are equal if all the kept games are.
            None => {
                let is_same = |number: u64| match kept.get(&number) {
                    Some((_, now)) => Ok(main_line(&repaired.game(*now)?) == main_line(&source.game(number)?)),
                    None => Ok::<bool, Error>(true),
                };
                if games.clone().map(is_same).collect::<Result<Vec<bool>>>()?.into_iter().all(|is_same| is_same) {
                    shifts.push((games, 0));
                }
            }
        }
    }
    Ok(shifts)
}

/// Returns the parts of a loss without the restored games.
fn without(loss: &Loss, restored: &BTreeSet<u64>) -> Vec<Loss> {
    let (mut rest, mut first) = (Vec::new(), loss.first);
    for game in restored.range(loss.first..=loss.last) {
        if first < *game {
            rest.push(Loss { first, last: game - 1, ..loss.clone() });
        }
        first = game + 1;
    }
    if first <= loss.last {
        rest.push(Loss { first, ..loss.clone() });
    }
    rest
}

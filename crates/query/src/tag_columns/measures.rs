//! Columns of measures, which a tag columns file contains where somebody has asked for them.

use super::segment::{RULES, directory_of};
use crate::measure::field::{self, Measure, MeasureKind, NOVELTY};
use crate::measure::values::{self, NONE};
use crate::position::novelty::{complete_index, missing_index};
use crate::segments::{Pages, SideFile, chunks_of};
use scoresheet::Monitor;
use scoresheet::archive::{Archive, FileKind, GameSet};
use scoresheet::error::{Error, Result};
use scoresheet::format::side::{Made, Part};
use scoresheet::format::tag_columns::{MeasureHead, MeasureRef, pack_numbers};
use scoresheet::parallel;
use std::ops::Range;
use std::sync::Arc;

/// The values of a measure that a tag columns file contains.
#[derive(Debug)]
pub(crate) struct FiledMeasure {
    /// The value of each game, by index from 0, with [`NONE`] for games without a value.
    pub values: Arc<[i64]>,
    /// The games whose values are in the file.
    pub known: GameSet,
}

impl FiledMeasure {
    /// Returns the values in the file, and these values for all other games.
    pub(crate) fn with(&self, mut others: Vec<i64>) -> Arc<[i64]> {
        for game in self.known.iter() {
            let index = game as usize - 1;
            if let (Some(slot), Some(value)) = (others.get_mut(index), self.values.get(index)) {
                *slot = *value;
            }
        }
        others.into()
    }
}

/// Returns the measures for which the tag columns file of an archive has columns, even if their values are outdated.
pub(crate) fn kept(archive: &Archive) -> Vec<Measure> {
    let mut kept = Vec::new();
    for pages in SideFile::all_segments(archive, FileKind::TagColumns) {
        for name in names_in(&pages) {
            let measure = field::find(&name).filter(|(_, is_either)| !is_either).map(|(measure, _)| measure);
            kept.extend(measure.filter(|measure| !kept.contains(measure)));
        }
    }
    kept
}

fn names_in(pages: &Pages) -> Vec<String> {
    let directory = (pages.segment().part == Part::TagColumns).then(|| directory_of(pages)).flatten();
    directory.into_iter().flat_map(|directory| directory.measures).map(|measure| measure.head.name).collect()
}

/// Returns the columns of these measures for some games. The novelty gets a column only if the games are all games of
/// the archive at its present commit, because the novelty of a game depends on all other games.
pub(super) fn columns(
    archive: &Archive,
    games: &[Range<u64>],
    made: &Made,
    measures: &[Measure],
    monitor: &Monitor,
) -> Result<Vec<MeasureRef>> {
    let all = 1..archive.len() + 1;
    let are_all = *made == archive.made() && matches!(games, [games] if *games == all);
    let is_novelty = |measure: &Measure| measure.kind == MeasureKind::Novelty;
    let has_novelty = measures.iter().any(is_novelty) && are_all && complete_index(archive).is_some();
    let measures: Vec<Measure> =
        measures.iter().filter(|measure| !is_novelty(measure) || has_novelty).copied().collect();
    if measures.is_empty() {
        return Ok(Vec::new());
    }
    let novelties = match has_novelty {
        true => {
            let (mut values, unread) = values::of_games(archive, &[NOVELTY], &archive.live());
            unread.into_iter().next().map_or(Ok(()), |unread| Err(unread.error))?;
            values.pop()
        }
        false => None,
    };
    let others: Vec<Measure> = measures.iter().filter(|measure| !is_novelty(measure)).copied().collect();
    let chunks = parallel::try_map_items(&chunks_of(archive, games), |(number, games)| {
        monitor.check()?;
        let chunk = archive.chunk(*number)?;
        let mut values = vec![Vec::with_capacity((games.end - games.start) as usize); others.len()];
        for game in games.clone() {
            let found = match others.is_empty() {
                true => Ok(Vec::new()),
                false => chunk.any_game(game).and_then(|game| values::of_game(&game, &others, None)),
            };
            let found = match found {
                Err(_) if archive.is_deleted(game) => vec![NONE; others.len()],
                found => found?,
            };
            values.iter_mut().zip(found).for_each(|(values, value)| values.push(value));
        }
        Ok::<_, Error>(values)
    })?;
    let mut columns: Vec<Vec<i64>> = vec![Vec::new(); others.len()];
    for chunk in chunks {
        columns.iter_mut().zip(chunk).for_each(|(column, mut values)| column.append(&mut values));
    }
    let mut columns = columns.into_iter();
    let column = |measure: &Measure| {
        let chain = is_novelty(measure).then_some(made.state.chain);
        let values = if is_novelty(measure) { novelties.clone() } else { columns.next() };
        packed(measure.name()?, chain, &values?)
    };
    Ok(measures.iter().filter_map(column).collect())
}

fn packed(name: String, chain: Option<scoresheet::format::Chain>, values: &[i64]) -> Option<MeasureRef> {
    let known = || values.iter().copied().filter(|value| *value != NONE);
    let lowest = known().min().unwrap_or(0);
    let number = |value: i64| if value == NONE { 0 } else { value.abs_diff(lowest).saturating_add(1) };
    let most = known().max().map_or(0, number);
    let width = (u64::BITS - most.leading_zeros()).div_ceil(8).max(1) as u8;
    let mut numbers = Vec::with_capacity(values.len() * usize::from(width));
    for value in values {
        numbers.extend(number(*value).to_le_bytes().iter().take(usize::from(width)));
    }
    let head = MeasureHead { name, rules: RULES, chain, lowest, width };
    Some(MeasureRef { head, packed: pack_numbers(&numbers, width) })
}

/// Returns an error if one of the measures is the novelty, and no position index covers all games.
pub(crate) fn check_index(archive: &Archive, measures: &[Measure]) -> Result<()> {
    let is_novelty = measures.iter().any(|measure| measure.kind == MeasureKind::Novelty);
    is_novelty.then(|| missing_index(archive)).flatten().map_or(Ok(()), Err)
}

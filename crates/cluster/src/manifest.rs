//! The list of archives that form a table: `games.json`. It contains all data that is needed to plan a query, so a
//! planner opens no archive.
//!
//! This module reads and writes the file, and creates it from archives; it does not handle plans.

use crate::store::Location;
use arrow::array::AsArray;
use arrow::datatypes::Date32Type;
use scoresheet_arrow::{Batches, Columns, Options, Rows};
use scoresheet_query::ArchiveSet;
use scoresheet_sql::{Games, Work, deal, version};
use serde::{Deserialize, Serialize};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// A list of archives. Games are numbered consecutively across the archives, in the order of the list.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this list format: 1.
    pub version: u32,
    /// The archives.
    pub shards: Vec<Shard>,
}

/// An archive of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// The path, relative to the manifest's folder or absolute, or an address (`s3://bucket/games.bga`).
    pub path: String,
    /// The number of games, including deleted games.
    pub games: u64,
    /// The number of deleted games.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub deleted: u64,
    /// The number of chunks.
    pub chunks: u64,
    /// The first and the last year of the column `date`; `None` if no game has a date.
    pub years: Option<(i32, i32)>,
    /// The version of the archive to which these numbers belong, as from [`version`], or 0 if unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub archive_version: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The version of the list format that this program writes and reads.
const VERSION: u32 = 1;

impl Manifest {
    /// Creates the manifest of open archives with their paths. Reads the dates of all games.
    ///
    /// Errors: the dates cannot be read.
    pub fn new(archives: impl IntoIterator<Item = (String, Arc<Games>)>) -> Result<Manifest, String> {
        let mut shards = Vec::new();
        for (path, games) in archives {
            let [source] = games.sources().members() else { return Err(format!("{path}: expected one archive")) };
            shards.push(Shard {
                archive_version: version(source.archive()),
                games: source.archive().len(),
                deleted: source.archive().deleted_count(),
                chunks: source.archive().chunk_count() as u64,
                years: years(games.sources()).map_err(|error| format!("{path}: {error}"))?,
                path,
            });
        }
        Ok(Manifest { version: VERSION, shards })
    }

    /// Reads a manifest.
    ///
    /// Errors: the text is not a manifest, or its version is later.
    pub fn parse(text: &str) -> Result<Manifest, String> {
        let manifest: Manifest = serde_json::from_str(text).map_err(|error| format!("not a manifest: {error}"))?;
        if manifest.version != VERSION {
            return Err(format!("manifest version {} is not supported by this program", manifest.version));
        }
        Ok(manifest)
    }

    /// Returns the manifest as text, with one line per archive.
    pub fn to_text(&self) -> String {
        let line = |shard: &Shard| serde_json::to_string(shard).unwrap_or_default();
        let lines: Vec<String> = self.shards.iter().map(|shard| format!("    {}", line(shard))).collect();
        format!("{{\n  \"version\": {},\n  \"shards\": [\n{}\n  ]\n}}\n", self.version, lines.join(",\n"))
    }

    /// Returns the number of games, without deleted games.
    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.games - shard.deleted.min(shard.games)).sum()
    }

    /// Returns whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Divides a range of games into roughly the requested number of pieces of work, without archives whose games are
    /// all from other years. A piece covers one archive, or several small archives. The bounds of a piece are close to
    /// the bounds of chunks, because a chunk in two pieces is read twice.
    pub fn cut(&self, games: &Range<u64>, years: &RangeInclusive<i32>, pieces: usize) -> Vec<Vec<Work>> {
        let all = *years == scoresheet_sql::ALL_YEARS;
        let (mut archives, mut before) = (Vec::new(), 0);
        for shard in &self.shards {
            let mut work = Vec::new();
            let numbers = before + 1..before + 1 + shard.games;
            let in_time = shard.years.is_some_and(|(first, last)| first <= *years.end() && last >= *years.start());
            let (first, past) = (numbers.start.max(games.start), numbers.end.min(games.end));
            if first < past && (all || in_time) {
                let archive: Arc<str> = shard.path.as_str().into();
                let step = shard.games.div_ceil(shard.chunks.max(1)).max(1);
                let mut start = first;
                while start < past {
                    // Pieces end at multiples of a chunk's mean length, so they are the same for any range.
                    let end = (numbers.start + ((start - numbers.start) / step + 1) * step).min(past);
                    let (of, version) = (shard.games, shard.archive_version);
                    work.push(Work { archive: Arc::clone(&archive), before, of, version, games: start..end });
                    start = end;
                }
            }
            archives.push(work);
            before = numbers.end - 1;
        }
        if pieces <= 1 {
            return deal(archives.concat(), pieces);
        }
        let games_of = |work: &[Work]| work.iter().map(Work::len).sum::<u64>();
        let each = archives.iter().map(|work| games_of(work)).sum::<u64>().div_ceil(pieces as u64).max(1);
        let (mut cut, mut small) = (Vec::new(), Vec::new());
        for work in archives {
            let games = games_of(&work);
            let pieces_here = (games + each / 2) / each;
            if pieces_here == 0 && games_of(&small) + games <= each {
                small.extend(work);
                continue;
            }
            cut.extend(deal(std::mem::take(&mut small), 1));
            if pieces_here == 0 {
                small = work;
            } else {
                cut.extend(deal(work, pieces_here as usize));
            }
        }
        cut.extend(deal(small, 1));
        cut
    }

    /// Returns the number of games in a range, without deleted games; `None` if the manifest does not determine it.
    pub fn count(&self, games: &Range<u64>) -> Option<u64> {
        let (mut count, mut before) = (0, 0);
        for shard in &self.shards {
            let (first, past) = ((before + 1).max(games.start), (before + 1 + shard.games).min(games.end));
            let selected = past.saturating_sub(first);
            count += match selected == shard.games {
                true => selected - shard.deleted.min(selected),
                // The manifest contains only the number of an archive's deleted games.
                false if selected > 0 && shard.deleted > 0 => return None,
                false => selected,
            };
            before += shard.games;
        }
        Some(count)
    }
}

/// Returns the first and the last year of the column `date`.
fn years(sources: &Arc<ArchiveSet>) -> Result<Option<(i32, i32)>, String> {
    let columns = Columns::list(["date"]).map_err(|error| error.to_string())?;
    let mut years: Option<(i32, i32)> = None;
    for batch in Batches::new(Arc::clone(sources), columns, Rows::all(), Options::default()) {
        let batch = batch.map_err(|error| error.to_string())?;
        let days = batch.column(0).as_primitive::<Date32Type>();
        if let (Some(first), Some(last)) = (arrow::compute::min(days), arrow::compute::max(days)) {
            let (least, most) = years.unwrap_or((i32::MAX, i32::MIN));
            years = Some((least.min(year(first)), most.max(year(last))));
        }
    }
    Ok(years)
}

/// Returns the year of a day, counted from 1970-01-01.
fn year(day: i32) -> i32 {
    let days = arrow::array::Date32Array::from(vec![day]);
    let text = days.value_as_date(0).map(|date| date.format("%Y").to_string());
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Returns the name of an archive in a manifest of this folder: its relative path if the archive is inside the folder,
/// otherwise its path unchanged.
pub fn name_beside(folder: &Location, archive: &Location) -> String {
    archive.beneath(folder).unwrap_or_else(|| archive.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let shard = |path: &str, games, chunks, years| Shard {
            path: path.into(),
            games,
            deleted: 0,
            chunks,
            years,
            archive_version: 0,
        };
        let shards = vec![
            shard("a", 1000, 10, Some((2012, 2013))),
            shard("b", 0, 0, None),
            shard("c", 35, 1, None),
            shard("d", 5000, 7, Some((2014, 2014))),
        ];
        Manifest { version: 1, shards }
    }

    #[test]
    fn pieces_are_the_whole() {
        let manifest = manifest();
        for pieces in [1, 2, 3, 7, 100, 10_000] {
            for range in [1..u64::MAX, 1..2, 500..1036, 1000..1001, 1036..6036, 6036..7000] {
                let cut = manifest.cut(&range, &scoresheet_sql::ALL_YEARS, pieces);
                assert!(cut.len() <= if pieces > 1 { pieces + 2 } else { 1 }, "{range:?} in {pieces}: {}", cut.len());
                assert!(cut.iter().all(|piece| !piece.is_empty()));
                let numbers: Vec<u64> = cut.iter().flatten().flat_map(|work| work.games.clone()).collect();
                let expected: Vec<u64> = (range.start.max(1)..range.end.min(6036)).collect();
                assert_eq!(numbers, expected, "{range:?} in {pieces}");
                for work in cut.iter().flatten() {
                    assert!(work.games.start > work.before && work.games.end <= work.before + work.of + 1);
                }
            }
        }
    }

    #[test]
    fn pieces_are_of_one_archive() {
        let shard = |month: u32| {
            let (path, games) = (format!("{month}"), 900 + u64::from(month * 7919 % 1000));
            Shard { path, games, deleted: 0, chunks: games / 9, years: None, archive_version: 0 }
        };
        let months = Manifest { version: 1, shards: (0..60).map(shard).collect() };
        let cut = |pieces| months.cut(&(1..u64::MAX), &scoresheet_sql::ALL_YEARS, pieces);
        for pieces in [120, 200, 1000] {
            let cut = cut(pieces);
            assert!((pieces * 9 / 10..=pieces * 11 / 10).contains(&cut.len()), "{pieces}: {}", cut.len());
            assert!(cut.iter().all(|piece| piece.len() == 1), "{pieces}");
            let games = |piece: &Vec<Work>| piece.iter().map(Work::len).sum::<u64>();
            let (most, mean) = (cut.iter().map(games).max().unwrap(), months.len() / pieces as u64);
            assert!(most <= 2 * mean, "{pieces}: {most}, mean {mean}");
        }
        // Small archives share a piece.
        assert!((5..=8).contains(&cut(6).len()), "{}", cut(6).len());
    }

    #[test]
    fn games_are_counted_where_that_is_known() {
        let mut manifest = manifest();
        assert_eq!(manifest.count(&(1..u64::MAX)), Some(6035));
        assert_eq!(manifest.count(&(1000..1002)), Some(2));
        manifest.shards[0].deleted = 3;
        assert_eq!(manifest.count(&(1..u64::MAX)), Some(6032));
        assert_eq!(manifest.count(&(2..u64::MAX)), None);
        assert_eq!(manifest.count(&(1001..u64::MAX)), Some(5035));
    }

    #[test]
    fn other_years_are_left_out() {
        let of = |years| {
            let cut = manifest().cut(&(1..u64::MAX), &years, 1);
            cut.into_iter().flatten().map(|work| work.archive.to_string()).collect::<Vec<String>>()
        };
        assert_eq!(of(2013..=2013), ["a"]);
        assert_eq!(of(2014..=i32::MAX), ["d"]);
        assert_eq!(of(2013..=2014), ["a", "d"]);
        assert!(of(i32::MIN..=2011).is_empty());
    }

    #[test]
    fn text_comes_back() {
        assert_eq!(Manifest::parse(&manifest().to_text()), Ok(manifest()));
        assert!(Manifest::parse("{\"version\": 2, \"shards\": []}").unwrap_err().contains("version 2"));
        assert!(Manifest::parse("[]").unwrap_err().contains("not a manifest"));
    }
}

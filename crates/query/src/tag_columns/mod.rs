//! The tag columns of an archive. For every game, they store the number of each tag's value in a table of distinct
//! strings, the number of plies, and a byte of facts.
//!
//! The columns are read from the tag columns file of the archive (FORMAT.md, "The tag columns file"), and unpacked.
//! Missing columns are computed from the tags at the first access and are then cached.

// This module reads untrusted bytes, so its code must not panic.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod build;
mod column;
mod line;
mod measures;
mod segment;
mod write;

pub use crate::unread::Unread;
pub use column::{Column, Strings};
pub(crate) use line::push_line;
pub(crate) use measures::check_index;
pub(crate) use measures::{FiledMeasure, kept as kept_measures};
pub use scoresheet::format::tag_columns::Key;
pub(crate) use write::add_tag_columns;
pub(crate) use write::write_with;
pub use write::{write, write_monitored};

use crate::measure::field::Measure;
use crate::measure::values::{self, NONE};
use crate::segments::{SideFile, union, without};
use crate::value;
use scoresheet::Monitor;
use scoresheet::archive::{Archive, FileKind, GameSet, SideState};
use scoresheet::chess::Variant;
use scoresheet::error::{Damage, Result};
use scoresheet::format::side::Part;
use scoresheet::sort;
use segment::Segment;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The tag columns of an open archive. Threads can share it.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Tal, M\"]\n[Date \"1960.03.15\"]\n\n1. e4 *\n\n[White \"Fischer, R\"]\n\n1. d4 d5 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::Archive;
/// use scoresheet_query::{TagColumns, tag_columns::Key};
///
/// let archive = Archive::open(&target)?;
/// let tags = TagColumns::open(&archive);
/// let columns = tags.columns(&[Key::Tag("White".to_owned()), Key::Plies])?;
/// assert_eq!((columns[0].text(1), columns[1].get(2)), (Some(&b"Tal, M"[..]), 2));
/// let names = columns[0].strings().expect("a column of texts");
/// assert_eq!(names.texts().collect::<Vec<_>>(), ["Fischer, R", "Tal, M"]);
/// assert_eq!(names.find(b"Tal, M"), Some(columns[0].get(1)));
/// assert_eq!((tags.years()?.get(1), tags.years()?.get(2)), (Some(1960), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TagColumns<'a> {
    archive: Holder<'a>,
    segments: Vec<Segment>,
    state: SideState,
    is_damaged: AtomicBool,
    ready: Mutex<HashMap<Key, Ready>>,
    /// The measures that were looked up in the file.
    measures: Mutex<HashMap<Measure, Option<Arc<FiledMeasure>>>>,
}

/// The way in which the columns refer to the archive.
#[derive(Debug)]
enum Holder<'a> {
    Borrowed(&'a Archive),
    Shared(Arc<Archive>),
}

/// A column and the games whose values cannot be read.
#[derive(Clone, Debug)]
struct Ready {
    column: Arc<Column>,
    unread: Arc<[Unread]>,
    /// Whether the column and its strings are those of the file.
    is_filed: bool,
}

impl<'a> TagColumns<'a> {
    /// Returns the tag columns of an archive. They are read from the side file if it belongs to the archive in its
    /// present state.
    pub fn open(archive: &'a Archive) -> TagColumns<'a> {
        TagColumns::held(Holder::Borrowed(archive)).with_file()
    }

    /// Returns the tag columns like `open`, for a program that keeps them as long as the archive. Columns that are
    /// computed from tags are also cached.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"[WhiteElo \"2750\"]\n\n1. e4 1-0\n\n1. d4 *\n"[..])?;
    /// use scoresheet::Archive;
    /// use scoresheet_query::{Filter, TagColumns};
    ///
    /// let columns: TagColumns<'static> = TagColumns::shared(Archive::open(&target)?.into());
    /// let strong: Filter = "whiteelo >= 2700".parse()?;
    /// assert_eq!(strong.games(&columns).games.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shared(archive: Arc<Archive>) -> TagColumns<'static> {
        TagColumns::held(Holder::Shared(archive)).with_file()
    }

    fn with_file(self) -> TagColumns<'a> {
        let mut columns = self;
        let mut file = SideFile::open(columns.archive(), FileKind::TagColumns);
        let segments = file.take(Part::TagColumns).into_iter().map(Segment::open).collect::<Option<Vec<_>>>();
        columns.state = file.state;
        match segments {
            Some(segments) => columns.segments = segments,
            None => columns.state = SideState::Damaged,
        }
        columns
    }

    /// Returns the names of the measures for which the file has columns that are valid for the archive at its present
    /// commit, such as `whiteaccuracy`.
    pub fn stored_measures(&self) -> Vec<String> {
        let mut names = Vec::new();
        for segment in &self.segments {
            names.extend(segment.measures(self.archive()).filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        names
    }

    /// Checks every page of the file. Returns whether all pages are intact, or `true` if there is no file.
    pub fn check(&self) -> bool {
        self.segments.iter().all(|segment| segment.held.pages.verify().is_ok())
    }

    /// Returns the games that the file does not cover, in ascending order. Returns all games if there is no file.
    pub fn uncovered(&self) -> Vec<Range<u64>> {
        let covered = union(self.segments.iter().flat_map(|segment| segment.held.owned.games()));
        without(std::iter::once(1..self.archive().len() + 1), covered)
    }

    /// Returns the games whose tags Variant name a variant that is stored as chess, with these rules, or `None` if the
    /// file does not say it.
    pub(crate) fn variants(&self) -> Option<Vec<(u64, Variant)>> {
        // A damaged file would be computed from the tags of all games.
        if self.state != SideState::File {
            return None;
        }
        let column = self.available(&Key::Tag("Variant".to_owned()))?;
        let of_text = |strings: &Strings, number| Variant::early_end_from_tag(strings.get(number)?);
        let by_number: Vec<Option<Variant>> = match column.strings() {
            Some(strings) => (0..=strings.len() as u32).map(|number| of_text(strings, number)).collect(),
            None => Vec::new(),
        };
        if by_number.iter().all(Option::is_none) {
            return Some(Vec::new());
        }
        let of_game = |number| Some((number, by_number.get(column.get(number) as usize).copied().flatten()?));
        Some((1..=self.archive().len()).filter_map(of_game).collect())
    }

    /// Returns the tag columns of an archive, computed from its tags even if there is a file.
    pub fn without_file(archive: &'a Archive) -> TagColumns<'a> {
        TagColumns::held(Holder::Borrowed(archive))
    }

    fn held(archive: Holder<'a>) -> TagColumns<'a> {
        TagColumns {
            archive,
            segments: Vec::new(),
            state: SideState::Missing,
            is_damaged: AtomicBool::new(false),
            ready: Mutex::default(),
            measures: Mutex::default(),
        }
    }

    /// Returns the archive.
    pub fn archive(&self) -> &Archive {
        match &self.archive {
            Holder::Borrowed(archive) => archive,
            Holder::Shared(archive) => archive,
        }
    }

    /// Returns a column that is in the file or was computed earlier, or `None` if tags or moves must be read. For a tag
    /// that no game contains, the result is a column without values.
    pub fn available(&self, key: &Key) -> Option<Arc<Column>> {
        let is_ready = self.lock().contains_key(key);
        let is_filed = || self.segments.iter().all(|segment| segment.includes(key)) && self.uncovered().is_empty();
        if !is_ready && !is_filed() {
            return None;
        }
        let (columns, unread) = self.readable(std::slice::from_ref(key));
        columns.into_iter().next().filter(|_| unread.is_empty())
    }

    /// Returns the origin of the columns. The result is `Damaged` if part of the file was damaged and was rebuilt from
    /// the archive.
    pub fn state(&self) -> SideState {
        if self.is_damaged.load(Ordering::Relaxed) { SideState::Damaged } else { self.state }
    }

    /// Returns the requested columns in the order of the keys. Columns that are missing from the file are computed
    /// together, in parallel. The tags of all chunks are read once, and the moves are also read once for `Plies` and
    /// `Facts`.
    ///
    /// Errors: tags or games are damaged.
    pub fn columns(&self, keys: &[Key]) -> Result<Vec<Arc<Column>>> {
        let (columns, unread) = self.readable(keys);
        match unread.into_iter().next() {
            None => Ok(columns),
            Some(unread) => Err(unread.error),
        }
    }

    /// Returns the requested columns like `columns`, for use with a set of games.
    ///
    /// Errors: tags or games in the set are damaged. Damage of other games causes no error.
    pub(crate) fn columns_of(&self, keys: &[Key], games: &GameSet) -> Result<Vec<Arc<Column>>> {
        let (columns, unread) = self.readable(keys);
        // Damage of unknown games may affect the games in the set.
        let concerns =
            |unread: &Unread| unread.games.is_empty() || unread.games.clone().any(|game| games.contains(game));
        match unread.into_iter().find(concerns) {
            None => Ok(columns),
            Some(unread) => Err(unread.error),
        }
    }

    /// Returns the requested columns like `columns`, and the games for which one of the columns cannot be read. These
    /// games have the number 0 in that column, as if they had no value.
    pub fn readable(&self, keys: &[Key]) -> (Vec<Arc<Column>>, Vec<Unread>) {
        let mut missing = Vec::new();
        {
            let mut ready = self.lock();
            for key in keys {
                if ready.contains_key(key) {
                    continue;
                }
                if let Some(column) = self.filed(key, &ready) {
                    ready.insert(
                        key.clone(),
                        Ready { column: Arc::new(column), unread: Arc::default(), is_filed: true },
                    );
                } else {
                    missing.push(key.clone());
                }
            }
        }
        missing.sort_unstable();
        missing.dedup();
        // The columns are computed outside the lock. While this thread waits for the pool, it may execute other work
        // that needs columns.
        let made = if missing.is_empty() { Vec::new() } else { self.put_together(&missing) };
        let mut ready = self.lock();
        for (key, (column, unread)) in missing.into_iter().zip(made) {
            ready.insert(key, Ready { column: Arc::new(column), unread: unread.into(), is_filed: false });
        }
        let columns = keys.iter().filter_map(|key| ready.get(key)).map(|ready| Arc::clone(&ready.column)).collect();
        drop(ready);
        (columns, self.unread(keys))
    }

    /// Returns the games for which one of these columns cannot be read. The columns must have been requested before.
    pub(crate) fn unread(&self, keys: &[Key]) -> Vec<Unread> {
        let ready = self.lock();
        let lost = keys.iter().filter_map(|key| ready.get(key)).flat_map(|ready| ready.unread.iter());
        let mut unread: Vec<Unread> = lost.cloned().collect();
        // A single damaged part affects many columns.
        sort::by_key(&mut unread, |unread| (unread.games.start, unread.games.end));
        unread.dedup_by(|a, b| a.games == b.games);
        unread
    }

    /// Returns the values of a measure in the file, or `None` if the file has no column of it.
    pub(crate) fn measure(&self, measure: Measure) -> Option<Arc<FiledMeasure>> {
        let name = measure.name()?;
        if let Some(known) = self.lock_measures().get(&measure) {
            return known.clone();
        }
        let games = self.archive().len();
        let mut found: Option<(Vec<i64>, GameSet)> = None;
        for segment in &self.segments {
            let Some(entry) = segment.measure(&name, self.archive()) else { continue };
            // After damage, the values are computed from the archive.
            let Some(numbers) = self.intact(segment.measured(entry)) else { continue };
            let (all, known) = found.get_or_insert_with(|| (vec![NONE; games as usize], GameSet::new(games)));
            for run in segment.held.owned.games() {
                let Some(row) = segment.held.rows.row_of(run.start) else { continue };
                let (slots, rows) = (run.start as usize - 1..run.end as usize - 1, row as usize..);
                let slots = all.get_mut(slots).unwrap_or_default();
                slots.iter_mut().zip(numbers.get(rows).unwrap_or_default()).for_each(|(slot, value)| *slot = *value);
                for game in run {
                    known.insert(game);
                }
            }
        }
        let found = found.map(|(values, known)| Arc::new(FiledMeasure { values: values.into(), known }));
        self.lock_measures().insert(measure, found.clone());
        found
    }

    /// Returns, for each measure, the values for all games by index from 0, and the games that cannot be read. Takes
    /// values from the file, and computes all other values for the games in `among`.
    pub(crate) fn measures(&self, measures: &[Measure], among: &GameSet) -> (Vec<Arc<[i64]>>, Vec<Unread>) {
        let filed: Vec<Option<Arc<FiledMeasure>>> = measures.iter().map(|measure| self.measure(*measure)).collect();
        let lacking = self.lacking(measures, among);
        if lacking.is_empty() && filed.iter().all(Option::is_some) {
            return (filed.into_iter().flatten().map(|filed| Arc::clone(&filed.values)).collect(), Vec::new());
        }
        let (computed, unread) = values::of_games(self.archive(), measures, &lacking);
        let merged = filed.into_iter().zip(computed).map(|(filed, values)| match filed {
            Some(filed) => filed.with(values),
            None => values.into(),
        });
        (merged.collect(), unread)
    }

    /// Returns the games of a set for which the file lacks a value of one of these measures.
    pub(crate) fn lacking(&self, measures: &[Measure], among: &GameSet) -> GameSet {
        let mut known = among.clone();
        for measure in measures {
            match self.measure(*measure) {
                Some(filed) => known.intersect(&filed.known),
                None => return among.clone(),
            }
        }
        let mut lacking = among.clone();
        lacking.subtract(&known);
        lacking
    }

    fn lock_measures(&self) -> MutexGuard<'_, HashMap<Measure, Option<Arc<FiledMeasure>>>> {
        self.measures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Ready>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the year of each game from its tag Date, or from UTCDate if Date states no year.
    pub fn years(&self) -> Result<Years> {
        Ok(Years(OfDates::new(self.columns(&date_keys())?, value::year)))
    }

    /// Returns the day of each game from the same tags as its year. Games whose tags cannot be read have no day.
    pub fn days(&self) -> Days {
        Days(OfDates::new(self.readable(&date_keys()).0, value::day))
    }

    /// Returns the years of the games in a set, like `years`. The years of other games may be missing.
    ///
    /// Errors: the tags of games in the set are damaged.
    pub(crate) fn years_of(&self, games: &GameSet) -> Result<Years> {
        Ok(Years(OfDates::new(self.columns_of(&date_keys(), games)?, value::year)))
    }

    /// Returns a column of the side file if its only segment contains all games and stores the column with valid
    /// checksums. For a tag that no game contains, returns a column without values.
    fn filed(&self, key: &Key, ready: &HashMap<Key, Ready>) -> Option<Column> {
        let [segment] = self.segments.as_slice() else { return None };
        if segment.held.owned.len() != self.archive().len() {
            return None;
        }
        let directory = &segment.directory;
        let Some(column) = directory.columns.iter().find(|column| column.key == *key) else {
            // The file names all tags, so no game contains a tag that it does not name.
            return segment.lacks(key).then(Column::without_values);
        };
        let strings = match column.table {
            None => None,
            Some(number) => {
                // Players share a table.
                let same = |(other, ready): &(&Key, &Ready)| {
                    ready.is_filed
                        && directory.columns.iter().any(|column| column.key == **other && column.table == Some(number))
                };
                let shared = ready.iter().find(same).and_then(|(_, ready)| ready.column.strings());
                match shared {
                    Some(strings) => Some(Arc::clone(strings)),
                    None => Some(self.intact(segment.table(number))?),
                }
            }
        };
        self.intact(segment.column(column, strings))
    }

    /// Returns the value of `read`. If it is damaged, records the damage and returns `None`.
    fn intact<T>(&self, read: Result<T, Damage>) -> Option<T> {
        self.is_damaged.fetch_or(read.is_err(), Ordering::Relaxed);
        read.ok()
    }

    /// Returns these columns, joined from the segments of the file. The values of games that the segments do not cover
    /// are computed from the tags.
    fn put_together(&self, keys: &[Key]) -> Vec<(Column, Vec<Unread>)> {
        let mut parts: Vec<Vec<build::Part>> = keys.iter().map(|_| Vec::new()).collect();
        let mut open: Vec<Vec<Range<u64>>> = keys.iter().map(|_| self.uncovered()).collect();
        let mut tables: HashMap<(usize, usize), Arc<Strings>> = HashMap::new();
        for (index, segment) in self.segments.iter().enumerate() {
            for ((key, parts), open) in keys.iter().zip(&mut parts).zip(&mut open) {
                let table = |number: usize| match tables.entry((index, number)) {
                    Entry::Occupied(known) => Ok(Arc::clone(known.get())),
                    Entry::Vacant(new) => Ok(Arc::clone(new.insert(segment.table(number)?))),
                };
                match self.intact(segment.parts(key, table)).flatten() {
                    Some(known) => parts.extend(known),
                    None => open.extend(segment.held.owned.games()),
                }
            }
        }
        // Columns that lack the same games are computed together.
        let open: Vec<Vec<Range<u64>>> = open.into_iter().map(union).collect();
        let mut lacking: HashMap<&[Range<u64>], Vec<usize>> = HashMap::new();
        for (index, open) in open.iter().enumerate().filter(|(_, open)| !open.is_empty()) {
            lacking.entry(open).or_default().push(index);
        }
        for (games, indices) in lacking {
            let lacking_keys: Vec<Key> = indices.iter().filter_map(|index| keys.get(*index)).cloned().collect();
            for (index, made) in
                indices.into_iter().zip(build::parts(self.archive(), games, &lacking_keys, &Monitor::new()))
            {
                if let Some(parts) = parts.get_mut(index) {
                    parts.extend(made);
                }
            }
        }
        parts.iter_mut().for_each(|parts| sort::by_key(parts, |part| part.games.start));
        build::columns(keys, parts)
    }
}

/// Returns the keys of the columns from which the dates of games are read.
fn date_keys() -> [Key; 2] {
    ["Date", "UTCDate"].map(|name| Key::Tag(name.to_owned()))
}

/// A number from the date of each game, or 0. The numbers of all dates in a column are read once.
#[derive(Debug)]
struct OfDates<T>(Vec<(Vec<T>, Arc<Column>)>);

impl<T: Copy + Default + PartialEq> OfDates<T> {
    fn new(columns: Vec<Arc<Column>>, read: fn(&[u8]) -> Option<T>) -> OfDates<T> {
        OfDates(columns.into_iter().map(|column| (column::of_strings(&column, read), column)).collect())
    }

    /// Returns the number of a game from the first column that states one.
    fn get(&self, game: u64) -> Option<T> {
        let number = |(numbers, column): &(Vec<T>, Arc<Column>)| numbers.get(column.get(game) as usize).copied();
        self.0.iter().filter_map(number).find(|number| *number != T::default())
    }
}

/// The year in which each game was played.
///
/// [`TagColumns`] has an example.
#[derive(Debug)]
pub struct Years(OfDates<u16>);

impl Years {
    /// Returns the year of a game, where games are counted from 1, or `None` if the year is unknown.
    pub fn get(&self, game: u64) -> Option<u16> {
        self.0.get(game)
    }
}

/// The day on which each game was played.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[Date \"1960.03.15\"]\n\n1. e4 *\n\n[Date \"1960.03.??\"]\n\n1. d4 *\n\n1. c4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// let archive = scoresheet::Archive::open(&target)?;
/// let days = scoresheet_query::TagColumns::open(&archive).days();
/// assert!(days.get(1) > days.get(2) && days.get(2).is_some() && days.get(3).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Days(OfDates<u32>);

impl Days {
    /// Returns the day of a game as a number that grows with time, or `None` if the year is unknown. Games are counted
    /// from 1. A partial date is the first possible day, as in the sort key `date`.
    pub fn get(&self, game: u64) -> Option<u32> {
        self.0.get(game)
    }
}

//! A segment of the tag columns file.

use super::build;
use super::column::{Column, Strings};
use crate::measure::values::NONE;
use crate::segments::{Held, Pages};
use scoresheet::archive::Archive;
use scoresheet::error::Damage;
use scoresheet::format::side::Part;
use scoresheet::format::tag_columns::{
    ColumnEntry, Directory, Key, MeasureEntry, MeasureHead, unpack_numbers, unpack_strings,
};
use std::ops::Range;
use std::sync::Arc;

/// The version of the rules by which measures are computed. A change that gives any game another value increases it, so
/// columns with values by the earlier rules are ignored.
pub(super) const RULES: u64 = 4;

/// A segment of the tag columns file, which covers some games.
#[derive(Debug)]
pub(super) struct Segment {
    pub held: Held,
    pub directory: Directory,
}

impl Segment {
    pub fn open(held: Held) -> Option<Segment> {
        let directory = directory_of(&held.pages)?;
        Some(Segment { held, directory })
    }

    /// Returns whether the values of this column are known for all games of the segment.
    pub fn includes(&self, key: &Key) -> bool {
        self.directory.columns.iter().any(|column| column.key == *key) || self.lacks(key)
    }

    /// Returns whether no game of the segment contains this tag.
    pub fn lacks(&self, key: &Key) -> bool {
        let is_column = self.directory.columns.iter().any(|column| column.key == *key);
        !is_column && matches!(key, Key::Tag(name) if !self.directory.others.contains(name))
    }

    pub fn table(&self, number: usize) -> Result<Arc<Strings>, Damage> {
        let table = self.directory.tables.get(number).ok_or(self.held.pages.damage())?;
        let bytes = self.held.pages.bytes(table.range.clone())?;
        if self.directory.is_packed {
            let unpacked = unpack_strings(bytes, table.count, table.text);
            let (ends, text) = unpacked.ok_or(self.held.pages.damage())?;
            return Ok(Arc::new(Strings::new(ends, text)));
        }
        let (map, range) = self.held.pages.mapped(&table.range);
        Ok(Arc::new(Strings::mapped(&map, range, table.count)))
    }

    pub fn column(&self, column: &ColumnEntry, strings: Option<Arc<Strings>>) -> Result<Column, Damage> {
        let bytes = self.held.pages.bytes(column.range.clone())?;
        if self.directory.is_packed {
            let rows = usize::try_from(self.held.rows.len()).map_err(|_| self.held.pages.damage())?;
            let numbers = unpack_numbers(bytes, rows, column.width).ok_or(self.held.pages.damage())?;
            return Ok(Column::from_bytes(numbers, column.width, strings));
        }
        let (map, range) = self.held.pages.mapped(&column.range);
        Ok(Column::mapped(&map, range, column.width, strings))
    }

    /// Returns the values of a column for the games in the segment. Returns `None` if the games may contain the tag but
    /// the segment stores no column for it.
    pub fn parts(
        &self,
        key: &Key,
        table: impl FnOnce(usize) -> Result<Arc<Strings>, Damage>,
    ) -> Result<Option<Vec<build::Part>>, Damage> {
        let column = self.directory.columns.iter().find(|column| column.key == *key);
        if column.is_none() && !self.lacks(key) {
            return Ok(None);
        }
        let strings = match column.and_then(|column| column.table) {
            Some(number) => Some(table(number)?),
            None => None,
        };
        let filed = match column {
            Some(column) => Some(self.column(column, strings.clone())?),
            None => None,
        };
        let part = |games: Range<u64>| {
            let mut numbers = vec![0; (games.end - games.start) as usize];
            if let (Some(filed), Some(row)) = (&filed, self.held.rows.row_of(games.start)) {
                filed.copy(row as usize..row as usize + numbers.len(), &mut numbers);
            }
            let strings = match &strings {
                Some(strings) => build::Values::Sorted(Arc::clone(strings)),
                None => build::Values::Met(Vec::new()),
            };
            build::Part { games, numbers, strings, unread: Vec::new() }
        };
        Ok(Some(self.held.owned.games().map(part).collect()))
    }

    /// Returns the columns of measures whose values are right for the archive as it is.
    fn valid_measures<'a>(&'a self, archive: &'a Archive) -> impl Iterator<Item = &'a MeasureEntry> {
        let holds = |head: &MeasureHead| head.chain.is_none_or(|chain| chain == archive.state().chain);
        self.directory.measures.iter().filter(move |entry| entry.head.rules == RULES && holds(&entry.head))
    }

    /// Returns the names of these columns.
    pub fn measures<'a>(&'a self, archive: &'a Archive) -> impl Iterator<Item = String> {
        self.valid_measures(archive).map(|entry| entry.head.name.clone())
    }

    /// Returns the column of a measure, if its values are right for the archive as it is.
    pub fn measure<'a>(&'a self, name: &str, archive: &'a Archive) -> Option<&'a MeasureEntry> {
        self.valid_measures(archive).find(|entry| entry.head.name == name)
    }

    /// Returns the value of each row in a column of a measure.
    pub fn measured(&self, entry: &MeasureEntry) -> Result<Vec<i64>, Damage> {
        let damage = || self.held.pages.damage();
        let packed = self.held.pages.bytes(entry.range.clone())?;
        let rows = usize::try_from(self.held.rows.len()).map_err(|_| damage())?;
        let numbers = unpack_numbers(packed, rows, entry.head.width).ok_or_else(damage)?;
        let value = |bytes: &[u8]| {
            let number = bytes.iter().rev().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
            number.checked_sub(1).map_or(NONE, |above| entry.head.lowest.wrapping_add_unsigned(above))
        };
        Ok(numbers.chunks_exact(usize::from(entry.head.width)).map(value).collect())
    }
}

/// Reads the directory of a segment of tag columns.
pub(super) fn directory_of(pages: &Pages) -> Option<Directory> {
    let size = pages.bytes(0..Directory::SIZE).ok()?;
    let size = u64::from_le_bytes(*size.first_chunk()?);
    let directory = pages.bytes(Directory::SIZE..Directory::SIZE.checked_add(size)?).ok()?;
    let segment = pages.segment();
    Directory::decode(directory, segment.games, pages.len(), segment.part == Part::TagColumns)
}

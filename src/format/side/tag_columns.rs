//! Stores the tags that queries use, as columns of numbers that are mapped into memory (FORMAT.md, "The tag columns
//! file").
//!
//! After the runs of games, a segment contains `size of the directory | directory | tables | columns`.

use crate::format::wire::{Bytes, push_string, push_varint};
use std::ops::Range;

/// The maximum number of columns in a segment.
pub const MAX_COLUMNS: usize = 256;

/// The bit for a game that does not start from the standard starting position.
pub const SET_UP: u8 = 0x01;
/// The bit for a game with a fault in its source.
pub const FAULT: u8 = 0x02;
/// The bit for a game whose movetext ends without a termination marker.
pub const NO_MARKER: u8 = 0x04;
/// The shift of the outcome's two bits in the byte of facts. The values are 0 for `*`, 1 for `0-1`, 2 for `1-0`, and 3
/// for a draw.
pub const OUTCOME_SHIFT: u8 = 3;
/// The game has comments.
pub const COMMENTS: u8 = 0x20;
/// The game has variations.
pub const VARIATIONS: u8 = 0x40;
/// The bit for a game with glyphs: NAGs or move suffixes.
pub const GLYPHS: u8 = 0x80;

/// The data that a column contains.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Key {
    /// The value of the game's first tag with this name, as an index in a table, from 1, or 0 if the game has no such
    /// tag.
    Tag(String),
    /// The number of plies in the main line.
    Plies,
    /// A byte of facts: the bits `SET_UP`, `FAULT` and so on.
    Facts,
    /// The CRC-32 of the starting position and the main line. Games with different values have different moves or
    /// starting positions.
    Line,
}

/// A column that will be written.
#[derive(Clone, Copy, Debug)]
pub struct ColumnRef<'a> {
    /// The contents of the column.
    pub key: &'a Key,
    /// The number of the column's table, from 0, or `None` for a column of plain numbers.
    pub table: Option<usize>,
    /// The width of a value in bytes, 1 to 4.
    pub width: u8,
    /// The values of all games, in little-endian order.
    pub numbers: &'a [u8],
}

/// A table of strings that will be written, with the end offsets of the strings and their text.
#[derive(Clone, Copy, Debug)]
pub struct TableRef<'a> {
    /// The end offset of each string in `text`, in four bytes each, little-endian.
    pub ends: &'a [u8],
    /// The strings, sorted and without duplicates.
    pub text: &'a [u8],
}

/// A table in a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableEntry {
    /// The number of strings in the table.
    pub count: usize,
    /// The range of the table's bytes: the end offsets of the strings, then the text.
    pub range: Range<u64>,
}

/// A column in a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnEntry {
    /// The contents of the column.
    pub key: Key,
    /// The number of the column's table, or `None` for a column of plain numbers.
    pub table: Option<usize>,
    /// The width of a value in bytes.
    pub width: u8,
    /// The range of the column's bytes.
    pub range: Range<u64>,
}

/// The directory of a segment, which lists its contents. Offsets are relative to the end of the segment's runs of
/// games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directory {
    /// The tables.
    pub tables: Vec<TableEntry>,
    /// The columns.
    pub columns: Vec<ColumnEntry>,
    /// The names of those tags in the games that have no column.
    pub others: Vec<String>,
}

/// Returns the directory with its size. The tables and the columns follow the directory in this order without gaps.
/// `others` contains the names of those tags in the games that have no column.
pub fn directory(tables: &[TableRef], columns: &[ColumnRef], others: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    push_varint(tables.len() as u64, &mut out);
    for table in tables {
        push_varint((table.ends.len() / 4) as u64, &mut out);
        push_varint(table.text.len() as u64, &mut out);
    }
    push_varint(columns.len() as u64, &mut out);
    for column in columns {
        match column.key {
            Key::Plies => out.push(0),
            Key::Facts => out.push(1),
            Key::Line => out.push(3),
            Key::Tag(name) => {
                out.push(2);
                push_string(name.as_bytes(), &mut out);
                push_varint(column.table.unwrap_or_default() as u64, &mut out);
            }
        }
        out.push(column.width);
    }
    push_varint(others.len() as u64, &mut out);
    others.iter().for_each(|name| push_string(name.as_bytes(), &mut out));
    [&(out.len() as u64).to_le_bytes()[..], &out].concat()
}

impl Directory {
    /// The size in bytes of the field that precedes a directory.
    pub const SIZE: u64 = 8;

    /// Decodes a directory (without its size field) in a segment that has `games` games, and `length` bytes after the
    /// runs of games. Returns `None` if the directory does not match these numbers.
    pub fn decode(directory: &[u8], games: u64, length: u64) -> Option<Directory> {
        let mut bytes = Bytes(directory);
        let mut next = Directory::SIZE + directory.len() as u64;
        let mut part = |size: u64| {
            let start = next;
            next = start.checked_add(size).filter(|end| *end <= length)?;
            Some(start..next)
        };
        let mut tables = Vec::new();
        for _ in 0..bytes.count().filter(|count| *count <= MAX_COLUMNS)? {
            let (count, text) = (bytes.count()?, bytes.count()?);
            tables.push(TableEntry { count, range: part((count as u64).checked_mul(4)?.checked_add(text as u64)?)? });
        }
        let mut columns = Vec::new();
        for _ in 0..bytes.count().filter(|count| *count <= MAX_COLUMNS)? {
            let (key, table) = match bytes.u8()? {
                0 => (Key::Plies, None),
                1 => (Key::Facts, None),
                3 => (Key::Line, None),
                2 => {
                    let name = std::str::from_utf8(bytes.string()?).ok()?.to_owned();
                    (Key::Tag(name), Some(bytes.count().filter(|table| *table < tables.len())?))
                }
                _ => return None,
            };
            let width = bytes.u8().filter(|width| (1..=4).contains(width))?;
            columns.push(ColumnEntry { key, table, width, range: part(games.checked_mul(u64::from(width))?)? });
        }
        let mut others = Vec::new();
        for _ in 0..bytes.count()? {
            others.push(std::str::from_utf8(bytes.string()?).ok()?.to_owned());
        }
        (bytes.0.is_empty() && next == length).then_some(Directory { tables, columns, others })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a directory, and the length of the segment after its runs.
    fn sample() -> (Vec<u8>, u64) {
        let table = TableRef { ends: &[1, 0, 0, 0, 3, 0, 0, 0], text: b"abc" };
        let key = Key::Tag("White".to_owned());
        let columns = [
            ColumnRef { key: &key, table: Some(0), width: 1, numbers: &[1, 0, 2] },
            ColumnRef { key: &Key::Plies, table: None, width: 2, numbers: &[1, 1, 0, 0, 9, 0] },
        ];
        let directory = directory(&[table], &columns, &["Annotator", "Round"]);
        let length = directory.len() as u64 + 11 + 3 + 6;
        (directory, length)
    }

    #[test]
    fn directories_come_back() {
        let (bytes, length) = sample();
        let read = Directory::decode(&bytes[8..], 3, length).unwrap();
        assert_eq!(read.others, ["Annotator", "Round"]);
        let start = bytes.len() as u64;
        assert_eq!((read.tables[0].count, read.tables[0].range.clone()), (2, start..start + 11));
        let columns: Vec<_> = read.columns.iter().map(|column| (column.width, column.range.clone())).collect();
        assert_eq!(columns, [(1, start + 11..start + 14), (2, start + 14..start + 20)]);
        assert_eq!(Directory::decode(&bytes[8..], 2, length), None);
        assert_eq!(Directory::decode(&bytes[8..], 3, length + 1), None);
        (8..bytes.len()).for_each(|cut| assert_eq!(Directory::decode(&bytes[8..cut], 3, length), None, "cut at {cut}"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(directory in prop::collection::vec(any::<u8>(), 0..60), games in 0..4u64, length in 0..300u64) {
            let _ = Directory::decode(&directory, games, length);
        }
    }
}

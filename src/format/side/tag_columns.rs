//! Stores the tags that queries use, and the measures that were asked for, as columns of numbers (FORMAT.md, "The tag
//! columns file").
//!
//! After the runs of games, a segment contains `size of the directory | directory | tables | columns | measures`. The
//! columns are compressed: planes of a group of games, and strings without the beginning that they share with the
//! previous string. Segments of earlier writers contain uncompressed tables and columns, which are mapped into memory.

use crate::format::budget::{alike, with_room};
use crate::format::state::Chain;
use crate::format::wire::{Bytes, push_stored, push_string, push_varint, read_stored};
use crate::parallel;
use std::ops::Range;

/// The maximum number of columns in a segment.
pub const MAX_COLUMNS: usize = 256;
/// The number of games or strings that are packed together.
pub const ROWS: usize = 1 << 16;
/// The zstd level for packed columns and strings.
const LEVEL: i32 = 3;

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
#[derive(Clone, Debug)]
pub struct ColumnRef<'a> {
    /// The contents of the column.
    pub key: &'a Key,
    /// The number of the column's table, from 0, or `None` for a column of plain numbers.
    pub table: Option<usize>,
    /// The width of a value in bytes, 1 to 4.
    pub width: u8,
    /// The packed values of all games ([`pack_numbers`]).
    pub packed: Vec<u8>,
}

/// A table of strings that will be written.
#[derive(Clone, Debug)]
pub struct TableRef {
    /// The number of strings.
    pub count: usize,
    /// The length of all strings in bytes.
    pub text: usize,
    /// The packed strings ([`pack_strings`]).
    pub packed: Vec<u8>,
}

/// A column of a measure that will be written.
#[derive(Clone, Debug)]
pub struct MeasureRef {
    /// What the column measures.
    pub head: MeasureHead,
    /// The packed numbers of all games ([`pack_numbers`]).
    pub packed: Vec<u8>,
}

/// What a column of a measure contains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeasureHead {
    /// The name of the measure in filters.
    pub name: String,
    /// The version of the rules by which the values were computed. Readers that have other rules ignore the column.
    pub rules: u64,
    /// The content chain of the archive to which the values belong, if the value of a game depends on other games.
    pub chain: Option<Chain>,
    /// The value with number 1. Number 0 stands for a missing value.
    pub lowest: i64,
    /// The width of a number in bytes, 1 to 8.
    pub width: u8,
}

/// A table in a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableEntry {
    /// The number of strings in the table.
    pub count: usize,
    /// The length of all strings in bytes.
    pub text: usize,
    /// The range of the table's bytes: packed strings, or their end offsets and then the text.
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

/// A column of a measure in a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeasureEntry {
    /// What the column measures.
    pub head: MeasureHead,
    /// The range of the column's bytes.
    pub range: Range<u64>,
}

/// The directory of a segment, which lists its contents. Offsets are relative to the end of the segment's runs of
/// games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directory {
    /// Whether tables and columns are packed.
    pub is_packed: bool,
    /// The tables.
    pub tables: Vec<TableEntry>,
    /// The columns.
    pub columns: Vec<ColumnEntry>,
    /// The columns of measures.
    pub measures: Vec<MeasureEntry>,
    /// The names of those tags in the games that have no column.
    pub others: Vec<String>,
}

/// Returns the directory with its size. The tables, the columns and the columns of measures follow the directory in
/// this order without gaps. `others` contains the names of those tags in the games that have no column.
pub fn directory(tables: &[TableRef], columns: &[ColumnRef], measures: &[MeasureRef], others: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    push_varint(tables.len() as u64, &mut out);
    for table in tables {
        [table.count, table.text, table.packed.len()].iter().for_each(|number| push_varint(*number as u64, &mut out));
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
        push_varint(column.packed.len() as u64, &mut out);
    }
    push_varint(measures.len() as u64, &mut out);
    for MeasureRef { head, packed } in measures {
        push_string(head.name.as_bytes(), &mut out);
        push_varint(head.rules, &mut out);
        out.push(u8::from(head.chain.is_some()));
        out.extend_from_slice(head.chain.iter().map(|chain| chain.0).collect::<Vec<_>>().as_flattened());
        out.extend_from_slice(&head.lowest.to_le_bytes());
        out.push(head.width);
        push_varint(packed.len() as u64, &mut out);
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
    pub fn decode(directory: &[u8], games: u64, length: u64, is_packed: bool) -> Option<Directory> {
        let mut bytes = Bytes(directory);
        let mut next = Directory::SIZE + directory.len() as u64;
        let mut part = |size: u64| {
            let start = next;
            next = start.checked_add(size).filter(|end| *end <= length)?;
            Some(start..next)
        };
        let most = most_bytes(games);
        let mut tables = Vec::new();
        for _ in 0..bytes.count().filter(|count| *count <= MAX_COLUMNS)? {
            let (count, text) = (bytes.count()?, bytes.count()?);
            let size = (count as u64).checked_mul(4)?.checked_add(text as u64)?;
            // Packed strings may expand to this size in memory.
            if is_packed && size >= most {
                return None;
            }
            let range = part(if is_packed { bytes.varint()? } else { size })?;
            tables.push(TableEntry { count, text, range });
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
            let size = if is_packed { bytes.varint()? } else { games.checked_mul(u64::from(width))? };
            columns.push(ColumnEntry { key, table, width, range: part(size)? });
        }
        let mut measures = Vec::new();
        let count = if is_packed { bytes.count().filter(|count| *count <= MAX_COLUMNS)? } else { 0 };
        for _ in 0..count {
            let name = std::str::from_utf8(bytes.string()?).ok()?.to_owned();
            let rules = bytes.varint()?;
            let chain = match bytes.u8()? {
                0 => None,
                1 => Some(Chain(bytes.array()?)),
                _ => return None,
            };
            let lowest = i64::from_le_bytes(bytes.array()?);
            let width = bytes.u8().filter(|width| (1..=8).contains(width))?;
            let head = MeasureHead { name, rules, chain, lowest, width };
            measures.push(MeasureEntry { head, range: part(bytes.varint()?)? });
        }
        let mut others = Vec::new();
        for _ in 0..bytes.count()? {
            others.push(std::str::from_utf8(bytes.string()?).ok()?.to_owned());
        }
        let directory = Directory { is_packed, tables, columns, measures, others };
        (bytes.0.is_empty() && next == length).then_some(directory)
    }
}

/// Returns the limit for the strings of a table, each with four bytes for its end, in a segment of `games` games.
/// Tables are smaller than this limit.
pub fn most_bytes(games: u64) -> u64 {
    games.saturating_mul(12).max(1 << 16)
}

/// Packs numbers of `width` bytes each: for each group of rows, the lowest bytes of all numbers, then the next bytes,
/// and so on, each as a stored part.
pub fn pack_numbers(numbers: &[u8], width: u8) -> Vec<u8> {
    let width = usize::from(width).max(1);
    let groups: Vec<&[u8]> = numbers.chunks(ROWS * width).collect();
    let packed = parallel::map_items(&groups, |group| {
        let mut out = Vec::new();
        for plane in 0..width {
            let bytes: Vec<u8> = group.iter().skip(plane).step_by(width).copied().collect();
            push_stored(&bytes, LEVEL, &mut out);
        }
        out
    });
    packed.concat()
}

/// Unpacks `rows` numbers of `width` bytes each. Returns `None` if the bytes are not the packed form of so many numbers.
pub fn unpack_numbers(packed: &[u8], rows: usize, width: u8) -> Option<Vec<u8>> {
    let width = usize::from(width).max(1);
    let mut bytes = Bytes(packed);
    let mut groups = Vec::new();
    for first in (0..rows).step_by(ROWS) {
        let start = bytes.0;
        for _ in 0..width {
            bytes.string()?;
        }
        groups.push((start, ROWS.min(rows - first)));
    }
    if !bytes.0.is_empty() {
        return None;
    }
    let unpacked = parallel::try_map_items(&groups, |(packed, rows)| {
        let mut bytes = Bytes(packed);
        let mut group: Vec<u8> = alike(0, rows * width).ok_or(())?;
        for plane in 0..width {
            let plane_bytes = read_stored(&mut bytes, *rows).ok_or(())?;
            let slots = group.iter_mut().skip(plane).step_by(width);
            slots.zip(plane_bytes).for_each(|(slot, byte)| *slot = byte);
        }
        Ok::<_, ()>(group)
    });
    Some(unpacked.ok()?.concat())
}

/// Packs strings: for each group of strings, the number of bytes that each string shares with the previous string, the
/// number of its other bytes, and then the other bytes of all strings, together as a stored part.
pub fn pack_strings<'a>(strings: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let strings: Vec<&[u8]> = strings.collect();
    let groups: Vec<&[&[u8]]> = strings.chunks(ROWS).collect();
    let packed = parallel::map_items(&groups, |group| {
        let (mut shared, mut lengths, mut rests) = (Vec::new(), Vec::new(), Vec::new());
        let mut before: &[u8] = &[];
        for string in *group {
            let common = string.iter().zip(before).take_while(|(a, b)| a == b).count();
            let rest = string.get(common..).unwrap_or_default();
            push_varint(common as u64, &mut shared);
            push_varint(rest.len() as u64, &mut lengths);
            rests.extend_from_slice(rest);
            before = string;
        }
        let raw = [shared, lengths, rests].concat();
        let mut out = Vec::new();
        push_varint(raw.len() as u64, &mut out);
        push_stored(&raw, LEVEL, &mut out);
        out
    });
    packed.concat()
}

/// Unpacks strings. Returns the end of each string in the text, as four bytes each, and the text. Returns `None` if the
/// bytes are not the packed form of so many strings with so much text.
pub fn unpack_strings(packed: &[u8], count: usize, text: usize) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut bytes = Bytes(packed);
    let mut ends: Vec<u8> = with_room(count.checked_mul(4)?)?;
    let mut texts: Vec<u8> = with_room(text)?;
    for first in (0..count).step_by(ROWS) {
        let strings = ROWS.min(count - first);
        // Two lengths of at most ten bytes for each string.
        let raw = bytes.count().filter(|raw| *raw <= strings * 20 + text)?;
        let raw = read_stored(&mut bytes, raw)?;
        let mut shared = Bytes(&raw);
        let mut lengths = Bytes(&raw);
        for _ in 0..strings {
            lengths.varint()?;
        }
        let mut rests = lengths;
        for _ in 0..strings {
            rests.varint()?;
        }
        let mut before = texts.len()..texts.len();
        for _ in 0..strings {
            let (common, length) = (shared.count()?, lengths.count()?);
            if common > before.len() || texts.len().checked_add(common)?.checked_add(length)? > text {
                return None;
            }
            let start = texts.len();
            texts.extend_from_within(before.start..before.start + common);
            texts.extend_from_slice(rests.take(length)?);
            before = start..texts.len();
            ends.extend_from_slice(&u32::try_from(texts.len()).ok()?.to_le_bytes());
        }
        if !rests.0.is_empty() {
            return None;
        }
    }
    (bytes.0.is_empty() && texts.len() == text).then_some((ends, texts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a directory, and the length of the segment after its runs.
    fn sample() -> (Vec<u8>, u64) {
        let table = TableRef { count: 2, text: 3, packed: vec![0; 7] };
        let key = Key::Tag("White".to_owned());
        let columns = [
            ColumnRef { key: &key, table: Some(0), width: 1, packed: vec![0; 4] },
            ColumnRef { key: &Key::Plies, table: None, width: 2, packed: vec![0; 5] },
        ];
        let head = |chain| MeasureHead { name: "novelty".to_owned(), rules: 3, chain, lowest: -9, width: 8 };
        let measures = [None, Some(Chain([7; 16]))].map(|chain| MeasureRef { head: head(chain), packed: vec![0; 6] });
        let directory = directory(&[table], &columns, &measures, &["Annotator", "Round"]);
        let length = directory.len() as u64 + 7 + 4 + 5 + 6 + 6;
        (directory, length)
    }

    #[test]
    fn directories_come_back() {
        let (bytes, length) = sample();
        let decode = |directory: &[u8], length| Directory::decode(directory, 3, length, true);
        let read = decode(&bytes[8..], length).unwrap();
        assert_eq!(read.others, ["Annotator", "Round"]);
        let start = bytes.len() as u64;
        assert_eq!((read.tables[0].count, read.tables[0].range.clone()), (2, start..start + 7));
        let columns: Vec<_> = read.columns.iter().map(|column| (column.width, column.range.clone())).collect();
        assert_eq!(columns, [(1, start + 7..start + 11), (2, start + 11..start + 16)]);
        let measures: Vec<_> = read.measures.iter().map(|measure| (measure.head.chain, measure.head.lowest)).collect();
        assert_eq!(measures, [(None, -9), (Some(Chain([7; 16])), -9)]);
        assert_eq!(decode(&bytes[8..], length + 1), None);
        (8..bytes.len()).for_each(|cut| assert_eq!(decode(&bytes[8..cut], length), None, "cut at {cut}"));
    }

    #[test]
    fn directories_of_plain_tables_are_read() {
        let expected = [&[1, 1, 2][..], &[2, 2, 5], b"White", &[0, 1], &[0, 1], &[1, 5], b"Round"].concat();
        let length = 8 + expected.len() as u64 + 6 + 2 + 2;
        let read = Directory::decode(&expected, 2, length, false).unwrap();
        assert_eq!((read.columns.len(), read.tables[0].text, read.others.len()), (2, 2, 1));
        assert_eq!(Directory::decode(&expected, 1, length, false), None);
        assert_eq!(Directory::decode(&expected, 2, length, true), None);
    }

    #[test]
    fn a_group_of_strings_and_numbers_comes_back() {
        let strings: Vec<Vec<u8>> = (0..ROWS + 5).map(|number| format!("game {number:07}").into_bytes()).collect();
        let packed = pack_strings(strings.iter().map(Vec::as_slice));
        let (ends, text) = unpack_strings(&packed, strings.len(), strings.concat().len()).unwrap();
        assert_eq!((text, ends.len()), (strings.concat(), strings.len() * 4));
        let numbers: Vec<u8> = (0..ROWS as u32 + 9).flat_map(|number| number.to_le_bytes()).collect();
        let packed = pack_numbers(&numbers, 4);
        assert!(packed.len() < numbers.len() / 2);
        assert_eq!(unpack_numbers(&packed, ROWS + 9, 4).unwrap(), numbers);
        assert_eq!(unpack_numbers(&packed, ROWS + 8, 4), None);
        // A few bytes do not expand to more text than the directory states.
        assert_eq!(unpack_strings(&pack_strings([&b"aaaa"[..]].into_iter()), 1, 3), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(
            bytes in prop::collection::vec(any::<u8>(), 0..60), games in 0..4u64, length in 0..300u64, width in 1..9u8,
        ) {
            for is_packed in [false, true] {
                let _ = Directory::decode(&bytes, games, length, is_packed);
            }
            let _ = unpack_numbers(&bytes, games as usize, width);
            let _ = unpack_strings(&bytes, games as usize, length as usize);
        }

        #[test]
        fn numbers_come_back(numbers in prop::collection::vec(any::<u64>(), 0..70), width in 1..9u8) {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes().into_iter().take(width.into())).collect();
            let packed = pack_numbers(&bytes, width);
            prop_assert_eq!(unpack_numbers(&packed, numbers.len(), width), Some(bytes));
        }

        #[test]
        fn strings_come_back(strings in prop::collection::btree_set("[ab]{0,6}", 0..40)) {
            let packed = pack_strings(strings.iter().map(String::as_bytes));
            let text: String = strings.iter().map(String::as_str).collect();
            let (ends, read) = unpack_strings(&packed, strings.len(), text.len()).unwrap();
            prop_assert_eq!((read, ends.len()), (text.into_bytes(), strings.len() * 4));
        }
    }
}

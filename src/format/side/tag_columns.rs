//! The tag columns file: the tags that queries ask for, as columns of numbers that are mapped and read at memory speed
//! (FORMAT.md, "The tag columns file"). A cache of the archive.

use crate::format::file::state::State;
use crate::format::identity::{ArchiveId, VERSION, crc_from};
use crate::format::wire::{Bytes, push_string, push_varint};
use std::ops::Range;

/// The first bytes of every such file.
pub const MAGIC: [u8; 8] = *b"\x89BGH\r\n\x1a\n";
/// The size of the header in bytes.
pub const HEADER: usize = 96;
/// The most columns that a file may have.
pub const MAX_COLUMNS: usize = 256;

/// The game starts from another position than the standard starting position.
pub const SET_UP: u8 = 0x01;
/// The source had a fault in the game.
pub const FAULT: u8 = 0x02;
/// The movetext has no termination marker.
pub const NO_MARKER: u8 = 0x04;
/// Where the number of the outcome stands in the byte, two bits: 0 `*`, 1 0-1, 2 1-0, 3 draw.
pub const OUTCOME_SHIFT: u8 = 3;
/// The game has comments.
pub const COMMENTS: u8 = 0x20;
/// The game has variations.
pub const VARIATIONS: u8 = 0x40;
/// The game has glyphs: NAGs or move suffixes.
pub const GLYPHS: u8 = 0x80;

/// What a column holds.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Key {
    /// The value of the first tag of this name, as its place in a table, from 1; 0 where a game has none.
    Tag(String),
    /// The plies of the main line.
    Plies,
    /// A byte of facts: `SET_UP`, `FAULT` and so on.
    Facts,
}

/// A column to be written.
#[derive(Clone, Copy, Debug)]
pub struct ColumnRef<'a> {
    /// What it holds.
    pub key: &'a Key,
    /// The number of its table, from 0; `None` for a column of plain numbers.
    pub table: Option<usize>,
    /// Bytes of a number, 1 to 4.
    pub width: u8,
    /// The numbers of all games, little-endian.
    pub numbers: &'a [u8],
}

/// A table of strings to be written: their ends as u32, and their bytes.
#[derive(Clone, Copy, Debug)]
pub struct TableRef<'a> {
    /// The end of each string in `text`, four bytes each, little-endian.
    pub ends: &'a [u8],
    /// The strings, ascending and distinct.
    pub text: &'a [u8],
}

/// A part of a file: where it is, and its CRC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilePart {
    /// The bytes of the file.
    pub range: Range<usize>,
    crc: u32,
}

impl FilePart {
    /// Returns the part's bytes if its CRC holds.
    pub fn checked<'a>(&self, file: &'a [u8], id: ArchiveId) -> Option<&'a [u8]> {
        file.get(self.range.clone()).filter(|bytes| id.crc(self.range.start as u64, bytes) == self.crc)
    }
}

/// A table of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableEntry {
    /// How many strings it has.
    pub count: usize,
    /// Where it is: the ends, then the text.
    pub part: FilePart,
}

/// A column of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnEntry {
    /// What it holds.
    pub key: Key,
    /// The number of its table.
    pub table: Option<usize>,
    /// Bytes of a number.
    pub width: u8,
    /// Where it is.
    pub part: FilePart,
}

/// What a file has, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directory {
    /// The archive and its state.
    pub state: State,
    /// The tables.
    pub tables: Vec<TableEntry>,
    /// The columns.
    pub columns: Vec<ColumnEntry>,
    /// The names of the tags that games have and that have no column.
    pub others: Vec<String>,
}

/// Returns the file. `others` are the names of the tags that games have and that have no column.
pub fn encode(state: &State, tables: &[TableRef], columns: &[ColumnRef], others: &[&str]) -> Vec<u8> {
    // The directory has the parts' CRCs, which are seeded for their places, which depend on the directory's size: so
    // that is found first.
    let directory = |crcs: &[u32]| {
        let mut crcs = crcs.iter();
        let mut crc = || crcs.next().copied().unwrap_or_default().to_le_bytes();
        let mut out = Vec::new();
        push_varint(tables.len() as u64, &mut out);
        for table in tables {
            push_varint((table.ends.len() / 4) as u64, &mut out);
            push_varint(table.text.len() as u64, &mut out);
            out.extend_from_slice(&crc());
        }
        push_varint(columns.len() as u64, &mut out);
        for column in columns {
            match column.key {
                Key::Plies => out.push(0),
                Key::Facts => out.push(1),
                Key::Tag(name) => {
                    out.push(2);
                    push_string(name.as_bytes(), &mut out);
                    push_varint(column.table.unwrap_or_default() as u64, &mut out);
                }
            }
            out.push(column.width);
            out.extend_from_slice(&crc());
        }
        push_varint(others.len() as u64, &mut out);
        others.iter().for_each(|name| push_string(name.as_bytes(), &mut out));
        out
    };
    let size = directory(&[]).len();
    let first = HEADER + size + 4;
    let mut file = vec![0; first];
    let mut crcs = Vec::new();
    for table in tables {
        crcs.push(crc_from(state.id.crc(file.len() as u64, table.ends), table.text));
        file.extend_from_slice(table.ends);
        file.extend_from_slice(table.text);
    }
    for column in columns {
        crcs.push(state.id.crc(file.len() as u64, column.numbers));
        file.extend_from_slice(column.numbers);
    }
    let mut head = Vec::with_capacity(first);
    head.extend_from_slice(&MAGIC);
    head.extend_from_slice(&VERSION.0.to_le_bytes());
    head.extend_from_slice(&VERSION.1.to_le_bytes());
    head.extend_from_slice(&(HEADER as u32).to_le_bytes());
    head.extend_from_slice(&state.encode());
    for number in [file.len() as u64, size as u64, 0] {
        head.extend_from_slice(&number.to_le_bytes());
    }
    head.extend_from_slice(&directory(&crcs));
    let crc = state.id.crc(0, &head);
    head.extend_from_slice(&crc.to_le_bytes());
    file.iter_mut().zip(head).for_each(|(to, from)| *to = from);
    file
}

impl Directory {
    /// Reads the beginning of a file; `None` unless it is whole and of this program's version. The parts' own CRCs are
    /// not looked at.
    pub fn decode(file: &[u8]) -> Option<Directory> {
        let mut bytes = Bytes(file.strip_prefix(&MAGIC)?);
        let (major, minor, header) = (bytes.u16()?, bytes.u16()?, bytes.u32()?);
        let state = State::decode(&mut bytes)?;
        let (own, size, reserved) = (bytes.u64()?, usize::try_from(bytes.u64()?).ok()?, bytes.u64()?);
        let end = HEADER.checked_add(size)?;
        let crc = file.get(end..end.checked_add(4)?)?;
        let whole = (major, minor) == VERSION && header as usize == HEADER && own == file.len() as u64;
        if !whole || reserved != 0 || state.id.crc(0, file.get(..end)?).to_le_bytes() != crc {
            return None;
        }
        let mut bytes = Bytes(file.get(HEADER..end)?);
        let mut next = end + 4;
        let mut part = |length: usize, crc: u32| {
            let start = next;
            next = start.checked_add(length).filter(|end| *end <= file.len())?;
            Some(FilePart { range: start..next, crc })
        };
        let mut tables = Vec::new();
        for _ in 0..bytes.count().filter(|count| *count <= MAX_COLUMNS)? {
            let (count, text, crc) = (bytes.count()?, bytes.count()?, bytes.u32()?);
            tables.push(TableEntry { count, part: part(count.checked_mul(4)?.checked_add(text)?, crc)? });
        }
        let games = usize::try_from(state.games).ok()?;
        let mut columns = Vec::new();
        for _ in 0..bytes.count().filter(|count| *count <= MAX_COLUMNS)? {
            let (key, table) = match bytes.u8()? {
                0 => (Key::Plies, None),
                1 => (Key::Facts, None),
                2 => {
                    let name = std::str::from_utf8(bytes.string()?).ok()?.to_owned();
                    (Key::Tag(name), Some(bytes.count().filter(|table| *table < tables.len())?))
                }
                _ => return None,
            };
            let width = bytes.u8().filter(|width| (1..=4).contains(width))?;
            let crc = bytes.u32()?;
            columns.push(ColumnEntry { key, table, width, part: part(games.checked_mul(usize::from(width))?, crc)? });
        }
        let mut others = Vec::new();
        for _ in 0..bytes.count()? {
            others.push(std::str::from_utf8(bytes.string()?).ok()?.to_owned());
        }
        (bytes.0.is_empty() && next == file.len()).then_some(Directory { state, tables, columns, others })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        let state = State { sequence: 3, length: 9000, games: 3, ..State::new(ArchiveId([7; 16])) };
        let table = TableRef { ends: &[1, 0, 0, 0, 3, 0, 0, 0], text: b"abc" };
        let key = Key::Tag("White".to_owned());
        let columns = [
            ColumnRef { key: &key, table: Some(0), width: 1, numbers: &[1, 0, 2] },
            ColumnRef { key: &Key::Plies, table: None, width: 2, numbers: &[1, 1, 0, 0, 9, 0] },
        ];
        encode(&state, &[table], &columns, &["Annotator", "Round"])
    }

    #[test]
    fn files_come_back() {
        let file = sample();
        let directory = Directory::decode(&file).unwrap();
        assert_eq!((directory.state.games, directory.tables.len(), directory.columns.len()), (3, 1, 2));
        assert_eq!(directory.others, ["Annotator", "Round"]);
        let id = directory.state.id;
        assert_eq!(directory.tables[0].part.checked(&file, id), Some(b"\x01\0\0\0\x03\0\0\0abc".as_slice()));
        assert_eq!(directory.columns[1].part.checked(&file, id), Some([1, 1, 0, 0, 9, 0].as_slice()));
    }

    #[test]
    fn every_flipped_bit_and_every_cut_shows() {
        let file = sample();
        let intact = |file: &[u8]| {
            Directory::decode(file).is_some_and(|directory| {
                let id = directory.state.id;
                directory.tables.iter().all(|table| table.part.checked(file, id).is_some())
                    && directory.columns.iter().all(|column| column.part.checked(file, id).is_some())
            })
        };
        assert!(intact(&file));
        for bit in 0..file.len() * 8 {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!intact(&flipped), "bit {bit}");
        }
        (0..file.len()).for_each(|cut| assert!(!intact(&file[..cut]), "cut at {cut}"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(mut directory in prop::collection::vec(any::<u8>(), 0..60), games in 0..4u64) {
            // With a right CRC, so that the directory itself is read.
            let mut file = sample();
            file.truncate(HEADER);
            file[48..56].copy_from_slice(&games.to_le_bytes());
            file[72..80].copy_from_slice(&((HEADER + directory.len() + 4) as u64).to_le_bytes());
            file[80..88].copy_from_slice(&(directory.len() as u64).to_le_bytes());
            file.append(&mut directory);
            let crc = ArchiveId([7; 16]).crc(0, &file);
            file.extend_from_slice(&crc.to_le_bytes());
            let _ = Directory::decode(&file);
        }
    }
}

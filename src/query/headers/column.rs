//! A column: a number for each game, and the table of strings that the numbers stand for.

use crate::archive::map::Map;
use crate::format::headers;
use std::ops::Range;
use std::sync::Arc;

/// Bytes in memory or of a mapped file.
#[derive(Clone, Debug)]
enum Store {
    Owned(Vec<u8>),
    Mapped(Arc<Map>, Range<usize>),
}

impl Store {
    fn bytes(&self) -> &[u8] {
        match self {
            Store::Owned(bytes) => bytes,
            Store::Mapped(map, range) => map.get(range.clone()).unwrap_or_default(),
        }
    }
}

/// Distinct strings in ascending order, by number from 1.
#[derive(Clone, Debug)]
pub struct Strings {
    ends: Store,
    text: Store,
}

impl Strings {
    pub(super) fn new(ends: Vec<u8>, text: Vec<u8>) -> Strings {
        Strings { ends: Store::Owned(ends), text: Store::Owned(text) }
    }

    pub(super) fn mapped(map: &Arc<Map>, table: &headers::Table) -> Strings {
        let Range { start, end } = table.part.range;
        let middle = (start + table.count * 4).min(end);
        Strings {
            ends: Store::Mapped(Arc::clone(map), start..middle),
            text: Store::Mapped(Arc::clone(map), middle..end),
        }
    }

    /// Returns how many strings there are.
    pub fn len(&self) -> usize {
        self.ends().len() / 4
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns string `number`, from 1. Of number 0, and in a file made with ill will, there may be none.
    pub fn get(&self, number: u32) -> Option<&[u8]> {
        let place = number.checked_sub(1)? as usize;
        let start = place.checked_sub(1).map_or(Some(0), |before| self.end(before))?;
        self.text().get(start..self.end(place)?)
    }

    fn end(&self, place: usize) -> Option<usize> {
        let bytes = self.ends().get(place * 4..place * 4 + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    }

    pub(super) fn ends(&self) -> &[u8] {
        self.ends.bytes()
    }

    pub(super) fn text(&self) -> &[u8] {
        self.text.bytes()
    }
}

/// A number for each game.
#[derive(Clone, Debug)]
pub struct Column {
    numbers: Store,
    width: u8,
    strings: Option<Arc<Strings>>,
}

impl Column {
    /// Returns the column of these numbers in the least width.
    pub(super) fn new(numbers: &[u32], strings: Option<Arc<Strings>>) -> Column {
        let all = numbers.iter().fold(0, |all, number| all | number);
        let width = (32 - all.leading_zeros()).div_ceil(8).max(1) as u8;
        let mut bytes = Vec::with_capacity(numbers.len() * usize::from(width));
        numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()[..usize::from(width)]));
        Column { numbers: Store::Owned(bytes), width, strings }
    }

    pub(super) fn mapped(map: &Arc<Map>, column: &headers::Column, strings: Option<Arc<Strings>>) -> Column {
        let numbers = Store::Mapped(Arc::clone(map), column.part.range.clone());
        Column { numbers, width: column.width, strings }
    }

    /// Returns the table of strings, where the numbers are places in one.
    pub fn strings(&self) -> Option<&Arc<Strings>> {
        self.strings.as_ref()
    }

    /// Returns the bytes of a number, 1 to 4.
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Returns the numbers of all games, little-endian, `width` bytes each.
    pub fn bytes(&self) -> &[u8] {
        self.numbers.bytes()
    }

    /// Returns the number of a game, from 1; 0 for a game that there is not.
    pub fn get(&self, game: u64) -> u32 {
        let width = usize::from(self.width);
        let start = usize::try_from(game.wrapping_sub(1)).ok().and_then(|row| row.checked_mul(width));
        let bytes = start.and_then(|start| self.bytes().get(start..start.checked_add(width)?));
        bytes.unwrap_or_default().iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
    }

    /// Returns the text of a game's value, from game 1.
    pub fn text(&self, game: u64) -> Option<&[u8]> {
        self.strings.as_ref()?.get(self.get(game))
    }

    /// Calls `seen` with the number of each of these games, by place from 0, in order.
    #[inline(always)]
    pub(crate) fn each(&self, rows: Range<usize>, mut seen: impl FnMut(u32)) {
        let width = usize::from(self.width);
        let bytes = self.bytes();
        let bytes = bytes.get(rows.start * width..(rows.end * width).min(bytes.len())).unwrap_or_default();
        // A loop for each width, so that the compiler sees it.
        match width {
            1 => bytes.iter().for_each(|byte| seen(u32::from(*byte))),
            2 => bytes.chunks_exact(2).for_each(|number| seen(u32::from(u16::from_le_bytes([number[0], number[1]])))),
            3 => {
                bytes.chunks_exact(3).for_each(|number| seen(u32::from_le_bytes([number[0], number[1], number[2], 0])))
            }
            _ => bytes
                .chunks_exact(4)
                .for_each(|number| seen(u32::from_le_bytes([number[0], number[1], number[2], number[3]]))),
        }
    }
}

/// The year that each string of a table begins with; 0 for none, and for no string.
pub(super) fn years(column: &Column) -> Vec<u16> {
    let Some(strings) = column.strings() else { return vec![0] };
    let year = |number: u32| {
        let text = strings.get(number)?;
        let digits = text.get(..4).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
        let ends = text.get(4).is_none_or(|byte| matches!(byte, b'.' | b'-' | b'/'));
        ends.then(|| digits.iter().fold(0, |year, digit| year * 10 + u16::from(digit - b'0')))
    };
    (0..=strings.len() as u32).map(|number| year(number).unwrap_or(0)).collect()
}

//! A column, which stores a number for each game, and the table of strings to which the numbers refer.

use scoresheet::archive::side_bytes::SideBytes;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that are in memory or in a mapped file.
#[derive(Clone, Debug)]
enum Store {
    Owned(Vec<u8>),
    Mapped(Arc<SideBytes>, Range<usize>),
}

impl Store {
    fn bytes(&self) -> &[u8] {
        match self {
            Store::Owned(bytes) => bytes,
            Store::Mapped(map, range) => map.get(range.clone()).unwrap_or_default(),
        }
    }
}

/// A table of distinct strings in ascending order, numbered from 1.
///
/// [`TagColumns`](super::TagColumns) has an example.
#[derive(Clone, Debug)]
pub struct Strings {
    ends: Store,
    text: Store,
}

impl Strings {
    pub(crate) fn new(ends: Vec<u8>, text: Vec<u8>) -> Strings {
        Strings { ends: Store::Owned(ends), text: Store::Owned(text) }
    }

    /// Returns the table of strings in these bytes of a file, which are the end offsets of `count` strings followed by
    /// the text.
    pub(crate) fn mapped(map: &Arc<SideBytes>, Range { start, end }: Range<usize>, count: usize) -> Strings {
        let middle = (start + count * 4).min(end);
        Strings {
            ends: Store::Mapped(Arc::clone(map), start..middle),
            text: Store::Mapped(Arc::clone(map), middle..end),
        }
    }

    /// Returns the number of strings in the table.
    pub fn len(&self) -> usize {
        self.ends().len() / 4
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the string with a number, counted from 1. There is no string for number 0. In a malicious file, the
    /// strings of other numbers may also be missing.
    pub fn get(&self, number: u32) -> Option<&[u8]> {
        let index = number.checked_sub(1)? as usize;
        let start = index.checked_sub(1).map_or(Some(0), |before| self.end(before))?;
        self.text().get(start..self.end(index)?)
    }

    /// Returns an iterator over the strings, in order. Strings that are missing in a malicious file are skipped.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        (1..=self.len() as u32).filter_map(|number| self.get(number))
    }

    /// Returns an iterator over the strings that are UTF-8, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        self.iter().filter_map(|text| std::str::from_utf8(text).ok())
    }

    /// Returns the number of a string, found by binary search, or `None` if the string is not in the table.
    pub fn find(&self, text: &[u8]) -> Option<u32> {
        let (mut low, mut high) = (1, self.len() as u32 + 1);
        while low < high {
            let middle = u32::midpoint(low, high);
            if self.get(middle)? < text { low = middle + 1 } else { high = middle }
        }
        (self.get(low)? == text).then_some(low)
    }

    /// Returns the concatenated text of the strings with these numbers, and the end of each string in that text.
    /// Returns `None` if some of the strings are missing.
    pub(crate) fn run(&self, numbers: Range<u32>) -> Option<(&[u8], impl Iterator<Item = usize>)> {
        let (first, past) = (numbers.start.checked_sub(1)? as usize, numbers.end.checked_sub(1)? as usize);
        let ends = self.ends().get(first * 4..past * 4)?.as_chunks::<4>().0;
        let start = first.checked_sub(1).map_or(Some(0), |before| self.end(before))?;
        let end = move |bytes: &[u8; 4]| (u32::from_le_bytes(*bytes) as usize).checked_sub(start);
        let mut before = Some(0);
        let ascend = ends.iter().all(|bytes| {
            let last = std::mem::replace(&mut before, end(bytes));
            last <= before && before.is_some()
        });
        let text = self.text().get(start..start + before.filter(|_| ascend)?)?;
        Some((text, ends.iter().filter_map(end)))
    }

    fn end(&self, index: usize) -> Option<usize> {
        let bytes = self.ends().get(index * 4..index * 4 + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    }

    /// Returns the end of each string in the text, as 4 bytes in little-endian byte order. In a malicious file, these
    /// ends may not ascend and may exceed the text.
    pub fn ends(&self) -> &[u8] {
        self.ends.bytes()
    }

    /// Returns all strings, concatenated. They are UTF-8 if the imported source was UTF-8.
    pub fn text(&self) -> &[u8] {
        self.text.bytes()
    }
}

/// A column, which stores a number for each game.
///
/// [`TagColumns`](super::TagColumns) has an example.
#[derive(Clone, Debug)]
pub struct Column {
    numbers: Store,
    width: u8,
    strings: Option<Arc<Strings>>,
}

impl Column {
    /// Returns a column of these numbers, stored in the smallest possible width.
    pub(crate) fn new(numbers: &[u32], strings: Option<Arc<Strings>>) -> Column {
        let all = numbers.iter().fold(0, |all, number| all | number);
        let width = (32 - all.leading_zeros()).div_ceil(8).max(1) as u8;
        let mut bytes = Vec::with_capacity(numbers.len() * usize::from(width));
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes().iter().take(usize::from(width))));
        Column { numbers: Store::Owned(bytes), width, strings }
    }

    /// Returns the column of these numbers of `width` bytes each.
    pub(crate) fn from_bytes(numbers: Vec<u8>, width: u8, strings: Option<Arc<Strings>>) -> Column {
        Column { numbers: Store::Owned(numbers), width, strings }
    }

    /// Returns the column of a tag that no game contains. It stores no numbers, and the number of every game is 0.
    pub(crate) fn without_values() -> Column {
        Column::from_strings(Vec::new(), Vec::new())
    }

    /// Returns a column with these strings and without games.
    pub(crate) fn from_strings(ends: Vec<u8>, text: Vec<u8>) -> Column {
        Column { numbers: Store::Owned(Vec::new()), width: 1, strings: Some(Arc::new(Strings::new(ends, text))) }
    }

    /// Returns the column of the numbers in these bytes of a file.
    pub(crate) fn mapped(
        map: &Arc<SideBytes>,
        range: Range<usize>,
        width: u8,
        strings: Option<Arc<Strings>>,
    ) -> Column {
        Column { numbers: Store::Mapped(Arc::clone(map), range), width, strings }
    }

    /// Returns the table of strings, if the numbers refer to one.
    pub fn strings(&self) -> Option<&Arc<Strings>> {
        self.strings.as_ref()
    }

    /// Returns the size of each number in bytes, from 1 to 4.
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Returns the numbers of all games as `width` bytes each, in little-endian byte order.
    pub fn bytes(&self) -> &[u8] {
        self.numbers.bytes()
    }

    /// Returns the number of a game, where games are counted from 1. Returns 0 for a game that does not exist.
    #[inline]
    pub fn get(&self, game: u64) -> u32 {
        let Some(row) = game.checked_sub(1).and_then(|row| usize::try_from(row).ok()) else { return 0 };
        let bytes = self.bytes();
        // Each width is a separate case, so the compiler can specialize it.
        let number = match self.width {
            1 => bytes.get(row).map(|byte| u32::from(*byte)),
            2 => bytes.as_chunks::<2>().0.get(row).map(|number| u32::from(u16::from_le_bytes(*number))),
            3 => bytes.as_chunks::<3>().0.get(row).map(|[a, b, c]| u32::from_le_bytes([*a, *b, *c, 0])),
            _ => bytes.as_chunks::<4>().0.get(row).map(|number| u32::from_le_bytes(*number)),
        };
        number.unwrap_or(0)
    }

    /// Returns the text of a game's value, where games are counted from 1.
    pub fn text(&self, game: u64) -> Option<&[u8]> {
        self.strings.as_ref()?.get(self.get(game))
    }

    /// Copies the numbers of these games, whose indexes are counted from 0. Elements for games beyond the end of the
    /// column remain unchanged.
    pub(crate) fn copy(&self, rows: Range<usize>, numbers: &mut [u32]) {
        let width = usize::from(self.width);
        let bytes = self.bytes().get(rows.start * width..).unwrap_or_default();
        let all = numbers.iter_mut().take(rows.len());
        match width {
            1 => all.zip(bytes).for_each(|(number, byte)| *number = u32::from(*byte)),
            2 => all
                .zip(bytes.as_chunks::<2>().0)
                .for_each(|(number, bytes)| *number = u32::from(u16::from_le_bytes(*bytes))),
            3 => all
                .zip(bytes.as_chunks::<3>().0)
                .for_each(|(number, [a, b, c])| *number = u32::from_le_bytes([*a, *b, *c, 0])),
            _ => all.zip(bytes.as_chunks::<4>().0).for_each(|(number, bytes)| *number = u32::from_le_bytes(*bytes)),
        }
    }

    /// Sets the bits of the games for which `passes` accepts the index and the number, and clears the other bits.
    /// Indexes are counted from 0. The first game is the lowest bit of the first word. Bits for games beyond the end of
    /// the column remain unchanged.
    #[inline(always)]
    pub(crate) fn select(&self, rows: Range<usize>, words: &mut [u64], passes: impl Fn(usize, u32) -> bool) {
        let width = usize::from(self.width);
        let bytes = self.bytes();
        let bytes = bytes.get(rows.start * width..(rows.end * width).min(bytes.len())).unwrap_or_default();
        // Each width is a separate case, so the compiler can specialize it.
        match width {
            1 => mark_of::<1>(bytes, rows.start, words, passes),
            2 => mark_of::<2>(bytes, rows.start, words, passes),
            3 => mark_of::<3>(bytes, rows.start, words, passes),
            _ => mark_of::<4>(bytes, rows.start, words, passes),
        }
    }
}

#[inline(always)]
fn mark_of<const WIDTH: usize>(bytes: &[u8], mut row: usize, words: &mut [u64], passes: impl Fn(usize, u32) -> bool) {
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(64 * WIDTH)) {
        let mut bits = 0;
        for (bit, value) in bytes.as_chunks::<WIDTH>().0.iter().enumerate() {
            let mut number = [0; 4];
            number.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
            bits |= u64::from(passes(row + bit, u32::from_le_bytes(number))) << (bit % 64);
        }
        *word = bits;
        row += 64;
    }
}

/// Returns the value that `read` finds in each string of a table. The value is 0 for number 0, and where it finds none.
pub(crate) fn of_strings<T: Default>(column: &Column, read: fn(&[u8]) -> Option<T>) -> Vec<T> {
    let strings = column.strings();
    let value = |number| strings.and_then(|strings| strings.get(number)).and_then(read).unwrap_or_default();
    (0..=strings.map_or(0, |strings| strings.len() as u32)).map(value).collect()
}

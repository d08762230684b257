//! Walks over bytes and describes each part: leaves in the order of the bytes, and each group before its contents.

use crate::format::wire::Bytes;

/// A part of a file, as `inspect` describes it.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The number of groups that enclose the part.
    pub depth: usize,
    /// The name of the part, such as `payload CRC`.
    pub name: &'a str,
    /// The offset of the part in the file, or in the decompressed part that contains it.
    pub offset: u64,
    /// The bytes of the part. They are empty if the part describes the combined meaning of other parts.
    pub bytes: &'a [u8],
    /// The meaning of the part, as text.
    pub value: &'a str,
    /// Whether the part is valid, or `None` if this cannot be checked. A checksum is valid if it matches its bytes.
    pub intact: Option<bool>,
    /// Whether the part is within decompressed bytes.
    pub unpacked: bool,
    /// Whether the part contains no other parts.
    pub leaf: bool,
}

/// A position within the bytes that a walk describes.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The offset of the first byte, in the file or in the decompressed bytes.
    base: u64,
    unpacked: bool,
}

impl<'a> Cursor<'a> {
    /// Returns a cursor at the beginning of bytes whose offset is `base`.
    pub(super) fn new(bytes: &'a [u8], base: u64) -> Cursor<'a> {
        Cursor { bytes, at: 0, base, unpacked: false }
    }

    /// Returns a cursor at the beginning of decompressed bytes.
    pub(super) fn unpacked(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0, base: 0, unpacked: true }
    }

    /// Returns the remaining bytes.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Returns the offset.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Returns a cursor at the same position, followed by at most `size` bytes.
    pub(super) fn within(&self, size: usize) -> Cursor<'a> {
        let end = self.at.saturating_add(size).min(self.bytes.len());
        Cursor { bytes: self.bytes.get(..end).unwrap_or_default(), ..*self }
    }

    /// Advances by `size` bytes and returns them, or returns `None` if fewer remain.
    pub(super) fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let taken = self.rest().get(..size)?;
        self.at += size;
        Some(taken)
    }
}

/// A walk over the parts of a file: the function that receives the parts, and the level of detail.
pub(super) struct Walk<'w> {
    see: &'w mut dyn FnMut(&Part<'_>),
    /// Whether records, entries, strings and numbers are described one by one.
    pub(super) all: bool,
    depth: usize,
    /// Whether the walk only finds the end of a group, and does not describe its parts.
    silent: bool,
}

impl<'w> Walk<'w> {
    pub(super) fn new(see: &'w mut dyn FnMut(&Part<'_>), all: bool) -> Walk<'w> {
        Walk { see, all, depth: 0, silent: false }
    }

    fn tell(&mut self, cursor: &Cursor, bytes: &[u8], name: &str, value: &str, intact: Option<bool>, leaf: bool) {
        if self.silent {
            return;
        }
        let (depth, unpacked, offset) = (self.depth, cursor.unpacked, cursor.offset());
        (self.see)(&Part { depth, name, offset, bytes, value, intact, unpacked, leaf });
    }

    /// Describes the meaning of bytes that are described separately.
    pub(super) fn note(&mut self, cursor: &Cursor, name: &str, value: &str) {
        self.tell(cursor, &[], name, value, None, true);
    }

    /// Describes the next bytes as one part. `value` returns the meaning of the bytes.
    pub(super) fn leaf<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &str,
        size: usize,
        value: impl FnOnce(&[u8]) -> String,
    ) -> Option<&'a [u8]> {
        self.checked(cursor, name, size, |bytes| (value(bytes), None))
    }

    /// Describes the next bytes like `leaf`, if their validity can be checked.
    pub(super) fn checked<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &str,
        size: usize,
        value: impl FnOnce(&[u8]) -> (String, Option<bool>),
    ) -> Option<&'a [u8]> {
        let before = *cursor;
        let bytes = cursor.take(size)?;
        if !self.silent {
            let (value, intact) = value(bytes);
            self.tell(&before, bytes, name, &value, intact, true);
        }
        Some(bytes)
    }

    /// Describes a number of `size` bytes.
    pub(super) fn number(&mut self, cursor: &mut Cursor, name: &str, size: usize) -> Option<u64> {
        self.leaf(cursor, name, size, |bytes| number(bytes).to_string()).map(number)
    }

    /// Describes bytes that have only one valid value.
    pub(super) fn constant(&mut self, cursor: &mut Cursor, name: &str, expected: &[u8]) -> Option<()> {
        self.checked(cursor, name, expected.len(), |bytes| (shown(bytes), Some(bytes == expected))).map(drop)
    }

    /// Describes bytes without interpreting them.
    pub(super) fn plain<'a>(&mut self, cursor: &mut Cursor<'a>, name: &str, size: usize) -> Option<&'a [u8]> {
        self.leaf(cursor, name, size, shown)
    }

    /// Describes a checksum. `found` is the checksum computed from the covered bytes.
    pub(super) fn checksum(&mut self, cursor: &mut Cursor, name: &str, found: u32) -> Option<()> {
        self.checked(cursor, name, 4, |bytes| {
            let expected = number(bytes) as u32;
            (format!("{expected:08x}"), Some(expected == found))
        })
        .map(drop)
    }

    /// Describes a varint.
    pub(super) fn varint(&mut self, cursor: &mut Cursor, name: &str) -> Option<u64> {
        let mut bytes = Bytes(cursor.rest());
        let value = bytes.varint()?;
        let size = cursor.rest().len() - bytes.0.len();
        self.leaf(cursor, name, size, |_| value.to_string())?;
        Some(value)
    }

    /// Describes a varint that states a number of items.
    pub(super) fn count(&mut self, cursor: &mut Cursor, name: &str) -> Option<usize> {
        usize::try_from(self.varint(cursor, name)?).ok()
    }

    /// Describes a string: its length and its bytes.
    pub(super) fn string<'a>(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Option<&'a [u8]> {
        let mut bytes = Bytes(cursor.rest());
        let string = bytes.string()?;
        let size = cursor.rest().len() - bytes.0.len();
        self.leaf(cursor, name, size, |_| text(string))?;
        Some(string)
    }

    /// Describes a group, and then the parts over which `parts` walks. Returns `None` if a part is invalid, after
    /// describing the readable parts.
    pub(super) fn group<'a, T>(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &str,
        value: &str,
        parts: impl Fn(&mut Walk, &mut Cursor<'a>) -> Option<T>,
    ) -> Option<T> {
        let mut found = None;
        self.group_of(cursor, name, value, &mut |walk, cursor| {
            found = parts(walk, cursor);
            found.is_some()
        });
        found
    }

    /// Describes a group like `group`. `parts` returns whether all parts are valid.
    fn group_of<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &str,
        value: &str,
        parts: &mut dyn FnMut(&mut Walk, &mut Cursor<'a>) -> bool,
    ) {
        if self.silent {
            parts(self, cursor);
            return;
        }
        let mut probe = *cursor;
        self.silent = true;
        let is_read = parts(self, &mut probe);
        self.silent = false;
        let size = if is_read { probe.at - cursor.at } else { cursor.rest().len() };
        let (before, bytes) = (*cursor, cursor.rest().get(..size).unwrap_or_default());
        self.tell(&before, bytes, name, value, (!is_read).then_some(false), false);
        self.depth += 1;
        parts(self, cursor);
        if !is_read {
            self.rest(cursor, "unreadable");
        }
        self.depth -= 1;
    }

    /// Describes the remaining bytes, if any.
    pub(super) fn rest(&mut self, cursor: &mut Cursor, name: &str) {
        let size = cursor.rest().len();
        if size > 0 {
            self.leaf(cursor, name, size, |_| String::new());
        }
    }

    /// Describes many similar parts: one by one with `all`, otherwise together as one part. `each` must advance by at
    /// least one byte.
    pub(super) fn many<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &str,
        count: usize,
        each: impl Fn(&mut Walk, &mut Cursor<'a>, usize) -> Option<()>,
    ) -> Option<()> {
        self.many_of(cursor, name, count, &each)
    }

    fn many_of<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        name: &str,
        count: usize,
        each: &dyn Fn(&mut Walk, &mut Cursor<'a>, usize) -> Option<()>,
    ) -> Option<()> {
        if count == 0 {
            return Some(());
        }
        let all = self.all;
        if all {
            return self.group(cursor, name, &count.to_string(), |walk, cursor| {
                (0..count).try_for_each(|number| each(walk, cursor, number))
            });
        }
        let mut probe = *cursor;
        let was = std::mem::replace(&mut self.silent, true);
        let read = (0..count).try_for_each(|number| each(self, &mut probe, number));
        self.silent = was;
        read?;
        self.leaf(cursor, name, probe.at - cursor.at, |_| count.to_string()).map(drop)
    }
}

/// Returns the number that these bytes represent, with the lowest byte first.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Returns bytes as quoted text, with escapes if they are not valid UTF-8.
pub(super) fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("\"{}\"", bytes.escape_ascii()),
    }
}

/// Returns a few bytes in hexadecimal, or a summary of many bytes.
pub(super) fn shown(bytes: &[u8]) -> String {
    if bytes.len() > 4 && bytes.iter().all(|byte| *byte == 0) {
        return "zeros".to_owned();
    }
    let hex: String = bytes.iter().take(32).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > 32 { format!("{hex}..") } else { hex }
}

//! Reading and writing of numbers, strings and compressed parts; readers return `None` where bytes are missing or
//! malformed.

use super::budget::with_room;
use super::limits::Limits;
use byteorder::{LittleEndian, ReadBytesExt};
use std::cell::RefCell;
use std::io::{self, Read};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

// What zstd works with is kept by each thread: to make it and to fill it with zeros costs more than a small part does.
thread_local! {
    /// For levels of `MOST_KEPT` at most; an import needs two of them in turns.
    static COMPRESSORS: RefCell<Vec<(Effort, Compressor<'static>)>> = const { RefCell::new(Vec::new()) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The highest level whose compressor is kept: those beyond take many megabytes, and long enough for a new one.
const MOST_KEPT: i32 = 9;

/// Up to this level columns of numbers are compressed with less effort.
const COLUMNS: i32 = 4;

/// How hard zstd looks for what recurs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Level(i32),
    /// Level 1, but with matches from four bytes on: what recurs in columns of numbers is short. An archive without
    /// comments is a thousandth larger than with level 4, and made in a thirtieth less time.
    Columns,
}

impl Effort {
    fn compressor(self) -> io::Result<Compressor<'static>> {
        match self {
            Effort::Level(level) => Compressor::new(level),
            Effort::Columns => {
                let mut compressor = Compressor::new(1)?;
                compressor.set_parameter(CParameter::MinMatch(4))?;
                Ok(compressor)
            }
        }
    }
}

/// A cursor over untrusted bytes.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.0.read_u8().ok()
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.0.read_u16::<LittleEndian>().ok()
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.0.read_u32::<LittleEndian>().ok()
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.0.read_u64::<LittleEndian>().ok()
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut array = [0; N];
        self.0.read_exact(&mut array).ok()?;
        Some(array)
    }

    /// LEB128: seven bits a byte, lowest first; at most ten bytes, and no more than the number needs.
    pub(crate) fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            if shift == 63 && byte > 1 {
                return None;
            }
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return (byte != 0 || shift == 0).then_some(value);
            }
        }
        None
    }

    /// A varint that counts things in memory.
    pub(crate) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.varint()?).ok()
    }

    /// A length as a varint, and that many bytes.
    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.count()?;
        self.take(length)
    }
}

pub(crate) fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn push_string(text: &[u8], out: &mut Vec<u8>) {
    push_varint(text.len() as u64, out);
    out.extend_from_slice(text);
}

/// Appends a compressed part: the raw length as a varint, one byte (0 stored, 1 a zstd frame), the bytes to the end.
pub(crate) fn push_compressed(raw: &[u8], level: i32, out: &mut Vec<u8>) {
    push_with(raw, Effort::Level(level), out);
}

/// `push_compressed` for columns of numbers.
pub(crate) fn push_columns(raw: &[u8], level: i32, out: &mut Vec<u8>) {
    push_with(raw, if level <= COLUMNS { Effort::Columns } else { Effort::Level(level) }, out);
}

fn push_with(raw: &[u8], effort: Effort, out: &mut Vec<u8>) {
    push_varint(raw.len() as u64, out);
    match compress(raw, effort) {
        Ok(frame) if frame.len() < raw.len() && raw.len() / Limits::DEFAULT.ratio <= frame.len() => {
            out.push(1);
            out.extend_from_slice(&frame);
        }
        _ => {
            out.push(0);
            out.extend_from_slice(raw);
        }
    }
}

fn compress(raw: &[u8], effort: Effort) -> io::Result<Vec<u8>> {
    if let Effort::Level(level) = effort
        && level > MOST_KEPT
    {
        return zstd::bulk::compress(raw, level);
    }
    COMPRESSORS.with_borrow_mut(|kept| {
        if let Some((_, compressor)) = kept.iter_mut().find(|(of, _)| *of == effort) {
            return compressor.compress(raw);
        }
        let mut compressor = effort.compressor()?;
        let frame = compressor.compress(raw);
        kept.push((effort, compressor));
        frame
    })
}

/// Reads what `push_compressed` wrote; `bytes` must end where the part does, and have been checked against their CRC.
pub(crate) fn read_compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    read_compressed_within(bytes, &Limits::DEFAULT)
}

/// Reads a compressed part that stays within the limits.
pub(crate) fn read_compressed_within(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let mut bytes = Bytes(bytes);
    let length = bytes.count()?;
    let how = bytes.u8()?;
    let body = bytes.0;
    match how {
        0 if body.len() == length => {
            let mut raw = with_room(length)?;
            raw.extend_from_slice(body);
            Some(raw)
        }
        1 if length <= limits.part && length / limits.ratio <= body.len() => {
            let mut raw = with_room(length)?;
            let written = DECOMPRESSOR.with_borrow_mut(|kept| -> io::Result<usize> {
                let decompressor = match kept {
                    Some(kept) => kept,
                    None => kept.insert(Decompressor::new()?),
                };
                decompressor.decompress_to_buffer(body, &mut raw)
            });
            (written.ok()? == length).then_some(raw)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_expands_to_its_limits_and_not_beyond() {
        let frame = |length: usize| {
            let mut part = Vec::new();
            push_compressed(&b"chess ".repeat(length)[..length], 3, &mut part);
            part
        };
        let limits = Limits { part: 5000, ..Limits::DEFAULT };
        assert!(read_compressed_within(&frame(5000), &limits).is_some());
        assert!(read_compressed_within(&frame(5001), &limits).is_none());
        // The least rate at which 5,000 bytes may come of so many.
        let part = frame(5000);
        let body = part.len() - 3;
        let ratio = 5000 / (body + 1) + 1;
        assert!(read_compressed_within(&part, &Limits { ratio, ..limits }).is_some());
        assert!(read_compressed_within(&part, &Limits { ratio: ratio - 1, ..limits }).is_none());
        // A frame that says more than it has gives nothing, nor does one that has more than it says.
        for false_length in [4999u64, 5001] {
            let mut part = Vec::new();
            push_varint(false_length, &mut part);
            part.extend_from_slice(&frame(5000)[2..]);
            assert!(read_compressed(&part).is_none());
        }
    }
}

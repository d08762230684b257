//! Reading and writing of numbers, strings and compressed parts; readers return `None` where bytes are missing or malformed.

use byteorder::{LittleEndian, ReadBytesExt};
use std::io::Read;

/// A part that expands to more than this many times its compressed size is stored as it is.
const MAX_RATIO: usize = 1024;
/// The most that one compressed part may expand to, in bytes.
pub(crate) const MAX_PART: usize = 1 << 30;

/// A cursor over foreign bytes.
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

    /// LEB128: seven bits a byte, lowest first; at most ten bytes.
    pub(crate) fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            if shift == 63 && byte > 1 {
                return None;
            }
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
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
    push_varint(raw.len() as u64, out);
    match zstd::bulk::compress(raw, level) {
        Ok(frame) if frame.len() < raw.len() && raw.len() / MAX_RATIO <= frame.len() => {
            out.push(1);
            out.extend_from_slice(&frame);
        }
        _ => {
            out.push(0);
            out.extend_from_slice(raw);
        }
    }
}

/// Reads what `push_compressed` wrote; `bytes` must end where the part does, and have been checked against their CRC.
pub(crate) fn read_compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Bytes(bytes);
    let length = bytes.count()?;
    let how = bytes.u8()?;
    let body = bytes.0;
    match how {
        0 if body.len() == length => Some(body.to_vec()),
        1 if length <= MAX_PART && length / MAX_RATIO <= body.len() => {
            zstd::bulk::decompress(body, length).ok().filter(|raw| raw.len() == length)
        }
        _ => None,
    }
}

//! The document's second notation: the same code with its bit fields in another order (FORMAT.md, "The alternate notation").

use super::{EXPLICIT, NAG, TEXT};

/// The pawn's `mm` of the table (step 1, step 2, take right, take left) in the alternate notation.
const PAWN: [u8; 4] = [1, 2, 0, 3];
/// The unassigned bytes C0 to C7 in the alternate notation.
const EXTENSIONS: [u8; 8] = [0x48, 0x58, 0x68, 0x78, 0x88, 0x98, 0xA8, 0xB8];

/// Main notation to alternate, byte by byte: a bijection.
pub static TO_ALTERNATE: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0u8;
    loop {
        table[byte as usize] = swap(byte);
        if byte == 255 {
            break;
        }
        byte += 1;
    }
    table
};

/// Alternate notation to main.
pub static FROM_ALTERNATE: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0u8;
    loop {
        table[swap(byte) as usize] = byte;
        if byte == 255 {
            break;
        }
        byte += 1;
    }
    table
};

const fn swap(byte: u8) -> u8 {
    let (nnn, ddd) = (byte >> 3 & 7, byte & 7);
    let (w, dd) = (byte >> 6 & 1, byte >> 1 & 3);
    match byte {
        0x20..=0x3F => 0x20 | PAWN[(byte >> 3 & 3) as usize] << 3 | ddd,
        // Prefixes: 11 dd 0 000 queen, 11 dd 1 000 knight, 10 dd 0 000 rook, 01 dd 0 000 bishop.
        0x40..=0x47 => 0xC0 | dd << 4 | (byte & 1) << 3,
        0x80..=0x87 => (if byte & 1 == 0 { 0x80 } else { 0x40 }) | dd << 4,
        0xC0..=0xC7 => EXTENSIONS[ddd as usize],
        0x48..=0x7F => 0xC0 | ddd << 3 | nnn,
        0x88..=0xFF => (if byte & 1 == 0 { 0x80 } else { 0x40 }) | dd << 4 | w << 3 | nnn,
        _ => byte,
    }
}

/// Returns a stream with inline texts in the alternate notation. Texts, and the bytes after an explicit move's or a NAG's, are copied.
pub fn to_alternate(stream: &[u8]) -> Vec<u8> {
    transcode(stream, &TO_ALTERNATE, EXPLICIT, NAG)
}

/// Returns a stream of the alternate notation in the main one; the inverse of [`to_alternate`] on every byte string.
pub fn from_alternate(stream: &[u8]) -> Vec<u8> {
    transcode(stream, &FROM_ALTERNATE, swap(EXPLICIT), swap(NAG))
}

fn transcode(stream: &[u8], table: &[u8; 256], explicit: u8, nag: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(stream.len());
    let mut rest = stream;
    while let [byte, tail @ ..] = rest {
        let copied = match *byte {
            TEXT => memchr::memchr(TEXT, tail).map_or(tail.len(), |end| end + 1),
            byte if byte == explicit => 2,
            byte if byte == nag => 1,
            _ => 0,
        };
        let (copy, after) = tail.split_at(copied.min(tail.len()));
        out.push(table[*byte as usize]);
        out.extend_from_slice(copy);
        rest = after;
    }
    out
}

//! Stores columns of numbers as planes: the lowest bytes of all numbers, then the next bytes, and so on.

use crate::format::budget;
use crate::format::wire::{Bytes, Mixed};

/// Returns the number of bytes that the greatest number needs, or 0 if all numbers are 0.
pub(super) fn width(numbers: &[u64]) -> u8 {
    let all = numbers.iter().fold(0, |all, number| all | number);
    (64 - all.leading_zeros()).div_ceil(8) as u8
}

/// Appends the lowest bytes of all numbers, then the next bytes, and so on. Similar bytes are then adjacent, and zstd
/// can compress each plane separately.
pub(super) fn push_planes(numbers: &[u64], out: &mut Mixed) {
    out.end_kind();
    for plane in 0..width(numbers) {
        out.bytes.extend(numbers.iter().map(|number| (number >> (8 * plane)) as u8));
        out.end_kind();
    }
}

/// Reads `count` numbers with a width of at most 8 bytes.
pub(super) fn read_planes(bytes: &mut Bytes, width: u8, count: usize) -> Option<Vec<u64>> {
    if width > 8 {
        return None;
    }
    let planes = bytes.take(count.checked_mul(usize::from(width))?)?;
    let mut numbers = budget::alike(0, count)?;
    for (plane, bytes) in planes.chunks_exact(count.max(1)).enumerate() {
        for (number, byte) in numbers.iter_mut().zip(bytes) {
            *number |= u64::from(*byte) << (8 * plane);
        }
    }
    Some(numbers)
}

/// Appends the width of a column and its planes.
pub(in crate::format) fn push_column(numbers: &[u64], out: &mut Mixed) {
    out.bytes.push(width(numbers));
    push_planes(numbers, out);
}

/// Reads a column of `count` numbers, which begins with its width.
pub(in crate::format) fn read_column(bytes: &mut Bytes, count: usize) -> Option<Vec<u64>> {
    let width = bytes.u8()?;
    read_planes(bytes, width, count)
}

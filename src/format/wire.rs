//! Reads and writes numbers, strings and compressed parts. Reading functions return `None` for missing or malformed
//! bytes.

use super::budget::{Allowance, Budget, Cost, RAW, with_room};
use super::limits::Limits;
use crate::format::refused::{refused_memory, unassigned};
use byteorder::{LittleEndian, ReadBytesExt};
use std::cell::RefCell;
use std::io::{self, Read};
use zstd::bulk::{Compressor, Decompressor};
use zstd::stream::raw::{Decoder as StreamDecoder, Operation};
use zstd::zstd_safe::{
    CParameter, DCtx, InBuffer, OutBuffer, ResetDirective, SafeResult, compress_bound, find_frame_compressed_size,
    get_error_name,
};

/// The first bytes of a zstd frame (RFC 8878, section 3.1.1). A skippable frame begins with other bytes.
const FRAME: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

// Each thread keeps its own zstd contexts. Allocating a context and filling it with zeros takes longer than compressing
// a small part with it.
thread_local! {
    /// The compressors for levels up to `MOST_KEPT`. An import alternates between two levels.
    static COMPRESSORS: RefCell<Vec<(Effort, Compressor<'static>)>> = const { RefCell::new(Vec::new()) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    /// The decompressor of beginnings.
    static STREAM: RefCell<Option<StreamDecoder<'static>>> = const { RefCell::new(None) };
}

/// The highest level for which a thread keeps the compressor. Compressors of higher levels take many megabytes, and
/// compress so slowly that creating one hardly matters.
const MOST_KEPT: i32 = 9;

/// The highest level at which columns of numbers are compressed with less effort.
const COLUMNS: i32 = 4;

/// How thoroughly zstd searches for repetitions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Level(i32),
    /// Level 1 with a minimum match length of four bytes, because repetitions in columns of numbers are short. Compared
    /// with level 4, an archive without comments is 0.1 % larger, and writing it takes 3 % less time.
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
pub struct Bytes<'a>(pub &'a [u8]);

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

    /// Reads a LEB128 number: seven bits per byte, from the lowest bits. The number must have at most ten bytes, and no
    /// superfluous byte.
    #[doc(hidden)]
    pub fn varint(&mut self) -> Option<u64> {
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

    /// Reads a varint that states a number of items in memory.
    #[doc(hidden)]
    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(self.varint()?).ok()
    }

    /// Reads a length as a varint, and then as many bytes.
    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.count()?;
        self.take(length)
    }
}

pub fn push_varint(mut value: u64, out: &mut Vec<u8>) {
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

/// Appends a compressed part: the raw length as a varint, one byte (0 stored, 1 zstd frame), and then the stored bytes
/// or the frame.
///
/// The part is stored uncompressed if a frame would contain too few bytes for the part's charge.
pub(crate) fn push_compressed(raw: &[u8], level: i32, cost: Cost, out: &mut Vec<u8>) {
    push_with(raw, &[], Effort::Level(level), cost, out);
}

/// Bytes of several kinds that form one compressed part, such as random numbers, small numbers and texts.
///
/// zstd codes each of its blocks by the frequencies of bytes in that block, so each kind of bytes is stored in a
/// separate block.
#[derive(Default)]
pub(crate) struct Mixed {
    pub(crate) bytes: Vec<u8>,
    /// The end offset of each kind's bytes.
    ends: Vec<usize>,
}

/// The minimum size of a block for one kind of bytes. In smaller blocks, a table of frequencies costs more than it
/// saves.
const LEAST_BLOCK: usize = 256;

impl Mixed {
    /// Ends the current kind. The following bytes belong to the next kind.
    pub(crate) fn end_kind(&mut self) {
        if self.bytes.len() >= self.ends.last().unwrap_or(&0) + LEAST_BLOCK {
            self.ends.push(self.bytes.len());
        }
    }

    /// Inserts bytes before all other bytes.
    pub(crate) fn prepend(&mut self, mut head: Vec<u8>) {
        self.ends.iter_mut().for_each(|end| *end += head.len());
        head.append(&mut self.bytes);
        self.bytes = head;
    }

    /// Reads a compressed part. Each block of its frame becomes a kind.
    pub(crate) fn read(part: &[u8], allowance: Allowance) -> Option<Mixed> {
        let bytes = read_compressed(part, allowance)?;
        let mut frame = Bytes(part);
        frame.varint()?;
        let ends = if frame.u8()? == 1 { block_ends(frame, bytes.len()).unwrap_or_default() } else { Vec::new() };
        Some(Mixed { bytes, ends })
    }

    /// Appends the bytes as a compressed part.
    pub(crate) fn push(&self, level: i32, cost: Cost, out: &mut Vec<u8>) {
        push_with(&self.bytes, &self.ends, Effort::Level(level), cost, out);
    }

    /// Appends the bytes like `push`, but with the effort for columns of numbers.
    pub(crate) fn push_columns(&self, level: i32, cost: Cost, out: &mut Vec<u8>) {
        let effort = if level <= COLUMNS { Effort::Columns } else { Effort::Level(level) };
        push_with(&self.bytes, &self.ends, effort, cost, out);
    }
}

fn push_with(raw: &[u8], ends: &[usize], effort: Effort, cost: Cost, out: &mut Vec<u8>) {
    push_varint(raw.len() as u64, out);
    match compress(raw, ends, effort) {
        Ok(frame) if frame.len() < raw.len() && cost.least(raw.len()) <= frame.len() => {
            out.push(1);
            out.extend_from_slice(&frame);
        }
        _ => {
            out.push(0);
            out.extend_from_slice(raw);
        }
    }
}

/// Returns a frame with block boundaries at `ends`. zstd may add other boundaries.
fn compress(raw: &[u8], ends: &[usize], effort: Effort) -> io::Result<Vec<u8>> {
    if let Effort::Level(level) = effort
        && level > MOST_KEPT
    {
        return compress_by(&mut effort.compressor()?, raw, ends);
    }
    COMPRESSORS.with_borrow_mut(|kept| {
        if let Some((_, compressor)) = kept.iter_mut().find(|(of, _)| *of == effort) {
            return compress_by(compressor, raw, ends);
        }
        let mut compressor = effort.compressor()?;
        let frame = compress_by(&mut compressor, raw, ends);
        kept.push((effort, compressor));
        frame
    })
}

fn compress_by(compressor: &mut Compressor, raw: &[u8], ends: &[usize]) -> io::Result<Vec<u8>> {
    if ends.is_empty() {
        return compressor.compress(raw);
    }
    let checked = |result: SafeResult| result.map_err(|code| io::Error::other(get_error_name(code)));
    let context = compressor.context_mut();
    checked(context.reset(ResetDirective::SessionOnly))?;
    checked(context.set_pledged_src_size(Some(raw.len() as u64)))?;
    let mut frame: Vec<u8> = Vec::with_capacity(compress_bound(raw.len()) + 16 * ends.len());
    let (mut out, mut begin) = (OutBuffer::around(&mut frame), 0);
    for end in ends.iter().copied().filter(|end| *end < raw.len()).chain([raw.len()]) {
        let mut kind = InBuffer { src: raw.get(..end).unwrap_or(raw), pos: begin };
        checked(context.compress_stream(&mut out, &mut kind))?;
        let left = if end < raw.len() { context.flush_stream(&mut out) } else { context.end_stream(&mut out) };
        // The output buffer is large enough for any input, so compression always completes.
        if checked(left)? > 0 || kind.pos < end {
            return Err(io::ErrorKind::WriteZero.into());
        }
        begin = end;
    }
    Ok(frame)
}

/// Returns the end offsets of a frame's blocks (RFC 8878, section 3.1.1) in the decompressed bytes, whose length is
/// `length`.
fn block_ends(mut frame: Bytes, length: usize) -> Option<Vec<usize>> {
    let mut context = DCtx::create();
    let mut raw: Vec<u8> = with_room(length)?;
    let mut out = OutBuffer::around(&mut raw);
    let mut decompress = |bytes: &[u8]| {
        let mut input = InBuffer::around(bytes);
        while input.pos < bytes.len() {
            context.decompress_stream(&mut out, &mut input).ok()?;
        }
        Some(out.pos())
    };
    let frame_bytes = frame.0;
    frame.take(4)?;
    let descriptor = frame.u8()?;
    let is_single = descriptor & 0x20 != 0;
    let of_dictionary = (1 << (descriptor & 3)) >> 1;
    let of_length = if descriptor >> 6 == 0 { usize::from(is_single) } else { 1 << (descriptor >> 6) };
    frame.take(usize::from(!is_single) + of_dictionary + of_length)?;
    decompress(frame_bytes.get(..frame_bytes.len() - frame.0.len())?)?;
    let mut ends = Vec::new();
    loop {
        let [a, b, c] = *frame.0.first_chunk()?;
        let header = u32::from_le_bytes([a, b, c, 0]);
        let size = if header >> 1 & 3 == 1 { 1 } else { header >> 3 };
        ends.push(decompress(frame.take(3 + size as usize)?)?);
        if header & 1 == 1 {
            return Some(ends);
        }
    }
}

/// Reads a compressed part within the default budget.
pub(crate) fn read_compressed(bytes: &[u8], allowance: Allowance) -> Option<Vec<u8>> {
    read_compressed_within(bytes, &mut Budget::new(bytes.len(), allowance, &Limits::DEFAULT))
}

/// Reads a part that `push_compressed` has written, and deducts the charge of its raw bytes from the budget. `bytes`
/// must end with the part, and its CRC must have been verified.
pub(crate) fn read_compressed_within(bytes: &[u8], budget: &mut Budget) -> Option<Vec<u8>> {
    let mut bytes = Bytes(bytes);
    let length = bytes.count()?;
    budget.draw(length, RAW)?;
    let how = bytes.u8()?;
    let body = bytes.0;
    match how {
        0 if body.len() == length => {
            let mut raw = with_room(length)?;
            raw.extend_from_slice(body);
            Some(raw)
        }
        1 => read_frame(body, length),
        0 => None,
        number => unassigned("codings of compressed parts", number),
    }
}

/// Decompresses bytes that are exactly one frame of `length` bytes.
fn read_frame(frame: &[u8], length: usize) -> Option<Vec<u8>> {
    // Unlike this function, the decompressor would also accept an empty input, several frames, and skippable frames.
    if !frame.starts_with(&FRAME) || find_frame_compressed_size(frame) != Ok(frame.len()) {
        return None;
    }
    let mut raw = with_room(length)?;
    let written = DECOMPRESSOR.with_borrow_mut(|kept| -> io::Result<usize> {
        let decompressor = match kept {
            Some(kept) => kept,
            None => kept.insert(Decompressor::new()?),
        };
        decompressor.decompress_to_buffer(frame, &mut raw)
    });
    match written {
        Ok(written) => (written == length).then_some(raw),
        // The text of zstd's error code for memory (its zstd_errors.h).
        Err(error) if error.to_string().starts_with("Allocation error") => refused_memory(length),
        Err(_) => None,
    }
}

/// Appends a stored part, whose raw length the reader knows: the stored length as a varint, and then nothing if all
/// bytes are zero, or a zstd frame, or the raw bytes if no frame is shorter.
pub(crate) fn push_stored(raw: &[u8], level: i32, out: &mut Vec<u8>) {
    if raw.iter().all(|byte| *byte == 0) {
        return push_varint(0, out);
    }
    match compress(raw, &[], Effort::Level(level)) {
        Ok(frame) if frame.len() < raw.len() => push_string(&frame, out),
        _ => push_string(raw, out),
    }
}

/// Reads a part that `push_stored` has written, of `length` raw bytes. Their CRC must have been verified, and the
/// caller must have limited the length.
pub(crate) fn read_stored(bytes: &mut Bytes, length: usize) -> Option<Vec<u8>> {
    let stored = bytes.string()?;
    match stored.len() {
        0 => {
            let mut raw = with_room(length)?;
            raw.resize(length, 0);
            Some(raw)
        }
        same if same == length => {
            let mut raw = with_room(length)?;
            raw.extend_from_slice(stored);
            Some(raw)
        }
        less if less < length => read_frame(stored, length),
        _ => None,
    }
}

/// Returns the first bytes of a compressed part, at most `most`, without checking the rest.
pub(crate) fn read_beginning(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut bytes = Bytes(bytes);
    bytes.count()?;
    let how = bytes.u8()?;
    let mut first = Vec::new();
    match how {
        0 => first.extend_from_slice(bytes.0.get(..most).unwrap_or(bytes.0)),
        1 => {
            first.resize(most, 0);
            let length = STREAM.with_borrow_mut(|kept| -> io::Result<usize> {
                let stream = match kept {
                    Some(kept) => kept,
                    None => kept.insert(StreamDecoder::new()?),
                };
                stream.reinit()?;
                let (mut from, mut into) = (InBuffer::around(bytes.0), OutBuffer::around(first.as_mut_slice()));
                while into.pos() < most && from.pos() < bytes.0.len() {
                    stream.run(&mut from, &mut into)?;
                }
                Ok(into.pos())
            });
            first.truncate(length.ok()?);
        }
        _ => return None,
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_blocks_of_their_own() {
        let cost = Cost { charge: 0, allowance: Allowance::Chunk(10_000) };
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 56) as u8
        };
        let kinds: [Vec<u8>; 4] = [
            (0..3000).map(|_| next()).collect(),
            vec![7; 2000],
            (0..5000).map(|_| next() % 3).collect(),
            // More than a block can have.
            (0..400_000).map(|_| b'a' + next() % 16).collect(),
        ];
        let mut mixed = Mixed::default();
        for kind in &kinds {
            // A part that is too short for a block is joined with the next kind.
            for part in [&kind[..LEAST_BLOCK - 1], &kind[LEAST_BLOCK - 1..]] {
                mixed.bytes.extend_from_slice(part);
                mixed.end_kind();
            }
        }
        mixed.prepend(b"a head".to_vec());
        let ends = [3006, 5006, 10006, 410_006];
        assert_eq!(mixed.ends, ends);
        for level in [1, 4, 9, 19] {
            let (mut part, mut columns, mut plain) = (Vec::new(), Vec::new(), Vec::new());
            mixed.push(level, cost, &mut part);
            mixed.push_columns(level, cost, &mut columns);
            push_compressed(&mixed.bytes, level, cost, &mut plain);
            assert!(level > 9 || part.len() < plain.len(), "level {level}: {} {}", part.len(), plain.len());
            for part in [part, columns] {
                assert_eq!(read_compressed(&part, cost.allowance).as_deref(), Some(&*mixed.bytes));
                let read = Mixed::read(&part, cost.allowance).unwrap();
                assert_eq!(read.bytes, mixed.bytes);
                assert!(ends.iter().all(|end| read.ends.contains(end)), "{:?}", read.ends);
                // With the blocks it was found with it is as small again.
                let mut again = Vec::new();
                read.push(level, cost, &mut again);
                assert!(again.len() <= part.len().max(plain.len()));
            }
        }
        // A stored part loses nothing.
        let mut part = Vec::new();
        let stored = Mixed { bytes: kinds[0].clone(), ends: vec![1000] };
        stored.push(4, cost, &mut part);
        assert_eq!(Mixed::read(&part, cost.allowance).unwrap().bytes, kinds[0]);
        assert_eq!(part[2], 0);
    }

    #[test]
    fn a_part_expands_to_its_budget_and_not_beyond() {
        let free = Cost { charge: 0, allowance: Allowance::Chunk(1000) };
        let frame = |length: usize| {
            let mut part = Vec::new();
            push_compressed(&b"chess ".repeat(length)[..length], 3, free, &mut part);
            part
        };
        let part = frame(5000);
        let limits = |allowance| Limits { allowance_per_byte: 64, allowance, ..Limits::DEFAULT };
        let read = |allowance| {
            let mut budget = Budget::new(part.len(), Allowance::Block, &limits(allowance));
            read_compressed_within(&part, &mut budget)
        };
        let least = 2 * 5000 - 64 * part.len();
        assert_eq!(read(least).map(|raw| raw.len()), Some(5000));
        assert!(read(least - 1).is_none());
        // A frame that claims more than it has is refused, and so is one that has more than it claims.
        for false_length in [4999u64, 5001] {
            let mut part = Vec::new();
            push_varint(false_length, &mut part);
            part.extend_from_slice(&frame(5000)[2..]);
            assert!(read_compressed(&part, Allowance::Block).is_none());
        }
        // The writer stores parts that a reader would refuse compressed.
        let zeros = vec![0; 1 << 20];
        let mut part = Vec::new();
        push_compressed(&zeros, 3, Cost { charge: 0, allowance: Allowance::Block }, &mut part);
        assert!(part.len() > zeros.len());
        assert_eq!(read_compressed(&part, Allowance::Block), Some(zeros));
    }
}

//! The directory of a 7-Zip file: the parts of the file that hold compressed data, and the files in each part.
//!
//! Source of the layout: `7zFormat.txt` of the LZMA SDK, which is in the public domain. A directory has an identifier
//! before each member, a 0 after the last member, and numbers of one to nine bytes.

use crate::input::error::SourceError;
use std::io;

/// A part of a 7-Zip file: data that one decoder decompresses, and the files whose texts follow each other in this data.
#[derive(Debug)]
pub(super) struct Part {
    /// The offset in bytes from the end of the file's header, and the number of compressed bytes.
    pub start: u64,
    pub stored: u64,
    pub method: Method,
    /// The number of bytes after decompression.
    pub bytes: u64,
    /// The checksum of all these bytes.
    pub crc: Option<u32>,
    /// Files, with their size and checksum.
    pub files: Vec<Entry>,
}

/// A file in a 7-Zip file.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub name: String,
    pub bytes: u64,
    pub crc: Option<u32>,
}

/// The method that compressed a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Method {
    Copy,
    /// The property byte and the size of the dictionary in bytes.
    Lzma(u8, u32),
    /// The size of the dictionary in bytes.
    Lzma2(u32),
    Deflate,
    Bzip2,
    /// A method that is not read: its description.
    Other(&'static str),
}

/// A directory, or the place of its compressed form.
#[derive(Debug)]
pub(super) enum Directory {
    Parts(Vec<Part>),
    Compressed(Part),
}

const END: u64 = 0x00;
const HEADER: u64 = 0x01;
const PROPERTIES: u64 = 0x02;
const ADDITIONAL: u64 = 0x03;
const MAIN: u64 = 0x04;
const FILES: u64 = 0x05;
const PACKED: u64 = 0x06;
const UNPACKED: u64 = 0x07;
const SUBSTREAMS: u64 = 0x08;
const SIZE: u64 = 0x09;
const CRC: u64 = 0x0A;
const FOLDER: u64 = 0x0B;
const UNPACKED_SIZE: u64 = 0x0C;
const STREAMS: u64 = 0x0D;
const EMPTY: u64 = 0x0E;
const NAMES: u64 = 0x11;
const ENCODED: u64 = 0x17;

type Result<T> = std::result::Result<T, SourceError>;

/// Returns the error for a directory that contradicts itself or ends early.
pub(super) fn damaged() -> SourceError {
    SourceError::Io(io::Error::new(io::ErrorKind::InvalidData, "the directory of this 7-Zip file is damaged"))
}

/// Reads a directory. Memory is proportional to its bytes, because each number of members is checked against the bytes
/// that are left.
pub(super) fn read(bytes: &[u8]) -> Result<Directory> {
    let mut bytes = Bytes(bytes);
    match bytes.number()? {
        HEADER => header(&mut bytes).map(Directory::Parts),
        ENCODED => {
            let mut parts = streams(&mut bytes)?.into_iter();
            match (parts.next(), parts.next()) {
                (Some(part), None) => Ok(Directory::Compressed(part)),
                _ => Err(damaged()),
            }
        }
        _ => Err(damaged()),
    }
}

fn header(bytes: &mut Bytes<'_>) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    loop {
        match bytes.number()? {
            END => return Ok(parts),
            PROPERTIES => {
                while bytes.number()? != END {
                    let length = bytes.number()?;
                    bytes.take(length)?;
                }
            }
            ADDITIONAL => drop(streams(bytes)?),
            MAIN => parts = streams(bytes)?,
            FILES => files(bytes, &mut parts)?,
            _ => return Err(damaged()),
        }
    }
}

/// Reads the places, methods and sizes of data. Each part has unnamed files.
fn streams(bytes: &mut Bytes<'_>) -> Result<Vec<Part>> {
    let (mut start, mut stored, mut folders) = (0, Vec::new(), Vec::new());
    let mut parts = Vec::new();
    loop {
        match bytes.number()? {
            END => {
                return if parts.is_empty() { substreams(None, start, &stored, folders) } else { Ok(parts) };
            }
            PACKED => (start, stored) = packed(bytes)?,
            UNPACKED => folders = unpacked(bytes)?,
            SUBSTREAMS => parts = substreams(Some(bytes), start, &stored, std::mem::take(&mut folders))?,
            _ => return Err(damaged()),
        }
    }
}

/// Reads where the compressed data begins, and the size of each of its streams.
fn packed(bytes: &mut Bytes<'_>) -> Result<(u64, Vec<u64>)> {
    let start = bytes.number()?;
    let count = bytes.count()?;
    let mut sizes = Vec::new();
    loop {
        match bytes.number()? {
            END if sizes.len() == count => return Ok((start, sizes)),
            SIZE => sizes = (0..count).map(|_| bytes.number()).collect::<Result<_>>()?,
            CRC => drop(checksums(bytes, count)?),
            _ => return Err(damaged()),
        }
    }
}

/// A decoder and the sizes of its data. 7-Zip calls it a folder.
struct Folder {
    method: Method,
    /// The number of compressed streams that the decoder reads.
    inputs: usize,
    /// The number of streams that the decoder's parts write, of which the last size counts.
    outputs: usize,
    bytes: u64,
    crc: Option<u32>,
}

fn unpacked(bytes: &mut Bytes<'_>) -> Result<Vec<Folder>> {
    let mut folders = Vec::new();
    loop {
        match bytes.number()? {
            END => return Ok(folders),
            FOLDER => {
                let count = bytes.count()?;
                // Definitions in another stream are not written by any known program.
                if bytes.byte()? != 0 {
                    return Err(damaged());
                }
                folders = (0..count).map(|_| folder(bytes)).collect::<Result<_>>()?;
            }
            UNPACKED_SIZE => {
                for folder in &mut folders {
                    for _ in 0..folder.outputs {
                        folder.bytes = bytes.number()?;
                    }
                }
            }
            CRC => {
                let all = checksums(bytes, folders.len())?;
                folders.iter_mut().zip(all).for_each(|(folder, crc)| folder.crc = crc);
            }
            _ => return Err(damaged()),
        }
    }
}

/// Reads the coders of a folder. A folder of several coders is not read: 7-Zip makes them for programs and for
/// encryption.
fn folder(bytes: &mut Bytes<'_>) -> Result<Folder> {
    let coders = bytes.count()?;
    let (mut inputs, mut outputs, mut method) = (0, 0, Method::Other(OTHER));
    for _ in 0..coders {
        let flags = bytes.byte()?;
        let id = bytes.take(u64::from(flags & 0x0F))?;
        let (new_inputs, new_outputs) = if flags & 0x10 == 0 { (1, 1) } else { (bytes.count()?, bytes.count()?) };
        let length = if flags & 0x20 == 0 { 0 } else { bytes.number()? };
        let properties = bytes.take(length)?;
        inputs = new_inputs.saturating_add(inputs);
        outputs = new_outputs.saturating_add(outputs);
        match self::method(id, properties)? {
            Method::Other(ENCRYPTED) => method = Method::Other(ENCRYPTED),
            found if coders == 1 && flags & 0x90 == 0 => method = found,
            _ => {}
        }
    }
    let pairs = outputs.checked_sub(1).ok_or_else(damaged)?;
    for _ in 0..pairs {
        bytes.number()?;
        bytes.number()?;
    }
    let inputs = inputs.checked_sub(pairs).filter(|inputs| *inputs > 0).ok_or_else(damaged)?;
    if inputs > 1 {
        for _ in 0..inputs {
            bytes.number()?;
        }
    }
    Ok(Folder { method, inputs, outputs, bytes: 0, crc: None })
}

const OTHER: &str = "7-Zip (of another method than LZMA, LZMA2, deflate and bzip2)";
const ENCRYPTED: &str = "7-Zip (encrypted)";

fn method(id: &[u8], properties: &[u8]) -> Result<Method> {
    Ok(match (id, properties) {
        ([0x00], _) => Method::Copy,
        ([0x21], [bits @ 0..=40]) => Method::Lzma2(match bits {
            40 => u32::MAX,
            bits => (2 | u32::from(bits & 1)) << (bits / 2 + 11),
        }),
        ([0x03, 0x01, 0x01], [first, a, b, c, d]) => Method::Lzma(*first, u32::from_le_bytes([*a, *b, *c, *d])),
        ([0x21] | [0x03, 0x01, 0x01], _) => return Err(damaged()),
        ([0x04, 0x01, 0x08], _) => Method::Deflate,
        ([0x04, 0x02, 0x02], _) => Method::Bzip2,
        ([0x06, 0xF1, 0x07, 0x01], _) => Method::Other(ENCRYPTED),
        _ => Method::Other(OTHER),
    })
}

/// Reads the sizes and checksums of the files in each folder. Without them, each folder has one file.
fn substreams(bytes: Option<&mut Bytes<'_>>, start: u64, stored: &[u64], folders: Vec<Folder>) -> Result<Vec<Part>> {
    let (mut parts, mut offset, mut sizes) = (Vec::with_capacity(folders.len()), start, stored.iter());
    for folder in folders {
        let mut part_stored = 0u64;
        for index in 0..folder.inputs {
            let size = *sizes.next().ok_or_else(damaged)?;
            part_stored = if index == 0 { size } else { part_stored.checked_add(size).ok_or_else(damaged)? };
        }
        let Folder { method, bytes, crc, .. } = folder;
        let files = vec![Entry { name: String::new(), bytes, crc }];
        parts.push(Part { start: offset, stored: part_stored, method, bytes, crc, files });
        offset = offset.checked_add(part_stored).ok_or_else(damaged)?;
    }
    let Some(bytes) = bytes else { return Ok(parts) };
    let mut id = bytes.number()?;
    if id == STREAMS {
        let mut total = 0;
        for part in &mut parts {
            let count = bytes.count()?;
            // Each file but one has a size of at least one byte, and a name of at least two.
            total += count.saturating_sub(1);
            bytes.check(total.saturating_mul(3))?;
            part.files.resize_with(count, Entry::default);
        }
        id = bytes.number()?;
    }
    for part in &mut parts {
        let mut rest = part.bytes;
        let Some((last, others)) = part.files.split_last_mut() else { continue };
        for file in others {
            if id != SIZE {
                return Err(damaged());
            }
            file.bytes = bytes.number()?;
            rest = rest.checked_sub(file.bytes).ok_or_else(damaged)?;
        }
        last.bytes = rest;
    }
    if id == SIZE {
        id = bytes.number()?;
    }
    loop {
        match id {
            END => return Ok(parts),
            CRC => {
                // The checksum of a folder is that of its only file.
                let is_known = |part: &Part| part.files.len() == 1 && part.crc.is_some();
                let unknown = parts.iter().filter(|part| !is_known(part)).map(|part| part.files.len()).sum();
                let mut all = checksums(bytes, unknown)?.into_iter();
                for part in parts.iter_mut().filter(|part| !is_known(part)) {
                    part.files.iter_mut().zip(&mut all).for_each(|(file, crc)| file.crc = crc);
                }
            }
            _ => return Err(damaged()),
        }
        id = bytes.number()?;
    }
}

/// Reads the names of files. Files without data, such as folders, are dropped.
fn files(bytes: &mut Bytes<'_>, parts: &mut [Part]) -> Result<()> {
    let count = bytes.count()?;
    let (mut is_empty, mut names) = (vec![false; count], Vec::new());
    loop {
        let id = bytes.number()?;
        if id == END {
            break;
        }
        let length = bytes.number()?;
        let mut member = Bytes(bytes.take(length)?);
        match id {
            EMPTY => is_empty = member.bits(count)?,
            NAMES => {
                if member.byte()? != 0 {
                    return Err(damaged());
                }
                let (units, []) = member.0.as_chunks::<2>() else { return Err(damaged()) };
                let units: Vec<u16> = units.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
                names = units.split(|unit| *unit == 0).take(count).map(String::from_utf16_lossy).collect();
            }
            // Times, attributes and filling.
            _ => {}
        }
    }
    if names.len() != count {
        return Err(damaged());
    }
    let mut named = names.into_iter().zip(is_empty).filter(|(_, is_empty)| !is_empty).map(|(name, _)| name);
    for file in parts.iter_mut().flat_map(|part| &mut part.files) {
        file.name = named.next().ok_or_else(damaged)?;
    }
    if named.next().is_some() { Err(damaged()) } else { Ok(()) }
}

/// Reads this many checksums, each of which may be missing.
fn checksums(bytes: &mut Bytes<'_>, count: usize) -> Result<Vec<Option<u32>>> {
    let known = if bytes.byte()? == 0 { bytes.bits(count)? } else { vec![true; bytes.check(count)?] };
    known.into_iter().map(|known| known.then(|| bytes.word()).transpose()).collect()
}

/// The rest of a directory.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: u64) -> Result<&'a [u8]> {
        let count = usize::try_from(count).map_err(|_| damaged())?;
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.0.split_first().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    fn word(&mut self) -> Result<u32> {
        let (first, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*first))
    }

    /// Reads a number. The leading ones of the first byte are the number of bytes that follow.
    fn number(&mut self) -> Result<u64> {
        let first = self.byte()?;
        let more = first.leading_ones();
        let mut number = 0;
        for index in 0..more {
            number |= u64::from(self.byte()?) << (8 * index);
        }
        // The bits after the zero are the highest ones.
        let high = if more < 7 { u64::from(first) & ((1 << (7 - more)) - 1) } else { 0 };
        Ok(number | high << (8 * more.min(7)))
    }

    /// Reads a number of members, each of which takes at least a byte.
    fn count(&mut self) -> Result<usize> {
        let count = self.number()?;
        self.check(usize::try_from(count).map_err(|_| damaged())?)
    }

    fn check(&self, count: usize) -> Result<usize> {
        if count <= self.0.len() { Ok(count) } else { Err(damaged()) }
    }

    /// Reads this many bits, beginning with the highest bit of the first byte.
    fn bits(&mut self, count: usize) -> Result<Vec<bool>> {
        let bytes = self.take(count.div_ceil(8) as u64)?;
        Ok(bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte << bit & 0x80 != 0)).take(count).collect())
    }
}

//! Reads 7-Zip files: reads their files and verifies the checksum of each.
//!
//! `directory` finds the parts of a file and the files in each part.

mod directory;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)]
mod tests;

use crate::input::container::{Container, DICTIONARY, is_source_name};
use crate::input::counted::Counted;
use crate::input::error::SourceError;
use bzip2::read::MultiBzDecoder;
use directory::{Directory, Entry, Method, Part, damaged};
use flate2::read::DeflateDecoder;
use lzma_rust2::{Lzma2Reader, LzmaReader};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The number of bytes before the compressed data.
const START: usize = 32;
/// The maximum size in bytes of a directory, before and after decompression. A file takes some tens of bytes, and at
/// most 40 times as much memory.
const MAX_DIRECTORY: u64 = 4 << 20;
/// The maximum number of directories of compressed directories. Programs write one.
const MAX_NESTING: usize = 4;

type Stored = Take<BufReader<Counted<File>>>;

/// The files of a 7-Zip file, read in order.
pub(crate) struct SevenZip {
    path: PathBuf,
    consumed: Arc<AtomicU64>,
    /// The parts that have not been read yet, in reverse order.
    parts: Vec<Part>,
    /// The part that is being read, and its files that have not been read yet, in reverse order.
    data: Option<(Box<dyn Read + Send>, Vec<Entry>)>,
    /// The current file, its checksum so far, and the number of bytes left.
    current: Option<(Entry, crc32fast::Hasher, u64)>,
}

impl SevenZip {
    pub(crate) fn open(path: &Path, consumed: Arc<AtomicU64>) -> Result<SevenZip, SourceError> {
        let mut file = File::open(path)?;
        let mut head = [0; START];
        file.read_exact(&mut head).map_err(|_| damaged())?;
        let [.., a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = head;
        let offset = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let length = u64::from_le_bytes([i, j, k, l, m, n, o, p]);
        let crc = u32::from_le_bytes([q, r, s, t]);
        let mut zip = SevenZip { path: path.to_path_buf(), consumed, parts: Vec::new(), data: None, current: None };
        // An empty file has no directory.
        if length == 0 {
            return Ok(zip);
        }
        file.seek(SeekFrom::Start((START as u64).checked_add(offset).ok_or_else(damaged)?))?;
        let mut bytes = whole(&mut file, length, Some(crc))?;
        for _ in 0..MAX_NESTING {
            match directory::read(&bytes)? {
                Directory::Parts(parts) => {
                    zip.parts = parts;
                    let is_wanted = |file: &Entry| is_source_name(&file.name);
                    zip.parts.retain(|part| part.files.iter().any(is_wanted));
                    if let Some(Method::Other(name)) = zip.parts.iter().map(|part| part.method).find(is_other) {
                        return Err(SourceError::Unsupported(name));
                    }
                    zip.parts.reverse();
                    return Ok(zip);
                }
                Directory::Compressed(part) => {
                    if let Method::Other(name) = part.method {
                        return Err(SourceError::Unsupported(name));
                    }
                    bytes = whole(&mut zip.decoder(&part)?, part.bytes, part.crc)?;
                }
            }
        }
        Err(damaged())
    }

    /// Returns a reader of a part's data.
    fn decoder(&self, part: &Part) -> io::Result<Box<dyn Read + Send>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start((START as u64).saturating_add(part.start)))?;
        let counted = Counted { reader: file, consumed: Arc::clone(&self.consumed) };
        let stored: Stored = BufReader::new(counted).take(part.stored);
        Ok(match part.method {
            Method::Copy => Box::new(stored),
            Method::Lzma(properties, dictionary) => {
                let dictionary = limited(dictionary, part.bytes)?;
                Box::new(LzmaReader::new_with_props(stored, part.bytes, properties, dictionary, None)?)
            }
            Method::Lzma2(dictionary) => Box::new(Lzma2Reader::new(stored, limited(dictionary, part.bytes)?, None)),
            Method::Deflate => Box::new(DeflateDecoder::new(stored)),
            Method::Bzip2 => Box::new(MultiBzDecoder::new(stored)),
            Method::Other(name) => return Err(io::Error::new(io::ErrorKind::Unsupported, name)),
        })
    }
}

fn is_other(method: &Method) -> bool {
    matches!(method, Method::Other(_))
}

/// Returns the size of the dictionary to use. It need not be larger than the data.
fn limited(dictionary: u32, bytes: u64) -> io::Result<u32> {
    let needed = u64::from(dictionary).min(bytes.max(4096));
    let what = || {
        let (needed, limit) = (needed >> 20, DICTIONARY >> 20);
        io::Error::other(format!("this 7-Zip file needs a dictionary of {needed} MiB (limit: {limit} MiB)"))
    };
    u32::try_from(needed).ok().filter(|needed| *needed <= DICTIONARY).ok_or_else(what)
}

/// Reads a directory of this length, and compares its checksum.
fn whole(reader: &mut dyn Read, length: u64, crc: Option<u32>) -> Result<Vec<u8>, SourceError> {
    if length > MAX_DIRECTORY {
        return Err(damaged());
    }
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes).map_err(|_| damaged())?;
    let is_whole = bytes.len() as u64 == length && crc.is_none_or(|crc| crc32fast::hash(&bytes) == crc);
    if is_whole { Ok(bytes) } else { Err(damaged()) }
}

impl Container for SevenZip {
    const NAME: &'static str = "7-Zip";

    fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let Some((data, files)) = &mut self.data else {
                let Some(part) = self.parts.pop() else { return Ok(None) };
                let decoder = self.decoder(&part)?;
                let mut files = part.files;
                files.reverse();
                self.data = Some((decoder, files));
                continue;
            };
            // The data after the last wanted file need not be decompressed.
            let Some(file) = files.pop().filter(|file| is_source_name(&file.name) || holds_wanted(files)) else {
                self.data = None;
                continue;
            };
            if is_source_name(&file.name) {
                let (name, bytes) = (file.name.clone(), file.bytes);
                self.current = Some((file, crc32fast::Hasher::new(), bytes));
                return Ok(Some(name));
            }
            let skipped = io::copy(&mut data.take(file.bytes), &mut io::sink())?;
            if skipped < file.bytes {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let (Some((data, _)), Some((file, crc, left))) = (&mut self.data, &mut self.current) else { return Ok(0) };
        if *left > 0 {
            let count = data.take(*left).read(buf)?;
            if count == 0 && !buf.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            crc.update(buf.get(..count).unwrap_or_default());
            *left -= count as u64;
            if count > 0 {
                return Ok(count);
            }
        }
        if *left == 0 && file.crc.is_some_and(|known| known != crc.clone().finalize()) {
            let wrong = "a file in this 7-Zip file has a wrong checksum";
            return Err(io::Error::new(io::ErrorKind::InvalidData, wrong));
        }
        self.current = None;
        Ok(0)
    }
}

fn holds_wanted(files: &[Entry]) -> bool {
    files.iter().any(|file| is_source_name(&file.name))
}

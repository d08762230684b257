//! The bytes of a side file: mapped, or copied on demand from a reader.

use crate::archive::read::map::Map;
use crate::archive::read::read_at::ReadExactAt;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::{Mutex, PoisonError};

/// The unit of requests to a reader, in bytes.
const BLOCK: u64 = 32 << 10;

/// The largest request to a reader, in bytes.
const MOST: u64 = 4 << 20;

/// The bytes of a side file. Call `fill` before using a range of the bytes.
#[derive(Debug)]
pub struct SideBytes {
    map: Map,
    filler: Option<Filler>,
}

/// A reader, and a temporary file that receives the bytes of the reader on demand. The file is mapped.
struct Filler {
    reader: Box<dyn ReadExactAt>,
    file: File,
    length: u64,
    /// A bit for each block, which is set if the file contains the block.
    present: Mutex<Vec<u64>>,
}

impl SideBytes {
    /// Maps a file.
    pub fn from_file(file: &File) -> io::Result<SideBytes> {
        Ok(SideBytes { map: Map::new(file, file.metadata()?.len())?, filler: None })
    }

    /// Returns the first `length` bytes of a reader. Each block is read at its first use, into a sparse temporary file.
    /// Where files cannot be mapped, all bytes are read now.
    pub fn from_reader(reader: Box<dyn ReadExactAt>, length: u64) -> io::Result<SideBytes> {
        let file = temporary()?;
        file.set_len(length)?;
        let blocks = usize::try_from(length.div_ceil(BLOCK)).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let present = Mutex::new(vec![0; blocks.div_ceil(64)]);
        let filler = Filler { reader, file, length, present };
        if cfg!(not(all(unix, feature = "mmap"))) {
            filler.fill(0..length)?;
        }
        Ok(SideBytes { map: Map::new(&filler.file, length)?, filler: Some(filler) })
    }

    /// Ensures that a range of the bytes has been read. Bytes beyond the end are ignored.
    pub fn fill(&self, range: Range<u64>) -> io::Result<()> {
        self.filler.as_ref().map_or(Ok(()), |filler| filler.fill(range))
    }
}

impl Filler {
    fn fill(&self, range: Range<u64>) -> io::Result<()> {
        let last = range.end.min(self.length).div_ceil(BLOCK);
        let mut block = range.start / BLOCK;
        while block < last {
            let past = {
                let present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
                if is_set(&present, block) {
                    block += 1;
                    continue;
                }
                (block..last.min(block + MOST / BLOCK)).find(|block| is_set(&present, *block))
            };
            let past = past.unwrap_or(last.min(block + MOST / BLOCK));
            let (start, end) = (block * BLOCK, (past * BLOCK).min(self.length));
            let mut bytes = vec![0; (end - start) as usize];
            // Other threads can use the file during the request.
            self.reader.read_exact_at(start, &mut bytes)?;
            let mut present = self.present.lock().unwrap_or_else(PoisonError::into_inner);
            for (block, bytes) in (block..past).zip(bytes.chunks(BLOCK as usize)) {
                // Bytes that are in use never change, even if two threads have requested them.
                if !is_set(&present, block) {
                    write_all_at(&self.file, bytes, block * BLOCK)?;
                    if let Some(word) = present.get_mut((block / 64) as usize) {
                        *word |= 1 << (block % 64);
                    }
                }
            }
            block = past;
        }
        Ok(())
    }
}

fn is_set(present: &[u64], block: u64) -> bool {
    present.get((block / 64) as usize).is_some_and(|word| word >> (block % 64) & 1 != 0)
}

#[cfg(not(target_family = "wasm"))]
fn temporary() -> io::Result<File> {
    tempfile::tempfile()
}

#[cfg(target_family = "wasm")]
fn temporary() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn write_all_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

impl Deref for SideBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl std::fmt::Debug for Filler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filler").field("length", &self.length).finish_non_exhaustive()
    }
}

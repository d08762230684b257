//! Maps files into memory. No other module does so. Without the feature `mmap`, reads the bytes into memory instead.

use std::fs::File;
use std::io;
use std::ops::Deref;

#[cfg(feature = "mmap")]
type Bytes = memmap2::Mmap;
#[cfg(not(feature = "mmap"))]
type Bytes = Vec<u8>;

/// The bytes of a file, mapped read-only up to the length that is in use.
#[derive(Debug)]
pub struct Map {
    map: Option<Bytes>,
    length: usize,
}

impl Map {
    /// Returns a mapping of the first `length` bytes of a file. `length` must not exceed the file's length.
    ///
    /// # Safety of the mapping
    ///
    /// This program only appends to the file beyond a high-water mark, which readers respect, and never rewrites bytes
    /// before this mark. If another program truncates the file while it is mapped, reading the lost part ends the
    /// process with SIGBUS. If another program changes bytes, checksums detect the change only in bytes that have not
    /// been read yet. Store archives where no other program changes them, or copy them first.
    pub fn new(file: &File, length: u64) -> io::Result<Map> {
        let actual = file.metadata()?.len();
        if length > actual {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Ok(length) = usize::try_from(length) else {
            return Err(io::Error::other("the file is larger than this machine's address space"));
        };
        if length == 0 {
            return Ok(Map { map: None, length });
        }
        Ok(Map { map: Some(bytes_of(file, length)?), length })
    }

    /// Removes the bytes beyond the first `length`.
    pub fn shorten(&mut self, length: u64) {
        self.length = usize::try_from(length).map_or(self.length, |length| length.min(self.length));
    }

    /// Announces that these bytes will be read, so the system loads the missing pages together instead of one by one.
    pub fn will_need(&self, offset: u64, length: u64) {
        #[cfg(all(unix, feature = "mmap"))]
        if let (Some(map), Ok(offset), Ok(length)) = (&self.map, usize::try_from(offset), usize::try_from(length))
            && offset < map.len()
        {
            let _ = map.advise_range(memmap2::Advice::WillNeed, offset, length.min(map.len() - offset));
        }
        #[cfg(not(all(unix, feature = "mmap")))]
        let _ = (offset, length);
    }
}

#[cfg(feature = "mmap")]
#[allow(unsafe_code)]
fn bytes_of(file: &File, length: usize) -> io::Result<Bytes> {
    // SAFETY: the mapping is read-only and private to its `Map`, whose comment describes the effects of other programs.
    let map = unsafe { memmap2::MmapOptions::new().len(length).map(file)? };
    // Access is random. `will_need` requests ranges of several pages. A failed hint affects only the speed.
    #[cfg(unix)]
    let _ = map.advise(memmap2::Advice::Random);
    Ok(map)
}

#[cfg(not(feature = "mmap"))]
fn bytes_of(file: &File, length: usize) -> io::Result<Bytes> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = file;
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().and_then(|map| map.get(..self.length)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_bytes_of_a_file_and_no_others() {
        let mut file = tempfile::tempfile().unwrap();
        assert!(Map::new(&file, 0).unwrap().is_empty());
        let bytes: Vec<u8> = (0..20_000u32).map(|number| (number % 251) as u8).collect();
        file.write_all(&bytes).unwrap();
        for length in [1, 4096, 10_001, 20_000] {
            let map = Map::new(&file, length as u64).unwrap();
            assert!(*map == bytes[..length]);
        }
        assert_eq!(Map::new(&file, 20_001).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(Map::new(&file, u64::MAX).is_err());
        // A mapping outlives the file's name and handle, and many can read it.
        let map = Map::new(&file, 20_000).unwrap();
        drop(file);
        std::thread::scope(|scope| {
            (0..2).for_each(|_| {
                drop(scope.spawn(|| {
                    assert_eq!(
                        map.iter().map(|byte| u64::from(*byte)).sum::<u64>(),
                        bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>()
                    )
                }))
            });
        });
    }
}

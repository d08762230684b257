//! Reads zip files: reads their files and verifies the checksum of each.

use crate::input::container::{Container, is_source_name};
use crate::input::counted::Counted;
use crate::input::error::SourceError;
use ::zip::{CompressionMethod, ZipArchive};
use flate2::read::DeflateDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A file in a zip file, located by its directory entry.
struct Entry {
    name: String,
    start: u64,
    stored: u64,
    deflated: bool,
    crc: u32,
    bytes: u64,
}

type Stored = Take<BufReader<Counted<File>>>;

enum Data {
    Plain(Stored),
    Deflated(DeflateDecoder<Stored>),
}

/// The files of a zip file, read in order.
pub(crate) struct Zip {
    path: PathBuf,
    consumed: Arc<AtomicU64>,
    /// The files that have not been read yet, in reverse order.
    entries: Vec<Entry>,
    current: Option<(Data, Entry, crc32fast::Hasher, u64)>,
}

impl Zip {
    pub(crate) fn open(path: &Path, consumed: Arc<AtomicU64>) -> Result<Zip, SourceError> {
        let damaged =
            |error: ::zip::result::ZipError| SourceError::Io(io::Error::new(io::ErrorKind::InvalidData, error));
        let mut archive = ZipArchive::new(BufReader::new(File::open(path)?)).map_err(damaged)?;
        let mut entries = Vec::new();
        for index in 0..archive.len() {
            let file = archive.by_index_raw(index).map_err(damaged)?;
            let name = file.name().map_err(damaged)?.into_owned();
            if file.is_dir() || !is_source_name(&name) {
                continue;
            }
            let deflated = match file.compression() {
                CompressionMethod::Stored => false,
                CompressionMethod::DEFLATE => true,
                _ => return Err(SourceError::Unsupported("zip (of another method than deflate)")),
            };
            let (true, Some(start)) = (!file.encrypted(), file.data_start()) else {
                return Err(SourceError::Unsupported("zip (encrypted)"));
            };
            entries.push(Entry {
                name,
                start,
                stored: file.compressed_size(),
                deflated,
                crc: file.crc32(),
                bytes: file.size(),
            });
        }
        entries.reverse();
        Ok(Zip { path: path.to_path_buf(), consumed, entries, current: None })
    }

    fn enter(&self, entry: &Entry) -> io::Result<Data> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(entry.start))?;
        let counted = Counted { reader: file, consumed: Arc::clone(&self.consumed) };
        let stored = BufReader::new(counted).take(entry.stored);
        Ok(if entry.deflated { Data::Deflated(DeflateDecoder::new(stored)) } else { Data::Plain(stored) })
    }
}

impl Container for Zip {
    const NAME: &'static str = "zip";

    fn next(&mut self) -> io::Result<Option<String>> {
        let Some(entry) = self.entries.pop() else { return Ok(None) };
        let name = entry.name.clone();
        self.current = Some((self.enter(&entry)?, entry, crc32fast::Hasher::new(), 0));
        Ok(Some(name))
    }

    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Some((data, entry, crc, seen)) = &mut self.current else { return Ok(0) };
        let count = match data {
            Data::Plain(data) => data.read(buf)?,
            Data::Deflated(data) => data.read(buf)?,
        };
        if count > 0 || buf.is_empty() {
            crc.update(buf.get(..count).unwrap_or_default());
            *seen += count as u64;
            return Ok(count);
        }
        if *seen != entry.bytes || crc.clone().finalize() != entry.crc {
            let damaged = "a file in this zip file has a wrong checksum";
            return Err(io::Error::new(io::ErrorKind::InvalidData, damaged));
        }
        self.current = None;
        Ok(0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use crate::{Compression, open};
    use std::io::{Read, Write};

    /// A zip file with a deflated `a.pgn`, a `readme.txt` and a stored `dir/b.PGN`, made by Python's zipfile.
    const ZIP: &str = "504b030414000000080000002100d08898fc2f000000b000000005000000612e70676e33d45348355148355530d253f04b3356f04b365330d653704a32554834533001b2124d8012660a5a5c5c8683402d00504b030414000000000000002100d78e292207000000070000000a000000726561646d652e7478746e6f7468696e67504b030414000000000000002100d01663100800000008000000090000006469722f622e50474e312e206434202a0a504b0102140314000000080000002100d08898fc2f000000b0000000050000000000000000000000800100000000612e70676e504b0102140314000000000000002100d78e292207000000070000000a0000000000000000000000800152000000726561646d652e747874504b0102140314000000000000002100d016631008000000080000000900000000000000000000008001810000006469722f622e50474e504b05060000000003000300a2000000b00000000000";

    fn read(bytes: &[u8]) -> std::io::Result<String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let mut source = open(file.path()).map_err(std::io::Error::other)?;
        assert_eq!(source.compression(), Compression::Zip);
        let mut text = String::new();
        source.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn the_pgn_files_of_a_zip_file_are_read_in_order() {
        let digits: Vec<u8> = ZIP.chars().map(|digit| u8::try_from(digit.to_digit(16).unwrap()).unwrap()).collect();
        let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
        let expected = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *\n\n".repeat(4) + "1. d4 *\n";
        assert_eq!(read(&bytes).unwrap(), expected);
        // Any damage to the data is an error.
        let data = bytes.windows(2).position(|pair| pair == b"1.").unwrap();
        let mut damaged = bytes.clone();
        damaged[data] ^= 1;
        assert!(read(&damaged).is_err());
        assert!(read(&bytes[..bytes.len() - 10]).is_err());
    }
}

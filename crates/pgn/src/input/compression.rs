//! The compressions of sources: recognizes them by the first bytes, and decompresses.

#[cfg(feature = "lzma")]
use crate::input::container::DICTIONARY;
use crate::input::error::SourceError;
use crate::input::zstd_frames::Frames;
use bzip2::read::MultiBzDecoder;
use flate2::bufread::GzDecoder;
#[cfg(feature = "lzma")]
use lzma_rust2::XzReader;
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// The compression of a source, recognized by its first bytes instead of its name.
///
/// ```
/// use scoresheet_pgn::{Compression, SourceError};
///
/// assert_eq!(Compression::detect(b"\x28\xB5\x2F\xFD\0\0")?, Compression::Zstd);
/// assert_eq!(Compression::detect(b"[Event")?, Compression::Plain);
/// assert!(matches!(Compression::detect(b"\x04\x22\x4D\x18"), Err(SourceError::Unsupported(_)))); // LZ4
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    /// No compression.
    Plain,
    /// Zstandard, with any number of frames, including skippable frames. Several small frames are decompressed in
    /// parallel, ahead of the reader.
    Zstd,
    /// gzip, with any number of members.
    Gzip,
    /// bzip2, with any number of streams.
    Bzip2,
    /// A zip file, read as the concatenation of its PGN files.
    Zip,
    /// xz, with any number of streams. Reading it needs the feature `lzma`.
    Xz,
    /// A 7-Zip file, read as the concatenation of its PGN files. Reading it needs the feature `lzma`.
    SevenZip,
}

impl Compression {
    /// Returns the compression of a file that begins with these bytes. Six bytes are sufficient. Returns an error if
    /// the compression is not supported.
    pub fn detect(head: &[u8]) -> Result<Compression, SourceError> {
        let unsupported = |name| Err(SourceError::Unsupported(name));
        match head {
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Ok(Compression::Zstd),
            [0x1F, 0x8B, ..] => Ok(Compression::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..] => Ok(Compression::Bzip2),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Ok(Compression::Xz),
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Ok(Compression::Zip),
            [b'7', b'z', 0xBC, 0xAF, ..] => Ok(Compression::SevenZip),
            [b'R', b'a', b'r', b'!', ..] => unsupported("rar"),
            [0x04, 0x22, 0x4D, 0x18, ..] => unsupported("LZ4"),
            _ => Ok(Compression::Plain),
        }
    }
}

/// Returns the compression of a file, and a reader of its decompressed bytes.
pub(crate) fn decompressed(
    stored: impl Read + Send + 'static,
) -> Result<(Compression, Box<dyn Read + Send>), SourceError> {
    let (head, stored) = peek(stored, 8)?;
    let compression = Compression::detect(&head)?;
    let reader: Box<dyn Read + Send> = match compression {
        // The directory of a zip file is at its end, so `open` reads zip files only from a path.
        Compression::Zip => return Err(SourceError::Unsupported("zip")),
        Compression::SevenZip => return Err(SourceError::Unsupported("7-Zip")),
        #[cfg(feature = "lzma")]
        Compression::Xz => Box::new(Xz::new(stored)),
        #[cfg(not(feature = "lzma"))]
        Compression::Xz => return Err(SourceError::Unsupported("xz")),
        Compression::Plain => Box::new(stored),
        Compression::Zstd => Box::new(Frames::new(stored)),
        Compression::Gzip => Box::new(Gzip(Some(GzDecoder::new(BufReader::with_capacity(STORED, stored))))),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(BufReader::with_capacity(STORED, stored))),
    };
    Ok((compression, reader))
}

/// A reader of gzip files with any number of members. Zeros after a member are padding, as for other programs.
struct Gzip<R>(Option<GzDecoder<BufReader<R>>>);

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let count = member.read(buf)?;
            if count > 0 || buf.is_empty() {
                return Ok(count);
            }
            let Some(mut stored) = self.0.take().map(GzDecoder::into_inner) else { break };
            loop {
                let bytes = stored.fill_buf()?;
                let (all, zeros) = (bytes.len(), bytes.iter().take_while(|byte| **byte == 0).count());
                if all == 0 {
                    return Ok(0);
                }
                stored.consume(zeros);
                if zeros < all {
                    break;
                }
            }
            self.0 = Some(GzDecoder::new(stored));
        }
        Ok(0)
    }
}

/// A reader of xz files that names the format in its errors.
#[cfg(feature = "lzma")]
struct Xz<R: Read>(XzReader<BufReader<R>>);

#[cfg(feature = "lzma")]
impl<R: Read> Xz<R> {
    fn new(stored: R) -> Xz<R> {
        // The decoder needs less than a MiB beside the dictionary.
        let limit = (DICTIONARY >> 10) + 1024;
        Xz(XzReader::new_mem_limit(BufReader::with_capacity(STORED, stored), true, limit))
    }
}

#[cfg(feature = "lzma")]
impl<R: Read> Read for Xz<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        // The decoder would take a read of no bytes for the end of a block.
        if buf.is_empty() {
            return Ok(0);
        }
        self.0.read(buf).map_err(|error| match error.kind() {
            io::ErrorKind::OutOfMemory => {
                let limit = DICTIONARY >> 20;
                io::Error::other(format!("this xz file needs a dictionary of more than {limit} MiB"))
            }
            io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "this xz file is cut off"),
            kind => io::Error::new(kind, format!("this xz file is damaged: {error}")),
        })
    }
}

/// The number of bytes of a compressed file to read at once.
const STORED: usize = 128 << 10;

/// Reads the first `count` bytes, or fewer if the reader ends before. Returns these bytes, together with a reader that
/// returns all bytes from the beginning. An error after the first byte is returned at the same position of that reader.
pub(crate) fn peek<R: Read>(mut reader: R, count: usize) -> io::Result<(Vec<u8>, impl Read + use<R>)> {
    let mut head = Vec::with_capacity(count);
    let failed = (&mut reader).take(count as u64).read_to_end(&mut head).err();
    if let (Some(error), true) = (&failed, head.is_empty()) {
        return Err(io::Error::new(error.kind(), error.to_string()));
    }
    Ok((head.clone(), Cursor::new(head).chain(Failing { failed, reader })))
}

/// A reader that first returns a stored error, if there is one, and then continues with `reader`.
struct Failing<R> {
    failed: Option<io::Error>,
    reader: R,
}

impl<R: Read> Read for Failing<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.failed.take().map_or_else(|| self.reader.read(buf), Err)
    }
}

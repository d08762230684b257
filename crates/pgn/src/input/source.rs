//! Sources of PGN bytes: a file, standard input or any reader, plain or compressed.

use crate::bytes::BOM;
use crate::input::compression::{Compression, decompressed, peek};
use crate::input::content::{self, BLOCK, Content};
use crate::input::counted::Counted;
use crate::input::error::SourceError;
use crate::input::joined::Joined;
#[cfg(feature = "lzma")]
use crate::input::seven_zip::SevenZip;
use crate::input::tar::Tar;
#[cfg(feature = "zip")]
use crate::input::zip::Zip;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The progress of reading from a source. Another thread may keep this value and query it while the source is read.
///
/// [`Source`] has an example.
#[derive(Clone, Debug)]
pub struct SourceProgress {
    consumed: Arc<AtomicU64>,
    total: Option<u64>,
}

impl SourceProgress {
    /// Returns the number of bytes read from the file so far. For compressed files, compressed bytes are counted.
    pub fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }

    /// Returns the size of the file in bytes, or `None` if it is unknown, as for a pipe.
    pub fn total(&self) -> Option<u64> {
        self.total
    }
}

/// A stream of decompressed bytes, with its compression and progress. A truncated compressed file causes an error of
/// kind `UnexpectedEof`.
///
/// ```
/// use scoresheet_pgn::Compression;
/// use std::io::Read;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games");
/// # std::fs::write(&path, zstd::encode_all(&b"1. e4 *\n"[..], 1)?)?;
/// let mut source = scoresheet_pgn::open(&path)?; // a compressed file of any name
/// let (progress, mut text) = (source.progress(), String::new());
/// source.read_to_string(&mut text)?;
/// assert_eq!((source.compression(), text.as_str()), (Compression::Zstd, "1. e4 *\n"));
/// assert_eq!(Some(progress.consumed()), progress.total());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Source {
    reader: Box<dyn Read + Send>,
    compression: Compression,
    progress: SourceProgress,
    content: Content,
    was_json: bool,
}

impl Source {
    /// Returns whether the text of the source is JSON. Only [`open_text`] returns such a source.
    pub fn is_json(&self) -> bool {
        self.content == Content::Json
    }

    /// Returns whether the text of the source is a list of positions: a FEN or an EPD on each line
    /// ([`read_position`](crate::read_position)).
    pub fn is_positions(&self) -> bool {
        self.content == Content::Positions
    }

    /// Returns a source of PGN, which `convert` makes from the JSON of this source.
    #[doc(hidden)]
    pub fn with_pgn<R: Read + Send + 'static>(self, convert: impl FnOnce(Box<dyn Read + Send>) -> R) -> Source {
        Source { reader: Box::new(convert(self.reader)), content: Content::Pgn, was_json: true, ..self }
    }

    /// Returns whether the PGN was converted from another format, so its bytes differ from the bytes of the source.
    pub fn is_made(&self) -> bool {
        self.was_json
    }

    /// Returns the compression of the source.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Returns a handle with which to query the progress of reading.
    pub fn progress(&self) -> SourceProgress {
        self.progress.clone()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("compression", &self.compression).field("progress", &self.progress).finish()
    }
}

impl Read for Source {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buf)
    }
}

/// Opens a PGN file, or standard input for `-`.
pub fn open(path: &Path) -> Result<Source, SourceError> {
    open_text(path).and_then(pgn_alone)
}

/// Opens a source of PGN from any reader. `total` is the number of bytes in the reader, if known.
pub fn from_reader(reader: impl Read + Send + 'static, total: Option<u64>) -> Result<Source, SourceError> {
    text_of(reader, total).and_then(pgn_alone)
}

fn pgn_alone(source: Source) -> Result<Source, SourceError> {
    if source.is_json() { Err(SourceError::Json) } else { Ok(source) }
}

/// Opens a PGN or JSON file, or standard input for `-`. [`Source::is_json`] distinguishes these formats.
pub fn open_text(path: &Path) -> Result<Source, SourceError> {
    if path.as_os_str() == "-" {
        return text_of(io::stdin(), None);
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(SourceError::Io(io::Error::new(io::ErrorKind::IsADirectory, "is a directory")));
    }
    let total = metadata.is_file().then_some(metadata.len());
    if total.is_some() {
        let mut file = &file;
        let mut head = Vec::new();
        file.take(4).read_to_end(&mut head)?;
        file.seek(SeekFrom::Start(0))?;
        #[cfg(feature = "zip")]
        if matches!(head.as_slice(), [b'P', b'K', 3 | 5, 4 | 6]) {
            let consumed = Arc::new(AtomicU64::new(0));
            let (reader, content) = Joined::open(Zip::open(path, consumed.clone())?)?;
            return Source::new(reader, Compression::Zip, SourceProgress { consumed, total }, content);
        }
        #[cfg(feature = "lzma")]
        if matches!(head.as_slice(), [b'7', b'z', 0xBC, 0xAF]) {
            let consumed = Arc::new(AtomicU64::new(0));
            let (reader, content) = Joined::open(SevenZip::open(path, consumed.clone())?)?;
            return Source::new(reader, Compression::SevenZip, SourceProgress { consumed, total }, content);
        }
    }
    text_of(file, total)
}

/// Returns the error that [`open_text`] would return because of the first bytes of a file, without decompressing the
/// file. Pipes and devices are not read.
pub fn look_at(path: &Path) -> Result<(), SourceError> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(());
    }
    let mut head = Vec::with_capacity(BLOCK);
    file.take(BLOCK as u64).read_to_end(&mut head)?;
    match Compression::detect(&head)? {
        Compression::Plain => content::look(&head).map(|_| ()),
        Compression::Xz if cfg!(not(feature = "lzma")) => Err(SourceError::Unsupported("xz")),
        Compression::SevenZip if cfg!(not(feature = "lzma")) => Err(SourceError::Unsupported("7-Zip")),
        _ => Ok(()),
    }
}

/// Opens a source of PGN or JSON from any reader.
pub fn text_of(reader: impl Read + Send + 'static, total: Option<u64>) -> Result<Source, SourceError> {
    let consumed = Arc::new(AtomicU64::new(0));
    let stored = Counted { reader, consumed: consumed.clone() };
    let (compression, reader) = decompressed(stored)?;
    let (head, reader) = peek(reader, BLOCK)?;
    let progress = SourceProgress { consumed, total };
    match content::look(&head)? {
        Content::Tar => {
            let (reader, content) = Joined::open(Tar::new(reader))?;
            Source::new(reader, compression, progress, content)
        }
        content => Source::new(reader, compression, progress, content),
    }
}

impl Source {
    fn new(
        reader: impl Read + Send + 'static,
        compression: Compression,
        progress: SourceProgress,
        content: Content,
    ) -> Result<Source, SourceError> {
        let reader: Box<dyn Read + Send> = if content == Content::Json {
            // JSON must not begin with a byte order mark, so the mark is removed.
            let (head, mut all) = peek(reader, BOM.len())?;
            if head == BOM {
                all.read_exact(&mut [0; BOM.len()])?;
            }
            Box::new(all)
        } else {
            Box::new(reader)
        };
        Ok(Source { reader, compression, progress, content, was_json: false })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};

    const TEXT: &[u8] = b"[Event \"?\"]\n\n1. e4 *\n";

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn bzip2(text: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        zstd::encode_all(text, 1).unwrap()
    }

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let total = bytes.len() as u64;
        let mut source = from_reader(Cursor::new(bytes), Some(total)).map_err(|error| match error {
            SourceError::Io(error) => error,
            error => io::Error::other(error),
        })?;
        let progress = source.progress();
        let mut text = Vec::new();
        source.read_to_end(&mut text)?;
        assert_eq!(progress.consumed(), total);
        assert_eq!(progress.total(), Some(total));
        Ok(text)
    }

    #[test]
    fn every_compression_and_several_parts() {
        assert_eq!(read(TEXT.to_vec()).unwrap(), TEXT);
        assert_eq!(read(Vec::new()).unwrap(), b"");
        let twice = TEXT.repeat(2);
        for compress in [gzip, bzip2, zstd] {
            assert_eq!(read(compress(TEXT)).unwrap(), TEXT);
            assert_eq!(read([compress(TEXT), compress(TEXT)].concat()).unwrap(), twice);
            assert_eq!(read(compress(b"")).unwrap(), b"");
        }
        // Padding, as on tapes and in some downloads.
        let padded = [gzip(TEXT), vec![0; 300_000], gzip(TEXT), vec![0; 7]].concat();
        assert_eq!(read(padded).unwrap(), twice);
        assert!(read([gzip(TEXT), vec![0, 0, 1]].concat()).is_err());
    }

    /// The text in two xz files of liblzma, with different checksums, and a file that needs a dictionary of 1 GiB.
    #[cfg(feature = "lzma")]
    const XZ: [&str; 3] = [
        "fd377a585a000004e6d6b4460200210116000000742fe5a30100145b4576656e7420223f225d0a0a312e206534202a0a000000001d11f7\
f261ca467a00012d152f0b716d1fb6f37d010000000004595a",
        "fd377a585a00000ae1fb0ca10200210116000000742fe5a30100145b4576656e7420223f225d0a0a312e206534202a0a00000000d5e284\
866fa5b3193b4d0aa839368fabe785a9298986ea0527968bae7024fec10001451580ea55c0189b4b9a01000000000a595a",
        "fd377a585a000004e6d6b44602002101240000005e1fc7f9010007312e206534202a0a0033aad4ce56a7fd5000012008bb19d9bb1fb6f3\
7d010000000004595a",
    ];

    #[cfg(feature = "lzma")]
    #[test]
    fn xz_files_of_any_number_of_streams() {
        let bytes = |digits: &str| -> Vec<u8> {
            let digits: Vec<u8> = digits.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
            digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
        };
        let [first, second, huge] = XZ.map(bytes);
        assert_eq!(read([first.clone(), second.clone()].concat()).unwrap(), TEXT.repeat(2));
        for file in [first, second] {
            assert_eq!(read(file.clone()).unwrap(), TEXT);
            // A read of no bytes, as at the end of a file in a tar file, ends nothing.
            let (mut reader, mut text) = (decompressed(Cursor::new(file.clone())).unwrap().1, vec![0; 5]);
            for _ in 0..2 {
                assert_eq!(reader.read(&mut []).unwrap(), 0);
            }
            reader.read_exact(&mut text).unwrap();
            assert_eq!(reader.read(&mut []).unwrap(), 0);
            reader.read_to_end(&mut text).unwrap();
            assert_eq!(text, TEXT);
            for end in 6..file.len() {
                assert!(read(file[..end].to_vec()).is_err(), "{end}");
            }
            for at in 6..file.len() {
                for change in [1, 0x80, 0xFF] {
                    let mut changed = file.clone();
                    changed[at] ^= change;
                    assert!(read(changed).is_err(), "{at}");
                }
            }
        }
        assert!(read(huge).unwrap_err().to_string().contains("more than 128 MiB"));
    }

    #[test]
    fn skippable_frames() {
        let skippable = [&[0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0][..], b"abcd"].concat();
        let file = [skippable.clone(), zstd(TEXT), skippable, zstd(TEXT)].concat();
        assert_eq!(read(file).unwrap(), TEXT.repeat(2));
    }

    #[test]
    fn cut_files_are_errors() {
        let long: Vec<u8> = (0..20_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        for compress in [gzip, bzip2, zstd] {
            let compressed = compress(&long);
            for cut in [compressed.len() - 1, compressed.len() - 4, compressed.len() / 2, compressed.len() / 3, 12] {
                assert!(
                    read(compressed.iter().take(cut).copied().collect()).is_err(),
                    "cut at {cut} of {}",
                    compressed.len()
                );
            }
        }
    }

    #[test]
    fn what_is_not_read() {
        let error = |bytes: &[u8]| from_reader(Cursor::new(bytes.to_vec()), None).unwrap_err();
        assert!(matches!(error(b"\xFF\xFE[\0E\0"), SourceError::Utf16));
        assert!(matches!(error(b"\xFE\xFF\0[\0E"), SourceError::Utf16));
        assert!(matches!(error(b"[\0E\0v\0"), SourceError::Utf16));
        assert!(matches!(error(&gzip(b"\xFF\xFE[\0E\0")), SourceError::Utf16));
        assert!(matches!(error(b"\x89BGA\r\n\x1a\n\0\0"), SourceError::Archive));
        assert!(matches!(error(b"PK\x03\x04...."), SourceError::Unsupported("zip")));
        #[cfg(not(feature = "lzma"))]
        assert!(matches!(error(b"\xFD7zXZ\0"), SourceError::Unsupported("xz")));
    }
}

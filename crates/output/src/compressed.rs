//! Compresses text as the name of the file requests.

use crate::{Target, compression};
use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use scoresheet::pgn::Compression;
use std::io::{self, Write};
#[cfg(feature = "zip")]
use zip::write::{SimpleFileOptions, StreamWriter, ZipWriter};

/// A sink for text: plain, or compressed if the name of the file ends in `.zst`, `.gz`, `.bz2` or `.zip`.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// use scoresheet::Existing;
/// use scoresheet_output::{Compressed, Content, NewFile, Outputs};
/// use std::io::Write;
///
/// let path = folder.path().join("games.pgn.gz");
/// let target = Outputs::default().file(&path, Content::Pgn, Existing::Refuse)?;
/// let mut out = Compressed::new(NewFile::create(&target)?, &target)?;
/// out.write_all(b"1. e4 *\n")?;
/// out.finish()?.finish()?;
/// assert_eq!(std::fs::read(&path)?[..2], [0x1F, 0x8B]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Compressed<W: Write>(Sink<W>);

impl<W: Write> Compressed<W> {
    /// Returns a sink that writes to the target file.
    ///
    /// Errors: the data cannot be written, or `Unsupported` for a zip file without the feature `zip`.
    pub fn new(out: W, target: &Target) -> io::Result<Compressed<W>> {
        Sink::new(out, target).map(Compressed)
    }

    /// Writes the end of the compressed data, and returns the inner sink.
    ///
    /// Errors: a write error.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

impl<W: Write> Write for Compressed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

enum Sink<W: Write> {
    Plain(W),
    Zstd(zstd::Encoder<'static, W>),
    Gzip(GzEncoder<W>),
    Bzip2(BzEncoder<W>),
    #[cfg(feature = "zip")]
    Zip(Box<ZipWriter<StreamWriter<Latch<W>>>>),
}

/// A sink that reports its first error and then discards all further data. Dropping an incomplete compressor must not
/// report the same error again.
#[cfg(feature = "zip")]
struct Latch<W> {
    out: W,
    is_broken: bool,
}

#[cfg(feature = "zip")]
impl<W> Latch<W> {
    fn finish(self) -> io::Result<W> {
        if self.is_broken { Err(io::Error::other("an earlier write failed")) } else { Ok(self.out) }
    }
}

#[cfg(feature = "zip")]
impl<W: Write> Write for Latch<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_broken {
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes);
        self.is_broken = written.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_broken { Ok(()) } else { self.out.flush() }
    }
}

impl<W: Write> Sink<W> {
    /// Returns a sink that writes to the target file.
    fn new(out: W, target: &Target) -> io::Result<Sink<W>> {
        let name = target.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let lower = name.to_ascii_lowercase();
        Ok(match compression::by_name(&lower) {
            None | Some((Compression::Plain, _)) => Sink::Plain(out),
            // These are only read, so no name requests them.
            Some((Compression::Xz | Compression::SevenZip, _)) => {
                return Err(io::Error::new(io::ErrorKind::Unsupported, "this compression is not written"));
            }
            Some((Compression::Zstd, _)) => Sink::Zstd(zstd::Encoder::new(out, 0)?),
            Some((Compression::Gzip, _)) => Sink::Gzip(GzEncoder::new(out, flate2::Compression::default())),
            Some((Compression::Bzip2, _)) => Sink::Bzip2(BzEncoder::new(out, bzip2::Compression::default())),
            #[cfg(not(feature = "zip"))]
            Some((Compression::Zip, _)) => {
                return Err(io::Error::new(io::ErrorKind::Unsupported, "zip files are not written by this program"));
            }
            #[cfg(feature = "zip")]
            Some((Compression::Zip, inner)) => {
                let mut zip = ZipWriter::new_stream(Latch { out, is_broken: false });
                // The size of the text may exceed 4 GiB.
                let options = SimpleFileOptions::default().large_file(true);
                let options = options.compression_method(zip::CompressionMethod::Deflated);
                let inner = name.get(..inner.len()).unwrap_or(inner);
                let ending = if inner.contains('.') { "" } else { target.written().ending() };
                zip.start_file(format!("{inner}{ending}"), options).map_err(io::Error::other)?;
                #[cfg(feature = "zip")]
                Sink::Zip(Box::new(zip))
            }
        })
    }

    fn finish(self) -> io::Result<W> {
        match self {
            Sink::Plain(out) => Ok(out),
            Sink::Zstd(encoder) => encoder.finish(),
            Sink::Gzip(encoder) => encoder.finish(),
            Sink::Bzip2(encoder) => encoder.finish(),
            #[cfg(feature = "zip")]
            Sink::Zip(zip) => zip.finish().map_err(io::Error::from)?.into_inner().finish(),
        }
    }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Plain(sink) => sink.write(bytes),
            Sink::Zstd(sink) => sink.write(bytes),
            Sink::Gzip(sink) => sink.write(bytes),
            Sink::Bzip2(sink) => sink.write(bytes),
            #[cfg(feature = "zip")]
            Sink::Zip(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Plain(sink) => sink.flush(),
            Sink::Zstd(sink) => sink.flush(),
            Sink::Gzip(sink) => sink.flush(),
            Sink::Bzip2(sink) => sink.flush(),
            #[cfg(feature = "zip")]
            Sink::Zip(sink) => sink.flush(),
        }
    }
}

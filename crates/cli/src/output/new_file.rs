//! New files of the library, compressed as the name says.

use crate::failure::Failure;
use crate::text::shown;
use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use scoresheet::output::{self, Target, compression};
use scoresheet::pgn::Compression;
use std::io::{self, Write};
use std::path::PathBuf;
use zip::write::{SimpleFileOptions, StreamWriter, ZipWriter};

/// A sink for text: plain or compressed.
enum Sink<W: Write> {
    Plain(W),
    Zstd(zstd::Encoder<'static, W>),
    Gzip(GzEncoder<W>),
    Bzip2(BzEncoder<W>),
    Zip(Box<ZipWriter<StreamWriter<Latch<W>>>>),
}

/// A sink that reports its first error and then discards everything: dropping what is half-written must not report it
/// again.
struct Latch<W> {
    out: W,
    is_broken: bool,
}

impl<W> Latch<W> {
    fn finish(self) -> io::Result<W> {
        if self.is_broken { Err(io::Error::other("an earlier write failed")) } else { Ok(self.out) }
    }
}

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
    /// Returns a sink for the file of that name.
    fn of(out: W, target: &Target) -> io::Result<Sink<W>> {
        let name = target.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let lower = name.to_ascii_lowercase();
        Ok(match compression::by_name(&lower) {
            None | Some((Compression::Plain, _)) => Sink::Plain(out),
            Some((Compression::Zstd, _)) => Sink::Zstd(zstd::Encoder::new(out, 0)?),
            Some((Compression::Gzip, _)) => Sink::Gzip(GzEncoder::new(out, flate2::Compression::default())),
            Some((Compression::Bzip2, _)) => Sink::Bzip2(BzEncoder::new(out, bzip2::Compression::default())),
            Some((Compression::Zip, inner)) => {
                let mut zip = ZipWriter::new_stream(Latch { out, is_broken: false });
                // Nobody knows yet whether it will be more than 4 GiB.
                let options = SimpleFileOptions::default().large_file(true);
                let options = options.compression_method(zip::CompressionMethod::Deflated);
                let inner = name.get(..inner.len()).unwrap_or(inner);
                let ending = if inner.contains('.') { "" } else { target.written().ending() };
                zip.start_file(format!("{inner}{ending}"), options).map_err(io::Error::other)?;
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
            Sink::Zip(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Plain(sink) => sink.flush(),
            Sink::Zstd(sink) => sink.flush(),
            Sink::Gzip(sink) => sink.flush(),
            Sink::Bzip2(sink) => sink.flush(),
            Sink::Zip(sink) => sink.flush(),
        }
    }
}

/// Writes a whole file by `work`; errors of writing name it.
pub fn write<T>(target: &Target, work: impl FnOnce(&mut NewFile) -> Result<T, Failure>) -> Result<T, Failure> {
    let mut file = NewFile::create(target)?;
    work(&mut file).and_then(|done| file.finish().map(|()| done)).map_err(|failure| failure.of_output(target.path()))
}

/// A file being written under a temporary name. Dropped before `finish`, it is removed.
pub struct NewFile {
    sink: Sink<output::NewFile>,
    path: PathBuf,
}

impl NewFile {
    /// Starts a file; an existing one stays as it is until `finish`.
    pub fn create(target: &Target) -> Result<NewFile, Failure> {
        let path = target.path();
        let refused = |error: io::Error| Failure::Message(format!("cannot create {}: {error}", shown(path)));
        let file = output::NewFile::create(target).map_err(refused)?;
        Ok(NewFile { sink: Sink::of(file, target).map_err(refused)?, path: path.to_path_buf() })
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), Failure> {
        self.sink.finish()?.finish().map(drop).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                Failure::Message(format!("{} already exists: use --force to replace it", shown(&self.path)))
            }
            _ => Failure::Output(error),
        })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

//! `scoresheet-parquet import` and `pgn`: converts rows of Parquet files to an archive, or to PGN.

use crate::Failure;
use crate::files;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use scoresheet::archive::{FileKind, Permissions};
use scoresheet::{Existing, Import, ImportOptions};
use scoresheet_arrow::RowsToPgn;
use scoresheet_output::{Content, Outputs};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

/// Import the rows of Parquet files as games
///
/// Columns are recognized by the names in `scoresheet export --format parquet` and in Lichess' data set. If there are
/// several columns of moves, the first in this order is used: movetext, brenner, moves_uci, moves_san. Rows are
/// converted to PGN first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet import games.parquet -o games.bga
  scoresheet import year=2013/month=*/*.parquet -o 2013.bga
  scoresheet-parquet pgn games.parquet | scoresheet import - -o games.bga --pack")]
pub struct Args {
    /// The Parquet files to import, in this order
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write to this archive. Default: the first file's name with .bga
    #[arg(short, long, value_name = "ARCHIVE")]
    output: Option<PathBuf>,
    /// Add to the archive if it exists
    #[arg(long, conflicts_with = "force")]
    append: bool,
    /// Replace the archive if it exists
    #[arg(long)]
    force: bool,
    /// Pack the moves
    #[arg(long)]
    pack: bool,
    /// Show no summary
    #[arg(short, long)]
    quiet: bool,
    /// Use this many threads; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// Write the rows of Parquet files as PGN to standard output
#[derive(Debug, clap::Args)]
pub struct PgnArgs {
    /// The Parquet files to convert, in this order
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    files::watch_for_stop();
    rayon::ThreadPoolBuilder::new().num_threads(args.threads).build_global()?;
    let first = args.files.first().ok_or("no file")?;
    let target = args.output.clone().unwrap_or_else(|| first.with_extension("bga"));
    // Depending on the options, the import appends to an existing archive, replaces it or reports an error.
    let existing = if args.force { Existing::Replace } else { Existing::Append };
    Outputs::from_sources(&args.files).file(&target, Content::Archive(FileKind::Archive), existing)?;
    let mut faults = 0u64;
    // The library reads a copy, and does not know these files.
    let permissions = Permissions::from_inputs(&args.files);
    let options = ImportOptions { threads: args.threads, permissions, ..ImportOptions::default() };
    let mut import = Import::new(&target).options(options).stop(files::stopped());
    if args.append {
        import = import.append();
    } else if args.force {
        import = import.replace();
    }
    if args.pack {
        import = import.packed();
    }
    let import = import.on_fault(|fault| {
        faults += 1;
        if faults <= 10 {
            eprintln!("game {}: {}", fault.game, fault.fault);
        }
    });
    let name = first.file_name().map_or_else(|| "parquet".into(), |name| name.to_string_lossy().into_owned());
    let mut pgn = Pgn::open(args.files.clone())?;
    let summary = import.run_reader(&name, &mut pgn)?;
    pgn.end()?;
    if faults > 10 {
        eprintln!("{} more faults", faults - 10);
    }
    if !args.quiet {
        eprintln!(
            "{}: {} games of {} rows, {} rejected, {} bytes",
            target.display(),
            summary.stored,
            summary.seen,
            summary.rejected,
            summary.archive_bytes
        );
    }
    match summary.stopped {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

pub fn pgn(args: &PgnArgs) -> Result<(), Failure> {
    let mut pgn = Pgn::open(args.files.clone())?;
    let mut out = std::io::BufWriter::with_capacity(1 << 20, std::io::stdout());
    std::io::copy(&mut pgn, &mut out)?;
    out.flush()?;
    pgn.end()
}

/// A reader of the PGN made from the files. A separate thread converts one batch ahead.
struct Pgn {
    texts: Receiver<Result<Vec<u8>, Failure>>,
    current: Vec<u8>,
    at: usize,
    failed: Option<Failure>,
}

impl Pgn {
    /// Errors: a file cannot be opened, or contains no column of moves.
    fn open(paths: Vec<PathBuf>) -> Result<Pgn, Failure> {
        // Unreadable files are reported before any output is written.
        for path in &paths {
            open(path)?;
        }
        let (send, texts) = sync_channel(2);
        std::thread::spawn(move || {
            for path in paths {
                if let Err(failure) = texts_of(&path, |text| send.send(Ok(text)).is_ok()) {
                    let _ = send.send(Err(format!("{}: {failure}", path.display()).into()));
                    return;
                }
            }
        });
        Ok(Pgn { texts, current: Vec::new(), at: 0, failed: None })
    }

    /// Returns whether all files were read to their ends.
    fn end(self) -> Result<(), Failure> {
        self.failed.map_or(Ok(()), Err)
    }
}

impl Read for Pgn {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.at == self.current.len() {
            match self.texts.recv() {
                Ok(Ok(text)) => (self.current, self.at) = (text, 0),
                Ok(Err(failure)) => {
                    let what = failure.to_string();
                    self.failed = Some(failure);
                    return Err(std::io::Error::other(what));
                }
                Err(_) => return Ok(0),
            }
        }
        let rest = self.current.get(self.at..).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..length), rest.get(..length)) {
            to.copy_from_slice(from);
        }
        self.at += length;
        Ok(length)
    }
}

fn open(path: &Path) -> Result<(ParquetRecordBatchReaderBuilder<File>, RowsToPgn), Failure> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| named(&error))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| named(&error))?;
    let rows = RowsToPgn::new(builder.schema()).map_err(|error| named(&error))?;
    Ok((builder, rows))
}

/// Calls `take` with the PGN of each batch until `take` returns false.
fn texts_of(path: &Path, mut take: impl FnMut(Vec<u8>) -> bool) -> Result<(), Failure> {
    let (builder, rows) = open(path)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), rows.indices());
    let rows = rows.projected();
    for batch in builder.with_projection(mask).with_batch_size(8192).build()? {
        if !take(rows.text(&batch?)?) {
            break;
        }
    }
    Ok(())
}

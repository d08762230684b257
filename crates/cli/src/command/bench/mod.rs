//! `scoresheet bench`: measures size and speed on a PGN file and checks the results.

mod page;
mod results;

use crate::failure::{Code, Failure};
use crate::output::move_sizes::MoveSizes;
use crate::output::new_file;
use crate::select::archives;
use crate::session::Session;
use crate::text::shown;
use crate::threads::Threads;
use rayon::prelude::*;
use results::Bench;
use scoresheet::Existing;
use scoresheet::Import;
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::archive::{Archive, GameRef};
use scoresheet::error::Error;
use scoresheet::import::{self, ImportOptions, Summary};
use scoresheet::pgn::ReadOptions;
use scoresheet_bench::{self as measure, BenchError};
use scoresheet_output::Content;
use scoresheet_output::Outputs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The size above which PGN is compressed at a lower level, because the higher level takes minutes.
const ZSTD_LIMIT: u64 = 200_000_000;

/// Measure size and speed on a PGN file
///
/// Imports the file into a temporary archive. Measures the bytes per ply of each part, compared with the PGN and with
/// the PGN compressed by zstd. Measures the import, the replay and scans of all games on one thread and on all threads,
/// the writing of FENs, and random access to positions. The checked decoder verifies the results; a wrong result ends
/// the benchmark.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet bench games.pgn
  scoresheet bench games.pgn --report bench.html    also as a page with charts")]
pub struct Args {
    /// A PGN file, plain or compressed
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Skip the comparison with zstd, the slowest part
    #[arg(long)]
    no_zstd: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Also write an HTML page with charts
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Replace an existing page at --report
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "report")]
    force: bool,
    /// Show no progress
    #[arg(hide_short_help = true)]
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.threads.install(|| {
        let mut outputs = Outputs::from_sources([&args.file]);
        let report = args.report.as_deref();
        let report =
            report.map(|path| outputs.file(path, Content::Html, Existing::from_force(args.force))).transpose()?;
        let folder = TemporaryFolder::create()
            .map_err(|error| Failure::Message(format!("cannot create a temporary folder: {error}")))?;
        let path = folder.path().join("bench.bga");
        let announce = |what: &str| {
            if !args.quiet {
                session.note(what);
            }
        };
        announce("importing ...");
        let start = Instant::now();
        let summary = import_into(args, &path)?;
        let import_seconds = start.elapsed().as_secs_f64();
        let zstd = match args.no_zstd {
            true => None,
            false => {
                let level = if summary.pgn_bytes > ZSTD_LIMIT { 12 } else { 19 };
                announce(&format!("compressing with zstd -{level} ..."));
                let size = zstd_size(&args.file, level)
                    .map_err(|error| Failure::Message(format!("cannot compress {}: {error}", shown(&args.file))))?;
                Some((level, size))
            }
        };
        let archive = archives::open(session, &path)?;
        announce("replaying games with checked moves ...");
        let reference = measure::reference(&archive)?;
        announce("replaying and scanning ...");
        let speeds = measure::scans(&archive, &reference)?;
        announce("FENs ...");
        let fen = measure::fens(&archive)?;
        announce("reading random positions ...");
        let random = measure::random(&archive, &reference)?;
        announce("measuring moves in every form ...");
        let forms = forms(&archive)?;
        let bench = Bench { summary, import_seconds, zstd, speeds, fen, random, forms, checked: reference.nanoseconds };
        if let Some(report) = &report {
            let page = page::page(&bench, &args.file, rayon::current_num_threads());
            new_file::write(report, |file| Ok(file.write_all(page.as_bytes())?))?;
        }
        let mut out = session.stdout();
        let text = if args.json { format!("{}\n", bench.json()) } else { bench.text() };
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(Code::Success)
    })
}

/// Returns the size of the moves of all games in each form.
fn forms(archive: &Archive) -> Result<MoveSizes, Failure> {
    let add = |forms: Result<MoveSizes, Error>, game: Result<GameRef<'_>, Error>| {
        let mut forms = forms?;
        forms.add(&game?.to_game()?);
        Ok(forms)
    };
    let sum = archive.par_games().fold(|| Ok(MoveSizes::default()), add);
    Ok(sum.reduce(|| Ok(MoveSizes::default()), |a, b| Ok(a?.plus(b?)))?)
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Failure {
        match error {
            BenchError::Read(error) => error.into(),
            BenchError::Wrong(_) => Failure::Message(error.to_string()),
        }
    }
}

fn import_into(args: &Args, path: &Path) -> Result<Summary, Failure> {
    let options = ImportOptions {
        threads: args.threads.count(),
        read: ReadOptions::default(),
        existing: Existing::Refuse,
        ..ImportOptions::default()
    };
    let files = [args.file.clone()];
    let summary = Import::new(path).options(options).run(&files)?;
    match summary.stopped {
        Some(error) => Err(error.into()),
        None if summary.stored == 0 => Err(Failure::Message(format!("{}: no games to measure", shown(&args.file)))),
        None => Ok(summary),
    }
}

/// A sink that only counts bytes.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn zstd_size(path: &Path, level: i32) -> io::Result<u64> {
    let mut source = import::open(path).map_err(io::Error::other)?;
    let mut encoder = zstd::Encoder::new(Count(0), level)?;
    io::copy(&mut source, &mut encoder)?;
    encoder.finish().map(|count| count.0)
}

//! `scoresheet bench`: sizes and speeds on a file of the user's, each answer checked.

mod measure;
mod page;

use crate::failure::{Code, Failure};
use crate::out::archive_sizes::Parts;
use crate::out::content::Content;
use crate::out::json::{Object, rounded};
use crate::out::move_sizes::Forms;
use crate::out::new_file;
use crate::out::target::{Existing, Outputs};
use crate::select::archives;
use crate::session::Session;
use crate::text::{ratio, shown, thousands};
use crate::threads::Threads;
use measure::{Random, Speed};
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::import::{self, ImportOptions, Progress, Summary};
use scoresheet::pgn::ReadOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// PGN beyond this size is compressed at the lower level, as the higher one takes minutes.
const ZSTD_LIMIT: u64 = 200_000_000;
/// Measure size and speed on a PGN file
///
/// Imports the file into a temporary archive and measures bytes a ply by part (against the PGN, and against zstd of it), the import,
/// replay and scans of all games on one thread and on all, FENs, and positions at random. The answers are checked against the decoder
/// that checks every move; a wrong one ends the benchmark.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  scoresheet bench games.pgn
  scoresheet bench games.pgn --report bench.html    the same with plots, in one file for a browser")]
pub struct Args {
    /// A PGN file, plain or compressed
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Leave out the comparison with zstd, which takes the longest
    #[arg(long)]
    no_zstd: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Also write a report with plots to this file, in HTML
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Replace that file if it exists already and is such a page
    #[arg(long, requires = "report")]
    force: bool,
    /// Do not tell what is being measured
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.threads.install(|| {
        let mut outputs = Outputs::of_sources([&args.file]);
        let report = args.report.as_deref();
        let report =
            report.map(|path| outputs.file(path, Content::Html, Existing::of_force(args.force))).transpose()?;
        let folder = TemporaryFolder::create()
            .map_err(|error| Failure::Message(format!("cannot make a temporary folder: {error}")))?;
        let path = folder.path().join("bench.bga");
        let tell = |what: &str| {
            if !args.quiet {
                session.note(what);
            }
        };
        tell("import ...");
        let start = Instant::now();
        let summary = import_into(args, &path)?;
        let import_seconds = start.elapsed().as_secs_f64();
        let zstd = match args.no_zstd {
            true => None,
            false => {
                let level = if summary.pgn_bytes > ZSTD_LIMIT { 12 } else { 19 };
                tell(&format!("zstd -{level} ..."));
                let size = zstd_size(&args.file, level)
                    .map_err(|error| Failure::Message(format!("cannot compress {}: {error}", shown(&args.file))))?;
                Some((level, size))
            }
        };
        let archive = archives::open(session, &path)?;
        tell("every position, each move checked ...");
        let truth = measure::truth(&archive)?;
        tell("replay and scans ...");
        let speeds = measure::scans(&archive, &truth)?;
        tell("FENs ...");
        let fen = measure::fens(&archive)?;
        tell("positions at random ...");
        let random = measure::random(&archive)?;
        tell("the moves in every form ...");
        let forms = measure::forms(&archive)?;
        let bench = Bench { summary, import_seconds, zstd, speeds, fen, random, forms, checked: truth.nanoseconds };
        if let Some(report) = &report {
            let page = page::page(&bench, &args.file, rayon::current_num_threads());
            new_file::write(report, |file| Ok(file.write_all(page.as_bytes())?))?;
        }
        let mut out = session.stdout();
        let text = if args.json { format!("{}\n", bench.json()) } else { bench.text() };
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(Code::Fine)
    })
}

fn import_into(args: &Args, path: &Path) -> Result<Summary, Failure> {
    let options = ImportOptions {
        threads: args.threads.count(),
        read: ReadOptions::default(),
        existing: import::Existing::Refuse,
        ..ImportOptions::default()
    };
    let files = [args.file.clone()];
    let summary = import::import(&files, path, &options, &Progress::default(), &AtomicBool::new(false), |_| {})?;
    match summary.stopped {
        Some(error) => Err(error.into()),
        None if summary.stored == 0 => Err(Failure::Message(format!("{}: no game to measure with", shown(&args.file)))),
        None => Ok(summary),
    }
}

/// Counts bytes.
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

/// What was measured.
pub struct Bench {
    pub summary: Summary,
    import_seconds: f64,
    zstd: Option<(i32, u64)>,
    speeds: [Speed; 3],
    fen: f64,
    random: Random,
    /// The moves in every form of the source's.
    pub forms: Forms,
    checked: f64,
}

impl Bench {
    /// The files and parts compared: title, name for programs, bytes.
    pub fn sizes(&self) -> Vec<(String, &'static str, u64)> {
        let Summary { archive_bytes, index_bytes, pgn_bytes, totals, .. } = self.summary;
        let mut rows = vec![("PGN".to_owned(), "pgn", pgn_bytes)];
        if let Some((level, bytes)) = self.zstd {
            rows.push((format!("zstd -{level} of the PGN"), "zstd", bytes));
        }
        rows.push(("archive and index".to_owned(), "archive", archive_bytes + index_bytes));
        let parts = Parts::new(totals, archive_bytes, index_bytes).rows();
        let parts = parts.into_iter().filter(|(_, name, _)| *name != "all");
        rows.extend(parts.map(|(title, name, bytes)| (format!("  {title}"), name, bytes)));
        rows
    }

    fn import_rate(&self) -> f64 {
        ratio(self.summary.pgn_bytes as f64 / 1e6, self.import_seconds)
    }

    /// The speeds: title and value with its unit.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let Random { p50, p99, mean } = self.random;
        let [ends, walk, keys] =
            self.speeds.map(|speed| format!("{:.2} ns a ply (on all threads {:.2})", speed.one, speed.all));
        vec![
            ("import", format!("{:.1} MB of PGN a second ({:.2} s)", self.import_rate(), self.import_seconds)),
            ("replay", ends),
            ("scan of all positions", walk),
            ("scan with Zobrist keys", keys),
            ("scan, moves checked", format!("{:.2} ns a ply on all threads", self.checked)),
            ("FEN", format!("{:.1} ns", self.fen)),
            ("position at random", format!("{mean:.0} ns to its FEN; clock included p50 {p50} ns, p99 {p99} ns")),
        ]
    }

    /// The speeds that a plot can compare: title and nanoseconds.
    pub fn nanoseconds(&self) -> Vec<(String, f64)> {
        let [ends, walk, keys] = self.speeds;
        [
            ("replay", ends.all),
            ("scan", walk.all),
            ("scan with keys", keys.all),
            ("scan, moves checked", self.checked),
            ("FEN (one thread)", self.fen),
        ]
        .map(|(title, value)| (title.to_owned(), value))
        .into()
    }

    fn text(&self) -> String {
        let (games, plies) = (self.summary.stored as f64, self.summary.plies as f64);
        let mut text = format!(
            "{} games, {} plies\n\n{:<22}{:>15}{:>12}{:>10}\n",
            thousands(self.summary.stored),
            thousands(self.summary.plies),
            "size",
            "bytes",
            "a game",
            "a ply"
        );
        for (title, _, bytes) in self.sizes() {
            let size = bytes as f64;
            text += &format!(
                "{title:<22}{:>15}{:>12.2}{:>10.3}\n",
                thousands(bytes),
                ratio(size, games),
                ratio(size, plies)
            );
        }
        text += &format!("\n{}", self.forms.text());
        text += &format!("\n{:<22}\n", "speed");
        for (title, value) in self.rows() {
            text += &format!("{title:<24}{value}\n");
        }
        text + "\nAll answers agree with those of the decoder that checks every move.\n"
    }

    fn json(&self) -> Object {
        let (games, plies) = (self.summary.stored as f64, self.summary.plies as f64);
        let sizes = self.sizes().into_iter().fold(Object::new(), |all, (_, name, bytes)| {
            let size = bytes as f64;
            let row = Object::new()
                .with("bytes", bytes)
                .with("per_game", rounded(ratio(size, games), 3))
                .with("per_ply", rounded(ratio(size, plies), 4));
            all.object(name, &row)
        });
        let [ends, walk, keys] = self.speeds;
        Object::new()
            .with("games", self.summary.stored)
            .with("plies", self.summary.plies)
            .object("sizes", &sizes)
            .object("moves", &self.forms.json())
            .with("zstd_level", self.zstd.map(|(level, _)| level))
            .with("import_seconds", rounded(self.import_seconds, 3))
            .with("import_mb_per_second", rounded(self.import_rate(), 1))
            .with("replay_ns_per_ply", rounded(ends.one, 3))
            .with("replay_ns_per_ply_all_threads", rounded(ends.all, 3))
            .with("scan_ns_per_ply", rounded(walk.one, 3))
            .with("scan_ns_per_ply_all_threads", rounded(walk.all, 3))
            .with("scan_keys_ns_per_ply", rounded(keys.one, 3))
            .with("scan_keys_ns_per_ply_all_threads", rounded(keys.all, 3))
            .with("scan_checked_ns_per_ply_all_threads", rounded(self.checked, 3))
            .with("fen_ns", rounded(self.fen, 2))
            .with("random_ns_mean", rounded(self.random.mean, 1))
            .with("random_ns_p50", self.random.p50)
            .with("random_ns_p99", self.random.p99)
            .with("answers_checked", true)
    }
}

//! `scoresheet import`: PGN files into an archive.

mod faults;
mod kept;

use crate::command::Threads;
use crate::failure::{Code, Failure};
use crate::interrupt;
use crate::out::archive_sizes::Parts;
use crate::out::content::Content;
use crate::out::json::{Object, rounded};
use crate::out::new_file::NewFile;
use crate::out::output::{self, count, note, ratio, shown, thousands};
use crate::out::progress;
use crate::out::target::{Existing, Outputs, Target};
use crate::select::inputs;
use faults::{Tally, file_name};
use indicatif::ProgressBar;
use scoresheet::archive::FileKind;
use scoresheet::archive::writer::BATCH;
use scoresheet::error::Error;
use scoresheet::import::{self, Acknowledged, FaultReport, ImportOptions, Progress, SourceSummary, Summary};
use scoresheet::pgn::{Encoding, ReadOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Make an archive of PGN files, or add them to one
///
/// Reads PGN, plain, compressed with zstd, gzip or bzip2, or in zip and tar files, and PCN likewise: by their content, whatever the files are
/// called. Every tag, comment, annotation and variation is kept; of PCN the PGN made of it is, not the file's own bytes. What is neither is refused. A game with a fault is kept as far as it can be read, with the rest of it as raw text; each fault is told
/// with file, line and game. Beside the archive games.bga its index games.bgi is written; it can always be made again.
///
/// Every so often, and at the end, a commit makes what has been imported durable. An import that was killed leaves the archive as at its last
/// commit; --resume, with the same files and options, goes on from there and gives the same archive as if nothing had happened.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet import games.pgn -o games.bga
  scoresheet import 2024-01.pgn.zst 2024-02.pgn.zst -o 2024.bga
  scoresheet import new.pgn -o games.bga --append
  scoresheet import games.pgn -o games.bga --resume     after a crash: goes on where it was
  curl https://example.org/games.pgn.gz | scoresheet import - -o games.bga")]
pub struct Args {
    /// PGN files in the order wanted, folders of them, and PCN files; * and ? are understood; - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The archive to write
    #[arg(short, long, value_name = "ARCHIVE")]
    output: PathBuf,
    /// Add to the archive if it exists already
    #[arg(long, conflicts_with = "force")]
    append: bool,
    /// Replace the file if it exists already and is an archive
    #[arg(long)]
    force: bool,
    /// Go on with an import of these files that was cut off; begin it where nothing of it is there (with --append also after other games)
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Commit after so many chunks of about 750 KB of PGN each: at most so much is lost in a crash
    #[arg(long, value_name = "CHUNKS", default_value_t = BATCH, value_parser = clap::value_parser!(u32).range(1..=65536))]
    batch: u32,
    /// Reject games with any fault; exit code 3 if there are such
    #[arg(long)]
    strict: bool,
    /// Write rejected games to this file as they stand in the source; of one longer than 2 MiB the first MiB
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// The encoding of the PGN
    #[arg(long, value_name = "ENCODING", value_enum, default_value_t)]
    encoding: Charset,
    /// How hard tags and texts are compressed, 1 (fast) to 22 (small) [default: 9; with --pack 19]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=22))]
    level: Option<i32>,
    /// Pack moves into under three bits each: the smallest archive; games take some tens of microseconds to open instead of one
    #[arg(long)]
    pack: bool,
    /// Tell all faults one by one as they come, not the first 20 of rejected games and the first 20 of others only
    #[arg(long)]
    all_faults: bool,
    /// Show neither progress nor summary; faults and errors are told all the same
    #[arg(short, long)]
    quiet: bool,
    /// Print faults, commits and the summary as JSON objects, one a line, the summary last
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

/// What `--encoding` takes.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Charset {
    /// UTF-8, and Windows-1252 for each game that is not
    #[default]
    Auto,
    /// UTF-8; other bytes are faults
    #[value(name = "utf-8")]
    Utf8,
    #[value(name = "windows-1252", alias = "cp1252")]
    Windows1252,
    #[value(name = "latin1", alias = "latin-1", alias = "iso-8859-1")]
    Latin1,
}

impl From<Charset> for Encoding {
    fn from(charset: Charset) -> Encoding {
        match charset {
            Charset::Auto => Encoding::Auto,
            Charset::Utf8 => Encoding::Utf8,
            Charset::Windows1252 => Encoding::Windows1252,
            Charset::Latin1 => Encoding::Latin1,
        }
    }
}

pub fn run(args: &Args) -> Result<Code, Failure> {
    let files = inputs::expand(&args.files, &inputs::PGN)?;
    let (target, rejects) = targets(args, &files)?;
    let kept = kept::set_apart(&files)?;
    let options = ImportOptions {
        kept: kept.places.clone(),
        threads: args.threads.count(),
        read: ReadOptions { strict: args.strict, encoding: args.encoding.into(), ..ReadOptions::default() },
        level: args.level.unwrap_or(if args.pack { 19 } else { 9 }),
        pack: args.pack,
        existing: match (args.append, args.force) {
            (true, _) => import::Existing::Append,
            (_, true) => import::Existing::Replace,
            _ => import::Existing::Refuse,
        },
        keep_rejected: args.rejects.is_some(),
        resume: args.resume,
        batch: args.batch,
        ..ImportOptions::default()
    };
    let files = &kept.files;
    let stop = interrupt::stop_flag();
    let rejects = rejects.map(Rejects::create).transpose()?;
    let total = total_size(files);
    let bar = progress::bar(total, !args.quiet);
    let progress = if args.json { Progress::with_acknowledge(tell_commit) } else { Progress::default() };
    let mut faults = Faults { args, files, bar: &bar, tally: Tally::default(), rejects, broken: None };
    let start = Instant::now();
    let look = |bar: &ProgressBar, elapsed: Duration| {
        bar.set_position(progress.consumed());
        bar.set_message(state(&progress, total, elapsed));
    };
    let summary = progress::watched(&bar, look, || {
        import::import(files, target.path(), &options, &progress, &stop, |fault| faults.take(&fault))
    });
    let Faults { tally, rejects, broken, .. } = faults;
    tally.tell(files);
    let summary = summary.map_err(|error| match error {
        Error::NotAnArchive { .. } => Failure::Message(format!("{error}: give another name with -o")),
        error => Failure::of_archive(&args.output)(error),
    })?;
    let failure = failure(args, &summary);
    if summary.stopped.is_none() {
        kept.tell(&args.output);
    }
    if let Some(rejects) = rejects {
        rejects.finish()?;
    }
    if args.json {
        let mut out = output::stdout();
        writeln!(out, "{}", json(&summary, &kept.places, start.elapsed(), failure.as_deref()))?;
        out.flush()?;
        broken.map_or(Ok(()), Err)?;
    } else if !args.quiet && summary.stored + summary.passed_over > 0 {
        tell(args, &summary, start.elapsed());
    }
    output::report_unindexed(&args.output, summary.unindexed.as_ref());
    match failure {
        Some(failure) if matches!(summary.stopped, Some(Error::Interrupted)) => Err(Failure::Interrupted(failure)),
        Some(failure) => Err(Failure::Message(failure)),
        None if args.strict && summary.rejected > 0 => Ok(Code::Rejected),
        None => Ok(Code::Fine),
    }
}

/// Tells of a commit as soon as it is durable. Should nobody listen, the end of the import tells.
fn tell_commit(done: &Acknowledged) {
    let (name, offset) = done.source.clone().unzip();
    let object = Object::new()
        .with("committed", done.games)
        .with("sequence", done.sequence)
        .with("bytes", done.length)
        .with("file", name)
        .with("offset", offset);
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{object}").and_then(|()| out.flush());
}

/// The archive and the file of rejected games, if they may be written.
fn targets(args: &Args, files: &[PathBuf]) -> Result<(Target, Option<Target>), Failure> {
    let path = &args.output;
    let refuse = |what: &str| Err(Failure::Message(format!("{}: {what}", shown(path))));
    if path.as_os_str() == "-" {
        return refuse("an archive cannot go to standard output: give a file name with -o");
    }
    if std::fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        return refuse("is not a regular file: give another name with -o");
    }
    let mut outputs = Outputs::of_sources(files);
    // Of an archive that is there the import itself says what can be done with it.
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let archive = outputs.file(path, Content::Ours(FileKind::Archive), existing)?;
    let rejects = args.rejects.as_deref();
    let rejects =
        rejects.map(|path| outputs.file(path, Content::Source, Existing::of_force(args.force))).transpose()?;
    Ok((archive, rejects))
}

fn total_size(files: &[PathBuf]) -> Option<u64> {
    files.iter().map(|file| std::fs::metadata(file).ok().filter(|file| file.is_file()).map(|file| file.len())).sum()
}

fn state(progress: &Progress, total: Option<u64>, elapsed: Duration) -> String {
    let rate = ratio(progress.pgn_bytes() as f64 / 1e6, elapsed.as_secs_f64());
    let state = format!("{:.0} MB/s, {}", rate, count(progress.games(), "game", "games"));
    match total.and_then(|total| progress::left(elapsed, progress.consumed(), total)) {
        Some(left) => format!("{state}, {left}"),
        None => state,
    }
}

/// Takes faults as they come.
struct Faults<'a> {
    args: &'a Args,
    files: &'a [PathBuf],
    bar: &'a ProgressBar,
    tally: Tally,
    rejects: Option<Rejects>,
    /// Why standard output takes no more.
    broken: Option<io::Error>,
}

impl Faults<'_> {
    fn take(&mut self, fault: &FaultReport) {
        if let (Some(rejects), Some(text)) = (&mut self.rejects, &fault.rejected) {
            rejects.write(text);
        }
        let name = faults::name_in(self.files, fault);
        if self.args.json {
            if self.broken.is_none() {
                self.broken = writeln!(io::stdout(), "{}", faults::json(name, fault)).err();
            }
        } else if self.args.all_faults {
            self.bar.suspend(|| note(&faults::line(name, fault, 0)));
        } else {
            self.tally.add(self.files, fault);
        }
    }
}

/// The file of rejected games.
struct Rejects {
    file: NewFile,
    target: Target,
    /// Whether the last game ended with its line.
    whole_line: bool,
    /// Why the file takes no more.
    broken: Option<io::Error>,
}

impl Rejects {
    fn create(target: Target) -> Result<Rejects, Failure> {
        Ok(Rejects { file: NewFile::create(&target)?, target, whole_line: true, broken: None })
    }

    fn write(&mut self, text: &[u8]) {
        let separator: &[u8] = if self.whole_line { b"" } else { b"\n\n" };
        self.whole_line = text.ends_with(b"\n") || text.ends_with(b"\r");
        if self.broken.is_none() {
            self.broken = self.file.write_all(separator).and_then(|()| self.file.write_all(text)).err();
        }
    }

    fn finish(self) -> Result<(), Failure> {
        let Rejects { file, target, broken, .. } = self;
        broken.map_or(Ok(()), |error| Err(Failure::Output(error))).and_then(|()| file.finish()).map_err(|failure| {
            match failure {
                Failure::Output(error) => Failure::Message(format!("cannot write {}: {error}", shown(target.path()))),
                failure => failure,
            }
        })
    }
}

/// Why an import that came to an end has failed all the same.
fn failure(args: &Args, summary: &Summary) -> Option<String> {
    let archive = shown(&args.output);
    let kept = args.output.exists();
    let stored = count(summary.stored, "game", "games");
    match &summary.stopped {
        Some(Error::Interrupted) if args.force => Some(format!("interrupted: {archive} has not been replaced")),
        Some(Error::Interrupted) if !kept => Some("interrupted: nothing has been stored yet".to_owned()),
        Some(Error::Interrupted) => {
            Some(format!("interrupted: {stored} before that are committed in {archive}; --resume goes on from there"))
        }
        Some(error) if summary.stored == 0 => Some(format!("{error}; no game was stored")),
        Some(error) => Some(format!("{error}; {stored} before that are committed in {archive}")),
        None if summary.stored == 0 && summary.rejected > 0 => {
            let seen = count(summary.seen, "game", "games");
            let fate = if kept { "is as it was" } else { "has not been written" };
            Some(format!("none of {seen} could be stored; {archive} {fate}"))
        }
        None => None,
    }
}

fn tell(args: &Args, summary: &Summary, elapsed: Duration) {
    let Summary { seen, stored, rejected, faulty, plies, .. } = summary;
    let seconds = elapsed.as_secs_f64();
    if summary.passed_over > 0 {
        note(&format!("{} bytes were in the archive already; behind them:", thousands(summary.passed_over)));
    }
    if let Some(left) = &summary.left {
        note(&format!(
            "an import of {} had been cut off before at byte {} and has not been gone on with: its games stay, without a record of their source",
            left.source.name,
            thousands(left.source.bytes)
        ));
    }
    note(&format!(
        "{} seen = {} stored + {} rejected; {}; {} with faults",
        count(*seen, "game", "games"),
        thousands(*stored),
        thousands(*rejected),
        count(*plies, "ply", "plies"),
        thousands(*faulty),
    ));
    for source in summary.sources.iter().filter(|source| source.windows_1252 > 0) {
        let odd = count(source.windows_1252, "game", "games");
        let charset = if matches!(args.encoding, Charset::Latin1) { "Latin-1" } else { "Windows-1252" };
        note(&format!("{}: {odd} of {} read as {charset}", source.record.name, thousands(source.record.seen)));
    }
    for source in summary.sources.iter().filter(|source| source.made) {
        let name = file_name(Path::new(&source.record.name));
        note(&format!("{name}: PCN; what is kept is the PGN made of it, not its own bytes"));
    }
    let whole = summary.sources.iter().filter(|source| source.whole);
    let exact = whole.clone().filter(|source| source.record.exact).count() as u64;
    note(&format!(
        "{} of {} can be given back byte for byte",
        thousands(exact),
        count(whole.count() as u64, "source", "sources")
    ));
    if args.append && summary.totals.games > *stored {
        note(&format!("The archive now has {}:", count(summary.totals.games, "game", "games")));
    }
    let parts = Parts::new(summary.totals, summary.archive_bytes, summary.index_bytes);
    parts.table().lines().for_each(note);
    let rate = ratio(summary.pgn_bytes as f64 / 1e6, seconds);
    note(&format!("{seconds:.2} s, {rate:.1} MB of PGN a second"));
}

fn json(summary: &Summary, kept: &[usize], elapsed: Duration, failure: Option<&str>) -> Object {
    let seconds = elapsed.as_secs_f64();
    let parts = Parts::new(summary.totals, summary.archive_bytes, summary.index_bytes);
    let source = |(place, source): (usize, &SourceSummary)| {
        Object::new()
            .with("name", source.record.name.as_str())
            .with("seen", source.record.seen)
            .with("rejected", source.record.rejected)
            .with("windows_1252", source.windows_1252)
            .with("whole", source.whole)
            .with("exact", source.whole && source.record.exact)
            .with("kept_whole", kept.contains(&place))
            .with("made_of_pcn", source.made)
    };
    let sources: Vec<Object> = summary.sources.iter().enumerate().map(source).collect();
    Object::new()
        .with("seen", summary.seen)
        .with("stored", summary.stored)
        .with("rejected", summary.rejected)
        .with("faulty", summary.faulty)
        .with("plies", summary.plies)
        .with("pgn_bytes", summary.pgn_bytes)
        .with("passed_over", summary.passed_over)
        .array("sources", &sources)
        .with("archive_games", summary.totals.games)
        .with("archive_bytes", summary.archive_bytes)
        .with("index_bytes", summary.index_bytes)
        .object("parts", &parts.json())
        .with("seconds", rounded(seconds, 3))
        .with("mb_per_second", rounded(ratio(summary.pgn_bytes as f64 / 1e6, seconds), 1))
        .with("failure", failure)
}

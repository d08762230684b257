//! `scoresheet pack` and `scoresheet unpack`: copy an archive with packed moves, or with plain moves.

use crate::failure::{Code, Failure};
use crate::output::archive_sizes::ArchiveSizes;
use crate::output::json::{Object, rounded};
use crate::output::upkeep::Upkeep;
use crate::output::{new_archive, progress};
use crate::select::archives;
use crate::session::Session;
use crate::text::{count, ratio, shown, thousands};
use crate::threads::Threads;
use indicatif::ProgressBar;
use scoresheet::Monitor;
use scoresheet::archive::{MODEL, TranscodeOptions, Transcoded};
use scoresheet::format::moves::Coding;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Copy an archive with packed moves: a third of the size
///
/// Every command accepts packed archives, but a packed game takes tens of microseconds to open instead of one.
/// `scoresheet unpack` restores the plain archive byte for byte, unless --level recompressed the other columns.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet pack games.bga -o games-packed.bga
  scoresheet pack games.bga -o games-packed.bga --level 19     smaller still")]
pub struct PackArgs {
    #[command(flatten)]
    common: Common,
    /// Store the model in the copy: 0.5 MB
    ///
    /// Any later version can then read the archive without a built-in model.
    #[arg(long)]
    with_model: bool,
}

/// Copy a packed archive with plain moves, which are fastest to read
///
/// Plain moves take one byte per half-move.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  scoresheet unpack games-packed.bga -o games.bga")]
pub struct UnpackArgs {
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct Common {
    /// The archive to copy
    archive: PathBuf,
    /// The archive to write
    #[arg(short, long, value_name = "ARCHIVE")]
    output: PathBuf,
    /// Recompress at this level, 1 (fast) to 22 (small)
    ///
    /// This level applies to tags, texts and layout. By default, `pack` copies them unchanged.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=22))]
    level: Option<i32>,
    /// Replace an existing archive
    #[arg(long)]
    force: bool,
    /// Show neither progress nor summary
    #[arg(short, long)]
    quiet: bool,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    upkeep: Upkeep,
    #[command(flatten)]
    threads: Threads,
}

pub fn pack(args: &PackArgs, session: &Session) -> Result<Code, Failure> {
    copy(&args.common, session, Coding::Packed(MODEL), args.with_model)
}

pub fn unpack(args: &UnpackArgs, session: &Session) -> Result<Code, Failure> {
    copy(&args.common, session, Coding::Plain, false)
}

fn copy(args: &Common, session: &Session, coding: Coding, with_model: bool) -> Result<Code, Failure> {
    let archive = archives::open(session, &args.archive)?;
    let target = new_archive::target([args.archive.as_path()], &args.output, args.force)?;
    let options = TranscodeOptions { coding, level: args.level, with_model, existing: target.existing() };
    let (total, done, stop) = (archive.file_length(), AtomicU64::new(0), AtomicBool::new(false));
    let bar = progress::bar(session, Some(total), !args.quiet);
    let look = |bar: &ProgressBar, elapsed: Duration| {
        let done = done.load(Ordering::Relaxed);
        bar.set_position(done);
        let left = progress::left(elapsed, done, total).unwrap_or_default();
        bar.set_message(format!("{} MB  {left}", done / 1_000_000));
    };
    let start = Instant::now();
    args.threads.install(|| {
        let progress = |bytes| {
            done.fetch_add(bytes, Ordering::Relaxed);
        };
        let transcoded = progress::watched(&bar, look, || {
            let monitor = Monitor::new().on_progress(progress).stop(&stop);
            archive.transcode(target.path(), &options, monitor)
        })
        .map_err(Failure::of_archive(&args.archive))?;
        let code = report(args, session, &archive, &transcoded, start.elapsed())?;
        args.upkeep.follow(session, target.path(), args.quiet || args.json, [archive.path()])?;
        Ok(code)
    })
}

fn report(
    args: &Common,
    session: &Session,
    archive: &scoresheet::Archive,
    transcoded: &Transcoded,
    elapsed: Duration,
) -> Result<Code, Failure> {
    let Transcoded { before, after, archive_bytes, index_bytes, .. } = *transcoded;
    new_archive::warn_left_out(session, archive);
    new_archive::warn_unindexed(session, &args.output, transcoded.unindexed.as_ref());
    let parts = ArchiveSizes::new(after, archive_bytes, index_bytes);
    let bits = |bytes: u64| ratio(bytes as f64 * 8.0, after.plies as f64);
    let seconds = elapsed.as_secs_f64();
    if args.json {
        let mut out = session.stdout();
        let summary = Object::new()
            .with("archive", args.output.display().to_string())
            .with("games", after.games)
            .with("plies", after.plies)
            .with("bytes_before", archive.file_length())
            .with("bytes", archive_bytes)
            .with("moves_bits_per_ply_before", rounded(bits(before.moves_bytes), 4))
            .with("moves_bits_per_ply", rounded(bits(after.moves_bytes), 4))
            .with("seconds", rounded(seconds, 3))
            .object("parts", &parts.json());
        writeln!(out, "{summary}")?;
        out.flush()?;
    } else if !args.quiet {
        session.note(&format!(
            "{}: {}, {} bytes instead of {}; moves {:.3} bits per ply instead of {:.3}; {:.1} s, {:.2} µs per ply",
            shown(&args.output),
            count(after.games, "game", "games"),
            thousands(archive_bytes),
            thousands(archive.file_length()),
            bits(after.moves_bytes),
            bits(before.moves_bytes),
            seconds,
            ratio(seconds * 1e6, after.plies as f64),
        ));
        parts.table().lines().for_each(|line| session.note(line));
    }
    Ok(Code::Success)
}

//! `scoresheet verify`: checks that an archive is intact.

mod against;
mod difference;
mod report;

use crate::failure::{Code, Failure};
use crate::output::progress;
use crate::select::side_files;
use crate::session::Session;
use crate::threads::Threads;
use indicatif::ProgressBar;
use scoresheet::ArchiveFile;
use scoresheet::archive::{Archive, FileKind, Level, Report, SideState};
use scoresheet_query::check_side_files;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Check that an archive is intact
///
/// `verify` checks every byte of the archive, its index and its side files against checksums. It also reads the tags
/// and texts of every game, and checks the legality of each move. It reports each damaged part on a line, with the
/// games that it affects. The exit code is 4 if the archive is damaged, and 6 if only its index or a side file is damaged
/// or out of date; `index` makes these files again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet verify games.bga
  scoresheet verify games.bga --quick                   checksums only
  scoresheet verify games.bga --against games.pgn.zst  compare with the PGN")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Check only structure and checksums, without reading every game
    #[arg(long)]
    quick: bool,
    /// Compare the archive byte for byte with these PGN files
    ///
    /// `verify` compares each file with the source of the same name. It converts PCN files to PGN before the
    /// comparison.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "quick")]
    against: Vec<PathBuf>,
    /// List all damage, differences and affected games
    #[arg(short, long)]
    verbose: bool,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    if !args.against.is_empty() {
        let request = against::Request {
            archive: &args.archive,
            files: &args.against,
            verbose: args.verbose,
            quiet: args.quiet,
            json: args.json,
        };
        return args.threads.install(|| against::run(&request, session));
    }
    let path = &args.archive;
    let file = std::fs::metadata(path).map_err(|error| Failure::cannot_open(path, error))?;
    let level = if args.quick { Level::Quick } else { Level::Full };
    // A verification without --quick reads the moves a second time.
    let moves = match (
        level,
        Archive::open(ArchiveFile::at(path).options(session.access)).and_then(|archive| archive.totals()),
    ) {
        (Level::Full, Ok(totals)) => totals.moves_bytes,
        _ => 0,
    };
    let total = file.len() + moves;
    let done = AtomicU64::new(0);
    let bar = progress::bar(session, Some(total), !args.quiet);
    let look = |bar: &ProgressBar, elapsed: Duration| {
        let done = done.load(Ordering::Relaxed);
        bar.set_position(done.min(total));
        let left = progress::left(elapsed, done.min(total), total).unwrap_or_default();
        bar.set_message(format!("{} MB  {left}", done / 1_000_000));
    };
    let (found, beside) = args.threads.install(|| {
        let progress = |bytes| {
            done.fetch_add(bytes, Ordering::Relaxed);
        };
        let report = progress::watched(&bar, look, || {
            Archive::verify(ArchiveFile::at(path).options(session.access), level, progress)
        });
        let report = report.map_err(Failure::of_archive(path))?;
        let beside = beside(session, path, &report);
        Ok::<_, Failure>((report, beside))
    })?;
    let faults: Vec<String> =
        beside.iter().filter_map(|(kind, state)| side_files::fault(path, *kind, *state)).collect();
    let mut out = session.stdout();
    if args.json {
        writeln!(out, "{}", report::json(&found, &beside, level, file.len()))?;
    } else {
        if args.verbose {
            report::list_damage(path, &found, &mut out)?
        } else {
            report::list_spots(path, &found, &mut out)?
        }
        for fault in &faults {
            writeln!(out, "{fault}")?;
        }
        report::conclude(path, session, &found, level, file.len(), &mut out)?;
    }
    out.flush()?;
    Ok(match (found.is_intact(), faults.is_empty()) {
        (false, _) => Code::Damaged,
        (true, false) => Code::Stale,
        (true, true) => Code::Success,
    })
}

/// Returns the state of the index and of each side file of the archive; empty if the archive cannot be opened.
fn beside(session: &Session, path: &Path, report: &Report) -> Vec<(FileKind, SideState)> {
    let Ok(archive) = Archive::open(ArchiveFile::at(path).options(session.access)) else { return Vec::new() };
    let index = match (report.index, archive.index_state()) {
        // The file has the state of the archive, but differs from an index built from the archive.
        (Some(false), SideState::File) => SideState::Damaged,
        (_, state) => state,
    };
    [(FileKind::Index, index)].into_iter().chain(check_side_files(&archive)).collect()
}

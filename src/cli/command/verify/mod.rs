//! `scoresheet verify`: is everything in the archive what was written?

mod against;

use crate::failure::{Code, Failure};
use crate::out::json::Object;
use crate::out::progress;
use crate::select::side_files;
use crate::session::Session;
use crate::text::{count, shown, thousands};
use crate::threads::Threads;
use indicatif::ProgressBar;
use scoresheet::archive::{Archive, FileKind, Level, Report, SideState, Spot};
use scoresheet::query::check_side_files;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Damaged spots that are told unless all are asked for.
const SPOTS: usize = 20;
/// Ranges of games that are told of a spot.
const RANGES: usize = 8;

/// Check that an archive is intact
///
/// Every byte of the archive, of its index and of the caches beside it is checked against its checksum, and every game is read: tags,
/// texts, and each move for legality. Exit code 4 if anything is damaged, or a file beside the archive does not belong to it as it is;
/// each damaged spot is a line, with the games that it concerns.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet verify games.bga
  scoresheet verify games.bga --quick     checksums only, as fast as the disk
  scoresheet verify games.bga --against games.pgn.zst     is it all in the archive?")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Check structure and checksums only, not every game
    #[arg(long)]
    quick: bool,
    /// Compare the archive with these files of PGN, byte for byte, or PCN, as the PGN made of it, instead: each with the source of its name
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "quick")]
    against: Vec<PathBuf>,
    /// List every damage or difference, and every game, not the first places alone
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
    // A full verification goes over the moves a second time.
    let moves = match (level, Archive::open_with(path, session.access).and_then(|archive| archive.totals())) {
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
    let (report, beside) = args.threads.install(|| {
        let progress = |bytes| {
            done.fetch_add(bytes, Ordering::Relaxed);
        };
        let report = progress::watched(&bar, look, || Archive::verify_with(path, session.access, level, progress));
        let report = report.map_err(Failure::of_archive(path))?;
        let beside = beside(session, path, &report);
        Ok::<_, Failure>((report, beside))
    })?;
    let faults: Vec<String> =
        beside.iter().filter_map(|(kind, state)| side_files::fault(path, *kind, *state)).collect();
    let mut out = session.stdout();
    if args.json {
        writeln!(out, "{}", json(&report, &beside, level, file.len()))?;
    } else {
        if args.verbose {
            list_damage(args, &report, &mut out)?
        } else {
            list_spots(args, &report, &mut out)?
        }
        for fault in &faults {
            writeln!(out, "{fault}")?;
        }
        conclude(args, session, &report, level, file.len(), &mut out)?;
    }
    out.flush()?;
    Ok(if report.is_intact() && faults.is_empty() { Code::Fine } else { Code::Damaged })
}

/// Returns the state of the index and of each cache beside the archive; of an archive that cannot be opened, of none.
fn beside(session: &Session, path: &Path, report: &Report) -> Vec<(FileKind, SideState)> {
    let Ok(archive) = Archive::open_with(path, session.access) else { return Vec::new() };
    let index = match (report.index, archive.index_state()) {
        // It says that it belongs to the archive, and is not what the archive's index is.
        (Some(false), SideState::File) => SideState::Damaged,
        (_, state) => state,
    };
    [(FileKind::Index, index)].into_iter().chain(check_side_files(&archive)).collect()
}

/// Writes a line for each damaged spot, of many the first.
fn list_spots(args: &Args, report: &Report, out: &mut impl Write) -> Result<(), Failure> {
    let path = shown(&args.archive);
    for Spot { offset, what, games, .. } in report.spots.iter().take(SPOTS) {
        match games.is_empty() {
            true => writeln!(out, "{path}: {what} at byte {offset}")?,
            false => writeln!(out, "{path}: {} damaged or lost: {what} at byte {offset}", ranges(games))?,
        }
    }
    if report.spots.len() > SPOTS {
        let more = count((report.spots.len() - SPOTS) as u64, "more damaged spot", "more damaged spots");
        writeln!(out, "{path}: ... and {more} (--verbose lists all)")?;
    }
    Ok(())
}

/// Writes a line for each damage and each range of games.
fn list_damage(args: &Args, report: &Report, out: &mut impl Write) -> Result<(), Failure> {
    let path = shown(&args.archive);
    for damage in &report.damage {
        writeln!(out, "{path}: {damage}")?;
    }
    for (first, last) in &report.lost {
        let verb = if first == last { "is" } else { "are" };
        writeln!(out, "{path}: {} {verb} damaged or lost", ranges(&[(*first, *last)]))?;
    }
    Ok(())
}

/// Returns ranges of games in words, of many the first and how many games there are in all.
pub fn ranges(games: &[(u64, u64)]) -> String {
    let range =
        |(first, last): &(u64, u64)| if first == last { first.to_string() } else { format!("{first} to {last}") };
    let listed: Vec<String> = games.iter().take(RANGES).map(range).collect();
    let all: u64 = games.iter().map(|(first, last)| (last - first).saturating_add(1)).sum();
    let noun = if all == 1 { "game" } else { "games" };
    match games.len() > RANGES {
        true => format!("{noun} {}, .. ({})", listed.join(", "), count(all, "game", "games")),
        false => format!("{noun} {}", listed.join(", ")),
    }
}

fn conclude(
    args: &Args,
    session: &Session,
    report: &Report,
    level: Level,
    bytes: u64,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let path = shown(&args.archive);
    if report.uncommitted > 0 {
        session.note(&format!(
            "{path}: {} bytes beyond the last commit are the rest of an unfinished import; the next one cuts them off",
            thousands(report.uncommitted)
        ));
    }
    let blocks = format!("{} bytes, {}", thousands(bytes), count(report.blocks, "block", "blocks"));
    let games = count(report.games, "game", "games");
    if !report.is_intact() {
        let found = count(report.spots.len() as u64, "damaged spot", "damaged spots");
        let unread = if level == Level::Full { "; the games have not been read one by one" } else { "" };
        writeln!(out, "{path}: DAMAGED: {found} ({blocks}{unread})")?;
    } else if level == Level::Quick {
        writeln!(out, "{path}: sound: checksums of {blocks}; {games}, their moves not checked")?;
    } else {
        let plies = count(report.plies, "ply", "plies");
        writeln!(out, "{path}: sound: checksums of {blocks}; tags, texts and moves of {games}, {plies}")?;
    }
    Ok(())
}

fn json(report: &Report, beside: &[(FileKind, SideState)], level: Level, bytes: u64) -> Object {
    let beside = beside.iter().filter(|(_, state)| *state != SideState::Missing).map(|(kind, state)| {
        let state = match state {
            SideState::File | SideState::Missing => "good",
            SideState::Stale => "stale",
            SideState::Damaged => "damaged",
        };
        Object::new().with("file", kind.extension()).with("state", state)
    });
    let beside: Vec<Object> = beside.collect();
    let damage: Vec<Object> = report
        .damage
        .iter()
        .map(|damage| {
            Object::new()
                .with("offset", damage.offset)
                .with("what", damage.what)
                .with("game", Some(damage.game).filter(|game| *game > 0))
        })
        .collect();
    let lost: Vec<Object> =
        report.lost.iter().map(|(first, last)| Object::new().with("first", *first).with("last", *last)).collect();
    let spots: Vec<Object> = report
        .spots
        .iter()
        .map(|spot| {
            let games: Vec<Object> = spot
                .games
                .iter()
                .map(|(first, last)| Object::new().with("first", *first).with("last", *last))
                .collect();
            let object = Object::new().with("offset", spot.offset).with("what", spot.what);
            object.with("damages", spot.damages).array("games", &games)
        })
        .collect();
    Object::new()
        .with("sound", report.is_intact())
        .with("level", if level == Level::Quick { "quick" } else { "full" })
        .with("bytes", bytes)
        .with("blocks", report.blocks)
        .with("games", report.games)
        .with("plies", (level == Level::Full && report.is_intact()).then_some(report.plies))
        .with("uncommitted", report.uncommitted)
        .with("index", report.index)
        .array("damage", &damage)
        .array("lost", &lost)
        .array("spots", &spots)
        .array("beside", &beside)
}

//! `scoresheet repair`: makes a new archive from all intact parts of a damaged archive.

use crate::failure::{Code, Failure};
use crate::output::json::Object;
use crate::output::upkeep::Upkeep;
use crate::output::{damage, new_archive, progress};
use crate::session::Session;
use crate::text::{count, printable, shown, thousands};
use crate::threads::Threads;
use scoresheet::archive::Archive;
use scoresheet::archive::repair::{Loss, Repair};
use scoresheet::archive::temporary::TemporaryFolder;
use scoresheet::error::{Damage, DamageKind};
use scoresheet::format::header::BLOCKS;
use scoresheet::import::restore;
use scoresheet::{ArchiveFile, Existing, Monitor};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Recover the intact games of a damaged archive
///
/// `repair` first restores what the parity of a batch can restore: one damaged run of bytes in each batch of 512 KiB or
/// more. It then writes every game with readable moves to a new archive, in order and renumbered. It keeps a game with
/// damaged tags, comments or layout, without the damaged parts. It reports every loss on one line, with the game
/// numbers of the damaged archive. It never writes to the damaged file. The exit code is 0 if no data is lost, and
/// otherwise 4.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet repair broken.bga -o whole.bga
  scoresheet repair broken.bga -o whole.bga --from games.pgn
  scoresheet repair broken.bga -o whole.bga --json   damage, losses, new numbers")]
pub struct Args {
    /// The damaged archive
    archive: PathBuf,
    /// The new archive
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Restore lost games and parts from the PGN files of the sources
    ///
    /// `repair` compares the games before and after a loss with the files to find the lost games there.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// Replace an existing archive
    #[arg(long)]
    force: bool,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    upkeep: Upkeep,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let path = &args.archive;
    let file = std::fs::metadata(path).map_err(|error| Failure::cannot_open(path, error))?;
    let inputs = [path.as_path()].into_iter().chain(args.from.iter().map(PathBuf::as_path));
    let target = new_archive::target(inputs, &args.output, args.force)?;
    let folder =
        TemporaryFolder::create().map_err(|error| Failure::Message(format!("cannot create a folder: {error}")))?;
    // The repaired archive is the result, unless games come from the sources.
    let repaired = folder.path().join("repaired.bga");
    let (written, existing) = match args.from.is_empty() {
        true => (target.path(), target.existing()),
        false => (repaired.as_path(), Existing::Replace),
    };
    let (done, total) = (AtomicU64::new(0), file.len());
    let bar = progress::bar(session, Some(total), !args.quiet);
    let mut restored = None;
    let mut repair = args.threads.install(|| {
        let progress = |bytes| {
            done.fetch_add(bytes, Ordering::Relaxed);
        };
        let look = |bar: &indicatif::ProgressBar, _| bar.set_position(done.load(Ordering::Relaxed).min(total));
        let work = || {
            let repair = Archive::repair(ArchiveFile::at(path).options(session.access), written, existing, progress)?;
            if !args.from.is_empty() {
                let archive = Archive::open(&repaired)?;
                restored =
                    Some(restore(&archive, &repair, &args.from, target.path(), target.existing(), Monitor::new())?);
            }
            Ok(repair)
        };
        progress::watched(&bar, look, work).map_err(Failure::of_archive(path))
    })?;
    let mut kept = repair.kept_games();
    if let Some(restored) = restored {
        let lost = repair.lost_games();
        (repair.losses, repair.inexact, repair.unindexed) = (restored.losses, restored.inexact, restored.unindexed);
        kept = restored.games;
        if !args.quiet {
            let games = count(restored.restored, "game", "games");
            let later =
                if repair.lost_games() < lost { " as imported; later changes to lost games are lost" } else { "" };
            session.note(&format!("{games} restored from PGN{later}"));
        }
    }
    let mut out = session.stdout();
    if args.json {
        writeln!(out, "{}", json(&repair, kept))?;
    } else {
        list_losses(path, &repair, &mut out)?;
    }
    out.flush()?;
    if !args.quiet {
        for range in &repair.mended {
            session.note(&format!("{}: {} restored from a parity or checksums", shown(path), damage::bytes_of(range)));
        }
        let (kept, all) = (count(kept, "game", "games"), thousands(repair.games - repair.deleted));
        let without = match repair.deleted {
            0 => String::new(),
            deleted => format!(", without {}", count(deleted, "deleted game", "deleted games")),
        };
        session.note(&format!("{}: {kept} of {all} kept{without}", shown(&args.output)));
        if repair.returned {
            let what = "deleted games are back, because the damage makes their deletion uncertain";
            session.note(&format!("{}: {what}", shown(path)));
        }
    }
    if let Ok(damaged) = Archive::open(path) {
        new_archive::warn_left_out(session, &damaged);
    }
    new_archive::warn_unindexed(session, &args.output, repair.unindexed.as_ref());
    args.upkeep.follow(session, target.path(), args.quiet || args.json, [path.as_path()])?;
    let is_whole = repair.losses.is_empty()
        && repair.inexact.is_empty()
        && repair.lost_metadata.is_none()
        && repair.lost_sources == 0
        && repair.holes.is_empty()
        && !repair.returned
        && lost_header(&repair).is_none();
    Ok(if is_whole { Code::Success } else { Code::Damaged })
}

/// Returns the damage of a file that ends within its header pages. The page that is left may not know the lost games.
fn lost_header(repair: &Repair) -> Option<&Damage> {
    repair.damage.iter().find(|damage| damage.kind == DamageKind::CutOff && damage.offset < BLOCKS)
}

fn list_losses(path: &Path, repair: &Repair, out: &mut impl Write) -> Result<(), Failure> {
    let path = shown(path);
    for Loss { first, last, part, damage } in &repair.losses {
        let games = match last - first {
            0 => format!("game {first}"),
            _ => format!("games {first} to {last}"),
        };
        match part {
            None => writeln!(out, "{path}: {games} lost: {damage}")?,
            Some(part) => writeln!(out, "{path}: {games} kept without {}: {damage}", part.name())?,
        }
    }
    if let Some(damage) = lost_header(repair) {
        writeln!(out, "{path}: all games lost; their number is unknown: {damage}")?;
    }
    if let Some(damage) = &repair.lost_metadata {
        writeln!(out, "{path}: title, license or other metadata lost: {damage}")?;
    }
    if repair.lost_sources > 0 {
        let sources = count(repair.lost_sources, "source", "sources");
        writeln!(out, "{path}: {sources} lost: the games are kept, but the bytes of the PGN cannot be restored")?;
    }
    for damage in repair.holes.iter().filter(|damage| lost_header(repair) != Some(*damage)) {
        let what = "what was there is unknown; games or a title may be lost, and deleted games may be back";
        writeln!(out, "{path}: {damage}: {what}")?;
    }
    for name in &repair.inexact {
        writeln!(out, "{path}: source {} can no longer be restored byte for byte", printable(name))?;
    }
    Ok(())
}

fn json(repair: &Repair, kept_games: u64) -> Object {
    let lost = |loss: &Loss| {
        Object::new()
            .with("first", loss.first)
            .with("last", loss.last)
            .with("part", loss.part.map_or("game", |part| part.name()))
            .with("offset", loss.damage.offset)
            .with("what", loss.damage.kind.to_string())
    };
    let losses: Vec<Object> = repair.losses.iter().map(lost).collect();
    let kept: Vec<Object> = repair
        .kept
        .iter()
        .map(|kept| Object::new().with("first", kept.first).with("last", kept.last).with("now", kept.now))
        .collect();
    Object::new()
        .with("games", repair.games)
        .with("deleted_games", repair.deleted)
        .with("kept_games", kept_games)
        .with("lost_games", repair.lost_games())
        .array("damage", &damage::json(&repair.damage))
        .array("mended", &damage::json_of_bytes(&repair.mended))
        .array("losses", &losses)
        .array("kept", &kept)
        .with("deleted_games_returned", repair.returned)
        .with("metadata_lost", repair.lost_metadata.is_some())
        .with("lost_sources", repair.lost_sources)
        .array("holes", &damage::json(&repair.holes))
        .with("inexact_sources", repair.inexact.clone())
}

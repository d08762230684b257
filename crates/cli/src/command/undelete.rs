//! `scoresheet undelete`: restores deleted games.

use crate::failure::{Code, Failure};
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::new_archive;
use crate::select::archives;
use crate::session::Session;
use crate::text::{count, shown};
use scoresheet::Archive;
use scoresheet::archive::GameSet;
use scoresheet_output::Outputs;
use scoresheet_query::GameRanges;
use std::io::Write;
use std::path::PathBuf;

/// Restore deleted games under their old numbers
///
/// The bytes of deleted games stay in the archive until `scoresheet compact` makes a new archive. Until then,
/// `undelete` can restore them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet undelete games.bga --games 5,10-20
  scoresheet undelete games.bga --all
  scoresheet undelete games.bga --list   print the numbers of the deleted games")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Restore these games, e.g. 5,10-20,400-
    ///
    /// Games that are not deleted are ignored.
    #[arg(long, value_name = "RANGES", required_unless_present_any = ["all", "list"])]
    games: Option<GameRanges>,
    /// Restore all deleted games
    #[arg(long, conflicts_with = "games")]
    all: bool,
    /// Print the numbers of the deleted games, without restoring games
    #[arg(long, conflicts_with_all = ["games", "all"])]
    list: bool,
    #[command(flatten)]
    done: Done,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let path = &args.archive;
    let chosen = {
        let archive = archives::open(session, path)?;
        let mut deleted = GameSet::all(archive.len());
        deleted.subtract(&archive.live());
        if let Some(ranges) = &args.games {
            deleted.intersect(&ranges.games(archive.len())?);
        }
        deleted
    };
    if args.list {
        let mut out = session.stdout();
        chosen.iter().try_for_each(|game| match args.done.json {
            true => writeln!(out, "{}", Object::new().with("game", game)),
            false => writeln!(out, "{game}"),
        })?;
        out.flush()?;
        return Ok(Code::Success);
    }
    Outputs::default().in_place(path)?;
    let restored = Archive::undelete(path, chosen.iter()).map_err(Failure::of_archive(path))?;
    let line = format!("{}: {} restored", shown(path), count(restored.games, "game", "games"));
    let object = Object::new().with("archive", path.to_string_lossy().as_ref()).with("restored", restored.games);
    args.done.report(session, &line, &object)?;
    new_archive::warn_unindexed(session, path, restored.unindexed.as_ref());
    Ok(Code::Success)
}

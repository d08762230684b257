//! `scoresheet delete`: games taken out.

use crate::args::Threads;
use crate::failure::{Code, Failure};
use crate::games::{Ranges, Where};
use crate::output::{self, count, note};
use scoresheet::archive;
use std::path::PathBuf;

/// Delete games from an archive
///
/// The numbers of other games stay; a deleted number stands for nothing. The bytes of deleted games stay in the file until `scoresheet
/// compact` makes a new archive without them. There is no undoing it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet delete games.bga --games 5,10-20
  scoresheet delete games.bga --where 'plies < 10 or fault'
  scoresheet compact games.bga -o small.bga           a new archive without the deleted games")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// These games, as in 5,10-20,1000-
    #[arg(long, value_name = "RANGES")]
    games: Option<Ranges>,
    #[command(flatten)]
    filter: Where,
    /// Delete nothing; only say how many games would be deleted
    #[arg(long)]
    dry_run: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args) -> Result<Code, Failure> {
    if args.games.is_none() && !args.filter.is_given() {
        return Err(Failure::Message("say which games: with --games RANGES or --where EXPR".to_owned()));
    }
    let games = {
        let archive = output::open(&args.archive)?;
        args.threads.install(|| args.filter.chosen(&archive, args.games.as_ref()))?
    };
    let number = count(games.len(), "game", "games");
    if args.dry_run {
        note(&format!("{number} would be deleted"));
        return Ok(Code::Fine);
    }
    archive::delete(&args.archive, games.iter()).map_err(Failure::of_archive(&args.archive))?;
    if !args.quiet {
        note(&format!("{}: {number} deleted", args.archive.display()));
    }
    Ok(Code::Fine)
}

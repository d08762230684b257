//! `scoresheet compact`: copies an archive without its deleted games.

use crate::failure::{Code, Failure};
use crate::output::new_archive::TargetArgs;
use crate::select::archives;
use crate::session::Session;
use crate::threads::Threads;
use scoresheet::archive::copy::Part;
use std::path::PathBuf;

/// Copy an archive without its deleted games
///
/// `compact` renumbers the other games and copies them as stored. A source with a deleted game can no longer be
/// restored with `export --original`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  scoresheet compact games.bga -o small.bga")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archive = archives::open(session, &args.archive)?;
    args.threads.install(|| args.target.write(session, &[Part { games: archive.live(), archive: &archive }]))
}

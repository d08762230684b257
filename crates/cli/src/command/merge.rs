//! `scoresheet merge`: merges several archives into one.

use crate::failure::{Code, Failure};
use crate::output::new_archive::TargetArgs;
use crate::select::archives;
use crate::session::Session;
use crate::threads::Threads;
use scoresheet::archive::copy::Part;
use std::path::PathBuf;

/// Merge archives into a new one
///
/// `merge` copies games as stored, renumbers them, and omits deleted games. It keeps sources: `export --original`
/// restores every source without deleted games.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet merge 2023.bga 2024.bga -o both.bga
  scoresheet merge 20*.bga -o all.bga --force")]
pub struct Args {
    /// The archives to merge, in this order
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = archives::each_once(session, args.archives.clone())?;
    let parts: Vec<Part> = archives.iter().map(|archive| Part { games: archive.live(), archive }).collect();
    args.threads.install(|| args.target.write(session, &parts))
}

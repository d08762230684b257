//! `scoresheet merge`: several archives made one.

use crate::failure::{Code, Failure};
use crate::out::new_archive::TargetArgs;
use crate::select::archives;
use crate::session::Session;
use crate::threads::Threads;
use scoresheet::archive::copy::Part;
use std::path::PathBuf;

/// Write a new archive with the games of several, one archive after the other
///
/// Games are copied as they are stored and numbered anew; deleted ones are left out. Sources come along, so that `export --original`
/// still gives them back.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet merge 2023.bga 2024.bga -o both.bga
  scoresheet merge 2023.bga 2024.bga -o both.bga && scoresheet dedupe both.bga --dry-run")]
pub struct Args {
    /// The archives, in this order
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = args.archives.iter().map(|path| archives::open(session, path)).collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<Part> = archives.iter().map(|archive| Part { games: archive.live(), archive }).collect();
    args.threads.install(|| args.target.write(session, &parts))
}

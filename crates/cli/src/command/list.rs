//! `scoresheet list`: prints one line per game.

use crate::failure::{Code, Failure};
use crate::select::filter::Where;
use crate::select::listing::Listing;
use crate::session::Session;
use crate::threads::Threads;
use scoresheet_query::Query;
use std::path::PathBuf;

/// List games: players, result, date, ECO code, plies and event
///
/// On a terminal, the table fits the screen. In other output, tabs separate the columns and no text is shortened.
/// `find` selects games by the positions on the board, and lists them in the same formats.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet list games.bga
  scoresheet list games.bga --sort -plies --limit 10       the ten longest games
  scoresheet list games.bga --games 5,10-20,400-
  scoresheet list games.bga --where 'player ~ Carlsen and plies > 60'
  scoresheet list games.bga --where 'loser ~ Carlsen and opening ~ Najdorf'
  scoresheet list games.bga --where 'lowclock < 10' --columns white,lowclock
  scoresheet list games.bga --columns 'game,white,\"TimeControl\"' --format csv
  scoresheet list games.bga --where 'elo >= 2700' -o best.bga    a new archive
  scoresheet list games/*.bga --where 'date >= today - 3y' --count
  scoresheet list games.bga --json | grep Carlsen")]
pub struct Args {
    /// The archives, or folders of archives
    ///
    /// With several archives, each line begins with the name of its archive.
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    listing: Listing,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = args.filter.open(session, &args.archives)?;
    let (listing, filter) = (&args.listing, &args.filter);
    let query = filter.query(Query::new())?;
    args.threads
        .install(|| listing.run(session, &archives, filter, query, || filter.report_none(session, &archives.columns())))
}

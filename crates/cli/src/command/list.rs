//! `scoresheet list`: one line per game.

use crate::failure::{self, Code, Failure};
use crate::output::new_archive;
use crate::select::archives;
use crate::select::filter::Where;
use crate::select::listing::{self, Listing, Place, Printer};
use crate::select::ranges::{self, Ranges};
use crate::select::units::{Unit, units};
use crate::session::Session;
use crate::threads::Threads;
use std::io::Write;
use std::path::PathBuf;

/// List games, one line each: number, White, Black, result, date, ECO code, plies, event
///
/// On a terminal the columns are aligned and fitted to its width; otherwise they are separated by tabs and nothing is
/// shortened. `find` lists games in the same ways, by what happens on the board.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet list games.bga
  scoresheet list games.bga --sort -plies --limit 10       the ten longest games
  scoresheet list games.bga --games 5,10-20,1000-
  scoresheet list games.bga --where 'player ~ Carlsen and plies > 60'
  scoresheet list games.bga --where 'loser ~ Carlsen and opening ~ Najdorf'
  scoresheet list games.bga --where 'lowclock < 10' --columns white,lowclock
  scoresheet list games.bga --columns 'game,white,\"TimeControl\"' --format csv
  scoresheet list games.bga --where 'elo >= 2700' -o best.bga    a new archive
  scoresheet list games/*.bga --where 'date >= today - 3y' --count
  scoresheet list games.bga --json | grep Carlsen")]
pub struct Args {
    /// The archive, or several, or a folder of them: then each line begins with the archive's name
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// Only these games, in this order, e.g. 5,10-20,1000-
    #[arg(long, value_name = "RANGES")]
    games: Option<Ranges>,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    listing: Listing,
    #[command(flatten)]
    threads: Threads,
}

/// Games that are printed at once.
const BATCH: usize = 1 << 16;

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = archives::open_all(session, &args.archives)?;
    ranges::of_one(&archives, args.games.as_ref())?;
    let listing = &args.listing;
    let target = listing.target(&archives)?;
    args.threads.install(|| {
        let (mut failed, mut work, mut games) = (0, Vec::new(), 0);
        for (place, archive) in archives.archives().iter().enumerate() {
            let (chosen, undecided) = args.filter.games(session, archive);
            listing.explain_filter(session, archive, &args.filter);
            failed += undecided;
            let (units, own) = units(archive, args.games.as_ref(), chosen.as_ref())?;
            games += own;
            work.push((place, units));
        }
        if games == 0 && !listing.count {
            args.filter.report_none(session, archives.archives(), args.games.as_ref());
        }
        if listing.count {
            let mut out = session.stdout();
            writeln!(out, "{games}")?;
            out.flush()?;
            return failure::all_read(failed);
        }
        let numbers = work.iter().flat_map(|(place, units)| {
            units.iter().flat_map(Unit::numbers).map(|number| Place { game: (*place, number), hits: 0..0 })
        });
        let (limit, offset) = listing.span();
        if listing.sort.is_none() && target.is_none() {
            // As they come: there may be too many to be kept.
            let mut printer = Printer::new(session, &archives, listing, false)?;
            let mut rest = numbers.skip(offset).take(limit);
            loop {
                let batch: Vec<Place> = rest.by_ref().take(BATCH).collect();
                if batch.is_empty() {
                    break;
                }
                printer.games(&batch, &[])?;
            }
            return failure::all_read(failed + printer.finish()?);
        }
        let (mut places, lost) = listing.sorted(session, &archives, numbers.collect());
        failed += lost;
        places.drain(..offset.min(places.len()));
        places.truncate(limit);
        if let Some(target) = &target {
            return new_archive::write_part(session, target, &listing::parts(&archives, &places), failed);
        }
        let mut printer = Printer::new(session, &archives, listing, false)?;
        printer.games(&places, &[])?;
        failure::all_read(failed + printer.finish()?)
    })
}

//! `scoresheet list`: one line per game.

use crate::failure::{self, Code, Failure};
use crate::out::game_line::{self, Style};
use crate::out::new_archive;
use crate::select::filter::Where;
use crate::select::ranges::{self, Ranges};
use crate::select::units::Unit;
use crate::select::{archives, parallel};
use crate::session::Session;
use crate::threads::Threads;
use scoresheet::archive::Archive;
use scoresheet::archive::copy::Part;
use std::io::Write;
use std::path::PathBuf;

/// List games, one line each: number, White, Black, result, date, ECO code, plies, event
///
/// On a terminal the columns are aligned and long names are shortened; otherwise columns are separated by tabs and
/// nothing is shortened.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet list games.bga
  scoresheet list games.bga --games 5,10-20,1000-
  scoresheet list games.bga --where 'player ~ Carlsen and result = 1/2-1/2 and plies > 60'
  scoresheet list games.bga --where 'elo >= 2700' -o best.bga     write these games to a new archive
  scoresheet list games/*.bga --where 'elo >= 2700'               from several archives
  scoresheet list games.bga --json | grep Carlsen")]
pub struct Args {
    /// The archive, or several: then each line begins with the archive's name
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// Only these games, in this order, e.g. 5,10-20,1000-
    #[arg(long, value_name = "RANGES")]
    games: Option<Ranges>,
    #[command(flatten)]
    filter: Where,
    /// Write the games to a new archive instead of listing them; they are copied as stored
    #[arg(short, long, value_name = "FILE.bga", conflicts_with = "json")]
    output: Option<PathBuf>,
    /// Replace that file if it already exists and is an archive
    #[arg(long, requires = "output")]
    force: bool,
    /// Print one JSON object per line, with all tags as name and value pairs in their original order
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = archives::open_all(session, &args.archives)?;
    ranges::of_one(&archives, args.games.as_ref())?;
    if let Some(path) = &args.output {
        let target = new_archive::target(archives.archives().iter().map(Archive::path), path, args.force)?;
        return args.threads.install(|| {
            let (mut parts, mut undecided) = (Vec::new(), 0);
            for archive in archives.archives() {
                let (games, unread) = args.filter.chosen(session, archive, args.games.as_ref())?;
                parts.push(Part { archive, games });
                undecided += unread;
            }
            new_archive::write_part(session, &target, &parts, undecided)
        });
    }
    let style = match args.json {
        true => Style::Json,
        false if session.is_terminal() => Style::Columns,
        false => Style::Tabs,
    };
    let mut out = session.stdout();
    let damaged = args.threads.install(|| {
        parallel::write_lines(session, &archives, args.games.as_ref(), &args.filter, &mut out, |archive, name, unit| {
            lines(archive, name, unit, style)
        })
    })?;
    out.flush()?;
    failure::all_read(damaged)
}

/// Returns the lines of a unit, each with the archive's name if one is given, and a message for each game that cannot
/// be read.
fn lines(archive: &Archive, name: Option<&str>, unit: &Unit, style: Style) -> (String, Vec<String>) {
    let (mut text, mut faults) = (String::new(), Vec::new());
    unit.each(archive, |_, game| {
        let start = text.len();
        match game.and_then(|game| game_line::push_line(&game, None, style, &mut text)) {
            Ok(()) => game_line::push_name(name, style, start, &mut text),
            Err(error) => faults.push(archives::fault(name, &error)),
        }
    });
    (text, faults)
}

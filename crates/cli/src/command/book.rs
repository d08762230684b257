//! `scoresheet book`: writes an opening book in the format of PolyGlot.

use crate::failure::{Code, Failure};
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::{new_file, progress};
use crate::select::archives;
use crate::select::filter::Where;
use crate::session::Session;
use crate::text::{count, shown};
use crate::threads::Threads;
use scoresheet::chess::{Color, Variant};
use scoresheet::game::calendar::today;
use scoresheet::{Existing, Monitor};
use scoresheet_output::Content;
use scoresheet_output::Outputs;
use scoresheet_query::Rules;
use scoresheet_query::report::book::{BookBuilder, BookOptions, Recent};
use std::io::Write;
use std::path::PathBuf;

/// Make a PolyGlot opening book from games
///
/// The weight of a move is two points for each win and one for each draw of the side that played it. Games without a
/// result do not count.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet book games.bga -o book.bin
  scoresheet book games.bga -o strong.bin --where 'elo >= 2600' --depth 30
  scoresheet book games.bga -o white.bin --only white --min-score 50 --recent-weight 5")]
pub struct Args {
    /// One or more archives, or folders of archives, for one book
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// The book to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace an existing opening book
    #[arg(long)]
    force: bool,
    /// Use this number of half-moves of each game
    #[arg(long, alias = "plies", value_name = "PLIES", default_value_t = 40)]
    depth: u32,
    /// Include only moves played in at least N games
    #[arg(long, value_name = "N", default_value_t = 3)]
    min_games: u64,
    /// Include only the moves of this side
    #[arg(long, value_name = "white|black")]
    only: Option<Color>,
    /// Include only moves that score at least this much for their side, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    min_score: u8,
    /// Halve the weight of a game with each N years of age
    ///
    /// A game without a year has a quarter of the weight.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    recent_weight: Option<u32>,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    done: Done,
    #[command(flatten)]
    threads: Threads,
}

/// The number of games from which moves are counted before their scores are added.
const MANY: u64 = 50_000;

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = args.filter.open(session, &args.archives)?;
    of_book(args.filter.rules())?;
    let mut outputs = Outputs::from_archives(archives.archives());
    let target = outputs.file(&args.output, Content::Book, Existing::from_force(args.force))?;
    args.threads.install(|| {
        let this_year = today().map_or(0, |(year, ..)| year as u32);
        let recent = args.recent_weight.map(|half_life| Recent { year: this_year, half_life });
        let options = BookOptions {
            plies: args.depth,
            min_games: args.min_games,
            side: args.only,
            min_score: args.min_score,
            recent,
        };
        let mut book = BookBuilder::new(options);
        let (mut failed, mut games, mut selections) = (0, 0, Vec::new());
        for member in archives.members() {
            let (chosen, undecided) = args.filter.games_by_rules(session, member.columns())?;
            failed += undecided;
            games += chosen.as_ref().map_or(member.archive().len(), |chosen| chosen.len());
            selections.push((member, chosen));
        }
        if games == 0 && failed == 0 {
            match args.filter.is_given() {
                true => args.filter.report_none(session, &archives.columns()),
                false => session.hint("there are no games"),
            }
            session.hint(&format!("{} has not been written", shown(&args.output)));
            return Ok(Code::Success);
        }
        // Moves of too few games are counted first, if they are so many that their scores would need more memory.
        let is_counted = games > MANY && args.min_games > 1;
        let total = if is_counted { 2 * games } else { games };
        let unread = progress::counted(session, total, !(args.done.quiet || args.done.json), |done| {
            let monitor = Monitor::new().on_progress(done);
            let searches =
                selections.iter().map(|(member, chosen)| member.search_among(chosen.as_ref()).monitored(&monitor));
            if is_counted {
                searches.clone().for_each(|search| search.count_for_book(&mut book));
            }
            searches.map(|search| search.add_to_book(&mut book)).collect::<Vec<_>>()
        });
        for ((member, _), unread) in selections.iter().zip(unread) {
            unread.iter().for_each(|error| session.unread(&archives::fault(member.archive(), error)));
            failed += unread.len() as u64;
        }
        if failed > 0 {
            let what = count(failed, "game", "games");
            return Err(Failure::Message(format!(
                "{what} could not be read: no book was written; see `scoresheet verify`"
            )));
        }
        let entries = book.entries();
        if entries.is_empty() {
            session.hint(&format!("no move has {}: see --min-games", count(args.min_games, "game", "games")));
        }
        new_file::write(&target, |file| Ok(entries.iter().try_for_each(|entry| file.write_all(&entry.encode()))?))?;
        let moves = count(entries.len() as u64, "move", "moves");
        let file = args.output.to_string_lossy();
        let object = Object::new().with("file", file.as_ref()).with("moves", entries.len() as u64);
        args.done.report(session, &format!("{}: {moves}", shown(&args.output)), &object)?;
        Ok(Code::Success)
    })
}

/// Rejects rules whose moves a book cannot hold: its keys have no pockets and no variant, and its moves no drops.
fn of_book(rules: Option<Rules>) -> Result<(), Failure> {
    let what = match rules {
        Some(Rules::Only(Variant::Crazyhouse)) => {
            "a PolyGlot book has neither pockets nor drops, so none of Crazyhouse"
        }
        Some(Rules::Any) => "a PolyGlot book has moves of one variant: name it with --variant",
        _ => return Ok(()),
    };
    Err(Failure::Usage(what.to_owned()))
}

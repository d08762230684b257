//! `scoresheet stats`: games counted by result, length, year, rating and more.

mod by;
mod report;
mod tables;

use crate::failure::{self, Code, Failure};
use crate::output::html::{Report, ReportArgs};
use crate::output::json::Object;
use crate::select::filter::Where;
use crate::select::grouped::Games;
use crate::select::{archives, side_files};
use crate::session::Session;
use crate::threads::Threads;
use by::{Choice, GroupArgs};
use scoresheet::output::Outputs;
use scoresheet::query::report::stats::{self, Stats};
use std::io::Write;
use std::path::PathBuf;

/// Count games by result, length, year, rating, opening, player and event, or in groups
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet stats games.bga
  scoresheet stats games/*.bga
  scoresheet stats games.bga --where 'elo >= 2700'
  scoresheet stats games.bga --by opening,rating   openings by rating band
  scoresheet stats games.bga --by opponent --player Carlsen --sort score
  scoresheet stats games.bga --by mate             mates by piece
  scoresheet stats games.bga --report games.html   a page with charts")]
pub struct Args {
    /// The archive, or several, counted together
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    groups: GroupArgs,
    /// How many players, events, openings or groups to list. Default: 10; of groups 20 in a table, otherwise all
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Print one JSON object; of groups one each
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = archives::open_all(session, &args.archives)?;
    args.filter.of_one(&archives)?;
    if let Some(keys) = &args.groups.by {
        let choice = Choice { filter: &args.filter, top: args.top, json: args.json };
        return args.threads.install(|| by::run(&args.groups, keys, &choice, session, &archives));
    }
    let top = args.top.unwrap_or(10);
    let report = args.report.target(&mut Outputs::of_archives(archives.archives()))?;
    args.threads.install(|| {
        let (chosen, mut undecided) = Games::chosen(session, &archives, &args.filter)?;
        let mut stats = Stats::default();
        for Games { member, games, .. } in &chosen {
            let path = member.archive().path();
            let mut own = stats::stats(member.columns(), games).map_err(Failure::of_archive(path))?;
            own.longest.archive = own.longest.game.map(|_| path.to_string_lossy().into_owned());
            stats.add(own);
        }
        side_files::report_searches(session, &archives);
        if stats.games == 0 {
            args.filter.report_none(session, &archives.columns());
        }
        stats.cut(top);
        let mut out = session.stdout();
        if let Some(target) = &report {
            let games = stats.games;
            let (data, lost) = report::data(session, &chosen, stats)?;
            undecided += lost;
            let (title, filter) = (archives::names(&args.archives), args.filter.text());
            Report { kind: "statistics", title: &title, filter, games, data: &data }.write(session, target)?;
        } else if args.json {
            writeln!(out, "{}", Object::of(&stats))?;
        } else {
            let are_several = archives.members().len() > 1;
            out.write_all(tables::text(&stats, are_several, top, session.width()).as_bytes())?;
        }
        out.flush()?;
        failure::all_read(undecided)
    })
}

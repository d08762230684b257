//! `scoresheet stats`: counts games by result, length, year, rating and more.

mod by;
mod positions;
mod report;
mod tables;

use crate::failure::{self, Code, Failure};
use crate::output::html::{Report, ReportArgs};
use crate::output::json::Object;
use crate::output::progress;
use crate::output::quiet::Quiet;
use crate::output::rows::RowFormat;
use crate::select::filter::{self, Where};
use crate::select::grouped::Games;
use crate::select::{archives, side_files};
use crate::session::Session;
use crate::threads::Threads;
use by::{Choice, GroupArgs};
use scoresheet_output::Outputs;
use scoresheet_query::report::stats::{self, Stats};
use std::io::Write;
use std::path::PathBuf;

/// Count games by result, year, rating, opening, player and event
///
/// With --by, `stats` counts games in groups, and with --positions, the positions of the games.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet stats games.bga
  scoresheet stats games/*.bga
  scoresheet stats games.bga --where 'elo >= 2700'
  scoresheet stats games.bga --by opening,rating   openings by rating band
  scoresheet stats games.bga --by opponent --player Carlsen --sort score
  scoresheet stats games.bga --by mate             mates by piece
  scoresheet stats games.bga --positions           scores and results of all positions
  scoresheet stats games.bga --report games.html   a page with charts")]
pub struct Args {
    /// One or more archives, or folders of archives, counted together
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    groups: GroupArgs,
    /// Count the positions of the games instead
    ///
    /// Counts positions by score, phase, number of pieces, material and square of the king, with the results of the
    /// side to move, and repeated positions. Positions before a move count, and last positions with a score. Reads all
    /// moves and scores.
    #[arg(long, group = "rows", conflicts_with_all = ["count", "report"])]
    positions: bool,
    /// Limit the players, events, openings, endings or groups listed
    ///
    /// The default is 10. For groups, the default is 20 in a table, and otherwise all groups.
    #[arg(help_heading = "Output")]
    #[arg(long, alias = "top", value_name = "N")]
    limit: Option<usize>,
    /// Print only the number of games
    #[arg(long, conflicts_with_all = ["by", "json", "report"], help_heading = "Output")]
    count: bool,
    /// Print one JSON object, or one object per group
    #[arg(help_heading = "Output")]
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    quiet: Quiet,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.quiet.apply(session);
    let archives = args.filter.open(session, &args.archives)?;
    if args.count {
        return args.threads.install(|| {
            let (chosen, undecided) = Games::chosen(session, &archives, &args.filter)?;
            filter::print_number(session, chosen.iter().map(|selection| selection.games.len()).sum())?;
            failure::all_read(undecided)
        });
    }
    if let Some(keys) = &args.groups.by {
        let choice = Choice { filter: &args.filter, limit: args.limit, json: args.json };
        return args.threads.install(|| by::run(&args.groups, keys, &choice, session, &archives));
    }
    let limit = args.limit.unwrap_or(10);
    if args.positions {
        let format = if args.json { RowFormat::Json } else { args.groups.format };
        return args.threads.install(|| positions::run(&args.filter, format, limit, session, &archives));
    }
    let report = args.report.target(&mut Outputs::from_archives(archives.archives()))?;
    args.threads.install(|| {
        let (chosen, mut undecided) = Games::chosen(session, &archives, &args.filter)?;
        let mut stats = Stats::default();
        for Games { member, games, .. } in &chosen {
            let path = member.archive().path();
            let counted = progress::waiting(session, || stats::stats(member.columns(), games));
            let mut archive_stats = counted.map_err(Failure::of_archive(path))?;
            archive_stats.longest.archive = archive_stats.longest.game.map(|_| path.to_string_lossy().into_owned());
            stats.add(archive_stats);
        }
        side_files::report_searches(session, &archives);
        if stats.games == 0 {
            args.filter.report_none(session, &archives.columns());
        }
        if let Some(aliases) = args.filter.aliases() {
            stats.join_aliases(aliases);
        }
        stats.cut(limit);
        let mut out = session.stdout();
        if let Some(target) = &report {
            let games = stats.games;
            let (data, lost) = report::data(session, &chosen, stats)?;
            undecided += lost;
            let (title, filter) = (archives::names(&args.archives), args.filter.text());
            Report { kind: "statistics", title: &title, filter, games, data: &data }.write(session, target)?;
        } else if args.json {
            writeln!(out, "{}", Object::from_value(&stats))?;
        } else {
            let are_several = archives.members().len() > 1;
            out.write_all(tables::text(&stats, are_several, limit, session.width()).as_bytes())?;
        }
        out.flush()?;
        failure::all_read(undecided)
    })
}

//! `scoresheet stats`: games counted by result, length, year, rating and more.

mod by;
mod page;
mod tables;

use crate::failure::{self, Code, Failure};
use crate::output::new_file;
use crate::select::filter::Where;
use crate::select::grouped::Games;
use crate::select::{archives, side_files};
use crate::session::Session;
use crate::text::{count, shown};
use crate::threads::Threads;
use by::{Choice, GroupArgs};
use page::Page;
use scoresheet::Existing;
use scoresheet::output::Content;
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
    /// Write a self-contained HTML page with charts instead
    #[arg(long, value_name = "FILE.html", conflicts_with_all = ["json", "by"])]
    report: Option<PathBuf>,
    /// Replace that file if it already exists and is an HTML page
    #[arg(long, requires = "report")]
    force: bool,
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
    let mut outputs = Outputs::of_archives(archives.archives());
    let report = args.report.as_deref();
    let report = report.map(|path| outputs.file(path, Content::Html, Existing::from_force(args.force))).transpose()?;
    args.threads.install(|| {
        let (chosen, mut undecided) = Games::chosen(session, &archives, &args.filter)?;
        let (mut stats, mut longest_in) = (Stats::default(), None);
        for Games { member, games, .. } in &chosen {
            let archive = member.archive();
            let own = stats::stats(member.columns(), games).map_err(Failure::of_archive(archive.path()))?;
            if own.longest.0 > stats.longest.0 {
                longest_in = Some(archive);
            }
            stats.add(own);
        }
        side_files::report_searches(session, &archives);
        if stats.games == 0 {
            args.filter.report_none(session, &archives.columns());
        }
        stats.cut(top);
        let in_several = longest_in.and_then(|archive| archives::name_in(&archives, archive));
        if let Some(target) = &report {
            let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let title = args.archives.iter().map(name).collect::<Vec<_>>().join(", ");
            let page = Page {
                title: &title,
                filter: args.filter.text(),
                stats: &stats,
                longest_in: in_several.as_deref(),
                top,
            };
            let (page, lost) = page.html(session, &chosen)?;
            undecided += lost;
            new_file::write(target, |file| Ok(file.write_all(page.as_bytes())?))?;
            session.note(&format!("{}: {}", shown(target.path()), count(stats.games, "game", "games")));
            return failure::all_read(undecided);
        }
        let mut out = session.stdout();
        let text = match args.json {
            true => {
                format!("{}\n", tables::json(&stats, longest_in)?)
            }
            false => tables::text(&stats, in_several.as_deref(), top, session.width()),
        };
        out.write_all(text.as_bytes())?;
        out.flush()?;
        failure::all_read(undecided)
    })
}

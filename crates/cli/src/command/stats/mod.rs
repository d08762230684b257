//! `scoresheet stats`: games counted by result, length, year, rating and more.

mod by;
mod page;
mod tables;

use crate::failure::{self, Code, Failure};
use crate::output::new_file;
use crate::select::filter::Where;
use crate::select::grouped::Games;
use crate::select::ranges::{self, Ranges};
use crate::select::{archives, side_files};
use crate::session::Session;
use crate::text::{count, shown};
use crate::threads::Threads;
use by::{Choice, GroupArgs};
use page::Page;
use scoresheet::output::Content;
use scoresheet::output::{Existing, Outputs};
use scoresheet::query::TagColumns;
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
    /// Only these games, e.g. 5,10-20,1000-
    #[arg(long, value_name = "RANGES")]
    games: Option<Ranges>,
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
    ranges::of_one(&archives, args.games.as_ref())?;
    if let Some(keys) = &args.groups.by {
        let choice = Choice { filter: &args.filter, games: args.games.as_ref(), top: args.top, json: args.json };
        return args.threads.install(|| by::run(&args.groups, keys, &choice, session, &archives));
    }
    let top = args.top.unwrap_or(10);
    let mut outputs = Outputs::of_archives(&archives);
    let report = args.report.as_deref();
    let report = report.map(|path| outputs.file(path, Content::Html, Existing::from_force(args.force))).transpose()?;
    args.threads.install(|| {
        let mut chosen = Vec::new();
        let (mut stats, mut longest_in, mut undecided) = (Stats::default(), None, 0);
        for archive in archives.archives() {
            let (games, unread) = args.filter.chosen(session, archive, args.games.as_ref())?;
            undecided += unread;
            let tags = TagColumns::of(archive);
            let own = stats::stats(&tags, &games).map_err(Failure::of_archive(archive.path()))?;
            side_files::report_columns(session, &tags);
            if own.longest.0 > stats.longest.0 {
                longest_in = Some(archive);
            }
            stats.add(own);
            chosen.push(Games { archive, columns: tags, games, player: None });
        }
        if stats.games == 0 {
            args.filter.report_none(session, archives.archives(), args.games.as_ref());
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
                let archive = longest_in.map(|archive| archive.path().to_string_lossy());
                format!("{}\n", tables::json(&stats, archive.as_deref(), top))
            }
            false => tables::text(&stats, in_several.as_deref(), top, session.width()),
        };
        out.write_all(text.as_bytes())?;
        out.flush()?;
        failure::all_read(undecided)
    })
}

//! `scoresheet stats`: games counted by result, length, year, rating and more.

mod page;
mod tables;

use crate::failure::{self, Code, Failure};
use crate::out::content::Content;
use crate::out::new_file;
use crate::out::target::{Existing, Outputs};
use crate::select::filter::Where;
use crate::select::ranges::{self, Ranges};
use crate::select::{archives, side_files};
use crate::session::Session;
use crate::text::{count, shown};
use crate::threads::Threads;
use scoresheet::query::TagColumns;
use scoresheet::query::report::stats::{self, Stats};
use std::io::Write;
use std::path::PathBuf;

/// Count games by result, length, year, rating, opening, player and event
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet stats games.bga
  scoresheet stats games/*.bga
  scoresheet stats games.bga --where 'elo >= 2700'
  scoresheet stats games.bga --report games.html     a page with charts")]
pub struct Args {
    /// The archive, or several, counted together
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// Only these games, e.g. 5,10-20,1000-
    #[arg(long, value_name = "RANGES")]
    games: Option<Ranges>,
    #[command(flatten)]
    filter: Where,
    /// How many players, events and openings to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write a self-contained HTML page with charts instead
    #[arg(long, value_name = "FILE.html", conflicts_with = "json")]
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
    let mut outputs = Outputs::of_archives(&archives);
    let report = args.report.as_deref();
    let report = report.map(|path| outputs.file(path, Content::Html, Existing::from_force(args.force))).transpose()?;
    let (mut stats, longest_in, undecided) = args.threads.install(|| {
        let (mut all, mut longest_in, mut undecided) = (Stats::default(), None, 0);
        for archive in archives.archives() {
            let (games, unread) = args.filter.chosen(session, archive, args.games.as_ref())?;
            undecided += unread;
            let headers = TagColumns::of(archive);
            let own = stats::stats(&headers, &games).map_err(Failure::of_archive(archive.path()))?;
            side_files::report_columns(session, &headers);
            if own.longest.0 > all.longest.0 {
                longest_in = archives::name_in(&archives, archive);
            }
            all.add(own);
        }
        Ok::<_, Failure>((all, longest_in, undecided))
    })?;
    stats.cut(args.top);
    if let Some(target) = &report {
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let title = args.archives.iter().map(name).collect::<Vec<_>>().join(", ");
        let page = page::page(&title, &stats, longest_in.as_deref(), args.top);
        new_file::write(target, |file| Ok(file.write_all(page.as_bytes())?))?;
        session.note(&format!("{}: {}", shown(target.path()), count(stats.games, "game", "games")));
        return failure::all_read(undecided);
    }
    let mut out = session.stdout();
    let text = match args.json {
        true => format!("{}\n", tables::json(&stats, longest_in.as_deref(), args.top)),
        false => tables::text(&stats, longest_in.as_deref(), args.top),
    };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    failure::all_read(undecided)
}

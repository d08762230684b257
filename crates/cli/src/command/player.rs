//! `scoresheet player`: reports a player's openings, opponents and results.

use crate::completion;
use crate::failure::{self, Code, Failure};
use crate::output::group_table;
use crate::output::html::{self, ReportArgs};
use crate::output::json::{Object, rounded};
use crate::output::progress;
use crate::output::quiet::Quiet;
use crate::output::rows::{RowFormat, RowFormatArgs};
use crate::output::{game_table, table};
use crate::select::filter::{self, Where};
use crate::select::grouped::Games;
use crate::select::{archives, players, side_files};
use crate::session::Session;
use crate::text::{count, folded, plain, printable};
use crate::threads::Threads;
use scoresheet::chess::Color;
use scoresheet_output::Outputs;
use scoresheet_query::Aliases;
use scoresheet_query::ArchiveSet;
use scoresheet_query::GameSummary;
use scoresheet_query::report::groups::{Group, PlayerGames};
use scoresheet_query::report::player::{PlayerArchive, PlayerReport};
use scoresheet_query::report::points::Points;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;

/// Report on a player: score, openings, opponents, best results
///
/// A part of the name suffices, and case is ignored. A single word is a surname. `player` prefers an exact name, then a
/// surname, then names with the same words, then names with the same letters; NAME* counts every such name. The report
/// lists the names that it counts, and similar names that it omits. In --where, `color`, `score` and other fields of a
/// player belong to this player. Performance is the mean rating of the opponents, adjusted by the score.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet player games.bga \"Carlsen, Magnus\"
  scoresheet player games.bga carlsen --where 'date >= today - 3y'
  scoresheet player games/*.bga Carlsen --limit 20 --json
  scoresheet player games.bga Carlsen --report carlsen.html         a page with charts")]
pub struct Args {
    /// One or more archives, or folders of archives, counted together
    #[arg(required = true, add = completion::files_and_players())]
    archives: Vec<PathBuf>,
    /// The player's name, or a part of the name
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    filter: Where,
    /// Limit the openings, opponents and games listed
    #[arg(help_heading = "Output")]
    #[arg(long, alias = "top", value_name = "N", default_value_t = 7)]
    limit: usize,
    /// Print only the number of games
    #[arg(long, conflicts_with_all = ["format", "json", "report"], help_heading = "Output")]
    count: bool,
    #[command(flatten)]
    rows: RowFormatArgs,
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
    let page = args.report.target(&mut Outputs::from_archives(archives.archives()))?;
    args.threads.install(|| {
        let (mut all, mut failed) = Games::chosen(session, &archives, &args.filter)?;
        let chosen = players::choose(session, &mut all, &args.name, &args.filter, &mut failed)?;
        if args.count {
            side_files::report_searches(session, &archives);
            players::report(session, &chosen, &args.name);
            filter::print_number(session, count_of(&all))?;
            return failure::all_read(failed);
        }
        let report =
            report(session, &archives, &all, args.limit, args.filter.aliases().unwrap_or(&Aliases::default()))?;
        let failed = failed + filter::report_lost(session, &archives, &report.unread);
        side_files::report_searches(session, &archives);
        if let Some(target) = &page {
            let title = report.names.first().map_or("", |(name, _)| name.as_str());
            let (title, filter) = (format!("{title}, {}", archives::names(&args.archives)), args.filter.text());
            let (games, data) = (report.all().games, json(&archives, &report, &chosen)?);
            html::Report { kind: "player", title: &title, filter, games, data: &data }.write(session, target)?;
            return failure::all_read(failed);
        }
        let text = match args.rows.format() {
            RowFormat::Json => format!("{}\n", json(&archives, &report, &chosen)?),
            RowFormat::Csv => csv(&report),
            RowFormat::Table => {
                let left_out = players::left_out_text(&chosen.left_out, &args.name);
                text(session, &archives, &report, count_of(&all), left_out)?
            }
        };
        let mut out = session.stdout();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        failure::all_read(failed)
    })
}

fn report(
    session: &Session,
    archives: &ArchiveSet,
    all: &[Games],
    most: usize,
    aliases: &Aliases,
) -> Result<PlayerReport, Failure> {
    let part = |selection: &'_ Games<'_>| selection.player.clone();
    let players: Vec<PlayerGames> = all.iter().filter_map(part).collect();
    let parts =
        all.iter().zip(&players).map(|(selection, games)| PlayerArchive { columns: selection.columns(), games });
    let parts = parts.collect::<Vec<_>>();
    let report = progress::waiting(session, || PlayerReport::with_aliases(&parts, most, aliases));
    report.map_err(|error| players::failure(archives, error))
}

fn count_of(all: &[Games]) -> u64 {
    all.iter().map(|selection| selection.games.len()).sum()
}

fn text(
    session: &Session,
    archives: &ArchiveSet,
    report: &PlayerReport,
    games: u64,
    left_out: Option<String>,
) -> Result<String, Failure> {
    let width = session.table_width();
    let total = report.all();
    let name = report.names.first().map_or("", |(name, _)| name.as_str());
    let mut heading = format!("{}, {}", printable(name), count(games, "game", "games"));
    if total.games > games {
        heading += &format!("; {} between these names count for both sides", total.games - games);
    }
    let mut text = format!("{}\n", folded(&heading, session.width()));
    if report.names.len() > 1 {
        let names = format!("{} names, counted as one: {}", report.names.len(), players::listed(&report.names, 8));
        text += &format!("{}\n", folded(&names, session.width()));
    }
    if let Some(left_out) = left_out {
        text += &format!("{}\n", folded(&left_out, session.width()));
    }
    text.push('\n');
    text += &group_table::text(&sides(report), &["side"], width);
    let tables = [
        ("with White", &report.openings[0]),
        ("with Black", &report.openings[1]),
        ("opponent", &report.opponents),
        ("year", &report.years),
    ];
    for (title, groups) in tables.into_iter().filter(|(_, groups)| !groups.is_empty()) {
        text.push('\n');
        text += &group_table::text(groups, &[title], width);
    }
    if report.without_year > 0 {
        text += &format!("{} no year\n", count(report.without_year, "game has", "games have"));
    }
    let titles = ["Wins against the highest-rated", "Losses against the lowest-rated"];
    let results = [&report.best_wins, &report.worst_losses];
    for (title, games) in titles.into_iter().zip(results).filter(|(_, games)| !games.is_empty()) {
        text += &format!("\n{title}\n");
        for (index, number) in games {
            text += &table::shortened(&game_row(archives, *index, *number)?, width);
            text.push('\n');
        }
    }
    Ok(text)
}

/// Returns the results with White, with Black and with both colors.
fn sides(report: &PlayerReport) -> [Group; 3] {
    let [white, black] = report.sides;
    let row = |(name, points): (&str, Points)| Group { names: vec![name.to_owned()], order: vec![0], points };
    [("White", white), ("Black", black), ("both", report.all())].map(row)
}

/// Returns the report's groups as CSV; only JSON includes the games.
fn csv(report: &PlayerReport) -> String {
    let [with_white, with_black] = &report.openings;
    let lists: [(&str, &[Group]); 5] = [
        ("sides", &sides(report)),
        ("openings_with_white", with_white),
        ("openings_with_black", with_black),
        ("opponents", &report.opponents),
        ("years", &report.years),
    ];
    group_table::report_lines(&lists, &["name"])
}

fn game_row(archives: &ArchiveSet, index: usize, number: u64) -> Result<String, Failure> {
    let Some(archive) = archives.archive(index) else { return Ok(String::new()) };
    let summary = GameSummary::from_game(&archive.game(number)?)?;
    let name = archives::name_in(archives, archive).map_or_else(String::new, |name| format!("{name}  "));
    let (white, black) = (summary.player(Color::White), summary.player(Color::Black));
    Ok(plain(&format!(
        "{name}{number:>8}  {}  {:<7}  {white} - {black}",
        summary.date().unwrap_or("?"),
        summary.result().token()
    )))
}

fn json(archives: &ArchiveSet, report: &PlayerReport, chosen: &players::Chosen) -> Result<Object, Failure> {
    let listed = |names: &players::Names| {
        let object = |(name, games): &(String, u64)| Object::new().with("name", name.as_str()).with("games", *games);
        names.iter().map(object).collect::<Vec<_>>()
    };
    let list = |groups: &[Group], title: &str| {
        groups.iter().map(|group| group_table::json(group, &[title])).collect::<Vec<_>>()
    };
    let games = |games: &[(usize, u64)]| -> Result<Vec<Object>, Failure> {
        let object = |(index, number): &(usize, u64)| {
            let Some(archive) = archives.archive(*index) else { return Ok(Object::new()) };
            let game = archive.game(*number)?;
            let name = archives::name_in(archives, archive);
            Ok(game_table::object(&game, name.as_deref())?)
        };
        games.iter().map(object).collect()
    };
    let [white, black] = &report.sides;
    let [with_white, with_black] = &report.openings;
    // In this report, `opponents` is a list. Only `white` and `black` show the opponents' mean rating.
    let total = report.all();
    let all = Object::new()
        .with("games", total.games)
        .with("won", total.won)
        .with("drawn", total.drawn)
        .with("lost", total.lost)
        .with("score", total.score().map_or(Value::Null, |score| rounded(score, 4)))
        .with("rating", total.rating())
        .with("performance", total.performance());
    Ok(Object::new()
        .array("names", &listed(&report.names))
        .array("not_counted", &listed(&chosen.left_out))
        .joined(&all)
        .object("white", &group_table::points(white))
        .object("black", &group_table::points(black))
        .array("openings_with_white", &list(with_white, "opening"))
        .array("openings_with_black", &list(with_black, "opening"))
        .array("opponents", &list(&report.opponents, "opponent"))
        .array("years", &list(&report.years, "year"))
        .with("without_year", report.without_year)
        .array("best_wins", &games(&report.best_wins)?)
        .array("worst_losses", &games(&report.worst_losses)?))
}

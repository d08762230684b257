//! `scoresheet player`: a player's openings, opponents and results.

use crate::failure::{self, Code, Failure};
use crate::output::group_table;
use crate::output::html::{self, ReportArgs};
use crate::output::json::Object;
use crate::output::{game_table, table};
use crate::select::filter::Where;
use crate::select::grouped::{Games, by_years, grouped};
use crate::select::{archives, players, side_files};
use crate::session::Session;
use crate::text::{count, folded, plain, printable};
use crate::threads::Threads;
use scoresheet::ArchiveSet;
use scoresheet::archive::GameSet;
use scoresheet::chess::Color;
use scoresheet::output::Outputs;
use scoresheet::query::GameSummary;
use scoresheet::query::report::groups::{Group, GroupKey};
use scoresheet::query::report::points::Points;
use scoresheet::query::{Filter, SortKeys};
use std::io::Write;
use std::path::PathBuf;

/// Report on a player: score, openings, opponents, best results
///
/// A part of the name is enough, and case is ignored. An exact name is preferred, then a surname, then names that
/// contain these words, then names that contain these letters. The report lists the names that it counts. Performance
/// is the mean rating of the opponents, adjusted by the score.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet player games.bga \"Carlsen, Magnus\"
  scoresheet player games.bga carlsen --where 'date >= today - 3y'  lately
  scoresheet player games/*.bga Carlsen --limit 20 --json
  scoresheet player games.bga Carlsen --report carlsen.html         a page with charts")]
pub struct Args {
    /// The archives, or folders of archives, counted together
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// The player's name, or a part of it
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    filter: Where,
    /// Limit the openings, opponents and games listed
    #[arg(help_heading = "Output")]
    #[arg(long, alias = "top", value_name = "N", default_value_t = 7)]
    limit: usize,
    /// Print one JSON object (docs/JSON.md)
    #[arg(help_heading = "Output")]
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    threads: Threads,
}

/// The data of the report.
struct Report {
    names: Vec<(String, u64)>,
    /// With White, with Black, all.
    sides: [Points; 3],
    /// The openings with White and with Black.
    openings: [Vec<Group>; 2],
    opponents: Vec<Group>,
    years: Vec<Group>,
    /// Wins against the highest-rated, losses against the lowest-rated: the archive's place and the game's number.
    results: [Vec<(usize, u64)>; 2],
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = archives::open_all(session, &args.archives)?;
    args.filter.of_one(&archives)?;
    let page = args.report.target(&mut Outputs::from_archives(archives.archives()))?;
    args.threads.install(|| {
        let (mut all, failed) = Games::chosen(session, &archives, &args.filter)?;
        let names = players::choose(&mut all, &args.name, &args.filter)?;
        let report = report(args, session, &all, names)?;
        side_files::report_searches(session, &archives);
        if let Some(target) = &page {
            let title = report.names.first().map_or("", |(name, _)| name.as_str());
            let (title, filter) = (format!("{title}, {}", archives::names(&args.archives)), args.filter.text());
            let (games, data) = (report.sides[2].games, json(&archives, &report)?);
            html::Report { kind: "player", title: &title, filter, games, data: &data }.write(session, target)?;
            return failure::all_read(failed);
        }
        let text = match args.json {
            true => format!("{}\n", json(&archives, &report)?),
            false => text(session, &archives, &report)?,
        };
        let mut out = session.stdout();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        failure::all_read(failed)
    })
}

fn report(args: &Args, session: &Session, all: &[Games], names: Vec<(String, u64)>) -> Result<Report, Failure> {
    let mut sides = [Points::default(); 3];
    for group in grouped(session, all, &[GroupKey::Color])?.0 {
        let place = usize::from(group.order.first() == Some(&1));
        sides[place].join(&group.points);
        sides[2].join(&group.points);
    }
    let mut openings = [Vec::new(), Vec::new()];
    for (side, openings) in openings.iter_mut().enumerate() {
        let own: Vec<Games> = all.iter().map(|own| of_side(own, side)).collect();
        *openings = top(grouped(session, &own, &[GroupKey::Family])?.0, GroupKey::Family, args.limit);
    }
    let opponents = top(grouped(session, all, &[GroupKey::Opponent])?.0, GroupKey::Opponent, args.limit);
    let (mut years, key) = by_years(session, all)?;
    group_table::sort(&mut years, &[key], None);
    let results = [(true, args.limit), (false, args.limit)].map(|(won, most)| results(all, won, most));
    let [wins, losses] = results;
    Ok(Report { names, sides, openings, opponents, years, results: [wins?, losses?] })
}

/// The games in which the player has one side.
fn of_side<'a>(own: &Games<'a>, side: usize) -> Games<'a> {
    let games = own.player.as_ref().and_then(|player| player.sides.get(side).cloned());
    let games = games.unwrap_or_else(|| GameSet::new(own.archive().len()));
    Games { member: own.member, games, player: own.player.clone() }
}

fn top(mut groups: Vec<Group>, key: GroupKey, most: usize) -> Vec<Group> {
    group_table::sort(&mut groups, &[key], None);
    groups.truncate(most);
    groups
}

/// The wins against the highest-rated opponents, or the losses against the lowest-rated.
fn results(all: &[Games], won: bool, most: usize) -> Result<Vec<(usize, u64)>, Failure> {
    let mut found: Vec<(u32, (usize, u64))> = Vec::new();
    for (place, own) in all.iter().enumerate() {
        let Some(player) = &own.player else { continue };
        for (side, games) in player.sides.iter().enumerate() {
            let (result, opponent) = match (side == 0, won) {
                (true, true) => ("1-0", "blackelo"),
                (true, false) => ("0-1", "blackelo"),
                (false, true) => ("0-1", "whiteelo"),
                (false, false) => ("1-0", "whiteelo"),
            };
            // Both can be read.
            let filter = Filter::parse(&format!("result = {result} and has({opponent})"));
            let keys = SortKeys::parse(&format!("{}{opponent}", if won { "-" } else { "" }));
            let (Ok(filter), Ok(keys)) = (filter, keys) else { continue };
            let mut passed = filter.games(own.columns()).games;
            passed.intersect(games);
            let games: Vec<(usize, u64)> = passed.iter().map(|game| (0, game)).collect();
            for at in keys.order(&[own.columns()], &games, most).0 {
                let Some((_, number)) = games.get(at) else { continue };
                let other = if opponent == "whiteelo" { Color::White } else { Color::Black };
                let summary = own.archive().game(*number).and_then(|game| GameSummary::from_game(&game));
                let summary = summary.map_err(Failure::of_archive(own.archive().path()))?;
                found.extend(summary.rating(other).map(|rating| (rating, (place, *number))));
            }
        }
    }
    match won {
        true => found.sort_by_key(|(rating, game)| (std::cmp::Reverse(*rating), *game)),
        false => found.sort_by_key(|(rating, game)| (*rating, *game)),
    }
    found.truncate(most);
    Ok(found.into_iter().map(|(_, game)| game).collect())
}

fn text(session: &Session, archives: &ArchiveSet, report: &Report) -> Result<String, Failure> {
    let width = session.table_width();
    let [white, black, whole] = report.sides;
    let name = report.names.first().map_or("", |(name, _)| name.as_str());
    let heading = format!("{}, {}", printable(name), count(whole.games, "game", "games"));
    let mut text = format!("{}\n", folded(&heading, session.width()));
    if report.names.len() > 1 {
        let names = format!("{} names, counted as one: {}", report.names.len(), players::listed(&report.names, 8));
        text += &format!("{}\n", folded(&names, session.width()));
    }
    text.push('\n');
    let sides = [("White", white), ("Black", black), ("both", whole)];
    let row = |(name, points): (&str, Points)| Group { names: vec![name.to_owned()], order: vec![0], points };
    text += &group_table::text(&sides.map(row), &["side"], width);
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
    let titles = ["Wins against the highest-rated", "Losses against the lowest-rated"];
    for (title, games) in titles.into_iter().zip(&report.results).filter(|(_, games)| !games.is_empty()) {
        text += &format!("\n{title}\n");
        for (place, number) in games {
            text += &table::shortened(&game_row(archives, *place, *number)?, width);
            text.push('\n');
        }
    }
    Ok(text)
}

fn game_row(archives: &ArchiveSet, place: usize, number: u64) -> Result<String, Failure> {
    let Some(archive) = archives.archive(place) else { return Ok(String::new()) };
    let summary = GameSummary::from_game(&archive.game(number)?)?;
    let name = archives::name_in(archives, archive).map_or_else(String::new, |name| format!("{name}  "));
    let (white, black) = (summary.player(Color::White), summary.player(Color::Black));
    Ok(plain(&format!(
        "{name}{number:>8}  {}  {:<7}  {white} - {black}",
        summary.date().unwrap_or("?"),
        summary.result().token()
    )))
}

fn json(archives: &ArchiveSet, report: &Report) -> Result<Object, Failure> {
    let names =
        report.names.iter().map(|(name, games)| Object::new().with("name", name.as_str()).with("games", *games));
    let list = |groups: &[Group], title: &str| {
        groups.iter().map(|group| group_table::json(group, &[title])).collect::<Vec<_>>()
    };
    let games = |games: &[(usize, u64)]| -> Result<Vec<Object>, Failure> {
        let object = |(place, number): &(usize, u64)| {
            let Some(archive) = archives.archive(*place) else { return Ok(Object::new()) };
            let game = archive.game(*number)?;
            let name = archives::name_in(archives, archive);
            Ok(game_table::object(&game, name.as_deref())?)
        };
        games.iter().map(object).collect()
    };
    let [white, black, whole] = &report.sides;
    let [with_white, with_black] = &report.openings;
    Ok(Object::new()
        .array("names", &names.collect::<Vec<_>>())
        .joined(&group_table::points(whole))
        .object("white", &group_table::points(white))
        .object("black", &group_table::points(black))
        .array("openings_with_white", &list(with_white, "opening"))
        .array("openings_with_black", &list(with_black, "opening"))
        .array("opponents", &list(&report.opponents, "opponent"))
        .array("years", &list(&report.years, "year"))
        .array("best_wins", &games(&report.results[0])?)
        .array("worst_losses", &games(&report.results[1])?))
}

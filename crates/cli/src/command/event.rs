//! `scoresheet event`: the standings and the cross table of a tournament.

use crate::failure::{self, Code, Failure};
use crate::output::json::Object;
use crate::output::quiet::Quiet;
use crate::output::rows::{RowFormat, RowFormatArgs, csv_line};
use crate::output::table::{Column, Table};
use crate::output::{html, new_file, sheet};
use crate::select::filter::{self, Where};
use crate::select::grouped::Games;
use crate::session::Session;
use crate::text::{count, plain, shown};
use crate::threads::Threads;
use scoresheet_output::Outputs;
use scoresheet_pages::escape;
use scoresheet_query::GameSummary;
use scoresheet_query::filter::Relation;
use scoresheet_query::report::editions::{DateColumns, Edition, editions, is_tournament, named};
use scoresheet_query::report::standings::{Standing, Standings};
use scoresheet_query::{ArchiveSet, Filter};
use std::io::Write;
use std::path::PathBuf;

/// Standings and cross table of a tournament
///
/// Players are ordered by points, then by Sonneborn-Berger score: the sum of the points against each opponent, times
/// the opponent's points. The performance is the mean rating of the opponents plus 400 log10(p / (1 - p)), where p is the
/// share of the points.
///
/// An edition of a tournament contains the games of one EventDate, or games with fewer than 60 days from each to the
/// next. --year selects an edition; by default, the games of all editions count.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet event games.bga 'Candidates'
  scoresheet event games.bga 'Hastings' --year 1895
  scoresheet event games.bga --where 'site ~ London' --format csv
  scoresheet event games.bga 'Hastings' --year 1895 --report hastings.html")]
pub struct Args {
    /// The archive, or a folder of archives
    archive: PathBuf,
    /// The name of the event, as the tag Event has it
    ///
    /// Letter case and accents do not matter in names without a slash. Without a name, all games that match --where
    /// count.
    name: Option<String>,
    /// Count only the edition that begins in this year; 1981.02 or 1981.02.13 if the year has several
    ///
    /// If no edition begins in this year, the edition that ends in it counts.
    #[arg(long, value_name = "YEAR", requires = "name")]
    year: Option<String>,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    rows: RowFormatArgs,
    /// Write an HTML page instead
    ///
    /// The page has no scripts: the standings with the cross table, and the games.
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "FILE.html", conflicts_with_all = ["format", "json"])]
    report: Option<PathBuf>,
    /// Replace an existing page at --report
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, requires = "report")]
    force: bool,
    #[command(flatten)]
    quiet: Quiet,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.quiet.apply(session);
    if args.name.is_none() && !args.filter.is_given() {
        let what = "which event? Give its name, or a filter (--where 'event ~ Candidates and year = 2024')";
        return Err(Failure::Usage(what.to_owned()));
    }
    let archives = args.filter.open(session, std::slice::from_ref(&args.archive))?;
    let page = html::target(args.report.as_deref(), args.force, &mut Outputs::from_archives(archives.archives()))?;
    args.threads.install(|| {
        // A tournament may be one of a variant.
        let (mut all, mut failed) = (Vec::new(), 0);
        let is_event = args.name.as_ref().map(|name| Filter::condition("event", Relation::Is, name)).transpose();
        let is_event = is_event.map_err(|fault| Failure::Usage(fault.to_string()))?;
        for member in archives.members() {
            let (mut games, mut undecided) = args.filter.chosen(session, member.columns())?;
            if let Some(is_event) = &is_event {
                // The filter of the options may have reported games without readable tags.
                let (passed, lost) = filter::passing(session, is_event, member.columns(), undecided > 0);
                games.intersect(&passed);
                undecided += lost;
            }
            failed += undecided;
            all.push(Games { member, games, player: None });
        }
        let all_editions = chosen_edition(&mut all, args.year.as_deref());
        if let Some(year) = args.year.as_deref().filter(|year| named(&all_editions, year).is_empty()) {
            let years = list(&all_editions);
            let other = if years.is_empty() { String::new() } else { format!("; its editions are {years}") };
            session.note(&format!("no edition of {year}{other}"));
        }
        let mut summaries = Vec::new();
        for selection in &all {
            for number in selection.games.iter() {
                let game = selection.archive().game(number).and_then(|game| GameSummary::from_game(&game));
                summaries.push((number, game.map_err(Failure::of_archive(selection.archive().path()))?));
            }
        }
        if let Some(aliases) = args.filter.aliases() {
            let names = summaries
                .iter()
                .flat_map(|(_, game)| ["White", "Black"].map(|tag| (game.tag(tag).unwrap_or_default(), 1)));
            let shown = aliases.shown(names);
            summaries.iter_mut().for_each(|(_, game)| game.rename_players(&shown));
        }
        if summaries.is_empty() {
            if args.year.is_none() || all_editions.is_empty() {
                report_none(args, session, &archives);
            }
            if args.rows.format() == RowFormat::Table {
                return failure::all_read(failed);
            }
        }
        let name = args.name.as_deref().or(args.filter.text()).unwrap_or_default();
        if args.name.as_deref().is_some_and(|name| !is_tournament(name)) {
            session.note(&format!("{} is no tournament: game servers name single games like this", plain(name)));
        } else if args.name.is_some() && args.year.is_none() && all_editions.len() > 1 {
            let dated = all_editions.iter().filter(|edition| edition.year.is_some()).count() as u64;
            let undated: u64 =
                all_editions.iter().filter(|edition| edition.year.is_none()).map(|edition| edition.games).sum();
            let more = match undated {
                0 => String::new(),
                _ => format!(", and {} without a date (--where 'missing(date)')", count(undated, "game", "games")),
            };
            let editions = count(dated, "edition", "editions");
            session.note(&format!("{editions} together; --year selects one: {}{more}", list(&all_editions)));
        }
        if let Some(target) = &page {
            let standings = Standings::new(summaries.clone());
            let html = page_of(name, &standings, &summaries);
            new_file::write(target, |file| Ok(file.write_all(html.as_bytes())?))?;
            html::report(session, target, standings.games);
            return failure::all_read(failed);
        }
        let standings = Standings::new(summaries);
        let text = match args.rows.format() {
            RowFormat::Json => format!("{}\n", json(name, &all_editions, &standings)),
            RowFormat::Csv => csv(&standings),
            RowFormat::Table => text(session, name, &standings)?,
        };
        let mut out = session.stdout();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        failure::all_read(failed)
    })
}

/// Keeps the games of the editions that `year` names, by default of all editions. Returns all editions.
fn chosen_edition(all: &mut [Games], year: Option<&str>) -> Vec<Edition> {
    let mut dates = Vec::new();
    for selection in all.iter() {
        let (columns, _) = DateColumns::new(selection.columns());
        dates.extend(selection.games.iter().map(|game| (columns.get(game), 1)));
    }
    let (found, of_games) = editions(&dates);
    if let Some(year) = year {
        let chosen = named(&found, year);
        let mut of_games = of_games.into_iter();
        for selection in all {
            let games: Vec<u64> = selection.games.iter().collect();
            for (game, _) in games.into_iter().zip(&mut of_games).filter(|(_, edition)| !chosen.contains(edition)) {
                selection.games.remove(game);
            }
        }
    }
    found
}

/// The maximum number of editions in a message.
const LISTED: usize = 12;

/// Returns the years of editions as a list, of the latest ones if there are many.
fn list(all: &[Edition]) -> String {
    let years: Vec<&str> = all.iter().filter_map(|edition| edition.year.as_deref()).collect();
    let latest = years.get(years.len().saturating_sub(LISTED)..).unwrap_or_default().join(", ");
    if years.len() > LISTED { format!(".., {latest}") } else { latest }
}

fn report_none(args: &Args, session: &Session, archives: &ArchiveSet) {
    match &args.name {
        Some(name) => session.note(&format!(
            "no games of {name}; `scoresheet stats {} --by event` lists all events",
            shown(&args.archive)
        )),
        None => args.filter.report_none(session, &archives.columns()),
    }
}

/// Returns the results of a player against another one, in order: `1`, `½`, `0` or `*` for each game.
fn results(player: &Standing, opponent: usize) -> String {
    let sign = |halves: Option<u64>| match halves {
        None => "*",
        Some(0) => "0",
        Some(1) => "\u{bd}",
        Some(_) => "1",
    };
    player.against(opponent).map(|game| sign(game.halves)).collect()
}

fn half(halves: u64) -> String {
    format!("{}", halves as f64 / 2.0)
}

/// Returns the cells of a player before and after the cross table.
fn cells(place: usize, player: &Standing) -> ([String; 3], [String; 4]) {
    let number = |number: Option<i64>| number.map_or_else(String::new, |number| number.to_string());
    (
        [(place + 1).to_string(), plain(&player.name), number(player.rating.map(i64::from))],
        [
            half(player.halves),
            player.points.games.to_string(),
            format!("{}", player.sonneborn_berger as f64 / 4.0),
            number(player.points.performance().map(i64::from)),
        ],
    )
}

/// Returns the titles with those of the cross table, if there is one.
fn titles(standings: &Standings) -> Vec<String> {
    let before = ["place", "player", "rating"].map(str::to_owned).into_iter();
    let after = ["points", "games", "sonneborn_berger", "performance"].map(str::to_owned);
    before.chain((1..=standings.crossed()).map(|place| place.to_string())).chain(after).collect()
}

fn row(standings: &Standings, place: usize, player: &Standing) -> Vec<String> {
    let (before, after) = cells(place, player);
    let cross = (0..standings.crossed()).map(|opponent| results(player, opponent));
    before.into_iter().chain(cross).chain(after).collect()
}

fn csv(standings: &Standings) -> String {
    let rows = standings.players.iter().enumerate().map(|(place, player)| csv_line(row(standings, place, player)));
    csv_line(titles(standings)) + &rows.collect::<String>()
}

/// Returns the page of a tournament: the standings with the cross table, and the games.
fn page_of(name: &str, standings: &Standings, games: &[(u64, GameSummary)]) -> String {
    let title = |title: String| match title.as_str() {
        "place" => String::new(),
        "sonneborn_berger" => "S-B".to_owned(),
        "performance" => "perf.".to_owned(),
        _ => title,
    };
    let line = |cells: String| format!("<tr>{cells}</tr>\n");
    let head = titles(standings).into_iter().map(title).map(|title| format!("<th>{}</th>", escape(&title)));
    let mut table = line(head.collect());
    for (place, player) in standings.players.iter().enumerate() {
        let is_own = |column: usize| standings.crossed() > 0 && column == 3 + place;
        let cell = |(column, text): (usize, String)| match is_own(column) {
            true => "<td class=\"none\"></td>".to_owned(),
            false => format!("<td>{}</td>", escape(&text)),
        };
        table += &line(row(standings, place, player).into_iter().enumerate().map(cell).collect());
    }
    let rows = games.iter().map(|(number, game)| sheet::game_row(*number, game, game.opening().unwrap_or_default()));
    let body = format!(
        "<h1>{}</h1>\n<p class=\"soft\">{}</p>\n{}{}",
        escape(name),
        escape(&about(standings)),
        sheet::section("Standings", &format!("<div class=\"scroll\"><table class=\"cross\">\n{table}</table></div>\n")),
        sheet::long_section("Games", &sheet::game_table(rows)),
    );
    sheet::page(name, "", &body)
}

/// Returns the dates of a tournament and its numbers of games and players.
fn about(standings: &Standings) -> String {
    let dates = match &standings.dates {
        Some((from, until)) if from == until => format!("{from}: "),
        Some((from, until)) => format!("{from} to {until}: "),
        None => String::new(),
    };
    let [games, players] = [(standings.games, "game", "games"), (standings.players.len() as u64, "player", "players")]
        .map(|(number, one, many)| count(number, one, many));
    format!("{dates}{games}, {players}")
}

fn text(session: &Session, name: &str, standings: &Standings) -> Result<String, Failure> {
    let comma = if standings.dates.is_some() { ", " } else { ": " };
    let mut out = format!("{}{comma}{}\n\n", plain(name), about(standings)).into_bytes();
    let columns = titles(standings).into_iter().map(|title| {
        let is_player = title == "player";
        let (title, rank) = match &*title {
            "place" => ("".to_owned(), 0),
            "player" => (title, 0),
            "sonneborn_berger" => ("S-B".to_owned(), 3),
            "points" => (title, 1),
            "rating" | "games" | "performance" => (title, 2),
            _ => (title, 4),
        };
        Column { title, is_number: !is_player, rank, widths: (if is_player { 8 } else { 1 }, 30) }
    });
    let mut table = Table::new(columns.collect(), session.table_width());
    for (place, player) in standings.players.iter().enumerate() {
        let mut cells = row(standings, place, player);
        if let Some(own) = cells.get_mut(3 + place).filter(|_| standings.crossed() > 0) {
            own.push('\u{b7}');
        }
        table.row(cells, &mut out)?;
    }
    table.finish(&mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn json(name: &str, all_editions: &[Edition], standings: &Standings) -> Object {
    let all_editions = all_editions.iter().map(|edition| {
        let (from, until) = edition.dates.clone().unzip();
        Object::new()
            .with("year", edition.year.clone())
            .with("from", from)
            .with("until", until)
            .with("games", edition.games)
    });
    let players = standings.players.iter().enumerate().map(|(place, player)| {
        let games = player.games.iter().map(|game| {
            Object::new()
                .with("game", game.game)
                .with("opponent", game.opponent as u64 + 1)
                .with("points", game.halves.map(|halves| halves as f64 / 2.0))
        });
        Object::new()
            .with("place", place as u64 + 1)
            .with("name", player.name.as_str())
            .with("rating", player.rating)
            .with("points", player.halves as f64 / 2.0)
            .with("games", player.points.games)
            .with("won", player.points.won)
            .with("drawn", player.points.drawn)
            .with("lost", player.points.lost)
            .with("sonneborn_berger", player.sonneborn_berger as f64 / 4.0)
            .with("performance", player.points.performance())
            .array("results", &games.collect::<Vec<_>>())
    });
    let (from, until) = standings.dates.clone().unzip();
    Object::new()
        .with("event", name)
        .array("editions", &all_editions.collect::<Vec<_>>())
        .with("games", standings.games)
        .with("from", from)
        .with("until", until)
        .array("players", &players.collect::<Vec<_>>())
}

//! `scoresheet repertoire`: compares games with a repertoire.

use crate::failure::{self, Code, Failure};
use crate::output::json::Object;
use crate::output::progress;
use crate::output::quiet::Quiet;
use crate::output::rows::{RowFormat, RowFormatArgs, csv_line};
use crate::output::table::{Column, Table};
use crate::select::archives;
use crate::select::filter::{self, Where};
use crate::select::grouped::Games;
use crate::select::repertoire;
use crate::session::Session;
use crate::text::{count, shown, side};
use crate::threads::Threads;
use scoresheet::archive::GameSet;
use scoresheet::chess::Color;
use scoresheet_query::ArchiveSet;
use scoresheet_query::Filter;
use scoresheet_query::report::repertoire::{Compared, Left, Repertoire, RepertoireMove};
use std::io::Write;
use std::path::PathBuf;

/// Compare games with a repertoire: gaps, double answers, departures
///
/// The repertoire is a PGN file or an archive: the moves of one side in all its games and variations. Positions count,
/// whatever moves lead to them. `repertoire` follows each game until it leaves the repertoire, and shows the opponent's
/// moves without an answer (holes), the own side's other moves, and the positions in which the repertoire has several
/// moves (choices), each with the results of the own side.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet repertoire mine.pgn games.bga --side white
  scoresheet repertoire mine.pgn games.bga --side black --where 'year >= 2010'
  scoresheet repertoire mine.pgn games.bga --side white --new 30    what is new
  scoresheet repertoire mine.pgn games.bga --side white --show games --json")]
pub struct Args {
    /// The repertoire: a PGN file or an archive
    repertoire: PathBuf,
    /// The archives, or folders of archives
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// The side whose moves the repertoire prepares: white or black
    #[arg(long)]
    side: Color,
    /// Show only this part
    #[arg(long, value_enum, value_name = "PART")]
    show: Option<Part>,
    /// Show only moves that were first played in the last DAYS days
    ///
    /// Count the games of these days alone, and leave out moves that earlier games have. A game without the day of its
    /// date is of these days if its whole month or year is.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    new: Option<u32>,
    /// Show at most N rows of each part
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    rows: RowFormatArgs,
    #[command(flatten)]
    quiet: Quiet,
    #[command(flatten)]
    threads: Threads,
}

/// A part of the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Part {
    /// The opponent's moves without an answer
    Holes,
    /// Moves of the own side that the repertoire lacks
    Others,
    /// Positions in which the repertoire has several moves
    Choices,
    /// Each game, with the ply at which it leaves the repertoire
    Games,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Part::Holes => "holes",
            Part::Others => "others",
            Part::Choices => "choices",
            Part::Games => "games",
        }
    }
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.quiet.apply(session);
    let archives = args.filter.open(session, &args.archives)?;
    let color = args.side;
    args.threads.install(|| {
        let repertoire = repertoire::read(session, &args.repertoire, color, args.filter.rules_or_chess())?;
        let (all, mut failed) = Games::chosen(session, &archives, &args.filter)?;
        let compare = |games: &[GameSet]| -> Result<Compared, Failure> {
            let mut compared = Compared::default();
            for (selection, games) in all.iter().zip(games) {
                let work = || repertoire.compare(selection.archive(), games);
                let found =
                    progress::waiting(session, work).map_err(Failure::of_archive(selection.archive().path()))?;
                compared.join(found, selection.member.before());
            }
            Ok(compared)
        };
        let chosen: Vec<GameSet> = all.iter().map(|selection| selection.games.clone()).collect();
        let compared = match args.new {
            None => compare(&chosen)?,
            Some(days) => {
                let (late, early) = by_age(session, &all, days, &mut failed)?;
                let mut compared = compare(&late)?;
                compared.keep_new(&compare(&early)?);
                compared
            }
        };
        if compared.games.is_empty() {
            match args.new.filter(|_| chosen.iter().any(|games| !games.is_empty())) {
                Some(days) => session.hint(&format!("no game is of the last {}", count(days.into(), "day", "days"))),
                None => args.filter.report_none(session, &archives.columns()),
            }
        }
        let text = match args.rows.format() {
            RowFormat::Json => format!("{}\n", json(args, &archives, &repertoire, &compared)?),
            RowFormat::Csv => csv(args, &archives, &repertoire, &compared)?,
            RowFormat::Table => text(args, session, &archives, &repertoire, &compared)?,
        };
        let mut out = session.stdout();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        failure::all_read(failed)
    })
}

/// Returns the games of the last days, and the games before them, in each archive. Reports games without a readable
/// date, and adds their number to `failed`, unless games have been reported before.
fn by_age(
    session: &Session,
    all: &[Games],
    days: u32,
    failed: &mut u64,
) -> Result<(Vec<GameSet>, Vec<GameSet>), Failure> {
    let filter =
        Filter::parse(&format!("date >= today - {days}d")).map_err(|fault| Failure::Message(fault.to_string()))?;
    let are_reported = *failed > 0;
    let split = |selection: &Games| {
        let (mut late, lost) = filter::passing(session, &filter, selection.columns(), are_reported);
        *failed += lost;
        late.intersect(&selection.games);
        let early = selection.games.iter().filter(|game| !late.contains(*game));
        let early = GameSet::from_numbers(selection.archive().len(), early);
        (late, early)
    };
    Ok(all.iter().map(split).unzip())
}

/// Returns the moves of a part, at most as many as are to be shown.
fn moves_of<'c>(args: &Args, part: Part, compared: &'c Compared) -> &'c [RepertoireMove] {
    let moves = match part {
        Part::Holes => &compared.holes,
        Part::Others => &compared.others,
        Part::Choices => &compared.choices,
        Part::Games => return &[],
    };
    moves.get(..args.limit).unwrap_or(moves)
}

/// Returns how a game leaves the repertoire: in words, the last ply within it, and the line to the move that leaves it.
fn leaves(repertoire: &Repertoire, left: Left) -> (&'static str, Option<u32>, Option<String>) {
    match left {
        Left::End { ply } => ("end", Some(ply), None),
        Left::Own { ply, place, m } => ("own", Some(ply), Some(repertoire.text(place, m))),
        Left::Opponent { ply, place, m } => ("opponent", Some(ply), Some(repertoire.text(place, m))),
        Left::Never => ("never", None, None),
        Left::Elsewhere => ("elsewhere", None, None),
    }
}

/// Returns the number of games for each way to leave the repertoire.
fn totals(repertoire: &Repertoire, compared: &Compared) -> [(&'static str, u64); 5] {
    ["never", "end", "own", "opponent", "elsewhere"]
        .map(|how| (how, compared.games.iter().filter(|(_, left)| leaves(repertoire, *left).0 == how).count() as u64))
}

fn percent(played: &RepertoireMove) -> String {
    played.points.score().map_or_else(String::new, |score| format!("{:.1} %", score * 100.0))
}

/// The parts that are shown without `--show`.
const PARTS: [Part; 3] = [Part::Holes, Part::Others, Part::Choices];

fn parts(args: &Args) -> Vec<Part> {
    args.show.map_or_else(|| PARTS.to_vec(), |part| vec![part])
}

fn text(
    args: &Args,
    session: &Session,
    archives: &ArchiveSet,
    repertoire: &Repertoire,
    compared: &Compared,
) -> Result<String, Failure> {
    let positions = count(repertoire.positions() as u64, "position", "positions");
    let [never, end, own, opponent, elsewhere] = totals(repertoire, compared).map(|(_, games)| games);
    let games = |number: u64| count(number, "game", "games");
    let [color, other] = [repertoire.color(), repertoire.color().other()].map(side);
    let mut out = format!(
        "{}: {positions} with moves of {color}\n{}: {} to the end of a line or of the game, {} left by {color}, {} by \
         {other}, {} from other starts\n",
        shown(&args.repertoire),
        games(compared.games.len() as u64),
        games(never + end),
        games(own),
        games(opponent),
        games(elsewhere),
    )
    .into_bytes();
    let column = |title: &str, is_number: bool, width: usize| Column {
        title: title.to_owned(),
        is_number,
        rank: 0,
        widths: (width, 200),
    };
    for part in parts(args) {
        let title = match part {
            Part::Holes => format!("Moves of {other} without an answer"),
            Part::Others => format!("Other moves of {color}"),
            Part::Choices => format!("Positions with several moves of {color}"),
            Part::Games => "Games".to_owned(),
        };
        out.extend_from_slice(format!("\n{title}\n").as_bytes());
        let is_games = part == Part::Games;
        let columns = match is_games {
            true => game_titles(archives)
                .into_iter()
                .map(|title| {
                    let width = match title {
                        "ply" => 3,
                        "game" => 4,
                        "line" => 20,
                        _ => 8,
                    };
                    column(title, matches!(title, "game" | "ply"), width)
                })
                .collect(),
            false => vec![column("games", true, 5), column("score", true, 7), column("line", false, 20)],
        };
        let mut table = Table::new(columns, session.table_width());
        let rows: Vec<Vec<String>> = match is_games {
            true => game_rows(args, archives, repertoire, compared)?,
            false => moves_of(args, part, compared)
                .iter()
                .map(|played| {
                    let line = repertoire.text(played.place, played.m);
                    vec![played.points.games.to_string(), percent(played), line]
                })
                .collect(),
        };
        if rows.is_empty() {
            out.extend_from_slice(if args.limit == 0 { b"not shown\n" } else { b"none\n" });
            continue;
        }
        for row in rows {
            table.row(row, &mut out)?;
        }
        table.finish(&mut out)?;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Returns the titles of the columns of games, with the archive if there are several.
fn game_titles(archives: &ArchiveSet) -> Vec<&'static str> {
    let titles = ["archive", "game", "left", "ply", "line"];
    titles.into_iter().skip(usize::from(archives.members().len() < 2)).collect()
}

fn game_rows(
    args: &Args,
    archives: &ArchiveSet,
    repertoire: &Repertoire,
    compared: &Compared,
) -> Result<Vec<Vec<String>>, Failure> {
    let row = |(number, left): &(u64, Left)| {
        let (archive, number) = archives.locate(*number)?;
        let (how, ply, line) = leaves(repertoire, *left);
        let ply = ply.map_or_else(String::new, |ply| ply.to_string());
        let archive = archives::name_in(archives, archive);
        Ok(archive.into_iter().chain([number.to_string(), how.to_owned(), ply, line.unwrap_or_default()]).collect())
    };
    compared.games.iter().take(args.limit).map(row).collect()
}

fn csv(args: &Args, archives: &ArchiveSet, repertoire: &Repertoire, compared: &Compared) -> Result<String, Failure> {
    if args.show == Some(Part::Games) {
        let rows = game_rows(args, archives, repertoire, compared)?.into_iter().map(csv_line);
        return Ok(csv_line(game_titles(archives)) + &rows.collect::<String>());
    }
    let mut out = csv_line(["part", "games", "won", "drawn", "lost", "line"]);
    for part in parts(args) {
        for played in moves_of(args, part, compared) {
            let points = &played.points;
            let numbers = [points.games, points.won, points.drawn, points.lost].map(|number| number.to_string());
            let line = repertoire.text(played.place, played.m);
            out += &csv_line([part.name().to_owned()].into_iter().chain(numbers).chain([line]));
        }
    }
    Ok(out)
}

fn json(args: &Args, archives: &ArchiveSet, repertoire: &Repertoire, compared: &Compared) -> Result<Object, Failure> {
    let mut object = Object::new()
        .with("color", repertoire.color().to_string())
        .with("positions", repertoire.positions() as u64)
        .with("games", compared.games.len() as u64);
    for (how, games) in totals(repertoire, compared) {
        object = object.with(how, games);
    }
    for part in parts(args) {
        let rows: Vec<Object> = match part {
            Part::Games => {
                let row = |(number, left): &(u64, Left)| {
                    let (archive, number) = archives.locate(*number)?;
                    let (how, ply, line) = leaves(repertoire, *left);
                    let object = archives::named(Object::new(), archives, archive);
                    Ok(object.with("game", number).with("left", how).with("ply", ply).with("line", line))
                };
                compared.games.iter().take(args.limit).map(row).collect::<Result<_, Failure>>()?
            }
            part => moves_of(args, part, compared)
                .iter()
                .map(|played| {
                    let position = repertoire.position(played.place);
                    let object = Object::new()
                        .with("line", repertoire.text(played.place, played.m))
                        .with("fen", position.fen())
                        .with("move", position.san(played.m));
                    object.joined(&Object::from_value(&played.points))
                })
                .collect(),
        };
        // The number of games is a member already.
        object = object.array(if part == Part::Games { "leaving" } else { part.name() }, &rows);
    }
    Ok(object)
}

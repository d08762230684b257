//! `scoresheet eco`: classifies games by opening.

use crate::failure::{self, Code, Failure};
use crate::output::game_table;
use crate::output::new_archive;
use crate::output::rows::{self, RowFormat, RowFormatArgs};
use crate::output::table::TabbedTable;
use crate::output::upkeep::Upkeep;
use crate::select::filter::Where;
use crate::select::units::Unit;
use crate::select::{archives, parallel};
use crate::session::{GameFault, Session};
use crate::text::printable;
use crate::threads::Threads;
use scoresheet::archive::copy::{Edit, Part};
use scoresheet::archive::{Archive, GameRef};
use scoresheet::error::Error;
use scoresheet_query::openings::Openings;
use std::io::Write;
use std::path::PathBuf;

/// Classify games by ECO code and opening
///
/// The opening of a game is the opening of its last position in Lichess's table. Each line contains the game number,
/// the ECO code, the name, the ply of the position, and the game's ECO tag. With --write, `eco` writes a new archive
/// with ECO and Opening tags; it keeps existing tags unless you pass --overwrite.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet eco games.bga
  scoresheet eco games.bga --where 'missing(eco)'
  scoresheet eco games.bga --write -o named.bga")]
pub struct Args {
    /// The archives, or folders of archives
    ///
    /// With several archives, each line begins with the name of its archive, and --write combines all archives in one
    /// archive.
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    filter: Where,
    /// Write a new archive with ECO and Opening tags
    #[arg(help_heading = "Output")]
    #[arg(long, requires = "output", conflicts_with_all = ["filter", "json", "format"])]
    write: bool,
    /// The archive to write
    #[arg(help_heading = "Output")]
    #[arg(short, long, value_name = "FILE.bga", requires = "write")]
    output: Option<PathBuf>,
    /// With --write, replace existing ECO and Opening tags
    #[arg(help_heading = "Output")]
    #[arg(long, requires = "write")]
    overwrite: bool,
    /// Replace an existing archive at -o
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, requires = "write")]
    force: bool,
    /// Print only the number of games
    #[arg(long, conflicts_with_all = ["write", "format", "json"], help_heading = "Output")]
    count: bool,
    #[command(flatten)]
    rows: RowFormatArgs,
    /// Print only errors, and no progress
    #[arg(hide_short_help = true)]
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    upkeep: Upkeep,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.threads.install(|| eco(args, session))
}

fn eco(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = args.filter.open(session, &args.archives)?;
    if let Some(path) = &args.output {
        let target = new_archive::target(archives.archives().map(Archive::path), path, args.force)?;
        let edit = |game: &GameRef| named(game, args.overwrite);
        let parts = archives.archives().map(|archive| Part { games: archive.live(), archive });
        let parts: Vec<Part> = parts.collect();
        return new_archive::write_edited(session, &target, args.quiet, args.upkeep, &parts, &edit as Edit);
    }
    if args.count {
        return args.filter.print_count(session, &archives);
    }
    let mut out = session.stdout();
    let format = args.rows.format();
    if format == RowFormat::Csv {
        let archive = (archives.members().len() > 1).then_some("archive");
        out.write_all(rows::csv_line(archive.into_iter().chain(["game", "eco", "opening", "ply", "tag"])).as_bytes())?;
    }
    let lines = |archive: &Archive, name: Option<&str>, unit: &Unit| lines(format, archive, name, unit);
    let damaged = if session.is_terminal() && format == RowFormat::Table {
        let columns = [
            ("archive", false, 70),
            ("game", true, 100),
            ("eco", false, 98),
            ("opening", false, 50),
            ("ply", true, 90),
            ("tag", false, 80),
        ];
        let columns = if archives.members().len() > 1 { &columns[..] } else { &columns[1..] };
        let mut table = TabbedTable::new(columns, session.table_width(), &mut out);
        let damaged = parallel::write_lines(session, &archives, &args.filter, &mut table, lines)?;
        table.finish()?;
        damaged
    } else {
        parallel::write_lines(session, &archives, &args.filter, &mut out, lines)?
    };
    out.flush()?;
    failure::all_read(damaged)
}

fn lines(format: RowFormat, archive: &Archive, name: Option<&str>, unit: &Unit) -> (String, Vec<GameFault>) {
    let (mut text, mut faults) = (String::new(), Vec::new());
    unit.each(archive, |_, game| match game.and_then(|game| line(format, name, &game)) {
        Ok(line) => text += &line,
        Err(error) => faults.push(archives::fault(archive, &error)),
    });
    (text, faults)
}

fn line(format: RowFormat, name: Option<&str>, game: &GameRef) -> Result<String, Error> {
    let found = Openings::table().classify(game)?;
    let tag = game.tag("ECO")?;
    let number = game.number();
    if format == RowFormat::Json {
        let object = game_table::object(game, name)?
            .with("table_eco", found.map(|(opening, _)| opening.eco))
            .with("table_opening", found.map(|(opening, _)| opening.name))
            .with("table_ply", found.map(|(_, ply)| ply));
        return Ok(format!("{object}\n"));
    }
    if format == RowFormat::Csv {
        let (code, opening, ply) = match found {
            Some((opening, ply)) => (opening.eco, opening.name, ply.to_string()),
            None => ("", "", String::new()),
        };
        let number = number.to_string();
        let cells = [number.as_str(), code, opening, &ply, tag.as_deref().unwrap_or_default()];
        return Ok(rows::csv_line(name.into_iter().chain(cells)));
    }
    let tag = printable(tag.as_deref().unwrap_or("-"));
    let before = name.map_or_else(String::new, |name| format!("{}\t", printable(name)));
    Ok(match found {
        Some((opening, ply)) => format!("{before}{number}\t{}\t{}\t{ply}\t{tag}\n", opening.eco, opening.name),
        None => format!("{before}{number}\t-\t-\t0\t{tag}\n"),
    })
}

/// A list of tag pairs: names and values.
type Tags = Vec<(Vec<u8>, Vec<u8>)>;

/// Returns the tags of a game with its code and opening, or `None` if the tags do not change.
fn named(game: &GameRef, overwrite: bool) -> Result<Option<Tags>, Error> {
    let Some((opening, _)) = Openings::table().classify(game)? else { return Ok(None) };
    let mut tags = Vec::new();
    game.visit_tags(|name, value| tags.push((name.to_vec(), value.to_vec())))?;
    let mut changed = false;
    for (name, value) in [("ECO", opening.eco), ("Opening", opening.name)] {
        match tags.iter_mut().find(|(tag, _)| *tag == name.as_bytes()) {
            // A question mark means that the tag is unknown.
            Some((_, tag_value)) if overwrite || matches!(tag_value.as_slice(), b"" | b"?" | b"-") => {
                changed |= *tag_value != value.as_bytes();
                *tag_value = value.into();
            }
            Some(_) => {}
            None => {
                tags.push((name.into(), value.into()));
                changed = true;
            }
        }
    }
    Ok(changed.then_some(tags))
}

//! `scoresheet list`: one line a game.

use crate::command::Threads;
use crate::failure::{Code, Failure};
use crate::out::heading::Heading;
use crate::out::json::{self, Object};
use crate::out::new_archive;
use crate::out::output;
use crate::select::games::{self, Ranges, Unit, Where};
use scoresheet::archive::copy::Part;
use scoresheet::archive::{Archive, GameRef};
use scoresheet::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// List games, one line each: number, White, Black, result, date, ECO code, plies, event
///
/// On a terminal the columns are aligned and long names are cut; elsewhere nothing is cut and tabs stand between the columns.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet list games.bga
  scoresheet list games.bga --games 5,10-20,1000-
  scoresheet list games.bga --where 'player ~ Carlsen and result = 1/2-1/2 and plies > 60'
  scoresheet list games.bga --where 'elo >= 2700' -o best.bga     these games as a new archive
  scoresheet list games/*.bga --where 'elo >= 2700'               of several archives
  scoresheet list games.bga --json | grep Carlsen")]
pub struct Args {
    /// The archive; of several, each line says which
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// These games only, in this order, as in 5,10-20,1000-
    #[arg(long, value_name = "RANGES")]
    games: Option<Ranges>,
    #[command(flatten)]
    filter: Where,
    /// List nothing; write the games to a new archive, as they are stored
    #[arg(short, long, value_name = "FILE.bga", conflicts_with = "json")]
    output: Option<PathBuf>,
    /// Replace that file if it exists already and is an archive
    #[arg(long, requires = "output")]
    force: bool,
    /// Print a JSON object a line, with all tags as pairs of name and value in their order
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

/// How a line is written.
#[derive(Clone, Copy)]
pub enum Style {
    /// Aligned, long names cut.
    Columns,
    /// With tabs between, nothing cut.
    Tabs,
    /// As a JSON object.
    Json,
}

pub fn run(args: &Args) -> Result<Code, Failure> {
    let archives = output::open_all(&args.archives)?;
    games::of_one(&archives, args.games.as_ref())?;
    if let Some(path) = &args.output {
        let target = new_archive::target(archives.archives().iter().map(Archive::path), path, args.force)?;
        return args.threads.install(|| {
            let (mut parts, mut undecided) = (Vec::new(), 0);
            for archive in archives.archives() {
                let (games, unread) = args.filter.chosen(archive, args.games.as_ref())?;
                parts.push(Part { archive, games });
                undecided += unread;
            }
            new_archive::write_part(&target, &parts, undecided)
        });
    }
    let style = match args.json {
        true => Style::Json,
        false if output::is_terminal() => Style::Columns,
        false => Style::Tabs,
    };
    let mut out = output::stdout();
    let damaged = args.threads.install(|| {
        games::write_lines(&archives, args.games.as_ref(), &args.filter, &mut out, |archive, name, unit| {
            lines(archive, name, unit, style)
        })
    })?;
    out.flush()?;
    games::all_read(damaged)
}

/// The lines of a unit, each with the archive's name where one is given, and a message for each game that cannot be read.
fn lines(archive: &Archive, name: Option<&str>, unit: &Unit, style: Style) -> (String, Vec<String>) {
    let (mut text, mut faults) = (String::new(), Vec::new());
    unit.each(archive, |_, game| {
        let start = text.len();
        match game.and_then(|game| push_line(&game, None, style, &mut text)) {
            Ok(()) => push_name(name, style, start, &mut text),
            Err(error) => faults.push(games::fault(name, &error)),
        }
    });
    (text, faults)
}

/// Puts the archive's name into the line that begins at `start`.
pub fn push_name(name: Option<&str>, style: Style, start: usize, text: &mut String) {
    let Some(name) = name else { return };
    match style {
        Style::Json => text.insert_str(start + 1, &format!("\"archive\":{},", serde_json::Value::from(name))),
        Style::Columns => text.insert_str(start, &format!("{}  ", output::printable(name))),
        Style::Tabs => text.insert_str(start, &format!("{}\t", output::printable(name))),
    }
}

/// Returns what a list says of a game.
pub fn object(game: &GameRef, heading: &Heading) -> Object {
    Object::new()
        .with("game", game.number())
        .with("white", heading.tag("White"))
        .with("black", heading.tag("Black"))
        .with("result", heading.result())
        .with("date", heading.date())
        .with("eco", heading.tag("ECO"))
        .with("plies", game.plies())
        .with("event", heading.tag("Event"))
        .with("tags", json::tags(&heading.tags))
}

/// Appends a game's line; after the number stands `ply`, if there is one.
pub fn push_line(game: &GameRef, ply: Option<&str>, style: Style, text: &mut String) -> Result<(), Error> {
    let heading = Heading::of(game)?;
    let (number, plies) = (game.number(), game.plies());
    if let Style::Json = style {
        text.push_str(&object(game, &heading).to_string());
    } else {
        let number = [(number.to_string(), 9, false)].into_iter();
        let columns = [
            (heading.known("White").to_owned(), 20, true),
            (heading.known("Black").to_owned(), 20, true),
            (heading.result().to_owned(), 7, true),
            (heading.date().to_owned(), 10, true),
            (heading.known("ECO").to_owned(), 3, true),
            (plies.to_string(), 5, false),
        ];
        let ply = ply.map(|ply| (ply.to_owned(), 4, false));
        for (value, width, left) in number.chain(ply).chain(columns) {
            match style {
                Style::Columns => push_column(&value, width, left, text),
                _ => push_plain(&value, text),
            }
            text.push_str(if let Style::Columns = style { "  " } else { "\t" });
        }
        push_plain(heading.known("Event"), text);
    }
    text.push('\n');
    Ok(())
}

/// Control characters would spoil the lines, or command the terminal.
fn push_plain(value: &str, text: &mut String) {
    text.extend(value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }));
}

fn push_column(value: &str, width: usize, left: bool, text: &mut String) {
    let letters = value.chars().count();
    let blanks = width.saturating_sub(letters);
    if !left {
        text.extend(std::iter::repeat_n(' ', blanks));
    }
    if left && letters > width {
        let cut: String = value.chars().take(width - 2).collect();
        push_plain(&cut, text);
        text.push_str("..");
    } else {
        push_plain(value, text);
    }
    if left {
        text.extend(std::iter::repeat_n(' ', blanks));
    }
}

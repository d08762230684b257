//! `scoresheet dedupe`: duplicate games.

use crate::failure::{Code, Failure};
use crate::output::json::Object;
use crate::output::rows::{self, RowFormat, RowFormatArgs};
use crate::output::upkeep::Upkeep;
use crate::output::{new_archive, progress};
use crate::select::archives;
use crate::session::Session;
use crate::text::{count, printable, shown, thousands};
use crate::threads::Threads;
use scoresheet_output::Outputs;

use clap::ValueEnum;
use scoresheet::archive::copy::Part;
use scoresheet::archive::{Archive, GameSet};
use scoresheet_query::ArchiveSet;
use scoresheet_query::TagColumns;
use scoresheet_query::report::duplicates::{self, Double, Keep, Likeness, Options};
use scoresheet_query::tag_columns::Key;
use std::io::Write;
use std::path::PathBuf;

/// Find duplicate games: list or delete them, or copy the others
///
/// Two games are duplicates if one main line equals the other or its beginning, and their tags do not contradict each
/// other. Players ("Carlsen, M" matches "Carlsen, Magnus"), date, round (7 matches 7.2, but 7.1 does not) and result
/// must agree if both games have them. A game that is only the beginning of another must name both players. Games of
/// fewer than 16 half-moves must agree in the complete Seven Tag Roster. A game that matches two games which contradict
/// each other, such as games of two years, is no duplicate. `dedupe` keeps one of the longest games. Without --delete
/// or -o, `dedupe` only lists the pairs: the duplicate, the game to keep, the kind of match, players and date.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet dedupe games.bga                    list the pairs
  scoresheet dedupe games.bga --delete           delete the duplicates
  scoresheet dedupe a.bga b.bga -o one.bga       merge both without duplicates")]
pub struct Args {
    /// The archives to compare
    ///
    /// With several archives, games are compared across all archives, and -o writes one archive.
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// List the pairs only: the default without --delete or -o
    #[arg(long, conflicts_with_all = ["delete", "output"])]
    dry_run: bool,
    /// Delete the duplicates
    ///
    /// Each archive is changed in its own commit.
    #[arg(long, conflicts_with = "output")]
    delete: bool,
    /// Write an archive without the duplicates
    #[arg(short, long, value_name = "FILE.bga")]
    output: Option<PathBuf>,
    /// Replace an existing archive at -o
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    force: bool,
    /// Select the game to keep among the longest
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    keep: Which,
    /// Keep games that are only the beginning of another game
    #[arg(long)]
    whole_only: bool,
    /// Print only the number of duplicates
    #[arg(long, conflicts_with_all = ["delete", "output", "format", "json"], help_heading = "Output")]
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

/// The game to keep.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
enum Which {
    /// The game with the most comments, variations and glyphs, then with the most tags
    #[default]
    Best,
    /// The first
    First,
    /// The last
    Last,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.threads.install(|| dedupe(args, session))
}

fn dedupe(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = archives::open_all(session, &args.archives)?;
    let keep = match args.keep {
        Which::Best => Keep::Best,
        Which::First => Keep::First,
        Which::Last => Keep::Last,
    };
    let paths: Vec<PathBuf> = archives.archives().map(|archive| archive.path().to_path_buf()).collect();
    let target = args.output.as_deref();
    let target =
        target.map(|path| new_archive::target(paths.iter().map(PathBuf::as_path), path, args.force)).transpose()?;
    if args.delete {
        paths.iter().try_for_each(|path| Outputs::default().in_place(path))?;
    }
    let tags: Vec<TagColumns> = archives.archives().map(TagColumns::open).collect();
    let options = Options { prefixes: !args.whole_only, keep, only: None };
    let pairs = progress::waiting(session, || duplicates::find(&tags, options)).map_err(|error| {
        match args.archives.as_slice() {
            [path] => Failure::of_archive(path)(error),
            _ => error.into(),
        }
    })?;
    let number = count(pairs.len() as u64, "game", "games");
    if args.count {
        let mut out = session.stdout();
        writeln!(out, "{}", pairs.len())?;
        out.flush()?;
        return Ok(Code::Success);
    }
    if args.output.is_none() && !args.delete {
        list(args, session, &archives, &tags, &pairs)?;
        if !args.quiet {
            let all = archives.archives().map(|archive| archive.live().len()).sum();
            session.note(&format!("{number} of {} could be deleted", thousands(all)));
        }
        return Ok(Code::Success);
    }
    // The duplicates, by archive.
    let mut removed: Vec<GameSet> = archives.archives().map(|archive| GameSet::new(archive.len())).collect();
    for pair in &pairs {
        let (index, game) = locate(&archives, pair.game)?;
        if let Some(set) = removed.get_mut(index) {
            set.insert(game);
        }
    }
    if let Some(target) = &target {
        let part = |(archive, removed): (_, &GameSet)| {
            let archive: &Archive = archive;
            let mut games = archive.live();
            games.subtract(removed);
            Part { archive, games }
        };
        let parts: Vec<Part> = archives.archives().zip(&removed).map(part).collect();
        if !args.quiet {
            session.note(&format!("{number} left out"));
        }
        return new_archive::write_part(session, target, args.quiet, args.upkeep, &parts, 0);
    }
    drop(tags);
    drop(archives);
    for (path, games) in paths.iter().zip(&removed) {
        let deleted = Archive::delete(path, games.iter()).map_err(Failure::of_archive(path))?;
        if !args.quiet {
            session.note(&format!("{}: {} deleted", shown(path), count(games.len(), "game", "games")));
        }
        new_archive::warn_unindexed(session, path, deleted.unindexed.as_ref());
    }
    Ok(Code::Success)
}

/// Returns the index of a game's archive among all archives, and its number in that archive.
fn locate(archives: &ArchiveSet, number: u64) -> Result<(usize, u64), Failure> {
    let (archive, game) = archives.locate(number)?;
    let index = archives.archives().position(|known| std::ptr::eq(known, archive));
    Ok((index.unwrap_or_default(), game))
}

fn list(
    args: &Args,
    session: &Session,
    archives: &ArchiveSet,
    tags: &[TagColumns],
    pairs: &[Double],
) -> Result<(), Failure> {
    let keys = ["White", "Black", "Date"].map(|name| Key::Tag(name.to_owned()));
    let columns = tags.iter().map(|tags| tags.columns(&keys)).collect::<Result<Vec<_>, _>>()?;
    let mut out = session.stdout();
    let format = args.rows.format();
    if format == RowFormat::Csv {
        let are_several = archives.members().len() > 1;
        let archive = |name| are_several.then_some(name);
        let titles = [archive("archive"), Some("game"), archive("kept_archive"), Some("kept")];
        let rest = ["likeness", "white", "black", "date"];
        out.write_all(rows::csv_line(titles.into_iter().flatten().chain(rest)).as_bytes())?;
    }
    for Double { game, kept, likeness } in pairs {
        let ((from, game), (of, kept)) = (locate(archives, *game)?, locate(archives, *kept)?);
        let text = |column: usize| {
            let column = columns.get(from).and_then(|columns| columns.get(column));
            let text = column.and_then(|column| column.text(game)).unwrap_or(b"?");
            String::from_utf8_lossy(text).into_owned()
        };
        let name = |index: usize| archives.archive(index).and_then(|archive| archives::name_in(archives, archive));
        let likeness = match likeness {
            Likeness::Same => "same",
            Likeness::Prefix => "prefix",
        };
        let (white, black, date) = (text(0), text(1), text(2));
        if format == RowFormat::Json {
            let mut pair = Object::new();
            if let (Some(archive), Some(kept)) = (name(from), name(of)) {
                pair = pair.with("archive", archive).with("kept_archive", kept);
            }
            let pair = pair.with("game", game).with("kept", kept).with("likeness", likeness);
            writeln!(out, "{}", pair.with("white", white).with("black", black).with("date", date))?;
        } else {
            // The name of the archive precedes the game number.
            let numbers = [name(from), Some(game.to_string()), name(of), Some(kept.to_string())];
            let rest = [likeness.to_owned(), white, black, date];
            let cells: Vec<String> = numbers.into_iter().flatten().chain(rest).collect();
            if format == RowFormat::Csv {
                out.write_all(rows::csv_line(cells.iter().map(String::as_str)).as_bytes())?;
            } else {
                let cells: Vec<String> = cells.iter().map(|cell| printable(cell)).collect();
                writeln!(out, "{}", cells.join("\t"))?;
            }
        }
    }
    Ok(out.flush()?)
}

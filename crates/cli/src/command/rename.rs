//! `scoresheet rename`: changes the spelling of players, events and sites.

use crate::failure::{self, Code, Failure};
use crate::output::changed::Changing;
use crate::output::table::TabbedTable;
use crate::select::archives;
use crate::select::filter::Where;
use crate::session::Session;
use crate::text::{self, count, plain, shown};
use crate::threads::Threads;
use clap::ValueEnum;
use scoresheet::archive::{Archive, GameRef};
use scoresheet_query::report::spellings::{Named, spellings};
use scoresheet_query::tag_columns::Key;
use scoresheet_query::{TagColumns, nearest};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Rename players, events or sites
///
/// `rename` renames one name, the names of a list, or variants of the same name. --suggest lists probable variants: the
/// same FIDE id, the same letters, an initial, or one different letter. Check the list, remove wrong lines, and pass it
/// to --list. Games keep their numbers, and the archive keeps the original games (see `scoresheet set`).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet rename games.bga 'Carlsen, Magnus' 'Carlsen, M'
  scoresheet rename games.bga --kind events 'Rated Blitz game' Blitz
  scoresheet rename games.bga --suggest > names.txt
  scoresheet rename games.bga --list names.txt --dry-run

A list has a line for each name: the old name, a tab, the new name. Text after a
second tab and lines that begin with # are comments.")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// The old name
    #[arg(requires = "new", required_unless_present_any = ["list", "suggest"])]
    old: Option<String>,
    /// The new name
    new: Option<String>,
    /// The kind of names
    #[arg(long, value_enum, default_value_t)]
    kind: Kind,
    /// Rename the names in this file; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["old", "suggest"])]
    list: Option<PathBuf>,
    /// List probable spellings of the same name, without changing them
    #[arg(long, conflicts_with_all = ["old", "dry_run", "json"])]
    suggest: bool,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    changing: Changing,
    #[command(flatten)]
    threads: Threads,
}

/// The kind of name to change.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
enum Kind {
    /// The tags White and Black
    #[default]
    Players,
    /// The tag Event
    Events,
    /// The tag Site
    Sites,
}

impl Kind {
    fn named(self) -> Named {
        match self {
            Kind::Players => Named::Players,
            Kind::Events => Named::Events,
            Kind::Sites => Named::Sites,
        }
    }
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.threads.install(|| {
        if args.suggest {
            return suggest(args, session);
        }
        let names = match (&args.old, &args.new, &args.list) {
            (_, Some(new), _) if new.contains(char::is_control) => {
                return Err(Failure::Usage("a name is one line of text".to_owned()));
            }
            (Some(old), Some(new), _) => HashMap::from([(old.clone(), new.clone())]),
            (.., Some(list)) => read(list)?,
            _ => HashMap::new(),
        };
        let archive = archives::open(session, &args.archive)?;
        let (mut games, undecided) = args.filter.chosen(session, &TagColumns::open(&archive))?;
        // Only chunks that contain such names are rewritten.
        let tags = args.kind.named().tags();
        let keys: Vec<Key> = tags.iter().map(|tag| Key::Tag((*tag).to_owned())).collect();
        {
            let columns = TagColumns::open(&archive).columns(&keys).map_err(Failure::of_archive(&args.archive))?;
            let is_listed = |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| names.contains_key(name));
            let known = |game: u64| columns.iter().filter_map(|column| column.text(game)).any(is_listed);
            let others: Vec<u64> = games.iter().filter(|game| !known(*game)).collect();
            others.into_iter().for_each(|game| _ = games.remove(game));
        }
        let change = |game: &GameRef| {
            let mut game = game.to_game()?;
            for (_, value) in game.tags.iter_mut().filter(|(name, _)| tags.contains(&name.as_str())) {
                if let Some(new) = names.get(value) {
                    new.clone_into(value);
                }
            }
            Ok(Some(game))
        };
        if games.is_empty() {
            let what = match (&args.old, args.list.is_some()) {
                (Some(old), _) => {
                    let near = near(&archive, &keys, old).map_err(Failure::of_archive(&args.archive))?;
                    let hint = near.map_or_else(String::new, |near| format!(": did you mean {near:?}?"));
                    format!("no game has {old:?} as the name of {}{hint}", singular(args.kind))
                }
                (None, _) => format!("no game has a listed name as the name of {}", singular(args.kind)),
            };
            return Err(Failure::Message(format!("{}: {what}", shown(&args.archive))));
        }
        args.changing.change(session, archive, &games, &change)?;
        failure::all_read(undecided)
    })
}

/// Returns the name in the archive that is most similar to `name`.
fn near(archive: &Archive, keys: &[Key], name: &str) -> scoresheet::Result<Option<String>> {
    let columns = TagColumns::open(archive).columns(keys)?;
    let names = columns.iter().filter_map(|column| column.strings()).flat_map(|strings| strings.texts());
    // The nearest name may have the same letters, if --games or --where excludes its games.
    Ok(nearest(name, names.filter(|known| *known != name)).map(str::to_owned))
}

fn singular(kind: Kind) -> &'static str {
    match kind {
        Kind::Players => "a player",
        Kind::Events => "an event",
        Kind::Sites => "a site",
    }
}

/// Reads a list of old and new names from a file.
fn read(list: &Path) -> Result<HashMap<String, String>, Failure> {
    let failed = |error| Failure::Message(format!("cannot read {}: {error}", shown(list)));
    let mut names = HashMap::new();
    for (line, text) in (1..).zip(text::read(list).map_err(failed)?.lines()) {
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let mut parts = text.split('\t');
        let (Some(old), Some(new)) = (parts.next(), parts.next().filter(|new| !new.is_empty())) else {
            return Err(Failure::Message(format!("{}:{line}: write OLD, a tab, NEW", shown(list))));
        };
        if new.contains(char::is_control) {
            return Err(Failure::Message(format!("{}:{line}: a name is one line of text", shown(list))));
        }
        if names.insert(old.to_owned(), new.to_owned()).is_some_and(|previous| previous != new) {
            return Err(Failure::Message(format!("{}:{line}: {old:?} has two new names", shown(list))));
        }
    }
    Ok(names)
}

fn suggest(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archive = archives::open(session, &args.archive)?;
    let found = spellings(&archive, args.kind.named()).map_err(Failure::of_archive(&args.archive))?;
    let mut out = session.stdout();
    let (mut lines, is_table) = (Vec::new(), session.is_terminal());
    for suggestion in found.iter().filter(|found| !found.from.contains('\t') && !found.to.contains('\t')) {
        let (few, many) = suggestion.games;
        let games = format!("{} to {}", count(few, "game", "games"), count(many, "game", "games"));
        let [from, to] =
            [&suggestion.from, &suggestion.to].map(|name| if is_table { plain(name) } else { name.clone() });
        writeln!(lines, "{from}\t{to}\t{games}: {}", suggestion.reason)?;
    }
    if is_table {
        let columns = [("name", false, 100), ("spelling to use", false, 99), ("games and reason", false, 98)];
        let mut table = TabbedTable::new(&columns, session.table_width(), &mut out);
        table.write_all(&lines)?;
        table.finish()?;
    } else {
        out.write_all(&lines)?;
    }
    out.flush()?;
    if !args.changing.done.quiet {
        let kind = match args.kind {
            Kind::Players => "",
            Kind::Events => " --kind events",
            Kind::Sites => " --kind sites",
        };
        session.note(&match found.len() {
            0 => "no name looks like a spelling of another".to_owned(),
            names => format!(
                "{}; check them, then run `scoresheet rename {}{kind} --list FILE`",
                count(names as u64, "suggestion", "suggestions"),
                shown(&args.archive)
            ),
        });
    }
    Ok(Code::Success)
}

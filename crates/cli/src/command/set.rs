//! `scoresheet set`: adds, changes, removes and renames tags.

use crate::failure::{self, Code, Failure};
use crate::output::changed::Changing;
use crate::select::archives;
use crate::select::filter::Where;
use crate::session::Session;
use crate::threads::Threads;
use scoresheet::Game;
use scoresheet::archive::{Archive, GameRef};
use scoresheet::error::Result as LibraryResult;
use scoresheet::format::tags::NAMES;
use scoresheet::game::{Event, Outcome, TextKind};
use scoresheet::import::original_game;
use scoresheet_query::tag_columns::Key;
use scoresheet_query::{TagColumns, nearest, value};
use std::path::PathBuf;
use std::str::FromStr;

/// Add, change, remove or rename tags of games
///
/// Every game keeps its number, and the archive keeps the original tags: `scoresheet export --original` restores the
/// source byte for byte, and --restore restores the game. A new Result also changes the
/// result after the moves. `set` writes a new file, which replaces the archive when it is
/// complete.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet set games.bga --games 7 White='Carlsen, Magnus' Round=3
  scoresheet set games.bga --where 'event ~ Wijk' Site='Wijk aan Zee' --dry-run
  scoresheet set games.bga --where 'has(WhiteTeam)' --remove WhiteTeam
  scoresheet set games.bga --games 1- --rename UTCDate=Date
  scoresheet set games.bga --games 7 --restore   the original tags")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Set a tag to a new value
    #[arg(value_name = "TAG=VALUE", value_parser = assignment)]
    set: Vec<Pair>,
    /// Remove this tag
    #[arg(long, value_name = "TAG", value_parser = tag)]
    remove: Vec<String>,
    /// Rename a tag; an existing tag of the new name is replaced
    #[arg(long, value_name = "OLD=NEW")]
    rename: Vec<Pair>,
    /// Restore games as imported: tags, moves and comments
    #[arg(long, conflicts_with_all = ["set", "remove", "rename"])]
    restore: bool,
    #[command(flatten)]
    filter: Where,
    #[command(flatten)]
    changing: Changing,
    #[command(flatten)]
    threads: Threads,
}

/// A tag to set, and its new value.
#[derive(Clone, Debug)]
struct Pair(String, String);

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Pair, String> {
        let (name, value) = text.split_once('=').ok_or("write TAG=VALUE")?;
        if value.contains(char::is_control) {
            return Err("a value is one line of text".to_owned());
        }
        Ok(Pair(tag(name)?, value.to_owned()))
    }
}

/// Parses a tag and a valid value.
fn assignment(text: &str) -> Result<Pair, String> {
    let pair = Pair::from_str(text)?;
    let Pair(name, value) = &pair;
    let fault = match name.as_str() {
        "Result" if Outcome::from_token(value.as_bytes()).is_none() => "a result is 1-0, 0-1, 1/2-1/2 or *",
        "Date" | "UTCDate" | "EventDate" if !is_date(value) => {
            "a date is written 2024.05.31, with ? for unknown parts, as in 2024.??.??"
        }
        // With this value, a reader would parse the moves by the rules of the variant.
        name if is_variant(name) && !["", "Standard", "Chess960"].contains(&value.as_str()) => {
            "a variant is Standard or Chess960: the moves of a game fix its rules"
        }
        "WhiteElo" | "BlackElo" if !matches!(value.as_str(), "" | "-" | "?") && !is_rating(value) => {
            "a rating is a whole number up to 32,767, or ? if unknown"
        }
        _ => return Ok(pair),
    };
    Err(fault.to_owned())
}

/// Returns whether a text is a rating without other text.
fn is_rating(text: &str) -> bool {
    text.parse().is_ok_and(|number: i64| number == 0 || value::rating(text.as_bytes()) == Some(number))
}

fn is_variant(name: &str) -> bool {
    name == "Variant"
}

/// Returns whether a text has the form of a PGN date, which may have unknown parts.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let fits = |part: &str, digits: usize, most: u32| {
        let is_known = part.bytes().all(|byte| byte.is_ascii_digit());
        let is_open = part.bytes().all(|byte| byte == b'?');
        part.len() == digits && (is_open || is_known && part.parse().is_ok_and(|number| (1..=most).contains(&number)))
    };
    fits(year, 4, 9999) && fits(month, 2, 12) && fits(day, 2, 31)
}

/// Warns if no game has the tag, but the name of another tag is similar.
fn warn_of_slip(session: &Session, archive: &Archive, name: &str) -> Result<(), Failure> {
    if NAMES.contains(&name) {
        return Ok(());
    }
    let columns = TagColumns::open(archive);
    let columns = columns.columns(&[Key::Tag(name.to_owned())]).map_err(Failure::of_archive(archive.path()))?;
    let is_known = columns.iter().any(|column| column.strings().is_some_and(|strings| !strings.is_empty()));
    if let Some(near) = nearest(name, NAMES).filter(|_| !is_known) {
        session.message(&format!("warning: no game has a tag {name}: did you mean {near}?"));
    }
    Ok(())
}

/// Parses the name of a tag that can be set.
fn tag(name: &str) -> Result<String, String> {
    if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return Err(format!("{name:?} is not a tag name: use letters, digits and _"));
    }
    if ["FEN", "SetUp"].iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Err(format!("{name} is part of the starting position: change it with `scoresheet edit`"));
    }
    Ok(name.to_owned())
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    if args.set.is_empty() && args.remove.is_empty() && args.rename.is_empty() && !args.restore {
        let what = "nothing to set: give TAG=VALUE, --remove TAG, --rename OLD=NEW or --restore";
        return Err(Failure::Usage(what.to_owned()));
    }
    if !args.filter.is_given() {
        return Err(Failure::Usage("no games given: use --games RANGES or --where EXPR".to_owned()));
    }
    for Pair(_, to) in &args.rename {
        tag(to).map_err(Failure::Usage)?;
        if to == "Result" || is_variant(to) {
            return Err(Failure::Usage(format!("no tag can be renamed to {to}: set it with {to}=VALUE")));
        }
    }
    args.threads.install(|| {
        let archive = archives::open(session, &args.archive)?;
        let (games, undecided) = {
            let columns = TagColumns::open(&archive);
            let chosen = args.filter.chosen(session, &columns)?;
            if chosen.0.is_empty() {
                args.filter.report_none(session, &[&columns]);
            }
            chosen
        };
        let names = args.set.iter().chain(&args.rename).map(|Pair(name, _)| name);
        names.chain(&args.remove).try_for_each(|name| warn_of_slip(session, &archive, name))?;
        let change = |game: &GameRef| change(args, game);
        args.changing.change(session, archive, &games, &change)?;
        failure::all_read(undecided)
    })
}

fn change(args: &Args, game: &GameRef) -> LibraryResult<Option<Game>> {
    if args.restore {
        return Ok(if game.is_changed() { original_game(game)?.map(|(game, _)| game) } else { None });
    }
    let mut game = game.to_game()?;
    for Pair(from, to) in &args.rename {
        if from != to && game.tag(from).is_some() {
            game.tags.retain(|(name, _)| name != to);
            game.tags.iter_mut().filter(|(name, _)| name == from).for_each(|(name, _)| *name = to.clone());
        }
    }
    game.tags.retain(|(name, _)| !args.remove.contains(name));
    for Pair(name, value) in &args.set {
        set(&mut game, name, value);
    }
    Ok(Some(game))
}

/// The tags that every game has, in the order of the standard.
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Sets a tag of a game once, at the index of the existing tag, or else at its place in the order of the standard.
fn set(game: &mut Game, name: &str, value: &str) {
    if name == "Result" {
        // A result that was kept as a text would contradict the new one.
        let is_result = |event: &Event| matches!(event, Event::Text(TextKind::Token, text) if Outcome::parse(text.as_bytes()).is_some());
        game.events.retain(|event| !is_result(event));
        game.outcome = Outcome::parse(value.as_bytes());
    }
    let mut found = false;
    game.tags.retain_mut(|(tag, old_value)| {
        if tag != name {
            return true;
        }
        value.clone_into(old_value);
        // Removes all other tags of this name.
        !std::mem::replace(&mut found, true)
    });
    if !found {
        let rank = |name: &str| ROSTER.iter().position(|tag| *tag == name);
        let of = |tags: &[(String, String)], is_near: &dyn Fn(usize) -> bool| {
            tags.iter().map(|(tag, _)| rank(tag).is_some_and(is_near)).collect::<Vec<_>>()
        };
        let index = rank(name).map(|roster_rank| {
            let before = of(&game.tags, &|rank| rank < roster_rank).iter().rposition(|near| *near);
            let after = of(&game.tags, &|rank| rank > roster_rank).iter().position(|near| *near);
            before.map(|index| index + 1).or(after).unwrap_or(0)
        });
        let index = index.unwrap_or(game.tags.len());
        game.tags.insert(index, (name.to_owned(), value.to_owned()));
    }
}

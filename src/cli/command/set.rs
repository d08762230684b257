//! `scoresheet set`: tags added, changed, removed and renamed.

use crate::failure::{self, Code, Failure};
use crate::out::changed;
use crate::out::done::Done;
use crate::select::archives;
use crate::select::filter::Where;
use crate::select::ranges::Ranges;
use crate::session::Session;
use crate::threads::Threads;
use scoresheet::Game;
use scoresheet::archive::GameRef;
use scoresheet::error::Result as LibraryResult;
use scoresheet::game::Outcome;
use scoresheet::import::original_game;
use std::path::PathBuf;
use std::str::FromStr;

/// Set tags of games: add, change, remove or rename them
///
/// Every game keeps its number, and what the source said stays in the archive: `scoresheet export --original` gives the
/// file back byte for byte, and --restore the game. Result also sets the result after the moves, where the two agreed.
/// The archive is written anew and replaced when the new file is complete.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet set games.bga --games 7 White='Carlsen, Magnus' Round=3
  scoresheet set games.bga --where 'event ~ Wijk' Site='Wijk aan Zee' --dry-run
  scoresheet set games.bga --where 'has(WhiteTeam)' --remove WhiteTeam
  scoresheet set games.bga --games 1- --rename UTCDate=Date
  scoresheet set games.bga --games 7 --restore   what the source said")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// A tag and its new value
    #[arg(value_name = "TAG=VALUE")]
    set: Vec<Pair>,
    /// Remove this tag
    #[arg(long, value_name = "TAG", value_parser = tag)]
    remove: Vec<String>,
    /// Give a tag another name; a tag that has the new name already is replaced
    #[arg(long, value_name = "OLD=NEW")]
    rename: Vec<Pair>,
    /// Give games back what the source said, with tags, moves and comments
    #[arg(long, conflicts_with_all = ["set", "remove", "rename"])]
    restore: bool,
    /// These games, e.g. 5,10-20,1000-
    #[arg(long, value_name = "RANGES")]
    games: Option<Ranges>,
    #[command(flatten)]
    filter: Where,
    /// Change nothing; print what would be changed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    done: Done,
    #[command(flatten)]
    threads: Threads,
}

/// A tag and what it becomes.
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

/// Reads the name of a tag that can be set.
fn tag(name: &str) -> Result<String, String> {
    if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return Err(format!("{name:?} is not the name of a tag: letters, digits and _ without blanks"));
    }
    if ["FEN", "SetUp"].iter().any(|own| own.eq_ignore_ascii_case(name)) {
        return Err(format!("{name} belongs to the moves: change it with `scoresheet edit`"));
    }
    Ok(name.to_owned())
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    if args.set.is_empty() && args.remove.is_empty() && args.rename.is_empty() && !args.restore {
        let what = "nothing to set: give TAG=VALUE, --remove TAG, --rename OLD=NEW or --restore";
        return Err(Failure::Message(what.to_owned()));
    }
    if args.games.is_none() && !args.filter.is_given() {
        return Err(Failure::Message("no games given: use --games RANGES or --where EXPR".to_owned()));
    }
    for Pair(_, to) in &args.rename {
        tag(to).map_err(Failure::Message)?;
    }
    args.threads.install(|| {
        let archive = archives::open(session, &args.archive)?;
        let (games, undecided) = args.filter.chosen(session, &archive, args.games.as_ref())?;
        let change = |game: &GameRef| change(args, game);
        changed::change_or_preview(session, &args.archive, archive, args.dry_run, args.done, &games, &change)?;
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

/// Gives a game one tag of that name, at the place of the one that it has, or where the standard puts it.
fn set(game: &mut Game, name: &str, value: &str) {
    let all = [Outcome::Unknown, Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw];
    let outcome = |token: &str| all.into_iter().find(|outcome| outcome.token() == token);
    if name == "Result"
        && game.outcome.is_some_and(|own| game.tag(name).is_none_or(|tag| tag == own.token()))
        && let Some(new) = outcome(value)
    {
        game.outcome = Some(new);
    }
    let mut found = false;
    game.tags.retain_mut(|(tag, own)| {
        if tag != name {
            return true;
        }
        value.clone_into(own);
        // One of a kind: further ones go.
        !std::mem::replace(&mut found, true)
    });
    if !found {
        let rank = |name: &str| ROSTER.iter().position(|tag| *tag == name);
        let of = |tags: &[(String, String)], is_near: &dyn Fn(usize) -> bool| {
            tags.iter().map(|(tag, _)| rank(tag).is_some_and(is_near)).collect::<Vec<_>>()
        };
        let place = rank(name).map(|own| {
            let before = of(&game.tags, &|other| other < own).iter().rposition(|near| *near);
            let after = of(&game.tags, &|other| other > own).iter().position(|near| *near);
            before.map(|place| place + 1).or(after).unwrap_or(0)
        });
        let place = place.unwrap_or(game.tags.len());
        game.tags.insert(place, (name.to_owned(), value.to_owned()));
    }
}

//! `scoresheet tree`: the moves played in a position, and their results.

use crate::failure::{self, Code, Failure};
use crate::out::formats;
use crate::out::heading::Heading;
use crate::out::json::Object;
use crate::select::filter::Where;
use crate::select::position::PositionArgs;
use crate::select::{archives, side_files};
use crate::session::Session;
use crate::text::{count, printable, ratio, thousands};
use crate::threads::Threads;
use scoresheet::archive::{Archive, ArchiveSet};
use scoresheet::chess::Move;
use scoresheet::query::{Tally, Tree};
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;

/// Show the moves that were played in a position, with results, ratings and sample games
///
/// Each game counts once, where it first reaches the position, by transposition too. Performance is that of the side to
/// move. Immediate with `scoresheet index --positions`; without it the games are replayed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet tree games.bga
  scoresheet tree games.bga --moves \"e4 c5\"
  scoresheet tree games/*.bga --where 'elo >= 2600'     several archives together
  scoresheet tree games.bga --fen \"rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -\" --json")]
pub struct Args {
    /// The archive, or several, counted together
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    filter: Where,
    /// Show at most this many moves
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Show this many of the highest-rated games
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..=8))]
    samples: u8,
    /// Print one JSON object with the fields of the Lichess opening explorer
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = archives::open_all(session, &args.archives)?;
    let position = args.position.position()?;
    args.threads.install(|| {
        let (mut all, mut failed) = (None::<Tree>, 0);
        for (before, archive) in archives.numbered() {
            let name = archives::name_in(&archives, archive);
            let (chosen, undecided) = args.filter.games(session, archive);
            let tree = side_files::with_search(session, archive, chosen.as_ref(), |search| search.tree(&position));
            tree.unread.iter().for_each(|error| session.message(&archives::fault(name.as_deref(), error)));
            failed += undecided + tree.unread.len() as u64;
            match &mut all {
                Some(all) => all.add(tree, before),
                None => all = Some(tree),
            }
        }
        let Some(tree) = all else { return Ok(Code::Success) };
        let text = if args.json { json(args, &archives, &tree)? } else { text(args, &archives, &tree)? };
        let mut out = session.stdout();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        failure::all_read(failed)
    })
}

fn text(args: &Args, archives: &ArchiveSet, tree: &Tree) -> Result<String, Failure> {
    let mut text = format!("{}\n{}\n", tree.position.fen(), count(tree.tally.games(), "game", "games"));
    text.push_str("\nmove         games    share   white    draw   black  rating  perf  last\n");
    for branch in tree.branches.iter().take(args.limit.unwrap_or(usize::MAX)) {
        text.push_str(&line(&tree.position.san(branch.m), &branch.tally, tree.tally.games()));
    }
    text.push_str(&line("all", &tree.tally, tree.tally.games()));
    let samples: Vec<u64> = tree.tally.samples().take(usize::from(args.samples)).collect();
    if !samples.is_empty() {
        text.push('\n');
    }
    for number in samples {
        let (archive, number) = archives.locate(number)?;
        let heading = Heading::of(&archive.game(number)?)?;
        let name = archives::name_in(archives, archive).map_or_else(String::new, |name| format!("{name}  "));
        let (white, black) = (heading.player("White"), heading.player("Black"));
        let what = format!("{name}{number}  {white} - {black}  {}  {}", heading.result(), heading.date());
        text.push_str(&printable(&what));
        text.push('\n');
    }
    Ok(text)
}

fn line(name: &str, tally: &Tally, all: u64) -> String {
    let games = tally.games();
    let decided = tally.white + tally.draws + tally.black;
    let percent = |part: u64, whole: u64| format!("{:.1} %", 100.0 * ratio(part as f64, whole as f64));
    let or_blank = |number: Option<String>| number.unwrap_or_else(|| "-".to_owned());
    format!(
        "{name:<8}{:>10} {:>8} {:>7} {:>7} {:>7} {:>7} {:>5} {:>5}\n",
        thousands(games),
        percent(games, all),
        percent(tally.white, decided),
        percent(tally.draws, decided),
        percent(tally.black, decided),
        or_blank(tally.average_rating().map(|rating| rating.to_string())),
        or_blank(tally.performance().map(|rating| rating.to_string())),
        or_blank(tally.last_year().map(|year| year.to_string())),
    )
}

fn counted(object: Object, tally: &Tally) -> Object {
    object
        .with("white", tally.white)
        .with("draws", tally.draws)
        .with("black", tally.black)
        .with("unknown", tally.unknown)
        .with("averageRating", tally.average_rating())
        .with("performance", tally.performance())
        .with("lastYear", tally.last_year())
}

/// Adds the archive's name if there are several.
fn named(object: Object, archives: &ArchiveSet, archive: &Archive) -> Object {
    match archives::name_in(archives, archive) {
        Some(name) => object.with("archive", name),
        None => object,
    }
}

fn json(args: &Args, archives: &ArchiveSet, tree: &Tree) -> Result<String, Failure> {
    let uci = |m: Move| formats::uci_of(&tree.position, m);
    let mut moves = Vec::new();
    for branch in tree.branches.iter().take(args.limit.unwrap_or(usize::MAX)) {
        let object = Object::new().with("uci", uci(branch.m)).with("san", tree.position.san(branch.m));
        // The explorer names the game if there is only one.
        let only = branch.tally.samples().next().filter(|_| branch.tally.games() == 1);
        let object = counted(object, &branch.tally);
        moves.push(match only.map(|game| archives.locate(game)).transpose()? {
            None => object.with("game", Value::Null),
            Some((archive, number)) => named(object, archives, archive).with("game", number),
        });
    }
    let mut games = Vec::new();
    for sample in tree.tally.samples().take(usize::from(args.samples)) {
        let (archive, number) = archives.locate(sample)?;
        let game = archive.game(number)?;
        let heading = Heading::of(&game)?;
        let player = |color: &str| {
            let rating = heading.tag(&format!("{color}Elo")).and_then(|rating| rating.parse::<u32>().ok());
            Object::new().with("name", heading.known(color)).with("rating", rating)
        };
        let winner = match heading.result() {
            "1-0" => Value::from("white"),
            "0-1" => Value::from("black"),
            _ => Value::Null,
        };
        let branch = tree.branches.iter().find(|branch| branch.tally.samples().any(|other| other == sample));
        let year = heading.date().get(..4).and_then(|year| year.parse::<u32>().ok());
        let object = Object::new().with("uci", branch.map(|branch| uci(branch.m)));
        games.push(
            named(object, archives, archive)
                .with("id", number)
                .with("winner", winner)
                .object("white", &player("White"))
                .object("black", &player("Black"))
                .with("year", year),
        );
    }
    let object = counted(Object::new().with("fen", tree.position.fen()), &tree.tally);
    Ok(format!("{}\n", object.array("moves", &moves).array("topGames", &games)))
}

//! `scoresheet tree`: shows the moves played in a position, and their results.

use crate::failure::{self, Code, Failure};
use crate::output::json::Object;
use crate::output::progress;
use crate::output::quiet::Quiet;
use crate::output::rows::{self, RowFormat, RowFormatArgs};
use crate::output::table::shortened;
use crate::select::filter::{self, Where};
use crate::select::position::PositionArgs;
use crate::select::{archives, side_files};
use crate::session::Session;
use crate::text::{count, printable, ratio, thousands};
use crate::threads::Threads;
use scoresheet::Position;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::chess::{Color, Move};
use scoresheet::error::Error;
use scoresheet::game::Outcome;
use scoresheet_query::ArchiveSet;
use scoresheet_query::GameSummary;
use scoresheet_query::openings::{Opening, Openings};
use scoresheet_query::tag_columns::Days;
use scoresheet_query::{Branch, PositionQuery, Search, SearchOptions, Tally, Tree, Visit};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

/// Show the moves played in a position, with results and ratings
///
/// Each game counts once, at its first visit of the position, by any order of moves. Performance applies to the side to
/// move. `scoresheet index --positions` makes the search immediate; without the position index, `tree` replays the
/// games.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet tree games.bga
  scoresheet tree games.bga --moves \"e4 c5\"
  scoresheet tree games.bga --depth 3 --limit 4 --min-games 10
  scoresheet tree games/*.bga --where 'elo >= 2600'   several archives together
  scoresheet tree games.bga --fen startpos")]
pub struct Args {
    /// One or more archives, or folders of archives, counted together
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    filter: Where,
    /// Limit the number of moves shown
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Show a tree of this depth in half-moves
    ///
    /// The tree follows the three most frequent moves of each position, or --limit moves. Of the other moves, only those
    /// of the first half-move are shown.
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "PLIES", default_value_t = 1, hide_default_value = true, value_parser = clap::value_parser!(u8).range(1..=12))]
    depth: u8,
    /// Omit moves played in fewer games
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    min_games: u64,
    /// Show this number of games with the highest ratings
    #[arg(help_heading = "Output")]
    #[arg(long, alias = "samples", value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..=15))]
    top_games: u8,
    /// Show the strongest and the last game of each move
    ///
    /// The strongest game has the highest mean rating of both players.
    #[arg(help_heading = "Output")]
    #[arg(long)]
    move_games: bool,
    /// Print only the number of games with the position
    #[arg(long, conflicts_with_all = ["format", "json"], help_heading = "Output")]
    count: bool,
    #[command(flatten)]
    rows: RowFormatArgs,
    #[command(flatten)]
    quiet: Quiet,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.quiet.apply(session);
    let archives = args.filter.open(session, &args.archives)?;
    let position = args.position.position(args.filter.position_rules())?;
    args.filter.look_for(&position);
    args.threads.install(|| {
        let (mut chosen, mut failed) = (Vec::new(), 0);
        for member in archives.members() {
            let (games, undecided) = args.filter.games_by_rules(session, member.columns())?;
            failed += undecided;
            chosen.push(games);
        }
        let any = chosen.iter().any(|games| games.as_ref().is_none_or(|games| !games.is_empty()));
        let depth = if args.count { 1 } else { args.depth };
        let mut unread: Vec<Vec<Error>> = archives.members().iter().map(|_| Vec::new()).collect();
        let nested = progress::waiting(session, || {
            // The position index knows only the years of the games.
            let days = archives.members().iter().map(|member| args.move_games.then(|| member.columns().days()));
            let days: Vec<Option<Days>> = days.collect();
            let sources: Vec<Source> = archives
                .members()
                .iter()
                .zip(&chosen)
                .zip(&days)
                .map(|((member, games), days)| Source {
                    search: member.search_among(games.as_ref()),
                    days: days.as_ref(),
                    before: member.before(),
                })
                .collect();
            Nested::new(&sources, &position, depth, args.most(depth), &mut unread)
        });
        let mut lost = BTreeSet::new();
        for (member, mut unread) in archives.members().iter().zip(unread) {
            unread.sort_by_key(damaged_game);
            unread.dedup_by(|a, b| damaged_game(a).is_some() && damaged_game(a) == damaged_game(b));
            unread.iter().for_each(|error| session.unread(&archives::fault(member.archive(), error)));
            lost.extend(unread.iter().filter_map(damaged_game).map(|game| member.before() + game));
            failed += unread.len() as u64;
        }
        side_files::report_searches(session, &archives);
        if args.count {
            filter::print_number(session, nested.tree.tally.games())?;
            return failure::all_read(failed);
        }
        if nested.tree.tally.games() == 0 {
            args.filter.report_no_position(session, &archives, any);
            args.position.report_omitted(session);
        }
        let before = lost.len();
        let shown = Shown { args, archives: &archives, session, lost: lost.into() };
        let text = match args.rows.format() {
            RowFormat::Json => json(&shown, &nested)?,
            RowFormat::Csv => csv(args, &nested),
            RowFormat::Table => text(&shown, &nested, session.table_width())?,
        };
        failed += (shown.lost.into_inner().len() - before) as u64;
        let mut out = session.stdout();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        failure::all_read(failed)
    })
}

/// A tree of moves: the moves in a position, and in the positions after these moves.
struct Nested {
    tree: Tree,
    /// The trees after the moves of the first branches; empty at the last depth.
    next: Vec<(Move, Nested)>,
}

/// The default number of moves with continuations below the first half-move.
const FOLLOWED: usize = 3;

impl Args {
    /// Returns the maximum number of moves with continuations in a position, or of moves shown below the first
    /// half-move.
    fn most(&self, depth: u8) -> usize {
        self.limit.unwrap_or(if depth > 1 { FOLLOWED } else { usize::MAX })
    }

    /// Returns the shown moves of a tree; `level` is 0 at the first half-move.
    fn shown<'t>(&self, tree: &'t Tree, level: usize) -> impl Iterator<Item = &'t Branch> {
        let most = if level == 0 { self.limit.unwrap_or(usize::MAX) } else { self.most(self.depth) };
        let least = self.min_games;
        tree.branches.iter().filter(move |branch| branch.tally.games() >= least).take(most)
    }
}

/// The games of an archive that a tree counts.
struct Source<'a> {
    search: Search<'a>,
    days: Option<&'a Days>,
    /// The number of games in the preceding archives.
    before: u64,
}

impl Nested {
    /// Returns the tree of this depth, and adds the errors of unreadable games of each archive to `unread`.
    fn new(sources: &[Source], position: &Position, depth: u8, most: usize, unread: &mut [Vec<Error>]) -> Nested {
        let mut tree = Tree::empty(position);
        for (source, unread) in sources.iter().zip(&mut *unread) {
            let mut part = source.search.dated_tree(position, Visit::First, source.days);
            unread.append(&mut part.unread);
            tree.add(part, source.before);
        }
        if depth <= 1 {
            return Nested { tree, next: Vec::new() };
        }
        // Only games with this position can reach the next position. This search reads all of them, whereas the tree by
        // the index reads only a few.
        let mut games = Vec::new();
        for (source, unread) in sources.iter().zip(&mut *unread) {
            let found = source.search.position(&PositionQuery::from(position), SearchOptions::default());
            unread.extend(found.unread);
            let numbers = found.hits.iter().map(|hit| hit.game);
            games.push(GameSet::from_numbers(source.search.archive().len(), numbers));
        }
        let narrowed: Vec<Source> = sources
            .iter()
            .zip(&games)
            .map(|(source, games)| Source { search: source.search.clone().among(games), ..*source })
            .collect();
        let next = tree.branches.iter().take(most).map(|branch| {
            let mut after = position.clone();
            after.play_unchecked(branch.m);
            (branch.m, Nested::new(&narrowed, &after, depth - 1, most, unread))
        });
        let next = next.collect();
        Nested { tree, next }
    }

    /// Returns the tree after a move.
    fn after(&self, m: Move) -> Option<&Nested> {
        self.next.iter().find(|(known, _)| *known == m).map(|(_, nested)| nested)
    }
}

/// Returns the name of the opening that a move leads to.
fn opening_after(tree: &Tree, m: Move) -> Option<&'static Opening> {
    let mut after = tree.position.clone();
    after.play_unchecked(m);
    Openings::table().get(&after)
}

/// Returns the strongest and the last game of a move, with their names, by their numbers in all archives.
fn games_of_move(args: &Args, tally: &Tally) -> Vec<(&'static str, u64)> {
    if !args.move_games {
        return Vec::new();
    }
    let strongest = tally.rated_samples().find(|(rank, _)| *rank > 0).map(|(_, game)| ("strongest", game));
    let latest = tally.latest().find(|(year, _)| *year > 0).map(|(_, game)| ("last", game));
    strongest.into_iter().chain(latest).collect()
}

/// Returns the number of the game that cannot be read, if the error names one.
fn damaged_game(error: &Error) -> Option<u64> {
    if let Error::Damaged(damage) = error { damage.game } else { None }
}

/// What is shown of a tree, and where its games are.
struct Shown<'a> {
    args: &'a Args,
    archives: &'a ArchiveSet,
    session: &'a Session,
    /// The unreadable games, by their numbers in all archives. The position index may name a game that no count has read.
    lost: RefCell<BTreeSet<u64>>,
}

impl Shown<'_> {
    /// Returns a game by its number in all archives, with its archive and its number there, or `None` if it cannot be
    /// read. Reports each unreadable game once.
    fn game(&self, number: u64) -> Result<Option<(&Archive, u64, GameSummary)>, Failure> {
        let (archive, own) = self.archives.locate(number)?;
        match archive.game(own).and_then(|game| GameSummary::from_game(&game)) {
            Ok(summary) => Ok(Some((archive, own, summary))),
            Err(error) => {
                if self.lost.borrow_mut().insert(number) {
                    self.session.unread(&archives::fault(archive, &error));
                }
                Ok(None)
            }
        }
    }

    /// Returns a line about a game: its number, players, result and date.
    fn game_line(&self, number: u64) -> Result<Option<String>, Failure> {
        let Some((archive, number, summary)) = self.game(number)? else { return Ok(None) };
        let name = archives::name_in(self.archives, archive).map_or_else(String::new, |name| format!("{name}  "));
        let (white, black) = (summary.player(Color::White), summary.player(Color::Black));
        let (result, date) = (summary.result().token(), summary.date().unwrap_or("?"));
        Ok(Some(printable(&format!("{name}{number}  {white} - {black}  {result}  {date}")).to_string()))
    }
}

/// Appends the lines of the moves; each is followed by its continuations.
fn push_lines(
    shown: &Shown,
    nested: &Nested,
    all: u64,
    (level, width): (usize, usize),
    text: &mut String,
) -> Result<(), Failure> {
    let tree = &nested.tree;
    for branch in shown.args.shown(tree, level) {
        let name = format!("{}{}", "  ".repeat(level), tree.position.san(branch.m));
        text.push_str(&line(&name, &branch.tally, all, tree.position.turn()));
        if let Some(opening) = opening_after(tree, branch.m) {
            // Replaces the line end.
            text.pop();
            let room = width.saturating_sub(LINE + 2).max(14);
            // If a name is too long, show the variation, its most useful part.
            let variation = opening.name.split_once(": ").filter(|_| opening.name.len() > room);
            let name = variation.map_or(opening.name, |(_, variation)| variation);
            text.push_str(&format!("  {}\n", shortened(name, room)));
        }
        for (what, game) in games_of_move(shown.args, &branch.tally) {
            let Some(game) = shown.game_line(game)? else { continue };
            let line = format!("{}  {what:<9}  {game}", "  ".repeat(level));
            text.push_str(&shortened(&line, width));
            text.push('\n');
        }
        if let Some(next) = nested.after(branch.m) {
            push_lines(shown, next, all, (level + 1, width), text)?;
        }
    }
    Ok(())
}

fn text(shown: &Shown, nested: &Nested, width: usize) -> Result<String, Failure> {
    let tree = &nested.tree;
    let named = Openings::table().get(&tree.position);
    let named = named.map_or_else(String::new, |opening| format!("{} {}\n", opening.eco, opening.name));
    let mut text = format!("{named}{}\n{}\n", tree.position.fen(), count(tree.tally.games(), "game", "games"));
    let titles = ["move", "games", "share", "white", "draw", "black", "rating", "perf", "last"].map(str::to_owned);
    text.push_str(&format!("\n{}  opening\n", cells(&titles)));
    push_lines(shown, nested, tree.tally.games(), (0, width), &mut text)?;
    text.push_str(&line("all", &tree.tally, tree.tally.games(), tree.position.turn()));
    let samples = tree.tally.samples().take(usize::from(shown.args.top_games));
    let samples = samples.map(|number| shown.game_line(number)).collect::<Result<Vec<_>, _>>()?;
    let lines: String = samples.into_iter().flatten().map(|line| format!("{}\n", shortened(&line, width))).collect();
    if !lines.is_empty() {
        text.push_str(&format!("\n{lines}"));
    }
    Ok(text)
}

/// The width of a line without the opening's name.
const LINE: usize = 64;

fn line(name: &str, tally: &Tally, all: u64, turn: Color) -> String {
    let games = tally.games();
    let decided = tally.white + tally.draws + tally.black;
    let percent = |part: u64, total: u64| format!("{:.1}%", 100.0 * ratio(part as f64, total as f64));
    let or_blank = |number: Option<String>| number.unwrap_or_else(|| "-".to_owned());
    let row = [
        name.to_owned(),
        thousands(games),
        percent(games, all),
        percent(tally.white, decided),
        percent(tally.draws, decided),
        percent(tally.black, decided),
        or_blank(tally.average_rating().map(|rating| rating.to_string())),
        or_blank(tally.performance(turn).map(|rating| rating.to_string())),
        or_blank(tally.last_year().map(|year| year.to_string())),
    ];
    format!("{}\n", cells(&row))
}

/// Returns the cells of a row, aligned.
fn cells([name, games, share, white, draw, black, rating, perf, last]: &[String; 9]) -> String {
    format!("{name:<10}{games:>9} {share:>6} {white:>6} {draw:>6} {black:>6} {rating:>6} {perf:>4} {last:>4}")
}

/// Returns a line of CSV for each move; the column `line` contains the moves from the position.
fn csv(args: &Args, nested: &Nested) -> String {
    let titles = ["line", "games", "white", "draws", "black", "unknown"];
    let rest = ["rating", "performance", "last_year", "eco", "opening"];
    let games: &[&str] = if args.move_games { &["strongest", "last"] } else { &[] };
    let mut text = rows::csv_line(titles.into_iter().chain(rest).chain(games.iter().copied()));
    push_csv(args, nested, "", 0, &mut text);
    text
}

/// Appends the lines of the moves after `line`.
fn push_csv(args: &Args, nested: &Nested, line: &str, level: usize, text: &mut String) {
    let tree = &nested.tree;
    for branch in args.shown(tree, level) {
        let line = format!("{line} {}", tree.position.san(branch.m)).trim_start().to_owned();
        let (tally, opening) = (&branch.tally, opening_after(tree, branch.m));
        let counts = [tally.games(), tally.white, tally.draws, tally.black, tally.unknown].map(|n| n.to_string());
        let or_empty = |number: Option<String>| number.unwrap_or_default();
        let ratings = [
            or_empty(tally.average_rating().map(|rating| rating.to_string())),
            or_empty(tally.performance(tree.position.turn()).map(|rating| rating.to_string())),
            or_empty(tally.last_year().map(|year| year.to_string())),
        ];
        let names = [opening.map_or("", |opening| opening.eco), opening.map_or("", |opening| opening.name)];
        let numbers = counts.iter().chain(&ratings).map(String::as_str);
        let games = games_of_move(args, tally);
        let game = |name: &str| {
            games.iter().find(|(known, _)| *known == name).map_or_else(String::new, |(_, game)| game.to_string())
        };
        let games: Vec<String> = if args.move_games { ["strongest", "last"].map(game).to_vec() } else { Vec::new() };
        let games = games.iter().map(String::as_str);
        text.push_str(&rows::csv_line([line.as_str()].into_iter().chain(numbers).chain(names).chain(games)));
        if let Some(next) = nested.after(branch.m) {
            push_csv(args, next, &line, level + 1, text);
        }
    }
}

fn counted(object: Object, tally: &Tally, turn: Color) -> Object {
    object
        .with("white", tally.white)
        .with("draws", tally.draws)
        .with("black", tally.black)
        .with("unknown", tally.unknown)
        .with("averageRating", tally.average_rating())
        .with("performance", tally.performance(turn))
        .with("lastYear", tally.last_year())
}

/// Returns the moves of a tree as JSON. The member `moves` of a move contains its continuations.
fn moves_json(shown: &Shown, nested: &Nested, level: usize) -> Result<Vec<Object>, Failure> {
    let (tree, args, archives) = (&nested.tree, shown.args, shown.archives);
    let mut moves = Vec::new();
    for branch in args.shown(tree, level) {
        let opening = opening_after(tree, branch.m);
        let object = Object::new()
            .with("uci", tree.position.uci(branch.m))
            .with("san", tree.position.san(branch.m))
            .with("eco", opening.map(|opening| opening.eco))
            .with("opening", opening.map(|opening| opening.name));
        // The explorer API names the game if a move has only one game.
        let only = branch.tally.samples().next().filter(|_| branch.tally.games() == 1);
        let object = counted(object, &branch.tally, tree.position.turn());
        let object = match only.map(|game| archives.locate(game)).transpose()? {
            None => object.with("game", Value::Null),
            Some((archive, number)) => archives::named(object, archives, archive).with("game", number),
        };
        let mut object = object;
        for (what, game) in games_of_move(args, &branch.tally) {
            let Some((archive, number, summary)) = shown.game(game)? else { continue };
            let player = |color| Object::new().with("name", summary.name(color)).with("rating", summary.rating(color));
            let game = archives::named(Object::new(), archives, archive)
                .with("id", number)
                .object("white", &player(Color::White))
                .object("black", &player(Color::Black))
                .with("date", summary.date());
            object = object.object(what, &game);
        }
        moves.push(match nested.after(branch.m) {
            Some(next) => object.array("moves", &moves_json(shown, next, level + 1)?),
            None => object,
        });
    }
    Ok(moves)
}

fn json(shown: &Shown, nested: &Nested) -> Result<String, Failure> {
    let tree = &nested.tree;
    let uci = |m: Move| tree.position.uci(m);
    let moves = moves_json(shown, nested, 0)?;
    let mut games = Vec::new();
    for sample in tree.tally.samples().take(usize::from(shown.args.top_games)) {
        let Some((archive, number, summary)) = shown.game(sample)? else { continue };
        let player = |color| Object::new().with("name", summary.name(color)).with("rating", summary.rating(color));
        let winner = match summary.result() {
            Outcome::WhiteWins => Value::from("white"),
            Outcome::BlackWins => Value::from("black"),
            _ => Value::Null,
        };
        let branch = tree.branches.iter().find(|branch| branch.tally.samples().any(|listed| listed == sample));
        let object = Object::new().with("uci", branch.map(|branch| uci(branch.m)));
        games.push(
            archives::named(object, shown.archives, archive)
                .with("id", number)
                .with("winner", winner)
                .object("white", &player(Color::White))
                .object("black", &player(Color::Black))
                .with("year", summary.year()),
        );
    }
    let named = Openings::table().get(&tree.position);
    let object = Object::new()
        .with("fen", tree.position.fen())
        .with("eco", named.map(|opening| opening.eco))
        .with("opening", named.map(|opening| opening.name));
    let object = counted(object, &tree.tally, tree.position.turn());
    Ok(format!("{}\n", object.array("moves", &moves).array("topGames", &games)))
}

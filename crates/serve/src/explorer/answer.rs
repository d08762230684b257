//! Creates answers in the JSON of the explorer API.

use super::request::{Kind, Request};
use super::{fide, id};
use scoresheet::Monitor;
use scoresheet::archive::GameSet;
use scoresheet::chess::{Color, Move};
use scoresheet::game::Outcome;
use scoresheet_answers::{Book, Choice, Fault, Forest, Selection, Snapshot, Stop, after, latest_games, top_games, uci};
use scoresheet_query::openings::{Opening, Openings};
use scoresheet_query::tag_columns::{Column, Key};
use scoresheet_query::{Branch, GameSummary, PositionQuery, Rules, SearchOptions, Tree, Visit, fold, value};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the answer to a request.
pub fn of(snapshot: &Snapshot, request: &Request, kind: Kind, stop: &Stop) -> Result<Value, Fault> {
    let selection = select(snapshot, request, stop)?;
    let forest =
        Forest { snapshot, only: None, selection: &selection, variant: request.variant, visit: Visit::Last, stop };
    let position = &request.line.position;
    let tree = forest.tree(position)?;
    let mut all = [0; 3];
    for branch in &tree.branches {
        all.iter_mut().zip(results(branch)).for_each(|(all, count)| *all += count);
    }
    // Games without a result are not counted, so they do not decide the order. Moves with equal numbers keep theirs.
    let counted = |branch: &Branch| results(branch).iter().sum::<u64>();
    let mut branches: Vec<&Branch> = tree.branches.iter().filter(|branch| counted(branch) > 0).collect();
    branches.sort_by_key(|branch| Reverse(counted(branch)));
    let branches = branches.into_iter().take(request.moves);
    let moves: Vec<Value> = branches.map(|branch| self::branch(snapshot, request, kind, &tree, branch)).collect();
    let mut answer = Map::new();
    add_results(&mut answer, all);
    answer.insert("moves".to_owned(), moves.into());
    let game = |(number, m): (u64, Move)| {
        let mut listed = Map::from_iter([("uci".to_owned(), uci(position, m).into())]);
        listed.extend(game(snapshot, number, kind)?);
        Some(Value::Object(listed))
    };
    let games = |games: Vec<(u64, Move)>, most| games.into_iter().filter_map(game).take(most).collect::<Vec<_>>();
    let mut found = 0;
    if kind != Kind::Player {
        let top = games(top_games(&tree, usize::MAX), request.top);
        found = if kind == Kind::Lichess { top.len() } else { 0 };
        answer.insert("topGames".to_owned(), top.into());
    }
    if kind != Kind::Masters {
        let recent = games(latest_games(&tree, usize::MAX), request.recent.saturating_sub(found));
        answer.insert("recentGames".to_owned(), recent.into());
    }
    answer.insert("opening".to_owned(), opening(request.line.opening));
    if kind == Kind::Player {
        answer.insert("queuePosition".to_owned(), 0.into());
    }
    if request.history {
        answer.insert("history".to_owned(), history(snapshot, &selection, request, stop)?);
    }
    Ok(Value::Object(answer))
}

/// Returns the games that match the request.
fn select(snapshot: &Snapshot, request: &Request, stop: &Stop) -> Result<Arc<Selection>, Fault> {
    let selection = snapshot.select(
        Choice { filter: &request.filter, rules: Some(Rules::Only(request.variant)), ..Choice::default() },
        stop,
    )?;
    if request.speeds.is_empty() && request.player.is_none() {
        return Ok(selection);
    }
    let mut sets = Vec::new();
    for (index, _, book) in snapshot.books(None)? {
        let mut set = match selection.set(index) {
            Some(set) => set.clone(),
            None => book.archive().live(),
        };
        if !request.speeds.is_empty() {
            // As in the explorer API, a game without the tag counts as a correspondence game.
            set = with_text(book, "TimeControl", &set, |text| request.is_of_speed(text.unwrap_or("-")));
        }
        if let Some((name, color)) = &request.player {
            let tag = if *color == Color::White { "White" } else { "Black" };
            set = with_text(book, tag, &set, |text| text.is_some_and(|text| same_name(text, name)));
        }
        sets.push(set);
    }
    let games = sets.iter().map(GameSet::len).sum();
    Ok(Arc::new(Selection {
        sets: Some(sets),
        order: None,
        games,
        undecided: selection.undecided,
        is_all: false,
        stated: selection.stated,
    }))
}

fn same_name(left: &str, right: &str) -> bool {
    left.eq_ignore_ascii_case(right) || fold(left) == fold(right)
}

/// Returns the games in a set with a matching text in the tag. Tests each distinct text once.
fn with_text(book: &Book, tag: &str, games: &GameSet, fits: impl Fn(Option<&str>) -> bool) -> GameSet {
    let columns = book.tags().readable(&[Key::Tag(tag.to_owned())]).0;
    let Some(column) = columns.first() else { return GameSet::new(games.games()) };
    let fits_number: Vec<bool> = verdicts(column, fits);
    let fits = |game: &u64| fits_number.get(column.get(*game) as usize).copied().unwrap_or(false);
    GameSet::from_numbers(games.games(), games.iter().filter(fits))
}

fn verdicts(column: &Arc<Column>, fits: impl Fn(Option<&str>) -> bool) -> Vec<bool> {
    let strings = column.strings();
    let count = strings.map_or(0, |strings| strings.len() as u32);
    let text = |number: u32| strings.and_then(|strings| strings.get(number)).map(String::from_utf8_lossy);
    let verdict = |number: u32| match number {
        0 => fits(None),
        number => fits(text(number).as_deref()),
    };
    (0..=count).map(verdict).collect()
}

fn results(branch: &Branch) -> [u64; 3] {
    [branch.tally.white, branch.tally.draws, branch.tally.black]
}

fn add_results(object: &mut Map<String, Value>, counts: [u64; 3]) {
    for (name, count) in ["white", "draws", "black"].into_iter().zip(counts) {
        object.insert(name.to_owned(), count.into());
    }
}

/// Returns a move and its results as JSON.
fn branch(snapshot: &Snapshot, request: &Request, kind: Kind, tree: &Tree, branch: &Branch) -> Value {
    let position = &tree.position;
    let mut object = Map::new();
    object.insert("uci".to_owned(), uci(position, branch.m).into());
    object.insert("san".to_owned(), position.san(branch.m).into());
    match &request.player {
        Some((_, color)) => {
            // The player's result is shown, even if the player is not the side to move.
            let score = branch.tally.score(*color);
            let mean = branch.tally.average_rating_of(color.other());
            object.insert("averageOpponentRating".to_owned(), mean.unwrap_or(0).into());
            let performance = fide::performance(score.games, score.opponents, score.half_points);
            object.insert("performance".to_owned(), performance.unwrap_or(0).into());
        }
        None => {
            let mean = branch.tally.average_rating_of(position.turn());
            object.insert("averageRating".to_owned(), mean.unwrap_or(0).into());
        }
    }
    add_results(&mut object, results(branch));
    let is_only = results(branch).iter().sum::<u64>() == 1;
    let only = branch.tally.samples().filter(|_| is_only).find_map(|number| game(snapshot, number, kind));
    object.insert("game".to_owned(), only.map_or(Value::Null, Value::Object));
    object.insert("opening".to_owned(), opening(Openings::table().get(&after(position, branch.m))));
    Value::Object(object)
}

/// Returns a game, or `None` if it is unreadable or has no result, because the API would report a draw. A missing tag
/// becomes 0 if the API allows only a number.
fn game(snapshot: &Snapshot, number: u64, kind: Kind) -> Option<Map<String, Value>> {
    let (book, _, game) = snapshot.locate(number).ok()?;
    let summary = book.summary(game).ok().filter(|summary| summary.result() != Outcome::Unknown)?;
    let player = |color| json!({"name": summary.name(color), "rating": summary.rating(color).unwrap_or(0)});
    let winner = match summary.result() {
        Outcome::WhiteWins => Some("white"),
        Outcome::BlackWins => Some("black"),
        _ => None,
    };
    let mut game = Map::new();
    game.insert("id".to_owned(), id::name(number).into());
    game.insert("winner".to_owned(), winner.into());
    if kind != Kind::Masters {
        // Lichess names its events in this form.
        let is_casual = summary.tag("Event").unwrap_or_default().to_ascii_lowercase().contains("casual");
        game.insert("speed".to_owned(), summary.speed().into());
        game.insert("mode".to_owned(), if is_casual { "casual" } else { "rated" }.into());
    }
    game.insert("white".to_owned(), player(Color::White));
    game.insert("black".to_owned(), player(Color::Black));
    game.insert("year".to_owned(), summary.year().unwrap_or(0).into());
    game.insert("month".to_owned(), month(&summary).into());
    Some(game)
}

/// Returns the month in which a game was played, as `2016-12`.
fn month(summary: &GameSummary) -> Option<String> {
    let [year, month, _] = value::date(summary.date()?.as_bytes())?;
    (month > 0).then(|| format!("{year}-{month:02}"))
}

fn opening(opening: Option<&Opening>) -> Value {
    opening.map_or(Value::Null, |opening| json!({"eco": opening.eco, "name": opening.name}))
}

/// Returns the number of games that continue from the position, for each month.
fn history(snapshot: &Snapshot, selection: &Selection, request: &Request, stop: &Stop) -> Result<Value, Fault> {
    let monitor = Monitor::new().stop(stop.flag());
    let query = PositionQuery::from(&request.line.position);
    let mut months: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    for (index, _, book) in snapshot.books(None)? {
        let search = book.search().monitored(&monitor).among(selection.set(index));
        let found = search.position(&query, SearchOptions { all_plies: true, ..SearchOptions::default() });
        for hits in found.hits.chunk_by(|left, right| left.game == right.game) {
            let Some(last) = hits.last() else { continue };
            let summary = book.summary(last.game)?;
            let Some(month) = month(&summary).filter(|_| summary.plies > last.ply) else { continue };
            let outcome_index = match summary.result() {
                Outcome::WhiteWins => 0,
                Outcome::Draw => 1,
                Outcome::BlackWins => 2,
                Outcome::Unknown => continue,
            };
            months.entry(month).or_default()[outcome_index] += 1;
        }
        if stop.is_set() {
            return Err(Fault::stopped());
        }
    }
    let month = |(month, counts): (String, [u64; 3])| {
        let mut object = Map::new();
        object.insert("month".to_owned(), month.into());
        add_results(&mut object, counts);
        Value::Object(object)
    };
    Ok(months.into_iter().map(month).collect())
}

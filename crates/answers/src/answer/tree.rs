//! The resource `tree`: the moves played in a position, transpositions, games that end in the position, best and latest
//! games.

use crate::fault::Fault;
use crate::order::by_numbers;
use crate::params::Params;
use crate::snapshot::{Selection, Snapshot};
use crate::stop::Stop;
use crate::trees::{Forest, after, latest_games, top_games};
use scoresheet::chess::{Color, Move, Position, Variant};
use scoresheet_query::openings::Opening;
use scoresheet_query::{Tally, Tree, Visit, value};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;

/// The maximum and default number of listed games.
const GAMES: usize = 15;
const LISTED: usize = 8;

pub fn tree(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let line = params.line()?;
    let only = params.archive()?;
    let most = params.number("games", LISTED)?.min(GAMES);
    let selection = snapshot.select(params.choice()?, stop)?;
    let visit = if params.switch("last")? { Visit::Last } else { Visit::First };
    let forest = Forest { snapshot, only, selection: &selection, variant: params.variant()?, visit, stop };
    let position = &line.position;
    let tree = forest.tree(position)?;
    let mut moves = Vec::new();
    for branch in &tree.branches {
        let mut json = Map::new();
        json.insert("uci".to_owned(), position.uci(branch.m).into());
        json.insert("san".to_owned(), position.san(branch.m).into());
        counted(&mut json, &branch.tally, position.turn());
        let only = branch.tally.samples().next().filter(|_| branch.tally.games() == 1);
        json.insert("game".to_owned(), only.into());
        json.insert("opening".to_owned(), opening(crate::params::opening(&after(position, branch.m))));
        moves.push(Value::Object(json));
    }
    let mut json = Map::new();
    json.insert("fen".to_owned(), position.fen().into());
    json.insert("opening".to_owned(), opening(line.opening));
    counted(&mut json, &tree.tally, position.turn());
    json.insert("moves".to_owned(), moves.into());
    let [white, draws, black, unknown] = tree.ended();
    let games = white + draws + black + unknown;
    json.insert(
        "ended".to_owned(),
        json!({"games": games, "white": white, "draws": draws, "black": black, "unknown": unknown}),
    );
    if params.switch("transpositions")? {
        json.insert("transpositions".to_owned(), transpositions(&forest, position, &tree, &selection)?);
    }
    // An index may name a game that no count has read.
    let mut unread: Vec<String> = tree.unread.iter().map(ToString::to_string).collect();
    let mut listed = |games| listed(snapshot, position, games, &mut unread);
    json.insert("top_games".to_owned(), listed(top_games(&tree, most))?.into());
    let mut latest = listed(latest_games(&tree, most.min(8)))?;
    // Without tag columns, a tree knows only the years.
    latest.sort_by_cached_key(|game| Reverse(game["date"].as_str().and_then(|date| value::day(date.as_bytes()))));
    json.insert("latest_games".to_owned(), latest.into());
    json.insert("left_out".to_owned(), snapshot.left_out(only, &selection)?.into());
    json.insert("undecided".to_owned(), selection.undecided.into());
    unread.truncate(20);
    json.insert("unread".to_owned(), unread.into());
    json.insert("is_indexed".to_owned(), snapshot.is_indexed().into());
    Ok(Value::Object(json))
}

/// Returns the legal moves that were never played in the position and reach a position of other games. Requires the
/// position index; without this index, the answer is `null`.
fn transpositions(
    forest: &Forest<'_>,
    position: &Position,
    tree: &Tree,
    selection: &Selection,
) -> Result<Value, Fault> {
    let mut found = Vec::new();
    let mut add = |m: Move, tally: &Tally, next: &Position| {
        let mut json = Map::new();
        json.insert("uci".to_owned(), position.uci(m).into());
        json.insert("san".to_owned(), position.san(m).into());
        counted(&mut json, tally, position.turn());
        json.insert("opening".to_owned(), opening(crate::params::opening(next)));
        found.push((tally.games(), json));
    };
    let books = forest.snapshot.all();
    match books.iter().map(|book| book.site()).collect::<Option<Vec<_>>>().as_deref() {
        // A site contains only one archive.
        Some([site]) if selection.is_all => {
            let Some(known) = site.transpositions(position)? else { return Ok(Value::Null) };
            known.iter().for_each(|branch| add(branch.m, &branch.tally, &after(position, branch.m)));
        }
        Some([_, ..]) => return Ok(Value::Null),
        _ if !forest.snapshot.is_indexed() || selection.games == 0 || forest.variant != Variant::Chess => {
            return Ok(Value::Null);
        }
        _ => {
            for m in position.legal_moves() {
                if tree.branches.iter().any(|branch| branch.m == m) {
                    continue;
                }
                let next = after(position, m);
                let tally = forest.tree(&next)?.tally;
                if tally.games() > 0 {
                    add(m, &tally, &next);
                }
            }
        }
    }
    let found = by_numbers(found, |(games, _)| (u64::MAX - games, 0));
    Ok(found.into_iter().map(|(_, json)| Value::Object(json)).collect())
}

/// Adds counts, ratings of the side to move, and the last year.
fn counted(json: &mut Map<String, Value>, tally: &Tally, turn: Color) {
    let counts = [
        ("games", tally.games()),
        ("white", tally.white),
        ("draws", tally.draws),
        ("black", tally.black),
        ("unknown", tally.unknown),
    ];
    json.extend(counts.map(|(name, count)| (name.to_owned(), count.into())));
    json.insert("rating".to_owned(), tally.average_rating_of(turn).into());
    json.insert("average_rating".to_owned(), tally.average_rating().into());
    json.insert("performance".to_owned(), tally.performance(turn).into());
    json.insert("last_year".to_owned(), tally.last_year().into());
}

fn opening(opening: Option<&Opening>) -> Value {
    opening.map_or(Value::Null, |opening| json!({"eco": opening.eco, "name": opening.name}))
}

fn listed(
    snapshot: &Snapshot,
    position: &Position,
    games: Vec<(u64, Move)>,
    unread: &mut Vec<String>,
) -> Result<Vec<Value>, Fault> {
    let mut list = Vec::new();
    for (number, m) in games {
        let (book, _, game) = snapshot.locate(number)?;
        let mut json = match book.row(game, number) {
            Err(fault) if fault.code == "damaged" => {
                if !unread.contains(&fault.message) {
                    unread.push(fault.message);
                }
                continue;
            }
            row => row?,
        };
        json.insert("uci".to_owned(), position.uci(m).into());
        json.insert("san".to_owned(), position.san(m).into());
        list.push(Value::Object(json));
    }
    Ok(list)
}

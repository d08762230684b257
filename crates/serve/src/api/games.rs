//! `games`: a list of games, page by page.

use super::{answer, by_position, by_tags};
use crate::App;
use crate::fault::Fault;
use crate::games::Heading;
use crate::params::Params;
use crate::shelf::Snapshot;
use crate::work::{Cost, Stop};
use axum::extract::{RawQuery, State};
use axum::response::Response;
use scoresheet::archive::GameSet;
use scoresheet::chess::Position;
use scoresheet::query::{PositionQuery, SearchOptions};
use serde_json::{Map, Value, json};

/// Games to a page at most, and where nothing is said.
const MOST: usize = 500;
const PAGE: usize = 50;

pub async fn games(State(app): State<App>, query: RawQuery) -> Result<Response, Fault> {
    let text = query.0.clone().unwrap_or_default();
    let asks = |name: &str| text.split('&').any(|pair| pair.starts_with(name));
    let (at, sorted) = (asks("fen=") || asks("play="), asks("sort="));
    let cost = move |snapshot: &Snapshot| match (at, sorted) {
        (true, _) => by_position(snapshot),
        (_, true) => by_tags(snapshot),
        _ if asks("where=") => by_tags(snapshot),
        _ => Cost::Quick,
    };
    answer(app, query, cost, |snapshot, params, stop| page(snapshot, params, stop)).await
}

/// Returns the position that games have to reach, if one is given.
pub fn wanted(params: &Params) -> Result<Option<Position>, Fault> {
    match params.get("fen").or(params.get("play")) {
        None => Ok(None),
        Some(_) => Ok(Some(params.line()?.position)),
    }
}

fn page(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let limit = params.number("limit", PAGE)?.min(MOST);
    let offset = match params.get("after") {
        None => params.number("offset", 0u64)?,
        Some(cursor) => offset(cursor, snapshot.version)?,
    };
    let at = wanted(params)?;
    let sort = params.get("sort").unwrap_or_default();
    let selection = snapshot.select_at(params.archive()?, params.filter()?, sort, at.as_ref(), stop)?;
    let numbers = selection.page(snapshot, offset, limit);
    let mut games = Vec::with_capacity(numbers.len());
    for number in &numbers {
        let (book, _, own) = snapshot.locate(*number)?;
        games.push(match Heading::of(book, own) {
            Ok(heading) => heading.json(*number),
            // One damaged game is no reason to show none of the others.
            Err(fault) => {
                Map::from_iter([("game".to_owned(), (*number).into()), ("error".to_owned(), fault.message.into())])
            }
        });
    }
    if let Some(position) = &at {
        add_plies(snapshot, &numbers, position, &mut games)?;
    }
    let end = offset.saturating_add(numbers.len() as u64);
    let next = (end < selection.games && !numbers.is_empty()).then(|| cursor(end, snapshot.version));
    Ok(json!({
        "total": selection.games,
        "offset": offset,
        "undecided": selection.undecided,
        "games": games,
        "next": next,
    }))
}

/// Adds the first ply at which each game has the position.
fn add_plies(
    snapshot: &Snapshot,
    numbers: &[u64],
    position: &Position,
    games: &mut [Map<String, Value>],
) -> Result<(), Fault> {
    let query = PositionQuery::from(position);
    for (_, before, book) in snapshot.books(None)? {
        let length = book.archive().len();
        let own = numbers.iter().filter(|number| (before + 1..=before + length).contains(number));
        let own = GameSet::of(length, own.map(|number| number - before));
        if own.is_empty() {
            continue;
        }
        for hit in book.search().among(&own).position(&query, SearchOptions::default()).hits {
            let place = numbers.iter().position(|number| *number == before + hit.game);
            if let Some(game) = place.and_then(|place| games.get_mut(place)) {
                game.insert("ply".to_owned(), hit.ply.into());
            }
        }
    }
    Ok(())
}

/// A place in a list, as a client hands it back: it is good for the archives at one state.
fn cursor(offset: u64, version: u64) -> String {
    format!("{offset:x}.{version:x}")
}

fn offset(cursor: &str, version: u64) -> Result<u64, Fault> {
    let wrong = || Fault::bad("after: not a cursor that a list has given");
    let (offset, state) = cursor.split_once('.').ok_or_else(wrong)?;
    let [offset, state] = [offset, state].map(|text| u64::from_str_radix(text, 16));
    match (offset, state) {
        (Ok(offset), Ok(state)) if state == version => Ok(offset),
        (Ok(_), Ok(_)) => Err(Fault::new(
            axum::http::StatusCode::GONE,
            "changed",
            "the archives have changed since the list began; begin it again",
        )),
        _ => Err(wrong()),
    }
}

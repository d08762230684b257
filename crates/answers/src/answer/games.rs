//! The resource `games`: a list of games, page by page.

use crate::book::Book;
use crate::fault::Fault;
use crate::params::Params;
use crate::site::SiteFile;
use crate::snapshot::{Choice, Snapshot};
use crate::stop::Stop;
use scoresheet::archive::GameSet;
use scoresheet::chess::Position;
use scoresheet_query::{PositionQuery, SearchOptions, reason};
use serde_json::{Map, Value, json};

/// The maximum and default number of games per page.
const MOST: usize = 500;
const PAGE: usize = 50;

/// Returns the position that games must reach, if any.
pub fn requested_position(params: &Params) -> Result<Option<Position>, Fault> {
    match params.get("fen").or(params.get("play")) {
        None => Ok(None),
        Some(_) => Ok(Some(params.line()?.position)),
    }
}

pub fn page(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let limit = params.number("limit", PAGE)?.min(MOST);
    let offset = match params.get("after") {
        None => params.number("offset", 0u64)?,
        Some(cursor) => offset(cursor, snapshot.version)?,
    };
    let at = requested_position(params)?;
    let sort = params.get("sort").unwrap_or_default();
    if let (Some(position), [book]) = (&at, snapshot.all())
        && let Some(site) = book.site()
        && params.is_of_all()?
        && sort.trim().is_empty()
    {
        return page_of_site(snapshot, book, site, position, offset, limit);
    }
    let selection = snapshot.select(Choice { sort, at: at.as_ref(), ..params.choice_of_all_rules()? }, stop)?;
    let numbers = selection.page(snapshot, offset, limit);
    let mut games = Vec::with_capacity(numbers.len());
    for number in &numbers {
        let (book, _, game) = snapshot.locate(*number)?;
        games.push(row(book, game, *number));
    }
    if let Some(position) = &at {
        add_plies(snapshot, &numbers, position, &mut games)?;
    }
    Ok(listed(snapshot, (selection.games, selection.undecided), offset, games))
}

/// Returns games that reach a position, as listed in the site file. Only the shown part of a long list is read.
fn page_of_site(
    snapshot: &Snapshot,
    book: &Book,
    site: &SiteFile,
    position: &Position,
    offset: u64,
    limit: usize,
) -> Result<Value, Fault> {
    let (total, games) = site.games_at(position, offset, limit as u64)?;
    let row = |(game, ply): (u64, u32)| {
        let mut row = row(book, game, game);
        row.insert("ply".to_owned(), ply.into());
        row
    };
    Ok(listed(snapshot, (total, 0), offset, games.into_iter().map(row).collect()))
}

/// Returns the row of a list for a game. The row of a damaged game reports the damage, so the other games still appear.
pub fn row(book: &Book, game: u64, number: u64) -> Map<String, Value> {
    match book.row(game, number) {
        Ok(row) => row,
        Err(fault) => Map::from_iter([("game".to_owned(), number.into()), ("error".to_owned(), fault.message.into())]),
    }
}

fn listed(snapshot: &Snapshot, (total, undecided): (u64, u64), offset: u64, games: Vec<Map<String, Value>>) -> Value {
    let end = offset.saturating_add(games.len() as u64);
    let next = (end < total && !games.is_empty()).then(|| cursor(end, snapshot.version));
    json!({"total": total, "offset": offset, "undecided": undecided, "games": games, "next": next})
}

/// Adds the first ply at which each game reaches the position.
fn add_plies(
    snapshot: &Snapshot,
    numbers: &[u64],
    position: &Position,
    games: &mut [Map<String, Value>],
) -> Result<(), Fault> {
    let query = PositionQuery::from(position);
    for (_, before, book) in snapshot.books(None)? {
        let length = book.archive().len();
        let games_here = numbers.iter().filter(|number| (before + 1..=before + length).contains(number));
        let games_here = GameSet::from_numbers(length, games_here.map(|number| number - before));
        if games_here.is_empty() {
            continue;
        }
        for hit in book.search().among(&games_here).position(&query, SearchOptions::default()).hits {
            let index = numbers.iter().position(|number| *number == before + hit.game);
            if let Some(game) = index.and_then(|index| games.get_mut(index)) {
                game.insert("ply".to_owned(), hit.ply.into());
            }
        }
    }
    Ok(())
}

/// Returns a cursor for the next page. The cursor is valid for only one state of the archives.
fn cursor(offset: u64, version: u64) -> String {
    format!("{offset:x}.{version:x}")
}

fn offset(cursor: &str, version: u64) -> Result<u64, Fault> {
    let wrong = || Fault::bad(reason!("cursor", "after: not a cursor from a list of games"));
    let (offset, state) = cursor.split_once('.').ok_or_else(wrong)?;
    let [offset, state] = [offset, state].map(|text| u64::from_str_radix(text, 16));
    match (offset, state) {
        (Ok(offset), Ok(state)) if state == version => Ok(offset),
        (Ok(_), Ok(_)) => Err(Fault::new(
            http::StatusCode::GONE,
            "changed",
            reason!("changed", "the archives have changed since the list began; start it again"),
        )),
        _ => Err(wrong()),
    }
}

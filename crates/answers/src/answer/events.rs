//! The resource `events`: the tournaments of the archives, latest first, with dates, games and players.

use crate::answer::stats::without_unread;
use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::{Choice, Snapshot};
use crate::stop::Stop;
use scoresheet::archive::GameSet;
use scoresheet_query::fold;
use scoresheet_query::tag_columns::{Column, Key};
use scoresheet_query::value::{is_known, year};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// The maximum number of games of an event; an event with more games is not a tournament.
pub const GAMES: u64 = 20_000;
/// The maximum and default number of events in an answer.
const MOST: usize = 500;
const LISTED: usize = 100;
/// The maximum number of ranges of games that a site file stores for an event.
const RANGES: usize = 64;

/// An event. Names that differ only in case or accents denote the same event, as in filters.
#[derive(Default)]
struct Event {
    /// The most frequent spelling of the event's name, and the number of games with this spelling.
    name: String,
    spelled: u64,
    games: u64,
    /// The first and the last date of the event, as written.
    from: Option<String>,
    until: Option<String>,
    /// The numbers that represent the event in the columns of the archives.
    numbers: Vec<(usize, u32)>,
}

/// A source of events: the games of an archive and their columns.
struct Source {
    games: GameSet,
    columns: Vec<Arc<Column>>,
    before: u64,
}

/// The columns of a source, in this order.
const COLUMNS: [&str; 5] = ["Event", "Date", "UTCDate", "White", "Black"];

pub fn events(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let limit = params.number("limit", LISTED)?.min(MOST);
    let offset = params.number("offset", 0usize)?;
    if let [book] = snapshot.all()
        && let Some(site) = book.site()
        && params.is_of_all()?
        && let Some(mut kept) = site.events()?
    {
        let total = kept["total"].as_u64().unwrap_or(0) as usize;
        let all = kept["events"].as_array_mut().map(std::mem::take).unwrap_or_default();
        if offset + limit <= all.len() || all.len() == total {
            let page = all.into_iter().skip(offset).take(limit).map(|mut event| {
                event.as_object_mut().map(|event| event.remove("ranges"));
                event
            });
            kept["events"] = page.collect();
            return Ok(kept);
        }
    }
    snapshot.require_complete()?;
    let choice = params.choice()?;
    let count = || list(snapshot, choice, (offset, limit), false, stop);
    match params.is_of_all()? && choice.only.is_none() && (offset, limit) == (0, LISTED) {
        // Every visit of the start page repeats this request.
        true => snapshot.first_events(count),
        false => count(),
    }
}

/// Returns the latest events of an archive for its site file, each with the ranges of its games.
///
/// Errors: the request was stopped.
pub fn of_site(snapshot: &Snapshot, stop: &Stop) -> Result<Value, Fault> {
    list(snapshot, Choice::default(), (0, MOST), true, stop)
}

/// Returns `limit` events after the first `offset` events.
fn list(
    snapshot: &Snapshot,
    choice: Choice<'_>,
    (offset, limit): (usize, usize),
    has_ranges: bool,
    stop: &Stop,
) -> Result<Value, Fault> {
    let selection = snapshot.select(choice, stop)?;
    let keys = COLUMNS.map(|name| Key::Tag(name.to_owned()));
    let (mut sources, mut unread) = (Vec::new(), 0);
    for (index, before, book) in snapshot.books(choice.only)? {
        let mut games = selection.set(index).cloned().unwrap_or_else(|| book.archive().live());
        unread += without_unread(book, &mut games, &keys);
        sources.push(Source { games, columns: book.tags().readable(&keys).0, before });
    }
    let mut found = HashMap::new();
    for (index, source) in sources.iter().enumerate() {
        if stop.is_set() {
            return Err(Fault::stopped());
        }
        source.count(index, &mut found);
    }
    let mut all: Vec<Event> = found.into_values().filter(|event| event.games <= GAMES).collect();
    all.sort_unstable_by(|left, right| {
        (&right.until, &right.from, right.games)
            .cmp(&(&left.until, &left.from, left.games))
            .then_with(|| left.name.cmp(&right.name))
    });
    let total = all.len();
    let page: Vec<Event> = all.into_iter().skip(offset).take(limit).collect();
    let (entrants, ranges) = played_in(&page, &sources, has_ranges, stop)?;
    let events = page.into_iter().zip(entrants).zip(ranges).map(|((event, entrants), ranges)| {
        let mut json = Map::new();
        json.insert("event".to_owned(), event.name.into());
        json.insert("games".to_owned(), event.games.into());
        json.insert("from".to_owned(), event.from.into());
        json.insert("until".to_owned(), event.until.into());
        json.insert("entrants".to_owned(), entrants.into());
        if has_ranges && ranges.len() <= RANGES {
            json.insert("ranges".to_owned(), json!(ranges));
        }
        Value::Object(json)
    });
    Ok(json!({
        "events": events.collect::<Vec<_>>(), "total": total, "undecided": selection.undecided, "unread": unread,
    }))
}

impl Source {
    /// Adds the events of the games in the source at an index.
    fn count(&self, index: usize, found: &mut HashMap<String, Event>) {
        let [event, date, utc, ..] = self.columns.as_slice() else { return };
        let has_year =
            |column: &Column, number: u32| text(column, number).and_then(|text| year(text.as_bytes())).is_some();
        let years = [date, utc].map(|column| -> Vec<bool> {
            (0..numbers(column) as u32).map(|number| has_year(column, number)).collect()
        });
        // For each event, collect its games and the first and last number of each date column. Numbers ascend with the
        // texts that they represent.
        let mut counts: Vec<(u64, [Span; 2])> = vec![(0, [None; 2]); numbers(event)];
        for game in self.games.iter() {
            let Some((games, spans)) = counts.get_mut(event.get(game) as usize) else { continue };
            *games += 1;
            let numbers = [date.get(game), utc.get(game)];
            let has = |column: usize| years[column].get(numbers[column] as usize) == Some(&true);
            if let Some(column) = [0, 1].into_iter().find(|column| has(*column)) {
                let number = numbers[column];
                let span = spans[column].get_or_insert((number, number));
                *span = (span.0.min(number), span.1.max(number));
            }
        }
        for (number, (games, spans)) in (0..).zip(counts).filter(|(_, (games, _))| *games > 0) {
            let Some(name) = text(event, number).filter(|name| is_known(name.as_bytes())) else { continue };
            let listed = found.entry(fold(&name)).or_default();
            listed.games += games;
            if (games, &listed.name) > (listed.spelled, &name) {
                (listed.name, listed.spelled) = (name, games);
            }
            listed.numbers.push((index, number));
            for ((first, last), column) in
                spans.iter().zip([date, utc]).filter_map(|(span, column)| Some(((*span)?, column)))
            {
                listed.from = text(column, first).into_iter().chain(listed.from.take()).min();
                listed.until = text(column, last).max(listed.until.take());
            }
        }
    }
}

/// The smallest and the greatest number of a column.
type Span = Option<(u32, u32)>;

/// Returns the number of different numbers in a column: one for each string, and 0 for games without a string.
fn numbers(column: &Column) -> usize {
    column.strings().map_or(0, |strings| strings.len()) + 1
}

/// Returns string `number` of a column.
fn text(column: &Column, number: u32) -> Option<String> {
    column.strings()?.get(number).map(|text| String::from_utf8_lossy(text).into_owned())
}

/// For each event, the number of players and the ranges of its games.
type Played = (Vec<u64>, Vec<Vec<[u64; 2]>>);

/// Returns the number of players of each event, and the ranges of its games if requested.
fn played_in(page: &[Event], sources: &[Source], has_ranges: bool, stop: &Stop) -> Result<Played, Fault> {
    let mut names = HashMap::<String, u32>::new();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut ranges: Vec<Vec<[u64; 2]>> = page.iter().map(|_| Vec::new()).collect();
    for (index, source) in sources.iter().enumerate() {
        if stop.is_set() {
            return Err(Fault::stopped());
        }
        let [event, _, _, players @ ..] = source.columns.as_slice() else { continue };
        // The index of each event on the page by its number in the column.
        let mut rows = vec![u32::MAX; numbers(event)];
        for (row, listed) in (0u32..).zip(page) {
            for (_, number) in listed.numbers.iter().filter(|(archive, _)| *archive == index) {
                rows[*number as usize] = row;
            }
        }
        // Assigns a number to each name, across all archives.
        let mut known = [const { Vec::<u32>::new() }; 2];
        for (known, column) in known.iter_mut().zip(players) {
            known.resize(numbers(column), u32::MAX);
        }
        for game in source.games.iter() {
            let Some(row) = rows.get(event.get(game) as usize).filter(|row| **row != u32::MAX) else { continue };
            for (known, column) in known.iter_mut().zip(players) {
                let number = column.get(game);
                let Some(name_number) = known.get_mut(number as usize) else { continue };
                if *name_number == u32::MAX {
                    let name = text(column, number).filter(|name| is_known(name.as_bytes()));
                    let next = names.len() as u32;
                    *name_number = *names.entry(name.unwrap_or_else(|| "?".to_owned())).or_insert(next);
                }
                pairs.push((*row, *name_number));
            }
            if has_ranges {
                let (number, ranges) = (source.before + game, &mut ranges[*row as usize]);
                // A single range above the limit shows that there are too many ranges.
                let is_full = ranges.len() > RANGES;
                match ranges.last_mut() {
                    Some([_, last]) if *last + 1 == number => *last = number,
                    _ if is_full => {}
                    _ => ranges.push([number, number]),
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut entrants = vec![0; page.len()];
    pairs.iter().for_each(|(at, _)| entrants[*at as usize] += 1);
    Ok((entrants, ranges))
}

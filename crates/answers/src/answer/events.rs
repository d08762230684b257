//! The resource `events`: the tournaments of the archives, latest first, with dates, games and players.

use crate::answer::stats::without_unread;
use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::{Choice, Snapshot};
use crate::stop::Stop;
use scoresheet::archive::GameSet;
use scoresheet_query::report::editions::{DateColumns, Edition, GameDates, editions, is_tournament};
use scoresheet_query::tag_columns::{Column, Key};
use scoresheet_query::value::is_known;
use scoresheet_query::{Rules, fold};
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

/// The games of an event's name. Names that differ only in case or accents denote the same event, as in filters.
#[derive(Default)]
struct Name {
    /// The most frequent spelling, and the number of games with this spelling.
    text: String,
    spelled: u64,
    /// The numbers that represent the name in the columns of the archives.
    numbers: Vec<(usize, u32)>,
    /// The number of games for each combination of dates.
    dates: HashMap<GameDates, u64>,
}

/// An edition of an event.
struct Event {
    /// The index of the name.
    name: usize,
    edition: Edition,
    /// The dates of its games.
    dates: Vec<GameDates>,
}

/// A source of events: the games of an archive and their columns.
struct Source {
    games: GameSet,
    columns: Vec<Arc<Column>>,
    dates: DateColumns,
    before: u64,
}

/// The columns of a source in addition to its dates, in this order.
const COLUMNS: [&str; 3] = ["Event", "White", "Black"];

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
                if let Some(event) = event.as_object_mut() {
                    event.retain(|member, _| !["ranges", "editions"].contains(&member.as_str()));
                }
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

/// Returns the latest events of an archive for its site file, each with the ranges of its games and the number of
/// editions of its name.
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
    let selection = snapshot.select(Choice { rules: Some(Rules::Any), ..choice }, stop)?;
    let keys = COLUMNS.map(|name| Key::Tag(name.to_owned()));
    let (mut sources, mut unread) = (Vec::new(), 0);
    for (index, before, book) in snapshot.books(choice.only)? {
        let mut games = selection.set(index).cloned().unwrap_or_else(|| book.archive().live());
        // An unreadable EventDate alone hides no game.
        let needed = [&keys[..], &DateColumns::keys()[..2]].concat();
        unread += without_unread(book, &mut games, &needed);
        let (dates, _) = DateColumns::new(book.tags());
        sources.push(Source { games, columns: book.tags().readable(&keys).0, dates, before });
    }
    let mut found = HashMap::new();
    for (index, source) in sources.iter().enumerate() {
        if stop.is_set() {
            return Err(Fault::stopped());
        }
        source.count(index, &mut found);
    }
    let names: Vec<Name> = found.into_values().filter(|name| is_tournament(&name.text)).collect();
    let all = names.iter().enumerate().flat_map(|(index, name)| name.editions(index));
    let mut all: Vec<Event> = all.filter(|event| event.edition.games <= GAMES).collect();
    let name_of = |event: &Event| names[event.name].text.as_str();
    all.sort_unstable_by(|left, right| {
        let key = |event: &Event| {
            let (from, until) = event.edition.dates.clone().unzip();
            (until, from, event.edition.games)
        };
        key(right).cmp(&key(left)).then_with(|| name_of(left).cmp(name_of(right)))
    });
    let total = all.len();
    // The number of editions of each name shows whether a site file stores all of them.
    let mut editions_of = HashMap::<usize, u64>::new();
    all.iter().for_each(|event| *editions_of.entry(event.name).or_default() += 1);
    let page: Vec<Event> = all.into_iter().skip(offset).take(limit).collect();
    let (entrants, ranges) = played_in(&page, &names, &sources, has_ranges, stop)?;
    let events = page.iter().zip(entrants).zip(ranges).map(|((event, entrants), ranges)| {
        let (from, until) = event.edition.dates.clone().unzip();
        let mut json = Map::new();
        json.insert("event".to_owned(), name_of(event).into());
        json.insert("year".to_owned(), event.edition.year.clone().into());
        json.insert("games".to_owned(), event.edition.games.into());
        json.insert("from".to_owned(), from.into());
        json.insert("until".to_owned(), until.into());
        json.insert("entrants".to_owned(), entrants.into());
        if has_ranges && ranges.len() <= RANGES {
            json.insert("ranges".to_owned(), json!(ranges));
            json.insert("editions".to_owned(), editions_of.get(&event.name).copied().unwrap_or(0).into());
        }
        Value::Object(json)
    });
    Ok(json!({
        "events": events.collect::<Vec<_>>(), "total": total, "undecided": selection.undecided, "unread": unread,
    }))
}

impl Name {
    /// Returns the editions of the name at an index.
    fn editions(&self, index: usize) -> Vec<Event> {
        let dates: Vec<(GameDates, u64)> = self.dates.iter().map(|(dates, games)| (*dates, *games)).collect();
        let (found, of_dates) = editions(&dates);
        let mut all: Vec<Event> =
            found.into_iter().map(|edition| Event { name: index, edition, dates: Vec::new() }).collect();
        dates.iter().zip(of_dates).for_each(|((dates, _), edition)| all[edition].dates.push(*dates));
        all
    }
}

impl Source {
    /// Adds the names of the games in the source at an index.
    fn count(&self, index: usize, found: &mut HashMap<String, Name>) {
        let [event, ..] = self.columns.as_slice() else { return };
        let mut counts: HashMap<(u32, GameDates), u64> = HashMap::new();
        // Games of an event often follow each other, which saves most lookups.
        let (mut last, mut run) = ((0, GameDates::default()), 0);
        for game in self.games.iter() {
            let key = (event.get(game), self.dates.get(game));
            if key != last {
                *counts.entry(last).or_default() += run;
                (last, run) = (key, 0);
            }
            run += 1;
        }
        *counts.entry(last).or_default() += run;
        let mut of_number: Vec<Vec<(GameDates, u64)>> = vec![Vec::new(); numbers(event)];
        for ((number, dates), games) in counts.into_iter().filter(|(_, games)| *games > 0) {
            if let Some(all) = of_number.get_mut(number as usize) {
                all.push((dates, games));
            }
        }
        for (number, dates) in (0..).zip(of_number).filter(|(_, dates)| !dates.is_empty()) {
            let Some(text) = text(event, number).filter(|text| is_known(text.as_bytes())) else { continue };
            let games = dates.iter().map(|(_, games)| games).sum();
            let name = found.entry(fold(&text)).or_default();
            if (games, &name.text) > (name.spelled, &text) {
                (name.text, name.spelled) = (text, games);
            }
            name.numbers.push((index, number));
            dates.into_iter().for_each(|(dates, games)| *name.dates.entry(dates).or_default() += games);
        }
    }
}

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
fn played_in(
    page: &[Event],
    all_names: &[Name],
    sources: &[Source],
    has_ranges: bool,
    stop: &Stop,
) -> Result<Played, Fault> {
    let mut names = HashMap::<String, u32>::new();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut ranges: Vec<Vec<[u64; 2]>> = page.iter().map(|_| Vec::new()).collect();
    // The rows of each name on the page, by the dates of games.
    let mut rows_of = HashMap::<usize, HashMap<GameDates, u32>>::new();
    for (row, event) in (0u32..).zip(page) {
        let rows = rows_of.entry(event.name).or_default();
        rows.extend(event.dates.iter().map(|dates| (*dates, row)));
    }
    for (index, source) in sources.iter().enumerate() {
        if stop.is_set() {
            return Err(Fault::stopped());
        }
        let [event, players @ ..] = source.columns.as_slice() else { continue };
        // The rows of each name on the page by its number in the column.
        let mut by_number: Vec<Option<&HashMap<GameDates, u32>>> = vec![None; numbers(event)];
        for (name, rows) in &rows_of {
            for (_, number) in all_names[*name].numbers.iter().filter(|(archive, _)| *archive == index) {
                by_number[*number as usize] = Some(rows);
            }
        }
        // Assigns a number to each name, across all archives.
        let mut known = [const { Vec::<u32>::new() }; 2];
        for (known, column) in known.iter_mut().zip(players) {
            known.resize(numbers(column), u32::MAX);
        }
        for game in source.games.iter() {
            let Some(Some(rows)) = by_number.get(event.get(game) as usize) else { continue };
            let Some(row) = rows.get(&source.dates.get(game)) else { continue };
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

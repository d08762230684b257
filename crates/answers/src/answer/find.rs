//! The resource `find` streams the games with a position or pattern. The resource `cost` estimates the cost of such a
//! search.

use super::games::requested_position;
use super::{Answer, Flow};
use crate::book::Book;
use crate::fault::Fault;
use crate::params::Params;
use crate::site::SiteFile;
use crate::snapshot::{Choice, Snapshot};
use crate::stop::Stop;
use scoresheet::Monitor;
use scoresheet::archive::GameSet;
use scoresheet::chess::{Position, Variant};
use scoresheet_query::games::Plan;
use scoresheet_query::pattern::{Condition, Pattern};
use scoresheet_query::tag_columns::Unread;
use scoresheet_query::{Cost, Hit, Query, Rules, SearchOptions, reason};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The maximum and default number of listed games.
const MOST: u64 = 100_000;
const FOUND: u64 = 1000;
/// The time limit of a streamed search, in multiples of the deadline. The client sees the progress, and can disconnect.
const DEADLINES: u32 = 60;

/// A requested search.
#[derive(Debug)]
pub struct FindRequest {
    query: Query,
    only: Option<usize>,
    /// The number of listed games; all games are counted. `None` lists all.
    listed: Option<u64>,
    /// The query without its filter, and the filter, with which the client can repeat the request for the games found.
    again: Option<(String, String)>,
    /// The positions, if only first plies of main lines are requested. A site file answers such requests.
    by_site: Option<Vec<Position>>,
}

/// Returns the cost of a search by position, or by a pattern without a position.
pub fn cost(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let position = requested_position(params)?;
    let query = match (&position, params.question()?) {
        (Some(position), _) => Query::from(position),
        // A pattern replays all games.
        (None, "") => Query::from(Pattern::lasting(Condition::default(), 1)),
        (None, question) => question.parse().map_err(|fault| Fault::query("find", &fault))?,
    };
    // This selection uses only the filter; the query does not affect it.
    let selection = snapshot.select(Choice { question: "", ..params.choice_of_all_rules()? }, stop)?;
    let mut plan = Plan { with: "position index", ..Plan::default() };
    let mut measured = 0.0;
    for (index, _, book) in snapshot.books(params.archive()?)? {
        if let (Some(site), Some(position), true) = (book.site(), &position, selection.is_all) {
            plan.add(Cost { games: site.count(position)?, replayed: false, with: "position index" });
            continue;
        }
        let cost = query.cost(book.search().among(selection.set(index)));
        if cost.replayed && !book.is_lean() {
            measured += by_sample(&query, book, selection.set(index));
        }
        plan.add(cost);
    }
    let Plan { games, replayed, with, seconds, .. } = plan;
    let seconds = seconds.max(measured);
    let advice = (replayed && games > 1_000_000).then_some("scoresheet index ARCHIVE --positions --signatures");
    let mut json = json!({"games": games, "replayed": replayed, "with": with, "seconds": seconds, "advice": advice});
    // Bytes that must be fetched first.
    if let Some(bytes) =
        snapshot.require_complete().err().filter(|_| replayed).and_then(|fault| fault.more.get("bytes").cloned())
    {
        json["bytes"] = bytes;
    }
    Ok(json)
}

/// The sample of games that the time estimate examines. The sample consists of runs of adjacent games, because a read
/// of one game also reads its neighbors.
#[cfg(not(target_family = "wasm"))]
const RUNS: u64 = 16;
#[cfg(not(target_family = "wasm"))]
const RUN: u64 = 128;

/// Returns the estimated time in seconds to examine all games of an archive, from a sample on this machine. The times
/// of patterns differ by a factor of 50, and the load of machines varies.
#[cfg(not(target_family = "wasm"))]
fn by_sample(query: &Query, book: &Book, games: Option<&GameSet>) -> f64 {
    let live;
    let games = match games {
        Some(games) => games,
        None => {
            live = book.archive().live();
            &live
        }
    };
    let all = games.len();
    let apart = (all / RUNS).max(1);
    let is_in_run = |(index, _): &(u64, u64)| index % apart < RUN;
    let sample =
        GameSet::from_numbers(book.archive().len(), (0..).zip(games.iter()).filter(is_in_run).map(|(_, game)| game));
    let began = std::time::Instant::now();
    query.clone().in_archive(book.indexed(), Some(&sample), None);
    began.elapsed().as_secs_f64() * all as f64 / sample.len().max(1) as f64
}

/// Returns 0, because the reader in a browser has no clock for measurements.
#[cfg(target_family = "wasm")]
fn by_sample(_: &Query, _: &Book, _: Option<&GameSet>) -> f64 {
    0.0
}

/// Parses the request for a search by position.
pub fn by_position(params: &Params) -> Result<FindRequest, Fault> {
    let position = requested_position(params)?
        .ok_or_else(|| Fault::bad(reason!("position", "fen or play: expected a position")))?;
    let reach = SearchOptions {
        all_plies: params.switch("all_plies")?,
        variations: params.switch("variations")?,
        principal_variations: params.switch("in_pv")?,
    };
    let either_color = params.switch("either_color")?;
    let mut positions = vec![position.clone()];
    if either_color {
        positions.push(position.colors_swapped());
    }
    let listed = params.get("listed").map(|_| params.number("listed", 0)).transpose()?;
    let limit = listed.is_none().then_some(params.number("limit", FOUND)?.min(MOST));
    let mut query = Query::from(&position).either_color(either_color).reach(reach).limit(limit);
    let filter = params.filter()?;
    if !filter.trim().is_empty() {
        query = query.filter(filter.parse().map_err(|fault| Fault::query("where", &fault))?);
    }
    let variant = params.variant()?;
    if params.get("variant").is_some() {
        query = query.rules(Rules::Only(variant));
    }
    let is_of_chess = query.stated_rules().is_none_or(|rules| rules == Rules::Only(Variant::Chess));
    let by_site = (reach == SearchOptions::default() && is_of_chess).then_some(positions);
    Ok(FindRequest { query, only: params.archive()?, listed, again: None, by_site })
}

/// Parses a query in JSON. Its member `archive` limits the search to the archive with this number.
pub fn by_question(body: &[u8]) -> Result<FindRequest, Fault> {
    let body = std::str::from_utf8(body).map_err(|_| Fault::bad(reason!("body_utf8", "the body is not UTF-8")))?;
    let (mut only, mut listed, mut again) = (None, None, None);
    let mut text = body.to_owned();
    if let Ok(Value::Object(mut fields)) = serde_json::from_str(body) {
        let members = fields.len();
        let mut number = |name: &str| match fields.remove(name).unwrap_or_default() {
            Value::Null => Ok(None),
            value => value
                .as_u64()
                .map(Some)
                .ok_or_else(|| Fault::bad(reason!("whole_number", "{name}: expected a whole number", name = name))),
        };
        only = number("archive")?.map(|archive| usize::try_from(archive).unwrap_or(usize::MAX));
        listed = number("listed")?;
        // If no member was removed, faults refer to positions in the original text.
        if fields.len() < members {
            text = Value::Object(fields.clone()).to_string();
        }
        let filter = fields.remove("where").and_then(|filter| filter.as_str().map(str::to_owned)).unwrap_or_default();
        fields.remove("limit");
        let is_plain = !["sort", "games"].iter().any(|name| fields.contains_key(*name));
        again = (is_plain && !fields.is_empty()).then(|| (Value::Object(fields).to_string(), filter));
    }
    let query: Query = text.parse().map_err(|fault| Fault::query("the question", &fault))?;
    // The games that a search skips belong to other pages of the same list.
    let again = again.filter(|_| query.get_offset() == 0);
    let limit = listed.is_none().then(|| query.get_limit().unwrap_or(FOUND).min(MOST));
    Ok(FindRequest { query: query.limit(limit), only, listed, again, by_site: None })
}

/// Streams a line of JSON for each game found, progress lines, and a final line.
pub fn find(snapshot: &Arc<Snapshot>, request: &Arc<FindRequest>) -> Result<Answer, Fault> {
    snapshot.books(request.only)?;
    if request.by_site.is_none() || request.query.get_filter().is_some() {
        snapshot.require_complete()?;
        snapshot.require_index(&request.query, request.only)?;
    }
    let (snapshot, request) = (Arc::clone(snapshot), Arc::clone(request));
    let pieces = move |flow: &mut Flow<'_>| {
        if let Err(fault) = search(&snapshot, &request, flow) {
            (flow.push)(line(&fault.json()));
        }
    };
    Ok(Answer::Pieces { kind: "application/x-ndjson", name: None, deadlines: DEADLINES, pieces: Box::new(pieces) })
}

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

fn search(snapshot: &Snapshot, request: &FindRequest, flow: &mut Flow<'_>) -> Result<(), Fault> {
    if let Some(positions) = &request.by_site
        && let [book] = snapshot.all()
        && let Some(site) = book.site()
    {
        return by_site(snapshot, book, site, positions, request, flow);
    }
    let set = snapshot.set(request.only)?;
    let monitor = Monitor::new().stop(flow.stop.flag());
    let mut hits = request.query.run_monitored(&set, &monitor);
    let of = flow.run(|| hits.candidates()).ok_or_else(Fault::internal)??;
    let (mut found, mut numbers) = (0, Vec::new());
    loop {
        let batch = flow.run(|| hits.next_batch()).ok_or_else(Fault::internal)?;
        if flow.stop.is_set() {
            return Ok(());
        }
        let Some(batch) = batch? else { break };
        for found_game in batch {
            found += 1;
            if request.again.is_some() {
                numbers.push(found_game.number);
            }
            if request.listed.is_some_and(|most| found > most) {
                continue;
            }
            if !(flow.push)(line(&hit(snapshot, found_game.number, &found_game.hits))) {
                return Ok(());
            }
        }
        if !(flow.push)(progress(hits.searched(), of, found)) {
            return Ok(());
        }
    }
    let unread: u64 = hits.unread().iter().map(|(_, unread)| unread.count()).sum();
    let (searched, is_all) = (hits.searched(), hits.is_complete());
    if let Some((question, filter)) = request.again.as_ref().filter(|_| is_all && unread == 0) {
        let choice = Choice { only: request.only, filter, question, rules: Some(Rules::Any), ..Choice::default() };
        snapshot.remember(choice, &numbers)?;
    }
    (flow.push)(done(searched, of, found, unread, is_all));
    Ok(())
}

/// Returns the games from the site file, which lists all games of a position.
fn by_site(
    snapshot: &Snapshot,
    book: &Book,
    site: &SiteFile,
    positions: &[Position],
    request: &FindRequest,
    flow: &mut Flow<'_>,
) -> Result<(), Fault> {
    let mut games = Vec::new();
    for position in positions {
        games.extend(site.all_games(position)?);
    }
    games.sort_unstable();
    games.dedup_by_key(|(game, _)| *game);
    let archive = book.archive();
    let (mut of, mut unread) = (archive.len() - archive.deleted_count(), 0);
    if request.query.get_filter().is_some() {
        let passed = request.query.clone().no_board().in_archive(book.indexed(), None, None);
        games.retain(|(game, _)| passed.games.contains(*game));
        of = passed.games.len();
        unread = passed.unread.iter().map(Unread::count).sum();
    }
    let all = games.len() as u64;
    // With `listed`, all games are counted.
    let listed = request.listed.or(request.query.get_limit()).unwrap_or(FOUND);
    let found = if request.listed.is_some() { all } else { all.min(listed) };
    games.truncate(usize::try_from(listed).unwrap_or(usize::MAX));
    for (game, ply) in &games {
        if !(flow.push)(line(&hit(snapshot, *game, &[Hit::new(*game, *ply)]))) {
            return Ok(());
        }
    }
    (flow.push)(progress(of, of, found));
    (flow.push)(done(of, of, found, unread, found == all));
    Ok(())
}

/// Returns a progress line.
fn progress(searched: u64, of: u64, found: u64) -> Vec<u8> {
    line(&json!({"progress": {"searched": searched, "of": of, "found": found}}))
}

/// Returns the final line of a search's answer.
fn done(searched: u64, of: u64, found: u64, unread: u64, is_all: bool) -> Vec<u8> {
    line(&json!({"done": {"found": found, "searched": searched, "of": of, "unread": unread, "complete": is_all}}))
}

/// Returns the line that reports a game, with its matching plies.
fn hit(snapshot: &Snapshot, number: u64, hits: &[Hit]) -> Value {
    let row = snapshot.locate(number).and_then(|(book, _, game)| book.row(game, number));
    let mut row = row.unwrap_or_else(|fault| {
        Map::from_iter([("game".to_owned(), number.into()), ("error".to_owned(), fault.message.into())])
    });
    row.insert("ply".to_owned(), hits.first().map(|hit| hit.ply).into());
    row.insert("plies_found".to_owned(), hits.iter().map(|hit| hit.ply).collect());
    if hits.iter().any(|hit| hit.pv.is_some()) {
        row.insert("pv_depths".to_owned(), hits.iter().map(|hit| hit.pv).collect::<Vec<_>>().into());
    }
    json!({ "hit": row })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read() {
        assert!(
            by_question(json!({"material": "KRPkr", "plies": 4, "either_color": true}).to_string().as_bytes()).is_ok()
        );
        assert!(
            by_question(
                json!({"query": {"sequence": [{"white-move": "O-O"}, {"black-move": "O-O-O"}]}}).to_string().as_bytes()
            )
            .is_ok()
        );
        let wrong = [
            json!([]),
            json!({"material": 3}),
            json!({"material": "KX"}),
            json!({"board": "9"}),
            json!({"end": "draw"}),
            json!({"query": {"nonsense": 1}}),
            json!({"odd": 1}),
            json!({"material": "KRPkr", "plies": "x"}),
        ];
        for body in wrong {
            let fault = by_question(body.to_string().as_bytes()).err();
            assert_eq!(fault.map(|fault| fault.status.as_u16()), Some(400), "{body}");
        }
    }
}

//! `find`: games by position or pattern, as they are found; and `cost`: what that would take.

use super::games::wanted;
use super::{Answer, Flow};
use crate::book::Book;
use crate::fault::Fault;
use crate::order::by_numbers;
use crate::params::{Params, WHERE};
use crate::snapshot::{Choice, Snapshot};
use crate::stop::Stop;
use scoresheet::Monitor;
use scoresheet::archive::GameSet;
use scoresheet::chess::{Color, Position};
use scoresheet::query::pattern::{
    BoardPattern, Condition, Ending, Imbalance, Material, MoveRule, Pattern, json as scoutfish,
};
use scoresheet::query::{Hit, PositionQuery, QueryFault, SearchOptions, SearchResult};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Games that are searched before the client hears of it.
const WINDOW: u64 = 1 << 14;
/// Games found at most, and where nothing is said.
const MOST: u64 = 100_000;
const FOUND: u64 = 1000;
/// Deadlines that a search may take which streams: the client sees how far it is, and can go.
const DEADLINES: u32 = 60;

/// What a search looks for.
#[derive(Debug)]
enum Wanted {
    /// One position, or it and the one with colours exchanged.
    Position(Vec<Position>, SearchOptions),
    Pattern(Pattern, bool),
}

/// A search as a client asks for it.
#[derive(Debug)]
pub struct Asked {
    wanted: Wanted,
    filter: String,
    only: Option<usize>,
    limit: u64,
}

/// What a search by position, or by a pattern where none is given, would cost.
pub fn cost(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let position = wanted(params)?;
    let query = position.as_ref().map(PositionQuery::from);
    let selection = snapshot.select(params.choice()?, stop)?;
    let (mut games, mut replayed, mut with) = (0, false, "position index");
    for (place, _, book) in snapshot.books(params.archive()?)? {
        if let (Some(site), Some(position), true) = (book.site(), &position, selection.is_all) {
            games += site.count(position)?;
            continue;
        }
        let search = book.search();
        let cost = match selection.set(place) {
            Some(set) => search.among(set).cost(query.as_ref()),
            None => search.cost(query.as_ref()),
        };
        games += cost.games;
        if cost.replayed {
            (replayed, with) = (true, cost.with);
        }
    }
    // A game is replayed in some 0.7 us on one core; a place of the index is looked at in a fraction of that.
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let seconds = games as f64 * if replayed { 1e-6 } else { 2e-7 } / cores;
    let advice = (replayed && games > 1_000_000).then_some("scoresheet index ARCHIVE --positions --signatures");
    let mut json = json!({"games": games, "replayed": replayed, "with": with, "seconds": seconds, "advice": advice});
    // What has to be fetched before.
    if let Some(bytes) =
        snapshot.needs_whole().err().filter(|_| replayed).and_then(|fault| fault.more.get("bytes").cloned())
    {
        json["bytes"] = bytes;
    }
    Ok(json)
}

/// Reads a search by position.
pub fn by_position(params: &Params) -> Result<Asked, Fault> {
    let position = wanted(params)?.ok_or_else(|| Fault::bad("fen or play: a position is wanted"))?;
    let options = SearchOptions { all_plies: params.switch("all_plies")?, variations: params.switch("variations")? };
    let mut positions = vec![position.clone()];
    if params.switch("either_color")? {
        positions.push(position.colors_swapped());
    }
    Ok(Asked {
        wanted: Wanted::Position(positions, options),
        filter: params.filter()?.to_owned(),
        only: params.archive()?,
        limit: params.number("limit", FOUND)?.min(MOST),
    })
}

/// Reads a search by pattern.
pub fn by_pattern(body: &[u8]) -> Result<Asked, Fault> {
    let body: Value =
        serde_json::from_slice(body).map_err(|error| Fault::bad(format!("the body is not JSON: {error}")))?;
    read(&body)
}

/// Reads a pattern: the options of `scoresheet find`, or Scoutfish's JSON as `query`.
fn read(body: &Value) -> Result<Asked, Fault> {
    let fields = body.as_object().ok_or_else(|| Fault::bad("the body: an object is wanted"))?;
    const KNOWN: [&str; 16] = [
        "query",
        "board",
        "pawns",
        "material",
        "imbalance",
        "white_move",
        "black_move",
        "moved",
        "captured",
        "end",
        "plies",
        "either_color",
        "where",
        "archive",
        "limit",
        "all_plies",
    ];
    if let Some(unknown) = fields.keys().find(|name| !KNOWN.contains(&name.as_str())) {
        return Err(Fault::bad(format!("'{unknown}' is no member; there are {}", KNOWN.join(", "))));
    }
    let text = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.len() <= WHERE => Ok(Some(text.as_str())),
        Some(_) => Err(Fault::bad(format!("{name}: a text of at most {WHERE} bytes is wanted"))),
    };
    let number = |name: &str, default: u64| match fields.get(name) {
        None | Some(Value::Null) => Ok(default),
        Some(value) => value.as_u64().ok_or_else(|| Fault::bad(format!("{name}: a whole number is wanted"))),
    };
    let switch = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(value) => value.as_bool().ok_or_else(|| Fault::bad(format!("{name}: true or false is wanted"))),
    };
    fn part<T>(
        name: &str,
        text: Option<&str>,
        parse: impl Fn(&str) -> Result<T, QueryFault>,
    ) -> Result<Option<T>, Fault> {
        text.map(|text| parse(text).map_err(|fault| Fault::query(name, &fault))).transpose()
    }
    let mut limit = number("limit", FOUND)?.min(MOST);
    let pattern = match fields.get("query") {
        None | Some(Value::Null) => {
            let mut condition = Condition::default();
            condition.boards.extend(part("board", text("board")?, BoardPattern::parse)?);
            condition.pawns.extend(part("pawns", text("pawns")?, BoardPattern::parse_pawns)?);
            condition.materials.extend(part("material", text("material")?, Material::parse)?);
            condition.imbalances.extend(part("imbalance", text("imbalance")?, Imbalance::parse)?);
            let rule = |color| move |text: &str| MoveRule::parse(text, color);
            condition.moves.extend(part("white_move", text("white_move")?, rule(Color::White))?);
            condition.moves.extend(part("black_move", text("black_move")?, rule(Color::Black))?);
            condition.moved = part("moved", text("moved")?, scoutfish::parse_roles)?;
            condition.captured = part("captured", text("captured")?, scoutfish::parse_roles)?;
            condition.ending = match text("end")? {
                None => None,
                Some("mate") => Some(Ending::Mate),
                Some("stalemate") => Some(Ending::Stalemate),
                Some(_) => return Err(Fault::bad("end: mate or stalemate is wanted")),
            };
            if condition == Condition::default() {
                return Err(Fault::bad("a pattern is wanted: board, pawns, material, imbalance, a move, or query"));
            }
            Pattern::lasting(condition, number("plies", 1)?.clamp(1, 1000) as usize)
        }
        Some(query) => {
            let text = query.to_string();
            let read = scoutfish::parse(&text).map_err(|fault| Fault::query("query", &fault))?;
            limit = read.limit.unwrap_or(limit).min(MOST);
            read.pattern
        }
    };
    let only = fields.get("archive").filter(|value| !value.is_null()).map(|_| number("archive", 0)).transpose()?;
    Ok(Asked {
        wanted: Wanted::Pattern(pattern, switch("either_color")?),
        filter: text("where")?.unwrap_or_default().to_owned(),
        only: only.map(|number| number as usize),
        limit,
    })
}

/// Answers with a line of JSON for each game found, lines that say how far the search is, and one at the end.
pub fn find(snapshot: &Arc<Snapshot>, asked: &Arc<Asked>) -> Result<Answer, Fault> {
    // What is wrong with the filter is said before the answer begins.
    if !asked.filter.is_empty() {
        scoresheet::Filter::parse(&asked.filter).map_err(|fault| Fault::query("where", &fault))?;
    }
    snapshot.books(asked.only)?;
    // The site file has first plies of main lines alone.
    let by_site = matches!(&asked.wanted, Wanted::Position(_, options) if *options == SearchOptions::default());
    if !by_site || !asked.filter.trim().is_empty() {
        snapshot.needs_whole()?;
    }
    let (snapshot, asked) = (Arc::clone(snapshot), Arc::clone(asked));
    let pieces = move |flow: &mut Flow<'_>| {
        if let Err(fault) = search(&snapshot, &asked, flow) {
            (flow.push)(line(&fault.json()));
        }
    };
    Ok(Answer::Pieces { kind: "application/x-ndjson", name: None, deadlines: DEADLINES, pieces: Box::new(pieces) })
}

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

fn search(snapshot: &Snapshot, asked: &Asked, flow: &mut Flow<'_>) -> Result<(), Fault> {
    let choice = Choice { only: asked.only, filter: &asked.filter, ..Choice::default() };
    let selection = flow.run(|| snapshot.select(choice, flow.stop)).ok_or_else(Fault::internal)??;
    let (mut found, mut searched, mut unread, mut is_all) = (0, 0, selection.undecided, true);
    for (place, before, book) in snapshot.books(asked.only)? {
        let games = book.archive().len();
        let all = || GameSet::all(games);
        let among = selection.set(place).cloned().unwrap_or_else(all);
        // By the index all games are found at once.
        let at_once = matches!(&asked.wanted, Wanted::Position(_, options) if book.has_index() && !options.variations);
        let window = if at_once { games.max(1) } else { WINDOW };
        let mut first = 1;
        while first <= games {
            let last = (first + window - 1).min(games);
            let own = if first == 1 && last == games {
                among.clone()
            } else {
                GameSet::of(games, (first..=last).filter(|game| among.contains(*game)))
            };
            let stop = flow.stop;
            let result = flow.run(|| in_window(book, asked, &own, stop)).ok_or_else(Fault::internal)??;
            if flow.stop.is_set() {
                return Ok(());
            }
            searched += own.len();
            unread += result.unread.len() as u64;
            for hits in result.hits.chunk_by(|one, other| one.game == other.game) {
                let Some(hit) = hits.first() else { continue };
                if found == asked.limit {
                    is_all = false;
                    break;
                }
                found += 1;
                let number = before + hit.game;
                let mut json = book.heading(hit.game).map_or_else(
                    |fault| {
                        Map::from_iter([("game".to_owned(), number.into()), ("error".to_owned(), fault.message.into())])
                    },
                    |heading| heading.json(number),
                );
                json.insert("ply".to_owned(), hit.ply.into());
                json.insert("plies_found".to_owned(), hits.iter().map(|hit| hit.ply).collect::<Vec<_>>().into());
                if !(flow.push)(line(&json!({ "hit": json }))) {
                    return Ok(());
                }
            }
            let progress = json!({"progress": {"searched": searched, "of": selection.games, "found": found}});
            if !(flow.push)(line(&progress)) {
                return Ok(());
            }
            if found == asked.limit {
                break;
            }
            first = last + 1;
        }
        if found == asked.limit {
            break;
        }
    }
    let is_all = is_all && (found < asked.limit || searched == selection.games);
    (flow.push)(line(
        &json!({"done": {"found": found, "searched": searched, "of": selection.games, "unread": unread, "complete": is_all}}),
    ));
    Ok(())
}

fn in_window(book: &Book, asked: &Asked, games: &GameSet, stop: &Stop) -> Result<SearchResult, Fault> {
    let monitor = Monitor::new().stop(stop.flag());
    let search = book.search().among(games).monitored(&monitor);
    Ok(match &asked.wanted {
        Wanted::Position(positions, options) => {
            let mut found = SearchResult::default();
            for position in positions {
                match book.site().filter(|_| *options == SearchOptions::default()) {
                    Some(site) => {
                        let hits = site.all_games(position)?.into_iter().filter(|(game, _)| games.contains(*game));
                        found.hits.extend(hits.map(|(game, ply)| Hit { game, ply, variation: false }));
                    }
                    None => {
                        let own = search.position(&PositionQuery::from(position), *options);
                        found.hits.extend(own.hits);
                        found.unread.extend(own.unread);
                    }
                }
            }
            found.hits = by_numbers(found.hits, |hit| (hit.game, hit.ply.into()));
            found
        }
        Wanted::Pattern(pattern, either) => search.pattern(pattern, *either, false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read() {
        assert!(read(&json!({"material": "KRPkr", "plies": 4, "either_color": true})).is_ok());
        assert!(read(&json!({"query": {"sequence": [{"white-move": "O-O"}, {"black-move": "O-O-O"}]}})).is_ok());
        let wrong = [
            json!([]),
            json!({}),
            json!({"material": 3}),
            json!({"material": "KX"}),
            json!({"board": "9"}),
            json!({"end": "draw"}),
            json!({"query": {"nonsense": 1}}),
            json!({"odd": 1}),
            json!({"material": "KRPkr", "plies": "x"}),
        ];
        for body in wrong {
            assert_eq!(read(&body).err().map(|fault| fault.status.as_u16()), Some(400), "{body}");
        }
    }
}

//! The resource `event`: the standings and the cross table of a tournament.

use crate::answer::events::GAMES;
use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::{Choice, Snapshot};
use crate::stop::Stop;
use scoresheet::chess::Color;
use scoresheet_query::filter::Relation;
use scoresheet_query::{Filter, fold};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// The maximum number of players in the standings and in a cross table.
const PLAYERS: usize = 500;
const CROSSED: usize = 24;

/// A player of the event. Points are stored in half-points.
#[derive(Default)]
struct Entrant {
    name: String,
    rating: Option<u32>,
    halves: u64,
    counts: [u64; 4],
    /// The player's games: the index of the opponent in the list, the half-points if the game has a result, and the
    /// game.
    games: Vec<(usize, Option<u64>, u64)>,
}

pub fn event(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let name = params.get("name").ok_or_else(|| Fault::bad("name: expected the name of an event"))?;
    let mut filter = Filter::condition("event", Relation::Is, name).map_err(|fault| Fault::query("name", &fault))?;
    if !params.filter()?.trim().is_empty() {
        let more = Filter::parse(params.filter()?).map_err(|fault| Fault::query("where", &fault))?;
        filter = filter & more;
    }
    let filter = filter.to_string();
    if let [book] = snapshot.all()
        && let Some(site) = book.site()
        && params.is_of_all()?
        && let Some(games) = site.events()?.and_then(|kept| stored_games(&kept, name))
    {
        return standings_of(snapshot, name, &games, 0);
    }
    let choice = Choice { only: params.archive()?, filter: &filter, question: params.question()?, ..Choice::default() };
    let selection = snapshot.select(choice, stop)?;
    if selection.games > GAMES {
        return Err(Fault::bad(format!("the event has {} games; a tournament has at most {GAMES}", selection.games)));
    }
    standings_of(snapshot, name, &selection.page(snapshot, 0, GAMES as usize), selection.undecided)
}

/// Returns the numbers of an event's games from the list of a site file; `None` if the list does not contain the event
/// or its games.
fn stored_games(kept: &Value, name: &str) -> Option<Vec<u64>> {
    let is_named = |event: &&Value| event["event"].as_str().is_some_and(|known| fold(known) == fold(name));
    let event = kept["events"].as_array()?.iter().find(is_named)?;
    let range = |range: &Value| Some(range[0].as_u64()?..=range[1].as_u64()?);
    let ranges: Option<Vec<RangeInclusive<u64>>> = event["ranges"].as_array()?.iter().map(range).collect();
    let games: Vec<u64> = ranges?.into_iter().flatten().take(GAMES as usize).collect();
    (event["games"] == games.len() as u64).then_some(games)
}

/// Returns the standings of these games, and the number of games that could not be tested.
fn standings_of(snapshot: &Snapshot, name: &str, games: &[u64], undecided: u64) -> Result<Value, Fault> {
    let (mut indices, mut all) = (HashMap::<String, usize>::new(), Vec::<Entrant>::new());
    let (mut dates, mut unread) = (Vec::new(), 0);
    for number in games.iter().copied() {
        let (book, _, game) = snapshot.locate(number)?;
        let Ok(game) = book.summary(game) else {
            unread += 1;
            continue;
        };
        dates.extend(game.date().map(str::to_owned));
        let result = game.result();
        let sides = Color::BOTH.map(|color| {
            let name = game.name(color).to_owned();
            let index = *indices.entry(name.clone()).or_insert_with(|| {
                all.push(Entrant { name, ..Entrant::default() });
                all.len() - 1
            });
            all[index].rating = game.rating(color).or(all[index].rating);
            index
        });
        for color in Color::BOTH {
            let (entrant, halves) = (&mut all[sides[color.index()]], result.half_points(color));
            entrant.halves += halves.unwrap_or(0);
            entrant.counts[halves.map_or(3, |halves| 2 - halves as usize)] += 1;
            entrant.games.push((sides[color.other().index()], halves, number));
        }
    }
    Ok(standings(name, games.len() as u64, (dates, undecided, unread), &all))
}

/// Returns the players in the order of points, then of Sonneborn-Berger scores, and the cross table if it is small
/// enough.
fn standings(name: &str, games: u64, (dates, undecided, unread): (Vec<String>, u64, u64), all: &[Entrant]) -> Value {
    // In quarter points: a product of two numbers of half-points.
    let tie = |entrant: &Entrant| -> u64 {
        entrant.games.iter().map(|(opponent, halves, _)| halves.unwrap_or(0) * all[*opponent].halves).sum()
    };
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|left, right| {
        let key = |index: usize| (all[index].halves, tie(&all[index]));
        key(*right).cmp(&key(*left)).then_with(|| all[*left].name.cmp(&all[*right].name))
    });
    let players = order.iter().take(PLAYERS).map(|index| {
        let entrant = &all[*index];
        let [won, drawn, lost, open] = entrant.counts;
        let against = |opponent: &usize| -> Vec<Value> {
            let games = entrant.games.iter().filter(|(index, ..)| index == opponent);
            games.map(|(_, halves, game)| json!({"game": game, "points": halves.map(|halves| halves as f64 / 2.0)})).collect()
        };
        let results: Vec<Vec<Value>> = match all.len() <= CROSSED {
            true => order.iter().map(against).collect(),
            false => Vec::new(),
        };
        json!({
            "name": entrant.name, "rating": entrant.rating, "games": won + drawn + lost + open, "won": won, "drawn": drawn, "lost": lost,
            "points": entrant.halves as f64 / 2.0, "sonneborn_berger": tie(entrant) as f64 / 4.0, "results": results,
        })
    });
    json!({
        "event": name,
        "games": games,
        "from": dates.iter().min(),
        "until": dates.iter().max(),
        "entrants": all.len(),
        "players": players.collect::<Vec<_>>(),
        "undecided": undecided,
        "unread": unread,
    })
}

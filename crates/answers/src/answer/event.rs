//! The resource `event`: the standings and the cross table of a tournament.

use crate::answer::events::GAMES;
use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::{Choice, Snapshot};
use crate::stop::Stop;
use scoresheet_query::filter::Relation;
use scoresheet_query::report::points::Points;
use scoresheet_query::report::standings::Standings;
use scoresheet_query::{Filter, fold};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

/// The maximum number of players in the standings.
const PLAYERS: usize = 500;

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

/// Returns the standings of these games, and the cross table if it is small enough. `undecided` is the number of games
/// that could not be tested.
fn standings_of(snapshot: &Snapshot, name: &str, games: &[u64], undecided: u64) -> Result<Value, Fault> {
    let mut summaries = Vec::with_capacity(games.len());
    for number in games.iter().copied() {
        let (book, _, game) = snapshot.locate(number)?;
        summaries.extend(book.summary(game).ok().map(|summary| (number, summary)));
    }
    let unread = games.len() - summaries.len();
    let standings = Standings::new(summaries);
    let all = &standings.players;
    let players = all.iter().take(PLAYERS).map(|player| {
        let against = |opponent: usize| -> Vec<Value> {
            player.against(opponent).map(|game| json!({"game": game.game, "points": game.halves.map(|halves| halves as f64 / 2.0)})).collect()
        };
        let results: Vec<Vec<Value>> = (0..standings.crossed()).map(against).collect();
        let Points { games, won, drawn, lost, .. } = player.points;
        json!({
            "name": player.name, "rating": player.rating, "games": games, "won": won, "drawn": drawn, "lost": lost,
            "points": player.halves as f64 / 2.0, "sonneborn_berger": player.sonneborn_berger as f64 / 4.0, "results": results,
        })
    });
    let (from, until) = standings.dates.clone().unzip();
    Ok(json!({
        "event": name,
        "games": games.len(),
        "from": from,
        "until": until,
        "entrants": all.len(),
        "players": players.collect::<Vec<_>>(),
        "undecided": undecided,
        "unread": unread,
    }))
}

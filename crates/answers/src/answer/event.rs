//! The resource `event`: the editions of a tournament, and the standings and the cross table of one or all of them.

use crate::answer::events::GAMES;
use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::{Choice, Selection, Snapshot};
use crate::stop::Stop;
use scoresheet::chess::Color;
use scoresheet::game::Outcome;
use scoresheet_query::filter::Relation;
use scoresheet_query::report::editions::{DateColumns, Edition, GameDates, editions, is_tournament, named};
use scoresheet_query::report::points::Points;
use scoresheet_query::report::standings::Standings;
use scoresheet_query::{Filter, GameSummary, Rules, fold, reason};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::ops::RangeInclusive;

/// The maximum number of players in the standings.
const PLAYERS: usize = 500;

pub fn event(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let name =
        params.get("name").ok_or_else(|| Fault::bad(reason!("event_name", "name: expected the name of an event")))?;
    let mut filter = Filter::condition("event", Relation::Is, name).map_err(|fault| Fault::query("name", &fault))?;
    if !params.filter()?.trim().is_empty() {
        let more = Filter::parse(params.filter()?).map_err(|fault| Fault::query("where", &fault))?;
        filter = filter & more;
    }
    let filter = filter.to_string();
    let year = params.get("year");
    if let [book] = snapshot.all()
        && let Some(site) = book.site()
        && params.is_of_all()?
        && let Some((all, games)) = site.events()?.and_then(|kept| stored_games(&kept, name, year))
    {
        return standings_of(snapshot, name, (&all, &games), year, 0);
    }
    let choice = Choice {
        only: params.archive()?,
        filter: &filter,
        question: params.question()?,
        rules: Some(Rules::Any),
        ..Choice::default()
    };
    let selection = snapshot.select(choice, stop)?;
    let (all, of_games) = editions_of(snapshot, choice.only, &selection)?;
    let chosen = chosen(&all, year);
    let games: Vec<u64> =
        of_games.into_iter().filter(|(_, edition)| chosen.contains(edition)).map(|(number, _)| number).collect();
    if games.len() as u64 > GAMES {
        return Err(Fault::bad(reason!(
            "event_games",
            "the event has {games} games; a tournament has at most {most}",
            games = games.len(),
            most = GAMES
        )));
    }
    standings_of(snapshot, name, (&all, &games), year, selection.undecided)
}

/// Returns the indexes of the requested editions: those that `year` names, or all.
fn chosen(all: &[Edition], year: Option<&str>) -> Vec<usize> {
    year.map_or_else(|| (0..all.len()).collect(), |year| named(all, year))
}

/// The editions of an event, and the number and the edition of each game.
type Dated = (Vec<Edition>, Vec<(u64, usize)>);

/// Returns the editions of the selected games.
fn editions_of(snapshot: &Snapshot, only: Option<usize>, selection: &Selection) -> Result<Dated, Fault> {
    let (mut numbers, mut dates) = (Vec::new(), Vec::<(GameDates, u64)>::new());
    for (index, before, book) in snapshot.books(only)? {
        let (columns, _) = DateColumns::new(book.tags());
        let games = selection.set(index).cloned().unwrap_or_else(|| book.archive().live());
        for game in games.iter() {
            numbers.push(before + game);
            dates.push((columns.get(game), 1));
        }
    }
    let (all, of_games) = editions(&dates);
    Ok((all, numbers.into_iter().zip(of_games).collect()))
}

/// Returns the editions and the numbers of an event's games from the list of a site file; `None` if the list does not
/// contain all editions of the event or their games.
fn stored_games(kept: &Value, name: &str, year: Option<&str>) -> Option<(Vec<Edition>, Vec<u64>)> {
    let events = kept["events"].as_array()?;
    let is_named = |event: &&Value| event["event"].as_str().is_some_and(|known| fold(known) == fold(name));
    let (mut stored, mut most) = (Vec::<(Edition, &Value)>::new(), 0);
    for event in events.iter().filter(is_named) {
        let text = |key: &str| event[key].as_str().map(str::to_owned);
        let edition =
            Edition { year: text("year"), dates: text("from").zip(text("until")), games: event["games"].as_u64()? };
        stored.push((edition, &event["ranges"]));
        most = most.max(event["editions"].as_u64()?);
    }
    // The list stores only the latest events, so it may lack editions.
    if stored.len() as u64 != most {
        return None;
    }
    stored.sort_by_key(|(edition, _)| (edition.dates.is_none(), edition.dates.clone()));
    let (all, ranges): (Vec<Edition>, Vec<&Value>) = stored.into_iter().unzip();
    let chosen = chosen(&all, year);
    let range = |range: &Value| Some(range[0].as_u64()?..=range[1].as_u64()?);
    let mut games = Vec::new();
    for index in &chosen {
        let ranges: Option<Vec<RangeInclusive<u64>>> = ranges.get(*index)?.as_array()?.iter().map(range).collect();
        games.extend(ranges?.into_iter().flatten().take(GAMES as usize));
    }
    games.sort_unstable();
    let expected: u64 = chosen.iter().filter_map(|index| all.get(*index)).map(|edition| edition.games).sum();
    (!all.is_empty() && games.len() as u64 == expected && expected <= GAMES).then_some((all, games))
}

/// Returns the editions, the standings of these games, and the cross table if it is small enough. `undecided` is the
/// number of games that could not be tested.
fn standings_of(
    snapshot: &Snapshot,
    name: &str,
    (editions, games): (&[Edition], &[u64]),
    year: Option<&str>,
    undecided: u64,
) -> Result<Value, Fault> {
    let mut summaries = Vec::with_capacity(games.len());
    for number in games.iter().copied() {
        let (book, _, game) = snapshot.locate(number)?;
        summaries.extend(book.summary(game).ok().map(|summary| (number, summary)));
    }
    let unread = games.len() - summaries.len();
    let notable = notable(&summaries);
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
    let dates = || chosen(editions, year).into_iter().filter_map(|index| editions.get(index)?.dates.clone());
    let (from, until) = (dates().map(|(from, _)| from).min(), dates().map(|(_, until)| until).max());
    let editions = editions.iter().map(|edition| {
        let (from, until) = edition.dates.clone().unzip();
        json!({"year": edition.year, "from": from, "until": until, "games": edition.games})
    });
    Ok(json!({
        "event": name,
        "is_tournament": is_tournament(name),
        "editions": editions.collect::<Vec<_>>(),
        "games": games.len(),
        "from": from,
        "until": until,
        "entrants": all.len(),
        "players": players.collect::<Vec<_>>(),
        "notable": notable,
        "undecided": undecided,
        "unread": unread,
    }))
}

/// The least difference of ratings at which a win is an upset.
const UPSET: u32 = 50;
/// The fewest half-moves of the shortest win, because shorter games are often forfeits.
const SHORTEST: u32 = 10;

/// A won game: its number, its summary, and the ratings of winner and loser.
type Won<'a> = (u64, &'a GameSummary, Option<(u32, u32)>);

/// Returns how notable a won game is for one reason, or `None` if it is not.
type Measure = fn(&Won<'_>) -> Option<u32>;

/// Returns games worth a look, each a won game with its reason: `rated` is the win with the highest mean rating. `upset`
/// is the win against the largest difference of ratings, and `short` the win with the fewest moves. No game is twice in
/// the list. Among equal games, the first counts.
fn notable(summaries: &[(u64, GameSummary)]) -> Vec<Value> {
    let ratings = |game: &GameSummary, winner: Color| game.rating(winner).zip(game.rating(!winner));
    let won = summaries.iter().filter_map(|(number, game)| {
        let winner = match game.result() {
            Outcome::WhiteWins => Color::White,
            Outcome::BlackWins => Color::Black,
            _ => return None,
        };
        Some((*number, game, ratings(game, winner)))
    });
    let won: Vec<Won<'_>> = won.collect();
    // A larger value is more notable.
    let reasons: [(&str, Measure); 3] = [
        ("rated", |(_, _, ratings)| ratings.map(|(winner, loser)| winner.saturating_add(loser))),
        ("upset", |(_, _, ratings)| {
            ratings.and_then(|(winner, loser)| loser.checked_sub(winner)).filter(|by| *by >= UPSET)
        }),
        ("short", |(_, game, _)| (game.plies >= SHORTEST).then(|| u32::MAX - game.plies)),
    ];
    let mut found = Vec::<(u64, Value)>::new();
    for (reason, value) in reasons {
        let others = won.iter().filter(|(number, ..)| found.iter().all(|(known, _)| known != number));
        let values = others.filter_map(|game| Some((value(game)?, Reverse(game.0), game)));
        if let Some((_, _, (number, game, _))) = values.max_by_key(|(value, number, _)| (*value, *number)) {
            found.push((*number, json!({"reason": reason, "game": (*game).clone().numbered(*number)})));
        }
    }
    found.into_iter().map(|(_, notable)| notable).collect()
}

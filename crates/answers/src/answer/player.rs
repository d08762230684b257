//! The resource `player`: the games of a player by side, opening, opponent and year, with all spellings of the name.

use crate::answer::games;
use crate::answer::stats::without_unread;
use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use scoresheet_query::report::groups::{self, Group, NameMatch};
use scoresheet_query::report::player::{ArchiveGame, PlayerArchive, PlayerReport};
use scoresheet_query::report::points::Points;
use scoresheet_query::report::spellings;
use scoresheet_query::{Filter, nearest, reason};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The maximum and default number of openings, opponents and games in an answer.
const MOST: usize = 100;
const LISTED: usize = 20;

pub fn player(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let name =
        params.get("name").ok_or_else(|| Fault::bad(reason!("player_name", "name: expected the name of a player")))?;
    let most = params.number("limit", LISTED)?.min(MOST);
    let only = params.archive()?;
    snapshot.require_complete()?;
    let names = names(snapshot, only, name, params.switch("exact")?)?;
    let filter = match params.choice()?.filter {
        "" => None,
        text => Some(Filter::parse(text).map_err(|fault| Fault::query("where", &fault))?),
    };
    let selection = snapshot.select(params.choice()?, stop)?;
    let books = snapshot.books(only)?;
    let (mut players, mut left_out, mut unread) = (Vec::new(), BTreeMap::new(), 0);
    for (index, _, book) in &books {
        let mut games = selection.set(*index).cloned().unwrap_or_else(|| book.archive().live());
        unread += without_unread(book, &mut games, &groups::columns());
        let mut player = groups::games_of_names(book.tags(), &games, &names)?;
        if let Some(filter) = &filter {
            player.restrict(book.tags(), filter)?;
        }
        let counted: Vec<String> = player.names.iter().map(|(name, _)| name.clone()).collect();
        for (other, games) in groups::names_left_out(book.tags(), &games, name, &counted)? {
            *left_out.entry(other).or_insert(0) += games;
        }
        players.push(player);
    }
    let archives = books.iter().zip(&players).map(|((.., book), games)| PlayerArchive { columns: book.tags(), games });
    let archives: Vec<PlayerArchive<'_>> = archives.collect();
    let report = PlayerReport::new(&archives, most).map_err(|failed| failed.error)?;
    if stop.is_set() {
        return Err(Fault::stopped());
    }
    let list = |groups: &[Group], title: &str| -> Result<Vec<Value>, Fault> {
        groups.iter().map(|group| joined(json!({title: group.names.first()}), &group.points)).collect()
    };
    let rows = |games: &[ArchiveGame]| -> Vec<Map<String, Value>> {
        let row = |(at, game): &(usize, u64)| {
            let found = books.get(*at).map(|(_, before, book)| games::row(book, *game, before + game));
            found.unwrap_or_default()
        };
        games.iter().map(row).collect()
    };
    let [white, black] = &report.sides;
    let [with_white, with_black] = &report.openings;
    left_out.retain(|name, _| report.names.iter().all(|(known, _)| known != name));
    let mut left_out: Vec<(String, u64)> = left_out.into_iter().collect();
    left_out.sort_by_key(|(_, games)| std::cmp::Reverse(*games));
    let listed = |names: &[(String, u64)]| -> Vec<Value> {
        names.iter().map(|(name, games)| json!({"name": name, "games": games})).collect()
    };
    let names = json!({"names": listed(&report.names), "not_counted": listed(&left_out)});
    let mut answer = joined(names, &report.all())?;
    answer["white"] = joined(json!({}), white)?;
    answer["black"] = joined(json!({}), black)?;
    answer["openings_with_white"] = list(with_white, "opening")?.into();
    answer["openings_with_black"] = list(with_black, "opening")?.into();
    // Here `opponents` is a list. Only `white` and `black` show the opponents' mean rating.
    answer["opponents"] = list(&report.opponents, "opponent")?.into();
    answer["years"] = list(&report.years, "year")?.into();
    answer["without_year"] = report.without_year.into();
    answer["best_wins"] = rows(&report.best_wins).into();
    answer["worst_losses"] = rows(&report.worst_losses).into();
    answer["left_out"] = snapshot.left_out(only, &selection)?.into();
    answer["undecided"] = selection.undecided.into();
    answer["unread"] = (unread + report.unread.iter().map(|(_, lost)| lost.count()).sum::<u64>()).into();
    Ok(answer)
}

/// Returns a JSON value with the members of a group of counted games.
fn joined(mut value: Value, points: &Points) -> Result<Value, Fault> {
    let points = serde_json::to_value(points).map_err(|_| Fault::internal())?;
    if let (Value::Object(value), Value::Object(points)) = (&mut value, points) {
        value.extend(points);
    }
    Ok(value)
}

/// Returns the names of a player: names that match by the rule of `scoresheet player` and, unless `is_exact`, the other
/// spellings of a complete name.
///
/// Errors: no player has such a name.
fn names(snapshot: &Snapshot, only: Option<usize>, name: &str, is_exact: bool) -> Result<Vec<String>, Fault> {
    let books = snapshot.books(only)?;
    if is_exact {
        return Ok(vec![name.to_owned()]);
    }
    let mut least: Option<NameMatch> = None;
    for (.., book) in &books {
        least = NameMatch::best(book.tags(), name).into_iter().chain(least).min();
    }
    let Some(least) = least else {
        let mut near = Vec::new();
        for (.., book) in &books {
            near.extend(groups::nearest_player(book.tags(), name));
        }
        let near = nearest(name, near.iter().map(String::as_str));
        return Err(Fault::missing(match near {
            Some(near) => reason!(
                "player_near",
                "no player's name contains {name:?}: did you mean {near:?}?",
                name = name,
                near = near
            ),
            None => reason!("no_player", "no player's name contains {name:?}", name = name),
        }));
    };
    let mut names: Vec<String> = Vec::new();
    for (.., book) in &books {
        let mut games = book.archive().live();
        without_unread(book, &mut games, &groups::columns());
        let found = groups::games_of_player(book.tags(), &games, name, least)?;
        names.extend(found.names.into_iter().map(|(name, _)| name));
    }
    if least <= NameMatch::Words {
        let found = names.iter().flat_map(|name| spellings::joined(snapshot.spellings(), name)).map(str::to_owned);
        names = found.collect();
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

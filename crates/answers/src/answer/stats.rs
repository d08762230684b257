//! `stats`: what the games of a filter are like, in figures.

use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use scoresheet::query::report::groups::{self, Group, GroupKey};
use scoresheet::query::report::stats::{self as report, LENGTH_STEP, RATING_STEP, Stats};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Players and events, and groups, at most.
const LISTED: usize = 50;
const GROUPS: usize = 30;

pub fn stats(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let only = params.archive()?;
    if let [book] = snapshot.all()
        && let Some(site) = book.site()
        && params.filter()?.trim().is_empty()
    {
        return site.stats();
    }
    let selection = snapshot.select(params.choice()?, stop)?;
    let mut all = Stats::default();
    let keys = [
        ("by_eco", GroupKey::Eco),
        ("by_rating", GroupKey::Rating),
        ("by_year", GroupKey::Year),
        ("by_speed", GroupKey::Speed),
        ("by_length", GroupKey::Length),
    ];
    let mut grouped: Vec<Vec<Group>> = keys.iter().map(|_| Vec::new()).collect();
    for (place, before, book) in snapshot.books(only)? {
        let games = selection.set(place).cloned().unwrap_or_else(|| book.archive().live());
        let mut own = report::stats(book.tags(), &games)?;
        own.longest.1 += before;
        all.add(own);
        for ((_, key), all) in keys.iter().zip(&mut grouped) {
            if stop.is_set() {
                return Err(Fault::stopped());
            }
            groups::join(all, groups::groups(book.tags(), &games, None, &[*key])?.0);
        }
    }
    let median = all.median_plies();
    all.cut(LISTED);
    let [unknown, black, white, draws] = all.results;
    let players: Vec<Value> = all
        .players
        .iter()
        .map(|player| {
            json!({"name": player.name, "games": player.games, "won": player.won, "drawn": player.drawn, "lost": player.lost})
        })
        .collect();
    let events: Vec<Value> = all.events.iter().map(|(name, games)| json!({"name": name, "games": games})).collect();
    let mut answer = json!({
        "games": all.games,
        "undecided": selection.undecided,
        "results": {"white": white, "draws": draws, "black": black, "unknown": unknown},
        "plies": all.plies,
        "median_plies": median,
        "longest": {"plies": all.longest.0, "game": all.longest.1},
        "set_up": all.set_up,
        "faulty": all.faulty,
        "comments": all.comments,
        "variations": all.variations,
        "lengths": bars(&all.lengths, LENGTH_STEP),
        "ratings": bars(&all.ratings, RATING_STEP),
        "years": all.years.iter().map(|(year, games)| json!({"from": year, "to": year, "games": games})).collect::<Vec<_>>(),
        "players": players,
        "events": events,
    });
    for ((name, key), groups) in keys.into_iter().zip(grouped) {
        answer[name] = listed(key, groups);
    }
    Ok(answer)
}

fn bars(counts: &BTreeMap<u32, u64>, step: u32) -> Vec<Value> {
    counts.iter().map(|(from, games)| json!({"from": from, "to": from + step - 1, "games": games})).collect()
}

fn listed(key: GroupKey, mut groups: Vec<Group>) -> Value {
    // One sort for both: what a browser loads is smaller for it.
    let by_order = key.is_ordered();
    groups.sort_by(|one, other| match by_order {
        true => one.order.cmp(&other.order),
        false => other.points.games.cmp(&one.points.games).then_with(|| one.names.cmp(&other.names)),
    });
    if !by_order {
        groups.truncate(GROUPS);
    }
    let json = |group: &Group| {
        let points = &group.points;
        json!({
            "name": group.names.first(),
            "games": points.games,
            "white": points.won,
            "draws": points.drawn,
            "black": points.lost,
            "rating": points.rating(),
        })
    };
    groups.iter().map(json).collect()
}

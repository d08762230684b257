//! `stats`: what the games of a filter are like, in figures.

use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use scoresheet::query::report::groups::{self, Group, GroupKey};
use scoresheet::query::report::stats::{self as report, Stats};
use serde_json::{Value, json};

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
    all.cut(LISTED);
    let mut answer = serde_json::to_value(&all).map_err(|_| Fault::internal())?;
    answer["undecided"] = selection.undecided.into();
    for ((name, key), groups) in keys.into_iter().zip(grouped) {
        answer[name] = listed(key, groups);
    }
    Ok(answer)
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

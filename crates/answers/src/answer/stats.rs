//! `stats`: what the games of a filter are like, in figures.

use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use scoresheet::query::report::groups;
use scoresheet::query::report::overview::Overview;
use scoresheet::query::report::stats::{self as report, Stats};
use scoresheet::query::tag_columns::Key;
use serde_json::Value;

/// Players and events at most.
const LISTED: usize = 50;

pub fn stats(snapshot: &Snapshot, params: &Params, stop: &Stop) -> Result<Value, Fault> {
    let only = params.archive()?;
    if let [book] = snapshot.all()
        && let Some(site) = book.site()
        && params.is_of_all()?
    {
        return site.stats();
    }
    let selection = snapshot.select(params.choice()?, stop)?;
    let (mut all, mut chosen, mut unread) = (Stats::default(), Vec::new(), 0);
    for (place, before, book) in snapshot.books(only)? {
        let mut games = selection.set(place).cloned().unwrap_or_else(|| book.archive().live());
        // Games whose headers are damaged are left out and counted; the others have their statistics.
        let keys: Vec<Key> = report::keys().into_iter().chain(groups::columns()).collect();
        for lost in book.tags().readable(&keys).1 {
            let all = games.len();
            lost.games.clone().for_each(|game| _ = games.remove(game));
            unread += all - games.len();
        }
        let mut own = report::stats(book.tags(), &games)?;
        own.longest.game = own.longest.game.map(|game| game + before);
        all.add(own);
        chosen.push((book, games));
    }
    all.cut(LISTED);
    let mut overview = Overview::new(all);
    for key in overview.keys() {
        let mut found = Vec::new();
        for (book, games) in &chosen {
            if stop.is_set() {
                return Err(Fault::stopped());
            }
            groups::join(&mut found, groups::groups(book.tags(), games, None, &[key])?.0);
        }
        overview.add(key, found);
    }
    let mut answer = serde_json::to_value(&overview).map_err(|_| Fault::internal())?;
    answer["undecided"] = selection.undecided.into();
    answer["unread"] = unread.into();
    Ok(answer)
}

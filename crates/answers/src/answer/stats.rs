//! The resource `stats`: statistics of the games that match a filter.

use crate::book::Book;
use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use scoresheet::archive::GameSet;
use scoresheet_query::report::groups::{self, MissingValues};
use scoresheet_query::report::overview::Overview;
use scoresheet_query::report::stats::{self as report, Stats};
use scoresheet_query::tag_columns::Key;
use serde_json::Value;

/// The maximum number of players and events in the statistics.
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
    for (index, before, book) in snapshot.books(only)? {
        let mut games = selection.set(index).cloned().unwrap_or_else(|| book.archive().live());
        let keys: Vec<Key> = report::keys().into_iter().chain(groups::columns()).collect();
        unread += without_unread(book, &mut games, &keys);
        let mut archive_stats = report::stats(book.tags(), &games)?;
        archive_stats.longest.game = archive_stats.longest.game.map(|game| game + before);
        all.add(archive_stats);
        chosen.push((book, games));
    }
    all.cut(LISTED);
    let mut overview = Overview::new(all);
    for key in overview.keys() {
        let (mut found, mut missing) = (Vec::new(), MissingValues::default());
        for (book, games) in &chosen {
            if stop.is_set() {
                return Err(Fault::stopped());
            }
            let grouped = groups::groups(book.tags(), games, None, &[key])?;
            groups::join(&mut found, grouped.groups);
            missing.join(&grouped.missing);
        }
        overview.add(key, found, missing.games);
    }
    let mut answer = serde_json::to_value(&overview).map_err(|_| Fault::internal())?;
    answer["left_out"] = snapshot.left_out(only, &selection)?.into();
    answer["undecided"] = selection.undecided.into();
    answer["unread"] = unread.into();
    Ok(answer)
}

/// Removes games with damaged headers, and returns the number of removed games.
pub fn without_unread(book: &Book, games: &mut GameSet, keys: &[Key]) -> u64 {
    let all = games.len();
    for lost in book.tags().readable(keys).1 {
        lost.games.for_each(|game| _ = games.remove(game));
    }
    all - games.len()
}

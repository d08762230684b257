//! The data of `scoresheet stats --report`: the statistics, and measures that need the moves of all games.

use crate::failure::Failure;
use crate::output::json::Object;
use crate::select::filter;
use crate::select::grouped::{self, Games, grouped};
use crate::session::Session;
use scoresheet::Position;
use scoresheet_query::Tally;
use scoresheet_query::openings::Openings;
use scoresheet_query::report::groups::GroupKey;
use scoresheet_query::report::overview::Overview;
use scoresheet_query::report::squares;
use scoresheet_query::report::stats::Stats;

/// Returns the data and the number of unreadable games, which have been reported.
pub fn data(session: &Session, all: &[Games], stats: Stats) -> Result<(Object, u64), Failure> {
    let (mut overview, mut lost) = (Overview::new(stats), 0);
    for key in overview.keys().into_iter().chain([GroupKey::Ending]) {
        let (found, unread) = grouped(session, all, &[key])?;
        lost += unread;
        overview.add(key, found.groups, found.missing.games);
    }
    let mut arrivals = [[0u64; 64]; 2];
    for selection in all {
        let (counts, unread) = squares::arrivals(selection.archive(), &selection.games);
        lost += filter::report_unread(session, selection.archive(), &unread);
        arrivals.iter_mut().flatten().zip(counts.iter().flatten()).for_each(|(all, count)| *all += count);
    }
    let [white, black] = arrivals.map(Vec::from);
    let data = Object::from_value(&overview)
        .with("archives", all.len())
        .object("squares", &Object::new().with("white", white).with("black", black))
        .array("first_moves", &first_moves(session, all));
    Ok((data, lost))
}

/// Returns the first moves of games, with the most frequent replies.
fn first_moves(session: &Session, all: &[Games]) -> Vec<Object> {
    let row = |position: &Position, line: &str, tally: &Tally| {
        Object::new()
            .with("line", line)
            .with("fen", position.fen())
            .with("opening", Openings::table().get(position).map(|opening| opening.name))
            .with("games", tally.games())
            .with("white", tally.white)
            .with("draws", tally.draws)
            .with("black", tally.black)
    };
    let mut rows = Vec::new();
    let tree = grouped::tree(session, all, &Position::standard());
    for branch in tree.branches.iter().take(4) {
        let mut after = tree.position.clone();
        after.play_unchecked(branch.m);
        let first = format!("1. {}", tree.position.san(branch.m));
        rows.push(row(&after, &first, &branch.tally));
        for reply in grouped::tree(session, all, &after).branches.iter().take(2) {
            let mut position = after.clone();
            position.play_unchecked(reply.m);
            rows.push(row(&position, &format!("{first} {}", after.san(reply.m)), &reply.tally));
        }
    }
    rows
}

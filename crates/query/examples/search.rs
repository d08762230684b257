//! Finds games that reach a position, and the moves played there:
//! `cargo run --release --example search -- games.bga "e4 c5 Nf3" "whiteelo >= 2000"`

use scoresheet_query::{ArchiveSet, Filter, PositionQuery, Query};
use scoresheet_query::{Board, Visit, line};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: search ARCHIVE.bga \"MOVES\" [\"FILTER\"]";
    let (path, moves) = (arguments.next().ok_or(usage)?, arguments.next().ok_or(usage)?);
    let set = ArchiveSet::open([path])?;
    let position = line(&moves)?;

    let mut query = Query::new().board(Board::from(PositionQuery::from(&position)));
    if let Some(filter) = arguments.next() {
        query = query.filter(filter.parse::<Filter>()?);
    }
    let plan = query.plan(&set)?;
    println!("at most {} games to look at, by: {}", plan.games, plan.with);
    let mut games = 0;
    for found in query.run(&set) {
        let found = found?;
        games += 1;
        if games <= 5 {
            println!("  game {} at ply {}", found.number, found.hits[0].ply);
        }
    }
    println!("{games} games reach {position}");

    let tree = set.tree(&position, Visit::First, None, None).complete()?;
    for branch in tree.branches.iter().take(5) {
        let tally = &branch.tally;
        println!(
            "  {:<7} {:>6} games, +{} ={} -{}",
            position.san(branch.m),
            tally.games(),
            tally.white,
            tally.draws,
            tally.black
        );
    }
    Ok(())
}

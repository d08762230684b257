//! Games that reach a position, and what was played there:
//! `cargo run --release --example search -- games.bga "e4 c5 Nf3" "whiteelo >= 2000"`

use scoresheet::{Archive, Filter, Position};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: search ARCHIVE.bga \"MOVES\" [\"FILTER\"]";
    let (path, moves) = (arguments.next().ok_or(usage)?, arguments.next().ok_or(usage)?);
    let archive = Archive::open(path)?;
    let mut position = Position::standard();
    for san in moves.split_whitespace() {
        position.play(position.parse_san(san.as_bytes())?)?;
    }

    let answer = archive.find(&position);
    println!("{} games reach {position}", answer.found.hits.len());
    for (file, state) in answer.side_files {
        println!("  {file:?}: {state:?}");
    }

    let tree = archive.tree(&position).found;
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

    if let Some(filter) = arguments.next() {
        let filter: Filter = filter.parse()?;
        let passed = archive.select(&filter).found.games;
        let both = answer.found.hits.iter().filter(|hit| passed.contains(hit.game)).count();
        println!("{} games pass {:?}; {both} of them reach the position", passed.len(), filter.as_str());
    }
    Ok(())
}

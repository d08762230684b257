//! Computes a custom statistic, the length of games by rating class:
//! `cargo run --release --example statistics -- games.bga`

use rayon::prelude::*;
use scoresheet::{Archive, Result};
use std::collections::BTreeMap;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: statistics ARCHIVE.bga")?;
    let archive = Archive::open(path)?;
    type Classes = BTreeMap<u32, (u64, u64)>;
    let classes = archive
        .par_games()
        .try_fold(Classes::new, |mut classes, game| {
            let game = game?;
            let elo = game.tag("WhiteElo")?.and_then(|elo| elo.parse::<u32>().ok()).unwrap_or(0);
            let (games, plies) = classes.entry(elo / 200 * 200).or_default();
            *games += 1;
            *plies += u64::from(game.plies());
            Ok(classes)
        })
        .try_reduce(Classes::new, |mut left, right| -> Result<Classes> {
            for (class, (games, plies)) in right {
                let sum = left.entry(class).or_default();
                *sum = (sum.0 + games, sum.1 + plies);
            }
            Ok(left)
        })?;
    for (class, (games, plies)) in classes {
        println!("{class:>5} {games:>8} games, {:.1} plies on average", plies as f64 / games as f64);
    }
    Ok(())
}

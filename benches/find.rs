//! Search for random positions, with signatures and with the position index, and the opening tree. Asserts that both find the same.
//!
//! Runs on the archive that SCORESHEET_BENCH_ARCHIVE names, or on the sample, makes what side files are missing, and prints percentiles.

mod common;

use scoresheet::Archive;
use scoresheet::query::{Compare, PositionIndex, Reach, Search, Signatures, Sought, positions};
use std::time::{Duration, Instant};

fn main() {
    let sample = common::Sample::new();
    let archive = match std::env::var_os("SCORESHEET_BENCH_ARCHIVE") {
        Some(path) => Archive::open(path).expect("an archive"),
        None => sample.archive(),
    };
    let signatures = Signatures::open_or_build(&archive);
    if PositionIndex::open(&archive).0.is_none() {
        positions::build(&archive, 64 << 20, |_| {}).expect("an index");
    }
    let index = PositionIndex::open(&archive).0.expect("the index");
    let plain = Search::new(&archive);
    let (signed, indexed) = (plain.clone().with_signatures(&signatures), plain.with_index(&index));
    let searches = if std::env::args().any(|arg| arg == "--test") { 50 } else { 1000 };
    let (mut state, mut times, mut hits) = (8u64, [Vec::new(), Vec::new()], 0);
    let mut random = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    for _ in 0..searches {
        let game = archive.game(random(archive.len()) + 1).expect("a game");
        let ply = random(u64::from(game.plies().min(80)) + 1) as u32;
        let sought = Sought::new(&game.position(ply).expect("a position"), Compare::default());
        let mut found = Vec::new();
        for (search, times) in [&signed, &indexed].into_iter().zip(&mut times) {
            let start = Instant::now();
            found.push(search.position(&sought, Reach::default()).hits);
            times.push(start.elapsed());
        }
        assert_eq!(found[0], found[1]);
        assert!(found[0].iter().any(|hit| hit.game == game.number()));
        hits += found[0].len();
    }
    println!("{} games, {searches} positions, {:.0} games found each", archive.len(), hits as f64 / searches as f64);
    for (times, what) in times.iter_mut().zip(["signatures", "index"]) {
        times.sort();
        let at = |share: usize| times[(times.len() - 1) * share / 1000];
        let mean = times.iter().sum::<Duration>() / times.len() as u32;
        println!(
            "{what}: p50 {:?}, p90 {:?}, p99 {:?}, worst {:?}, mean {mean:?}",
            at(500),
            at(900),
            at(990),
            at(1000)
        );
    }
    let start = scoresheet::Position::standard();
    for (search, what) in [(&signed, "signatures"), (&indexed, "index")] {
        let begun = Instant::now();
        let tree = search.tree(&start);
        println!("tree, {what}: {:?}", begun.elapsed());
        assert_eq!(tree.tally.games(), indexed.tree(&start).tally.games());
        let begun = Instant::now();
        search.tree(&start);
        println!("tree again, {what}: {:?}", begun.elapsed());
    }
}

//! Measures searches for random positions, with signatures and with the position index, and the opening tree. Asserts
//! that each search finds the same games as a replay of all games.
//!
//! Runs on the archive in SCORESHEET_BENCH_ARCHIVE, or on the sample, and builds missing side files. Prints percentiles
//! of the positions' medians of five searches. With `--index`, only the index is measured: signatures need replays,
//! which are slow on a packed archive.

mod common;

use rayon::prelude::*;
use scoresheet::Archive;
use scoresheet_query::{
    Compare, Hit, PositionIndex, PositionQuery, Search, SearchOptions, Signatures, position::index,
};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

/// The first hit of each position in each game, from a replay of all games.
fn by_replay(archive: &Archive, queries: &[PositionQuery]) -> Vec<Vec<Hit>> {
    let mut by_key: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, query) in queries.iter().enumerate() {
        by_key.entry(query.position().zobrist()).or_default().push(index);
    }
    let of_chunk = |chunk: usize| {
        let (mut found, mut seen, mut now) = (Vec::new(), HashSet::new(), 0);
        let walked = archive.chunk(chunk).expect("a chunk").walk_keys(|game, state, key| {
            if std::mem::replace(&mut now, game) != game {
                seen.clear();
            }
            for index in by_key.get(&key).into_iter().flatten() {
                if queries[*index].matches(&state.position()) && seen.insert(*index) {
                    found.push((*index, Hit::new(game, state.ply())));
                }
            }
        });
        walked.expect("games");
        found
    };
    let chunks: Vec<Vec<(usize, Hit)>> = (0..archive.chunk_count()).into_par_iter().map(of_chunk).collect();
    let mut hits = vec![Vec::new(); queries.len()];
    chunks.into_iter().flatten().for_each(|(index, hit)| hits[index].push(hit));
    hits
}

/// Returns the median time of a few calls, and the result of the last one.
fn median<T>(rounds: usize, mut call: impl FnMut() -> T) -> (Duration, T) {
    let mut timed = || {
        let start = Instant::now();
        let value = call();
        (start.elapsed(), value)
    };
    let (first, mut last) = timed();
    let mut times = vec![first];
    for _ in 1..rounds {
        let (time, value) = timed();
        times.push(time);
        last = value;
    }
    times.sort();
    (times[times.len() / 2], last)
}

fn main() {
    let sample = common::Sample::new();
    let archive = match std::env::var_os("SCORESHEET_BENCH_ARCHIVE") {
        Some(path) => Archive::open(path).expect("an archive"),
        None => sample.archive(),
    };
    let only_index = std::env::args().any(|arg| arg == "--index");
    let signatures = Signatures::open_or_build(&archive);
    if PositionIndex::open(&archive).0.is_none() {
        index::build(&archive, 64 << 20, |_| {}).expect("an index");
    }
    let index = PositionIndex::open(&archive).0.expect("the index");
    let plain = Search::new(&archive);
    let mut searches =
        vec![("signatures", plain.clone().with_signatures(&signatures)), ("index", plain.with_index(&index))];
    if only_index {
        searches.remove(0);
    }
    let count = if std::env::args().any(|arg| arg == "--test") { 50 } else { 1000 };
    let mut state = 8u64;
    let mut random = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let queries: Vec<PositionQuery> = (0..count)
        .map(|_| {
            let game = archive.game(random(archive.len()) + 1).expect("a game");
            let ply = random(u64::from(game.plies().min(80)) + 1) as u32;
            PositionQuery::new(&game.position(ply).expect("a position"), Compare::default())
        })
        .collect();
    let expected = by_replay(&archive, &queries);
    let hits = expected.iter().map(Vec::len).sum::<usize>() as f64;
    println!("{} games, {count} positions, {:.0} games found each", archive.len(), hits / f64::from(count));
    for (what, search) in &searches {
        // The first round loads and checks everything, and is not measured.
        queries.iter().zip(&expected).for_each(|(query, expected)| {
            assert!(search.position(query, SearchOptions::default()).hits == *expected, "{what}");
        });
        let mut times: Vec<Duration> =
            queries.iter().map(|query| median(ROUNDS, || search.position(query, SearchOptions::default())).0).collect();
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
    let from_start = PositionQuery::new(&start, Compare::default());
    let expected = by_replay(&archive, std::slice::from_ref(&from_start))[0].len() as u64;
    for (what, search) in &searches {
        let (time, tree) = median(ROUNDS, || search.tree(&start));
        assert_eq!(tree.tally.games(), expected);
        println!("tree from the start, {what}: {time:?}");
    }
}

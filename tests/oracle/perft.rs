//! Perft: the numbers of lines of legal moves, compared with published and computed counts.

use crate::common::corpora;
use crate::common::positions::position;
use oracle_rules::shakmaty;
use oracle_rules::shakmaty::fen::Fen;
use oracle_rules::shakmaty::{CastlingMode, Chess};
use rayon::prelude::*;
use std::time::Instant;

struct Case {
    fen: String,
    /// Depth and number of lines.
    counts: Vec<(u32, u64)>,
}

/// Parses `testdata/perft`: `FEN ; D1 20 ; D2 400`, one position per line, `#` before a remark.
fn read_testdata(name: &str) -> Vec<Case> {
    let path = format!("{}/../testdata/perft/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let cases: Vec<Case> = lines
        .map(|line| {
            let mut parts = line.split(" ; ");
            let fen = parts.next().unwrap_or_default().to_owned();
            let counts = parts.map(|part| {
                let (depth, count) = part.strip_prefix('D')?.split_once(' ')?;
                Some((depth.parse().ok()?, count.parse().ok()?))
            });
            let counts: Option<Vec<_>> = counts.collect();
            Case { fen, counts: counts.unwrap_or_else(|| panic!("{name}: {line}")) }
        })
        .collect();
    assert!(cases.iter().all(|case| !case.counts.is_empty()), "{name}: a position without counts");
    cases
}

/// Parses the corpora's form: `id ..`, `epd ..` and `perft DEPTH COUNT` lines.
fn read_corpus(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(fen) = line.strip_prefix("epd ") {
            cases.push(Case { fen: fen.trim().to_owned(), counts: Vec::new() });
        } else if let Some(rest) = line.strip_prefix("perft ") {
            let mut numbers = rest.split_whitespace();
            let depth = numbers.next().and_then(|n| n.parse().ok()).expect(line);
            let count = numbers.next().and_then(|n| n.parse().ok()).expect(line);
            cases.last_mut().expect(line).counts.push((depth, count));
        }
    }
    cases
}

/// Counts every case to each depth within `budget` lines (and always to the first), on all cores.
fn count(suite: &str, cases: &[Case], budget: u64) {
    let began = Instant::now();
    let run = |case: &Case| -> Result<u64, String> {
        let position = position(&case.fen);
        let mut nodes = 0;
        for (at, &(depth, expected)) in case.counts.iter().enumerate() {
            if at > 0 && expected > budget {
                continue;
            }
            let found = position.perft(depth);
            if found != expected {
                return Err(format!("{} depth {depth}: {found}, expected {expected}", case.fen));
            }
            nodes += found;
        }
        Ok(nodes)
    };
    let results: Vec<_> = cases.par_iter().map(run).collect();
    let faults: Vec<_> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(faults.is_empty(), "{suite}: {} of {}: {faults:#?}", faults.len(), cases.len());
    let nodes: u64 = results.into_iter().flatten().sum();
    println!("{suite}: {} positions, {nodes} lines, {:?}", cases.len(), began.elapsed());
}

/// The maximum number of lines for each position; `SCORESHEET_PERFT_NODES` sets another number for a deep run.
fn budget(default: u64) -> u64 {
    match std::env::var("SCORESHEET_PERFT_NODES") {
        Ok(text) => text.parse().expect("SCORESHEET_PERFT_NODES is a number"),
        Err(_) => default,
    }
}

fn corpus_suite(name: &str, positions: usize, default: u64) {
    let Some(text) = corpora::text(&format!("fen/{name}")) else {
        return;
    };
    let cases = read_corpus(&text);
    assert_eq!(cases.len(), positions, "{name} is not the suite it was");
    count(name, &cases, budget(default));
}

#[test]
fn published_positions() {
    let cases = read_testdata("published.perft");
    assert!(cases.len() >= 7);
    count("published.perft", &cases, budget(20_000_000));
}

#[test]
fn edge_cases() {
    let cases = read_testdata("edge.perft");
    assert!(cases.len() >= 20);
    count("edge.perft", &cases, budget(5_000_000));
}

/// The data itself: an independent engine counts the same for each position.
#[test]
fn testdata_is_what_the_oracle_counts() {
    for name in ["published.perft", "edge.perft"] {
        for case in read_testdata(name) {
            let fen = Fen::from_ascii(case.fen.as_bytes()).expect(&case.fen);
            let oracle: Chess = fen.into_position(CastlingMode::Chess960).expect(&case.fen);
            for (depth, expected) in case.counts {
                if depth == 1 || expected <= 20_000 {
                    assert_eq!(shakmaty::perft(&oracle, depth), expected, "{} D{depth}", case.fen);
                }
            }
        }
    }
}

#[test]
fn standard_suite_of_the_corpora() {
    corpus_suite("perft-standard-random.perft", 6838, 250_000);
}

#[test]
fn tricky_suite_of_the_corpora() {
    corpus_suite("perft-tricky.perft", 26, 5_000_000);
}

#[test]
fn chess960_suite_of_the_corpora() {
    corpus_suite("perft-chess960.perft", 960, 500_000);
}

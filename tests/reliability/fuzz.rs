//! The fuzz targets as ordinary tests: over a corpus of odd inputs, and over their seeded mutants.
//!
//! A few thousand states always run; `--ignored` runs more, from any state:
//!
//!     SCORESHEET_SEED=1 SCORESHEET_STATES=1000000 cargo test --release --test reliability fuzz::long -- --ignored
//!     --nocapture

#[path = "../../fuzz/src/lib.rs"]
pub mod targets;

use crate::common::number;
use crate::common::random::Random;
use crate::common::sample::{lichess_text, testdata};
use rayon::prelude::*;
use scoresheet::ArchiveFile;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Inputs written to be odd, and inputs that once failed.
fn corpus() -> Vec<Vec<u8>> {
    let sample = lichess_text();
    let mut corpus: Vec<Vec<u8>> = [
        "",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/R3K2R w HAha - 4294967295 4294967295",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ b - e9 -1 0",
        "\u{feff}[Event \"x\"]\r\n\r\n1.e4{a}(1.d4 $255 (1.c4))e5!? ;x\r\n%y\n2. e8=Q -- Z0 0-0-0 *",
        "1. e4 { unclosed",
        "[White \"\\\"\\\\\"][Black \"unclosed\n1. e4 e5 ) ) ( ( 1/2-1/2 1-0 0-1 *",
        "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=Q+ (1. a8N) 1... Kd7 *",
        "[FEN \"nonsense\"] 1. e4 *\n[Variant \"Suicide\"]\n\n1. e4 *\n",
        "1. e4 $ $99999999999 e5 e5 Nf3?? 1..... ... 2. Nf3 }{ *",
        "Nbd2 Raxb1# O-O-O+ e8=Q e8(Q) e7e8q N1xf3!? Z0",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 5 39 bm O-O e1e2; pv O-O-O Ke7 Kb1; id \"a b\"; xyz 1;",
        "rnabqkbcnr/pppppppppp/55/10/4P5/10/PPPP1PPPPP/RNABQKBCNR b KQkqa e3 0 1",
        r#"{"over?": true, "...result?": null, "starting_position": [["a:k", "+B:R"], [null, "A:K"]],
            "previous_moves": [[["+B:R", "jump", 0], [0, "land", [1, 0]]], [], [[3, "capture", "a:k"]], []]}"#,
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    corpus.push(std::fs::read(testdata("golden/sample.pgn")).unwrap());
    corpus.push(sample[..6000].to_vec());
    corpus.push((0..=255).collect());
    corpus.push(vec![0x2C, 0x2C, 0x61, 0x17, 0xDB, 0x1E, 0x06, 0x06, 0x53, 0x02]);
    // Valid but not canonical: an unnecessary prefix and an unnecessary explicit move.
    corpus.push(vec![0x41, 0x12]);
    corpus.push(vec![0xC0, 0x31, 0xC0]);
    corpus.push(vec![0xC0, 0x12, 0x40, 0xC2, 0, 0xC3, 0x2C, 0xC4, 0xC5, 1, 0xC6]);
    // A block (kind 6) with an unfinished commit, whose first number takes one byte more than necessary.
    let source = [vec![0; 6], vec![0; 32]].concat();
    corpus.push([vec![6, 0, 0], vec![0; 104], vec![0x80, 0x00, 0, 0], source].concat());
    corpus
}

/// Findings of cargo-fuzz: files in a folder for each target.
fn found(target: &str) -> Vec<Vec<u8>> {
    let folder = crate::common::root().join("fuzz/found").join(target);
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
}

const WORDS: [&[u8]; 24] = [
    b"[Event \"",
    b"\"]\n",
    b"\n\n",
    b"{",
    b"}",
    b"(",
    b")",
    b";",
    b"%",
    b"*",
    b"1-0",
    b"1/2-1/2",
    b"$",
    b"\xEF\xBB\xBF",
    b"\xFF\xFE",
    b"\xE9",
    b"\0",
    b"\x1A",
    b"O-O",
    b"--",
    b"e8=Q",
    b"1...",
    b"[FEN \"",
    b"\r",
];

/// Returns a mutant of the corpus.
fn mutant(corpus: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes = corpus[random.below(corpus.len())].clone();
    // A complete archive begins with its header.
    if (701..8192).contains(&bytes.len()) {
        let start = random.below(bytes.len());
        bytes = bytes.split_off(start);
        bytes.truncate(random.below(1500));
    }
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len() + 1);
        match random.below(8) {
            0 => bytes.insert(at, random.next() as u8),
            1 => drop(bytes.splice(at..at, WORDS[random.below(WORDS.len())].iter().copied())),
            2 => drop(bytes.drain(at..(at + random.below(9)).min(bytes.len()))),
            3 => {
                let second = &corpus[random.below(corpus.len())];
                let from = random.below(second.len());
                let piece = second[from..(from + random.below(64)).min(second.len())].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            4 => bytes.extend((0..random.below(40)).map(|_| random.next() as u8)),
            _ => drop(bytes.get_mut(at).map(|byte| *byte ^= 1 << random.below(8))),
        }
    }
    bytes
}

/// Runs a target over states of a seed; the message of a failure has everything to reproduce it.
fn run((name, target): targets::Target, corpus: &[Vec<u8>], seed: u64, states: std::ops::Range<u64>) {
    states.into_par_iter().for_each(|state| {
        let bytes = mutant(corpus, Random(seed ^ state << 20).next());
        if catch_unwind(AssertUnwindSafe(|| target(&bytes))).is_err() {
            panic!("{name}, seed {seed}, state {state}: {bytes:?}");
        }
    });
}

/// Side files with one field changed, and valid checksums.
#[test]
fn every_field_of_side_files() {
    let fields = targets::fields();
    assert!(fields > 5_000, "{fields}");
    let broken: Vec<usize> =
        (0..fields).into_par_iter().filter(|state| catch_unwind(|| targets::every_field(*state)).is_err()).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn the_corpus_breaks_no_promise() {
    for (name, target) in targets::TARGETS {
        for bytes in corpus() {
            if catch_unwind(|| target(&bytes)).is_err() {
                panic!("{name}: {:?}", String::from_utf8_lossy(&bytes));
            }
        }
    }
}

#[test]
fn what_was_found_breaks_no_promise() {
    let mut checked = 0;
    for (name, target) in targets::TARGETS {
        for bytes in found(name).into_iter().chain(targets::seeds()) {
            if catch_unwind(|| target(&bytes)).is_err() {
                panic!("{name}: {bytes:?}");
            }
            checked += 1;
        }
    }
    assert!(checked >= 10 * targets::TARGETS.len());
}

#[test]
#[ignore = "makes what cargo-fuzz begins with, in fuzz/corpus"]
fn write_seeds() {
    let fuzz = crate::common::root().join("fuzz");
    for (name, _) in targets::TARGETS {
        let folder = fuzz.join("corpus").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let seeds = corpus().into_iter().chain(found(name)).chain(targets::seeds());
        for (number, bytes) in seeds.enumerate() {
            std::fs::write(folder.join(format!("seed-{number}")), bytes).unwrap();
        }
    }
}

#[test]
fn mutants_break_no_promise() {
    let corpus: Vec<_> = corpus().into_iter().chain(targets::seeds()).collect();
    targets::TARGETS.into_iter().for_each(|target| run(target, &corpus, 1, 0..300));
}

#[test]
fn checksums_are_made_good() {
    // Without valid checksums, no target would read any further.
    let golden = std::fs::read(testdata("golden/v1.0.bga")).unwrap();
    let mut fixed = golden.clone();
    targets::fix_checksums(&mut fixed);
    assert!(fixed == golden);
    targets::fixes_are_right();
    let changed = (8192..golden.len()).filter(|at| {
        let mut file = golden.clone();
        file[*at] ^= 0x20;
        targets::fix_checksums(&mut file);
        scoresheet::Archive::open(ArchiveFile::from_bytes(file))
            .is_ok_and(|archive| archive.games().all(|game| game.is_ok()))
    });
    assert!(changed.count() > 500);
}

/// Numbers at which sums could overflow: this test program checks for overflow, except in release builds.
const GREAT: [u64; 3] = [u64::MAX, scoresheet::format::MOST + 1, scoresheet::format::MOST];

#[test]
fn great_numbers_overflow_nowhere() {
    great_numbers(23);
}

#[test]
#[ignore = "at every byte: some minutes"]
fn every_great_number_overflows_nowhere() {
    great_numbers(1);
}

/// Writes large numbers into an archive with valid checksums, in every number of its header pages and at intervals in
/// its blocks, and runs every operation on it.
fn great_numbers(every: usize) {
    assert!(
        catch_unwind(|| std::hint::black_box(u64::MAX) + std::hint::black_box(1)).is_err() == cfg!(debug_assertions)
    );
    let golden = std::fs::read(testdata("golden/v1.0.bga")).unwrap();
    assert!(scoresheet::Archive::open(ArchiveFile::from_bytes(golden.clone())).is_ok());
    let of_pages = (32..80).chain(4096 + 32..4096 + 80).step_by(8);
    let offsets: Vec<usize> = of_pages.chain((8192..golden.len() - 8).step_by(every)).collect();
    // On threads outside the pool: an operation on an archive waits for the pool, and would take other work meanwhile,
    // one nested in the other.
    let try_at = |at: usize| {
        for number in GREAT {
            let mut file = golden.clone();
            file[at..at + 8].copy_from_slice(&number.to_le_bytes());
            targets::fix_checksums(&mut file);
            let name = || format!("{number:#x} at {at}");
            let result = catch_unwind(AssertUnwindSafe(|| {
                targets::read_everything(file.clone());
                targets::use_files(&file);
            }));
            result.unwrap_or_else(|_| panic!("{}", name()));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    std::thread::scope(|scope| {
        for part in offsets.chunks(offsets.len().div_ceil(threads)) {
            scope.spawn(move || part.iter().for_each(|at| try_at(*at)));
        }
    });
}

/// Returns the present memory of the process in bytes, if the system reports it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[test]
#[ignore = "100,000 PGN mutants, and 20,000 of everything else"]
fn many_mutants_break_no_promise_and_memory_is_flat() {
    let (corpus, seed, states) = (corpus(), number("SCORESHEET_SEED", 2), number("SCORESHEET_STATES", 20_000));
    let pgn = targets::TARGETS.into_iter().find(|target| target.0 == "pgn_bytes").unwrap();
    run(pgn, &corpus, seed, 0..states);
    let before = memory();
    run(pgn, &corpus, seed, states..5 * states);
    let after = memory();
    println!("memory after {states} mutants {before:?}, after five times as many {after:?}");
    assert!(before.zip(after).is_none_or(|(before, after)| after < before + (32 << 20)), "{before:?} {after:?}");
    // Unpacking and tag queries take a hundred times as long as the other targets.
    let dear = ["packed_bytes", "packed_value", "headers_bytes", "archive_and_query"];
    for target in targets::TARGETS {
        run(target, &corpus, seed, 0..if dear.contains(&target.0) { states / 5 } else { states });
    }
}

#[test]
#[ignore = "a long run: SCORESHEET_SEED, SCORESHEET_FROM, SCORESHEET_STATES, SCORESHEET_TARGET"]
fn long_mutants() {
    let (corpus, seed) = (corpus(), number("SCORESHEET_SEED", 3));
    let (from, states) = (number("SCORESHEET_FROM", 0), number("SCORESHEET_STATES", 50_000));
    let only = std::env::var("SCORESHEET_TARGET").ok();
    let mut at = from;
    while at < from + states {
        let end = (at + 50_000).min(from + states);
        for target in targets::TARGETS.into_iter().filter(|target| only.as_deref().is_none_or(|only| only == target.0))
        {
            run(target, &corpus, seed, at..end);
        }
        at = end;
        println!(
            "seed {seed}: all states from {from} to {at} of each target hold, memory {:?}; SCORESHEET_FROM={at} goes on",
            memory()
        );
    }
}

//! Tag filters with the tag columns file. Asserts that they find the same games as a scan of every game's tags.
//!
//! Runs on the archive in SCORESHEET_BENCH_ARCHIVE, or on the sample, and builds the file if it is missing. Prints
//! medians for the first query after opening the file, and for repeated queries.

mod common;

use rayon::prelude::*;
use scoresheet::Archive;
use scoresheet::archive::{GameRef, SideState};
use scoresheet_query::{Filter, TagColumns, tag_columns};
use std::time::{Duration, Instant};

type Naive = fn(&GameRef) -> bool;

fn tag(game: &GameRef, name: &str) -> String {
    game.tag(name).expect("tags").unwrap_or_default()
}

fn elo(game: &GameRef, name: &str) -> u32 {
    tag(game, name).parse().unwrap_or(0)
}

fn has(game: &GameRef, name: &str, part: &str) -> bool {
    tag(game, name).to_lowercase().contains(part)
}

/// The first possible day of the date, as an increasing number.
fn day(game: &GameRef) -> u32 {
    let of = |name: &str| {
        let date = tag(game, name);
        // Digits, or only question marks.
        let number = |part: &str| if part.chars().all(|mark| mark == '?') { Some(0) } else { part.parse::<u32>().ok() };
        let mut parts = date.split(['.', '-', '/']).map(number).chain([Some(0); 2]);
        let [year, month, day] = [parts.next()??, parts.next()??, parts.next()??];
        let can_be = month <= 12 && day <= 31;
        let day = if month == 0 { 1 } else { day.max(1) };
        (year > 0 && can_be).then_some((year * 100 + month.max(1)) * 100 + day)
    };
    of("Date").or_else(|| of("UTCDate")).unwrap_or(0)
}

/// Filters, and the same conditions on tags.
const CASES: [(&str, Naive); 14] = [
    ("player ~ \"an\"", |game| has(game, "White", "an") || has(game, "Black", "an")),
    ("event ~ \"open\"", |game| has(game, "Event", "open")),
    ("site ~ \"london\" or event ~ \"candidates\"", |game| {
        has(game, "Site", "london") || has(game, "Event", "candidates")
    }),
    ("white in (\"Carlsen, Magnus\", \"Kasparov, Garry\")", |game| {
        ["Carlsen, Magnus", "Kasparov, Garry"].contains(&tag(game, "White").as_str())
    }),
    ("date >= 2005.03.01", |game| day(game) >= 20_050_301),
    ("year in 1990..2000", |game| (1990..=2000).contains(&(day(game) / 10_000))),
    ("elodiff <= 50 and minelo >= 2600", |game| {
        let (white, black) = (elo(game, "WhiteElo"), elo(game, "BlackElo"));
        white.min(black) >= 2600 && white.abs_diff(black) <= 50
    }),
    ("result != *", |game| !matches!(tag(game, "Result").as_str(), "*" | "")),
    ("not comments and moves <= 30", |game| !game.has_comments().expect("texts") && game.plies() <= 60),
    ("white ~ \"carlsen\"", |game| tag(game, "White").to_lowercase().contains("carlsen")),
    ("elo >= 2000 and result = 1-0", |game| {
        (elo(game, "WhiteElo") >= 2000 || elo(game, "BlackElo") >= 2000) && tag(game, "Result") == "1-0"
    }),
    ("plies > 100", |game| game.plies() > 100),
    ("eco in B90..B99 or eco = C42", |game| {
        let eco = tag(game, "ECO");
        (eco.len() == 3 && eco.starts_with("B9")) || eco == "C42"
    }),
    (
        "player ~ \"an\" and elo >= 1900 and year in 2010..2020 and not eco = B and result = 1-0 and plies > 60",
        |game| {
            (has(game, "White", "an") || has(game, "Black", "an"))
                && (elo(game, "WhiteElo") >= 1900 || elo(game, "BlackElo") >= 1900)
                && (2010..=2020).contains(&(day(game) / 10_000))
                && !tag(game, "ECO").starts_with('B')
                && tag(game, "Result") == "1-0"
                && game.plies() > 60
        },
    ),
];

fn main() {
    let sample = common::Sample::new();
    let archive = match std::env::var_os("SCORESHEET_BENCH_ARCHIVE") {
        Some(path) => Archive::open(path).expect("an archive"),
        None => sample.archive(),
    };
    if TagColumns::open(&archive).state() != SideState::File {
        let begun = Instant::now();
        let (size, _) = tag_columns::write(&archive).expect("room for the file");
        let each = size as f64 / archive.len() as f64;
        println!("tag columns: {size} bytes, {each:.1} a game, made in {:?}", begun.elapsed());
    }
    let rounds = if std::env::args().any(|arg| arg == "--test") { 3 } else { 51 };
    println!("{} games", archive.len());
    // The matching cases of each game, as a bit set.
    let passing =
        |game: &GameRef| CASES.iter().enumerate().fold(0u32, |bits, (at, case)| bits | u32::from(case.1(game)) << at);
    let expected: Vec<u32> = archive.par_games().map(|game| passing(&game.expect("a game"))).collect();
    for (case, (text, _)) in CASES.iter().enumerate() {
        let filter = Filter::parse(text).expect("a filter");
        let (mut first, mut again, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let begun = Instant::now();
            let headers = TagColumns::open(&archive);
            let games = filter.games(&headers).games;
            first.push(begun.elapsed());
            let begun = Instant::now();
            let same = filter.games(&headers).games;
            again.push(begun.elapsed());
            assert_eq!(games, same);
            found = games.iter().collect();
        }
        let expected = (1..).zip(&expected).filter(|(_, bits)| *bits >> case & 1 == 1).map(|(number, _)| number);
        assert!(found.iter().copied().eq(expected), "{text}");
        let median = |times: &mut Vec<Duration>| {
            times.sort();
            times[times.len() / 2]
        };
        println!("{text}: {} games, {:?} at first, {:?} again", found.len(), median(&mut first), median(&mut again));
    }
}

//! Header filters from the header columns file. Asserts that they find what reading every game's tags finds.
//!
//! Runs on the archive that SCORESHEET_BENCH_ARCHIVE names, or on the sample, makes the file if it is missing, and prints medians: of the
//! first question after the file was opened, and of the same again.

mod common;

use scoresheet::Archive;
use scoresheet::archive::{Game, IndexState};
use scoresheet::query::{Filter, Headers, headers};
use std::time::{Duration, Instant};

type Naive = fn(&Game) -> bool;

fn tag(game: &Game, name: &str) -> String {
    game.tag(name).expect("tags").unwrap_or_default()
}

fn elo(game: &Game, name: &str) -> u32 {
    tag(game, name).parse().unwrap_or(0)
}

/// Filters, and the same said by way of tags.
const CASES: [(&str, Naive); 5] = [
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
            let has = |name| tag(game, name).to_lowercase().contains("an");
            // A date of a 20th month is none.
            let can_be =
                |date: &str| date.get(5..7).and_then(|month| month.parse().ok()).is_none_or(|month: u8| month <= 12);
            let year = |name| Some(tag(game, name)).filter(|date| can_be(date))?.get(..4)?.parse::<u32>().ok();
            let year = year("Date").or_else(|| year("UTCDate")).unwrap_or(0);
            (has("White") || has("Black"))
                && (elo(game, "WhiteElo") >= 1900 || elo(game, "BlackElo") >= 1900)
                && (2010..=2020).contains(&year)
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
    if Headers::of(&archive).state() != IndexState::File {
        let begun = Instant::now();
        let (size, _) = headers::write(&archive).expect("room for the file");
        let each = size as f64 / archive.len() as f64;
        println!("header columns: {size} bytes, {each:.1} a game, made in {:?}", begun.elapsed());
    }
    let rounds = if std::env::args().any(|arg| arg == "--test") { 3 } else { 51 };
    println!("{} games", archive.len());
    for (text, naive) in CASES {
        let filter = Filter::parse(text).expect("a filter");
        let (mut first, mut again, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let begun = Instant::now();
            let headers = Headers::of(&archive);
            let games = filter.games(&headers).games;
            first.push(begun.elapsed());
            let begun = Instant::now();
            let same = filter.games(&headers).games;
            again.push(begun.elapsed());
            assert_eq!(games, same);
            found = games.iter().collect();
        }
        let expected: Vec<u64> =
            archive.games().map(|game| game.expect("a game")).filter(naive).map(|game| game.number()).collect();
        assert_eq!(found, expected, "{text}");
        let median = |times: &mut Vec<Duration>| {
            times.sort();
            times[times.len() / 2]
        };
        println!("{text}: {} games, {:?} at first, {:?} again", found.len(), median(&mut first), median(&mut again));
    }
}

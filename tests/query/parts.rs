//! The parts for training and test: games with the same moves are in one part, with any other content.

use scoresheet::{Archive, Import};
use scoresheet_query::report::sample::{Part, part_of, train_share};
use std::fmt::Write;

const PAWNS: [&str; 16] =
    ["a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3", "a4", "b4", "c4", "d4", "e4", "f4", "g4", "h4"];

/// Forms of a game of two moves: `W` and `B` are the moves, `#` the letter B.
const ADORNED: [&str; 18] = [
    "1. W B *",
    "1. W B 1-0",
    "1. W B 1/2-1/2",
    "W B 0-1",
    "1. W { a comment } B *",
    "{ before the game } 1. W B *",
    "1. W B { [%clk 0:01:00] [%eval 0.3] } *",
    "1. W ; to the end of the line\n1... B *",
    "1. W $1 B $14 $22 *",
    "1. W! B?? *",
    "1. W (1. Nf3 d5 (1... Nf6 2. g3) 2. c4) 1... B *",
    "1. W B (1... Nc6 2. Nc3) *",
    "1. W {x} $3 B! {y} ({z} 1... Nh6) {w} 0-1",
    "1. W B",
    "[Event \"E\"]\n[White \"a\"]\n[Result \"1-0\"]\n\n1. W B 1-0",
    "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RN#QK#NR w KQkq - 0 1\"]\n\n1. W B *",
    "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RN#QK#NR w KQkq - 7 9\"]\n\n9. W B *",
    "[Variant \"Chess960\"]\n\n1. W B *",
];

#[test]
fn adorned_games_are_in_the_part_of_the_plain_ones() {
    let folder = crate::common::tempdir().unwrap();
    let mut pgn = String::new();
    for white in PAWNS {
        for black in PAWNS {
            let black = black.replace('3', "6").replace('4', "5");
            for game in ADORNED {
                writeln!(
                    pgn,
                    "{}\n",
                    game.replace("W ", &format!("{white} "))
                        .replace("W!", &format!("{white}!"))
                        .replace('B', &black)
                        .replace('#', "B")
                )
                .unwrap();
            }
        }
    }
    let target = folder.path().join("games.bga");
    for packed in [false, true] {
        let import = Import::new(&target).replace();
        let summary = if packed { import.packed() } else { import }.run_reader("games.pgn", pgn.as_bytes()).unwrap();
        assert_eq!(summary.stored, (PAWNS.len() * PAWNS.len() * ADORNED.len()) as u64);
        let archive = Archive::open(&target).unwrap();
        for seed in [0, 1, 77] {
            let part = |game: u64| part_of(&archive.game(game).unwrap(), train_share(40), seed).unwrap();
            let mut tests = 0;
            for first in (1..=summary.stored).step_by(ADORNED.len()) {
                let plain = part(first);
                tests += usize::from(plain == Part::Test);
                for (index, game) in ADORNED.iter().enumerate() {
                    assert_eq!(part(first + index as u64), plain, "{game}");
                }
            }
            // 40 percent of 256 are 102; five standard deviations are 39.
            assert!((63..=141).contains(&tests), "{tests}");
        }
    }
}

//! `repertoire`: gaps, double answers and departures, by a program that compares positions as FENs.

use crate::common::cli::{Room, json};
use crate::common::sample;
use scoresheet::chess::Color;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::{Archive, Position};
use serde_json::Value;
use std::collections::BTreeMap;

const MINE: &str = "1. e4 e5 (1... c5 2. Nf3 d6 (2... Nc6 3. Bb5) 3. d4 (3. Bb5+)) 2. Nf3 Nc6 3. Bc4 *\n\n\
                    1. e4 d6 2. d4 Nf6 3. Nc3 *\n";

fn four(position: &Position) -> String {
    let mut text = Vec::new();
    position.write_four(&mut text, EnPassantStyle::Legal, CastlingStyle::XFen);
    String::from_utf8(text).unwrap()
}

/// The answers of the repertoire by position, with its lines written out.
fn answers() -> BTreeMap<String, Vec<String>> {
    let lines = ["e4 e5 Nf3 Nc6 Bc4", "e4 c5 Nf3 d6 d4", "e4 c5 Nf3 d6 Bb5+", "e4 c5 Nf3 Nc6 Bb5", "e4 d6 d4 Nf6 Nc3"];
    let mut answers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        let mut position = Position::standard();
        for san in line.split(' ') {
            let known = answers.entry(four(&position)).or_default();
            if !known.iter().any(|other| other == san) {
                known.push(san.to_owned());
            }
            position.play_unchecked(position.parse_san(san).unwrap());
        }
        answers.entry(four(&position)).or_default();
    }
    answers
}

#[test]
fn the_report_is_that_of_a_naive_program() {
    let room = Room::new();
    room.write("mine.pgn", MINE);
    room.write("games.pgn", sample::first_games_text(1500));
    room.fine(&["import", "games.pgn", "-o", "games.bga", "-q"]);
    let answers = answers();
    for side in [Color::White, Color::Black] {
        let (mut holes, mut others, mut choices) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut ways: BTreeMap<&str, u64> = BTreeMap::new();
        for game in Archive::open(room.path("games.bga")).unwrap().games() {
            let (mut how, game) = ("never", game.unwrap());
            for played in game.moves().map(Result::unwrap) {
                let (here, next) = (four(played.before()), four(&played.after()));
                let known = &answers[&here];
                let is_own = played.color() == side;
                if known.is_empty() {
                    how = "end";
                    break;
                }
                if is_own && known.len() > 1 && known.contains(&played.san()) {
                    *choices.entry((here.clone(), played.san())).or_insert(0u64) += 1;
                }
                if !(known.contains(&played.san()) || !is_own && answers.contains_key(&next)) {
                    how = if is_own { "own" } else { "opponent" };
                    let counts = if is_own { &mut others } else { &mut holes };
                    *counts.entry((here, played.san())).or_insert(0) += 1;
                    break;
                }
            }
            *ways.entry(how).or_default() += 1;
        }
        let args = ["repertoire", "mine.pgn", "games.bga", "--side", &side.to_string(), "--json", "--limit", "1000"];
        let report = json(&room.fine(&args)).remove(0);
        for (way, games) in &ways {
            assert_eq!(report[*way].as_u64(), Some(*games), "{side} {way}");
        }
        assert_eq!(report["games"].as_u64(), Some(ways.values().sum()));
        // Two archives of the same games: the same moves in the same order, each twice as often.
        room.write("copy.bga", room.read("games.bga"));
        let both = [&args[..2], &["copy.bga"], &args[2..]].concat();
        let both = json(&room.fine(&both)).remove(0);
        for part in ["holes", "others", "choices"] {
            let rows = |report: &Value, times: u64| -> Vec<(String, u64)> {
                let row = |row: &Value| (row["line"].to_string(), row["games"].as_u64().unwrap() * times);
                report[part].as_array().unwrap().iter().map(row).collect()
            };
            assert_eq!(rows(&both, 1), rows(&report, 2), "{side} {part}");
        }
        for (part, expected) in [("holes", &holes), ("others", &others), ("choices", &choices)] {
            let found: BTreeMap<(String, String), u64> = report[part]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| {
                    let position: Position = row["fen"].as_str().unwrap().parse().unwrap();
                    ((four(&position), row["move"].as_str().unwrap().to_owned()), row["games"].as_u64().unwrap())
                })
                .collect();
            assert_eq!(&found, expected, "{side} {part}");
            assert!(side == Color::Black || !expected.is_empty(), "{part}");
        }
    }
}

#[test]
fn archives_tables_and_faults() {
    let room = Room::new();
    room.write("mine.pgn", MINE);
    room.write("games.pgn", "[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 d6 0-1\n\n1. d4 *\n");
    room.fine(&["import", "games.pgn", "-o", "games.bga", "-q"]);
    room.fine(&["import", "mine.pgn", "-o", "mine.bga", "-q"]);
    let of_pgn = room.fine(&["repertoire", "mine.pgn", "games.bga", "--side", "white"]);
    let of_archive = room.fine(&["repertoire", "mine.bga", "games.bga", "--side", "white"]);
    assert_eq!(of_pgn.replace("mine.pgn", "mine.bga"), of_archive);
    assert!(
        of_pgn.contains("1. e4 e5 2. Nf3 d6") && of_pgn.contains("1 game left by White, 1 game by Black"),
        "{of_pgn}"
    );
    let csv =
        room.fine(&["repertoire", "mine.bga", "games.bga", "--side", "white", "--show", "games", "--format", "csv"]);
    assert_eq!(csv, "game,left,ply,line\n1,opponent,3,1. e4 e5 2. Nf3 d6\n2,own,0,1. d4\n");
    // With several archives, a game is named by its archive and its number there.
    room.fine(&["import", "games.pgn", "-o", "more.bga", "-q"]);
    let both = ["repertoire", "mine.bga", "games.bga", "more.bga", "--side", "white", "--show", "games"];
    let csv = room.fine(&[&both[..], &["--format", "csv"]].concat());
    assert!(
        csv.starts_with("archive,game,left,ply,line\ngames.bga,1,") && csv.contains("\nmore.bga,2,own,0,"),
        "{csv}"
    );
    let found = json(&room.fine(&[&both[..], &["--json"]].concat())).remove(0);
    let last = &found["leaving"][3];
    assert_eq!((&last["archive"], &last["game"]), (&"more.bga".into(), &2.into()));
    assert!(room.fine(&both).contains("more.bga"));
    room.write("none.pgn", "1. e4 *\n");
    room.fails(&["repertoire", "none.pgn", "games.bga", "--side", "black"], 1, &["no moves of Black"]);
    room.write("bad.pgn", "1. e4 e5 2. Qh7 *\n");
    let done = room.run(&["repertoire", "bad.pgn", "games.bga", "--side", "white"]);
    assert!(done.code == Some(0) && done.err.contains("1 fault"), "{}", done.err);
}

/// The days of a date before today, as a PGN date.
fn days_ago(days: i64) -> String {
    let today = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() / 86_400;
    let (year, month, day) = scoresheet::game::calendar::civil(today as i64 - days);
    format!("{year:04}.{month:02}.{day:02}")
}

#[test]
fn a_repertoire_has_the_rules_of_the_games() {
    let room = Room::new();
    let hill = "[Variant \"King of the Hill\"]\n\n1. e4 e5 2. Nf3 *\n\n";
    room.write("hill.pgn", hill);
    room.write("g.pgn", format!("{hill}1. e4 e5 2. Nf3 *\n"));
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let args = ["repertoire", "hill.pgn", "g.bga", "--side", "white"];
    let done = room.run(&args);
    assert!(done.err.contains("1 game of a variant is left out\n") && done.code == Some(1), "{}", done.err);
    let report = room.fine(&[&args[..], &["--variant", "King of the Hill", "--limit", "0"]].concat());
    assert!(report.contains("1 game: 1 game to the end") && report.ends_with("not shown\n"), "{report}");
}

#[test]
fn games_that_follow_a_repertoire_are_found() {
    let room = Room::new();
    room.write("mine.pgn", MINE);
    room.write("games.pgn", sample::first_games_text(1500));
    room.fine(&["import", "games.pgn", "-o", "games.bga", "-q"]);
    for side in ["white", "black"] {
        let report = room.fine(&[
            "repertoire",
            "mine.pgn",
            "games.bga",
            "--side",
            side,
            "--show",
            "games",
            "--limit",
            "9999",
            "--json",
        ]);
        let report = &json(&report)[0];
        let find = |more: &[&str]| {
            let args =
                [&["find", "games.bga", "--repertoire", "mine.pgn", "--side", side, "--format", "json"][..], more]
                    .concat();
            let rows = json(&room.fine(&args));
            rows.iter().map(|row| (row["game"].as_u64().unwrap(), row["hits"][0]["ply"].as_u64())).collect::<Vec<_>>()
        };
        let mut all = Vec::new();
        for way in ["never", "end", "own", "opponent"] {
            let leaving = report["leaving"].as_array().unwrap().iter().filter(|row| row["left"] == way);
            let plies = leaving.map(|row| (row["game"].as_u64().unwrap(), row["ply"].as_u64()));
            let mut expected: Vec<_> = plies.filter(|(_, ply)| *ply != Some(0)).collect();
            let mut found = find(&["--leaves", way]);
            if way == "never" {
                // The report gives no ply. A game without moves does not follow the repertoire.
                found.iter_mut().for_each(|(_, ply)| *ply = None);
                let plies = |game: u64| Archive::open(room.path("games.bga")).unwrap().game(game).unwrap().plies();
                expected.retain(|(game, _)| plies(*game) > 0);
            }
            assert!(way == "never" || !expected.is_empty(), "{side} {way}");
            assert_eq!(found, expected, "{side} {way}");
            all.extend(expected.iter().map(|(game, _)| *game));
        }
        all.sort_unstable();
        assert_eq!(find(&[]).iter().map(|(game, _)| *game).collect::<Vec<_>>(), all, "{side}");
        let two = find(&["--leaves", "own,opponent", "--where", "result = 1-0"]);
        let won = find(&["--leaves", "own"]).len() + find(&["--leaves", "opponent"]).len();
        assert!(!two.is_empty() && two.len() < won, "{side}");
        // As JSON: the text of the repertoire instead of its file.
        let as_json = |members: Value| -> Vec<(u64, Option<u64>)> {
            let mut query = serde_json::json!({ "repertoire": MINE, "side": side });
            query.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            let rows = json(&room.fine(&["find", "games.bga", "--query", &query.to_string(), "--json"]));
            rows.iter().map(|row| (row["game"].as_u64().unwrap(), row["hits"][0]["ply"].as_u64())).collect()
        };
        assert_eq!(as_json(serde_json::json!({})), find(&[]), "{side}");
        let white_wins = serde_json::json!({ "leaves": ["own", "opponent"], "where": "result = 1-0" });
        assert_eq!(as_json(white_wins), two, "{side}");
        assert_eq!(as_json(serde_json::json!({ "leaves": "never" })).len(), find(&["--leaves", "never"]).len());
        // Together with a position or a pattern: the games of both, with the plies of the latter.
        for (more, members) in [
            (&["--moves", "e4 c5 Nf3"][..], serde_json::json!({ "moves": "e4 c5 Nf3" })),
            (
                &["--material", "KQRRBBNNPPPPPPPkqrrbbnnppppppp"],
                serde_json::json!({ "material": "KQRRBBNNPPPPPPPkqrrbbnnppppppp" }),
            ),
            (&["--moves", "e4 e5", "--variations"], serde_json::json!({ "moves": "e4 e5", "variations": true })),
        ] {
            let alone = json(&room.fine(&[&["find", "games.bga", "--format", "json"][..], more].concat()));
            let alone = alone.iter().map(|row| (row["game"].as_u64().unwrap(), row["hits"][0]["ply"].as_u64()));
            let expected: Vec<_> = alone.filter(|(game, _)| all.contains(game)).collect();
            assert_eq!(find(more), expected, "{side} {more:?}");
            assert_eq!(as_json(members), expected, "{side} {more:?}");
            assert!(!expected.is_empty(), "{side} {more:?}");
        }
    }
    for (query, words) in [
        (r#"{"repertoire": "1. e4 e5 *"}"#, "needs the member side"),
        (r#"{"repertoire": "1. e4 e4 *", "side": "white"}"#, "e4"),
        (r#"{"repertoire": "1. e4 *", "side": "black"}"#, "no moves of this side"),
        (r#"{"repertoire": "1. e4 *", "side": "both"}"#, "expected white or black"),
        (r#"{"repertoire": "1. e4 *", "side": "white", "leaves": "late"}"#, "expected end, own, opponent, never"),
        (r#"{"side": "white"}"#, "needs the member repertoire"),
        (r#"{"repertoire": "1. e4 *", "side": "white", "either_color": true}"#, "of one side"),
    ] {
        let done = room.run(&["find", "games.bga", "--query", query]);
        assert!(done.code == Some(2) && done.err.contains(words), "{query}: {}", done.err);
    }
    let find = ["find", "games.bga", "--repertoire", "mine.pgn", "--side", "white"];
    for more in [&["--moves", "e4", "--either-color"][..], &["--either-color"], &["--variations"]] {
        room.fails(
            &[&find[..], more].concat(),
            2,
            &["a repertoire is of one side and of main lines: leave out --either"],
        );
    }
    assert_eq!(room.run(&["find", "games.bga", "--repertoire", "mine.pgn"]).code, Some(2));
    assert_eq!(room.run(&["find", "games.bga", "--leaves", "own"]).code, Some(2));
}

#[test]
fn new_moves_are_those_of_the_last_days() {
    let room = Room::new();
    room.write("mine.pgn", MINE);
    let game = |date: &str, moves: &str| format!("[Date \"{date}\"]\n\n{moves} *\n\n");
    let games = [
        game("2001.01.01", "1. e4 e6 2. d4"),
        game("????.??.??", "1. e4 g6"),
        game(&days_ago(3), "1. e4 e6 2. d4"),
        game(&days_ago(3), "1. e4 g6"),
        game(&days_ago(3), "1. e4 a6 2. d4"),
        game(&days_ago(2), "1. e4 a6 2. Nf3"),
        game(&days_ago(20), "1. e4 h5"),
        game(&days_ago(1), "1. d4 d5"),
    ];
    room.write("g.pgn", games.concat());
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let new = |days: &str| {
        let report =
            &json(&room.fine(&["repertoire", "mine.pgn", "g.bga", "--side", "white", "--new", days, "--json"]))[0];
        let lines = |part: &str| {
            let rows = report[part].as_array().unwrap().iter();
            rows.map(|row| (row["line"].as_str().unwrap().to_owned(), row["games"].as_u64().unwrap()))
                .collect::<Vec<_>>()
        };
        (report["games"].as_u64().unwrap(), lines("holes"), lines("others"))
    };
    let line = |text: &str, games: u64| (text.to_owned(), games);
    assert_eq!(new("7"), (5, vec![line("1. e4 a6", 2)], vec![line("1. d4", 1)]));
    assert_eq!(new("30"), (6, vec![line("1. e4 a6", 2), line("1. e4 h5", 1)], vec![line("1. d4", 1)]));
    let none = |options: &[&str]| {
        room.run(&[&["repertoire", "mine.pgn", "g.bga", "--side", "white", "--new", "1"], options].concat()).err
    };
    let early = none(&["--where", "year = 2001"]);
    assert!(early.contains("no game is of the last 1 day") && !early.contains("no games"), "{early}");
    assert!(none(&["--where", "year = 1900"]).contains("no game matches --where 'year = 1900'"));
}

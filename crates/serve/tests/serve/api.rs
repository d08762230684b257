//! The API: its description, its lists, and its searches compared with the library's answers.

use crate::common::{SPELLINGS, Server, archive, index};
use crate::shared::questions;
use scoresheet::{Archive, Import, Position};
use scoresheet_query::pattern::PatternOptions;
use scoresheet_query::{Filter, PositionQuery, Search, SearchOptions, TagColumns};
use scoresheet_serve::Config;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn pages_of_a_list_have_every_game_once() {
    let server = Server::of_sample();
    let archive = Archive::open(server.folder.path().join("sample.bga")).unwrap();
    for (filter, sort) in [("", ""), ("elo >= 1900", ""), ("result = 1-0", "-plies"), ("", "white,-date")] {
        let (mut numbers, mut after) = (Vec::new(), String::new());
        loop {
            let page = server.fine(&format!("/api/v1/games?limit=400&where={filter}&sort={sort}{after}")).json();
            numbers.extend(page["games"].as_array().unwrap().iter().map(|game| game["game"].as_u64().unwrap()));
            match page["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => {
                    assert_eq!(page["total"].as_u64().unwrap(), numbers.len() as u64);
                    break;
                }
            }
        }
        let columns = TagColumns::open(&archive);
        let expected: Vec<u64> = match filter {
            "" => (1..=archive.len()).collect(),
            text => Filter::parse(text).unwrap().games(&columns).games.iter().collect(),
        };
        match sort {
            "" => assert_eq!(numbers, expected, "{filter}"),
            _ => {
                assert_eq!(numbers.iter().collect::<BTreeSet<_>>(), expected.iter().collect(), "{filter} {sort}");
                let games: Vec<(usize, u64)> = expected.iter().map(|game| (0, *game)).collect();
                let order =
                    sort.parse::<scoresheet_query::SortKeys>().unwrap().order(&[&columns], &games, usize::MAX).0;
                let sorted: Vec<u64> = order.into_iter().map(|index| games[index].1).collect();
                assert_eq!(numbers, sorted, "{filter} {sort}");
            }
        }
    }
}

#[test]
fn a_heading_says_what_the_game_says() {
    // Test with the columns and with the tags.
    for indexed in [true, false] {
        let server = Server::with(|folder| {
            let path = folder.join("sample.bga");
            Import::new(&path).run([crate::common::sample()]).unwrap();
            if indexed {
                index(&path);
            }
            Config { archives: vec![path], ..Config::default() }
        });
        let archive = Archive::open(server.folder.path().join("sample.bga")).unwrap();
        let page = server.fine("/api/v1/games?limit=100&offset=1500").json();
        for game in page["games"].as_array().unwrap() {
            let game_ref = archive.game(game["game"].as_u64().unwrap()).unwrap();
            let tag = |name: &str| game_ref.tag(name).unwrap().filter(|value| value != "?");
            assert_eq!(game["white"].as_str().map(str::to_owned), tag("White"));
            assert_eq!(game["black_elo"].as_u64(), tag("BlackElo").and_then(|rating| rating.parse().ok()));
            assert_eq!(game["result"].as_str().map(str::to_owned), tag("Result"));
            assert_eq!(game["plies"].as_u64(), Some(game_ref.plies().into()));
        }
    }
}

#[test]
fn a_tree_its_list_and_its_download_are_of_the_same_games() {
    let server = Server::of_sample();
    let archive = Archive::open(server.folder.path().join("sample.bga")).unwrap();
    let mut position = Position::standard();
    for san in ["e4", "c5", "Nf3"] {
        position.play_unchecked(position.parse_san(san.as_bytes()).unwrap());
    }
    let query = "play=e2e4,c7c5,g1f3&where=elo >= 1500";
    let tree = server.fine(&format!("/api/v1/tree?{query}")).json();
    let passed = Filter::parse("elo >= 1500").unwrap().games(&TagColumns::open(&archive)).games;
    let plain = Search::new(&archive).among(&passed).tree(&position);
    assert_eq!(tree["games"], plain.tally.games());
    assert!(plain.tally.games() > 50);
    let moves: Vec<(String, u64)> = tree["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["san"].as_str().unwrap().to_owned(), m["games"].as_u64().unwrap()))
        .collect();
    let expected: Vec<(String, u64)> =
        plain.branches.iter().map(|branch| (position.san(branch.m), branch.tally.games())).collect();
    assert_eq!(moves, expected);
    let list = server.fine(&format!("/api/v1/games?limit=500&{query}")).json();
    assert_eq!(list["total"], tree["games"]);
    let hits =
        Search::new(&archive).among(&passed).position(&PositionQuery::from(&position), SearchOptions::default()).hits;
    let listed: Vec<(u64, u64)> = list["games"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| (game["game"].as_u64().unwrap(), game["ply"].as_u64().unwrap()))
        .collect();
    assert_eq!(listed, hits.iter().map(|hit| (hit.game, u64::from(hit.ply))).collect::<Vec<_>>());
    let pgn = server.fine(&format!("/api/v1/download.pgn?{query}"));
    let summary = Import::new(server.folder.path().join("again.bga")).run_reader("again.pgn", &pgn.body[..]).unwrap();
    assert_eq!((summary.stored, summary.rejected), (plain.tally.games(), 0));
}

#[test]
fn transpositions_and_games_that_end_are_shown() {
    let server = Server::of(
        "1. e4 c5 2. Nf3 1-0\n\n1. Nf3 c5 2. g3 0-1\n\n1. e4 c5 2. Nf3 d6 *\n\n1. e4 c5 1/2-1/2\n\n1. Nf3 1-0\n",
    );
    // After 1. Nf3 c5 the move 2. e4 was never played, and reaches a position of two games.
    let tree = server.fine("/api/v1/tree?play=g1f3,c7c5&transpositions=1").json();
    let rows = tree["transpositions"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{tree}");
    assert_eq!((rows[0]["san"].as_str(), rows[0]["games"].as_u64()), (Some("e4"), Some(2)));
    let ended = server.fine("/api/v1/tree?play=e2e4,c7c5").json();
    assert_eq!(ended["ended"], json!({"games": 1, "white": 0, "draws": 1, "black": 0, "unknown": 0}));
    assert_eq!(ended["games"], 3);
}

#[test]
fn a_game_is_given_with_everything_in_it() {
    let pgn = "[Event \"Test\"]\n[White \"A <b>\"]\n[Black \"B\"]\n[Site \"https://example.org/1\"]\n[Result \"1-0\"]\n\n{Before} \
               1. e4! {[%clk 0:03:00] [%eval 0.35] [%csl Ge4][%cal Rg1f3,Yb1c3] Good.} (1. d4 $5 d5 (1... Nf6 {Indian}) 2. c4) \
               1... e5 $14 {[%clk 0:02:58] [%eval #-2]} 2. Nf3 1-0\n";
    let server = Server::of(pgn);
    let game = server.fine("/api/v1/games/1?fens=1").json();
    assert_eq!(game["tags"][1], json!(["White", "A <b>"]));
    assert_eq!(game["before"][0]["text"], "Before");
    let first = &game["moves"][0];
    assert_eq!((&first["san"], &first["clock"], &first["eval"]), (&json!("e4"), &json!(180.0), &json!("0.35")));
    assert_eq!(first["marks"], json!(["!"]));
    assert_eq!(
        first["comments"][0],
        json!({"kind": "comment", "text": "Good.", "squares": ["Ge4"], "arrows": ["Rg1f3", "Yb1c3"]})
    );
    let variation = &first["variations"][0]["moves"];
    assert_eq!(
        (&variation[0]["san"], &variation[0]["ply"], &variation[0]["nags"]),
        (&json!("d4"), &json!(1), &json!([5]))
    );
    assert_eq!(variation[1]["variations"][0]["moves"][0]["comments"][0]["text"], "Indian");
    assert_eq!(variation[2]["san"], "c4");
    assert_eq!((&game["moves"][1]["eval"], &game["moves"][1]["nags"]), (&json!("#-2"), &json!([14])));
    let fen = game["moves"][2]["fen"].as_str().unwrap();
    assert_eq!(fen, Archive::open(server.folder.path().join("games.bga")).unwrap().position(1, 3).unwrap().fen());
    assert_eq!(server.fine("/api/v1/games/1/original").text(), pgn);
    assert!(
        server.fine("/api/v1/games/1/pgn").text().contains("(1... Nf6 { Indian })")
            || server.fine("/api/v1/games/1/pgn").text().contains("{Indian}")
    );
    for path in ["/api/v1/games/0", "/api/v1/games/2", "/api/v1/games/2/pgn", "/api/v1/games/99999999999999"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn a_game_leaves_the_others_at_a_move() {
    let server = Server::of("1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n1. Nf3 Nc6 2. e4 e5 3. Bc4 *\n\n1. d4 *\n");
    let first = server.fine("/api/v1/games/1/novelty").json();
    // Both games transpose to the same position and leave it after that.
    assert_eq!((first["ply"].as_u64(), first["san"].as_str()), (Some(5), Some("Bb5")));
    assert_eq!(first["games_before"], 1);
    let second = server.fine("/api/v1/games/2/novelty").json();
    assert_eq!((second["ply"].as_u64(), second["san"].as_str()), (Some(5), Some("Bc4")));
    let third = server.fine("/api/v1/games/3/novelty").json();
    assert_eq!((third["ply"].as_u64(), third["games_before"].as_u64()), (Some(1), Some(2)));
    // Games of variants begin at positions of their own.
    let others = "1. e4 *\n\n1. d4 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Variant \"Atomic\"]\n\n1. d4 *\n\n[Variant \"Crazyhouse\"]\n\n1. e4 *\n";
    let mixed = Server::of(others);
    for (game, begun) in [(1, 1), (3, 1), (5, 0)] {
        let found = mixed.fine(&format!("/api/v1/games/{game}/novelty")).json();
        assert_eq!((&found["ply"], &found["games_before"]), (&json!(1), &json!(begun)), "game {game}");
    }
    // Chess games are compared with chess games alone, and games of variants with those of their rules.
    let king = "[Variant \"King of the Hill\"]\n\n1. e4 e5 2. Ke2 *\n\n";
    let mixed = Server::of(&format!("1. e4 e5 2. Ke2 Ke7 *\n\n{king}1. e4 e5 2. Nf3 *\n\n{king}"));
    for (game, novelty, begun) in [(1, 3, 1), (2, 0, 1), (3, 3, 1)] {
        let found = mixed.fine(&format!("/api/v1/games/{game}/novelty")).json();
        assert_eq!(
            (found["ply"].as_u64().unwrap_or(0), found["games_before"].as_u64()),
            (novelty, Some(begun)),
            "{game}"
        );
    }
    // Deleted games do not count, and neither does the game itself, however often it repeats a position.
    let shuffled: String = (1..150).map(|n| format!("{}. Nf3 Nf6 {}. Ng1 Ng8 ", 2 * n, 2 * n + 1)).collect();
    let many = format!("1. e4 e5 {shuffled}*\n\n1. a3 *\n\n{}", "1. e4 e5 2. Nf3 *\n\n".repeat(150));
    let deleted = Server::with(|folder| {
        let path = archive(folder, "d.bga", &many);
        index(&path);
        Archive::delete(&path, 3..=152).unwrap();
        Config { archives: vec![path], ..Config::default() }
    });
    let found = deleted.fine("/api/v1/games/1/novelty").json();
    assert_eq!((found["ply"].as_u64(), found["games_before"].as_u64()), (Some(1), Some(1)));
    let game = deleted.fine("/api/v1/games/2").json();
    assert_eq!((&game["previous"], &game["next"]), (&json!(1), &Value::Null));
    let plain =
        Server::with(|folder| Config { archives: vec![archive(folder, "a.bga", "1. e4 *\n")], ..Config::default() });
    for path in ["games/1/novelty", "games?where=novelty < 10", "games?sort=novelty", "download.pgn?where=novelty > 1"]
    {
        let refused = plain.get(&format!("/api/v1/{path}"));
        assert_eq!((refused.status, refused.json()["error"]["code"].as_str()), (409, Some("no_index")), "{path}");
    }
    assert_eq!(plain.post("/api/v1/find", &json!({"moves": "e4", "where": "novelty < 10"})).status, 409);
}

#[test]
fn a_filter_and_a_question_are_one_search() {
    // Black plays Bxh2+ and loses; White plays Bxh7+ and wins.
    let win = "1. e4 e6 2. d4 d5 3. Bd3 Nf6 4. e5 Nfd7 5. Nf3 Be7 6. Bxh7 1-0\n\n";
    let loss = "1. e4 e5 2. d3 d6 3. d4 Bd6 0-1\n\n";
    let server = Server::of(&format!("[Result \"1-0\"]\n\n{win}[Result \"0-1\"]\n\n{win}[Result \"0-1\"]\n\n{loss}"));
    let question = json!({"white_move": "Bxh7", "either_color": true});
    let path = format!("/api/v1/games?where=score = 1&find={question}");
    let total = |more: &str| server.fine(&format!("{path}{more}")).json()["total"].clone();
    assert_eq!(total(""), 1);
    let mut asked = question.clone();
    asked["where"] = "score = 1".into();
    assert_eq!(server.post("/api/v1/find", &asked).lines().last().unwrap()["done"]["found"], 1);
    assert_eq!(total("&limit=1"), 1);
    assert_eq!(server.fine("/api/v1/games?offset=18446744073709551615").json()["games"], json!([]));
    // What a search skips is not remembered for other requests.
    let skipping = json!({"white-move": "Bxh7", "skip": 1});
    assert_eq!(server.post("/api/v1/find", &skipping).lines().last().unwrap()["done"]["found"], 1);
    let path = format!("/api/v1/games?find={skipping}");
    assert_eq!(server.fine(&path).json()["total"], 2);
}

#[test]
fn searches_find_what_the_library_finds() {
    let server = Server::of_sample();
    let archive = Archive::open(server.folder.path().join("sample.bga")).unwrap();
    let numbers =
        |lines: &[Value]| -> Vec<u64> { lines.iter().filter_map(|line| line["hit"]["game"].as_u64()).collect() };
    let patterns = [
        json!({"material": "KRP+krp+"}),
        json!({"board": "8/8/8/8/8/3B1N2/8/8", "plies": 3, "limit": 5000}),
        json!({"white_move": "Bxh7+", "either_color": true}),
        json!({"query": {"sequence": [{"white-move": "O-O"}, {"black-move": "O-O-O"}]}}),
    ];
    for body in patterns {
        let lines = server.post("/api/v1/find", &body).lines();
        let search = Search::new(&archive);
        let either = body["either_color"].as_bool().unwrap_or(false);
        let pattern = match &body {
            body if body.get("query").is_some() => {
                scoresheet_query::pattern::json::parse(&body["query"].to_string()).unwrap().pattern
            }
            body => {
                use scoresheet_query::pattern::{BoardPattern, Condition, Material, MoveRule, Pattern};
                let mut condition = Condition::default();
                condition.materials.extend(body["material"].as_str().map(|text| Material::parse(text).unwrap()));
                condition.boards.extend(body["board"].as_str().map(|text| BoardPattern::parse(text).unwrap()));
                condition.moves.extend(
                    body["white_move"]
                        .as_str()
                        .map(|text| MoveRule::parse(text, scoresheet::chess::Color::White).unwrap()),
                );
                Pattern::lasting(condition, body["plies"].as_u64().unwrap_or(1) as usize)
            }
        };
        let mut expected: Vec<u64> = search
            .pattern(&pattern, PatternOptions { either_color: either, ..PatternOptions::default() })
            .hits
            .iter()
            .map(|hit| hit.game)
            .collect();
        expected.dedup();
        assert!(!expected.is_empty(), "{body}");
        assert_eq!(numbers(&lines), expected, "{body}");
        let done = &lines.last().unwrap()["done"];
        assert_eq!(
            (done["found"].as_u64(), done["complete"].as_bool()),
            (Some(expected.len() as u64), Some(true)),
            "{body}"
        );
    }
    // The same setup by position, with its mirror image.
    let first = server.fine("/api/v1/find?play=e2e4,e7e6&limit=5000").lines();
    let both = server.fine("/api/v1/find?play=e2e4,e7e6&either_color=1&limit=5000").lines();
    assert!(numbers(&first).len() > 50 && numbers(&both).len() >= numbers(&first).len());
    let few = server.fine("/api/v1/find?play=e2e4&limit=7").lines();
    assert_eq!((numbers(&few).len(), few.last().unwrap()["done"]["complete"].as_bool()), (7, Some(false)));
}

/// Sends the shared test queries (`tests/common/questions.rs`) to the server.
#[test]
fn the_server_answers_the_questions() {
    let server = Server::with(|folder| {
        let set = questions::archives(folder);
        let archives = set.archives().map(|archive| archive.path().to_path_buf()).collect();
        Config { archives, ..Config::default() }
    });
    for question in questions::questions() {
        let reply = server.post("/api/v1/find", &question.ask);
        assert_eq!(reply.status, 200, "{}: {}", question.ask, reply.text());
        let lines = reply.lines();
        let hits: Vec<&Value> = lines.iter().filter_map(|line| line.get("hit")).collect();
        let games: Vec<u64> = hits.iter().map(|hit| hit["game"].as_u64().unwrap()).collect();
        assert_eq!(games, question.games, "{}", question.ask);
        let plies = |hit: &&Value| serde_json::from_value::<Vec<u32>>(hit["plies_found"].clone()).unwrap();
        let plies: Vec<Vec<u32>> = hits.iter().map(plies).filter(|plies| !plies.is_empty()).collect();
        assert_eq!(plies, question.plies, "{}", question.ask);
        let done = &lines.last().unwrap()["done"];
        assert_eq!(done["found"].as_u64(), Some(games.len() as u64), "{done}");
        assert!(done["complete"] == true || question.ask.get("limit").is_some(), "{}: {done}", question.ask);
    }
    // The games of a single archive keep their numbers.
    let lines = server.post("/api/v1/find", &json!({"archive": 2, "end": "mate"})).lines();
    let games = lines.iter().filter_map(|line| line.get("hit")?["game"].as_u64());
    assert_eq!(games.collect::<Vec<u64>>(), [3003, 3006, 3007]);
}

/// The latest games are those with the latest dates, in whatever order the archive contains them, with an index and
/// without one, over several moves and several archives.
#[test]
fn latest_games_have_the_latest_dates() {
    let games = |first: u32, moves: &str| -> String {
        // The dates go back from the 28th: the first games are the latest.
        let game =
            |n: u32| format!("[White \"{}\"]\n[Date \"2020.03.{:02}\"]\n\n{moves}\n\n", first + n, 28 - 2 * n - first);
        (0..12).map(game).collect()
    };
    let unknown = "[White \"unknown day\"]\n[Date \"2020.??.??\"]\n\n1. e4 *\n\n[White \"earlier\"]\n[Date \"2019.12.31\"]\n\n1. e4 *\n\n";
    let texts = [games(0, "1. e4 1-0") + unknown, games(1, "1. d4 1-0")];
    for has_index in [true, false] {
        let server = Server::with(|folder| {
            let archives =
                ["a.bga", "b.bga"].iter().zip(&texts).map(|(name, text)| archive(folder, name, text)).collect();
            let config = Config { archives, ..Config::default() };
            config.archives.iter().filter(|_| has_index).for_each(|path| index(path));
            config
        });
        let tree = server.fine("/api/v1/tree").json();
        let dates: Vec<&str> =
            tree["latest_games"].as_array().unwrap().iter().filter_map(|game| game["date"].as_str()).collect();
        let expected: Vec<String> = (21..=28).rev().map(|day| format!("2020.03.{day}")).collect();
        assert_eq!(dates, expected, "with an index: {has_index}");
        let recent = server.fine("/lichess?topGames=0&recentGames=3").json();
        let names: Vec<&Value> =
            recent["recentGames"].as_array().unwrap().iter().map(|game| &game["white"]["name"]).collect();
        assert_eq!(names, ["0", "1", "1"], "{recent}");
    }
}

/// Errors name a game by its number in all archives, not in its own.
#[test]
fn errors_have_the_numbers_of_all_archives() {
    let server = Server::with(|folder| {
        let paths = ["a.bga", "b.bga"].map(|name| archive(folder, name, "1. e4 *\n\n1. d4 *\n\n1. c4 *\n"));
        Archive::delete(&paths[1], [2]).unwrap();
        Config { archives: paths.into(), ..Config::default() }
    });
    for path in ["games/5", "games/5/pgn", "games/5/original"] {
        let reply = server.get(&format!("/api/v1/{path}"));
        let expected = (404, json!("game 5 has been deleted"));
        assert_eq!((reply.status, reply.json()["error"]["message"].clone()), expected, "{path}");
    }
    assert_eq!(server.fine("/api/v1/games/6").json()["number"], 3);
}

/// The cost of the starting position counts the beginnings of games, which the index does not list.
#[test]
fn every_game_begins_in_the_starting_position() {
    let server = Server::with(|folder| {
        let path = archive(folder, "a.bga", "1. e4 *\n\n1. Nf3 Nf6 2. Ng1 Ng8 *\n\n1. c4 *\n");
        index(&path);
        Config { archives: vec![path], ..Config::default() }
    });
    let cost = |play: &str| server.fine(&format!("/api/v1/cost?play={play}")).json()["games"].as_u64().unwrap();
    assert_eq!((cost("c2c4"), cost("g1f3,g8f6,f3g1,f6g8")), (1, 4));
}

#[test]
fn faults_of_filters_have_their_column() {
    let server = Server::of("1. e4 *\n");
    // The range counts letters of the text, and the column those of its line.
    for (filter, column, range) in [
        ("elo >= 2000 und white = 1", 13, [12, 15]),
        ("white = \"é\" and\nwhitelo > 1", 1, [16, 23]),
        ("elo >=", 7, [6, 6]),
    ] {
        let reply = server.get(&format!("/api/v1/games?where={}", filter.replace('\n', "%0A")));
        let error = &reply.json()["error"];
        assert_eq!((reply.status, error["code"].as_str()), (400, Some("bad_query")), "{error}");
        assert_eq!((error["column"].as_u64(), &error["range"]), (Some(column), &json!(range)), "{error}");
    }
    // Faults in positions, moves and patterns mark all faulty letters, too.
    for (path, range) in [
        ("/api/v1/position?fen=8/8/8/8/8/8/8/8_white", [16, 21]),
        ("/api/v1/tree?fen=8/8/8/8/8/8/8/7x_w", [15, 16]),
        ("/api/v1/tree?fen=8/8/8/8/8/8/8/K1k5_w_-_-_many", [25, 29]),
        ("/api/v1/tree?play=e2e4,,e7e5,g1g5,b8c6", [11, 15]),
        ("/api/v1/games?find=%7B%22moves%22:%22e4+e5+Ng1f4+Nc6%22%7D", [6, 11]),
        ("/api/v1/games?find=%7B%22material%22:%22KRwitkr%22%7D", [2, 5]),
        ("/api/v1/games?find=%7B%22white_move%22:%22Nf9%22%7D", [0, 3]),
        ("/api/v1/games?find=%7B%22query%22:%7B%22result%22:%222-0%22%7D%7D", [0, 3]),
        ("/api/v1/games?find=%7B%22mistake%22:%22error%22%7D", [0, 5]),
        ("/api/v1/games?find=%7B%22fen%22:%22startposition%22%7D", [0, 1]),
    ] {
        let reply = server.get(path);
        let error = &reply.json()["error"];
        assert_eq!((reply.status, &error["range"]), (400, &json!(range)), "{path}: {error}");
    }
    for path in [
        "/api/v1/games?sort=nonsense!",
        "/api/v1/games?after=x",
        "/api/v1/tree?play=e2e5",
        "/api/v1/tree?fen=x",
        "/api/v1/games?limit=x",
        "/api/v1/complete?field=x&text=a",
    ] {
        assert_eq!(server.get(path).status, 400, "{path}");
    }
    // The error of a move names its notation.
    for (text, said) in [
        ("Ke2", "no piece can make this move"),
        ("e7e5", "no piece can make this move"),
        ("hello", "neither SAN nor UCI"),
    ] {
        let reply = server.get(&format!("/api/v1/position?move={text}"));
        assert_eq!(reply.status, 400, "{text}");
        let message = reply.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains(said), "{text}: {message}");
    }
    assert_eq!(server.get("/api/v1/games?archive=2").status, 404);
    assert_eq!(server.get("/api/v1/nothing").status, 404);
}

#[test]
fn new_commits_are_shown_without_a_restart() {
    let server = Server::with(|folder| {
        let path = archive(folder, "games.bga", "[White \"One\"]\n\n1. e4 *\n");
        Config { archives: vec![path], ..Config::default() }
    });
    let first = server.fine("/api/v1/games?limit=1");
    let etag = first.header("etag").unwrap().to_owned();
    let path = server.folder.path().join("games.bga");
    Import::new(&path)
        .append()
        .run_reader("more.pgn", &b"[White \"Two\"]\n\n1. d4 *\n\n[White \"Three\"]\n\n1. c4 *\n"[..])
        .unwrap();
    // The server detects changes within a second or two.
    let began = std::time::Instant::now();
    while server.fine("/api/v1/games").json()["total"] != 3 {
        assert!(began.elapsed().as_secs() < 10, "the commit is not seen");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let again = server.ask("GET", "/api/v1/games?limit=1", &[("If-None-Match", &etag)], b"");
    assert_eq!(again.status, 200);
    assert_ne!(again.header("etag").unwrap(), etag);
    // The server uses a side file created meanwhile.
    assert_eq!(server.fine("/api/v1/archives").json()["archives"][0]["side_files"]["positions"], "missing");
    index(&path);
    server.app.refresh().unwrap();
    assert_eq!(server.fine("/api/v1/archives").json()["archives"][0]["side_files"]["positions"], "used");
    // A cursor becomes invalid when the list changes.
    let cursor = first.json()["next"].as_str().map(str::to_owned);
    assert_eq!(cursor, None);
    let page = server.fine("/api/v1/games?limit=1").json();
    let next = page["next"].as_str().unwrap().to_owned();
    Import::new(&path).append().run_reader("last.pgn", &b"1. g3 *\n"[..]).unwrap();
    server.app.refresh().unwrap();
    assert_eq!(server.get(&format!("/api/v1/games?limit=1&after={next}")).status, 410);
    assert_eq!(server.fine("/api/v1/archives").json()["archives"][0]["outdated"], serde_json::Value::Null);
    // If a file is no longer an archive, the server shows its old state and marks it outdated.
    let good = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, b"no archive any more, but long enough to be looked at").unwrap();
    assert!(server.app.refresh().is_err());
    let shown = server.fine("/api/v1/archives").json()["archives"][0].clone();
    assert_eq!(shown["games"], 4);
    assert_eq!(shown["outdated"], "the file is not an archive");
    // When the file can be opened again, the server shows it.
    std::fs::remove_file(&path).unwrap();
    assert!(server.app.refresh().is_err());
    std::fs::write(&path, good).unwrap();
    server.app.refresh().unwrap();
    assert_eq!(server.fine("/api/v1/archives").json()["archives"][0]["outdated"], serde_json::Value::Null);
}

/// `set`, `rename`, `edit` and `compact` replace the archive's file by one with another chain.
#[test]
fn an_archive_that_takes_the_place_of_another_is_shown() {
    let server = Server::with(|folder| {
        let path = archive(folder, "games.bga", "[White \"One\"]\n\n1. e4 *\n\n[White \"Two\"]\n\n1. d4 *\n");
        Config { archives: vec![path], ..Config::default() }
    });
    let path = server.folder.path().join("games.bga");
    assert!(server.fine("/api/v1/games").json().to_string().contains("One"));
    // The replacement has the same length, the same modification second, and an earlier commit.
    for (name, games) in [("New", 2), ("Old", 1), ("Red", 3)] {
        let replacement = server.folder.path().join("other.bga");
        let pgn = format!("[White \"{name}\"]\n\n1. e4 *\n\n").repeat(games);
        Import::new(&replacement).replace().run_reader("games.pgn", pgn.as_bytes()).unwrap();
        std::fs::rename(&replacement, &path).unwrap();
        server.app.refresh().unwrap();
        let page = server.fine("/api/v1/games").json();
        assert_eq!(page["total"], games, "{page}");
        assert!(page.to_string().contains(name) && !page.to_string().contains("One"), "{page}");
        let shown = server.fine("/api/v1/archives").json()["archives"][0].clone();
        let archive = scoresheet::Archive::open(&path).unwrap();
        assert_eq!(shown["id"], archive.id().to_string());
        assert_eq!((&shown["commit"], &shown["games"]), (&archive.sequence().into(), &(games as u64).into()));
    }
    // Deleted games disappear at once.
    Archive::delete(&path, [1]).unwrap();
    server.app.refresh().unwrap();
    assert_eq!(server.fine("/api/v1/games").json()["total"], 2);
}

#[test]
fn several_archives_are_one_set() {
    let server = Server::with(|folder| {
        let first = archive(folder, "one.bga", "[White \"A\"]\n[WhiteElo \"2000\"]\n\n1. e4 e5 1-0\n\n1. d4 *\n");
        let second = archive(folder, "two.bga", "[White \"C\"]\n[WhiteElo \"2500\"]\n\n1. e4 c5 0-1\n");
        Config { archives: vec![first, second], ..Config::default() }
    });
    let all = server.fine("/api/v1/games?sort=-elo").json();
    assert_eq!(
        all["games"].as_array().unwrap().iter().map(|game| game["game"].as_u64().unwrap()).collect::<Vec<_>>(),
        [3, 1, 2]
    );
    assert_eq!(server.fine("/api/v1/games/3").json()["tags"][0], json!(["White", "C"]));
    let tree = server.fine("/api/v1/tree?play=e2e4").json();
    assert_eq!(tree["games"], 2);
    assert_eq!(tree["top_games"][0]["game"], 3);
    let second = server.fine("/api/v1/tree?play=e2e4&archive=2").json();
    assert_eq!((&second["games"], &second["top_games"][0]["game"]), (&json!(1), &json!(3)));
    let listed = server.fine("/api/v1/games?archive=2").json();
    assert_eq!((&listed["total"], &listed["games"][0]["game"]), (&json!(1), &json!(3)));
    let first = server.fine("/api/v1/games?archive=1&play=e2e4").json();
    assert_eq!((&first["total"], &first["games"][0]["ply"]), (&json!(1), &json!(1)));
    assert_eq!(server.fine("/api/v1/stats").json()["games"], 3);
}

/// Engine data with principal variations that a page can play, and the location of a search hit in them.
#[test]
fn engines_are_heard() {
    let pgn = std::fs::read_to_string(crate::shared::sample::testdata("questions/odd.pgn")).unwrap();
    let server = Server::of(&pgn);
    let game = server.fine("/api/v1/games/13?fens=1").json();
    let first = &game["moves"][0];
    let says =
        ["eval", "depth", "selective_depth", "nodes", "elapsed", "clock", "pv_ply"].map(|name| first[name].clone());
    assert_eq!(json!(says), json!(["0.25", 30, 41, 459_000_000, 5.1, 299.9, 0]));
    assert_eq!(first["pv"], json!(["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]));
    assert_eq!((&first["pv_uci"][1], &first["pv_fens"][0]), (&"e7e5".into(), &first["fen"]));
    assert_eq!(first["comments"][0]["engine"], true);
    assert!(server.fine("/api/v1/games/13").json()["moves"][0].get("pv_fens").is_none());
    let human = server.fine("/api/v1/games/3").json();
    assert_eq!((&human["moves"][0]["eval"], &human["moves"][0]["clock"]), (&"0.30".into(), &180.0.into()));
    assert!(human["moves"][0]["comments"][0].get("engine").is_none());
    let lines = server.fine("/api/v1/find?play=e2e4,e7e5,g1f3,b8c6,f1b5&in_pv=1").lines();
    assert_eq!((&lines[0]["hit"]["game"], &lines[0]["hit"]["pv_depths"]), (&13.into(), &json!([5])));
    let lines = server.post("/api/v1/find", &json!({"end": "mate", "in_pv": true, "where": "event = Engines"})).lines();
    assert_eq!((&lines[0]["hit"]["ply"], &lines[0]["hit"]["pv_depths"]), (&4.into(), &json!([3])));
}

#[test]
fn a_player_has_all_spellings() {
    let server = Server::of(SPELLINGS);
    let player = |query: &str| server.fine(&format!("/api/v1/player?{query}")).json();
    let found = player("name=Carlsen, Magnus");
    assert_eq!(found["names"], json!([{"name": "Carlsen, Magnus", "games": 2}, {"name": "Carlsen,M", "games": 1}]));
    assert_eq!(json!([found["games"], found["won"], found["drawn"], found["lost"]]), json!([3, 1, 1, 1]));
    assert_eq!((&found["white"]["games"], &found["black"]["games"]), (&json!(2), &json!(1)));
    assert_eq!(found["opponents"][0]["opponent"], "Anand, V");
    assert_eq!((&found["years"][1]["year"], &found["years"][1]["games"]), (&json!("2014"), &json!(2)));
    assert_eq!((&found["best_wins"][0]["game"], &found["worst_losses"][0]["game"]), (&json!(1), &json!(4)));
    // Another spelling gives the same result. Also test one spelling alone, a part of the name, and a filter.
    assert_eq!(player("name=Carlsen,M"), found);
    assert_eq!(player("name=Carlsen,M&exact=1")["games"], 1);
    assert_eq!(player("name=carlsen")["games"], 3);
    assert_eq!(player("name=Carlsen,M&where=year = 2014")["games"], 2);
    // The list of the names has the same games.
    let listed = server.fine("/api/v1/games?where=player in {\"Carlsen, Magnus\", \"Carlsen,M\"}").json();
    assert_eq!(listed["total"], 3);
    let nobody = server.get("/api/v1/player?name=Carlson, Magnus");
    assert_eq!(nobody.status, 404);
    assert!(nobody.text().contains("did you mean"), "{}", nobody.text());
    assert_eq!(server.get("/api/v1/player").status, 400);
    // Numbers continue from one archive to the next.
    let both = Server::with(|folder| {
        let first = archive(folder, "first.bga", "[White \"Magnus Carlsen\"]\n\n1. d4 *\n");
        let second = archive(folder, "second.bga", SPELLINGS);
        Config { archives: vec![first, second], ..Config::default() }
    });
    let found = both.fine("/api/v1/player?name=Carlsen,M").json();
    // A name has spellings in another archive.
    assert_eq!((&found["games"], &found["best_wins"][0]["game"]), (&json!(4), &json!(2)));
    assert_eq!(found["names"].as_array().unwrap().len(), 3, "{}", found["names"]);
}

#[test]
fn the_page_of_a_player_and_the_explorers_route_have_one_path() {
    let server = Server::of(SPELLINGS);
    assert_eq!(server.fine("/player?name=Tal").header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(server.fine("/player?player=Tal, M&color=white").header("content-type"), Some("application/x-ndjson"));
    assert_eq!(server.get("/player").status, 400);
    // A browser gets the page, which asks for a name.
    let page = server.ask("GET", "/player", &[("accept", "text/html,*/*")], b"");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    // The page's tag depends on the program alone: another version of the program has another page.
    assert_eq!(page.header("etag"), server.fine("/player?name=Tal").header("etag"));
    assert!(page.header("etag").is_some_and(|tag| tag.starts_with('"')), "{:?}", page.header("etag"));
}

#[test]
fn a_game_of_no_archive_is_read_and_compared() {
    let server = Server::of("1. e4 e5 2. Nf3 Nc6 *\n\n1. e4 c5 *\n");
    let pgn =
        "[White \"Me\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 {good} (2. f4) Nf6 1-0\n\n[White \"You\"]\n\n1. d4 *\n";
    let read = |number: u64| server.post("/api/v1/read", &json!({"pgn": pgn, "number": number}));
    let first = read(1).json();
    assert_eq!(json!([first["number"], first["last"], first["plies"], first["result"]]), json!([1, 2, 4, "1-0"]));
    assert_eq!(
        (&first["moves"][2]["san"], &first["moves"][2]["variations"][0]["moves"][0]["san"]),
        (&json!("Nf3"), &json!("f4"))
    );
    assert_eq!(first["opening"]["eco"], "C42");
    assert!(first["moves"][3]["fen"].as_str().unwrap().starts_with("rnbqkb1r/pppp1ppp/5n2/4p3/"));
    // Another game has the position before the last move, but none has the position after it.
    assert_eq!(first["novelty"], json!({"ply": 4, "san": "Nf6", "games_before": 1}));
    assert!(first["pgn"].as_str().unwrap().contains("2. Nf3 {good}"), "{}", first["pgn"]);
    assert_eq!(read(2).json()["novelty"], json!({"ply": 1, "san": "d4", "games_before": 2}));
    assert_eq!(server.fine("/api/v1/games").json()["total"], 2, "nothing is stored");
    for (body, status) in [
        (json!({"pgn": ""}), 404),
        (json!({"pgn": pgn, "number": 3}), 404),
        (json!({}), 400),
        (json!({"pgn": pgn, "number": "x"}), 400),
    ] {
        assert_eq!(server.post("/api/v1/read", &body).status, status, "{body}");
    }
    // An illegal move ends the game with a fault; the moves before it remain.
    let broken = server.post("/api/v1/read", &json!({"pgn": "1. e4 e5 2. Ke7 *"})).json();
    assert_eq!(json!([broken["plies"], broken["has_fault"]]), json!([2, true]));
    // Without an index the server compares nothing.
    let bare = Server::with(|folder| Config {
        archives: vec![archive(folder, "games.bga", "1. e4 *\n")],
        ..Config::default()
    });
    assert_eq!(bare.post("/api/v1/read", &json!({"pgn": pgn})).json()["novelty"], Value::Null);
    // The limit of a text is higher than that of a search.
    let comment = |length: usize| json!({"pgn": format!("1. e4 {{{}}} *", "x".repeat(length))});
    assert_eq!(server.post("/api/v1/read", &comment(60_000)).status, 200);
    assert_eq!(server.post("/api/v1/read", &comment(1 << 20)).status, 413);
}

#[test]
fn a_tournament_has_standings_and_a_cross_table() {
    let game = |white: &str, black: &str, result: &str, day: u32| {
        format!(
            "[Event \"Cup\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[WhiteElo \"2000\"]\n[Date \"2020.05.{day:02}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n\n"
        )
    };
    // Ann beats Bob, Bob beats Cid, and Cid draws with Ann. A game without a result and one of another event follow.
    let pgn = game("Ann", "Bob", "1-0", 1)
        + &game("Bob", "Cid", "1-0", 2)
        + &game("Cid", "Ann", "1/2-1/2", 3)
        + &game("Ann", "Cid", "*", 4)
        + "[Event \"Other\"]\n\n1. d4 *\n";
    let server = Server::of(&pgn);
    let found = server.fine("/api/v1/event?name=Cup").json();
    assert_eq!(
        json!([found["games"], found["entrants"], found["from"], found["until"]]),
        json!([4, 3, "2020.05.01", "2020.05.04"])
    );
    let players = found["players"].as_array().unwrap();
    let of = |index: usize, name: &str| players[index][name].clone();
    assert_eq!([0, 1, 2].map(|index| of(index, "name")), ["Ann", "Bob", "Cid"]);
    assert_eq!([0, 1, 2].map(|index| of(index, "points")), [1.5, 1.0, 0.5]);
    // Ann gets Bob's 1 point and half of Cid's 0.5; Bob gets Cid's 0.5; Cid gets half of Ann's 1.5.
    assert_eq!([0, 1, 2].map(|index| of(index, "sonneborn_berger")), [1.25, 0.5, 0.75]);
    assert_eq!(json!([of(0, "games"), of(0, "won"), of(0, "drawn"), of(0, "lost")]), json!([3, 1, 1, 0]));
    assert_eq!(
        of(0, "results"),
        json!([[], [{"game": 1, "points": 1.0}], [{"game": 3, "points": 0.5}, {"game": 4, "points": null}]])
    );
    assert_eq!(of(1, "results")[0], json!([{"game": 1, "points": 0.0}]));
    assert_eq!(server.fine("/api/v1/event?name=Cup&where=day = 1").json()["games"], 1);
    assert_eq!(server.fine("/api/v1/event?name=None").json()["players"], json!([]));
    assert_eq!(server.get("/api/v1/event").status, 400);
}

/// The notable games of a tournament: one game for each reason, and no game twice.
#[test]
fn a_tournament_has_notable_games() {
    let game = |ratings: [&str; 2], result: &str, moves: &str| {
        let [white, black] = ratings;
        format!(
            "[Event \"Cup\"]\n[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
        )
    };
    let [two, five] = ["1. e4 e5", "1. e4 e5 2. d3 d6 3. c3 c6 4. b3 b6 5. a3 a6"];
    let six = format!("{five} 6. h3");
    let notable = |games: &[String]| {
        let found = Server::of(&games.concat()).fine("/api/v1/event?name=Cup").json();
        let rows = found["notable"].as_array().unwrap();
        json!(rows.iter().map(|row| json!([row["reason"], row["game"]["game"]])).collect::<Vec<_>>())
    };
    let games = [
        game(["2400", "2300"], "1-0", &six),
        game(["2100", "2300"], "1-0", &six),
        // Draws, forfeits and small differences are not notable.
        game(["2700", "2700"], "1/2-1/2", two),
        game(["", ""], "0-1", two),
        game(["2300", "2200"], "0-1", five),
        game(["2000", "1900"], "1-0", five),
    ];
    assert_eq!(notable(&games), json!([["rated", 1], ["upset", 2], ["short", 5]]));
    assert_eq!(notable(&games[2..4]), json!([]));
    // Black lost to a player of a lower rating, but the difference is small.
    assert_eq!(notable(&[game(["2300", "2349"], "1-0", two)]), json!([["rated", 1]]));
}

/// All games of a text are read, in pieces of any size, and compared with the archives.
#[test]
fn own_games_are_read_in_pieces() {
    let server = Server::of("1. e4 c5 2. Nf3 d6 *\n\n1. e4 e5 *\n");
    let games = [
        "[White \"Ann\"]\n[WhiteElo \"2100\"]\n\n1. e4 c5 2. Nf3 h5 1-0\n\n",
        "[White \"M\u{fc}ller\"]\n\n1. e4 e5 *\n\n",
        "[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. Kd2 *\n",
    ];
    let all = games.concat();
    let found = server.post("/api/v1/read/games", &json!({"pgn": all})).json();
    let rows = found["games"].as_array().unwrap();
    assert_eq!((rows.len(), &found["read"]), (3, &json!(all.len())));
    assert_eq!(
        (&rows[0]["novelty"], &rows[0]["white_elo"]),
        (&json!({"ply": 4, "san": "h5", "games_before": 1}), &json!(2100))
    );
    assert_eq!((&rows[1]["white"], &rows[1]["novelty"]["ply"]), (&json!("M\u{fc}ller"), &json!(null)));
    assert_eq!((&rows[2]["moves"], &rows[2]["plies"]), (&json!([]), &json!(1)));
    // The keys are those of the positions.
    let key = server.fine("/api/v1/position?play=e2e4,c7c5,g1f3").json()["key"].clone();
    assert_eq!(rows[0]["keys"][2], key);
    assert_eq!(server.fine("/api/v1/position?play=g1f3,c7c5,e2e4").json()["key"], key);
    // With any cut, the games are the same.
    for size in [30, 70, 90, 500] {
        let (mut at, mut joined) = (0, Vec::new());
        let mut length = size;
        while at < all.len() {
            let end = (at + length..=all.len()).find(|end| all.is_char_boundary(*end)).unwrap_or(all.len());
            let piece =
                server.post("/api/v1/read/games", &json!({"pgn": &all[at..end], "more": end < all.len()})).json();
            joined.extend(piece["games"].as_array().unwrap().iter().map(|game| game["novelty"].clone()));
            let read = piece["read"].as_u64().unwrap() as usize;
            (at, length) = if read == 0 { (at, length + size) } else { (at + read, size) };
        }
        let expected: Vec<Value> = rows.iter().map(|game| game["novelty"].clone()).collect();
        assert_eq!(joined, expected, "{size}");
    }
    assert_eq!(server.post("/api/v1/read/games", &json!({"pgn": 1})).status, 400);
    assert_eq!(server.post("/api/v1/read/games", &json!({"pgn": "", "more": 1})).status, 400);
}

/// A position index names the best games of a position without reading them, and they may be damaged.
#[test]
fn a_tree_leaves_out_damaged_games_that_the_index_names() {
    let server = Server::with(|folder| {
        let pgn: String = (0..40).map(|n| format!("[White \"Player {n}\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n")).collect();
        let path = archive(folder, "games.bga", &pgn);
        index(&path);
        crate::spoiled::spoil(&path);
        Config { archives: vec![path], ..Config::default() }
    });
    for query in ["", "?games=15"] {
        let tree = server.fine(&format!("/api/v1/tree{query}")).json();
        assert_eq!(tree["games"], 40, "{query}: {tree}");
        assert!(tree["unread"][0].as_str().unwrap().contains("damaged"), "{query}: {tree}");
    }
}

/// A text is divided into games as in an import.
#[test]
fn a_text_has_the_games_of_an_import() {
    let server = Server::of("1. e4 *\n");
    let texts = [
        "[Event \"A\"]\n[White \"W1\"]\n\n1. e4 { unterminated comment\n\n[Event \"B\"]\n[White \"W2\"]\n\n1. d4 d5 1-0\n\n",
        "[Event \"A\"]\n[White \"W\"]\nBlack \"B\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n",
        "1. e4 *\n\n1. d4 *\n1. c4 {x} *",
        "",
    ];
    for text in texts {
        let folder = tempfile::tempdir().unwrap();
        let path = archive(folder.path(), "a.bga", text);
        let imported = Archive::open(path).map_or(0, |archive| archive.len());
        let found = server.post("/api/v1/read/games", &json!({"pgn": text})).json();
        assert_eq!(found["games"].as_array().unwrap().len() as u64, imported, "{text}");
        assert_eq!(found["read"], text.len(), "{text}");
        if imported > 0 {
            let last = server.post("/api/v1/read", &json!({"pgn": text, "number": imported})).json();
            assert_eq!((&last["number"], &last["last"]), (&json!(imported), &json!(imported)), "{text}");
        }
        // The text in two pieces: the last game of the first piece comes with the second one.
        for cut in (0..=text.len()).step_by(7) {
            let first = server.post("/api/v1/read/games", &json!({"pgn": text[..cut], "more": true})).json();
            let read = first["read"].as_u64().unwrap() as usize;
            let rest = server.post("/api/v1/read/games", &json!({"pgn": text[read..]})).json();
            let games = [first, rest].map(|part| part["games"].as_array().unwrap().len() as u64);
            assert_eq!(games[0] + games[1], imported, "{cut}: {text}");
        }
    }
}

/// A download that the server's limit ends says so; one that the client ends does not.
#[test]
fn a_limited_download_says_so() {
    let server = Server::with(|folder| {
        let path = archive(folder, "games.bga", &"1. e4 *\n\n".repeat(6));
        Config { archives: vec![path], download: 2, ..Config::default() }
    });
    for (query, games, is_cut) in [("", 2, true), ("?limit=5", 2, true), ("?limit=1", 1, false), ("?limit=2", 2, false)]
    {
        let pgn = server.fine(&format!("/api/v1/download.pgn{query}")).text();
        assert_eq!(pgn.matches("1. e4").count(), games, "{query}: {pgn}");
        assert_eq!(pgn.ends_with("% The server sends at most 2 games, and 6 match.\n"), is_cut, "{query}: {pgn}");
    }
    let pgn = server.fine("/api/v1/download.pgn?where=game+%3C+3").text();
    assert!(!pgn.contains('%'), "{pgn}");
}

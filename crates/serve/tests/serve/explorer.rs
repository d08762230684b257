//! The exact semantics of the opening explorer API.

use crate::common::{Server, archive};
use scoresheet_serve::Config;
use serde_json::{Value, json};

fn game(tags: &[(&str, &str)], moves: &str) -> String {
    let tags: String = tags.iter().map(|(name, value)| format!("[{name} \"{value}\"]\n")).collect();
    format!("{tags}\n{moves}\n\n")
}

/// Validates an answer against the schema of that API: all members and their types.
#[track_caller]
fn check(answer: &Value, kind: &str) {
    let count = |value: &Value, name: &str| assert!(value[name].is_u64(), "{name} of {value}");
    let opening =
        |value: &Value| assert!(value.is_null() || value["eco"].is_string() && value["name"].is_string(), "{value}");
    let of_game = |game: &Value| {
        assert_eq!(game["id"].as_str().unwrap().len(), 8);
        assert!(matches!(game["winner"].as_str(), None | Some("white" | "black")));
        for side in ["white", "black"] {
            assert!(game[side]["name"].is_string() && game[side]["rating"].is_u64(), "{game}");
        }
        assert!(
            game["year"].is_u64() && (game["month"].is_null() || game["month"].as_str().unwrap().len() == 7),
            "{game}"
        );
        assert_eq!(game.get("speed").is_some(), kind != "masters");
        assert_eq!(game.get("mode").is_some(), kind != "masters");
    };
    ["white", "draws", "black"].iter().for_each(|name| count(answer, name));
    opening(&answer["opening"]);
    for m in answer["moves"].as_array().unwrap() {
        assert!(m["uci"].is_string() && m["san"].is_string());
        ["white", "draws", "black"].iter().for_each(|name| count(m, name));
        assert_eq!(m.get("averageRating").is_some(), kind != "player", "{m}");
        assert_eq!(m.get("averageOpponentRating").is_some() && m.get("performance").is_some(), kind == "player", "{m}");
        assert!(m.get("opening").is_some() && m.get("game").is_some());
        opening(&m["opening"]);
        if !m["game"].is_null() {
            of_game(&m["game"]);
        }
    }
    assert_eq!(answer.get("topGames").is_some(), kind != "player");
    assert_eq!(answer.get("recentGames").is_some(), kind != "masters");
    assert_eq!(answer.get("queuePosition").is_some(), kind == "player");
    for list in ["topGames", "recentGames"] {
        for game in answer.get(list).and_then(Value::as_array).into_iter().flatten() {
            assert!(game["uci"].is_string());
            of_game(game);
        }
    }
}

#[test]
fn answers_have_the_form_of_that_api() {
    let server = Server::of_sample();
    for play in ["", "e2e4", "e2e4,c7c5,g1f3,d7d6", "e2e4,e7e5,g1f3,b8c6,f1b5,a7a6", "a2a3,a7a6,a1a2"] {
        check(&server.fine(&format!("/masters?play={play}")).json(), "masters");
        check(
            &server
                .fine(&format!("/lichess?play={play}&variant=standard&speeds=bullet,blitz&ratings=1600,1800"))
                .json(),
            "lichess",
        );
        let player = server.fine(&format!("/player?player=nobody&color=white&play={play}"));
        assert_eq!(player.header("content-type"), Some("application/x-ndjson"));
        check(&player.lines()[0], "player");
    }
    assert_eq!(server.fine("/masters").json()["topGames"].as_array().unwrap().len(), 15);
    assert_eq!(server.fine("/masters?topGames=3&moves=2").json()["moves"].as_array().unwrap().len(), 2);
    let lichess = server.fine("/lichess").json();
    assert_eq!(
        (lichess["topGames"].as_array().unwrap().len(), lichess["recentGames"].as_array().unwrap().len()),
        (4, 4)
    );
    // The aliases give the same answers.
    assert_eq!(server.fine("/master?play=e2e4").body, server.fine("/masters?play=e2e4").body);
    assert_eq!(server.fine("/personal?player=a&color=black").body, server.fine("/player?player=a&color=black").body);
    let history = server.fine("/lichess/history?play=e2e4").json();
    assert_eq!((history["moves"].as_array().unwrap().len(), history["topGames"].as_array().unwrap().len()), (0, 0));
    let total: u64 = history["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|month| ["white", "draws", "black"].map(|name| month[name].as_u64().unwrap()).iter().sum::<u64>())
        .sum();
    let all: u64 = ["white", "draws", "black"].map(|name| history[name].as_u64().unwrap()).iter().sum();
    assert_eq!(total, all);
}

#[test]
fn the_movers_rating_and_castling_and_the_end() {
    let castles = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O";
    let pgn = game(
        &[("WhiteElo", "2000"), ("BlackElo", "1000"), ("Date", "2016.12.24"), ("White", "A"), ("Black", "B")],
        &format!("{castles} 1-0"),
    ) + &game(&[("WhiteElo", "2200"), ("BlackElo", "1400")], &format!("{castles} d6 0-1"))
        + &game(&[], "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 1/2-1/2")
        + &game(&[], &format!("{castles} *"));
    let server = Server::of(&pgn);
    let line = "e2e4,e7e5,g1f3,b8c6,f1c4,f8c5";
    let answer = server.fine(&format!("/masters?play={line}")).json();
    // The draw ends in the position, and the game without a result does not count.
    assert_eq!((&answer["white"], &answer["draws"], &answer["black"]), (&json!(1), &json!(0), &json!(1)));
    let m = &answer["moves"][0];
    assert_eq!((&m["uci"], &m["san"], &m["averageRating"]), (&json!("e1h1"), &json!("O-O"), &json!(2100)));
    assert_eq!(m["game"], Value::Null);
    assert_eq!(answer["topGames"][0]["uci"], "e1h1");
    // Games without a result do not decide the order of moves either.
    let open = "1. f4 *\n\n".repeat(3) + &"1. g3 1-0\n\n".repeat(2) + "1. f4 1-0\n";
    let answer = Server::of(&open).fine("/masters?moves=1").json();
    assert_eq!((&answer["moves"][0]["uci"], &answer["moves"][0]["white"]), (&json!("g2g3"), &json!(2)));
    // Both notations of castling work. After it Black is to move, with a mean rating of 1200.
    let next = ["e1g1", "e1h1"].map(|castling| server.fine(&format!("/masters?play={line},{castling}")).json());
    assert_eq!(next[0], next[1]);
    let m = &next[0]["moves"][0];
    assert_eq!((&m["uci"], &m["averageRating"]), (&json!("d7d6"), &json!(1400)));
    assert_eq!((&m["game"]["id"], &m["game"]["winner"]), (&json!("00000002"), &json!("black")));
    let first = &server.fine("/masters").json()["topGames"][1];
    assert_eq!(
        (&first["year"], &first["month"], &first["white"]),
        (&json!(2016), &json!("2016-12"), &json!({"name": "A", "rating": 2000}))
    );
    // The opening is the last named position of the line.
    assert!(
        next[0]["opening"]["name"].as_str().unwrap().contains("Giuoco")
            || next[0]["opening"]["name"].as_str().unwrap().contains("Italian"),
        "{}",
        next[0]["opening"]
    );
}

#[test]
fn a_position_visited_twice_counts_once_with_the_last_move() {
    let server = Server::of("1. Nf3 Nf6 2. Ng1 Ng8 3. e4 1-0\n\n1. Nf3 d5 0-1\n\n1. Nf3 Nf6 2. Ng1 Ng8 1/2-1/2\n");
    let root = server.fine("/masters").json();
    let moves: Vec<(&str, u64, u64, u64)> = root["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| {
            let count = |name: &str| m[name].as_u64().unwrap();
            (m["uci"].as_str().unwrap(), count("white"), count("draws"), count("black"))
        })
        .collect();
    assert_eq!(moves, [("g1f3", 0, 0, 1), ("e2e4", 1, 0, 0)]);
    assert_eq!((&root["white"], &root["draws"], &root["black"]), (&json!(1), &json!(0), &json!(1)));
    // `/api/v1` counts the first visit.
    let tree = server.fine("/api/v1/tree").json();
    assert_eq!((&tree["moves"][0]["uci"], &tree["moves"][0]["games"]), (&json!("g1f3"), &json!(3)));
    assert_eq!(server.fine("/api/v1/tree?last=1").json()["moves"][0]["games"], 1);
}

#[test]
fn filters_of_speed_rating_time_and_mode() {
    let of = |event: &str, control: &str, elos: (&str, &str), date: &str, moves: &str| {
        game(
            &[
                ("Event", event),
                ("White", "Ann"),
                ("Black", "bob"),
                ("WhiteElo", elos.0),
                ("BlackElo", elos.1),
                ("UTCDate", date),
                ("TimeControl", control),
            ],
            moves,
        )
    };
    let pgn = of("Rated Blitz game", "300+0", ("1600", "1700"), "2016.01.05", "1. e4 e5 1-0")
        + &of("Casual Bullet game", "60+0", ("1300", "1290"), "2016.02.07", "1. d4 d5 0-1")
        + &of("Rated Classical game", "1800+0", ("2500", "2600"), "2017.03.01", "1. c4 c5 1/2-1/2");
    let server = Server::of(&pgn);
    let moves = |query: &str| -> Vec<String> {
        let answer = server.fine(query).json();
        answer["moves"].as_array().unwrap().iter().map(|m| m["uci"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(moves("/lichess").len(), 3);
    assert_eq!(moves("/lichess?speeds=blitz"), ["e2e4"]);
    assert_eq!(moves("/lichess?speeds=bullet,classical").len(), 2);
    assert_eq!(moves("/lichess?ratings=1600"), ["e2e4"]);
    assert_eq!(moves("/lichess?ratings=1200,2500").len(), 2);
    assert_eq!(moves("/lichess?since=2016-02&until=2016-12"), ["d2d4"]);
    assert_eq!(moves("/masters?since=2017"), ["c2c4"]);
    assert_eq!(moves("/masters?until=2016").len(), 2);
    assert_eq!(moves("/player?player=ANN&color=white&modes=casual"), ["d2d4"]);
    assert_eq!(moves("/player?player=ann&color=white&modes=rated&speeds=blitz"), ["e2e4"]);
    assert_eq!(moves("/player?player=ann&color=black"), [""; 0]);
    // For a player with Black, the opponents have White, whichever side moves.
    let bob = server.fine("/player?player=Bob&color=black").lines();
    let e4 = bob[0]["moves"].as_array().unwrap().iter().find(|m| m["uci"] == "e2e4").unwrap();
    assert_eq!((&e4["averageOpponentRating"], &e4["performance"]), (&json!(1600), &json!(800)));
    let c4 = bob[0]["moves"].as_array().unwrap().iter().find(|m| m["uci"] == "c2c4").unwrap();
    assert_eq!(c4["performance"], 2500);
    let ann = server.fine("/player?player=Ann&color=white").lines();
    let e4 = ann[0]["moves"].as_array().unwrap().iter().find(|m| m["uci"] == "e2e4").unwrap();
    assert_eq!((&e4["averageOpponentRating"], &e4["performance"]), (&json!(1700), &json!(2500)));
    assert_eq!(ann[0]["recentGames"][0]["month"], "2017-03");
    assert_eq!(
        (&ann[0]["recentGames"][0]["speed"], &ann[0]["recentGames"][0]["mode"]),
        (&json!("classical"), &json!("rated"))
    );
}

#[test]
fn games_are_given_by_their_names() {
    let server = Server::of("[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n");
    for path in ["/masters/pgn/00000002", "/master/pgn/00000002"] {
        let reply = server.fine(path);
        assert_eq!(reply.header("content-type"), Some("application/x-chess-pgn"));
        assert!(reply.text().contains("[White \"B\"]") && reply.text().contains("1. d4"), "{}", reply.text());
    }
    for path in ["/masters/pgn/00000003", "/masters/pgn/00000000", "/masters/pgn/x", "/masters/pgn/zzzzzzzz"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

/// Clients of that API show a game without a winner as a draw.
#[test]
fn games_without_a_result_are_not_listed() {
    let rated = |elo: &'static str| [("WhiteElo", elo), ("BlackElo", elo), ("TimeControl", "40/7200:20/3600:900+30")];
    let server = Server::of(&[game(&rated("2700"), "1. e4 *"), game(&rated("2000"), "1. e4 1-0")].concat());
    for path in ["/masters", "/lichess", "/lichess?speeds=classical"] {
        let answer = server.fine(path).json();
        assert_eq!((&answer["white"], &answer["draws"], &answer["black"]), (&json!(1), &json!(0), &json!(0)), "{path}");
        let listed: Vec<&Value> = answer["topGames"].as_array().unwrap().iter().collect();
        assert_eq!((listed.len(), &listed[0]["id"]), (1, &json!("00000002")), "{path}: {answer}");
        assert_eq!(answer["moves"][0]["game"]["winner"], "white", "{path}");
    }
    assert_eq!(server.fine("/lichess?speeds=correspondence").json()["white"], 0);
}

#[test]
fn what_is_wrong_is_said_in_plain_text() {
    let server = Server::of("1. e4 *\n");
    for path in [
        "/masters?play=e2e5",
        "/masters?fen=xyz",
        "/lichess?variant=bughouse",
        "/player?color=white",
        "/masters?since=x",
    ] {
        let reply = server.get(path);
        assert_eq!(reply.status, 400, "{path}");
        assert!(
            reply.header("content-type").unwrap().starts_with("text/plain")
                && reply.text().starts_with("bad request: "),
            "{}",
            reply.text()
        );
    }
    // Unknown parameters, a token and impossible castling rights are ignored.
    assert_eq!(server.fine("/masters?source=analysis&nonsense=1").status, 200);
    assert_eq!(server.ask("GET", "/masters", &[("Authorization", "Bearer x")], b"").status, 200);
    server.fine("/masters?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w KQkq e3 0 1");
}

#[test]
fn other_sites_may_read_it_only_where_that_is_allowed() {
    let closed = Server::of("1. e4 *\n");
    assert_eq!(closed.fine("/masters").header("access-control-allow-origin"), None);
    let open = Server::with(|folder| Config {
        archives: vec![archive(folder, "a.bga", "1. e4 *\n")],
        cors: true,
        ..Config::default()
    });
    assert_eq!(open.fine("/masters").header("access-control-allow-origin"), Some("*"));
    assert_eq!(open.fine("/masters").header("cross-origin-resource-policy"), Some("cross-origin"));
    assert_eq!(open.fine("/api/v1/archives").header("access-control-allow-origin"), None);
    assert_eq!(open.fine("/explorer").header("access-control-allow-origin"), None);
}

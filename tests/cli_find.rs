//! `scoresheet find` and `scoresheet tree` as users see them.

mod cli_support;

use cli_support::Room;
use serde_json::Value;

fn json(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

/// The room with each set of side files: none, signatures, positions.
fn rooms() -> [Room; 3] {
    let rooms = [Room::with_archive(), Room::with_archive(), Room::with_archive()];
    rooms[1].fine(&["index", "g.bga", "--signatures"]);
    rooms[2].fine(&["index", "g.bga", "--positions", "--threads", "1"]);
    assert!(rooms[1].path("g.bgs").exists() && rooms[2].path("g.bgp").exists());
    rooms
}

#[test]
fn positions_in_every_format() {
    for room in rooms() {
        let find = |args: &[&str]| room.fine(&[&["find", "g.bga"], args].concat());
        assert_eq!(
            find(&["--moves", "1. e4 e5 2.Qh5"]),
            "1\t3\tAdler, A\tBuche, Björn\t1-0\t2024.01.02\tC20\t7\tCoffee house\n"
        );
        let fen = "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq -";
        assert_eq!(find(&["--fen", fen, "--format", "numbers"]), "1\n");
        assert_eq!(find(&["--epd", &format!("{fen} id \"x\";"), "--format", "pairs"]), "1:3\n");
        assert_eq!(find(&["--fen", &fen.replace(" b ", " w "), "--count"]), "0\n");
        assert_eq!(find(&["--fen", &fen.replace(" b KQkq", " w -"), "--any-side", "--any-castling", "--count"]), "1\n");
        assert_eq!(find(&["--moves", "", "--count"]), "2\n");
        assert_eq!(find(&["--moves", "", "--limit", "1", "--format", "numbers"]), "1\n");
        assert_eq!(find(&["--moves", "e4 e5 Nf3 Nc6 Bb5", "--count"]), "0\n");
        assert_eq!(find(&["--moves", "e4 e5 Nf3 d6", "--variations", "--format", "json"]).lines().count(), 1);
        let found = json(&find(&["--moves", "e4 e5 Nf3 Nc6 Bb5", "--variations", "--format", "json"]));
        assert_eq!(
            (&found["game"], &found["hits"][0]["ply"], &found["hits"][0]["variation"]),
            (&1.into(), &5.into(), &true.into())
        );
        assert_eq!(
            find(&["--moves", "e4", "--format", "csv"]),
            "game,ply,white,black,result,date,eco,plies,event\n1,1,\"Adler, A\",\"Buche, Björn\",1-0,2024.01.02,C20,7,Coffee house\n"
        );
        assert_eq!(
            find(&["--moves", "e4", "--format", "fen"]),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\n"
        );
        assert!(find(&["--moves", "e4", "--format", "pgn"]).contains("4. Qxf7# 1-0"));
        assert_eq!(find(&["--moves", "", "--where", "result = 1/2-1/2", "--format", "numbers"]), "2\n");
        room.fine(&["find", "g.bga", "--moves", "d4", "-o", "d4.bga"]);
        assert!(room.fine(&["export", "d4.bga"]).contains("3. cxd5 cxd5 1/2-1/2"));
        let told = room.run(&["find", "g.bga", "--moves", "e4", "--explain"]).err;
        assert!(told.starts_with("all games        3 games\n") && told.contains("replay           1 game\n"), "{told}");
    }
}

#[test]
fn patterns() {
    for room in rooms() {
        let find = |args: &[&str]| room.fine(&[&["find", "g.bga", "--format", "pairs"], args].concat());
        assert_eq!(find(&["--material", "KQk"]), "3:1\n");
        assert_eq!(find(&["--material", "kqK", "--either-color"]), "3:1\n");
        assert_eq!(find(&["--white-move", "a8=Q"]), "3:1\n");
        assert_eq!(find(&["--captured", "P", "--moved", "Q"]), "1:7\n");
        assert_eq!(find(&["--board", "8/8/2p5/3P4/8/8/8/8"]), "2:5\n");
        assert_eq!(find(&["--pawns", "rnbqkbnr/pp2pppp/8/3p4/3P4/8/PP2PPPP/RNBQKBNR"]), "2:6\n");
        assert_eq!(find(&["--imbalance", "Pv", "--plies", "1"]), "1:7\n2:5\n3:0\n");
        assert_eq!(find(&["--query", "{\"result-type\": \"mate\"}"]), "1:7\n");
        assert_eq!(find(&["--query", "{\"pass\": \"\", \"skip\": 1, \"limit\": 1}"]), "2:0\n");
    }
}

#[test]
fn errors_point_at_their_place() {
    let room = Room::with_archive();
    for (args, code, place) in [
        (&["--fen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBXR w KQkq -"][..], 1, Some(41)),
        (&["--moves", "e4 e5 Ke3"], 1, Some(6)),
        (&["--moves", "1. é4"], 1, Some(3)),
        (&["--material", "KRxk"], 1, Some(2)),
        (&["--board", "8/8/8/8"], 1, Some(7)),
        (&["--query", "{\"pass\": }"], 1, Some(9)),
        (&["--query", "{\"passs\": \"\"}"], 1, None),
        (&[], 1, None),
        (&["--fen", "8/8/8/8/8/8/8/8", "--moves", "e4"], 2, None),
        (&["--moves", "e4", "--material", "Kk"], 2, None),
        (&["--material", "Kk", "--query", "{}"], 2, None),
    ] {
        let done = room.run(&[&["find", "g.bga"], args].concat());
        assert_eq!(done.code, Some(code), "{args:?}: {}", done.err);
        assert!(!done.err.is_empty() && done.out.is_empty(), "{args:?}");
        if let Some(place) = place {
            let mark = done.err.lines().last().unwrap();
            assert_eq!(mark, format!("  {}^", " ".repeat(place)), "{args:?}: {}", done.err);
        }
    }
}

#[test]
fn stale_side_files_are_told() {
    let room = &rooms()[2];
    room.write("more.pgn", "1. e4 c5 *\n");
    room.fine(&["import", "more.pgn", "-o", "g.bga", "--append", "--quiet"]);
    let done = room.run(&["find", "g.bga", "--moves", "e4", "--count"]);
    assert_eq!(done.out, "2\n");
    assert!(done.err.contains("index --positions"), "{}", done.err);
    room.fine(&["index", "g.bga", "--positions", "--quiet"]);
    room.fine(&["delete", "g.bga", "--games", "1"]);
    room.fine(&["index", "g.bga", "--positions", "--signatures", "--quiet"]);
    let done = room.run(&["find", "g.bga", "--moves", "e4", "--format", "numbers"]);
    assert_eq!((done.out.as_str(), done.err.as_str()), ("4\n", ""));
    assert_eq!(json(&room.fine(&["tree", "g.bga", "--json"]))["moves"].as_array().unwrap().len(), 2);
    assert_eq!(json(&room.fine(&["tree", "g.bga", "--json"]))["draws"], 1);
    assert_eq!(json(&room.fine(&["tree", "g.bga", "--json"]))["white"], 0);
}

#[test]
fn the_tree() {
    for room in rooms() {
        let tree = json(&room.fine(&["tree", "g.bga", "--json"]));
        assert_eq!([&tree["white"], &tree["draws"], &tree["black"]], [1, 1, 0]);
        let mut moves = tree["moves"].as_array().unwrap().clone();
        moves.sort_by_key(|branch| branch["san"] != "e4");
        assert_eq!(moves.len(), 2);
        assert_eq!((&moves[0]["uci"], &moves[0]["san"], &moves[0]["white"]), (&"e2e4".into(), &"e4".into(), &1.into()));
        assert_eq!((&moves[0]["averageRating"], &moves[1]["averageRating"]), (&2100.into(), &Value::Null));
        assert_eq!((&moves[0]["lastYear"], &moves[0]["game"]), (&2024.into(), &1.into()));
        let top = &tree["topGames"][0];
        assert_eq!((&top["id"], &top["winner"], &top["uci"]), (&1.into(), &"white".into(), &"e2e4".into()));
        assert_eq!(
            (&top["white"]["name"], &top["white"]["rating"], &top["year"]),
            (&"Adler, A".into(), &2100.into(), &2024.into())
        );
        let text = room.fine(&["tree", "g.bga", "--moves", "d4 d5"]);
        let line = text.lines().find(|line| line.starts_with("c4")).unwrap();
        let columns: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(columns[..4], ["c4", "1", "100.0", "%"], "{text}");
        let draws = json(&room.fine(&["tree", "g.bga", "--json", "--where", "result = 1/2-1/2"]));
        assert_eq!([&draws["white"], &draws["draws"], &draws["black"]], [0, 1, 0]);
    }
}

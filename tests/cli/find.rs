//! `scoresheet find` and `scoresheet tree` as users see them.

use crate::common::cli::Room;
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
        // Fields that a FEN leaves out are not compared.
        let placement = fen.split(' ').next().unwrap();
        for (text, games) in
            [(placement.to_owned(), "1\n"), (format!("{placement} b"), "1\n"), (format!("{placement} w"), "0\n")]
        {
            assert_eq!(find(&["--fen", &text, "--count"]), games, "{text}");
        }
        for format in ["fen", "pairs"] {
            room.fails(&["find", "g.bga", "--moves", "e4", "--variations", "--format", format], 2, &["--variations"]);
        }
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
        let explanation = room.run(&["find", "g.bga", "--moves", "e4", "--explain"]).err;
        assert!(
            explanation.starts_with("all games        3 games\n") && explanation.contains("replay           1 game\n"),
            "{explanation}"
        );
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
    for (args, code, column) in [
        (&["--fen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBXR w KQkq -"][..], 2, Some(41)),
        (&["--moves", "e4 e5 Ke3"], 2, Some(6)),
        (&["--moves", "1. é4"], 2, Some(3)),
        (&["--material", "KRxk"], 2, Some(2)),
        (&["--board", "8/8/8/8"], 2, Some(7)),
        (&["--query", "{\"pass\": }"], 2, Some(9)),
        (&["--query", "{\"passs\": \"\"}"], 2, Some(1)),
        (&["--query", "{\"sequence\": [{\"moved\": \"K\"}, {\"moved\": \"KX\"}]}"], 2, Some(42)),
        (&["--epd", "8/8/8/8/8/8/8/K1k5 w - - id \"x;"], 2, Some(28)),
        (&["--fen", "8/8/8/8/8/8/8/8", "--moves", "e4"], 2, None),
        (&["--moves", "e4", "--material", "Kk"], 2, None),
        (&["--material", "Kk", "--query", "{}"], 2, None),
    ] {
        let done = room.run(&[&["find", "g.bga"], args].concat());
        assert_eq!(done.code, Some(code), "{args:?}: {}", done.err);
        assert!(!done.err.is_empty() && done.out.is_empty(), "{args:?}");
        if let Some(column) = column {
            let mark = done.err.lines().last().unwrap();
            assert_eq!(mark.trim_end_matches('^'), format!("  {}", " ".repeat(column)), "{args:?}: {}", done.err);
            assert!(mark.ends_with('^') && done.err.contains(&format!("column {}: ", column + 1)), "{}", done.err);
        }
    }
}

#[test]
fn stale_side_files_are_reported() {
    let room = &rooms()[2];
    room.write("more.pgn", "1. e4 c5 *\n");
    room.fine(&["import", "more.pgn", "-o", "g.bga", "--append", "--quiet"]);
    room.fine(&["set", "g.bga", "--games", "1", "White=X", "--no-index", "--quiet"]);
    let done = room.run(&["find", "g.bga", "--moves", "e4", "--count"]);
    assert_eq!(done.out, "2\n");
    assert!(done.err.contains("`scoresheet index g.bga --positions`"), "{}", done.err);
    room.fine(&["index", "g.bga", "--positions", "--quiet"]);
    room.fine(&["delete", "g.bga", "--games", "1"]);
    room.fine(&["index", "g.bga", "--positions", "--signatures", "--quiet"]);
    let done = room.run(&["find", "g.bga", "--moves", "e4", "--format", "numbers"]);
    assert_eq!((done.out.as_str(), done.err.as_str()), ("4\n", ""));
    assert_eq!(json(&room.fine(&["tree", "g.bga", "--json"]))["moves"].as_array().unwrap().len(), 2);
    assert_eq!(json(&room.fine(&["tree", "g.bga", "--json"]))["draws"], 1);
    assert_eq!(json(&room.fine(&["tree", "g.bga", "--json"]))["white"], 0);
}

/// The tag Result decides, or the movetext if the tag states none or `*`, in every command that counts results.
#[test]
fn results_are_those_of_the_tag() {
    let room = Room::new();
    let game = |tag: &str, end: &str| format!("[Result \"{tag}\"]\n\n1. e4 e5 {end}\n\n");
    room.write(
        "g.pgn",
        [game("0-1", "1-0"), game("?", "1-0"), game("*", "0-1"), game("1/2", "1-0"), game("*", "*")].concat(),
    );
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    for _ in 0..2 {
        let tree = json(&room.fine(&["tree", "g.bga", "--json"]));
        let counts = ["white", "draws", "black", "unknown"].map(|name| tree[name].as_u64());
        assert_eq!(counts, [Some(1), Some(1), Some(2), Some(1)], "{tree}");
        for (result, game) in [("1-0", "2\n"), ("0-1", "1\n3\n"), ("1/2-1/2", "4\n")] {
            let by_filter =
                room.fine(&["list", "g.bga", "--where", &format!("result = {result}"), "--format", "numbers"]);
            let query = format!("{{\"result\": \"{result}\"}}");
            let by_query = room.fine(&["find", "g.bga", "--query", &query, "--format", "numbers"]);
            assert_eq!((by_filter.as_str(), by_query.as_str()), (game, game), "{result}");
        }
        room.fine(&["index", "g.bga", "--positions", "--signatures", "--tag-columns", "-q"]);
    }
    // White has one win and one draw, Black two wins and one draw: a win weighs two points.
    room.fine(&["book", "g.bga", "-o", "g.bin", "--min-games", "1", "-q"]);
    let weights: Vec<u16> =
        room.read("g.bin").chunks(16).map(|entry| u16::from_be_bytes([entry[10], entry[11]])).collect();
    assert_eq!(weights, [3, 5]);
    // Sorted by number, in any order of the option.
    assert_eq!(room.fine(&["list", "g.bga", "--games", "3,1,2", "--sort=-game", "--format", "numbers"]), "3\n2\n1\n");
}

#[test]
fn of_a_cut_archive_not_all_is_looked_at() {
    let room = Room::with_archive();
    room.write("more.pgn", "1. e4 c5 *\n");
    room.fine(&["import", "more.pgn", "-o", "g.bga", "--append", "--quiet"]);
    let path = room.0.path().join("g.bga");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    for (args, text) in [
        (&["find", "g.bga", "--moves", "e4", "--format", "numbers"][..], "1\n"),
        (&["find", "g.bga", "--moves", "e4", "--count"], "1\n"),
        (&["tree", "g.bga", "--moves", "d4 d5 c4"], "c6"),
        (&["list", "g.bga"], "Buche"),
        (&["eco", "g.bga"], "C20"),
        (&["stats", "g.bga"], "3"),
    ] {
        let done = room.run(args);
        assert!(done.code == Some(1) && done.out.contains(text), "{args:?}: {} {}", done.out, done.err);
        assert!(done.err.contains("truncated"), "{args:?}: {}", done.err);
    }
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
        assert_eq!(columns[..3], ["c4", "1", "100.0%"], "{text}");
        let draws = json(&room.fine(&["tree", "g.bga", "--json", "--where", "result = 1/2-1/2"]));
        assert_eq!([&draws["white"], &draws["draws"], &draws["black"]], [0, 1, 0]);
    }
}

/// Games in which the sort keys have different values, or none.
const SORTED: &str = r#"[Event "A"]
[White "Zu"]
[Black "ab"]
[Date "2001.??.??"]
[Round "10"]
[Result "1-0"]
[WhiteElo "2500"]
[BlackElo "2700"]

1. e4 e5 1-0

[Event "a"]
[White "Ac"]
[Black "?"]
[Date "2001.05.02"]
[Round "9"]
[Result "*"]
[BlackElo "2600"]

1. e4 c5 2. Nf3 *

[Event "B"]
[White "?"]
[Black "Ba"]
[Round "9"]
[Result "0-1"]
[WhiteElo "?"]

1. e4 {best} c6 0-1

[Event "B"]
[White "ZU"]
[Black "Co"]
[Date "1999.12.31"]
[Result "1/2-1/2"]
[WhiteElo "2600"]

1. e4 d6 2. d4 Nf6 1/2-1/2
"#;

/// Without an index of all positions no game is decided, which would look like games without a novelty.
#[test]
fn novelties_without_an_index_are_undecided() {
    let room = Room::new();
    std::fs::write(room.path("a.pgn"), "1. e4 c5 *\n\n1. d4 d5 *\n\n1. Nf3 d5 *\n").unwrap();
    room.fine(&["import", "a.pgn", "-o", "a.bga", "-q"]);
    let message = "scoresheet: a.bga: novelty: needs a position index of all games: make one with `scoresheet index \
                   --positions`\n";
    let undecided = |args: &[&str]| {
        let done = room.run(args);
        assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (Some(1), "", message), "{args:?}");
    };
    undecided(&["list", "a.bga", "--where", "novelty > 0", "--count"]);
    undecided(&["list", "a.bga", "--where", "missing(novelty)", "--count"]);
    undecided(&["list", "a.bga", "--sort", "-novelty"]);
    undecided(&["find", "a.bga", "--moves", "e4", "--where", "novelty > 0"]);
    undecided(&["export", "a.bga", "--where", "novelty > 0"]);
    undecided(&["stats", "a.bga", "--where", "novelty > 0", "--count"]);
    // A column without values is explained.
    let done = room.run(&["list", "a.bga", "--columns", "game,novelty"]);
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (Some(0), "1\t?\n2\t?\n3\t?\n", message));
    assert_eq!(room.run(&["list", "a.bga", "--columns", "game,novelty", "-q"]).err, "");
    room.fine(&["index", "a.bga", "--positions", "-q"]);
    assert_eq!(room.fine(&["list", "a.bga", "--where", "novelty > 0", "--count"]), "3\n");
    room.fine(&["set", "a.bga", "--games", "1", "White=x", "--no-index", "-q"]);
    undecided(&["list", "a.bga", "--where", "novelty > 0", "--count"]);
    // Games that another condition decides are found.
    let decided = ["list", "a.bga", "--where", "white = x or novelty > 0 and white = y", "--count"];
    assert_eq!(room.fine(&decided), "1\n");
}

/// Offset and limit can leave a page without games, although games match.
#[test]
fn an_empty_page_is_not_an_empty_answer() {
    let room = Room::with_archive();
    for args in [["list", "g.bga", "--offset", "50"], ["list", "g.bga", "--limit", "0"]] {
        let done = room.run(&[&args[..], &["--exit-status"]].concat());
        assert!(done.code == Some(0) && !done.err.contains("no game"), "{args:?}: {}", done.err);
    }
    let done = room.run(&["find", "g.bga", "--moves", "e4", "--offset", "50"]);
    assert!(done.err.contains("--offset skips all games that match"), "{}", done.err);
}

/// A game without the tag is sorted by the name from the table of openings, which the column prints.
#[test]
fn openings_of_the_table_are_sorted_among_those_of_tags() {
    let room = Room::new();
    let pgn = "[Opening \"Zebra\"]\n\n1. e4 c5 *\n\n1. d4 d5 *\n\n[Opening \"Alpha\"]\n\n1. Nf3 d5 *\n";
    std::fs::write(room.path("o.pgn"), pgn).unwrap();
    room.fine(&["import", "o.pgn", "-o", "o.bga", "-q"]);
    let numbers = |sort: &str| room.fine(&["list", "o.bga", "--sort", sort, "--format", "numbers"]);
    assert_eq!(numbers("opening"), "3\n2\n1\n");
    assert_eq!(numbers("-opening"), "1\n2\n3\n");
}

#[test]
fn games_found_are_sorted() {
    let room = Room::new();
    room.write("s.pgn", SORTED);
    room.fine(&["import", "s.pgn", "-o", "s.bga", "--quiet"]);
    let sorted = |keys: &str, more: &[&str]| {
        let args = [&["find", "s.bga", "--moves", "e4", "--format", "numbers", "--sort", keys], more].concat();
        room.fine(&args).lines().map(|line| line.parse::<u64>().unwrap()).collect::<Vec<_>>()
    };
    for (keys, order) in [
        // Case is ignored, missing values come last, and games with equal values keep their order.
        ("white", [2, 1, 4, 3]),
        ("-white", [1, 4, 2, 3]),
        ("player", [1, 2, 3, 4]),
        ("-player", [1, 4, 3, 2]),
        ("elo", [1, 2, 4, 3]),
        ("-elo", [1, 2, 4, 3]),
        ("maxelo", [1, 2, 3, 4]),
        ("-whiteelo", [4, 1, 2, 3]),
        // A partial date counts as its first day.
        ("date", [4, 1, 2, 3]),
        ("-date", [2, 1, 4, 3]),
        ("-year,white", [2, 1, 4, 3]),
        ("month", [2, 4, 1, 3]),
        // Numbers in texts sort as numbers.
        ("round", [2, 3, 1, 4]),
        ("-round", [1, 2, 3, 4]),
        ("event,-round", [1, 2, 3, 4]),
        ("-event,-plies", [4, 3, 2, 1]),
        ("result", [3, 4, 1, 2]),
        ("-result", [1, 4, 3, 2]),
        ("-plies", [4, 2, 1, 3]),
        ("-moves,game", [2, 4, 1, 3]),
        ("-game", [4, 3, 2, 1]),
        ("-comments", [3, 1, 2, 4]),
        ("eco", [1, 2, 3, 4]),
        ("tag(\"Round\"),-\"Event\"", [3, 2, 1, 4]),
    ] {
        assert_eq!(sorted(keys, &[]), order, "{keys}");
        for most in ["1", "2", "3", "9"] {
            let first = &order[..most.parse::<usize>().unwrap().min(4)];
            assert_eq!(sorted(keys, &["--limit", most]), first, "{keys}");
        }
    }
    let find = |args: &[&str]| room.fine(&[&["find", "s.bga", "--moves", "e4"], args].concat());
    // The same order in every format.
    let ranks = |format: &str| find(&["--sort", "-date", "--limit", "2", "--format", format]);
    assert_eq!(ranks("pairs"), "2:1\n1:1\n");
    assert!(ranks("csv").lines().map(|line| line.split(',').next().unwrap()).eq(["game", "2", "1"]));
    assert!(ranks("line").lines().map(|line| line.split('\t').next().unwrap()).eq(["2", "1"]));
    assert!(ranks("json").lines().map(|line| json(line)["game"].as_u64().unwrap()).eq([2, 1]));
    assert!(ranks("pgn").find("[White \"Ac\"]") < ranks("pgn").find("[White \"Zu\"]"));
    assert_eq!(ranks("fen").lines().count(), 2);
    assert_eq!(find(&["--sort", "-date", "--count"]), "4\n");
    let query = r#"{"white-move": "e4", "skip": 1, "limit": 2}"#;
    assert_eq!(room.fine(&["find", "s.bga", "--query", query, "--sort", "-date", "--format", "numbers"]), "1\n4\n");
    // The new archive has the first games, in the order of their numbers.
    find(&["--sort", "-date", "--limit", "2", "-o", "two.bga"]);
    assert_eq!(room.fine(&["export", "two.bga"]), room.fine(&["export", "s.bga", "--games", "1,2"]));
    for (keys, column) in [("-elo,datte", "column 6"), ("elo date", "column 5"), ("", "column 1")] {
        let done = room.run(&["find", "s.bga", "--moves", "e4", "--sort", keys]);
        assert!(done.code == Some(2) && done.err.contains(column), "{}", done.err);
    }
}

#[test]
fn several_archives_are_searched_as_one() {
    let room = Room::with_archive();
    room.write("s.pgn", SORTED);
    std::fs::create_dir(room.path("folder")).unwrap();
    room.fine(&["import", "s.pgn", "-o", "folder/s.bga", "--quiet"]);
    std::fs::rename(room.path("g.bga"), room.path("folder/g.bga")).unwrap();
    let both = ["folder/g.bga", "folder/s.bga"];
    room.fine(&["merge", both[0], both[1], "-o", "m.bga", "-q"]);
    let merged = |args: &[&str]| room.fine(&[&args[..1], &["m.bga"], &args[1..]].concat());
    let all = |args: &[&str]| room.fine(&[&args[..1], &both, &args[1..]].concat());
    // Output that names no game is the same as for one archive; a folder and a pattern stand for their archives.
    for args in [
        &["find", "--moves", "e4", "--count"][..],
        &["find", "--moves", "e4", "--format", "fen", "--sort", "-plies"],
        &["find", "--moves", "e4", "--format", "pgn", "--sort", "-elo,white", "--limit", "3"],
        &["find", "--moves", "e4 e5", "--format", "pgn", "--variations", "--all-plies"],
        &["find", "--moves", "", "--where", "elo >= 2100", "--count"],
        &["tree", "--samples", "0"],
        &["tree", "--moves", "e4", "--samples", "0", "--where", "white ~ u"],
    ] {
        let expected = merged(args);
        assert_eq!(all(args), expected, "{args:?}");
        assert_eq!(room.fine(&[&args[..1], &["folder"], &args[1..]].concat()), expected, "{args:?}");
        assert_eq!(room.fine(&[&args[..1], &["folder/*.bga"], &args[1..]].concat()), expected, "{args:?}");
    }
    // Output that names a game also names its archive.
    assert_eq!(all(&["find", "--moves", "e4 e5", "--format", "pairs"]), "folder/g.bga\t1:2\nfolder/s.bga\t1:2\n");
    assert_eq!(
        all(&["find", "--moves", "e4", "--sort", "-date", "--limit", "2", "--format", "numbers"]),
        "folder/g.bga\t1\nfolder/s.bga\t2\n"
    );
    let csv = all(&["find", "--moves", "e4 e5", "--format", "csv"]);
    assert!(csv.starts_with("archive,game,ply,") && csv.contains("\nfolder/s.bga,1,2,Zu,ab,"), "{csv}");
    assert!(all(&["find", "--moves", "e4 c5"]).starts_with("folder/s.bga\t2\t2\tAc\t"));
    let found = json(&all(&["find", "--moves", "e4 c5", "--format", "json"]));
    assert_eq!((&found["archive"], &found["game"]), (&"folder/s.bga".into(), &2.into()));
    all(&["find", "--moves", "e4", "--where", "plies > 3", "-o", "found.bga"]);
    merged(&["find", "--moves", "e4", "--where", "plies > 3", "-o", "same.bga"]);
    assert_eq!(room.digest("found.bga"), room.digest("same.bga"));
    let tree = json(&all(&["tree", "--json"]));
    let top = &tree["topGames"][0];
    assert_eq!((&top["archive"], &top["id"]), (&"folder/s.bga".into(), &1.into()));
    let rare = tree["moves"].as_array().unwrap().iter().find(|branch| branch["san"] == "d4").unwrap();
    assert_eq!((&rare["archive"], &rare["game"]), (&"folder/g.bga".into(), &2.into()));
    assert!(all(&["tree"]).contains("\nfolder/s.bga  1  Zu (2500) - ab (2700)  1-0  2001"));
    all(&["book", "-o", "both.bin", "--min-games", "1", "-q"]);
    merged(&["book", "-o", "one.bin", "--min-games", "1", "-q"]);
    assert_eq!(room.read("both.bin"), room.read("one.bin"));
    let eco = all(&["eco", "--where", "player = Ac"]);
    assert!(eco.starts_with("folder/s.bga\t2\tB27\t"), "{eco}");
    all(&["eco", "--write", "-o", "named.bga", "-q"]);
    merged(&["eco", "--write", "-o", "also.bga", "-q"]);
    assert_eq!(room.digest("named.bga"), room.digest("also.bga"));
    room.fails(&["eco", both[0], both[1], "--games", "1"], 1, &["--games takes one archive"]);
    room.write("folder/empty.txt", "");
    std::fs::create_dir(room.path("none")).unwrap();
    room.fails(&["find", "none", "--moves", "e4"], 1, &["no archive in this folder"]);
    room.fails(&["find", "folder", "nowhere.bga", "--moves", "e4"], 1, &["nowhere.bga"]);
}

/// Chosen columns can name the plies of the hits, and the archive.
#[test]
fn columns_name_the_ply_and_the_archive() {
    let room = Room::with_archive();
    room.fine(&["merge", "g.bga", "-o", "h.bga", "-q"]);
    let find = |args: &[&str]| room.fine(&[&["find"], args].concat());
    let csv = find(&["g.bga", "--moves", "e4 e5", "--columns", "white,ply,archive", "--format", "csv"]);
    assert_eq!(csv, "white,ply,archive\n\"Adler, A\",2,g.bga\n");
    // With several archives, the archive is the first column unless the columns name it.
    assert_eq!(find(&["g.bga", "h.bga", "--moves", "e4", "--columns", "ply"]), "g.bga\t1\nh.bga\t1\n");
    assert_eq!(find(&["g.bga", "h.bga", "--moves", "e4", "--columns", "ply,Archive"]), "1\tg.bga\n1\th.bga\n");
    let json = find(&["g.bga", "--moves", "e4", "--columns", "ply,archive", "--json"]);
    assert_eq!(json, "{\"ply\":[1],\"archive\":\"g.bga\"}\n");
    // Without a search, no ply is found; a tag in quotation marks is a tag.
    assert_eq!(room.fine(&["list", "g.bga", "--columns", "ply", "--limit", "1"]), "?\n");
    assert_eq!(room.fine(&["list", "g.bga", "--columns", "\"ply,a\",white", "--limit", "1"]), "?\tAdler, A\n");
    let done = room.run(&["list", "g.bga", "--columns", "ply,whit"]);
    assert!(done.code == Some(2) && done.err.contains("column 5"), "{}", done.err);
}

/// A sample can be limited to columns, which are the same as among all columns.
#[test]
fn a_sample_has_the_chosen_columns() {
    let room = Room::with_archive();
    let csv = |args: &[&str]| room.fine(&[&["sample", "g.bga", "5", "--format", "csv"], args].concat());
    let all = csv(&[]);
    let chosen: Vec<String> = all
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            [cells[5], cells[1], cells[8], cells[3]].join(",")
        })
        .collect();
    assert_eq!(csv(&["--columns", "result,ply,clock,move"]).lines().collect::<Vec<_>>(), chosen);
    let json = room.fine(&["sample", "g.bga", "1", "--json", "--columns", "white_elo,game"]);
    assert!(json.starts_with("{\"white_elo\":") && json.matches(':').count() == 2, "{json}");
    room.fails(&["sample", "g.bga", "1", "--columns", "fen"], 2, &["--format csv"]);
    assert_eq!(room.run(&["sample", "g.bga", "1", "--json", "--columns", "white"]).code, Some(2));
}

/// A sort says how many games have no value for a key.
#[test]
fn sorts_say_how_many_games_have_no_value() {
    let room = Room::with_archive();
    let said = |args: &[&str]| room.run(&[&["list", "g.bga"], args].concat()).err;
    assert_eq!(said(&["--sort", "-whiteelo"]), "scoresheet: 2 games have no whiteelo: these come last\n");
    assert_eq!(said(&["--sort", "date,plies", "--limit", "1"]), "scoresheet: 2 games have no date: these come last\n");
    assert_eq!(said(&["--sort", "plies"]), "");
    assert_eq!(said(&["--sort", "-whiteelo", "-q"]), "");
    let found = room.run(&["find", "g.bga", "--moves", "e4", "--sort", "blackelo"]).err;
    assert_eq!(found, "scoresheet: 1 game has no blackelo: these come last\n");
}

#[test]
fn tree_names_the_strongest_and_the_last_game_of_each_move() {
    let room = Room::new();
    let game = |white: &str, elos: Option<(u32, u32)>, year: &str, moves: &str| {
        let elos =
            elos.map_or_else(String::new, |(white, black)| format!("[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n"));
        format!("[White \"{white}\"]\n[Black \"X\"]\n[Date \"{year}\"]\n{elos}\n{moves} *\n\n")
    };
    let games = [
        game("A", Some((2500, 2400)), "2001.02.03", "1. e4"),
        game("F", None, "2001.01.31", "1. e4 e6"),
        game("B", Some((2600, 2700)), "1999.01.01", "1. e4 c5"),
        game("C", None, "2010.??.??", "1. d4"),
        game("D", Some((2900, 2000)), "????.??.??", "1. e4 e5"),
        game("E", None, "????.??.??", "1. c4"),
    ];
    room.write("g.pgn", games.concat());
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let tree = ["tree", "g.bga", "--fen", "startpos", "--move-games"];
    let replayed = room.fine(&tree);
    room.fine(&["index", "g.bga", "--positions", "-q"]);
    assert_eq!(room.fine(&tree), replayed);
    let found = json(&room.fine(&[&tree[..], &["--json"]].concat()));
    let of = |san: &str| found["moves"].as_array().unwrap().iter().find(|m| m["san"] == san).unwrap().clone();
    let (e4, d4, c4) = (of("e4"), of("d4"), of("c4"));
    assert_eq!((&e4["strongest"]["id"], &e4["strongest"]["white"]["name"]), (&3.into(), &"B".into()));
    assert_eq!((&e4["last"]["id"], &e4["last"]["date"]), (&1.into(), &"2001.02.03".into()));
    assert_eq!((&d4["strongest"], &d4["last"]["id"]), (&Value::Null, &4.into()));
    assert_eq!((&c4["strongest"], &c4["last"]), (&Value::Null, &Value::Null));
    let csv = room.fine(&[&tree[..], &["--format", "csv"]].concat());
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][rows[0].len() - 2..], ["strongest", "last"]);
    let of = |san: &str| rows.iter().find(|row| row[0] == san).map(|row| row[row.len() - 2..].to_vec()).unwrap();
    assert_eq!([of("e4"), of("d4"), of("c4")], [["3", "1"], ["", "4"], ["", ""]].map(Vec::from));
    let text = room.fine(&tree);
    assert!(text.contains("  strongest  3  B (2600) - X (2700)  *  1999.01.01\n  last       1  A (2500)"), "{text}");
    assert!(!room.fine(&tree[..4]).contains("strongest"));
}

#[test]
fn books_have_the_moves_of_one_side() {
    let room = Room::new();
    let games =
        "1. e4 e5 1-0\n\n1. e4 c5 0-1\n\n1. e4 e5 1-0\n\n1. d4 d5 0-1\n\n[Date \"1950.??.??\"]\n\n1. c4 c5 1-0\n";
    room.write("g.pgn", games);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let moves = |options: &[&str]| {
        room.fine(&[&["book", "g.bga", "-o", "b.bin", "--force", "--min-games", "1", "-q"], options].concat());
        room.read("b.bin").len() / 16
    };
    // e4, c4; c5 after e4 and d5.
    assert_eq!([moves(&[]), moves(&["--only", "white"]), moves(&["--only", "black"])], [4, 2, 2]);
    // e4 scored two of three.
    assert_eq!([66, 67, 100].map(|least| moves(&["--only", "white", "--min-score", &least.to_string()])), [2, 1, 1]);
    assert_eq!(moves(&["--recent-weight", "2"]), 4);
}

/// `tree` compares castling rights, of which a FEN without them has none.
#[test]
fn a_fen_without_all_fields_is_explained() {
    let room = Room::with_archive();
    let board = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    assert_ne!(room.fine(&["find", "g.bga", "--fen", board, "--count"]).trim(), "0");
    for command in ["tree", "opening"] {
        let done = room.run(&[command, "g.bga", "--fen", board]);
        assert!(done.err.contains("the FEN omits fields, so it means White to move, no castling"), "{}", done.err);
        let done = room.run(&[command, "g.bga", "--fen", &format!("{board} b KQkq - 0 1")]);
        assert!(!done.err.contains("omits"), "{}", done.err);
    }
}

#[test]
fn books_have_the_moves_of_one_variant() {
    let room = Room::new();
    room.write(
        "g.pgn",
        "1. d4 d5 1-0\n\n[Variant \"Atomic\"]\n\n1. e4 e5 2. Nf3 1-0\n\n[Variant \"Crazyhouse\"]\n\n1. e4 1-0\n",
    );
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let book = |options: &[&str]| {
        room.run(
            &[&["book", "g.bga", "-o", "b.bin", "--force", "--min-games", "1", "--only", "white"], options].concat(),
        )
    };
    let done = book(&["--variant", "atomic"]);
    assert!(done.code == Some(0) && done.err.contains("b.bin: 2 moves"), "{}", done.err);
    // The key of the starting position is that of chess (PolyGlot's book format), and 1. e4 has the weight of one win.
    let key = [0x46, 0x3B, 0x96, 0x18, 0x16, 0x91, 0xFC, 0x9C];
    let entry = [&key[..], &[0x03, 0x1C, 0, 2, 0, 0, 0, 0]].concat();
    let bytes = room.read("b.bin");
    assert!(bytes.chunks(16).any(|found| found == entry), "{bytes:02x?}");
    std::fs::remove_file(room.path("b.bin")).unwrap();
    for (options, code, words) in [
        (&["--variant", "crazyhouse"][..], 2, "neither pockets nor drops"),
        (&["--variant", "any"], 2, "moves of one variant"),
        (&["--variant", "horde"], 0, "the archive has no game of this variant"),
        (&["--where", "year = 1800"], 0, "no game matches --where 'year = 1800'"),
    ] {
        let done = book(options);
        assert!(done.code == Some(code) && done.err.contains(words), "{options:?}: {}", done.err);
        assert!(!room.path("b.bin").exists(), "{options:?}");
    }
}

/// Where other commands count a game once, books and repertoires do so, too.
#[test]
fn a_game_that_repeats_a_move_counts_once() {
    let room = Room::new();
    let moves = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 1-0";
    room.write("g.pgn", format!("[White \"A\"]\n[Result \"1-0\"]\n\n{moves}\n"));
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    room.fine(&["book", "g.bga", "-o", "b.bin", "--min-games", "1", "-q"]);
    let weights: Vec<u8> = room.read("b.bin").chunks(16).map(|entry| entry[11]).collect();
    assert!(!weights.is_empty() && weights.iter().all(|weight| *weight == 2), "{weights:?}");
    room.write("mine.pgn", "1. Nf3 (1. e4) 1... Nf6 2. Ng1 Ng8 *\n");
    let report = json(&room.fine(&["repertoire", "mine.pgn", "g.bga", "--side", "white", "--json"]));
    assert_eq!((&report["choices"][0]["line"], &report["choices"][0]["games"]), (&"1. Nf3".into(), &1.into()));
}

/// The field `variant` of a filter chooses games of variants in every command, as the option does.
#[test]
fn the_field_variant_chooses_like_the_option() {
    let room = Room::new();
    let game = |variant: &str, moves: &str| format!("[White \"A\"]\n{variant}\n1. {moves} 1-0\n\n");
    let games = [("", "e4 e5"), ("[Variant \"Atomic\"]\n", "e4 d5"), ("[Variant \"Three-check\"]\n", "e4 c5")];
    room.write("g.pgn", games.map(|(variant, moves)| game(variant, moves)).concat());
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    for (filter, option, games) in [
        ("variant = atomic", "atomic", "1\n"),
        ("variant = \"Three-check\"", "3check", "1\n"),
        ("variant = any", "any", "3\n"),
    ] {
        for command in [&["find"][..], &["tree"], &["opening"], &["tree", "--depth", "2"]] {
            for (what, chosen) in [("--where", filter), ("--variant", option)] {
                let args =
                    [&command[..1], &["g.bga", "--moves", "e4", what, chosen, "--count"], &command[1..]].concat();
                assert_eq!(room.fine(&args), games, "{args:?}");
            }
        }
        for command in ["tree", "opening"] {
            let moves = |what: &str, chosen: &str| {
                let found = json(&room.fine(&[command, "g.bga", "--moves", "e4", what, chosen, "--json"]));
                let moves = found["moves"].as_array().unwrap().clone();
                moves.iter().map(|m| m["san"].as_str().unwrap().to_owned()).collect::<Vec<String>>()
            };
            let found = moves("--where", filter);
            assert!(found == moves("--variant", option) && !found.is_empty(), "{command} {filter}: {found:?}");
        }
    }
    for (filter, games) in [("has(variant)", "2\n"), ("missing(variant)", "1\n"), ("not missing(variant)", "2\n")] {
        assert_eq!(room.fine(&["tree", "g.bga", "--where", filter, "--count"]), games, "{filter}");
    }
}

/// A FEN with pockets or counts of checks is looked for in games of its variant alone, whatever else chooses.
#[test]
fn positions_of_variants_are_found_alike_by_all_commands() {
    let room = Room::new();
    let game = |variant: &str| {
        let (tag, first) = (format!("[Variant \"{variant}\"]\n"), if variant == "Antichess" { "e3" } else { "e4" });
        format!("{}[Result \"1-0\"]\n\n1. {first} 1-0\n\n", if variant.is_empty() { "" } else { &tag })
    };
    let variants = ["", "", "", "Crazyhouse", "Crazyhouse", "Three-check", "Three-check", "Antichess"];
    room.write("v.pgn", variants.map(game).concat());
    room.fine(&["import", "v.pgn", "-o", "v.bga", "-q"]);
    let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let [chess, pockets, checks] =
        [" w KQkq - 0 1", "[] w KQkq - 0 1", " w KQkq - 3+3 0 1"].map(|rest| format!("{board}{rest}"));
    for (fen, choice, expected) in [
        (&chess, &["--variant", "chess"][..], "3"),
        (&chess, &["--variant", "any"], "7"),
        (&chess, &["--variant", "antichess"], "1"),
        (&pockets, &["--where", "plies > 0"], "2"),
        (&pockets, &["--variant", "any"], "2"),
        (&pockets, &["--variant", "chess"], "0"),
        (&checks, &["--where", "variant = any"], "2"),
        (&checks, &["--where", "variant = crazyhouse"], "0"),
        (&checks, &["--variant", "chess"], "0"),
    ] {
        for command in ["find", "tree", "opening"] {
            let args = [&[command, "v.bga", "--fen", fen, "--count", "-q"][..], choice].concat();
            assert_eq!(room.run(&args).out.trim(), expected, "{args:?}");
        }
    }
    let both = ["find", "v.bga", "--fen", &chess, "--fen", &pockets];
    room.fails(&both, 2, &["positions of different variants are searched for one by one"]);
    for (variant, games) in [("crazyhouse", 2), ("any", 5), ("3check", 2), ("antichess", 1)] {
        let found = json(&room.fine(&["sample", "v.bga", "1", "--frequent", "--json", "--variant", variant]));
        assert_eq!(found["games"], games, "{variant}");
    }
}

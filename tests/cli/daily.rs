//! Everyday jobs: listing and sorting, sampling, grouping; the answers must match the questions.

use crate::common::cli::{Room, json};
use serde_json::Value;

/// A sacrifice on h7, the same square without a sacrifice, a mate by a knight, endings; clocks and evaluations.
const GAMES: &str = r#"[Event "Sacrifice"]
[White "Adler"]
[Black "Buche"]
[Result "1-0"]
[Date "2020.05.01"]
[WhiteElo "2400"]
[BlackElo "2300"]
[ECO "C11"]

1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. e5 Nfd7 5. Nf3 Be7 6. Bd3 O-O 7. Bxh7+ Kxh7 8. Ng5+ 1-0

[Event "No sacrifice"]
[White "Ce"]
[Black "Adler"]
[Result "1-0"]
[Date "2021.05.01"]
[WhiteElo "1500"]
[ECO "B90"]

1. e4 h5 2. Bd3 h4 3. Nc3 Rh5 4. e5 Rg5 5. Bh7 Rxg2 1-0

[Event "Mate"]
[White "Buche"]
[Black "Adler"]
[Result "1-0"]
[Date "2022.05.01"]
[TimeControl "60+0"]

1. e4 {[%eval 0.3] [%clk 0:00:58]} c6 {[%eval 0.4] [%clk 0:00:59]} 2. d4 {[%eval 0.4] [%clk 0:00:50]}
d5 {[%eval 0.4] [%clk 0:00:57]} 3. Nc3 {[%eval 0.4] [%clk 0:00:20]} dxe4 {[%eval 0.4] [%clk 0:00:55]}
4. Nxe4 {[%eval 0.4] [%clk 0:00:19]} Nd7 {[%eval 0.4] [%clk 0:00:50]} 5. Qe2 {[%eval 0.0] [%clk 0:00:09]}
Ngf6 {[%eval #1] [%clk 0:00:08]} 6. Nd6# {[%clk 0:00:07]} 1-0

[Event "Rook ending"]
[White "De"]
[Black "Adler"]
[Result "1/2-1/2"]
[FEN "8/5k2/5p2/8/5P2/r7/4K3/R7 w - - 0 50"]
[SetUp "1"]

50. Rb1 Ke6 1/2-1/2

[Event "Rook ending"]
[White "Adler"]
[Black "De"]
[Result "1/2-1/2"]
[FEN "8/5k2/5pp1/8/8/r7/4K3/R7 w - - 0 50"]
[SetUp "1"]

50. Rb1 Ke6 1/2-1/2
"#;

fn room() -> Room {
    let room = Room::new();
    room.write("g.pgn", GAMES);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "--quiet"]);
    room
}

fn numbers(room: &Room, args: &[&str]) -> String {
    let out = room.fine(&[&["find", "g.bga", "--format", "numbers"], args].concat());
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_a_move_says_must_be_so() {
    let room = room();
    for (san, found) in [
        ("Bxh7+", "1"),
        ("Bxh7", "1"),
        ("Bh7", "1 2"),
        ("Bh7+", "1"),
        ("Bh7#", ""),
        ("Nd6#", "3"),
        ("Nd6+", "3"),
        ("Nxd6", ""),
        ("dxe4", ""),
    ] {
        assert_eq!(numbers(&room, &["--white-move", san]), found, "{san}");
    }
    assert_eq!(numbers(&room, &["--black-move", "dxe4"]), "3");
    assert_eq!(numbers(&room, &["--black-move", "Rxg2", "--either-color"]), "2");
    assert_eq!(numbers(&room, &["--black-move", "Bxh2+", "--either-color"]), "1");
    assert_eq!(numbers(&room, &["--mate", "--moved", "N"]), "3");
    assert_eq!(numbers(&room, &["--mate", "--moved", "Q"]), "");
    let done = room.run(&["find", "g.bga", "--white-move", "Bh7+#"]);
    assert!(done.code == Some(2) && done.err.contains("write + for check or # for mate"), "{}", done.err);
}

#[test]
fn material_takes_what_its_help_says() {
    let room = room();
    room.fine(&["index", "g.bga", "--signatures", "--quiet"]);
    assert_eq!(numbers(&room, &["--material", "KRP+krp+"]), "4");
    assert_eq!(numbers(&room, &["--material", "KRP+kr"]), "");
    assert_eq!(numbers(&room, &["--material", "KRP+kr", "--either-color"]), "5");
    assert_eq!(numbers(&room, &["--material", "KRPkrp"]), "4");
    let done = room.run(&["find", "g.bga", "--material", "KRPkrp", "--either-color", "--explain", "--count"]);
    // Games that end with other pieces are not replayed.
    assert!(done.err.contains("signatures       1 game\n"), "{}", done.err);
    assert_eq!(done.out, "1\n");
}

#[test]
fn positions_are_taken_alike_everywhere() {
    let room = room();
    assert_eq!(numbers(&room, &["--fen", "startpos"]), "1 2 3");
    assert!(room.fine(&["tree", "g.bga", "--fen", "startpos"]).contains("3 games"));
    let shown = room.fine(&["show", "g.bga", "3:4"]);
    assert_eq!(shown, room.fine(&["show", "g.bga", "3", "--ply", "4"]));
    assert!(shown.contains("Ply     4 of 11: 2... d5"), "{shown}");
    room.fails(&["show", "g.bga", "3:4", "--ply", "4"], 1, &["twice"]);
    for (position, options) in [("startpos", &["--json"][..]), ("startpos", &["--moves", "e4 c5", "--json"])] {
        assert!(json(&room.fine(&[&["position", position], options].concat()))[0]["legal"] == Value::Bool(true));
    }
    let four = "4k3/8/8/8/8/8/4P3/4K3 w - -";
    room.fails(&["position", four, "--strict"], 1, &["six fields"]);
    room.fine(&["position", four, "--strict", "--as", "epd"]);
    room.fine(&["position", four]);
    room.fine(&["position", &format!("{four} 0 1"), "--strict"]);
    room.write("list.epd", format!("{four}\n{four} id \"x\";\n"));
    assert_eq!(room.fine(&["position", "list.epd", "--strict"]).matches("\tlegal").count(), 2);
}

#[test]
fn several_positions_and_either_color() {
    let room = room();
    let (french, pirc) = (
        "rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -",
        "rnbqkbnr/pp1ppppp/2p5/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -",
    );
    assert_eq!(numbers(&room, &["--fen", french]), "1");
    assert_eq!(numbers(&room, &["--fen", french, "--fen", pirc]), "1 3");
    assert_eq!(numbers(&room, &["--fen", french, "--fen", "startpos", "--every"]), "1");
    assert_eq!(numbers(&room, &["--fen", french, "--fen", pirc, "--every"]), "");
    room.write("list.epd", format!("# two\n{french} id \"French\";\n\n{pirc} 0 2\n"));
    assert_eq!(numbers(&room, &["--fens", "list.epd"]), "1 3");
    room.write("bad.epd", "xx\n");
    room.fails(&["find", "g.bga", "--fens", "bad.epd"], 1, &["bad.epd", "line 1"]);
    // The French Defense with colors exchanged.
    let swapped = "rnbqkbnr/pppp1ppp/8/4p3/8/4P3/PPPP1PPP/RNBQKBNR b KQkq -";
    assert_eq!(numbers(&room, &["--fen", swapped]), "");
    assert_eq!(numbers(&room, &["--fen", swapped, "--either-color"]), "1");
}

#[test]
fn what_is_refused_says_what_to_do() {
    let room = room();
    for args in [&["show", "g.bga", "-3"][..], &["list", "g.bga", "--limit", "-3"], &["stats", "g.bga", "--top", "-1"]]
    {
        let done = room.run(args);
        assert_eq!(done.code, Some(2), "{}", done.err);
        assert!(done.err.contains("invalid value '-") && !done.err.contains("'-- -"), "{}", done.err);
    }
    let done = room.run(&["show", "g.bga", "-x"]);
    assert!(done.code == Some(2) && !done.err.contains("'-- -"), "{}", done.err);
    let done = room.run(&["split", "g.bga", "-o", "parts"]);
    assert!(["--count", "--bytes", "--by"].iter().all(|choice| done.err.contains(choice)), "{}", done.err);
    for args in [
        &["export", "g.bga", "-o", "none/x.pgn"][..],
        &["compact", "g.bga", "-o", "none/x.bga"],
        &["stats", "g.bga", "--report", "none/x.html"],
        &["book", "g.bga", "-o", "none/x.bin"],
        &["import", "g.pgn", "-o", "none/x.bga"],
    ] {
        let done = room.fails(args, 1, &["none"]);
        assert!(!done.err.contains(".tmp"), "{}", done.err);
    }
}

#[test]
fn missing_values_are_explained() {
    let room = room();
    let done = room.run(&["list", "g.bga", "--where", "elo != 1500", "--count", "--explain"]);
    assert_eq!(done.out, "1\n");
    assert!(done.err.contains("3 games no elo: neither = nor != matches; missing(elo) does"), "{}", done.err);
    assert_eq!(room.fine(&["list", "g.bga", "--where", "missing(elo)", "--count"]), "3\n");
    // Games without a result are compared.
    room.write("open.pgn", b"1. e4 *\n");
    room.fine(&["import", "-q", "open.pgn"]);
    let filter = "result != 1-0 and movetextresult != 1-0";
    let done = room.run(&["list", "open.bga", "--where", filter, "--count", "--explain"]);
    assert!(done.out == "1\n" && !done.err.contains("neither"), "{}", done.err);
    let stats = json(&room.fine(&["stats", "g.bga", "--json"]));
    assert_eq!((&stats[0]["longest"]["game"], &stats[0]["longest"]["archive"]), (&1.into(), &"g.bga".into()));
}

#[test]
fn list_and_find_are_alike() {
    let room = room();
    let rows = |args: &[&str]| -> Vec<String> {
        let listed = room.fine(&[&["list", "g.bga"], args].concat());
        assert_eq!(listed, room.fine(&[&["find", "g.bga"], args].concat()), "{args:?}");
        listed.lines().map(str::to_owned).collect()
    };
    let numbers = |args: &[&str]| {
        let all = rows(&[args, &["--format", "numbers"]].concat());
        all.join(" ")
    };
    assert_eq!(numbers(&[]), "1 2 3 4 5");
    assert_eq!(numbers(&["--sort", "-plies", "--limit", "2"]), "1 3");
    assert_eq!(numbers(&["--sort", "-plies", "--limit", "2", "--offset", "1"]), "3 2");
    assert_eq!(numbers(&["--offset", "3"]), "4 5");
    assert_eq!(numbers(&["--games", "2-4", "--where", "result = 1-0"]), "2 3");
    assert_eq!(rows(&["--count"]), ["5"]);
    assert_eq!(
        rows(&["--columns", "game,white,whiteelo,opening,\"Event\",year", "--format", "csv", "--limit", "2"]),
        [
            "game,white,whiteelo,opening,Event,year",
            "1,Adler,2400,\"French Defense: Steinitz Variation, Boleslavsky Variation\",Sacrifice,2020",
            "2,Ce,1500,Goldsmith Defense,No sacrifice,2021"
        ]
        .map(str::to_owned)
        .map(|line| if line.starts_with("1,") {
            rows(&["--columns", "game,white,whiteelo,opening,\"Event\",year", "--format", "csv", "--limit", "1"])[1]
                .clone()
        } else {
            line
        })
    );
    assert_eq!(rows(&["--columns", "game,result", "--format", "tsv", "--limit", "1"]), ["game\tresult", "1\t1-0"]);
    let game = json(&rows(&["--json", "--limit", "1"]).join("\n")).remove(0);
    assert_eq!((&game["white_elo"], &game["eco"], &game["plies"]), (&2400.into(), &"C11".into(), &15.into()));
    assert!(game["opening"].as_str().unwrap().starts_with("French Defense"), "{game}");
    let chosen = json(&rows(&["--json", "--columns", "game,whiteelo,date", "--limit", "1"]).join("\n")).remove(0);
    assert_eq!(chosen.to_string(), r#"{"date":"2020.05.01","game":1,"whiteelo":2400}"#);
    // A table of 80 columns: the least important columns are cut.
    let table = rows(&["--format", "table"]);
    assert!(table[0].starts_with("game  white  black  result") && table.iter().all(|line| line.chars().count() <= 80));
    for option in ["--columns", "--sort"] {
        let done = room.run(&["list", "g.bga", option, "whit"]);
        assert!(done.code == Some(2) && done.err.contains("did you mean white?"), "{}", done.err);
    }
    // Other commands use the same members.
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for args in [&["show", "g.bga", "1", "--json"][..], &["eco", "g.bga", "--games", "1", "--json"]] {
        let found = json(&room.fine(args)).remove(0);
        for key in keys(&game) {
            assert_eq!(found[&key], game[&key], "{args:?} {key}");
        }
    }
}

/// Engine data in comments, from any program, can be queried like other data; scores are White's.
#[test]
fn what_engines_say_is_asked() {
    let room = room();
    let source = std::fs::read(crate::common::sample::testdata("golden/engine.pgn")).unwrap();
    room.write("engine.pgn", source);
    room.fine(&["import", "-q", "-o", "engine.bga", "engine.pgn"]);
    for (filter, found) in [
        ("whitedepth = 15 and blackdepth = 13", "1"),
        ("depth >= 200", "2"),
        ("blackdepth = 245 and whitedepth = 30", "2"),
        ("whitenodes = 7374378", "1"),
        ("missing(nodes)", "2 3"),
        ("maxeval = 0.33 and mineval = \"#-3\"", "1"),
        ("maxeval = 0.2 and mineval < -1000", "2"),
        ("blacktimeused >= 0.8 and blacktimeused < 1", "2"),
        ("lowclock >= 61", "1"),
    ] {
        let out = room.fine(&["list", "engine.bga", "--where", filter, "--format", "numbers"]);
        assert_eq!(out.split_whitespace().collect::<Vec<_>>().join(" "), found, "{filter}");
    }
    let out = room.fine(&[
        "list",
        "engine.bga",
        "--columns",
        "game,whitedepth,blacknodes",
        "--sort",
        "-whitedepth",
        "--format",
        "csv",
    ]);
    assert_eq!(out, "game,whitedepth,blacknodes\n2,30,\n3,19,\n1,15,4598562\n");
}

#[test]
fn clocks_and_evaluations_are_asked() {
    let room = room();
    let list = |filter: &str| {
        let out = room.fine(&["list", "g.bga", "--where", filter, "--format", "numbers"]);
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (filter, found) in [
        ("lowclock < 10", "3"),
        ("whitelowclock <= 7", "3"),
        ("whitelowclock < 7", ""),
        ("blacklowclock = 0:08", "3"),
        ("not lowclock < 10", "1 2 4 5"),
        ("missing(lowclock)", "1 2 4 5"),
        ("blackblunders = 1", "3"),
        ("blunders >= 2", ""),
        ("whiteblunders = 0", "3"),
        ("blackaccuracy < 80 and whiteaccuracy > 90", "3"),
        ("maxeval = \"#1\"", "3"),
        ("mineval = 0", "3"),
        ("evalswing >= 10", "3"),
        ("mate = knight", "3"),
        ("mate in {queen, rook}", ""),
        ("whitetimeused = 53 and blacktimeused = 52", "3"),
        ("winner = Adler", "1"),
        ("loser = Adler", "2 3"),
        ("loser = Adler and black = Adler and eco = B90", "2"),
        ("player = Adler and score = 1", "1"),
        ("player = Adler and score = 0", "2 3"),
        ("player = Adler and score >= 0.5", "1 4 5"),
        ("player = Adler and opponent = De", "4 5"),
        ("player = Adler and opponent = De and color = white", "5"),
        ("player = Adler and playerelo >= 2000", "1"),
        ("player = Adler and opponentelo <= 1600", "2"),
        ("player = Adler and playerblunders = 1", "3"),
        ("opening ~ french", "1"),
        ("date >= today - 1d", ""),
        ("date < today-1y and year = 2020", "1"),
        ("date in today - 100y .. today", "1 2 3"),
    ] {
        assert_eq!(list(filter), found, "{filter}");
    }
    for (filter, what) in [
        ("lowclock < ten", "a time"),
        ("date > today - 3", "write today - 3y"),
        ("score = 2", "expected 1, 0.5 or 0"),
        ("mate = horse", "a piece"),
        ("color = red", "expected white or black"),
    ] {
        let done = room.run(&["list", "g.bga", "--where", filter]);
        assert!(done.code == Some(2) && done.err.contains(what), "{filter}: {}", done.err);
    }
    let done = room.run(&["list", "g.bga", "--where", "lowclock < 10", "--count", "--explain"]);
    assert!(done.err.contains("5 games read: clocks"), "{}", done.err);
    room.fine(&["index", "g.bga", "--tag-columns", "--quiet"]);
    // If the columns say which games have comments, the other games are not read.
    let done = room.run(&["list", "g.bga", "--where", "not lowclock < 10", "--count", "--explain"]);
    assert!(done.err.contains("1 game read: clocks") && done.out == "4\n", "{}{}", done.err, done.out);
    assert_eq!(numbers(&room, &["--mistake", "blunder"]), "3");
    assert_eq!(numbers(&room, &["--mistake", "blunder", "--clock-below", "9"]), "3");
    assert_eq!(numbers(&room, &["--mistake", "blunder", "--clock-below", "8"]), "");
    assert_eq!(numbers(&room, &["--mistake", "inaccuracy", "--moved", "N"]), "3");
    assert_eq!(numbers(&room, &["--mistake", "inaccuracy", "--moved", "Q"]), "");
    assert_eq!(
        room.fine(&["find", "g.bga", "--clock-below", "10", "--format", "pairs", "--all-plies"]),
        "3:9\n3:10\n3:11\n"
    );
    assert_eq!(
        room.fine(&[
            "list",
            "g.bga",
            "--games",
            "3",
            "--columns",
            "lowclock,whiteblunders,blackblunders,mate",
            "--format",
            "csv"
        ]),
        "lowclock,whiteblunders,blackblunders,mate\n7,0,1,knight\n"
    );
    assert_eq!(room.fine(&["list", "g.bga", "--sort", "lowclock", "--format", "numbers", "--limit", "2"]), "3\n1\n");
    let shown = json(&room.fine(&["show", "g.bga", "3", "--json"])).remove(0);
    assert_eq!(shown["clocks"].as_array().unwrap().len(), 11);
    assert_eq!((&shown["clocks"][10], &shown["evaluations"][9]), (&7.0.into(), &"#1".into()));
    assert_eq!(shown["mistakes"][0].to_string(), r#"{"judgement":"blunder","ply":10}"#);
    assert_eq!(shown["measures"]["black"]["blunders"], 1);
    let text = room.fine(&["show", "g.bga", "3"]);
    assert!(text.contains("Clock") && text.contains("Accuracy") && text.contains("Black 1, 0, 0"), "{text}");
}

/// The engine data of the games of `testdata/questions`, in each command that reads it.
#[test]
fn engines_are_asked() {
    let room = Room::new();
    let source = crate::common::sample::testdata("questions/odd.pgn");
    room.fine(&["import", source.to_str().unwrap(), "-o", "odd.bga", "--quiet"]);
    let shown = json(&room.fine(&["show", "odd.bga", "13", "--json"])).remove(0);
    let first = r#"{"clock":299.9,"depth":30,"eval":"0.25","nodes":459000000,"ply":1,"pv":["e4","e5","Nf3","Nc6","Bb5","a6"],"pv_ply":0,"selective_depth":41,"time":5.1}"#;
    assert_eq!(shown["analysis"][0].to_string(), first);
    assert_eq!(shown["analysis"].as_array().unwrap().len(), 4);
    let exported = json(&room.fine(&["export", "odd.bga", "--format", "json", "--games", "13-15"]));
    assert_eq!(exported[0]["analysis"], shown["analysis"]);
    assert_eq!(exported[1]["analysis"][1]["pv"], serde_json::json!(["d5", "exd5", "Nf6"]));
    let chessbase = &exported[2]["analysis"][3];
    assert_eq!(
        (&chessbase["eval"], &chessbase["depth"], &chessbase["time"]),
        (&"-0.95".into(), &14.into(), &6.0.into())
    );
    assert!(json(&room.fine(&["show", "odd.bga", "1", "--json"]))[0].get("analysis").is_none());
    let text = room.fine(&["show", "odd.bga", "13:1"]);
    assert!(text.contains("0.25, depth 30/41, 459,000,000 nodes, 5.1 s, e4 e5 Nf3 Nc6 Bb5 a6"), "{text}");
    let find = |args: &[&str]| room.fine(&[&["find", "odd.bga", "--in-pv"], args].concat());
    let found = json(&find(&["--moves", "e4 e5 Nf3 Nc6 Bb5", "--json"])).remove(0);
    assert_eq!(found["hits"].to_string(), r#"[{"ply":5,"pv":5,"variation":false}]"#);
    let found = find(&["--mate", "--columns", "game,blackpvlength", "--format", "csv", "--where", "missing(elo)"]);
    assert!(found.contains("15,2"), "{found}");
    assert_eq!(room.fine(&["find", "odd.bga", "--moves", "e4 c5", "--format", "numbers", "--in-pv"]), "1\n13\n");
    let lines = room.fine(&[
        "list",
        "odd.bga",
        "--sort",
        "-pvlength",
        "--limit",
        "2",
        "--columns",
        "game,pvlength",
        "--format",
        "csv",
    ]);
    assert_eq!(lines, "game,pvlength\n13,7\n14,4\n");
}

#[test]
fn samples_are_reproducible() {
    let room = Room::new();
    let sample = crate::common::sample::lichess();
    room.fine(&["import", sample.to_str().unwrap(), "-o", "s.bga", "--quiet"]);
    let draw = |args: &[&str]| room.fine(&[&["sample", "s.bga"], args].concat());
    let small = draw(&["50", "--seed", "3"]);
    assert_eq!(small.lines().count(), 50);
    assert_eq!(small, draw(&["50", "--seed", "3", "--threads", "1"]));
    assert!(draw(&["200", "--seed", "3"]).starts_with(&small));
    assert_ne!(small, draw(&["50", "--seed", "4"]));
    // Each row agrees with `fen` at the same game and ply, and the move is legal there.
    for row in json(&draw(&["300", "--json", "--quiet-positions", "--plies", "10-40", "--distinct", "--per-game", "1"]))
    {
        let pair = format!("{}:{}", row["game"], row["ply"]);
        assert_eq!(row["fen"].as_str().unwrap(), room.fine(&["fen", "s.bga", &pair]).trim());
        assert!((10..=40).contains(&row["ply"].as_u64().unwrap()) && row["part"].is_null());
        let san = row["san"].as_str().unwrap();
        assert!(!san.contains(['x', '+', '#', '=']), "{row}");
    }
    // Every game is in exactly one part.
    let games = |part: &str| -> std::collections::BTreeSet<String> {
        let out = draw(&["3000", "--format", "numbers", "--test", "20", "--part", part]);
        out.lines().map(str::to_owned).collect()
    };
    let (train, test) = (games("train"), games("test"));
    assert!(train.is_disjoint(&test) && train.len() + test.len() == 3000);
    assert!((450..750).contains(&test.len()), "{}", test.len());
    let csv = draw(&["100", "--format", "csv", "--test", "20", "--part", "test"]);
    assert!(csv.starts_with("game,ply,fen,move,san,result,white_elo,black_elo,clock,evaluation,part\n"));
    for line in csv.lines().skip(1) {
        let game = line.split(',').next().unwrap();
        assert!(test.contains(game) && line.ends_with(",test"), "{line}");
    }
    assert_eq!(draw(&["5", "--format", "pgn"]).matches("[Event ").count(), 5);
    let done = room.run(&["sample", "s.bga", "9999", "--format", "numbers"]);
    assert_eq!((done.code, done.out.lines().count()), (Some(0), 3000));
    assert!(done.err.contains("only 3,000 games"), "{}", done.err);
}

#[test]
fn groups_and_reports() {
    let room = room();
    let stats = |args: &[&str]| room.fine(&[&["stats", "g.bga"], args].concat());
    assert_eq!(
        stats(&["--by", "year", "--format", "csv"]),
        "year,games,won,drawn,lost,score,rating,opponents,performance\n\
         2020,1,1,0,0,1.0000,2350,2300,3100\n2021,1,1,0,0,1.0000,,,\n2022,1,1,0,0,1.0000,,,\n,2,,,,,,,\n"
    );
    let rows = json(&stats(&["--by", "color,opponent", "--player", "Adler", "--json"]));
    let row = |color: &str, opponent: &str| {
        let matching = rows.iter().find(|row| row["color"] == color && row["opponent"] == opponent).unwrap();
        [&matching["won"], &matching["drawn"], &matching["lost"]].map(|number| number.as_u64().unwrap())
    };
    assert_eq!(rows.len(), 5);
    assert_eq!(row("White", "Buche"), [1, 0, 0]);
    assert_eq!(row("White", "De"), [0, 1, 0]);
    assert_eq!(row("Black", "De"), [0, 1, 0]);
    assert_eq!(row("Black", "Ce"), [0, 0, 1]);
    for (key, found) in [
        ("mate", "knight"),
        ("ending", "KRP v KRP"),
        ("eco", "B90 Sicilian Defense: Najdorf Variation"),
        ("ecoclass", "C"),
        ("opening", "Caro-Kann Defense"),
        ("family", "French Defense"),
        ("rating", "2200-2399"),
        ("month", "2021-05"),
        ("weekday", "Friday"),
        ("speed", "bullet"),
        ("timecontrol", "60+0"),
        ("player", "Adler"),
        ("result", "1/2-1/2"),
        ("length", "1-20"),
        ("event", "Mate"),
    ] {
        let title = if key == "rating" { "rating_band" } else { key };
        let names: Vec<Value> = json(&stats(&["--by", key, "--json"])).iter().map(|row| row[title].clone()).collect();
        assert!(names.iter().filter_map(Value::as_str).any(|name| name.starts_with(found)), "{key}: {names:?}");
    }
    assert_eq!(json(&stats(&["--by", "player", "--json"]))[0]["games"], 5);
    room.fails(&["stats", "g.bga", "--by", "opponent"], 2, &["--player"]);
    assert!(room.run(&["stats", "g.bga", "--by", "horse"]).err.contains("grouped by opening, family"));
    let player = json(&room.fine(&["player", "g.bga", "adl", "--json"])).remove(0);
    assert_eq!((&player["games"], &player["won"], &player["black"]["lost"]), (&5.into(), &1.into(), &2.into()));
    assert_eq!((&player["best_wins"][0]["game"], &player["names"][0]["name"]), (&1.into(), &"Adler".into()));
    assert_eq!(player["openings_with_white"][0]["opening"], "French Defense");
    let text = room.fine(&["player", "g.bga", "Adler"]);
    assert!(text.starts_with("Adler, 5 games\n") && text.contains("with Black") && text.contains("opponent"), "{text}");
    room.fails(&["player", "g.bga", "Nobody"], 1, &["Nobody"]);
    let opening = json(&room.fine(&["opening", "g.bga", "--moves", "e4 e6", "--json"])).remove(0);
    assert_eq!((&opening["opening"], &opening["games"]), (&"C00 French Defense".into(), &1.into()));
    assert_eq!((&opening["moves"][0]["san"], &opening["with_white"][0]["player"]), (&"d4".into(), &"Adler".into()));
    assert!(room.fine(&["opening", "g.bga", "--where", "opening ~ french"]).contains("1 game: White won 1"));
    room.fails(&["opening", "g.bga"], 2, &["which opening?"]);
    for text in [room.fine(&["player", "g.bga", "Adler"]), stats(&[])] {
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn trees_of_several_plies_have_names() {
    let room = room();
    let text = room.fine(&["tree", "g.bga", "--depth", "2"]);
    assert!(text.contains("\n  e6 ") && text.contains("\n  c6 ") && text.contains("French Def"), "{text}");
    let tree = json(&room.fine(&["tree", "g.bga", "--depth", "3", "--json"])).remove(0);
    let replies = tree["moves"][0]["moves"].as_array().unwrap();
    let french = replies.iter().find(|reply| reply["san"] == "e6").unwrap();
    assert_eq!((&french["opening"], &french["eco"]), (&"French Defense".into(), &"C00".into()));
    assert_eq!((&french["moves"][0]["san"], &french["moves"][0]["white"]), (&"d4".into(), &1.into()));
    assert!(french["moves"][0]["moves"].is_null());
    assert!(!room.fine(&["tree", "g.bga", "--depth", "2", "--min-games", "2"]).contains("\n  e6 "));
    room.write("h.pgn", "1. e4 e6 2. Nf3 1-0\n");
    room.fine(&["import", "h.pgn", "-o", "h.bga", "-q"]);
    let both = json(&room.fine(&["tree", "g.bga", "h.bga", "--depth", "3", "--json"])).remove(0);
    let replies = both["moves"][0]["moves"].as_array().unwrap();
    assert_eq!((&replies[0]["san"], &replies[0]["white"]), (&"e6".into(), &2.into()));
    assert_eq!(replies[0]["moves"].as_array().unwrap().len(), 2);

    // The moves that are followed are those of all archives together.
    let games = |moves: &str, number: usize| format!("1. e4 {moves} 1-0\n\n").repeat(number);
    let first = [games("c5 2. Nf3", 4), games("e5 2. Nf3", 3), games("e6 2. d4", 3), games("d5 2. exd5", 2)];
    room.write("1.pgn", first.concat());
    room.write("2.pgn", games("d5 2. exd5", 3));
    for args in [&["1.pgn", "-o", "1.bga"][..], &["2.pgn", "-o", "2.bga"], &["1.pgn", "2.pgn", "-o", "12.bga"]] {
        room.fine(&[&["import", "-q"], args].concat());
    }
    let rows = |archives: &[&str]| {
        room.fine(&[&["tree"], archives, &["--moves", "e4", "--depth", "2", "--format", "csv"]].concat())
    };
    let whole = rows(&["12.bga"]);
    assert!(whole.contains("\nd5 exd5,5,") && !whole.contains("\ne5 Nf3,"), "{whole}");
    assert_eq!(rows(&["1.bga", "2.bga"]), whole);
    room.fine(&["index", "1.bga", "--positions", "-q"]);
    assert_eq!(rows(&["1.bga", "2.bga"]), whole);
}

#[test]
fn what_is_done_is_said_in_json_too() {
    let room = room();
    let done = |args: &[&str]| json(&room.fine(args)).remove(0);
    assert_eq!(done(&["compact", "g.bga", "-o", "c.bga", "--json"])["games"], 5);
    assert_eq!(done(&["merge", "g.bga", "c.bga", "-o", "m.bga", "--json"])["archive"], "m.bga");
    assert_eq!(done(&["delete", "c.bga", "--games", "2", "--dry-run", "--json"])["games"], 1);
    assert_eq!(done(&["delete", "c.bga", "--games", "2", "--json"])["deleted"], 1);
    assert_eq!(done(&["undelete", "c.bga", "--list", "--json"])["game"], 2);
    assert_eq!(done(&["undelete", "c.bga", "--all", "--json"])["restored"], 1);
    assert_eq!(done(&["index", "g.bga", "--signatures", "--json"])["file"], "g.bgs");
    assert_eq!(done(&["book", "g.bga", "-o", "b.bin", "--json"])["file"], "b.bin");
    assert_eq!(done(&["split", "g.bga", "--count", "3", "-o", "parts", "--json"])["games"], 3);
    assert_eq!(done(&["fen", "g.bga", "3:1", "--json"])["ply"], 1);
}

/// A fifth rook has no label; Black's were once mistaken for empty squares.
#[test]
fn pieces_beyond_the_labels_are_found_for_both_sides() {
    let room = Room::new();
    let game = |fen: &str, moves: &str| format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{moves} *\n\n");
    let games = [
        game("7k/P7/8/8/8/RR6/RR6/7K w - - 0 1", "1. a8=R+ Kg7"),
        game("7k/rr6/rr6/8/8/8/p7/7K b - - 0 1", "1... a1=R+ 2. Kg2"),
    ];
    room.write("five.pgn", games.concat());
    room.fine(&["import", "five.pgn", "-o", "five.bga", "-q"]);
    let numbers = |args: &[&str]| {
        let found = room.fine(&[&["find", "five.bga", "--json"], args].concat());
        json(&found).iter().map(|game| game["game"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&["--white-move", "a8=R+"]), [1]);
    assert_eq!(numbers(&["--black-move", "a1=R+"]), [2]);
    assert_eq!(numbers(&["--moved", "P"]), [1, 2]);
    assert_eq!(numbers(&["--material", "KRRRRR+k"]), [1]);
    assert_eq!(numbers(&["--material", "K+krrrrr"]), [2]);
    assert_eq!(numbers(&["--material", "KRRRRR+k", "--either-color"]), [1, 2]);
}

#[test]
fn a_result_is_one_of_four() {
    let room = Room::new();
    let game = |tag: &str, end: &str| {
        format!(
            "[White \"A\"]\n[Date \"????.05.01\"]\n[UTCDate \"2024.06.??\"]\n[WhiteElo \"4096\"]\n{tag}\n1. e4 e5 {end}\n\n"
        )
    };
    let all = [
        (game("[Result \"1/2\"]\n", "1/2-1/2"), "1/2-1/2"),
        (game("[Result \"White wins\"]\n", "1-0"), "1-0"),
        (game("[Result \"White wins\"]\n", ""), "1-0"),
        (game("[Result \"White resigns\"]\n", ""), "*"),
        (game("", "0-1"), "0-1"),
        (game("[Result \"*\"]\n", "1-0"), "1-0"),
    ];
    room.write("r.pgn", all.iter().map(|(text, _)| text.as_str()).collect::<String>());
    room.fine(&["import", "r.pgn", "-o", "r.bga", "-q"]);
    let expected: Vec<&str> = all.iter().map(|(_, result)| *result).collect();
    let of =
        |rows: &[Value]| rows.iter().map(|row| row["result"].as_str().unwrap().to_owned()).collect::<Vec<String>>();
    let listed = json(&room.fine(&["list", "r.bga", "--json"]));
    assert_eq!(of(&listed), expected);
    assert!(listed.iter().all(|row| row["date"] == "2024.06.??" && row["white_elo"] == 4096));
    assert_eq!(listed[0]["tags"][4], serde_json::json!(["Result", "1/2"]));
    let sampled = json(&room.fine(&["sample", "r.bga", "10", "--format", "json"]));
    assert!(sampled.len() > 4 && of(&sampled).iter().all(|result| expected.contains(&result.as_str())), "{sampled:?}");
    let exported = json(&room.fine(&["export", "r.bga", "--format", "json"]));
    assert_eq!(of(&exported), expected);
    let csv = room.fine(&["list", "r.bga", "--format", "csv", "--columns", "result"]);
    assert_eq!(csv.lines().skip(1).collect::<Vec<&str>>(), expected);
    for (filter, games) in [("result = 1/2-1/2", "1"), ("result = 1-0", "3"), ("result = *", "1"), ("elo > 4095", "6")]
    {
        assert_eq!(room.fine(&["list", "r.bga", "--where", filter, "--count"]).trim(), games, "{filter}");
    }
}

#[test]
fn statistics_fit_forty_columns_and_info_a_screen() {
    let room = Room::new();
    for number in 0..9 {
        room.write(&format!("s{number}.pgn"), crate::common::cli::many(20 + number));
    }
    let names: Vec<String> = (0..9).map(|number| format!("s{number}.pgn")).collect();
    let mut args = vec!["import", "-o", "s.bga", "-q"];
    args.extend(names.iter().map(String::as_str));
    room.fine(&args);
    let info = room.fine(&["info", "s.bga"]);
    assert_eq!(info.matches("Source   ").count(), 5);
    assert!(
        info.contains("Sources  4 more: ") && info.contains(" 106 games seen, 0 rejected (--sources lists them)"),
        "{info}"
    );
    assert!(info.find("dictionary").unwrap() < info.find("Source").unwrap(), "bytes come first: {info}");
    let all = room.fine(&["info", "s.bga", "--sources"]);
    assert_eq!((all.matches("Source   ").count(), all.contains("more:")), (9, false));

    room.write(
        "long.pgn",
        format!(
            "[White \"{}\"]\n[Event \"{}\"]\n[ECO \"B90\"]\n[WhiteElo \"2100\"]\n[BlackElo \"1800\"]\n\n1. e4 c5 1-0\n\n[White \"B\"]\n\n0-1\n",
            "A long name ".repeat(5),
            "An event ".repeat(9)
        ),
    );
    room.fine(&["import", "long.pgn", "-o", "long.bga", "-q"]);
    for width in ["40", "60", "80"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        let done =
            command.args(["stats", "long.bga"]).current_dir(room.0.path()).env("COLUMNS", width).output().unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width.parse().unwrap() && text.contains("Players"), "{longest}\n{text}");
    }
    let lengths = room.fine(&["stats", "long.bga", "--by", "length"]);
    assert!(lengths.contains("\nno moves      1 ") && lengths.contains("\n1-20          1 "), "{lengths}");
    let endings = room.fine(&["stats", "long.bga", "--by", "ending"]);
    assert!(endings.contains("\nmore pieces      2 "), "{endings}");
    assert!(room.fine(&["stats", "long.bga", "--by", "rating"]).starts_with("mean rating "));
    assert!(room.fine(&["stats", "long.bga", "--by", "rating", "--player", "A long name"]).starts_with("own rating "));
}

#[test]
fn games_against_oneself_count_for_both_sides() {
    let room = Room::new();
    let game = |black: &str, moves: &str, result: &str| {
        format!("[White \"SF\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n")
    };
    let games = [game("SF", "1. e4 e5", "1-0"), game("SF", "1. d4 d5", "1-0"), game("LC", "1. d4 d5", "0-1")];
    room.write("g.pgn", games.concat());
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    let report = json(&room.fine(&["player", "g.bga", "SF", "--json"])).remove(0);
    let side =
        |side: &str| (report[side]["games"].as_u64(), report[side]["won"].as_u64(), report[side]["lost"].as_u64());
    assert_eq!(side("white"), (Some(3), Some(2), Some(1)));
    assert_eq!(side("black"), (Some(2), Some(0), Some(2)));
    let rows = json(&room.fine(&["stats", "g.bga", "--player", "SF", "--by", "color", "--json"]));
    assert_eq!([0, 1].map(|row| rows[row]["games"].as_u64()), [Some(3), Some(2)], "{rows:?}");
}

#[test]
fn aliases_are_names_of_one_player() {
    let room = room();
    // Notepad begins a file with a byte order mark.
    room.write("names.txt", "\u{feff}Buche\tEagle\n# two accounts\n\nDe\tbuche\tsame person\n");
    let count = |filter: &str| {
        let number = |more: &[&str]| {
            let args = [&["list", "g.bga", "--where", filter, "--count"][..], more].concat();
            room.fine(&args).trim().parse::<u64>().unwrap()
        };
        (number(&[]), number(&["--aliases", "names.txt"]))
    };
    let both = count("player in {Buche, De}").0;
    let (alone, with) = count("player = Buche");
    assert!(alone < both, "{alone} {both}");
    assert_eq!(with, both);
    assert_eq!(count("player = eagle"), (0, both));
    assert_eq!(count("white = de or black = de").1, both);
    let (all, others) = (count("has(white) and has(black)").0, count("white != Buche and black != Buche"));
    assert_eq!((others.0, others.1), (all - alone, all - both));
    // Other conditions on names are as they were, and other names are alone.
    assert_eq!((count("player ~ Buche"), count("player = Ce").0), ((alone, alone), count("player = Ce").1));
    // A player's reports count all names, also of a name that no game has.
    for name in ["Buche", "buch", "Eagle", "De"] {
        let report = &json(&room.fine(&["player", "g.bga", name, "--json", "--aliases", "names.txt"]))[0];
        let names: Vec<&str> =
            report["names"].as_array().unwrap().iter().map(|name| name["name"].as_str().unwrap()).collect();
        assert_eq!((report["games"].as_u64(), names.len()), (Some(both), 2), "{name}");
    }
    room.fails(&["player", "g.bga", "Eagle"], 1, &["no player's name contains"]);
    let stats = ["stats", "g.bga", "--player", "Eagle", "--by", "color", "--json", "--aliases", "names.txt"];
    let games: u64 = json(&room.fine(&stats)).iter().map(|row| row["games"].as_u64().unwrap()).sum();
    assert_eq!(games, both);
    // Tables count the names as one player, under the most frequent name, also of several archives.
    room.write(
        "more.pgn",
        "[Event \"Cup\"]\n[White \"Eagle\"]\n[Black \"Fox\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n\
        [Event \"Cup\"]\n[White \"Fox\"]\n[Black \"De\"]\n[Result \"1-0\"]\n\n1. d4 1-0\n\n\
        [Event \"Cup\"]\n[White \"Gnu\"]\n[Black \"Eagle\"]\n[Result \"1-0\"]\n\n1. c4 1-0\n",
    );
    room.fine(&["import", "more.pgn", "-o", "more.bga", "-q"]);
    let games = |args: &str, key: &str| -> Vec<(String, u64)> {
        let args = format!("{args} --aliases names.txt --json");
        let rows = json(&room.fine(&args.split(' ').collect::<Vec<_>>()));
        let rows = match key {
            "opponents" => rows[0]["opponents"].as_array().unwrap().clone(),
            "players" => rows[0]["players"].as_array().unwrap().clone(),
            _ => rows,
        };
        let name =
            |row: &Value| ["player", "opponent", "name"].iter().find_map(|key| row[key].as_str()).unwrap().to_owned();
        rows.iter().map(|row| (name(row), row["games"].as_u64().unwrap_or_default())).collect()
    };
    let named = |rows: &[(String, u64)]| -> Vec<(String, u64)> {
        rows.iter().filter(|(name, _)| ["Buche", "De", "Eagle"].contains(&&**name)).cloned().collect()
    };
    let both_archives = games("stats g.bga more.bga --by player --limit 99", "rows");
    let most = named(&both_archives);
    assert_eq!(most.len(), 1, "{both_archives:?}");
    assert_eq!(most[0].1, both + 3);
    assert_eq!(named(&games("stats g.bga more.bga --limit 99", "players")), most);
    assert_eq!(games("player more.bga Fox", "opponents"), [("De".to_owned(), 2)]);
    assert_eq!(games("stats more.bga --player Fox --by opponent", "rows"), [("De".to_owned(), 2)]);
    let standings = room.fine(&["event", "more.bga", "Cup", "--format", "csv", "--aliases", "names.txt"]);
    assert!(standings.contains("Eagle") && !standings.contains("De,"), "{standings}");
    // An import chooses games by all names, and its list needs a filter.
    let import = ["import", "more.pgn", "-o", "some.bga", "--force", "--where", "player = Buche"];
    room.write("none.txt", "");
    let stored = |more: &[&str]| {
        let summary = json(&room.run(&[&import[..], &["--json"], more].concat()).out);
        summary.last().unwrap()["stored"].as_u64()
    };
    assert_eq!((stored(&["--aliases", "names.txt"]), stored(&["--aliases", "none.txt"])), (Some(3), Some(0)));
    assert_eq!(room.run(&["import", "more.pgn", "-o", "x.bga", "--aliases", "names.txt"]).code, Some(2));
    // The list of suggestions is such a list.
    room.write("suggested.txt", room.fine(&["rename", "g.bga", "--suggest"]));
    room.fine(&["list", "g.bga", "--aliases", "suggested.txt", "--where", "player = Adler"]);
    room.write("bad.txt", "Adler\n");
    let bad = room.run(&["list", "g.bga", "--aliases", "bad.txt"]);
    assert!(bad.code == Some(2) && bad.err.contains("line 1: write a name, a tab"), "{}", bad.err);
}

//! `scoresheet position` with lists of FENs and EPDs: one line of output per line of input.

use crate::common::cli::{Room, json};
use serde_json::Value;
use std::path::Path;

/// Good lines, each with its default output.
const LINES: [(&str, &str); 10] = [
    (
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\tlegal",
    ),
    // Common informal notations.
    (
        "4k3/44/8/8/8/8/8/4K2R  W kK nil",
        "4k3/8/8/8/8/8/8/4K2R w K -\tillegal: castling right k: king and rook are not at home",
    ),
    ("8/8/8/8/8/8/8/4K3 w - - 0 1", "8/8/8/8/8/8/8/4K3 w - - 0 1\tillegal: Black has no king"),
    // An EPD: moves are standardized, and other operations are unchanged.
    (
        "4k3/8/8/8/8/8/4P3/4K3 w - - bm e2e4 e2-e3; id \"a  b\"; xyz 1 2;",
        "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 e3; id \"a  b\"; xyz 1 2;\tlegal",
    ),
    (
        "4k3/8/8/8/8/8/4P3/4K3 w - - pv e4 Kd7 e5; hmvc 3; fmvn 7;",
        "4k3/8/8/8/8/8/4P3/4K3 w - - pv e4 Kd7 e5; hmvc 3; fmvn 7;\tlegal",
    ),
    (
        "4k3/8/8/8/8/8/4P3/4K3 w - - am Qd1 e3;",
        "4k3/8/8/8/8/8/4P3/4K3 w - - am Qd1 e3;\tlegal; am Qd1: no piece can make this move",
    ),
    // The counters of a FEN, with operations after them.
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 5 39 bm e4;", "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 5; fmvn 39; bm e4;\tlegal"),
    (
        "4k3/8/8/8/8/8/8/4K3 w - - 7 2",
        "4k3/8/8/8/8/8/8/4K3 w - - 7 2\tillegal: the halfmove clock counts more plies than the game has",
    ),
    // Capablanca's board, and Gothic chess with two-digit empty ranks.
    (
        "rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1",
        "rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1\ta board of 10x8 squares: read and written as text, moves on it are not supported",
    ),
    (
        "rnbqckabnr/pppppppppp/55/10/4P5/10/PPPP1PPPPP/RNBQCKABNR b qkQK e3 0 1",
        "rnbqckabnr/pppppppppp/10/10/4P5/10/PPPP1PPPPP/RNBQCKABNR b KQkq e3 0 1\ta board of 10x8 squares: read and written as text, moves on it are not supported",
    ),
];

fn column(index: usize) -> String {
    LINES.iter().map(|line| if index == 0 { line.0 } else { line.1 }).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn a_line_in_is_a_line_out() {
    let room = Room::new();
    let done = room.run_with(&["position", "-"], column(0));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert_eq!(done.out, column(1));
    // The same from a file with other line ends and a byte order mark, and from a folder.
    room.write("list.epd", format!("\u{FEFF}{}", column(0).replace('\n', "\r\n")));
    assert_eq!(room.fine(&["position", "list.epd"]), column(1));
    std::fs::create_dir(room.path("lists")).unwrap();
    room.write("lists/a.fen", LINES[0].0);
    room.write("lists/b.epd", LINES[3].0);
    assert_eq!(room.fine(&["position", "lists"]), format!("{}\n{}\n", LINES[0].1, LINES[3].1));
    // The output is a fixed point: a second pass does not change it.
    let bare = room.run_with(&["position", "-", "--bare"], column(0)).out;
    assert_eq!(room.run_with(&["position", "-", "--bare"], bare.clone()).out, bare);
    assert_eq!(
        bare,
        column(1).lines().map(|line| line.split('\t').next().unwrap().to_owned() + "\n").collect::<String>()
    );
}

#[test]
fn empty_lines_and_comments_stay_and_faults_become_comments() {
    let room = Room::new();
    let list = "# a suite\n\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\n4k3/8/8/8/8/8/8/4X3 w - - 0 1\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w - - 0 1\n";
    let done = room.run_with(&["position", "-"], list);
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!((lines[0], lines[1], lines[2]), ("# a suite", "", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\tlegal"));
    assert_eq!(lines[3], "# line 4: bad FEN: piece placement at column 18: no piece has this letter: X");
    assert_eq!(lines[4], "# line 5: bad FEN: piece placement at column 35: 7 ranks; a board has eight");
    assert_eq!(done.code, Some(1));
    assert!(done.err.starts_with("scoresheet: 2 lines are not a position; the first: line 4: bad FEN"), "{}", done.err);
    // The location is right also in a later batch and task.
    let many = format!("{}x\n", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n".repeat(50_000));
    let done = room.run_with(&["position", "-", "--bare"], many);
    assert_eq!(done.out.lines().count(), 50_001);
    assert!(done.err.contains("the first: line 50001:"), "{}", done.err);
}

#[test]
fn messages_name_what_stands_there() {
    let room = Room::new();
    let first = "4k3/8/8/8/8/8/8/4K3";
    for (text, strict, words) in [
        (format!("{first}\tw - - 0 1"), true, "side to move at column 20: fields are separated by one space: a tab"),
        (format!("{first}  w - - 0 1"), true, "column 21: fields are separated by one space: one space too many"),
        ("4k3/8/8/8/8/8/8/4Z3 w - - 0 1".into(), false, "column 18: no piece has this letter: Z"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1".into(), false, "7 ranks; a board has eight"),
        ("4k3/8/8/8/8/8/8/8/4K3 w - - 0 1".into(), false, "9 ranks; a board has eight"),
        (format!("{first} x - - 0 1"), false, "side to move at column 21: neither w nor b: x"),
        (format!("{first} w X - 0 1"), false, "no castling right has this letter: X"),
        (format!("{first} w - - ? 1"), false, "halfmove clock at column 27: not a number: ?"),
        ("suite.epd".into(), false, "suite.epd: no such file"),
    ] {
        let args = if strict { vec!["position", "--strict", &text] } else { vec!["position", &text] };
        room.fails(&args, 1, &[words]);
    }
    room.write("here.epd", LINES[0].0);
    room.fails(&["position", "here.epd", "there.epd"], 1, &["there.epd: no such file"]);
    // A non-strict reader treats a tab as a blank.
    assert_eq!(room.run(&["position", "--bare", &format!("{first}\tw\t-\t-")]).out, "4k3/8/8/8/8/8/8/4K3 w - -\n");
}

#[test]
fn flavours_forms_and_moves() {
    let room = Room::new();
    let with = |args: &[&str], line: &str| room.run_with(&[&["position", "-", "--bare"], args].concat(), line);
    let inner = "4k3/8/8/8/8/8/8/R1RK3R w C - 0 1";
    assert_eq!(with(&["--flavour", "shredder"], inner).out, "4k3/8/8/8/8/8/8/R1RK3R w C - 0 1\n");
    assert_eq!(with(&["--flavour", "kqkq"], inner).out, "4k3/8/8/8/8/8/8/R1RK3R w Q - 0 1\n");
    assert_eq!(with(&["--flavour", "x-fen"], LINES[0].0).out.split(' ').nth(3), Some("-"));
    // Both forms keep the counters.
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39";
    let epd = "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 5; fmvn 39;";
    assert_eq!(with(&["--as", "epd"], fen).out, format!("{epd}\n"));
    assert_eq!(with(&["--as", "fen"], epd).out, format!("{fen}\n"));
    // Moves of operations in UCI, including castling.
    let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O Ra1-b1; am Ke1-e2; pv O-O-O O-O;";
    let uci = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm e1g1 a1b1; am e1e2; pv e1c1 e8g8;\n";
    assert_eq!(with(&["--uci"], castles).out, uci);
    assert_eq!(with(&[], uci).out, castles.replace("Ra1-b1", "Rb1").replace("Ke1-e2", "Ke2") + "\n");
    // Moves are played, with or without numbers; operations about moves are dropped, and the counters advance.
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for moves in ["e4 c5", "1. e4 c5", "1.e4 c7c5", "1. e2e4 1... c5"] {
        let played = with(&["--moves", moves], start).out;
        assert_eq!(played, "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2\n", "{moves}");
    }
    let line = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; hmvc 3; fmvn 7; id \"x\";";
    assert_eq!(with(&["--moves", "Kd2 Kd8"], line).out, "3k4/8/8/8/8/8/3KP3/8 w - - hmvc 5; fmvn 8; id \"x\";\n");
    let illegal = with(&["--moves", "e4 e9"], start);
    assert_eq!((illegal.code, illegal.out.as_str()), (Some(1), "# line 1: move 2 (e9): not a move\n"));
    // Also with a position alone.
    assert!(
        room.fine(&["position", "startpos", "--moves", "e4 c5 Nf3", "--json"])
            .contains("5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2")
    );
    let wide = room.fails(&["position", LINES[8].0, "--moves", "e4"], 1, &["no moves can be played: a board of 10x8"]);
    assert_eq!(wide.out, "");
}

#[test]
fn json_has_a_line_an_object() {
    let room = Room::new();
    let list = format!("{}# c\n\nnonsense\n", column(0));
    let done = room.run_with(&["position", "-", "--json"], list);
    assert_eq!(done.code, Some(1));
    let objects: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), LINES.len() + 1);
    assert_eq!(objects[0]["line"], 1);
    assert_eq!(objects[0]["fen"], LINES[0].0);
    assert_eq!(
        (&objects[0]["legal"], &objects[1]["legal"], &objects[8]["legal"]),
        (&true.into(), &false.into(), &Value::Null)
    );
    assert_eq!(objects[2]["reasons"][0], "Black has no king");
    assert_eq!(objects[3]["operations"].to_string(), r#"[["bm",["e4","e3"]],["id",["a  b"]],["xyz",["1","2"]]]"#);
    assert_eq!((&objects[4]["halfmove_clock"], &objects[4]["fullmove_number"]), (&3.into(), &7.into()));
    assert_eq!(objects[5]["bad_moves"][0], "am Qd1: no piece can make this move");
    assert_eq!(objects[8]["board"], "10x8");
    assert_eq!((&objects[10]["line"], objects[10]["error"].is_string()), (&13.into(), true));
}

/// The two suites of the SAN Kit pass in one call, unchanged.
#[test]
fn suites_of_the_corpora_go_through_in_one_call() {
    let Some(corpora) = crate::common::corpora::folder() else {
        eprintln!("skipped: SCORESHEET_CORPORA is not set");
        return;
    };
    let suites = ["bratko-kopec.epd", "wac.epd"].map(|name| Path::new(&corpora).join("fen").join(name));
    let text: String = suites.iter().map(|suite| std::fs::read_to_string(suite).unwrap()).collect();
    let names = suites.each_ref().map(|suite| suite.to_str().unwrap());
    let out = Room::new().fine(&["position", names[0], names[1]]);
    let rows: Vec<(&str, &str)> = out.lines().filter_map(|line| line.split_once('\t')).collect();
    assert_eq!(rows.len(), 324);
    for (line, (position, disposition)) in text.lines().zip(rows) {
        assert_eq!(disposition, "legal", "{line}");
        let moves = |line: &str| line.split_once("bm ").map(|(_, rest)| rest.split(';').next().unwrap().to_owned());
        // A few best moves of Win At Chess are not in standard notation.
        assert_eq!(position.split(" bm").next(), line.split(" bm").next());
        assert_eq!(moves(position).is_some(), moves(line).is_some());
    }
}

#[test]
fn lists_of_perft_counts_are_read() {
    let room = Room::new();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    for (name, line, epd) in [
        ("clocks", format!("{start} 0 1 ;D1 20 ;D2 400 ;D3 8902"), " hmvc 0; fmvn 1; D1 20; D2 400; D3 8902;"),
        ("close", format!("{start} 0 1;D1 20;D2 400"), " hmvc 0; fmvn 1; D1 20; D2 400;"),
        ("four", format!("{start} ;D1 20 ;D2 400 ;"), " D1 20; D2 400;"),
    ] {
        room.write(name, format!("{line}\n"));
        assert_eq!(room.fine(&["position", name]), format!("{start}{epd}\tlegal\n"), "{line}");
        let object = json(&room.fine(&["position", name, "--json"])).remove(0);
        let operations = object["operations"].as_array().unwrap();
        assert!(operations.contains(&serde_json::json!(["D1", ["20"]])), "{object}");
        room.fails(&["position", name, "--strict"], 1, &["not a position"]);
    }
}

#[test]
fn ranks_are_a_list() {
    let room = Room::new();
    let ranks = |fen: &str| json(&room.fine(&["position", fen, "--json"])).remove(0)["ranks"].clone();
    assert_eq!(
        ranks("r3k2r/8/8/3pP3/8/8/8/4K3 w - - 0 1"),
        serde_json::json!([
            "r...k..r", "........", "........", "...pP...", "........", "........", "........", "....K..."
        ])
    );
    let wide = ranks("rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w - - 0 1");
    assert_eq!((&wide[0], &wide[2], wide.as_array().unwrap().len()), (&"rnabqkbcnr".into(), &"..........".into(), 8));
}

//! PCN in general: the document's sample game from its text to its last position, boards of any dimension, and faults
//! with their paths.

use crate::common::cli::Room;
use crate::common::random::Random;
use scoresheet::pcn::PcnFault::{self, *};
use scoresheet::pcn::general::{self, Document, GeneralGame, Hand, JsonLayout, Remark, Squares};
use scoresheet::pcn::{PieceName, Side};
use serde_json::{Value, json};

const SAMPLE: &str = include_str!("../../testdata/pcn/document-sample.json");

/// The board after the sample's 49 moves, replayed by hand and by another program.
fn last_board() -> Value {
    json!([
        ["x:r", "x:h", "x:e", null, null, "x:C", null, "x:h", "x:r"],
        [null, null, "x:a", null, "x:S", null, null, null, null],
        ["x:c", null, null, null, null, "x:a", null, null, "x:e"],
        [null, null, null, "x:s", null, null, null, "x:s", null],
        ["S:P", null, null, null, null, "S:P", null, null, null],
        [null, "x:s", null, null, null, null, null, "S:P", "S:P"],
        ["S:N", null, "S:P", "S:P", "S:P", null, "S:P", null, "S:L"],
        ["S:L", "S:B", null, null, "S:G", "S:S", "S:G", "S:R", null],
        [null, null, null, "x:S", null, null, "S:K", "S:N", null]
    ])
}

fn sample() -> GeneralGame {
    general::parse(SAMPLE.as_bytes()).unwrap().remove(0)
}

fn names(hand: &Hand) -> Vec<&str> {
    hand.iter().map(PieceName::as_str).collect()
}

#[test]
fn the_sample_is_played_to_its_last_position() {
    let game = sample();
    assert_eq!((game.plies(), game.start.shape()), (49, &[9, 9][..]));
    assert_eq!((game.topside_player.as_deref(), game.bottomside_player.as_deref()), (Some("Alice"), Some("Bob")));
    assert_eq!(game.started_at.as_deref(), Some("2012-09-29T18:48:40+02:00"));
    assert_eq!((game.styles(), game.result_text()), (vec!["x".into(), "s".into()], "bottom is the winner"));
    let checked = game.check().unwrap();
    assert_eq!(checked.last.board_value(), last_board());
    assert_eq!(names(checked.last.hand(Side::Bottom)), ["x:G"]);
    assert_eq!(names(checked.last.hand(Side::Top)), ["S:s"]);
    assert_eq!(checked.last.to_move, Side::Top);
    // Its cache is a sketch with three dots.
    assert_eq!(checked.remarks, [Remark::CacheUnreadable]);
    // On the way: the soldier in hand before it is dropped as move 23, on square 22.
    assert_eq!(names(game.state_after(22).unwrap().hand(Side::Bottom)), ["x:S"]);
    let after = game.state_after(23).unwrap();
    assert_eq!((names(after.hand(Side::Bottom)), after.board.piece(22).unwrap().as_str()), (vec![], "x:S"));
}

#[test]
fn the_sample_is_written_again() {
    let game = sample();
    let document: Value = serde_json::from_str(SAMPLE).unwrap();
    for layout in [JsonLayout::Line, JsonLayout::Document] {
        let text = general::write(&game, layout);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), document);
        assert_eq!(general::parse(text.as_bytes()).unwrap(), std::slice::from_ref(&game));
    }
    assert_eq!(general::write(&game, JsonLayout::Line).lines().count(), 1);
    // All notations of squares describe the same game, and can be converted to each other.
    let all = [Squares::Coordinates, Squares::Flat, Squares::Pieces];
    for squares in all {
        let renamed = game.with_squares(squares).unwrap();
        assert_eq!(renamed.check().unwrap().last, game.check().unwrap().last, "{squares:?}");
        let read = general::parse(general::write(&renamed, JsonLayout::Line).as_bytes()).unwrap();
        assert_eq!(read, std::slice::from_ref(&renamed));
        for target in all {
            assert_eq!(renamed.with_squares(target).unwrap(), game.with_squares(target).unwrap());
        }
    }
    let flat = game.with_squares(Squares::Flat).unwrap();
    assert_eq!(flat.moves[0][0].to_string(), r#"[75, "shift", 66]"#);
    let pieces = game.with_squares(Squares::Pieces).unwrap();
    assert_eq!(pieces.moves[6][0].to_string(), r#"["S:K", "shift", [8, 5]]"#);
    assert_eq!(pieces.moves[48][0].to_string(), r#"[[2, 4], "capture", "x:g"]"#);
    // Also above a square: the cannon over the pawn.
    assert_eq!(game.moves[25][4].to_string(), r#"[[6, 2], "land", [7, 2]]"#);
    assert_eq!(flat.moves[25][4].to_string(), r#"[56, "land", 65]"#);
}

fn played(board: Value, moves: Value) -> Result<general::Checked, (String, PcnFault)> {
    let game = general::parse_value(&json!({ "starting_position": board, "previous_moves": moves }));
    game.and_then(|game| game.check()).map_err(|error| (error.path, error.fault))
}

fn last(board: Value, moves: Value) -> Value {
    played(board, moves).unwrap().last.board_value()
}

#[test]
fn boards_of_one_two_and_three_dimensions() {
    let row = json!(["w:k", "w:p", null, "X:S", null, "X:G"]);
    for from in [json!([3]), json!(3), json!("X:S")] {
        let moves = json!([[[from, "shift", [2]]]]);
        assert_eq!(last(row.clone(), moves), json!(["w:k", "w:p", "X:S", null, null, "X:G"]));
    }
    let deep = json!([[[null, "w:k"], ["S:K", null]], [[null, null], [null, "S:P"]]]);
    for from in [json!([1, 1, 1]), json!(7), json!("S:P")] {
        let moves = json!([[[from, "capture", "w:k"]]]);
        assert_eq!(last(deep.clone(), moves), json!([[[null, "S:P"], ["S:K", null]], [[null, null], [null, null]]]));
    }
    let game = general::parse_value(&json!({ "starting_position": deep })).unwrap();
    assert_eq!(
        general::draw(&game.start),
        "[0]\n     0    1\n0    .  w:k\n1  S:K    .\n\n[1]\n     0    1\n0    .    .\n1    .  S:P\n"
    );
    assert_eq!(
        general::draw(&general::parse_value(&json!({ "starting_position": row })).unwrap().start),
        "    0    1    2    3    4    5\n  w:k  w:p    .  X:S    .  X:G\n"
    );
    let four = json!([[[["a:k"]]], [[["A:K"]]]]);
    assert_eq!(last(four, json!([["A:K", "capture", "a:k"]].map(|action| [action]))), json!([[[["A:K"]]], [[[null]]]]));
}

#[test]
fn verbs() {
    let line = |cells: [Option<&str>; 6]| json!(cells);
    let start = line([Some("A:R"), None, Some("b:p"), None, Some("A:P"), Some("b:k")]);
    let play = |moves: Value| played(start.clone(), moves);
    // Shift and capture; a captured piece changes the case of its abbreviation, and is dropped under that name.
    let moves = json!([
        [["A:R", "shift", 1]],
        [["b:k", "shift", 3]],
        [[1, "capture", 2]],
        [[3, "shift", 5]],
        [["b:P", "drop", 0]]
    ]);
    let checked = play(moves).unwrap();
    assert_eq!(checked.last.board_value(), line([Some("b:P"), None, Some("A:R"), None, Some("A:P"), Some("b:k")]));
    assert_eq!((names(&checked.last.bottom_hand), checked.remarks), (vec![], vec![]));
    // Removed pieces go to no hand.
    let removed = play(json!([[["A:R", "remove", 2]]])).unwrap();
    assert_eq!((names(&removed.last.bottom_hand), names(&removed.last.top_hand)), (vec![], vec![]));
    // Jumps over one piece and over two, and lands on a free square or a piece.
    let over = play(json!([[["A:R", "jump", 2], [2, "land", 3]]])).unwrap();
    assert_eq!(over.last.board_value(), line([None, None, Some("b:p"), Some("A:R"), Some("A:P"), Some("b:k")]));
    let stunned = play(json!([[["A:R", "jump", 2], [2, "jump", 4], ["A:R", "stun", "b:k"]]])).unwrap();
    assert_eq!(stunned.last.board_value(), line([None, None, Some("b:p"), None, Some("A:P"), Some("A:R")]));
    assert_eq!(names(&stunned.last.bottom_hand), ["b:K"]);
    // A pass; the top side begins.
    assert_eq!(play(json!([[], [["b:p", "shift", 1]]])).unwrap().remarks, []);
    assert_eq!(play(json!([[["b:p", "shift", 1]]])).unwrap().remarks, [Remark::TopBegins]);
    // Promotions before and after capture: dropped without the plus.
    let promoted = json!([
        [["A:P", "shift", 3, { "promotion": "+A:P" }]],
        [["b:p", "capture", 3, { "promotion": "+b:p" }]],
        [["A:R", "shift", 1]],
        [["A:p", "drop", 4]]
    ]);
    let checked = play(promoted).unwrap();
    assert_eq!(checked.last.board_value(), line([None, Some("A:R"), None, Some("+b:p"), Some("A:p"), Some("b:k")]));
    assert_eq!(checked.remarks, []);
    // Stones of Go come from a supply.
    let stones =
        played(json!([[null, null], [null, null]]), json!([[["GO:S", "drop", [0, 0]]], [["go:s", "drop", 3]]]))
            .unwrap();
    assert_eq!(stones.last.board_value(), json!([["GO:S", null], [null, "go:s"]]));
    assert_eq!(stones.remarks.len(), 2);
    assert!(stones.remarks[1].to_string().starts_with("move 2: go:s was not captured before"));
}

#[test]
fn errors_name_their_path() {
    let board = || json!(["A:R", null, "b:p", null, "A:P", "b:k"]);
    let bad = |moves: Value| played(board(), moves).unwrap_err();
    let at = |path: &str, fault: PcnFault| (format!("/previous_moves/{path}"), fault);
    assert_eq!(bad(json!([[["A:R", "fly", 1]]])), at("0/0/1", UnknownVerb));
    assert_eq!(bad(json!([[["A:R", "shift", 6]]])), at("0/0/2", NoSuchSquare));
    assert_eq!(bad(json!([[["A:R", "shift", [1, 0]]]])), at("0/0/2", NoSuchSquare));
    assert_eq!(bad(json!([[["A:R", "shift", 2]]])), at("0/0/2", Occupied));
    assert_eq!(bad(json!([[["A:R", "capture", 1]]])), at("0/0/2", NothingToCapture));
    assert_eq!(bad(json!([[["A:R", "capture", 4]]])), at("0/0/2", NothingToCapture));
    assert_eq!(bad(json!([[["A:R", "capture", 0]]])), at("0/0/2", NothingToCapture));
    assert_eq!(bad(json!([[[1, "shift", 3]]])), at("0/0/0", EmptySquare));
    assert_eq!(bad(json!([[["A:Q", "shift", 3]]])), at("0/0/0", NotUnique));
    assert_eq!(bad(json!([[["A:R", "shift", 1], [2, "shift", 3]]])), at("0/1/0", OtherSide("b:p".into())));
    assert_eq!(bad(json!([[["A:R", "shift", 1]], [[1, "shift", 3]]])), at("1/0/0", OtherSide("A:R".into())));
    assert_eq!(bad(json!([[["A:R", "jump", 2]]])), at("0", NotLanded));
    assert_eq!(bad(json!([[["A:R", "shift", 1], [2, "land", 3]]])), at("0/1/0", NotAbove));
    assert_eq!(bad(json!([[[0, "drop", 1]]])), at("0/0/0", DropOfSquare));
    assert_eq!(bad(json!([[["A:R", "drop", 2]]])), at("0/0/2", Occupied));
    let promotion = json!([[["A:P", "shift", 3, { "promotion": "b:q" }]]]);
    assert_eq!(bad(promotion), at("0/0/3/promotion", PromotionChangesSide("b:q".into())));
    assert_eq!(bad(json!([[["A:P", "shift", 3, { "spin": 1 }]]])), at("0/0/3/spin", UnknownOption));
    assert_eq!(bad(json!([[["A:Pp", "shift", 3]]])), at("0/0/0", SideUnknown("A:Pp".into())));
    assert_eq!(bad(json!([[["A", "shift", 3]]])), at("0/0/0", NotAPiece));
    assert_eq!(bad(json!([["A:R"]])).0, "/previous_moves/0/0");
    let sideless = played(json!([[null, "1:2"]]), json!([])).unwrap_err();
    assert_eq!(sideless, ("/starting_position/0/1".into(), SideUnknown("1:2".into())));
    let member = general::parse(br#"[{"starting_position": [null]}, {"starting_positon": [null]}]"#).unwrap_err();
    assert_eq!((member.path.as_str(), member.fault), ("/1/starting_positon", UnknownMember));
}

/// Large hands, large boards and long games: work beyond linear time is refused.
#[test]
fn long_games_take_time_by_their_length() {
    // The bottom side drops stones, and the top side captures them; then the top side drops others.
    let mut moves = Vec::new();
    for _ in 0..12_000 {
        moves.push(json!([["GO:S", "drop", 1]]));
        moves.push(json!([[0, "capture", 1], [1, "shift", 0]]));
    }
    for _ in 0..12_000 {
        moves.push(json!([["GO:S", "drop", 1]]));
        moves.push(json!([["go:t", "drop", 2], [2, "shift", 3], [3, "capture", 1], [1, "shift", 2]]));
        moves.push(json!([["GO:S", "drop", 1], [1, "capture", 2], [2, "shift", 3], [3, "remove", 0]]));
        moves.push(json!([["go:u", "drop", 1], [1, "capture", 0], [0, "shift", 1], [1, "shift", 0]]));
    }
    let start = std::time::Instant::now();
    let checked = played(json!(["go:k", null, null, null]), Value::from(moves)).unwrap();
    assert_eq!(checked.last.top_hand.iter().count(), 36_000);
    assert_eq!(checked.remarks.len(), 3);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    let large = |size: usize| played(json!(vec![Value::Null; size]), json!([])).map(|_| ()).map_err(|(_, fault)| fault);
    assert_eq!((large(4_096), large(4_097)), (Ok(()), Err(TooLarge)));
    let jumps = |count: usize| {
        let mut actions: Vec<Value> = Vec::new();
        (0..count).for_each(|_| actions.extend([json!(["GO:S", "drop", 0]), json!([0, "jump", 1])]));
        (0..count).for_each(|_| actions.extend([json!([1, "land", 2]), json!([2, "shift", 3]), json!([3, "jump", 4])]));
        played(json!([null, null, null, null, null]), json!([actions])).unwrap_err()
    };
    assert_eq!(jumps(65), ("/previous_moves/0/129/2".into(), TooManyAbove));
    assert_eq!(jumps(64).1, NotLanded);
}

#[test]
fn caches() {
    let mut game = sample();
    let checked = game.check().unwrap();
    game.cache = Some(checked.last.cache());
    assert_eq!(game.check().unwrap().remarks, []);
    let cache = game.cache.as_ref().unwrap();
    assert_eq!(cache["current_position"], last_board());
    assert_eq!(cache["topside"]["dropable_pieces"], json!(["S:s"]));
    game.moves.pop();
    assert_eq!(game.check().unwrap().remarks, [Remark::CacheDiffers]);
}

/// The rules of the game are unknown: a cache's moves are kept while its position is the game's.
#[test]
fn a_new_cache_keeps_what_needs_the_rules() {
    let mut game = sample();
    game.cache = Some(json!({
        "current_position": last_board(),
        "possible_moves": [1],
        "topside": { "dropable_pieces": ["x:x"], "captures": [2], "note": 3 },
        "more": 4,
    }));
    game.renew_cache().unwrap();
    let cache = game.cache.clone().unwrap();
    assert_eq!((&cache["possible_moves"], &cache["more"]), (&json!([1]), &json!(4)));
    let side = json!({ "dropable_pieces": ["S:s"], "captures": [2], "note": 3 });
    assert_eq!(cache["topside"], side);
    assert!(cache["bottomside"]["dropable_pieces"].is_array());
    game.moves.pop();
    game.renew_cache().unwrap();
    let cache = game.cache.as_ref().unwrap();
    assert!(cache.get("possible_moves").is_none() && cache["topside"].get("captures").is_none());
    assert_eq!((&cache["more"], &cache["topside"]["note"]), (&json!(4), &json!(3)));
    assert_eq!(game.check().unwrap().remarks, []);
}

/// Western games are recognized; other games are recognized by their differences. An illegal move of chess does not
/// make another game.
#[test]
fn western_games_and_others() {
    let western = |moves: Value| general::read_documents(json!({ "previous_moves": moves }).to_string().as_bytes());
    let pawn = json!([[[[6, 4], "shift", [4, 4]]]]);
    assert!(matches!(western(pawn).unwrap()[..], [Document::Western(_)]));
    let error = western(json!([[[[6, 4], "shift", [3, 4]]]])).unwrap_err();
    assert_eq!((error.path.as_str(), error.fault), ("/previous_moves/0", IllegalMove));
    // Crazyhouse: a captured pawn is dropped.
    let house = json!([
        [[[6, 4], "shift", [4, 4]]],
        [[[1, 3], "shift", [3, 3]]],
        [[[4, 4], "capture", [3, 3]]],
        [["w:q", "capture", [3, 3]]],
        [["w:P", "drop", [4, 4]]]
    ]);
    let documents = western(house).unwrap();
    let [Document::General(game, because)] = &documents[..] else { panic!("{documents:?}") };
    assert_eq!((because.path.as_str(), &because.fault), ("/previous_moves/4/0/1", &Drop));
    assert_eq!(game.check().unwrap().remarks, []);
    // In an array, each game counts alone; documents that no notation allows are refused with the location.
    let both = format!("[{{}}, {SAMPLE}]");
    let documents = general::read_documents(both.as_bytes()).unwrap();
    assert!(matches!(documents[..], [Document::Western(_), Document::General(..)]));
    let broken = both.replace(r#""drop", 22"#, r#""drop", 21"#);
    let error = general::read_documents(broken.as_bytes()).unwrap_err();
    assert_eq!((error.path.as_str(), error.fault), ("/1/previous_moves/48/0/0", EmptySquare));
}

/// A changed document is either refused with a path, or accepted; then it is written and read again as the same.
#[test]
fn changed_documents_are_read_or_refused() {
    let bytes = SAMPLE.as_bytes();
    let mut random = Random(7);
    let mut next = |end: usize| random.below(end);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..1_500 {
        let mut text = bytes.to_vec();
        for _ in 0..=next(3) {
            let at = next(text.len());
            match next(3) {
                0 => text[at] = bytes[next(bytes.len())],
                1 => text[at] = b'0' + next(10) as u8,
                _ => drop(text.remove(at)),
            }
        }
        match general::parse(&text) {
            Err(_) => refused += 1,
            Ok(games) => {
                for game in games {
                    let back = general::parse(general::write(&game, JsonLayout::Document).as_bytes()).unwrap();
                    assert_eq!(back, std::slice::from_ref(&game));
                    if game.check().is_ok() {
                        read += 1;
                        let flat = game.with_squares(Squares::Flat).unwrap();
                        assert_eq!(flat.check().unwrap().last, game.check().unwrap().last);
                    }
                }
            }
        }
    }
    assert!(read > 20 && refused > 200, "{read} {refused}");
}

#[test]
fn the_command() {
    let room = Room::new();
    room.write("s.pcn", SAMPLE);
    assert_eq!(
        room.fine(&["pcn", "check", "s.pcn"]),
        "s.pcn: game 1: 9x9 board, 49 plies, x s: valid; the cache's current_position is no board of this game, so it is not compared\n"
    );
    assert_eq!(room.run(&["pcn", "check", "s.pcn", "--strict"]).code, Some(1));
    let shown = room.fine(&["pcn", "show", "s.pcn"]);
    for line in [
        "Top         Alice",
        "Bottom      Bob",
        "Result      bottom is the winner",
        "Board       9x9, 49 of 49 plies",
        "0  x:r  x:h  x:e    .    .  x:C    .  x:h  x:r",
        "1    .    .  x:a    .  x:S    .    .    .    .",
        "Top hand    S:s",
        "Bottom hand x:G",
        "To move     top",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    let early = room.fine(&["pcn", "show", "s.pcn", "--ply", "22", "--moves"]);
    assert!(early.contains("Bottom hand x:S\n") && early.contains("\n  23. [\"x:S\", \"drop\", 22]\n"), "{early}");
    room.fails(&["pcn", "show", "s.pcn", "--ply", "50"], 1, &["game 1 has no ply 50: it ends after 49"]);
    let object: Value = serde_json::from_str(&room.fine(&["pcn", "show", "s.pcn", "--json"])).unwrap();
    assert_eq!((&object["board"], &object["bottom_hand"]), (&last_board(), &json!(["x:G"])));
    // Converted, it is the same game; stored, it is the same document.
    let document: Value = serde_json::from_str(SAMPLE).unwrap();
    let same: Value = serde_json::from_str(&room.fine(&["pcn", "convert", "s.pcn"])).unwrap();
    assert_eq!(same, document);
    room.fine(&["pcn", "convert", "s.pcn", "--squares", "flat", "--cache", "--line", "-o", "flat.pcn"]);
    let flat = String::from_utf8(room.read("flat.pcn")).unwrap();
    assert!(flat.lines().count() == 1 && flat.contains(r#"[[75, "shift", 66]]"#), "{flat}");
    assert_eq!(
        room.fine(&["pcn", "check", "flat.pcn", "--strict"]),
        "flat.pcn: game 1: 9x9 board, 49 plies, x s: valid\n"
    );
    let there = ["--squares", "coordinates", "--no-cache"];
    let back = room.fine(&[&["pcn", "convert", "flat.pcn"][..], &there].concat());
    assert_eq!(back, room.fine(&[&["pcn", "convert", "s.pcn"][..], &there].concat()));
    room.fails(&["pcn", "convert", "s.pcn", "-o", "flat.pcn"], 1, &["flat.pcn already exists"]);
    // A fault is reported with its location, and the other games are still read.
    room.write("two.pcn", format!("{}\n{SAMPLE}", SAMPLE.replace(r#""drop", 22"#, r#""drop", 18"#)));
    let done = room.run(&["pcn", "check", "two.pcn"]);
    assert_eq!((done.code, done.out.lines().count()), (Some(1), 2));
    let wrong = "two.pcn: game 1: 9x9 board, 49 plies, x s: bad PCN: /previous_moves/";
    assert!(done.out.starts_with(wrong), "{}", done.out);
    room.fails(&["pcn", "convert", "two.pcn"], 1, &["two.pcn: game 1: bad PCN: /previous_moves/"]);
    room.write("none.pcn", "");
    room.fails(&["pcn", "show", "none.pcn"], 1, &["none.pcn: no game in this document"]);
    room.fails(&["pcn", "show", "missing.pcn"], 1, &["missing.pcn"]);
}

/// A document of other games than western chess is stored unchanged, reported, and restored byte for byte; its western
/// games become games.
#[test]
fn other_games_are_kept_whole_in_an_archive() {
    let room = Room::new();
    room.write("s.pcn", SAMPLE);
    let done = room.run(&["import", "s.pcn", "-o", "s.bga"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let said = "s.pcn: 1 game of 1 not western chess (game 1: /starting_position: a board of 9x9 squares; western chess has 8x8); stored unchanged";
    assert!(done.err.contains(said), "{}", done.err);
    assert_eq!(room.fine(&["export", "s.bga", "--original"]), SAMPLE);
    assert_eq!(room.run(&["verify", "s.bga"]).code, Some(0));
    // Between files of games, in an existing archive, and with western games beside it: nothing is mixed up.
    room.write("g.pgn", "1. e4 e5 *\n\n1. d4 *\n");
    let mixed =
        format!("[{{\"bottomside_player\": \"Carol\", \"previous_moves\": [[[52, \"shift\", 36]]]}},\n {SAMPLE}]\n");
    room.write("mixed.json", &mixed);
    room.write("h.pgn", "1. c4 *\n");
    for pack in [&[][..], &["--pack"]] {
        room.fine(
            &[&["import", "g.pgn", "mixed.json", "s.pcn", "h.pgn", "-o", "all.bga", "-q", "--force"], pack].concat(),
        );
        room.fine(&["import", "s.pcn", "-o", "all.bga", "--append", "-q"]);
        let pgn = room.fine(&["export", "all.bga"]);
        assert_eq!(pgn.matches("1. ").count(), 4, "{pgn}");
        assert!(pgn.contains("[White \"Carol\"]"), "{pgn}");
        for (source, name) in [("1", "g.pgn"), ("2", "mixed.json"), ("4", "s.pcn"), ("5", "h.pgn"), ("6", "s.pcn")] {
            let back = room.fine(&["export", "all.bga", "--original", "--source", source]);
            assert_eq!(back.as_bytes(), room.read(name), "{source}");
        }
        assert_eq!(room.run(&["verify", "all.bga"]).code, Some(0));
    }
    // The JSON summary reports it too; and a finished import is not repeated.
    let done = room.run(&["import", "s.pcn", "-o", "j.bga", "--json"]);
    let summary: Value = serde_json::from_str(done.out.lines().last().unwrap()).unwrap();
    let source = &summary["sources"][0];
    assert_eq!((&source["kept_whole"], &source["exact"], &summary["stored"]), (&true.into(), &true.into(), &0.into()));
    // A western but illegal game, and a document that no notation allows, are refused with the location.
    room.write("bad.pcn", r#"{"previous_moves": [[[52, "shift", 28]]]}"#);
    room.fails(&["import", "bad.pcn", "-o", "bad.bga"], 1, &["bad.pcn: bad PCN: /previous_moves/0: not a legal move"]);
    room.write("bad.pcn", SAMPLE.replace(r#""drop", 22"#, r#""drop", 21"#));
    room.fails(
        &["import", "bad.pcn", "-o", "bad.bga"],
        1,
        &["bad.pcn: bad PCN: /previous_moves/48/0/0: no piece stands there"],
    );
    assert!(!room.path("bad.bga").exists());
}

/// A document of several jobs is stored in several parts.
#[test]
fn long_documents_are_kept_whole() {
    let room = Room::new();
    let mut game = sample();
    game.cache = None;
    let line = general::write(&game, JsonLayout::Line);
    let long = format!("{line}\n").repeat((2 << 20) / line.len() + 1);
    room.write("long.pcn", &long);
    room.fine(&["import", "long.pcn", "-o", "long.bga", "-q", "--batch", "1"]);
    let info = room.fine(&["info", "long.bga"]);
    assert!(info.contains("0 games seen, 0 rejected; exact") && info.contains("Commits  3"), "{info}");
    assert_eq!(room.fine(&["export", "long.bga", "--original"]), long);
    assert_eq!(room.run(&["verify", "long.bga"]).code, Some(0));
}

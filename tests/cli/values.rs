//! Values as people write them, through the command: read, asked for, and never lost.

use crate::common::cli::Room;

/// Returns a folder with the archive `v.bga` of this text, and the messages of its import.
fn room(pgn: &str) -> (Room, String) {
    let room = Room::new();
    room.write("v.pgn", pgn);
    let done = room.run(&["import", "v.pgn", "-o", "v.bga", "--all-faults"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(room.fine(&["export", "v.bga", "--original"]), pgn);
    (room, done.err)
}

/// Returns the numbers of the games that a filter selects, with and without tag columns.
fn numbers(room: &Room, filter: &str) -> Vec<u64> {
    let find = || room.fine(&["list", "v.bga", "--where", filter, "--format", "numbers"]);
    let first = find();
    room.fine(&["index", "v.bga", "--tag-columns", "-q"]);
    assert_eq!(find(), first, "{filter}");
    std::fs::remove_file(room.path("v.bgh")).unwrap();
    first.lines().map(|line| line.parse().unwrap()).collect()
}

fn column(room: &Room, field: &str) -> Vec<String> {
    let text = room.fine(&["list", "v.bga", "--columns", field, "--format", "tsv"]);
    let row =
        |line: &str| line.split('\t').map(|cell| if cell == "?" { "" } else { cell }).collect::<Vec<_>>().join("\t");
    text.lines().skip(1).map(row).collect()
}

#[test]
fn results_of_tag_and_moves() {
    let games = [
        ("1-0", "1-0"),
        ("½-½", "*"),
        ("1–0", "0–1"),
        ("*", "1-0"),
        ("0-0", "1/2"),
        ("+-", ""),
        ("?", "0 : 1"),
        ("draw", "0.5-0.5"),
    ];
    let pgn: Vec<String> =
        games.map(|(tag, moves)| format!("[Result \"{tag}\"]\n\n1. e4 e5 {moves}\n")).into_iter().collect();
    let (room, messages) = room(&pgn.join("\n"));
    assert_eq!(column(&room, "result"), ["1-0", "1/2-1/2", "1-0", "1-0", "1/2-1/2", "*", "0-1", "1/2-1/2"]);
    assert_eq!(messages.matches("tag value that cannot be read").count(), 2, "{messages}");
    assert_eq!(messages.matches("result that differs from the tag").count(), 1, "{messages}");
    for (filter, expected) in [
        ("result = draw", &[2, 5, 8][..]),
        ("result = '½'", &[2, 5, 8]),
        ("unreadable(result)", &[5, 6]),
        ("missing(result)", &[6]),
        ("has(movetextresult)", &[1, 3, 4, 5, 7, 8]),
        ("movetextresult = 0-1", &[3, 7]),
        ("movetextresult != result", &[3]),
        ("result != movetextresult", &[3]),
        ("result = movetextresult", &[1, 4, 5, 7, 8]),
        ("fault", &[3, 5, 6]),
        ("winner ~ x or score = 0.5", &[2, 5, 8]),
    ] {
        assert_eq!(numbers(&room, &filter.replace('\'', "\"")), expected, "{filter}");
    }
    assert_eq!(
        room.fine(&["list", "v.bga", "--sort", "-movetextresult", "--limit", "2", "--format", "numbers"]),
        "1\n4\n"
    );
    let text = room.fine(&["export", "v.bga"]);
    for word in ["0.5-0.5 1/2-1/2", "0–1 0-1", "0 : 1 0-1"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    room.fine(&["set", "v.bga", "--games", "1-8", "Result=0-1", "-q"]);
    let text = room.fine(&["export", "v.bga"]);
    assert_eq!(text.matches("0-1\n").count(), 8, "{text}");
    assert!(!text.contains("0.5-0.5"), "{text}");
    assert_eq!(numbers(&room, "result = movetextresult").len(), 8);
}

#[test]
fn dates_with_one_meaning() {
    let dates = ["17.05.2019", "May 17, 2019", "2019-05-17T10:00:00Z", "05/06/2019", "12.13.14", "????.05.12", "?"];
    let pgn: Vec<String> = dates.map(|date| format!("[Date \"{date}\"]\n\n1. e4 *\n")).into_iter().collect();
    let (room, messages) = room(&pgn.join("\n"));
    assert_eq!(messages.matches("tag value that cannot be read").count(), 2, "{messages}");
    assert_eq!(numbers(&room, "date = 2019.05.17"), [1, 2, 3]);
    assert_eq!(numbers(&room, "unreadable(date)"), [4, 5]);
    assert_eq!(numbers(&room, "unreadable(year)"), [4, 5]);
    assert_eq!(numbers(&room, "missing(date)"), [4, 5, 6, 7]);
    // A date that cannot be read is shown as it is written.
    assert_eq!(column(&room, "date")[3..], ["05/06/2019", "12.13.14", "????.05.12", ""]);
    let fault = room.run(&["list", "v.bga", "--where", "unreadable(white)"]);
    assert!(fault.err.contains("every value of this field can be read"), "{}", fault.err);
}

#[test]
fn a_date_comes_from_one_tag() {
    let pgn = "[Date \"????.03.??\"]\n[UTCDate \"2001.05.06\"]\n\n1. e4 *\n\n[Date \"????.03.??\"]\n\n1. d4 *\n";
    let (room, _) = room(pgn);
    assert_eq!(column(&room, "date,year,month,day"), ["2001.05.06\t2001\t5\t6", "????.03.??\t\t3\t"]);
    assert_eq!(numbers(&room, "month = 3"), [2]);
    assert_eq!(numbers(&room, "month = 5 and day = 6"), [1]);
    assert_eq!(numbers(&room, "month != 4"), [1, 2]);
}

#[test]
fn clocks_of_two_fields_and_time_used() {
    let game = |control: &str, clocks: [&str; 4]| {
        let [a, b, c, d] =
            clocks.map(|clock| if clock.is_empty() { String::new() } else { format!("{{[%clk {clock}]}}") });
        format!("[TimeControl \"{control}\"]\n\n1. e4 {a} e5 {b} 2. Nf3 {c} Nc6 {d} *\n")
    };
    let games = [
        game("5400+30", ["1:29", "1:30", "0:45", "0:07"]),
        game("180+2", ["2:59", "3:00", "0:45", "0:07"]),
        game("5400+30", ["1:29:00", "1:30:00", "59:45", "0:07"]),
        game("?", ["1:29", "1:30", "0:45", "0:07"]),
        game("40/7200:3600", ["1:58", "1:59", "", "1:40"]),
        game("5+0.5", ["0:00:05.2", "0:00:05", "0:00:05", "0:00:05.4"]),
        game("60+1", ["0:01:00", "0:01:00", "0:02:00", "0:00:50"]),
        game("-", ["0:01:00", "0:01:00", "0:00:50", "0:00:50"]),
    ];
    let (room, _) = room(&games.join("\n"));
    assert_eq!(column(&room, "lowclock"), ["420", "7", "7", "", "6000", "5", "50", "50"]);
    let used = column(&room, "whitetimeused,blacktimeused");
    assert_eq!(used, ["2730\t5010", "137\t175", "1845\t5423", "\t", "\t1200", "0.7\t0.1", "\t11", "\t"]);
    assert_eq!(numbers(&room, "whitetimeused < 10"), [6]);
    assert_eq!(numbers(&room, "missing(timeused)"), [4, 8]);
    assert_eq!(room.fine(&["find", "v.bga", "--clock-below", "8", "--count"]), "3\n");
    assert_eq!(room.fine(&["find", "v.bga", "--clock-below", "0:08", "--count"]), "3\n");
}

#[test]
fn time_controls_as_engines_write_them() {
    let controls =
        ["5+0.05", "40/10+0.1", "movetime: 5", "10/move", "90'+30''", "inf", "?", "rapid", "G/60", "1 in 3 days"];
    let pgn: Vec<String> =
        controls.map(|control| format!("[TimeControl \"{control}\"]\n\n1. e4 *\n")).into_iter().collect();
    let (room, messages) = room(&pgn.join("\n"));
    assert_eq!(messages.matches("tag value that cannot be read").count(), 2, "{messages}");
    assert_eq!(column(&room, "base,increment")[..5], ["5\t0", "10\t0", "0\t5", "0\t10", "5400\t30"]);
    assert_eq!(numbers(&room, "base <= 10"), [1, 2, 3, 4]);
    assert_eq!(numbers(&room, "unreadable(base)"), [8, 9]);
    assert_eq!(numbers(&room, "unreadable(timecontrol)"), [8, 9]);
    assert_eq!(numbers(&room, "missing(increment)"), [6, 7, 8, 9]);
}

#[test]
fn evaluations_have_no_bounds() {
    let game = |evaluations: [&str; 4]| {
        let [a, b, c, d] = evaluations.map(|evaluation| format!("{{[%eval {evaluation}]}}"));
        format!("1. e4 {a} e5 {b} 2. Nf3 {c} Nc6 {d} *\n")
    };
    let games = [
        game(["0.3", "15.2", "14.0", "60.39"]),
        game(["0.3", "9.5", "9.0", "8"]),
        game(["-0.3", "-20.5", "#-3", "#-2"]),
        game(["1.0", "#5", "#-4", "-121.2"]),
    ];
    let (room, _) = room(&games.join("\n"));
    assert_eq!(
        column(&room, "mineval,maxeval,evalswing"),
        ["0.3\t60.39\t46.39", "0.3\t9.5\t9.2", "#-2\t-0.3\t#3", "#-4\t#5\t#4"]
    );
    assert_eq!(numbers(&room, "maxeval > 12"), [1, 4]);
    assert_eq!(numbers(&room, "mineval < -12"), [3, 4]);
    assert_eq!(numbers(&room, "mineval <= \"#-3\""), [3]);
    assert_eq!(numbers(&room, "maxeval >= \"#5\""), [4]);
    let sorted = |keys: &str| room.fine(&["list", "v.bga", "--sort", keys, "--format", "numbers"]);
    assert_eq!((sorted("-maxeval"), sorted("mineval")), ("4\n1\n2\n3\n".to_owned(), "3\n4\n1\n2\n".to_owned()));
    assert_eq!(sorted("-evalswing"), "3\n4\n1\n2\n");
}

#[test]
fn the_side_in_whites_place_is_the_player() {
    let game = |pawns: [&str; 2], result: &str| {
        format!(
            "[Result \"{result}\"]\n[FEN \"4k3/{}/8/8/8/8/{}/4K3 w - - 0 1\"]\n\n1. Kf2 Kf7 {result}\n",
            pawns[0], pawns[1]
        )
    };
    let (more, less) = ("3PPP2", "4P3");
    let (black_more, black_less) = ("3ppp2", "4p3");
    let games = [
        game([black_more, less], "1-0"),
        game([black_less, more], "0-1"),
        game([black_less, more], "1-0"),
        game([black_less, less], "1-0"),
        game([black_more, less], "1/2-1/2"),
    ];
    let (room, _) = room(&games.join("\n"));
    let find = |more: &[&str]| {
        let args = [&["find", "v.bga", "--format", "numbers"], more].concat();
        room.fine(&args).lines().map(|line| line.parse::<u64>().unwrap()).collect::<Vec<_>>()
    };
    let board = ["--imbalance", "vPP", "--either-color"];
    let of = |filter: &str| find(&[&board[..], &["--where", filter]].concat());
    assert_eq!(of("score = 1"), [1, 2]);
    assert_eq!(of("score = 0"), [3]);
    assert_eq!(of("score = 0.5"), [5]);
    assert_eq!(of("score = 1 and color = black"), [2]);
    assert_eq!(of("result = 1-0"), [1, 3]);
    let question = r#"{"imbalance": "vPP", "either_color": true, "where": "score = 1"}"#;
    assert_eq!(find(&["--query", question]), [1, 2]);
    let done = room.run(&["find", "v.bga", "--imbalance", "vPP", "--either-color", "--where", "result = 1-0"]);
    assert!(done.err.contains("score = 1"), "{}", done.err);
    // Also for positions, with every ply.
    let fen = ["--fen", "4k3/3ppp2/8/8/8/8/5K2/8 b", "--any", "side", "--either-color", "--all-plies"];
    assert_eq!(find(&[&fen[..], &["--where", "score = 1"]].concat()), [0u64; 0]);
    let promoted = "[FEN \"8/P6k/8/8/8/8/2p4K/1R6 w - - 0 1\"]\n\n1. a8=N cxb1=N *\n\n[FEN \"8/P6k/8/8/8/8/7K/8 w - - 0 1\"]\n\n1. a8=Q *\n";
    room.write("p.pgn", promoted);
    room.fine(&["import", "p.pgn", "-o", "p.bga", "-q"]);
    let hits = |args: &[&str]| room.fine(&[&["find", "p.bga", "--all-plies", "--format", "pairs"], args].concat());
    assert_eq!(hits(&["--white-move", "=N"]), "1:1\n");
    assert_eq!(hits(&["--white-move", "=N", "--either-color"]), "1:1\n1:2\n");
    assert_eq!(hits(&["--black-move", "x=N"]), "1:2\n");
    assert_eq!(hits(&["--query", r#"{"white_move": "=Q", "either_color": true}"#]), "2:1\n");
}

#[test]
fn a_surname_is_a_surname_and_names_left_out_are_named() {
    let game = |white: &str, black: &str, result: &str| {
        format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n")
    };
    let games = [
        game("Kramnik", "x", "1-0"),
        game("Kramnik,V", "y", "1-0"),
        game("z", "Kramnik, Vladimir", "1-0"),
        game("Marie-Kramnik, A", "y", "0-1"),
        game("Kramnikova, B", "y", "0-1"),
    ];
    let (room, _) = room(&games.join("\n"));
    for name in ["Kramnik", "kramnik", "Kramnik,"] {
        assert_eq!(room.fine(&["player", "v.bga", name, "--count"]), "3\n", "{name}");
    }
    assert_eq!(room.fine(&["player", "v.bga", "Kramnik*", "--count"]), "5\n");
    assert_eq!(room.fine(&["player", "v.bga", "Kramnik,V", "--count"]), "1\n");
    for args in [&["player", "v.bga", "Kramnik"][..], &["stats", "v.bga", "--by", "color", "--player", "Kramnik"]] {
        let done = room.run(args);
        let text = done.out + &done.err;
        assert!(text.contains("not counted: Kramnikova, B (1), Marie-Kramnik, A (1)"), "{text}");
        assert!(text.contains("Kramnik*"), "{text}");
    }
    let report: serde_json::Value =
        serde_json::from_str(&room.fine(&["player", "v.bga", "Kramnik", "--json"])).unwrap();
    assert_eq!((report["not_counted"].as_array().unwrap().len(), &report["without_year"]), (2, &3.into()));
    // The fields of a player are those of this player.
    let count = |filter: &str| room.fine(&["player", "v.bga", "Kramnik", "--where", filter, "--count"]);
    assert_eq!(
        (count("color = white"), count("color = black"), count("score = 0")),
        ("2\n".into(), "1\n".into(), "1\n".into())
    );
    let lost = ["stats", "v.bga", "--by", "color", "--player", "Kramnik", "--where", "score = 1", "--format", "csv"];
    assert!(room.fine(&lost).starts_with("color,games,won,drawn,lost,score,rating,opponents,performance\nWhite,2,2,"));
    room.fails(&["player", "v.bga", ""], 2, &["a player's name"]);
}

#[test]
fn groups_say_how_many_games_have_no_value() {
    let game = |control: &str, date: &str, elos: [&str; 2]| {
        let [white, black] = elos;
        format!(
            "[TimeControl \"{control}\"]\n[Date \"{date}\"]\n[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n\n1. e4 *\n"
        )
    };
    let games = [
        game("300+2", "2001.01.01", ["2000", "2200"]),
        game("?", "2001.01.01", ["2000", ""]),
        game("?", "?", ["", "2500"]),
    ];
    let (room, _) = room(&games.join("\n"));
    let by = |keys: &str, format: &str| room.fine(&["stats", "v.bga", "--by", keys, "--format", format]);
    assert!(by("speed", "table").ends_with("2 games have no speed, and are not counted\n"), "{}", by("speed", "table"));
    assert!(by("speed", "csv").ends_with("\n,2,,,,,,,\n"), "{}", by("speed", "csv"));
    let last = by("year,speed", "json").lines().last().unwrap().to_owned();
    assert_eq!(last, r#"{"year":null,"speed":null,"games":2,"without":{"year":1,"speed":2}}"#);
    // The mean of both ratings needs both.
    assert!(by("rating", "csv").contains("\n2000-2199,1,"), "{}", by("rating", "csv"));
    assert!(by("rating", "csv").ends_with("\n,2,,,,,,,\n"), "{}", by("rating", "csv"));
    assert!(!by("length", "table").contains("no length"));
}

/// Requests that once gave an answer to another question.
#[test]
fn requests_mean_what_they_say() {
    let room = Room::with_archive();
    let numbers = |args: &[&str]| room.fine(&[args, &["--format", "numbers"]].concat()).replace('\n', " ");
    // A set of games, in the given order.
    for games in ["3,1,3", "3,1-1,1-3,3"] {
        let expected = if games.len() == 5 { "3 1 " } else { "3 1 2 " };
        assert_eq!(numbers(&["list", "g.bga", "--games", games]), expected);
        let exported = room.fine(&["export", "g.bga", "--games", games]);
        assert_eq!(exported.matches("[Result ").count(), expected.split_whitespace().count());
    }
    // Both members of a question hold.
    let reach = |question: &str| numbers(&["find", "g.bga", "--query", question]);
    assert_eq!(reach(r#"{"fen": "startpos", "moves": "e4"}"#), "1 ");
    assert_eq!(reach(r#"{"fen": "startpos"}"#), "1 2 ");
    assert_eq!(reach(r#"{"fen": "startpos", "moves": "a3"}"#), "");
    let fault =
        room.run(&["find", "g.bga", "--query", r#"{"fen": ["startpos", "4k3/8/8/8/8/8/8/4K3"], "moves": "e4"}"#]);
    assert!(fault.code == Some(2) && fault.err.contains("every"), "{}", fault.err);
    let fault =
        room.run(&["find", "g.bga", "--query", r#"{"material": "KRk", "either_color": true, "result": "0-1"}"#]);
    assert!(fault.err.contains("a result belongs to where"), "{}", fault.err);
    room.fine(&["find", "g.bga", "--query", r#"{"imbalance": ["PvN", "NvP"], "plies": 2}"#]);
    // An empty page of a question.
    for page in [r#"{"offset": 9}"#, r#"{"limit": 0}"#] {
        let done = room.run(&["find", "g.bga", "--query", page]);
        assert!(!done.err.contains("has no games") && !done.err.contains("no game"), "{page}: {}", done.err);
    }
    // Parts by a tag in any case; a tag that no game has is an error.
    room.fine(&["split", "g.bga", "--by", "white", "-o", "parts", "-q"]);
    room.fails(
        &["split", "g.bga", "--by", "Whit", "-o", "none"],
        2,
        &["no game has a tag Whit", "did you mean White?"],
    );
    room.fails(&["export", "g.bga", "--split", "Eventt", "-o", "none/"], 2, &["did you mean Event?"]);
    // A dry run shows each of two equal tags.
    room.write("t.pgn", "[White \"X\"]\n[White \"Y\"]\n[Black \"Z\"]\n\n1. e4 *\n");
    room.fine(&["import", "t.pgn", "-o", "t.bga", "-q"]);
    let dry = room.fine(&["set", "t.bga", "--games", "1", "White=W", "--dry-run"]);
    assert_eq!(dry, "game 1: White \"X\" -> \"W\"\ngame 1: White \"Y\" removed\n");
    let dry = room.fine(&["rename", "t.bga", "X", "W", "--dry-run"]);
    assert!(!dry.contains("\"Y\" -> "), "{dry}");
    // Quiet commands, and the help of other programs.
    let quiet = room.run(&["list", "g.bga", "--where", "white = nobody", "-q"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""));
    let quiet = room.run(&["find", "g.bga", "-o", "copy.bga", "-q"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""));
    assert!(!room.run(&["help", "serve"]).err.contains("unrecognized"));
    assert!(room.fine(&["--help"]).contains("Other programs"));
}

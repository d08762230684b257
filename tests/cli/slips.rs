//! Slips of users: unknown names, impossible values, queries without results; and who is counted.

use crate::common::cli::{Room, json};

/// A room with games of namesakes, without clocks.
fn room() -> Room {
    let game = |white: &str, black: &str, moves: &str| {
        format!(
            "[Event \"Open\"]\n[Date \"2024.01.02\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n"
        )
    };
    let games = [
        game("Anand, Viswanathan", "Carlsen, Magnus", "1. e4 e5"),
        game("Anand,V", "Praggnanandhaa, R", "1. d4 d5"),
        game("Pranav, Anand", "Carlsen, Magnus", "1. c4 c5"),
    ];
    let room = Room::new();
    room.write("g.pgn", games.concat());
    room.fine(&["import", "g.pgn", "-o", "g.bga", "--quiet"]);
    room
}

#[test]
fn a_surname_comes_before_a_part_of_a_name() {
    let room = room();
    let names = |name: &str| -> Vec<String> {
        let report = json(&room.fine(&["player", "g.bga", name, "--json"])).remove(0);
        let names = report["names"].as_array().unwrap();
        names.iter().map(|name| name["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("anand"), ["Anand, Viswanathan", "Anand,V"]);
    assert_eq!(names("viswanathan"), ["Anand, Viswanathan"]);
    assert_eq!(names("nandhaa"), ["Praggnanandhaa, R"]);
    assert_eq!(names("Magnus Carlsen"), ["Carlsen, Magnus"]);
    // The report lists the counted names.
    let report = room.fine(&["player", "g.bga", "anand"]);
    assert!(report.contains("2 names, counted as one: Anand, Viswanathan (1), Anand,V (1)\n"), "{report}");
    let groups = room.run(&["stats", "g.bga", "--by", "color", "--player", "anand"]);
    assert!(groups.err.contains("2 names counted as one") && groups.out.contains("White"), "{}", groups.err);
}

#[test]
fn an_unknown_name_is_reported_with_a_similar_one() {
    let room = room();
    room.fails(&["player", "g.bga", "Carlsn, Magnus"], 1, &["did you mean \"Carlsen, Magnus\"?"]);
    room.write("gone.pgn", "[White \"Zed\"]\n\n1. e4 *\n\n1. d4 *\n");
    room.fine(&["import", "gone.pgn", "-o", "gone.bga", "-q"]);
    room.fine(&["delete", "gone.bga", "--games", "1", "-q"]);
    room.fails(&["player", "gone.bga", "Zed"], 1, &["all games of Zed have been deleted"]);
    // The player exists, but not in that year.
    let where_none = ["player", "g.bga", "carlsen", "--where", "year = 1900"];
    room.fails(&where_none, 1, &["Carlsen, Magnus (2) has 2 games, but none", "--where 'year = 1900'"]);
    room.fails(&["rename", "g.bga", "Carlson, Magnus", "X"], 1, &["did you mean \"Carlsen, Magnus\"?"]);
    let done = room.run(&["list", "g.bga", "--where", "player = \"Carlsen, Magnum\""]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), ""));
    assert!(
        done.err.contains("no game has \"Carlsen, Magnum\" in this field: did you mean \"Carlsen, Magnus\"?"),
        "{}",
        done.err
    );
    let done = room.run(&["stats", "g.bga", "--by", "openning"]);
    assert!(done.code == Some(2) && done.err.contains("did you mean opening?"), "{}", done.err);
}

#[test]
fn what_finds_nothing_says_so_and_prints_nothing_else() {
    let room = room();
    let nobody = ["--where", "white = nobody"];
    for (command, out) in [
        (&["list", "g.bga"][..], ""),
        (&["list", "g.bga", "--json"], ""),
        (&["list", "g.bga", "--sort", "date"], ""),
        (&["list", "g.bga", "--format", "csv", "--columns", "white"], "white\n"),
        (&["find", "g.bga"], ""),
        (&["export", "g.bga"], ""),
        (&["export", "g.bga", "-o", "x.pgn"], ""),
        (&["stats", "g.bga", "--by", "year", "--json"], ""),
        (&["stats", "g.bga", "--report", "r.html"], ""),
        (&["set", "g.bga", "Round=1"], ""),
    ] {
        let done = room.run(&[command, &nobody].concat());
        assert_eq!((done.code, done.out.as_str()), (Some(0), out), "{command:?}: {}", done.err);
        assert!(done.err.contains("no game matches --where 'white = nobody'"), "{command:?}: {}", done.err);
    }
    let done = room.run(&["find", "g.bga", "--clock-below", "10"]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), ""));
    assert!(done.err.contains("none has clocks ([%clk 0:03:00] in comments)"), "{}", done.err);
    let done = room.run(&["find", "g.bga", "--moves", "a4"]);
    assert!(done.err.contains("no game matches the search"), "{}", done.err);
    // A number is a valid answer.
    let done = room.run(&["list", "g.bga", "--where", "white = nobody", "--count"]);
    assert_eq!((done.out.as_str(), done.err.as_str()), ("0\n", ""));
}

#[test]
fn tags_are_set_to_what_they_can_be() {
    let room = room();
    let set = |what: &str| room.run(&["set", "g.bga", "--games", "1", what, "--dry-run"]);
    for (bad, word) in [
        ("Result=2-0", "1-0, 0-1, 1/2-1/2 or *"),
        ("Date=yesterday", "2024.05.31"),
        ("Date=2024-05-31", "2024.05.31"),
        ("UTCDate=2024.13.01", "2024.05.31"),
        ("WhiteElo=good", "a whole number"),
    ] {
        let done = set(bad);
        assert!(done.code == Some(2) && done.err.contains(word), "{bad}: {}", done.err);
    }
    for fine in ["Result=*", "Date=2024.??.??", "Date=????.??.??", "WhiteElo=2100", "BlackElo=?", "Annotator=me"] {
        let done = set(fine);
        assert!(done.code == Some(0) && !done.err.contains("warning"), "{fine}: {}", done.err);
    }
    for (slip, near) in [("Whte=x", "White"), ("white=x", "White"), ("Evnt=x", "Event")] {
        let done = set(slip);
        assert!(done.code == Some(0) && done.err.contains(&format!("did you mean {near}?")), "{slip}: {}", done.err);
    }
    // A value that some game has is not a slip.
    room.fine(&["set", "g.bga", "--games", "1", "Whte=x", "--quiet"]);
    let done = room.run(&["set", "g.bga", "--games", "2", "Whte=x", "--dry-run"]);
    assert!(!done.err.contains("warning"), "{}", done.err);
}

#[test]
fn a_promotion_mates_with_the_new_piece() {
    let room = Room::new();
    let start =
        "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n[SetUp \"1\"]\n[FEN \"7k/P7/6K1/8/8/8/8/8 w - - 0 1\"]";
    room.write("g.pgn", format!("{start}\n\n1. a8=Q# 1-0\n\n{start}\n\n1. a8=R# 1-0\n"));
    room.fine(&["import", "g.pgn", "-o", "g.bga", "--quiet"]);
    for (piece, game) in [("queen", "1\n"), ("rook", "2\n"), ("pawn", "")] {
        let filter = format!("mate = {piece}");
        assert_eq!(room.fine(&["list", "g.bga", "--where", &filter, "--format", "numbers"]), game, "{piece}");
    }
    let groups = json(&room.fine(&["stats", "g.bga", "--by", "mate", "--json"]));
    let pieces: Vec<_> = groups.iter().map(|group| group["mate"].as_str().unwrap()).collect();
    assert!(pieces.len() == 2 && pieces.contains(&"queen") && pieces.contains(&"rook"), "{pieces:?}");
}

#[test]
fn json_is_in_the_commands_without_an_archive() {
    let room = Room::new();
    room.write("g.pgn", "[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 e5 *\n");
    let encoded = json(&room.fine(&["brenner", "encode", "g.pgn", "--json"])).remove(0);
    assert_eq!((&encoded["game"], &encoded["form"], &encoded["plies"]), (&1.into(), &"table".into(), &2.into()));
    room.write("g.hex", encoded["bytes"].as_str().unwrap());
    let decoded = json(&room.fine(&["brenner", "decode", "g.hex", "--json"])).remove(0);
    assert_eq!(decoded["tags"][0][0], "White");
    let explained = json(&room.fine(&["brenner", "explain", "g.pgn", "--json"])).remove(0);
    assert!(explained["parts"].as_array().unwrap().iter().any(|part| part["content"] == "e4"), "{explained}");
    let script = json(&room.fine(&["completions", "bash", "--json"])).remove(0);
    assert!(script["shell"] == "bash" && script["script"].as_str().unwrap().contains("scoresheet"));
    assert_eq!(json(&room.fine(&["man", "--json"]))[0]["name"], "scoresheet.1");
}

/// Checks that arguments are refused with this message; the value and its location are on separate lines.
fn refused(room: &Room, args: &[&str], words: &[&str]) {
    let done = room.run(args);
    assert_eq!(done.code, Some(2), "{args:?}: {}", done.err);
    assert!(words.iter().all(|words| done.err.contains(words)), "{args:?}: {}", done.err);
}

#[test]
fn a_number_that_is_none_is_refused_in_words() {
    let room = room();
    for value in ["-3", "x", ""] {
        refused(&room, &["list", "g.bga", "--limit", value], &["--limit", "write a whole number, from 0"]);
    }
    refused(&room, &["list", "g.bga", "--limit", "99999999999999999999999"], &["this number is too large"]);
}

#[test]
fn signs_and_names_of_other_languages_are_reported() {
    let room = room();
    for (filter, words) in [
        ("elo => 2000", "column 5: => is not a comparison: write >="),
        ("elo =< 2000", "=< is not a comparison: write <="),
        ("white == Anand", "column 7: == is not a comparison: write ="),
        ("year <> 2000", "<> is not a comparison: write !="),
        ("white !== Anand", "!== is not a comparison: write !="),
        ("white =~ Anand", "=~ is not a comparison: write ~"),
        (
            "white = carlsen,m",
            "column 9: put a text of several words or with a comma in quotation marks: \"carlsen,m\"",
        ),
        ("year = 2000 and (white = Carlsen, Magnus)", "quotation marks: \"Carlsen, Magnus\""),
        ("white ~ Magnus Carlsen or plies > 3", "quotation marks: \"Magnus Carlsen\""),
        ("year = 2000,2010", "write several values as a set after \"in\": year in {2000,2010}"),
        ("elo > 2000 2100", "expected \"and\", \"or\" or the end"),
        ("elo = 2000 )", "unmatched closing parenthesis"),
    ] {
        refused(&room, &["list", "g.bga", "--where", filter], &[words]);
    }
}

/// The marker below the text of an option covers all faulty letters.
#[test]
fn faults_of_positions_and_patterns_are_marked_whole() {
    let room = room();
    for (option, text, marker) in [
        ("--fen", "8/8/8/8/8/8/8/K1k5 white", 19..24),
        ("--fen", "8/8/8/8/8/8/8/K1k5 w KQxyz -; draw", 23..26),
        ("--moves", "e4 e5 Ng1f4 Nc6", 6..11),
        ("--white-move", "Nf9", 0..3),
        ("--material", "KRwitkr", 2..5),
        ("--imbalance", "RvB, prawns free", 5..11),
        ("--structure", "iqp towers", 4..10),
        ("--at-move", "20-10", 0..5),
        ("--moved", "KXY", 1..3),
        ("--query", "{\"query\": {\"result\": \"2-0\"}}", 22..25),
    ] {
        let marked = format!("  {text}\n  {}{}\n", " ".repeat(marker.start), "^".repeat(marker.len()));
        let said = room.run(&["find", "g.bga", option, text]).err;
        assert!(format!("{}\n", said.trim_end()).contains(&marked), "{said}");
    }
}

#[test]
fn no_pawn_stands_on_the_first_or_last_rank() {
    let room = room();
    for (board, words) in [
        ("8/8/8/8/8/8/8/4P3", "column 16: no pawn stands on rank 1"),
        ("p7/8/8/8/8/8/8/8", "column 1: no pawn stands on rank 8"),
    ] {
        refused(&room, &["find", "g.bga", "--pawns", board], &[words]);
    }
    room.fine(&["find", "g.bga", "--pawns", "8/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/8"]);
    let query = r#"{"pawns": "8/8/8/8/8/8/8/4P3"}"#;
    refused(&room, &["find", "g.bga", "--query", query], &["no pawn stands on rank 1"]);
}

#[test]
fn quiet_is_of_messages_in_sample_too() {
    let room = room();
    let all = ["sample", "g.bga", "99"];
    let done = room.run(&all);
    assert!(done.code == Some(0) && done.err.contains("only 6 positions can be drawn"), "{}", done.err);
    for quiet in ["-q", "--quiet"] {
        let silent = room.run(&[&all[..], &[quiet]].concat());
        assert_eq!((silent.code, silent.err.as_str(), &silent.out), (Some(0), "", &done.out), "{quiet}");
    }
    room.write("x.pgn", "1. e4 d5 2. exd5 *");
    room.fine(&["import", "x.pgn", "-o", "x.bga", "-q"]);
    assert_eq!(room.fine(&["sample", "x.bga", "99", "-q", "--quiet-positions"]).lines().count(), 2);
}

#[test]
fn help_has_its_options_in_their_groups() {
    let room = room();
    let help = room.fine(&["export", "--help"]);
    let (options, written) = help.split_once("Content:").unwrap();
    for option in ["--quiet", "--threads", "--format"] {
        assert!(options.contains(option), "{option}");
    }
    assert!(written.contains("--language"));
    let merge = room.fine(&["merge", "--help"]);
    let examples: Vec<&str> = merge.lines().filter(|line| line.starts_with("  scoresheet")).collect();
    let distinct: std::collections::HashSet<_> = examples.iter().collect();
    assert_eq!(distinct.len(), examples.len(), "{merge}");
}

#[test]
fn a_position_without_its_option_is_recognized() {
    let room = room();
    room.fails(&["find", "g.bga", "e4 c5"], 2, &["did you mean --moves 'e4 c5'"]);
    let fen = "8/8/4k3/8/8/4K3/4P3/8 w - -";
    room.fails(&["tree", "g.bga", fen], 2, &[&format!("did you mean --fen '{fen}'")]);
    room.fails(&["list", "no.bga"], 1, &["cannot open no.bga"]);
    let done = room.run(&["find", "g.bga", "--move", "e4"]);
    assert!(done.code == Some(2) && done.err.contains("'--moves <MOVES>'"), "{}", done.err);
    assert!(!done.err.contains("--moved"), "{}", done.err);
}

#[test]
fn an_import_names_its_archive_after_its_source() {
    let room = room();
    std::fs::create_dir(room.path("folder")).unwrap();
    for (source, archive) in
        [("a.pgn", "a.bga"), ("b.PGN.gz", "b.bga"), ("folder/c.d.pgn.zst", "folder/c.d.bga"), ("e", "e.bga")]
    {
        room.write(source, room.read("g.pgn"));
        room.fine(&["import", source, "-q"]);
        assert_eq!(room.fine(&["list", archive, "--count"]), "3\n");
        // An existing archive is kept.
        room.fails(&["import", source, "-q"], 1, &[archive]);
    }
    room.fails(&["import", "a.pgn", "e", "-q"], 2, &["-o games.bga"]);
    room.fails(&["import", "-", "-q"], 2, &["-o games.bga"]);
}

#[test]
fn an_archive_alone_is_described() {
    let room = room();
    assert_eq!(room.fine(&["g.bga"]), room.fine(&["info", "g.bga"]));
    let missing = room.run(&["missing.bga"]);
    assert!(missing.code == Some(2) && missing.err.contains("unrecognized subcommand"), "{}", missing.err);
}

#[test]
fn notes_can_be_silenced() {
    let room = room();
    let position = ["tree", "g.bga", "--moves", "f4"];
    for args in [
        &["stats", "g.bga", "--by", "event", "--where", "year = 1900"][..],
        &["stats", "g.bga", "--by", "color", "--player", "anand"],
        &["player", "g.bga", "Anand, Viswanathan", "--json"],
        &["player", "g.bga", "anand", "--json"],
        &position,
    ] {
        let (loud, quiet) = (room.run(args), room.run(&[args, &["-q"]].concat()));
        assert_eq!((quiet.err.as_str(), quiet.code), ("", loud.code), "{args:?}");
        assert_eq!(quiet.out, loud.out, "{args:?}");
    }
    assert!(!room.run(&position).err.is_empty());
}

#[test]
fn an_import_without_a_match_tells_of_no_archive() {
    let room = room();
    let none = ["--where", "white = Nobody"];
    let done = room.run(&[&["import", "g.pgn", "-o", "k.bga", "--index"][..], &none].concat());
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(
        done.err.ends_with("3 not selected + 0 rejected\nscoresheet: no game matches; k.bga has not been written\n"),
        "{}",
        done.err
    );
    assert!(!room.path("k.bga").exists());
    let done = room.run(&[&["import", "g.pgn", "-o", "k.bga", "--json"][..], &none].concat());
    let summary = json(&done.out).remove(0);
    assert_eq!((&summary["failure"], done.code), (&"no game matches; k.bga has not been written".into(), Some(1)));
    assert_eq!(
        (&summary["seen"], &summary["archive_games"], &summary["archive_bytes"]),
        (&3.into(), &0.into(), &0.into())
    );
    // The archive that would have been replaced stays.
    let before = room.read("g.bga");
    for (option, code) in [("--force", 1), ("--append", 0)] {
        let done = room.run(&[&["import", "g.pgn", "-o", "g.bga", option][..], &none].concat());
        assert!(done.err.ends_with("no game matches; g.bga is unchanged\n"), "{}", done.err);
        assert_eq!(done.code, Some(code));
    }
    assert_eq!(room.read("g.bga"), before);
}

#[test]
fn adding_to_an_archive_that_does_not_exist_is_noted() {
    let room = room();
    for option in ["--append", "--new-only"] {
        let name = format!("gmaes{option}.bga");
        let import = |more: &[&str]| room.run(&[&["import", "g.pgn", "-o", &name, option][..], more].concat());
        let note = format!("new archive: {name} did not exist\n3 games seen");
        let done = import(&[]);
        assert!(done.code == Some(0) && done.err.contains(&note), "{}", done.err);
        let done = import(&[]);
        assert!(done.code == Some(0) && !done.err.contains("new archive"), "{}", done.err);
        std::fs::remove_file(room.path(&name)).unwrap();
        assert_eq!(import(&["--quiet"]).err, "");
    }
}

#[test]
fn a_missing_or_wrong_word_is_named() {
    let room = room();
    let wrong = |args: &[&str], words: &str| {
        let done = room.run(args);
        assert!(done.code == Some(2) && done.err.contains(words), "{args:?}: {}", done.err);
    };
    wrong(&["list", "g.bga", "--variant", "all"], "king of the hill or racing kings, or any\n");
    // The archive is given, and the name is not.
    wrong(&["player", "g.bga"], "not provided:\n  <NAME>\n");
    wrong(&["prepare", "g.bga", "-o", "p.html"], "not provided:\n  <NAME>\n");
    wrong(&["player", "carlsen"], "not provided:\n  <ARCHIVES>...\n");
    wrong(&["find", "g.bga", "--clock-below", "soon"], "expected a time: seconds as in 10 or 9.5, or 1:30");
    let pockets = "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR[P] b KQkq - 0 2";
    room.fails(&["position", pockets], 1, &["no piece has this letter: [", "`position` reads only chess"]);
    assert!(room.run_with(&["position", "-"], pockets).err.contains("`position` reads only chess"));
}

#[test]
fn quiet_reports_write_only_their_page() {
    let room = room();
    for (args, page) in [
        (&["player", "g.bga", "carlsen", "--report", "p.html"][..], "p.html"),
        (&["stats", "g.bga", "--report", "s.html"], "s.html"),
        (&["opening", "g.bga", "--moves", "e4", "--report", "o.html"], "o.html"),
        (&["event", "g.bga", "Open", "--report", "e.html"], "e.html"),
        (&["prepare", "g.bga", "carlsen", "-o", "f.html"], "f.html"),
    ] {
        let quiet = room.run(&[args, &["-q"]].concat());
        assert_eq!((quiet.code, &*quiet.out, &*quiet.err), (Some(0), "", ""), "{args:?}");
        assert!(room.path(page).is_file(), "{page}");
        let spoken = room.run(&[args, &["--force"]].concat());
        assert!(spoken.code == Some(0) && spoken.err.contains(page), "{args:?}: {}", spoken.err);
    }
}

//! Games changed under their numbers, imports of new games only, and exports in other forms.

use crate::common::cli::{Done, FAULTY, PGN, Room, json};
use std::fs;

fn tags(room: &Room, game: u64) -> Vec<(String, String)> {
    let shown = json(&room.fine(&["show", "g.bga", &game.to_string(), "--json"])).remove(0);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    shown["tags"].as_array().unwrap().iter().map(|pair| (text(&pair[0]), text(&pair[1]))).collect()
}

fn tag(room: &Room, game: u64, name: &str) -> Option<String> {
    tags(room, game).into_iter().find(|(tag, _)| tag == name).map(|(_, value)| value)
}

fn gives_back_its_source(room: &Room) {
    assert_eq!(room.fine(&["export", "g.bga", "--original", "-q"]), PGN);
    room.fine(&["verify", "g.bga", "-q"]);
}

#[test]
fn tags_are_set() {
    let room = Room::with_archive();
    let before = room.read("g.bga");
    let dry = room.run(&["set", "g.bga", "--games", "1,2", "White=Carlsen, Magnus", "--remove", "ECO", "--dry-run"]);
    assert_eq!(
        dry.out,
        "game 1: White \"Adler, A\" -> \"Carlsen, Magnus\"\ngame 1: ECO \"C20\" removed\n\
         game 2: White \"Buche, Björn\" -> \"Carlsen, Magnus\"\n"
    );
    assert_eq!(dry.err, "2 games would be changed\n");
    assert_eq!(room.read("g.bga"), before);
    let done = room.run(&["set", "g.bga", "--games", "1,2", "White=Carlsen, Magnus", "--remove", "ECO"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), "g.bga: 2 games changed\n"));
    assert_eq!(tag(&room, 1, "White").as_deref(), Some("Carlsen, Magnus"));
    assert_eq!(tag(&room, 1, "ECO"), None);
    assert_eq!(tag(&room, 3, "White").as_deref(), Some("Ce"));
    gives_back_its_source(&room);
    let info = json(&room.fine(&["info", "g.bga", "--json"])).remove(0);
    assert_eq!((&info["changed"], &info["changed_games"]), (&2.into(), &"1-2".into()));
    assert!(room.fine(&["info", "g.bga"]).contains("Changed  2 games since the import: 1-2\n"));
    assert!(room.fine(&["show", "g.bga", "2"]).starts_with("Game    2 of 3, changed since it was imported\n"));
    let original = room.run(&["export", "g.bga", "--original", "-o", "back.pgn"]);
    assert!(original.err.contains("2 games have been changed since the import; the output has them as imported: 1-2"));
    let object = json(&room.fine(&["set", "g.bga", "--games", "2", "White=B", "--dry-run", "--json"])).remove(0);
    assert_eq!((&object["game"], &object["changes"][0]), (&2.into(), &"White \"Carlsen, Magnus\" -> \"B\"".into()));
    let object = json(&room.fine(&["set", "g.bga", "--games", "2", "White=B", "--json"])).remove(0);
    assert_eq!((&object["archive"], &object["changed"]), (&"g.bga".into(), &1.into()));
    // The seven tags of the roster have fixed positions, and others come last; a rename keeps the position.
    room.fine(&["set", "g.bga", "--games", "3", "Site=Linz", "Annotator=me", "--rename", "Event=Tournament", "-q"]);
    let names: Vec<String> = tags(&room, 3).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Tournament", "Site", "White", "Black", "Result", "SetUp", "FEN", "Annotator"]);
    // The result after the moves changes with the tag.
    room.fine(&["set", "g.bga", "--where", "white = Ce", "Result=1-0", "-q"]);
    assert!(room.fine(&["show", "g.bga", "3", "--pgn"]).ends_with("40. a8=Q+ Kd7 1-0\n\n"));
    room.fine(&["set", "g.bga", "--games", "1-", "--restore", "-q"]);
    assert_eq!(room.fine(&["info", "g.bga"]).lines().nth(3), Some("Changed  no game since its import"));
    assert_eq!(room.fine(&["export", "g.bga"]).matches("Carlsen").count(), 0);
    gives_back_its_source(&room);
    for (args, code, word) in [
        (&["set", "g.bga", "--games", "1"][..], 2, "nothing to set"),
        (&["set", "g.bga", "White=x"], 2, "no games given"),
        (&["set", "g.bga", "--games", "1", "--rename", "White=Result"], 2, "no tag can be renamed to Result"),
        (&["set", "g.bga", "--games", "9", "White=x"], 1, "there is no game 9"),
    ] {
        room.fails(args, code, &[word]);
    }
    for bad in ["White", "Wh ite=x", "FEN=8/8", "=x", "White=a\nb", "Variant=Crazyhouse"] {
        assert_eq!(room.run(&["set", "g.bga", "--games", "1", bad]).code, Some(2), "{bad}");
    }
}

#[test]
fn side_files_are_there_again() {
    let room = Room::with_archive();
    room.fine(&["index", "g.bga", "--tag-columns", "--signatures", "--positions", "-q"]);
    room.fine(&["set", "g.bga", "--games", "1", "White=New", "-q"]);
    for file in ["g.bgh", "g.bgs", "g.bgp", "g.bgi"] {
        assert!(room.names().contains(&file.to_owned()), "{file}");
    }
    let done = room.run(&["list", "g.bga", "--where", "white = New"]);
    assert_eq!((done.out.lines().count(), done.err.as_str()), (1, ""), "{}{}", done.out, done.err);
    room.fine(&["verify", "g.bga", "-q"]);
}

/// Every command that makes an archive of archives also makes the kinds of side files that they have.
#[test]
fn new_archives_have_the_side_files_of_their_sources() {
    let room = Room::with_archive();
    room.fine(&["merge", "g.bga", "-o", "plain.bga", "-q"]);
    room.fine(&["index", "g.bga", "--tag-columns", "--signatures", "-q"]);
    for (number, args) in [
        &["merge", "g.bga", "plain.bga"][..],
        &["compact", "g.bga"],
        &["dedupe", "plain.bga", "g.bga"],
        &["list", "g.bga", "--limit", "2"],
        &["find", "g.bga", "--moves", "e4"],
        &["eco", "g.bga", "--write"],
        &["pack", "g.bga"],
        &["unpack", "g.bga"],
        &["repair", "g.bga"],
        &["split", "g.bga", "--count", "5"],
        &["split", "g.bga", "--bytes", "1M"],
    ]
    .iter()
    .enumerate()
    {
        for (option, kinds) in [(&[][..], &["bga", "bgh", "bgi", "bgs"][..]), (&["--no-index"], &["bga", "bgi"])] {
            let folder = format!("{number}{}", option.len());
            std::fs::create_dir(room.path(&folder)).unwrap();
            let output = if args[0] == "split" { folder.clone() } else { format!("{folder}/new.bga") };
            room.fine(&[*args, &["-o", &output, "-q"], option].concat());
            let files = std::fs::read_dir(room.path(&folder)).unwrap().map(|file| file.unwrap().path());
            let mut found: Vec<String> =
                files.map(|file| file.extension().unwrap().to_str().unwrap().to_owned()).collect();
            found.sort();
            assert_eq!(found, kinds, "{args:?} {option:?}");
        }
    }
}

#[test]
fn names_are_respelled() {
    let room = Room::with_archive();
    let done = room.run(&["rename", "g.bga", "Adler, A", "Adler, Anna"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), "g.bga: 2 games changed\n"));
    assert_eq!(
        (tag(&room, 1, "White"), tag(&room, 2, "Black")),
        (Some("Adler, Anna".into()), Some("Adler, Anna".into()))
    );
    room.fails(&["rename", "g.bga", "Adler, A", "x"], 1, &["no game has \"Adler, A\" as the name of a player"]);
    room.write("names.txt", "# events\nCoffee house\tCafé\tas it should be\n\n");
    room.fine(&["rename", "g.bga", "--kind", "events", "--list", "names.txt", "-q"]);
    assert_eq!((tag(&room, 2, "Event"), tag(&room, 3, "Event")), (Some("Café".into()), Some("Endgame".into())));
    room.write("names.txt", "one name\n");
    room.fails(&["rename", "g.bga", "--list", "names.txt"], 1, &["names.txt:1: write OLD, a tab, NEW"]);
    // The line ends of old Macs, and a text that would be another game.
    room.write("macs.txt", "Buche\tBuche, B\rX\tY\r");
    room.fails(&["rename", "g.bga", "--list", "macs.txt"], 1, &["macs.txt:1: a name is one line of text"]);
    room.fails(&["rename", "g.bga", "Buche", "x\n\n1. e4"], 2, &["a name is one line of text"]);
    room.write("wide.txt", b"\xff\xfeB\0");
    room.fails(&["rename", "g.bga", "--list", "wide.txt"], 1, &["the text is UTF-16; convert it to UTF-8 first"]);
    gives_back_its_source(&room);
    // Suggestions have the form of such a list.
    let game =
        |white: &str, id: &str| format!("[White \"{white}\"]\n[WhiteFideId \"{id}\"]\n[Black \"B\"]\n\n1. e4 *\n\n");
    let names = [("Carlsen, Magnus", "1503014"), ("Carlsen,M", "1503014"), ("CARLSEN, MAGNUS", ""), ("Carl, M", "")];
    room.write("n.pgn", names.map(|(white, id)| game(white, id)).concat());
    room.fine(&["import", "n.pgn", "-o", "n.bga", "-q"]);
    let found = room.run(&["rename", "n.bga", "--suggest"]);
    assert_eq!(
        found.out,
        "Carlsen,M\tCarlsen, Magnus\t1 game to 1 game: FIDE id 1503014\n\
         CARLSEN, MAGNUS\tCarlsen, Magnus\t1 game to 1 game: same letters\n"
    );
    room.write("found.txt", &found.out);
    assert_eq!(room.run(&["rename", "n.bga", "--list", "found.txt"]).err, "n.bga: 2 games changed\n");
    assert_eq!(room.run(&["rename", "n.bga", "--suggest"]).out, "");
}

#[test]
fn a_game_is_edited() {
    let room = Room::with_archive();
    let pgn = room.fine(&["show", "g.bga", "1", "--pgn"]);
    room.write("new.pgn", pgn.replace("king's pawn", "the king's pawn"));
    let dry = room.run(&["edit", "g.bga", "1", "--from", "new.pgn", "--dry-run"]);
    assert_eq!(dry.out, "game 1: annotations: comments 1 -> 1, variations 2 -> 2\n");
    assert_eq!(room.run(&["edit", "g.bga", "1", "--from", "new.pgn"]).err, "g.bga: 1 game changed\n");
    assert_eq!(room.run(&["edit", "g.bga", "1", "--from", "new.pgn"]).err, "g.bga: nothing to change\n");
    assert!(room.fine(&["show", "g.bga", "1"]).contains("e5 {the king's pawn}"));
    assert_eq!(room.fine(&["list", "g.bga"]).lines().count(), 3);
    gives_back_its_source(&room);
    let from = |text: &str| -> Done { room.run_with(&["edit", "g.bga", "1", "--from", "-"], text) };
    from("1. e4 e5 2. Nf6 *\n").failed(&[], 1, &["standard input:1: illegal move: Nf6", "the archive is unchanged"]);
    from("").failed(&[], 1, &["contains no game"]);
    from("1. e4 *\n\n1. d4 *\n").failed(&[], 1, &["contains 2 games"]);
    room.fails(&["edit", "g.bga", "4"], 1, &["there is no game 4"]);
    gives_back_its_source(&room);
}

/// Changes made in the editor are applied.
#[cfg(unix)]
#[test]
fn an_editor_is_called() {
    let room = Room::with_archive();
    let edit = |editor: &str| {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        command.args(["edit", "g.bga", "2"]).current_dir(room.0.path()).env("TMPDIR", room.0.path());
        let output = command.env("EDITOR", editor).env_remove("VISUAL").output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(edit("true"), (Some(0), "g.bga: nothing to change\n".to_owned()));
    let written = edit("sh -c 'sed \"s/d4 d5/d4 {first} d5/\" \"$1\" > t && cat t > \"$1\"' sh");
    assert_eq!(written, (Some(0), "g.bga: 1 game changed\n".to_owned()));
    assert!(room.fine(&["show", "g.bga", "2"]).contains("1. d4 {first} 1... d5"));
    assert!(edit("false").1.contains("editor \"false\": ended with"));
    let (code, message) = edit("sh -c 'echo 1. e4 e4 > \"$1\"' sh");
    assert!(code == Some(1) && message.contains("illegal move: e4") && message.contains("your text is kept"));
    let kept: Vec<String> = room.names().into_iter().filter(|name| name.starts_with("game-2-")).collect();
    assert_eq!(kept.len(), 1, "only a text that was refused is kept: {kept:?}");
}

#[test]
fn only_what_is_new_is_imported() {
    let room = Room::with_archive();
    let before = room.read("g.bga");
    // The same three games, one with another comment and one with additional compatible tags; a new game, twice; and a
    // game with the address of a stored one.
    let local_game = PGN.replace("king's pawn", "e5").replace("[Date \"????.??.??\"]", "[Date \"2024.??.??\"]");
    let site = |moves: &str| format!("\n[Site \"https://example.org/abcdefgh\"]\n[White \"X\"]\n\n{moves} *\n");
    room.write("week.pgn", local_game + &site("1. e4") + &site("1. d4") + "\n" + FAULTY);
    let done = room.run(&["import", "week.pgn", "-o", "g.bga", "--new-only"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    // Two of the three are too short to be one game despite different tags.
    assert!(done.err.contains("6 games seen = 3 stored + 3 already in the archive + 0 rejected"), "{}", done.err);
    assert!(done.err.contains("3 games are already in the archive: 2 by moves, 1 by headers"), "{}", done.err);
    assert!(done.err.contains("game 6 (stored as 6)"), "{}", done.err);
    assert_eq!(room.fine(&["list", "g.bga"]).lines().count(), 6);
    let again = room.run(&["import", "week.pgn", "-o", "g.bga", "--new-only"]);
    assert!(again.err.contains("6 games seen = 0 stored + 6 already in the archive"), "{}", again.err);
    assert_eq!(room.fine(&["list", "g.bga"]).lines().count(), 6);
    assert_ne!(room.read("g.bga"), before);
    room.fine(&["verify", "g.bga", "-q"]);
    let line = json(&room.fine(&["import", "week.pgn", "-o", "new.bga", "--new-only", "--json"]));
    let known = &line.last().unwrap()["known"];
    assert_eq!((&known["content"], &known["headers"]), (&0.into(), &1.into()));
    assert_eq!(room.fine(&["list", "new.bga"]).lines().count(), 5);
    assert_eq!(room.run(&["import", "week.pgn", "-o", "g.bga", "--new-only", "--force"]).code, Some(2));
    // The games of a match of engines have the address of the match.
    let game = |round: u8, players: [&str; 2], moves: &str| {
        let [white, black] = players;
        format!(
            "[Site \"https://example.org/tests/67c9b6aa\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\n{moves}\n\n"
        )
    };
    let rounds =
        [(1, ["New", "Base"], "1. e4 e5 1-0"), (2, ["Base", "New"], "1. d4 d5 0-1"), (3, ["New", "Base"], "1. c4 1-0")];
    room.write("match.pgn", rounds.map(|(round, players, moves)| game(round, players, moves)).concat());
    let done = room.run(&["import", "match.pgn", "-o", "m.bga", "--new-only"]);
    assert!(done.err.contains("3 games seen = 3 stored"), "{}", done.err);
    let done = room.run(&["import", "match.pgn", "-o", "m.bga", "--new-only"]);
    assert!(done.err.contains("3 games seen = 0 stored + 3 already"), "{}", done.err);
}

#[test]
fn only_what_matches_is_imported() {
    let room = Room::new();
    room.write(
        "games.pgn",
        "[White \"A\"]\n[WhiteElo \"2300\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n[WhiteElo \"1900\"]\n\n1. d4 Ke2 *\n\n\
         [White \"C\"]\n[WhiteElo \"2500\"]\n\n1. c4 Nf9 *\n",
    );
    let done = room.run(&["import", "games.pgn", "-o", "g.bga", "--where", "elo >= 2200"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("3 games seen = 2 stored + 1 not selected + 0 rejected"), "{}", done.err);
    // Faults of games that are left out are not reported; others have the numbers in the archive.
    assert!(done.err.contains("(stored as 2)") && !done.err.contains("Ke2"), "{}", done.err);
    assert!(done.err.contains("0 of 1 source can be restored") || !done.err.contains("1 of 1 source"), "{}", done.err);
    assert_eq!(room.fine(&["list", "g.bga", "--columns", "white", "--format", "csv"]).lines().count(), 3);
    room.fine(&["verify", "g.bga", "-q"]);
    // An existing archive is refused, replaced or extended, as by any import.
    let args = ["import", "games.pgn", "-o", "g.bga", "--where", "white = B"];
    room.fails(&args, 1, &["g.bga", "exist"]);
    room.fine(&[&args[..], &["--append", "-q"]].concat());
    assert_eq!(room.fine(&["list", "g.bga", "--columns", "white"]).matches('B').count(), 1);
    let line = json(&room.fine(&[&args[..], &["--force", "--json"]].concat())).pop().unwrap();
    assert_eq!((&line["stored"], &line["not_selected"]), (&1.into(), &2.into()));
    assert_eq!(room.fine(&["list", "g.bga", "--count"]).trim(), "1");
    // Of new games, those that match.
    let args = ["import", "games.pgn", "-o", "g.bga", "--new-only", "--where", "elo < 2400"];
    let done = room.run(&args);
    assert!(done.err.contains("1 stored + 1 already in the archive + 1 not selected"), "{}", done.err);
    room.fails(&["import", "games.pgn", "-o", "n.bga", "--where", "novelty > 3"], 1, &["position index"]);
    assert!(!room.path("n.bga").exists());
    assert_eq!(room.run(&["import", "games.pgn", "-o", "n.bga", "--where", "elo >", "-q"]).code, Some(2));
}

#[test]
fn games_are_exported_in_other_shapes() {
    let room = Room::with_archive();
    let export = |args: &[&str]| room.fine(&[&["export", "g.bga", "--games", "1"], args].concat());
    let plain = export(&["--moves-only", "--tags", "roster"]);
    assert_eq!(
        plain,
        "[Event \"Coffee house\"]\n[Site \"Vienna\"]\n[Date \"2024.01.02\"]\n[Round \"1\"]\n[White \"Adler, A\"]\n\
         [Black \"Buche, Björn\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n"
    );
    let german = export(&["--language", "de", "--tags", "none", "--no-variations"]);
    assert_eq!(german, "1. e4 e5 {king's pawn} 2. Dh5 Sc6 3. Lc4 Sf6 $4 4. Dxf7# 1-0\n\n");
    assert!(export(&["--width", "20"]).lines().skip(10).all(|line| line.len() <= 20));
    assert_eq!(export(&["--width", "0"]).lines().skip(10).filter(|line| !line.is_empty()).count(), 1);
    assert!(!export(&["--drop-tag", "ECO"]).contains("[ECO "));
    let ordered = room.fine(&["export", "g.bga", "--games", "3", "--roster-first"]);
    assert!(ordered.starts_with("[Event \"Endgame\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White"));
    assert_eq!(room.run(&["export", "g.bga", "--language", "xx"]).code, Some(2));
    room.fails(&["export", "g.bga", "--format", "fen", "--width", "5"], 1, &["--width applies to PGN only"]);
    // Exported English notation can be imported again.
    room.write("plain.pgn", room.fine(&["export", "g.bga", "--moves-only", "--width", "30"]));
    room.fine(&["import", "plain.pgn", "-o", "plain.bga", "-q", "--strict"]);
}

#[test]
fn exported_piece_letters_are_imported_again() {
    let room = Room::with_archive();
    let english = room.fine(&["export", "g.bga"]);
    for (language, options) in [("de", &[][..]), ("figurine", &[]), ("ru", &["--language", "ru"])] {
        let foreign = room.fine(&["export", "g.bga", "--language", language]);
        room.write("foreign.pgn", &foreign);
        let import = [&["import", "foreign.pgn", "-o", "f.bga", "--force"][..], options].concat();
        let done = room.run(&import);
        assert_eq!(done.code, Some(0), "{}", done.err);
        let counted = done.err.contains("with piece letters of another language, or with symbols");
        assert!(counted && !done.err.contains("faults"), "{}", done.err);
        assert_eq!(room.fine(&["export", "f.bga"]), english, "{language}");
        assert_eq!(room.fine(&["export", "f.bga", "--original"]), foreign, "{language}");
        room.fine(&["verify", "f.bga", "-q"]);
    }
    // Letters that fit several languages with different moves need the option.
    room.write("short.pgn", "1. h4 a5 2. Vh3 a4 *\n");
    let faults = |language: &[&str]| {
        let done = room.run(&[&["import", "short.pgn", "-o", "s.bga", "--force", "--json"][..], language].concat());
        let line = json(&done.out).pop().unwrap();
        (line["faulty"].as_u64(), line["sources"][0]["foreign_letters"].as_u64())
    };
    assert_eq!(faults(&["--language", "hu"]), (Some(1), Some(1)));
    assert_eq!(faults(&["--language", "cs"]), (Some(0), Some(1)));
    assert_eq!(faults(&["--language", "en"]), (Some(1), Some(0)));
    assert_eq!(faults(&[]), (Some(0), Some(1)));
    assert_eq!(room.run(&["import", "short.pgn", "-o", "s.bga", "--language", "xx"]).code, Some(2));
    // A game that was read with the option is restored as it was read: a knight in German, a bishop in Czech.
    room.write("short.pgn", "1. e3 d6 2. Se2 d5 *\n");
    assert_eq!(faults(&[]), (Some(1), Some(0)));
    for (language, m) in [("de", "2. Ne2 d5"), ("cs", "2. Be2 d5")] {
        assert_eq!(faults(&["--language", language]), (Some(0), Some(1)));
        let before = room.fine(&["export", "s.bga"]);
        assert!(before.contains(m), "{before}");
        room.fine(&["set", "s.bga", "--games", "1", "Event=Another", "-q"]);
        assert_ne!(room.fine(&["export", "s.bga"]), before);
        room.fine(&["set", "s.bga", "--games", "1", "--restore", "-q"]);
        assert_eq!(room.fine(&["export", "s.bga"]), before, "{language}");
        assert!(room.fine(&["info", "s.bga"]).contains("no game since its import"), "{language}");
    }
}

#[test]
fn games_are_mended_split_and_merged_in_export() {
    let room = Room::with_archive();
    room.write(
        "odd.pgn",
        "[White \"A\"]\n[Black \"B\"]\n[Date \"2020.01.01\"]\n[Result \"1-0\"]\n[TimeControl \"60+1\"]\n\n\
         1. e4 {[%clk 0:00:58]} e5 (1... c5 2. Nf3) 2. Nf3 {[%clk 0:00:50]} 0-1\n\n\
         [White \"C\"]\n[Black \"D\"]\n[Result \"1-0\"]\n\n1. e4 c5 1-0\n\n[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. Kd2 *\n",
    );
    room.fine(&["import", "odd.pgn", "-o", "odd.bga", "-q"]);
    let export = |args: &[&str]| room.fine(&[&["export", "odd.bga", "--width", "0"], args].concat());
    let fixed = export(&["--fix-results", "--add-emt", "--games", "1"]);
    assert!(fixed.contains("[Result \"0-1\"]") && fixed.contains("Nf3 {[%clk 0:00:50] [%emt 0:00:09]} 0-1"), "{fixed}");
    let split = export(&["--split-variations", "--games", "1", "--no-comments"]);
    assert_eq!(split.matches("[White \"A\"]").count(), 2);
    assert!(split.contains("\n\n1. e4 e5 2. Nf3 0-1\n") && split.contains("\n\n1. e4 c5 2. Nf3 *\n"), "{split}");
    let done = room.run(&["export", "odd.bga", "--one-tree", "--width", "0"]);
    assert_eq!(done.code, Some(0));
    assert!(done.err.contains("1 game is left out: a tree has the games of one starting position"), "{}", done.err);
    assert!(
        done.out.contains("1. e4 e5 {1 game, 100 %} (1... c5 {1 game, 100 %. C - D, 1-0}) 2. Nf3 {A - B, 2020, 1-0} *"),
        "{}",
        done.out
    );
    assert!(
        export(&["--one-tree", "--tree-depth", "1", "--quiet"]).contains("\n\n1. e4 {A - B, 2020, 1-0; C - D, 1-0} *")
    );
    let least = export(&["--one-tree", "--tree-min-games", "2", "--quiet"]);
    assert!(least.contains("\n\n1. e4 *"), "{least}");
    // What is merged is a game that is read without faults.
    room.write("tree.pgn", export(&["--one-tree", "--quiet"]));
    room.fine(&["import", "tree.pgn", "-o", "tree.bga", "-q", "--strict"]);
    assert_eq!(room.run(&["export", "odd.bga", "--one-tree", "--format", "fen"]).code, Some(2));
}

/// Without its tag Variant, a game of Crazyhouse could not be read.
#[test]
fn games_of_variants_keep_their_rules() {
    let room = Room::new();
    let game = |variant: &str, moves: &str| {
        format!("[White \"A\"]\n[Variant \"{variant}\"]\n[Result \"0-1\"]\n\n{moves} 0-1\n\n")
    };
    let games = [
        game("Standard", "1. e4 d5"),
        game("Crazyhouse", "1. e4 d5 2. exd5 Qxd5 3. @e4"),
        game("King of the Hill", "1. e4 d5"),
    ];
    let checks = "[Variant \"Three-check\"]\n[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 1+3 0 1\"]\n\n1. e4 *\n";
    room.write("v.pgn", games.concat() + checks);
    room.fine(&["import", "v.pgn", "-o", "v.bga", "-q", "--strict"]);
    for args in [&["--tags", "roster"][..], &["--tags", "none"], &["--drop-tag", "Variant"]] {
        room.write("short.pgn", room.fine(&[&["export", "v.bga"], args].concat()));
        room.fine(&["import", "short.pgn", "-o", "short.bga", "-q", "--strict", "--force"]);
        assert_eq!(room.fine(&["fen", "short.bga", "2:5"]), room.fine(&["fen", "v.bga", "2:5"]), "{args:?}");
        assert!(room.fine(&["fen", "short.bga", "4:1"]).contains(" 1+3 "), "{args:?}");
    }
    for (variant, moves) in [("crazyhouse", "3. @e4"), ("koth", "1. e4 d5"), ("chess", "1. e4 d5")] {
        let tree = room.fine(&["export", "v.bga", "--one-tree", "--variant", variant, "--no-comments", "--quiet"]);
        assert!(tree.contains(moves) && tree.contains("Variant") == (variant != "chess"), "{tree}");
        room.write("tree.pgn", tree);
        room.fine(&["import", "tree.pgn", "-o", "tree.bga", "-q", "--strict", "--force"]);
        assert_eq!(room.fine(&["list", "tree.bga", "--variant", variant, "--count"]), "1\n");
    }
    let done = room.run(&["export", "v.bga", "--one-tree"]);
    assert!(
        done.out.contains("1 game as a tree") && done.err.contains("3 games are left out"),
        "{}{}",
        done.out,
        done.err
    );
    for change in ["Variant=Standard", "Variant=Chess960"] {
        room.fails(
            &["set", "v.bga", "--games", "2", change],
            1,
            &["game 2: the tag Variant names Standard, but the moves are those of Crazyhouse"],
        );
    }
    room.fine(&["set", "v.bga", "--games", "2", "--remove", "Variant", "-q"]);
    assert_eq!(room.fine(&["list", "v.bga", "--where", "variant = crazyhouse", "--count"]), "1\n");
    // Chess960 is not a variant, but some games of chess.
    let slip = room.run(&["delete", "v.bga", "--variant", "chess960"]);
    assert!(slip.code == Some(2) && slip.err.contains("--where 'variant = \"chess960\"'"), "{}", slip.err);
}

#[test]
fn files_for_each_game_player_or_tag() {
    let room = Room::with_archive();
    let names = |folder: &str| {
        let mut names: Vec<String> = fs::read_dir(room.path(folder))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let done = room.run(&["export", "g.bga", "--split", "player", "-o", "players/"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), "3 games in 4 files\n"));
    assert_eq!(names("players"), ["Adler__A.pgn", "Buche__Björn.pgn", "Ce.pgn", "De.pgn"]);
    let all = room.fine(&["export", "g.bga"]);
    let both = String::from_utf8(room.read("players/Adler__A.pgn")).unwrap();
    assert_eq!(both.matches("[Event ").count(), 2);
    assert!(all.starts_with(&both));
    room.fine(&["export", "g.bga", "--split", "Event", "-o", "events/x-*.pgn.gz", "-q"]);
    assert_eq!(names("events"), ["x-Coffee_house.pgn.gz", "x-Endgame.pgn.gz"]);
    room.fine(&["import", "events", "-o", "e.bga", "-q"]);
    assert_eq!(room.digest("e.bga"), room.digest("g.bga"));
    room.fine(&["export", "g.bga", "--split", "game", "--games", "2-", "--format", "json", "-o", "games/", "-q"]);
    assert_eq!(names("games"), ["2.json", "3.json"]);
    room.fails(&["export", "g.bga", "--split", "game", "-o", "games/", "--format", "json"], 1, &["already exists"]);
    room.fails(&["export", "g.bga", "--split", "game", "-o", "one.pgn"], 1, &["give a folder"]);
}

/// Lines of help and tables fit a screen of 80 columns; messages are wrapped on a terminal.
#[test]
fn everything_fits_eighty_columns() {
    let room = Room::new();
    fs::copy(crate::common::sample::lichess(), room.path("games.pgn.zst")).unwrap();
    let runs: &[&[&str]] = &[
        &["import", "games.pgn.zst", "-o", "games.bga", "--verbose"],
        &["info", "games.bga"],
        &["tree", "games.bga"],
        &["show", "games.bga", "7"],
        &["verify", "games.bga"],
        &["verify", "games.bga", "--against", "games.pgn.zst"],
        &["index", "games.bga", "--tag-columns", "--signatures", "--positions"],
        &["set", "games.bga", "--games", "1-30", "Annotator=A name that is rather long for a name", "--dry-run"],
        &["set", "games.bga", "--games", "1-30", "Annotator=me"],
        &["import", "games.pgn.zst", "-o", "games.bga", "--new-only"],
        &["export", "games.bga", "--original", "-o", "back.pgn"],
        &["dedupe", "games.bga", "--dry-run"],
        &["delete", "games.bga", "--games", "5"],
        &["compact", "games.bga", "-o", "compact.bga"],
        &["pack", "games.bga", "-o", "packed.bga"],
        &["help"],
    ];
    let too_wide = |args: &[&str]| {
        let done = room.on_screen(args);
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.err);
        // For programs, a message is one line; on a terminal it is wrapped.
        for line in done.out.lines() {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
    };
    runs.iter().for_each(|args| too_wide(args));
    let help = room.fine(&["help"]);
    let rows = help.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let commands: Vec<&str> = rows.filter_map(|row| row.split_whitespace().next()).collect();
    let commands: Vec<&str> =
        commands.into_iter().filter(|name| name.chars().all(|letter| letter.is_ascii_lowercase())).collect();
    assert!(
        commands.len() > 30 && ["import", "set", "view"].iter().all(|name| commands.contains(name)),
        "{commands:?}"
    );
    for command in commands.into_iter().filter(|name| !["help", "scoresheet"].contains(name)) {
        too_wide(&["help", command]);
        too_wide(&[command, "-h"]);
    }
}

/// The view in a pseudo-terminal, if there is one: it draws, responds to keys, and restores the terminal.
#[cfg(all(unix, feature = "view"))]
#[test]
fn view_runs_in_a_terminal() {
    const KEYS: &str = r#"
until(b"\x1b[?1049h")
until(b"game 1 of 3")
press(b"\r")
until(b"ply 0 of 7")
press(b"\x1b[C\x1b[C\x1b[C")
until(b"ply 3 of 7")
press(b"e")
until(b"share")
press(b"1")
until(b"ply 4 of 7")
press(b"n")
until(b"game 2 (2 of 3)")
press(b"/adler\r")
until(b"found by adler")
press(b"q")
until(b"\x1b[?1049l")
"#;
    let room = Room::with_archive();
    room.at_terminal(&["view", "g.bga"], &[("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8")], KEYS);
    let done = room.run(&["view", "g.bga"]);
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains("view needs a terminal"), "{}", done.err);
}

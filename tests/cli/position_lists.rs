//! Lists of positions as sources: each line becomes a game without moves, and the list comes back byte for byte.

use crate::common::cli::{Room, json};
use crate::common::corpora;
use crate::common::random::Random;

/// Lines that differ in every way in which lists do. Some are no positions.
const LINES: [&[u8]; 14] = [
    b"2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"WAC.001\";",
    b"8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - bm Rxb2;  id \"WAC.002\"; c0 \"a; b\"; c1 \"\";",
    b"4k3/8/8/8/8/8/4P3/4K3 w - e3 5 39",
    b"4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 5; fmvn 39; pv e4 Kd7 Kd2;",
    b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1 ;D1 20 ;D2 400",
    b"  4k3/8/8/8/8/8/4P3/4K3\tb  -  - ",
    b"4k3/8/8/8/8/8/4P3/4K3 w - - c0 \"caf\xE9\";",
    "4k3/8/8/8/8/8/4P3/4K3 w - - c0 \"café\";".as_bytes(),
    b"4k3/8/8/8/8/8/4P3/4K3 w - - FEN \"8/8\"; a(1) 2; id \"w - - 4k3\"; id \"twice\"",
    b"# a comment",
    b"",
    b"4k3/8/8/8/8/8/4P3/4K3 w - - bm Ka9 e9;",
    b"no position / at / all",
];

fn positions(room: &Room) -> Vec<String> {
    room.fine(&["export", "games.bga", "--format", "fen"]).lines().map(str::to_owned).collect()
}

#[test]
fn a_line_becomes_a_game_with_its_operations_as_tags() {
    let room = Room::new();
    room.write("suite.epd", LINES.join(&b"\n"[..]));
    let done = room.run(&["import", "suite.epd", "-o", "games.bga", "--all-faults"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    for fault in [
        "suite.epd:10: game 10 (stored as 10): not a tag pair: FEN",
        "suite.epd:10: game 10 (stored as 10): not a tag pair: a(1)",
        "suite.epd:13: game 11 (stored as 11): ply 1: not a move: bm Ka9",
        "suite.epd:14: game 12 (rejected): bad FEN: piece placement at column 2: no piece has this letter: no position",
    ] {
        assert!(done.err.contains(fault), "{fault}\n{}", done.err);
    }
    let columns = ["list", "games.bga", "--columns", "game,plies,\"bm\",\"id\",\"c0\"", "--format", "tsv"];
    let rows = room.fine(&columns);
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    assert_eq!(rows.len(), 11);
    assert_eq!(rows[0], "1\t0\tQg6\tWAC.001\t?");
    assert_eq!(rows[1], "2\t0\tRxb2\tWAC.002\ta; b");
    assert_eq!(rows[7], "8\t0\t?\t?\tcaf\u{E9}");
    assert_eq!(rows[7].split('\t').nth(4), rows[8].split('\t').nth(4));
    let found = json(&room.fine(&["list", "games.bga", "--where", "\"bm\" = Rxb2", "--json"]));
    assert_eq!(found.iter().map(|game| game["game"].as_u64()).collect::<Vec<_>>(), [Some(2)]);
    let fens = positions(&room);
    assert_eq!(fens[2], "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39");
    assert_eq!(fens[3], fens[2]);
    assert_eq!(fens[5], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    room.fine(&["verify", "games.bga", "--against", "suite.epd"]);
}

#[test]
fn lists_come_back_byte_for_byte() {
    let room = Room::new();
    let mut random = Random::new(54);
    for round in 0..60 {
        let ends: [&[u8]; 4] = [b"\n", b"\r\n", b"\r\r\n", b"\n\n"];
        let is_mixed = random.one_in(3);
        let (mut list, end) = (Vec::new(), random.pick(&ends));
        for index in 0..random.below(40) + 1 {
            // The first line decides that the file is a list.
            let line = if index == 0 { LINES[random.below(4)] } else { random.pick(&LINES) };
            list.extend_from_slice(line);
            list.extend_from_slice(if is_mixed { random.pick(&ends) } else { end });
        }
        if random.one_in(2) {
            list.truncate(list.len() - random.below(3).min(list.len() - 1));
        }
        room.write("a.epd", &list);
        room.write("b.epd", LINES[0]);
        let pack: &[&str] = if round % 2 == 0 { &["--pack"] } else { &[] };
        let run = |args: &[&str]| {
            let done = room.run(args);
            assert_eq!(done.code, Some(0), "{args:?}\n{}", done.err);
        };
        run(&[&["import", "b.epd", "a.epd", "-o", "games.bga", "--force", "-q"], pack].concat());
        room.fine(&["verify", "games.bga"]);
        std::fs::copy(room.path("games.bga"), room.path("copy.bga")).unwrap();
        run(&["merge", "games.bga", "copy.bga", "-o", "merged.bga", "--force"]);
        for (archive, source) in [("games.bga", "2"), ("merged.bga", "4")] {
            let args = ["export", archive, "--original", "--source", source, "-o", "again.epd", "--force", "-q"];
            run(&args);
            assert!(room.read("again.epd") == list, "round {round}, {archive}\n{}", list.escape_ascii());
        }
    }
}

#[test]
fn changed_games_of_a_list_can_be_changed_back() {
    let room = Room::new();
    room.write("suite.epd", LINES.join(&b"\r\n"[..]));
    room.run(&["import", "suite.epd", "-o", "games.bga", "-q"]);
    let before = room.fine(&["export", "games.bga"]);
    room.fine(&["set", "games.bga", "White=Tal", "--games", "2"]);
    assert!(room.fine(&["info", "games.bga"]).contains("Changed  1 game"));
    room.fine(&["export", "games.bga", "--original", "-o", "again.epd"]);
    assert_eq!(room.read("again.epd"), room.read("suite.epd"));
    room.fine(&["set", "games.bga", "--restore", "--games", "2"]);
    assert_eq!(room.fine(&["export", "games.bga"]), before);
    assert!(room.fine(&["info", "games.bga"]).contains("Changed  no game"));
}

#[test]
fn corpora_of_positions_are_stored_whole() {
    let Some(folder) = corpora::folder() else { return };
    let room = Room::new();
    let mut files = 0;
    for entry in std::fs::read_dir(folder.join("fen")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end == "perft") {
            continue;
        }
        let file = path.to_str().unwrap();
        room.fine(&["import", file, "-o", "games.bga", "--force", "-q"]);
        room.fine(&["export", "games.bga", "--original", "-o", "again.epd", "--force", "-q"]);
        let list = std::fs::read(&path).unwrap();
        assert!(room.read("again.epd") == list, "{file}");
        let lines = list.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
        assert_eq!(positions(&room).len(), lines, "{file}");
        files += 1;
    }
    assert!(files >= 5);
}

//! Lossless storage with the command line: originals, comparison with files, rejected games, encodings, and inputs.

use crate::common::cli::{FAULTY, PGN, Room, gzip, json, many};
use std::fs;

/// Rejected as a variant.
const ATOMIC: &str = "[Event \"Boom\"]\n[Variant \"Suicide\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n";

/// A game with Windows-1252 text (German umlauts, the bytes without a character, a euro sign).
const LATIN: &[u8] = b"[Event \"Stra\xDFe\"]\n[White \"M\xFCller, J\xF6rg\"]\n[Black \"\x81\x8D\x8F\x90\x9D \x80\"]\n\n1. e4 {\xE4} e5 *\n\n";

#[test]
fn originals_come_back() {
    let room = Room::new();
    let odd = PGN.replace("\n", "\r\n").replace("1. d4 d5", "1.d4 d5").into_bytes();
    room.write("a.pgn", [PGN, ATOMIC, FAULTY, &many(3000)].join("\n"));
    room.write("b.pgn.gz", gzip(&odd));
    let done = room.run(&["import", "a.pgn", "b.pgn.gz", "-o", "g.bga", "--verbose"]);
    assert!(done.err.contains("2 of 2 sources can be restored byte for byte"), "{}", done.err);
    assert!(done.err.lines().any(|line| line.starts_with("layout ")), "{}", done.err);
    for (source, original) in [("1", room.read("a.pgn")), ("a.pgn", room.read("a.pgn")), ("b.pgn.gz", odd.clone())] {
        let done = room.run(&["export", "g.bga", "--original", "--source", source]);
        assert!(done.out.as_bytes() == original, "{source}");
        assert!(done.err.contains("identical to the imported file (SHA-256)"), "{}", done.err);
        room.fine(&["export", "g.bga", "--original", "--source", source, "-o", "one.pgn", "--force", "-q"]);
        assert!(room.read("one.pgn") == original);
    }
    room.fine(&["export", "g.bga", "--original", "-o", "all/"]);
    assert!(room.read("all/a.pgn") == room.read("a.pgn") && room.read("all/b.pgn") == odd);
    room.fails(&["export", "g.bga", "--original", "-o", "all/"], 1, &["all/a.pgn already exists"]);
    room.fails(&["export", "g.bga", "--original"], 1, &["2 sources (1 a.pgn, 2 b.pgn.gz)", "--source"]);
    room.fails(&["export", "g.bga", "--original", "--source", "3"], 1, &["no source \"3\""]);
    assert_eq!(room.run(&["export", "g.bga", "--original", "--games", "1"]).code, Some(2));
    assert_eq!(room.run(&["export", "g.bga", "--source", "1"]).code, Some(2));
    let info = &json(&room.fine(&["info", "g.bga", "--json"]))[0];
    assert_eq!(info["sources"][1]["exact"], true);
    assert!(info["parts"]["layout"]["bytes"].as_u64().unwrap() > 0);
    assert!(room.fine(&["info", "g.bga"]).contains("Exact    2 of 2 sources"));
}

#[test]
fn a_source_of_rejected_games_comes_back() {
    let room = Room::new();
    room.write("none.pgn", ATOMIC);
    room.write("g.pgn", PGN);
    let done = room.run(&["import", "none.pgn", "g.pgn", "-o", "g.bga", "--verbose"]);
    assert!(done.err.contains("2 of 2 sources can be restored byte for byte"), "{}", done.err);
    assert_eq!(room.fine(&["export", "g.bga", "--original", "--source", "none.pgn"]), ATOMIC);
    let out = room.fine(&["verify", "g.bga", "--against", "none.pgn", "g.pgn"]);
    assert!(out.contains("none.pgn: the same") && out.contains("g.pgn: the same"), "{out}");
}

#[test]
fn a_source_that_is_not_exact() {
    let room = Room::new();
    room.write("g.pgn", PGN);
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    // Only one game of this source is copied.
    room.fine(&["list", "g.bga", "--games", "1", "-o", "one.bga"]);
    room.fails(&["export", "one.bga", "--original"], 1, &["g.pgn: differs from"]);
    assert_eq!(room.run(&["verify", "one.bga", "--against", "g.pgn"]).code, Some(4));
}

#[test]
fn verify_against_files() {
    let room = Room::new();
    let text = [PGN, ATOMIC, &many(4000)].join("\n");
    room.write("g.pgn", &text);
    room.write("packed", gzip(text.as_bytes()));
    room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
    for file in ["g.pgn", "packed"] {
        let out = room.fine(&["verify", "g.bga", "--against", file]);
        assert!(out.contains("the same") && out.contains("4,003 games"), "{out}");
    }
    // One byte of game 503 changed, game 1003 missing, game 2003 twice, and text after the end.
    let site = |game: usize| text.find(&format!("/{game}\"]")).unwrap();
    let start = |game: usize| text[..site(game)].rfind("[Event").unwrap();
    let mut changed = [&text[..start(1000)], &text[start(1001)..start(2001)], &text[start(2000)..], "% end\n"].concat();
    changed.replace_range(site(500) + 1..site(500) + 2, "X");
    room.write("changed.pgn", &changed);
    let done = room.run(&["verify", "g.bga", "--against", "changed.pgn"]);
    assert_eq!(done.code, Some(4), "{}", done.err);
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines.len(), 5, "{}", done.out);
    let line = 1 + changed[..site(500)].matches('\n').count();
    assert!(lines[0].starts_with(&format!("changed.pgn:{line}: game 503: \"500\\\"]\\n")), "{}", lines[0]);
    assert!(lines[0].contains("in the archive, \"X00\\\"]"), "{}", lines[0]);
    assert!(lines[1].contains(": game 1003: "), "{}", lines[1]);
    assert!(
        lines[2].contains(": game 2004: ") && lines[2].contains("more in the file before this game"),
        "{}",
        lines[2]
    );
    assert!(lines[3].ends_with("6 bytes more in the file"), "{}", lines[3]);
    assert!(lines[4].ends_with("DIFFERENT: 4 differences"), "{}", lines[4]);
    let done = room.run(&["verify", "g.bga", "--against", "changed.pgn", "--json"]);
    let object = &json(&done.out)[0];
    assert_eq!((done.code, &object["same"]), (Some(4), &false.into()));
    assert_eq!(object["files"][0]["differences"].as_array().unwrap().len(), 4);
    assert_eq!(object["files"][0]["differences"][0]["game"], 503);
    // Every game differs.
    room.write("other.pgn", text.replace("[Event", "[Evens"));
    let done = room.run(&["verify", "g.bga", "--against", "other.pgn"]);
    assert_eq!(done.code, Some(4));
    assert!(done.out.contains("DIFFERENT: another file: it has none of the 1,000 games compared"), "{}", done.out);
    room.write("g2.pgn", PGN);
    room.fails(&["verify", "g.bga", "--against", "g.pgn", "g2.pgn"], 1, &["no source", "g2.pgn"]);
}

/// Files of several folders often have the same name.
#[test]
fn sources_of_one_name_are_told_apart() {
    let room = Room::new();
    for (folder, games) in [("a", 20), ("b", 30), ("c", 40)] {
        std::fs::create_dir(room.path(folder)).unwrap();
        room.write(&format!("{folder}/g.pgn"), many(games));
    }
    room.fine(&["import", "a/g.pgn", "b/g.pgn", "-o", "g.bga", "-q"]);
    for file in ["a/g.pgn", "b/g.pgn"] {
        assert!(room.fine(&["verify", "g.bga", "--against", file]).contains(&format!("{file}: the same")));
    }
    assert_eq!(room.fine(&["verify", "g.bga", "--against", "b/g.pgn", "a/g.pgn"]).matches("the same").count(), 2);
    assert_eq!(room.run(&["verify", "g.bga", "--against", "c/g.pgn"]).code, Some(4));
}

#[test]
fn rejected_games_go_to_a_file() {
    let room = Room::new();
    let unfinished = FAULTY.trim_end();
    room.write("g.pgn", [ATOMIC, PGN, unfinished].join("\n"));
    room.write("h.pgn", "hello there\n");
    let args = ["import", "g.pgn", "h.pgn", "-o", "g.bga", "--rejects", "r.pgn", "--strict"];
    let done = room.run(&args);
    assert_eq!(done.code, Some(3), "{}", done.err);
    assert!(done.err.contains("6 games seen = 3 stored + 3 rejected"), "{}", done.err);
    let rejects = String::from_utf8(room.read("r.pgn")).unwrap();
    assert_eq!(rejects, format!("{ATOMIC}\n{unfinished}\n\nhello there\n"));
    let original = room.fine(&["export", "g.bga", "--original", "--source", "g.pgn"]);
    assert!(original.as_bytes() == room.read("g.pgn"), "rejected games are in the originals");
    room.fails(&["import", "g.pgn", "-o", "x.bga", "--rejects", "r.pgn"], 1, &["r.pgn already exists"]);
    room.fails(
        &["import", "g.pgn", "-o", "x.bga", "--rejects", "g.pgn", "--force"],
        1,
        &["g.pgn", "is both input and output"],
    );
    room.write("notes.md", "notes\n");
    let replaced = ["import", "g.pgn", "-o", "x.bga", "--rejects", "notes.md", "--force"];
    room.fails(&replaced, 1, &["notes.md is text, and PGN would replace it"]);
    // Without --strict, a game that was rejected only for its fault is stored.
    let done = room.run(&["import", "r.pgn", "-o", "x.bga", "--rejects", "r2.pgn"]);
    assert!(done.err.contains("2 games seen = 1 stored + 1 rejected"), "{}", done.err);
    assert_eq!(room.read("r2.pgn"), format!("{ATOMIC}\n").as_bytes());
}

#[test]
fn encodings() {
    let room = Room::new();
    let utf8 = PGN.as_bytes();
    let mixed = [utf8, b"\n", LATIN, utf8].concat();
    room.write("mixed.pgn", &mixed);
    let done = room.run(&["import", "mixed.pgn", "-o", "g.bga"]);
    assert!(done.err.contains("mixed.pgn: 1 game of 7 read as Windows-1252"), "{}", done.err);
    let game = &json(&room.fine(&["show", "g.bga", "4", "--json"]))[0];
    let tag = |index: usize| game["tags"][index][1].as_str().unwrap().to_owned();
    assert_eq!((tag(0).as_str(), tag(1).as_str()), ("Straße", "Müller, Jörg"));
    assert_eq!(tag(2), "\u{81}\u{8d}\u{8f}\u{90}\u{9d} €");
    assert!(room.fine(&["list", "g.bga"]).contains("Björn"), "the UTF-8 games are read as that");
    let back = |encoding: &str, source: &[u8]| {
        room.write("s.pgn", source);
        let done = room.run(&["import", "s.pgn", "-o", "e.bga", "--force", "--encoding", encoding]);
        assert_eq!(done.code, Some(0), "{encoding}: {}", done.err);
        room.fine(&["export", "e.bga", "--original", "-o", "e.pgn", "--force"]);
        assert!(room.read("e.pgn") == source, "{encoding}");
        done.err
    };
    let all: Vec<u8> = (1..=255).filter(|byte| !b"\r\n\"\\[]{}\x1a".contains(byte)).collect();
    let all = [b"[Event \"", &all[..], b"\"]\n[White \"", &all, b"\"]\n\n1. e4 {", &all, b"} *\n"].concat();
    for encoding in ["auto", "utf-8", "windows-1252", "latin1"] {
        for source in [LATIN, utf8, &mixed, &all] {
            back(encoding, source);
        }
    }
    assert!(back("windows-1252", &mixed).contains("s.pgn: 5 games of 7 read as Windows-1252"));
    assert!(back("latin1", LATIN).contains("s.pgn: 1 game of 1 read as Latin-1"));
    let latin = &json(&room.fine(&["show", "e.bga", "1", "--json"]))[0];
    assert_eq!(latin["tags"][2][1], "\u{81}\u{8d}\u{8f}\u{90}\u{9d} \u{80}");
    assert!(back("utf-8", LATIN).contains("s.pgn:1: game 1 (stored as 1): byte that is not UTF-8"));
    // UTF-8, but not in every game: each value counts alone.
    back("auto", b"[White \"M\xC3\xBCller\"]\n\n1. e4 {\xFC} *\n");
    assert_eq!(json(&room.fine(&["show", "e.bga", "1", "--json"]))[0]["tags"][0][1], "Müller");
    assert!(room.fine(&["show", "e.bga", "1", "--pgn"]).contains("{ü}"));
    room.write("wide.pgn", b"\xFF\xFE[\0E\0");
    room.fails(&["import", "wide.pgn", "-o", "w.bga"], 1, &["wide.pgn", "UTF-16"]);
}

#[test]
fn folders_and_patterns() {
    let room = Room::new();
    fs::create_dir_all(room.path("db/b")).unwrap();
    let game = |white: &str| format!("[White \"{white}\"]\n\n1. e4 *\n");
    for (name, white) in
        [("db/c.pgn", "C"), ("db/a.pgn", "A"), ("db/b/x.PGN", "X"), ("last.pgn", "L"), ("[1]*.pgn", "S")]
    {
        room.write(name, game(white));
    }
    room.write("db/b/y.pgn.gz", gzip(game("Y").as_bytes()));
    room.write("db/notes.txt", "not PGN");
    let whites = |args: &[&str]| {
        room.fine(&[&["import", "-o", "g.bga", "--force", "-q"], args].concat());
        let list = room.fine(&["list", "g.bga", "--json"]);
        json(&list).iter().map(|game| game["white"].as_str().unwrap().to_owned()).collect::<String>()
    };
    assert_eq!(whites(&["db"]), "AXYC");
    assert_eq!(whites(&["last.pgn", "db"]), "LAXYC");
    assert_eq!(whites(&["db/*.pgn"]), "AC");
    assert_eq!(whites(&["db/?.pgn", "l*"]), "ACL");
    assert_eq!(whites(&["d*/*/*"]), "XY");
    assert_eq!(whites(&["[1]*.pgn"]), "S", "a file of that very name");
    room.fails(&["import", "no*.pgn", "-o", "x.bga"], 1, &["no*.pgn", "no file matches"]);
    fs::create_dir(room.path("empty")).unwrap();
    room.fails(&["import", "empty", "-o", "x.bga"], 1, &["empty", "no PGN file"]);
}

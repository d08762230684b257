//! The commands of the other notations: position, brenner, fen --flavour, export --format, and PCN in and out.

use crate::common::cli::{PGN, Room};
use serde_json::Value;

fn archive() -> Room {
    let room = Room::new();
    std::fs::write(room.0.path().join("games.pgn"), PGN).unwrap();
    assert_eq!(room.run(&["import", "games.pgn", "-o", "games.bga", "-q"]).code, Some(0));
    room
}

#[test]
fn position_tells_everything() {
    let room = Room::new();
    let done = room.run(&["position", "4k3/8/8/8/8/8/4P3/4K3", "w", "nil", "nil", "5", "39"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    for line in ["2  . . . . P . . .", "To move     White", "Legal       yes", "6 moves     "] {
        assert!(done.out.contains(line), "{line}: {}", done.out);
    }
    let json = room.run(&["position", "--json", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"]);
    let value: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["flavors"]["shredder"], "r3k2r/8/8/8/8/8/8/R3K2R b HAha - 0 1");
    assert_eq!((&value["legal"], &value["strict"]), (&Value::from(true), &Value::from(true)));
    let bad = room.run(&["position", "4k3/8/8/8/8/8/8/4X3 w - - 0 1"]);
    assert_eq!(
        (bad.code, bad.err.as_str()),
        (Some(1), "scoresheet: bad FEN: piece placement at column 18: no piece has this letter: X\n")
    );
    let strict = room.run(&["position", "--strict", "4k3/8/8/8/8/8/8/4K3 w nil - 0 1"]);
    assert!(strict.err.contains("castling availability at column 23: nil is the old symbol"), "{}", strict.err);
    let illegal = room.run(&["position", "8/8/8/8/8/8/8/4K3 w - - 0 1"]);
    assert!(illegal.out.contains("Legal       no: Black has no king"), "{}", illegal.out);
}

#[test]
fn fens_have_flavours() {
    let room = archive();
    let fen = |flavour: &[&str]| room.run(&[&["fen", "games.bga", "1:1"], flavour].concat()).out;
    assert_eq!(fen(&[]), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1\n");
    assert_eq!(fen(&["--flavour", "x-fen"]), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n");
    assert_eq!(fen(&["--flavour", "shredder"]), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b HAha e3 0 1\n");
    assert_eq!(
        fen(&["--flavour", "kqkq", "--en-passant", "pseudo-legal"]),
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n"
    );
}

#[test]
fn games_are_exported_in_every_format() {
    let room = archive();
    let export = |format: &str| {
        let done = room.run(&["export", "games.bga", "--format", format]);
        assert_eq!(done.code, Some(0), "{format}: {}", done.err);
        done.out
    };
    assert_eq!(
        export("uci").lines().collect::<Vec<_>>(),
        [
            "position startpos moves e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7",
            "position startpos moves d2d4 d7d5 c2c4 c7c6 c4d5 c6d5",
            "position fen 4k3/P7/8/8/8/8/8/4K3 w - - 0 40 moves a7a8q e8d7",
        ]
    );
    assert_eq!(
        export("san").lines().collect::<Vec<_>>(),
        [
            "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0",
            "1. d4 d5 2. c4 c6 3. cxd5 cxd5 1/2-1/2",
            "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 40\"] 40. a8=Q+ Kd7 *",
        ]
    );
    assert!(export("moveid").starts_with("startpos moves 378 1630 "));
    let fens = export("fen");
    assert_eq!(fens.lines().count(), 8 + 7 + 3);
    assert_eq!(fens.lines().next_back(), Some("Q7/3k4/8/8/8/8/8/4K3 w - - 1 41"));
    let epds = export("epd");
    assert_eq!(
        epds.lines().nth(1),
        Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 hmvc 0; fmvn 1; id \"1:1\"; sm e5;")
    );
    let first: Value = serde_json::from_str(export("json").lines().next().unwrap()).unwrap();
    assert_eq!((&first["san"][6], &first["uci"][6]), (&Value::from("Qxf7#"), &Value::from("h5f7")));
    assert_eq!(first["notes"], serde_json::json!([{ "ply": 2, "text": "king's pawn" }, { "ply": 6, "nag": 4 }]));
    assert_eq!(first["tags"][0], serde_json::json!(["Event", "Coffee house"]));
    assert_eq!(export("pgn"), room.run(&["export", "games.bga"]).out);
}

#[test]
fn pcn_goes_in_and_comes_out() {
    let room = archive();
    let pcn = room.run(&["export", "games.bga", "--format", "pcn"]).out;
    assert_eq!(pcn.lines().count(), 3);
    std::fs::write(room.0.path().join("games.pcn"), &pcn).unwrap();
    let done = room.run(&["import", "games.pcn", "-o", "back.bga", "-q"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert_eq!(room.run(&["export", "back.bga", "--format", "pcn"]).out, pcn);
    assert!(room.run(&["info", "back.bga"]).out.contains("games.pcn"));
    let sample = include_str!("../../testdata/pcn/document-sample.json");
    std::fs::write(room.0.path().join("sample.json"), sample).unwrap();
    // A document of other games than western chess is stored unchanged, and reported.
    let kept = room.run(&["import", "sample.json", "-o", "kept.bga", "-q"]);
    assert_eq!(kept.code, Some(0), "{}", kept.err);
    assert!(
        kept.err.contains("/starting_position: a board of 9x9 squares; western chess has 8x8); stored unchanged"),
        "{}",
        kept.err
    );
    assert_eq!(room.run(&["export", "kept.bga", "--original"]).out, sample);
}

#[test]
fn brenner_strings_go_both_ways() {
    let room = Room::new();
    let write = |name: &str, bytes: &[u8]| std::fs::write(room.0.path().join(name), bytes).unwrap();
    write("mate.pgn", b"1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7 1-0\n");
    let hex = room.run(&["brenner", "encode", "mate.pgn"]).out;
    assert_eq!(hex, "2C 2C 61 17 DB 1E 06 06 53 02\n");
    let alternate = room.run(&["brenner", "encode", "mate.pgn", "--alternate"]).out;
    assert_eq!(alternate, "34 34 CC 17 5B 1E 06 06 DA 02\n");
    write("mate.hex", hex.as_bytes());
    write("alternate.hex", alternate.as_bytes());
    let back = room.run(&["brenner", "decode", "mate.hex"]).out;
    assert_eq!(room.run(&["brenner", "decode", "alternate.hex", "--alternate"]).out, back);
    assert!(back.contains("4. Qxf7# 1-0"), "{back}");
    let explanation = room.run(&["brenner", "explain", "mate.pgn"]).out;
    assert!(explanation.starts_with("001 01 100    pawn #4 step 2           e4\n"), "{explanation}");
    assert_eq!(room.run(&["brenner", "explain", "mate.hex"]).out, explanation);
    write("raw.bre", &[0x2C, 0x2C, 0x61]);
    assert!(room.run(&["brenner", "decode", "--raw", "raw.bre"]).out.contains("1. e4 e5 2. Qh5"));
    write("bad.hex", b"2C 2C 2C\n");
    let bad = room.run(&["brenner", "explain", "bad.hex"]);
    assert_eq!((bad.code, bad.out.lines().count()), (Some(1), 2));
    assert!(bad.err.contains("bad.hex: game 1: bad Brenner stream: an illegal move at byte 2"), "{}", bad.err);
    write("games.pgn", PGN.as_bytes());
    let several = room.run(&["brenner", "encode", "games.pgn"]).out;
    assert_eq!(several.lines().count(), 3);
    assert_eq!(room.run(&["brenner", "encode", "--raw", "games.pgn"]).code, Some(1));
    write("games.hex", several.as_bytes());
    write("again.pgn", room.run(&["brenner", "decode", "games.hex"]).out.as_bytes());
    assert_eq!(room.run(&["brenner", "encode", "again.pgn"]).out, several);
}

/// Castling in a Chess960 game is king takes rook in every form, even if king and rook stand on their standard squares.
/// In any other game, with any tags, it is the king's step.
#[test]
fn castling_has_one_spelling() {
    let moves = "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O O-O *";
    let shuffled =
        |start: &str| format!("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{start} w KQkq - 0 1\"]\n\n{moves}\n\n");
    let b_file = shuffled("nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBNR");
    let corners = shuffled("rbnqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR");
    let standard = format!("[Variant \"Chess960\"]\n\n{moves}\n\n");
    for (pgn, white, black) in [(b_file, "e1h1", "e8h8"), (corners, "e1h1", "e8h8"), (standard, "e1g1", "e8g8")] {
        let room = Room::new();
        room.write("g.pgn", &pgn);
        room.fine(&["import", "g.pgn", "-o", "g.bga", "-q"]);
        let uci = room.fine(&["export", "g.bga", "--format", "uci"]);
        assert!(uci.trim().ends_with(&format!("{white} {black}")), "{uci}");
        let json = room.fine(&["export", "g.bga", "--format", "json"]);
        assert!(json.contains(white) && json.contains(black), "{json}");
        let sample = room.fine(&["sample", "g.bga", "9", "--format", "csv"]);
        assert!(sample.contains(white) && sample.contains(black), "{sample}");
        let ids = room.fine(&["brenner", "explain", "g.pgn", "--form", "ids"]);
        let apart = |uci: &str| format!(" {} {} ", &uci[..2], &uci[2..]);
        assert!(ids.contains(&apart(white)) && ids.contains(&apart(black)), "{ids}");
    }
}

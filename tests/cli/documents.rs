//! Every example of the five source documents, by its number, with the command.
//!
//! Numbers: `K` the SAN Kit's FEN document (1993), `W` the Chess Programming Wiki's page, `T` the game state as a
//! 6-tuple, `B` N. Brenner's "Minimal encoding of moves", `P` "Portable Chess Notation"; within each, in the order of
//! the document. `tests/chess/documents.rs` tests the same with the library.

use crate::common::cli::Room;
use serde_json::{Value, json};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
const C5: &str = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2";
const NF3: &str = "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39";

// ---- K, W, T: FEN ----

/// K1 to K5, W1 to W4: each FEN is accepted strictly, is legal, is written unchanged, and equals the position after its
/// moves.
#[test]
fn k1_to_k5_and_w1_to_w4_fens() {
    let room = Room::new();
    let samples = [("K1 W1", "", START), ("K2 W2", "e4", E4), ("K3 W3", "e4 c5", C5), ("K4 W4", "e4 c5 Nf3", NF3)];
    for (number, moves, fen) in samples {
        let done = room.run_with(&["position", "-", "--strict"], fen);
        assert_eq!((done.code, done.out), (Some(0), format!("{fen}\tlegal\n")), "{number}");
        let mut args = vec!["position", "startpos", "--bare"];
        if !moves.is_empty() {
            args.extend(["--moves", moves]);
        }
        assert_eq!(room.fine(&args), format!("{fen}\n"), "{number}");
    }
    let output = room.fine(&["position", "--strict", "--ascii", KINGS]);
    for line in ["Clock       5 (a draw can be claimed at 100)", "Move        39", "Legal       yes"] {
        assert!(output.lines().any(|printed| printed == line), "K5: {line}\n{output}");
    }
}

/// K6: the old symbol `nil`, which a strict reader names. K7: a position need not be legal; the verdict reports it.
#[test]
fn k6_and_k7_nil_and_illegal_positions() {
    let room = Room::new();
    let old = KINGS.replace("- -", "nil nil");
    assert_eq!(room.fine(&["position", "--bare", &old]), format!("{KINGS}\n"));
    room.fails(&["position", "--strict", &old], 1, &["castling availability", "nil is the old symbol for -"]);
    let done = room.run_with(&["position", "-"], "8/8/8/8/8/8/8/8 w - - 0 1\n");
    assert_eq!(done.out, "8/8/8/8/8/8/8/8 w - - 0 1\tillegal: White has no king, Black has no king\n");
}

/// K8: the form of the benchmark files BK and WAC: operations with moves.
#[test]
fn k8_benchmark_positions() {
    let line = r#"1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id "BK.01";"#;
    let done = Room::new().run_with(&["position", "-", "--strict"], line);
    assert_eq!(done.out, format!("{line}\tlegal\n"));
}

/// W5: Shredder-FEN. W6: X-FEN of Chess960. W7: X-FEN's target, only if a pawn may capture. W8: X-FEN of 10x8.
#[test]
fn w5_to_w8_shredder_and_x_fen() {
    let room = Room::new();
    let bare = |flavour: &str, fen: &str| room.fine(&["position", "--bare", "--flavour", flavour, fen]);
    assert_eq!(bare("shredder", START), format!("{}\n", START.replace("KQkq", "HAha")), "W5");
    let chess960 = "r1k1r3/8/8/8/8/8/8/R1KR1R2 w Dea - 0 1";
    assert_eq!(
        bare("standard", "r1k1r3/8/8/8/8/8/8/R1KR1R2 w Dkq - 0 1"),
        format!("{}\n", chess960.replace("Dea", "Dkq")),
        "W6"
    );
    assert_eq!(bare("shredder", "r1k1r3/8/8/8/8/8/8/R1KR1R2 w Dkq - 0 1"), format!("{chess960}\n"), "W6");
    assert_eq!(bare("x-fen", E4), format!("{}\n", E4.replace("e3", "-")), "W7");
    let beside = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1";
    assert_eq!(bare("x-fen", beside), format!("{beside}\n"), "W7");
    let wide = "rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1";
    assert_eq!(bare("x-fen", wide), format!("{wide}\n"), "W8");
    assert!(
        room.fine(&["position", wide])
            .replace("\n            ", " ")
            .contains("a board of 10x8 squares: read and written as text, moves on it are not supported")
    );
}

/// T1: the placement of the example, and its six fields by name. T2: the document's draw at 50 half-moves is at 100.
#[test]
fn t1_and_t2_the_six_tuple() {
    let room = Room::new();
    let object: Value = serde_json::from_str(&room.fine(&["position", "--json", NF3])).unwrap();
    assert_eq!(
        object["fen"].as_str().unwrap().split(' ').next(),
        Some("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R")
    );
    let fields = [&object["turn"], &object["en_passant"], &object["halfmove_clock"], &object["fullmove_number"]];
    assert_eq!(json!(fields), json!(["black", null, 1, 2]));
    assert_eq!(object["castling"].as_array().unwrap().len(), 4);
    assert!(room.fine(&["position", NF3]).contains("(a draw can be claimed at 100)"));
}

// ---- B: Brenner ----

const MATE: &str = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7 1-0\n";

fn encoded(room: &Room, pgn: &str, form: &str) -> String {
    let done = room.run_with(&["brenner", "encode", "-", "--form", form], pgn);
    assert_eq!(done.code, Some(0), "{}", done.err);
    done.out
}

fn explained(room: &Room, pgn: &str) -> String {
    room.run_with(&["brenner", "explain", "-"], pgn).out
}

/// B1: the Scholar's Mate has seven half-moves, 19 bytes of SAN without marks; B8, B9: ten bytes, or seven of moves.
#[test]
fn b1_b8_and_b9_scholars_mate() {
    let room = Room::new();
    assert_eq!(encoded(&room, MATE, "table"), "2C 2C 61 17 DB 1E 06 06 53 02\n");
    let sizes: Value = serde_json::from_str(&room.run_with(&["brenner", "sizes", "-", "--json"], MATE).out).unwrap();
    assert_eq!(
        (&sizes["plies"], &sizes["forms"]["short_san"]["bytes"], &sizes["forms"]["table"]["bytes"]),
        (&7.into(), &19.into(), &7.into())
    );
    assert_eq!(sizes["forms"]["short_san"]["per_ply"], 2.7143, "about 2.7 bytes a half-move");
    assert_eq!(sizes["reduction"], 2.714, "between 2:1 and 3:1");
    // Every byte, with the document's fields.
    let output = explained(&room, MATE);
    for bits in
        ["001 01 100", "01 100 001", "0001 0 111", "1 1 011 01 1", "0001 1 110", "00000 110", "01 010 011", "00000 010"]
    {
        assert!(output.lines().any(|line| line.starts_with(bits)), "{bits}\n{output}");
    }
    // And decoded.
    let back = room.run_with(&["brenner", "decode", "-"], encoded(&room, MATE, "table")).out;
    assert!(back.contains("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7# 1-0"), "{back}");
}

/// B2: 00110011, the Queen's Pawn captures to its right. B3: 1 0 010 00 1, the Queen's Bishop goes two squares NE. B4:
/// 0001 1 010, the King's Knight to its NNE. B5: 00000 011, a draw.
#[test]
fn b2_to_b5_single_bytes() {
    let room = Room::new();
    for (number, pgn, line_number, bits) in [
        ("B2", "1. d4 e5 2. dxe5 *\n", 2, "001 10 011"),
        ("B3", "1. d4 d5 2. Be3 *\n", 2, "1 0 010 00 1"),
        ("B4", "1. Nh3 *\n", 0, "0001 1 010"),
        ("B5", "1. e4 1/2-1/2\n", 1, "00000 011"),
    ] {
        let output = explained(&room, pgn);
        assert!(output.lines().nth(line_number).is_some_and(|line| line.starts_with(bits)), "{number}\n{output}");
    }
}

/// B6: prefixes for promoted pieces. B7: texts between zero bytes, and the letters of texts before the moves.
#[test]
fn b6_and_b7_prefixes_and_texts() {
    let room = Room::new();
    let promotion = "[FEN \"1r6/P3k3/8/8/8/8/8/3QK3 w - - 0 1\"]\n\n1. axb8=Q Kf7 2. Qb7+ Kf6 3. Qd4+ *\n";
    let bytes = encoded(&room, promotion, "table");
    assert!(bytes.trim_end().ends_with("42 30 08 42 4E 0E 5A"), "B6: {bytes}");
    let tags = [("White", 'W'), ("Black", 'B'), ("Date", 'D'), ("Site", 'L'), ("Event", 'T'), ("Variation", 'V')];
    for (tag, letter) in tags {
        let bytes = encoded(&room, &format!("[{tag} \"Ab\"]\n\n1. e4 {{j'adoube}} *\n"), "table");
        let head = format!("00 {:02X} 41 62 00 ", letter as u32);
        let comment: String = "j'adoube".bytes().map(|byte| format!("{byte:02X} ")).collect();
        assert!(bytes.starts_with(&head) && bytes.ends_with(&format!("2C 00 {comment}00\n")), "B7: {bytes}");
    }
}

/// B10: the alternate notation; B11: "the nnn field could be exchanged"; B12: "the fixed order (type, which, direction,
/// no. sq.)". Each can be decoded.
#[test]
fn b10_to_b12_orders_of_the_fields() {
    let room = Room::new();
    let annotated = "[White \"A\"]\n[FEN \"8/P7/8/8/7k/8/8/QQQQK3 w - - 0 1\"]\n\n1. a8=Q {0} Kg3 (1... Kh5 $14) 2. Q8d5 Kh4 3. Q1f3 *\n";
    for (form, bytes) in [
        ("alternate", "34 34 CC 17 5B 1E 06 06 DA 02\n"),
        ("exchanged", "34 34 E1 17 5B 1E 06 06 D3 02\n"),
        ("fixed", "32 32 CC 17 6B 1E 06 06 DA 02\n"),
    ] {
        assert_eq!(encoded(&room, MATE, form), bytes);
        for pgn in [MATE, annotated] {
            let decode = |bytes: String, form| room.run_with(&["brenner", "decode", "-", "--form", form], bytes).out;
            let table = decode(encoded(&room, pgn, "table"), "table");
            assert_eq!(decode(encoded(&room, pgn, form), form), table, "{form}");
            assert!(table.contains("1. "));
        }
    }
    // The fields of Bc4 and of the pawns in the document's order: type, which, direction, number of squares.
    for (form, bishop, pawn) in [
        ("alternate", "01 01 1 011", "001 10 100"),
        ("exchanged", "01 011 01 1", "001 10 100"),
        ("fixed", "01 1 01 011", "001 100 10"),
    ] {
        let explained = room.run_with(&["brenner", "explain", "-", "--form", form], MATE).out;
        let lines: Vec<&str> = explained.lines().collect();
        assert!(lines[0].starts_with(pawn) && lines[4].starts_with(bishop) && lines[4].ends_with("Bc4"), "{explained}");
        assert!(lines[4].contains("bishop #1 3 NW"), "{explained}");
    }
    assert_eq!(room.run_with(&["brenner", "encode", "-", "--alternate"], MATE).out, encoded(&room, MATE, "alternate"));
}

/// B13: 11 bits suffice for a half-move: ids, in two bytes each or packed, with the tags after them, and decoded.
#[test]
fn b13_eleven_bits() {
    let room = Room::new();
    // 378 and 1630; no result is 1969. Packed: 00101111010 11001011110 11110110001 and seven zero bits.
    assert_eq!(encoded(&room, "1. e4 e5 *\n", "ids"), "01 7A 06 5E 07 B1\n");
    assert_eq!(encoded(&room, "1. e4 e5 *\n", "bits"), "2F 59 7B D8 80\n");
    for pgn in [
        "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n",
        "[Result \"1/2-1/2\"]\n[SetUp \"1\"]\n[FEN \"r3k2r/P7/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n\n1. O-O O-O-O 2. axb8=N 1/2-1/2\n\n",
        "[Result \"0-1\"]\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1\"]\n\n1. O-O O-O-O 2. Rfe1 -- 3. Kf1 0-1\n\n",
        "[Result \"*\"]\n\n*\n\n",
    ] {
        let pgn = pgn.replace("axb8=N", "a8=N").replace("O-O-O 2. a8=N", "Rd8 2. a8=N");
        for form in ["ids", "bits"] {
            let back = room.run_with(&["brenner", "decode", "-", "--form", form], encoded(&room, &pgn, form));
            assert_eq!((back.code, back.out.trim_end()), (Some(0), pgn.trim_end()), "{form}: {}", back.err);
        }
    }
    let explained =
        room.run_with(&["brenner", "explain", "-", "--form", "bits"], "[White \"A\"]\n\n1. e4 e5 1-0\n").out;
    let rows: Vec<Vec<&str>> = explained.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["00101111010", "id", "378:", "e2", "e4", "e4"]);
    assert_eq!(rows[2][..], ["11110110011", "end", "of", "the", "moves", "1-0"]);
    assert_eq!(rows[3].last(), Some(&"A"));
    for (form, bytes, words) in [
        ("ids", "01 7A 06 5E", "the bytes end before the id that ends the game"),
        ("ids", "01 7A 01 7A 07 B1", "move 2: not a legal move"),
        ("ids", "07 FF", "move 1: its id is reserved"),
        ("ids", "FF FF", "move 1: its id is reserved"),
        ("bits", "2F 59 7B D8 81", "the bits after the last id are not zero"),
        ("bits", "2F 59 7B D8 80 2C", "after the moves:"),
    ] {
        let done = room.run_with(&["brenner", "decode", "-", "--form", form], bytes);
        done.failed(&[form, bytes], 1, &[words]);
    }
    let sizes: Value = serde_json::from_str(&room.run_with(&["brenner", "sizes", "-", "--json"], MATE).out).unwrap();
    // Seven times eleven bits are ten bytes.
    assert_eq!((&sizes["forms"]["ids"]["bytes"], &sizes["forms"]["bits"]["bytes"]), (&14.into(), &10.into()));
}

// ---- P: Portable Chess Notation ----

fn chess() -> Value {
    let row = |text: &str| text.split(' ').map(Value::from).collect::<Value>();
    let mut board = vec![row("w:r w:n w:b w:q w:k w:b w:n w:r"), row(&["w:p"; 8].join(" "))];
    board.extend((0..4).map(|_| Value::from(vec![Value::Null; 8])));
    board.extend([row(&["W:P"; 8].join(" ")), row("W:R W:N W:B W:Q W:K W:B W:N W:R")]);
    Value::from(board)
}

fn line() -> Value {
    json!(["w:k", "w:p", null, "X:S", null, "X:G"])
}

fn cross() -> Value {
    let sample: Value = serde_json::from_str(SAMPLE).unwrap();
    sample["starting_position"].clone()
}

fn deep() -> Value {
    json!([
        [[null, null, null, null], [null, null, "w:k", null]],
        [["w:p", "w:p", "w:p", "w:p"], [null, null, "w:p", null]],
        [[null, null, null, null], [null, null, "w:p", null]],
        [["w:p", "w:P", null, null], ["S:P", null, null, "S:P"]],
        [[null, "S:P", null, null], ["S:P", "S:P", "S:P", "S:P"]],
        [[null, null, null, "S:K"], [null, null, null, null]]
    ])
}

const SAMPLE: &str = include_str!("../../testdata/pcn/document-sample.json");

fn checked(room: &Room, document: &Value) -> String {
    let done = room.run_with(&["pcn", "check", "-"], document.to_string());
    assert_eq!(done.code, Some(0), "{document}: {}{}", done.out, done.err);
    done.out
}

/// P1 to P4: empty boards of one, two, two and three dimensions. P5: western, a line, a cross-style and a deep board.
#[test]
fn p1_to_p5_boards() {
    let room = Room::new();
    let empty = |rows: usize, columns: usize| json!(vec![vec![Value::Null; columns]; rows]);
    for (board, description) in [
        (json!(vec![Value::Null; 6]), "6 board, 0 plies, no pieces"),
        (empty(7, 7), "7x7 board, 0 plies, no pieces"),
        (empty(4, 8), "4x8 board, 0 plies, no pieces"),
        (json!(vec![empty(2, 4); 6]), "6x2x4 board, 0 plies, no pieces"),
        (chess(), "8x8 board, 0 plies, w"),
        (line(), "6 board, 0 plies, w x"),
        (cross(), "9x9 board, 0 plies, x s"),
        (deep(), "6x2x4 board, 0 plies, w s"),
    ] {
        let document = json!({ "starting_position": board });
        assert_eq!(checked(&room, &document), format!("-: game 1: {description}: valid\n"));
        let shown = room.run_with(&["pcn", "show", "-", "--json"], document.to_string()).out;
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap()["board"], board);
    }
}

/// P6: every name of a piece in the document, of both sides, promoted, and in the other side's hand; P7: every exotic
/// style; P8: the examples of sides.
#[test]
fn p6_to_p8_names_of_pieces() {
    let room = Room::new();
    let abbreviations = [("j", "gaerchs"), ("m", "kqrbnp"), ("s", "kgsrbnlp"), ("w", "kqrbnp"), ("x", "gaerchs")];
    let mut names: Vec<String> = abbreviations
        .iter()
        .flat_map(|(style, letters)| letters.chars().map(move |c| format!("{style}:{c}")))
        .collect();
    assert_eq!(names.len(), 34);
    let styles = "dai_dai_shogi modern_chess shatranj shatar taikyoku_shogi cannon_shogi wa_shogi okisaki_shogi";
    names.extend(styles.split(' ').map(|style| format!("{style}:k")));
    names.extend(["w:p", "taikyoku_shogi:gd"].map(String::from));
    for name in names {
        let (style, letters) = name.split_once(':').unwrap();
        let spellings =
            [name.clone(), name.to_uppercase(), format!("+{name}"), format!("{style}:{}", letters.to_uppercase())];
        for (index, spelling) in spellings.iter().enumerate() {
            // The case of the abbreviation gives the side: that side moves the piece.
            let document =
                json!({ "starting_position": [spelling, null], "previous_moves": [[[spelling, "shift", 1]]] });
            let top = index == 0 || index == 2;
            let remark = if top { "valid; the top side begins\n" } else { "valid\n" };
            assert!(checked(&room, &document).ends_with(remark), "{spelling}");
        }
    }
    let done = room.run_with(&["pcn", "check", "-"], r#"{"starting_position": ["w:"]}"#);
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(1), "-: bad PCN: /starting_position/0: not the name of a piece, such as w:k\n")
    );
}

/// P9 to P13: the notations of a square, all for the same square.
#[test]
fn p9_to_p13_names_of_squares() {
    let room = Room::new();
    for (number, board, namings, empty) in [
        ("P9", chess(), vec![json!([0, 4]), json!(4), json!("w:k")], json!([4, 4])),
        ("P10", line(), vec![json!([5]), json!(5), json!("X:G")], json!(4)),
        ("P11", cross(), vec![json!([0, 0]), json!(0)], json!([1, 0])),
        ("P12", deep(), vec![json!([0, 1, 2]), json!(6), json!("w:k")], json!([0, 0, 0])),
        ("P13", deep(), vec![json!([5, 0, 3]), json!(43), json!("S:K")], json!([5, 1, 3])),
    ] {
        let mut last = None;
        for naming in namings {
            let document = json!({ "starting_position": board, "previous_moves": [[[naming, "shift", empty]]] });
            let shown = room.run_with(&["pcn", "show", "-", "--json"], document.to_string()).out;
            assert!(last.is_none_or(|last| last == shown), "{number}: {naming}");
            // Converted, it has each notation; by its piece if unique.
            let flat = room.run_with(&["pcn", "convert", "-", "--squares", "flat", "--line"], document.to_string()).out;
            let pieces = room.run_with(&["pcn", "convert", "-", "--squares", "pieces", "--line"], flat).out;
            let pieces: Value = serde_json::from_str(&pieces).unwrap();
            assert_eq!(pieces["previous_moves"][0][0][0].is_string(), number != "P11", "{number}: {pieces}");
            last = Some(shown);
        }
    }
}

/// P14 to P16: drops. P17: shift. P18: a pawn promoted to a knight. P19: a rook promoted while it captures.
#[test]
fn p14_to_p19_actions() {
    let room = Room::new();
    let board = |pieces: &[(usize, &str)], side: usize| {
        let mut rows = vec![vec![Value::Null; side]; side];
        for (at, name) in pieces {
            rows[at / side][at % side] = json!(name);
        }
        json!(rows)
    };
    let after = |board: Value, moves: Value, at: usize| {
        let document = json!({ "starting_position": board, "previous_moves": moves }).to_string();
        let done = room.run_with(&["pcn", "show", "-", "--json"], document);
        let shown: Value = serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{}", done.err));
        let side = board[0].as_array().unwrap().len();
        shown["board"][at / side][at % side].clone()
    };
    // Pieces captured before are in hand: a lance of the other side, a pawn, and a western queen.
    let lance = board(&[(0, "s:l"), (9, "S:R")], 9);
    let moves = json!([[["S:R", "capture", 0]], [], [["s:L", "drop", [2, 4]]]]);
    assert_eq!(after(lance, moves, 22), "s:L", "P14, by a captor");
    assert_eq!(after(board(&[], 9), json!([[["S:L", "drop", [2, 4]]]]), 22), "S:L", "P14");
    assert_eq!(after(board(&[], 9), json!([[["s:p", "drop", 42]]]), 42), "s:p", "P15");
    let queen = board(&[(0, "W:Q"), (9, "w:r"), (40, "W:K")], 9);
    let moves = json!([[["w:r", "capture", "W:Q"]], [["W:K", "shift", 41]], [["w:q", "drop", 10]]]);
    assert_eq!(after(queen, moves, 10), "w:q", "P16");
    assert_eq!(after(board(&[(58, "W:Q")], 8), json!([[["W:Q", "shift", [4, 2]]]]), 34), "W:Q", "P17");
    let knight = json!([[[51, "shift", 59, { "promotion": "w:n" }]]]);
    assert_eq!(after(board(&[(51, "w:p")], 8), knight, 59), "w:n", "P18");
    let rook = json!([[["s:r", "capture", [7, 1], { "promotion": "+s:r" }]]]);
    assert_eq!(after(board(&[(1, "s:r"), (64, "S:P")], 9), rook, 64), "+s:r", "P19");
}

/// P20 to P25: the table of results; P26: the bottom side has won.
#[test]
fn p20_to_p26_results() {
    let room = Room::new();
    for (over, result, text, pgn) in [
        (json!(false), json!(false), "draw proposal from top", "*"),
        (json!(false), json!(true), "draw proposal from bottom", "*"),
        (json!(false), json!(null), "game in progress", "*"),
        (json!(true), json!(false), "top is the winner", "0-1"),
        (json!(true), json!(true), "bottom is the winner", "1-0"),
        (json!(true), json!(null), "it's a draw", "1/2-1/2"),
    ] {
        let document = json!({ "over?": over, "...result?": result, "starting_position": line() }).to_string();
        let shown = room.run_with(&["pcn", "show", "-"], document.clone()).out;
        assert!(shown.contains(&format!("Result      {text}\n")), "{shown}");
        let back: Value = serde_json::from_str(&room.run_with(&["pcn", "convert", "-"], document).out).unwrap();
        assert_eq!((&back["over?"], &back["...result?"]), (&over, &result));
        // A game of western chess becomes a game with this result.
        room.write("w.pcn", json!({ "over?": over, "...result?": result }).to_string());
        room.fine(&["import", "w.pcn", "-o", "w.bga", "-q"]);
        assert!(room.fine(&["export", "w.bga"]).contains(&format!("[Result \"{pgn}\"]")));
        std::fs::remove_file(room.path("w.bga")).unwrap();
        let _ = std::fs::remove_file(room.path("w.bgi"));
    }
}

/// P27: the sample game is played to its end: the bottom side captures the general.
#[test]
fn p27_the_sample_game() {
    let room = Room::new();
    room.write("sample.pcn", SAMPLE);
    let shown: Value = serde_json::from_str(&room.fine(&["pcn", "show", "sample.pcn", "--json"])).unwrap();
    assert_eq!((&shown["plies"], &shown["ply"], &shown["bottom_hand"]), (&49.into(), &49.into(), &json!(["x:G"])));
    assert_eq!(shown["board"][1], json!([null, null, "x:a", null, "x:S", null, null, null, null]));
    let back: Value = serde_json::from_str(&room.fine(&["pcn", "convert", "sample.pcn"])).unwrap();
    assert_eq!(back, serde_json::from_str::<Value>(SAMPLE).unwrap());
}

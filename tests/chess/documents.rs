//! Every example of the five source documents:
//!
//! - N. Brenner, "Minimal encoding of moves in a chess game" (2002, revised to 2013)
//! - S. J. Edwards, "SAN Kit: FEN (Forsyth-Edwards Notation)" (1993)
//! - "Forsyth-Edwards Notation", Chess Programming Wiki
//! - the game state as a 6-tuple
//! - "Portable Chess Notation"

use scoresheet::brenner::alternate::{FROM_ALTERNATE, TO_ALTERNATE, from_alternate, to_alternate};
use scoresheet::brenner::explain::{Explained, Notation, explain};
use scoresheet::brenner::{encode, standalone};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, Fen, FenFault, FenField, ReadMode};
use scoresheet::chess::{CastlingSide, Color, Piece, Position, Role, Square};
use scoresheet::game::{Event, Game, Outcome};
use scoresheet::pcn::{self, Board, JsonLayout, PcnFault, PieceName};
use scoresheet::pgn::{ReadOptions, read_game};
use serde_json::{Value, json};

fn position(fen: &str) -> Position {
    Position::from_fen(fen.as_bytes()).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn game(pgn: &str) -> Game {
    let mut game = Game::default();
    read_game(pgn.as_bytes(), 0, &ReadOptions::default(), &mut game);
    game
}

// ---- FEN: the SAN Kit, the wiki, the 6-tuple ----

const AFTER: [(&str, &str); 4] = [
    ("", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"),
    ("e4 c5", "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2"),
    ("e4 c5 Nf3", "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
];

#[test]
fn fen_samples() {
    let thirty_eight = "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39";
    for fen in AFTER.iter().map(|(_, fen)| *fen).chain([thirty_eight]) {
        for mode in [ReadMode::Strict, ReadMode::Forgiving] {
            let read = Fen::read(fen.as_bytes(), mode).unwrap();
            assert_eq!(read.to_string(), fen);
            assert_eq!(read.position().fen(), fen);
            assert_eq!(read.illegalities(), [], "{fen}");
        }
    }
    for (line, fen) in AFTER {
        let mut position = Position::standard();
        for san in line.split_whitespace() {
            position.play_unchecked(position.parse_san(san.as_bytes()).unwrap());
        }
        assert_eq!(position.fen(), fen);
    }
    let read = Fen::read(thirty_eight.as_bytes(), ReadMode::Strict).unwrap();
    assert_eq!((read.turn, read.halfmove_clock, read.fullmove_number), (Color::White, 5, 39));
    assert_eq!(read.pieces.iter().flatten().count(), 3);
}

#[test]
fn fen_symbol_of_an_earlier_version() {
    let old = b"4k3/8/8/8/8/8/4P3/4K3 w nil nil 5 39";
    let read = Fen::read(old, ReadMode::Forgiving).unwrap();
    assert_eq!((read.castling.len(), read.en_passant), (0, None));
    let error = Fen::read(old, ReadMode::Strict).unwrap_err();
    assert_eq!((error.field, error.column, error.fault), (FenField::Castling, 25, FenFault::OldSymbol));
}

#[test]
fn fen_letters_of_the_fields() {
    let start = Fen::from(&Position::standard());
    for (square, letter) in [("a1", b'R'), ("b1", b'N'), ("c1", b'B'), ("d1", b'Q'), ("e1", b'K'), ("e2", b'P')] {
        for (name, letter) in [(square.to_owned(), letter), (mirror(square), letter.to_ascii_lowercase())] {
            let square = Square::parse(name.as_bytes()).unwrap();
            assert_eq!(start.pieces[usize::from(square.index())].map(Piece::letter), Some(letter));
        }
    }
    // One to four letters, upper case first, kingside first; all subsets of them.
    for set in 0..16u8 {
        let letters: String =
            (0..4).filter(|bit| set >> bit & 1 == 1).map(|bit| "KQkq".as_bytes()[bit] as char).collect();
        let field = if letters.is_empty() { "-" } else { &letters };
        let fen = format!("r3k2r/8/8/8/8/8/8/R3K2R w {field} - 0 1");
        let read = Fen::read(fen.as_bytes(), ReadMode::Strict).unwrap();
        assert_eq!(read.castling.len(), letters.len());
        assert_eq!(read.position().fen(), fen);
    }
    for bad in ["QK", "kK", "KK", "qk", "KQkqK", "x"] {
        let fen = format!("r3k2r/8/8/8/8/8/8/R3K2R w {bad} - 0 1");
        assert_eq!(Fen::read(fen.as_bytes(), ReadMode::Strict).unwrap_err().field, FenField::Castling, "{bad}");
    }
}

fn mirror(square: &str) -> String {
    let rank = square.as_bytes()[1];
    format!("{}{}", &square[..1], char::from(b'1' + b'8' - rank))
}

/// "The position described does not have to be legal."
#[test]
fn fen_of_an_illegal_position() {
    let text = "8/8/8/8/8/8/8/P7 w KQkq e3 0 1";
    let read = Fen::read(text.as_bytes(), ReadMode::Forgiving).unwrap();
    assert_eq!(read.to_string(), text);
    let reasons: Vec<String> = read.illegalities().iter().map(ToString::to_string).collect();
    assert!(reasons.contains(&"White has no king".to_owned()), "{reasons:?}");
    assert!(reasons.contains(&"a pawn stands on a1".to_owned()), "{reasons:?}");
    assert!(reasons.contains(&"castling right K: king and rook are not at home".to_owned()), "{reasons:?}");
    assert!(reasons.contains(&"no pawn can just have passed over e3".to_owned()), "{reasons:?}");
}

/// The 6-tuple: its placement, `8` and `4p3` as ranks, and the active color at the start. Its draw at 50 half-moves is
/// wrong: the rule says 100.
#[test]
fn six_tuple() {
    let fen = "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R";
    assert_eq!(position(fen).fen(), format!("{fen} w - - 0 1"));
    let ranks = Fen::read(b"8/8/4p3/8/8/8/8/8 w - - 0 1", ReadMode::Strict).unwrap();
    for file in 0..8 {
        let occupant = ranks.pieces[usize::from(Square::at(file, 5).index())];
        assert_eq!(occupant, (file == 4).then_some(Piece { color: Color::Black, role: Role::Pawn }));
    }
    assert_eq!(Position::standard().turn(), Color::White);
    let mut position = position("4k3/8/8/8/8/8/8/R3K3 w - - 49 80");
    position.play_unchecked(position.parse_san(b"Ra2").unwrap());
    assert_eq!(position.halfmove_clock(), 50);
    assert!(position.has_legal_move());
}

/// The wiki's X-FEN and Shredder-FEN, and its two definitions of the en passant target.
#[test]
fn fen_extensions() {
    let styled = |fen: &str, en_passant, castling| Fen::from_position(&position(fen), en_passant, castling).to_string();
    let start = AFTER[0].1;
    let shredder = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1";
    assert_eq!(styled(start, EnPassantStyle::Always, CastlingStyle::Shredder), shredder);
    assert_eq!(position(shredder), position(start));
    let inner = "r1rk1rr1/8/8/8/8/8/8/R1RK1RR1 w KCfc - 0 1";
    assert_eq!(styled(inner, EnPassantStyle::Always, CastlingStyle::XFen), inner);
    assert_eq!(
        styled(inner, EnPassantStyle::Always, CastlingStyle::Shredder),
        "r1rk1rr1/8/8/8/8/8/8/R1RK1RR1 w GCfc - 0 1"
    );
    assert_eq!(
        styled(inner, EnPassantStyle::Always, CastlingStyle::Standard),
        "r1rk1rr1/8/8/8/8/8/8/R1RK1RR1 w KQkq - 0 1"
    );
    // After every double step; if a pawn is ready to capture; if its capture is legal.
    let target = |fen: &str| {
        [EnPassantStyle::Always, EnPassantStyle::PseudoLegal, EnPassantStyle::Legal]
            .map(|style| Fen::from_position(&position(fen), style, CastlingStyle::XFen).en_passant.is_some())
    };
    assert_eq!(target(AFTER[1].1), [true, false, false]);
    assert_eq!(target("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1"), [true, true, false]);
    assert_eq!(target("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"), [true, true, true]);
    // 10x8: Capablanca's board and Gothic chess.
    for board in [
        "rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1",
        "rnbqckabnr/pppppppppp/55/10/10/10/PPPPPPPPPP/RNBQCKABNR w KQkq - 0 1",
    ] {
        let error = Fen::read(board.as_bytes(), ReadMode::Forgiving).unwrap_err();
        if board.contains("/55/") {
            assert_eq!(error.field, FenField::Placement);
        } else {
            assert_eq!(error.fault, FenFault::BoardSize { files: 10, ranks: 8 });
            assert_eq!(
                error.to_string(),
                "bad FEN: piece placement at column 3: X-FEN for a board of 10x8 squares; only 8x8 can be read"
            );
        }
    }
}

// ---- Brenner ----

const SCHOLAR: &str = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7 1-0";

fn bits(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    digits.as_bytes().chunks(8).map(|byte| u8::from_str_radix(std::str::from_utf8(byte).unwrap(), 2).unwrap()).collect()
}

fn explained(bytes: &[u8], notation: Notation) -> Vec<Explained> {
    let mut lines = Vec::new();
    explain(bytes, notation, |line| lines.push(line)).unwrap();
    lines
}

/// Returns the bytes of one move in a position, as bits.
fn encoded(fen: &str, san: &str) -> Vec<u8> {
    let position = position(fen);
    let m = position.parse_san(san.as_bytes()).unwrap_or_else(|error| panic!("{fen} {san}: {error}"));
    let mut out = Vec::new();
    encode::push_move(&position, m, &mut out);
    out
}

#[test]
fn brenner_scholars_mate() {
    let encoded = standalone::encode(&game(SCHOLAR)).unwrap();
    let document = bits(
        "001 01 100 001 01 100 01 100 001 0001 0 111 1 1 011 01 1 0001 1 110 \
         00000 110 00000 110 01 010 011 00000 010",
    );
    assert_eq!(encoded, document);
    assert_eq!(encoded.len(), 10);
    assert_eq!(standalone::decode(&encoded).unwrap(), Game { tags: vec![], ..game(SCHOLAR) });
    // "By dropping the bytes for ? and 1-0, the encoding can be done with only 7 bytes"; the texts that it is compared
    // with.
    let bare = game("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7 *");
    assert_eq!(standalone::encode(&bare).unwrap().len(), 7);
    assert_eq!(("e4e5Qh5Nc6Bc4Nf6??Qf71-0".len(), "e4e5Qh5Nc6Bc4Nf6Qf7".len()), (24, 19));

    let lines: Vec<String> = explained(&encoded, Notation::Table).iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "001 01 100    pawn #4 step 2           e4",
            "001 01 100    pawn #4 step 2           e5",
            "01 100 001    queen 4 NE               Qh5",
            "0001 0 111    knight #0 SSE            Nc6",
            "1 1 011 01 1  bishop #1 3 NW           Bc4",
            "0001 1 110    knight #1 SSW            Nf6",
            "00000 110     ?",
            "00000 110     ?",
            "01 010 011    queen 2 NW               Qxf7#",
            "00000 010     1-0",
        ]
    );
    let alternate = to_alternate(&encoded);
    let first: Vec<String> =
        explained(&alternate, Notation::Alternate).iter().take(5).map(|line| line.bits.clone()).collect();
    assert_eq!(first, ["001 10 100", "001 10 100", "11 001 100", "0001 0 111", "01 01 1 011"]);
}

#[test]
fn brenner_examples_in_the_text() {
    // "Queen's Pawn captures to its right."
    assert_eq!(encoded("4k3/8/8/8/8/4p3/PPPPPPPP/4K3 w - - 0 1", "dxe3"), bits("00110011"));
    // "Queen's Bishop (#0) moves 2 squares in a NE direction."
    assert_eq!(encoded("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "Be3"), bits("1 0 010 00 1"));
    // "King's Knight (#1) moves to its NNE."
    assert_eq!(encoded("4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1", "Nh3"), bits("0001 1 010"));
    // "The game has ended in a draw."
    let mut out = Vec::new();
    encode::push_outcome(Outcome::Draw, &mut out);
    assert_eq!(out, bits("00000 011"));
    let lines = explained(&bits("00000 011"), Notation::Table);
    assert_eq!(lines[0].to_string(), "00000 011     draw");
}

/// The eight directions of each line of the table, in the document's order: a piece on d4, with two squares for line
/// pieces.
#[test]
fn brenner_directions() {
    let compass = ["f4", "f6", "d6", "b6", "b4", "b2", "d2", "f2"];
    let leaps = ["f3", "f5", "e6", "c6", "b5", "b3", "c2", "e2"];
    let steps = ["e4", "e5", "d5", "c5", "c4", "c3", "d3", "e3"];
    for (ddd, to) in compass.iter().enumerate() {
        let ddd = ddd as u8;
        assert_eq!(encoded("7k/8/8/8/3Q4/8/8/7K w - - 0 1", &format!("Q{to}")), [0x40 | 2 << 3 | ddd]);
        let occupant = if ddd & 1 == 0 { "R" } else { "B" };
        let fen = format!("7k/8/8/8/3{occupant}4/8/8/7K w - - 0 1");
        assert_eq!(encoded(&fen, &format!("{occupant}{to}")), [0x80 | 2 << 3 | ddd]);
    }
    for (ddd, to) in leaps.iter().enumerate() {
        assert_eq!(encoded("7k/8/8/8/3N4/8/8/7K w - - 0 1", &format!("N{to}")), [0x10 | ddd as u8]);
    }
    for (ddd, to) in steps.iter().enumerate() {
        assert_eq!(encoded("7k/8/8/8/3K4/8/8/8 w - - 0 1", &format!("K{to}")), [0x08 | ddd as u8]);
    }
    let pawns = "4k3/8/8/8/8/2p1p3/3P4/4K3 w - - 0 1";
    for (mm, san) in ["d3", "d4", "dxe3", "dxc3"].iter().enumerate() {
        assert_eq!(encoded(pawns, san), [0x20 | (mm as u8) << 3]);
    }
}

/// Four pieces of a type: 2 original and 2 promoted (1 and 3 for the queen), and a prefix before a pawn's byte as
/// promotion.
#[test]
fn brenner_promoted_pieces() {
    for (role, prefix, pieces) in [
        ('R', "10 000 dd 0", "RRRR"),
        ('B', "10 000 dd 1", "BBBB"),
        ('Q', "01 000 dd 0", "QQQQ"),
        ('N', "01 000 dd 1", "NNNN"),
    ] {
        for label in 0..4u8 {
            let byte = bits(&prefix.replace("dd", ["00", "01", "10", "11"][usize::from(label)]))[0];
            let position = position(&format!("4k3/8/8/8/8/8/8/{pieces}K3 w - - 0 1"));
            let from = Square::at(label, 0);
            let m = position.legal_moves().into_iter().find(|m| m.from == from).unwrap();
            let mut out = Vec::new();
            encode::push_move(&position, m, &mut out);
            let plain = if role == 'Q' { 1 } else { 2 };
            assert_eq!(out.len(), if label < plain { 1 } else { 2 }, "{role}#{label}");
            if label >= plain {
                assert_eq!(out[0], byte);
            }
            let string = ["\0F".as_bytes(), position.fen().as_bytes(), b"\0", &[byte], &out[out.len() - 1..]].concat();
            let read = standalone::decode(&string);
            if label >= plain || out.len() == 2 {
                assert_eq!(read.unwrap().events, [Event::Move(m)]);
            }
            // The same prefix before a pawn's byte.
            let few = &pieces[..usize::from(label)];
            let fen = format!("4k3/7P/8/8/8/8/8/{few}{}K2 w - - 0 1", 5 - label);
            assert_eq!(encoded(&fen, &format!("h8={role}")), [byte, 0x20]);
        }
    }
}

#[test]
fn brenner_other_bytes() {
    assert_eq!(encoded("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O"), bits("00000 100"));
    assert_eq!(encoded("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O"), bits("00000 101"));
    let read = |bytes: &[u8]| standalone::decode(bytes).unwrap();
    assert_eq!(read(&[1]).outcome, Some(Outcome::BlackWins));
    assert_eq!(read(&[2]).outcome, Some(Outcome::WhiteWins));
    assert_eq!(read(&[6, 7]).events, [Event::Suffix(false), Event::Suffix(true)]);
    // Texts before the moves, each with its letter; a text after a move without a letter.
    let pgn = "[White \"Adams\"]\n[Black \"Torre\"]\n[Date \"1920.??.??\"]\n[Site \"New Orleans\"]\n[Event \"Casual\"]\n\
               [Variation \"Philidor\"]\n\n1. e4 {j'adoube} e5 *\n";
    let bytes = standalone::encode(&game(pgn)).unwrap();
    let expected: &[u8] =
        b"\0WAdams\0\0BTorre\0\0D1920.??.??\0\0LNew Orleans\0\0TCasual\0\0VPhilidor\0\x2C\0j'adoube\0\x2C";
    assert_eq!(bytes, expected);
    assert_eq!(read(&bytes), Game { outcome: None, ..game(pgn) });
    let meanings: Vec<String> = explained(&bytes, Notation::Table).into_iter().map(|line| line.meaning).collect();
    assert_eq!(meanings[..3], ["text W: White", "text B: Black", "text D: Date"]);
    // "The only unassigned byte patterns are of the format 11 000 mmm": 248 are used; in the alternate notation
    // 10dd1000 and 01dd1000.
    let unassigned: Vec<u8> = (0..8).map(|mmm| TO_ALTERNATE[0xC0 | mmm]).collect();
    assert_eq!(unassigned, bits("01001000 01011000 01101000 01111000 10001000 10011000 10101000 10111000"));
}

/// The alternate table, line by line and field by field.
#[test]
fn brenner_alternate_table() {
    for ddd in 0..8u8 {
        for nnn in 1..8u8 {
            assert_eq!(TO_ALTERNATE[usize::from(0x40 | nnn << 3 | ddd)], 0xC0 | ddd << 3 | nnn);
            let (dd, line) = (ddd >> 1, if ddd & 1 == 0 { 0x80 } else { 0x40 });
            for w in 0..2u8 {
                assert_eq!(TO_ALTERNATE[usize::from(0x80 | w << 6 | nnn << 3 | ddd)], line | dd << 4 | w << 3 | nnn);
            }
        }
        for (mm, alternate) in [(0, 1), (1, 2), (2, 0), (3, 3)] {
            assert_eq!(TO_ALTERNATE[usize::from(0x20 | mm << 3 | ddd)], 0x20 | alternate << 3 | ddd);
        }
    }
    for dd in 0..4u8 {
        for (main, alternate) in [(0x40, 0xC0), (0x41, 0xC8), (0x80, 0x80), (0x81, 0x40)] {
            assert_eq!(TO_ALTERNATE[usize::from(main | dd << 1)], alternate | dd << 4);
        }
    }
    for byte in 0..0x20u8 {
        assert_eq!(TO_ALTERNATE[usize::from(byte)], byte);
        assert_eq!(FROM_ALTERNATE[usize::from(byte)], byte);
    }
    let stream = bits("001 01 100 00000 000 01000001 00000 000");
    assert_eq!(from_alternate(&to_alternate(&stream)), stream);
}

// ---- PCN ----

const CHESS: &str = r#"[
 ["w:r","w:n","w:b","w:q","w:k","w:b","w:n","w:r"],
 ["w:p","w:p","w:p","w:p","w:p","w:p","w:p","w:p"],
 [ null, null, null, null, null, null, null, null],
 [ null, null, null, null, null, null, null, null],
 [ null, null, null, null, null, null, null, null],
 [ null, null, null, null, null, null, null, null],
 ["W:P","W:P","W:P","W:P","W:P","W:P","W:P","W:P"],
 ["W:R","W:N","W:B","W:Q","W:K","W:B","W:N","W:R"]
]"#;

fn chess_board() -> Value {
    serde_json::from_str(CHESS).unwrap()
}

#[test]
fn pcn_boards() {
    let shape = |board: &Value| Board::parse(board).unwrap().shape().to_vec();
    assert_eq!(shape(&json!([null, null, null, null, null, null])), [6]);
    assert_eq!(shape(&json!(vec![vec![Value::Null; 7]; 7])), [7, 7]);
    assert_eq!(shape(&json!(vec![vec![Value::Null; 8]; 4])), [4, 8]);
    assert_eq!(shape(&json!(vec![vec![vec![Value::Null; 4]; 2]; 6])), [6, 2, 4]);
    assert_eq!(shape(&chess_board()), [8, 8]);
    // All except the last are refused as starting positions of western chess.
    for (board, sizes) in [(json!([null, null]), vec![2]), (json!(vec![vec![Value::Null; 7]; 7]), vec![7, 7])] {
        let error = pcn::parse_value(&json!({ "starting_position": board })).unwrap_err();
        assert_eq!((error.path.as_str(), error.fault), ("/starting_position", PcnFault::OtherBoard(sizes)));
    }
}

#[test]
fn pcn_piece_names() {
    let name = |text: &str| PieceName::parse(text).unwrap_or_else(|| panic!("{text}"));
    assert!(name("+s:b").is_promoted());
    assert_eq!((name("+s:b").style().as_str(), name("+s:b").abbreviation()), ("s", "b"));
    for (text, bottom) in [("w:p", false), ("taikyoku_shogi:gd", false), ("W:P", true), ("TAIKYOKU_SHOGI:GD", true)] {
        assert_eq!(name(text).is_bottom(), Some(bottom), "{text}");
    }
    for style in [
        "dai_dai_shogi",
        "modern_chess",
        "shatranj",
        "shatar",
        "taikyoku_shogi",
        "cannon_shogi",
        "wa_shogi",
        "okisaki_shogi",
        "j",
        "m",
        "s",
        "x",
    ] {
        let text = format!("{style}:k");
        assert_eq!(name(&text).western(), Err(PcnFault::OtherStyle(text)));
    }
    let roles = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
    for (letter, role) in ["k", "q", "r", "b", "n", "p"].iter().zip(roles) {
        assert_eq!(name(&format!("w:{letter}")).western(), Ok(Piece { color: Color::Black, role }));
        let upper = format!("W:{}", letter.to_uppercase());
        assert_eq!(name(&upper).western(), Ok(Piece { color: Color::White, role }));
    }
    let others = "j:g j:a j:e j:r j:c j:h j:s m:k m:q m:r m:b m:n m:p s:k s:g s:s s:r s:b s:n s:l s:p x:g x:a x:e x:r x:c x:h x:s";
    for text in others.split(' ') {
        assert!(matches!(name(text).western(), Err(PcnFault::OtherStyle(_))), "{text}");
    }
    for bad in ["", "w", ":k", "w:", "w:k:", "++w:k", "w-x:k", "w:ké", " w:k"] {
        assert_eq!(PieceName::parse(bad), None, "{bad}");
    }
    assert_eq!(name("w:P").western(), Err(PcnFault::MixedCase));
}

#[test]
fn pcn_squares() {
    let check = |board: &Value, namings: &[(Value, usize)]| {
        let board = Board::parse(board).unwrap();
        for (naming, flat) in namings {
            assert_eq!(board.square(naming), Ok(*flat), "{naming}");
        }
        board
    };
    let board = check(&chess_board(), &[(json!([0, 4]), 4), (json!(4), 4), (json!("w:k"), 4), (json!([4, 2]), 34)]);
    assert_eq!(board.square(&json!("w:r")), Err(PcnFault::NotUnique));
    for bad in [json!(64), json!(-1), json!([0, 8]), json!([0]), json!([0, 0, 0]), json!(4.5), json!([0, "a"])] {
        assert_eq!(board.square(&bad), Err(PcnFault::NoSuchSquare), "{bad}");
    }
    check(&json!(["w:k", "w:p", null, "X:S", null, "X:G"]), &[(json!([5]), 5), (json!(5), 5), (json!("X:G"), 5)]);
    let sample: Value = serde_json::from_str(include_str!("../../testdata/pcn/document-sample.json")).unwrap();
    let mixed = check(&sample["starting_position"], &[(json!([0, 0]), 0), (json!(0), 0)]);
    assert_eq!((mixed.shape(), mixed.piece(0).unwrap().to_string().as_str()), (&[9, 9][..], "x:r"));
    let deep = json!([
        [[null, null, null, null], [null, null, "w:k", null]],
        [["w:p", "w:p", "w:p", "w:p"], [null, null, "w:p", null]],
        [[null, null, null, null], [null, null, "w:p", null]],
        [["w:p", "w:P", null, null], ["S:P", null, null, "S:P"]],
        [[null, "S:P", null, null], ["S:P", "S:P", "S:P", "S:P"]],
        [[null, null, null, "S:K"], [null, null, null, null]]
    ]);
    check(
        &deep,
        &[
            (json!([0, 1, 2]), 6),
            (json!(6), 6),
            (json!("w:k"), 6),
            (json!([5, 0, 3]), 43),
            (json!(43), 43),
            (json!("S:K"), 43),
        ],
    );
}

/// Returns a game from an empty board with these pieces (name, flat number) and one move.
fn with_move(pieces: &[(&str, usize)], action: Value) -> Result<Game, pcn::PcnError> {
    let mut board = vec![vec![Value::Null; 8]; 8];
    for (name, flat) in pieces {
        board[flat / 8][flat % 8] = json!(name);
    }
    pcn::parse_value(&json!({ "starting_position": board, "previous_moves": [[action]] }))
}

#[test]
fn pcn_actions() {
    for drop in [json!(["S:L", "drop", [2, 4]]), json!(["s:p", "drop", 42]), json!(["w:q", "drop", 10])] {
        let error = with_move(&[("W:K", 60), ("w:k", 4)], drop).unwrap_err();
        assert_eq!((error.path.as_str(), error.fault), ("/previous_moves/0/0/1", PcnFault::Drop));
    }
    let queen = with_move(&[("W:Q", 58), ("W:K", 60), ("w:k", 4)], json!(["W:Q", "shift", [4, 2]])).unwrap();
    assert_eq!(queen.start.san(queen.main_line().next().unwrap()), "Qc4");
    let knight =
        with_move(&[("w:p", 51), ("W:K", 63), ("w:k", 4)], json!([51, "shift", 59, { "promotion": "w:n" }])).unwrap();
    assert_eq!(knight.start.turn(), Color::Black);
    assert_eq!(knight.start.san(knight.main_line().next().unwrap()), "d1=N");
    let rook = with_move(&[("w:r", 8), ("W:K", 60)], json!(["s:r", "capture", [7, 1], { "promotion": "+s:r" }]));
    assert_eq!(rook.unwrap_err().path, "/previous_moves/0/0/0");
}

#[test]
fn pcn_results() {
    let table = [
        (json!(false), json!(false), Outcome::Unknown, Some("Black")),
        (json!(false), json!(true), Outcome::Unknown, Some("White")),
        (json!(false), json!(null), Outcome::Unknown, None),
        (json!(true), json!(false), Outcome::BlackWins, None),
        (json!(true), json!(true), Outcome::WhiteWins, None),
        (json!(true), json!(null), Outcome::Draw, None),
    ];
    for (over, result, outcome, proposal) in table {
        let value = json!({ "over?": over, "...result?": result, "starting_position": chess_board() });
        let game = pcn::parse_value(&value).unwrap();
        assert_eq!(game.outcome, Some(outcome));
        assert_eq!(game.tag(pcn::DRAW_PROPOSAL), proposal);
        let back: Value = serde_json::from_str(&pcn::write(&game, JsonLayout::Line)).unwrap();
        assert_eq!((&back["over?"], &back["...result?"]), (&over, &result));
        // A game whose result only its tag states, or whose marker is `*`.
        let tag = ("Result".to_owned(), outcome.token().to_owned());
        for marker in [None, Some(Outcome::Unknown)] {
            let tagged =
                Game { outcome: marker, tags: [game.tags.clone(), vec![tag.clone()]].concat(), ..game.clone() };
            let back: Value = serde_json::from_str(&pcn::write(&tagged, JsonLayout::Line)).unwrap();
            assert_eq!((&back["over?"], &back["...result?"]), (&over, &result));
        }
    }
}

/// The reader of western chess refuses the document's sample, with the path of the reason.
#[test]
fn pcn_sample_is_refused() {
    let text = include_str!("../../testdata/pcn/document-sample.json");
    let error = pcn::parse(text.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "bad PCN: /starting_position: a board of 9x9 squares; western chess has 8x8");
    // Everything except its board is accepted.
    let mut sample: Value = serde_json::from_str(text).unwrap();
    sample["starting_position"] = chess_board();
    sample["previous_moves"] = json!([[[[6, 4], "shift", [4, 4]]]]);
    let game = pcn::parse_value(&sample).unwrap();
    assert_eq!((game.tag("White"), game.tag("Black")), (Some("Bob"), Some("Alice")));
    assert_eq!((game.tag("Date"), game.tag("UTCTime")), (Some("2012.09.29"), Some("16:48:40")));
    assert_eq!(game.outcome, Some(Outcome::WhiteWins));
    let back: Value = serde_json::from_str(&pcn::write(&game, JsonLayout::Document)).unwrap();
    for member in [
        "started_at",
        "topside_player",
        "bottomside_player",
        "over?",
        "...result?",
        "starting_position",
        "previous_moves",
    ] {
        assert_eq!(back[member], sample[member], "{member}");
    }
    assert!(game.start.castling_rook(Color::White, CastlingSide::King).is_some());
}

// ---- docs/checks.md: unsafe code ----

/// docs/checks.md lists exactly the files with `unsafe`.
#[test]
fn every_unsafe_place_is_listed() {
    let root = crate::common::root();
    let crates = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let mut folders: Vec<_> = crates.filter(|folder| folder.is_dir()).collect();
    folders.push(root.join("src"));
    let mut found = std::collections::BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
            // `unsafe_code`, which allows and forbids it, is another word; so is a page's `wasm-unsafe-eval`.
            let mut words = code.flat_map(|line| {
                line.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-')
            });
            if words.any(|word| word == "unsafe") {
                found.insert(path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let text = std::fs::read_to_string(root.join("docs/checks.md")).unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with("Unsafe code")).unwrap();
    let listed = section.lines().filter_map(|line| line.strip_prefix("- `")?.split('`').next());
    let listed: std::collections::BTreeSet<String> = listed.map(str::to_owned).collect();
    assert!(found.len() > 2, "{found:?}");
    assert_eq!(found, listed);
}

/// Every test in the table of proofs exists in the named module.
#[test]
fn every_proof_names_a_test() {
    let root = crate::common::root();
    let text = std::fs::read_to_string(root.join("docs/proofs.md")).unwrap();
    let mut tests = 0;
    for row in text.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 3, "{row}");
        for group in cells[2].split("; ").filter(|group| group.contains('`')) {
            let (module, names) = group.split_once(": ").unwrap_or_else(|| panic!("{row}"));
            let module = module.trim();
            let folder = if module.starts_with("lib ") { "src" } else { "tests" };
            let path = module.trim_start_matches("lib ").replace("::", "/");
            let code = std::fs::read_to_string(root.join(folder).join(path).with_extension("rs"));
            let code = code.unwrap_or_else(|error| panic!("{module}: {error}"));
            for name in names.split('`').skip(1).step_by(2) {
                assert!(code.contains(&format!("fn {name}(")), "{module} has no {name}");
                tests += 1;
            }
        }
    }
    assert!(tests > 60, "{tests}");
}

// ---- All documents ----

/// Adds the documents in a folder: every `.md` file outside hidden folders and build folders.
fn find_documents(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                find_documents(&path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Rows of tables and lines of code cannot always be broken; prose can.
#[test]
fn lines_of_prose_have_at_most_120_characters() {
    let mut documents = Vec::new();
    find_documents(crate::common::root(), &mut documents);
    assert!(documents.len() > 10, "{documents:?}");
    let mut long = Vec::new();
    for path in documents {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut fenced = false;
        for (at, line) in text.lines().enumerate() {
            fenced ^= line.starts_with("```");
            let exempt = fenced || line.starts_with('|') || line.starts_with("    ") || !line.trim().contains(' ');
            if !exempt && line.chars().count() > 120 {
                long.push(format!("{}:{}", path.display(), at + 1));
            }
        }
    }
    assert!(long.is_empty(), "longer than 120 characters:\n{}", long.join("\n"));
}

#[test]
fn readme_and_measurements_have_the_same_figures() {
    let read = |name| std::fs::read_to_string(crate::common::root().join(name)).unwrap();
    let (readme, measurements) = (read("README.md"), read("docs/MEASUREMENTS.md"));
    let rows: Vec<_> = readme.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 3, "README has no table of sizes");
    for row in rows {
        assert!(measurements.lines().any(|line| line == row), "docs/MEASUREMENTS.md has no row {row}");
    }
}

//! Compares the Brenner code with golden vectors, and with itself over random games.

use proptest::prelude::*;
use scoresheet::brenner::alternate::{FROM_ALTERNATE, TO_ALTERNATE, from_alternate, to_alternate};
use scoresheet::brenner::decode::{DecodeFault, Decoder, Item, TextPlaces};
use scoresheet::brenner::replay::{Replay, count_plies};
use scoresheet::brenner::{encode, standalone};
use scoresheet::chess::{MoveKind, Position, Role, Threat};
use scoresheet::game::{Event, Game, Outcome};
use scoresheet::pgn::{Disposition, ReadOptions, read_game};

fn game(pgn: &str) -> Game {
    let mut game = Game::default();
    let reading = read_game(pgn.as_bytes(), 0, &ReadOptions::default(), &mut game);
    assert_eq!(reading.disposition, Some(Disposition::Stored), "{pgn}");
    assert!(reading.faults.is_empty(), "{pgn}: {:?}", reading.faults);
    game
}

/// Returns a game from a position, as a stand-alone string without leading texts.
fn stream(fen: &str, movetext: &str) -> (Game, Vec<u8>) {
    let mut game = match fen {
        "" => game(movetext),
        fen => game(&format!("[FEN \"{fen}\"]\n\n{movetext}")),
    };
    game.tags.clear();
    let mut bytes = standalone::encode(&game).unwrap();
    if !fen.is_empty() {
        // A tag no longer gives the starting position; it is a leading text of the string.
        let leading = bytes[1..].iter().position(|byte| *byte == 0).unwrap() + 2;
        bytes.drain(..leading);
    }
    (game, bytes)
}

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn decode(start: &Position, bytes: &[u8]) -> Result<(Vec<Event>, bool), DecodeFault> {
    let mut decoder = Decoder::new(bytes, start.clone(), TextPlaces::Inline);
    let mut events = Vec::new();
    while let Some(item) = decoder.advance(|_, _| {}).map_err(|error| error.fault)? {
        events.push(match item {
            Item::Move(m) => Event::Move(m),
            Item::Suffix(good) => Event::Suffix(good),
            Item::Nag(nag) => Event::Nag(nag),
            Item::Text(text) => {
                Event::Text(scoresheet::game::TextKind::Brace, String::from_utf8_lossy(text).into_owned())
            }
            Item::Open => Event::Open,
            Item::Close => Event::Close,
            Item::Outcome(_) => continue,
        });
    }
    Ok((events, decoder.is_canonical()))
}

/// FEN (empty: the standard start), movetext, bytes, and the alternate notation if the source of the vector has it.
const GOLDEN: [(&str, &str, &str, &str); 10] = [
    (
        "",
        "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7 1-0",
        "2C 2C 61 17 DB 1E 06 06 53 02",
        "34 34 CC 17 5B 1E 06 06 DA 02",
    ),
    ("1r6/P3k3/8/8/8/8/8/3QK3 w - - 0 1", "1. axb8=Q Kf7 2. Qb7+ Kf6 3. Qd4+ *", "42 30 08 42 4E 0E 5A", ""),
    ("3qk3/P7/8/8/8/8/8/3QK3 w - - 0 1", "1. Qxd8+ Kxd8 2. a8=Q+ Kd7 3. Qa4+ *", "7A 0C 40 20 0E 66", ""),
    (
        "8/P1P3P1/8/5k2/8/8/8/RNB1KBNR w KQ - 0 1",
        "1. a8=N Ke5 2. c8=R Kf5 3. g8=B Ke5 4. Nb6 Kf5 5. Rc7 Ke5 6. Bh7 *",
        "45 20 0C 84 21 08 85 22 0C 45 17 08 84 8E 0C 85 8F",
        "",
    ),
    ("4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1", "1... axb1=N *", "41 38", ""),
    (
        "",
        "1. e4 Nf6 2. e5 d5 3. exd6 cxd6 4. Nf3 Nc6 5. Be2 Bg4 6. O-O Qd7 7. d4 O-O-O 1/2-1/2",
        "2C 1E 24 2B 3C 3A 1B 17 CB A7 04 4E 2B 05 03",
        "",
    ),
    (
        "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1",
        "1. O-O O-O-O 2. Rfe1 Rde8 3. Kf1 Kd8 0-1",
        "04 05 CC 88 0C 08 01",
        "",
    ),
    (
        "8/P7/8/8/7k/8/8/QQQQK3 w - - 0 1",
        "1. a8=Q Kg3 2. Q8d5 Kh4 3. Q1f3 *",
        "C0 C3 88 0D C0 E2 30 09 46 51",
        "48 C3 88 0D 48 E2 30 09 F0 CA",
    ),
    (
        "",
        "1. e4! {été} e5 ({Sicilian} 1... c5 2. Nf3 (2. c3 $14 d5 3. exd5) 2... d6) (1... -- 2. d4 $22) 2. Nf3 $10 *",
        "2C 07 00 C3 A9 74 C3 A9 00 2C C3 00 53 69 63 69 6C 69 61 6E 00 2A 1B C3 22 C2 0E 2B 3C C4 23 C4 C3 C1 2B C2 16 C4 1B C2 0A",
        "",
    ),
    ("", "1. Nf3 Nf6 2. Nd4 Nd5 3. Nb3 Nb6 4. Na5 Na4 5. Nc3 Nc6 *", "1B 1E 1C 1D 1D 1C 1B 1E 12 17", ""),
];

#[test]
fn golden_vectors_encode_decode_and_transcode() {
    for (fen, movetext, bytes, alternate) in GOLDEN {
        let (game, encoded) = stream(fen, movetext);
        assert_eq!(encoded, hex(bytes), "{movetext}");
        let (events, canonical) = decode(&game.start, &encoded).unwrap();
        assert_eq!(events, game.events, "{movetext}");
        assert!(canonical, "{movetext}");
        if !alternate.is_empty() {
            assert_eq!(to_alternate(&encoded), hex(alternate), "{movetext}");
        }
        assert_eq!(from_alternate(&to_alternate(&encoded)), encoded, "{movetext}");
    }
}

/// One example for every row of the table: FEN, move, bytes. FORMAT.md has the same.
#[test]
fn every_row_of_the_table() {
    let rows = [
        ("queen", "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "Qd4", "59"),
        ("rook #0", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "Ra5", "A2"),
        ("rook #1", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "Rh3", "D2"),
        ("bishop #0", "4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "Ba3", "93"),
        ("bishop #1", "4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "Bd3", "D3"),
        ("pawn, one step", "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1", "d3", "20"),
        ("pawn, two steps", "4k3/8/8/8/8/8/2PP4/4K3 w - - 0 1", "d4", "29"),
        ("pawn, White takes right", "4k3/8/8/8/8/4p3/3P4/4K3 w - - 0 1", "dxe3", "30"),
        ("pawn, White takes left", "4k3/8/8/8/8/2p5/3P4/4K3 w - - 0 1", "dxc3", "38"),
        ("pawn, Black takes right", "4k3/3p4/2P5/8/8/8/8/4K3 b - - 0 1", "dxc6", "30"),
        ("pawn, Black takes left", "4k3/3p4/4P3/8/8/8/8/4K3 b - - 0 1", "dxe6", "38"),
        ("knight #0", "4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1", "Nc3", "12"),
        ("knight #1", "4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1", "Nf3", "1B"),
        ("king", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Kf2", "09"),
        ("castling h-side", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "04"),
        ("castling a-side", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "O-O-O", "05"),
        ("queen #1", "4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1", "Qb4", "42 5A"),
        ("rook #2", "4k3/8/8/8/8/8/8/RRR1K3 w - - 0 1", "Rc4", "84 9A"),
        ("bishop #3", "4k3/8/8/8/8/8/8/BBBBK3 w - - 0 1", "Bh5", "87 A1"),
        ("knight #2", "4k3/8/8/8/8/8/8/NNN1K3 w - - 0 1", "Nd3", "45 12"),
        ("promotion to a queen", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=Q", "40 20"),
        ("promotion to rook #2", "4k3/P7/8/8/8/8/8/R3K2R w - - 0 1", "a8=R", "84 20"),
        ("promotion to a bishop", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=B", "81 20"),
        ("promotion to a knight", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=N", "41 20"),
        ("explicit", "4k3/8/8/8/8/8/8/QQQQQK2 w - - 0 1", "Qee5", "C0 12 40"),
    ];
    for (row, fen, san, bytes) in rows {
        let position = Position::from_fen(fen.as_bytes()).unwrap();
        let m = position.parse_san(san.as_bytes()).unwrap_or_else(|error| panic!("{row}: {error}"));
        let mut out = Vec::new();
        encode::push_move(&position, m, &mut out);
        assert_eq!(out, hex(bytes), "{row}");
        assert_eq!(decode(&position, &out).unwrap(), (vec![Event::Move(m)], true), "{row}");
    }
    for (outcome, bytes) in
        [(Outcome::Unknown, ""), (Outcome::BlackWins, "01"), (Outcome::WhiteWins, "02"), (Outcome::Draw, "03")]
    {
        let mut out = Vec::new();
        encode::push_outcome(outcome, &mut out);
        assert_eq!(out, hex(bytes));
    }
}

#[test]
fn faults_and_uncanonical_forms() {
    use DecodeFault::*;
    let cases = [
        ("", "40", Err(CutShort)),
        ("", "C0 00", Err(CutShort)),
        ("", "C2", Err(CutShort)),
        ("", "2C C3 2C", Err(CutShort)),
        ("", "00 41 42", Err(CutShort)),
        ("", "C4", Err(StrayClose)),
        ("", "C3 2C C4", Err(StrayOpen)),
        ("", "2C C3 C3 2B C4 C4", Err(StrayOpen)),
        ("", "C5", Err(Unassigned)),
        ("", "C7", Err(Unassigned)),
        ("", "24 2C 2C", Err(IllegalMove)),
        ("", "04", Err(IllegalMove)),
        ("", "01 2C", Err(MisplacedResult)),
        ("", "2C C3 01 C4", Err(MisplacedResult)),
        // A prefix before a result, before a piece of another type, before a pawn that does not promote.
        ("", "40 01", Err(BadPrefix)),
        ("", "40 1B", Err(BadPrefix)),
        ("", "42 2C", Err(BadPrefix)),
        ("", "84 9A", Err(NoSuchPiece)),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "20", Err(BadPrefix)),
        ("4k3/P7/8/8/8/8/8/Q3K3 w - - 0 1", "40 20", Err(LabelTaken)),
        ("4k3/8/8/8/8/8/8/QQQQQK2 w - - 0 1", "C0 12 41", Err(BadExplicit)),
        ("4k3/8/8/8/8/8/8/QQQQQK2 w - - 0 1", "C0 12 4A", Err(BadExplicit)),
        // A reader accepts any free label, but only the lowest is canonical; it also accepts an unnecessary prefix.
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "46 20", Ok(false)),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "40 20", Ok(true)),
        ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "40 59", Ok(false)),
        ("4k3/8/8/8/8/8/8/RR2K3 w - - 0 1", "82 9A", Ok(false)),
        ("4k3/8/8/8/8/8/8/RRR1K3 w - - 0 1", "84 DA", Ok(false)),
        ("", "C0 31 C0", Ok(false)),
    ];
    for (fen, bytes, expected) in cases {
        let start = match fen {
            "" => Position::standard(),
            fen => Position::from_fen(fen.as_bytes()).unwrap(),
        };
        let result = decode(&start, &hex(bytes)).map(|(_, canonical)| canonical);
        assert_eq!(result, expected, "{fen} {bytes}");
    }
}

#[test]
fn the_alternate_notation_is_a_bijection() {
    let mut seen = [false; 256];
    for byte in 0..=255u8 {
        let alternate = TO_ALTERNATE[byte as usize];
        assert_eq!(FROM_ALTERNATE[alternate as usize], byte);
        assert!(!std::mem::replace(&mut seen[alternate as usize], true));
    }
    // Rows of the source's second table.
    for (main, alternate) in
        [(0x48, 0xC1), (0x88, 0x81), (0x89, 0x41), (0xC8, 0x89), (0x42, 0xD0), (0x43, 0xD8), (0xC0, 0x48), (0xC7, 0xB8)]
    {
        assert_eq!(TO_ALTERNATE[main], alternate, "{main:02X}");
    }
}

/// Returns a random game from a position: 64-bit numbers select legal moves.
fn random_game(start: &Position, choices: &[u64]) -> (Vec<u8>, Vec<Position>) {
    let (mut position, mut bytes, mut states) = (start.clone(), Vec::new(), vec![start.clone()]);
    for choice in choices {
        let moves = position.legal_moves();
        // Promotions are rare in random games, and hard to encode: always play one if possible.
        let promotions: Vec<_> = moves.iter().filter(|m| m.promotion().is_some()).collect();
        let m = match (promotions.is_empty(), moves.is_empty()) {
            (_, true) => break,
            (false, _) => *promotions[*choice as usize % promotions.len()],
            (true, _) => moves[*choice as usize % moves.len()],
        };
        encode::push_move(&position, m, &mut bytes);
        position.play_unchecked(m);
        states.push(position.clone());
    }
    (bytes, states)
}

fn starts() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/PPPPPPPP/8/8/8/8/pppppppp/4K3 w - - 3 40",
        "k7/PPPPPPPP/8/8/8/8/8/K7 w - - 0 1",
        "rrrrkrrr/8/8/8/8/8/8/RRRRKRRR w FAfa - 0 1",
        "nnnnkqqq/pppppppp/pppp4/8/8/4PPPP/PPPPPPPP/QQQQKNNN b - - 99 200",
        "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1",
        "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 9",
        "kk6/8/8/8/8/8/8/6KK w - - 0 1",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn random_games_come_back(fen in starts(), choices in prop::collection::vec(any::<u64>(), 0..160)) {
        let start = Position::from_fen(fen.as_bytes()).unwrap();
        let (bytes, states) = random_game(&start, &choices);
        let mut decoder = Decoder::new(&bytes, start.clone(), TextPlaces::Apart);
        for state in &states {
            prop_assert_eq!(decoder.position(), state);
            decoder.advance(|_, _| {}).unwrap();
        }
        prop_assert!(decoder.is_canonical());
        prop_assert_eq!(count_plies(&bytes) as usize, states.len() - 1);
        // The fast replay reaches the same state at every ply.
        for (ply, state) in states.iter().enumerate() {
            let mut replay = Replay::new(&start);
            replay.run(&bytes, ply as u32).unwrap();
            prop_assert_eq!(&replay.position(), state, "ply {}", ply);
            prop_assert_eq!(replay.position().zobrist(), state.zobrist());
        }
        // The walk shows the same states with their keys, from the start or from the middle.
        for begin in [0, states.len() / 2] {
            let mut replay = Replay::new(&start);
            let read = replay.run(&bytes, begin as u32).unwrap();
            let (mut seen, mut keys) = (Vec::new(), Vec::new());
            replay.clone().walk(&bytes[read..], |state| seen.push(state.position())).unwrap();
            replay.walk_keys(&bytes[read..], |state, key| keys.push((state.position(), key))).unwrap();
            prop_assert_eq!(&seen[..], &states[begin..]);
            prop_assert!(keys.iter().map(|(state, _)| state).eq(&seen));
            for (state, key) in &keys {
                prop_assert_eq!(*key, state.zobrist(), "{:?}", state);
            }
        }
    }

    #[test]
    fn the_plain_way_is_the_same_as_the_long_one(fen in starts(), choices in prop::collection::vec(any::<u64>(), 0..160)) {
        let start = Position::from_fen(fen.as_bytes()).unwrap();
        let (_, states) = random_game(&start, &choices);
        // Every byte value, legal or not.
        for (ply, state) in states.iter().enumerate().skip(1).step_by(5) {
            for byte in 0..=255 {
                let bytes = [byte];
                let (mut plain, mut full) = (Decoder::new(&bytes, state.clone(), TextPlaces::Apart), Decoder::new(&bytes, state.clone(), TextPlaces::Apart));
                let (mut seen, item) = (None, full.advance(|_, _| {}));
                if plain.advance_plain(|before, m, threat| seen = Some((before.clone(), m, threat))) {
                    let (before, m, threat) = seen.unwrap();
                    prop_assert_eq!(&before, state);
                    prop_assert_eq!(item, Ok(Some(Item::Move(m))), "{:?} {}", state, byte);
                    prop_assert_eq!((plain.position(), plain.offset()), (full.position(), 1));
                    let (after, mover) = (full.position(), state.turn());
                    let attacked = after.king(after.turn()).is_some_and(|king| after.attacked_by(mover, king));
                    let expected = if attacked { Threat::CheckOrMate } else { Threat::None };
                    prop_assert_eq!(threat, expected, "{:?} {}", state, byte);
                } else {
                    prop_assert_eq!((plain.position(), plain.offset()), (state, 0));
                    let is_plain = matches!(item, Ok(Some(Item::Move(m))) if m.kind == MoveKind::Plain);
                    prop_assert!(!is_plain, "{:?} {} {}", state, byte, ply);
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(fen in starts(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let start = Position::from_fen(fen.as_bytes()).unwrap();
        let _ = decode(&start, &bytes);
        let _ = standalone::decode(&bytes);
        let mut replay = Replay::new(&start);
        if replay.run(&bytes, u32::MAX).is_ok() {
            prop_assert!(replay.ply() as usize <= bytes.len());
        }
        let _ = replay.position().fen();
        prop_assert_eq!(from_alternate(&to_alternate(&bytes)), bytes.clone());
        prop_assert_eq!(to_alternate(&from_alternate(&bytes)), bytes);
    }
}

#[test]
fn nine_queens() {
    // Every white pawn promotes: three queens get labels beside the first, five get none.
    let start = Position::from_fen(b"7k/PPPPP3/8/8/8/8/5PPP/3QK3 w - - 0 1").unwrap();
    let mut position = start.clone();
    let mut bytes = Vec::new();
    for san in ["a8=Q", "Kg7", "b8=Q", "Kh7", "c8=Q", "Kg7", "d8=Q", "Kh7", "e8=Q", "Kg7"] {
        let m = position.parse_san(san.as_bytes()).unwrap();
        encode::push_move(&position, m, &mut bytes);
        position.play_unchecked(m);
    }
    let queens = (0..64).filter_map(scoresheet::chess::Square::new).filter_map(|square| position.piece_id_at(square));
    let labels: Vec<_> = queens.filter(|piece| piece.role() == Role::Queen).map(|piece| piece.label()).collect();
    assert_eq!(labels.iter().flatten().count(), 4);
    assert_eq!(labels.iter().filter(|label| label.is_none()).count(), 2);
    assert!(bytes.contains(&0xC0));
    let mut replay = Replay::new(&start);
    replay.run(&bytes, 10).unwrap();
    assert_eq!(replay.position(), position);
}

#[test]
fn a_standalone_string_holds_the_tags() {
    let game = game(
        "[Event \"Café\"]\n[Site \"?\"]\n[Date \"1912.??.??\"]\n[White \"W. W.\"]\n[Black \"B\"]\n[Variation \"\"]\n[Opening \"Ruy\"]\n[Round \"3\"]\n[Result \"1-0\"]\n[FEN \"4k3/8/8/8/8/8/8/Q3K3 w - - 0 1\"]\n\n{before} 1. Qd4 {after} Kf7 1-0",
    );
    let bytes = standalone::encode(&game).unwrap();
    assert!(
        bytes.starts_with(b"\0TCaf\xc3\xa9\0\0L?\0\0D1912.??.??\0\0WW. W.\0\0BB\0\0V\0\0XOpening Ruy\0\0XRound 3\0")
    );
    assert_eq!(standalone::decode(&bytes).unwrap(), game);
    let alternate = to_alternate(&bytes);
    assert_ne!(alternate, bytes);
    assert_eq!(from_alternate(&alternate), bytes);
}

//! PolyGlot books: published keys, and entries compared with a naive count.

use crate::common::import::try_import;
use crate::common::sample::lichess;
use oracle_rules::shakmaty;
use oracle_rules::shakmaty::zobrist::Zobrist64;
use oracle_rules::shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position as _};
use scoresheet::Existing;
use scoresheet::chess::Color;
use scoresheet::{Archive, ImportOptions, Position};
use scoresheet_query::Search;
use scoresheet_query::report::book::{BookOptions, Recent, key};

/// The test keys of the format's description.
#[test]
fn published_keys() {
    for (line, expected) in [
        ("", 0x463B_9618_1691_FC9C_u64),
        ("e4", 0x823C_9B50_FD11_4196),
        ("e4 d5", 0x0756_B944_61C5_0FB0),
        ("e4 d5 e5", 0x662F_AFB9_65DB_29D4),
        ("e4 d5 e5 f5", 0x22A4_8B5A_8E47_FF78),
        ("e4 d5 e5 f5 Ke2", 0x652A_607C_A3F2_42C1),
        ("e4 d5 e5 f5 Ke2 Kf7", 0x00FD_D303_C946_BDD9),
        ("a4 b5 h4 b4 c4", 0x3C81_23EA_7B06_7637),
        ("a4 b5 h4 b4 c4 bxc3 Ra3", 0x5C3F_9B82_9B27_9560),
    ] {
        let mut position = Position::standard();
        for san in line.split_whitespace() {
            position.play_unchecked(position.parse_san(san.as_bytes()).unwrap());
        }
        assert_eq!(key(&position), expected, "{line}");
    }
}

#[test]
fn books_of_games() {
    let folder = crate::common::tempdir().unwrap();
    let (source, target) = (folder.path().join("games.pgn"), folder.path().join("games.bga"));
    let games = "1. e4 e5 1-0\n\n1. e4 c5 1/2-1/2\n\n1. d4 d5 0-1\n\n1. e4 (1. d4) 1... e5 0-1\n\n1. Nf3 *\n\n\
        [SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O Kd7 2. a8=N 1-0\n";
    std::fs::write(&source, games).unwrap();
    let options = ImportOptions { existing: Existing::Replace, ..ImportOptions::default() };
    try_import(&[source], &target, &options).unwrap();
    let archive = Archive::open(&target).unwrap();
    let book = |plies, min_games| {
        let (entries, unread) = Search::new(&archive).book(BookOptions { plies, min_games, ..BookOptions::default() });
        assert!(unread.is_empty());
        assert!(entries.windows(2).all(|pair| pair[0].key <= pair[1].key));
        entries
    };
    let start = key(&Position::standard());
    let moves = |entries: &[scoresheet_query::report::book::BookEntry], key: u64| {
        entries.iter().filter(|entry| entry.key == key).map(|entry| (entry.m, entry.weight)).collect::<Vec<_>>()
    };
    // e2e4: to e4 (28), from e2 (12). A win and a draw of three; d4 never scored.
    assert_eq!(moves(&book(40, 1), start), [(12 << 6 | 28, 3)]);
    let mut after = Position::standard();
    after.play_unchecked(after.parse_san(b"e4").unwrap());
    // e5 won once and lost once, c5 drew.
    assert_eq!(moves(&book(40, 1), key(&after)), [(52 << 6 | 36, 2), (50 << 6 | 34, 1)]);
    assert_eq!(moves(&book(40, 2), key(&after)), [(52 << 6 | 36, 2)]);
    assert_eq!(moves(&book(1, 1), key(&after)), []);
    // King takes rook, and a promotion to a knight.
    let mut position = archive.position(6, 0).unwrap();
    assert_eq!(moves(&book(40, 1), key(&position)), [(4 << 6 | 7, 2)]);
    position = archive.position(6, 2).unwrap();
    assert_eq!(moves(&book(40, 1), key(&position)), [(1 << 12 | 48 << 6 | 56, 2)]);
    let bytes = book(40, 1)[0].encode();
    assert_eq!(u64::from_be_bytes(bytes[..8].try_into().unwrap()), book(40, 1)[0].key);
    assert_eq!(bytes[12..], [0; 4]);
}

/// One side's moves, moves by score, and games that weigh less with age, counted by hand.
#[test]
fn books_of_a_side_and_of_recent_games() {
    let folder = crate::common::tempdir().unwrap();
    let (source, target) = (folder.path().join("games.pgn"), folder.path().join("games.bga"));
    let games = "[Date \"2020.??.??\"]\n\n1. e4 e5 1-0\n\n[Date \"2010.01.01\"]\n\n1. d4 d5 1-0\n\n\
        [UTCDate \"2030.01.01\"]\n\n1. c4 e5 1/2-1/2\n\n1. Nf3 d5 1-0\n\n1. e4 e5 0-1\n\n";
    std::fs::write(&source, games).unwrap();
    try_import(&[source], &target, &ImportOptions::default()).unwrap();
    let archive = Archive::open(&target).unwrap();
    let start = key(&Position::standard());
    let book = |options: BookOptions| {
        let (entries, unread) = Search::new(&archive).book(BookOptions { min_games: 1, ..options });
        assert!(unread.is_empty());
        entries
    };
    let [e4, d4, c4, nf3] = [12 << 6 | 28, 11 << 6 | 27, 10 << 6 | 26, 6 << 6 | 21];
    let moves = |options: BookOptions| {
        let entries = book(options).into_iter().filter(|entry| entry.key == start);
        let mut moves: Vec<(u16, u16)> = entries.map(|entry| (entry.m, entry.weight)).collect();
        moves.sort_unstable();
        moves
    };
    let all = BookOptions::default();
    assert_eq!(moves(all), [(nf3, 2), (c4, 1), (d4, 2), (e4, 2)]);
    assert_eq!(moves(BookOptions { min_score: 50, ..all }), [(nf3, 2), (c4, 1), (d4, 2), (e4, 2)]);
    assert_eq!(moves(BookOptions { min_score: 51, ..all }), [(nf3, 2), (d4, 2)]);
    assert_eq!(moves(BookOptions { side: Some(Color::Black), ..all }), []);
    assert!(book(BookOptions { side: Some(Color::White), ..all }).iter().all(|entry| entry.key == start));
    assert!(!book(BookOptions { side: Some(Color::Black), ..all }).is_empty());
    // In 2020, a game of 2010 has half of the weight, one without a year a quarter, and a later one the whole weight. The
    // most frequent move has 65,535.
    let recent = Some(Recent { year: 2020, half_life: 10 });
    assert_eq!(moves(BookOptions { recent, ..all }), [(nf3, 16_383), (c4, 32_767), (d4, 32_767), (e4, 65_535)]);
}

#[test]
fn keys_agree_with_shakmaty() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("sample.bga");
    let sample = lichess();
    let options = ImportOptions::default();
    try_import(&[sample], &target, &options).unwrap();
    let archive = Archive::open(&target).unwrap();
    let mut compared = 0;
    for game in archive.games().step_by(20) {
        game.unwrap()
            .positions(|position| {
                let fen: shakmaty::fen::Fen = position.fen().parse().unwrap();
                let theirs = Chess::from_setup(fen.into_setup(), CastlingMode::Standard).unwrap();
                let Zobrist64(expected) = theirs.zobrist_hash(EnPassantMode::PseudoLegal);
                assert_eq!(key(position), expected, "{}", position.fen());
                compared += 1;
            })
            .unwrap();
    }
    assert!(compared > 9_000);
}

//! The rules of variants: numbers of move sequences from public tables, and games of an independent program.

use scoresheet_chess::fen::{FenFault, FenField};
use scoresheet_chess::{Color, Position, Variant};

/// The numbers of sequences of legal moves from the starting positions. Sources: the tables of scalachess,
/// Fairy-Stockfish and python-chess, which agree.
const PERFT: &[(Variant, &[u64])] = &[
    (Variant::Chess, &[20, 400, 8_902, 197_281]),
    (Variant::Crazyhouse, &[20, 400, 8_902, 197_281]),
    (Variant::Atomic, &[20, 400, 8_902, 197_326]),
    (Variant::Antichess, &[20, 400, 8_067, 153_299]),
    (Variant::Horde, &[8, 128, 1_274, 23_310, 265_223]),
    (Variant::ThreeCheck, &[20, 400, 8_902, 197_281]),
    (Variant::KingOfTheHill, &[20, 400, 8_902, 197_281]),
    (Variant::RacingKings, &[21, 421, 11_264, 296_242]),
];

#[test]
fn numbers_of_moves_equal_those_of_public_tables() {
    for (variant, counts) in PERFT {
        let start = variant.start();
        for (depth, count) in (1..).zip(*counts) {
            assert_eq!(start.perft(depth), *count, "{variant} at depth {depth}");
        }
    }
}

/// Random games by tools/oracle/variants.py. Each line is a start (`G`, variant, FEN) or a move (`M`, UCI, SAN, the FEN
/// after it, the number of legal moves before it, the result). `SCORESHEET_VARIANT_GAMES` names another file.
#[test]
fn random_games_equal_those_of_another_program() {
    let text = match std::env::var_os("SCORESHEET_VARIANT_GAMES") {
        Some(path) => std::fs::read(path).unwrap(),
        None => zstd::decode_all(&include_bytes!("../../../testdata/variant-games.tsv.zst")[..]).unwrap(),
    };
    let text = String::from_utf8(text).unwrap();
    let mut position = Position::standard();
    let (mut games, mut plies, mut drops, mut wins) = (0, 0, 0, 0);
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["G", variant, fen] => {
                let variant = Variant::from_tag(variant).unwrap();
                position = Position::from_fen_of(variant, fen).unwrap();
                assert_eq!((position.fen().as_str(), &position), (fen, &variant.start()));
                games += 1;
            }
            ["M", uci, san, fen, count, result] => {
                let before = position.fen();
                let fault = || format!("{uci} ({san}) in {} {before}", position.variant());
                let m = position.parse_uci(uci).unwrap_or_else(|error| panic!("{}: {error}", fault()));
                assert_eq!(position.parse_san(san), Ok(m), "{}", fault());
                assert_eq!(position.san(m), san, "{}", fault());
                assert_eq!(position.uci(m), uci, "{}", fault());
                assert_eq!(position.legal_moves().len().to_string(), count, "{}", fault());
                let mut after = position.clone();
                after.play(m).unwrap();
                assert_eq!(after.fen(), fen, "{}", fault());
                assert_eq!(Position::from_fen_of(position.variant(), fen).unwrap().fen(), fen);
                let winner = match result {
                    "1-0" => Some(Color::White),
                    "0-1" => Some(Color::Black),
                    _ => None,
                };
                assert_eq!(after.winner(), winner, "{}", fault());
                assert_eq!(after.legal_moves().is_empty(), !after.has_legal_move());
                drops += usize::from(uci.contains('@'));
                wins += usize::from(winner.is_some());
                plies += 1;
                position = after;
            }
            _ => panic!("{line}"),
        }
    }
    assert!(games >= 56 && plies > 2_000 && drops > 50 && wins > 10, "{games} {plies} {drops} {wins}");
}

/// In Antichess, a side whose last piece was captured has won, which is no stalemate; a blocked side has won by one.
#[test]
fn a_side_without_pieces_is_not_stalemated() {
    for (fen, stalemate, over) in
        [("8/8/8/8/8/1P6/8/8 b - - 0 1", false, true), ("8/8/8/p7/P7/8/8/8 b - - 0 1", true, false)]
    {
        let position = Position::from_fen_of(Variant::Antichess, fen).unwrap();
        assert_eq!(position.winner(), Some(Color::Black), "{fen}");
        assert_eq!((position.is_stalemate(), position.is_over_by_variant()), (stalemate, over), "{fen}");
    }
}

/// A pocket contains only pieces that can be dropped, its bracket is closed, and only pieces are promoted.
#[test]
fn pockets_are_checked() {
    let fen = |board: &str| format!(" rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/{board} w KQkq - 0 1");
    let read = |board: &str| Position::from_fen_of(Variant::Crazyhouse, fen(board));
    for (board, written) in [
        ("RNBQKBNR", "RNBQKBNR[]"),
        ("RNBQKBNR/", "RNBQKBNR[]"),
        ("RNBQKBNR/pQ", "RNBQKBNR[Qp]"),
        ("RNBQKBNR[]", "RNBQKBNR[]"),
        ("RNBQKBNR[-]", "RNBQKBNR[]"),
        ("RNBQ~KB~NR[qQnP]", "RNBQ~KB~NR[QPqn]"),
    ] {
        assert_eq!(read(board).unwrap().fen(), fen(written).trim_start(), "{board}");
    }
    // Columns are those of the text; the first R is in column 37.
    for (board, column, fault) in [
        ("RNBQKBNR[KPxx]", 46, FenFault::NoSuchPiece),
        ("RNBQKBNR[1Q2]", 46, FenFault::NoSuchPiece),
        ("RNBQKBNR[Q-]", 47, FenFault::NoSuchPiece),
        ("RNBQKBNR[QQQ", 45, FenFault::NoSuchPiece),
        ("RNBQKBNR[QQ]zzz", 49, FenFault::NoSuchPiece),
        ("RNBQKBNR/P/8", 47, FenFault::NoSuchPiece),
        ("RNBQK~BNR[]", 42, FenFault::NoSuchPiece),
        ("RNBQ1~BNR[]", 42, FenFault::NoSuchPiece),
        ("RNBQ~~KBNR[]", 42, FenFault::NoSuchPiece),
        ("RNBQKBN[Qq]", 44, FenFault::RankTooShort),
    ] {
        let error = read(board).unwrap_err();
        assert_eq!((error.field, error.column, error.fault), (FenField::Placement, column, fault), "{board}");
        assert_eq!(Position::read_start_of(Variant::Crazyhouse, fen(board).as_bytes()).unwrap_err(), error, "{board}");
    }
    let queens = |count| format!("RNBQKBNR[{}]", "Q".repeat(count));
    assert_eq!(read(&queens(255)).unwrap().pocket(Color::White), [0, 0, 0, 0, 255]);
    assert_eq!(read(&queens(256)).unwrap_err().fault, FenFault::NumberTooLarge);
    let error = Position::from_fen("8/8/8/8/8/8/8/RNBQKBNR[QQQQ] x").unwrap_err();
    assert_eq!((error.field, error.column, error.fault), (FenField::Turn, 30, FenFault::NoSuchSide));
}

#[test]
fn other_rules_have_no_pockets_and_no_counts_of_checks() {
    for fen in ["4k3/8/8/8/8/8/8/4K2Q~[Pq] w - - 0 1", "4k3/8/8/8/8/8/8/4K2Q w - - 1+3 0 1"] {
        let chess = Position::from_fen(fen).unwrap().with_variant(Variant::Chess);
        assert_eq!(chess, Position::from_fen(chess.fen()).unwrap(), "{fen}");
    }
}

//! The Zobrist key: equal for positions that the rules treat as the same, otherwise different.

use crate::common::positions::{play, position};
use scoresheet::chess::{Color, Piece, Position, Square};
use std::collections::HashSet;

fn after(line: &str) -> Position {
    let mut position = Position::standard();
    play(&mut position, line);
    position
}

fn key(fen: &str) -> u64 {
    position(fen).zobrist()
}

#[test]
fn transpositions_have_the_same_key() {
    let lines = [
        ("Nf3 Nf6 Nc3 Nc6", "Nc3 Nc6 Nf3 Nf6"),
        ("d4 d5 c4 e6 Nc3 Nf6", "c4 Nf6 Nc3 e6 d4 d5"),
        ("e4 e6 d4 d5", "d4 e6 e4 d5"),
        ("Nf3 Nf6 Ng1 Ng8", ""),
    ];
    for (left, right) in lines {
        assert_eq!(after(left).zobrist(), after(right).zobrist(), "{left} / {right}");
    }
}

#[test]
fn labels_do_not_count() {
    // White's knights exchange squares.
    let mut exchanged = after("Nf3 Nf6 Ne5 Ng8 Nc4 Nf6 Nc3 Ng8 Nd5 Nf6 Nf4 Ng8 Nh3 Nf6 Ng1 Ng8 Na3 Nf6 Nb1 Ng8");
    exchanged.set_clocks(0, 1);
    assert_eq!(exchanged.fen(), Position::standard().fen());
    assert_ne!(exchanged, Position::standard());
    assert_eq!(exchanged.zobrist(), Position::standard().zobrist());
}

#[test]
fn clocks_do_not_count() {
    let mut changed = Position::standard();
    for (halfmove, fullmove) in [(0, 2), (99, 1), (u32::MAX, u32::MAX)] {
        changed.set_clocks(halfmove, fullmove);
        assert_eq!(changed.zobrist(), Position::standard().zobrist());
    }
}

#[test]
fn a_target_counts_only_where_a_capture_en_passant_is_legal() {
    let counts = |fen: &str, target: &str| {
        let with = key(fen);
        let without = key(&fen.replace(&format!(" {target} "), " - "));
        with != without
    };
    // No pawn stands beside the pawn.
    assert!(!counts("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "e3"));
    assert!(counts("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "e3"));
    // Pinned on the file, then on the rank with both pawns gone.
    assert!(!counts("3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", "e3"));
    assert!(!counts("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", "e3"));
    // One of two pawns is pinned, the other may capture.
    assert!(counts("3k4/8/8/8/3pPp2/8/8/3RK3 b - e3 0 1", "e3"));
    // In check from elsewhere.
    assert!(!counts("4k3/8/5N2/8/3pP3/8/8/4K3 b - e3 0 1", "e3"));

    let files: HashSet<u64> = (0..8)
        .map(|file| {
            let mut position = position("4k3/8/8/pPpPpPpP/8/8/8/4K3 w - - 0 1");
            // The targets a6, c6, e6, g6 are beside White's pawns; on the other files no pawn can have made a double
            // step.
            position.set_en_passant(Square::at(file, 5));
            position.zobrist()
        })
        .collect();
    assert_eq!(files.len(), 5, "four targets and none");
}

#[test]
fn rights_and_turn_count() {
    let letters = ["K", "Q", "k", "q"];
    let mut keys = HashSet::new();
    for set in 0..16 {
        let rights: String = (0..4).filter(|i| set >> i & 1 != 0).map(|i| letters[i]).collect();
        let rights = if rights.is_empty() { "-" } else { &rights };
        for turn in ["w", "b"] {
            keys.insert(key(&format!("r3k2r/8/8/8/8/8/8/R3K2R {turn} {rights} - 0 1")));
        }
    }
    assert_eq!(keys.len(), 32);
}

#[test]
fn the_rook_of_a_right_counts() {
    let fens =
        ["G", "H", "C", "A", "HA", "GC", "HC", "GA"].map(|rights| format!("4k3/8/8/8/8/8/8/R1R1K1RR w {rights} - 0 1"));
    let keys: HashSet<u64> = fens.iter().map(|fen| key(fen)).collect();
    assert_eq!(keys.len(), fens.len());
    // The only rook of a castling side is the outermost, on any square.
    assert_eq!(key("4k3/8/8/8/8/8/8/4K1R1 w G - 0 1"), key("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1"));
}

/// Keys may be written to files, so they must not change between versions.
#[test]
fn keys_are_stable() {
    // SplitMix64's numbers for the seed in the module's description, computed without this crate.
    let expected = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0xCC8D_D5B8_0004_4260),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x9164_5CBF_E325_5013),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", 0xC3F5_E8A0_EEAB_930A),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 12 34", 0xFBEE_7174_1486_0E17),
        ("4k3/8/8/8/8/8/8/R1R1K1RR w GA - 0 1", 0x1670_1ABA_9D1C_CF2F),
    ];
    for (fen, expected) in expected {
        assert_eq!(key(fen), expected, "{fen}");
    }
}

#[test]
fn each_piece_and_square_counts() {
    let mut keys = HashSet::new();
    for square in 0..64u8 {
        for letter in "PNBRQpnbrq".chars() {
            let at = Square::new(square).expect("below 64");
            let mut pieces = [None; 64];
            pieces[square as usize] = Piece::from_letter(letter as u8);
            let position = Position::from_pieces(&pieces, Color::White);
            assert!(position.piece_at(at).is_some());
            keys.insert(position.zobrist());
        }
    }
    assert_eq!(keys.len(), 640);
}

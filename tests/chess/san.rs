//! Texts of moves: written by the standard, read in common notations.

use crate::common::positions::{play, position};
use scoresheet::chess::san::SanError;
use scoresheet::chess::{Move, Position};

/// Returns the move of a text in UCI, with castling as king takes rook.
fn read(position: &Position, text: &str) -> Result<String, SanError> {
    let m = position.parse_san(text.as_bytes())?;
    let mut uci = Vec::new();
    position.write_uci(m, true, &mut uci);
    Ok(String::from_utf8(uci).expect("ASCII"))
}

fn reads_as(fen: &str, texts: &str, uci: &str) {
    let position = position(fen);
    for text in texts.split_whitespace() {
        assert_eq!(read(&position, text).as_deref(), Ok(uci), "{text} in {fen}");
    }
}

fn fails(fen: &str, texts: &str, error: SanError) {
    let position = position(fen);
    for text in texts.split_whitespace() {
        assert_eq!(read(&position, text), Err(error), "{text} in {fen}");
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const CASTLING: &str = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
const PROMOTION: &str = "3n3k/4P3/8/8/8/8/4p3/3N3K w - - 0 1";

#[test]
fn pawn_moves() {
    reads_as(START, "e4 e2e4 e2-e4 Pe4 Pe2-e4 ee4 2e4 e4! e4!? e4?? e4+ e4# e4+! e4#?!", "e2e4");
    reads_as(START, "e3 e2e3 e2-e3", "e2e3");
    let capture = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    reads_as(capture, "exd5 ed5 e4xd5 e4d5 e4-d5 e4:d5 e:d5 Pexd5 Pe4xd5 exd5+", "e4d5");
    let en_passant = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    reads_as(en_passant, "exd6 ed6 e5xd6 e5d6 e5-d6 exd6e.p. exd6ep exd6ep! exd6+", "e5d6");
    fails(START, "e5 e6 d2e4 exd3 e1 e8 e2e2 a2b3", SanError::NoSuchMove);
    fails(en_passant, "d6 exf6 e5f6", SanError::NoSuchMove);
    // Without the right to capture en passant, and for a piece that is not a pawn.
    fails("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "exd6 e5d6", SanError::NoSuchMove);
    fails("4k3/8/8/3pK3/8/8/8/8 w - d6 0 1", "exd6", SanError::NoSuchMove);
    // Two steps over a piece, and onto a piece.
    fails("4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e4 e3 e2e4", SanError::NoSuchMove);
    fails("4k3/8/8/8/4n3/8/4P3/4K3 w - - 0 1", "e4 e2e4", SanError::NoSuchMove);
}

#[test]
fn promotions() {
    reads_as(PROMOTION, "e8=Q e8Q e8(Q) e8/Q e7e8q e7e8Q e7-e8=Q e7-e8Q e8=q Pe8=Q e8=Q+ e8Q! e8(Q)+", "e7e8q");
    reads_as(PROMOTION, "exd8=N+ ed8N exd8(N) e7xd8=N e7d8n exd8/N", "e7d8n");
    reads_as(PROMOTION, "e8=B e8b e8(b) e7e8b", "e7e8b");
    reads_as(PROMOTION, "e8R e8=R# e7e8r", "e7e8r");
    // A promotion must name its piece, and only a pawn on the seventh rank can promote.
    fails(PROMOTION, "e8 exd8 e7e8 e7d8", SanError::NoSuchMove);
    fails(START, "e4=Q e2e4q e2e3n", SanError::NoSuchMove);
    fails(PROMOTION, "e8=K e8=P e8=Q=Q e8(K) e8=X e8=( e8() e8=", SanError::Unreadable);
    fails(CASTLING, "e1e2q a1b1q", SanError::NoSuchMove);
    let black = PROMOTION.replace(" w ", " b ");
    reads_as(&black, "exd1=Q+ e2d1q", "e2d1q");
}

#[test]
fn pieces_and_superfluous_squares() {
    let rooks = "4k3/8/8/8/8/8/K7/1R5R w - - 0 1";
    reads_as(rooks, "Rb8 Rbb8 R1b8 Rb1b8 Rb1-b8 b1b8 b1-b8 Rb8+ Rb8# Rb1-b8+", "b1b8");
    reads_as(rooks, "Rbd1 Rb1d1 Rb1-d1", "b1d1");
    reads_as(rooks, "Rhd1 Rh1d1", "h1d1");
    fails(rooks, "Rd1 R1d1 R1d1+", SanError::Ambiguous);
    fails(rooks, "Rc2 Rb2b8 Rbh8 R8b8 Bb8 Qb8", SanError::NoSuchMove);
    let same_file = "4k3/8/8/R7/8/8/7K/R7 w - - 0 1";
    reads_as(same_file, "R5a3 Ra5a3", "a5a3");
    fails(same_file, "Ra3 Raa3", SanError::Ambiguous);
    let takes = "4k3/8/8/1n6/8/8/8/1R2K3 w - - 0 1";
    reads_as(takes, "Rxb5 Rb5 R:b5 Rbxb5 R1xb5 Rb1xb5 Rb1:b5 R-b5 b1xb5", "b1b5");
    fails(takes, "Rb8 Rb6 Rxb8", SanError::NoSuchMove);
    let queens = "7k/8/8/8/4Q2Q/8/K7/7Q w - - 0 1";
    reads_as(queens, "Qh4e1 Qh4-e1", "h4e1");
    fails(queens, "Qe1 Qhe1", SanError::Ambiguous);
    fails(queens, "Q1e4", SanError::NoSuchMove);
}

#[test]
fn ambiguity_is_among_legal_moves() {
    // The knight on d2 is pinned by the rook, so only the other can move.
    let pinned = "3rk3/8/8/8/8/8/3N2N1/3K4 w - - 0 1";
    reads_as(pinned, "Ne3 Ng2e3", "g2e3");
    fails(pinned, "Nf1 Nd2f1 Ndf1 Nb3 d2b3", SanError::LeavesKingInCheck);
    let both = "3rk3/8/8/8/8/8/3N4/3K2N1 w - - 0 1";
    reads_as(both, "Nf3 Ngf3 g1f3", "g1f3");
    fails(both, "Ndf3 N2f3", SanError::LeavesKingInCheck);
    assert_eq!(position(both).san(position(both).parse_san(b"Nf3").expect("legal")), "Nf3");
    // Both are pinned: the fault is the check, not the ambiguity.
    let neither = "3rk3/8/8/8/q7/8/2NN4/3K4 w - - 0 1";
    fails(neither, "Nb4 Nf3", SanError::LeavesKingInCheck);
    // The king's moves, and moves while in check.
    fails("4k3/8/8/8/8/8/3r4/4K3 w - - 0 1", "Kf2 Ke2 Kd1", SanError::LeavesKingInCheck);
    fails("4k3/8/8/8/8/8/PP2r3/4K3 w - - 0 1", "a3 b4 a2a4", SanError::LeavesKingInCheck);
    // En passant would clear the rank.
    fails("8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1", "exd3 e4d3", SanError::LeavesKingInCheck);
}

#[test]
fn castling() {
    reads_as(CASTLING, "O-O 0-0 o-o OO O-O+ 0-0# O-O! e1g1 e1-g1 e1h1", "e1h1");
    reads_as(CASTLING, "O-O-O 0-0-0 o-o-o OOO O-O-O+ 0-0-0!? e1c1 e1a1", "e1a1");
    fails(CASTLING, "Kg1 Kc1 e1b1 Ke1g1 Kxh1", SanError::NoSuchMove);
    for fen in [
        // No right; through check; out of check; into check; a piece between.
        "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1",
        "4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1",
        "4k3/8/8/8/8/4r3/8/R3K2R w KQ - 0 1",
        "4k3/8/8/8/8/6r1/8/R3K2R w KQ - 0 1",
        "4k3/8/8/8/8/8/8/R3K1NR w KQ - 0 1",
    ] {
        fails(fen, "O-O 0-0 e1g1", SanError::NoSuchMove);
    }
    // Chess960: a single step of the king is a step; castling is king takes rook, or the king's leap to its target
    // square.
    let beside = "4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1";
    reads_as(beside, "f1g1 Kg1", "f1g1");
    reads_as(beside, "O-O f1h1", "f1h1");
    reads_as(beside, "O-O-O f1a1 f1c1", "f1a1");
    let far = "4k3/8/8/8/8/8/8/RK5R w KQ - 0 1";
    reads_as(far, "O-O b1g1 b1h1", "b1h1");
    reads_as(far, "b1c1 Kc1", "b1c1");
    fails(far, "b1d1 b1f1", SanError::NoSuchMove);
}

#[test]
fn what_is_not_a_move() {
    let texts = "e e9 i4 x + # ! e4) e4( (e4) e4=) e2e4e5 Ng1f3g5 O-O-O-O 0-0-0-0 O-O- 1-0 e44 E4 ng1 Nf Nff Nxx -e4 xe4 :e4 1. N$1 \
                 Nf3g é4 ♘f3 Nf3♘ \u{0} =Q e8=QQ =";
    fails(START, texts, SanError::Unreadable);
    let start = position(START);
    assert_eq!(start.parse_san("e4"), start.parse_san(b"e4"));
    assert_eq!(start.parse_san(b""), Err(SanError::Unreadable));
    assert_eq!(start.parse_san(b" e4"), Err(SanError::Unreadable));
    assert_eq!(start.parse_san([0xFF; 3]), Err(SanError::Unreadable));
    assert_eq!(start.parse_san([b'+'; 10_000]), Err(SanError::Unreadable));
    for text in ["--", "Z0", "--!"] {
        assert_eq!(start.parse_san(text.as_bytes()), Ok(Move::NULL), "{text}");
    }
    assert_eq!(start.san(Move::NULL), "--");
}

#[test]
fn written_by_the_standard() {
    let write = |fen: &str, uci: &str| {
        let position = position(fen);
        position.san(position.parse_san(uci.as_bytes()).expect(uci))
    };
    assert_eq!(write("3qk3/8/8/8/4Q2Q/8/K7/7Q w - - 0 1", "h4e1"), "Qh4e1+");
    assert_eq!(write("7k/8/8/R7/8/8/K7/R7 w - - 0 1", "a5a8"), "Ra8+");
    assert_eq!(write("7k/8/8/R7/8/8/7K/R7 w - - 0 1", "a5a3"), "R5a3");
    assert_eq!(write("7k/R7/1R6/8/8/8/8/7K w - - 0 1", "b6b8"), "Rb8#");
    assert_eq!(write("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), "exd6");
    assert_eq!(write("3r3k/4P3/8/8/8/8/8/7K w - - 0 1", "e7d8q"), "exd8=Q+");
    // Castling can give mate.
    assert_eq!(write("8/8/8/8/8/6Q1/7R/3k1K1R w H - 0 1", "f1h1"), "O-O#");
    assert_eq!(write("k7/8/8/8/3N4/8/8/K5N1 w - - 0 1", "d4f3"), "Ndf3");
    // Three knights: file and rank are both needed for one of them only.
    let knights = "k7/8/8/3N4/8/3N3N/8/K7 w - - 0 1";
    assert_eq!(write(knights, "d5f4"), "N5f4");
    assert_eq!(write(knights, "d3f4"), "Nd3f4");
    assert_eq!(write(knights, "h3f4"), "Nhf4");
}

/// A famous game in tolerant and standard notation: all lines must end in the same position.
#[test]
fn the_same_game_in_three_dialects() {
    let dialects = [
        "e4 e5 f4 exf4 Bc4 Qh4+ Kf1 b5 Bxb5 Nf6 Nf3 Qh6 d3 Nh5 Nh4 Qg5 Nf5 c6 g4 Nf6 Rg1 cxb5 h4 Qg6 h5 Qg5 Qf3 Ng8 Bxf4 Qf6 Nc3 Bc5 \
         Nd5 Qxb2 Bd6 Bxg1 e5 Qxa1+ Ke2 Na6 Nxg7+ Kd8 Qf6+ Nxf6 Be7#",
        "e2-e4 e7-e5 f2-f4 e5xf4 Bf1-c4 Qd8-h4 Ke1-f1 b7-b5 Bc4xb5 Ng8-f6 Ng1-f3 Qh4-h6 d2-d3 Nf6-h5 Nf3-h4 Qh6-g5 Nh4-f5 c7-c6 g2-g4 \
         Nh5-f6 Rh1-g1 c6xb5 h2-h4 Qg5-g6 h4-h5 Qg6-g5 Qd1-f3 Nf6-g8 Bc1xf4 Qg5-f6 Nb1-c3 Bf8-c5 Nc3-d5 Qf6xb2 Bf4-d6 Bc5xg1 e4-e5 \
         Qb2xa1 Kf1-e2 Nb8-a6 Nf5xg7 Ke8-d8 Qf3-f6 Ng8xf6 Bd6-e7",
        "e2e4 e7e5 f2f4 e5f4 f1c4 d8h4 e1f1 b7b5 c4b5 g8f6 g1f3 h4h6 d2d3 f6h5 f3h4 h6g5 h4f5 c7c6 g2g4 h5f6 h1g1 c6b5 h2h4 g5g6 h4h5 \
         g6g5 d1f3 f6g8 c1f4 g5f6 b1c3 f8c5 c3d5 f6b2 f4d6 c5g1 e4e5 b2a1 f1e2 b8a6 f5g7 e8d8 f3f6 g8f6 d6e7",
    ];
    for line in dialects {
        let mut end = Position::standard();
        play(&mut end, line);
        assert!(end.is_checkmate());
        assert_eq!(end.fen(), "r1bk3r/p2pBpNp/n4n2/1p1NP2P/6P1/3P4/P1P1K3/q5b1 b - - 1 23");
    }
    let mut position = Position::standard();
    for san in dialects[0].split_whitespace() {
        let m = position.parse_san(san.as_bytes()).expect(san);
        assert_eq!(position.san(m), san);
        position.play_unchecked(m);
    }
}

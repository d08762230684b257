//! FEN: accepted and written texts, and the location of faults.

use crate::common::positions::{play, position};
use crate::common::{corpora, share};
use oracle_rules::shakmaty::fen::Fen;
use proptest::prelude::*;
use proptest::sample::Index;
use rayon::prelude::*;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, FenField};
use scoresheet::chess::{CastlingSide, Color, Move, MoveKind, Position, Role, Square};

fn styled(position: &Position, en_passant: EnPassantStyle, castling: CastlingStyle) -> String {
    let mut text = Vec::new();
    position.write_fen(&mut text, en_passant, castling);
    String::from_utf8(text).expect("ASCII")
}

fn shredder(position: &Position) -> String {
    styled(position, EnPassantStyle::Always, CastlingStyle::Shredder)
}

/// The examples of the FEN documents: each is read and written unchanged, and equals the position after its moves.
#[test]
fn examples_of_the_documents() {
    let after = [
        ("", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"),
        ("e4 c5", "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2"),
        ("e4 c5 Nf3", "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"),
    ];
    for (line, fen) in after {
        assert_eq!(position(fen).fen(), fen);
        let mut played = Position::standard();
        play(&mut played, line);
        assert_eq!(played.fen(), fen);
        assert_eq!(played, position(fen), "{line}");
    }
    let endgame = position("4k3/8/8/8/8/8/4P3/4K3 w - - 5 39");
    assert_eq!(endgame.fen(), "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39");
    assert_eq!((endgame.halfmove_clock(), endgame.fullmove_number()), (5, 39));
    // The symbol of an earlier version of FEN.
    assert_eq!(position("4k3/8/8/8/8/8/4P3/4K3 w nil nil 5 39"), endgame);
}

/// Returns the first four fields, and the counters if they follow.
fn fen_of_epd(line: &str) -> String {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let clock = |at: usize| fields.get(at).copied().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let clocks = [clock(4).unwrap_or("0"), clock(5).unwrap_or("1")];
    [&fields[..4], &clocks].concat().join(" ")
}

fn check_corpus(name: &str, count: usize, shredder_rights: bool) {
    let Some(text) = corpora::text(&format!("fen/{name}")) else {
        return;
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(lines.len(), count, "{name} is not the corpus it was");
    lines.par_iter().for_each(|line| {
        let fen = fen_of_epd(line);
        let read = position(&fen);
        let written = if shredder_rights { shredder(&read) } else { read.fen() };
        assert_eq!(written, fen);
        for text in [read.fen(), shredder(&read)] {
            assert_eq!(position(&text), read, "{text}");
        }
        let oracle = Fen::from_ascii(fen.as_bytes()).expect(&fen).to_string();
        assert_eq!(read.fen(), oracle);
        // The line without its counters gives the same position.
        let short = fen.rsplitn(3, ' ').last().unwrap_or_default();
        let mut unclocked = position(short);
        unclocked.set_clocks(read.halfmove_clock(), read.fullmove_number());
        assert_eq!(unclocked, read);
    });
}

#[test]
fn corpora_are_read_and_written_unchanged() {
    check_corpus("bratko-kopec.epd", 24, false);
    check_corpus("wac.epd", 300, false);
    check_corpus("endgame.epd", 200, false);
    check_corpus("endgames-20k.epd", 20_000, false);
    check_corpus("chess960-starts.sfen", 960, true);
    check_corpus("double-chess960-openings.epd", 20_000, true);
}

#[test]
fn perft_suites_of_the_corpora_are_read_and_written_unchanged() {
    for name in ["perft-standard-random.perft", "perft-tricky.perft", "perft-chess960.perft"] {
        let Some(text) = corpora::text(&format!("fen/{name}")) else {
            return;
        };
        for line in text.lines().filter_map(|line| line.strip_prefix("epd ")) {
            let read = position(line);
            let oracle = Fen::from_ascii(line.as_bytes()).expect(line).to_string();
            assert_eq!(read.fen(), oracle, "{name}");
            assert_eq!(position(&shredder(&read)), read, "{name}: {line}");
        }
    }
}

#[test]
fn tolerance() {
    let start = Position::standard();
    let same = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - - -",
        "  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\tw  KQkq   -  0 1 \r\n",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR W qkQK - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 00 01",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KAhq nil 0 1",
    ];
    for text in same {
        assert_eq!(position(text), start, "{text}");
    }
    let bare = position("4k3/8/8/8/8/8/8/4K3");
    assert_eq!(bare.fen(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    assert_eq!(position("4k3/8/44/2222/8/11111111/8/4K3 w"), bare, "digits may be split");
    let clocks = position("4k3/8/8/8/8/8/8/4K3 b - - 4294967295 4294967295");
    assert_eq!(clocks.fen(), "4k3/8/8/8/8/8/8/4K3 b - - 4294967295 4294967295");
    let mut played = clocks;
    play(&mut played, "Kd7");
    assert_eq!(played.fen(), "8/3k4/8/8/8/8/8/4K3 w - - 4294967295 4294967295", "clocks stay at their end");
}

#[test]
fn what_cannot_be_is_dropped() {
    let becomes = |fen: &str, expected: &str| assert_eq!(position(fen).fen(), expected, "{fen}");
    // Rights without rook, without king, with the king or the rook off the back rank, of a rook of the other side.
    becomes("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    becomes("8/8/8/8/8/8/8/R6R w KQkq - 0 1", "8/8/8/8/8/8/8/R6R w - - 0 1");
    becomes("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "4k3/8/8/8/8/8/4K3/R6R w - - 0 1");
    becomes("4k3/8/8/8/8/8/7R/4K3 w KH - 0 1", "4k3/8/8/8/8/8/7R/4K3 w - - 0 1");
    becomes("4k3/8/8/8/8/8/8/4K2r w KH - 0 1", "4k3/8/8/8/8/8/8/4K2r w - - 0 1");
    becomes("4k3/8/8/8/8/8/8/R3K3 w KEFGH - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    // Targets that follow from no double step: no pawn, the wrong rank, a piece on the way, the wrong side.
    becomes("4k3/8/8/8/8/8/8/4K3 b - e3 0 1", "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    becomes("4k3/8/8/4p3/4P3/8/8/4K3 b - e6 0 1", "4k3/8/8/4p3/4P3/8/8/4K3 b - - 0 1");
    becomes("4k3/8/8/4p3/4P3/8/8/4K3 w - e3 0 1", "4k3/8/8/4p3/4P3/8/8/4K3 w - - 0 1");
    becomes("4k3/8/8/8/4P3/8/4N3/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/4N3/4K3 b - - 0 1");
    becomes("4k3/8/8/8/4P3/4N3/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/4N3/8/4K3 b - - 0 1");
    becomes("4k3/8/8/8/4p3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4p3/8/8/4K3 b - - 0 1");
    becomes("4k3/8/8/8/4P3/8/8/4K3 b - a1 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
}

#[test]
fn styles() {
    // Inner rooks: X-FEN names the files of these rooks only.
    let inner = position("r1rk1rr1/8/8/8/8/8/8/R1RK1RR1 w CGcf - 0 1");
    assert_eq!(inner.fen(), "r1rk1rr1/8/8/8/8/8/8/R1RK1RR1 w KCfc - 0 1");
    assert_eq!(shredder(&inner), "r1rk1rr1/8/8/8/8/8/8/R1RK1RR1 w GCfc - 0 1");
    assert_eq!(inner.castling_rook(Color::White, CastlingSide::King), Square::parse(b"g1"));
    assert_eq!(inner.castling_rook(Color::White, CastlingSide::Queen), Square::parse(b"c1"));
    assert_eq!(inner.castling_rook(Color::Black, CastlingSide::King), Square::parse(b"f8"));
    let outer = position("r1rk1rr1/8/8/8/8/8/8/R1RK1RR1 w KQkq - 0 1");
    assert_eq!(shredder(&outer), "r1rk1rr1/8/8/8/8/8/8/R1RK1RR1 w GAga - 0 1");
    assert_ne!(inner, outer);

    let legal = |fen: &str| styled(&position(fen), EnPassantStyle::Legal, CastlingStyle::XFen);
    let taken = "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1";
    assert_eq!(legal(taken), taken);
    assert_eq!(
        legal("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"),
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    );
    assert_eq!(legal("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1"), "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1");
}

#[test]
fn faults_name_field_and_column() {
    use FenField::{Castling, EnPassant, FullmoveNumber, HalfmoveClock, Placement, Turn};
    let faults: &[(&[u8], FenField, usize)] = &[
        (b"", Placement, 1),
        (b"   ", Placement, 4),
        // Too few or too many squares in a rank, ranks, and letters.
        (b"4k3/8/8/8/8/8/8/4K2 w - - 0 1", Placement, 20),
        (b"4k3/8/8/8/8/8/8", Placement, 16),
        (b"4k3/8/8/8/8/8/8/4K3/8 w - - 0 1", Placement, 20),
        (b"4k4/8/8/8/8/8/8/4K3 w - - 0 1", Placement, 3),
        (b"4k3p/8/8/8/8/8/8/4K3 w - - 0 1", Placement, 4),
        (b"4k2/8/8/8/8/8/8/4K3 w - - 0 1", Placement, 4),
        (b"4k3/8/8/8/8/8/8/4X3 w - - 0 1", Placement, 18),
        (b"4k3/9/8/8/8/8/8/4K3 w - - 0 1", Placement, 5),
        (b"4k3/0/8/8/8/8/8/4K3 w - - 0 1", Placement, 5),
        (b"4k3/8//8/8/8/8/4K3 w - - 0 1", Placement, 7),
        (b"/4k3/8/8/8/8/8/8/4K3", Placement, 1),
        (b"4k3/8/8/8/\xC3\xA9/8/8/4K3 w", Placement, 11),
        (b" 4k3/8/8/8/8/8/8/4Z3", Placement, 19),
        (b"4k3/8/8/8/8/8/8/4K3 x - - 0 1", Turn, 21),
        (b"4k3/8/8/8/8/8/8/4K3 wb - - 0 1", Turn, 21),
        (b"4k3/8/8/8/8/8/8/4K3  - w - 0 1", Turn, 22),
        (b"r3k2r/8/8/8/8/8/8/R3K2R w KQxq - 0 1", Castling, 29),
        (b"r3k2r/8/8/8/8/8/8/R3K2R w KI - 0 1", Castling, 28),
        (b"r3k2r/8/8/8/8/8/8/R3K2R w K-q - 0 1", Castling, 28),
        (b"r3k2r/8/8/8/8/8/8/R3K2R w - e9 0 1", EnPassant, 29),
        (b"r3k2r/8/8/8/8/8/8/R3K2R w - E3 0 1", EnPassant, 29),
        (b"r3k2r/8/8/8/8/8/8/R3K2R w - e 0 1", EnPassant, 29),
        (b"r3k2r/8/8/8/8/8/8/R3K2R w - 0 1", EnPassant, 29),
        (b"4k3/8/8/8/8/8/8/4K3 w - - x 1", HalfmoveClock, 27),
        (b"4k3/8/8/8/8/8/8/4K3 w - - -1 1", HalfmoveClock, 27),
        (b"4k3/8/8/8/8/8/8/4K3 w - - +1 1", HalfmoveClock, 27),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 4294967296 1", HalfmoveClock, 27),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 1.", FullmoveNumber, 29),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999999999999", FullmoveNumber, 29),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 \xFF", FullmoveNumber, 29),
        (b"4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", FullmoveNumber, 31),
    ];
    for &(text, field, column) in faults {
        let read = Position::from_fen(text).err().map(|error| (error.field, error.column));
        assert_eq!(read, Some((field, column)), "{}", String::from_utf8_lossy(text));
    }
    let error = Position::from_fen(b"4k3/8/8/8/8/8/8/4K3 x").expect_err("no such side");
    assert_eq!(error.to_string(), "bad FEN: side to move at column 21: neither w nor b");
}

/// Exercises any position of a text: nothing may panic, and writing and reading must give the same position.
fn use_position(text: &[u8]) -> Result<(), TestCaseError> {
    let position = match Position::from_fen(text) {
        Ok(position) => position,
        Err(error) => {
            // The column is in the text or directly after it.
            prop_assert!((1..=text.len() + 1).contains(&error.column), "{error}");
            return Ok(());
        }
    };
    for text in [position.fen(), shredder(&position)] {
        prop_assert_eq!(Position::from_fen(text.as_bytes()), Ok(position.clone()), "{}", text);
    }
    position.zobrist();
    let moves = position.legal_moves();
    prop_assert_eq!(position.has_legal_move(), !moves.is_empty());
    for m in moves {
        prop_assert_eq!(position.legality(m), Ok(()));
        prop_assert_eq!(position.parse_san(position.san(m).as_bytes()), Ok(m), "{}", position.san(m));
        let mut next = position.clone();
        next.play_unchecked(m);
        if let Some(king) = next.king(position.turn()) {
            prop_assert!(!next.attacked_by(next.turn(), king), "{}", position.san(m));
        }
    }
    Ok(())
}

fn any_move() -> impl Strategy<Value = Move> {
    let kind = prop_oneof![
        Just(MoveKind::Plain),
        Just(MoveKind::EnPassant),
        Just(MoveKind::Null),
        Just(MoveKind::Castle(CastlingSide::King)),
        Just(MoveKind::Castle(CastlingSide::Queen)),
        prop::sample::select(Role::ALL.to_vec()).prop_map(MoveKind::Promotion),
    ];
    (0..64u8, 0..64u8, kind).prop_filter_map("squares", |(from, to, kind)| {
        Some(Move { from: Square::new(from)?, to: Square::new(to)?, kind })
    })
}

/// A piece or, somewhat more often, an empty square.
fn any_piece() -> impl Strategy<Value = char> {
    prop_oneof![6 => Just('1'), 5 => prop::sample::select("pnbrqkPNBRQKRrPp".chars().collect::<Vec<_>>())]
}

const SEEDS: [&str; 6] = [
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1",
    "r1rk1rr1/8/8/8/8/8/8/R1RK1RR1 w CFcf - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/8/8/3PpP2/8/8/8/4K3 w - e6 17 112",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: share(10_000) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..120)) {
        use_position(&text)?;
    }

    #[test]
    fn any_text_of_fen_letters_is_read_or_refused(
        text in "[pnbrqkPNBRQK1-8]{1,9}(/[pnbrqkPNBRQK1-8]{1,9}){0,8}\
                 ( [wb]( [KQkqA-Ha-h-]{1,5}( ([a-h][36]|-)( [0-9]{1,11}){0,3})?)?)?"
    ) {
        use_position(text.as_bytes())?;
    }

    /// With eight full ranks, every arrangement is accepted: most have several kings or none, pawns on the last ranks,
    /// both sides in check.
    #[test]
    fn any_arrangement_is_a_position(
        pieces in prop::collection::vec(any_piece(), 64),
        rest in "[wb] [KQkqA-Ha-h]{1,4} ([a-h][36]|-) [0-9]{1,3} [0-9]{1,3}",
    ) {
        let ranks: Vec<String> = pieces.chunks(8).map(|rank| rank.iter().collect()).collect();
        let text = format!("{} {rest}", ranks.join("/"));
        prop_assert!(Position::from_fen(text.as_bytes()).is_ok(), "{}", text);
        use_position(text.as_bytes())?;
    }

    #[test]
    fn changed_fens_are_read_or_refused(
        seed in prop::sample::select(SEEDS.to_vec()),
        changes in prop::collection::vec((any::<Index>(), 0..4u8, any::<u8>(), any::<Index>()), 1..6),
    ) {
        let mut text = seed.as_bytes().to_vec();
        let letters = b"pnbrqkPNBRQK12345678/wb-KQkqHAha 0e3d6";
        for (choice, how, byte, letter) in changes {
            if text.is_empty() {
                break;
            }
            let at = choice.index(text.len());
            match how {
                0 => text[at] = byte,
                1 => text[at] = letters[letter.index(letters.len())],
                2 => text.insert(at, letters[letter.index(letters.len())]),
                _ => drop(text.remove(at)),
            }
        }
        use_position(&text)?;
    }

    /// The result of `play` with an illegal move is unspecified, but it must return, and later calls must work.
    #[test]
    fn illegal_moves_do_no_harm(
        seed in prop::sample::select(SEEDS.to_vec()),
        moves in prop::collection::vec(any_move(), 1..40),
        text in prop::collection::vec(any::<u8>(), 0..8),
    ) {
        let mut position = position(seed);
        for m in moves {
            position.play_unchecked(m);
            position.fen();
            position.zobrist();
            position.in_check();
            position.legal_moves();
            position.san(m);
            let _ = position.parse_san(&text);
        }
    }
}

//! FEN and EPD compared with the crate shakmaty in every flavor; written text is read again; hostile texts are refused.

use crate::common::corpora;
use crate::common::positions::position;
use crate::common::random::Random;
use crate::setups::chess960_start;
use oracle_rules::shakmaty;
use oracle_rules::shakmaty::fen::{Epd as TheirEpd, Fen as TheirFen};
use oracle_rules::shakmaty::uci::UciMove;
use oracle_rules::shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position as _};
use proptest::prelude::*;
use rayon::prelude::*;
use scoresheet::brenner::explain::{Notation, explain};
use scoresheet::brenner::move_id::{self, MoveId};
use scoresheet::brenner::standalone;
use scoresheet::chess::epd::{Epd, EpdFault, Operand};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, Fen, FenError, FenFault, FenField, Illegality, ReadMode};
use scoresheet::chess::{Color, Move, Position, Role, Square};
use scoresheet::game::{Event, Game, Outcome};
use scoresheet::pcn::{self, JsonLayout};

const TARGETS: [(EnPassantStyle, EnPassantMode); 3] = [
    (EnPassantStyle::Always, EnPassantMode::Always),
    (EnPassantStyle::Legal, EnPassantMode::Legal),
    (EnPassantStyle::PseudoLegal, EnPassantMode::PseudoLegal),
];

fn styled(position: &Position, target: EnPassantStyle, castling: CastlingStyle) -> String {
    let mut text = Vec::new();
    position.write_fen(&mut text, target, castling);
    String::from_utf8(text).expect("ASCII")
}

/// Compares every flavor of one position; `theirs` is the same position.
fn compare(ours: &Position, theirs: &Chess) {
    for (style, mode) in TARGETS {
        let fen = styled(ours, style, CastlingStyle::XFen);
        assert_eq!(fen, TheirFen::from_position(theirs, mode).to_string());
        let epd = Epd::from_position(ours, style, CastlingStyle::XFen).to_string();
        assert_eq!(epd, TheirEpd::from_position(theirs, mode).to_string());
        let read = Epd::read(epd.as_bytes(), ReadMode::Strict).expect(&epd);
        assert_eq!(read.to_string(), epd);
        // shakmaty does not write this form, but reads it as the same position.
        for castling in [CastlingStyle::XFen, CastlingStyle::Shredder, CastlingStyle::Standard] {
            let text = styled(ours, style, castling);
            let value = Fen::read(text.as_bytes(), ReadMode::Strict).expect(&text);
            assert_eq!(value.to_string(), text);
            let inner = castling == CastlingStyle::Standard && fen.split(' ').nth(2) != text.split(' ').nth(2);
            if style == EnPassantStyle::Always && !inner {
                assert_eq!(value.position().fen(), ours.fen());
                let read = TheirFen::from_ascii(text.as_bytes()).expect(&text);
                let read: Chess = read.into_position(CastlingMode::Chess960).expect(&text);
                assert_eq!(&read, theirs, "{text}");
            }
        }
    }
    assert_eq!(ours.illegalities(), [], "{}", ours.fen());
}

/// All legal moves have different ids, which are decoded to the same moves.
fn compare_ids(position: &Position) {
    for chess960 in [false, true] {
        let mut seen = Vec::new();
        for m in position.legal_moves() {
            let id = MoveId::from_move(m, chess960).unwrap_or_else(|| panic!("{m:?}"));
            assert_eq!(id.to_move(position), Some(m), "{}", position.fen());
            seen.push(id);
        }
        seen.sort();
        assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "{}", position.fen());
    }
}

fn their_move(position: &Position, m: Move, theirs: &Chess) -> shakmaty::Move {
    let mut uci = Vec::new();
    position.write_uci(m, true, &mut uci);
    UciMove::from_ascii(&uci).expect("UCI").to_move(theirs).expect("a legal move")
}

/// Plays a random game in both engines; returns the positions compared and the game.
fn play(theirs: Chess, plies: usize, rng: &mut Random) -> (usize, Game) {
    let mut theirs = theirs;
    let start = position(&TheirFen::from_position(&theirs, EnPassantMode::Always).to_string());
    let mut ours = start.clone();
    let mut game = Game { start, outcome: Some(Outcome::Unknown), ..Game::default() };
    for ply in 0..=plies {
        compare(&ours, &theirs);
        if rng.one_in(16) {
            compare_ids(&ours);
        }
        let moves = ours.legal_moves();
        if moves.is_empty() || ply == plies {
            return (ply + 1, game);
        }
        // Castling and en passant captures are rare: play them whenever possible.
        let rare: Vec<Move> =
            moves.iter().copied().filter(|m| !matches!(m.kind, scoresheet::chess::MoveKind::Plain)).collect();
        let m = if rare.is_empty() || rng.one_in(3) { rng.pick(&moves) } else { rng.pick(&rare) };
        let their = their_move(&ours, m, &theirs);
        theirs.play_unchecked(their);
        ours.play_unchecked(m);
        game.events.push(Event::Move(m));
    }
    unreachable!("the loop ends at the last ply")
}

fn pcn_comes_back(game: &Game) {
    let text = pcn::write(game, JsonLayout::Line);
    let mut read = pcn::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read.len(), 1);
    let back = read.pop().expect("one game");
    assert!(back.main_line().eq(game.main_line()), "{text}");
    assert_eq!(pcn::write(&back, JsonLayout::Line), text);
}

#[test]
fn random_games_agree_with_shakmaty() {
    let positions: usize = (0..600u64)
        .into_par_iter()
        .map(|number| {
            let mut rng = Random(number);
            let start = if number % 2 == 0 {
                Chess::default()
            } else {
                let setup = chess960_start(rng.below(960));
                Chess::from_setup(setup, CastlingMode::Chess960).expect("a legal start")
            };
            let (positions, game) = play(start, 90, &mut rng);
            if number % 4 < 2 {
                pcn_comes_back(&game);
            }
            positions
        })
        .sum();
    println!("600 random games, half of them Chess960: {positions} positions in 9 flavours");
    assert!(positions > 40_000);
}

#[test]
fn games_of_the_corpora_agree_with_shakmaty() {
    use scoresheet::pgn::{ReadOptions, Splitter, read_game};
    for (name, most) in [
        ("engine960/TCEC_Season_24_-_Frc6_League_A.pgn", 300),
        ("engine960/TCEC_Season_25_-_Frd_1_League_D.pgn", 700),
        ("annotated/pychess_world_matches.pgn", 700),
        ("engine/TCEC_Cup_15_Quarterfinal.pgn", 300),
        ("lichess-2013-01-first70.pgn", 2000),
    ] {
        let Some(text) = corpora::text(name) else { return };
        let mut splitter = Splitter::new(text.as_bytes(), 0, ReadOptions::default().limits);
        let mut games = Vec::new();
        while let Some(piece) = splitter.next_batch(1 << 20).expect("memory") {
            for region in &piece.spans {
                let mut game = Game::default();
                read_game(piece.span(region), 0, &ReadOptions::default(), &mut game);
                games.push(game);
            }
            if games.len() >= most {
                break;
            }
        }
        games.truncate(most);
        let positions: usize = games
            .par_iter()
            .map(|game| {
                let fen = TheirFen::from_ascii(game.start.fen().as_bytes()).expect("a FEN");
                let mut theirs: Chess = fen.into_position(CastlingMode::Chess960).expect("a legal start");
                let mut ours = game.start.clone();
                let mut count = 1;
                compare(&ours, &theirs);
                for m in game.main_line() {
                    if m == Move::NULL {
                        break;
                    }
                    let their = their_move(&ours, m, &theirs);
                    theirs.play_unchecked(their);
                    ours.play_unchecked(m);
                    compare(&ours, &theirs);
                    count += 1;
                }
                pcn_comes_back(game);
                count
            })
            .sum();
        println!("{name}: {} games, {positions} positions in 9 flavours", games.len());
    }
}

#[test]
fn suites_of_the_corpora_are_read_written_and_read_again() {
    for (name, expected) in [
        ("bratko-kopec.epd", 24),
        ("wac.epd", 300),
        ("endgame.epd", 200),
        ("endgames-20k.epd", 20_000),
        ("double-chess960-openings.epd", 20_000),
        ("chess960-starts.sfen", 960),
        ("perft-standard-random.perft", 6838),
        ("perft-tricky.perft", 26),
        ("perft-chess960.perft", 960),
    ] {
        let Some(text) = corpora::text(&format!("fen/{name}")) else { return };
        let perft = name.ends_with(".perft");
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .filter_map(|line| if perft { line.strip_prefix("epd ") } else { Some(line) })
            .collect();
        assert_eq!(lines.len(), expected, "{name}");
        let (mut moves, mut suspect) = (0, 0);
        for line in lines {
            let epd = Epd::read(line.as_bytes(), ReadMode::Forgiving).unwrap_or_else(|error| panic!("{line}: {error}"));
            let again = epd.to_string();
            assert_eq!(Epd::read(again.as_bytes(), ReadMode::Strict).as_ref(), Ok(&epd), "{line}");
            assert_eq!(epd.position(), Epd::read(again.as_bytes(), ReadMode::Strict).expect(line).position());
            for opcode in ["bm", "am", "pm", "sm", "pv"] {
                moves += epd.moves(opcode).unwrap_or_else(|error| panic!("{line}: {opcode} {error:?}")).len();
            }
            if let Ok(fen) = Fen::read(line.as_bytes(), ReadMode::Strict) {
                assert_eq!(Fen::read(fen.to_string().as_bytes(), ReadMode::Strict), Ok(fen.clone()));
                assert_eq!(fen.to_string(), line);
            }
            let position = epd.position();
            suspect += usize::from(!position.illegalities().is_empty());
            // Positions are legal here exactly if shakmaty calls them legal, by pieces and checks, ignoring the
            // counters.
            let theirs = TheirFen::from_ascii(position.fen().as_bytes()).expect(line);
            let theirs = theirs.into_position::<Chess>(CastlingMode::Chess960);
            let clock =
                |reason: &Illegality| matches!(reason, Illegality::ClockBeyondGame | Illegality::ClockAfterDoubleStep);
            let ours = position.illegalities().iter().all(clock);
            let theirs = theirs.or_else(shakmaty::PositionError::ignore_too_much_material).is_ok();
            let material = position.illegalities().iter().all(|reason| {
                clock(reason)
                    || matches!(
                        reason,
                        Illegality::TooManyPieces(_) | Illegality::TooManyPawns(_) | Illegality::TooManyPromoted(_)
                    )
            });
            assert_eq!(material, theirs, "{line}: {:?}", position.illegalities());
            assert!(material || !ours);
        }
        println!("{name}: {expected} positions, {moves} moves in operations, {suspect} that no game leads to");
    }
}

#[test]
fn strict_reading_names_field_column_and_fault() {
    use FenFault::*;
    use FenField::*;
    let cases: &[(&str, FenField, usize, FenFault)] = &[
        ("4k3/8/8/8/8/8/8/4K3 w - - 0", FullmoveNumber, 28, Missing),
        ("4k3/8/8/8/8/8/8/4K3 w - -", HalfmoveClock, 26, Missing),
        ("4k3/8/8/8/8/8/8/4K3", Turn, 20, Missing),
        ("4k3/44/8/8/8/8/8/4K3 w - - 0 1", Placement, 6, AdjacentDigits),
        ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", Turn, 21, NoSuchSide),
        ("4k3/8/8/8/8/8/8/4K3  w - - 0 1", Turn, 21, Separator),
        (" 4k3/8/8/8/8/8/8/4K3 w - - 0 1", Placement, 1, Separator),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 ", FullmoveNumber, 31, Separator),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", FullmoveNumber, 31, TooManyFields),
        ("4k3/8/8/8/8/8/8/4K3 w - nil 0 1", EnPassant, 25, OldSymbol),
        ("4k3/8/8/8/8/8/8/4K3 w - e3 0 1", EnPassant, 25, WrongRank),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", FullmoveNumber, 29, LeadingZero),
        ("4k3/8/8/8/8/8/8/4K3 w - - - 1", HalfmoveClock, 27, NotANumber),
        ("4k3/8/8/8/8/8/8/4K3 w qk - 0 1", Castling, 24, RightOutOfOrder),
        ("4k3/8/8/8/8/8/8/4K3 w AH - 0 1", Castling, 24, RightOutOfOrder),
        ("4k4/9/9/9/9/9/9/4K4 w - - 0 1", Placement, 3, BoardSize { files: 9, ranks: 8 }),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", Placement, 18, BoardSize { files: 8, ranks: 7 }),
    ];
    for &(text, field, column, fault) in cases {
        assert_eq!(Fen::read(text.as_bytes(), ReadMode::Strict), Err(FenError { field, column, fault }), "{text}");
    }
}

#[test]
fn reasons_of_illegality() {
    let reasons = |fen: &str| Fen::read(fen.as_bytes(), ReadMode::Forgiving).expect(fen).illegalities();
    use Illegality::*;
    assert_eq!(reasons("4k3/8/8/8/8/8/8/8 w - - 0 1"), [NoKing(Color::White)]);
    assert_eq!(reasons("4k3/8/8/8/8/8/8/K3K3 w - - 0 1"), [ManyKings(Color::White)]);
    assert_eq!(reasons("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1"), [OpponentInCheck(Color::Black)]);
    assert_eq!(reasons("4k3/4R3/8/8/8/8/8/4K3 b - - 0 1"), []);
    assert_eq!(
        reasons("4k3/PPPPPPPP/P7/8/8/8/8/4K3 w - - 0 1"),
        [TooManyPawns(Color::White), OpponentInCheck(Color::Black)]
    );
    assert_eq!(
        reasons("4k3/8/8/QQ6/8/8/PPPPPPPP/4K3 w - - 0 1"),
        [TooManyPromoted(Color::White), OpponentInCheck(Color::Black)]
    );
    assert_eq!(reasons("4k3/8/8/8/8/8/8/4K2R w KQk - 0 1").len(), 2);
    assert_eq!(reasons("4k3/8/8/8/8/8/8/4K2R w KH - 0 1").len(), 1);
    assert_eq!(reasons("4k3/8/8/8/4P3/8/8/4K3 b - e3 1 9"), [ClockAfterDoubleStep]);
    assert_eq!(reasons("4k3/8/8/8/8/8/8/4K3 w - - 9 5"), [ClockBeyondGame]);
    // Two knights at once; rooks from both ends of a line; a rook and a bishop are possible.
    assert_eq!(reasons("4k3/2N3N1/8/8/8/8/8/4K3 b - - 0 9"), [ImpossibleCheck(Color::Black)]);
    assert_eq!(reasons("R3k2R/8/8/8/8/8/8/4K3 b - - 0 9"), [ImpossibleCheck(Color::Black)]);
    assert_eq!(reasons("R3k3/8/8/8/B7/8/8/4K3 b - - 0 9"), []);
    // After a double step, only the pawn can give check, or a piece that attacks through the pawn's first square.
    assert_eq!(reasons("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 9"), [ImpossibleCheck(Color::Black)]);
    assert_eq!(reasons("8/8/8/k7/3P4/8/8/4B1K1 b - d3 0 9"), []);
    assert_eq!(reasons("8/8/8/2k5/3P4/8/8/6K1 b - d3 0 9"), []);
}

#[test]
fn epd_is_strict_or_forgiving() {
    let pieces = "4k3/8/8/8/8/8/8/4K2R w K -";
    let read = |rest: &str, mode| Epd::read(format!("{pieces}{rest}").as_bytes(), mode);
    for (rest, column) in [
        (" bm O-O", 34),
        (" bm  O-O;", 31),
        ("  bm O-O;", 28),
        (" bm O-O;id \"x\";", 35),
        (" 2bm O-O;", 28),
        (" averyveryverylongop 1;", 28),
        (" 0 1", 28),
    ] {
        assert_eq!(read(rest, ReadMode::Strict).map_err(|error| error.column), Err(column), "{rest}");
    }
    let forgiven = read("  17 40 bm   O-O  Kf2 ; id \"a b\"", ReadMode::Forgiving).expect("forgiven");
    assert_eq!(forgiven.to_string(), format!("{pieces} hmvc 17; fmvn 40; bm O-O Kf2; id \"a b\";"));
    assert_eq!(forgiven.moves("bm").expect("legal").len(), 2);
    assert_eq!((forgiven.position().halfmove_clock(), forgiven.position().fullmove_number()), (17, 40));
    assert_eq!(read(" id \"open", ReadMode::Forgiving).map_err(|error| error.fault), Err(EpdFault::BadText));
    assert!(Epd::read(b"4k3/8/8/8/8/8/8/4K3 w -", ReadMode::Forgiving).is_err());
    let mut epd = Epd::from_position(&Position::standard(), EnPassantStyle::Always, CastlingStyle::Shredder);
    epd.push("pv", Operand::Word("e4".into()));
    epd.operations[0].operands.push(Operand::Word("e5".into()));
    assert_eq!(epd.to_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - pv e4 e5;");
    assert_eq!(epd.moves("pv").expect("legal").len(), 2);
}

/// FORMAT.md, "Move ids".
#[test]
fn move_ids_are_numbered_as_the_format_says() {
    let id = |from: &str, to: &str, promotion| {
        let square = |name: &str| Square::parse(name.as_bytes()).expect(name);
        MoveId::from_squares(square(from), square(to), promotion).map(MoveId::number)
    };
    assert_eq!(id("a1", "b1", None), Some(0));
    assert_eq!(id("e2", "e4", None), Some(378));
    assert_eq!(id("e1", "g1", None), Some(102));
    assert_eq!(id("e1", "h1", None), Some(103));
    assert_eq!(id("e7", "e8", Some(Role::Queen)), Some(1655));
    assert_eq!(id("h8", "g8", None), Some(1967));
    assert_eq!(id("e2", "e1", Some(Role::Knight)).zip(id("e2", "e1", None)).map(|(a, b)| a - b), Some(1));
    assert_eq!(
        (id("a1", "b4", None), id("e2", "e3", Some(Role::Queen)), id("a7", "a8", Some(Role::King))),
        (None, None, None)
    );
    for number in 0..move_id::MOVES {
        let (from, to, promotion) = MoveId::new(number).and_then(MoveId::squares).expect("a move");
        assert_eq!(MoveId::from_squares(from, to, promotion).map(MoveId::number), Some(number));
    }
    assert_eq!(MoveId::new(1968), Some(move_id::NULL));
    assert_eq!(MoveId::new(2047).and_then(MoveId::squares), None);
    assert_eq!(MoveId::new(2048), None);
}

/// The table of move ids and the worked stand-alone string of the document.
#[test]
fn examples_of_the_format_document() {
    let document = include_str!("../../docs/format/notations.md");
    let section = &document[document.find(" Move ids\n").expect("the section")..];
    let section = &section[..section.find("\n## ").unwrap_or(section.len())];
    let mut rows = 0;
    for line in section.lines().filter(|line| line.ends_with("` |")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, number, bits, _] = cells[..] else { panic!("{line}") };
        let number: u16 = number.parse().expect(line);
        assert_eq!(bits, format!("`{number:011b}`"));
        let id = MoveId::new(number).expect(line);
        match id.squares() {
            None => assert_eq!((name, id), ("null move", move_id::NULL)),
            Some((from, to, promotion)) => {
                let role = promotion.map_or(String::new(), |role| format!(" promoting to a {role:?}").to_lowercase());
                assert_eq!(name.split(',').next(), Some(format!("{from}{to}{role}").as_str()));
            }
        }
        rows += 1;
    }
    assert_eq!(rows, 9);
    let section = &document[document.find(" Stand-alone strings\n").expect("the section")..];
    let example = section.lines().find_map(|line| line.strip_prefix("    ")).expect("the example");
    let bytes: Vec<u8> = example.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect(byte)).collect();
    let game = standalone::decode(&bytes).expect("a sound string");
    assert_eq!((game.tag("White"), game.tag("Round"), game.outcome), (Some("A"), Some("1"), Some(Outcome::WhiteWins)));
    assert_eq!(standalone::encode(&game), Ok(bytes));
}

#[test]
fn pcn_castling_collisions_and_captures_en_passant() {
    let check = |fen: &str, line: &str, actions: &str| {
        let mut game = Game { start: position(fen), outcome: Some(Outcome::Unknown), ..Game::default() };
        let mut at = game.start.clone();
        for san in line.split(' ') {
            let m = at.parse_san(san.as_bytes()).unwrap_or_else(|error| panic!("{fen} {san}: {error}"));
            game.events.push(Event::Move(m));
            at.play_unchecked(m);
        }
        assert!(pcn::write(&game, JsonLayout::Line).contains(actions), "{}", pcn::write(&game, JsonLayout::Line));
        pcn_comes_back(&game);
    };
    check("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", r#"[[[7, 4], "shift", [7, 6]], [[7, 7], "shift", [7, 5]]]"#);
    check("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "O-O-O", r#"[[[0, 4], "shift", [0, 2]], [[0, 0], "shift", [0, 3]]]"#);
    let jumps = r#"[[[7, 5], "jump", [7, 6]], [[7, 6], "shift", [7, 5]], [[7, 6], "land", [7, 6]]]"#;
    check("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "O-O", jumps);
    check("4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", "O-O", r#"[[[7, 6], "shift", [7, 5]], [[7, 4], "shift", [7, 6]]]"#);
    check("4k3/8/8/8/8/8/8/6KR w H - 0 1", "O-O", r#"[[[7, 7], "shift", [7, 5]]]"#);
    let passes = r#"[[[3, 4], "capture", [3, 3]], [[3, 3], "shift", [2, 3]]]"#;
    check("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d5 exd6", passes);
    check("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", passes);
    check("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=N", r#"[[[1, 0], "capture", [0, 1], {"promotion": "W:N"}]]"#);
    check("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "--", r#""previous_moves": [[]]"#);
}

#[test]
fn pcn_errors_name_the_element() {
    use serde_json::{Value, json};
    let start: Value = serde_json::from_str(&pcn::write(&Game::default(), JsonLayout::Document)).expect("JSON");
    let refused = |member: &str, value: Value| {
        let mut game = start.clone();
        game[member] = value;
        pcn::parse_value(&game).map(|_| ()).expect_err(member).to_string()
    };
    let cases = [
        (refused("previous_moves", json!([[[[6, 4], "shift", [3, 4]]]])), "/previous_moves/0: not a legal move"),
        (
            refused("previous_moves", json!([[[[5, 4], "shift", [4, 4]]]])),
            "/previous_moves/0/0/0: no piece stands there",
        ),
        (
            refused("previous_moves", json!([[["W:N", "shift", [4, 4]]]])),
            "/previous_moves/0/0/0: the name is on no square, or on several",
        ),
        (
            refused("previous_moves", json!([[["W:K", "shift", [6, 4]]]])),
            "/previous_moves/0/0/2: the square is occupied",
        ),
        (
            refused("previous_moves", json!([[["W:K", "remove", [6, 4]]]])),
            "/previous_moves/0/0/2: no piece of the other side stands there",
        ),
        (
            refused("previous_moves", json!([[[[7, 6], "jump", [5, 5]]]])),
            "/previous_moves/0: a piece that jumped has not landed",
        ),
        (refused("previous_moves", json!([[["W:K", "castle", 4]]])), "/previous_moves/0/0/1: PCN has no such verb"),
        (
            refused("previous_moves", json!([[[52, "shift", 36, { "speed": 1 }]]])),
            "/previous_moves/0/0/3/speed: PCN has no such option",
        ),
        (
            refused("previous_moves", json!([[[52, "shift", 36, { "promotion": "W:Q" }]]])),
            "/previous_moves/0: not a legal move",
        ),
        (refused("previous_moves", json!([7])), "/previous_moves/0: expected a list of actions"),
        (refused("over?", json!("yes")), "/over?: expected true, false or null"),
        (refused("a/b~", json!(1)), "/a~1b~0: PCN has no such member"),
        (
            refused("starting_position", json!([[null], [null, null]])),
            "/starting_position/1: the rows of the board differ in length",
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(error, format!("bad PCN: {expected}"));
    }
    let shogi = pcn::parse(br#"[{"starting_position": [[["+s:b"]]]}]"#).map(|_| ()).expect_err("shogi");
    assert_eq!(shogi.to_string(), "bad PCN: /0/starting_position: a board of 1x1x1 squares; western chess has 8x8");
    // A knight that jumps and lands, and any other decomposition, is the same move.
    let mut game = start.clone();
    game["previous_moves"] = json!([
        [[62, "jump", [5, 5]], [[5, 5], "land", 45]],
        [[12, "shift", 20], [20, "shift", 28]],
        [["W:K", "jump", 52], [[6, 4], "land", 60], [52, "shift", 44]]
    ]);
    let read = pcn::parse_value(&game).expect("legal");
    let mut position = Position::standard();
    let sans: Vec<String> = read
        .main_line()
        .map(|m| {
            let san = position.san(m);
            position.play_unchecked(m);
            san
        })
        .collect();
    assert_eq!(sans, ["Nf3", "e5", "e3"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..160)) {
        for mode in [ReadMode::Strict, ReadMode::Forgiving] {
            let _ = Fen::read(&bytes, mode);
            let _ = Epd::read(&bytes, mode);
        }
        let _ = pcn::parse(&bytes);
        let _ = standalone::decode(&bytes);
        for notation in [Notation::Table, Notation::Alternate, Notation::Exchanged, Notation::Fixed] {
            let mut last = 0;
            let _ = explain(&bytes, notation, |line| {
                last = line.offset;
                let _ = line.to_string();
            });
            prop_assert!(last <= bytes.len());
        }
    }

    #[test]
    fn changed_epds_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(b"/8kKPpw-b e3;\"id0 9H\t\xC3".to_vec())), 0..5),
    ) {
        let mut text = b"r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 bm exd6 O-O; id \"a.1\"; hmvc 0;".to_vec();
        for (choice, byte) in changes {
            let at = choice.index(text.len());
            text[at] = byte;
        }
        for mode in [ReadMode::Strict, ReadMode::Forgiving] {
            if let Ok(epd) = Epd::read(&text, mode) {
                let again = epd.to_string();
                let back = Epd::read(again.as_bytes(), ReadMode::Forgiving);
                prop_assert_eq!(back.as_ref(), Ok(&epd), "{}", again);
                let _ = (epd.moves("bm"), epd.moves("pv"), epd.fen.illegalities());
                prop_assert_eq!(epd.fen.position(), epd.fen.position());
            }
            if let Ok(fen) = Fen::read(&text, mode) {
                prop_assert_eq!(Fen::read(fen.to_string().as_bytes(), ReadMode::Forgiving), Ok(fen));
            }
        }
    }

    #[test]
    fn changed_pcn_is_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(b"[]{}\",: 0123456789WwkKpPQtrue.-\xC3".to_vec())), 1..4),
    ) {
        let mut text = br#"{"over?": true, "...result?": null, "previous_moves": [[[52, "shift", 36]], [[[1, 3], "shift", [3, 3]]],
            [[36, "capture", 27]], [["w:q", "capture", [3, 3]]], [["W:K", "shift", 52]]]}"#.to_vec();
        for (choice, byte) in changes {
            let at = choice.index(text.len());
            text[at] = byte;
        }
        if let Ok(games) = pcn::parse(&text) {
            for game in games {
                pcn_comes_back(&game);
            }
        }
    }
}

#[test]
fn deep_and_long_pcn_is_refused() {
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    assert!(pcn::parse(&deep).is_err());
    let board = format!("{{\"starting_position\": {}{}}}", "[".repeat(100), "]".repeat(100));
    assert!(pcn::parse(board.as_bytes()).is_err());
    let long = format!("{{\"starting_position\": [{}]}}", vec!["null"; 1_000_000].join(","));
    assert!(pcn::parse(long.as_bytes()).is_err());
    let huge = format!("{{\"previous_moves\": [[[{}, \"shift\", 1e400]]]}}", u64::MAX);
    assert!(pcn::parse(huge.as_bytes()).is_err());
}

//! Patterns and the opening tree, compared with naive evaluations, position by position.

use crate::common::corpora;
use crate::common::import::archive_of;
use crate::common::random::Random;
use crate::common::sample::lichess;
use scoresheet::archive::{GameRef, GameSet};
use scoresheet::chess::{CastlingSide, Color, Move, MoveKind, Piece, Role, Square};
use scoresheet::game::{Comment, EngineNote, Outcome};
use scoresheet::{Archive, Error, ImportOptions, Monitor, Position};
use scoresheet_query::pattern::{
    BoardPattern, Condition, Imbalance, Material, MoveNumbers, MoveRule, Pattern, PatternOptions,
};
use scoresheet_query::report::book::{BookBuilder, BookOptions, Recent, key};
use scoresheet_query::{
    PositionIndex, PositionQuery, Search, SearchOptions, Signatures, TagColumns, Tree, Visit, pattern::json,
    position::index,
};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn sample(folder: &Path) -> Archive {
    let sample = lichess();
    archive_of(&[sample], &folder.join("sample.bga"), ImportOptions::default())
}

/// A ply for the naive evaluation: the position, the previous one and the move between.
struct Ply<'a> {
    position: &'a Position,
    before: Option<(&'a Position, Move)>,
}

impl Ply<'_> {
    fn count(&self, letter: u8) -> usize {
        let piece = Piece::from_letter(letter);
        (0..64).filter_map(Square::new).filter(|square| self.position.piece_at(*square) == piece).count()
    }

    fn stands(&self, square: &str) -> Option<char> {
        let square = Square::parse(square.as_bytes()).unwrap();
        self.position.piece_at(square).map(|piece| piece.letter() as char)
    }

    fn san(&self) -> (Option<Color>, String) {
        match self.before {
            Some((before, m)) => (Some(before.turn()), before.san(m).trim_end_matches(['+', '#']).to_owned()),
            None => (None, String::new()),
        }
    }

    fn captured(&self) -> Option<Role> {
        let (before, m) = self.before?;
        match m.kind {
            MoveKind::EnPassant => Some(Role::Pawn),
            MoveKind::Castle(_) | MoveKind::Null => None,
            _ => before.piece_at(m.to).map(|piece| piece.role),
        }
    }

    fn moved(&self) -> Option<Role> {
        self.before.and_then(|(before, m)| before.piece_at(m.from)).map(|piece| piece.role)
    }
}

/// Returns whether each ply of a game matches.
fn naive(game: &GameRef, fits: &dyn Fn(&Ply) -> bool) -> Vec<bool> {
    let mut position = game.start().clone();
    let mut plies = vec![fits(&Ply { position: &position, before: None })];
    for m in game.to_game().unwrap().main_line() {
        let before = position.clone();
        position.play_unchecked(m);
        plies.push(fits(&Ply { position: &position, before: Some((&before, m)) }));
    }
    plies
}

#[test]
fn conditions_agree_with_a_naive_evaluation() {
    let folder = crate::common::tempdir().unwrap();
    let archive = sample(folder.path());
    let signatures = Signatures::build(&archive);
    let board = |text: &str| Condition { boards: vec![BoardPattern::parse(text).unwrap()], ..Condition::default() };
    let material = |text: &str| Condition { materials: vec![Material::parse(text).unwrap()], ..Condition::default() };
    let white =
        |text: &str| Condition { moves: vec![MoveRule::parse(text, Color::White).unwrap()], ..Condition::default() };
    let black =
        |text: &str| Condition { moves: vec![MoveRule::parse(text, Color::Black).unwrap()], ..Condition::default() };
    type Fits = Box<dyn Fn(&Ply) -> bool + Sync>;
    let cases: Vec<(&str, Condition, Fits)> = vec![
        (
            "pieces",
            board("8/8/p7/8/8/1B3N2/8/8"),
            Box::new(|ply| {
                ply.stands("a6") == Some('p') && ply.stands("b3") == Some('B') && ply.stands("f3") == Some('N')
            }),
        ),
        (
            "blanks",
            board("8/[^p]7/8/8/3*4/8/6.[Pr]/A7"),
            Box::new(|ply| {
                ply.stands("a7") != Some('p')
                    && ply.stands("d4").is_some()
                    && ply.stands("g2").is_none()
                    && matches!(ply.stands("h2"), Some('P' | 'r'))
                    && ply.stands("a1").is_some_and(|occupant| occupant.is_ascii_uppercase())
            }),
        ),
        (
            "pawns",
            Condition {
                pawns: vec![BoardPattern::parse_pawns("8/pp3ppp/4p3/3p4/3P4/4P3/PP3PPP/8").unwrap()],
                ..Condition::default()
            },
            Box::new(|ply| {
                let fen = ply.position.fen();
                let only: String = fen
                    .split(' ')
                    .next()
                    .unwrap()
                    .chars()
                    .map(|c| match c {
                        '1'..='8' => ".".repeat(c as usize - '0' as usize),
                        'p' | 'P' | '/' => c.to_string(),
                        _ => ".".to_owned(),
                    })
                    .collect();
                only == "......../pp...ppp/....p.../...p..../...P..../....P.../PP...PPP/........"
            }),
        ),
        (
            "material",
            material("KRP1-3krp1+"),
            Box::new(|ply| {
                (ply.count(b'R'), ply.count(b'r')) == (1, 1)
                    && (1..=3).contains(&ply.count(b'P'))
                    && ply.count(b'p') >= 1
                    && b"QBNqbn".iter().all(|occupant| ply.count(*occupant) == 0)
            }),
        ),
        (
            "upper case",
            material("KQPPPKQPPP"),
            Box::new(|ply| {
                (ply.count(b'P'), ply.count(b'p'), ply.count(b'Q'), ply.count(b'q')) == (3, 3, 1, 1)
                    && b"RBNrbn".iter().all(|occupant| ply.count(*occupant) == 0)
            }),
        ),
        (
            "imbalance",
            Condition { imbalances: vec![Imbalance::parse("NNvBP").unwrap()], ..Condition::default() },
            Box::new(|ply| {
                let more = |occupant: u8| ply.count(occupant) as i32 - ply.count(occupant.to_ascii_lowercase()) as i32;
                b"PNBRQ".map(more) == [-1, 2, -1, 0, 0]
            }),
        ),
        (
            "exchange for any pawns",
            Condition { imbalances: vec![Imbalance::parse("R v [BN], pawns free").unwrap()], ..Condition::default() },
            Box::new(|ply| {
                let more = |piece: u8| ply.count(piece) as i32 - ply.count(piece.to_ascii_lowercase()) as i32;
                more(b'Q') == 0 && more(b'R') == 1 && [(0, -1), (-1, 0)].contains(&(more(b'B'), more(b'N')))
            }),
        ),
        (
            "two free kinds",
            Condition {
                imbalances: vec![Imbalance::parse("QP*v[RB]R, knights free").unwrap()],
                ..Condition::default()
            },
            Box::new(|ply| {
                let more = |piece: u8| ply.count(piece) as i32 - ply.count(piece.to_ascii_lowercase()) as i32;
                more(b'Q') == 1 && [(-2, 0), (-1, -1)].contains(&(more(b'R'), more(b'B')))
            }),
        ),
        (
            "late castling",
            Condition { move_numbers: Some(MoveNumbers::parse("20-30").unwrap()), ..white("O-O") },
            Box::new(|ply| {
                let number =
                    ply.before.map(|(before, _)| before.fen().rsplit(' ').next().unwrap().parse::<u32>().unwrap());
                number.is_some_and(|number| (20..=30).contains(&number))
                    && ply.san() == (Some(Color::White), "O-O".to_owned())
            }),
        ),
        (
            "en passant",
            black("e.p."),
            Box::new(|ply| {
                ply.before.is_some_and(|(before, m)| before.turn() == Color::Black && m.kind == MoveKind::EnPassant)
            }),
        ),
        (
            "en passant on a square",
            white("exd6 e.p."),
            Box::new(|ply| {
                ply.san() == (Some(Color::White), "exd6".to_owned())
                    && ply.before.is_some_and(|(_, m)| m.kind == MoveKind::EnPassant)
            }),
        ),
        (
            "underpromotion",
            white("=[NBR]"),
            Box::new(|ply| {
                let (color, san) = ply.san();
                color == Some(Color::White) && ["=N", "=B", "=R"].iter().any(|end| san.ends_with(end))
            }),
        ),
        ("white castles", white("O-O-O"), Box::new(|ply| ply.san() == (Some(Color::White), "O-O-O".to_owned()))),
        (
            "black pawn",
            black("c3"),
            Box::new(|ply| {
                let (color, san) = ply.san();
                color == Some(Color::Black) && san.starts_with(|c: char| c.is_ascii_lowercase()) && san.ends_with("c3")
            }),
        ),
        (
            "promotion",
            white("e8=Q"),
            Box::new(|ply| {
                let (color, san) = ply.san();
                color == Some(Color::White) && san.ends_with("e8=Q")
            }),
        ),
        (
            "promotion on any square",
            white("=Q"),
            Box::new(|ply| {
                let (color, san) = ply.san();
                color == Some(Color::White) && san.ends_with("=Q")
            }),
        ),
        (
            "promotion by a capture",
            black("x=Q"),
            Box::new(|ply| {
                let (color, san) = ply.san();
                color == Some(Color::Black) && san.ends_with("=Q") && san.contains('x')
            }),
        ),
        (
            "from a file",
            white("Rad1"),
            Box::new(|ply| {
                ply.before.is_some_and(|(before, m)| {
                    before.turn() == Color::White
                        && m.to.to_string() == "d1"
                        && m.from.file().index() == 0
                        && ply.moved() == Some(Role::Rook)
                        && !matches!(m.kind, MoveKind::Castle(_))
                })
            }),
        ),
        (
            "king or pawn takes queen",
            Condition {
                moved: Some(vec![Role::King, Role::Pawn]),
                captured: Some(vec![Role::Queen]),
                ..Condition::default()
            },
            Box::new(|ply| matches!(ply.moved(), Some(Role::King | Role::Pawn)) && ply.captured() == Some(Role::Queen)),
        ),
        (
            "pawn taken, Black to move",
            Condition { captured: Some(vec![Role::Pawn]), side: Some(Color::Black), ..Condition::default() },
            Box::new(|ply| ply.captured() == Some(Role::Pawn) && ply.position.turn() == Color::Black),
        ),
        (
            "quiet",
            Condition { captured: Some(vec![]), moved: Some(vec![Role::Rook]), ..Condition::default() },
            Box::new(|ply| ply.before.is_some() && ply.captured().is_none() && ply.moved() == Some(Role::Rook)),
        ),
    ];
    let games = crate::common::share(archive.len() * 2);
    let games = GameSet::from_numbers(archive.len(), 1..=games.min(archive.len()));
    for (name, condition, fits) in &cases {
        let (mut expected, mut lasting, mut all_lasting) = (Vec::new(), Vec::new(), Vec::new());
        for game in games.iter() {
            let game = archive.game(game).unwrap();
            let plies = naive(&game, fits);
            expected.extend((0u32..).zip(&plies).filter(|(_, fits)| **fits).map(|(ply, _)| (game.number(), ply)));
            let windows = |ply: usize| (ply.saturating_sub(2)..=ply).filter_map(|from| plies.get(from..from + 3));
            let lasts = |ply: &usize| windows(*ply).any(|three| three.iter().all(|fits| *fits));
            all_lasting.extend((0..plies.len()).filter(lasts).map(|ply| (game.number(), ply as u32)));
            let three = plies.windows(3).position(|three| three.iter().all(|fits| *fits));
            lasting.extend(
                three
                    .into_iter()
                    .flat_map(|at| (at as u32..at as u32 + 3).map(|ply| (game.number(), ply)).collect::<Vec<_>>()),
            );
        }
        assert!(!expected.is_empty(), "{name}: the sample has none");
        let search = Search::new(&archive).with_signatures(&signatures).among(Some(&games));
        let found = |pattern: &Pattern, either, all| {
            let reach = SearchOptions { all_plies: all, ..SearchOptions::default() };
            let found = search.pattern(pattern, PatternOptions { either_color: either, reach });
            found.hits.iter().map(|hit| (hit.game, hit.ply)).collect::<Vec<_>>()
        };
        let once = Pattern::lasting(condition.clone(), 1);
        assert_eq!(found(&once, false, true), expected, "{name}");
        let firsts: Vec<_> = expected.chunk_by(|a, b| a.0 == b.0).map(|game| game[0]).collect();
        assert_eq!(found(&once, false, false), firsts, "{name}");
        let three = Pattern::lasting(condition.clone(), 3);
        assert_eq!(found(&three, false, false), lasting, "{name}");
        assert_eq!(found(&three, false, true), all_lasting, "{name}");
        assert_eq!(once.swapped().swapped(), once, "{name}");
        let either = found(&once, true, true);
        assert!(expected.iter().all(|hit| either.binary_search(hit).is_ok()), "{name}");
    }
}

#[test]
fn the_other_colour() {
    let folder = crate::common::tempdir().unwrap();
    let source = folder.path().join("two.pgn");
    std::fs::write(&source, "1. e4 e5 2. d4 *\n\n1. a3 e5 2. a4 d5 *\n").unwrap();
    let archive = archive_of(&[source], &folder.path().join("two.bga"), ImportOptions::default());
    let centre = Condition { boards: vec![BoardPattern::parse("8/8/8/8/3PP3/8/8/8").unwrap()], ..Condition::default() };
    let pattern = Pattern::lasting(centre, 1);
    let games = |either| {
        Search::new(&archive)
            .pattern(&pattern, PatternOptions { either_color: either, ..PatternOptions::default() })
            .hits
            .iter()
            .map(|hit| (hit.game, hit.ply))
            .collect::<Vec<_>>()
    };
    assert_eq!(games(false), [(1, 3)]);
    assert_eq!(games(true), [(1, 3), (2, 4)]);
}

const SEQUENCES: &str = "\
[Result \"1-0\"]\n\n1. d4 Nf6 2. c4 e6 3. Nc3 d6 4. e4 Be7 5. e5 dxe5 6. f4 exf4 7. Bxf4 O-O 8. Ne4 Nxe4 1-0\n
[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n
[Result \"1-0\"]\n\n1. d4 e5 2. dxe5 d6 3. exd6 Qxd6 4. Qxd6 Bxd6 5. Nf3 1-0\n
[Result \"1/2-1/2\"]\n[SetUp \"1\"]\n[FEN \"7k/5K2/8/6Q1/8/8/8/8 w - - 0 1\"]\n\n1. Qg6 1/2-1/2\n";

#[test]
fn queries_in_json() {
    let folder = crate::common::tempdir().unwrap();
    let source = folder.path().join("sequences.pgn");
    std::fs::write(&source, SEQUENCES).unwrap();
    let archive = archive_of(&[source], &folder.path().join("sequences.bga"), ImportOptions::default());
    let hits = |query: &str| {
        let query = json::parse(query).unwrap_or_else(|error| panic!("{query}: {error}"));
        let found = Search::new(&archive).pattern(&query.pattern, PatternOptions::default());
        found.hits.iter().map(|hit| (hit.game, hit.ply)).collect::<Vec<_>>()
    };
    for (query, expected) in [
        (r#"{ "pass": "" }"#, vec![(1, 0), (2, 0), (3, 0), (4, 0)]),
        (r#"{ "result": ["0-1", "1/2-1/2"] }"#, vec![(2, 0), (4, 0)]),
        (r#"{ "result": ["0:1", "½"] }"#, vec![(2, 0), (4, 0)]),
        (r#"{ "result": "black", "result-type": "mate" }"#, vec![(2, 4)]),
        (r#"{ "result-type": "stalemate" }"#, vec![(4, 1)]),
        (r#"{ "sub-fen": ["8/8/8/q7/8/8/8/8", "8/8/8/8/7q/8/8/8"] }"#, vec![(2, 4)]),
        (r#"{ "material": "KQK", "stm": "black" }"#, vec![(4, 1)]),
        (r#"{ "imbalance": "Pv" }"#, vec![(3, 3)]),
        (r#"{ "captured": "Q" }"#, vec![(3, 7)]),
        (r#"{ "stm": "white", "captured": "Q" }"#, vec![(3, 8)]),
        (r#"{ "moved": "Q", "captured": "" }"#, vec![(2, 4), (4, 1)]),
        (
            r#"{ "streak": [ { "white-move": "e5" }, { "black-move": "dxe5" }, { "white-move": "f4" } ] }"#,
            vec![(1, 9), (1, 10), (1, 11)],
        ),
        (
            r#"{ "streak": [ { "white-move": "e5" }, { "pass": "" }, { "white-move": "f4" } ] }"#,
            vec![(1, 9), (1, 10), (1, 11)],
        ),
        (r#"{ "streak": [ { "white-move": "e5" }, { "white-move": "f4" } ] }"#, vec![]),
        (
            r#"{ "sequence": [ { "black-move": "e6" }, { "streak": [ { "white-move": "e5" }, { "black-move": "dxe5" } ] }, { "white-move": "Ne4" } ] }"#,
            vec![(1, 4), (1, 9), (1, 10), (1, 15)],
        ),
        (r#"{ "sequence": [ { "white-move": "Ne4" }, { "white-move": "e5" } ] }"#, vec![]),
        // A failing start must not hide an overlapping one.
        (
            r#"{ "streak": [ { "captured": "Q" }, { "captured": "Q" }, { "captured": "" } ] }"#,
            vec![(3, 7), (3, 8), (3, 9)],
        ),
        (
            r#"{ "streak": [ { "captured": "QP" }, { "captured": "Q" }, { "captured": "Q" } ] }"#,
            vec![(3, 6), (3, 7), (3, 8)],
        ),
        (r#"{ "black-move": ["O-O-O", "O-O"] }"#, vec![(1, 14)]),
        (r#"{ "pattern": "6.k/8/8/8/8/8/8/8" }"#, vec![(4, 0)]),
    ] {
        assert_eq!(hits(query), expected, "{query}");
    }
    let query = json::parse(r#"{ "skip": 200, "limit": 100, "black-move": "O-O" }"#).unwrap();
    assert_eq!((query.skip, query.limit), (200, Some(100)));
}

#[test]
fn errors_point_at_their_place() {
    for (query, part, what) in [
        ("{ \"pass\": \"\" ", " ", "this is not JSON"),
        ("[]", "[]", "expected an object {..}"),
        (" {} ", "{}", "expected at least one rule"),
        (r#"{ "sub-fem": "8" }"#, "\"sub-fem\"", "sub-fem: no such rule"),
        (r#"{ "sub-fen": "8/8/8/8/8/8/8/9" }"#, "9", "sub-fen: "),
        (r#"{ "sub-fen": ["8/8/8/8/8/8/8/8", "8/8/8/8/8/8/8/7x"] }"#, "x", "sub-fen[1]: not a piece"),
        (r#"{ "material": "KRxKR" }"#, "x", "material: not a piece"),
        (r#"{ "material": "KR\u0078KR" }"#, "\\u0078", "material: not a piece"),
        (r#"{ "material": 7 }"#, "7", "material: expected a text"),
        // All faulty letters in a row are marked, and no correct letter.
        (r#"{ "material": "hello" }"#, "hello", "material: not a piece"),
        (r#"{ "material": "KR7zéykr" }"#, "zéy", "material: not a piece"),
        (r#"{ "material": "KP70k" }"#, "70", "material: a board has 64 squares"),
        (r#"{ "material": "KP12-3k" }"#, "3", "material: expected at least 12"),
        (r#"{ "imbalance": "PPvzoo" }"#, "zoo", "imbalance: not a piece"),
        (r#"{ "imbalance": "PPv[BNx]" }"#, "x", "imbalance: not a piece"),
        (r#"{ "imbalance": "PPv[BN" }"#, "[BN", "imbalance: missing closing bracket"),
        (r#"{ "imbalance": "RvB, prawns free" }"#, "prawns", "imbalance: expected for example"),
        (r#"{ "structure": "iqp towers" }"#, "towers", "structure: no such structure"),
        (r#"{ "at-move": "20-10" }"#, "20-10", "at-move: expected numbers of moves"),
        (r#"{ "black-move": "Nf6+#" }"#, "+#", "black-move: write + for check"),
        (r#"{ "result-type": "draw" }"#, "draw", "result-type: expected mate"),
        (r#"{ "pattern": "8/[Qr" }"#, "[Qr", "pattern: missing closing bracket"),
        (r#"{ "pattern": "8/[Qr/8" }"#, "/", "pattern: not a piece"),
        (r#"{ "moved": "QüX" }"#, "üX", "moved: not a piece"),
        // A fault at the end of a text marks no letter of it.
        (r#"{ "imbalance": "PPP" }"#, "", "imbalance: expected a v"),
        (r#"{ "result": "2-0" }"#, "2-0", "result: expected 1-0"),
        (r#"{ "white-move": "Nf9" }"#, "Nf9", "white-move: not a move"),
        (r#"{ "moved": "QX" }"#, "X", "moved: not a piece"),
        (r#"{ "moved": ["Q"] }"#, "[\"Q\"]", "moved: expected one text"),
        (r#"{ "stm": "balck" }"#, "balck", "stm: neither"),
        (r#"{ "sequence": [] }"#, "[]", "sequence: expected an array"),
        (
            r#"{ "sequence": [ { "pass": "" }, { "streak": [ { "pass": "" }, { "captured": "Y" } ] } ] }"#,
            "Y",
            "sequence[1].streak[1].captured: not a piece",
        ),
        (r#"{ "sequence": [ { "pass": "", "limit": 1 } ] }"#, "\"limit\"", "sequence[0].limit: no such rule"),
        (r#"{ "limit": -1, "pass": "" }"#, "-1", "limit: expected a whole number"),
    ] {
        let fault = json::parse(query).unwrap_err();
        assert_eq!(&query[fault.at()], part, "{query}: {fault}");
        assert!(fault.what().starts_with(what), "{query}: {fault}");
    }
    // In a query of several lines, the message shows the line.
    let fault = json::parse("{ \"pass\": \"\",\n  \"moved\": \"KX\" }").unwrap_err();
    assert_eq!(
        fault.to_string(),
        "column 14: moved: not a piece: write some of PNBRQK\n    \"moved\": \"KX\" }\n               ^"
    );
    for (board, column) in [
        ("8/8/8/8/8/8/8", 14),
        ("9/8/8/8/8/8/8/8", 1),
        ("44p/8/8/8/8/8/8/8", 3),
        ("8/8/8/8/8/8/8/8/8", 16),
        ("8/7/8/8/8/8/8/8", 4),
        ("8/[Qx]7/8/8/8/8/8/8", 5),
        ("8/[Q", 3),
    ] {
        assert_eq!(BoardPattern::parse(board).unwrap_err().column(), column, "{board}");
    }
    for (imbalance, column) in [
        ("PPP", 4),
        ("KvP", 1),
        ("[BNvP", 1),
        ("[]vP", 1),
        ("RvB, pawns", 11),
        ("RvB, free", 6),
        ("RvB, pawns free bishops", 17),
    ] {
        assert_eq!(Imbalance::parse(imbalance).unwrap_err().column(), column, "{imbalance}");
    }
    for numbers in ["", "-", "0", "5-4", "x", "1-2-3", "+5"] {
        assert!(MoveNumbers::parse(numbers).is_err(), "{numbers}");
    }
    for (material, column) in [("", 1), ("KP3-1k", 5), ("KP99k", 3), ("K-k", 2), ("KP2-", 5)] {
        assert_eq!(Material::parse(material).unwrap_err().column(), column, "{material}");
    }
}

/// The tree by positions: for each game the first ply with the position, by FEN without counters.
fn naive_tree(archive: &Archive, position: &Position) -> (u64, BTreeMap<String, [u64; 4]>, Vec<u64>) {
    let four = |position: &Position| {
        let mut fen = Vec::new();
        use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
        position.write_four(&mut fen, EnPassantStyle::Legal, CastlingStyle::Shredder);
        fen
    };
    let target = four(position);
    let (mut games, mut moves, mut reached) = (0, BTreeMap::<String, [u64; 4]>::new(), Vec::new());
    for game in archive.games() {
        let game = game.unwrap();
        let mut at = game.start().clone();
        let line: Vec<Move> = game.to_game().unwrap().main_line().collect();
        for ply in 0..=line.len() {
            if four(&at) == target {
                games += 1;
                reached.push(game.number());
                if let Some(m) = line.get(ply) {
                    moves.entry(at.san(*m)).or_default()[game.outcome().unwrap_or(Outcome::Unknown) as usize] += 1;
                }
                break;
            }
            if let Some(m) = line.get(ply) {
                at.play_unchecked(*m);
            }
        }
    }
    (games, moves, reached)
}

#[test]
fn trees_agree_with_and_without_the_index() {
    let folder = crate::common::tempdir().unwrap();
    let archive = sample(folder.path());
    let signatures = Signatures::build(&archive);
    index::build(&archive, 1 << 20, |_| {}).unwrap();
    let index = PositionIndex::open(&archive).0.unwrap();
    for (line, least) in [
        ("", 2990),
        ("e4", 1500),
        ("e4 e5 Nf3 Nc6", 100),
        ("Nf3 d5 d4", 5),
        ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", 1),
        ("e4 e5 Ke2 Ke7 Ke1", 0),
    ] {
        let mut position = Position::standard();
        for san in line.split_whitespace() {
            position.play_unchecked(position.parse_san(san.as_bytes()).unwrap());
        }
        let (games, moves, reached) = naive_tree(&archive, &position);
        assert!(games >= least, "{line}: {games}");
        let plain = Search::new(&archive);
        let some = GameSet::all(archive.len());
        for search in [
            plain.clone(),
            plain.clone().with_signatures(&signatures),
            plain.clone().with_index(&index),
            plain.clone().with_index(&index).among(&some),
        ] {
            let tree: Tree = search.tree(&position);
            assert!(tree.unread.is_empty());
            assert_eq!(tree.tally.games(), games, "{line}");
            let found: BTreeMap<String, [u64; 4]> = tree
                .branches
                .iter()
                .map(|branch| {
                    let tally = &branch.tally;
                    (position.san(branch.m), [tally.unknown, tally.black, tally.white, tally.draws])
                })
                .collect();
            assert_eq!(found, moves, "{line}");
            assert!(tree.branches.windows(2).all(|pair| pair[0].tally.games() >= pair[1].tally.games()));
            // Ratings, naively.
            let rating = |game: u64, tag: &str| {
                archive.game(game).unwrap().tag(tag).unwrap().and_then(|elo| elo.parse::<f64>().ok())
            };
            let ratings: Vec<f64> = reached
                .iter()
                .filter_map(|game| match (rating(*game, "WhiteElo"), rating(*game, "BlackElo")) {
                    (Some(white), Some(black)) => Some((white + black) / 2.0),
                    (white, black) => white.or(black),
                })
                .collect();
            let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
            assert_eq!(tree.tally.average_rating(), (!ratings.is_empty()).then_some(mean.round() as u32), "{line}");
            assert_eq!(tree.tally.last_year(), (games > 0).then_some(2013), "{line}");
            let best = ratings.iter().copied().fold(0.0, f64::max);
            assert_eq!(tree.tally.samples().count() as u64, games.min(15));
            if let Some(first) = tree.tally.samples().next() {
                let (white, black) = (rating(first, "WhiteElo"), rating(first, "BlackElo"));
                assert_eq!((white.or(black).unwrap() + black.or(white).unwrap()) / 2.0, best);
            }
        }
    }
}

/// White's rating, Black's, the result, and the move after the last visit, for each game with the position.
type Visits = Vec<(u64, [f64; 2], Outcome, Option<String>)>;

fn last_visits(archive: &Archive, position: &Position) -> Visits {
    let query = PositionQuery::from(position);
    let visit = |game: u64| {
        let game = archive.game(game).unwrap().to_game().unwrap();
        let mut at = game.start.clone();
        let mut next = query.matches(&at).then_some(None);
        let line: Vec<Move> = game.main_line().collect();
        for m in line {
            if let Some(next @ None) = &mut next {
                *next = Some(at.san(m));
            }
            at.play_unchecked(m);
            if query.matches(&at) {
                next = Some(None);
            }
        }
        let rating = |tag| game.tag(tag).and_then(|rating| rating.parse().ok()).unwrap_or(0.0);
        let ratings = [rating("WhiteElo"), rating("BlackElo")];
        next.map(|next| (ratings, game.outcome.unwrap_or(Outcome::Unknown), next))
    };
    let games =
        (1..=archive.len()).filter_map(|game| visit(game).map(|(ratings, outcome, m)| (game, ratings, outcome, m)));
    games.collect()
}

/// Returns the first possible date of a game in a form whose order is that of time.
fn date(archive: &Archive, game: u64) -> String {
    let game = archive.game(game).unwrap().to_game().unwrap();
    let dates = ["Date", "UTCDate"].map(|name| game.tag(name).unwrap_or("?").replace(".??", ".01"));
    dates.into_iter().find(|date| !date.starts_with('?')).unwrap()
}

#[test]
fn the_last_visit_counts_where_that_is_asked_for() {
    let folder = crate::common::tempdir().unwrap();
    // Games that reach the position again, one of them twice.
    let there_and_back = folder.path().join("repeated.pgn");
    let tags = "[Date \"2013.02.03\"]\n[WhiteElo \"2100\"]\n[BlackElo \"1900\"]";
    let again = ["2. Be2 Be7 3. Bf1 Bf8 4. Nf3 1-0", "2. Nf3 Nf6 3. Ng1 Ng8 4. Be2 Be7 5. Bf1 Bf8 0-1"];
    let mut text: String = again.map(|moves| format!("{tags}\n\n1. e4 e5 {moves}\n\n")).concat();
    // The last games of the file are not the latest ones.
    for date in ["2013.01.02", "2013.??.??", "2013.02.03", "2013.01.??"] {
        text += &format!("[Date \"????.??.??\"]\n[UTCDate \"{date}\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 1/2-1/2\n\n");
    }
    std::fs::write(&there_and_back, text).unwrap();
    let archive = archive_of(&[lichess(), there_and_back], &folder.path().join("games.bga"), ImportOptions::default());
    let signatures = Signatures::build(&archive);
    index::build(&archive, 1 << 20, |_| {}).unwrap();
    let index = PositionIndex::open(&archive).0.unwrap();
    let half = GameSet::from_numbers(archive.len(), (1..=archive.len()).step_by(2));
    let days = TagColumns::open(&archive).days();
    let mut repeated = 0;
    for line in ["", "e4 e5", "e4 e5 Nf3 Nc6", "d4 d5", "e4 c5 Nf3"] {
        let mut position = Position::standard();
        for san in line.split_whitespace() {
            position.play_unchecked(position.parse_san(san.as_bytes()).unwrap());
        }
        let all = last_visits(&archive, &position);
        for (search, among, days, knows_days) in [
            (Search::new(&archive), None, None, true),
            (Search::new(&archive).with_signatures(&signatures), Some(&half), None, true),
            (Search::new(&archive).with_index(&index), None, None, false),
            (Search::new(&archive).with_index(&index), None, Some(&days), true),
            (Search::new(&archive).with_index(&index), Some(&half), Some(&days), true),
        ] {
            let search = match among {
                Some(games) => search.among(games),
                None => search,
            };
            let visits: Vec<_> = all.iter().filter(|visit| among.is_none_or(|among| among.contains(visit.0))).collect();
            let tree = search.dated_tree(&position, Visit::Last, days);
            assert_eq!(tree.tally.games(), visits.len() as u64, "{line}");
            let ends = visits.iter().filter(|visit| visit.3.is_none()).count() as u64;
            assert_eq!(tree.ended().iter().sum::<u64>(), ends, "{line}");
            for branch in &tree.branches {
                let san = Some(position.san(branch.m));
                let selected: Vec<_> = visits.iter().filter(|visit| visit.3 == san).collect();
                assert_eq!(branch.tally.games(), selected.len() as u64, "{line} {san:?}");
                for color in [Color::White, Color::Black] {
                    let with_result = selected.iter().filter(|visit| visit.2 != Outcome::Unknown);
                    let ratings: Vec<f64> =
                        with_result.map(|visit| visit.1[color.index()]).filter(|rating| *rating > 0.0).collect();
                    let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
                    let mean = (!ratings.is_empty()).then_some(mean.round() as u32);
                    assert_eq!(branch.tally.average_rating_of(color), mean, "{line} {san:?}");
                    assert_eq!(branch.tally.score(color.other()).games, ratings.len() as u64, "{line} {san:?}");
                }
                let score = branch.tally.score(Color::White);
                let points: u64 = selected
                    .iter()
                    .filter(|visit| visit.1[1] > 0.0)
                    .map(|visit| match visit.2 {
                        Outcome::WhiteWins => 2,
                        Outcome::Draw => 1,
                        _ => 0,
                    })
                    .sum();
                assert_eq!(score.half_points, points, "{line} {san:?}");
                // All games are of one year. The index without days knows no more, so the latest ones are the last.
                let mut latest: Vec<u64> = selected.iter().rev().map(|visit| visit.0).collect();
                if knows_days {
                    latest.sort_by_key(|game| std::cmp::Reverse(date(&archive, *game)));
                }
                latest.truncate(8);
                assert_eq!(branch.tally.latest().map(|(_, game)| game).collect::<Vec<_>>(), latest, "{line} {san:?}");
            }
            let first = search.tree_of(&position, Visit::First);
            repeated += u64::from(first.branches != tree.branches);
        }
    }
    assert!(repeated > 0, "no game of the sample has one of the positions twice, with other moves after it");
}

/// The index keeps a part of a key: 24 bits in such a small archive. No game of the tree has the colliding position.
#[test]
fn positions_that_the_index_takes_for_another_are_not_in_the_tree() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("one.bga");
    let moves =
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7";
    let pgn = format!(
        "[Event \"a\"]\n\n{moves} 1-0\n\n[Event \"b\"]\n\n{moves} 11. -- Bb7 *\n\n[Event \"c\"]\n\n{moves} 11. Nbd2 *\n"
    );
    scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    let archive = Archive::open(&target).unwrap();
    index::build(&archive, 1 << 20, |_| {}).unwrap();
    let index = PositionIndex::open(&archive).0.unwrap();
    let (plain, by_index) = (Search::new(&archive), Search::new(&archive).with_index(&index));
    let end = archive.position(1, 20).unwrap();
    let tree = by_index.tree(&end);
    assert_eq!((tree.tally.games(), tree.branches.len(), tree.ended()), (3, 1, [1, 0, 0, 1]));
    assert_eq!(plain.tree(&end).tally, tree.tally);

    let mut random = Random::new(1);
    let (mut position, mut taken) = (Position::standard(), 0);
    for step in 0..4_000_000 {
        let legal = position.legal_moves();
        if legal.is_empty() || step % 60 == 0 {
            position = Position::standard();
            continue;
        }
        position.play_unchecked(legal[random.below(legal.len())]);
        if index.count(&position).unwrap() == 0 {
            continue;
        }
        let games = plain.tree(&position).tally.games();
        taken += u64::from(games == 0);
        assert_eq!(by_index.tree(&position).tally.games(), games, "{position}");
    }
    println!("{taken} positions taken for another");
    assert!(taken > 2, "{taken}");
}

/// Two positions of one archive with the same kept bits: the index cannot distinguish their places, and reports this.
#[test]
fn positions_with_equal_keys_in_one_archive_are_distinguished() {
    let mut random = Random::new(7);
    // Lines of 30 plies: three games have less than 128 entries, and the index keeps 16 bits of each key.
    let mut seen: HashMap<u64, (u64, Vec<String>)> = HashMap::new();
    let mut found = Vec::new();
    while found.len() < 4 {
        let (mut position, mut line) = (Position::standard(), Vec::new());
        for _ in 0..30 {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let m = legal[random.below(legal.len())];
            line.push(position.san(m).to_string());
            position.play_unchecked(m);
            let key = position.zobrist();
            let (known_key, moves) = seen.entry(key >> 48).or_insert_with(|| (key, line.clone()));
            if *known_key != key {
                found.push((moves.clone(), line.clone()));
                break;
            }
        }
    }
    for (first, second) in found {
        let folder = crate::common::tempdir().unwrap();
        let target = folder.path().join("three.bga");
        let pgn = [&first, &second, &second].map(|line| format!("[Event \"a\"]\n\n{} *\n\n", line.join(" "))).concat();
        scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes()).unwrap();
        let archive = Archive::open(&target).unwrap();
        index::build(&archive, 1 << 20, |_| {}).unwrap();
        let index = PositionIndex::open(&archive).0.unwrap();
        let segment = index.only_segment().unwrap();
        let (plain, by_index) = (Search::new(&archive), Search::new(&archive).with_index(&index));
        for (game, games) in [(1, vec![1]), (2, vec![2, 3])] {
            let length = archive.game(game).unwrap().plies();
            let last = archive.position(game, length).unwrap();
            assert!(segment.has_collision(&last).unwrap());
            assert_eq!(segment.places_of_position(&last).unwrap().len(), 3, "{last}");
            let hits = by_index.position(&PositionQuery::from(&last), SearchOptions::default()).hits;
            assert_eq!(hits.iter().map(|hit| hit.game).collect::<Vec<_>>(), games);
            // Also the previous ply: a move there leads to a position that collides with another.
            assert!(!segment.has_collision(&archive.position(game, length - 1).unwrap()).unwrap());
            for ply in 0..=length {
                let position = archive.position(game, ply).unwrap();
                for visit in [Visit::First, Visit::Last] {
                    let (plain, by_index) = (plain.tree_of(&position, visit), by_index.tree_of(&position, visit));
                    assert_eq!((by_index.tally, by_index.branches), (plain.tally, plain.branches), "{position}");
                }
            }
        }
    }
}

#[test]
fn a_tree_can_be_stopped() {
    let folder = crate::common::tempdir().unwrap();
    let archive = sample(folder.path());
    index::build(&archive, 1 << 20, |_| {}).unwrap();
    let index = PositionIndex::open(&archive).0.unwrap();
    let stop = AtomicBool::new(true);
    let monitor = Monitor::new().stop(&stop);
    for search in [Search::new(&archive), Search::new(&archive).with_index(&index)] {
        let tree = search.clone().monitored(&monitor).tree(&Position::standard());
        assert_eq!(tree.tally.games(), 0);
        assert!(matches!(tree.unread.as_slice(), [Error::Interrupted]), "{:?}", tree.unread);
    }
}

#[test]
fn the_cost_of_a_search_is_known_before_it() {
    let folder = crate::common::tempdir().unwrap();
    let archive = sample(folder.path());
    let signatures = Signatures::build(&archive);
    index::build(&archive, 1 << 20, |_| {}).unwrap();
    let index = PositionIndex::open(&archive).0.unwrap();
    let mut position = Position::standard();
    for san in ["e4", "c5", "Nf3", "d6"] {
        position.play_unchecked(position.parse_san(san.as_bytes()).unwrap());
    }
    let query = PositionQuery::from(&position);
    let found = Search::new(&archive).position(&query, SearchOptions::default()).hits.len() as u64;
    let plain = Search::new(&archive).cost(Some(&query));
    assert_eq!((plain.games, plain.replayed, plain.with), (archive.len(), true, "all games"));
    let signed = Search::new(&archive).with_signatures(&signatures).cost(Some(&query));
    assert_eq!((signed.replayed, signed.with), (true, "signatures"));
    assert!((found..plain.games / 2).contains(&signed.games), "{found}, {signed:?}");
    let indexed = Search::new(&archive).with_index(&index).cost(Some(&query));
    assert_eq!((indexed.replayed, indexed.with), (false, "position index"));
    assert!((found..found * 2).contains(&indexed.games), "{found}, {indexed:?}");
    assert_eq!(Search::new(&archive).with_index(&index).cost(None).games, archive.len());
}

#[test]
fn castling_and_promotion_have_their_own_branches() {
    let folder = crate::common::tempdir().unwrap();
    let source = folder.path().join("moves.pgn");
    let games = ["O-O", "O-O-O", "Kd1", "Rf1", "a8=Q+", "a8=N", "a8=N", "--"];
    let text: String = games
        .map(|san| format!("[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n\n1. {san} *\n\n"))
        .concat();
    std::fs::write(&source, text).unwrap();
    let archive = archive_of(&[source], &folder.path().join("moves.bga"), ImportOptions::default());
    index::build(&archive, 1 << 20, |_| {}).unwrap();
    let index = PositionIndex::open(&archive).0.unwrap();
    let position = archive.position(1, 0).unwrap();
    for search in [Search::new(&archive), Search::new(&archive).with_index(&index)] {
        let tree = search.tree(&position);
        assert_eq!(tree.tally.games(), 8);
        let branches: BTreeMap<String, u64> =
            tree.branches.iter().map(|branch| (position.san(branch.m), branch.tally.games())).collect();
        let expected = [("Kd1", 1), ("O-O", 1), ("O-O-O", 1), ("Rf1", 1), ("a8=N", 2), ("a8=Q+", 1)];
        assert_eq!(branches, expected.map(|(san, games)| (san.to_owned(), games)).into());
        assert!(tree.branches.iter().any(|branch| branch.m.kind == MoveKind::Castle(CastlingSide::Queen)));
    }
}

/// The field `novelty` compared with the positions of all games, including deleted ones; in one segment and in several.
#[test]
fn where_games_leave_all_others() {
    use scoresheet_query::{GameField, games};
    let folder = crate::common::tempdir().unwrap();
    let path = sample(folder.path()).path().to_path_buf();
    let first = Archive::open(&path).unwrap();
    index::build(&first, 1 << 20, |_| {}).unwrap();
    scoresheet::Import::new(&path)
        .append()
        .run_reader("more.pgn", &b"1. e4 e5 2. Ke2 Ke7 3. Kd3 *\n\n1. a4 *\n"[..])
        .unwrap();
    Archive::delete(&path, 100..200).unwrap();
    let field = &GameField::parse_list("novelty").unwrap()[0];
    let value = |game: &GameRef<'_>| field.value(game, &[]).unwrap().map(|value| value.to_string());
    // Without an index of all games, the value is unknown.
    let archive = Archive::open(&path).unwrap();
    assert_eq!(value(&archive.game(1).unwrap()), None);
    games::update(&archive, 1 << 20, |_| {}).unwrap();
    let archive = Archive::open(&path).unwrap();
    assert_eq!(PositionIndex::open(&archive).0.unwrap().segments().len(), 2);
    let mut having: HashMap<u64, BTreeMap<u64, ()>> = HashMap::new();
    for game in archive.games() {
        let game = game.unwrap();
        game.walk_keys(|_, key| {
            having.entry(key).or_default().insert(game.number(), ());
        })
        .unwrap();
    }
    let mut known = 0;
    for game in archive.games() {
        let game = game.unwrap();
        let (mut left, mut ply) = (None::<u32>, 0);
        game.walk_keys(|_, key| {
            if ply > 0 && left.is_none_or(|left| ply <= left + 8) {
                let alone = having[&key].len() == 1;
                left = if alone { left.or(Some(ply)) } else { None };
            }
            ply += 1;
        })
        .unwrap();
        assert_eq!(value(&game), left.map(|ply| ply.to_string()), "game {}", game.number());
        known += u64::from(left.is_some());
    }
    assert!(known > 1000 && known < archive.len(), "{known}");
}

/// Clocks, evaluations and depths are the same if the principal variations in comments are not decoded.
#[test]
fn engine_values_do_not_depend_on_lines() {
    let made = |text: &str| text.as_bytes().to_vec();
    let written = [
        "1. e4 {+0.33/20 1.5s, n=1234, sd=31, tl=59.5s, pv=e5 Nf3} e5 {d=26, mt=89313, pv=Nf3 Nc6 Bb5, wv=0.25, } *",
        "1. e4 {(e5 2. Nf3) +0.31/24 1s} e5 {(2. Nf3) [%eval -733,15] [%emt 00:01:35]} 2. Nf3 {1.37/25 429 (Nc6 Bb5)} *",
        "1. e4 {[%eval 0.35,22] [%clk 0:03:00] pv=e7e5 g1f3} e5 (1... c5 {-0.28/21 2s, pv=\"Nf3\"}) 2. Nf3 *",
        "[FEN \"8/P6k/8/8/8/8/7K/8 w - - 0 1\"]\n\n1. Kg3 {(Kg7 a8=Q Kf6 Qd8+) +9.90/12 0.1s} Kg7 {pv=a8=N a=b, d=3} *",
    ];
    let mut sources: Vec<Vec<u8>> = written.iter().map(|text| made(&format!("{text}\n\n"))).collect();
    for name in ["engine", "engine960"] {
        for path in corpora::sources(name).unwrap_or_default() {
            sources.push(std::fs::read(path).unwrap());
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut lines, mut comments) = (0, 0);
    for (index, source) in sources.iter().enumerate() {
        let path = folder.path().join(format!("{index}.bga"));
        scoresheet::Import::new(&path).run_reader("a.pgn", &source[..]).unwrap();
        let archive = Archive::open(&path).unwrap();
        for number in 1..=archive.len() {
            let game = archive.game(number).unwrap();
            let (full, without) = (game.notes().unwrap(), game.notes_without_lines().unwrap());
            assert_eq!(full.comments.len(), without.comments.len());
            for (full, without) in full.comments.iter().zip(&without.comments) {
                let values = |comment: &Comment| {
                    let note = EngineNote { line: None, ..comment.engine() };
                    (format!("{note:?}"), comment.clock(), comment.elapsed(), comment.engine().line.is_some())
                };
                assert_eq!(values(full), values(without), "{} / {}", full.text, without.text);
                lines += usize::from(full.text != without.text);
            }
            comments += full.comments.len();
        }
        std::fs::remove_file(&path).unwrap();
    }
    assert!(lines >= 4 && comments > lines, "{lines} of {comments}");
}

/// Announced mates and changes of the evaluation, compared with the comments read one by one.
#[test]
fn moments_of_evaluations_agree_with_the_comments() {
    use scoresheet::game::Evaluation;
    use scoresheet_query::measure::Moments;
    let folder = crate::common::tempdir().unwrap();
    let archive = sample(folder.path());
    let (mut mates, mut swings) = (0, 0);
    for game in archive.games().map(|game| game.unwrap()) {
        let mut evaluations = BTreeMap::new();
        for note in game.comments().unwrap().into_iter().filter(|note| note.depth == 0) {
            if let Some(evaluation) = note.evaluation() {
                evaluations.entry(note.ply).or_insert(evaluation);
            }
        }
        let is_mate = |ply: &u32| matches!(evaluations[ply], Evaluation::Mate(moves) if (1..=4).contains(&moves.abs()));
        let expected: Vec<u32> = evaluations.keys().copied().filter(|ply| *ply > 0 && is_mate(ply)).collect();
        let found = Moments { mate_in: Some(4), ..Moments::default() }.of_game(&game).unwrap();
        assert_eq!(found, expected, "game {}", game.number());
        mates += found.len();
        let is_swing = |ply: &u32| {
            let before = ply.checked_sub(1).and_then(|before| evaluations.get(&before)).filter(|_| *ply > 1);
            match (before, evaluations[ply]) {
                (Some(Evaluation::Centipawns(before)), Evaluation::Centipawns(after)) => (after - before).abs() >= 250,
                (Some(Evaluation::Mate(before)), Evaluation::Mate(after)) => (*before < 0) != (after < 0),
                (Some(_), _) => true,
                (None, _) => false,
            }
        };
        let expected: Vec<u32> = evaluations.keys().copied().filter(is_swing).collect();
        let found = Moments { swing: Some(250), ..Moments::default() }.of_game(&game).unwrap();
        assert_eq!(found, expected, "game {}", game.number());
        swings += found.len();
    }
    assert!(mates > 10 && swings > 50, "{mates} {swings}");
}

/// The most frequent positions, compared with a map of FENs.
#[test]
fn frequent_positions_are_counted_once_for_a_game() {
    use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
    let folder = crate::common::tempdir().unwrap();
    let archive = sample(folder.path());
    let source = folder.path().join("more.pgn");
    std::fs::write(&source, "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 *\n\n1. e4 d5 2. e5 f5 (2... c5) 3. exf6 *\n").unwrap();
    let more = archive_of(&[source], &folder.path().join("more.bga"), ImportOptions::default());
    let set = scoresheet_query::ArchiveSet::open([archive.path(), more.path()]).unwrap();
    let four = |position: &Position| {
        let mut fen = Vec::new();
        position.write_four(&mut fen, EnPassantStyle::Legal, CastlingStyle::Shredder);
        fen
    };
    for (plies, odd) in [(0..=u32::MAX, false), (6..=30, false), (4..=4, true)] {
        let is_chosen = |game: u64| !odd || game % 2 == 1;
        let (mut counts, mut order) = (HashMap::<Vec<u8>, u64>::new(), HashMap::new());
        for archive in [&archive, &more] {
            for game in archive.games().map(|game| game.unwrap()).filter(|game| is_chosen(game.number())) {
                let mut seen = std::collections::HashSet::new();
                let after = game.moves().map(|played| {
                    let played = played.unwrap();
                    let mut position = played.before().clone();
                    position.play_unchecked(played.played());
                    position
                });
                let positions = (0u32..).zip(std::iter::once(game.start().clone()).chain(after));
                for (_, position) in positions.filter(|(ply, _)| plies.contains(ply)) {
                    let fen = four(&position);
                    let next = order.len();
                    order.entry(fen.clone()).or_insert(next);
                    let is_new = u64::from(seen.insert(fen.clone()));
                    *counts.entry(fen).or_default() += is_new;
                }
            }
        }
        let chosen = |archive: &Archive| {
            GameSet::from_numbers(archive.len(), (1..=archive.len()).filter(|game| is_chosen(*game)))
        };
        let found = set.frequent_positions(plies, 500, Some(&[chosen(&archive), chosen(&more)]), None);
        assert!(found.unread.is_empty());
        let mut expected: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
        expected.sort_by_key(|(fen, games)| (std::cmp::Reverse(*games), order[fen]));
        expected.truncate(500);
        let found: Vec<_> = found.positions.iter().map(|found| (four(&found.position), found.games)).collect();
        assert!(found == expected, "{odd}");
    }
}

/// Books of one side, with a minimum score and with weights by age, compared with a count in a map.
#[test]
fn books_agree_with_a_count() {
    let folder = crate::common::tempdir().unwrap();
    // The years of the sample are all the same, so each game gets another one.
    let (sample, mut year) = (String::from_utf8(crate::common::sample::lichess_text()).unwrap(), 1999);
    let dated = |line: &str| match line.starts_with("[UTCDate ") {
        true => {
            year = if year == 2026 { 1999 } else { year + 1 };
            if year % 9 == 0 { "[Round \"1\"]".to_owned() } else { format!("[UTCDate \"{year}.??.??\"]") }
        }
        false => line.to_owned(),
    };
    let text = sample.lines().map(dated).collect::<Vec<_>>().join("\n");
    let source = folder.path().join("dated.pgn");
    std::fs::write(&source, text).unwrap();
    let archive = archive_of(&[source], &folder.path().join("dated.bga"), ImportOptions::default());
    let recent = Recent { year: 2026, half_life: 4 };
    let (mut by_side, mut years) = (HashMap::<(u64, u16), [u64; 4]>::new(), std::collections::HashSet::new());
    for game in archive.games() {
        let game = game.unwrap();
        let tags = game.tags().unwrap();
        let tag = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
        let year: u16 = tag("UTCDate").and_then(|date| date[..4].parse().ok()).unwrap_or(0);
        years.insert(year);
        let halvings = if year == 0 { 2.0 } else { f64::from(2026 - year) / 4.0 };
        let weight = (f64::from(1 << 20) * 0.5f64.powf(halvings)) as u64;
        let white = match tag("Result") {
            Some("1-0") => 2,
            Some("0-1") => 0,
            Some("1/2-1/2") => 1,
            _ => continue,
        };
        let mut position = game.start().clone();
        for m in game.to_game().unwrap().main_line().take(10) {
            let promotion = match m.kind {
                MoveKind::Promotion(role) => role as u16,
                _ => 0,
            };
            let code = u16::from(m.to.index()) | u16::from(m.from.index()) << 6 | promotion << 12;
            let points = if position.turn() == Color::White { white } else { 2 - white };
            let sums = by_side.entry((key(&position), code)).or_default();
            let side = u64::from(position.turn() == Color::White);
            *sums = [sums[0] + points * weight, sums[1] + weight, sums[2] + 1, side];
            position.play_unchecked(m);
        }
    }
    assert!(years.len() > 20);
    let options =
        BookOptions { plies: 10, min_games: 3, side: Some(Color::White), min_score: 55, recent: Some(recent) };
    let (entries, unread) = Search::new(&archive).book(options);
    assert!(unread.is_empty());
    let expected: BTreeMap<(u64, u16), u64> = by_side
        .iter()
        .filter(|(_, [points, weight, games, side])| *side == 1 && *games >= 3 && points * 50 >= 55 * weight)
        .filter(|(_, [points, ..])| *points > 0)
        .map(|(at, [points, ..])| (*at, *points))
        .collect();
    let found: BTreeMap<(u64, u16), u16> = entries.iter().map(|entry| ((entry.key, entry.m), entry.weight)).collect();
    assert!(expected.len() > 100 && expected.keys().eq(found.keys()));
    // The weights of a position are in the proportion of its points.
    let mut most = HashMap::<u64, u64>::new();
    expected.iter().for_each(|((key, _), points)| {
        let most = most.entry(*key).or_default();
        *most = (*most).max(*points);
    });
    for (at, weight) in &found {
        let (points, most) = (expected[at], most[&at.0]);
        let scaled = if most <= 0xFFFF { points } else { (points * 0xFFFF / most).max(1) };
        assert_eq!(u64::from(*weight), scaled, "{at:?}");
    }
    assert!(most.values().any(|most| *most > 0xFFFF));
}

/// A book is the same if moves of too few games are counted before, also from several archives.
#[test]
fn counted_books_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let archive = sample(folder.path());
    let castling = "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n\n1. O-O O-O-O 1-0\n\n";
    let en_passant =
        "[FEN \"4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1\"]\n\n1. a4 bxa3 0-1\n\n1. e4 -- 2. e5 d5 3. exd6 1-0\n\n";
    let source = folder.path().join("more.pgn");
    std::fs::write(&source, format!("{castling}{en_passant}").repeat(3)).unwrap();
    let more = archive_of(&[source], &folder.path().join("more.bga"), ImportOptions::default());
    for (plies, min_games, least) in [(40, 3, 1000), (40, 1, 10_000), (6, 2, 300), (200, 100, 10)] {
        let options = BookOptions { plies, min_games, ..BookOptions::default() };
        let [mut plain, mut counted] = [BookBuilder::new(options), BookBuilder::new(options)];
        for archive in [&archive, &more] {
            Search::new(archive).count_for_book(&mut counted);
        }
        for archive in [&archive, &more] {
            for book in [&mut plain, &mut counted] {
                assert!(Search::new(archive).add_to_book(book).is_empty());
            }
        }
        assert!(plain.entries().len() >= least, "{}", plain.entries().len());
        assert_eq!(plain.entries(), counted.entries(), "{options:?}");
    }
}

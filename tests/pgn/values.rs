//! Values as people write them: results after the moves, results and dates in tags.

use scoresheet_pgn::game::Game;
use scoresheet_pgn::game::Outcome::{self, BlackWins, Draw, WhiteWins};
use scoresheet_pgn::{FaultKind, PgnWriter, ReadOptions, read_game};

fn read(text: &[u8]) -> (Game, Vec<FaultKind>) {
    let mut game = Game::default();
    let outcome = read_game(text, 0, &ReadOptions::default(), &mut game);
    assert_eq!(outcome.next, text.len(), "{}", String::from_utf8_lossy(text));
    (game, outcome.faults.iter().map(|fault| fault.kind).collect())
}

fn written(game: &Game) -> String {
    let mut writer = PgnWriter::new();
    writer.write(game);
    String::from_utf8(writer.into_bytes()).unwrap()
}

/// Results, and whether a PGN writer's form is the only form that is written.
const RESULTS: [(&str, Outcome, bool); 27] = [
    ("1-0", WhiteWins, true),
    ("0-1.", BlackWins, true),
    ("1/2-1/2", Draw, true),
    ("1/2", Draw, true),
    ("½-½", Draw, false),
    ("½–½", Draw, false),
    ("½", Draw, false),
    ("½ - ½", Draw, false),
    ("½:½", Draw, false),
    ("1/2 - 1/2", Draw, false),
    ("1/2–1/2", Draw, false),
    ("1/2 -1/2", Draw, false),
    ("1/2:1/2", Draw, false),
    ("0.5-0.5", Draw, false),
    ("0,5-0,5", Draw, false),
    ("0.5 - 0.5", Draw, false),
    ("0.5:0.5", Draw, false),
    ("draw", Draw, false),
    ("Remis", Draw, false),
    ("1–0", WhiteWins, false),
    ("1 - 0", WhiteWins, false),
    ("1 : 0", WhiteWins, false),
    ("1.0-0.0", WhiteWins, false),
    ("1—0", WhiteWins, false),
    ("0–1", BlackWins, false),
    ("0.0-1.0", BlackWins, false),
    ("0:1", BlackWins, false),
];

#[test]
fn results_after_the_moves_are_read_and_kept() {
    let comments = ["", " {White resigns}", " 1. d4 d5 1-0"];
    for (spelling, outcome, is_plain) in RESULTS {
        for comment in comments {
            let source = format!("1. e4 e5 2. Nf3 {spelling}{comment}\n");
            let mut game = Game::default();
            let read_outcome = read_game(source.as_bytes(), 0, &ReadOptions::default(), &mut game);
            assert_eq!(game.outcome, Some(outcome), "{source}");
            assert_eq!((game.main_line().count(), read_outcome.faults), (3, vec![]), "{source}");
            let text = written(&game);
            assert!(is_plain || text.contains(spelling), "{text}");
            // What is written is read as the same game.
            let (again, _) = read(text.as_bytes());
            assert!(again == game, "{text} {}", written(&again));
        }
        // After a move that cannot be played, the text of the game is raw text.
        let (game, faults) = read(format!("1. e4 e5 2. Ke3 Ke7 {spelling}").as_bytes());
        let word_is_read = !spelling.starts_with(['d', 'R']);
        assert_eq!((game.outcome == Some(outcome), faults.len()), (word_is_read, 1), "{spelling}");
        assert!(is_plain || written(&game).contains(spelling), "{}", written(&game));
        // In the middle of the moves, it is a text.
        let (game, _) = read(format!("1. e4 e5 {spelling} 2. Nf3 0-1").as_bytes());
        assert_eq!((game.outcome, game.main_line().count()), (Some(BlackWins), 3), "{spelling}");
    }
    let (game, _) = read(b"1. e4 e5 \xBD-\xBD");
    assert_eq!(game.outcome, Some(Draw));
    let (game, _) = read(b"1. e4 e5 (1... c5 \xC2\xBD");
    assert_eq!(game.outcome, Some(Draw));
}

#[test]
fn castling_after_a_number_is_a_move() {
    let start = "[FEN \"r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1\"]\n\n";
    for moves in ["1.0-0 0-0-0 *", "1. 0-0 1... 0-0 *", "1.0-0-0 0-0 1-0"] {
        let (game, faults) = read(format!("{start}{moves}").as_bytes());
        assert_eq!((game.main_line().count(), faults), (2, vec![]), "{moves}");
    }
}

#[test]
fn only_move_numbers_are_dropped() {
    for word in ["0.5-0.4", "0.35", "12.34", "3.14.15", "2020.01.02", "1-1", "0:0", "1.5-1.5", "10-5", "½-1"] {
        let (game, _) = read(format!("1. e4 {word} e5 2. Nf3 1-0").as_bytes());
        assert!(written(&game).contains(word), "{word}: {}", written(&game));
    }
    for number in ["1.", "1...", "12.", "12", "12)", "7 ."] {
        let (game, faults) = read(format!("1. e4 {number} e5 2. Nf3 1-0").as_bytes());
        assert_eq!((game.events.len(), faults), (3, vec![]), "{number}");
    }
}

#[test]
fn tags_that_cannot_be_read_are_faults() {
    let fault = |tag: &str, moves: &str| read(format!("[{tag}]\n\n{moves}\n").as_bytes()).1;
    for (spelling, ..) in RESULTS {
        assert_eq!(fault(&format!("Result \"{spelling}\""), "1. e4"), []);
    }
    for (name, value) in [
        ("Result", "0-0"),
        ("Result", "+-"),
        ("Result", "1-0 ff"),
        ("Date", "31.12.99"),
        ("Date", "05/06/2019"),
        ("UTCDate", "2019.13.45"),
        ("EventDate", "yesterday"),
    ] {
        let kinds = [FaultKind::UnreadableValue];
        assert_eq!(fault(&format!("{name} \"{value}\""), "1. e4"), kinds, "{name} {value}");
    }
    for tag in ["Result \"*\"", "Result \"?\"", "Date \"-\"", "Date \"????.??.??\"", "Date \"1998\"", "White \"0-0\""] {
        assert_eq!(fault(tag, "1. e4 0-1"), [], "{tag}");
    }
    for (tag, moves) in [("1-0", "0-1"), ("½-½", "1-0"), ("0-1", "1/2")] {
        assert_eq!(fault(&format!("Result \"{tag}\""), moves), [FaultKind::ResultsDiffer], "{tag} {moves}");
    }
    assert_eq!(fault("Result \"1-0\"", "1. e4 *"), []);
    assert_eq!(fault("Result \"½-½\"", "1. e4 0.5-0.5"), []);
}

#[test]
fn null_moves_have_many_names() {
    for name in ["--", "Z0", "@@@@", "null", "<>", "pass", "0000"] {
        let (game, faults) = read(format!("1. e4 e5 2. Nf3 {name} 3. Bc4 Nc6 *").as_bytes());
        assert_eq!((game.main_line().count(), faults), (6, vec![]), "{name}");
        // It may begin a game.
        let (game, faults) = read(format!("{name} e5 2. Nf3 *").as_bytes());
        assert_eq!((game.main_line().count(), faults), (3, vec![]), "{name}");
    }
    let (game, _) = read(b"1. e4 e5 2. Nf3 000 Nc6 *");
    assert_eq!(game.main_line().count(), 4);
}

#[test]
fn the_first_four_fields_of_a_fen_decide() {
    let fields = "4k3/8/8/8/8/8/4P3/4K3 b - -";
    for (counters, fault, number) in [
        ("", false, 1),
        (" 3", false, 1),
        (" 3 7", false, 7),
        (" hmvc 3; fmvn 7;", false, 7),
        (" hmvc 1;", false, 1),
        (" bm Kf7;", false, 1),
        (" 0 7 bm Kf7;", false, 7),
        (" ? ?", true, 1),
        (" -1 1", true, 1),
        (" 0.5 1", true, 1),
        (" 0 1 what", false, 1),
        (" 0 1 2", true, 1),
        (" 0 99999999999", true, 1),
    ] {
        let (game, faults) = read(format!("[FEN \"{fields}{counters}\"]\n\n1... Kf7 2. e4 *").as_bytes());
        let expected = if fault { vec![FaultKind::UnreadableCounters] } else { vec![] };
        assert_eq!((game.main_line().count(), faults), (2, expected), "{counters}");
        assert_eq!(game.start.fullmove_number(), number, "{counters}");
        assert!(written(&game).contains(&format!("{fields}{counters}\"]")), "{counters}");
    }
    for fen in
        ["4k3/8/8/8/8/8/4P3/4K3 white - - 0 1", "4k3/8/8/8/8/8/4P3/4K3/ b - - 0 1", "4k3/8/8/8/8/8/4P3/4K3_b_-_-_0_1"]
    {
        let (game, faults) = read(format!("[FEN \"{fen}\"]\n\n1... Kf7 2. e4 *").as_bytes());
        assert!(game.main_line().count() == 0 && matches!(faults[0], FaultKind::BadFen(_)), "{fen}");
    }
}

//! Round trips through an archive: sources byte for byte, exports with the same content.

use crate::common::import::try_import;
use crate::common::positions::played_at_random;
use crate::common::random::Random;
use crate::common::share;
use proptest::prelude::*;
use scoresheet::Existing;
use scoresheet::chess::{Move, Position};
use scoresheet::game::{Event, Game, Outcome, TextKind};
use scoresheet::import::Summary;
use scoresheet::pgn::{LineEnd, PgnWriter, Style};
use scoresheet::{Archive, Error, ImportOptions};
use std::path::Path;
use tempfile::TempDir;

/// The results of an import and an export of a text.
struct Round {
    summary: Summary,
    original: Vec<u8>,
    same_hash: bool,
    games: Vec<Game>,
    export: Vec<u8>,
    digest: String,
}

/// A writer that fails is no damage of the archive.
#[test]
fn an_output_that_is_full_is_an_error_of_the_output() {
    let folder = crate::common::tempdir().unwrap();
    let text = b"[Event \"a\"]\n\n1. e4 *\n";
    round(folder.path(), text);
    let archive = Archive::open(folder.path().join("s.bga")).unwrap();
    let source = &archive.sources().unwrap()[0];
    let mut room = [0; 5];
    let failed = archive.write_original(source, &mut room.as_mut_slice());
    let Err(Error::Output { source: cause }) = failed else { panic!("{failed:?}") };
    assert_eq!(cause.kind(), std::io::ErrorKind::WriteZero);
    assert!(archive.write_original(source, &mut [0; 40].as_mut_slice()).unwrap());
}

fn round(folder: &Path, text: &[u8]) -> Round {
    try_round(folder, text).unwrap()
}

/// Returns an error if the import refuses the text.
fn try_round(folder: &Path, text: &[u8]) -> Result<Round, Error> {
    let (source, target) = (folder.join("s.pgn"), folder.join("s.bga"));
    std::fs::write(&source, text).unwrap();
    let options = ImportOptions { threads: 1, existing: Existing::Replace, ..ImportOptions::default() };
    let summary = try_import(&[source], &target, &options)?;
    let archive = Archive::open(&target).unwrap();
    let mut original = Vec::new();
    let same_hash = archive.write_original(&archive.sources().unwrap()[0], &mut original).unwrap();
    let mut writer = PgnWriter::new();
    let mut games = Vec::new();
    for game in archive.games() {
        let game = game.unwrap();
        game.visit(&mut writer).unwrap();
        writer.finish();
        games.push(game.to_game().unwrap());
    }
    let export = writer.as_bytes().to_vec();
    Ok(Round { summary, original, same_hash, games, export, digest: archive.digest().unwrap().to_string() })
}

fn assert_exact(round: &Round, text: &[u8], name: &str) {
    if round.original != text {
        let same = round.original.iter().zip(text).take_while(|(a, b)| a == b).count();
        let here = |bytes: &[u8]| bytes[same..].iter().take(60).copied().collect::<Vec<_>>().escape_ascii().to_string();
        panic!("{name}: from byte {same} on \"{}\" for \"{}\"", here(&round.original), here(text));
    }
    assert!(round.same_hash && round.summary.sources[0].record.exact, "{name}");
    assert_eq!(round.summary.seen, round.summary.stored + round.summary.rejected, "{name}");
}

/// A month of a server: clocks and evaluations, one line per game.
const SERVER: &str = r#"[Event "Rated Blitz game"]
[Site "https://example.org/AbCd1234"]
[White "first_user"]
[Black "second-user"]
[Result "1-0"]
[UTCDate "2024.03.01"]
[UTCTime "00:00:17"]
[WhiteElo "1733"]
[BlackElo "1701"]
[WhiteRatingDiff "+6"]
[BlackRatingDiff "-6"]
[ECO "C20"]
[TimeControl "180+2"]
[Termination "Normal"]

1. e4 { [%eval 0.17] [%clk 0:03:00] } 1... e5 { [%eval 0.19] [%clk 0:03:00] } 2. Qh5?! { [%eval -0.3] [%clk 0:02:58] } 2... Nc6 { [%eval -0.25] [%clk 0:02:59] } 3. Bc4 { [%eval -0.3] [%clk 0:02:57] } 3... Nf6?? { [%eval #1] [%clk 0:02:51] } 4. Qxf7# { [%clk 0:02:56] } 1-0

[Event "Rated Bullet game"]
[Site "https://example.org/AbCd1235"]
[White "?"]
[Black "second-user"]
[Result "0-1"]
[WhiteElo "?"]
[TimeControl "-"]

0-1


"#;

/// Another server's style: one blank less in comments, tenths of seconds, CRLF.
const OTHER_SERVER: &str = "[Event \"Live Chess\"]\r\n[Site \"Example.com\"]\r\n[Result \"1/2-1/2\"]\r\n[Variant \"Chess960\"]\r\n[SetUp \"1\"]\r\n\
[FEN \"nrk1brqb/pppppppp/8/8/8/8/PPPPPPPP/NRK1BRQB w KQkq - 0 1\"]\r\n\r\n\
1. d4 {[%clk 0:02:59.9]} 1... d5 {[%clk 0:02:59.1]} 2. c3 {[%emt 0:00:01.5]} 2... c6 {[%clkc 17.3]} 1/2-1/2\r\n\r\n";

/// Over-the-board style: lines of 80, no blank after the number, results both ways.
const MASTERS: &str = "[Event \"City ch\"]\r\n[Site \"Somewhere\"]\r\n[Date \"1998.??.??\"]\r\n[Round \"3.1\"]\r\n[White \"Gr\u{f6}\u{df}e,G\"]\r\n\
[Black \"Other,O\"]\r\n[Result \"1-0\"]\r\n[WhiteElo \"\"]\r\n[ECO \"D02\"]\r\n[WhiteElo \"2000\"]\r\n\r\n\
1.d4 d5 2.Nf3 Nf6 3.Bf4 e6 4.e3 Bd6 5.Bxd6 Qxd6 6.Nbd2 O-O 7.Bd3 c5 8.c3 Nc6 9.O-O\r\nb6 10.Re1 Bb7 11.e4 dxe4 12.Nxe4 Nxe4 13.Bxe4 Rad8 14.Qc2 h6 1/2-1/2\r\n\r\n";

/// Engine style: a comment after every move.
const ENGINES: &str = r#"[Event "Engine cup"]
[White "One 1.0"]
[Black "Two 2.0"]
[Result "*"]
[FEN "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3"]

3... dxe3 {d=32, sd=48, mt=120016, tl=5279984, s=1504, n=180600, pv=dxe3 fxe3, wv=-0.21,}
4. fxe3 {-0.15/31 118.2s, d=31} (4. dxe3 {ev=0.00} Qxd1+ 5. Kxd1) 4... e5
{book} 5. Nf3 {} *

"#;

/// Annotations of all kinds, and a byte order mark.
const ANNOTATED: &str = "\u{feff}[Event \"Notes\"]\n[Annotator \"\"]\n[Opening \"a \\\"b\\\" \\\\ c\"]\n\n\
{before the first} {and another} 1. e4! $1 {one} {two} ; rest of the line\n1... e5!? $14 $255 (1... c5 2. Nf3 (2. c3 $5 {inner} d5) 2... d6) ( 1... e6 ) 2. Nf3\n\
% an escape\n2... -- 3. Nc3 Z0 4. Nb5 {a\ncomment of\n\n three lines} *\n\n1. e4 1-0\n\n1. d4 {no result}\n";

/// Faults of many kinds, each kept unchanged.
const FAULTY: &str = "[Event \"a\"]\n[Black \"no end]\n\n1. e4 e5 2. Ke3 Nf6 3. e9 {and so on} 1-0\n\n\n[Event \"b\"]\n[FEN \"bad\"]\n\n1. e4 e5 *\n\
[Event \"c\"]\n\n1. e4 (1. d4 (1. c4 e5 *\n\n[Event \"d\"]\n[Variant \"Suicide\"]\n\n1. e4 *\n\n[Event \"e\"]\n\n1. e4 ) zwischenzug e5 {never closed\n";

/// Handwritten text: tabs, all forms of numbers, no final line end.
const BY_HAND: &str = "[Event\t\"x\"]  [White \"y\"]\n\n\n\n 1 e4 e5 2 . Nf3\tNc6 3. Bb5 , a6 4)Ba4 Nf6\n5.O-O Be7 6. Re1 b5+ 7. Bb3 d6 8. c3 0-0 9. h3 Na5 10. Bc2 c5 *\n  \n[Event \"z\"]\n1.Nb1c3 e7-e5 2. Rb1 e5e4";

#[test]
fn every_kind_of_source_comes_back() {
    let folder = TempDir::new().unwrap();
    let latin: Vec<u8> = MASTERS.chars().map(|letter| u8::try_from(letter).unwrap()).collect();
    let undefined = b"[Event \"\x81\x8D\x8F\x90\x9D\"]\n\n1. e4 {\x80\x9F\xFF \x81} *\n\n".to_vec();
    let bare_cr = MASTERS.replace("\r\n", "\r");
    let mixed_ends = SERVER.replacen('\n', "\r\n", 9);
    let all = [SERVER, OTHER_SERVER, FAULTY, MASTERS, "\n", ENGINES, ANNOTATED, BY_HAND].concat();
    let sources: [(&str, &[u8], bool); 15] = [
        ("server", SERVER.as_bytes(), true),
        ("other server", OTHER_SERVER.as_bytes(), true),
        ("masters", MASTERS.as_bytes(), true),
        ("Latin-1", &latin, true),
        ("bytes without a character", &undefined, true),
        ("engines", ENGINES.as_bytes(), true),
        ("annotated", ANNOTATED.as_bytes(), false),
        ("faulty", FAULTY.as_bytes(), false),
        ("by hand", BY_HAND.as_bytes(), false),
        ("CR", bare_cr.as_bytes(), true),
        ("mixed line ends", mixed_ends.as_bytes(), true),
        ("empty", b"", true),
        ("NUL and end of file mark", b"[Event \"a\0b\"]\n\n1. e4 \0 e5 *\n\x1A", false),
        ("Latin-1 between UTF-8", &[SERVER.as_bytes(), &latin, MASTERS.as_bytes()].concat(), true),
        ("all", all.as_bytes(), false),
    ];
    for (name, text, results) in sources {
        let first = round(folder.path(), text);
        assert_exact(&first, text, name);
        let second = round(folder.path(), &first.export);
        assert_exact(&second, &first.export, name);
        assert_eq!(second.summary.stored, first.summary.stored, "{name}");
        let again = round(folder.path(), &second.export);
        assert_eq!((again.export == second.export, &again.digest), (true, &second.digest), "{name}");
        // A game without a result gets one in the export, and a fault is written once.
        if results {
            assert_eq!(second.digest, first.digest, "{name}");
        }
    }
}

#[test]
fn bytes_beside_no_stored_game_come_back() {
    let folder = TempDir::new().unwrap();
    let blank = round(folder.path(), b"\n\n \r\n");
    assert_exact(&blank, b"\n\n \r\n", "blanks");
    // More rejected games than a chunk holds, at the beginning, in the middle and at the end.
    let atomic = "[Event \"x\"]\n[Variant \"Suicide\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n".repeat(20_000);
    let game = "[Event \"a\"]\n\n1. e4 e5 *\n\n";
    let long = round(folder.path(), [&atomic, game, &atomic, game, game, &atomic].concat().as_bytes());
    assert_exact(&long, [&atomic, game, &atomic, game, game, &atomic].concat().as_bytes(), "long");
    assert_eq!((long.summary.stored, long.summary.rejected), (3, 60_000));
}

#[test]
fn sources_without_a_stored_game_come_back_among_others() {
    let folder = TempDir::new().unwrap();
    let atomic = "[Variant \"Suicide\"]\n\n1. e4 *\n\n";
    let texts = ["\n", atomic, SERVER, atomic, "% nothing\n", MASTERS, atomic];
    let paths: Vec<_> = (0..texts.len()).map(|number| folder.path().join(format!("{number}.pgn"))).collect();
    for (path, text) in paths.iter().zip(texts) {
        std::fs::write(path, text).unwrap();
    }
    let target = folder.path().join("all.bga");
    for (existing, from) in [(Existing::Refuse, 0), (Existing::Append, 3)] {
        let options = ImportOptions { existing, ..ImportOptions::default() };
        try_import(&paths[from..], &target, &options).unwrap();
    }
    let archive = Archive::open(&target).unwrap();
    let sources = archive.sources().unwrap();
    assert_eq!(sources.len(), texts.len() + 4);
    for (source, text) in sources.iter().zip(texts.iter().chain(&texts[3..])) {
        let mut original = Vec::new();
        assert!(archive.write_original(source, &mut original).unwrap() && source.exact, "{}", source.number);
        assert_eq!(original, text.as_bytes(), "{}", source.number);
    }
}

fn random_style(dice: &mut Random) -> Style {
    let mut odd = || dice.below(2) == 0;
    let mut style = Style {
        joined_numbers: odd(),
        unbroken_numbers: odd(),
        number_after_comment: odd(),
        number_after_variation: odd(),
        wide_variations: odd(),
        full_squares: odd(),
        ..Style::default()
    };
    style.line_end = [LineEnd::Lf, LineEnd::CrLf, LineEnd::Cr][dice.below(3)];
    style.width = [u32::MAX, 79, 80, 72, 100, 255][dice.below(6)];
    (style.after_tags, style.after_game) = (1 + dice.below(2) as u8, 1 + dice.below(3) as u8);
    style
}

fn random_comment(dice: &mut Random) -> String {
    let seconds = dice.below(7200);
    let clock = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let centipawns = dice.below(2000) as i32 - 1000;
    let eval = format!("{}.{:02}", centipawns / 100, centipawns.abs() % 100);
    match dice.below(9) {
        0 => format!("[%clk {clock}]"),
        1 => format!(" [%eval {eval}] [%clk {clock}] "),
        2 => format!("[%emt {clock}.{}]", dice.below(10)),
        3 => format!("[%eval #{}] mate", dice.below(9) as i32 - 4),
        4 => format!("[%clk  {seconds}] [%eval {eval},{}]", dice.below(30)),
        5 => String::new(),
        6 => format!("d={}, sd={}, wv={eval}", dice.below(40), dice.below(60)),
        _ => (0..dice.below(9))
            .map(|_| dice.pick(&["good", "Läufer", "1. e4", "(", "♞", "$5", "x  y", "%"]))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

fn random_game(dice: &mut Random) -> Game {
    let mut game = Game::default();
    for _ in 0..1 + dice.below(6) {
        let name = dice.pick(&["Event", "White", "WhiteElo", "UTCTime", "x", "_y-1", "Näme", "TimeControl"]);
        // A rating or a time control that cannot be read is a fault.
        let values: &[&str] = match name {
            "WhiteElo" => &["", "?", "2100"],
            "TimeControl" => &["", "?", "180+2"],
            _ => &["", "?", "2100", "00:00:59", "180+2", "a \"b\"", "\\", "é]", "] [", "{;%(", "Läufer"],
        };
        let value = dice.pick(values);
        game.tags.push((name.to_owned(), value.to_owned()));
    }
    if dice.below(4) == 0 {
        let fen = ["4k3/1P6/8/8/8/8/6p1/4K3 b - - 3 40", "nrk1brqb/pppppppp/8/8/8/8/PPPPPPPP/NRK1BRQB w KQkq - 0 1"];
        let fen = fen[dice.below(2)];
        game.start = Position::from_fen(fen.as_bytes()).unwrap();
        game.tags.push(("FEN".to_owned(), fen.to_owned()));
    }
    let mut line = vec![game.start.clone()];
    let mut branches: Vec<Vec<Position>> = Vec::new();
    let mut moved = false;
    let talkative = dice.below(3);
    for _ in 0..dice.below(120) {
        match dice.below(30) {
            0 if moved => game.events.push(Event::Suffix(dice.below(2) == 0)),
            1 => game.events.push(Event::Nag(dice.below(256) as u8)),
            2 => {
                let text = dice.pick(&["", " to the end", "} {", "é"]);
                game.events.push(Event::Text(TextKind::Line, text.to_owned()));
            }
            3 if moved => {
                game.events.push(Event::Open);
                let before = line[..line.len() - 1].to_vec();
                branches.push(std::mem::replace(&mut line, before));
                moved = false;
            }
            4 | 5 => {
                if let Some(back) = branches.pop() {
                    game.events.push(Event::Close);
                    (line, moved) = (back, true);
                }
            }
            _ => {
                let position = line.last().unwrap();
                let moves = position.legal_moves();
                let null = moves.is_empty() || dice.below(40) == 0;
                let m = if null { Move::NULL } else { moves[dice.below(moves.len())] };
                let mut next = position.clone();
                next.play_unchecked(m);
                line.push(next);
                game.events.push(Event::Move(m));
                moved = true;
                if dice.below(4) < talkative {
                    game.events.push(Event::Text(TextKind::Brace, random_comment(dice)));
                }
            }
        }
    }
    branches.iter().for_each(|_| game.events.push(Event::Close));
    let outcomes = [Outcome::Unknown, Outcome::BlackWins, Outcome::WhiteWins, Outcome::Draw];
    game.outcome = Some(outcomes[dice.below(4)]);
    game
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(share(200) as u32))]

    #[test]
    fn random_games_come_back(seed in any::<u64>()) {
        let mut dice = Random(seed);
        let style = random_style(&mut dice);
        let games: Vec<Game> = (0..1 + dice.below(6)).map(|_| random_game(&mut dice)).collect();
        let mut writer = PgnWriter::with_style(style);
        for game in &games {
            writer.write(game);
        }
        let text = writer.into_bytes();
        let folder = TempDir::new().unwrap();
        let first = round(folder.path(), &text);
        assert_exact(&first, &text, "written");
        prop_assert_eq!(first.summary.faulty, 0);
        prop_assert!(first.games == games, "{}", String::from_utf8_lossy(&text));
        let second = round(folder.path(), &first.export);
        prop_assert_eq!(&second.digest, &first.digest, "{}", String::from_utf8_lossy(&text));
        // Some bytes are replaced, with any effect.
        let mut text = text;
        for _ in 0..dice.below(20) {
            // A NUL in the first two bytes would make the text UTF-16, which is refused completely.
            let at = 2 + dice.below(text.len() - 2);
            text[at] = b" \n\r\t.[](){}\";%\\01aeN\xE4\x81\xC3\0"[dice.below(24)];
        }
        match try_round(folder.path(), &text) {
            Ok(changed) if changed.summary.stored > 0 => assert_exact(&changed, &text, "changed"),
            Ok(_) => (),
            // NULs in a short text without a tag or a move make it binary data.
            Err(Error::Input { what, .. }) => prop_assert!(what.contains("control characters"), "{what}"),
            Err(error) => panic!("{error}: {}", text.escape_ascii()),
        }
    }
}

/// Writing in batches of moves and move by move gives the same text in every style. The game passes move 1,000, needs
/// disambiguation, and has some comments.
#[test]
fn at_once_and_move_by_move_are_the_same() {
    const STARTS: [&[u8]; 5] = [
        b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        b"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 970",
        b"1Q4Q1/3k4/8/3N1N2/8/3N1N2/8/R2QK2R w KQ - 0 9",
        b"q1q1k1q1/8/q5q1/8/4K3/8/R6R/R6R b - - 0 99",
        b"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    ];
    let mut dice = Random::new(23);
    let games: Vec<Game> = (0..60).map(|number| random_line(&mut dice, STARTS[number % STARTS.len()])).collect();
    let mut text = PgnWriter::new();
    games.iter().for_each(|game| text.write(game));
    let folder = TempDir::new().unwrap();
    let (source, target) = (folder.path().join("s.pgn"), folder.path().join("s.bga"));
    std::fs::write(&source, text.as_bytes()).unwrap();
    assert_eq!(try_import(&[source], &target, &ImportOptions::default()).unwrap().stored, games.len() as u64);
    let archive = Archive::open(&target).unwrap();
    let (mut is_disambiguated, mut beyond) = (false, false);
    for round in 0..60 {
        let style = if round == 0 { Style::default() } else { random_style(&mut dice) };
        let (mut at_once, mut one_by_one) = (PgnWriter::with_style(style), PgnWriter::with_style(style));
        for (game, was) in archive.games().zip(&games) {
            let game = game.unwrap();
            game.write_pgn(&mut at_once).unwrap();
            game.visit(&mut one_by_one).unwrap();
            one_by_one.finish();
            assert!(game.to_game().unwrap() == *was);
        }
        let written = String::from_utf8_lossy(at_once.as_bytes());
        assert_eq!(written, String::from_utf8_lossy(one_by_one.as_bytes()), "{style:?}");
        assert!(round > 0 || at_once.as_bytes() == text.as_bytes());
        // Both ways share the code for disambiguation, so it needs a separate check.
        is_disambiguated |=
            written.split([' ', '\n']).any(|word| word.starts_with('Q') && word.len() > 4 && !word.contains('x'));
        beyond |= written.contains("1001.");
    }
    assert!(is_disambiguated && beyond);
}

/// Returns a long line of random moves, with a few comments.
fn random_line(dice: &mut Random, start: &[u8]) -> Game {
    let mut game = played_at_random(dice, Position::from_fen(start).unwrap(), 200, |dice, _, events| {
        if dice.one_in(60) {
            events.push(Event::Text(TextKind::Brace, "a comment".into()));
        }
    });
    if game.start != Position::standard() {
        let fen = String::from_utf8_lossy(start).into_owned();
        game.tags.extend([("SetUp".into(), "1".into()), ("FEN".into(), fen)]);
    }
    game.outcome = Some(Outcome::Unknown);
    game
}

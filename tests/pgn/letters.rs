//! Moves with piece letters of other languages: what the writer writes is read again.

use crate::common::sample::lichess_text;
use crate::common::share;
use scoresheet_pgn::game::Game;
use scoresheet_pgn::{PgnWriter, PieceLetters, ReadOptions, ReadOutcome, read_game};

fn read(text: &[u8], letters: Option<PieceLetters>) -> (Game, ReadOutcome) {
    let mut game = Game::default();
    let outcome = read_game(text, 0, &ReadOptions { letters, ..ReadOptions::default() }, &mut game);
    (game, outcome)
}

fn sample() -> Vec<Game> {
    let (text, mut at, mut games) = (lichess_text(), 0, Vec::new());
    while at < text.len() {
        let mut game = Game::default();
        at = read_game(&text, at, &ReadOptions::default(), &mut game).next;
        games.push(game);
    }
    games.retain(|game| game.main_line().count() > 0);
    games.truncate(share(2 * games.len() as u64) as usize);
    games
}

/// The letters of every language are read as they are written: always if the language is given, and otherwise in every
/// game but those that English letters read too.
#[test]
fn written_letters_are_read() {
    let games = sample();
    for code in PieceLetters::languages() {
        let letters = PieceLetters::for_language(code).unwrap();
        let (mut foreign, mut found) = (0, 0);
        for game in &games {
            let mut writer = PgnWriter::new();
            writer.set_letters(letters);
            writer.write(game);
            let text = writer.into_bytes();
            let (given, outcome) = read(&text, Some(letters));
            assert_eq!((&given, outcome.faults.len()), (game, 0), "{code}");
            let (english, as_english) = read(&text, Some(PieceLetters::ENGLISH));
            let (detected, outcome) = read(&text, None);
            if as_english.faults.is_empty() {
                assert_eq!((&detected, outcome.letters), (&english, None), "{code}");
                continue;
            }
            foreign += 1;
            // Games with two possible readings keep the English one, with its fault.
            let is_read = outcome.letters.is_some();
            assert_eq!(&detected, if is_read { game } else { &english }, "{code}");
            found += usize::from(is_read);
        }
        println!("{code}: {found} of {foreign} games recognized, {} in all", games.len());
        assert_eq!(foreign == 0, code == "en", "{code}");
        assert!(found * 100 >= foreign * 98, "{code}: {found} of {foreign}");
    }
}

#[test]
fn games_between_two_languages() {
    // (text, plies, faults, language)
    let cases = [
        // Dutch: P is the knight, which in English is the letter of the pawn.
        ("1. e4 e5 2. Pf3 Pc6 3. Lb5 a6 *", 6, 0, Some("nl")),
        ("1. Pf3 Pf6 *", 2, 0, None),
        // Black's symbols, numbers joined to moves, signs and glyphs after a move, and a variation.
        ("1.♘f3 ♞c6 2.♘c3!? ♞f6‼ (2...♜b8∓) 1-0", 4, 0, Some("figurine")),
        ("1. Крe2", 0, 1, None),
        ("1. e4 e5 2. Крe2 Фh4 3. Кf3 Фxe4+ *", 6, 0, Some("ru")),
        ("1. e4 e5 2. Df3 Dh4 3. Dxf7# 1-0", 5, 0, Some("cs")),
        // The king of one language, the bishop or the rook of another.
        ("1. e4 d5 2. exd5 c6 3. dxc6 Da5 4. cxb7 Dxd2+ 5. Dxd2 a6 6. bxa8=D *", 11, 0, Some("cs")),
        // Hungarian V is the queen, Czech V the rook.
        ("1. h4 a5 2. Vh3 *", 3, 0, Some("cs")),
        // One letter of no language, or of another one.
        ("1. e4 e5 2. Sf3 Zc6 *", 2, 1, None),
        ("1. e4 e5 2. Sf3 Nc6 *", 2, 1, None),
        // English games with a mistake stay English, even where another language has the move.
        ("1. e4 e5 2. Rf2 Nc6 *", 2, 1, None),
        ("1. e4 e5 2. Re2 *", 2, 1, None),
        ("1. Nf3 Nf6 2. Lc4 *", 2, 1, None),
        ("1. e4 e5 2. Nf3 Sc6 *", 3, 1, None),
    ];
    for (text, plies, faults, language) in cases {
        let (_, outcome) = read(text.as_bytes(), None);
        let letters = language.and_then(PieceLetters::for_language);
        assert_eq!((outcome.plies, outcome.faults.len(), outcome.letters), (plies, faults, letters), "{text}");
    }
}

/// A variation before the first other letter limits the languages as the main line does.
#[test]
fn moves_already_read_are_kept() {
    // In the variation, R is White's rook in English and the king in French.
    let text = b"1. a4 e5 2. h4 (2. Ra3) (2. Ra2) d5 3. Cc3 *";
    let (game, outcome) = read(text, None);
    assert_eq!((outcome.faults.len(), outcome.letters), (1, None));
    assert_eq!(game.main_line().count(), 4);
    let german = b"1. a4 e5 2. h4 (2. Ta3) (2. Ta2) d5 3. Sc3 *";
    assert_eq!(read(german, None).1.letters, PieceLetters::for_language("da"));
}

/// With a language, only its letters are moves, and the raw text after a fault is the text of the source.
#[test]
fn a_language_excludes_others() {
    let german = PieceLetters::for_language("de");
    let (game, outcome) = read(b"1. e4 e5 2. Sf3 {Dame} Sc6 3. Nc3 Sf6 Dh4 1-0", german);
    assert_eq!((outcome.plies, &*outcome.faults[0].token, outcome.faults[0].offset), (4, &b"Nc3"[..], 30));
    let mut writer = PgnWriter::new();
    writer.write(&game);
    let written = String::from_utf8(writer.into_bytes()).unwrap();
    assert!(written.contains("2. Nf3 {Dame} 2... Nc6 Nc3 Sf6 Dh4 1-0"), "{written}");
    // Two games without tags in one text.
    let text = b"1. Sf3 Sf6 *\n\n1. Sc3 Sc6 2. Tb1 *";
    let (_, first) = read(text, german);
    let second =
        read_game(text, first.next, &ReadOptions { letters: german, ..ReadOptions::default() }, &mut game.clone());
    assert_eq!((first.plies, second.plies, second.faults.len()), (2, 3, 0));
}

//! Tests of pages and keys, without a terminal.

use super::app::{App, Key, Page};
use super::draw::draw;
use super::screen::Look;
use scoresheet::{Archive, Import};
use scoresheet_query::ArchiveSet;

const PGN: &str = "[Event \"Coffee house\"]
[Date \"2024.01.02\"]
[White \"Adler, A\"]
[Black \"Buche, Bjo\u{308}rn\"]
[Result \"1-0\"]
[WhiteElo \"2100\"]

1. e4 { [%clk 0:03:00] [%eval 0.3] } e5 { king's pawn [%clk 0:02:55] [%eval 0.2] } 2. Qh5 { [%clk 0:02:50] [%eval -0.5] }
(2. Nf3 Nc6 (2... d6) 3. Bb5) 2... Nc6 { [%clk 0:02:40] [%eval 0.4] } 3. Bc4 Nf6 $4 { [%eval #1] } 4. Qxf7# 1-0

[Event \"Coffee house\"]
[White \"棋士\"]
[Black \"Adler, A\"]
[Result \"1/2-1/2\"]

1. d4 d5 1/2-1/2

[Event \"Elsewhere\"]
[White \"Ce\"]
[Black \"De\u{1b}[31m\"]
[Result \"*\"]

*
";

/// Imports texts, each into an archive.
fn archives(folder: &tempfile::TempDir, texts: &[(&str, &str)]) -> ArchiveSet {
    let targets = texts.iter().map(|(name, text)| {
        let target = folder.path().join(name);
        Import::new(&target).run_reader("g.pgn", text.as_bytes()).unwrap();
        target
    });
    ArchiveSet::open(targets.collect::<Vec<_>>()).unwrap()
}

fn archive(folder: &tempfile::TempDir) -> ArchiveSet {
    archives(folder, &[("g.bga", PGN)])
}

/// Returns the viewer with all games.
fn viewer(archives: &ArchiveSet, unicode: bool) -> App<'_> {
    App::new(archives, archives.archives().map(Archive::live).collect(), unicode)
}

fn press(app: &mut App, keys: &[Key]) {
    keys.iter().for_each(|key| assert!(app.key(*key)));
}

fn text(app: &mut App) -> String {
    draw(app, 80, 24).rows().join("\n")
}

#[test]
fn the_list_is_looked_through() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(&folder);
    let mut app = viewer(&archive, true);
    let rows = draw(&mut app, 80, 24).rows();
    assert!(rows[0].ends_with("g.bga  game 1 of 3"), "{rows:?}");
    assert_eq!(rows[1], "game White             Black             result  date       event");
    assert_eq!(rows[2], "   1 Adler, A (2100)   Buche, Bjorn      1-0     2024.01.02 Coffee house");
    assert_eq!(rows[3], "   2 棋士              Adler, A          1/2     ?          Coffee house");
    assert!(rows[4].contains("De [31m"), "{rows:?}");
    press(&mut app, &[Key::Down, Key::Down, Key::Down]);
    let screen = draw(&mut app, 80, 24);
    assert_eq!((screen.look_at(0, 4), screen.look_at(0, 3)), (Look::REVERSED, Look::PLAIN));
    press(&mut app, &[Key::Home, Key::Enter]);
    assert_eq!(app.page, Page::Game);
    press(&mut app, &[Key::Letter('q')]);
    assert_eq!(app.page, Page::List);
    assert!(!app.key(Key::Letter('q')));
    // Every size can be drawn.
    for (width, height) in [(1, 1), (49, 16), (50, 16), (60, 17), (300, 100)] {
        for _ in 0..2 {
            draw(&mut app, width, height);
            press(&mut app, &[Key::Enter]);
        }
        press(&mut app, &[Key::Letter('q')]);
    }
}

#[test]
fn a_game_is_played_over() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(&folder);
    let mut app = viewer(&archive, true);
    app.open_number(1, 3);
    let rows = draw(&mut app, 80, 24).rows();
    let board = [
        "8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜",
        "7  ♟  ♟  ♟  ♟     ♟  ♟  ♟",
        "6",
        "5              ♟       [♕]",
        "4              ♙",
        "3",
        "2  ♙  ♙  ♙  ♙     ♙  ♙  ♙",
        "1  ♖  ♘  ♗ [ ] ♔  ♗  ♘  ♖",
        "   a  b  c  d  e  f  g  h",
        "ply 3 of 7, Black to move",
        "clocks 2:50 - 2:55",
        "evaluation -0.50",
    ];
    for (row, line) in rows.iter().skip(2).zip(board) {
        let left: String = row.chars().take(27).collect();
        assert_eq!(left.trim_end(), line, "{rows:#?}");
    }
    let moves: Vec<String> = rows[6..14].iter().map(|row| row.chars().skip(29).collect()).collect();
    assert_eq!(
        moves[..6],
        [
            "1. e4 e5 king's pawn 2. Qh5",
            "  (2. Nf3 Nc6",
            "    (2... d6)",
            "  3. Bb5)",
            "2... Nc6 3. Bc4 Nf6?? 4. Qxf7# 1-0",
            ""
        ]
    );
    assert!(rows[2].contains("Adler, A (2100) - Buche, Bjorn") && rows[3].contains("1-0, Coffee house, 2024.01.02"));
    assert!(rows[14].starts_with("White's chances"), "{rows:#?}");
    // Keys move forward to the mate, back, into variations and out of variations.
    press(&mut app, &[Key::End]);
    assert!(text(&mut app).contains("ply 7 of 7, checkmate"));
    press(&mut app, &[Key::Home]);
    assert!(text(&mut app).contains("ply 0 of 7, White to move"));
    press(&mut app, &[Key::Down, Key::Right, Key::Letter('v')]);
    assert_eq!(app.sheet.as_ref().unwrap().nodes[app.node].san, "Nf3");
    press(&mut app, &[Key::Right, Key::Letter('v')]);
    assert_eq!(app.sheet.as_ref().unwrap().nodes[app.node].san, "d6");
    assert!(text(&mut app).contains("ply 4 of 7, White to move"));
    press(&mut app, &[Key::Left, Key::Letter('v')]);
    assert_eq!(app.sheet.as_ref().unwrap().nodes[app.node].san, "Qh5");
    press(&mut app, &[Key::Letter('f'), Key::Letter('u')]);
    let rows = draw(&mut app, 80, 24).rows();
    assert!(rows[2].starts_with("1  R  N  B  K [ ] B  N  R"), "{rows:#?}");
    // Keys select the next games, and no game after the last game.
    press(&mut app, &[Key::Letter('n'), Key::Letter('n')]);
    assert!(text(&mut app).contains("game 3 (3 of 3)"));
    press(&mut app, &[Key::Letter('n')]);
    assert!(text(&mut app).contains("there is no other game"));
    press(&mut app, &[Key::Letter('p')]);
    assert!(text(&mut app).contains("棋士 - Adler, A"));
}

#[test]
fn games_are_searched() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(&folder);
    let mut app = viewer(&archive, false);
    let search = |app: &mut App, text: &str| {
        press(app, &[Key::Letter('/')]);
        text.chars().for_each(|letter| press(app, &[Key::Letter(letter)]));
        press(app, &[Key::Enter]);
    };
    search(&mut app, "adlre");
    assert!(text(&mut app).contains("nothing found: adlre"));
    assert_eq!(app.games, [1, 2, 3]);
    search(&mut app, "adler");
    assert_eq!(app.games, [1, 2]);
    assert!(text(&mut app).contains("game 1 of 2, found by adler"));
    search(&mut app, "result = 1-0");
    assert_eq!(app.games, [1]);
    press(&mut app, &[Key::Escape]);
    assert_eq!(app.games, [1, 2, 3]);
    press(&mut app, &[Key::Letter('/'), Key::Letter('x'), Key::Backspace, Key::Escape, Key::Letter('?')]);
    assert!(text(&mut app).contains("flip the board"));
    press(&mut app, &[Key::Letter('x')]);
    assert!(!text(&mut app).contains("flip the board"));
}

#[test]
fn nothing_is_cut_without_a_mark() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(&folder);
    let mut app = viewer(&archive, true);
    let rows = |app: &mut App, width, height| draw(app, width, height).rows();
    // On a narrow screen, the keys for help and for leaving remain longest.
    for width in [50, 60, 80] {
        assert!(rows(&mut app, width, 16)[15].ends_with("? help  q quit"), "{width}");
    }
    let list = rows(&mut app, 50, 16);
    assert!(list[2].contains("Buche, Bj…") || list[2].contains("Adler, A…"), "{list:?}");
    press(&mut app, &[Key::Letter('?')]);
    let help = rows(&mut app, 50, 16).join("\n");
    assert!(help.contains("In the list") && help.contains("Everywhere") && !help.contains('…'), "{help}");
    press(&mut app, &[Key::Letter('x'), Key::Enter]);
    for width in [50, 60, 80] {
        assert!(rows(&mut app, width, 16)[15].ends_with("? help  q back"), "{width}");
    }
    press(&mut app, &[Key::Letter('?')]);
    let help = rows(&mut app, 50, 16).join("\n");
    assert!(help.contains("In a game") && help.contains("Q Ctrl-C") && !help.contains('…'), "{help}");
    assert!(rows(&mut app, 80, 24).join("\n").contains("In the list"));
}

#[test]
fn a_faulty_filter_is_reported_with_its_column() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(&folder);
    let mut app = viewer(&archive, false);
    for (search, words) in
        [("elo >> 3", "column 6"), ("white = ", "column 8"), ("eloo > 3", "column 1: no field is called eloo")]
    {
        press(&mut app, &[Key::Letter('/')]);
        search.chars().for_each(|letter| press(&mut app, &[Key::Letter(letter)]));
        press(&mut app, &[Key::Enter]);
        let footer = draw(&mut app, 80, 24).rows()[23].clone();
        assert!(footer.contains(words), "{search}: {footer}");
    }
}

#[test]
fn what_is_typed_is_deleted_by_words() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(&folder);
    let mut app = viewer(&archive, false);
    press(&mut app, &[Key::Letter('/')]);
    "white ~ \u{e9}l ".chars().for_each(|letter| press(&mut app, &[Key::Letter(letter)]));
    for left in ["white ~ ", "white ", "", ""] {
        press(&mut app, &[Key::DeleteWord]);
        assert_eq!(app.prompt.as_deref(), Some(left));
    }
    press(&mut app, &[Key::Letter('a'), Key::Letter(' '), Key::Letter('b'), Key::DeleteLine]);
    assert_eq!(app.prompt.as_deref(), Some(""));
    press(&mut app, &[Key::Escape, Key::Letter('?')]);
    let help = text(&mut app);
    assert!(help.contains("g G ") && help.contains("Home End g G") && help.contains("Ctrl-U Ctrl-W"), "{help}");
    for (page, lines) in [(Page::List, 16), (Page::Game, 16)] {
        app.page = page;
        assert!(draw(&mut app, 50, lines).rows().join("\n").contains("Q Ctrl-C"), "{page:?}");
    }
}

#[test]
fn the_board_grows_with_the_screen() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(&folder);
    let mut app = viewer(&archive, false);
    app.open_number(1, 3);
    for (width, height, files) in
        [(80, 24, "   a  b  c"), (100, 30, "    a    b    c"), (120, 40, "     a      b      c")]
    {
        let rows = draw(&mut app, width, height).rows();
        assert!(rows.iter().any(|row| row.starts_with(files)), "{width} {rows:#?}");
        assert!(rows.iter().any(|row| row.starts_with("ply 3 of 7, Black to move")));
        assert!(rows.iter().any(|row| row.contains("2... Nc6 3. Bc4 Nf6??")));
    }
    assert!(draw(&mut app, 120, 30).rows()[3].starts_with("8   r    n    b"));
}

#[test]
fn the_side_to_move_is_never_cut() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("[White \"A\"]\n\n{}*\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(300));
    let archive = archives(&folder, &[("long.bga", &text)]);
    let mut app = viewer(&archive, false);
    app.open_number(1, 1000);
    let rows = draw(&mut app, 80, 24).rows();
    assert!(rows[11].starts_with("ply 1000 of 1200 ") && rows[12].starts_with("White to move "), "{rows:#?}");
}

#[test]
fn several_archives_are_one_list() {
    let folder = tempfile::tempdir().unwrap();
    let more = "[Event \"Later\"]\n[White \"Ce\"]\n[Black \"Adler, A\"]\n\n1. e4 c5 0-1\n";
    let archive = archives(&folder, &[("g.bga", PGN), ("h.bga", more)]);
    let mut app = viewer(&archive, false);
    let rows = draw(&mut app, 100, 24).rows();
    assert!(rows[0].ends_with("2 archives  game 1 of 4"), "{rows:?}");
    assert!(rows[1].ends_with("archive, event") && rows[2].ends_with("g.bga, Coffee house"), "{rows:?}");
    assert!(rows[5].starts_with("   4 Ce") && rows[5].ends_with("h.bga, Later"), "{rows:?}");
    press(&mut app, &[Key::End, Key::Enter]);
    assert!(text(&mut app).contains("game 4 (4 of 4), game 1 of h.bga"));
    press(&mut app, &[Key::Letter('/')]);
    "black ~ adler".chars().for_each(|letter| press(&mut app, &[Key::Letter(letter)]));
    press(&mut app, &[Key::Enter]);
    assert_eq!(app.games, [2, 4]);
}

#[test]
fn the_explorer_shows_and_plays_the_moves_of_all_archives() {
    let folder = tempfile::tempdir().unwrap();
    let more = "[White \"Ce\"]\n\n1. e4 c5 0-1\n\n1. e4 e5 2. Nf3 1/2-1/2\n";
    // Also chess from its start, but with other rules.
    let atomic = "[Variant \"Atomic\"]\n\n1. h4 1-0\n";
    let archive = archives(&folder, &[("g.bga", PGN), ("h.bga", more), ("i.bga", atomic)]);
    let mut app = viewer(&archive, false);
    app.open_number(1, 0);
    assert!(!app.needs_tree());
    press(&mut app, &[Key::Letter('e')]);
    assert!(app.needs_tree() && text(&mut app).contains("counting the moves played here"));
    app.count_moves();
    assert!(!app.needs_tree());
    let rows = draw(&mut app, 80, 24).rows();
    let table = rows.iter().skip_while(|row| !row.contains("share")).map(|row| row.chars().skip(29).collect());
    let table: Vec<String> = table.collect();
    assert_eq!(table[0], "move            games share white  draw black");
    assert_eq!(table[1], "1 e4                3   60%   33%   33%   33%");
    assert_eq!(table[2], "2 d4                1   20%    0%  100%    0%");
    assert_eq!(table[3], "");
    // A move of the game, then a move that the game does not have, and back.
    press(&mut app, &[Key::Letter('1')]);
    app.count_moves();
    assert_eq!(app.node, app.sheet.as_ref().unwrap().at_ply(1));
    press(&mut app, &[Key::Letter('2')]);
    assert_eq!(app.sheet.as_ref().unwrap().nodes[app.node].san, "c5");
    app.count_moves();
    let shown = text(&mut app);
    assert!(
        shown.contains("ply 2 of 7, White to move")
            && shown.contains("1... c5\n")
            && shown.contains("move            games share"),
        "{shown}"
    );
    press(&mut app, &[Key::Left, Key::Letter('9')]);
    assert_eq!(app.node, app.sheet.as_ref().unwrap().at_ply(1));
    // The rules of the game choose the games.
    app.open_number(6, 0);
    assert!(app.needs_tree());
    app.count_moves();
    assert!(text(&mut app).contains("1 h4                1  100%  100%    0%    0%"), "{}", text(&mut app));
    for (width, height) in [(50, 16), (60, 17), (100, 30), (300, 100)] {
        draw(&mut app, width, height);
    }
}

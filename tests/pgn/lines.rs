//! The layout of games on lines (FORMAT.md, "Layout blocks").

use scoresheet_pgn::game::Game;
use scoresheet_pgn::game::{TextKind, Visitor};
use scoresheet_pgn::{LineEnd, PgnWriter, Style};

/// Returns a game with a two-line comment after some moves, written in a style.
fn written(line_end: LineEnd, before: usize, after: usize) -> String {
    let style = Style { line_end, width: 30, ..Style::default() };
    let mut writer = PgnWriter::with_style(style);
    let end = if line_end == LineEnd::CrLf { "\r\n" } else { "\n" };
    let text = format!("{}{end}{}", "x".repeat(before), "y".repeat(after));
    let mut game = Game::default();
    let mut position = game.start.clone();
    game.start(&position.clone());
    for san in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"] {
        let m = position.parse_san(san.as_bytes()).unwrap();
        game.play(&position.clone(), m);
        position.play_unchecked(m);
        if san == "Nf3" {
            game.text(TextKind::Brace, text.as_bytes());
        }
    }
    writer.write(&game);
    String::from_utf8(writer.into_bytes()).unwrap()
}

/// Two-byte line ends break lines at the same places as one-byte ones, also after a text of several lines that was
/// moved to a new line.
#[test]
fn line_ends_of_two_bytes_count_for_nothing() {
    let mut broken = 0;
    for before in 0..30 {
        for after in 0..30 {
            let (lf, crlf) = (written(LineEnd::Lf, before, after), written(LineEnd::CrLf, before, after));
            assert_eq!(crlf.replace("\r\n", "\n"), lf, "{before} {after}");
            broken += usize::from(lf.contains("\n{x"));
        }
    }
    assert!(broken > 100, "{broken}");
}

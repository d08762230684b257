//! Stores lines of moves in texts, such as an engine's principal variation (FORMAT.md, "Lines").
//!
//! A line is a sequence of legal moves that starts before or after the commented move. The texts block stores the moves
//! of all lines of a game in one range-coded string, so the lines of a single game can be read.
//!
//! The encoder converts positions and texts to bytes, and the decoder restores the texts. `board` plays and writes
//! moves, `model` predicts moves, and `code` codes the lines of a game. `scene` is the place where a line begins.

mod board;
mod code;
mod model;
mod notation;
mod scene;

pub(crate) use code::{LineDecoder, LineEncoder};
pub(crate) use notation::{Line, LineField, read_line};
pub(crate) use scene::Scene;

/// The maximum number of moves in a line.
pub(crate) const MOST_MOVES: usize = 1023;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Color, Move, Position};
    use proptest::prelude::*;

    /// Positions with something special: castling of all kinds, en passant, promotions, pins, many pieces of a role.
    const STARTS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/1P4pp/8/3pP3/8/8/6PP/R3K2R w KQkq d6 0 20",
        "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1",
        "QQ2k3/P5P1/8/2Q1Q3/8/1p6/2p5/QQ2K2Q b - - 3 77",
        "k2N4/8/8/KP1p3r/2P5/8/8/3N2N1 b - - 0 1",
        "4k3/4r3/8/8/1b6/8/3NR3/4K1N1 w - - 0 1",
    ];

    fn position(fen: &str) -> Position {
        fen.parse().unwrap_or_else(|_| panic!("{fen}"))
    }

    /// Returns a line of moves selected by numbers, written like a field; the rules verify its moves.
    fn written(field: LineField, scene: (&Position, Move), choices: &[u16]) -> Vec<u8> {
        let (letter, mut now) = (field.letter(), scene.0.clone());
        if letter.is_ascii_uppercase() {
            now.play_unchecked(scene.1);
        }
        let mut words = Vec::new();
        for (number, choice) in choices.iter().enumerate() {
            let moves = now.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[usize::from(*choice) % moves.len()];
            let san = now.san(m);
            let white = now.turn() == Color::White;
            let mut word = match letter | 0x20 {
                b'u' => now.uci(m),
                b'w' => san.trim_end_matches(['+', '#']).to_owned(),
                _ => san,
            };
            if matches!(letter | 0x20, b'x' | b'y') && (white || number == 0) {
                let blank = if letter | 0x20 == b'x' { " " } else { "" };
                word = format!("{}{}{blank}{word}", now.fullmove_number(), if white { "." } else { "..." });
            }
            words.push(word);
            now.play_unchecked(m);
        }
        words.join(" ").into_bytes()
    }

    proptest! {
        #[test]
        fn lines_come_back(
            lines in prop::collection::vec((0..10usize, any::<u16>(), prop::collection::vec(any::<u16>(), 0..60)), 1..12),
            start in 0..STARTS.len(),
        ) {
            let mut now = position(STARTS[start]);
            let (mut encoder, mut texts) = (LineEncoder::new(), Vec::new());
            for (field, choice, choices) in lines {
                let moves = now.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let (field, played) = (LineField::ALL[field], moves[usize::from(choice) % moves.len()]);
                // Some moves repeat again and again, as in real lines.
                let choices: Vec<u16> = choices.into_iter().map(|choice| if choice % 3 == 0 { choice } else { 7 }).collect();
                let text = written(field, (&now, played), &choices);
                let scene = Scene::new(now.clone(), played);
                let line = read_line(field, &scene, &text);
                prop_assert!(line.is_some(), "{:?} {} {}", field, now.fen(), String::from_utf8_lossy(&text));
                let line = line.unwrap_or_default();
                prop_assert_eq!(encoder.write(field, &scene, &line), Some(()));
                texts.push((field, scene, line.len(), text));
                now.play_unchecked(played);
            }
            let bytes = encoder.finish();
            let mut decoder = LineDecoder::new(&bytes);
            for (field, scene, moves, text) in texts {
                let mut read = Vec::new();
                prop_assert_eq!(decoder.read(field, &scene, moves, &mut read), Some(()));
                prop_assert_eq!(String::from_utf8_lossy(&read), String::from_utf8_lossy(&text));
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), start in 0..STARTS.len()) {
            let before = position(STARTS[start]);
            let played = before.legal_moves()[0];
            let scene = Scene::new(before, played);
            let mut decoder = LineDecoder::new(&bytes);
            for field in LineField::ALL {
                let mut read = Vec::new();
                if decoder.read(field, &scene, 40, &mut read).is_none() {
                    break;
                }
                // Every decoded move is legal.
                prop_assert_eq!(read_line(field, &scene, &read).map(|line| line.len()), Some(40));
            }
        }
    }

    #[test]
    fn what_a_line_cannot_say_is_none() {
        let before = Position::standard();
        let played = before.parse_san(b"e4").unwrap();
        let field = LineField::ALL[0];
        let scene = Scene::new(before.clone(), played);
        for text in
            ["e4 e5 ", " e4", "e4  e5", "e4 e5 Ke3", "e4+", "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7", "E4", "e4 --", "Ng1f3", "0-0"]
        {
            assert!(read_line(field, &scene, text.as_bytes()).is_none(), "{text}");
        }
        // A bishop stands where the pawn of hxg6 would.
        let bishop = position("4k3/8/6p1/7B/8/8/8/4K3 w - - 0 1");
        let taken = Scene::new(bishop.clone(), bishop.parse_san(b"Bxg6+").unwrap());
        assert!(LineField::ALL.iter().all(|field| read_line(*field, &taken, b"hxg6").is_none()));
        assert!(LineField::ALL.iter().any(|field| read_line(*field, &taken, b"Bxg6+").is_some()));
        // There is no line at a null move, whether it begins before or after this move.
        let null = Scene::new(before, Move::NULL);
        for field in LineField::ALL {
            assert!(read_line(field, &null, b"e4").is_none());
            let (mut encoder, mut read) = (LineEncoder::new(), Vec::new());
            let line = read_line(LineField::ALL[0], &scene, b"e4").unwrap();
            assert_eq!(encoder.write(field, &null, &line), None);
            assert_eq!(LineDecoder::new(&[0; 20]).read(field, &null, 1, &mut read), None);
        }
        let mate = read_line(field, &scene, b"e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#").unwrap();
        assert_eq!(mate.iter().filter(|played| played.mates).count(), 1);
    }
}

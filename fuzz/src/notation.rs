//! Notations other than PGN: lines of FEN and EPD, boards that are not 8x8, general PCN, moves of fixed width.

use scoresheet::brenner::alternate::Order;
use scoresheet::brenner::fixed::{self, Width};
use scoresheet::chess::Position;
use scoresheet::chess::epd::Epd;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, OtherBoard, ReadMode};
use scoresheet::chess::record::{PositionRecord, rewrite_moves};
use scoresheet::game::Analysis;
use scoresheet::pcn::general::{self, JsonLayout, Squares};

/// Lists of positions: an accepted line is written, and the output reads as the same position; rewritten moves are
/// legal and stable.
pub fn position_lines(bytes: &[u8]) {
    for mode in [ReadMode::Strict, ReadMode::Forgiving] {
        if let Ok(board) = OtherBoard::read(bytes, mode) {
            let text = board.to_string();
            assert_eq!(OtherBoard::read(text.as_bytes(), mode).unwrap(), board, "{text}");
        }
        let Ok(record) = PositionRecord::read(bytes, mode) else { continue };
        let position = record.position();
        let _ = record.fen().illegalities_of(&position);
        let (operations, bad) = rewrite_moves(record.operations(), &position, |at, m| at.san(m));
        let (again, bad_again) = rewrite_moves(&operations, &position, |at, m| at.san(m));
        assert_eq!((&again, bad_again.len()), (&operations, bad.len()));
        if !operations.is_empty() {
            let plain = Epd::from_position(&position, EnPassantStyle::Always, CastlingStyle::XFen);
            let line = Epd { operations, ..plain }.to_string();
            let read =
                Epd::read(line.as_bytes(), ReadMode::Forgiving).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(read.to_string(), line);
        }
    }
}

/// General PCN: an accepted document is unchanged after it is written and read again. A game that can be replayed
/// reaches the same end in every notation of squares.
pub fn pcn_general(bytes: &[u8]) {
    let Ok(games) = general::parse(bytes) else { return };
    for game in games {
        for layout in [JsonLayout::Line, JsonLayout::Document] {
            let text = general::write(&game, layout);
            assert_eq!(general::parse(text.as_bytes()).unwrap(), std::slice::from_ref(&game), "{text}");
        }
        let _ = general::draw(&game.start);
        let Ok(checked) = game.check() else { continue };
        for squares in [Squares::Coordinates, Squares::Flat, Squares::Pieces] {
            let renamed = game.with_squares(squares).unwrap();
            assert_eq!(renamed.check().unwrap().last, checked.last);
        }
    }
    let _ = general::read_documents(bytes);
}

/// Moves of fixed width, and the field orders of the Brenner code: encoding and decoding are inverse functions.
pub fn fixed_bytes(bytes: &[u8]) {
    for order in Order::ALL {
        assert_eq!(order.read(&order.write(bytes)), bytes);
        assert_eq!(order.write(&order.read(bytes)), bytes);
    }
    for width in [Width::Ids, Width::Bits] {
        if let Ok((ids, end)) = fixed::unpack(bytes, width) {
            assert_eq!(fixed::pack(&ids, width), bytes[..end]);
        }
        if let Ok(game) = fixed::decode(bytes, width) {
            let other_width = if width == Width::Ids { Width::Bits } else { Width::Ids };
            let again = fixed::decode(&fixed::encode(&game, other_width).unwrap(), other_width).unwrap();
            assert_eq!(again, game);
        }
    }
}

/// In any engine comment, the moves of the principal variation are consecutive legal moves.
pub fn engine_comment(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let before = Position::standard();
    let played = before.parse_san(b"e4").unwrap();
    let texts = [text.to_string(), format!("({text}) +0.10/5 1s"), format!("d=1, n=2, pv={text}, wv=0.1")];
    for text in texts {
        let Some(pv) = Analysis::read(&text, 1, &before, played).and_then(|analysis| analysis.pv) else { continue };
        assert!(!pv.moves.is_empty() && pv.sans().len() == pv.moves.len());
        let mut now = pv.start.clone();
        for m in &pv.moves {
            assert!(now.legality(*m).is_ok());
            now.play_unchecked(*m);
        }
        assert_eq!(pv.has_own_move, pv.ply == 0 && pv.moves[0] == played);
    }
}

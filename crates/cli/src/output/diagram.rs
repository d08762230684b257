//! Draws boards as SVG within an HTML page that contains the pieces of `pieces.svg`.

use scoresheet::Position;
use scoresheet::chess::{Color, Move, Square};
use scoresheet_pages::{escape, text};
use std::fmt::Write;

/// The elements that boards on the page refer to: the pieces and the squares.
pub fn definitions() -> String {
    let dark: String = (0..64)
        .filter(|square| (square % 8 + square / 8) % 2 == 1)
        .map(|square| format!("M{} {}h40v40h-40z", square % 8 * 40, square / 8 * 40))
        .collect();
    format!(
        "<div hidden>{}<svg xmlns=\"http://www.w3.org/2000/svg\"><defs><g id=\"squares\"><path class=\"light\" \
         d=\"M0 0h320v320h-320z\"/><path class=\"dark\" d=\"{dark}\"/></g></defs></svg></div>\n",
        text("pieces.svg").trim_end(),
    )
}

/// Returns the board of a position, seen from a side, with the squares of the last move marked. Its text for readers of
/// the screen is the FEN.
pub fn board(position: &Position, from: Color, last: Option<Move>) -> String {
    let corner = |square: Square| {
        let (file, rank) = (u32::from(square.file_index()), u32::from(square.rank_index()));
        match from {
            Color::White => (file * 40, (7 - rank) * 40),
            Color::Black => ((7 - file) * 40, rank * 40),
        }
    };
    let fen = escape(&position.fen());
    let mut svg = format!("<svg class=\"miniature\" viewBox=\"0 0 320 320\" role=\"img\" aria-label=\"{fen}\">");
    svg += "<use href=\"#squares\"/>";
    for square in last.into_iter().flat_map(|m| [m.from, m.to]) {
        let (x, y) = corner(square);
        // Writes to a string cannot fail.
        let _ = write!(svg, "<rect class=\"last\" x=\"{x}\" y=\"{y}\" width=\"40\" height=\"40\"/>");
    }
    for square in (0..64).filter_map(Square::new) {
        let Some(piece) = position.piece_at(square) else { continue };
        let (x, y) = corner(square);
        let color = if piece.color == Color::White { 'w' } else { 'b' };
        let letter = char::from(piece.role.letter()).to_ascii_lowercase();
        let _ = write!(svg, "<use href=\"#{color}{letter}\" x=\"{x}\" y=\"{y}\"/>");
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_shows_each_piece_once_from_either_side() {
        let (position, e4) = (Position::standard(), Move { from: square("e2"), to: square("e4"), ..Move::NULL });
        let white = board(&position, Color::White, Some(e4));
        let black = board(&position, Color::Black, None);
        assert_eq!((white.matches("href=\"#wp\"").count(), white.matches("<use ").count()), (8, 33));
        assert!(white.contains("<use href=\"#wk\" x=\"160\" y=\"280\"/>"), "{white}");
        assert!(black.contains("<use href=\"#wk\" x=\"120\" y=\"0\"/>"), "{black}");
        assert!(white.contains("<rect class=\"last\" x=\"160\" y=\"160\""), "{white}");
        assert!(!black.contains("last"));
        let defined = definitions();
        for color in ['w', 'b'] {
            assert!("kqrbnp".chars().all(|piece| defined.contains(&format!("id=\"{color}{piece}\""))));
        }
    }

    fn square(name: &str) -> Square {
        Square::parse(name.as_bytes().first_chunk::<2>().unwrap()).unwrap()
    }
}

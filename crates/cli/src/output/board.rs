//! Draws a position as text.

use scoresheet::chess::{Color, Piece, Position, Role, Square};

/// Returns the board as nine lines, with White at the bottom, or Black if `flip` is set.
pub fn draw(position: &Position, unicode: bool, flip: bool) -> String {
    let order = |index: u8| if flip { 7 - index } else { index };
    let mut board = String::new();
    for rank in (0..8).rev().map(order) {
        board.push_str(&format!("{} ", rank + 1));
        for file in (0..8).map(order) {
            board.push(' ');
            board.push(letter(position.piece_at(Square::at(file, rank)), unicode));
        }
        board.push('\n');
    }
    board.push_str("  ");
    for file in (0..8).map(order) {
        board.push(' ');
        board.push(char::from(b'a' + file));
    }
    board.push('\n');
    board
}

fn letter(piece: Option<Piece>, unicode: bool) -> char {
    match (piece, unicode) {
        (None, true) => '·',
        (None, false) => '.',
        (Some(piece), false) => char::from(piece.letter()),
        (Some(Piece { color: Color::White, role }), true) => match role {
            Role::Pawn => '♙',
            Role::Knight => '♘',
            Role::Bishop => '♗',
            Role::Rook => '♖',
            Role::Queen => '♕',
            Role::King => '♔',
        },
        (Some(Piece { color: Color::Black, role }), true) => match role {
            Role::Pawn => '♟',
            Role::Knight => '♞',
            Role::Bishop => '♝',
            Role::Rook => '♜',
            Role::Queen => '♛',
            Role::King => '♚',
        },
    }
}

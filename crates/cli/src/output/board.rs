//! Draws a position as text.

use scoresheet::chess::{Color, Piece, Position, Role, Square, Variant};

/// Returns whose turn it is, or how the game has ended, by the rules of the position.
pub fn state(position: &Position) -> &'static str {
    match position.winner() {
        _ if position.is_checkmate() => "checkmate",
        Some(Color::White) => "White has won",
        Some(Color::Black) => "Black has won",
        None if position.is_stalemate() => "stalemate",
        None if !position.has_legal_move() => "drawn",
        None if position.turn() == Color::White => "White to move",
        None => "Black to move",
    }
}

/// Returns what a variant adds to the board, White's first: the pockets of Crazyhouse, or the checks given in
/// Three-check. Returns `None` in other variants.
pub fn extras(position: &Position) -> Option<(&'static str, String)> {
    let both = |text: &dyn Fn(Color) -> String| Color::BOTH.map(text).join(" - ");
    match position.variant() {
        Variant::Crazyhouse => {
            let pocket = |color: Color| {
                let letters = position.pocket_letters(color);
                if letters.is_empty() { "none".to_owned() } else { letters }
            };
            Some(("Pockets", both(&pocket)))
        }
        Variant::ThreeCheck => Some(("Checks", both(&|color| position.checks_given(color).to_string()))),
        _ => None,
    }
}

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

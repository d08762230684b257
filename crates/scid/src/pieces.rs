//! The numbers of the pieces, by which a game names the piece that moves.

use scoresheet::chess::{Color, Position, Role, Square};

/// The number of a square without a piece.
const NONE: u8 = u8::MAX;
/// The maximum number of pieces of a side.
const MOST: usize = 16;

/// The pieces of both sides by their numbers. The king has the number 0.
#[derive(Clone, Debug)]
pub struct Pieces {
    sides: [Side; 2],
    /// The number of the piece on each square, with the side in bit 4.
    board: [u8; 64],
    pub turn: Color,
}

#[derive(Clone, Copy, Debug)]
struct Side {
    pieces: [(u8, Role); MOST],
    count: usize,
}

impl Pieces {
    /// Numbers the pieces of a starting position. Those of a FEN are numbered from a8 to h1, where the king gets number
    /// 0, and the piece that had this number becomes the last; this holds also if the FEN is that of the standard
    /// position. Without a FEN, the king is the first, then come the other pieces and the pawns from a to h. Returns
    /// `None` if a side has more than sixteen pieces.
    pub fn new(start: &Position, has_fen: bool) -> Option<Pieces> {
        let side = Side { pieces: [(0, Role::King); MOST], count: 0 };
        let mut pieces = Pieces { sides: [side; 2], board: [NONE; 64], turn: start.turn() };
        for color in Color::BOTH {
            let squares: Vec<u8> = match has_fen {
                false => {
                    let (first, second) = if color == Color::White { (0, 8) } else { (56, 48) };
                    let others = [0, 1, 2, 3, 5, 6, 7].map(|file| first + file);
                    [first + 4].into_iter().chain(others).chain(second..second + 8).collect()
                }
                true => (0..8).rev().flat_map(|rank| (0..8).map(move |file| rank * 8 + file)).collect(),
            };
            for square in squares {
                let Some(piece) = start.piece_at(Square::masked(square)).filter(|piece| piece.color == color) else {
                    continue;
                };
                let side = pieces.sides.get_mut(color.index())?;
                let number = side.count;
                *side.pieces.get_mut(number)? = (square, piece.role);
                side.count += 1;
                if piece.role == Role::King {
                    side.pieces.swap(0, number);
                }
            }
            let side = pieces.sides.get(color.index())?;
            for (number, (square, _)) in side.pieces.iter().take(side.count).enumerate() {
                *pieces.board.get_mut(usize::from(*square))? = number as u8 | (color.index() as u8) << 4;
            }
        }
        Some(pieces)
    }

    /// Returns the square and the role of a piece of the side to move.
    pub fn piece(&self, number: u8) -> Option<(u8, Role)> {
        let side = self.sides.get(self.turn.index())?;
        side.pieces.get(usize::from(number)).filter(|_| usize::from(number) < side.count).copied()
    }

    /// Returns whether a square is empty.
    pub fn is_empty(&self, square: u8) -> bool {
        self.board.get(usize::from(square)).is_none_or(|number| *number == NONE)
    }

    /// Moves a piece of the side to move, which captures what stands on `captured`.
    pub fn play(&mut self, number: u8, to: u8, captured: u8, promotion: Option<Role>) {
        if let Some(victim) = self.board.get(usize::from(captured)).copied().filter(|victim| *victim != NONE)
            && victim >> 4 != self.turn.index() as u8
        {
            self.remove(captured, victim);
        }
        self.place(number, to, promotion);
    }

    /// Moves a piece of the side to move to an empty square.
    pub fn place(&mut self, number: u8, to: u8, promotion: Option<Role>) {
        let color = self.turn.index();
        let Some((square, role)) = self.sides.get_mut(color).and_then(|side| side.pieces.get_mut(usize::from(number)))
        else {
            return;
        };
        let from = std::mem::replace(square, to);
        *role = promotion.unwrap_or(*role);
        let code = number | (color as u8) << 4;
        // In castling, the rook may already stand on the king's square.
        if let Some(slot) = self.board.get_mut(usize::from(from)).filter(|slot| **slot == code) {
            *slot = NONE;
        }
        if let Some(slot) = self.board.get_mut(usize::from(to)) {
            *slot = code;
        }
    }

    /// Returns the number of the piece of the side to move on a square.
    pub fn number_at(&self, square: u8) -> Option<u8> {
        let number = *self.board.get(usize::from(square))?;
        (number != NONE && number >> 4 == self.turn.index() as u8).then_some(number & 15)
    }

    /// Removes a captured piece: the last piece of its side takes over its number.
    fn remove(&mut self, square: u8, victim: u8) {
        let Some(side) = self.sides.get_mut(usize::from(victim >> 4)) else { return };
        let Some(last) = side.count.checked_sub(1) else { return };
        side.count = last;
        side.pieces.swap(usize::from(victim & 15), last);
        if let Some(slot) = self.board.get_mut(usize::from(square)) {
            *slot = NONE;
        }
        let number = usize::from(victim & 15);
        if number < last
            && let Some((moved, _)) = side.pieces.get(number)
            && let Some(slot) = self.board.get_mut(usize::from(*moved))
        {
            *slot = victim;
        }
    }
}

//! Boards as the binary formats store them: a set of occupied squares, and half a byte for each piece.

use scoresheet::chess::{CastlingSide, Color, Move, MoveKind, Piece, Position, Role, Square};

/// The squares of a set, from a1.
pub fn squares(mut set: u64) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        let square = Square::new(set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(square)
    })
}

/// A board that is being read.
pub struct Board {
    pub pieces: [Option<Piece>; 64],
    pub turn: Color,
    /// The rooks with a castling right.
    pub rooks: Vec<(Color, Square)>,
    pub en_passant: Option<Square>,
    pub halfmove_clock: u32,
    pub fullmove_number: u32,
}

impl Board {
    pub fn new(turn: Color) -> Board {
        let (rooks, pieces) = (Vec::new(), [None; 64]);
        Board { pieces, turn, rooks, en_passant: None, halfmove_clock: 0, fullmove_number: 1 }
    }

    pub fn put(&mut self, square: Square, color: Color, role: Role) {
        self.pieces[square.at_most_63()] = Some(Piece { color, role });
    }

    /// Reads a set of squares and its nibbles, the lower nibble of a byte first. `put` receives each square with its
    /// nibble. Returns `None` if there are more than 32 pieces, or if `put` does.
    pub fn nibbles(
        &mut self,
        occupied: u64,
        nibbles: &[u8],
        mut put: impl FnMut(&mut Board, Square, u8) -> Option<()>,
    ) -> Option<()> {
        for (index, square) in squares(occupied).enumerate() {
            put(self, square, nibbles.get(index / 2)? >> (index % 2 * 4) & 15)?;
        }
        Some(())
    }

    /// Returns the position. Impossible castling rights and en passant targets are dropped.
    ///
    /// Errors: the reason why a game cannot begin here.
    pub fn position(&self) -> Result<Position, &'static str> {
        let mut position = Position::from_pieces(&self.pieces, self.turn);
        for (color, rook) in &self.rooks {
            if let Some(king) = position.king(*color) {
                position.grant_castling(*color, side_of(king, *rook), *rook);
            }
        }
        if let Some(target) = self.en_passant {
            position.set_en_passant(target);
        }
        position.set_clocks(self.halfmove_clock, self.fullmove_number);
        check(&position).map(|()| position)
    }
}

/// Returns the nibbles of the first 32 squares of a set, as [`Board::nibbles`] reads them, the first in the lowest bits.
#[inline]
pub fn nibbles(occupied: u64, nibble: impl Fn(Square) -> u8) -> u128 {
    let mut squares = squares(occupied);
    // Each nibble enters at the top, which takes fewer instructions than a shift to its place.
    let mut half = || {
        let add = |(half, free): (u64, u32), square| (half >> 4 | u64::from(nibble(square)) << 60, free - 4);
        let (half, free) = squares.by_ref().take(16).fold((0, 64), add);
        half.checked_shr(free).unwrap_or(0)
    };
    let (low, high) = (half(), half());
    u128::from(high) << 64 | u128::from(low)
}

/// The pieces of a position from the point of view of a side, as a set of squares and their [`nibbles`]. A nibble is a
/// role, and 8 for pieces of the other side. For Black, the ranks are flipped.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct View {
    pub occupied: u64,
    pub nibbles: u128,
    /// 56 to flip the ranks of squares, or 0.
    flip: u8,
}

impl View {
    pub fn new(position: &Position, side: Color) -> View {
        let flip = if side == Color::White { 0 } else { 56 };
        let occupied = position.occupied(Color::White) | position.occupied(Color::Black);
        let occupied = if side == Color::White { occupied } else { occupied.swap_bytes() };
        let nibble = |square: Square| {
            let piece = position.piece_at(Square::masked(square.index() ^ flip));
            piece.map_or(0, |piece| piece.role as u8 | u8::from(piece.color != side) << 3)
        };
        View { occupied, nibbles: nibbles(occupied, nibble), flip }
    }

    /// Updates at most 32 pieces by a move of chess other than a null move.
    #[inline]
    pub fn play(&mut self, m: &Move) {
        let [from, to] = [m.from, m.to].map(|square| square.index() ^ self.flip);
        let moved = self.remove(from);
        match m.kind {
            MoveKind::Castle(side) => {
                let rook = self.remove(to);
                let (king_file, rook_file) = if side == CastlingSide::King { (6, 5) } else { (2, 3) };
                self.put(from & 56 | king_file, moved);
                self.put(from & 56 | rook_file, rook);
            }
            MoveKind::Promotion(role) => self.put(to, moved & 8 | role as u8),
            MoveKind::EnPassant => {
                self.remove(from & 56 | to & 7);
                self.put(to, moved);
            }
            MoveKind::Plain | MoveKind::Drop(_) | MoveKind::Null => self.put(to, moved),
        }
    }

    /// Removes the piece on a square and returns its nibble.
    #[inline]
    fn remove(&mut self, square: u8) -> u8 {
        let (shift, below) = self.place(square);
        let nibble = (self.nibbles >> shift) as u8 & 15;
        self.nibbles = self.nibbles & below | self.nibbles >> 4 & !below;
        self.occupied &= !(1 << (square & 63));
        nibble
    }

    /// Puts a piece on a square, perhaps instead of another.
    #[inline]
    fn put(&mut self, square: u8, nibble: u8) {
        let (shift, below) = self.place(square);
        let is_free = self.occupied >> (square & 63) & 1 == 0;
        let above = if is_free { (self.nibbles & !below) << 4 } else { self.nibbles & !below & !(15 << shift) };
        self.nibbles = self.nibbles & below | u128::from(nibble) << shift | above;
        self.occupied |= 1 << (square & 63);
    }

    /// Returns the position of a square's nibble, and the bits below it.
    #[inline]
    fn place(&self, square: u8) -> (u32, u128) {
        let before = self.occupied & ((1 << (square & 63)) - 1);
        let shift = (4 * before.count_ones()) & 127;
        (shift, (1 << shift) - 1)
    }

    /// Appends a record of 32 bytes: the occupied squares, the nibbles of their pieces, and eight other bytes.
    #[inline]
    pub fn push_record(&self, rest: u64, out: &mut Vec<u8>) {
        push_words([self.occupied, self.nibbles as u64, (self.nibbles >> 64) as u64, rest], out);
    }
}

/// Appends words one by one: the processor would wait to copy a record that was just written in words.
#[inline]
pub fn push_words<const COUNT: usize>(words: [u64; COUNT], out: &mut Vec<u8>) {
    out.reserve(8 * COUNT);
    for word in words {
        out.extend_from_slice(&word.to_le_bytes());
    }
}

/// Returns the reason why a game cannot begin at a position, if there is one.
pub fn check(position: &Position) -> Result<(), &'static str> {
    let sets = position.bitboards();
    if sets[5].count_ones() != 1 || sets[11].count_ones() != 1 {
        return Err("a side without one king");
    }
    if (sets[0] | sets[6]) & 0xFF00_0000_0000_00FF != 0 {
        return Err("a pawn on rank 1 or 8");
    }
    let turn = position.turn();
    match position.king(turn.other()) {
        Some(king) if position.attacked_by(turn, king) => Err("the king can be captured"),
        _ => Ok(()),
    }
}

fn side_of(king: Square, rook: Square) -> CastlingSide {
    if rook.file_index() > king.file_index() { CastlingSide::King } else { CastlingSide::Queen }
}

/// Returns the squares of all rooks with a castling right.
pub fn castling_rooks(position: &Position) -> u64 {
    let mut rooks = 0;
    for color in Color::BOTH {
        for side in CastlingSide::BOTH {
            rooks |= position.castling_rook(color, side).map_or(0, Square::bit);
        }
    }
    rooks
}

/// Returns the en passant target if a capture is legal there, as writers of training data set it.
pub fn legal_target(position: &Position) -> Option<Square> {
    position.en_passant().filter(|_| position.en_passant_is_legal())
}

/// Returns whether two positions have the same fields, apart from the identity of their pieces. Each position has its
/// own en passant target.
pub fn is_same(a: &Position, target: Option<Square>, b: &Position) -> bool {
    let rooks =
        |position: &Position| Color::BOTH.map(|c| CastlingSide::BOTH.map(|side| position.castling_rook(c, side)));
    a.bitboards() == b.bitboards()
        && a.turn() == b.turn()
        && target == b.en_passant()
        && (a.halfmove_clock(), a.fullmove_number()) == (b.halfmove_clock(), b.fullmove_number())
        && rooks(a) == rooks(b)
}

/// The kinds of moves that binary formats distinguish, whose numbers differ between the formats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Promotion,
    EnPassant,
    Castling,
}

/// Returns a move from its parts, whether it is legal or not. `promotion` is 0 to 3 for knight to queen.
pub fn to_move(from: u16, to: u16, promotion: u16, kind: Kind) -> Move {
    let (from, to) = (Square::masked(from as u8), Square::masked(to as u8));
    let kind = match kind {
        Kind::Plain => MoveKind::Plain,
        Kind::EnPassant => MoveKind::EnPassant,
        Kind::Castling => MoveKind::Castle(side_of(from, to)),
        Kind::Promotion => {
            let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
            MoveKind::Promotion(roles[usize::from(promotion & 3)])
        }
    };
    Move { from, to, kind }
}

/// Returns the parts of a move: from, to, promotion and kind, as [`to_move`] reads them.
pub fn parts(m: Move) -> (u16, u16, u16, Kind) {
    let (promotion, kind) = match m.kind {
        MoveKind::Promotion(role) => (role as u16 - 1, Kind::Promotion),
        MoveKind::EnPassant => (0, Kind::EnPassant),
        MoveKind::Castle(_) => (0, Kind::Castling),
        MoveKind::Plain | MoveKind::Drop(_) | MoveKind::Null => (0, Kind::Plain),
    };
    (u16::from(m.from.index()), u16::from(m.to.index()), promotion, kind)
}

/// Returns whether a move can be played in a position.
pub fn is_legal(position: &Position, m: Move) -> bool {
    m.kind != MoveKind::Null && position.is_legal(m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_follow_the_moves() {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/1P4pp/8/3pP3/8/8/6PP/R3K2R w KQkq d6 0 20",
            "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1",
            "5k1r/8/8/8/8/8/1p6/R1K5 b Kk - 0 1",
        ];
        let (mut state, mut kinds) = (7u64, [0; 4]);
        for round in 0..400 {
            let mut position: Position = starts[round % starts.len()].parse().unwrap();
            let mut views = Color::BOTH.map(|side| View::new(&position, side));
            for _ in 0..60 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let m = moves[(state >> 33) as usize % moves.len()];
                kinds[parts(m).3 as usize] += 1;
                position.play_unchecked(m);
                for (view, side) in views.iter_mut().zip(Color::BOTH) {
                    view.play(&m);
                    assert_eq!(*view, View::new(&position, side), "{}", position.fen());
                }
            }
        }
        assert!(kinds.iter().all(|count| *count > 5), "{kinds:?}");
    }
}

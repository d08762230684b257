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

/// Returns a record of 32 bytes: the occupied squares, the nibbles of their pieces, and eight other bytes.
#[inline]
pub fn record(occupied: u64, nibbles: u128, rest: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    let words = [occupied, nibbles as u64, (nibbles >> 64) as u64, rest];
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    bytes
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

//! A position to be found, made ready for comparing it with a great many others.

use crate::chess::piece::{CODES, EMPTY, Man};
use crate::chess::{Color, Position, Role, Square, Wing};

/// What has to agree beside the men on their squares. Clocks and labels never count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compare {
    /// The side to move.
    pub side: bool,
    /// The castling rights, with the rooks that they mean.
    pub castling: bool,
    /// The en passant capture, where one is legal; a target at which nothing can capture never counts.
    pub en_passant: bool,
}

impl Default for Compare {
    /// Everything has to agree.
    fn default() -> Compare {
        Compare { side: true, castling: true, en_passant: true }
    }
}

/// The piece that a man's code stands for: 0 for an empty square, 1 to 6 White's pawn to king, 7 to 12 Black's.
pub(crate) static CLASS: [u8; CODES] = {
    let mut table = [0; CODES];
    let mut code = 0;
    while code < EMPTY {
        let man = Man(code);
        table[code as usize] = man.color() as u8 * 6 + man.role() as u8 + 1;
        code += 1;
    }
    table
};

/// Returns the class of a man's code.
#[inline]
pub(crate) fn class(code: u8) -> u8 {
    CLASS[code as usize % CODES]
}

/// The ranks on which the pawns start, as eight bytes each: one for White, one for Black.
pub(crate) type Home = [u64; 2];

/// Returns what stands on the second and the seventh rank of a board of codes.
#[inline]
pub(crate) fn home_ranks(board: &[u8; 64]) -> Home {
    let rank = |first: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&board[first..first + 8]);
        u64::from_le_bytes(bytes)
    };
    [rank(8), rank(48)]
}

/// Returns a byte of ones for each square of the home ranks where the colour's own pawn stands.
pub(crate) fn home_pawns(board: &[u8; 64]) -> Home {
    let mut lanes = [0; 2];
    for (side, ranks) in home_ranks(board).iter().enumerate() {
        for (file, code) in ranks.to_le_bytes().into_iter().enumerate() {
            if class(code) == side as u8 * 6 + 1 {
                lanes[side] |= 0xFF << (file * 8);
            }
        }
    }
    lanes
}

/// Returns whether a pawn stands behind its own home rank: then a home square can be filled again.
pub(crate) fn has_back_pawns(board: &[u8; 64]) -> bool {
    let pawn = |code: &u8| matches!(class(*code), 1 | 7);
    board[..8].iter().any(pawn) || board[56..].iter().any(pawn)
}

/// A position to be found.
#[derive(Clone, Debug)]
pub struct Sought {
    position: Position,
    compare: Compare,
    classes: [u8; 64],
    /// All squares, those first that are most likely to differ.
    order: [u8; 64],
    home: Home,
    /// The home squares without their pawn: bits 0 to 7 White's by file, 8 to 15 Black's.
    gone: u16,
    /// White's pawns, Black's pawns, White's men, Black's men.
    men: [u8; 4],
    en_passant: Option<Square>,
}

impl Sought {
    /// Returns the position made ready.
    pub fn new(position: &Position, compare: Compare) -> Sought {
        let classes = position.board.map(class);
        let standard = Position::standard().board.map(class);
        let mut order: [u8; 64] = std::array::from_fn(|square| square as u8);
        // What stands where nothing stood is the rarest, then what has gone; what never moved tells least.
        order.sort_by_key(|square| {
            let (now, then) = (classes[*square as usize & 63], standard[*square as usize & 63]);
            match (now != 0, now == then) {
                (true, false) if !matches!(now, 1 | 7) => 0,
                (true, false) => 1,
                (false, false) => 2,
                (false, true) => 3,
                (true, true) => 4,
            }
        });
        let home = home_pawns(&position.board);
        let mut gone = 0;
        for (side, lanes) in home.iter().enumerate() {
            for file in 0..8 {
                gone |= u16::from(lanes >> (file * 8) & 1 == 0) << (side * 8 + file);
            }
        }
        let count = |wanted: &dyn Fn(u8) -> bool| classes.iter().filter(|class| wanted(**class)).count() as u8;
        let men = [
            count(&|class| class == 1),
            count(&|class| class == 7),
            count(&|class| (1..7).contains(&class)),
            count(&|class| class >= 7),
        ];
        let en_passant = position.en_passant().filter(|_| position.en_passant_is_legal());
        Sought { position: position.clone(), compare, classes, order, home, gone, men, en_passant }
    }

    /// Returns the position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns what has to agree.
    pub fn compare(&self) -> Compare {
        self.compare
    }

    pub(crate) fn home(&self) -> Home {
        self.home
    }

    pub(crate) fn gone(&self) -> u16 {
        self.gone
    }

    pub(crate) fn men(&self) -> [u8; 4] {
        self.men
    }

    /// Returns a ply before which no game from the usual position can have it: a man that stands where no such man stood has moved,
    /// and only castling moves two at once.
    pub(crate) fn earliest(&self) -> u32 {
        let start = &Position::standard().board;
        let mut moved = [0u32; 2];
        for (now, then) in self.classes.iter().zip(start) {
            if *now != 0 && *now != class(*then) {
                moved[usize::from(*now > 6)] += 1;
            }
        }
        let [white, black] = moved.map(|men| men.saturating_sub(1));
        (white * 2).saturating_sub(1).max(black * 2)
    }

    /// Returns whether the men stand on the same squares. `board` has codes.
    #[inline]
    pub(crate) fn same_men(&self, board: &[u8; 64]) -> bool {
        self.order.iter().all(|square| {
            let square = *square as usize & 63;
            class(board[square]) == self.classes[square]
        })
    }

    /// Returns whether a position with the same men agrees in side, rights and en passant as far as they count.
    pub(crate) fn same_state(&self, other: &Position) -> bool {
        (!self.compare.side || self.position.turn() == other.turn())
            && (!self.compare.castling || rooks(&self.position) == rooks(other))
            && (!self.compare.en_passant
                || self.en_passant == other.en_passant().filter(|_| other.en_passant_is_legal()))
    }

    /// Returns whether a position is the one sought.
    pub fn matches(&self, other: &Position) -> bool {
        self.same_men(&other.board) && self.same_state(other)
    }

    /// Returns whether nothing but the men and the side to move can matter.
    pub(crate) fn is_plain(&self) -> bool {
        !self.compare.castling && !self.compare.en_passant
    }

    /// Returns every position that would be a match, whatever does not count written out: for look-ups by key.
    pub(crate) fn variants(&self) -> Vec<Position> {
        let mut sides = vec![self.position.clone()];
        if !self.compare.side {
            let men = std::array::from_fn(|square| Square::new(square as u8).and_then(|at| self.position.piece_at(at)));
            let mut other = Position::from_men(&men, self.position.turn().other());
            for (color, wing, rook) in granted(&self.position) {
                other.grant_castling(color, wing, rook);
            }
            sides.push(other);
        }
        let mut righted = Vec::new();
        for position in sides {
            if self.compare.castling {
                righted.push(position);
                continue;
            }
            let rights = possible_rights(&position);
            let mut men = position.clone();
            men.rights = 0;
            let mut all = vec![men];
            for wing in rights.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                let without = all.clone();
                for (color, wing, rook) in wing {
                    all.extend(without.iter().cloned().map(|mut position| {
                        position.grant_castling(*color, *wing, *rook);
                        position
                    }));
                }
            }
            righted.extend(all);
        }
        let mut found = Vec::new();
        for mut position in righted {
            if self.compare.en_passant && position.turn() == self.position.turn() {
                found.push(position);
                continue;
            }
            position.en_passant = crate::chess::piece::OFF;
            found.push(position.clone());
            if self.compare.en_passant {
                continue;
            }
            let rank = if position.turn() == Color::White { 5 } else { 2 };
            for file in 0..8 {
                let mut passed = position.clone();
                if passed.set_en_passant(Square::at(file, rank)) && passed.en_passant_is_legal() {
                    found.push(passed);
                }
            }
        }
        found
    }
}

type Right = (Color, Wing, Square);

fn granted(position: &Position) -> Vec<Right> {
    let all = Color::BOTH.into_iter().flat_map(|color| Wing::BOTH.map(|wing| (color, wing)));
    all.filter_map(|(color, wing)| Some((color, wing, position.castling_rook(color, wing)?))).collect()
}

/// The castling rights that a position with these men could have.
fn possible_rights(position: &Position) -> Vec<Right> {
    let mut rights = Vec::new();
    for color in Color::BOTH {
        for wing in Wing::BOTH {
            for file in 0..8 {
                let rook = Square::at(file, color.back_rank());
                let stands =
                    position.piece_at(rook).is_some_and(|piece| (piece.color, piece.role) == (color, Role::Rook));
                if stands && position.clone().grant_castling(color, wing, rook) {
                    rights.push((color, wing, rook));
                }
            }
        }
    }
    rights
}

fn rooks(position: &Position) -> [Option<Square>; 4] {
    let [white, black] = Color::BOTH;
    [(white, Wing::H), (white, Wing::A), (black, Wing::H), (black, Wing::A)]
        .map(|(color, wing)| position.castling_rook(color, wing))
}

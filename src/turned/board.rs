//! The board of the encoders: bit sets of squares, always from the point of view of the player to move.
//!
//! After each move, the board is turned: ranks are flipped and colors are exchanged. A model trained on one color
//! therefore also applies to the other, and no code depends on the side to move.

use super::attacks::{KING, KNIGHT, PAWN_CAPTURES, bishop, rook, squares};
use crate::chess::{CastlingSide, Color, Move, MoveKind, Position, Role, Square};

/// The numbers of the roles, as in [`Role`], and `NONE` for an empty square.
pub(crate) const PAWN: usize = 0;
pub(crate) const KNIGHT_: usize = 1;
pub(crate) const BISHOP: usize = 2;
pub(crate) const ROOK: usize = 3;
pub(crate) const QUEEN: usize = 4;
pub(crate) const KING_: usize = 5;
pub(crate) const NONE: u8 = 6;

/// The value that means no square.
pub(crate) const OFF: u8 = 64;

/// A move on the turned board. Castling is stored as the king capturing its own rook.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TurnedMove {
    /// The start square, on the turned board.
    pub from: u8,
    /// The target square, or the rook's square in castling.
    pub to: u8,
    /// 0 for no promotion, otherwise the role of the promoted piece.
    pub promotion: u8,
}

/// A board, turned to the point of view of the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TurnedBoard {
    /// The pieces of the player to move, by role.
    pub us: [u64; 6],
    /// The opponent's pieces, by role.
    pub them: [u64; 6],
    /// The role on each square, or `NONE` for an empty square.
    pub roles: [[u8; 8]; 8],
    /// The square that a pawn of the opponent has just passed, or `OFF`.
    pub en_passant: u8,
    /// The squares of the castling rooks, the player's first and then the opponent's. For each side, the rook nearer
    /// the h-file comes first. `OFF` means no right.
    pub rooks: [[u8; 2]; 2],
}

#[inline(always)]
fn bit(square: u8) -> u64 {
    1u64 << (square & 63)
}

/// Returns the union of the square sets of all roles.
#[inline(always)]
pub(crate) fn all(pieces: &[u64; 6]) -> u64 {
    pieces[0] | pieces[1] | pieces[2] | pieces[3] | pieces[4] | pieces[5]
}

impl TurnedBoard {
    /// Returns the board of a position, or `None` unless each side has exactly one king.
    #[expect(clippy::indexing_slicing, reason = "squares are masked, roles below 6")]
    pub fn new(position: &Position) -> Option<TurnedBoard> {
        let turn = if position.turn() == Color::Black { 56 } else { 0 };
        let mut board =
            TurnedBoard { us: [0; 6], them: [0; 6], roles: [[NONE; 8]; 8], en_passant: OFF, rooks: [[OFF; 2]; 2] };
        for (color, occupied) in position.occupied.into_iter().enumerate() {
            let is_own = color == position.turn() as usize;
            for (role, set) in position.roles.into_iter().enumerate() {
                let set = if turn == 0 { set & occupied } else { (set & occupied).swap_bytes() };
                let pieces = if is_own { &mut board.us } else { &mut board.them };
                pieces[role] = set;
                for at in squares(set) {
                    board.set_role(at, role as u8);
                }
            }
        }
        if [board.us, board.them].iter().any(|pieces| pieces[KING_].count_ones() != 1) {
            return None;
        }
        board.en_passant = position.en_passant().map_or(OFF, |square| square.index() ^ turn);
        for (side, color) in [position.turn(), position.turn().other()].into_iter().enumerate() {
            for (castling_side, name) in CastlingSide::BOTH.into_iter().enumerate() {
                board.rooks[side][castling_side] =
                    position.castling_rook(color, name).map_or(OFF, |rook| rook.index() ^ turn);
            }
        }
        Some(board)
    }

    /// Returns the role on a square, or `NONE` for an empty square.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "squares are masked, roles below 6")]
    pub fn role(&self, square: u8) -> u8 {
        self.roles[(square >> 3 & 7) as usize][(square & 7) as usize]
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "squares are masked, roles below 6")]
    fn set_role(&mut self, square: u8, role: u8) {
        self.roles[(square >> 3 & 7) as usize][(square & 7) as usize] = role;
    }

    /// Returns the square of the player's king.
    #[inline(always)]
    pub(crate) fn king(&self) -> u8 {
        self.us[KING_].trailing_zeros() as u8
    }

    /// Returns whether a move is castling.
    #[inline(always)]
    pub(crate) fn castles(&self, step: TurnedMove) -> bool {
        all(&self.us) & bit(step.to) != 0
    }

    /// Returns the destination of the moved piece. In castling, the king moves to the g-file or c-file.
    #[inline(always)]
    pub(crate) fn arrival(&self, step: TurnedMove) -> u8 {
        if !self.castles(step) {
            step.to
        } else if step.to > step.from {
            6
        } else {
            2
        }
    }

    /// Returns whether a move captures.
    #[inline(always)]
    pub(crate) fn takes(&self, step: TurnedMove) -> bool {
        let diagonal = (step.from ^ step.to) & 7 != 0;
        all(&self.them) & bit(step.to) != 0 || self.role(step.from) == PAWN as u8 && diagonal
    }

    /// Converts a move to the move type of the rules. `turn` is the color of the player to move.
    #[expect(clippy::indexing_slicing, reason = "squares are masked, roles below 6")]
    pub fn to_move(&self, step: TurnedMove, turn: Color) -> Move {
        let flip = if turn == Color::Black { 56 } else { 0 };
        let [from, to] = [step.from, step.to].map(|square| Square::masked(square ^ flip));
        let kind = if self.castles(step) {
            MoveKind::Castle(if step.to > step.from { CastlingSide::King } else { CastlingSide::Queen })
        } else if step.promotion != 0 {
            MoveKind::Promotion(Role::ALL[step.promotion as usize % 6])
        } else if self.role(step.from) == PAWN as u8 && step.to == self.en_passant && step.from & 7 != step.to & 7 {
            MoveKind::EnPassant
        } else {
            MoveKind::Plain
        };
        Move { from, to, kind }
    }

    /// Converts a move of the rules to a move on the turned board.
    pub fn step(m: Move, turn: Color) -> TurnedMove {
        let flip = if turn == Color::Black { 56 } else { 0 };
        TurnedMove {
            from: m.from.index() ^ flip,
            to: m.to.index() ^ flip,
            promotion: m.promotion().map_or(0, |role| role as u8),
        }
    }

    /// Plays a legal move and turns the board. Calls `pieces` for each piece that leaves (false) or enters (true) a
    /// square. Also passes whether the piece belongs to the player, its role and its square.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "squares are masked, roles below 6")]
    pub(crate) fn play(&mut self, step: TurnedMove, mut pieces: impl FnMut(bool, bool, u8, u8)) {
        let TurnedMove { from, to, promotion } = step;
        let role = self.role(from);
        let mut passed = OFF;
        if self.castles(step) {
            let (king, rook) = if to > from { (6, 5) } else { (2, 3) };
            self.us[KING_] = bit(king);
            self.us[ROOK] = self.us[ROOK] & !bit(to) | bit(rook);
            self.set_role(from, NONE);
            self.set_role(to, NONE);
            self.set_role(king, KING_ as u8);
            self.set_role(rook, ROOK as u8);
            for (enters, role, square) in
                [(false, KING_, from), (true, KING_, king), (false, ROOK, to), (true, ROOK, rook)]
            {
                pieces(enters, true, role as u8, square);
            }
            self.rooks[0] = [OFF; 2];
        } else {
            let captured = self.role(to);
            if captured < NONE {
                self.them[captured as usize % 6] &= !bit(to);
                pieces(false, false, captured, to);
            } else if role == PAWN as u8 {
                if to == self.en_passant && (from ^ to) & 7 != 0 {
                    let victim = to.wrapping_sub(8);
                    self.them[PAWN] &= !bit(victim);
                    self.set_role(victim, NONE);
                    pieces(false, false, PAWN as u8, victim);
                } else if to.wrapping_sub(from) == 16 {
                    passed = from + 8;
                }
            }
            let becomes = if promotion != 0 { promotion } else { role };
            self.us[role as usize % 6] &= !bit(from);
            self.us[becomes as usize % 6] |= bit(to);
            self.set_role(from, NONE);
            self.set_role(to, becomes);
            pieces(false, true, role, from);
            pieces(true, true, becomes, to);
            if role == KING_ as u8 {
                self.rooks[0] = [OFF; 2];
            }
            if self.has_rooks() {
                let left = |rook: u8| if rook == from || rook == to { OFF } else { rook };
                self.rooks = self.rooks.map(|rooks| rooks.map(left));
            }
        }
        self.en_passant = passed;
        self.turn();
    }

    /// Returns whether any castling right exists.
    #[inline(always)]
    fn has_rooks(&self) -> bool {
        self.rooks != [[OFF; 2]; 2]
    }

    /// Plays the null move and turns the board.
    pub(crate) fn pass(&mut self) {
        self.en_passant = OFF;
        self.turn();
    }

    #[inline]
    fn turn(&mut self) {
        // Copying complete arrays, without loops over borrowed halves, takes a third of the instructions.
        (self.us, self.them) = (self.them.map(u64::swap_bytes), self.us.map(u64::swap_bytes));
        let [a, b, c, d, e, f, g, h] = self.roles;
        self.roles = [h, g, f, e, d, c, b, a];
        let turned = |square: u8| if square < OFF { square ^ 56 } else { square };
        if self.has_rooks() {
            let [us, them] = self.rooks;
            self.rooks = [them.map(turned), us.map(turned)];
        }
        self.en_passant = turned(self.en_passant);
    }

    /// Returns whether the player's king is safe after an en passant capture from `from`.
    #[expect(clippy::indexing_slicing, reason = "squares are masked, roles below 6")]
    pub(crate) fn en_passant_is_safe(&self, from: u8) -> bool {
        let victim = bit(self.en_passant.wrapping_sub(8));
        let occupied = (all(&self.us) | all(&self.them)) & !bit(from) & !victim | bit(self.en_passant);
        let king = self.king();
        rook(king, occupied) & (self.them[ROOK] | self.them[QUEEN]) == 0
            && bishop(king, occupied) & (self.them[BISHOP] | self.them[QUEEN]) == 0
            && KNIGHT[king as usize & 63] & self.them[KNIGHT_] == 0
            && PAWN_CAPTURES[king as usize & 63] & self.them[PAWN] & !victim == 0
            && KING[king as usize & 63] & self.them[KING_] == 0
    }

    /// Returns the squares of the rooks with which the king may castle now. `danger` is the set of squares that the
    /// opponent attacks on the board without the player's king.
    #[inline]
    pub(crate) fn castlings(&self, danger: u64) -> u64 {
        let mut found = 0;
        let king = self.king();
        for (castling_side, &home) in self.rooks[0].iter().enumerate() {
            if home >= OFF {
                continue;
            }
            let (king_to, rook_to) = if castling_side == 0 { (6, 5) } else { (2, 3) };
            let occupied = (all(&self.us) | all(&self.them)) & !bit(king) & !bit(home);
            let way = span(king, king_to);
            if (way | span(home, rook_to)) & occupied != 0 || way & danger != 0 {
                continue;
            }
            // The rook may have blocked an attack along the rank.
            let after = occupied | bit(king_to) | bit(rook_to);
            if rook(king_to, after) & (self.them[ROOK] | self.them[QUEEN]) & 0xFF == 0 {
                found |= bit(home);
            }
        }
        found
    }
}

/// Returns the squares of the first rank from one square to another, including both.
#[inline(always)]
fn span(a: u8, b: u8) -> u64 {
    let (low, high) = (a.min(b) & 7, a.max(b) & 7);
    (2u64 << high) - (1u64 << low)
}

//! The board for lines: generates, plays and hashes moves.

use crate::chess::{Color, Move, Position};
use crate::turned::attacks::{KING, KNIGHT, PAWN_CAPTURES, QUEEN_LINES, between, bishop, pawns_down, rook, squares};
use crate::turned::board::{BISHOP, KING_, KNIGHT_, OFF, PAWN, QUEEN, ROOK, TurnedBoard, TurnedMove, all};

/// The number of a kind of move in the model, by the role of the moving piece. It is 0 to 5 for a move without a
/// capture, and 6 to 11 for a capture.
pub(super) const CASTLES: u8 = 12;
/// The number of a capture on the square of the previous capture.
pub(super) const RETAKES: u8 = 13;
/// No move.
pub(super) const NO_KIND: u8 = 14;

/// The Zobrist keys of pieces on squares, by 64 * (6 * color + role) + square, and of Black to move. The numbers are
/// from SplitMix64.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static KEYS: [u64; 769] = {
    let mut keys = [0; 769];
    let mut state = 0u64;
    let mut at = 0;
    while at < keys.len() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut key = state;
        key = (key ^ key >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        key = (key ^ key >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        keys[at] = key ^ key >> 31;
        at += 1;
    }
    keys
};

/// Returns the key of a piece. `flip` is 56 if Black is to move, because the board is then turned. `is_own` states
/// whether the piece belongs to the player to move.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "roles are below 6, squares masked")]
fn key(flip: u8, is_own: bool, role: u8, square: u8) -> u64 {
    let black = (flip != 0) == is_own;
    KEYS[usize::from(black) * 384 + role as usize % 6 * 64 + ((square ^ flip) & 63) as usize]
}

#[inline(always)]
fn bit(square: u8) -> u64 {
    1u64 << (square & 63)
}

/// A position in a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineBoard {
    pub(super) board: TurnedBoard,
    /// 56 if Black is to move, otherwise 0, to flip square numbers.
    pub(super) flip: u8,
    pub(super) hash: u64,
    /// The squares of the player's pieces, cached because each move uses them several times.
    us: u64,
    /// The squares of the opponent's pieces, cached for the same reason.
    them: u64,
    /// The squares of the pieces that give check to the player to move.
    pub(super) checkers: u64,
    /// The square of the previous move's capture, or `OFF`.
    pub(super) taken: u8,
    /// The kinds of the last two moves, most recent first.
    pub(super) kinds: [u8; 2],
}

impl LineBoard {
    /// Returns the board of a position. Returns `None` unless each side has exactly one king and at most 16 pieces.
    pub(super) fn new(position: &Position) -> Option<LineBoard> {
        let board = TurnedBoard::new(position)?;
        if [&board.us, &board.them].iter().any(|pieces| all(pieces).count_ones() > 16) {
            return None;
        }
        let flip = if position.turn() == Color::Black { 56 } else { 0 };
        let mut hash = if flip == 0 { 0 } else { KEYS[768] };
        for (is_own, pieces) in [(true, &board.us), (false, &board.them)] {
            for (role, set) in pieces.iter().enumerate() {
                for square in squares(*set) {
                    hash ^= key(flip, is_own, role as u8, square);
                }
            }
        }
        let (us, them) = (all(&board.us), all(&board.them));
        let checkers = attackers(&board, us | them);
        Some(LineBoard { board, flip, hash, us, them, checkers, taken: OFF, kinds: [NO_KIND; 2] })
    }

    pub(super) fn turn(&self) -> Color {
        if self.flip == 0 { Color::White } else { Color::Black }
    }

    /// Converts a move to the orientation of this board.
    pub(super) fn step(&self, m: Move) -> TurnedMove {
        TurnedBoard::step(m, self.turn())
    }

    /// Returns whether a move is castling.
    #[inline(always)]
    pub(super) fn castles(&self, step: TurnedMove) -> bool {
        self.us & bit(step.to) != 0
    }

    /// Returns whether a move captures.
    #[inline(always)]
    pub(super) fn takes(&self, step: TurnedMove) -> bool {
        let diagonal = (step.from ^ step.to) & 7 != 0;
        self.them & bit(step.to) != 0 || diagonal && self.board.role(step.from) == PAWN as u8
    }

    /// Returns the destination of the moved piece. In castling, the king moves to the g-file or c-file.
    #[inline(always)]
    pub(super) fn arrival(&self, step: TurnedMove) -> u8 {
        if self.castles(step) { self.board.arrival(step) } else { step.to }
    }

    /// Returns the squares of the opponent's pieces.
    #[inline(always)]
    pub(super) fn others(&self) -> u64 {
        self.them
    }

    /// Returns the kind of a move.
    #[inline]
    pub(super) fn kind(&self, step: TurnedMove) -> u8 {
        let role = self.board.role(step.from);
        if self.castles(step) {
            CASTLES
        } else if !self.takes(step) {
            role
        } else if step.to == self.taken {
            RETAKES
        } else {
            6 + role
        }
    }

    /// Returns the pseudo-legal destinations of a piece, without castling.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "squares are masked")]
    pub(super) fn targets(&self, role: usize, from: u8) -> u64 {
        let board = &self.board;
        let (us, them) = (self.us, self.them);
        let occupied = us | them;
        let set = match role {
            PAWN => {
                let single = bit(from) << 8 & !occupied;
                let double = (single & 0xFF_0000) << 8 & !occupied;
                let passed = if board.en_passant < OFF { bit(board.en_passant) } else { 0 };
                return single | double | PAWN_CAPTURES[from as usize & 63] & (them | passed) & !us;
            }
            KNIGHT_ => KNIGHT[from as usize & 63],
            BISHOP => bishop(from, occupied),
            ROOK => rook(from, occupied),
            QUEEN => bishop(from, occupied) | rook(from, occupied),
            _ => KING[from as usize & 63],
        };
        set & !us
    }

    /// Returns the pseudo-legal destinations of a piece while its king is in check.
    #[inline]
    pub(super) fn evasions(&self, role: usize, from: u8) -> u64 {
        let targets = self.targets(role, from);
        if role == KING_ {
            return targets;
        }
        let board = &self.board;
        let mut way = 0;
        if self.checkers & (self.checkers - 1) == 0 {
            let checker = self.checkers.trailing_zeros() as u8;
            way = self.checkers | between(checker, board.king());
            if role == PAWN && board.en_passant < OFF && board.en_passant.wrapping_sub(8) == checker {
                way |= bit(board.en_passant);
            }
        }
        targets & way
    }

    /// Returns the squares of the rooks with castling rights.
    pub(super) fn castling_rooks(&self) -> u64 {
        let rooks = self.board.rooks.first().copied().unwrap_or([OFF; 2]);
        rooks.into_iter().filter(|rook| *rook < OFF).fold(0, |set, rook| set | bit(rook))
    }

    /// Returns whether a move is legal.
    pub(super) fn is_legal(&self, step: TurnedMove) -> bool {
        let board = &self.board;
        let role = board.role(step.from) as usize;
        if role > KING_ || self.us & bit(step.from) == 0 {
            return false;
        }
        if self.castles(step) {
            return role == KING_
                && step.promotion == 0
                && self.checkers == 0
                && self.castling_rooks() & bit(step.to) != 0
                && board.castlings(danger(board)) & bit(step.to) != 0;
        }
        let promotes = role == PAWN && step.to >= 56;
        let promotion = usize::from(step.promotion);
        self.targets(role, step.from) & bit(step.to) & !board.them[KING_] != 0
            && (if promotes { (KNIGHT_..=QUEEN).contains(&promotion) } else { promotion == 0 })
            && self.keeps_king(step)
    }

    /// Returns whether a move is legal, if it leads to a pseudo-legal destination of the piece or castles with a rook.
    #[inline]
    pub(super) fn is_allowed(&self, step: TurnedMove) -> bool {
        if self.castles(step) {
            return self.is_legal(step);
        }
        bit(step.to) & self.board.them[KING_] == 0 && self.keeps_king(step)
    }

    /// Returns whether a pseudo-legal move does not leave the player's king in check.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "squares are masked")]
    pub(super) fn keeps_king(&self, step: TurnedMove) -> bool {
        let board = &self.board;
        let king = board.king();
        let moved = board.role(step.from) as usize;
        let lines = QUEEN_LINES[king as usize & 63];
        if self.checkers == 0 && moved != KING_ && (lines & bit(step.from) == 0 || self.is_passing(step)) {
            return !self.is_passing(step) || board.en_passant_is_safe(step.from);
        }
        if self.is_passing(step) {
            return board.en_passant_is_safe(step.from);
        }
        let king = if moved == KING_ { step.to } else { king };
        let occupied = (self.us | self.them) & !bit(step.from) | bit(step.to);
        let [pawns, knights, bishops, rooks, queens, other_king] = board.them.map(|set| set & !bit(step.to));
        let at = king as usize & 63;
        rook(king, occupied) & (rooks | queens)
            | bishop(king, occupied) & (bishops | queens)
            | KNIGHT[at] & knights
            | KING[at] & other_king
            | PAWN_CAPTURES[at] & pawns
            == 0
    }

    #[inline(always)]
    fn is_passing(&self, step: TurnedMove) -> bool {
        let board = &self.board;
        board.role(step.from) == PAWN as u8 && step.to == board.en_passant && (step.from ^ step.to) & 7 != 0
    }

    /// Plays a pseudo-legal move.
    #[inline]
    pub(super) fn play(&mut self, step: TurnedMove) {
        let kind = self.kind(step);
        let takes = self.takes(step);
        let (flip, mut hash) = (self.flip, self.hash);
        self.board.play(step, |_, is_own, role, square| hash ^= key(flip, is_own, role, square));
        self.hash = hash ^ KEYS[768];
        self.flip ^= 56;
        self.taken = if takes { step.to ^ 56 } else { OFF };
        self.kinds = [kind, self.kinds[0]];
        (self.us, self.them) = (all(&self.board.us), all(&self.board.them));
        self.checkers = attackers(&self.board, self.us | self.them);
    }

    /// Returns the number of the player's knights, bishops, rooks and queens, limited to 7.
    #[inline(always)]
    pub(super) fn own_pieces(&self) -> usize {
        let us = &self.board.us;
        ((us[KNIGHT_] | us[BISHOP] | us[ROOK] | us[QUEEN]).count_ones() as usize).min(7)
    }

    /// Returns the squares that the opponent's pawns attack.
    #[inline(always)]
    pub(super) fn pawn_danger(&self) -> u64 {
        pawns_down(self.board.them[PAWN])
    }

    /// Returns the player's pieces of a role that can reach `to`, which must be empty or contain an opponent's piece.
    #[expect(clippy::indexing_slicing, reason = "squares are masked")]
    pub(super) fn reaching(&self, role: usize, to: u8) -> u64 {
        let occupied = self.us | self.them;
        let sources = match role {
            KNIGHT_ => KNIGHT[to as usize & 63],
            BISHOP => bishop(to, occupied),
            ROOK => rook(to, occupied),
            QUEEN => bishop(to, occupied) | rook(to, occupied),
            KING_ => KING[to as usize & 63],
            _ => 0,
        };
        sources & self.board.us.get(role).copied().unwrap_or(0)
    }
}

/// Returns the pieces that attack the king of the player to move.
#[inline]
#[expect(clippy::indexing_slicing, reason = "squares are masked")]
fn attackers(board: &TurnedBoard, occupied: u64) -> u64 {
    let (king, others) = (board.king(), &board.them);
    let at = king as usize & 63;
    rook(king, occupied) & (others[ROOK] | others[QUEEN])
        | bishop(king, occupied) & (others[BISHOP] | others[QUEEN])
        | KNIGHT[at] & others[KNIGHT_]
        | KING[at] & others[KING_]
        | PAWN_CAPTURES[at] & others[PAWN]
}

/// Returns the squares that the opponent attacks on the board without the player's king.
#[expect(clippy::indexing_slicing, reason = "squares are masked")]
fn danger(board: &TurnedBoard) -> u64 {
    let occupied = (all(&board.us) | all(&board.them)) & !board.us[KING_];
    let mut set = pawns_down(board.them[PAWN]);
    for square in squares(board.them[KNIGHT_]) {
        set |= KNIGHT[square as usize & 63];
    }
    for square in squares(board.them[BISHOP] | board.them[QUEEN]) {
        set |= bishop(square, occupied);
    }
    for square in squares(board.them[ROOK] | board.them[QUEEN]) {
        set |= rook(square, occupied);
    }
    set | KING[board.them[KING_].trailing_zeros() as usize & 63]
}

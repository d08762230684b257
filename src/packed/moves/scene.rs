//! Computes the facts about a position that the features need: attacks, pins and hanging pieces.

use crate::packed::moves::attacks::{
    KING, KNIGHT, PAWN_CAPTURES, PAWN_SOURCES, between, bishop, pawns_down, pawns_up, rook, squares,
};
use crate::packed::moves::board::{BISHOP, KING_, KNIGHT_, OFF, PAWN, QUEEN, ROOK, TurnedBoard, all};

/// Converts each bit of a byte to a byte with value 0 or 1.
#[inline(always)]
fn spread(byte: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let bits = (byte & 0xFF).wrapping_mul(EACH) & 0x8040_2010_0804_0201;
    (bits + 0x7F * EACH) >> 7 & EACH
}

/// Returns, for each square, twice the number (from 1) of the first set that contains the square, or 0 if none does.
/// Adds 1 for squares in `odd`.
#[inline(always)]
fn first_of(sets: [u64; 5], odd: u64) -> [u8; 64] {
    let mut planes = [0; 3];
    let mut seen = 0;
    for (number, set) in sets.into_iter().enumerate() {
        let new = set & !seen;
        for (bit, plane) in planes.iter_mut().enumerate() {
            if (number + 1) >> bit & 1 != 0 {
                *plane |= new;
            }
        }
        seen |= set;
    }
    let mut squares = [0; 64];
    for (rank, row) in squares.chunks_exact_mut(8).enumerate() {
        let [a, b, c, odd] = [planes[0], planes[1], planes[2], odd].map(|set| spread(set >> (8 * rank)));
        row.copy_from_slice(&(a << 1 | b << 2 | c << 3 | odd).to_le_bytes());
    }
    squares
}

/// An earlier move in a game, on the turned board of the current player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Past {
    /// The role of the moved piece. A pawn that promotes is treated as a pawn.
    pub role: u8,
    /// The from square.
    pub from: u8,
    /// The to square. In castling, the target square of the king.
    pub to: u8,
    /// Whether it captured.
    pub took: bool,
}

impl Past {
    /// Returns the same move from the point of view of the other side.
    pub(crate) fn turned(self) -> Past {
        Past { from: self.from ^ 56, to: self.to ^ 56, ..self }
    }
}

/// The history before a position, reduced to the data that the model needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct History {
    /// The opponent's last move.
    pub them: Option<Past>,
    /// The player's own last move.
    pub us: Option<Past>,
    /// The opponent's second-last move.
    pub them_before: Option<Past>,
    /// The number of plies so far.
    pub ply: u32,
    /// The surprise values of the player and of the opponent. They measure how badly the model has predicted the moves
    /// of each side.
    pub surprise: [u16; 2],
}

/// The attacks in a position, with other data for the features.
pub struct Scene<'a> {
    pub(crate) board: &'a TurnedBoard,
    pub(crate) history: &'a History,
    pub(crate) us: u64,
    pub(crate) them: u64,
    pub(crate) king: u8,
    pub(crate) opp_king: u8,
    /// The squares that the opponent attacks on the board without the player's king.
    pub(crate) danger: u64,
    /// By square, the attackers:
    ///
    /// | bits | value |
    /// |---|---|
    /// | 0 | whether the player attacks the square twice |
    /// | 1..=3 | the opponent's cheapest attacker: 0 none, 1 pawn, 2 knight or bishop, 3 rook, 4 queen, 5 king |
    pub(crate) hits: [u8; 64],
    /// The squares that the player attacks.
    pub(crate) own_once: u64,
    /// The squares that the player's pawns attack, and those that two of these pawns attack.
    pub(crate) own_pawns: u64,
    pub(crate) own_pawns_twice: u64,
    /// The player's pieces that the opponent can win, and the opponent's pieces that the player can win.
    pub(crate) own_hanging: u64,
    pub(crate) opp_hanging: u64,
    /// The opponent's pieces that each role of the player can profitably attack.
    pub(crate) prey: [u64; 6],
    /// The squares from which each role gives check.
    pub(crate) checks: [u64; 6],
    /// The player's pieces that give a discovered check when they leave their line.
    pub(crate) screens: u64,
    /// The opponent's pieces that give check.
    pub(crate) checkers: u64,
    pub(crate) pinned: u64,
    /// The squares that the opponent's last moved piece attacks.
    pub(crate) last_attacks: u64,
    /// The squares that each of the player's pieces attacks, except pawns.
    pub(crate) reach: [u64; 64],
}

impl<'a> Scene<'a> {
    /// Returns the scene for a position.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "squares are masked")]
    pub fn new(board: &'a TurnedBoard, history: &'a History) -> Scene<'a> {
        let (us, them) = (all(&board.us), all(&board.them));
        let (king, opp_king) = (board.king(), board.them[KING_].trailing_zeros() as u8);
        let occupied = us | them;
        let without_king = occupied & !board.us[KING_];

        let pawns = pawns_down(board.them[PAWN]);
        let mut minors = 0;
        for square in squares(board.them[KNIGHT_]) {
            minors |= KNIGHT[square as usize & 63];
        }
        for square in squares(board.them[BISHOP]) {
            minors |= bishop(square, without_king);
        }
        let mut rooks = 0;
        for square in squares(board.them[ROOK]) {
            rooks |= rook(square, without_king);
        }
        let mut queens = 0;
        for square in squares(board.them[QUEEN]) {
            queens |= rook(square, without_king) | bishop(square, without_king);
        }
        let danger = pawns | minors | rooks | queens | KING[opp_king as usize & 63];

        let mut reach = [0; 64];
        let (left, right) = pawns_up(board.us[PAWN]);
        let (own_pawns, own_pawns_twice) = (left | right, left & right);
        let (mut once, mut twice) = (own_pawns, own_pawns_twice);
        let mut add = |square: u8, set: u64| {
            reach[square as usize & 63] = set;
            twice |= once & set;
            once |= set;
        };
        let mut own_minors = 0;
        for square in squares(board.us[KNIGHT_]) {
            own_minors |= KNIGHT[square as usize & 63];
            add(square, KNIGHT[square as usize & 63]);
        }
        for square in squares(board.us[BISHOP]) {
            let set = bishop(square, occupied);
            own_minors |= set;
            add(square, set);
        }
        let mut own_rooks = 0;
        for square in squares(board.us[ROOK]) {
            let set = rook(square, occupied);
            own_rooks |= set;
            add(square, set);
        }
        for square in squares(board.us[QUEEN]) {
            add(square, rook(square, occupied) | bishop(square, occupied));
        }
        add(king, KING[king as usize & 63]);

        let hanging = |pieces: &[u64; 6], attacked: u64, defended: u64, pawns: u64, minors: u64, rooks: u64| {
            (pieces[PAWN] | pieces[KNIGHT_] | pieces[BISHOP] | pieces[ROOK] | pieces[QUEEN]) & attacked & !defended
                | (pieces[KNIGHT_] | pieces[BISHOP]) & pawns
                | pieces[ROOK] & (pawns | minors)
                | pieces[QUEEN] & (pawns | minors | rooks)
        };
        let opp_loose = them & !danger & !board.them[KING_];
        let minor_pieces = board.them[KNIGHT_] | board.them[BISHOP];
        let (heavy, queen_pieces) = (board.them[ROOK] | board.them[QUEEN], board.them[QUEEN]);
        let king_rook = rook(opp_king, occupied);
        let king_bishop = bishop(opp_king, occupied);

        let mut screens = 0;
        let mut pinned = 0;
        for (lines, own_sliders, opp_sliders) in [
            (rook as fn(u8, u64) -> u64, board.us[ROOK] | board.us[QUEEN], board.them[ROOK] | board.them[QUEEN]),
            (bishop, board.us[BISHOP] | board.us[QUEEN], board.them[BISHOP] | board.them[QUEEN]),
        ] {
            for square in squares(lines(opp_king, them) & own_sliders) {
                let pieces = between(square, opp_king) & us;
                if pieces != 0 && pieces & (pieces - 1) == 0 {
                    screens |= pieces;
                }
            }
            for square in squares(lines(king, them) & opp_sliders) {
                let pieces = between(square, king) & us;
                if pieces != 0 && pieces & (pieces - 1) == 0 {
                    pinned |= pieces;
                }
            }
        }
        let checkers = PAWN_CAPTURES[king as usize & 63] & board.them[PAWN]
            | KNIGHT[king as usize & 63] & board.them[KNIGHT_]
            | KING[king as usize & 63] & board.them[KING_]
            | rook(king, occupied) & (board.them[ROOK] | board.them[QUEEN])
            | bishop(king, occupied) & (board.them[BISHOP] | board.them[QUEEN]);
        let last_attacks = match history.them {
            Some(last) => match board.role(last.to) as usize {
                PAWN => pawns_down(1 << (last.to & 63)),
                KNIGHT_ => KNIGHT[last.to as usize & 63],
                BISHOP => bishop(last.to, occupied),
                ROOK => rook(last.to, occupied),
                QUEEN => rook(last.to, occupied) | bishop(last.to, occupied),
                _ => 0,
            },
            None => 0,
        };
        Scene {
            board,
            history,
            us,
            them,
            king,
            opp_king,
            danger,
            hits: first_of([pawns, minors, rooks, queens, KING[opp_king as usize & 63]], twice),
            own_once: once,
            own_pawns,
            own_pawns_twice,
            own_hanging: hanging(&board.us, danger, once, pawns, minors, rooks),
            opp_hanging: hanging(&board.them, once, danger, own_pawns, own_minors, own_rooks),
            prey: [
                minor_pieces | heavy | opp_loose,
                heavy | opp_loose,
                heavy | opp_loose,
                queen_pieces | opp_loose,
                opp_loose,
                opp_loose,
            ],
            checks: [
                PAWN_SOURCES[opp_king as usize & 63],
                KNIGHT[opp_king as usize & 63],
                king_bishop,
                king_rook,
                king_bishop | king_rook,
                0,
            ],
            screens,
            checkers,
            pinned,
            last_attacks,
            reach,
        }
    }

    /// Returns the possible destinations of pieces other than the king, considering only checks.
    pub(crate) fn targets(&self) -> u64 {
        let free = !self.us & !self.board.them[KING_];
        match self.checkers.count_ones() {
            0 => free,
            1 => free & (self.checkers | between(self.checkers.trailing_zeros() as u8, self.king)),
            _ => 0,
        }
    }

    /// Returns the legal destinations of the player's piece on `square`. For the king, they include the squares of the
    /// rooks with which it can castle. `targets` is the result of `Scene::targets`.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "squares are masked")]
    pub(crate) fn moves_of<const ROLE: usize>(&self, square: u8, targets: u64) -> u64 {
        let board = self.board;
        let reach = self.reach[square as usize & 63];
        if ROLE == KING_ {
            let steps = reach & !self.us & !self.danger & !board.them[KING_];
            return if board.rooks[0] == [OFF; 2] { steps } else { steps | board.castlings(self.danger) };
        }
        let mut set = reach & targets;
        if ROLE == PAWN {
            let occupied = self.us | self.them;
            let single = 1u64 << (square & 63) << 8 & !occupied;
            let double = (single & 0xFF_0000) << 8 & !occupied;
            set = (single | double | PAWN_CAPTURES[square as usize & 63] & self.them) & targets;
        }
        if self.pinned >> (square & 63) & 1 != 0 {
            set &= self.pin_line(square);
        }
        if ROLE == PAWN
            && board.en_passant < OFF
            && PAWN_CAPTURES[square as usize & 63] >> board.en_passant & 1 != 0
            && board.en_passant_is_safe(square)
        {
            set |= 1 << board.en_passant;
        }
        set
    }

    /// Returns the squares on the line of a pin, from the king through the pinned piece to the pinning piece.
    #[cold]
    fn pin_line(&self, square: u8) -> u64 {
        let rest = (self.us | self.them) & !(1u64 << square);
        let line = |lines: fn(u8, u64) -> u64, sliders: u64| {
            let seen = lines(self.king, rest) & sliders;
            squares(seen).map(|slider| (slider, between(self.king, slider))).find(|(_, way)| way >> square & 1 != 0)
        };
        let (rooks, bishops) = (self.board.them[ROOK], self.board.them[BISHOP]);
        let queens = self.board.them[QUEEN];
        match line(rook, rooks | queens).or_else(|| line(bishop, bishops | queens)) {
            Some((slider, way)) => way | 1 << slider,
            None => u64::MAX,
        }
    }
}

//! The state of a replay at one ply: the fields of a FEN, each computed on demand.

use super::pieces::Pieces;
use super::table::is_double_step;
use crate::chess::attention::Attention;
use crate::chess::fen::{FenText, Fields};
use crate::chess::piece::{CODES, EMPTY, OFF};
use crate::chess::variant::Extra;
use crate::chess::{CastlingSide, Color, Piece, PieceId, Position, Square, Variant};

/// The data other than the pieces that changes from ply to ply. It stays in registers while plain moves are replayed.
#[derive(Clone, Copy)]
pub(super) struct Tally {
    /// The slots that have moved since the start. Castling rights are derived from them on demand.
    pub moved: u64,
    /// The ply of the last capture or pawn move, minus the clock at the start.
    pub zero: i64,
    /// Rights lost because of a rook without a label, or because another such rook is on its home square.
    pub lost: u8,
}

/// The data that is constant during a replay.
#[derive(Clone)]
pub(super) struct Start {
    pub rights: u8,
    pub rook_home: [u8; 4],
    /// The slot of each castling rook, or `EMPTY` for a rook without a label.
    pub rook: [u8; 4],
    pub fullmove_number: u32,
    pub turn: Color,
    /// The current position of a game of a variant, or `None` in chess.
    pub variant: Option<Box<Position>>,
}

impl Start {
    /// Returns the constant data for a replay from this position.
    pub fn from_position(position: &Position) -> Start {
        let rook = |home| Square::new(home).and_then(|home| position.piece_id_at(home)).map_or(EMPTY, |id| id.0);
        Start {
            rights: position.rights,
            rook_home: position.rook_home,
            rook: position.rook_home.map(rook),
            fullmove_number: position.fullmove_number,
            turn: position.turn,
            variant: (position.variant != Variant::Chess).then(|| Box::new(position.clone())),
        }
    }
}

impl Tally {
    /// Returns the tally at the start of a replay.
    pub fn from_position(position: &Position) -> Tally {
        Tally { moved: 0, zero: -i64::from(position.halfmove_clock), lost: 0 }
    }
}

/// A view of a replay's state at one ply. Creating it is fast, because it only refers to the board. Castling rights, en
/// passant and clocks are computed on demand, in a few nanoseconds each.
#[derive(Clone, Copy)]
pub struct ReplayState<'a> {
    pub(super) pieces: &'a Pieces,
    pub(super) start: &'a Start,
    pub(super) tally: Tally,
    /// The ply relative to `base`, and `base`, the ply from which `ply` and `tally` count.
    pub(super) ply: i64,
    pub(super) base: i64,
    pub(super) turn: Color,
    /// The last byte if it determines the en passant square, or 0 if `en_passant` contains the square.
    pub(super) last: u8,
    pub(super) en_passant: u8,
}

impl<'a> ReplayState<'a> {
    /// Returns the state at ply 0.
    pub(super) fn at_start(pieces: &'a Pieces, start: &'a Start, tally: Tally, en_passant: u8) -> ReplayState<'a> {
        ReplayState { pieces, start, tally, ply: 0, base: 0, turn: start.turn, last: 0, en_passant }
    }
}

impl ReplayState<'_> {
    /// Returns the ply, from 0.
    pub fn ply(&self) -> u32 {
        (self.base + self.ply) as u32
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the codes of the pieces on the squares, from a1. An empty square has the code `EMPTY`.
    #[inline]
    #[doc(hidden)]
    pub fn board(&self) -> &[u8; 64] {
        self.pieces.squares()
    }

    /// Returns the identity of the piece on a square.
    #[expect(clippy::indexing_slicing, reason = "squares are masked, and there are four rights")]
    pub fn piece_id_at(&self, square: Square) -> Option<PieceId> {
        match self.pieces.board[square.at_most_63()] {
            EMPTY => None,
            code => Some(PieceId(code)),
        }
    }

    /// Returns the piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.piece_id_at(square).map(PieceId::piece)
    }

    /// Returns the square that a pawn passed in the last move, a double step, even if no piece can capture there.
    pub fn en_passant(&self) -> Option<Square> {
        Square::new(self.passed())
    }

    /// Returns the passed square as an index, or `OFF` if there is none.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "squares are masked, and there are four rights")]
    pub(super) fn passed(&self) -> u8 {
        if self.last == 0 {
            return self.en_passant;
        }
        if !is_double_step(self.last) {
            return OFF;
        }
        let (side, forward) = if self.turn == Color::Black { (0, 8) } else { (32, -8i8) };
        self.pieces.square[usize::from(side | self.last & 7)].wrapping_add_signed(-forward) & 63
    }

    /// Returns the number of plies since the last capture or pawn move. At 100, a player can claim a draw.
    pub fn halfmove_clock(&self) -> u32 {
        (self.ply - self.tally.zero).clamp(0, i64::from(u32::MAX)) as u32
    }

    /// Returns the fullmove number, from 1.
    pub fn fullmove_number(&self) -> u32 {
        let moves_of_black = (self.ply() + (self.start.turn == Color::Black) as u32) / 2;
        self.start.fullmove_number.saturating_add(moves_of_black)
    }

    /// Returns the square of the castling rook if the right still exists.
    #[expect(clippy::indexing_slicing, reason = "squares are masked, and there are four rights")]
    pub fn castling_rook(&self, color: Color, castling_side: CastlingSide) -> Option<Square> {
        let right = color.index() * 2 + castling_side as usize;
        if self.rights() >> right & 1 == 0 { None } else { Square::new(self.start.rook_home[right]) }
    }

    /// Returns the castling rights as bits. The index of a bit is `side * 2 + castling side`.
    #[expect(clippy::indexing_slicing, reason = "squares are masked, and there are four rights")]
    pub(super) fn rights(&self) -> u8 {
        let start = self.start;
        let mut rights = start.rights & !self.tally.lost;
        let kings = 1 << 24 | 1 << 56;
        if rights == 0 || self.tally.moved & kings == kings {
            return 0;
        }
        for right in 0..4 {
            let king = right as u32 / 2 * 32 + 24;
            let rook = start.rook[right];
            // A rook without a label has no slot, so its rights are removed through `lost`.
            let rook_moved = rook < 64 && self.tally.moved >> rook & 1 != 0;
            let home = start.rook_home[right] as usize & 63;
            let gone = self.tally.moved >> king & 1 != 0 || rook_moved || self.pieces.board[home] != rook;
            rights &= !(u8::from(gone) << right);
        }
        rights
    }

    /// Writes the FEN into `text` and returns it. The FEN gives the en passant target after every double step, and
    /// castling rights as X-FEN. The result is ASCII. Takes about 20 ns.
    #[inline]
    pub fn fen<'t>(&self, text: &'t mut FenText) -> &'t [u8] {
        if let Some(position) = &self.start.variant {
            return text.format(position);
        }
        text.write(&Fields {
            board: self.pieces.squares(),
            turn: self.turn,
            rights: self.rights(),
            rooks: self.start.rook_home,
            target: self.en_passant(),
            halfmove_clock: self.halfmove_clock(),
            fullmove_number: self.fullmove_number(),
        })
    }

    /// Returns the squares of each role, the squares of White and of Black, and whether some pieces may lack labels.
    #[inline]
    fn sets(&self) -> ([u64; 6], [u64; 2], bool) {
        let board = self.pieces.squares();
        // Collect the squares whose codes have bit 2, 3, 4, 5 or 6, eight squares at a time.
        let mut sets = [0u64; 5];
        for (rank, codes) in board.as_chunks::<8>().0.iter().enumerate() {
            let codes = u64::from_le_bytes(*codes);
            for (bit, set) in sets.iter_mut().enumerate() {
                let bits = codes >> (bit + 2) & 0x0101_0101_0101_0101;
                *set |= (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (rank * 8);
            }
        }
        // Bits 2 to 4 of a code are the role: 0 and 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king, 7 empty.
        let [low, middle, high, black, beyond] = sets;
        let pieces = !(low & middle & high);
        let roles = [
            !high & !middle,
            !high & middle & !low,
            !high & middle & low,
            high & !middle & !low,
            high & !middle & low,
            high & middle & !low,
        ];
        (roles, [pieces & !black, pieces & black], beyond & pieces != 0)
    }

    /// Returns the squares of each kind of piece as bit sets, like
    /// [`Position::bitboards`](crate::chess::Position::bitboards). Takes about 20 ns.
    #[inline]
    pub fn bitboards(&self) -> [u64; 12] {
        let (roles, occupied, _) = self.sets();
        let mut sets = [0; 12];
        for (sets, occupied) in sets.chunks_exact_mut(6).zip(occupied) {
            sets.iter_mut().zip(roles).for_each(|(set, role)| *set = role & occupied);
        }
        sets
    }

    /// Returns the state as a separate position. Takes about 30 ns.
    #[expect(clippy::indexing_slicing, reason = "squares are masked, and there are four rights")]
    pub fn position(&self) -> Position {
        if let Some(position) = &self.start.variant {
            return (**position).clone();
        }
        let board = self.pieces.squares();
        let (roles, occupied, unlabelled) = self.sets();
        let mut square = [OFF; CODES];
        for (index, &code) in board.iter().enumerate() {
            square[code as usize % CODES] = index as u8;
        }
        let mut position = Position {
            board: *board,
            square,
            occupied,
            roles,
            unlabelled,
            turn: self.turn,
            en_passant: self.passed(),
            rights: self.rights(),
            rook_home: self.start.rook_home,
            castling: 0,
            halfmove_clock: self.halfmove_clock(),
            fullmove_number: self.fullmove_number(),
            attention: Attention::Unknown,
            screens: [0; 2],
            variant: Variant::Chess,
            extra: Extra::default(),
        };
        position.castling = position.castling_squares();
        position
    }
}

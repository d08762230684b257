//! The Zobrist key of a position.
//!
//! The numbers are the outputs of SplitMix64 (Steele, Lea and Flood, 2014) for the seed `0x5363_6F72_6573_6865`
//! ("Scoreshe"), in this order:
//!
//! | count | subject |
//! |---|---|
//! | 768 | pieces: `(color * 6 + role) * 64 + square` |
//! | 16 | sets of castling rights |
//! | 8 | en passant file |
//! | 1 | Black to move |
//! | 32 | castling rooks that are not the outermost rook on their side: `(color * 2 + castling side) * 8 + file` |

use super::attacks::{DIRECTIONS, KING, KNIGHT, RAYS};
use super::fen::is_outermost;
use super::moves::CastlingSide;
use super::piece::{Color, EMPTY, OFF, PieceId, Role};
use super::position::Position;
use super::square::squares;
use super::variant::Variant;

struct Numbers {
    pieces: [[u64; 64]; 12],
    rights: [u64; 16],
    en_passant: [u64; 8],
    black: u64,
    inner_rooks: [u64; 32],
}

static NUMBERS: Numbers = {
    let mut state = 0x5363_6F72_6573_6865u64;
    let mut numbers =
        Numbers { pieces: [[0; 64]; 12], rights: [0; 16], en_passant: [0; 8], black: 0, inner_rooks: [0; 32] };
    let mut i = 0;
    while i < 768 + 16 + 8 + 1 + 32 {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        if i < 768 {
            numbers.pieces[i / 64][i % 64] = z;
        } else if i < 784 {
            numbers.rights[i - 768] = z;
        } else if i < 792 {
            numbers.en_passant[i - 784] = z;
        } else if i == 792 {
            numbers.black = z;
        } else {
            numbers.inner_rooks[i - 793] = z;
        }
        i += 1;
    }
    numbers
};

/// The numbers of the pieces, by bits 2 to 5 of their code (role and color) and by square. They are zero for an empty
/// square. Any byte is a valid square index, and entries from 64 are zero.
pub(crate) static PIECES: [[u64; 256]; 16] = {
    let mut table = [[0; 256]; 16];
    let mut row = 0;
    while row < 16 {
        let role = [0, 0, 1, 2, 3, 4, 5, 6][row & 7];
        let mut square = 0;
        while role < 6 && square < 64 {
            table[row][square] = NUMBERS.pieces[row / 8 * 6 + role][square];
            square += 1;
        }
        row += 1;
    }
    table
};

/// Returns the number of the piece with this code on this square, or 0 for an empty square.
#[inline(always)]
pub fn id(code: u8, square: u8) -> u64 {
    PIECES[usize::from(code >> 2 & 15)][usize::from(square)]
}

/// Returns the XOR of the numbers of all pieces on a board.
#[inline]
pub fn pieces(board: &[u8; 64]) -> u64 {
    board.iter().zip(0..).fold(0, |key, (&code, square)| key ^ id(code, square))
}

/// Returns the XOR of the numbers of a set of castling rights.
#[inline]
pub fn rights(rights: u8) -> u64 {
    NUMBERS.rights[usize::from(rights & 15)]
}

/// Returns the number for Black to move.
#[inline(always)]
pub fn black() -> u64 {
    NUMBERS.black
}

/// Returns the number of a right whose rook is not the outermost on its castling side, or 0 for an outermost rook.
/// `right` is `side * 2 + castling side`.
#[inline]
pub fn inner_rook(board: &[u8; 64], right: usize, rook: u8) -> u64 {
    let (color, castling_side) = (Color::BOTH[usize::from(right & 2 != 0)], CastlingSide::BOTH[right & 1]);
    if !is_outermost(board, color, castling_side, rook) {
        NUMBERS.inner_rooks[(right * 8 + usize::from(rook & 7)) & 31]
    } else {
        0
    }
}

/// Returns the number of the en passant target `target` if a capture there by `turn` is legal, otherwise 0.
#[inline]
pub fn en_passant(board: &[u8; 64], king: Option<u8>, turn: Color, target: u8) -> u64 {
    let file = target & 7;
    let ours = (turn as u8) << 3;
    let pawn = |code: u8, side: u8| code != EMPTY && matches!(code >> 2 & 15 ^ side, 0 | 1);
    let victim = target.wrapping_add_signed(if turn == Color::White { -8 } else { 8 });
    if target >= OFF || victim >= OFF || !pawn(board[usize::from(victim)], ours ^ 8) {
        return 0;
    }
    let left = (file > 0).then(|| victim.wrapping_sub(1));
    let right = (file < 7).then(|| victim + 1);
    for from in left.into_iter().chain(right).map(|from| from & 63) {
        let capturer = board[usize::from(from)];
        if !pawn(capturer, ours) {
            continue;
        }
        let mut after = *board;
        after[usize::from(from)] = EMPTY;
        after[usize::from(victim)] = EMPTY;
        after[usize::from(target)] = capturer;
        if !king.is_some_and(|king| is_attacked(&after, king, turn.other())) {
            return NUMBERS.en_passant[usize::from(file)];
        }
    }
    0
}

/// Returns whether a piece of this color attacks the square.
fn is_attacked(board: &[u8; 64], square: u8, by: Color) -> bool {
    let at = usize::from(square & 63);
    let is = |set: u64, role| {
        squares(set)
            .map(|from| board[from.at_most_63()])
            .any(|code| code != EMPTY && PieceId(code).color() == by && PieceId(code).role() == role)
    };
    if is(KNIGHT[at], Role::Knight) || is(KING[at], Role::King) {
        return true;
    }
    for (direction, (files, ranks)) in DIRECTIONS.into_iter().enumerate() {
        let step = ranks * 8 + files;
        let mut from = square;
        for distance in 1..=RAYS[direction][at].count_ones() {
            from = from.wrapping_add_signed(step) & 63;
            let code = board[usize::from(from)];
            if code == EMPTY {
                continue;
            }
            let id = PieceId(code);
            let hits = match id.role() {
                Role::Rook => direction & 1 == 0,
                Role::Bishop => direction & 1 == 1,
                Role::Queen => true,
                // A pawn attacks diagonally forward, so from its own point of view it must be behind the square.
                Role::Pawn => distance == 1 && direction & 1 == 1 && (ranks < 0) == (by == Color::White),
                Role::Knight | Role::King => false,
            };
            if id.color() == by && hits {
                return true;
            }
            break;
        }
    }
    false
}

impl Position {
    /// Returns the Zobrist key. The key is equal for positions with the same pieces, side to move, castling rights and
    /// legal en passant captures. Clocks and labels do not affect the key. The key is computed from the complete board
    /// in about 100 ns.
    ///
    /// ```
    /// use scoresheet_chess::san::line;
    ///
    /// let (queens_pawn, transposed) = (line("d4 d5 Nf3")?, line("Nf3 d5 d4")?);
    /// assert_eq!(queens_pawn.zobrist(), transposed.zobrist()); // no capture is possible on d3
    /// assert_ne!(queens_pawn.zobrist(), line("d4 d5")?.zobrist());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn zobrist(&self) -> u64 {
        let mut key = NUMBERS.rights[self.rights as usize & 15];
        for color in Color::BOTH {
            for square in squares(self.occupied(color)) {
                if let Some(piece) = self.piece_at(square) {
                    key ^= NUMBERS.pieces[color.index() * 6 + piece.role as usize][square.at_most_63()];
                }
            }
        }
        if let Some(target) = self.en_passant().filter(|_| self.en_passant_is_legal()) {
            key ^= NUMBERS.en_passant[target.file_index() as usize & 7];
        }
        if self.turn() == Color::Black {
            key ^= NUMBERS.black;
        }
        if self.rights != 0 {
            key ^= self.inner_rooks();
        }
        if self.variant != Variant::Chess {
            key ^= self.variant_key();
        }
        key
    }

    /// Returns the part of the key that identifies the rook of a right if the castling side has several rooks.
    fn inner_rooks(&self) -> u64 {
        let mut key = 0;
        for color in Color::BOTH {
            for castling_side in CastlingSide::BOTH {
                let Some(rook) = self.castling_rook(color, castling_side) else { continue };
                key ^= inner_rook(&self.board, color.index() * 2 + castling_side as usize, rook.index());
            }
        }
        key
    }
}

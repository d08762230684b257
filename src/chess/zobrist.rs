//! The Zobrist key of a position.
//!
//! The numbers are the outputs of SplitMix64 (Steele, Lea and Flood, 2014) from the seed `0x5363_6F72_6573_6865` ("Scoreshe"): 768 for
//! the men (`(color * 6 + role) * 64 + square`), 16 for the sets of castling rights, 8 for the en passant file, 1 for Black to move, and 32
//! for the castling rooks that are not the outermost of their wing (`(color * 2 + wing) * 8 + file`).

use super::piece::Color;
use super::position::{Position, Wing};
use super::square::squares;

struct Numbers {
    men: [[u64; 64]; 12],
    rights: [u64; 16],
    en_passant: [u64; 8],
    black: u64,
    inner_rooks: [u64; 32],
}

static NUMBERS: Numbers = {
    let mut state = 0x5363_6F72_6573_6865u64;
    let mut numbers =
        Numbers { men: [[0; 64]; 12], rights: [0; 16], en_passant: [0; 8], black: 0, inner_rooks: [0; 32] };
    let mut i = 0;
    while i < 768 + 16 + 8 + 1 + 32 {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        if i < 768 {
            numbers.men[i / 64][i % 64] = z;
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

impl Position {
    /// Returns the Zobrist key: equal for positions with the same men, side to move, castling rights and legal en passant captures;
    /// clocks and labels do not count. Computed from the whole board, about 100 ns.
    pub fn zobrist(&self) -> u64 {
        let mut key = NUMBERS.rights[self.rights as usize & 15];
        for color in Color::BOTH {
            for square in squares(self.occupied(color)) {
                if let Some(piece) = self.piece_at(square) {
                    key ^= NUMBERS.men[color.index() * 6 + piece.role as usize][square.at_most_63()];
                }
            }
        }
        if let Some(target) = self.en_passant().filter(|_| self.en_passant_is_legal()) {
            key ^= NUMBERS.en_passant[target.file() as usize & 7];
        }
        if self.turn() == Color::Black {
            key ^= NUMBERS.black;
        }
        if self.rights != 0 {
            key ^= self.inner_rooks();
        }
        key
    }

    /// The part of the key that tells apart which rook a right is for, where the wing has several.
    fn inner_rooks(&self) -> u64 {
        let mut key = 0;
        for color in Color::BOTH {
            for wing in Wing::BOTH {
                let Some(rook) = self.castling_rook(color, wing) else { continue };
                if !self.is_outermost_rook(color, wing, rook) {
                    let right = color.index() * 2 + wing as usize;
                    key ^= NUMBERS.inner_rooks[right * 8 + rook.file() as usize];
                }
            }
        }
        key
    }
}

//! The effect of each plain byte, for each side.

use crate::chess::piece::EMPTY;
use crate::chess::{Color, PieceId, Role};

/// The effect of a byte that is a complete move, for one side of the board. An entry is one aligned word, so a single
/// load reads all fields:
///
/// | byte | field |
/// |---|---|
/// | 0 | `slot` |
/// | 1 | `step` |
/// | 2 | `quiet` |
/// | 3 | `passing` |
#[derive(Clone, Copy)]
#[repr(C, align(4))]
pub struct Entry {
    /// The slot of the moving piece, or [`NOBODY`] for a byte that is not a complete move.
    pub slot: u8,
    /// The step to the target square, modulo 256.
    pub step: u8,
    /// The move keeps the halfmove clock running if the target square has this content: `EMPTY` for a piece, [`NEVER`]
    /// for a pawn.
    pub quiet: u8,
    /// The move is en passant if the target square has this content: `EMPTY` for a diagonal pawn move, otherwise
    /// [`NEVER`].
    pub passing: u8,
}

/// A slot that belongs to no piece, so it is never on the board.
pub const NOBODY: u8 = 31;
/// A code that no square ever contains.
pub const NEVER: u8 = 255;

/// The class of a byte, with the piece that a prefix names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A complete move of a piece.
    Piece,
    /// A complete move of a pawn.
    Pawn,
    /// The prefix of a piece.
    Prefix(Role, u8),
    /// Any other byte: castling, a suffix, a text, a variation or a result.
    Other,
}

/// The entry of each byte, for White and for Black.
pub static TABLE: [[Entry; 256]; 2] = [table(Color::White), table(Color::Black)];

/// Returns the byte's class.
pub const fn class(byte: u8) -> Class {
    let second = byte >> 1 & 3;
    match byte {
        0x08..=0x1F | 0x48..=0x7F | 0x88..=0xBF | 0xC8..=0xFF => Class::Piece,
        0x20..=0x3F => Class::Pawn,
        0x40..=0x47 => Class::Prefix(if byte & 1 == 0 { Role::Queen } else { Role::Knight }, second),
        0x80..=0x87 => Class::Prefix(if byte & 1 == 0 { Role::Rook } else { Role::Bishop }, second),
        _ => Class::Other,
    }
}

/// Returns whether the byte is a double step of a pawn.
pub const fn is_double_step(byte: u8) -> bool {
    byte & 0xF8 == 0x28
}

/// Returns the slot of a labeled piece.
pub const fn slot(color: Color, role: Role, label: u8) -> u8 {
    match PieceId::labelled(color, role, label) {
        Some(id) => id.0,
        None => NOBODY,
    }
}

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn table(color: Color) -> [Entry; 256] {
    const LINE: [i8; 8] = [1, 9, 8, 7, -1, -9, -8, -7];
    const LEAP: [i8; 8] = [-6, 10, 17, 15, 6, -10, -17, -15];
    // The order is step 1, step 2, capture right, capture left, from the player's point of view.
    const PAWN: [[i8; 4]; 2] = [[8, 16, 9, 7], [-8, -16, -9, -7]];
    let mut table = [Entry { slot: NOBODY, step: 0, quiet: EMPTY, passing: NEVER }; 256];
    let mut byte = 8;
    while byte < 256 {
        let code = byte as u8;
        let (nnn, ddd, w) = ((code >> 3 & 7) as i8, (code & 7) as usize, code >> 6 & 1);
        let (role, label, step) = match code {
            0x08..=0x0F => (Role::King, 0, LINE[ddd]),
            0x10..=0x1F => (Role::Knight, code >> 3 & 1, LEAP[ddd]),
            0x20..=0x3F => (Role::Pawn, code & 7, PAWN[color as usize][(code >> 3 & 3) as usize]),
            0x48..=0x7F => (Role::Queen, 0, LINE[ddd] * nnn),
            _ => (if code & 1 == 0 { Role::Rook } else { Role::Bishop }, w, LINE[ddd] * nnn),
        };
        let diagonal = matches!(code, 0x30..=0x3F);
        table[byte] = match class(code) {
            Class::Piece => Entry { slot: slot(color, role, label), step: step as u8, quiet: EMPTY, passing: NEVER },
            Class::Pawn => Entry {
                slot: slot(color, role, label),
                step: step as u8,
                quiet: NEVER,
                passing: if diagonal { EMPTY } else { NEVER },
            },
            _ => table[byte],
        };
        byte += 1;
    }
    table
}

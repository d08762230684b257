//! What each plain byte does, for each side.

use crate::chess::piece::EMPTY;
use crate::chess::{Color, PieceId, Role};

/// What a byte that is a whole move does for one side. All of it is one aligned word.
#[derive(Clone, Copy)]
#[repr(C, align(4))]
pub struct Entry {
    /// The piece that moves; [`NOBODY`] for a byte that is no move by itself.
    pub slot: u8,
    /// How far it goes, modulo 256.
    pub step: u8,
    /// What the target square holds where the move does not set the halfmove clock to zero: nothing for a piece, [`NEVER`] for a pawn.
    pub quiet: u8,
    /// What the target square holds where the move is en passant: nothing for a pawn that goes aslant, else [`NEVER`].
    pub passing: u8,
}

/// A slot that no piece ever has, so that it is never on the board.
pub const NOBODY: u8 = 31;
/// What no square ever holds.
pub const NEVER: u8 = 255;

/// What a prefix names, and the class of the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A move of a piece by itself.
    Piece,
    /// A move of a pawn by itself.
    Pawn,
    /// The name of a piece.
    Prefix(Role, u8),
    /// Castling, a suffix, a text, a variation, a result ..
    Other,
}

/// Entries for White and for Black.
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

/// Returns whether the byte is a pawn's double step.
pub const fn is_double_step(byte: u8) -> bool {
    byte & 0xF8 == 0x28
}

/// Returns the slot of a labelled piece.
pub const fn slot(color: Color, role: Role, label: u8) -> u8 {
    match PieceId::labelled(color, role, label) {
        Some(id) => id.0,
        None => NOBODY,
    }
}

#[expect(clippy::indexing_slicing, reason = "worked out when compiling")]
const fn table(color: Color) -> [Entry; 256] {
    const LINE: [i8; 8] = [1, 9, 8, 7, -1, -9, -8, -7];
    const LEAP: [i8; 8] = [-6, 10, 17, 15, 6, -10, -17, -15];
    // Step 1, step 2, take right, take left; right is the mover's own.
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
        let aslant = matches!(code, 0x30..=0x3F);
        table[byte] = match class(code) {
            Class::Piece => Entry { slot: slot(color, role, label), step: step as u8, quiet: EMPTY, passing: NEVER },
            Class::Pawn => Entry {
                slot: slot(color, role, label),
                step: step as u8,
                quiet: NEVER,
                passing: if aslant { EMPTY } else { NEVER },
            },
            _ => table[byte],
        };
        byte += 1;
    }
    table
}

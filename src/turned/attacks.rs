//! Computes attacked squares by arithmetic on complete lines instead of with large tables.

use crate::chess::attacks as rules;

pub(crate) use rules::{KING, KNIGHT};

/// The squares that the player's pawn attacks from each square.
pub(crate) static PAWN_CAPTURES: [u64; 64] = rules::PAWN[0];
/// The squares from which the player's pawn attacks each square.
pub(crate) static PAWN_SOURCES: [u64; 64] = rules::PAWN[1];

pub(crate) const FILE_A: u64 = 0x0101_0101_0101_0101;
pub(crate) const FILE_H: u64 = FILE_A << 7;

/// The lines through a square, excluding the square: file, diagonal (a1 to h8), and antidiagonal.
#[derive(Clone, Copy)]
struct Lines {
    file: u64,
    diagonal: u64,
    antidiagonal: u64,
}

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static LINES: [Lines; 64] = {
    let mut lines = [Lines { file: 0, diagonal: 0, antidiagonal: 0 }; 64];
    let mut square = 0;
    while square < 64 {
        let mut to = 0;
        while to < 64 {
            let (file, rank) = ((square & 7) as i8, (square >> 3) as i8);
            let (f, r) = ((to & 7) as i8, (to >> 3) as i8);
            if to != square {
                if f == file {
                    lines[square].file |= 1 << to;
                }
                if f - r == file - rank {
                    lines[square].diagonal |= 1 << to;
                }
                if f + r == file + rank {
                    lines[square].antidiagonal |= 1 << to;
                }
            }
            to += 1;
        }
        square += 1;
    }
    lines
};

/// The squares that a queen attacks from each square of an empty board.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
pub(crate) static QUEEN_LINES: [u64; 64] = {
    let mut lines = [0; 64];
    let mut square = 0;
    while square < 64 {
        let Lines { file, diagonal, antidiagonal } = LINES[square];
        lines[square] = file | diagonal | antidiagonal | (0xFF << (square & 56) & !(1 << square));
        square += 1;
    }
    lines
};

/// The squares that a rook attacks along a rank, by its file and the set of occupied squares among the inner six.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static RANK: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let occupied = (inner as u8) << 1;
            let mut set = 0u8;
            let mut at = file as i8 + 1;
            while at < 8 {
                set |= 1 << at;
                if occupied >> at & 1 != 0 {
                    break;
                }
                at += 1;
            }
            at = file as i8 - 1;
            while at >= 0 {
                set |= 1 << at;
                if occupied >> at & 1 != 0 {
                    break;
                }
                at -= 1;
            }
            table[file][inner] = set;
            inner += 1;
        }
        file += 1;
    }
    table
};

/// Returns the squares visible from `bit` along a line with one square per rank.
#[inline(always)]
fn along(line: u64, bit: u64, occupied: u64) -> u64 {
    let pieces = occupied & line;
    let up = pieces.wrapping_sub(bit);
    let down = pieces.swap_bytes().wrapping_sub(bit.swap_bytes()).swap_bytes();
    (up ^ down) & line
}

/// Returns the squares that a rook on `square` attacks.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "squares are masked")]
pub(crate) fn rook(square: u8, occupied: u64) -> u64 {
    let (bit, rank) = (1u64 << (square & 63), square & 56);
    let inner = (occupied >> rank >> 1 & 63) as usize;
    along(LINES[square as usize & 63].file, bit, occupied) | u64::from(RANK[square as usize & 7][inner]) << rank
}

/// Returns the squares that a bishop on `square` attacks.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "squares are masked")]
pub(crate) fn bishop(square: u8, occupied: u64) -> u64 {
    let (bit, lines) = (1u64 << (square & 63), LINES[square as usize & 63]);
    along(lines.diagonal, bit, occupied) | along(lines.antidiagonal, bit, occupied)
}

/// Returns the squares strictly between two squares on a line, or no squares if they are not on a line.
#[inline]
pub(crate) fn between(a: u8, b: u8) -> u64 {
    rules::between(a as usize, b as usize)
}

/// Returns the squares that the player's pawns attack toward the a-file, and those toward the h-file.
#[inline(always)]
pub(crate) fn pawns_up(pawns: u64) -> (u64, u64) {
    ((pawns & !FILE_A) << 7, (pawns & !FILE_H) << 9)
}

/// Returns the squares that the opponent's pawns attack.
#[inline(always)]
pub(crate) fn pawns_down(pawns: u64) -> u64 {
    (pawns & !FILE_A) >> 9 | (pawns & !FILE_H) >> 7
}

/// The number of king moves from one square to another.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
pub(crate) static DISTANCE: [[u8; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let files = ((a & 7) as i8 - (b & 7) as i8).unsigned_abs();
            let ranks = ((a >> 3) as i8 - (b >> 3) as i8).unsigned_abs();
            table[a][b] = if files > ranks { files } else { ranks };
            b += 1;
        }
        a += 1;
    }
    table
};

/// Returns the squares on a square's file and on the adjacent files.
pub(crate) const fn files_around(square: u8) -> u64 {
    let file = FILE_A << (square & 7);
    file | (file & !FILE_A) >> 1 | (file & !FILE_H) << 1
}

/// Returns the squares on the ranks above a square's rank.
#[inline(always)]
pub(crate) fn above(square: u8) -> u64 {
    // Two shifts are needed, because a shift by 64 bits is undefined.
    u64::MAX << (square & 56) << 7 << 1
}

/// Iterates over the squares of a set, from the lowest square.
#[inline(always)]
pub(crate) fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let square = set.trailing_zeros() as u8;
        set &= set - 1;
        Some(square)
    })
}

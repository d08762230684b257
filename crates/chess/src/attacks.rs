//! Attack tables, computed at compile time, and the first piece in a direction from a square.

/// The eight directions in Brenner's order: E NE N NW W SW S SE, as (file step, rank step).
pub const DIRECTIONS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// The eight knight moves in Brenner's order: EES EEN NNE NNW WWN WWS SSW SSE.
pub const LEAPS: [(i8, i8); 8] = [(2, -1), (2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2)];

const fn step(square: u8, (df, dr): (i8, i8)) -> Option<u8> {
    let (file, rank) = ((square & 7) as i8 + df, (square >> 3) as i8 + dr);
    if file < 0 || file > 7 || rank < 0 || rank > 7 {
        return None;
    }
    Some((rank * 8 + file) as u8)
}

const fn jumps(steps: &[(i8, i8)]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < steps.len() {
            if let Some(to) = step(square as u8, steps[i]) {
                table[square] |= 1 << to;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

/// The squares that a knight attacks from each square.
pub static KNIGHT: [u64; 64] = jumps(&LEAPS);
/// The squares that a king attacks from each square.
pub static KING: [u64; 64] = jumps(&DIRECTIONS);
/// The squares that a pawn of each color attacks from each square.
pub static PAWN: [[u64; 64]; 2] = [jumps(&[(-1, 1), (1, 1)]), jumps(&[(-1, -1), (1, -1)])];

/// The squares between a square and the edge in each direction, without the square itself: `RAYS[direction][square]`.
pub(crate) static RAYS: [[u64; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut square = 0;
        while square < 64 {
            let mut at = square as u8;
            while let Some(next) = step(at, DIRECTIONS[direction]) {
                table[direction][square] |= 1 << next;
                at = next;
            }
            square += 1;
        }
        direction += 1;
    }
    table
};

/// The squares that a piece attacks on an empty board, by role number. The set is empty for the pawn.
pub(crate) static REACH: [[u64; 64]; 6] = {
    let mut table = [[0; 64], jumps(&LEAPS), [0; 64], [0; 64], [0; 64], jumps(&DIRECTIONS)];
    let mut direction = 0;
    while direction < 8 {
        let mut square = 0;
        while square < 64 {
            let ray = RAYS[direction][square];
            // The role numbers are 2 for the bishop, 3 for the rook and 4 for the queen.
            table[3 - (direction & 1)][square] |= ray;
            table[4][square] |= ray;
            square += 1;
        }
        direction += 1;
    }
    table
};

/// The squares that a piece attacks on an empty board, by side and role number.
pub(crate) static ATTACKS: [[[u64; 64]; 6]; 2] = {
    let mut table = [REACH, REACH];
    table[0][0] = PAWN[0];
    table[1][0] = PAWN[1];
    table
};

/// The relation between two squares, with Brenner's numbers of distance (nnn) and direction (ddd):
///
/// | value | meaning |
/// |---|---|
/// | 0 | not on a line and not a knight's move apart |
/// | 8..=63 | on a line: bits 0 to 2 are ddd, bits 3 to 5 are nnn |
/// | 64..=71 | a knight's move apart: bits 0 to 2 are ddd |
pub static RELATION: [[u8; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut d = 0;
        while d < 8 {
            let mut at = from as u8;
            let mut distance = 1;
            while let Some(next) = step(at, DIRECTIONS[d]) {
                table[from][next as usize] = distance << 3 | d as u8;
                distance += 1;
                at = next;
            }
            if let Some(to) = step(from as u8, LEAPS[d]) {
                table[from][to as usize] = 64 | d as u8;
            }
            d += 1;
        }
        from += 1;
    }
    table
};

/// The squares strictly between two squares on a line. The set is empty for other squares.
static BETWEEN: [[u64; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (mut at, mut passed) = (a as u8, 0);
            while let Some(next) = step(at, DIRECTIONS[direction]) {
                table[a][next as usize] = passed;
                passed |= 1 << next;
                at = next;
            }
            direction += 1;
        }
        a += 1;
    }
    table
};

/// Returns the squares strictly between two squares on a line, or no squares if they are not on a line.
#[inline(always)]
pub fn between(a: usize, b: usize) -> u64 {
    BETWEEN[a & 63][b & 63]
}

/// Returns the first occupied square from `square` in `direction`, or `None` if the ray is empty.
#[inline]
pub(crate) fn first_seen(square: usize, direction: usize, occupied: u64) -> Option<u8> {
    let blockers = RAYS[direction & 7][square & 63] & occupied;
    if blockers == 0 {
        return None;
    }
    // Directions 0 to 3 (E NE N NW) lead to higher squares, and 4 to 7 to lower squares.
    Some(if direction < 4 { blockers.trailing_zeros() as u8 } else { 63 - blockers.leading_zeros() as u8 })
}

/// Returns the squares that a slider on `square` attacks in four of the eight directions. `diagonal` is 0 for the
/// directions of a rook, and 1 for the directions of a bishop.
pub fn slide(square: usize, diagonal: usize, occupied: u64) -> u64 {
    let mut attacked = 0;
    let mut direction = diagonal;
    while direction < 8 {
        let ray = RAYS[direction][square & 63];
        attacked |= match first_seen(square, direction, occupied) {
            Some(first) => ray & !RAYS[direction][first as usize & 63],
            None => ray,
        };
        direction += 2;
    }
    attacked
}

//! Moves as nearly all are written: in the standard's SAN, by the only man that can go there.
//!
//! Such a text is taken apart by its length, and the move found from its target square, without generating any.

use super::super::attacks::{PAWN, REACH, between};
use super::super::piece::{Color, Role};
use super::super::position::{Move, Position};
use super::super::safety::Attention;
use super::super::square::Square;

/// A move that was read.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    pub(crate) m: Move,
    /// Whether it gives check.
    pub(crate) check: bool,
    /// Whether the text is the standard's, check and mate marks included.
    pub(crate) standard: bool,
}

const NO_ROLE: u8 = 6;

/// The role that a text's first byte names: a file names the pawn.
static ROLES: [u8; 256] = {
    let mut table = [NO_ROLE; 256];
    let mut file = 0;
    while file < 8 {
        table[b'a' as usize + file] = Role::Pawn as u8;
        file += 1;
    }
    let mut role = 1;
    while role < 6 {
        table[Role::ALL[role].letter() as usize] = role as u8;
        role += 1;
    }
    table
};

impl Position {
    /// Reads a text such as `e4`, `exd5`, `Nf3` or `Bxc6+`. Returns `None` where it is not so plain, or no legal move: `parse_san` then knows.
    #[inline]
    pub(crate) fn read_plain(&self, text: &[u8]) -> Option<Plain> {
        if self.attention == Attention::Unknown || self.unlabelled {
            return None;
        }
        let (body, mark) = match text {
            [body @ .., b'+'] => (body, 1),
            [body @ .., b'#'] => (body, 2),
            body => (body, 0),
        };
        let (head, target) = body.split_last_chunk::<2>()?;
        let (file, rank) = (target[0].wrapping_sub(b'a'), target[1].wrapping_sub(b'1'));
        if file | rank > 7 {
            return None;
        }
        let to = Square::at(file, rank);
        let takes = head.last() == Some(&b'x');
        let us = self.turn;
        let theirs = self.occupied[us.other().index()];
        // A man of one's own on the target is no capture, and stands in the way of its own steps.
        if takes != (theirs & to.bit() != 0) {
            return None;
        }
        let role = ROLES[*body.first()? as usize];
        let from = match role {
            0 => self.plain_pawn(head, to)?,
            1..=5 if head.len() == 1 + usize::from(takes) => self.plain_man(role, to)?,
            _ => return None,
        };
        let m = Move::plain(from, to);
        if !self.is_safe(m) {
            return None;
        }
        let check = self.gives_check_plainly(m);
        let expected = if check && mark != 0 { 1 + u8::from(self.mates(m)) } else { u8::from(check) };
        Some(Plain { m, check, standard: mark == expected })
    }

    /// The only man of the role that reaches the square.
    #[inline]
    fn plain_man(&self, role: u8, to: Square) -> Option<Square> {
        let at = to.at_most_63();
        let (ours, all) = (self.occupied[self.turn.index()], self.all());
        if (ours | self.king(self.turn.other()).map_or(0, Square::bit)) & to.bit() != 0 {
            return None;
        }
        let mut near = REACH[role as usize % 6][at] & self.roles[role as usize % 6] & ours;
        let mut found = None;
        while near != 0 {
            let from = near.trailing_zeros() as usize & 63;
            near &= near - 1;
            if between(from, at) & all == 0 {
                if found.is_some() {
                    return None;
                }
                found = Square::new(from as u8);
            }
        }
        found
    }

    /// The pawn that steps to the square or takes there; promotion and en passant are not plain.
    #[inline]
    fn plain_pawn(&self, head: &[u8], to: Square) -> Option<Square> {
        let us = self.turn;
        let pawns = self.role(Role::Pawn) & self.occupied[us.index()];
        let royal = self.king(us.other()).map_or(0, Square::bit);
        if matches!(to.rank(), 0 | 7) || royal & to.bit() != 0 {
            return None;
        }
        if let [file, b'x'] = head {
            let from = PAWN[us.other().index()][to.at_most_63()]
                & pawns
                & 0x0101_0101_0101_0101 << (file.wrapping_sub(b'a') & 7);
            return Square::new(from.trailing_zeros() as u8);
        }
        if !head.is_empty() {
            return None;
        }
        let all = self.all();
        let (one, two, double) = match us {
            Color::White => (to.bit() >> 8, to.bit() >> 16, 3),
            Color::Black => (to.bit() << 8, to.bit() << 16, 4),
        };
        if all & to.bit() != 0 {
            return None;
        }
        let from = if pawns & one != 0 {
            one
        } else if to.rank() == double && all & one == 0 {
            pawns & two
        } else {
            0
        };
        Square::new(from.trailing_zeros() as u8)
    }
}

//! Events to Brenner bytes: the canonical stream.

use super::{BAD, CASTLE_A, CASTLE_H, CLOSE, EXPLICIT, GOOD, NAG, NULL, OPEN, TEXT};
use crate::chess::attacks::RELATION;
use crate::chess::{Color, Man, Move, MoveKind, Position, Role, Wing};
use crate::game::Outcome;

/// Appends a move that is legal in `before`, or the null move: one byte; two with a prefix; three for a man without a label.
#[inline]
pub fn push_move(before: &Position, m: Move, out: &mut Vec<u8>) {
    match m.kind {
        MoveKind::Castle(Wing::H) => return out.push(CASTLE_H),
        MoveKind::Castle(Wing::A) => return out.push(CASTLE_A),
        MoveKind::Null => return out.push(NULL),
        _ => {}
    }
    let Some(man) = before.man_at(m.from) else { return };
    let Some(Words { base, prefix, mask }) = WORDS.get(man.0 as usize) else { return push_explicit(m, out) };
    if *mask != 0 {
        if *prefix != 0 {
            out.push(*prefix);
        }
        return out.push(base | RELATION[m.from.index() as usize & 63][m.to.index() as usize & 63] & mask);
    }
    push_pawn(before, m, *base, out);
}

/// How the moves of a slot's man are written: the bits that are always the same, the prefix if it needs one, and which bits of
/// `RELATION` come to them; none for pawns.
#[derive(Clone, Copy)]
struct Words {
    base: u8,
    prefix: u8,
    mask: u8,
}

static WORDS: [Words; 64] = {
    let mut table = [Words { base: 0, prefix: 0, mask: 0 }; 64];
    let mut slot = 0;
    while slot < 64 {
        let man = Man(slot as u8);
        if let Some(label) = man.label() {
            let role = man.role();
            let (base, mask, second) = match role {
                Role::Pawn => (0x20 | label, 0, 0),
                Role::Knight => (0x10, 7, 8),
                Role::King => (0x08, 7, 0),
                Role::Queen => (0x40, 0x3F, 0),
                // The direction's last bit, straight or diagonal, tells rook from bishop.
                Role::Rook | Role::Bishop => (0x80, 0x3F, 0x40),
            };
            let of_two = second != 0 && label < 2;
            let named = matches!(role, Role::Pawn | Role::King) || of_two || label == 0;
            let prefix = if named { 0 } else { prefix(role, label) };
            table[slot] = Words { base: if of_two && label == 1 { base | second } else { base }, prefix, mask };
        }
        slot += 1;
    }
    table
};

#[inline]
fn push_pawn(before: &Position, m: Move, base: u8, out: &mut Vec<u8>) {
    if let Some(role) = m.promotion() {
        match before.promoted_man(m.from, role).label() {
            Some(label) => out.push(prefix(role, label)),
            None => return push_explicit(m, out),
        }
    }
    out.push(base | pawn_step(before.turn(), m) << 3);
}

/// The byte that names man `label` of a role, as a prefix.
pub(super) const fn prefix(role: Role, label: u8) -> u8 {
    (match role {
        Role::Queen => 0x40,
        Role::Knight => 0x41,
        Role::Rook => 0x80,
        _ => 0x81,
    }) | label << 1
}

/// Step 1, step 2, take right, take left = 0 to 3; right is the mover's own.
fn pawn_step(mover: Color, m: Move) -> u8 {
    let (from, to) = (m.from, m.to);
    if from.file() == to.file() {
        return u8::from(from.rank().abs_diff(to.rank()) == 2);
    }
    let right = (to.file() > from.file()) == (mover == Color::White);
    if right { 2 } else { 3 }
}

fn push_explicit(m: Move, out: &mut Vec<u8>) {
    let promotion = match m.promotion() {
        Some(role) => role as u16,
        None => 0,
    };
    let bits = u16::from(m.from.index()) << 10 | u16::from(m.to.index()) << 4 | promotion << 1;
    let [high, low] = bits.to_be_bytes();
    out.extend_from_slice(&[EXPLICIT, high, low]);
}

/// Appends the `!` (good) or `?` byte.
pub fn push_mark(good: bool, out: &mut Vec<u8>) {
    out.push(if good { GOOD } else { BAD });
}

/// Appends a numeric annotation glyph: two bytes.
pub fn push_nag(nag: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&[NAG, nag]);
}

/// Appends the opening of a variation.
pub fn push_open(out: &mut Vec<u8>) {
    out.push(OPEN);
}

/// Appends the closing of a variation.
pub fn push_close(out: &mut Vec<u8>) {
    out.push(CLOSE);
}

/// Appends the mark of a text that is kept elsewhere.
pub fn push_text_mark(out: &mut Vec<u8>) {
    out.push(TEXT);
}

/// Appends a text in place, between zero bytes. Zero bytes within the text are left out, as the code cannot hold them.
pub fn push_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(TEXT);
    out.extend(text.iter().filter(|byte| **byte != 0));
    out.push(TEXT);
}

/// Appends the result byte; `*` has none.
pub fn push_outcome(outcome: Outcome, out: &mut Vec<u8>) {
    if outcome != Outcome::Unknown {
        out.push(outcome as u8);
    }
}

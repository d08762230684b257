//! Converts game elements to Brenner bytes in canonical form.

use super::code::{BAD, CASTLE_A, CASTLE_H, CLOSE, DROP_PAWN, DROP_PIECE, EXPLICIT, GOOD, NAG, NULL, OPEN, TEXT};
use crate::chess::attacks::RELATION;
use crate::chess::{CastlingSide, Move, MoveKind, PieceId, Position, Role};
use crate::game::Outcome;

/// Appends a move that is legal in `before`, or the null move. The move takes one byte, two bytes with a prefix, or
/// three bytes for a piece without a label.
///
/// ```
/// use scoresheet::brenner::encode::{push_close, push_move, push_nag, push_open, push_outcome, push_suffix};
/// use scoresheet::brenner::replay::count_plies;
/// use scoresheet::{chess::Position, game::Outcome};
///
/// let (start, mut stream) = (Position::standard(), Vec::new());
/// push_move(&start, start.parse_san("e4")?, &mut stream);
/// push_suffix(true, &mut stream); // e4!
/// push_open(&mut stream);
/// push_move(&start, start.parse_san("d4")?, &mut stream);
/// push_nag(6, &mut stream); // (d4 $6)
/// push_close(&mut stream);
/// push_outcome(Outcome::WhiteWins, &mut stream);
/// assert_eq!((stream.len(), count_plies(&stream)), (8, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline]
pub fn push_move(before: &Position, m: Move, out: &mut Vec<u8>) {
    if m.kind == MoveKind::Plain
        && let Some(piece) = before.piece_id_at(m.from)
        && let Some(words @ Words { prefix: 0, .. }) = WORDS.get(piece.0 as usize)
    {
        return out.push(words.byte(m));
    }
    push_in_full(before, m, out);
}

#[inline(never)]
fn push_in_full(before: &Position, m: Move, out: &mut Vec<u8>) {
    match m.kind {
        MoveKind::Castle(CastlingSide::King) => return out.push(CASTLE_H),
        MoveKind::Castle(CastlingSide::Queen) => return out.push(CASTLE_A),
        MoveKind::Null => return out.push(NULL),
        MoveKind::Drop(Role::Pawn) => return out.extend_from_slice(&[DROP_PAWN, m.to.index()]),
        MoveKind::Drop(role) => return out.extend_from_slice(&[DROP_PIECE, (role as u8 - 1) << 6 | m.to.index()]),
        _ => {}
    }
    let Some(piece) = before.piece_id_at(m.from) else { return };
    let Some(words) = WORDS.get(piece.0 as usize) else { return push_explicit(m, out) };
    let prefix = match m.promotion() {
        Some(role) => match before.promoted_piece(m.from, role).label() {
            Some(label) => prefix(role, label),
            None => return push_explicit(m, out),
        },
        None => words.prefix,
    };
    if prefix != 0 {
        out.push(prefix);
    }
    out.push(words.byte(m));
}

/// How to write the moves of a slot: the constant bits, the prefix if required, and the table in `STEPS` for the other
/// bits.
#[derive(Clone, Copy)]
struct Words {
    base: u8,
    prefix: u8,
    kind: u8,
}

impl Words {
    /// Returns the byte of a move. Pawns and pieces share the code, because a branch on the role would often be
    /// mispredicted.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "squares, kinds and relations are masked")]
    fn byte(&self, m: Move) -> u8 {
        let relation = RELATION[m.from.index() as usize & 63][m.to.index() as usize & 63];
        self.base | STEPS[self.kind as usize & 3][relation as usize & 127]
    }
}

/// The variable bits of a move's byte, by the `RELATION` of its squares. There is one table each for knights and kings,
/// for sliders, for White's pawns and for Black's pawns.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static STEPS: [[u8; 128]; 4] = {
    let mut tables = [[0; 128]; 4];
    let mut relation = 0;
    while relation < 128 {
        tables[0][relation] = relation as u8 & 7;
        tables[1][relation] = relation as u8 & 0x3F;
        relation += 1;
    }
    // The order is step 1, step 2, capture right, capture left, from the player's point of view.
    let relations = [[0x0A, 0x12, 0x09, 0x0B], [0x0E, 0x16, 0x0D, 0x0F]];
    let mut step = 0;
    while step < 4 {
        tables[2][relations[0][step]] = (step as u8) << 3;
        tables[3][relations[1][step]] = (step as u8) << 3;
        step += 1;
    }
    tables
};

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static WORDS: [Words; 64] = {
    let mut table = [Words { base: 0, prefix: 0, kind: 0 }; 64];
    let mut slot = 0;
    while slot < 64 {
        let piece = PieceId(slot as u8);
        if let Some(label) = piece.label() {
            let role = piece.role();
            let (base, kind, second) = match role {
                Role::Pawn => (0x20 | label, 2 + (slot >> 5) as u8, 0),
                Role::Knight => (0x10, 0, 8),
                Role::King => (0x08, 0, 0),
                Role::Queen => (0x40, 1, 0),
                // The last bit of the direction (straight or diagonal) distinguishes rooks and bishops.
                Role::Rook | Role::Bishop => (0x80, 1, 0x40),
            };
            let of_two = second != 0 && label < 2;
            let named = matches!(role, Role::Pawn | Role::King) || of_two || label == 0;
            let prefix = if named { 0 } else { prefix(role, label) };
            table[slot] = Words { base: if of_two && label == 1 { base | second } else { base }, prefix, kind };
        }
        slot += 1;
    }
    table
};

/// Returns the prefix byte of piece `label` of a role.
pub(super) const fn prefix(role: Role, label: u8) -> u8 {
    (match role {
        Role::Queen => 0x40,
        Role::Knight => 0x41,
        Role::Rook => 0x80,
        _ => 0x81,
    }) | label << 1
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

/// Appends the byte for `!` (good) or `?` (bad).
pub fn push_suffix(good: bool, out: &mut Vec<u8>) {
    out.push(if good { GOOD } else { BAD });
}

/// Appends a numeric annotation glyph: two bytes.
pub fn push_nag(nag: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&[NAG, nag]);
}

/// Appends the byte that opens a variation.
pub fn push_open(out: &mut Vec<u8>) {
    out.push(OPEN);
}

/// Appends the byte that closes a variation.
pub fn push_close(out: &mut Vec<u8>) {
    out.push(CLOSE);
}

/// Appends the marker of a text that is stored outside the stream.
pub fn push_text_marker(out: &mut Vec<u8>) {
    out.push(TEXT);
}

/// Appends a text in the stream, between zero bytes. Zero bytes in the text are omitted, because the code cannot
/// represent them.
pub fn push_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(TEXT);
    out.extend(text.iter().filter(|byte| **byte != 0));
    out.push(TEXT);
}

/// Appends the result byte. `*` has none.
pub fn push_outcome(outcome: Outcome, out: &mut Vec<u8>) {
    if outcome != Outcome::Unknown {
        out.push(outcome as u8);
    }
}

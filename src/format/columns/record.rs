//! A game record: an optional header (flags, and the starting position of a set-up game), then Brenner bytes up to the
//! end (FORMAT.md, "Game records").

use crate::chess::rules::Extra;
use crate::chess::{CastlingSide, Color, Piece, Position, Role, Square, Variant};
use crate::format::refused::unassigned;
use crate::format::wire::{Bytes, push_varint};
use std::borrow::Cow;

/// The first byte of a record that has a header with flags. No Brenner stream begins with this byte.
pub const HEADER: u8 = 0xC5;
/// The flag for a game with its own starting position, which follows the flags.
pub const SET_UP: u8 = 1;
/// The flag for a game whose movetext ends without a termination marker (not even `*`).
pub const NO_MARKER: u8 = 2;
/// The flag for a game with a fault. A text contains the part of the game that was not parsed.
pub const FAULT: u8 = 4;
/// The flag for a game that was changed after its import. The layout of a changed game still reproduces its source.
pub const CHANGED: u8 = 8;
/// The flag for a game of a variant, whose number follows the flags. All records of blocks in the coding of variants have
/// this flag, and no other record.
pub const VARIANT: u8 = 16;
const KNOWN: u8 = SET_UP | NO_MARKER | FAULT | CHANGED | VARIANT;

/// A parsed record.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The flags.
    pub flags: u8,
    /// The starting position of a set-up game or of a variant, or `None` for the standard position.
    pub set_up: Option<Box<Position>>,
    /// The Brenner bytes, without texts. The bytes are borrowed from the file, or unpacked.
    pub stream: Cow<'a, [u8]>,
}

impl<'a> Record<'a> {
    /// Reads a record. If the moves are packed, `stream` contains the packed bytes.
    pub fn decode(bytes: &'a [u8], packed: bool) -> Option<Record<'a>> {
        let [HEADER, rest @ ..] = bytes else {
            return Some(Record { flags: 0, set_up: None, stream: Cow::Borrowed(bytes) });
        };
        let (&flags, stream) = rest.split_first()?;
        // Packed moves may begin with the byte that marks a header. In this case, an empty header precedes them.
        let empty = flags == 0 && packed && stream.first() == Some(&HEADER);
        if flags & !KNOWN != 0 {
            return unassigned("record flags", flags);
        }
        if flags == 0 && !empty {
            return None;
        }
        if flags & (SET_UP | VARIANT) == 0 {
            return Some(Record { flags, set_up: None, stream: Cow::Borrowed(stream) });
        }
        let mut rest = Bytes(stream);
        let start = if flags & VARIANT != 0 { read_variant(flags, &mut rest)? } else { read_start(&mut rest)? };
        Some(Record { flags, set_up: Some(Box::new(start)), stream: Cow::Borrowed(rest.0) })
    }
}

impl Record<'_> {
    /// Returns whether the game was changed after its import.
    pub fn is_changed(&self) -> bool {
        self.flags & CHANGED != 0
    }

    /// Returns whether the record belongs in a block in the coding of variants.
    pub fn is_of_variant(&self) -> bool {
        self.flags & VARIANT != 0
    }

    /// Appends the record with its moves in plain form.
    pub fn push(&self, out: &mut Vec<u8>) {
        push_recoded(self, &self.stream, false, out);
    }

    /// Returns the record with owned bytes.
    pub fn into_owned(self) -> Record<'static> {
        Record { flags: self.flags, set_up: self.set_up, stream: Cow::Owned(self.stream.into_owned()) }
    }
}

/// Appends a record with the flags and the starting position of `record`, but with other moves.
pub fn push_recoded(record: &Record, stream: &[u8], packed: bool, out: &mut Vec<u8>) {
    if record.flags != 0 || (packed && stream.first() == Some(&HEADER)) {
        out.extend_from_slice(&[HEADER, record.flags]);
    }
    if let Some(start) = &record.set_up {
        push_start_of(record.flags, start, out);
    }
    out.extend_from_slice(stream);
}

/// Begins the record of a game that does not start from the standard starting position: appends a header with this
/// flag, and then the position.
pub fn push_set_up(start: &Position, out: &mut Vec<u8>) {
    let flags = match is_coded(start.variant()) {
        false => SET_UP,
        true if start.is_usual_start() => VARIANT,
        true => VARIANT | SET_UP,
    };
    out.extend_from_slice(&[HEADER, flags]);
    push_start_of(flags, start, out);
}

/// Returns whether games of these rules have records of their own coding. Games of the other rules are legal games of
/// chess.
pub fn is_coded(variant: Variant) -> bool {
    matches!(variant, Variant::Crazyhouse | Variant::Atomic | Variant::Antichess | Variant::Horde)
}

/// Appends the starting position of a game as the content digest states it: for variants, after the number of the
/// variant, and even if it is the usual one.
pub fn push_start_in_full(start: &Position, out: &mut Vec<u8>) {
    let variant = if is_coded(start.variant()) { VARIANT } else { 0 };
    push_start_of(SET_UP | variant, start, out);
}

/// Appends what the flags announce: the variant, and the starting position.
fn push_start_of(flags: u8, start: &Position, out: &mut Vec<u8>) {
    if flags & VARIANT != 0 {
        out.push(start.variant() as u8);
    }
    if flags & SET_UP != 0 {
        push_start(start, out);
        if start.variant() == Variant::Crazyhouse {
            let Extra { pockets, promoted, .. } = start.extra();
            out.extend_from_slice(pockets.as_flattened());
            out.extend_from_slice(&promoted.to_le_bytes());
        }
    }
}

/// Reads a variant, and the starting position if the flags announce it.
fn read_variant(flags: u8, bytes: &mut Bytes) -> Option<Position> {
    let number = bytes.u8()?;
    let known = Variant::ALL.get(usize::from(number)).copied().filter(|variant| is_coded(*variant));
    let Some(variant) = known else { return unassigned("variants", number) };
    if flags & SET_UP == 0 {
        return Some(variant.start());
    }
    let position = read_start(bytes)?;
    if variant == Variant::Antichess && position.rights != 0 {
        return None;
    }
    let mut position = position.with_variant(variant);
    if variant == Variant::Crazyhouse {
        let mut pockets = [[0; 5]; 2];
        pockets.as_flattened_mut().copy_from_slice(bytes.take(10)?);
        let promoted = bytes.u64()?;
        position.set_extra(Extra { pockets, promoted, ..Extra::default() });
        if position.promoted() != promoted {
            return None;
        }
    }
    Some(position)
}

/// Adds flags to the record from `begin` to the end of `records`, in its header or in a new header.
///
/// A new header shifts the bytes of the record. Without flags, nothing changes.
pub fn add_flags(records: &mut Vec<u8>, begin: usize, flags: u8) {
    match records.get_mut(begin..) {
        Some([HEADER, header, ..]) => *header |= flags,
        Some(_) if flags != 0 => drop(records.splice(begin..begin, [HEADER, flags])),
        _ => {}
    }
}

/// Appends a starting position: the occupied squares, the pieces, the state, the rooks and the clocks.
pub fn push_start(position: &Position, out: &mut Vec<u8>) {
    let occupied = position.occupied(Color::White) | position.occupied(Color::Black);
    out.extend_from_slice(&occupied.to_le_bytes());
    let mut low = None;
    for square in (0..64).filter_map(Square::new) {
        let Some(piece) = position.piece_at(square) else { continue };
        let nibble = (piece.color as u8) << 3 | piece.role as u8;
        match low.take() {
            None => low = Some(nibble),
            Some(low) => out.push(nibble << 4 | low),
        }
    }
    out.extend(low);
    let mut state = position.turn() as u8;
    let mut rooks = Vec::new();
    for color in Color::BOTH {
        for side in CastlingSide::BOTH {
            if let Some(rook) = position.castling_rook(color, side) {
                state |= 2 << (color.index() * 2 + side as usize);
                rooks.push(rook.index());
            }
        }
    }
    if position.en_passant().is_some() {
        state |= 0x20;
    }
    out.push(state);
    out.extend_from_slice(&rooks);
    out.extend(position.en_passant().map(Square::index));
    push_varint(u64::from(position.halfmove_clock()), out);
    push_varint(u64::from(position.fullmove_number()), out);
}

fn read_start(bytes: &mut Bytes) -> Option<Position> {
    let occupied = bytes.u64()?;
    let nibbles = bytes.take(occupied.count_ones().div_ceil(2) as usize)?;
    let mut pieces = [None; 64];
    let mut next = 0;
    for (square, id) in pieces.iter_mut().enumerate() {
        if occupied >> square & 1 == 0 {
            continue;
        }
        let nibble = nibbles.get(next / 2)? >> (next % 2 * 4) & 15;
        let color = if nibble & 8 == 0 { Color::White } else { Color::Black };
        let role = *Role::ALL.get(usize::from(nibble & 7))?;
        *id = Some(Piece { color, role });
        next += 1;
    }
    if next % 2 == 1 && nibbles.last()? >> 4 != 0 {
        return None;
    }
    let state = bytes.u8()?;
    let turn = if state & 1 == 0 { Color::White } else { Color::Black };
    let mut position = Position::from_pieces(&pieces, turn);
    for color in Color::BOTH {
        for side in CastlingSide::BOTH {
            if state & 2 << (color.index() * 2 + side as usize) != 0 {
                let rook = Square::new(bytes.u8()?)?;
                if !position.grant_castling(color, side, rook) {
                    return None;
                }
            }
        }
    }
    if state & 0x20 != 0 && !position.set_en_passant(Square::new(bytes.u8()?)?) {
        return None;
    }
    let halfmove = u32::try_from(bytes.varint()?).ok()?;
    let fullmove = u32::try_from(bytes.varint()?).ok()?;
    position.set_clocks(halfmove, fullmove);
    (state & 0xC0 == 0).then_some(position)
}

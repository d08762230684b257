//! The plainest moves: `e4`, `exd5`, `Nf3`, `Nbd2`, `Rxf3+`; neither castling, nor promotion, nor en passant. Their
//! texts are taken apart by a table, apart from any position; then a reader that knows whose turn it is finds, checks
//! and plays them.
//!
//! What is known beforehand (the text's form, the side, that nothing else can happen) is what makes them quick.

use super::plain::FILE_A;
use crate::chess::attacks::{PAWN, REACH, between};
use crate::chess::attention::Attention;
use crate::chess::moves::Move;
use crate::chess::piece::{CODES, Color, EMPTY, OFF, PieceId, Role};
use crate::chess::position::Position;
use crate::chess::square::Square;

/// The text of a plain move, taken apart: bits 0 to 5 the target, 6 to 8 the kind, 9 whether it takes, 10 and 11 the
/// mark (1 `+`, 2 `#`), 12 to 15 the file that a piece is told by, from 1; 0 for none.
///
/// Kinds are the roles' numbers, and two more for pawns that take: so where a piece can come from is one question for
/// all of them, and no branch that nobody foresees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Short(u16);

/// A pawn takes from the file to the left of its target, as White sees it, or from that to the right.
const FROM_LEFT: usize = 6;
const FROM_RIGHT: usize = 7;

/// The roles of the kinds.
static ROLES: [Role; 8] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King, Role::Pawn, Role::Pawn];

/// Where a piece can come from on an empty board, by its side, the kind and the target. A pawn's two squares are one
/// behind the other, so that the nearer one is in the other's way.
static ORIGINS: [[[u64; 64]; 8]; 2] = {
    let mut table = [[[0; 64]; 8]; 2];
    let mut at = 0;
    while at < 128 {
        let (black, to) = (at >> 6, at & 63);
        let mut role = 1;
        while role < 6 {
            table[black][role][to] = REACH[role][to];
            role += 1;
        }
        let bit = 1u64 << to;
        table[black][0][to] = match (black, to >> 3) {
            (0, 3) => bit >> 8 | bit >> 16,
            (0, _) => bit >> 8,
            (_, 4) => bit << 8 | bit << 16,
            _ => bit << 8,
        };
        // From where a pawn of the other side on the target would take.
        let behind = PAWN[1 - black][to];
        let mut file = 0;
        while file < 8 {
            let on_file = behind & FILE_A << file;
            if file + 1 == to & 7 {
                table[black][FROM_LEFT][to] = on_file;
            }
            if file == (to & 7) + 1 {
                table[black][FROM_RIGHT][to] = on_file;
            }
            file += 1;
        }
        at += 1;
    }
    table
};

const TAKES: u16 = 1 << 9;
const PLUS: u16 = 1 << 10;
const MATE: u16 = 2 << 10;

/// The bytes of a text of at most six, and in the highest two what it says.
const TEXT: u64 = (1 << 48) - 1;

/// Texts by their `place`, those that are met most put there first; a text whose place another one has is not among
/// them.
static TEXTS: [u64; 1 << PLACE_BITS] = {
    let mut table = [(Short::NONE.0 as u64) << 48; 1 << PLACE_BITS];
    // Castling is none of the others, and read elsewhere; it is not to be looked for among them.
    let mut castling = 0;
    while castling < 4 {
        let text = u64::from_le_bytes([*b"O-O\0\0\0\0\0", *b"O-O-O\0\0\0", *b"O-O+\0\0\0\0", *b"O-O-O+\0\0"][castling]);
        table[place(text)] = text | (Short::NONE.0 as u64) << 48;
        castling += 1;
    }
    // Plain ones, those that name a file, and the marked ones of both.
    let mut class = 0;
    while class < 6 {
        let (named, mark) = ([false, false, true, true, false, true][class], [0, b'+', 0, b'+', b'#', b'#'][class]);
        let mut to = 0;
        while to < 64 {
            let target = u16::from_le_bytes([b'a' + (to & 7), b'1' + (to >> 3)]) as u64;
            let mut form = 0;
            while form < 13 * 9 * 2 {
                let (first, file, takes) = (b"NBRQKabcdefgh"[form % 13], (form / 13 % 9) as u8, form / 117 == 1);
                if (file > 0) == named {
                    let mut text = if takes { target << 8 | b'x' as u64 } else { target };
                    if named {
                        text = text << 8 | (b'a' + file - 1) as u64;
                    }
                    // A pawn's step is its target alone.
                    if first < b'a' || takes {
                        text = text << 8 | first as u64;
                    }
                    let mut len = 8 - text.leading_zeros() as usize / 8;
                    if mark != 0 {
                        text |= (mark as u64) << (8 * len);
                        len += 1;
                    }
                    let entry = &mut table[place(text)];
                    if let Some(short) = Short::parse(text, len)
                        && *entry & TEXT == 0
                    {
                        *entry = text | (short.0 as u64) << 48;
                    }
                }
                form += 1;
            }
            to += 1;
        }
        class += 1;
    }
    table
};

/// The size of `TEXTS`: a larger one would miss fewer, but hold fewer of those that are met most near each other.
const PLACE_BITS: u32 = 13;

/// The place of a text. This multiplier, found by trying, leaves out one in a hundred texts of real games.
#[inline(always)]
const fn place(text: u64) -> usize {
    (text.wrapping_mul(0x9bd0_304e_b814_e201) >> (64 - PLACE_BITS)) as usize
}

impl Short {
    /// A text that no position has a move for: a pawn takes from the left of the a-file.
    pub(crate) const NONE: Short = Short((FROM_LEFT as u16) << 6 | TAKES);

    /// Returns the bits.
    #[inline(always)]
    pub(crate) fn bits(self) -> u16 {
        self.0
    }

    /// Returns what has these bits, of another one.
    #[inline(always)]
    pub(crate) fn from_bits(bits: u16) -> Short {
        Short(bits)
    }

    /// Takes the first `len` bytes of `word`, the first lowest, apart; one to eight. `NONE` where they are not of the
    /// plainest form.
    #[inline(always)]
    pub(crate) fn read(word: u64, len: usize) -> Short {
        #[inline(never)]
        fn read_rare(word: u64, len: usize) -> Short {
            Short::parse(word, len).unwrap_or(Short::NONE)
        }
        Short::known(word, len).unwrap_or_else(|| read_rare(word, len))
    }

    /// `read` for nearly all texts that have the form; `None` for others.
    #[inline(always)]
    pub(crate) fn known(word: u64, len: usize) -> Option<Short> {
        let beyond = (64 - 8 * len) & 63;
        let text = word << beyond >> beyond;
        let entry = TEXTS[place(text) & ((1 << PLACE_BITS) - 1)];
        (entry & TEXT == text).then_some(Short((entry >> 48) as u16))
    }

    /// `read` without a table.
    const fn parse(text: u64, len: usize) -> Option<Short> {
        let bytes = text.to_le_bytes();
        let last = bytes[(len.wrapping_sub(1)) & 7];
        let mark = match last {
            b'+' => PLUS,
            b'#' => MATE,
            _ => 0,
        };
        let len = if mark == 0 { len } else { len - 1 };
        let (first, named, takes, file, rank) = match (len, bytes) {
            (2, [file, rank, ..]) => (file, 0, false, file, rank),
            (3, [first, file, rank, ..]) => (first, 0, false, file, rank),
            (4, [first, b'x', file, rank, ..]) => (first, 0, true, file, rank),
            (4, [first, named @ b'a'..=b'h', file, rank, ..]) => (first, named, false, file, rank),
            (5, [first, named @ b'a'..=b'h', b'x', file, rank, ..]) => (first, named, true, file, rank),
            _ => return None,
        };
        if !matches!(file, b'a'..=b'h') || !matches!(rank, b'1'..=b'8') {
            return None;
        }
        let (kind, can_be_named) = match first {
            b'N' => (Role::Knight as usize, true),
            b'B' => (Role::Bishop as usize, true),
            b'R' => (Role::Rook as usize, true),
            b'Q' => (Role::Queen as usize, true),
            b'K' => (Role::King as usize, false),
            // Short of promotion.
            b'a'..=b'h' if rank == b'1' || rank == b'8' => return None,
            b'a'..=b'h' if len == 2 => (Role::Pawn as usize, false),
            b'a'..=b'h' if takes && first + 1 == file => (FROM_LEFT, false),
            b'a'..=b'h' if takes && file + 1 == first => (FROM_RIGHT, false),
            _ => return None,
        };
        if named != 0 && !can_be_named {
            return None;
        }
        let named = if named == 0 { 0 } else { (named - b'a' + 1) as u16 };
        let takes = if takes { TAKES } else { 0 };
        Some(Short(named << 12 | mark | takes | (kind as u16) << 6 | (((rank - b'1') << 3) | (file - b'a')) as u16))
    }
}

/// The side that a constant stands for.
#[inline(always)]
const fn side(black: bool) -> Color {
    if black { Color::Black } else { Color::White }
}

impl Position {
    /// Returns whether `play_reaching` can be asked: whether both kings are there, and it is known whether they are in
    /// check. After moves that it has played, it still can.
    pub(crate) fn knows_checks(&self) -> bool {
        self.attention != Attention::Unknown && Color::BOTH.iter().all(|side| self.king(*side).is_some())
    }

    /// Returns whether `play_quick` can be asked: `knows_checks`, and all pieces have labels.
    pub(crate) fn is_quick(&self) -> bool {
        self.knows_checks() && !self.unlabelled
    }

    /// Plays the legal move of the side to move, `BLACK` or not, that has this text as the standard's SAN, after
    /// telling `before` of it. `None`, and nothing has been done, where there is none, or where it is not so plain:
    /// `read_plain` then knows more. Whether a move marked `+` is not mate is not looked at: another move, or
    /// `has_legal_move`, shows that.
    #[inline(always)]
    pub(crate) fn play_quick<const BLACK: bool>(
        &mut self,
        text: Short,
        before: impl FnOnce(&Position, Move),
    ) -> Option<()> {
        let us = side(BLACK);
        let them = us.other();
        let their_king = self.square[them.index() * 32 + 24];
        let to = text.0 as usize & 63;
        let bit = 1u64 << to;
        let (ours, theirs) = (self.occupied[us.index()], self.occupied[them.index()]);
        let all = ours | theirs;
        let takes = text.0 & TAKES != 0;
        // Where no piece may stand: what is taken no processor foresees, so no branch.
        let forbidden = all ^ (all ^ !theirs) & u64::from(takes).wrapping_neg();
        if forbidden & bit != 0 || their_king as usize == to {
            return None;
        }
        let kind = usize::from(text.0 >> 6 & 7);
        let role = ROLES[kind];
        let near = ORIGINS[us.index()][kind][to] & self.roles[role as usize] & ours;
        let from = if (text.0 >> 12 != 0) | (near & near.wrapping_sub(1) != 0) {
            self.one_of_several::<BLACK>(text, near)?.at_most_63()
        } else {
            let from = near.trailing_zeros() as usize & 63;
            if near == 0 || between(from, to) & all != 0 {
                return None;
            }
            from
        };
        let m = Move::plain(Square::masked(from as u8), Square::masked(to as u8));
        let mark = (text.0 >> 10 & 3) as u8;
        let piece = (PieceId(self.board[from]), role);
        let check = self.gives_check_if_safe::<BLACK>(m, role, false)?;
        // The mark is part of the standard's SAN.
        if check != (mark != 0) || mark == 2 && !self.is_marked(m, check, mark) {
            return None;
        }
        before(self, m);
        self.play_found::<BLACK>(m, piece, takes, check);
        Some(())
    }

    /// The piece that a text means where several may be near, or its file is named.
    #[inline]
    fn one_of_several<const BLACK: bool>(&self, text: Short, near: u64) -> Option<Square> {
        let (role, to) = (ROLES[usize::from(text.0 >> 6 & 7)], Square::masked(text.0 as u8 & 63));
        if role == Role::Pawn {
            // The nearer of two.
            return Square::new(if BLACK { near.trailing_zeros() } else { 63 - near.leading_zeros() } as u8);
        }
        match (text.0 >> 12) as u8 {
            0 => self.only_one(near, to),
            // Whether the standard would name the file.
            file => self.told_piece(role as u8, b'a' - 1 + file, to).filter(|(_, told)| *told).map(|(from, _)| from),
        }
    }

    /// Plays a plain move of this piece of the side to move, `BLACK` or not, to a square that is not its own side's and
    /// that it reaches on an empty board, after telling `before` of it and whether it gives check. `None`, and nothing
    /// has been done, where it is not legal. `safe`: whether it is known to leave no check.
    #[inline(always)]
    pub(crate) fn play_reaching<const BLACK: bool>(
        &mut self,
        m: Move,
        (piece, role): (PieceId, Role),
        safe: bool,
        before: impl FnOnce(&Position, bool),
    ) -> Option<()> {
        let us = side(BLACK);
        let them = us.other();
        let (ours, theirs) = (self.occupied[us.index()], self.occupied[them.index()]);
        let way = between(m.from.at_most_63(), m.to.at_most_63());
        let their_king = self.square[them.index() * 32 + 24];
        if way & (ours | theirs) != 0 || their_king == m.to.index() {
            return None;
        }
        let takes = theirs & m.to.bit() != 0;
        let check = self.gives_check_if_safe::<BLACK>(m, role, safe)?;
        before(self, check);
        self.play_found::<BLACK>(m, (piece, role), takes, check);
        Some(())
    }

    /// Returns whether a move that is legal but for checks gives one; `None` where it leaves one. `safe`: whether it is
    /// known to leave none.
    #[inline(always)]
    fn gives_check_if_safe<const BLACK: bool>(&self, m: Move, role: Role, safe: bool) -> Option<bool> {
        let us = side(BLACK);
        let them = us.other();
        let our_king = Square::masked(self.square[us.index() * 32 + 24]);
        let their_king = Square::masked(self.square[them.index() * 32 + 24]);
        let exposed = || role == Role::King || self.attention == Attention::Check || self.is_screen(us, m.from);
        if !safe && exposed() && !self.is_safe_in_full(m, our_king) {
            return None;
        }
        Some(self.gives_check_of(us, role, m, their_king))
    }

    /// Plays a legal move of this piece that takes something or not, and gives check or not.
    #[inline(always)]
    fn play_found<const BLACK: bool>(&mut self, m: Move, (piece, role): (PieceId, Role), takes: bool, check: bool) {
        let us = side(BLACK);
        let their_king = Square::masked(self.square[us.other().index() * 32 + 24]);
        let (from, to) = (m.from.at_most_63(), m.to.at_most_63());
        let mover = piece.0;
        let victim = self.board[to];
        self.board[from] = EMPTY;
        self.board[to] = mover;
        self.square[mover as usize % CODES] = m.to.index();
        let step = m.from.bit() | m.to.bit();
        self.occupied[us.index()] ^= step;
        // Where nothing is taken, this changes nothing that means anything, and is cheaper than to ask.
        self.square[victim as usize % CODES] = OFF;
        self.occupied[us.other().index()] &= !m.to.bit();
        self.roles[PieceId(victim).role() as usize] &= !m.to.bit();
        self.roles[role as usize] ^= step;
        let reversible = u32::from(!takes & (role != Role::Pawn));
        self.halfmove_clock = self.halfmove_clock.saturating_add(1) & reversible.wrapping_neg();
        let double = role == Role::Pawn && from ^ to == 16;
        self.en_passant = if double { u8::midpoint(from as u8, to as u8) } else { OFF };
        if step & self.castling != 0 {
            self.drop_rights(us, mover, m.from.index(), m.to.index());
        }
        if BLACK {
            self.fullmove_number = self.fullmove_number.saturating_add(1);
        }
        self.turn = us.other();
        self.attention = if check { Attention::Check } else { Attention::Quiet };
        self.keep_screens(us, role, m.to, their_king);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_all_texts_are_in_the_table() {
        let sample = include_bytes!("../../../../testdata/lichess-sample.pgn.zst");
        let sample = String::from_utf8(zstd::decode_all(sample.as_slice()).unwrap()).unwrap();
        let (mut known, mut all, mut castlings) = (0, 0, 0);
        for line in sample.lines().filter(|line| line.starts_with("1. ")) {
            for text in line.split(' ').filter(|text| text.len() < 8) {
                let mut bytes = [b' '; 8];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                // What stands behind a text means nothing.
                let (word, len) = (u64::from_le_bytes(bytes), text.len());
                if text.starts_with("O-O") {
                    assert_eq!(Short::read(word, len), Short::NONE, "{text}");
                    castlings += usize::from(Short::known(word, len).is_some());
                } else if let Some(short) = Short::parse(word, len) {
                    assert_eq!(Short::read(word, len), short, "{text}");
                    known += usize::from(Short::known(word, len).is_some());
                    all += 1;
                } else {
                    assert_eq!(Short::known(word, len), None, "{text}");
                }
            }
        }
        assert!(all > 50_000 && known * 100 > all * 98 && castlings > 1000, "{known} of {all}, {castlings}");
    }
}

//! Reads and plays the most frequent kinds of moves: `e4`, `exd5`, `Nf3`, `Nbd2`, `Rxf3+`. Castling, promotion and en
//! passant are excluded. A table lookup parses the text without a position. The function then finds, checks and plays
//! the move. The side to move is a compile-time constant.
//!
//! Because the form of the text, the side and the kind of move are known in advance, a move takes 16 ns, including
//! playing it (docs/design/fast-paths.md). The test `nearly_all_texts_are_in_the_table` compares the table with the
//! parser. The test `runs` in `tests/pgn/torture.rs` compares runs of moves with single moves, and
//! `tests/oracle/rules.rs` compares the text of every legal move with another implementation.

use super::plain::FILE_A;
use crate::attacks::{PAWN, REACH, between};
use crate::attention::Attention;
use crate::moves::Move;
use crate::piece::{CODES, Color, EMPTY, OFF, PieceId, Role};
use crate::position::Position;
use crate::square::Square;

/// The parsed text of a plain move:
///
/// | bits | value | accessor |
/// |---|---|---|
/// | 0..=5 | target square | `target` |
/// | 6..=8 | kind | `kind` |
/// | 9 | whether it captures | `takes` |
/// | 10..=11 | mark: 0 none, 1 `+`, 2 `#` | `mark` |
/// | 12..=15 | the file that identifies the piece, from 1; 0 if the text does not give it | `file` |
///
/// The kinds are the numbers of the roles, plus two numbers for pawn captures. One table lookup by kind then returns
/// the possible origins, without an unpredictable branch on the role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Short(u16);

/// The kinds of pawn captures: from the file to the left of the target, from White's point of view, or to its right.
const FROM_LEFT: usize = 6;
const FROM_RIGHT: usize = 7;

/// The role of the pieces of each kind.
static ROLES: [Role; 8] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King, Role::Pawn, Role::Pawn];

/// The possible origins of a piece on an empty board, by side, kind and target. A pawn has up to two origins on the
/// same file, and a pawn on the nearer origin blocks the farther one.
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
        // The origins of a pawn capture are the squares that a pawn of the other side would attack from the target.
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

/// The bits of an entry that contain the text, which has at most six bytes. The two highest bytes contain the parsed
/// text:
///
/// | bits | value |
/// |---|---|
/// | 0..=47 | the text, from the lowest byte |
/// | 48..=63 | `Short` |
const TEXT: u64 = (1 << 48) - 1;

/// The texts by `slot`. More frequent texts are inserted first. A text whose slot is occupied is left out of the table.
static TEXTS: [u64; 1 << SLOT_BITS] = {
    let mut table = [(Short::NONE.0 as u64) << 48; 1 << SLOT_BITS];
    // Castling moves are in the table as `NONE`, so they are recognized immediately, without the slow parser.
    let mut castling = 0;
    while castling < 4 {
        let text = u64::from_le_bytes([*b"O-O\0\0\0\0\0", *b"O-O-O\0\0\0", *b"O-O+\0\0\0\0", *b"O-O-O+\0\0"][castling]);
        table[slot(text)] = text | (Short::NONE.0 as u64) << 48;
        castling += 1;
    }
    // The classes of texts in the order of insertion: plain texts, texts with a file, and both kinds with marks.
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
                    // A pawn move without a capture consists only of the target square.
                    if first < b'a' || takes {
                        text = text << 8 | first as u64;
                    }
                    let mut len = 8 - text.leading_zeros() as usize / 8;
                    if mark != 0 {
                        text |= (mark as u64) << (8 * len);
                        len += 1;
                    }
                    let entry = &mut table[slot(text)];
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

/// The number of bits in a slot number. A larger table would miss fewer texts, but the frequent texts would occupy more
/// cache lines.
const SLOT_BITS: u32 = 13;

/// Returns the slot number of a text. The multiplier was found by trial. It leaves one in a hundred texts of real games
/// out of the table.
#[inline(always)]
const fn slot(text: u64) -> usize {
    (text.wrapping_mul(0x9bd0_304e_b814_e201) >> (64 - SLOT_BITS)) as usize
}

impl Short {
    /// A text that is a move in no position: a pawn that captures from the left of the a-file.
    pub(crate) const NONE: Short = Short((FROM_LEFT as u16) << 6 | TAKES);

    /// Returns the index of the target square, below 64.
    #[inline(always)]
    fn target(self) -> usize {
        self.0 as usize & 63
    }

    /// Returns the kind of the move, below 8.
    #[inline(always)]
    fn kind(self) -> usize {
        usize::from(self.0 >> 6 & 7)
    }

    /// Returns whether the move captures.
    #[inline(always)]
    fn takes(self) -> bool {
        self.0 & TAKES != 0
    }

    /// Returns the mark: 0 for none, 1 for `+`, 2 for `#`.
    #[inline(always)]
    fn mark(self) -> u8 {
        (self.0 >> 10 & 3) as u8
    }

    /// Returns the file that identifies the piece, from 1, or 0 if it is not given.
    #[inline(always)]
    fn file(self) -> u8 {
        (self.0 >> 12) as u8
    }

    /// Returns the bits.
    #[inline(always)]
    #[doc(hidden)]
    pub fn bits(self) -> u16 {
        self.0
    }

    /// Returns the parsed text for these bits, which come from `bits`.
    #[inline(always)]
    #[doc(hidden)]
    pub fn from_bits(bits: u16) -> Short {
        Short(bits)
    }

    /// Parses the first `len` bytes (1 to 8) of `word`, from the lowest byte. Returns `NONE` for other forms.
    #[inline(always)]
    #[doc(hidden)]
    pub fn read(word: u64, len: usize) -> Short {
        #[inline(never)]
        fn read_rare(word: u64, len: usize) -> Short {
            Short::parse(word, len).unwrap_or(Short::NONE)
        }
        Short::known(word, len).unwrap_or_else(|| read_rare(word, len))
    }

    /// Parses a text like `read`, if the table contains it. Returns `None` for other texts.
    #[inline(always)]
    #[doc(hidden)]
    pub fn known(word: u64, len: usize) -> Option<Short> {
        let beyond = (64 - 8 * len) & 63;
        let text = word << beyond >> beyond;
        let entry = TEXTS[slot(text) & ((1 << SLOT_BITS) - 1)];
        (entry & TEXT == text).then_some(Short((entry >> 48) as u16))
    }

    /// Parses a text like `read`, but without the table.
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
            // A pawn move to the last rank must be a promotion, so it is not plain.
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

/// Returns the side for the constant parameter `BLACK`.
#[inline(always)]
const fn side(black: bool) -> Color {
    if black { Color::Black } else { Color::White }
}

impl Position {
    /// Returns whether `play_reaching` may be called: both kings exist, and it is known whether they are in check. The
    /// moves that it plays preserve this condition.
    #[doc(hidden)]
    #[inline]
    pub fn knows_checks(&self) -> bool {
        self.attention != Attention::Unknown && Color::BOTH.iter().all(|side| self.king(*side).is_some())
    }

    /// Returns whether `play_quick` may be called: `knows_checks`, and all pieces have labels.
    #[doc(hidden)]
    #[inline]
    pub fn is_quick(&self) -> bool {
        self.knows_checks() && !self.unlabelled
    }

    /// Plays the legal move whose standard SAN is this text, for the side to move (`BLACK` or not). Calls `before`
    /// first.
    ///
    /// Returns `None` and does nothing if no such move exists, or if the move needs the general path, which
    /// `read_plain` uses. Does not test whether a move marked `+` is checkmate. The caller can test this with the next
    /// move or `has_legal_move`.
    #[inline(always)]
    #[doc(hidden)]
    pub fn play_quick<const BLACK: bool>(&mut self, text: Short, before: impl FnOnce(&Position, Move)) -> Option<()> {
        let us = side(BLACK);
        let them = us.other();
        let their_king = self.square[them.index() * 32 + 24];
        let to = text.target();
        let bit = 1u64 << to;
        let (ours, theirs) = (self.occupied[us.index()], self.occupied[them.index()]);
        let all = ours | theirs;
        let takes = text.takes();
        // The forbidden targets are all occupied squares, or for a capture all squares without an opposing piece.
        // Whether a move captures is hard to predict, so a mask replaces the branch.
        let forbidden = all ^ (all ^ !theirs) & u64::from(takes).wrapping_neg();
        if forbidden & bit != 0 || their_king as usize == to {
            return None;
        }
        let kind = text.kind();
        let role = ROLES[kind];
        let near = ORIGINS[us.index()][kind][to] & self.roles[role as usize] & ours;
        let from = if (text.file() != 0) | (near & near.wrapping_sub(1) != 0) {
            self.one_of_several::<BLACK>(text, near)?.at_most_63()
        } else {
            let from = near.trailing_zeros() as usize & 63;
            if near == 0 || between(from, to) & all != 0 {
                return None;
            }
            from
        };
        let m = Move::plain(Square::masked(from as u8), Square::masked(to as u8));
        let mark = text.mark();
        let piece = (PieceId(self.board[from]), role);
        let check = self.gives_check_if_safe::<BLACK>(m, role, false)?;
        // The mark is part of standard SAN, so a wrong mark is not accepted here.
        if check != (mark != 0) || mark == 2 && !self.is_marked(m, check, mark) {
            return None;
        }
        before(self, m);
        self.play_found::<BLACK>(m, piece, takes, check);
        Some(())
    }

    /// Returns the piece that a text names if several pieces are candidates or the text gives a file.
    #[inline]
    fn one_of_several<const BLACK: bool>(&self, text: Short, near: u64) -> Option<Square> {
        let (role, to) = (ROLES[text.kind()], Square::masked(text.target() as u8));
        if role == Role::Pawn {
            // Return the nearer of the two pawns.
            return Square::new(if BLACK { near.trailing_zeros() } else { 63 - near.leading_zeros() } as u8);
        }
        match text.file() {
            0 => self.only_one(near, to),
            // The filter tests whether standard SAN would give the file.
            file => self
                .distinguished_piece(role as u8, b'a' - 1 + file, to)
                .filter(|(_, is_distinguished)| *is_distinguished)
                .map(|(from, _)| from),
        }
    }

    /// Plays a plain move of this piece, which belongs to the side to move (`BLACK` or not). The piece must reach the
    /// target on an empty board, and the target must not contain a piece of the same side. First calls `before` with
    /// the information whether the move gives check.
    ///
    /// Returns `None` and does nothing if the move is illegal. `safe` states whether the move is known not to leave its
    /// king in check.
    #[inline(always)]
    #[doc(hidden)]
    pub fn play_reaching<const BLACK: bool>(
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

    /// Returns whether a move gives check, or `None` if it leaves its own king in check. In all other respects, the
    /// move must be legal. `safe` states whether the move is known not to leave its king in check.
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

    /// Plays a legal move of this piece. `takes` and `check` state whether the move captures and gives check.
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
        // Without a capture, these writes change only entries that have no meaning. Unconditional writes take less time
        // than a branch.
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
        let sample = include_bytes!("../../../../../testdata/lichess-sample.pgn.zst");
        let sample = String::from_utf8(zstd::decode_all(sample.as_slice()).unwrap()).unwrap();
        let (mut known, mut all, mut castlings) = (0, 0, 0);
        for line in sample.lines().filter(|line| line.starts_with("1. ")) {
            for text in line.split(' ').filter(|text| text.len() < 8) {
                let mut bytes = [b' '; 8];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                // Bits after a text are ignored.
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

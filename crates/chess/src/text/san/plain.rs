//! Reads nearly all moves: plain moves in standard SAN that identify the piece at most by its file.
//!
//! The length of a text determines its parts, and the target square determines the candidates. No list of moves is
//! generated. The unit tests compare `read_plain` with `parse_san`.

use crate::attacks::{PAWN, REACH, between};
use crate::attention::Attention;
use crate::moves::{CastlingSide, Move, MoveKind, Threat};
use crate::piece::{EMPTY, Role};
use crate::position::Position;
use crate::square::{Square, squares};

/// A text of at most seven bytes, stored in an integer.
///
/// ```
/// use scoresheet_chess::san::ShortText;
///
/// let text = ShortText::new(*b"Nf3\0\0\0\0\0", 3).expect("at most seven bytes");
/// assert_eq!((text.len(), text.bits().to_le_bytes()[..3].to_vec()), (3, b"Nf3".to_vec()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShortText {
    /// The bytes of the text, from the lowest byte, followed by zeros.
    bits: u64,
    len: u32,
}

impl ShortText {
    /// The empty text.
    #[doc(hidden)]
    pub const EMPTY: ShortText = ShortText { bits: 0, len: 0 };

    /// The maximum number of bytes in the text.
    pub const MAX: usize = 7;

    /// Returns the first `len` bytes, or `None` if there are more than seven.
    #[inline]
    pub fn new(bytes: [u8; 8], len: usize) -> Option<ShortText> {
        let bits = u64::from_le_bytes(bytes);
        (len <= ShortText::MAX).then(|| ShortText { bits: bits & ((1 << (8 * len)) - 1), len: len as u32 })
    }

    /// Returns the number of bytes in the text.
    #[inline]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Returns whether the text is empty.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the text as a little-endian number, padded with zeros.
    #[inline]
    pub fn bits(self) -> u64 {
        self.bits
    }
}

/// A move from `read_plain`.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct Plain {
    pub m: Move,
    /// Whether it gives check.
    pub check: bool,
    /// Whether the text is standard SAN, including marks for check and checkmate, in every `Style`.
    pub standard: bool,
}

const NO_ROLE: u8 = 6;

/// The role that the first byte of a text names. The letter of a file means a pawn.
pub(super) static ROLES: [u8; 256] = {
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

/// The text of a move without the characters that distinguish its piece, from the lowest byte.
#[derive(Clone, Copy)]
struct Body {
    text: u32,
    len: u8,
}

/// The text of a move without the file and rank of origin, by role, capture (1) or not (0), and target. For pawn
/// captures, the first byte is zero and stands for the file.
static BODIES: [[[Body; 64]; 2]; 6] = {
    let mut table = [[[Body { text: 0, len: 0 }; 64]; 2]; 6];
    let mut at = 0;
    while at < 768 {
        let (role, takes, to) = (at >> 7, at >> 6 & 1, at & 63);
        let (mut text, mut len) = ((b'a' + (to & 7) as u8) as u32 | ((b'1' + (to >> 3) as u8) as u32) << 8, 2);
        if takes == 1 {
            (text, len) = (text << 8 | b'x' as u32, len + 1);
        }
        if role != 0 || takes == 1 {
            let first = if role == 0 { 0 } else { Role::ALL[role].letter() };
            (text, len) = (text << 8 | first as u32, len + 1);
        }
        table[role][takes][to] = Body { text, len };
        at += 1;
    }
    table
};

pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;

impl Position {
    /// Reads a text such as `e4`, `exd5`, `Nf3`, `Nbd2` or `Bxc6+`. Returns `None` if the text is not of this form or
    /// not a legal move. `parse_san` handles such texts.
    #[inline]
    #[doc(hidden)]
    pub fn read_plain(&self, text: ShortText) -> Option<Plain> {
        if self.attention == Attention::Unknown || self.unlabelled {
            return None;
        }
        // The text is shifted up, so the highest byte is its last byte.
        let mut high = text.bits.unbounded_shl(64 - 8 * text.len);
        let last = (high >> 56) as u8;
        let mark = u8::from(last == b'+') | u8::from(last == b'#') << 1;
        let marked = u32::from(mark != 0);
        high <<= 8 * marked;
        let len = text.len.wrapping_sub(marked);
        let (file, rank) = ((high >> 48) as u8, (high >> 56) as u8);
        let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
        if file | rank > 7 {
            return self.read_castling(ShortText { len, ..text }, mark);
        }
        let to = Square::at(file, rank);
        let takes = (high >> 40) as u8 == b'x';
        let us = self.turn;
        let (ours, theirs) = (self.occupied[us.index()], self.occupied[us.other().index()]);
        if takes != (theirs & to.bit() != 0) || ours & to.bit() != 0 || self.king(us.other()) == Some(to) {
            return None;
        }
        let role = ROLES[text.bits as usize & 0xFF];
        // The number of characters before the `x` and the target.
        let head = len - 2 - u32::from(takes);
        let mut is_distinguished = true;
        let from = match role {
            0 => self.plain_pawn(text.bits as u8, head, takes, to)?,
            1..=5 if head == 1 => self.plain_piece(role, to)?,
            1..=4 if head == 2 => {
                let from;
                (from, is_distinguished) = self.distinguished_piece(role, (text.bits >> 8) as u8, to)?;
                from
            }
            _ => return None,
        };
        let m = Move::plain(from, to);
        if !self.is_plainly_safe(m) {
            return None;
        }
        let check = self.gives_check_plainly(m);
        Some(Plain { m, check, standard: is_distinguished && self.is_marked(m, check, mark) })
    }

    /// Tests a plain move like `is_safe`, if it is known whether the king is in check.
    #[inline]
    fn is_plainly_safe(&self, m: Move) -> bool {
        let Some(king) = self.king(self.turn) else { return true };
        let exposed = self.attention == Attention::Check || m.from == king;
        if !exposed && !self.is_screen(self.turn, m.from) {
            return true;
        }
        self.is_safe_in_full(m, king)
    }

    /// Returns the standard SAN of a legal plain move or castling move, or its form in the variant of
    /// `write_san_full_squares`. Returns `None` for other moves, and if it is unknown whether the king is in check.
    #[inline]
    #[doc(hidden)]
    pub fn short_san(&self, m: Move, full_squares: bool) -> Option<ShortText> {
        if self.attention == Attention::Unknown {
            return None;
        }
        match m.kind {
            MoveKind::Plain => {}
            MoveKind::Castle(side) => return Some(self.castling_san(m, side)),
            _ => return None,
        }
        let threat = if self.gives_check_plainly(m) { Threat::CheckOrMate } else { Threat::None };
        Some(self.short_san_checked(m, threat, full_squares))
    }

    /// Returns the text like `short_san`, for a plain move with a known threat.
    #[inline(always)]
    #[doc(hidden)]
    pub fn short_san_checked(&self, m: Move, threat: Threat, full_squares: bool) -> ShortText {
        let (at, role) = (m.to.at_most_63(), self.role_on(m.from.index()));
        let takes = self.board[at] != EMPTY;
        let Body { text, len } = BODIES[role as usize % 6][usize::from(takes)][at];
        // The body of a pawn capture begins with a zero byte, which the file replaces. The subtraction turns a nonzero
        // byte into zero and a zero byte into a mask of ones, which avoids an unpredictable branch.
        let missing = ((text & 0xFF).wrapping_sub(1) >> 8) as u8;
        let file = (b'a' + m.from.file_index()) & missing;
        let (mut bits, mut len) = (u64::from(text) | u64::from(file), u32::from(len));
        let others = self.near(role as u8, m.to) & !m.from.bit();
        if others != 0 {
            let (is_distinguished, distinction_len) = self.distinction(m, others, full_squares);
            bits = bits & 0xFF | is_distinguished << 8 | bits >> 8 << (8 + 8 * distinction_len);
            len += distinction_len;
        }
        if threat != Threat::None {
            let mark = if threat == Threat::CheckOrMate && self.mates(m) { b'#' } else { b'+' };
            (bits, len) = (bits | u64::from(mark) << (8 * len), len + 1);
        }
        ShortText { bits, len }
    }

    #[inline(never)]
    fn castling_san(&self, m: Move, side: CastlingSide) -> ShortText {
        let (mut bits, mut len) = match side {
            CastlingSide::King => (u64::from_le_bytes(*b"O-O\0\0\0\0\0"), 3),
            CastlingSide::Queen => (u64::from_le_bytes(*b"O-O-O\0\0\0"), 5),
        };
        if self.gives_check(m) {
            let mark = if self.mates(m) { b'#' } else { b'+' };
            (bits, len) = (bits | u64::from(mark) << (8 * len), len + 1);
        }
        ShortText { bits, len }
    }

    /// Returns the characters that distinguish a move's piece from the `candidates`, and their number. The candidates
    /// are other pieces of the same role that could reach the square on an empty board. There are at most two
    /// characters, the first in the lowest byte.
    #[inline(never)]
    pub(super) fn distinction(&self, m: Move, mut candidates: u64, full_squares: bool) -> (u64, u32) {
        for candidate in squares(candidates) {
            let way = between(candidate.at_most_63(), m.to.at_most_63());
            if way & self.all() != 0 || !self.is_safe(Move::plain(candidate, m.to)) {
                candidates &= !candidate.bit();
            }
        }
        let [file, rank] = m.from.name().map(u64::from);
        let same_file = candidates & FILE_A << m.from.file_index() != 0;
        let same_rank = candidates & 0xFF << (m.from.rank_index() * 8) != 0;
        match (candidates, same_file) {
            (0, _) => (0, 0),
            (_, false) => (file, 1),
            (_, true) if same_rank || full_squares => (file | rank << 8, 2),
            (_, true) => (rank, 1),
        }
    }

    /// Returns whether a mark is correct: 0 for no mark, 1 for `+`, 2 for `#`.
    #[inline]
    pub(super) fn is_marked(&self, m: Move, check: bool, mark: u8) -> bool {
        match (check, mark) {
            (false, _) => mark == 0,
            (true, 0) => false,
            (true, _) => mark == 1 + u8::from(self.mates(m)),
        }
    }

    #[cold]
    fn read_castling(&self, body: ShortText, mark: u8) -> Option<Plain> {
        let side = match body.bits.to_le_bytes().get(..body.len())? {
            b"O-O" => CastlingSide::King,
            b"O-O-O" => CastlingSide::Queen,
            _ => return None,
        };
        let m = self.castling(side).ok()?;
        let check = self.gives_check(m);
        Some(Plain { m, check, standard: self.is_marked(m, check, mark) })
    }

    /// Returns the pieces of the role that could reach the square on an empty board.
    #[inline]
    pub(super) fn near(&self, role: u8, to: Square) -> u64 {
        REACH[role as usize % 6][to.at_most_63()] & self.roles[role as usize % 6] & self.occupied[self.turn.index()]
    }

    /// Returns the piece of the role that reaches the square, if there is exactly one.
    #[inline]
    fn plain_piece(&self, role: u8, to: Square) -> Option<Square> {
        self.only_one(self.near(role, to), to)
    }

    /// Returns the square with a free path to the target, if exactly one of these squares has one.
    #[inline]
    pub(super) fn only_one(&self, mut near: u64, to: Square) -> Option<Square> {
        let (at, all) = (to.at_most_63(), self.all());
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

    /// Returns the piece of the role on a file that reaches the square, if there is exactly one, and whether standard
    /// SAN would name its file.
    #[inline(never)]
    pub(super) fn distinguished_piece(&self, role: u8, file: u8, to: Square) -> Option<(Square, bool)> {
        if !file.is_ascii_lowercase() || file > b'h' {
            return None;
        }
        let on_file = FILE_A << (file - b'a');
        let mut reach = self.near(role, to);
        for from in squares(reach) {
            if between(from.at_most_63(), to.at_most_63()) & self.all() != 0 {
                reach &= !from.bit();
            }
        }
        if (reach & on_file).count_ones() != 1 {
            return None;
        }
        let from = Square::new((reach & on_file).trailing_zeros() as u8)?;
        let rivals = squares(reach & !on_file).any(|rival| self.is_safe(Move::plain(rival, to)));
        Some((from, rivals))
    }

    /// Returns the pawn that can step to the square or capture on it. Promotion and en passant are not plain moves.
    #[inline]
    fn plain_pawn(&self, file: u8, head: u32, takes: bool, to: Square) -> Option<Square> {
        let us = self.turn;
        let pawns = self.role(Role::Pawn) & self.occupied[us.index()];
        if matches!(to.rank_index(), 0 | 7) || head != u32::from(takes) {
            return None;
        }
        if takes {
            let from = PAWN[us.other().index()][to.at_most_63()] & pawns & FILE_A << (file.wrapping_sub(b'a') & 7);
            return Square::new(from.trailing_zeros() as u8);
        }
        Square::new(self.stepper_to(to).trailing_zeros() as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &[u8]) -> Option<ShortText> {
        let mut bytes = [b'?'; 8];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        ShortText::new(bytes, text.len())
    }

    /// Returns the full reader's result for a text, and whether the writer would write it in this way.
    fn in_full(position: &Position, text: &[u8]) -> Option<(Move, bool, bool)> {
        let m = position.parse_san(text).ok()?;
        let (mut san, mut full) = (Vec::new(), Vec::new());
        position.write_san_as(m, false, &mut san);
        position.write_san_as(m, true, &mut full);
        let mut after = position.clone();
        after.play_unchecked(m);
        after.attention = Attention::Unknown;
        Some((m, after.in_check(), san == text && full == text))
    }

    /// Reads each legal move of a position, right and wrong, with both readers; returns the number of moves that the
    /// short reader accepted.
    fn check_position(position: &Position) -> usize {
        let mut known = 0;
        for m in position.legal_moves() {
            let mut san = Vec::new();
            position.write_san(m, &mut san);
            let bare = san.iter().copied().filter(|byte| !b"+#".contains(byte)).collect::<Vec<_>>();
            let with = |mark: &[u8]| [&bare, mark].concat();
            let of = |letter: u8| [&[letter], bare.get(1..).unwrap_or_default()].concat();
            let file =
                || [bare.get(..1).unwrap_or_default(), &[m.from.name()[0]], bare.get(1..).unwrap_or_default()].concat();
            let taking = || [bare.get(..1).unwrap_or_default(), b"x", bare.get(1..).unwrap_or_default()].concat();
            let texts = [
                san.clone(),
                with(b""),
                with(b"+"),
                with(b"#"),
                of(b'N'),
                of(b'K'),
                of(b'a'),
                of(b'Q'),
                file(),
                taking(),
            ];
            for text in texts {
                let Some(plain) = short(&text).and_then(|text| position.read_plain(text)) else { continue };
                let Plain { m: read, check, standard } = plain;
                let (m, checks, right) = in_full(position, &text).unwrap_or_else(|| panic!("{position:?} {text:?}"));
                assert_eq!((read, check), (m, checks), "{position:?} {text:?}");
                // A right text may be treated as nonstandard, but a wrong one never as right.
                assert!(right || !standard, "{position:?} {text:?}");
                known += usize::from(standard);
            }
            if let Some(text) = position.short_san(m, false) {
                assert_eq!(Some(text), short(&san), "{position:?}");
                let mut full = Vec::new();
                position.write_san_full_squares(m, &mut full);
                assert_eq!(position.short_san(m, true), short(&full), "{position:?}");
            }
        }
        known
    }

    #[test]
    fn the_short_way_is_the_same_as_the_long_one() {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "4k3/8/8/2N1N1N1/8/2N1N1N1/8/R3K2R w KQ - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        ];
        let mut seed = 5u64;
        let (mut known, mut all) = (0, 0);
        for start in starts.iter().cycle().take(60) {
            let mut position = Position::from_fen(start.as_bytes()).unwrap();
            for _ in 0..70 {
                let moves = position.legal_moves();
                known += check_position(&position);
                all += moves.len();
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let Some(m) = moves.get((seed >> 33) as usize % moves.len().max(1)) else { break };
                position.play_unchecked(*m);
                let afresh = Position { attention: Attention::Unknown, ..position.clone() };
                assert_eq!(position.in_check(), afresh.in_check(), "{position:?}");
                assert_eq!(position.legal_moves(), afresh.legal_moves(), "{position:?}");
                assert_eq!(position.is_checkmate(), afresh.is_checkmate(), "{position:?}");
            }
        }
        // Else nothing has been shown.
        assert!(known * 2 > all, "{known} of {all}");
    }

    #[test]
    fn a_null_move_out_of_check_is_not_forgotten() {
        let mut position = Position::from_fen(b"4k3/8/8/8/8/8/4r3/R3K3 w - - 0 1").unwrap();
        assert!(position.in_check());
        position.play_unchecked(Move::NULL);
        assert!(!position.in_check());
        // Black's rook may stay; then White is still in check.
        position.play_unchecked(Move::NULL);
        assert!(position.in_check());
    }
}

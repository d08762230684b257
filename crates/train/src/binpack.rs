//! Binpack: blocks of chains. A chain begins with a stem, a complete position, and continues with the moves and scores
//! of the game in a stream of bits.

use crate::bits::{HighBits, HighBitsWriter};
use crate::board::{Board, Kind, castling_rooks, is_legal, legal_target, nibbles, parts, squares, to_move};
use crate::extra::Extra;
use crate::format::TrainingFormat;
use crate::game::{Entry, ScoredGame, outcome, white_score};
use scoresheet::chess::attacks::{KING, KNIGHT, PAWN, slide};
use scoresheet::chess::{CastlingSide, Color, Move, MoveKind, Piece, Position, Role, Square};

/// The first bytes of a block.
pub const MAGIC: &[u8; 4] = b"BINP";
/// The size of a stem with the number of moves after it.
const STEM: usize = 34;
/// The size at which a writer ends a block. The last chain may pass it.
pub const BLOCK: usize = 1 << 20;
/// The largest size of a block that is read.
pub const LARGEST_BLOCK: u32 = 100 << 20;
/// The nibbles that are not `role * 2 + color`.
const EN_PASSANT_PAWN: u8 = 12;
const CASTLING_ROOKS: [u8; 2] = [13, 14];
const BLACK_KING_TO_MOVE: u8 = 15;
/// The largest ply, which has 14 bits.
const LAST_PLY: u32 = 0x3FFF;

/// Maps small numbers of both signs to small numbers: the sign becomes the lowest bit.
fn zigzag(number: i16) -> u16 {
    let number = number as u16;
    let flipped = if number & 0x8000 != 0 { number ^ 0x7FFF } else { number };
    flipped.rotate_left(1)
}

fn unzigzag(number: u16) -> i16 {
    let rotated = number.rotate_right(1);
    (if rotated & 0x8000 != 0 { rotated ^ 0x7FFF } else { rotated }) as i16
}

/// Returns the number of bits of an index below `count`.
fn width(count: u32) -> u32 {
    u32::BITS - count.saturating_sub(1).leading_zeros()
}

/// Returns the square at an index in a set.
fn nth(set: u64, index: u32) -> Option<Square> {
    squares(set).nth(index as usize)
}

fn index_of(set: u64, square: Square) -> u32 {
    (set & (square.bit() - 1)).count_ones()
}

/// The moves of a piece, in the order in which binpack numbers them.
struct Targets {
    squares: u64,
    /// The castlings of a king after the squares: the squares of the rooks.
    castlings: [Option<Square>; 2],
    is_promotion: bool,
}

impl Targets {
    /// Returns the targets of the piece on a square, which checks neither pins nor attacked squares.
    fn new(position: &Position, en_passant: Option<Square>, from: Square, role: Role) -> Targets {
        let turn = position.turn();
        let (own, enemy) = (position.occupied(turn), position.occupied(turn.other()));
        let (all, at) = (own | enemy, from.at_most_63());
        let mut targets = Targets { squares: 0, castlings: [None; 2], is_promotion: false };
        targets.squares = match role {
            Role::Pawn => {
                let forward = |set: u64| if turn == Color::White { set << 8 } else { set >> 8 };
                let (start, last) = if turn == Color::White { (1, 6) } else { (6, 1) };
                let one = forward(from.bit()) & !all;
                let two = if from.rank_index() == start { forward(one) & !all } else { 0 };
                targets.is_promotion = from.rank_index() == last;
                one | two | PAWN[turn.index()][at] & (enemy | en_passant.map_or(0, Square::bit))
            }
            Role::Knight => KNIGHT[at] & !own,
            Role::Bishop => slide(at, 1, all) & !own,
            Role::Rook => slide(at, 0, all) & !own,
            Role::Queen => (slide(at, 0, all) | slide(at, 1, all)) & !own,
            Role::King => {
                let rook = |side| position.castling_rook(turn, side);
                targets.castlings = [rook(CastlingSide::Queen), rook(CastlingSide::King)];
                KING[at] & !own
            }
        };
        targets
    }

    fn count(&self) -> u32 {
        let castlings = self.castlings.iter().flatten().count() as u32;
        (self.squares.count_ones() + castlings) * if self.is_promotion { 4 } else { 1 }
    }

    /// Returns the move with this number.
    fn get(&self, position: &Position, en_passant: Option<Square>, from: Square, number: u32) -> Option<Move> {
        let (index, promotion) = if self.is_promotion { (number / 4, number % 4) } else { (number, 0) };
        let from_index = u16::from(from.index());
        let at = |to: Square, kind: Kind| Some(to_move(from_index, to.index().into(), promotion as u16, kind));
        let Some(to) = nth(self.squares, index) else {
            let castling = index.checked_sub(self.squares.count_ones())?;
            return at(self.castlings.iter().flatten().nth(castling as usize).copied()?, Kind::Castling);
        };
        let is_pawn = position.piece_at(from).is_some_and(|piece| piece.role == Role::Pawn);
        let kind = match self.is_promotion {
            true => Kind::Promotion,
            false if is_pawn && en_passant == Some(to) => Kind::EnPassant,
            false => Kind::Plain,
        };
        at(to, kind)
    }

    /// Returns the number of a move.
    fn number(&self, m: Move) -> u32 {
        let (.., promotion, _) = parts(m);
        match m.kind {
            MoveKind::Castle(_) => {
                let before = self.castlings.iter().flatten().position(|rook| *rook == m.to).unwrap_or_default();
                self.squares.count_ones() + before as u32
            }
            MoveKind::Promotion(_) => index_of(self.squares, m.to) * 4 + u32::from(promotion),
            _ => index_of(self.squares, m.to),
        }
    }
}

/// Reads the chain at the beginning of `bytes`; returns the game and the length of the chain.
///
/// Errors: what is wrong. The length of an invalid chain is unknown.
pub fn read_chain(bytes: &[u8]) -> Result<(ScoredGame, usize), &'static str> {
    let (stem, rest) = bytes.split_first_chunk::<STEM>().ok_or("the chain is cut off")?;
    let word = |at: usize| u16::from_be_bytes([stem[at], stem[at + 1]]);
    let mut position = read_stem(stem, word(28), word(30))?;
    let turn = position.turn();
    let (ply, result) = (u32::from(word(28)) & LAST_PLY, unzigzag(word(28) >> 14));
    let outcome = outcome((result + 1) as u8, turn).ok_or("no result")?;
    let score = unzigzag(word(26));
    let m = word(24);
    let kind = [Kind::Plain, Kind::Promotion, Kind::Castling, Kind::EnPassant][usize::from(m >> 14)];
    let mut game = ScoredGame::new(position.clone(), outcome, ply, Extra::new(TrainingFormat::Binpack));
    if ply != ScoredGame::ply_of(&game.start) {
        game.extra.ply = Some(ply);
    }
    let mut play = |position: &mut Position, m: Move, score: i16| {
        if !is_legal(position, m) {
            return Err("the move is illegal");
        }
        game.scores.push(white_score(score, position.turn()));
        game.moves.push(m);
        position.play_unchecked(m);
        Ok(())
    };
    play(&mut position, to_move(m >> 8 & 63, m >> 2 & 63, m & 3, kind), score)?;
    let (mut bits, mut last) = (HighBits::new(rest), score.wrapping_neg());
    for _ in 0..word(32) {
        let en_passant = legal_target(&position);
        let own = position.occupied(position.turn());
        let index = bits.take(width(own.count_ones())).ok_or("the chain is cut off")?;
        let from = nth(own, index).ok_or("no piece has this number")?;
        let role = position.piece_at(from).map_or(Role::Pawn, |piece| piece.role);
        let targets = Targets::new(&position, en_passant, from, role);
        let number = bits.take(width(targets.count())).ok_or("the chain is cut off")?;
        let m = targets.get(&position, en_passant, from, number).ok_or("no move has this number")?;
        let (mut delta, mut shift) = (0u32, 0);
        loop {
            let group = bits.take(5).ok_or("the chain is cut off")?;
            delta |= (group & 15) << shift;
            shift += 4;
            if group & 16 == 0 || shift == 16 {
                break;
            }
        }
        let score = last.wrapping_add(unzigzag(delta as u16));
        play(&mut position, m, score)?;
        last = score.wrapping_neg();
    }
    Ok((game, STEM + bits.bytes_read()))
}

fn read_stem(stem: &[u8; STEM], ply: u16, rule50: u16) -> Result<Position, &'static str> {
    let [a, b, c, d, e, f, g, h, ..] = *stem;
    let mut board = Board::new(Color::White);
    let put = |board: &mut Board, square: Square, nibble: u8| {
        let (color, role) = match nibble {
            EN_PASSANT_PAWN => {
                let color = if square.rank_index() < 4 { Color::White } else { Color::Black };
                board.en_passant = Square::new(square.index() ^ 8);
                (color, Role::Pawn)
            }
            13 | 14 => {
                let color = if nibble == CASTLING_ROOKS[0] { Color::White } else { Color::Black };
                board.rooks.push((color, square));
                (color, Role::Rook)
            }
            BLACK_KING_TO_MOVE => {
                board.turn = Color::Black;
                (Color::Black, Role::King)
            }
            nibble => {
                let color = if nibble & 1 == 0 { Color::White } else { Color::Black };
                (color, *Role::ALL.get(usize::from(nibble / 2))?)
            }
        };
        board.put(square, color, role);
        Some(())
    };
    board.nibbles(u64::from_be_bytes([a, b, c, d, e, f, g, h]), &stem[8..24], put).ok_or("an unknown piece")?;
    board.halfmove_clock = rule50.into();
    board.fullmove_number = (u32::from(ply) & LAST_PLY) / 2 + 1;
    board.position()
}

/// Writes chains. Consecutive entries of a game that continue each other form a chain.
#[derive(Default)]
pub struct Chains {
    /// The stem and the number of moves of the open chain.
    stem: Option<[u8; 32]>,
    count: u16,
    moves: HighBitsWriter,
    last: i16,
    /// The ply and the result that the next entry of the chain has.
    next_ply: u32,
}

impl Chains {
    /// Adds an entry; `continues` states whether the entry follows the last added entry in its game. Appends the chain
    /// before the entry if the entry begins another.
    pub fn push(&mut self, entry: &Entry<'_>, played: Move, continues: bool, mut end: impl FnMut(&[u8])) {
        let score = entry.relative_score();
        let can_follow =
            continues && entry.complete_ply == self.next_ply && self.count < u16::MAX && entry.complete_ply < LAST_PLY;
        if self.stem.is_some() && can_follow {
            self.count += 1;
            self.push_move(entry, played, score);
        } else {
            self.end(&mut end);
            self.stem = Some(stem(entry, played, score));
        }
        self.last = score.wrapping_neg();
        self.next_ply = entry.complete_ply.saturating_add(1);
    }

    fn push_move(&mut self, entry: &Entry<'_>, m: Move, score: i16) {
        let (position, turn) = (entry.position, entry.position.turn());
        let own = position.occupied(turn);
        self.moves.push(index_of(own, m.from), width(own.count_ones()));
        let role = position.piece_at(m.from).map_or(Role::Pawn, |piece| piece.role);
        let targets = Targets::new(position, entry.en_passant, m.from, role);
        self.moves.push(targets.number(m), width(targets.count()));
        let mut delta = zigzag(score.wrapping_sub(self.last));
        loop {
            let more = delta >> 4 != 0;
            self.moves.push(u32::from(delta & 15) | u32::from(more) << 4, 5);
            delta >>= 4;
            if !more {
                break;
            }
        }
    }

    /// Ends the open chain and passes on its bytes.
    pub fn end(&mut self, mut end: impl FnMut(&[u8])) {
        if let Some(stem) = self.stem.take() {
            end(&[&stem[..], &self.count.to_be_bytes(), &self.moves.take()].concat());
        }
        self.count = 0;
    }
}

fn stem(entry: &Entry<'_>, played: Move, score: i16) -> [u8; 32] {
    let (position, turn) = (entry.position, entry.position.turn());
    let occupied = position.occupied(Color::White) | position.occupied(Color::Black);
    let rooks = castling_rooks(position);
    let pawn = entry.en_passant.map_or(0, |target| 1 << (target.index() ^ 8));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&occupied.to_be_bytes());
    let nibble = |square: Square| match position.piece_at(square) {
        None => 0,
        Some(Piece { role: Role::Pawn, .. }) if pawn & square.bit() != 0 => EN_PASSANT_PAWN,
        Some(Piece { role: Role::Rook, color }) if rooks & square.bit() != 0 => CASTLING_ROOKS[color.index()],
        Some(Piece { role: Role::King, color: Color::Black }) if turn == Color::Black => BLACK_KING_TO_MOVE,
        Some(Piece { role, color }) => role as u8 * 2 + color as u8,
    };
    bytes[8..24].copy_from_slice(&nibbles(occupied, nibble).to_le_bytes());
    let (from, to, promotion, kind) = parts(played);
    let kind = match kind {
        Kind::Plain => 0,
        Kind::Promotion => 1,
        Kind::Castling => 2,
        Kind::EnPassant => 3u16,
    };
    let result = zigzag(entry.relative_result().into());
    let words = [
        kind << 14 | from << 8 | to << 2 | promotion,
        zigzag(score),
        entry.complete_ply.min(LAST_PLY) as u16 | result << 14,
        position.halfmove_clock().min(0xFFFF) as u16,
    ];
    for (at, word) in words.iter().enumerate() {
        bytes[24 + 2 * at..26 + 2 * at].copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzag_and_widths_are_those_of_the_format() {
        for (number, code) in [(0, 0), (1, 2), (-1, 1), (-2, 3), (i16::MAX, 65534), (i16::MIN, 65535)] {
            assert_eq!((zigzag(number), unzigzag(code)), (code, number));
        }
        assert!((i16::MIN..=i16::MAX).all(|number| unzigzag(zigzag(number)) == number));
        assert_eq!([0, 1, 2, 3, 4, 5, 16, 17].map(width), [0, 0, 1, 2, 2, 3, 4, 5]);
        assert_eq!(zigzag(crate::game::NO_SCORE), 64004);
    }
}

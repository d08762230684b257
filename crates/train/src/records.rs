//! Records of one position: `.bin` (40 bytes) and bulletformat (32 bytes). Marlinformat is the board of `viri`.

use crate::bits::{LowBits, LowBitsWriter};
use crate::board::{Board, Kind, View, parts, push_words, squares, to_move};
use crate::extra::PADDING;
use crate::game::{Entry, outcome, white_score};
use crate::viri::{BOARD, first};
use scoresheet::chess::{CastlingSide, Color, Move, Position, Role, Square};
use scoresheet::game::Outcome;

/// The size of a `.bin` record.
pub const BIN: usize = 40;
/// The squares of the castling rooks in the order of the rights: K, Q, k, q.
const ROOKS: [(Color, CastlingSide, u8); 4] = [
    (Color::White, CastlingSide::King, 7),
    (Color::White, CastlingSide::Queen, 0),
    (Color::Black, CastlingSide::King, 63),
    (Color::Black, CastlingSide::Queen, 56),
];
/// The codes of the pieces other than kings, without the color: lowest bit first.
const PIECES: [u32; 5] = [0b0001, 0b0011, 0b0101, 0b0111, 0b1001];

/// A position with its move, as `.bin`, `.plain` and binpack store it.
#[derive(Clone, Debug)]
pub struct Row {
    pub position: Position,
    pub played: Move,
    /// From White's point of view.
    pub score: Option<i32>,
    pub outcome: Outcome,
    pub ply: u32,
}

/// Returns the castling rook if the right is that of standard chess: with the king on the e-file.
pub fn standard_right(position: &Position, color: Color, side: CastlingSide) -> bool {
    let (.., rook) = ROOKS[color as usize * 2 + usize::from(side == CastlingSide::Queen)];
    position.castling_rook(color, side).is_some_and(|square| square.index() == rook)
}

/// Reads a `.bin` record.
pub fn read_bin(bytes: &[u8; BIN]) -> Result<Row, &'static str> {
    let (packed, rest) = bytes.split_first_chunk::<32>().ok_or("no record")?;
    let board = unpack(packed).ok_or("no position")?;
    let position = board.position()?;
    let [s0, s1, m0, m1, p0, p1, result, _] = *rest else { return Err("no record") };
    let word = u16::from_le_bytes([m0, m1]);
    let kind = [Kind::Plain, Kind::Promotion, Kind::EnPassant, Kind::Castling][usize::from(word >> 14)];
    let turn = board.turn;
    Ok(Row {
        position,
        played: to_move(word >> 6 & 63, word & 63, word >> 12 & 3, kind),
        score: white_score(i16::from_le_bytes([s0, s1]), turn),
        outcome: outcome(result.wrapping_add(1), turn).ok_or("no result")?,
        ply: u16::from_le_bytes([p0, p1]).into(),
    })
}

fn unpack(bytes: &[u8; 32]) -> Option<Board> {
    let mut bits = LowBits::new(bytes);
    let mut board = Board::new(if bits.take(1)? == 0 { Color::White } else { Color::Black });
    let kings = [Square::new(bits.take(6)? as u8)?, Square::new(bits.take(6)? as u8)?];
    for (color, king) in Color::BOTH.into_iter().zip(kings) {
        board.put(king, color, Role::King);
    }
    for rank in (0..8).rev() {
        for file in 0..8 {
            let square = Square::at(file, rank);
            if kings.contains(&square) || bits.take(1)? == 0 {
                continue;
            }
            let code = bits.take(3)? << 1 | 1;
            let role = PIECES.iter().position(|known| *known == code)?;
            let color = if bits.take(1)? == 0 { Color::White } else { Color::Black };
            board.put(square, color, Role::ALL[role]);
        }
    }
    for (color, _, rook) in ROOKS {
        if bits.take(1)? == 1 {
            board.rooks.push((color, Square::masked(rook)));
        }
    }
    if bits.take(1)? == 1 {
        board.en_passant = Square::new(bits.take(6)? as u8);
    }
    let low = bits.take(6)?;
    board.fullmove_number = bits.take(16)?;
    board.halfmove_clock = low | bits.take(1)? << 6;
    Some(board)
}

/// The bits of each nibble in a view of Black, and their number. Kings have none.
const CODES: [(u64, usize); 16] = {
    let mut codes = [(0, 0); 16];
    let mut role = 0;
    while role < PIECES.len() {
        codes[role] = (PIECES[role] as u64 | 1 << 4, 5);
        codes[role | 8] = (PIECES[role] as u64, 5);
        role += 1;
    }
    codes
};

/// Appends a `.bin` record. `pieces` is the view of Black, whose squares are in the order of the format: from a8 to h1.
/// `played` is the move of the entry.
pub fn push_bin(entry: &Entry<'_>, pieces: View, played: Move, padding: Option<u8>, out: &mut Vec<u8>) {
    let position = entry.position;
    let mut bits = LowBitsWriter::default();
    bits.push(position.turn() as u64, 1);
    let kings = Color::BOTH.map(|color| position.king(color));
    kings.into_iter().for_each(|king| bits.push(king.map_or(0, Square::index).into(), 6));
    let (mut next, mut nibbles) = (0, pieces.nibbles);
    for square in squares(pieces.occupied) {
        let mut empty = usize::from(square.index()) - next;
        next = usize::from(square.index()) + 1;
        let (code, width) = CODES[(nibbles & 15) as usize];
        nibbles >>= 4;
        if empty + width > 63 {
            bits.push(0, empty);
            empty = 0;
        }
        bits.push(code << empty, empty + width);
    }
    bits.push(0, 64 - next);
    for (color, side, _) in ROOKS {
        bits.push(standard_right(position, color, side).into(), 1);
    }
    bits.push(entry.en_passant.is_some().into(), 1);
    if let Some(target) = entry.en_passant {
        bits.push(target.index().into(), 6);
    }
    let clock = position.halfmove_clock().min(127);
    bits.push((clock & 63).into(), 6);
    bits.push(position.fullmove_number().min(0xFFFF).into(), 16);
    bits.push((clock >> 6).into(), 1);
    let (from, to, promotion, kind) = parts(played);
    let kind = match kind {
        Kind::Plain => 0,
        Kind::Promotion => 1,
        Kind::EnPassant => 2,
        Kind::Castling => 3u16,
    };
    let [score_low, score_high] = entry.relative_score().to_le_bytes();
    let [move_low, move_high] = (to | from << 6 | promotion << 12 | kind << 14).to_le_bytes();
    let [ply_low, ply_high] = (entry.complete_ply.min(0xFFFF) as u16).to_le_bytes();
    let (result, padding) = (entry.relative_result() as u8, padding.unwrap_or(PADDING));
    let rest = [score_low, score_high, move_low, move_high, ply_low, ply_high, result, padding];
    let [a, b, c, d] = bits.into_words();
    push_words([a, b, c, d, u64::from_le_bytes(rest)], out);
}

/// Reads a record of bulletformat. The side to move is White, because the format does not state it.
pub fn read_bullet(bytes: &[u8; BOARD]) -> Result<(Position, Option<i32>, Outcome), &'static str> {
    let mut board = Board::new(Color::White);
    let put = |board: &mut Board, square: Square, nibble: u8| {
        let color = if nibble & 8 == 0 { Color::White } else { Color::Black };
        board.put(square, color, *Role::ALL.get(usize::from(nibble & 7))?);
        Some(())
    };
    let occupied = u64::from_le_bytes(first(bytes));
    board.nibbles(occupied, &bytes[8..24], put).ok_or("an unknown piece")?;
    let position = board.position()?;
    let is_at = |color: Color, square: u8| position.king(color).is_some_and(|king| king.index() == square);
    if !is_at(Color::White, bytes[27]) || !is_at(Color::Black, bytes[28] ^ 56) {
        return Err("a wrong king's square");
    }
    let outcome = outcome(bytes[26], Color::White).ok_or("no result")?;
    let score = i16::from_le_bytes([bytes[24], bytes[25]]);
    Ok((position, Some(score.into()), outcome))
}

/// Appends the record of bulletformat for an entry with these pieces, from the point of view of the side to move.
#[inline]
pub fn push_bullet(entry: &Entry<'_>, pieces: View, out: &mut Vec<u8>) {
    let (position, turn) = (entry.position, entry.position.turn());
    let flip = if turn == Color::White { 0 } else { 56 };
    let king = |color: Color| position.king(color).map_or(64, Square::index);
    let [score_low, score_high] = entry.relative_score().to_le_bytes();
    let result = (entry.relative_result() + 1) as u8;
    let rest = [score_low, score_high, result, king(turn) ^ flip, king(turn.other()) ^ flip ^ 56, 0, 0, 0];
    pieces.push_record(u64::from_le_bytes(rest), out);
}

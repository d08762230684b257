//! viriformat and marlinformat: boards of 32 bytes, and moves with scores of 4 bytes.

use crate::board::{Board, Kind, View, castling_rooks, is_legal, parts, squares, to_move};
use crate::extra::Extra;
use crate::format::TrainingFormat;
use crate::game::{Entry, NO_SCORE, ScoredGame, outcome, saturated, white_result, white_score};
use scoresheet::chess::{Color, Move, Position, Role, Square};
use scoresheet::game::Outcome;

/// The size of a board in bytes.
pub const BOARD: usize = 32;
/// The size of a move with its score.
const MOVE: usize = 4;
/// The nibble of a rook that may castle.
const CASTLING_ROOK: u8 = 6;

/// Reads a board, with its score from White's point of view and its result.
pub fn read_board(bytes: &[u8; BOARD]) -> Result<(Position, i16, Outcome), &'static str> {
    let occupied = u64::from_le_bytes(first(bytes));
    let mut board = Board::new(if bytes[24] & 0x80 == 0 { Color::White } else { Color::Black });
    let put = |board: &mut Board, square: Square, nibble: u8| {
        let color = if nibble & 8 == 0 { Color::White } else { Color::Black };
        let role = match nibble & 7 {
            CASTLING_ROOK => {
                board.rooks.push((color, square));
                Role::Rook
            }
            role => *Role::ALL.get(usize::from(role))?,
        };
        board.put(square, color, role);
        Some(())
    };
    board.nibbles(occupied, &bytes[8..24], put).ok_or("an unknown piece")?;
    board.en_passant = match bytes[24] & 0x7F {
        64 => None,
        square => Some(Square::new(square).ok_or("no en passant target")?),
    };
    board.halfmove_clock = bytes[25].into();
    board.fullmove_number = u16::from_le_bytes([bytes[26], bytes[27]]).into();
    let outcome = outcome(bytes[30], Color::White).ok_or("no result")?;
    Ok((board.position()?, i16::from_le_bytes([bytes[28], bytes[29]]), outcome))
}

/// Appends the record of marlinformat for an entry with these pieces, from White's point of view.
#[inline]
pub fn push_marlin(entry: &Entry<'_>, pieces: View, out: &mut Vec<u8>) {
    let score = entry.score.map_or(NO_SCORE, saturated);
    push_board(entry.position, pieces, entry.en_passant, score, entry.white_result(), out);
}

#[inline]
fn push_board(
    position: &Position,
    mut pieces: View,
    en_passant: Option<Square>,
    score: i16,
    result: u8,
    out: &mut Vec<u8>,
) {
    for rook in squares(castling_rooks(position)) {
        let index = (pieces.occupied & (rook.bit() - 1)).count_ones();
        pieces.nibbles ^= u128::from(CASTLING_ROOK ^ Role::Rook as u8).checked_shl(4 * index).unwrap_or(0);
    }
    let [fullmove_low, fullmove_high] = (position.fullmove_number().min(0xFFFF) as u16).to_le_bytes();
    let [score_low, score_high] = score.to_le_bytes();
    let turn = (position.turn() as u8) << 7 | en_passant.map_or(64, Square::index);
    let clock = position.halfmove_clock().min(255) as u8;
    let rest = [turn, clock, fullmove_low, fullmove_high, score_low, score_high, result, 0];
    pieces.push_record(u64::from_le_bytes(rest), out);
}

/// Reads the game at the beginning of `bytes`; returns the game and its length in bytes. A game ends before its first
/// illegal move.
///
/// Errors: the length of the game, and the reason why it cannot be read. Without an end, the length is that of `bytes`.
pub fn read_game(bytes: &[u8]) -> Result<(ScoredGame, usize), (usize, &'static str)> {
    let cut_off = (bytes.len(), "the game is cut off");
    let (head, moves) = bytes.split_first_chunk::<BOARD>().ok_or(cut_off)?;
    let count = moves.as_chunks::<MOVE>().0.iter().position(|word| *word == [0; MOVE]).ok_or(cut_off)?;
    let length = BOARD + MOVE * (count + 1);
    let (start, _, outcome) = read_board(head).map_err(|reason| (length, reason))?;
    let ply = ScoredGame::ply_of(&start);
    let mut game = ScoredGame::new(start.clone(), outcome, ply, Extra::new(TrainingFormat::Viriformat));
    let mut position = start;
    for [a, b, c, d] in moves.as_chunks::<MOVE>().0.iter().take(count) {
        let m = read_move(u16::from_le_bytes([*a, *b]));
        if !is_legal(&position, m) {
            break;
        }
        position.play_unchecked(m);
        game.moves.push(m);
        game.scores.push(white_score(i16::from_le_bytes([*c, *d]), Color::White));
    }
    Ok((game, length))
}

/// Appends a game.
pub fn push_game(game: &ScoredGame, out: &mut Vec<u8>) {
    let pieces = View::new(&game.start, Color::White);
    push_board(&game.start, pieces, game.start.en_passant(), 0, white_result(game.outcome), out);
    for (index, m) in game.moves.iter().enumerate() {
        let score = game.scores.get(index).copied().flatten().map_or(NO_SCORE, saturated);
        out.extend(write_move(*m).to_le_bytes());
        out.extend(score.to_le_bytes());
    }
    out.extend([0; MOVE]);
}

fn read_move(word: u16) -> Move {
    let kind = [Kind::Plain, Kind::EnPassant, Kind::Castling, Kind::Promotion][usize::from(word >> 14)];
    to_move(word & 63, word >> 6 & 63, word >> 12 & 3, kind)
}

fn write_move(m: Move) -> u16 {
    let (from, to, promotion, kind) = parts(m);
    let kind = match kind {
        Kind::Plain => 0,
        Kind::EnPassant => 1,
        Kind::Castling => 2,
        Kind::Promotion => 3,
    };
    from | to << 6 | promotion << 12 | kind << 14
}

/// Returns the first 8 bytes.
pub fn first(bytes: &[u8; BOARD]) -> [u8; 8] {
    let [a, b, c, d, e, f, g, h, ..] = *bytes;
    [a, b, c, d, e, f, g, h]
}

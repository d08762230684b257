//! FEN of variants: pockets, promoted pieces, and counts of checks.
//!
//! Reads the spellings of Lichess and of engines, and writes those of engines: pockets in brackets after the board
//! (`[Qn]`), `~` after a promoted piece, and the checks that each side still needs as the fifth field (`3+2`).

use super::read::error;
use super::{Fen, FenError, FenFault, FenField, ReadMode};
use crate::piece::{Color, Piece, Role};
use crate::position::Position;
use crate::rules::{Extra, Variant};
use crate::square::Square;
use crate::variant::pocket_letters;
use std::ops::Range;

/// Separates the parts that only variants have from a FEN. Returns the FEN with blanks instead of these parts, so the
/// columns of its faults are those of the text.
fn split(variant: Variant, text: &[u8]) -> Result<(Vec<u8>, Extra), FenError> {
    let (mut rest, mut extra) = (text.to_vec(), Extra::default());
    let mut fields = text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let start = |field: &[u8]| field.as_ptr() as usize - text.as_ptr() as usize;
    match variant {
        Variant::Crazyhouse => {
            let Some(placement) = fields.next() else { return Ok((rest, extra)) };
            let start = start(placement);
            let board = extra.read_placement(placement);
            let board = board.map_err(|(at, fault)| error(FenField::Placement, start + at, fault))?;
            rest[start..start + placement.len()].fill(b' ');
            rest[start..start + board.len()].copy_from_slice(&board);
        }
        Variant::ThreeCheck => {
            // Lichess writes the checks given after the clocks, engines those still needed before them.
            let (before, after) = (fields.nth(4), fields.nth(1));
            if let Some(field @ [b'+', white @ b'0'..=b'3', b'+', black @ b'0'..=b'3']) = after {
                extra.checks = [white - b'0', black - b'0'];
                rest.truncate(start(field));
            } else if let Some(field @ [white @ b'0'..=b'3', b'+', black @ b'0'..=b'3']) = before {
                extra.checks = [b'3' - white, b'3' - black];
                rest[start(field)..][..field.len()].fill(b' ');
            }
        }
        _ => {}
    }
    Ok((rest, extra))
}

impl Extra {
    /// Reads the pockets and the marks of promoted pieces in a placement of Crazyhouse. Returns the placement without
    /// them. Errors have an offset in the placement.
    fn read_placement(&mut self, placement: &[u8]) -> Result<Vec<u8>, FaultAt> {
        let (board, pocket) = split_pocket(placement)?;
        let is_dash = placement[pocket.clone()] == *b"-";
        for at in pocket.filter(|_| !is_dash) {
            let piece = Piece::from_letter(placement[at]).filter(|piece| piece.role != Role::King);
            let Piece { color, role } = piece.ok_or((at, FenFault::NoSuchPiece))?;
            let count = &mut self.pockets[color.index()][role as usize];
            *count = count.checked_add(1).ok_or((at, FenFault::NumberTooLarge))?;
        }
        let (mut rest, mut rank, mut file) = (Vec::with_capacity(board.len()), 7u8, 0u8);
        for (at, byte) in board.iter().enumerate() {
            match byte {
                b'/' => (rank, file) = (rank.saturating_sub(1), 0),
                b'1'..=b'8' => file = (file + byte - b'0').min(8),
                b'~' if at > 0 && b"QRBNqrbn".contains(&board[at - 1]) => {
                    self.promoted |= Square::at((file - 1) & 7, rank).bit();
                    continue;
                }
                b'~' => return Err((at, FenFault::NoSuchPiece)),
                _ => file = (file + 1).min(8),
            }
            rest.push(*byte);
        }
        Ok(rest)
    }
}

/// Returns the variant that a text names by its form: Crazyhouse by a pocket in brackets, Three-check by counts of checks.
pub(super) fn named_by(text: &[u8]) -> Option<Variant> {
    let mut fields = text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    if fields.next().is_some_and(|placement| placement.contains(&b'[')) {
        return Some(Variant::Crazyhouse);
    }
    split(Variant::ThreeCheck, text).is_ok_and(|(rest, _)| rest != text).then_some(Variant::ThreeCheck)
}

/// A fault at an offset.
type FaultAt = (usize, FenFault);

/// Splits a placement from the letters of the pocket: in brackets, or as a ninth row.
fn split_pocket(placement: &[u8]) -> Result<(&[u8], Range<usize>), FaultAt> {
    let end = placement.len();
    if let Some(open) = placement.iter().position(|byte| *byte == b'[') {
        return match placement.iter().position(|byte| *byte == b']') {
            None => Err((open, FenFault::NoSuchPiece)),
            Some(close) if close + 1 < end => Err((close + 1, FenFault::NoSuchPiece)),
            Some(close) => Ok((&placement[..open], open + 1..close)),
        };
    }
    let mut rows = placement.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    Ok(match rows.nth(7) {
        Some((at, _)) => (&placement[..at], at + 1..end),
        None => (placement, end..end),
    })
}

impl Position {
    /// Reads a FEN of a variant forgivingly, in the spellings of Lichess and of engines: pockets in brackets or as a
    /// ninth row (`-` if they are empty), `~` after promoted pieces, checks given (`+1+0`) or still needed (`2+3`).
    ///
    /// ```
    /// use scoresheet_chess::{Color, Position, Variant};
    ///
    /// let text = "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR/Pp w KQkq - 0 3";
    /// let position = Position::from_fen_of(Variant::Crazyhouse, text)?;
    /// assert_eq!(position.pocket(Color::White), [1, 0, 0, 0, 0]);
    /// assert_eq!(position.fen(), "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR[Pp] w KQkq - 0 3");
    /// # Ok::<(), scoresheet_chess::fen::FenError>(())
    /// ```
    pub fn from_fen_of(variant: Variant, text: impl AsRef<[u8]>) -> Result<Position, FenError> {
        let (text, extra) = split(variant, text.as_ref())?;
        Ok(Fen::read(&text, ReadMode::Forgiving)?.position().of_variant(variant, extra))
    }

    /// Returns the position with the rules of a variant, and what its FEN states beyond the board.
    fn of_variant(self, variant: Variant, extra: Extra) -> Position {
        let mut position = self.with_variant(variant);
        position.set_extra(extra);
        position
    }

    /// Reads the value of a tag FEN in a game of a variant, like [`read_start`](crate::record::read_start).
    pub fn read_start_of(variant: Variant, tag: &[u8]) -> Result<(Position, bool), FenError> {
        let (text, extra) = split(variant, tag)?;
        let (position, has_clocks) = crate::record::read_start(&text)?;
        Ok((position.of_variant(variant, extra), has_clocks))
    }

    /// Appends a FEN, or its first fields, with what the variant adds.
    #[cold]
    pub(super) fn write_fen_of_variant(&self, fen: &[u8], out: &mut Vec<u8>) {
        let mut fields = fen.split(|byte| *byte == b' ');
        let placement = fields.next().unwrap_or_default();
        if self.extra.promoted == 0 {
            out.extend_from_slice(placement);
        } else {
            let mut at = (7u8, 0u8);
            for byte in placement {
                out.push(*byte);
                match byte {
                    b'/' => at = (at.0.saturating_sub(1), 0),
                    b'1'..=b'8' => at.1 += byte - b'0',
                    _ => {
                        if self.extra.promoted & Square::at(at.1 & 7, at.0).bit() != 0 {
                            out.push(b'~');
                        }
                        at.1 += 1;
                    }
                }
            }
        }
        if self.variant == Variant::Crazyhouse {
            out.push(b'[');
            for color in Color::BOTH {
                out.extend(pocket_letters(self.pocket(color), color));
            }
            out.push(b']');
        }
        for (index, field) in fields.enumerate() {
            if index == 3 && self.variant == Variant::ThreeCheck {
                let [white, black] = self.extra.checks.map(|given| b'0' + 3u8.saturating_sub(given));
                out.extend_from_slice(&[b' ', white, b'+', black]);
            }
            out.push(b' ');
            out.extend_from_slice(field);
        }
    }
}

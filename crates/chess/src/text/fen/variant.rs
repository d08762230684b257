//! FEN of variants: pockets, promoted pieces, and counts of checks.
//!
//! Reads the spellings of Lichess and of engines, and writes those of engines: pockets in brackets after the board
//! (`[Qn]`), `~` after a promoted piece, and the checks that each side still needs as the fifth field (`3+2`).

use super::{Fen, FenError, ReadMode};
use crate::piece::{Color, Piece};
use crate::position::Position;
use crate::rules::{Extra, Variant};
use crate::square::Square;
use crate::variant::pocket_letters;

/// Separates what only variants have from a FEN. Returns the FEN without it.
fn split(variant: Variant, text: &[u8]) -> (Vec<u8>, Extra) {
    let mut extra = Extra::default();
    let mut fields: Vec<Vec<u8>> =
        text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).map(<[u8]>::to_vec).collect();
    match (variant, fields.first_mut()) {
        (Variant::Crazyhouse, Some(placement)) => {
            let (board, pocket) = split_pocket(placement);
            let mut put = |letter: u8| {
                if let Some(Piece { color, role }) = Piece::from_letter(letter)
                    && let Some(count) = extra.pockets[color.index()].get_mut(role as usize)
                {
                    *count = count.saturating_add(1);
                }
            };
            pocket.iter().for_each(|letter| put(*letter));
            let mut at = (7u8, 0u8);
            for byte in board {
                match byte {
                    b'/' => at = (at.0.saturating_sub(1), 0),
                    b'1'..=b'8' => at.1 = (at.1 + byte - b'0').min(8),
                    b'~' if at.1 > 0 => extra.promoted |= Square::at((at.1 - 1) & 7, at.0).bit(),
                    b'~' => {}
                    _ => at.1 = (at.1 + 1).min(8),
                }
            }
            *placement = board.iter().copied().filter(|byte| *byte != b'~').collect();
        }
        (Variant::ThreeCheck, Some(_)) => {
            // Lichess writes the checks given after the clocks, engines those still needed before them.
            if let Some([b'+', white @ b'0'..=b'3', b'+', black @ b'0'..=b'3']) = fields.get(6).map(Vec::as_slice) {
                extra.checks = [white - b'0', black - b'0'];
                fields.truncate(6);
            } else if let Some([white @ b'0'..=b'3', b'+', black @ b'0'..=b'3']) = fields.get(4).map(Vec::as_slice) {
                extra.checks = [b'3' - white, b'3' - black];
                fields.remove(4);
            }
        }
        _ => {}
    }
    (fields.join(&b' '), extra)
}

/// Returns the variant that a text names by its form: Crazyhouse by a pocket in brackets, Three-check by counts of checks.
pub(super) fn named_by(text: &[u8]) -> Option<Variant> {
    let (without_checks, _) = split(Variant::ThreeCheck, text);
    let fields: Vec<&[u8]> = text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect();
    let whole = fields.join(&b' ');
    if fields.first().is_some_and(|placement| placement.contains(&b'[')) {
        return Some(Variant::Crazyhouse);
    }
    (without_checks != whole).then_some(Variant::ThreeCheck)
}

/// Splits a placement from the pocket: in brackets, or as a ninth row.
fn split_pocket(placement: &[u8]) -> (&[u8], &[u8]) {
    if let Some(open) = placement.iter().position(|byte| *byte == b'[') {
        let (board, pocket) = placement.split_at(open);
        return (board, pocket);
    }
    let mut rows = placement.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    match rows.nth(7) {
        Some((at, _)) => placement.split_at(at),
        None => (placement, &[]),
    }
}

impl Position {
    /// Reads a FEN of a variant forgivingly, in the spellings of Lichess and of engines: pockets in brackets or as a
    /// ninth row, `~` after promoted pieces, checks given (`+1+0`) or still needed (`2+3`).
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
        let (text, extra) = split(variant, text.as_ref());
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
        let (text, extra) = split(variant, tag);
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

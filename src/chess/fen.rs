//! FEN, read and written.

use super::piece::{Color, Piece, Role};
use super::position::{Position, Wing};
use super::square::{Square, squares};
use std::fmt;

/// One of the six fields of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenField {
    /// Piece placement
    Placement,
    /// Side to move
    Turn,
    /// Castling availability
    Castling,
    /// En passant target
    EnPassant,
    /// Halfmove clock
    HalfmoveClock,
    /// Fullmove number
    FullmoveNumber,
}

/// Why a text is no FEN: the field at fault and the column, counted in bytes from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FenError {
    /// The field that cannot be read.
    pub field: FenField,
    /// Where it goes wrong, in bytes from 1.
    pub column: usize,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = match self.field {
            FenField::Placement => "piece placement",
            FenField::Turn => "side to move",
            FenField::Castling => "castling availability",
            FenField::EnPassant => "en passant target",
            FenField::HalfmoveClock => "halfmove clock",
            FenField::FullmoveNumber => "fullmove number",
        };
        write!(f, "bad FEN: {field} at column {}", self.column)
    }
}

impl std::error::Error for FenError {}

/// When the en passant target is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EnPassantStyle {
    /// After every double step, as the FEN documents have it.
    #[default]
    Always,
    /// Only where an en passant capture is legal.
    Legal,
}

/// How castling rights are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CastlingStyle {
    /// `KQkq`, with the rook's file instead where a further rook stands outside it (X-FEN).
    #[default]
    XFen,
    /// The rooks' files, `HAha` (Shredder-FEN).
    Shredder,
}

impl Position {
    /// Reads a FEN, forgivingly: fields after the placement may be missing (`w - - 0 1`), `nil` is `-`, blanks may be doubled.
    ///
    /// Castling as `KQkq`, X-FEN or Shredder-FEN. Rights without their rook, and en passant targets that no double step can have
    /// made, are dropped. The position need not be legal.
    pub fn from_fen(text: &[u8]) -> Result<Position, FenError> {
        let mut fields = fields(text);
        let mut next = || fields.next();
        let fault = |field, start: usize, at: usize| FenError { field, column: start + at + 1 };

        let (start, placement) = next().ok_or(fault(FenField::Placement, 0, text.len()))?;
        let men = read_placement(placement).map_err(|at| fault(FenField::Placement, start, at))?;
        let turn = match next() {
            None | Some((_, b"w" | b"W")) => Color::White,
            Some((_, b"b" | b"B")) => Color::Black,
            Some((start, _)) => return Err(fault(FenField::Turn, start, 0)),
        };
        let mut position = Position::from_men(&men, turn);
        if let Some((start, castling)) = next() {
            position.read_castling(castling).map_err(|at| fault(FenField::Castling, start, at))?;
        }
        match next() {
            None | Some((_, b"-" | b"nil")) => {}
            Some((start, target)) => {
                let square = Square::parse(target).ok_or(fault(FenField::EnPassant, start, 0))?;
                position.set_en_passant(square);
            }
        }
        let mut number = |field, missing: u32| match next() {
            None | Some((_, b"-")) => Ok(missing),
            Some((start, digits)) => std::str::from_utf8(digits)
                .ok()
                .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
                .and_then(|digits| digits.parse().ok())
                .ok_or(fault(field, start, 0)),
        };
        let halfmove = number(FenField::HalfmoveClock, 0)?;
        let fullmove = number(FenField::FullmoveNumber, 1)?;
        position.set_clocks(halfmove, fullmove);
        match next() {
            None => Ok(position),
            Some((start, _)) => Err(fault(FenField::FullmoveNumber, start, 0)),
        }
    }

    fn read_castling(&mut self, text: &[u8]) -> Result<(), usize> {
        if text == b"-" || text == b"nil" {
            return Ok(());
        }
        for (at, &letter) in text.iter().enumerate() {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let rooks = self.home_rooks(color);
            match letter.to_ascii_uppercase() {
                b'K' => {
                    if let Some(rook) = squares(rooks).last() {
                        self.grant_castling(color, Wing::H, rook);
                    }
                }
                b'Q' => {
                    if let Some(rook) = squares(rooks).next() {
                        self.grant_castling(color, Wing::A, rook);
                    }
                }
                file @ b'A'..=b'H' => {
                    let rook = Square::at(file - b'A', color.back_rank());
                    if let Some(king) = self.king(color) {
                        let wing = if rook.file() > king.file() { Wing::H } else { Wing::A };
                        self.grant_castling(color, wing, rook);
                    }
                }
                _ => return Err(at),
            }
        }
        Ok(())
    }

    /// The rooks of a side on its back rank.
    fn home_rooks(&self, color: Color) -> u64 {
        let rank = 0xFF << (color.back_rank() * 8);
        let mut rooks = 0;
        for square in squares(self.occupied(color) & rank) {
            if self.piece_at(square) == Some(Piece { color, role: Role::Rook }) {
                rooks |= square.bit();
            }
        }
        rooks
    }

    /// Returns whether no other rook of the side stands on its back rank between that rook and the edge.
    pub(super) fn is_outermost_rook(&self, color: Color, wing: Wing, rook: Square) -> bool {
        let edge = if wing == Wing::H { 7 } else { 0 };
        if rook.file() == edge {
            return true;
        }
        let mut home = squares(self.home_rooks(color));
        let outermost = match wing {
            Wing::H => home.last(),
            Wing::A => home.next(),
        };
        outermost == Some(rook)
    }

    /// Returns the FEN with the en passant target after every double step and castling as X-FEN.
    pub fn fen(&self) -> String {
        let mut text = Vec::with_capacity(90);
        self.write_fen(&mut text, EnPassantStyle::Always, CastlingStyle::XFen);
        // The writer emits ASCII only.
        String::from_utf8(text).unwrap_or_default()
    }

    /// Appends the FEN in the style asked.
    pub fn write_fen(&self, out: &mut Vec<u8>, en_passant: EnPassantStyle, castling: CastlingStyle) {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match self.piece_at(Square::at(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            out.push(b'0' + empty);
                            empty = 0;
                        }
                        out.push(piece.letter());
                    }
                }
            }
            if empty > 0 {
                out.push(b'0' + empty);
            }
            if rank > 0 {
                out.push(b'/');
            }
        }
        out.extend_from_slice(match self.turn() {
            Color::White => b" w ",
            Color::Black => b" b ",
        });
        self.write_castling(out, castling);
        out.push(b' ');
        let target = match en_passant {
            EnPassantStyle::Always => self.en_passant(),
            EnPassantStyle::Legal => self.en_passant().filter(|_| self.en_passant_is_legal()),
        };
        match target {
            Some(square) => out.extend_from_slice(&square.name()),
            None => out.push(b'-'),
        }
        out.push(b' ');
        write_number(out, self.halfmove_clock());
        out.push(b' ');
        write_number(out, self.fullmove_number());
    }

    fn write_castling(&self, out: &mut Vec<u8>, style: CastlingStyle) {
        let before = out.len();
        for color in Color::BOTH {
            for wing in Wing::BOTH {
                let Some(rook) = self.castling_rook(color, wing) else { continue };
                let letter = match (style, wing) {
                    (CastlingStyle::XFen, Wing::H) if self.is_outermost_rook(color, wing, rook) => b'K',
                    (CastlingStyle::XFen, Wing::A) if self.is_outermost_rook(color, wing, rook) => b'Q',
                    _ => b'A' + rook.file(),
                };
                out.push(if color == Color::White { letter } else { letter.to_ascii_lowercase() });
            }
        }
        if out.len() == before {
            out.push(b'-');
        }
    }
}

/// Appends a decimal number.
pub(crate) fn write_number(out: &mut Vec<u8>, number: u32) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Iterates over the blank-separated fields with the offset of each.
fn fields(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while text.get(at).is_some_and(|b| b.is_ascii_whitespace()) {
            at += 1;
        }
        let start = at;
        while text.get(at).is_some_and(|b| !b.is_ascii_whitespace()) {
            at += 1;
        }
        (at > start).then(|| (start, &text[start..at]))
    })
}

fn read_placement(text: &[u8]) -> Result<[Option<Piece>; 64], usize> {
    let mut men = [None; 64];
    let (mut file, mut rank) = (0u8, 7u8);
    for (at, &letter) in text.iter().enumerate() {
        match letter {
            b'/' if file == 8 && rank > 0 => {
                file = 0;
                rank -= 1;
            }
            b'1'..=b'8' if file + (letter - b'0') <= 8 => file += letter - b'0',
            _ => {
                let piece = Piece::from_letter(letter).filter(|_| file < 8).ok_or(at)?;
                men[Square::at(file, rank).at_most_63()] = Some(piece);
                file += 1;
            }
        }
    }
    if (file, rank) == (8, 0) { Ok(men) } else { Err(text.len()) }
}

//! FEN: reads the six fields strictly or forgivingly, represents them as a value, and writes them in the common
//! variants.
//!
//! Sources: the SAN Kit's FEN document (S. J. Edwards, 1993), "Forsyth-Edwards Notation" of the Chess Programming Wiki,
//! and the "6-tuple" of the game state. The "6-tuple" document says that a player can claim a draw after 50 plies. The
//! actual rule requires 50 moves by each side, or a halfmove clock of 100.

mod legality;
mod other_board;
mod read;
mod types;
mod variant;
mod write;

pub use legality::Illegality;
pub use other_board::OtherBoard;
pub use read::ReadMode;
pub(super) use read::four_fields;
#[doc(hidden)]
pub use types::write_number;
pub use types::{CastlingRight, CastlingRook, CastlingStyle, EnPassantStyle, Fen, FenError, FenFault, FenField};
pub use write::FenText;
use write::TEXT;
#[doc(hidden)]
pub use write::{Fields, is_outermost};

use crate::moves::CastlingSide;
use crate::piece::{Color, Piece, Role};
use crate::position::Position;
use crate::square::{Square, squares};
use crate::variant::Variant;
use std::fmt;

impl Fen {
    /// Reads a FEN. Errors name the field, the column and the fault.
    pub fn read(text: &[u8], mode: ReadMode) -> Result<Fen, FenError> {
        read::fen(text, mode)
    }

    /// Returns the fields of a position, with the en passant target and castling rights in this style.
    pub fn from_position(position: &Position, en_passant: EnPassantStyle, castling: CastlingStyle) -> Fen {
        let mut pieces = [None; 64];
        for square in squares(position.occupied[0] | position.occupied[1]) {
            pieces[square.at_most_63()] = position.piece_at(square);
        }
        Fen {
            pieces,
            turn: position.turn(),
            castling: position.fen_fields(None).castling(castling).collect(),
            en_passant: position.en_passant_target(en_passant),
            halfmove_clock: position.halfmove_clock(),
            fullmove_number: position.fullmove_number(),
        }
    }

    /// Returns the position. Drops castling rights whose king or rook is not at home, and targets that no double step
    /// can have passed. If two rights refer to the same castling side, the last one takes effect.
    pub fn position(&self) -> Position {
        let mut position = Position::from_pieces(&self.pieces, self.turn);
        for right in &self.castling {
            if let Some((side, rook)) = position.rook_of(*right) {
                position.grant_castling(right.color, side, rook);
            }
        }
        if let Some(target) = self.en_passant {
            position.set_en_passant(target);
        }
        position.set_clocks(self.halfmove_clock, self.fullmove_number);
        position
    }

    /// Appends the first four fields, which are also the beginning of an EPD.
    pub(super) fn write_four(&self, out: &mut Vec<u8>) {
        let occupant = |square: Square| self.pieces[square.at_most_63()];
        push_four(out, occupant, self.turn, self.castling.iter().copied(), self.en_passant);
    }
}

/// Appends the placement, the side to move, the castling rights and the en passant target.
fn push_four(
    out: &mut Vec<u8>,
    occupant: impl Fn(Square) -> Option<Piece>,
    turn: Color,
    castling: impl Iterator<Item = CastlingRight>,
    target: Option<Square>,
) {
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            match occupant(Square::at(file, rank)) {
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
    out.extend_from_slice(match turn {
        Color::White => b" w ",
        Color::Black => b" b ",
    });
    let before = out.len();
    out.extend(castling.map(CastlingRight::letter));
    if out.len() == before {
        out.push(b'-');
    }
    out.push(b' ');
    match target {
        Some(square) => out.extend_from_slice(&square.name()),
        None => out.push(b'-'),
    }
}

impl fmt::Display for Fen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::with_capacity(90);
        self.write_four(&mut out);
        write!(f, "{} {} {}", String::from_utf8_lossy(&out), self.halfmove_clock, self.fullmove_number)
    }
}

impl From<&Position> for Fen {
    /// Converts a position to fields, with the en passant target after every double step and castling rights as X-FEN.
    fn from(position: &Position) -> Fen {
        Fen::from_position(position, EnPassantStyle::default(), CastlingStyle::default())
    }
}

impl std::str::FromStr for Position {
    type Err = FenError;

    /// Reads a FEN like [`Position::from_fen`].
    fn from_str(text: &str) -> Result<Position, FenError> {
        Position::from_fen(text.as_bytes())
    }
}

impl fmt::Display for Position {
    /// Writes the FEN like [`Position::fen`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}

impl Position {
    /// Reads a FEN forgivingly: fields after the placement may be missing (default: `w - - 0 1`), `nil` means `-`, and
    /// blanks may be doubled.
    ///
    /// Castling rights may be `KQkq`, X-FEN or Shredder-FEN. Rights without their rook and impossible en passant
    /// targets are dropped. Pockets mean Crazyhouse, and counts of checks Three-check. The position need not be legal. [`Fen::read`] preserves the fields as written, and also has
    /// a strict mode.
    pub fn from_fen(text: impl AsRef<[u8]>) -> Result<Position, FenError> {
        let text = text.as_ref();
        match Fen::read(text, ReadMode::Forgiving) {
            Ok(fen) => Ok(fen.position()),
            Err(error) => match variant::named_by(text) {
                Some(variant) => Position::from_fen_of(variant, text),
                None => Err(error),
            },
        }
    }

    /// Returns the squares of a side's rooks on its back rank.
    fn home_rooks(&self, color: Color) -> u64 {
        self.occupied(color) & self.role(Role::Rook) & 0xFF << (color.back_rank() * 8)
    }

    /// Returns the FEN, with the en passant target after every double step and castling rights as X-FEN.
    pub fn fen(&self) -> String {
        let mut text = Vec::with_capacity(90);
        self.write_fen(&mut text, EnPassantStyle::Always, CastlingStyle::XFen);
        // The writer emits ASCII only.
        String::from_utf8(text).unwrap_or_default()
    }

    /// Appends the FEN in this style.
    pub fn write_fen(&self, out: &mut Vec<u8>, en_passant: EnPassantStyle, castling: CastlingStyle) {
        let mut text = [0; TEXT];
        let length = self.fen_fields(self.en_passant_target(en_passant)).write(castling, &mut text);
        self.push_fen(&text[..length], out);
    }

    /// Appends the first four fields of the FEN in this style, which form an EPD without operations.
    pub fn write_four(&self, out: &mut Vec<u8>, en_passant: EnPassantStyle, castling: CastlingStyle) {
        let mut text = [0; TEXT];
        let length = self.fen_fields(self.en_passant_target(en_passant)).write_four(castling, &mut text);
        self.push_fen(&text[..length], out);
    }

    /// Appends a FEN of the board, with what the variant adds.
    fn push_fen(&self, fen: &[u8], out: &mut Vec<u8>) {
        match self.variant {
            Variant::Chess => out.extend_from_slice(fen),
            _ => self.write_fen_of_variant(fen, out),
        }
    }

    #[inline(always)]
    fn fen_fields(&self, target: Option<Square>) -> Fields<'_> {
        Fields {
            board: &self.board,
            turn: self.turn(),
            rights: self.rights,
            rooks: self.rook_home,
            target,
            halfmove_clock: self.halfmove_clock(),
            fullmove_number: self.fullmove_number(),
        }
    }

    fn en_passant_target(&self, style: EnPassantStyle) -> Option<Square> {
        self.en_passant().filter(|target| match style {
            EnPassantStyle::Always => true,
            EnPassantStyle::Legal => self.en_passant_is_legal(),
            EnPassantStyle::PseudoLegal => {
                self.en_passant_victim().is_some() && self.candidates(Role::Pawn, *target) != 0
            }
        })
    }

    /// Returns the castling side and the rook's square for a right. Returns `None` if the rook or, for a file letter,
    /// the king is missing.
    fn rook_of(&self, right: CastlingRight) -> Option<(CastlingSide, Square)> {
        let mut rooks = squares(self.home_rooks(right.color));
        Some(match right.rook {
            CastlingRook::Outermost(CastlingSide::King) => (CastlingSide::King, rooks.last()?),
            CastlingRook::Outermost(CastlingSide::Queen) => (CastlingSide::Queen, rooks.next()?),
            CastlingRook::File(file) => {
                let side =
                    if file > self.king(right.color)?.file_index() { CastlingSide::King } else { CastlingSide::Queen };
                (side, Square::at(file, right.color.back_rank()))
            }
        })
    }
}

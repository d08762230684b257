//! SAN in variants: drops, promotion to a king, and marks for wins by the rules of the variant.

use super::{Form, SanError, read};
use crate::moves::{CastlingSide, Move, MoveKind};
use crate::piece::Role;
use crate::position::Position;
use crate::square::Square;
use crate::variant::Variant;

impl Position {
    /// Reads a move text as a legal move of a variant. A drop is a piece letter, none or `P` for a pawn, `@`, and a
    /// square.
    #[cold]
    pub(super) fn parse_san_in_variant(&self, text: &[u8]) -> Result<Move, SanError> {
        let marks = text.iter().rev().take_while(|byte| b"+#!?".contains(byte)).count();
        let text = text.get(..text.len() - marks).unwrap_or_default();
        if let [piece @ .., b'@', file, rank] = text
            && self.variant == Variant::Crazyhouse
        {
            let role = match piece {
                [] => Role::Pawn,
                [letter] => Role::from_letter(*letter).ok_or(SanError::Unreadable)?,
                _ => return Err(SanError::Unreadable),
            };
            let to = Square::parse(&[*file, *rank]).ok_or(SanError::Unreadable)?;
            let m = Move { from: to, to, kind: MoveKind::Drop(role) };
            return self.legality(m).map(|()| m).map_err(SanError::from);
        }
        let to_king = |text: &[u8]| match text {
            [head @ .., b'=' | b'/', b'K' | b'k'] | [head @ .., b'1' | b'8', b'K' | b'k'] => Some(head.len()),
            _ => None,
        };
        let king = if self.variant == Variant::Antichess { to_king(text) } else { None };
        let bare = match king {
            // `e8K` without `=` ends after the square.
            Some(length) if matches!(text.get(length), Some(b'1' | b'8')) => text.get(..length + 1),
            Some(length) => text.get(..length),
            None => Some(text),
        };
        let form = read(bare.unwrap_or_default()).ok_or(SanError::Unreadable)?;
        let means = |m: &Move| match form {
            Form::Null => false,
            Form::Castle(side) => m.kind == MoveKind::Castle(side),
            Form::Piece { role, file, rank, to, promotion } => {
                let promotion = if king.is_some() { Some(Role::King) } else { promotion };
                let moves = self.piece_at(m.from).map(|piece| piece.role);
                // With both coordinates of the start square, the letter may be missing, as in UCI.
                let is_full = file.is_some() && rank.is_some() && text.first() != Some(&b'P');
                let is_step = role != Role::Pawn || file.is_some() || m.from.file_index() == to.file_index();
                !matches!(m.kind, MoveKind::Castle(_) | MoveKind::Drop(_))
                    && m.to == to
                    && m.promotion() == promotion
                    && (moves == Some(role) || is_full && role == Role::Pawn)
                    && is_step
                    && file.is_none_or(|file| m.from.file_index() == file)
                    && rank.is_none_or(|rank| m.from.rank_index() == rank)
            }
        };
        if form == Form::Null {
            return Ok(Move::NULL);
        }
        let mut moves = self.legal_moves();
        let mut found = moves.iter().copied().filter(means);
        match (found.next(), found.next()) {
            (Some(m), None) => return Ok(m),
            (Some(_), Some(_)) => return Err(SanError::Ambiguous),
            (None, _) => {}
        }
        if let Some(castling) = std::str::from_utf8(text).ok().and_then(|text| self.parse_uci(text).ok()) {
            return Ok(castling);
        }
        self.pseudo_legal_moves(&mut moves);
        Err(match moves.into_iter().find(means).map(|m| self.legality(m)) {
            Some(Err(illegal)) => illegal.into(),
            _ => SanError::NoSuchMove,
        })
    }

    /// Appends the SAN of a legal move of a variant.
    #[cold]
    pub(super) fn write_san_in_variant(&self, m: Move, full_squares: bool, out: &mut Vec<u8>) {
        self.write_san_without_mark(m, full_squares, out);
        if m.kind == MoveKind::Null {
            return;
        }
        let mut after = self.clone();
        after.play_unchecked(m);
        if after.winner().is_some() {
            out.push(b'#');
        } else if after.in_check() {
            out.push(b'+');
        }
    }

    fn write_san_without_mark(&self, m: Move, full_squares: bool, out: &mut Vec<u8>) {
        let to = m.to.name();
        match m.kind {
            MoveKind::Null => return out.extend_from_slice(b"--"),
            MoveKind::Castle(CastlingSide::King) => return out.extend_from_slice(b"O-O"),
            MoveKind::Castle(CastlingSide::Queen) => return out.extend_from_slice(b"O-O-O"),
            MoveKind::Drop(role) => {
                if role != Role::Pawn {
                    out.push(role.letter());
                }
                out.push(b'@');
                return out.extend_from_slice(&to);
            }
            MoveKind::Plain | MoveKind::EnPassant | MoveKind::Promotion(_) => {}
        }
        let role = self.piece_at(m.from).map_or(Role::Pawn, |piece| piece.role);
        let [file, rank] = m.from.name();
        let takes = self.takes(m);
        if role == Role::Pawn {
            if takes {
                out.push(file);
            }
        } else {
            out.push(role.letter());
            let is_rival = |other: &Move| {
                !matches!(other.kind, MoveKind::Castle(_) | MoveKind::Drop(_))
                    && other.to == m.to
                    && other.from != m.from
                    && self.piece_at(other.from).is_some_and(|piece| piece.role == role)
            };
            let rivals: Vec<Square> = self.legal_moves().iter().filter(|m| is_rival(m)).map(|m| m.from).collect();
            let same_file = rivals.iter().any(|rival| rival.file_index() == m.from.file_index());
            let same_rank = rivals.iter().any(|rival| rival.rank_index() == m.from.rank_index());
            match (rivals.is_empty(), same_file, same_rank) {
                (true, ..) => {}
                (false, false, _) => out.push(file),
                (false, true, false) if !full_squares => out.push(rank),
                (false, true, _) => out.extend_from_slice(&[file, rank]),
            }
        }
        if takes {
            out.push(b'x');
        }
        out.extend_from_slice(&to);
        if let Some(role) = m.promotion() {
            out.extend_from_slice(&[b'=', role.letter()]);
        }
    }
}

//! Computes attacks on squares, checks, pins, and the legality of moves.

use super::attacks::{ATTACKS, KNIGHT, PAWN, REACH, between};
use super::attention::Attention;
use super::moves::{CastlingSide, IllegalMove, Move, MoveKind};
use super::piece::{Color, Piece, PieceId, Role};
use super::position::Position;
use super::square::{Square, squares};
use super::variant::Variant;

impl Position {
    /// Returns whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        match self.attention {
            Attention::Quiet => false,
            Attention::Check => true,
            Attention::Unknown if self.variant != Variant::Chess => self.variant_in_check(),
            Attention::Unknown => self.king(self.turn).is_some_and(|king| self.attacked_by(self.turn.other(), king)),
        }
    }

    /// Returns whether any piece of this color attacks the square.
    #[inline]
    pub fn attacked_by(&self, color: Color, square: Square) -> bool {
        self.attacked_with(color, square, self.occupied[color.index()], self.all())
    }

    #[inline]
    pub(super) fn all(&self) -> u64 {
        self.occupied[0] | self.occupied[1]
    }

    /// Returns the squares of the pieces of a role, of both colors.
    #[inline]
    pub(super) fn role(&self, role: Role) -> u64 {
        self.roles[role as usize]
    }

    #[inline]
    pub(super) fn role_on(&self, square: u8) -> Role {
        PieceId(self.board[square as usize & 63]).role()
    }

    /// Returns the attackers like `attacked_by`, for another board: `attackers` are the pieces of this color, and
    /// `occupied` are all occupied squares.
    #[inline]
    pub(super) fn attacked_with(&self, color: Color, square: Square, attackers: u64, occupied: u64) -> bool {
        let at = square.at_most_63();
        self.leapers_towards(color, square) & attackers != 0
            || squares(self.sliders_towards(square) & attackers)
                .any(|from| between(from.at_most_63(), at) & occupied == 0)
    }

    /// Returns the pieces of a color that attack the square.
    pub(super) fn attackers_of(&self, color: Color, square: Square) -> u64 {
        let (theirs, all) = (self.occupied[color.index()], self.all());
        let is_free = |from: &Square| between(from.at_most_63(), square.at_most_63()) & all == 0;
        let sliders = squares(self.sliders_towards(square) & theirs).filter(is_free);
        sliders.fold(self.leapers_towards(color, square) & theirs, |found, from| found | from.bit())
    }

    /// Returns whether the departure of the piece on `from` can expose this side's king to an attack. If false, no
    /// attack on the king is possible. Requires known `attention`.
    #[inline(always)]
    pub(super) fn is_screen(&self, side: Color, from: Square) -> bool {
        self.screens[side.index()] & from.bit() != 0
    }

    /// Returns the squares between a side's king and the opponent's sliders on the same lines.
    pub(super) fn screens_of(&self, side: Color) -> u64 {
        let Some(king) = self.king(side) else { return 0 };
        let sliders = self.sliders_towards(king) & self.occupied[side.other().index()];
        squares(sliders).fold(0, |screens, from| screens | between(from.at_most_63(), king.at_most_63()))
    }

    /// Returns the knights and kings of both sides that attack the square, and the pawns of both sides that would
    /// attack it as pawns of `color`.
    #[inline]
    fn leapers_towards(&self, color: Color, square: Square) -> u64 {
        let at = square.at_most_63();
        KNIGHT[at] & self.role(Role::Knight)
            | PAWN[color.other().index()][at] & self.role(Role::Pawn)
            | REACH[Role::King as usize][at] & self.role(Role::King)
    }

    /// Returns the sliders of both sides that would attack the square on an empty board.
    #[inline]
    fn sliders_towards(&self, square: Square) -> u64 {
        let at = square.at_most_63();
        let queens = self.role(Role::Queen);
        (queens | self.role(Role::Rook)) & REACH[Role::Rook as usize][at]
            | (queens | self.role(Role::Bishop)) & REACH[Role::Bishop as usize][at]
    }

    /// Returns whether a move is legal: a piece of the side to move can make it, and it does not leave the king in
    /// check.
    ///
    /// If the side to move has no king, checks are ignored. The null move is never legal.
    #[inline]
    pub fn is_legal(&self, m: Move) -> bool {
        self.legality(m).is_ok()
    }

    /// Returns the reason why a move is illegal, by the same rules as [`is_legal`](Position::is_legal).
    #[inline]
    pub fn legality(&self, m: Move) -> Result<(), IllegalMove> {
        if self.variant != Variant::Chess {
            return self.variant_legality(m);
        }
        if !self.is_pseudo_legal(m) {
            return Err(IllegalMove::NotPseudoLegal);
        }
        if self.is_safe(m) { Ok(()) } else { Err(IllegalMove::LeavesKingInCheck) }
    }

    /// Returns whether a piece of the side to move can make the move, ignoring checks. Castling is checked completely.
    #[doc(hidden)]
    #[inline]
    pub fn is_pseudo_legal(&self, m: Move) -> bool {
        let us = self.turn;
        let (from, to) = (m.from.at_most_63(), m.to.at_most_63());
        let (ours, theirs) = (self.occupied[us.index()], self.occupied[us.other().index()]);
        if ours >> from & 1 == 0 {
            return false;
        }
        if let MoveKind::Castle(side) = m.kind {
            return self.king(us) == Some(m.from)
                && self.castling_rook(us, side) == Some(m.to)
                && self.castling_is_possible(us, side);
        }
        if ours >> to & 1 != 0 || self.king(us.other()) == Some(m.to) {
            return false;
        }
        match self.role_on(m.from.index()) {
            Role::Pawn => self.pawn_can(m),
            role => {
                m.kind == MoveKind::Plain
                    && REACH[role as usize][from] >> to & 1 != 0
                    && between(from, to) & (ours | theirs) == 0
            }
        }
    }

    fn pawn_can(&self, m: Move) -> bool {
        let us = self.turn;
        let (from, to) = (m.from.at_most_63(), m.to.at_most_63());
        let all = self.all();
        let (forward, second, last) = if us == Color::White { (8i8, 1, 7) } else { (-8, 6, 0) };
        let promotes = match m.kind {
            MoveKind::Null | MoveKind::Drop(_) | MoveKind::Promotion(Role::Pawn | Role::King) => return false,
            MoveKind::Promotion(_) => true,
            _ => false,
        };
        if promotes != (m.to.rank_index() == last) {
            return false;
        }
        if PAWN[us.index()][from] >> to & 1 != 0 {
            let takes = self.occupied[us.other().index()] >> to & 1 != 0;
            return if m.kind == MoveKind::EnPassant {
                self.en_passant == m.to.index() && self.en_passant_victim().is_some()
            } else {
                takes
            };
        }
        let single = m.from.index().wrapping_add_signed(forward);
        if m.kind == MoveKind::EnPassant || single > 63 || all >> single & 1 != 0 {
            return false;
        }
        to == single as usize
            || (m.from.rank_index() == second
                && to == single.wrapping_add_signed(forward) as usize
                && all >> to & 1 == 0)
    }

    /// Returns the square of the pawn that an en passant capture would remove.
    pub(super) fn en_passant_victim(&self) -> Option<Square> {
        let target = self.en_passant()?;
        let back = if self.turn == Color::White { -8i8 } else { 8 };
        let victim = Square::masked(target.index().wrapping_add_signed(back));
        let pawn = Piece { color: self.turn.other(), role: Role::Pawn };
        (self.piece_at(victim) == Some(pawn)).then_some(victim)
    }

    /// Returns whether the moving side's king is unattacked after a pseudo-legal move.
    #[inline]
    pub(super) fn is_safe(&self, m: Move) -> bool {
        let us = self.turn;
        let Some(king) = self.king(us) else { return true };
        match m.kind {
            MoveKind::Castle(_) => true, // examined as a whole by `castling_is_possible`
            MoveKind::EnPassant => self.is_safe_in_full(m, king),
            _ if self.attention == Attention::Quiet && m.from != king => {
                !self.is_screen(us, m.from) || self.is_safe_in_full(m, king)
            }
            _ => self.is_safe_in_full(m, king),
        }
    }

    #[inline(never)]
    pub(super) fn is_safe_in_full(&self, m: Move, king: Square) -> bool {
        let them = self.turn.other();
        let (from, to) = (m.from.bit(), m.to.bit());
        let mut occupied = self.all() & !from | to;
        let mut attackers = self.occupied[them.index()] & !to;
        if m.kind == MoveKind::EnPassant
            && let Some(victim) = self.en_passant_victim()
        {
            occupied &= !victim.bit();
            attackers &= !victim.bit();
        }
        let king = if king == m.from { m.to } else { king };
        !self.attacked_with(them, king, attackers, occupied)
    }

    /// Returns whether castling is legal: the right exists, the path is free, and the king is not attacked on its
    /// start, path or destination squares.
    pub(super) fn castling_is_possible(&self, us: Color, side: CastlingSide) -> bool {
        let (Some(king), Some(rook)) = (self.king(us), self.castling_rook(us, side)) else { return false };
        let (king_file, rook_file) = side.files();
        let home = us.back_rank();
        let (king_to, rook_to) = (Square::at(king_file, home), Square::at(rook_file, home));
        let path = |a: Square, b: Square| between(a.at_most_63(), b.at_most_63()) | b.bit();
        let all = self.all();
        let others = all & !king.bit() & !rook.bit();
        if (path(king, king_to) | path(rook, rook_to)) & others != 0 {
            return false;
        }
        let them = us.other();
        let attackers = self.occupied[them.index()];
        // The attention of the side to move usually states whether the king is attacked on its start square.
        let start = if self.attention == Attention::Quiet && us == self.turn { 0 } else { king.bit() };
        if squares(path(king, king_to) | start)
            .any(|square| self.attacked_with(them, square, attackers, all & !king.bit()))
        {
            return false;
        }
        // A rook in the corner has no square behind it from which a slider could attack.
        matches!(rook.file_index(), 0 | 7)
            || !self.attacked_with(them, king_to, attackers, others | king_to.bit() | rook_to.bit())
    }

    /// Returns whether the opponent's king is attacked after a legal move.
    #[inline]
    pub(super) fn gives_check(&self, m: Move) -> bool {
        match m.kind {
            MoveKind::Null => return false,
            MoveKind::Plain if self.attention != Attention::Unknown => return self.gives_check_plainly(m),
            MoveKind::Castle(side) if self.attention != Attention::Unknown && !self.castling_gives_check(m, side) => {
                return false;
            }
            _ => {}
        }
        let mut after = self.clone();
        after.play_unchecked(m);
        after.in_check()
    }

    /// Returns whether castling may give check to a king that is not attacked yet. The result is false only if the rook
    /// is not on a line with the king.
    pub(super) fn castling_gives_check(&self, m: Move, side: CastlingSide) -> bool {
        let Some(king) = self.king(self.turn.other()) else { return false };
        let rook = Square::at(side.files().1, m.from.rank_index());
        REACH[Role::Rook as usize][rook.at_most_63()] & king.bit() != 0
            || self.is_screen(self.turn.other(), m.from)
            || self.is_screen(self.turn.other(), m.to)
    }

    /// Returns the same as `gives_check`, for a plain move while the opponent's king is not attacked yet.
    #[inline]
    pub(super) fn gives_check_plainly(&self, m: Move) -> bool {
        let Some(king) = self.king(self.turn.other()) else { return false };
        self.gives_check_of(self.turn, self.role_on(m.from.index()), m, king)
    }

    /// Returns the same as `gives_check_plainly`, for a known side, role, and square of the opponent's king.
    #[inline(always)]
    pub(super) fn gives_check_of(&self, us: Color, role: Role, m: Move, king: Square) -> bool {
        let (aligned, way) = Position::looks_at(us, role, m.to, king);
        // The conditions are combined without branches, because the processor cannot predict which pieces are on a line
        // with a king.
        let direct = aligned & u64::from(way & self.all() & !m.from.bit() == 0);
        let uncovers = u64::from(self.is_screen(us.other(), m.from));
        direct | uncovers != 0 && (direct != 0 || self.is_uncovered(m, king))
    }

    /// Returns whether (1 or 0) a piece would attack the king's square on an empty board, and the squares between the
    /// two.
    #[inline(always)]
    fn looks_at(us: Color, role: Role, from: Square, king: Square) -> (u64, u64) {
        let (from, at) = (from.at_most_63(), king.at_most_63());
        (ATTACKS[us.index()][role as usize][from] >> at & 1, between(at, from))
    }

    /// Updates the screens after a piece of this role has made a plain move to `to`. `king` is the square of the
    /// opponent's king.
    #[inline(always)]
    pub(super) fn keep_screens(&mut self, us: Color, role: Role, to: Square, king: Square) {
        let (aligned, way) = Position::looks_at(us, role, to, king);
        self.screens[us.other().index()] |= way & aligned.wrapping_neg();
        if role == Role::King {
            self.screens[us.index()] = self.screens_of(us);
        }
    }

    /// Returns whether a piece other than the moved piece attacks the opponent's king after a plain move.
    #[inline(never)]
    fn is_uncovered(&self, m: Move, king: Square) -> bool {
        let occupied = self.all() & !m.from.bit() | m.to.bit();
        self.attacked_with(self.turn, king, self.occupied[self.turn.index()] & !m.from.bit(), occupied)
    }

    /// Returns the side to move's pieces with this role that attack `to`, ignoring pins. For pawns, returns the pawns
    /// that could capture on `to`.
    pub(super) fn candidates(&self, role: Role, to: Square) -> u64 {
        let at = to.at_most_63();
        let reach = match role {
            Role::Pawn => PAWN[self.turn.other().index()][at],
            role => REACH[role as usize][at],
        };
        let mut found = reach & self.role(role) & self.occupied[self.turn.index()];
        if matches!(role, Role::Bishop | Role::Rook | Role::Queen) {
            let all = self.all();
            for from in squares(found) {
                if between(from.at_most_63(), at) & all != 0 {
                    found &= !from.bit();
                }
            }
        }
        found
    }
}

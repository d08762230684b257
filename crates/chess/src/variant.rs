//! The variants of chess that Lichess offers: their starting positions and rules. `rules` names them.
//!
//! A position carries its variant. Positions of variants never know their checks (`attention` stays unknown), so no fast
//! path for chess ever runs for them; the slow paths look at the variant once.
//!
//! Sources of the rules: the variant pages of Lichess, and scalachess. docs/format/variants.md describes what an archive
//! keeps.

use super::attacks::{self, KING, KNIGHT, PAWN, between};
use super::attention::Attention;
use super::moves::{CastlingSide, IllegalMove, Move, MoveKind};
use super::piece::{Color, EMPTY, OFF, Piece, PieceId, Role};
use super::position::{Position, STANDARD};
use super::rules::{Extra, Variant};
use super::square::{Square, squares};
use std::sync::LazyLock;

impl Variant {
    /// Returns the starting position of these rules.
    pub fn start(self) -> Position {
        match self {
            Variant::Chess => Position::standard(),
            _ => STARTS.get(self as usize).cloned().unwrap_or_default(),
        }
    }
}

/// The starting positions of all rules.
static STARTS: LazyLock<[Position; 8]> = LazyLock::new(|| {
    Variant::ALL.map(|variant| {
        let start = match variant {
            Variant::Horde => Position::from_fen(HORDE),
            Variant::RacingKings => Position::from_fen(RACING_KINGS),
            _ => Ok(Position::standard()),
        };
        start.unwrap_or_default().with_variant(variant)
    })
});

const HORDE: &str = "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1";
const RACING_KINGS: &str = "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1";

/// The roles of a pocket, in the order of their numbers.
const POCKET: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
const PROMOTIONS: [Role; 5] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::King];
/// d4, e4, d5, e5.
const HILL: u64 = 0x18_1800_0000;
const FIRST_AND_LAST: u64 = 0xFF00_0000_0000_00FF;

impl Position {
    /// Returns the position with other rules. Antichess has no castling. Drops what these rules do not have: pockets,
    /// promoted squares and checks given.
    pub fn with_variant(mut self, variant: Variant) -> Position {
        self.variant = variant;
        self.attention = Attention::Unknown;
        if variant == Variant::Antichess {
            (self.rights, self.castling) = (0, 0);
        }
        self.set_extra(self.extra);
        self
    }

    /// Returns whether the position is the starting position of its rules.
    pub fn is_usual_start(&self) -> bool {
        match self.variant {
            Variant::Chess => *self == *STANDARD,
            variant => STARTS.get(variant as usize) == Some(self),
        }
    }

    /// Returns the rules of the game.
    #[inline]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the numbers of pawns, knights, bishops, rooks and queens that a side of Crazyhouse can drop.
    pub fn pocket(&self, color: Color) -> [u8; 5] {
        self.extra.pockets[color.index()]
    }

    /// Returns the pieces that a side of Crazyhouse can drop as letters of a FEN, the most valuable first.
    pub fn pocket_letters(&self, color: Color) -> String {
        pocket_letters(self.pocket(color), color).map(char::from).collect()
    }

    /// Returns the squares of promoted pieces in Crazyhouse, as a bit set. They are captured as pawns.
    pub fn promoted(&self) -> u64 {
        self.extra.promoted
    }

    /// Returns the number of checks that a side of Three-check has given.
    pub fn checks_given(&self, color: Color) -> u8 {
        self.extra.checks[color.index()]
    }

    /// Sets what the board does not show: pockets, promoted squares and checks given. Squares without a piece that can
    /// be promoted are dropped, as is what the variant does not have.
    #[doc(hidden)]
    pub fn set_extra(&mut self, extra: Extra) {
        let pieces = self.all() & !self.role(Role::Pawn) & !self.role(Role::King);
        self.extra = match self.variant {
            Variant::Crazyhouse => Extra { promoted: extra.promoted & pieces, checks: [0; 2], ..extra },
            Variant::ThreeCheck => Extra { checks: extra.checks.map(|checks| checks.min(3)), ..Extra::default() },
            _ => Extra::default(),
        };
    }

    #[doc(hidden)]
    pub fn extra(&self) -> Extra {
        self.extra
    }

    /// Returns the side that has won: by checkmate, or by the rules of the variant.
    pub fn winner(&self) -> Option<Color> {
        if self.variant == Variant::Antichess {
            return (!self.has_legal_move()).then_some(self.turn);
        }
        match self.end_by_variant() {
            Some(winner) => winner,
            None => self.is_checkmate().then_some(self.turn.other()),
        }
    }

    /// Returns whether the rules of the variant have ended the game, apart from checkmate and stalemate.
    pub fn is_over_by_variant(&self) -> bool {
        self.end_by_variant().is_some()
    }

    /// Returns the winner by the rules of the variant, apart from checkmate and stalemate: `None` if the game goes on, and
    /// `Some(None)` if it ended without a winner.
    fn end_by_variant(&self) -> Option<Option<Color>> {
        let kings_on = |squares: u64| self.occupied.map(|side| self.role(Role::King) & side & squares != 0);
        let first = |is_won: [bool; 2]| Color::BOTH.into_iter().find(|color| is_won[color.index()]).map(Some);
        match self.variant {
            Variant::ThreeCheck => first(self.extra.checks.map(|checks| checks >= 3)),
            Variant::KingOfTheHill => first(kings_on(HILL)),
            Variant::RacingKings => match kings_on(0xFF << 56) {
                [false, false] => None,
                [true, true] => Some(None),
                [false, true] => Some(Some(Color::Black)),
                // Black has one more move if it brings the black king to the rank.
                [true, false] => (self.turn == Color::White || !self.may_still_draw()).then_some(Some(Color::White)),
            },
            Variant::Atomic => match Color::BOTH.map(|side| self.king(side).is_some()) {
                [true, true] => None,
                [false, false] => Some(None),
                [true, false] => Some(Some(Color::White)),
                [false, true] => Some(Some(Color::Black)),
            },
            Variant::Horde => (self.occupied[0] == 0).then_some(Some(Color::Black)),
            Variant::Antichess => (self.occupied[self.turn.index()] == 0).then_some(Some(self.turn)),
            Variant::Chess | Variant::Crazyhouse => None,
        }
    }

    /// Returns whether Black's king can reach the last rank in the next move, in Racing Kings.
    fn may_still_draw(&self) -> bool {
        let Some(king) = self.king(Color::Black) else { return false };
        squares(KING[king.at_most_63()] & 0xFF << 56 & !self.occupied[1]).any(|to| !self.attacked_by(Color::White, to))
    }

    /// Returns whether the king of the side to move is in check by the rules of the variant.
    #[cold]
    pub(super) fn variant_in_check(&self) -> bool {
        self.is_exposed(self.turn)
    }

    /// Returns whether a side's king is attacked by the rules of the variant. In Atomic, adjacent kings protect each
    /// other, because neither may be captured without the other.
    fn is_exposed(&self, side: Color) -> bool {
        let Some(king) = self.king(side).filter(|_| self.variant != Variant::Antichess) else { return false };
        let next_to = self.variant == Variant::Atomic
            && self.king(side.other()).is_none_or(|other| KING[king.at_most_63()] & other.bit() != 0);
        !next_to && self.attacked_by(side.other(), king)
    }

    /// Replaces the contents of `moves` with all legal moves of a variant.
    #[cold]
    pub(super) fn variant_moves_into(&self, moves: &mut Vec<Move>) {
        self.pseudo_legal_moves(moves);
        moves.retain(|m| self.is_safe_in_variant(*m));
        if self.variant == Variant::Antichess && moves.iter().any(|m| self.takes(*m)) {
            moves.retain(|m| self.takes(*m));
        }
    }

    #[cold]
    pub(super) fn variant_legality(&self, m: Move) -> Result<(), IllegalMove> {
        let mut moves = Vec::with_capacity(64);
        self.variant_moves_into(&mut moves);
        if moves.contains(&m) {
            return Ok(());
        }
        self.pseudo_legal_moves(&mut moves);
        let is_unsafe = moves.contains(&m) && !self.is_safe_in_variant(m);
        Err(if is_unsafe { IllegalMove::LeavesKingInCheck } else { IllegalMove::NotPseudoLegal })
    }

    /// Returns whether a pseudo-legal move captures.
    pub(super) fn takes(&self, m: Move) -> bool {
        match m.kind {
            MoveKind::EnPassant => true,
            MoveKind::Plain | MoveKind::Promotion(_) => self.board[m.to.at_most_63()] != EMPTY,
            MoveKind::Castle(_) | MoveKind::Drop(_) | MoveKind::Null => false,
        }
    }

    /// Returns whether a pseudo-legal move leaves no king in a state that the variant forbids.
    fn is_safe_in_variant(&self, m: Move) -> bool {
        let us = self.turn;
        let mut after = self.clone();
        after.play_unchecked(m);
        match self.variant {
            Variant::Antichess => true,
            Variant::Atomic => match (after.king(us), after.king(us.other())) {
                (None, _) => false,
                (_, None) => true,
                _ => !after.is_exposed(us),
            },
            Variant::RacingKings => !after.is_exposed(us) && !after.is_exposed(us.other()),
            _ => !after.is_exposed(us),
        }
    }

    /// Replaces the contents of `moves` with the moves that the pieces of a variant can make, and the drops. Castling is
    /// checked completely, but kings may be left in check.
    pub(super) fn pseudo_legal_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if self.is_over_by_variant() {
            return;
        }
        let us = self.turn;
        let (ours, theirs) = (self.occupied[us.index()], self.occupied[us.other().index()]);
        let all = ours | theirs;
        // The opponent's pieces that cannot be captured.
        let royal = match self.variant {
            Variant::Antichess | Variant::Atomic => 0,
            _ => self.king(us.other()).map_or(0, Square::bit),
        };
        for from in squares(ours) {
            let at = from.at_most_63();
            let reach = match PieceId(self.board[at]).role() {
                Role::Pawn => {
                    self.pawn_moves(from, royal, moves);
                    continue;
                }
                Role::Knight => KNIGHT[at],
                // In Atomic, a king that captures would explode.
                Role::King if self.variant == Variant::Atomic => KING[at] & !theirs,
                Role::King => KING[at],
                Role::Rook => attacks::slide(at, 0, all),
                Role::Bishop => attacks::slide(at, 1, all),
                Role::Queen => attacks::slide(at, 0, all) | attacks::slide(at, 1, all),
            };
            moves.extend(squares(reach & !ours & !royal).map(|to| Move::plain(from, to)));
        }
        for side in CastlingSide::BOTH {
            if let (Some(king), Some(rook)) = (self.king(us), self.castling_rook(us, side))
                && self.may_castle_in_variant(us, side)
            {
                moves.push(Move { from: king, to: rook, kind: MoveKind::Castle(side) });
            }
        }
        for (role, count) in POCKET.into_iter().zip(self.extra.pockets[us.index()]) {
            let forbidden = if role == Role::Pawn { FIRST_AND_LAST } else { 0 };
            if count > 0 {
                let drop = |to| Move { from: to, to, kind: MoveKind::Drop(role) };
                moves.extend(squares(!all & !forbidden).map(drop));
            }
        }
    }

    fn pawn_moves(&self, from: Square, royal: u64, moves: &mut Vec<Move>) {
        let us = self.turn;
        let (forward, last) = if us == Color::White { (8i8, 7) } else { (-8, 0) };
        let roles = if self.variant == Variant::Antichess { &PROMOTIONS[..] } else { &PROMOTIONS[..4] };
        let step_to = |moves: &mut Vec<Move>, to: Square| {
            if to.rank_index() == last {
                moves.extend(roles.iter().map(|role| Move { from, to, kind: MoveKind::Promotion(*role) }));
            } else {
                moves.push(Move::plain(from, to));
            }
        };
        let free = |at: u8| Square::new(at).filter(|square| self.board[square.at_most_63()] == EMPTY);
        let single = from.index().wrapping_add_signed(forward);
        if let Some(to) = free(single) {
            step_to(moves, to);
            // In Horde, a pawn on the first rank also advances two squares.
            let from_first = self.variant == Variant::Horde && us == Color::White && from.rank_index() == 0;
            let from_second = from.rank_index() == us.back_rank().abs_diff(1);
            if from_second || from_first {
                moves.extend(free(single.wrapping_add_signed(forward)).map(|to| Move::plain(from, to)));
            }
        }
        let attacked = PAWN[us.index()][from.at_most_63()];
        for to in squares(attacked & self.occupied[us.other().index()] & !royal) {
            step_to(moves, to);
        }
        if let Some(to) = self.en_passant()
            && attacked & to.bit() != 0
            && self.en_passant_victim().is_some()
        {
            moves.push(Move { from, to, kind: MoveKind::EnPassant });
        }
    }

    /// Returns whether castling is legal. In Atomic, squares next to the opponent's king are safe.
    fn may_castle_in_variant(&self, us: Color, side: CastlingSide) -> bool {
        if self.variant != Variant::Atomic {
            return self.castling_is_possible(us, side);
        }
        let (Some(king), Some(rook)) = (self.king(us), self.castling_rook(us, side)) else { return false };
        let (king_file, rook_file) = side.files();
        let (king_to, rook_to) = (Square::at(king_file, us.back_rank()), Square::at(rook_file, us.back_rank()));
        let path = |a: Square, b: Square| between(a.at_most_63(), b.at_most_63()) | b.bit();
        let all = self.all();
        let others = all & !king.bit() & !rook.bit();
        let them = us.other();
        let safe = self.king(them).map_or(u64::MAX, |other| KING[other.at_most_63()]);
        let attacked = |square: Square, occupied: u64| {
            safe & square.bit() == 0 && self.attacked_with(them, square, self.occupied[them.index()], occupied)
        };
        (path(king, king_to) | path(rook, rook_to)) & others == 0
            && !squares(path(king, king_to) | king.bit()).any(|square| attacked(square, all & !king.bit()))
            && !attacked(king_to, others | king_to.bit() | rook_to.bit())
    }

    /// Plays a move of a variant. `promoted` is the identity of a promoted or dropped piece.
    #[cold]
    pub(super) fn play_in_variant(&mut self, m: Move, promoted: Option<PieceId>) {
        let us = self.turn;
        let passed = std::mem::replace(&mut self.en_passant, OFF);
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        match m.kind {
            MoveKind::Null => {}
            MoveKind::Castle(side) => self.put_castled(m, side),
            MoveKind::Drop(role) => {
                let id = promoted.unwrap_or_else(|| self.dropped_piece(role));
                if self.board[m.to.at_most_63()] == EMPTY {
                    self.put(id.0, m.to.index());
                }
                if let Some(count) = self.extra.pockets[us.index()].get_mut(role as usize) {
                    *count = count.saturating_sub(1);
                }
            }
            MoveKind::Plain | MoveKind::EnPassant | MoveKind::Promotion(_) => self.step_in_variant(m, promoted, passed),
        }
        if us == Color::Black {
            self.fullmove_number = self.fullmove_number.saturating_add(1);
        }
        self.turn = us.other();
        self.attention = Attention::Unknown;
        if self.variant == Variant::ThreeCheck && m.kind != MoveKind::Null && self.variant_in_check() {
            self.extra.checks[us.index()] = self.extra.checks[us.index()].saturating_add(1).min(3);
        }
    }

    /// Moves a piece, and applies the effects of a capture.
    fn step_in_variant(&mut self, m: Move, promoted: Option<PieceId>, passed: u8) {
        let us = self.turn;
        let (from, to) = (m.from.index(), m.to.index());
        let was_promoted = self.extra.promoted & m.from.bit() != 0;
        let mover = self.lift(from);
        let pawn = PieceId(mover).role() == Role::Pawn;
        // A pawn captured en passant is on the target's file and on the capturing pawn's rank.
        let en_passant = m.kind == MoveKind::EnPassant && passed == to;
        let victim_square = if en_passant { from & 0x38 | to & 7 } else { to };
        let victim = if self.board[victim_square as usize & 63] == EMPTY { EMPTY } else { self.lift(victim_square) };
        let captured = victim != EMPTY;
        if captured && self.variant == Variant::Crazyhouse {
            let is_pawn = self.extra.promoted >> victim_square & 1 != 0;
            let role = if is_pawn { Role::Pawn } else { PieceId(victim).role() };
            if let Some(count) = self.extra.pockets[us.index()].get_mut(role as usize) {
                *count = count.saturating_add(1);
            }
        }
        self.put(promoted.map_or(mover, |id| id.0), to);
        if self.variant == Variant::Crazyhouse {
            self.extra.promoted &= !(m.from.bit() | m.to.bit());
            if was_promoted || promoted.is_some() {
                self.extra.promoted |= m.to.bit();
            }
        }
        if pawn || captured {
            self.halfmove_clock = 0;
        }
        let is_double = pawn && from.abs_diff(to) == 16;
        if is_double && m.from.rank_index() == us.back_rank().abs_diff(1) {
            self.en_passant = u8::midpoint(from, to);
        }
        self.drop_rights(us, mover, from, to);
        if captured && self.variant == Variant::Atomic {
            self.explode(m.to);
        }
    }

    /// Removes the piece on a square, and all pieces around it but pawns.
    fn explode(&mut self, center: Square) {
        let around = KING[center.at_most_63()] & self.all() & !self.role(Role::Pawn);
        for square in squares(around | center.bit()) {
            let piece = PieceId(self.lift(square.index()));
            self.drop_rights(piece.color(), piece.0, square.index(), square.index());
        }
    }

    /// Returns the dropped piece by the rule for writers: with the lowest free label, or without a label if none is
    /// free.
    #[doc(hidden)]
    pub fn dropped_piece(&self, role: Role) -> PieceId {
        self.free_id(self.turn, role).unwrap_or(PieceId::unlabelled(self.turn, role))
    }

    /// Returns the part of the Zobrist key that the variant adds. Positions of different variants have different keys.
    #[cold]
    pub(super) fn variant_key(&self) -> u64 {
        // The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
        let mix = |number: u64| {
            let mut z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ z >> 31
        };
        let Extra { pockets, promoted, checks } = self.extra;
        let numbers = pockets.as_flattened().iter().chain(&checks).zip(0u64..);
        let counted = numbers.fold(0, |key, (count, place)| key ^ mix(1 << 32 | place << 8 | u64::from(*count)));
        let marked = squares(promoted).fold(0, |key, square| key ^ mix(2 << 32 | u64::from(square.index())));
        mix(3 << 32 | self.variant as u64) ^ counted ^ marked
    }
}

/// Returns a pocket's letters, as in a FEN: the most valuable pieces first.
pub(super) fn pocket_letters(pocket: [u8; 5], color: Color) -> impl Iterator<Item = u8> {
    let pieces = POCKET.into_iter().zip(pocket).rev();
    pieces.flat_map(move |(role, count)| (0..count).map(move |_| Piece { color, role }.letter()))
}

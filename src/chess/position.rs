//! A position as slots and mailbox, and what a move does to it.

use super::attacks::{self, KING, KNIGHT, LINES, PAWN, RELATION, first_seen};
use super::piece::{CODES, Color, EMPTY, Man, OFF, Piece, Role, SLIDES};
use super::square::{Square, squares};
use std::sync::LazyLock;

/// The two sides to castle to, by where the rook comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Wing {
    /// With the rook nearer the h-file (O-O): king to the g-file, rook to the f-file.
    H = 0,
    /// With the rook nearer the a-file (O-O-O): king to the c-file, rook to the d-file.
    A = 1,
}

impl Wing {
    /// Both wings, h-side first.
    pub const BOTH: [Wing; 2] = [Wing::H, Wing::A];

    /// Returns the files on which king and rook arrive.
    pub(super) const fn files(self) -> (u8, u8) {
        match self {
            Wing::H => (6, 5),
            Wing::A => (2, 3),
        }
    }
}

/// What is special about a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// A man goes to a square and takes what stands there.
    Plain,
    /// A pawn takes the pawn that has just passed the target square.
    EnPassant,
    /// King and rook change; `to` is the rook's square.
    Castle(Wing),
    /// A pawn reaches the last rank and becomes this.
    Promotion(Role),
    /// The side to move passes; `from` and `to` mean nothing.
    Null,
}

/// A move: from where, to where and what is special about it. For castling `from` is the king's square and `to` the rook's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The square the man leaves.
    pub from: Square,
    /// The square it goes to; the castling rook's square.
    pub to: Square,
    /// What is special.
    pub kind: MoveKind,
}

impl Move {
    /// The null move.
    pub const NULL: Move = Move { from: Square::masked(0), to: Square::masked(0), kind: MoveKind::Null };

    /// Returns what the pawn becomes, if the move is a promotion.
    pub const fn promotion(self) -> Option<Role> {
        match self.kind {
            MoveKind::Promotion(role) => Some(role),
            _ => None,
        }
    }

    /// Returns a plain move.
    pub(crate) const fn plain(from: Square, to: Square) -> Move {
        Move { from, to, kind: MoveKind::Plain }
    }
}

/// Why a move cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalMove {
    /// No man of the mover's can make such a move.
    NotPossible,
    /// The mover's king would be attacked.
    LeavesKingInCheck,
}

/// A chess position with the full FEN state; every man keeps its identity (its Brenner label) while it moves.
///
/// It may be any arrangement of men, legal or not; each method says what it needs. About 250 bytes, cheap to clone.
#[derive(Clone)]
pub struct Position {
    /// The man on each square, or `EMPTY`.
    pub(crate) board: [u8; 64],
    /// The square of each slot, or `OFF`; entries from 64 up are written but mean nothing.
    pub(crate) square: [u8; CODES],
    /// The occupied squares of each colour.
    pub(crate) occupied: [u64; 2],
    /// The squares of the men of both colours that slide straight, and of those that slide aslant.
    pub(crate) sliders: [u64; 2],
    /// Whether there may be men without labels.
    pub(crate) unlabelled: bool,
    pub(crate) turn: Color,
    /// The square passed over by a double step just made, or `OFF`.
    pub(crate) en_passant: u8,
    /// Castling rights: bit `side * 2 + wing`.
    pub(crate) rights: u8,
    /// Where the castling rooks started, by `side * 2 + wing`; `OFF` where there never was a right.
    pub(crate) rook_home: [u8; 4],
    pub(crate) halfmove_clock: u32,
    pub(crate) fullmove_number: u32,
}

/// The usual starting position, set up once.
pub(crate) static STANDARD: LazyLock<Position> = LazyLock::new(Position::set_up_standard);

impl Position {
    /// Returns the usual starting position.
    pub fn standard() -> Position {
        STANDARD.clone()
    }

    fn set_up_standard() -> Position {
        let mut men = [None; 64];
        for (file, letter) in b"RNBQKBNR".iter().enumerate() {
            let role = Role::from_letter(*letter);
            for color in Color::BOTH {
                let back = color.back_rank() as usize * 8;
                let pawns = if color == Color::White { 8 } else { 48 };
                men[back + file] = role.map(|role| Piece { color, role });
                men[pawns + file] = Some(Piece { color, role: Role::Pawn });
            }
        }
        let mut position = Position::from_men(&men, Color::White);
        for (color, wing, rook) in [
            (Color::White, Wing::H, 7),
            (Color::White, Wing::A, 0),
            (Color::Black, Wing::H, 63),
            (Color::Black, Wing::A, 56),
        ] {
            position.grant_castling(color, wing, Square::masked(rook));
        }
        position
    }

    /// Returns a position of these men (a1 first) with no castling rights, no en passant target, halfmove clock 0 and move 1.
    ///
    /// The men of each role and colour get their labels from the a-file to the h-file, ties from rank 1 to 8.
    pub fn from_men(men: &[Option<Piece>; 64], turn: Color) -> Position {
        let mut position = Position {
            board: [EMPTY; 64],
            square: [OFF; CODES],
            occupied: [0; 2],
            sliders: [0; 2],
            unlabelled: false,
            turn,
            en_passant: OFF,
            rights: 0,
            rook_home: [OFF; 4],
            halfmove_clock: 0,
            fullmove_number: 1,
        };
        let mut seen = [[0u8; 6]; 2];
        for file in 0..8 {
            for rank in 0..8 {
                let square = Square::at(file, rank);
                let Some(piece) = men[square.at_most_63()] else { continue };
                let count = &mut seen[piece.color.index()][piece.role as usize];
                let man =
                    Man::labelled(piece.color, piece.role, *count).unwrap_or(Man::unlabelled(piece.color, piece.role));
                *count = count.saturating_add(1);
                position.put(man.0, square.index());
            }
        }
        position
    }

    /// Gives a castling right with the rook on `rook`. Returns false, and changes nothing, where king and rook do not stand on
    /// the back rank with the rook on that wing.
    pub fn grant_castling(&mut self, color: Color, wing: Wing, rook: Square) -> bool {
        let Some(king) = self.king(color) else { return false };
        let sides = match wing {
            Wing::H => rook.file() > king.file(),
            Wing::A => rook.file() < king.file(),
        };
        let home = color.back_rank();
        let is_rook = self.piece_at(rook) == Some(Piece { color, role: Role::Rook });
        if !sides || !is_rook || king.rank() != home || rook.rank() != home {
            return false;
        }
        let right = color.index() * 2 + wing as usize;
        self.rights |= 1 << right;
        self.rook_home[right] = rook.index();
        true
    }

    /// Sets the en passant target. Returns false, and changes nothing, where no pawn can just have passed it by a double step.
    pub fn set_en_passant(&mut self, target: Square) -> bool {
        let mover = self.turn.other();
        let (rank, forward) = if mover == Color::White { (2, 8i8) } else { (5, -8) };
        let (start, end) = (target.index().wrapping_add_signed(-forward), target.index().wrapping_add_signed(forward));
        if target.rank() != rank
            || self.board[target.at_most_63()] != EMPTY
            || self.board[start as usize & 63] != EMPTY
            || self.piece_at(Square::masked(end)) != Some(Piece { color: mover, role: Role::Pawn })
        {
            return false;
        }
        self.en_passant = target.index();
        true
    }

    /// Sets the halfmove clock (plies since a capture or pawn move; a draw can be claimed at 100) and the number of the move.
    pub fn set_clocks(&mut self, halfmove_clock: u32, fullmove_number: u32) {
        self.halfmove_clock = halfmove_clock;
        self.fullmove_number = fullmove_number;
    }

    /// Returns the piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.man_at(square).map(Man::piece)
    }

    /// Returns the man on a square with its identity.
    #[inline]
    pub fn man_at(&self, square: Square) -> Option<Man> {
        match self.board[square.at_most_63()] {
            EMPTY => None,
            code => Some(Man(code)),
        }
    }

    /// Returns where a labelled man stands, or `None` where it is off the board (or has no label).
    pub fn square_of(&self, man: Man) -> Option<Square> {
        if man.0 < 64 { Square::new(self.square[man.0 as usize]) } else { None }
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the square that a pawn passed over with the double step just made, whether or not anything can capture there.
    pub fn en_passant(&self) -> Option<Square> {
        Square::new(self.en_passant)
    }

    /// Returns the plies since the last capture or pawn move; at 100 a draw can be claimed.
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// Returns the number of the move, 1 for the first of both sides.
    pub fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// Returns the square of the castling rook where that right still holds.
    pub fn castling_rook(&self, color: Color, wing: Wing) -> Option<Square> {
        let right = color.index() * 2 + wing as usize;
        if self.rights >> right & 1 == 0 { None } else { Square::new(self.rook_home[right]) }
    }

    /// Returns the square of the king that has the label; a second king is a man like others.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        Square::new(self.square[color.index() * 32 + 24])
    }

    /// Returns the occupied squares of one colour as a set of bits.
    pub fn occupied(&self, color: Color) -> u64 {
        self.occupied[color.index()]
    }

    /// Returns whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        self.king(self.turn).is_some_and(|king| self.attacked_by(self.turn.other(), king))
    }

    /// Returns whether any man of that colour attacks the square.
    pub fn attacked_by(&self, color: Color, square: Square) -> bool {
        self.attacked_with(color, square, self.occupied[color.index()], self.occupied[0] | self.occupied[1])
    }

    #[inline]
    fn role_on(&self, square: u8) -> Role {
        Man(self.board[square as usize & 63]).role()
    }

    /// `attacked_by` as if the board held other men: `attackers` of them that colour's, on `occupied` squares in all.
    pub(super) fn attacked_with(&self, color: Color, square: Square, attackers: u64, occupied: u64) -> bool {
        let at = square.at_most_63();
        for (aslant, sliders) in self.sliders.iter().enumerate() {
            let sliders = sliders & attackers & LINES[aslant][at];
            if sliders == 0 {
                continue;
            }
            for direction in (aslant..8).step_by(2) {
                if let Some(first) = first_seen(at, direction, occupied)
                    && sliders >> first & 1 != 0
                {
                    return true;
                }
            }
        }
        let is = |set: u64, role| squares(set & attackers).any(|from| self.role_on(from.index()) == role);
        is(KNIGHT[at], Role::Knight) || is(PAWN[color.other().index()][at], Role::Pawn) || is(KING[at], Role::King)
    }

    /// Checks that a move is legal chess here: that a man of the side to move can make it and its king is not left in check.
    ///
    /// A position without a king of the mover's has no check. The null move is never legal.
    pub fn check(&self, m: Move) -> Result<(), IllegalMove> {
        if !self.is_pseudo_legal(m) {
            return Err(IllegalMove::NotPossible);
        }
        if self.is_safe(m) { Ok(()) } else { Err(IllegalMove::LeavesKingInCheck) }
    }

    /// Returns whether a man of the side to move can make the move if checks did not matter; castling is examined in full.
    pub(super) fn is_pseudo_legal(&self, m: Move) -> bool {
        let us = self.turn;
        let (from, to) = (m.from.at_most_63(), m.to.at_most_63());
        let (ours, theirs) = (self.occupied[us.index()], self.occupied[us.other().index()]);
        if ours >> from & 1 == 0 {
            return false;
        }
        let role = self.role_on(m.from.index());
        if let MoveKind::Castle(wing) = m.kind {
            return self.king(us) == Some(m.from)
                && self.castling_rook(us, wing) == Some(m.to)
                && self.castling_is_possible(us, wing);
        }
        if ours >> to & 1 != 0 || self.king(us.other()) == Some(m.to) {
            return false;
        }
        if role == Role::Pawn {
            return self.pawn_can(m);
        }
        if m.kind != MoveKind::Plain {
            return false;
        }
        match role {
            Role::Knight => KNIGHT[from] >> to & 1 != 0,
            Role::King => KING[from] >> to & 1 != 0,
            _ => match RELATION[from][to] {
                relation @ 8..=63 => {
                    let fits = match role {
                        Role::Rook => relation & 1 == 0,
                        Role::Bishop => relation & 1 == 1,
                        _ => true,
                    };
                    fits && attacks::between(from, to) & (ours | theirs) == 0
                }
                _ => false,
            },
        }
    }

    fn pawn_can(&self, m: Move) -> bool {
        let us = self.turn;
        let (from, to) = (m.from.at_most_63(), m.to.at_most_63());
        let all = self.occupied[0] | self.occupied[1];
        let (forward, second, last) = if us == Color::White { (8i8, 1, 7) } else { (-8, 6, 0) };
        let promotes = match m.kind {
            MoveKind::Null | MoveKind::Promotion(Role::Pawn | Role::King) => return false,
            MoveKind::Promotion(_) => true,
            _ => false,
        };
        if promotes != (m.to.rank() == last) {
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
        let one = m.from.index().wrapping_add_signed(forward);
        if m.kind == MoveKind::EnPassant || one > 63 || all >> one & 1 != 0 {
            return false;
        }
        to == one as usize
            || (m.from.rank() == second && to == one.wrapping_add_signed(forward) as usize && all >> to & 1 == 0)
    }

    /// Returns the square of the pawn that an en passant capture would take.
    pub(super) fn en_passant_victim(&self) -> Option<Square> {
        let target = self.en_passant()?;
        let back = if self.turn == Color::White { -8i8 } else { 8 };
        let victim = Square::masked(target.index().wrapping_add_signed(back));
        let pawn = Piece { color: self.turn.other(), role: Role::Pawn };
        (self.piece_at(victim) == Some(pawn)).then_some(victim)
    }

    /// Returns whether the mover's king is unattacked after a pseudo-legal move.
    #[inline]
    pub(super) fn is_safe(&self, m: Move) -> bool {
        let us = self.turn;
        let them = us.other();
        let Some(king) = self.king(us) else { return true };
        if let MoveKind::Castle(_) = m.kind {
            return true; // examined as a whole by `castling_is_possible`
        }
        let (from, to) = (m.from.bit(), m.to.bit());
        let mut occupied = (self.occupied[0] | self.occupied[1]) & !from | to;
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

    /// Returns whether castling is legal now: right, free ways, no attack on the king's way, and no attack on it afterwards.
    pub(super) fn castling_is_possible(&self, us: Color, wing: Wing) -> bool {
        let (Some(king), Some(rook)) = (self.king(us), self.castling_rook(us, wing)) else { return false };
        let (king_file, rook_file) = wing.files();
        let home = us.back_rank();
        let (king_to, rook_to) = (Square::at(king_file, home), Square::at(rook_file, home));
        let path = |a: Square, b: Square| attacks::between(a.at_most_63(), b.at_most_63()) | b.bit();
        let all = self.occupied[0] | self.occupied[1];
        let others = all & !king.bit() & !rook.bit();
        if (path(king, king_to) | path(rook, rook_to)) & others != 0 {
            return false;
        }
        let them = us.other();
        let attackers = self.occupied[them.index()];
        let king_path = path(king, king_to) | king.bit();
        if squares(king_path).any(|square| self.attacked_with(them, square, attackers, all & !king.bit())) {
            return false;
        }
        !self.attacked_with(them, king_to, attackers, others | king_to.bit() | rook_to.bit())
    }

    #[inline]
    fn put(&mut self, code: u8, square: u8) {
        self.board[square as usize & 63] = code;
        self.square[code as usize % CODES] = square;
        self.occupied[Man(code).color().index()] |= 1 << (square & 63);
        let slides = u64::from(SLIDES[code as usize % CODES]);
        self.sliders[0] |= (slides & 1) << (square & 63);
        self.sliders[1] |= (slides >> 1) << (square & 63);
        self.unlabelled |= code >= 64;
    }

    #[inline]
    fn lift(&mut self, square: u8) -> u8 {
        let code = std::mem::replace(&mut self.board[square as usize & 63], EMPTY);
        self.square[code as usize % CODES] = OFF;
        for set in self.occupied.iter_mut().chain(&mut self.sliders) {
            *set &= !(1 << (square & 63));
        }
        code
    }

    /// Returns the lowest label of that role that no man of the side on the board has, as a man; `None` where all are taken.
    pub(crate) fn free_man(&self, color: Color, role: Role) -> Option<Man> {
        (0..Man::labels(role))
            .filter_map(|label| Man::labelled(color, role, label))
            .find(|man| self.square_of(*man).is_none())
    }

    /// Returns the man that a promotion makes by the rule for writers: the lowest free label, or none where no label is free or the
    /// pawn itself has none.
    pub(crate) fn promoted_man(&self, pawn: Square, role: Role) -> Man {
        let color = self.turn;
        match self.man_at(pawn).and_then(Man::label) {
            Some(_) => self.free_man(color, role).unwrap_or(Man::unlabelled(color, role)),
            None => Man::unlabelled(color, role),
        }
    }

    /// Plays a move that is legal or the null move; what it does with others is unspecified, but safe.
    pub fn play(&mut self, m: Move) {
        let promoted = m.promotion().map(|role| self.promoted_man(m.from, role));
        self.play_as(m, promoted);
    }

    /// `play`, with the promoted man's identity given.
    pub(crate) fn play_as(&mut self, m: Move, promoted: Option<Man>) {
        let us = self.turn;
        let (from, to) = (m.from.index(), m.to.index());
        let passed = std::mem::replace(&mut self.en_passant, OFF);
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        match m.kind {
            MoveKind::Null => {}
            MoveKind::Castle(wing) => {
                let (king_file, rook_file) = wing.files();
                let (king, rook) = (self.lift(from), self.lift(to));
                self.put(king, Square::at(king_file, us.back_rank()).index());
                self.put(rook, Square::at(rook_file, us.back_rank()).index());
                self.rights &= !(3 << (us.index() * 2));
            }
            _ => {
                let mover = self.lift(from);
                let pawn = Man(mover).role() == Role::Pawn;
                let captured = self.board[to as usize & 63] != EMPTY;
                if captured {
                    self.lift(to);
                }
                self.put(promoted.map_or(mover, |man| man.0), to);
                if pawn || captured {
                    self.halfmove_clock = 0;
                }
                if pawn {
                    if m.kind == MoveKind::EnPassant && passed == to {
                        // The victim stands on the target's file and the capturer's rank.
                        self.lift(from & 0x38 | to & 7);
                    }
                    if from.abs_diff(to) == 16 {
                        self.en_passant = u8::midpoint(from, to);
                    }
                }
                if self.rights != 0 {
                    self.drop_rights(us, mover, from, to);
                }
            }
        }
        if us == Color::Black {
            self.fullmove_number = self.fullmove_number.saturating_add(1);
        }
        self.turn = us.other();
    }

    fn drop_rights(&mut self, us: Color, mover: u8, from: u8, to: u8) {
        if mover == us.index() as u8 * 32 + 24 {
            self.rights &= !(3 << (us.index() * 2));
        }
        for right in 0..4 {
            if self.rook_home[right] == from || self.rook_home[right] == to {
                self.rights &= !(1 << right);
            }
        }
    }

    /// `candidates` by the slots of the role, where no man is without one.
    #[inline]
    fn labelled_candidates(&self, role: Role, to: usize, all: u64) -> u64 {
        let first = self.turn.index() * 32 + 4 + 4 * role as usize;
        let mut found = 0;
        for &from in &self.square[first..first + 4] {
            let relation = RELATION[from as usize & 63][to];
            let line = match role {
                Role::Knight => relation >= 64,
                Role::Rook => relation & 1 == 0,
                Role::Bishop => relation & 1 == 1,
                _ => true,
            };
            let reaches = line
                && match relation {
                    0 => false,
                    8..=63 => role != Role::Knight && attacks::between(from as usize, to) & all == 0,
                    _ => role == Role::Knight,
                };
            if from < OFF && reaches {
                found |= 1 << from;
            }
        }
        found
    }

    /// Returns the attackers of `to` of that role among the men of the side to move, as a set of squares, pins aside.
    /// For pawns: those that could capture on `to`.
    pub(super) fn candidates(&self, role: Role, to: Square) -> u64 {
        let at = to.at_most_63();
        let ours = self.occupied[self.turn.index()];
        let all = self.occupied[0] | self.occupied[1];
        if !self.unlabelled && matches!(role, Role::Knight | Role::Bishop | Role::Rook | Role::Queen) {
            return self.labelled_candidates(role, at, all);
        }
        let reach = match role {
            Role::Pawn => PAWN[self.turn.other().index()][at],
            Role::Knight => KNIGHT[at],
            Role::King => KING[at],
            Role::Rook => attacks::slide(at, 0, all),
            Role::Bishop => attacks::slide(at, 1, all),
            Role::Queen => attacks::slide(at, 0, all) | attacks::slide(at, 1, all),
        };
        let mut found = 0;
        for square in squares(reach & ours) {
            if self.role_on(square.index()) == role {
                found |= square.bit();
            }
        }
        found
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}

impl PartialEq for Position {
    /// Equal boards, rights (with the rooks they mean), en passant targets, clocks and sides to move; the men's labels count too.
    fn eq(&self, other: &Position) -> bool {
        let rooks = |p: &Position| Color::BOTH.map(|color| Wing::BOTH.map(|wing| p.castling_rook(color, wing)));
        self.board == other.board
            && self.turn == other.turn
            && self.en_passant == other.en_passant
            && rooks(self) == rooks(other)
            && self.halfmove_clock == other.halfmove_clock
            && self.fullmove_number == other.fullmove_number
    }
}

impl Eq for Position {}

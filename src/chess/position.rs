//! A position as slots and mailbox, and what a move does to it.

use super::piece::{CODES, Color, EMPTY, OFF, Piece, PieceId, Role};
use super::safety::Attention;
use super::square::{Square, squares};
use std::sync::LazyLock;

/// The two sides to castle to, by where the rook comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum CastlingSide {
    /// With the rook nearer the h-file (O-O): king to the g-file, rook to the f-file.
    King = 0,
    /// With the rook nearer the a-file (O-O-O): king to the c-file, rook to the d-file.
    Queen = 1,
}

impl CastlingSide {
    /// Both castling sides, h-side first.
    pub const BOTH: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];

    /// Returns the files on which king and rook arrive.
    pub(super) const fn files(self) -> (u8, u8) {
        match self {
            CastlingSide::King => (6, 5),
            CastlingSide::Queen => (2, 3),
        }
    }
}

/// What is special about a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// A piece goes to a square and takes what stands there.
    Plain,
    /// A pawn takes the pawn that has just passed the target square.
    EnPassant,
    /// King and rook change; `to` is the rook's square.
    Castle(CastlingSide),
    /// A pawn reaches the last rank and becomes this.
    Promotion(Role),
    /// The side to move passes; `from` and `to` mean nothing.
    Null,
}

/// A move: from where, to where and what is special about it. For castling `from` is the king's square and `to` the rook's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The square the piece leaves.
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
    /// No piece of the mover's can make such a move.
    NotPossible,
    /// The mover's king would be attacked.
    LeavesKingInCheck,
}

/// A chess position with the full FEN state; every piece keeps its identity (its Brenner label) while it moves.
///
/// It may be any arrangement of pieces, legal or not; each method says what it needs. About 250 bytes, cheap to clone.
#[derive(Clone)]
pub struct Position {
    /// The piece on each square, or `EMPTY`.
    pub(crate) board: [u8; 64],
    /// The square of each slot, or `OFF`; entries from 64 up are written but mean nothing.
    pub(crate) square: [u8; CODES],
    /// The occupied squares of each colour.
    pub(crate) occupied: [u64; 2],
    /// The squares of the pieces of each role, of both colours.
    pub(crate) roles: [u64; 6],
    /// Whether there may be pieces without labels.
    pub(crate) unlabelled: bool,
    pub(crate) turn: Color,
    /// The square passed over by a double step just made, or `OFF`.
    pub(crate) en_passant: u8,
    /// Castling rights: bit `side * 2 + castling side`.
    pub(crate) rights: u8,
    /// Where the castling rooks started, by `side * 2 + castling side`; `OFF` where there never was a right.
    pub(crate) rook_home: [u8; 4],
    pub(crate) halfmove_clock: u32,
    pub(crate) fullmove_number: u32,
    pub(crate) attention: Attention,
}

/// The standard starting position, set up once.
pub(crate) static STANDARD: LazyLock<Position> = LazyLock::new(Position::set_up_standard);

impl Position {
    /// Returns the standard starting position.
    pub fn standard() -> Position {
        STANDARD.clone()
    }

    fn set_up_standard() -> Position {
        let mut pieces = [None; 64];
        for (file, letter) in b"RNBQKBNR".iter().enumerate() {
            let role = Role::from_letter(*letter);
            for color in Color::BOTH {
                let back = color.back_rank() as usize * 8;
                let pawns = if color == Color::White { 8 } else { 48 };
                pieces[back + file] = role.map(|role| Piece { color, role });
                pieces[pawns + file] = Some(Piece { color, role: Role::Pawn });
            }
        }
        let mut position = Position::from_pieces(&pieces, Color::White);
        for (color, side, rook) in [
            (Color::White, CastlingSide::King, 7),
            (Color::White, CastlingSide::Queen, 0),
            (Color::Black, CastlingSide::King, 63),
            (Color::Black, CastlingSide::Queen, 56),
        ] {
            position.grant_castling(color, side, Square::masked(rook));
        }
        position.attention = Attention::Quiet;
        position
    }

    /// Returns a position of these pieces (a1 first) with no castling rights, no en passant target, halfmove clock 0 and move 1.
    ///
    /// The pieces of each role and colour get their labels from the a-file to the h-file, ties from rank 1 to 8.
    pub fn from_pieces(pieces: &[Option<Piece>; 64], turn: Color) -> Position {
        let mut position = Position {
            board: [EMPTY; 64],
            square: [OFF; CODES],
            occupied: [0; 2],
            roles: [0; 6],
            unlabelled: false,
            turn,
            en_passant: OFF,
            rights: 0,
            rook_home: [OFF; 4],
            halfmove_clock: 0,
            fullmove_number: 1,
            attention: Attention::Unknown,
        };
        let mut seen = [[0u8; 6]; 2];
        let mut occupied = 0u64;
        for (at, id) in pieces.iter().enumerate() {
            occupied |= u64::from(id.is_some()) << at;
        }
        for file in 0..8 {
            // From rank 1 to 8.
            for square in squares(occupied & 0x0101_0101_0101_0101 << file) {
                let Some(piece) = pieces[square.at_most_63()] else { continue };
                let count = &mut seen[piece.color.index()][piece.role as usize];
                let id = PieceId::labelled(piece.color, piece.role, *count)
                    .unwrap_or(PieceId::unlabelled(piece.color, piece.role));
                *count = count.saturating_add(1);
                position.put(id.0, square.index());
            }
        }
        position
    }

    /// Gives a castling right with the rook on `rook`. Returns false, and changes nothing, where king and rook do not stand on
    /// the back rank with the rook on that side.
    pub fn grant_castling(&mut self, color: Color, side: CastlingSide, rook: Square) -> bool {
        if !self.may_grant_castling(color, side, rook) {
            return false;
        }
        let right = color.index() * 2 + side as usize;
        self.rights |= 1 << right;
        self.rook_home[right] = rook.index();
        true
    }

    /// Whether king and rook stand on the back rank with the rook on that side.
    pub(super) fn may_grant_castling(&self, color: Color, side: CastlingSide, rook: Square) -> bool {
        let Some(king) = self.king(color) else { return false };
        let sides = match side {
            CastlingSide::King => rook.file() > king.file(),
            CastlingSide::Queen => rook.file() < king.file(),
        };
        let home = color.back_rank();
        let is_rook = self.piece_at(rook) == Some(Piece { color, role: Role::Rook });
        sides && is_rook && king.rank() == home && rook.rank() == home
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
        self.piece_id_at(square).map(PieceId::piece)
    }

    /// Returns the piece on a square with its identity.
    #[inline]
    pub fn piece_id_at(&self, square: Square) -> Option<PieceId> {
        match self.board[square.at_most_63()] {
            EMPTY => None,
            code => Some(PieceId(code)),
        }
    }

    /// Returns where a labelled piece stands, or `None` where it is off the board (or has no label).
    pub fn square_of(&self, id: PieceId) -> Option<Square> {
        if id.0 < 64 { Square::new(self.square[id.0 as usize]) } else { None }
    }

    /// Returns the side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the square that a pawn passed over with the double step just made, whether or not anything can capture there.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        Square::new(self.en_passant)
    }

    /// Returns the plies since the last capture or pawn move; at 100 a draw can be claimed.
    #[inline]
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// Returns the number of the move, 1 for the first of both sides.
    #[inline]
    pub fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// Returns the square of the castling rook where that right still holds.
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let right = color.index() * 2 + side as usize;
        if self.rights >> right & 1 == 0 { None } else { Square::new(self.rook_home[right]) }
    }

    /// Returns the square of the king that has the label; a second king is a piece like others.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        Square::new(self.square[color.index() * 32 + 24])
    }

    /// Returns the occupied squares of one colour as a set of bits.
    pub fn occupied(&self, color: Color) -> u64 {
        self.occupied[color.index()]
    }

    #[inline]
    fn put(&mut self, code: u8, square: u8) {
        let id = PieceId(code);
        self.board[square as usize & 63] = code;
        self.square[code as usize % CODES] = square;
        self.occupied[id.color().index()] |= 1 << (square & 63);
        self.roles[id.role() as usize] |= 1 << (square & 63);
        self.unlabelled |= code >= 64;
        self.attention = Attention::Unknown;
    }

    #[inline]
    fn lift(&mut self, square: u8) -> u8 {
        let code = std::mem::replace(&mut self.board[square as usize & 63], EMPTY);
        self.square[code as usize % CODES] = OFF;
        for set in self.occupied.iter_mut().chain(&mut self.roles) {
            *set &= !(1 << (square & 63));
        }
        code
    }

    /// Returns the lowest label of that role that no piece of the side on the board has, as a piece; `None` where all are taken.
    pub(crate) fn free_id(&self, color: Color, role: Role) -> Option<PieceId> {
        (0..PieceId::labels(role))
            .filter_map(|label| PieceId::labelled(color, role, label))
            .find(|id| self.square_of(*id).is_none())
    }

    /// Returns the piece that a promotion makes by the rule for writers: the lowest free label, or none where no label is free or the
    /// pawn itself has none.
    pub(crate) fn promoted_piece(&self, pawn: Square, role: Role) -> PieceId {
        let color = self.turn;
        match self.piece_id_at(pawn).and_then(PieceId::label) {
            Some(_) => self.free_id(color, role).unwrap_or(PieceId::unlabelled(color, role)),
            None => PieceId::unlabelled(color, role),
        }
    }

    /// Plays a move that is legal or the null move; what it does with others is unspecified, but safe.
    pub fn play(&mut self, m: Move) {
        if m.kind == MoveKind::Plain && self.attention != Attention::Unknown {
            return self.play_plain(m, self.gives_check_plainly(m));
        }
        let promoted = m.promotion().map(|role| self.promoted_piece(m.from, role));
        self.play_in_full(m, promoted);
    }

    /// `play`, with the promoted piece's identity given.
    pub(crate) fn play_as(&mut self, m: Move, promoted: Option<PieceId>) {
        match promoted {
            None => self.play(m),
            Some(_) => self.play_in_full(m, promoted),
        }
    }

    /// `play` for a plain move; `check`: whether it gives check.
    #[inline]
    pub(crate) fn play_plain(&mut self, m: Move, check: bool) {
        let us = self.turn;
        let (from, to) = (m.from.at_most_63(), m.to.at_most_63());
        let mover = std::mem::replace(&mut self.board[from], EMPTY);
        let victim = std::mem::replace(&mut self.board[to], mover);
        self.square[mover as usize % CODES] = m.to.index();
        let role = PieceId(mover).role();
        let step = m.from.bit() | m.to.bit();
        self.occupied[us.index()] ^= step;
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.en_passant = OFF;
        if victim != EMPTY {
            self.square[victim as usize % CODES] = OFF;
            self.occupied[us.other().index()] &= !m.to.bit();
            self.roles[PieceId(victim).role() as usize] &= !m.to.bit();
            self.halfmove_clock = 0;
        }
        self.roles[role as usize] ^= step;
        if role == Role::Pawn {
            self.halfmove_clock = 0;
            if m.from.index().abs_diff(m.to.index()) == 16 {
                self.en_passant = u8::midpoint(m.from.index(), m.to.index());
            }
        }
        if self.rights != 0 && (victim != EMPTY || matches!(role, Role::King | Role::Rook)) {
            self.drop_rights(us, mover, m.from.index(), m.to.index());
        }
        self.fullmove_number = self.fullmove_number.saturating_add(u32::from(us == Color::Black));
        self.turn = us.other();
        self.attention = if check { Attention::Check } else { Attention::Quiet };
    }

    #[inline(never)]
    fn play_in_full(&mut self, m: Move, promoted: Option<PieceId>) {
        let us = self.turn;
        let (from, to) = (m.from.index(), m.to.index());
        let passed = std::mem::replace(&mut self.en_passant, OFF);
        let attention = self.attention;
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        match m.kind {
            MoveKind::Null => {}
            MoveKind::Castle(side) => {
                let (king_file, rook_file) = side.files();
                let (king, rook) = (self.lift(from), self.lift(to));
                self.put(king, Square::at(king_file, us.back_rank()).index());
                self.put(rook, Square::at(rook_file, us.back_rank()).index());
                self.rights &= !(3 << (us.index() * 2));
            }
            _ => {
                let mover = self.lift(from);
                let pawn = PieceId(mover).role() == Role::Pawn;
                let captured = self.board[to as usize & 63] != EMPTY;
                if captured {
                    self.lift(to);
                }
                self.put(promoted.map_or(mover, |id| id.0), to);
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
        self.attention = match m.kind {
            // Both kings are as they were, but the other side is to move.
            MoveKind::Null if attention == Attention::Quiet => Attention::Quiet,
            MoveKind::Null => Attention::Unknown,
            // After a legal move the mover's king is not attacked.
            _ if self.king(self.turn).is_some_and(|king| self.attacked_by(us, king)) => Attention::Check,
            _ => Attention::Quiet,
        };
    }

    pub(super) fn drop_rights(&mut self, us: Color, mover: u8, from: u8, to: u8) {
        if mover == us.index() as u8 * 32 + 24 {
            self.rights &= !(3 << (us.index() * 2));
        }
        for right in 0..4 {
            if self.rook_home[right] == from || self.rook_home[right] == to {
                self.rights &= !(1 << right);
            }
        }
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}

impl PartialEq for Position {
    /// Equal boards, rights (with the rooks they mean), en passant targets, clocks and sides to move; the pieces's labels count too.
    fn eq(&self, other: &Position) -> bool {
        let rooks = |p: &Position| Color::BOTH.map(|color| CastlingSide::BOTH.map(|side| p.castling_rook(color, side)));
        self.board == other.board
            && self.turn == other.turn
            && self.en_passant == other.en_passant
            && rooks(self) == rooks(other)
            && self.halfmove_clock == other.halfmove_clock
            && self.fullmove_number == other.fullmove_number
    }
}

impl Eq for Position {}

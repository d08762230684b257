//! A position, stored as slots and a mailbox.

use super::attention::Attention;
use super::moves::CastlingSide;
use super::piece::{CODES, Color, EMPTY, OFF, Piece, PieceId, Role};
use super::square::{Square, squares};
use super::variant::{Extra, Variant};
use std::sync::LazyLock;

/// A chess position with all fields of a FEN. Every piece keeps its identity (its Brenner label) when it moves.
///
/// Any arrangement of pieces is possible, legal or not. Each method states its own requirements. A position takes about
/// 250 bytes, so it is cheap to clone.
///
/// ```
/// use scoresheet_chess::{CastlingSide, Color, Position};
///
/// let mut position = Position::standard();
/// assert_eq!(position.legal_moves().len(), 20);
/// for san in ["e4", "e5", "Qh5", "Ke7"] {
///     position.play(position.parse_san(san)?)?;
/// }
/// assert_eq!((position.turn(), position.fullmove_number()), (Color::White, 3));
/// assert!(position.castling_rook(Color::Black, CastlingSide::King).is_none());
/// assert_eq!(position.fen(), "rnbq1bnr/ppppkppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQ - 2 3");
/// position.play(position.parse_uci("h5e5")?)?;
/// assert!(position.is_checkmate());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Position {
    /// The piece on each square, or `EMPTY`.
    #[doc(hidden)]
    pub board: [u8; 64],
    /// The square of each slot, or `OFF`. Entries from 64 are written but never used.
    #[doc(hidden)]
    pub square: [u8; CODES],
    /// The occupied squares of each color.
    #[doc(hidden)]
    pub occupied: [u64; 2],
    /// The squares of the pieces of each role, of both colors.
    #[doc(hidden)]
    pub roles: [u64; 6],
    /// Whether some pieces may lack labels.
    #[doc(hidden)]
    pub unlabelled: bool,
    #[doc(hidden)]
    pub turn: Color,
    /// The square that a pawn passed in the last move, a double step, or `OFF`.
    #[doc(hidden)]
    pub en_passant: u8,
    /// Castling rights as bits. The index of a bit is `side * 2 + castling side`.
    #[doc(hidden)]
    pub rights: u8,
    /// The original squares of the castling rooks, by `side * 2 + castling side`, or `OFF` if the right never existed.
    #[doc(hidden)]
    pub rook_home: [u8; 4],
    /// A superset of the squares of kings and rooks with a castling right.
    #[doc(hidden)]
    pub castling: u64,
    #[doc(hidden)]
    pub halfmove_clock: u32,
    #[doc(hidden)]
    pub fullmove_number: u32,
    #[doc(hidden)]
    pub attention: Attention,
    /// For each side, a superset of the squares that shield its king: a piece that leaves such a square can uncover an
    /// attack. These squares lie between the king and the opponent's sliders. The value has no meaning if `attention`
    /// is unknown.
    #[doc(hidden)]
    pub screens: [u64; 2],
    #[doc(hidden)]
    pub variant: Variant,
    /// The state of a variant that the board does not show.
    #[doc(hidden)]
    pub extra: Extra,
}

/// The standard starting position, computed once.
pub static STANDARD: LazyLock<Position> = LazyLock::new(Position::set_up_standard);

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
        position.screens = Color::BOTH.map(|side| position.screens_of(side));
        position
    }

    /// Returns a position with these pieces (from a1), without castling rights or an en passant target, with halfmove
    /// clock 0 and fullmove number 1.
    ///
    /// The pieces of each role and color receive their labels in the order of the files from a to h, and within a file
    /// from rank 1 to 8.
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
            castling: 0,
            halfmove_clock: 0,
            fullmove_number: 1,
            attention: Attention::Unknown,
            screens: [0; 2],
            variant: Variant::Chess,
            extra: Extra::default(),
        };
        let mut seen = [[0u8; 6]; 2];
        let mut occupied = 0u64;
        for (at, id) in pieces.iter().enumerate() {
            occupied |= u64::from(id.is_some()) << at;
        }
        for file in 0..8 {
            // Squares of a file are visited from rank 1 to 8.
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

    /// Returns the position with the colors exchanged and the board flipped. Also exchanges castling rights and flips
    /// the en passant target. Move counters do not change.
    pub fn colors_swapped(&self) -> Position {
        let mut pieces = [None; 64];
        for (at, piece) in pieces.iter_mut().enumerate() {
            let mirrored = self.piece_at(Square::masked(at as u8 ^ 56));
            *piece = mirrored.map(|mirrored| Piece { color: mirrored.color.other(), ..mirrored });
        }
        let mut swapped = Position::from_pieces(&pieces, self.turn.other());
        for color in Color::BOTH {
            for side in CastlingSide::BOTH {
                if let Some(rook) = self.castling_rook(color, side) {
                    swapped.grant_castling(color.other(), side, Square::masked(rook.index() ^ 56));
                }
            }
        }
        if self.en_passant != OFF {
            swapped.set_en_passant(Square::masked(self.en_passant ^ 56));
        }
        swapped.set_clocks(self.halfmove_clock, self.fullmove_number);
        if self.variant != Variant::Chess {
            swapped = swapped.with_variant(self.variant);
            let Extra { mut pockets, promoted, mut checks } = self.extra;
            pockets.reverse();
            checks.reverse();
            swapped.set_extra(Extra { pockets, promoted: promoted.swap_bytes(), checks });
        }
        swapped
    }

    /// Grants a castling right with the rook on `rook`. Returns false and changes nothing unless the king and the rook
    /// are on the back rank, with the rook on the correct side of the king.
    pub fn grant_castling(&mut self, color: Color, side: CastlingSide, rook: Square) -> bool {
        if !self.may_grant_castling(color, side, rook) {
            return false;
        }
        let right = color.index() * 2 + side as usize;
        self.rights |= 1 << right;
        self.rook_home[right] = rook.index();
        self.castling = self.castling_squares();
        true
    }

    /// Returns whether the king and the rook are on the back rank, with the rook on this side of the king.
    pub(super) fn may_grant_castling(&self, color: Color, side: CastlingSide, rook: Square) -> bool {
        let Some(king) = self.king(color) else { return false };
        let sides = match side {
            CastlingSide::King => rook.file_index() > king.file_index(),
            CastlingSide::Queen => rook.file_index() < king.file_index(),
        };
        let home = color.back_rank();
        let is_rook = self.piece_at(rook) == Some(Piece { color, role: Role::Rook });
        sides && is_rook && king.rank_index() == home && rook.rank_index() == home
    }

    /// Returns the squares of the kings and rooks with a castling right.
    #[doc(hidden)]
    #[inline]
    pub fn castling_squares(&self) -> u64 {
        let held = (0..4).filter(|right| self.rights >> right & 1 != 0);
        let king = |right: usize| self.square[right / 2 * 32 + 24];
        let squares = held.flat_map(|right| [self.rook_home[right], king(right)]);
        squares.filter_map(Square::new).fold(0, |all, square| all | square.bit())
    }

    /// Sets the en passant target. Returns false and changes nothing if no pawn can have passed this square in a double
    /// step in the last move.
    pub fn set_en_passant(&mut self, target: Square) -> bool {
        let mover = self.turn.other();
        let (rank, forward) = if mover == Color::White { (2, 8i8) } else { (5, -8) };
        let (start, end) = (target.index().wrapping_add_signed(-forward), target.index().wrapping_add_signed(forward));
        if target.rank_index() != rank
            || self.board[target.at_most_63()] != EMPTY
            || self.board[start as usize & 63] != EMPTY
            || self.piece_at(Square::masked(end)) != Some(Piece { color: mover, role: Role::Pawn })
        {
            return false;
        }
        self.en_passant = target.index();
        true
    }

    /// Sets the halfmove clock and the fullmove number. The halfmove clock counts the plies since the last capture or
    /// pawn move. At 100, a player can claim a draw.
    pub fn set_clocks(&mut self, halfmove_clock: u32, fullmove_number: u32) {
        self.halfmove_clock = halfmove_clock;
        self.fullmove_number = fullmove_number;
    }

    /// Returns the piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.piece_id_at(square).map(PieceId::piece)
    }

    /// Returns the identity of the piece on a square.
    #[inline]
    pub fn piece_id_at(&self, square: Square) -> Option<PieceId> {
        match self.board[square.at_most_63()] {
            EMPTY => None,
            code => Some(PieceId(code)),
        }
    }

    /// Returns the square of a labeled piece. Returns `None` if the piece is off the board or has no label.
    pub fn square_of(&self, id: PieceId) -> Option<Square> {
        if id.0 < 64 { Square::new(self.square[id.0 as usize]) } else { None }
    }

    /// Returns the side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the square that a pawn passed in the last move, a double step, even if no piece can capture there.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        Square::new(self.en_passant)
    }

    /// Returns the number of plies since the last capture or pawn move. At 100, a player can claim a draw.
    #[inline]
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// Returns the fullmove number, from 1.
    #[inline]
    pub fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// Returns the square of the castling rook if the right still exists.
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let right = color.index() * 2 + side as usize;
        if self.rights >> right & 1 == 0 { None } else { Square::new(self.rook_home[right]) }
    }

    /// Returns the square of the labeled king of a side. A second king is treated as an ordinary piece.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        Square::new(self.square[color.index() * 32 + 24])
    }

    /// Returns the occupied squares of one color as a bit set.
    pub fn occupied(&self, color: Color) -> u64 {
        self.occupied[color.index()]
    }

    /// Returns the squares of each kind of piece as bit sets, where a1 is the lowest bit: White's pawns, knights,
    /// bishops, rooks, queens and king, then Black's.
    ///
    /// ```
    /// let start = scoresheet_chess::Position::standard();
    /// assert_eq!(start.bitboards()[0], 0xFF00);
    /// assert_eq!(start.bitboards()[11], 1 << 60);
    /// ```
    #[inline]
    pub fn bitboards(&self) -> [u64; 12] {
        let mut sets = [0; 12];
        for (sets, occupied) in sets.chunks_exact_mut(6).zip(self.occupied) {
            sets.iter_mut().zip(self.roles).for_each(|(set, role)| *set = role & occupied);
        }
        sets
    }

    #[inline]
    pub(super) fn put(&mut self, code: u8, square: u8) {
        let id = PieceId(code);
        self.board[square as usize & 63] = code;
        self.square[code as usize % CODES] = square;
        self.occupied[id.color().index()] |= 1 << (square & 63);
        self.roles[id.role() as usize] |= 1 << (square & 63);
        self.unlabelled |= code >= 64;
        self.attention = Attention::Unknown;
    }

    #[inline]
    pub(super) fn lift(&mut self, square: u8) -> u8 {
        let code = std::mem::replace(&mut self.board[square as usize & 63], EMPTY);
        self.square[code as usize % CODES] = OFF;
        for set in self.occupied.iter_mut().chain(&mut self.roles) {
            *set &= !(1 << (square & 63));
        }
        code
    }

    #[doc(hidden)]
    /// Returns the piece with the lowest free label of this role, or `None` if all labels of the side are in use.
    pub(crate) fn free_id(&self, color: Color, role: Role) -> Option<PieceId> {
        (0..PieceId::labels(role))
            .filter_map(|label| PieceId::labelled(color, role, label))
            .find(|id| self.square_of(*id).is_none())
    }

    /// Returns the promoted piece by the rule for writers: with the lowest free label, or without a label if none is
    /// free or the pawn has none.
    #[doc(hidden)]
    #[inline]
    pub fn promoted_piece(&self, pawn: Square, role: Role) -> PieceId {
        let color = self.turn;
        if role == Role::King {
            return PieceId::unlabelled(color, role);
        }
        match self.piece_id_at(pawn).and_then(PieceId::label) {
            Some(_) => self.free_id(color, role).unwrap_or(PieceId::unlabelled(color, role)),
            None => PieceId::unlabelled(color, role),
        }
    }
}

impl Default for Position {
    /// Returns the standard starting position.
    fn default() -> Position {
        Position::standard()
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}

impl PartialEq for Position {
    /// Compares boards (including labels), castling rights (with their rooks), en passant targets, clocks, sides to
    /// move, and variants with their pockets and checks.
    fn eq(&self, other: &Position) -> bool {
        // Ignores the original square of a rook without a right.
        let rooks = |right| self.rights >> right & 1 == 0 || self.rook_home[right] == other.rook_home[right];
        self.board == other.board
            && self.turn == other.turn
            && self.en_passant == other.en_passant
            && self.rights == other.rights
            && (self.rook_home == other.rook_home || (0..4).all(rooks))
            && self.halfmove_clock == other.halfmove_clock
            && self.fullmove_number == other.fullmove_number
            && self.variant == other.variant
            && self.extra == other.extra
    }
}

impl Eq for Position {}

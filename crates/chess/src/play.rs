//! Applies moves to a position.

use super::attention::Attention;
use super::moves::{CastlingSide, IllegalMove, Move, MoveKind};
use super::piece::{CODES, Color, EMPTY, OFF, PieceId, Role};
use super::position::Position;
use super::square::Square;
use super::variant::Variant;

impl Position {
    /// Plays a move if it is legal or is the null move. Otherwise leaves the position unchanged and returns an error.
    ///
    /// ```
    /// use scoresheet_chess::{IllegalMove, Position};
    ///
    /// let mut position = Position::standard();
    /// position.play(position.parse_san("e4")?)?;
    /// assert_eq!(position.to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
    /// let illegal = Position::standard().parse_uci("e2e5");
    /// assert!(illegal.is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&mut self, m: Move) -> Result<(), IllegalMove> {
        if m.kind != MoveKind::Null {
            self.legality(m)?;
        }
        self.play_unchecked(m);
        Ok(())
    }

    /// Plays a legal move or the null move. The effect of an illegal move is unspecified, but safe.
    pub fn play_unchecked(&mut self, m: Move) {
        if self.attention != Attention::Unknown {
            match m.kind {
                MoveKind::Plain => return self.play_plain(m, self.gives_check_plainly(m)),
                MoveKind::Castle(side) if !self.castling_gives_check(m, side) => return self.castle(m, side),
                _ => {}
            }
        }
        let promoted = m.promotion().map(|role| self.promoted_piece(m.from, role));
        self.play_in_full(m, promoted);
    }

    /// Plays a move like `play`, with a given identity of the promoted piece.
    #[doc(hidden)]
    #[inline]
    pub fn play_as(&mut self, m: Move, promoted: Option<PieceId>) {
        match promoted {
            None => self.play_unchecked(m),
            Some(_) => self.play_in_full(m, promoted),
        }
    }

    /// Plays a move like `play`, for a plain move with known `attention`. `check` states whether the move gives check.
    #[inline]
    #[doc(hidden)]
    pub fn play_plain(&mut self, m: Move, check: bool) {
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
        if self.castling & step != 0 {
            self.drop_rights(us, mover, m.from.index(), m.to.index());
        }
        self.fullmove_number = self.fullmove_number.saturating_add(u32::from(us == Color::Black));
        self.turn = us.other();
        self.attention = if check { Attention::Check } else { Attention::Quiet };
        // If there is no opposing king, no screens exist, and any square serves as the king's square.
        self.keep_screens(us, role, m.to, self.king(us.other()).unwrap_or(m.to));
    }

    /// Castles like `play`, for castling that gives no check, with known `attention`.
    fn castle(&mut self, m: Move, side: CastlingSide) {
        let us = self.turn;
        self.put_castled(m, side);
        self.en_passant = OFF;
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.fullmove_number = self.fullmove_number.saturating_add(u32::from(us == Color::Black));
        self.turn = us.other();
        self.attention = Attention::Quiet;
        self.screens[us.index()] = self.screens_of(us);
    }

    #[inline(never)]
    fn play_in_full(&mut self, m: Move, promoted: Option<PieceId>) {
        if self.variant != Variant::Chess {
            return self.play_in_variant(m, promoted);
        }
        let us = self.turn;
        let (from, to) = (m.from.index(), m.to.index());
        let passed = std::mem::replace(&mut self.en_passant, OFF);
        let attention = self.attention;
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        match m.kind {
            // Chess has no drops.
            MoveKind::Null | MoveKind::Drop(_) => {}
            MoveKind::Castle(side) => {
                self.put_castled(m, side);
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
                        // The captured pawn is on the target's file and on the capturing pawn's rank.
                        self.lift(from & 0x38 | to & 7);
                    }
                    if from.abs_diff(to) == 16 {
                        self.en_passant = u8::midpoint(from, to);
                    }
                }
                if self.castling & (m.from.bit() | m.to.bit()) != 0 {
                    self.drop_rights(us, mover, from, to);
                }
            }
        }
        if us == Color::Black {
            self.fullmove_number = self.fullmove_number.saturating_add(1);
        }
        self.turn = us.other();
        self.attention = match m.kind {
            // The kings have not changed, but the other side is to move.
            MoveKind::Null if attention == Attention::Quiet => Attention::Quiet,
            MoveKind::Null => Attention::Unknown,
            // After a legal move, the moving side's king is not attacked.
            _ if self.king(self.turn).is_some_and(|king| self.attacked_by(us, king)) => Attention::Check,
            _ => Attention::Quiet,
        };
        self.screens = Color::BOTH.map(|side| self.screens_of(side));
    }

    /// Moves the king and the rook to their castling squares, and removes the side's rights.
    pub(super) fn put_castled(&mut self, m: Move, side: CastlingSide) {
        let us = self.turn;
        let (king_file, rook_file) = side.files();
        let (from, to) = ([m.from, m.to], [king_file, rook_file].map(|file| Square::at(file, us.back_rank())));
        let codes = from.map(|square| std::mem::replace(&mut self.board[square.at_most_63()], EMPTY));
        for (code, square) in codes.into_iter().zip(to) {
            self.board[square.at_most_63()] = code;
            self.square[code as usize % CODES] = square.index();
        }
        // The destination of one piece may be the origin of the other.
        let [king, rook] = [0, 1].map(|piece| (from[piece].bit(), to[piece].bit()));
        self.occupied[us.index()] = self.occupied[us.index()] & !(king.0 | rook.0) | king.1 | rook.1;
        for (role, (from, to)) in [(Role::King, king), (Role::Rook, rook)] {
            let squares = &mut self.roles[role as usize];
            *squares = *squares & !from | to;
        }
        self.rights &= !(3 << (us.index() * 2));
        self.castling = self.castling_squares();
    }

    /// Removes the castling rights that a move from or to a home square of a king or rook ends.
    #[inline(never)]
    pub(super) fn drop_rights(&mut self, us: Color, mover: u8, from: u8, to: u8) {
        if mover == us.index() as u8 * 32 + 24 {
            self.rights &= !(3 << (us.index() * 2));
        }
        for right in 0..4 {
            if self.rook_home[right] == from || self.rook_home[right] == to {
                self.rights &= !(1 << right);
            }
        }
        self.castling = self.castling_squares();
    }
}

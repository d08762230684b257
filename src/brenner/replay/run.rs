//! Replays a stream byte by byte.
//!
//! The fast path, `plain_moves`, takes 2.9 ns per ply, or 7.0 ns per ply with Zobrist keys (docs/design/fast-paths.md).
//! The test `random_games_come_back` in `tests/chess/brenner.rs` compares every ply with the result of the checked
//! decoder, with and without keys.

use super::key::Key;
use super::pieces::Pieces;
use super::skip::skip_variation;
use super::state::{ReplayState, Start, Tally};
use super::table::{Class, TABLE, class, is_double_step, slot};
use crate::brenner::code::{CASTLE_H, EXPLICIT, NAG, NULL, OPEN};
use crate::chess::piece::{EMPTY, OFF};
use crate::chess::position::STANDARD;
use crate::chess::{Color, PieceId, Position, Role, zobrist};
use std::hint::select_unpredictable;
use std::sync::LazyLock;

/// The error for a stream that cannot be replayed to the requested ply, because it is damaged.
///
/// [`Replay`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// The offset of the faulty byte in the stream, from 0.
    pub offset: usize,
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "damaged moves at byte {} of the game", self.offset)
    }
}

impl std::error::Error for ReplayError {}

/// A replay of a main line, at one of its plies. [`Replay::state`] shows the full state at any ply.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 e5 2. Nf3 Nc6 *\n"[..])?;
/// use scoresheet::brenner::replay::{Replay, ReplayState};
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let game = archive.game(1)?;
/// let mut replay = Replay::new(game.start());
/// replay.run(game.brenner(), 2)?;
/// let state: ReplayState<'_> = replay.state();
/// assert_eq!((state.ply(), state.fullmove_number(), state.position()), (2, 2, game.position(2)?));
///
/// let cut_off = [scoresheet::brenner::EXPLICIT];
/// assert_eq!(Replay::new(game.start()).run(&cut_off, 1).unwrap_err().offset, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Replay {
    pub(super) pieces: Pieces,
    pub(super) tally: Tally,
    pub(super) turn: Color,
    pub(super) en_passant: u8,
    pub(super) ply: u32,
    pub(super) start: Start,
}

/// A replay from the standard starting position.
static STANDARD_REPLAY: LazyLock<Replay> = LazyLock::new(|| Replay::starting_from(&STANDARD));

impl Replay {
    /// Returns a replay at ply 0 of a game.
    #[inline]
    pub fn new(start: &Position) -> Replay {
        // Nearly all games start from this position, and copying it takes a quarter of the time of building it.
        if std::ptr::eq(start, &*STANDARD) { STANDARD_REPLAY.clone() } else { Replay::starting_from(start) }
    }

    fn starting_from(start: &Position) -> Replay {
        Replay {
            pieces: Pieces::from_position(start),
            tally: Tally::from_position(start),
            turn: start.turn,
            en_passant: start.en_passant,
            ply: 0,
            start: Start::from_position(start),
        }
    }

    /// Returns the current ply, from 0.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the codes of the pieces on the squares, from a1. An empty square has the code `EMPTY`.
    #[doc(hidden)]
    pub fn board(&self) -> &[u8; 64] {
        self.pieces.squares()
    }

    /// Returns a view of the state at the current ply.
    pub fn state(&self) -> ReplayState<'_> {
        ReplayState {
            pieces: &self.pieces,
            start: &self.start,
            tally: self.tally,
            ply: self.ply.into(),
            base: 0,
            turn: self.turn,
            last: 0,
            en_passant: self.en_passant,
        }
    }

    /// Returns the full position at the current ply. Takes about 30 ns.
    pub fn position(&self) -> Position {
        self.state().position()
    }

    /// Plays moves of the main line until `ply` is reached or the stream ends. Returns the number of bytes read.
    pub fn run(&mut self, stream: &[u8], ply: u32) -> Result<usize, ReplayError> {
        self.play::<false>(stream, ply, Key::default(), |_, _| true)
    }

    /// Plays moves of the main line until the stream ends, or until `goes_on` returns false for the state after a move.
    /// Returns the number of bytes read, and whether `goes_on` stopped the replay.
    #[inline]
    pub fn run_while(
        &mut self,
        stream: &[u8],
        mut goes_on: impl FnMut(&ReplayState<'_>) -> bool,
    ) -> Result<(usize, bool), ReplayError> {
        let mut stopped = false;
        let used = self.play::<false>(stream, u32::MAX, Key::default(), |state, _| {
            stopped = !goes_on(state);
            !stopped
        })?;
        Ok((used, stopped))
    }

    /// Plays the main line to its end and calls `visit` with the state at each ply, including the current ply.
    ///
    /// Only the parts of the state that `visit` requests are computed. Does not check the stream (see the module).
    /// Returns the number of bytes read.
    #[inline]
    pub fn walk(&mut self, stream: &[u8], mut visit: impl FnMut(&ReplayState<'_>)) -> Result<usize, ReplayError> {
        visit(&self.state());
        self.play::<false>(stream, u32::MAX, Key::default(), |state, _| {
            visit(state);
            true
        })
    }

    /// Replays like [`Replay::walk`], but also passes the Zobrist key of each state, which equals [`Position::zobrist`]
    /// and is updated from ply to ply.
    #[inline]
    pub fn walk_keys(
        &mut self,
        stream: &[u8],
        mut visit: impl FnMut(&ReplayState<'_>, u64),
    ) -> Result<usize, ReplayError> {
        let state = self.state();
        let key = Key::new(&state);
        visit(&state, self.start.variant.as_ref().map_or_else(|| key.at(&state), |position| position.zobrist()));
        self.play::<true>(stream, u32::MAX, key, |state, key| {
            visit(state, key);
            true
        })
    }

    /// Plays moves, and calls `visit` after each ply until it returns false. `key` is the key of the current state, if
    /// `KEY` is true.
    #[inline(always)]
    fn play<const KEY: bool>(
        &mut self,
        stream: &[u8],
        ply: u32,
        mut key: Key,
        mut visit: impl FnMut(&ReplayState<'_>, u64) -> bool,
    ) -> Result<usize, ReplayError> {
        if self.start.variant.is_some() {
            // A function that took `visit` would keep its variables out of registers, also in the loop below.
            let mut read = 0;
            while self.ply < ply
                && let Some(key) = self.next_in_variant(stream, &mut read, KEY)?
                && visit(&self.state(), key)
            {}
            return Ok(read.min(stream.len()));
        }
        let mut at = 0;
        // Most streams end with their result. Removing the result first avoids a branch that would be mispredicted in
        // every game.
        let stream = match stream {
            // The last byte is a result only if it does not belong to a preceding NAG or explicit move.
            [moves @ .., 1..=3] if !matches!(moves, [] | [.., NAG | EXPLICIT] | [.., EXPLICIT, _]) => moves,
            _ => stream,
        };
        while self.ply < ply {
            let rest = stream.get(at..).unwrap_or_default();
            let (used, goes_on) = self.plain_moves::<KEY>(rest, ply - self.ply, &mut key, &mut visit);
            at += used;
            let rest = rest.get(used..).unwrap_or_default();
            if self.ply >= ply || rest.is_empty() || !goes_on {
                break;
            }
            let before = self.ply;
            match self.other(rest, &mut key.pieces) {
                Some(Used::Bytes(used)) => at += used,
                Some(Used::Ended) => break,
                None => return Err(ReplayError { offset: at }),
            }
            if self.ply != before {
                let state = self.state();
                if KEY {
                    key = key.see_rights(state);
                }
                if !visit(&state, if KEY { key.at(&state) } else { 0 }) {
                    break;
                }
            }
        }
        Ok(at.min(stream.len()))
    }

    /// Plays at most `plies` one-byte moves, and stops at the first byte that is not such a move. Returns the number of
    /// moves played, and whether `visit` wants to continue.
    ///
    /// The tally and the key are copied to local variables, so they stay in registers in the loop.
    #[inline(always)]
    fn plain_moves<const KEY: bool>(
        &mut self,
        stream: &[u8],
        plies: u32,
        key: &mut Key,
        visit: &mut impl FnMut(&ReplayState<'_>, u64) -> bool,
    ) -> (usize, bool) {
        let stream = stream.get(..plies as usize).unwrap_or(stream);
        let (pieces, start) = (&mut self.pieces, &self.start);
        let base = i64::from(self.ply);
        // Plies count from the current ply here, so the same number serves as byte index and as ply.
        let mut tally = Tally { zero: self.tally.zero - base, ..self.tally };
        let mut keys = *key;
        let (mut at, mut continues) = (0usize, true);
        // The macro is expanded once per side. Each side has its own compiled code, with the side as a constant and a
        // separate table. The loop plays two moves per iteration, so it needs no branch on the side.
        macro_rules! step {
            ($black:literal, $byte:expr) => {{
                let byte = $byte;
                let played = match pieces.plain::<$black, KEY>(byte, at as i64 + 1, &mut tally, &mut keys) {
                    None if byte & !1 == CASTLE_H => {
                        pieces.castle($black, byte, &start.rook_home).map(|(moved, change)| {
                            tally.moved |= moved;
                            keys.pieces ^= change;
                            moved
                        })
                    }
                    played => played,
                };
                if let Some(slots) = played {
                    at += 1;
                    let turn = if $black { Color::White } else { Color::Black };
                    let ply = at as i64;
                    let state = ReplayState { pieces, start, tally, ply, base, turn, last: byte, en_passant: OFF };
                    if KEY {
                        if keys.touches(slots) {
                            keys = keys.see_rights(state);
                        }
                        continues = visit(&state, keys.after_plain(&state));
                    } else {
                        continues = visit(&state, 0);
                    }
                }
                played.is_some()
            }};
        }
        let mut rest = stream;
        let mut black = self.turn == Color::Black;
        let mut goes_on = true;
        if black && let [byte, others @ ..] = rest {
            goes_on = step!(true, *byte);
            black = !goes_on;
            rest = others;
        }
        if goes_on && continues && !black {
            let mut pairs = rest.chunks_exact(2);
            loop {
                let Some(&[white, black_byte]) = pairs.next() else {
                    if let [byte] = pairs.remainder() {
                        black = step!(false, *byte);
                    }
                    break;
                };
                if !step!(false, white) {
                    break;
                }
                if !continues || !step!(true, black_byte) {
                    black = true;
                    break;
                }
                if !continues {
                    break;
                }
            }
        }
        if at > 0 {
            // Indexing is deliberate: `get` makes the loop above 14 % slower (benches/runs/2026-11-22-replay.md).
            #[expect(clippy::indexing_slicing, reason = "each ply played is a byte of the stream")]
            let last = stream[at - 1];
            self.turn = if black { Color::Black } else { Color::White };
            self.ply += at as u32;
            self.tally = Tally { zero: tally.zero + base, ..tally };
            *key = keys;
            self.en_passant = ReplayState { last, ..self.state() }.passed();
        }
        (at, continues)
    }

    /// Plays an element that is not a one-byte move. Returns the length of the element in bytes, or `None` if the
    /// stream is damaged. Updates the key for moved and captured pieces.
    #[cold]
    #[inline(never)]
    fn other(&mut self, rest: &[u8], key: &mut u64) -> Option<Used> {
        let first = *rest.first()?;
        Some(Used::Bytes(match first {
            1..=3 => return Some(Used::Ended),
            0 | 6 | 7 => 1,
            EXPLICIT => self.explicit(u16::from_be_bytes([*rest.get(1)?, *rest.get(2)?]), key)?,
            NULL => {
                self.en_passant = OFF;
                self.pass();
                1
            }
            NAG => 2,
            OPEN => skip_variation(rest)?,
            _ => match class(first) {
                Class::Prefix(role, label) => self.prefixed(slot(self.turn, role, label), role, *rest.get(1)?, key)?,
                // The piece is not on the board, or the byte is unassigned.
                _ => return None,
            },
        }))
    }

    #[expect(clippy::indexing_slicing, reason = "any byte is an index of the board, the slots and the table")]
    fn prefixed(&mut self, id: u8, role: Role, next: u8, key: &mut u64) -> Option<usize> {
        let entry = TABLE[self.turn.index()][usize::from(next)];
        let (mover, pawn) = match class(next) {
            Class::Piece if PieceId(entry.slot).role() == role => (id, false),
            Class::Pawn => (entry.slot, true),
            _ => return None,
        };
        let from = self.pieces.on_board(mover)?;
        let to = from.wrapping_add(entry.step) & 63;
        self.go(from, to, id, key);
        self.en_passant = if pawn && is_double_step(next) { u8::midpoint(from, to) } else { OFF };
        Some(2)
    }

    #[expect(clippy::indexing_slicing, reason = "any byte is an index of the board; roles are 1 to 4")]
    fn explicit(&mut self, bits: u16, key: &mut u64) -> Option<usize> {
        let (from, to) = ((bits >> 10) as u8 & 63, (bits >> 4) as u8 & 63);
        let id = PieceId(self.pieces.board[usize::from(from)]);
        if id.0 == EMPTY {
            return None;
        }
        for (right, home) in self.start.rook_home.iter().enumerate() {
            if *home == from || *home == to {
                self.tally.lost |= 1 << right;
            }
        }
        let becomes = match bits >> 1 & 7 {
            0 => id,
            role @ 1..=4 => PieceId::unlabelled(self.turn, Role::ALL[usize::from(role)]),
            _ => return None,
        };
        let double = id.role() == Role::Pawn && from.abs_diff(to) == 16;
        self.go(from, to, becomes.0, key);
        self.en_passant = if double { u8::midpoint(from, to) } else { OFF };
        Some(3)
    }

    /// Moves the piece on `from`, which becomes `id`, to `to`, and removes the captured piece, also en passant.
    fn go(&mut self, from: u8, to: u8, id: u8, key: &mut u64) {
        let mover = self.lift(from, key);
        let captured = self.lift(to, key);
        let pawn = PieceId(mover).role() == Role::Pawn;
        if pawn && captured == EMPTY && (from ^ to) & 7 != 0 {
            // A pawn that moves diagonally to an empty square captures en passant, on the rank it leaves.
            self.lift(from & 0x38 | to & 7, key);
        }
        self.put(id, to, key);
        if pawn || captured != EMPTY {
            self.tally.zero = i64::from(self.ply) + 1;
        }
        self.pass();
    }

    #[expect(clippy::indexing_slicing, reason = "any byte is an index of the board, the slots and the table")]
    fn lift(&mut self, square: u8, key: &mut u64) -> u8 {
        let code = std::mem::replace(&mut self.pieces.board[usize::from(square & 63)], EMPTY);
        *key ^= zobrist::id(code, square);
        code
    }

    #[expect(clippy::indexing_slicing, reason = "any byte is an index of the board, the slots and the table")]
    fn put(&mut self, code: u8, square: u8, key: &mut u64) {
        self.pieces.board[usize::from(square & 63)] = code;
        self.pieces.square[usize::from(code)] = square;
        *key ^= zobrist::id(code, square);
        if code < 64 {
            self.tally.moved |= 1 << code;
        }
    }

    fn pass(&mut self) {
        self.ply += 1;
        self.turn = self.turn.other();
    }
}

enum Used {
    Bytes(usize),
    Ended,
}

impl Pieces {
    /// Plays a byte if it is a complete move. Returns the slots of the moved and the captured piece as bits. Returns
    /// `None` and changes nothing if the byte is not such a move or its piece is not on the board. If the captured
    /// piece has no label, or there is none, the captured bit has no meaning.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "any byte is an index of the board, the slots and the table")]
    fn plain<const BLACK: bool, const KEY: bool>(
        &mut self,
        byte: u8,
        ply: i64,
        tally: &mut Tally,
        key: &mut Key,
    ) -> Option<u64> {
        let entry = TABLE[BLACK as usize][usize::from(byte)];
        let from = self.square[usize::from(entry.slot)];
        // One comparison detects every failure. The table entry for a byte that is not a move names the slot `NOBODY`,
        // which is never on the board. A captured piece keeps its square, but the board now contains another slot
        // there. Entries beyond the board contain no slot.
        if self.board[usize::from(from)] != entry.slot {
            return None;
        }
        let to = from.wrapping_add(entry.step);
        let captured = self.board[usize::from(to)];
        self.board[usize::from(from)] = EMPTY;
        self.board[usize::from(to)] = entry.slot;
        self.square[usize::from(entry.slot)] = to;
        let slot = 1 << (entry.slot & 63);
        tally.moved |= slot;
        // Captures are hard to predict, so a conditional move replaces the branch.
        tally.zero = select_unpredictable(captured == entry.quiet, tally.zero, ply);
        if KEY {
            key.pieces ^= zobrist::id(entry.slot, from) ^ zobrist::id(entry.slot, to) ^ zobrist::id(captured, to);
        }
        if captured == entry.passing {
            // A diagonal move to an empty square is en passant: the captured pawn is on the mover's rank.
            let square = from & 0x38 | to & 7;
            let victim = std::mem::replace(&mut self.board[usize::from(square)], EMPTY);
            if KEY {
                key.pieces ^= zobrist::id(victim, square);
            }
        }
        Some(if KEY { slot | 1 << (captured & 63) } else { slot })
    }
}

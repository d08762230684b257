//! Converts Brenner bytes to elements, and checks every move.

use super::code::{BAD, CASTLE_A, CASTLE_H, CLOSE, DROP_PAWN, DROP_PIECE, EXPLICIT, GOOD, NAG, NULL, OPEN, TEXT};
use super::encode::push_move;
use super::replay::table::{Entry, NOBODY, TABLE};
use super::replay::variant::read_drop;
use crate::chess::attacks::{DIRECTIONS, LEAPS, RELATION};
use crate::chess::piece::CODES;
use crate::chess::san::ShortText;
use crate::chess::{CastlingSide, Color, Move, MoveKind, PieceId, Position, Role, Square, Threat, Variant};
use crate::game::{Line, MAX_DEPTH, Outcome};
use std::fmt;

/// The kind of a fault in a stream.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DecodeFault {
    /// The stream ends within an element, or a variation is still open at its end.
    CutShort,
    /// The board contains no piece that the byte names.
    NoSuchPiece,
    /// The move is not legal in its position.
    IllegalMove,
    /// A prefix does not match the next byte, or a promotion lacks its prefix.
    BadPrefix,
    /// A promoted piece would receive a label that is already in use.
    LabelTaken,
    /// An explicit move contains invalid bits.
    BadExplicit,
    /// An unassigned byte.
    Unassigned,
    /// A variation closes although none is open.
    StrayClose,
    /// A variation opens although no move precedes it in its line.
    StrayOpen,
    /// A result occurs inside a variation, or an element follows the result.
    MisplacedResult,
    /// More than [`MAX_DEPTH`] variations are open.
    TooDeep,
}

/// A fault in a stream, with the offset of the faulty element in bytes from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecodeError {
    /// The kind of the fault.
    pub fault: DecodeFault,
    /// The offset of the faulty element in the stream.
    pub offset: usize,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = match self.fault {
            DecodeFault::CutShort => "the stream is truncated",
            DecodeFault::NoSuchPiece => "no such piece on the board",
            DecodeFault::IllegalMove => "an illegal move",
            DecodeFault::BadPrefix => "a prefix that does not fit",
            DecodeFault::LabelTaken => "a promotion to a label in use",
            DecodeFault::BadExplicit => "a malformed explicit move",
            DecodeFault::Unassigned => "an unassigned byte",
            DecodeFault::StrayClose => "a variation closes that never opened",
            DecodeFault::StrayOpen => "a variation opens without a move before it",
            DecodeFault::MisplacedResult => "a result out of place",
            DecodeFault::TooDeep => "more than 1,024 nested variations",
        };
        write!(f, "bad Brenner stream: {fault} at byte {}", self.offset)
    }
}

impl std::error::Error for DecodeError {}

/// The location of the texts of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextPlaces {
    /// The texts are in the stream, between zero bytes.
    Inline,
    /// The texts are outside the stream. One zero byte marks the position of each text.
    Apart,
}

/// An element of a stream, as the decoder returns it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item<'a> {
    /// A legal move, or the null move.
    Move(Move),
    /// `!` (true) or `?`.
    Suffix(bool),
    /// A numeric annotation glyph.
    Nag(u8),
    /// The bytes of a text, which are empty if texts are outside the stream.
    Text(&'a [u8]),
    /// A variation opens.
    Open,
    /// A variation closes.
    Close,
    /// The result.
    Outcome(Outcome),
}

/// A decoder that reads a stream element by element. It never panics, whatever the input. It stops at the first fault.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 (1. d4!) e5 1-0\n"[..])?;
/// use scoresheet::brenner::decode::{DecodeFault, Decoder, Item, TextPlaces};
/// use scoresheet::game::Outcome;
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let game = archive.game(1)?;
/// let mut decoder = Decoder::new(game.brenner(), game.start().clone(), TextPlaces::Apart);
/// let (mut sans, mut last) = (Vec::new(), None);
/// while let Some(item) = decoder.advance(|before, m| sans.push(before.san(m)))? {
///     last = Some(item);
/// }
/// assert_eq!((sans.join(" ").as_str(), last), ("e4 d4 e5", Some(Item::Outcome(Outcome::WhiteWins))));
///
/// let stray = [scoresheet::brenner::CLOSE];
/// let error = Decoder::new(&stray, game.start().clone(), TextPlaces::Apart).advance(|_, _| {}).unwrap_err();
/// assert_eq!((error.fault, error.offset), (DecodeFault::StrayClose, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
    texts: TextPlaces,
    line: Line,
    /// Whether plain moves can use the fast path.
    quick: bool,
    /// Whether no plain move can leave its king in check, because the stream has been verified.
    proved: bool,
    canonical: bool,
    ended: bool,
    scratch: Vec<u8>,
}

/// The meaning of a byte of the table, regardless of the position.
#[derive(Clone, Copy)]
enum Word {
    /// `step` is the number of files and ranks from the start square to the target square.
    Piece {
        role: Role,
        label: u8,
        step: (i8, i8),
    },
    Pawn {
        label: u8,
        step: u8,
    },
    Prefix {
        role: Role,
        label: u8,
    },
}

/// The meaning of each byte, or `None` if the byte has no meaning.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static WORDS: [Option<Word>; 256] = {
    let mut words = [None; 256];
    let mut byte = 0;
    while byte < 256 {
        words[byte] = read_word(byte as u8);
        byte += 1;
    }
    words
};

#[expect(clippy::indexing_slicing, reason = "a byte is an index of 256 words")]
fn word(byte: u8) -> Option<Word> {
    WORDS[byte as usize]
}

#[expect(clippy::indexing_slicing, reason = "three bits are an index of 8 directions")]
const fn read_word(byte: u8) -> Option<Word> {
    const fn piece(role: Role, label: u8, (files, ranks): (i8, i8), squares: i8) -> Word {
        Word::Piece { role, label, step: (files * squares, ranks * squares) }
    }
    let (ddd, nnn, w) = (byte & 7, byte >> 3 & 7, byte >> 6 & 1);
    let (direction, leap) = (DIRECTIONS[ddd as usize & 7], LEAPS[ddd as usize & 7]);
    Some(match byte {
        0x08..=0x0F => piece(Role::King, 0, direction, 1),
        0x10..=0x1F => piece(Role::Knight, byte >> 3 & 1, leap, 1),
        0x20..=0x3F => Word::Pawn { label: ddd, step: byte >> 3 & 3 },
        0x40..=0x47 => {
            Word::Prefix { role: if byte & 1 == 0 { Role::Queen } else { Role::Knight }, label: byte >> 1 & 3 }
        }
        0x48..=0x7F => piece(Role::Queen, 0, direction, nnn as i8),
        0x80..=0x87 => {
            Word::Prefix { role: if byte & 1 == 0 { Role::Rook } else { Role::Bishop }, label: byte >> 1 & 3 }
        }
        0x88..=0xBF | 0xC8..=0xFF => {
            piece(if byte & 1 == 0 { Role::Rook } else { Role::Bishop }, w, direction, nnn as i8)
        }
        _ => return None,
    })
}

impl<'a> Decoder<'a> {
    /// Returns a decoder at the beginning of `bytes`, a stream that starts from position `start`.
    pub fn new(bytes: &'a [u8], start: Position, texts: TextPlaces) -> Decoder<'a> {
        let quick = start.knows_checks();
        let line = Line::new(start, memchr::memchr(OPEN, bytes).is_some());
        Decoder { bytes, at: 0, texts, line, quick, proved: false, canonical: true, ended: false, scratch: Vec::new() }
    }

    /// Returns a decoder like `new`, for a stream whose moves have been verified. The decoder does not test again
    /// whether a plain move leaves its king in check. In an unverified stream, such a move is not detected, but all
    /// other faults are.
    pub(crate) fn proved(bytes: &'a [u8], start: Position, texts: TextPlaces) -> Decoder<'a> {
        Decoder { proved: true, ..Decoder::new(bytes, start, texts) }
    }

    /// Returns the position after the elements read so far. Within a variation, it is the position in the variation.
    pub fn position(&self) -> &Position {
        self.line.position()
    }

    /// Returns the number of open variations.
    pub fn depth(&self) -> usize {
        self.line.depth()
    }

    /// Returns the offset of the next element, in bytes.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Returns whether all elements read so far are in canonical form.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// Returns the next element, or `None` at the end. The position remains the one before the element, whereas
    /// `advance` also plays a move.
    fn take(&mut self) -> Result<Option<(Item<'a>, Option<PieceId>)>, DecodeFault> {
        let Some(byte) = self.next_byte() else {
            return if self.line.depth() == 0 { Ok(None) } else { Err(DecodeFault::CutShort) };
        };
        if self.ended {
            return Err(DecodeFault::MisplacedResult);
        }
        let item = match byte {
            TEXT => Item::Text(self.text()?),
            1..=3 => {
                if self.line.depth() > 0 {
                    return Err(DecodeFault::MisplacedResult);
                }
                self.ended = true;
                Item::Outcome(match byte {
                    1 => Outcome::BlackWins,
                    2 => Outcome::WhiteWins,
                    _ => Outcome::Draw,
                })
            }
            CASTLE_H => Item::Move(self.castling(CastlingSide::King)?),
            CASTLE_A => Item::Move(self.castling(CastlingSide::Queen)?),
            BAD => Item::Suffix(false),
            GOOD => Item::Suffix(true),
            DROP_PAWN | DROP_PIECE if self.position().variant() == Variant::Crazyhouse => {
                let bits = self.next_byte().ok_or(DecodeFault::CutShort)?;
                let (role, to) = read_drop(byte, bits).ok_or(DecodeFault::BadExplicit)?;
                Item::Move(self.checked(Move { from: to, to, kind: MoveKind::Drop(role) })?)
            }
            EXPLICIT => {
                let m = self.explicit()?;
                let promoted = m.promotion().map(|role| PieceId::unlabelled(self.position().turn(), role));
                return Ok(Some((Item::Move(m), promoted)));
            }
            NULL => Item::Move(Move::NULL),
            NAG => Item::Nag(self.next_byte().ok_or(DecodeFault::CutShort)?),
            OPEN if !self.line.has_moved() => return Err(DecodeFault::StrayOpen),
            OPEN if self.line.depth() >= MAX_DEPTH => return Err(DecodeFault::TooDeep),
            OPEN => Item::Open,
            CLOSE if self.line.depth() == 0 => return Err(DecodeFault::StrayClose),
            CLOSE => Item::Close,
            _ => {
                let (m, promoted) = self.table_move(byte)?;
                return Ok(Some((Item::Move(m), promoted)));
            }
        };
        Ok(Some((item, None)))
    }

    fn next_byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    fn text(&mut self) -> Result<&'a [u8], DecodeFault> {
        if self.texts == TextPlaces::Apart {
            return Ok(&[]);
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = memchr::memchr(TEXT, rest).ok_or(DecodeFault::CutShort)?;
        self.at += length + 1;
        Ok(rest.get(..length).unwrap_or_default())
    }

    fn castling(&self, castling_side: CastlingSide) -> Result<Move, DecodeFault> {
        let position = self.position();
        let us = position.turn();
        let (Some(king), Some(rook)) = (position.king(us), position.castling_rook(us, castling_side)) else {
            return Err(DecodeFault::IllegalMove);
        };
        self.checked(Move { from: king, to: rook, kind: MoveKind::Castle(castling_side) })
    }

    fn checked(&self, m: Move) -> Result<Move, DecodeFault> {
        self.position().legality(m).map(|()| m).map_err(|_| DecodeFault::IllegalMove)
    }

    fn explicit(&mut self) -> Result<Move, DecodeFault> {
        let (high, low) = (self.next_byte(), self.next_byte());
        let bits = u16::from_be_bytes([high.ok_or(DecodeFault::CutShort)?, low.ok_or(DecodeFault::CutShort)?]);
        let [from, to] = [bits >> 10, bits >> 4].map(|bits| Square::masked((bits & 63) as u8));
        let kind = match (bits >> 1 & 7, bits & 1) {
            (0, 0) => self.plain_or_en_passant(from, to),
            (1, 0) => MoveKind::Promotion(Role::Knight),
            (2, 0) => MoveKind::Promotion(Role::Bishop),
            (3, 0) => MoveKind::Promotion(Role::Rook),
            (4, 0) => MoveKind::Promotion(Role::Queen),
            (5, 0) if self.position().variant() == Variant::Antichess => MoveKind::Promotion(Role::King),
            _ => return Err(DecodeFault::BadExplicit),
        };
        self.checked(Move { from, to, kind })
    }

    fn plain_or_en_passant(&self, from: Square, to: Square) -> MoveKind {
        let position = self.position();
        let pawn = position.piece_at(from).is_some_and(|piece| piece.role == Role::Pawn);
        if pawn && from.file_index() != to.file_index() && position.en_passant() == Some(to) {
            MoveKind::EnPassant
        } else {
            MoveKind::Plain
        }
    }

    fn table_move(&mut self, byte: u8) -> Result<(Move, Option<PieceId>), DecodeFault> {
        let us = self.position().turn();
        match word(byte).ok_or(DecodeFault::Unassigned)? {
            Word::Piece { role, label, step } => Ok((self.piece_move(role, label, step)?, None)),
            Word::Pawn { label, step } => {
                let (from, to) = self.pawn_squares(label, step)?;
                if matches!(to.rank_index(), 0 | 7) {
                    return Err(DecodeFault::BadPrefix);
                }
                let kind = self.plain_or_en_passant(from, to);
                Ok((self.checked(Move { from, to, kind })?, None))
            }
            Word::Prefix { role, label } => {
                let next = self.next_byte().ok_or(DecodeFault::CutShort)?;
                match word(next) {
                    // If the piece byte has w = 1, the prefix still determines the piece. `advance` detects that this
                    // form is not canonical.
                    Some(Word::Piece { role: moved, step, .. }) if moved == role => {
                        Ok((self.piece_move(role, label, step)?, None))
                    }
                    Some(Word::Pawn { label: pawn, step }) => {
                        let (from, to) = self.pawn_squares(pawn, step)?;
                        let m = self.checked(Move { from, to, kind: MoveKind::Promotion(role) }).map_err(|fault| {
                            if matches!(to.rank_index(), 0 | 7) { fault } else { DecodeFault::BadPrefix }
                        })?;
                        let id = PieceId::labelled(us, role, label).ok_or(DecodeFault::BadPrefix)?;
                        if self.position().square_of(id).is_some() {
                            return Err(DecodeFault::LabelTaken);
                        }
                        Ok((m, Some(id)))
                    }
                    _ => Err(DecodeFault::BadPrefix),
                }
            }
        }
    }

    fn piece_move(&self, role: Role, label: u8, (files, ranks): (i8, i8)) -> Result<Move, DecodeFault> {
        let from = self.find(role, label)?;
        let to = offset(from, files, ranks).ok_or(DecodeFault::IllegalMove)?;
        self.checked(Move::plain(from, to))
    }

    fn find(&self, role: Role, label: u8) -> Result<Square, DecodeFault> {
        let position = self.position();
        PieceId::labelled(position.turn(), role, label)
            .and_then(|id| position.square_of(id))
            .ok_or(DecodeFault::NoSuchPiece)
    }

    fn pawn_squares(&self, label: u8, step: u8) -> Result<(Square, Square), DecodeFault> {
        let from = self.find(Role::Pawn, label)?;
        let forward = if self.position().turn() == Color::White { 1 } else { -1 };
        // Toward the h-file is right for White and left for Black.
        let to = match step {
            0 => offset(from, 0, forward),
            1 => offset(from, 0, 2 * forward),
            2 => offset(from, forward, forward),
            _ => offset(from, -forward, forward),
        };
        Ok((from, to.ok_or(DecodeFault::IllegalMove)?))
    }

    /// Plays the next element if it is a legal plain move of one byte. Calls `before` with the position before the
    /// move, the move and its threat. Otherwise returns false and does nothing, so `advance` handles the element.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 f5 2. Qh5+ g6 *\n"[..])?;
    /// use scoresheet::brenner::decode::{Decoder, TextPlaces};
    /// use scoresheet::chess::Threat;
    ///
    /// let archive = scoresheet::Archive::open(&target)?;
    /// let game = archive.game(1)?;
    /// let mut decoder = Decoder::new(game.brenner(), game.start().clone(), TextPlaces::Apart);
    /// let mut threats = Vec::new();
    /// while decoder.advance_plain(|_, _, threat| threats.push(threat)) {}
    /// assert_eq!(threats, [Threat::None, Threat::None, Threat::Check, Threat::None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn advance_plain(&mut self, before: impl FnOnce(&Position, Move, Threat)) -> bool {
        match self.position().turn() {
            Color::White => self.plain::<false>(before),
            Color::Black => self.plain::<true>(before),
        }
    }

    /// Plays elements while they are legal one-byte moves and `texts` has space for their SAN. With `full_squares`, a
    /// move receives its full start square if the file does not identify the piece. Returns the number of moves played.
    pub(crate) fn play_texts(&mut self, full_squares: bool, texts: &mut [ShortText]) -> usize {
        let (mut black, mut count) = (self.position().turn() == Color::Black, 0);
        for text in texts {
            let seen = |before: &Position, m, threat| *text = before.short_san_checked(m, threat, full_squares);
            if !(if black { self.plain::<true>(seen) } else { self.plain::<false>(seen) }) {
                let Some(castling) = self.castling_text() else { break };
                *text = castling;
            }
            (black, count) = (!black, count + 1);
        }
        count
    }

    /// Returns whether the next element is a one-byte move, legal or not.
    #[expect(clippy::indexing_slicing, reason = "sides are 0 and 1, bytes indices of 256 entries")]
    pub(crate) fn is_before_move(&self) -> bool {
        let steps = &STEPS[self.position().turn().index()];
        let is_move = |byte: u8| steps[usize::from(byte)].relation != 0 || matches!(byte, CASTLE_H | CASTLE_A);
        self.bytes.get(self.at).is_some_and(|byte| is_move(*byte))
    }

    /// Castles if the next element is a legal castling move. Returns the text.
    #[inline(never)]
    fn castling_text(&mut self) -> Option<ShortText> {
        let side = match *self.bytes.get(self.at)? {
            CASTLE_H => CastlingSide::King,
            CASTLE_A => CastlingSide::Queen,
            _ => return None,
        };
        let m = self.castling(side).ok().filter(|_| self.quick)?;
        let text = self.position().short_san(m, false)?;
        self.line.play(m);
        self.at += 1;
        Some(text)
    }

    /// Implements `advance_plain` for one side to move.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "sides are 0 and 1, bytes indices of 256 entries, squares below 64")]
    fn plain<const BLACK: bool>(&mut self, before: impl FnOnce(&Position, Move, Threat)) -> bool {
        let side = usize::from(BLACK);
        let Some(&byte) = self.bytes.get(self.at).filter(|_| self.quick) else { return false };
        let position = self.line.position();
        let Step { targets, slot, step, role, relation, onto } = STEPS[side][usize::from(byte)];
        let from = position.square[usize::from(slot) % CODES];
        let to = from.wrapping_add(step);
        // The relation of the two squares differs from the byte's if the piece would cross the edge of the board. In
        // the table, a byte without a piece has relation 0.
        if (from | to) > 63 || RELATION[usize::from(from)][usize::from(to)] != relation {
            return false;
        }
        let (ours, theirs) = (position.occupied[side], position.occupied[1 - side]);
        let empty = !(ours | theirs) & u64::from(onto & EMPTY_SQUARE).wrapping_neg();
        let taking = theirs & u64::from(onto >> 1).wrapping_neg();
        if targets & (empty | taking) & 1 << to == 0 {
            return false;
        }
        // If another move follows, the check is not checkmate. The legality of the following move is checked when it is
        // played.
        let next = self.bytes.get(self.at + 1);
        let seen = |position: &Position, m, check| {
            let followed = || next.is_some_and(|next| STEPS[side][usize::from(*next)].relation != 0);
            let threat = match check {
                false => Threat::None,
                true if followed() => Threat::Check,
                true => Threat::CheckOrMate,
            };
            before(position, m, threat);
        };
        let m = Move::plain(Square::masked(from), Square::masked(to));
        let piece = (PieceId(slot), role);
        let played = self.line.play_reaching::<BLACK>(m, piece, self.proved, seen);
        self.at += usize::from(played);
        played
    }

    /// Returns the next element and plays it. Returns `None` at the end of an intact stream.
    ///
    /// Calls `before` with each move and the position before it.
    pub fn advance(&mut self, mut before: impl FnMut(&Position, Move)) -> Result<Option<Item<'a>>, DecodeError> {
        let start = self.at;
        let Some((item, promoted)) = self.take().map_err(|fault| DecodeError { fault, offset: start })? else {
            return Ok(None);
        };
        match item {
            Item::Move(m) => {
                // An element of one byte is canonical, because no form is shorter.
                if self.at - start > 1 {
                    self.scratch.clear();
                    push_move(self.line.position(), m, &mut self.scratch);
                    self.canonical &= self.bytes.get(start..self.at) == Some(self.scratch.as_slice());
                }
                before(self.line.position(), m);
                let promoted =
                    promoted.or_else(|| m.promotion().map(|role| self.line.position().promoted_piece(m.from, role)));
                self.line.play_as(m, promoted);
            }
            Item::Open => self.line.open(),
            Item::Close => self.line.close(),
            _ => {}
        }
        self.quick = self.position().knows_checks() && !self.ended;
        Ok(Some(item))
    }
}

/// The effect of a one-byte plain move, for one side.
#[derive(Clone, Copy)]
struct Step {
    /// The possible destinations. Pawns that reach the last rank are excluded, and a pawn moves two squares only from
    /// its start.
    targets: u64,
    slot: u8,
    /// The step between the squares, modulo 256.
    step: u8,
    role: Role,
    /// The `RELATION` of the move's squares, or 0 if the byte is not a plain move.
    relation: u8,
    /// The allowed contents of the target square: `EMPTY_SQUARE`, `TAKEN`, or both.
    onto: u8,
}

const EMPTY_SQUARE: u8 = 1;
const TAKEN: u8 = 2;

/// The `Step` of each byte, for White and for Black.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static STEPS: [[Step; 256]; 2] = {
    // The steps of a pawn: step 1, step 2, capture right, capture left, from the player's point of view.
    const PAWN: [[u8; 4]; 2] = [[2, 2, 1, 3], [6, 6, 5, 7]];
    const INNER: u64 = 0x00FF_FFFF_FFFF_FF00;
    const FOURTH: [u64; 2] = [0xFF << 24, 0xFF << 32];
    let mut tables = [[Step { targets: 0, slot: NOBODY, step: 0, role: Role::Pawn, relation: 0, onto: 0 }; 256]; 2];
    let mut at = 0;
    while at < 512 {
        let (black, byte) = (at >> 8, at as u8);
        let Entry { slot, step, .. } = TABLE[black][byte as usize];
        let pawn = byte >> 3 & 3;
        let (targets, relation, onto) = match (byte, pawn) {
            (0x08..=0x0F, _) => (u64::MAX, byte, EMPTY_SQUARE | TAKEN),
            (0x10..=0x1F, _) => (u64::MAX, 0x40 | byte & 7, EMPTY_SQUARE | TAKEN),
            (0x20..=0x3F, 0) => (INNER, 0x08 | PAWN[black][0], EMPTY_SQUARE),
            (0x20..=0x3F, 1) => (FOURTH[black], 0x10 | PAWN[black][1], EMPTY_SQUARE),
            (0x20..=0x3F, _) => (INNER, 0x08 | PAWN[black][pawn as usize], TAKEN),
            (0x48..=0x7F | 0x88..=0xBF | 0xC8..=0xFF, _) => (u64::MAX, byte & 0x3F, EMPTY_SQUARE | TAKEN),
            _ => (0, 0, 0),
        };
        tables[black][byte as usize] = Step { targets, slot, step, role: PieceId(slot).role(), relation, onto };
        at += 1;
    }
    tables
};

/// Returns the square at this distance in files and ranks, or `None` if it is off the board.
fn offset(from: Square, files: i8, ranks: i8) -> Option<Square> {
    let (file, rank) = (from.file_index() as i8 + files, from.rank_index() as i8 + ranks);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then(|| Square::at(file as u8, rank as u8))
}

/// Calls `visit` with each move of a stream, including variations, and with the position before the move, up to the
/// first fault.
///
/// The writer has verified the moves, so moves that leave their king in check are not detected.
pub(crate) fn each_move(start: &Position, stream: &[u8], visit: &mut dyn FnMut(&Position, Move)) {
    let mut decoder = Decoder::proved(stream, start.clone(), TextPlaces::Apart);
    loop {
        while decoder.advance_plain(|before, m, _| visit(before, m)) {}
        match decoder.advance(|before, m| visit(before, m)) {
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return,
        }
    }
}

//! Reads and writes lines as text: SAN with or without check marks and move numbers, or UCI.

use super::MOST_MOVES;
use super::board::LineBoard;
use super::scene::Scene;
use crate::chess::{Color, Role, Square};
use crate::turned::attacks::squares;
use crate::turned::board::{KING_, PAWN, TurnedMove, all};

/// The notation of a line, identified by the letter of its field. A line with an upper-case letter begins after the
/// commented move, and a line with a lower-case letter begins before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LineField(u8);

impl LineField {
    /// The fields, most frequent first: SAN, SAN without check marks, SAN with separate and with joined numbers, and
    /// UCI.
    pub(crate) const ALL: [LineField; 10] = [
        LineField(b'v'),
        LineField(b'V'),
        LineField(b'w'),
        LineField(b'W'),
        LineField(b'x'),
        LineField(b'X'),
        LineField(b'y'),
        LineField(b'Y'),
        LineField(b'u'),
        LineField(b'U'),
    ];

    /// Returns the field with this letter.
    pub(crate) fn from_letter(letter: u8) -> Option<LineField> {
        LineField::ALL.into_iter().find(|field| field.0 == letter)
    }

    pub(crate) fn letter(self) -> u8 {
        self.0
    }

    pub(super) fn is_after(self) -> bool {
        self.0.is_ascii_uppercase()
    }

    /// Returns whether the line is written with `+` and `#`.
    pub(super) fn has_marks(self) -> bool {
        matches!(self.0 | 0x20, b'v' | b'x' | b'y')
    }

    fn is_uci(self) -> bool {
        self.0 | 0x20 == b'u'
    }

    /// Returns whether a blank follows the move numbers of the line, or `None` if the line has no move numbers.
    fn numbers(self) -> Option<bool> {
        match self.0 | 0x20 {
            b'x' => Some(true),
            b'y' => Some(false),
            _ => None,
        }
    }
}

/// Writes the moves of a line.
pub(super) struct LineWriter {
    field: LineField,
    number: u32,
    is_first: bool,
}

impl LineWriter {
    /// Returns a writer of a line whose first move has this number.
    pub(super) fn new(field: LineField, number: u32) -> LineWriter {
        LineWriter { field, number, is_first: true }
    }

    /// Passes over a move that needs not be written.
    #[inline]
    fn pass(&mut self, at: &LineBoard) {
        self.number = self.number.wrapping_add(u32::from(at.turn() == Color::Black));
        self.is_first = false;
    }

    /// Appends a legal move without its check mark.
    #[inline]
    pub(super) fn push(&mut self, at: &LineBoard, step: TurnedMove, out: &mut Vec<u8>) {
        if !self.is_first {
            out.push(b' ');
        }
        let white = at.turn() == Color::White;
        if let Some(blank) = self.field.numbers()
            && (white || self.is_first)
        {
            out.extend_from_slice(self.number.to_string().as_bytes());
            out.extend_from_slice(if white { b"." } else { b"..." });
            if blank {
                out.push(b' ');
            }
        }
        self.pass(at);
        if self.field.is_uci() { push_uci(at, step, out) } else { push_san(at, step, out) }
    }
}

#[inline(always)]
fn name(at: &LineBoard, square: u8) -> [u8; 2] {
    Square::masked(square ^ at.flip).name()
}

fn push_uci(at: &LineBoard, step: TurnedMove, out: &mut Vec<u8>) {
    out.extend_from_slice(&name(at, step.from));
    // In standard chess, the king moves two squares. In Chess960, castling is written as a move to the rook's square.
    let standard = step.from == 4 && (step.to == 0 || step.to == 7);
    let to = if at.castles(step) && !standard { step.to } else { at.arrival(step) };
    out.extend_from_slice(&name(at, to));
    if let Some(role) = Role::ALL.get(usize::from(step.promotion)).filter(|_| step.promotion != 0) {
        out.push(role.letter() | 0x20);
    }
}

/// Appends a move in the SAN of the format's section 12, without a check mark.
#[inline]
fn push_san(at: &LineBoard, step: TurnedMove, out: &mut Vec<u8>) {
    if at.castles(step) {
        return out.extend_from_slice(if step.to > step.from { b"O-O" } else { b"O-O-O" });
    }
    let (role, takes, to) = (at.board.role(step.from) as usize, at.takes(step), name(at, step.to));
    let from = name(at, step.from);
    if role == PAWN {
        if takes {
            out.extend_from_slice(&[from[0], b'x']);
        }
        out.extend_from_slice(&to);
        if let Some(role) = Role::ALL.get(usize::from(step.promotion)).filter(|_| step.promotion != 0) {
            out.extend_from_slice(&[b'=', role.letter()]);
        }
        return;
    }
    out.push(Role::ALL.get(role).map_or(b'?', |role| role.letter()));
    let others = at.reaching(role, step.to) & !(1 << (step.from & 63));
    if others != 0 {
        let others: u64 = squares(others)
            .filter(|from| at.is_legal(TurnedMove { from: *from, to: step.to, promotion: 0 }))
            .fold(0, |set, square| set | 1 << square);
        let (file, rank) = (0x0101_0101_0101_0101u64 << (step.from & 7), 0xFFu64 << (step.from & 56));
        if others & file == 0 {
            out.extend(from.first().filter(|_| others != 0));
        } else if others & rank == 0 {
            out.push(from[1]);
        } else {
            out.extend_from_slice(&from);
        }
    }
    if takes {
        out.push(b'x');
    }
    out.extend_from_slice(&to);
}

/// Returns the square with this name, on the turned board.
fn square(at: &LineBoard, name: &[u8]) -> Option<u8> {
    Some(Square::parse(name)?.index() ^ at.flip)
}

/// Returns a move that a word may denote in SAN or UCI.
#[inline]
fn find(at: &LineBoard, field: LineField, word: &[u8]) -> Option<TurnedMove> {
    let board = &at.board;
    let castle = |king_side: bool| {
        let rooks = at.castling_rooks();
        let to = squares(rooks).find(|rook| (*rook > board.king()) == king_side)?;
        Some(TurnedMove { from: board.king(), to, promotion: 0 })
    };
    if field.is_uci() {
        let (from, to, role) = match word {
            [a, b, c, d] => ([*a, *b], [*c, *d], None),
            [a, b, c, d, role] => ([*a, *b], [*c, *d], Some(role & !0x20)),
            _ => return None,
        };
        let promotion = match role {
            Some(letter) => Role::from_letter(letter)? as u8,
            None => 0,
        };
        let (from, to) = (square(at, &from)?, square(at, &to)?);
        if board.role(from) == KING_ as u8
            && from == 4
            && (to == 6 || to == 2)
            && at.targets(KING_, from) & 1 << to == 0
        {
            return castle(to == 6);
        }
        return Some(TurnedMove { from, to, promotion });
    }
    match word {
        b"O-O" => castle(true),
        b"O-O-O" => castle(false),
        _ => find_san(at, word),
    }
}

/// Returns a move that a word may denote in SAN, except for castling.
#[inline]
fn find_san(at: &LineBoard, word: &[u8]) -> Option<TurnedMove> {
    let board = &at.board;
    let (role, rest) = match word {
        [letter @ (b'N' | b'B' | b'R' | b'Q' | b'K'), rest @ ..] => (Role::from_letter(*letter)? as usize, rest),
        word => (PAWN, word),
    };
    let (rest, promotion) = match rest {
        [rest @ .., b'=', letter] => (rest, Role::from_letter(*letter)? as u8),
        rest => (rest, 0),
    };
    let (hints, to) = rest.split_last_chunk::<2>()?;
    let to = square(at, to)?;
    if role == PAWN {
        let from = match hints {
            [] if to < 8 => return None,
            [] => {
                let single = to - 8;
                if board.role(single) == PAWN as u8 && all(&board.us) >> single & 1 != 0 {
                    single
                } else {
                    to.checked_sub(16)?
                }
            }
            [file, b'x'] => to.checked_sub(8)? & 56 | file.checked_sub(b'a').filter(|file| *file < 8)?,
            _ => return None,
        };
        return Some(TurnedMove { from, to, promotion });
    }
    let mut set = at.reaching(role, to);
    for hint in hints {
        set &= match hint {
            b'a'..=b'h' => 0x0101_0101_0101_0101u64 << (hint - b'a'),
            b'1'..=b'8' => 0xFFu64 << (((hint - b'1') << 3) ^ at.flip),
            b'x' => u64::MAX,
            _ => return None,
        };
    }
    let moves = squares(set).map(|from| TurnedMove { from, to, promotion: 0 });
    if set & set.wrapping_sub(1) == 0 { moves.last() } else { moves.into_iter().find(|step| at.is_legal(*step)) }
}

/// Returns the legal move of a word that is the only SAN of this move: a move of a piece that needs no distinction, or of
/// a pawn without a promotion. Other words take longer, and may be such words as well.
#[inline]
fn find_plain(at: &LineBoard, word: &[u8]) -> Option<TurnedMove> {
    let (role, takes, to) = match word {
        [letter @ (b'N' | b'B' | b'R' | b'Q' | b'K'), rest @ ..] => match rest {
            [b'x', to @ ..] => (Role::from_letter(*letter)? as usize, true, square(at, to)?),
            to => (Role::from_letter(*letter)? as usize, false, square(at, to)?),
        },
        [_, b'x', ..] | [_, _] => {
            let step = find_san(at, word)?;
            let is_plain = at.board.role(step.from) == PAWN as u8 && step.to < 56 && at.takes(step) == (word.len() > 2);
            return (is_plain && at.is_legal(step)).then_some(step);
        }
        _ => return None,
    };
    let (board, set) = (&at.board, at.reaching(role, to));
    let target = 1u64 << to;
    if set == 0
        || set & (set - 1) != 0
        || all(&board.us) & target != 0
        || (at.others() & target != 0) != takes
        || board.them.get(KING_).is_none_or(|king| king & target != 0)
    {
        return None;
    }
    let step = TurnedMove { from: set.trailing_zeros() as u8, to, promotion: 0 };
    at.keeps_king(step).then_some(step)
}

/// A line of moves that was read from a text.
pub(crate) type Line = Vec<LineMove>;

/// A move of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineMove {
    pub(super) step: TurnedMove,
    /// Whether the move is marked as checkmate.
    pub(super) mates: bool,
    /// The board after the move. Copies of boards take less time than to play the moves again.
    pub(super) after: LineBoard,
}

/// Returns the line that a text states. Returns `None` if the field's writer does not reproduce the text.
pub(crate) fn read_line(field: LineField, scene: &Scene, text: &[u8]) -> Option<Line> {
    let mut line = Line::new();
    if text.is_empty() {
        return Some(line);
    }
    let first = scene.board(field.is_after())?;
    let mut writer = LineWriter::new(field, scene.number(field.is_after()));
    let is_plain = field.numbers().is_none() && !field.is_uci();
    let (mut rest, mut written) = (text, Vec::new());
    while !rest.is_empty() {
        let at = line.last().map_or(first, |played| &played.after);
        // A number may precede the move, with or without a blank.
        let blank = usize::from(!line.is_empty());
        let mut from = blank;
        if field.numbers().is_some() {
            from += rest.get(from..)?.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
            from += usize::from(from > blank && rest.get(from) == Some(&b' '));
        }
        let tail = rest.get(from..)?;
        let length = tail.iter().take(10).position(|byte| *byte == b' ').unwrap_or(tail.len());
        let word = tail.get(..length).filter(|word| word.len() < 10)?;
        let (word, mark) = match word {
            [word @ .., mark @ (b'+' | b'#')] => (word, Some(*mark)),
            word => (word, None),
        };
        let plain = if is_plain { find_plain(at, word) } else { None };
        let step = match plain {
            Some(step) if blank == 0 || rest.first() == Some(&b' ') => {
                writer.pass(at);
                rest = rest.get(from + word.len()..)?;
                step
            }
            _ => {
                let step = find(at, field, word).filter(|step| at.is_legal(*step))?;
                written.clear();
                writer.push(at, step, &mut written);
                rest = rest.strip_prefix(&written[..])?;
                step
            }
        };
        match line.len().checked_sub(1) {
            None => {
                // A move and its blank are usually at least four bytes long.
                line.reserve((text.len() / 4 + 1).min(MOST_MOVES));
                line.push(LineMove { step, mates: false, after: *first });
            }
            // Copies the board once, to its place.
            Some(last) => line.extend_from_within(last..),
        }
        let played = line.last_mut()?;
        (played.step, played.mates) = (step, mark == Some(b'#'));
        played.after.play(step);
        if mark.is_some() != (field.has_marks() && played.after.checkers != 0) || line.len() > MOST_MOVES {
            return None;
        }
        rest = rest.get(usize::from(mark.is_some())..)?;
    }
    Some(line)
}

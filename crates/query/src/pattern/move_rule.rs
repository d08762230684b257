//! Conditions on moves, and moves determined from the boards before and after them.

use crate::fault::{Fault, QueryFault, reason};
use crate::position::position_query::class;
use scoresheet::brenner::replay::ReplayState;
use scoresheet::brenner::{CASTLE_A, CASTLE_H};
use scoresheet::chess::{CastlingSide, Color, Role};

/// The effect of a move on the opposing king: check or checkmate.
///
/// [`MoveRule::parse`] reads it from the suffixes `+` and `#`, and [`MoveRule`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Gives {
    /// Check or mate.
    Check,
    /// Mate.
    Mate,
}

/// A condition on a move, written like SAN but independent of any position.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. f3 e5 2. g4 Qh4# 0-1\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::chess::Color;
/// use scoresheet_query::ArchiveSet;
/// use scoresheet_query::pattern::{Condition, MoveRule, Pattern};
///
/// let set = ArchiveSet::open([&target])?;
/// let games = |text, color| {
///     let moves = vec![MoveRule::parse(text, color)?];
///     let found = set.find(Pattern::lasting(Condition { moves, ..Condition::default() }, 1))?;
///     Ok::<_, Box<dyn std::error::Error>>(found.iter().map(|found| found.game).collect::<Vec<_>>())
/// };
/// assert_eq!(games("Qh4#", Color::Black)?, [1]); // on this square
/// assert_eq!(games("Qxe5", Color::White)?, [2]); // with or without check
/// assert!(games("Qh4", Color::White)?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveRule {
    color: Color,
    castle: Option<CastlingSide>,
    /// Whether the move must be a capture.
    captures: bool,
    gives: Option<Gives>,
    role: Role,
    /// The square to which the piece moves, or `None` for a promotion or an en passant capture on any square.
    to: Option<u8>,
    file: Option<u8>,
    rank: Option<u8>,
    /// The roles to which a pawn may be promoted, as bits, or 0 if any move matches.
    promotions: u8,
    is_en_passant: bool,
}

impl MoveRule {
    /// Parses the notation of a move, such as `Nf3`, `Rac1`, `exd5`, `e8=Q` or `O-O`. Omitted parts match anything. `x`
    /// requires a capture, `+` requires a check (or checkmate), and `#` requires a checkmate. `=N` is a promotion to a
    /// knight on any square, `=[NBR]` one to any of these pieces, and `x=N` one by a capture. `e.p.` is any en passant
    /// capture, and `exd6 e.p.` is this one.
    pub fn parse(text: &str, color: Color) -> Result<MoveRule, QueryFault> {
        MoveRule::read(text, color).map_err(QueryFault::within(text))
    }

    pub(crate) fn read(text: &str, color: Color) -> Result<MoveRule, Fault> {
        let text = text.trim_end_matches(['!', '?']);
        let bytes = text.trim_end_matches(['+', '#']).as_bytes();
        let gives = match text.as_bytes().get(bytes.len()..) {
            Some(b"+" | b"++") => Some(Gives::Check),
            Some(b"#") => Some(Gives::Mate),
            Some(b"") => None,
            _ => return Err((bytes.len()..text.len(), reason!("check_or_mate", "write + for check or # for mate"))),
        };
        let mut rule = MoveRule {
            color,
            castle: None,
            captures: false,
            gives,
            role: Role::King,
            to: None,
            file: None,
            rank: None,
            promotions: 0,
            is_en_passant: false,
        };
        let fault =
            || (0..text.len(), reason!("not_move", "not a move: write for example Nf3, exd5, e8=Q, =N, e.p. or O-O"));
        rule.castle = match bytes {
            b"O-O" | b"0-0" => Some(CastlingSide::King),
            b"O-O-O" | b"0-0-0" => Some(CastlingSide::Queen),
            _ => None,
        };
        if rule.castle.is_some() {
            return Ok(rule);
        }
        let bytes = match bytes.strip_suffix(b"e.p.") {
            Some(rest) => {
                rule.is_en_passant = true;
                rest.trim_ascii_end()
            }
            None => bytes,
        };
        let (role, rest) = match bytes {
            [] if rule.is_en_passant => (Role::Pawn, bytes),
            [letter, rest @ ..] => Role::from_letter(*letter).map_or((Role::Pawn, bytes), |role| (role, rest)),
            [] => return Err(fault()),
        };
        let mut is_promotion = |letters: &[u8]| {
            for letter in letters {
                let promoted = Role::from_letter(*letter).filter(|role| !matches!(role, Role::Pawn | Role::King));
                rule.promotions |= 1 << promoted.filter(|_| role == Role::Pawn).ok_or_else(fault)? as u8;
            }
            if letters.is_empty() { Err(fault()) } else { Ok(()) }
        };
        let rest = match rest.iter().position(|byte| *byte == b'=').map(|at| rest.split_at(at)) {
            Some((rest, [b'=', b'[', letters @ .., b']'])) => is_promotion(letters).map(|()| rest)?,
            Some((rest, [b'=', letter])) => is_promotion(&[*letter]).map(|()| rest)?,
            Some(_) => return Err(fault()),
            None => rest,
        };
        rule.role = role;
        let head = match rest {
            b"" | b"x" if rule.promotions != 0 || rule.is_en_passant => rest,
            rest => {
                let (head, target) = rest.split_last_chunk::<2>().ok_or_else(fault)?;
                rule.to = Some(scoresheet::chess::Square::parse(target).ok_or_else(fault)?.index());
                head
            }
        };
        let from = head.strip_suffix(b"x");
        rule.captures = from.is_some();
        for letter in from.unwrap_or(head) {
            match letter {
                b'a'..=b'h' if rule.file.is_none() && rule.rank.is_none() => rule.file = Some(letter - b'a'),
                b'1'..=b'8' if rule.rank.is_none() => rule.rank = Some(letter - b'1'),
                _ => return Err(fault()),
            }
        }
        Ok(rule)
    }

    /// Returns the rule for the other side, on a flipped board.
    pub(super) fn swapped(&self) -> MoveRule {
        MoveRule {
            color: self.color.other(),
            to: self.to.map(|to| to ^ 56),
            rank: self.rank.map(|rank| 7 - rank),
            ..*self
        }
    }

    /// Returns whether the move that led to the position `after` matches the rule.
    pub(super) fn matches(&self, played: &Played, after: &ReplayState<'_>) -> bool {
        self.is_played(played)
            && match self.gives {
                None => true,
                Some(Gives::Check) => after.position().in_check(),
                Some(Gives::Mate) => after.position().is_checkmate(),
            }
    }

    /// Returns whether a move of `color` between these boards may match the rule, judging by the target square alone.
    #[inline]
    pub(super) fn may_match(&self, before: &[u8; 64], after: &[u8; 64], color: Color) -> bool {
        let arrives = || match self.to {
            Some(to) => before[usize::from(to & 63)] != after[usize::from(to & 63)],
            None => {
                let rank = match (self.is_en_passant, color) {
                    (false, Color::White) => 56..64,
                    (false, Color::Black) => 0..8,
                    (true, Color::White) => 40..48,
                    (true, Color::Black) => 16..24,
                };
                before[rank.clone()] != after[rank]
            }
        };
        self.color == color && (self.castle.is_some() || arrives())
    }

    fn is_played(&self, played: &Played) -> bool {
        let is = |required: Option<u8>, found: u8| required.is_none_or(|required| required == found);
        self.color == played.color
            && self.castle == played.castle
            && (self.castle.is_some()
                || self.role as u8 == played.role
                    && (!self.captures || played.captured.is_some())
                    && is(self.to, played.to)
                    && is(self.file, played.from & 7)
                    && is(self.rank, played.from >> 3)
                    && (!self.is_en_passant || played.is_en_passant)
                    && (self.promotions == 0 || played.promotion.is_some_and(|role| self.promotions >> role & 1 != 0)))
    }
}

/// A move that was determined from the boards before and after it.
pub(super) struct Played {
    color: Color,
    from: u8,
    to: u8,
    pub(super) role: u8,
    pub(super) captured: Option<u8>,
    castle: Option<CastlingSide>,
    promotion: Option<u8>,
    is_en_passant: bool,
}

impl Played {
    /// Returns the move between two boards, or `None` for the null move. `code` is the last byte of the move's
    /// encoding.
    pub(super) fn of(before: &[u8; 64], after: &[u8; 64], color: Color, code: Option<&u8>) -> Option<Played> {
        let is_of_mover = |class: u8| (1..13).contains(&class) && (class > 6) == (color == Color::Black);
        let (mut from, mut to, mut captured, mut lost_pawn) = (None, None, None, false);
        for square in (0..64u8).filter(|square| before[usize::from(square & 63)] != after[usize::from(square & 63)]) {
            let [then, now] = [before, after].map(|board| class(board[usize::from(square & 63)]));
            if is_of_mover(then) {
                lost_pawn |= (then - 1) % 6 == Role::Pawn as u8;
                // For castling, the king is recorded as the moved piece, not the rook.
                if from.is_none() || (then - 1) % 6 == Role::King as u8 {
                    from = Some((square, (then - 1) % 6));
                }
            } else if then != 0 {
                captured = Some((square, (then - 1) % 6));
            }
            if is_of_mover(now) && (to.is_none() || (now - 1) % 6 == Role::King as u8) {
                to = Some((square, (now - 1) % 6));
            }
        }
        let ((from, role), (to, arrived)) = (from?, to?);
        let castle = match code {
            Some(&CASTLE_H) if !lost_pawn => Some(CastlingSide::King),
            Some(&CASTLE_A) if !lost_pawn => Some(CastlingSide::Queen),
            _ => None,
        };
        let role = if castle.is_some() { Role::King as u8 } else { role };
        let promotion = (role != arrived && castle.is_none()).then_some(arrived);
        let is_en_passant = captured.is_some_and(|(square, _)| square != to);
        let captured = captured.map(|(_, role)| role);
        Some(Played { color, from, to, role, captured, castle, promotion, is_en_passant })
    }
}

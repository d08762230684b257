//! Patterns, which are conditions on a position or on the move that led to it (boards, material, imbalance, moves), and
//! sequences of such conditions.

mod imbalance;
pub mod json;
pub(crate) mod json_path;
mod move_numbers;
mod move_rule;
mod search;
mod structure;

pub use search::PatternOptions;
pub use structure::Structure;

use crate::fault::{Fault, QueryFault, Reason, letter, reason, run};
use crate::position::position_query::class;
pub use imbalance::Imbalance;
pub use move_numbers::MoveNumbers;
pub use move_rule::MoveRule;
use move_rule::Played;
use scoresheet::brenner::replay::{Replay, ReplayError, ReplayState};
use scoresheet::brenner::standalone::Stream;
use scoresheet::chess::{Color, Role, Variant};
use scoresheet::game::Outcome;
use scoresheet::sort;

/// The bits of all classes of pieces, and of the empty square.
const ANY: u16 = (1 << 13) - 1;

fn class_of(letter: u8) -> Option<u8> {
    let role = Role::from_letter(letter.to_ascii_uppercase())?;
    Some(1 + role as u8 + if letter.is_ascii_uppercase() { 0 } else { 6 })
}

/// A board pattern, which defines the allowed contents of each square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardPattern(Vec<(u8, u16)>);

impl BoardPattern {
    /// Parses a board pattern: eight ranks, from the eighth rank to the first, separated by `/`. A letter stands for a
    /// piece, and a digit stands for a number of squares with any content. `?` stands for one square with any content,
    /// `.` for an empty square, `*` for any piece, `A` for any White piece, and `a` for any Black piece. `[Qr.]` stands
    /// for one of these contents, and `[^Pp]` for any content except these.
    pub fn parse(text: &str) -> Result<BoardPattern, QueryFault> {
        BoardPattern::read(text).map_err(QueryFault::within(text))
    }

    /// Parses the piece placement of a FEN: the pieces in it must be on the board, and other pieces are ignored. Later
    /// fields are ignored.
    pub fn parse_sub_fen(text: &str) -> Result<BoardPattern, QueryFault> {
        BoardPattern::read_sub_fen(text).map_err(QueryFault::within(text))
    }

    /// Parses a board on which only the pawns are compared. There must be exactly these pawns. A pawn on rank 1 or 8
    /// causes an error.
    pub fn parse_pawns(text: &str) -> Result<BoardPattern, QueryFault> {
        BoardPattern::read_pawns(text).map_err(QueryFault::within(text))
    }

    pub(crate) fn read(text: &str) -> Result<BoardPattern, Fault> {
        let bytes = text.as_bytes();
        let (mut at, mut file, mut rank, mut squares) = (0, 0u8, 7u8, Vec::new());
        let fault = |at: usize, what: Reason| (letter(text, at), what);
        while let Some(&byte) = bytes.get(at) {
            let begun = at;
            at += 1;
            match byte {
                b'/' => {
                    if file != 8 {
                        return Err(fault(begun, reason!("rank_squares", "a rank has eight squares")));
                    }
                    rank =
                        rank.checked_sub(1).ok_or_else(|| fault(begun, reason!("ranks", "a board has eight ranks")))?;
                    file = 0;
                    continue;
                }
                b'1'..=b'8' => {
                    file += byte - b'0';
                    if file > 8 {
                        return Err(fault(begun, reason!("rank_squares", "a rank has eight squares")));
                    }
                    continue;
                }
                _ => {}
            }
            let mask = if byte == b'[' {
                let negated = bytes.get(at) == Some(&b'^');
                at += usize::from(negated);
                let mut mask = 0;
                loop {
                    match bytes.get(at) {
                        Some(b']') => break,
                        Some(letter) => {
                            mask |= mask_of(*letter).ok_or_else(|| {
                                fault(
                                    at,
                                    reason!(
                                        "not_piece",
                                        "not a piece: write one of {letters}",
                                        letters = "PNBRQKpnbrqk.*Aa"
                                    ),
                                )
                            })?
                        }
                        None => return Err((begun..bytes.len(), reason!("bracket", "missing closing bracket"))),
                    }
                    at += 1;
                }
                at += 1;
                if negated { ANY & !mask } else { mask }
            } else {
                mask_of(byte).ok_or_else(|| {
                    fault(begun, reason!("not_board", "not a piece, a number of squares or one of .?*Aa["))
                })?
            };
            if file == 8 {
                return Err(fault(begun, reason!("rank_squares", "a rank has eight squares")));
            }
            if mask != ANY {
                squares.push((rank * 8 + file, mask));
            }
            file += 1;
        }
        if rank != 0 || file != 8 {
            return Err(fault(bytes.len(), reason!("board", "a board has eight ranks of eight squares")));
        }
        Ok(BoardPattern(squares))
    }

    pub(crate) fn read_sub_fen(text: &str) -> Result<BoardPattern, Fault> {
        let placement = text.split(' ').next().unwrap_or_default();
        let invalid =
            placement.bytes().position(|byte| !matches!(byte, b'/' | b'1'..=b'8') && class_of(byte).is_none());
        match invalid {
            Some(at) => Err((letter(text, at), reason!("not_squares", "not a piece or a number of empty squares"))),
            None => BoardPattern::read(placement),
        }
    }

    pub(crate) fn read_pawns(text: &str) -> Result<BoardPattern, Fault> {
        let pawns = 1 << 1 | 1 << 7;
        let BoardPattern(written) = BoardPattern::read_sub_fen(text)?;
        let mut slashes = 0;
        for (at, byte) in text.bytes().enumerate().take_while(|(_, byte)| *byte != b' ') {
            slashes += u8::from(byte == b'/');
            if matches!(byte, b'P' | b'p') && matches!(slashes, 0 | 7) {
                return Err((at..at + 1, reason!("pawn_rank", "no pawn stands on rank {rank}", rank = 8 - slashes)));
            }
        }
        let of = |square: u8| {
            let mask = written.iter().find(|(at, _)| *at == square).map_or(0, |(_, mask)| mask & pawns);
            (square, if mask == 0 { ANY & !pawns } else { mask })
        };
        // Pawns are compared first, because they differ most between positions.
        let mut squares: Vec<(u8, u16)> = (0..64).map(of).collect();
        sort::by_key(&mut squares, |(_, mask)| mask & !pawns != 0);
        Ok(BoardPattern(squares))
    }

    #[inline]
    fn matches(&self, board: &[u8; 64]) -> bool {
        self.0.iter().all(|(square, mask)| mask >> class(board[usize::from(square & 63)]) & 1 != 0)
    }

    fn swapped(&self) -> BoardPattern {
        let swap = |mask: u16| mask & 1 | (mask >> 1 & 63) << 7 | (mask >> 7 & 63) << 1;
        BoardPattern(self.0.iter().map(|(square, mask)| (square ^ 56, swap(*mask))).collect())
    }
}

fn mask_of(letter: u8) -> Option<u16> {
    Some(match letter {
        b'.' => 1,
        b'?' => ANY,
        b'*' => ANY & !1,
        b'A' => 63 << 1,
        b'a' => 63 << 7,
        letter => 1 << class_of(letter)?,
    })
}

/// The number of pieces of each of the twelve kinds, where White's pawns come first.
type PieceCounts = [u8; 12];

/// The minimum and maximum number of pieces of each of the twelve kinds, where White's pawns come first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Material([(u8, u8); 12]);

impl Material {
    /// Parses a list of pieces with optional numbers, such as `KRPkr`. Upper-case letters are White's pieces, and
    /// lower-case letters are Black's. A number may follow a letter: `P2`, `P1-3`, `P2+`, `P+` (one or more), `P*` (any
    /// number), or `P?` (one or none). Pieces that are not listed must be absent. If all letters are upper case, the
    /// second K begins the list of Black's pieces.
    pub fn parse(text: &str) -> Result<Material, QueryFault> {
        Material::read(text).map_err(QueryFault::within(text))
    }

    pub(crate) fn read(text: &str) -> Result<Material, Fault> {
        let bytes = text.as_bytes();
        let lower = bytes.iter().any(u8::is_ascii_lowercase);
        let (mut counts, mut at, mut kings) = ([(0u8, 0u8); 12], 0, 0);
        while let Some(&letter) = bytes.get(at) {
            let begun = at;
            at += 1;
            let class = class_of(letter).ok_or_else(|| {
                let at = run(text, begun, |letter| {
                    letter.is_alphabetic() && u8::try_from(letter).ok().and_then(class_of).is_none()
                });
                (at, reason!("not_piece", "not a piece: write one of {letters}", letters = "PNBRQKpnbrqk"))
            })?;
            kings += usize::from(letter == b'K');
            let black = !lower && kings > 1;
            let first = number(text, &mut at)?;
            let next = bytes.get(at);
            at += usize::from(matches!((first, next), (None, Some(b'*' | b'?' | b'+')) | (Some(_), Some(b'+' | b'-'))));
            let (least, most) = match (first, next) {
                (None, Some(b'*')) => (0, 64),
                (None, Some(b'?')) => (0, 1),
                (None, Some(b'+')) => (1, 64),
                (None, _) => (1, 1),
                (Some(least), Some(b'+')) => (least, 64),
                (Some(least), Some(b'-')) => {
                    let begun = at;
                    let most = number(text, &mut at)?.filter(|most| least <= *most);
                    (least, most.ok_or_else(|| (begun..at, reason!("at_least", "expected at least {n}", n = least)))?)
                }
                (Some(number), _) => (number, number),
            };
            let index = usize::from(class - 1) + if black { 6 } else { 0 };
            if let Some(count) = counts.get_mut(index) {
                *count = (count.0.saturating_add(least), count.1.saturating_add(most));
            }
        }
        if bytes.is_empty() {
            return Err((0..0, reason!("no_pieces", "no pieces: write for example {letters}", letters = "KRPkr")));
        }
        Ok(Material(counts))
    }

    fn matches(&self, pieces: &PieceCounts) -> bool {
        self.0.iter().zip(pieces).all(|((least, most), pieces)| least <= pieces && pieces <= most)
    }

    fn swapped(&self) -> Material {
        let mut counts = self.0;
        counts.rotate_left(6);
        Material(counts)
    }
}

/// Parses the number from 0 to 64 at `at`, if there is one, and moves `at` past it.
fn number(text: &str, at: &mut usize) -> Result<Option<u8>, Fault> {
    let rest = text.get(*at..).unwrap_or_default();
    let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    if digits == 0 {
        return Ok(None);
    }
    let number = rest.get(..digits).and_then(|digits| digits.parse().ok()).filter(|number| *number <= 64);
    let fault = (*at..*at + digits, reason!("squares", "a board has 64 squares"));
    *at += digits;
    number.map(Some).ok_or(fault)
}

/// The way in which a game ends on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// By mate.
    Mate,
    /// By stalemate.
    Stalemate,
    /// In any way.
    Any,
}

impl Ending {
    /// Parses `mate`, `stalemate`, or `last` for any ending.
    pub(crate) fn read(text: &str) -> Result<Ending, Fault> {
        match text {
            "mate" => Ok(Ending::Mate),
            "stalemate" => Ok(Ending::Stalemate),
            "last" => Ok(Ending::Any),
            _ => Err((0..text.len(), reason!("ending", "expected mate, stalemate or last"))),
        }
    }
}

/// A condition on a position and on the move that led to it. At least one entry of each list must match. An empty list
/// imposes no condition.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. f3 e5 2. g4 Qh4# 0-1\n\n1. f3 d5 2. g4 Bxg4 3. fxg4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::pattern::{BoardPattern, Condition, Ending, Imbalance, Material, Pattern};
/// use scoresheet_query::ArchiveSet;
///
/// let set = ArchiveSet::open([&target])?;
/// let first = |condition| {
///     let found = set.find(Pattern::lasting(condition, 1))?;
///     Ok::<_, scoresheet::Error>(found.first().map(|found| (found.game, found.hits[0].ply)))
/// };
/// let any = Condition::default();
/// assert_eq!(first(Condition { ending: Some(Ending::Mate), ..any.clone() })?, Some((1, 4)));
/// let bishop_on_g4 = vec![BoardPattern::parse("8/8/8/8/6b1/8/8/8")?];
/// assert_eq!(first(Condition { boards: bishop_on_g4, ..any.clone() })?, Some((2, 4)));
/// let bishop_for_pawn = vec![Imbalance::parse("BvP")?];
/// assert_eq!(first(Condition { imbalances: bishop_for_pawn, ..any.clone() })?, Some((2, 5)));
/// assert_eq!(first(Condition { materials: vec![Material::parse("KRkr")?], ..any })?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Condition {
    /// The game's result.
    pub results: Vec<Outcome>,
    /// The position is the last one of the game, and the game has this ending.
    pub ending: Option<Ending>,
    /// Boards with blanks.
    pub boards: Vec<BoardPattern>,
    /// Pawns.
    pub pawns: Vec<BoardPattern>,
    /// Pieces on the board.
    pub materials: Vec<Material>,
    /// The surplus of each side over the other.
    pub imbalances: Vec<Imbalance>,
    /// Arrangements of pawns, bishops and kings.
    pub structures: Vec<Structure>,
    /// The number of the move that leads to the position.
    pub move_numbers: Option<MoveNumbers>,
    /// The move that leads to the position.
    pub moves: Vec<MoveRule>,
    /// The roles that the moved piece may have.
    pub moved: Option<Vec<Role>>,
    /// The roles that the captured piece may have. An empty list means that the move must not be a capture.
    pub captured: Option<Vec<Role>>,
    /// The side to move.
    pub side: Option<Color>,
}

impl Condition {
    /// Returns the condition with the colors exchanged and the board flipped.
    pub fn swapped(&self) -> Condition {
        Condition {
            results: self.results.clone(),
            boards: self.boards.iter().map(BoardPattern::swapped).collect(),
            pawns: self.pawns.iter().map(BoardPattern::swapped).collect(),
            materials: self.materials.iter().map(Material::swapped).collect(),
            imbalances: self.imbalances.iter().map(Imbalance::swapped).collect(),
            structures: self.structures.iter().map(Structure::swapped).collect(),
            moves: self.moves.iter().map(MoveRule::swapped).collect(),
            side: self.side.map(Color::other),
            ..self.clone()
        }
    }

    fn matches(&self, at: &At) -> bool {
        if self.side.is_some_and(|side| side != at.turn) {
            return false;
        }
        if self.move_numbers.is_some_and(|numbers| !numbers.hold(at.state.ply())) {
            return false;
        }
        let played = at.played.as_ref();
        if !self.moves.is_empty()
            && !played.is_some_and(|played| self.moves.iter().any(|rule| rule.matches(played, at.state)))
        {
            return false;
        }
        let one_of = |roles: &[Role], role: u8| roles.iter().any(|allowed| *allowed as u8 == role);
        if let Some(roles) = &self.moved
            && !played.is_some_and(|played| one_of(roles, played.role))
        {
            return false;
        }
        if let Some(roles) = &self.captured {
            let fits = played.is_some_and(|played| match played.captured {
                None => roles.is_empty(),
                Some(role) => one_of(roles, role),
            });
            if !fits {
                return false;
            }
        }
        let any = |boards: &[BoardPattern]| boards.is_empty() || boards.iter().any(|board| board.matches(at.board));
        if !any(&self.boards) || !any(&self.pawns) {
            return false;
        }
        if self.counts_pieces() {
            let fits = (self.materials.is_empty() || self.materials.iter().any(|material| material.matches(at.pieces)))
                && (self.imbalances.is_empty() || self.imbalances.iter().any(|imbalance| imbalance.matches(at.pieces)));
            if !fits {
                return false;
            }
        }
        if !self.structures.is_empty() {
            let bitboards = at.state.bitboards();
            if !self.structures.iter().any(|structure| structure.matches(&bitboards)) {
                return false;
            }
        }
        match self.ending {
            None => true,
            Some(_) if !at.last => false,
            Some(Ending::Any) => true,
            Some(Ending::Mate) => at.state.position().is_checkmate(),
            Some(Ending::Stalemate) => at.state.position().is_stalemate(),
        }
    }

    fn counts_pieces(&self) -> bool {
        !self.materials.is_empty() || !self.imbalances.is_empty()
    }

    fn has_roles(&self) -> bool {
        self.moved.is_some() || self.captured.is_some()
    }

    /// Returns the maximum numbers of White's pawns, Black's pawns, White's pieces and Black's pieces on a matching
    /// board.
    fn most(&self) -> [u8; 4] {
        let most = |classes: std::ops::Range<usize>| {
            let of = |material: &Material| {
                material
                    .0
                    .get(classes.clone())
                    .unwrap_or_default()
                    .iter()
                    .fold(0u8, |sum, (_, most)| sum.saturating_add(*most))
            };
            self.materials.iter().map(of).max().unwrap_or(u8::MAX)
        };
        [most(0..1), most(6..7), most(0..6), most(6..12)]
    }

    fn has_result(&self, outcome: Outcome) -> bool {
        self.results.is_empty() || self.results.contains(&outcome)
    }
}

/// A ply of a game, in the form in which conditions are tested on it.
struct At<'a> {
    board: &'a [u8; 64],
    /// The number of pieces of each class. It is computed only if a condition counts pieces.
    pieces: &'a PieceCounts,
    turn: Color,
    played: Option<Played>,
    last: bool,
    state: &'a ReplayState<'a>,
}

/// One or more conditions that must match at consecutive plies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Streak(pub Vec<Condition>);

/// A pattern: a list of streaks, each of which must begin after the end of the previous one.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 e5 2. Nf3 d6 *\n\n1. e4 d5 2. exd5 Qxd5 3. Nc3 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::chess::{Color, Role};
/// use scoresheet_query::ArchiveSet;
/// use scoresheet_query::pattern::{Condition, MoveRule, Pattern, Streak};
///
/// // A queen takes, and the next move attacks it with a knight.
/// let takes = Condition { moved: Some(vec![Role::Queen]), captured: Some(vec![Role::Pawn]), ..Condition::default() };
/// let attacks = Condition { moves: vec![MoveRule::parse("Nc3", Color::White)?], ..Condition::default() };
/// let pattern = Pattern(vec![Streak(vec![takes, attacks])]);
/// let found = ArchiveSet::open([&target])?.find(pattern)?;
/// assert_eq!((found.len(), found[0].game, found[0].hits[0].ply), (1, 2, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern(pub Vec<Streak>);

impl Pattern {
    /// Returns the pattern of a single condition that must match at this many consecutive plies.
    pub fn lasting(condition: Condition, plies: usize) -> Pattern {
        Pattern(vec![Streak(vec![condition; plies.max(1)])])
    }

    /// Returns the pattern with the colors exchanged and the board flipped.
    pub fn swapped(&self) -> Pattern {
        let turned = |streak: &Streak| Streak(streak.0.iter().map(Condition::swapped).collect());
        Pattern(self.0.iter().map(turned).collect())
    }

    fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.0.iter().flat_map(|streak| &streak.0)
    }

    /// Returns the maximum numbers of pawns and pieces of each side at the end of a game that matches the pattern.
    pub(crate) fn most(&self) -> [u8; 4] {
        self.conditions()
            .map(Condition::most)
            .fold([u8::MAX; 4], |all, material| std::array::from_fn(|i| all[i].min(material[i])))
    }

    /// Calls `found` with the plies of each match until `found` returns false. Each match begins after the end of the
    /// previous one; those of a single streak may overlap.
    ///
    /// The search finds the earliest matches: for each streak, it takes the first match that begins after the end of
    /// the previous streak. The game comes from an archive or is any other [`Stream`]. Its result is the one in the
    /// movetext.
    pub fn scan<'s>(
        &self,
        game: impl Into<Stream<'s>>,
        found: impl FnMut(Vec<u32>) -> bool,
    ) -> Result<(), ReplayError> {
        let game = game.into();
        self.scan_ended(game, game.outcome(), found)
    }

    /// Returns whether the pattern contains a condition on the result.
    pub(crate) fn asks_result(&self) -> bool {
        self.conditions().any(|condition| !condition.results.is_empty())
    }

    /// Searches a game with this result like `scan`.
    pub(crate) fn scan_ended(
        &self,
        game: Stream<'_>,
        outcome: Outcome,
        mut found: impl FnMut(Vec<u32>) -> bool,
    ) -> Result<(), ReplayError> {
        scan_each(&mut [Matcher::new(self)], game, outcome, &mut found)
    }
}

/// The state of the search for one pattern in a game.
struct Matcher<'p> {
    streaks: &'p [Streak],
    /// The number of streaks that have matched so far, and the plies at which they matched.
    done: usize,
    plies: Vec<u32>,
    /// For each ply at which the current streak may have begun, the number of its conditions that have matched so far.
    open: Vec<usize>,
    /// Whether the caller wants no further matches.
    is_over: bool,
}

impl<'p> Matcher<'p> {
    fn new(pattern: &'p Pattern) -> Matcher<'p> {
        Matcher { streaks: &pattern.0, done: 0, plies: Vec::new(), open: Vec::new(), is_over: pattern.0.is_empty() }
    }

    fn conditions(&self) -> impl Iterator<Item = &'p Condition> {
        self.streaks.iter().flat_map(|streak| &streak.0)
    }

    /// Adds the next ply. Calls `found` if the ply completes a match.
    fn see(&mut self, at: &At, found: &mut impl FnMut(Vec<u32>) -> bool) {
        let Some(Streak(streak)) = self.streaks.get(self.done) else { return };
        self.open.push(0);
        self.open.retain_mut(|held| {
            let holds = streak.get(*held).is_some_and(|condition| condition.matches(at));
            *held += usize::from(holds);
            holds
        });
        // The start that was opened first is completed first.
        if self.open.first() == Some(&streak.len()) {
            let end = at.state.ply();
            self.plies.extend(end + 1 - streak.len() as u32..=end);
            // Matches of a single streak may overlap: a condition that holds for 5 plies holds twice for 4.
            match self.streaks {
                [_] => drop(self.open.remove(0)),
                _ => self.open.clear(),
            }
            self.done += 1;
            if self.done == self.streaks.len() {
                self.done = 0;
                self.is_over = !found(std::mem::take(&mut self.plies));
            }
        }
    }
}

/// Replays a game with this result once and calls `found` with the matches of each pattern. If `found` returns false
/// for a pattern, the search for that pattern ends, and the other patterns can only complete the matches that they have
/// begun.
fn scan_each(
    patterns: &mut [Matcher<'_>],
    game: Stream<'_>,
    outcome: Outcome,
    found: &mut impl FnMut(Vec<u32>) -> bool,
) -> Result<(), ReplayError> {
    for pattern in patterns.iter_mut() {
        let may_match = pattern.conditions().all(|condition| condition.has_result(outcome));
        pattern.is_over |= !may_match;
    }
    let any = |which: fn(&Condition) -> bool| patterns.iter().flat_map(Matcher::conditions).any(which);
    let (has_roles, counts_pieces) = (any(Condition::has_roles), any(Condition::counts_pieces));
    let rules: Vec<MoveRule> =
        patterns.iter().flat_map(Matcher::conditions).flat_map(|condition| &condition.moves).copied().collect();
    let last_ply = if any(|condition| condition.ending.is_some()) { game.plies() } else { u32::MAX };
    let mut pieces = PieceCounts::default();
    // In variants, the numbers of pieces also change by drops.
    let recounts = game.start.variant() != Variant::Chess;
    // Returns whether the search for any pattern must continue.
    let mut see = |state: &ReplayState<'_>, played: Option<Played>| {
        // The numbers of pieces change only by captures and by promotions, and both reset the halfmove clock.
        if counts_pieces && (recounts || state.ply() == 0 || state.halfmove_clock() == 0) {
            pieces = state.bitboards().map(|squares| squares.count_ones() as u8);
        }
        let last = state.ply() == last_ply;
        let at = At { board: state.board(), pieces: &pieces, turn: state.turn(), played, last, state };
        let mut stopped = false;
        for pattern in patterns.iter_mut().filter(|pattern| !pattern.is_over) {
            pattern.see(&at, found);
            stopped |= pattern.is_over;
        }
        if stopped {
            for pattern in patterns.iter_mut() {
                pattern.is_over |= pattern.plies.is_empty() && pattern.open.is_empty();
            }
        }
        patterns.iter().any(|pattern| !pattern.is_over)
    };
    let (mut replay, mut stream) = (Replay::new(game.start), game.bytes);
    if !see(&replay.state(), None) {
        return Ok(());
    }
    if rules.is_empty() && !has_roles {
        return replay.run_while(stream, |state| see(state, None)).map(drop);
    }
    loop {
        let (before, color, ply) = (*replay.board(), replay.turn(), replay.ply() + 1);
        let used = replay.run(stream, ply)?;
        if replay.ply() < ply {
            return Ok(());
        }
        let after = replay.board();
        let is_of_interest = has_roles || rules.iter().any(|rule| rule.may_match(&before, after, color));
        let played = is_of_interest.then(|| {
            let code = used.checked_sub(1).and_then(|last| stream.get(last));
            Played::of(&before, after, color, code)
        });
        if !see(&replay.state(), played.flatten()) {
            return Ok(());
        }
        stream = stream.get(used..).unwrap_or_default();
    }
}

//! Replays moves: the board, the pieces in hand, and the pieces above squares during a move.

use super::action::{Action, Naming, Squares, Verb};
use super::game::GeneralGame;
use super::hand::Hand;
use crate::board::{Board, PieceName, Side};
use crate::fault::{Path, PcnError, PcnFault};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt;

/// The maximum number of pieces above squares at the same time. All known games need fewer.
const MAX_ABOVE: usize = 64;

/// The positions of all pieces at one point in a game.
///
/// [`GeneralGame`] has an example.
#[derive(Clone, PartialEq, Debug)]
pub struct BoardState {
    /// The board.
    pub board: Board,
    /// The pieces in the bottom side's hand.
    pub bottom_hand: Hand,
    /// The pieces in the top side's hand.
    pub top_hand: Hand,
    /// The side to move. In a game without moves, the bottom side is to move.
    pub to_move: Side,
    /// The pieces above squares, with the flat numbers of the squares. The list is used only during a move.
    above: Vec<(usize, PieceName)>,
}

/// An unusual but permitted property of a game.
///
/// ```
/// use scoresheet_pcn::general::{Remark, parse};
///
/// let text = br#"{"starting_position": ["W:K", null, "w:k"], "previous_moves": [[["X:S", "drop", 1]]]}"#;
/// let checked = parse(text)?[0].check()?;
/// assert!(matches!(checked.remarks[..], [Remark::DropOfUncaptured(..)])); // nothing was in hand
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remark {
    /// A piece that was not captured is dropped. The values are its name and the ply of the drop, counted from 1. If
    /// several such pieces have the same name, only the first is reported. The piece was in hand at the start, which
    /// PCN cannot express, or comes from an unlimited supply, like the stones of Go.
    DropOfUncaptured(PieceName, usize),
    /// The game begins with a move of the top side.
    TopBegins,
    /// The `current_position` in the cache differs from the board after the last move.
    CacheDiffers,
    /// The `current_position` in the cache is not a board of this size, so it was not compared.
    CacheUnreadable,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::DropOfUncaptured(name, ply) => {
                write!(
                    f,
                    "move {ply}: {name} was not captured before it is dropped; taken to be in hand from the start"
                )
            }
            Remark::TopBegins => f.write_str("the top side begins"),
            Remark::CacheDiffers => f.write_str("the cache's current_position is not the board after the last move"),
            Remark::CacheUnreadable => {
                f.write_str("the cache's current_position is no board of this game, so it is not compared")
            }
        }
    }
}

/// A game that has been replayed to its end.
///
/// [`Remark`] has an example.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    /// The final state.
    pub last: BoardState,
    /// The unusual properties.
    pub remarks: Vec<Remark>,
}

impl BoardState {
    fn start(game: &GeneralGame) -> BoardState {
        let mut state = BoardState {
            board: game.start.clone(),
            bottom_hand: Hand::default(),
            top_hand: Hand::default(),
            to_move: Side::Bottom,
            above: Vec::new(),
        };
        // A game that does not start from its beginning may start with either side. The first piece to move determines
        // the side.
        let first = game.moves.iter().enumerate().find_map(|(index, actions)| Some((index, actions.first()?)));
        if let Some((index, action)) = first {
            let mover = match (&action.subject, action.verb) {
                (Naming::Piece(name), _) => name.side(),
                _ => state.square(&action.subject, false).ok().and_then(|at| state.board.piece(at)?.side()),
            };
            let first_mover = mover.map(|side| if index % 2 == 0 { side } else { side.other() });
            state.to_move = first_mover.unwrap_or(Side::Bottom);
        }
        state
    }

    /// Returns the pieces in a side's hand.
    pub fn hand(&self, side: Side) -> &Hand {
        match side {
            Side::Bottom => &self.bottom_hand,
            Side::Top => &self.top_hand,
        }
    }

    fn hand_mut(&mut self, side: Side) -> &mut Hand {
        match side {
            Side::Bottom => &mut self.bottom_hand,
            Side::Top => &mut self.top_hand,
        }
    }

    fn flat(&self, coordinates: &[usize]) -> usize {
        coordinates.iter().zip(self.board.shape()).fold(0, |flat, (at, length)| flat * length + at)
    }

    /// Returns the flat number of a named square. A named piece is searched for on the board, or above it.
    fn square(&self, naming: &Naming, above: bool) -> Result<usize, PcnFault> {
        match naming {
            Naming::Coordinates(coordinates) => Ok(self.flat(coordinates)),
            Naming::Flat(flat) => Ok(*flat),
            Naming::Piece(name) => {
                let mut found: Box<dyn Iterator<Item = usize>> = if above {
                    Box::new(self.above.iter().filter(|(_, piece)| piece == name).map(|(at, _)| *at))
                } else {
                    Box::new(self.board.squares_of(name))
                };
                let first = found.next();
                first.filter(|_| found.next().is_none()).ok_or(PcnFault::NotUnique)
            }
        }
    }

    /// Returns whether the action moves a piece that is above its square.
    fn descends(&self, action: &Action) -> bool {
        match action.verb {
            Verb::Land | Verb::Stun => true,
            // A piece may jump over several pieces in succession.
            Verb::Jump => {
                self.square(&action.subject, true).is_ok_and(|at| self.above.iter().any(|(above, _)| *above == at))
            }
            _ => false,
        }
    }

    /// Applies an action. Returns the name of the piece if it was dropped but was not in hand.
    fn act(&mut self, action: &Action, path: &Path<'_>) -> Result<Option<PieceName>, PcnError> {
        let (subject_path, object_path) = (path.item(0), path.item(2));
        let us = self.to_move;
        let to = self.square(&action.object, false).map_err(|fault| object_path.error(fault))?;
        let mut uncaptured = None;
        let from = match (&action.subject, action.verb) {
            (Naming::Piece(name), Verb::Drop) => {
                if name.side() != Some(us) {
                    return Err(subject_path.error(PcnFault::OtherSide(name.to_string())));
                }
                From::Hand(name.clone())
            }
            (subject, _) => {
                let above = self.descends(action);
                let at = self.square(subject, above).map_err(|fault| subject_path.error(fault))?;
                if above { From::Above(at) } else { From::Square(at) }
            }
        };
        let standing = |from: &From| match from {
            From::Hand(name) => Some(name.clone()),
            From::Above(at) => self.above.iter().find(|(above, _)| above == at).map(|(_, piece)| piece.clone()),
            From::Square(at) => self.board.piece(*at).cloned(),
        };
        let missing = if matches!(from, From::Above(_)) { PcnFault::NotAbove } else { PcnFault::EmptySquare };
        let mut piece = standing(&from).ok_or_else(|| subject_path.error(missing))?;
        if piece.side() != Some(us) {
            return Err(subject_path.error(PcnFault::OtherSide(piece.to_string())));
        }
        let stands = self.board.piece(to).filter(|_| from != From::Square(to)).cloned();
        let takes = matches!(action.verb, Verb::Capture | Verb::Remove | Verb::Stun);
        match &stands {
            Some(_) if !takes && action.verb != Verb::Jump => return Err(object_path.error(PcnFault::Occupied)),
            Some(taken) if takes && taken.side() == Some(us) => {
                return Err(object_path.error(PcnFault::NothingToCapture));
            }
            None if takes => return Err(object_path.error(PcnFault::NothingToCapture)),
            _ => {}
        }
        if let Some(promoted) = &action.promotion {
            if promoted.side() != Some(us) {
                let path = path.item(3);
                return Err(path.member("promotion").error(PcnFault::PromotionChangesSide(promoted.to_string())));
            }
            piece = promoted.clone();
        }
        match from {
            From::Hand(name) => {
                if !self.hand_mut(us).take(&name) {
                    uncaptured = Some(name);
                }
            }
            From::Above(at) => {
                let index = self.above.iter().position(|(above, _)| *above == at);
                index.map(|index| self.above.remove(index));
            }
            From::Square(at) => {
                self.board.put(at, None);
            }
        }
        if action.verb == Verb::Jump {
            if self.above.len() >= MAX_ABOVE {
                return Err(object_path.error(PcnFault::TooManyAbove));
            }
            self.above.push((to, piece));
            return Ok(uncaptured);
        }
        let taken = self.board.put(to, Some(piece));
        if matches!(action.verb, Verb::Capture | Verb::Stun) {
            taken.into_iter().for_each(|taken| self.hand_mut(us).add(taken.captured()));
        }
        Ok(uncaptured)
    }
}

/// The place from which the subject of an action moves.
#[derive(PartialEq)]
enum From {
    Hand(PieceName),
    Above(usize),
    Square(usize),
}

impl GeneralGame {
    /// Calls `before` with each action, and with the state before the action.
    fn replay(
        &self,
        plies: usize,
        mut before: impl FnMut(&BoardState, &Action),
        mut remark: impl FnMut(Remark),
    ) -> Result<BoardState, PcnError> {
        let mut state = BoardState::start(self);
        if state.to_move == Side::Top {
            remark(Remark::TopBegins);
        }
        let member = Path::ROOT.member("previous_moves");
        let mut remarked = HashSet::new();
        for (index, actions) in self.moves.iter().take(plies).enumerate() {
            let path = member.item(index);
            for (number, action) in actions.iter().enumerate() {
                before(&state, action);
                if let Some(name) = state.act(action, &path.item(number))?
                    && remarked.insert(name.clone())
                {
                    remark(Remark::DropOfUncaptured(name, index + 1));
                }
            }
            if !state.above.is_empty() {
                return Err(path.error(PcnFault::NotLanded));
            }
            state.to_move = state.to_move.other();
        }
        Ok(state)
    }

    /// Returns the state after this number of plies, or at the end of the game if it has fewer. Errors contain the path
    /// of the faulty element in a move.
    pub fn state_after(&self, plies: usize) -> Result<BoardState, PcnError> {
        self.replay(plies, |_, _| {}, |_| {})
    }

    /// Replays the game to its end. Checks that every moving piece exists and belongs to the side to move, and that the
    /// sides alternate. Checks that squares are free or contain an opposing piece, as the verbs require. Checks that
    /// jumping pieces land, and that promotions keep the side. Errors contain the path of the faulty element.
    pub fn check(&self) -> Result<Checked, PcnError> {
        let mut remarks = Vec::new();
        let last = self.replay(usize::MAX, |_, _| {}, |remark| remarks.push(remark))?;
        if let Some(current) = self.cache.as_ref().and_then(|cache| cache.get("current_position")) {
            match Board::parse(current) {
                Ok(board) if board.shape() == last.board.shape() => {
                    if board != last.board {
                        remarks.push(Remark::CacheDiffers);
                    }
                }
                _ => remarks.push(Remark::CacheUnreadable),
            }
        }
        Ok(Checked { last, remarks })
    }

    /// Updates the cache of the game with its last position, and with the pieces that each side can drop. Other members
    /// of the cache are kept. If `current_position` in the old cache was another position, `possible_moves` and
    /// `captures` are outdated and are removed. Errors: as for [`GeneralGame::check`].
    pub fn renew_cache(&mut self) -> Result<(), PcnError> {
        let Checked { last, remarks } = self.check()?;
        let is_kept =
            |name: &str| !matches!(name, "possible_moves" | "captures") || !remarks.contains(&Remark::CacheDiffers);
        let mut cache = last.cache();
        if let (Value::Object(new), Some(Value::Object(old))) = (&mut cache, self.cache.take()) {
            for (name, value) in old {
                match (new.get_mut(&name), value) {
                    (Some(Value::Object(side)), Value::Object(old_side)) => {
                        for (name, value) in old_side.into_iter().filter(|(name, _)| is_kept(name)) {
                            side.entry(name).or_insert(value);
                        }
                    }
                    (None, value) if is_kept(&name) => {
                        new.insert(name, value);
                    }
                    _ => {}
                }
            }
        }
        self.cache = Some(cache);
        Ok(())
    }

    /// Returns the same game with squares named in a uniform way. Errors: the errors of [`GeneralGame::check`], because
    /// renaming requires a replay.
    pub fn with_squares(&self, squares: Squares) -> Result<GeneralGame, PcnError> {
        let mut actions = Vec::new();
        self.replay(usize::MAX, |state, action| actions.push(state.renamed(action, squares)), |_| {})?;
        let mut actions = actions.into_iter();
        let moves = self.moves.iter().map(|list| actions.by_ref().take(list.len()).collect()).collect();
        Ok(GeneralGame { moves, ..self.clone() })
    }
}

impl BoardState {
    fn renamed(&self, action: &Action, squares: Squares) -> Action {
        let name = |naming: &Naming, above: bool| {
            let Ok(at) = self.square(naming, above) else { return naming.clone() };
            let piece = match above {
                true => self.above.iter().find(|(index, _)| *index == at).map(|(_, piece)| piece),
                false => self.board.piece(at),
            };
            let unique = piece.map(|piece| Naming::Piece(piece.clone()));
            let unique = unique.filter(|naming| self.square(naming, above) == Ok(at));
            match (squares, unique) {
                (Squares::Pieces, Some(naming)) => naming,
                (Squares::Flat, _) => Naming::Flat(at),
                _ => Naming::Coordinates(self.board.coordinates(at)),
            }
        };
        let subject = if action.verb == Verb::Drop {
            action.subject.clone()
        } else {
            name(&action.subject, self.descends(action))
        };
        Action { subject, object: name(&action.object, false), ..action.clone() }
    }
}

//! Replays a game's main line in search of a position.

use crate::position::position_query::{Home, PositionQuery, class, has_back_pawns, home_pawns};
use crate::position::signature::Departures;
use scoresheet::brenner::replay::{Replay, ReplayError};
use scoresheet::brenner::standalone::Stream;
use scoresheet::chess::position::STANDARD;
use scoresheet::chess::{Color, Position, Variant};

/// A search for a position in main lines. It stops as soon as the position can no longer occur. The search also works
/// for games outside archives. Construct it once and use it for many games.
///
/// ```
/// use scoresheet::brenner::standalone::{self, Stream};
/// use scoresheet::{Game, Position, game::Event};
/// use scoresheet_query::PositionQuery;
///
/// let mut game = Game::default();
/// let mut position = Position::standard();
/// for san in ["e4", "c5"] {
///     let m = position.parse_san(san.as_bytes())?;
///     game.events.push(Event::Move(m));
///     position.play(m)?;
/// }
/// let line = standalone::encode(&game)?;
/// let (start, bytes) = standalone::start(&line)?;
/// let sicilian = PositionQuery::from(&position);
/// assert_eq!(sicilian.main_line().first_ply(Stream { start: &start, bytes })?, Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MainLine<'a> {
    query: &'a PositionQuery,
    /// The filter for games that begin from the standard starting position.
    standard: Option<HomePawnFilter>,
    /// The standard starting position, with which each replay begins.
    start: Replay,
    /// Whether the position to find is the standard starting position.
    at_start: bool,
    /// The first ply at which these games can reach the position.
    earliest: u32,
}

/// The pawns that the position needs on their home squares. Once one such piece has left, the position can no longer
/// occur.
struct HomePawnFilter {
    departures: Departures,
    needed: Home,
    /// Whether a pawn stands behind its home rank, in which case home pawns prove nothing.
    has_back_pawns: bool,
}

impl HomePawnFilter {
    /// Returns `None` if no game from this starting position can reach the position.
    fn new(query: &PositionQuery, start: &Position) -> Option<HomePawnFilter> {
        let departures = Departures::new(&start.board);
        // In variants, pawns can be dropped on their home squares, and pieces can return.
        if start.variant() != Variant::Chess || has_back_pawns(&start.board) {
            return Some(HomePawnFilter { departures, needed: [0; 2], has_back_pawns: true });
        }
        let (needed, standing) = (query.home(), home_pawns(&start.board));
        let possible = (0..2).all(|side| needed[side] & !standing[side] == 0);
        possible.then_some(HomePawnFilter { departures, needed, has_back_pawns: false })
    }
}

impl<'a> MainLine<'a> {
    pub(crate) fn new(query: &'a PositionQuery) -> MainLine<'a> {
        let (standard, start) = (HomePawnFilter::new(query, &STANDARD), Replay::new(&STANDARD));
        MainLine { query, standard, start, at_start: query.matches(&STANDARD), earliest: query.earliest() }
    }

    /// Returns the first ply at which a game reaches the position, if there is one. This takes less than a microsecond
    /// for most games.
    pub fn first_ply<'s>(&self, game: impl Into<Stream<'s>>) -> Result<Option<u32>, ReplayError> {
        let mut first = None;
        self.scan(game, |replay, _| {
            first = Some(replay.ply());
            false
        })?;
        Ok(first)
    }

    /// Calls `hit` at each ply at which the position occurs, until `hit` returns false. Passes the replay and the
    /// remaining moves.
    pub(crate) fn scan<'s>(
        &self,
        game: impl Into<Stream<'s>>,
        mut hit: impl FnMut(&Replay, &[u8]) -> bool,
    ) -> Result<(), ReplayError> {
        let (query, game) = (self.query, game.into());
        let mut rest = game.bytes;
        let (mut replay, of_start);
        let filter = if game.starts_elsewhere() {
            replay = Replay::new(game.start);
            of_start = HomePawnFilter::new(query, game.start);
            &of_start
        } else {
            // A condition that every such game satisfies does not need to be tested. Each move takes at least one byte.
            let begun = self.at_start && !hit(&self.start, rest);
            if begun || rest.len() < self.earliest as usize {
                return Ok(());
            }
            replay = self.start.clone();
            let ply = self.earliest.max(self.at_start.into());
            let used = replay.run(rest, ply)?;
            if replay.ply() < ply {
                return Ok(());
            }
            rest = rest.get(used..).unwrap_or_default();
            &self.standard
        };
        let Some(HomePawnFilter { departures, needed, has_back_pawns }) = filter else { return Ok(()) };
        let turn = query.compare().side.then(|| query.position().turn());
        let ahead = query.first();
        // Returns whether the pieces may match now, and whether they can still match later.
        let look = |board: &[u8; 64], to_move: Color| {
            let here = class(board[ahead.0]) == ahead.1 && turn.is_none_or(|turn| turn == to_move);
            (here && query.same_pieces(board), !departures.lost(board, *needed))
        };
        let (mut here, mut can_be) = look(replay.board(), replay.turn());
        can_be &= *has_back_pawns || query.is_ahead(replay.board());
        loop {
            if !can_be {
                return Ok(());
            }
            if here && query.same_state_at(&replay.state()) && !hit(&replay, rest) {
                return Ok(());
            }
            let (used, stopped) = replay.run_while(rest, |state| {
                let board = state.board();
                (here, can_be) = look(board, state.turn());
                if state.ply().is_multiple_of(TEST_INTERVAL) {
                    can_be &= *has_back_pawns || query.is_ahead(board);
                }
                !here && can_be
            })?;
            if !stopped {
                return Ok(());
            }
            rest = rest.get(used..).unwrap_or_default();
        }
    }
}

impl PositionQuery {
    /// Returns a search for this position in main lines.
    pub fn main_line(&self) -> MainLine<'_> {
        MainLine::new(self)
    }
}

impl std::fmt::Debug for MainLine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MainLine").field("query", self.query).finish_non_exhaustive()
    }
}

/// The number of plies between two tests of whether the position can still occur.
const TEST_INTERVAL: u32 = 8;

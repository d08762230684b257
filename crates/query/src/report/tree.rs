//! The opening tree: the moves that were played in a position, and their results.

use crate::games::{ArchiveSet, Rules};
use crate::position::facts::dated;
use crate::position::index::{Place, PlaceSegment, Places, PositionIndex};
use crate::position::main_line::MainLine;
use crate::position::places::GameRange;
use crate::position::position_query::{Compare, PositionQuery, class};
use crate::position::search::Search;
pub use crate::report::tally::{Score, Tally};
use crate::tag_columns::Days;
use scoresheet::Monitor;
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::brenner::replay::Replay;
use scoresheet::chess::position::STANDARD;
use scoresheet::chess::{Move, Position, Variant};
use scoresheet::error::{Damage, DamageKind, Error, Result};
use scoresheet::format::facts::Facts;
use scoresheet::parallel;
use scoresheet::sort;

/// To verify the position of the entries, up to this many games are tried until one can be read.
const VERIFIED: usize = 8;

/// The visit that is used if a game reaches the position more than once.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. Nf3 Nf6 2. Ng1 Ng8 3. e4 *\n"[..])?;
/// use scoresheet_query::{Search, Visit};
/// use scoresheet::{Archive, Position};
///
/// let archive = Archive::open(&target)?;
/// let played = |visit| {
///     let tree = Search::new(&archive).tree_of(&Position::standard(), visit);
///     tree.position.san(tree.branches[0].m)
/// };
/// assert_eq!((played(Visit::First), played(Visit::Last)), ("Nf3".to_owned(), "e4".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visit {
    /// The first visit.
    #[default]
    First,
    /// The last visit, which the opening explorer of Lichess also uses.
    Last,
}

/// A move that was played in a position, with its games.
///
/// [`ArchiveSet::tree`] has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The move.
    pub m: Move,
    /// The counts of the games in which the move was played.
    pub tally: Tally,
}

/// The moves that were played in a position. Each game is counted once, at the first or the last ply at which it
/// reaches the position ([`Visit`]).
///
/// [`ArchiveSet::tree`] and [`Tally`] have examples.
#[derive(Debug)]
pub struct Tree {
    /// The position.
    pub position: Position,
    /// The counts of all games that reach the position.
    pub tally: Tally,
    /// The moves, the most frequent first.
    pub branches: Vec<Branch>,
    /// The errors of the games that could not be read.
    pub unread: Vec<Error>,
}

impl ArchiveSet {
    /// Returns the moves played in a position by these games of each archive, or, for `None`, by all games of the
    /// position's rules. Games are numbered as in the set. The errors of unreadable games are returned in `unread`.
    /// [`Error::Interrupted`] is added if a monitor has stopped the search.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 1-0\n\n1. e4 0-1\n\n1. d4 1-0\n"[..])?;
    /// use scoresheet::Position;
    /// use scoresheet_query::{ArchiveSet, Visit};
    ///
    /// let tree = ArchiveSet::open([&target])?.tree(&Position::standard(), Visit::First, None, None).complete()?;
    /// let played: Vec<(String, u64)> =
    ///     tree.branches.iter().map(|branch| (tree.position.san(branch.m), branch.tally.games())).collect();
    /// assert_eq!(played, [("e4".to_owned(), 2), ("d4".to_owned(), 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tree(
        &self,
        position: &Position,
        visit: Visit,
        among: Option<&[GameSet]>,
        monitor: Option<&Monitor<'_>>,
    ) -> Tree {
        let mut all = Tree::empty(position);
        for (index, member) in self.members().iter().enumerate() {
            let given = among.and_then(|among| among.get(index));
            let rules = Rules::Only(position.variant());
            let games = if given.is_some() { None } else { rules.among(member.archive(), None) };
            let search = member.search_among(given.or(games.as_ref())).monitored(monitor);
            all.add(search.dated_tree(position, visit, member.days()), member.before());
        }
        all
    }
}

impl Search<'_> {
    /// Returns the moves that were played in a position in the main lines of the searched games. The side to move, the
    /// castling rights and the legal en passant captures must agree.
    ///
    /// With the position index, the tree takes a few nanoseconds per game. The tree replays one game to verify the
    /// position, and one game per move to verify the move. If several positions share the stored part of their keys, it
    /// replays all games. Two equal keys of 64 bits are assumed to belong to the same position. A search that was
    /// stopped returns its counts so far, and [`Error::Interrupted`] in `unread`.
    pub fn tree(&self, position: &Position) -> Tree {
        self.tree_of(position, Visit::First)
    }

    /// Returns the moves played in a position, like `tree`. `visit` selects the visit of each game that is used.
    pub fn tree_of(&self, position: &Position, visit: Visit) -> Tree {
        self.dated_tree(position, visit, None)
    }

    /// Returns the tree like `tree_of`, with the days of the games, which must belong to the same archive. Without them,
    /// the index knows only the years of the games, and the latest games are those of the latest year.
    pub fn dated_tree(&self, position: &Position, visit: Visit, days: Option<&Days>) -> Tree {
        let moves = position.legal_moves();
        // The index is of positions of chess.
        if let Some(index) = self.index().filter(|_| position.variant() == Variant::Chess) {
            match by_index(self, index, position, &moves, visit, days) {
                Ok(tree) => return tree,
                Err(error) => index.failed(&error),
            }
        }
        self.tree_by_games(position, &moves, visit)
    }

    fn tree_by_games(&self, position: &Position, moves: &[Move], visit: Visit) -> Tree {
        let variant = position.variant();
        let query = PositionQuery::new(position, Compare::default());
        let by_game = ByGame::new(&query, position, moves, visit);
        let candidates = self.candidates(Some(&query), &mut Vec::new());
        let archive = self.archive();
        let of_chunk = |number: usize| {
            let games = archive.games_of(number);
            let from = candidates.partition_point(|game| *game < games.start);
            let to = candidates.partition_point(|game| *game < games.end);
            let mut part = Part::new(moves.len());
            if self.is_stopped() {
                return part;
            }
            let Some(candidates) = candidates.get(from..to).filter(|games| !games.is_empty()) else { return part };
            let chunk = match archive.chunk(number) {
                Ok(chunk) => chunk,
                Err(error) => {
                    part.unread.push(error);
                    return part;
                }
            };
            for number in candidates {
                if self.is_stopped() {
                    break;
                }
                let read = chunk.game(*number).and_then(|game| {
                    if !self.looks_at(&game) && game.start().variant() != variant {
                        return Ok(());
                    }
                    if let Some(branch) = by_game.find(&game)? {
                        let (facts, day) = dated(&game)?;
                        part.add(*number, &facts, branch, || day);
                    }
                    Ok(())
                });
                part.unread.extend(read.err().filter(|error| !matches!(error, Error::Deleted { .. })));
            }
            part
        };
        let parts = parallel::map(archive.chunk_count(), of_chunk);
        let mut all = Part::new(moves.len());
        parts.into_iter().for_each(|part| all.join(part));
        all.unread.extend(self.is_stopped().then_some(Error::Interrupted));
        Tree::new(position, moves, all)
    }
}

/// A search that replays games to find the moves played in a position.
struct ByGame<'a> {
    line: MainLine<'a>,
    diffs: Vec<MoveDiff>,
    visit: Visit,
}

impl<'a> ByGame<'a> {
    fn new(query: &'a PositionQuery, position: &Position, moves: &[Move], visit: Visit) -> ByGame<'a> {
        ByGame { line: MainLine::new(query), diffs: MoveDiff::of_all(position, moves), visit }
    }

    /// Returns the move that a game plays after the selected visit, if the game reaches the position. Returns
    /// `Some(None)` if the game ends there or a null move follows.
    fn find(&self, game: &GameRef<'_>) -> Result<Option<Option<usize>>> {
        let mut next = None;
        let damage = |_| Damage::new(0, DamageKind::Moves).of_game(game.number());
        self.line
            .scan(game, |replay, rest| {
                next = Some(played(&self.diffs, replay, rest));
                self.visit == Visit::Last
            })
            .map_err(damage)?;
        Ok(next)
    }
}

impl Tree {
    /// Returns a tree without games.
    pub fn empty(position: &Position) -> Tree {
        Tree { position: position.clone(), tally: Tally::default(), branches: Vec::new(), unread: Vec::new() }
    }

    /// Adds the moves played in the same position in another archive. Its game numbers follow those of the `before`
    /// games in the preceding archives.
    pub fn add(&mut self, other: Tree, before: u64) {
        self.tally.join(&other.tally.behind(before));
        for branch in other.branches {
            let tally = branch.tally.behind(before);
            match self.branches.iter_mut().find(|known| known.m == branch.m) {
                Some(known) => known.tally.join(&tally),
                None => self.branches.push(Branch { m: branch.m, tally }),
            }
        }
        // Moves with equal numbers of games keep the order of the legal moves.
        let moves = self.position.legal_moves();
        let index = |m: Move| moves.iter().position(|known| *known == m);
        sort::by_key(&mut self.branches, |branch| (std::cmp::Reverse(branch.tally.games()), index(branch.m)));
        self.unread.extend(other.unread);
    }

    /// Returns the tree, or the error of an unreadable game if there is one.
    pub fn complete(mut self) -> scoresheet::error::Result<Tree> {
        match self.unread.pop() {
            None => Ok(self),
            Some(error) => Err(error),
        }
    }

    /// Returns the number of games that end at the selected visit, by result: won by White, drawn, won by Black,
    /// without a result.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "1. e4 1-0\n\n1. e4 e5 0-1\n\n1. e4 e5 *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// use scoresheet_query::{ArchiveSet, Visit, line};
    ///
    /// let tree = ArchiveSet::open([&target])?.tree(&line("e4")?, Visit::First, None, None).complete()?;
    /// assert_eq!((tree.tally.games(), tree.ended()), (3, [1, 0, 0, 0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ended(&self) -> [u64; 4] {
        let counts = |tally: &Tally| [tally.white, tally.draws, tally.black, tally.unknown];
        let mut ended = counts(&self.tally);
        for branch in &self.branches {
            ended.iter_mut().zip(counts(&branch.tally)).for_each(|(all, gone)| *all = all.saturating_sub(gone));
        }
        ended
    }

    fn new(position: &Position, moves: &[Move], part: Part) -> Tree {
        let played = moves.iter().zip(part.branches).filter(|(_, tally)| tally.games() > 0);
        let mut branches: Vec<Branch> = played.map(|(m, tally)| Branch { m: *m, tally }).collect();
        sort::by_key(&mut branches, |branch| std::cmp::Reverse(branch.tally.games()));
        let mut tally = part.rest;
        branches.iter().for_each(|branch| tally.join(&branch.tally));
        Tree { position: position.clone(), tally, branches, unread: part.unread }
    }
}

/// The counts of a part of the games.
struct Part {
    /// The games that no branch counts, because they end or continue with a null move.
    rest: Tally,
    /// The games of each move, in the order of `legal_moves`.
    branches: Vec<Tally>,
    unread: Vec<Error>,
}

impl Part {
    fn new(moves: usize) -> Part {
        Part { rest: Tally::default(), branches: vec![Tally::default(); moves], unread: Vec::new() }
    }

    fn join(&mut self, other: Part) {
        self.rest.join(&other.rest);
        self.branches.iter_mut().zip(&other.branches).for_each(|(branch, other)| branch.join(other));
        self.unread.extend(other.unread);
    }

    fn add(&mut self, game: u64, facts: &Facts, branch: Option<usize>, day: impl FnOnce() -> Option<u32>) {
        let tally = branch.and_then(|branch| self.branches.get_mut(branch));
        tally.unwrap_or(&mut self.rest).add(game, facts, day);
    }
}

/// The squares that a move changes and the index of the move. The move is recognized by these squares on the board
/// after it.
struct MoveDiff(Vec<(usize, u8)>, usize);

impl MoveDiff {
    /// Returns the changes of these moves. Castling comes first because it includes the change of a rook move.
    fn of_all(position: &Position, moves: &[Move]) -> Vec<MoveDiff> {
        let diff = |(index, m): (usize, &Move)| {
            let mut after = position.clone();
            after.play_unchecked(*m);
            let changed = |square: &usize| class(position.board[*square]) != class(after.board[*square]);
            MoveDiff((0..64).filter(changed).map(|square| (square, class(after.board[square]))).collect(), index)
        };
        let mut diffs: Vec<MoveDiff> = moves.iter().enumerate().map(diff).collect();
        sort::by_key(&mut diffs, |MoveDiff(squares, _)| std::cmp::Reverse(squares.len()));
        diffs
    }
}

/// Returns the index of the move that is played next, or `None` at the end of the game and for a null move.
fn played(diffs: &[MoveDiff], replay: &Replay, rest: &[u8]) -> Option<usize> {
    let mut after = replay.clone();
    let ply = replay.ply() + 1;
    after.run(rest, ply).ok()?;
    if after.ply() < ply {
        return None;
    }
    let board = after.board();
    let fits =
        |squares: &[(usize, u8)]| squares.iter().all(|(square, expected)| class(board[square & 63]) == *expected);
    diffs.iter().find(|MoveDiff(squares, _)| fits(squares)).map(|MoveDiff(_, index)| *index)
}

/// Computes the tree by means of the index.
fn by_index(
    search: &Search<'_>,
    index: &PositionIndex,
    position: &Position,
    moves: &[Move],
    visit: Visit,
    days: Option<&Days>,
) -> Result<Tree> {
    let query = PositionQuery::new(position, Compare::default());
    let after: Vec<Position> = moves
        .iter()
        .map(|m| {
            let mut after = position.clone();
            after.play_unchecked(*m);
            after
        })
        .collect();
    let mut all = Part::new(moves.len());
    for segment in index.segments() {
        let by_game = ByGame::new(&query, position, moves, visit);
        all.join(by_segment(search, index, segment, &query, &after, by_game, days)?);
    }
    let mut tree = Tree::new(position, moves, all);
    match search.unindexed(index) {
        Some(rest) => tree.add(search.clone().among(&rest).tree_by_games(position, moves, visit), 0),
        None => tree.unread.extend(search.is_stopped().then_some(Error::Interrupted)),
    }
    Ok(tree)
}

/// Returns the counts of the moves played in the games of a segment.
fn by_segment(
    search: &Search<'_>,
    index: &PositionIndex,
    segment: &PlaceSegment,
    query: &PositionQuery,
    after: &[Position],
    by_game: ByGame<'_>,
    days: Option<&Days>,
) -> Result<Part> {
    let archive = search.archive();
    let from_start = query.matches(&STANDARD);
    let places = Listed::read(archive, segment, query)?;
    let list = |after: &Position| {
        Ok(Listed { places: segment.places_of_position(after)?, is_sure: !segment.has_collision(after)? })
    };
    let lists = match places.places.len() {
        // Short lists are read faster than other threads wake up.
        ..4096 if !from_start => after.iter().map(list).collect::<Result<Vec<Listed>>>()?,
        _ => parallel::try_map_items(after, list)?,
    };
    let visit = by_game.visit;
    let among = search.games();
    let mut by_index = ByIndex { archive, places, lists, from_start, visit, among, days, by_game };
    let mut ranges = segment.ranges(index.known())?;
    if !from_start {
        let mut places = by_index.places.places.as_ref();
        ranges.retain(|range| {
            skip(&mut places, |place| *place < range.places.start);
            places.first().is_some_and(|place| *place < range.places.end)
        });
    }
    let mut part = by_index.count(search, &ranges);
    if by_index.prove(&part) {
        part = by_index.count(search, &ranges);
    }
    Ok(part)
}

/// The entries of the index for a position.
#[derive(Default)]
struct Listed {
    places: Places,
    /// Whether it is certain that all listed games reach the position. If not, each game must be verified.
    is_sure: bool,
}

impl Listed {
    fn read(archive: &Archive, segment: &PlaceSegment, query: &PositionQuery) -> Result<Listed> {
        let places = segment.places_of_position(query.position())?;
        if places.is_empty() || segment.has_collision(query.position())? {
            return Ok(Listed { is_sure: places.is_empty(), places });
        }
        // All listed games reach the same position, so one game is sufficient to verify it.
        for place in places.iter().take(VERIFIED) {
            match segment.locate(std::slice::from_ref(place))?.first().map(|place| has(archive, *place, query)) {
                Some(Ok(true)) => return Ok(Listed { places, is_sure: true }),
                Some(Ok(false)) => return Ok(Listed { places: Places::default(), is_sure: true }),
                Some(Err(_)) | None => {}
            }
        }
        Ok(Listed { places, is_sure: false })
    }

    /// Returns the places from this one on.
    fn places_from(&self, start: u64) -> &[u64] {
        self.places.get(self.places.partition_point(|place| *place < start)..).unwrap_or_default()
    }
}

/// Returns whether the game reaches the position at this place.
fn has(archive: &Archive, place: Place, query: &PositionQuery) -> Result<bool> {
    let game = archive.game_until(place.game, Some(place.ply))?;
    let mut replay = Replay::new(game.start());
    let damage = |_| Damage::new(0, DamageKind::Moves).of_game(place.game);
    replay.run(game.brenner(), place.ply).map_err(damage)?;
    Ok(replay.ply() == place.ply && query.is_at(&replay))
}

/// The entries of the index for a position and for the positions after each move.
struct ByIndex<'a> {
    archive: &'a Archive,
    places: Listed,
    lists: Vec<Listed>,
    from_start: bool,
    visit: Visit,
    among: Option<&'a GameSet>,
    days: Option<&'a Days>,
    by_game: ByGame<'a>,
}

impl ByIndex<'_> {
    /// Counts the games in these ranges.
    fn count(&self, search: &Search<'_>, ranges: &[GameRange<'_>]) -> Part {
        match ranges.len() {
            // A few games are counted faster than other threads wake up.
            ..16 => self.count_in_order(search, ranges),
            _ => {
                let tasks: Vec<_> = ranges.chunks(ranges.len().div_ceil(64).max(8)).collect();
                let parts = parallel::map_items(&tasks, |ranges| self.count_in_order(search, ranges));
                let mut all = Part::new(self.lists.len());
                parts.into_iter().for_each(|part| all.join(part));
                all
            }
        }
    }

    /// Verifies one game for each counted move. If the move was not played in this game, the entries belong to another
    /// position, and no game contains the move: its list is emptied. If all games with a move are unreadable, all of
    /// them must be verified. Returns whether a list has changed, which requires another count.
    fn prove(&mut self, counted: &Part) -> bool {
        let mut has_changed = false;
        if !self.places.is_sure {
            // All listed games have already been verified.
            return has_changed;
        }
        for (branch, tally) in counted.branches.iter().enumerate().filter(|(_, tally)| tally.games() > 0) {
            if !self.lists.get(branch).is_some_and(|list| list.is_sure) {
                continue;
            }
            let played = tally.samples().find_map(|game| self.look(game).ok());
            let verified = match played {
                Some(played) if played == Some(Some(branch)) => continue,
                Some(_) => Listed { places: Places::default(), is_sure: true },
                None => Listed { is_sure: false, ..std::mem::take(&mut self.lists[branch]) },
            };
            self.lists[branch] = verified;
            has_changed = true;
        }
        has_changed
    }

    /// Counts the games in ranges that follow one another.
    fn count_in_order(&self, search: &Search<'_>, ranges: &[GameRange<'_>]) -> Part {
        let mut part = Part::new(self.lists.len());
        let Some(start) = ranges.first().map(|range| range.places.start) else { return part };
        let lists = self.lists.iter().map(|list| list.places_from(start)).enumerate();
        let branches = lists.filter(|(_, list)| !list.is_empty()).collect();
        let mut ahead = Ahead { visits: self.places.places_from(start), branches, next: Vec::new() };
        for range in ranges {
            if search.is_stopped() {
                break;
            }
            self.add(range, &mut ahead, &mut part);
        }
        part
    }

    /// Adds the counts of the games in a range.
    fn add(&self, range: &GameRange<'_>, ahead: &mut Ahead<'_>, part: &mut Part) {
        let Ahead { visits, branches, next } = ahead;
        next.clear();
        skip(visits, |place| *place < range.places.start);
        let may_be_deleted = self.archive.deleted_count() > 0;
        for (game, places) in range.games() {
            let mut visit = (self.from_start && !range.is_set_up(game)).then_some(places.start);
            while let Some((place, rest)) = visits.split_first().filter(|(place, _)| **place < places.end) {
                if visit.is_none() || self.visit == Visit::Last {
                    visit = Some(*place);
                }
                *visits = rest;
            }
            let Some(visit) = visit else { continue };
            let counts = self.among.is_none_or(|among| among.contains(game));
            if !counts || may_be_deleted && self.archive.is_deleted(game) {
                continue;
            }
            let Some(facts) = range.facts(game) else { continue };
            if !self.places.is_sure {
                match self.look(game) {
                    Ok(Some(branch)) => part.add(game, &facts, branch, || self.day(game)),
                    Ok(None) => {}
                    Err(error) => part.unread.push(error),
                }
                continue;
            }
            // The place that follows the last place of a game belongs to the next game.
            let place = visit.saturating_add(1);
            match place < places.end {
                true => next.push(Next { place, game, is_counted: false }),
                false => part.rest.add(game, &facts, || self.day(game)),
            }
        }
        let Some(first) = next.first().map(|next| next.place) else { return };
        for (branch, list) in branches.iter_mut() {
            let Some(tally) = part.branches.get_mut(*branch) else { continue };
            let is_sure = self.lists.get(*branch).is_some_and(|list| list.is_sure);
            skip(list, |place| *place < first);
            let mut left = next.as_mut_slice();
            while let Some((place, rest)) = list.split_first().filter(|(place, _)| **place < range.places.end) {
                let before = count_before(left, |next| next.place < *place);
                left = std::mem::take(&mut left).get_mut(before..).unwrap_or_default();
                let Some(next) = left.first_mut() else { break };
                *list = rest;
                let Some(facts) = range.facts(next.game).filter(|_| next.place == *place) else { continue };
                let is_played = match is_sure {
                    true => Ok(true),
                    false => self.look(next.game).map(|found| found == Some(Some(*branch))),
                };
                match is_played {
                    Ok(true) => {
                        tally.add(next.game, &facts, || self.day(next.game));
                        next.is_counted = true;
                    }
                    Ok(false) => {}
                    Err(error) => part.unread.push(error),
                }
            }
        }
        for Next { game, .. } in next.iter().filter(|next| !next.is_counted) {
            range.facts(*game).iter().for_each(|facts| part.rest.add(*game, facts, || self.day(*game)));
        }
    }

    /// Returns the day of a game, if the days are known.
    fn day(&self, game: u64) -> Option<u32> {
        self.days?.get(game)
    }

    /// Verifies a game. Returns the result of `ByGame::find`, or `None` for a deleted game.
    fn look(&self, game: u64) -> Result<Option<Option<usize>>> {
        match self.archive.game(game).and_then(|game| self.by_game.find(&game)) {
            Err(Error::Deleted { .. }) => Ok(None),
            found => found,
        }
    }
}

/// The places that follow the ranges counted so far.
struct Ahead<'a> {
    /// The places of the position.
    visits: &'a [u64],
    /// The places of the positions after each move that has any.
    branches: Vec<(usize, &'a [u64])>,
    /// A buffer for the places that follow the visits in a range.
    next: Vec<Next>,
}

/// The place after the visit of a game.
struct Next {
    place: u64,
    game: u64,
    /// Whether a branch counts the game.
    is_counted: bool,
}

/// Moves a list past its first entries that satisfy a condition.
fn skip<T>(list: &mut &[T], is_before: impl Fn(&T) -> bool) {
    *list = list.get(count_before(list, is_before)..).unwrap_or_default();
}

/// Returns the number of first entries that satisfy a condition, which no later entry does. The function is fast if this
/// number is small.
fn count_before<T>(list: &[T], is_before: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    while list.get(step).is_some_and(&is_before) {
        step *= 2;
    }
    let from = step / 2;
    let near = list.get(from..(step + 1).min(list.len())).unwrap_or_default();
    from + near.partition_point(is_before)
}

//! A query on archives.

use super::GameRanges;
use super::{ArchiveSet, IndexedArchive, Member, Rules};
use crate::filter::Filter;
use crate::filter::sort::SortKeys;
use crate::measure::Moments;
use crate::pattern::{Pattern, PatternOptions};
use crate::position::position_query::PositionQuery;
use crate::position::repertoire::RepertoireQuery;
use crate::position::search::{Cost, Hit, Search, SearchOptions, SearchResult, Step};
use crate::tag_columns::{TagColumns, Unread};
use scoresheet::Monitor;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::chess::Variant;
use scoresheet::error::{Error, Result};
use std::collections::BTreeMap;

/// A selection of games by tags, by the board and by comments, with a sort order and a limit. A game must satisfy all
/// conditions. Without conditions, a query selects all games.
///
/// A query can be built in a program, or parsed from JSON (docs/QUERY.md, "Questions as JSON"). Run a query with
/// [`run`](Query::run), or, if an error ends the search, with [`ArchiveSet::find`].
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[WhiteElo \"2750\"]\n\n1. e4 c5 2. Nf3 *\n\n[WhiteElo \"2700\"]\n\n1. Nf3 c5 2. e4 *\n\n1. e4 c5 2. Nf3 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::{ArchiveSet, Query};
///
/// let sicilian: Query = r#"{"moves": "e4 c5 Nf3", "where": "elo >= 2700", "sort": "elo"}"#.parse()?;
/// let set = ArchiveSet::open([&target])?;
/// let games = sicilian.run(&set).map(|found| Ok(found?.number)).collect::<scoresheet::Result<Vec<u64>>>()?;
/// assert_eq!(games, [2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub(super) filter: Option<Filter>,
    pub(super) games: Option<GameRanges>,
    pub(super) board: Option<Board>,
    /// A repertoire that games follow, beside the condition on the board.
    pub(super) follows: Option<RepertoireQuery>,
    pub(super) either_color: bool,
    pub(super) reach: SearchOptions,
    pub(super) moments: Moments,
    pub(super) order: Option<SortKeys>,
    pub(super) offset: u64,
    pub(super) limit: Option<u64>,
    pub(super) rules: Option<Rules>,
}

/// A condition on the board.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. d4 Nf6 2. c4 *\n\n1. c4 *\n"[..])?;
/// use scoresheet_query::{ArchiveSet, Query, Board, PositionQuery, line};
///
/// let set = ArchiveSet::open([&target])?;
/// let both = vec![PositionQuery::from(&line("d4")?), PositionQuery::from(&line("d4 Nf6 c4")?)];
/// assert_eq!(Query::from(Board::EveryPosition(both)).run(&set).total()?, 1);
/// let either = vec![PositionQuery::from(&line("d4")?), PositionQuery::from(&line("c4")?)];
/// assert_eq!(Query::from(Board::AnyPosition(either)).run(&set).total()?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum Board {
    /// The game reaches at least one of these positions, at any ply.
    AnyPosition(Vec<PositionQuery>),
    /// The game reaches all of these positions, in any order.
    EveryPosition(Vec<PositionQuery>),
    /// The pattern.
    Pattern(Pattern),
    /// The game follows this repertoire.
    Repertoire(RepertoireQuery),
}

impl Query {
    /// Returns a query without conditions, which selects all games in order.
    pub fn new() -> Query {
        Query::default()
    }

    /// Sets the condition on tags, in place of the present one.
    pub fn filter(self, filter: Filter) -> Query {
        Query { filter: Some(filter), ..self }
    }

    /// Adds a condition on tags: games must satisfy both this condition and the query's present one.
    pub fn and_filter(mut self, filter: Filter) -> Query {
        self.filter = Filter::all_of(self.filter.take().into_iter().chain([filter]));
        self
    }

    /// Selects games by their numbers in the set. Without sort keys, the games are returned in the order of the ranges.
    pub fn games(self, games: GameRanges) -> Query {
        Query { games: Some(games), ..self }
    }

    /// Sets the condition on the board.
    pub fn board(self, board: impl Into<Board>) -> Query {
        Query { board: Some(board.into()), ..self }
    }

    /// Sets a repertoire that games must follow in their main lines, in addition to the condition on the board. The hits
    /// are those of the condition on the board; without one, they are those of the repertoire.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let [mine, games] = ["mine.bga", "games.bga"].map(|name| folder.path().join(name));
    /// # scoresheet::Import::new(&mine).run_reader("mine.pgn", &b"1. e4 c5 2. Nf3 *\n"[..])?;
    /// # let pgn = "1. e4 e6 2. Nf3 *\n\n1. Nf3 c5 2. e4 *\n\n1. e4 c5 2. Nf3 d6 *\n";
    /// # scoresheet::Import::new(&games).run_reader("games.pgn", pgn.as_bytes())?;
    /// use scoresheet_query::report::repertoire::{Leaving, Repertoire, RepertoireQuery};
    /// use scoresheet_query::{ArchiveSet, PositionQuery, Query, line};
    ///
    /// let mine = scoresheet::Archive::open(&mine)?; // 1. e4 c5 2. Nf3
    /// let repertoire = Repertoire::new(scoresheet::chess::Color::White, mine.games())?;
    /// let query = Query::from(&line("e4 c5 Nf3")?).follows(RepertoireQuery::new(repertoire, &[Leaving::End]));
    /// // Game 2 reaches the position, but does not follow the repertoire.
    /// let found: Vec<u64> = query.run(&ArchiveSet::open([&games])?).map(|found| found.unwrap().game).collect();
    /// assert_eq!(found, [3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn follows(self, repertoire: RepertoireQuery) -> Query {
        Query { follows: Some(repertoire), ..self }
    }

    /// Sets whether games also match if the colors are exchanged and the board is flipped.
    pub fn either_color(self, either_color: bool) -> Query {
        Query { either_color, ..self }
    }

    /// Sets which parts of a game are searched: all plies, variations, and principal variations. In variations, only
    /// positions can be searched for, not patterns.
    pub fn reach(self, reach: SearchOptions) -> Query {
        Query { reach, ..self }
    }

    /// Selects only positions after a move whose comments satisfy `moments` (mistake, clock).
    pub fn moments(self, moments: Moments) -> Query {
        Query { moments, ..self }
    }

    /// Sets the sort order of the games, which is by number if this function is not called.
    pub fn sort(self, order: SortKeys) -> Query {
        Query { order: Some(order), ..self }
    }

    /// Sets the rules of the games, in place of the default described for [`Rules`].
    pub fn rules(self, rules: Rules) -> Query {
        Query { rules: Some(rules), ..self }
    }

    /// Returns the rules of the games. Without conditions on the board or on comments, the default is all games. A
    /// position with the rules of a variant is searched for in its games alone.
    pub fn get_rules(&self) -> Rules {
        match (self.positions().iter().find_map(PositionQuery::variant), self.rules) {
            (Some(variant), None | Some(Rules::Any)) => Rules::Only(variant),
            (_, Some(rules)) => rules,
            (None, None) if self.has_hits() => Rules::of_filter(self.filter.as_ref()),
            (None, None) => Rules::Any,
        }
    }

    /// Returns the positions that are searched for.
    fn positions(&self) -> &[PositionQuery] {
        match &self.board {
            Some(Board::AnyPosition(positions) | Board::EveryPosition(positions)) => positions,
            _ => &[],
        }
    }

    /// Returns the rules that are set, or all rules if the condition on tags has the field `variant`.
    pub fn stated_rules(&self) -> Option<Rules> {
        self.rules.or_else(|| self.filter.as_ref().is_some_and(Filter::is_of_variant).then_some(Rules::Any))
    }

    /// Skips this many matching games at the beginning.
    pub fn offset(self, offset: u64) -> Query {
        Query { offset, ..self }
    }

    /// Ends the search after this many games.
    pub fn limit(self, limit: Option<u64>) -> Query {
        Query { limit, ..self }
    }

    /// Returns the condition on tags.
    pub fn get_filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// Returns the selected numbers of games.
    pub fn get_games(&self) -> Option<&GameRanges> {
        self.games.as_ref()
    }

    /// Returns the number of games to skip.
    pub fn get_offset(&self) -> u64 {
        self.offset
    }

    /// Returns the maximum number of games to return, if set.
    pub fn get_limit(&self) -> Option<u64> {
        self.limit
    }

    /// Returns why the query cannot be answered for an archive: its sort order or its filter uses the novelty, which
    /// needs a position index. A filter that decides every game without it can be answered.
    pub fn missing_index(&self, columns: &TagColumns) -> Option<Error> {
        let archive = columns.archive();
        let of_filter = || {
            let filter = self.filter.as_ref()?;
            filter.missing_index(archive).filter(|_| !filter.games(columns).unread.is_empty())
        };
        let of_order =
            self.order.as_ref().filter(|_| !archive.is_empty()).and_then(|order| order.missing_index(columns));
        of_order.or_else(of_filter)
    }

    /// Returns the query without its condition on the board.
    pub fn no_board(self) -> Query {
        Query { board: None, follows: None, moments: Moments::default(), ..self }
    }

    /// Returns whether the query can be run: patterns and repertoires can be searched for only in main lines.
    pub fn is_possible(&self) -> bool {
        self.impossible().is_none()
    }

    /// Returns why the query cannot be run, or `None` if it can be run.
    pub fn impossible(&self) -> Option<&'static str> {
        let is_impossible = self.reach.variations && matches!(self.board, Some(Board::Pattern(_)));
        if is_impossible {
            return Some("patterns match main lines only: leave out variations and in_pv");
        }
        if !self.positions().windows(2).all(|two| two[0].variant() == two[1].variant()) {
            return Some("positions of different variants are searched for one by one: leave out all but one variant");
        }
        let is_alone = matches!(self.board, Some(Board::Repertoire(_))) || self.board.is_none();
        let is_beside = self.either_color || is_alone && self.reach.is_beside_main_line();
        let is_of_repertoire = self.follows.is_some() || matches!(self.board, Some(Board::Repertoire(_)));
        (is_beside && is_of_repertoire)
            .then_some("a repertoire is of one side and of main lines: leave out either_color, variations and in_pv")
    }

    /// Returns whether there are conditions on the board or on comments, for which games contain hits.
    pub fn has_hits(&self) -> bool {
        self.is_on_board() || self.moments.is_any()
    }

    /// Returns whether there are conditions on the board, for which games contain hits.
    fn is_on_board(&self) -> bool {
        self.board.is_some() || self.follows.is_some()
    }

    /// Returns whether the query searches only for positions in main lines, which an index contains.
    pub(super) fn is_of_positions(&self) -> bool {
        let is_of_positions = matches!(self.board, Some(Board::AnyPosition(_) | Board::EveryPosition(_)));
        is_of_positions && self.follows.is_none() && !self.reach.is_beside_main_line()
    }

    /// Returns whether the matching games are exactly those that reach one position, in order. A search for some of them
    /// can end early.
    pub(super) fn is_of_one_position(&self) -> bool {
        let positions = self.positions().len();
        let is_in_order = self.order.is_none() && self.games.is_none();
        positions == 1 && is_in_order && self.is_of_positions() && !self.either_color && !self.moments.is_any()
    }

    /// Returns whether the query selects all games, because it has no conditions.
    pub fn is_all(&self) -> bool {
        self.filter.is_none() && self.games.is_none() && self.rules.is_none() && !self.has_hits()
    }

    /// Returns the matching games of one archive. Ignores the order, offset and limit of the query, and `games`, whose
    /// numbers refer to a set. With `among`, returns only games that are in this set.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n"[..])?;
    /// use scoresheet_query::{Query, IndexedArchive, line};
    ///
    /// let archive = IndexedArchive::open(&target)?;
    /// let found = Query::from(&line("d4")?).in_archive(&archive, None, None);
    /// assert!(found.games.contains(2) && !found.games.contains(1));
    /// let steps: Vec<(&str, u64)> = found.steps.iter().map(|step| (step.what, step.games)).collect();
    /// assert_eq!(steps, [("all games", 2), ("replay", 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_archive(
        &self,
        member: &IndexedArchive,
        among: Option<&GameSet>,
        monitor: Option<&Monitor<'_>>,
    ) -> InArchive {
        let mut found = InArchive::default();
        let passed = self.passed(member.archive(), || member.columns(), among, &mut found);
        self.on_board(member.archive(), passed, || member.search().monitored(monitor), &mut found);
        found
    }

    /// Returns the games among these that satisfy the condition on tags, or `None` for all games of the archive.
    pub(super) fn passed<'a, 'b: 'a>(
        &self,
        archive: &Archive,
        columns: impl FnOnce() -> &'a TagColumns<'b>,
        among: Option<&GameSet>,
        found: &mut InArchive,
    ) -> Option<GameSet> {
        let Some(filter) = &self.filter else {
            let games = among.map(|among| {
                let mut games = among.clone();
                if archive.deleted_count() > 0 {
                    games.intersect(&archive.live());
                }
                games
            });
            return self.get_rules().among(archive, games);
        };
        let columns = columns();
        let mut passed = filter.games(columns);
        if let (true, Some(_), Some(filters)) = (self.either_color, &self.board, filter.by_side()) {
            found.sides = Some(filters.map(|filter| filter.games(columns).games));
        }
        found.walked = passed.walked;
        found.unread.extend(passed.unread);
        among.into_iter().for_each(|among| passed.games.intersect(among));
        self.get_rules().among(archive, Some(passed.games))
    }

    /// Adds the games that satisfy the conditions on the board and on comments.
    pub(super) fn on_board<'a>(
        &self,
        archive: &Archive,
        among: Option<GameSet>,
        search: impl FnOnce() -> Search<'a>,
        found: &mut InArchive,
    ) {
        if !self.has_hits() {
            let what = if among.is_some() { "filter" } else { "all games" };
            found.games = among.unwrap_or_else(|| archive.live());
            found.steps.push(Step { what, games: found.games.len() });
            return;
        }
        // To find mistakes, all matching plies must be known.
        let all_plies = self.reach.all_plies || self.moments.is_any();
        let alone = self.follows.clone().filter(|_| self.board.is_none()).map(Board::Repertoire);
        let result = self.board.as_ref().or(alone.as_ref()).map(|board| {
            let (mut search, reach) = (search(), SearchOptions { all_plies, ..self.reach });
            if self.get_rules() != Rules::Only(Variant::Chess) && has_variants(archive) {
                // Side files describe positions of chess.
                search = search.with_variants();
            }
            let followed = self.follows.as_ref().filter(|_| alone.is_none()).map(|repertoire| {
                let found = repertoire.find(&search.clone().among(among.as_ref()));
                (GameSet::from_numbers(archive.len(), found.hits.iter().map(|hit| hit.game)), found)
            });
            let (followed, before) = followed.unzip();
            if let Some(SearchResult { steps, unread, .. }) = before {
                found.steps.extend(steps);
                found.unread.extend(unread.into_iter().map(Unread::from));
            }
            let among = followed.as_ref().or(among.as_ref());
            let Some(sides) = &found.sides else {
                return self.search(board, &search.among(among), self.either_color, reach);
            };
            // The side in White's place is the player that the filter is about: in a turned board, this is Black.
            let [white, black] = sides.each_ref().map(|games| {
                let mut games = games.clone();
                among.iter().for_each(|among| games.intersect(among));
                games
            });
            let mut all = self.search(board, &search.clone().among(Some(&white)), false, reach);
            let turned = self.search(&board.swapped(), &search.among(Some(&black)), false, reach);
            all.join(turned, reach);
            all
        });
        if let Some(SearchResult { hits, steps, unread }) = result {
            found.games = GameSet::from_numbers(archive.len(), hits.iter().map(|hit| hit.game));
            found.hits = hits;
            found.steps.extend(steps);
            found.unread.extend(unread.into_iter().map(Unread::from));
        } else {
            found.games = among.unwrap_or_else(|| archive.live());
        }
        if self.moments.is_any() {
            self.keep_moments(archive, found);
        }
    }

    /// Returns the matches of the condition on the board.
    fn search(&self, board: &Board, search: &Search<'_>, either_color: bool, reach: SearchOptions) -> SearchResult {
        let (positions, every) = match board {
            Board::Pattern(pattern) => {
                let options = PatternOptions { either_color, reach };
                return search.pattern(pattern, options);
            }
            Board::Repertoire(repertoire) => return repertoire.find(search),
            Board::AnyPosition(positions) => (positions, false),
            Board::EveryPosition(positions) => (positions, true),
        };
        if let ([query], false) = (positions.as_slice(), either_color) {
            return search.position(query, reach);
        }
        // For each game, its hits, and the number of requested positions that it reaches.
        let mut games: BTreeMap<u64, (Vec<Hit>, usize, usize)> = BTreeMap::new();
        let mut all = SearchResult::default();
        for (index, query) in positions.iter().enumerate() {
            let swapped = either_color.then(|| query.swapped());
            for query in std::iter::once(query).chain(&swapped) {
                let found = search.position(query, reach);
                all.steps.extend(found.steps);
                // Every search reports the same unreadable games, so only one report is kept.
                all.unread = found.unread;
                for hit in found.hits {
                    let (hits, count, last) = games.entry(hit.game).or_insert((Vec::new(), 0, usize::MAX));
                    hits.push(hit);
                    *count += usize::from(*last != index);
                    *last = index;
                }
            }
        }
        let least = if every { positions.len() } else { 1 };
        for (mut hits, ..) in games.into_values().filter(|(_, count, _)| *count >= least) {
            // If a game must reach all positions, all of its matching plies are hits.
            SearchOptions { all_plies: reach.all_plies || every, ..reach }.keep(&mut hits);
            all.hits.append(&mut hits);
        }
        all
    }

    /// Keeps only the hits that satisfy the conditions on comments. If there is no condition on the board, every move
    /// that satisfies them is a hit.
    fn keep_moments(&self, archive: &Archive, found: &mut InArchive) {
        let (mut moments, unread) = self.moments.find(archive, &found.games);
        found.unread.extend(unread);
        if self.is_on_board() {
            // Only comments on moves of the main line are considered.
            let mut hits = std::mem::take(&mut found.hits).into_iter().filter(Hit::is_main_line).peekable();
            let at = |hit: &Hit| (hit.game, hit.ply);
            moments.retain(|hit| {
                while hits.next_if(|next| at(next) < at(hit)).is_some() {}
                hits.peek().is_some_and(|next| at(next) == at(hit))
            });
        }
        if !self.reach.all_plies {
            moments.dedup_by_key(|hit| hit.game);
        }
        found.games = GameSet::from_numbers(archive.len(), moments.iter().map(|hit| hit.game));
        found.steps.push(Step { what: "comments", games: found.games.len() });
        found.hits = moments;
    }

    /// Returns an estimate of the cost of the query, which is described for [`Plan`]. Evaluates the filter of the
    /// query, which is fast with tag columns.
    ///
    /// Errors: a range of games begins after the last game of the set.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "[WhiteElo \"2700\"]\n\n1. e4 *\n\n1. d4 *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// use scoresheet_query::{ArchiveSet, Query};
    ///
    /// let set = ArchiveSet::open([&target])?;
    /// let query: Query = r#"{"material": "KRPkr", "where": "elo >= 2700"}"#.parse()?;
    /// let plan = query.plan(&set)?;
    /// assert_eq!((plan.games, plan.replayed), (1, true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan(&self, set: &ArchiveSet) -> Result<Plan> {
        let mut plan = Plan::default();
        for (index, member) in set.members().iter().enumerate() {
            let mut found = InArchive::default();
            let among = self.ranges_in(set, index)?;
            let passed = self.passed(member.archive(), || member.columns(), among.as_ref(), &mut found);
            plan.add(self.cost(member.search().among(passed.as_ref())));
            plan.walked += found.walked;
        }
        Ok(plan)
    }

    /// Returns an estimate of the cost of the search on the board, without the filter.
    pub fn cost(&self, search: Search<'_>) -> Cost {
        match &self.board {
            Some(Board::AnyPosition(positions) | Board::EveryPosition(positions))
                if !self.reach.is_beside_main_line() =>
            {
                let swapped: Vec<PositionQuery> = match self.either_color {
                    true => positions.iter().map(PositionQuery::swapped).collect(),
                    false => Vec::new(),
                };
                let costs = positions.iter().chain(&swapped).map(|query| search.cost(Some(query)));
                let cost = costs.reduce(Cost::and).unwrap_or_else(|| search.cost(None));
                if self.follows.is_some() { search.cost(None).and(cost) } else { cost }
            }
            Some(_) => search.cost(None),
            None if self.follows.is_some() => search.cost(None),
            None => Cost { replayed: self.moments.is_any(), ..search.cost(None) },
        }
    }

    /// Returns the games that the query's ranges select from the archive at an index, or `None` if the query has no
    /// ranges.
    ///
    /// Errors: a game does not exist.
    pub fn ranges_in(&self, set: &ArchiveSet, index: usize) -> Result<Option<GameSet>> {
        let (Some(ranges), Some(archive)) = (&self.games, set.archive(index)) else { return Ok(None) };
        let (before, games) = (set.members().get(index).map_or(0, Member::before), archive.len());
        let numbers = ranges
            .within(set.len())?
            .into_iter()
            .flat_map(|(first, last)| first.saturating_sub(before).max(1)..=last.saturating_sub(before).min(games));
        Ok(Some(GameSet::from_numbers(games, numbers)))
    }
}

/// Returns whether an archive has games of variants.
fn has_variants(archive: &Archive) -> bool {
    let games = GameSet::all(archive.len());
    archive.games_of_chess(&games).len() < games.len()
}

/// The result of a query in one archive.
///
/// [`Query::in_archive`] has an example.
#[derive(Debug, Default)]
pub struct InArchive {
    /// The matching games, by their numbers in the archive.
    pub games: GameSet,
    /// The hits, sorted by game and ply. The list is empty if there are no conditions on the board or on comments.
    pub hits: Vec<Hit>,
    /// The steps in which the games were found.
    pub steps: Vec<Step>,
    /// The games that could not be read, and are therefore not in `games`.
    pub unread: Vec<Unread>,
    /// The number of games that were read to evaluate the filter, because no column contains the required data.
    pub walked: u64,
    /// For a query of either color with a filter about a player, the games in which the player may have White, and Black.
    pub(super) sides: Option<[GameSet; 2]>,
}

impl InArchive {
    /// Returns the matching games, or an error if a game could not be read.
    pub fn complete(self) -> Result<GameSet> {
        match self.unread.into_iter().next() {
            None => Ok(self.games),
            Some(unread) => Err(unread.error),
        }
    }
}

impl Board {
    /// Returns the condition with the colors exchanged and the board flipped.
    fn swapped(&self) -> Board {
        let swapped = |positions: &[PositionQuery]| positions.iter().map(PositionQuery::swapped).collect();
        match self {
            Board::AnyPosition(positions) => Board::AnyPosition(swapped(positions)),
            Board::EveryPosition(positions) => Board::EveryPosition(swapped(positions)),
            Board::Pattern(pattern) => Board::Pattern(pattern.swapped()),
            // Such a query is refused.
            Board::Repertoire(repertoire) => Board::Repertoire(repertoire.clone()),
        }
    }
}

impl SearchResult {
    /// Adds the hits of another search. If only the first hit of each game counts, keeps the first of both searches.
    fn join(&mut self, other: SearchResult, reach: SearchOptions) {
        let mut games: BTreeMap<u64, Vec<Hit>> = BTreeMap::new();
        for hits in [std::mem::take(&mut self.hits), other.hits] {
            for hits in hits.chunk_by(|left, right| left.game == right.game) {
                let known = games.entry(hits.first().map_or(0, |hit| hit.game)).or_default();
                if reach.all_plies {
                    known.extend(hits);
                    reach.keep(known);
                } else if known.is_empty() || hits.first().map(|hit| hit.ply) < known.first().map(|hit| hit.ply) {
                    *known = hits.to_vec();
                }
            }
        }
        self.hits = games.into_values().flatten().collect();
        self.steps.extend(other.steps);
        self.unread.extend(other.unread);
    }
}

impl From<PositionQuery> for Board {
    fn from(query: PositionQuery) -> Board {
        Board::AnyPosition(vec![query])
    }
}

impl From<Pattern> for Board {
    fn from(pattern: Pattern) -> Board {
        Board::Pattern(pattern)
    }
}

impl From<RepertoireQuery> for Board {
    fn from(query: RepertoireQuery) -> Board {
        Board::Repertoire(query)
    }
}

impl<B: Into<Board>> From<B> for Query {
    fn from(board: B) -> Query {
        Query::new().board(board)
    }
}

impl From<Filter> for Query {
    fn from(filter: Filter) -> Query {
        Query::new().filter(filter)
    }
}

impl From<&scoresheet::chess::Position> for Query {
    /// Returns a query for this position, including its side to move, castling rights and possible en passant capture.
    fn from(position: &scoresheet::chess::Position) -> Query {
        PositionQuery::from(position).into()
    }
}

/// An estimate of the cost of a query.
///
/// [`Query::plan`] has an example.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// The maximum number of games to examine. With a position index, it is the number of places that the index lists.
    pub games: u64,
    /// Whether any game would be replayed from the start.
    pub replayed: bool,
    /// The basis of the estimate. For several archives, it is the least precise basis.
    pub with: &'static str,
    /// The number of games that were read to evaluate the filter, because no column contains the required data.
    pub walked: u64,
    /// The estimated duration of the search in seconds, on all cores, if all data is in memory.
    pub seconds: f64,
}

impl Plan {
    /// Adds the cost of the search in an archive.
    pub fn add(&mut self, cost: Cost) {
        self.games += cost.games;
        self.seconds += cost.seconds();
        if cost.replayed || self.with.is_empty() {
            self.with = cost.with;
        }
        self.replayed |= cost.replayed;
    }
}

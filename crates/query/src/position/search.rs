//! Searches for the games that reach a position and for the plies at which they reach it.

use crate::position::index::PositionIndex;
use crate::position::main_line::MainLine;
use crate::position::position_query::PositionQuery;
use crate::position::signature::Signatures;
use scoresheet::Monitor;
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::brenner::OPEN;
use scoresheet::brenner::decode::{Decoder, Item, TextPlaces};
use scoresheet::brenner::replay::ReplayError;
use scoresheet::chess::position::STANDARD;
use scoresheet::chess::{Position, Variant};
use scoresheet::error::{Damage, DamageKind, Error, Result};
use scoresheet::game::PrincipalVariation;
use scoresheet::parallel;

/// A browser provides no side files, so the build omits the code that reads them.
pub(super) const HAS_FILES: bool = !cfg!(target_family = "wasm");

/// The number of games in a parallel task.
pub(crate) const TASK: usize = 256;
/// The number of games that are opened before the first is searched.
const TOGETHER: usize = 16;

/// A hit: a game and a ply at which the search matches.
///
/// [`Search`] and [`Hits`](crate::Hits) have examples.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Hit {
    /// The game, from 1.
    pub game: u64,
    /// The ply, where 0 is the starting position. In a variation, plies are counted along the line of the variation.
    pub ply: u32,
    /// Whether the hit is in a variation.
    pub variation: bool,
    /// The number of moves of a principal variation that lead to the position. The principal variation begins at ply
    /// `ply - pv`. The value is `None` if the hit is not in a principal variation.
    pub pv: Option<u32>,
}

impl Hit {
    /// Returns a hit in the main line.
    pub fn new(game: u64, ply: u32) -> Hit {
        Hit { game, ply, variation: false, pv: None }
    }

    /// Returns whether the hit is in the main line.
    pub fn is_main_line(&self) -> bool {
        !self.variation && self.pv.is_none()
    }
}

/// The parts of each game that are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchOptions {
    /// Report all plies at which the search matches, not only the first.
    pub all_plies: bool,
    /// Also search variations. Without `all_plies`, the first hit in the main line is reported. If there is none, the
    /// first hit in a variation is reported.
    pub variations: bool,
    /// Also search the principal variations from engine analysis in the searched lines. They are searched after the
    /// variations. Signatures and position indexes do not cover principal variations, so all games are replayed.
    pub principal_variations: bool,
}

impl SearchOptions {
    /// Returns whether the search includes more than main lines.
    pub(crate) fn is_beside_main_line(self) -> bool {
        self.variations || self.principal_variations
    }

    /// Removes the hits of a game that the options do not request.
    pub(crate) fn keep(self, found: &mut Vec<Hit>) {
        found.sort_unstable_by_key(|hit| (hit.ply, hit.variation, hit.pv));
        found.dedup();
        if !self.all_plies {
            let first = found.iter().min_by_key(|hit| (hit.pv.is_some(), hit.variation, hit.ply)).copied();
            found.clear();
            found.extend(first);
        }
    }
}

/// A step of a search and the games that it leaves.
///
/// [`Query::in_archive`](crate::Query::in_archive) has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The name of the step, in one or two words.
    pub what: &'static str,
    /// The number of games that remain after the step.
    pub games: u64,
}

/// The estimated cost of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// The maximum number of games to examine. With the index, it is the number of places that the index returns.
    pub games: u64,
    /// Whether games are replayed from their start. This takes half a microsecond per game, and longer if the games
    /// must be read from disk. Entries of the index take less time, and an opening tree needs no time for them.
    pub replayed: bool,
    /// The origin of the candidates, which is the last step before games are read, as in [`Step`].
    pub with: &'static str,
}

impl Cost {
    /// Returns the estimated number of seconds on the available cores if everything is in memory. A game takes about
    /// 0.7 us on one core, and an entry of the index takes a fraction of this time.
    pub fn seconds(&self) -> f64 {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        self.games as f64 * if self.replayed { 1e-6 } else { 2e-7 } / cores
    }

    /// Returns the sum of this cost and another.
    pub fn and(self, other: Cost) -> Cost {
        let with = if self.replayed || !other.replayed { self.with } else { other.with };
        Cost { games: self.games + other.games, replayed: self.replayed || other.replayed, with }
    }
}

/// The result of a search: its hits, its steps and the errors.
///
/// [`Search`] has an example.
#[derive(Debug, Default)]
pub struct SearchResult {
    /// The hits, in order of game and ply.
    pub hits: Vec<Hit>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The errors of the games that could not be read.
    pub unread: Vec<Error>,
}

/// The part of a game that could not be read.
pub(crate) enum Unreadable {
    Moves,
    Rest(Error),
}

impl From<ReplayError> for Unreadable {
    fn from(_: ReplayError) -> Unreadable {
        Unreadable::Moves
    }
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Unreadable {
        Unreadable::Rest(error)
    }
}

/// A search in an archive, with the games to search and the side files to use.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 (1. d4 d5) e5 *\n\n1. d4 d5 *\n"[..])?;
/// use scoresheet_query::{Search, SearchOptions, line};
///
/// let archive = scoresheet::Archive::open(&target)?;
/// let queens_pawn = (&line("d4 d5")?).into();
/// let result = Search::new(&archive).position(&queens_pawn, SearchOptions::default());
/// assert_eq!((result.hits.len(), result.hits[0].game, result.hits[0].ply), (1, 2, 2));
/// assert!(result.unread.is_empty());
///
/// let variations = SearchOptions { variations: true, ..SearchOptions::default() };
/// let result = Search::new(&archive).position(&queens_pawn, variations);
/// assert!(result.hits[0].variation && result.hits[1].is_main_line());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Search<'a> {
    archive: &'a Archive,
    signatures: Option<&'a Signatures>,
    index: Option<&'a PositionIndex>,
    among: Option<&'a GameSet>,
    monitor: Option<&'a Monitor<'a>>,
    /// Whether games of variants with moves of their own are searched.
    has_variants: bool,
    /// The number of games after which a search for a position may end.
    most: u64,
}

impl<'a> Search<'a> {
    /// Returns a search of all games that uses no side files.
    pub fn new(archive: &'a Archive) -> Search<'a> {
        Search {
            archive,
            signatures: None,
            index: None,
            among: None,
            monitor: None,
            has_variants: false,
            most: u64::MAX,
        }
    }

    /// Returns the search with signatures, which must belong to the same archive.
    pub fn with_signatures(self, signatures: &'a Signatures) -> Search<'a> {
        Search { signatures: Some(signatures), ..self }
    }

    /// Returns the search with a position index, which must belong to the same archive.
    pub fn with_index(self, index: &'a PositionIndex) -> Search<'a> {
        Search { index: Some(index), ..self }
    }

    /// Returns the search limited to these games, or without a limit for `None`.
    pub fn among(self, games: impl Into<Option<&'a GameSet>>) -> Search<'a> {
        Search { among: games.into(), ..self }
    }

    /// Returns the search that may end after the first `most` games that reach a position. Its result contains at least
    /// these games, if there are so many.
    pub(crate) fn at_most(self, most: u64) -> Search<'a> {
        Search { most, ..self }
    }

    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// Returns the search with a monitor, if one is given. The unit of progress is a searched game. A search that was
    /// stopped returns the hits found so far, and [`Error::Interrupted`] among the errors of unread games.
    pub fn monitored(self, monitor: impl Into<Option<&'a Monitor<'a>>>) -> Search<'a> {
        Search { monitor: monitor.into(), ..self }
    }

    /// Returns a search that also looks at games of Crazyhouse, Atomic, Antichess and Horde, without side files, which
    /// describe positions of chess. Other searches pass over these games.
    pub fn with_variants(self) -> Search<'a> {
        Search { signatures: None, index: None, has_variants: true, ..self }
    }

    /// Returns whether the search looks at a game, by the rules of its moves.
    pub(crate) fn looks_at(&self, game: &GameRef<'_>) -> bool {
        self.has_variants || game.start().variant() == Variant::Chess
    }

    /// Returns the search limited to these games and without the index, because the index does not cover them.
    pub(super) fn of_rest<'b>(&'b self, rest: &'b GameSet) -> Search<'b> {
        Search { among: Some(rest), index: None, ..self.clone() }
    }

    pub(crate) fn signatures(&self) -> Option<&'a Signatures> {
        self.signatures.filter(|_| HAS_FILES)
    }

    pub(crate) fn index(&self) -> Option<&'a PositionIndex> {
        self.index.filter(|_| HAS_FILES)
    }

    pub(crate) fn games(&self) -> Option<&'a GameSet> {
        self.among
    }

    /// Returns whether the search uses a position index.
    pub(crate) fn has_index(&self) -> bool {
        self.index().is_some()
    }

    /// Returns whether the monitor has stopped the search.
    pub(crate) fn is_stopped(&self) -> bool {
        self.monitor.is_some_and(Monitor::is_stopped)
    }

    /// Returns the cost of a search for a position in main lines. Without a position, returns the cost of a search that
    /// replays every game, such as a pattern search without signatures. The estimate queries the index or tests the
    /// signatures of all games, which takes a few milliseconds per million games.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n"[..])?;
    /// use scoresheet_query::{Cost, Search, Signatures, line};
    ///
    /// let archive = scoresheet::Archive::open(&target)?;
    /// let query = (&line("d4")?).into();
    /// let cost: Cost = Search::new(&archive).cost(Some(&query));
    /// assert_eq!((cost.games, cost.replayed), (2, true));
    /// let signatures = Signatures::build(&archive);
    /// let cost = Search::new(&archive).with_signatures(&signatures).cost(Some(&query));
    /// assert_eq!((cost.games, cost.with), (1, "signatures"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cost(&self, query: Option<&PositionQuery>) -> Cost {
        if let (Some(index), Some(query)) = (self.index(), query)
            && let Ok(places) = query.variants().iter().map(|position| index.count(position)).sum::<Result<u64>>()
        {
            // The index has no entries for the beginnings of games.
            let covered = || self.among.map_or(self.archive.len() - self.archive.deleted_count(), GameSet::len);
            let games = places + if query.matches(&STANDARD) { covered() } else { 0 };
            let named = Cost { games, replayed: false, with: "position index" };
            return match self.unindexed(index) {
                None => named,
                Some(rest) => {
                    let rest = self.of_rest(&rest).cost(Some(query));
                    Cost { with: "position index", ..named.and(rest) }
                }
            };
        }
        let mut steps = Vec::new();
        let games = self.candidates(query, &mut steps).len() as u64;
        Cost { games, replayed: true, with: steps.last().map_or("all games", |step| step.what) }
    }

    /// Returns the archive.
    pub fn archive(&self) -> &'a Archive {
        self.archive
    }

    /// Finds the games that reach a position, on rayon's current pool.
    ///
    /// A position of a variant is searched for in games of this variant alone.
    ///
    /// The result is complete, because signatures reject only games that cannot reach the position. The error of a game
    /// that cannot be read is listed in `unread`.
    pub fn position(&self, query: &PositionQuery, reach: SearchOptions) -> SearchResult {
        let variant = query.position().variant();
        if variant != Variant::Chess && !self.has_variants {
            return self.clone().with_variants().position(query, reach);
        }
        let mut steps = Vec::new();
        if let (Some(index), false) = (self.index(), reach.is_beside_main_line()) {
            // If the index is damaged, the search reads the games instead.
            match self.index_search(index, query, reach) {
                Ok(found) => return found,
                Err(error) => index.failed(&error),
            }
        }
        let candidates = self.candidates((!reach.is_beside_main_line()).then_some(query), &mut steps);
        let line = MainLine::new(query);
        let (hits, unread) = self.each(&candidates, |game, hits| {
            if variant != Variant::Chess && game.variant() != variant {
                return Ok(());
            }
            let (number, first) = (game.number(), hits.len());
            let has_variations = reach.variations && memchr::memchr(OPEN, game.brenner()).is_some();
            match has_variations {
                true => all_lines(query, game, hits)?,
                false => line.scan(game, |replay, _| {
                    hits.push(Hit::new(number, replay.ply()));
                    reach.all_plies
                })?,
            }
            // If a game reaches the position in its main line, it does not need to be searched further.
            if reach.principal_variations && (reach.all_plies || hits.len() == first) {
                in_principal_variations(game, reach.variations, |pv, variation| {
                    let mut position = pv.start.clone();
                    for (depth, m) in (1..).zip(&pv.moves) {
                        position.play_unchecked(*m);
                        if (depth > 1 || !pv.has_own_move) && query.matches(&position) {
                            hits.push(Hit { game: number, ply: pv.ply + depth, variation, pv: Some(depth) });
                        }
                    }
                })?;
            }
            if reach.is_beside_main_line() {
                let mut found = hits.split_off(first);
                reach.keep(&mut found);
                hits.append(&mut found);
            }
            Ok(())
        });
        steps.push(Step { what: "replay", games: games_of(&hits) });
        SearchResult { hits, steps, unread }
    }

    /// Returns the games that may reach a position in their main line, without reading the games. Without side files,
    /// returns all games.
    pub(crate) fn candidates(&self, query: Option<&PositionQuery>, steps: &mut Vec<Step>) -> Vec<u64> {
        let archive = self.archive;
        steps.push(match self.among {
            Some(games) => Step { what: "filter", games: games.len() },
            None => Step { what: "all games", games: archive.len() },
        });
        let mut games = match (self.signatures(), query, self.among) {
            (Some(signatures), Some(query), among) => {
                let games = match among {
                    None => signatures.candidates(query),
                    Some(among) => signatures.candidates_among(query, among),
                };
                steps.push(Step { what: "signatures", games: games.len() as u64 });
                games
            }
            (_, _, Some(among)) => among.iter().collect(),
            (_, _, None) => (1..=archive.len()).collect(),
        };
        if archive.deleted_count() > 0 {
            games.retain(|game| !archive.is_deleted(*game));
        }
        games
    }

    /// Runs `work` on each of these games in parallel. Returns the combined lists, in the order of the games, and the
    /// errors of unreadable games.
    pub(crate) fn each<T: Send>(
        &self,
        games: &[u64],
        work: impl Fn(&GameRef<'_>, &mut Vec<T>) -> Result<(), Unreadable> + Sync,
    ) -> (Vec<T>, Vec<Error>) {
        let of_task = |games: &[u64]| {
            let (mut found, mut unread) = (Vec::new(), Vec::new());
            if self.monitor.is_some_and(Monitor::is_stopped) {
                return (found, unread);
            }
            // Several games are opened before the first is processed, so their memory accesses overlap.
            let mut open = Vec::with_capacity(TOGETHER);
            for games in games.chunks(TOGETHER) {
                open.extend(games.iter().map(|number| self.archive.game(*number)));
                for game in open.drain(..) {
                    match game {
                        Ok(game) if !self.looks_at(&game) => {}
                        Ok(game) => {
                            unread.extend(work(&game, &mut found).err().map(|fault| match fault {
                                Unreadable::Moves => Damage::new(0, DamageKind::Moves).of_game(game.number()).into(),
                                Unreadable::Rest(error) => error,
                            }));
                        }
                        Err(Error::Deleted { .. }) => {}
                        Err(error) => unread.push(error),
                    }
                }
            }
            if let Some(monitor) = self.monitor {
                monitor.advance(games.len() as u64);
            }
            (found, unread)
        };
        let tasks = parallel::map_items(&games.chunks(TASK).collect::<Vec<_>>(), |games| of_task(games));
        let (mut all, mut failed) = (Vec::new(), Vec::new());
        for (found, unread) in tasks {
            all.extend(found);
            failed.extend(unread);
        }
        if self.monitor.is_some_and(Monitor::is_stopped) {
            failed.push(Error::Interrupted);
        }
        (all, failed)
    }
}

/// Returns the number of games in a list of hits that is ordered by game.
pub(crate) fn games_of(hits: &[Hit]) -> u64 {
    hits.chunk_by(|a, b| a.game == b.game).count() as u64
}

/// Searches all lines of a game for the position.
fn all_lines(query: &PositionQuery, game: &GameRef<'_>, hits: &mut Vec<Hit>) -> Result<(), ReplayError> {
    lines(game, |position, ply, variation| {
        if query.matches(position) {
            hits.push(Hit { variation, ..Hit::new(game.number(), ply) });
        }
    })
}

/// Calls `seen` with each principal variation of a game and with whether it belongs to a variation. Principal
/// variations within variations are included if `variations` is true.
pub(crate) fn in_principal_variations(
    game: &GameRef<'_>,
    variations: bool,
    mut seen: impl FnMut(&PrincipalVariation, bool),
) -> Result<()> {
    if !game.has_comments()? {
        return Ok(());
    }
    game.visit_analysis(variations, |analysis, depth| {
        if let Some(pv) = &analysis.pv {
            seen(pv, depth > 0);
        }
    })
}

/// Calls `seen` with every position of a game, also in variations. Also passes the position's ply along its
/// line and whether it is in a variation.
fn lines(game: &GameRef<'_>, mut seen: impl FnMut(&Position, u32, bool)) -> Result<(), ReplayError> {
    let mut decoder = Decoder::new(game.brenner(), game.start().clone(), TextPlaces::Apart);
    let (mut ply, mut before) = (0u32, Vec::new());
    seen(decoder.position(), 0, false);
    loop {
        match decoder.advance(|_, _| {}).map_err(|error| ReplayError { offset: error.offset })? {
            None => return Ok(()),
            Some(Item::Move(_)) => {
                ply += 1;
                seen(decoder.position(), ply, decoder.depth() > 0);
            }
            Some(Item::Open) => {
                before.push(ply);
                ply = ply.saturating_sub(1);
            }
            Some(Item::Close) => ply = before.pop().unwrap_or(ply),
            Some(_) => {}
        }
    }
}

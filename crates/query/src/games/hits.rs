//! The games that a query finds, one batch at a time.

use super::ArchiveSet;
use super::query::{InArchive, Query};
use crate::filter::Missing;
use crate::filter::sort::{SortKeys, Sorted};
use crate::position::search::{Hit, Step};
use crate::unread::Unread;
use scoresheet::Monitor;
use scoresheet::archive::GameSet;
use scoresheet::error::{Error, Result};
use std::collections::VecDeque;

/// A game that matches a query.
///
/// [`Hits`] has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundGame {
    /// The number of the game in the set.
    pub number: u64,
    /// The index of the game's archive in the set, from 0.
    pub archive: usize,
    /// The number of the game in its archive.
    pub game: u64,
    /// The plies that match the conditions on the board or on comments: only the first ply, or all plies. Empty if
    /// the query contains no such conditions.
    pub hits: Vec<Hit>,
}

/// The number of games in the first batch, and the maximum. Each batch contains twice as many games as the previous
/// one, up to this maximum.
const BATCH: (u64, u64) = (1 << 14, 1 << 18);

/// The games that a query finds, in order. The search runs as the games are requested. The iterator returns unreadable
/// games as errors, so callers cannot mistake an incomplete result for a complete one.
///
/// Callers that show progress can use [`next_batch`](Hits::next_batch), which returns many games at once.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n\n1. d4 d5 *\n"[..])?;
/// use scoresheet_query::{ArchiveSet, Query, line};
///
/// let set = ArchiveSet::open([&target])?;
/// let query = Query::from(&line("d4")?);
/// let mut hits = query.run(&set);
/// let found = hits.next_batch()?.expect("a first batch");
/// assert_eq!(found.iter().map(|found| (found.game, found.hits[0].ply)).collect::<Vec<_>>(), [(2, 1), (3, 1)]);
/// assert!(hits.next_batch()?.is_none() && hits.is_complete());
/// assert_eq!((hits.searched(), query.run(&set).total()?), (3, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "games are found on demand"]
#[derive(Debug)]
pub struct Hits<'a> {
    query: &'a Query,
    set: &'a ArchiveSet,
    monitor: Option<&'a Monitor<'a>>,
    among: Option<Vec<GameSet>>,
    /// The index of the current archive, and the number of its next game.
    index: usize,
    next: u64,
    /// For each archive, the games that satisfy the condition on tags, once known. An inner `None` stands for all
    /// games.
    passed: Vec<Option<Option<GameSet>>>,
    /// For each archive, the games in which the player of the filter may have White, and Black.
    sides: Vec<Option<[GameSet; 2]>>,
    /// The number of games to search in the next batch.
    batch: u64,
    offset: u64,
    left: u64,
    is_cut: bool,
    searched: u64,
    steps: Vec<Vec<Step>>,
    unread: Vec<(usize, Unread)>,
    missing: Vec<Missing>,
    /// The found games that have not been returned yet, and the number of unread games that have been returned.
    ready: VecDeque<FoundGame>,
    given: usize,
}

impl<'a> Hits<'a> {
    pub(super) fn new(query: &'a Query, set: &'a ArchiveSet, monitor: Option<&'a Monitor<'a>>) -> Hits<'a> {
        Hits {
            query,
            set,
            monitor,
            among: None,
            index: 0,
            next: 1,
            passed: set.members().iter().map(|_| None).collect(),
            sides: set.members().iter().map(|_| None).collect(),
            batch: BATCH.0,
            offset: query.offset,
            left: query.limit.unwrap_or(u64::MAX),
            is_cut: false,
            searched: 0,
            steps: set.members().iter().map(|_| Vec::new()).collect(),
            unread: Vec::new(),
            missing: Vec::new(),
            ready: VecDeque::new(),
            given: 0,
        }
    }

    /// Restricts the results to these games of each archive, or to all games with `None`.
    pub fn among(self, among: Option<Vec<GameSet>>) -> Hits<'a> {
        Hits { among, ..self }
    }

    /// Returns the next matching games, or `None` at the end of the search. A batch may contain no games. Without a
    /// sort order, the first batches are small, so the first matches are returned early.
    ///
    /// Errors: a range of games begins after the last game of the set, or the search was stopped.
    pub fn next_batch(&mut self) -> Result<Option<Vec<FoundGame>>> {
        if self.left == 0 || self.index >= self.set.members().len() {
            return Ok(None);
        }
        let mut found = match self.query.order.is_some() || self.query.games.is_some() {
            true => self.ordered()?,
            false => self.search()?,
        };
        let skipped = usize::try_from(self.offset).unwrap_or(usize::MAX).min(found.len());
        found.drain(..skipped);
        self.offset -= skipped as u64;
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        self.is_cut |= found.len() > most;
        found.truncate(most);
        self.left -= found.len() as u64;
        Ok(Some(found))
    }

    /// Returns the number of matching games, up to the limit.
    ///
    /// Errors: an error of `next_batch`.
    pub fn total(&mut self) -> Result<u64> {
        let mut games = 0;
        if !self.query.has_hits() && self.query.games.is_none() {
            // The games are only counted.
            while let Some((_, found)) = self.of_headers()? {
                games += found.len();
            }
            return Ok(games.saturating_sub(self.offset).min(self.left));
        }
        while let Some(found) = self.next_batch()? {
            games += found.len() as u64;
        }
        Ok(games)
    }

    /// Returns whether the search is complete and the limit has omitted no games.
    pub fn is_complete(&self) -> bool {
        !self.is_cut && self.index >= self.set.members().len()
    }

    /// Returns the number of games that have been searched.
    pub fn searched(&self) -> u64 {
        self.searched
    }

    /// Returns the unreadable games found so far, each with the index of its archive. At the end of the search, the
    /// list is complete.
    pub fn unread(&self) -> &[(usize, Unread)] {
        &self.unread
    }

    /// Returns the sort keys for which some of the games have no value, which come last, once games have been returned.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// Returns the steps of the search in each archive so far.
    pub fn steps(&self) -> &[Vec<Step>] {
        &self.steps
    }

    /// Returns the number of games to search, that is, the games that satisfy the condition on tags.
    ///
    /// Errors: a range of games begins after the last game of the set.
    pub fn candidates(&mut self) -> Result<u64> {
        let mut games = 0;
        for (index, archive) in self.set.archives().enumerate() {
            self.prepare(index)?;
            games += match self.passed.get(index) {
                Some(Some(Some(passed))) => passed.len(),
                _ => archive.len() - archive.deleted_count(),
            };
        }
        Ok(games)
    }

    /// Finds the games of an archive that satisfy the condition on tags. This is done once for each archive.
    fn prepare(&mut self, index: usize) -> Result<()> {
        if let (Some(member), Some(slot)) = (self.set.members().get(index), self.passed.get_mut(index))
            && slot.is_none()
        {
            let mut among = self.query.ranges_in(self.set, index)?;
            if let Some(games) = self.among.as_ref().and_then(|among| among.get(index)) {
                among.get_or_insert_with(|| games.clone()).intersect(games);
            }
            let mut found = InArchive::default();
            *slot = Some(self.query.passed(member.archive(), || member.columns(), among.as_ref(), &mut found));
            self.unread.extend(found.unread.into_iter().map(|unread| (index, unread)));
            if let Some(sides) = self.sides.get_mut(index) {
                *sides = found.sides;
            }
        }
        Ok(())
    }

    /// Searches the next games.
    fn search(&mut self) -> Result<Vec<FoundGame>> {
        let Some(member) = self.set.members().get(self.index) else { return Ok(Vec::new()) };
        let archive = member.archive();
        self.prepare(self.index)?;
        let mut found = InArchive { sides: self.sides.get(self.index).cloned().flatten(), ..InArchive::default() };
        // An index finds all games at once, and sorting requires all games before the first one can be returned.
        let at_once = self.query.order.is_some()
            || self.query.games.is_some()
            || self.query.is_of_positions() && member.search().has_index();
        let games = archive.len();
        let last = if at_once { games } else { games.min((self.next - 1).saturating_add(self.batch)) };
        let passed = self.passed.get(self.index).and_then(Option::as_ref).and_then(Option::as_ref);
        let among = match self.next == 1 && last == games {
            true => passed.cloned(),
            false => {
                let window = self.next..=last;
                Some(match passed {
                    Some(passed) => GameSet::from_numbers(games, window.filter(|game| passed.contains(*game))),
                    None if archive.deleted_count() > 0 => {
                        GameSet::from_numbers(games, window.filter(|game| !archive.is_deleted(*game)))
                    }
                    None => GameSet::from_numbers(games, window),
                })
            }
        };
        self.searched += among.as_ref().map_or(games - archive.deleted_count(), GameSet::len);
        // One additional game shows whether the limit omits games.
        let most = match self.query.is_of_one_position() {
            true => self.left.saturating_add(self.offset).saturating_add(1),
            false => u64::MAX,
        };
        let search = || member.search().monitored(self.monitor).at_most(most);
        self.query.on_board(archive, among, search, &mut found);
        let list = found_games(member.before(), self.index, &found);
        self.note(found);
        (self.next, self.batch) = (last + 1, (self.batch * 2).min(BATCH.1));
        if last >= games {
            self.passed[self.index] = None;
            (self.index, self.next) = (self.index + 1, 1);
        }
        if self.monitor.is_some_and(Monitor::is_stopped) {
            return Err(Error::Interrupted);
        }
        Ok(list)
    }

    /// Adds the steps and the unreadable games of a batch to the totals of the current archive.
    fn note(&mut self, found: InArchive) {
        let Some(steps) = self.steps.get_mut(self.index) else { return };
        // Add up the steps of all batches.
        for (step_index, step) in found.steps.into_iter().enumerate() {
            match steps.get_mut(step_index).filter(|known| known.what == step.what) {
                Some(known) => known.games += step.games,
                None => steps.push(step),
            }
        }
        self.unread.extend(found.unread.into_iter().map(|unread| (self.index, unread)));
    }

    /// Finds all matching games and returns them in the requested order.
    fn ordered(&mut self) -> Result<Vec<FoundGame>> {
        if let (Some(ranges), Some(archive), 1) = (&self.query.games, self.set.archive(0), self.set.members().len()) {
            // This call returns an error if the ranges name only deleted games.
            ranges.live(archive)?;
        }
        // One additional game is requested, to determine whether there are more games.
        let most = self.left.saturating_add(self.offset).saturating_add(1);
        if let (Some(keys), false) = (&self.query.order, self.query.has_hits()) {
            return self.first_of_headers(keys, most);
        }
        let mut found = Vec::new();
        while self.index < self.set.members().len() {
            found.append(&mut self.search()?);
        }
        let Some(keys) = &self.query.order else { return self.query.in_ranges(self.set.len(), found) };
        let locations: Vec<(usize, u64)> = found.iter().map(|found| (found.archive, found.game)).collect();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let Sorted { order, unread, missing } = keys.sorted(&self.set.columns(), &locations, most);
        self.unread.extend(unread);
        self.missing = missing;
        let mut found: Vec<Option<FoundGame>> = found.into_iter().map(Some).collect();
        Ok(order.into_iter().filter_map(|index| found.get_mut(index)?.take()).collect())
    }
}

impl Hits<'_> {
    /// Returns the index of the next archive and its matching games, for a query that needs only tags. Returns `None`
    /// after the last archive.
    fn of_headers(&mut self) -> Result<Option<(usize, GameSet)>> {
        let index = self.index;
        let Some(member) = self.set.members().get(index) else { return Ok(None) };
        self.prepare(index)?;
        let passed = self.passed.get_mut(index).and_then(Option::take).flatten();
        let mut found = InArchive::default();
        self.query.on_board(member.archive(), passed, || member.search(), &mut found);
        let games = std::mem::take(&mut found.games);
        self.note(found);
        self.index += 1;
        Ok(Some((index, games)))
    }

    /// Returns the first games in a sort order, for a query that needs only tags. Does not sort millions of games if
    /// only a few are needed.
    fn first_of_headers(&mut self, keys: &SortKeys, most: u64) -> Result<Vec<FoundGame>> {
        let mut games: Vec<(usize, u64)> = Vec::new();
        while let Some((index, found)) = self.of_headers()? {
            games.extend(found.iter().map(|game| (index, game)));
        }
        self.searched += games.len() as u64;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let Sorted { order, unread, missing } = keys.sorted(&self.set.columns(), &games, most);
        self.unread.extend(unread);
        self.missing = missing;
        let of = |index: usize| {
            let (archive, game) = *games.get(index)?;
            let number = self.set.members().get(archive)?.before() + game;
            Some(FoundGame { number, archive, game, hits: Vec::new() })
        };
        Ok(order.into_iter().filter_map(of).collect())
    }
}

impl Iterator for Hits<'_> {
    type Item = Result<FoundGame>;

    fn next(&mut self) -> Option<Result<FoundGame>> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Some(Ok(found));
            }
            if let Some((_, unread)) = self.unread.get(self.given) {
                self.given += 1;
                return Some(Err(unread.error.again()));
            }
            match self.next_batch() {
                Ok(found) => self.ready = found?.into(),
                // After an error, no more games are returned.
                Err(error) => {
                    self.left = 0;
                    return Some(Err(error));
                }
            }
        }
    }
}

impl Query {
    /// Returns the matching games of a set as an iterator, which is described for [`Hits`].
    pub fn run<'a>(&'a self, set: &'a ArchiveSet) -> Hits<'a> {
        Hits::new(self, set, None)
    }

    /// Returns the matching games like `run`, with a monitor. The unit of progress is an examined game.
    pub fn run_monitored<'a>(&'a self, set: &'a ArchiveSet, monitor: &'a Monitor<'a>) -> Hits<'a> {
        Hits::new(self, set, Some(monitor))
    }

    /// Returns the numbers of the matching games of a set, in the requested order.
    ///
    /// Errors: a game cannot be read, or any other error of [`Hits::next_batch`].
    pub fn numbers(&self, set: &ArchiveSet) -> Result<Vec<u64>> {
        self.run(set).map(|found| Ok(found?.number)).collect()
    }

    /// Returns the found games in the order of the requested ranges. `games` is the number of games in the set.
    fn in_ranges(&self, games: u64, found: Vec<FoundGame>) -> Result<Vec<FoundGame>> {
        let Some(ranges) = &self.games else { return Ok(found) };
        let index = |number: u64| found.partition_point(|found| found.number < number);
        let of = |(first, last): &(u64, u64)| found.get(index(*first)..index(last + 1)).unwrap_or_default();
        Ok(ranges.within(games)?.iter().flat_map(of).cloned().collect())
    }
}

/// Returns the results of a search in an archive, one element for each game.
pub(super) fn found_games(before: u64, archive: usize, found: &InArchive) -> Vec<FoundGame> {
    let of = |game: u64, hits: &[Hit]| FoundGame { number: before + game, archive, game, hits: hits.to_vec() };
    if found.hits.is_empty() {
        return found.games.iter().map(|game| of(game, &[])).collect();
    }
    let games = found.hits.chunk_by(|left, right| left.game == right.game);
    games.filter_map(|hits| hits.first().map(|hit| of(hit.game, hits))).collect()
}

impl ArchiveSet {
    /// Returns the games that match a position, a pattern, a filter, or a [`Query`] that combines these, in order.
    ///
    /// Positions are found in the main line, whatever the order of moves. Each game is returned with its first matching
    /// ply. The search is immediate with a position index, and fast with signatures. Without these files, every game is
    /// replayed, on rayon's current pool.
    ///
    /// Errors: a game cannot be read. [`Query::run`] continues after such games.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "1. e4 c5 2. Nf3 *\n\n1. Nf3 c5 2. e4 *\n\n[WhiteElo \"2700\"]\n\n1. d4 *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// use scoresheet_query::{ArchiveSet, Filter, line};
    ///
    /// let set = ArchiveSet::open([&target])?;
    /// let sicilian = line("1. e4 c5 2. Nf3")?;
    /// let found: Vec<(u64, u32)> = set.find(&sicilian)?.iter().map(|found| (found.number, found.hits[0].ply)).collect();
    /// assert_eq!(found, [(1, 3), (2, 3)]);
    ///
    /// let strong: Filter = "whiteelo >= 2700".parse()?;
    /// assert_eq!(set.find(strong)?[0].number, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(&self, query: impl Into<Query>) -> Result<Vec<FoundGame>> {
        query.into().run(self).collect()
    }
}

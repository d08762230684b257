//! All archives that a request reads, at one moment, and the games that a filter selects. A request continues to use
//! its set after a newer set has replaced that set.

use crate::book::Book;
use crate::fault::Fault;
use crate::stop::Stop;
use scoresheet::Monitor;
use scoresheet::archive::GameSet;
use scoresheet::chess::{Position, Variant};
use scoresheet_query::report::spellings::{Named, Suggestion, spellings_among};
use scoresheet_query::tag_columns::Unread;
use scoresheet_query::{ArchiveSet, Filter, PositionQuery, Query, Rules, SortKeys, TagColumns, reason};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A set of all archives at one moment. Games are numbered consecutively across archives.
#[derive(Debug)]
pub struct Snapshot {
    books: Vec<Arc<Book>>,
    set: ArchiveSet,
    /// For each archive, the reason why an older state is shown; empty if the state is current.
    outdated: Vec<Option<String>>,
    /// A number that identifies this state of the archives and their side files.
    pub version: u64,
    selections: Mutex<VecDeque<(String, Arc<Selection>)>>,
    spellings: OnceLock<Vec<Suggestion>>,
    first_events: OnceLock<serde_json::Value>,
}

/// A choice of games: the requested games and their order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice<'a> {
    /// The number of the requested archive, from 1; `None` for all.
    pub only: Option<usize>,
    /// The filter on tags; empty for all games.
    pub filter: &'a str,
    /// An additional query in JSON (docs/QUERY.md); empty if there is none.
    pub question: &'a str,
    /// The sort keys; empty for the archives' order.
    pub sort: &'a str,
    /// A position that the main line must reach.
    pub at: Option<&'a Position>,
    /// The rules of the games; `None` for chess, unless the filter chooses.
    pub rules: Option<Rules>,
}

impl Choice<'_> {
    /// Returns a cache key. Equal keys mean the same games in the same order.
    fn key(&self) -> Result<String, Fault> {
        let Choice { only, filter, question, sort, at, rules } = self;
        let fen = at.map(Position::fen).unwrap_or_default();
        // The same query can be written in many ways.
        let question = match *question {
            "" => String::new(),
            text => match serde_json::from_str::<serde_json::Value>(text) {
                Ok(value) => value.to_string(),
                Err(error) => {
                    return Err(Fault::bad(reason!("invalid_json", "find: invalid JSON: {what}", what = error)));
                }
            },
        };
        Ok(format!("{only:?}\0{fen}\0{filter}\0{sort}\0{question}\0{rules:?}"))
    }
}

/// The games that a filter selects, in the requested order.
#[derive(Debug)]
pub struct Selection {
    /// The games of each archive; `None` if all games are selected.
    pub sets: Option<Vec<GameSet>>,
    /// The numbers across all archives, in the requested order; `None` for the archives' order.
    pub order: Option<Vec<u64>>,
    /// The number of games.
    pub games: u64,
    /// The number of games that could not be tested because of damage.
    pub undecided: u64,
    /// Whether all games of all archives are selected, except deleted games.
    pub is_all: bool,
    /// The rules that the request, its query or its filter states; without any, games of variants are left out.
    pub stated: Option<Rules>,
}

/// The maximum size of cached selections in bytes.
const KEPT: u64 = 64 << 20;

impl Snapshot {
    /// Creates the set of these archives. `state` identifies the state of their side files, because the archives do not
    /// identify it.
    pub fn new(books: Vec<Arc<Book>>, state: impl Hash) -> Snapshot {
        let set = ArchiveSet::shared(books.iter().map(|book| Arc::clone(book.indexed())).collect());
        let mut hasher = DefaultHasher::new();
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        for book in &books {
            let archive = book.archive();
            (archive.id().to_string(), archive.sequence(), archive.file_length()).hash(&mut hasher);
        }
        state.hash(&mut hasher);
        Snapshot {
            set,
            outdated: Vec::new(),
            version: hasher.finish(),
            books,
            selections: Mutex::default(),
            spellings: OnceLock::new(),
            first_events: OnceLock::new(),
        }
    }

    /// Returns the set with the reasons why archives are shown in an older state.
    pub fn with_outdated(self, outdated: Vec<Option<String>>) -> Snapshot {
        Snapshot { outdated, ..self }
    }

    /// Returns the reason why the archive at an index is shown in an older state; `None` if the state is current.
    pub fn outdated(&self, index: usize) -> Option<&str> {
        self.outdated.get(index)?.as_deref()
    }

    /// Returns the archives of a request, each with its index and the number of preceding games: the archive with this
    /// number, from 1, or all archives.
    pub fn books(&self, only: Option<usize>) -> Result<Vec<(usize, u64, &Book)>, Fault> {
        let all = self.set.members().iter().zip(&self.books).enumerate();
        let all = all.map(|(index, (member, book))| (index, member.before(), &**book));
        match only {
            None => Ok(all.collect()),
            Some(number) => {
                let missing = || {
                    let last = self.books.len();
                    Fault::missing(reason!(
                        "no_archive",
                        "there is no archive {number}; the last is {last}",
                        number = number,
                        last = last
                    ))
                };
                let found = number.checked_sub(1).and_then(|index| all.into_iter().nth(index));
                Ok(vec![found.ok_or_else(missing)?])
            }
        }
    }

    /// Returns the archives of `books` as a set. The games keep the numbers that they have across all archives.
    ///
    /// Errors: the archive does not exist.
    pub fn set(&self, only: Option<usize>) -> Result<ArchiveSet, Fault> {
        let books = self.books(only)?;
        let before = books.first().map_or(0, |(_, before, _)| *before);
        Ok(ArchiveSet::after(before, books.iter().map(|(_, _, book)| Arc::clone(book.indexed())).collect()))
    }

    /// Returns the number of games, including deleted games.
    pub fn games(&self) -> u64 {
        self.set.len()
    }

    /// Returns the archive of a game, the number of games in preceding archives, and the game's number in its archive.
    pub fn locate(&self, number: u64) -> Result<(&Book, u64, u64), Fault> {
        let (index, game) = self.set.index_of(number)?;
        let book = self.books.get(index).ok_or_else(Fault::internal)?;
        Ok((book, number - game, game))
    }

    /// Returns the first of these games that is not deleted.
    pub fn live(&self, mut numbers: impl Iterator<Item = u64>) -> Option<u64> {
        numbers.find(|number| self.locate(*number).is_ok_and(|(book, _, game)| !book.archive().is_deleted(game)))
    }

    /// Returns whether every archive has its position index, so trees need no scan.
    pub fn is_indexed(&self) -> bool {
        self.books.iter().all(|book| book.has_index())
    }

    /// Returns the archives.
    pub fn all(&self) -> &[Arc<Book>] {
        &self.books
    }

    /// Returns an error if a request needs a complete archive that is fetched in parts.
    pub fn require_complete(&self) -> Result<(), Fault> {
        match self.books.iter().filter(|book| book.is_lean()).map(|book| book.archive().file_length()).sum() {
            0 => Ok(()),
            bytes => Err(Fault::complete_archive(bytes)),
        }
    }

    /// Returns an error if a query uses the novelty, and an archive of `books` has no position index.
    pub fn require_index(&self, query: &Query, only: Option<usize>) -> Result<(), Fault> {
        let is_missing = self.books(only)?.iter().any(|(_, _, book)| query.missing_index(book.tags()).is_some());
        if is_missing { Err(Fault::no_index()) } else { Ok(()) }
    }

    /// Returns whether filters work without reading all tags.
    pub fn has_columns(&self) -> bool {
        self.books.iter().all(|book| book.has_columns())
    }

    /// Returns whether the spellings of all players' names are already known.
    pub fn knows_spellings(&self) -> bool {
        self.spellings.get().is_some()
    }

    /// Returns the players' names, in all archives, that are probably variant spellings of other names. Computes the
    /// names once and caches the result, which is empty if tags are damaged.
    pub fn spellings(&self) -> &[Suggestion] {
        let found = || spellings_among(self.books.iter().map(|book| book.tags()), Named::Players).unwrap_or_default();
        self.spellings.get_or_init(found)
    }

    /// Returns whether the first page of the events of all games is already known.
    pub fn knows_first_events(&self) -> bool {
        self.first_events.get().is_some()
    }

    /// Returns the first page of the events of all games. `count` computes the page for the first request.
    ///
    /// Errors: an error of `count`.
    pub fn first_events(
        &self,
        count: impl FnOnce() -> Result<serde_json::Value, Fault>,
    ) -> Result<serde_json::Value, Fault> {
        if let Some(known) = self.first_events.get() {
            return Ok(known.clone());
        }
        let counted = count()?;
        Ok(self.first_events.get_or_init(|| counted).clone())
    }

    /// Returns the requested games, and caches the selection for equal requests.
    ///
    /// Errors: the filter or the order is invalid; the request needs a complete archive, but the archive is fetched in
    /// parts; the work was stopped.
    pub fn select(&self, choice: Choice<'_>, stop: &Stop) -> Result<Arc<Selection>, Fault> {
        let key = choice.key()?;
        if let Some((_, kept)) = self.kept().iter().find(|(known, _)| *known == key) {
            return Ok(Arc::clone(kept));
        }
        let made = Arc::new(self.make(choice, stop)?);
        self.keep(key, &made);
        Ok(made)
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<(String, Arc<Selection>)>> {
        self.selections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, key: String, made: &Arc<Selection>) {
        // The results of filters that depend on the day are not cached beyond the request.
        if key.to_lowercase().contains("today") {
            return;
        }
        let mut kept = self.kept();
        kept.retain(|(known, _)| *known != key);
        kept.push_front((key, Arc::clone(made)));
        let mut bytes = 0;
        kept.retain(|(_, selection)| {
            bytes += selection.bytes();
            bytes <= KEPT
        });
        kept.truncate(64);
    }

    /// Caches the games that a search has found, by their numbers in the set, for later requests in the archives'
    /// order.
    ///
    /// Errors: the query is invalid.
    pub fn remember(&self, choice: Choice<'_>, numbers: &[u64]) -> Result<(), Fault> {
        let mut sets: Vec<GameSet> = self.set.archives().map(|archive| GameSet::new(archive.len())).collect();
        for number in numbers {
            let (index, game) = self.set.index_of(*number)?;
            sets[index].insert(game);
        }
        let games = sets.iter().map(GameSet::len).sum();
        let found =
            Selection { sets: Some(sets), order: None, games, undecided: 0, is_all: false, stated: Some(Rules::Any) };
        self.keep(choice.key()?, &Arc::new(found));
        Ok(())
    }

    /// Returns the number of games of variants in these archives that a selection leaves out because of their rules.
    ///
    /// Errors: the archive is unknown.
    pub fn left_out(&self, only: Option<usize>, selection: &Selection) -> Result<u64, Fault> {
        let books = self.books(only)?.into_iter().filter(|_| selection.stated.is_none());
        Ok(books.flat_map(|(_, _, book)| book.variants()).map(|(_, games)| games).sum())
    }

    fn make(&self, choice: Choice<'_>, stop: &Stop) -> Result<Selection, Fault> {
        let Choice { only, filter, question, sort, at, rules: stated } = choice;
        let books = self.books(only)?;
        let is_all = filter.trim().is_empty() && question.is_empty() && at.is_none() && only.is_none();
        let mut question = asked(question)?;
        let mut query = if filter.trim().is_empty() { Query::new() } else { filtered(filter)? };
        let of_question = question.as_ref().and_then(Query::stated_rules);
        if let (Some(rules @ Rules::Only(_)), None) = (stated, of_question) {
            question = question.map(|question| question.rules(rules));
        }
        let of_query = of_question.or(query.stated_rules());
        // The question may give a condition on a player to one side, so it answers the filter too.
        if let (Some(asked), Some(filter)) = (&mut question, query.get_filter()) {
            *asked = asked.clone().and_filter(filter.clone());
            query = Query::new();
        }
        let rules = stated.or(of_query).unwrap_or(Rules::Only(Variant::Chess));
        let is_of_variant = matches!(rules, Rules::Only(variant) if variant != Variant::Chess);
        let order = match sort.trim() {
            "" => None,
            text => Some(SortKeys::parse(text).map_err(|fault| Fault::query("sort", &fault))?),
        };
        if query.get_filter().is_some() || question.is_some() || order.is_some() || is_of_variant {
            self.require_complete()?;
        }
        // Requests without conditions use the files of a site, which leave out variants. If the archive is fetched in
        // parts, its games are not read to know which of them are of variants.
        let by_site = filter.trim().is_empty() && question.is_none() && order.is_none() && !is_of_variant;
        let by_site = |book: &Book| by_site && book.site().is_some();
        let leaves_out =
            |book: &Book| !(by_site(book) && book.is_lean()) && rules.among(book.archive(), None).is_some();
        let is_by_site = books.iter().all(|(_, _, book)| by_site(book));
        let leaves_out = books.iter().any(|(_, _, book)| leaves_out(book));
        if leaves_out && at.is_none() || matches!(stated, Some(Rules::Only(_))) {
            query = query.rules(rules);
        }
        // Only one of both has the filter.
        self.require_index(question.as_ref().unwrap_or(&query), only)?;
        if let Some(keys) = &order {
            self.require_index(&Query::new().sort(keys.clone()), only)?;
        }
        let monitor = Monitor::new().stop(stop.flag());
        let (mut undecided, mut sets) = (0, None);
        if !is_all || leaves_out || is_of_variant || books.iter().any(|(_, _, book)| book.archive().deleted_count() > 0)
        {
            let all = sets.insert(Vec::new());
            for (index, _, book) in &books {
                let (query, among) = match (book.site(), at) {
                    (Some(site), Some(position)) if !is_of_variant && of_query.is_none() => {
                        let games = site.games_with(position)?;
                        (query.clone(), Some(GameSet::from_numbers(book.archive().len(), games)))
                    }
                    (_, Some(position)) => (query.clone().board(PositionQuery::from(position)), None),
                    (_, None) => (query.clone(), None),
                };
                let found = query.in_archive(book.indexed(), among.as_ref(), Some(&monitor));
                undecided += found.unread.iter().map(Unread::count).sum::<u64>();
                all.push(match &question {
                    None => found.games,
                    Some(question) => {
                        let mut found = found;
                        if let Some(games) = question.ranges_in(&self.set, *index)? {
                            found.games.intersect(&games);
                        }
                        let passed = question.in_archive(book.indexed(), Some(&found.games), Some(&monitor));
                        undecided += passed.unread.iter().map(Unread::count).sum::<u64>();
                        passed.games
                    }
                });
            }
            if stop.is_set() {
                return Err(Fault::stopped());
            }
        }
        let games = sets.as_ref().map_or(self.games(), |sets| sets.iter().map(GameSet::len).sum());
        let order = order.map(|keys| {
            let of = |(index, (_, _, book)): (usize, &(usize, u64, &Book))| match &sets {
                Some(sets) => sets.get(index).cloned().unwrap_or_default(),
                None => GameSet::all(book.archive().len()),
            };
            let all: Vec<GameSet> = books.iter().enumerate().map(of).collect();
            let games = all.iter().enumerate().flat_map(|(index, set)| set.iter().map(move |game| (index, game)));
            let games: Vec<(usize, u64)> = games.collect();
            let columns: Vec<&TagColumns<'_>> = books.iter().map(|(_, _, book)| book.tags() as &TagColumns).collect();
            let (order, _) = keys.order(&columns, &games, usize::MAX);
            let number = |index: usize| {
                let (book, game) = games.get(index).copied().unwrap_or_default();
                books.get(book).map_or(0, |(_, before, _)| before + game)
            };
            order.into_iter().map(number).collect()
        });
        // The sets are indexed by archive, regardless of the requested archives.
        let sets = sets.map(|sets| {
            let mut all: Vec<GameSet> = self.set.archives().map(|archive| GameSet::new(archive.len())).collect();
            for ((index, _, _), set) in books.iter().zip(sets) {
                all[*index] = set;
            }
            all
        });
        Ok(Selection {
            sets,
            order,
            games,
            undecided,
            is_all: is_all && (!leaves_out || is_by_site) && !is_of_variant,
            stated: stated.or(of_query),
        })
    }
}

/// Returns the query with a filter.
fn filtered(filter: &str) -> Result<Query, Fault> {
    Ok(Query::new().filter(Filter::parse(filter).map_err(|fault| Fault::query("where", &fault))?))
}

/// Returns the query in a text, or `None` if the text is empty.
fn asked(question: &str) -> Result<Option<Query>, Fault> {
    let query = || question.parse().map_err(|fault| Fault::query("find", &fault));
    (!question.is_empty()).then(query).transpose()
}

impl Selection {
    fn bytes(&self) -> u64 {
        let sets = self.sets.iter().flatten().map(|set| set.games() / 8).sum::<u64>();
        sets + self.order.as_ref().map_or(0, |order| order.len() as u64 * 8) + 64
    }

    /// Returns the games of the archive at an index; `None` if all games are selected.
    pub fn set(&self, index: usize) -> Option<&GameSet> {
        self.sets.as_ref().and_then(|sets| sets.get(index))
    }

    /// Returns the numbers of at most `limit` games from index `offset`, from 0.
    pub fn page(&self, snapshot: &Snapshot, offset: u64, limit: usize) -> Vec<u64> {
        let skip = usize::try_from(offset).unwrap_or(usize::MAX);
        if let Some(order) = &self.order {
            return order.iter().skip(skip).take(limit).copied().collect();
        }
        let Some(sets) = &self.sets else {
            return (offset.saturating_add(1)..=snapshot.games()).take(limit).collect();
        };
        let (mut page, mut skip) = (Vec::new(), offset);
        for (set, member) in sets.iter().zip(snapshot.set.members()) {
            let before = member.before();
            let games = set.len();
            if skip >= games {
                skip -= games;
                continue;
            }
            let rest = limit - page.len();
            page.extend(set.iter().skip(skip as usize).take(rest).map(|game| before + game));
            skip = 0;
            if page.len() == limit {
                break;
            }
        }
        page
    }
}

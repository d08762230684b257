//! All archives of a request at one moment: a set that a request keeps while a newer one takes its place; and the games
//! of it that a filter lets pass.

use crate::book::Book;
use crate::fault::Fault;
use crate::stop::Stop;
use scoresheet::archive::GameSet;
use scoresheet::chess::Position;
use scoresheet::query::report::spellings::{Named, Suggestion, spellings_among};
use scoresheet::query::tag_columns::Unread;
use scoresheet::query::{Filter, PositionQuery, SortKeys, TagColumns};
use scoresheet::{ArchiveSet, Monitor, Query};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// All archives at one moment. Games have numbers that go on from one archive to the next.
#[derive(Debug)]
pub struct Snapshot {
    books: Vec<Arc<Book>>,
    set: ArchiveSet,
    /// Why an archive is shown as it was, for each; empty where none is.
    outdated: Vec<Option<String>>,
    /// A number that another state of the archives or of their side files does not have.
    pub version: u64,
    selections: Mutex<VecDeque<(String, Arc<Selection>)>>,
    spellings: OnceLock<Vec<Suggestion>>,
}

/// Which games are wanted, and in what order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice<'a> {
    /// The number, from 1, of the only archive that is asked; `None` for all.
    pub only: Option<usize>,
    /// What tags have to say; empty for all games.
    pub filter: &'a str,
    /// What else games have to have, as a question in JSON (docs/QUERY.md); empty for nothing.
    pub question: &'a str,
    /// The keys to order by; empty for the archives' own order.
    pub sort: &'a str,
    /// A position that the main line has to reach.
    pub at: Option<&'a Position>,
}

impl Choice<'_> {
    /// Returns a text that choices of the same games in the same order have alone.
    fn key(&self) -> Result<String, Fault> {
        let Choice { only, filter, question, sort, at } = self;
        let fen = at.map(Position::fen).unwrap_or_default();
        // The same question can be written in many ways.
        let question = match *question {
            "" => String::new(),
            text => match serde_json::from_str::<serde_json::Value>(text) {
                Ok(value) => value.to_string(),
                Err(error) => return Err(Fault::bad(format!("find: no JSON: {error}"))),
            },
        };
        Ok(format!("{only:?}\0{fen}\0{filter}\0{sort}\0{question}"))
    }
}

/// Games that a filter lets pass, in an order.
#[derive(Debug)]
pub struct Selection {
    /// The games of each archive; `None` where all pass.
    pub sets: Option<Vec<GameSet>>,
    /// The numbers in the set of all archives, in the order asked for; `None` for the archives' own order.
    pub order: Option<Vec<u64>>,
    /// How many games there are.
    pub games: u64,
    /// How many games could not be decided, for damage.
    pub undecided: u64,
    /// Whether these are all games of all archives, but for those deleted.
    pub is_all: bool,
}

/// So many bytes of selections are kept.
const KEPT: u64 = 64 << 20;

impl Snapshot {
    /// Returns the set of these archives. `state` tells states of it apart that the archives themselves do not: those
    /// of their side files.
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
        }
    }

    /// Returns the set with the reasons why archives are shown as they were, and not as their files are now.
    pub fn with_outdated(self, outdated: Vec<Option<String>>) -> Snapshot {
        Snapshot { outdated, ..self }
    }

    /// Returns why the archive at a place is shown as it was; `None` if it is what its file is.
    pub fn outdated(&self, place: usize) -> Option<&str> {
        self.outdated.get(place)?.as_deref()
    }

    /// Returns the archives that a request is about, each with its place and how many games come before its own: that
    /// with this number, from 1, or all.
    pub fn books(&self, only: Option<usize>) -> Result<Vec<(usize, u64, &Book)>, Fault> {
        let all = self.set.members().iter().zip(&self.books).enumerate();
        let all = all.map(|(place, (member, book))| (place, member.before(), &**book));
        match only {
            None => Ok(all.collect()),
            Some(number) => {
                let missing =
                    || Fault::missing(format!("there is no archive {number}; there are {}", self.books.len()));
                let found = number.checked_sub(1).and_then(|place| all.into_iter().nth(place));
                Ok(vec![found.ok_or_else(missing)?])
            }
        }
    }

    /// Returns the archives of `books` as a set; games keep the numbers that they have among all.
    ///
    /// Errors: there is no such archive.
    pub fn set(&self, only: Option<usize>) -> Result<ArchiveSet, Fault> {
        let books = self.books(only)?;
        let before = books.first().map_or(0, |(_, before, _)| *before);
        Ok(ArchiveSet::after(before, books.iter().map(|(_, _, book)| Arc::clone(book.indexed())).collect()))
    }

    /// Returns how many games there are, deleted ones too.
    pub fn games(&self) -> u64 {
        self.set.len()
    }

    /// Returns the archive of a game of the set, how many games come before its own, and the game's number there.
    pub fn locate(&self, number: u64) -> Result<(&Book, u64, u64), Fault> {
        let (place, own) = self.set.place_of(number)?;
        let book = self.books.get(place).ok_or_else(Fault::internal)?;
        Ok((book, number - own, own))
    }

    /// Returns whether every archive has its position index, so that trees cost no scan.
    pub fn is_indexed(&self) -> bool {
        self.books.iter().all(|book| book.has_index())
    }

    /// Returns the archives.
    pub fn all(&self) -> &[Arc<Book>] {
        &self.books
    }

    /// Returns an error where the whole of an archive is needed and only parts of it are fetched.
    pub fn needs_whole(&self) -> Result<(), Fault> {
        match self.books.iter().filter(|book| book.is_lean()).map(|book| book.archive().file_length()).sum() {
            0 => Ok(()),
            bytes => Err(Fault::whole(bytes)),
        }
    }

    /// Returns whether filters cost no reading of all tags.
    pub fn has_columns(&self) -> bool {
        self.books.iter().all(|book| book.has_columns())
    }

    /// Returns whether the spellings of all players' names have been sought.
    pub fn knows_spellings(&self) -> bool {
        self.spellings.get().is_some()
    }

    /// Returns which players' names of all archives are probably spellings of others: sought once, and none where tags
    /// are damaged.
    pub fn spellings(&self) -> &[Suggestion] {
        let found = || spellings_among(self.books.iter().map(|book| book.tags()), Named::Players).unwrap_or_default();
        self.spellings.get_or_init(found)
    }

    /// Returns the games that are wanted, and keeps the selection for the next request that asks for the same.
    ///
    /// Errors: the filter or the order cannot be read; the whole of an archive is needed where parts of it are fetched;
    /// the work was stopped.
    pub fn select(&self, choice: Choice<'_>, stop: &Stop) -> Result<Arc<Selection>, Fault> {
        let key = choice.key()?;
        if let Some((_, kept)) = self.kept().iter().find(|(own, _)| *own == key) {
            return Ok(Arc::clone(kept));
        }
        let made = Arc::new(self.make(choice, stop)?);
        // What depends on the day is not kept beyond the request.
        if !choice.filter.to_lowercase().contains("today") {
            self.keep(key, &made);
        }
        Ok(made)
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<(String, Arc<Selection>)>> {
        self.selections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, key: String, made: &Arc<Selection>) {
        let mut kept = self.kept();
        kept.retain(|(own, _)| *own != key);
        kept.push_front((key, Arc::clone(made)));
        let mut bytes = 0;
        kept.retain(|(_, selection)| {
            bytes += selection.bytes();
            bytes <= KEPT
        });
        kept.truncate(64);
    }

    /// Keeps the games that a search has found, by their numbers in the set, for requests that ask for the same in the
    /// archives' own order.
    ///
    /// Errors: the question cannot be read.
    pub fn remember(&self, choice: Choice<'_>, numbers: &[u64]) -> Result<(), Fault> {
        let mut sets: Vec<GameSet> = self.set.archives().map(|archive| GameSet::new(archive.len())).collect();
        for number in numbers {
            let (place, own) = self.set.place_of(*number)?;
            sets[place].insert(own);
        }
        let games = sets.iter().map(GameSet::len).sum();
        let found = Selection { sets: Some(sets), order: None, games, undecided: 0, is_all: false };
        self.keep(choice.key()?, &Arc::new(found));
        Ok(())
    }

    fn make(&self, choice: Choice<'_>, stop: &Stop) -> Result<Selection, Fault> {
        let Choice { only, filter, question, sort, at } = choice;
        let books = self.books(only)?;
        let is_all = filter.trim().is_empty() && question.is_empty() && at.is_none() && only.is_none();
        let question: Option<Query> = match question {
            "" => None,
            text => Some(text.parse().map_err(|fault| Fault::query("find", &fault))?),
        };
        let mut query = Query::new();
        if !filter.trim().is_empty() {
            query = query.filter(Filter::parse(filter).map_err(|fault| Fault::query("where", &fault))?);
        }
        let order = match sort.trim() {
            "" => None,
            text => Some(SortKeys::parse(text).map_err(|fault| Fault::query("sort", &fault))?),
        };
        if query.get_filter().is_some() || question.is_some() || order.is_some() {
            self.needs_whole()?;
        }
        let monitor = Monitor::new().stop(stop.flag());
        let (mut undecided, mut sets) = (0, None);
        if !is_all || books.iter().any(|(_, _, book)| book.archive().deleted_count() > 0) {
            let all = sets.insert(Vec::new());
            for (_, _, book) in &books {
                let (query, among) = match (book.site(), at) {
                    (Some(site), Some(position)) => {
                        let games = site.games_with(position)?;
                        (query.clone(), Some(GameSet::from_numbers(book.archive().len(), games)))
                    }
                    (None, Some(position)) => (query.clone().board(PositionQuery::from(position)), None),
                    (_, None) => (query.clone(), None),
                };
                let found = query.in_archive(book.indexed(), among.as_ref(), Some(&monitor));
                undecided += found.unread.iter().map(Unread::count).sum::<u64>();
                all.push(match &question {
                    None => found.games,
                    Some(question) => {
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
            let of = |(place, (_, _, book)): (usize, &(usize, u64, &Book))| match &sets {
                Some(sets) => sets.get(place).cloned().unwrap_or_default(),
                None => GameSet::all(book.archive().len()),
            };
            let all: Vec<GameSet> = books.iter().enumerate().map(of).collect();
            let games = all.iter().enumerate().flat_map(|(place, set)| set.iter().map(move |game| (place, game)));
            let games: Vec<(usize, u64)> = games.collect();
            let columns: Vec<&TagColumns<'_>> = books.iter().map(|(_, _, book)| book.tags() as &TagColumns).collect();
            let (places, _) = keys.order(&columns, &games, usize::MAX);
            let number = |place: usize| {
                let (book, game) = games.get(place).copied().unwrap_or_default();
                books.get(book).map_or(0, |(_, before, _)| before + game)
            };
            places.into_iter().map(number).collect()
        });
        // The sets stand at the places of their archives, whichever were asked for.
        let sets = sets.map(|sets| {
            let mut all: Vec<GameSet> = self.set.archives().map(|archive| GameSet::new(archive.len())).collect();
            for ((place, _, _), set) in books.iter().zip(sets) {
                all[*place] = set;
            }
            all
        });
        Ok(Selection { sets, order, games, undecided, is_all })
    }
}

impl Selection {
    fn bytes(&self) -> u64 {
        let sets = self.sets.iter().flatten().map(|set| set.games() / 8).sum::<u64>();
        sets + self.order.as_ref().map_or(0, |order| order.len() as u64 * 8) + 64
    }

    /// Returns the games of the archive at a place; `None` where all of them pass.
    pub fn set(&self, place: usize) -> Option<&GameSet> {
        self.sets.as_ref().and_then(|sets| sets.get(place))
    }

    /// Returns the numbers of at most `limit` games from place `offset` on, from 0.
    pub fn page(&self, snapshot: &Snapshot, offset: u64, limit: usize) -> Vec<u64> {
        let skip = usize::try_from(offset).unwrap_or(usize::MAX);
        if let Some(order) = &self.order {
            return order.iter().skip(skip).take(limit).copied().collect();
        }
        let Some(sets) = &self.sets else {
            return (offset + 1..=snapshot.games()).take(limit).collect();
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

//! All archives of a request at one moment: a set that a request keeps while a newer one takes its place; and the games
//! of it that a filter lets pass.

use crate::book::Book;
use crate::fault::Fault;
use crate::stop::Stop;
use scoresheet::archive::GameSet;
use scoresheet::chess::Position;
use scoresheet::query::{Filter, PositionQuery, SearchOptions, SortKeys, TagColumns};
use scoresheet::{Error, Monitor};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// All archives at one moment. Games have numbers that go on from one archive to the next.
#[derive(Debug)]
pub struct Snapshot {
    books: Vec<Arc<Book>>,
    before: Vec<u64>,
    /// Why an archive is shown as it was, for each; empty where none is.
    outdated: Vec<Option<String>>,
    /// A number that another state of the archives or of their side files does not have.
    pub version: u64,
    selections: Mutex<VecDeque<(String, Arc<Selection>)>>,
}

/// Which games are wanted, and in what order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice<'a> {
    /// The number, from 1, of the only archive that is asked; `None` for all.
    pub only: Option<usize>,
    /// What tags have to say; empty for all games.
    pub filter: &'a str,
    /// The keys to order by; empty for the archives' own order.
    pub sort: &'a str,
    /// A position that the main line has to reach.
    pub at: Option<&'a Position>,
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
    pub fn of(books: Vec<Arc<Book>>, state: impl Hash) -> Snapshot {
        let mut games = 0;
        let before = books.iter().map(|book| {
            games += book.archive().len();
            games - book.archive().len()
        });
        let mut hasher = DefaultHasher::new();
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        for book in &books {
            let archive = book.archive();
            (archive.id().to_string(), archive.sequence(), archive.file_length()).hash(&mut hasher);
        }
        state.hash(&mut hasher);
        let (before, outdated) = (before.collect(), Vec::new());
        Snapshot { before, outdated, version: hasher.finish(), books, selections: Mutex::default() }
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
        let all =
            self.before.iter().zip(&self.books).enumerate().map(|(place, (before, book))| (place, *before, &**book));
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

    /// Returns how many games there are, deleted ones too.
    pub fn games(&self) -> u64 {
        self.books.iter().map(|book| book.archive().len()).sum()
    }

    /// Returns the archive of a game of the set, how many games come before its own, and the game's number there.
    pub fn locate(&self, number: u64) -> Result<(&Book, u64, u64), Fault> {
        let missing = || Fault::from(Error::NoSuchGame { game: number, games: self.games() });
        let place = self.before.partition_point(|before| *before < number).checked_sub(1).ok_or_else(missing)?;
        let (Some(book), Some(before)) = (self.books.get(place), self.before.get(place)) else { return Err(missing()) };
        let own = number - before;
        if own > book.archive().len() { Err(missing()) } else { Ok((book, *before, own)) }
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

    /// Returns the games that are wanted, and keeps the selection for the next request that asks for the same.
    ///
    /// Errors: the filter or the order cannot be read; the whole of an archive is needed where parts of it are fetched;
    /// the work was stopped.
    pub fn select(&self, choice: Choice<'_>, stop: &Stop) -> Result<Arc<Selection>, Fault> {
        let Choice { only, filter, sort, at } = choice;
        let fen = at.map(Position::fen).unwrap_or_default();
        let key = format!("{only:?}\0{fen}\0{filter}\0{sort}");
        let lock = || self.selections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kept)) = lock().iter().find(|(own, _)| *own == key) {
            return Ok(Arc::clone(kept));
        }
        let made = Arc::new(self.make(choice, stop)?);
        // What depends on the day is not kept beyond the request.
        if !filter.to_lowercase().contains("today") {
            let mut kept = lock();
            kept.push_front((key, Arc::clone(&made)));
            let mut bytes = 0;
            kept.retain(|(_, selection)| {
                bytes += selection.bytes();
                bytes <= KEPT
            });
            kept.truncate(64);
        }
        Ok(made)
    }

    fn make(&self, Choice { only, filter, sort, at }: Choice<'_>, stop: &Stop) -> Result<Selection, Fault> {
        let books = self.books(only)?;
        let mut undecided = 0;
        let mut sets = match filter.trim() {
            "" if only.is_none() && books.iter().all(|(_, _, book)| book.archive().deleted_count() == 0) => None,
            "" => Some(books.iter().map(|(_, _, book)| book.archive().live()).collect::<Vec<_>>()),
            text => {
                let filter = Filter::parse(text).map_err(|fault| Fault::query("where", &fault))?;
                self.needs_whole()?;
                let of = |book: &Book| {
                    let passed = filter.games(book.tags());
                    undecided += passed.unread.iter().map(|unread| unread.games.end - unread.games.start).sum::<u64>();
                    passed.games
                };
                Some(books.iter().map(|(_, _, book)| *book).map(of).collect())
            }
        };
        if let Some(position) = at {
            let query = PositionQuery::from(position);
            let monitor = Monitor::new().stop(stop.flag());
            let mut reached = Vec::new();
            for (place, (_, _, book)) in books.iter().enumerate() {
                let search = book.search().monitored(&monitor);
                let search = match sets.as_ref().and_then(|sets| sets.get(place)) {
                    Some(games) => search.among(games),
                    None => search,
                };
                let games = match book.site() {
                    Some(site) => site.games_with(position)?,
                    None => {
                        let found = search.position(&query, SearchOptions::default());
                        undecided += found.unread.len() as u64;
                        found.hits.iter().map(|hit| hit.game).collect()
                    }
                };
                let mut games = GameSet::of(book.archive().len(), games);
                if let Some(passed) = sets.as_ref().and_then(|sets| sets.get(place)) {
                    games.intersect(passed);
                }
                reached.push(games);
            }
            if stop.is_set() {
                return Err(Fault::stopped());
            }
            sets = Some(reached);
        }
        let games = match &sets {
            Some(sets) => sets.iter().map(GameSet::len).sum(),
            None => self.games(),
        };
        let order = match sort.trim() {
            "" => None,
            text => {
                let keys = SortKeys::parse(text).map_err(|fault| Fault::query("sort", &fault))?;
                self.needs_whole()?;
                let games: Vec<(usize, u64)> = match &sets {
                    Some(sets) => {
                        (0..).zip(sets).flat_map(|(book, set)| set.iter().map(move |game| (book, game))).collect()
                    }
                    None => {
                        let of = |(place, (_, _, book)): (usize, &(usize, u64, &Book))| {
                            (1..=book.archive().len()).map(move |game| (place, game)).collect::<Vec<_>>()
                        };
                        books.iter().enumerate().flat_map(of).collect()
                    }
                };
                let columns: Vec<TagColumns<'_>> =
                    books.iter().map(|(_, _, book)| TagColumns::of(book.archive())).collect();
                let (places, _) = keys.order(&columns, &games, usize::MAX);
                let number = |place: usize| {
                    let (book, game) = games.get(place).copied().unwrap_or_default();
                    books.get(book).map_or(0, |(_, before, _)| before + game)
                };
                Some(places.into_iter().map(number).collect())
            }
        };
        // The sets stand at the places of their archives, whichever were asked for.
        let sets = sets.map(|sets| match only {
            None => sets,
            Some(_) => {
                let mut all: Vec<GameSet> = self.books.iter().map(|book| GameSet::new(book.archive().len())).collect();
                for ((place, _, _), set) in books.iter().zip(sets) {
                    all[*place] = set;
                }
                all
            }
        });
        let is_all = filter.trim().is_empty() && at.is_none() && books.len() == self.books.len();
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
        for (set, before) in sets.iter().zip(&snapshot.before) {
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

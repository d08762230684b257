//! The open archives: each with its side files and its tag columns, and all of them as one set that a request keeps
//! while a newer one takes its place.
//!
//! Knows the library and the files' paths; what goes out of it names archives by their place and their file's name.

use crate::fault::Fault;
use crate::work::Stop;
use axum::body::Bytes;
use axum::http::HeaderValue;
use scoresheet::archive::{FileKind, GameSet, OpenOptions, SideState};
use scoresheet::chess::Position;
use scoresheet::query::tag_columns::{Column, Key};
use scoresheet::query::{Filter, PositionQuery, Search, SearchOptions, SideFiles, SortKeys, TagColumns};
use scoresheet::{Archive, Error, Monitor};
use std::collections::VecDeque;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::SystemTime;

/// An archive with what belongs to it.
pub struct Files {
    archive: Archive,
    side: SideFiles,
}

self_cell::self_cell!(
    struct Cell {
        owner: Files,
        #[covariant]
        dependent: TagColumns,
    }
);

/// An open archive, at one commit.
pub struct Book {
    /// The file's name, without folders.
    pub name: String,
    cell: Cell,
    heading: OnceLock<Vec<Arc<Column>>>,
}

/// The tags that headings show, as columns, in this order.
pub const HEADING: [&str; 10] =
    ["White", "Black", "WhiteElo", "BlackElo", "Date", "UTCDate", "Result", "ECO", "Event", "TimeControl"];

impl Book {
    fn open(path: &Path, options: OpenOptions) -> Result<Book, Error> {
        let archive = Archive::open_with(path, options)?;
        let side = SideFiles::open(&archive);
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let cell = Cell::new(Files { archive, side }, |files| TagColumns::of(&files.archive));
        Ok(Book { name, cell, heading: OnceLock::new() })
    }

    /// Returns the archive.
    pub fn archive(&self) -> &Archive {
        &self.cell.borrow_owner().archive
    }

    /// Returns the tag columns.
    pub fn tags(&self) -> &TagColumns<'_> {
        self.cell.borrow_dependent()
    }

    /// Returns a search with the side files that there are.
    pub fn search(&self) -> Search<'_> {
        let files = self.cell.borrow_owner();
        files.side.search(&files.archive)
    }

    /// Returns which side files there are: position index, signatures, tag columns.
    pub fn side_files(&self) -> [(FileKind, SideState); 3] {
        let [index, signatures] = self.cell.borrow_owner().side.states();
        [index, signatures, (FileKind::TagColumns, self.tags().state())]
    }

    /// Returns whether positions are looked up and not searched.
    pub fn has_index(&self) -> bool {
        self.side_files()[0].1 == SideState::File
    }

    /// Returns whether tags are looked up and not read game by game.
    pub fn has_columns(&self) -> bool {
        self.tags().state() == SideState::File || self.heading.get().is_some()
    }

    /// Returns the columns of [`HEADING`], and the plies. Where no file has them, all tags are read once.
    pub fn heading_columns(&self) -> &[Arc<Column>] {
        self.heading.get_or_init(|| {
            let keys = HEADING.iter().map(|name| Key::Tag((*name).to_owned())).chain([Key::Plies]);
            self.tags().readable(&keys.collect::<Vec<_>>()).0
        })
    }
}

impl std::fmt::Debug for Book {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Book").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All archives at one moment. Games have numbers that go on from one archive to the next.
#[derive(Debug)]
pub struct Snapshot {
    books: Vec<Arc<Book>>,
    before: Vec<u64>,
    /// A number that another state of the archives or of their side files does not have.
    pub version: u64,
    selections: Mutex<VecDeque<(String, Arc<Selection>)>>,
    answers: Mutex<VecDeque<(String, Answer)>>,
}

/// An answer that took a while: its type and its bytes.
pub type Answer = (HeaderValue, Bytes);

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
}

/// So many bytes of selections are kept.
const KEPT: u64 = 64 << 20;
/// So many answers are kept, and so many bytes of them.
const ANSWERS: (usize, usize) = (1024, 16 << 20);

impl Snapshot {
    fn of(books: Vec<Arc<Book>>, seen: &[Seen]) -> Snapshot {
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
        seen.hash(&mut hasher);
        Snapshot {
            before: before.collect(),
            version: hasher.finish(),
            books,
            selections: Mutex::default(),
            answers: Mutex::default(),
        }
    }

    /// Returns the answer that was given to a request before.
    pub fn answer(&self, request: &str) -> Option<Answer> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.iter().find(|(own, _)| own == request).map(|(_, answer)| answer.clone())
    }

    /// Keeps the answer to a request; those kept longest give way. All are forgotten when the archives change.
    pub fn keep(&self, request: String, answer: Answer) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|(own, _)| *own != request);
        answers.push_front((request, answer));
        let mut bytes = 0;
        answers.retain(|(request, (_, body))| {
            bytes += request.len() + body.len();
            bytes <= ANSWERS.1
        });
        answers.truncate(ANSWERS.0);
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

    /// Returns whether filters cost no reading of all tags.
    pub fn has_columns(&self) -> bool {
        self.books.iter().all(|book| book.has_columns())
    }

    /// Returns the games that a filter lets pass, in an order, and keeps it for the next request that asks for the same.
    pub fn select(&self, only: Option<usize>, filter: &str, sort: &str) -> Result<Arc<Selection>, Fault> {
        self.select_at(only, filter, sort, None, &Stop::default())
    }

    /// Returns those of the games that `select` gives that reach a position in their main line.
    ///
    /// Errors: the filter or the order cannot be read; the work was stopped.
    pub fn select_at(
        &self,
        only: Option<usize>,
        filter: &str,
        sort: &str,
        at: Option<&Position>,
        stop: &Stop,
    ) -> Result<Arc<Selection>, Fault> {
        let fen = at.map(Position::fen).unwrap_or_default();
        let key = format!("{only:?}\0{fen}\0{filter}\0{sort}");
        let lock = || self.selections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kept)) = lock().iter().find(|(own, _)| *own == key) {
            return Ok(Arc::clone(kept));
        }
        let made = Arc::new(self.make(only, filter, sort, at, stop)?);
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

    fn make(
        &self,
        only: Option<usize>,
        filter: &str,
        sort: &str,
        at: Option<&Position>,
        stop: &Stop,
    ) -> Result<Selection, Fault> {
        let books = self.books(only)?;
        let mut undecided = 0;
        let mut sets = match filter.trim() {
            "" if only.is_none() && books.iter().all(|(_, _, book)| book.archive().deleted_count() == 0) => None,
            "" => Some(books.iter().map(|(_, _, book)| book.archive().live()).collect::<Vec<_>>()),
            text => {
                let filter = Filter::parse(text).map_err(|fault| Fault::query("where", &fault))?;
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
                let found = search.position(&query, SearchOptions::default());
                undecided += found.unread.len() as u64;
                reached.push(GameSet::of(book.archive().len(), found.hits.iter().map(|hit| hit.game)));
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
        Ok(Selection { sets, order, games, undecided })
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

/// What a file was when it was last looked at.
type Seen = Vec<Option<(u64, Option<SystemTime>)>>;

fn seen(path: &Path) -> Seen {
    let of = |meta: Metadata| (meta.len(), meta.modified().ok());
    let kinds = [FileKind::Index, FileKind::Positions, FileKind::Signatures, FileKind::TagColumns];
    let paths = std::iter::once(path.to_path_buf()).chain(kinds.map(|kind| kind.beside(path)));
    paths.map(|path| std::fs::metadata(path).ok().map(of)).collect()
}

/// The archives that are served.
#[derive(Debug)]
pub struct Shelf {
    paths: Vec<PathBuf>,
    options: OpenOptions,
    now: RwLock<Arc<Snapshot>>,
    /// What the files were when the snapshot was made, and each archive as it was then, which knows what a commit after
    /// it may be.
    watched: Mutex<(Vec<Seen>, Vec<Archive>)>,
}

impl Shelf {
    /// Opens archives. Errors: those of [`Archive::open`].
    pub fn open(paths: &[PathBuf], options: OpenOptions) -> Result<Shelf, Error> {
        let files: Vec<Seen> = paths.iter().map(|path| seen(path)).collect();
        let books = paths.iter().map(|path| Book::open(path, options).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
        let archives = paths.iter().map(|path| Archive::open_with(path, options)).collect::<Result<Vec<_>, _>>()?;
        let now = Arc::new(Snapshot::of(books, &files));
        Ok(Shelf { paths: paths.to_vec(), options, now: RwLock::new(now), watched: Mutex::new((files, archives)) })
    }

    /// Returns the archives as they are shown now.
    pub fn now(&self) -> Arc<Snapshot> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Moves on to the archives' last commits, and to side files that have been made or have gone. Returns whether
    /// anything has changed; costs a look at the files' lengths and times where nothing has. A file that has become
    /// something else is shown as it was, and said to be: the error is that of the first.
    pub fn refresh(&self) -> Result<bool, Error> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let files: Vec<Seen> = self.paths.iter().map(|path| seen(path)).collect();
        if files == watched.0 {
            return Ok(false);
        }
        let old = self.now();
        let mut books = old.books.clone();
        let mut first = None;
        let (last, archives) = &mut *watched;
        for (place, archive) in archives.iter_mut().enumerate() {
            if files.get(place) == last.get(place) {
                continue;
            }
            let reopened = archive.refresh().and_then(|_| Book::open(&self.paths[place], self.options));
            match reopened {
                Ok(book) => books[place] = Arc::new(book),
                Err(error) => first = first.or(Some(error)),
            }
        }
        let new = Arc::new(Snapshot::of(books, &files));
        *last = files;
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = new;
        first.map_or(Ok(true), Err)
    }
}

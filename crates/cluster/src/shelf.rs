//! Where the archives of a table are, for each of the three: the one who asks knows a name, the scheduler has the list,
//! and executors open what their work is of.

use crate::manifest::Manifest;
use crate::store::{Place, Stores};
use scoresheet_sql::{Asked, Games, Selection, Shelf, Work};
use std::collections::{BTreeMap, HashMap};
use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, Mutex, PoisonError};

/// A table by its name, for one who asks: what it has is known to the scheduler.
#[derive(Debug)]
pub struct Named(pub String);

const FAR: &str = "the archives of this table are opened by executors alone";

impl Shelf for Named {
    fn cut(&self, _: &Range<u64>, _: &RangeInclusive<i32>, _: usize) -> Vec<Vec<Work>> {
        Vec::new()
    }

    fn count(&self, _: &Range<u64>) -> Option<u64> {
        None
    }

    fn open(&self, _: &Work) -> Result<Arc<Games>, String> {
        Err(FAR.into())
    }
}

/// About the most games of a task that scans, where one piece of work is not asked for.
const AT_MOST: u64 = 4_000_000;

/// A table by its list, for the scheduler. Opens nothing.
#[derive(Debug)]
pub struct Listed {
    /// The folder that paths of the list are beneath.
    pub root: String,
    /// The list.
    pub manifest: Arc<Manifest>,
}

impl Shelf for Listed {
    fn cut(&self, games: &Range<u64>, years: &RangeInclusive<i32>, pieces: usize) -> Vec<Vec<Work>> {
        // Not too large for a second try, nor to be dealt out evenly.
        let large = (self.manifest.len() / AT_MOST) as usize;
        self.manifest.cut(games, years, if pieces > 1 { pieces.max(large) } else { pieces })
    }

    fn count(&self, games: &Range<u64>) -> Option<u64> {
        self.manifest.count(games)
    }

    fn open(&self, _: &Work) -> Result<Arc<Games>, String> {
        Err(FAR.into())
    }
}

/// The tables of a scheduler, by their names.
pub type Tables = BTreeMap<String, Arc<Listed>>;

/// The archives that an executor has open.
#[derive(Debug)]
pub struct Opener {
    stores: Stores,
    /// The folder that replaces that of the list.
    root: Option<String>,
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Open archives, by their places and by how many games are before them; the last used ones last.
    open: Vec<((String, u64), Arc<Games>)>,
    /// Held while an archive is opened.
    opening: HashMap<(String, u64), Arc<Mutex<()>>>,
    /// What the last scans have found out of whole archives.
    selections: Vec<Arc<Selection>>,
}

/// Scans of which filters are remembered.
const SCANS: usize = 4;

impl Opener {
    /// Returns what opens archives and keeps at most `most` of them open; `root` is the folder of all lists, as this
    /// machine sees it, where it is another one.
    pub fn new(stores: Stores, root: Option<String>, most: usize) -> Opener {
        Opener { stores, root, most: most.max(1), state: Mutex::default() }
    }

    fn open(&self, root: &str, work: &Work) -> Result<Arc<Games>, String> {
        let place = Place::of(self.root.as_deref().unwrap_or(root))?.join(&work.archive)?;
        let key = (place.to_string(), work.before);
        let lock = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Tasks that want the same archive wait for the first of them.
        let opening = Arc::clone(lock().opening.entry(key.clone()).or_default());
        let _first = opening.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut state = lock();
            let is_it = |(own, games): &((String, u64), Arc<Games>)| *own == key && games.sources().len() == last(work);
            if let Some(at) = state.open.iter().position(is_it) {
                let entry = state.open.remove(at);
                let games = Arc::clone(&entry.1);
                state.open.push(entry);
                return Ok(games);
            }
        }
        let archive = Arc::new(self.stores.open(&place)?);
        if archive.len() != work.of {
            let (there, listed) = (archive.len(), work.of);
            return Err(format!(
                "{place} has {there} games, its list {listed}: make the list again (cluster manifest)"
            ));
        }
        let games = Arc::new(Games::after(work.before, archive));
        let mut state = lock();
        state.open.retain(|(own, _)| *own != key);
        state.open.push((key, Arc::clone(&games)));
        let too_many = state.open.len().saturating_sub(self.most);
        for (key, _) in state.open.drain(..too_many).collect::<Vec<_>>() {
            state.opening.remove(&key);
        }
        Ok(games)
    }

    fn selection(&self, asked: &Asked) -> Arc<Selection> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = state.selections.iter().find(|known| known.asked() == asked) {
            return Arc::clone(known);
        }
        let new = Arc::new(Selection::new(asked.clone()));
        state.selections.push(Arc::clone(&new));
        let too_many = state.selections.len().saturating_sub(SCANS);
        state.selections.drain(..too_many);
        new
    }
}

/// The number of the last game of the archive that a piece of work is of.
fn last(work: &Work) -> u64 {
    work.before + work.of
}

/// A scan's archives, for an executor.
#[derive(Debug)]
pub struct Opened {
    /// The folder that paths of the list are beneath.
    pub root: String,
    /// What opens them.
    pub opener: Arc<Opener>,
}

impl Shelf for Opened {
    fn cut(&self, _: &Range<u64>, _: &RangeInclusive<i32>, _: usize) -> Vec<Vec<Work>> {
        Vec::new()
    }

    fn count(&self, _: &Range<u64>) -> Option<u64> {
        None
    }

    fn open(&self, work: &Work) -> Result<Arc<Games>, String> {
        self.opener.open(&self.root, work)
    }

    fn selection(&self, asked: &Asked) -> Arc<Selection> {
        self.opener.selection(asked)
    }
}

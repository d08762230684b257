//! Gives each process access to a table's archives: a client has the table's name, the scheduler has the list, and
//! executors open the archives for their work.

use crate::copies::Copy;
use crate::manifest::Manifest;
use crate::store::{Location, Source, Stores};
use scoresheet_sql::{Conditions, Games, Needs, Selection, Shelf, Work};
use std::collections::{BTreeMap, HashMap};
use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A table by its name, for a client; the scheduler has its content.
#[derive(Debug)]
pub struct Named(pub String);

const FAR: &str = "only executors open the archives of this table";

impl Shelf for Named {
    fn cut(&self, _: &Range<u64>, _: &RangeInclusive<i32>, _: usize) -> Vec<Vec<Work>> {
        Vec::new()
    }

    fn count(&self, _: &Range<u64>) -> Option<u64> {
        None
    }

    fn open(&self, _: &Work, _: Needs) -> Result<Arc<Games>, String> {
        Err(FAR.into())
    }
}

/// The approximate maximum number of games in a scan task, unless a single piece of work is requested.
const AT_MOST: u64 = 4_000_000;

/// A table with its list of archives, for the scheduler. It opens no archive.
#[derive(Debug)]
pub struct Listed {
    /// The folder that the paths of the list are relative to.
    pub root: String,
    /// The list.
    pub manifest: Arc<Manifest>,
}

impl Shelf for Listed {
    fn cut(&self, games: &Range<u64>, years: &RangeInclusive<i32>, pieces: usize) -> Vec<Vec<Work>> {
        // Tasks must be small enough for a second attempt, and for an even distribution.
        let large = (self.manifest.len() / AT_MOST) as usize;
        self.manifest.cut(games, years, if pieces > 1 { pieces.max(large) } else { pieces })
    }

    fn count(&self, games: &Range<u64>) -> Option<u64> {
        self.manifest.count(games)
    }

    fn open(&self, _: &Work, _: Needs) -> Result<Arc<Games>, String> {
        Err(FAR.into())
    }
}

/// The tables of a scheduler, by their names.
pub type Tables = BTreeMap<String, Arc<Listed>>;

/// The archives that an executor has open.
#[derive(Debug)]
pub struct Opener {
    stores: Stores,
    /// The folder that replaces the list's folder.
    root: Option<String>,
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Open archives, in the order of their last use.
    open: Vec<Entry>,
    /// For each archive, a lock that a thread holds while it opens the archive; removed afterwards.
    opening: HashMap<Key, Arc<Mutex<()>>>,
    /// The results of the last scans for entire archives.
    selections: Vec<Arc<Selection>>,
}

/// An archive's location, and the number of games before it.
type Key = (String, u64);

/// An open archive.
#[derive(Debug)]
struct Entry {
    key: Key,
    source: Source,
    games: Arc<Games>,
    /// The requested side files, and the copies that are mapped.
    has: Needs,
    copy: Option<Arc<Copy>>,
}

impl Entry {
    /// Returns whether the copies of the archive's side files were removed to make room.
    fn is_bare(&self) -> bool {
        self.copy.as_ref().is_some_and(|copy| copy.is_gone())
    }
}

/// The number of filters whose scan results are cached.
const SCANS: usize = 4;

impl Opener {
    /// Creates an opener that keeps at most `most` archives open. `root` is the folder of all lists on this machine, if
    /// it differs from the lists' folder.
    pub fn new(stores: Stores, root: Option<String>, most: usize) -> Opener {
        Opener { stores, root, most: most.max(1), state: Mutex::default() }
    }

    fn open(&self, root: &str, work: &Work, needs: Needs) -> Result<Arc<Games>, String> {
        let location = Location::parse(self.root.as_deref().unwrap_or(root))?.join(&work.archive)?;
        let key = (location.to_string(), work.before);
        let opening = Arc::clone(self.lock().opening.entry(key.clone()).or_default());
        // Tasks that need the same archive wait until the first task has opened the archive.
        let first = opening.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = self.open_alone(&location, key, work, needs);
        drop(first);
        drop(opening);
        self.lock().opening.retain(|_, opening| Arc::strong_count(opening) > 1);
        opened
    }

    fn open_alone(&self, location: &Location, key: Key, work: &Work, needs: Needs) -> Result<Arc<Games>, String> {
        let known = {
            let mut state = self.lock();
            let at = state.open.iter().position(|entry| entry.key == key);
            let is_listed =
                |entry: &Entry| entry.games.sources().len() == last(work) && work.is_of_version(&entry.source.archive);
            at.map(|at| state.open.remove(at)).filter(is_listed)
        };
        let entry = match known {
            Some(entry) if needs.are_met_by(entry.has) && !entry.is_bare() => {
                entry.copy.iter().for_each(|copy| entry.source.touch(copy));
                entry
            }
            Some(entry) => {
                let has = if entry.is_bare() { needs } else { needs.and(entry.has) };
                let (games, copy) = entry.source.games(work.before, has)?;
                Entry { games: Arc::new(games), has, copy, ..entry }
            }
            None => {
                let source = self.stores.open(location)?;
                if source.archive.len() != work.of {
                    let (there, listed) = (source.archive.len(), work.of);
                    return Err(format!(
                        "{location} has {there} games, but its list says {listed}: rebuild the list with `scoresheet cluster manifest`"
                    ));
                }
                if !work.is_of_version(&source.archive) {
                    return Err(format!(
                        "{location} has changed since its list was written: rebuild the list with `scoresheet cluster manifest`"
                    ));
                }
                let (games, copy) = source.games(work.before, needs)?;
                Entry { key, source, games: Arc::new(games), has: needs, copy }
            }
        };
        let games = Arc::clone(&entry.games);
        let mut state = self.lock();
        state.open.push(entry);
        // A mapped file uses disk space until it is unmapped, even after its copy is removed.
        state.open.retain(|entry| !entry.is_bare());
        let too_many = state.open.len().saturating_sub(self.most);
        state.open.drain(..too_many);
        Ok(games)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn selection(&self, conditions: &Conditions) -> Arc<Selection> {
        let mut state = self.lock();
        if let Some(known) = state.selections.iter().find(|known| known.conditions() == conditions) {
            return Arc::clone(known);
        }
        let new = Arc::new(Selection::new(conditions.clone()));
        state.selections.push(Arc::clone(&new));
        let too_many = state.selections.len().saturating_sub(SCANS);
        state.selections.drain(..too_many);
        new
    }
}

/// Returns the number of the last game in the archive of a piece of work.
fn last(work: &Work) -> u64 {
    work.before + work.of
}

/// The archives of a scan, for an executor.
#[derive(Debug)]
pub struct Opened {
    /// The folder that the paths of the list are relative to.
    pub root: String,
    /// The opener.
    pub opener: Arc<Opener>,
}

impl Shelf for Opened {
    fn cut(&self, _: &Range<u64>, _: &RangeInclusive<i32>, _: usize) -> Vec<Vec<Work>> {
        Vec::new()
    }

    fn count(&self, _: &Range<u64>) -> Option<u64> {
        None
    }

    fn open(&self, work: &Work, needs: Needs) -> Result<Arc<Games>, String> {
        self.opener.open(&self.root, work, needs)
    }

    fn selection(&self, conditions: &Conditions) -> Arc<Selection> {
        self.opener.selection(conditions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copies::Copies;

    #[test]
    fn what_is_kept_open_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_str().unwrap();
        let stores = Stores::new(0, Copies::new(folder.path().join("copies"), 0)).unwrap();
        let opener = Opener::new(stores, None, 2);
        for number in 0..4 {
            let path = folder.path().join(format!("{number}.bga"));
            scoresheet::Import::new(&path).run_reader("games.pgn", &b"1. e4 *\n"[..]).unwrap();
        }
        let work = |name: &str, of| Work { archive: name.into(), before: 0, of, version: 0, games: 1..of + 1 };
        for number in [0, 1, 0, 2, 3, 3] {
            assert!(opener.open(root, &work(&format!("{number}.bga"), 1), Needs::default()).is_ok());
            assert!(opener.lock().open.len() <= 2);
        }
        let open: Vec<String> = opener.lock().open.iter().map(|entry| entry.key.0.clone()).collect();
        assert!(open[0].ends_with("2.bga") && open[1].ends_with("3.bga"), "{open:?}");
        // A client that reaches an executor can request missing archives any number of times.
        for number in 0..100 {
            assert!(opener.open(root, &work(&format!("no-{number}.bga"), 1), Needs::default()).is_err());
            assert!(opener.open(root, &work("3.bga", 2), Needs::default()).unwrap_err().contains("has 1 games"));
        }
        assert!(opener.lock().opening.is_empty(), "{}", opener.lock().opening.len());
        for plies in 0..20 {
            opener.selection(&Conditions {
                filter: Some(format!("plies > {plies}").parse().unwrap()),
                questions: Vec::new(),
            });
        }
        assert_eq!(opener.lock().selections.len(), SCANS);
    }
}

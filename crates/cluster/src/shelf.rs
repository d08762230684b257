//! Where the archives of a table are, for each of the three: the one who asks knows a name, the scheduler has the list,
//! and executors open what their work is of.

use crate::copies::Copy;
use crate::manifest::Manifest;
use crate::store::{Place, Source, Stores};
use scoresheet_sql::{Asked, Games, Needs, Selection, Shelf, Work};
use std::collections::{BTreeMap, HashMap};
use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

    fn open(&self, _: &Work, _: Needs) -> Result<Arc<Games>, String> {
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
    /// The folder that replaces that of the list.
    root: Option<String>,
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Open archives; the last used ones last.
    open: Vec<Entry>,
    /// Held while an archive is opened; only as long as somebody is about it.
    opening: HashMap<Key, Arc<Mutex<()>>>,
    /// What the last scans have found out of whole archives.
    selections: Vec<Arc<Selection>>,
}

/// An archive's place, and how many games are before it.
type Key = (String, u64);

/// An open archive.
#[derive(Debug)]
struct Entry {
    key: Key,
    source: Source,
    games: Arc<Games>,
    /// The side files that have been looked for, and the copies that they are mapped from.
    has: Needs,
    copy: Option<Arc<Copy>>,
}

impl Entry {
    /// Returns whether the copies of its side files have been removed for those of others.
    fn is_bare(&self) -> bool {
        self.copy.as_ref().is_some_and(|copy| copy.is_gone())
    }
}

/// Scans of which filters are remembered.
const SCANS: usize = 4;

impl Opener {
    /// Returns what opens archives and keeps at most `most` of them open; `root` is the folder of all lists, as this
    /// machine sees it, where it is another one.
    pub fn new(stores: Stores, root: Option<String>, most: usize) -> Opener {
        Opener { stores, root, most: most.max(1), state: Mutex::default() }
    }

    fn open(&self, root: &str, work: &Work, needs: Needs) -> Result<Arc<Games>, String> {
        let place = Place::parse(self.root.as_deref().unwrap_or(root))?.join(&work.archive)?;
        let key = (place.to_string(), work.before);
        let opening = Arc::clone(self.lock().opening.entry(key.clone()).or_default());
        // Tasks that want the same archive wait for the first of them.
        let first = opening.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = self.open_alone(&place, key, work, needs);
        drop(first);
        drop(opening);
        self.lock().opening.retain(|_, opening| Arc::strong_count(opening) > 1);
        opened
    }

    fn open_alone(&self, place: &Place, key: Key, work: &Work, needs: Needs) -> Result<Arc<Games>, String> {
        let known = {
            let mut state = self.lock();
            let at = state.open.iter().position(|entry| entry.key == key);
            at.map(|at| state.open.remove(at)).filter(|entry| entry.games.sources().len() == last(work))
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
                let source = self.stores.open(place)?;
                if source.archive.len() != work.of {
                    let (there, listed) = (source.archive.len(), work.of);
                    return Err(format!(
                        "{place} has {there} games, its list {listed}: make the list again (cluster manifest)"
                    ));
                }
                let (games, copy) = source.games(work.before, needs)?;
                Entry { key, source, games: Arc::new(games), has: needs, copy }
            }
        };
        let games = Arc::clone(&entry.games);
        let mut state = self.lock();
        state.open.push(entry);
        // What is mapped takes its place on the disk as long as it is, though its copy has gone.
        state.open.retain(|entry| !entry.is_bare());
        let too_many = state.open.len().saturating_sub(self.most);
        state.open.drain(..too_many);
        Ok(games)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn selection(&self, asked: &Asked) -> Arc<Selection> {
        let mut state = self.lock();
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

    fn open(&self, work: &Work, needs: Needs) -> Result<Arc<Games>, String> {
        self.opener.open(&self.root, work, needs)
    }

    fn selection(&self, asked: &Asked) -> Arc<Selection> {
        self.opener.selection(asked)
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
        let work = |name: &str, of| Work { archive: name.into(), before: 0, of, games: 1..of + 1 };
        for number in [0, 1, 0, 2, 3, 3] {
            assert!(opener.open(root, &work(&format!("{number}.bga"), 1), Needs::default()).is_ok());
            assert!(opener.lock().open.len() <= 2);
        }
        let open: Vec<String> = opener.lock().open.iter().map(|entry| entry.key.0.clone()).collect();
        assert!(open[0].ends_with("2.bga") && open[1].ends_with("3.bga"), "{open:?}");
        // Whoever reaches an executor can ask for what is not there, as often as they like.
        for number in 0..100 {
            assert!(opener.open(root, &work(&format!("no-{number}.bga"), 1), Needs::default()).is_err());
            assert!(opener.open(root, &work("3.bga", 2), Needs::default()).unwrap_err().contains("has 1 games"));
        }
        assert!(opener.lock().opening.is_empty(), "{}", opener.lock().opening.len());
        for plies in 0..20 {
            opener.selection(&Asked { filter: Some(format!("plies > {plies}").parse().unwrap()), sought: Vec::new() });
        }
        assert_eq!(opener.lock().selections.len(), SCANS);
    }
}

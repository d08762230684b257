//! The tag columns of an archive: for every game the number of each of its tags' values in a table of distinct strings,
//! its plies and a byte of facts.
//!
//! They come from the tag columns file beside the archive (FORMAT.md, "The tag columns file"), which is mapped; what
//! that does not have is made from the tags when it is first asked for, and kept in memory.

// Untrusted bytes are read here: nothing may panic on them.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod build;
mod column;
mod unread;

pub use crate::format::tag_columns::Key;
pub use column::{Column, Strings};
pub use unread::Unread;

use crate::archive::map::Map;
use crate::archive::{Archive, FileKind, SideState};
use crate::error::{Error, Result};
use crate::format::tag_columns::{ColumnRef, Directory, FilePart, MAX_COLUMNS, TableRef};
use crate::monitor::Monitor;
use std::collections::HashMap;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The tag columns of an open archive. It can be shared by threads.
#[derive(Debug)]
pub struct TagColumns<'a> {
    archive: Holder<'a>,
    file: Option<(Arc<Map>, Directory)>,
    state: SideState,
    is_damaged: AtomicBool,
    ready: Mutex<HashMap<Key, Ready>>,
}

/// How the archive is held.
#[derive(Debug)]
enum Holder<'a> {
    Borrowed(&'a Archive),
    Shared(Arc<Archive>),
}

/// A column, and what of it cannot be read.
#[derive(Clone, Debug)]
struct Ready {
    column: Arc<Column>,
    unread: Arc<[Unread]>,
}

impl<'a> TagColumns<'a> {
    /// Returns the tag columns of an archive, those of the file beside it where that belongs to the archive as it is.
    pub fn of(archive: &'a Archive) -> TagColumns<'a> {
        TagColumns::held(Holder::Borrowed(archive)).with_file()
    }

    /// Returns the tag columns like `of`, for a program that keeps them as long as the archive: those that had to be
    /// made are kept, too.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"[WhiteElo \"2750\"]\n\n1. e4 1-0\n\n1. d4 *\n"[..])?;
    /// use scoresheet::{Archive, Filter, query::TagColumns};
    ///
    /// let columns: TagColumns<'static> = TagColumns::shared(Archive::open(&target)?.into());
    /// let strong: Filter = "whiteelo >= 2700".parse()?;
    /// assert_eq!(strong.games(&columns).games.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shared(archive: Arc<Archive>) -> TagColumns<'static> {
        TagColumns::held(Holder::Shared(archive)).with_file()
    }

    fn with_file(self) -> TagColumns<'a> {
        let mut headers = self;
        let archive = headers.archive();
        let path = FileKind::TagColumns.beside(archive.path());
        let state = archive.state();
        let Ok(file) = File::open(&path) else { return headers };
        headers.state = SideState::Damaged;
        let Ok(map) = file.metadata().and_then(|meta| Map::of(&file, meta.len())) else { return headers };
        headers.state = match Directory::decode(&map) {
            Some(directory) if directory.state == state => {
                headers.file = Some((Arc::new(map), directory));
                SideState::File
            }
            Some(_) => SideState::Stale,
            None => SideState::of_unreadable(&map),
        };
        headers
    }

    /// Checks every part of the file. Returns whether all are intact; `true` where no file is used.
    pub fn check(&self) -> bool {
        self.file.as_ref().is_none_or(|(map, directory)| {
            let parts = directory.tables.iter().map(|table| &table.part);
            let mut parts = parts.chain(directory.columns.iter().map(|column| &column.part));
            parts.all(|part| part.checked(map, directory.state.id).is_some())
        })
    }

    /// Returns the tag columns of an archive, to be made from its tags whether or not there is a file.
    pub fn without_file(archive: &'a Archive) -> TagColumns<'a> {
        TagColumns::held(Holder::Borrowed(archive))
    }

    fn held(archive: Holder<'a>) -> TagColumns<'a> {
        TagColumns {
            archive,
            file: None,
            state: SideState::Missing,
            is_damaged: AtomicBool::new(false),
            ready: Mutex::default(),
        }
    }

    /// Returns the archive.
    pub fn archive(&self) -> &Archive {
        match &self.archive {
            Holder::Borrowed(archive) => archive,
            Holder::Shared(archive) => archive,
        }
    }

    /// Returns a column that need not be made: one of the file, or one that was made before; `None` for others. A tag
    /// that no game has gives a column without values.
    pub fn at_hand(&self, key: &Key) -> Option<Arc<Column>> {
        let mut ready = self.lock();
        if let Some(ready) = ready.get(key) {
            return ready.unread.is_empty().then(|| Arc::clone(&ready.column));
        }
        let column = Arc::new(self.filed(key, &ready)?);
        ready.insert(key.clone(), Ready { column: Arc::clone(&column), unread: Arc::default() });
        Some(column)
    }

    /// Returns where the columns come from; `Damaged` once a part of the file was found to be, which was made from the
    /// archive then.
    pub fn state(&self) -> SideState {
        if self.is_damaged.load(Ordering::Relaxed) { SideState::Damaged } else { self.state }
    }

    /// Returns the columns asked for, in that order. Those that are not in the file are made together, in parallel: the
    /// tags of all chunks are read once, and for `Plies` and `Facts` the moves.
    ///
    /// Errors: damaged tags or games.
    pub fn columns(&self, keys: &[Key]) -> Result<Vec<Arc<Column>>> {
        let (columns, unread) = self.readable(keys);
        match unread.into_iter().next() {
            None => Ok(columns),
            Some(unread) => Err(unread.error),
        }
    }

    /// Returns the columns asked for, as `columns` does, and the games of which one of them cannot be read, by number:
    /// in that column they have the number 0, as if there were no value.
    pub fn readable(&self, keys: &[Key]) -> (Vec<Arc<Column>>, Vec<Unread>) {
        let mut missing = Vec::new();
        {
            let mut ready = self.lock();
            for key in keys {
                if ready.contains_key(key) {
                    continue;
                }
                if let Some(column) = self.filed(key, &ready) {
                    ready.insert(key.clone(), Ready { column: Arc::new(column), unread: Arc::default() });
                } else {
                    missing.push(key.clone());
                }
            }
        }
        missing.sort_unstable();
        missing.dedup();
        // Not under the lock: while it waits for the pool, this thread may be given other work that asks for columns.
        let made =
            if missing.is_empty() { Vec::new() } else { build::columns(self.archive(), &missing, &Monitor::new()) };
        let mut ready = self.lock();
        for (key, (column, unread)) in missing.into_iter().zip(made) {
            ready.insert(key, Ready { column: Arc::new(column), unread: unread.into() });
        }
        let columns = keys.iter().filter_map(|key| ready.get(key)).map(|ready| Arc::clone(&ready.column)).collect();
        drop(ready);
        (columns, self.unread(keys))
    }

    /// Returns the games of which one of these columns cannot be read, as far as they have been asked for already.
    pub(crate) fn unread(&self, keys: &[Key]) -> Vec<Unread> {
        let ready = self.lock();
        let lost = keys.iter().filter_map(|key| ready.get(key)).flat_map(|ready| ready.unread.iter());
        let mut unread: Vec<Unread> = lost.cloned().collect();
        // One damage spoils many columns.
        unread.sort_by_key(|unread| (unread.games.start, unread.games.end));
        unread.dedup_by(|a, b| a.games == b.games);
        unread
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Ready>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the year of each game, by its tag Date, or UTCDate where that says none.
    pub fn years(&self) -> Result<Years> {
        let tag = |name: &str| Key::Tag(name.to_owned());
        let columns = self.columns(&[tag("Date"), tag("UTCDate")])?;
        Ok(Years { columns: columns.into_iter().map(|column| (column::years(&column), column)).collect() })
    }

    /// A column of the file, if it has it and its checksums hold; for a tag that no game has, one without values.
    fn filed(&self, key: &Key, ready: &HashMap<Key, Ready>) -> Option<Column> {
        let (map, directory) = self.file.as_ref()?;
        let id = directory.state.id;
        let Some(column) = directory.columns.iter().find(|column| column.key == *key) else {
            // A tag that the file does not name is in no game.
            let absent = matches!(key, Key::Tag(name) if !directory.others.contains(name));
            return absent.then(Column::without_values);
        };
        let intact = |part: &FilePart| {
            let intact = part.checked(map, id).is_some();
            self.is_damaged.fetch_or(!intact, Ordering::Relaxed);
            intact.then_some(())
        };
        intact(&column.part)?;
        let strings = match column.table {
            None => None,
            Some(number) => {
                // Players share a table.
                let same = |other: &&Key| {
                    directory.columns.iter().any(|column| column.key == **other && column.table == Some(number))
                };
                let shared =
                    ready.keys().find(same).and_then(|key| ready.get(key)).and_then(|ready| ready.column.strings());
                match shared {
                    Some(strings) => Some(Arc::clone(strings)),
                    None => {
                        let table = directory.tables.get(number)?;
                        intact(&table.part)?;
                        Some(Arc::new(Strings::mapped(map, table)))
                    }
                }
            }
        };
        Some(Column::mapped(map, column, strings))
    }
}

/// The year of each game.
#[derive(Debug)]
pub struct Years {
    columns: Vec<(Vec<u16>, Arc<Column>)>,
}

impl Years {
    /// Returns the year of a game, from 1; `None` where it is not known.
    pub fn get(&self, game: u64) -> Option<u16> {
        let year = |(years, column): &(Vec<u16>, Arc<Column>)| years.get(column.get(game) as usize).copied();
        self.columns.iter().filter_map(year).find(|year| *year > 0)
    }
}

/// Returns the tag columns file of an archive, and the names of the tags that have a column in it. Reads all tags,
/// texts and moves.
///
/// A tag with so many different values that its table would cost more than its column is worth has none: a filter that
/// asks for it reads the tags.
pub fn encode(archive: &Archive) -> Result<(Vec<u8>, Vec<String>)> {
    encode_monitored(archive, &Monitor::new())
}

fn encode_monitored(archive: &Archive, monitor: &Monitor) -> Result<(Vec<u8>, Vec<String>)> {
    let names = build::tag_names(archive)?;
    let mut keys: Vec<Key> = names.iter().take(MAX_COLUMNS - 2).cloned().map(Key::Tag).collect();
    keys.extend([Key::Plies, Key::Facts]);
    let mut columns = Vec::new();
    for (column, unread) in build::columns(archive, &keys, monitor) {
        if let Some(unread) = unread.into_iter().next() {
            return Err(unread.error);
        }
        columns.push(column);
    }
    let worth = |column: &Column| {
        column.strings().is_none_or(|strings| {
            let bytes = strings.text().len() + strings.ends().len();
            (bytes as u64) < (archive.len() * 12).max(1 << 16) && strings.text().len() < u32::MAX as usize
        })
    };
    let chosen: Vec<(&Key, &Column)> = keys.iter().zip(&columns).filter(|(_, column)| worth(column)).collect();
    let mut tables: Vec<&Arc<Strings>> = Vec::new();
    let mut refs = Vec::new();
    for (key, column) in &chosen {
        let table = column.strings().map(|strings| {
            tables.iter().position(|known| Arc::ptr_eq(known, strings)).unwrap_or_else(|| {
                tables.push(strings);
                tables.len() - 1
            })
        });
        refs.push(ColumnRef { key, table, width: column.width(), numbers: column.bytes() });
    }
    let tables: Vec<TableRef> =
        tables.into_iter().map(|strings| TableRef { ends: strings.ends(), text: strings.text() }).collect();
    let is_chosen = |name: &&String| chosen.iter().any(|(key, _)| matches!(key, Key::Tag(own) if own == *name));
    let others: Vec<&str> = names.iter().filter(|name| !is_chosen(name)).map(String::as_str).collect();
    let file = crate::format::tag_columns::encode(&archive.state(), &tables, &refs, &others);
    let names = chosen.into_iter().filter_map(|(key, _)| match key {
        Key::Tag(name) => Some(name.clone()),
        _ => None,
    });
    Ok((file, names.collect()))
}

/// Writes the tag columns file of an archive beside it. Returns its size in bytes and the names of the tags that have a
/// column.
pub fn write(archive: &Archive) -> Result<(u64, Vec<String>), Error> {
    write_monitored(archive, Monitor::new())
}

/// Writes the file like `write`. The unit of progress is a game. Errors: the work was stopped, too.
pub fn write_monitored<'a>(archive: &Archive, monitor: impl Into<Monitor<'a>>) -> Result<(u64, Vec<String>), Error> {
    let (file, names) = encode_monitored(archive, &monitor.into())?;
    crate::archive::writer::write_side(archive.path(), &FileKind::TagColumns.beside(archive.path()), &file)?;
    Ok((file.len() as u64, names))
}

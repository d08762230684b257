//! A base: the index, the file of games and the file of names.

use crate::entry::{Entry, Version};
use crate::names::Names;
use crate::record;
use scoresheet::error::{Error, Result};
use scoresheet::import::{GameBatch, GameReceiver, GameSource};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of games in a batch.
const BATCH: usize = 512;
/// The number of bytes that are read from the file of games together.
const READ_AHEAD: usize = 1 << 17;

/// A database of Scid, whose games an import can store.
///
/// ```no_run
/// let base = scoresheet_scid::Base::open("games.si5")?;
/// println!("{} games, name {}", base.len(), base.path().display());
/// # Ok::<(), scoresheet::Error>(())
/// ```
#[derive(Debug)]
pub struct Base {
    path: PathBuf,
    version: Version,
    index: BufReader<File>,
    /// The file of games, or the reason why it cannot be read.
    games: std::result::Result<BufReader<File>, String>,
    names: Arc<Names>,
    len: u64,
    /// The number of games that have been read.
    read: u64,
    consumed: u64,
    /// What is wrong with the base as a whole.
    fault: Option<String>,
}

impl Base {
    /// Returns whether the name of a file is that of a base's index: `.si3`, `.si4` or `.si5`.
    pub fn is_index(path: &Path) -> bool {
        version(path).is_some()
    }

    /// Opens a base by the path of its index. The files of games and names are beside it (`.sg4`, `.sn4`).
    ///
    /// Errors: the index cannot be opened or is not an index of Scid. If another file is missing, the games are passed
    /// on without names or without moves, as faults ([`fault`](Base::fault)).
    pub fn open(path: impl AsRef<Path>) -> Result<Base> {
        let path = path.as_ref();
        let refused = |what: &str| Error::input(path.display().to_string(), what.to_owned());
        let version =
            version(path).ok_or_else(|| refused("the name of an index of Scid ends in .si3, .si4 or .si5"))?;
        let file = File::open(path).map_err(Error::io("cannot open", path))?;
        let bytes = file.metadata().map_err(Error::io("cannot read", path))?.len();
        let mut index = BufReader::new(file);
        let mut header = vec![0; version.header_bytes()];
        index.read_exact(&mut header).map_err(|_| refused("the index of Scid is cut off in its header"))?;
        if version != Version::Five && !header.starts_with(b"Scid.si\0") {
            return Err(refused("no index of Scid: it does not begin with \"Scid.si\""));
        }
        let body = bytes - header.len() as u64;
        let (len, rest) = (body / version.entry_bytes() as u64, body % version.entry_bytes() as u64);
        let said = header.get(14..17).map(|part| part.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte)));
        let mut faults = Vec::new();
        match said {
            Some(said) if said != len => faults.push(format!("its header says {said} games, but it has {len}")),
            _ if rest != 0 => faults.push(format!("{rest} bytes follow its last whole entry")),
            _ => {}
        }
        let names = match std::fs::read(beside(path, 'n')) {
            Ok(bytes) => Names::read(version, &bytes),
            Err(error) => {
                faults.push(format!("{}: {error}", named(path, 'n')));
                Names::default()
            }
        };
        faults.extend(names.fault.map(|fault| format!("{}: {fault}", named(path, 'n'))));
        let games = match File::open(beside(path, 'g')) {
            Ok(file) => Ok(BufReader::with_capacity(READ_AHEAD, file)),
            Err(error) => {
                let reason = format!("{}: {error}", named(path, 'g'));
                faults.push(reason.clone());
                Err(reason)
            }
        };
        let fault = (!faults.is_empty()).then(|| faults.join("; "));
        let (path, names) = (path.to_owned(), Arc::new(names));
        Ok(Base { path, version, index, games, names, len, read: 0, consumed: header.len() as u64, fault })
    }

    /// Returns the size in bytes of the file of games of a base, or 0 if it is unknown.
    pub fn games_bytes(path: &Path) -> u64 {
        std::fs::metadata(beside(path, 'g')).map_or(0, |file| file.len())
    }

    /// Returns the path of the index.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what is wrong with the base as a whole: a missing file, a file that is cut off, or a wrong number of
    /// games. All games that the index has are passed on nevertheless, and each has its own faults.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Returns the number of games, including deleted games.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether the base has no games.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads a record, or the part of it that the file of games has.
    fn record(&mut self, entry: &Entry) -> std::result::Result<Vec<u8>, String> {
        let file = self.games.as_mut().map_err(|reason| reason.clone())?;
        let mut record = Vec::with_capacity(entry.length as usize);
        let now = file.stream_position().map_err(|error| error.to_string())?;
        // Most records follow each other, so the buffer is kept.
        let done = match i64::try_from(i128::from(entry.offset) - i128::from(now)) {
            Ok(by) => file.seek_relative(by),
            Err(_) => file.seek(SeekFrom::Start(entry.offset)).map(|_| ()),
        };
        done.and_then(|()| file.take(u64::from(entry.length)).read_to_end(&mut record))
            .map_err(|error| error.to_string())?;
        Ok(record)
    }
}

impl GameSource for Base {
    fn next_batch(&mut self) -> Result<Option<Box<dyn GameBatch>>> {
        let count = (self.len - self.read).min(BATCH as u64);
        if count == 0 {
            return Ok(None);
        }
        let mut bytes = vec![0; self.version.entry_bytes()];
        let mut games = Vec::with_capacity(count as usize);
        for _ in 0..count {
            self.index.read_exact(&mut bytes).map_err(Error::io("cannot read", &self.path))?;
            let entry = Entry::read(self.version, &bytes);
            let record = self.record(&entry);
            self.consumed += (bytes.len() + record.as_ref().map_or(0, Vec::len)) as u64;
            games.push((entry, record));
        }
        self.read += count;
        Ok(Some(Box::new(Batch { names: Arc::clone(&self.names), games })))
    }

    fn consumed(&self) -> u64 {
        self.consumed
    }
}

/// Games that have been read, but not decoded.
struct Batch {
    names: Arc<Names>,
    games: Vec<(Entry, std::result::Result<Vec<u8>, String>)>,
}

impl GameBatch for Batch {
    fn games(&self) -> usize {
        self.games.len()
    }

    fn decode(&self, games: &mut GameReceiver<'_>) {
        for (entry, record) in &self.games {
            let record = record.as_deref().map_err(String::as_str);
            record::pass_on(games, entry, &self.names, record);
        }
    }
}

fn version(path: &Path) -> Option<Version> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    [("si3", Version::Three), ("si4", Version::Four), ("si5", Version::Five)]
        .into_iter()
        .find_map(|(known, version)| (known == ending).then_some(version))
}

/// Returns the name of the file of games (`g`) or names (`n`). Faults have few characters for it and its folder.
fn named(path: &Path, letter: char) -> String {
    beside(path, letter).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the path of the file of games (`g`) or names (`n`), whose ending differs from the index's in this letter.
fn beside(path: &Path, letter: char) -> PathBuf {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let letters = ending.chars().enumerate().map(|(at, old)| match at {
        1 if old.is_uppercase() => letter.to_ascii_uppercase(),
        1 => letter,
        _ => old,
    });
    path.with_extension(letters.collect::<String>())
}

//! A file of training data as a source of an import.

use crate::extra::MOST_KEPT;
use crate::format::TrainingFormat;
use crate::game::ScoredGame;
use crate::read::{Reader, Step, WINDOW};
use crate::recognize::{decompressed, open};
use scoresheet::error::{Error, Result};
use scoresheet::import::{GameBatch, GameReceiver, GameSource};
use sha2::{Digest as _, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The number of positions, and of games and rejected parts, after which a batch ends.
const BATCH_PLIES: usize = 1 << 15;
const BATCH_GAMES: usize = 2048;
/// The number of bytes that are read together.
const READ: usize = 1 << 18;
/// The number of rejected parts that are kept until a game follows.
const MOST_WAITING: usize = 4096;
/// The number of losses that are listed.
const LISTED: usize = 10;

/// The bytes of a file that an import does not keep, known after the import.
#[derive(Clone, Default, Debug)]
pub struct Losses {
    /// The number of these parts of the file.
    pub parts: u64,
    /// The total number of their bytes.
    pub bytes: u64,
    /// The first parts: their offsets and lengths in bytes, and the reason.
    pub first: Vec<(u64, u64, String)>,
}

impl Losses {
    fn add(&mut self, offset: u64, bytes: usize, reason: &str) {
        self.parts += 1;
        self.bytes += bytes as u64;
        if self.first.len() < LISTED {
            self.first.push((offset, bytes as u64, reason.to_owned()));
        }
    }
}

/// A file of training data, whose games an import can store.
///
/// Games become games with their scores as comments. Consecutive entries of `.bin` and `.plain` that continue each other
/// become one game, and so do the entries of a chain in a binpack. A record without a move becomes a game without moves.
/// The reader trusts no byte: what cannot be read is a rejected game, and reading continues after it if its end is
/// known. The memory use does not depend on the size of the file.
///
/// ```no_run
/// use scoresheet_train::{TrainingFile, TrainingFormat};
/// use std::path::Path;
///
/// let path = Path::new("games.vf.zst");
/// let format = TrainingFormat::of_file(path).expect("training data");
/// let file = TrainingFile::open(path, format)?;
/// let losses = file.losses(); // filled by the import
/// # Ok::<(), scoresheet::Error>(())
/// ```
pub struct TrainingFile {
    path: PathBuf,
    format: TrainingFormat,
    input: Box<dyn Read + Send>,
    reader: Reader,
    /// Bytes that have been read: those before `start` are used up.
    window: Vec<u8>,
    start: usize,
    at_end: bool,
    hash: Sha256,
    /// The offset of the next step in the file.
    offset: u64,
    /// Items that have not been passed on: the last stored game, and all rejected parts after it.
    items: Vec<Item>,
    /// Bytes of rejected parts that the next stored game keeps.
    before: Vec<u8>,
    is_done: bool,
    /// The error to return after the games before it.
    failed: Option<Error>,
    losses: Arc<Mutex<Losses>>,
}

struct Item {
    offset: u64,
    game: std::result::Result<Box<ScoredGame>, &'static str>,
}

impl std::fmt::Debug for TrainingFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrainingFile").field("path", &self.path).field("format", &self.format).finish_non_exhaustive()
    }
}

impl TrainingFile {
    /// Opens a file of this format, plain or compressed with zstd.
    pub fn open(path: &Path, format: TrainingFormat) -> Result<TrainingFile> {
        Ok(TrainingFile::from_reader(open(path)?, path, format))
    }

    /// Reads this format from a stream, such as standard input, plain or compressed with zstd. Messages contain `path`.
    ///
    /// ```
    /// use scoresheet_train::{TrainingFile, TrainingFormat};
    /// use std::path::Path;
    ///
    /// let empty = TrainingFile::from_stream(&b""[..], Path::new("-"), TrainingFormat::Binpack)?;
    /// assert_eq!(empty.losses().lock().map(|losses| losses.parts).ok(), Some(0));
    /// # Ok::<(), scoresheet::Error>(())
    /// ```
    pub fn from_stream(input: impl Read + Send + 'static, path: &Path, format: TrainingFormat) -> Result<TrainingFile> {
        Ok(TrainingFile::from_reader(decompressed(input, path)?, path, format))
    }

    /// Returns a source that reads from `input`. Messages contain `path`.
    pub fn from_reader(input: impl Read + Send + 'static, path: &Path, format: TrainingFormat) -> TrainingFile {
        TrainingFile {
            path: path.to_owned(),
            format,
            input: Box::new(input),
            reader: Reader::new(format),
            window: Vec::new(),
            start: 0,
            at_end: false,
            hash: Sha256::new(),
            offset: 0,
            items: Vec::new(),
            before: Vec::new(),
            is_done: false,
            failed: None,
            losses: Arc::default(),
        }
    }

    /// Returns the bytes that the import does not keep, which are known after the import.
    pub fn losses(&self) -> Arc<Mutex<Losses>> {
        Arc::clone(&self.losses)
    }

    fn lose(&self, offset: u64, bytes: usize, reason: &str) {
        if self.format.keeps_bytes()
            && let Ok(mut losses) = self.losses.lock()
        {
            losses.add(offset, bytes, reason);
        }
    }

    /// Reads until the window has [`WINDOW`] bytes, or the file ends.
    fn fill(&mut self) -> Result<()> {
        if self.window.len() - self.start >= WINDOW || self.at_end {
            return Ok(());
        }
        self.window.drain(..self.start);
        self.start = 0;
        while self.window.len() < WINDOW + READ && !self.at_end {
            let before = self.window.len();
            let read = Read::by_ref(&mut self.input).take(READ as u64).read_to_end(&mut self.window);
            let read = read.map_err(Error::io("cannot read", &self.path))?;
            self.hash.update(&self.window[before..]);
            self.at_end = read == 0;
        }
        Ok(())
    }

    /// Reads one step; returns false at the end of the file.
    fn step(&mut self) -> Result<bool> {
        self.fill()?;
        let bytes = &self.window[self.start..];
        if bytes.is_empty() {
            return Ok(false);
        }
        let (offset, step) = (self.offset, self.reader.step(bytes, self.at_end));
        let used = match step {
            Step::Game(mut game, used) => {
                self.keep(&mut game, offset, used);
                self.items.push(Item { offset, game: Ok(game) });
                used
            }
            Step::Reject(used, reason) => {
                if self.before.len() + used <= MOST_KEPT {
                    self.before.extend_from_slice(&self.window[self.start..self.start + used]);
                } else {
                    self.lose(offset, used, reason);
                }
                self.items.push(Item { offset, game: Err(reason) });
                used
            }
            Step::Skip(used) => used,
            Step::Stop(reason) => {
                let what = format!("at byte {offset}: {reason}");
                return Err(Error::input(self.path.display().to_string(), what));
            }
        };
        // Every step uses at least one byte.
        self.start += used.max(1);
        self.offset += used.max(1) as u64;
        Ok(true)
    }

    /// Gives a game the bytes of the rejected parts before it. Drops what its tag cannot keep.
    fn keep(&mut self, game: &mut ScoredGame, offset: u64, used: usize) {
        if self.format.keeps_bytes() {
            game.extra.before = std::mem::take(&mut self.before);
        }
        self.before.clear();
        if game.extra.kept() > MOST_KEPT {
            let patched: usize = game.extra.patches.iter().map(|(_, patch)| patch.len()).sum();
            self.lose(offset, game.extra.before.len() + patched.min(used), "more unused bytes than a tag can keep");
            game.extra.patches.clear();
            game.extra.before.clear();
        }
    }

    /// Gives the last stored game the hash of the file and the bytes after the game.
    fn finish(&mut self) {
        self.is_done = true;
        let (length, hash) = (self.offset, std::mem::take(&mut self.hash).finalize().into());
        let after = std::mem::take(&mut self.before);
        let last = self.items.iter_mut().rev().find_map(|item| item.game.as_mut().ok());
        match last {
            Some(game) => {
                game.extra.end = Some((length, hash));
                if self.format.keeps_bytes() {
                    game.extra.after = after;
                }
            }
            // Without the hash, the file cannot come back.
            None => self.lose(self.offset - after.len() as u64, after.len(), "no game before them is at hand"),
        }
    }

    fn plies(&self) -> usize {
        self.items.iter().map(|item| item.game.as_ref().map_or(1, |game| game.moves.len() + 8)).sum()
    }
}

impl GameSource for TrainingFile {
    fn next_batch(&mut self) -> Result<Option<Box<dyn GameBatch>>> {
        let mut plies = self.plies();
        while !self.is_done {
            let before = self.items.len();
            match self.step() {
                Ok(true) => {}
                Ok(false) => {
                    self.finish();
                    break;
                }
                Err(error) => {
                    (self.is_done, self.failed) = (true, Some(error));
                    break;
                }
            }
            if let Some(item) = self.items.get(before) {
                plies += item.game.as_ref().map_or(1, |game| game.moves.len() + 8);
            }
            if plies < BATCH_PLIES && self.items.len() < BATCH_GAMES {
                continue;
            }
            // The last stored game waits, because the file may end after it.
            let last = self.items.iter().rposition(|item| item.game.is_ok());
            match last {
                Some(last) if last > 0 => {
                    let rest = self.items.split_off(last);
                    return Ok(Some(Box::new(Batch(std::mem::replace(&mut self.items, rest)))));
                }
                _ if self.items.len() > MOST_WAITING => break,
                _ => {}
            }
        }
        let items = std::mem::take(&mut self.items);
        match self.failed.take_if(|_| items.is_empty()) {
            Some(error) => Err(error),
            None if items.is_empty() => Ok(None),
            None => Ok(Some(Box::new(Batch(items)))),
        }
    }

    fn consumed(&self) -> u64 {
        self.offset
    }
}

/// Games of a file, already decoded.
struct Batch(Vec<Item>);

impl GameBatch for Batch {
    fn games(&self) -> usize {
        self.0.len()
    }

    fn bytes(&self) -> usize {
        // A move with its score takes about 20 bytes of PGN, and the tags take about 150.
        self.0.iter().map(|item| item.game.as_ref().map_or(0, |game| 150 + 20 * game.moves.len())).sum()
    }

    fn decode(&self, games: &mut GameReceiver<'_>) {
        for item in &self.0 {
            match &item.game {
                Ok(game) => game.pass_on(games, item.offset),
                Err(reason) => {
                    games.begin(item.offset, 0);
                    // The report keeps 40 characters.
                    games.reject(&format!("byte {}: {reason}", item.offset));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repeats a unit for ever.
    struct Endless(Vec<u8>, usize);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            for byte in &mut *buffer {
                *byte = self.0[self.1 % self.0.len()];
                self.1 += 1;
            }
            Ok(buffer.len())
        }
    }

    #[test]
    fn memory_does_not_grow_with_the_file() {
        // Kings on e1 and e8, a draw.
        let mut record = vec![0; 32];
        (record[0], record[7], record[8], record[24], record[30]) = (0x10, 0x10, 0xD5, 64, 1);
        for format in TrainingFormat::ALL {
            for unit in [record.clone(), b"\xFF\x00 BINP e\n\x7F\x01".to_vec()] {
                let input = Endless(unit, 0).take(8 << 20);
                let mut file = TrainingFile::from_reader(input, Path::new("endless"), format);
                let mut most = 0;
                while let Ok(Some(batch)) = file.next_batch() {
                    assert!(batch.games() <= MOST_WAITING.max(BATCH_GAMES) + 1);
                    most = most.max(file.window.len());
                    assert!(file.before.len() <= MOST_KEPT && file.items.len() <= MOST_WAITING + 1);
                }
                assert!(most <= WINDOW + 2 * READ, "{}: {most}", format.name());
            }
        }
    }
}

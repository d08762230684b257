//! Counts the bytes and requests that single games of an archive cost over a network:
//! `cargo run --release --example remote_bytes -- ARCHIVE [GAMES]`
//!
//! Opens the archive anew for each game, as a program does that shows one game, through a reader that counts below the
//! cache. Reads every part of the game: moves, tags and texts.

use scoresheet::Archive;
use scoresheet::archive::{ArchiveFile, Cached, FileKind, ReadExactAt};
use scoresheet::pgn::PgnWriter;
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts bytes and requests.
#[derive(Default)]
struct Counts {
    bytes: AtomicU64,
    requests: AtomicU64,
}

/// A number of bytes and of requests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cost(u64, u64);

impl Counts {
    /// Returns the cost since the last call.
    fn take(&self) -> Cost {
        Cost(self.bytes.swap(0, Ordering::Relaxed), self.requests.swap(0, Ordering::Relaxed))
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, {} requests", self.0, self.1)
    }
}

/// A file whose reads are counted.
struct Counted(File, Arc<Counts>);

impl ReadExactAt for Counted {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.1.requests.fetch_add(1, Ordering::Relaxed);
        self.1.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.0.read_exact_at(offset, bytes)
    }
}

fn open(path: &Path, counts: &Arc<Counts>) -> Result<Archive, Box<dyn Error>> {
    let reader = |path: PathBuf, counts: Arc<Counts>| -> io::Result<(Counted, u64)> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok((Counted(file, counts), length))
    };
    let (archive, length) = reader(path.to_path_buf(), Arc::clone(counts))?;
    let (path, counts) = (path.to_path_buf(), Arc::clone(counts));
    let beside = move |kind: FileKind| match reader(kind.beside(&path), Arc::clone(&counts)) {
        Ok((file, length)) => Ok(Some((Box::new(file) as Box<dyn ReadExactAt>, length))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    };
    let archive = Cached::new(archive, length, 32 << 20);
    Ok(Archive::open(ArchiveFile::from_reader(archive, length).side_files(beside))?)
}

/// Reads every part of a game.
fn read(archive: &Archive, number: u64) -> Result<(), Box<dyn Error>> {
    Ok(archive.game(number)?.write_pgn(&mut PgnWriter::new())?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().ok_or("usage: remote_bytes ARCHIVE.bga [GAMES]")?);
    let games: u64 = arguments.next().map_or(Ok(50), |games| games.parse())?;

    let counts = Arc::default();
    let archive = open(&path, &counts)?;
    println!("open: {}", counts.take());
    let count = archive.len();
    let middle = count / 2 + 1;
    for (name, number) in [("a game", middle), ("the next game", middle + 1), ("a game far away", count / 3 + 1)] {
        read(&archive, number.min(count))?;
        println!("{name}: {}", counts.take());
    }

    let mut costs = Vec::new();
    for index in 0..games {
        let counts = Arc::default();
        // Games in all parts of the archive.
        read(&open(&path, &counts)?, index * 7919 * 101 % count + 1)?;
        costs.push(counts.take());
    }
    costs.sort_unstable();
    println!("open and one game, {games} games:");
    for (name, part) in [("least", 0), ("median", 50), ("p95", 95), ("most", 100)] {
        let at = (costs.len() * part / 100).min(costs.len().saturating_sub(1));
        costs.get(at).iter().for_each(|cost| println!("  {name}: {cost}"));
    }
    Ok(())
}

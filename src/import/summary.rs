//! What an import reports: faults, progress, commits, and what it did in the end.

use crate::error::Error;
use crate::format::commit::{Commit, Unfinished};
use crate::format::source::SourceRecord;
use crate::pgn::Fault;
use std::sync::atomic::{AtomicU64, Ordering};

/// A fault, and where it is.
#[derive(Clone, Debug)]
pub struct FaultReport {
    /// The source, from 0 in the order given.
    pub source: usize,
    /// The offset of the fault in the decompressed source, in bytes.
    pub offset: u64,
    /// The line of the source, from 1.
    pub line: u64,
    /// The game's number in its source, from 1.
    pub game: u64,
    /// The game's number in the archive; `None` where it was rejected.
    pub stored: Option<u64>,
    /// The fault.
    pub fault: Fault,
    /// How many more faults the game has that are not reported.
    pub more: usize,
    /// The game as it stands in the source, on the last report of a rejected game if
    /// [`ImportOptions::keep_rejected`](super::ImportOptions::keep_rejected) asks for it. Of a game beyond
    /// [`Limits::max_game_bytes`](crate::pgn::ReadLimits::max_game_bytes) the first MiB.
    pub rejected: Option<Box<[u8]>>,
}

/// Who is given the faults. One type, so that the pipeline is compiled once and not for every closure.
pub(super) type Report<'a> = Box<dyn FnMut(FaultReport) + Send + 'a>;

/// What an import did with one of its sources.
#[derive(Clone, Debug, Default)]
pub struct SourceSummary {
    /// The name, length, hash and counts that the archive keeps; length and hash are zero where the import ended before
    /// the source did.
    pub record: SourceRecord,
    /// Games that were not UTF-8, or said not to be, and have been read as Windows-1252 or ISO 8859-1.
    pub windows_1252: u64,
    /// Whether it was read to its end. Of any other source the archive has what came before, if anything, and never its
    /// own bytes.
    pub whole: bool,
    /// Whether it was PCN: what the archive has of it is the PGN made of it, never its own bytes. Length and hash are
    /// those of that PGN.
    pub made: bool,
}

impl SourceSummary {
    /// Returns a source of which nothing is known but its name.
    pub(super) fn unread(name: &str) -> SourceSummary {
        let record = SourceRecord { name: name.to_owned(), exact: true, ..SourceRecord::default() };
        SourceSummary { record, ..SourceSummary::default() }
    }
}

/// A source that is none, or that cannot be read to its end.
#[derive(Debug)]
pub struct Refused {
    /// The source, from 0 in the order given.
    pub source: usize,
    /// Why.
    pub error: Error,
}

/// What an import did.
#[derive(Debug, Default)]
pub struct Summary {
    /// Games seen: stored and rejected.
    pub seen: u64,
    /// Games stored.
    pub stored: u64,
    /// Games stored with a fault, their unreadable rest kept as raw text.
    pub faulty: u64,
    /// Games rejected.
    pub rejected: u64,
    /// Plies of the main lines stored.
    pub plies: u64,
    /// Bytes of PGN read, decompressed.
    pub pgn_bytes: u64,
    /// The sources, in the order given.
    pub sources: Vec<SourceSummary>,
    /// The archive's totals.
    pub totals: Commit,
    /// The archive's length in bytes.
    pub archive_bytes: u64,
    /// The index's length in bytes.
    pub index_bytes: u64,
    /// Bytes of the sources that an earlier import had brought in already: games in them are not counted above.
    pub passed_over: u64,
    /// An import that was cut off before and has not been gone on with: some of its source's games are in the archive,
    /// but no record of it.
    pub left: Option<Unfinished>,
    /// Why the index could not be written, where it could not: what is committed stands, and the index can be made
    /// again.
    pub unindexed: Option<Error>,
    /// The sources that could not be read to their end. The games before the fault are committed.
    pub refused: Vec<Refused>,
    /// Why the import ended before its sources did; what came before is committed.
    pub stopped: Option<Error>,
}

/// What is durable after a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acknowledged {
    /// The commit's sequence number.
    pub sequence: u64,
    /// Games in the archive.
    pub games: u64,
    /// The committed length of the archive in bytes.
    pub length: u64,
    /// The source that is being read, and how many of its bytes (decompressed) are in the archive; `None` where all
    /// sources are.
    pub source: Option<(String, u64)>,
}

/// What is called after a commit.
type Acknowledge = Box<dyn Fn(&Acknowledged) + Send + Sync>;

/// How far an import is; to be asked by another thread.
#[derive(Default)]
pub struct Progress {
    pub(super) consumed: AtomicU64,
    pub(super) pgn_bytes: AtomicU64,
    pub(super) games: AtomicU64,
    pub(super) acknowledge: Option<Acknowledge>,
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (consumed, pgn_bytes, games) = (self.consumed(), self.pgn_bytes(), self.games());
        f.debug_struct("Progress")
            .field("consumed", &consumed)
            .field("pgn_bytes", &pgn_bytes)
            .field("games", &games)
            .finish_non_exhaustive()
    }
}

impl Progress {
    /// Returns a progress that calls `acknowledge` after every commit, on the thread that made it; the next one waits
    /// for that.
    pub fn with_acknowledge(acknowledge: impl Fn(&Acknowledged) + Send + Sync + 'static) -> Progress {
        Progress { acknowledge: Some(Box::new(acknowledge)), ..Progress::default() }
    }

    /// Returns the bytes taken from the sources so far, as stored (compressed).
    pub fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }

    /// Returns the bytes of PGN in chunks written so far.
    pub fn pgn_bytes(&self) -> u64 {
        self.pgn_bytes.load(Ordering::Relaxed)
    }

    /// Returns the games stored so far.
    pub fn games(&self) -> u64 {
        self.games.load(Ordering::Relaxed)
    }
}

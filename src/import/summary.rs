//! Reports of an import: faults, progress, commits and the summary.

use crate::error::Error;
use crate::format::commit::{Commit, Unfinished};
use crate::format::source::SourceRecord;
use crate::pgn::Fault;
use std::sync::atomic::{AtomicU64, Ordering};

/// A fault, with its location in the source.
///
/// [`Import`](super::Import) and [`ImportOptions`](super::ImportOptions) have examples.
#[derive(Clone, Debug)]
pub struct FaultReport {
    /// The index of the source among the given sources, from 0.
    pub source: usize,
    /// The offset of the fault in the decompressed source, in bytes. If the source is not PGN, the offset of the game.
    pub offset: u64,
    /// The line number in the source, from 1, or 0 if the source has no lines.
    pub line: u64,
    /// The number of the game in its source, from 1.
    pub game: u64,
    /// The number of the game in the archive, or `None` if the game was rejected.
    pub stored: Option<u64>,
    /// The fault.
    pub fault: Fault,
    /// The number of further faults in the game that are not reported.
    pub more: usize,
    /// The text of a rejected game, in the last report about it, if
    /// [`ImportOptions::keep_rejected`](super::ImportOptions::keep_rejected) is set. If the game exceeds
    /// [`Limits::max_game_bytes`](crate::pgn::ReadLimits::max_game_bytes), only the first MiB.
    pub rejected: Option<Box<[u8]>>,
}

/// The callback for faults. Because this is a single type, the pipeline is not compiled for every closure.
pub(super) type Report<'a> = Box<dyn FnMut(FaultReport) + Send + 'a>;

/// The results for a single source.
#[derive(Clone, Debug, Default)]
pub struct SourceSummary {
    /// The source's name, length, hash and counts, as the archive records them. The length and the hash are zero if the
    /// import ended before this source.
    pub record: SourceRecord,
    /// The number of games that were decoded as Windows-1252 or ISO 8859-1, because they were not UTF-8 or because of
    /// an option.
    pub windows_1252: u64,
    /// The number of games whose moves were read with piece letters of another language than English, or with the chess
    /// symbols.
    pub foreign_letters: u64,
    /// Whether the source was read to its end. Of an incomplete source, the archive contains only the games before the
    /// fault, and does not claim to contain its bytes.
    pub is_complete: bool,
    /// Whether it was not PGN: a PCN document, or games of a program. The archive then contains the converted PGN and
    /// its length and hash, instead of the bytes of the source.
    pub made: bool,
}

impl SourceSummary {
    /// Returns a source of which only the name is known.
    pub(super) fn unread(name: &str) -> SourceSummary {
        let record = SourceRecord { name: name.to_owned(), exact: true, ..SourceRecord::default() };
        SourceSummary { record, ..SourceSummary::default() }
    }
}

/// A source that is not PGN, or that could not be read to its end.
#[derive(Debug)]
pub struct Refused {
    /// The index of the source among the given sources, from 0.
    pub source: usize,
    /// The reason.
    pub error: Error,
}

/// The result of an import.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let [games, cut_off] = ["games.pgn", "cut_off.pgn.zst"].map(|name| folder.path().join(name));
/// # std::fs::write(&games, "1. e4 *\n\n1. e5 *\n")?;
/// # std::fs::write(&cut_off, &zstd::encode_all(&b"1. d4 *\n"[..], 1)?[..10])?;
/// use scoresheet::import::{Import, Refused, SourceSummary, Summary};
///
/// let summary: Summary = Import::new(&target).run([&games, &cut_off])?;
/// assert_eq!((summary.stored, summary.faulty, summary.rejected), (2, 1, 0));
/// let sources: Vec<&SourceSummary> = summary.sources.iter().collect();
/// assert!(sources[0].is_complete && sources[0].record.exact && !sources[1].is_complete);
/// let refused: &Refused = &summary.refused[0];
/// assert_eq!(refused.source, 1); // the compressed file ends early
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Summary {
    /// The number of games in the sources, including rejected games.
    pub seen: u64,
    /// The number of stored games.
    pub stored: u64,
    /// The number of games stored with a fault. The unreadable part of these games is stored as raw text.
    pub faulty: u64,
    /// The number of rejected games.
    pub rejected: u64,
    /// The number of plies in the main lines of stored games.
    pub plies: u64,
    /// The number of PGN bytes, after decompression.
    pub pgn_bytes: u64,
    /// The results for each source, in the given order.
    pub sources: Vec<SourceSummary>,
    /// The archive's totals.
    pub totals: Commit,
    /// The length of the archive in bytes, or 0 if the new archive was removed because it has no game.
    pub archive_bytes: u64,
    /// The length of the index in bytes.
    pub index_bytes: u64,
    /// The number of source bytes that an earlier, interrupted import had already imported. The counts above do not
    /// include the games in these bytes.
    pub passed_over: u64,
    /// An earlier import that was interrupted and has not been resumed. The archive contains some games of its current
    /// source, but no record of this source.
    pub left: Option<Unfinished>,
    /// The error if the index could not be written. The committed data is valid, and the index can be rebuilt.
    pub unindexed: Option<Error>,
    /// The sources that could not be read to their end. The games before the fault have been committed.
    pub refused: Vec<Refused>,
    /// The reason why the import ended before the end of its sources. The games before this point have been committed.
    pub stopped: Option<Error>,
}

/// The data that is durable after a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acknowledged {
    /// The commit's sequence number.
    pub sequence: u64,
    /// The number of games in the archive.
    pub games: u64,
    /// The committed length of the archive in bytes.
    pub length: u64,
    /// The current source, and the number of its decompressed bytes that the archive contains, or `None` after the last
    /// source.
    pub source: Option<(String, u64)>,
}

/// The callback that is called after a commit.
type Acknowledge = Box<dyn Fn(&Acknowledged) + Send + Sync>;

/// The progress of an import, which any thread can query.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// use scoresheet::import::{Acknowledged, Import, ImportProgress, Progress};
/// use std::sync::mpsc;
///
/// let (sender, receiver) = mpsc::channel();
/// let progress = Progress::with_acknowledge(move |commit: &Acknowledged| {
///     let _ = sender.send((commit.sequence, commit.games)); // these games are durable
/// });
/// let mut last = ImportProgress::default();
/// let import = Import::new(&target).progress(&progress).on_progress(|progress| last = progress);
/// import.run_reader("games.pgn", &b"1. e4 *\n"[..])?;
/// assert_eq!((progress.games(), progress.consumed()), (1, 8));
/// assert!(last.games <= 1);
/// assert_eq!(receiver.recv()?, (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// Returns a progress value that calls `acknowledge` after every commit, on the thread that made the commit. The
    /// next commit waits until the call returns.
    pub fn with_acknowledge(acknowledge: impl Fn(&Acknowledged) + Send + Sync + 'static) -> Progress {
        Progress { acknowledge: Some(Box::new(acknowledge)), ..Progress::default() }
    }

    /// Returns the number of bytes read from the sources so far. For compressed sources, compressed bytes are counted.
    pub fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }

    /// Returns the number of PGN bytes in the chunks written so far.
    pub fn pgn_bytes(&self) -> u64 {
        self.pgn_bytes.load(Ordering::Relaxed)
    }

    /// Returns the number of games stored so far.
    pub fn games(&self) -> u64 {
        self.games.load(Ordering::Relaxed)
    }
}

//! Commit blocks, which end a batch and contain the totals of the archive and the progress of the import (FORMAT.md,
//! "Commits").

use super::source::SourceRecord;
use super::state::Chain;
use crate::format::limits::MOST;
use crate::format::wire::{Bytes, push_string, push_varint};

/// The totals of an archive at a commit.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 e5 *\n\n1. Ke2 *\n"[..])?;
/// let totals: scoresheet::archive::Commit = scoresheet::Archive::open(&target)?.totals()?;
/// assert_eq!((totals.sequence, totals.games, totals.plies, totals.faulty), (1, 2, 2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Commit {
    /// The sequence number of the commit, from 1. The header page for this commit contains the same number.
    pub sequence: u64,
    /// Games in the archive.
    pub games: u64,
    /// The number of plies in the main lines of all games.
    pub plies: u64,
    /// Strings in the dictionary.
    pub strings: u64,
    /// Completely read sources.
    pub sources: u64,
    /// The number of decompressed PGN bytes read.
    pub pgn_bytes: u64,
    /// The number of games stored with a fault.
    pub faulty: u64,
    /// Games rejected.
    pub rejected: u64,
    /// The size of all moves blocks in bytes, including headers.
    pub moves_bytes: u64,
    /// The size of all tags blocks in bytes, including headers.
    pub tags_bytes: u64,
    /// The size of all texts blocks in bytes, including headers.
    pub texts_bytes: u64,
    /// The size of all dictionary blocks in bytes, including headers and second copies.
    pub dictionary_bytes: u64,
    /// The size of all layout blocks in bytes, including headers.
    pub layout_bytes: u64,
    /// The chain up to this block. The chain ties the commit to all preceding blocks.
    pub chain: Chain,
}

/// The progress of an unfinished import at a commit, from which the import can continue.
///
/// ```
/// use scoresheet::import::{ImportOptions, Progress};
/// use scoresheet::{Archive, Import};
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// # let folder = tempfile::tempdir()?;
/// # let [source, target] = ["games.pgn", "games.bga"].map(|name| folder.path().join(name));
/// # std::fs::write(&source, "1. e4 *\n\n".repeat(1000))?;
/// static STOP: AtomicBool = AtomicBool::new(false);
/// let stop_at_commit = Progress::with_acknowledge(|_| STOP.store(true, Ordering::Relaxed));
/// let options = ImportOptions { threads: 1, batch: 1, chunk_bytes: 1, ..ImportOptions::default() };
/// let import = Import::new(&target).options(options.clone()).progress(&stop_at_commit).stop(&STOP);
/// assert!(import.run([&source])?.stopped.is_some());
/// let archive = Archive::open(&target)?;
/// let unfinished = archive.unfinished()?.expect("an interrupted import");
/// assert!(unfinished.source.seen == archive.len() && archive.len() < 1000);
/// let summary = Import::new(&target).options(options).resume().run([&source])?;
/// assert_eq!(summary.totals.games, 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unfinished {
    /// The number of the first source of this import in the archive, from 0. Further sources that have been imported
    /// completely have source blocks.
    pub first_source: u64,
    /// The line of the current source at which the import continues, from 1.
    pub line: u64,
    /// The import options that affect the stored data, as text in a form that the writer chooses.
    pub options: String,
    /// The current source as imported so far: its length and hash cover only the imported bytes.
    pub source: SourceRecord,
}

impl Unfinished {
    /// Appends the progress of the unfinished import to the payload of its commit.
    #[doc(hidden)]
    pub fn encode(&self, payload: &mut Vec<u8>) {
        push_varint(self.first_source, payload);
        push_varint(self.line, payload);
        push_string(self.options.as_bytes(), payload);
        payload.extend_from_slice(&self.source.encode());
    }

    /// Returns the progress of an unfinished import from the payload of a commit, or `None` if there is none.
    #[doc(hidden)]
    pub fn from_commit(payload: &[u8]) -> Option<Unfinished> {
        Unfinished::decode(Commit::decode(payload)?.sources, payload.get(TOTALS..)?)
    }

    fn decode(number: u64, bytes: &[u8]) -> Option<Unfinished> {
        let mut bytes = Bytes(bytes);
        let mut small = || bytes.varint().filter(|number| *number <= MOST);
        let (first_source, line) = (small()?, small()?);
        let options = std::str::from_utf8(bytes.string()?).ok()?.to_owned();
        Some(Unfinished { first_source, line, options, source: SourceRecord::decode(number, bytes.0)? })
    }
}

/// The size of a commit's 13 numbers and its chain together, in bytes.
const TOTALS: usize = 13 * 8 + 16;

impl Commit {
    /// Returns the payload: 13 numbers of eight bytes, followed by the chain. If an import is unfinished, the writer
    /// appends [`Unfinished`].
    #[doc(hidden)]
    pub fn encode(&self) -> Vec<u8> {
        [
            self.sequence,
            self.games,
            self.plies,
            self.strings,
            self.sources,
            self.pgn_bytes,
            self.faulty,
            self.rejected,
            self.moves_bytes,
            self.tags_bytes,
            self.texts_bytes,
            self.dictionary_bytes,
            self.layout_bytes,
        ]
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .chain(self.chain.0)
        .collect()
    }

    /// Reads a payload.
    #[doc(hidden)]
    pub fn decode(payload: &[u8]) -> Option<Commit> {
        let mut bytes = Bytes(payload);
        let mut number = || bytes.u64().filter(|number| *number <= MOST);
        let commit = Commit {
            sequence: number()?,
            games: number()?,
            plies: number()?,
            strings: number()?,
            sources: number()?,
            pgn_bytes: number()?,
            faulty: number()?,
            rejected: number()?,
            moves_bytes: number()?,
            tags_bytes: number()?,
            texts_bytes: number()?,
            dictionary_bytes: number()?,
            layout_bytes: number()?,
            chain: Chain::default(),
        };
        let commit = Commit { chain: Chain(bytes.array()?), ..commit };
        (bytes.0.is_empty() || Unfinished::decode(commit.sources, bytes.0).is_some()).then_some(commit)
    }
}

//! The options of an import.

use crate::archive::writer::BATCH;
use crate::archive::{Existing, Permissions};
use crate::pgn::ReadOptions;
use std::collections::BTreeMap;

/// The default size of a chunk in bytes of PGN.
pub const CHUNK_BYTES: usize = 768 << 10;
/// The usual maximum size of a game in bytes. If games are longer because of clocks or comments, a chunk is given more
/// bytes and contains the same number of games. Models start anew in each chunk, so longer chunks reduce the size of
/// clocks by 2 %.
pub const USUAL_GAME: usize = 768;
/// The maximum factor by which a chunk grows for long games.
const LONGEST: usize = 3;
/// The multiple of its intended size above which a chunk is processed without other jobs, to limit memory.
pub const GREAT: usize = LONGEST + 1;

/// The zstd level for a plain archive. For games with comments, a higher level doubles the time of the import. For
/// games without comments, a higher level saves only 0.1 %. At levels up to this one, columns of tags are compressed
/// with less effort.
const LEVEL: i32 = 4;
/// The zstd level for a packed archive.
const PACKED_LEVEL: i32 = 19;

/// The options of an import.
///
/// ```
/// use scoresheet::Import;
/// use scoresheet::import::ImportOptions;
/// use scoresheet::pgn::ReadOptions;
///
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// let read = ReadOptions { strict: true, ..ReadOptions::default() };
/// let options = ImportOptions { threads: 1, read, keep_rejected: true, ..ImportOptions::packed() };
/// let mut rejected = Vec::new();
/// let import = Import::new(&target).options(options).on_fault(|fault| rejected.extend(fault.rejected));
/// import.run_reader("games.pgn", &b"1. e4 *\n\n1. e5 *\n"[..])?;
/// assert_eq!(rejected.len(), 1);
/// assert!(rejected[0].starts_with(b"1. e5"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// The number of worker threads, at most 1,024. 0 means one thread per core.
    pub threads: usize,
    /// The options for reading games.
    pub read: ReadOptions,
    /// The zstd level for tags and texts, 1 to 22.
    pub level: i32,
    /// Whether to pack the moves: they take less than three bits per ply instead of one byte, and packing takes a few
    /// microseconds per ply.
    pub pack: bool,
    /// How to treat an existing archive.
    pub existing: Existing,
    /// Whether to continue an interrupted import of these sources after its last commit. The result equals the result
    /// of an uninterrupted import.
    ///
    /// If the archive contains no data of this import, the import starts from the beginning: in a new archive, or, with
    /// [`Existing::Append`], after the existing games. The sources are read from the beginning in any case, to verify
    /// that they have not changed.
    pub resume: bool,
    /// The number of chunks in a batch. A commit follows each batch. A commit also precedes an oversized game, and no
    /// commit is made within such a game.
    pub batch: u32,
    /// The approximate size in bytes of the PGN in a chunk, whose data is decompressed together. For games longer than
    /// 768 bytes, the size is up to three times as large.
    pub chunk_bytes: usize,
    /// Whether reports of rejected games include their text, as described for
    /// [`FaultReport::rejected`](super::FaultReport::rejected).
    pub keep_rejected: bool,
    /// Whether the import ends at a source that cannot be read to its end. Default: no. If it does not end, the
    /// remaining sources are imported, and [`Summary::refused`](super::Summary::refused) lists the source.
    pub stop_at_refused: bool,
    /// The indexes, from 0, of the sources whose games are not read. The archive stores the bytes of these sources, and
    /// can export them unchanged.
    pub kept: Vec<usize>,
    /// Whether a packed archive contains its model, as a block. Such an archive can be read without a separate model
    /// file.
    pub with_model: bool,
    /// The metadata of the archive ([`Archive::metadata`](crate::Archive::metadata)), which the first commit sets.
    pub metadata: BTreeMap<String, String>,
    /// The permissions that a new archive receives at most, in addition to the limits of its source files. A program
    /// that reads games from other files passes the permissions of these files.
    pub permissions: Permissions,
}

impl ImportOptions {
    /// Returns the options for an archive with packed moves: zstd level 19, and chunks of twice the usual length.
    /// Packing is slow in any case, so the other columns are also compressed as well as possible.
    pub fn packed() -> ImportOptions {
        ImportOptions { pack: true, level: PACKED_LEVEL, chunk_bytes: 2 * CHUNK_BYTES, ..ImportOptions::default() }
    }

    /// Returns the number of PGN bytes that are still needed to complete a chunk of this size, or 0 if it is complete.
    pub(super) fn missing(&self, bytes: usize, games: usize) -> usize {
        let target = self.chunk_bytes.max(1);
        match target.saturating_sub(bytes) {
            0 if (1..target / USUAL_GAME).contains(&games) && bytes / LONGEST < target => target.div_ceil(8),
            missing => missing,
        }
    }
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions {
            threads: 0,
            read: ReadOptions::default(),
            level: LEVEL,
            pack: false,
            existing: Existing::Refuse,
            resume: false,
            batch: BATCH,
            chunk_bytes: CHUNK_BYTES,
            keep_rejected: false,
            stop_at_refused: false,
            kept: Vec::new(),
            with_model: false,
            metadata: BTreeMap::new(),
            permissions: Permissions::ALL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_long_games_are_longer() {
        let options = ImportOptions::default();
        // Games per chunk of this game length, when the last read filled the buffer.
        let games = |length: usize| {
            let (mut bytes, mut games) = (0, 0);
            loop {
                match options.missing(bytes, games) {
                    0 => return games,
                    missing => games += missing.div_ceil(length),
                }
                bytes = games * length;
            }
        };
        assert_eq!(games(500), CHUNK_BYTES.div_ceil(500));
        assert_eq!(games(768), 1024);
        assert!((1024..1100).contains(&games(2000)), "{}", games(2000));
        assert!((90..110).contains(&games(25_000)), "{}", games(25_000));
        assert_eq!(games(10 << 20), 1);
        // Data without games is read in parts of one length.
        assert_eq!(options.missing(CHUNK_BYTES, 0), 0);
        assert_eq!(ImportOptions { chunk_bytes: 0, ..options.clone() }.missing(0, 0), 1);
        assert_eq!(ImportOptions { chunk_bytes: usize::MAX, ..options }.missing(5, 1), usize::MAX - 5);
    }
}

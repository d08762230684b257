//! How to import.

use crate::archive::Existing;
use crate::archive::writer::BATCH;
use crate::pgn::ReadOptions;
use std::collections::BTreeMap;

/// Bytes of PGN in a chunk by default.
pub const CHUNK_BYTES: usize = 768 << 10;
/// Bytes of a game as most are. Where they are longer, for clocks or comments, a chunk has more bytes, and so as many
/// games: what they have in common is learnt once a chunk, and clocks take a fiftieth less.
const USUAL_GAME: usize = 768;
/// So many times as long at most.
const LONGEST: usize = 3;
/// A chunk of more bytes than this times those it should have is made while no other is: memory is limited.
pub const GREAT: usize = LONGEST + 1;

/// The zstd level of a plain archive: higher ones take as long again as all the rest, where there are comments, and make
/// other games smaller by a thousandth. Up to this level columns of tags are compressed with less effort.
const LEVEL: i32 = 4;
/// The zstd level of a packed archive.
const PACKED_LEVEL: i32 = 19;

/// How to import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Worker threads; 0 for one a core.
    pub threads: usize,
    /// How games are read.
    pub read: ReadOptions,
    /// The zstd level of tags and texts, 1 to 22.
    pub level: i32,
    /// Whether moves are packed: under three bits a ply instead of a byte, at some microseconds a ply.
    pub pack: bool,
    /// What to do with an archive that is there already.
    pub existing: Existing,
    /// Whether to go on with an import of these sources that was cut off: after its last commit, with the same result
    /// as if it had not been. Where nothing of it is there, it begins: in a new archive, or, with [`Existing::Append`],
    /// after what the archive has. The sources are read from their beginning, to see that they have not changed.
    pub resume: bool,
    /// Chunks in a batch: a commit follows every so many. There is also one before a game that is too long, and none
    /// within it.
    pub batch: u32,
    /// Bytes of PGN in a chunk, about: what is decompressed together. Where games are longer than 768 bytes, up to three
    /// times as many.
    pub chunk_bytes: usize,
    /// Whether the reports of rejected games hold their text; see
    /// [`FaultReport::rejected`](super::FaultReport::rejected).
    pub keep_rejected: bool,
    /// Whether a source that cannot be read to its end ends the import. Default: no, the others are imported, and
    /// [`Summary::refused`](super::Summary::refused) names it.
    pub stop_at_refused: bool,
    /// The sources, by their place in the list from 0, that no games are read from: their bytes are kept and come back
    /// as they are.
    pub kept: Vec<usize>,
    /// Whether a packed archive has the model with it, as one block, so that the archive alone is enough to read it.
    pub with_model: bool,
    /// What the archive is to say of itself ([`Archive::metadata`](crate::Archive::metadata)), set in the first commit.
    pub metadata: BTreeMap<String, String>,
}

impl ImportOptions {
    /// Returns the options for moves that are packed: what takes long anyway is made as small as it gets, at zstd level
    /// 19 and in chunks twice as long.
    pub fn packed() -> ImportOptions {
        ImportOptions { pack: true, level: PACKED_LEVEL, chunk_bytes: 2 * CHUNK_BYTES, ..ImportOptions::default() }
    }

    /// Returns how many bytes of PGN a chunk with so many bytes and games is to have yet; 0 if it is full.
    pub(super) fn missing(&self, bytes: usize, games: usize) -> usize {
        let wanted = self.chunk_bytes.max(1);
        match wanted.saturating_sub(bytes) {
            0 if (1..wanted / USUAL_GAME).contains(&games) && bytes / LONGEST < wanted => wanted.div_ceil(8),
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_long_games_are_longer() {
        let options = ImportOptions::default();
        // How many games of a length a chunk has, where the last part read is as long as asked.
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
        // What has no games is read in parts of one length.
        assert_eq!(options.missing(CHUNK_BYTES, 0), 0);
        assert_eq!(ImportOptions { chunk_bytes: 0, ..options.clone() }.missing(0, 0), 1);
        assert_eq!(ImportOptions { chunk_bytes: usize::MAX, ..options }.missing(5, 1), usize::MAX - 5);
    }
}

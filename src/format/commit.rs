//! Commit blocks: the end of a batch, with the archive's totals (FORMAT.md, "Commits").

use super::wire::Bytes;

/// The archive's totals at a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Commit {
    /// Counts the commits from 1; the high-water slot of this commit has the same number.
    pub sequence: u64,
    /// Games in the archive.
    pub games: u64,
    /// Plies of their main lines.
    pub plies: u64,
    /// Strings in the dictionary.
    pub strings: u64,
    /// Sources read to their end.
    pub sources: u64,
    /// Bytes of PGN read, decompressed.
    pub pgn_bytes: u64,
    /// Games stored with a fault.
    pub faulty: u64,
    /// Games rejected.
    pub rejected: u64,
    /// Bytes of moves blocks, headers included.
    pub moves_bytes: u64,
    /// Bytes of tags blocks, headers included.
    pub tags_bytes: u64,
    /// Bytes of texts blocks, headers included.
    pub texts_bytes: u64,
    /// Bytes of dictionary blocks, headers and second copies included.
    pub dictionary_bytes: u64,
    /// Bytes of layout blocks, headers included.
    pub layout_bytes: u64,
}

impl Commit {
    /// Returns the payload: thirteen numbers of eight bytes.
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
        .collect()
    }

    /// Reads a payload.
    pub fn decode(payload: &[u8]) -> Option<Commit> {
        let mut bytes = Bytes(payload);
        let commit = Commit {
            sequence: bytes.u64()?,
            games: bytes.u64()?,
            plies: bytes.u64()?,
            strings: bytes.u64()?,
            sources: bytes.u64()?,
            pgn_bytes: bytes.u64()?,
            faulty: bytes.u64()?,
            rejected: bytes.u64()?,
            moves_bytes: bytes.u64()?,
            tags_bytes: bytes.u64()?,
            texts_bytes: bytes.u64()?,
            dictionary_bytes: bytes.u64()?,
            layout_bytes: bytes.u64()?,
        };
        bytes.0.is_empty().then_some(commit)
    }
}

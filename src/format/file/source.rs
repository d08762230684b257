//! Source blocks, which describe the imported sources (FORMAT.md, "Source blocks").

use crate::format::limits::MOST;
use crate::format::wire::{Bytes, push_string, push_varint};

/// A source of games that was read completely.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n\n1. d4 *\n"[..])?;
/// let archive = scoresheet::Archive::open(&target)?;
/// let source: &scoresheet::archive::SourceRecord = &archive.sources()?[0];
/// assert_eq!((source.name.as_str(), source.seen, source.exact), ("games.pgn", 2, true));
/// let mut original = Vec::new();
/// assert!(archive.write_original(source, &mut original).is_ok_and(|is_same| is_same));
/// assert_eq!(original, b"1. e4 *\n\n1. d4 *\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourceRecord {
    /// The number of the source in the archive, from 0, which the header of its block also contains.
    pub number: u64,
    /// The name given to the source, without folders.
    pub name: String,
    /// The decompressed length of the source in bytes.
    pub bytes: u64,
    /// The SHA-256 of the source's decompressed bytes.
    pub sha256: [u8; 32],
    /// The number of games in the source, including rejected games.
    pub seen: u64,
    /// The number of rejected games.
    pub rejected: u64,
    /// The number of the source's first game in the archive, if any game of the source is stored.
    pub first_game: u64,
    /// Whether the archive contains every byte of the source and can restore it exactly.
    pub exact: bool,
}

impl SourceRecord {
    /// Returns the payload.
    #[doc(hidden)]
    pub fn encode(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        push_string(self.name.as_bytes(), &mut payload);
        for number in [self.bytes, self.seen, self.rejected, self.first_game] {
            push_varint(number, &mut payload);
        }
        payload.push(u8::from(self.exact));
        payload.extend_from_slice(&self.sha256);
        payload
    }

    /// Reads the payload of source `number`.
    #[doc(hidden)]
    pub fn decode(number: u64, payload: &[u8]) -> Option<SourceRecord> {
        let mut bytes = Bytes(payload);
        let name = std::str::from_utf8(bytes.string()?).ok()?.to_owned();
        let [length, seen, rejected, first_game] = [bytes.varint()?, bytes.varint()?, bytes.varint()?, bytes.varint()?];
        // The archive contains this many games of the source, beginning with `first_game`.
        seen.checked_sub(rejected)?;
        if [length, seen, first_game].into_iter().any(|number| number > MOST) {
            return None;
        }
        let exact = match bytes.u8()? {
            0 => false,
            1 => true,
            _ => return None,
        };
        let sha256 = bytes.array()?;
        bytes.0.is_empty().then_some(SourceRecord {
            number,
            name,
            bytes: length,
            sha256,
            seen,
            rejected,
            first_game,
            exact,
        })
    }
}

//! The state of an archive at a commit. Header pages, indexes and side files contain the state (FORMAT.md, "State and
//! content chain").
//!
//! Two archives can have equal identities, lengths and counts by chance. Their chains differ in practice: a chain is a
//! hash over the headers of all blocks up to a commit, and these headers contain the checksums of all other bytes.

use super::block::{BLOCKS, BlockHeader, BlockKind, HEADER};
use crate::format::identity::ArchiveId;
use crate::format::limits::MOST;
use crate::format::wire::Bytes;
use sha2::{Digest, Sha256};

/// A hash over all blocks from the beginning of an archive: the first 16 bytes of the SHA-256 of the previous chain and
/// a block's header.
///
/// [`State`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Chain(pub [u8; 16]);

impl Chain {
    /// Returns the chain of an archive without blocks, which equals the identity.
    #[doc(hidden)]
    pub fn new(id: ArchiveId) -> Chain {
        Chain(id.0)
    }

    /// Returns the chain after one more block, whose header has these bytes.
    #[doc(hidden)]
    pub fn then(self, header: &[u8; HEADER]) -> Chain {
        let hash = Sha256::new().chain_update(self.0).chain_update(header).finalize();
        let mut chain = [0; 16];
        chain.copy_from_slice(hash.get(..16).unwrap_or_default());
        Chain(chain)
    }
}

/// The state of an archive at a commit. A side file that contains this state was built from the archive at exactly this
/// commit.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
/// use scoresheet::{Archive, Import};
///
/// let before = Archive::open(&target)?.state();
/// Import::new(&target).append().run_reader("more.pgn", &b"1. d4 *\n"[..])?;
/// let after = Archive::open(&target)?.state();
/// assert_eq!((after.id, after.sequence, after.games), (before.id, before.sequence + 1, 2));
/// assert!(after.length > before.length && after.chain != before.chain);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct State {
    /// The archive.
    pub id: ArchiveId,
    /// The sequence number of the commit, or 0 before the first commit.
    pub sequence: u64,
    /// The committed length of the archive in bytes.
    pub length: u64,
    /// The total number of games in the archive.
    pub games: u64,
    /// The chain up to and including the commit block.
    pub chain: Chain,
}

impl State {
    /// The size in bytes.
    #[doc(hidden)]
    pub const SIZE: usize = 56;

    /// Returns the state of an archive without blocks.
    #[doc(hidden)]
    pub fn new(id: ArchiveId) -> State {
        State { id, sequence: 0, length: BLOCKS, games: 0, chain: Chain::new(id) }
    }

    /// Advances over a block with this header, which begins at the end of this state.
    #[doc(hidden)]
    pub fn extend(&mut self, header: &BlockHeader) {
        self.chain = self.chain.then(&header.encode(self.id, self.length));
        self.length = self.length.saturating_add(HEADER as u64).saturating_add(header.length);
        match header.kind {
            BlockKind::Moves => self.games = self.games.saturating_add(u64::from(header.count)),
            BlockKind::Commit => self.sequence = header.first,
            _ => {}
        }
    }

    /// Returns the bytes.
    #[doc(hidden)]
    pub fn encode(&self) -> [u8; State::SIZE] {
        let mut bytes = [0; State::SIZE];
        let numbers = [self.sequence, self.length, self.games].map(u64::to_le_bytes);
        let fields = [self.id.0.as_slice(), numbers.as_flattened(), self.chain.0.as_slice()];
        for (to, from) in bytes.iter_mut().zip(fields.into_iter().flatten()) {
            *to = *from;
        }
        bytes
    }

    /// Reads the bytes. Returns `None` if a number exceeds a limit of the format.
    pub(crate) fn decode(bytes: &mut Bytes) -> Option<State> {
        let id = ArchiveId(bytes.array()?);
        let mut number = || bytes.u64().filter(|number| *number <= MOST);
        let (sequence, length, games) = (number()?, number()?, number()?);
        Some(State { id, sequence, length, games, chain: Chain(bytes.array()?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_and_a_chain_depends_on_every_byte_and_the_order() {
        let state = State { id: ArchiveId([7; 16]), sequence: 1, length: 2, games: 3, chain: Chain([9; 16]) };
        assert_eq!(State::decode(&mut Bytes(&state.encode())), Some(state));
        let (first, second) = ([1; HEADER], [2; HEADER]);
        let start = Chain::new(state.id);
        assert_ne!(start.then(&first).then(&second), start.then(&second).then(&first));
        for index in 0..HEADER {
            let mut changed = first;
            changed[index] ^= 0x10;
            assert_ne!(start.then(&first), start.then(&changed), "{index}");
        }
    }
}

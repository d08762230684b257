//! Restoration of sources.

use crate::archive::read::archive::Archive;
use crate::archive::read::blocks::BlockRef;
use crate::archive::read::game_ref::GameRef;
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::block::BlockKind;
use crate::format::loose;
use crate::format::source::SourceRecord;
use crate::parallel;
use crate::sort;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;

/// The number of chunks to restore at once.
const AHEAD: usize = 8;

/// The source bytes of a chunk's games.
#[derive(Default)]
struct Rebuilt {
    text: Vec<u8>,
    /// The positions of source bytes that belong to no stored game, each with the game that follows them.
    gaps: Vec<(usize, u64)>,
}

/// Returns the loose blocks of a source directly before a game.
fn before(loose: &[BlockRef], game: u64) -> &[BlockRef] {
    let end = loose.partition_point(|block| block.header.first <= game);
    let start = loose.partition_point(|block| block.header.first < game);
    loose.get(start..end).unwrap_or_default()
}

impl Archive {
    /// Writes the imported bytes of a source (decompressed), on rayon's current pool. Returns whether the SHA-256 of
    /// the bytes equals the stored hash, which is true if [`SourceRecord::exact`] is set and the archive is intact.
    ///
    /// Errors: the archive is damaged, or [`Error::Output`] if `out` cannot be written.
    pub fn write_original(&self, source: &SourceRecord, out: &mut impl Write) -> Result<bool> {
        self.rebuild(source, out, |_| Ok(()))
    }

    /// Restores a source like `write_original`, and calls `look` with each game on several threads. An error that
    /// `look` returns is treated as damage of the archive.
    pub(in crate::archive) fn rebuild(
        &self,
        source: &SourceRecord,
        out: &mut impl Write,
        look: impl Fn(&GameRef) -> Result<()> + Sync,
    ) -> Result<bool> {
        let mut hash = Sha256::new();
        let stored = source.seen - source.rejected;
        let games = source.first_game..source.first_game + stored;
        let loose = self.loose(source.number)?;
        let chunks: Vec<usize> = match stored {
            0 => Vec::new(),
            _ => self.chunks_of(&games).collect(),
        };
        let mut give = |bytes: &[u8]| {
            hash.update(bytes);
            out.write_all(bytes).map_err(|source| Error::Output { source })
        };
        for ahead in chunks.chunks(AHEAD) {
            let rebuilt: Result<Vec<Rebuilt>> = parallel::try_map_items(ahead, |number| {
                let (chunk, mut rebuilt) = (self.chunk(*number)?, Rebuilt::default());
                for game in chunk.games() {
                    let game = game?;
                    if games.contains(&game.number()) {
                        if !before(loose, game.number()).is_empty() {
                            rebuilt.gaps.push((rebuilt.text.len(), game.number()));
                        }
                        look(&game)?;
                        game.original(&mut rebuilt.text)?;
                    }
                }
                Ok(rebuilt)
            });
            for Rebuilt { text, gaps } in rebuilt? {
                let mut at = 0;
                for (gap, number) in gaps {
                    give(text.get(at..gap).unwrap_or_default())?;
                    at = gap;
                    // The blocks are read one by one, because their number is unlimited.
                    before(loose, number).iter().try_for_each(|block| give(&self.loose_bytes(block)?))?;
                }
                give(text.get(at..).unwrap_or_default())?;
            }
        }
        let end = if stored == 0 { 0 } else { games.end };
        let mut last = loose.iter().filter(|block| block.header.first >= end);
        last.try_for_each(|block| give(&self.loose_bytes(block)?))?;
        Ok(hash.finalize()[..] == source.sha256)
    }

    /// Returns the bytes of a source before the games of this range that belong to no stored game. [`Game::original`]
    /// does not include these bytes. Bytes after the last game of a source are treated as bytes before the next game
    /// number, even if no game has this number.
    ///
    /// [`Game::original`]: crate::archive::GameRef::original
    pub fn beside(&self, source: &SourceRecord, games: Range<u64>) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.push_loose(self.loose(source.number)?, games, &mut bytes)?;
        Ok(bytes)
    }

    fn push_loose(&self, loose: &[BlockRef], games: Range<u64>, out: &mut Vec<u8>) -> Result<(), Damage> {
        let from = loose.partition_point(|block| block.header.first < games.start);
        for block in loose.iter().skip(from).take_while(|block| block.header.first < games.end) {
            out.extend_from_slice(&self.loose_bytes(block)?);
        }
        Ok(())
    }

    /// Returns the loose blocks of a source, in the order of the games that they precede.
    fn loose(&self, source: u64) -> Result<&[BlockRef], Damage> {
        let all = self.loose_blocks(|| {
            let mut found: HashMap<u64, Vec<BlockRef>> = HashMap::new();
            for block in self.blocks_of(BlockKind::Loose) {
                let block = block?;
                found.entry(source_of(&block, &self.payload(&block)?)?).or_default().push(block);
            }
            found.values_mut().for_each(|blocks| sort::by_key(blocks, |block| block.header.first));
            Ok(found)
        });
        all.map(|all| all.get(&source).map(Vec::as_slice).unwrap_or_default())
    }

    fn loose_bytes(&self, block: &BlockRef) -> Result<Vec<u8>, Damage> {
        let payload = self.payload(block)?;
        let (_, bytes) =
            loose::decode_within(&payload, self.limits()).ok_or(Damage::new(block.offset, DamageKind::LooseBlock))?;
        Ok(bytes)
    }
}

/// Returns the number of the source that contains a loose block's bytes.
pub(in crate::archive) fn source_of(block: &BlockRef, payload: &[u8]) -> Result<u64, Damage> {
    loose::source(payload).ok_or(Damage::new(block.offset, DamageKind::LooseBlock))
}

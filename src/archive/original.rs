//! Sources given back as they were.

use super::reader::Archive;
use crate::error::{Error, Result};
use crate::format::source::Source;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use std::io::Write;

/// Chunks that are rebuilt at once.
const AHEAD: usize = 8;

impl Archive {
    /// Writes the bytes of a source as they were when it was imported (decompressed), on rayon's current pool. Returns whether they have
    /// the SHA-256 of the source: they have if [`Source::exact`] is set and the archive is sound.
    ///
    /// `Err(Ok(error))` is the archive's fault, `Err(Err(error))` the writer's.
    pub fn write_original(
        &self,
        source: &Source,
        out: &mut impl Write,
    ) -> std::result::Result<bool, std::result::Result<Error, std::io::Error>> {
        let mut hash = Sha256::new();
        let stored = source.seen - source.rejected;
        let games = source.first_game..source.first_game + stored;
        let chunks: Vec<usize> = match stored {
            0 => Vec::new(),
            _ => self.chunks_of(&games).collect(),
        };
        for ahead in chunks.chunks(AHEAD) {
            let texts: Result<Vec<Vec<u8>>> = ahead
                .par_iter()
                .map(|number| {
                    let (chunk, mut text) = (self.chunk(*number)?, Vec::new());
                    for game in chunk.games() {
                        let game = game?;
                        if games.contains(&game.number()) {
                            game.original(&mut text)?;
                        }
                    }
                    Ok(text)
                })
                .collect();
            for text in texts.map_err(Ok)? {
                hash.update(&text);
                out.write_all(&text).map_err(Err)?;
            }
        }
        Ok(hash.finalize()[..] == source.sha256)
    }
}

//! The content digest: one hash of the content of all games, independent of how they are stored (FORMAT.md, "Content
//! digest").

use crate::archive::read::archive::Archive;
use crate::archive::read::game_ref::GameRef;
use crate::brenner::encode;
use crate::chess::{Move, Position};
use crate::error::Result;
use crate::format::record::push_start_in_full;
use crate::format::wire::{push_string, push_varint};
use crate::game::{Outcome, TextKind, Visitor};
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A SHA-256 of content.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 e5 *\n\n1.e4   e5 *\n"[..])?;
/// let archive = scoresheet::Archive::open(&target)?;
/// // The layout is not part of the content.
/// assert_eq!(archive.game(1)?.digest()?.to_string(), archive.game(2)?.digest()?.to_string());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Archive {
    /// Returns the SHA-256 of the digests of all games, in order, on rayon's current pool. Checks every move in the
    /// process.
    pub fn digest(&self) -> Result<Digest> {
        // Processes a few chunks at a time, to keep only their digests in memory.
        let (chunks, ahead) = (self.chunk_count(), 32 * rayon::current_num_threads());
        let mut all = Sha256::new();
        for start in (0..chunks).step_by(ahead) {
            let digests: Result<Vec<Vec<Digest>>> = (start..chunks.min(start + ahead))
                .into_par_iter()
                .map(|chunk| self.chunk(chunk)?.games().map(|game| game?.digest()).collect())
                .collect();
            for digest in digests?.into_iter().flatten() {
                all.update(digest.0);
            }
        }
        Ok(Digest(all.finalize().into()))
    }
}

impl GameRef<'_> {
    /// Returns the SHA-256 of the game's content: tags, start, Brenner stream with inline texts, and result.
    pub fn digest(&self) -> Result<Digest> {
        let mut content = Content::default();
        self.visit(&mut content)?;
        content.bytes.push(content.outcome);
        Ok(Digest(Sha256::digest(&content.bytes).into()))
    }
}

/// Writes the bytes of a game's content that the digest hashes.
#[derive(Default)]
struct Content {
    bytes: Vec<u8>,
    tags: Vec<u8>,
    tag_count: u64,
    outcome: u8,
}

impl Visitor for Content {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        push_string(name, &mut self.tags);
        push_string(value, &mut self.tags);
        self.tag_count += 1;
    }

    fn start(&mut self, position: &Position) {
        push_varint(self.tag_count, &mut self.bytes);
        self.bytes.append(&mut self.tags);
        push_start_in_full(position, &mut self.bytes);
    }

    fn play(&mut self, before: &Position, m: Move) {
        encode::push_move(before, m, &mut self.bytes);
    }

    fn suffix(&mut self, good: bool) {
        encode::push_suffix(good, &mut self.bytes);
    }

    fn nag(&mut self, nag: u8) {
        encode::push_nag(nag, &mut self.bytes);
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        encode::push_text_marker(&mut self.bytes);
        self.bytes.push(kind as u8);
        push_string(text, &mut self.bytes);
    }

    fn open(&mut self) {
        encode::push_open(&mut self.bytes);
    }

    fn close(&mut self) {
        encode::push_close(&mut self.bytes);
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.outcome = outcome as u8;
    }
}

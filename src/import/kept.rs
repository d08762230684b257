//! Reads a source, and either splits it into games or keeps its bytes without reading games.

use crate::pgn::{Batch, Checkpoint, ReadLimits, Source, Splitter};
use sha2::Digest;
use std::io::{self, Read};

/// A source that is being read.
pub enum Reading {
    /// A source that is split into games and the text between them.
    Games(Box<Splitter<Source>>),
    /// A source whose bytes are kept without reading its games.
    Bytes(Box<KeptBytes>),
}

/// A source whose games are not read.
pub struct KeptBytes {
    source: Source,
    number: u32,
    checkpoint: Checkpoint,
}

impl Reading {
    /// Returns a reader for a source, which starts at `checkpoint`. With `keep`, the bytes are kept and no games are
    /// read.
    pub fn new(source: Source, number: u32, checkpoint: Option<Checkpoint>, limits: ReadLimits, keep: bool) -> Reading {
        match (keep, checkpoint) {
            (true, checkpoint) => {
                let checkpoint = checkpoint.unwrap_or(Checkpoint { line: 1, ..Checkpoint::default() });
                Reading::Bytes(Box::new(KeptBytes { source, number, checkpoint }))
            }
            (false, Some(checkpoint)) => Reading::Games(Box::new(Splitter::resume(source, number, limits, checkpoint))),
            (false, None) => Reading::Games(Box::new(Splitter::new(source, number, limits))),
        }
    }

    /// Returns the next batch of about `bytes` bytes, or `None` at the end of the source.
    pub fn next_batch(&mut self, bytes: usize) -> io::Result<Option<Batch>> {
        match self {
            Reading::Games(splitter) => splitter.next_batch(bytes),
            Reading::Bytes(kept) => kept.next_batch(bytes),
        }
    }

    /// Returns the checkpoint after the last batch.
    pub fn checkpoint(&self) -> Checkpoint {
        match self {
            Reading::Games(splitter) => splitter.checkpoint(),
            Reading::Bytes(kept) => kept.checkpoint.clone(),
        }
    }
}

impl KeptBytes {
    fn next_batch(&mut self, bytes: usize) -> io::Result<Option<Batch>> {
        let mut text = Vec::new();
        self.source.by_ref().take(bytes.max(1) as u64).read_to_end(&mut text)?;
        if text.is_empty() {
            return Ok(None);
        }
        self.checkpoint.offset += text.len() as u64;
        self.checkpoint.line += memchr::memchr_iter(b'\n', &text).count() as u64;
        self.checkpoint.hash.update(&text);
        Ok(Some(Batch { source: self.number, end: self.checkpoint.offset, text, ..Batch::default() }))
    }
}

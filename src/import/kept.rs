//! Reads a source: splits it into games, keeps its bytes without reading games, or receives games of a program.

use super::game_source::GameSource;
use crate::pgn::{Batch, Checkpoint, ReadLimits, Source, SourceProgress, Splitter};
use sha2::Digest;
use std::io::{self, Read};

/// A source that is being read.
pub enum Reading {
    /// A source that is split into games and the text between them.
    Pgn(Box<Splitter<Source>>, SourceProgress),
    /// A source whose bytes are kept without reading its games.
    Bytes(Box<KeptBytes>),
    /// A source that is not PGN.
    Games(Box<dyn GameSource>),
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
        let checkpoint = checkpoint.unwrap_or(Checkpoint { line: 1, ..Checkpoint::default() });
        let progress = source.progress();
        match keep {
            true => Reading::Bytes(Box::new(KeptBytes { source, number, checkpoint })),
            false => Reading::Pgn(Box::new(Splitter::resume(source, number, limits, checkpoint)), progress),
        }
    }

    /// Returns the next batch of text of about `bytes` bytes, or `None` at the end of the source.
    pub fn next_batch(&mut self, bytes: usize) -> io::Result<Option<Batch>> {
        match self {
            Reading::Pgn(splitter, _) => splitter.next_batch(bytes),
            Reading::Bytes(kept) => kept.next_batch(bytes),
            Reading::Games(_) => Ok(None),
        }
    }

    /// Returns the checkpoint after the last batch, or `None` for a source that is not PGN.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        match self {
            Reading::Pgn(splitter, _) => Some(splitter.checkpoint()),
            Reading::Bytes(kept) => Some(kept.checkpoint.clone()),
            Reading::Games(_) => None,
        }
    }

    /// Returns the number of bytes read so far, before decompression.
    pub fn consumed(&self) -> u64 {
        match self {
            Reading::Pgn(_, progress) => progress.consumed(),
            Reading::Bytes(kept) => kept.source.progress().consumed(),
            Reading::Games(source) => source.consumed(),
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

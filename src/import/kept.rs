//! Reads a source: splits it into games or lines, keeps its bytes without reading games, or receives games of a
//! program.

use super::game_source::GameSource;
use crate::pgn::{Batch, Checkpoint, GameSpan, ReadLimits, Source, SourceProgress, Splitter};
use sha2::Digest;
use std::io::{self, Read};

/// A source that is being read.
pub enum Reading {
    /// A source that is split into games and the text between them.
    Pgn(Box<Splitter<Source>>, SourceProgress),
    /// A source whose bytes are kept without reading its games.
    Bytes(Box<KeptBytes>),
    /// A list of positions.
    Positions(Box<ListLines>),
    /// A source that is not PGN.
    Games(Box<dyn GameSource>),
}

/// A source whose games are not read.
pub struct KeptBytes {
    source: Source,
    number: u32,
    checkpoint: Checkpoint,
}

/// A list of positions, of which each line is a game.
pub struct ListLines {
    source: Source,
    number: u32,
    checkpoint: Checkpoint,
    /// The beginning of a line.
    rest: Vec<u8>,
    /// The number of bytes from which a line is divided.
    longest: usize,
}

impl Reading {
    /// Returns a reader for a source, which starts at `checkpoint`. With `keep`, the bytes are kept and no games are
    /// read.
    pub fn new(source: Source, number: u32, checkpoint: Option<Checkpoint>, limits: ReadLimits, keep: bool) -> Reading {
        let checkpoint = checkpoint.unwrap_or(Checkpoint { line: 1, ..Checkpoint::default() });
        let progress = source.progress();
        match keep {
            true => Reading::Bytes(Box::new(KeptBytes { source, number, checkpoint })),
            false if source.is_positions() => {
                let (rest, longest) = (Vec::new(), limits.max_game_bytes);
                Reading::Positions(Box::new(ListLines { source, number, checkpoint, rest, longest }))
            }
            false => Reading::Pgn(Box::new(Splitter::resume(source, number, limits, checkpoint)), progress),
        }
    }

    /// Returns the next batch of text of about `bytes` bytes, or `None` at the end of the source.
    pub fn next_batch(&mut self, bytes: usize) -> io::Result<Option<Batch>> {
        match self {
            Reading::Pgn(splitter, _) => splitter.next_batch(bytes),
            Reading::Bytes(kept) => kept.next_batch(bytes),
            Reading::Positions(list) => list.next_batch(bytes),
            Reading::Games(_) => Ok(None),
        }
    }

    /// Returns the checkpoint after the last batch, or `None` for a source that is not PGN.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        match self {
            Reading::Pgn(splitter, _) => Some(splitter.checkpoint()),
            Reading::Bytes(kept) => Some(kept.checkpoint.clone()),
            Reading::Positions(list) => Some(list.checkpoint.clone()),
            Reading::Games(_) => None,
        }
    }

    /// Returns the number of bytes read so far, before decompression.
    pub fn consumed(&self) -> u64 {
        match self {
            Reading::Pgn(_, progress) => progress.consumed(),
            Reading::Bytes(kept) => kept.source.progress().consumed(),
            Reading::Positions(list) => list.source.progress().consumed(),
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
        pass(&mut self.checkpoint, &text);
        Ok(Some(Batch { source: self.number, end: self.checkpoint.offset, text, ..Batch::default() }))
    }
}

impl ListLines {
    /// Returns the next complete lines, each as a span.
    fn next_batch(&mut self, bytes: usize) -> io::Result<Option<Batch>> {
        let mut text = std::mem::take(&mut self.rest);
        loop {
            let count = self.source.by_ref().take(bytes.max(1) as u64).read_to_end(&mut text)?;
            match memchr::memrchr(b'\n', &text) {
                Some(last) if count > 0 => self.rest = text.split_off(last + 1),
                None if count > 0 && text.len() <= self.longest => continue,
                _ => {}
            }
            break;
        }
        if text.is_empty() {
            return Ok(None);
        }
        let (mut spans, mut start) = (Vec::new(), 0);
        let ends = memchr::memchr_iter(b'\n', &text).map(|at| at + 1).chain([text.len()]);
        for end in ends {
            if end > start {
                let (offset, line) = (self.checkpoint.offset + start as u64, self.checkpoint.line + spans.len() as u64);
                spans.push(GameSpan { start, end, offset, line });
                start = end;
            }
        }
        pass(&mut self.checkpoint, &text);
        let (source, end, is_positions) = (self.number, self.checkpoint.offset, true);
        Ok(Some(Batch { source, end, text, spans, is_positions, ..Batch::default() }))
    }
}

/// Moves a checkpoint to the end of a text.
fn pass(checkpoint: &mut Checkpoint, text: &[u8]) {
    checkpoint.offset += text.len() as u64;
    checkpoint.line += memchr::memchr_iter(b'\n', text).count() as u64;
    checkpoint.hash.update(text);
}

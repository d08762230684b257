//! A stream of PGN bytes cut into spans of one game each, in order, at the speed of a search for a byte.
//!
//! Where the cuts fall depends on the bytes alone, never on how they arrive. A cut falls before a tag pair that begins
//! a line after movetext, and before an Event tag that begins a line after tags and an empty line; not within a
//! comment, unless that comment shows itself as one that was never closed. A cut also falls after 64 KiB of blanks in a
//! row (a file that was padded, or not written to its end). Games without tags stay together in a span, up to a few
//! KiB.
//!
//! A game that is too long is never held: its bytes are given out in parts as they come, and at its end what it was.

use crate::pgn::bytes::{BOM, count_lines, from, is_all_blank, is_blank, slice};
use crate::pgn::limits::ReadLimits;
use scan::{REACH, Scan, Step, View};
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::io::{self, Read};

mod scan;

/// The checkpoint of a game in a [`Batch`] and in its source. It may hold several games, if they have no tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameSpan {
    /// The first byte, in the batch's text.
    pub start: usize,
    /// The first byte after it, in the batch's text.
    pub end: usize,
    /// The first byte, in the decompressed source.
    pub offset: u64,
    /// The line it begins on, from 1.
    pub line: u64,
}

/// A game that is longer than the limit. Its bytes have been given out in batches of their own, without a span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Oversized {
    /// The first byte, in the decompressed source.
    pub offset: u64,
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The first of them, at most [`Oversized::HEAD`].
    pub head: Vec<u8>,
}

impl Oversized {
    /// The most bytes of a game that are reported, though it is too long.
    pub const HEAD: usize = 1 << 20;
}

/// The bytes of a batch that is a part of a game that is too long; its last part may have fewer.
const PART: usize = 1 << 20;
/// A span of so many bytes begins a batch.
const LARGE: usize = 1 << 20;

/// Some spans in a row with their text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Batch {
    /// The number of the source, as given to [`Splitter::new`].
    pub source: u32,
    /// The bytes that the spans point into.
    pub text: Vec<u8>,
    /// The spans, in order.
    pub spans: Vec<GameSpan>,
    /// The game that was too long and ends with this batch; its text, and that of the batches before it that are
    /// `open`, is the game's.
    pub oversized: Option<Oversized>,
    /// Whether the text is a part of a game that is too long and goes on in the next batch.
    pub open: bool,
    /// The first byte after the batch, in the decompressed source.
    pub end: u64,
}

/// More room than this is not kept for other text.
const MOST_KEPT: usize = 4 << 20;

// Room for text that is not needed any more, for the next one: to get new pages takes as long as to read into them.
thread_local! {
    static ROOM_KEPT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Keeps the room of a text for the next one that is read on this thread.
fn keep_room(text: Vec<u8>) {
    ROOM_KEPT.with(|kept| {
        let before = kept.take();
        let larger = text.capacity() > before.capacity() && text.capacity() <= MOST_KEPT;
        kept.set(if larger { text } else { before });
    });
}

/// Returns an empty text with room for so many bytes.
fn room(bytes: usize) -> Vec<u8> {
    let mut text = ROOM_KEPT.take();
    text.clear();
    if text.capacity() < bytes {
        text = Vec::with_capacity(bytes);
    }
    text
}

impl Batch {
    /// Lets go of a batch; what its text took is used for the next one that is read on this thread.
    pub fn recycle(self) {
        keep_room(self.text);
    }

    /// Returns the bytes of a span of this batch.
    pub fn span(&self, span: &GameSpan) -> &[u8] {
        slice(&self.text, span.start, span.end)
    }

    /// Returns the line, from 1, of a fault at `offset` bytes into the span.
    pub fn line_of(&self, span: &GameSpan, offset: usize) -> u64 {
        span.line + self.lines(span, 0, offset)
    }

    /// Returns how many lines end between two offsets into the span, in bytes.
    pub fn lines(&self, span: &GameSpan, start: usize, end: usize) -> u64 {
        count_lines(slice(self.span(span), start, end))
    }
}

/// A checkpoint in a source between two batches, and what has been learnt of the bytes before it.
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    /// How many bytes come before it, decompressed.
    pub offset: u64,
    /// The line that begins there, from 1.
    pub line: u64,
    /// The SHA-256 of the bytes before it.
    pub hash: Sha256,
}

/// Cuts a stream into spans. Memory is bounded by the limits on a game and a comment, and a few MiB, whatever the
/// stream holds.
pub struct Splitter<R> {
    reader: R,
    source: u32,
    limits: ReadLimits,
    /// How many bytes are read at once.
    step: usize,
    ended: bool,
    failed: Option<io::Error>,

    /// Bytes read, with room for more.
    buffer: Vec<u8>,
    /// Where the span begins that is being scanned: in the buffer, in the source, and its line.
    span: usize,
    offset: u64,
    line: u64,
    /// How many bytes of the buffer that span has, where its end has been found.
    found: Option<usize>,
    /// Bytes and line ends of that span that have been given out, because it is too long.
    given: u64,
    given_lines: u64,
    /// Whether there were only blanks among them.
    given_blank: bool,
    /// The hash of everything before `hashed` in the buffer.
    hash: Sha256,
    hashed: usize,
    /// The beginning of that span, if bytes of it have been given out.
    head: Vec<u8>,
    spans: Vec<GameSpan>,
    scan: Scan,
}

/// The least room for a read.
const ROOM: usize = 64 << 10;

impl<R: Read> Splitter<R> {
    /// Starts at the beginning of a source; `source` is the caller's number for it.
    pub fn new(reader: R, source: u32, limits: ReadLimits) -> Splitter<R> {
        Splitter {
            reader,
            source,
            limits,
            step: ROOM,
            ended: false,
            failed: None,
            buffer: room(0),
            span: 0,
            offset: 0,
            line: 1,
            found: None,
            given: 0,
            given_lines: 0,
            given_blank: true,
            hash: Sha256::new(),
            hashed: 0,
            head: Vec::new(),
            spans: Vec::new(),
            scan: Scan::new(0),
        }
    }

    /// Goes on where an earlier splitter of the same source was at `checkpoint`, from which `reader` gives the bytes:
    /// the batches are the same.
    pub fn resume(reader: R, source: u32, limits: ReadLimits, checkpoint: Checkpoint) -> Splitter<R> {
        let Checkpoint { offset, line, hash } = checkpoint;
        let mut splitter = Splitter::new(reader, source, limits);
        (splitter.offset, splitter.line, splitter.hash) = (offset, line, hash);
        splitter
    }

    /// Returns the checkpoint after the last batch; at the end of the source, its end. After a batch that is
    /// [`open`](Batch::open) there is none to go on from.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { offset: self.offset, line: self.line, hash: self.hash.clone() }
    }

    /// Returns the next whole spans, together at least `target_bytes` long; fewer before a long one and at the end of
    /// the source, where blanks may come without a span, and then `None`. A game that is too long comes in batches of
    /// its own.
    ///
    /// A read error comes after the spans before it; the span that it cut off is not given.
    pub fn next_batch(&mut self, target_bytes: usize) -> io::Result<Option<Batch>> {
        self.step = target_bytes.clamp(ROOM, 1 << 20);
        loop {
            if let Some(length) = self.found {
                let oversized = self.is_oversized(length);
                if self.span > 0 && (oversized || length >= LARGE && !self.spans.is_empty()) {
                    return Ok(Some(self.take()));
                }
                if oversized {
                    return Ok(Some(self.give(Some(length))));
                }
                self.cut(self.span + length);
                // Where there are blanks alone, they are no span.
                if self.span >= target_bytes && (!self.spans.is_empty() || self.span >= PART) {
                    return Ok(Some(self.take()));
                }
            }
            match self.step() {
                Step::On => {}
                Step::Cut(at) => self.found = Some(at - self.span),
                Step::More if !self.ended => {
                    let scanned = self.scan.at.saturating_sub(REACH + self.span);
                    if scanned >= PART && self.is_oversized(scanned) {
                        return Ok(Some(if self.span > 0 { self.take() } else { self.give(None) }));
                    }
                    self.fill();
                }
                Step::More => {
                    if self.failed.is_none() && self.span < self.buffer.len() {
                        self.found = Some(self.buffer.len() - self.span);
                        continue;
                    }
                    // Blanks at the end of a source belong to it, too.
                    let blanks = self.span > 0 && self.failed.is_none();
                    if !self.spans.is_empty() || blanks {
                        return Ok(Some(self.take()));
                    }
                    self.hash_to(self.span);
                    self.buffer.truncate(self.span);
                    self.scan = Scan::new(self.span);
                    return self.failed.take().map_or(Ok(None), Err);
                }
            }
        }
    }

    /// Returns whether the span is too long if so many bytes of the buffer belong to it.
    fn is_oversized(&self, length: usize) -> bool {
        self.given + length as u64 > self.limits.max_game_bytes as u64
    }

    fn fill(&mut self) {
        // Little more than a batch, as what is left over is copied; of a span that is much longer, as much again.
        let room = match self.step.checked_sub(self.buffer.len()) {
            Some(missing) => missing.max(ROOM),
            None if self.buffer.len() < 2 * self.step => ROOM,
            None => self.step,
        };
        self.buffer.reserve_exact(room);
        let begin = self.buffer.len();
        let (mut filled, end) = (begin, begin + room);
        while filled < end {
            // Of a short source's room no more is touched than is read.
            self.buffer.resize((filled + ROOM).min(end), 0);
            match self.reader.read(self.buffer.get_mut(filled..).unwrap_or_default()) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        self.buffer.truncate(filled);
        self.ended = self.failed.is_some() || filled == begin;
    }

    /// Hashes what stands before `end` and has not been hashed.
    fn hash_to(&mut self, end: usize) {
        self.hash.update(slice(&self.buffer, self.hashed, end));
        self.hashed = self.hashed.max(end);
    }

    /// Ends the span at `at` and begins the next one there.
    fn cut(&mut self, at: usize) {
        let text = slice(&self.buffer, self.span, at);
        if !is_all_blank(text) {
            self.spans.push(GameSpan { start: self.span, end: at, offset: self.offset, line: self.line });
        }
        self.offset += text.len() as u64;
        self.line += count_lines(text);
        self.scan.begin(at);
        (self.span, self.found) = (at, None);
    }

    /// Gives out the next part of a span that is too long and begins the buffer; `length` of its bytes are there where
    /// its end has been found, else more than a part.
    fn give(&mut self, length: Option<usize>) -> Batch {
        let count = length.map_or(PART, |length| length.min(PART));
        self.hash_to(count);
        let text = slice(&self.buffer, 0, count).to_vec();
        // A CR and its LF are one line end.
        let parted = text.last() == Some(&b'\r') && from(&self.buffer, count).first() == Some(&b'\n');
        self.given_lines += count_lines(&text) - u64::from(parted);
        self.given_blank &= text.iter().all(|byte| is_blank(*byte) || BOM.contains(byte));
        self.given += count as u64;
        let head = Oversized::HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(slice(&text, 0, head));
        self.buffer.drain(..count);
        self.hashed -= count;
        self.scan.back(count);
        let open = length != Some(count);
        self.found = length.map(|length| length - count).filter(|_| open);
        let (offset, line, bytes) = (self.offset, self.line, self.given);
        let mut oversized = None;
        if !open {
            let head = std::mem::take(&mut self.head);
            let blank = std::mem::replace(&mut self.given_blank, true);
            oversized = (!blank).then_some(Oversized { offset, line, bytes, head });
            self.offset += bytes;
            self.line += self.given_lines;
            (self.given, self.given_lines) = (0, 0);
            self.scan.begin(0);
        }
        Batch { source: self.source, text, spans: Vec::new(), oversized, open, end: offset + bytes }
    }

    /// Returns what has been cut so far and keeps the rest.
    fn take(&mut self) -> Batch {
        self.hash_to(self.span);
        self.hashed = 0;
        let kept = from(&self.buffer, self.span);
        let mut rest = room(kept.len() + if self.ended { 0 } else { self.step + 2 * ROOM });
        rest.extend_from_slice(kept);
        let mut text = std::mem::replace(&mut self.buffer, rest);
        text.truncate(self.span);
        self.scan.back(self.span);
        self.span = 0;
        Batch {
            source: self.source,
            text,
            spans: std::mem::take(&mut self.spans),
            oversized: None,
            open: false,
            end: self.offset,
        }
    }

    fn step(&mut self) -> Step {
        let text = self.buffer.as_slice();
        let view = View {
            text,
            ended: self.ended,
            span: self.span,
            given: self.given,
            longest_comment: self.limits.max_comment_bytes,
        };
        view.advance(&mut self.scan)
    }
}

impl<R> Drop for Splitter<R> {
    fn drop(&mut self) {
        keep_room(std::mem::take(&mut self.buffer));
    }
}

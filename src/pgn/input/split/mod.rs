//! Splits a stream of PGN bytes into spans of one game each, in order, at the speed of a byte search.
//!
//! The cuts depend only on the bytes, never on the sizes of reads. The splitter cuts before a tag pair that begins a
//! line after movetext. It cuts before an Event tag that begins a line after tags and an empty line. It never cuts
//! within a comment, unless the comment was evidently never closed. It also cuts after 64 KiB of consecutive blanks,
//! which occur in padded and incompletely written files. Games without tags stay together in a span of up to a few KiB.
//!
//! A game beyond the size limit is never held in memory. Its bytes are returned in parts, and its description at its
//! end.

use crate::pgn::bytes::{BOM, count_lines, from, is_all_blank, is_blank, slice};
use crate::pgn::limits::ReadLimits;
use scan::{REACH, Scan, Step, View};
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::io::{self, Read};

mod scan;

/// The position of a game in a [`Batch`] and in its source. The span may contain several games without tags.
///
/// [`Splitter`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameSpan {
    /// The first byte, in the batch's text.
    pub start: usize,
    /// The first byte after it, in the batch's text.
    pub end: usize,
    /// The first byte, in the decompressed source.
    pub offset: u64,
    /// The line of its first byte, from 1.
    pub line: u64,
}

/// A game longer than the limit. Its bytes were returned in separate batches, without a span.
///
/// ```
/// use scoresheet::pgn::{ReadLimits, Splitter};
///
/// let limits = ReadLimits { max_game_bytes: 16, ..ReadLimits::default() };
/// let mut splitter = Splitter::new(&b"1. e4 {a comment beyond the limit} *\n"[..], 0, limits);
/// let batch = splitter.next_batch(1 << 20)?.expect("a batch");
/// let oversized = batch.oversized.expect("an oversized game");
/// assert_eq!((oversized.offset, oversized.bytes, batch.spans.len()), (0, 37, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Oversized {
    /// The first byte, in the decompressed source.
    pub offset: u64,
    /// The line of its first byte, from 1.
    pub line: u64,
    /// The length of the game in bytes.
    pub bytes: u64,
    /// The first bytes of the game, at most [`Oversized::HEAD`].
    pub head: Vec<u8>,
}

impl Oversized {
    /// The maximum number of bytes of an oversized game that are reported.
    pub const HEAD: usize = 1 << 20;
}

/// The size of a batch that is a part of an oversized game. The last part may be smaller.
const PART: usize = 1 << 20;
/// A span of at least this size begins a new batch.
const LARGE: usize = 1 << 20;

/// Consecutive spans with their text.
///
/// [`Splitter`] has an example.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Batch {
    /// The number of the source, as given to [`Splitter::new`].
    pub source: u32,
    /// The bytes that contain the spans.
    pub text: Vec<u8>,
    /// The spans, in order.
    pub spans: Vec<GameSpan>,
    /// The oversized game that ends with this batch. It consists of the text in this batch and in the preceding `open`
    /// batches.
    pub oversized: Option<Oversized>,
    /// Whether the text is a part of an oversized game that continues in the next batch.
    pub open: bool,
    /// The first byte after the batch, in the decompressed source.
    pub end: u64,
}

/// The maximum capacity of a buffer that is kept for reuse.
const MOST_KEPT: usize = 4 << 20;

// A finished text buffer is reused for the next batch on this thread. Getting new memory pages takes as long as reading
// into them.
thread_local! {
    static ROOM_KEPT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Keeps the buffer of a text for the next batch on this thread.
fn keep_room(text: Vec<u8>) {
    ROOM_KEPT.with(|kept| {
        let before = kept.take();
        let larger = text.capacity() > before.capacity() && text.capacity() <= MOST_KEPT;
        kept.set(if larger { text } else { before });
    });
}

/// Returns an empty buffer with capacity for `bytes` bytes.
fn room(bytes: usize) -> Vec<u8> {
    let mut text = ROOM_KEPT.take();
    text.clear();
    if text.capacity() < bytes {
        text = Vec::with_capacity(bytes);
    }
    text
}

impl Batch {
    /// Drops a batch, and reuses its buffer for the next batch on this thread.
    pub fn recycle(self) {
        keep_room(self.text);
    }

    /// Returns the bytes of a span in this batch.
    pub fn span(&self, span: &GameSpan) -> &[u8] {
        slice(&self.text, span.start, span.end)
    }

    /// Returns the line, from 1, of a fault at `offset` bytes into the span.
    pub fn line_of(&self, span: &GameSpan, offset: usize) -> u64 {
        span.line + self.lines(span, 0, offset)
    }

    /// Returns the number of line ends between two byte offsets in the span.
    pub fn lines(&self, span: &GameSpan, start: usize, end: usize) -> u64 {
        count_lines(slice(self.span(span), start, end))
    }
}

/// A position in a source between two batches, with the state of the bytes before it.
///
/// [`Splitter`] has an example.
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    /// The number of decompressed bytes before it.
    pub offset: u64,
    /// The line that begins at the position, from 1.
    pub line: u64,
    /// The SHA-256 of the bytes before it.
    pub hash: Sha256,
}

/// Splits a stream into spans. The limits of a game and a comment, plus a few MiB, bound its memory for any stream.
///
/// ```
/// use scoresheet::Game;
/// use scoresheet::pgn::{GameSpan, ReadLimits, ReadOptions, Splitter, read_game};
///
/// let text = "[White \"Tal\"]\n\n1. e4 *\n\n[White \"Keres\"]\n\n1. d4 *\n";
/// let mut splitter = Splitter::new(text.as_bytes(), 0, ReadLimits::default());
/// let mut found = Vec::new();
/// while let Some(batch) = splitter.next_batch(1 << 20)? {
///     for span in &batch.spans {
///         let mut game = Game::default();
///         read_game(batch.span(span), 0, &ReadOptions::default(), &mut game);
///         let GameSpan { offset, line, .. } = *span;
///         found.push((offset, line, game.tag("White").map(str::to_owned)));
///     }
/// }
/// assert_eq!(found, [(0, 1, Some("Tal".to_owned())), (24, 5, Some("Keres".to_owned()))]);
/// assert_eq!(splitter.checkpoint().offset, text.len() as u64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Splitter<R> {
    reader: R,
    source: u32,
    limits: ReadLimits,
    /// The number of bytes per read.
    step: usize,
    ended: bool,
    failed: Option<io::Error>,

    /// The bytes that have been read, and room for more.
    buffer: Vec<u8>,
    /// The start of the current span: in the buffer, in the source, and its line.
    span: usize,
    offset: u64,
    line: u64,
    /// The length of the current span in the buffer, if its end is known.
    found: Option<usize>,
    /// The bytes and line ends of the current span that were already returned because it is oversized.
    given: u64,
    given_lines: u64,
    /// Whether the returned bytes were only blanks.
    given_blank: bool,
    /// The hash of everything before `hashed` in the buffer.
    hash: Sha256,
    hashed: usize,
    /// The first bytes of the current span, if bytes of the span were already returned.
    head: Vec<u8>,
    spans: Vec<GameSpan>,
    scan: Scan,
}

/// The minimum room for a read.
const ROOM: usize = 64 << 10;

impl<R: Read> Splitter<R> {
    /// Returns a splitter at the beginning of a source. `source` is the caller's number of the source.
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

    /// Continues where an earlier splitter of the same source was at `checkpoint`, and returns the same batches.
    /// `reader` begins at that position.
    pub fn resume(reader: R, source: u32, limits: ReadLimits, checkpoint: Checkpoint) -> Splitter<R> {
        let Checkpoint { offset, line, hash } = checkpoint;
        let mut splitter = Splitter::new(reader, source, limits);
        (splitter.offset, splitter.line, splitter.hash) = (offset, line, hash);
        splitter
    }

    /// Returns the checkpoint after the last batch, or the end of the source. There is none after an
    /// [`open`](Batch::open) batch.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { offset: self.offset, line: self.line, hash: self.hash.clone() }
    }

    /// Returns the next complete spans, with a total length of at least `target_bytes`. There may be fewer before a
    /// long span and at the end of the source. An oversized game is returned in separate batches. At the end, a batch
    /// may contain only blanks; `None` follows.
    ///
    /// A read error is returned after the preceding spans. The span that it truncates is not returned.
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
                // Blanks alone are not a span.
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
                    // Blanks at the end of a source also belong to the source.
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

    /// Returns whether the span is oversized if it extends to `length` bytes of the buffer.
    fn is_oversized(&self, length: usize) -> bool {
        self.given + length as u64 > self.limits.max_game_bytes as u64
    }

    fn fill(&mut self) {
        // Slightly more than a batch is read, because the rest is copied. If a span is much longer, the buffer doubles.
        let room = match self.step.checked_sub(self.buffer.len()) {
            Some(missing) => missing.max(ROOM),
            None if self.buffer.len() < 2 * self.step => ROOM,
            None => self.step,
        };
        self.buffer.reserve_exact(room);
        let begin = self.buffer.len();
        let (mut filled, end) = (begin, begin + room);
        while filled < end {
            // For a short source, memory beyond its bytes is not touched.
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

    /// Hashes the bytes before `end` that are not hashed yet.
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

    /// Returns the next part of an oversized span at the start of the buffer. `length` is the rest of the span if its
    /// end is known. Otherwise the buffer contains more than a part.
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

    /// Returns the finished spans and keeps the rest.
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

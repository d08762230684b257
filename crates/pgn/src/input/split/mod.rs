//! Splits a stream of PGN bytes into spans, usually of one game each, in order, at the speed of a byte search.
//!
//! The cuts depend only on the bytes, and never on the sizes of the reads. The splitter cuts before a tag pair that
//! begins a line after movetext. It cuts before an Event tag that begins a line after tags and an empty line. It never
//! cuts within a comment, unless the comment was evidently never closed. It also cuts after 64 KiB of consecutive
//! blanks, which occur in padded and incompletely written files. Games without tags stay together in a span of up to a
//! few KiB.
//!
//! A game that exceeds the size limit is never completely in memory. Its bytes are returned in parts, and its
//! description follows with the last part.

use crate::bytes::{BOM, count_lines, from, is_all_blank, is_blank, slice};
use crate::limits::ReadLimits;
use complete::complete_games;
use scan::{REACH, Scan, Step, View};
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::io::{self, Read};

mod complete;
mod scan;

/// The location of a game in a [`Batch`] and in its source. A span may contain several games if they have no tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameSpan {
    /// The offset of the first byte in the text of the batch.
    pub start: usize,
    /// The offset after the last byte in the text of the batch.
    pub end: usize,
    /// The offset of the first byte in the decompressed source.
    pub offset: u64,
    /// The line that contains the first byte, from 1.
    pub line: u64,
}

/// A game that exceeds the size limit. The bytes of the game were returned in separate batches, without a span.
///
/// ```
/// use scoresheet_pgn::{ReadLimits, Splitter};
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
    /// The offset of the game's first byte in the decompressed source.
    pub offset: u64,
    /// The line that contains the game's first byte, from 1.
    pub line: u64,
    /// The length of the game in bytes.
    pub bytes: u64,
    /// The first bytes of the game, up to [`Oversized::HEAD`] bytes.
    pub head: Vec<u8>,
}

impl Oversized {
    /// The maximum number of bytes in `head`.
    pub const HEAD: usize = 1 << 20;
}

/// The size of a batch that contains a part of an oversized game. The last part may be smaller.
const PART: usize = 1 << 20;
/// The size of a span from which it begins a new batch.
const LARGE: usize = 1 << 20;

/// Consecutive spans, with the text that contains them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Batch {
    /// The number of the source, as passed to [`Splitter::new`].
    pub source: u32,
    /// The bytes that contain the spans.
    pub text: Vec<u8>,
    /// The spans, in order.
    pub spans: Vec<GameSpan>,
    /// The oversized game that ends with this batch. The game consists of the text in this batch and in the preceding
    /// `open` batches.
    pub oversized: Option<Oversized>,
    /// Whether the text is a part of an oversized game that the next batch continues.
    pub open: bool,
    /// The offset after the batch in the decompressed source.
    pub end: u64,
    /// Whether each span is a line of a list of positions, for [`read_position`](crate::read_position).
    pub is_positions: bool,
}

/// The maximum capacity of a buffer that is reused.
const MOST_KEPT: usize = 4 << 20;

// The next batch on the same thread reuses the text buffer of a finished batch. Allocating new memory pages would take
// as long as reading into them.
thread_local! {
    static ROOM_KEPT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Keeps the buffer of a text for reuse by the next batch on this thread.
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
    /// Drops a batch, and keeps its buffer for reuse by the next batch on this thread.
    pub fn recycle(self) {
        keep_room(self.text);
    }

    /// Returns the bytes of a span in this batch.
    pub fn span(&self, span: &GameSpan) -> &[u8] {
        slice(&self.text, span.start, span.end)
    }

    /// Returns the line, from 1, of a fault that is `offset` bytes after the start of the span.
    pub fn line_of(&self, span: &GameSpan, offset: usize) -> u64 {
        span.line + self.lines(span, 0, offset)
    }

    /// Returns the number of line endings between two byte offsets in the span.
    pub fn lines(&self, span: &GameSpan, start: usize, end: usize) -> u64 {
        count_lines(slice(self.span(span), start, end))
    }
}

/// A position between two batches of a source, with the state of the bytes before it.
///
/// [`Splitter`] has an example.
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    /// The number of decompressed bytes before the position.
    pub offset: u64,
    /// The line that begins at the position, from 1.
    pub line: u64,
    /// The SHA-256 of the bytes before the position.
    pub hash: Sha256,
}

/// Splits a stream of bytes into spans. For any stream, the memory is limited to the limits of a game and a comment,
/// plus a few MiB.
///
/// ```
/// use scoresheet_pgn::game::Game;
/// use scoresheet_pgn::{GameSpan, ReadLimits, ReadOptions, Splitter, read_game};
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
    /// The number of bytes to request per read.
    step: usize,
    ended: bool,
    failed: Option<io::Error>,

    /// The bytes that have been read, followed by space for more bytes.
    buffer: Vec<u8>,
    /// The start of the current span: its offsets in the buffer and in the source, and its line.
    span: usize,
    offset: u64,
    line: u64,
    /// The length of the current span in the buffer, once its end has been found.
    found: Option<usize>,
    /// The numbers of bytes and line endings of the current span that have been returned, because the span is
    /// oversized.
    given: u64,
    given_lines: u64,
    /// Whether the returned bytes consisted only of blanks.
    given_blank: bool,
    /// The hash of all bytes before `hashed` in the buffer, including returned bytes.
    hash: Sha256,
    hashed: usize,
    /// The first bytes of the current span, if bytes of this span have been returned.
    head: Vec<u8>,
    spans: Vec<GameSpan>,
    scan: Scan,
}

/// The minimum number of bytes to request per read.
const ROOM: usize = 64 << 10;

impl<R: Read> Splitter<R> {
    /// Returns a splitter that starts at the beginning of a source. `source` is the number that the caller assigns to
    /// the source.
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

    /// Returns a splitter that continues at `checkpoint` of an earlier splitter of the same source, and returns the
    /// same batches as that splitter. `reader` must begin at the position of the checkpoint.
    pub fn resume(reader: R, source: u32, limits: ReadLimits, checkpoint: Checkpoint) -> Splitter<R> {
        let Checkpoint { offset, line, hash } = checkpoint;
        let mut splitter = Splitter::new(reader, source, limits);
        (splitter.offset, splitter.line, splitter.hash) = (offset, line, hash);
        splitter
    }

    /// Returns the checkpoint after the last batch, or at the end of the source. The result has no meaning after an
    /// [`open`](Batch::open) batch.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { offset: self.offset, line: self.line, hash: self.hash.clone() }
    }

    /// Returns the next complete spans, whose total length is at least `target_bytes`. The total length may be smaller
    /// before a long span and at the end of the source. An oversized game is returned in separate batches. At the end
    /// of the source, a batch may contain only blanks. After the end, returns `None`.
    ///
    /// A read error is returned after the games that precede it, including the last game if its termination marker was
    /// read. A game that the error truncates is not returned.
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
                // Blanks without a game do not form a span.
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
                    let rest = from(&self.buffer, self.span);
                    let length = match self.failed {
                        None => rest.len(),
                        Some(_) if self.given > 0 => 0,
                        Some(_) => complete_games(rest, self.limits),
                    };
                    if length > 0 {
                        self.found = Some(length);
                        continue;
                    }
                    // Blanks at the end of a source also belong to the source, so they are returned.
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

    /// Returns whether the span would be oversized if it extended over `length` bytes of the buffer.
    fn is_oversized(&self, length: usize) -> bool {
        self.given + length as u64 > self.limits.max_game_bytes as u64
    }

    fn fill(&mut self) {
        // Only slightly more than a batch is read, because the remaining bytes must be copied. If a span is much
        // longer, the buffer doubles in size.
        let room = match self.step.checked_sub(self.buffer.len()) {
            Some(missing) => missing.max(ROOM),
            None if self.buffer.len() < 2 * self.step => ROOM,
            None => self.step,
        };
        self.buffer.reserve_exact(room);
        let begin = self.buffer.len();
        let (mut filled, end) = (begin, begin + room);
        while filled < end {
            // For a short source, memory beyond the bytes of the source is not touched.
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

    /// Adds the bytes before `end` to the hash, except those already hashed.
    fn hash_to(&mut self, end: usize) {
        self.hash.update(slice(&self.buffer, self.hashed, end));
        self.hashed = self.hashed.max(end);
    }

    /// Ends the current span at `at` and begins the next span there.
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

    /// Returns the next part of an oversized span at the start of the buffer. `length` is the remaining length of the
    /// span if its end is known. Otherwise, the buffer contains more bytes than a part.
    fn give(&mut self, length: Option<usize>) -> Batch {
        let count = length.map_or(PART, |length| length.min(PART));
        self.hash_to(count);
        let text = slice(&self.buffer, 0, count).to_vec();
        // A CR and the LF after it are a single line ending.
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
        Batch {
            source: self.source,
            text,
            spans: Vec::new(),
            oversized,
            open,
            end: offset + bytes,
            is_positions: false,
        }
    }

    /// Returns the finished spans, and keeps the remaining bytes in the buffer.
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
            is_positions: false,
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

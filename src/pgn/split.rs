//! A stream of PGN bytes cut into regions of one game each, in order, at the speed of a search for a byte.
//!
//! Where the cuts fall depends on the bytes alone, never on how they arrive. A cut falls before a tag pair that begins a line after
//! movetext, and before an Event tag that begins a line after tags and an empty line; not within a comment, unless that comment shows
//! itself as one that was never closed. Games without tags stay together in a region, up to a few KiB.

use super::bytes::{count_lines, is_all_blank, slice};
use super::limits::Limits;
use scan::{REACH, Scan, Step, View};
use sha2::{Digest, Sha256};
use std::io::{self, Read};

mod scan;

/// The place of a game in a [`Piece`] and in its source. It may hold several games, if they have no tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// The first byte, in the piece's text.
    pub start: usize,
    /// The first byte behind it, in the piece's text.
    pub end: usize,
    /// The first byte, in the decompressed source.
    pub offset: u64,
    /// The line it begins on, from 1.
    pub line: u64,
}

/// A game that is longer than the limit; of its text only the beginning is kept.
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
    /// How many regions of the piece come before it.
    pub before: usize,
}

impl Oversized {
    /// The most bytes of a game that are kept, though it is too long.
    pub const HEAD: usize = 1 << 20;
}

/// Some regions in a row with their text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Piece {
    /// The number of the source, as given to [`Splitter::new`].
    pub source: u32,
    /// The bytes that the regions point into.
    pub text: Vec<u8>,
    /// The regions, in order.
    pub regions: Vec<Region>,
    /// The games that were too long, in order.
    pub oversized: Vec<Oversized>,
    /// The first byte behind the piece, in the decompressed source.
    pub end: u64,
}

impl Piece {
    /// Returns the bytes of a region of this piece.
    pub fn region(&self, region: &Region) -> &[u8] {
        slice(&self.text, region.start, region.end)
    }

    /// Returns the line, from 1, of a fault at `offset` bytes into the region.
    pub fn line_of(&self, region: &Region, offset: usize) -> u64 {
        region.line + count_lines(slice(self.region(region), 0, offset))
    }
}

/// A place in a source between two pieces, and what has been learnt of the bytes before it.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// How many bytes come before it, decompressed.
    pub offset: u64,
    /// The line that begins there, from 1.
    pub line: u64,
    /// The SHA-256 of the bytes before it.
    pub hash: Sha256,
}

/// Cuts a stream into regions. Memory is bounded by the limits on a game and a comment, whatever the stream holds.
pub struct Splitter<R> {
    reader: R,
    source: u32,
    limits: Limits,
    /// How many bytes are read at once.
    step: usize,
    ended: bool,
    failed: Option<io::Error>,

    /// Bytes read, up to `filled`, and room for more.
    buffer: Vec<u8>,
    filled: usize,
    /// Where the region begins that is being scanned: in the buffer, in the source, and its line.
    region: usize,
    offset: u64,
    line: u64,
    /// Bytes and line ends of that region that are no longer in the buffer, because it is too long.
    dropped: u64,
    dropped_lines: u64,
    /// The hash of everything before `hashed` in the buffer.
    hash: Sha256,
    hashed: usize,
    /// The beginning of that region, if bytes of it have been dropped.
    head: Vec<u8>,
    regions: Vec<Region>,
    oversized: Vec<Oversized>,
    scan: Scan,
}

/// The least room for a read.
const ROOM: usize = 64 << 10;

impl<R: Read> Splitter<R> {
    /// Starts at the beginning of a source; `source` is the caller's number for it.
    pub fn new(reader: R, source: u32, limits: Limits) -> Splitter<R> {
        Splitter {
            reader,
            source,
            limits,
            step: ROOM,
            ended: false,
            failed: None,
            buffer: Vec::new(),
            filled: 0,
            region: 0,
            offset: 0,
            line: 1,
            dropped: 0,
            dropped_lines: 0,
            hash: Sha256::new(),
            hashed: 0,
            head: Vec::new(),
            regions: Vec::new(),
            oversized: Vec::new(),
            scan: Scan::new(0),
        }
    }

    /// Goes on where an earlier splitter of the same source was at `place`, from which `reader` gives the bytes: the pieces are the same.
    pub fn resume(reader: R, source: u32, limits: Limits, place: Place) -> Splitter<R> {
        let Place { offset, line, hash } = place;
        Splitter { offset, line, hash, ..Splitter::new(reader, source, limits) }
    }

    /// Returns the place behind the last piece; at the end of the source, its end.
    pub fn place(&self) -> Place {
        Place { offset: self.offset, line: self.line, hash: self.hash.clone() }
    }

    /// Returns the next whole regions, together at least `target_bytes` long; fewer only at the end of the source, where blanks may come
    /// without a region, and then `None`.
    ///
    /// A read error comes after the regions before it; the region that it cut off is not given.
    pub fn next_piece(&mut self, target_bytes: usize) -> io::Result<Option<Piece>> {
        self.step = target_bytes.clamp(ROOM, 1 << 20);
        loop {
            match self.step() {
                Step::On => {}
                Step::Cut(at) => {
                    self.cut(at);
                    if self.region >= target_bytes && !self.regions.is_empty() || self.has_many_oversized() {
                        return Ok(Some(self.take()));
                    }
                }
                Step::More if !self.ended => self.fill(),
                Step::More => {
                    if self.failed.is_none() {
                        self.cut(self.filled);
                    }
                    // Blanks at the end of a source belong to it, too.
                    let blanks = self.region > 0 && self.failed.is_none();
                    if !self.regions.is_empty() || !self.oversized.is_empty() || blanks {
                        return Ok(Some(self.take()));
                    }
                    self.hash_to(self.region);
                    self.filled = self.region;
                    self.scan = Scan::new(self.region);
                    return self.failed.take().map_or(Ok(None), Err);
                }
            }
        }
    }

    fn fill(&mut self) {
        self.drop_scanned();
        // Little more than a piece, as what is left over is copied; of a region that is much longer, as much again.
        let room = match self.step.checked_sub(self.filled) {
            Some(missing) => missing.max(ROOM),
            None if self.filled < 2 * self.step => ROOM,
            None => self.step,
        };
        let end = self.filled + room;
        if self.buffer.is_empty() {
            // Zeros that come from the system, not written here.
            self.buffer = vec![0; end + ROOM];
        } else if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        let room = self.buffer.get_mut(self.filled..end).unwrap_or_default();
        let count = loop {
            match self.reader.read(room) {
                Ok(count) => break count.min(room.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = Some(error);
                    break 0;
                }
            }
        };
        self.ended = count == 0;
        self.filled += count;
    }

    /// Lets go of what has been scanned of a region that is too long already.
    fn drop_scanned(&mut self) {
        let end = self.scan.at.saturating_sub(REACH);
        let Some(scanned) = end.checked_sub(self.region) else { return };
        if scanned < REACH || self.dropped + scanned as u64 <= self.limits.max_game_bytes as u64 {
            return;
        }
        // A CR must not part from its LF, lest it count as a line end of its own.
        let count = match slice(&self.buffer, self.region, end) {
            [.., b'\r'] => scanned - 1,
            _ => scanned,
        };
        self.keep_head(self.region + count);
        self.hash_to(self.region + count);
        self.dropped += count as u64;
        self.dropped_lines += count_lines(slice(&self.buffer, self.region, self.region + count));
        self.remove(self.region, count);
    }

    /// Adds what stands before `end` to the beginning of the region that is kept.
    fn keep_head(&mut self, end: usize) {
        let text = slice(&self.buffer, self.region, end);
        let room = Oversized::HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(slice(text, 0, room));
    }

    fn has_many_oversized(&self) -> bool {
        self.oversized.len() >= 1000
            || self.oversized.iter().map(|game| game.head.len()).sum::<usize>() >= Oversized::HEAD
    }

    /// Hashes what stands before `end` and has not been hashed.
    fn hash_to(&mut self, end: usize) {
        self.hash.update(slice(&self.buffer, self.hashed, end));
        self.hashed = self.hashed.max(end);
    }

    /// Takes bytes before the scan, which have been hashed, out of the buffer.
    fn remove(&mut self, start: usize, count: usize) {
        self.buffer.drain(start..start + count);
        self.filled -= count;
        self.hashed -= count;
        self.scan.back(count);
    }

    /// Ends the region at `at` and begins the next one there.
    fn cut(&mut self, at: usize) {
        let text = slice(&self.buffer, self.region, at);
        let lines = self.dropped_lines + count_lines(text);
        let bytes = self.dropped + text.len() as u64;
        let oversized = bytes > self.limits.max_game_bytes as u64;
        if oversized {
            self.keep_head(at);
            let (before, head) = (self.regions.len(), std::mem::take(&mut self.head));
            self.oversized.push(Oversized { offset: self.offset, line: self.line, bytes, head, before });
        } else if !is_all_blank(text) {
            self.regions.push(Region { start: self.region, end: at, offset: self.offset, line: self.line });
        }
        self.offset += bytes;
        self.line += lines;
        (self.dropped, self.dropped_lines) = (0, 0);
        self.scan.begin(at);
        if oversized {
            self.hash_to(at);
            self.remove(self.region, at - self.region);
        } else {
            self.region = at;
        }
    }

    /// Returns what has been cut so far and keeps the rest.
    fn take(&mut self) -> Piece {
        self.hash_to(self.region);
        self.hashed = 0;
        let kept = slice(&self.buffer, self.region, self.filled);
        let mut rest = vec![0; kept.len() + if self.ended { 0 } else { self.step + 2 * ROOM }];
        if let Some(start) = rest.get_mut(..kept.len()) {
            start.copy_from_slice(kept);
        }
        self.filled = kept.len();
        let mut text = std::mem::replace(&mut self.buffer, rest);
        text.truncate(self.region);
        self.scan.back(self.region);
        self.region = 0;
        Piece {
            source: self.source,
            text,
            regions: std::mem::take(&mut self.regions),
            oversized: std::mem::take(&mut self.oversized),
            end: self.offset,
        }
    }

    fn step(&mut self) -> Step {
        let text = slice(&self.buffer, 0, self.filled);
        let view = View {
            text,
            ended: self.ended,
            region: self.region,
            dropped: self.dropped,
            longest_comment: self.limits.max_comment_bytes,
        };
        view.advance(&mut self.scan)
    }
}

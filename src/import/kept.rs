//! A source as it comes out: cut into games, or kept whole, as bytes that no game is read from.

use crate::pgn::{Limits, Piece, Place, Source, Splitter};
use sha2::Digest;
use std::io::{self, Read};

/// A source being read.
pub enum Reading {
    /// Games and what stands between them.
    Games(Box<Splitter<Source>>),
    /// Bytes alone.
    Whole(Box<Whole>),
}

/// A source that no game is read from.
pub struct Whole {
    source: Source,
    number: u32,
    place: Place,
}

impl Reading {
    /// Reads a source that stands at `place`; `keep` says that it is kept whole.
    pub fn of(source: Source, number: u32, place: Option<Place>, limits: Limits, keep: bool) -> Reading {
        match (keep, place) {
            (true, place) => {
                let place = place.unwrap_or(Place { line: 1, ..Place::default() });
                Reading::Whole(Box::new(Whole { source, number, place }))
            }
            (false, Some(place)) => Reading::Games(Box::new(Splitter::resume(source, number, limits, place))),
            (false, None) => Reading::Games(Box::new(Splitter::new(source, number, limits))),
        }
    }

    /// Returns the next piece, of about so many bytes; `None` at the end.
    pub fn next_piece(&mut self, bytes: usize) -> io::Result<Option<Piece>> {
        match self {
            Reading::Games(splitter) => splitter.next_piece(bytes),
            Reading::Whole(whole) => whole.next_piece(bytes),
        }
    }

    /// Returns the place after the last piece.
    pub fn place(&self) -> Place {
        match self {
            Reading::Games(splitter) => splitter.place(),
            Reading::Whole(whole) => whole.place.clone(),
        }
    }
}

impl Whole {
    fn next_piece(&mut self, bytes: usize) -> io::Result<Option<Piece>> {
        let mut text = Vec::new();
        self.source.by_ref().take(bytes.max(1) as u64).read_to_end(&mut text)?;
        if text.is_empty() {
            return Ok(None);
        }
        self.place.offset += text.len() as u64;
        self.place.line += memchr::memchr_iter(b'\n', &text).count() as u64;
        self.place.hash.update(&text);
        Ok(Some(Piece { source: self.number, end: self.place.offset, text, ..Piece::default() }))
    }
}

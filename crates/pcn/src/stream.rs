//! Reads documents, one game at a time. Reading a file with millions of games takes only the memory for one game.

use super::fault::{Path, PcnError, PcnFault};
use super::read::game;
use scoresheet_pgn::game::Game;
use serde_json::error::Category;
use std::io::{self, Read};

/// The reason why reading a document ended early.
///
/// ```
/// use scoresheet_pcn::{Games, ReadError};
///
/// let mut games = Games::new(&b"{} {"[..]);
/// assert!(matches!(games.next(), Some(Ok(_))));
/// assert!(matches!(games.next(), Some(Err(ReadError::Pcn(_)))) && games.next().is_none());
/// ```
#[derive(Debug)]
pub enum ReadError {
    /// An error from the reader.
    Io(io::Error),
    /// A fault in the document.
    Pcn(PcnError),
}

/// Reads a document that contains one game, an array of games, or consecutive games. Checks every move.
///
/// Errors contain the path of the faulty element. In an array of games, the path begins with the index of the game,
/// from 0. In a sequence of games, the path begins within the game.
///
/// ```
/// use scoresheet_pcn::{JsonLayout, parse, write};
///
/// # let mut game = scoresheet_pgn::game::Game::default();
/// # scoresheet_pgn::read_game(b"[White \"Tal\"]\n\n1. e4 e5 1-0", 0, &Default::default(), &mut game);
/// let document = write(&game, JsonLayout::Line); // 1. e4 e5 1-0
/// assert!(document.contains("\"shift\""));
/// let games = parse(document.as_bytes())?;
/// assert_eq!(games[0].moves().map(|played| played.san()).collect::<Vec<_>>(), ["e4", "e5"]);
/// assert_eq!(games[0].outcome, game.outcome);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Vec<Game>, PcnError> {
    let fault = |error| match error {
        ReadError::Pcn(error) => error,
        // Reading bytes causes no I/O errors.
        ReadError::Io(_) => Path::ROOT.error(PcnFault::Json(0, 0)),
    };
    Games::new(bytes).map(|game| game.map_err(fault)).collect()
}

/// The number of bytes to read at once.
const ROOM: usize = 128 << 10;

/// Reads the games of a document that contains one game, an array of games, or consecutive games. Checks every move.
/// The iterator ends after the first error, which is the path of the faulty element, as for [`parse`], or an error of
/// the reader.
pub struct Games<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The offset in the buffer of the first byte that has not been passed over, and its line and column, from 1.
    at: usize,
    line: usize,
    column: usize,
    /// The index of the next game in the current array.
    index: Option<usize>,
    /// Whether the reader has ended.
    is_read: bool,
    ended: bool,
}

impl<R: Read> Games<R> {
    /// Returns a reader of the games in a document.
    pub fn new(reader: R) -> Games<R> {
        Games { reader, buffer: Vec::new(), at: 0, line: 1, column: 1, index: None, is_read: false, ended: false }
    }

    /// Returns the byte at this distance from the current one, or `None` at the end of the document.
    fn peek(&mut self, distance: usize) -> Result<Option<u8>, ReadError> {
        while self.at + distance >= self.buffer.len() && !self.is_read {
            self.buffer.drain(..self.at);
            self.at = 0;
            let read = (&mut self.reader).take(ROOM as u64).read_to_end(&mut self.buffer).map_err(ReadError::Io)?;
            self.is_read = read == 0;
        }
        Ok(self.buffer.get(self.at + distance).copied())
    }

    /// Passes over bytes of the buffer.
    fn pass(&mut self, count: usize) {
        for byte in self.buffer.iter().skip(self.at).take(count) {
            (self.line, self.column) = if *byte == b'\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.at += count;
    }

    /// Passes over blanks. Returns the byte after them.
    fn after_blanks(&mut self) -> Result<Option<u8>, ReadError> {
        let mut count = 0;
        let next = loop {
            match self.peek(count)? {
                Some(b' ' | b'\t' | b'\r' | b'\n') => count += 1,
                next => break next,
            }
        };
        self.pass(count);
        Ok(next)
    }

    fn bad_json(&self) -> ReadError {
        ReadError::Pcn(Path::ROOT.error(PcnFault::Json(self.line, self.column)))
    }

    /// Returns the length of the value that begins here: up to the bracket that closes it, or to a blank or sign that
    /// ends a value without brackets.
    fn value_len(&mut self) -> Result<usize, ReadError> {
        let (mut length, mut depth, mut quoted) = (0, 0usize, false);
        while let Some(byte) = self.peek(length)? {
            match byte {
                b'\\' if quoted => length += 1,
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => break,
                b'}' | b']' => depth -= 1,
                b',' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => break,
                _ => {}
            }
            length += 1;
            if depth == 0 && matches!(byte, b'}' | b']') {
                break;
            }
        }
        Ok(length.min(self.buffer.len() - self.at))
    }

    /// Advances to the next game. Returns false at the end of the document.
    fn enter(&mut self) -> Result<bool, ReadError> {
        loop {
            let next = self.after_blanks()?;
            match (self.index, next) {
                (None, None) => return Ok(false),
                (None, Some(b'[')) => {
                    self.pass(1);
                    if self.after_blanks()? != Some(b']') {
                        self.index = Some(0);
                        return Ok(true);
                    }
                    self.pass(1);
                }
                (None, Some(_)) => return Ok(true),
                (Some(_), Some(b']')) => {
                    self.pass(1);
                    self.index = None;
                }
                (Some(index), Some(b',')) => {
                    self.pass(1);
                    self.after_blanks()?;
                    self.index = Some(index + 1);
                    return Ok(true);
                }
                (Some(_), _) => return Err(self.bad_json()),
            }
        }
    }

    fn read_game(&mut self) -> Result<Option<Game>, ReadError> {
        if !self.enter()? {
            return Ok(None);
        }
        let length = self.value_len()?;
        let text = self.buffer.get(self.at..self.at + length).unwrap_or_default();
        let value = serde_json::from_slice(text).map_err(|error| match error.classify() {
            Category::Io => ReadError::Io(error.into()),
            _ => {
                let before = if error.line() == 1 { self.column - 1 } else { 0 };
                let fault = PcnFault::Json(self.line + error.line() - 1, before + error.column());
                ReadError::Pcn(Path::ROOT.error(fault))
            }
        })?;
        let root = Path::ROOT;
        let path = self.index.map_or(root, |index| root.item(index));
        let read = game(&value, &path).map_err(ReadError::Pcn)?;
        self.pass(length);
        Ok(Some(read))
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = Result<Game, ReadError>;

    fn next(&mut self) -> Option<Result<Game, ReadError>> {
        if self.ended {
            return None;
        }
        let game = self.read_game().transpose();
        self.ended = !matches!(game, Some(Ok(_)));
        game
    }
}

//! A whole game as one self-contained string, texts and tags included (FORMAT.md, "Stand-alone strings").

use super::decode::{DecodeError, Decoder, Item, Texts};
use super::encode;
use crate::chess::fen::FenError;
use crate::chess::{Move, Position};
use crate::game::{Event, Game, Outcome, TextKind, Visitor};
use std::fmt;

/// The tags that have a letter of their own.
const LETTERS: [(u8, &str); 6] =
    [(b'W', "White"), (b'B', "Black"), (b'D', "Date"), (b'L', "Site"), (b'T', "Event"), (b'V', "Opening")];
const FEN: u8 = b'F';
const OTHER_TAG: u8 = b'X';
const COMMENT: u8 = b'C';

/// Why a string is not a stand-alone game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StandaloneError {
    /// A leading text does not begin with one of the identifying letters; the offset of the text in bytes.
    UnknownLetter(usize),
    /// A text is not UTF-8; the offset of the text in bytes.
    NotUtf8(usize),
    /// The starting position cannot be read.
    Fen(FenError),
    /// The stream is at fault.
    Stream(DecodeError),
}

impl fmt::Display for StandaloneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StandaloneError::UnknownLetter(at) => write!(f, "unknown identifying letter in the text at byte {at}"),
            StandaloneError::NotUtf8(at) => write!(f, "the text at byte {at} is not UTF-8"),
            StandaloneError::Fen(error) => error.fmt(f),
            StandaloneError::Stream(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StandaloneError {}

/// Returns the game as one string in canonical form. Comments in braces and after `;` look alike in it, and so do tokens and tails.
pub fn encode(game: &Game) -> Vec<u8> {
    let mut writer = Writer::default();
    game.visit(&mut writer);
    writer.out
}

/// Appends events to a string with inline texts.
#[derive(Default)]
struct Writer {
    out: Vec<u8>,
    moved: bool,
}

impl Visitor for Writer {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let text = match LETTERS.iter().find(|(_, tag)| tag.as_bytes() == name) {
            Some((letter, _)) => [&[*letter], value].concat(),
            None if name == b"FEN" => [&[FEN], value].concat(),
            None => [&[OTHER_TAG], name, b" ", value].concat(),
        };
        encode::push_text(&text, &mut self.out);
    }

    fn start(&mut self, _: &Position) {}

    fn play(&mut self, before: &Position, m: Move) {
        self.moved = true;
        encode::push_move(before, m, &mut self.out);
    }

    fn mark(&mut self, good: bool) {
        encode::push_mark(good, &mut self.out);
    }

    fn nag(&mut self, nag: u8) {
        encode::push_nag(nag, &mut self.out);
    }

    fn text(&mut self, _: TextKind, text: &[u8]) {
        if self.moved {
            encode::push_text(text, &mut self.out);
        } else {
            encode::push_text(&[&[COMMENT], text].concat(), &mut self.out);
        }
    }

    fn open(&mut self) {
        encode::push_open(&mut self.out);
    }

    fn close(&mut self) {
        encode::push_close(&mut self.out);
    }

    fn outcome(&mut self, outcome: Outcome) {
        encode::push_outcome(outcome, &mut self.out);
    }
}

/// Reads a stand-alone string. Every move is checked; never panics, whatever the bytes.
pub fn decode(bytes: &[u8]) -> Result<Game, StandaloneError> {
    let mut game = Game::default();
    let mut at = 0;
    while bytes.get(at) == Some(&super::TEXT) {
        let rest = &bytes[at + 1..];
        let Some(end) = memchr::memchr(super::TEXT, rest) else { break };
        let text = std::str::from_utf8(&rest[..end]).map_err(|_| StandaloneError::NotUtf8(at))?;
        let mut chars = text.chars();
        let letter = chars.next();
        let value = chars.as_str();
        match letter.and_then(|letter| u8::try_from(letter).ok()) {
            Some(FEN) => {
                game.start = Position::from_fen(value.as_bytes()).map_err(StandaloneError::Fen)?;
                game.tags.push(("FEN".into(), value.into()));
            }
            Some(OTHER_TAG) => {
                let (name, value) = value.split_once(' ').unwrap_or((value, ""));
                game.tags.push((name.into(), value.into()));
            }
            Some(COMMENT) => game.events.push(Event::Text(TextKind::Brace, value.into())),
            Some(letter) => {
                let tag = LETTERS.iter().find(|(known, _)| *known == letter);
                let (_, name) = tag.ok_or(StandaloneError::UnknownLetter(at))?;
                game.tags.push(((*name).into(), value.into()));
            }
            None => return Err(StandaloneError::UnknownLetter(at)),
        }
        at += end + 2;
    }
    let stream = bytes.get(at..).unwrap_or_default();
    let mut decoder = Decoder::new(stream, game.start.clone(), Texts::Inline);
    let stream_error = |error: DecodeError| {
        StandaloneError::Stream(DecodeError { fault: error.fault, offset: error.offset + at })
    };
    loop {
        let start = decoder.offset();
        let Some(item) = decoder.advance(|_, _| {}).map_err(stream_error)? else { break };
        game.events.push(match item {
            Item::Move(m) => Event::Move(m),
            Item::Mark(good) => Event::Mark(good),
            Item::Nag(nag) => Event::Nag(nag),
            Item::Text(text) => {
                let text = std::str::from_utf8(text).map_err(|_| StandaloneError::NotUtf8(at + start))?;
                Event::Text(TextKind::Brace, text.into())
            }
            Item::Open => Event::Open,
            Item::Close => Event::Close,
            Item::Outcome(outcome) => {
                game.outcome = Some(outcome);
                continue;
            }
        });
    }
    Ok(game)
}

//! Stores a complete game as one string, including texts and tags (FORMAT.md, "Stand-alone strings").

use super::decode::{DecodeError, Decoder, Item, TextPlaces};
use super::encode;
use super::replay::skip_variation;
use crate::brenner::code::element_length;
use crate::chess::fen::FenError;
use crate::chess::{Move, Position, Variant, position::STANDARD};
use crate::game::{Event, Game, Outcome, TextKind, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The tags that have an identifying letter, with these letters.
pub(super) const LETTERS: [(u8, &str); 6] =
    [(b'W', "White"), (b'B', "Black"), (b'D', "Date"), (b'L', "Site"), (b'T', "Event"), (b'V', "Variation")];
pub(super) const FEN: u8 = b'F';
/// The letter of the rules of a variant.
pub(super) const RULES: u8 = b'R';
pub(super) const OTHER_TAG: u8 = b'X';
pub(super) const COMMENT: u8 = b'C';

/// The reason why a string is not a stand-alone game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StandaloneError {
    /// A leading text does not begin with one of the identifying letters. The value is the text's offset in bytes.
    UnknownLetter(usize),
    /// A text is not UTF-8. The value is the text's offset in bytes.
    NotUtf8(usize),
    /// A tag or text of the game contains U+0000, which ends texts in such strings.
    ZeroCharacter,
    /// The starting position is invalid.
    Fen(FenError),
    /// The stream has a fault.
    Stream(DecodeError),
}

impl fmt::Display for StandaloneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StandaloneError::UnknownLetter(at) => write!(f, "unknown identifying letter in the text at byte {at}"),
            StandaloneError::NotUtf8(at) => write!(f, "the text at byte {at} is not UTF-8"),
            StandaloneError::ZeroCharacter => {
                f.write_str("a tag or text holds U+0000, which a stand-alone string cannot")
            }
            StandaloneError::Fen(error) => error.fmt(f),
            StandaloneError::Stream(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StandaloneError {}

/// Returns the game as a string in canonical form. The string does not distinguish comments in braces from comments
/// after `;`, or tokens from tails.
///
/// The FEN tag with the starting position is written with the letter F. Any other FEN tag, such as an invalid one, is
/// stored like other tags. A starting position without a FEN tag is added with the letter F, so the decoded game has a
/// FEN tag. Errors: a tag or text contains U+0000.
///
/// ```
/// use scoresheet::brenner::decode::{DecodeError, DecodeFault};
/// use scoresheet::brenner::standalone::{self, StandaloneError};
///
/// # let mut game = scoresheet::Game::default();
/// # scoresheet::pgn::read_game(b"[White \"Tal\"]\n\n1. e4 {best} 1-0", 0, &Default::default(), &mut game);
/// let mut bytes = standalone::encode(&game)?; // [White "Tal"] 1. e4 {best} 1-0
/// assert_eq!((bytes.len(), standalone::decode(&bytes)?), (14, game));
/// let offset = bytes.len();
/// bytes.push(scoresheet::brenner::GOOD); // a mark after the result
/// let fault = DecodeFault::MisplacedResult;
/// assert_eq!(standalone::decode(&bytes), Err(StandaloneError::Stream(DecodeError { fault, offset })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode(game: &Game) -> Result<Vec<u8>, StandaloneError> {
    let rules = game.start.variant();
    let says_start = |(name, value): &(String, String)| {
        name == "FEN" && Position::from_fen_of(rules, value.as_bytes()).is_ok_and(|position| position == game.start)
    };
    let texts = game.events.iter().filter_map(|event| if let Event::Text(_, text) = event { Some(text) } else { None });
    if game.tags.iter().flat_map(|(name, value)| [name, value]).chain(texts).any(|text| text.contains('\0')) {
        return Err(StandaloneError::ZeroCharacter);
    }
    let fen = game.tags.iter().position(says_start);
    let mut writer = Writer { fen, ..Writer::default() };
    if rules != Variant::Chess {
        writer.leading(RULES, rules.name().as_bytes());
    }
    if fen.is_none() && !game.start.is_usual_start() {
        writer.leading(FEN, game.start.fen().as_bytes());
    }
    game.visit(&mut writer);
    Ok(writer.out)
}

/// Writes events to a string with inline texts.
#[derive(Default)]
struct Writer {
    out: Vec<u8>,
    moved: bool,
    tags: usize,
    /// The index of the tag that contains the starting position.
    fen: Option<usize>,
}

impl Writer {
    fn leading(&mut self, letter: u8, text: &[u8]) {
        encode::push_text(&[&[letter], text].concat(), &mut self.out);
    }
}

impl Visitor for Writer {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let index = self.tags;
        self.tags += 1;
        match LETTERS.iter().find(|(_, tag)| tag.as_bytes() == name) {
            Some((letter, _)) => self.leading(*letter, value),
            None if self.fen == Some(index) => self.leading(FEN, value),
            None => self.leading(OTHER_TAG, &[name, b" ", value].concat()),
        }
    }

    fn play(&mut self, before: &Position, m: Move) {
        self.moved = true;
        encode::push_move(before, m, &mut self.out);
    }

    fn suffix(&mut self, good: bool) {
        encode::push_suffix(good, &mut self.out);
    }

    fn nag(&mut self, nag: u8) {
        encode::push_nag(nag, &mut self.out);
    }

    fn text(&mut self, _: TextKind, text: &[u8]) {
        if self.moved {
            encode::push_text(text, &mut self.out);
        } else {
            self.leading(COMMENT, text);
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

/// Appends the main line of an intact stream as a stand-alone string: the starting position if it is not standard, the
/// moves, and the result. Variations, glyphs and texts are omitted. Nothing is decoded.
///
/// Such a string is sufficient to replay the game: [`start`] and a [`Replay`](crate::brenner::replay::Replay) reach any
/// ply.
pub fn push_main_line(start: &Position, stream: &[u8], out: &mut Vec<u8>) {
    if start.variant() != Variant::Chess {
        encode::push_text(&[&[RULES], start.variant().name().as_bytes()].concat(), out);
    }
    if !start.is_usual_start() {
        encode::push_text(&[&[FEN], start.fen().as_bytes()].concat(), out);
    }
    let mut at = 0;
    while let Some(&byte) = stream.get(at) {
        let (length, kept) = match byte {
            super::code::TEXT | super::code::BAD | super::code::GOOD => (1, false),
            super::code::NAG => (2, false),
            super::code::OPEN => match skip_variation(stream.get(at..).unwrap_or_default()) {
                Some(length) => (length, false),
                None => return,
            },
            _ => (element_length(byte), true),
        };
        if kept {
            out.extend_from_slice(stream.get(at..at + length).unwrap_or_default());
        }
        at += length;
    }
}

/// The moves of a game, as the starting position and the Brenner bytes without texts. Searches use this form for games
/// in an archive and for stand-alone strings.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// The position before the first move.
    pub start: &'a Position,
    /// The bytes of the moves, with the result at the end.
    pub bytes: &'a [u8],
}

impl Stream<'_> {
    /// Returns whether the moves start from a position other than the shared standard position.
    #[doc(hidden)]
    pub fn starts_elsewhere(&self) -> bool {
        !std::ptr::eq(self.start, &*STANDARD)
    }

    /// Returns the result at the end of the moves, or `Unknown` if there is none.
    pub fn outcome(&self) -> Outcome {
        last_outcome(self.bytes)
    }

    /// Returns the number of plies of the main line.
    pub fn plies(&self) -> u32 {
        super::replay::count_plies(self.bytes)
    }
}

/// Returns the result at the end of a stream, or `Unknown` if there is none.
pub(crate) fn last_outcome(stream: &[u8]) -> Outcome {
    use super::code::{DROP_PAWN, DROP_PIECE, EXPLICIT, NAG};
    let outcome = match stream.last() {
        Some(1) => Outcome::BlackWins,
        Some(2) => Outcome::WhiteWins,
        Some(3) => Outcome::Draw,
        _ => return Outcome::Unknown,
    };
    // The last byte may belong to a NAG, an explicit move or a drop. Only a walk through the stream can decide this, and
    // it is needed only if the last three bytes contain the first byte of such an element.
    let near = stream.len().saturating_sub(3);
    if !stream.iter().skip(near).any(|byte| matches!(*byte, EXPLICIT | NAG | DROP_PAWN | DROP_PIECE)) {
        return outcome;
    }
    let mut at = 0;
    while let Some(byte) = stream.get(at) {
        let length = element_length(*byte);
        if length == 1 && at + 1 == stream.len() {
            return outcome;
        }
        at += length;
    }
    Outcome::Unknown
}

/// Returns the starting position of a stand-alone string, and the moves that follow its leading texts.
///
/// ```
/// use scoresheet::brenner::standalone::{self, Stream};
/// use scoresheet::{Game, game::Event};
///
/// let mut game = Game::default();
/// game.events.push(Event::Move(game.start.parse_san("e4")?));
/// let line = standalone::encode(&game)?;
/// let (start, bytes) = standalone::start(&line)?;
/// let stream = Stream { start: &start, bytes };
/// assert_eq!((stream.plies(), start.fen()), (1, game.start.fen()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Errors: the starting position cannot be read.
pub fn start(bytes: &[u8]) -> Result<(Cow<'static, Position>, &[u8]), StandaloneError> {
    let (mut start, mut rules) = (Cow::Borrowed(&*STANDARD), Variant::Chess);
    let mut rest = bytes;
    while let Some(text) = rest.strip_prefix(&[super::code::TEXT]) {
        let Some(end) = memchr::memchr(super::code::TEXT, text) else { break };
        match text.get(..end).unwrap_or_default() {
            [FEN, fen @ ..] => start = Cow::Owned(Position::from_fen_of(rules, fen).map_err(StandaloneError::Fen)?),
            [RULES, name @ ..] => {
                rules = Variant::from_tag(name).unwrap_or_default();
                start = Cow::Owned(rules.start());
            }
            _ => {}
        }
        rest = text.get(end + 1..).unwrap_or_default();
    }
    Ok((start, rest))
}

/// Reads a stand-alone string. Checks every move. Never panics, whatever the input.
pub fn decode(bytes: &[u8]) -> Result<Game, StandaloneError> {
    let mut game = Game::default();
    let mut at = 0;
    while bytes.get(at) == Some(&super::code::TEXT) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        let Some(end) = memchr::memchr(super::code::TEXT, rest) else { break };
        let text =
            std::str::from_utf8(rest.get(..end).unwrap_or_default()).map_err(|_| StandaloneError::NotUtf8(at))?;
        let mut chars = text.chars();
        let letter = chars.next();
        let value = chars.as_str();
        match letter.and_then(|letter| u8::try_from(letter).ok()) {
            Some(RULES) => {
                let rules = Variant::from_tag(value).ok_or(StandaloneError::UnknownLetter(at))?;
                game.start = rules.start();
            }
            Some(FEN) => {
                game.start =
                    Position::from_fen_of(game.start.variant(), value.as_bytes()).map_err(StandaloneError::Fen)?;
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
    let mut decoder = Decoder::new(stream, game.start.clone(), TextPlaces::Inline);
    let stream_error =
        |error: DecodeError| StandaloneError::Stream(DecodeError { fault: error.fault, offset: error.offset + at });
    let mut moved = false;
    loop {
        let start = decoder.offset();
        let Some(item) = decoder.advance(|_, _| {}).map_err(stream_error)? else { break };
        game.events.push(match item {
            Item::Move(m) => {
                moved = true;
                Event::Move(m)
            }
            Item::Suffix(good) => Event::Suffix(good),
            Item::Nag(nag) => Event::Nag(nag),
            Item::Text(text) => {
                let text = std::str::from_utf8(text).map_err(|_| StandaloneError::NotUtf8(at + start))?;
                // Before the first move, a comment begins with its letter even after a glyph.
                let comment = if moved { Some(text) } else { text.strip_prefix(char::from(COMMENT)) };
                Event::Text(TextKind::Brace, comment.ok_or(StandaloneError::UnknownLetter(at + start))?.into())
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

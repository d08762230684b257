//! Explains each byte of a stand-alone string in the style of Brenner's document: `01 100 001`, queen, 4 squares, NE.

use super::alternate::Order;
use super::code::{BAD, CASTLE_A, CASTLE_H, CLOSE, EXPLICIT, GOOD, NAG, NULL, OPEN, TEXT};
use super::decode::{Decoder, Item, TextPlaces};
use super::standalone::{COMMENT, FEN, LETTERS, OTHER_TAG, RULES, StandaloneError};
use crate::chess::{Position, Variant};
use std::fmt;

/// A notation of bytes that Brenner's document defines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Notation {
    /// The notation of the table in Brenner's document.
    #[default]
    Table,
    /// The alternate notation.
    Alternate,
    /// The alternate notation with nnn exchanged ([`Order::Exchanged`]).
    Exchanged,
    /// The alternate notation in the fixed order ([`Order::Fixed`]).
    Fixed,
}

impl Notation {
    /// Returns the order of the fields, or `None` if it is the order of the table.
    pub const fn order(self) -> Option<Order> {
        match self {
            Notation::Table => None,
            Notation::Alternate => Some(Order::Alternate),
            Notation::Exchanged => Some(Order::Exchanged),
            Notation::Fixed => Some(Order::Fixed),
        }
    }
}

/// An explained element of a string: its bits by field, their meaning, and the move or text.
///
/// `Display` writes these three parts in columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    /// The offset of the element's first byte, in bytes from 0.
    pub offset: usize,
    /// The bits of the element's bytes, without texts. Blanks separate the fields.
    pub bits: String,
    /// The meaning of the fields.
    pub meaning: String,
    /// The move in SAN, or the text. The value is empty if the element contains neither.
    pub content: String,
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = format!("{:<12}  {:<23}  {}", self.bits, self.meaning, self.content);
        f.write_str(line.trim_end())
    }
}

/// Explains a stand-alone string, one element at a time, in order. A prefix and the byte after it are two elements.
///
/// If the string is invalid, `found` receives all elements before the error.
///
/// ```
/// use scoresheet::brenner::{explain, standalone};
///
/// # let mut game = scoresheet::Game::default();
/// # scoresheet::pgn::read_game(b"1. Nf3! *", 0, &Default::default(), &mut game);
/// let bytes = standalone::encode(&game)?; // 1. Nf3!
/// let mut lines: Vec<explain::Explained> = Vec::new();
/// explain::explain(&bytes, explain::Notation::Table, |line| lines.push(line))?;
/// assert_eq!((lines.len(), lines[0].content.as_str(), lines[1].offset), (2, "Nf3", 1));
/// assert_eq!(u8::from_str_radix(&lines[0].bits.replace(' ', ""), 2)?, bytes[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain(bytes: &[u8], notation: Notation, mut found: impl FnMut(Explained)) -> Result<(), StandaloneError> {
    let main = notation.order().map_or_else(|| bytes.to_vec(), |order| order.read(bytes));
    let mut start = Position::standard();
    let mut at = 0;
    while main.get(at) == Some(&TEXT) {
        let rest = main.get(at + 1..).unwrap_or_default();
        let Some(end) = memchr::memchr(TEXT, rest) else { break };
        let text = utf8(rest.get(..end).unwrap_or_default(), at)?;
        let (meaning, content) = leading(text).ok_or(StandaloneError::UnknownLetter(at))?;
        match text.as_bytes().first() {
            Some(&FEN) => {
                start = Position::from_fen_of(start.variant(), content.as_bytes()).map_err(StandaloneError::Fen)?;
            }
            Some(&RULES) => start = Variant::from_tag(content).unwrap_or_default().start(),
            _ => {}
        }
        found(Explained { offset: at, bits: "00000 000".into(), meaning, content: content.into() });
        at += end + 2;
    }
    let stream = main.get(at..).unwrap_or_default();
    let mut decoder = Decoder::new(stream, start, TextPlaces::Inline);
    let mut moved = false;
    loop {
        let from = decoder.offset();
        let mut san = String::new();
        let item = decoder.advance(|before, m| san = before.san(m)).map_err(|mut error| {
            error.offset += at;
            StandaloneError::Stream(error)
        })?;
        let Some(item) = item else { return Ok(()) };
        let element = stream.get(from..decoder.offset()).unwrap_or_default();
        let Some(&byte) = element.first() else { return Ok(()) };
        let line = |byte: u8, more: &[u8], meaning: String, content: String, skipped: usize| {
            let offset = at + from + skipped;
            Explained { offset, bits: bits(byte, more, notation), meaning, content }
        };
        match (item, element) {
            (Item::Text(text), _) => {
                let text = utf8(text, at + from)?;
                let (meaning, text) = match moved {
                    true => ("text".into(), text),
                    false => leading(text)
                        .filter(|_| text.as_bytes().first() == Some(&COMMENT))
                        .ok_or(StandaloneError::UnknownLetter(at + from))?,
                };
                found(line(byte, &[], meaning, text.into(), 0));
            }
            (Item::Nag(nag), _) => found(line(byte, &[nag], meaning(byte), format!("${nag}"), 0)),
            (Item::Move(_), [EXPLICIT, more @ ..]) => found(line(byte, more, meaning(byte), san, 0)),
            (Item::Move(_), [prefix, then]) => {
                let verb = if matches!(then, 0x20..=0x3F) { "is promoted to" } else { "moves next" };
                found(line(*prefix, &[], format!("{} {verb}", meaning(*prefix)), String::new(), 0));
                found(line(*then, &[], meaning(*then), san, 1));
            }
            _ => found(line(byte, &[], meaning(byte), san, 0)),
        }
        moved |= matches!(item, Item::Move(_));
    }
}

fn utf8(text: &[u8], at: usize) -> Result<&str, StandaloneError> {
    std::str::from_utf8(text).map_err(|_| StandaloneError::NotUtf8(at))
}

/// Returns the description of a leading text, and the text without its first letter.
fn leading(text: &str) -> Option<(String, &str)> {
    let letter = *text.as_bytes().first()?;
    let rest = text.get(1..)?;
    let meaning = match letter {
        FEN => "text F: FEN",
        RULES => "text R: variant",
        OTHER_TAG => "text X: tag",
        COMMENT => "text C: comment",
        _ => {
            let (_, name) = LETTERS.iter().find(|(known, _)| *known == letter)?;
            return Some((format!("text {}: {name}", char::from(letter)), rest));
        }
    };
    Some((meaning.into(), rest))
}

/// Returns the widths of a byte's fields in bits, from left to right. `byte` must be in the notation of the table.
const fn fields(byte: u8, notation: Notation) -> &'static [u8] {
    match (notation, byte) {
        (_, 0x00..=0x0F) => &[5, 3],
        (_, 0x10..=0x1F) => &[4, 1, 3],
        (Notation::Fixed, 0x20..=0x3F) => &[3, 3, 2],
        (_, 0x20..=0x3F) => &[3, 2, 3],
        (Notation::Table, 0x40..=0x47 | 0x80..=0x87) => &[2, 3, 2, 1],
        (_, 0x48..=0x7F) | (Notation::Table, 0xC0..=0xC7) => &[2, 3, 3],
        (Notation::Table, _) => &[1, 1, 3, 2, 1],
        (Notation::Exchanged, _) => &[2, 3, 2, 1],
        (Notation::Fixed, 0x88..=0xBF | 0xC8..) => &[2, 1, 2, 3],
        (Notation::Alternate | Notation::Fixed, _) => &[2, 2, 1, 3],
    }
}

/// Returns the bits of a byte by field, and of the bytes that follow an explicit move or a NAG.
fn bits(byte: u8, more: &[u8], notation: Notation) -> String {
    let shown = notation.order().map_or(byte, |order| order.convert(byte));
    let mut text = split(u16::from(shown) << 8, fields(byte, notation));
    match more {
        [nag] => {
            text.push(' ');
            text.push_str(&format!("{nag:08b}"));
        }
        [high, low] => {
            text.push(' ');
            text.push_str(&split(u16::from_be_bytes([*high, *low]), &[6, 6, 3, 1]));
        }
        _ => {}
    }
    text
}

fn split(mut bits: u16, widths: &[u8]) -> String {
    let mut text = String::with_capacity(16);
    for (index, width) in widths.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        for _ in 0..*width {
            text.push(if bits & 0x8000 == 0 { '0' } else { '1' });
            bits <<= 1;
        }
    }
    text
}

/// Returns the meaning of a single byte in the notation of the table.
#[expect(clippy::indexing_slicing, reason = "two and three bits are indices of 4 and 8")]
fn meaning(byte: u8) -> String {
    const COMPASS: [&str; 8] = ["E", "NE", "N", "NW", "W", "SW", "S", "SE"];
    const LEAPS: [&str; 8] = ["EES", "EEN", "NNE", "NNW", "WWN", "WWS", "SSW", "SSE"];
    const STEPS: [&str; 4] = ["step 1", "step 2", "take right", "take left"];
    let ddd = usize::from(byte & 7);
    let nnn = byte >> 3 & 7;
    let slider = if byte & 1 == 0 { "rook" } else { "bishop" };
    match byte {
        TEXT => "text".into(),
        0x01 => "0-1".into(),
        0x02 => "1-0".into(),
        0x03 => "draw".into(),
        CASTLE_H => "castles, h-side".into(),
        CASTLE_A => "castles, a-side".into(),
        BAD => "?".into(),
        GOOD => "!".into(),
        0x08..=0x0F => format!("king {}", COMPASS[ddd]),
        0x10..=0x1F => format!("knight #{} {}", nnn & 1, LEAPS[ddd]),
        0x20..=0x3F => format!("pawn #{ddd} {}", STEPS[usize::from(nnn & 3)]),
        0x40..=0x47 => format!("{} #{}", if byte & 1 == 0 { "queen" } else { "knight" }, byte >> 1 & 3),
        0x80..=0x87 => format!("{slider} #{}", byte >> 1 & 3),
        0x48..=0x7F => format!("queen {nnn} {}", COMPASS[ddd]),
        EXPLICIT => "from, to, promotion".into(),
        NULL => "passes".into(),
        NAG => "glyph".into(),
        OPEN => "variation opens".into(),
        CLOSE => "variation closes".into(),
        0xC5..=0xC7 => "unassigned".into(),
        _ => format!("{slider} #{} {nnn} {}", byte >> 6 & 1, COMPASS[ddd]),
    }
}

//! Stores the main line of a game as move ids of fixed width: two bytes each, or packed into 11 bits (FORMAT.md, "Move
//! ids").
//!
//! A string contains the ids of the moves and the id of the game's end, then the tags and the starting position as
//! leading texts of a stand-alone string. Comments, glyphs and variations are omitted.

use super::explain::{Explained, Notation, explain as explain_texts};
use super::move_id::{END, MoveId, NULL};
use super::standalone::{self, StandaloneError};
use crate::game::{Event, Game, Outcome};
use std::fmt;

/// The number of bits of an id.
const BITS: u32 = 11;

/// The size of ids in a byte string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Two bytes per id, the most significant byte first.
    Ids,
    /// Eleven bits per id, the most significant bit first, with zero bits up to the end of the last byte.
    Bits,
}

/// The reason why bytes are not a game in this form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FixedError {
    /// The bytes end before the id of the game's end.
    NoEnd,
    /// The id at this index, from 0, is reserved or exceeds 2,047.
    Reserved(usize),
    /// The move at this index, from 0, is not legal.
    IllegalMove(usize),
    /// The move at this index has no id. This does not occur in legal games.
    NoId(usize),
    /// The padding bits after the last id are not zero.
    Padding,
    /// The bytes after the moves are not valid tags.
    Tags(StandaloneError),
}

impl fmt::Display for FixedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FixedError::NoEnd => f.write_str("the bytes end before the id that ends the game"),
            FixedError::Reserved(index) => write!(f, "move {}: its id is reserved", index + 1),
            FixedError::IllegalMove(index) => write!(f, "move {}: not a legal move", index + 1),
            FixedError::NoId(index) => write!(f, "move {} has no id", index + 1),
            FixedError::Padding => f.write_str("the bits after the last id are not zero"),
            FixedError::Tags(error) => write!(f, "after the moves: {error}"),
        }
    }
}

impl std::error::Error for FixedError {}

/// Returns the ids of the main line and of the game's end.
pub fn ids(game: &Game) -> Result<Vec<MoveId>, FixedError> {
    let (mut ids, chess960) = (Vec::new(), game.start.is_chess960());
    for (index, m) in game.main_line().enumerate() {
        ids.push(MoveId::from_move(m, chess960).ok_or(FixedError::NoId(index))?);
    }
    let [unknown, black_wins, white_wins, draw] = END;
    ids.push(match game.outcome {
        None | Some(Outcome::Unknown) => unknown,
        Some(Outcome::BlackWins) => black_wins,
        Some(Outcome::WhiteWins) => white_wins,
        Some(Outcome::Draw) => draw,
    });
    Ok(ids)
}

/// Returns ids as bytes.
pub fn pack(ids: &[MoveId], width: Width) -> Vec<u8> {
    let numbers = ids.iter().map(|id| u32::from(id.number()));
    if width == Width::Ids {
        return numbers.flat_map(|number| (number as u16).to_be_bytes()).collect();
    }
    let mut out = Vec::with_capacity(ids.len() * BITS as usize / 8 + 1);
    // At most seven pending bits, plus the next eleven.
    let (mut held, mut count) = (0u32, 0);
    for number in numbers {
        held = held << BITS | number;
        count += BITS;
        while count >= 8 {
            count -= 8;
            out.push((held >> count) as u8);
        }
        held &= (1 << count) - 1;
    }
    if count > 0 {
        out.push((held << (8 - count)) as u8);
    }
    out
}

/// Returns the ids up to the id of the game's end, and the number of bytes that they occupy.
pub fn unpack(bytes: &[u8], width: Width) -> Result<(Vec<MoveId>, usize), FixedError> {
    let mut ids = Vec::new();
    let (mut held, mut count) = (0u32, 0u32);
    let mut at = 0;
    loop {
        let bits_per_id = if width == Width::Ids { 16 } else { BITS };
        while count < bits_per_id {
            held = held << 8 | u32::from(*bytes.get(at).ok_or(FixedError::NoEnd)?);
            at += 1;
            count += 8;
        }
        count -= bits_per_id;
        let number = u16::try_from(held >> count).ok();
        held &= (1 << count) - 1;
        let id = number.and_then(MoveId::new).filter(|id| id.is_known()).ok_or(FixedError::Reserved(ids.len()))?;
        ids.push(id);
        if END.contains(&id) {
            return if held == 0 { Ok((ids, at)) } else { Err(FixedError::Padding) };
        }
    }
}

/// Returns a game as bytes: the main line, the result, the tags and the starting position. Errors: a tag contains
/// U+0000.
///
/// ```
/// use scoresheet::brenner::fixed::{self, FixedError, Width};
///
/// # let mut game = scoresheet::Game::default();
/// # scoresheet::pgn::read_game(b"1. e4 e5 2. Nf3 1-0", 0, &Default::default(), &mut game);
/// let ids = fixed::ids(&game)?; // 1. e4 e5 2. Nf3 1-0
/// assert_eq!((fixed::pack(&ids, Width::Ids).len(), fixed::pack(&ids, Width::Bits).len()), (8, 6));
/// let bytes = fixed::encode(&game, Width::Bits)?;
/// assert_eq!(fixed::decode(&bytes, Width::Bits)?.main_line().count(), 3);
/// assert!(matches!(fixed::decode(&bytes[..2], Width::Bits), Err(FixedError::NoEnd)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode(game: &Game, width: Width) -> Result<Vec<u8>, FixedError> {
    let mut bytes = pack(&ids(game)?, width);
    let bare = Game { tags: game.tags.clone(), start: game.start.clone(), ..Game::default() };
    bytes.extend(standalone::encode(&bare).map_err(FixedError::Tags)?);
    Ok(bytes)
}

/// Reads a game. Checks every move. Never panics, whatever the input.
pub fn decode(bytes: &[u8], width: Width) -> Result<Game, FixedError> {
    let (ids, end) = unpack(bytes, width)?;
    let mut game = standalone::decode(bytes.get(end..).unwrap_or_default()).map_err(FixedError::Tags)?;
    if !game.events.is_empty() || game.outcome.is_some() {
        return Err(FixedError::Tags(StandaloneError::UnknownLetter(0)));
    }
    let mut position = game.start.clone();
    let moves = ids.len().saturating_sub(1);
    for (index, id) in ids.iter().take(moves).enumerate() {
        let m = id.to_move(&position).ok_or(FixedError::IllegalMove(index))?;
        position.play_unchecked(m);
        game.events.push(Event::Move(m));
    }
    game.outcome = match END.iter().position(|end| ids.last() == Some(end)) {
        Some(1) => Some(Outcome::BlackWins),
        Some(2) => Some(Outcome::WhiteWins),
        Some(3) => Some(Outcome::Draw),
        _ => None,
    };
    Ok(game)
}

/// Explains each id of a byte string, and then the texts after the ids. If the bytes are invalid, `found` receives all
/// elements before the error.
pub fn explain(bytes: &[u8], width: Width, mut found: impl FnMut(Explained)) -> Result<(), FixedError> {
    let (ids, end) = unpack(bytes, width)?;
    let texts = bytes.get(end..).unwrap_or_default();
    let mut position = standalone::decode(texts).map_err(FixedError::Tags)?.start;
    for (index, id) in ids.into_iter().enumerate() {
        let number = id.number();
        let (offset, bits) = match width {
            Width::Ids => (index * 2, format!("00000 {number:011b}")),
            Width::Bits => (index * BITS as usize / 8, format!("{number:011b}")),
        };
        let end = END.into_iter().zip(["*", "0-1", "1-0", "1/2-1/2"]).find(|(end, _)| *end == id);
        let (meaning, content) = match (end, id.squares()) {
            (Some((_, result)), _) => ("end of the moves".to_owned(), result.to_owned()),
            (None, squares) => {
                let m = id.to_move(&position).ok_or(FixedError::IllegalMove(index))?;
                let san = position.san(m);
                position.play_unchecked(m);
                let meaning = match squares {
                    Some((from, to, None)) => format!("id {number}: {from} {to}"),
                    Some((from, to, Some(role))) => format!("id {number}: {from} {to} {}", char::from(role.letter())),
                    None => format!("id {}: passes", NULL.number()),
                };
                (meaning, san)
            }
        };
        found(Explained { offset, bits, meaning, content });
    }
    let shifted = |explained: Explained| found(Explained { offset: explained.offset + end, ..explained });
    explain_texts(texts, Notation::Table, shifted).map_err(FixedError::Tags)
}

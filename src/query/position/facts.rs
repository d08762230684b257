//! What a game's tags say about it, as numbers: result, ratings, year.

use crate::archive::GameRef;
use crate::error::Result;
use crate::format::positions::{Facts, MAX_PLIES};
use crate::game::Outcome;

/// Returns the facts of a game. The result is the movetext's, or the tag's where that has none.
pub fn facts(game: &GameRef<'_>) -> Result<Facts> {
    let mut outcome = game.outcome().unwrap_or(Outcome::Unknown);
    let (mut ratings, mut years) = ([0; 2], [0; 2]);
    game.visit_tags(|name, value| match name {
        b"WhiteElo" => ratings[0] = rating(value),
        b"BlackElo" => ratings[1] = rating(value),
        b"Date" if years[0] == 0 => years[0] = year(value),
        b"UTCDate" if years[1] == 0 => years[1] = year(value),
        b"Result" if outcome == Outcome::Unknown => outcome = Outcome::from_token(value).unwrap_or(outcome),
        _ => {}
    })?;
    let year = if years[0] == 0 { years[1] } else { years[0] };
    Ok(Facts { plies: game.plies().min(MAX_PLIES), set_up: game.is_set_up(), outcome, ratings, year })
}

/// The rating at the beginning of a tag's value; 0 for none, and for what is no rating.
fn rating(value: &[u8]) -> u16 {
    number(value).filter(|rating| *rating <= 0xFFF).unwrap_or(0) as u16
}

/// The year of a date as in `1998.??.??`.
fn year(value: &[u8]) -> u16 {
    let digits = value.split(|byte| matches!(byte, b'.' | b'-' | b'/')).next().unwrap_or_default();
    if digits.len() != 4 { 0 } else { number(digits).unwrap_or(0) as u16 }
}

fn number(text: &[u8]) -> Option<u32> {
    if text.is_empty() || text.len() > 6 || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(text.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
}

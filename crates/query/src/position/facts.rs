//! Facts from the tags of a game, stored as numbers: the result, the ratings and the year.

use crate::value;
use scoresheet::archive::GameRef;
use scoresheet::error::Result;
use scoresheet::format::facts::{Facts, MAX_PLIES};
use scoresheet::game::Outcome;

/// Returns the facts from the tags of a game.
pub fn facts(game: &GameRef<'_>) -> Result<Facts> {
    let (mut tag, mut ratings, mut years) = (None, [None; 2], [None; 2]);
    let keep = |number: &mut Option<u16>, value: Option<u16>| {
        number.get_or_insert(value.unwrap_or(0));
    };
    game.visit_tags(|name, value| match name {
        b"WhiteElo" => keep(&mut ratings[0], rating(value)),
        b"BlackElo" => keep(&mut ratings[1], rating(value)),
        b"Date" => keep(&mut years[0], value::year(value)),
        b"UTCDate" => keep(&mut years[1], value::year(value)),
        b"Result" => {
            tag.get_or_insert_with(|| Outcome::of_game(Some(value), game.outcome()));
        }
        _ => {}
    })?;
    let outcome = tag.or_else(|| game.outcome()).unwrap_or(Outcome::Unknown);
    let year = years.into_iter().flatten().find(|year| *year > 0).unwrap_or(0);
    let ratings = ratings.map(Option::unwrap_or_default);
    Ok(Facts { plies: game.plies().min(MAX_PLIES), set_up: game.is_set_up(), outcome, ratings, year })
}

/// Returns the result of a game.
pub fn outcome(game: &GameRef<'_>) -> Result<Outcome> {
    Ok(Outcome::of_game(game.tag("Result")?.as_deref().map(str::as_bytes), game.outcome()))
}

/// Parses a rating. Returns `None` if the rating does not fit into 12 bits.
fn rating(value: &[u8]) -> Option<u16> {
    value::rating(value).filter(|rating| *rating <= 0xFFF).and_then(|rating| u16::try_from(rating).ok())
}

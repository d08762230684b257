//! Facts from the tags of a game, stored as numbers: the result, the ratings and the year.

use crate::value;
use scoresheet::archive::GameRef;
use scoresheet::error::Result;
use scoresheet::format::facts::{Facts, MAX_PLIES};
use scoresheet::game::Outcome;

/// Returns the facts from the tags of a game.
pub fn facts(game: &GameRef<'_>) -> Result<Facts> {
    Ok(dated(game)?.0)
}

/// Returns the facts from the tags of a game, and the day of the game, encoded as by [`value::day`].
pub fn dated(game: &GameRef<'_>) -> Result<(Facts, Option<u32>)> {
    let (mut tag, mut ratings, mut days) = (None, [None; 2], [None; 2]);
    let keep = |number: &mut Option<u16>, value: Option<u16>| {
        number.get_or_insert(value.unwrap_or(0));
    };
    let keep_day = |day: &mut Option<Option<u32>>, text: &[u8]| {
        day.get_or_insert_with(|| value::day(text));
    };
    game.visit_tags(|name, value| match name {
        b"WhiteElo" => keep(&mut ratings[0], rating(value)),
        b"BlackElo" => keep(&mut ratings[1], rating(value)),
        b"Date" => keep_day(&mut days[0], value),
        b"UTCDate" => keep_day(&mut days[1], value),
        b"Result" => {
            tag.get_or_insert_with(|| Outcome::of_game(Some(value), game.outcome()));
        }
        _ => {}
    })?;
    let outcome = tag.or_else(|| game.outcome()).unwrap_or(Outcome::Unknown);
    let day = days.into_iter().flatten().flatten().next();
    let year = day.and_then(|day| u16::try_from(value::year_of_day(day.into())).ok()).unwrap_or(0);
    let ratings = ratings.map(Option::unwrap_or_default);
    Ok((Facts { plies: game.plies().min(MAX_PLIES), set_up: game.starts_elsewhere(), outcome, ratings, year }, day))
}

/// Returns the result of a game.
pub fn outcome(game: &GameRef<'_>) -> Result<Outcome> {
    Ok(Outcome::of_game(game.tag("Result")?.as_deref().map(str::as_bytes), game.outcome()))
}

/// Parses a rating. Returns `None` if the rating does not fit into 12 bits.
fn rating(value: &[u8]) -> Option<u16> {
    value::rating(value).filter(|rating| *rating <= 0xFFF).and_then(|rating| u16::try_from(rating).ok())
}
